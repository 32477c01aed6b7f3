//! Who delayed a run: everything that late samples were delayed by, with how many and for how long.

use std::collections::BTreeMap;

use super::account::{CulpritKind, LateSample, late_samples};
use super::table::{Cell, Column, TableBuilder};
use super::{Cause, Options, Table};
use crate::nanos::Nanos;
use crate::platform::{TraceSource, TraceState};
use crate::run::{Run, TrialRun, counter};
use crate::units::format_count;

/// Something that delayed samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// The name of the thread or interrupt, or the label of the cause where nobody has a name.
    pub name: String,
    /// What it is, in a word.
    pub kind: &'static str,
    /// Where the time went.
    pub cause: Cause,
    /// Late samples whose largest segment it is.
    pub sample_count: u64,
    /// The time of all its segments.
    pub total: Nanos,
    /// Its longest time in one sample.
    pub worst: Nanos,
    /// Its share of all lateness, 0 to 1.
    pub share: f64,
}

/// What a cause without a name is, in a word.
const fn kind(cause: Cause) -> &'static str {
    match cause {
        Cause::PreviousFrame => "own work",
        Cause::Thread => "thread",
        Cause::WaitedForCpu => "run queue",
        Cause::Interrupt => "interrupt",
        Cause::PageFault => "memory",
        Cause::Blocked => "blocked",
        Cause::Hypervisor => "hypervisor",
        Cause::NoEvent => "hypervisor or firmware",
        Cause::TimerLate => "timer",
        Cause::NotObservable => "not observable",
    }
}

/// Returns everything that delayed these samples, what delayed the most of them first.
pub fn delays<'a>(late: impl IntoIterator<Item = &'a LateSample>) -> Vec<Delay> {
    let mut found: BTreeMap<(Cause, String), Delay> = BTreeMap::new();
    let mut all = Nanos::ZERO;
    for one in late {
        all += one.sample.late();
        let mut own: BTreeMap<(Cause, String), (Option<CulpritKind>, Nanos)> = BTreeMap::new();
        for segment in &one.account.segments {
            let (name, kind) = match &segment.culprit {
                Some(culprit) => (culprit.name.clone(), Some(culprit.kind)),
                None => (segment.cause.label().to_owned(), None),
            };
            own.entry((segment.cause, name)).or_insert((kind, Nanos::ZERO)).1 += segment.length;
        }
        if Nanos::ZERO < one.account.remainder {
            let key = (Cause::NotObservable, Cause::NotObservable.label().to_owned());
            own.entry(key).or_insert((None, Nanos::ZERO)).1 += one.account.remainder;
        }
        let largest = own.values().map(|(_, length)| *length).max();
        let mut is_first = true;
        for ((cause, name), (culprit, length)) in own {
            let delay = found.entry((cause, name.clone())).or_insert_with(|| Delay {
                name,
                kind: culprit.map_or(kind(cause), CulpritKind::label),
                cause,
                sample_count: 0,
                total: Nanos::ZERO,
                worst: Nanos::ZERO,
                share: 0.0,
            });
            if Some(length) == largest && is_first {
                delay.sample_count += 1;
                is_first = false;
            }
            delay.total += length;
            delay.worst = delay.worst.max(length);
        }
    }
    let mut delays: Vec<Delay> = found.into_values().collect();
    for delay in &mut delays {
        delay.share = delay.total.as_f64() / all.as_f64().max(1.0);
    }
    delays.sort_by_key(|delay| {
        (std::cmp::Reverse((delay.sample_count, delay.total)), delay.name.clone())
    });
    delays
}

/// From what the late samples of a run were traced, and why not more; `None` where no trace was requested.
pub fn trace_state(run: &Run) -> Option<TraceState> {
    let counters = run.trials.iter().map(|trial| &trial.counters);
    let traced = counters.rev().find(|counters| counters.contains_key(counter::TRACE_SOURCE))?;
    let number = |name: &str| traced.get(name).and_then(|value| i32::try_from(*value).ok());
    Some(TraceState {
        source: traced.get(counter::TRACE_SOURCE).copied().and_then(TraceSource::from_number),
        denied_errno: number(counter::TRACE_DENIED_ERRNO),
        paranoid: number(counter::PERF_EVENT_PARANOID),
    })
}

/// Lateness above which the samples of a trial are accounted for; `None` where it has no late ones.
fn threshold(run: &Run, trial: &TrialRun, options: &Options) -> Option<Nanos> {
    if trial.trial.pace.is_grid() {
        return run
            .subject
            .late_limit(options.late_percent)
            .filter(|_| trial.trial.evidence_above.is_some());
    }
    trial.trace.is_some().then(|| trial.trial.trace_above()).flatten()
}

/// The table of what delayed a run; `None` where nothing was late.
pub(super) fn table(run: &Run, options: &Options) -> Option<Table> {
    let mut late = Vec::new();
    for trial in &run.trials {
        if let Some(above) = threshold(run, trial, options) {
            late.extend(late_samples(trial, above));
        }
    }
    if late.is_empty() {
        return None;
    }
    let delays = delays(&late);
    let count = format_count(u64::try_from(late.len()).unwrap_or(u64::MAX));
    let note = format!("{count} late {}", run.subject.samples_name());
    let table = TableBuilder::new("delays", "Who delayed this run", note, &delays)
        .column(
            Column::text("name", "Name", "Thread, interrupt, or cause that delayed late samples."),
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
                "Worst",
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
        .finish();
    Some(table)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::account::{Account, Culprit, Segment, Source};
    use super::*;
    use crate::sample::Sample;

    fn late(parts: &[(Cause, Option<&str>, i64)], remainder: i64) -> LateSample {
        let segments = parts.iter().map(|&(cause, name, micros)| Segment {
            start: None,
            length: Nanos::from_micros(micros),
            cause,
            culprit: name.map(|name| {
                let (name, kind) = (name.to_owned(), CulpritKind::Thread);
                Arc::new(Culprit { name, kind, thread: Some(4), priority: None })
            }),
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
            // Two turns of one thread are one delay of that sample.
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
        let delays = delays(&samples);
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
        assert_eq!(delays[3].kind, "timer");
        let shares: f64 = delays.iter().map(|one| one.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }
}
