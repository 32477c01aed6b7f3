//! Records which threads had the CPUs, and saves the records around late samples only.
//!
//! The system writes its records into rings. The collector drains these rings after the rings of the
//! samples, so that it has all records before each sample. Records that no late sample needs are dropped.

mod recent;
mod window;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};

use serde::{Deserialize, Serialize};

use self::recent::{Needed, Recent};
use self::window::Window;
use super::StartError;
use super::join::join_all;
use crate::machine::{BusyProgram, BusyPrograms};
use crate::nanos::Nanos;
use crate::plan::{Pace, Trial};
use crate::platform::{self, Missing, ThreadId, TraceSource, TraceState, Tracer};
use crate::run::{Counters, Trace, counter};
use crate::sample::{Sample, TRACE_LEAD, TraceEvent, TraceRecord};

/// Maximum number of records that are saved per trial. They take about 5 MB of memory.
const MAX_ROWS: usize = 400_000;
/// Interval between readings of the busiest programs, in nanoseconds, if the names of threads are not recorded.
const BUSY_INTERVAL: i64 = 250_000_000;
/// Interval between readings of the busiest programs, in nanoseconds, if the names of threads are recorded. The
/// readings then only serve to show how much CPU time other programs use.
const NAMED_BUSY_INTERVAL: i64 = 1_000_000_000;
/// Minimum time for which records are retained. It is longer than the interval of the collector, 50 ms.
const MIN_WAIT: Nanos = Nanos::from_millis(300);
/// Whether a run records which threads had the CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceMode {
    /// Records in as much detail as this system permits.
    #[default]
    Auto,
    /// Records nothing. The causes of lateness are derived from counters.
    Off,
    /// Records in as much detail as permitted. A run does not start if nothing can be recorded.
    Require,
}

impl TraceMode {
    /// Returns an error if a trace is required and this system can record nothing.
    pub fn check(self) -> Result<(), StartError> {
        if self != Self::Require {
            return Ok(());
        }
        let state = platform::trace_state();
        match state.source {
            Some(_) => Ok(()),
            None => Err(StartError::Trace { reason: state.sentence() }),
        }
    }
}

/// The values that a measuring thread publishes for its trace.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadSlot {
    /// The ID of the thread; 0 until the thread runs.
    pub(super) thread: Arc<AtomicU64>,
    /// Value of `clock_nanos` from which the times of the trial count; 0 until it is known.
    pub(super) start: Arc<AtomicI64>,
    /// Whether the trace records the switches and page faults of the thread, which makes counters unnecessary.
    pub(super) is_traced: Arc<AtomicBool>,
}

/// The trace of one stage.
#[derive(Debug, Default)]
pub(super) struct StageTrace {
    tracer: Option<Tracer>,
    /// The thread that reads the records; empty on systems that deliver records without a thread.
    reader: Vec<JoinHandle<()>>,
    trials: Vec<TracedTrial>,
    recent: Recent,
    /// All losses of records so far.
    losses: Vec<TraceRecord>,
    longest_period: Nanos,
    /// Reads which programs are busy; the number is the `clock_nanos` of the next reading. `None` if the
    /// system does not report busy programs.
    busy: Option<(BusyPrograms, i64)>,
    /// Interval between readings of `busy`, in nanoseconds.
    busy_interval: i64,
    /// CPU time spent on reading records so far, in nanoseconds.
    spent: i64,
}

#[derive(Debug, Default)]
struct TracedTrial {
    trial: usize,
    slot: ThreadSlot,
    /// The CPUs on which the thread may run; empty if they are not known.
    cpus: Vec<u32>,
    /// Rows about what is recorded on these CPUs, until they are saved together with the first records.
    coverage: Option<Trace>,
    /// Whether every iteration produces a sample. A gap probe produces samples for gaps only.
    is_sampled: bool,
    above: Nanos,
    before: Option<Sample>,
    /// Whether a sample was late since the last reading of the busy programs.
    is_late: bool,
    /// Late samples whose records have not been collected yet, each with its previous sample.
    late: Vec<(Option<Sample>, Sample)>,
    names: BTreeMap<String, u32>,
    /// The IDs of threads whose owner was already looked up.
    threads: BTreeSet<u32>,
    row_count: usize,
    omitted_count: i64,
    /// Number of losses of the stage that this trial has already processed.
    loss_count: usize,
}

