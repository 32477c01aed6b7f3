//! Runs the cycles of a simulated game server back to back, on a fixed number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use super::hot_loop::LoopResult;
use super::recorder::Recorder;
use crate::game::{Kind, Movement, Settings, World};
use crate::nanos::Nanos;
use crate::plan::work::{CycleKind, CycleMovement, GameCycle};
use crate::platform::{clock_nanos, current_cpu};
use crate::run::{Counters, counter};
use crate::sample::Sample;

/// Minimum number of warm-up cycles: the view ranges of the simulated players take 15 cycles to settle.
const MIN_WARM_UP: i64 = 20;

/// The parameters of a loop of game cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    /// The simulated game world, and the number of threads.
    pub(super) cycle: GameCycle,
    /// Duration of the warm-up, whose cycles do not count. The warm-up has at least 20 cycles.
    pub(super) warm_up: Nanos,
    /// Duration of measuring, after the warm-up.
    pub(super) length: Nanos,
}

const fn settings(cycle: &GameCycle) -> Settings {
    Settings {
        kind: match cycle.kind {
            CycleKind::Players => Kind::Players,
            CycleKind::Npcs => Kind::Npcs,
        },
        players: cycle.players,
        npcs: cycle.npcs,
        box_size: cycle.area_side,
        movement: match cycle.movement {
            CycleMovement::Teleport => Movement::Teleport,
            CycleMovement::Walk => Movement::Walk,
            CycleMovement::Mixed => Movement::Mixed,
        },
        chat_length: cycle.chat_length,
        seed: cycle.seed,
    }
}

/// Runs cycles until the time is up or a stop is requested. Unless stopped, at least one cycle counts.
/// A single thread needs no pool. Several threads form a pool and inherit the scheduling of this thread. Returns an
/// error if they cannot start.
pub(super) fn run_ticks(
    ticks: &Ticks,
    stop: &AtomicBool,
    samples: &mut Recorder<Sample>,
    counters: &mut Counters,
    mut measured: impl FnMut() -> i64,
) -> Result<LoopResult, String> {
    let threads = usize::try_from(ticks.cycle.threads).unwrap_or(1);
    let pool = if threads < 2 {
        None
    } else {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|index| format!("tick-{index}"))
            .build();
        Some(pool.map_err(|error| format!("a pool of {threads} threads could not start: {error}"))?)
    };
    let mut world = World::new(settings(&ticks.cycle));
    let is_stopped = || stop.load(Ordering::Relaxed);
    let warm_up = on_pool(pool.as_ref(), || {
        let warm_until = clock_nanos() + ticks.warm_up.get();
        let mut warm_up = 0;
        while (warm_up < MIN_WARM_UP || clock_nanos() < warm_until) && !is_stopped() {
            world.cycle(pool.as_ref(), &clock_nanos);
            warm_up += 1;
        }
        warm_up
    });
    counters.insert(counter::WARM_UP_CYCLES.to_owned(), warm_up);
    measured();
    let (count, phases) = on_pool(pool.as_ref(), || {
        run_counted(&mut world, pool.as_ref(), ticks.length, &is_stopped, samples)
    });
    let names = [
        counter::MOVING_NANOS,
        counter::PREPARING_NANOS,
        counter::ENCODING_NANOS,
        counter::RELEASING_NANOS,
    ];
    for (name, sum) in names.into_iter().zip(phases) {
        counters.insert(name.to_owned(), sum.get());
    }
    let contents = world.counters();
    for (name, count) in [
        (counter::PACKET_BYTES, contents.bytes),
        (counter::PACKET_RECORDS, contents.records()),
        (counter::PACKET_BLOCKS, contents.blocks),
    ] {
        counters.insert(name.to_owned(), i64::try_from(count).unwrap_or(i64::MAX));
    }
    Ok(LoopResult { slots: count, complete: !is_stopped() })
}

/// Calls `work` on a thread of the pool, or directly if there is no pool. `work` is a loop of many cycles:
/// passing each cycle to the pool separately would add several hundred microseconds per cycle.
fn on_pool<R: Send>(pool: Option<&rayon::ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Runs the cycles that count. Returns the number of cycles, and the total time of moving, preparing, encoding,
/// and releasing in all cycles.
fn run_counted(
    world: &mut World,
    pool: Option<&rayon::ThreadPool>,
    length: Nanos,
    is_stopped: &impl Fn() -> bool,
    samples: &mut Recorder<Sample>,
) -> (i64, [Nanos; 4]) {
    let start = clock_nanos();
    let end = start.saturating_add(length.get());
    let (mut count, mut now) = (0_i64, start);
    let mut phases = [Nanos::ZERO; 4];
    while (now < end || count == 0) && !is_stopped() {
        let began = clock_nanos();
        let spent = world.cycle(pool, &clock_nanos);
        now = clock_nanos();
        let at = Nanos::new(began - start);
        samples.record(Sample {
            began: at,
            due: at,
            woke: at,
            done: Nanos::new(now - start),
            cpu: current_cpu(),
            ..Sample::default()
        });
        let parts = [spent.moving, spent.preparing, spent.encoding, spent.releasing];
        for (sum, part) in phases.iter_mut().zip(parts) {
            *sum += part;
        }
        count += 1;
    }
    (count, phases)
}
