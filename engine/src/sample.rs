//! Samples: one iteration of a measuring loop, what the system counted around a late iteration, and a table of many
//! samples.

mod column;
mod counted_values;
mod file;
mod trace;
mod wait_reasons;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

pub(crate) use column::{COLUMN, Cells};
pub use column::{Column, MISSING, Values};
pub use counted_values::CountedValues;
pub(crate) use file::{EvidenceColumns, SampleList};
pub use trace::{
    OUTSIDE, OUTSIDE_NAME, TRACE_LEAD, ThreadOwner, TraceEvent, TraceRecord, UNKNOWN_THREAD,
    WakeContext,
};
pub use wait_reasons::WaitReasons;

/// One iteration of a measuring loop. Instants are nanoseconds from the trial's start; for gap probes, from the start
/// of the stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When the loop began to wait.
    pub began: Nanos,
    /// When the wait was due to end.
    pub due: Nanos,
    /// When the sleep of the operating system returned, before any spinning; absent for a pure spin and if `due` had
    /// already passed when the wait began.
    pub slept: Option<Nanos>,
    /// The first clock reading at or after `due`.
    pub woke: Nanos,
    /// When the work was done.
    pub done: Nanos,
    /// Number of spin iterations.
    pub spins: u32,
    /// The logical CPU on which the thread woke; absent if the system does not report it.
    pub cpu: Option<u32>,
}

impl Sample {
    /// Returns the lateness: the time from `due` to `woke`; negative if the wake-up was early.
    pub fn late(&self) -> Nanos {
        self.woke - self.due
    }
}

/// What the operating system counted around one late sample. A value is absent if the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Position of the sample in its trial, from 0.
    pub index: u64,
    /// Number of involuntary context switches: the thread was removed from its CPU while it was ready to run.
    pub involuntary_switches: Option<u32>,
    /// Number of voluntary context switches: the thread gave up its CPU. The wait itself counts.
    pub voluntary_switches: Option<u32>,
    /// Number of page faults that were served without disk access.
    pub minor_faults: Option<u32>,
    /// Number of page faults that waited for a disk.
    pub major_faults: Option<u32>,
    /// Time for which the thread was ready to run but did not run.
    pub run_delay: Option<Nanos>,
    /// Time for which the hypervisor used the CPUs of this machine for something else, all CPUs together. Only older
    /// files have it, because newer versions measure it per trial.
    pub steal: Option<Nanos>,
    /// The CPU on which the thread woke before the previous work.
    pub cpu_before: Option<u32>,
    /// The CPU on which the thread woke for this sample.
    pub cpu_after: Option<u32>,
    /// When the work began, after the counters were read, from the trial's start; absent in older files, where reading
    /// the counters counted as work.
    pub work_started: Option<Nanos>,
    /// Context switches of either kind, if the system does not count voluntary and involuntary switches separately.
    pub switches: Option<u32>,
    /// Why the thread waited (Windows).
    pub wait_reasons: Option<WaitReasons>,
    /// Time its CPU spent on interrupts and deferred calls; absent if the thread moved to another CPU.
    pub interrupt_time: Option<Nanos>,
}

/// The columns of a table of samples, all of the same length. Instants are nanoseconds from the trial's start; for gap
/// probes, from the start of the stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Columns {
    /// When the loop began to wait.
    #[serde(rename = "began_nanos", with = "Cells::<i64>")]
    pub began: Column,
    /// When the wait was due to end.
    #[serde(rename = "due_nanos", with = "Cells::<i64>")]
    pub due: Column,
    /// When the sleep returned, or [`MISSING`] if there was no sleep.
    #[serde(rename = "slept_nanos")]
    pub slept: Column,
    /// When the thread woke.
    #[serde(rename = "woke_nanos", with = "Cells::<i64>")]
    pub woke: Column,
    /// When the work was done.
    #[serde(rename = "done_nanos", with = "Cells::<i64>")]
    pub done: Column,
    /// Number of spin iterations.
    #[serde(with = "Cells::<u32>")]
    pub spins: Column,
    /// The CPU on which the thread woke, or [`MISSING`].
    #[serde(with = "Cells::<Option<u32>>")]
    pub cpu: Column,
}

