//! The detail around events: which intervals to save, the records of one, and what is saved where the room is limited.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::platform::{self, SystemTracer};
use crate::run::Trace;
use crate::run::recording::{Detail, RecordedOwner, RecordedThread};
use crate::sample::{ThreadOwner, TraceEvent, TraceRecord};

/// Detail begins this long before an event.
const BEFORE: Nanos = Nanos::from_millis(1_500);
/// Detail ends this long after an event.
const AFTER: Nanos = Nanos::from_millis(500);
/// Detail of a mark of the user begins this long before it: the 3 s that it is about, and what leads to them.
const BEFORE_MARK: Nanos = Nanos::from_millis(4_500);
/// Records of events before the begin show the state at the begin.
const LEAD: Nanos = Nanos::from_secs(1);
/// An interval is cut this long after its end: then all records of it have arrived.
const WAIT: Nanos = Nanos::from_millis(150);
/// A longer interval is cut in pieces.
const MAX_LENGTH: Nanos = Nanos::from_secs(6);
/// A detail with more records is saved as several ones: as a line of a journal, each is far below the longest one.
const MAX_RECORDS: usize = 150_000;
/// Size of a record in a file, about.
const ROW_BYTES: u64 = 30;
/// Page faults of a thread that are at most this far apart become one record.
const FAULTS_TOGETHER: Nanos = Nanos::from_micros(50);
/// A start that the system reports and one that was recorded are the same if they are this close: ticks are coarse.
const SAME_START: Nanos = Nanos::from_millis(30);

/// An interval to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) begin: Nanos,
    pub(super) end: Nanos,
    /// The length of its longest event; a mark counts as longer than any other.
    pub(super) worst: Nanos,
    pub(super) event_count: u64,
}

/// The intervals to save that are not complete yet, in order of time.
#[derive(Debug, Default)]
pub(super) struct WantedDetails {
    waiting: Vec<Wanted>,
    /// The end of what was cut.
    cut_until: Option<Nanos>,
}

impl WantedDetails {
    /// Adds the interval around an event that ended at `at` and lasted `length`.
    pub(super) fn add_event(&mut self, at: Nanos, length: Nanos) {
        self.add(Wanted {
            begin: at - length - BEFORE,
            end: at + AFTER,
            worst: length,
            event_count: 1,
        });
    }

    /// Adds the interval before a mark.
    pub(super) fn add_mark(&mut self, at: Nanos) {
        let (begin, end) = (at - BEFORE_MARK, at + AFTER);
        self.add(Wanted { begin, end, worst: Nanos::MAX, event_count: 1 });
    }

    fn add(&mut self, mut wanted: Wanted) {
        if let Some(until) = self.cut_until {
            wanted.begin = wanted.begin.max(until);
            wanted.end = wanted.end.max(until);
        }
        // Intervals do not overlap: the one before the last one ends where the last one begins.
        let before = self.waiting.iter().rev().nth(1).map(|one| one.end);
        wanted.begin = before.map_or(wanted.begin, |end| wanted.begin.max(end));
        match self.waiting.last_mut() {
            Some(last) if wanted.begin <= last.end && wanted.end - last.begin <= MAX_LENGTH => {
                last.begin = last.begin.min(wanted.begin);
                last.end = last.end.max(wanted.end);
                last.worst = last.worst.max(wanted.worst);
                last.event_count += 1;
            }
            Some(last) => {
                wanted.begin = wanted.begin.max(last.end);
                if wanted.begin < wanted.end {
                    self.waiting.push(wanted);
                } else {
                    last.worst = last.worst.max(wanted.worst);
                    last.event_count += 1;
                }
            }
            None => self.waiting.push(wanted),
        }
    }

    /// Whether no interval is waiting.
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes and returns the next interval that is complete at `now`.
    pub(super) fn next(&mut self, now: Nanos) -> Option<Wanted> {
        let first = self.waiting.first()?;
        if now < first.end + WAIT {
            return None;
        }
        let wanted = self.waiting.remove(0);
        self.cut_until = Some(wanted.end);
        (wanted.begin < wanted.end).then_some(wanted)
    }
}

