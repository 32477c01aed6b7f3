//! Support for hosts without an agent: detects the system of a host, and copies the agent to it.

use std::io::{self, Read};
use std::sync::mpsc::sync_channel;

use super::agent_error::{AgentError, connection_error};
use super::host::{Address, start_ssh};
use crate::format::is_unsafe_char;
use crate::measure::start_thread;
use crate::platform::{PipedProgram, Pipes};

/// Path of the agent on the host.
const DESTINATION: &str = "~/.local/bin/jitterscope-cli";
/// Maximum size of the output of a command on the host, and of the error messages.
const MAX_ANSWER_BYTES: u64 = 64 << 10;
const MAX_MESSAGE_BYTES: u64 = 16 << 10;
/// Maximum length of the reported name of the system of a host.
const MAX_SYSTEM_CHARS: usize = 64;

/// Returns the system and processor of a host as reported by `uname`: "Linux x86_64".
pub fn system_of(address: &Address) -> Result<String, AgentError> {
    let answer = run(address, "uname -sm", io::empty())?;
    let last = answer.lines().last().unwrap_or_default();
    Ok(last.chars().filter(|letter| !is_unsafe_char(*letter)).take(MAX_SYSTEM_CHARS).collect())
}

/// Copies a program of `bytes` bytes to a host; returns its path on the host.
pub fn copy_agent(
    address: &Address,
    program: impl Read,
    bytes: u64,
) -> Result<&'static str, AgentError> {
    let answer = run(address, &copy_command(bytes), program)?;
    match answer.lines().last() {
        Some("copied") => Ok(DESTINATION),
        _ => Err(AgentError::Noise),
    }
}

/// Returns a shell command that writes its input to a temporary file, and renames the file when all
/// `bytes` bytes have arrived. If the connection ends earlier, the file is removed.
fn copy_command(bytes: u64) -> String {
    format!(
        "exec sh -c 'mkdir -p ~/.local/bin && cd ~/.local/bin && part=.jitterscope-cli.$$ && \
         {{ cat > $part && test $(wc -c < $part) -eq {bytes} && chmod 755 $part && \
         mv -f $part jitterscope-cli && echo copied || {{ rm -f $part; exit 1; }}; }}'"
    )
}

/// Runs a command on a host and returns its output.
fn run(address: &Address, command: &str, input: impl Read) -> Result<String, AgentError> {
    let (ssh, pipes) = start_ssh(address, command)?;
    finish(ssh, pipes, input)
}

/// Sends `input` to ssh or another program of OpenSSH, waits until the program ends, and returns
/// its output.
pub(super) fn finish(
    mut ssh: PipedProgram,
    pipes: Pipes,
    mut input: impl Read,
) -> Result<String, AgentError> {
    let Pipes { input: mut to, output, errors } = pipes;
    let (sender, messages) = sync_channel(1);
    start_thread("ssh messages", move || {
        let mut messages = Vec::new();
        errors.take(MAX_MESSAGE_BYTES).read_to_end(&mut messages).ok();
        sender.send(messages).ok();
    })?;
    // If writing fails, the messages of ssh contain the reason.
    let written = io::copy(&mut input, &mut to);
    drop(to);
    let mut answer = Vec::new();
    output.take(MAX_ANSWER_BYTES).read_to_end(&mut answer)?;
    let exit = ssh.exit_code();
    if exit == Some(0) && written.is_ok() {
        return Ok(String::from_utf8_lossy(&answer).into_owned());
    }
    drop(ssh);
    let messages = messages.recv().unwrap_or_default();
    Err(connection_error(exit, &String::from_utf8_lossy(&messages)))
}
