//! A recording: what the recorder saved while a game or another program ran, for minutes or days.
//!
//! All times are on the engine's monotonic clock, from the start of the recording. What happened before the start has
//! a negative time.

mod answers;
mod append;
mod earlier;
mod joined;
pub mod name;

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::capture::{self, Capture};
use super::{Series, Trace};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::sample::{Cells, Column, ThreadOwner};

pub use crate::sample::WakeContext;
pub use answers::{SavedAnswers, SavedBlame, SavedCause, SavedEvent, SavedGrowth, SavedPresenter};
pub use earlier::{EarlierCause, EarlierRecording};
pub use joined::{BeforeJoin, JOINED};

/// What the recorder saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Recording {
    /// The name of the game or of the followed program; empty if only this PC was recorded.
    pub label: String,
    /// What was followed.
    pub follow: Follow,
    /// The followed process; absent if no process was found, or none was followed.
    pub process: Option<RecordedProcess>,
    /// The games that began later, or the same one that was started again, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_games: Vec<LaterGame>,
    /// How long the recording lasted.
    #[serde(rename = "length_nanos")]
    pub length: Nanos,
    /// The limits above which something became an event.
    pub limits: EventLimits,
    /// The frames of the followed log, or the cycles of the followed thread.
    pub frames: RecordedFrames,
    /// How much the times of `frames` may be off from the times of all other records; absent without frames.
    #[serde(rename = "frame_uncertainty_nanos")]
    pub frame_uncertainty: Option<Nanos>,
    /// The threads of the recorder that sleep and measure how late they wake.
    pub canaries: Vec<Canary>,
    /// The times when a canary woke later than the limit, in order of time.
    pub stalls: Vec<Stall>,
    /// Number of stalls, with those that are not in `stalls`; absent if all of them are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall_count: Option<u64>,
    /// Stalls up to this long are not in `stalls`, because they were too many; 0 if all are.
    #[serde(default, rename = "stalls_omitted_until_nanos", skip_serializing_if = "is_zero")]
    pub stalls_omitted_until: Nanos,
    /// Stutters, stalls, late cycles, overruns, and marks, in order of time.
    pub events: Vec<RecordedEvent>,
    /// The detail that was saved, in order of time; the intervals do not overlap.
    pub details: Vec<Detail>,
    /// The threads that occur in the detail.
    pub threads: Vec<RecordedThread>,
    /// What the detail contains.
    pub tier: RecordedTier,
    /// Events whose detail was not saved, by reason.
    pub unsaved: Unsaved,
    /// What happened to this PC, in order of time.
    #[serde(default)]
    pub notes: Vec<DatedNote>,
    /// Values over time, such as the CPU time of other programs. The name of each ends in the unit of its values.
    #[serde(default)]
    pub series: BTreeMap<String, Series>,
    /// What recording cost.
    pub costs: RecordingCosts,
    /// The events with their causes; absent unless the detail that showed them was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<SavedAnswers>,
    /// What the recording was before a log was joined with it; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_join: Option<BeforeJoin>,
    /// What the newest earlier recording of the same game on this PC showed; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierRecording>,
}

fn is_zero(time: &Nanos) -> bool {
    *time == Nanos::ZERO
}

/// What a recording followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Follow {
    /// The log of a game, with a row per frame.
    Log,
    /// The cycles of a periodic thread.
    Thread {
        /// Number of the thread.
        thread: u32,
        /// Time from one due time to the next; 0 if it was not given, and wake-ups were irregular.
        #[serde(rename = "period_nanos")]
        period: Nanos,
        /// Whether the period was learned from the wake-ups.
        #[serde(default)]
        is_learned: bool,
    },
    /// Nothing: only the canaries measured.
    #[default]
    ThisPc,
}

/// A process, identified by number and start time, because numbers are used again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordedProcess {
    /// Number of the process.
    pub process: u32,
    /// When the process started; absent if the system does not report it.
    #[serde(rename = "started_nanos")]
    pub started: Option<Nanos>,
    /// Name of the program, such as `witcher3.exe`.
    pub name: String,
}

