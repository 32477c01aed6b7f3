//! Chooses the spin tail of a hybrid wait by trying some, in interleaved blocks.

use std::sync::atomic::{AtomicBool, Ordering};

use super::waiting;
use super::work::Prepared;
use crate::nanos::Nanos;
use crate::plan::Tail;
use crate::platform::{Sleeper, clock_nanos, thread_cpu_nanos};
use crate::run::TailPoint;
use crate::stats::blocks::percentile_interval;
use crate::stats::{PercentileRule, Quantile, Sorted};

/// Waits with one tail before the next one follows.
const BLOCK: u32 = 5;
/// Blocks per tail.
const BLOCKS: u32 = Tail::TRIAL_WAITS / BLOCK;

/// A difference of lateness that matters to no frame; above it, a tenth.
const SLACK: Nanos = Nanos::from_micros(10);

/// The result of one tail.
struct Tried {
    tail: Nanos,
    late: Vec<i64>,
    cpu: Option<Nanos>,
    wall: Nanos,
}

/// Tries each tail in the trial's own loop until stopped or [`Tail::MAX_TRIAL`] is over. A tail without a
/// wait is omitted.
///
/// Period and work are the trial's own because a tail uses up the thread's fair share of the CPU: under
/// load at normal priority, tails that make a loop at 60 FPS less late make one at 240 FPS later (mean
/// lateness of 1.1 ms without and 0.5 ms with 500 µs at 60 FPS, of 0.9 and 1.5 ms at 240 FPS).
pub(super) fn try_tails(
    tails: impl Iterator<Item = Nanos>,
    (period, work): (Nanos, Prepared),
    sleeper: &Sleeper,
    stop: &AtomicBool,
) -> Vec<TailPoint> {
    let period = period.get();
    let end = clock_nanos() + Tail::MAX_TRIAL.get();
    let new = |tail| Tried { tail, late: Vec::new(), cpu: Some(Nanos::ZERO), wall: Nanos::ZERO };
    let mut all: Vec<Tried> = tails.map(new).collect();
    for _ in 0..BLOCKS {
        for tried in &mut all {
            tried.run_block((period, work), end, sleeper, stop);
        }
        // Every other round runs backward, so that drift affects all tails equally.
        all.reverse();
    }
    all.sort_by_key(|tried| tried.tail);
    all.into_iter().filter_map(Tried::point).collect()
}

impl Tried {
    fn run_block(
        &mut self,
        (period, work): (i64, Prepared),
        end: i64,
        sleeper: &Sleeper,
        stop: &AtomicBool,
    ) {
        let (began, cpu) = (clock_nanos(), thread_cpu_nanos());
        let mut due = began;
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

    fn point(self) -> Option<TailPoint> {
        let wait_count = u32::try_from(self.late.len()).ok()?;
        let p99_interval = percentile_interval(&self.late, Quantile::P99);
        let p99 = Sorted::of(self.late)?.percentile(Quantile::P99, PercentileRule::R7);
        let p99 = Nanos::from_nanos_f64(p99);
        let (tail, cpu, wall) = (self.tail, self.cpu, self.wall);
        Some(TailPoint { tail, p99, p99_interval, wait_count, cpu, wall })
    }
}

/// The shortest tail that may be as good as the best, or no tail if none was tried: its p99 lateness is
/// within the 95% interval of the best, and its own interval does not reach higher by more than [`SLACK`].
///
/// The best is the one with the lowest upper end of the interval: of so few waits, one tail often has a low
/// p99 by chance, but rarely a low upper end as well.
pub(super) fn choose(curve: &[TailPoint]) -> Nanos {
    let upper =
        |point: &TailPoint| point.p99_interval.map_or(point.p99, |(_, upper)| upper.max(point.p99));
    let Some(best) = curve.iter().min_by_key(|point| upper(point)) else { return Nanos::ZERO };
    let limit = upper(best);
    let reach = limit + SLACK.max(Nanos::new(limit.get() / 10));
    let fitting = curve.iter().filter(|point| point.p99 <= limit && upper(point) <= reach);
    fitting.map(|point| point.tail).min().unwrap_or(best.tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(i64, i64, i64)]) -> Vec<TailPoint> {
        let point = |&(tail, p99, upper): &(i64, i64, i64)| TailPoint {
            tail: Nanos::from_micros(tail),
            p99: Nanos::from_micros(p99),
            p99_interval: (0 < upper).then(|| (Nanos::ZERO, Nanos::from_micros(upper))),
            wait_count: 150,
            cpu: None,
            wall: Nanos::ZERO,
        };
        points.iter().map(point).collect()
    }

    #[test]
    fn the_shortest_tail_within_the_interval_of_the_best_is_selected() {
        let check = |points: &[(i64, i64, i64)], expected: i64| {
            assert_eq!(choose(&curve(points)), Nanos::from_micros(expected), "{points:?}");
        };
        check(&[(0, 90, 120), (100, 20, 40), (250, 2, 5), (500, 1, 3)], 250);
        check(&[(0, 90, 120), (100, 20, 40), (250, 6, 9), (500, 1, 3)], 500);
        // A tail that causes lateness, as under load at normal priority.
        check(&[(0, 80, 100), (500, 3_400, 4_000), (2_000, 900, 2_000)], 0);
        // Low by chance: its interval reaches as high as that of the others.
        check(&[(0, 1_497, 3_960), (250, 3_195, 3_268), (1_000, 3_263, 3_266)], 250);
        // Too few waits for an interval.
        check(&[(0, 9, 0), (100, 5, 0), (250, 5, 0)], 100);
        check(&[], 0);
    }

    #[test]
    fn every_tail_is_tried_in_turn_and_a_stop_ends_it() {
        let go = AtomicBool::new(false);
        let period = Nanos::from_micros(500);
        let tails = || Tail::tried(Nanos::ZERO, period);
        let work = Prepared::Nothing;
        let curve = try_tails(tails(), (period, work), &Sleeper::new(), &go);
        let tried: Vec<Nanos> = curve.iter().map(|point| point.tail).collect();
        assert_eq!(tried, tails().collect::<Vec<_>>());
        for point in &curve {
            assert!(0 < point.wait_count && point.wait_count <= Tail::TRIAL_WAITS);
            assert!(Nanos::ZERO <= point.p99 && Nanos::ZERO < point.wall);
        }
        let stop = AtomicBool::new(true);
        assert_eq!(try_tails(tails(), (period, work), &Sleeper::new(), &stop), []);
    }
}
