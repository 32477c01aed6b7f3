//! The loop of game cycles: one after the other, on a pool of exactly so many threads.

use std::sync::atomic::AtomicBool;

use super::hot_loop::Ended;
use super::recorder::Recorder;
use crate::nanos::Nanos;
use crate::plan::work::GameCycle;
use crate::run::Counters;
use crate::sample::Sample;

/// Game cycles with everything filled in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    /// The world.
    pub(super) cycle: GameCycle,
    /// How long cycles run before they count, at least 20 of them.
    pub(super) warm_up: Nanos,
    /// How long they count.
    pub(super) length: Nanos,
}

/// Runs cycles until the time is up or until told to stop.
pub(super) fn run_ticks(
    _ticks: &Ticks,
    _stop: &AtomicBool,
    _samples: &mut Recorder<Sample>,
    _counters: &mut Counters,
    mut measured: impl FnMut(),
) -> Ended {
    measured();
    Ended { slots: 0, complete: false }
}
