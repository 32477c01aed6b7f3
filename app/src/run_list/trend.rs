//! The trend of the key figure over runs with the same settings on one machine, and the choice of
//! their baseline.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Headline;
use jitterscope_engine::report::comparison::noise_of;
use jitterscope_engine::run::Ending;

use super::{LibraryItem, RunListEntry};
use crate::text;

/// The tag of the baseline: the run with which other runs of the same settings and machine are
/// compared.
pub const BASELINE: &str = "baseline";
/// Maximum number of runs in a trend.
pub const MAX_RUNS: usize = 12;
/// Minimum number of runs for which a trend is shown.
pub const MIN_RUNS: usize = 3;

/// The number whose trend is followed for a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyFigure {
    /// The name of the figure, in lower case.
    pub name: &'static str,
    /// The value in nanoseconds; lower is better.
    pub nanos: f64,
}

impl KeyFigure {
    /// Returns the key figure of a run; `None` if the run has neither a longest gap nor a p99
    /// lateness.
    pub fn of(headline: &Headline) -> Option<Self> {
        let of = |name, nanos: Nanos| Self { name, nanos: nanos.as_f64() };
        let gap = headline.longest_gap.map(|gap| of("longest gap", gap));
        gap.or_else(|| headline.best_p99.map(|p99| of("p99 lateness", p99)))
    }
}

/// One run of a trend.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendPoint {
    /// The ID of the run.
    pub id: String,
    /// When the run began.
    pub at: jiff::Timestamp,
    /// The key figure in nanoseconds.
    pub nanos: f64,
    /// Whether this run is tagged as a baseline.
    pub is_baseline: bool,
    /// Whether the trend was requested for this run.
    pub is_this: bool,
}

/// The latest runs with the same settings on one machine, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// The name of the key figure.
    pub name: &'static str,
    /// The runs.
    pub points: Vec<TrendPoint>,
    /// The key figure of the baseline in nanoseconds; `None` without a baseline.
    pub baseline: Option<f64>,
    /// The noise floor in nanoseconds: how much two runs with the baseline's settings differ by
    /// chance; `None` if unknown.
    pub band: Option<f64>,
}

/// The change of a run compared with its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// The difference is within the run-to-run variation.
    NoClearDifference,
    /// Better by this share of the baseline's value.
    Better(f64),
    /// Worse by this share of the baseline's value.
    Worse(f64),
}

impl Trend {
    /// Returns the trend of runs with the settings and machine of `of`; `None` if `of` did not
    /// finish or has no key figure.
    pub fn of(items: &[LibraryItem], of: &RunListEntry) -> Option<Self> {
        let figure = figure_of(of)?;
        let mut points: Vec<TrendPoint> = items
            .iter()
            .filter_map(|item| item.run.as_ref().ok())
            .filter(|run| is_alike(run, of))
            .filter_map(|run| {
                Some(TrendPoint {
                    id: run.id.clone(),
                    at: run.started_at,
                    nanos: figure_of(run)?.nanos,
                    is_baseline: is_baseline(run),
                    is_this: run.id == of.id,
                })
            })
            .collect();
        points.sort_by_key(|point| point.at);
        let baseline = points.iter().rfind(|point| point.is_baseline);
        let band = baseline.and_then(|baseline| noise_floor(items, &baseline.id));
        let baseline = baseline.map(|point| point.nanos);
        // Cut the list so that it includes the run for which it was requested, even if newer runs
        // follow.
        let end = points
            .iter()
            .position(|point| point.is_this)
            .map_or(points.len(), |at| points.len().min((at + 1).max(MAX_RUNS)));
        points.truncate(end);
        points.drain(..points.len().saturating_sub(MAX_RUNS));
        Some(Self { name: figure.name, points, baseline, band })
    }

    /// Returns how the run for which the trend was requested differs from the baseline; `None` if
    /// the run is a baseline itself, or if the baseline or the noise floor is unknown.
    pub fn change(&self) -> Option<Change> {
        let this = self.points.iter().find(|point| point.is_this && !point.is_baseline)?.nanos;
        let (baseline, band) = (self.baseline?, self.band?);
        let share = (this - baseline) / baseline.max(1.0);
        Some(if (this - baseline).abs() <= band {
            Change::NoClearDifference
        } else if this < baseline {
            Change::Better(-share)
        } else {
            Change::Worse(share)
        })
    }
}

impl Change {
    /// Describes the change in one line; `band` is the noise floor in nanoseconds.
    pub fn words(self, band: f64) -> String {
        match self {
            Self::NoClearDifference => {
                let band = text::format_time(Nanos::from_nanos_f64(band));
                format!("No clear difference from the baseline (± {band})")
            }
            Self::Better(share) => {
                format!("▼ {} better than the baseline", text::format_share(share))
            }
            Self::Worse(share) => {
                format!("▲ {} worse than the baseline", text::format_share(share))
            }
        }
    }
}

