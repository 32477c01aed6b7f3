//! Grades of measurements. If the 95% interval of the graded value covers several grades, the result is a bound such
//! as Good or better. If the interval reaches from Good or Excellent to Poor, there is no grade.
//!
//! **The idea.** A grade is a promise: measured again, this PC gets the same word. A value near a limit cannot promise that,
//! however it was rounded, but its interval shows what it can: if both ends have the same grade, that grade holds; if they have
//! different ones, the result is the bound that covers both. "Good or better" is a weaker promise that holds. From Good to Poor,
//! no useful promise is left, and the result states what would decide it instead ([`Needed`]).
//!
//! **How many more samples.** The width of an interval is inversely proportional to the square root of the number of samples. To
//! fit between two limits, it has to shrink by some factor, so the run has to be longer by the square of its inverse.
//!
//! **An example.** p99 is 1.6 ms, its interval 1.2 to 2.2 ms, from 3 600 frames at 60 FPS; the limits are 0.5, 1.5, and 3 ms.
//! 1.2 ms is Good and 2.2 ms is Fair, so the grade is "Fair or better". The value itself is Fair. For one grade, the lower end has
//! to come above 1.5 ms: its distance from the value must shrink from 0.4 to 0.1 ms, by a factor of 4, which takes 16 times as
//! many frames: 54 000 more, or 15 minutes. Had the value been 1.51 ms, it would be 0.31 to 0.01, a factor of 31 and 961 times as
//! many: more than `MAX_TIMES`, so the result is too close to a limit to decide.
//!
//! **Several parts** (a sleep under load and without, several CPUs) are graded one by one, and the worst one decides, at both
//! ends: the best grade of the whole is the worst of the best ones. Only a part that can still make the whole worse needs more
//! samples. A part that other programs disturbed counts if it is Good or better nevertheless, as disturbance only makes timing
//! worse; otherwise it is ignored, unless it is worse than all that count: then no grade is stated (`conclude`).
//!
//! **Why not the simpler way.** Grading the estimate alone flips between two words from run to run. Grading the pessimistic end
//! alone calls every short run Poor. Asking for a fixed number of samples is too many for a quiet PC and too few for a busy one.

use super::disturbance::Disturbance;
use crate::nanos::Nanos;
use crate::stats::grade::Limits;
use crate::stats::interval::TooFew;
use crate::stats::{Grade, GradeRange, float, position};
use crate::units::count_text;

/// If a grade needs more than this many times the measured samples, the value counts as too close to a limit.
const MAX_TIMES: f64 = 100.0;
/// If the missing samples take longer than a day, the value counts as too close to a limit too.
const MAX_TIME: Nanos = Nanos::from_secs(24 * 3600);

/// The grades that a measurement allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grading {
    /// The grade of the better end of the 95% interval.
    pub best: Grade,
    /// The grade of the worse end of the 95% interval.
    pub worst: Grade,
    /// What it would take to reduce the grades to one.
    pub needed: Needed,
}

/// What it would take to reduce the grades that a measurement allows to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// Nothing: there is only one grade.
    Nothing,
    /// About this many more samples.
    Samples {
        /// The number of missing samples, rounded up to two significant digits.
        count: usize,
        /// The time to measure the missing samples.
        time: Nanos,
        /// The number of bursts in which the late samples came; `None` if they came alone, or if this is not known.
        bursts: Option<usize>,
    },
    /// The value is so close to a limit of a grade that no reasonable number of samples decides.
    TooClose,
}

impl From<GradeRange> for Grading {
    fn from(grade: GradeRange) -> Self {
        Self { best: grade.best(), worst: grade.worst(), needed: Needed::Nothing }
    }
}

impl Grading {
    /// Returns the grading of a value without an interval, such as a maximum: exactly one grade.
    pub const fn observed(grade: Grade) -> Self {
        Self { best: grade, worst: grade, needed: Needed::Nothing }
    }

    /// Returns the grade or the bound; `None` if the grades reach from Good or Excellent to Poor, which is not
    /// specific enough.
    pub fn grade(self) -> Option<GradeRange> {
        GradeRange::of(self.best, self.worst)
    }

