//! How much steadier one set of frame times is than another, with its uncertainty.

use super::{float, nanos_float, position};

/// Number of resamples.
const RESAMPLES: usize = 1_000;
/// The seed: the same values always give the same interval.
const SEED: u64 = 0x7265_6475_6365;

/// By which share a standard deviation fell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// `(before − after) / before`; negative where it rose.
    pub share: f64,
    /// The 95% interval, by resampling blocks of neighbors; absent below four blocks each.
    pub interval: Option<(f64, f64)>,
}

impl Reduction {
    /// The fall from one set of blocks to another; each block holds values of neighbors in time. `None`
    /// where there is no deviation to fall.
    pub fn of(before: &[Vec<i64>], after: &[Vec<i64>]) -> Option<Self> {
        let (before, after): (Vec<Moments>, Vec<Moments>) = (
            before.iter().map(|block| moments(block)).collect(),
            after.iter().map(|block| moments(block)).collect(),
        );
        let share = share(&before, &after)?;
        if before.len() < 4 || after.len() < 4 {
            return Some(Self { share, interval: None });
        }
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut draw = |blocks: &[Moments]| -> Vec<Moments> {
            (0..blocks.len())
                .filter_map(|_| blocks.get(random.usize(0..blocks.len())).copied())
                .collect()
        };
        let mut found: Vec<f64> = (0..RESAMPLES)
            .filter_map(|_| {
                let (one, other) = (draw(&before), draw(&after));
                self::share(&one, &other)
            })
            .collect();
        found.sort_by(f64::total_cmp);
        let at =
            |part: f64| found.get(position(part * float(found.len().saturating_sub(1)))).copied();
        Some(Self { share, interval: at(0.025).zip(at(0.975)) })
    }

    /// The fall of a share from one set of blocks to another, each with its events and its frames. `None`
    /// where there is no event to lose.
    pub fn of_shares(before: &[(usize, usize)], after: &[(usize, usize)]) -> Option<Self> {
        let share_of = |blocks: &mut dyn Iterator<Item = (usize, usize)>| {
            let (events, all) = blocks.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            float(events) / float(all.max(1))
        };
        let fall = |before: f64, after: f64| (0.0 < before).then(|| (before - after) / before);
        let share =
            fall(share_of(&mut before.iter().copied()), share_of(&mut after.iter().copied()))?;
        if before.len() < 4 || after.len() < 4 {
            return Some(Self { share, interval: None });
        }
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut drawn = |blocks: &[(usize, usize)]| {
            let mut one = (0..blocks.len())
                .filter_map(|_| blocks.get(random.usize(0..blocks.len())).copied());
            share_of(&mut one)
        };
        let found: Option<Vec<f64>> =
            (0..RESAMPLES).map(|_| fall(drawn(before), drawn(after))).collect();
        let mut found = found.unwrap_or_default();
        found.sort_by(f64::total_cmp);
        let at =
            |part: f64| found.get(position(part * float(found.len().saturating_sub(1)))).copied();
        Some(Self { share, interval: at(0.025).zip(at(0.975)) })
    }

    /// Whether the interval holds 0: no clear difference.
    pub fn is_unclear(self) -> bool {
        self.interval.is_none_or(|(low, high)| low <= 0.0 && 0.0 <= high)
    }

    /// The end of the interval a rating goes by: the fall that is sure.
    pub fn sure(self) -> f64 {
        self.interval.map_or(self.share, |(low, _)| low)
    }
}

/// Count, sum and squares about a common point.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

fn moments(values: &[i64]) -> Moments {
    values.iter().fold(Moments::default(), |so_far, &value| {
        // Welford 1962.
        let count = so_far.count + 1.0;
        let off = nanos_float(value) - so_far.mean;
        let mean = so_far.mean + off / count;
        Moments { count, mean, squares: so_far.squares + off * (nanos_float(value) - mean) }
    })
}

/// The standard deviation of all blocks together (Chan, Golub and LeVeque 1983).
fn deviation(blocks: &[Moments]) -> Option<f64> {
    let all = blocks.iter().fold(Moments::default(), |a, b| {
        let count = a.count + b.count;
        if count <= 0.0 {
            return a;
        }
        let off = b.mean - a.mean;
        Moments {
            count,
            mean: a.mean + off * b.count / count,
            squares: a.squares + b.squares + off * off * a.count * b.count / count,
        }
    });
    (1.0 < all.count).then(|| (all.squares / (all.count - 1.0)).sqrt())
}

fn share(before: &[Moments], after: &[Moments]) -> Option<f64> {
    let (before, after) = (deviation(before)?, deviation(after)?);
    (0.0 < before).then(|| (before - after) / before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(spread: i64) -> Vec<Vec<i64>> {
        (0..10_i64)
            .map(|block| {
                (0..60_i64).map(|at| ((at * 7_919 + block * 31) % 101 - 50) * spread).collect()
            })
            .collect()
    }

    #[test]
    fn a_tenth_of_the_spread_is_a_fall_of_nine_tenths() {
        let found = Reduction::of(&blocks(1_000), &blocks(100)).unwrap();
        assert!((found.share - 0.9).abs() < 1e-9, "{found:?}");
        let (low, high) = found.interval.unwrap();
        assert!(low <= 0.9 && 0.9 <= high && 0.85 < low, "{found:?}");
        assert!(!found.is_unclear());
    }

    #[test]
    fn no_change_is_unclear_and_a_rise_is_negative() {
        assert!(Reduction::of(&blocks(100), &blocks(100)).unwrap().is_unclear());
        assert!(Reduction::of(&blocks(100), &blocks(200)).unwrap().share < -0.9);
        assert_eq!(Reduction::of(&[vec![5, 5, 5]], &blocks(1)), None);
        assert_eq!(Reduction::of(&[], &[]), None);
    }
}
