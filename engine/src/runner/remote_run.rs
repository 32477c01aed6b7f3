//! A run of an agent: converts the lines of its journal to events, within the limits of a run file.

use std::collections::{BTreeSet, HashSet};
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::StartError;
use super::agent_error::AgentError;
use super::connection::{Connection, Lost};
use crate::format::protocol::{AgentAnswer, AgentRequest, answer_in, read_answer};
use crate::format::{self, Entry};
use crate::measure::{Arrival, BEAT, Event, EventSource, Request};
use crate::nanos::Nanos;
use crate::run::{Ending, Health, MAX_SAVED_SAMPLES, Run, RunId, Subject};

/// Maximum number of series names of a run: each needs more memory than its line in the journal.
const MAX_NAMES: usize = 1 << 10;
/// Maximum number of counters of all trials of a run, among them those of histograms.
const MAX_COUNTERS: usize = 1 << 18;
/// Maximum size of the evidence of one late sample in a line of the journal: what the system
/// counted around the sample.
const EVIDENCE_BYTES: usize = 256;
/// The text before and after the time, in the reason why a run of an agent ended unexpectedly.
const LOST_AFTER: &str = "after ";
const SECONDS: &str = " s, ";
/// How long to wait for the end of a run after a request to stop.
const STOP_PATIENCE: Duration = Duration::from_secs(15);
/// How long an agent may be silent during a run. It writes at least every [`HEARTBEAT`].
const SILENCE: Duration = Duration::from_secs(15);
/// How much longer than twice its planned time a run may take.
const OVERTIME: Duration = Duration::from_mins(1);
/// How many samples more than twice the expected number an agent may send.
const MORE_SAMPLES: u64 = 10_000;

/// Receives one run of an agent. If the run ends normally, the connection is returned to `home` for
/// the next run.
pub(super) struct RemoteRun {
    connection: Option<Connection>,
    home: Arc<Mutex<Option<Connection>>>,
    began: Instant,
    /// When the agent last sent something.
    heard: Instant,
    /// How long the run may take.
    max_time: Duration,
    /// How many samples the run may have.
    max_samples: u64,
    stopped: Option<Instant>,
    samples: u64,
    other_bytes: u64,
    names: BTreeSet<String>,
    /// The hashes of trial and name of the counters: their names need more memory.
    counters: HashSet<u64>,
}

impl RemoteRun {
    /// Requests a run and waits until the agent reports that the run has begun. If the agent
    /// refuses, the connection is returned to `home`.
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
            heard: Instant::now(),
            max_time: request.plan.duration(&request.cpus).to_duration() * 2 + OVERTIME,
            max_samples: max_samples(request),
            stopped: None,
            samples: 0,
            other_bytes: 0,
            names: BTreeSet::new(),
            counters: HashSet::new(),
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
                self.samples = self.samples.saturating_add(wide(samples.len()));
                evidence.len().saturating_mul(EVIDENCE_BYTES)
            }
            _ => line.len(),
        };
        self.other_bytes = self.other_bytes.saturating_add(wide(other_bytes));
        if let Event::Value { name, .. } = event.as_ref()
            && !self.names.contains(name)
        {
            self.names.insert(name.clone());
        }
        if let Event::Counted { trial, counters } = event.as_ref() {
            let hash = |name| self.counters.hasher().hash_one((trial, name));
            let hashes: Vec<u64> = counters.keys().map(hash).collect();
            self.counters.extend(hashes);
        }
        if self.max_samples < self.samples
            || format::MAX_OTHER_BYTES < self.other_bytes
            || MAX_NAMES < self.names.len()
            || MAX_COUNTERS < self.counters.len()
        {
            return self.over("the agent sent more than a run may hold");
        }
        Arrival::Event(event)
    }

    /// Closes the connection of a run that cannot continue, and returns the end of the run with its
    /// reason.
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
        let received = connection.next_line(BEAT.to_duration());
        if received.as_ref().is_ok_and(Option::is_some) {
            self.heard = Instant::now();
        }
        if self.max_time < self.began.elapsed() {
            return self.over("the agent did not end the run in twice its time");
        }
        match received {
            // A heartbeat.
            Ok(Some(line)) if line.trim_ascii().is_empty() => Arrival::Nothing,
            Ok(Some(line)) => self.arrival(&line),
            Ok(None) if SILENCE < self.heard.elapsed() => {
                self.over(&format!("no answer for {} s", SILENCE.as_secs()))
            }
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
            // If sending fails, the connection is lost, and the next read reports the loss.
            connection.send(&AgentRequest::Cancel).ok();
        }
    }
}

/// Returns the number of seconds after which the connection of a run was lost; `None` if the run
/// ended otherwise.
pub fn lost_after(run: &Run) -> Option<u32> {
    let Ending::Failed(reason) = &run.ending else { return None };
    let (seconds, _) = reason.strip_prefix(LOST_AFTER)?.split_once(SECONDS)?;
    seconds.parse().ok()
}

/// Returns how many samples a run may have: what its plan produces, and a margin. Gaps, and iterations that only a time
/// ends, cannot be predicted: these may have as many as a run that is saved.
fn max_samples(request: &Request) -> u64 {
    let most = wide(MAX_SAVED_SAMPLES);
    let stages = request.plan.stages(&request.cpus);
    let mut trials = stages.iter().flat_map(|stage| &stage.trials);
    if trials.any(|trial| trial.expected_samples() == 0) {
        return most;
    }
    let expected = request.plan.expected_samples(&request.cpus);
    expected.saturating_mul(2).saturating_add(MORE_SAMPLES).min(most)
}

/// Whether the first line of a run has the requested plan and no samples.
fn is_of(run: &Run, request: &Request) -> bool {
    run.plan() == Some(&request.plan) && run.sample_count() == 0
}

/// Returns the run with an ID, labels, and a date from this PC in place of the values that the
/// agent sent.
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
        note: labels.note,
        annotations: Vec::new(),
        subject: Subject::Measured(request.plan.clone()),
        health: Health { date_unknown: date.is_none(), ..run.health },
        ..run
    }
}

/// Returns the ending that an agent reported. `Ending::Recovered`, which an agent must not report,
/// becomes a failure.
fn ending_of(ending: Ending) -> Ending {
    match ending {
        Ending::Recovered => Ending::Failed("the agent reported no end".to_owned()),
        ending => ending,
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
