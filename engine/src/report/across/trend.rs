//! One metric over dates or builds: points, their levels, and the change to a baseline.
//!
//! Runs of one test with the same settings, in order of time, become points: a run, the runs of a day, or the runs with
//! one tag. Each PC has its own line. Points that nothing disturbed are split into levels
//! ([`change_points`](crate::stats::change_points)), and two levels differ by an effect of groups
//! ([`effect`](crate::stats::effect)), in which a point is one value. Days differ by what changes between sessions; as a
//! level consists of days, its own deviation contains that, so no variation between sessions is added.
//!
//! A line has a change only where its level changed. A single bad day is a point far from its level, and neither a change
//! nor a reason to fail a pipeline, so alarms are as rare as the method of the levels states. The interval of the
//! difference of two levels is that of two given groups: it does not know that the split was searched for.

mod line;
mod metric;

pub use line::{LevelChange, Trend, TrendLevel, TrendLine, TrendPoint, change_from_baseline};
pub use metric::{key_figure, metric_of};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::comparison::{MinEffect, ValuesByLabel};
use crate::report::model::metric::Metric;
use crate::stats::change_points;

/// The tag of the baseline: the run with which other runs of the same settings and machine are compared.
pub const BASELINE: &str = "baseline";
/// Minimum number of points in which a change can be found.
pub const MIN_POINTS: usize = change_points::MIN_VALUES;

/// A finished run, as a trend reads it.
#[derive(Clone, Copy, Debug)]
pub struct TrendRun<'a> {
    /// The ID of the run.
    pub id: &'a str,
    /// The name of the run.
    pub name: &'a str,
    /// The user's note.
    pub note: &'a str,
    /// The tags of the run.
    pub tags: &'a [String],
    /// The key of the test.
    pub test: &'a str,
    /// Identifies runs with the same settings; empty for a capture.
    pub settings: &'a str,
    /// The machine, after the name of another PC.
    pub machine: &'a str,
    /// When the run began.
    pub started_at: Timestamp,
    /// What disturbed the run, as part of a sentence; empty if nothing did.
    pub disturbed: &'a str,
    /// The key figure; `None` if the run has none.
    pub key: Option<(Metric, f64)>,
    /// The value of each metric, by the label of the configuration and the key of the metric.
    pub values: Option<&'a ValuesByLabel>,
}

/// What a point of a trend is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrendBy {
    /// A run.
    Run,
    /// The runs of one day.
    #[default]
    Date,
    /// The runs that have one tag with this beginning, such as `build:`, in the order in which the tags first occurred.
    Tag(String),
}

impl TrendBy {
    /// Returns what a point is, as the heading of a column.
    pub fn heading(&self) -> String {
        match self {
            Self::Run => "Run".to_owned(),
            Self::Date => "Date".to_owned(),
            Self::Tag(prefix) => {
                crate::units::capitalized(prefix.trim_end_matches([':', '-', '=']))
            }
        }
    }
}

/// Which trend is requested.
#[derive(Clone, Debug, Default)]
pub struct TrendQuery {
    /// The key of the metric; `None` for the key figure of the test.
    pub metric: Option<String>,
    /// The label of the configuration; `None` for the first one.
    pub label: Option<String>,
    /// What a point is.
    pub by: TrendBy,
    /// The ID of the run whose test and settings are followed; `None` for those of the newest run.
    pub like: Option<String>,
    /// The smallest change that matters, where it is set.
    pub minimum: MinEffect,
    /// The time zone in which days begin; UTC by default.
    pub zone: Option<TimeZone>,
}

/// Why there is no trend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTrend {
    /// There are no finished runs.
    #[error("no finished runs for a trend; measure or import runs, or use another filter")]
    Runs,
    /// No run has the tag.
    #[error("no run has a tag that begins with '{0}'; add one with 'runs tag', such as {0}1842")]
    Tag(String),
    /// No run has the metric.
    #[error("no run has the metric '{metric}'; these runs have {}", known.join(", "))]
    Metric {
        /// The requested metric.
        metric: String,
        /// The metrics that the runs have.
        known: Vec<String>,
    },
    /// No run has the configuration.
    #[error("no configuration '{label}' with this metric; these runs have {}", known.join(", "))]
    Configuration {
        /// The requested label.
        label: String,
        /// The labels that the runs have.
        known: Vec<String>,
    },
    /// The run whose settings are followed is not among the runs.
    #[error("run '{0}' is not among the finished runs of this filter")]
    Run(String),
}

#[cfg(test)]
mod tests;