    /// Returns the grading of two parts together, of which the worse one decides.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let (best, worst) = (self.best.max(other.best), self.worst.max(other.worst));
        if best == worst {
            return Self { best, worst, needed: Needed::Nothing };
        }
        // A part whose worst grade is not worse than `best` cannot change the result, so it needs no more samples.
        let needed = [self, other].into_iter().filter(|part| best < part.worst);
        let needed = needed.map(|part| part.needed).max_by_key(|needed| match needed {
            Needed::Nothing => (0, Nanos::ZERO),
            Needed::Samples { time, .. } => (1, *time),
            Needed::TooClose => (2, Nanos::ZERO),
        });
        Self { best, worst, needed: needed.unwrap_or(Needed::Nothing) }
    }

    /// Returns the grades of a value and its interval from `low` to `high`, all in the unit of `limits`. `count` is
    /// the number of measured samples, and `each` is the time that one sample takes.
    pub fn of(
        limits: &Limits,
        value: f64,
        (low, high): (f64, f64),
        count: usize,
        each: Nanos,
    ) -> Self {
        let (best, worst) = (limits.grade(low), limits.grade(high));
        if best == worst {
            return Self { best, worst, needed: Needed::Nothing };
        }
        let own = limits.grade(value);
        // The factor by which the interval has to shrink so that each end stays within the grade of the value. Its
        // width is inversely proportional to the square root of the number of samples.
        let above = limits.limit(own).filter(|_| own < worst);
        let below = [Grade::Excellent, Grade::Good, Grade::Fair]
            .into_iter()
            .filter(|better| best <= *better && *better < own)
            .filter_map(|better| limits.limit(better))
            .reduce(f64::max);
        let shrink = [
            above.map(|limit| (limit - value) / (high - value)),
            below.map(|limit| (value - limit) / (value - low)),
        ];
        let lowest = shrink.into_iter().flatten().fold(1.0, f64::min);
        let times = (lowest * lowest).recip();
        let needed = if times.is_finite() && times <= MAX_TIMES {
            more(float(count) * (times - 1.0), each)
        } else {
            Needed::TooClose
        };
        Self { best, worst, needed }
    }

    /// Returns what a grade needs, as a sentence without a period: "about 2 400 more frames (40 s) are needed for a
    /// grade". `samples` is what the samples are called.
    pub fn what_decides(self, samples: &str) -> String {
        match self.needed {
            Needed::Nothing => format!("the grade is {}", self.words()),
            Needed::TooClose => format!("the {samples} vary too much for a grade"),
            Needed::Samples { count, time, bursts } => {
                let more = count_text(count, &format!("more {samples}"));
                let are = if count == 1 { "is" } else { "are" };
                let came = bursts.map_or_else(String::new, |bursts| {
                    format!("late {samples} came in {}: ", count_text(bursts, "bursts"))
                });
                format!("{came}about {more} ({}) {are} needed for a grade", about(time))
            }
        }
    }

    /// Returns the grades in words: "Poor", "Fair or better", "between Good and Poor".
    pub fn words(self) -> String {
        match self.grade() {
            Some(grade) => grade.word().to_owned(),
            None => format!("between {} and {}", self.best.word(), self.worst.word()),
        }
    }

    /// Returns the grades of a p99. `bounds` is its interval, or only the lower end if there are too few samples.
    /// `of` converts a time to the unit of `limits`; `count` and `each` are those of `Grading::of`.
    pub(in crate::report) fn by_p99(
        limits: &Limits,
        p99: Nanos,
        bounds: Result<(Nanos, Nanos), TooFew>,
        of: impl Fn(Nanos) -> f64,
        count: usize,
        each: Nanos,
    ) -> Self {
        match bounds {
            Ok((low, high)) => Self::of(limits, of(p99), (of(low), of(high)), count, each),
            Err(few) => {
                let best = few.low.map_or(Grade::Excellent, |low| limits.grade(of(low)));
                // The largest sample alone is no interval, but while even that one is within the limit of a grade,
                // nothing in the run contradicts the grade.
                let worst = few.largest.map_or(Grade::Poor, |largest| limits.grade(of(largest)));
                let missing = few.needed.saturating_sub(count);
                Self::of_bound(best, worst, missing, few.burst_count, each)
            }
        }
    }

    /// Returns the grading if only the better end of the interval is known: from `best` to Poor. `missing` is the
    /// number of missing samples, and `each` is the time that one sample takes.
    pub fn unknown(best: Grade, missing: usize, each: Nanos) -> Self {
        Self::of_bound(best, Grade::Poor, missing, None, each)
    }

    fn of_bound(
        best: Grade,
        worst: Grade,
        missing: usize,
        bursts: Option<usize>,
        each: Nanos,
    ) -> Self {
        if best == worst {
            return Self::observed(best);
        }
        let needed = match more(float(missing), each) {
            Needed::Samples { count, time, .. } => Needed::Samples { count, time, bursts },
            other => other,
        };
        Self { best, worst, needed }
    }
}

/// Returns a need for `count` more samples, rounded up to two significant digits; `TooClose` if they take more than
/// [`MAX_TIME`]. `each` is the time that one sample takes.
fn more(count: f64, each: Nanos) -> Needed {
    let count = two_digits(count);
    let time = Nanos::from_nanos_f64(count * each.as_f64());
    if MAX_TIME < time {
        return Needed::TooClose;
    }
    Needed::Samples { count: position(count), time, bursts: None }
}

