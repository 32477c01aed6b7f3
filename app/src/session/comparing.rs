//! The comparison of runs: the selected runs, the progress of loading them, and the outcome.

mod checks;

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::report::chart::{BoxMark, tail_curve};
use jitterscope_engine::report::comparison::{
    ComparedRow, Item, MAX_GROUPS, MAX_RUNS, MinEffect, Overall, split_groups,
};
use jitterscope_engine::report::document::comparison::own_tags;
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::{LogHistogram, Pyramid, Sorted, distinct};
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats::{self, History};

use super::part::{Context, Part};
use super::shown::LoadedRun;
use super::task::{TaskHost, Tasks};
use crate::text::compare::{MAX_LABEL, group_label, labels_within};
pub use checks::CheckComparison;

/// Maximum number of characters of a run name on a card.
const MAX_NAME: usize = 80;

/// Runs with their reports, their comparison, and the curves of each configuration.
#[derive(Debug)]
pub struct ComparisonView {
    /// The runs; the first is the baseline. If groups are compared, the runs of group A followed by
    /// those of B and further groups.
    pub runs: Vec<Arc<LoadedRun>>,
    /// How many of the runs belong to each group, in order; `None` unless groups are compared.
    pub group_counts: Option<Vec<usize>>,
    /// The comparison of the runs.
    pub comparison: Comparison,
    /// The curves of each row of the comparison.
    pub curves: Vec<Curves>,
    /// For three or four runs: for every pair, the positions of both runs, and the outcome of the
    /// second run compared with the first. Empty for two runs and for groups.
    pub pairs: Vec<(usize, usize, Overall)>,
}

impl ComparisonView {
    /// Returns the runs of each group; `None` if single runs are compared.
    pub fn groups(&self) -> Option<Vec<&[Arc<LoadedRun>]>> {
        Some(split_groups(&self.runs, self.group_counts.as_ref()?))
    }

    /// Returns the run that is plotted for each compared run or group: for a group, its first run.
    pub fn sides(&self) -> Vec<&Arc<LoadedRun>> {
        match self.groups() {
            Some(groups) => groups.iter().filter_map(|group| group.first()).collect(),
            None => self.runs.iter().collect(),
        }
    }

    /// Returns how many runs are compared: "4 runs", "10 runs in 2 groups".
    pub fn counted(&self) -> String {
        let groups =
            self.group_counts.as_ref().map(|counts| format!(" in {} groups", counts.len()));
        format!("{} runs{}", self.runs.len(), groups.unwrap_or_default())
    }

    /// Returns short labels of the runs or groups.
    pub fn labels(&self) -> Vec<String> {
        if let Some(groups) = self.groups() {
            return groups.iter().map(|group| self.group_label(group)).collect();
        }
        labels_within(&self.all_runs(), &self.comparison, MAX_LABEL)
    }

    /// Returns what the runs of a group have in common, their name or tags, with their number.
    fn group_label(&self, group: &[Arc<LoadedRun>]) -> String {
        let count = group_label(group.len());
        let runs: Vec<&Run> = group.iter().map(|shown| shown.run.as_ref()).collect();
        let name = runs.first().map_or("", |run| run.name.as_str());
        if !name.is_empty() && runs.iter().all(|run| run.name == name) {
            return format!("{name}, {count}");
        }
        let own = own_tags(&runs, &self.all_runs());
        if own.is_empty() { count } else { format!("{}, {count}", own.join(", ")) }
    }

    /// Returns labels of the runs with names of up to `MAX_NAME` characters.
    pub fn whole_labels(&self) -> Vec<String> {
        labels_within(&self.all_runs(), &self.comparison, MAX_NAME)
    }

    fn all_runs(&self) -> Vec<&Run> {
        self.runs.iter().map(|shown| shown.run.as_ref()).collect()
    }

    /// Returns the configuration of each compared run or group that corresponds to a row of the
    /// comparison.
    pub fn items(&self, row: &ComparedRow) -> Vec<Item<'_>> {
        let evaluated: Vec<(&Run, &Report)> =
            self.sides().into_iter().map(|shown| (shown.run.as_ref(), &shown.report)).collect();
        row.items(&evaluated)
    }
}

/// The curves of one configuration; each field has one entry per compared run or group.
#[derive(Debug, Default)]
pub struct Curves {
    /// The histogram of the values.
    pub histograms: Vec<LogHistogram>,
    /// The tail distribution: pairs of a value and the share of values above it.
    pub tails: Vec<Vec<(f64, f64)>>,
    /// The percentiles for a box plot; `None` without values.
    pub boxes: Vec<Option<BoxMark>>,
    /// Values over time, from the first round of a run; for a group, of its first run.
    pub timelines: Vec<Pyramid>,
}

