//! Simulated PCs whose true grade is known: how often a grade is given, and how often it is right.

use super::super::test_run::run_of;
use super::super::{Options, Report};
use super::*;
use crate::plan::conditions::Cell;
use crate::plan::{CpuChoice, FrameLoop, Load, Plan, Priority, Wait};
use crate::run::Run;
use crate::sample::{Sample, Samples};
use crate::stats::grade::{self, FRAME_LATENESS};
use crate::stats::simulated::{normal, rounds};

const PERIOD: i64 = 16_666_667;
/// The normal quantile of 99%.
const Z99: f64 = 2.326_347_874;
/// How the logarithm of lateness varies.
const SPREAD: f64 = 0.6;

/// A PC: p99 lateness as a share of a frame in percent, how much each frame depends on the one before,
/// and how often one is missed because everything stalls.
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

    /// Log-normal lateness with the memory of an autoregressive process, and stalls of a whole frame.
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

#[test]
fn grades_that_are_given_are_right() {
    let rounds = rounds(24);
    let mut random = fastrand::Rng::with_seed(14);
    for count in [600, 1_800] {
        for memory in [0.0, 0.5, 0.8] {
            let (mut given, mut right) = (0_usize, 0_usize);
            let often = 25.0 / Nanos::new(count).as_f64();
            for _ in 0..rounds {
                let pc = Pc {
                    p99_percent: 10_f64.powf(random.f64() * 2.5 - 0.8),
                    memory,
                    // Stalls that are too rare to show in this many frames are stated, and not graded.
                    stall_rate: *random.choice([0.0, 0.0, 0.000_02, often].iter()).unwrap_or(&0.0),
                };
                let run = simulated(pc, count, &mut random);
                if let Some(grade) = Report::of(&run, &Options::default()).verdict.grade {
                    given += 1;
                    right += usize::from(grade == pc.true_grade());
                }
            }
            let share = float(right) / float(given.max(1));
            println!(
                "{count} frames, memory {memory}: {given} of {rounds} graded, {:.1}% of them right",
                share * 100.0
            );
            let off = 3.0 * (0.05 * 0.95 / float(given.max(1))).sqrt();
            assert!(0.95 - off <= share, "{count} frames, memory {memory}: {share}");
            assert!(rounds / 4 < given, "{count} frames, memory {memory}: only {given} graded");
        }
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
