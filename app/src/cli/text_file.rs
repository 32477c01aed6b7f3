//! Text files that are named on the command line.

use std::io::{self, Read as _};
use std::path::Path;

use jitterscope_engine::platform::open_named;

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
