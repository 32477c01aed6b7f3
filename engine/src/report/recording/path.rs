//! Follows back what a thread waited for, and splits the time into segments.

use std::sync::Arc;

use super::class::Class;
use super::known_thread::{is_of_graphics, known_thread};
use super::life::{Life, Piece, State, Wake, Waker};
use super::timeline::{Occupant, Timeline};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::run::Series;
use crate::run::recording::{Recording, name};
use crate::sample::ThreadOwner;

/// A running piece below this length between two sleeps belongs to the sleeps.
const SHORT_RUN: Nanos = Nanos::from_micros(50);
/// A thread that is ready to run while its CPU is idle for longer than this does not just wait for the CPU to wake.
const IDLE_CPU: Nanos = Nanos::from_millis(1);
/// Number of wakers that are followed, one by one.
const MAX_DEPTH: usize = 32;
/// Number of segments of a path; the rest of a longer path is not explained.
const MAX_SEGMENTS: usize = 10_000;
/// Number of wakers that are inferred, one by one.
const MAX_GUESSES: usize = 6;
/// A thread that ran for this share of a sleep, and stopped within [`NEAR_END`] of its end, probably ended the sleep.
const RAN_SHARE: f64 = 0.8;
const NEAR_END: Nanos = Nanos::from_micros(100);

/// A part of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Start of the segment.
    pub from: Nanos,
    /// End of the segment.
    pub to: Nanos,
    /// What the path passed through.
    pub class: Class,
    /// The name of the thread, program, or device; `None` where none is known.
    pub name: Option<Arc<str>>,
    /// The name of the thread that the path followed at this time.
    pub thread: Arc<str>,
    /// Whether a waker on the way to this segment was inferred, not recorded.
    pub is_inferred: bool,
}

impl Segment {
    /// Returns the length.
    pub fn length(&self) -> Nanos {
        self.to - self.from
    }
}

/// Follows the paths through one detail.
pub(super) struct Paths<'a> {
    timeline: &'a Timeline,
    /// The process of the game; `None` if it is not known.
    game: Option<u32>,
    source: Option<TraceSource>,
    has_wakeups: bool,
    /// Intervals between two readings of the throttle count that grew.
    throttled: Vec<(Nanos, Nanos)>,
    /// Intervals between two readings of how long the followed thread waited for a CPU, with the growth.
    delays: Vec<((Nanos, Nanos), Nanos)>,
    /// How long the thread waits between two readings, late or not.
    median_delay: Nanos,
}

/// A path while it is followed.
struct Walk {
    segments: Vec<Segment>,
    is_inferred: bool,
}

impl Walk {
    fn add(
        &mut self,
        life: &Life,
        class: Class,
        name: Option<Arc<str>>,
        (from, to): (Nanos, Nanos),
    ) {
        if to <= from {
            return;
        }
        let is_inferred = self.is_inferred;
        if let Some(last) = self.segments.last_mut()
            && last.class == class
            && last.name == name
            && last.thread == life.name
            && last.is_inferred == is_inferred
        {
            last.to = to;
            return;
        }
        let thread = Arc::clone(&life.name);
        self.segments.push(Segment { from, to, class, name, thread, is_inferred });
    }
}

/// Returns the lower median of the growths between readings; 0 where there are too few to have one.
fn median_delay(delays: &[((Nanos, Nanos), Nanos)]) -> Nanos {
    let mut growths: Vec<Nanos> = delays.iter().map(|(_, delay)| *delay).collect();
    growths.sort_unstable();
    let middle = growths.len().saturating_sub(1) / 2;
    growths.get(middle).copied().filter(|_| 2 < growths.len()).unwrap_or_default()
}

