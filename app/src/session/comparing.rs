//! Runs compared: which, how far the loading is, and the outcome.

mod checks;

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::report::chart::{BoxMark, tail_curve};
use jitterscope_engine::report::comparison::{ComparedRow, Item, MAX_RUNS, Outcome, Prior};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::{LogHistogram, Pyramid, Sorted};
use jitterscope_engine::store::{Store, repeats};

use super::part::{Context, Outbox, Part};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
pub use checks::CheckComparison;

/// The most characters of a name on a card.
const MAX_NAME: usize = 80;

/// Runs with what they mean, what they say of each other, and the curves of each configuration.
#[derive(Debug)]
pub struct ComparisonView {
    /// The runs; the first is the baseline. Where groups are compared, those of A and then those of B.
    pub runs: Vec<Arc<LoadedRun>>,
    /// How many of the runs are group A, where groups are compared.
    pub group_a: Option<usize>,
    /// What they say of each other.
    pub comparison: Comparison,
    /// The curves of each row of the comparison.
    pub curves: Vec<Curves>,
    /// With three and four runs: what the second of two is against the first, for every pair.
    pub pairs: Vec<(usize, usize, Outcome)>,
}

impl ComparisonView {
    /// The runs of each group; `None` where single runs are compared.
    pub fn groups(&self) -> Option<[&[Arc<LoadedRun>]; 2]> {
        let (a, b) = self.runs.split_at(self.group_a?.min(self.runs.len()));
        Some([a, b])
    }

    /// The runs by which each side is drawn: the first of a group.
    pub fn sides(&self) -> Vec<&Arc<LoadedRun>> {
        match self.groups() {
            Some(groups) => groups.iter().filter_map(|group| group.first()).collect(),
            None => self.runs.iter().collect(),
        }
    }

    /// Short labels of the runs or groups.
    pub fn labels(&self) -> Vec<String> {
        if let Some(groups) = self.groups() {
            return groups.map(|group| crate::text::compare::group_label(group.len())).to_vec();
        }
        crate::text::compare::short_labels(&self.all_runs(), &self.comparison)
    }

    /// Labels of the runs with their names as long as they may be.
    pub fn whole_labels(&self) -> Vec<String> {
        crate::text::compare::labels_within(&self.all_runs(), &self.comparison, MAX_NAME)
    }

    fn all_runs(&self) -> Vec<&Run> {
        self.runs.iter().map(|shown| shown.run.as_ref()).collect()
    }

    /// What a row of the comparison is in each run.
    pub fn items(&self, row: &ComparedRow) -> Vec<Item<'_>> {
        let evaluated: Vec<(&Run, &Report)> =
            self.sides().into_iter().map(|shown| (shown.run.as_ref(), &shown.report)).collect();
        row.items(&evaluated)
    }
}

/// Compares evaluated runs, the first `group_a` of them with all others where groups are compared.
pub(super) fn evaluate(
    runs: &[(&Run, &Report)],
    group_a: Option<usize>,
    store: Option<&Store>,
    prior: Option<&Prior>,
) -> Comparison {
    let Some(count) = group_a else { return repeats::compare(runs, 0, store, prior) };
    let (a, b) = runs.split_at(count.min(runs.len()));
    let prior = prior.cloned().or_else(|| store.map(Store::prior)).unwrap_or_default();
    Comparison::of_groups([a, b], &prior)
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

/// The path of a quick check's entry with its files.
pub(super) type CheckFiles = (PathBuf, Vec<PathBuf>);

/// Which runs are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Selected {
    paths: Vec<PathBuf>,
    /// How many of them are group A, where groups are compared.
    group_a: Option<usize>,
}

/// Which runs were opened and compared, and the outcome.
type Message = (Selected, Result<Progress, String>);

