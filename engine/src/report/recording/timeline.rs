//! The records of a detail as intervals: the states of each thread, who had each CPU, and what ended each sleep.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::idle_switch::add_missing;
use super::life::{LONG_AGO, Life, Losses, State, Wake, Waker, finish};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::run::recording::{Detail, RecordedThread, Recording, WakeContext};
use crate::sample::{ThreadOwner, TraceEvent, TraceRecord, UNKNOWN_THREAD};

/// The start time of a process is counted in ticks of 10 ms: a record that a thread started is the start of the table
/// if it is no later than this after it.
const START_TICK: Nanos = Nanos::from_millis(10);
/// If no CPU has a record for this long although timers interrupt each running CPU, no CPU ran. The slowest tick of
/// Linux is 10 ms.
const ALL_SILENT: Nanos = Nanos::from_millis(12);
/// A timer that expired this long before a wake-up on the same CPU is its reason.
const EXPIRY: Nanos = Nanos::from_millis(1);
/// Numbers of the softirqs that run timers.
const TIMER_SOFTIRQS: [i64; 2] = [1, 8];

/// Who had a CPU.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Occupant {
    Idle,
    /// A thread, by its position.
    Thread(usize),
    Interrupt(Option<Arc<str>>),
    Unknown,
}

/// The records of a detail as intervals.
#[derive(Clone, Debug, Default)]
pub(super) struct Timeline {
    pub begin: Nanos,
    pub end: Nanos,
    pub lives: Vec<Life>,
    /// Who had each CPU: the start of each interval, which ends at the next one.
    cpus: BTreeMap<u32, Vec<(Nanos, Occupant)>>,
    /// Intervals in which no CPU has a record, although running CPUs would have.
    pub silences: Vec<(Nanos, Nanos)>,
    /// Number of switches from idle that were not recorded.
    pub added_count: usize,
    positions: BTreeMap<(u32, usize), usize>,
    births: BTreeMap<u32, Vec<Nanos>>,
}

/// What happens on a CPU while its records are read.
#[derive(Default)]
struct CpuNow {
    current: Option<Occupant>,
    /// Interrupts and softirqs that have begun: whether it is a softirq, its name, and the number of the softirq.
    open: Vec<(bool, Option<Arc<str>>, Option<i64>)>,
    completing: Option<Arc<str>>,
    /// Who last requested each softirq.
    raised: BTreeMap<i64, Waker>,
}

impl Timeline {
    /// Reads the details of a recording. Details that follow each other without a gap become one. Time: O(n log n) for n
    /// records.
    pub(super) fn of_details(recording: &Recording) -> Vec<Self> {
        let joins = |one: &Detail, next: &Detail| next.begin <= one.end;
        let groups = recording.details.chunk_by(joins);
        groups.map(|details| Self::new(recording, details)).collect()
    }

    fn new(recording: &Recording, details: &[Detail]) -> Self {
        let mut records: Vec<Vec<TraceRecord>> =
            details.iter().map(|detail| detail.trace.records()).collect();
        let added_count = records.iter_mut().map(add_missing).sum();
        let begin = details.first().map_or(Nanos::ZERO, |detail| detail.begin);
        let mut timeline = Self {
            begin,
            end: details.last().map_or(begin, |detail| detail.end),
            births: births(recording, records.iter().flatten()),
            added_count,
            ..Self::default()
        };
        let mut reader = Reader {
            names: Vec::new(),
            table: by_number(&recording.threads),
            cpus: BTreeMap::new(),
            expired: BTreeMap::new(),
            known_until: LONG_AGO,
        };
        let mut losses = Losses::default();
        for (detail, records) in details.iter().zip(&records) {
            let names = detail.trace.names().iter();
            reader.names = names.map(|name| Arc::from(name.as_str())).collect();
            for record in records {
                if record.event == TraceEvent::Lost {
                    losses.add(record);
                }
                timeline.read(record, &mut reader);
            }
            reader.known_until = detail.end;
        }
        let last = records.iter().flatten().map(|record| record.at).max();
        let end = last.map_or(timeline.end, |last| last.max(timeline.end));
        for life in &mut timeline.lives {
            finish(&mut life.pieces, end);
            losses.hide(&mut life.pieces);
        }
        timeline.silences = silences(recording.tier.source, records.iter().flatten(), begin);
        timeline
    }

