//! Artificial runs for the tests of reports. A run has every trial of a plan; the test adds the samples.

use super::super::glossary::empty_run;
use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::Plan;
use crate::platform::{Applied, Effective, Policy, RequestOutcome};
use crate::run::{Run, RunId, TrialRun};
use crate::sample::Sample;

/// Returns the settings that a system applies if it grants every request.
pub(in crate::report) fn applied() -> Applied {
    Applied {
        priority: RequestOutcome::Granted,
        pin: RequestOutcome::Granted,
        effective: Effective { policy: Policy::Nice(0), cpus: vec![0, 1], ran_on: Some(0) },
        mechanism: String::new(),
        selected_cpu: None,
        refusals: Vec::new(),
        timer_slack: Some(Nanos::from_micros(50)),
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: "clock_nanosleep, relative".to_owned(),
        demoted: false,
        policy_at_end: None,
    }
}

/// Returns a finished run of a plan on a PC with 2 cores. `fill` adds samples and counters to each trial.
pub(crate) fn run_of(plan: Plan, fill: impl Fn(&mut TrialRun)) -> Run {
    let mut run = empty_run(plan.into());
    for trial in &mut run.trials {
        trial.applied = Some(applied());
        trial.complete = true;
        fill(trial);
    }
    Run {
        id: RunId::random(),
        machine: Machine { physical_cores: Some(2), ..Machine::default() },
        clock: ClockFacts { resolution: Nanos::new(20), ..ClockFacts::default() },
        ..run
    }
}

/// Returns a wait that began at `began`, was due after `length`, and ended `late` after it was due, in nanoseconds.
pub(crate) fn wait(began: i64, length: i64, late: i64) -> Sample {
    let (began, due) = (Nanos::new(began), Nanos::new(began + length));
    let woke = due + Nanos::new(late);
    Sample { began, due, slept: None, woke, done: woke + Nanos::new(20), spins: 1, cpu: Some(0) }
}