/// The threads that occurred so far.
#[derive(Debug, Default)]
pub(super) struct KnownThreads(BTreeMap<u32, RecordedThread>);

/// The records of an interval, in one detail or, if they are very many, in several ones without gaps between them; and the
/// threads in it that are new.
#[derive(Debug, Default)]
pub(super) struct CutDetail {
    pub(super) details: Vec<Detail>,
    pub(super) threads: Vec<RecordedThread>,
}

/// Cuts the records of an interval out of the memory of the tracer. `start` is the start of the recording by the clock.
/// `None` if the records are gone.
pub(super) fn cut(
    tracer: &mut SystemTracer,
    wanted: Wanted,
    start: Nanos,
    known: &mut KnownThreads,
) -> Option<CutDetail> {
    let held = tracer.held_from()? - start;
    let begin = wanted.begin.max(held);
    if wanted.end <= begin {
        return None;
    }
    let mut records = Vec::new();
    tracer.cut(start + (begin - LEAD).max(held), start + wanted.end, |record| {
        records.push(TraceRecord { at: record.at - start, ..record });
    });
    records.sort_by_key(|record| record.at);
    let mut cut = CutDetail::default();
    for (span, mut records) in pieces((begin, wanted.end), &records, MAX_RECORDS) {
        let mut names: Vec<String> = Vec::new();
        let mut threads: BTreeMap<u32, Option<String>> = BTreeMap::new();
        for record in &mut records {
            if let Some(thread) = record.thread.filter(|thread| *thread != 0) {
                threads.entry(thread).or_insert_with(|| tracer.name_of(record));
            }
            record.name = match record.thread {
                Some(_) => None,
                None => tracer.name_of(record).and_then(|name| position(name, &mut names)),
            };
        }
        cut.threads.extend(known.describe(threads, &records, start));
        let (begin, end) = span;
        let trace = Trace::from_records(names, &records);
        cut.details.push(Detail { begin, end, trace, ..Detail::default() });
    }
    Some(cut)
}

/// Splits the sorted records of an interval into pieces of about `max` records, each of which begins with the state at its
/// begin. Records before the interval show the state at its begin only.
fn pieces(
    (begin, end): (Nanos, Nanos),
    records: &[TraceRecord],
    max: usize,
) -> Vec<((Nanos, Nanos), Vec<TraceRecord>)> {
    let mut pieces = Vec::new();
    let mut from = begin;
    loop {
        let first = records.partition_point(|record| record.at < from);
        // Records of the same time stay together.
        let next = records.get(first.saturating_add(max)).map(|record| record.at);
        let to = next.filter(|to| from < *to).unwrap_or(end);
        let is_last = to == end;
        let after = records.partition_point(|record| record.at < to || is_last);
        let mut all = state_at(from, records, first);
        all.extend_from_slice(records.get(first..after).unwrap_or_default());
        join_page_faults(&mut all);
        pieces.push(((from, to), all));
        if is_last {
            return pieces;
        }
        from = to;
    }
}

/// Joins page faults of a thread that follow each other closely, without another record of its CPU in between: a thread that
/// touches memory page by page has thousands, of which only the last one before a sleep may explain it.
fn join_page_faults(records: &mut Vec<TraceRecord>) {
    let mut open: BTreeMap<u32, (usize, Nanos)> = BTreeMap::new();
    let mut removed = vec![false; records.len()];
    for place in 0..records.len() {
        let Some(record) = records.get(place).copied() else { break };
        if record.event != TraceEvent::PageFault {
            open.remove(&record.cpu);
            continue;
        }
        let joined = open.get(&record.cpu).copied().filter(|(first, last)| {
            let is_of_thread =
                records.get(*first).is_some_and(|first| first.thread == record.thread);
            is_of_thread && record.at - *last <= FAULTS_TOGETHER
        });
        let first = match joined {
            Some((first, _)) => {
                if let Some(first) = records.get_mut(first) {
                    first.value = Some((record.at - first.at).get());
                }
                if let Some(removed) = removed.get_mut(place) {
                    *removed = true;
                }
                first
            }
            None => place,
        };
        open.insert(record.cpu, (first, record.at));
    }
    let mut removed = removed.into_iter();
    records.retain(|_| !removed.next().unwrap_or_default());
}

