//! Runs compared: which, how far the loading is, and the outcome.

mod checks;

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::BoxMark;
use jitterscope_engine::report::comparison::{ComparedRow, Item, MAX_RUNS, Outcome};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::{LogHistogram, Pyramid, Sorted, tail_points};
use jitterscope_engine::store::{Store, repeats};

use super::part::{Context, Outbox, Part};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
pub use checks::CheckComparison;

/// Where the bins of histograms begin: 0.1 µs.
pub(super) const FIRST_BIN: Nanos = Nanos::new(100);
/// Bins in each decade.
pub(super) const BINS_A_DECADE: u32 = 8;
/// Points of a tail curve.
const TAIL_POINTS: usize = 200;

/// Runs with what they mean, what they say of each other, and the curves of each configuration.
#[derive(Debug)]
pub struct ComparisonView {
    /// The runs; the first is the baseline.
    pub runs: Vec<Arc<LoadedRun>>,
    /// What they say of each other.
    pub comparison: Comparison,
    /// The curves of each row of the comparison.
    pub curves: Vec<Curves>,
    /// With three and four runs: what the second of two is against the first, for every pair.
    pub pairs: Vec<(usize, usize, Outcome)>,
}

impl ComparisonView {
    /// Short labels that tell the runs apart.
    pub fn labels(&self) -> Vec<String> {
        let runs: Vec<&Run> = self.runs.iter().map(|shown| shown.run.as_ref()).collect();
        crate::text::compare::short_labels(&runs, &self.comparison)
    }

    /// What a row of the comparison is in each run.
    pub fn items(&self, row: &ComparedRow) -> Vec<Item<'_>> {
        let evaluated: Vec<(&Run, &Report)> =
            self.runs.iter().map(|shown| (shown.run.as_ref(), &shown.report)).collect();
        row.items(&evaluated)
    }
}

/// The curves of one configuration, each a list by run.
#[derive(Debug)]
pub struct Curves {
    /// How often each value was seen.
    pub histograms: Vec<LogHistogram>,
    /// What share of values is above each.
    pub tails: Vec<Vec<(f64, f64)>>,
    /// Where the values lie.
    pub boxes: Vec<Option<BoxMark>>,
    /// Value over time, of the first round.
    pub timelines: Vec<Pyramid>,
}

/// How far a comparison is.
#[derive(Debug, Default)]
pub enum Progress {
    /// No runs were selected.
    #[default]
    Nothing,
    /// They are being opened and judged.
    Loading,
    /// They are compared.
    Done(Arc<ComparisonView>),
    /// Quick checks are compared, part by part.
    Checks(Arc<CheckComparison>),
    /// They cannot be; why, in a sentence.
    Failed(String),
}

/// Which runs were opened and compared, and the outcome.
type Message = (Vec<PathBuf>, Result<Progress, String>);

/// The runs that are compared.
#[derive(Debug)]
pub struct Comparing {
    tasks: Tasks<Message>,
    paths: Vec<PathBuf>,
    progress: Progress,
}

impl Part for Comparing {
    const NAME: &'static str = "the comparison";

    fn restart(&mut self, _: &mut Outbox) {
        *self = Self::new(self.tasks.host());
    }
}

impl Comparing {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self { tasks: Tasks::new(host), paths: Vec::new(), progress: Progress::Nothing }
    }

    /// Their files; the first is the baseline.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The runs and what they say of each other, once they are compared.
    pub(super) fn compared(&self) -> Option<&Arc<ComparisonView>> {
        match &self.progress {
            Progress::Done(compared) => Some(compared),
            _ => None,
        }
    }

    /// Takes in the comparisons that ended since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for (paths, result) in self.tasks.messages() {
            self.end(&paths, result);
            self.count_late(context);
        }
    }

    /// Begins to open and compare other runs, at most four.
    pub(super) fn compare(&mut self, paths: Vec<PathBuf>, context: &Context) {
        let loaded = self.compared().map_or_else(Vec::new, |compared| compared.runs.clone());
        if !self.begin(paths) {
            return;
        }
        let (store, late_percent) = (context.store.clone(), context.late_percent);
        let (paths, compared) = (self.paths.clone(), self.paths.clone());
        self.tasks.spawn(
            "compare",
            move || {
                let view = compare(store.as_ref(), &paths, &loaded, late_percent)?;
                Ok(Progress::Done(Arc::new(view)))
            },
            move |result| (compared, result),
        );
    }

    /// Begins to open and compare quick checks, at most four: the path of each entry with its files.
    pub(super) fn compare_checks(
        &mut self,
        checks: Vec<(PathBuf, Vec<PathBuf>)>,
        context: &Context,
    ) {
        if !self.begin(checks.iter().map(|(path, _)| path.clone()).collect()) {
            return;
        }
        let (store, compared) = (context.store.clone(), self.paths.clone());
        let compare = move || {
            let view = CheckComparison::of(&checks, store.as_ref())?;
            Ok(Progress::Checks(Arc::new(view)))
        };
        self.tasks.spawn("compare", compare, move |result| (compared, result));
    }

    /// Takes other runs, at most four; `true` where they have to be loaded.
    fn begin(&mut self, mut paths: Vec<PathBuf>) -> bool {
        let mut seen: Vec<PathBuf> = Vec::new();
        paths.retain(|path| {
            let is_new = !seen.contains(path);
            seen.push(path.clone());
            is_new
        });
        paths.truncate(MAX_RUNS);
        self.paths = paths;
        let is_enough = 2 <= self.paths.len();
        self.progress = if is_enough { Progress::Loading } else { Progress::Nothing };
        is_enough
    }

    /// Takes in the outcome of a load, unless other runs were selected since then.
    fn end(&mut self, paths: &[PathBuf], result: Result<Progress, String>) {
        if self.paths == paths && matches!(self.progress, Progress::Loading) {
            self.progress = result.unwrap_or_else(Progress::Failed);
        }
    }

    /// Compares again where late frames are counted by another share than the settings name.
    pub(super) fn count_late(&mut self, context: &Context) {
        let Some(compared) = self.compared() else { return };
        if !compared.runs.iter().all(|shown| shown.is_counted(context.late_percent)) {
            self.compare(self.paths.clone(), context);
        }
    }
}

