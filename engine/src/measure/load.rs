//! Background load: threads that keep the machine busy during a trial.

use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use super::join::join_all;
use super::pool::call;
use super::spawner::Spawner;
use super::work::arithmetic;
use crate::nanos::Nanos;
use crate::plan::{CpuFacts, Load, LoadKind, LoadLevel};
use crate::platform::{self, Sleeper, clock_nanos};

/// Iterations of arithmetic between two checks of the stop flag or the clock: some tens of microseconds.
const ITERATIONS_PER_CHECK: u64 = 20_000;
/// The length of a burst of work, and of the sleep after the burst.
const BURST: Nanos = Nanos::from_millis(2);
/// Maximum memory that all load threads together write to, in bytes.
const MAX_MEMORY_BYTES: u64 = 256 << 20;
/// Distance between two writes to memory in bytes: one write per cache line.
const STRIDE_BYTES: usize = 64;

/// Why load threads could not start.
#[derive(Debug, thiserror::Error)]
#[error("only {started} of {requested} load threads could start: {source}")]
pub(super) struct LoadError {
    /// Number of threads that started.
    pub started: u32,
    /// Number of threads requested.
    pub requested: u32,
    /// The error of the system.
    #[source]
    pub source: io::Error,
}

/// Load threads, which run until this value is dropped.
#[derive(Debug)]
pub(super) struct RunningLoad {
    stop: Arc<AtomicBool>,
    cpu_nanos: Arc<AtomicI64>,
    threads: Vec<JoinHandle<()>>,
}

impl RunningLoad {
    /// Starts the load threads. If a thread cannot start, stops all threads that have started.
    pub(super) fn start(
        spawner: &Spawner,
        load: &Load,
        cpus: &CpuFacts,
        last_cache_bytes: u64,
    ) -> Result<Self, LoadError> {
        // A pool needs no load threads: its calls run on the workers of the pool.
        let requested = if load.kind == LoadKind::Pool { 0 } else { load.count.resolve(cpus) };
        let mut running = Self {
            stop: Arc::new(AtomicBool::new(false)),
            cpu_nanos: Arc::new(AtomicI64::new(0)),
            threads: Vec::new(),
        };
        let bytes_each = memory_each(load.kind, requested, last_cache_bytes);
        for index in 0..requested {
            let worker = Worker {
                kind: load.kind,
                call: load.call,
                level: load.priority.level(index),
                pin: load.pinned.then(|| pin_target(cpus, index)).flatten(),
                bytes: bytes_each,
                stop: Arc::clone(&running.stop),
                cpu_nanos: Arc::clone(&running.cpu_nanos),
            };
            let thread = spawner
                .spawn(format!("load-{index}"), move || worker.run())
                .map_err(|source| LoadError { started: index, requested, source })?;
            running.threads.push(thread);
        }
        Ok(running)
    }

    /// Number of running threads.
    pub(super) fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// Stops the threads, waits for their end, and returns the total CPU time of all threads.
    pub(super) fn finish(mut self) -> Nanos {
        self.join();
        Nanos::new(self.cpu_nanos.load(Ordering::Relaxed))
    }

    fn join(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        join_all(&mut self.threads, "a load thread");
    }
}

impl Drop for RunningLoad {
    fn drop(&mut self) {
        self.join();
    }
}

/// Returns the CPU for the thread with this index: the usable CPUs in order, starting again after the last one.
fn pin_target(cpus: &CpuFacts, index: u32) -> Option<u32> {
    let count = cpus.usable.len();
    let position = usize::try_from(index).ok()?.checked_rem(count)?;
    cpus.usable.get(position).copied()
}

/// Returns the memory in bytes that each thread writes to; 0 for other kinds of load.
fn memory_each(kind: LoadKind, threads: u32, last_cache_bytes: u64) -> usize {
    if kind != LoadKind::Memory || threads == 0 {
        return 0;
    }
    let all = last_cache_bytes.max(1 << 20).saturating_mul(4);
    let each = all.min(MAX_MEMORY_BYTES / u64::from(threads)).max(1 << 16);
    usize::try_from(each).unwrap_or(1 << 20)
}

struct Worker {
    kind: LoadKind,
    call: Nanos,
    level: LoadLevel,
    pin: Option<u32>,
    bytes: usize,
    stop: Arc<AtomicBool>,
    cpu_nanos: Arc<AtomicI64>,
}

impl Worker {
    fn run(self) {
        platform::set_load_priority(self.level);
        if let Some(cpu) = self.pin
            && let Err(refusal) = platform::pin_self(cpu)
        {
            log::warn!("a load thread is not pinned: {refusal}");
        }
        match self.kind {
            LoadKind::Cpu => self.burn(),
            LoadKind::Memory => self.write(),
            LoadKind::Mixed => self.bursts(),
            LoadKind::Calls | LoadKind::Pool => self.calls(),
        }
        let used = platform::thread_cpu_nanos().unwrap_or(0);
        self.cpu_nanos.fetch_add(used, Ordering::Relaxed);
    }

    fn burn(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            black_box(arithmetic(ITERATIONS_PER_CHECK));
        }
    }

    fn write(&self) {
        let mut memory = vec![0_u8; self.bytes];
        let mut value = 0_u8;
        while !self.stop.load(Ordering::Relaxed) {
            value = value.wrapping_add(1);
            for chunk in memory.chunks_mut(1 << 20) {
                for line in chunk.iter_mut().step_by(STRIDE_BYTES) {
                    *line = value;
                }
                black_box(&mut *chunk);
                if self.stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    }

    fn calls(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            call(self.call, &self.stop);
            std::thread::yield_now();
        }
    }

    fn bursts(&self) {
        let sleeper = Sleeper::new();
        while !self.stop.load(Ordering::Relaxed) {
            let end = clock_nanos() + BURST.get();
            while clock_nanos() < end {
                black_box(arithmetic(ITERATIONS_PER_CHECK));
            }
            sleeper.sleep_for(Duration::from_nanos(BURST.get().unsigned_abs()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{LoadCount, LoadPriority};

    #[test]
    fn every_kind_of_load_starts_works_and_stops() {
        let spawner = Spawner::start().unwrap();
        let cpus = CpuFacts {
            usable: platform::usable_cpus(),
            physical_count: None,
            ..CpuFacts::default()
        };
        for kind in [LoadKind::Cpu, LoadKind::Memory, LoadKind::Mixed, LoadKind::Calls] {
            for pinned in [false, true] {
                let load = Load {
                    kind,
                    count: LoadCount::Threads(3),
                    priority: LoadPriority::Mixed,
                    pinned,
                    ..Load::NONE
                };
                // Some systems count CPU time in ticks of 10 ms or more, so longer runs follow until a tick is counted.
                let uses_cpu = |millis| {
                    let running = RunningLoad::start(&spawner, &load, &cpus, 1 << 20).unwrap();
                    assert_eq!(running.thread_count(), 3);
                    std::thread::sleep(Duration::from_millis(millis));
                    Nanos::ZERO < running.finish()
                };
                assert!([20, 80, 320, 1280].into_iter().any(uses_cpu), "{kind:?} used no CPU time");
            }
        }
    }

    #[test]
    fn memory_is_four_caches_and_never_more_than_the_limit() {
        assert_eq!(memory_each(LoadKind::Memory, 4, 8 << 20), 32 << 20);
        assert_eq!(memory_each(LoadKind::Memory, 4, 1 << 30), 64 << 20);
        assert_eq!(memory_each(LoadKind::Cpu, 4, 1 << 30), 0);
    }
}
