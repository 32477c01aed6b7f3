//! JSON: tells by its first keys whose it is.

use super::{Content, ImportError, Imported, Source, capframex, cyclictest};
use crate::format::checksum::{Checked, verify};
use crate::format::{self, Family};

/// Reads a run, a capture of CapFrameX or a result of cyclictest.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    match format::family(text)? {
        Family::Run => own(text, Source::Json),
        Family::CapFrameX => capframex::read(text),
        Family::Cyclictest => cyclictest::read(text),
        Family::Unknown => Err(ImportError::Unknown),
    }
}

/// A run of this program, held against its checksum.
pub(super) fn own(text: &[u8], source: Source) -> Result<Imported, ImportError> {
    let run = format::read(text)?;
    let mut imported = Imported::new(source, Content::Run(Box::new(run)));
    if verify(text) == Checked::Edited {
        imported.notes.push(
            "The file was changed after it was exported: its checksum does not fit.".to_owned(),
        );
    }
    if let Content::Run(run) = &imported.content {
        imported.name.clone_from(&run.name);
        imported.started_at = Some(run.started_at);
    }
    Ok(imported)
}
