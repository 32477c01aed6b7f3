//! Quality of the clock: its resolution, the cost of a read, and whether it ever went backward.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::platform::{self, clock_nanos};

/// Number of consecutive reads of the clock per measurement.
const READINGS: usize = 10_000;

/// Returns the date and time of this PC, or `None` if it is not between the years -9999 and 9999.
pub fn date() -> Option<jiff::Timestamp> {
    jiff::Timestamp::try_from(std::time::SystemTime::now()).ok()
}

/// Quality of the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClockFacts {
    /// The name of the clock, with the hardware behind it if the system reports it.
    pub name: String,
    /// The smallest step between two reads that is not 0.
    #[serde(rename = "resolution_nanos")]
    pub resolution: Nanos,
    /// Cost of a read in nanoseconds: the median of 10 000 reads, or the mean if the clock is coarse.
    pub read_cost_nanos: f64,
    /// How often a read returned an earlier time than the read before.
    pub went_backwards_count: u32,
}

impl ClockFacts {
    /// Reads the clock 10 000 times; takes less than a millisecond on most machines.
    pub fn measure() -> Self {
        let readings: Vec<i64> = (0..READINGS).map(|_| clock_nanos()).collect();
        Self::of(platform::clock_name(), &readings)
    }

    /// Computes the quality of a clock from consecutive `readings` in nanoseconds.
    pub fn of(name: String, readings: &[i64]) -> Self {
        let steps: Vec<i64> =
            readings.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let resolution = steps.iter().copied().filter(|&step| 0 < step).min().unwrap_or(0);
        let backward = steps.iter().filter(|&&step| step < 0).count();
        Self {
            name,
            resolution: Nanos::new(resolution),
            read_cost_nanos: median_step(&steps, resolution),
            went_backwards_count: u32::try_from(backward).unwrap_or(u32::MAX),
        }
    }
}

/// Returns the median step in nanoseconds, or the mean if most steps are 0 because the clock is
/// coarser than the time of a read.
fn median_step(steps: &[i64], resolution: i64) -> f64 {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
    if 0 < median && resolution < median.saturating_mul(2) {
        return Nanos::new(median).as_f64();
    }
    let sum = sorted.iter().fold(Nanos::ZERO, |sum, &step| sum + Nanos::new(step));
    let count = i64::try_from(sorted.len()).unwrap_or(1).max(1);
    sum.as_f64() / Nanos::new(count).as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_cost_and_backward_jumps_are_reported() {
        let readings: Vec<i64> = (0..100).map(|k| k * 20 + i64::from(k % 10 == 0)).collect();
        let facts = ClockFacts::of("test".to_owned(), &readings);
        assert_eq!(facts.resolution, Nanos::new(19));
        assert!((facts.read_cost_nanos - 20.0).abs() < 1e-9);
        assert_eq!(facts.went_backwards_count, 0);
        let facts = ClockFacts::of("test".to_owned(), &[0, 100, 90, 200]);
        assert_eq!(facts.went_backwards_count, 1);
    }

    #[test]
    fn a_coarse_clock_costs_its_mean() {
        let readings: Vec<i64> = (0..1_000).map(|k| k / 10 * 100).collect();
        let facts = ClockFacts::of("test".to_owned(), &readings);
        assert_eq!(facts.resolution, Nanos::new(100));
        assert!((facts.read_cost_nanos - 9.9).abs() < 0.2, "{}", facts.read_cost_nanos);
    }

    #[test]
    fn this_clock_moves_on() {
        // A coarse clock may have the same value at 10 000 reads, but not at 10 000 000.
        let mut measured = (0..1_000).map(|_| ClockFacts::measure());
        let facts = measured.find(|facts| Nanos::ZERO < facts.resolution).unwrap();
        if 0 < facts.went_backwards_count {
            println!("skipped: the clock of this PC goes backward, {facts:?}");
            return;
        }
        assert!(0.0 < facts.read_cost_nanos);
    }
}
