//! The figures of a log of the ticks of a server: how long it worked on each, and how many there were per second.

use super::view::Scope;
use crate::nanos::Nanos;
use crate::report::model::verdict::Finding;
use crate::sample::MISSING;
use crate::stats::{Sorted, Spread, float};
use crate::units::{count_text, format_count, format_decimal, format_share, format_time};

/// A tick of a server that runs 20 per second may take this long.
const LIMIT: Nanos = Nanos::from_millis(50);

/// The figures of a log of the ticks of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct TickLogFigures {
    /// Mean, percentiles, and maximum of the times of ticks. Percentiles are interpolated by R type 7.
    pub tick_time: Spread,
    /// Number of ticks / time that passed by the clock of the file; `None` without a clock, and for a part without
    /// pauses. It is not the inverse of the tick time: between two ticks, a server waits.
    pub per_second: Option<f64>,
    /// Longer ticks are counted: the limit that was requested, else 50 ms.
    pub limit: Nanos,
    /// Number of ticks above the limit.
    pub above_count: usize,
    /// Their share of all ticks, 0 to 1.
    pub above_share: f64,
    /// Duration of the log by the timestamps in the file; `None` if the file has none.
    pub elapsed: Option<Nanos>,
}

/// Returns the figures of the ticks of a scope; `None` without a tick.
pub(super) fn ticks(scope: &Scope) -> Option<TickLogFigures> {
    let recording = &scope.recording;
    let sorted = Sorted::of_values(recording.present())?;
    let limit = scope.view.above.unwrap_or(LIMIT);
    let above_count = sorted.count_above(limit.get());
    let count = float(sorted.count());
    // From the begin of the first tick to that of the last one: one tick less than there are.
    let times = || recording.logged_at.values().filter(|at| *at != MISSING);
    let between = times().next().zip(times().last()).map(|(first, last)| Nanos::new(last - first));
    let length = between.filter(|between| Nanos::ZERO < *between);
    let pairs = float(times().count().saturating_sub(1));
    Some(TickLogFigures {
        tick_time: Spread::of_sorted(&sorted),
        per_second: length.map(|length| pairs / length.as_secs()),
        limit,
        above_count,
        above_share: float(above_count) / count,
        elapsed: recording.elapsed,
    })
}

/// Returns the finding about ticks.
pub(super) fn finding(figures: &TickLogFigures) -> Finding {
    let TickLogFigures { tick_time, per_second, limit, above_count, above_share, .. } = figures;
    let rate = per_second
        .map_or_else(String::new, |rate| format!("; {} ticks per second", format_decimal(rate, 1)));
    let key = format!("p50 {} per tick", format_time(tick_time.p50));
    let limit = format_time(*limit);
    let sentence =
        format!("{key}{rate}. {} of ticks took more than {limit}.", format_share(*above_share));
    let evidence = format!(
        "{} of {} were above {limit}; the longest took {}.",
        format_count(*above_count),
        count_text(tick_time.count, "ticks"),
        format_time(tick_time.max)
    );
    Finding::new(sentence, evidence).with_key(Some(key))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::run::capture::Recording;

    #[test]
    fn ticks_per_second_are_by_the_clock_and_not_by_the_work() {
        let mut times = vec![10_000_000; 198];
        times.extend([60_000_000, 200_000_000]);
        let recording = Recording {
            frame_times: times.into_iter().collect(),
            logged_at: (0..200).map(|tick| tick * 50_000_000).collect(),
            elapsed: Some(Nanos::from_secs(10)),
            ..Recording::default()
        };
        let figures = ticks(&Scope::of(&recording, &Arc::default())).unwrap();
        assert_eq!(figures.per_second, Some(20.0));
        assert_eq!((figures.above_count, figures.above_share), (2, 0.01));
        let finding = finding(&figures);
        let expected = "p50 10.00\u{202f}ms per tick; 20.0 ticks per second. 1.0% of ticks took more than 50.00\u{202f}ms.";
        assert_eq!(finding.sentence, expected);
        assert!(!finding.sentence.contains("FPS") && !finding.evidence.contains("frame"));
    }
}
