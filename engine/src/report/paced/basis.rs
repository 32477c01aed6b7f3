//! What the grade of a frame loop rests on, in words: p99 lateness, the largest lateness, or missed frames.

use super::super::model::configuration::Configuration;
use super::figures::{by_lateness, is_graded_by_missed, missed_rate};
use crate::nanos::Nanos;
use crate::stats::{Grade, grade};
use crate::units::{
    count_text, format_count, format_graded, format_graded_percent, format_setting, format_time,
};

/// A run shows events that it contains this many times on average, and misses rarer ones by chance too often.
const EVENTS_SEEN: i64 = 7;
/// Late frames that are rarer than this are too rare to mention in every result.
const RARE: Nanos = Nanos::from_secs(60);

/// Returns what a grade rests on: the graded value, and the limits of the grades.
pub(in crate::report) fn basis(row: &Configuration) -> String {
    if is_graded_by_missed(row) {
        let (excellent, fair) = (grade::FRAME_MISSED.upper[0], grade::FRAME_MISSED.upper[2]);
        let unit = grade::FRAME_MISSED.unit;
        return format!(
            "{}. Good or better up to {excellent} {unit}, Fair up to {fair} {unit}.",
            missed_words(row)
        );
    }
    let p99 = format_time(row.p99().unwrap_or_default());
    let percent = row.p99_percent_of_frame().unwrap_or_default();
    let share = format_graded_percent(percent, &grade::FRAME_LATENESS.upper);
    let limits = grade::FRAME_LATENESS.sentence();
    format!("p99 lateness is {p99}, {share} of a frame. {limits}.{}", by_largest(row))
}

/// Returns the missed frames, and from where their rate is with 95% confidence: "12 of 1 800 frames were missed (95% CI
/// from 3.4 of 1 000)".
pub(in crate::report) fn missed_words(row: &Configuration) -> String {
    let summary = row.summary.as_ref();
    let (missed, slots) =
        summary.map_or((0, 0), |summary| (summary.missed_count(), summary.slot_count));
    let were = if missed == 1 { "was" } else { "were" };
    format!(
        "{} of {} {were} missed (95% CI from {})",
        format_count(missed),
        count_text(slots, "frames"),
        rate_words(row)
    )
}

/// Returns the lower end of the 95% interval of the rate of missed frames: "3.4 of 1 000".
pub(super) fn rate_words(row: &Configuration) -> String {
    let limits = grade::FRAME_MISSED;
    format!("{} {}", format_graded(missed_rate(row) * 1_000.0, &limits.upper, 1), limits.unit)
}

/// Returns the sentence on the largest lateness if the grade rests on it, because p99 has no complete interval: " 0 of 600
/// frames were more than 833 µs late."; else an empty text.
fn by_largest(row: &Configuration) -> String {
    let has_interval = row.p99_interval().is_some() || row.grading.is_none();
    let worst = by_lateness(row).filter(|_| !has_interval).map(|grading| grading.worst);
    let Some(limit) = worst.and_then(|worst: Grade| grade::FRAME_LATENESS.limit(worst)) else {
        return String::new();
    };
    let count = row.lateness().map_or(0, |late| late.count);
    let limit = format_time(Nanos::from_nanos_f64(limit / 100.0 * row.period.as_f64()));
    format!(" 0 of {} were more than {limit} late.", count_text(count, "frames"))
}

/// Returns the interval between late frames above which a run of this length cannot show them.
pub(in crate::report) fn rare_interval(row: &Configuration) -> Nanos {
    let slots = row.summary.as_ref().map_or(0, |summary| summary.slot_count);
    let length = row.period * i64::try_from(slots).unwrap_or(i64::MAX);
    rare_interval_of(length)
}

/// Returns the interval between events above which a measurement of this length cannot show them.
pub(in crate::report) const fn rare_interval_of(length: Nanos) -> Nanos {
    Nanos::new(length.get() / EVENTS_SEEN)
}

/// Returns the sentence on late frames that are too rare for the run; `None` after a long one.
pub(in crate::report) fn rare_sentence(row: &Configuration) -> Option<String> {
    let interval = Some(rare_interval(row)).filter(|&interval| interval < RARE)?;
    Some(rare_words("frames", interval))
}

/// Returns the sentence on samples that are late more rarely than a run can show.
pub fn rare_words(samples: &str, interval: Nanos) -> String {
    let every = match interval.as_secs() {
        secs if secs < 0.1 => format_setting(interval),
        secs if secs < 10.0 => format!("{secs:.1} s"),
        secs => format!("{secs:.0} s"),
    };
    format!("If late {samples} come more rarely than every {every}, this run cannot show them.")
}
