//! Joins a log that was saved at the end with a recording of the same time: places its frames on the clock of the recording.

mod position;

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use self::position::{Position, Sleeper, sleepers};
use super::cause::{Analysis, EventPath};
use super::timeline::Timeline;
use crate::nanos::Nanos;
use crate::run::capture::Capture;
use crate::run::recording::{
    BeforeJoin, DatedNote, EventKind, Follow, JOINED, NoteKind, RecordedEvent, RecordedFrames,
    RecordedProcess, Recording,
};
use crate::run::{self, Run};
use crate::units::format_long_time;

/// A file is saved at most this long after its last row.
const SAVED_WITHIN: Nanos = Nanos::from_secs(5);
/// A start is stated in whole seconds, before or after the first row.
const STARTED_WITHIN: Nanos = Nanos::from_secs(2);
/// Max number of details in which a log is searched in a wide interval: the longest ones.
const MAX_SEARCHED: usize = 6;
/// Two clocks drift apart by at most one nanosecond in this many.
const DRIFT: i64 = 10_000;
/// A log may be this far from where the detail next to it shows it, apart from the drift of its clock.
const NEAR: Nanos = Nanos::from_millis(1);
/// The smallest uncertainty that is stated.
const MIN_UNCERTAINTY: Nanos = Nanos::from_micros(100);

/// What is known about when a log was written.
#[derive(Clone, Debug, Default)]
pub struct LogTimes {
    /// When its file was written, or was last changed.
    pub saved: Option<Timestamp>,
    /// The time that the file itself states, of its begin or its end.
    pub stated: Option<Timestamp>,
    /// The name of the file without ending, which may end in a date: `vkcube_2026-11-28_21-53-28`.
    pub name: String,
}

/// Why a log cannot be joined with a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// The run is no recording.
    #[error("the run is no recording; 'runs list' shows which are")]
    NoRecording,
    /// The recording followed a log.
    #[error("the recording has the frames of a log already; join a recording that followed none")]
    HasFrames,
    /// The recording followed a thread.
    #[error("the recording followed a thread, not a game; join a recording of the game")]
    OfThread,
    /// The detail of the recording was deleted.
    #[error(
        "the detail of the recording was deleted, so that nothing shows where a log belongs; join a log before you delete the detail"
    )]
    DetailDeleted,
    /// No log was joined with the recording.
    #[error("no log was joined with the recording; 'runs show' shows what it contains")]
    NotJoined,
    /// The log has no frames.
    #[error("the log has {0}, not a row per frame")]
    NoFrameLog(&'static str),
    /// The log has nothing that shows when it was written.
    #[error("nothing shows when the log was written: neither the time of its file nor its name")]
    NoTime,
    /// No time that is known of the log is within the recording.
    #[error(
        "the log is of another time: it ended {0}; a copy of a file has another time than the file itself"
    )]
    OtherTime(String),
}

/// Which times a log may have begun at, by the clock of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PossibleBegin {
    at: Nanos,
    uncertainty: Nanos,
}

/// Returns the recording of a run with the frames of a log that was saved at the end, in place of those of a log that was
/// joined before. The place of the frames is found by the thread that presents them, where detail shows one; else it is as
/// exact as the times of the file.
///
/// # Errors
///
/// The run is no recording, followed a log, or lost its detail; or the log is none of frames, or of another time.
pub fn join(
    run: &Run,
    capture: &Capture,
    times: &LogTimes,
    zone: &TimeZone,
) -> Result<Recording, JoinError> {
    let recording = run.recording().ok_or(JoinError::NoRecording)?;
    let before = recording.without_join();
    if recording.is_of_thread() {
        return Err(JoinError::OfThread);
    }
    if before.is_none() && !recording.frames.is_empty() {
        return Err(JoinError::HasFrames);
    }
    if recording.answers.is_some() {
        return Err(JoinError::DetailDeleted);
    }
    let recording = before.as_ref().unwrap_or(recording);
    let Capture::Frames(logs) = capture else {
        return Err(JoinError::NoFrameLog(match capture {
            Capture::SampledLog(_) | Capture::SampledTicks(_) => "one row per interval",
            Capture::Ticks(_) => "the ticks of a server",
            Capture::Histogram(_) | Capture::Frames(_) => "counts",
        }));
    };
    let timelines = Timeline::of_details(recording);
    let mut refused = JoinError::NoTime;
    let mut best: Option<Joined<'_>> = None;
    for log in logs {
        let rows: Vec<(Nanos, Nanos)> = log.frame_times_over_time().collect();
        let length = rows.last().map_or(Nanos::ZERO, |row| row.0);
        match possible_begins(run.started_at, recording, length, (times, zone)) {
            Ok(begins) => {
                let joined = Joined::new(&timelines, log, rows, &begins).filter(|joined| {
                    best.as_ref().is_none_or(|best| best.anchors.len() < joined.anchors.len())
                });
                best = joined.or(best);
            }
            Err(error) => refused = error,
        }
    }
    best.and_then(|joined| joined.recording(recording)).ok_or(refused)
}

