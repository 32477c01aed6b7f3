//! Records which threads had the CPUs, and saves the records around late samples only.
//!
//! The system writes its records into rings. The collector drains these rings after the rings of the
//! samples, so that it has all records before each sample. Records that no late sample needs are dropped.

mod budget;
mod condense;
mod held;
mod missing_times;
mod recent;
mod traced_trial;
mod window;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};

use serde::{Deserialize, Serialize};

use self::budget::Budget;
use self::condense::condense;
use self::missing_times::MissingTimes;
use self::recent::{Needed, Recent};
use self::traced_trial::{TracedTrial, number_of};
use self::window::Window;
use super::StartError;
use super::join::join_all;
use crate::machine::{BusyProgram, BusyPrograms};
use crate::nanos::Nanos;
use crate::plan::{Pace, Trial};
use crate::platform::{self, ThreadId, TraceSource, Tracer};
use crate::run::{Counters, Trace, counter};
use crate::sample::{Sample, TraceEvent, TraceRecord};

/// Maximum number of records that are saved per late sample, about: a sample that has more is condensed.
const MAX_SAMPLE_ROWS: usize = 1_000;
/// Minimum time for which records are retained. It is longer than the interval of the collector, 50 ms.
const MIN_WAIT: Nanos = Nanos::from_millis(300);
/// A time in which records are missing is over if none are missing for this long.
const MISSING_WAIT: Nanos = Nanos::from_secs(1);

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
    /// The times so far in which records may be missing without a reported loss.
    missing_times: MissingTimes,
    /// How often each kind of event occurred, and how many of its records arrived; empty until the end of the stage.
    totals: Vec<TraceRecord>,
    longest_period: Nanos,
    /// Reads which programs are busy; `None` if the system does not report busy programs.
    busy: Option<BusyWatch>,
    /// CPU time spent on reading records so far, in nanoseconds.
    spent: i64,
}

impl StageTrace {
    /// Prepares the trace of a stage with these trials, before their measuring threads start.
    pub(super) fn prepare(trials: &[Trial]) -> Self {
        let mut stage = Self::default();
        stage.busy = BusyWatch::start(trials);
        stage
    }

