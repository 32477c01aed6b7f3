//! Owns the run: takes samples out of the rings, and passes every event to the reader and the
//! journal.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use super::Event;
use super::clock_watch::{ClockWatch, out_of_order};
use super::gap_loop::Totals;
use super::journal::JournalWriter;
use super::limit_watch::LimitWatch;
use super::power_watch::PowerWatch;
use super::recorder::Tap;
use super::trace::StageTrace;
use super::trial::TrialEnd;
use crate::nanos::Nanos;
use crate::platform::{self, Applied, clock_nanos};
use crate::run::{Counters, Ending, Run, TailPoint, counter};
use crate::sample::{Evidence, Sample};

/// Owns the run while it is measured.
pub(super) struct Collector {
    pub(super) run: Run,
    sender: EventSender,
    journal: JournalWriter,
    /// Time the machine spent asleep before the run, where the system reports it.
    suspended_before: Option<i64>,
    power: PowerWatch,
    limit_watch: LimitWatch,
    clock_watch: ClockWatch,
    /// Who had the CPU around late samples of the stage; absent where that is not recorded.
    trace: Option<StageTrace>,
}

/// The collector's end of one trial's rings.
#[derive(Debug)]
pub(super) struct Taps {
    pub(super) trial: usize,
    pub(super) samples: Tap<Sample>,
    pub(super) evidence: Tap<Evidence>,
    pub(super) totals: Tap<Totals>,
}

impl Collector {
    pub(super) fn new(
        run: Run,
        events: SyncSender<Event>,
        wake: Box<dyn Fn() + Send>,
        journal: JournalWriter,
    ) -> Self {
        let mut collector = Self {
            run,
            sender: EventSender { events, waiting: VecDeque::new(), wake, is_open: true },
            journal,
            suspended_before: platform::suspended_nanos(),
            power: PowerWatch::start(),
            limit_watch: LimitWatch::start(),
            clock_watch: ClockWatch::start(),
            trace: None,
        };
        let planned = Event::Planned(Arc::new(collector.run.clone()));
        collector.journal.write(&planned);
        collector.sender.send(planned);
        collector
    }

    /// Adds an event to the run, the journal, and the reader's queue.
    fn emit(&mut self, event: Event) {
        if let Err(error) = event.apply_to(&mut self.run) {
            log::error!("{error}");
            return;
        }
        self.journal.write(&event);
        self.sender.send(event);
    }

    /// Drains the rings, and sends queued events.
    pub(super) fn drain(&mut self, taps: &mut [Taps]) {
        for tap in taps {
            self.drain_trial(tap);
        }
        let traced = self.with_trace(StageTrace::take).unwrap_or_default();
        for (trial, rows) in traced {
            self.emit(Event::Traced { trial, rows: Box::new(rows) });
        }
        self.count_backward(ClockWatch::look);
        self.check_sleep();
        self.journal.push();
        self.check_journal();
        self.sender.push();
    }

    fn drain_trial(&mut self, taps: &mut Taps) {
        let mut samples = Vec::new();
        let mut evidence = Vec::new();
        taps.samples.drain(|sample| samples.push(sample));
        taps.evidence.drain(|piece| evidence.push(piece));
        // Each of them: the first is of one interval, also where this thread comes late to it.
        let mut totals = Vec::new();
        taps.totals.drain(|published| totals.push(published.counters()));
        for counters in totals {
            self.emit(Event::Counted { trial: taps.trial, counters });
        }
        let lost_count = taps.samples.lost_count();
        let Some(trial) = self.run.trials.get_mut(taps.trial) else { return };
        let evidence_lost = taps.evidence.lost_count();
        if 0 < evidence_lost {
            let lost = i64::try_from(evidence_lost).unwrap_or(i64::MAX);
            trial.counters.insert(counter::EVIDENCE_LOST.to_owned(), lost);
        }
        if samples.is_empty() && evidence.is_empty() && trial.lost_count == lost_count {
            return;
        }
        self.count_backward(|_| out_of_order(&samples));
        self.with_trace(|trace| trace.note(taps.trial, &samples));
        self.emit(Event::Samples { trial: taps.trial, samples, evidence, lost_count });
    }

