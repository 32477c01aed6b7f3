//! Splits the lateness of a sample into segments by cause, and a remainder that no segment explains.
//!
//! **The idea.** A late sample is a stretch of time: from the instant at which it was due to the instant at which its thread
//! woke. At each instant of this stretch the thread was in one state and its CPU had one occupant, so each instant has one cause.
//! The segments and the remainder sum to the lateness, to the nanosecond: what one cause gets, no other gets, and what nobody
//! can be shown to have caused stays visible as a remainder.
//!
//! **What is known** depends on what was recorded, and the account names its [`Source`]:
//! - *Trace records* of the CPU show who had it, at which time. The module `trace` reads them.
//! - *Counters* of the thread, read before and after the wait, show how long it was ready to run without a CPU, whether it was
//!   preempted, and its page faults; there are lengths, but neither times nor names. The module `counters` reads them.
//! - *Nothing* was recorded for most samples: they were not late enough.
//!
//! **An example.** A frame is due at 0 and its thread wakes at 2 350 µs. The timer interrupt that ends its sleep comes at 40 µs.
//! From then on the thread is ready to run, but `rustc` has the CPU until 2 300 µs, except for 60 µs in which a softirq of the
//! network runs. The account is 40 µs "OS timer fired late", 2 200 µs `rustc`, and 60 µs the softirq; the remainder of
//! 50 µs is the way back from the switch to the program, which no record explains. The main cause is `rustc`, because it has the
//! longest sum and the remainder is shorter. Had the remainder been 2 250 µs, the main cause would be *not observable*.
//!
//! **Frames that delay frames.** A frame that starts late because the one before it ended late was not delayed by its own CPU. Its
//! segment is "previous frame overran", with what delayed that frame as its [`Origin`]: only the part of the overrun that would
//! not have been without the delay. Up to `MAX_CHAIN` frames are followed back this way.
//!
//! **Why not the simpler way.** Naming what was busiest around a late frame names whatever is always busy: a compiler on another
//! CPU took nothing from this thread. Weights for "likely" causes cannot be checked, and their sum is not the lateness. An
//! account can be added up, and compared with another recorder of the same time.
//!
//! Sources: the scheduler's tracepoints of Linux (`sched_switch`, `sched_waking`, `irq`, `softirq`), delay accounting
//! (`schedstat`), and `perf sched timehist`, which shows the same states without their occupants.

mod counters;
mod counts;
pub(in crate::report) mod culprits;
mod suspects;
mod tables;
mod trace;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::counts::{RecordCount, record_counts};
pub use self::culprits::trace_state;
pub use self::suspects::Suspects;
pub(in crate::report) use self::suspects::busy_programs;
pub use self::trace::{Lanes, Occupancy, Occupant, State as ThreadState};
use super::model::cause::Cause;
use super::model::delays::{OWN_LOAD, advice_against, is_load_thread, is_placeholder, program_of};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::run::{TrialRun, counter};
use crate::sample::{Evidence, OUTSIDE_NAME, Sample, ThreadOwner};

/// A remainder (lateness that no segment explains) up to this length is within the resolution of the
/// records and is not shown.
pub const SHOWN_REMAINDER: Nanos = Nanos::from_micros(5);

/// Maximum number of samples before a late one whose accounts are computed because each delayed the next one.
const MAX_CHAIN: usize = 100;

/// Advice for samples without records: the condition under which causes are recorded.
const NOT_RECORDED: &str =
    "Causes are recorded where a frame is later than 50 µs and 1% of the frame time.";

/// The data from which an [`Account`] was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing: for this sample, neither counters nor a trace of its CPU were recorded.
    Nothing,
    /// Counters of the thread, read before and after the wait.
    Counters,
    /// Trace records of the CPU, from this trace source.
    Trace(TraceSource),
}

impl Source {
    /// Returns the label of the source for display.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Nothing => "Nothing recorded",
            Self::Counters => "Counters",
            Self::Trace(source) => source.label(),
        }
    }
}

/// Type of activity that can occupy a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CulpritKind {
    /// A thread of a program or of the kernel.
    Thread,
    /// An interrupt.
    Interrupt,
    /// Work that an interrupt handler deferred.
    Softirq,
}

impl CulpritKind {
    /// Returns the label of the type for display, in lower case.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Interrupt => "interrupt",
            Self::Softirq => "softirq",
        }
    }
}

