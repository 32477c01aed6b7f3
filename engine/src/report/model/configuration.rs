//! One configuration of a run: the requested and the applied settings, the numbers that all tests have, and the
//! figures of the test.

use std::any::Any;

use super::disturbance::Disturbance;
use super::figures::Figures;
use super::grading::{self, Grading};
use super::usage::Usage;
use crate::nanos::Nanos;
use crate::plan::{Conditions, Load, Wait};
use crate::platform::Applied;
use crate::stats::interval::TooFew;
use crate::stats::{GradeRange, Spread, Summary};
use crate::units::format_cpus;

/// Pairs each configuration with its figures of type `T`, and omits configurations without such figures.
pub(in crate::report) fn with_figures<'a, T: Any>(
    rows: impl IntoIterator<Item = &'a Configuration>,
) -> impl Iterator<Item = (&'a Configuration, &'a T)> {
    rows.into_iter().filter_map(|row| Some((row, row.figures.get::<T>()?)))
}

/// The results of one configuration of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The name of the configuration.
    pub label: String,
    /// The conditions requested from the OS, such as priority and pinning.
    pub conditions: Conditions,
    /// How the loop waited.
    pub wait: Wait,
    /// The background load.
    pub load: Load,
    /// The length of a frame or of each wait; 0 if the test has neither.
    pub period: Nanos,
    /// Lateness above which a frame counts as late.
    pub late_limit: Nanos,
    /// The positions of the configuration's trials in the run.
    pub trials: Vec<usize>,
    /// The applied settings: those of the first round that did not run as requested, or else of the
    /// first round. Absent if no trial of the configuration started.
    pub granted: Option<Applied>,
    /// The number of rounds that did not run as requested, and the number of all rounds. Absent if
    /// all rounds, or no rounds, ran as requested.
    pub of_rounds: Option<(usize, usize)>,
    /// Statistics of the samples; absent if there are none. The field `lateness` holds the value that the test
    /// measures: lateness, overshoot, the length of gaps, or the time of cycles.
    pub summary: Option<Summary>,
    /// Figures that only this kind of test has.
    pub figures: Figures,
    /// The 95% interval of p99; with too few samples, its lower end and the number of samples needed. Absent while
    /// the run is in progress.
    pub p99_bounds: Option<Result<(Nanos, Nanos), TooFew>>,
    /// The grades that the 95% interval of the graded value allows. Absent while the run is in progress, and
    /// if the configuration is not graded, for example because it is incomplete or did not run as requested.
    pub grading: Option<Grading>,
    /// What disturbed the measurement; absent if nothing did.
    pub disturbance: Option<Disturbance>,
    /// CPU time and other usage of the measuring thread and the load threads.
    pub usage: Usage,
    /// Number of samples that were lost.
    pub lost_count: u64,
    /// Whether every round was measured to its end.
    pub is_complete: bool,
    /// Whether the test grades and ranks this configuration; otherwise its numbers are only shown.
    pub is_graded: bool,
    /// Why the configuration was skipped; absent if it was not.
    pub skipped: Option<String>,
    /// CPU time of other programs as a share of one CPU: the max of all rounds.
    pub foreign_share: Option<f64>,
}

impl Configuration {
    /// Whether every round ran with all requested settings until its end.
    pub fn is_as_requested(&self) -> bool {
        self.granted.as_ref().is_some_and(Applied::is_as_requested)
    }

    /// Whether the applied scheduling policy stayed in force in every round.
    pub fn has_retained_policy(&self) -> bool {
        self.granted
            .as_ref()
            .is_some_and(|granted| !granted.demoted && granted.changed_to().is_none())
    }

    /// Returns the CPU time of other programs as a share of one CPU; `None` unless they disturbed the measurement.
    pub fn disturbing_share(&self) -> Option<f64> {
        match self.disturbance {
            Some(Disturbance::OtherPrograms(share)) => Some(share),
            _ => None,
        }
    }

    /// Returns the statistics of the value that the test measures, such as lateness; `None` without samples.
    pub fn lateness(&self) -> Option<&Spread> {
        self.summary.as_ref().map(|summary| &summary.lateness)
    }

    /// Returns p99 lateness; `None` if there are too few samples.
    pub fn p99(&self) -> Option<Nanos> {
        self.lateness()?.p99
    }

    /// Returns the 95% interval of p99; `None` if there are too few samples for both ends.
    pub fn p99_interval(&self) -> Option<(Nanos, Nanos)> {
        self.p99_bounds?.ok()
    }

    /// Whether p99 is clearly higher than p99 of another configuration: the lower end of the 95% interval of this one
    /// is above the upper end of the other interval. The upper end of this interval may be unknown.
    pub fn has_clearly_higher_p99(&self, other: &Self) -> bool {
        let low = self.p99_bounds.and_then(|bounds| match bounds {
            Ok((low, _)) => Some(low),
            Err(few) => few.low,
        });
        low.zip(other.p99_interval()).is_some_and(|(low, (_, high))| high < low)
    }

    /// Returns p99 lateness in percent of a frame; `None` if there are too few samples.
    pub fn p99_percent_of_frame(&self) -> Option<f64> {
        Some(self.p99()?.as_f64() / self.period.as_f64() * 100.0)
    }

    /// Returns the grade that the interval of the graded value allows, or a bound of the grade; `None` if there are
    /// too few samples, or if a disturbed measurement would be Fair or Poor. Game cycles are graded only against
    /// other rows, so their configurations have no grade.
    pub fn grade(&self) -> Option<GradeRange> {
        let (grade, _) = grading::conclude(self.part().into_iter());
        grade
    }

    /// Returns the grading and the disturbance, from which a verdict on several configurations can be concluded;
    /// `None` if the configuration is not graded.
    pub(in crate::report) fn part(&self) -> Option<(Grading, Option<Disturbance>)> {
        Some((self.grading?, self.disturbance))
    }

    /// Returns the applied settings in a few words: "RR 10 · CPU 1"; "–" if no trial started.
    pub fn applied_text(&self) -> String {
        let Some(granted) = &self.granted else { return "–".to_owned() };
        let mut text = granted.effective.policy.to_string();
        if granted.demoted {
            text.push_str(", revoked by the watchdog");
        }
        if let Some(policy) = granted.changed_to().filter(|_| !granted.demoted) {
            text.push_str(&format!(", changed to {policy} during the test"));
        }
        match granted.effective.cpus.as_slice() {
            [] => {}
            [cpu] => text.push_str(&format!(" · CPU {cpu}")),
            cpus => text.push_str(&format!(" · CPUs {}", format_cpus(cpus))),
        }
        if let Some((count, all)) = self.of_rounds {
            text.push_str(&format!(", in {count} of {all} rounds"));
        }
        text
    }
}
