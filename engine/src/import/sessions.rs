//! Collects the rows of a log in order. When the clock of the file restarts, a new session begins.
//! The clock also shows whether the rows are frames or periodic readings.

use crate::nanos::Nanos;
use crate::run::capture::{Capture, CaptureSeries, FrameColumn, FrameQuantity, Recording};
use crate::sample::{Column, MISSING};

/// Maximum number of sessions per log; the rows of further sessions are added to the last one.
const MAX_SESSIONS: usize = 1_000;
/// If the clock steps back by more than this, a new session begins; after a smaller step back, the
/// rows are regarded as slightly out of order.
const NEW_SESSION_STEP: Nanos = Nanos::from_millis(100);
/// If the sum of the frame times is less than this share of the time that the clock advanced, the
/// rows are periodic readings instead of frames.
const MIN_FRAME_SHARE: f64 = 0.9;
/// If the clock advances by less than this share of the sum of the frame times, it has an
/// unexpected unit and is ignored.
const MIN_CLOCK_SHARE: f64 = 0.9;

/// Rows of a log of tick times that are at least this far apart on average are periodic readings: such logs have one row
/// per second or less, and the slowest tick of a game server in use is 600 ms.
const MIN_READING_STEP: Nanos = Nanos::from_millis(900);

/// What the rows of a log are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Frames.
    Frames,
    /// Readings of an interval.
    Readings,
    /// Ticks of a server.
    Ticks,
    /// Readings of the time of a tick.
    TickReadings,
    /// Ticks of a server, unless its rows are too far apart for ticks.
    TicksByClock,
    /// Frames, unless the frame times do not cover the time between rows.
    ByClock,
}

/// The rows of one log.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    done: Vec<LogSession>,
    now: LogSession,
    /// Label and unit of each sensor column.
    named: Vec<(String, String)>,
    /// What the columns of values of each frame hold.
    quantities: Vec<FrameQuantity>,
}

/// Rows of a log between two restarts of its clock.
#[derive(Debug, Default)]
struct LogSession {
    frame_times: Column,
    /// The timestamp of each row by the clock of the file; [`MISSING`] for a row without one.
    logged_at: Column,
    /// The first timestamp, and the sum of all frame times up to and including its row. `None` until a row
    /// has a timestamp.
    first: Option<(Nanos, Nanos)>,
    /// The values of each sensor column, in thousandths of its unit, or [`MISSING`].
    others: Vec<Column>,
    /// The values of each frame, in the order of the quantities of the log.
    per_frame: Vec<Column>,
    /// Label and unit of each sensor column; empty if they were not set before the end of the session.
    named: Vec<(String, String)>,
    /// Like `first`, but of the last timestamp.
    last: Option<(Nanos, Nanos)>,
    sum: Nanos,
}

impl Sessions {
    /// Adds a row: its frame time and its timestamp, if the file has them.
    pub(super) fn push(&mut self, time: Option<Nanos>, at: Option<Nanos>) {
        if let (Some((last, _)), Some(at)) = (self.now.last, at)
            && at + NEW_SESSION_STEP < last
        {
            self.split();
        }
        let now = &mut self.now;
        now.sum += time.unwrap_or_default();
        now.frame_times.push(time.map_or(MISSING, Nanos::get));
        now.logged_at.push(at.map_or(MISSING, Nanos::get));
        if let Some(at) = at {
            now.first.get_or_insert((at, now.sum));
            now.last = Some((at, now.sum));
        }
    }

    /// Adds a row with its sensor values: in thousandths of their units, or [`MISSING`].
    pub(super) fn push_with(&mut self, time: Option<Nanos>, at: Option<Nanos>, others: &[i64]) {
        self.push(time, at);
        let before = self.now.frame_times.len() - 1;
        add_row(&mut self.now.others, others, before);
    }

    /// Adds the values of the frame that was added last, in the order of the quantities.
    pub(super) fn push_per_frame(&mut self, values: &[i64]) {
        let before = self.now.frame_times.len().saturating_sub(1);
        add_row(&mut self.now.per_frame, values, before);
    }

    /// Sets what the values of each frame are.
    pub(super) fn set_quantities(&mut self, quantities: Vec<FrameQuantity>) {
        self.quantities = quantities;
    }

    /// Sets label and unit of the sensor columns, for this session and for sessions that have none yet.
    pub(super) fn name(&mut self, named: Vec<(String, String)>) {
        self.named = named;
    }