/// Returns the recording of a run as it was before a log was joined with it.
///
/// # Errors
///
/// The run is no recording with a joined log, or its detail was deleted: the answers without the log would be lost.
pub fn undo_join(run: &Run) -> Result<Recording, JoinError> {
    let recording = run.recording().ok_or(JoinError::NoRecording)?;
    let before = recording.without_join().ok_or(JoinError::NotJoined)?;
    if recording.answers.is_some() { Err(JoinError::DetailDeleted) } else { Ok(before) }
}

/// Returns when a log of a length may have begun, as far as that is within the recording.
fn possible_begins(
    started_at: Timestamp,
    recording: &Recording,
    length: Nanos,
    (times, zone): (&LogTimes, &TimeZone),
) -> Result<Vec<PossibleBegin>, JoinError> {
    let mut begins = Vec::new();
    let mut nearest: Option<Nanos> = None;
    let stated = times.stated.filter(|stated| Some(*stated) != times.saved);
    let named = date_in_name(&times.name, zone);
    let ends = times.saved.into_iter().chain(stated).map(|end| (end, true));
    let starts = stated.into_iter().chain(named).map(|start| (start, false));
    for (date, is_end) in ends.chain(starts) {
        let at = on_clock(date, started_at, recording);
        let (at, uncertainty) =
            if is_end { (at - length, SAVED_WITHIN) } else { (at, STARTED_WITHIN) };
        let end = at + length;
        if end + uncertainty < Nanos::ZERO || recording.length + uncertainty < at {
            let off = if end < Nanos::ZERO { end } else { at - recording.length };
            if nearest.is_none_or(|nearest| off.abs() < nearest.abs()) {
                nearest = Some(off);
            }
            continue;
        }
        begins.push(PossibleBegin { at, uncertainty });
    }
    match nearest {
        _ if !begins.is_empty() => Ok(begins),
        None => Err(JoinError::NoTime),
        Some(off) => {
            let side = if off < Nanos::ZERO {
                "before the recording began"
            } else {
                "after the recording ended"
            };
            Err(JoinError::OtherTime(format!("{} {side}", format_long_time(off.abs()))))
        }
    }
}

/// Returns a time of day by the clock of the recording, which does not run while the PC sleeps.
fn on_clock(date: Timestamp, started_at: Timestamp, recording: &Recording) -> Nanos {
    let since = date.duration_since(started_at).as_nanos();
    let mut at = Nanos::new(i64::try_from(since).unwrap_or(i64::MAX));
    let mut sleeps: Vec<&DatedNote> =
        recording.notes.iter().filter(|note| note.kind == NoteKind::Slept).collect();
    sleeps.sort_by_key(|note| note.at);
    for note in sleeps {
        let slept = Nanos::new(note.value.unwrap_or_default().max(0));
        if note.at < at {
            at = (at - slept).max(note.at);
        }
    }
    at
}

/// Returns the date at the end of a name, as MangoHud writes it in local time.
fn date_in_name(name: &str, zone: &TimeZone) -> Option<Timestamp> {
    const FORMAT: &str = "%Y-%m-%d_%H-%M-%S";
    const LENGTH: usize = "2026-11-28_21-53-28".len();
    let text = name.get(name.len().checked_sub(LENGTH)?..)?;
    let date = jiff::civil::DateTime::strptime(FORMAT, text).ok()?;
    Some(date.to_zoned(zone.clone()).ok()?.timestamp())
}

/// A place of a log: at this time of the log, it began then by the clock of the recording.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    at: Nanos,
    position: Position,
    /// The interval of the detail.
    span: (Nanos, Nanos),
}

/// What is searched in the details of a recording.
struct Search<'a> {
    timelines: &'a [Timeline],
    /// The time of each row of the log from its begin, in order.
    rows: Vec<Nanos>,
    /// Median frame time.
    period: Nanos,
}