/// Opens and compares runs, those that are loaded already without opening them again; frames are late by
/// this share of a frame, in percent. Takes a while.
fn compare(
    store: Option<&Store>,
    paths: &[PathBuf],
    loaded: &[Arc<LoadedRun>],
    late_percent: f64,
) -> Result<ComparisonView, String> {
    let open = |path: &PathBuf| {
        let known = loaded.iter().find(|shown| shown.path.as_ref() == Some(path));
        let shown = known.cloned().map_or_else(|| LoadedRun::open(path).map(Arc::new), Ok)?;
        Ok(shown.counted(late_percent).map_or(shown, Arc::new))
    };
    let runs: Vec<Arc<LoadedRun>> = paths.iter().map(open).collect::<Result<_, String>>()?;
    let evaluated: Vec<(&Run, &Report)> =
        runs.iter().map(|shown| (shown.run.as_ref(), &shown.report)).collect();
    let comparison = repeats::compare(&evaluated, 0, store);
    let curves = comparison.rows.iter().map(|row| Curves::of(row, &evaluated)).collect();
    let pairs = pairs(&evaluated, &comparison, store);
    Ok(ComparisonView { runs, comparison, curves, pairs })
}

/// Every pair of more than two runs; those with the baseline are compared already.
fn pairs(
    runs: &[(&Run, &Report)],
    comparison: &Comparison,
    store: Option<&Store>,
) -> Vec<(usize, usize, Outcome)> {
    if runs.len() < 3 {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (run, first) in runs.iter().zip(0..) {
        for (second, other) in (first + 1..runs.len()).filter_map(|at| Some((at, runs.get(at)?))) {
            let outcome = if first == comparison.baseline {
                comparison.outcome(second)
            } else {
                repeats::compare(&[*run, *other], 0, store).outcome(1)
            };
            pairs.push((first, second, outcome));
        }
    }
    pairs
}

impl Curves {
    fn of(row: &ComparedRow, runs: &[(&Run, &Report)]) -> Self {
        let mut curves = Self {
            histograms: Vec::new(),
            tails: Vec::new(),
            boxes: Vec::new(),
            timelines: Vec::new(),
        };
        for item in row.items(runs) {
            let mut timeline = Pyramid::default();
            for (at, value) in item.timeline() {
                timeline.push(at, value);
            }
            let values = item.values();
            let mut histogram = LogHistogram::of(&values, FIRST_BIN, BINS_A_DECADE);
            for &(value, count) in item.counts() {
                histogram.add_many(value, count);
            }
            curves.histograms.push(histogram);
            let sorted = Sorted::of(values);
            curves.boxes.push(sorted.as_ref().map(BoxMark::of));
            curves
                .tails
                .push(sorted.map_or(Vec::new(), |sorted| tail_points(&sorted, TAIL_POINTS)));
            curves.timelines.push(timeline);
        }
        curves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn a_late_load_of_other_runs_is_left_out() {
        let mut comparing = Comparing::new(&TaskHost::new(|| {}));
        assert!(!comparing.begin(paths(&["a", "a"])), "one run is none to compare");
        assert!(comparing.begin(paths(&["a", "b", "c", "d", "e"])));
        assert_eq!(comparing.paths().len(), 4);
        assert!(comparing.begin(paths(&["b", "a"])));
        comparing.end(&paths(&["a", "b", "c", "d"]), Err("late".to_owned()));
        assert!(matches!(comparing.progress(), Progress::Loading));
        comparing.end(&paths(&["b", "a"]), Err("gone".to_owned()));
        assert!(matches!(comparing.progress(), Progress::Failed(why) if why == "gone"));
    }
}