/// A thread, interrupt, or softirq that used the CPU while the measuring thread was delayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The name of the thread, interrupt, or softirq, as the system reports it.
    pub name: String,
    /// The type of the culprit.
    pub kind: CulpritKind,
    /// The thread ID; absent for interrupts, and if the thread has no ID in this PID namespace.
    pub thread: Option<u32>,
    /// The kernel priority of a thread; absent if it was not recorded.
    pub priority: Option<i64>,
    /// The owner of the thread: the kernel or this program; absent for other programs and for
    /// interrupts.
    pub owner: Option<ThreadOwner>,
}

impl Culprit {
    /// Returns the name under which the delays by this culprit are summed: all threads and processes
    /// of a program share its name, and so do all load threads of this program.
    pub fn source(&self) -> &str {
        let is_load = self.is_own() && is_load_thread(&self.name);
        if is_load { OWN_LOAD } else { self.program().unwrap_or(&self.name) }
    }

    /// Returns the program that the user can close to avoid delays by this culprit; `None` for
    /// interrupts, kernel threads, this program, and threads without a name.
    pub fn program(&self) -> Option<&str> {
        let is_program = self.kind == CulpritKind::Thread
            && self.owner.is_none()
            && !self.name.ends_with(OUTSIDE_NAME)
            && !is_placeholder(&self.name);
        is_program.then(|| program_of(&self.name))
    }

    /// Whether the culprit is a thread of this program.
    fn is_own(&self) -> bool {
        self.owner == Some(ThreadOwner::Own)
    }

    /// Returns policy and priority of a thread, such as "normal, nice 0" or "real-time 10"; empty
    /// if the priority was not recorded.
    pub fn policy(&self) -> String {
        match self.priority {
            Some(priority @ 100..) => format!("normal, nice {}", priority - 120),
            Some(priority @ 0..100) => format!("real-time {}", 99 - priority),
            Some(_) => "deadline".to_owned(),
            None => String::new(),
        }
    }
}

/// Returns the owner of a thread by the name of the thread; `None` for another program. Only for
/// older files, which do not save which threads belong to the kernel and to this program.
fn owner_by_name(name: &str) -> Option<ThreadOwner> {
    if name.starts_with('[') {
        Some(ThreadOwner::Kernel)
    } else {
        // The name of another running copy of this program includes its process ID.
        let program = program_of(name);
        let is_own = program.starts_with("jitterscope") && !program.contains(' ');
        is_own.then_some(ThreadOwner::Own)
    }
}

/// A part of the lateness of a sample, with one cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// When the segment began, relative to the scheduled start of the sample; absent if only the
    /// length of the segment is known.
    pub start: Option<Nanos>,
    /// The length of the segment.
    pub length: Nanos,
    /// The cause.
    pub cause: Cause,
    /// The thread or interrupt that used the CPU; absent if it has no name or is not known.
    pub culprit: Option<Arc<Culprit>>,
    /// The CPU on which the measuring thread ran, or for which it waited; absent if the CPU is not
    /// known.
    pub cpu: Option<u32>,
    /// What delayed the previous frame, if the segment is a part of that frame that would have ended in time without the
    /// delay; otherwise absent.
    pub origin: Option<Origin>,
}

/// What delayed a frame whose end, in turn, delayed the next frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The cause of the delay.
    pub cause: Cause,
    /// The thread or interrupt that used the CPU; absent if it has no name or is not known.
    pub culprit: Option<Arc<Culprit>>,
}

impl Segment {
    /// Returns cause and culprit of the delay to which the segment is counted: of its origin, if any.
    fn source(&self) -> (Cause, Option<&Culprit>) {
        let own = (self.cause, self.culprit.as_deref());
        self.origin.as_ref().map_or(own, |origin| (origin.cause, origin.culprit.as_deref()))
    }

    /// Returns the name of the segment: that of its culprit, or the label of its cause, and what delayed the previous
    /// frame: "Previous frame overran (rustc)".
    pub fn title(&self) -> String {
        let own = self.culprit.as_ref().map_or(self.cause.label(), |culprit| &culprit.name);
        match self.source() {
            _ if self.origin.is_none() => own.to_owned(),
            (_, Some(culprit)) => format!("{own} ({})", culprit.name),
            (cause, None) => format!("{own} ({})", cause.row().names[1]),
        }
    }
}

/// The lateness of a sample, split by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The data from which the account was computed.
    pub source: Source,
    /// The segments, in order of time if their starts are known.
    pub segments: Vec<Segment>,
    /// The part of the lateness that no segment explains.
    pub remainder: Nanos,
    /// Whether no record around the sample was lost.
    pub is_complete: bool,
}

