//! The kernel's records of all threads on all CPUs, for a recorder, or those of the game where the system denies them: the
//! most recent part is always in memory.

use std::io;

use super::super::super::{Missing, SystemRecordFacts, TraceSource, TraceState, clock_nanos};
use super::followed::FollowedProcess;
use super::instance::PagedInstance;
use super::names::Names;
use super::numbers::Numbers;
use super::tracepoints::{Layout, PAGE_FAULT, RECLAIM_BEGIN, STORAGE};
use super::{paranoid, perf};
use crate::nanos::Nanos;
use crate::sample::TraceRecord;

/// Records the switches, wake-ups, interrupts, completed storage requests, page faults, and reclaim of all threads.
#[derive(Debug)]
pub struct SystemTracer {
    state: TraceState,
    recording: Option<OpenInstance>,
    /// The threads of the game, where those of all programs are denied.
    followed: Option<FollowedProcess>,
    max_bytes: usize,
    names: Names,
    facts: SystemRecordFacts,
}

/// The instance of tracefs in use.
#[derive(Debug)]
struct OpenInstance {
    layout: Layout,
    instance: PagedInstance,
}

impl SystemTracer {
    /// Starts recording, with up to `max_bytes` of records in memory. If the system denies it, nothing is recorded, and
    /// [`state`](Self::state) has the reason.
    pub fn open(max_bytes: usize) -> Self {
        let numbers = Numbers::of(&[]);
        let mut tracer = Self {
            state: TraceState {
                paranoid: paranoid(),
                is_nested: !numbers.is_initial,
                ..TraceState::default()
            },
            recording: None,
            followed: None,
            max_bytes,
            names: Names::new(numbers),
            facts: SystemRecordFacts::default(),
        };
        if let Err(error) = tracer.start(max_bytes) {
            log::info!("the kernel's records are not available: {error}");
            tracer.state.denied_errno = error.raw_os_error();
        }
        tracer
    }

    fn start(&mut self, max_bytes: usize) -> io::Result<()> {
        // In another PID namespace, tracepoints do not say which thread is which.
        if self.state.is_nested {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let layout = Layout::of_recorder()?;
        let cpus = perf::online_cpus();
        let mut instance = PagedInstance::create(&cpus, max_bytes)?;
        let mut missing: Vec<(String, Option<i32>)> =
            layout.absent.iter().map(|name| (name.clone(), Some(libc::ENOENT))).collect();
        let mut denied = Vec::new();
        for group in &layout.groups {
            let labels = group.ids.iter().filter_map(|id| layout.label(*id));
            let enabled = labels.into_iter().try_for_each(|label| instance.enable(&label));
            if let Err(error) = enabled {
                denied.push(group.name.clone());
                missing.push((group.name.clone(), error.raw_os_error()));
            }
        }
        if denied.iter().any(|name| name == "sched/sched_switch") {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        instance.start(Nanos::new(clock_nanos()))?;
        let has = |name: &str| layout.has_group(name) && !denied.iter().any(|one| one == name);
        self.facts = SystemRecordFacts {
            has_wakeups: has("sched/sched_waking"),
            has_storage: has(STORAGE),
            has_reclaim: has(RECLAIM_BEGIN),
            has_page_faults: has(PAGE_FAULT),
        };
        self.state.source = Some(TraceSource::Kernel);
        if missing.is_empty() {
            self.state.covered = cpus;
        } else {
            let missing = missing.into_iter();
            self.state.missing = missing
                .map(|(event, errno)| Missing { event, errno, cpus: cpus.clone() })
                .collect();
        }
        self.recording = Some(OpenInstance { layout, instance });
        Ok(())
    }

    /// Records the switches of the threads of a process, unless those of all threads are recorded. Call this each second:
    /// it finds new threads.
    pub fn follow(&mut self, process: u32) {
        if self.recording.is_some() {
            return;
        }
        let followed = self.followed.get_or_insert_with(|| FollowedProcess::new(self.max_bytes));
        match followed.follow(process) {
            Ok(()) => self.state.source = Some(TraceSource::OwnSwitches),
            Err(error) => {
                log::debug!("the switches of process {process} are not recorded: {error}");
                self.state.denied_errno = error.raw_os_error();
            }
        }
    }

    /// Returns what is recorded of a game and what is missing, in sentences.
    pub fn sentence(&self) -> String {
        const NAMES: &str = "other programs, interrupts, and wake-ups need administrator rights";
        if self.recording.is_some() {
            return self.state.sentence();
        }
        match self.followed.as_ref().map(FollowedProcess::thread_counts) {
            Some((1.., 0)) => format!("Switches of the game's own threads; {NAMES}."),
            Some((recorded @ 1.., denied)) => {
                let all = recorded + denied;
                format!("Switches of {recorded} of {all} of the game's threads; {NAMES}.")
            }
            Some((0, 1..)) => {
                let level = self.state.paranoid.map_or_else(String::new, |level| {
                    format!(" (kernel.perf_event_paranoid is {level}, or it is of another user)")
                });
                format!("No switches: the system denies those of the game{level}; {NAMES}.")
            }
            Some((0, 0)) | None if self.state.paranoid.is_some_and(|level| level <= 2) => {
                format!("Switches of the threads of a followed game only; {NAMES}.")
            }
            Some((0, 0)) | None => {
                format!("No switches: the system denies them to this user; {NAMES}.")
            }
        }
    }

    /// Leaves it to another process, which has this tracer as well, to remove the tracing instance.
    pub(in super::super) fn leave_instance(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.instance.leave();
        }
    }

    /// Returns whether records are written, and why not more of them.
    pub const fn state(&self) -> &TraceState {
        &self.state
    }

    /// Returns which kinds of records are written.
    pub const fn facts(&self) -> SystemRecordFacts {
        self.facts
    }

    /// Moves new records into memory, and drops the oldest ones beyond the limit.
    pub fn collect(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.instance.collect();
        }
        if let Some(followed) = &mut self.followed {
            followed.collect(&mut self.names);
        }
    }

