//! Texts about the 1% low, the frame rate of the slowest 1% of frames: its definitions, and its
//! comparison between runs.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Configuration;
use jitterscope_engine::report::comparison::{Delta, Figure, Item};
use jitterscope_engine::stats::{LowDefinition, Outcome, Summary};

pub use jitterscope_engine::report::comparison::words::LOW as MEANING;

/// Returns the name of a definition of the 1% low.
pub const fn name(low: LowDefinition) -> &'static str {
    match low {
        LowDefinition::MeanOfSlowest => "Mean of the slowest 1%",
        LowDefinition::CapFrameXPercentile => "1st percentile, CapFrameX",
        LowDefinition::CapFrameXAverage => "Average from p99, CapFrameX",
        LowDefinition::TimeIntegral => "Slowest 1% of the time, RTSS",
        LowDefinition::MangoHud => "1% of frames are slower, MangoHud",
        LowDefinition::PresentMon => "1st percentile, PresentMon",
        LowDefinition::InverseOfPercentile => "Rate of the p99 frame time",
    }
}

/// Returns the name of a definition of the 1% low in at most 20 letters, for the line below the value.
pub const fn short(low: LowDefinition) -> &'static str {
    match low {
        LowDefinition::MeanOfSlowest => "mean of slowest 1%",
        LowDefinition::CapFrameXPercentile => "CapFrameX, P1",
        LowDefinition::CapFrameXAverage => "CapFrameX, average",
        LowDefinition::TimeIntegral => "1% of the time, RTSS",
        LowDefinition::MangoHud => "MangoHud",
        LowDefinition::PresentMon => "PresentMon",
        LowDefinition::InverseOfPercentile => "rate of p99",
    }
}

/// Returns which definition of the 1% low is in use, for a help text.
pub fn in_use(low: LowDefinition) -> String {
    format!("Definition in use: {}. Other programs may use another one.", within(low))
}

/// Returns the name of a definition of the 1% low, for use within a sentence.
pub fn within(low: LowDefinition) -> String {
    let mut letters = name(low).chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// Returns the 1% low of a configuration by the definition `low`, in frames per second; `None` if
/// there are too few frames or a frame has a duration of 0.
pub fn of(row: &Configuration, low: LowDefinition) -> Option<f64> {
    Some(row.summary.as_ref()?.lows?.by(low))
}

/// Returns why a 1% low cannot be computed, as the end of a sentence: what it needs.
pub fn what_it_needs(summary: Option<&Summary>) -> &'static str {
    match summary.and_then(|summary| summary.frame_time.as_ref()) {
        Some(times) if times.min <= Nanos::ZERO => "needs at least 100 frames, each longer than 0",
        _ => "needs at least 100 frames",
    }
}

/// Returns the comparison of a 1% or 0.1% low by another definition than the evaluated one: values
/// and changes, not evaluated as better or worse.
pub fn compared(
    evaluated: &Figure,
    items: &[Item<'_>],
    baseline: usize,
    low: LowDefinition,
) -> Figure {
    let values: Vec<Option<f64>> = evaluated
        .values
        .iter()
        .zip(items)
        .map(|(value, item)| value.and_then(|_| item.low(evaluated.metric.statistic, low)))
        .collect();
    let before = values.get(baseline).copied().flatten();
    let delta = |(run, value): (usize, &Option<f64>)| {
        let (before, value) = (before?, (*value).filter(|_| run != baseline)?);
        let result = Outcome::NotEvaluated;
        Some(Delta::without_interval(before, value - before, 0.0, result, None))
    };
    let deltas = values.iter().enumerate().map(delta).collect();
    Figure { metric: evaluated.metric, values, noise: None, deltas }
}

/// Returns why a 1% low by another definition than the default is not evaluated; `result` is the
/// result by the default definition.
pub fn why_not_evaluated(result: &str) -> String {
    format!("The result is for the {}: {result}.", within(LowDefinition::default()))
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::sample::{Sample, Samples};

    use super::*;

    #[test]
    fn why_there_is_none_is_reported() {
        let needs = |wakes: &[i64]| {
            let sample = |&millis: &i64| Sample {
                began: Nanos::ZERO,
                due: Nanos::ZERO,
                slept: None,
                woke: Nanos::from_millis(millis),
                done: Nanos::from_millis(millis),
                spins: 0,
                cpu: None,
            };
            let samples: Samples = wakes.iter().map(sample).collect();
            let (period, limit) = (Nanos::from_millis(1), Nanos::from_millis(1));
            what_it_needs(Summary::of(&samples, period, limit, None).as_ref())
        };
        assert_eq!(needs(&[]), "needs at least 100 frames");
        assert_eq!(needs(&[1, 2, 3]), "needs at least 100 frames");
        assert!(needs(&[1, 2, 2, 3]).ends_with("each longer than 0"));
    }

    #[test]
    fn every_definition_has_a_name_of_its_own_and_is_named_in_help() {
        for (at, low) in LowDefinition::ALL.into_iter().enumerate() {
            for other in LowDefinition::ALL.into_iter().skip(at + 1) {
                assert_ne!(name(low), name(other));
                assert_ne!(short(low), short(other));
            }
            assert!(short(low).len() <= 20, "{}", short(low));
        }
        assert_eq!(
            in_use(LowDefinition::default()),
            "Definition in use: mean of the slowest 1%. Other programs may use another one."
        );
        assert!(in_use(LowDefinition::PresentMon).contains("1st percentile, PresentMon."));
        assert_eq!(
            why_not_evaluated("Better"),
            "The result is for the mean of the slowest 1%: Better."
        );
    }
}
