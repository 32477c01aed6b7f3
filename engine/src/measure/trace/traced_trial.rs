//! The trace of one trial: which of its late samples wait for their records, and what is saved so far.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use super::ThreadSlot;
use super::budget::Budget;
use super::recent::Recent;
use super::window::Window;
use crate::machine::BusyProgram;
use crate::nanos::Nanos;
use crate::platform::{self, Missing, TraceState};
use crate::run::Trace;
use crate::sample::{Sample, TRACE_LEAD, TraceEvent, TraceRecord};

/// Maximum number of rows about busy programs that are saved per trial.
const MAX_BUSY_ROWS: usize = 50_000;

#[derive(Debug, Default)]
pub(super) struct TracedTrial {
    pub(super) trial: usize,
    pub(super) slot: ThreadSlot,
    /// The CPUs on which the thread may run; empty if they are not known.
    pub(super) cpus: Vec<u32>,
    /// Rows about what is recorded on these CPUs, until they are saved together with the first records.
    pub(super) coverage: Option<Trace>,
    /// Whether every iteration produces a sample. A gap probe produces samples for gaps only.
    pub(super) is_sampled: bool,
    pub(super) above: Nanos,
    pub(super) before: Option<Sample>,
    /// Whether a sample was late since the last reading of the busy programs.
    pub(super) is_late: bool,
    /// Late samples whose records have not been collected yet, each with its previous sample.
    pub(super) late: Vec<(Option<Sample>, Sample)>,
    pub(super) names: BTreeMap<String, u32>,
    /// The IDs of threads whose owner was already looked up.
    pub(super) threads: BTreeSet<u32>,
    /// Decides of which late samples the records are saved.
    pub(super) budget: Budget,
    /// The begin and end of the records of each late sample that are saved, by the system's clock and in order.
    pub(super) saved: Vec<(Nanos, Nanos)>,
    pub(super) busy_row_count: usize,
    /// Number of losses of the stage that this trial has already processed.
    pub(super) loss_count: usize,
    /// Number of missing times of the stage that this trial has already processed.
    pub(super) missing_count: usize,
}

impl TracedTrial {
    /// Returns the ID of the thread, 0 until the thread runs; `None` if it exceeds 32 bits.
    pub(super) fn thread(&self) -> Option<u32> {
        u32::try_from(self.slot.thread.load(Ordering::Acquire)).ok()
    }

    /// Returns the start of the records that the next sample can need, however late the sample arrives.
    /// `None` if only the most recent records can be needed.
    pub(super) fn needed_from(&self, recent: &Recent) -> Option<Nanos> {
        let since = if self.is_sampled {
            self.before
                .map(|before| before.woke + Nanos::new(self.slot.start.load(Ordering::Acquire)))
        } else {
            recent.left_at(self.thread()?)
        };
        since.map(|since| since - TRACE_LEAD)
    }

    /// Returns rows about what is recorded and what is missing on the trial's CPUs; `None` if there are none.
    pub(super) fn coverage(&mut self, state: &TraceState) -> Option<Trace> {
        let covered = state.covered.iter().filter(|cpu| self.may_run_on(**cpu));
        let covered = covered.map(|cpu| note(TraceEvent::Covered, *cpu, None, None)).collect();
        self.missing(&state.missing, covered)
    }

    /// Appends to `rows` the events that are not recorded on the trial's CPUs. Returns all rows; `None` if there
    /// are none.
    pub(super) fn missing(
        &mut self,
        missing: &[Missing],
        mut rows: Vec<TraceRecord>,
    ) -> Option<Trace> {
        let mut new_names = Vec::new();
        for one in missing {
            let cpus: Vec<u32> =
                one.cpus.iter().copied().filter(|cpu| self.may_run_on(*cpu)).collect();
            if !cpus.is_empty() {
                let name = number_of(one.event.clone(), &mut self.names, &mut new_names);
                let errno = one.errno.map(i64::from);
                rows.extend(
                    cpus.iter().map(|cpu| note(TraceEvent::NotRecorded, *cpu, name, errno)),
                );
            }
        }
        (!rows.is_empty()).then(|| Trace::from_records(new_names, &rows))
    }

    pub(super) fn may_run_on(&self, cpu: u32) -> bool {
        self.cpus.is_empty() || self.cpus.contains(&cpu)
    }

    /// Returns all losses of records on the trial's CPUs since the last call, even those far from late
    /// samples: a loss becomes known only after the samples that it affects. Discards losses before the
    /// trial's start, as it had no samples then.
    pub(super) fn new_losses(&mut self, losses: &[TraceRecord]) -> Vec<TraceRecord> {
        let new = losses.get(self.loss_count..).unwrap_or_default();
        self.loss_count = losses.len();
        let has_started = self.slot.start.load(Ordering::Acquire) != 0;
        let is_its_own = |loss: &&TraceRecord| has_started && self.may_run_on(loss.cpu);
        new.iter().filter(is_its_own).copied().collect()
    }

