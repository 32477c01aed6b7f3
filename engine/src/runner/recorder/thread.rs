//! A followed thread, in place of a game: found by name or number, its cycles, and its end.

use super::cycles::{Cycle, CycleKind, Cycles};
use super::game::MAX_EVENTS;
use super::{RecordError, Recorder};
use crate::nanos::Nanos;
use crate::platform::{self, SystemTracer, TraceSource, clock_nanos};
use crate::run::recording::{EventKind, Follow, NoteKind, RecordedEvent, RecordedProcess, name};
use crate::sample::{TraceEvent, TraceRecord};
use crate::units::format_count;

/// All records of a time have arrived this long after it.
const WAIT: Nanos = Nanos::from_millis(150);
/// A thread with this number that started this much later is another one: the system counts in ticks.
const SAME_START: Nanos = Nanos::from_millis(100);
/// Max number of threads that an error lists.
const MAX_LISTED: usize = 12;
/// Periods that can be followed: below, writing records takes much of the period.
const PERIODS: [Nanos; 2] = [Nanos::from_micros(50), Nanos::from_secs(60)];

/// Which thread to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRequest {
    /// Name or number of the thread.
    pub thread: String,
    /// Its period; `None` to learn it.
    pub period: Option<Nanos>,
}

/// Why a thread cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FollowError {
    /// There is none.
    #[error(
        "no thread is named '{0}' or has this number; start its program, or look with: ps -eLo tid,comm"
    )]
    NotFound(String),
    /// Several threads have the name.
    #[error("{} threads are named '{wanted}': {listed}; select one by its number", format_count(*count))]
    Ambiguous {
        /// The name.
        wanted: String,
        /// How many have it.
        count: usize,
        /// The threads, with their numbers.
        listed: String,
    },
    /// The system does not let this user record it.
    #[error(
        "the switches of thread {thread} ({name}) are not recorded: {reason} Record as root to follow threads of other users"
    )]
    Denied {
        /// Number of the thread.
        thread: u32,
        /// Its name.
        name: String,
        /// What the system permits.
        reason: String,
    },
    /// The period is too short or too long.
    #[error("a period is between 50µs and 60s")]
    Period,
}

impl ThreadRequest {
    /// Finds the thread.
    ///
    /// # Errors
    ///
    /// There is none, or several have the name, or the period is too short or too long.
    pub fn find(&self) -> Result<u32, FollowError> {
        let [shortest, longest] = PERIODS;
        if self.period.is_some_and(|period| period < shortest || longest < period) {
            return Err(FollowError::Period);
        }
        let wanted = self.thread.trim().to_owned();
        match platform::find_threads(&wanted).as_slice() {
            [] => Err(FollowError::NotFound(wanted)),
            [thread] => Ok(*thread),
            threads => {
                let mut found: Vec<(u64, u32)> = threads
                    .iter()
                    .map(|thread| (platform::thread_waits(*thread), *thread))
                    .map(|(waits, thread)| (waits.map_or(0, |waits| waits.slept_count), thread))
                    .collect();
                // A periodic thread sleeps more often than the others.
                found.sort_by_key(|(slept, thread)| (std::cmp::Reverse(*slept), *thread));
                let listed = found.iter().take(MAX_LISTED).map(|(slept, thread)| {
                    let facts = platform::thread_facts(*thread).unwrap_or_default();
                    let slept = format_count(*slept);
                    format!(
                        "{thread} of {} {} (slept {slept} times)",
                        facts.process_name, facts.process
                    )
                });
                let mut listed = listed.collect::<Vec<_>>().join(", ");
                if MAX_LISTED < found.len() {
                    listed.push_str(", and others");
                }
                Err(FollowError::Ambiguous { wanted, count: found.len(), listed })
            }
        }
    }
}

/// The thread that a recorder follows.
#[derive(Debug)]
pub(super) struct FollowedThread {
    thread: u32,
    /// The name of the thread.
    pub(super) name: String,
    /// The process of the thread.
    pub(super) process: RecordedProcess,
    /// When it started, by the clock; `None` if the system does not report it.
    started: Option<Nanos>,
    cycles: Cycles,
    /// Whether the period was not learned.
    is_given: bool,
    /// Records up to this time were read.
    read_until: Nanos,
    /// Whether another thread was found under the number at the last look.
    is_other: bool,
    /// When it was seen to have ended; its last records are read after that.
    gone_at: Option<Nanos>,
    is_ended: bool,
    /// How long it had waited for a CPU at the last reading, when that was, and whether it is saved.
    delay: Option<(Nanos, i64, bool)>,
}

impl FollowedThread {
    /// Finds the thread, and has its switches recorded.
    pub(super) fn start(
        request: &ThreadRequest,
        tracer: &mut SystemTracer,
        start: Nanos,
    ) -> Result<Self, RecordError> {
        let thread = request.find()?;
        let not_found = || FollowError::NotFound(request.thread.clone());
        let facts = platform::thread_facts(thread).ok_or_else(not_found)?;
        tracer.follow(facts.process);
        if tracer.held_from().is_none() {
            let reason = sentence_of_thread(&tracer.sentence());
            return Err(FollowError::Denied { thread, name: facts.name, reason }.into());
        }
        let of_process = platform::thread_facts(facts.process).and_then(|facts| facts.started);
        Ok(Self {
            thread,
            process: RecordedProcess {
                process: facts.process,
                started: of_process.map(|started| started - start),
                name: facts.process_name,
            },
            name: facts.name,
            started: facts.started,
            cycles: Cycles::new(request.period),
            is_given: request.period.is_some(),
            read_until: start,
            is_other: false,
            gone_at: None,
            is_ended: false,
            delay: None,
        })
    }

