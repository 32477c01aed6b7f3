//! Grades, and the limits between the grades of each measure.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::units::format_setting;

/// Grade of a result. The order is from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// A better result would bring no benefit.
    Excellent,
    /// Good enough for any game.
    Good,
    /// Timing errors are sometimes visible.
    Fair,
    /// Timing errors are visible.
    Poor,
}

impl Grade {
    /// Returns the word on screen.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Excellent => "Excellent",
            Self::Good => "Good",
            Self::Fair => "Fair",
            Self::Poor => "Poor",
        }
    }
}

/// The grades that a result can have: one grade, or a bound such as "Good or better". A bound counts as the worst
/// grade that it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "GradesInFile")]
pub struct GradeRange {
    best: Grade,
    worst: Grade,
}

impl GradeRange {
    /// Returns the range from the best to the worst grade. `None` if `best` is worse than `worst`, or if the range
    /// reaches from Excellent or Good to Poor: no words on screen exist for it.
    pub fn of(best: Grade, worst: Grade) -> Option<Self> {
        let is_stated = best <= worst && !(best <= Grade::Good && worst == Grade::Poor);
        is_stated.then_some(Self { best, worst })
    }

    /// Returns the best grade that the range covers.
    pub const fn best(self) -> Grade {
        self.best
    }

    /// Returns the worst grade that the range covers. The range counts as this grade.
    pub const fn worst(self) -> Grade {
        self.worst
    }

    /// Whether the range covers several grades.
    pub fn is_bound(self) -> bool {
        self.best != self.worst
    }

    /// Returns the words on screen, such as "Good" or "Good or better".
    pub const fn word(self) -> &'static str {
        match (self.best, self.worst) {
            (Grade::Excellent, Grade::Good) => "Good or better",
            (Grade::Excellent | Grade::Good, Grade::Fair) => "Fair or better",
            (Grade::Fair, Grade::Poor) => "Fair or worse",
            (_, worst) => worst.word(),
        }
    }

    /// Returns the words for a result of the real-time test, such as "Modest" or "Modest or better".
    pub const fn step(self) -> &'static str {
        match (self.best, self.worst) {
            (Grade::Excellent | Grade::Good, Grade::Fair) => "Modest or better",
            (_, Grade::Fair) => "Modest",
            (Grade::Fair, Grade::Poor) => "Modest or worse",
            (_, Grade::Poor) => "Limited",
            (_, Grade::Excellent | Grade::Good) => self.word(),
        }
    }
}

/// A grade range as read from a file, before the range is checked.
#[derive(Deserialize)]
struct GradesInFile {
    best: Grade,
    worst: Grade,
}

impl From<GradesInFile> for GradeRange {
    /// Checks a range from a file. An invalid range becomes its worst grade.
    fn from(GradesInFile { best, worst }: GradesInFile) -> Self {
        Self::of(best, worst).unwrap_or(worst.into())
    }
}

impl From<Grade> for GradeRange {
    fn from(grade: Grade) -> Self {
        Self { best: grade, worst: grade }
    }
}

impl Ord for GradeRange {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.worst, self.best).cmp(&(other.worst, other.best))
    }
}

impl PartialOrd for GradeRange {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The limits between the grades of a measure. Higher values are worse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Name of the measure.
    pub measure: &'static str,
    /// Unit of the limits.
    pub unit: &'static str,
    /// Highest values for Excellent, Good, and Fair. Values above the last one are Poor.
    pub upper: [f64; 3],
}

impl Limits {
    /// Returns the grade of a value.
    pub fn grade(&self, value: f64) -> Grade {
        let [excellent, good, fair] = self.upper;
        match value {
            value if value <= excellent => Grade::Excellent,
            value if value <= good => Grade::Good,
            value if value <= fair => Grade::Fair,
            _ => Grade::Poor,
        }
    }

    /// Returns the upper limit of a grade; `None` for Poor, which has no upper limit.
    pub fn limit(&self, grade: Grade) -> Option<f64> {
        let [excellent, good, fair] = self.upper;
        match grade {
            Grade::Excellent => Some(excellent),
            Grade::Good => Some(good),
            Grade::Fair => Some(fair),
            Grade::Poor => None,
        }
    }

    /// Returns the limits as text: "excellent up to 50 µs, good up to 500 µs, fair up to 2 ms".
    pub fn steps(&self) -> String {
        let [excellent, good, fair] = self.words();
        format!("excellent up to {excellent}, good up to {good}, fair up to {fair}")
    }

    /// Returns the limits as text with capitalized grades: "Excellent up to 1%, Good up to 5%, Fair up to 15%".
    pub fn sentence(&self) -> String {
        let grades = [Grade::Excellent, Grade::Good, Grade::Fair].map(Grade::word);
        let limits = self.words();
        let of_grade = |(grade, limit): (&str, &String)| {
            format!("{grade} up to {}", limit.strip_suffix(" of a frame").unwrap_or(limit))
        };
        grades.into_iter().zip(&limits).map(of_grade).collect::<Vec<_>>().join(", ")
    }

    /// Returns the limits with their unit, such as "50 µs" or "5% of a frame".
    pub fn words(&self) -> [String; 3] {
        self.upper.map(|upper| match self.unit {
            "ns" => format_setting(Nanos::from_nanos_f64(upper)),
            "µs" => format_setting(Nanos::from_nanos_f64(upper * 1e3)),
            "ms" => format_setting(Nanos::from_nanos_f64(upper * 1e6)),
            unit if unit.starts_with('%') => format!("{upper}{unit}"),
            unit => format!("{upper} {unit}"),
        })
    }
}

/// p99 lateness of a frame loop, in percent of the target frame time.
pub const FRAME_LATENESS: Limits =
    Limits { measure: "p99 lateness", unit: "% of a frame", upper: [1.0, 5.0, 15.0] };

