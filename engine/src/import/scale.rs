//! Decides what the numbers of a column of frame times are: their unit, and whether they are times of a
//! frame or time stamps. The first rows are checked against the rate and the clock of the file: a unit
//! is believed only if they agree with it.

use super::time_unit::TimeUnit;

/// A factor between two values that agree: units differ by 1000.
const MAX_FACTOR: f64 = 5.0;
/// Plausible frame times where nothing else shows the unit: 5000 FPS to one frame per 5 s.
const PLAUSIBLE_MILLIS: std::ops::RangeInclusive<f64> = 0.2..=5_000.0;
/// Minimum number of rising values that are regarded as time stamps.
const MIN_STAMPS: usize = 3;

/// The numbers of the first rows of a table.
#[derive(Debug, Default)]
pub(super) struct FirstRows {
    /// The values of the column of frame times.
    pub(super) values: Vec<f64>,
    /// Rate × value of each row that has both.
    pub(super) products: Vec<f64>,
    /// The steps of the clock between rows, in milliseconds.
    pub(super) steps_millis: Vec<f64>,
}

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    pub(super) unit: TimeUnit,
    /// Whether the numbers are time stamps, whose differences are the frame times.
    pub(super) are_stamps: bool,
}

impl FirstRows {
    /// Decides unit and kind of the numbers; `None` if nothing shows the unit. A unit that is `certain` is not
    /// checked; `likely` is what the name of the column suggests. Only numbers that `may_be_stamps` are checked for
    /// time stamps.
    pub(super) fn scale(
        &self,
        certain: Option<TimeUnit>,
        likely: Option<TimeUnit>,
        may_be_stamps: bool,
    ) -> Option<Scale> {
        if certain.or(likely) == Some(TimeUnit::Fps) {
            return Some(Scale { unit: TimeUnit::Fps, are_stamps: false });
        }
        let are_stamps =
            may_be_stamps && self.are_stamps(certain.or(likely).unwrap_or(TimeUnit::Millis));
        let scale = |unit| Some(Scale { unit, are_stamps });
        if let Some(unit) = certain {
            return scale(unit);
        }
        let mut sizes =
            if are_stamps { steps(&self.values).collect() } else { self.values.clone() };
        let size = median(&mut sizes)?;
        let product = median(&mut self.products.clone()).filter(|product| 0.0 < *product);
        if let Some(product) = product.filter(|_| !are_stamps) {
            // Rate × frame time is one second in the unit of the frame time.
            let agrees = |unit: &TimeUnit| is_near(unit.millis(product), 1e3);
            if let Some(unit) = units().find(agrees) {
                return scale(unit);
            }
        }
        let is_plausible = |unit: TimeUnit| PLAUSIBLE_MILLIS.contains(&unit.millis(size));
        let step = median(&mut self.steps_millis.clone()).filter(|step| 0.0 < *step);
        if let Some(step) = step {
            // A frame takes at most the time between two rows; in a log with one row per second, far less.
            let fits =
                |unit: &TimeUnit| is_plausible(*unit) && unit.millis(size) <= MAX_FACTOR * step;
            if let Some(unit) = likely.filter(fits) {
                return scale(unit);
            }
            let agrees = |unit: &TimeUnit| is_plausible(*unit) && is_near(unit.millis(size), step);
            if let Some(unit) = units().find(agrees) {
                return scale(unit);
            }
        }
        scale(likely.filter(|unit| is_plausible(*unit))?)
    }

    /// Whether the values only rise, from a start that is no frame time: each is a time since the start.
    fn are_stamps(&self, unit: TimeUnit) -> bool {
        let [first, .., last] = self.values.as_slice() else { return false };
        let Some(step) = median(&mut steps(&self.values).collect::<Vec<_>>()) else { return false };
        let rises = steps(&self.values).all(|step| 0.0 < step);
        // A ramp of frame times rises by far less than its first value.
        let starts_at_zero = *first <= 2.0 * step;
        let is_no_frame = *PLAUSIBLE_MILLIS.end() < unit.millis(*last)
            && PLAUSIBLE_MILLIS.contains(&unit.millis(step));
        let are_enough = MIN_STAMPS < self.values.len();
        rises && 0.0 < step && are_enough && (starts_at_zero || is_no_frame)
    }
}

/// Returns the units of frame times, the most likely one first.
fn units() -> impl Iterator<Item = TimeUnit> {
    [TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Secs, TimeUnit::Nanos].into_iter()
}

fn steps(values: &[f64]) -> impl Iterator<Item = f64> + '_ {
    values.windows(2).filter_map(|pair| Some(pair.last()? - pair.first()?))
}

fn is_near(value: f64, other: f64) -> bool {
    (other / MAX_FACTOR..=other * MAX_FACTOR).contains(&value)
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_rows(values: &[f64], rate: Option<f64>, step: Option<f64>) -> FirstRows {
        FirstRows {
            values: values.to_vec(),
            products: rate
                .iter()
                .flat_map(|rate| values.iter().map(move |value| value * rate))
                .collect(),
            steps_millis: step.into_iter().collect(),
        }
    }

    #[test]
    fn rate_and_clock_show_the_unit() {
        let likely = Some(TimeUnit::Millis);
        for (values, rate, step, unit) in [
            (&[16.67; 5], Some(60.0), None, Some(TimeUnit::Millis)),
            (&[16_666.0; 5], Some(60.0), None, Some(TimeUnit::Micros)),
            (&[0.01667; 5], Some(60.0), None, Some(TimeUnit::Secs)),
            (&[16_666.0; 5], None, Some(16.6), Some(TimeUnit::Micros)),
            (&[4.0; 5], None, Some(1_000.0), Some(TimeUnit::Millis)),
            (&[0.0166; 5], None, None, None),
            (&[16_666.0; 5], None, None, None),
        ] {
            let scale = first_rows(values, rate, step).scale(None, likely, false);
            assert_eq!(scale.map(|scale| scale.unit), unit, "{values:?} {rate:?} {step:?}");
        }
    }

    #[test]
    fn numbers_that_only_rise_from_the_start_are_time_stamps() {
        let certain = Some(TimeUnit::Millis);
        let stamps = |values: &[f64]| {
            first_rows(values, None, None).scale(certain, None, true).unwrap().are_stamps
        };
        assert!(stamps(&[0.0, 16.6, 33.3, 50.1, 66.7]));
        assert!(!stamps(&[10.01, 10.02, 10.03, 10.04, 10.05]));
        assert!(!stamps(&[16.6, 16.7, 16.5, 16.6, 16.7]));
    }
}
