//! The sources that delayed a run, each with its number of late samples and its total time of delay.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::suspects::Suspects;
use super::{Culprit, LateSample, Source, late_samples};
use crate::nanos::Nanos;
use crate::platform::{Missing, TraceSource, TraceState};
use crate::report::model::cause::Cause;
use crate::report::model::delays::{Delay, Delays};
use crate::report::model::report::Options;
use crate::report::model::table::Table;
use crate::report::model::table::{Cell, Column, TableBuilder};
use crate::run::{Run, TrialRun, counter};
use crate::sample::TraceEvent;
use crate::stats::Rhythm;
use crate::units::count_text;

impl Delays {
    /// Sums up the delays of these samples of a trial with this period by source.
    pub fn of<'a>(late: impl IntoIterator<Item = &'a LateSample>, period: Nanos) -> Self {
        let mut tally = Tally::default();
        tally.add_trial(late.into_iter().collect(), period);
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
            tally.add_trial(late.iter().collect(), trial.trial.pace.period());
        }
        tally.ranked(suspect)
    }
}

/// Running sums of the delays of late samples, by cause and name.
#[derive(Default)]
struct Tally {
    late_count: u64,
    recorded_count: u64,
    lateness: Nanos,
    found: BTreeMap<(Cause, String), (Delay, Rhythm)>,
}

/// Delays of one source that follow each other within this many periods of the test, or lengths of the delay, are one event.
const TOGETHER: i64 = 3;

impl Tally {
    /// Adds the late samples of a trial. Of a long trial, records are saved around a part of them: the worst, and a
    /// sample of all others. Then only these show what delayed the trial. All others waited for a CPU or were late
    /// without an event as well, but their counters alone would make that a separate cause.
    fn add_trial(&mut self, mut late: Vec<&LateSample>, period: Nanos) {
        late.sort_by_key(|one| one.sample.due);
        self.late_count += u64::try_from(late.len()).unwrap_or(u64::MAX);
        let is_traced = |one: &&LateSample| matches!(one.account.source, Source::Trace(_));
        let has_records = late.iter().any(is_traced);
        for one in late.iter().filter(|one| !has_records || is_traced(one)) {
            self.add(one, period);
        }
        self.found.values_mut().for_each(|(_, rhythm)| rhythm.end());
    }

    fn add(&mut self, one: &LateSample, period: Nanos) {
        self.recorded_count += 1;
        self.lateness += one.sample.late();
        let main = one.main_delay();
        for ((cause, name), (culprit, length)) in one.account.by_source() {
            let name = name.to_owned();
            let (delay, rhythm) = self.found.entry((cause, name.clone())).or_insert_with(|| {
                let delay = Delay {
                    name,
                    kind: culprit.map_or(cause.row().names[1], |culprit| culprit.kind.label()),
                    program: culprit.and_then(Culprit::program).map(str::to_owned),
                    is_own: culprit.is_some_and(Culprit::is_own),
                    cause,
                    ..Delay::default()
                };
                (delay, Rhythm::default())
            });
            if (delay.cause, &delay.name) == (main.0, &main.1) {
                delay.sample_count += 1;
                rhythm.add(one.sample.due, period.max(length) * TOGETHER);
            }
            delay.total += length;
            delay.worst = delay.worst.max(length);
        }
    }

