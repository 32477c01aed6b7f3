//! Files that come in, in words: what became of each, and what could not be read.

use jitterscope_engine::import::{BadLines, Likely};

use super::count;

/// What is said where files are dropped on a window that measures.
pub const WHILE_RUNNING: &str = "A test is running: open files when it is over.";

/// What is said of a folder without files that can be opened.
pub const NOTHING_THERE: &str =
    "Nothing to open there: JSON, HTML and CSV files are looked for in folders.";

/// What is said of a run whose id is that of another run.
pub const OTHER_OF_THAT_ID: &str =
    "Another run with this id is in the library: this one is shown and not kept.";

/// What can be opened.
pub const KINDS: &str = "Jitterscope JSON and HTML; MangoHud, PresentMon, CapFrameX, OCAT, FrameView, and Afterburner \
     logs; cyclictest, HdrHistogram, and rtla histograms. Nothing leaves this PC.";

/// What is asked of a capture of several processes or swap chains.
pub const WHICH_SERIES: &str = "Which process?";

/// What is said of a device or a pipe.
pub const NOT_A_FILE: &str = "not a regular file";

/// What is asked of a file with columns that no known program wrote.
pub const WHICH_COLUMN: &str = "Which column is the frame time?";

/// How the program that wrote a file is found.
pub const RECOGNIZED: &str =
    "The program and the file format are recognized by the file's content.";

/// What is said of a file whose name tells nothing.
pub const UNKNOWN_ENDING: &str = "Tried by its content";

/// What is said of files over the window.
pub fn drop(files: usize) -> String {
    match files {
        1 => "Drop to import".to_owned(),
        files => format!("Drop to import {files} files"),
    }
}

/// What is said of a folder.
pub const FOLDER: &str = "Folder: what can be read in it";

/// What is said of a file that cannot be read.
pub const CLOSED: &str = "Cannot be read: will be skipped";

/// What is said of a file that is nothing that can be read here.
pub const NOT_SUPPORTED: &str = "Not supported: will be skipped";

/// What a file will be taken for by its first lines; `None` where by nothing.
pub fn likely(name: &str, likely: Likely) -> Option<&'static str> {
    Some(match likely {
        Likely::Json if name.to_lowercase().ends_with(".jitterscope.json") => "Jitterscope run",
        Likely::Json => "Run or capture",
        Likely::Html => "Jitterscope report",
        Likely::FrameTimes => "Frame times, 1 column used",
        Likely::Histogram => "Histogram of latencies",
        Likely::Table => "Table: asks for its column",
        Likely::Nothing => return None,
    })
}

/// What a file is taken for by its name; its content decides when it is opened.
pub fn taken_for(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let kinds = [
        (".jitterscope.json", "Jitterscope run"),
        (".json", "Run or capture"),
        (".html", "Jitterscope report"),
        (".htm", "Jitterscope report"),
        (".csv", "Frame times"),
        (".hml", "Frame times"),
        (".hgrm", "Histogram of latencies"),
    ];
    if !name.contains('.') {
        return Some("Folder");
    }
    kinds.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| kind)
}

/// How many processes and swap chains a capture holds.
pub fn several(file: &str, series: usize) -> String {
    format!("{file} holds {series} series of frames, one for each swap chain of each process.")
}

/// A file with columns, none of which is known.
pub fn columns(file: &str) -> String {
    format!("{file} was written by no program that is known here. Its first lines:")
}

/// Lines that could not be read, in a sentence.
pub fn bad_lines(bad: &BadLines) -> Option<String> {
    let (line, reason) = bad.first.first()?;
    let first = format!("line {line}: {reason}");
    Some(match bad.count {
        1 => format!("One line cannot be read ({first})."),
        lines => format!("{} lines cannot be read (first {first}).", count(lines)),
    })
}

/// A file was opened: its name, what kind it was, and what a reader should know.
pub fn arrived(file: &str, source: &str, was_known: bool, remarks: &[String]) -> String {
    let mut text = if was_known {
        format!("{file} is in the library already.")
    } else {
        format!("Opened {file}: {source}.")
    };
    for remark in remarks {
        text.push(' ');
        text.push_str(remark);
    }
    text
}

/// Several files were opened.
pub fn arrived_all(runs: usize, known: usize, failed: usize) -> String {
    let mut text = format!("Opened {} of {} files.", runs, runs + failed);
    match known {
        0 => {}
        1 => text.push_str(" One was in the library already."),
        known => text.push_str(&format!(" {known} were in the library already.")),
    }
    text
}

/// A file could not be opened.
pub fn failed(file: &str, why: &str) -> String {
    format!("{file}: {why}.")
}

/// More files than are told one by one.
pub fn more_failed(files: usize) -> String {
    match files {
        1 => "One more file cannot be opened.".to_owned(),
        files => format!("{files} more files cannot be opened."),
    }
}

/// A run is shown and not kept.
pub fn not_kept(error: &str) -> String {
    format!("It is shown and not kept: {error}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_came_in_is_told_with_what_could_not_be_read() {
        let bad = BadLines { count: 3, first: vec![(812, "not a number")] };
        let remarks: Vec<String> = bad_lines(&bad).into_iter().collect();
        assert_eq!(
            arrived("frames.csv", "MangoHud log", false, &remarks),
            "Opened frames.csv: MangoHud log. 3 lines cannot be read (first line 812: not a number)."
        );
        assert_eq!(arrived_all(2, 1, 1), "Opened 2 of 3 files. One was in the library already.");
        assert_eq!(bad_lines(&BadLines::default()), None);
    }
}
