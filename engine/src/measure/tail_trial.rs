//! Chooses the spin tail of a hybrid wait: tries several tails in interleaved blocks and compares their lateness.
//!
//! **The idea.** A hybrid wait sleeps until shortly before the due time and spins for the rest, the *tail*. A tail that is too
//! short is used up by the sleep that ends late: the wait is as late as the sleep. A tail that is too long burns the CPU time that
//! the scheduler then takes back, under load at the worst moment. So there is a best tail for this PC, this period, and this work
//! right now, and no formula has it: it is tried out.
//!
//! **Interleaved.** Each round tries all tails, `BLOCK` waits each, and the next round goes through them in reverse order. What
//! drifts over seconds (temperature, clock rate, a program that starts) reaches all tails alike. The schedule of each block is
//! shifted by a fraction of the period, evenly spread, because a wait can otherwise end in only a few positions relative to the
//! scheduler's tick, and some tails might never meet the bad one.
//!
//! **The choice** is the shortest tail that is as good as the best one. Of some 100 waits, p99 is one wait; so tails are ranked by
//! the mean of their latest tenth, which varies less. A tail is as good if that mean is higher by at most `SLACK` or a tenth,
//! and its p99 is within the 95% interval of the best tail's p99.
//!
//! **An example.** In µs, as tail: p99 (upper end of its interval), mean of the latest tenth. 0: 90 (120), 80. 100: 20 (40), 15.
//! 250: 2 (5), 1. 500: 1 (3), 1. The best mean is 1, of 250 and 500. Within 10 µs of it are these two alone, and 250 has a p99 of
//! 2, below the 5 of the best one's interval. So 250 µs is selected: 500 would spin twice as long for nothing.
//!
//! **Why not the simpler way.** The longest oversleep of a calibration at the start, as other limiters take it, is a maximum: it
//! grows with every wait, and one interrupt sets it for hours. A fixed tail of 1 or 2 ms costs 6 to 12% of a CPU at 60 FPS. The
//! tail with the lowest p99 alone is selected by chance among all that are good, and is usually too long.

use std::sync::atomic::{AtomicBool, Ordering};

use super::waiting;
use super::work::Prepared;
use crate::nanos::Nanos;
use crate::plan::Tail;
use crate::platform::{Sleeper, clock_nanos, thread_cpu_nanos};
use crate::run::TailPoint;
use crate::stats::blocks::percentile_range;
use crate::stats::{PercentileRule, Quantile, Sorted, Spread};

/// Number of waits in a block; all waits of a block use the same tail.
const BLOCK: u32 = 5;
/// Number of blocks per tail.
const BLOCKS: u32 = Tail::TRIAL_WAITS / BLOCK;

/// Difference in lateness that is too small to matter. If a tenth of the lateness is more, that tenth is used.
const SLACK: Nanos = Nanos::from_micros(10);

/// The tail to use, and the result of each tried tail.
pub(super) type TriedTails = (Nanos, Vec<TailPoint>);

/// The measurements of one tail.
struct Tried {
    tail: Nanos,
    late: Vec<i64>,
    cpu: Option<Nanos>,
    wall: Nanos,
}

/// The lateness that resulted from one tail.
struct TailOutcome {
    point: TailPoint,
    /// Mean lateness of the latest 10% of the waits. Less noisy than p99: of 80 waits, one alone can set p99.
    mean_of_worst: Nanos,
}

/// Tries each tail until stopped or [`Tail::MAX_TRIAL`] is over. Returns the tail to use, and the result of each
/// tail except those without a single wait.
///
/// The waits have the period and the work of the trial, since the best tail depends on both: spinning
/// consumes the thread's fair share of the CPU. Under load at normal priority, a tail of 500 µs reduces the
/// mean lateness at 60 FPS from 1.1 to 0.5 ms, but at 240 FPS it increases the mean lateness from 0.9 to
/// 1.5 ms.
pub(super) fn try_tails(
    tails: impl Iterator<Item = Nanos>,
    (period, work): (Nanos, Prepared),
    sleeper: &Sleeper,
    stop: &AtomicBool,
) -> TriedTails {
    let period = period.get();
    let end = clock_nanos() + Tail::MAX_TRIAL.get();
    let new = |tail| Tried { tail, late: Vec::new(), cpu: Some(Nanos::ZERO), wall: Nanos::ZERO };
    let mut all: Vec<Tried> = tails.map(new).collect();
    let mut shifts = shifts(period);
    for _ in 0..BLOCKS {
        for tried in &mut all {
            let shift = shifts.next().unwrap_or(0);
            tried.run_block((period, work), shift, end, sleeper, stop);
        }
        // Reverse the order after each round, so that a drift over time affects all tails equally.
        all.reverse();
    }
    all.sort_by_key(|tried| tried.tail);
    let outcomes: Vec<TailOutcome> = all.into_iter().filter_map(Tried::outcome).collect();
    (choose(&outcomes), outcomes.into_iter().map(|one| one.point).collect())
}

