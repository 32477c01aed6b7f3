//! The quick check in the window: its parts run one after the other, each on the path of any test.

use std::sync::Arc;
use std::time::Instant;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::run::{Group, Labels, Run};
use jitterscope_engine::runner::{CheckGroup, OtherLoad, QuietWait};

use super::{Context, FinishedCheck, Live, LoadedRun, Message, Notice, Outbox, Running};
use crate::session::finished_check::part_of;
use crate::text::nanos_between;

/// How often the load of other programs is measured before a part.
const LOOK: Nanos = Nanos::from_millis(500);

/// How far a part of the check is.
#[derive(Clone, Debug)]
pub enum PartState {
    /// It has not begun.
    Waiting,
    /// It waits for other programs, which use this share of one CPU; absent before the first look.
    Quiet(Option<f64>),
    /// It is being measured, or saved.
    Running,
    /// It was measured.
    Done(Arc<LoadedRun>),
    /// Skipped.
    Skipped,
}

/// A running check.
#[derive(Debug)]
pub struct ActiveCheck {
    parts: Vec<(Part, PartState)>,
    planned: [Nanos; Part::ALL.len()],
    current: usize,
    began: jiff::Timestamp,
    group: CheckGroup,
    quiet: QuietWait,
    /// How long it may wait for quiet in all.
    limit: Nanos,
    is_skipping: bool,
    is_stopped: bool,
}

impl ActiveCheck {
    fn new(selected: &[Part], limit: Nanos, cpu_count: usize) -> Self {
        let state = |part: &Part| {
            if selected.contains(part) { PartState::Waiting } else { PartState::Skipped }
        };
        Self {
            parts: Part::ALL.iter().map(|part| (*part, state(part))).collect(),
            planned: Part::ALL.map(Part::length),
            current: 0,
            began: crate::text::now(),
            group: CheckGroup::default(),
            quiet: QuietWait::new(limit, cpu_count),
            limit,
            is_skipping: false,
            is_stopped: false,
        }
    }

    /// Every part and how far it is.
    pub fn parts(&self) -> &[(Part, PartState)] {
        &self.parts
    }

    /// The part that is measured.
    pub fn current(&self) -> Part {
        self.parts.get(self.current).map_or(Part::Sleep, |(part, _)| *part)
    }

    /// Position of the part that is measured, from 0.
    pub fn current_index(&self) -> usize {
        self.current
    }

    /// How long the part that is measured is meant to take.
    pub fn planned_now(&self) -> Nanos {
        self.planned.get(self.current).copied().unwrap_or_default()
    }

    /// Whether the part that is measured was asked to end.
    pub const fn is_ending(&self) -> bool {
        self.is_skipping || self.is_stopped
    }

    /// How far the whole is, 0 to 1, and how long it is still meant to take.
    pub fn progress(&self, live: Option<&Live>, now: Instant) -> (f64, Nanos) {
        let (mut done, mut left) = (Nanos::ZERO, Nanos::ZERO);
        for (at, ((_, state), &planned)) in self.parts.iter().zip(&self.planned).enumerate() {
            match state {
                PartState::Waiting | PartState::Quiet(_) => left += planned,
                PartState::Running if at == self.current => {
                    let elapsed = live.map_or(planned, |live| live.elapsed(now)).min(planned);
                    done += elapsed;
                    left += planned - elapsed;
                }
                PartState::Running | PartState::Done(_) => done += planned,
                PartState::Skipped => {}
            }
        }
        let whole = (done + left).max(Nanos::new(1));
        (done.as_f64() / whole.as_f64(), left)
    }

    /// The group with the parts that are skipped by now, for the run of the part that is measured.
    fn group(&mut self) -> Group {
        for (at, (part, state)) in self.parts.iter().enumerate() {
            let is_skipped = match state {
                PartState::Skipped => true,
                PartState::Waiting => self.is_stopped,
                PartState::Running | PartState::Quiet(_) => self.is_skipping && at == self.current,
                PartState::Done(_) => false,
            };
            if is_skipped {
                self.group.skip(*part);
            }
        }
        self.group.group(self.current())
    }

    /// What the run of the part that is measured is called.
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

    /// Leaves out what has not begun, once the check was stopped; then moves to what waits.
    fn advance(&mut self) -> Option<Part> {
        if self.is_stopped {
            for (_, state) in &mut self.parts {
                if matches!(state, PartState::Waiting) {
                    *state = PartState::Skipped;
                }
            }
        }
        let waits = |(_, state): &(Part, PartState)| matches!(state, PartState::Waiting);
        let next = self.parts.iter().position(waits)?;
        self.current = next;
        self.set(PartState::Quiet(None));
        self.parts.get(next).map(|(part, _)| *part)
    }

    /// How long it may wait for other programs in all.
    pub const fn quiet_limit(&self) -> Nanos {
        self.limit
    }

    /// Below which share of one CPU other programs are quiet enough for the current part.
    pub fn quiet_share(&self) -> f64 {
        self.quiet.limit(self.current())
    }

    /// Whether the current part waits for other programs.
    pub fn is_waiting_for_quiet(&self) -> bool {
        matches!(self.parts.get(self.current), Some((_, PartState::Quiet(_))))
    }

    fn into_checked(self) -> FinishedCheck {
        let parts = self.parts.into_iter().map(|(part, state)| match state {
            PartState::Done(shown) => (part, Some(shown)),
            PartState::Waiting | PartState::Quiet(_) | PartState::Running | PartState::Skipped => {
                (part, None)
            }
        });
        FinishedCheck::of(
            parts.collect(),
            self.began,
            nanos_between(self.began, crate::text::now()),
        )
    }
}