/// Missed frames of a frame loop per 1 000 frames. Good is not possible: its limit is that of Excellent.
pub const FRAME_MISSED: Limits =
    Limits { measure: "missed frames", unit: "of 1\u{202f}000", upper: [0.1, 0.1, 1.0] };

/// p99 overshoot of sleeps, in microseconds.
pub const SLEEP_OVERSHOOT: Limits =
    Limits { measure: "p99 overshoot", unit: "µs", upper: [50.0, 500.0, 2_000.0] };

/// If a single sleep overshoots by more than this time in microseconds, the grade is Fair at best.
pub const SLEEP_WORST_MICROS: f64 = 10_000.0;

/// Mean overshoot of spin waits, in nanoseconds.
pub const SPIN_OVERSHOOT: Limits =
    Limits { measure: "mean overshoot", unit: "ns", upper: [200.0, 1_000.0, 100_000.0] };

/// The longest gap, in milliseconds. The last two limits are defaults that the user can change.
pub const LONGEST_GAP: Limits =
    Limits { measure: "longest gap", unit: "ms", upper: [1.0, 3.0, 30.0] };

/// 1 minus the efficiency of a game tick on several threads.
pub const TICK_LOSS: Limits =
    Limits { measure: "1 less efficiency", unit: "", upper: [0.10, 0.30, 0.65] };

/// Value of a measure under a real-time policy, in percent of its value under normal scheduling. The measure is the
/// standard deviation of the frame time or, if that did not change clearly, p99 lateness or the share of late frames.
pub const REMAINING_DEVIATION: Limits = Limits {
    measure: "remaining deviation of the frame period",
    unit: "%",
    upper: [50.0, 80.0, 95.0],
};

/// Returns by how many percent a real-time policy must reduce the measure of [`REMAINING_DEVIATION`] for Excellent,
/// Good, and Fair. The real-time test calls Fair "Modest".
pub fn real_time_falls() -> [f64; 3] {
    REMAINING_DEVIATION.upper.map(|left| 100.0 - left)
}

/// Returns the best grade that a rate of missed frames allows; `lower_rate` is the lower confidence limit of the rate.
pub fn missed_frames(lower_rate: f64) -> Grade {
    FRAME_MISSED.grade(lower_rate * 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_counts_as_the_worst_grade_it_covers() {
        use Grade::{Excellent, Fair, Good, Poor};
        for (best, worst, expected) in [
            (Excellent, Excellent, Some(("Excellent", "Excellent"))),
            (Excellent, Good, Some(("Good or better", "Good or better"))),
            (Good, Good, Some(("Good", "Good"))),
            (Excellent, Fair, Some(("Fair or better", "Modest or better"))),
            (Good, Fair, Some(("Fair or better", "Modest or better"))),
            (Fair, Fair, Some(("Fair", "Modest"))),
            (Fair, Poor, Some(("Fair or worse", "Modest or worse"))),
            (Poor, Poor, Some(("Poor", "Limited"))),
            (Good, Poor, None),
            (Excellent, Poor, None),
            (Fair, Good, None),
        ] {
            let found = GradeRange::of(best, worst);
            assert_eq!(found.map(|it| (it.word(), it.step())), expected, "{best:?} {worst:?}");
            assert!(found.is_none_or(|it| it.worst() == worst && it.is_bound() == (best != worst)));
        }
        let mut all: Vec<GradeRange> = [Poor, Fair, Good].map(GradeRange::from).to_vec();
        all.extend(GradeRange::of(Good, Fair).into_iter().chain(GradeRange::of(Fair, Poor)));
        all.sort_unstable();
        let words: Vec<_> = all.into_iter().map(GradeRange::word).collect();
        assert_eq!(words, ["Good", "Fair or better", "Fair", "Fair or worse", "Poor"]);
    }

    #[test]
    fn a_value_at_a_limit_has_the_better_grade() {
        for (percent, expected) in [
            (0.3, Grade::Excellent),
            (1.0, Grade::Excellent),
            (3.0, Grade::Good),
            (14.9, Grade::Fair),
            (15.1, Grade::Poor),
            (f64::NAN, Grade::Poor),
        ] {
            assert_eq!(FRAME_LATENESS.grade(percent), expected, "{percent}");
        }
        assert_eq!(FRAME_LATENESS.limit(Grade::Good), Some(5.0));
        assert_eq!(FRAME_LATENESS.limit(Grade::Poor), None);
    }

    #[test]
    fn missed_frames_lower_a_grade_only_where_their_rate_is_sure() {
        let lower = crate::stats::binomial::lower_rate;
        // 1 missed frame of 600 does not prove a rate above 1 in 10 000. 3 of 1 800 prove a rate above 1 in
        // 10 000, and 9 of 1 800 prove a rate above 1 in 1 000.
        assert_eq!(missed_frames(lower(1.0, 600.0)), Grade::Excellent);
        assert_eq!(missed_frames(lower(3.0, 1_800.0)), Grade::Fair);
        assert_eq!(missed_frames(lower(9.0, 1_800.0)), Grade::Poor);
    }

    #[test]
    fn limits_have_their_own_units() {
        assert_eq!(FRAME_LATENESS.words(), ["1% of a frame", "5% of a frame", "15% of a frame"]);
        assert_eq!(SLEEP_OVERSHOOT.words(), ["50 µs", "500 µs", "2 ms"]);
        assert_eq!(FRAME_LATENESS.sentence(), "Excellent up to 1%, Good up to 5%, Fair up to 15%");
        assert_eq!(
            FRAME_MISSED.words(),
            ["0.1 of 1\u{202f}000", "0.1 of 1\u{202f}000", "1 of 1\u{202f}000"]
        );
    }
}
