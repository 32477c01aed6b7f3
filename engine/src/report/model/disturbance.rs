//! Disturbances of a measurement. A bad result of a disturbed measurement is no evidence against this PC.

use std::fmt;

use crate::nanos::Nanos;
use crate::run::Run;
use crate::units::{format_share, format_time};

/// An event or activity that disturbed a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// Other programs used more than a tenth of the measured CPUs, or of the CPU with the gaps. The value is their
    /// CPU time as a share of one CPU.
    OtherPrograms(f64),
    /// A CPU quota throttled Jitterscope for this total time.
    Throttled(Nanos),
    /// The system slept for this total time during the run.
    Slept(Nanos),
}

impl Disturbance {
    /// The share of the measured CPUs above which the CPU use of other programs counts as a disturbance.
    pub const LIMIT: f64 = 0.10;

    /// Returns the disturbance by other programs that used `share` of one CPU during a measurement on `cpu_count`
    /// CPUs; `None` if this is at most the share [`LIMIT`](Self::LIMIT) of these CPUs.
    pub fn by_programs(share: f64, cpu_count: usize) -> Option<Self> {
        (Self::limit(cpu_count) < share).then_some(Self::OtherPrograms(share))
    }

    /// Returns the share of one CPU that other programs may use during a measurement on `cpu_count` CPUs.
    pub(in crate::report) fn limit(cpu_count: usize) -> f64 {
        Self::LIMIT * crate::stats::float(cpu_count.max(1))
    }

    /// Returns what disturbed the whole run: a sleep of the system, or else a CPU quota; `None` without either.
    pub(in crate::report) fn of_run(run: &Run) -> Option<Self> {
        let is_any = |time: &Nanos| Nanos::ZERO < *time;
        let slept = run.health.machine_slept.filter(is_any).map(Self::Slept);
        slept.or(run.health.limits.throttled.filter(is_any).map(Self::Throttled))
    }

    /// Returns the disturbance to name of two: other programs, with the larger share, before a quota or a sleep.
    /// Returns `other` if no other programs are involved.
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

    /// Returns what happened, in a few words without amounts: "other programs were busy".
    pub const fn words(self) -> &'static str {
        match self {
            Self::OtherPrograms(_) => "other programs were busy",
            Self::Throttled(_) => "a CPU quota throttled the program",
            Self::Slept(_) => "the system slept",
        }
    }
}

impl fmt::Display for Disturbance {
    /// Writes what happened with its amount, as part of a sentence: "other programs used up to 155% of one CPU".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherPrograms(share) => {
                write!(f, "other programs used up to {} of one CPU", format_share(*share))
            }
            Self::Throttled(time) | Self::Slept(time) => {
                write!(f, "{} for {}", self.words(), format_time(*time))
            }
        }
    }
}