/// A game that began while another one had been followed, or the same one that was started again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LaterGame {
    /// From when on the frames are its own.
    #[serde(rename = "begin_nanos")]
    pub begin: Nanos,
    /// Its process; absent if none was found.
    pub process: Option<RecordedProcess>,
}

/// The limits above which something became an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventLimits {
    /// A frame is a stutter above this many thousandths of the moving median.
    pub stutter_permille: u32,
    /// A canary that wakes later than this is a stall.
    #[serde(rename = "stall_nanos")]
    pub stall: Nanos,
}

impl Default for EventLimits {
    fn default() -> Self {
        Self { stutter_permille: 2_500, stall: Nanos::from_millis(2) }
    }
}

/// The frames of a log, or the cycles of a thread, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordedFrames {
    /// When each frame was presented; for a cycle, when the thread got a CPU.
    #[serde(rename = "presented_at_nanos", with = "Cells::<i64>")]
    presented_at: Column,
    /// Time since the frame before was presented, or since the cycle before got a CPU.
    #[serde(rename = "frame_times_nanos", with = "Cells::<i64>")]
    frame_times: Column,
}

impl RecordedFrames {
    /// Creates frames from columns; `None` if the columns differ in length.
    pub fn from_columns(presented_at: Column, frame_times: Column) -> Option<Self> {
        (presented_at.len() == frame_times.len()).then_some(Self { presented_at, frame_times })
    }

    /// Adds a frame at the end.
    pub fn push(&mut self, presented_at: Nanos, frame_time: Nanos) {
        self.presented_at.push(presented_at.get());
        self.frame_times.push(frame_time.get());
    }

    /// Returns when each frame was presented, with its frame time, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Nanos, Nanos)> + Clone + '_ {
        let presented_at = self.presented_at.values().map(Nanos::new);
        presented_at.zip(self.frame_times.values().map(Nanos::new))
    }

    /// Returns the frame times in nanoseconds.
    pub const fn frame_times(&self) -> &Column {
        &self.frame_times
    }

    /// Returns the columns in the order of the file: when each frame was presented, and its frame time.
    pub const fn columns(&self) -> [&Column; 2] {
        [&self.presented_at, &self.frame_times]
    }

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.frame_times.len()
    }

    /// Returns whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'de> Deserialize<'de> for RecordedFrames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Columns {
            #[serde(with = "Cells::<i64>")]
            presented_at_nanos: Column,
            #[serde(with = "Cells::<i64>")]
            frame_times_nanos: Column,
        }
        let Columns { presented_at_nanos, frame_times_nanos } = Columns::deserialize(deserializer)?;
        let uneven = || D::Error::custom("the lengths of its columns of frames differ");
        Self::from_columns(presented_at_nanos, frame_times_nanos).ok_or_else(uneven)
    }
}

/// A thread of the recorder that sleeps until set times, and the lateness of its wake-ups per second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Canary {
    /// The CPU to which the thread is pinned; absent if it is not pinned.
    pub cpu: Option<u32>,
    /// Number of the thread.
    pub thread: u32,
    /// Time from one set time to the next.
    #[serde(rename = "period_nanos")]
    pub period: Nanos,
    /// Start of each interval; the end is the start of the next one.
    #[serde(rename = "at_nanos", with = "Cells::<i64>")]
    pub at: Column,
    /// Lowest lateness in each interval.
    #[serde(rename = "min_nanos", with = "Cells::<i64>")]
    pub min: Column,
    /// Median lateness in each interval.
    #[serde(rename = "p50_nanos", with = "Cells::<i64>")]
    pub p50: Column,
    /// 99th percentile of the lateness in each interval.
    #[serde(rename = "p99_nanos", with = "Cells::<i64>")]
    pub p99: Column,
    /// Highest lateness in each interval.
    #[serde(rename = "max_nanos", with = "Cells::<i64>")]
    pub max: Column,
    /// Number of wake-ups in each interval.
    #[serde(with = "Cells::<i64>")]
    pub count: Column,
}

