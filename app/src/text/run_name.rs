//! Texts about a run or a quick check: its name, and how it ended.

use jitterscope_engine::export;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::run::{Ending, Group, Run};

use super::{date, local};

/// Returns the name of a run: the user's name, or a name derived from the settings or from what a recording followed. For a
/// part of a quick check, it consists of the name of the check and of the part.
pub fn run_name(run: &Run) -> String {
    let title = run.subject.title();
    let part = run.plan().and_then(Part::of).filter(|_| run.group.is_some());
    let Some(part) = part else {
        return name_or_title(&run.name, &title, run.subject.name());
    };
    let part = part.name().to_lowercase();
    format!("{}: {part}", name_or_title(&run.name, "", "Quick check"))
}

/// Returns name, test, and date of a run in one line; omits the test if the name is the same.
pub fn full_run_name(run: &Run) -> String {
    let (name, test) = (run_name(run), run.subject.name());
    let test = if name == test { String::new() } else { format!(" · {test}") };
    format!("{name}{test}, {}", date(&local(run.started_at)))
}

/// Returns the default name of a quick check.
pub fn check_name(began: jiff::Timestamp) -> String {
    format!("Quick check, {}", date(&local(began)))
}

/// Returns the name, or else the title derived from the settings, or else the name of the test.
pub fn name_or_title(name: &str, title: &str, test_name: &str) -> String {
    match (name, title) {
        ("", "") => test_name.to_owned(),
        ("", name) | (name, _) => export::shown_name(name),
    }
}

/// Returns the file name for an exported quick check; `group` contains the ID of the check.
pub fn check_file_name(began: jiff::Timestamp, group: Option<&Group>, extension: &str) -> String {
    let date = began.strftime("%Y-%m-%d");
    let id = group.map_or("check", |group| group.id.as_str());
    format!("{date}-quick-check-{id}.{extension}")
}

/// Returns when a run began, and how it ended if it did not finish.
pub fn began_text(began: jiff::Timestamp, ending: &Ending) -> String {
    let ended = match ending {
        Ending::Finished => "",
        Ending::Stopped => ", stopped",
        Ending::Failed(_) => ", failed",
        Ending::Recovered => ", recovered",
    };
    format!("Began {}{ended}", date(&local(began)))
}
