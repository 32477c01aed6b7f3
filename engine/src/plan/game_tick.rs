//! The game tick test: measures how the cycle time of a game server changes with the number of threads.

use serde::{Deserialize, Serialize};

use super::form::parts::Problems;
use super::form::{Choice, Number, Parameter, choose, choose_several, counts, option};
use super::work::{CycleKind, CycleMovement, GameCycle, default_area_side, default_chat_length};
use super::{
    Conditions, CpuFacts, Field, Form, Length, Listing, Load, Pace, Plan, Preset, Probe, Problem,
    SpinStrategy, Stage, Trial, Wait, Work,
};
use crate::nanos::Nanos;
use crate::units::{count_text, format_count, format_long_time};

/// Which thread counts are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThreadCounts {
    /// Powers of two, the number of physical cores, and the number of logical CPUs.
    Steps,
    /// 1 and the number of logical CPUs.
    OneAndAll,
    /// The thread counts of `custom`, and 1.
    #[serde(alias = "chosen")]
    Custom,
}

/// The settings of the game-tick test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameTick {
    /// What players receive updates about: other players, NPCs, or both.
    pub kinds: Vec<CycleKind>,
    /// Number of players, 1 to 2 046.
    pub players: u32,
    /// Number of NPCs, 1 to 10 000.
    pub npcs: u32,
    /// How players and NPCs move.
    pub movement: CycleMovement,
    /// Side length, in tiles, of the square in which players and NPCs move. In a smaller square, each player sees more.
    #[serde(default = "default_area_side")]
    pub area_side: u32,
    /// Length, in characters, of the chat line that each player sends per cycle; 0 for none.
    #[serde(default = "default_chat_length")]
    pub chat_length: u32,
    /// Which thread counts are measured.
    pub counts: ThreadCounts,
    /// Thread counts that [`ThreadCounts::Custom`] measures.
    #[serde(alias = "chosen")]
    pub custom: Vec<u32>,
    /// Time that a game server has for one cycle.
    #[serde(rename = "budget_nanos")]
    pub budget: Nanos,
    /// Warm-up before the first iteration of each thread count.
    #[serde(rename = "warm_up_nanos")]
    pub warm_up: Nanos,
    /// Number of iterations; each iteration measures every thread count once.
    pub iterations: u32,
    /// Length of one iteration of one thread count.
    #[serde(rename = "iteration_nanos")]
    pub iteration: Nanos,
    /// Seed of all random numbers in the simulated game.
    pub seed: u32,
}

impl Default for GameTick {
    fn default() -> Self {
        Self {
            kinds: vec![CycleKind::Players, CycleKind::Npcs],
            players: 2_046,
            npcs: 500,
            movement: CycleMovement::Teleport,
            area_side: default_area_side(),
            chat_length: default_chat_length(),
            counts: ThreadCounts::Steps,
            custom: vec![2],
            budget: Nanos::from_millis(600),
            warm_up: Nanos::from_secs(1),
            iterations: 3,
            iteration: Nanos::from_secs(2),
            seed: 1,
        }
    }
}

const KINDS: Field = Field::new(
    "workload",
    "Workload",
    "What each player receives updates about: other players, NPCs, or both.",
);
const PLAYERS: Number = Field::new("players", "Players", "Number of players.")
    .number(Parameter::count(1, 2_046, "players"));
const NPCS: Number = Field::new("npcs", "NPCs", "Number of characters controlled by the game.")
    .number(Parameter::count(1, 10_000, "NPCs"));
const MOVEMENT: Field =
    Field::new("movement", "Movement", "How players and NPCs move from cycle to cycle.");
const BUDGET: Number =
    Field::new("budget", "Cycle budget", "Time that a game server has for one cycle.")
        .number(Parameter::secs(0.001, 60.0));
const COUNTS: Field =
    Field::new("threads", "Thread counts", "Number of threads that encode in parallel.");
const SELECTED: Field =
    Field::new("thread-count", "Threads", "A number of threads.").named("Selected thread counts");
const WARM_UP: Number = Field::new(
    "warm-up",
    "Warm-up",
    "Time that cycles run before they count, at least 20 cycles: the view range takes 15 to \
     settle.",
)
.number(Parameter::secs(0.0, 60.0));
const ITERATIONS: Number = Field::new(
    "iterations",
    "Iterations",
    "How often each thread count is measured, interleaved. The error is that of the mean of these \
     iterations.",
)
.number(Parameter::count(1, 50, "iterations"));
const ITERATION: Number = Field::new("iteration", "Iteration length", "Length of one iteration.")
    .number(Parameter::secs(0.1, 120.0));
const SEED: Number = Field::new("seed", "Seed", "The same seed produces the same bytes.")
    .named("Random seed")
    .number(Parameter::count(0, u32::MAX, "seed"));

