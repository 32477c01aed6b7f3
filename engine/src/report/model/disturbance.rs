//! What disturbs a measurement so strongly that a bad result proves nothing about the PC.

use std::fmt;

use crate::nanos::Nanos;
use crate::run::Run;
use crate::units::{format_share, format_time};

/// What disturbed a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// Other programs used more than a tenth of the measured CPUs, or of the CPU of a gap: their share of one CPU.
    OtherPrograms(f64),
    /// A CPU quota throttled the program: for how long.
    Throttled(Nanos),
    /// The system slept: for how long.
    Slept(Nanos),
}

impl Disturbance {
    /// Other programs that use more than this share of the measured CPUs disturb a measurement.
    pub const LIMIT: f64 = 0.10;

    /// Whether other programs with this share of one CPU disturb a measurement on this many CPUs.
    pub fn by_programs(share: f64, cpu_count: usize) -> Option<Self> {
        let limit = Self::LIMIT * crate::stats::float(cpu_count.max(1));
        (limit < share).then_some(Self::OtherPrograms(share))
    }

    /// What disturbed the whole run.
    pub(in crate::report) fn of_run(run: &Run) -> Option<Self> {
        let is_any = |time: &Nanos| Nanos::ZERO < *time;
        let slept = run.health.machine_slept.filter(is_any).map(Self::Slept);
        slept.or(run.health.limits.throttled.filter(is_any).map(Self::Throttled))
    }

    /// The one to name of two.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::OtherPrograms(one), Self::OtherPrograms(other)) => {
                Self::OtherPrograms(one.max(other))
            }
            (Self::OtherPrograms(_), _) => self,
            _ => other,
        }
    }

    /// What happened, in a few words: "other programs were busy".
    pub const fn words(self) -> &'static str {
        match self {
            Self::OtherPrograms(_) => "other programs were busy",
            Self::Throttled(_) => "a CPU quota throttled the program",
            Self::Slept(_) => "the system slept",
        }
    }
}

impl fmt::Display for Disturbance {
    /// What happened with its amount, to go on with: "other programs used up to 155% of one CPU".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherPrograms(share) => {
                write!(f, "other programs used up to {} of one CPU", format_share(*share))
            }
            Self::Throttled(time) => {
                write!(f, "a CPU quota throttled the program for {}", format_time(*time))
            }
            Self::Slept(time) => write!(f, "the system slept for {}", format_time(*time)),
        }
    }
}