impl Account {
    /// Returns an account of a single segment, with counters as its source.
    pub fn whole(cause: Cause, length: Nanos) -> Self {
        let segment =
            Segment { start: None, length, cause, culprit: None, cpu: None, origin: None };
        let segments = vec![segment];
        Self { source: Source::Counters, segments, remainder: Nanos::ZERO, is_complete: true }
    }

    /// Returns the account with [`Cause::NotObservable`] in place of [`Cause::TimerLate`].
    fn without_timer(mut self) -> Self {
        for segment in self.segments.iter_mut().filter(|one| one.cause == Cause::TimerLate) {
            segment.cause = Cause::NotObservable;
        }
        self
    }

    /// Returns the cause and culprit with the longest total time over all segments, and that time;
    /// `None` without segments.
    pub fn largest(&self) -> Option<(Cause, Option<&Arc<Culprit>>, Nanos)> {
        let mut sums: Vec<(Cause, Option<&Arc<Culprit>>, Nanos)> = Vec::new();
        for segment in &self.segments {
            let culprit = segment.culprit.as_ref();
            match sums.iter_mut().find(|sum| (sum.0, sum.1) == (segment.cause, culprit)) {
                Some(sum) => sum.2 += segment.length,
                None => sums.push((segment.cause, culprit, segment.length)),
            }
        }
        // `max_by_key` returns the last of several equal sums: reversed, this is the first in time.
        sums.into_iter().rev().max_by_key(|sum| sum.2)
    }

    /// Returns the main cause: the cause from [`Self::largest`], or `NotObservable` without segments
    /// or if the remainder is larger than the time of that cause.
    pub fn cause(&self) -> Cause {
        self.largest()
            .filter(|largest| self.remainder <= largest.2)
            .map_or(Cause::NotObservable, |largest| largest.0)
    }

    /// Returns the culprit and the total time of each source of delay, by cause and name. The name is
    /// [`Culprit::source`] or the label of the cause. The remainder counts as not observable.
    fn by_source(&self) -> BTreeMap<(Cause, &str), (Option<&Culprit>, Nanos)> {
        let mut sums = BTreeMap::new();
        for segment in &self.segments {
            let (cause, culprit) = segment.source();
            let name = culprit.map_or(cause.label(), Culprit::source);
            sums.entry((cause, name)).or_insert((culprit, Nanos::ZERO)).1 += segment.length;
        }
        if Nanos::ZERO < self.remainder {
            let key = (Cause::NotObservable, Cause::NotObservable.label());
            sums.entry(key).or_insert((None, Nanos::ZERO)).1 += self.remainder;
        }
        sums
    }

    /// Returns the total lateness: the sum of all segments and the remainder.
    pub fn total(&self) -> Nanos {
        self.segments.iter().fold(self.remainder, |sum, segment| sum + segment.length)
    }
}

/// A late sample, with its lateness split by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct LateSample {
    /// Position of the sample in its trial.
    pub index: usize,
    /// The sample.
    pub sample: Sample,
    /// The counters read before and after the wait of the sample; absent if they were lost or not
    /// requested.
    pub evidence: Option<Evidence>,
    /// The main cause of the lateness: [`Account::cause`].
    pub cause: Cause,
    /// The lateness, split by cause.
    pub account: Account,
}

impl LateSample {
    /// Returns the cause and name of the largest delay, as rankings count it. The name is
    /// [`Culprit::source`] or the label of the cause.
    pub fn main_delay(&self) -> (Cause, String) {
        let sums = self.account.by_source();
        // `max_by_key` returns the last of several equal sums: reversed, this is the first one.
        let largest = sums.into_iter().rev().max_by_key(|(_, (_, length))| *length);
        let none = (Cause::NotObservable, Cause::NotObservable.label());
        let (cause, name) = largest.map_or(none, |(key, _)| key);
        (cause, name.to_owned())
    }

    /// Returns what delayed the frame before, if its end delayed this one; otherwise `None`.
    pub fn origin(&self) -> Option<String> {
        let (cause, name) = self.main_delay();
        (self.cause == Cause::PreviousFrame && cause != self.cause).then_some(name)
    }

    /// Returns advice against the main cause, or why nothing was recorded around the sample; empty if
    /// no remedy is known.
    pub fn advice(&self) -> String {
        if self.account.source == Source::Nothing {
            return NOT_RECORDED.to_owned();
        }
        // A frame that starts late because the previous one was delayed has not too much work.
        let (cause, name) = self.main_delay();
        if self.cause == Cause::PreviousFrame && cause != self.cause {
            return advice_against(cause, &name);
        }
        let largest = self.account.largest().filter(|(cause, ..)| *cause == self.cause);
        match largest.and_then(|(cause, culprit, _)| Some((cause, culprit?))) {
            Some((Cause::Thread, culprit)) if culprit.program().is_none() => {
                advice_against(Cause::Thread, culprit.source())
            }
            _ => self.cause.row().advice.to_owned(),
        }
    }

