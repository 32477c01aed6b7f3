//! The frame loop test: measures frame pacing under load for each combination of priority and pinning.

mod presets;
pub(super) mod settings;

use serde::{Deserialize, Serialize};

use super::conditions::Cell;
use super::form::parts::{Problems, condition};
use super::wait::wait_with;
use super::{
    Conditions, CpuChoice, CpuFacts, Form, Length, Load, LoadCount, LoadPriority, OnMiss, Pace,
    Priority, Probe, Problem, Stage, Tail, Trial, Wait, Work,
};
use super::{Listing, Preset};
use crate::nanos::Nanos;
use crate::units::{count_text, format_fps, format_long_time};

pub use presets::presets;

/// Spin tails that are compared if `tail_sweep` is on; 0 is a plain sleep.
pub const SWEPT_TAILS: [Nanos; 7] = [
    Nanos::ZERO,
    Nanos::from_micros(50),
    Nanos::from_micros(100),
    Nanos::from_micros(200),
    Nanos::from_micros(500),
    Nanos::from_millis(1),
    Nanos::from_millis(2),
];

/// Frame time of the gdt-cpus example: 16 670 µs, which is 3.3 µs longer than at 60 FPS.
pub const GDT_CPUS_PERIOD: Nanos = Nanos::from_micros(16_670);

/// End of the label of a configuration that is measured with all CPUs busy.
const FULL_LOAD_LABEL: &str = ", all CPUs busy";

/// The settings of the frame loop test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FrameLoop {
    /// Frames per second, 1 to 1 000.
    pub fps: f64,
    /// How long each configuration is measured per round.
    #[serde(rename = "time_each_nanos")]
    pub time_each: Nanos,
    /// Work per frame.
    pub work: Work,
    /// How the loop waits for the next frame.
    pub wait: Wait,
    /// Whether each configuration runs once with each spin tail of [`SWEPT_TAILS`], instead of with `wait`.
    pub tail_sweep: bool,
    /// What happens to frames whose slot in the schedule passed before the loop could run them.
    pub on_miss: OnMiss,
    /// Background load.
    pub load: Load,
    /// Whether each configuration runs twice: with one load thread per logical CPU, and with one
    /// per physical core.
    pub compare_pools: bool,
    /// How long each cell is measured once more with all CPUs busy, without a grade; 0 skips this measurement.
    #[serde(rename = "full_load_nanos", default, skip_serializing_if = "is_zero")]
    pub full_load: Nanos,
    /// Cells of the matrix of priority × pinning to measure.
    pub cells: Vec<Cell>,
    /// Number of rounds; each round measures every configuration once.
    pub rounds: u32,
    /// How long each configuration runs before frames count.
    #[serde(rename = "warm_up_nanos")]
    pub warm_up: Nanos,
    /// Late threshold: a frame is late if its lateness exceeds this percentage of the frame time.
    pub late_percent: f64,
    /// Seed of the randomized order of configurations; 0 runs configurations in the listed order.
    pub order_seed: u64,
    /// Linux: whether CPUs are prevented from entering deep idle states during the test.
    #[serde(default)]
    pub no_deep_idle: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(time: &Nanos) -> bool {
    *time == Nanos::ZERO
}

impl Default for FrameLoop {
    fn default() -> Self {
        Self {
            fps: 60.0,
            time_each: Nanos::from_secs(30),
            work: Work::Arithmetic(Nanos::from_millis(2)),
            wait: Wait::Hybrid(Tail::Measured),
            tail_sweep: false,
            on_miss: OnMiss::Skip,
            load: Load {
                count: LoadCount::Threads(4),
                priority: LoadPriority::Mixed,
                ..Load::NONE
            },
            compare_pools: false,
            full_load: Nanos::ZERO,
            cells: vec![Cell { priority: Priority::Normal, cpu: CpuChoice::Any }],
            rounds: 1,
            warm_up: Nanos::from_secs(1),
            late_percent: super::DEFAULT_LATE_PERCENT.into(),
            order_seed: 1,
            no_deep_idle: false,
        }
    }
}

