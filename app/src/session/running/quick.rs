//! The quick check in the window: its parts run one after another, each like any other test.

use std::ops::Add as _;
use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::{BUDGET, CheckSettings, Part};
use jitterscope_engine::plan::{CpuFacts, Plan};
use jitterscope_engine::report::quick::{continuation, joined};
use jitterscope_engine::run::{Ending, Group, Labels, Run, TrialRun};
use jitterscope_engine::runner::{CheckGroup, Host, HostLoad, OtherPrograms, QuietWait};

use super::{Context, FinishedCheck, Live, LoadedRun, Message, Notice, Running};
use crate::facts::Facts;
use crate::session::finished_check::part_of;
use crate::text::nanos_between;

/// Duration of a measurement of the load of other programs. Measurements are repeated until the
/// load is small.
pub(super) const LOOK: Nanos = Nanos::from_millis(500);

/// The state of a part of the check.
#[derive(Clone, Debug)]
pub enum PartState {
    /// The part has not begun.
    Waiting,
    /// The part waits until other programs use less CPU time. Holds their current use; empty before the first
    /// measurement.
    Quiet(OtherPrograms),
    /// The part is being measured or saved.
    Running,
    /// The part was measured.
    Done(Arc<LoadedRun>),
    /// The part was skipped, or not selected.
    Skipped,
}

/// A quick check in progress.
#[derive(Debug)]
pub struct ActiveCheck {
    parts: Vec<(Part, PartState)>,
    planned: [Nanos; Part::ALL.len()],
    settings: CheckSettings,
    /// The run that is continued because it has too little data for a grade, and the additional
    /// duration.
    continued: Option<(Arc<LoadedRun>, Nanos)>,
    /// Parts with too little data that are to be continued, with their runs.
    undecided: Vec<(Part, Arc<LoadedRun>)>,
    /// The remaining time that may be spent on continuing parts.
    spare: Nanos,
    current: usize,
    began: jiff::Timestamp,
    /// When the check was started or last resumed, and how long it took before that.
    resumed: (jiff::Timestamp, Nanos),
    group: CheckGroup,
    quiet: QuietWait,
    /// Maximum total time to wait until other programs are quiet, which means that they use little
    /// CPU time.
    limit: Nanos,
    is_skipping: bool,
    is_stopped: bool,
    host: Host,
    /// The host whose connection was lost during the check, if any.
    lost: Option<String>,
}

impl ActiveCheck {
    fn new(selected: &[Part], limit: Nanos, cpus: &CpuFacts, host: Host) -> Self {
        let settings = host.check_settings(cpus);
        let planned = lengths(&settings, selected);
        let state = |part: &Part| {
            if selected.contains(part) { PartState::Waiting } else { PartState::Skipped }
        };
        let began = crate::text::now();
        Self {
            parts: Part::ALL.iter().map(|part| (*part, state(part))).collect(),
            spare: planned.iter().fold(BUDGET, |left, length| left - *length),
            planned,
            settings,
            continued: None,
            undecided: Vec::new(),
            current: 0,
            began,
            resumed: (began, Nanos::ZERO),
            group: CheckGroup::default(),
            quiet: QuietWait::new(limit),
            limit,
            is_skipping: false,
            is_stopped: false,
            host,
            lost: None,
        }
    }

    /// Creates a check that continues the parts of a completed check that have too little data for
    /// a grade; `None` if no part can be continued.
    fn resumed(of: &FinishedCheck, cpus: &CpuFacts, host: Host) -> Option<Self> {
        let undecided: Vec<_> = undecided(of).collect();
        let group = undecided.first().and_then(|(_, shown, _)| shown.run.group.as_ref())?;
        let mut check = Self::new(&[], QuietWait::DEFAULT, cpus, host);
        check.group = CheckGroup::of(group);
        check.spare = Nanos::ZERO;
        check.resumed.1 = of.took;
        check.began = of.began;
        for ((part, state), planned) in check.parts.iter_mut().zip(&mut check.planned) {
            if let Some((_, _, plan)) = undecided.iter().find(|(one, ..)| one == part) {
                *planned = plan.duration(cpus);
                *state = PartState::Waiting;
            } else if let Some(shown) = of.shown(*part) {
                *state = PartState::Done(Arc::clone(shown));
            }
        }
        check.undecided = undecided.into_iter().map(|(part, shown, _)| (part, shown)).collect();
        Some(check)
    }

