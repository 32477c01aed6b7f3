//! Programs that were busy while samples were late: a hint, where it is not recorded who had a CPU.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::run::TrialRun;
use crate::sample::{Sample, TraceEvent};
use crate::stats::float;

/// How long after a sample the reading that covers it comes at most: its interval and a beat.
const REACH: Nanos = Nanos::from_millis(400);
/// Fewer late samples than this suspect nobody.
const MIN_LATE: usize = 5;

/// A program that was busy.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// Its name, as the system reports it.
    pub name: String,
    /// Its CPU time as a share of one CPU.
    pub share: f64,
}

/// The programs that were busy while samples of a trial were late.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suspects {
    /// When each reading was made, and the programs that were busy before it, the busiest first.
    readings: Vec<(Nanos, Vec<Suspect>)>,
}

impl Suspects {
    /// Reads those of a trial; none where who had a CPU is recorded.
    pub fn of(trial: &TrialRun) -> Self {
        let Some(trace) = &trial.trace else { return Self::default() };
        let mut readings: Vec<(Nanos, Vec<Suspect>)> = Vec::new();
        for record in trace.records() {
            let name = record.name.and_then(|at| trace.names().get(usize::try_from(at).ok()?));
            let (TraceEvent::Busy, Some(name), Some(permille)) = (record.event, name, record.value)
            else {
                continue;
            };
            let share = Nanos::new(permille).as_f64() / 1e3;
            let suspect = Suspect { name: name.clone(), share };
            match readings.last_mut().filter(|last| last.0 == record.at) {
                Some((_, suspects)) => suspects.push(suspect),
                None => readings.push((record.at, vec![suspect])),
            }
        }
        for (_, suspects) in &mut readings {
            suspects.sort_by(|a, b| b.share.total_cmp(&a.share));
        }
        Self { readings }
    }

    /// The programs that were busy when a sample woke, the busiest first.
    pub fn at(&self, sample: &Sample) -> &[Suspect] {
        let after = self.readings.partition_point(|reading| reading.0 < sample.woke);
        let reading = self.readings.get(after);
        reading.filter(|one| one.0 <= sample.woke + REACH).map_or(&[], |one| &one.1)
    }

    /// The programs that were busy when these samples woke, on average over them, the busiest first.
    pub fn of_samples<'a>(&self, samples: impl IntoIterator<Item = &'a Sample>) -> Vec<Suspect> {
        let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
        let mut count = 0_usize;
        for sample in samples {
            count += 1;
            for suspect in self.at(sample) {
                *shares.entry(&suspect.name).or_default() += suspect.share;
            }
        }
        let mean = |(name, share): (&str, f64)| {
            let share = share / float(count.max(1));
            Suspect { name: name.to_owned(), share }
        };
        let mut suspects: Vec<Suspect> = shares.into_iter().map(mean).collect();
        suspects.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
        suspects
    }

    /// The program that was the busiest when at least half of these samples woke, of at least five.
    pub fn likely<'a>(&self, samples: impl IntoIterator<Item = &'a Sample>) -> Option<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut count = 0_usize;
        for sample in samples {
            count += 1;
            if let Some(first) = self.at(sample).first() {
                *counts.entry(&first.name).or_default() += 1;
            }
        }
        let (name, most) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        (MIN_LATE <= count && count <= 2 * most).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::report::test_run::{run_of, wait};
    use crate::run::Trace;
    use crate::sample::TraceRecord;

    #[test]
    fn who_is_busy_while_samples_are_late_is_suspected() {
        let busy = |millis: i64, name: u32, permille: i64| TraceRecord {
            at: Nanos::from_millis(millis),
            event: TraceEvent::Busy,
            cpu: 0,
            thread: Some(9),
            name: Some(name),
            value: Some(permille),
        };
        let rows = [busy(250, 0, 620), busy(250, 1, 310), busy(5_000, 1, 900)];
        let run = run_of(Plan::all().remove(0), |trial| {
            let names = ["chrome", "cargo"].map(str::to_owned).to_vec();
            trial.trace = Some(Trace::from_records(names, &rows));
        });
        let suspects = Suspects::of(&run.trials[0]);
        let at = |millis: i64| wait(millis * 1_000_000, 0, 0);
        let names = |sample: &Sample| -> Vec<String> {
            suspects.at(sample).iter().map(|one| one.name.clone()).collect()
        };
        assert_eq!(names(&at(100)), ["chrome", "cargo"]);
        assert_eq!(names(&at(4_800)), ["cargo"]);
        assert_eq!(names(&at(1_000)), Vec::<String>::new(), "nothing was read around it");
        let late = [100, 120, 140, 4_800, 1_000].map(at);
        let all = suspects.of_samples(&late);
        assert_eq!(all[0].name, "chrome");
        assert!((all[0].share - 0.62 * 3.0 / 5.0).abs() < 1e-9, "{all:?}");
        assert_eq!(suspects.likely(&late), Some("chrome"));
        assert_eq!(suspects.likely(&late[..4]), None, "four suspect nobody");
        assert_eq!(suspects.likely(&[100, 4_800, 1_000, 1_000, 1_000].map(at)), None);
        assert_eq!(Suspects::default().likely(&late), None);
    }
}
