//! Suspects: programs that were busy while samples were late. They are a hint at the cause if the
//! trace does not record which threads used a CPU.

use std::collections::BTreeMap;

use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::model::delays::{MIN_LATE, OWN_LOAD, Suspect};
use crate::run::{TrialRun, counter};
use crate::sample::{Sample, TraceEvent};
use crate::stats::float;

/// Max time from a sample to the CPU time reading that covers it: the interval of the readings plus
/// a margin.
const REACH: Nanos = Nanos::from_millis(400);

/// The programs that were busy while samples of a trial were late.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suspects {
    /// The time of each CPU time reading, with the programs that were busy in the interval before
    /// it, the busiest first.
    readings: Vec<(Nanos, Vec<Suspect>)>,
    /// The load threads of the test as one program, which was busy all the time; empty without
    /// load.
    load: Vec<Suspect>,
}

impl Suspects {
    /// Reads the busy programs of a trial. Returns none if the trace records which threads used a
    /// CPU, or if the CPU time of the test's load is not known.
    pub fn of(trial: &TrialRun) -> Self {
        let source = trial.counters.get(counter::TRACE_SOURCE).copied();
        let names_threads =
            Some(TraceSource::AllSwitches) <= source.and_then(TraceSource::from_number);
        let load = own_load(trial);
        if names_threads || (load.is_none() && !trial.load.is_none()) {
            return Self::default();
        }
        let mut readings = readings(trial);
        let load: Vec<Suspect> = load.into_iter().collect();
        for (_, suspects) in &mut readings {
            suspects.extend(load.iter().cloned());
            sort(suspects);
        }
        Self { readings, load }
    }

    /// Returns the programs that were busy when a sample woke, including the load of the test, the
    /// busiest first.
    pub fn at(&self, sample: &Sample) -> &[Suspect] {
        let after = self.readings.partition_point(|reading| reading.0 < sample.woke);
        let reading = self.readings.get(after);
        reading.filter(|one| one.0 <= sample.woke + REACH).map_or(&self.load, |one| &one.1)
    }

    /// Returns the programs that were busy when these samples woke, each with its share of one CPU as
    /// a mean over all samples, the busiest first.
    pub fn of_samples<'a>(&self, samples: impl IntoIterator<Item = &'a Sample>) -> Vec<Suspect> {
        let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
        let mut count = 0_usize;
        for sample in samples {
            count += 1;
            for suspect in self.at(sample) {
                *shares.entry(&suspect.name).or_default() += suspect.share;
            }
        }
        means(&shares, count)
    }

    /// Returns the program that was the busiest at the wake-up of at least half of these samples;
    /// `None` if there is no such program, or with fewer than `MIN_LATE` samples.
    pub fn likely<'a>(&self, samples: impl IntoIterator<Item = &'a Sample>) -> Option<&str> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let mut count = 0_u64;
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

/// Returns the time of each CPU time reading of a trial, with the programs that were busy in the
/// interval before it.
fn readings(trial: &TrialRun) -> Vec<(Nanos, Vec<Suspect>)> {
    let Some(trace) = &trial.trace else { return Vec::new() };
    let mut readings: Vec<(Nanos, Vec<Suspect>)> = Vec::new();
    for record in trace.records_of(|event| event == TraceEvent::Busy) {
        let name = record.name.and_then(|at| trace.names().get(usize::try_from(at).ok()?));
        let (Some(name), Some(permille)) = (name, record.value) else { continue };
        let share = Nanos::new(permille).as_f64() / 1e3;
        let suspect = Suspect { name: name.clone(), share };
        match readings.last_mut().filter(|last| last.0 == record.at) {
            Some((_, suspects)) => suspects.push(suspect),
            None => readings.push((record.at, vec![suspect])),
        }
    }
    readings
}

/// Returns the load threads of a trial as one program; `None` without load threads, and for older
/// files, which do not save the CPU time of load threads.
fn own_load(trial: &TrialRun) -> Option<Suspect> {
    let time = |name: &str| trial.counters.get(name).map(|nanos| Nanos::new(*nanos).as_f64());
    let (cpu, wall) = (time(counter::LOAD_CPU_NANOS)?, time(counter::LOAD_WALL_NANOS)?);
    let is_busy = !trial.load.is_none() && 0.0 < cpu && 0.0 < wall;
    is_busy.then(|| Suspect { name: OWN_LOAD.to_owned(), share: cpu / wall })
}

