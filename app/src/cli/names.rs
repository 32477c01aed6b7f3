//! Private names on the command line: what is printed and written without `--with-names`.

use std::borrow::Cow;
use std::sync::OnceLock;

use clap::{Arg, ArgAction, ArgMatches};
use jitterscope_engine::export::{self, Identity, IncludedNames, Options, Parts};
use jitterscope_engine::report::{self, Report};
use jitterscope_engine::run::Run;

/// Whether all names are included, as of the arguments.
static WITH_NAMES: OnceLock<bool> = OnceLock::new();

/// Where something goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A table in a terminal.
    Terminal,
    /// A file, or text for a program.
    File,
}

/// The option that includes all names.
pub(super) fn names_arg() -> Arg {
    Arg::new("with-names").long("with-names").global(true).action(ArgAction::SetTrue).help(
        "Include host name, user name, home folder, addresses, and all programs in the output",
    )
}

/// Notes whether the option was given.
pub(super) fn note(matches: &ArgMatches) {
    WITH_NAMES.get_or_init(|| matches.get_flag("with-names"));
}

fn included(place: Place) -> IncludedNames {
    match place {
        _ if WITH_NAMES.get() == Some(&true) => IncludedNames::EVERYTHING,
        Place::Terminal => IncludedNames::ON_SCREEN,
        Place::File => IncludedNames::NOTHING,
    }
}

/// How a run is written there.
pub(super) fn options(place: Place) -> Options {
    Options {
        date: Some(crate::text::local_date),
        parts: Parts::ALL,
        leave_out: Identity::here().clone(),
        included_names: included(place),
        ..Options::default()
    }
}

/// A run with its report as they are shown there.
pub(super) fn evaluated(run: &Run, place: Place) -> (Cow<'_, Run>, Report) {
    let report = Report::of(run, &report::Options::default());
    match export::cleaned(run, &report, &options(place)) {
        Some(clean) => {
            let report = Report::of(&clean, &report::Options::default());
            (Cow::Owned(clean), report)
        }
        None => (Cow::Borrowed(run), report),
    }
}

/// Whether a file names other programs.
pub(super) fn has_programs() -> bool {
    included(Place::File).programs
}

/// Which names a file excludes; `has_programs` where it may name other programs.
pub(super) fn privacy(has_programs: bool) -> String {
    let names = included(Place::File);
    names.sentence(has_programs && !names.programs)
}

/// Text as it is written to a file.
pub(super) fn in_file(text: &str) -> String {
    included(Place::File).redacted(text, Identity::here())
}

/// A message as it is printed.
pub(super) fn redacted(message: &str) -> String {
    included(Place::Terminal).redacted(message, Identity::here())
}
