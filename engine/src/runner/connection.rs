//! A connection to an agent. The data it receives is not trusted: answers and journals may have any
//! content and length, and may end anywhere.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::agent_error::{AgentError, Transport};
use crate::format::protocol::{
    AgentAnswer, AgentFacts, AgentRequest, ProtocolError, answer_in, read_answer, write_request,
};
use crate::format::{MAX_LINE_BYTES, without_controls};
use crate::measure::start_thread;
use crate::platform::{PipedProgram, Pipes};

/// Maximum number of lines that wait to be processed.
const MAX_WAITING: usize = 4;
/// Maximum size of the output of login scripts before the first answer.
const MAX_BANNER_BYTES: usize = 64 << 10;
/// Maximum size of the error messages of an agent in memory: the oldest text is discarded.
const MAX_MESSAGE_BYTES: usize = 16 << 10;
/// Maximum size of all error messages of a connection: a host that sends more is no longer listened to, since reading them
/// takes a CPU from what is measured.
const MAX_MESSAGES_READ: u64 = 1 << 20;
/// How long to wait for further messages after the program has ended.
const MESSAGES_PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait for an answer, if no sign-in is necessary.
const PATIENCE: Duration = Duration::from_secs(30);

/// A line of the output of an agent, or the fact that a line is too long.
enum Incoming {
    Line(Vec<u8>),
    TooLong,
}

/// A connection to an agent. Dropping it closes the agent's input, which ends the agent.
pub(super) struct Connection {
    input: Option<Box<dyn Write + Send>>,
    lines: Receiver<Incoming>,
    messages: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when all messages have been read.
    messages_end: Receiver<()>,
    program: Option<PipedProgram>,
    transport: Transport,
}

impl Connection {
    /// Connects to an agent through the pipes of `program`, and requests the facts about the PC of
    /// the agent. `patience` is how long to wait for the first answer, including the time to sign
    /// in.
    pub(super) fn open(
        program: Option<PipedProgram>,
        pipes: Pipes,
        (transport, patience): (Transport, Duration),
    ) -> Result<(Self, AgentFacts), AgentError> {
        let Pipes { input, output, errors } = pipes;
        let (sender, lines) = sync_channel(MAX_WAITING);
        let messages = Arc::new(Mutex::new(Vec::new()));
        start_thread("agent output", move || read_lines(output, &sender))?;
        let (end, messages_end) = sync_channel(1);
        {
            let messages = Arc::clone(&messages);
            start_thread("agent messages", move || {
                read_messages(errors, &messages);
                drop(end);
            })?;
        }
        let mut connection =
            Self { input: Some(input), lines, messages, messages_end, program, transport };
        // If writing fails, the connection has ended; the messages contain the reason.
        connection.send(&AgentRequest::Describe).ok();
        match connection.first_answer(patience) {
            Ok(AgentAnswer::Machine(facts)) => Ok((connection, *facts)),
            Ok(AgentAnswer::Refused(reason)) => Err(AgentError::Refused { reason }),
            Ok(AgentAnswer::Load(_)) => Err(AgentError::Noise),
            Err(error) => Err(error),
        }
    }

