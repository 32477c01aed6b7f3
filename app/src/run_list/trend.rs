//! How the key figure of runs with the same settings moves over time on one machine, and which run is their
//! baseline.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Headline;
use jitterscope_engine::report::comparison::noise_of;
use jitterscope_engine::run::Ending;
use jitterscope_engine::store::repeats::series;

use super::{LibraryItem, RunListEntry};
use crate::text;

/// The tag of the run that later ones with its settings are compared with.
pub const BASELINE: &str = "baseline";
/// The most runs of a trend.
pub const MAX_RUNS: usize = 12;
/// The fewest runs of a trend.
pub const MIN_RUNS: usize = 3;

/// The number that a run of a test is followed by, and what it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyFigure {
    /// What it is, in lower case.
    pub name: &'static str,
    /// In nanoseconds; less is better.
    pub nanos: f64,
}

impl KeyFigure {
    /// The figure of a run; `None` where it has no time that less of is better.
    pub fn of(headline: &Headline) -> Option<Self> {
        let of = |name, nanos: Nanos| Self { name, nanos: nanos.as_f64() };
        let gap = headline.longest_gap.map(|gap| of("longest gap", gap));
        gap.or_else(|| headline.best_p99.map(|p99| of("p99 lateness", p99)))
    }
}

/// One run of a trend.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendPoint {
    /// Names the run.
    pub id: String,
    /// When it began.
    pub at: jiff::Timestamp,
    /// Its figure in nanoseconds.
    pub nanos: f64,
    /// Whether it is the baseline.
    pub is_baseline: bool,
    /// Whether it is the run that the trend was requested for.
    pub is_this: bool,
}

/// The last runs with the same settings on one machine, the oldest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Trend {
    /// What is followed.
    pub name: &'static str,
    /// The runs.
    pub points: Vec<TrendPoint>,
    /// The figure of the baseline.
    pub baseline: Option<f64>,
    /// By how much two runs with the baseline's settings differ by chance; `None` where that is unknown.
    pub band: Option<f64>,
}

/// What a run is against its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Within the run-to-run variation.
    NoClearDifference,
    /// Better by this share.
    Better(f64),
    /// Worse by this share.
    Worse(f64),
}

impl Trend {
    /// The trend of a run among others; `None` where the run has no figure.
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
        // The run itself stays in sight, whatever came after it.
        let end = points
            .iter()
            .position(|point| point.is_this)
            .map_or(points.len(), |at| points.len().min((at + 1).max(MAX_RUNS)));
        points.truncate(end);
        points.drain(..points.len().saturating_sub(MAX_RUNS));
        Some(Self { name: figure.name, points, baseline, band })
    }

    /// What the run is against the baseline; `None` where one of the two is missing, or the variation.
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
    /// In a line, with the variation in nanoseconds.
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

/// Notes of each run what it is against the baseline with its settings, where there is one.
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

/// Whether a run is a baseline.
pub fn is_baseline(run: &RunListEntry) -> bool {
    run.tags.iter().any(|tag| tag == BASELINE)
}

/// Whether two runs have the same settings on the same machine.
pub fn is_alike(run: &RunListEntry, of: &RunListEntry) -> bool {
    !of.fingerprint.is_empty()
        && run.fingerprint == of.fingerprint
        && run.test == of.test
        && run.machine == of.machine
}

fn figure_of(run: &RunListEntry) -> Option<KeyFigure> {
    KeyFigure::of(&run.headline).filter(|_| run.headline.ending == Ending::Finished)
}

/// The noise floor of a run's settings, from the series of repeats it belongs to and the runs up to it, as the store
/// computes it from the files.
fn noise_floor(items: &[LibraryItem], of: &str) -> Option<f64> {
    let runs = || items.iter().filter_map(|item| item.run.as_ref().ok());
    let of = runs().find(|run| run.id == of)?;
    let mut alike: Vec<&RunListEntry> = runs()
        .filter(|run| run.setting == of.setting && run.headline.ending == Ending::Finished)
        .collect();
    alike.sort_by_key(|run| run.started_at);
    let tags: Vec<&[String]> = alike.iter().map(|run| run.tags.as_slice()).collect();
    let members = series(&tags, alike.iter().position(|run| run.id == of.id)?);
    let counts = alike
        .iter()
        .zip(0..)
        .filter(|(run, at)| members.contains(at) || run.started_at <= of.started_at);
    noise_of(&counts.filter_map(|(run, _)| Some(figure_of(run)?.nanos)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::Standing;

    use super::*;

    fn item(id: usize, micros: i64, tags: &[&str]) -> LibraryItem {
        let headline = Headline {
            standing: Standing::Clear,
            grade: None,
            word: String::new(),
            number: String::new(),
            best_p99: Some(Nanos::from_micros(micros)),
            longest_gap: None,
            rows: 1,
            refused: 0,
            ending: Ending::Finished,
        };
        let minute = i64::try_from(id).unwrap() * 60;
        let run = RunListEntry {
            id: id.to_string(),
            name: String::new(),
            given_name: String::new(),
            note: String::new(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            test: "frame-loop",
            test_name: "Frame loop",
            fingerprint: "--fps 60".to_owned(),
            setting: "--fps 60".to_owned(),
            headline,
            change: None,
            verdict: String::new(),
            key_result: String::new(),
            machine: "this".to_owned(),
            started_at: jiff::Timestamp::from_second(minute).unwrap(),
            measured: Nanos::from_secs(30),
        };
        let path: std::path::PathBuf = id.to_string().into();
        LibraryItem { files: vec![path.clone()], path, bytes: 1, run: Ok(run), parts: Vec::new() }
    }

    fn change(items: &[LibraryItem], of: usize) -> Option<Change> {
        Trend::of(items, items[of].run.as_ref().unwrap())?.change()
    }

    #[test]
    fn run_is_worse_than_the_baseline_only_beyond_the_noise_floor() {
        let mut items = vec![item(0, 104, &[]), item(1, 100, &[BASELINE]), item(2, 105, &[])];
        assert_eq!(change(&items, 2), None, "later runs show no variation of the baseline");
        items[0] = item(0, 104, &["repeat 1/3"]);
        items[1] = item(1, 100, &[BASELINE, "repeat 2/3"]);
        items[2] = item(2, 96, &["repeat 3/3"]);
        items.extend([item(3, 105, &[]), item(4, 200, &[]), item(5, 40, &[])]);
        assert_eq!(change(&items, 3), Some(Change::NoClearDifference));
        assert_eq!(change(&items, 4), Some(Change::Worse(1.0)));
        assert_eq!(change(&items, 1), None, "the baseline is not compared with itself");
        assert!(matches!(change(&items, 5), Some(Change::Better(_))));
        let trend = Trend::of(&items, items[3].run.as_ref().unwrap()).unwrap();
        assert_eq!(trend.band, noise_of(&[104_000.0, 100_000.0, 96_000.0]));
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
