//! The outcome of a request to the operating system: a refusal is data, not an error.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::nanos::Nanos;
use crate::plan::Priority;

/// How the kernel schedules a thread, read back from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Linux `SCHED_OTHER` with this nice value.
    Nice(i32),
    /// Linux `SCHED_IDLE`.
    Idle,
    /// Linux `SCHED_BATCH` with this nice value.
    Batch(i32),
    /// `SCHED_FIFO` at this priority.
    Fifo(u8),
    /// `SCHED_RR` at this priority.
    RoundRobin(u8),
    /// `SCHED_DEADLINE` with these times.
    Deadline {
        /// CPU time per period.
        #[serde(rename = "runtime_nanos")]
        runtime: Nanos,
        /// Deadline within the period by which the CPU time must have been granted.
        #[serde(rename = "deadline_nanos")]
        deadline: Nanos,
        /// The period.
        #[serde(rename = "period_nanos")]
        period: Nanos,
    },
    /// Windows thread priority, −15 to 15, relative to the priority class of the process.
    WindowsLevel(i32),
    /// macOS quality-of-service class.
    MacQos(MacQos),
    /// macOS time-constraint policy.
    MacTimeConstraint,
    /// Not reported by the system.
    Unknown,
}

/// A macOS quality-of-service class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MacQos {
    /// Background work.
    Background,
    /// Work with a progress bar.
    Utility,
    /// The default.
    Default,
    /// Work requested by the user.
    UserInitiated,
    /// Work on visible content.
    UserInteractive,
}

impl Policy {
    /// Whether the thread runs before every ordinary thread until it sleeps.
    pub const fn is_realtime(self) -> bool {
        matches!(
            self,
            Self::Fifo(_)
                | Self::RoundRobin(_)
                | Self::Deadline { .. }
                | Self::WindowsLevel(15..)
                | Self::MacTimeConstraint
        )
    }
}

impl fmt::Display for Policy {
    /// Writes the policy in short: `nice −5`, `RR 10`, `FIFO 20`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nice(nice) if *nice < 0 => write!(f, "nice −{}", nice.unsigned_abs()),
            Self::Nice(0) => f.write_str("nice 0"),
            Self::Nice(nice) => write!(f, "nice +{nice}"),
            Self::Idle => f.write_str("SCHED_IDLE"),
            Self::Batch(nice) => write!(f, "SCHED_BATCH, nice {nice}"),
            Self::Fifo(priority) => write!(f, "FIFO {priority}"),
            Self::RoundRobin(priority) => write!(f, "RR {priority}"),
            Self::Deadline { runtime, deadline, period } => {
                write!(f, "DEADLINE {runtime}/{deadline}/{period}")
            }
            Self::WindowsLevel(level) => f.write_str(match level {
                ..=-15 => "idle",
                -14..=-2 => "lowest",
                -1 => "below normal",
                0 => "normal",
                1 => "above normal",
                2..=14 => "highest",
                15.. => "time critical",
            }),
            Self::MacQos(qos) => f.write_str(match qos {
                MacQos::Background => "QoS background",
                MacQos::Utility => "QoS utility",
                MacQos::Default => "QoS default",
                MacQos::UserInitiated => "QoS user-initiated",
                MacQos::UserInteractive => "QoS user-interactive",
            }),
            Self::MacTimeConstraint => f.write_str("time constraint"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

/// The request that a refusal names if the system denied the finest timer.
pub const FINEST_TIMER: &str = "finest timer";

/// Why the operating system did not apply a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Refusal {
    /// The request: `SCHED_RR 10`, `nice −5`, `CPU 7`.
    #[serde(rename = "asked")]
    pub requested: String,
    /// The call that was denied, such as `sched_setscheduler`.
    pub call: String,
    /// The error number of the call, if it set one.
    pub errno: Option<i32>,
    /// The name of the error number, such as `EPERM`; empty if there is none.
    pub error_name: String,
    /// The reason, in one sentence for the user.
    pub reason: String,
    /// How to get the request granted, in one sentence; empty if there is no way.
    pub remedy: String,
}

impl Refusal {
    /// Creates a refusal without an error number and without a remedy.
    pub fn new(
        requested: impl Into<String>,
        call: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            requested: requested.into(),
            call: call.into(),
            errno: None,
            error_name: String::new(),
            reason: reason.into(),
            remedy: String::new(),
        }
    }
}

impl fmt::Display for Refusal {
    /// Writes request and reason: `nice −5: permission denied (EACCES, 13)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.requested, self.reason)?;
        if let Some(errno) = self.errno {
            write!(f, " ({}, {errno})", self.error_name)?;
        }
        Ok(())
    }
}

/// Outcome of one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RequestOutcome {
    /// Applied as requested.
    Granted,
    /// Applied approximately, by another mechanism; the refusals give the reason.
    Partly,
    /// Not applied: the scheduling of the thread is unchanged.
    Refused,
}

/// The scheduling of a thread, read back after the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Effective {
    /// The scheduling policy.
    pub policy: Policy,
    /// The logical CPUs on which the thread may run, in ascending order; empty if the system does
    /// not report them.
    pub cpus: Vec<u32>,
    /// The CPU on which the thread ran when its scheduling was read back.
    pub ran_on: Option<u32>,
}

