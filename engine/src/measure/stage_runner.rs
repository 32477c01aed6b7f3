//! Runs the stages of a plan one after another. During a stage, it calls the collector, which takes the measured samples.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Instant;

use super::collector::{Collector, Taps};
use super::cpu_use::CpuTimes;
use super::gap_loop::Totals;
use super::join::{self, Waiting};
use super::journal::JournalWriter;
use super::load::RunningLoad;
use super::marks::{Marks, add_own_runs};
use super::pool::Pool;
use super::recorder::ring;
use super::series_watch::SeriesWatch;
use super::spawner::Spawner;
use super::tail_trial::TriedTails;
use super::trace::{StageTrace, ThreadSlot, TraceMode};
use super::trial::{Note, Setup, TrialEnd};
use super::watchdog::Watchdog;
use super::work::turns_a_second;
use super::{BEAT, Event, Journal, LAST_BEAT, Request, mark_own_run};
use crate::nanos::Nanos;
use crate::plan::{CpuChoice, CpuFacts, LoadKind, Pace, Stage, Tail, Wait, Work};
use crate::platform::{self, clock_nanos};
use crate::run::{Counters, Ending, Health, Run, TrialRun, counter};
use crate::sample::{Evidence, Sample};
use crate::units::count_text;

/// Capacity of the ring that transfers the evidence of a trial; each late sample has one piece of evidence.
const EVIDENCE_CAPACITY: usize = 4_096;

/// Capacity of the ring that transfers the totals of a gap probe, which publishes them once per second.
const TOTALS_CAPACITY: usize = 16;

/// Maximum capacity, in samples, of the ring of a trial whose waits follow each other without a pause.
const MAX_ROOM: usize = 1 << 20;

/// Runs a request until its run ends. This function is the whole body of the collector thread.
pub(super) fn conduct(
    request: Request,
    journal: Option<Box<dyn Journal>>,
    stop: &Arc<AtomicBool>,
    events: SyncSender<Event>,
    wake: Box<dyn Fn() + Send>,
) {
    let stages = request.plan.probe().stages(&request.cpus);
    let run = empty_run(&request, &stages);
    let began = clock_nanos();
    let spawner = Spawner::start();
    // Lower the priority only after the spawner has started: a new thread inherits the priority of
    // its creator, and the measuring threads are created by the spawner.
    platform::lower_own_priority();
    let journal = JournalWriter::start(journal);
    let mut collector = Collector::new(run, events, wake, journal);
    let mut stage_runner = StageRunner {
        stop,
        cpus: request.cpus,
        last_cache_bytes: platform::last_cache_bytes().unwrap_or(32 << 20),
        ring_capacity: request.ring_capacity,
        trace: request.trace,
        began,
        rates: Vec::new(),
        was_revoked: false,
    };
    let outcome = match spawner {
        Ok(spawner) => catch_unwind(AssertUnwindSafe(|| {
            stage_runner.run_stages(&mut collector, &spawner, &stages)
        }))
        .unwrap_or_else(|_| Err("the collector panicked".to_owned())),
        Err(source) => Err(format!("could not start a thread: {source}")),
    };
    let ending = match outcome {
        Err(reason) => Ending::Failed(reason),
        Ok(()) if stop.load(Ordering::Relaxed) && !is_whole(&collector.run) => {
            collector.clock_failure().map_or(Ending::Stopped, Ending::Failed)
        }
        Ok(()) => Ending::Finished,
    };
    collector.finish(ending);
}

/// Returns whether an earlier trial with the same label as a trial of this stage was denied a request.
fn was_denied(run: &Run, stage: &Stage) -> bool {
    let is_same = |one: &TrialRun| stage.trials.iter().any(|it| it.label == one.trial.label);
    run.trials.iter().any(|one| is_same(one) && one.is_denied())
}

fn is_whole(run: &Run) -> bool {
    run.trials.iter().all(|trial| trial.complete || trial.skipped.is_some())
}

/// Creates the run of a request: all planned trials, without any samples.
fn empty_run(request: &Request, stages: &[Stage]) -> Run {
    let started_at = crate::machine::date();
    Run {
        started_at: started_at.unwrap_or_default(),
        // `conduct` sets the real ending when the run ends. A saved run with this ending was
        // interrupted because its program exited.
        ending: Ending::Recovered,
        name: request.labels.name.clone(),
        tags: request.labels.tags.clone(),
        note: request.labels.note.clone(),
        group: request.labels.group.clone(),
        machine: request.machine.clone(),
        clock: request.clock.clone(),
        health: Health {
            debug_build: cfg!(debug_assertions),
            clock_backwards_count: request.clock.went_backwards_count,
            date_unknown: started_at.is_none(),
            ..Health::default()
        },
        ..Run::planned(request.plan.clone().into(), stages)
    }
}

