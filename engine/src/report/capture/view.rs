//! The part of a capture that its figures are of: the answer to a [`CaptureView`].
//!
//! A capture stays what its file states. A [`Scope`] is what remains of a recording for the view that a reader asked
//! for, and the words that every figure of it carries. All figures, plots, and comparisons are of the scope, so that
//! they agree with each other whatever was asked.

use std::sync::Arc;

use super::RecordingFigures;
use crate::nanos::Nanos;
use crate::report::model::capture_view::{CaptureView, FrameKind};
use crate::run::capture::{CaptureSeries, FrameColumn, FrameQuantity, Recording};
use crate::sample::{Column, MISSING};
use crate::stats::stutter::PAUSE;
use crate::units::{count_text, format_count, format_long_time};

/// Maximum number of recordings whose captions are listed.
const MAX_CAPTIONS: usize = 3;

/// The pauses of a recording: frames of more than [`PAUSE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// Number of pauses in the range.
    pub count: usize,
    /// Sum of their frame times.
    pub time: Nanos,
}

impl Pauses {
    /// Returns number and length: "1 pause, 5.0 s".
    pub fn words(self) -> String {
        format!("{}, {}", count_text(self.count, "pauses"), format_long_time(self.time))
    }
}

/// The part of a recording that its figures are of.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// What was asked.
    pub view: Arc<CaptureView>,
    /// Which frames these are.
    pub frames: FrameKind,
    /// Whether the file also has the other kind of frames.
    pub has_displayed: bool,
    /// The end of the whole recording.
    pub end: Nanos,
    /// The pauses in the range, whether or not they are omitted.
    pub pauses: Pauses,
    /// The frame times of the presented frames in the rows that remain.
    pub presented: Column,
    /// What remains of the recording. The time of each row is that of the whole recording.
    pub recording: Recording,
}

impl Scope {
    /// Returns the part of a recording that a view asks for. Time: O(frames).
    pub fn of(recording: &Recording, view: &Arc<CaptureView>) -> Self {
        let displayed = recording.per_frame(FrameQuantity::DisplayedTime);
        let frames = if displayed.is_some() { view.frames } else { FrameKind::Presented };
        let times = match frames {
            FrameKind::Displayed => displayed.unwrap_or(&recording.frame_times),
            FrameKind::Presented => &recording.frame_times,
        };
        let (mut keep, mut skipped, mut pauses) = (Vec::new(), 0, Pauses::default());
        let mut end = Nanos::ZERO;
        for (at, time) in recording.times().zip(times.values()) {
            end = at;
            let mut is_kept = view.is_in_range(at);
            if is_kept && time != MISSING && skipped < view.skip_first {
                skipped += 1;
                is_kept = false;
            }
            if is_kept && time != MISSING && PAUSE.get() < time {
                pauses = Pauses { count: pauses.count + 1, time: pauses.time + Nanos::new(time) };
                is_kept = !view.omits_pauses;
            }
            keep.push(is_kept);
        }
        let is_whole = keep.iter().all(|is_kept| *is_kept);
        let (presented, recording) = if is_whole && frames == FrameKind::Presented {
            (recording.frame_times.clone(), recording.clone())
        } else {
            let part = part_of(recording, times, &keep, is_whole);
            (kept(&recording.frame_times, &keep), part)
        };
        let (view, has_displayed) = (Arc::clone(view), displayed.is_some());
        Self { view, frames, has_displayed, end, pauses, presented, recording }
    }

    /// Returns the range of the figures; `None` for the whole recording.
    pub fn range(&self) -> Option<(Nanos, Nanos)> {
        let CaptureView { from, to, .. } = &*self.view;
        let to = to.unwrap_or(self.end).min(self.end);
        (from.is_some() || to < self.end).then(|| (from.unwrap_or_default().min(to), to))
    }

    /// Returns what every figure of this scope carries: kind of frames, range, and pauses; empty if there is nothing to
    /// choose from.
    pub fn caption(&self) -> String {
        let mut words = Vec::new();
        if self.has_displayed {
            words.push(format!("{} frames", self.frames.key()));
        }
        if let Some((from, to)) = self.range() {
            words.push(format!("{} to {}", format_position(from), format_position(to)));
        }
        if 0 < self.view.skip_first {
            words.push(format!("first {} omitted", format_count(self.view.skip_first)));
        }
        if 0 < self.pauses.count {
            let with = if self.view.omits_pauses { "without" } else { "with" };
            words.push(format!("{with} {}", self.pauses.words()));
        }
        words.join(", ")
    }
}

/// Returns the captions of several recordings as one: with the name of each where they differ.
pub(in crate::report) fn joined_captions<'a>(
    captions: impl Iterator<Item = (&'a str, String)>,
) -> String {
    let captions: Vec<(&str, String)> = captions.collect();
    let Some((_, first)) = captions.first() else { return String::new() };
    if captions.iter().all(|(_, caption)| caption == first) {
        return first.clone();
    }
    let own = captions.iter().filter(|(_, caption)| !caption.is_empty());
    let mut words: Vec<String> =
        own.clone().take(MAX_CAPTIONS).map(|(label, own)| format!("{label}: {own}")).collect();
    match own.count().saturating_sub(MAX_CAPTIONS) {
        0 => {}
        more => words.push(format!("and {} more", format_count(more))),
    }
    words.join("; ")
}

