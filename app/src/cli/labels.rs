//! The options with which a run gets its name, tags, and note.

use clap::{Arg, ArgAction, ArgMatches};
use jitterscope_engine::run::{Labels, Run};
use jitterscope_engine::store::edit::{self, clean, clean_tags};

use super::{option, text};

/// Returns the options of commands that save runs.
pub(super) fn args() -> [Arg; 3] {
    [
        option("name", "TEXT", "Name of the run"),
        option("tag", "TAG", "Tag of the run, by which it is found; can be repeated")
            .action(ArgAction::Append),
        option("note", "TEXT", "Note about the run"),
    ]
}

/// Returns the labels that the user gave, as runs hold them.
pub(super) fn given(matches: &ArgMatches) -> Labels {
    let tags = matches.try_get_many::<String>("tag").ok().flatten().into_iter().flatten();
    let of =
        |name, most, has_lines| clean(&text(matches, name).unwrap_or_default(), most, has_lines);
    Labels {
        name: of("name", edit::MAX_NAME, false),
        tags: clean_tags(&tags.cloned().collect::<Vec<_>>()),
        note: of("note", edit::MAX_NOTE, true),
        group: None,
    }
}

/// Returns the run with the labels that the user gave; tags are added to its own.
pub(super) fn labeled(mut run: Run, labels: Labels) -> Run {
    if !labels.name.is_empty() {
        run.name = labels.name;
    }
    if !labels.note.is_empty() {
        run.note = labels.note;
    }
    run.tags = clean_tags(&[run.tags, labels.tags].concat());
    run
}