/// Returns the shift of each block's schedule, in nanoseconds: between minus and plus half a period, evenly spread.
///
/// Without shifts, a wait can only end in a few positions relative to the scheduler's tick, such as six positions
/// for a period of 16.667 ms and a tick of 4 ms. Waits may be late in one of these positions only, and some tails
/// might never meet that position.
fn shifts(period: i64) -> impl Iterator<Item = i64> {
    // The fraction of the golden ratio, times 2^32: its multiples modulo 2^32 are evenly spread, however
    // many are taken.
    const GOLDEN: u32 = 0x9e37_79b9;
    (0_u32..).map(move |block| {
        let fraction = i128::from(block.wrapping_mul(GOLDEN));
        let shift = (i128::from(period) * fraction) >> 32;
        i64::try_from(shift).unwrap_or(0) - period / 2
    })
}

impl Tried {
    fn run_block(
        &mut self,
        (period, work): (i64, Prepared),
        shift: i64,
        end: i64,
        sleeper: &Sleeper,
        stop: &AtomicBool,
    ) {
        let (began, cpu) = (clock_nanos(), thread_cpu_nanos());
        let mut due = began + shift;
        for _ in 0..BLOCK {
            let now = clock_nanos();
            if end <= now || stop.load(Ordering::Relaxed) {
                break;
            }
            due += period;
            if due <= now {
                due = now + period;
            }
            let woken = waiting::hybrid(sleeper, self.tail, due, now, stop);
            if !woken.stopped {
                self.late.push(woken.woke - due);
                work.run(stop);
            }
        }
        self.wall += Nanos::new(clock_nanos() - began);
        let used = thread_cpu_nanos().zip(cpu).map(|(now, then)| Nanos::new(now - then));
        self.cpu = self.cpu.zip(used).map(|(sum, used)| sum + used);
    }

    fn outcome(self) -> Option<TailOutcome> {
        let wait_count = u32::try_from(self.late.len()).ok()?;
        let p99_interval = percentile_range(&self.late, Quantile::P99);
        let sorted = Sorted::of(self.late)?;
        let worst = sorted.values().skip(sorted.count() * 9 / 10);
        let mean_of_worst = Spread::of(worst.collect())?.mean_nanos;
        let p99 = Nanos::from_nanos_f64(sorted.percentile(Quantile::P99, PercentileRule::R7));
        let (tail, cpu, wall) = (self.tail, self.cpu, self.wall);
        let point = TailPoint { tail, p99, p99_interval, wait_count, cpu, wall };
        Some(TailOutcome { point, mean_of_worst: Nanos::from_nanos_f64(mean_of_worst) })
    }
}

