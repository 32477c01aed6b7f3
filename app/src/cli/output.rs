//! Destination of a result: standard output, or the file of `--out`; and text files that are named on the command line.

use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use jitterscope_engine::export;
use jitterscope_engine::platform::open_named;
use jitterscope_engine::store::{self, SaveError};

use super::names::{self, Place};
use crate::text::{NARROW_SPACE, cut};

/// The values of `--out` that mean standard output. They are not opened as files, because opening
/// `/dev/stdout` would truncate redirected output.
const STANDARD: [&str; 2] = ["-", "/dev/stdout"];

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrintError {
    /// Standard output cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] io::Error),
    /// The file of `--out` cannot be written.
    #[error("{0}")]
    File(#[from] SaveError),
    /// An option about captures does not apply to this run.
    #[error("{0}")]
    Option(String),
    /// The reference tool of the test writes no JSON.
    #[error("the reference tool of {test} writes no JSON; use --format reference or json")]
    NoReferenceJson {
        /// The name of the test on the command line.
        test: &'static str,
    },
    /// The run has no frame of this number.
    #[error("no frame {frame} in this run; the last one is frame {last}")]
    NoFrame {
        /// The requested number, counted from 1.
        frame: u32,
        /// The number of the last frame of the longest configuration.
        last: usize,
    },
}

/// Output formats that other programs read, also from standard output.
const FOR_PROGRAMS: [&str; 6] =
    ["json", "csv", "openmetrics", "reference-json", "markdown", "html"];

/// Maximum length of a message line in characters; only a path or a list can exceed it.
const MAX_LINE: usize = 5_000;

/// Prints a message on standard error. If standard error cannot be written (a full disk, a closed
/// terminal), the command continues, so that a message never ends a run.
pub fn print_message(sentence: &str) {
    print_with_hosts(&names::redacted(sentence));
}

/// Prints a message without redacting names, because it contains host names that the user gave on
/// the command line.
pub(super) fn print_with_hosts(sentence: &str) {
    // Some terminals cannot show the narrow space between a number and its unit.
    let plain = export::for_terminal(sentence).replace(NARROW_SPACE, " ");
    let lines: String = plain.split('\n').map(|line| cut(line, MAX_LINE) + "\n").collect();
    io::stderr().lock().write_all(lines.as_bytes()).ok();
}

/// Writes text to standard output; control characters in names and notes are removed.
pub(super) fn print_output(words: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(export::for_terminal(words).as_bytes()).and_then(|()| out.flush()) {
        // A reader that closes the output early, such as `head`, is not a failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Destination of a result.
#[derive(Clone, Debug)]
pub(super) enum Output {
    Standard,
    File(PathBuf),
}

impl Output {
    /// Returns the destination that the options select.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        match matches.get_one::<PathBuf>("out") {
            Some(path) if !STANDARD.iter().any(|name| path.as_os_str() == *name) => {
                Self::File(path.clone())
            }
            _ => Self::Standard,
        }
    }

    /// Returns the place of a result in this format, which determines the names that are redacted.
    pub(super) fn place(&self, format: &str) -> Place {
        match self {
            Self::Standard if !FOR_PROGRAMS.contains(&format) => Place::Terminal,
            _ => Place::File,
        }
    }

    /// Whether this is an existing folder, in which each result is a file.
    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Self::File(path) if path.is_dir())
    }

    /// Returns this destination unchanged, unless it is a folder: then returns the file with this
    /// name in the folder.
    pub(super) fn in_folder(self, name: impl FnOnce() -> String) -> Self {
        match self {
            Self::File(path) if path.is_dir() => Self::File(path.join(name())),
            output => output,
        }
    }

    /// Checks that the destination can be written; called before anything is measured.
    pub(super) fn check(&self) -> Result<(), SaveError> {
        match self {
            Self::Standard => Ok(()),
            Self::File(path) => store::check_output(path),
        }
    }

    /// Lets `write` write to this destination. If a reader such as `head` closes the output early,
    /// that is not a failure.
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
                Err(SaveError::Output(error))
                    if error.source.kind() == io::ErrorKind::BrokenPipe =>
                {
                    Ok(())
                }
                result => Ok(result?),
            },
        }
    }
}

/// Maximum size of a text file in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a text file, or a pipe that was passed to this process, of at most 1 MiB; more is an error.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    let count = open_named(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(count).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(io::Error::other("larger than 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_on_a_terminal_may_name_every_program() {
        let file = Output::File(PathBuf::from("result.txt"));
        for format in ["table", "reference"] {
            assert_eq!(Output::Standard.place(format), Place::Terminal, "{format}");
            assert_eq!(file.place(format), Place::File, "{format}");
        }
        for format in FOR_PROGRAMS {
            assert_eq!(Output::Standard.place(format), Place::File, "{format}");
        }
    }

    #[test]
    fn a_larger_file_is_an_error_and_never_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hosts");
        let mut text = "host\n".repeat(200_000);
        text.push_str(&"#".repeat((1 << 20) - text.len()));
        std::fs::write(&path, &text).unwrap();
        assert_eq!(read_text(&path).unwrap(), text);
        std::fs::write(&path, text + "\n").unwrap();
        assert_eq!(read_text(&path).unwrap_err().to_string(), "larger than 1 MiB");
        std::fs::write(&path, [0xff, b'a']).unwrap();
        assert_eq!(read_text(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
