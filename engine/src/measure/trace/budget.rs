//! Decides of which late samples a trial saves the records, so that memory and file stay bounded.
//!
//! A run of 20 minutes on a busy PC can have 100 000 late samples with 50 records each. Saved are the worst of all,
//! and a fair sample of the others over the whole trial: never only the first ones. Rows are appended to a run and
//! its journal, so that nothing can be removed again. Both parts therefore decide when a sample arrives:
//!
//! - A sample belongs to the worst if it is among the 200 latest so far (fewer once many rows are saved, see [`WORST`]). The worst of the whole trial are
//!   among them, as each is one of the latest when it arrives. Of 100 000
//!   samples in random order, about 200 × (1 + ln(100 000 / 200)) = 1 440 are among the 200 latest when they arrive.
//! - The planned time of the trial is split into [`SLICES`]. Rows that a slice leaves go to the later ones. In each
//!   slice, samples are saved at random with the probability with which the samples of the slice before would just
//!   have used up what this slice may save. The random numbers have a fixed seed: the same samples give the same rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::nanos::Nanos;

/// Number of parts of a trial among which its rows are divided.
const SLICES: i64 = 60;
/// Numbers of the latest samples so far that are saved in any case, each with the share of the rows for the worst, in
/// percent, up to which this holds. Only samples that become later and later for a whole trial reach the last share.
const WORST: [(usize, u64); 3] = [(10, 200), (50, 75), (200, 50)];
/// Share of the rows of a trial that are set aside for the worst samples, as a divisor.
const WORST_SHARE: u64 = 4;
/// Number of rows of a trial, without the excess that [`WORST`] permits. A row takes about 13 bytes of memory and 35 bytes
/// of a file.
const MAX_ROWS: u64 = 400_000;
/// Assumed number of rows of a sample before the first is saved.
const TYPICAL_ROWS: u64 = 40;

/// The rows that a trial may save, and those that it has saved.
#[derive(Debug)]
pub(super) struct Budget {
    /// Planned length of the trial.
    length: Nanos,
    fair: BudgetPart,
    worst: BudgetPart,
    /// The latest samples so far, the one with the lowest lateness on top.
    latest: BinaryHeap<Reverse<Nanos>>,
    slice: i64,
    /// Number of samples of the slice so far that do not belong to the worst.
    slice_count: u64,
    /// Probability with which a sample of this slice is saved, from 0 to 1.
    probability: f64,
    saved_count: u64,
    /// The number of late samples whose records were not saved.
    pub(super) omitted_count: u64,
    /// Number of random numbers drawn so far.
    drawn_count: u64,
}

/// Rows for one purpose: how many may be saved, and how many are.
#[derive(Debug, Default)]
struct BudgetPart {
    max: u64,
    used: u64,
}

/// For which reason the records of a sample are saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It is one of the latest samples so far.
    Worst,
    /// It was drawn at random.
    Drawn,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Nanos::ZERO)
    }
}

impl Budget {
    /// Creates the budget of a trial with this planned length.
    pub(super) fn new(length: Nanos) -> Self {
        let worst = MAX_ROWS / WORST_SHARE;
        Self {
            length,
            fair: BudgetPart { max: MAX_ROWS - worst, used: 0 },
            worst: BudgetPart { max: worst, used: 0 },
            latest: BinaryHeap::new(),
            slice: 0,
            slice_count: 0,
            probability: 1.0,
            saved_count: 0,
            omitted_count: 0,
            drawn_count: 0,
        }
    }

    /// Returns why the records of a late sample are to be saved; `None` if they are not. `at` is its time since the
    /// start of the trial, and `late` is its lateness.
    pub(super) fn admit(&mut self, at: Nanos, late: Nanos) -> Option<Reason> {
        self.enter_slice(at);
        let reason = if self.is_among_worst(late) {
            Some(Reason::Worst)
        } else {
            self.slice_count += 1;
            let is_drawn = self.draw() < self.probability;
            (is_drawn && self.fair.used < self.allowed()).then_some(Reason::Drawn)
        };
        match reason {
            Some(_) => self.saved_count += 1,
            None => self.omitted_count += 1,
        }
        reason
    }

    /// Counts the rows that were saved for a sample.
    pub(super) fn spend(&mut self, reason: Reason, rows: usize) {
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        let part = match reason {
            Reason::Worst => &mut self.worst,
            Reason::Drawn => &mut self.fair,
        };
        part.used = part.used.saturating_add(rows);
    }

    fn is_among_worst(&mut self, late: Nanos) -> bool {
        let limit = |share: u64| self.worst.max.saturating_mul(share) / 100;
        let usable = WORST.into_iter().filter(|(_, share)| self.worst.used < limit(*share));
        let count = usable.map(|(count, _)| count).max().unwrap_or(0);
        while count < self.latest.len() {
            self.latest.pop();
        }
        let is_late = |least: &Reverse<Nanos>| least.0 < late;
        let is_worst = self.latest.len() < count || self.latest.peek().is_some_and(is_late);
        if is_worst {
            if count <= self.latest.len() {
                self.latest.pop();
            }
            self.latest.push(Reverse(late));
        }
        is_worst
    }