    /// Returns all parts with their states.
    pub fn parts(&self) -> &[(Part, PartState)] {
        &self.parts
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

    /// Returns whether the current part is being continued because it has too little data for a
    /// grade.
    pub const fn is_continuing(&self) -> bool {
        self.continued.is_some()
    }

    /// Returns whether the current part is ending early: the user skipped it or stopped the check.
    pub const fn is_ending(&self) -> bool {
        self.is_skipping || self.is_stopped
    }

    /// Returns the progress of the check, 0 to 1, and its planned remaining time.
    pub fn progress(&self, live: Option<&Live>, now: Instant) -> (f64, Nanos) {
        let (mut done, mut left) = (Nanos::ZERO, Nanos::ZERO);
        for (at, ((_, state), &planned)) in self.parts.iter().zip(&self.planned).enumerate() {
            match state {
                PartState::Waiting | PartState::Quiet(_) => left += planned,
                PartState::Running if at == self.current => {
                    let planned = self.planned_now();
                    let rest = live.map_or(Nanos::ZERO, |live| live.left(now)).min(planned);
                    done += planned - rest;
                    left += rest;
                }
                PartState::Running | PartState::Done(_) => done += planned,
                PartState::Skipped => {}
            }
        }
        let whole = (done + left).max(Nanos::new(1));
        (done.as_f64() / whole.as_f64(), left)
    }

    /// Returns what the run that is being measured records about the check: the ID of the check,
    /// the part, and the parts skipped so far.
    fn group(&mut self) -> Group {
        for (at, (part, state)) in self.parts.iter().enumerate() {
            let is_skipped = match state {
                PartState::Skipped => true,
                PartState::Waiting => self.is_stopped,
                PartState::Running | PartState::Quiet(_) => self.is_skipping && at == self.current,
                PartState::Done(_) => false,
            };
            // If the continuation of a part is skipped, its earlier run counts.
            let is_continued = at == self.current && self.continued.is_some();
            let has_run = is_continued || self.undecided.iter().any(|(one, _)| one == part);
            if is_skipped && !has_run {
                self.group.skip(*part);
            }
        }
        self.group.group(self.current())
    }

    /// Returns the labels for the run that is being measured: its tags and the group from `group`.
    fn labels(&mut self) -> Labels {
        let part = self.current();
        let labels = self.group.labels(part);
        Labels { group: Some(self.group()), ..labels }
    }

    fn set(&mut self, state: PartState) {
        if let Some((_, slot)) = self.parts.get_mut(self.current) {
            *slot = state;
        }
    }

    /// Moves to the next waiting part and returns it; `None` if no part waits. If the check was
    /// stopped, all waiting parts are skipped.
    fn advance(&mut self) -> Option<Part> {
        if self.is_stopped {
            for (_, state) in &mut self.parts {
                if matches!(state, PartState::Waiting) {
                    *state = PartState::Skipped;
                }
            }
        }
        let waits = |wanted: &Part| {
            let is_next = |(part, state): &(Part, PartState)| {
                part == wanted && matches!(state, PartState::Waiting)
            };
            self.parts.iter().position(is_next)
        };
        let next = Part::IN_ORDER.iter().find_map(waits)?;
        self.current = next;
        self.set(PartState::Quiet(OtherPrograms::default()));
        self.parts.get(next).map(|(part, _)| *part)
    }

    /// Returns the maximum total time to wait until other programs are quiet.
    pub const fn quiet_limit(&self) -> Nanos {
        self.limit
    }

    /// Returns whether the current part waits until other programs are quiet.
    pub fn is_waiting_for_quiet(&self) -> bool {
        matches!(self.parts.get(self.current), Some((_, PartState::Quiet(_))))
    }

    fn into_checked(self) -> FinishedCheck {
        // If a part was to be continued but was not, use its earlier run.
        let before = |part: Part| {
            let known = self.undecided.iter().find(|(one, _)| *one == part);
            known.map(|(_, shown)| Arc::clone(shown))
        };
        let parts = self.parts.iter().map(|(part, state)| match state {
            PartState::Done(shown) => (*part, Some(Arc::clone(shown))),
            PartState::Waiting | PartState::Quiet(_) | PartState::Running | PartState::Skipped => {
                (*part, before(*part))
            }
        });
        let (resumed, before) = self.resumed;
        let took = before + nanos_between(resumed, crate::text::now());
        let check = FinishedCheck::of(parts.collect(), self.began, took);
        let check = FinishedCheck { lost: self.lost, ..check };
        if self.is_stopped { FinishedCheck { ending: Ending::Stopped, ..check } } else { check }
    }
}

/// Returns the parts with too little data for a grade, their runs, and the plans to continue them.
fn undecided(check: &FinishedCheck) -> impl Iterator<Item = (Part, Arc<LoadedRun>, Plan)> {
    let open = |(part, shown): &(Part, Option<Arc<LoadedRun>>)| {
        let shown = shown.as_ref()?;
        let plan = continuation(&shown.run, &shown.report)?;
        Some((*part, Arc::clone(shown), plan))
    };
    check.parts.iter().filter_map(open)
}

/// Returns the planned duration of each part; 0 for unselected parts. Only one frame loop of a
/// check calibrates the spin tail: the one under load or, if that is not selected, the idle one.
fn lengths(settings: &CheckSettings, selected: &[Part]) -> [Nanos; Part::ALL.len()] {
    let is_known = selected.contains(&Part::FrameLoad);
    let known = CheckSettings { tail: is_known.then_some(Nanos::ZERO), ..*settings };
    Part::ALL.map(|part| if selected.contains(&part) { part.length(&known) } else { Nanos::ZERO })
}

/// The state of the quick check.
#[derive(Debug, Default)]
pub struct Quick {
    skipped: Vec<Part>,
    check: Option<ActiveCheck>,
    result: Option<Arc<FinishedCheck>>,
}

impl Quick {
    /// Returns whether a part is selected for the next check.
    pub fn is_selected(&self, part: Part) -> bool {
        !self.skipped.contains(&part)
    }

