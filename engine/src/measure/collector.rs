//! The collector owns the run. It takes samples out of the rings of the measuring threads, and passes
//! every event to the reader of events and to the journal.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use super::Event;
use super::gap_loop::Totals;
use super::journal::JournalWriter;
use super::limit_watch::LimitWatch;
use super::recorder::Tap;
use super::trace::StageTrace;
use super::trial::TrialEnd;
use crate::nanos::Nanos;
use crate::platform::{self, Power, PowerSource, clock_nanos};
use crate::run::{Counters, Ending, MAX_SAVED_SAMPLES, Run, counter};
use crate::sample::{Evidence, Sample};

/// The state of the collector, which owns the run during the measurement.
pub(super) struct Collector {
    pub(super) run: Run,
    /// The number of samples and pieces of evidence that still fit into the run.
    room: usize,
    sender: EventSender,
    journal: JournalWriter,
    /// Time in nanoseconds that the machine spent asleep between boot and the start of the run; `None` if not reported.
    suspended_before: Option<i64>,
    power: PowerWatch,
    limit_watch: LimitWatch,
    clock_watch: ClockWatch,
    /// The trace of the stage, which records which threads had the CPU around late samples; `None` without a trace.
    pub(super) trace: Option<StageTrace>,
}

/// The collector's ends of the rings of one trial.
#[derive(Debug)]
pub(super) struct Taps {
    pub(super) trial: usize,
    pub(super) samples: Tap<Sample>,
    pub(super) evidence: Tap<Evidence>,
    pub(super) totals: Tap<Totals>,
    /// Number of samples so far for which the run had no room.
    pub(super) dropped_count: u64,
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
            room: MAX_SAVED_SAMPLES,
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

    /// Applies an event to the run, and passes it to the journal and the reader of events.
    pub(super) fn emit(&mut self, event: Event) {
        if let Err(error) = event.apply_to(&mut self.run) {
            log::error!("{error}");
            return;
        }
        self.journal.write(&event);
        self.sender.send(event);
    }

    /// Drains the rings and the trace, checks the clock, the limits, and the journal, and sends queued events.
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
        // Send each published total as a separate event: the first one covers a single interval, and must
        // arrive even if this thread is late.
        let mut totals = Vec::new();
        taps.totals.drain(|published| totals.push(published.counters()));
        for counters in totals {
            self.emit(Event::Counted { trial: taps.trial, counters });
        }
        taps.dropped_count += self.drop_excess(&mut samples, &mut evidence);
        let lost_count = taps.samples.lost_count() + taps.dropped_count;
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

    /// Removes the samples for which the run has no room, and evidence once the run is full. Returns the number of
    /// removed samples.
    fn drop_excess(&mut self, samples: &mut Vec<Sample>, evidence: &mut Vec<Evidence>) -> u64 {
        let dropped = samples.len().saturating_sub(self.room);
        samples.truncate(self.room);
        if self.room <= samples.len() {
            evidence.clear();
        }
        self.room = self.room.saturating_sub(samples.len() + evidence.len());
        u64::try_from(dropped).unwrap_or(u64::MAX)
    }

    fn count_backward(&mut self, count: impl FnOnce(&mut ClockWatch) -> u32) {
        let health = &mut self.run.health;
        let steps = count(&mut self.clock_watch);
        health.clock_backwards_count = health.clock_backwards_count.saturating_add(steps);
    }

    /// Returns why the clock is not usable for the rest of the run; `None` if it is usable.
    pub(super) fn clock_failure(&self) -> Option<String> {
        self.clock_watch.failure()
    }

    /// Opens the trace as soon as the measuring threads run. Returns whether it is still waiting for them.
    pub(super) fn is_trace_waiting(&mut self) -> bool {
        let opened = self.with_trace(StageTrace::open).unwrap_or_default();
        for (trial, counters) in opened {
            self.add_counters(trial, counters);
        }
        self.trace.as_ref().is_some_and(StageTrace::is_waiting)
    }

    /// Ends the trace of the stage, and adds its last rows and its counters to the run.
    pub(super) fn end_trace(&mut self) {
        let last = self.with_trace(StageTrace::finish).unwrap_or_default();
        for (trial, rows) in last {
            self.emit(Event::Traced { trial, rows: Box::new(rows) });
        }
        let counters = self.with_trace(|trace| trace.end()).unwrap_or_default();
        for (trial, counters) in counters {
            self.add_counters(trial, counters);
        }
        self.trace = None;
    }