impl FrameLoop {
    /// Returns the target frame time, to the nearest nanosecond.
    pub fn period(&self) -> Nanos {
        Nanos::from_secs_f64(1.0 / self.fps)
    }

    fn leaves_slack(&self, tail: Nanos) -> bool {
        Tail::leaves_slack(tail, self.work.length(), self.period())
    }

    /// Returns the lateness above which the loop reads the system's counters to find the cause: 1% of the frame
    /// time, at least 50 µs.
    pub fn evidence_above(&self) -> Nanos {
        Nanos::from_nanos_f64(self.period().as_f64() / 100.0).max(Nanos::from_micros(50))
    }

    /// Returns how many frames are scheduled in this time, rounded to the nearest number, at least 1.
    pub(super) fn slots_in(&self, time: Nanos) -> u64 {
        let period = self.period().get().max(1);
        u64::try_from((time.get() + period / 2) / period).unwrap_or(1).max(1)
    }

    /// Returns the waits to compare, each with its suffix for the label of the configuration.
    fn waits(&self) -> Vec<(Wait, String)> {
        if !self.tail_sweep {
            return vec![(self.wait, String::new())];
        }
        SWEPT_TAILS
            .into_iter()
            .filter(|&tail| tail == Nanos::ZERO || self.leaves_slack(tail))
            .map(|tail| {
                let length = if tail == Nanos::ZERO { "0".to_owned() } else { tail.to_string() };
                (wait_with(tail), format!(", tail {length}"))
            })
            .collect()
    }

    /// Returns the loads to compare, each with its suffix for the label of the configuration.
    fn loads(&self) -> Vec<(Load, &'static str)> {
        if !self.compare_pools {
            return vec![(self.load, "")];
        }
        let load = |count| Load { count, ..self.load };
        vec![
            (load(LoadCount::PerLogicalCpu), ", 1 load thread per logical CPU"),
            (load(LoadCount::PerPhysicalCore), ", 1 load thread per physical core"),
        ]
    }

    /// Returns the trial of one cell with this wait, label, and round; everything else comes from the settings.
    pub(super) fn trial(&self, cell: Cell, wait: Wait, label: String, round: u32) -> Trial {
        Trial {
            label,
            round,
            pace: Pace::Grid { period: self.period(), on_miss: self.on_miss },
            wait,
            work: self.work,
            conditions: Conditions { no_deep_idle: self.no_deep_idle, ..cell.conditions() },
            length: Length::Slots(self.slots_in(self.time_each)),
            warm_up: self.warm_up,
            evidence_above: (self.period() >= Nanos::from_millis(1)).then(|| self.evidence_above()),
        }
    }

    /// Returns the stage that measures a cell with all CPUs busy.
    fn full_load_stage(&self, cell: Cell) -> Stage {
        let label = format!("{}{FULL_LOAD_LABEL}", cell.conditions());
        let trial = self.trial(cell, self.wait, label, 0);
        let length = Length::Slots(self.slots_in(self.full_load));
        let trials = vec![Trial { length, ..trial }];
        // A sweep calibrates no spin tail that this stage could reuse.
        Stage { reuses_tail: !self.tail_sweep, ..Stage::new(trials, Load::PER_CPU) }
    }
}

/// Names, texts, and examples of this test in the window and on the command line.
const LISTING: Listing = Listing {
    key: "frame-loop",
    name: "Frame loop",
    icon: "film-strip",
    digit: Some(2),
    subtitle: "Frame pacing by thread priority and CPU pinning",
    question: "How consistently does this PC pace frames?",
    about: "Runs a frame loop (wait, work, repeat) under background load. Shows how late each frame \
         starts and which priority and pinning settings help.",
    examples: &[
        "--preset quick",
        "--fps 144 --duration 10s --priority normal --priority highest",
        "--wait os-sleep --load-threads 0 --cpu 1 --priority rr:10",
        "--preset under-load --format csv --out result.csv",
    ],
    value_name: "lateness",
    samples_name: "frames",
    rows_name: "configurations",
    step_name: "Configuration",
};