/// The progress of a comparison.
#[derive(Debug, Default)]
pub enum Progress {
    /// No runs were selected.
    #[default]
    Nothing,
    /// The runs are being opened and evaluated.
    Loading,
    /// The runs were compared.
    Done(Arc<ComparisonView>),
    /// Quick checks were compared, part by part.
    Checks(Arc<CheckComparison>),
    /// The runs cannot be compared; holds the reason as a sentence.
    Failed(String),
}

/// The path that identifies the list entry of a quick check, and the run files of the check.
pub(super) type CheckFiles = (PathBuf, Vec<PathBuf>);

/// The runs or quick checks that are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selected {
    /// The paths that identify the list entries, in order.
    pub paths: Vec<PathBuf>,
    /// How many of the paths belong to each group, in order; `None` unless groups are compared.
    pub group_counts: Option<Vec<usize>>,
    /// The minimum effect that the user set.
    pub minimum: MinEffect,
}

/// The selection, and the outcome of its comparison.
type ComparingMessage = (Selected, Result<Progress, String>);

/// The state of the Compare page.
#[derive(Debug)]
pub struct Comparing {
    tasks: Tasks<ComparingMessage>,
    /// What is compared.
    pub selected: Selected,
    /// The runs that were set as group A, group B, and so on.
    pub groups: Vec<Vec<PathBuf>>,
    /// The progress of the comparison.
    pub progress: Progress,
    /// How many comparisons were requested.
    pub number: u64,
}

impl Part for Comparing {
    const NAME: &'static str = "the comparison";

    fn restart(&mut self, _: &Context) {
        *self = Self::new(&self.tasks.host);
    }
}

impl Comparing {
    pub(super) fn new(host: &TaskHost) -> Self {
        Self {
            tasks: Tasks::new(host),
            selected: Selected::default(),
            groups: Vec::new(),
            progress: Progress::Nothing,
            number: 0,
        }
    }

    /// Whether groups are compared, and not single runs.
    pub const fn is_of_groups(&self) -> bool {
        self.selected.group_counts.is_some()
    }

    /// Returns the files of the compared groups; `None` unless groups are compared.
    pub fn groups(&self) -> Option<Vec<Vec<PathBuf>>> {
        let groups = split_groups(&self.selected.paths, self.selected.group_counts.as_ref()?);
        Some(groups.into_iter().map(<[PathBuf]>::to_vec).collect())
    }

    /// Returns which group the user can set next, after A and B; `None` while A or B is missing, and after the last one.
    pub fn next_group(&self) -> Option<usize> {
        let count = self.groups.len();
        (are_complete(&self.groups) && count < MAX_GROUPS).then_some(count)
    }

    /// Returns the comparison of runs, once it is complete.
    pub(super) fn compared(&self) -> Option<&Arc<ComparisonView>> {
        match &self.progress {
            Progress::Done(compared) => Some(compared),
            _ => None,
        }
    }

    /// Returns the comparison of quick checks, once it is complete.
    pub(super) fn compared_checks(&self) -> Option<&Arc<CheckComparison>> {
        match &self.progress {
            Progress::Checks(compared) => Some(compared),
            _ => None,
        }
    }

