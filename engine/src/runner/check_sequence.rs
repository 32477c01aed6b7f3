//! The course of a quick check, as data. The window and the command line drive it: each event, such
//! as a measured run, goes in, and what to do next comes out. Nothing here measures, waits, or saves.
//!
//! Each part of the check goes through these states:
//!
//! ```text
//! Waiting ─▶ Quiet ─▶ Running ─▶ Done
//!    ▲   other programs │  │ ▲ too little data for a grade: measured longer, once,
//!    │     are quiet    │  └─┘ if the time of the check allows
//!    └──────────────────┘ disturbed: measured again, once
//! ```
//!
//! Example: the sleep part is disturbed, measured again, and then has too little data. The steps are
//! `Look`, `Measure`, `Look` (again), `Measure`, `Measure` (longer), and `Look` for the next part.
//! A skipped part, and one that was cut off without a grade, is `Skipped`, unless an earlier run of
//! it counts. Once the check is stopped, or its host is lost, no part begins.

use std::sync::Arc;

use super::check::CheckGroup;
use super::quiet::{OtherPrograms, QuietWait};
use crate::nanos::Nanos;
use crate::plan::quick::{BUDGET, CheckSettings, Part};
use crate::plan::{CpuFacts, Plan};
use crate::report::quick::{continuation, joined};
use crate::report::{Disturbance, Report};
use crate::run::{Group, Labels, Run, TrialRun};

/// A measured part of a check, as the caller holds it.
pub trait MeasuredPart {
    /// The run of the part, and its report.
    fn evaluated(&self) -> (&Run, &Report);
}

impl MeasuredPart for (Run, Report) {
    fn evaluated(&self) -> (&Run, &Report) {
        (&self.0, &self.1)
    }
}

/// The state of a part of a check.
#[derive(Clone, Debug)]
pub enum PartState<R> {
    /// The part has not begun. Holds the run of an earlier check that it continues, if any.
    Waiting(Option<Arc<R>>),
    /// The part waits until other programs use less CPU time. Holds their current use; empty before
    /// the first measurement.
    Quiet(OtherPrograms),
    /// The part is being measured or saved.
    Running,
    /// The part was measured.
    Done(Arc<R>),
    /// The part was skipped, or not selected.
    Skipped,
}

/// What to do next.
#[derive(Debug)]
pub enum CheckStep {
    /// Measure the load of other programs for [`QuietWait::LOOK`]. Holds the disturbance because
    /// of which the current part is measured again, if it is.
    Look(Option<Disturbance>),
    /// Measure this plan; its run gets these labels.
    Measure(Box<Plan>, Labels),
    /// The check has ended.
    End,
}

/// A quick check in progress. `R` is what the caller holds of a measured run.
#[derive(Debug)]
pub struct CheckSequence<R> {
    /// All parts with their states.
    pub parts: Vec<(Part, PartState<R>)>,
    planned: [Nanos; Part::ALL.len()],
    settings: CheckSettings,
    cpus: CpuFacts,
    /// The run that the current part continues because it has too little data for a grade, and the
    /// additional duration.
    pub continued: Option<(Arc<R>, Nanos)>,
    /// The remaining time that may be spent on continuing parts.
    spare: Nanos,
    current: usize,
    group: CheckGroup,
    quiet: QuietWait,
    /// The maximum total time to wait until other programs are quiet.
    pub limit: Nanos,
    is_skipping: bool,
    /// Whether the whole check ends; the run that is being measured has to be stopped, and follows.
    pub is_stopped: bool,
}

impl<R: MeasuredPart> CheckSequence<R> {
    /// Creates a check of the selected parts. `limit` is the maximum total time to wait until other
    /// programs are quiet. A scaled-down check neither waits nor measures again or longer.
    pub fn new(selected: &[Part], limit: Nanos, cpus: &CpuFacts, settings: CheckSettings) -> Self {
        let planned = part_lengths(&settings, selected);
        let state = |part: &Part| {
            if selected.contains(part) { PartState::Waiting(None) } else { PartState::Skipped }
        };
        Self {
            parts: Part::ALL.iter().map(|part| (*part, state(part))).collect(),
            spare: planned.iter().fold(BUDGET, |left, length| left - *length),
            planned,
            settings,
            cpus: cpus.clone(),
            continued: None,
            current: 0,
            group: CheckGroup::default(),
            quiet: QuietWait::new(limit),
            limit,
            is_skipping: false,
            is_stopped: false,
        }
    }