impl Probe for FrameLoop {
    fn presets(&self) -> Vec<Preset> {
        presets()
    }

    fn schedule(&self) -> Option<(Nanos, f64)> {
        Some((self.period(), self.late_percent))
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let (fps, load) = (format_fps(self.fps), condition(!self.load.is_none()));
        let sweep = if self.tail_sweep { ", spin tails" } else { "" };
        match self.cells.as_slice() {
            [one] => format!("{fps}, {load}, {}{sweep}", one.conditions()),
            cells => format!("{fps}, {} configurations, {load}{sweep}", cells.len()),
        }
    }

    fn extent(&self, trials: &[Trial]) -> String {
        let full = trials.iter().filter(|trial| !self.is_graded(&trial.label)).count();
        let rounds = usize::try_from(self.rounds).unwrap_or(1).max(1);
        let each = trials.first().map_or(Nanos::ZERO, Trial::duration);
        let mut text = count_text((trials.len() - full) / rounds, "configurations");
        if 1 < rounds {
            text.push_str(&format!(" × {rounds}"));
        }
        text.push_str(&format!(" × {}", format_long_time(each)));
        if 0 < full {
            text.push_str(&format!(" + {full} × {}", format_long_time(self.full_load)));
        }
        text
    }

    fn settings(&mut self, form: &mut dyn Form) {
        settings::show(self, form);
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::default();
        let per_round = self.cells.len() * self.waits().len() * self.loads().len();
        problems.limit_trials(settings::ROUNDS.field.key, self.rounds, per_round);
        let mut found = settings::problems(self);
        found.extend(problems.found());
        found
    }

    fn keep_only(&mut self, conditions: Conditions) {
        let is_saved =
            |cell: &Cell| cell.priority == conditions.priority && cell.cpu == conditions.cpu;
        if self.cells.iter().any(is_saved) {
            self.cells.retain(is_saved);
        }
    }

    /// Returns whether this configuration is graded. Configurations with all CPUs busy are listed without a grade.
    fn is_graded(&self, label: &str) -> bool {
        !label.ends_with(FULL_LOAD_LABEL)
    }