    /// Handles the comparisons that have completed since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for (selected, result) in self.tasks.messages() {
            self.end(&selected, result);
            self.count_late(context);
        }
    }

    /// Starts to open and compare other runs, at most four.
    pub(super) fn compare(&mut self, paths: Vec<PathBuf>, context: &Context) {
        if self.begin(paths) {
            self.load(Vec::new(), context);
        }
    }

    /// Sets runs as group A (0), B (1), or a further one; returns the groups once A and B have runs. A run is in at most
    /// one group. After a complete comparison, setting A or B begins new groups.
    pub(super) fn set_group(
        &mut self,
        side: usize,
        paths: &[PathBuf],
    ) -> Option<Vec<Vec<PathBuf>>> {
        if are_complete(&self.groups) && side < 2 {
            self.groups.clear();
        }
        self.groups.resize(self.groups.len().max(side + 1).max(2), Vec::new());
        for group in &mut self.groups {
            group.retain(|path| !paths.contains(path));
        }
        if let Some(group) = self.groups.get_mut(side) {
            paths.clone_into(group);
        }
        // A further group from which all runs were taken is none.
        let mut positions = 0..;
        self.groups.retain(|group| {
            let is_of_pair = positions.next().is_some_and(|at| at < 2);
            is_of_pair || !group.is_empty()
        });
        are_complete(&self.groups).then(|| self.groups.clone())
    }

    /// Starts to compare these groups with the first one. `checks` has the quick checks of all groups in order, or is
    /// `None` if the groups consist of runs.
    pub(super) fn compare_groups(
        &mut self,
        groups: &[Vec<PathBuf>],
        checks: Option<Vec<CheckFiles>>,
        context: &Context,
    ) {
        let group_counts = Some(groups.iter().map(Vec::len).collect());
        // Groups that the user is setting remain.
        if self.groups.is_empty() || are_complete(&self.groups) {
            self.groups = groups.to_vec();
        }
        self.number += 1;
        self.selected =
            Selected { group_counts, paths: groups.concat(), minimum: self.selected.minimum };
        self.progress = Progress::Loading;
        match checks {
            Some(checks) => self.load_checks(checks, context),
            None => self.load(Vec::new(), context),
        }
    }

    /// Sets the minimum effect, and compares the same runs again.
    pub(super) fn set_minimum(&mut self, minimum: MinEffect, context: &Context) {
        self.selected.minimum = minimum;
        if let Some(compared) = self.compared() {
            let loaded = compared.runs.clone();
            self.progress = Progress::Loading;
            self.load(loaded, context);
        }
    }

    /// Shows why these runs cannot be compared.
    pub(super) fn refuse(&mut self, paths: Vec<PathBuf>, why: &str) {
        if self.begin(paths) {
            self.progress = Progress::Failed(why.to_owned());
        }
    }

    /// Opens and compares the selected runs. Those among `loaded` are not opened again.
    fn load(&self, loaded: Vec<Arc<LoadedRun>>, context: &Context) {
        let late_percent = context.late_percent;
        self.start(context, move |selected, store| {
            let view = compare(store, selected, &loaded, late_percent)?;
            Ok(Progress::Done(Arc::new(view)))
        });
    }

    fn load_checks(&self, checks: Vec<CheckFiles>, context: &Context) {
        self.start(context, move |selected, store| {
            let view = CheckComparison::of(&checks, selected, store)?;
            Ok(Progress::Checks(Arc::new(view)))
        });
    }

    /// Compares the selection on a background thread.
    fn start(
        &self,
        context: &Context,
        compare: impl FnOnce(&Selected, Option<&Store>) -> Result<Progress, String> + Send + 'static,
    ) {
        let (store, selected) = (context.store.clone(), self.selected.clone());
        let compared = selected.clone();
        let compare = move || compare(&selected, store.as_ref());
        self.tasks.spawn("compare", compare, move |result| (compared, result));
    }

    /// Starts to open and compare quick checks, at most four.
    pub(super) fn compare_checks(&mut self, mut checks: Vec<CheckFiles>, context: &Context) {
        if self.begin(checks.iter().map(|(path, _)| path.clone()).collect()) {
            checks.truncate(MAX_RUNS);
            self.load_checks(checks, context);
        }
    }

    /// Selects other runs or quick checks, at most four; returns whether at least two are selected.
    fn begin(&mut self, paths: Vec<PathBuf>) -> bool {
        let mut paths = distinct(paths);
        paths.truncate(MAX_RUNS);
        let is_enough = 2 <= paths.len();
        self.number += 1;
        self.selected = Selected { paths, group_counts: None, minimum: self.selected.minimum };
        self.progress = if is_enough { Progress::Loading } else { Progress::Nothing };
        is_enough
    }

    /// Handles the outcome of a load, unless the selection has changed since.
    fn end(&mut self, selected: &Selected, result: Result<Progress, String>) {
        if self.selected == *selected && matches!(self.progress, Progress::Loading) {
            self.progress = result.unwrap_or_else(Progress::Failed);
        }
    }

    /// Compares again if the late threshold in the settings has changed.
    pub(super) fn count_late(&mut self, context: &Context) {
        let Some(compared) = self.compared() else { return };
        if !compared.runs.iter().all(|shown| shown.is_counted(context.late_percent)) {
            let loaded = compared.runs.clone();
            self.progress = Progress::Loading;
            self.load(loaded, context);
        }
    }
}

