//! A quick check that is over: measured now, or opened from its runs.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::{CheckSettings, Part};
use jitterscope_engine::report::Chart;
use jitterscope_engine::report::quick::{Scorecard, lateness_chart};
use jitterscope_engine::run::Ending;
use jitterscope_engine::store::Store;

use super::shown::LoadedRun;
use crate::text::nanos_between;

/// A check that is over.
#[derive(Clone, Debug)]
pub struct FinishedCheck {
    /// Its parts with their runs; absent where one was skipped.
    pub parts: Vec<(Part, Option<Arc<LoadedRun>>)>,
    /// What they say together.
    pub card: Scorecard,
    /// How late its frames started; absent where neither frame loop was measured.
    pub chart: Option<Chart>,
    /// When it began.
    pub began: jiff::Timestamp,
    /// How long it took.
    pub took: Nanos,
    /// How it ended: as the first of its runs that was not finished.
    pub ending: Ending,
    /// The host whose connection was lost before it was finished.
    pub lost: Option<String>,
}

impl FinishedCheck {
    /// Judges a check.
    pub(super) fn of(
        parts: Vec<(Part, Option<Arc<LoadedRun>>)>,
        began: jiff::Timestamp,
        took: Nanos,
    ) -> Self {
        let measured: Vec<_> = parts
            .iter()
            .map(|(part, shown)| {
                (*part, shown.as_ref().map(|shown| (shown.run.as_ref(), &shown.report)))
            })
            .collect();
        let (card, chart) = (Scorecard::of(&measured), lateness_chart(&measured));
        let mut endings = measured.iter().filter_map(|(_, shown)| Some(&shown.as_ref()?.0.ending));
        let ending = endings.find(|ending| **ending != Ending::Finished).cloned();
        let ending = ending.unwrap_or(Ending::Finished);
        Self { parts, card, chart, began, took, ending, lost: None }
    }

    /// Opens a check from these files; the newest run of each part counts. It is saved where they are in this
    /// folder of runs. Takes a while.
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
        let newest =
            |part: Part| (part, runs.iter().find(|shown| part_of(shown) == Some(part)).cloned());
        Ok(Self::of(Part::ALL.map(newest).to_vec(), began, took))
    }

    /// The run of a part.
    pub fn shown(&self, part: Part) -> Option<&Arc<LoadedRun>> {
        self.parts.iter().find(|(one, _)| *one == part).and_then(|(_, shown)| shown.as_ref())
    }

    /// Its measured runs.
    pub fn runs(&self) -> impl Iterator<Item = &Arc<LoadedRun>> {
        self.parts.iter().filter_map(|(_, shown)| shown.as_ref())
    }

    /// Where its runs are saved.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.runs().filter_map(|shown| shown.path.clone()).collect()
    }
}

/// The part of a check that a run is.
pub(super) fn part_of(shown: &LoadedRun) -> Option<Part> {
    shown.run.plan().and_then(Part::of)
}
