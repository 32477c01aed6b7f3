//! Grades of measurements: what the 95% interval of the measure allows, one grade or a bound.

use super::disturbance::Disturbance;
use crate::nanos::Nanos;
use crate::stats::grade::Limits;
use crate::stats::interval::TooFew;
use crate::stats::{Grade, GradeRange, float, position};
use crate::units::format_count;

/// More than this many times the samples are not requested: the value is too close to a limit.
const MAX_TIMES: f64 = 100.0;
/// The same where it takes longer than this: nobody measures for so long.
const MAX_TIME: Nanos = Nanos::from_secs(24 * 3600);

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

impl From<GradeRange> for Grading {
    fn from(grade: GradeRange) -> Self {
        Self { best: grade.best(), worst: grade.worst(), needed: Needed::Nothing }
    }
}

impl Grading {
    /// One grade, of a value that is graded as observed.
    pub const fn observed(grade: Grade) -> Self {
        Self { best: grade, worst: grade, needed: Needed::Nothing }
    }

    /// The grade or the bound; `None` where it reaches from Good or better into Poor.
    pub fn grade(self) -> Option<GradeRange> {
        GradeRange::of(self.best, self.worst)
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

    /// What a grade needs, in a sentence without its period: "about 2 400 more frames (40 s) are needed for a grade".
    pub fn what_decides(self, samples: &str) -> String {
        match self.needed {
            Needed::Nothing => format!("the grade is {}", self.words()),
            Needed::TooClose => format!("the {samples} vary too much for a grade"),
            Needed::Samples { count, time } => {
                let count = format_count(u64::try_from(count).unwrap_or(u64::MAX));
                format!("about {count} more {samples} ({}) are needed for a grade", about(time))
            }
        }
    }

    /// The grades it allows: "Poor", "Fair or better", "between Good and Poor".
    pub fn words(self) -> String {
        match self.grade() {
            Some(grade) => grade.word().to_owned(),
            None => format!("between {} and {}", self.best.word(), self.worst.word()),
        }
    }

    /// The grades of a p99 with its interval, or with what is known of too few values; `of` is what the limits
    /// are counted in.
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
    let time = Nanos::from_nanos_f64(count * each.as_f64());
    if MAX_TIME < time {
        return Needed::TooClose;
    }
    Needed::Samples { count: position(count), time }
}

/// A number of samples rounded up to two digits.
pub(in crate::report) fn round_up(count: usize) -> usize {
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
    /// The interval reaches from Good or better into Poor.
    NotEnoughData(Grading),
    /// It was disturbed, and would otherwise be Fair, Poor, or a bound that covers one of them.
    Inconclusive {
        /// The grade that was measured anyway.
        measured: Grading,
        /// What disturbed it.
        disturbance: Disturbance,
    },
    /// It was disturbed, and is Good or better all the same.
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
/// Parts that are Good or better count in spite of a disturbance. Others that were disturbed leave the whole
/// inconclusive only where they are worse than those that count.
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
mod simulated;
#[cfg(test)]
mod tests;