/// The outcome of requesting the [`Conditions`](crate::plan::Conditions) of one trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Self")]
pub struct Applied {
    /// Outcome of the priority request.
    pub priority: RequestOutcome,
    /// Outcome of the CPU request.
    pub pin: RequestOutcome,
    /// The scheduling of the thread after the requests.
    #[serde(flatten)]
    pub effective: Effective,
    /// The mechanism: `sched_setscheduler`, `setpriority`, `SetThreadPriority`.
    pub mechanism: String,
    /// The logical CPU that the requested pinning resolved to, if one was requested.
    #[serde(rename = "chosen_cpu")]
    pub selected_cpu: Option<u32>,
    /// Every denied request, in order.
    pub refusals: Vec<Refusal>,
    /// The timer slack in force, read back (Linux).
    #[serde(rename = "timer_slack_nanos")]
    pub timer_slack: Option<Nanos>,
    /// The timer resolution in force, read back (Windows).
    #[serde(rename = "timer_resolution_nanos")]
    pub timer_resolution: Option<Nanos>,
    /// Whether `/dev/cpu_dma_latency` is held open, which turns deep idle states off (Linux).
    pub no_deep_idle: bool,
    /// Mechanism of the sleep on this system: `clock_nanosleep, absolute`.
    pub sleep_call: String,
    /// Whether a guard revoked the real-time priority during the trial, read back afterward.
    pub demoted: bool,
    /// The policy read back after the measuring loop; absent if the trial did not end, and in older files.
    pub policy_at_end: Option<Policy>,
}

/// An [`Applied`] as saved in files.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct AppliedInFile<'a> {
    /// Whether every request was granted; the other fields have the details.
    as_requested: bool,
    #[serde(flatten, with = "Applied")]
    applied: &'a Applied,
}

impl Serialize for Applied {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = AppliedInFile { as_requested: self.is_as_requested(), applied: self };
        Serialize::serialize(&file, serializer)
    }
}

impl<'de> Deserialize<'de> for Applied {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

impl Applied {
    /// Whether every request was granted and in force until the end of the trial.
    pub fn is_as_requested(&self) -> bool {
        self.priority == RequestOutcome::Granted
            && self.pin == RequestOutcome::Granted
            && !self.demoted
            && self.changed_to().is_none()
    }

    /// Returns whether the system denied the finest timer.
    pub fn has_denied_timer(&self) -> bool {
        self.refusals.iter().any(|refusal| refusal.requested == FINEST_TIMER)
    }

    /// Whether the thread runs before every normal thread until it sleeps. The multimedia service
    /// (MMCSS) of Windows changes the priority of its threads continuously: for a request to this
    /// service, the outcome decides instead of the policy.
    pub fn is_realtime(&self, requested: Priority) -> bool {
        let is_class = matches!(requested, Priority::Mmcss(_));
        self.effective.policy.is_realtime() || is_class && self.priority == RequestOutcome::Granted
    }

    /// Returns the policy read back after the measuring loop, if it differs from the policy before the loop.
    pub fn changed_to(&self) -> Option<Policy> {
        self.policy_at_end.filter(|policy| *policy != self.effective.policy)
    }
}

/// A changed system state: dropping the guard restores the previous state.
#[must_use = "the state is restored when this is dropped"]
pub struct Guard {
    undo: Option<Box<dyn FnOnce()>>,
}

impl Guard {
    /// Creates a guard for a changed state. Dropping the guard, also during a panic, calls `undo`.
    pub fn new(undo: impl FnOnce() + 'static) -> Self {
        Self { undo: Some(Box::new(undo)) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            undo();
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

/// Whether this system grants real-time priorities, found by requesting them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealtimeProbe {
    /// Whether Highest or Time-critical is fully granted.
    pub is_granted: bool,
    /// Each priority that was tried, with its outcome.
    pub outcomes: Vec<(Priority, Applied)>,
}

impl RealtimeProbe {
    /// Derives from the outcomes whether real-time priority is granted.
    pub fn of(outcomes: Vec<(Priority, Applied)>) -> Self {
        let is_granted = outcomes.iter().any(|(priority, applied)| {
            matches!(priority, Priority::Highest | Priority::TimeCritical)
                && applied.priority == RequestOutcome::Granted
        });
        Self { is_granted, outcomes }
    }

    /// Returns the outcome of the probe that predicts a denial of this priority; `None` if no
    /// denial is expected. DEADLINE needs more rights than the other real-time policies, which the
    /// system grants or denies together.
    pub fn denial(&self, priority: Priority) -> Option<&Applied> {
        let wanted = match priority {
            Priority::Deadline(_) => |tried: Priority| matches!(tried, Priority::Deadline(_)),
            Priority::Fifo(_)
            | Priority::RoundRobin(_)
            | Priority::Highest
            | Priority::TimeCritical
                if !self.is_granted =>
            {
                |tried: Priority| tried == Priority::TimeCritical
            }
            _ => return None,
        };
        let (_, applied) = self.outcomes.iter().find(|(tried, _)| wanted(*tried))?;
        (applied.priority != RequestOutcome::Granted).then_some(applied)
    }
}
