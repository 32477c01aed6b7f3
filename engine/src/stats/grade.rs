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
            "{measure}: Excellent up to {excellent} {unit}, Good up to {good} {unit}, Fair up to \
             {fair} {unit}, Poor above"
        )
    }
}

/// p99 lateness of a frame loop as a share of the frame time, in percent.
pub const FRAME_LATENESS: Limits =
    Limits { measure: "p99 lateness", unit: "% of a frame", upper: [1.0, 5.0, 15.0] };

/// Missed frames of a frame loop in 1 000.
pub const FRAME_MISSED: Limits =
    Limits { measure: "missed frames", unit: "in 1 000", upper: [0.0, 0.0, 1.0] };

/// p99 overshoot of sleeps, in microseconds.
pub const SLEEP_OVERSHOOT: Limits =
    Limits { measure: "p99 overshoot", unit: "µs", upper: [50.0, 500.0, 2_000.0] };

/// A worst sleep of this overshoot or more is at best Fair, in microseconds.
pub const SLEEP_WORST_MICROS: f64 = 10_000.0;

/// Average overshoot of spinning waits, in nanoseconds.
pub const SPIN_OVERSHOOT: Limits =
    Limits { measure: "average overshoot", unit: "ns", upper: [200.0, 1_000.0, 100_000.0] };

/// The biggest gap, in milliseconds; the last two can be set.
pub const BIGGEST_GAP: Limits =
    Limits { measure: "longest gap", unit: "ms", upper: [1.0, 3.0, 30.0] };

/// What efficiency falls short of 1.
pub const TICK_LOSS: Limits =
    Limits { measure: "1 less efficiency", unit: "", upper: [0.10, 0.30, 0.65] };

/// How much of the deviation of the frame period remains, in percent.
pub const REMAINING_DEVIATION: Limits = Limits {
    measure: "remaining deviation of the frame period",
    unit: "%",
    upper: [50.0, 80.0, 95.0],
};

/// The grade of sleeps: p99 overshoot, at best Fair with a very bad worst one.
pub fn sleep(p99_micros: f64, worst_micros: f64) -> Grade {
    let grade = SLEEP_OVERSHOOT.grade(p99_micros);
    if SLEEP_WORST_MICROS < worst_micros { grade.max(Grade::Fair) } else { grade }
}

/// The grade of a fall of the frame period's deviation, 1 for all of it: over a half Excellent, over a
/// fifth Good, over a twentieth Fair (screens say "Modest"), else Poor ("Limited").
pub fn real_time(reduction: f64) -> Grade {
    match reduction {
        reduction if 0.50 < reduction => Grade::Excellent,
        reduction if 0.20 < reduction => Grade::Good,
        reduction if 0.05 < reduction => Grade::Fair,
        _ => Grade::Poor,
    }
}

/// The grade of an efficiency, 1 for perfect.
pub fn game_tick(efficiency: f64) -> Grade {
    TICK_LOSS.grade(1.0 - efficiency)
}

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
            "p99 lateness: Excellent up to 1 % of a frame, Good up to 5 % of a frame, Fair up to \
             15 % of a frame, Poor above"
        );
    }
}