/// A wake-up of a canary that was later than the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stall {
    /// Position of the canary in the list of canaries.
    pub canary: u32,
    /// When the canary should have woken.
    #[serde(rename = "due_nanos")]
    pub due: Nanos,
    /// How late it woke.
    #[serde(rename = "late_nanos")]
    pub late: Nanos,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// A frame took much longer than the frames before it.
    Stutter,
    /// A canary woke later than the limit.
    Stall,
    /// A cycle of the followed thread got a CPU late.
    LateCycle,
    /// A cycle of the followed thread did not end before the next due time.
    Overrun,
    /// The user marked this time.
    Mark,
}

/// Something that the recorder saved detail for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordedEvent {
    /// When the event ended: for a stutter, when its frame was presented; for a stall, when the canary woke; for a cycle,
    /// when the thread slept again.
    #[serde(rename = "at_nanos")]
    pub at: Nanos,
    /// Length of the event: a frame time, a lateness, or the time since a cycle was due; 0 for a mark.
    #[serde(rename = "length_nanos")]
    pub length: Nanos,
    /// Kind of the event.
    pub kind: EventKind,
}

/// The records of an interval that contains one or more events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Detail {
    /// Start of the interval that all CPUs have records of.
    #[serde(rename = "begin_nanos")]
    pub begin: Nanos,
    /// End of the interval.
    #[serde(rename = "end_nanos")]
    pub end: Nanos,
    /// How much the times of the frames of this interval may be off, where it is less than elsewhere.
    #[serde(default, rename = "frame_uncertainty_nanos", skip_serializing_if = "Option::is_none")]
    pub frame_uncertainty: Option<Nanos>,
    /// The file that contains the records; absent if they are in `trace`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<DetailPart>,
    /// The records. At `begin`, there is a record of the state of each CPU and, where known, of each thread. In a
    /// recording, `value` of a record of a wake-up is a [`WakeContext`] number, or missing.
    #[serde(default, skip_serializing_if = "Trace::is_empty")]
    pub trace: Trace,
}

/// A file with the records of a detail, in the folder of the recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DetailPart {
    /// Name of the file, without a folder.
    pub file: String,
    /// SHA-256 of the file, as 64 hexadecimal digits.
    pub sha256: String,
    /// Size of the file.
    pub size_bytes: u64,
}

/// A thread that occurs in the detail. Of several threads with one number, a record belongs to the last one that had
/// started by the time of the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordedThread {
    /// Number of the thread.
    pub thread: u32,
    /// When the thread started, negative if before the recording; absent if not known, which means before all others
    /// with this number.
    #[serde(rename = "started_nanos")]
    pub started: Option<Nanos>,
    /// Number of its process; absent if not known.
    pub process: Option<u32>,
    /// Name of the thread.
    pub name: String,
    /// Name of its process; empty if not known.
    #[serde(default)]
    pub process_name: String,
    /// The owner, if the thread belongs to no other program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<RecordedOwner>,
}

/// The owner of a thread that belongs to no other program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordedOwner {
    /// The kernel.
    Kernel,
    /// This program.
    Own,
}

impl From<RecordedOwner> for ThreadOwner {
    fn from(owner: RecordedOwner) -> Self {
        match owner {
            RecordedOwner::Kernel => Self::Kernel,
            RecordedOwner::Own => Self::Own,
        }
    }
}

/// What the detail of a recording contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of record by itself")]
pub struct RecordedTier {
    /// Whose switches were recorded; absent if none were. [`TraceSource::OwnSwitches`] are those of the followed
    /// program.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub source: Option<TraceSource>,
    /// Whether wake-ups were recorded, in the context of the thread or interrupt that woke.
    pub has_wakeups: bool,
    /// Whether completed requests of storage devices were recorded.
    pub has_storage: bool,
    /// Whether the reclaim of memory was recorded.
    pub has_reclaim: bool,
    /// Whether page faults were recorded.
    pub has_page_faults: bool,
    /// What was recorded and what was missing, in sentences.
    pub sentence: String,
    /// Number of records that the system reported as lost.
    pub lost_count: u64,
    /// Number of rows of the log that could not be read.
    pub bad_row_count: u64,
}