    /// Returns the share of the lateness that the main cause explains, 0 to 1; `None` without
    /// segments, or if the remainder is larger than what the main cause explains.
    pub fn explained(&self) -> Option<f64> {
        let (cause, _, length) = self.account.largest()?;
        let late = self.sample.late().as_f64().max(1.0);
        (cause == self.cause).then(|| (length.as_f64() / late).clamp(0.0, 1.0))
    }
}

/// Returns the counters read around the sample at position `index`; `None` if there are none. If
/// samples were lost, the index of the counters does not match the position of a sample: the result
/// is then `None`, too.
fn evidence(trial: &TrialRun, index: usize) -> Option<&Evidence> {
    let number = u64::try_from(index).ok().filter(|_| trial.lost_count == 0)?;
    let at = trial.evidence.binary_search_by_key(&number, |piece| piece.index).ok()?;
    trial.evidence.get(at)
}

/// Returns the account of the sample before `index`, which is not listed itself, if the sample at `index` was due before
/// the work of that one was done; otherwise `None`. In a series of such samples, each account needs the one before it:
/// begins at most [`MAX_CHAIN`] samples earlier.
fn before_account(
    trial: &TrialRun,
    records: &trace::Records,
    index: usize,
    recorded_above: Nanos,
) -> Option<Account> {
    let sample = |index: usize| trial.samples.get(index);
    let is_behind = |index: &usize| {
        let before = index.checked_sub(1).and_then(sample);
        sample(*index).zip(before).is_some_and(|(one, before)| one.due < before.done)
    };
    let behind = (0..=index).rev().take(MAX_CHAIN).take_while(is_behind).count();
    let mut last: Option<Account> = None;
    for at in index.checked_sub(behind)?..index {
        let before = at.checked_sub(1).and_then(sample);
        let one = sample(at).filter(|one| recorded_above < one.late());
        last = one.and_then(|one| {
            records.account(&one, before.as_ref(), evidence(trial, at), last.as_ref())
        });
    }
    last
}