    /// Begins a new session, such as after a repeated header.
    pub(super) fn split(&mut self) {
        if !self.now.frame_times.is_empty() && self.done.len() + 1 < MAX_SESSIONS {
            self.now.named.clone_from(&self.named);
            self.done.push(std::mem::take(&mut self.now));
        } else {
            // At the maximum number of sessions, further rows are added to the current one, without
            // a usable clock.
            (self.now.first, self.now.last) = (None, None);
        }
    }

    /// Returns the number of rows in all sessions.
    pub(super) fn row_count(&self) -> usize {
        self.sessions().map(|session| session.frame_times.len()).sum()
    }

    /// Whether any row has a frame time.
    pub(super) fn has_times(&self) -> bool {
        self.sessions().any(|session| Nanos::ZERO < session.sum)
    }

    fn sessions(&self) -> impl Iterator<Item = &LogSession> {
        self.done.iter().chain([&self.now])
    }

    /// Returns the sessions that have frame times, as what their rows are.
    pub(super) fn into_capture(self, label: &str, rows: Rows) -> Capture {
        let mut sessions = self.done;
        sessions.push(self.now);
        sessions.retain(|session| Nanos::ZERO < session.sum);
        let is_log = match rows {
            Rows::Frames | Rows::Ticks => false,
            Rows::Readings | Rows::TickReadings => true,
            Rows::ByClock => sessions.iter().any(LogSession::has_gaps),
            Rows::TicksByClock => sessions.iter().any(LogSession::is_of_readings),
        };
        let are_ticks = matches!(rows, Rows::Ticks | Rows::TickReadings | Rows::TicksByClock);
        let count = sessions.len();
        let recordings = sessions.into_iter().zip(1..).map(|(session, number)| {
            let label = match count {
                1 => label.to_owned(),
                _ if label.is_empty() => format!("Session {number}"),
                _ => format!("{label}, session {number}"),
            };
            session.into_recording(label, is_log, are_ticks, (&self.named, &self.quantities))
        });
        let recordings = recordings.collect();
        match (are_ticks, is_log) {
            (true, true) => Capture::SampledTicks(recordings),
            (true, false) => Capture::Ticks(recordings),
            (false, true) => Capture::SampledLog(recordings),
            (false, false) => Capture::Frames(recordings),
        }
    }
}

/// Adds a value to each column, whose last row is the row `before`.
fn add_row(columns: &mut Vec<Column>, values: &[i64], before: usize) {
    columns.resize_with(values.len(), Column::new);
    for (column, &value) in columns.iter_mut().zip(values) {
        column.extend(std::iter::repeat_n(MISSING, before.saturating_sub(column.len())));
        column.push(value);
    }
}

/// Returns the columns of values of each frame that have any: all but those of one value that means nothing.
fn columns_of(columns: Vec<Column>, quantities: &[FrameQuantity]) -> Vec<FrameColumn> {
    let all = columns.into_iter().zip(quantities);
    let all = all.map(|(values, &quantity)| FrameColumn { quantity, values });
    let has_values = |column: &FrameColumn| {
        column.values.values().any(|value| match column.quantity {
            // Where all are dropped, the display was not recorded.
            FrameQuantity::Dropped => value == 0,
            _ => value != MISSING && value != 0,
        })
    };
    all.filter(has_values).collect()
}

impl LogSession {
    /// Returns the time between the first and the last timestamp, and the sum of the frame times
    /// after the first timestamp; `None` without a clock.
    fn span(&self) -> Option<(Nanos, Nanos)> {
        let ((from, sum_before), (to, sum)) = self.first.zip(self.last)?;
        Some((to - from, sum - sum_before)).filter(|(span, _)| Nanos::ZERO < *span)
    }

    fn has_gaps(&self) -> bool {
        self.span().is_some_and(|(span, sum)| sum.as_f64() < MIN_FRAME_SHARE * span.as_f64())
    }

    /// Whether the rows are too far apart for ticks of a server.
    fn is_of_readings(&self) -> bool {
        let rows = self.logged_at.values().filter(|at| *at != MISSING).count();
        let steps = i64::try_from(rows.saturating_sub(1)).unwrap_or(i64::MAX);
        self.has_gaps()
            && self
                .span()
                .is_some_and(|(span, _)| MIN_READING_STEP.get().saturating_mul(steps) <= span.get())
    }

