//! Simulations of PCs whose true grade is known: how often a report states a grade, and how often it is right.

use super::super::*;
use crate::plan::conditions::Cell;
use crate::plan::{CpuChoice, FrameLoop, Load, Plan, Priority, Wait};
use crate::report::tests::test_run::run_of;
use crate::report::{Options, Report};
use crate::run::Run;
use crate::sample::{Sample, Samples};
use crate::stats::grade::{self, FRAME_LATENESS};
use crate::stats::tests::simulated::{normal, rounds};

const PERIOD: i64 = 16_666_667;
/// The 99% quantile of the standard normal distribution.
const Z99: f64 = 2.326_347_874;
/// The standard deviation of the natural logarithm of lateness.
const SPREAD: f64 = 0.6;

/// A simulated PC: its p99 lateness in percent of a frame, the correlation of each frame with the previous one (0 to
/// 1), and the share of frames that are missed because of a stall.
#[derive(Clone, Copy, Debug)]
struct Pc {
    p99_percent: f64,
    memory: f64,
    stall_rate: f64,
}

impl Pc {
    fn true_grade(self) -> Grade {
        FRAME_LATENESS.grade(self.p99_percent).max(grade::missed_frames(self.stall_rate))
    }

    /// Returns `count` frames. Lateness is log-normal and autoregressive; a stall makes a frame late by more than a
    /// frame time.
    fn frames(self, count: i64, random: &mut fastrand::Rng) -> Samples {
        let scale = self.p99_percent / 100.0 * 16_666_667.0 / (SPREAD * Z99).exp();
        let mut state = normal(random);
        let rest = (1.0 - self.memory * self.memory).sqrt();
        (1..=count)
            .map(|k| {
                state = self.memory * state + rest * normal(random);
                let is_stalled = random.f64() < self.stall_rate;
                let late = Nanos::from_nanos_f64(scale * (SPREAD * state).exp());
                let due = Nanos::new(k * PERIOD);
                let woke = due + if is_stalled { Nanos::new(PERIOD + 1) } else { late };
                Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None }
            })
            .collect()
    }
}

fn plan() -> FrameLoop {
    FrameLoop { fps: 60.0, load: Load::NONE, wait: Wait::OsSleep, ..FrameLoop::default() }
}

fn simulated(pc: Pc, count: i64, random: &mut fastrand::Rng) -> Run {
    let mut run = run_of(Plan::FrameLoop(plan()), |_| {});
    run.trials[0].samples = pc.frames(count, random);
    run
}

/// Values of p99 lateness in percent of a frame that are well within a grade.
const CLEAR: [f64; 6] = [0.02, 0.3, 2.2, 8.7, 30.0, 60.0];
/// Values of p99 lateness in percent of a frame that are near a limit between two grades.
const BORDERLINE: [f64; 6] = [0.85, 1.2, 4.2, 6.0, 12.7, 18.0];

/// Counts of the grades that simulated runs got.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    runs: usize,
    /// Runs with a grade or a bound.
    graded: usize,
    /// Runs whose grade or bound covers the true grade.
    right: usize,
    /// Runs with a single grade rather than a bound.
    single: usize,
}

impl Tally {
    fn of(pc: Pc, count: i64, runs: usize, random: &mut fastrand::Rng) -> Self {
        let mut tally = Self { runs, ..Self::default() };
        for _ in 0..runs {
            let run = simulated(pc, count, random);
            let Some(grade) = Report::of(&run, &Options::default()).verdict.grade else { continue };
            let truth = pc.true_grade();
            tally.graded += 1;
            tally.single += usize::from(!grade.is_bound());
            tally.right += usize::from(grade.best() <= truth && truth <= grade.worst());
        }
        tally
    }

    fn and(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            graded: self.graded + other.graded,
            right: self.right + other.right,
            single: self.single + other.single,
        }
    }

    fn share(part: usize, of: usize) -> f64 {
        float(part) / float(of.max(1))
    }
}

#[test]
fn stated_grades_and_bounds_cover_the_true_grade() {
    let runs = rounds(3);
    let mut random = fastrand::Rng::with_seed(14);
    for (kind, levels, least) in [("clear", CLEAR, 0.99), ("borderline", BORDERLINE, 0.96)] {
        let mut all = Tally::default();
        for count in [600, 1_800] {
            for memory in [0.0, 0.5, 0.8] {
                for p99_percent in levels {
                    // One stall in 50 000 frames does not lower the true grade. The grade of a run that contains
                    // one stall must not be lower either.
                    let pc = Pc { p99_percent, memory, stall_rate: 0.000_02 };
                    let cell = Tally::of(pc, count, runs, &mut random);
                    let share = Tally::share(cell.right, cell.graded);
                    println!(
                        "{kind}, {count} frames, memory {memory}, p99 {p99_percent}% of a frame: \
                         {:.1}% right of {} graded of {}, {} without bounds",
                        share * 100.0,
                        cell.graded,
                        cell.runs,
                        cell.single
                    );
                    let is_enough = cell.graded == 0 || least <= share;
                    assert!(runs < 1_000 || is_enough, "{pc:?}, {count}: {share}");
                    all = all.and(cell);
                }
            }
        }
        let share = Tally::share(all.right, all.graded);
        let undecided = 1.0 - Tally::share(all.graded, all.runs);
        println!(
            "{kind}: {:.1}% right, {:.1}% undecided; without bounds {:.1}% would be",
            share * 100.0,
            undecided * 100.0,
            (1.0 - Tally::share(all.single, all.runs)) * 100.0
        );
        let off = 3.0 * (least * (1.0 - least) / float(all.graded.max(1))).sqrt();
        assert!(least - off <= share, "{kind}: {share}");
        assert!(undecided < 0.2, "{kind}: {undecided}");
    }
}

#[test]
fn configurations_that_are_the_same_are_not_ranked() {
    let rounds = rounds(24) / 3;
    let mut random = fastrand::Rng::with_seed(15);
    let cells: Vec<Cell> = [Priority::Normal, Priority::AboveNormal, Priority::Highest]
        .into_iter()
        .flat_map(|priority| [CpuChoice::Any, CpuChoice::Cpu(1)].map(|cpu| Cell { priority, cpu }))
        .collect();
    for memory in [0.0, 0.8] {
        let mut ranked = 0;
        for _ in 0..rounds {
            let plan = FrameLoop { cells: cells.clone(), ..plan() };
            let pc = Pc { p99_percent: 2.0, memory, stall_rate: 0.0 };
            let mut run = run_of(Plan::FrameLoop(plan), |_| {});
            for trial in &mut run.trials {
                trial.samples = pc.frames(600, &mut random);
            }
            let sentence = Report::of(&run, &Options::default()).sentence();
            ranked += usize::from(sentence.starts_with("Use "));
        }
        println!("6 equal configurations, memory {memory}: {ranked} of {rounds} ranked");
        let off = 3.0 * (0.05 * 0.95 / float(rounds)).sqrt();
        assert!(float(ranked) / float(rounds) <= 0.05 + off, "memory {memory}: {ranked}");
    }
}