fn position(name: String, names: &mut Vec<String>) -> Option<u32> {
    let found = names.iter().position(|known| *known == name);
    let place = found.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    u32::try_from(place).ok()
}

/// Returns records of the state of each CPU and of each thread at `begin`, from the first `lead` records, which are
/// before it; the state of a CPU without any is that in which its first switch after it found it.
fn state_at(begin: Nanos, records: &[TraceRecord], lead: usize) -> Vec<TraceRecord> {
    let mut cpus: BTreeMap<u32, TraceRecord> = BTreeMap::new();
    let mut threads: BTreeMap<u32, TraceRecord> = BTreeMap::new();
    let (before, after) = records.split_at(lead.min(records.len()));
    for record in before {
        let Some(thread) = record.thread else { continue };
        match record.event {
            TraceEvent::SwitchIn => {
                cpus.insert(record.cpu, *record);
                threads.remove(&thread);
            }
            event if event.is_switch_out() => {
                cpus.remove(&record.cpu);
                threads.insert(thread, *record);
            }
            TraceEvent::Waking => {
                threads.insert(thread, *record);
            }
            TraceEvent::Exited => {
                threads.remove(&thread);
            }
            _ => {}
        }
    }
    // A thread that runs has no other state.
    threads.retain(|thread, _| !cpus.values().any(|record| record.thread == Some(*thread)));
    threads.remove(&0);
    let mut seen: Vec<u32> = cpus.keys().copied().collect();
    for record in after {
        if record.event == TraceEvent::SwitchIn {
            if !seen.contains(&record.cpu) {
                // The switch that ends an idle time has no record of the thread that left.
                seen.push(record.cpu);
                let idle = TraceRecord { thread: Some(0), value: None, ..*record };
                cpus.insert(record.cpu, idle);
            }
        } else if record.event.is_switch_out() && !seen.contains(&record.cpu) {
            seen.push(record.cpu);
            let running = TraceRecord { event: TraceEvent::SwitchIn, value: None, ..*record };
            cpus.insert(record.cpu, running);
        }
    }
    let all = threads.into_values().chain(cpus.into_values());
    all.map(|record| TraceRecord { at: begin, name: None, ..record }).collect()
}

impl KnownThreads {
    /// Describes the threads of records; returns those that are new, or have another name.
    fn describe(
        &mut self,
        threads: BTreeMap<u32, Option<String>>,
        records: &[TraceRecord],
        start: Nanos,
    ) -> Vec<RecordedThread> {
        let mut created: BTreeMap<u32, TraceRecord> = BTreeMap::new();
        for record in records.iter().filter(|record| record.event == TraceEvent::Started) {
            created.insert(record.thread.unwrap_or_default(), *record);
        }
        let mut new = Vec::new();
        for (thread, name) in threads {
            let facts = platform::thread_facts(thread);
            let created = created.get(&thread);
            let recorded = created.map(|record| record.at);
            let reported =
                facts.as_ref().and_then(|facts| facts.started).map(|started| started - start);
            // The records are exact; the system counts in ticks.
            let is_same = |reported: Nanos, recorded: Nanos| {
                (reported - recorded).get().abs() <= SAME_START.get()
            };
            let facts = facts.filter(|_| {
                recorded
                    .zip(reported)
                    .is_none_or(|(recorded, reported)| is_same(reported, recorded))
            });
            let of_owner = |owner| match owner {
                ThreadOwner::Kernel => RecordedOwner::Kernel,
                ThreadOwner::Own => RecordedOwner::Own,
            };
            let described = if let Some(facts) = facts {
                RecordedThread {
                    thread,
                    started: recorded.or(reported),
                    process: Some(facts.process),
                    name: facts.name,
                    process_name: facts.process_name,
                    owner: facts.owner.map(of_owner),
                }
            } else {
                let process = created.and_then(|record| u32::try_from(record.value?).ok());
                let of_process = process.and_then(platform::thread_facts);
                RecordedThread {
                    thread,
                    started: recorded,
                    process,
                    name: platform::parse::harmless_name(&name.unwrap_or_default()),
                    process_name: of_process.map(|facts| facts.name).unwrap_or_default(),
                    owner: None,
                }
            };
            let is_known = self.0.get(&thread).is_some_and(|known| {
                let is_same = match (known.started, described.started) {
                    (Some(known), Some(started)) => is_same(known, started),
                    // A thread that has ended is the one that was known.
                    (_, None) => true,
                    (None, Some(_)) => false,
                };
                is_same && (known.name == described.name || described.process.is_none())
            });
            if !is_known {
                self.0.insert(thread, described.clone());
                new.push(described);
            }
        }
        new
    }
}