/// The quick check.
#[derive(Debug, Default)]
pub struct Quick {
    skipped: Vec<Part>,
    going: Option<ActiveCheck>,
    result: Option<Arc<FinishedCheck>>,
}

impl Quick {
    /// Whether a part is to be measured.
    pub fn is_selected(&self, part: Part) -> bool {
        !self.skipped.contains(&part)
    }

    /// Progress of the check.
    pub const fn going(&self) -> Option<&ActiveCheck> {
        self.going.as_ref()
    }

    /// The result on screen.
    pub const fn result(&self) -> Option<&Arc<FinishedCheck>> {
        self.result.as_ref()
    }

    /// Approximate duration of the selected parts.
    pub fn length(&self) -> Nanos {
        let selected = Part::ALL.into_iter().filter(|part| self.is_selected(*part));
        selected.fold(Nanos::ZERO, |sum, part| sum + part.length())
    }

    /// Adds to the run of the part that is measured which parts were skipped.
    pub(super) fn sign(&mut self, run: &mut Run) {
        if let Some(going) = &mut self.going {
            run.group = Some(going.group());
        }
    }

    /// Asks for the end of the whole check.
    pub(super) fn stop(&mut self) {
        if let Some(going) = &mut self.going {
            going.is_stopped = true;
        }
    }

    /// Shows a check that was saved.
    pub(super) fn show_saved(&mut self, check: FinishedCheck) {
        self.result = Some(Arc::new(check));
    }
}

impl Running {
    /// Takes a part into the next check, or leaves it out; one at least stays.
    pub(in crate::session) fn choose_part(&mut self, part: Part, is_selected: bool) {
        let skipped = &mut self.quick.skipped;
        skipped.retain(|one| *one != part);
        if !is_selected && skipped.len() + 1 < Part::ALL.len() {
            skipped.push(part);
        }
    }

    /// Starts a check that may wait this long for quiet, if nothing else is measured.
    pub(in crate::session) fn start_check(&mut self, limit: Nanos, context: &Context) {
        let Some(facts) = context.facts.as_ref().filter(|_| !self.is_busy()) else { return };
        let selected: Vec<Part> =
            Part::ALL.into_iter().filter(|part| self.quick.is_selected(*part)).collect();
        self.quick.going = Some(ActiveCheck::new(&selected, limit, facts.cpus.usable.len()));
        self.start_next_part();
    }

    /// Ends the current part and continues with the next one.
    pub(in crate::session) fn skip_part(&mut self) {
        let Some(going) = &mut self.quick.going else { return };
        if let Some(active) = &self.active {
            going.is_skipping = true;
            active.runner.stop();
        } else if going.is_waiting_for_quiet() {
            going.set(PartState::Skipped);
            self.start_next_part();
        }
    }

    /// Measures the rest of the check without waiting for other programs.
    pub(in crate::session) fn measure_without_waiting(&mut self) {
        if let Some(going) = &mut self.quick.going {
            going.quiet = QuietWait::new(Nanos::ZERO, 1);
        }
    }

    /// Takes in the run of the part that was measured. One that was disturbed is measured again, once.
    pub(super) fn end_part(&mut self, shown: &Arc<LoadedRun>, outbox: &mut Outbox) {
        let Some(going) = &mut self.quick.going else { return };
        let part = going.current();
        if part_of(shown) != Some(part) {
            return;
        }
        let verdict = &shown.report.verdict;
        let is_skipped = std::mem::take(&mut going.is_skipping);
        let was_cut_off = going.is_stopped && verdict.grade.is_none();
        let disturbance = verdict.standing.disturbance();
        let state = if is_skipped || was_cut_off {
            PartState::Skipped
        } else if !going.is_stopped && going.quiet.must_repeat(part, disturbance) {
            if let Some(disturbance) = disturbance {
                let name = part.name();
                outbox.notify(Notice::info(format!("{name}: {disturbance}. Measuring it again.")));
            }
            PartState::Waiting
        } else {
            PartState::Done(Arc::clone(shown))
        };
        going.set(state);
        self.start_next_part();
    }

    /// Continues without the current part, because its run could not be evaluated.
    pub(super) fn drop_part(&mut self) {
        if let Some(going) = &mut self.quick.going {
            going.is_skipping = false;
            going.set(PartState::Skipped);
            self.start_next_part();
        }
    }

    /// Looks at what other programs use before the next part starts, or ends the check.
    fn start_next_part(&mut self) {
        if self.quick.going.as_mut().and_then(ActiveCheck::advance).is_some() {
            self.look_at_other_load();
        } else if let Some(going) = self.quick.going.take() {
            self.quick.result = Some(Arc::new(going.into_checked()));
        }
    }

    fn look_at_other_load(&self) {
        let look = || {
            let mut load = OtherLoad::start();
            std::thread::sleep(LOOK.to_duration());
            Ok(load.as_mut().and_then(OtherLoad::share))
        };
        let message = |share: Result<_, _>| Message::OtherLoad(share.unwrap_or(None));
        self.tasks.spawn_at_own_priority("other-load", look, message);
    }

    /// Starts the current part if other programs are quiet enough, or looks again.
    pub(super) fn take_other_load(
        &mut self,
        share: Option<f64>,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        let Some(going) = self.quick.going.as_mut().filter(|going| going.is_waiting_for_quiet())
        else {
            return;
        };
        let part = going.current();
        if going.is_stopped {
            going.set(PartState::Skipped);
            self.start_next_part();
        } else if going.quiet.must_wait(part, share) {
            going.quiet.spend(LOOK);
            going.set(PartState::Quiet(share));
            self.look_at_other_load();
        } else {
            going.set(PartState::Running);
            let labels = going.labels();
            if !self.start_plan(part.plan(1.0), labels, context, outbox) {
                // The reason was reported where it could not start.
                self.drop_part();
            }
        }
    }
}
