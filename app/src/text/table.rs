//! Results as tables of words: what the window draws and what the command line prints, cell by cell.

mod capture;
mod game_tick;
mod gaps;
mod real_time;
mod waits;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::Report;
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::Grade;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// What stands above it.
    pub title: String,
    /// The same in short, where the group above it says the rest; empty where there is none.
    pub short: &'static str,
    /// Whether its cells stand at the left.
    pub is_text: bool,
    /// The least width on screen, in points.
    pub width: u16,
    /// Whether it is left out on screen where there is little room.
    pub is_extra: bool,
}

impl Column {
    /// A column of words.
    pub fn text(title: &str, width: u16) -> Self {
        Self { title: title.to_owned(), short: "", is_text: true, width, is_extra: false }
    }

    /// A column of numbers.
    pub fn number(title: &str, width: u16) -> Self {
        Self { title: title.to_owned(), short: "", is_text: false, width, is_extra: false }
    }

    /// It is left out on screen where there is little room.
    #[must_use]
    pub const fn extra(mut self) -> Self {
        self.is_extra = true;
        self
    }

    /// What stands above it where there is a group.
    #[must_use]
    pub const fn short(mut self, short: &'static str) -> Self {
        self.short = short;
        self
    }
}

/// Columns that belong together, with words above them all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The words; empty where the columns have none.
    pub title: String,
    /// How many columns there are.
    pub columns: usize,
    /// Which series of the plots it is, where it is one.
    pub series: Option<usize>,
}

/// A line of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The words in the order of the columns.
    pub cells: Vec<String>,
    /// What stands last, with icon and word; absent where nothing is judged.
    pub grade: Option<Grade>,
    /// The number that counts: position of its cell.
    pub strong: Option<usize>,
    /// Rows of the report this line shows.
    pub rows: Vec<usize>,
    /// Why a person should look twice: refused, left out, too few.
    pub caution: String,
    /// Whether the line is the one to look at first.
    pub is_key: bool,
    /// Which series of the plots it is, where it is one: its mark stands before the second cell.
    pub series: Option<usize>,
}

/// A table of words.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultTable {
    /// What it shows.
    pub title: &'static str,
    /// Unit, count, order: a few words beside the title.
    pub note: String,
    /// The columns; a grade stands behind the last one where a line has one.
    pub columns: Vec<Column>,
    /// What stands above columns that belong together, from left to right; empty where nothing does.
    pub groups: Vec<Group>,
    /// Whether lines can have a grade.
    pub has_grades: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

/// The table of a run of any kind but the frame loop, which has its own.
pub fn of(run: &Run, report: &Report) -> Option<ResultTable> {
    let Some(plan) = run.plan() else { return capture::of(run, report) };
    match plan {
        Plan::FrameLoop(_) => None,
        Plan::SleepAccuracy(_) => Some(waits::sleep(report)),
        Plan::SpinStrategies(_) => Some(waits::spin(report)),
        Plan::SchedulingGaps(_) => Some(gaps::of(report)),
        Plan::RealTime(_) => Some(real_time::of(report)),
        Plan::GameTick(settings) => Some(game_tick::of(report, settings.budget)),
    }
}

/// What a person should know of a row before its numbers.
fn caution_of(row: &jitterscope_engine::report::Row) -> String {
    if let Some(reason) = &row.skipped {
        return format!("skipped: {reason}");
    }
    match &row.granted {
        Some(_) if row.is_as_asked() => String::new(),
        Some(_) => format!("not as requested: ran at {}", row.granted_text()),
        None => String::new(),
    }
}
