//! Names of metrics, from the keys of tests and columns.

/// Returns the prefix of the metrics of a test: `jitterscope_frame_loop`.
pub(super) fn prefix(test: &str) -> String {
    format!("jitterscope_{}", slug(test))
}

/// Converts words to a part of a metric name: lower-case letters, digits, and underscores.
pub(super) fn slug(words: &str) -> String {
    words
        .chars()
        .map(
            |letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' },
        )
        .collect()
}

/// Returns the metric name of a column, and the divisor for its values. Times are converted to
/// seconds, and shares are ratios from 0 to 1. Counts have no unit suffix, since `_count` is
/// reserved for histograms.
pub(super) fn of_key(prefix: &str, key: &str) -> (String, f64) {
    let (stem, unit, scale) = match key {
        key if key.ends_with("_nanos") => (key.strip_suffix("_nanos"), "_seconds", 1e9),
        key if key.ends_with("_share") => (key.strip_suffix("_share"), "_ratio", 1.0),
        key if key.ends_with("_count") => (key.strip_suffix("_count"), "", 1.0),
        key => (Some(key), "", 1.0),
    };
    // A limit within a name is joined with its unit, `100us`: a separate unit would look like the unit of the metric.
    let mut name = prefix.to_owned();
    for part in slug(stem.unwrap_or(key)).split('_') {
        let is_limit = name.ends_with(|last: char| last.is_ascii_digit());
        if !(is_limit && ["ns", "us", "ms", "s"].contains(&part)) {
            name.push('_');
        }
        name.push_str(part);
    }
    (name + unit, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_keys_become_base_units() {
        for (key, name, scale) in [
            ("p99_nanos", "jitterscope_frame_loop_p99_seconds", 1e9),
            ("p99_ci_low_nanos", "jitterscope_frame_loop_p99_ci_low_seconds", 1e9),
            ("cpu_share", "jitterscope_frame_loop_cpu_ratio", 1.0),
            ("samples_count", "jitterscope_frame_loop_samples", 1.0),
            ("one_percent_low_fps", "jitterscope_frame_loop_one_percent_low_fps", 1.0),
            ("gaps_below_10_us_count", "jitterscope_frame_loop_gaps_below_10us", 1.0),
            ("gaps_1_ms_to_10_ms_count", "jitterscope_frame_loop_gaps_1ms_to_10ms", 1.0),
        ] {
            assert_eq!(of_key(&prefix("frame-loop"), key), (name.to_owned(), scale), "{key}");
        }
    }
}
