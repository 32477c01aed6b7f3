//! One turn of a measuring loop, what the system counted around a late one, and a column of many.

use crate::nanos::Nanos;

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
    /// The logical CPU on which the thread woke, where the system tells.
    pub cpu: Option<u32>,
}

impl Sample {
    /// How long after it was due the thread ran again; negative if early.
    pub fn late(&self) -> Nanos {
        self.woke - self.due
    }

    /// How long the work after waking took.
    pub fn work(&self) -> Nanos {
        self.done - self.woke
    }
}

/// What the operating system counted around one late sample; absent where it does not tell.
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
    /// Time the hypervisor gave the machine's CPUs to others, all CPUs together.
    pub steal: Option<Nanos>,
    /// The CPU of the wake-up before.
    pub cpu_before: Option<u32>,
    /// The CPU of this wake-up.
    pub cpu_after: Option<u32>,
}

/// The columns of a table of samples, as a file holds them; all of one length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// When each loop began to wait.
    pub began: Vec<i64>,
    /// When each wait was due to end.
    pub due: Vec<i64>,
    /// When each sleep came back.
    pub slept: Vec<Option<i64>>,
    /// When each thread ran again.
    pub woke: Vec<i64>,
    /// When each work was done.
    pub done: Vec<i64>,
    /// Turns of each spin.
    pub spins: Vec<u32>,
    /// The CPU of each wake-up.
    pub cpu: Vec<Option<u32>>,
}

/// Stands for "no value" in a column of instants.
const NO_INSTANT: i64 = i64::MIN;
/// Stands for "no value" in the column of CPUs.
const NO_CPU: u32 = u32::MAX;

/// Many samples, a column for each field: 48 bytes a sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    began: Vec<i64>,
    due: Vec<i64>,
    slept: Vec<i64>,
    woke: Vec<i64>,
    done: Vec<i64>,
    spins: Vec<u32>,
    cpu: Vec<u32>,
}

impl Samples {
    /// An empty table.
    pub const fn new() -> Self {
        Self {
            began: Vec::new(),
            due: Vec::new(),
            slept: Vec::new(),
            woke: Vec::new(),
            done: Vec::new(),
            spins: Vec::new(),
            cpu: Vec::new(),
        }
    }

    /// Takes columns over; `None` where they are not all of one length.
    pub fn from_columns(columns: Columns) -> Option<Self> {
        let Columns { began, due, slept, woke, done, spins, cpu } = columns;
        let count = woke.len();
        let fits = [began.len(), due.len(), slept.len(), done.len(), spins.len(), cpu.len()]
            .iter()
            .all(|&len| len == count);
        fits.then(|| Self {
            began,
            due,
            slept: slept.into_iter().map(|slept| slept.unwrap_or(NO_INSTANT)).collect(),
            woke,
            done,
            spins,
            cpu: cpu.into_iter().map(|cpu| cpu.unwrap_or(NO_CPU)).collect(),
        })
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.woke.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.woke.is_empty()
    }

    /// Adds one at the end.
    pub fn push(&mut self, sample: &Sample) {
        self.began.push(sample.began.get());
        self.due.push(sample.due.get());
        self.slept.push(sample.slept.map_or(NO_INSTANT, Nanos::get));
        self.woke.push(sample.woke.get());
        self.done.push(sample.done.get());
        self.spins.push(sample.spins);
        self.cpu.push(sample.cpu.unwrap_or(NO_CPU));
    }

    /// The sample at a position.
    pub fn get(&self, index: usize) -> Option<Sample> {
        let slept = *self.slept.get(index)?;
        let cpu = *self.cpu.get(index)?;
        Some(Sample {
            began: Nanos::new(*self.began.get(index)?),
            due: Nanos::new(*self.due.get(index)?),
            slept: (slept != NO_INSTANT).then_some(Nanos::new(slept)),
            woke: Nanos::new(*self.woke.get(index)?),
            done: Nanos::new(*self.done.get(index)?),
            spins: *self.spins.get(index)?,
            cpu: (cpu != NO_CPU).then_some(cpu),
        })
    }

    /// All samples in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sample> + DoubleEndedIterator + '_ {
        (0..self.len()).map(|index| self.get(index).unwrap_or_else(unreachable_sample))
    }

    /// The last one.
    pub fn last(&self) -> Option<Sample> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Nanoseconds at which each sample was due.
    pub fn due_nanos(&self) -> &[i64] {
        &self.due
    }

    /// Nanoseconds at which each sample woke.
    pub fn woke_nanos(&self) -> &[i64] {
        &self.woke
    }

    /// Nanoseconds at which each sample's work was done.
    pub fn done_nanos(&self) -> &[i64] {
        &self.done
    }

    /// Nanoseconds at which each loop began to wait.
    pub fn began_nanos(&self) -> &[i64] {
        &self.began
    }

    /// Nanoseconds at which each sleep came back.
    pub fn slept_nanos(&self) -> impl ExactSizeIterator<Item = Option<i64>> + '_ {
        self.slept.iter().map(|&slept| (slept != NO_INSTANT).then_some(slept))
    }

    /// Turns of each spin.
    pub fn spins(&self) -> &[u32] {
        &self.spins
    }

    /// The CPU of each wake-up.
    pub fn cpus(&self) -> impl ExactSizeIterator<Item = Option<u32>> + '_ {
        self.cpu.iter().map(|&cpu| (cpu != NO_CPU).then_some(cpu))
    }

    /// Lateness of each sample in nanoseconds, in order of time.
    pub fn late_nanos(&self) -> Vec<i64> {
        self.woke.iter().zip(&self.due).map(|(woke, due)| woke.saturating_sub(*due)).collect()
    }

    /// How long each sample's work took in nanoseconds, in order of time.
    pub fn work_nanos(&self) -> Vec<i64> {
        self.done.iter().zip(&self.woke).map(|(done, woke)| done.saturating_sub(*woke)).collect()
    }

    /// How long each wait took in nanoseconds, in order of time: `woke − began`.
    pub fn actual_nanos(&self) -> Vec<i64> {
        self.woke.iter().zip(&self.began).map(|(woke, began)| woke.saturating_sub(*began)).collect()
    }

    /// Time from each wake-up to the next in nanoseconds: one fewer than there are samples.
    pub fn frame_time_nanos(&self) -> Vec<i64> {
        self.woke.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect()
    }
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

/// What a read past the end would give; `iter` never reads there.
const fn unreachable_sample() -> Sample {
    Sample {
        began: Nanos::ZERO,
        due: Nanos::ZERO,
        slept: None,
        woke: Nanos::ZERO,
        done: Nanos::ZERO,
        spins: 0,
        cpu: None,
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
        assert_eq!(with.work(), Nanos::new(3));
    }
}
