//! Runs that have not been measured: all planned trials, without any samples.

use super::{Ending, Health, METHOD_VERSION, Run, RunId, Subject, TrialRun};
use crate::machine::{ClockFacts, Machine};
use crate::plan::Stage;

impl Run {
    /// Returns a finished run without samples and facts. It has all trials of `stages`.
    pub(crate) fn planned(subject: Subject, stages: &[Stage]) -> Self {
        let mut trials = Vec::new();
        for (stage, position) in stages.iter().zip(0..) {
            for trial in &stage.trials {
                trials.push(TrialRun::new(position, trial.clone(), stage.load));
            }
        }
        Self {
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            method_version: METHOD_VERSION,
            id: RunId::random(),
            started_at: jiff::Timestamp::UNIX_EPOCH,
            wall_clock: None,
            ending: Ending::Finished,
            name: String::new(),
            note: String::new(),
            tags: Vec::new(),
            annotations: Vec::new(),
            group: None,
            subject,
            host: None,
            machine: Machine::default(),
            clock: ClockFacts::default(),
            health: Health::default(),
            trials,
        }
    }
}
