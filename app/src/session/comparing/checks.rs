//! Comparison of quick checks, part by part.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::{MAX_RUNS, Outcome};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{Store, repeats};

use crate::session::finished_check::FinishedCheck;
use crate::session::shown::LoadedRun;

/// Compared quick checks; the first is the baseline.
#[derive(Debug)]
pub struct CheckComparison {
    /// The paths of the compared entries of the list of saved runs.
    pub paths: Vec<PathBuf>,
    /// The checks. If groups are compared, the checks of group A followed by those of B.
    pub checks: Vec<Arc<FinishedCheck>>,
    /// How many of the checks, from the first, are group A; `None` unless groups are compared.
    pub group_a: Option<usize>,
    /// For each part, the outcome of each check or group compared with the baseline; `None` if
    /// either lacks the part.
    pub outcomes: Vec<(Part, Vec<Option<Outcome>>)>,
}

impl CheckComparison {
    /// Opens and compares checks, each given by the path of its list entry and its run files.
    /// Blocks while files are read.
    pub(super) fn of(
        checks: &[(PathBuf, Vec<PathBuf>)],
        store: Option<&Store>,
    ) -> Result<Self, String> {
        let checks = checks.get(..MAX_RUNS).unwrap_or(checks);
        let opened: Vec<Arc<FinishedCheck>> = checks
            .iter()
            .map(|(_, files)| FinishedCheck::open(files, store).map(Arc::new))
            .collect::<Result<_, _>>()?;
        let outcomes = Part::ALL.map(|part| {
            let outcomes = opened.iter().skip(1).map(|check| outcome(part, &opened, check, store));
            (part, outcomes.collect())
        });
        let paths = checks.iter().map(|(path, _)| path.clone()).collect();
        Ok(Self { paths, checks: opened, group_a: None, outcomes: outcomes.to_vec() })
    }

    /// Opens two groups of checks, and compares the second group with the first. Blocks while files
    /// are read.
    pub(super) fn of_groups(
        groups: [&[(PathBuf, Vec<PathBuf>)]; 2],
        store: Option<&Store>,
    ) -> Result<Self, String> {
        let open =
            |(_, files): &(PathBuf, Vec<PathBuf>)| FinishedCheck::open(files, store).map(Arc::new);
        let checks: Vec<Arc<FinishedCheck>> =
            groups.concat().iter().map(open).collect::<Result<_, _>>()?;
        let count_a = groups[0].len();
        let prior = store.map(Store::prior).unwrap_or_default();
        let (a, b) = checks.split_at(count_a);
        let outcomes = Part::ALL.map(|part| {
            let [a, b] = [a, b].map(|group| evaluated(part, group));
            let has_both = !a.is_empty() && !b.is_empty();
            let outcome = has_both.then(|| Comparison::of_groups([&a, &b], &prior).outcome(1));
            (part, vec![outcome])
        });
        let paths = groups.concat().into_iter().map(|(path, _)| path).collect();
        Ok(Self { paths, group_a: Some(count_a), outcomes: outcomes.to_vec(), checks })
    }

    /// Returns the sides of the comparison: each is a single check, or a group.
    pub fn sides(&self) -> Vec<&[Arc<FinishedCheck>]> {
        match self.group_a {
            Some(count) => {
                <[_; 2]>::from(self.checks.split_at(count.min(self.checks.len()))).to_vec()
            }
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

/// Returns the outcome of a part of a check compared with the same part of the first check; `None`
/// if either check lacks the part.
fn outcome(
    part: Part,
    checks: &[Arc<FinishedCheck>],
    check: &FinishedCheck,
    store: Option<&Store>,
) -> Option<Outcome> {
    let (before, after) = (checks.first()?.shown(part)?, check.shown(part)?);
    let runs: [(&Run, &Report); 2] =
        [before, after].map(|shown| (shown.run.as_ref(), &shown.report));
    Some(repeats::compare(&runs, 0, store, None).outcome(1))
}
