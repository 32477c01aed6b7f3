//! Owns the run: takes samples out of the rings, tells the reader of events, and keeps the journal.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use super::Event;
use super::journal::{Entry, Keeper};
use super::recorder::Tap;
use crate::nanos::Nanos;
use crate::platform::{self, Applied};
use crate::run::{Counters, Ending, Run, counter};
use crate::sample::{Evidence, Sample};

/// Owns the run while it goes on.
pub(super) struct Collector {
    pub(super) run: Run,
    teller: Teller,
    keeper: Keeper,
    /// Time the machine spent asleep before the run, where the system tells.
    suspended_before: Option<i64>,
    power_before: platform::Power,
}

/// The collector's end of one trial's rings.
#[derive(Debug)]
pub(super) struct Taps {
    pub(super) trial: usize,
    pub(super) samples: Tap<Sample>,
    pub(super) evidence: Tap<Evidence>,
}

impl Collector {
    pub(super) fn new(
        run: Run,
        events: SyncSender<Event>,
        wake: Box<dyn Fn() + Send>,
        keeper: Keeper,
    ) -> Self {
        let mut collector = Self {
            run,
            teller: Teller { events, waiting: VecDeque::new(), wake, is_heard: true },
            keeper,
            suspended_before: platform::suspended_nanos(),
            power_before: platform::power(),
        };
        let planned = Arc::new(collector.run.clone());
        collector.keeper.keep(Entry::Begun(Arc::clone(&planned)));
        collector.tell(Event::Planned(planned));
        collector
    }

    /// Tells an event, now or when the reader has room.
    pub(super) fn tell(&mut self, event: Event) {
        self.teller.tell(event);
    }

    /// Takes what the rings hold, and hands on what waits.
    pub(super) fn beat(&mut self, taps: &mut [Taps]) {
        for tap in taps {
            self.drain(tap);
        }
        self.watch();
        self.keeper.push();
        if let Some(error) = self.keeper.take_error() {
            self.run.health.journal_error = Some(error.clone());
            self.tell(Event::NotKept(error));
        }
        self.teller.push();
    }

    fn drain(&mut self, taps: &mut Taps) {
        let mut samples = Vec::new();
        let mut evidence = Vec::new();
        taps.samples.drain(|sample| samples.push(sample));
        taps.evidence.drain(|piece| evidence.push(piece));
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
        trial.lost_count = lost_count;
        trial.samples.extend(samples.iter().copied());
        trial.evidence.extend(evidence.iter().copied());
        self.keeper.keep(Entry::Samples {
            trial: taps.trial,
            samples: samples.clone(),
            evidence: evidence.clone(),
            lost_count,
        });
        self.tell(Event::Samples { trial: taps.trial, samples, evidence, lost_count });
    }

    /// Looks for what makes a run untrustworthy.
    fn watch(&mut self) {
        if let (Some(before), Some(now)) = (self.suspended_before, platform::suspended_nanos()) {
            let slept = (now - before).max(0);
            // The two clocks are read one after the other, and some tick at 16 ms; less than 100 ms is that.
            let slept = if slept < 100_000_000 { 0 } else { slept };
            self.run.health.machine_slept = Some(Nanos::new(slept));
        }
    }

    /// Looks whether the machine's power changed; reads files, so between stages only.
    pub(super) fn watch_power(&mut self) {
        let now = platform::power();
        if now.source != self.power_before.source
            || now.governor_or_plan != self.power_before.governor_or_plan
        {
            self.run.health.power_changes += 1;
            self.power_before = now;
        }
    }

    /// Keeps what a trial was granted.
    pub(super) fn began(&mut self, trial: usize, applied: &Applied, tail: Option<Nanos>) {
        if let Some(run) = self.run.trials.get_mut(trial) {
            run.applied = Some(applied.clone());
        }
        self.keeper.keep(Entry::Applied { trial, applied: Box::new(applied.clone()) });
        self.tell(Event::Began { trial, applied: Box::new(applied.clone()), tail });
    }

    /// Keeps how a trial ended.
    pub(super) fn ended(
        &mut self,
        trial: usize,
        complete: bool,
        demoted: bool,
        counters: Counters,
    ) {
        let Some(run) = self.run.trials.get_mut(trial) else { return };
        run.complete = complete;
        run.counters.extend(counters);
        if let Some(applied) = &mut run.applied {
            applied.demoted |= demoted;
        }
        let counters = run.counters.clone();
        if demoted {
            self.tell(Event::Demoted);
        }
        let health = Box::new(self.run.health.clone());
        self.keeper.keep(Entry::Ended { trial, complete, counters, health });
        self.tell(Event::Ended { trial, complete });
    }

    /// Adds named integers that are known only after a trial is over.
    pub(super) fn add_counters(&mut self, trial: usize, counters: Counters) {
        let Some(run) = self.run.trials.get_mut(trial) else { return };
        run.counters.extend(counters);
        let (complete, counters) = (run.complete, run.counters.clone());
        let health = Box::new(self.run.health.clone());
        self.keeper.keep(Entry::Ended { trial, complete, counters, health });
    }

    /// Leaves a trial out.
    pub(super) fn skip(&mut self, trial: usize, reason: &str) {
        if let Some(run) = self.run.trials.get_mut(trial) {
            run.skipped = Some(reason.to_owned());
        }
        self.tell(Event::Skipped { trial, reason: reason.to_owned() });
    }

    /// Tells the last event and waits until the reader has it, or is gone.
    pub(super) fn finish(mut self, ending: Ending) {
        self.run.ending = ending.clone();
        self.keeper.push();
        self.keeper.finish();
        let run = Arc::new(self.run);
        self.teller.tell(match ending {
            Ending::Failed(reason) => Event::Failed { reason, run },
            Ending::Finished | Ending::Stopped | Ending::Recovered => Event::Finished(run),
        });
        self.teller.finish();
    }
}

/// Tells events without ever waiting: what does not fit waits here, and nothing is dropped.
struct Teller {
    events: SyncSender<Event>,
    waiting: VecDeque<Event>,
    wake: Box<dyn Fn() + Send>,
    is_heard: bool,
}

impl Teller {
    fn tell(&mut self, event: Event) {
        if !self.is_heard {
            return;
        }
        match (self.waiting.back_mut(), event) {
            // Samples of one trial that wait grow together, so that a window that does not look for
            // a minute costs one event and not a thousand.
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

    fn push(&mut self) {
        let mut told = false;
        while let Some(event) = self.waiting.pop_front() {
            match self.events.try_send(event) {
                Ok(()) => told = true,
                Err(TrySendError::Full(event)) => {
                    self.waiting.push_front(event);
                    break;
                }
                Err(TrySendError::Disconnected(_)) => {
                    self.waiting.clear();
                    self.is_heard = false;
                }
            }
        }
        if told {
            (self.wake)();
        }
    }

    fn finish(mut self) {
        while self.is_heard && !self.waiting.is_empty() {
            std::thread::sleep(Duration::from_millis(20));
            self.push();
        }
    }
}
