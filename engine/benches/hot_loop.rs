//! What measuring costs: one record, one turn of the loop beside a bare spin, one clock read.
//!
//! `cargo bench -p jitterscope-engine --bench hot_loop`

use std::hint::black_box;
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
    let reader = EvidenceReader::new();
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

/// Turns whose slots are all past: what is left is the loop itself, three clock reads included.
#[divan::bench]
fn a_turn_without_waiting(bencher: Bencher<'_, '_>) {
    let paced = Paced {
        period: Nanos::new(1),
        on_miss: OnMiss::CatchUp,
        warm_up_slots: 0,
        slots: TURNS,
        waiter: Waiter::Spin(SpinStrategy::None),
        work: Prepared::Nothing,
        evidence_above: Nanos::MAX,
    };
    let stop = AtomicBool::new(false);
    bencher
        .counter(ItemsCount::new(TURNS.unsigned_abs()))
        .with_inputs(|| (ring(RECORDS, SAMPLE), ring(16, Evidence::default()), Sleeper::new()))
        .bench_local_refs(|((samples, _), (evidence, _), sleeper)| {
            run_paced(&paced, sleeper, &stop, &mut Sinks { samples, evidence, reader: None }, || {})
        });
}

/// The same number of turns as a bare loop over three clock reads: the loop's own share is the
/// difference.
#[divan::bench]
fn a_bare_turn_of_three_clock_reads(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(TURNS.unsigned_abs())).bench_local(|| {
        for _ in 0..TURNS {
            black_box(clock_nanos());
            black_box(clock_nanos());
            black_box(clock_nanos());
        }
    });
}
