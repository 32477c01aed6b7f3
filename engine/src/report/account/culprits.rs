//! The sources that delayed a run, each with its number of late samples and its total time of delay.

use std::collections::{BTreeMap, BTreeSet};

use super::suspects::Suspects;
use super::{Culprit, LateSample, late_samples};
use crate::nanos::Nanos;
use crate::platform::{Missing, TraceSource, TraceState};
use crate::report::model::cause::Cause;
use crate::report::model::delays::{Delay, Delays};
use crate::report::model::report::Options;
use crate::report::model::table::Table;
use crate::report::model::table::{Cell, Column, TableBuilder};
use crate::run::{Run, TrialRun, counter};
use crate::sample::TraceEvent;
use crate::units::count_text;

impl Delays {
    /// Sums up the delays of these samples by source.
    pub fn of<'a>(late: impl IntoIterator<Item = &'a LateSample>) -> Self {
        let mut tally = Tally::default();
        for one in late {
            tally.add(one);
        }
        tally.ranked(None)
    }

    /// Sums up the delays of the samples in these trials whose lateness exceeds `above`, by source.
    /// `trials` holds the positions of the trials in the run.
    pub(in crate::report) fn above(run: &Run, trials: &[usize], above: Nanos) -> Self {
        let trials = trials.iter().filter_map(|&trial| run.trials.get(trial));
        Self::of_trials(trials.map(|trial| (trial, above)))
    }

    /// Sums up the delays of the late samples of a run by source; empty if no sample was late. Only
    /// the late samples of one trial at a time are in memory, as hours of late frames are millions of
    /// samples. Time: O(n log n).
    pub(in crate::report) fn of_run(run: &Run, options: &Options) -> Self {
        let threshold_of = |trial| Some((trial, threshold(run, trial, options)?));
        Self::of_trials(run.trials.iter().filter_map(threshold_of))
    }

    fn of_trials<'a>(trials: impl Iterator<Item = (&'a TrialRun, Nanos)>) -> Self {
        let (mut tally, mut suspect) = (Tally::default(), None);
        for (trial, above) in trials {
            let late = late_samples(trial, above);
            let suspects = Suspects::of(trial);
            let likely = suspects.likely(late.iter().map(|one| &one.sample)).map(str::to_owned);
            suspect = suspect.or(likely);
            for one in &late {
                tally.add(one);
            }
        }
        tally.ranked(suspect)
    }
}

/// Running sums of the delays of late samples, by cause and name.
#[derive(Default)]
struct Tally {
    late_count: u64,
    lateness: Nanos,
    found: BTreeMap<(Cause, String), Delay>,
}

impl Tally {
    fn add(&mut self, one: &LateSample) {
        self.late_count += 1;
        self.lateness += one.sample.late();
        let main = one.main_delay();
        for ((cause, name), (culprit, length)) in one.account.by_source() {
            let name = name.to_owned();
            let delay = self.found.entry((cause, name.clone())).or_insert_with(|| Delay {
                name,
                kind: culprit.map_or(cause.row().names[1], |culprit| culprit.kind.label()),
                program: culprit.and_then(Culprit::program).map(str::to_owned),
                cause,
                ..Delay::default()
            });
            delay.sample_count += u64::from((delay.cause, &delay.name) == (main.0, &main.1));
            delay.total += length;
            delay.worst = delay.worst.max(length);
        }
    }

    fn ranked(self, suspect: Option<String>) -> Delays {
        let mut ranked: Vec<Delay> = self.found.into_values().collect();
        for delay in &mut ranked {
            delay.share = delay.total.as_f64() / self.lateness.as_f64().max(1.0);
        }
        ranked.sort_by_key(|delay| {
            (std::cmp::Reverse((delay.sample_count, delay.total)), delay.name.clone())
        });
        Delays { late_count: self.late_count, ranked, suspect, busy: Vec::new() }
    }
}