/// Returns the caption of all recordings of a file.
pub(in crate::report) fn caption_of(recordings: &[RecordingFigures]) -> String {
    joined_captions(recordings.iter().filter_map(|one| {
        let scope = one.scope.as_ref()?;
        Some((one.label.as_str(), scope.caption()))
    }))
}

/// Formats a position in a recording as minutes and seconds: "1:35.0".
pub fn format_position(at: Nanos) -> String {
    let tenths = at.get().max(0) / 100_000_000;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// Returns the rows of a recording to keep, with these frame times and the times of the whole recording.
fn part_of(recording: &Recording, times: &Column, keep: &[bool], is_whole: bool) -> Recording {
    let rows = recording.times().zip(keep);
    let logged_at: Column = rows.filter_map(|(at, is_kept)| is_kept.then_some(at.get())).collect();
    let ends = logged_at.values().next().zip(logged_at.values().last());
    let is_in = |at: i64| ends.is_some_and(|(first, last)| (first..=last).contains(&at));
    let series = recording.series.iter().map(|series| {
        if series.at.is_empty() {
            return CaptureSeries { values: kept(&series.values, keep), ..series.clone() };
        }
        let points = || series.at.values().zip(series.values.values()).filter(|(at, _)| is_in(*at));
        CaptureSeries {
            at: points().map(|(at, _)| at).collect(),
            values: points().map(|(_, value)| value).collect(),
            ..series.clone()
        }
    });
    let per_frame = recording.per_frame.iter().map(|column| FrameColumn {
        quantity: column.quantity,
        values: kept(&column.values, keep),
    });
    Recording {
        label: recording.label.clone(),
        elapsed: recording.elapsed.filter(|_| is_whole),
        frame_times: kept(times, keep),
        logged_at,
        series: series.collect(),
        per_frame: per_frame.collect(),
    }
}

fn kept(values: &Column, keep: &[bool]) -> Column {
    let rows = values.values().zip(keep);
    rows.filter_map(|(value, is_kept)| is_kept.then_some(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn scope(times: &[i64], view: CaptureView) -> Scope {
        let recording =
            Recording { frame_times: times.iter().copied().collect(), ..Recording::default() };
        Scope::of(&recording, &Arc::new(view))
    }

    fn millis(scope: &Scope) -> Vec<i64> {
        scope.recording.present().map(|nanos| nanos / MS).collect()
    }

    #[test]
    fn a_range_has_the_frames_that_end_in_it_at_their_own_times() {
        let times = [10 * MS; 10];
        let view = CaptureView {
            from: Some(Nanos::from_millis(20)),
            to: Some(Nanos::from_millis(50)),
            skip_first: 1,
            ..CaptureView::default()
        };
        let part = scope(&times, view);
        assert_eq!(millis(&part), [10, 10]);
        let at: Vec<i64> = part.recording.times().map(Nanos::get).collect();
        assert_eq!(at, [40 * MS, 50 * MS]);
        assert_eq!(part.caption(), "0:00.0 to 0:00.0, first 1 omitted");
    }

    #[test]
    fn pauses_are_counted_and_omitted_only_if_asked() {
        let times = [16 * MS, 5_000 * MS, 17 * MS];
        let with = scope(&times, CaptureView::default());
        assert_eq!((millis(&with).len(), with.pauses.count), (3, 1));
        assert_eq!(with.caption(), "with 1 pause, 5 s");
        let without = scope(&times, CaptureView { omits_pauses: true, ..CaptureView::default() });
        assert_eq!(millis(&without), [16, 17]);
        assert_eq!(without.caption(), "without 1 pause, 5 s");
    }

    #[test]
    fn displayed_frames_are_those_with_a_time_on_the_display() {
        let displayed = [MISSING, 8 * MS, 9 * MS].into_iter().collect();
        let recording = Recording {
            frame_times: [10 * MS, 10 * MS, MISSING].into_iter().collect(),
            per_frame: vec![FrameColumn {
                quantity: FrameQuantity::DisplayedTime,
                values: displayed,
            }],
            ..Recording::default()
        };
        let view = CaptureView { frames: FrameKind::Displayed, ..CaptureView::default() };
        let shown = Scope::of(&recording, &Arc::new(view));
        assert_eq!(millis(&shown), [8, 9]);
        assert_eq!(shown.caption(), "displayed frames");
        let presented = Scope::of(&recording, &Arc::default());
        assert_eq!(
            (millis(&presented), presented.caption().as_str()),
            (vec![10, 10], "presented frames")
        );
        let only =
            scope(&[MS], CaptureView { frames: FrameKind::Displayed, ..CaptureView::default() });
        assert_eq!((only.frames, only.caption().as_str()), (FrameKind::Presented, ""));
    }
}