/// Sets the change of each run compared with the baseline of its settings, if there is one.
pub(super) fn compare_with_baselines(items: &mut [LibraryItem]) {
    let runs = || items.iter().filter_map(|item| item.run.as_ref().ok());
    let baselines: Vec<&RunListEntry> = runs().filter(|run| is_baseline(run)).collect();
    let changes: Vec<Option<Change>> = items
        .iter()
        .map(|item| {
            let run = item.run.as_ref().ok()?;
            baselines.iter().any(|baseline| is_alike(run, baseline)).then_some(())?;
            Trend::of(items, run)?.change()
        })
        .collect();
    for (item, change) in items.iter_mut().zip(changes) {
        if let Ok(run) = &mut item.run {
            run.change = change;
        }
    }
}

/// Returns whether a run is tagged as a baseline.
pub fn is_baseline(run: &RunListEntry) -> bool {
    run.tags.iter().any(|tag| tag == BASELINE)
}

/// Returns whether two runs have the same settings and the same machine.
pub fn is_alike(run: &RunListEntry, of: &RunListEntry) -> bool {
    !of.fingerprint.is_empty()
        && run.fingerprint == of.fingerprint
        && run.test == of.test
        && run.machine == of.machine
}

fn figure_of(run: &RunListEntry) -> Option<KeyFigure> {
    KeyFigure::of(&run.headline).filter(|_| run.headline.ending == Ending::Finished)
}

/// Returns the noise floor, in nanoseconds, of the run with the ID `of`: from this run and earlier runs
/// with the same settings. `Store::noise_floor` computes the same value from the run files.
fn noise_floor(items: &[LibraryItem], of: &str) -> Option<f64> {
    let runs = || items.iter().filter_map(|item| item.run.as_ref().ok());
    let of = runs().find(|run| run.id == of)?;
    let counts = runs().filter(|run| {
        (&run.setting, &run.machine) == (&of.setting, &of.machine)
            && run.started_at <= of.started_at
    });
    noise_of(&counts.filter_map(|run| Some(figure_of(run)?.nanos)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: usize, micros: i64, tags: &[&str]) -> LibraryItem {
        LibraryItem::example(&id.to_string(), tags, |run| {
            run.fingerprint = "--fps 60".to_owned();
            run.setting = "--fps 60".to_owned();
            run.headline.best_p99 = Some(Nanos::from_micros(micros));
            run.machine = "this".to_owned();
            let minute = i64::try_from(id).unwrap() * 60;
            run.started_at = jiff::Timestamp::from_second(minute).unwrap();
        })
    }

    fn change(items: &[LibraryItem], of: usize) -> Option<Change> {
        Trend::of(items, items[of].run.as_ref().unwrap())?.change()
    }

    #[test]
    fn run_is_worse_than_the_baseline_only_beyond_the_noise_floor() {
        let mut items = vec![item(0, 104, &[]), item(1, 100, &[BASELINE]), item(2, 105, &[])];
        assert_eq!(change(&items, 2), None, "later runs show no variation of the baseline");
        items[0] = item(0, 104, &["repeat 1/3"]);
        items[1] = item(1, 96, &["repeat 2/3"]);
        items[2] = item(2, 100, &[BASELINE, "repeat 3/3"]);
        items.extend([item(3, 105, &[]), item(4, 200, &[]), item(5, 40, &[])]);
        assert_eq!(change(&items, 3), Some(Change::NoClearDifference));
        assert_eq!(change(&items, 4), Some(Change::Worse(1.0)));
        assert_eq!(change(&items, 2), None, "the baseline is not compared with itself");
        assert!(matches!(change(&items, 5), Some(Change::Better(_))));
        let trend = Trend::of(&items, items[3].run.as_ref().unwrap()).unwrap();
        assert_eq!(trend.band, noise_of(&[104_000.0, 96_000.0, 100_000.0]));
        // Another PC of the same model has its own baseline.
        items[4].run.as_mut().unwrap().machine = "h0 · this".to_owned();
        assert_eq!(change(&items, 4), None);
    }

    #[test]
    fn a_trend_holds_twelve_runs_and_the_one_that_was_asked_for() {
        let items: Vec<LibraryItem> = (0..30).map(|id| item(id, 100, &[])).collect();
        for of in [0, 15, 29] {
            let trend = Trend::of(&items, items[of].run.as_ref().unwrap()).unwrap();
            assert_eq!(trend.points.len(), MAX_RUNS);
            assert!(trend.points.iter().any(|point| point.is_this), "{of}");
        }
    }
}