    /// Returns the check in progress.
    pub const fn check(&self) -> Option<&ActiveCheck> {
        self.check.as_ref()
    }

    /// Returns the host of the check in progress; `None` if no check is in progress.
    pub(super) fn host(&self) -> Option<Host> {
        self.check.as_ref().map(|check| check.host.clone())
    }

    /// Returns the finished check on screen.
    pub const fn result(&self) -> Option<&Arc<FinishedCheck>> {
        self.result.as_ref()
    }

    /// Returns the approximate duration of a part.
    pub fn length_of(&self, part: Part) -> Nanos {
        let known = CheckSettings { tail: Some(Nanos::ZERO), ..CheckSettings::default() };
        let own = CheckSettings::default();
        part.length(if self.is_selected(Part::FrameLoad) { &known } else { &own })
    }

    /// Returns the approximate duration of the selected parts.
    pub fn length(&self) -> Nanos {
        let selected: Vec<Part> =
            Part::ALL.into_iter().filter(|part| self.is_selected(*part)).collect();
        lengths(&CheckSettings::default(), &selected).into_iter().fold(Nanos::ZERO, Nanos::add)
    }

    /// Completes the run of the current part: joins the run with the earlier run that it continues,
    /// if any, and adds the parts skipped so far.
    pub(super) fn sign(&mut self, run: &mut Run) {
        if let Some(check) = &mut self.check {
            if let Some((first, _)) = &check.continued {
                *run = joined(&first.run, run.clone());
                // The user may have edited the earlier run before it was continued.
                run.name.clone_from(&first.run.name);
                run.note.clone_from(&first.run.note);
                run.tags.clone_from(&first.run.tags);
            }
            run.group = Some(check.group());
        }
    }

