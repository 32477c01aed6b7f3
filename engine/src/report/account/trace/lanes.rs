//! Who had each CPU around a late sample, and what the measuring thread did then: lanes of a time line.

use super::states::{self, Piece, State};
use super::{Occupant, Records};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::run::TrialRun;
use crate::sample::Evidence;

/// The most CPUs that a sample has a lane for.
const MAX_CPUS: usize = 3;

/// A stretch of time, from the trial's start.
type Stretch = (Nanos, Nanos);

/// The records of a trial, ready to be asked who had the CPUs.
#[derive(Debug)]
pub struct Occupancy(Records);

/// Stretches of time around a late sample, each lane in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// When the sample was due, when it woke, and when its work was done.
    pub due: Nanos,
    /// When it woke.
    pub woke: Nanos,
    /// When its work was done.
    pub done: Nanos,
    /// The CPUs on which the thread ran or for which it waited, by their numbers, and who had them.
    /// What was not recorded is left open.
    pub cpus: Vec<(u32, Vec<(Occupant, Stretch)>)>,
    /// What the thread did.
    pub own: Vec<(State, Stretch)>,
}

impl Occupancy {
    /// Reads the trace of a trial; `None` where it has none. Time: O(n log n).
    pub fn of(trial: &TrialRun) -> Option<Self> {
        Records::of(trial).map(Self)
    }

    /// The lanes of a sample, from the wake-up before it to the end of its work; `None` where its
    /// records are missing. Time: O(n) in the records of its CPUs.
    pub fn lanes(&self, trial: &TrialRun, index: usize) -> Option<Lanes> {
        let Self(records) = self;
        let sample = trial.samples.get(index)?;
        let before = index.checked_sub(1).and_then(|before| trial.samples.get(before));
        let from = before.map_or(sample.began, |before| before.woke).min(sample.began);
        if records.records.last().is_none_or(|last| last.at < sample.due) {
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
        let lane = |cpu: u32| (cpu, records.lane(cpu, &pieces, (from, sample.due, sample.done)));
        Some(Lanes {
            due: sample.due,
            woke: sample.woke,
            done: sample.done,
            cpus: cpus.into_iter().map(lane).collect(),
            own: pieces.iter().map(|piece| (piece.state, (piece.from, piece.to))).collect(),
        })
    }
}

/// What was counted around a sample; absent where samples were lost, since it points past them then.
fn evidence(trial: &TrialRun, index: usize) -> Option<&Evidence> {
    let number = u64::try_from(index).ok().filter(|_| trial.lost_count == 0)?;
    let at = trial.evidence.binary_search_by_key(&number, |piece| piece.index).ok()?;
    trial.evidence.get(at)
}

impl Records {
    fn lane(
        &self,
        cpu: u32,
        pieces: &[Piece],
        (from, due, done): (Nanos, Nanos, Nanos),
    ) -> Vec<(Occupant, Stretch)> {
        if self.source == TraceSource::OwnSwitches {
            // Only the thread itself is known, and that somebody else had the CPU for which it waited.
            let occupant = |piece: &Piece| match piece.state {
                State::Running => Some((Occupant::Own, (piece.from, piece.to))),
                State::Ready => Some((Occupant::Thread(None), (piece.from, piece.to))),
                _ => None,
            };
            return pieces.iter().filter(|piece| piece.cpu == cpu).filter_map(occupant).collect();
        }
        let Some(known) = self.known_from(cpu, due) else { return Vec::new() };
        let from = known.max(from);
        if done <= from { Vec::new() } else { self.occupants(cpu, (from, done)) }
    }
}