/// A table of samples, with one column per field: about 8 bytes per sample at a steady pace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Samples {
    columns: Columns,
}

impl Samples {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a table from columns; `None` if the columns differ in length.
    pub fn from_columns(columns: Columns) -> Option<Self> {
        let Columns { began, due, slept, woke, done, spins, cpu } = &columns;
        let fits = [began, due, slept, done, spins, cpu].iter().all(|one| one.len() == woke.len());
        fits.then_some(Self { columns })
    }

    /// Returns the columns.
    pub const fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.columns.woke.len()
    }

    /// Returns whether the table has no samples.
    pub fn is_empty(&self) -> bool {
        self.columns.woke.is_empty()
    }

    /// Adds a sample at the end.
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

    /// Returns the sample at a position; `None` beyond the last sample. Time: O(1).
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

    /// Returns all samples in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sample> + '_ {
        self.iter_from(0)
    }

    /// Returns the samples from a position to the end, in order.
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

    /// Returns the last sample; `None` if the table is empty.
    pub fn last(&self) -> Option<Sample> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Returns when each sample was due, in nanoseconds from the trial's start; for gap probes, from the stage's start.
    pub fn due_nanos(&self) -> Values<'_> {
        self.columns.due.values()
    }

    /// Returns when each sample woke, in nanoseconds from the trial's start; for gap probes, from the stage's start.
    pub fn woke_nanos(&self) -> Values<'_> {
        self.columns.woke.values()
    }

    /// Returns when the work of each sample was done, in nanoseconds from the trial's start; for gap probes, from the
    /// stage's start.
    pub fn done_nanos(&self) -> Values<'_> {
        self.columns.done.values()
    }

    /// Returns when the loop began to wait for each sample, in nanoseconds from the trial's start; for gap probes, from
    /// the stage's start.
    pub fn began_nanos(&self) -> Values<'_> {
        self.columns.began.values()
    }

    /// Returns when each sleep returned, in nanoseconds from the trial's start, or [`MISSING`] if there was no sleep.
    pub fn slept_nanos(&self) -> Values<'_> {
        self.columns.slept.values()
    }

    /// Returns the number of samples whose wait included a sleep of the operating system.
    pub fn slept_count(&self) -> usize {
        self.slept_nanos().filter(|&slept| slept != MISSING).count()
    }

    /// Returns the number of spin iterations of each sample.
    pub fn spins(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.columns.spins.values().map(count)
    }

    /// Returns the CPU on which the thread woke for each sample; `None` if it is not known.
    pub fn cpus(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.columns.cpu.values().map(number)
    }

    /// Iterates over the lateness of each sample in nanoseconds, in order of time.
    pub fn lateness(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.woke_nanos().zip(self.due_nanos()).map(|(woke, due)| woke.saturating_sub(due))
    }

    /// Returns the lateness of each sample in nanoseconds, in order of time.
    pub fn late_nanos(&self) -> Vec<i64> {
        self.lateness().collect()
    }

    /// Returns the duration of each wait in nanoseconds, in order of time: `woke − began`.
    pub fn actual_nanos(&self) -> Vec<i64> {
        let both = self.woke_nanos().zip(self.began_nanos());
        both.map(|(woke, began)| woke.saturating_sub(began)).collect()
    }

    /// Returns when the work of each sample began, in nanoseconds from the trial's start: after the counters were read,
    /// or else at the wake-up. If samples were lost, the reads cannot be assigned to samples, and every work
    /// starts at its wake-up.
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

    /// Returns the time from each wake-up to the next in nanoseconds: one value fewer than there are samples.
    pub fn frame_time_nanos(&self) -> Vec<i64> {
        let pairs = self.woke_nanos().zip(self.woke_nanos().skip(1));
        pairs.map(|(woke, next)| next.saturating_sub(woke)).collect()
    }
}

/// Converts a value of a column to an instant; `None` if the value is [`MISSING`].
fn instant(nanos: i64) -> Option<Nanos> {
    (nanos != MISSING).then_some(Nanos::new(nanos))
}

/// Converts a value of a column to a number; `None` if it is missing or does not fit.
fn number(value: i64) -> Option<u32> {
    u32::try_from(value).ok()
}

/// Converts a value of a column of counts. Values that do not fit become 0.
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