    /// Returns all times on the trial's CPUs in which records may be missing and for which records of a late sample are
    /// saved, since the last call. `missing` are those of the stage.
    pub(super) fn new_missing_times(&mut self, missing: &[TraceRecord]) -> Vec<TraceRecord> {
        let new = missing.get(self.missing_count..).unwrap_or_default();
        self.missing_count = missing.len();
        let is_needed = |record: &&TraceRecord| {
            let end = record.at + Nanos::new(record.value.unwrap_or(0));
            let first = self.saved.partition_point(|(_, to)| *to < record.at);
            let is_around_saved = self.saved.get(first).is_some_and(|(from, _)| *from <= end);
            is_around_saved && self.may_run_on(record.cpu)
        };
        new.iter().filter(is_needed).copied().collect()
    }

    /// Notes that all records of a window are saved. Returns the row that marks this.
    pub(super) fn save(&mut self, window: &Window) -> TraceRecord {
        let from = window.from.min(window.own_from);
        self.saved.push((from, window.to));
        let cpu = window.cpus.last().copied().unwrap_or(0);
        let value = Some((window.to - from).get());
        TraceRecord { value, ..TraceRecord::new(from, TraceEvent::Saved, cpu) }
    }

    /// Returns how often each kind of event occurred on the trial's CPUs, and how many of its records arrived; `None`
    /// if nothing was counted. `name_of` returns the name of a kind of event.
    pub(super) fn totals(
        &mut self,
        totals: &[TraceRecord],
        mut name_of: impl FnMut(&TraceRecord) -> Option<String>,
    ) -> Option<Trace> {
        let (mut new_names, mut rows) = (Vec::new(), Vec::new());
        for total in totals {
            if !self.may_run_on(total.cpu) {
                continue;
            }
            let name = name_of(total);
            let name = name.and_then(|name| number_of(name, &mut self.names, &mut new_names));
            rows.push(note(total.event, total.cpu, name, total.value));
        }
        (!rows.is_empty()).then(|| Trace::from_records(new_names, &rows))
    }

    /// Returns one row for each thread in these records that belongs to the kernel or to this program, unless an
    /// earlier call returned the row. The measuring thread comes first.
    pub(super) fn new_owners(&mut self, own: u32, records: &[TraceRecord]) -> Vec<TraceRecord> {
        let threads = records.iter().filter(|record| record.event == TraceEvent::SwitchIn);
        let threads = std::iter::once(own).chain(threads.filter_map(|record| record.thread));
        let at = records.first().map_or(Nanos::ZERO, |record| record.at);
        let mut owners = Vec::new();
        for thread in threads.filter(|thread| *thread != 0) {
            if self.threads.insert(thread)
                && let Some(owner) = platform::thread_owner(thread)
            {
                owners.push(TraceRecord {
                    thread: Some(thread),
                    value: Some(owner.number()),
                    ..TraceRecord::new(at, TraceEvent::Owner, 0)
                });
            }
        }
        owners
    }

    /// Returns rows about programs that are busy at `now`; `None` if there are none or if
    /// [`MAX_BUSY_ROWS`] are saved.
    pub(super) fn busy(&mut self, busy: &[BusyProgram], now: i64) -> Option<Trace> {
        if busy.is_empty() || MAX_BUSY_ROWS <= self.busy_row_count {
            return None;
        }
        let at = Nanos::new(now - self.slot.start.load(Ordering::Acquire));
        let mut new_names = Vec::new();
        let mut records = Vec::new();
        for one in busy {
            records.push(TraceRecord {
                thread: Some(one.process),
                name: number_of(one.name.clone(), &mut self.names, &mut new_names),
                value: Some(one.permille),
                ..TraceRecord::new(at, TraceEvent::Busy, 0)
            });
        }
        self.busy_row_count += records.len();
        Some(Trace::from_records(new_names, &records))
    }
}

/// Creates a row that applies to a whole trial and therefore has the time 0.
const fn note(event: TraceEvent, cpu: u32, name: Option<u32>, value: Option<i64>) -> TraceRecord {
    TraceRecord { name, value, ..TraceRecord::new(Nanos::ZERO, event, cpu) }
}

/// Returns the position of a name in the list of the trial's names. Appends a new name to this list.
pub(super) fn number_of(
    name: String,
    names: &mut BTreeMap<String, u32>,
    new_names: &mut Vec<String>,
) -> Option<u32> {
    let next = u32::try_from(names.len()).ok()?;
    Some(*names.entry(name).or_insert_with_key(|name| {
        new_names.push(name.clone());
        next
    }))
}