    /// Calls `part` with the trace, if there is one. If `part` panics, the trace ends and the run continues.
    fn with_trace<T>(&mut self, part: impl FnOnce(&mut StageTrace) -> T) -> Option<T> {
        let trace = self.trace.as_mut()?;
        let done = catch_unwind(AssertUnwindSafe(|| part(trace)));
        if done.is_err() {
            log::error!("the trace panicked and ended; the run continues");
            self.trace = None;
        }
        done.ok()
    }

    /// Records how long the machine slept during the run, and checks the limits of the program.
    fn check_sleep(&mut self) {
        if let (Some(before), Some(now)) = (self.suspended_before, platform::suspended_nanos()) {
            let slept = (now - before).max(0);
            // Linux and macOS compute the sleep from two clocks, read one after the other. A result below 100 ms may
            // be the time between the two reads.
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

    /// Checks every few seconds whether the power of the machine changed during this trial.
    pub(super) fn watch_power(&mut self, trial: usize) {
        if self.power.is_due(clock_nanos()) {
            self.check_power(Some(trial));
        }
    }

    /// Counts a change of the machine's power, if there was one, in the run and in `trial`. The trial's counter
    /// is updated immediately, so that the change is shown and saved before the trial ends.
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

    /// Reports that a stage is being prepared.
    pub(super) fn preparing(&mut self, trial: usize, step: impl Into<String>) {
        self.emit(Event::Preparing { trial, step: step.into() });
    }

    /// Ends a trial. `end` is the last report of its thread; `None` if the thread sent none.
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

    /// Adds named integers to a trial, possibly after it has ended.
    pub(super) fn add_counters(&mut self, trial: usize, counters: Counters) {
        self.emit(Event::Counted { trial, counters });
    }

    /// Saves and sends the last event, and waits until the reader has received it or has exited.
    pub(super) fn finish(self, ending: Ending) {
        let Self { mut run, mut sender, mut journal, limit_watch, .. } = self;
        run.ending = ending;
        limit_watch.look_now(&mut run.health.limits);
        let mut run = Arc::new(run);
        journal.write(&Event::Finished(Arc::clone(&run)));
        journal.finish();
        if let Some(error) = journal.take_error() {
            Arc::make_mut(&mut run).health.journal_error = Some(error.clone());
            sender.send(Event::NotSaved { reason: error });
        }
        sender.send(Event::Finished(run));
        sender.finish();
    }
}

/// Sends events to the reader without waiting. Events that do not fit into the reader's queue wait in `waiting`.
pub(super) struct EventSender {
    pub(super) events: SyncSender<Event>,
    pub(super) waiting: VecDeque<Event>,
    pub(super) wake: Box<dyn Fn() + Send>,
    /// Whether the reader of events still exists.
    pub(super) is_open: bool,
}

impl EventSender {
    pub(super) fn send(&mut self, event: Event) {
        if !self.is_open {
            return;
        }
        match (self.waiting.back_mut(), event) {
            // New samples are merged into the last queued event if it has samples of the same trial. If
            // a window reads nothing for a minute, the queue then has one event more instead of a
            // thousand.
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

/// A longer step back ends the run, because its loops would wait for the length of the step.
const MAX_STEP: Nanos = Nanos::from_secs(1);

/// The last reading of the clock, and the longest step back so far. Steps back are counted, and a long one ends the run,
/// because the loops would wait until the clock has caught up.
#[derive(Debug)]
pub(super) struct ClockWatch {
    last: i64,
    longest: Nanos,
}

impl ClockWatch {
    pub(super) fn start() -> Self {
        Self { last: clock_nanos(), longest: Nanos::ZERO }
    }

    /// Reads the clock. Returns 1 if the clock went backward since the last reading, else 0.
    pub(super) fn look(&mut self) -> u32 {
        self.look_at(clock_nanos())
    }

    fn look_at(&mut self, now: i64) -> u32 {
        let back = Nanos::new(self.last.saturating_sub(now));
        self.last = now;
        self.longest = self.longest.max(back);
        u32::from(Nanos::ZERO < back)
    }

    /// Returns why the run must end; `None` if no step back was longer than [`MAX_STEP`].
    pub(super) fn failure(&self) -> Option<String> {
        let secs = self.longest.as_secs();
        (MAX_STEP < self.longest).then(|| format!("the clock went backward by {secs:.1} s"))
    }
}

/// Returns the number of samples whose instants `began`, `woke`, and `done` are out of order.
pub(super) fn out_of_order(samples: &[Sample]) -> u32 {
    let count = samples.iter().filter(|one| one.woke < one.began || one.done < one.woke).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The interval of readings in nanoseconds: a change shows within 5 s. Readings are costly on some laptops.
const EVERY_NANOS: i64 = 5_000_000_000;

/// The last reading of the power, and when the next reading is due.
#[derive(Debug)]
pub(super) struct PowerWatch {
    before: Power,
    next: i64,
}

impl PowerWatch {
    /// Reads the power source, and the governor (Linux) or power plan (Windows), before the run.
    pub(super) fn start() -> Self {
        Self { before: platform::power(), next: clock_nanos() + EVERY_NANOS }
    }

    /// Returns whether a reading is due at the clock time `now`, and schedules the next one if it is.
    pub(super) const fn is_due(&mut self, now: i64) -> bool {
        let is_due = self.next <= now;
        if is_due {
            self.next = now + EVERY_NANOS;
        }
        is_due
    }

    /// Returns whether the power source, the governor, or the plan has changed. Ignores the charge of a battery.
    pub(super) fn has_changed(&mut self, now: Power) -> bool {
        let is_battery = |power: &Power| {
            power.source.map(|source| matches!(source, PowerSource::Battery { .. }))
        };
        let has_changed = is_battery(&now) != is_battery(&self.before)
            || now.governor_or_plan != self.before.governor_or_plan;
        self.before = now;
        has_changed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::measure::recorder::ring;
    use crate::plan::{Plan, SchedulingGaps};
    use crate::report::tests::test_run::run_of;

    #[test]
    fn samples_beyond_the_size_of_a_run_are_counted_as_lost() {
        let run = run_of(Plan::SchedulingGaps(SchedulingGaps::default()), |_| {});
        let (events, _reader) = sync_channel(64);
        let mut collector =
            Collector::new(run, events, Box::new(|| {}), JournalWriter::start(None));
        collector.room = 6;
        let (mut recorder, samples) = ring(16, Sample::default());
        let (mut pieces, evidence) = ring(16, Evidence::default());
        let (mut published, totals) = ring(1, Totals::default());
        let mut taps = [Taps { trial: 0, samples, evidence, totals, dropped_count: 0 }];
        for _ in 0..3 {
            (0..4).for_each(|_| recorder.record(Sample::default()));
            pieces.record(Evidence::default());
            collector.drain(&mut taps);
        }
        published.record(Totals::default());
        collector.drain(&mut taps);
        let trial = &collector.run.trials[0];
        assert_eq!((trial.samples.len(), trial.evidence.len(), trial.lost_count), (5, 1, 7));
        assert!(trial.counters.contains_key(counter::READINGS), "every interval is still counted");
    }

    #[test]
    fn steps_back_are_counted_and_long_ones_end_the_run() {
        let mut watch = ClockWatch { last: 0, longest: Nanos::ZERO };
        let second = 1_000_000_000;
        let counts = [second, 2 * second, second, 5 * second].map(|now| watch.look_at(now));
        assert_eq!((counts, watch.failure()), ([0, 0, 1, 0], None));
        assert_eq!(watch.look_at(second), 1);
        assert_eq!(watch.failure().unwrap(), "the clock went backward by 4.0 s");
        assert_eq!(watch.look_at(2 * second), 0);
        assert!(watch.failure().is_some());
    }

    #[test]
    fn instants_of_a_sample_are_in_order() {
        let at = |began, woke, done| Sample {
            began: Nanos::new(began),
            woke: Nanos::new(woke),
            done: Nanos::new(done),
            ..Sample::default()
        };
        assert_eq!(out_of_order(&[at(1, 1, 1), at(1, 2, 3), at(3, 2, 3), at(1, 3, 2)]), 2);
    }

    fn power(source: Option<PowerSource>, plan: &str) -> Power {
        Power { source, governor_or_plan: Some(plan.to_owned()) }
    }

    #[test]
    fn a_change_of_the_power_source_is_noticed_within_seconds_of_a_long_trial() {
        let battery = |percent| Some(PowerSource::Battery { percent: Some(percent) });
        let mains = || power(Some(PowerSource::Mains), "performance");
        let mut watch = PowerWatch { before: mains(), next: 0 };
        // In one simulated hour, the laptop runs on battery from minute 20 to minute 40.
        let mut changes = Vec::new();
        for second in 0..3_600 {
            if watch.is_due(second * 1_000_000_000) {
                let now = match second {
                    0..1_200 | 2_400.. => mains(),
                    _ => power(battery(u8::try_from(90 - second / 60).unwrap()), "performance"),
                };
                if watch.has_changed(now) {
                    changes.push(second);
                }
            }
        }
        let [first, second] = changes.as_slice() else { panic!("{changes:?}") };
        assert!((1_200..=1_205).contains(first) && (2_400..=2_405).contains(second), "{changes:?}");
        assert!(watch.has_changed(power(Some(PowerSource::Mains), "powersave")));
        assert!(!watch.has_changed(power(Some(PowerSource::Mains), "powersave")));
    }
}
