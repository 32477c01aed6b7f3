//! Grades, and every limit that decides one: the only place where a threshold is.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::units::format_setting;

/// Assessment of a result; the best one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// The grades that a result may have: one, or a bound such as Good or better, which counts as the worst grade that
/// it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "GradesInFile")]
pub struct GradeRange {
    best: Grade,
    worst: Grade,
}

impl GradeRange {
    /// The range from the best to the worst grade; `None` where it reaches from Good or better into Poor, which has no
    /// meaning.
    pub fn of(best: Grade, worst: Grade) -> Option<Self> {
        let is_stated = best <= worst && !(best <= Grade::Good && worst == Grade::Poor);
        is_stated.then_some(Self { best, worst })
    }

    /// The best grade that it covers.
    pub const fn best(self) -> Grade {
        self.best
    }

    /// The worst grade that it covers, as which it counts.
    pub const fn worst(self) -> Grade {
        self.worst
    }

    /// Whether it covers several grades.
    pub fn is_bound(self) -> bool {
        self.best != self.worst
    }

    /// The words on screen: "Good", "Good or better".
    pub const fn word(self) -> &'static str {
        match (self.best, self.worst) {
            (Grade::Excellent, Grade::Good) => "Good or better",
            (Grade::Excellent | Grade::Good, Grade::Fair) => "Fair or better",
            (Grade::Fair, Grade::Poor) => "Fair or worse",
            (_, worst) => worst.word(),
        }
    }

    /// The words for a step of the real-time test: "Modest", "Modest or better".
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

/// The same in files.
#[derive(Deserialize)]
struct GradesInFile {
    best: Grade,
    worst: Grade,
}

impl From<GradesInFile> for GradeRange {
    /// A range that cannot be stated counts as its worst grade.
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

    /// The upper limit of a grade; absent for the worst, which has none.
    pub fn limit(&self, grade: Grade) -> Option<f64> {
        let [excellent, good, fair] = self.upper;
        match grade {
            Grade::Excellent => Some(excellent),
            Grade::Good => Some(good),
            Grade::Fair => Some(fair),
            Grade::Poor => None,
        }
    }

    /// The grades in words: "excellent up to 50 µs, good up to 500 µs, fair up to 2 ms".
    pub fn steps(&self) -> String {
        let [excellent, good, fair] = self.words();
        format!("excellent up to {excellent}, good up to {good}, fair up to {fair}")
    }

    /// The grades in a sentence's words: "Excellent up to 1%, Good up to 5%, Fair up to 15%".
    pub fn sentence(&self) -> String {
        let grades = [Grade::Excellent, Grade::Good, Grade::Fair].map(Grade::word);
        let limits = self.words();
        let of_grade = |(grade, limit): (&str, &String)| {
            format!("{grade} up to {}", limit.strip_suffix(" of a frame").unwrap_or(limit))
        };
        grades.into_iter().zip(&limits).map(of_grade).collect::<Vec<_>>().join(", ")
    }

    /// The limits in words: "50 µs", "5% of a frame".
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

/// p99 lateness of a frame loop as a share of the frame time, in percent.
pub const FRAME_LATENESS: Limits =
    Limits { measure: "p99 lateness", unit: "% of a frame", upper: [1.0, 5.0, 15.0] };

/// Missed frames of a frame loop in 1 000.
pub const FRAME_MISSED: Limits =
    Limits { measure: "missed frames", unit: "of 1\u{202f}000", upper: [0.1, 0.1, 1.0] };

/// p99 overshoot of sleeps, in microseconds.
pub const SLEEP_OVERSHOOT: Limits =
    Limits { measure: "p99 overshoot", unit: "µs", upper: [50.0, 500.0, 2_000.0] };

/// A worst sleep of this overshoot or more is at best Fair, in microseconds.
pub const SLEEP_WORST_MICROS: f64 = 10_000.0;

/// Mean overshoot of spinning waits, in nanoseconds.
pub const SPIN_OVERSHOOT: Limits =
    Limits { measure: "mean overshoot", unit: "ns", upper: [200.0, 1_000.0, 100_000.0] };

/// The longest gap, in milliseconds; the last two can be set.
pub const LONGEST_GAP: Limits =
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

/// By how much the deviation of the frame period must fall for Excellent, Good, and Fair, which the real-time test
/// calls Modest, in percent.
pub fn real_time_falls() -> [f64; 3] {
    REMAINING_DEVIATION.upper.map(|left| 100.0 - left)
}

/// The best grade that a rate of missed frames allows, by the lower limit of its interval.
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
        // 600 frames cannot show a rate of 1 in 10 000; 1 800 can show one of 1 in 1 000.
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
