//! Grades, and every limit that decides one: the only place where a threshold stands.

use super::float;

/// What a result is worth; the best one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing to be gained.
    Excellent,
    /// Good enough for any game.
    Good,
    /// Seen now and then.
    Fair,
    /// Seen.
    Poor,
}

impl Grade {
    /// The word on screen.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Excellent => "Excellent",
            Self::Good => "Good",
            Self::Fair => "Fair",
            Self::Poor => "Poor",
        }
    }
}

/// Up to which value a measure is Excellent, Good and Fair; above that it is Poor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// What is measured.
    pub measure: &'static str,
    /// In which unit the limits are.
    pub unit: &'static str,
    /// The upper limits of Excellent, Good and Fair.
    pub upper: [f64; 3],
}

impl Limits {
    /// The grade of a value.
    pub fn grade(&self, value: f64) -> Grade {
        let [excellent, good, fair] = self.upper;
        match value {
            value if value <= excellent => Grade::Excellent,
            value if value <= good => Grade::Good,
            value if value <= fair => Grade::Fair,
            _ => Grade::Poor,
        }
    }

    /// The limits in one line, for "how is this judged?".
    pub fn text(&self) -> String {
        let [excellent, good, fair] = self.upper;
        let (measure, unit) = (self.measure, self.unit);
        format!(
            "{measure}: Excellent up to {excellent} {unit}, Good up to {good} {unit}, Fair up to {fair} \
             {unit}, Poor above"
        )
    }
}

/// p99 lateness of a frame loop as a share of the frame time, in percent.
pub const FRAME_LATENESS: Limits =
    Limits { measure: "p99 lateness", unit: "% of a frame", upper: [1.0, 5.0, 15.0] };

/// Missed frames of a frame loop in 1 000.
pub const FRAME_MISSED: Limits =
    Limits { measure: "missed frames", unit: "in 1 000", upper: [0.0, 0.0, 1.0] };

/// The grade of a frame loop: the worse of lateness and missed frames.
pub fn frame_loop(p99_percent_of_frame: f64, missed_count: usize, slot_count: usize) -> Grade {
    let missed = float(missed_count) * 1_000.0 / float(slot_count.max(1));
    FRAME_LATENESS.grade(p99_percent_of_frame).max(FRAME_MISSED.grade(missed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_loop_is_as_good_as_its_worse_measure() {
        for (percent, missed, slots, expected) in [
            (0.3, 0, 1_800, Grade::Excellent),
            (1.0, 0, 1_800, Grade::Excellent),
            (3.0, 0, 1_800, Grade::Good),
            (3.0, 1, 1_800, Grade::Fair),
            (0.1, 2, 1_800, Grade::Poor),
            (14.9, 0, 1_800, Grade::Fair),
            (15.1, 0, 1_800, Grade::Poor),
            (f64::NAN, 0, 1_800, Grade::Poor),
        ] {
            assert_eq!(frame_loop(percent, missed, slots), expected, "{percent} {missed}");
        }
    }

    #[test]
    fn limits_are_told_in_a_line() {
        assert_eq!(
            FRAME_LATENESS.text(),
            "p99 lateness: Excellent up to 1 % of a frame, Good up to 5 % of a frame, Fair up to 15 % \
             of a frame, Poor above"
        );
    }
}