/// Returns the shortest tail that is as good as the best one, or 0 if no tail was tried.
///
/// The best tail has the lowest `mean_of_worst`. Another tail is as good if its p99 lateness is not above the 95%
/// interval of the best tail's p99, and its `mean_of_worst` is higher by at most [`SLACK`] or a tenth.
fn choose(outcomes: &[TailOutcome]) -> Nanos {
    let Some(best) = outcomes.iter().min_by_key(|one| one.mean_of_worst) else {
        return Nanos::ZERO;
    };
    let TailOutcome { point: TailPoint { p99, p99_interval, .. }, mean_of_worst: least } = best;
    let limit = p99_interval.map_or(*p99, |(_, upper)| upper.max(*p99));
    let reach = *least + SLACK.max(Nanos::new(least.get() / 10));
    let is_as_good = |one: &&TailOutcome| one.point.p99 <= limit && one.mean_of_worst <= reach;
    let fitting = outcomes.iter().filter(is_as_good).map(|one| one.point.tail);
    fitting.min().unwrap_or(best.point.tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an outcome from each tuple, in µs: tail, p99, upper end of the interval of p99 (0 for no interval),
    /// and mean of the latest waits.
    fn outcomes(points: &[(i64, i64, i64, i64)]) -> Vec<TailOutcome> {
        let outcome = |&(tail, p99, upper, mean): &(i64, i64, i64, i64)| TailOutcome {
            point: TailPoint {
                tail: Nanos::from_micros(tail),
                p99: Nanos::from_micros(p99),
                p99_interval: (0 < upper).then(|| (Nanos::ZERO, Nanos::from_micros(upper))),
                wait_count: 150,
                cpu: None,
                wall: Nanos::ZERO,
            },
            mean_of_worst: Nanos::from_micros(mean),
        };
        points.iter().map(outcome).collect()
    }

    #[test]
    fn the_shortest_tail_that_is_as_good_as_the_best_is_selected() {
        let check = |points: &[(i64, i64, i64, i64)], expected: i64| {
            assert_eq!(choose(&outcomes(points)), Nanos::from_micros(expected), "{points:?}");
        };
        check(&[(0, 90, 120, 80), (100, 20, 40, 15), (250, 2, 5, 1), (500, 1, 3, 1)], 250);
        check(&[(0, 90, 120, 80), (100, 20, 40, 15), (250, 6, 9, 5), (500, 1, 3, 1)], 500);
        // Every tail above 0 causes lateness, as under load at normal priority.
        check(&[(0, 80, 100, 70), (500, 3_400, 4_000, 900), (2_000, 900, 2_000, 500)], 0);
        // The best tail had one late wait by chance, so every p99 is within its interval. The means of
        // the other tails are too high.
        check(
            &[(0, 3_784, 4_070, 3_500), (500, 3_330, 3_350, 3_200), (1_000, 3_900, 4_100, 2_700)],
            1_000,
        );
        // The p99 of tail 0 is low by chance, but its mean is too high; the p99 of tail 250 is too high.
        check(
            &[(0, 753, 2_906, 2_800), (250, 3_195, 3_268, 2_600), (1_000, 2_740, 2_953, 2_500)],
            1_000,
        );
        // There are too few waits for an interval of p99.
        check(&[(0, 9, 0, 9), (100, 5, 0, 5), (250, 5, 0, 5)], 100);
        check(&[], 0);
    }

    #[test]
    fn blocks_meet_all_phases() {
        for (skipped, every) in [(0, 1), (0, 6), (5, 6), (3, 12)] {
            let mut found: Vec<i64> =
                shifts(16_000).skip(skipped).step_by(every).take(24).collect();
            found.sort_unstable();
            let ends = [found[0] + 8_000, 8_000 - found[23]];
            let gaps = found.windows(2).map(|pair| pair[1] - pair[0]).chain(ends);
            // If 24 shifts are spread evenly over a period of 16 000 ns, they are 667 ns apart.
            let widest = gaps.max().unwrap_or(0);
            assert!(widest < 3 * 667, "{every}: {widest}");
        }
    }

    #[test]
    fn every_tail_is_tried_in_turn_and_a_stop_ends_it() {
        let go = AtomicBool::new(false);
        let period = Nanos::from_micros(500);
        let tails = || Tail::tried(Nanos::ZERO, period);
        let work = Prepared::Nothing;
        let (used, curve) = try_tails(tails(), (period, work), &Sleeper::new(), &go);
        let tried: Vec<Nanos> = curve.iter().map(|point| point.tail).collect();
        assert_eq!(tried, tails().collect::<Vec<_>>());
        assert!(tried.contains(&used), "{used}");
        for point in &curve {
            assert!(0 < point.wait_count && point.wait_count <= Tail::TRIAL_WAITS);
            assert!(Nanos::ZERO <= point.p99 && Nanos::ZERO < point.wall);
        }
        let stop = AtomicBool::new(true);
        assert_eq!(
            try_tails(tails(), (period, work), &Sleeper::new(), &stop),
            (Nanos::ZERO, Vec::new())
        );
    }
}
