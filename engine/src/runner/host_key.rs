//! The key of a host that ssh does not know: reads its fingerprint, and adds the key to the user's
//! known hosts.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::agent_error::AgentError;
use super::copy::finish;
use super::host::{Address, arguments, ssh_of, start_program};
use crate::format::is_unsafe_char;
use crate::platform::{append_lines, program_in_path, with_new_file};
use crate::run::RunId;

/// The program that prints fingerprints, from the same package as ssh.
const KEYGEN: &str = "ssh-keygen";
/// The name of the setting in the output of ssh that lists the files of known hosts.
const KNOWN_HOSTS: &str = "userknownhostsfile ";
/// Options with which ssh saves the key of a host, without signing in and without reusing an open
/// connection.
const OPTIONS: [&str; 4] = [
    "-oBatchMode=yes",
    "-oStrictHostKeyChecking=accept-new",
    "-oPreferredAuthentications=none",
    "-oControlPath=none",
];

/// The key of a host that ssh does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKey {
    /// The key, as lines of a file of known hosts.
    lines: String,
    /// The fingerprint that the user compares: "SHA256:…", with the type of the key.
    pub fingerprint: String,
    /// The path of the user's file of known hosts.
    file: PathBuf,
}

impl HostKey {
    /// Reads the key of a host without trusting it.
    pub fn of(address: &Address) -> Result<Self, AgentError> {
        let folder = format!("jitterscope-{}", RunId::random());
        let (found, lines) = with_new_file(&folder, |to| read(address, to))?;
        let FoundKey { fingerprint, file } = found?;
        Ok(Self { lines, fingerprint, file })
    }

    /// Adds the key to the user's known hosts, like ssh after the answer "yes".
    pub fn trust(&self) -> io::Result<()> {
        append_lines(&self.file, &self.lines)
    }
}

/// The fingerprint of a key, and the file of known hosts to which the key can be added.
struct FoundKey {
    fingerprint: String,
    file: PathBuf,
}

/// Reads the key of a host by letting ssh save the key to the path `to`, a new file of known hosts.
fn read(address: &Address, to: &Path) -> Result<FoundKey, AgentError> {
    let (ssh, given) = ssh_of(address)?;
    // On Windows, too, ssh accepts slashes; backslashes within quotes can fail.
    let to_text = to.display().to_string().replace('\\', "/");
    let file = known_hosts(&ssh, &given, address)?;
    let mut words = given;
    words.extend(OPTIONS.map(OsString::from));
    words.push(format!("-oUserKnownHostsFile=\"{to_text}\"").into());
    if known_hosts(&ssh, &words, address)? != to_text {
        // The user's command sets a file of known hosts, in which ssh would save the key without a
        // prompt.
        return Err(AgentError::KeyUnknown);
    }
    words.extend(arguments(address, "exit")?);
    // Signing in may fail, such as without a key of the user; the key of the host is in the file
    // even then.
    let failed = output(&ssh, &words).err();
    if !to.is_file() {
        return Err(failed.unwrap_or(AgentError::KeyUnknown));
    }
    let keygen = Some(ssh.with_file_name(KEYGEN)).filter(|path| path.is_file());
    let keygen = keygen.or_else(|| program_in_path(KEYGEN));
    let keygen = keygen.ok_or_else(|| AgentError::NoSsh { command: KEYGEN.to_owned() })?;
    let found = output(&keygen, &["-lf".into(), to.into()])?;
    let fingerprint = fingerprint_in(&found).ok_or(AgentError::Noise)?;
    Ok(FoundKey { fingerprint, file: PathBuf::from(file) })
}

/// Returns the first file of known hosts that ssh would use with these arguments.
fn known_hosts(
    ssh: &Path,
    arguments: &[OsString],
    address: &Address,
) -> Result<String, AgentError> {
    let more = ["-G".into(), "--".into(), address.host.as_str().into()];
    let settings = output(ssh, &arguments.iter().cloned().chain(more).collect::<Vec<_>>())?;
    let files = settings.lines().find_map(|line| line.strip_prefix(KNOWN_HOSTS));
    files.and_then(first_path).map(str::to_owned).ok_or(AgentError::KeyUnknown)
}

/// Returns the first path of a list. ssh separates paths by spaces, although paths may contain
/// spaces. `None` for "none", which ssh prints if it uses no file of known hosts.
fn first_path(paths: &str) -> Option<&str> {
    let mut spaces = paths.match_indices(' ');
    let end = spaces.find(|(at, _)| paths.get(at + 1..).is_some_and(is_absolute));
    let first = end.and_then(|(at, _)| paths.get(..at)).unwrap_or(paths);
    is_absolute(first).then_some(first)
}

fn is_absolute(path: &str) -> bool {
    Path::new(path).is_absolute()
}

/// Runs a program and returns its output.
fn output(program: &Path, arguments: &[OsString]) -> Result<String, AgentError> {
    let (program, pipes) = start_program(program, arguments)?;
    finish(program, pipes, io::empty())
}

/// Returns "SHA256:… (ED25519)" for the line "256 SHA256:… host (ED25519)".
fn fingerprint_in(line: &str) -> Option<String> {
    let words: Vec<&str> = line.lines().next()?.split_whitespace().collect();
    let [_, hash, .., kind] = &words[..] else { return None };
    let text = format!("{hash} {kind}");
    (hash.starts_with("SHA256:") && !text.contains(is_unsafe_char)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_first_file_of_known_hosts_may_have_spaces_in_its_path() {
        for (paths, expected) in [
            (
                "/home/ann/.ssh/known_hosts /home/ann/.ssh/known_hosts2",
                "/home/ann/.ssh/known_hosts",
            ),
            ("/home/ann lee/.ssh/a /home/ann lee/.ssh/b", "/home/ann lee/.ssh/a"),
            ("/home/ann lee/.ssh/a", "/home/ann lee/.ssh/a"),
        ] {
            assert_eq!(first_path(paths), Some(expected));
        }
        assert_eq!(["none", "", "known_hosts"].map(first_path), [None; 3]);
    }

    #[test]
    fn a_fingerprint_is_shown_with_the_kind_of_its_key() {
        let line = "256 SHA256:uW4bqKj0 [127.0.0.1]:2301 (ED25519)\n256 SHA256:x y (RSA)\n";
        assert_eq!(fingerprint_in(line).unwrap(), "SHA256:uW4bqKj0 (ED25519)");
        for wrong in ["", "256 MD5:aa host (RSA)", "SHA256:x", "256 SHA256:\u{202e} x (RSA)"] {
            assert_eq!(fingerprint_in(wrong), None, "{wrong}");
        }
    }
}
