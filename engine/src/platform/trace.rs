//! How much detail this system can record about which thread ran on a CPU, and what is missing.

use serde::{Deserialize, Serialize};

use super::capabilities::{Capability, FileCapabilities};
use crate::units::format_cpus;

/// Error numbers for too many open files: in this process (`EMFILE`), and in the system (`ENFILE`).
const TOO_MANY_FILES: [i32; 2] = [24, 23];

/// A source of trace records. The variants are in ascending order of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceSource {
    /// Switches of the measuring threads only.
    OwnSwitches,
    /// Switches of every thread on every CPU, with names.
    AllSwitches,
    /// Switches of every thread, with interrupts, softirqs, and wake-ups.
    Kernel,
}

impl TraceSource {
    /// Every source with its number in run files.
    const NUMBERS: [(Self, i64); 3] =
        [(Self::OwnSwitches, 1), (Self::AllSwitches, 2), (Self::Kernel, 3)];

    /// Returns the number of the source in run files.
    pub const fn number(self) -> i64 {
        match self {
            Self::OwnSwitches => 1,
            Self::AllSwitches => 2,
            Self::Kernel => 3,
        }
    }

    /// Returns the source with this number; `None` for a source that this version does not have.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::NUMBERS.iter().find(|(_, one)| *one == number).map(|(source, _)| *source)
    }

    /// Returns the label of the source.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OwnSwitches => "Own switch records",
            Self::AllSwitches => "Switch records of all threads",
            Self::Kernel => "Kernel trace",
        }
    }
}

/// Name of the event without which nothing is recorded on a CPU.
pub(super) const SWITCHES: &str = "context switches";

/// Name of the event of page faults, which are not recorded on Windows, and on Linux only where permitted.
pub(super) const PAGE_FAULTS: &str = "page faults";

/// The error number `ERROR_ACCESS_DENIED` of Windows.
const WINDOWS_ACCESS_DENIED: i32 = 5;

/// A function that reads the system's records until the trace is dropped; run it on a separate thread.
pub type TraceReader = Box<dyn FnOnce() + Send>;

/// Which kinds of records of all threads are written, apart from their switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each kind is there or not")]
pub struct SystemRecordFacts {
    /// Wake-ups, with what the waking CPU was doing.
    pub has_wakeups: bool,
    /// Completed requests of storage devices.
    pub has_storage: bool,
    /// Reclaim of memory by the thread that needs some.
    pub has_reclaim: bool,
    /// Page faults in user code.
    pub has_page_faults: bool,
}

/// An event that is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The name of the event: a tracepoint, the switch record, or an interrupt that the kernel does not trace.
    pub event: String,
    /// The error number of the refusal; absent where the system cannot record this event.
    pub errno: Option<i32>,
    /// The CPUs on which the event is not recorded.
    pub cpus: Vec<u32>,
}

/// Which trace records this system can write, and why it cannot write more of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceState {
    /// The source in use; absent if there are only counters.
    pub source: Option<TraceSource>,
    /// The error number with which the next more detailed source was denied; absent if no source was denied.
    pub denied_errno: Option<i32>,
    /// `kernel.perf_event_paranoid`, where the system has it.
    pub paranoid: Option<i32>,
    /// Whether this process is in a PID namespace other than the initial one. Threads outside of it have no ID in it.
    pub is_nested: bool,
    /// The CPUs on which everything that could explain a delay is recorded.
    pub covered: Vec<u32>,
    /// The events that are missing on CPUs other than those in `covered`.
    pub missing: Vec<Missing>,
}

/// Returns a Linux error number in words. Uses fixed numbers, as the run may be shown on another system.
fn reason(code: i32) -> String {
    match code {
        1 | 13 => "denied".to_owned(),
        2 => "not in this kernel".to_owned(),
        _ => format!("error {code}"),
    }
}

