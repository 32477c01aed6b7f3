//! How far to trust a quick check: samples, window, other programs and clock, each good or not.

use super::Measured;
use super::advice::{foreign_share, is_disturbed};
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::report::model::caution::HIDDEN;

/// A line of how far to trust a check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QualityCheck {
    /// What was measured.
    Samples {
        /// Frames of both loops.
        frames: usize,
        /// Sleeps.
        sleeps: usize,
        /// Samples that were lost.
        lost: u64,
    },
    /// For how long the window was hidden, or why that is absent.
    Window(Result<Nanos, &'static str>),
    /// CPU time of other programs.
    OtherPrograms {
        /// As a share of one CPU; absent where the system does not tell.
        share: Option<f64>,
        /// Whether it disturbed a measurement.
        is_disturbing: bool,
    },
    /// The clock.
    Clock {
        /// Its smallest step.
        step: Nanos,
        /// What a reading costs, in nanoseconds.
        read_nanos: f64,
        /// How often it went back.
        backward: u32,
    },
    /// For how long the machine slept since then.
    Slept(Nanos),
    /// The measuring code was built without optimization.
    DebugBuild,
}

impl QualityCheck {
    /// Whether it is no reason to trust the check less.
    pub fn is_good(&self) -> bool {
        match self {
            Self::Samples { lost, .. } => *lost == 0,
            Self::Window(hidden) => hidden.unwrap_or_default() <= HIDDEN,
            Self::OtherPrograms { is_disturbing, .. } => !is_disturbing,
            Self::Clock { step, backward, .. } => *backward == 0 && *step < Nanos::from_millis(1),
            Self::Slept(_) | Self::DebugBuild => false,
        }
    }
}

/// Every line, in a fixed order; what is only said where it is bad comes last.
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
    if let Some(slept) = total(|health| health.machine_slept).filter(|slept| Nanos::ZERO < *slept) {
        trust.push(QualityCheck::Slept(slept));
    }
    if runs.iter().any(|(run, _)| run.health.debug_build) {
        trust.push(QualityCheck::DebugBuild);
    }
    trust
}
