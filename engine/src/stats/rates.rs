//! How often events come: the difference of two rates, where events come in bursts.
//!
//! **The idea.** Of 14 stutters in one recording and 4 in another one of the same length, chance alone would give as uneven a
//! split in 3 of 100 cases, if they were independent (the exact test of two Poisson counts: the share of one side is
//! binomial). Stutters are not independent: what causes one causes the next ones as well. So those within 5 s of each other
//! count once, and what still comes in bursts is seen in blocks: if the counts of equal parts of a recording vary by 3 times
//! as much as independent events would, 30 events say as much as 10 do.
//!
//! **Why three sizes of blocks.** A burst of 30 s is cut by short blocks, and short bursts average out in long ones. The
//! largest inflation of 20, 10, and 5 blocks counts, with the few degrees of freedom that it has. Bursts that take longer
//! than a tenth of a recording are beyond what the recording can show.
//!
//! Sources: Przyborowski and Wilenski 1940 (two Poisson counts); Wedderburn 1974 (inflation of a variance that is estimated
//! from the counts themselves).

use super::beat::first_of_groups;
use super::binomial::two_sided_chance;
use super::effect::{CHANCE, Estimated, Method};
use super::float;
use crate::nanos::Nanos;

/// Events within this time of the one before belong to it.
const TOGETHER: Nanos = Nanos::from_secs(5);
/// Rates are stated per this time.
const RATE_TIME: Nanos = Nanos::from_secs(600);
/// Numbers of blocks in which bursts are looked for.
const BLOCKS: [usize; 3] = [20, 10, 5];

/// Groups of events of one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSeries {
    /// The first event of each group, in order of time.
    at: Vec<Nanos>,
    length: Nanos,
}

impl EventSeries {
    /// Groups events, in order of time, of a recording of this length.
    pub fn new(events: impl IntoIterator<Item = Nanos>, length: Nanos) -> Self {
        Self { at: first_of_groups(events, TOGETHER), length }
    }

    /// Returns the number of groups.
    pub const fn count(&self) -> usize {
        self.at.len()
    }

    /// Returns the number of groups per 10 minutes; 0 without a length.
    pub fn rate(&self) -> f64 {
        if self.length <= Nanos::ZERO { 0.0 } else { float(self.count()) / self.times() }
    }

    /// Returns the length in units of 10 minutes.
    fn times(&self) -> f64 {
        self.length.as_f64() / RATE_TIME.as_f64()
    }

    /// Returns the variance of the counts of equal parts, and their mean.
    fn variance_and_mean(&self, blocks: usize) -> [f64; 2] {
        let mut counts = vec![0.0; blocks];
        for at in &self.at {
            let block = at.as_f64() / self.length.as_f64() * float(blocks);
            if let Some(count) = counts.get_mut(super::position(block).min(blocks - 1)) {
                *count += 1.0;
            }
        }
        let mean = float(self.count()) / float(blocks);
        let squares: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
        [squares / float(blocks - 1), mean]
    }
}