/// Returns the trace source of a run, and why a more exact one was not available; `None` if no
/// trace was requested.
pub fn trace_state(run: &Run) -> Option<TraceState> {
    let counters = run.trials.iter().map(|trial| &trial.counters);
    let traced = counters.rev().find(|counters| counters.contains_key(counter::TRACE_SOURCE))?;
    let number = |name: &str| traced.get(name).and_then(|value| i32::try_from(*value).ok());
    Some(TraceState {
        source: traced.get(counter::TRACE_SOURCE).copied().and_then(TraceSource::from_number),
        denied_errno: number(counter::TRACE_DENIED_ERRNO),
        paranoid: number(counter::PERF_EVENT_PARANOID),
        is_nested: traced.contains_key(counter::TRACE_IN_NAMESPACE),
        covered: Vec::new(),
        missing: missing(run),
    })
}

/// Returns the kinds of events that were not recorded, each with the CPUs on which it was not
/// recorded; the kind with the most CPUs comes first.
fn missing(run: &Run) -> Vec<Missing> {
    let mut cpus: BTreeMap<(String, Option<i64>), BTreeSet<u32>> = BTreeMap::new();
    for trace in run.trials.iter().filter_map(|trial| trial.trace.as_ref()) {
        for one in trace.records_of(|event| event == TraceEvent::NotRecorded) {
            let name = one.name.and_then(|at| trace.names().get(usize::try_from(at).ok()?));
            let event = name.cloned().unwrap_or_default();
            cpus.entry((event, one.value)).or_default().insert(one.cpu);
        }
    }
    let missing = cpus.into_iter().map(|((event, errno), cpus)| Missing {
        event,
        errno: errno.and_then(|errno| i32::try_from(errno).ok()),
        cpus: cpus.into_iter().collect(),
    });
    let mut missing: Vec<Missing> = missing.collect();
    missing.sort_by_key(|one| std::cmp::Reverse(one.cpus.len()));
    missing
}

/// Returns the lateness above which delays of a trial's samples are counted; `None` if the trial is
/// not graded, or if no causes were recorded in it.
fn threshold(run: &Run, trial: &TrialRun, options: &Options) -> Option<Nanos> {
    if run.plan().is_some_and(|plan| !plan.probe().is_graded(&trial.trial.label)) {
        return None;
    }
    if trial.trial.pace.is_grid() {
        return run
            .subject
            .late_limit(options.late_percent)
            .filter(|_| trial.trial.evidence_above.is_some());
    }
    let is_traced = trial.counters.get(counter::TRACE_SOURCE).is_some_and(|source| 0 < *source);
    (is_traced && trial.trace.is_some()).then(|| trial.trial.trace_above()).flatten()
}

/// Returns the table of the sources that delayed a run; `None` if no sample was late.
pub(in crate::report) fn table(run: &Run, delays: &Delays) -> Option<Table> {
    if delays.late_count == 0 {
        return None;
    }
    let mut table = Delay::table(&delays.ranked);
    let late = format!("late {}", run.subject.samples_name());
    table.note = count_text(delays.late_count, &late);
    for (row, delay) in table.rows.iter_mut().zip(&delays.ranked) {
        row.is_private = delay.program.is_some() && !delays.names(&delay.name);
    }
    Some(table)
}

impl Delay {
    /// Returns a table with one row per source of delay.
    pub fn table(ranked: &[Self]) -> Table {
        TableBuilder::new("delays", "Who delayed this run", String::new(), ranked)
            .column(
                Column::text(
                    "name",
                    "Name",
                    "Thread, interrupt, or cause that delayed late samples.",
                ),
                |delay| Cell::text_of(delay.name.as_str()),
            )
            .column(
                Column::text(
                    "kind",
                    "Kind",
                    "Type of the source: thread, interrupt, softirq, or cause.",
                ),
                |delay| Cell::text_of(delay.kind),
            )
            .column(
                Column::count(
                    "late_count",
                    "Late",
                    "Late samples of which this source caused the largest part.",
                )
                .lower_is_better()
                .key_figure(),
                |delay| delay.sample_count.into(),
            )
            .column(
                Column::time(
                    "total_nanos",
                    "Total",
                    "Lateness that this source caused in all late samples.",
                )
                .lower_is_better(),
                |delay| delay.total.into(),
            )
            .column(
                Column::time(
                    "worst_nanos",
                    "Max",
                    "Longest time this source delayed one late sample.",
                )
                .lower_is_better(),
                |delay| delay.worst.into(),
            )
            .column(
                Column::share(
                    "lateness_share",
                    "Share",
                    "Share of the lateness of all late samples that this source caused.",
                )
                .lower_is_better(),
                |delay| Cell::Share(delay.share),
            )
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Account, Culprit, CulpritKind, Segment, Source, owner_by_name};
    use super::*;
    use crate::sample::Sample;

