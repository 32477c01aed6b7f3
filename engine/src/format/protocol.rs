//! The protocol between this program and an agent, which measures on another PC: requests and answers, each as one line
//! of JSON. An agent sends its measurements as journal lines.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quoted;
use crate::machine::{ClockFacts, Detail, Machine};
use crate::measure::TraceMode;
use crate::plan::{CpuFacts, Plan, Priority};
use crate::platform::{Applied, TraceState};
use crate::units::shortened;

/// The version of the protocol that this program uses. From version 2 on, an agent writes an empty line whenever it has
/// written nothing for [`HEARTBEAT`], so that a host that fell silent is noticed.
pub const PROTOCOL_VERSION: u32 = 2;
/// The longest time for which an agent that measures writes nothing.
pub const HEARTBEAT: Duration = Duration::from_secs(2);
/// Maximum number of CPUs of a machine, which is the limit of Linux.
const MAX_CPUS: u32 = 8_192;
/// The beginning of each request and each answer.
const START: &[u8] = b"{\"jitterscope\":";

/// Why a line is not a request or an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The other program uses another protocol version.
    #[error(
        "protocol version {found} is not supported, this program uses version {PROTOCOL_VERSION}; \
         install the same version of Jitterscope on both PCs"
    )]
    Version {
        /// The protocol version of the other program.
        found: u32,
    },
    /// The line is invalid.
    #[error("not a line of the agent protocol: {what}")]
    Invalid {
        /// The error.
        what: String,
    },
}

/// A request to an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentRequest {
    /// Report machine, clock, and capabilities.
    Describe,
    /// Report the CPU time of other programs since the previous such request.
    Load,
    /// Measure a plan.
    Run {
        /// The plan to measure.
        plan: Box<Plan>,
        /// Whether the run records which threads ran on the CPUs.
        trace: TraceMode,
    },
    /// Stop the current run; the agent answers further requests.
    Cancel,
    /// Stop the current run, and end the agent.
    Stop,
}

/// An answer of an agent outside of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentAnswer {
    /// Facts about the PC on which the agent runs.
    Machine(Box<AgentFacts>),
    /// CPU time of other programs as a share of one CPU. `None` at the first request, and on
    /// systems that do not report it.
    Load(Option<f64>),
    /// The agent refuses the request, with the reason in a sentence.
    Refused(String),
}

/// Machine, clock, and capabilities of the PC on which an agent runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentFacts {
    /// The version of the agent's program.
    pub app_version: String,
    /// The machine.
    pub machine: Machine,
    /// The clock of the machine.
    pub clock: ClockFacts,
    /// The CPUs that the agent may use.
    pub cpus: CpuFacts,
    /// The limit on the agent's CPU time, in percent of one CPU; absent without a limit.
    pub cpu_quota_percent: Option<u32>,
    /// The priorities that the agent requested from its system, each with its outcome.
    pub capabilities: Vec<(Priority, Applied)>,
    /// Additional facts for the page about the machine.
    #[serde(default)]
    pub detail: Detail,
    /// The level of detail of traces that the agent can record.
    #[serde(default)]
    pub trace: TraceState,
    /// The CPU to which a thread is pinned if a plan requests a performance core; absent if there is none.
    #[serde(default)]
    pub performance_cpu: Option<u32>,
    /// Whether threads can be pinned to CPUs.
    #[serde(default)]
    pub can_pin: bool,
}