struct StageRunner<'a> {
    stop: &'a Arc<AtomicBool>,
    cpus: CpuFacts,
    last_cache_bytes: u64,
    ring_capacity: usize,
    trace: TraceMode,
    /// Value of `clock_nanos` when the run began.
    began: i64,
    /// For each pinning calibrated so far, the iterations of arithmetic per second.
    rates: Vec<(CpuChoice, f64)>,
    /// Whether the real-time priority of a trial was revoked. Later trials of this run then do not use one.
    was_revoked: bool,
}

/// The measuring threads of a stage. Dropping this stops the run and joins the threads that still run.
/// The watchdog and the load therefore exist for as long as these threads.
struct MeasuringThreads<'a> {
    stop: &'a AtomicBool,
    threads: Vec<Measuring>,
}

impl Drop for MeasuringThreads<'_> {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.stop.store(true, Ordering::Relaxed);
        }
        let mut threads = self.threads.drain(..).map(|one| one.thread).collect();
        join::join_all(&mut threads, "a measuring thread");
    }
}

/// A measuring thread, and the channels and shared values through which it reports.
struct Measuring {
    trial: usize,
    thread: JoinHandle<()>,
    notes: Receiver<Note>,
    measured_at: Arc<AtomicI64>,
    slot: ThreadSlot,
    marks: Marks,
    ended: Option<Box<TrialEnd>>,
    /// The CPU to which the thread is pinned; `None` until it is known, and for other threads.
    cpu: Option<u32>,
}

impl Measuring {
    /// Handles all reports that the thread has sent since the last call.
    fn listen(&mut self, collector: &mut Collector) {
        while let Ok(note) = self.notes.try_recv() {
            match note {
                Note::Applied(applied, tail, tail_curve) => {
                    self.cpu = applied.selected_cpu;
                    let trial = self.trial;
                    collector.emit(Event::Began { trial, applied, tail, tail_curve });
                }
                Note::LoopResult(end) => self.ended = Some(end),
            }
        }
    }
}

