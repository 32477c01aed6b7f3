//! A host without an agent: what its system is, and copying the agent there.

use std::io::{self, Read};
use std::sync::mpsc::sync_channel;

use super::agent_error::{AgentError, connection_error};
use super::host::{Address, start_ssh};
use crate::format::is_unsafe_char;
use crate::measure::start_thread;
use crate::platform::{PipedProgram, Pipes};

/// Where the agent is copied to.
const DESTINATION: &str = "~/.local/bin/jitterscope-cli";
/// What is read of an answer, and of the messages, at most.
const MAX_ANSWER_BYTES: u64 = 64 << 10;
const MAX_MESSAGE_BYTES: u64 = 16 << 10;
/// What is shown of a system's name, at most.
const MAX_SYSTEM_CHARS: usize = 64;

/// What the system of a host calls itself and its processor: "Linux x86_64".
pub fn system_of(address: &Address) -> Result<String, AgentError> {
    let answer = run(address, "uname -sm", io::empty())?;
    let last = answer.lines().last().unwrap_or_default();
    Ok(last.chars().filter(|letter| !is_unsafe_char(*letter)).take(MAX_SYSTEM_CHARS).collect())
}

/// Copies a program of this size to a host; returns its path there.
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

/// Writes the program under another name until all of it is there: where the connection ends before, it is removed.
fn copy_command(bytes: u64) -> String {
    format!(
        "exec sh -c 'mkdir -p ~/.local/bin && cd ~/.local/bin && part=.jitterscope-cli.$$ && \
         {{ cat > $part && test $(wc -c < $part) -eq {bytes} && chmod 755 $part && \
         mv -f $part jitterscope-cli && echo copied || {{ rm -f $part; exit 1; }}; }}'"
    )
}

/// Runs a command on a host; returns what it printed.
fn run(address: &Address, command: &str, input: impl Read) -> Result<String, AgentError> {
    let (ssh, pipes) = start_ssh(address, command)?;
    finish(ssh, pipes, input)
}

/// Waits for the end of ssh, or of a program that comes with it; returns what it printed.
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
    // Where it cannot be written, the messages give the reason.
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