impl<'a> Paths<'a> {
    pub(super) fn new(recording: &Recording, timeline: &'a Timeline, game: Option<u32>) -> Self {
        let mut throttled = Vec::new();
        let mut before: Option<(Nanos, i64)> = None;
        let counts = recording.series.get(name::THROTTLED).into_iter().flat_map(Series::iter);
        for (at, count) in counts {
            throttled.extend(before.filter(|before| before.1 < count).map(|before| (before.0, at)));
            before = Some((at, count));
        }
        let tier = &recording.tier;
        let readings = recording.series.get(name::RUN_DELAY).into_iter().flat_map(Series::iter);
        let readings: Vec<(Nanos, i64)> = readings.collect();
        let delays = readings.windows(2).filter_map(|pair| {
            let [(from, before), (to, after)] = pair else { return None };
            let is_near = *from < timeline.end && timeline.begin < *to;
            is_near.then(|| ((*from, *to), Nanos::new(*after - *before)))
        });
        let delays: Vec<((Nanos, Nanos), Nanos)> = delays.collect();
        Self {
            median_delay: median_delay(&delays),
            timeline,
            game,
            source: tier.source,
            has_wakeups: tier.has_wakeups,
            throttled,
            delays,
        }
    }

    /// Returns the path of a thread through an interval: segments in order, from its start to its end, without gaps.
    pub(super) fn path(&self, life: usize, span: (Nanos, Nanos)) -> Vec<Segment> {
        let mut walk = Walk { segments: Vec::new(), is_inferred: false };
        self.follow(life, span, 0, &mut walk);
        walk.segments
    }

    /// Returns the path of a canary, which should have run since the start of the interval.
    pub(super) fn path_of_canary(&self, life: usize, span: (Nanos, Nanos)) -> Vec<Segment> {
        let Some(own) = self.timeline.lives.get(life) else { return Vec::new() };
        let mut walk = Walk { segments: Vec::new(), is_inferred: false };
        for position in own.between(span) {
            let Some(piece) = own.pieces.get(position) else { continue };
            let (from, to) = (piece.from.max(span.0), piece.to.min(span.1));
            match piece.state {
                // The timer should have woken it: who had the CPU shows what delayed the timer.
                State::Asleep => {
                    let cpu = own.pieces.get(position + 1..).unwrap_or_default();
                    let cpu = cpu.iter().find_map(|piece| piece.cpu);
                    self.late_timer(own, cpu, (from, to), &mut walk);
                }
                _ => self.piece(life, own, position, (from, to), 0, &mut walk),
            }
        }
        self.fill(own, span, &mut walk);
        walk.segments
    }

    /// Returns the path of a cycle of the followed thread, which should have been woken at the start of the interval.
    pub(super) fn path_of_cycle(&self, life: usize, span: (Nanos, Nanos)) -> Vec<Segment> {
        let Some(own) = self.timeline.lives.get(life) else { return Vec::new() };
        let mut walk = Walk { segments: Vec::new(), is_inferred: false };
        for position in own.between(span) {
            let Some(piece) = own.pieces.get(position) else { continue };
            let (from, to) = (piece.from.max(span.0), piece.to.min(span.1));
            let by = piece.wake.as_ref().filter(|wake| wake.completed.is_none());
            match (piece.state, by.map(|wake| &wake.by)) {
                (State::Asleep, Some(Waker::Timer)) => {
                    let cpu = own.pieces.get(position + 1..).unwrap_or_default();
                    let cpu = cpu.iter().find_map(|piece| piece.cpu);
                    self.late_timer(own, cpu, (from, to), &mut walk);
                }
                (State::Asleep, None) if !self.has_wakeups => {
                    // The sleep ends when the thread gets a CPU, so the time for which it waited is the last part.
                    let waited = self.waited(own, (from, to)).min(to - from);
                    self.piece(life, own, position, (from, to - waited), 0, &mut walk);
                    let name = Some(Arc::clone(&own.name));
                    // Which of the wake-ups of a reading waited is not recorded.
                    walk.is_inferred = true;
                    walk.add(own, Class::WaitedForCpu, name, (to - waited, to));
                    walk.is_inferred = false;
                }
                _ => self.piece(life, own, position, (from, to), 0, &mut walk),
            }
        }
        self.fill(own, span, &mut walk);
        walk.segments
    }