impl Search<'_> {
    /// Returns the detail that shows most clearly where the log began, with the thread that presents its frames.
    fn clearest(&self, begins: &[PossibleBegin]) -> Option<(usize, Position, Sleeper)> {
        let mut longest: Vec<(usize, &Timeline)> = self.timelines.iter().enumerate().collect();
        longest.sort_by_key(|(_, timeline)| timeline.begin - timeline.end);
        let mut best: Option<(usize, Position, Sleeper)> = None;
        for (place, timeline) in longest.into_iter().take(MAX_SEARCHED) {
            for sleeper in sleepers(timeline, self.period) {
                let spans = begins.iter();
                let spans =
                    spans.map(|begin| (begin.at - begin.uncertainty, begin.at + begin.uncertainty));
                let found = spans
                    .filter_map(|span| sleeper.find(timeline, &self.rows, span, self.period))
                    .filter(Position::is_clear)
                    .max_by(|a, b| a.ratio.total_cmp(&b.ratio));
                let Some(found) = found else { continue };
                if best.as_ref().is_none_or(|(_, best, _)| best.ratio < found.ratio) {
                    best = Some((place, found, sleeper));
                }
            }
        }
        best
    }

    /// Finds the log in the other details, from one where its place is known outward: the clock of the log drifts, so each
    /// detail is searched near the place in the one next to it.
    fn anchors(&self, from: usize, found: Position, thread: u32, slack: Nanos) -> Vec<Anchor> {
        let mut anchors: BTreeMap<usize, Anchor> = BTreeMap::new();
        let before: Vec<usize> = (0..from).rev().collect();
        let after: Vec<usize> = (from..self.timelines.len()).collect();
        for outward in [after, before] {
            let mut near = found;
            let mut last = self.timelines.get(from).map_or(Nanos::ZERO, middle);
            for place in outward {
                let Some(timeline) = self.timelines.get(place) else { continue };
                let drift = drift_over(middle(timeline) - last);
                let reach = (NEAR + slack + drift).min(SAVED_WITHIN);
                let span = (near.begin - reach, near.begin + reach);
                let own = sleepers(timeline, self.period).into_iter();
                let mut own = own.filter(|own| own.thread == thread);
                let next = own.find_map(|own| own.find(timeline, &self.rows, span, self.period));
                if let Some(next) = next.filter(|next| next.fits_like(&found)) {
                    (near, last) = (next, middle(timeline));
                    let at = middle(timeline) - near.begin;
                    let span = (timeline.begin, timeline.end);
                    anchors.insert(place, Anchor { at, position: near, span });
                }
            }
        }
        anchors.into_values().collect()
    }
}

/// Returns by how much two clocks drift apart over a time.
fn drift_over(time: Nanos) -> Nanos {
    Nanos::new(time.abs().get() / DRIFT)
}

fn middle(timeline: &Timeline) -> Nanos {
    Nanos::new(i64::midpoint(timeline.begin.get(), timeline.end.get()))
}

/// A log with its place on the clock of a recording.
struct Joined<'a> {
    log: &'a run::capture::Recording,
    rows: Vec<(Nanos, Nanos)>,
    /// In order of time; empty where no detail shows the place.
    anchors: Vec<Anchor>,
    /// The process of the thread that presents the frames.
    process: Option<u32>,
    coarse: PossibleBegin,
    /// Time of rows that the log lost: they are missing in the sum of its frame times.
    slack: Nanos,
}

impl Anchor {
    /// Returns by how much the times of the frames in the detail may be wrong.
    fn uncertainty(&self) -> Nanos {
        self.position.uncertainty.max(MIN_UNCERTAINTY)
    }
}

impl<'a> Joined<'a> {
    fn new(
        timelines: &[Timeline],
        log: &'a run::capture::Recording,
        rows: Vec<(Nanos, Nanos)>,
        begins: &[PossibleBegin],
    ) -> Option<Self> {
        let length = rows.last()?.0;
        let coarse = *begins.iter().min_by_key(|begin| begin.uncertainty)?;
        let mut lengths: Vec<i64> = rows.iter().map(|row| row.1.get()).collect();
        let middle = lengths.len() / 2;
        let period = Nanos::new((*lengths.select_nth_unstable(middle).1).max(1));
        let at = rows.iter().map(|row| row.0).collect();
        let search = Search { timelines, rows: at, period };
        let slack = log.elapsed.map_or(Nanos::ZERO, |elapsed| (elapsed - length).abs());
        let mut joined = Self { log, rows, anchors: Vec::new(), process: None, coarse, slack };
        if let Some((place, found, sleeper)) = search.clearest(begins) {
            joined.process = sleeper.process;
            joined.anchors = search.anchors(place, found, sleeper.thread, slack);
        }
        Some(joined)
    }