    /// Sends a request to the agent.
    pub(super) fn send(&mut self, request: &AgentRequest) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(write_request(request).as_bytes())?;
        input.flush()
    }

    /// Returns the first answer of the agent; output of login scripts before the answer is skipped.
    fn first_answer(&mut self, patience: Duration) -> Result<AgentAnswer, AgentError> {
        let began = Instant::now();
        let mut banner = 0_usize;
        loop {
            let line = match self.next_line(patience.saturating_sub(began.elapsed())) {
                Ok(Some(line)) => line,
                Ok(None) => return Err(AgentError::NoAnswer),
                Err(Lost::Noise) => return Err(AgentError::Noise),
                Err(Lost::Ended) => {
                    let exit = self.exit_code();
                    return Err(self.transport.connection_error(exit, &self.messages()));
                }
            };
            if let Some(answer) = answer_in(&line) {
                return Ok(read_answer(answer)?);
            }
            banner = banner.saturating_add(line.len());
            if MAX_BANNER_BYTES < banner {
                return Err(AgentError::Noise);
            }
        }
    }

    /// Sends a request outside of a run, and returns the answer of the agent.
    pub(super) fn answer(&mut self, request: &AgentRequest) -> Result<AgentAnswer, AgentError> {
        if self.send(request).is_err() {
            return Err(self.lost());
        }
        let line = self.line_in_time()?;
        Ok(read_answer(&line)?)
    }

    /// Returns the next line from the agent; an error if no line arrives within `PATIENCE`.
    pub(super) fn line_in_time(&mut self) -> Result<Vec<u8>, AgentError> {
        match self.next_line(PATIENCE) {
            Ok(Some(line)) => Ok(line),
            Ok(None) => Err(AgentError::NoAnswer),
            Err(Lost::Noise) => Err(AgentError::Noise),
            Err(Lost::Ended) => Err(self.lost()),
        }
    }

    /// Returns the next line from the agent; `None` if no line arrives within `patience`.
    pub(super) fn next_line(&self, patience: Duration) -> Result<Option<Vec<u8>>, Lost> {
        match self.lines.recv_timeout(patience) {
            Ok(Incoming::Line(line)) => Ok(Some(without_controls(line))),
            Ok(Incoming::TooLong) => Err(Lost::Noise),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Lost::Ended),
        }
    }

    /// Returns the error for a connection that ended, derived from the last message of its program.
    pub(super) fn lost(&mut self) -> AgentError {
        self.exit_code();
        self.transport.lost(&self.messages())
    }

    /// Closes the input of the agent, and returns the exit status of the program that connects,
    /// after all its messages have been read.
    fn exit_code(&mut self) -> Option<i32> {
        self.input = None;
        let code = self.program.as_mut().and_then(PipedProgram::exit_code);
        // A child of the program may still have the pipe of the messages open: wait for a limited time.
        self.messages_end.recv_timeout(MESSAGES_PATIENCE).ok();
        code
    }

    fn messages(&self) -> String {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&messages).into_owned()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Close the input first: the program ends when its input ends.
        self.input = None;
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("program", &self.program).finish_non_exhaustive()
    }
}

/// The reason why no further line arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// The output of the agent ended.
    Ended,
    /// A line is longer than the maximum.
    Noise,
}

impl From<ProtocolError> for AgentError {
    fn from(error: ProtocolError) -> Self {
        match error {
            ProtocolError::Version { found } => Self::Version { found },
            ProtocolError::Invalid { .. } => Self::Noise,
        }
    }
}

impl From<io::Error> for AgentError {
    fn from(source: io::Error) -> Self {
        Self::Start { source }
    }
}

fn read_lines(output: impl Read, lines: &SyncSender<Incoming>) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        let is_whole = line.last() == Some(&b'\n');
        let is_long = !is_whole && u64::try_from(line.len()) == Ok(MAX_LINE_BYTES);
        let incoming = match read {
            _ if is_long => Incoming::TooLong,
            Ok(_) if is_whole => Incoming::Line(line),
            // A line without a line end is incomplete.
            Ok(_) | Err(_) => return,
        };
        if lines.send(incoming).is_err() || is_long {
            return;
        }
    }
}

/// Reads error messages of the agent until they end, or are [`MAX_MESSAGES_READ`]; only the last [`MAX_MESSAGE_BYTES`]
/// remain in `messages`.
fn read_messages(errors: impl Read, messages: &Mutex<Vec<u8>>) {
    let mut errors = errors.take(MAX_MESSAGES_READ);
    let mut piece = [0; 4 << 10];
    while let Ok(count @ 1..) = errors.read(&mut piece) {
        let mut messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.extend_from_slice(piece.get(..count).unwrap_or_default());
        let extra = messages.len().saturating_sub(MAX_MESSAGE_BYTES);
        messages.drain(..extra);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_end_are_read_to_their_maximum_and_the_newest_are_retained() {
        let messages = Mutex::new(Vec::new());
        read_messages(io::repeat(b'x'), &messages);
        assert_eq!(messages.into_inner().unwrap().len(), MAX_MESSAGE_BYTES);
        let few = Mutex::new(Vec::new());
        read_messages(&b"refused"[..], &few);
        assert_eq!(few.into_inner().unwrap(), b"refused");
    }
}
