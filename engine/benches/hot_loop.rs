//! What measuring costs: one record, one iteration of the loop with and without evidence, one clock read.
//!
//! `cargo bench -p jitterscope-engine --bench hot_loop`

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use divan::{Bencher, counter::ItemsCount};
use jitterscope_engine::measure::inner::{
    EvidenceReader, Paced, Prepared, Sinks, Waiter, ring, run_paced,
};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{OnMiss, SpinStrategy};
use jitterscope_engine::platform::{Sleeper, clock_nanos, current_cpu};
use jitterscope_engine::sample::{Evidence, Sample};

const SAMPLE: Sample = Sample {
    began: Nanos::ZERO,
    due: Nanos::ZERO,
    slept: None,
    woke: Nanos::ZERO,
    done: Nanos::ZERO,
    spins: 0,
    cpu: Some(0),
};
const RECORDS: usize = 10_000;
const TURNS: i64 = 10_000;

fn main() {
    divan::main();
}

#[divan::bench]
fn clock_read() -> i64 {
    clock_nanos()
}

#[divan::bench]
fn cpu_number() -> Option<u32> {
    current_cpu()
}

#[divan::bench]
fn evidence_read(bencher: Bencher<'_, '_>) {
    let reader = EvidenceReader::new(Arc::default());
    bencher.bench_local(|| black_box(reader.read()));
}

/// The aim is 50 ns a record.
#[divan::bench]
fn record(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(RECORDS))
        .with_inputs(|| ring(RECORDS, SAMPLE))
        .bench_local_refs(|(recorder, _tap)| {
            for _ in 0..RECORDS {
                recorder.record(black_box(SAMPLE));
            }
        });
}

/// Iterations whose slots are all past, so that none waits: what is left is the loop itself, two clock
/// reads and one of the CPU number included.
fn bench_iterations(
    bencher: Bencher<'_, '_>,
    mut reader: Option<EvidenceReader>,
    evidence_above: Nanos,
) {
    let paced = Paced {
        period: Nanos::new(1),
        on_miss: OnMiss::CatchUp,
        warm_up_slots: 0,
        slots: TURNS,
        waiter: Waiter::Spin(SpinStrategy::None),
        work: Prepared::Nothing,
        evidence_above,
    };
    let stop = AtomicBool::new(false);
    bencher
        .counter(ItemsCount::new(TURNS.unsigned_abs()))
        .with_inputs(|| (ring(RECORDS, SAMPLE), ring(RECORDS, Evidence::default()), Sleeper::new()))
        .bench_local_refs(|((samples, _), (evidence, _), sleeper)| {
            let mut sinks = Sinks { samples, evidence, reader: reader.as_mut() };
            run_paced(&paced, sleeper, &stop, &mut sinks, clock_nanos)
        });
}

/// As single waits and trials of less than 1 ms run: no evidence is read.
#[divan::bench]
fn iteration_without_evidence(bencher: Bencher<'_, '_>) {
    bench_iterations(bencher, None, Nanos::MAX);
}

/// As a frame that is on time runs: the counters are read in the slack after its work.
#[divan::bench]
fn iteration_on_time_with_evidence_read(bencher: Bencher<'_, '_>) {
    bench_iterations(bencher, Some(EvidenceReader::new(Arc::default())), Nanos::MAX);
}

/// As a late frame runs: the counters are read after the wake-up and in the slack, the work's start is
/// stamped, and the evidence is recorded.
#[divan::bench]
fn iteration_late_with_evidence_read(bencher: Bencher<'_, '_>) {
    bench_iterations(bencher, Some(EvidenceReader::new(Arc::default())), Nanos::new(-1));
}

/// The same number of iterations of two bare clock reads and one of the CPU number: the loop's own share
/// is the difference to an iteration without evidence.
#[divan::bench]
fn two_clock_reads_and_cpu_number(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(TURNS.unsigned_abs())).bench_local(|| {
        for _ in 0..TURNS {
            black_box(clock_nanos());
            black_box(current_cpu());
            black_box(clock_nanos());
        }
    });
}
