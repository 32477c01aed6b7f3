//! JSON of the run with its report, the definition of every figure, and a checksum of the file.

use std::io::{self, Write};

use super::Headline;
use crate::format::exported;
use crate::report::Report;
use crate::run::Run;

pub use crate::format::checksum::{Checked, verify};

/// Writes a run with its report as JSON, and returns the checksum of the text.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    to: &mut dyn Write,
) -> io::Result<String> {
    exported::write(run, report, &headline.sentence, to)
}
