//! The frame loop's presets: filled-in settings a person can start from.

use super::{
    Cell, CpuChoice, FrameLoop, GDT_CPUS_PERIOD, Load, LoadCount, LoadKind, LoadPriority, Nanos,
    OnMiss, Priority, Tail, Wait, Work,
};
use crate::plan::{Plan, Preset};

/// Each cell of these rows and columns.
fn cross(priorities: &[Priority], cpus: &[CpuChoice]) -> Vec<Cell> {
    priorities
        .iter()
        .flat_map(|&priority| cpus.iter().map(move |&cpu| Cell { priority, cpu }))
        .collect()
}

/// The six rows of gdt-cpus' example: four levels free, the upper two also on a performance core.
fn source_cells() -> Vec<Cell> {
    let cell = |priority, cpu| Cell { priority, cpu };
    vec![
        cell(Priority::Normal, CpuChoice::Any),
        cell(Priority::AboveNormal, CpuChoice::Any),
        cell(Priority::Highest, CpuChoice::Any),
        cell(Priority::Highest, CpuChoice::Performance),
        cell(Priority::TimeCritical, CpuChoice::Any),
        cell(Priority::TimeCritical, CpuChoice::Performance),
    ]
}

/// Every preset, the default one first.
pub fn presets() -> Vec<Preset> {
    let usual = FrameLoop::default();
    let preset = |key, name, about, plan| Preset { key, name, about, plan: Plan::FrameLoop(plan) };
    vec![
        preset(
            "60-fps",
            "60 FPS, one configuration",
            "Normal priority, not pinned, 30 s under four workers.",
            usual.clone(),
        ),
        preset(
            "quick",
            "Quick",
            "10 s at normal priority on an otherwise idle PC.",
            FrameLoop { time_each: Nanos::from_secs(10), load: Load::NONE, ..usual.clone() },
        ),
        preset(
            "under-load",
            "60 FPS under load",
            "Six configurations under four workers: four priorities free, the upper two also pinned.",
            FrameLoop { time_each: Nanos::from_secs(10), cells: source_cells(), ..usual.clone() },
        ),
        preset(
            "priorities",
            "60 FPS, priorities only",
            "Four priorities, not pinned, under four workers.",
            FrameLoop { cells: cross(&Priority::LEVELS, &[CpuChoice::Any]), ..usual.clone() },
        ),
        preset(
            "full-matrix",
            "60 FPS under load, full matrix",
            "Four priorities, each free, on a performance core and on CPU 1, under four workers.",
            FrameLoop {
                cells: cross(
                    &Priority::LEVELS,
                    &[CpuChoice::Any, CpuChoice::Performance, CpuChoice::Cpu(1)],
                ),
                ..usual.clone()
            },
        ),
        preset(
            "144-fps",
            "144 FPS, one configuration",
            "Normal priority, not pinned, 30 s under four workers.",
            FrameLoop { fps: 144.0, ..usual.clone() },
        ),
        preset(
            "240-fps",
            "240 FPS, one configuration",
            "Normal priority, not pinned, 30 s under four workers, 1 ms of work.",
            FrameLoop {
                fps: 240.0,
                work: Work::Arithmetic(Nanos::from_millis(1)),
                ..usual.clone()
            },
        ),
        preset(
            "dropped-frames",
            "Dropped frames",
            "5.5 ms of arithmetic a frame, with a worker a logical CPU against one a physical core.",
            FrameLoop {
                time_each: Nanos::from_secs(10),
                work: Work::Arithmetic(Nanos::from_micros(5_500)),
                compare_pools: true,
                cells: cross(&Priority::LEVELS, &[CpuChoice::Any]),
                ..usual.clone()
            },
        ),
        preset(
            "gdt-cpus",
            "gdt-cpus method",
            "The source's own loop, to hold beside its figures: re-based, 16 670 µs, 500 µs of spin, \
             clock-watching work, its rows, order and percentile rule.",
            FrameLoop {
                fps: 1e9 / GDT_CPUS_PERIOD.as_f64(),
                time_each: GDT_CPUS_PERIOD * 600,
                work: Work::Timed(Nanos::from_micros(100)),
                wait: Wait::Hybrid(Tail::Fixed(Nanos::from_micros(500))),
                on_miss: OnMiss::Rebase,
                load: Load {
                    kind: LoadKind::Cpu,
                    count: LoadCount::Threads(4),
                    priority: LoadPriority::Mixed,
                    pinned: false,
                },
                cells: source_cells(),
                warm_up: Nanos::ZERO,
                order_seed: 0,
                ..usual.clone()
            },
        ),
        preset(
            "tail-sweep",
            "Tail sweep",
            "Normal priority under four workers with a spin of 0 to 2 ms before each frame.",
            FrameLoop { time_each: Nanos::from_secs(10), tail_sweep: true, ..usual },
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
                "Highest, P-core",
                "Time-critical",
                "Time-critical, P-core"
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
