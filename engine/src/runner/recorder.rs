//! The recorder: watches this PC and a game for minutes or days, and saves what happened around stutters, stalls, and
//! marks of the user.
//!
//! Three instruments on one clock, all bounded: canaries, the kernel's records in memory, and the rows of a log. The
//! caller runs [`Recorder::step`] every 50 ms. Each second, what is new goes into a journal in the library, from which
//! the recording is recovered if this process is killed.

mod alignment;
mod cycles;
mod details;
mod game;
mod intervals;
mod stalls;
mod stutters;
mod thread;

use std::path::PathBuf;
use std::sync::Arc;

use self::alignment::Alignment;
use self::details::{KnownThreads, SavedDetails, WantedDetails, cut};
use self::intervals::CurrentInterval;
use self::stalls::SavedStalls;
use self::stutters::LiveStutter;
pub use self::thread::{FollowError, ThreadRequest};
use self::thread::{FollowedThread, sentence_of_thread};
use super::{FinishedRun, MachineFacts, SavedRun, Sink};
use crate::format::RecordStatus;
use crate::import::{FollowedLog, LogSource, Options};
use crate::machine::BusyPrograms;
use crate::measure::{Canaries, Event, JournalWriter, SwitchCost};
use crate::nanos::Nanos;
use crate::platform::{self, SystemTracer, clock_nanos};
use crate::run::recording::{
    Canary, DatedNote, EventKind, EventLimits, Follow, NoteKind, RecordedEvent, RecordedProcess,
    RecordedTier, RecordingCosts, Stall,
};
use crate::run::{Ending, Health, Labels, Recording, Run, Subject};
use crate::store::Store;

/// The interval at which the journal gets what is new.
const JOURNAL_INTERVAL: Nanos = Nanos::from_secs(1);
/// The interval of [`Recorder::step`].
pub const STEP: Nanos = Nanos::from_millis(50);
/// The interval of readings of busy programs.
const BUSY_INTERVAL: Nanos = Nanos::from_secs(5);
/// Programs with a larger share of one CPU, in thousandths, are noted when this is first seen.
const MIN_BUSY_PERMILLE: i64 = 200;
/// A longer pause between two steps is noted.
const MAX_STEP_PAUSE: Nanos = Nanos::from_secs(2);
/// How long the end of a recording waits for the detail after its last event.
const MAX_END: Nanos = Nanos::from_secs(1);
/// Stalls of several canaries that end this close together are one event.
const SAME_STALL: Nanos = Nanos::from_millis(50);

/// What to record.
#[derive(Clone, Debug)]
pub struct RecordRequest {
    /// The log of the game; `None` to record this PC only.
    pub log: Option<LogSource>,
    /// Column and unit of the log, where it does not show them.
    pub options: Options,
    /// Name or ID of the process; `None` to find it by the name of the log.
    pub process: Option<String>,
    /// The thread to follow in place of a log.
    pub thread: Option<ThreadRequest>,
    /// The limits above which something is an event.
    pub limits: EventLimits,
    /// Size of the kernel's records in memory.
    pub ring_bytes: usize,
    /// Limit of the saved detail.
    pub detail_bytes: u64,
    /// Name and tags of the run.
    pub labels: Labels,
    /// What switches cost before the kernel's records were opened; `None` if it was not measured.
    pub without_records: Option<SwitchCost>,
}

impl RecordRequest {
    /// Measures what switches cost, before the kernel's records are opened.
    pub fn measure_switches(&mut self) {
        self.without_records = switch_cost(|| 0);
    }
}

fn switch_cost(count_records: impl Fn() -> u64) -> Option<SwitchCost> {
    let cpu = platform::one_cpu_a_core().first().copied()?;
    SwitchCost::measure(cpu, count_records)
}

