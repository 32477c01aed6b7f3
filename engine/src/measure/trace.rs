//! Records of who had the CPU, saved around late samples only.
//!
//! The system writes into separate rings; the collector empties them after the rings of samples, so
//! that everything before a sample is there. What no late sample needs is dropped.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use super::StartError;
use crate::machine::{BusyProgram, BusyPrograms};
use crate::nanos::Nanos;
use crate::plan::Trial;
use crate::platform::{self, ThreadId, TraceSource, Tracer};
use crate::run::{Counters, Trace, counter};
use crate::sample::{Sample, TRACE_LEAD, TraceEvent, TraceRecord};

/// How many records of a trial are saved: about 5 MB of a run in memory.
const MAX_ROWS: usize = 400_000;
/// How many records wait for the samples that they belong to.
const MAX_RECENT: usize = 1 << 17;
/// How often the busiest programs are read, where names of threads are not permitted.
const BUSY_INTERVAL: i64 = 250_000_000;
/// How long records wait at least: more than a beat of the collector.
const MIN_WAIT: Nanos = Nanos::from_millis(300);
/// Whether who had the CPU is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceMode {
    /// As exactly as this system permits.
    #[default]
    Auto,
    /// Never: causes come from counters.
    Off,
    /// As exactly as permitted; a run does not start where nothing can be recorded.
    Require,
}

impl TraceMode {
    /// Whether this system permits what is required.
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

/// What a measuring thread publishes for its trace.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadSlot {
    /// Its thread's number; 0 before it runs.
    pub(super) thread: Arc<AtomicU64>,
    /// The raw clock at the trial's start; 0 before.
    pub(super) start: Arc<AtomicI64>,
    /// Whether its switches and page faults are recorded.
    pub(super) is_traced: Arc<AtomicBool>,
}

/// Records of one stage.
#[derive(Debug, Default)]
pub(super) struct StageTrace {
    tracer: Option<Tracer>,
    trials: Vec<TracedTrial>,
    recent: VecDeque<Waiting>,
    /// Where records were lost.
    losses: Vec<TraceRecord>,
    /// The last switch to a thread on each CPU, and the last switch of each measuring thread, that no
    /// longer wait.
    last_on_cpu: BTreeMap<u32, Waiting>,
    last_of_thread: BTreeMap<u32, Waiting>,
    longest_period: Nanos,
    /// Where the names of threads are not permitted: which programs are busy, and when that is read next.
    busy: Option<(BusyPrograms, i64)>,
    /// CPU time of reading records.
    spent: i64,
}

/// A record that a late sample may need.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    record: TraceRecord,
    is_saved: bool,
}

#[derive(Debug)]
struct TracedTrial {
    trial: usize,
    slot: ThreadSlot,
    above: Nanos,
    before: Option<Sample>,
    /// Whether a sample was late since busy programs were read.
    is_late: bool,
    /// Late samples whose records were not taken yet, each with the one before.
    late: Vec<(Option<Sample>, Sample)>,
    names: BTreeMap<String, u32>,
    row_count: usize,
    omitted_count: i64,
    /// How many losses of the stage were taken.
    loss_count: usize,
}

impl TracedTrial {
    /// The losses of the stage since the last call: a loss is known later than the samples that it affects.
    /// Before the trial's start, there are no samples.
    fn new_losses<'a>(&mut self, losses: &'a [TraceRecord]) -> &'a [TraceRecord] {
        let new = losses.get(self.loss_count..).unwrap_or_default();
        self.loss_count = losses.len();
        if self.slot.start.load(Ordering::Acquire) == 0 { &[] } else { new }
    }

    /// Rows about busy programs at a moment; `None` without any, and where enough is saved.
    fn busy(&mut self, busy: &[BusyProgram], now: i64) -> Option<Trace> {
        if busy.is_empty() || MAX_ROWS <= self.row_count {
            return None;
        }
        let at = Nanos::new(now - self.slot.start.load(Ordering::Acquire));
        let mut new_names = Vec::new();
        let mut records = Vec::new();
        for one in busy {
            records.push(TraceRecord {
                at,
                event: TraceEvent::Busy,
                cpu: 0,
                thread: Some(one.process),
                name: number_of(one.name.clone(), &mut self.names, &mut new_names),
                value: Some(one.permille),
            });
        }
        self.row_count += records.len();
        Some(Trace::from_records(new_names, &records))
    }
}

