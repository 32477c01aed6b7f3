//! A run of an agent: the lines of its journal as events, within the limits of a run file.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::StartError;
use super::agent_error::AgentError;
use super::connection::{Connection, Lost};
use crate::format::protocol::{AgentAnswer, AgentRequest, answer_in, read_answer};
use crate::format::{self, Entry};
use crate::measure::{Arrival, BEAT, Event, EventSource, Request};
use crate::nanos::Nanos;
use crate::run::{Ending, Health, Run, RunId, Subject};

/// Maximum samples of a run, as in a run file.
const MAX_SAMPLES: usize = 30_000_000;
/// Maximum bytes of everything else of a run, as in a run file.
const MAX_OTHER_BYTES: usize = 64 << 20;
/// Maximum names of series of a run: each takes memory that its line does not show.
const MAX_NAMES: usize = 1 << 10;
/// Bytes of a piece of evidence in a line, at most.
const EVIDENCE_BYTES: usize = 256;
/// How the reason begins why a run of an agent did not end as it should, and how its time ends.
const LOST_AFTER: &str = "after ";
const SECONDS: &str = " s, ";
/// How long an agent may take to end a run after it was requested to.
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// What an agent sends of one run. The connection is returned for the next run where the run ends as it should.
pub(super) struct RemoteRun {
    connection: Option<Connection>,
    home: Arc<Mutex<Option<Connection>>>,
    began: Instant,
    stopped: Option<Instant>,
    samples: usize,
    other_bytes: usize,
    names: BTreeSet<String>,
}

impl RemoteRun {
    /// Requests a run and waits until it has begun. A refusal returns the connection.
    pub(super) fn begin(
        mut connection: Connection,
        home: Arc<Mutex<Option<Connection>>>,
        request: &Request,
    ) -> Result<(Run, Self), StartError> {
        let plan = Box::new(request.plan.clone());
        let run = AgentRequest::Run { plan, trace: request.trace };
        if connection.send(&run).is_err() {
            return Err(connection.lost().into());
        }
        let line = connection.line_in_time()?;
        let mut remote = Self {
            connection: Some(connection),
            home,
            began: Instant::now(),
            stopped: None,
            samples: 0,
            other_bytes: 0,
            names: BTreeSet::new(),
        };
        if let Some(answer) = answer_in(&line).filter(|answer| answer.len() == line.len()) {
            return Err(match read_answer(answer).map_err(AgentError::from)? {
                AgentAnswer::Refused(reason) => {
                    remote.return_connection();
                    AgentError::Refused { reason }.into()
                }
                AgentAnswer::Machine(_) | AgentAnswer::Load(_) => AgentError::Noise.into(),
            });
        }
        if !format::is_plausible(&line) {
            return Err(AgentError::Noise.into());
        }
        match format::parse_entry(&line) {
            Ok(Entry::Begun(run)) if is_of(&run, request) => Ok((begun(*run, request), remote)),
            Ok(_) | Err(_) => Err(AgentError::Noise.into()),
        }
    }

    fn return_connection(&mut self) {
        *self.home.lock().unwrap_or_else(PoisonError::into_inner) = self.connection.take();
    }

    fn arrival(&mut self, line: &[u8]) -> Arrival {
        let event = match format::parse_entry(line) {
            Ok(Entry::Event(event)) => event,
            Ok(Entry::Finished { ending, health }) => {
                self.return_connection();
                return Arrival::Finished { ending: ending_of(ending), health };
            }
            Ok(Entry::Begun(_)) => return self.over("the agent began the run twice"),
            Err(error) => return self.over(&format!("the agent sent a line that is {error}")),
        };
        let other_bytes = match event.as_ref() {
            Event::Samples { samples, evidence, .. } if !samples.is_empty() => {
                self.samples = self.samples.saturating_add(samples.len());
                evidence.len().saturating_mul(EVIDENCE_BYTES)
            }
            _ => line.len(),
        };
        self.other_bytes = self.other_bytes.saturating_add(other_bytes);
        if let Event::Value { name, .. } = event.as_ref()
            && !self.names.contains(name)
        {
            self.names.insert(name.clone());
        }
        if MAX_SAMPLES < self.samples
            || MAX_OTHER_BYTES < self.other_bytes
            || MAX_NAMES < self.names.len()
        {
            return self.over("the agent sent more than a run may hold");
        }
        Arrival::Event(event)
    }

    /// The end of a run that does not end as it should; its connection is not used again.
    fn over(&mut self, why: &str) -> Arrival {
        self.connection = None;
        let after = Nanos::from(self.began.elapsed()).as_secs();
        let why = format!("{why}; everything that arrived is in the run");
        Arrival::Lost(format!("{LOST_AFTER}{after:.0}{SECONDS}{why}"))
    }
}

impl EventSource for RemoteRun {
    fn next(&mut self) -> Arrival {
        let Some(connection) = &mut self.connection else {
            return self.over("the connection was closed");
        };
        match connection.next_line(BEAT.to_duration()) {
            Ok(Some(line)) => self.arrival(&line),
            Ok(None) if self.stopped.is_some_and(|at| STOP_PATIENCE < at.elapsed()) => {
                self.over("the agent did not stop")
            }
            Ok(None) => Arrival::Nothing,
            Err(Lost::Noise) => self.over("the agent sent a line without an end"),
            Err(Lost::Ended) => {
                let lost = connection.lost().to_string();
                self.over(&lost)
            }
        }
    }

    fn stop(&mut self) {
        self.stopped = Some(Instant::now());
        if let Some(connection) = &mut self.connection {
            // Where it cannot be sent, the connection is lost, and the next read reports that.
            connection.send(&AgentRequest::Cancel).ok();
        }
    }
}

/// After how many seconds the connection of a run was lost; `None` if it ended otherwise.
pub fn lost_after(run: &Run) -> Option<u32> {
    let Ending::Failed(reason) = &run.ending else { return None };
    let (seconds, _) = reason.strip_prefix(LOST_AFTER)?.split_once(SECONDS)?;
    seconds.parse().ok()
}

/// Whether a run that has begun is of the requested plan, and has no samples yet.
fn is_of(run: &Run, request: &Request) -> bool {
    run.plan() == Some(&request.plan) && run.sample_count() == 0
}

/// The run as it is saved here: under a name and a date of this PC.
fn begun(run: Run, request: &Request) -> Run {
    let date = crate::machine::date();
    let labels = request.labels.clone();
    Run {
        id: RunId::random(),
        started_at: date.unwrap_or_default(),
        ending: Ending::Recovered,
        name: labels.name,
        tags: labels.tags,
        group: labels.group,
        note: String::new(),
        annotations: Vec::new(),
        subject: Subject::Measured(request.plan.clone()),
        health: Health { date_unknown: date.is_none(), ..run.health },
        ..run
    }
}

/// An ending that an agent may report.
fn ending_of(ending: Ending) -> Ending {
    match ending {
        Ending::Recovered => Ending::Failed("the agent reported no end".to_owned()),
        ending => ending,
    }
}