    fn ranked(self, suspect: Option<String>) -> Delays {
        let finish = |(mut delay, rhythm): (Delay, Rhythm)| {
            delay.share = delay.total.as_f64() / self.lateness.as_f64().max(1.0);
            // A cause without a name has many sources.
            delay.period = rhythm.period().filter(|_| delay.is_named());
            delay
        };
        let mut ranked: Vec<Delay> = self.found.into_values().map(finish).collect();
        ranked.sort_by_key(|delay| {
            let lost = Reverse((delay.total, delay.sample_count));
            (delay.is_own, lost, delay.name.clone())
        });
        let Self { late_count, recorded_count, .. } = self;
        Delays { late_count, recorded_count, ranked, suspect, blamed: Vec::new(), busy: Vec::new() }
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
    missing.sort_by_key(|one| Reverse(one.cpus.len()));
    missing
}

/// Returns the lateness above which delays of a trial's samples are counted; `None` if the trial is
/// not graded, or if no causes were recorded in it.
pub(in crate::report) fn threshold(
    run: &Run,
    trial: &TrialRun,
    options: &Options,
) -> Option<Nanos> {
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
            .column(
                Column::time(
                    "period_nanos",
                    "Period",
                    "Time from one delay by this source to the next, if it keeps time.",
                )
                .neutral()
                .optional(),
                |delay| delay.period.map_or(Cell::Absent("no steady period".into()), Cell::from),
            )
            .each_row(|delay, row| row.cause = Some(delay.cause))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Account, CulpritKind, Segment, owner_by_name};
    use super::*;
    use crate::report::model::delays::OWN_LOAD;
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
            origin: None,
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
    fn the_source_that_cost_the_most_time_comes_first() {
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
        let delays = Delays::of(&samples, Nanos::ZERO);
        let first = delays.main().map(|main| main.name.as_str());
        assert_eq!((delays.late_count, first), (3, None), "fewer than five name nobody");
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
            ("chrome", 0, 200, 200),
            ("OS timer fired late", 0, 140, 100),
            ("Not observable here", 1, 60, 60),
        ];
        assert_eq!(found, expected);
        assert_eq!((delays[0].kind, delays[2].kind), ("thread", "OS timer"));
        let shares: f64 = delays.iter().map(|one| one.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }

    #[test]
    fn threads_and_processes_of_a_program_are_one_source() {
        let thread = |name, micros| late(&[(Cause::Thread, Some(name), micros)], 0);
        let samples = [
            thread("chrome (Compositor)", 300),
            thread("chrome (GPU)", 200),
            thread("chrome", 100),
            thread("rustc", 400),
            thread("jitterscope-cli (collector)", 900),
            thread("jitterscope-cli (load-0)", 800),
        ];
        let delays = Delays::of(&samples, Nanos::ZERO);
        let found: Vec<_> =
            delays.ranked.iter().map(|one| (one.name.as_str(), one.sample_count)).collect();
        let own = [("jitterscope-cli (collector)", 1), (OWN_LOAD, 1)];
        assert_eq!(found, [("chrome", 3), ("rustc", 1), own[0], own[1]], "own threads are last");
        assert_eq!(delays.ranked[0].program.as_deref(), Some("chrome"));
    }

    #[test]
    fn one_long_delay_is_named_beside_many_short_ones() {
        let timer: Vec<LateSample> =
            (0..95).map(|_| late(&[(Cause::Interrupt, Some("timer"), 20)], 0)).collect();
        let burst = (0..5).map(|_| late(&[(Cause::Thread, Some("hog"), 50_000)], 0));
        let delays = Delays::of(&timer.into_iter().chain(burst).collect::<Vec<_>>(), Nanos::ZERO);
        assert_eq!(
            delays.sentence("gaps").as_deref(),
            Some(
                "99.2% of the lost time: 5 of 100 gaps were delayed by hog, up to 50.00\u{202f}ms."
            )
        );
    }