impl TraceState {
    /// Saves that page faults of the threads are not recorded: they could explain a delay on every CPU.
    #[cfg(target_os = "linux")]
    pub(super) fn lack_faults(&mut self, errno: Option<i32>) {
        let cpus = std::mem::take(&mut self.covered);
        if self.source == Some(TraceSource::Kernel) {
            self.source = Some(TraceSource::AllSwitches);
            self.missing.push(Missing { event: PAGE_FAULTS.to_owned(), errno, cpus });
        }
    }

    /// Whether this is Windows, and would record more with administrator rights.
    pub fn needs_administrator(&self) -> bool {
        self.source.is_none()
            && self.paranoid.is_none()
            && self.denied_errno == Some(WINDOWS_ACCESS_DENIED)
    }

    /// Returns what is recorded and what is missing, in sentences.
    pub fn sentence(&self) -> String {
        let shortage = self.shortage().map_or_else(String::new, |words| format!(" {words}"));
        format!("{}{}{shortage}", self.recorded(), self.nested())
    }

    /// Returns a sentence on what is not known in a PID namespace; empty if nothing is missing for that reason.
    const fn nested(&self) -> &'static str {
        match self.source {
            Some(TraceSource::AllSwitches) if self.is_nested => {
                " In this container, threads outside it have no names."
            }
            _ => "",
        }
    }

    fn recorded(&self) -> String {
        match (self.source, self.paranoid) {
            (Some(TraceSource::Kernel), _) => {
                "Kernel trace available: names, interrupts, softirqs.".to_owned()
            }
            (Some(TraceSource::AllSwitches), None) => "Names of programs and drivers.".to_owned(),
            (Some(TraceSource::AllSwitches), _) if self.missing.is_empty() => {
                "Names of programs; interrupts need tracefs.".to_owned()
            }
            (Some(TraceSource::AllSwitches), _) => "Names of programs.".to_owned(),
            (Some(TraceSource::OwnSwitches), _) => {
                "Own switch records. Names of other programs need CAP_PERFMON.".to_owned()
            }
            (None, Some(level)) if 2 < level => {
                format!("Counters only: perf_event_paranoid is {level}.")
            }
            (None, Some(_)) => "Counters only: perf_event_open was denied.".to_owned(),
            (None, None) if self.needs_administrator() => {
                "Counters only. Names of programs need administrator rights.".to_owned()
            }
            (None, None) => "Counters only: this system records no switches.".to_owned(),
        }
    }

    /// Returns a sentence on which events are not recorded, on which CPUs, and why; `None` if no event is missing.
    pub fn shortage(&self) -> Option<String> {
        let first = self.missing.first()?;
        let same: Vec<&Missing> =
            self.missing.iter().filter(|one| one.errno == first.errno).collect();
        let mut cpus: Vec<u32> = same.iter().flat_map(|one| &one.cpus).copied().collect();
        cpus.sort_unstable();
        cpus.dedup();
        let on = match cpus.as_slice() {
            [cpu] => format!("on CPU {cpu}"),
            cpus => format!("on CPUs {}", format_cpus(cpus)),
        };
        let events = match same.as_slice() {
            [one] => one.event.clone(),
            [one, other] => format!("{} and {}", one.event, other.event),
            all if all.iter().any(|one| one.event == SWITCHES) => {
                "threads and interrupts".to_owned()
            }
            all => format!("{} and {} other events", first.event, all.len() - 1),
        };
        Some(match first.errno {
            Some(code) if TOO_MANY_FILES.contains(&code) => format!(
                "Too few file descriptors: not every event is recorded {on}. Raise the limit of open \
                 files (ulimit -n)."
            ),
            Some(code) => format!("Not recorded {on}: {events} ({}).", reason(code)),
            None if first.event == PAGE_FAULTS => format!("Not recorded {on}: {events}."),
            None => format!("Not recorded {on}: {events} (the kernel does not trace them)."),
        })
    }

    /// Returns the command that permits a more detailed source, and the command that undoes this; `None` if
    /// no command can permit what is missing. `program` is the program file that measures, and
    /// `capabilities` are those of that file.
    pub fn remedy(&self, program: &str, capabilities: FileCapabilities) -> Option<[String; 2]> {
        if self.paranoid.is_none() || self.source >= Some(TraceSource::AllSwitches) {
            return None;
        }
        let granted = capabilities.with(Capability::PERFMON);
        let before = capabilities.without(Capability::PERFMON);
        Some([granted, before].map(|capabilities| capabilities.command(program)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_names_what_is_missing() {
        let state = |source, paranoid| TraceState {
            source,
            denied_errno: Some(13),
            paranoid,
            ..TraceState::default()
        };
        let own = state(Some(TraceSource::OwnSwitches), Some(2));
        assert!(own.sentence().contains("CAP_PERFMON"));
        let none = FileCapabilities::default();
        let [grant, undo] = own.remedy("/opt/it's", none).unwrap();
        assert_eq!(grant, "sudo setcap cap_perfmon=ep '/opt/it'\\''s'");
        assert_eq!(undo, "sudo setcap -r '/opt/it'\\''s'");
        let [grant, undo] = own.remedy("x", none.with(Capability::SYS_NICE)).unwrap();
        assert_eq!(grant, "sudo setcap cap_sys_nice,cap_perfmon=ep 'x'");
        assert_eq!(undo, "sudo setcap cap_sys_nice=ep 'x'");
        let strict = state(None, Some(4));
        assert_eq!(strict.sentence(), "Counters only: perf_event_paranoid is 4.");
        assert!(strict.remedy("x", none).is_some());
        assert_eq!(state(Some(TraceSource::Kernel), Some(2)).remedy("x", none), None);
        assert_eq!(state(None, None).remedy("x", none), None, "no command helps on other systems");
        let windows = TraceState { denied_errno: Some(5), ..TraceState::default() };
        let words = "Counters only. Names of programs need administrator rights.";
        assert_eq!((windows.sentence().as_str(), windows.remedy("x", none)), (words, None));
        for (source, number) in TraceSource::NUMBERS {
            assert_eq!((source.number(), TraceSource::from_number(number)), (number, Some(source)));
        }
    }

    #[test]
    fn what_is_missing_is_named_with_its_cpus_and_its_reason() {
        let missing = |event: &str, errno, cpus: &[u32]| Missing {
            event: event.to_owned(),
            errno,
            cpus: cpus.to_vec(),
        };
        let state = |missing: Vec<Missing>| TraceState {
            source: Some(TraceSource::AllSwitches),
            paranoid: Some(2),
            missing,
            ..TraceState::default()
        };
        assert_eq!(state(Vec::new()).shortage(), None);
        let few = state(vec![
            missing("irq/softirq_entry", Some(24), &[2, 3, 4]),
            missing(SWITCHES, Some(24), &[4]),
            missing("irq/irq_handler_entry", Some(24), &[2, 3, 4]),
        ]);
        assert_eq!(
            few.sentence(),
            "Names of programs. Too few file descriptors: not every event is recorded on CPUs 2–4. \
             Raise the limit of open files (ulimit -n)."
        );
        let denied = state(vec![missing("irq_vectors/irq_work_entry", Some(1), &[1])]);
        let words = "Not recorded on CPU 1: irq_vectors/irq_work_entry (denied).";
        assert_eq!(denied.shortage().unwrap(), words);
        let untraced = state(vec![missing("HVS interrupts", None, &[0, 1])]);
        assert_eq!(
            untraced.shortage().unwrap(),
            "Not recorded on CPUs 0–1: HVS interrupts (the kernel does not trace them)."
        );
        let windows =
            TraceState { paranoid: None, ..state(vec![missing(PAGE_FAULTS, None, &[0, 1])]) };
        assert_eq!(
            windows.sentence(),
            "Names of programs and drivers. Not recorded on CPUs 0–1: page faults."
        );
        let nested = TraceState { is_nested: true, ..state(Vec::new()) };
        assert!(nested.sentence().ends_with("threads outside it have no names."));
    }
}