/// The runs that are compared.
#[derive(Debug)]
pub struct Comparing {
    tasks: Tasks<Message>,
    selected: Selected,
    /// The runs that were set as group A and as group B.
    groups: [Vec<PathBuf>; 2],
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
        Self {
            tasks: Tasks::new(host),
            selected: Selected::default(),
            groups: [Vec::new(), Vec::new()],
            progress: Progress::Nothing,
        }
    }

    /// Their files; the first is the baseline.
    pub fn paths(&self) -> &[PathBuf] {
        &self.selected.paths
    }

    /// The runs that were set as group A and as group B.
    pub fn groups(&self) -> &[Vec<PathBuf>; 2] {
        &self.groups
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

    /// The quick checks that are compared.
    pub(super) fn compared_checks(&self) -> Option<&Arc<CheckComparison>> {
        match &self.progress {
            Progress::Checks(compared) => Some(compared),
            _ => None,
        }
    }

    /// Takes in the comparisons that ended since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for (selected, result) in self.tasks.messages() {
            self.end(&selected, result);
            self.count_late(context);
        }
    }

    /// Begins to open and compare other runs, at most four.
    pub(super) fn compare(&mut self, paths: Vec<PathBuf>, context: &Context) {
        let loaded = self.loaded();
        if self.begin(paths) {
            self.load(loaded, context);
        }
    }

    /// Makes runs group A (0) or B (1); returns whether both have runs. A run is in one group only.
    pub(super) fn set_group(&mut self, side: usize, paths: &[PathBuf]) -> bool {
        // After a comparison, the first key begins another.
        let was_complete = self.groups.iter().all(|group| !group.is_empty());
        for (group, at) in self.groups.iter_mut().zip(0..) {
            if was_complete {
                group.clear();
            }
            group.retain(|path| !paths.contains(path));
            if at == side {
                paths.clone_into(group);
            }
        }
        self.groups.iter().all(|group| !group.is_empty())
    }

    /// Begins to compare the groups: where both hold quick checks only, these, with their files.
    pub(super) fn compare_groups(
        &mut self,
        checks: Option<[Vec<CheckFiles>; 2]>,
        context: &Context,
    ) {
        let loaded = self.loaded();
        let [a, b] = &self.groups;
        self.selected = Selected { group_a: Some(a.len()), paths: [a.as_slice(), b].concat() };
        self.progress = Progress::Loading;
        let Some([a, b]) = checks else {
            self.load(loaded, context);
            return;
        };
        let (store, compared) = (context.store.clone(), self.selected.clone());
        let compare = move || {
            let view = CheckComparison::of_groups([&a, &b], store.as_ref())?;
            Ok(Progress::Checks(Arc::new(view)))
        };
        self.tasks.spawn("compare", compare, move |result| (compared, result));
    }

    /// Shows why these are not compared.
    pub(super) fn refuse(&mut self, paths: Vec<PathBuf>, why: &str) {
        if self.begin(paths) {
            self.progress = Progress::Failed(why.to_owned());
        }
    }

    fn loaded(&self) -> Vec<Arc<LoadedRun>> {
        self.compared().map_or_else(Vec::new, |compared| compared.runs.clone())
    }

    fn load(&self, loaded: Vec<Arc<LoadedRun>>, context: &Context) {
        let (store, late_percent) = (context.store.clone(), context.late_percent);
        let (selected, compared) = (self.selected.clone(), self.selected.clone());
        self.tasks.spawn(
            "compare",
            move || {
                let view = compare(store.as_ref(), &selected, &loaded, late_percent)?;
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
        let (store, compared) = (context.store.clone(), self.selected.clone());
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
        let is_enough = 2 <= paths.len();
        self.selected = Selected { paths, group_a: None };
        self.progress = if is_enough { Progress::Loading } else { Progress::Nothing };
        is_enough
    }

    /// Takes in the outcome of a load, unless other runs were selected since then.
    fn end(&mut self, selected: &Selected, result: Result<Progress, String>) {
        if self.selected == *selected && matches!(self.progress, Progress::Loading) {
            self.progress = result.unwrap_or_else(Progress::Failed);
        }
    }

    /// Compares again where late frames are counted by another share than the settings name.
    pub(super) fn count_late(&mut self, context: &Context) {
        let Some(compared) = self.compared() else { return };
        if !compared.runs.iter().all(|shown| shown.is_counted(context.late_percent)) {
            let loaded = self.loaded();
            self.progress = Progress::Loading;
            self.load(loaded, context);
        }
    }
}

/// Opens and compares runs, those that are loaded already without opening them again; frames are late by
/// this share of a frame, in percent. Takes a while.
fn compare(
    store: Option<&Store>,
    selected: &Selected,
    loaded: &[Arc<LoadedRun>],
    late_percent: f64,
) -> Result<ComparisonView, String> {
    let open = |path: &PathBuf| {
        let known = loaded.iter().find(|shown| shown.path.as_ref() == Some(path));
        let shown = known.cloned().map_or_else(|| LoadedRun::open(path).map(Arc::new), Ok)?;
        Ok(shown.counted(late_percent).map_or(shown, Arc::new))
    };
    let runs: Vec<Arc<LoadedRun>> =
        selected.paths.iter().map(open).collect::<Result<_, String>>()?;
    let evaluated: Vec<(&Run, &Report)> =
        runs.iter().map(|shown| (shown.run.as_ref(), &shown.report)).collect();
    let comparison = evaluate(&evaluated, selected.group_a, store, None);
    let sides: Vec<&[(&Run, &Report)]> = match selected.group_a {
        Some(count) => <[_; 2]>::from(evaluated.split_at(count.min(evaluated.len()))).to_vec(),
        None => evaluated.chunks(1).collect(),
    };
    let curves = comparison.rows.iter().map(|row| Curves::of(row, &sides)).collect();
    let pairs = match selected.group_a {
        Some(_) => Vec::new(),
        None => pairs(&evaluated, &comparison, store),
    };
    Ok(ComparisonView { runs, group_a: selected.group_a, comparison, curves, pairs })
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
                repeats::compare(&[*run, *other], 0, store, Some(&comparison.prior)).outcome(1)
            };
            pairs.push((first, second, outcome));
        }
    }
    pairs
}

