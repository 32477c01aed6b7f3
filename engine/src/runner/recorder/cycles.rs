//! The cycles of a periodic thread, from the records of its switches and wake-ups.
//!
//! A cycle is due one period after the last cycle that was on time, or further periods after it. It begins with the first
//! wake-up from a tenth of a period before that on, and its work is done when the thread sleeps again. Wake-ups before it
//! are of other kinds, such as messages. It is *late* if the thread ran more than a tenth of the period after the due time,
//! else an *overrun* if the thread was not asleep again before the next due time. Due times that passed without a wake-up
//! of their own are *missed*.
//!
//! Example with a period of 10 ms: the thread wakes at 0.0 and 10.2, on time. The next cycle is due at 20.2, and wakes at
//! 20.1; the one after it at 30.1. It wakes at 30.1 as well, but another program has its CPU until 33.0: it is 2.9 ms late.
//! The next one is due at 40.1, since due times run on from the last cycle that was on time.
//!
//! A thread that sleeps for a period instead of until a set time stays later after each delay. So after three wake-ups
//! that were themselves late and one period apart, due times run on from the last of them. After a gap in the records,
//! cycles begin again with two wake-ups one period apart: what was not recorded is neither late nor missed. So they do after
//! a pause: a thread that was not woken for two seconds and ten periods, such as one of a sound that ended, is not late.

use std::collections::VecDeque;

use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Number of wake-ups from which a period is learned.
const LEARNED_FROM: usize = 200;
/// A period is that of this share of the times between wake-ups, in percent.
const MIN_REGULAR_PERCENT: usize = 80;
/// The largest number of wake-ups per period.
const MAX_WAKES: usize = 4;
/// A cycle may be off by one period divided by this.
const TOLERANCE: i64 = 10;
/// Due times move after this many wake-ups that are themselves late and one period apart.
const MOVED_AFTER: u32 = 3;
/// A wake-up that is later than this, and than this many periods, ends a pause, as a frame of more than 2 s does.
const PAUSE: (Nanos, i64) = (Nanos::from_secs(2), 10);
/// A wake-up on another CPU can be recorded this long before the switch that begins the sleep.
const EARLY: Nanos = Nanos::from_micros(10);

/// How a cycle went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CycleKind {
    OnTime,
    Late,
    Overrun,
}

/// A cycle of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    pub(super) due: Nanos,
    /// When the thread got a CPU.
    pub(super) ran: Nanos,
    /// When the thread slept again.
    pub(super) ended: Nanos,
    /// Time since the cycle before got a CPU; `None` for the first one, and after a gap.
    pub(super) since_last: Option<Nanos>,
    pub(super) kind: CycleKind,
    /// Number of due times after this one that passed without a wake-up of their own.
    pub(super) missed_count: u64,
}

/// What the thread does, as the records show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ThreadState {
    #[default]
    Unknown,
    Asleep,
    /// Woken at this time, and waiting for a CPU.
    Woken(Nanos),
    /// Running, or in the middle of its work; woken again at this time, if it was.
    Working(Option<Nanos>),
}

/// A cycle whose work is not done.
#[derive(Clone, Copy, Debug)]
struct OpenCycle {
    due: Nanos,
    woke: Nanos,
    ran: Nanos,
    since_last: Option<Nanos>,
}

/// Reads the cycles of a thread from its records in order of time.
#[derive(Debug, Default)]
pub(super) struct Cycles {
    /// The period that was given, or learned last.
    pub(super) period: Option<Nanos>,
    is_given: bool,
    /// The newest wake-ups without a gap, and how many came since the period was learned.
    wakes: VecDeque<Nanos>,
    wake_count: usize,
    state: ThreadState,
    due: Option<Nanos>,
    open: Option<OpenCycle>,
    last_ran: Option<Nanos>,
    /// The last wake-up that was itself late, and how many came one period apart.
    late_wakes: Option<(Nanos, u32)>,
}

impl Cycles {
    /// Creates a reader; without a period, it is learned.
    pub(super) fn new(period: Option<Nanos>) -> Self {
        Self { period, is_given: period.is_some(), ..Self::default() }
    }

    /// Forgets where the thread was: records are missing.
    pub(super) fn lose(&mut self) {
        let Self { period, is_given, .. } = *self;
        *self = Self { period, is_given, ..Self::default() };
    }

    /// Adds a record of the thread; returns the cycle whose work is done with it.
    pub(super) fn add(&mut self, record: &TraceRecord) -> Option<Cycle> {
        let at = record.at;
        match record.event {
            TraceEvent::Waking => match &mut self.state {
                ThreadState::Working(woken) => *woken = Some(at),
                state @ ThreadState::Asleep => *state = ThreadState::Woken(at),
                ThreadState::Unknown | ThreadState::Woken(_) => {}
            },
            TraceEvent::SwitchIn => {
                match self.state {
                    // Without records of wake-ups, the thread is taken to wake when it gets a CPU.
                    ThreadState::Asleep => self.begin(at, at),
                    ThreadState::Woken(woke) => self.begin(woke, at),
                    // Where it was before is not known: it may be in the middle of its work.
                    ThreadState::Unknown | ThreadState::Working(_) => {}
                }
                self.state = ThreadState::Working(None);
            }
            TraceEvent::Slept
            | TraceEvent::Preempted
            | TraceEvent::Blocked
            | TraceEvent::Stopped => {
                // Some kernels do not record a switch from an idle CPU: the thread ran from its wake-up on.
                if let ThreadState::Woken(woke) = self.state {
                    self.begin(woke, woke);
                }
                if record.event != TraceEvent::Slept {
                    self.state = ThreadState::Working(None);
                    return None;
                }
                let woken = match self.state {
                    ThreadState::Working(woken) => woken.filter(|woken| at - *woken <= EARLY),
                    _ => None,
                };
                self.state = woken.map_or(ThreadState::Asleep, |_| ThreadState::Woken(at));
                return self.end(at);
            }
            TraceEvent::Exited => self.lose(),
            _ => {}
        }
        None
    }

