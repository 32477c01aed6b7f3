//! Grades of measurements: stated only where the 95% interval of the measure is within one grade.

use super::disturbance::Disturbance;
use crate::nanos::Nanos;
use crate::stats::grade::Limits;
use crate::stats::interval::TooFew;
use crate::stats::{Grade, float, position};
use crate::units::format_count;

/// More than this many times the samples are not requested: the value is too close to a limit.
const MAX_TIMES: f64 = 100.0;

/// The grades that a measurement allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grading {
    /// The grade of the better end of the interval.
    pub best: Grade,
    /// The grade of the worse end.
    pub worst: Grade,
    /// What would decide between them.
    pub needed: Needed,
}

/// What would decide between two grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// Nothing: there is one grade.
    Nothing,
    /// About this many more samples, which take about so long.
    Samples {
        /// How many, rounded up to two digits.
        count: usize,
        /// How long they take.
        time: Nanos,
    },
    /// The value is so close to a limit that no reasonable number of samples decides.
    TooClose,
}

impl Grading {
    /// One grade, of a value that is graded as observed.
    pub const fn observed(grade: Grade) -> Self {
        Self { best: grade, worst: grade, needed: Needed::Nothing }
    }

    /// The grade, where there is one.
    pub fn grade(self) -> Option<Grade> {
        (self.best == self.worst).then_some(self.best)
    }

    /// The worse of two: of two parts of which the worse one decides.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let (best, worst) = (self.best.max(other.best), self.worst.max(other.worst));
        if best == worst {
            return Self { best, worst, needed: Needed::Nothing };
        }
        // A part that cannot be worse than the best of both needs nothing more.
        let needed = [self, other].into_iter().filter(|part| best < part.worst);
        let needed = needed.map(|part| part.needed).max_by_key(|needed| match needed {
            Needed::Nothing => (0, Nanos::ZERO),
            Needed::Samples { time, .. } => (1, *time),
            Needed::TooClose => (2, Nanos::ZERO),
        });
        Self { best, worst, needed: needed.unwrap_or(Needed::Nothing) }
    }

    /// The grades of an interval around a value that was found in this many samples, each of which takes
    /// so long.
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
        // By how much the interval has to shrink on each side: it does so with the root of the count.
        let above = limits.limit(own).filter(|_| own < worst);
        let below = [Grade::Excellent, Grade::Good, Grade::Fair]
            .into_iter()
            .filter(|better| best <= *better && *better < own)
            .filter_map(|better| limits.limit(better))
            .fold(None, |most: Option<f64>, limit| {
                Some(most.map_or(limit, |most| most.max(limit)))
            });
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

    /// What would decide, in a sentence without its period: "about 2 400 more frames (40 s) would decide
    /// between Good and Fair".
    pub fn what_decides(self, samples: &str) -> String {
        let (best, worst) = (self.best.word(), self.worst.word());
        match self.needed {
            Needed::Nothing => format!("the grade is {worst}"),
            Needed::TooClose => {
                format!("the value is too close to the limit between {best} and {worst} to decide")
            }
            Needed::Samples { count, time } => {
                let count = format_count(u64::try_from(count).unwrap_or(u64::MAX));
                let time = about(time);
                if self.best <= Grade::Good && self.worst == Grade::Poor {
                    return format!("about {count} more {samples} ({time}) are needed for a grade");
                }
                format!(
                    "about {count} more {samples} ({time}) would decide between {best} and {worst}"
                )
            }
        }
    }

    /// The grades it allows: "Poor", "Fair or Poor".
    pub fn words(self) -> String {
        match self.grade() {
            Some(grade) => grade.word().to_owned(),
            None => format!("{} or {}", self.best.word(), self.worst.word()),
        }
    }

    /// The grades of a p99 with its interval, or with what is known of too few values; `of` is what the limits
    /// are counted in.
    pub(super) fn by_p99(
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
                Self::unknown(best, few.needed.saturating_sub(count), each)
            }
        }
    }

    /// Only the better end is known: this many samples are missing, each of which takes so long.
    pub fn unknown(best: Grade, missing: usize, each: Nanos) -> Self {
        if best == Grade::Poor {
            return Self::observed(best);
        }
        Self { best, worst: Grade::Poor, needed: more(float(missing), each) }
    }
}

/// This many more samples, rounded up to two digits.
fn more(count: f64, each: Nanos) -> Needed {
    let count = two_digits(count);
    Needed::Samples { count: position(count), time: Nanos::from_nanos_f64(count * each.as_f64()) }
}

/// A number of samples rounded up to two digits.
pub(super) fn round_up(count: usize) -> usize {
    position(two_digits(float(count)))
}

fn two_digits(count: f64) -> f64 {
    let step = 10_f64.powf((count.max(1.0).log10().floor() - 1.0).max(0.0));
    ((count / step).ceil() * step).max(1.0)
}

/// A length of time to the nearest second or minute.
fn about(time: Nanos) -> String {
    match time.as_secs() {
        secs if secs < 1.0 => "less than 1 s".to_owned(),
        secs if secs < 100.0 => format!("{secs:.0} s"),
        secs => format!("{:.0} min", (secs / 60.0).ceil()),
    }
}

/// What qualifies the grade of a verdict, or takes its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Standing {
    /// Nothing: the grade holds, or the finding explains why there is none.
    #[default]
    Clear,
    /// The intervals reach over a limit between grades.
    NotEnoughData(Grading),
    /// It was disturbed, and would otherwise be Fair or Poor.
    Inconclusive {
        /// The grade that was measured anyway.
        measured: Grading,
        /// What disturbed it.
        disturbance: Disturbance,
    },
    /// It was disturbed, and is Excellent or Good all the same.
    Noted(Disturbance),
}

impl Standing {
    /// What disturbed the measurement, where something did.
    pub const fn disturbance(self) -> Option<Disturbance> {
        match self {
            Self::Inconclusive { disturbance, .. } | Self::Noted(disturbance) => Some(disturbance),
            Self::Clear | Self::NotEnoughData(_) => None,
        }
    }
}

/// What parts mean together of which the worst decides, each with what disturbed it: the grade that may be
/// stated, and what qualifies it.
///
/// Fair and Poor are stated where parts that were not disturbed are that bad.
pub(super) fn conclude(
    parts: impl Iterator<Item = (Grading, Option<Disturbance>)>,
) -> (Option<Grade>, Standing) {
    let parts: Vec<_> = parts.collect();
    let worst = |gradings: &mut dyn Iterator<Item = Grading>| gradings.reduce(Grading::or_worse);
    let Some(all) = worst(&mut parts.iter().map(|(grading, _)| *grading)) else {
        return (None, Standing::Clear);
    };
    let disturbance =
        parts.iter().filter_map(|(_, disturbance)| *disturbance).reduce(Disturbance::or_worse);
    let undisturbed = worst(
        &mut parts
            .iter()
            .filter(|(_, disturbance)| disturbance.is_none())
            .map(|(grading, _)| *grading),
    );
    let is_bad = Grade::Good < all.best;
    if let Some(disturbance) = disturbance.filter(|_| is_bad)
        && undisturbed.is_none_or(|grading| grading.best < all.best)
    {
        return (None, Standing::Inconclusive { measured: all, disturbance });
    }
    match (all.grade(), disturbance) {
        (None, _) => (None, Standing::NotEnoughData(all)),
        (grade, Some(disturbance)) if !is_bad => (grade, Standing::Noted(disturbance)),
        (grade, _) => (grade, Standing::Clear),
    }
}

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;