/// Number of events whose detail was not saved, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unsaved {
    /// The limit of disk space was reached, and the detail of longer events was saved instead.
    pub disk_limit_count: u64,
    /// The ring in memory no longer had the records when the event was known.
    pub gone_count: u64,
    /// Detail of older events was deleted to make room for other recordings, or by the user.
    pub deleted_count: u64,
}

/// Something that happened to this PC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DatedNote {
    /// When it happened.
    #[serde(rename = "at_nanos")]
    pub at: Nanos,
    /// Kind of the note.
    pub kind: NoteKind,
    /// What it was: a program, a power source, a clock; empty if the kind is enough.
    #[serde(default)]
    pub text: String,
    /// Length or size, in the unit of the kind; absent without a value.
    #[serde(default)]
    pub value: Option<i64>,
}

/// The kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// The power source changed; the text is the new one.
    PowerSource,
    /// The governor or the power plan changed; the text is the new one.
    Governor,
    /// The time of day was set; the value is the step in nanoseconds.
    ClockStep,
    /// The PC slept; the value is the time in nanoseconds.
    Slept,
    /// A program started, or first used more than 20% of a CPU; the value is its share in thousandths of a CPU.
    BusyProgram,
    /// The kernel reported that it slows down a program because of split locks; the text is the program.
    SplitLock,
    /// The clock source is not the default of this architecture; the text is the clock source.
    ClockSource,
    /// The recorder itself did not run for the value in nanoseconds.
    RecorderStopped,
    /// The log was truncated, replaced, or removed; the text is what happened.
    Log,
    /// The followed thread ended, and the recording with it; the text is its name.
    ThreadEnded,
}

/// What recording cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordingCosts {
    /// CPU time of all threads of the recorder.
    #[serde(rename = "recorder_cpu_nanos")]
    pub recorder_cpu: Nanos,
    /// Number of records that the system wrote, saved or not.
    pub record_count: u64,
    /// Time that writing one record takes in the recorded thread; absent if it was not measured.
    #[serde(rename = "per_record_nanos")]
    pub per_record: Option<Nanos>,
    /// The shortest time of which the ring in memory held the records of all CPUs; absent without a ring.
    #[serde(rename = "ring_nanos")]
    pub ring: Option<Nanos>,
    /// Size of the ring in memory.
    pub ring_bytes: u64,
}

impl Recording {
    /// The key in file names and lists.
    pub const KEY: &'static str = "recording";
    /// The name on screen.
    pub const NAME: &'static str = "Recording";

    /// Whether a thread was followed: then frames are its cycles.
    pub const fn is_of_thread(&self) -> bool {
        matches!(self.follow, Follow::Thread { .. })
    }

    /// Returns the frames as a capture, as if their log had been imported; `None` without frames. Shares the columns.
    pub fn to_capture(&self) -> Option<Capture> {
        let [presented_at, frame_times] = self.frames.columns();
        (!self.frames.is_empty() && !self.is_of_thread()).then(|| {
            Capture::Frames(vec![capture::Recording {
                label: self.label.clone(),
                elapsed: Some(self.length),
                frame_times: frame_times.clone(),
                logged_at: presented_at.clone(),
                ..capture::Recording::default()
            }])
        })
    }

    /// Returns the number of stalls, with those that are not saved.
    pub fn all_stalls_count(&self) -> usize {
        let count = self.stall_count.and_then(|count| usize::try_from(count).ok());
        count.unwrap_or_default().max(self.stalls.len())
    }

