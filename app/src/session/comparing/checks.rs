//! Quick checks compared, part by part.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::comparison::{MAX_RUNS, Outcome};
use jitterscope_engine::report::{Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{Store, repeats};

use crate::session::finished_check::FinishedCheck;
use crate::session::shown::LoadedRun;

/// Quick checks and what they say of each other; the first is the baseline.
#[derive(Debug)]
pub struct CheckComparison {
    /// The entries of the library that they are.
    pub paths: Vec<PathBuf>,
    /// The checks. Where groups are compared, those of A and then those of B.
    pub checks: Vec<Arc<FinishedCheck>>,
    /// How many of the checks are group A, where groups are compared.
    pub group_a: Option<usize>,
    /// What each part of each check or group is against the baseline; absent where one of the two was not measured.
    pub outcomes: Vec<(Part, Vec<Option<Outcome>>)>,
}

impl CheckComparison {
    /// Opens and compares checks: the path of each entry with its files. Takes a while.
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

    /// Opens and compares two groups of checks. Takes a while.
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

    /// The checks of each side: one, or a group.
    pub fn sides(&self) -> Vec<&[Arc<FinishedCheck>]> {
        match self.group_a {
            Some(count) => {
                <[_; 2]>::from(self.checks.split_at(count.min(self.checks.len()))).to_vec()
            }
            None => self.checks.chunks(1).collect(),
        }
    }

    /// The parts that every check has, each with the runs of the checks in their order.
    pub fn common(&self) -> Vec<(Part, Vec<&Arc<LoadedRun>>)> {
        let of = |part: Part| {
            let runs = self.checks.iter().map(|check| check.shown(part));
            Some((part, runs.collect::<Option<Vec<_>>>()?))
        };
        Part::ALL.into_iter().filter_map(of).collect()
    }

    /// The files of a part on each side, as far as it was measured.
    pub fn files_of(&self, part: Part) -> Vec<Vec<PathBuf>> {
        let file = |check: &Arc<FinishedCheck>| check.shown(part)?.path.clone();
        self.sides().into_iter().map(|side| side.iter().filter_map(file).collect()).collect()
    }
}

/// The runs of a part in a group of checks, with what they mean.
fn evaluated(part: Part, group: &[Arc<FinishedCheck>]) -> Vec<(&Run, &Report)> {
    let shown = group.iter().filter_map(|check| check.shown(part));
    shown.map(|shown| (shown.run.as_ref(), &shown.report)).collect()
}

/// What a part of a check is against the same part of the first one.
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
