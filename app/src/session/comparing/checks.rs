//! Quick checks compared, part by part.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::Report;
use jitterscope_engine::report::comparison::{MAX_RUNS, Outcome};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{Store, repeats};

use crate::session::finished_check::FinishedCheck;

/// Quick checks and what they say of each other; the first is the baseline.
#[derive(Debug)]
pub struct CheckComparison {
    /// The entries of the library that they are.
    pub paths: Vec<PathBuf>,
    /// The checks.
    pub checks: Vec<Arc<FinishedCheck>>,
    /// What each part of each check is against the baseline; absent where one of the two was not measured.
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
        Ok(Self { paths, checks: opened, outcomes: outcomes.to_vec() })
    }

    /// The runs of a part that can be compared one by one, and their files.
    pub fn files_of(&self, part: Part) -> Vec<PathBuf> {
        let shown = self.checks.iter().filter_map(|check| check.shown(part)?.path.clone());
        shown.collect()
    }
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
    Some(repeats::compare(&runs, 0, store).outcome(1))
}