/// Returns what a recording states at its begin.
fn planned(
    request: &RecordRequest,
    tracer: &SystemTracer,
    followed: Option<&FollowedThread>,
) -> Recording {
    let follow = match followed {
        Some(followed) => followed.follow(),
        None if request.log.is_some() => Follow::Log,
        None => Follow::ThisPc,
    };
    let facts = tracer.facts();
    Recording {
        follow,
        label: followed.map_or_else(String::new, |followed| followed.name.clone()),
        process: followed.map(|followed| followed.process.clone()),
        limits: request.limits,
        tier: RecordedTier {
            source: tracer.state().source,
            has_wakeups: facts.has_wakeups,
            has_storage: facts.has_storage,
            has_reclaim: facts.has_reclaim,
            has_page_faults: facts.has_page_faults,
            sentence: sentence(tracer, follow),
            ..RecordedTier::default()
        },
        ..Recording::default()
    }
}

/// Returns from when a tracer first had records, and the shortest time of which it had them. Until it drops the first
/// record, its memory is not full, and that time is all since it began.
fn shortest_ring(before: Option<(Nanos, Nanos)>, held: Nanos, now: Nanos) -> (Nanos, Nanos) {
    match before {
        Some((first, shortest)) if first < held => (first, shortest.min(now - held)),
        _ => (held, now - held),
    }
}

/// Returns what is recorded and what is missing, in sentences.
fn sentence(tracer: &SystemTracer, follow: Follow) -> String {
    match follow {
        Follow::Thread { .. } => sentence_of_thread(&tracer.sentence()),
        Follow::Log | Follow::ThisPc => tracer.sentence(),
    }
}

impl Default for RecordRequest {
    fn default() -> Self {
        Self {
            log: None,
            options: Options::default(),
            process: None,
            thread: None,
            limits: EventLimits::default(),
            ring_bytes: 128 << 20,
            detail_bytes: 200_000_000,
            labels: Labels::default(),
            without_records: None,
        }
    }
}