    /// Creates a check that continues the parts of a completed check that have too little data for
    /// a grade; `None` if no part can be continued.
    pub fn resumed(
        parts: &[(Part, Option<Arc<R>>)],
        cpus: &CpuFacts,
        settings: CheckSettings,
    ) -> Option<Self> {
        let mut measured = parts.iter().filter_map(|(_, measured)| measured.as_ref());
        let group = measured.find_map(|one| one.evaluated().0.group.as_ref())?;
        let mut check = Self::new(&[], QuietWait::DEFAULT, cpus, settings);
        check.group = CheckGroup::of(group);
        check.spare = Nanos::ZERO;
        for ((part, state), planned) in check.parts.iter_mut().zip(&mut check.planned) {
            let known = parts.iter().find(|(one, _)| one == part);
            let Some((_, Some(measured))) = known else { continue };
            let (run, report) = measured.evaluated();
            *state = match continuation(run, report) {
                Some(plan) => {
                    *planned = plan.duration(cpus);
                    PartState::Waiting(Some(Arc::clone(measured)))
                }
                None => PartState::Done(Arc::clone(measured)),
            };
        }
        let is_undecided = check.parts.iter().any(|(_, one)| matches!(one, PartState::Waiting(_)));
        is_undecided.then_some(check)
    }

    /// Returns the part that is being measured.
    pub fn current(&self) -> Part {
        self.parts.get(self.current).map_or(Part::Sleep, |(part, _)| *part)
    }

    /// Returns the position, from 0, of the part that is being measured, in the order in which the
    /// parts run.
    pub fn current_index(&self) -> usize {
        let current = self.current();
        Part::IN_ORDER.iter().position(|part| *part == current).unwrap_or(0)
    }

    /// Returns the planned duration of a part; 0 if the part is not measured.
    pub fn length(&self, part: Part) -> Nanos {
        let at = self.parts.iter().position(|(one, _)| *one == part);
        at.and_then(|at| self.planned.get(at)).copied().unwrap_or_default()
    }

    /// Returns the planned duration of the current part.
    pub fn planned_now(&self) -> Nanos {
        match &self.continued {
            Some((_, length)) => *length,
            None => self.planned.get(self.current).copied().unwrap_or_default(),
        }
    }

    /// Returns whether the current part is ending early: the user skipped it or stopped the check.
    pub const fn is_ending(&self) -> bool {
        self.is_skipping || self.is_stopped
    }

    /// Returns whether the current part waits until other programs are quiet.
    pub fn is_waiting_for_quiet(&self) -> bool {
        matches!(self.parts.get(self.current), Some((_, PartState::Quiet(_))))
    }

    /// Returns the progress of the check, 0 to 1, and its planned remaining time. `rest` is the
    /// remaining time of the run that is being measured.
    pub fn progress(&self, rest: Nanos) -> (f64, Nanos) {
        let (mut done, mut left) = (Nanos::ZERO, Nanos::ZERO);
        for (at, ((_, state), &planned)) in self.parts.iter().zip(&self.planned).enumerate() {
            match state {
                PartState::Waiting(_) | PartState::Quiet(_) => left += planned,
                PartState::Running if at == self.current => {
                    let planned = self.planned_now();
                    done += planned - rest.min(planned);
                    left += rest.min(planned);
                }
                PartState::Running | PartState::Done(_) => done += planned,
                PartState::Skipped => {}
            }
        }
        let whole = (done + left).max(Nanos::new(1));
        (done.as_f64() / whole.as_f64(), left)
    }

    /// Returns the parts with their runs; `None` if the part was not measured.
    pub fn results(&self) -> Vec<(Part, Option<Arc<R>>)> {
        let measured = |(part, state): &(Part, PartState<R>)| match state {
            PartState::Done(measured) => (*part, Some(Arc::clone(measured))),
            _ => (*part, None),
        };
        self.parts.iter().map(measured).collect()
    }

    /// Completes the run of the current part before it is saved: joins it with the earlier run that
    /// it continues, if any, and adds the parts skipped so far.
    pub fn complete(&mut self, run: &mut Run) {
        if let Some((first, _)) = &self.continued {
            let (first, _) = first.evaluated();
            *run = joined(first, run.clone());
            // The user may have edited the earlier run before it was continued.
            run.name.clone_from(&first.name);
            run.note.clone_from(&first.note);
            run.tags.clone_from(&first.tags);
        }
        run.group = Some(self.group());
    }

    /// Skips the current part. Returns the next step if the part is not being measured; otherwise,
    /// its run has to be stopped, and follows.
    pub fn skip(&mut self) -> Option<CheckStep> {
        self.is_skipping = !self.is_waiting_for_quiet();
        (!self.is_skipping).then(|| self.take_no_run())
    }

    /// Lets the check measure even if other programs are not quiet.
    pub fn measure_now(&mut self) {
        self.quiet.spend(self.quiet.left);
    }

    /// Begins the check.
    pub fn start(&mut self) -> CheckStep {
        self.advance(None)
    }

    /// Handles the load of other programs: measures the part that waits, or waits on.
    pub fn take_other_load(&mut self, found: OtherPrograms) -> CheckStep {
        if self.is_stopped {
            self.take_no_run()
        } else if self.quiet.must_wait(found.share) {
            self.quiet.spend(QuietWait::LOOK);
            self.set(PartState::Quiet(found));
            CheckStep::Look(None)
        } else {
            self.measure()
        }
    }