/// Compares the selected runs; opens the runs that are not among `loaded`. `late_percent` is the
/// late threshold as a percentage of a frame. Blocks while files are read.
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
    let groups = selected.group_counts.as_deref();
    let comparison = repeats::compare(&evaluated, groups, History::of(store), selected.minimum);
    let sides: Vec<&[(&Run, &Report)]> = match groups {
        Some(counts) => split_groups(&evaluated, counts),
        None => evaluated.chunks(1).collect(),
    };
    let curves = comparison.rows.iter().map(|row| Curves::of(row, &sides)).collect();
    let pairs = match groups {
        Some(_) => Vec::new(),
        None => pairs(&evaluated, &comparison, History::of(store)),
    };
    let group_counts = selected.group_counts.clone();
    Ok(ComparisonView { runs, group_counts, comparison, curves, pairs })
}

/// Whether groups A and B have runs.
fn are_complete(groups: &[Vec<PathBuf>]) -> bool {
    matches!(groups, [a, b, ..] if !a.is_empty() && !b.is_empty())
}

/// Returns the outcome of every pair of three or more runs; empty for two runs. The outcomes of
/// pairs with the baseline are taken from `comparison`.
fn pairs(
    runs: &[(&Run, &Report)],
    comparison: &Comparison,
    history: History<'_>,
) -> Vec<(usize, usize, Overall)> {
    if runs.len() < 3 {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (run, first) in runs.iter().zip(0..) {
        for (second, other) in (first + 1..runs.len()).filter_map(|at| Some((at, runs.get(at)?))) {
            let outcome = if first == comparison.baseline {
                comparison.outcome(second)
            } else {
                repeats::compare(&[*run, *other], None, history, comparison.minimum).outcome(1)
            };
            pairs.push((first, second, outcome));
        }
    }
    pairs
}

impl Curves {
    /// Returns the curves of each compared run or group: for a group, distributions over all its
    /// runs, and the timeline of its first run.
    fn of(row: &ComparedRow, sides: &[&[(&Run, &Report)]]) -> Self {
        let mut curves = Self::default();
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
            for (value, count) in items.iter().flat_map(|item| item.counts()) {
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
    fn groups_are_set_one_after_another_and_a_run_is_in_one_of_them() {
        let mut comparing = Comparing::new(&TaskHost::new(|| {}));
        assert_eq!(comparing.next_group(), None);
        assert_eq!(comparing.set_group(1, &paths(&["c", "d"])), None, "A is missing");
        let set = |comparing: &mut Comparing, side, names: &[&str]| {
            comparing.set_group(side, &paths(names)).unwrap()
        };
        let two = set(&mut comparing, 0, &["a", "b"]);
        assert_eq!(two, [paths(&["a", "b"]), paths(&["c", "d"])]);
        assert_eq!(comparing.next_group(), Some(2));
        let three = set(&mut comparing, 2, &["d", "e"]);
        assert_eq!(three, [paths(&["a", "b"]), paths(&["c"]), paths(&["d", "e"])]);
        // A further group takes all runs of another one, which is then gone; A and B remain even then.
        let three = set(&mut comparing, 3, &["d", "e", "f"]);
        assert_eq!(three, [paths(&["a", "b"]), paths(&["c"]), paths(&["d", "e", "f"])]);
        assert_eq!(comparing.set_group(3, &paths(&["c"])), None, "B has no runs");
        assert_eq!(comparing.next_group(), None);
        // With groups A and B set, another A begins new groups.
        set(&mut comparing, 1, &["g"]);
        assert_eq!(comparing.set_group(0, &paths(&["h"])), None);
        for side in 1..MAX_GROUPS {
            set(&mut comparing, side, &[&format!("{side}")]);
        }
        assert_eq!(comparing.next_group(), None, "six are the most");
    }

    #[test]
    fn a_late_load_of_other_runs_is_left_out() {
        let mut comparing = Comparing::new(&TaskHost::new(|| {}));
        assert!(!comparing.begin(paths(&["a", "a"])), "one run is none to compare");
        assert!(comparing.begin(paths(&["a", "b", "c", "d", "e"])));
        assert_eq!(comparing.selected.paths.len(), 4);
        assert!(comparing.begin(paths(&["b", "a"])));
        let paths = paths(&["a", "b", "c", "d"]);
        let late = Selected { paths, ..Selected::default() };
        comparing.end(&late, Err("late".to_owned()));
        assert!(matches!(comparing.progress, Progress::Loading));
        let current = comparing.selected.clone();
        comparing.end(&current, Err("gone".to_owned()));
        assert!(matches!(comparing.progress, Progress::Failed(why) if why == "gone"));
    }
}