    fn into_recording(
        self,
        label: String,
        is_log: bool,
        are_ticks: bool,
        (named, quantities): (&[(String, String)], &[FrameQuantity]),
    ) -> Recording {
        let clock = self.span().filter(|(span, sum)| {
            // A clock that advances less than the sum of the frame times has another unit: ignore this clock.
            MIN_CLOCK_SHARE * sum.as_f64() <= span.as_f64()
        });
        // The first timestamp is at the end of the first frame: add the time before it, which `span` lacks.
        let elapsed = clock.map(|(span, sum)| span + (self.sum - sum));
        let start = self.first.map_or(0, |(at, _)| at.get());
        let from_start = |at: i64| if at == MISSING { MISSING } else { at.saturating_sub(start) };
        // Between two ticks, a server waits: the sum of their times is not the time of a row.
        let logged_at = if (is_log || are_ticks) && clock.is_some() {
            self.logged_at.values().map(from_start).collect()
        } else {
            Column::new()
        };
        let named = if self.named.is_empty() { named } else { &self.named };
        let all = self.others.into_iter().zip(named);
        let series = all.map(|(values, (label, unit))| CaptureSeries {
            label: label.clone(),
            unit: unit.clone(),
            at: Column::new(),
            values,
        });
        // A column with a single value is not a series: the value is a fact about the machine in the first row.
        let is_series = |one: &CaptureSeries| {
            1 < one.values.values().filter(|value| *value != MISSING).take(2).count()
        };
        let series = series.filter(is_series).collect();
        let per_frame = if is_log { Vec::new() } else { columns_of(self.per_frame, quantities) };
        Recording { label, frame_times: self.frame_times, logged_at, elapsed, series, per_frame }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: i64) -> Nanos {
        Nanos::from_millis(count)
    }

    #[test]
    fn frames_that_fill_their_time_are_frames_and_others_are_readings() {
        let (mut frames, mut log) = (Sessions::default(), Sessions::default());
        for k in 1..=100 {
            frames.push(Some(millis(10)), Some(millis(5 + k * 10)));
            log.push(Some(millis(10)), Some(millis(5 + k * 100)));
        }
        let Capture::Frames(frames) = frames.into_capture("a", Rows::ByClock) else {
            panic!("frames")
        };
        assert_eq!((frames[0].elapsed, frames[0].logged_at.len()), (Some(millis(1_000)), 0));
        let Capture::SampledLog(log) = log.into_capture("a", Rows::ByClock) else {
            panic!("a log")
        };
        assert_eq!(
            (log[0].elapsed, log[0].logged_at.get(1)),
            (Some(millis(9_910)), Some(100_000_000))
        );
    }

    #[test]
    fn clock_that_starts_again_splits_sessions() {
        let mut sessions = Sessions::default();
        for k in (1..=50).chain(1..=30) {
            sessions.push(Some(millis(10)), Some(millis(k * 10)));
        }
        // A row that is slightly out of order does not begin a new session.
        sessions.push(Some(millis(10)), Some(millis(280)));
        let Capture::Frames(recordings) = sessions.into_capture("game", Rows::ByClock) else {
            panic!("frames")
        };
        let shown: Vec<(&str, usize)> =
            recordings.iter().map(|one| (one.label.as_str(), one.frame_times.len())).collect();
        assert_eq!(shown, [("game, session 1", 50), ("game, session 2", 31)]);
    }

    #[test]
    fn clock_in_another_unit_is_not_believed() {
        let mut sessions = Sessions::default();
        for k in 1..=50 {
            sessions.push(Some(millis(10)), Some(Nanos::new(k * 10_000)));
        }
        let Capture::Frames(recordings) = sessions.into_capture("", Rows::ByClock) else {
            panic!("frames")
        };
        assert_eq!(recordings[0].elapsed, None);
        assert_eq!(recordings[0].length(), Nanos::from_millis(500));
    }

    #[test]
    fn rows_without_a_time_are_retained_as_missing() {
        let mut sessions = Sessions::default();
        sessions.push(None, None);
        assert!(!sessions.has_times());
        sessions.push(Some(millis(10)), None);
        assert_eq!(sessions.row_count(), 2);
        let Capture::Frames(recordings) = sessions.into_capture("", Rows::ByClock) else {
            panic!("frames")
        };
        assert_eq!(recordings[0].missing_count(), 1);
    }
}
