//! Every figure of a report with its definition: one list for all that write numbers.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::nanos::Nanos;
use crate::report::Row;
use crate::stats::{Spread, Summary};

/// A number of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count, or whole nanoseconds.
    Whole(i64),
    /// A number with a fraction.
    Fraction(f64),
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(value) => serializer.serialize_i64(*value),
            Self::Fraction(value) => serializer.serialize_f64(*value),
        }
    }
}

/// A number, what it is called and how it is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Its name in files; ends in its unit.
    pub key: &'static str,
    /// How it is computed.
    pub definition: &'static str,
    /// The number; absent where there are too few samples or nothing to compute it from.
    pub value: Option<Number>,
}

/// The figures of a row, in the order of the summary's columns.
pub fn figures(row: &Row) -> Vec<Figure> {
    let summary = row.summary.as_ref();
    let late = summary.map(|summary| &summary.lateness);
    let frame_time = summary.and_then(|summary| summary.frame_time.as_ref());
    let wake_up = summary.and_then(|summary| summary.os_wake_up.as_ref());
    let work = summary.map(|summary| &summary.work);
    let mut figures = Vec::new();
    let mut add = |key, definition, value| figures.push(Figure { key, definition, value });
    let nanos = |value: Option<Nanos>| value.map(|value| Number::Whole(value.get()));
    let count = |value: Option<usize>| {
        value.map(|value| Number::Whole(i64::try_from(value).unwrap_or(i64::MAX)))
    };
    let of = |get: fn(&Spread) -> Option<Nanos>| nanos(late.and_then(get));
    let fraction =
        |value: Option<f64>| value.filter(|value| value.is_finite()).map(Number::Fraction);
    add("count", "samples", count(late.map(|late| late.count)));
    add("min_nanos", "least value; what a value is stands in `value`", of(|late| Some(late.min)));
    add(
        "p50_nanos",
        "50th percentile of the values, R-7, h = (N − 1) p",
        of(|late| Some(late.p50)),
    );
    add("p95_nanos", "95th percentile of the values, R-7; needs 20 samples", of(|late| late.p95));
    add("p99_nanos", "99th percentile of the values, R-7; needs 100 samples", of(|late| late.p99));
    add(
        "p99_9_nanos",
        "99.9th percentile of the values, R-7; needs 1 000 samples",
        of(|late| late.p99_9),
    );
    add("max_nanos", "greatest of as many values as `count` says", of(|late| Some(late.max)));
    add("mean_nanos", "mean of the values", fraction(late.map(|late| late.mean_nanos)));
    add(
        "std_dev_nanos",
        "standard deviation of the values, n − 1",
        fraction(late.and_then(|late| late.std_dev_nanos)),
    );
    add(
        "missed",
        "frames not done when the next was due, done > due + period, and slots that passed empty",
        count(summary.map(Summary::missed_count)),
    );
    add("slots", "slots of the schedule", count(summary.map(|summary| summary.slot_count)));
    add("late", "values above late_limit_nanos", count(summary.map(|summary| summary.late_count)));
    add(
        "late_limit_nanos",
        "the greatest value that still counts as in time",
        nanos(Some(row.late_limit)),
    );
    add("period_nanos", "length of a slot", nanos(Some(row.period)));
    add(
        "frame_time_mean_nanos",
        "mean of woke(k) − woke(k − 1)",
        fraction(frame_time.map(|time| time.mean_nanos)),
    );
    add(
        "frame_time_std_dev_nanos",
        "standard deviation of woke(k) − woke(k − 1), n − 1",
        fraction(frame_time.and_then(|time| time.std_dev_nanos)),
    );
    add(
        "frame_time_p99_nanos",
        "99th percentile of woke(k) − woke(k − 1), R-7; needs 100 samples",
        nanos(frame_time.and_then(|time| time.p99)),
    );
    add(
        "work_p99_nanos",
        "99th percentile of done − woke, R-7; needs 100 samples",
        nanos(work.and_then(|work| work.p99)),
    );
    add(
        "os_wake_up_p50_nanos",
        "median of slept − (due − tail)",
        nanos(wake_up.map(|wake_up| wake_up.p50)),
    );
    add(
        "os_wake_up_p99_nanos",
        "99th percentile of slept − (due − tail), R-7; needs 100 samples",
        nanos(wake_up.and_then(|wake_up| wake_up.p99)),
    );
    add(
        "one_percent_low_fps",
        "1000 / mean of the ⌈N / 100⌉ slowest frame times in ms; needs 100 frames",
        fraction(summary.and_then(|summary| summary.one_percent_low_fps)),
    );
    add(
        "average_fps",
        "frames over the sum of their times",
        fraction(summary.and_then(|summary| summary.average_fps)),
    );
    add(
        "drift_nanos",
        "(woke(n) − woke(0)) − n × period",
        nanos(summary.map(|summary| summary.drift)),
    );
    add(
        "foreign_cpu_share",
        "CPU time of other programs as a share of one core",
        fraction(row.foreign_share),
    );
    figures
}

/// Figures as an object: a member for each, its value beside its definition.
pub(super) struct Figures(pub(super) Vec<Figure>);

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Out {
            value: Option<Number>,
            definition: &'static str,
        }
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for Figure { key, definition, value } in &self.0 {
            map.serialize_entry(key, &Out { value: *value, definition })?;
        }
        map.end()
    }
}
