//! Adds traces to generated runs: with the names of threads, or without the permission for names.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceSource;
use jitterscope_engine::run::{Run, Trace, TrialRun, counter, series_name};
use jitterscope_engine::sample::{Sample, TraceEvent, TraceRecord};

/// The thread ID of the measuring thread; below, thread IDs of other threads, each with the position of its
/// name in `NAMES`.
const OWN: u32 = 7_000;
const CHROME: (u32, u32) = (2_114, 0);
const RUSTC: (u32, u32) = (3_020, 1);
const NET_RX: u32 = 2;
const NAMES: [&str; 3] = ["chrome (Compositor)", "rustc", "NET_RX"];
/// The CPU on which generated runs are measured.
const CPU: u32 = 2;

/// Adds a trace to a run, with the records that this trace source would provide.
pub(super) fn traced(mut run: Run, source: TraceSource) -> Run {
    for trial in &mut run.trials {
        let facts = [
            (counter::TRACE_SOURCE, source.number()),
            (counter::TRACE_THREAD, OWN.into()),
            (counter::PERF_EVENT_PARANOID, 2),
        ];
        trial.counters.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        let mut records = Vec::new();
        if source == TraceSource::Kernel {
            let (at, event) = (Nanos::ZERO, TraceEvent::Covered);
            records.push(TraceRecord {
                at,
                event,
                cpu: CPU,
                thread: None,
                name: None,
                value: None,
            });
        }
        let above = trial.trial.trace_above().unwrap();
        let samples: Vec<Sample> = trial.samples.iter().collect();
        for (pair, number) in samples.windows(2).zip(0..) {
            let &[before, late] = pair else { continue };
            if above < late.late() {
                around(number, &before, &late, source, &mut records);
            }
        }
        let names = NAMES.map(str::to_owned).to_vec();
        trial.trace = Some(Trace::from_records(names, &records));
        add_series(trial);
    }
    run
}

/// Adds the records around one late sample.
fn around(
    number: u32,
    before: &Sample,
    late: &Sample,
    source: TraceSource,
    records: &mut Vec<TraceRecord>,
) {
    let mut add = |at: Nanos, event, thread: Option<u32>, name, value| {
        records.push(TraceRecord { at, event, cpu: CPU, thread, name, value });
    };
    let micros = Nanos::from_micros;
    add(before.woke, TraceEvent::SwitchIn, Some(OWN), None, Some(120));
    add(late.began + micros(10), TraceEvent::Slept, Some(OWN), None, None);
    if source == TraceSource::Kernel {
        let mut switch = |at: Nanos, (thread, name): (u32, u32)| {
            add(at, TraceEvent::SwitchIn, Some(thread), Some(name), Some(120));
        };
        let first = if number.is_multiple_of(7) { RUSTC } else { CHROME };
        switch(late.due - micros(1_100), first);
        if number.is_multiple_of(3) {
            switch(late.due + Nanos::new(late.late().get() * 3 / 4), RUSTC);
        }
        add(late.due + micros(12), TraceEvent::Waking, Some(OWN), None, None);
        let middle = late.due + Nanos::new(late.late().get() / 2);
        add(middle, TraceEvent::SoftirqBegin, None, Some(NET_RX), Some(3));
        add(middle + micros(40), TraceEvent::SoftirqEnd, None, None, None);
    } else {
        for ((process, name), permille) in [(CHROME, 620), (RUSTC, 310)] {
            let at = late.woke + Nanos::from_millis(90);
            add(at, TraceEvent::Busy, Some(process), Some(name), Some(permille));
        }
    }
    add(late.woke - micros(2), TraceEvent::SwitchIn, Some(OWN), None, Some(120));
}

fn add_series(trial: &mut TrialRun) {
    let end = trial.samples.last().map_or(Nanos::ZERO, |last| last.woke);
    let steps = end.get() / 250_000_000;
    for step in 1..=steps {
        let at = Nanos::from_millis(250) * step;
        for (name, value) in [
            (series_name::OTHER_PROGRAMS, 20 + (step * 37) % 290),
            (series_name::STEAL, if step % 17 == 0 { 40 } else { 0 }),
            (series_name::INTERRUPTS, 900 + (step * 131) % 2_200),
        ] {
            trial.series.entry(name.to_owned()).or_default().push(at, value);
        }
    }
}