/// Returns the difference of the rate of the second series from that of the first one, per 10 minutes; `None` where the
/// events are so few that no split of them between the two would be clear.
pub fn rate_difference(series: [&EventSeries; 2]) -> Option<Estimated> {
    let [first, second] = series;
    if series.into_iter().any(|side| side.length <= Nanos::ZERO) {
        return None;
    }
    let all = float(first.count() + second.count());
    let [first_times, second_times] = series.map(EventSeries::times);
    let splits = [[all, 0.0], [0.0, all]];
    let chance = |[a, b]: [f64; 2]| two_sided_chance((a, first_times), (b, second_times));
    if splits.into_iter().all(|split| CHANCE <= chance(split)) {
        return None;
    }
    let inflations = BLOCKS.map(|blocks| {
        let sides = series.map(|side| side.variance_and_mean(blocks));
        let [variance, mean] =
            [0, 1].map(|part| sides.iter().filter_map(|side| side.get(part)).sum::<f64>());
        (variance / mean.max(f64::MIN_POSITIVE), blocks)
    });
    let largest = inflations.into_iter().max_by(|one, next| one.0.total_cmp(&next.0));
    let (inflation, blocks) = largest.unwrap_or((1.0, 1));
    let inflation = inflation.max(1.0);
    let variance = |side: &EventSeries| float(side.count()) * inflation / side.times().powi(2);
    let error = (variance(first) + variance(second)).sqrt();
    let center = second.rate() - first.rate();
    let mut estimated = Estimated::of_error(center, error, 2 * (blocks - 1), Method::Blocks);
    estimated.at_least(chance(series.map(|side| float(side.count()) / inflation)));
    Some(estimated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tests::simulated::rounds;

    /// The shape of bursts: stutters of each, and how long they take in seconds.
    const SHAPES: [(f64, f64); 3] = [(1.0, 0.0), (4.0, 3.0), (4.0, 30.0)];

    /// Returns the events of a recording with bursts at random times: this many events in the mean.
    fn bursts(
        random: &mut fastrand::Rng,
        mean: f64,
        seconds: f64,
        shape: (f64, f64),
    ) -> EventSeries {
        let (size, length) = shape;
        let mut exponential = |mean: f64| -mean * (1.0 - random.f64()).ln();
        let mut starts = Vec::new();
        let mut at = exponential(seconds * size / mean);
        while at < seconds {
            starts.push(at);
            at += exponential(seconds * size / mean);
        }
        let mut events = Vec::new();
        for start in starts {
            events.push(start);
            while 1.0 < size && random.f64() < 1.0 - 1.0 / size {
                events.push(start + length * random.f64());
            }
        }
        events.retain(|at| *at < seconds);
        events.sort_by(f64::total_cmp);
        let nanos = |seconds: f64| Nanos::from_nanos_f64(seconds * 1e9);
        EventSeries::new(events.into_iter().map(nanos), nanos(seconds))
    }

    fn is_clear(sides: [&EventSeries; 2]) -> bool {
        rate_difference(sides).is_some_and(|it| it.effect(CHANCE, 0.0).is_certain())
    }

    #[test]
    fn equal_rates_are_seldom_called_and_a_sixth_is_found() {
        let count = rounds(150);
        let mut random = fastrand::Rng::with_seed(54);
        let mut most: f64 = 0.0;
        for shape in SHAPES {
            for seconds in [600.0, 1_800.0] {
                let mut shares = Vec::new();
                for mean in [0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0] {
                    let called = (0..count).filter(|_| {
                        let sides = [0; 2].map(|_| bursts(&mut random, mean, seconds, shape));
                        is_clear([&sides[0], &sides[1]])
                    });
                    shares.push(100.0 * float(called.count()) / float(count));
                }
                println!("{shape:?}, {seconds} s, 0 to 60 stutters: called in % {shares:.1?}");
                most = shares.into_iter().fold(most, f64::max);
            }
            // 12 and 2 groups of stutters per 10 min, for 30 min.
            let (size, seconds) = (shape.0, 1_800.0);
            let found = (0..count).filter(|_| {
                let before = bursts(&mut random, 36.0 * size, seconds, shape);
                let after = bursts(&mut random, 6.0 * size, seconds, shape);
                is_clear([&before, &after])
            });
            let found = 100.0 * float(found.count()) / float(count);
            println!("{shape:?}: 12 to 2 per 10 min found in {found:.1}%");
            assert!(90.0 <= found, "{shape:?}: {found}%");
        }
        // Chance: 5% of 150 pairs are 7.5, and 13 with a probability of 4 in 100.
        assert!(most <= if count < 1_000 { 9.0 } else { 5.0 }, "{most}%");
    }

    #[test]
    fn few_events_are_too_few_and_a_burst_counts_once() {
        let series = |seconds: &[i64]| {
            EventSeries::new(seconds.iter().map(|at| Nanos::from_secs(*at)), Nanos::from_secs(600))
        };
        let none = series(&[]);
        assert_eq!(rate_difference([&none, &none]), None);
        assert_eq!(
            rate_difference([&series(&[1, 100, 200, 300, 400]), &none]),
            None,
            "2 × 0.5⁵ = 6%"
        );
        let six = series(&[1, 100, 200, 300, 400, 500]);
        assert!(is_clear([&six, &none]), "2 × 0.5⁶ = 3%");
        assert_eq!((six.count(), six.rate()), (6, 6.0));
        // Six events within 5 s of each other are one, although the last is 20 s after the first.
        assert_eq!(series(&[100, 104, 108, 112, 116, 120]).count(), 1);
        // 20 in one minute of ten say less than 20 that are spread.
        let burst = series(&(0..20).map(|at| 100 + 6 * at).collect::<Vec<_>>());
        let spread = series(&(0..20).map(|at| 15 + 30 * at).collect::<Vec<_>>());
        let few = series(&[50, 250, 350, 550]);
        assert!(is_clear([&few, &spread]) && !is_clear([&few, &burst]));
    }
}