impl TracedTrial {
    /// Returns the ID of the thread, 0 until the thread runs; `None` if it exceeds 32 bits.
    fn thread(&self) -> Option<u32> {
        u32::try_from(self.slot.thread.load(Ordering::Acquire)).ok()
    }

    /// Returns the start of the records that the next sample can need, however late the sample arrives.
    /// `None` if only the most recent records can be needed.
    fn needed_from(&self, recent: &Recent) -> Option<Nanos> {
        let since = if self.is_sampled {
            self.before
                .map(|before| before.woke + Nanos::new(self.slot.start.load(Ordering::Acquire)))
        } else {
            recent.left_at(self.thread()?)
        };
        since.map(|since| since - TRACE_LEAD)
    }

    /// Returns rows about what is recorded and what is missing on the trial's CPUs; `None` if there are none.
    fn coverage(&mut self, state: &TraceState) -> Option<Trace> {
        let covered = state.covered.iter().filter(|cpu| self.may_run_on(**cpu));
        let covered = covered.map(|cpu| note(TraceEvent::Covered, *cpu, None, None)).collect();
        self.missing(&state.missing, covered)
    }

    /// Appends to `rows` the events that are not recorded on the trial's CPUs. Returns all rows; `None` if there
    /// are none.
    fn missing(&mut self, missing: &[Missing], mut rows: Vec<TraceRecord>) -> Option<Trace> {
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

    fn may_run_on(&self, cpu: u32) -> bool {
        self.cpus.is_empty() || self.cpus.contains(&cpu)
    }

    /// Returns all losses of records on the trial's CPUs since the last call, even those far from late
    /// samples: a loss becomes known only after the samples that it affects. Discards losses before the
    /// trial's start, as it had no samples then.
    fn new_losses(&mut self, losses: &[TraceRecord]) -> Vec<TraceRecord> {
        let new = losses.get(self.loss_count..).unwrap_or_default();
        self.loss_count = losses.len();
        let has_started = self.slot.start.load(Ordering::Acquire) != 0;
        let is_its_own = |loss: &&TraceRecord| has_started && self.may_run_on(loss.cpu);
        new.iter().filter(is_its_own).copied().collect()
    }

    /// Returns one row for each thread in these records that belongs to the kernel or to this program, unless an
    /// earlier call returned the row. The measuring thread comes first.
    fn new_owners(&mut self, own: u32, records: &[TraceRecord]) -> Vec<TraceRecord> {
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

    /// Returns rows about programs that are busy at `now`; `None` if there are none or if `MAX_ROWS` are saved.
    fn busy(&mut self, busy: &[BusyProgram], now: i64) -> Option<Trace> {
        if busy.is_empty() || MAX_ROWS <= self.row_count {
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
        self.row_count += records.len();
        Some(Trace::from_records(new_names, &records))
    }
}

/// Creates a row that applies to a whole trial and therefore has the time 0.
const fn note(event: TraceEvent, cpu: u32, name: Option<u32>, value: Option<i64>) -> TraceRecord {
    TraceRecord { name, value, ..TraceRecord::new(Nanos::ZERO, event, cpu) }
}

/// Returns the position of a name in the list of the trial's names. Appends a new name to this list.
fn number_of(
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

impl StageTrace {
    /// Adds a trial of the stage if the trial can have late samples.
    pub(super) fn add(&mut self, index: usize, trial: &Trial, slot: ThreadSlot) {
        if let Some(above) = trial.trace_above() {
            self.longest_period = self.longest_period.max(trial.pace.period());
            self.trials.push(TracedTrial {
                trial: index,
                slot,
                is_sampled: !matches!(trial.pace, Pace::Gaps { .. }),
                above,
                ..TracedTrial::default()
            });
        }
    }

    /// Returns whether the trace still has to be opened, which requires that every measuring thread runs.
    pub(super) const fn is_waiting(&self) -> bool {
        self.tracer.is_none() && !self.trials.is_empty()
    }

    /// Opens the trace once every measuring thread runs. Returns counters about the trace for each trial, or
    /// nothing if the trace was not opened by this call.
    pub(super) fn open(&mut self) -> Vec<(usize, Counters)> {
        if !self.is_waiting() {
            return Vec::new();
        }
        let numbers = self.trials.iter().map(|one| one.slot.thread.load(Ordering::Acquire));
        let threads: Vec<ThreadId> = numbers.filter(|id| *id != 0).map(ThreadId).collect();
        if threads.len() < self.trials.len() {
            return Vec::new();
        }
        let mut tracer = Tracer::open(&threads);
        if let Some(read) = tracer.reader() {
            let thread = Builder::new().name("trace-reader".to_owned()).spawn(read);
            match thread {
                Ok(thread) => self.reader.push(thread),
                Err(error) => log::error!("no thread reads the trace: {error}"),
            }
        }
        let state = tracer.state();
        let mut facts = Counters::new();
        facts.insert(
            counter::TRACE_SOURCE.to_owned(),
            state.source.map_or(0, platform::TraceSource::number),
        );
        for (name, value) in [
            (counter::TRACE_DENIED_ERRNO, state.denied_errno),
            (counter::PERF_EVENT_PARANOID, state.paranoid),
        ] {
            if let Some(value) = value {
                facts.insert(name.to_owned(), i64::from(value));
            }
        }
        let has_names = Some(TraceSource::AllSwitches) <= state.source;
        self.busy_interval = if has_names { NAMED_BUSY_INTERVAL } else { BUSY_INTERVAL };
        self.busy = BusyPrograms::open().map(|busy| (busy, platform::clock_nanos()));
        if state.is_nested {
            facts.insert(counter::TRACE_IN_NAMESPACE.to_owned(), 1);
        }
        for one in &mut self.trials {
            one.slot.is_traced.store(tracer.replaces_counters(), Ordering::Relaxed);
            one.cpus = tracer.cpus_of(ThreadId(one.slot.thread.load(Ordering::Acquire)));
            one.coverage = one.coverage(state);
        }
        self.tracer = Some(tracer);
        let of_trial = |one: &TracedTrial| {
            let thread = i64::try_from(one.slot.thread.load(Ordering::Acquire)).unwrap_or(0);
            let mut facts = facts.clone();
            facts.insert(counter::TRACE_THREAD.to_owned(), thread);
            (one.trial, facts)
        };
        self.trials.iter().map(of_trial).collect()
    }

    /// Stores the late samples of a trial, so that `take` returns the records around them.
    pub(super) fn note(&mut self, trial: usize, samples: &[Sample]) {
        if self.tracer.is_none() {
            return;
        }
        let Some(one) = self.trials.iter_mut().find(|one| one.trial == trial) else { return };
        for sample in samples {
            if one.above < sample.late() {
                one.is_late = true;
                if one.row_count < MAX_ROWS {
                    one.late.push((one.before, *sample));
                } else {
                    one.slot.is_traced.store(false, Ordering::Relaxed);
                    one.omitted_count += 1;
                }
            }
            one.before = Some(*sample);
        }
    }

    /// Reads the records so far. Returns those around late samples, with the position of their trial.
    pub(super) fn take(&mut self) -> Vec<(usize, Trace)> {
        let Some(tracer) = &mut self.tracer else { return Vec::new() };
        let cpu_before = platform::thread_cpu_nanos();
        let Self { recent, losses, .. } = self;
        let mut records = Vec::new();
        tracer.drain(|record| match record.event {
            TraceEvent::Lost => losses.push(record),
            _ => records.push(record),
        });
        recent.add(records);
        let mut rows = Vec::new();
        for at in 0..self.trials.len() {
            rows.extend(self.take_of_trial(at));
        }
        rows.extend(self.take_busy());
        self.forget();
        if let (Some(before), Some(now)) = (cpu_before, platform::thread_cpu_nanos()) {
            self.spent += now - before;
        }
        rows
    }

    fn take_of_trial(&mut self, at: usize) -> Option<(usize, Trace)> {
        let Self { tracer, trials, recent, losses, .. } = self;
        let (tracer, one) = (tracer.as_mut()?, trials.get_mut(at)?);
        let (start, thread) = (Nanos::new(one.slot.start.load(Ordering::Acquire)), one.thread()?);
        let mut records: Vec<TraceRecord> = Vec::new();
        for (before, sample) in one.late.drain(..) {
            recent.take(Window::of(before.as_ref(), &sample, start, thread), &mut records);
        }
        records.extend(one.new_losses(losses));
        let coverage = one.coverage.take();
        if records.is_empty() {
            return Some((one.trial, coverage?));
        }
        let mut new_names = Vec::new();
        for record in &mut records {
            let is_named = matches!(
                record.event,
                TraceEvent::SwitchIn
                    | TraceEvent::InterruptBegin
                    | TraceEvent::SoftirqBegin
                    | TraceEvent::Interrupted
            );
            let name = if is_named && record.thread != Some(thread) {
                tracer.name_of(record)
            } else {
                None
            };
            record.name = name.and_then(|name| number_of(name, &mut one.names, &mut new_names));
            record.at = record.at - start;
        }
        records.extend(one.new_owners(thread, &records));
        one.row_count += records.len();
        let mut rows = Trace::from_records(new_names, &records);
        if let Some(mut first) = coverage {
            first.append(&rows);
            rows = first;
        }
        Some((one.trial, rows))
    }

    /// Reads the busy programs if the next reading is due. Returns rows for each trial that had late samples since
    /// the last reading.
    fn take_busy(&mut self) -> Vec<(usize, Trace)> {
        let Some((programs, next)) = &mut self.busy else { return Vec::new() };
        let now = platform::clock_nanos();
        if now < *next {
            return Vec::new();
        }
        *next = now + self.busy_interval;
        let busy = programs.read();
        let rows = self.trials.iter_mut().filter_map(|one| {
            let is_late = std::mem::take(&mut one.is_late);
            let rows = is_late.then(|| one.busy(&busy, now)).flatten()?;
            Some((one.trial, rows))
        });
        rows.collect()
    }

    /// Drops records that no future sample can need.
    fn forget(&mut self) {
        let wait = MIN_WAIT.max(self.longest_period * 4);
        let Some(newest) = self.recent.newest() else { return };
        let of_trials = self.trials.iter().filter_map(|one| one.needed_from(&self.recent));
        let from = of_trials.fold(newest - wait, Nanos::min);
        let threads = self.trials.iter().filter_map(TracedTrial::thread).collect();
        let cpus = self.trials.iter().filter_map(|one| one.before?.cpu).collect();
        self.recent.forget(&Needed { from, threads, cpus });
    }

    /// Returns rows about interrupts that occurred but could not be recorded, with the position of their trial.
    pub(super) fn untraced(&mut self) -> Vec<(usize, Trace)> {
        let missing = self.tracer.as_ref().map_or_else(Vec::new, Tracer::untraced);
        let of_trial =
            |one: &mut TracedTrial| Some((one.trial, one.missing(&missing, Vec::new())?));
        self.trials.iter_mut().filter_map(of_trial).collect()
    }

    /// Returns counters for each trial: the CPU time of reading records, and the number of lost records.
    pub(super) fn end(&self) -> Vec<(usize, Counters)> {
        let Some(tracer) = &self.tracer else { return Vec::new() };
        let has_source = tracer.state().source.is_some();
        if !has_source && self.busy.is_none() {
            return Vec::new();
        }
        let lost = i64::try_from(tracer.lost_count()).unwrap_or(i64::MAX);
        let of_trial = |one: &TracedTrial| {
            let mut counters = vec![(counter::TRACE_READ_NANOS, self.spent)];
            if has_source {
                let omitted = one.omitted_count;
                counters.extend([(counter::TRACE_LOST, lost), (counter::TRACE_OMITTED, omitted)]);
                if tracer.is_blind_when_idle() {
                    counters.push((counter::TRACE_BLIND_WHEN_IDLE, 1));
                }
            }
            let named = counters.into_iter().map(|(name, value)| (name.to_owned(), value));
            (one.trial, named.collect())
        };
        self.trials.iter().map(of_trial).collect()
    }
}

impl Drop for StageTrace {
    fn drop(&mut self) {
        // Dropping the tracer ends the reader thread.
        self.tracer = None;
        join_all(&mut self.reader, "the reader of the trace");
    }
}

#[cfg(test)]
mod tests;