/// The saved detail, as far as the limit of disk space permits.
#[derive(Debug)]
pub(super) struct SavedDetails {
    max_bytes: u64,
    bytes: u64,
    /// Begin, size, and worst event of each saved detail.
    saved: Vec<(Nanos, u64, Wanted)>,
}

/// What happened to a detail for which the room may not suffice.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Admitted {
    /// Whether the detail is saved.
    pub(super) is_saved: bool,
    /// The begins of the details that are removed for it.
    pub(super) without: Vec<Nanos>,
    /// The number of events whose detail is not saved.
    pub(super) unsaved_count: u64,
}

impl SavedDetails {
    pub(super) const fn new(max_bytes: u64) -> Self {
        Self { max_bytes, bytes: 0, saved: Vec::new() }
    }

    /// Admits a detail of `row_count` records, unless the room is needed for details with longer events.
    pub(super) fn admit(&mut self, begin: Nanos, row_count: usize, wanted: Wanted) -> Admitted {
        let size = ROW_BYTES * u64::try_from(row_count).unwrap_or(u64::MAX / ROW_BYTES);
        self.saved.push((begin, size, wanted));
        self.bytes += size;
        let mut admitted = Admitted { is_saved: true, ..Admitted::default() };
        while self.max_bytes < self.bytes {
            let places = self.saved.iter().enumerate();
            let Some((place, _)) = places.min_by_key(|(_, (_, _, wanted))| wanted.worst) else {
                break;
            };
            let (removed, size, wanted) = self.saved.remove(place);
            self.bytes -= size;
            admitted.unsaved_count += wanted.event_count;
            if removed == begin {
                admitted.is_saved = false;
            } else {
                admitted.without.push(removed);
            }
        }
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: i64) -> Nanos {
        Nanos::from_millis(millis)
    }

