//! Destination of a result: standard output, or the file of `--out`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::ArgMatches;
use jitterscope_engine::store::{self, SaveError};

/// The names of standard output: a file of that name is not opened, so that redirected output is not cut.
const STANDARD: [&str; 2] = ["-", "/dev/stdout"];

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrintError {
    /// The output cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    /// The file cannot be written.
    #[error("{0}")]
    File(#[from] SaveError),
}

/// Destination of a result.
#[derive(Debug)]
pub(super) enum Output {
    Standard,
    File(PathBuf),
}

impl Output {
    /// The output that the options name.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        match matches.get_one::<PathBuf>("out") {
            Some(path) if !STANDARD.iter().any(|name| path.as_os_str() == *name) => {
                Self::File(path.clone())
            }
            _ => Self::Standard,
        }
    }

    /// Checks that it can be written, before anything is measured.
    pub(super) fn check(&self) -> Result<(), SaveError> {
        match self {
            Self::Standard => Ok(()),
            Self::File(path) => store::check_output(path),
        }
    }

    /// Writes the text. A reader that closes the output early, such as `head`, is not a failure.
    pub(super) fn write(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), PrintError> {
        match self {
            Self::Standard => {
                let mut out = BufWriter::new(io::stdout().lock());
                match write(&mut out).and_then(|()| out.flush()) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    result => Ok(result?),
                }
            }
            Self::File(path) => match store::write_output(path, write) {
                Err(SaveError::Output { source, .. })
                    if source.kind() == io::ErrorKind::BrokenPipe =>
                {
                    Ok(())
                }
                result => Ok(result?),
            },
        }
    }
}