    /// Returns for how long the followed thread waited for a CPU around an interval, as the system counts it, without what
    /// its switches show, and without what it waits for all the time.
    fn waited(&self, own: &Life, (from, to): (Nanos, Nanos)) -> Nanos {
        let first = self.delays.partition_point(|((_, end), _)| *end <= from);
        let mut around = self.delays.get(first..).unwrap_or_default().iter();
        let around = around.by_ref().take_while(|((begin, _), _)| *begin < to);
        around.fold(Nanos::ZERO, |sum, (span, delay)| {
            let pieces = own.pieces.get(own.between(*span)).unwrap_or_default().iter();
            let ready = pieces.filter(|piece| piece.state == State::Ready);
            let shown = ready.fold(Nanos::ZERO, |sum, piece| {
                sum + (piece.to.min(span.1) - piece.from.max(span.0))
            });
            sum + (*delay - shown - self.median_delay).max(Nanos::ZERO)
        })
    }

    fn late_timer(&self, own: &Life, cpu: Option<u32>, span: (Nanos, Nanos), walk: &mut Walk) {
        for (is_silent, (from, to)) in self.around_silences(span) {
            if is_silent {
                walk.add(own, Class::AllStalled, None, (from, to));
                continue;
            }
            let occupants = match cpu {
                Some(cpu) => self.timeline.occupants(cpu, (from, to)),
                None => vec![(Occupant::Unknown, (from, to))],
            };
            for (occupant, span) in occupants {
                match occupant {
                    Occupant::Interrupt(name) => walk.add(own, Class::Kernel, name, span),
                    Occupant::Unknown => walk.add(own, Class::NotExplained, None, span),
                    Occupant::Idle | Occupant::Thread(_) => {
                        walk.add(own, Class::LateTimer, None, span);
                    }
                }
            }
        }
    }

    fn follow(&self, life: usize, span: (Nanos, Nanos), depth: usize, walk: &mut Walk) {
        let Some(own) = self.timeline.lives.get(life) else { return };
        for position in own.between(span) {
            let Some(piece) = own.pieces.get(position) else { continue };
            let part = (piece.from.max(span.0), piece.to.min(span.1));
            let before = walk.segments.last().map_or(span.0, |last| last.to);
            if before < part.0.min(span.1) && span.0 <= before {
                walk.add(own, Class::NotExplained, None, (before, part.0));
            }
            self.piece(life, own, position, part, depth, walk);
        }
        self.fill(own, span, walk);
    }

    /// Adds what is missing up to the end of an interval as not explained.
    fn fill(&self, own: &Life, (from, to): (Nanos, Nanos), walk: &mut Walk) {
        let end = walk.segments.last().map_or(from, |last| last.to.max(from));
        walk.add(own, Class::NotExplained, None, (end, to));
    }

    fn piece(
        &self,
        life: usize,
        own: &Life,
        position: usize,
        span: (Nanos, Nanos),
        depth: usize,
        walk: &mut Walk,
    ) {
        let Some(piece) = own.pieces.get(position) else { return };
        if MAX_SEGMENTS <= walk.segments.len() {
            return walk.add(own, Class::NotExplained, None, span);
        }
        match piece.state {
            State::Unknown | State::Gone => walk.add(own, Class::NotExplained, None, span),
            State::Stopped => walk.add(own, Class::Stopped, Some(Arc::clone(&own.name)), span),
            State::Running if is_short_run(own, position) => {
                let last = walk.segments.last().map(|last| (last.class, last.name.clone()));
                let (class, name) = last.unwrap_or_else(|| self.running(own));
                walk.add(own, class, name, span);
            }
            State::Running => self.run(own, piece, span, walk),
            State::Ready => self.ready(life, own, piece, span, walk),
            State::Asleep | State::Blocked => self.sleep(life, own, piece, span, depth, walk),
        }
    }

