//! The game: its frames from its log, placed on the clock, its name, and its process.

use super::Recorder;
use super::alignment::Alignment;
use super::stutters::MAX_STUTTER;
use crate::import::{LogNews, LogRow};
use crate::nanos::Nanos;
use crate::platform::{self, clock_nanos, raw_clock_nanos};
use crate::run::MAX_SAVED_SAMPLES;
use crate::run::recording::{EventKind, LaterGame, NoteKind, RecordedEvent, RecordedProcess, name};
use crate::units::cut;

/// Rows are placed on the clock this long after the first one: until then, the fastest one may still come.
const ALIGN_FOR: Nanos = Nanos::from_secs(2);
/// The alignment is corrected later if it was wrong by more than this.
const MAX_MISALIGNMENT: Nanos = Nanos::from_micros(300);
/// Maximum number of rows that are read in one step: more than a game writes in a minute.
const MAX_NEWS: usize = 1 << 13;
/// Maximum number of frames and of events of a recording: a file with more could not be opened again.
const MAX_FRAMES: usize = MAX_SAVED_SAMPLES;
pub(super) const MAX_EVENTS: usize = 200_000;
/// Maximum number of characters of a name that a log states.
const MAX_NAME: usize = 200;
/// Two processes with one number are the same if they started this close together: the system counts in ticks.
const SAME_START: Nanos = Nanos::from_millis(100);

impl Recorder {
    /// Reads what is new in the log of the game.
    pub(super) fn read_log(&mut self) {
        let Some(log) = &self.log else { return };
        // A log that grows without end must not keep this thread from its other work.
        let news: Vec<LogNews> = log.news.try_iter().take(MAX_NEWS).collect();
        let now = Nanos::new(clock_nanos());
        for news in news {
            match news {
                LogNews::OwnDelay(delay) => self.own_delay = Some(delay),
                LogNews::BadRows(count) => self.more.tier.bad_row_count += count,
                LogNews::Note(text) => self.note(now, NoteKind::Log, text, None),
                LogNews::Begun(stem) => {
                    self.align(true);
                    self.begin_log();
                    self.name_by_log(&stem);
                }
                LogNews::Row(row, arrived) => self.add_row(&row, arrived),
            }
        }
        self.align(false);
    }

    /// Begins a log: its clock has another start.
    fn begin_log(&mut self) {
        self.alignment = Alignment::new(self.own_delay);
        (self.log_begin, self.first_arrival) = (None, None);
        self.unaligned.clear();
        self.row_sum = Nanos::ZERO;
    }

    /// Finds the game by the name of its log, such as `witcher3_2026-11-28_21-53-28`, unless its process was requested.
    fn name_by_log(&mut self, stem: &str) {
        self.row_process = None;
        let program = program_of_log(stem);
        if self.more.label.is_empty() {
            self.more.label = cut(program, MAX_NAME).into_owned();
        }
        let is_asked = self.request.process.is_none() && !program.is_empty();
        if is_asked && self.log_process.as_deref() != Some(program) {
            self.log_process = Some(program.to_owned());
            self.process = None;
        }
        self.follow_process();
        // Without a process, the frames of another log are those of another game, as far as is known.
        if self.process.is_none() && self.has_rows {
            let begin = Nanos::new(clock_nanos()) - self.start;
            self.begin_later_game(LaterGame { begin, process: None });
        }
    }

    /// Looks for the process of the game until it is found, and again after it has ended: the game may be started again.
    pub(super) fn follow_process(&mut self) {
        self.find_process();
        if let Some(process) = &self.process {
            self.tracer.follow(process.process);
        }
    }

    fn find_process(&mut self) {
        if let Some(process) = &self.process {
            let facts = platform::thread_facts(process.process);
            let started = facts.and_then(|facts| facts.started).map(|at| at - self.start);
            let is_same = match (process.started, started) {
                (Some(before), Some(now)) => (now - before).get().abs() <= SAME_START.get(),
                (None, _) => true,
                (Some(_), None) => false,
            };
            if is_same {
                self.process_seen = Nanos::new(clock_nanos()) - self.start;
                return;
            }
            self.process = None;
        }
        let Some(wanted) = self.request.process.as_ref().or(self.log_process.as_ref()) else {
            return;
        };
        // A number may be used again, by any program.
        let number = wanted.parse::<u32>().ok();
        if number.is_some() && self.found_number == number {
            return;
        }
        let Some(process) = platform::find_process(wanted) else { return };
        let Some(facts) = platform::thread_facts(process) else { return };
        if self.more.label.is_empty() {
            self.more.label.clone_from(&facts.process_name);
        }
        self.found_number = number;
        let started = facts.started.map(|started| started - self.start);
        let found = RecordedProcess { process, started, name: facts.process_name };
        self.process = Some(found.clone());
        if self.more.process.is_none() && !self.has_later_games {
            self.more.process = Some(found);
            return;
        }
        // A launcher, or another process with the name, may have started before the game that was followed until now.
        let now = Nanos::new(clock_nanos()) - self.start;
        let begin = started.unwrap_or(now).max(self.process_seen);
        self.begin_later_game(LaterGame { begin, process: Some(found) });
    }

    fn begin_later_game(&mut self, game: LaterGame) {
        self.has_later_games = true;
        self.more.later_games.push(game);
    }

