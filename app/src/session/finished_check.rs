//! A completed quick check: measured now, or opened from its runs.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::{CheckSettings, Part};
use jitterscope_engine::report::Chart;
use jitterscope_engine::report::quick::{Measured, Scorecard, lateness_chart};
use jitterscope_engine::run::Ending;
use jitterscope_engine::store::Store;

use super::shown::LoadedRun;
use crate::run_list::is_skipped;
use crate::text::nanos_between;

/// A completed quick check.
#[derive(Clone, Debug)]
pub struct FinishedCheck {
    /// The parts with their runs; `None` if the part was skipped.
    pub parts: Vec<(Part, Option<Arc<LoadedRun>>)>,
    /// The verdict over all parts.
    pub card: Scorecard,
    /// The plot of lateness; `None` if no frame loop was measured.
    pub chart: Option<Chart>,
    /// When the check began.
    pub began: jiff::Timestamp,
    /// The duration of the check.
    pub took: Nanos,
    /// How the check ended: the ending of its first unfinished run.
    pub ending: Ending,
    /// The host whose connection was lost before the check was complete.
    pub lost: Option<String>,
}

impl FinishedCheck {
    /// Creates a completed check from its parts, and computes the verdict over all parts. The check began with its first
    /// run, as lists of runs show it, or at `began` if none of its runs is left.
    pub(super) fn of(
        parts: Vec<(Part, Option<Arc<LoadedRun>>)>,
        began: jiff::Timestamp,
        took: Nanos,
    ) -> Self {
        let measured = measured(&parts);
        let (card, chart) = (Scorecard::of(&measured), lateness_chart(&measured));
        let mut endings = measured.iter().filter_map(|(_, shown)| Some(&shown.as_ref()?.0.ending));
        let ending = endings.find(|ending| **ending != Ending::Finished).cloned();
        let ending = ending.unwrap_or(Ending::Finished);
        let starts = measured.iter().filter_map(|(_, shown)| Some(shown.as_ref()?.0.started_at));
        let began = starts.min().unwrap_or(began);
        Self { parts, card, chart, began, took, ending, lost: None }
    }

    /// Opens a check from these files and uses the newest run of each part that was not skipped.
    /// Only files in the folder of `store` count as saved. Blocks while files are read.
    pub(super) fn open(paths: &[PathBuf], store: Option<&Store>) -> Result<Self, String> {
        let open = |path: &PathBuf| Ok(Arc::new(LoadedRun::open(path)?.into_saved_in(store)));
        let mut runs: Vec<Arc<LoadedRun>> =
            paths.iter().map(open).collect::<Result<_, String>>()?;
        runs.sort_by_key(|shown| std::cmp::Reverse(shown.run.started_at));
        let (Some(last), Some(first)) = (runs.first(), runs.last()) else {
            return Err("it has no runs".to_owned());
        };
        let began = first.run.started_at;
        let of_last =
            part_of(last).map_or(Nanos::ZERO, |part| part.length(&CheckSettings::default()));
        let took = nanos_between(began, last.run.started_at) + of_last;
        let groups = || runs.iter().filter_map(|shown| shown.run.group.as_ref());
        let newest = |part: Part| {
            let of_part = runs.iter().find(|shown| part_of(shown) == Some(part));
            (part, of_part.filter(|_| !is_skipped(part, groups())).cloned())
        };
        Ok(Self::of(Part::ALL.map(newest).to_vec(), began, took))
    }

    /// Returns the run of a part; `None` if the part was skipped.
    pub fn shown(&self, part: Part) -> Option<&Arc<LoadedRun>> {
        self.parts.iter().find(|(one, _)| *one == part).and_then(|(_, shown)| shown.as_ref())
    }

    /// Returns the runs of the measured parts, in the order of the parts.
    pub fn runs(&self) -> impl Iterator<Item = &Arc<LoadedRun>> {
        self.parts.iter().filter_map(|(_, shown)| shown.as_ref())
    }

    /// Returns the files of the saved runs.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.runs().filter_map(|shown| shown.path.clone()).collect()
    }
}

/// Returns the parts of a check with their runs and reports.
pub(super) fn measured(parts: &[(Part, Option<Arc<LoadedRun>>)]) -> Vec<Measured<'_>> {
    parts
        .iter()
        .map(|(part, shown)| {
            (*part, shown.as_ref().map(|shown| (shown.run.as_ref(), &shown.report)))
        })
        .collect()
}

/// Returns the part of a quick check to which a run belongs; `None` if it belongs to none.
pub(super) fn part_of(shown: &LoadedRun) -> Option<Part> {
    shown.run.plan().and_then(Part::of)
}