    /// Returns what a recording states about what it follows.
    pub(super) fn follow(&self) -> Follow {
        let period = self.cycles.period.unwrap_or_default();
        Follow::Thread { thread: self.thread, period, is_learned: !self.is_given }
    }

    /// Whether the thread with the number is still the one that was found.
    ///
    /// Sleep of the PC makes the start of a thread earlier by the clock, and never later. A look that was interrupted between
    /// two clocks may see it later, once: so two looks decide.
    fn is_alive(&mut self) -> bool {
        let Some(facts) = platform::thread_facts(self.thread) else { return false };
        let times = self.started.zip(facts.started);
        let is_other = times.is_some_and(|(before, now)| before + SAME_START < now);
        !(std::mem::replace(&mut self.is_other, is_other) && is_other)
    }

    /// Returns the readings of how long the thread waited for a CPU that a report needs: where it grew, and the last one
    /// before that.
    fn delays(&mut self, at: Nanos, delay: i64) -> impl Iterator<Item = (Nanos, i64)> + use<> {
        let before = self.delay;
        let has_grown = before.is_none_or(|(_, before, _)| before != delay);
        self.delay = Some((at, delay, has_grown));
        let unsaved = before.filter(|(_, _, is_saved)| has_grown && !is_saved);
        let unsaved = unsaved.map(|(at, delay, _)| (at, delay));
        unsaved.into_iter().chain(has_grown.then_some((at, delay)))
    }

    /// Returns the cycles whose work was done since the last call.
    fn read(&mut self, tracer: &mut SystemTracer, until: Nanos) -> Vec<Cycle> {
        let Some(held) = tracer.held_from().filter(|_| self.read_until < until) else {
            return Vec::new();
        };
        if self.read_until < held {
            self.cycles.lose();
        }
        let mut records: Vec<TraceRecord> = Vec::new();
        let from = self.read_until.max(held) + Nanos::new(1);
        tracer.cut(from, until, |record| {
            if record.thread == Some(self.thread) || record.event == TraceEvent::Lost {
                records.push(record);
            }
        });
        self.read_until = until;
        // A switch and a wake-up of the same time stay in the order in which they were written.
        records.sort_by_key(|record| record.at);
        let mut done = Vec::new();
        for record in records {
            match record.event {
                TraceEvent::Lost => self.cycles.lose(),
                TraceEvent::Exited => {
                    self.is_ended = true;
                    self.cycles.lose();
                }
                _ if self.is_ended => {}
                _ => done.extend(self.cycles.add(&record)),
            }
        }
        done
    }
}

/// Returns a sentence about the records of a game as one about those of a thread.
pub(super) fn sentence_of_thread(sentence: &str) -> String {
    sentence.replace("game", "program")
}

impl Recorder {
    /// Returns why the recording has nothing more to follow; `None` while it continues.
    pub fn ended(&self) -> Option<String> {
        let followed = self.followed.as_ref().filter(|followed| followed.is_ended)?;
        Some(format!("thread {} ({}) has ended", followed.thread, followed.name))
    }

    /// Reads the cycles of the followed thread. `now` is a time before the last records were collected.
    pub(super) fn read_thread(&mut self, now: Nanos) {
        let Some(mut followed) = self.followed.take() else { return };
        let was_ended = followed.is_ended;
        if followed.gone_at.is_none() && !followed.is_alive() {
            followed.gone_at = Some(now);
        }
        for cycle in followed.read(&mut self.tracer, now - WAIT) {
            self.add_cycle(&cycle);
        }
        followed.is_ended |= followed.gone_at.is_some_and(|gone| gone <= now - WAIT);
        // Without records of wake-ups, only this shows that the thread waited for a CPU before it ran.
        if self.tracer.state().source == Some(TraceSource::OwnSwitches)
            && followed.gone_at.is_none()
            && !self.is_full
            && let Some(waits) = platform::thread_waits(followed.thread)
        {
            let delays = self.more.series.entry(name::RUN_DELAY.to_owned()).or_default();
            let at = Nanos::new(clock_nanos()) - self.start;
            for (at, delay) in followed.delays(at, waits.delay.get()) {
                delays.push(at, delay);
            }
        }
        self.more.follow = followed.follow();
        if followed.is_ended && !was_ended {
            self.note(now, NoteKind::ThreadEnded, followed.name.clone(), None);
        }
        self.followed = Some(followed);
    }

    fn add_cycle(&mut self, cycle: &Cycle) {
        let Cycle { due, ran, ended, since_last, kind, missed_count } = *cycle;
        let kind = match kind {
            CycleKind::OnTime => None,
            CycleKind::Late => Some(EventKind::LateCycle),
            CycleKind::Overrun => Some(EventKind::Overrun),
        };
        // A cycle without its event would count as on time, so that recording ends with the first one that has no room.
        if self.is_full || !self.has_room_for_frames("cycles") {
            return;
        }
        if kind.is_some() && !self.has_room_for_events() {
            self.fill("cycles", &format!("{MAX_EVENTS} late ones"));
            return;
        }
        let start = self.start;
        let series = &mut self.more.series;
        let mut push = |name: &str, value: i64| {
            series.entry(name.to_owned()).or_default().push(due - start, value);
        };
        push(name::CYCLE_LATENESS, (ran - due).get());
        push(name::CYCLE_LENGTH, (ended - due).get());
        if 0 < missed_count {
            push(name::CYCLE_MISSED, i64::try_from(missed_count).unwrap_or(i64::MAX));
        }
        if let Some(since_last) = since_last {
            self.more.frames.push(ran - start, since_last);
        }
        let Some(kind) = kind else { return };
        let (at, length) = (ended - start, ended - due);
        if self.add_event(RecordedEvent { at, length, kind }) {
            self.wanted.add_event(at, length);
        }
    }
}