impl AgentFacts {
    /// Whether the listed CPUs are plausible for a machine.
    fn has_cpus(&self) -> bool {
        let CpuFacts { usable, physical_count, one_a_core } = &self.cpus;
        let listed = self.machine.cpus.iter().map(|cpu| &cpu.logical);
        [usable.len(), one_a_core.len(), self.machine.cpus.len()]
            .into_iter()
            .all(|count| u32::try_from(count).is_ok_and(|count| count <= MAX_CPUS))
            && usable.iter().chain(one_a_core).chain(listed).all(|cpu| *cpu < MAX_CPUS)
            && physical_count.is_none_or(|count| count <= MAX_CPUS)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RequestKind {
    Describe,
    Load,
    Run,
    Cancel,
    Stop,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestLine {
    jitterscope: u32,
    request: RequestKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<TraceMode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AnswerKind {
    Machine,
    Load,
    Refused,
}

#[derive(Serialize, Deserialize)]
struct AnswerLine {
    jitterscope: u32,
    answer: AnswerKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    facts: Option<Box<AgentFacts>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Returns a request as a line, including the line end.
pub fn write_request(request: &AgentRequest) -> String {
    let (request, plan, trace) = match request {
        AgentRequest::Describe => (RequestKind::Describe, None, None),
        AgentRequest::Load => (RequestKind::Load, None, None),
        AgentRequest::Run { plan, trace } => {
            (RequestKind::Run, serde_json::to_value(plan).ok(), Some(*trace))
        }
        AgentRequest::Cancel => (RequestKind::Cancel, None, None),
        AgentRequest::Stop => (RequestKind::Stop, None, None),
    };
    line(&RequestLine { jitterscope: PROTOCOL_VERSION, request, plan, trace })
}

/// Reads a request from a line. Whether a machine supports the plan of the request is not checked.
pub fn read_request(text: &[u8]) -> Result<AgentRequest, ProtocolError> {
    let RequestLine { request, plan, trace, .. } = read(text)?;
    match (request, plan) {
        (RequestKind::Describe, None) => Ok(AgentRequest::Describe),
        (RequestKind::Load, None) => Ok(AgentRequest::Load),
        (RequestKind::Cancel, None) => Ok(AgentRequest::Cancel),
        (RequestKind::Stop, None) => Ok(AgentRequest::Stop),
        (RequestKind::Run, Some(plan)) => {
            let (plan, trace) = (Box::new(read_plan(&plan)?), trace.unwrap_or_default());
            Ok(AgentRequest::Run { plan, trace })
        }
        (RequestKind::Run, None) => Err(invalid("a run without a plan")),
        (_, Some(_)) => Err(invalid("a plan that nothing measures")),
    }
}

/// Reads a plan; an error if it has unknown settings, since the run would then differ from the request.
fn read_plan(given: &Value) -> Result<Plan, ProtocolError> {
    let plan = Plan::deserialize(given).map_err(|error| invalid(&error.to_string()))?;
    let known = serde_json::to_value(&plan).unwrap_or_default();
    if is_part_of(given, &known) { Ok(plan) } else { Err(invalid("an unknown setting in a plan")) }
}

fn is_part_of(given: &Value, known: &Value) -> bool {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => given
            .iter()
            .all(|(key, value)| known.get(key).is_some_and(|known| is_part_of(value, known))),
        (Value::Array(given), Value::Array(known)) => {
            given.len() == known.len()
                && given.iter().zip(known).all(|(given, known)| is_part_of(given, known))
        }
        // 60 and 60.0 are the same number.
        (Value::Number(given), Value::Number(known)) => given.as_f64() == known.as_f64(),
        (given, known) => given == known,
    }
}

/// Returns an answer as a line, including the line end.
pub fn write_answer(answer: &AgentAnswer) -> String {
    let mut text = AnswerLine {
        jitterscope: PROTOCOL_VERSION,
        answer: AnswerKind::Refused,
        facts: None,
        share: None,
        reason: None,
    };
    match answer {
        AgentAnswer::Machine(facts) => {
            (text.answer, text.facts) = (AnswerKind::Machine, Some(facts.clone()));
        }
        AgentAnswer::Load(share) => (text.answer, text.share) = (AnswerKind::Load, *share),
        AgentAnswer::Refused(reason) => text.reason = Some(reason.clone()),
    }
    line(&text)
}

/// Reads an answer from a line.
pub fn read_answer(text: &[u8]) -> Result<AgentAnswer, ProtocolError> {
    let AnswerLine { answer, facts, share, reason, .. } = read(text)?;
    match (answer, facts) {
        (AnswerKind::Machine, Some(facts)) if super::is_plausible(text) && facts.has_cpus() => {
            Ok(AgentAnswer::Machine(facts))
        }
        (AnswerKind::Machine, Some(_)) => Err(invalid("facts that no machine has")),
        (AnswerKind::Machine, None) => Err(invalid("no facts about the machine")),
        (AnswerKind::Load, _) => {
            let is_share = |share: &f64| share.is_finite() && 0.0 <= *share;
            Ok(AgentAnswer::Load(share.filter(is_share)))
        }
        (AnswerKind::Refused, _) => Ok(AgentAnswer::Refused(reason.unwrap_or_default())),
    }
}

/// Returns the part of a line from the beginning of an answer; `None` if there is no answer. Output of a login script
/// without a line end may precede the answer.
pub fn answer_in(text: &[u8]) -> Option<&[u8]> {
    let at = text.windows(START.len()).position(|piece| piece == START)?;
    text.get(at..)
}

fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}

fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, ProtocolError> {
    #[derive(Deserialize)]
    struct Version {
        jitterscope: u32,
    }
    match super::read_line::<Version>(text) {
        Some(Version { jitterscope: PROTOCOL_VERSION }) => {
            serde_json::from_slice(text).map_err(|error| invalid(&error.to_string()))
        }
        Some(Version { jitterscope: found }) => Err(ProtocolError::Version { found }),
        None => Err(invalid(&quoted(&shortened(String::from_utf8_lossy(text).trim())))),
    }
}

fn invalid(what: &str) -> ProtocolError {
    ProtocolError::Invalid { what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn requests() -> Vec<AgentRequest> {
        let mut requests = vec![
            AgentRequest::Describe,
            AgentRequest::Load,
            AgentRequest::Cancel,
            AgentRequest::Stop,
        ];
        requests.extend(Plan::all().into_iter().flat_map(|plan| plan.presets()).map(|preset| {
            AgentRequest::Run { plan: Box::new(preset.plan), trace: TraceMode::Off }
        }));
        requests
    }

    fn answers() -> Vec<AgentAnswer> {
        let facts = AgentFacts {
            app_version: "0.1.0".to_owned(),
            machine: Machine::default(),
            clock: ClockFacts::default(),
            cpus: CpuFacts { usable: vec![0, 1], ..CpuFacts::default() },
            cpu_quota_percent: None,
            capabilities: Vec::new(),
            detail: Detail::default(),
            trace: TraceState::default(),
            performance_cpu: Some(1),
            can_pin: true,
        };
        vec![
            AgentAnswer::Machine(Box::new(facts)),
            AgentAnswer::Load(Some(0.25)),
            AgentAnswer::Load(None),
            AgentAnswer::Refused("no".to_owned()),
        ]
    }

    #[test]
    fn requests_and_answers_read_back_as_one_line_each() {
        for request in requests() {
            let text = write_request(&request);
            assert_eq!(text.matches('\n').count(), 1);
            assert_eq!(read_request(text.as_bytes()), Ok(request));
        }
        for answer in answers() {
            let text = write_answer(&answer);
            assert_eq!(answer_in(format!("Welcome! {text}").as_bytes()), Some(text.as_bytes()));
            assert_eq!(read_answer(text.as_bytes()), Ok(answer));
        }
    }

    #[test]
    fn another_version_and_unknown_fields_are_refused() {
        let newer = br#"{"jitterscope":3,"request":"dance","with":"me"}"#;
        assert_eq!(read_request(newer), Err(ProtocolError::Version { found: 3 }));
        for text in [
            r#"{"jitterscope":2,"request":"describe","path":"/etc/passwd"}"#,
            r#"{"jitterscope":2,"request":"describe; rm -rf /"}"#,
            r#"{"jitterscope":2,"request":"run"}"#,
            r#"{"jitterscope":2,"request":"stop","plan":{"test":"x"}}"#,
            r#"{"request":"stop"}"#,
            "stop",
            "",
        ] {
            let read = read_request(text.as_bytes());
            assert!(matches!(read, Err(ProtocolError::Invalid { .. })), "{text}: {read:?}");
        }
        let plan = serde_json::to_value(Plan::all().remove(0)).unwrap();
        for (place, added) in [
            ("/path", serde_json::json!("/etc/passwd")),
            ("/load/command", serde_json::json!("sh -c reboot")),
            ("/cells/0/user", serde_json::json!(0)),
        ] {
            let mut plan = plan.clone();
            let (parent, key) = place.rsplit_once('/').unwrap();
            plan.pointer_mut(parent).unwrap()[key] = added;
            let request = serde_json::json!({"jitterscope": 2, "request": "run", "plan": plan});
            let read = read_request(request.to_string().as_bytes());
            assert_eq!(read, Err(invalid("an unknown setting in a plan")), "{place}");
        }
        let share = read_answer(br#"{"jitterscope":2,"answer":"load","share":-1}"#);
        assert_eq!(share, Ok(AgentAnswer::Load(None)));
        assert!(read_answer(br#"{"jitterscope":2,"answer":"load","share":NaN}"#).is_err());
    }

    #[test]
    fn facts_that_no_machine_has_are_refused() {
        let text = write_answer(&answers()[0]);
        let line: Value = serde_json::from_str(&text).unwrap();
        let many = |value: Value| Value::Array(vec![value; 100_000]);
        let cpu = serde_json::json!({
            "logical": MAX_CPUS, "core": 0, "package": 0, "kind": "uniform", "most_khz": null
        });
        for (place, claim) in [
            ("/facts/cpus/usable", many(1.into())),
            ("/facts/cpus/usable/0", u32::MAX.into()),
            ("/facts/cpus/physical_count", u32::MAX.into()),
            ("/facts/machine/cpus", Value::Array(vec![cpu])),
            ("/facts/machine/os", "x".repeat(1 << 20).into()),
            ("/facts/app_version", "x".repeat(1 << 20).into()),
        ] {
            let mut claimed = line.clone();
            *claimed.pointer_mut(place).unwrap() = claim;
            let read = read_answer(claimed.to_string().as_bytes());
            assert_eq!(read, Err(invalid("facts that no machine has")), "{place}");
        }
    }

    /// Returns the configuration of random tests, with the number of inputs that each test tries.
    fn cases() -> ProptestConfig {
        let is_long = std::env::var_os("JITTERSCOPE_LONG_TESTS").is_some_and(|value| value == "1");
        ProptestConfig::with_cases(if is_long { 100_000 } else { 300 })
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn any_line_is_read_or_refused(
            at in any::<prop::sample::Index>(),
            which in any::<prop::sample::Index>(),
            piece in prop::collection::vec(any::<u8>(), 0..12),
            removed in 0_usize..12,
        ) {
            let mut lines: Vec<String> = requests().iter().map(write_request).collect();
            lines.extend(answers().iter().map(write_answer));
            let mut text = which.get(&lines).clone().into_bytes();
            let from = at.index(text.len());
            let to = (from + removed).min(text.len());
            text.splice(from..to, piece);
            // A line that can be read is the same after it is written and read again.
            if let Ok(request) = read_request(&text) {
                prop_assert_eq!(read_request(write_request(&request).as_bytes()), Ok(request));
            }
            if let Ok(answer) = read_answer(&text) {
                prop_assert_eq!(read_answer(write_answer(&answer).as_bytes()), Ok(answer));
            }
            answer_in(&text);
        }
    }
}