    /// Returns the class and the name of a thread that runs.
    fn running(&self, life: &Life) -> (Class, Option<Arc<str>>) {
        let known = known_thread(&life.name);
        match life.owner {
            Some(ThreadOwner::Own) => (Class::Own, None),
            Some(ThreadOwner::Kernel) if is_of_graphics(&life.name) => {
                (Class::Graphics, Some(Arc::clone(&life.name)))
            }
            Some(ThreadOwner::Kernel) => (Class::Kernel, Some(kernel_name(&life.name))),
            None if self.is_of_game(life) => {
                let class = known.and_then(|known| known.class);
                let label = known.filter(|_| class.is_some()).map(|known| Arc::from(known.label));
                let name = label.unwrap_or_else(|| Arc::clone(&life.name));
                (class.unwrap_or(Class::Game), Some(name))
            }
            None => (Class::Service, Some(Arc::clone(&life.program))),
        }
    }

    /// Returns the class and the name of a thread that has the CPU while the path waits for that CPU.
    fn has_cpu(&self, life: &Life) -> (Class, Option<Arc<str>>) {
        match self.running(life) {
            (Class::Service, name) => (Class::OtherProgram, name),
            (Class::Graphics, name) => (Class::Kernel, name),
            other => other,
        }
    }

    fn is_of_game(&self, life: &Life) -> bool {
        self.game.is_some() && life.process == self.game
    }

    /// Adds time in which a thread ran, without the interrupts of that time.
    fn run(&self, own: &Life, piece: &Piece, span: (Nanos, Nanos), walk: &mut Walk) {
        let is_reclaiming = own.reclaims.iter().any(|(from, to)| *from < span.1 && span.0 < *to);
        for (is_silent, (from, to)) in self.around_silences(span) {
            if is_silent {
                walk.add(own, Class::AllStalled, None, (from, to));
                continue;
            }
            let occupants = match piece.cpu {
                Some(cpu) => self.timeline.occupants(cpu, (from, to)),
                None => vec![(Occupant::Unknown, (from, to))],
            };
            for (occupant, span) in occupants {
                if let Occupant::Interrupt(name) = occupant {
                    walk.add(own, Class::Kernel, name, span);
                    continue;
                }
                if is_reclaiming {
                    self.run_with_reclaim(own, span, walk);
                    continue;
                }
                let (class, name) = self.running(own);
                walk.add(own, class, name, span);
            }
        }
    }

    fn run_with_reclaim(&self, own: &Life, (from, to): (Nanos, Nanos), walk: &mut Walk) {
        let (class, name) = self.running(own);
        let mut since = from;
        for &(begin, end) in &own.reclaims {
            let (begin, end) = (begin.clamp(since, to), end.clamp(since, to));
            walk.add(own, class, name.clone(), (since, begin));
            walk.add(own, Class::Memory, Some(Arc::from("reclaim")), (begin, end));
            since = end;
        }
        walk.add(own, class, name, (since, to));
    }

    /// Splits an interval into parts in which no CPU recorded anything, and others.
    fn around_silences(&self, (from, to): (Nanos, Nanos)) -> Vec<(bool, (Nanos, Nanos))> {
        let mut parts = Vec::new();
        let mut since = from;
        for &(begin, end) in &self.timeline.silences {
            let (begin, end) = (begin.clamp(since, to), end.clamp(since, to));
            parts.push((false, (since, begin)));
            parts.push((true, (begin, end)));
            since = end;
        }
        parts.push((false, (since, to)));
        parts.retain(|(_, (from, to))| from < to);
        parts
    }