    /// Returns the position of the thread that had a number at a time, and adds the thread if it is new.
    fn life(
        &mut self,
        thread: u32,
        at: Nanos,
        name: Option<&Arc<str>>,
        reader: &Reader<'_>,
    ) -> usize {
        let number = self
            .births
            .get(&thread)
            .map_or(0, |births| births.partition_point(|birth| *birth <= at));
        if let Some(position) = self.positions.get(&(thread, number)) {
            return *position;
        }
        let rows = reader.table.get(&thread).map_or(&[][..], Vec::as_slice);
        let row = rows
            .iter()
            .rev()
            .find(|row| row.started.is_none_or(|started| started <= at + START_TICK));
        let known = row.map(|row| row.name.as_str()).filter(|name| !name.is_empty());
        let name: Arc<str> = match (known, name) {
            (Some(known), _) => Arc::from(known),
            (None, Some(name)) => Arc::clone(name),
            (None, None) => Arc::from(format!("thread {thread}")),
        };
        let program = row.map(|row| row.process_name.as_str()).filter(|name| !name.is_empty());
        let life = Life {
            thread,
            program: program.map_or_else(|| Arc::clone(&name), Arc::from),
            name,
            process: row.and_then(|row| row.process),
            owner: row.and_then(|row| row.owner).map(ThreadOwner::from),
            pieces: Vec::new(),
            faults: Vec::new(),
            reclaims: Vec::new(),
            early: None,
        };
        self.lives.push(life);
        let position = self.lives.len() - 1;
        self.positions.insert((thread, number), position);
        position
    }

    fn read(&mut self, record: &TraceRecord, reader: &mut Reader<'_>) {
        let TraceRecord { at, event, cpu, .. } = *record;
        let name = record.name.and_then(|name| reader.name(name));
        let thread = record.thread.filter(|thread| !matches!(*thread, 0 | UNKNOWN_THREAD));
        let life = match event {
            TraceEvent::SwitchIn
            | TraceEvent::Preempted
            | TraceEvent::Slept
            | TraceEvent::Stopped
            | TraceEvent::Blocked
            | TraceEvent::Waking
            | TraceEvent::PageFault
            | TraceEvent::ReclaimBegin
            | TraceEvent::ReclaimEnd
            | TraceEvent::Started
            | TraceEvent::Exited
            | TraceEvent::SoftirqRaised => {
                thread.map(|thread| self.life(thread, at, name.as_ref(), reader))
            }
            _ => None,
        };
        let state = match event {
            TraceEvent::SwitchIn => Some(State::Running),
            TraceEvent::Preempted => Some(State::Ready),
            TraceEvent::Slept => Some(State::Asleep),
            TraceEvent::Blocked => Some(State::Blocked),
            TraceEvent::Stopped => Some(State::Stopped),
            TraceEvent::Exited => Some(State::Gone),
            _ => None,
        };
        // A detail begins with the states of all threads, which the detail before it already shows.
        let is_known = |life: &&mut Life| reader.known_until < at || life.pieces.is_empty();
        let changed = life.and_then(|life| self.lives.get_mut(life)).filter(is_known);
        if let (Some(state), Some(life)) = (state, changed) {
            let was_running = event.is_switch_out() || event == TraceEvent::Exited;
            life.change(at, state, Some(cpu), was_running.then_some(State::Running));
        }
        if event == TraceEvent::Waking {
            let wake = reader.wake(record);
            let is_known = |life: &&mut Life| reader.known_until < at || life.pieces.is_empty();
            if let Some(life) = life.and_then(|life| self.lives.get_mut(life)).filter(is_known) {
                life.wake(at, wake);
            }
        }
        self.read_memory(record, life);
        self.read_cpu(record, (name, life), reader);
    }