    /// Returns the time from which on the memory has the records of all CPUs; `None` if nothing is recorded.
    pub fn held_from(&self) -> Option<Nanos> {
        let of_all = self.recording.as_ref().map(|recording| recording.instance.held_from());
        of_all.or_else(|| self.followed.as_ref()?.held_from())
    }

    /// Passes every record in memory from `from` to `to` to `take`, not sorted by time. Times are those of `clock_nanos`.
    pub fn cut(&mut self, from: Nanos, to: Nanos, mut take: impl FnMut(TraceRecord)) {
        let Self { recording, followed, names, .. } = self;
        if let Some(OpenInstance { layout, instance }) = recording {
            instance.cut((from, to), layout, names, &mut take);
        } else if let Some(followed) = followed {
            followed.cut((from, to), take);
        }
    }

    /// Returns the name of the interrupt or device of a record; for a thread, its name without the one of its process.
    pub fn name_of(&mut self, record: &TraceRecord) -> Option<String> {
        match record.thread {
            Some(thread) => self.names.recorded(thread).map(str::to_owned),
            None => self.names.of(record),
        }
    }

    /// Returns how many records the kernel wrote, and how many of them were lost before they arrived.
    pub fn counts(&self) -> [u64; 2] {
        let of_all = self.recording.as_ref().map(|recording| recording.instance.counts());
        let of_game = || self.followed.as_ref().map(FollowedProcess::counts);
        of_all.or_else(of_game).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::super::thread_id;
    use super::*;
    use crate::sample::{TraceEvent, WakeContext};

    #[test]
    fn a_sleep_of_any_thread_is_in_memory_with_who_woke_it() {
        let mut tracer = SystemTracer::open(8 << 20);
        if tracer.state().source.is_none() {
            println!("skipped: the kernel's records of all threads are denied here");
            return;
        }
        let began = Nanos::new(clock_nanos());
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let sleeper = std::thread::Builder::new().name("sleeper".to_owned()).spawn(move || {
            std::thread::sleep(Duration::from_millis(3));
            sender.send(()).unwrap();
            thread_id().0
        });
        receiver.recv().unwrap();
        let thread = u32::try_from(sleeper.unwrap().join().unwrap()).unwrap();
        let ended = Nanos::new(clock_nanos());
        // The kernel hands over the page in use as well.
        tracer.collect();
        assert!(tracer.held_from().unwrap() <= began);
        let mut records = Vec::new();
        tracer.cut(began, ended, |record| records.push(record));
        records.sort_by_key(|record| record.at);
        assert!(records.iter().all(|record| (began..=ended).contains(&record.at)));
        let of = |event| {
            let is_of =
                move |record: &&TraceRecord| record.thread == Some(thread) && record.event == event;
            records.iter().filter(is_of).copied().collect::<Vec<TraceRecord>>()
        };
        assert_eq!(of(TraceEvent::Started).len(), 1);
        assert_eq!(of(TraceEvent::Exited).len(), 1);
        let slept = of(TraceEvent::Slept);
        let slept = slept.first().unwrap();
        let is_after = |record: &&TraceRecord| slept.at < record.at;
        let wakings = of(TraceEvent::Waking);
        let waking = wakings.iter().find(is_after).unwrap();
        assert_eq!(waking.value, Some(WakeContext::Interrupt.number()), "the timer woke it");
        assert!(2_000_000 <= (waking.at - slept.at).get(), "{slept:?} {waking:?}");
        let first = wakings.first().unwrap();
        assert_eq!(first.value, Some(WakeContext::Thread.number()), "its creator woke it");
        assert!(tracer.name_of(slept).is_some());
        let [written, lost] = tracer.counts();
        assert!(0 < written && lost == 0, "{written} {lost}");
    }

    #[test]
    fn the_oldest_records_are_dropped_beyond_the_limit() {
        let mut tracer = SystemTracer::open(64 << 10);
        if tracer.state().source.is_none() {
            println!("skipped: the kernel's records of all threads are denied here");
            return;
        }
        let began = tracer.held_from().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while tracer.held_from().unwrap() == began && std::time::Instant::now() < deadline {
            for _ in 0..200 {
                std::thread::yield_now();
                std::thread::sleep(Duration::from_micros(10));
            }
            tracer.collect();
        }
        assert!(began < tracer.held_from().unwrap());
    }
}
