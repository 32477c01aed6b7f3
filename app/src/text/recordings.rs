//! Words about a recorder.

use jitterscope_engine::store::RecordStatus;

use super::{count_text, format_long_time};

/// Returns the state of a recorder as a line: "Recording witcher3, 23 min · 84 120 frames · 3 stutters · 1 stall".
pub fn subtitle(status: &RecordStatus) -> String {
    let RecordStatus { length, frame_count, stutter_count, stall_count, label, ring, .. } = status;
    let what = if label.is_empty() { "this PC" } else { label };
    let mut parts = vec![format!("Recording {what}, {}", format_long_time(*length))];
    if 0 < *frame_count {
        parts.push(count_text(*frame_count, "frames"));
        parts.push(count_text(*stutter_count, "stutters"));
    }
    parts.push(count_text(*stall_count, "stalls"));
    parts.extend(
        ring.map(|ring| format!("detail of the last {} in memory", format_long_time(ring))),
    );
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    #[test]
    fn frames_are_named_only_where_there_are_some() {
        let mut status = RecordStatus { length: Nanos::from_secs(60), ..RecordStatus::default() };
        let words = subtitle(&status);
        assert!(words.starts_with("Recording this PC, ") && !words.contains("frames"), "{words}");
        status.label = "game".to_owned();
        status.frame_count = 7_200;
        status.stutter_count = 1;
        let words = subtitle(&status);
        assert!(words.starts_with("Recording game, "), "{words}");
        assert!(words.contains("1 stutter ·") && words.contains("frames"), "{words}");
    }
}