    fn late(parts: &[(Cause, Option<&str>, i64)], remainder: i64) -> LateSample {
        let segments = parts.iter().map(|&(cause, name, micros)| Segment {
            start: None,
            length: Nanos::from_micros(micros),
            cause,
            culprit: name.map(|name| {
                let (name, kind) = (name.to_owned(), CulpritKind::Thread);
                let owner = owner_by_name(&name);
                Arc::new(Culprit { name, kind, thread: Some(4), priority: None, owner })
            }),
            cpu: None,
        });
        let account = Account {
            source: Source::Counters,
            segments: segments.collect(),
            remainder: Nanos::from_micros(remainder),
            is_complete: true,
        };
        let woke = account.total();
        let sample = Sample {
            began: Nanos::ZERO,
            due: Nanos::ZERO,
            slept: None,
            woke,
            done: woke,
            spins: 0,
            cpu: None,
        };
        LateSample { index: 0, sample, evidence: None, cause: account.cause(), account }
    }

    #[test]
    fn what_delayed_the_most_samples_comes_first() {
        let thread = Cause::Thread;
        let samples = [
            late(&[(thread, Some("rustc"), 300), (Cause::TimerLate, None, 100)], 0),
            // Two segments with the same thread count as one delay of the sample.
            late(
                &[
                    (thread, Some("rustc"), 150),
                    (thread, Some("chrome"), 200),
                    (thread, Some("rustc"), 150),
                ],
                0,
            ),
            late(&[(Cause::TimerLate, None, 40)], 60),
        ];
        let delays = Delays::of(&samples);
        assert_eq!((delays.late_count, delays.main()), (3, None), "three name nobody");
        let delays = delays.ranked;
        let found: Vec<_> = delays
            .iter()
            .map(|one| {
                let micros = |time: Nanos| time.get() / 1_000;
                (one.name.as_str(), one.sample_count, micros(one.total), micros(one.worst))
            })
            .collect();
        let expected = [
            ("rustc", 2, 600, 300),
            ("Not observable here", 1, 60, 60),
            ("chrome", 0, 200, 200),
            ("OS timer fired late", 0, 140, 100),
        ];
        assert_eq!(found, expected);
        assert_eq!(delays[0].kind, "thread");
        assert_eq!(delays[3].kind, "OS timer");
        let shares: f64 = delays.iter().map(|one| one.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }

    #[test]
    fn half_of_five_late_samples_name_a_source() {
        let of = |names: &[&str]| {
            let samples: Vec<LateSample> =
                names.iter().map(|&name| late(&[(Cause::Thread, Some(name), 300)], 0)).collect();
            Delays::of(&samples).main().map(|one| (one.name.clone(), one.program.clone()))
        };
        let chrome = "chrome (Compositor)";
        let found = of(&[chrome, chrome, chrome, "rustc", "cc"]);
        assert_eq!(found, Some((chrome.to_owned(), Some("chrome".to_owned()))));
        assert_eq!(of(&[chrome, chrome, "rustc", "cc", "ld"]), None);
        assert_eq!(of(&[chrome; 4]), None);
        let kernel = of(&["[ksoftirqd/1]"; 5]);
        assert_eq!(kernel, Some(("[ksoftirqd/1]".to_owned(), None)), "not to be closed");
        let load = ["load-0", "load-1", "load-1", "load-2", "load-3"];
        let load = load.map(|thread| format!("jitterscope-cli ({thread})"));
        let own = of(&load.each_ref().map(String::as_str));
        assert_eq!(own, Some(("Background load of this test".to_owned(), None)), "one source");
        // Another running copy of this program counts as another program, even if its threads have
        // names of load threads.
        let copy = of(&["jitterscope-cli 4711 (load-0)"; 5]);
        let name = "jitterscope-cli 4711".to_owned();
        assert_eq!(copy, Some((format!("{name} (load-0)"), Some(name))));
        let unknown: Vec<LateSample> = (0..9).map(|_| late(&[], 70)).collect();
        assert_eq!(Delays::of(&unknown).main(), None);
    }
}