    fn count_backward(&mut self, count: impl FnOnce(&mut ClockWatch) -> u32) {
        let health = &mut self.run.health;
        let steps = count(&mut self.clock_watch);
        health.clock_backwards_count = health.clock_backwards_count.saturating_add(steps);
    }

    /// Why the clock can no longer be measured with.
    pub(super) fn clock_failure(&self) -> Option<String> {
        self.clock_watch.failure()
    }

    /// Records who had the CPU from now on.
    pub(super) fn start_trace(&mut self, trace: StageTrace) {
        self.trace = Some(trace);
    }

    /// Whether the trace waits for the threads to run; opens it once they do.
    pub(super) fn is_trace_waiting(&mut self) -> bool {
        let opened = self.with_trace(StageTrace::open).unwrap_or_default();
        for (trial, counters) in opened {
            self.add_counters(trial, counters);
        }
        self.trace.as_ref().is_some_and(StageTrace::is_waiting)
    }

    /// Ends the trace of the stage.
    pub(super) fn end_trace(&mut self) {
        let untraced = self.with_trace(StageTrace::untraced).unwrap_or_default();
        for (trial, rows) in untraced {
            self.emit(Event::Traced { trial, rows: Box::new(rows) });
        }
        let counters = self.with_trace(|trace| trace.end()).unwrap_or_default();
        for (trial, counters) in counters {
            self.add_counters(trial, counters);
        }
        self.trace = None;
    }

    /// Runs a part of the trace; a panic in it ends the trace and nothing else.
    fn with_trace<T>(&mut self, part: impl FnOnce(&mut StageTrace) -> T) -> Option<T> {
        let trace = self.trace.as_mut()?;
        let done = catch_unwind(AssertUnwindSafe(|| part(trace)));
        if done.is_err() {
            log::error!("the trace panicked and ended; the run continues");
            self.trace = None;
        }
        done.ok()
    }

    /// Checks how long the machine slept during the run.
    fn check_sleep(&mut self) {
        if let (Some(before), Some(now)) = (self.suspended_before, platform::suspended_nanos()) {
            let slept = (now - before).max(0);
            // Linux and macOS read two clocks for it, one after the other: less than 100 ms may be the time between
            // both.
            let slept = if slept < 100_000_000 { 0 } else { slept };
            self.run.health.machine_slept = Some(Nanos::new(slept));
        }
        self.limit_watch.look(&mut self.run.health.limits);
    }

    fn check_journal(&mut self) {
        if let Some(error) = self.journal.take_error() {
            self.emit(Event::NotSaved { reason: error });
        }
    }

    /// Checks every few seconds whether the machine's power changed while a trial is measured.
    pub(super) fn watch_power(&mut self, trial: usize) {
        if self.power.is_due(clock_nanos()) {
            self.check_power(Some(trial));
        }
    }

    /// Checks whether the machine's power changed; the trial that is measured counts it at once, so that it is
    /// shown and saved before that trial ends.
    pub(super) fn check_power(&mut self, trial: Option<usize>) {
        if !self.power.has_changed(platform::power()) {
            return;
        }
        self.run.health.power_changes += 1;
        let counters = |trial: usize| self.run.trials.get(trial).map(|trial| &trial.counters);
        if let Some((trial, counters)) = trial.and_then(|trial| Some((trial, counters(trial)?))) {
            let count = counters.get(counter::POWER_CHANGES).map_or(1, |count| count + 1);
            self.add_counters(trial, Counters::from([(counter::POWER_CHANGES.to_owned(), count)]));
        }
    }

    /// A stage is being prepared.
    pub(super) fn preparing(&mut self, trial: usize, step: impl Into<String>) {
        self.emit(Event::Preparing { trial, step: step.into() });
    }