    /// Returns when the log began by the clock of the recording, as it is seen at a time of the log.
    fn begin(&self, at: Nanos) -> Nanos {
        let next = self.anchors.partition_point(|anchor| anchor.at < at);
        let after = self.anchors.get(next);
        let before = next.checked_sub(1).and_then(|last| self.anchors.get(last));
        match (before, after) {
            (Some(before), Some(after)) => {
                let length = (after.at - before.at).as_f64().max(1.0);
                let share = (at - before.at).as_f64() / length;
                let more = (after.position.begin - before.position.begin).as_f64() * share;
                before.position.begin + Nanos::from_nanos_f64(more)
            }
            (Some(only), None) | (None, Some(only)) => only.position.begin,
            (None, None) => self.coarse.at,
        }
    }

    /// Returns by how much the times of the frames may be wrong, wherever they are. Beyond the first and the last detail
    /// that shows the place, the clock of the log drifts at most; between two of them, at most as far as half way between.
    /// Rows that the log lost may be missing anywhere.
    fn uncertainty(&self) -> Nanos {
        let (Some(first), Some(last)) = (self.anchors.first(), self.anchors.last()) else {
            return self.coarse.uncertainty + self.slack;
        };
        let begin = self.rows.first().map_or(Nanos::ZERO, |row| row.0);
        let end = self.rows.last().map_or(Nanos::ZERO, |row| row.0);
        let before = first.uncertainty() + drift_over(first.at - begin);
        let after = last.uncertainty() + drift_over(end - last.at);
        let between = self.anchors.windows(2).map(|pair| {
            let [one, next] = pair else { return Nanos::ZERO };
            let half = Nanos::new((next.at - one.at).get() / 2);
            one.uncertainty().max(next.uncertainty()) + drift_over(half)
        });
        between.fold(before.max(after), Nanos::max) + self.slack
    }

    /// Returns the recording with the frames of the log.
    fn recording(&self, recording: &Recording) -> Option<Recording> {
        let mut frames = RecordedFrames::default();
        let uncertainty = self.uncertainty();
        for (at, frame_time) in &self.rows {
            let presented = self.begin(*at) + *at;
            if (Nanos::ZERO..=recording.length + uncertainty).contains(&presented) {
                frames.push(presented, *frame_time);
            }
        }
        let first = frames.iter().next()?.0;
        let process = self.process.and_then(|process| {
            let row = recording.threads.iter().rfind(|row| row.process == Some(process))?;
            let main = recording.threads.iter().rfind(|row| row.thread == process);
            let started = main.and_then(|main| main.started);
            Some(RecordedProcess { process, started, name: row.process_name.clone() })
        });
        let mut joined = Recording {
            follow: Follow::Log,
            frames,
            frame_uncertainty: Some(uncertainty),
            before_join: Some(BeforeJoin {
                label: recording.label.clone(),
                follow: recording.follow,
                process: recording.process.clone(),
                frame_uncertainty: recording.frame_uncertainty,
            }),
            ..recording.clone()
        };
        for detail in &mut joined.details {
            let own = self
                .anchors
                .iter()
                .find(|anchor| anchor.span.0 <= detail.begin && detail.end <= anchor.span.1);
            detail.frame_uncertainty = own.map(Anchor::uncertainty);
        }
        if joined.label.is_empty() {
            joined.label.clone_from(&self.log.label);
        }
        joined.process = joined.process.or(process);
        // The order of what the recorder saved stays, so that the join can be undone.
        let note =
            DatedNote { at: first, kind: NoteKind::Log, text: JOINED.to_owned(), value: None };
        let place = joined.notes.partition_point(|other| other.at <= first);
        joined.notes.insert(place, note);
        let mut saved = std::mem::take(&mut joined.events).into_iter().peekable();
        let mut events = Vec::new();
        for event in Analysis::of(&joined).events {
            events.extend(std::iter::from_fn(|| saved.next_if(|saved| saved.at <= event.at)));
            let EventPath { at, length, .. } = event;
            events.push(RecordedEvent { at, length, kind: EventKind::Stutter });
        }
        events.extend(saved);
        joined.events = events;
        Some(joined)
    }
}
