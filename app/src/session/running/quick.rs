//! The quick check in the window: its parts run one after another, each like any other test.

use std::ops::Add as _;
use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::{CheckSettings, Part};
use jitterscope_engine::report::Report;
use jitterscope_engine::report::quick::continuation;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::runner::{
    self, CheckSequence, CheckStep, Host, MeasuredPart, OtherPrograms, lost_after,
};

use super::{Context, FinishedCheck, Live, LoadedRun, Notice, Running, RunningMessage};
use crate::facts::Facts;
use crate::session::finished_check::part_of;
use crate::text::nanos_between;

/// The state of a part of the check.
pub type PartState = runner::PartState<LoadedRun>;

impl MeasuredPart for LoadedRun {
    fn evaluated(&self) -> (&Run, &Report) {
        (&self.run, &self.report)
    }
}

/// A quick check in progress.
#[derive(Debug)]
pub struct ActiveCheck {
    /// Its course.
    pub sequence: CheckSequence<LoadedRun>,
    began: jiff::Timestamp,
    /// When the check was started or last resumed, and how long it took before that.
    resumed: (jiff::Timestamp, Nanos),
    host: Host,
    /// The host whose connection was lost during the check, if any.
    lost: Option<String>,
}

impl ActiveCheck {
    fn new(sequence: CheckSequence<LoadedRun>, host: Host) -> Self {
        let began = crate::text::now();
        Self { sequence, began, resumed: (began, Nanos::ZERO), host, lost: None }
    }

    /// Creates a check that continues the parts of a completed check that have too little data for
    /// a grade; `None` if no part can be continued.
    fn resumed(of: &FinishedCheck, facts: &Facts, host: Host) -> Option<Self> {
        let settings = host.check_settings(&facts.cpus);
        let sequence = CheckSequence::resumed(&of.parts, &facts.cpus, settings)?;
        let mut check = Self { began: of.began, ..Self::new(sequence, host) };
        check.resumed.1 = of.took;
        Some(check)
    }

    /// Returns the progress of the check, 0 to 1, and its planned remaining time.
    pub fn progress(&self, live: Option<&Live>, now: Instant) -> (f64, Nanos) {
        self.sequence.progress(live.map_or(Nanos::ZERO, |live| live.left(now)))
    }

    fn into_checked(self) -> FinishedCheck {
        let (resumed, before) = self.resumed;
        let took = before + nanos_between(resumed, crate::text::now());
        let mut check = FinishedCheck::of(self.sequence.results(), self.began, took);
        check.lost = self.lost;
        if self.sequence.is_stopped {
            check.ending = Ending::Stopped;
        }
        check
    }
}

/// The state of the quick check.
#[derive(Debug, Default)]
pub struct Quick {
    skipped: Vec<Part>,
    /// The check in progress.
    pub check: Option<ActiveCheck>,
    /// The finished check on screen.
    pub result: Option<Arc<FinishedCheck>>,
}

impl Quick {
    /// Returns whether a part is selected for the next check.
    pub fn is_selected(&self, part: Part) -> bool {
        !self.skipped.contains(&part)
    }

    /// Returns the host of the check in progress; `None` if no check is in progress.
    pub(super) fn host(&self) -> Option<Host> {
        self.check.as_ref().map(|check| check.host.clone())
    }

    /// Returns the approximate duration of a part.
    pub fn length_of(&self, part: Part) -> Nanos {
        let tail = self.is_selected(Part::FrameLoad).then_some(Nanos::ZERO);
        part.length(&CheckSettings { tail, ..CheckSettings::default() })
    }

    /// Returns the approximate duration of the selected parts.
    pub fn length(&self) -> Nanos {
        let selected = Part::ALL.into_iter().filter(|part| self.is_selected(*part));
        selected.map(|part| self.length_of(part)).fold(Nanos::ZERO, Nanos::add)
    }

    /// Requests the end of the whole check.
    pub(super) fn stop(&mut self) {
        if let Some(check) = &mut self.check {
            check.sequence.is_stopped = true;
        }
    }

    /// Completes the run of the current part before it is saved. If the connection to its host was
    /// lost, the whole check ends.
    pub(super) fn sign(&mut self, run: &mut Run) {
        let Some(check) = &mut self.check else { return };
        if lost_after(run).is_some() {
            check.sequence.is_stopped = true;
            check.lost.clone_from(&run.host);
        }
        check.sequence.complete(run);
    }
}

impl Running {
    /// Includes a part in the next check, or excludes it; at least one part remains.
    pub(in crate::session) fn choose_part(&mut self, part: Part, is_selected: bool) {
        let skipped = &mut self.quick.skipped;
        skipped.retain(|one| *one != part);
        if !is_selected && skipped.len() + 1 < Part::ALL.len() {
            skipped.push(part);
        }
    }

