//! What a run is called, and how it ended.

use jitterscope_engine::export;
use jitterscope_engine::run::{Ending, Run};

use super::{date, local};

/// What a run is called: its own name, or test and date.
pub fn run_name(run: &Run) -> String {
    name_or_date(&run.name, run.subject.name(), run.started_at)
}

/// What a run is called, its test and its date, each once: for a line that has no other place for them.
pub fn full_run_name(run: &Run) -> String {
    let name = run_name(run);
    if run.name.is_empty() {
        return name;
    }
    format!("{name} · {}, {}", run.subject.name(), date(&local(run.started_at)))
}

/// A name, or where there is none, test and date.
pub fn name_or_date(name: &str, test_name: &str, started_at: jiff::Timestamp) -> String {
    if name.is_empty() {
        format!("{test_name}, {}", date(&local(started_at)))
    } else {
        export::shown_name(name)
    }
}

/// How a run ended, in a word before its date.
pub const fn ending_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Finished => "Finished",
        Ending::Stopped => "Stopped",
        Ending::Failed(_) => "Failed",
        Ending::Recovered => "Recovered",
    }
}
