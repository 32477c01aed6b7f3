//! Comparison of quick checks, part by part.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::Report;
use jitterscope_engine::report::comparison::{MinEffect, Overall, split_groups};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{Store, repeats};

use super::{CheckFiles, Selected};
use crate::session::finished_check::FinishedCheck;
use crate::session::shown::LoadedRun;

/// Compared quick checks; the first is the baseline.
#[derive(Debug)]
pub struct CheckComparison {
    /// The paths of the compared entries of the list of saved runs.
    pub paths: Vec<PathBuf>,
    /// The checks. If groups are compared, the checks of group A followed by those of B and further groups.
    pub checks: Vec<Arc<FinishedCheck>>,
    /// How many of the checks belong to each group, in order; `None` unless groups are compared.
    pub group_counts: Option<Vec<usize>>,
    /// The minimum effect that was set.
    pub minimum: MinEffect,
    /// For each part, the outcome of each check or group compared with the baseline; `None` if
    /// either lacks the part.
    pub outcomes: Vec<(Part, Vec<Option<Overall>>)>,
}

impl CheckComparison {
    /// Opens and compares checks, or the groups of them that are selected. Blocks while files are read.
    pub(super) fn of(
        checks: &[CheckFiles],
        selected: &Selected,
        store: Option<&Store>,
    ) -> Result<Self, String> {
        let open = |(_, files): &CheckFiles| FinishedCheck::open(files, store).map(Arc::new);
        let opened = checks.iter().map(open).collect::<Result<_, _>>()?;
        let paths = checks.iter().map(|(path, _)| path.clone()).collect();
        let outcomes = Vec::new();
        let (group_counts, minimum) = (selected.group_counts.clone(), selected.minimum);
        let mut compared = Self { paths, checks: opened, group_counts, minimum, outcomes };
        compared.outcomes = compared.compare(store);
        Ok(compared)
    }

    /// Returns the outcome of each part for each side after the first.
    fn compare(&self, store: Option<&Store>) -> Vec<(Part, Vec<Option<Overall>>)> {
        let sides = self.sides();
        let Some((baseline, others)) = sides.split_first() else { return Vec::new() };
        let outcome = |part: Part, side: &[Arc<FinishedCheck>]| {
            let [a, b] = [*baseline, side].map(|side| evaluated(part, side));
            let groups = self.group_counts.as_ref().map(|_| [a.len(), b.len()]);
            let groups = groups.as_ref().map(<[_; 2]>::as_slice);
            let has_both = !a.is_empty() && !b.is_empty();
            has_both.then(|| {
                let history = repeats::History::of(store);
                repeats::compare(&[a, b].concat(), groups, history, self.minimum).outcome(1)
            })
        };
        let outcomes =
            Part::ALL.map(|part| (part, others.iter().map(|side| outcome(part, side)).collect()));
        outcomes.to_vec()
    }

    /// Returns the sides of the comparison: each is a single check, or a group.
    pub fn sides(&self) -> Vec<&[Arc<FinishedCheck>]> {
        match &self.group_counts {
            Some(counts) => split_groups(&self.checks, counts),
            None => self.checks.chunks(1).collect(),
        }
    }

    /// Returns the parts that every check has, each with the runs of all checks in order.
    pub fn common(&self) -> Vec<(Part, Vec<&Arc<LoadedRun>>)> {
        let of = |part: Part| {
            let runs = self.checks.iter().map(|check| check.shown(part));
            Some((part, runs.collect::<Option<Vec<_>>>()?))
        };
        Part::ALL.into_iter().filter_map(of).collect()
    }

    /// Returns the run files of a part for each side; checks without a saved run of the part are
    /// omitted.
    pub fn files_of(&self, part: Part) -> Vec<Vec<PathBuf>> {
        let file = |check: &Arc<FinishedCheck>| check.shown(part)?.path.clone();
        self.sides().into_iter().map(|side| side.iter().filter_map(file).collect()).collect()
    }
}

/// Returns the runs of a part in a group of checks, with their reports.
fn evaluated(part: Part, group: &[Arc<FinishedCheck>]) -> Vec<(&Run, &Report)> {
    let shown = group.iter().filter_map(|check| check.shown(part));
    shown.map(|shown| (shown.run.as_ref(), &shown.report)).collect()
}