/// Returns a number of samples rounded up to two significant digits.
pub(in crate::report) fn round_up(count: usize) -> usize {
    position(two_digits(float(count)))
}

fn two_digits(count: f64) -> f64 {
    let step = 10_f64.powf((count.max(1.0).log10().floor() - 1.0).max(0.0));
    ((count / step).ceil() * step).max(1.0)
}

/// Returns a time as text, rounded to seconds below 100 s and otherwise rounded up to minutes.
fn about(time: Nanos) -> String {
    match time.as_secs() {
        secs if secs < 1.0 => "less than 1 s".to_owned(),
        secs if secs < 100.0 => format!("{secs:.0} s"),
        secs => format!("{:.0} min", (secs / 60.0).ceil()),
    }
}

/// What qualifies the grade of a verdict or replaces it: missing data or a disturbance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Standing {
    /// Nothing: the grade holds, or the finding of the verdict explains why there is no grade.
    #[default]
    Clear,
    /// There is no grade, because the interval reaches from Good or Excellent to Poor.
    NotEnoughData(Grading),
    /// There is no grade, because the measurement was disturbed and its grade or bound covers Fair or Poor.
    Inconclusive {
        /// The grades of the disturbed measurement.
        measured: Grading,
        /// What disturbed the measurement.
        disturbance: Disturbance,
    },
    /// The measurement was disturbed, but its grade is Good or better and holds.
    Noted(Disturbance),
}

/// The words that replace a grade if there is too little data.
pub(in crate::report) const NOT_ENOUGH_DATA: &str = "Not enough data";
/// The words that replace a grade if the measurement was disturbed.
pub const INCONCLUSIVE: &str = "Inconclusive";

impl Standing {
    /// Returns the words that replace the grade; `None` if the standing does not rule out a grade.
    pub const fn doubt(self) -> Option<&'static str> {
        match self {
            Self::NotEnoughData(_) => Some(NOT_ENOUGH_DATA),
            Self::Inconclusive { .. } => Some(INCONCLUSIVE),
            Self::Clear | Self::Noted(_) => None,
        }
    }

    /// Returns what disturbed the measurement; `None` without a disturbance.
    pub const fn disturbance(self) -> Option<Disturbance> {
        match self {
            Self::Inconclusive { disturbance, .. } | Self::Noted(disturbance) => Some(disturbance),
            Self::Clear | Self::NotEnoughData(_) => None,
        }
    }
}

/// Returns the grade that may be stated of several parts together, and what qualifies it. The worst part decides. Each
/// part comes with its disturbance, if any.
///
/// Undisturbed parts count, and so do disturbed parts that are Good or better. Any other disturbed part is ignored,
/// unless it is worse than all parts that count: then no grade is stated.
pub(in crate::report) fn conclude(
    parts: impl Iterator<Item = (Grading, Option<Disturbance>)>,
) -> (Option<GradeRange>, Standing) {
    let is_counted = |(grading, disturbance): &(Grading, Option<Disturbance>)| {
        disturbance.is_none() || grading.worst <= Grade::Good
    };
    let (counted, doubtful): (Vec<_>, Vec<_>) = parts.partition(is_counted);
    let worst = |parts: &[(Grading, Option<Disturbance>)]| {
        parts.iter().map(|(grading, _)| *grading).reduce(Grading::or_worse)
    };
    let disturbance_of = |parts: &[(Grading, Option<Disturbance>)]| {
        parts.iter().filter_map(|(_, disturbance)| *disturbance).reduce(Disturbance::or_worse)
    };
    let whole = worst(&counted);
    let is_worse =
        |(grading, _): &(Grading, _)| whole.is_none_or(|whole| whole.worst < grading.worst);
    let worse: Vec<_> = doubtful.into_iter().filter(is_worse).collect();
    let disturbance = disturbance_of(&worse).or(disturbance_of(&counted));
    let Some(all) = whole.into_iter().chain(worst(&worse)).reduce(Grading::or_worse) else {
        return (None, Standing::Clear);
    };
    match (all.grade(), disturbance) {
        (None, _) => (None, Standing::NotEnoughData(all)),
        (Some(_), Some(disturbance)) if !worse.is_empty() => {
            (None, Standing::Inconclusive { measured: all, disturbance })
        }
        (grade, Some(disturbance)) if all.worst <= Grade::Good => {
            (grade, Standing::Noted(disturbance))
        }
        (grade, _) => (grade, Standing::Clear),
    }
}

#[cfg(test)]
mod tests;