const AREA: Number = Field::new(
    "area",
    "Area side",
    "Side of the square that everyone moves in, in tiles. A smaller area is denser: each player sees more.",
)
.number(Parameter::count(1, 1_024, "tiles"));
const CHAT: Number = Field::new(
    "chat",
    "Chat length",
    "Length of every chat line, one per player and cycle; 0 for none.",
)
.number(Parameter::count(0, 80, "characters"));

impl GameTick {
    /// Returns the thread counts to measure on a machine with `cpus`, in ascending order, always including 1.
    pub fn thread_counts(&self, cpus: &CpuFacts) -> Vec<u32> {
        let logical = cpus.logical_count();
        let mut counts = vec![1];
        match self.counts {
            ThreadCounts::Steps => {
                counts.extend((1..=8).map(|power| 1 << power).filter(|&count| count < logical));
                counts.extend(cpus.physical_count);
                counts.push(logical);
            }
            ThreadCounts::OneAndAll => counts.push(logical),
            ThreadCounts::Custom => counts.extend(self.custom.iter().copied()),
        }
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    fn stage(&self, kind: CycleKind, threads: u32, round: u32) -> Stage {
        let trial = Trial {
            label: format!("{}, {}", kind.name(), count_text(threads, "threads")),
            round,
            pace: Pace::BackToBack,
            wait: Wait::Spin(SpinStrategy::None),
            work: Work::GameCycle(GameCycle {
                kind,
                players: self.players,
                npcs: self.npcs,
                movement: self.movement,
                area_side: self.area_side,
                chat_length: self.chat_length,
                threads,
                seed: u64::from(self.seed),
            }),
            conditions: Conditions::NORMAL,
            length: Length::Time(self.iteration),
            // In later iterations only the view range must settle; the minimum of 20 warm-up cycles is enough.
            warm_up: if round == 0 { self.warm_up } else { Nanos::ZERO },
            evidence_above: None,
        };
        Stage::new(vec![trial], Load::NONE)
    }
}

/// Names, texts, and examples of this test in the window and on the command line.
const LISTING: Listing = Listing {
    key: "game-tick",
    name: "Game tick",
    icon: "users-three",
    digit: Some(7),
    subtitle: "How a game server's cycle scales with threads",
    question: "How does a game server's cycle scale with threads on this PC?",
    about: "How long a game server's cycle takes and how it scales with threads: all players and \
         NPCs move, and each player receives updates about what is in view.",
    examples: &[
        "--preset quick",
        "--workload players --threads custom --thread-count 2 --iterations 5",
        "--players 500 --npcs 100 --movement walk",
        "--preset quick --format reference",
    ],
    value_name: "cycle time",
    samples_name: "cycles",
    rows_name: "configurations",
    step_name: "Step",
};

impl Probe for GameTick {
    fn presets(&self) -> Vec<Preset> {
        let default = Self::default();
        let preset =
            |key, name, about, plan| Preset { key, name, about, plan: Plan::GameTick(plan) };
        vec![
            preset(
                "quick",
                "Quick",
                "2\u{202f}046 players and 500 NPCs, 3 iterations of 2 s for each thread count.",
                default.clone(),
            ),
            preset(
                "standard",
                "Full server cycle",
                "5 iterations of 3 s for each thread count, 5 s of warm-up.",
                Self {
                    warm_up: Nanos::from_secs(5),
                    iterations: 5,
                    iteration: Nanos::from_secs(3),
                    ..default.clone()
                },
            ),
            preset(
                "rsprot",
                "RSProt method",
                "Settings of the reference tool: 20 s of warm-up, 3 iterations of 30 s, on 1 and on \
                 all CPUs.",
                Self {
                    counts: ThreadCounts::OneAndAll,
                    warm_up: Nanos::from_secs(20),
                    iterations: 3,
                    iteration: Nanos::from_secs(30),
                    ..default
                },
            ),
        ]
    }

    fn listing(&self) -> &'static Listing {
        &LISTING
    }

    fn title(&self) -> String {
        let players = count_text(self.players, "players");
        let npcs = count_text(self.npcs, "NPCs");
        let who = match self.kinds.as_slice() {
            [CycleKind::Npcs] => npcs,
            [CycleKind::Players] => players,
            _ => format!("{players}, {npcs}"),
        };
        let threads = match (self.counts, self.custom.iter().max()) {
            (ThreadCounts::Custom, None | Some(1)) => "1 thread".to_owned(),
            (ThreadCounts::Custom, Some(most)) => format!("1 to {most} threads"),
            (ThreadCounts::OneAndAll, _) => "1 and all threads".to_owned(),
            _ => "1 to all threads".to_owned(),
        };
        format!("{who}, {threads}")
    }

    fn extent(&self, trials: &[Trial]) -> String {
        let length = format_long_time(self.iteration);
        format!("{} series of {length}", format_count(trials.len()))
    }

