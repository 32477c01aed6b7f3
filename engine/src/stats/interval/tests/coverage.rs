//! Simulates how often the interval of p99 lateness contains the true p99, if late frames come in bursts, if lateness
//! depends on earlier lateness, and if its scale drifts.

use super::*;
use crate::stats::tests::simulated::normal;

/// Lateness of simulated frames, in microseconds.
#[derive(Clone, Copy, Debug)]
enum Lateness {
    /// Log-normal, each frame on its own.
    Independent,
    /// Log-normal; the logarithm has this correlation with that of the previous frame.
    Autocorrelated(f64),
    /// Late frames come in bursts of this size and are this share of all frames. The frames of a burst are equally late,
    /// or each is late on its own.
    Bursts { size: usize, share: f64, is_equal: bool },
    /// Log-normal with a log-normal scale that changes over this many frames.
    Drift(f64),
}

/// Standard deviation of the logarithm of lateness, and of that of its scale where the scale drifts.
const SPREAD: f64 = 0.6;
const SCALE_SPREAD: f64 = 0.7;
/// The 99% quantile of the standard normal distribution.
const Z99: f64 = 2.326_347_874;
/// A late frame of a burst is late by this and an exponential time with this mean.
const BURST: (f64, f64) = (2_000.0, 4_000.0);

fn exponential(random: &mut fastrand::Rng) -> f64 {
    -(1.0 - random.f64()).ln()
}

impl Lateness {
    fn draw(self, random: &mut fastrand::Rng, count: usize) -> Vec<i64> {
        let mut state = normal(random);
        let mut follow = |random: &mut fastrand::Rng, memory: f64| {
            state = memory * state + (1.0 - memory * memory).sqrt() * normal(random);
            state
        };
        let own = |random: &mut fastrand::Rng| (SPREAD * normal(random)).exp();
        let values: Vec<f64> = match self {
            Self::Independent => (0..count).map(|_| 100.0 * own(random)).collect(),
            Self::Autocorrelated(memory) => {
                (0..count).map(|_| 100.0 * (SPREAD * follow(random, memory)).exp()).collect()
            }
            Self::Drift(frames) => (0..count)
                .map(|_| {
                    let scale = (SCALE_SPREAD * follow(random, (-1.0 / frames).exp())).exp();
                    100.0 * scale * own(random)
                })
                .collect(),
            Self::Bursts { size, share, is_equal } => {
                let chance = share / ((1.0 - share) * float(size));
                let mut left = if random.f64() < share { random.usize(1..=size) } else { 0 };
                let mut common = exponential(random);
                (0..count)
                    .map(|_| {
                        if 0 < left {
                            left -= 1;
                            let late = if is_equal { common } else { exponential(random) };
                            return BURST.0 + BURST.1 * late;
                        }
                        if random.f64() < chance {
                            left = size;
                            common = exponential(random);
                        }
                        100.0 * random.f64()
                    })
                    .collect()
            }
        };
        values.into_iter().map(|micros| Nanos::from_nanos_f64(micros * 1e3).get()).collect()
    }

    /// Returns the true p99 in nanoseconds.
    fn p99(self) -> f64 {
        let log_normal = |spread: f64| 1e5 * (spread * Z99).exp();
        match self {
            Self::Independent | Self::Autocorrelated(_) => log_normal(SPREAD),
            Self::Drift(_) => log_normal(SPREAD.hypot(SCALE_SPREAD)),
            Self::Bursts { share, .. } => 1e3 * (BURST.0 - BURST.1 * (0.01 / share).ln()),
        }
    }

    /// Returns whether a run of this length shows what it is made of: 7 bursts, or 20 correlation times.
    fn is_shown_by(self, count: usize) -> bool {
        match self {
            Self::Independent => true,
            Self::Autocorrelated(memory) => 20.0 <= float(count) * (1.0 - memory) / (1.0 + memory),
            Self::Bursts { size, share, .. } => 7.0 <= float(count) * share / float(size),
            Self::Drift(frames) => 20.0 <= float(count) / (2.0 * frames),
        }
    }
}

/// How many of `runs` runs have an interval, and how many have one without the true p99.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    given: usize,
    missed: usize,
}

impl Tally {
    fn of(lateness: Lateness, count: usize, runs: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(49 + u64::try_from(count).unwrap());
        let truth = lateness.p99();
        let mut tally = Self::default();
        for _ in 0..runs {
            let Ok((low, high)) = percentile(&lateness.draw(&mut random, count), Quantile::P99)
            else {
                continue;
            };
            tally.given += 1;
            tally.missed += usize::from(truth < low.as_f64() || high.as_f64() < truth);
        }
        tally
    }
}

/// Three standard deviations of a share that is found by simulation.
fn off(share: f64, runs: usize) -> f64 {
    3.0 * (share * (1.0 - share) / float(runs)).sqrt()
}

#[test]
fn intervals_of_dependent_frames_rarely_miss_p99_where_the_run_is_long_enough() {
    let runs = 2 * rounds(20);
    let bursts = [3, 5, 20, 60].into_iter().flat_map(|size| {
        [0.012, 0.02].into_iter().flat_map(move |share| {
            [true, false].map(|is_equal| Lateness::Bursts { size, share, is_equal })
        })
    });
    let first = [
        Lateness::Independent,
        Lateness::Autocorrelated(0.5),
        Lateness::Autocorrelated(0.9),
        Lateness::Drift(50.0),
        Lateness::Drift(300.0),
    ];
    println!("share of {runs} runs with an interval, with the true p99 in it, and without");
    for lateness in first.into_iter().chain(bursts) {
        for count in [600, 1_800, 7_200] {
            let Tally { given, missed } = Tally::of(lateness, count, runs);
            let share = |part: usize| float(part) / float(runs);
            let is_shown = lateness.is_shown_by(count);
            let mark = if is_shown { "" } else { "  (too short)" };
            let held = share(given - missed);
            println!(
                "{lateness:?}, {count}: {:.1}%, {:.1}%, {:.1}%{mark}",
                share(given) * 100.0,
                held * 100.0,
                share(missed) * 100.0
            );
            let most = 0.08 + off(0.08, runs);
            assert!(!is_shown || share(missed) <= most, "{lateness:?}, {count}: {missed}");
            if matches!(lateness, Lateness::Independent) {
                let least = if count == 600 { 0.75 } else { 0.99 };
                assert!(least - off(least, runs) <= share(given), "{count}: {given}");
            }
        }
    }
}
