//! A saved run as one entry of a list.

use std::path::PathBuf;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::Headline;
use jitterscope_engine::run::capture;
use jitterscope_engine::store::index::Line;

/// A file in the folder of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryItem {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its summary, or why it cannot be read.
    pub run: Result<RunListEntry, String>,
}

/// A run in one line.
#[derive(Clone, Debug, PartialEq)]
pub struct RunListEntry {
    /// Its display name: the user's, or test and date.
    pub name: String,
    /// The user's name for it, or empty.
    pub given_name: String,
    /// The user's note.
    pub note: String,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// The key of its test.
    pub test: &'static str,
    /// The name of its test.
    pub test_name: &'static str,
    /// Its grade and key number.
    pub headline: Headline,
    /// On which machine.
    pub machine: String,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// Measuring time.
    pub measured: Nanos,
}

impl LibraryItem {
    /// The list entry of a file.
    pub fn of(line: Line) -> Self {
        let run = line.run.and_then(|run| {
            let tests = Plan::all().into_iter().map(|plan| [plan.key(), plan.listing().name]);
            let known = tests.chain(capture::WORDS).find(|[key, _]| *key == run.test);
            let [test, test_name] = known.ok_or_else(|| format!("unknown test '{}'", run.test))?;
            Ok(RunListEntry {
                name: crate::text::name_or_date(&run.name, test_name, run.started_at),
                given_name: run.name,
                note: run.note,
                tags: run.tags,
                test,
                test_name,
                headline: run.headline,
                machine: run.machine,
                started_at: run.started_at,
                measured: run.measured,
            })
        });
        Self { path: line.path, bytes: line.bytes, run }
    }
}