    fn settings(&mut self, form: &mut dyn Form) {
        form.group("Workload");
        choose_several(
            form,
            &KINDS,
            &mut self.kinds,
            &[
                option(CycleKind::Players, "players", "Players", "Updates about other players."),
                option(
                    CycleKind::Npcs,
                    "npcs",
                    "NPCs",
                    "Updates about characters controlled by the game.",
                ),
            ],
        );
        form.value(&PLAYERS, &mut self.players);
        form.value(&NPCS, &mut self.npcs);
        choose(
            form,
            &MOVEMENT,
            &mut self.movement,
            &[
                option(CycleMovement::Teleport, "teleport", "Teleport", "To a random position."),
                option(CycleMovement::Walk, "walk", "Walk", "One step."),
                option(CycleMovement::Mixed, "mixed", "Mixed", "A mix of both."),
            ],
        );
        form.value(&AREA, &mut self.area_side);
        form.value(&CHAT, &mut self.chat_length);
        form.note(
            "Each cycle moves all players and NPCs inside the area and encodes what each player sees, \
             including a chat line of everyone.",
        );
        form.value(&BUDGET, &mut self.budget);
        form.group("Threads");
        choose(
            form,
            &COUNTS,
            &mut self.counts,
            &[
                option(ThreadCounts::Steps, "steps", "In steps", "1, 2, 4, … up to all CPUs."),
                option(ThreadCounts::OneAndAll, "all", "1 and all", "1 and all CPUs."),
                option(ThreadCounts::Custom, "custom", "Custom", "The thread counts listed below."),
            ],
        );
        let (is_custom, custom) = (self.counts == ThreadCounts::Custom, &mut self.custom);
        form.when(
            is_custom,
            "it applies only to custom thread counts (--threads custom)",
            &mut |form| {
                let number = Parameter::count(1, 256, "").beginning_at(2.0);
                let choice = Choice::plain("", "Threads", "This number of threads.").with(number);
                counts(form, &SELECTED, custom, choice);
            },
        );
        form.group("Precision");
        form.value(&WARM_UP, &mut self.warm_up);
        form.value(&ITERATIONS, &mut self.iterations);
        form.value(&ITERATION, &mut self.iteration);
        form.value(&SEED, &mut self.seed);
    }

    fn problems(&self) -> Vec<Problem> {
        let counts = self.thread_counts(&CpuFacts::default()).len();
        let mut problems = Problems::default();
        problems.limit_trials(ITERATIONS.field.key, self.iterations, counts * self.kinds.len());
        problems.found()
    }

    /// Returns the stages iteration by iteration; each iteration covers all thread counts.
    fn stages(&self, cpus: &CpuFacts) -> Vec<Stage> {
        let mut stages = Vec::new();
        for round in 0..self.iterations {
            for &kind in &self.kinds {
                for threads in self.thread_counts(cpus) {
                    stages.push(self.stage(kind, threads, round));
                }
            }
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_settings_have_the_area_and_chat_of_rsprot() {
        let mut old = serde_json::to_value(GameTick::default()).unwrap();
        for key in ["area_side", "chat_length"] {
            assert!(old.as_object_mut().unwrap().remove(key).is_some(), "{key}");
        }
        let plan: GameTick = serde_json::from_value(old).unwrap();
        assert_eq!((plan.area_side, plan.chat_length), (13, 50));
        let dense = GameTick { area_side: 5, chat_length: 0, ..plan };
        let Work::GameCycle(cycle) = dense.stages(&CpuFacts::default())[0].trials[0].work else {
            panic!("not a cycle")
        };
        assert_eq!((cycle.area_side, cycle.chat_length), (5, 0));
    }

    #[test]
    fn a_title_names_the_thread_counts() {
        let end = |custom: &[u32]| {
            let plan = GameTick {
                counts: ThreadCounts::Custom,
                custom: custom.to_vec(),
                ..GameTick::default()
            };
            plan.title().rsplit_once(", ").unwrap().1.to_owned()
        };
        let one = GameTick { players: 1, npcs: 1, ..GameTick::default() };
        assert_eq!(one.title(), "1 player, 1 NPC, 1 to all threads");
        assert_eq!(end(&[1]), "1 thread");
        assert_eq!(end(&[2, 8]), "1 to 8 threads");
    }

    #[test]
    fn thread_counts_go_in_steps_to_all_cpus() {
        let cpus = |logical: u32, physical| CpuFacts {
            usable: (0..logical).collect(),
            physical_count: Some(physical),
            one_a_core: Vec::new(),
        };
        let plan = GameTick::default();
        assert_eq!(plan.thread_counts(&cpus(12, 6)), [1, 2, 4, 6, 8, 12]);
        assert_eq!(plan.thread_counts(&cpus(2, 2)), [1, 2]);
        assert_eq!(plan.thread_counts(&cpus(1, 1)), [1]);
        let custom =
            GameTick { counts: ThreadCounts::Custom, custom: vec![4, 2], ..GameTick::default() };
        assert_eq!(custom.thread_counts(&cpus(2, 2)), [1, 2, 4]);
    }
}