/// The position of a name among those of a trial; a new one follows them.
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
    /// Adds a trial of the stage, if it can have late samples.
    pub(super) fn add(&mut self, index: usize, trial: &Trial, slot: ThreadSlot) {
        if let Some(above) = trial.trace_above() {
            self.longest_period = self.longest_period.max(trial.pace.period());
            self.trials.push(TracedTrial {
                trial: index,
                slot,
                above,
                before: None,
                is_late: false,
                late: Vec::new(),
                names: BTreeMap::new(),
                row_count: 0,
                omitted_count: 0,
                loss_count: 0,
            });
        }
    }

    /// Whether there is something to open as soon as every thread runs.
    pub(super) const fn is_waiting(&self) -> bool {
        self.tracer.is_none() && !self.trials.is_empty()
    }

    /// Opens the records once every thread runs; returns what each trial notes about them.
    pub(super) fn open(&mut self) -> Vec<(usize, Counters)> {
        if !self.is_waiting() {
            return Vec::new();
        }
        let numbers = self.trials.iter().map(|one| one.slot.thread.load(Ordering::Acquire));
        let threads: Vec<ThreadId> = numbers.filter(|id| *id != 0).map(ThreadId).collect();
        if threads.len() < self.trials.len() {
            return Vec::new();
        }
        let tracer = Tracer::open(&threads);
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
        if state.source < Some(TraceSource::AllSwitches) {
            self.busy = BusyPrograms::open().map(|busy| (busy, platform::clock_nanos()));
        }
        for one in &self.trials {
            one.slot.is_traced.store(tracer.replaces_counters(), Ordering::Relaxed);
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

    /// Notes which samples of a trial are late.
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

    /// Takes the records so far; returns those around late samples, by trial.
    pub(super) fn take(&mut self) -> Vec<(usize, Trace)> {
        let Some(tracer) = &mut self.tracer else { return Vec::new() };
        let cpu_before = platform::thread_cpu_nanos();
        let Self { recent, losses, .. } = self;
        tracer.drain(|record| match record.event {
            TraceEvent::Lost => losses.push(record),
            _ => recent.push_back(Waiting { record, is_saved: false }),
        });
        // Each ring is in order, and so is nearly all of this.
        recent.make_contiguous().sort_by_key(|one| one.record.at);
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
        let Self { tracer, trials, recent, losses, last_on_cpu, last_of_thread, .. } = self;
        let (tracer, one) = (tracer.as_mut()?, trials.get_mut(at)?);
        let (start, thread) = (
            Nanos::new(one.slot.start.load(Ordering::Acquire)),
            u32::try_from(one.slot.thread.load(Ordering::Acquire)).ok()?,
        );
        let mut records: Vec<TraceRecord> = Vec::new();
        for (before, sample) in one.late.drain(..) {
            let window = Window::of(before.as_ref(), &sample, start, thread);
            window.take(recent, (last_on_cpu, last_of_thread), &mut records);
        }
        records.extend(one.new_losses(losses));
        if records.is_empty() {
            return None;
        }
        let mut new_names = Vec::new();
        for record in &mut records {
            let is_named = matches!(
                record.event,
                TraceEvent::SwitchIn | TraceEvent::InterruptBegin | TraceEvent::SoftirqBegin
            );
            let name = if is_named && record.thread != Some(thread) {
                tracer.name_of(record)
            } else {
                None
            };
            record.name = name.and_then(|name| number_of(name, &mut one.names, &mut new_names));
            record.at = record.at - start;
        }
        one.row_count += records.len();
        Some((one.trial, Trace::from_records(new_names, &records)))
    }

    /// The programs that were busy while samples were late, when it is time to read them.
    fn take_busy(&mut self) -> Vec<(usize, Trace)> {
        let Some((programs, next)) = &mut self.busy else { return Vec::new() };
        let now = platform::clock_nanos();
        if now < *next {
            return Vec::new();
        }
        *next = now + BUSY_INTERVAL;
        let busy = programs.read();
        let rows = self.trials.iter_mut().filter_map(|one| {
            let is_late = std::mem::take(&mut one.is_late);
            let rows = is_late.then(|| one.busy(&busy, now)).flatten()?;
            Some((one.trial, rows))
        });
        rows.collect()
    }

    /// Drops records that no sample to come can need.
    fn forget(&mut self) {
        let wait = MIN_WAIT.max(self.longest_period * 4);
        let newest = self.recent.back().map_or(Nanos::ZERO, |one| one.record.at);
        while let Some(first) = self.recent.front().copied() {
            let is_needed = newest - wait <= first.record.at && self.recent.len() <= MAX_RECENT;
            if is_needed {
                break;
            }
            self.recent.pop_front();
            let TraceRecord { event, cpu, thread, .. } = first.record;
            if event == TraceEvent::SwitchIn {
                self.last_on_cpu.insert(cpu, first);
            }
            if let Some(thread) = thread.filter(|_| event != TraceEvent::Waking) {
                let is_ours = |one: &TracedTrial| {
                    one.slot.thread.load(Ordering::Acquire) == u64::from(thread)
                };
                if self.trials.iter().any(is_ours) {
                    self.last_of_thread.insert(thread, first);
                }
            }
        }
    }

    /// What the trace cost and what it lost, for each trial.
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

/// The records that a late sample needs.
#[derive(Debug)]
struct Window {
    /// From when on switches of the thread itself are needed: its previous wake-up.
    own_from: Nanos,
    /// From when on everything on its CPUs is needed.
    from: Nanos,
    to: Nanos,
    thread: u32,
    cpus: Vec<u32>,
}

impl Window {
    fn of(before: Option<&Sample>, sample: &Sample, start: Nanos, thread: u32) -> Self {
        let due = start + sample.due;
        let own_from = before.map_or(sample.began, |before| before.woke).min(sample.began) + start;
        let is_behind = before.is_some_and(|before| sample.due < before.done);
        let from = (due - TRACE_LEAD).min(if is_behind { own_from } else { due });
        let cpus = [before.and_then(|before| before.cpu), sample.cpu].into_iter().flatten();
        Self { own_from, from, to: start + sample.done, thread, cpus: cpus.collect() }
    }

    /// Moves what is needed and not saved yet to the end of a list.
    fn take(
        mut self,
        recent: &mut VecDeque<Waiting>,
        (last_on_cpu, last_of_thread): (&mut BTreeMap<u32, Waiting>, &mut BTreeMap<u32, Waiting>),
        records: &mut Vec<TraceRecord>,
    ) {
        let first = recent.partition_point(|one| one.record.at < self.own_from.min(self.from));
        let end = recent.partition_point(|one| one.record.at <= self.to);
        let own = |one: &Waiting| one.record.thread == Some(self.thread);
        for one in recent.range(first..end.max(first)).filter(|one| own(one)) {
            if !self.cpus.contains(&one.record.cpu) {
                self.cpus.push(one.record.cpu);
            }
        }
        let mut save = |one: &mut Waiting| {
            if !one.is_saved {
                one.is_saved = true;
                records.push(one.record);
            }
        };
        // The states at the beginning: the thread's own, and who had each CPU.
        let is_own_before = |one: &Waiting| {
            one.record.at < self.own_from
                && one.record.thread == Some(self.thread)
                && one.record.event != TraceEvent::Waking
        };
        match recent.range_mut(..end).rfind(|one| is_own_before(one)) {
            Some(one) => save(one),
            None => last_of_thread.get_mut(&self.thread).into_iter().for_each(&mut save),
        }
        for cpu in &self.cpus {
            let is_before = |one: &Waiting| {
                one.record.at < self.from
                    && one.record.cpu == *cpu
                    && one.record.event == TraceEvent::SwitchIn
            };
            match recent.range_mut(..end).rfind(|one| is_before(one)) {
                Some(one) => save(one),
                None => last_on_cpu.get_mut(cpu).into_iter().for_each(&mut save),
            }
        }
        for one in recent.range_mut(first..end.max(first)) {
            let TraceRecord { at, cpu, thread, .. } = one.record;
            let is_own = thread == Some(self.thread) && self.own_from <= at;
            if is_own || (self.from <= at && self.cpus.contains(&cpu)) {
                save(one);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CpuFacts, FrameLoop, Plan};

    const OWN: u32 = 7;

    fn record(at: i64, event: TraceEvent, cpu: u32, thread: u32) -> Waiting {
        let record = TraceRecord {
            at: Nanos::from_micros(at),
            event,
            cpu,
            thread: Some(thread),
            name: None,
            value: None,
        };
        Waiting { record, is_saved: false }
    }

    fn sample(began: i64, due: i64, woke: i64) -> Sample {
        let [began, due, woke] = [began, due, woke].map(Nanos::from_micros);
        Sample { began, due, slept: Some(woke), woke, done: woke, spins: 0, cpu: Some(1) }
    }

    #[test]
    fn only_what_a_late_sample_needs_is_saved_and_once() {
        use TraceEvent::{Slept, SwitchIn};
        let mut recent: VecDeque<Waiting> = [
            record(1_000, SwitchIn, 1, 40),
            record(1_000, SwitchIn, 0, 41),
            record(2_000, SwitchIn, 1, OWN),
            record(2_100, Slept, 1, OWN),
            record(2_100, SwitchIn, 1, 42),
            record(3_000, SwitchIn, 1, 43),
            record(9_800, SwitchIn, 1, 44),
            record(11_000, SwitchIn, 1, OWN),
            record(12_000, SwitchIn, 1, 45),
        ]
        .into();
        let (mut on_cpu, mut of_thread) = (BTreeMap::new(), BTreeMap::new());
        let before = sample(0, 1_900, 2_050);
        let late = sample(2_060, 10_000, 11_002);
        let mut take = || {
            let mut records = Vec::new();
            let window = Window::of(Some(&before), &late, Nanos::ZERO, OWN);
            window.take(&mut recent, (&mut on_cpu, &mut of_thread), &mut records);
            records.iter().map(|one| (one.at.get() / 1_000, one.thread)).collect::<Vec<_>>()
        };
        let needed = [
            (2_000, Some(OWN)),
            (3_000, Some(43)),
            (2_100, Some(OWN)),
            (9_800, Some(44)),
            (11_000, Some(OWN)),
        ];
        assert_eq!(take(), needed);
        assert_eq!(take(), [], "each record is saved once");
    }

    #[test]
    fn states_outlive_their_records() {
        let slot = ThreadSlot::default();
        slot.thread.store(u64::from(OWN), Ordering::Release);
        let mut trace = StageTrace::default();
        trace.trials.push(TracedTrial {
            trial: 0,
            slot,
            above: Nanos::ZERO,
            before: None,
            is_late: false,
            late: Vec::new(),
            names: BTreeMap::new(),
            row_count: 0,
            omitted_count: 0,
            loss_count: 0,
        });
        trace.recent.push_back(record(0, TraceEvent::SwitchIn, 1, 40));
        trace.recent.push_back(record(1, TraceEvent::Slept, 1, OWN));
        trace.recent.push_back(record(900_000, TraceEvent::SwitchIn, 0, 41));
        trace.forget();
        assert_eq!(trace.recent.len(), 1);
        assert_eq!(trace.last_on_cpu[&1].record.thread, Some(40));
        assert_eq!(trace.last_of_thread[&OWN].record.event, TraceEvent::Slept);
    }

    #[test]
    fn each_trial_has_every_loss_after_its_start_once() {
        let plan = Plan::FrameLoop(FrameLoop::default());
        let mut stages = plan.probe().stages(&CpuFacts::default());
        let trial = stages.swap_remove(0).trials.swap_remove(0);
        let mut stage = StageTrace::default();
        for at in 0..2 {
            stage.add(at, &trial, ThreadSlot::default());
        }
        let loss = |at| record(at, TraceEvent::Lost, 1, 0).record;
        let mut losses = vec![loss(1), loss(2)];
        let [first, second] = stage.trials.as_mut_slice() else { panic!("two trials") };
        first.slot.start.store(900, Ordering::Release);
        assert_eq!(first.new_losses(&losses), losses);
        assert_eq!(second.new_losses(&losses), [], "it has not started");
        second.slot.start.store(2_500, Ordering::Release);
        losses.push(loss(3));
        for one in [first, second] {
            assert_eq!(one.new_losses(&losses), &losses[2..]);
            assert_eq!(one.new_losses(&losses), []);
        }
    }
}