/// Returns the other programs that were busy during these trials, each with its share of one CPU as a
/// mean over all CPU time readings, the busiest first.
pub(in crate::report) fn busy_programs(trials: &[TrialRun]) -> Vec<Suspect> {
    let readings: Vec<_> = trials.iter().flat_map(readings).collect();
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for one in readings.iter().flat_map(|(_, programs)| programs) {
        *shares.entry(&one.name).or_default() += one.share;
    }
    means(&shares, readings.len())
}

fn means(shares: &BTreeMap<&str, f64>, count: usize) -> Vec<Suspect> {
    let mean = |(name, share): (&&str, &f64)| {
        let share = share / float(count.max(1));
        Suspect { name: (*name).to_owned(), share }
    };
    let mut suspects: Vec<Suspect> = shares.iter().map(mean).collect();
    sort(&mut suspects);
    suspects
}

fn sort(suspects: &mut [Suspect]) {
    suspects.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.name.cmp(&b.name)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Load, LoadCount, Plan};
    use crate::report::tests::test_run::{run_of, wait};
    use crate::run::Trace;
    use crate::sample::TraceRecord;

    fn busy(millis: i64, name: u32, permille: i64) -> TraceRecord {
        TraceRecord {
            at: Nanos::from_millis(millis),
            event: TraceEvent::Busy,
            cpu: 0,
            thread: Some(9),
            name: Some(name),
            value: Some(permille),
        }
    }

    /// Returns a trial during which chrome and cargo were busy, modified by `change`.
    fn trial(change: impl Fn(&mut TrialRun)) -> TrialRun {
        let rows = [busy(250, 0, 620), busy(250, 1, 310), busy(5_000, 1, 900)];
        let mut run = run_of(Plan::all().remove(0), |trial| {
            let names = ["chrome", "cargo"].map(str::to_owned).to_vec();
            trial.trace = Some(Trace::from_records(names, &rows));
            trial.load = Load::NONE;
            change(trial);
        });
        run.trials.remove(0)
    }

    fn at(millis: i64) -> Sample {
        wait(millis * 1_000_000, 0, 0)
    }

    #[test]
    fn who_is_busy_while_samples_are_late_is_suspected() {
        let trial = trial(|_| {});
        let suspects = Suspects::of(&trial);
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
        let all = busy_programs(&[trial]);
        let shares: Vec<_> = all.iter().map(|one| (one.name.as_str(), one.share)).collect();
        assert_eq!(shares, [("cargo", 0.605), ("chrome", 0.31)], "over two readings");
    }

    #[test]
    fn the_load_of_the_test_is_suspected_before_others() {
        let loaded = |trial: &mut TrialRun| {
            trial.load = Load { count: LoadCount::Threads(2), ..Load::NONE };
        };
        let counted = |trial: &mut TrialRun| {
            loaded(trial);
            for (name, millis) in
                [(counter::LOAD_CPU_NANOS, 1_800), (counter::LOAD_WALL_NANOS, 1_000)]
            {
                trial.counters.insert(name.to_owned(), millis * 1_000_000);
            }
        };
        let late = [100, 120, 140, 4_800, 1_000].map(at);
        let suspects = Suspects::of(&trial(counted));
        assert_eq!(suspects.likely(&late), Some(OWN_LOAD));
        let all = suspects.of_samples(&late);
        assert_eq!(all[0], Suspect { name: OWN_LOAD.to_owned(), share: 1.8 });
        assert_eq!(all.len(), 3, "the others follow");
        let without_trace = Suspects::of(&trial(|trial| {
            counted(trial);
            trial.trace = None;
        }));
        assert_eq!(without_trace.likely(&late), Some(OWN_LOAD), "it needs no permission");
        let older = Suspects::of(&trial(loaded));
        assert_eq!(older.likely(&late), None, "what it used is unknown, so nobody is blamed");
        let named = Suspects::of(&trial(|trial| {
            let source = TraceSource::AllSwitches.number();
            trial.counters.insert(counter::TRACE_SOURCE.to_owned(), source);
        }));
        assert_eq!(named, Suspects::default(), "who had the CPU is recorded");
    }
}
