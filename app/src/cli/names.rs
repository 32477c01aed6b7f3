//! Private names on the command line: without `--with-names`, they are redacted in output and
//! files.

use std::borrow::Cow;
use std::sync::OnceLock;

use clap::{Arg, ArgMatches};
use jitterscope_engine::export::{self, Identity, IncludedNames, Options, Parts};
use jitterscope_engine::report::{self, Report};
use jitterscope_engine::run::Run;

use super::flag;

/// Whether `--with-names` was given.
static WITH_NAMES: OnceLock<bool> = OnceLock::new();

/// Destination of an output, which determines the names that are redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A table in a terminal.
    Terminal,
    /// A file, or standard output that another program reads.
    File,
}

/// The option that includes all names.
pub(super) fn names_arg() -> Arg {
    flag(
        "with-names",
        "Include host name, user name, home folder, addresses, and all programs in the output",
    )
    .global(true)
}

/// Stores whether `--with-names` was given.
pub(super) fn note(matches: &ArgMatches) {
    WITH_NAMES.get_or_init(|| matches.get_flag("with-names"));
}

/// Returns the names that an output to this destination may contain.
pub(super) fn included(place: Place) -> IncludedNames {
    match place {
        _ if WITH_NAMES.get() == Some(&true) => IncludedNames::EVERYTHING,
        Place::Terminal => IncludedNames::ON_SCREEN,
        Place::File => IncludedNames::NOTHING,
    }
}

/// Returns the options for writing a run to this destination.
pub(super) fn options(place: Place) -> Options {
    Options {
        date: Some(crate::text::local_date),
        parts: Parts::ALL,
        leave_out: Identity::here().clone(),
        included_names: included(place),
        ..Options::default()
    }
}

/// Returns a run and its report with the names redacted for this destination.
pub(super) fn evaluated(run: &Run, place: Place) -> (Cow<'_, Run>, Report) {
    evaluated_as(run, place, &report::Options::default())
}

/// Returns a run and its report by these definitions, with the names redacted for this destination.
pub(super) fn evaluated_as<'a>(
    run: &'a Run,
    place: Place,
    asked: &report::Options,
) -> (Cow<'a, Run>, Report) {
    let report = Report::of(run, asked);
    match export::cleaned(run, &report, &options(place)) {
        Some(clean) => {
            let report = Report::of(&clean, asked);
            (Cow::Owned(clean), report)
        }
        None => (Cow::Borrowed(run), report),
    }
}

/// Returns whether a file may name other programs.
pub(super) fn has_programs() -> bool {
    included(Place::File).programs
}

/// Returns the text without the names that a file must not contain.
pub(super) fn in_file(text: &str) -> String {
    included(Place::File).redacted(text, Identity::here())
}

/// Returns the message without the names that a terminal must not show.
pub(super) fn redacted(message: &str) -> String {
    included(Place::Terminal).redacted(message, Identity::here())
}
