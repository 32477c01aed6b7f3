//! The run with its report, every figure with its definition, and a checksum over all of it.

use std::io::{self, Write};

use super::Headline;
use crate::format::exported;
use crate::report::Report;
use crate::run::Run;

pub use crate::format::checksum::{Checked, verify};

/// Writes the run with its report and gives the checksum back.
pub fn write(
    run: &Run,
    report: &Report,
    headline: &Headline,
    to: &mut dyn Write,
) -> io::Result<String> {
    exported::write(run, report, &headline.sentence, to)
}
