//! One configuration: what was requested and applied, what all tests count, and its test's own figures.

use super::disturbance::Disturbance;
use super::figures::Figures;
use super::grading::{self, Grading};
use super::usage::Usage;
use crate::nanos::Nanos;
use crate::plan::{Conditions, Load, Wait};
use crate::platform::{Policy, Refusal, RequestOutcome};
use crate::stats::interval::TooFew;
use crate::stats::{GradeRange, Summary};
use crate::units::format_cpus;

/// The numbers of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Names the configuration.
    pub label: String,
    /// What was asked of the system.
    pub conditions: Conditions,
    /// How the loop waited.
    pub wait: Wait,
    /// What ran next to it.
    pub load: Load,
    /// The length of a frame, or of each wait; 0 where there is neither.
    pub period: Nanos,
    /// Lateness above which a frame counts as late.
    pub late_limit: Nanos,
    /// Positions of its trials in the run.
    pub trials: Vec<usize>,
    /// What it was granted; absent where it did not start.
    pub granted: Option<AppliedSummary>,
    /// Its numbers; absent where there is no sample. What the test is about is under `lateness`:
    /// lateness, overshoot, the length of gaps, or the time of cycles.
    pub summary: Option<Summary>,
    /// The figures that only its test has.
    pub figures: Figures,
    /// The 95% interval of p99, or what is known with too few samples; absent while the run is in progress.
    pub p99_bounds: Option<Result<(Nanos, Nanos), TooFew>>,
    /// The grades that the interval of its measure allows; absent while the run is in progress, and where it is
    /// not graded: not measured to its end, or not as requested.
    pub grading: Option<Grading>,
    /// What disturbed it, where something did.
    pub disturbance: Option<Disturbance>,
    /// What the measuring thread and the load used.
    pub usage: Usage,
    /// Samples that were lost.
    pub lost_count: u64,
    /// Whether every round was measured to its end.
    pub is_complete: bool,
    /// Whether it is graded and ranked; others are stated alongside.
    pub is_graded: bool,
    /// Why it was omitted, where it was.
    pub skipped: Option<String>,
    /// CPU time of other programs as a share of one CPU: the largest of its rounds.
    pub foreign_share: Option<f64>,
}

/// What a configuration was granted.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedSummary {
    /// How the request for a priority went.
    pub priority: RequestOutcome,
    /// How the request for a CPU went.
    pub pin: RequestOutcome,
    /// How the thread was scheduled.
    pub policy: Policy,
    /// The CPUs it might run on; empty where the system does not report them.
    pub cpus: Vec<u32>,
    /// Of how many rounds this is what was granted, if not of all, and how many there are.
    pub of_rounds: Option<(usize, usize)>,
    /// What another program changed the policy to, where one did.
    pub changed_to: Option<Policy>,
    /// What raised it.
    pub mechanism: String,
    /// Everything that was refused.
    pub refusals: Vec<Refusal>,
    /// Whether a watchdog took real-time priority away.
    pub demoted: bool,
    /// What the system's sleep is.
    pub sleep_call: String,
    /// The timer slack in force, read back (Linux).
    pub timer_slack: Option<Nanos>,
    /// The timer resolution in force, read back (Windows).
    pub timer_resolution: Option<Nanos>,
}

impl Configuration {
    /// Whether every round ran at everything that was asked until its end.
    pub fn is_as_requested(&self) -> bool {
        self.granted.as_ref().is_some_and(|granted| {
            granted.priority == RequestOutcome::Granted && granted.pin == RequestOutcome::Granted
        }) && self.has_retained_policy()
    }

    /// Whether the scheduling policy of every round stayed as applied.
    pub fn has_retained_policy(&self) -> bool {
        self.granted
            .as_ref()
            .is_some_and(|granted| !granted.demoted && granted.changed_to.is_none())
    }

    /// What other programs used of one CPU where they disturbed it.
    pub fn disturbing_share(&self) -> Option<f64> {
        match self.disturbance {
            Some(Disturbance::OtherPrograms(share)) => Some(share),
            _ => None,
        }
    }

    /// p99 lateness, where there are enough samples.
    pub fn p99(&self) -> Option<Nanos> {
        self.summary.as_ref()?.lateness.p99
    }

    /// The 95% interval of p99, where there are enough samples for both ends.
    pub fn p99_interval(&self) -> Option<(Nanos, Nanos)> {
        self.p99_bounds?.ok()
    }

    /// Whether its p99 is clearly higher than that of another one: its interval, of which the lower end is enough,
    /// begins above the other.
    pub fn has_clearly_higher_p99(&self, other: &Self) -> bool {
        let low = self.p99_bounds.and_then(|bounds| match bounds {
            Ok((low, _)) => Some(low),
            Err(few) => few.low,
        });
        low.zip(other.p99_interval()).is_some_and(|(low, (_, high))| high < low)
    }

    /// p99 lateness as a share of a frame, in percent.
    pub fn p99_percent_of_frame(&self) -> Option<f64> {
        Some(self.p99()?.as_f64() / self.period.as_f64() * 100.0)
    }

    /// Its grade or bound, where the data is enough for one: what the interval of the measure covers. Fair and
    /// Poor are not stated of a disturbed measurement. Cycles are graded against other rows only.
    pub fn grade(&self) -> Option<GradeRange> {
        let (grade, _) = grading::conclude(self.part().into_iter());
        grade
    }

    /// Its grading with what disturbed it, as a part of a verdict.
    pub(in crate::report) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }

    /// What it was granted in a few words: "RR 10 · CPU 1"; "–" where it did not start.
    pub fn applied_text(&self) -> String {
        let Some(granted) = &self.granted else { return "–".to_owned() };
        let mut text = granted.policy.to_string();
        if granted.demoted {
            text.push_str(", revoked by the watchdog");
        }
        if let Some(policy) = granted.changed_to.filter(|_| !granted.demoted) {
            text.push_str(&format!(", changed to {policy} during the test"));
        }
        match granted.cpus.as_slice() {
            [] => {}
            [cpu] => text.push_str(&format!(" · CPU {cpu}")),
            cpus => text.push_str(&format!(" · CPUs {}", format_cpus(cpus))),
        }
        if let Some((count, all)) = granted.of_rounds {
            text.push_str(&format!(", in {count} of {all} rounds"));
        }
        text
    }
}
