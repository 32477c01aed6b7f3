//! Texts about exports: the use of each format, the outcome, and the next step after a failure.

use std::path::{Path, PathBuf};

use jitterscope_engine::export::{IncludedNames, NameMatch};
use jitterscope_engine::stats::distinct;

/// Reported after a text for a chat was copied.
pub const CHAT_COPIED: &str = "Copied for a chat.";
/// Shown if there is no result to export.
pub const NOTHING_TO_EXPORT: &str = "There is no result to export yet: run the test or open a run.";

/// Label and use of the image format.
pub const IMAGE: [&str; 3] = ["PNG", "The result as shown on its page", "png"];

/// Label and use of a comparison for a ticket.
pub const COMPARISON: [&str; 3] = ["Comparison", "All runs, for a ticket", "comparison"];

/// Label and use of a comparison as an HTML page.
pub const COMPARISON_PAGE: [&str; 3] =
    ["Comparison as HTML", "All runs, for any browser", "comparison-html"];

/// The effect of opening a report in the browser.
pub const IN_BROWSER: &str =
    "Writes the report to the folder for temporary files and opens it in the browser.";

/// What the preview of an exported page shows: the texts and tables of the page, without its plots.
pub const OUTLINE: &str = "text and tables; plots in the browser";

/// The effect of omitting parts of a run from a page.
pub const NOT_WHOLE: &str = "With parts omitted, the report cannot be imported again.";

/// Maximum number of files named in the question whether to replace files.
const MAX_NAMED: usize = 4;

/// Returns the label for exporting all configurations of a run.
pub fn all_rows(count: usize) -> String {
    format!("All {count} configurations")
}

/// Returns which names an export excludes, for the line below the switches that include names.
pub fn skipped(included_names: IncludedNames) -> String {
    let names = match (included_names.host, included_names.user) {
        (false, false) => "Host and user name are excluded. File paths are shortened.",
        (true, false) => "The user name is excluded. File paths are shortened.",
        (false, true) => "The host name is excluded. File paths are shortened.",
        (true, true) => "Host and user name are included, and file paths are complete.",
    };
    let programs = if included_names.programs {
        "Programs keep their names."
    } else {
        "Programs that the verdict does not name are called Program A, B, \u{2026}."
    };
    format!("{names} {programs}")
}

/// Returns which kinds of names of this PC were found in the exported file.
pub fn searched(finds: &[NameMatch]) -> String {
    if finds.is_empty() {
        return "Searched for this PC's host name, user name, and home folder: none found."
            .to_owned();
    }
    let kinds = distinct(finds.iter().map(|find| find.what));
    format!("Contains this PC's {}.", kinds.join(" and "))
}

/// Returns the name of a file without its folder.
fn name(file: &Path) -> String {
    file.file_name()
        .map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Returns the message after files (at least one) were written.
pub fn saved(files: &[PathBuf]) -> String {
    let folder = files.first().and_then(|file| file.parent()).map_or(String::new(), name);
    match files {
        [file] => format!("Saved {} in {folder}.", name(file)),
        files => format!("Saved {} files in {folder}.", files.len()),
    }
}

/// Returns the question whether to replace files of one folder (at least one), and the effect of
/// the answers.
pub fn replacing(files: &[PathBuf]) -> (String, String) {
    let title = match files {
        [file] => format!("Replace {}?", name(file)),
        files => format!("Replace {} files?", files.len()),
    };
    let folder = files.first().and_then(|file| file.parent()).map_or(String::new(), name);
    let shown: Vec<String> = files.iter().take(MAX_NAMED).map(|file| name(file)).collect();
    let more = match files.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let text = format!(
        "{folder} already has {}{more}. Cancel writes no file of this export.",
        shown.join(", ")
    );
    (title, text)
}

/// Returns the message for files (at least one) that could not be written.
pub fn not_saved(errors: &[String]) -> String {
    let first = errors.first().map_or("", String::as_str);
    let others = match errors.len() {
        0 | 1 => String::new(),
        count => format!(" {} other files failed, too.", count - 1),
    };
    format!(
        "Could not save: {first}.{others} The runs are still in the library: choose another \
         folder, or free some space in this one."
    )
}

/// Returns the message for an export whose run cannot be opened.
pub fn not_opened(error: &str) -> String {
    format!(
        "This cannot be exported: {error}. Click \"Read folder again\" on the Runs page: the file \
         may have moved."
    )
}

/// Returns the message after content of this kind was copied to the clipboard.
pub fn copied(kind: &str, is_for_ticket: bool, size: &str) -> String {
    if is_for_ticket {
        format!("Report copied as Markdown, {size}.")
    } else {
        format!("Copied: {kind}, {size}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_and_counted() {
        let files = |names: &[&str]| -> Vec<PathBuf> {
            names.iter().map(|name| PathBuf::from("reports").join(name)).collect()
        };
        assert_eq!(saved(&files(&["a.html"])), "Saved a.html in reports.");
        assert_eq!(saved(&files(&["a.html", "b.html"])), "Saved 2 files in reports.");
        let failed = not_saved(&["no space left: /x/a".to_owned(), "other".to_owned()]);
        assert!(failed.contains("no space left: /x/a") && failed.contains("1 other"), "{failed}");
        let find = |what| NameMatch { what, name: "x".to_owned() };
        assert_eq!(
            searched(&[find("host name"), find("host name"), find("user name")]),
            "Contains this PC's host name and user name."
        );
    }
}
