//! How late the canaries woke over time.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::report::model::chart::{Axis, Chart, Limit, Marks, Series};
use crate::report::model::table::Quantity;
use crate::run::recording::Recording;
use crate::units::format_long_time;

/// Number of columns that a chart shows at most: those of a wide window.
const COLUMNS: i64 = 1_600;
/// Length of the interval that a recording has values of.
const INTERVAL: Nanos = Nanos::from_secs(1);

/// Returns the chart of a recording that its frames do not have: the lateness of the canaries.
pub(in crate::report) fn charts(recording: &Recording) -> Vec<Chart> {
    let length = recording.length.get() / INTERVAL.get();
    let seconds = (length / COLUMNS + 1).saturating_mul(INTERVAL.get());
    let mut columns: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for canary in &recording.canaries {
        let values = canary.p50.values().zip(canary.max.values());
        for (at, (p50, max)) in canary.at.values().zip(values) {
            let (highest_p50, highest) = columns.entry(at / seconds).or_default();
            *highest_p50 = p50.max(*highest_p50);
            *highest = max.max(*highest);
        }
    }
    if columns.len() < 2 {
        return Vec::new();
    }
    let float = |nanos: i64| Nanos::new(nanos).as_f64();
    let points = |value: &dyn Fn(&(i64, i64)) -> i64| -> Vec<(f64, f64)> {
        let points = columns.iter();
        points
            .map(|(at, values)| (float(at.saturating_mul(seconds)), float(value(values))))
            .collect()
    };
    let most = columns.values().map(|(_, highest)| float(*highest)).fold(0.0, f64::max);
    let limit = recording.limits.stall.as_f64();
    let x = Axis::linear("Time", Quantity::Time, 0.0, recording.length.as_f64());
    let y = Axis::linear("Lateness", Quantity::Time, 0.0, most.max(limit) * 1.05);
    let series = vec![
        Series::new("Longest", points(&|(_, highest)| *highest)),
        Series::new("Highest p50", points(&|(p50, _)| *p50)),
    ];
    vec![Chart {
        note: format!(
            "how late the threads of the recorder woke, in each {}",
            format_long_time(Nanos::new(seconds))
        ),
        limits: vec![Limit::horizontal(limit, "stall")],
        ..Chart::new(("canaries", "Lateness of this PC"), (x, y), Marks::Lines(series))
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::recording::Canary;
    use crate::sample::Column;

    fn canary(seconds: i64, late: i64) -> Canary {
        let column = |value: i64| (0..seconds).map(|_| value).collect::<Column>();
        Canary {
            at: (0..seconds).map(|second| second * INTERVAL.get()).collect(),
            p50: column(late / 2),
            max: column(late),
            ..Canary::default()
        }
    }

    #[test]
    fn the_worst_canary_of_each_column_is_shown() {
        let recording = |seconds| Recording {
            length: Nanos::from_secs(seconds),
            canaries: vec![canary(seconds, 100_000), canary(seconds, 60_000)],
            ..Recording::default()
        };
        assert_eq!(charts(&recording(1)), []);
        let [chart] = charts(&recording(30)).try_into().unwrap();
        let Marks::Lines(series) = &chart.marks else { panic!("{:?}", chart.marks) };
        assert_eq!(series[0].points.len(), 30);
        assert!(series[0].points.iter().all(|point| (point.1 - 1e5).abs() < 1.0));
        assert!(series[1].points.iter().all(|point| (point.1 - 5e4).abs() < 1.0));
        let days = 3 * 86_400;
        let [chart] = charts(&recording(days)).try_into().unwrap();
        let Marks::Lines(series) = &chart.marks else { panic!("{:?}", chart.marks) };
        assert!((800..=1_600).contains(&series[0].points.len()), "{}", series[0].points.len());
    }
}