    /// Adds time in which a thread was ready to run: who had the CPU.
    fn ready(&self, life: usize, own: &Life, piece: &Piece, span: (Nanos, Nanos), walk: &mut Walk) {
        if self.source <= Some(TraceSource::OwnSwitches) {
            return walk.add(own, Class::WaitedForCpu, Some(Arc::clone(&own.name)), span);
        }
        let occupants = match piece.cpu {
            Some(cpu) => self.timeline.occupants(cpu, span),
            None => vec![(Occupant::Unknown, span)],
        };
        for (occupant, span) in occupants {
            let (class, name) = match occupant {
                Occupant::Thread(other) if other == life => self.running(own),
                Occupant::Thread(other) => match self.timeline.lives.get(other) {
                    Some(other) if other.is_outside() => (Class::OtherProgram, None),
                    Some(other) => self.has_cpu(other),
                    None => (Class::NotExplained, None),
                },
                Occupant::Interrupt(name) => (Class::Kernel, name),
                Occupant::Idle if IDLE_CPU < span.1 - span.0 && self.is_throttled(span) => {
                    (Class::Throttled, Some(Arc::clone(&own.name)))
                }
                Occupant::Idle => (Class::Blocked, Some(Arc::clone(&own.name))),
                Occupant::Unknown => (Class::NotExplained, None),
            };
            walk.add(own, class, name, span);
        }
    }

    fn is_throttled(&self, (from, to): (Nanos, Nanos)) -> bool {
        self.throttled.iter().any(|grown| grown.0 < to && from < grown.1)
    }

    /// Adds the time of a sleep: what its waker did.
    fn sleep(
        &self,
        life: usize,
        own: &Life,
        piece: &Piece,
        span: (Nanos, Nanos),
        depth: usize,
        walk: &mut Walk,
    ) {
        if piece.state == State::Blocked {
            let (class, name) = self.blocked(own, piece);
            return walk.add(own, class, name, span);
        }
        let Some(wake) = &piece.wake else {
            return self.infer(life, own, piece, span, depth, walk);
        };
        if let Some(device) = &wake.completed {
            return walk.add(own, Class::Storage, Some(Arc::clone(device)), span);
        }
        match &wake.by {
            Waker::Thread(waker) if depth < MAX_DEPTH && *waker != life => {
                self.follow(*waker, span, depth + 1, walk);
            }
            Waker::Timer => walk.add(own, Class::Timer, Some(Arc::clone(&own.name)), span),
            Waker::Interrupt(Some(name)) if is_of_graphics(name) => {
                walk.add(own, Class::Graphics, Some(Arc::clone(name)), span);
            }
            Waker::Interrupt(Some(name)) => {
                walk.add(own, Class::Device, Some(Arc::clone(name)), span);
            }
            Waker::Thread(_) | Waker::Interrupt(None) | Waker::Unknown => {
                walk.add(own, Class::NotExplained, None, span);
            }
        }
    }

    /// Returns what a thread waited for that slept and could not be interrupted.
    fn blocked(&self, own: &Life, piece: &Piece) -> (Class, Option<Arc<str>>) {
        let completed = piece.wake.as_ref().and_then(|wake: &Wake| wake.completed.as_ref());
        // The fault is the last record before the sleep if the thread did not leave the CPU after it.
        let fault = own.faults.partition_point(|at| *at <= piece.from).checked_sub(1);
        let ran_from = own.pieces.partition_point(|other| other.to < piece.from);
        let ran_from = own.pieces.get(ran_from).map_or(piece.from, |ran| ran.from);
        let is_fault = fault.and_then(|at| own.faults.get(at)).is_some_and(|at| ran_from <= *at);
        let is_reclaim =
            own.reclaims.iter().any(|(from, to)| *from <= piece.from && piece.from < *to);
        match completed {
            Some(device) if is_fault => {
                (Class::Memory, Some(Arc::from(format!("page faults, {device}"))))
            }
            Some(device) => (Class::Storage, Some(Arc::clone(device))),
            None if is_reclaim => (Class::Memory, Some(Arc::from("reclaim"))),
            None if is_fault => (Class::Memory, Some(Arc::from("page faults"))),
            None => (Class::Blocked, Some(Arc::clone(&own.name))),
        }
    }

