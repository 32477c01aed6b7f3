//! The saved runs, as a list shows them.

use std::path::PathBuf;

use jitterscope_engine::report::Headline;
use jitterscope_engine::store::Entry;

/// A file in the folder of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryItem {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it holds, or why it cannot be read.
    pub run: Result<RunLine, String>,
}

/// A run in one line.
#[derive(Clone, Debug, PartialEq)]
pub struct RunLine {
    /// What it is called.
    pub name: String,
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
}

impl LibraryItem {
    /// What a list shows of a file; judges the run, so it is for a thread of its own.
    pub fn of(entry: &Entry) -> Self {
        let run = match &entry.run {
            Ok(run) => Ok(RunLine {
                name: crate::text::run_name(run),
                test: run.plan.key(),
                test_name: run.plan.probe().name(),
                headline: Headline::of(run),
                machine: run.machine.short(),
                started_at: run.started_at,
            }),
            Err(error) => Err(error.to_string()),
        };
        Self { path: entry.path.clone(), bytes: entry.bytes, run }
    }
}

/// The saved runs.
#[derive(Clone, Debug, Default)]
pub struct Library {
    items: Option<Vec<LibraryItem>>,
}

impl Library {
    /// The files, the newest first; `None` while they are being read for the first time.
    pub fn items(&self) -> Option<&[LibraryItem]> {
        self.items.as_deref()
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        self.items.as_ref().map_or(0, Vec::len)
    }

    /// The last run of a test.
    pub fn last_of(&self, test: &str) -> Option<&RunLine> {
        let items = self.items.as_ref()?;
        items.iter().filter_map(|item| item.run.as_ref().ok()).find(|run| run.test == test)
    }

    pub(super) fn fill(&mut self, items: Vec<LibraryItem>) {
        self.items = Some(items);
    }
}
