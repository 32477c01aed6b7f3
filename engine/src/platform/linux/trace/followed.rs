//! The switches of the threads of one process, which the kernel records for the user of the process.
//!
//! Each thread has a separate event with a small ring, and new threads are looked for each second. One event per thread
//! and CPU whose children inherit it would have the first moments of a new thread as well, but for 100 threads on 16 CPUs
//! it needs 1 600 files, and games rarely start the threads that present their frames in the middle of a frame.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use super::super::super::{ThreadId, clock_nanos};
use super::descriptors::RaisedLimit;
use super::names::Names;
use super::perf::{self, Ring};
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Max number of threads that are recorded.
const MAX_THREADS: usize = 500;

/// Records the switches of the threads of a process, of which the most recent part is in memory.
#[derive(Debug)]
pub(super) struct FollowedProcess {
    process: u32,
    rings: BTreeMap<u32, Ring>,
    /// Threads whose switches the system does not record, with the reason of the last one.
    denied: BTreeMap<u32, Option<i32>>,
    records: VecDeque<TraceRecord>,
    max_records: usize,
    /// The time of the newest record, and how much older than it a record was at most that arrived later: each ring is in
    /// order, but not all of them together.
    newest: Nanos,
    disorder: Nanos,
    held_from: Nanos,
    counts: [u64; 2],
    _limit: Option<RaisedLimit>,
}

impl FollowedProcess {
    /// Creates a memory for records of up to `max_bytes`.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            process: 0,
            rings: BTreeMap::new(),
            denied: BTreeMap::new(),
            records: VecDeque::new(),
            max_records: (max_bytes / size_of::<TraceRecord>()).max(1),
            newest: Nanos::ZERO,
            disorder: Nanos::ZERO,
            held_from: Nanos::ZERO,
            counts: [0, 0],
            _limit: RaisedLimit::raise(),
        }
    }

    /// Follows a process: opens an event for each of its threads that has none. Returns the reason if no thread can be
    /// recorded.
    pub(super) fn follow(&mut self, process: u32) -> io::Result<()> {
        if self.process != process {
            (self.process, self.held_from) = (process, Nanos::new(clock_nanos()));
            self.rings.clear();
            self.denied.clear();
        }
        let threads = threads_of(process);
        self.rings.retain(|thread, _| threads.contains(thread));
        self.denied.retain(|thread, _| threads.contains(thread));
        for thread in threads.into_iter().take(MAX_THREADS) {
            if self.rings.contains_key(&thread) {
                continue;
            }
            // What was denied is tried again: a process that has just started may still become one of this user.
            match perf::open_switches_of(ThreadId(thread.into())) {
                Ok(ring) => {
                    self.denied.remove(&thread);
                    self.rings.insert(thread, ring);
                }
                Err(error) => {
                    self.denied.insert(thread, error.raw_os_error());
                }
            }
        }
        match self.denied.values().last() {
            Some(Some(errno)) if self.rings.is_empty() => Err(io::Error::from_raw_os_error(*errno)),
            _ => Ok(()),
        }
    }

    /// Number of threads that are recorded, and of those that are not.
    pub(super) fn thread_counts(&self) -> (usize, usize) {
        (self.rings.len(), self.denied.len())
    }

    /// Returns the time from which on the memory has all records; `None` before a thread is recorded.
    pub(super) fn held_from(&self) -> Option<Nanos> {
        (!self.rings.is_empty() || !self.records.is_empty()).then_some(self.held_from)
    }

    /// Moves new records into memory.
    pub(super) fn collect(&mut self, names: &mut Names) {
        let Self { rings, records, newest, disorder, counts: [written, lost], .. } = self;
        for ring in rings.values_mut() {
            ring.drain(None, names, &mut |record| {
                if record.event == TraceEvent::Lost {
                    *lost += record.value.map_or(0, i64::unsigned_abs);
                } else {
                    *written += 1;
                }
                *disorder = (*newest - record.at).max(*disorder);
                *newest = record.at.max(*newest);
                records.push_back(record);
            });
        }
        while self.max_records < self.records.len() {
            if let Some(record) = self.records.pop_front() {
                self.held_from = self.held_from.max(record.at);
            }
        }
    }

    /// Passes every record in memory from `from` to `to` to `take`, not sorted by time.
    pub(super) fn cut(&self, (from, to): (Nanos, Nanos), take: impl FnMut(TraceRecord)) {
        // Before a record that is older by more than the disorder, none is in the interval.
        let from_any = from - self.disorder;
        let newest = self.records.iter().rev().take_while(|record| from_any <= record.at);
        let within = newest.filter(|record| from <= record.at && record.at <= to);
        let within: Vec<TraceRecord> = within.copied().collect();
        within.into_iter().rev().for_each(take);
    }

    pub(super) const fn counts(&self) -> [u64; 2] {
        self.counts
    }
}

/// Returns the threads of a process; none if it has ended.
fn threads_of(process: u32) -> Vec<u32> {
    let entries = std::fs::read_dir(format!("/proc/{process}/task"));
    let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::super::numbers::Numbers;
    use super::*;

    #[test]
    fn switches_of_each_thread_of_a_process_are_in_memory() {
        let mut followed = FollowedProcess::new(1 << 20);
        let mut names = Names::new(Numbers::of(&[]));
        if let Err(error) = followed.follow(std::process::id()) {
            println!("skipped: the records of own threads are denied here: {error}");
            return;
        }
        // A thread that starts later is found when it is looked for.
        let (begin, begun) = sync_channel(0);
        let (sender, receiver) = sync_channel(0);
        let sleeper = std::thread::Builder::new().name("sleeper".to_owned()).spawn(move || {
            sender.send(super::super::super::thread_id()).unwrap();
            begun.recv().unwrap();
            std::thread::sleep(Duration::from_millis(3));
        });
        let thread = u32::try_from(receiver.recv().unwrap().0).unwrap();
        followed.follow(std::process::id()).unwrap();
        let began = Nanos::new(clock_nanos());
        begin.send(()).unwrap();
        sleeper.unwrap().join().unwrap();
        followed.collect(&mut names);
        let ended = Nanos::new(clock_nanos());
        assert!(followed.held_from().unwrap() <= began);
        let mut records = Vec::new();
        followed.cut((began, ended), |record| records.push(record));
        let own = records.iter().filter(|record| record.thread == Some(thread));
        let events: Vec<TraceEvent> = own.map(|record| record.event).collect();
        assert!(events.contains(&TraceEvent::Slept), "{events:?}");
        assert!(events.contains(&TraceEvent::SwitchIn), "{events:?}");
        assert!(0 < followed.counts()[0]);
    }

    #[test]
    fn the_oldest_records_are_dropped_beyond_the_limit() {
        let mut followed = FollowedProcess::new(10 * size_of::<TraceRecord>());
        let at = Nanos::from_micros;
        for micros in 1..=25 {
            followed.records.push_back(TraceRecord::new(at(micros), TraceEvent::Slept, 0));
        }
        followed.collect(&mut Names::new(Numbers::of(&[])));
        assert_eq!(followed.held_from(), Some(at(15)));
        let mut count = 0;
        followed.cut((at(18), at(20)), |_| count += 1);
        assert_eq!(count, 3);
    }
}
