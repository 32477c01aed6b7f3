//! One turn of a measuring loop, what the system counted around a late one, and a table of many.

mod column;
mod file;
mod trace;
mod wait_reasons;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

pub(crate) use column::{COLUMN, Cells};
pub use column::{Column, MISSING, Values};
pub(crate) use file::{EvidenceColumns, SampleList};
pub use trace::{
    OUTSIDE, OUTSIDE_NAME, TRACE_LEAD, ThreadOwner, TraceEvent, TraceRecord, UNKNOWN_THREAD,
};
pub use wait_reasons::WaitReasons;

/// One turn of a measuring loop; instants are counted from the trial's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When the loop began to wait.
    pub began: Nanos,
    /// When the wait was due to end.
    pub due: Nanos,
    /// When the operating system's sleep came back, before any spinning; absent for a pure spin
    /// and where `due` had already passed.
    pub slept: Option<Nanos>,
    /// The first clock read at or after `due`.
    pub woke: Nanos,
    /// When the work was done.
    pub done: Nanos,
    /// Turns of the spin part.
    pub spins: u32,
    /// The logical CPU on which the thread woke, where the system reports it.
    pub cpu: Option<u32>,
}

impl Sample {
    /// How long after it was due the thread ran again; negative if early.
    pub fn late(&self) -> Nanos {
        self.woke - self.due
    }
}

/// What the operating system counted around one late sample; absent where it does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Position of the sample in its trial.
    pub index: u64,
    /// Times the thread was taken off its CPU against its will.
    pub involuntary_switches: Option<u32>,
    /// Times the thread gave its CPU away, the wait itself included.
    pub voluntary_switches: Option<u32>,
    /// Page faults served without a disk.
    pub minor_faults: Option<u32>,
    /// Page faults that waited for a disk.
    pub major_faults: Option<u32>,
    /// Time the thread was ready to run and did not.
    pub run_delay: Option<Nanos>,
    /// Time the hypervisor gave the machine's CPUs to others, all CPUs together; only in older files,
    /// since it is read per trial.
    pub steal: Option<Nanos>,
    /// The CPU of the wake-up before.
    pub cpu_before: Option<u32>,
    /// The CPU of this wake-up.
    pub cpu_after: Option<u32>,
    /// When the work began, once the counters were read, counted from the trial's start; absent in
    /// older files, where reading them was part of the work.
    pub work_started: Option<Nanos>,
    /// Context switches of either kind, where the system does not count them apart.
    pub switches: Option<u32>,
    /// Why the thread waited.
    pub wait_reasons: Option<WaitReasons>,
    /// Time its CPU spent on interrupts and deferred calls; absent where it moved to another CPU.
    pub interrupt_time: Option<Nanos>,
}

/// The columns of a table of samples; all of one length. Instants are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Columns {
    /// When each loop began to wait.
    #[serde(rename = "began_nanos", with = "Cells::<i64>")]
    pub began: Column,
    /// When each wait was due to end.
    #[serde(rename = "due_nanos", with = "Cells::<i64>")]
    pub due: Column,
    /// When each sleep came back, or [`MISSING`].
    #[serde(rename = "slept_nanos")]
    pub slept: Column,
    /// When each thread ran again.
    #[serde(rename = "woke_nanos", with = "Cells::<i64>")]
    pub woke: Column,
    /// When each work was done.
    #[serde(rename = "done_nanos", with = "Cells::<i64>")]
    pub done: Column,
    /// Turns of each spin.
    #[serde(with = "Cells::<u32>")]
    pub spins: Column,
    /// The CPU of each wake-up, or [`MISSING`].
    #[serde(with = "Cells::<Option<u32>>")]
    pub cpu: Column,
}

/// Many samples, a column for each field: about 8 bytes a sample at a steady pace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Samples {
    columns: Columns,
}

impl Samples {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes columns; `None` if their lengths differ.
    pub fn from_columns(columns: Columns) -> Option<Self> {
        let Columns { began, due, slept, woke, done, spins, cpu } = &columns;
        let fits = [began, due, slept, done, spins, cpu].iter().all(|one| one.len() == woke.len());
        fits.then_some(Self { columns })
    }

