//! What the operating system granted of what was asked: data, never an error.

use std::fmt;

use crate::nanos::Nanos;
use crate::plan::Priority;

/// How the kernel schedules a thread, read back from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        /// CPU time in each period.
        runtime: Nanos,
        /// When in the period it must have been given.
        deadline: Nanos,
        /// The period.
        period: Nanos,
    },
    /// Windows thread priority, −15 to 15, in the process's own class.
    WindowsLevel(i32),
    /// macOS quality-of-service class.
    MacQos(MacQos),
    /// macOS time-constraint policy.
    MacTimeConstraint,
    /// The system does not tell.
    Unknown,
}

/// A macOS quality-of-service class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacQos {
    /// Work nobody waits for.
    Background,
    /// Work with a progress bar.
    Utility,
    /// Nothing said.
    Default,
    /// Work a person asked for.
    UserInitiated,
    /// Work on what a person is looking at.
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
    /// `nice −5`, `RR 10`, `FIFO 20`.
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

/// Why the operating system did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for, in words: `SCHED_RR 10`, `nice −5`, `CPU 7`.
    pub asked: String,
    /// The call that refused, such as `sched_setscheduler`.
    pub call: String,
    /// The error number the call gave, where it gave one.
    pub errno: Option<i32>,
    /// The number's name, such as `EPERM`; empty where there is none.
    pub error_name: String,
    /// Why, in one sentence for a person.
    pub reason: String,
    /// What would grant it, in one sentence; empty where nothing would.
    pub remedy: String,
}

impl fmt::Display for Refusal {
    /// `nice −5: permission denied (EACCES, 13)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.asked, self.reason)?;
        if let Some(errno) = self.errno {
            write!(f, " ({}, {errno})", self.error_name)?;
        }
        Ok(())
    }
}

/// How one request went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// The thread is as it was asked to be.
    Granted,
    /// The thread is close to it, by another way; the refusals say why not more.
    Partly,
    /// The thread is as it was before.
    Refused,
}

/// What the thread really runs at, read back after asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The scheduling policy.
    pub policy: Policy,
    /// The logical CPUs it may run on, in order; empty where the system does not tell.
    pub cpus: Vec<u32>,
    /// The CPU it ran on when it was read back.
    pub ran_on: Option<u32>,
}

/// What was granted of the [`Conditions`](crate::plan::Conditions) of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// How the request for a priority went.
    pub priority: RequestOutcome,
    /// How the request for a CPU went.
    pub pin: RequestOutcome,
    /// What the thread runs at.
    pub effective: Effective,
    /// What raised it: `sched_setscheduler`, `setpriority`, `SetThreadPriority`.
    pub mechanism: String,
    /// The logical CPU the choice of a CPU came to, where one was chosen.
    pub chosen_cpu: Option<u32>,
    /// Everything that was refused, in the order it was asked.
    pub refusals: Vec<Refusal>,
    /// The timer slack in force, read back (Linux).
    pub timer_slack: Option<Nanos>,
    /// The timer resolution in force, read back (Windows).
    pub timer_resolution: Option<Nanos>,
    /// Whether `/dev/cpu_dma_latency` is held (Linux).
    pub no_deep_idle: bool,
    /// What the operating system's sleep is here: `clock_nanosleep, absolute`.
    pub sleep_call: String,
    /// Whether a guard revoked the real-time priority during the trial, read back afterward.
    pub demoted: bool,
    /// The policy read back after the loop; absent where the trial did not end, and in older files.
    pub policy_at_end: Option<Policy>,
}

impl Applied {
    /// Whether the thread ran at everything that was requested, to the end.
    pub fn is_as_asked(&self) -> bool {
        self.priority == RequestOutcome::Granted
            && self.pin == RequestOutcome::Granted
            && !self.demoted
            && self.changed_to().is_none()
    }

    /// Whether the thread runs before every ordinary one until it sleeps. The multimedia service of
    /// Windows moves the priority of its threads all the time: what it grants counts.
    pub fn is_realtime(&self, requested: Priority) -> bool {
        let is_class = matches!(requested, Priority::Mmcss(_));
        self.effective.policy.is_realtime() || is_class && self.priority == RequestOutcome::Granted
    }

    /// The policy after the loop, where it is not the one from before it.
    pub fn changed_to(&self) -> Option<Policy> {
        self.policy_at_end.filter(|policy| *policy != self.effective.policy)
    }
}

/// Something held for as long as a value lives: dropping it puts the system back as it was.
#[must_use = "what is held is given back when this is dropped"]
pub struct Guard {
    undo: Option<Box<dyn FnOnce()>>,
}

impl Guard {
    /// Holds something until dropped, then calls `undo`, on every way out.
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

/// What is granted here of what is not the usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealtimeProbe {
    /// Whether Highest or Time-critical is granted as it is meant.
    pub is_granted: bool,
    /// Each priority that was tried, with what came of it.
    pub outcomes: Vec<(Priority, Applied)>,
}