    /// Reads what happens on a CPU.
    fn read_cpu(
        &mut self,
        record: &TraceRecord,
        (name, life): (Option<Arc<str>>, Option<usize>),
        reader: &mut Reader<'_>,
    ) {
        let TraceRecord { at, event, cpu, .. } = *record;
        match event {
            TraceEvent::SwitchIn => {
                let occupant = match (record.thread, life) {
                    (Some(0), _) => Occupant::Idle,
                    (_, Some(life)) => Occupant::Thread(life),
                    _ => Occupant::Unknown,
                };
                let now = reader.cpus.entry(cpu).or_default();
                now.open.clear();
                now.current = Some(occupant.clone());
                self.occupy(cpu, at, occupant);
            }
            TraceEvent::InterruptBegin | TraceEvent::SoftirqBegin => {
                let is_softirq = event == TraceEvent::SoftirqBegin;
                let number = record.value.filter(|_| is_softirq);
                let now = reader.cpus.entry(cpu).or_default();
                now.open.push((is_softirq, name.clone(), number));
                self.occupy(cpu, at, Occupant::Interrupt(name));
            }
            TraceEvent::InterruptEnd | TraceEvent::SoftirqEnd => {
                let is_softirq = event == TraceEvent::SoftirqEnd;
                let now = reader.cpus.entry(cpu).or_default();
                if let Some(open) = now.open.iter().rposition(|open| open.0 == is_softirq) {
                    now.open.truncate(open);
                }
                let next = match (now.open.last(), &now.current) {
                    (Some((_, name, _)), _) => Occupant::Interrupt(name.clone()),
                    (None, Some(current)) => current.clone(),
                    (None, None) => Occupant::Unknown,
                };
                self.occupy(cpu, at, next);
            }
            TraceEvent::BlockCompleteBegin => {
                let unnamed = || Arc::from("unknown device");
                reader.cpus.entry(cpu).or_default().completing = Some(name.unwrap_or_else(unnamed));
            }
            TraceEvent::BlockCompleteEnd => reader.cpus.entry(cpu).or_default().completing = None,
            TraceEvent::SoftirqRaised => {
                let now = reader.cpus.entry(cpu).or_default();
                let by = match (life, now.open.last()) {
                    (Some(life), _) => Waker::Thread(life),
                    (None, Some((_, name, _))) => Waker::Interrupt(name.clone()),
                    (None, None) => Waker::Interrupt(name),
                };
                now.raised.extend(record.value.map(|number| (number, by)));
            }
            TraceEvent::TimerExpired => {
                reader.expired.extend(record.thread.map(|thread| ((thread, cpu), at)));
            }
            _ => {}
        }
    }

    /// Reads page faults and reclaim.
    fn read_memory(&mut self, record: &TraceRecord, life: Option<usize>) {
        let end = self.end;
        let Some(life) = life.and_then(|life| self.lives.get_mut(life)) else { return };
        match record.event {
            TraceEvent::PageFault => {
                life.faults.push(record.at + Nanos::new(record.value.unwrap_or(0).max(0)));
            }
            TraceEvent::ReclaimBegin => life.reclaims.push((record.at, end)),
            TraceEvent::ReclaimEnd => {
                if let Some(open) = life.reclaims.last_mut() {
                    open.1 = record.at;
                }
            }
            _ => {}
        }
    }

    fn occupy(&mut self, cpu: u32, at: Nanos, occupant: Occupant) {
        self.cpus.entry(cpu).or_default().push((at, occupant));
    }

    /// Returns who had a CPU in an interval, in order and without gaps. Time: O(log n), and O(m) for m occupants.
    pub(super) fn occupants(
        &self,
        cpu: u32,
        (from, to): (Nanos, Nanos),
    ) -> Vec<(Occupant, (Nanos, Nanos))> {
        let line = self.cpus.get(&cpu).map_or(&[][..], Vec::as_slice);
        let next = line.partition_point(|(at, _)| *at <= from);
        let before = next.checked_sub(1).and_then(|at| line.get(at));
        let mut now = before.map_or(Occupant::Unknown, |(_, occupant)| occupant.clone());
        let mut since = from;
        let mut spans = Vec::new();
        for (at, occupant) in line.get(next..).unwrap_or_default() {
            if to <= *at {
                break;
            }
            if since < *at {
                spans.push((now, (since, *at)));
                since = *at;
            }
            now = occupant.clone();
        }
        if since < to {
            spans.push((now, (since, to)));
        }
        spans
    }

    /// Whether a detail has all of an interval.
    pub(super) fn covers(&self, (from, to): (Nanos, Nanos)) -> bool {
        self.begin <= from && to <= self.end
    }
}

