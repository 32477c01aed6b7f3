//! Presets of the frame loop test.

use super::{
    Cell, CpuChoice, FrameLoop, GDT_CPUS_PERIOD, Load, LoadPriority, Nanos, OnMiss, Priority, Tail,
    Wait, Work,
};
use crate::plan::{Plan, Preset};

/// Returns all cells of a matrix with these priorities as rows and these pinnings as columns.
fn cross(priorities: &[Priority], cpus: &[CpuChoice]) -> Vec<Cell> {
    priorities
        .iter()
        .flat_map(|&priority| cpus.iter().map(move |&cpu| Cell { priority, cpu }))
        .collect()
}

/// Returns the six cells of the gdt-cpus example: four unpinned priorities, the upper two also on the performance
/// core `pinned`.
fn source_cells(pinned: CpuChoice) -> Vec<Cell> {
    let cell = |priority, cpu| Cell { priority, cpu };
    vec![
        cell(Priority::Normal, CpuChoice::Any),
        cell(Priority::AboveNormal, CpuChoice::Any),
        cell(Priority::Highest, CpuChoice::Any),
        cell(Priority::Highest, pinned),
        cell(Priority::TimeCritical, CpuChoice::Any),
        cell(Priority::TimeCritical, pinned),
    ]
}

/// Returns every preset, the default one first.
pub fn presets() -> Vec<Preset> {
    let base = FrameLoop::default();
    let preset = |key, name, about, plan| Preset { key, name, about, plan: Plan::FrameLoop(plan) };
    vec![
        preset(
            "60-fps",
            "60 FPS, one configuration",
            "Normal priority, unpinned, 30 s with 4 load threads.",
            base.clone(),
        ),
        preset(
            "quick",
            "Quick",
            "10 s at normal priority without load threads.",
            FrameLoop { time_each: Nanos::from_secs(10), load: Load::NONE, ..base.clone() },
        ),
        preset(
            "under-load",
            "60 FPS under load",
            "Six configurations with 4 load threads: four unpinned priorities, the upper two also \
             pinned.",
            FrameLoop {
                time_each: Nanos::from_secs(10),
                cells: source_cells(CpuChoice::Performance),
                ..base.clone()
            },
        ),
        preset(
            "priorities",
            "60 FPS, priorities only",
            "Four priorities, unpinned, with 4 load threads.",
            FrameLoop { cells: cross(&Priority::LEVELS, &[CpuChoice::Any]), ..base.clone() },
        ),
        preset(
            "full-matrix",
            "60 FPS under load, full matrix",
            "Four priorities, each unpinned, on a performance core, and on CPU 1, with 4 load \
             threads.",
            FrameLoop {
                cells: cross(
                    &Priority::LEVELS,
                    &[CpuChoice::Any, CpuChoice::Performance, CpuChoice::Cpu(1)],
                ),
                ..base.clone()
            },
        ),
        preset(
            "144-fps",
            "144 FPS, one configuration",
            "Normal priority, unpinned, 30 s with 4 load threads.",
            FrameLoop { fps: 144.0, ..base.clone() },
        ),
        preset(
            "240-fps",
            "240 FPS, one configuration",
            "Normal priority, unpinned, 30 s with 4 load threads, 1 ms of work.",
            FrameLoop { fps: 240.0, work: Work::Arithmetic(Nanos::from_millis(1)), ..base.clone() },
        ),
        preset(
            "dropped-frames",
            "Dropped frames",
            "5.5 ms of arithmetic per frame; compares one load thread per logical CPU with one \
             per physical core.",
            FrameLoop {
                time_each: Nanos::from_secs(10),
                work: Work::Arithmetic(Nanos::from_micros(5_500)),
                compare_pools: true,
                cells: cross(&Priority::LEVELS, &[CpuChoice::Any]),
                ..base.clone()
            },
        ),
        preset(
            "gdt-cpus",
            "gdt-cpus method",
            "The gdt-cpus loop, for comparison with its results: re-based, 16\u{202f}670 µs, 500 µs of \
             spin, timed work, its rows, pin, load, order, and percentile rule.",
            FrameLoop {
                fps: 1e9 / GDT_CPUS_PERIOD.as_f64(),
                time_each: GDT_CPUS_PERIOD * 600,
                work: Work::Timed(Nanos::from_micros(100)),
                wait: Wait::Hybrid(Tail::Fixed(Nanos::from_micros(500))),
                on_miss: OnMiss::Rebase,
                load: Load { priority: LoadPriority::MixedLow, ..base.load },
                cells: source_cells(CpuChoice::FirstPerformance),
                warm_up: Nanos::ZERO,
                order_seed: 0,
                ..base.clone()
            },
        ),
        preset(
            "tail-sweep",
            "Tail sweep",
            "Normal priority with 4 load threads and a spin tail of 0 to 2 ms.",
            FrameLoop { time_each: Nanos::from_secs(10), tail_sweep: true, ..base },
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_method_has_its_exact_numbers() {
        let preset = presets().into_iter().find(|preset| preset.key == "gdt-cpus").unwrap();
        let Plan::FrameLoop(plan) = preset.plan else { panic!("a frame loop") };
        assert_eq!(plan.period(), GDT_CPUS_PERIOD);
        let stages = crate::plan::Probe::stages(&plan, &crate::plan::CpuFacts::default());
        assert_eq!(stages.len(), 6);
        assert!(stages.iter().all(|stage| stage.trials[0].slot_count() == 600));
        let labels: Vec<_> = stages.iter().map(|stage| stage.trials[0].label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "Normal",
                "Above normal",
                "Highest",
                "Highest, first P-core",
                "Time-critical",
                "Time-critical, first P-core"
            ]
        );
    }

    #[test]
    fn keys_are_unique() {
        let mut keys: Vec<_> = presets().iter().map(|preset| preset.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), presets().len());
    }
}