impl StageRunner<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Drains the rings. Stops the run if the clock has proved to be unusable for measuring.
    fn drain(&self, collector: &mut Collector, taps: &mut [Taps]) {
        collector.drain(taps);
        if collector.clock_failure().is_some() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn run_stages(
        &mut self,
        collector: &mut Collector,
        spawner: &Spawner,
        stages: &[Stage],
    ) -> Result<(), String> {
        let mut first = 0;
        for stage in stages {
            if self.is_stopped() {
                return Ok(());
            }
            self.run_stage(collector, spawner, stage, first)?;
            collector.check_power(None);
            first += stage.trials.len();
        }
        Ok(())
    }

    fn run_stage(
        &mut self,
        collector: &mut Collector,
        spawner: &Spawner,
        stage: &Stage,
        first: usize,
    ) -> Result<(), String> {
        let skipped = if stage.needs_smt && !platform::has_smt() {
            Some("the cores of this PC have one thread each")
        } else {
            let is_denied = stage.skips_denied && was_denied(&collector.run, stage);
            is_denied.then_some("not as requested in an earlier round")
        };
        if let Some(reason) = skipped {
            for trial in first..first + stage.trials.len() {
                collector.emit(Event::Skipped { trial, reason: reason.to_owned() });
            }
            return Ok(());
        }
        let rates = self.calibrate(collector, spawner, stage, first)?;
        if self.is_stopped() {
            return Ok(());
        }
        // Variables are dropped in reverse order: on every exit, the load ends before the watchdog.
        let watchdog = stage
            .trials
            .iter()
            .any(|trial| platform::is_realtime(trial.conditions.priority))
            .then(|| Watchdog::start(spawner, self.stop))
            .transpose()
            .map_err(|source| format!("the watchdog could not start: {source}"))?;
        let load = RunningLoad::start(spawner, &stage.load, &self.cpus, self.last_cache_bytes)
            .map_err(|error| error.to_string())?;
        let (load_threads, load_began) = (load.thread_count(), Instant::now());
        if 0 < load_threads {
            let threads = count_text(load_threads, "load threads");
            collector.preparing(first, format!("starting {threads}"));
        }
        self.settle(collector, stage.settle);
        if self.is_stopped() {
            return Ok(());
        }
        let mut taps = Vec::new();
        let mut measuring = MeasuringThreads { stop: self.stop, threads: Vec::new() };
        let sinks = (&mut measuring.threads, &mut taps);
        let trace = (self.trace != TraceMode::Off).then(|| StageTrace::prepare(&stage.trials));
        let tails = self.known_tails(collector, stage, first);
        let spawned = self.spawn_trials(spawner, stage, first, (&rates, tails), sinks);
        if spawned.is_err() {
            // Stop the threads that did start. `tend` waits for them while load and watchdog still run.
            self.stop.store(true, Ordering::Relaxed);
        }
        if let Some(mut trace) = trace {
            for (one, trial) in measuring.threads.iter().zip(&stage.trials) {
                trace.add(one.trial, trial, one.slot.clone());
            }
            collector.trace = Some(trace);
        }
        let mut outcome = self.tend(collector, &mut measuring.threads, &mut taps, stage.duration());
        collector.end_trace();
        // `avoid_cpus` may have raised it for this stage.
        platform::lower_own_priority();
        if watchdog.as_ref().is_some_and(Watchdog::has_failed) {
            outcome = Err(
                "real-time priority could not be revoked from a thread that did not sleep, so the \
                 run was stopped"
                    .to_owned(),
            );
        }
        let (used, load_wall) = (load.finish(), Nanos::from(load_began.elapsed()));
        for trial in first..first + stage.trials.len() {
            let threads = i64::try_from(load_threads).unwrap_or(i64::MAX);
            let mut counters = Counters::new();
            counters.insert(counter::LOAD_THREADS.to_owned(), threads);
            if 0 < threads {
                counters.insert(counter::LOAD_CPU_NANOS.to_owned(), used.get());
                counters.insert(counter::LOAD_WALL_NANOS.to_owned(), load_wall.get());
            }
            collector.add_counters(trial, counters);
        }
        spawned.and(outcome)
    }

    /// Returns the iterations of arithmetic per second for each trial of a stage, or 0 for trials without
    /// arithmetic. Calibrates each pinning only once, on a new thread, before the load starts.
    fn calibrate(
        &mut self,
        collector: &mut Collector,
        spawner: &Spawner,
        stage: &Stage,
        first: usize,
    ) -> Result<Vec<f64>, String> {
        let mut rates = Vec::new();
        for trial in &stage.trials {
            if !matches!(trial.work, Work::Arithmetic(_)) {
                rates.push(0.0);
                continue;
            }
            let choice = trial.conditions.cpu;
            if let Some((_, rate)) = self.rates.iter().find(|(known, _)| *known == choice) {
                rates.push(*rate);
                continue;
            }
            collector.preparing(first, "calibrating the work");
            let (sender, answer) = sync_channel(1);
            let thread = spawner
                .spawn("calibrate", move || {
                    if let Ok(Some(cpu)) = platform::choose_cpu(choice) {
                        // An error is ignored: the trial requests the same pinning and reports it.
                        platform::pin_self(cpu).ok();
                    }
                    sender.send(turns_a_second()).ok();
                })
                .map_err(|source| format!("could not start a thread: {source}"))?;
            let mut waiting = Waiting::default();
            let rate = loop {
                match answer.recv_timeout(BEAT.to_duration()) {
                    Ok(rate) => break rate,
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err("the calibration panicked".to_owned());
                    }
                    Err(RecvTimeoutError::Timeout) if waiting.is_over(self.is_stopped()) => {
                        return Ok(rates);
                    }
                    Err(RecvTimeoutError::Timeout) => self.drain(collector, &mut []),
                }
            };
            thread.join().ok().ok_or("the calibration panicked")?;
            self.rates.push((choice, rate));
            rates.push(rate);
        }
        Ok(rates)
    }

    /// Returns, for each trial of a stage, the spin tails that an earlier trial of this run tried under the
    /// same load and conditions. `None` if the trial needs no calibrated tail, or if no earlier trial fits.
    fn known_tails(
        &self,
        collector: &mut Collector,
        stage: &Stage,
        first: usize,
    ) -> Vec<Option<TriedTails>> {
        let mut tails = Vec::new();
        for trial in &stage.trials {
            if trial.wait != Wait::Hybrid(Tail::Measured) {
                tails.push(None);
                continue;
            }
            let is_alike = |run: &&TrialRun| {
                let was_realtime = run
                    .applied
                    .as_ref()
                    .is_some_and(|one| one.is_realtime(trial.conditions.priority));
                run.trial.conditions == trial.conditions
                    && run.trial.pace.period() == trial.pace.period()
                    && run.trial.work == trial.work
                    && !(self.was_revoked && was_realtime)
                    && run.complete
                    && !run.tail_curve.is_empty()
            };
            let alike = || collector.run.trials.iter().filter(is_alike);
            let known = alike().find(|run| run.load == stage.load);
            let known = known.or_else(|| alike().find(|_| stage.reuses_tail));
            let known = known.and_then(|run| Some((run.tail()?, run.tail_curve.clone())));
            if known.is_none() {
                collector.preparing(first, "calibrating the spin tail");
            }
            tails.push(known);
        }
        tails
    }

    /// Waits for this length before the measuring loops start, so that the load can reach a steady state.
    fn settle(&self, collector: &mut Collector, length: Nanos) {
        let end = clock_nanos() + length.get();
        while clock_nanos() < end && !self.is_stopped() {
            let left = Nanos::new(end - clock_nanos()).min(BEAT);
            std::thread::park_timeout(left.to_duration());
            self.drain(collector, &mut []);
        }
    }

    fn spawn_trials(
        &self,
        spawner: &Spawner,
        stage: &Stage,
        first: usize,
        (rates, tails): (&[f64], Vec<Option<TriedTails>>),
        (measuring, taps): (&mut Vec<Measuring>, &mut Vec<Taps>),
    ) -> Result<(), String> {
        let origin = clock_nanos();
        let planned = stage.trials.iter().zip(first..).zip(rates).zip(tails);
        // All rings exist before the first thread measures: to touch their memory takes milliseconds.
        let mut prepared = Vec::new();
        for (((trial, index), &turns_a_second), known_tails) in planned {
            let slots = usize::try_from(trial.slot_count()).unwrap_or(usize::MAX);
            let room = match trial.pace {
                // Short waits can outpace the collector between two drains, so their ring is larger.
                Pace::After { .. } => MAX_ROOM.max(self.ring_capacity),
                Pace::Grid { .. } | Pace::BackToBack | Pace::Gaps { .. } => self.ring_capacity,
            };
            let (samples, samples_tap) = ring(slots.min(room), Sample::default());
            let (evidence, evidence_tap) = ring(EVIDENCE_CAPACITY, Evidence::default());
            let (totals, totals_tap) = ring(TOTALS_CAPACITY, Totals::default());
            let (notes, inbox) = sync_channel(2);
            let measured_at = Arc::new(AtomicI64::new(0));
            // Times of a gap probe count from the start of the stage, all others from that of the trial.
            let start = match trial.pace {
                Pace::Gaps { .. } => Arc::new(AtomicI64::new(origin)),
                Pace::Grid { .. } | Pace::After { .. } | Pace::BackToBack => {
                    Arc::clone(&measured_at)
                }
            };
            let slot = ThreadSlot { start, ..ThreadSlot::default() };
            let setup = Setup {
                trial: trial.clone(),
                turns_a_second,
                pool: (stage.load.kind == LoadKind::Pool).then(|| Pool {
                    workers: stage.load.count.resolve(&self.cpus).max(1),
                    call: stage.load.call,
                }),
                stop: Arc::clone(self.stop),
                samples,
                evidence,
                totals,
                notes,
                measured_at,
                slot,
                origin,
                run_began: self.began,
                known_tails,
                was_revoked: self.was_revoked,
            };
            prepared.push((index, setup, inbox));
            taps.push(Taps {
                trial: index,
                samples: samples_tap,
                evidence: evidence_tap,
                totals: totals_tap,
                dropped_count: 0,
            });
        }
        for (trial, setup, notes) in prepared {
            let (measured_at, slot) = (Arc::clone(&setup.measured_at), setup.slot.clone());
            let thread = spawner
                .spawn(format!("measure-{trial}"), move || setup.run())
                .map_err(|source| format!("a measuring thread could not start: {source}"))?;
            let (marks, ended, cpu) = (Marks::default(), None, None);
            measuring.push(Measuring {
                trial,
                thread,
                notes,
                measured_at,
                slot,
                marks,
                ended,
                cpu,
            });
        }
        Ok(())
    }

    /// Drains the rings every [`BEAT`] until all measuring threads have ended or the wait for them is over.
    fn tend(
        &mut self,
        collector: &mut Collector,
        measuring: &mut Vec<Measuring>,
        taps: &mut [Taps],
        length: Nanos,
    ) -> Result<(), String> {
        let mut failure = None;
        let mut waiting = Waiting::default();
        let mut watch = SeriesWatch::start(length);
        let mut is_apart = false;
        while !measuring.is_empty() {
            let opening = mark_own_run();
            let is_brief = self.is_stopped() || collector.is_trace_waiting();
            let drain = if is_brief { LAST_BEAT } else { BEAT };
            drop(opening);
            std::thread::park_timeout(drain.to_duration());
            let mut run = mark_own_run();
            // Check which threads have finished before draining the rings: the drain below then takes
            // everything that these threads wrote.
            let over: Vec<bool> = measuring.iter().map(|one| one.thread.is_finished()).collect();
            let times = CpuTimes::default();
            for one in measuring.iter_mut() {
                one.listen(collector);
                if one.measured_at.load(Ordering::Acquire) != 0 {
                    one.marks.take(collector, one.trial, &times);
                }
            }
            let cpus: Option<Vec<u32>> = measuring.iter().map(|one| one.cpu).collect();
            if let Some(cpus) = cpus.filter(|_| !is_apart) {
                // The collector leaves the measured CPUs to the measuring threads.
                platform::avoid_cpus(&cpus);
                is_apart = true;
            }
            run.split();
            self.drain(collector, taps);
            run.split();
            add_own_runs(
                collector,
                &measuring.iter().map(|one| (one.trial, one.slot.start.as_ref())),
            );
            add_values(&mut watch, collector, measuring);
            if let Some(one) = measuring.first() {
                collector.watch_power(one.trial);
            }
            if waiting.is_over(self.is_stopped()) {
                for one in measuring.drain(..) {
                    leave_behind(collector, &one, waiting.length());
                }
                return failure.map_or(Ok(()), Err);
            }
            let (mut position, times) = (0, CpuTimes::default());
            for is_over in over {
                if !is_over {
                    position += 1;
                    continue;
                }
                let one = measuring.remove(position);
                match end_trial(collector, one, &times) {
                    Ok(was_revoked) => self.was_revoked |= was_revoked,
                    Err(reason) => {
                        failure = failure.or(Some(reason));
                        self.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

/// Adds values over time, such as temperature and interrupts, to the run. If several trials are measured,
/// only the first gets the values, since they apply to the whole machine.
fn add_values(watch: &mut SeriesWatch, collector: &mut Collector, measuring: &[Measuring]) {
    let Some(one) = measuring.first() else { return };
    let trial = collector.run.trials.get(one.trial).filter(|_| measuring.len() == 1);
    watch.cpu = trial.and_then(|trial| trial.samples.last()?.cpu);
    let values = watch.look();
    let is_measuring = one.measured_at.load(Ordering::Acquire) != 0;
    let at = Nanos::new(clock_nanos() - one.slot.start.load(Ordering::Acquire));
    for (name, value) in values.into_iter().filter(|_| is_measuring) {
        collector.emit(Event::Value { trial: one.trial, name: name.to_owned(), at, value });
    }
}

/// Ends the trial of a measuring thread that gets no CPU and therefore cannot stop. Saves its samples so far.
fn leave_behind(collector: &mut Collector, one: &Measuring, waited: Nanos) {
    let counters = Counters::from([(counter::UNRESPONSIVE_NANOS.to_owned(), waited.get())]);
    collector.ended(one.trial, None, counters);
}

/// Joins a finished measuring thread and adds its results to the run. Returns whether its real-time priority
/// was revoked, or an error if the thread panicked or could not run its loop.
fn end_trial(
    collector: &mut Collector,
    mut one: Measuring,
    times: &CpuTimes,
) -> Result<bool, String> {
    let mut counters = Counters::new();
    one.marks.count_since(times, &mut counters);
    one.listen(collector);
    let panicked = one.thread.join().is_err();
    let Some(mut end) = one.ended else {
        collector.ended(one.trial, None, Counters::new());
        let how = if panicked { "panicked" } else { "ended without a message" };
        return Err(format!("a measuring thread {how}"));
    };
    counters.append(&mut end.counters);
    collector.ended(one.trial, Some(&end), counters);
    end.failure.map_or(Ok(end.demoted), Err)
}