    /// The columns.
    pub const fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.columns.woke.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.columns.woke.is_empty()
    }

    /// Adds one at the end.
    pub fn push(&mut self, sample: &Sample) {
        let Columns { began, due, slept, woke, done, spins, cpu } = &mut self.columns;
        began.push(sample.began.get());
        due.push(sample.due.get());
        slept.push(sample.slept.map_or(MISSING, Nanos::get));
        woke.push(sample.woke.get());
        done.push(sample.done.get());
        spins.push(i64::from(sample.spins));
        cpu.push(sample.cpu.map_or(MISSING, i64::from));
    }

    /// The sample at a position. Time: O(1).
    pub fn get(&self, index: usize) -> Option<Sample> {
        let Columns { began, due, slept, woke, done, spins, cpu } = &self.columns;
        Some(Sample {
            began: Nanos::new(began.get(index)?),
            due: Nanos::new(due.get(index)?),
            slept: instant(slept.get(index)?),
            woke: Nanos::new(woke.get(index)?),
            done: Nanos::new(done.get(index)?),
            spins: count(spins.get(index)?),
            cpu: number(cpu.get(index)?),
        })
    }

    /// All samples in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sample> + '_ {
        self.iter_from(0)
    }

    /// The samples from a position on, in order.
    pub fn iter_from(&self, index: usize) -> impl ExactSizeIterator<Item = Sample> + '_ {
        let Columns { began, due, slept, woke, done, spins, cpu } = &self.columns;
        let instants = began.values_from(index).zip(due.values_from(index));
        let instants = instants.zip(woke.values_from(index)).zip(done.values_from(index));
        let others = slept.values_from(index).zip(spins.values_from(index));
        let others = others.zip(cpu.values_from(index));
        instants.zip(others).map(|((((began, due), woke), done), ((slept, spins), cpu))| Sample {
            began: Nanos::new(began),
            due: Nanos::new(due),
            slept: instant(slept),
            woke: Nanos::new(woke),
            done: Nanos::new(done),
            spins: count(spins),
            cpu: number(cpu),
        })
    }

    /// The last one.
    pub fn last(&self) -> Option<Sample> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Nanoseconds at which each sample was due.
    pub fn due_nanos(&self) -> Values<'_> {
        self.columns.due.values()
    }

    /// Nanoseconds at which each sample woke.
    pub fn woke_nanos(&self) -> Values<'_> {
        self.columns.woke.values()
    }

    /// Nanoseconds at which each sample's work was done.
    pub fn done_nanos(&self) -> Values<'_> {
        self.columns.done.values()
    }

    /// Nanoseconds at which each loop began to wait.
    pub fn began_nanos(&self) -> Values<'_> {
        self.columns.began.values()
    }

    /// Nanoseconds at which each sleep came back, or [`MISSING`].
    pub fn slept_nanos(&self) -> Values<'_> {
        self.columns.slept.values()
    }

    /// How many samples slept.
    pub fn slept_count(&self) -> usize {
        self.slept_nanos().filter(|&slept| slept != MISSING).count()
    }

    /// Turns of each spin.
    pub fn spins(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.columns.spins.values().map(count)
    }

    /// The CPU of each wake-up.
    pub fn cpus(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.columns.cpu.values().map(number)
    }

    /// Lateness of each sample in nanoseconds, in order of time, without a list of them.
    pub fn lateness(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.woke_nanos().zip(self.due_nanos()).map(|(woke, due)| woke.saturating_sub(due))
    }

    /// Lateness of each sample in nanoseconds, in order of time.
    pub fn late_nanos(&self) -> Vec<i64> {
        self.lateness().collect()
    }

    /// How long each wait took in nanoseconds, in order of time: `woke − began`.
    pub fn actual_nanos(&self) -> Vec<i64> {
        let both = self.woke_nanos().zip(self.began_nanos());
        both.map(|(woke, began)| woke.saturating_sub(began)).collect()
    }

    /// The start of each sample's work in nanoseconds: the wake-up, or the end of reading the counters after
    /// it. If samples were lost, evidence cannot be assigned and work starts at the wake-up.
    pub fn work_started_nanos<'a>(
        &'a self,
        evidence: &'a [Evidence],
        lost_count: u64,
    ) -> impl ExactSizeIterator<Item = i64> + 'a {
        let mut evidence = evidence.iter().filter(move |_| lost_count == 0).peekable();
        self.woke_nanos().enumerate().map(move |(index, woke)| {
            let index = u64::try_from(index).unwrap_or(u64::MAX);
            while evidence.next_if(|piece| piece.index < index).is_some() {}
            let piece = evidence.next_if(|piece| piece.index == index);
            piece.and_then(|piece| piece.work_started).map_or(woke, Nanos::get)
        })
    }

    /// Time from each wake-up to the next in nanoseconds: one fewer than there are samples.
    pub fn frame_time_nanos(&self) -> Vec<i64> {
        let pairs = self.woke_nanos().zip(self.woke_nanos().skip(1));
        pairs.map(|(woke, next)| next.saturating_sub(woke)).collect()
    }
}

/// An instant of a column, if there is one.
fn instant(nanos: i64) -> Option<Nanos> {
    (nanos != MISSING).then_some(Nanos::new(nanos))
}

/// A number of a column, if there is one.
fn number(value: i64) -> Option<u32> {
    u32::try_from(value).ok()
}

/// A count of a column, which only receives counts.
fn count(value: i64) -> u32 {
    number(value).unwrap_or_default()
}

impl Extend<Sample> for Samples {
    fn extend<I: IntoIterator<Item = Sample>>(&mut self, samples: I) {
        for sample in samples {
            self.push(&sample);
        }
    }
}

impl FromIterator<Sample> for Samples {
    fn from_iter<I: IntoIterator<Item = Sample>>(samples: I) -> Self {
        let mut table = Self::new();
        table.extend(samples);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_gives_back_what_was_put_in() {
        let with = Sample {
            began: Nanos::new(1),
            due: Nanos::new(5),
            slept: Some(Nanos::new(4)),
            woke: Nanos::new(6),
            done: Nanos::new(9),
            spins: 3,
            cpu: Some(0),
        };
        let without = Sample { slept: None, cpu: None, ..with };
        let samples: Samples = [with, without].into_iter().collect();
        assert_eq!(samples.iter().collect::<Vec<_>>(), [with, without]);
        assert_eq!(samples.late_nanos(), [1, 1]);
        assert_eq!(samples.frame_time_nanos(), [0]);
    }
}