/// Returns the samples of a trial with a lateness above a threshold, the largest lateness first.
pub fn late_samples(trial: &TrialRun, above: Nanos) -> Vec<LateSample> {
    let mut late = Vec::new();
    let records = trace::Records::of(trial);
    // The trace has records only around samples with a lateness above `recorded_above`.
    let recorded_above = trial.trial.trace_above().unwrap_or(Nanos::ZERO);
    let mut last: Option<Account> = None;
    for (index, lateness) in trial.samples.lateness().enumerate() {
        if lateness <= above.get() {
            last = None;
            continue;
        }
        let Some(sample) = trial.samples.get(index) else { continue };
        let before = index.checked_sub(1).and_then(|before| trial.samples.get(before));
        let of_sample = evidence(trial, index).copied();
        let (before_it, counted) = (before.as_ref(), of_sample.as_ref());
        last = last.or_else(|| before_account(trial, records.as_ref()?, index, recorded_above));
        let traced = records
            .as_ref()
            .filter(|_| recorded_above < sample.late())
            .and_then(|records| records.account(&sample, before_it, counted, last.as_ref()));
        last.clone_from(&traced);
        late.push((index, sample, before, of_sample, traced));
    }
    late.sort_by_key(|one| -one.1.late());
    let mut steal = counters::Steal::of(trial.counters.get(counter::STEAL_NANOS).copied());
    late.into_iter()
        .map(|(index, sample, before, evidence, traced)| {
            let account = traced.unwrap_or_else(|| {
                let spin_from = trial.tail().map(|tail| sample.due - tail);
                let account = counters::account(
                    (&sample, spin_from),
                    before.as_ref(),
                    evidence.as_ref(),
                    &mut steal,
                );
                // Counters blame the timer for what nothing else explains. Where records of the same trial show what
                // else can be the cause, but are missing for this sample, that is not known.
                if records.is_some() { account.without_timer() } else { account }
            });
            LateSample { index, sample, evidence, cause: account.cause(), account }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::tests::test_run::run_of;
    use crate::run::Trace;
    use crate::sample::{TraceEvent, TraceRecord};

    #[test]
    fn only_a_thread_with_a_name_is_a_program_to_close() {
        for (name, expected) in [
            ("thread 4711", None),
            ("unknown thread", None),
            ("thread (outside this container)", None),
            ("threads (4711)", Some("threads")),
        ] {
            let kind = CulpritKind::Thread;
            let culprit =
                Culprit { name: name.to_owned(), kind, thread: None, priority: None, owner: None };
            assert_eq!(culprit.program(), expected, "{name}");
        }
    }

    #[test]
    fn a_frame_that_is_listed_alone_has_the_origin_that_it_has_in_a_list_of_all() {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |_| {});
        let trial = &mut run.trials[0];
        let period = trial.trial.pace.period();
        let millis = Nanos::from_millis;
        // rustc delays the first frame by 3 ms; its work then takes 2 ms longer than a frame.
        let first = Sample {
            began: period - millis(1),
            due: period,
            slept: None,
            woke: period + millis(3),
            done: period * 2 + millis(5),
            spins: 0,
            cpu: Some(1),
        };
        let (began, woke) = (first.done, first.done + Nanos::from_micros(1));
        let second = Sample { began, due: period * 2, woke, done: woke + millis(1), ..first };
        trial.samples = [first, second].into_iter().collect();
        let record = |at, event, thread, name| TraceRecord {
            at,
            event,
            cpu: 1,
            thread: Some(thread),
            name,
            value: None,
        };
        let records = [
            TraceRecord { thread: None, ..record(Nanos::ZERO, TraceEvent::Covered, 7, None) },
            record(Nanos::ZERO, TraceEvent::SwitchIn, 7, None),
            record(first.began, TraceEvent::Slept, 7, None),
            record(first.began, TraceEvent::SwitchIn, 40, Some(0)),
            record(first.due, TraceEvent::Waking, 7, None),
            record(first.woke, TraceEvent::SwitchIn, 7, None),
            record(period * 9, TraceEvent::SwitchIn, 40, Some(0)),
        ];
        trial.trace = Some(Trace::from_records(vec!["rustc".to_owned()], &records));
        let source = TraceSource::Kernel.number();
        for (name, value) in [(counter::TRACE_SOURCE, source), (counter::TRACE_THREAD, 7)] {
            trial.counters.insert(name.to_owned(), value);
        }
        let all = late_samples(trial, Nanos::from_micros(200));
        let alone = late_samples(trial, second.late() - Nanos::new(1));
        assert_eq!((all.len(), alone.len()), (2, 1));
        assert_eq!(alone[0], all[0], "the later one");
        let rustc = alone[0].account.by_source();
        assert_eq!(rustc[&(Cause::Thread, "rustc")].1, millis(3), "{rustc:?}");
        assert_eq!(rustc[&(Cause::PreviousFrame, Cause::PreviousFrame.label())].1, millis(2));
    }

    #[test]
    fn a_sample_around_which_no_records_are_saved_is_not_accounted_for_by_them() {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |_| {});
        let trial = &mut run.trials[0];
        let above = trial.trial.trace_above().unwrap();
        let (period, more) = (trial.trial.pace.period(), Nanos::new(1));
        let lateness = [above, above + more];
        trial.samples = (1..)
            .zip(lateness)
            .map(|(at, late)| {
                let due = period * at;
                let woke = due + late;
                Sample {
                    began: due - more,
                    due,
                    slept: None,
                    woke,
                    done: woke,
                    spins: 9,
                    cpu: Some(1),
                }
            })
            .collect();
        let record = |at, event, thread| TraceRecord {
            at: period * at,
            event,
            cpu: 1,
            thread,
            name: None,
            value: None,
        };
        let own = |at| record(at, TraceEvent::SwitchIn, Some(7));
        let records = [record(0, TraceEvent::Covered, None), own(0), own(9)];
        trial.trace = Some(Trace::from_records(Vec::new(), &records));
        let source = TraceSource::Kernel;
        for (name, value) in [(counter::TRACE_SOURCE, source.number()), (counter::TRACE_THREAD, 7)]
        {
            trial.counters.insert(name.to_owned(), value);
        }
        let found = late_samples(trial, Nanos::ZERO);
        let found: Vec<_> = found.iter().map(|one| (one.account.source, one.cause)).collect();
        let recorded = (Source::Trace(source), Cause::NoEvent);
        assert_eq!(found, [recorded, (Source::Nothing, Cause::NotObservable)]);
        assert!(late_samples(trial, Nanos::ZERO)[1].advice().contains("later than"));
    }
}
