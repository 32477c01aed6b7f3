//! CPU time and context switches of the measuring thread and the load, the spin tail, and the time to read counters.

use super::figures::{sum_by, sum_of};
use crate::nanos::Nanos;
use crate::run::{TrialRun, counter};

/// What the measuring thread and the load threads of one configuration used in all its trials. A value is `None` if
/// the system did not report the value or an older version did not save it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// CPU time of the measuring thread as a share of the measured time.
    pub cpu_share: Option<f64>,
    /// How often the measuring thread gave up its CPU.
    pub voluntary_switches: Option<u64>,
    /// How often the measuring thread was preempted.
    pub involuntary_switches: Option<u64>,
    /// CPU time of the load threads as a share of the time that they ran, on average per thread.
    pub load_share: Option<f64>,
    /// The longest spin tail of the trials; `None` without a hybrid wait.
    pub spin_tail: Option<Nanos>,
    /// The time of one read of the counters of the measuring thread, the longest of the trials.
    pub evidence_read: Option<Nanos>,
}

impl Usage {
    /// Combines the counters of trials into sums, shares of sums, and maxima.
    pub(in crate::report) fn of(trials: &[&TrialRun]) -> Self {
        let sum = |name| sum_of(trials, name);
        let most = |name: &str| {
            let values = trials.iter().filter_map(|trial| trial.counters.get(name));
            values.max().copied().map(Nanos::new)
        };
        let share = |part: Option<i64>, whole: Option<i64>| {
            let (part, whole) = (Nanos::new(part?).as_f64(), Nanos::new(whole?).as_f64());
            (0.0 < whole).then(|| part / whole)
        };
        let load_time = sum_by(trials, |trial| {
            let threads = trial.counters.get(counter::LOAD_THREADS)?;
            Some(threads.saturating_mul(*trial.counters.get(counter::LOAD_WALL_NANOS)?))
        });
        let count = |name| sum(name).and_then(|count| u64::try_from(count).ok());
        Self {
            cpu_share: share(sum(counter::CPU_NANOS), sum(counter::WALL_NANOS)),
            voluntary_switches: count(counter::VOLUNTARY_SWITCHES),
            involuntary_switches: count(counter::INVOLUNTARY_SWITCHES),
            load_share: share(sum(counter::LOAD_CPU_NANOS), load_time),
            spin_tail: most(counter::TAIL_NANOS),
            evidence_read: most(counter::EVIDENCE_READ_NANOS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::tests::test_run::run_of;

    #[test]
    fn counters_of_all_trials_are_added_up() {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |trial| {
            for (name, value) in [
                (counter::CPU_NANOS, 250),
                (counter::WALL_NANOS, 1_000),
                (counter::VOLUNTARY_SWITCHES, 7),
                (counter::LOAD_CPU_NANOS, 1_500),
                (counter::LOAD_THREADS, 2),
                (counter::LOAD_WALL_NANOS, 1_000),
                (counter::TAIL_NANOS, 300),
            ] {
                trial.counters.insert(name.to_owned(), value);
            }
        });
        let mut other = run.trials[0].clone();
        other.counters.insert(counter::TAIL_NANOS.to_owned(), 200);
        other.counters.insert(counter::CPU_NANOS.to_owned(), 750);
        run.trials = vec![run.trials.remove(0), other];
        let trials: Vec<&TrialRun> = run.trials.iter().collect();
        let usage = Usage::of(&trials);
        assert_eq!(usage.cpu_share, Some(0.5));
        assert_eq!(usage.voluntary_switches, Some(14));
        assert_eq!(usage.involuntary_switches, None);
        assert_eq!(usage.load_share, Some(0.75));
        assert_eq!(usage.spin_tail, Some(Nanos::new(300)));
        assert_eq!(usage.evidence_read, None);
        run.trials[1].counters.remove(counter::LOAD_WALL_NANOS);
        let trials: Vec<&TrialRun> = run.trials.iter().collect();
        assert_eq!(Usage::of(&trials).load_share, None, "one trial does not have it");
        let first = &run.trials[0];
        let not_started = TrialRun::new(first.stage, first.trial.clone(), first.load);
        let trials = [first, &not_started];
        assert_eq!(Usage::of(&trials).cpu_share, Some(0.25), "of the trial that ran");
    }
}