/// Why a recording did not start.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The error of the system.
    #[error("could not start a thread: {0}; close other programs and try again")]
    System(#[from] std::io::Error),
    /// The thread cannot be followed.
    #[error(transparent)]
    Follow(#[from] FollowError),
}

/// A recording in progress. Dropping it leaves its journal in the store.
#[derive(Debug)]
pub struct Recorder {
    request: RecordRequest,
    run: Run,
    /// What is new since the last entry of the journal.
    more: Recording,
    without: Vec<Nanos>,
    store: Option<Store>,
    journal: JournalWriter,
    journal_path: Option<PathBuf>,
    start: Nanos,
    journaled: Nanos,
    stepped: Nanos,
    suspended: Option<i64>,
    cpu_at_start: Option<i64>,
    tracer: SystemTracer,
    /// From when the tracer first had records, and the shortest time of which it had them.
    ring: Option<(Nanos, Nanos)>,
    canaries: Canaries,
    stalls: SavedStalls,
    intervals: Vec<CurrentInterval>,
    /// Name or ID of the process, as the log has it.
    log_process: Option<String>,
    /// ID of the process in the newest row of the log.
    row_process: Option<u32>,
    /// The ID by which a process was found.
    found_number: Option<u32>,
    /// The process that is followed now; `None` before it was found, and after its end.
    process: Option<RecordedProcess>,
    /// When that process was last seen.
    process_seen: Nanos,
    has_later_games: bool,
    /// Whether a row of any log has arrived.
    has_rows: bool,
    /// Whether frames had no room, which is noted.
    is_full: bool,
    log: Option<FollowedLog>,
    followed: Option<FollowedThread>,
    alignment: Alignment,
    own_delay: Option<Nanos>,
    /// Rows that are not on the clock yet: their times by the log and their frame times.
    unaligned: Vec<(Nanos, Nanos)>,
    /// When the clock of the log was 0, by the raw clock; `None` while rows are collected.
    log_begin: Option<Nanos>,
    first_arrival: Option<Nanos>,
    /// The time of the newest row of a log without a clock: the sum of its frame times.
    row_sum: Nanos,
    gpu_load_at: Nanos,
    live: LiveStutter,
    wanted: WantedDetails,
    saved: SavedDetails,
    threads: KnownThreads,
    busy: Option<BusyPrograms>,
    busy_at: Nanos,
    busy_names: Vec<String>,
}

impl Recorder {
    /// Starts a recording. The kernel's records must have been opened, since this process may have dropped its rights.
    ///
    /// # Errors
    ///
    /// The system could not start a thread, or the thread to follow cannot be followed.
    pub fn start(
        request: RecordRequest,
        mut tracer: SystemTracer,
        store: Option<Store>,
    ) -> Result<Self, RecordError> {
        let sink = store.map_or(Sink::Discard, Sink::Store);
        let without = request.without_records.filter(|_| tracer.held_from().is_some());
        let with_records = || switch_cost(|| tracer.counts()[0]);
        let per_record = without.and_then(|without| with_records()?.per_record(&without));
        let start = Nanos::new(clock_nanos());
        let followed = request.thread.as_ref();
        let followed = followed.map(|one| FollowedThread::start(one, &mut tracer, start));
        let followed = followed.transpose()?;
        let recording = Recording {
            costs: RecordingCosts { per_record, ..RecordingCosts::default() },
            ..planned(&request, &tracer, followed.as_ref())
        };
        let MachineFacts { machine, clock, .. } = MachineFacts::read();
        let started_at = crate::machine::date();
        let run = Run {
            started_at: started_at.unwrap_or_default(),
            ending: Ending::Recovered,
            name: request.labels.name.clone(),
            tags: request.labels.tags.clone(),
            note: request.labels.note.clone(),
            machine,
            health: Health {
                debug_build: cfg!(debug_assertions),
                clock_backwards_count: clock.went_backwards_count,
                date_unknown: started_at.is_none(),
                ..Health::default()
            },
            clock,
            ..Run::planned(Subject::Recorded(Box::new(recording.clone())), &[])
        };
        let (store, journal, journal_path) = sink.open();
        let mut journal = JournalWriter::start(journal);
        journal.write(&Event::Planned(Arc::new(run.clone())));
        let canaries = Canaries::start(&platform::one_cpu_a_core())?;
        let process = recording.process.clone();
        let log = request.log.clone();
        let log = log.map(|log| FollowedLog::start(log, request.options.clone())).transpose()?;
        let mut recorder = Self {
            saved: SavedDetails::new(request.detail_bytes),
            more: recording,
            without: Vec::new(),
            store,
            journal,
            journal_path,
            start,
            journaled: start,
            stepped: start,
            suspended: platform::suspended_nanos(),
            cpu_at_start: platform::process_cpu_nanos(),
            ring: None,
            intervals: canaries.all.iter().map(|_| CurrentInterval::default()).collect(),
            canaries,
            stalls: SavedStalls::default(),
            log_process: None,
            row_process: None,
            found_number: None,
            process,
            process_seen: Nanos::ZERO,
            has_later_games: false,
            has_rows: false,
            is_full: false,
            log,
            followed,
            alignment: Alignment::default(),
            own_delay: None,
            unaligned: Vec::new(),
            log_begin: None,
            first_arrival: None,
            row_sum: Nanos::ZERO,
            gpu_load_at: Nanos::ZERO,
            live: LiveStutter::default(),
            wanted: WantedDetails::default(),
            threads: KnownThreads::default(),
            busy: BusyPrograms::open(),
            busy_at: start,
            busy_names: Vec::new(),
            request,
            run,
            tracer,
        };
        recorder.begin_more();
        recorder.follow_process();
        Ok(recorder)
    }

    /// Reads what is new, and saves what is complete. Call this every [`STEP`].
    pub fn step(&mut self) {
        let now = Nanos::new(clock_nanos());
        self.tracer.collect();
        self.note_pause(now);
        self.read_canaries();
        self.read_log();
        self.read_thread(now);
        self.cut_details(now - self.start);
        if JOURNAL_INTERVAL <= now - self.journaled {
            self.journaled = now;
            self.look_each_second(now);
            self.flush(now);
        }
        self.journal.push();
        self.stepped = Nanos::new(clock_nanos());
    }

    /// Saves the detail of each interval that is complete at `now`, counted from the start.
    fn cut_details(&mut self, now: Nanos) {
        while let Some(wanted) = self.wanted.next(now) {
            match cut(&mut self.tracer, wanted, self.start, &mut self.threads) {
                Some(cut) => {
                    self.more.threads.extend(cut.threads);
                    // The events are counted once, with the first detail.
                    let mut wanted = wanted;
                    for detail in cut.details {
                        let admitted = self.saved.admit(detail.begin, detail.trace.len(), wanted);
                        self.more.unsaved.disk_limit_count += admitted.unsaved_count;
                        self.more.details.retain(|one| !admitted.without.contains(&one.begin));
                        self.without.extend(admitted.without);
                        self.more.details.extend(admitted.is_saved.then_some(detail));
                        wanted.event_count = 0;
                    }
                }
                // Without records, the tier says that there is no detail.
                None if self.tracer.held_from().is_some() => {
                    self.more.unsaved.gone_count += wanted.event_count;
                }
                None => {}
            }
        }
    }

    /// Marks the current time, as the user requested.
    pub fn mark(&mut self) {
        let at = Nanos::new(clock_nanos()) - self.start;
        if self.add_event(RecordedEvent { at, length: Nanos::ZERO, kind: EventKind::Mark }) {
            self.wanted.add_mark(at);
        }
    }

    /// Returns what was recorded so far.
    pub fn status(&self) -> RecordStatus {
        let both = || [self.run.recording(), Some(&self.more)].into_iter().flatten();
        let is_stutter =
            |kind| matches!(kind, EventKind::Stutter | EventKind::LateCycle | EventKind::Overrun);
        let events = both().flat_map(|recording| &recording.events);
        let now = Nanos::new(clock_nanos());
        RecordStatus {
            length: now - self.start,
            frame_count: both().map(|recording| recording.frames.len()).sum(),
            stutter_count: events.filter(|event| is_stutter(event.kind)).count(),
            stall_count: usize::try_from(self.stalls.total_count).unwrap_or(usize::MAX),
            detail_count: both().map(|recording| recording.details.len()).sum(),
            label: self.more.label.clone(),
            is_of_thread: self.followed.is_some(),
            ring: self.tracer.held_from().map(|held| now - held),
        }
    }

    /// Ends the recording: waits until the detail of the last event is complete, and saves the run.
    pub fn finish(mut self, ending: Ending) -> SavedRun {
        // On a busy PC, events never cease: later ones are not waited for.
        let until = Nanos::new(clock_nanos()) + MAX_END;
        while !self.wanted.is_empty() && Nanos::new(clock_nanos()) < until {
            std::thread::sleep(std::time::Duration::from_millis(20));
            self.step();
        }
        self.step();
        self.align(true);
        self.cut_details(Nanos::MAX);
        for (current, canary) in self.intervals.iter_mut().zip(&mut self.more.canaries) {
            current.finish(canary);
        }
        self.flush(Nanos::new(clock_nanos()));
        self.run.ending = ending;
        self.journal.write(&Event::Finished(Arc::new(self.run.clone())));
        let Self { run, store, mut journal, journal_path, .. } = self;
        journal.finish();
        let mut run = run;
        run.health.journal_error = journal.take_error();
        if let Some(store) = &store {
            store.add_earlier(&mut run);
        }
        FinishedRun { run, store, journal: journal_path, room: None }.save()
    }

    /// Empties what is new; single values remain.
    fn begin_more(&mut self) {
        let canaries = self.canaries.all.iter().map(|canary| Canary {
            cpu: canary.cpu,
            thread: canary.thread(),
            period: canary.period,
            ..Canary::default()
        });
        let canaries = canaries.collect();
        let frame_uncertainty = self.alignment.uncertainty();
        self.more = Recording { frame_uncertainty, canaries, ..self.more.without_lists() };
    }

    /// Adds what is new to the run, and to the journal.
    fn flush(&mut self, now: Nanos) {
        self.more.length = now - self.start;
        self.more.frame_uncertainty = self.alignment.uncertainty();
        let [written, lost] = self.tracer.counts();
        self.more.tier.lost_count = lost;
        self.more.tier.source = self.tracer.state().source;
        self.more.tier.sentence = sentence(&self.tracer, self.more.follow);
        self.more.stall_count = Some(self.stalls.total_count);
        self.more.stalls_omitted_until = self.stalls.omitted_until;
        self.more.costs.record_count = written;
        self.more.costs.ring = self.ring.map(|(_, shortest)| shortest);
        if self.tracer.held_from().is_some() {
            self.more.costs.ring_bytes = u64::try_from(self.request.ring_bytes).unwrap_or(u64::MAX);
        }
        let cpu = platform::process_cpu_nanos().zip(self.cpu_at_start);
        self.more.costs.recorder_cpu = Nanos::new(cpu.map_or(0, |(now, before)| now - before));
        let without = std::mem::take(&mut self.without);
        let event = Event::Recorded { more: Box::new(self.more.clone()), without };
        if let Err(error) = event.apply_to(&mut self.run) {
            log::error!("{error}");
        }
        self.journal.write(&event);
        self.begin_more();
    }

    /// Notes that this process did not run, or that the PC slept.
    fn note_pause(&mut self, now: Nanos) {
        let (before, suspended) = (self.suspended, platform::suspended_nanos());
        self.suspended = suspended;
        if let (Some(before), Some(suspended)) = (before, suspended)
            && 1_000_000_000 <= suspended - before
        {
            self.note(now, NoteKind::Slept, String::new(), Some(suspended - before));
        }
        let pause = now - self.stepped;
        if MAX_STEP_PAUSE < pause {
            self.note(now, NoteKind::RecorderStopped, String::new(), Some(pause.get()));
        }
    }

    fn note(&mut self, now: Nanos, kind: NoteKind, text: String, value: Option<i64>) {
        self.more.notes.push(DatedNote { at: now - self.start, kind, text, value });
    }

    fn look_each_second(&mut self, now: Nanos) {
        if let Some(held) = self.tracer.held_from() {
            self.ring = Some(shortest_ring(self.ring, held, now));
        }
        self.follow_process();
        if BUSY_INTERVAL <= now - self.busy_at {
            self.busy_at = now;
            let busy = self.busy.as_mut().map(BusyPrograms::read).unwrap_or_default();
            let process = self.process.as_ref().map(|process| process.process);
            for program in busy {
                let is_new = !self.busy_names.contains(&program.name);
                if MIN_BUSY_PERMILLE < program.permille
                    && Some(program.process) != process
                    && is_new
                {
                    self.busy_names.push(program.name.clone());
                    let value = Some(program.permille);
                    self.note(now, NoteKind::BusyProgram, program.name, value);
                }
            }
        }
    }

    fn read_canaries(&mut self) {
        let Self { canaries, intervals, more, start, wanted, stalls: saved_stalls, .. } = self;
        let limit = more.limits.stall;
        let is_alone = more.follow == Follow::ThisPc;
        let mut stalls: Vec<Stall> = Vec::new();
        let parts = canaries.all.iter_mut().zip(intervals).zip(&mut more.canaries);
        for (((canary, current), saved), number) in parts.zip(0..) {
            saved.thread = canary.thread();
            canary.drain(|wake| {
                let (due, late) = (wake.due - *start, wake.woke - wake.due);
                current.add(due, wake, saved);
                if limit < late {
                    stalls.push(Stall { canary: number, due, late });
                }
            });
        }
        stalls.sort_by_key(|stall| stall.due + stall.late);
        for stall in stalls {
            let at = stall.due + stall.late;
            if !saved_stalls.admit(stall.late) {
                continue;
            }
            more.stalls.push(stall);
            let last = more.events.last_mut();
            match last.filter(|last| last.kind == EventKind::Stall && at - last.at < SAME_STALL) {
                Some(last) if stall.late <= last.length => {}
                Some(last) => (last.at, last.length) = (at, stall.late),
                None => {
                    let (length, kind) = (stall.late, EventKind::Stall);
                    more.events.push(RecordedEvent { at, length, kind });
                }
            }
            // Beside a game or a thread, stalls are evidence for its stutters: their detail would take the room of those.
            if is_alone {
                wanted.add_event(at, stall.late);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_full_holds_all_since_the_tracer_began() {
        // The tracer of one thread begins after the recording.
        let at = Nanos::from_secs;
        let mut ring = None;
        for (held, now, expected) in [(2, 3, 1), (2, 9, 7), (2, 30, 28), (5, 31, 26), (9, 40, 26)] {
            ring = Some(shortest_ring(ring, at(held), at(now)));
            assert_eq!(ring, Some((at(2), at(expected))), "{held} {now}");
        }
    }
}
