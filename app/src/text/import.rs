//! Texts about the import of files: questions, file kinds, outcomes, and unreadable lines.

use jitterscope_engine::import::{BadLines, DetectedKind};

use super::format_count;

/// Shown for files dropped while a test runs.
pub const WHILE_RUNNING: &str = "A test is running. Open files when it is finished.";

/// Shown for a folder without supported files.
pub const NOTHING_THERE: &str =
    "No supported files found: folders are searched for JSON, HTML, and CSV files.";

/// Shown for a run whose ID belongs to another saved run.
pub const OTHER_OF_THAT_ID: &str =
    "The library already contains a run with this ID. This one is open but not saved.";

/// Shown for a recording that is saved with less than the opened file has.
pub const SAVED_WITH_LESS: &str = "The library contains this recording without the detail or the joined log of this file. \
    This one is open but not saved: delete the saved one to save it.";

/// Shown for a quick check of which a run has the ID of another saved run.
pub const OTHER_CHECK_OF_THAT_ID: &str =
    "the library contains another run with the ID of one of its runs";

/// Shown for a quick check where no folder of runs is known.
pub const NO_FOLDER: &str =
    "a quick check opens only where runs are saved; select a folder in Settings";

/// Shown for a file of this program without a run.
pub const NO_RUN: &str = "it contains no run";

/// The list of supported files.
pub const KINDS: &str = "Jitterscope JSON and HTML; MangoHud, PresentMon, CapFrameX, OCAT, \
                         FrameView, and Afterburner logs; cyclictest, HdrHistogram, and rtla \
                         histograms. No data leaves this PC.";

/// The question for a capture with several processes or swap chains.
pub const WHICH_SERIES: &str = "Which process?";

/// The error if the path to open is a device or a pipe.
pub const NOT_A_FILE: &str = "not a regular file; save its content as a file first";

/// The question for a file with unknown columns.
pub const WHICH_COLUMN: &str = "Which column is the frame time?";

/// How the format of a file is detected.
pub const RECOGNIZED: &str =
    "The program and the file format are recognized by the file's content.";

/// Shown for a file whose name does not reveal its format.
pub const UNKNOWN_ENDING: &str = "Detected by content";

/// Returns the text for files dragged over the window.
pub fn drop(files: usize) -> String {
    match files {
        1 => "Drop to import".to_owned(),
        files => format!("Drop to import {files} files"),
    }
}

/// Shown for a dragged folder.
pub const FOLDER: &str = "Folder: opens all supported files";

/// Shown for a dragged file that cannot be read.
pub const CLOSED: &str = "Cannot be read: will be skipped";

/// Shown for a dragged file of an unsupported kind.
pub const NOT_SUPPORTED: &str = "Not supported: will be skipped";

/// Returns the label of a file's kind, detected from its first lines; `None` if the file is not
/// supported.
pub fn kind_label(name: &str, kind: DetectedKind) -> Option<&'static str> {
    Some(match kind {
        DetectedKind::Json if name.to_lowercase().ends_with(".jitterscope.json") => {
            "Jitterscope run"
        }
        DetectedKind::Json => "Run or capture",
        DetectedKind::Html => "Jitterscope report",
        DetectedKind::FrameTimes => "Frame times, 1 column used",
        DetectedKind::Histogram => "Latency histogram",
        DetectedKind::Table => "Table: asks for its column",
        DetectedKind::Nothing => return None,
    })
}

/// Returns the label of a file's likely kind from its name; `None` if unknown. When the file is
/// opened, its content decides.
pub fn expected_kind(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let kinds = [
        (".jitterscope.json", "Jitterscope run"),
        (".json", "Run or capture"),
        (".html", "Jitterscope report"),
        (".htm", "Jitterscope report"),
        (".csv", "Frame times"),
        (".hml", "Frame times"),
        (".hgrm", "Latency histogram"),
    ];
    if !name.contains('.') {
        return Some("Folder");
    }
    kinds.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| kind)
}

/// Returns the message about a capture with several processes or swap chains.
pub fn several(file: &str, series: usize) -> String {
    format!("{file} contains {series} series of frames, one per swap chain of each process.")
}

/// Returns the message about a file with unknown columns.
pub fn columns(file: &str) -> String {
    format!("{file} has an unknown format. Its first lines:")
}

/// Returns a sentence about unreadable lines; `None` if there are none.
pub fn bad_lines(bad: &BadLines) -> Option<String> {
    let (line, reason) = bad.first.first()?;
    let first = format!("line {line}: {reason}");
    Some(match bad.count {
        1 => format!("One line cannot be read ({first})."),
        lines => format!("{} lines cannot be read (first {first}).", format_count(lines)),
    })
}

/// Returns the message after a file was opened: its name, kind, and remarks.
pub fn arrived(file: &str, source: &str, was_known: bool, remarks: &[String]) -> String {
    let mut text = if was_known {
        format!("{file} is already in the library.")
    } else {
        format!("Opened {file}: {source}.")
    };
    for remark in remarks {
        text.push(' ');
        text.push_str(remark);
    }
    text
}

/// Returns the message after several files were opened.
pub fn import_summary(runs: usize, known: usize, failed: usize) -> String {
    let mut text = format!("Opened {} of {} files.", runs, runs + failed);
    match known {
        0 => {}
        1 => text.push_str(" One was already in the library."),
        known => text.push_str(&format!(" {known} were already in the library.")),
    }
    text
}

/// Returns the message for a file that could not be opened.
pub fn failed(file: &str, why: &str) -> String {
    format!("{file}: {why}.")
}

/// Returns the message about further failed files that are not listed.
pub fn more_failed(files: usize) -> String {
    match files {
        1 => "One more file cannot be opened.".to_owned(),
        files => format!("{files} more files cannot be opened."),
    }
}

/// Returns the message for a run that is open but could not be saved.
pub fn not_saved(error: &str) -> String {
    format!("It is open but not saved: {error}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_came_in_is_reported_with_what_could_not_be_read() {
        let bad = BadLines { count: 3, first: vec![(812, "not a number")] };
        let remarks: Vec<String> = bad_lines(&bad).into_iter().collect();
        assert_eq!(
            arrived("frames.csv", "MangoHud log", false, &remarks),
            "Opened frames.csv: MangoHud log. 3 lines cannot be read (first line 812: not a \
             number)."
        );
        assert_eq!(import_summary(2, 1, 1), "Opened 2 of 3 files. One was already in the library.");
        assert_eq!(bad_lines(&BadLines::default()), None);
    }
}