    /// Returns one stage per configuration and round, followed by the stages with all CPUs busy. The order within a
    /// round is randomized, so that temperature and other programs do not favor one configuration.
    fn stages(&self, _cpus: &CpuFacts) -> Vec<Stage> {
        let mut order = fastrand::Rng::with_seed(self.order_seed);
        let mut stages = Vec::new();
        for round in 0..self.rounds.max(1) {
            let mut of_round = Vec::new();
            for &cell in &self.cells {
                for (wait, wait_label) in self.waits() {
                    for (load, load_label) in self.loads() {
                        let label = format!("{}{wait_label}{load_label}", cell.conditions());
                        let trials = vec![self.trial(cell, wait, label, round)];
                        let (needs_smt, reuses_tail) = (self.compare_pools, 0 < round);
                        let stage = Stage::new(trials, load);
                        of_round.push(Stage { needs_smt, reuses_tail, ..stage });
                    }
                }
            }
            if self.order_seed != 0 {
                order.shuffle(&mut of_round);
            }
            stages.extend(of_round);
        }
        if self.full_load != Nanos::ZERO {
            stages.extend(self.cells.iter().map(|&cell| self.full_load_stage(cell)));
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn the_order_is_mixed_the_same_way_for_the_same_seed() {
        let mut plan = FrameLoop {
            cells: Priority::LEVELS
                .iter()
                .flat_map(|&priority| {
                    [CpuChoice::Any, CpuChoice::Performance].map(|cpu| Cell { priority, cpu })
                })
                .collect(),
            order_seed: 7,
            ..FrameLoop::default()
        };
        assert_eq!(plan.stages(&CpuFacts::default()), plan.stages(&CpuFacts::default()));
        let mixed = plan.stages(&CpuFacts::default());
        plan.order_seed = 0;
        let listed = plan.stages(&CpuFacts::default());
        assert_ne!(mixed, listed);
        assert_eq!(mixed.len(), 8);
        assert!(listed.iter().all(|stage| mixed.contains(stage)));
    }

    #[test]
    fn sixty_frames_a_second_for_ten_seconds_are_600_slots() {
        let plan = FrameLoop { time_each: Nanos::from_secs(10), ..FrameLoop::default() };
        assert_eq!(plan.stages(&CpuFacts::default())[0].trials[0].length, Length::Slots(600));
        assert_eq!(plan.period(), Nanos::new(16_666_667));
        assert_eq!(plan.evidence_above(), Nanos::new(166_667));
    }

    #[test]
    fn all_cpus_busy_is_an_additional_stage_with_the_same_spin_tail() {
        let plan = FrameLoop {
            time_each: Nanos::from_secs(10),
            full_load: Nanos::from_secs(5),
            ..FrameLoop::default()
        };
        let stages = plan.stages(&CpuFacts::default());
        let [graded, full] = stages.as_slice() else { panic!("{} stages", stages.len()) };
        assert_eq!(full.trials[0].label, "Normal, all CPUs busy");
        assert_eq!(full.trials[0].length, Length::Slots(300));
        assert_eq!(full.load.count, LoadCount::PerLogicalCpu);
        let is_graded = |stage: &Stage| plan.is_graded(&stage.trials[0].label);
        assert!(is_graded(graded) && !is_graded(full));
        let pools = FrameLoop { compare_pools: true, load: Load::PER_CPU, ..plan.clone() };
        let pools = pools.stages(&CpuFacts::default());
        assert_eq!(pools.iter().map(is_graded).collect::<Vec<_>>(), [true, true, false]);
        // 100 ms of settling, 1 s of warm-up, and the frames. The spin tail is not calibrated again.
        let frames = full.trials[0].duration();
        assert_eq!(full.duration(), Nanos::from_millis(1_100) + frames);
        // A sweep of fixed tails calibrates none before this stage.
        let sweep = FrameLoop { tail_sweep: true, ..plan }.stages(&CpuFacts::default());
        assert_eq!(
            sweep.last().unwrap().duration(),
            full.duration() + full.trials[0].calibration()
        );
    }

    #[test]
    fn the_extent_is_what_is_measured_and_later_rounds_calibrate_no_spin_tail() {
        let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
        let cell = |priority| Cell { priority, cpu: CpuChoice::Any };
        let one = FrameLoop { rounds: 3, ..FrameLoop::default() };
        let two = FrameLoop {
            cells: vec![cell(Priority::Normal), cell(Priority::Highest)],
            full_load: Nanos::from_secs(5),
            ..FrameLoop::default()
        };
        let extent = |plan: &FrameLoop| Plan::FrameLoop(plan.clone()).extent(&cpus).unwrap();
        assert_eq!(extent(&FrameLoop::default()), "1 configuration × 30 s");
        assert_eq!(extent(&one), "1 configuration × 3 × 30 s");
        assert_eq!(extent(&two), "2 configurations × 30 s + 2 × 5 s");
        assert_eq!(
            extent(&FrameLoop { rounds: 2, ..two }),
            "2 configurations × 2 × 30 s + 2 × 5 s"
        );
        let stages = one.stages(&cpus);
        let calibration = stages[0].trials[0].calibration();
        assert_eq!(stages[1].duration(), stages[0].duration() - calibration);
        let pools = FrameLoop { compare_pools: true, ..one }.stages(&cpus);
        let calibrates: Vec<bool> = pools.iter().map(|stage| !stage.reuses_tail).collect();
        assert_eq!(calibrates, [true, true, false, false, false, false]);
    }

    #[test]
    fn rounds_share_a_label() {
        let plan = FrameLoop { rounds: 3, ..FrameLoop::default() };
        let stages = plan.stages(&CpuFacts::default());
        let labels: Vec<_> = stages.iter().map(|stage| stage.trials[0].label.as_str()).collect();
        assert_eq!(labels, ["Normal"; 3]);
        assert_eq!(stages[2].trials[0].round, 2);
    }
}
