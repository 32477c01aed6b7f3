//! Imports JSON: the keys of the outermost object identify the program that wrote the file.

use std::io::{Cursor, Read, Seek};

use super::imported::{Content, ImportError, Imported, Source};
use super::{capframex, cyclictest};
use crate::format::checksum::{Checked, verify, verify_file};
use crate::format::{self, Family, FormatError};
use crate::run::Run;

/// The beginning of every run file of this program.
const BEGINS: &[u8] = b"{\"format\":\"jitterscope-run\",";

/// Whether a file begins like a run file of this program.
pub(super) fn begins_as_own(head: &[u8]) -> bool {
    head.starts_with(BEGINS)
}

/// Whether a file is a run of this program in any JSON layout. Reads the whole file, but does not store it.
pub(super) fn is_own(from: &mut (impl Read + Seek)) -> bool {
    matches!(format::family(from), Ok(Family::Run))
}

/// Imports a run of this program, a capture of CapFrameX, or a result of cyclictest.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    match format::family(&mut Cursor::new(text))? {
        Family::Run => own(text, Source::Json),
        Family::CapFrameX => capframex::read(text),
        Family::Cyclictest => cyclictest::read_json(text, Source::Cyclictest),
        Family::Jitterdebugger => cyclictest::read_json(text, Source::Jitterdebugger),
        Family::Unknown => Err(ImportError::Unknown),
    }
}

/// Reads a run of this program and verifies its checksum.
pub(super) fn own(text: &[u8], source: Source) -> Result<Imported, ImportError> {
    Ok(checked(format::read(text)?, verify(text), source))
}

/// Reads a run file of this program piece by piece, and verifies its checksum.
pub(super) fn own_file(from: &mut (impl Read + Seek)) -> Result<Imported, FormatError> {
    let run = format::read_from(from)?;
    let found = verify_file(from)?;
    Ok(checked(run, found, Source::Json))
}

fn checked(run: Run, found: Checked, source: Source) -> Imported {
    let (name, started_at) = (run.name.clone(), run.started_at);
    let mut imported = Imported::new(source, Content::Run(Box::new(run)));
    imported.name = name;
    imported.started_at = Some(started_at);
    if found == Checked::Edited {
        imported.notes.push(
            "The file was changed after it was exported: its checksum does not match.".to_owned(),
        );
    }
    imported
}