    /// Adds the time of a sleep whose wake-up is not recorded. Of an ordinary user's records, the waker probably is the
    /// thread of the game that stopped at the end of the sleep, if it ran or waited for a CPU for nearly all of the sleep,
    /// alone or together with the threads that it slept for.
    fn infer(
        &self,
        life: usize,
        own: &Life,
        piece: &Piece,
        span: (Nanos, Nanos),
        depth: usize,
        walk: &mut Walk,
    ) {
        let whole = (piece.from.max(self.timeline.begin), piece.to);
        let needed = RAN_SHARE * (whole.1 - whole.0).as_f64();
        let waker =
            self.likely_waker(life, whole, 0).filter(|(_, active)| needed <= active.as_f64());
        match waker.filter(|_| !self.has_wakeups && depth < MAX_DEPTH) {
            Some((waker, _)) => {
                let was_inferred = std::mem::replace(&mut walk.is_inferred, true);
                self.follow(waker, span, depth + 1, walk);
                walk.is_inferred = was_inferred;
            }
            None => walk.add(own, Class::NotExplained, None, span),
        }
    }

    /// Returns the thread of the game that stopped running at the end of a sleep and was active for the longest part of
    /// it, with the length of that part.
    fn likely_waker(
        &self,
        life: usize,
        sleep: (Nanos, Nanos),
        depth: usize,
    ) -> Option<(usize, Nanos)> {
        let near = (sleep.1 - NEAR_END, sleep.1 + NEAR_END);
        let stops_at_end = |other: &Life| {
            let pieces = other.pieces.get(other.between(near)).unwrap_or_default();
            pieces.iter().any(|it| it.state == State::Running && near.0 <= it.to && it.to <= near.1)
        };
        let others = self.timeline.lives.iter().enumerate();
        let others = others
            .filter(|(at, other)| *at != life && self.is_of_game(other) && stops_at_end(other));
        let active = others.map(|(at, other)| (at, self.active(at, other, sleep, depth)));
        active.max_by_key(|(_, active)| *active)
    }

    /// Returns for how long a thread, or the threads that it probably slept for, ran or waited for a CPU.
    fn active(&self, at: usize, life: &Life, span: (Nanos, Nanos), depth: usize) -> Nanos {
        let pieces = life.pieces.get(life.between(span)).unwrap_or_default();
        pieces.iter().fold(Nanos::ZERO, |sum, piece| {
            let part = (piece.from.max(span.0), piece.to.min(span.1));
            sum + match piece.state {
                State::Running | State::Ready => part.1 - part.0,
                State::Asleep if depth < MAX_GUESSES => {
                    let waker = self.likely_waker(at, part, depth + 1);
                    waker.map_or(Nanos::ZERO, |(_, active)| active)
                }
                _ => Nanos::ZERO,
            }
        })
    }
}

/// Returns the name of a kernel thread in brackets. Workers of one queue have one name: a worker is not bound to its work.
fn kernel_name(name: &str) -> Arc<str> {
    let name = name.trim_matches(['[', ']']);
    let work = name.strip_prefix("kworker/").and_then(|rest| rest.split_once(['-', '+']));
    Arc::from(work.map_or_else(|| format!("[{name}]"), |(_, work)| format!("[kworker-{work}]")))
}

/// Whether a piece is a short run between two sleeps.
fn is_short_run(own: &Life, position: usize) -> bool {
    let state = |at: Option<usize>| at.and_then(|at| own.pieces.get(at)).map(|piece| piece.state);
    let is_sleep = |state| matches!(state, Some(State::Asleep | State::Blocked));
    let is_short = own.pieces.get(position).is_some_and(|piece| piece.to - piece.from < SHORT_RUN);
    let before = match state(position.checked_sub(1)) {
        Some(State::Ready) => state(position.checked_sub(2)),
        state => state,
    };
    is_short && is_sleep(before) && is_sleep(state(Some(position + 1)))
}
