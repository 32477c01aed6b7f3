//! Grades of measurements: stated only where the 95% interval of the measure is within one grade.

use super::disturbance::Disturbance;
use super::figures::Figures;
use super::row::Row;
use crate::nanos::Nanos;
use crate::stats::binomial::{independent_events, lower_rate};
use crate::stats::grade::{self, Limits};
use crate::stats::interval::{MIN_MEAN_COUNT, TooFew};
use crate::stats::{Grade, Quantile, Round, float, position};
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
    let step = 10_f64.powf((count.max(1.0).log10().floor() - 1.0).max(0.0));
    let count = ((count / step).ceil() * step).max(1.0);
    Needed::Samples { count: position(count), time: Nanos::from_nanos_f64(count * each.as_f64()) }
}

/// A length of time to the nearest second or minute.
fn about(time: Nanos) -> String {
    match time.as_secs() {
        secs if secs < 1.0 => "less than 1 s".to_owned(),
        secs if secs < 100.0 => format!("{secs:.0} s"),
        secs => format!("{:.0} min", (secs / 60.0).ceil()),
    }
}

/// What the values of a row say next to its figures; only of a run that is over.
#[derive(Debug)]
pub(super) struct Measured<'a> {
    /// The values of all rounds in order of time.
    pub values: &'a [i64],
    /// The rounds.
    pub rounds: &'a [Round<'a>],
    /// The interval of their p99, or what is known with too few values.
    pub p99: Result<(Nanos, Nanos), TooFew>,
}

/// The grading of a configuration; absent where it is not graded at all: it was not measured to its end,
/// did not run as requested, or has no value.
pub(super) fn of(row: &Row, measured: &Measured<'_>) -> Option<Grading> {
    if !row.is_complete {
        return None;
    }
    match &row.figures {
        Figures::Gaps(gaps) => {
            // Where a system cannot pin, a probe is shown as unpinned and still finds its gaps.
            let (typical, bad) = row.gap_limits.filter(|_| row.has_retained_policy())?;
            let excellent = grade::LONGEST_GAP.upper[0].min(typical.as_millis());
            let upper = [excellent, typical.as_millis(), bad.as_millis()];
            let limits = Limits { upper, ..grade::LONGEST_GAP };
            Some(Grading::observed(limits.grade(gaps.longest.as_millis())))
        }
        _ if !row.is_as_requested() => None,
        Figures::Paced => paced(row, measured),
        Figures::Waits(_) if row.wait.sleeps() => sleep(row, measured),
        Figures::Waits(waits) => {
            let mean = row.summary.as_ref()?.lateness.mean_nanos;
            let count = measured.values.len();
            let each = waits.requested + Nanos::from_nanos_f64(mean);
            let Some(interval) = row.mean_interval else {
                let missing = MIN_MEAN_COUNT.saturating_sub(count);
                return Some(Grading::unknown(Grade::Excellent, missing, each));
            };
            Some(Grading::of(&grade::SPIN_OVERSHOOT, mean, interval, count, each))
        }
        Figures::Ticks(_) => None,
    }
}

fn paced(row: &Row, measured: &Measured<'_>) -> Option<Grading> {
    let p99 = row.p99()?;
    let count = measured.values.len();
    let percent = |time: Nanos| time.as_f64() / row.period.as_f64() * 100.0;
    let lateness = match measured.p99 {
        Ok((low, high)) => {
            let interval = (percent(low), percent(high));
            Grading::of(&grade::FRAME_LATENESS, percent(p99), interval, count, row.period)
        }
        Err(few) => {
            let best =
                few.low.map_or(Grade::Excellent, |low| grade::FRAME_LATENESS.grade(percent(low)));
            Grading::unknown(best, few.needed.saturating_sub(count), row.period)
        }
    };
    let groups = missed_groups(measured.rounds, row.period);
    let (missed, events) = (float(groups.iter().sum()), independent_events(&groups));
    let slots = float(row.summary.as_ref()?.slot_count);
    // Frames missed in a row came from one stall: as many fewer are independent of each other.
    let share = if 0.0 < missed { events / missed } else { 1.0 };
    let lower = lower_rate(events, slots * share);
    Some(lateness.or_worse(Grading::observed(grade::missed_frames(lower))))
}

/// How many frames were missed in a row, each time that some were.
fn missed_groups(rounds: &[Round<'_>], period: Nanos) -> Vec<usize> {
    let mut groups = Vec::new();
    for round in rounds {
        let mut group = 0_usize;
        let empty = std::iter::once(0).chain(round.steps(period).map(|step| step.empty_count));
        let frames = round.samples.due_nanos().zip(round.samples.done_nanos()).zip(empty);
        for ((due, done), empty) in frames {
            group = group.saturating_add(usize::try_from(empty).unwrap_or(0));
            if period.get() < done.saturating_sub(due) {
                group += 1;
            } else {
                groups.extend(Some(group).filter(|group| 0 < *group));
                group = 0;
            }
        }
        groups.extend(Some(group).filter(|group| 0 < *group));
    }
    groups
}

fn sleep(row: &Row, measured: &Measured<'_>) -> Option<Grading> {
    let overshoot = &row.summary.as_ref()?.lateness;
    let p99 = overshoot.p99?;
    let each = row.period + Nanos::from_nanos_f64(overshoot.mean_nanos);
    let grading = match measured.p99 {
        Ok((low, high)) => {
            let interval = (low.as_micros(), high.as_micros());
            let count = measured.values.len();
            Grading::of(&grade::SLEEP_OVERSHOOT, p99.as_micros(), interval, count, each)
        }
        Err(few) => {
            let best = few
                .low
                .map_or(Grade::Excellent, |low| grade::SLEEP_OVERSHOOT.grade(low.as_micros()));
            Grading::unknown(best, few.needed.saturating_sub(measured.values.len()), each)
        }
    };
    let is_very_late = grade::SLEEP_WORST_MICROS < overshoot.max.as_micros();
    let worst = if is_very_late { Grade::Fair } else { Grade::Excellent };
    Some(grading.or_worse(Grading::observed(worst)))
}

/// The percentile that frames and sleeps are graded by.
pub(super) const GRADED: Quantile = Quantile::P99;

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