/// What is known while records are read.
struct Reader<'a> {
    names: Vec<Arc<str>>,
    table: BTreeMap<u32, Vec<&'a RecordedThread>>,
    cpus: BTreeMap<u32, CpuNow>,
    /// When a timer of each thread last expired on each CPU.
    expired: BTreeMap<(u32, u32), Nanos>,
    /// End of the detail before the one that is read.
    known_until: Nanos,
}

impl Reader<'_> {
    fn name(&self, position: u32) -> Option<Arc<str>> {
        self.names.get(usize::try_from(position).ok()?).filter(|name| !name.is_empty()).cloned()
    }

    /// Returns what a record of a wake-up shows about the waker.
    fn wake(&mut self, record: &TraceRecord) -> Wake {
        let now = self.cpus.entry(record.cpu).or_default();
        let expired = record.thread.and_then(|thread| self.expired.get(&(thread, record.cpu)));
        let is_timer = expired.is_some_and(|at| record.at - *at <= EXPIRY);
        let context = record.value.and_then(WakeContext::from_number);
        // Without the context, a recorded interrupt still shows that the current thread is not the waker.
        let context = context.or(now
            .open
            .last()
            .map(|open| if open.0 { WakeContext::Softirq } else { WakeContext::Interrupt }));
        let by = match context {
            Some(WakeContext::Interrupt | WakeContext::Softirq) if is_timer => Waker::Timer,
            Some(WakeContext::Interrupt) => {
                let name = now.open.iter().rev().find(|open| !open.0);
                let name = name.and_then(|open| open.1.clone());
                let is_timer = name.as_ref().is_some_and(|name| name.contains("timer"));
                if is_timer { Waker::Timer } else { Waker::Interrupt(name) }
            }
            Some(WakeContext::Softirq) => {
                let softirq = now.open.iter().rev().find(|open| open.0);
                let number = softirq.and_then(|open| open.2);
                match number {
                    Some(number) if TIMER_SOFTIRQS.contains(&number) => Waker::Timer,
                    Some(number) => now.raised.get(&number).cloned().unwrap_or(Waker::Unknown),
                    None => Waker::Unknown,
                }
            }
            Some(WakeContext::Thread) => match now.current {
                Some(Occupant::Thread(life)) => Waker::Thread(life),
                _ => Waker::Unknown,
            },
            None => Waker::Unknown,
        };
        Wake { by, completed: now.completing.clone() }
    }
}

/// Returns the rows of the table of threads by number, each list in order of start.
fn by_number(threads: &[RecordedThread]) -> BTreeMap<u32, Vec<&RecordedThread>> {
    let mut table: BTreeMap<u32, Vec<&RecordedThread>> = BTreeMap::new();
    for row in threads {
        table.entry(row.thread).or_default().push(row);
    }
    for rows in table.values_mut() {
        rows.sort_by_key(|row| row.started);
    }
    table
}

/// Returns when threads with each number started, as far as it is known.
fn births<'a>(
    recording: &Recording,
    records: impl Iterator<Item = &'a TraceRecord>,
) -> BTreeMap<u32, Vec<Nanos>> {
    let mut births: BTreeMap<u32, Vec<Nanos>> = BTreeMap::new();
    let started = records.filter(|record| record.event == TraceEvent::Started);
    for record in started {
        births.entry(record.thread.unwrap_or(UNKNOWN_THREAD)).or_default().push(record.at);
    }
    for row in &recording.threads {
        let Some(started) = row.started else { continue };
        let known = births.entry(row.thread).or_default();
        if !known.iter().any(|birth| started <= *birth && *birth <= started + START_TICK) {
            known.push(started);
        }
    }
    for births in births.values_mut() {
        births.sort_unstable();
    }
    births
}

/// Returns the intervals in which no CPU has a record although running CPUs would have: only where the interrupts of
/// timers are recorded.
fn silences<'a>(
    source: Option<TraceSource>,
    records: impl Iterator<Item = &'a TraceRecord> + Clone,
    first: Nanos,
) -> Vec<(Nanos, Nanos)> {
    let has_interrupts = records.clone().any(|record| record.event == TraceEvent::InterruptBegin);
    if source != Some(TraceSource::Kernel) || !has_interrupts {
        return Vec::new();
    }
    let mut silences = Vec::new();
    let mut last = first;
    for record in records {
        if ALL_SILENT <= record.at - last {
            silences.push((last, record.at));
        }
        last = record.at;
    }
    silences
}
