//! How exactly this system can record who had the CPU, and what is missing for more.

use super::capabilities::{Capability, FileCapabilities};

/// A source of records, in ascending order of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceSource {
    /// Switches of the measuring threads only.
    OwnSwitches,
    /// Switches of every thread on every CPU, with names.
    AllSwitches,
    /// The same with interrupts, softirqs, and wake-ups.
    Kernel,
}

impl TraceSource {
    /// Every source with its number in run files.
    const NUMBERS: [(Self, i64); 3] =
        [(Self::OwnSwitches, 1), (Self::AllSwitches, 2), (Self::Kernel, 3)];

    /// The number in run files.
    pub const fn number(self) -> i64 {
        match self {
            Self::OwnSwitches => 1,
            Self::AllSwitches => 2,
            Self::Kernel => 3,
        }
    }

    /// The source of a number; `None` for one that this version does not have.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::NUMBERS.iter().find(|(_, one)| *one == number).map(|(source, _)| *source)
    }

    /// The label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OwnSwitches => "Own switch records",
            Self::AllSwitches => "Switch records of all threads",
            Self::Kernel => "Kernel trace",
        }
    }
}

/// What can be recorded here, and why not more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceState {
    /// The source that is used; absent where only counters are.
    pub source: Option<TraceSource>,
    /// The error number of the first source that was denied; absent where nothing was.
    pub denied_errno: Option<i32>,
    /// `kernel.perf_event_paranoid`, where the system has it.
    pub paranoid: Option<i32>,
}

impl TraceState {
    /// What is recorded, in one sentence.
    pub fn sentence(&self) -> String {
        match (self.source, self.paranoid) {
            (Some(TraceSource::Kernel), _) => {
                "Kernel trace available: names, interrupts, softirqs.".to_owned()
            }
            (Some(TraceSource::AllSwitches), _) => {
                "Names of programs; interrupts need tracefs.".to_owned()
            }
            (Some(TraceSource::OwnSwitches), _) => {
                "Own switch records. Names of other programs need CAP_PERFMON.".to_owned()
            }
            (None, Some(level)) if 2 < level => {
                format!("Counters only: perf_event_paranoid is {level}.")
            }
            (None, Some(_)) => "Counters only: perf_event_open was denied.".to_owned(),
            (None, None) => "Counters only: this system records no switches.".to_owned(),
        }
    }

    /// The command that permits more, and the one that undoes it; `None` where nothing is missing that a
    /// command permits. `program` is the file that measures, and `capabilities` are those that it has.
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
        let state = |source, paranoid| TraceState { source, denied_errno: Some(13), paranoid };
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
        for (source, number) in TraceSource::NUMBERS {
            assert_eq!((source.number(), TraceSource::from_number(number)), (number, Some(source)));
        }
    }
}