    /// Requests the end of the whole check.
    pub(super) fn stop(&mut self) {
        if let Some(check) = &mut self.check {
            check.is_stopped = true;
        }
    }

    /// Ends the whole check after the connection to the host of this run was lost.
    pub(super) fn lose(&mut self, run: &Run) {
        if let Some(check) = &mut self.check {
            check.is_stopped = true;
            check.lost.clone_from(&run.host);
        }
    }

    /// Shows a saved check.
    pub(super) fn show_saved(&mut self, check: FinishedCheck) {
        self.result = Some(Arc::new(check));
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
        self.quick.check = Some(ActiveCheck::new(&selected, limit, &facts.cpus, host));
        self.start_next_part();
    }

    /// Returns the duration of the measurements that collect the data missing for grades in the
    /// check on screen; `None` if no data is missing or the check was measured on another machine.
    pub fn longer(&self, facts: &Facts) -> Option<Nanos> {
        let check = self.quick.result()?;
        let is_here = check.runs().all(|shown| facts.are_of(&shown.run));
        let is_one = check.runs().all(|shown| shown.run.group.is_some());
        let lengths = undecided(check).map(|(_, _, plan)| plan.duration(&facts.cpus));
        lengths.reduce(Nanos::add).filter(|_| is_here && is_one)
    }

    /// Continues the parts of the check on screen that have too little data for a grade.
    pub(in crate::session) fn measure_longer(&mut self, context: &Context) {
        let Some(facts) = context.facts.as_ref().filter(|_| !self.is_busy()) else { return };
        let Some(host) = context.host.clone() else { return };
        let resumed = self.quick.result().filter(|_| self.longer(facts).is_some());
        let resumed = resumed.and_then(|result| ActiveCheck::resumed(result, &facts.cpus, host));
        if resumed.is_some() {
            self.quick.check = resumed;
            self.start_next_part();
        }
    }

    /// Ends the current part, and continues with the next one.
    pub(in crate::session) fn skip_part(&mut self) {
        let Some(check) = &mut self.quick.check else { return };
        if let Some(active) = &mut self.active {
            check.is_skipping = true;
            active.stop();
        } else if check.is_waiting_for_quiet() {
            check.set(PartState::Skipped);
            self.start_next_part();
        }
    }

    /// Lets the check or the waiting test start measuring even if other programs are not quiet.
    pub(in crate::session) fn measure_now(&mut self) {
        if let Some(check) = &mut self.quick.check {
            check.quiet.spend(check.quiet.left());
        }
        if let Some(waiting) = &mut self.waiting {
            waiting.measure_now();
        }
    }

    /// Handles the completed run of the current part. A disturbed part is repeated once; a part
    /// with too little data for a grade is continued once.
    pub(super) fn end_part(&mut self, shown: &Arc<LoadedRun>, context: &Context) {
        let Some(check) = &mut self.quick.check else { return };
        let part = check.current();
        if part_of(shown) != Some(part) {
            return;
        }
        let verdict = &shown.report.verdict;
        let is_skipped = std::mem::take(&mut check.is_skipping);
        let is_first = check.continued.is_none();
        let was_continued = check.continued.take();
        let was_cut_off = check.is_stopped && verdict.grade.is_none();
        let disturbance = verdict.standing.disturbance();
        let state = match was_continued {
            // If the continuation was skipped, the earlier run counts.
            Some((first, _)) if is_skipped || was_cut_off => PartState::Done(first),
            None if is_skipped || was_cut_off => PartState::Skipped,
            None if !check.is_stopped && check.quiet.must_repeat(part, disturbance) => {
                if let Some(disturbance) = disturbance {
                    let name = part.name();
                    let words = format!("{name}: {disturbance}. It was measured again.");
                    context.notify(Notice::info(words));
                }
                PartState::Waiting
            }
            Some(_) | None => PartState::Done(Arc::clone(shown)),
        };
        if let (Part::FrameLoad, PartState::Done(shown)) = (part, &state) {
            check.settings.tail = shown.run.trials.iter().find_map(TrialRun::tail);
        }
        let is_done = matches!(state, PartState::Done(_));
        check.set(state);
        if is_done && is_first && self.continue_part(shown, context) {
            return;
        }
        self.start_next_part();
    }