    /// Adds a trial of the stage if the trial can have late samples.
    pub(super) fn add(&mut self, index: usize, trial: &Trial, slot: ThreadSlot) {
        if let Some(above) = trial.trace_above() {
            self.longest_period = self.longest_period.max(trial.pace.period());
            self.trials.push(TracedTrial {
                trial: index,
                slot,
                is_sampled: !matches!(trial.pace, Pace::Gaps { .. }),
                above,
                budget: Budget::new(trial.warm_up + trial.duration()),
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
        let numbers = self.trials.iter().map(|traced| traced.slot.thread.load(Ordering::Acquire));
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
        if Some(TraceSource::AllSwitches) <= state.source {
            self.busy.iter_mut().for_each(BusyWatch::slow_down);
        }
        if state.is_nested {
            facts.insert(counter::TRACE_IN_NAMESPACE.to_owned(), 1);
        }
        for traced in &mut self.trials {
            traced.slot.is_traced.store(tracer.replaces_counters(), Ordering::Relaxed);
            traced.cpus = tracer.cpus_of(ThreadId(traced.slot.thread.load(Ordering::Acquire)));
            traced.coverage = traced.coverage(state);
        }
        self.tracer = Some(tracer);
        let of_trial = |traced: &TracedTrial| {
            let thread = i64::try_from(traced.slot.thread.load(Ordering::Acquire)).unwrap_or(0);
            let mut facts = facts.clone();
            facts.insert(counter::TRACE_THREAD.to_owned(), thread);
            (traced.trial, facts)
        };
        self.trials.iter().map(of_trial).collect()
    }

    /// Stores the late samples of a trial, so that `take` returns the records around them.
    pub(super) fn note(&mut self, trial: usize, samples: &[Sample]) {
        if self.tracer.is_none() {
            return;
        }
        let traced = self.trials.iter_mut().find(|traced| traced.trial == trial);
        let Some(traced) = traced else { return };
        for sample in samples {
            if traced.above < sample.late() {
                traced.is_late = true;
                traced.late.push((traced.before, *sample));
            }
            traced.before = Some(*sample);
        }
    }

    /// Reads the records so far. Returns those around late samples, with the position of their trial.
    pub(super) fn take(&mut self) -> Vec<(usize, Trace)> {
        let Some(tracer) = &mut self.tracer else { return Vec::new() };
        let cpu_before = platform::thread_cpu_nanos();
        let mut records = Vec::new();
        tracer.drain(|record| records.push(record));
        self.sort_in(records);
        let mut rows = Vec::new();
        for position in 0..self.trials.len() {
            rows.extend(self.take_of_trial(position));
        }
        if let Some(busy) = self.busy.as_mut().and_then(BusyWatch::look) {
            rows.extend(self.busy_rows(&busy));
        }
        self.forget();
        if let (Some(before), Some(now)) = (cpu_before, platform::thread_cpu_nanos()) {
            self.spent += now - before;
        }
        rows
    }

    /// Adds records that arrived, each to those of its kind.
    fn sort_in(&mut self, records: Vec<TraceRecord>) {
        let Self { recent, losses, missing_times, totals, .. } = self;
        let is_of_cpu = |record: &TraceRecord| {
            match record.event {
                TraceEvent::Lost => losses.push(*record),
                TraceEvent::Incomplete => missing_times.add(record),
                TraceEvent::Counted | TraceEvent::Received | TraceEvent::ReportedLost => {
                    totals.push(*record);
                }
                _ => return true,
            }
            false
        };
        recent.add(records.into_iter().filter(is_of_cpu));
        if let Some(until) = self.known_until() {
            self.missing_times.end(until);
        }
    }

    /// Returns the time up to which all samples are known and records may have been missing; `None` without records.
    fn known_until(&self) -> Option<Nanos> {
        let Self { recent, trials, .. } = self;
        let until = recent.newest()? - MISSING_WAIT;
        Some(trials.iter().filter_map(|traced| traced.needed_from(recent)).fold(until, Nanos::min))
    }

    fn take_of_trial(&mut self, position: usize) -> Option<(usize, Trace)> {
        let Self { tracer, trials, recent, losses, missing_times, .. } = self;
        let (tracer, traced) = (tracer.as_mut()?, trials.get_mut(position)?);
        let start = Nanos::new(traced.slot.start.load(Ordering::Acquire));
        let thread = traced.thread()?;
        let mut records: Vec<TraceRecord> = Vec::new();
        for (before, sample) in std::mem::take(&mut traced.late) {
            let Some(reason) = traced.budget.admit(sample.woke, sample.late()) else {
                // From now on, counters show what they can about samples without records.
                traced.slot.is_traced.store(false, Ordering::Relaxed);
                continue;
            };
            let window = Window::of(before.as_ref(), &sample, start, thread);
            let mut of_sample = vec![traced.save(&window)];
            recent.take(window, &mut of_sample);
            condense(&mut of_sample, thread, MAX_SAMPLE_ROWS);
            traced.budget.spend(reason, of_sample.len());
            records.append(&mut of_sample);
        }
        records.extend(traced.new_losses(losses));
        records.extend(traced.new_missing_times(&missing_times.ended));
        let coverage = traced.coverage.take();
        if records.is_empty() {
            return Some((traced.trial, coverage?));
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
            record.name = name.and_then(|name| number_of(name, &mut traced.names, &mut new_names));
            record.at = record.at - start;
        }
        records.extend(traced.new_owners(thread, &records));
        let mut rows = Trace::from_records(new_names, &records);
        if let Some(mut first) = coverage {
            first.append(&rows);
            rows = first;
        }
        Some((traced.trial, rows))
    }

    /// Returns rows about the busy programs for each trial that had late samples since the last reading.
    fn busy_rows(&mut self, busy: &[BusyProgram]) -> Vec<(usize, Trace)> {
        let now = platform::clock_nanos();
        let rows = self.trials.iter_mut().filter_map(|traced| {
            let is_late = std::mem::take(&mut traced.is_late);
            let rows = is_late.then(|| traced.busy(busy, now)).flatten()?;
            Some((traced.trial, rows))
        });
        rows.collect()
    }

    /// Drops records that no future sample can need.
    fn forget(&mut self) {
        let wait = MIN_WAIT.max(self.longest_period * 4);
        let Some(newest) = self.recent.newest() else { return };
        let of_trials = self.trials.iter().filter_map(|traced| traced.needed_from(&self.recent));
        let from = of_trials.fold(newest - wait, Nanos::min);
        let threads = self.trials.iter().filter_map(TracedTrial::thread).collect();
        let cpus = self.trials.iter().filter_map(|traced| traced.before?.cpu).collect();
        self.recent.forget(&Needed { from, threads, cpus });
    }

    /// Ends the records after the measurement. Returns the last rows, with the position of their trial: late samples,
    /// how often each kind of event occurred, and interrupts that could not be recorded.
    pub(super) fn finish(&mut self) -> Vec<(usize, Trace)> {
        let Some(tracer) = &mut self.tracer else { return Vec::new() };
        let mut records = Vec::new();
        tracer.close(|record| records.push(record));
        self.sort_in(records);
        self.missing_times.end(Nanos::MAX);
        let mut rows = Vec::new();
        for position in 0..self.trials.len() {
            rows.extend(self.take_of_trial(position));
        }
        if let Some(busy) = self.busy.as_mut().map(BusyWatch::finish) {
            rows.extend(self.busy_rows(&busy));
        }
        let Self { tracer: Some(tracer), trials, totals, .. } = self else { return rows };
        let untraced = tracer.untraced();
        for traced in trials {
            let totals = traced.totals(totals, |record| tracer.name_of(record));
            let missing = traced.missing(&untraced, Vec::new());
            rows.extend([totals, missing].into_iter().flatten().map(|last| (traced.trial, last)));
        }
        rows
    }

    /// Returns counters for each trial: the CPU time of reading records, and the number of lost records.
    pub(super) fn end(&self) -> Vec<(usize, Counters)> {
        let Some(tracer) = &self.tracer else { return Vec::new() };
        let has_source = tracer.state().source.is_some();
        if !has_source && self.busy.is_none() {
            return Vec::new();
        }
        let lost = i64::try_from(tracer.lost_count()).unwrap_or(i64::MAX);
        let of_trial = |traced: &TracedTrial| {
            let mut counters = vec![(counter::TRACE_READ_NANOS, self.spent)];
            if has_source {
                let omitted = i64::try_from(traced.budget.omitted_count).unwrap_or(i64::MAX);
                counters.extend([(counter::TRACE_LOST, lost), (counter::TRACE_OMITTED, omitted)]);
                if tracer.is_blind_when_idle() {
                    counters.push((counter::TRACE_BLIND_WHEN_IDLE, 1));
                }
            }
            let named = counters.into_iter().map(|(name, value)| (name.to_owned(), value));
            (traced.trial, named.collect())
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

/// Interval between readings if the names of threads are not recorded.
const INTERVAL: Nanos = Nanos::from_millis(250);
/// Interval between readings if the names of threads are recorded. The readings then only serve to show how much CPU
/// time other programs use.
const NAMED_INTERVAL: Nanos = Nanos::from_secs(1);
/// Time after which a slice of a reading ends. With 504 processes, half of the slices took at most 102 µs and 90% at most
/// 118 µs, so a gap that one causes is far shorter than any that is graded.
const SLICE: Nanos = Nanos::from_micros(100);

/// The readings of the busy programs during a stage, at intervals, in slices that are too short to delay a measuring
/// thread for long.
#[derive(Debug)]
struct BusyWatch {
    programs: BusyPrograms,
    /// The interval between the starts of two readings.
    interval: Nanos,
    /// Value of `clock_nanos` from which the next reading is due.
    next: i64,
    /// Whether readings during the stage delay no measuring thread: they are in slices, or a CPU is not measured.
    is_harmless: bool,
}

impl BusyWatch {
    /// Takes the first reading, which is in one piece: call this before the measuring threads of these trials start.
    /// `None` if no trial can have late samples, or if the system does not report processes.
    fn start(trials: &[Trial]) -> Option<Self> {
        trials.iter().find_map(Trial::trace_above)?;
        let programs = BusyPrograms::open()?;
        let is_harmless = programs.has_slices() || trials.len() < platform::usable_cpus().len();
        let next = platform::clock_nanos() + INTERVAL.get();
        Some(Self { programs, interval: INTERVAL, next, is_harmless })
    }

    /// Reads less often from now on, as the names of threads are recorded.
    const fn slow_down(&mut self) {
        self.interval = NAMED_INTERVAL;
    }

    /// Reads one slice if a reading is due. Returns the busy programs at the end of a reading.
    fn look(&mut self) -> Option<Vec<BusyProgram>> {
        let now = platform::clock_nanos();
        if now < self.next || !self.is_harmless {
            return None;
        }
        let busy = self.programs.read_slice(SLICE)?;
        self.next = self.next.saturating_add(self.interval.get()).max(now);
        Some(busy)
    }

    /// Reads the rest in one piece, after the measurement. Returns the programs that were busy since the last reading.
    fn finish(&mut self) -> Vec<BusyProgram> {
        self.programs.read()
    }
}

#[cfg(test)]
mod tests;