    /// Begins a new slice if the time of the current one is over.
    fn enter_slice(&mut self, at: Nanos) {
        let slice = match self.length.get() {
            ..=0 => SLICES - 1,
            length => (at.get().max(0).saturating_mul(SLICES) / length).min(SLICES - 1),
        };
        if slice <= self.slice {
            return;
        }
        let passed = u64::try_from(slice - self.slice).unwrap_or(1);
        let count = self.slice_count.div_ceil(passed);
        self.slice = slice;
        self.slice_count = 0;
        let wanted = count.saturating_mul(self.rows_per_sample());
        let left = self.allowed().saturating_sub(self.fair.used);
        self.probability = if wanted <= left { 1.0 } else { ratio(left, wanted) };
    }

    /// Returns how many rows may have been saved by the end of the current slice, apart from those of the worst.
    fn allowed(&self) -> u64 {
        let slices = u64::try_from(self.slice + 1).unwrap_or(1);
        self.fair.max.saturating_mul(slices) / u64::try_from(SLICES).unwrap_or(1)
    }

    fn rows_per_sample(&self) -> u64 {
        let used = self.fair.used + self.worst.used;
        used.checked_div(self.saved_count).map_or(TYPICAL_ROWS, |rows| rows.max(1))
    }

    /// Returns the next random number from 0 to 1, by SplitMix64.
    fn draw(&mut self) -> f64 {
        self.drawn_count = self.drawn_count.wrapping_add(1);
        let mut bits = self.drawn_count.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ratio((bits ^ (bits >> 31)) >> 32, u64::from(u32::MAX))
    }
}

/// Returns the ratio of two numbers; exact for numbers up to 32 bits.
fn ratio(part: u64, whole: u64) -> f64 {
    let float = |number: u64| u32::try_from(number).map_or(f64::from(u32::MAX), f64::from);
    float(part) / float(whole).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times in seconds and the lateness in µs of the samples that a trial of 600 s saves. `samples` are the
    /// times in ms and the lateness in µs of all of them; each takes `rows` rows.
    fn saved(
        rows: usize,
        samples: impl IntoIterator<Item = (i64, i64)>,
    ) -> (Vec<(i64, i64)>, Budget) {
        let mut budget = Budget::new(Nanos::from_secs(600));
        let mut saved = Vec::new();
        for (at, late) in samples {
            let reason = budget.admit(Nanos::from_millis(at), Nanos::from_micros(late));
            if let Some(reason) = reason {
                budget.spend(reason, rows);
                saved.push((at / 1_000, late));
            }
        }
        (saved, budget)
    }

    /// A lateness that rises and falls without a pattern, between 100 µs and 1.1 ms.
    const fn late(at: i64) -> i64 {
        100 + (at.wrapping_mul(7_919) % 1_009)
    }

    #[test]
    fn samples_that_fit_are_all_saved() {
        let (saved, budget) = saved(40, (0..6_000).map(|at| (at * 100, late(at))));
        assert_eq!((saved.len(), budget.omitted_count), (6_000, 0));
    }

    #[test]
    fn samples_beyond_the_budget_are_drawn_from_the_whole_trial() {
        // 144 000 late samples of 40 rows: 14 times what may be saved.
        let (saved, budget) = saved(40, (0..144_000).map(|at| (at * 600 / 144, late(at))));
        let rows = saved.len() * 40;
        assert!((250_000..=400_000).contains(&rows), "{rows}");
        assert_eq!(u64::try_from(saved.len()).unwrap() + budget.omitted_count, 144_000);
        let mut minutes = [0_usize; 10];
        for (second, _) in &saved {
            minutes[usize::try_from(second / 60).unwrap()] += 1;
        }
        // The first minute has more: the worst samples so far.
        let fair = minutes[1..].iter().sum::<usize>() / 9;
        assert!(fair <= minutes[0], "{minutes:?}");
        for count in &minutes[1..] {
            assert!((fair * 4 / 5..=fair * 5 / 4).contains(count), "{minutes:?}");
        }
        // Within each minute but the first, both halves of a second half minute count as well.
        let half = |at: &&(i64, i64)| (60..).contains(&at.0) && at.0 % 10 < 5;
        let halves = saved.iter().filter(half).count();
        let all = saved.iter().filter(|at| 60 <= at.0).count();
        assert!((all * 2 / 5..=all * 3 / 5).contains(&halves), "{halves} of {all}");
    }

    #[test]
    fn the_worst_are_saved_whenever_they_occur() {
        let all: Vec<(i64, i64)> = (0..144_000)
            .map(|at| {
                let is_worst = at % 14_400 == 14_000;
                (at * 600 / 144, if is_worst { 40_000 + at } else { late(at) })
            })
            .collect();
        let (saved, _) = saved(60, all.clone());
        let worst = all.iter().filter(|one| 40_000 < one.1);
        for one in worst {
            assert!(saved.contains(&(one.0 / 1_000, one.1)), "{one:?}");
        }
    }

    #[test]
    fn no_order_of_samples_exceeds_the_limit() {
        // Each sample is later than all before it: the least favorable order.
        let rising = (0..14_400).map(|at| (at * 6_000 / 144, 1_000 + at));
        let random = (0..144_000).map(|at| (at * 600 / 144, late(at)));
        for count in [saved(1_000, rising).0.len(), saved(1_000, random).0.len()] {
            assert!((300..=501).contains(&count), "{count} samples of 1 000 rows");
        }
    }

    #[test]
    fn a_storm_at_the_start_leaves_rows_for_the_rest() {
        let storm = (0..30_000).map(|at| (at, late(at)));
        let rest = (30..600).map(|second| (second * 1_000, late(second)));
        let (saved, _) = saved(40, storm.chain(rest));
        let later = saved.iter().filter(|one| 40 <= one.0).count();
        assert!(550 <= later, "{later} of 560 samples after the storm");
    }
}