    #[test]
    fn a_program_that_keeps_time_is_named_with_its_period() {
        // Two frames late in a row every 2 s, beside a timer that is late at other times.
        let at = |millis: i64, name: &str, cause| {
            let mut one = late(&[(cause, Some(name), 5_000)], 0);
            one.sample.due = Nanos::from_millis(millis);
            one
        };
        let hog = (0..6).flat_map(|beat| [2_000 * beat, 2_000 * beat + 10]);
        let hog = hog.map(|millis| at(millis, "hog", Cause::Thread));
        let timer = [0, 1_100, 1_900, 5_000, 5_700, 9_000, 9_100].into_iter();
        let timer = timer.map(|millis| at(millis, "timer", Cause::Interrupt));
        let delays = Delays::of(&hog.chain(timer).collect::<Vec<_>>(), Nanos::ZERO);
        let found: Vec<String> = delays.ranked.iter().map(Delay::title).collect();
        assert_eq!(found, ["hog, every 2.00\u{202f}s", "timer"]);
        assert_eq!(
            delays.sentence("frames").as_deref(),
            Some("12 of 19 late frames were delayed by hog, every 2.00\u{202f}s.")
        );
    }

    #[test]
    fn many_short_delays_are_no_headline_below_a_longer_one() {
        let none = (0..90).map(|_| late(&[(Cause::NoEvent, None, 20)], 0));
        let hog = (0..5).map(|_| late(&[(Cause::Thread, Some("hog"), 500)], 0));
        let timer = late(&[(Cause::Interrupt, Some("timer"), 1_400)], 0);
        let delays = Delays::of(&none.chain(hog).chain([timer]).collect::<Vec<_>>(), Nanos::ZERO);
        assert_eq!(delays.ranked[0].name, "hog");
        assert_eq!(delays.main(), None, "44% of the lateness, and 5 of 96 samples");
    }

    #[test]
    fn samples_without_records_do_not_hide_what_records_show() {
        let mut samples: Vec<LateSample> =
            (0..20).map(|_| late(&[(Cause::WaitedForCpu, None, 300)], 0)).collect();
        assert_eq!(Delays::of(&samples, Nanos::ZERO).ranked[0].cause, Cause::WaitedForCpu);
        for _ in 0..5 {
            let mut recorded = late(&[(Cause::Thread, Some("chrome"), 300)], 0);
            recorded.account.source = Source::Trace(TraceSource::Kernel);
            samples.push(recorded);
        }
        let delays = Delays::of(&samples, Nanos::ZERO);
        assert_eq!((delays.late_count, delays.recorded_count, delays.ranked.len()), (25, 5, 1));
        assert_eq!(
            delays.sentence("frames").as_deref(),
            Some("5 of 5 late frames with records were delayed by chrome.")
        );
    }

    #[test]
    fn half_of_five_late_samples_name_a_source() {
        let of = |names: &[&str]| {
            let samples: Vec<LateSample> =
                names.iter().map(|&name| late(&[(Cause::Thread, Some(name), 300)], 0)).collect();
            Delays::of(&samples, Nanos::ZERO)
                .main()
                .map(|one| (one.name.clone(), one.program.clone()))
        };
        let chrome = "chrome (Compositor)";
        let named = |name: &str| Some((name.to_owned(), Some(name.to_owned())));
        assert_eq!(of(&[chrome, chrome, "chrome", "rustc", "cc"]), named("chrome"));
        assert_eq!(of(&[chrome, chrome, "rustc", "cc", "ld"]), None);
        assert_eq!(of(&[chrome; 4]), None);
        let kernel = of(&["[ksoftirqd/1]"; 5]);
        assert_eq!(kernel, Some(("[ksoftirqd/1]".to_owned(), None)), "not to be closed");
        let load = ["load-0", "load-1", "load-1", "load-2", "load-3"];
        let load = load.map(|thread| format!("jitterscope-cli ({thread})"));
        let own = of(&load.each_ref().map(String::as_str));
        assert_eq!(own, Some((OWN_LOAD.to_owned(), None)), "one source");
        // Another running copy of this program counts as another program, even if its threads have
        // names of load threads.
        assert_eq!(of(&["jitterscope-cli 4711 (load-0)"; 5]), named("jitterscope-cli 4711"));
        let unknown: Vec<LateSample> = (0..9).map(|_| late(&[], 70)).collect();
        assert_eq!(Delays::of(&unknown, Nanos::ZERO).main(), None);
    }
}