    #[test]
    fn overlapping_intervals_are_saved_once() {
        let mut details = WantedDetails::default();
        details.add_event(ms(10_000), ms(100));
        details.add_event(ms(10_800), ms(50));
        assert_eq!(details.next(ms(11_400)), None, "it is not complete");
        let joined = Wanted { begin: ms(8_400), end: ms(11_300), worst: ms(100), event_count: 2 };
        assert_eq!(details.next(ms(11_450)), Some(joined));
        // What was cut is not cut again.
        details.add_event(ms(11_500), ms(30));
        details.add_mark(ms(20_000));
        let rest = Wanted { begin: ms(11_300), end: ms(12_000), worst: ms(30), event_count: 1 };
        assert_eq!(details.next(ms(30_000)), Some(rest));
        assert_eq!(details.next(ms(30_000)).unwrap().begin, ms(15_500));
        assert_eq!(details.next(ms(30_000)), None);
        // A long series of events is cut in pieces without a gap.
        (0..100).for_each(|second| details.add_event(ms(40_000 + second * 1_000), ms(20)));
        let pieces: Vec<Wanted> = std::iter::from_fn(|| details.next(ms(900_000))).collect();
        assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].begin), "{pieces:?}");
        assert!(pieces.iter().all(|piece| piece.end - piece.begin <= MAX_LENGTH));
        assert_eq!(pieces.iter().map(|piece| piece.event_count).sum::<u64>(), 100);
    }

    #[test]
    fn the_worst_details_are_saved_where_the_room_is_limited() {
        let mut saved = SavedDetails::new(2 * 100 * ROW_BYTES);
        let wanted = |worst| Wanted { begin: ms(0), end: ms(1), worst: ms(worst), event_count: 1 };
        assert!(saved.admit(ms(1), 100, wanted(30)).is_saved);
        assert!(saved.admit(ms(2), 100, wanted(50)).is_saved);
        let worse = saved.admit(ms(3), 100, wanted(40));
        assert_eq!((worse.is_saved, worse.without, worse.unsaved_count), (true, vec![ms(1)], 1));
        let better = saved.admit(ms(4), 100, wanted(10));
        assert_eq!((better.is_saved, better.without, better.unsaved_count), (false, vec![], 1));
    }

    #[test]
    fn very_many_records_become_several_details_with_the_state_between_them() {
        let record = |at, event, thread| TraceRecord {
            thread: Some(thread),
            ..TraceRecord::new(ms(at), event, 0)
        };
        let switches = |at: i64| {
            let (out, into) = if at % 2 == 0 { (7, 8) } else { (8, 7) };
            [record(at, TraceEvent::Slept, out), record(at, TraceEvent::SwitchIn, into)]
        };
        let records: Vec<TraceRecord> = (0..20).flat_map(switches).collect();
        let whole = pieces((ms(5), ms(30)), &records, 100);
        assert_eq!(whole.len(), 1);
        let split = pieces((ms(5), ms(30)), &records, 11);
        let spans: Vec<(Nanos, Nanos)> = split.iter().map(|(span, _)| *span).collect();
        assert_eq!(spans, [(ms(5), ms(10)), (ms(10), ms(15)), (ms(15), ms(30))]);
        for ((begin, end), records) in &split {
            let state = records.iter().take_while(|record| record.at == *begin).count();
            assert!(2 <= state, "{records:?}");
            assert!(records.iter().all(|record| *begin <= record.at && record.at <= *end));
        }
        let states = split.len() * 2;
        let count: usize = split.iter().map(|(_, records)| records.len()).sum();
        assert_eq!(count, 30 + states);
    }

    #[test]
    fn page_faults_that_follow_each_other_are_one_record() {
        let record = |micros, event, cpu, thread| TraceRecord {
            thread: Some(thread),
            ..TraceRecord::new(Nanos::from_micros(micros), event, cpu)
        };
        let fault = TraceEvent::PageFault;
        let mut records = vec![
            record(0, fault, 0, 7),
            record(10, fault, 1, 8),
            record(20, fault, 0, 7),
            record(30, TraceEvent::Slept, 1, 8),
            record(60, fault, 0, 7),
            record(200, fault, 0, 7),
            record(210, fault, 1, 8),
        ];
        join_page_faults(&mut records);
        let found: Vec<(i64, Option<i64>)> =
            records.iter().map(|one| (one.at.get() / 1_000, one.value)).collect();
        let expected = [(0, Some(60_000)), (10, None), (30, None), (200, None), (210, None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_state_at_the_begin_is_what_the_records_before_it_left() {
        let record = |at, event, cpu, thread| TraceRecord {
            thread: Some(thread),
            ..TraceRecord::new(ms(at), event, cpu)
        };
        let records = [
            record(1, TraceEvent::SwitchIn, 0, 7),
            record(2, TraceEvent::Slept, 0, 7),
            record(2, TraceEvent::SwitchIn, 0, 8),
            record(3, TraceEvent::Waking, 0, 9),
            // The begin is at 5.
            record(6, TraceEvent::Preempted, 1, 4),
            record(6, TraceEvent::SwitchIn, 1, 9),
            record(7, TraceEvent::SwitchIn, 2, 5),
        ];
        let state = state_at(ms(5), &records, 4);
        let found: Vec<(TraceEvent, u32, Option<u32>)> =
            state.iter().map(|record| (record.event, record.cpu, record.thread)).collect();
        let expected = [
            (TraceEvent::Slept, 0, Some(7)),
            (TraceEvent::Waking, 0, Some(9)),
            (TraceEvent::SwitchIn, 0, Some(8)),
            (TraceEvent::SwitchIn, 1, Some(4)),
            (TraceEvent::SwitchIn, 2, Some(0)),
        ];
        assert_eq!(found, expected);
        assert!(state.iter().all(|record| record.at == ms(5)));
    }
}
