//! The measurement quality of a Quick check: samples, window, other programs, and clock, each good
//! or not.

use super::Measured;
use super::advice::{foreign_share, is_disturbed};
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::report::model::caution::HIDDEN;

/// One line of the measurement quality of a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QualityCheck {
    /// The number of samples.
    Samples {
        /// The number of frames of both frame loops.
        frames: usize,
        /// The number of sleeps.
        sleeps: usize,
        /// The number of samples of any part that were lost.
        lost: u64,
    },
    /// For how long the window of this program was hidden, or why this time is not known.
    Window(Result<Nanos, &'static str>),
    /// CPU time of other programs.
    OtherPrograms {
        /// The max CPU time in any part, as a share of one CPU; absent if the system does not report it.
        share: Option<f64>,
        /// Whether other programs disturbed a measurement.
        is_disturbing: bool,
    },
    /// The clock that the measurement used.
    Clock {
        /// The clock resolution.
        step: Nanos,
        /// The clock read overhead, in nanoseconds.
        read_nanos: f64,
        /// How often the clock went backward.
        backward: u32,
    },
    /// For how long the PC slept during the check.
    Slept(Nanos),
    /// The measuring code was built without optimization.
    DebugBuild,
    /// An exported file of a run was changed after it was written.
    EditedAfterExport,
}

impl QualityCheck {
    /// Whether this line is good: it gives no reason to doubt the result.
    pub fn is_good(&self) -> bool {
        match self {
            Self::Samples { lost, .. } => *lost == 0,
            Self::Window(hidden) => hidden.unwrap_or_default() <= HIDDEN,
            Self::OtherPrograms { is_disturbing, .. } => !is_disturbing,
            Self::Clock { step, backward, .. } => *backward == 0 && *step < Nanos::from_millis(1),
            Self::Slept(_) | Self::DebugBuild | Self::EditedAfterExport => false,
        }
    }

    /// Whether nothing is known that this line could judge, so that it is no reason to trust the result either.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::OtherPrograms { share: None, is_disturbing: false })
    }
}

/// Returns the lines in a fixed order. The lines about the sleep of the PC, a debug build, and an
/// edited file, which appear only if there is a problem, come last.
pub(super) fn of(parts: &[Measured<'_>]) -> Vec<QualityCheck> {
    let runs: Vec<_> = parts.iter().filter_map(|(_, measured)| *measured).collect();
    let Some((first, _)) = runs.first() else { return Vec::new() };
    let count = |wanted: &[Part]| -> usize {
        let of = parts.iter().filter(|(part, _)| wanted.contains(part));
        of.filter_map(|(_, measured)| Some(measured.as_ref()?.0.sample_count())).sum()
    };
    let total = |of: fn(&crate::run::Health) -> Option<Nanos>| {
        runs.iter()
            .filter_map(|(run, _)| of(&run.health))
            .fold(None, |sum: Option<Nanos>, one| Some(sum.unwrap_or_default() + one))
    };
    let backward = runs.iter().map(|(run, _)| run.health.clock_backwards_count).max();
    let mut trust = vec![
        QualityCheck::Samples {
            frames: count(&[Part::FrameIdle, Part::FrameLoad]),
            sleeps: count(&[Part::Sleep]),
            lost: runs.iter().map(|(run, _)| run.lost_count()).sum(),
        },
        QualityCheck::Window(
            total(|health| health.window_hidden).map_or_else(|| first.window_hidden(), Ok),
        ),
        QualityCheck::OtherPrograms {
            share: foreign_share(parts),
            is_disturbing: is_disturbed(parts),
        },
        QualityCheck::Clock {
            step: first.clock.resolution,
            read_nanos: first.clock.read_cost_nanos,
            backward: backward.unwrap_or(0),
        },
    ];
    let slept = total(|health| health.machine_slept).filter(|slept| Nanos::ZERO < *slept);
    trust.extend(slept.map(QualityCheck::Slept));
    let is_debug_build = runs.iter().any(|(run, _)| run.health.debug_build);
    trust.extend(is_debug_build.then_some(QualityCheck::DebugBuild));
    let is_edited = runs.iter().any(|(run, _)| run.health.edited_after_export);
    trust.extend(is_edited.then_some(QualityCheck::EditedAfterExport));
    trust
}