    /// Continues the current part if it has too little data for a grade; returns whether the
    /// continuation has started.
    fn continue_part(&mut self, shown: &Arc<LoadedRun>, context: &Context) -> bool {
        let (Some(check), Some(facts)) = (&mut self.quick.check, &context.facts) else {
            return false;
        };
        let plan = continuation(&shown.run, &shown.report);
        let Some(plan) = plan.filter(|_| !check.is_stopped) else { return false };
        let length = plan.duration(&facts.cpus);
        if check.spare < length {
            return false;
        }
        check.spare = check.spare - length;
        check.continued = Some((Arc::clone(shown), length));
        check.set(PartState::Running);
        let labels = check.labels();
        let has_started = self.start_plan(plan, labels, context);
        if let (false, Some(check)) = (has_started, &mut self.quick.check) {
            check.continued = None;
            check.set(PartState::Done(Arc::clone(shown)));
        }
        has_started
    }

    /// Handles a current part without a usable run: the part has its earlier run, if any, otherwise
    /// it counts as skipped. Continues with the next part.
    pub(super) fn drop_part(&mut self) {
        if let Some(check) = &mut self.quick.check {
            check.is_skipping = false;
            let first = check.continued.take();
            check.set(first.map_or(PartState::Skipped, |(first, _)| PartState::Done(first)));
            self.start_next_part();
        }
    }

    /// Starts measuring the load of other programs before the next part, or ends the check after
    /// the last part.
    fn start_next_part(&mut self) {
        let check = self.quick.check.as_mut();
        let next = check.and_then(|check| check.advance().map(|_| check.host.clone()));
        if let Some(host) = next {
            self.look_at_other_load(host);
        } else if let Some(check) = self.quick.check.take() {
            self.quick.result = Some(Arc::new(check.into_checked()));
        }
    }

    /// Starts to measure the load of other programs; a measurement in progress no longer counts.
    pub(super) fn look_at_other_load(&mut self, host: Host) {
        self.look_count += 1;
        let number = self.look_count;
        let look = move || {
            let mut load = host.other_load();
            std::thread::sleep(LOOK.to_duration());
            Ok(load.as_mut().map(HostLoad::read).unwrap_or_default())
        };
        let message =
            move |found: Result<_, _>| Message::OtherLoad(number, found.unwrap_or_default());
        self.tasks.spawn_at_own_priority("other-load", look, message);
    }

    /// Starts the waiting part of the check, or the waiting test, if other programs are quiet
    /// enough; otherwise measures their load again.
    pub(super) fn take_other_load(&mut self, found: OtherPrograms, context: &Context) {
        let Some(check) = self.quick.check.as_mut().filter(|check| check.is_waiting_for_quiet())
        else {
            return self.start_waiting(found, context);
        };
        let part = check.current();
        if check.is_stopped {
            check.set(PartState::Skipped);
            self.start_next_part();
        } else if check.quiet.must_wait(found.share) {
            check.quiet.spend(LOOK);
            check.set(PartState::Quiet(found));
            let host = check.host.clone();
            self.look_at_other_load(host);
        } else {
            check.set(PartState::Running);
            let labels = check.labels();
            let first = check.undecided.iter().find(|(one, _)| *one == part);
            let longer = first.and_then(|(_, first)| {
                let plan = continuation(&first.run, &first.report)?;
                Some((Arc::clone(first), plan))
            });
            let plan = match longer {
                Some((first, plan)) => {
                    check.continued = Some((first, check.length(part)));
                    plan
                }
                None => part.plan(&check.settings),
            };
            if !self.start_plan(plan, labels, context) {
                // `start_plan` has already reported the error.
                self.drop_part();
            }
        }
    }
}

#[cfg(test)]
mod tests;