    /// A trial's thread has started.
    pub(super) fn began(
        &mut self,
        trial: usize,
        applied: Box<Applied>,
        tail: Option<Nanos>,
        tail_curve: Vec<TailPoint>,
    ) {
        self.emit(Event::Began { trial, applied, tail, tail_curve });
    }

    /// Ends a trial; `end` is the last report of its thread, if there was one.
    pub(super) fn ended(&mut self, trial: usize, end: Option<&TrialEnd>, counters: Counters) {
        if end.is_some_and(|end| end.demoted) {
            self.emit(Event::Demoted { trial });
        }
        let Some(run) = self.run.trials.get(trial) else { return };
        let mut all = run.counters.clone();
        all.extend(counters);
        let health = Box::new(self.run.health.clone());
        self.emit(Event::Ended {
            trial,
            complete: end.is_some_and(|end| end.complete),
            policy_at_end: end.and_then(|end| end.policy_at_end),
            counters: all,
            health,
        });
    }

    /// Adds named integers that are known only after a trial is over.
    pub(super) fn add_counters(&mut self, trial: usize, counters: Counters) {
        self.emit(Event::Counted { trial, counters });
    }

    /// Adds a value over time.
    pub(super) fn add_value(&mut self, trial: usize, name: &str, at: Nanos, value: i64) {
        self.emit(Event::Value { trial, name: name.to_owned(), at, value });
    }

    /// Skips a trial.
    pub(super) fn skip(&mut self, trial: usize, reason: &str) {
        self.emit(Event::Skipped { trial, reason: reason.to_owned() });
    }

    /// Sends the last event and waits until the reader has it or has exited.
    pub(super) fn finish(self, ending: Ending) {
        let Self { mut run, mut sender, mut journal, limit_watch, .. } = self;
        run.ending = ending;
        limit_watch.look_now(&mut run.health.limits);
        let mut run = Arc::new(run);
        journal.write(&Event::last(Arc::clone(&run)));
        journal.finish();
        if let Some(error) = journal.take_error() {
            Arc::make_mut(&mut run).health.journal_error = Some(error.clone());
            sender.send(Event::NotSaved { reason: error });
        }
        sender.send(Event::last(run));
        sender.finish();
    }
}

/// Sends events without ever waiting: what does not fit is queued here, and nothing is dropped.
pub(super) struct EventSender {
    pub(super) events: SyncSender<Event>,
    pub(super) waiting: VecDeque<Event>,
    pub(super) wake: Box<dyn Fn() + Send>,
    /// Whether the reader still exists.
    pub(super) is_open: bool,
}

impl EventSender {
    pub(super) fn send(&mut self, event: Event) {
        if !self.is_open {
            return;
        }
        match (self.waiting.back_mut(), event) {
            // Queued samples of one trial are merged, so that a window that does not read for a
            // minute costs one event and not a thousand.
            (
                Some(Event::Samples {
                    trial: of,
                    samples: old,
                    evidence: old_evidence,
                    lost_count,
                }),
                Event::Samples { trial, samples, evidence, lost_count: lost_now },
            ) if *of == trial => {
                old.extend(samples);
                old_evidence.extend(evidence);
                *lost_count = lost_now;
            }
            (_, event) => self.waiting.push_back(event),
        }
        self.push();
    }

    pub(super) fn push(&mut self) {
        let mut is_sent = false;
        while let Some(event) = self.waiting.pop_front() {
            match self.events.try_send(event) {
                Ok(()) => is_sent = true,
                Err(TrySendError::Full(event)) => {
                    self.waiting.push_front(event);
                    break;
                }
                Err(TrySendError::Disconnected(_)) => {
                    self.waiting.clear();
                    self.is_open = false;
                }
            }
        }
        if is_sent {
            (self.wake)();
        }
    }

    pub(super) fn finish(mut self) {
        while self.is_open && !self.waiting.is_empty() {
            std::thread::sleep(Duration::from_millis(20));
            self.push();
        }
    }
}