    /// Begins the work of a wake-up.
    fn begin(&mut self, woke: Nanos, ran: Nanos) {
        self.wakes.push_back(woke);
        if LEARNED_FROM + 1 < self.wakes.len() {
            self.wakes.pop_front();
        }
        self.wake_count += 1;
        if !self.is_given && LEARNED_FROM < self.wake_count {
            self.wake_count = 0;
            self.learn();
        }
        let Some(period) = self.period else { return };
        let tolerance = tolerance(period);
        if self.due.is_some_and(|due| PAUSE.0.max(period * PAUSE.1) < woke - due) {
            self.lose();
            self.wakes.push_back(woke);
        }
        let Some(due) = self.due else {
            let is_period = |before: &Nanos| (woke - *before - period).abs() <= tolerance;
            if self.wakes.iter().rev().skip(1).take(MAX_WAKES).any(is_period) {
                self.due = Some(woke + period);
                self.last_ran = Some(ran);
            }
            return;
        };
        if woke < due - tolerance || self.open.is_some() {
            return;
        }
        let since_last = self.last_ran.replace(ran).map(|last| ran - last);
        self.open = Some(OpenCycle { due, woke, ran, since_last });
    }

    /// Ends the work of the open cycle, if there is one.
    fn end(&mut self, at: Nanos) -> Option<Cycle> {
        let OpenCycle { due, woke, ran, since_last } = self.open.take()?;
        let period = self.period?;
        let tolerance = tolerance(period);
        let kind = if tolerance < ran - due {
            CycleKind::Late
        } else if due + period <= at {
            CycleKind::Overrun
        } else {
            CycleKind::OnTime
        };
        let is_late_wake = tolerance < woke - due;
        let base = if kind == CycleKind::Late { due } else { woke };
        self.late_wakes = is_late_wake.then(|| match self.late_wakes {
            Some((last, count)) if (woke - last - period).abs() <= tolerance => (woke, count + 1),
            _ => (woke, 1),
        });
        let is_moved = self.late_wakes.is_some_and(|(_, count)| MOVED_AFTER <= count);
        let base = if is_moved { woke } else { base };
        if is_moved {
            self.late_wakes = None;
        }
        // A wake-up shortly before a due time is the one of that due time.
        let passed = ((woke + tolerance).max(at) - base).get().max(0) / period.get();
        self.due = Some(base + period * (passed + 1));
        Some(Cycle {
            due,
            ran,
            ended: at,
            since_last,
            kind,
            missed_count: u64::try_from(passed).unwrap_or_default(),
        })
    }

    /// Learns the period from the newest wake-ups. A period that changed is another one; one that is known is retained where
    /// the newest wake-ups have none.
    fn learn(&mut self) {
        let wakes: Vec<Nanos> = self.wakes.iter().copied().collect();
        let Some(learned) = find_period(&wakes) else { return };
        let is_other =
            self.period.is_none_or(|period| tolerance(period) < (learned - period).abs());
        if is_other {
            (self.period, self.due, self.open) = (Some(learned), None, None);
            self.late_wakes = None;
        }
    }
}

/// Returns how far a cycle may be off.
fn tolerance(period: Nanos) -> Nanos {
    Nanos::new(period.get() / TOLERANCE)
}

/// Returns the median time between wake-ups; of a thread that wakes several times per period, between each of them and the
/// one as many wake-ups later. `None` where wake-ups are irregular.
fn find_period(wakes: &[Nanos]) -> Option<Nanos> {
    let each = median_time(wakes, 1)?.0;
    (1..).zip(1..=MAX_WAKES).find_map(|(count, step)| {
        let (median, regular_percent) = median_time(wakes, step)?;
        let is_regular = MIN_REGULAR_PERCENT <= regular_percent && Nanos::ZERO < median;
        // Even wake-ups of a busy PC are more regular in pairs than one by one.
        let is_even = (median - each * count).abs() <= tolerance(median);
        is_regular.then_some(if is_even { each } else { median })
    })
}

/// Returns the median time from each wake-up to the one `step` wake-ups later, and the share of these times that are
/// within a tenth of it, in percent.
fn median_time(wakes: &[Nanos], step: usize) -> Option<(Nanos, usize)> {
    let later = wakes.iter().skip(step);
    let mut times: Vec<Nanos> = wakes.iter().zip(later).map(|(a, b)| *b - *a).collect();
    let middle = times.len().checked_sub(1)? / 2;
    let median = *times.select_nth_unstable(middle).1;
    let regular = times.iter().filter(|time| (**time - median).abs() <= tolerance(median));
    Some((median, regular.count() * 100 / times.len()))
}

#[cfg(test)]
mod tests;
