//! Runs that something disturbed. Their numbers are no evidence for or against a change or a limit.

use crate::report::Report;
use crate::report::account::busy_programs;
use crate::report::model::delays::Suspect;
use crate::report::model::disturbance::Disturbance;
use crate::run::Run;

/// Maximum number of programs that are named.
const MAX_PROGRAMS: usize = 3;

/// A run that something disturbed.
#[derive(Clone, Debug, PartialEq)]
pub struct DisturbedRun {
    /// The ID of the run.
    pub id: String,
    /// What disturbed it the most.
    pub disturbance: Disturbance,
    /// The busiest other programs, each with its share of one CPU; empty if the run has no names.
    pub programs: Vec<Suspect>,
}

impl DisturbedRun {
    /// Returns what disturbed a run; `None` if nothing did.
    pub fn of(run: &Run, report: &Report) -> Option<Self> {
        let rows = report.rows.iter().filter_map(|row| row.disturbance);
        let worst = rows.reduce(Disturbance::or_worse).or_else(|| Disturbance::of_run(run));
        let disturbance = worst?;
        let is_by_programs = matches!(disturbance, Disturbance::OtherPrograms(_));
        let mut programs = if is_by_programs { busy_programs(&run.trials) } else { Vec::new() };
        programs.truncate(MAX_PROGRAMS);
        Some(Self { id: run.id.to_string(), disturbance, programs })
    }

    /// Returns what disturbed the run as part of a sentence: "run 0a1b: other programs used up to 185% of one CPU (cargo
    /// 93.0% of one CPU)".
    pub fn words(&self) -> String {
        let programs = match Suspect::list(&self.programs) {
            list if list.is_empty() => list,
            list => format!(" ({list})"),
        };
        format!("run {}: {}{programs}", self.id, self.disturbance)
    }
}
