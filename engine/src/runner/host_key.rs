//! The key of a host that ssh does not know: its fingerprint, and adding it to the user's known hosts.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::agent_error::AgentError;
use super::copy::finish;
use super::host::{Address, arguments, ssh_of};
use crate::format::is_unsafe_char;
use crate::platform::{PipedProgram, append_lines, program_in_path, with_new_file};
use crate::run::RunId;

/// The program that prints fingerprints, from the same package as ssh.
const KEYGEN: &str = "ssh-keygen";
/// How ssh names the files of known keys among its settings.
const KNOWN_HOSTS: &str = "userknownhostsfile ";
/// How ssh gets the key without signing in, and without a connection that is already there.
const OPTIONS: [&str; 4] = [
    "-oBatchMode=yes",
    "-oStrictHostKeyChecking=accept-new",
    "-oPreferredAuthentications=none",
    "-oControlPath=none",
];

/// The key of a host that ssh does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKey {
    /// As in a file of known hosts.
    lines: String,
    /// What its user compares: "SHA256:…", with the kind of the key.
    pub fingerprint: String,
    /// The user's file of known hosts.
    file: PathBuf,
}

impl HostKey {
    /// Reads the key that a host presents; nothing is trusted.
    pub fn of(address: &Address) -> Result<Self, AgentError> {
        let folder = format!("jitterscope-{}", RunId::random());
        let (found, lines) = with_new_file(&folder, |to| read(address, to))?;
        let Found { fingerprint, file } = found?;
        Ok(Self { lines, fingerprint, file })
    }

    /// Adds the key to the user's known hosts, as ssh does after "yes".
    pub fn trust(&self) -> io::Result<()> {
        append_lines(&self.file, &self.lines)
    }
}

/// What is known of a key besides its lines.
struct Found {
    fingerprint: String,
    file: PathBuf,
}

/// Reads a key by way of a file that has no other.
fn read(address: &Address, to: &Path) -> Result<Found, AgentError> {
    let (ssh, given) = ssh_of(address)?;
    // On Windows, too, ssh takes slashes, and may not take backslashes in quotes.
    let to_text = to.display().to_string().replace('\\', "/");
    let file = known_hosts(&ssh, &given, address)?;
    let mut words = given;
    words.extend(OPTIONS.map(OsString::from));
    words.push(format!("-oUserKnownHostsFile=\"{to_text}\"").into());
    if known_hosts(&ssh, &words, address)? != to_text {
        // The user's own command names a file, where the key would be trusted without a question.
        return Err(AgentError::KeyUnknown);
    }
    words.extend(arguments(address, "exit")?);
    // Signing in fails: the key was there before.
    let failed = output(&ssh, &words).err();
    if !to.is_file() {
        return Err(failed.unwrap_or(AgentError::KeyUnknown));
    }
    let keygen = Some(ssh.with_file_name(KEYGEN)).filter(|path| path.is_file());
    let keygen = keygen.or_else(|| program_in_path(KEYGEN));
    let keygen = keygen.ok_or_else(|| AgentError::NoSsh { command: KEYGEN.to_owned() })?;
    let found = output(&keygen, &["-lf".into(), to.into()])?;
    let fingerprint = fingerprint_in(&found).ok_or(AgentError::Noise)?;
    Ok(Found { fingerprint, file: PathBuf::from(file) })
}

/// The first file of known hosts that ssh would use with these arguments.
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

/// The first of several paths, which ssh prints with a space between them, and which may have spaces. `None` for
/// "none", where ssh has no such file.
fn first_path(paths: &str) -> Option<&str> {
    let mut spaces = paths.match_indices(' ');
    let end = spaces.find(|(at, _)| paths.get(at + 1..).is_some_and(is_absolute));
    let first = end.and_then(|(at, _)| paths.get(..at)).unwrap_or(paths);
    is_absolute(first).then_some(first)
}

fn is_absolute(path: &str) -> bool {
    Path::new(path).is_absolute()
}

/// What a program prints.
fn output(program: &Path, arguments: &[OsString]) -> Result<String, AgentError> {
    let (program, pipes) = PipedProgram::start(program, arguments)?;
    finish(program, pipes, io::empty())
}

/// "SHA256:… (ED25519)" of "256 SHA256:… host (ED25519)".
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
