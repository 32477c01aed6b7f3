//! Files that this program shares with other programs of the user: a new file that another program
//! writes, and a file to which this program appends lines.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// Calls `write` with the path of a file that does not exist yet, in a new temporary folder. Returns
/// the result of `write` and the text of the file, empty if `write` created none. Removes the folder.
pub fn with_new_file<T>(folder: &str, write: impl FnOnce(&Path) -> T) -> io::Result<(T, String)> {
    let folder = std::env::temp_dir().join(folder);
    // The folder must be new, so that no other program has put anything into it.
    fs::create_dir(&folder)?;
    let file = folder.join("file");
    let result = write(&file);
    let text = fs::read_to_string(&file).unwrap_or_default();
    fs::remove_dir_all(&folder).ok();
    Ok((result, text))
}

/// Adds lines to the end of a private file of the user. Creates the file if it is missing, and ends
/// its last line first if that line has no line break.
pub fn append_lines(file: &Path, lines: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        let mut private = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut private, 0o700);
        private.recursive(true).create(folder)?;
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(file)?;
    let mut last = [b'\n'];
    if 0 < file.metadata()?.len() {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let end = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{end}{lines}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_read_and_removed() {
        let name = format!("jitterscope-test-{}", std::process::id());
        let (path, text) = with_new_file(&name, |path| {
            assert!(!path.exists());
            fs::write(path, "key\n").unwrap();
            path.to_owned()
        })
        .unwrap();
        assert_eq!(text, "key\n");
        assert!(!path.parent().unwrap().exists());
        let ((), text) = with_new_file(&name, |_| {}).unwrap();
        assert_eq!(text, "");
        fs::create_dir(path.parent().unwrap()).unwrap();
        assert!(with_new_file(&name, |_| {}).is_err(), "a folder of somebody else");
        fs::remove_dir(path.parent().unwrap()).unwrap();
    }

    #[test]
    fn lines_are_added_to_the_end_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ssh").join("known_hosts");
        append_lines(&file, "a ssh-ed25519 AAAA\n").unwrap();
        append_lines(&file, "b ssh-ed25519 BBBB").unwrap();
        append_lines(&file, "c ssh-ed25519 CCCC\n").unwrap();
        let expected = "a ssh-ed25519 AAAA\nb ssh-ed25519 BBBB\nc ssh-ed25519 CCCC\n";
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;

            let mode = file.parent().unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "ssh refuses a folder that others may change");
        }
    }
}
