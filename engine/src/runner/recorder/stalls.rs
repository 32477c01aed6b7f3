//! Which stalls are saved: all of them, or the longest ones where they are very many.

use crate::nanos::Nanos;

/// Max number of saved stalls. A PC with 8 canaries that are always late has 400 per second, and so this many in 8 minutes.
const MAX_STALLS: usize = 200_000;

/// Counts all stalls, and decides which ones are saved. When the limit is reached, the shorter half of the saved ones is
/// given up, and later ones are saved if they are longer than those.
#[derive(Debug)]
pub(super) struct SavedStalls {
    /// Number of stalls, saved or not.
    pub(super) total_count: u64,
    /// Stalls up to this long are not saved.
    pub(super) omitted_until: Nanos,
    max_count: usize,
    lates: Vec<i64>,
}

impl Default for SavedStalls {
    fn default() -> Self {
        Self::new(MAX_STALLS)
    }
}

impl SavedStalls {
    const fn new(max_count: usize) -> Self {
        Self { total_count: 0, omitted_until: Nanos::ZERO, max_count, lates: Vec::new() }
    }

    /// Counts a stall; returns whether it is saved.
    pub(super) fn admit(&mut self, late: Nanos) -> bool {
        self.total_count += 1;
        if late <= self.omitted_until {
            return false;
        }
        self.lates.push(late.get());
        if self.max_count <= self.lates.len() {
            let middle = self.lates.len() / 2;
            let median = *self.lates.select_nth_unstable(middle).1;
            self.omitted_until = Nanos::new(median);
            self.lates.retain(|late| median < *late);
        }
        self.omitted_until < late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stalls_are_counted_and_the_longest_are_saved() {
        let mut stalls = SavedStalls::new(100);
        let mut random = fastrand::Rng::with_seed(5);
        let mut all: Vec<i64> = (0..1_000).map(|place| 2_000_000 + 1_000 * place).collect();
        random.shuffle(&mut all);
        let mut saved: Vec<i64> =
            all.iter().copied().filter(|late| stalls.admit(Nanos::new(*late))).collect();
        assert_eq!(stalls.total_count, 1_000);
        // What was saved before the limit rose is given up as well.
        let limit = stalls.omitted_until.get();
        saved.retain(|late| limit < *late);
        saved.sort_unstable();
        all.retain(|late| limit < *late);
        all.sort_unstable();
        assert_eq!(saved, all, "each stall above the limit is saved, and no other");
        assert!((30..=100).contains(&saved.len()), "{}", saved.len());
    }

    #[test]
    fn a_few_stalls_are_all_saved() {
        let mut stalls = SavedStalls::default();
        assert!((1..=500).all(|late| stalls.admit(Nanos::from_micros(2_000 + late))));
        assert_eq!((stalls.total_count, stalls.omitted_until), (500, Nanos::ZERO));
    }
}