impl Curves {
    /// Of the runs of each side: the values of all of them, and the timeline of the first.
    fn of(row: &ComparedRow, sides: &[&[(&Run, &Report)]]) -> Self {
        let mut curves = Self {
            histograms: Vec::new(),
            tails: Vec::new(),
            boxes: Vec::new(),
            timelines: Vec::new(),
        };
        for (side, &position) in sides.iter().zip(&row.positions) {
            let items: Vec<Item<'_>> = side
                .iter()
                .filter_map(|(run, report)| Item::all(run, report).get(position).copied())
                .collect();
            let mut timeline = Pyramid::default();
            for (at, value) in items.first().into_iter().flat_map(|item| item.timeline()) {
                timeline.push(at, value);
            }
            let values: Vec<i64> = items.iter().flat_map(|item| item.values()).collect();
            let mut histogram = LogHistogram::of(&values);
            for &(value, count) in items.iter().flat_map(|item| item.counts()) {
                histogram.add_many(value, count);
            }
            curves.histograms.push(histogram);
            let sorted = Sorted::of(values);
            curves.boxes.push(sorted.as_ref().map(BoxMark::of));
            let tail = sorted.map(|sorted| tail_curve("", &sorted).points);
            curves.tails.push(tail.unwrap_or_default());
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
        let late = Selected { paths: paths(&["a", "b", "c", "d"]), group_a: None };
        comparing.end(&late, Err("late".to_owned()));
        assert!(matches!(comparing.progress(), Progress::Loading));
        let current = comparing.selected.clone();
        comparing.end(&current, Err("gone".to_owned()));
        assert!(matches!(comparing.progress(), Progress::Failed(why) if why == "gone"));
    }
}
