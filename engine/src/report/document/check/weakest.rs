//! The weakest result of a quick check in words.

use crate::plan::quick::Part;
use crate::report::Standing;
use crate::report::quick::{Card, Figure, Scorecard};
use crate::stats::grade::FRAME_LATENESS;
use crate::units::{format_count, format_graded_percent, format_setting, format_time};

/// Returns the result with the worst grade in plain words, with its metric and number; empty if
/// nothing was measured.
pub(super) fn weakest(card: &Scorecard) -> String {
    let Some(weakest) = card.weakest() else { return String::new() };
    let Some(figure) = &weakest.figure else { return String::new() };
    let value = format_time(figure.value());
    match figure {
        Figure::Sleep { requested, is_loaded, .. } => format!(
            "99% of {} sleeps end at most {value} late {} (p99 overshoot).",
            format_setting(*requested),
            if *is_loaded { "under load" } else { "when idle" },
        ),
        Figure::Frame { missed_words: Some(missed), percent, .. } => {
            let when = if weakest.part == Part::FrameLoad { "under load" } else { "when idle" };
            let share = format_graded_percent(*percent, &FRAME_LATENESS.upper);
            format!("{missed} {when}; p99 lateness is {value}, {share} of a frame.")
        }
        Figure::Frame { percent, missed, slots, .. } => {
            let missed = match missed {
                0 => "none was missed".to_owned(),
                missed => format!("{} of {} missed", format_count(*missed), format_count(*slots)),
            };
            let when = if weakest.part == Part::FrameLoad { "under load" } else { "when idle" };
            format!(
                "99% of frames start at most {value} late {when} (p99 lateness, {} of a frame); {missed}.",
                format_graded_percent(*percent, &FRAME_LATENESS.upper)
            )
        }
        Figure::Gaps { label, .. } => {
            format!("A busy thread on {label} did not run for {value} (longest gap).")
        }
        Figure::Spin { requested, .. } => format!(
            "Spin waits of {} end {value} late on average (mean overshoot).",
            format_setting(*requested)
        ),
    }
}

/// Returns the metric and number of the result that makes the check inconclusive: ", longest gap 1.84 s"; empty if nothing
/// was measured.
pub(super) fn weakest_number(card: &Scorecard) -> String {
    let is_open = |one: &&Card| matches!(one.standing, Standing::Inconclusive { .. });
    let place = |one: &Card| one.scale.map_or(0.0, |scale| scale.place(scale.value));
    let open = card.cards.iter().filter(is_open).filter(|one| one.figure.is_some());
    let worst = open.max_by(|a, b| place(a).total_cmp(&place(b)));
    let Some(figure) = worst.and_then(|one| one.figure.as_ref()) else { return String::new() };
    let metric = match figure {
        Figure::Sleep { .. } => "p99 overshoot",
        Figure::Frame { .. } => "p99 lateness",
        Figure::Gaps { .. } => "longest gap",
        Figure::Spin { .. } => "mean overshoot",
    };
    format!(", {metric} {}", format_time(figure.value()))
}
