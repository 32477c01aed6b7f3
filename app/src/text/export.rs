//! Exports in words: what each kind is good for, what became of it, what to do where it failed.

use std::path::{Path, PathBuf};

use jitterscope_engine::export::{Find, LeftIn};

use super::count;
use super::document::{Block, MOST_ROWS};

/// What is said where there is no result yet.
pub const NOTHING_TO_EXPORT: &str = "There is no result to export yet: run the test or open a run.";

/// A picture: what it is called and what it is good for.
pub const PICTURE: [&str; 2] = ["PNG", "The result as its page shows it"];

/// A comparison: what it is called and what it is good for.
pub const COMPARISON: [&str; 2] = ["Comparison", "Markdown of all runs side by side, for a ticket"];

/// What opening a report in the browser does.
pub const IN_BROWSER: &str =
    "Writes the report into the folder for temporary files and shows it in the browser.";

/// What it means that parts of a run are left out of a page.
pub const NOT_WHOLE: &str = "With parts left out, the report cannot be imported again.";

/// What is shown of a file as it will look: all of it, or how much.
pub fn rendered(is_cut: bool, blocks: &[Block]) -> String {
    match blocks {
        [Block::Table(sheet)] => {
            let rows = count(u64::try_from(sheet.rows.len()).unwrap_or(u64::MAX));
            let first = if is_cut || sheet.rows.len() == MOST_ROWS { "its first" } else { "its" };
            format!("{first} {rows} rows as a table")
        }
        _ if is_cut => "its beginning as it looks where it is read".to_owned(),
        _ => "as it looks where it is read".to_owned(),
    }
}

/// All configurations of a run, of which there are so many.
pub fn all_rows(count: usize) -> String {
    format!("All {count} configurations")
}

/// What is left out, under the switches.
pub const fn left_out(left_in: LeftIn) -> &'static str {
    match left_in {
        LeftIn::Nothing => "Both are left out. File paths are shortened.",
        LeftIn::Host => "The user name is left out. File paths are shortened.",
        LeftIn::User => "The host name is left out. File paths are shortened.",
        LeftIn::Everything => "Both are left in, and file paths as they are.",
    }
}

/// What was found of the names of this PC.
pub fn searched(finds: &[Find]) -> String {
    if finds.is_empty() {
        return "Searched for this PC's host name, user name and home folder: none found."
            .to_owned();
    }
    let mut kinds: Vec<&str> = Vec::new();
    for find in finds {
        if !kinds.contains(&find.what) {
            kinds.push(find.what);
        }
    }
    format!("It holds this PC's {}.", kinds.join(" and "))
}

/// The name of a file, without its folder.
fn name(file: &Path) -> String {
    file.file_name()
        .map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Files were written; there is at least one.
pub fn saved(files: &[PathBuf]) -> String {
    let folder = files.first().and_then(|file| file.parent()).map_or(String::new(), name);
    match files {
        [file] => format!("Saved {} in {folder}.", name(file)),
        files => format!("Saved {} files in {folder}.", files.len()),
    }
}

/// Files were not written; there is at least one.
pub fn not_saved(errors: &[String]) -> String {
    let first = errors.first().map_or("", String::as_str);
    let others = match errors.len() {
        0 | 1 => String::new(),
        count => format!(" {} other files failed, too.", count - 1),
    };
    format!(
        "Could not save: {first}.{others} The runs stay in the library: choose another folder, or make \
         room in this one."
    )
}

/// The run cannot be opened.
pub fn not_opened(error: &str) -> String {
    format!(
        "This cannot be exported: {error}. Read the folder of runs again: the file may have moved."
    )
}

/// Something went to the clipboard, by the name of its kind.
pub fn copied(kind: &str, is_for_ticket: bool, size: &str) -> String {
    if is_for_ticket {
        format!("Copied for a ticket: Markdown, {size}.")
    } else {
        format!("Copied: {kind}, {size}.")
    }
}

/// It did not.
pub fn not_copied(error: &str) -> String {
    format!("Nothing was copied: {error}.")
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
        let find = |what| Find { what, name: "x".to_owned() };
        assert_eq!(
            searched(&[find("host name"), find("host name"), find("user name")]),
            "It holds this PC's host name and user name."
        );
    }
}