    /// Returns the followed processes in order of time, each with the begin of its frames.
    pub fn games(&self) -> impl Iterator<Item = (Nanos, Option<&RecordedProcess>)> {
        let later = self.later_games.iter().map(|game| (game.begin, game.process.as_ref()));
        std::iter::once((Nanos::MIN, self.process.as_ref())).chain(later)
    }

    /// Returns every text that comes from the system or another program, to be changed.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let later = self.later_games.iter_mut().filter_map(|game| game.process.as_mut());
        let process = self.process.iter_mut().chain(later).map(|process| &mut process.name);
        let threads = self.threads.iter_mut();
        let threads = threads.flat_map(|thread| [&mut thread.name, &mut thread.process_name]);
        let notes = self.notes.iter_mut().map(|note| &mut note.text);
        let names = self.details.iter_mut().flat_map(|detail| detail.trace.names_mut());
        let own = [&mut self.label, &mut self.tier.sentence].into_iter();
        let answers = self.answers.iter_mut().flat_map(SavedAnswers::texts_mut);
        let before = self.before_join.iter_mut().flat_map(BeforeJoin::texts_mut);
        let earlier = self.earlier.iter_mut().flat_map(EarlierRecording::blamed_mut);
        let earlier = earlier.filter_map(|blamed| blamed.name.as_mut());
        let own = own.chain(process).chain(threads).chain(notes).chain(names);
        own.chain(answers).chain(before).chain(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Run, Subject};
    use crate::sample::{TraceEvent, TraceRecord};

    #[test]
    fn a_recording_comes_back_from_its_file() {
        let at = Nanos::from_millis;
        let mut frames = RecordedFrames::default();
        (1..=300).for_each(|frame| frames.push(at(16 * frame), at(16)));
        let wake = TraceRecord {
            thread: Some(7),
            name: Some(0),
            value: Some(WakeContext::Softirq.number()),
            ..TraceRecord::new(at(900), TraceEvent::Waking, 1)
        };
        let detail = Detail {
            begin: at(-20),
            end: at(2_000),
            trace: Trace::from_records(vec!["dxvk-cs".to_owned()], &[wake]),
            ..Detail::default()
        };
        let part = DetailPart { file: "2.part".to_owned(), sha256: "00".repeat(32), size_bytes: 9 };
        let elsewhere =
            Detail { begin: at(2_500), end: at(3_000), part: Some(part), ..detail.clone() };
        let recording = Recording {
            label: "witcher3".to_owned(),
            follow: Follow::Thread { thread: 7, period: at(10), is_learned: true },
            length: at(4_800),
            frames,
            events: vec![RecordedEvent { at: at(960), length: at(16), kind: EventKind::Mark }],
            details: vec![detail, elsewhere],
            threads: vec![RecordedThread {
                thread: 7,
                started: Some(at(-5)),
                ..RecordedThread::default()
            }],
            ..Recording::default()
        };
        let run = Run::planned(Subject::Recorded(Box::new(recording)), &[]);
        let mut bytes = Vec::new();
        crate::format::write(&run, &mut bytes).unwrap();
        let read = crate::format::read(bytes.as_slice()).unwrap();
        assert_eq!(read, run);
        assert_eq!(read.sample_count(), 300);
        let [first, _] = read.recording().unwrap().details.as_slice() else {
            panic!("two details")
        };
        assert_eq!(first.trace.records(), [wake]);
    }

    #[test]
    fn frames_with_uneven_columns_are_refused() {
        let column = |count: i64| (0..count).collect::<Column>();
        assert_eq!(RecordedFrames::from_columns(column(2), column(3)), None);
        let text = r#"{"presented_at_nanos":[1,2],"frame_times_nanos":[1]}"#;
        assert!(serde_json::from_str::<RecordedFrames>(text).is_err());
    }

    #[test]
    fn each_wake_context_keeps_its_number() {
        for context in [WakeContext::Thread, WakeContext::Interrupt, WakeContext::Softirq] {
            assert_eq!(WakeContext::from_number(context.number()), Some(context));
        }
        assert_eq!(WakeContext::from_number(3), None);
    }
}