    /// Finds the game by what a row states of its process, unless it was requested. A number shows more than a name; another
    /// one is that of a game that was started again.
    fn name_by_row(&mut self, row: &LogRow) {
        if self.request.process.is_some() || row.process.is_empty() {
            return;
        }
        let is_known = match row.process_id {
            Some(id) => self.row_process == Some(id),
            None => self.log_process.is_some(),
        };
        if is_known {
            return;
        }
        self.row_process = row.process_id;
        let process = row.process_id.map_or_else(|| row.process.clone(), |id| id.to_string());
        self.more.label = cut(&row.process, MAX_NAME).into_owned();
        self.log_process = Some(process);
        self.process = None;
        self.follow_process();
        if self.process.is_none() && self.has_rows {
            let begin = Nanos::new(clock_nanos()) - self.start;
            self.begin_later_game(LaterGame { begin, process: None });
        }
    }

    fn add_row(&mut self, row: &LogRow, arrived: Nanos) {
        self.name_by_row(row);
        let Some(frame_time) = row.frame_time else { return };
        if row.at.is_none() && self.alignment.is_after_pause(frame_time, arrived) {
            self.align(true);
            self.begin_log();
        }
        self.has_rows = true;
        self.row_sum += frame_time;
        let at = row.at.unwrap_or(self.row_sum);
        self.alignment.add(at, arrived);
        self.first_arrival.get_or_insert(arrived);
        self.unaligned.push((at, frame_time));
        if let Some(load) = row.gpu_load {
            let now = Nanos::new(clock_nanos()) - self.start;
            if Nanos::from_secs(1) <= now - self.gpu_load_at {
                self.gpu_load_at = now;
                self.more.series.entry(name::GPU_LOAD.to_owned()).or_default().push(now, load);
            }
        }
    }

    /// Places rows on the clock, once enough of them have arrived or the log ends.
    pub(super) fn align(&mut self, is_end: bool) {
        let raw = Nanos::new(raw_clock_nanos());
        let is_enough = self.first_arrival.is_some_and(|first| ALIGN_FOR <= raw - first);
        if self.unaligned.is_empty() || !(is_enough || is_end || self.log_begin.is_some()) {
            return;
        }
        let Some(found) = self.alignment.begin() else { return };
        let log_begin = match self.log_begin {
            Some(begin) if (begin - found).get().abs() <= MAX_MISALIGNMENT.get() => begin,
            _ => found,
        };
        self.log_begin = Some(log_begin);
        // The raw clock and the clock of the records drift apart by less than 1 ms per second.
        let to_clock = Nanos::new(clock_nanos()) - raw;
        for (at, frame_time) in std::mem::take(&mut self.unaligned) {
            let presented = log_begin + at + to_clock - self.start;
            let factor = f64::from(self.request.limits.stutter_permille) / 1e3;
            let is_stutter = self.live.add(frame_time, factor);
            // Frames from before the recording have no detail.
            if presented < Nanos::ZERO {
                continue;
            }
            if !self.has_room_for_frames("frames") {
                self.more.tier.bad_row_count += 1;
                continue;
            }
            self.more.frames.push(presented, frame_time);
            let (at, length, kind) = (presented, frame_time, EventKind::Stutter);
            if is_stutter
                && frame_time <= MAX_STUTTER
                && self.add_event(RecordedEvent { at, length, kind })
            {
                self.wanted.add_event(at, length);
            }
        }
    }

    /// Whether another frame, or cycle, has room; notes the first one that has none.
    pub(super) fn has_room_for_frames(&mut self, noun: &str) -> bool {
        let before = self.run.recording().map_or(0, |recording| recording.frames.len());
        let has_room = before + self.more.frames.len() < MAX_FRAMES;
        if !has_room {
            self.fill(noun, &MAX_FRAMES.to_string());
        }
        has_room
    }

    /// Notes that no more frames, or cycles, are saved, the first time.
    pub(super) fn fill(&mut self, noun: &str, max: &str) {
        if !std::mem::replace(&mut self.is_full, true) {
            let text = format!("later {noun} are not saved: a recording has at most {max}");
            self.note(Nanos::new(clock_nanos()), NoteKind::Log, text, None);
        }
    }

    /// Whether another event has room.
    pub(super) fn has_room_for_events(&self) -> bool {
        let before = self.run.recording().map_or(0, |recording| recording.events.len());
        before + self.more.events.len() < MAX_EVENTS
    }

    /// Adds an event; returns whether it had room. A report finds the stutters again by the frames.
    pub(super) fn add_event(&mut self, event: RecordedEvent) -> bool {
        let has_room = self.has_room_for_events();
        if has_room {
            self.more.events.push(event);
        }
        has_room
    }
}

/// Returns the program in the name of a log of MangoHud, `PROGRAM_YYYY-MM-DD_HH-MM-SS`; else the whole name.
fn program_of_log(stem: &str) -> &str {
    let is_date = |text: &str| {
        text.len() == 10 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
    };
    let mut parts = stem.rsplitn(3, '_');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(_), Some(date), Some(program)) if is_date(date) => program,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_is_named_by_its_log() {
        assert_eq!(program_of_log("vkcube_2026-11-28_21-53-28"), "vkcube");
        assert_eq!(program_of_log("my_game.exe_2026-11-28_21-53-28"), "my_game.exe");
        assert_eq!(program_of_log("frames"), "frames");
        assert_eq!(program_of_log("a_b_c"), "a_b_c");
    }
}