    /// Starts a check unless a test is running; `limit` is the maximum total time to wait until
    /// other programs are quiet.
    pub(in crate::session) fn start_check(&mut self, limit: Nanos, context: &Context) {
        let Some(facts) = context.facts.as_ref().filter(|_| !self.is_busy()) else { return };
        let Some(host) = context.host.clone() else { return };
        let selected: Vec<Part> =
            Part::ALL.into_iter().filter(|part| self.quick.is_selected(*part)).collect();
        let settings = host.check_settings(&facts.cpus);
        let sequence = CheckSequence::new(&selected, limit, &facts.cpus, settings);
        self.begin_check(ActiveCheck::new(sequence, host), context);
    }

    fn begin_check(&mut self, mut check: ActiveCheck, context: &Context) {
        let step = check.sequence.start();
        self.quick.check = Some(check);
        self.take_step(step, context);
    }

    /// Returns the duration of the measurements that collect the data missing for grades in the
    /// check on screen; `None` if no data is missing or the check was measured on another machine.
    pub fn longer(&self, facts: &Facts) -> Option<Nanos> {
        let check = self.quick.result.as_ref()?;
        let is_here = check.runs().all(|shown| facts.are_of(&shown.run));
        let is_one = check.runs().all(|shown| shown.run.group.is_some());
        let open = check.runs().filter_map(|shown| continuation(&shown.run, &shown.report));
        let lengths = open.map(|plan| plan.duration(&facts.cpus));
        lengths.reduce(Nanos::add).filter(|_| is_here && is_one)
    }

    /// Continues the parts of the check on screen that have too little data for a grade.
    pub(in crate::session) fn measure_longer(&mut self, context: &Context) {
        let Some(facts) = context.facts.as_ref().filter(|_| !self.is_busy()) else { return };
        let Some(host) = context.host.clone() else { return };
        let resumed = self.quick.result.as_ref().filter(|_| self.longer(facts).is_some());
        if let Some(check) = resumed.and_then(|of| ActiveCheck::resumed(of, facts, host)) {
            self.begin_check(check, context);
        }
    }

    /// Ends the current part, and continues with the next one.
    pub(in crate::session) fn skip_part(&mut self, context: &Context) {
        let Some(check) = &mut self.quick.check else { return };
        if self.active.is_none() && !check.sequence.is_waiting_for_quiet() {
            return;
        }
        let step = check.sequence.skip();
        if let Some(active) = &mut self.active {
            active.stop();
        }
        if let Some(step) = step {
            self.take_step(step, context);
        }
    }

    /// Lets the check or the waiting test start measuring even if other programs are not quiet.
    pub(in crate::session) fn measure_now(&mut self) {
        if let Some(check) = &mut self.quick.check {
            check.sequence.measure_now();
        }
        if let Some(waiting) = &mut self.waiting {
            waiting.measure_now();
        }
    }

    /// Handles the completed run of the current part.
    pub(super) fn end_part(&mut self, shown: &Arc<LoadedRun>, context: &Context) {
        let Some(check) = &mut self.quick.check else { return };
        let part = check.sequence.current();
        if part_of(shown) == Some(part) {
            let step = check.sequence.take_run(shown);
            if let CheckStep::Look(Some(disturbance)) = &step {
                let name = part.name();
                let words = format!("{name}: {disturbance}. It was measured again.");
                context.notify(Notice::info(words));
            }
            self.take_step(step, context);
        }
    }

    /// Handles a current part without a usable run.
    pub(super) fn drop_part(&mut self, context: &Context) {
        if let Some(check) = &mut self.quick.check {
            let step = check.sequence.take_no_run();
            self.take_step(step, context);
        }
    }

    /// Takes the next step of the check.
    fn take_step(&mut self, step: CheckStep, context: &Context) {
        match step {
            CheckStep::Look(_) => {
                if let Some(host) = self.quick.host() {
                    self.look_at_other_load(host);
                }
            }
            CheckStep::Measure(plan, labels) => {
                if !self.start_plan(*plan, labels, context) {
                    // `start_plan` has already reported the error.
                    self.drop_part(context);
                }
            }
            CheckStep::End => {
                let check = self.quick.check.take();
                self.quick.result = check.map(|check| Arc::new(check.into_checked()));
            }
        }
    }

    /// Starts to measure the load of other programs; a measurement in progress no longer counts.
    pub(super) fn look_at_other_load(&mut self, host: Host) {
        self.look_count += 1;
        let number = self.look_count;
        let look = move || Ok(host.look());
        let message =
            move |found: Result<_, _>| RunningMessage::OtherLoad(number, found.unwrap_or_default());
        self.tasks.spawn_at_own_priority("other-load", look, message);
    }

    /// Starts the waiting part of the check, or the waiting test, if other programs are quiet
    /// enough; otherwise measures their load again.
    pub(super) fn take_other_load(&mut self, found: OtherPrograms, context: &Context) {
        let check = self.quick.check.as_mut();
        match check.filter(|check| check.sequence.is_waiting_for_quiet()) {
            Some(check) => {
                let step = check.sequence.take_other_load(found);
                self.take_step(step, context);
            }
            None => self.start_waiting(found, context),
        }
    }
}

#[cfg(test)]
mod tests;
