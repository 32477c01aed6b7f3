//! Lanes of a timeline around a late sample: the occupants of each CPU, and the states of the
//! measuring thread.

use super::super::evidence;
use super::states::{self, Piece, State};
use super::{Occupant, Records};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::run::TrialRun;
use crate::sample::Sample;

/// Max number of CPU lanes per sample.
const MAX_CPUS: usize = 3;

/// The begin and end of an interval, relative to the start of the trial.
type Stretch = (Nanos, Nanos);

/// The trace records of a trial, for lookups of the occupants of CPUs by sample.
#[derive(Debug)]
pub struct Occupancy(Records);

/// The lanes around a late sample; the intervals of each lane are in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// When the sample was due.
    pub due: Nanos,
    /// When the sample woke.
    pub woke: Nanos,
    /// When the work of the sample was done.
    pub done: Nanos,
    /// The CPUs on which the thread ran or for which it waited, in ascending order, with their
    /// occupants. Intervals that were not recorded are absent.
    pub cpus: Vec<(u32, Vec<(Occupant, Stretch)>)>,
    /// The states of the measuring thread.
    pub own: Vec<(State, Stretch)>,
}

impl Occupancy {
    /// Reads the trace of a trial; `None` if the trial has no trace. Time: O(n log n).
    pub fn of(trial: &TrialRun) -> Option<Self> {
        Records::of(trial).map(Self)
    }

    /// Returns the lanes of the sample at position `index`, from the previous wake-up to the end of
    /// the sample's work; `None` if the records of that time are missing. Time: O(n) in the records of
    /// the CPUs on which the thread ran.
    pub fn lanes(&self, trial: &TrialRun, index: usize) -> Option<Lanes> {
        let Self(records) = self;
        let sample = trial.samples.get(index)?;
        let before = index.checked_sub(1).and_then(|before| trial.samples.get(before));
        let from = before.map_or(sample.began, |before| before.woke).min(sample.began);
        let is_over = records.records.last().is_none_or(|last| last.at < sample.due);
        if is_over || !records.completeness.is_saved(&sample) {
            return None;
        }
        let own = records.own_between(from, sample.done)?;
        let mut pieces = states::pieces_until(own, &sample, sample.done);
        let run_delay = evidence(trial, index).and_then(|evidence| evidence.run_delay);
        let woke = pieces.partition_point(|piece| piece.from <= sample.woke);
        let after = pieces.split_off(woke);
        states::split_by_run_delay(&mut pieces, before.as_ref(), &sample, run_delay);
        pieces.extend(after);
        for piece in &mut pieces {
            piece.from = piece.from.max(from);
        }
        pieces.retain(|piece| piece.from < piece.to);
        let is_around = |piece: &&Piece| {
            sample.due < piece.to && matches!(piece.state, State::Running | State::Ready)
        };
        let mut cpus: Vec<u32> =
            pieces.iter().filter(is_around).map(|piece| piece.cpu).chain(sample.cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        cpus.truncate(MAX_CPUS);
        let lane = |cpu: u32| (cpu, records.lane(cpu, &pieces, from, &sample));
        Some(Lanes {
            due: sample.due,
            woke: sample.woke,
            done: sample.done,
            cpus: cpus.into_iter().map(lane).collect(),
            own: pieces.iter().map(|piece| (piece.state, (piece.from, piece.to))).collect(),
        })
    }
}

impl Records {
    fn lane(
        &self,
        cpu: u32,
        pieces: &[Piece],
        from: Nanos,
        sample: &Sample,
    ) -> Vec<(Occupant, Stretch)> {
        if self.source == TraceSource::OwnSwitches {
            // Only the thread's own switches are recorded: while it waited for a CPU, an unknown
            // thread used that CPU.
            let occupant = |piece: &Piece| match piece.state {
                State::Running => Some((Occupant::Own, (piece.from, piece.to))),
                State::Ready => Some((Occupant::Thread(None), (piece.from, piece.to))),
                _ => None,
            };
            return pieces.iter().filter(|piece| piece.cpu == cpu).filter_map(occupant).collect();
        }
        let Some(known) = self.known_from(cpu, sample.due) else { return Vec::new() };
        let from = known.max(from);
        if sample.done <= from { Vec::new() } else { self.occupants(cpu, (from, sample.done)) }
    }
}