    /// Handles the completed run of the current part. A disturbed part is repeated once; a part
    /// with too little data for a grade is continued once.
    pub fn take_run(&mut self, measured: &Arc<R>) -> CheckStep {
        let (run, report) = measured.evaluated();
        if self.is_skipping || self.is_stopped && report.verdict.grade.is_none() {
            return self.take_no_run();
        }
        let is_first = self.continued.take().is_none();
        if is_first && !self.is_stopped && !self.is_scaled_down() {
            let disturbance = report.verdict.standing.disturbance();
            if self.quiet.must_repeat(self.current(), disturbance) {
                self.set(PartState::Waiting(None));
                return self.advance(disturbance);
            }
            let plan = continuation(run, report).map(|plan| (plan.duration(&self.cpus), plan));
            if let Some((length, plan)) = plan.filter(|(length, _)| *length <= self.spare) {
                self.spare = self.spare - length;
                self.continued = Some((Arc::clone(measured), length));
                return CheckStep::Measure(Box::new(plan), self.labels());
            }
        }
        self.set(PartState::Done(Arc::clone(measured)));
        self.advance(None)
    }

    /// Handles a current part without a usable run: it has the run that it continues, if any,
    /// otherwise it counts as skipped.
    pub fn take_no_run(&mut self) -> CheckStep {
        self.is_skipping = false;
        let first = self.continued.take();
        self.set(first.map_or(PartState::Skipped, |(first, _)| PartState::Done(first)));
        self.advance(None)
    }

    /// Moves to the next waiting part; if the check was stopped, no part is measured any more.
    fn advance(&mut self, repeated: Option<Disturbance>) -> CheckStep {
        let is_next = |wanted: &Part| {
            let mut parts = self.parts.iter();
            parts.position(|(part, state)| part == wanted && matches!(state, PartState::Waiting(_)))
        };
        let Some(next) = Part::IN_ORDER.iter().find_map(is_next) else { return CheckStep::End };
        self.current = next;
        let length = self.planned_now();
        let first = match self.set(PartState::Quiet(OtherPrograms::default())) {
            Some(PartState::Waiting(first)) => first,
            _ => None,
        };
        self.continued = first.map(|first| (first, length));
        match (self.is_stopped, self.is_scaled_down()) {
            (true, _) => self.take_no_run(),
            (false, true) => self.measure(),
            (false, false) => CheckStep::Look(repeated),
        }
    }

    /// Returns the step that measures the current part.
    fn measure(&mut self) -> CheckStep {
        self.set(PartState::Running);
        let first = self.continued.as_ref().map(|(first, _)| first.evaluated());
        let plan = first.and_then(|(run, report)| continuation(run, report));
        // The loop under load calibrates the spin tail of the idle loop.
        let loaded = self.results().into_iter().find(|(part, _)| *part == Part::FrameLoad);
        let loaded = loaded.and_then(|(_, measured)| measured);
        let tail = loaded.and_then(|one| one.evaluated().0.trials.iter().find_map(TrialRun::tail));
        let settings = CheckSettings { tail, ..self.settings };
        let plan = plan.unwrap_or_else(|| self.current().plan(&settings));
        CheckStep::Measure(Box::new(plan), self.labels())
    }

    const fn is_scaled_down(&self) -> bool {
        self.settings.scale < 1.0
    }

    /// Sets the state of the current part, and returns the state before.
    fn set(&mut self, state: PartState<R>) -> Option<PartState<R>> {
        let (_, slot) = self.parts.get_mut(self.current)?;
        Some(std::mem::replace(slot, state))
    }

    /// Returns what the run of the current part records about the check: the ID of the check, the
    /// part, and the parts skipped so far.
    fn group(&mut self) -> Group {
        for (part, state) in &self.parts {
            let is_skipped = match state {
                PartState::Skipped => true,
                PartState::Waiting(first) => self.is_stopped && first.is_none(),
                // If the continuation of a part is skipped, its earlier run counts.
                PartState::Running => self.is_skipping && self.continued.is_none(),
                PartState::Quiet(_) | PartState::Done(_) => false,
            };
            if is_skipped {
                self.group.skip(*part);
            }
        }
        self.group.group(self.current())
    }

    /// Returns the labels for the run of the current part: its tags and its group.
    fn labels(&mut self) -> Labels {
        let group = Some(self.group());
        Labels { group, ..self.group.labels(self.current()) }
    }
}

/// Returns the planned duration of each part; 0 for unselected parts. Only one frame loop of a
/// check calibrates the spin tail: the one under load or, if that is not selected, the idle one.
fn part_lengths(settings: &CheckSettings, selected: &[Part]) -> [Nanos; Part::ALL.len()] {
    let is_known = selected.contains(&Part::FrameLoad);
    let known = CheckSettings { tail: is_known.then_some(Nanos::ZERO), ..*settings };
    Part::ALL.map(|part| if selected.contains(&part) { part.length(&known) } else { Nanos::ZERO })
}

#[cfg(test)]
mod tests;
