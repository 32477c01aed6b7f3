//! One part of a quick check as a card: its grade, the number that decides it, and its limits.

use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::plan::{LoadCount, Plan};
use crate::platform::Refusal;
use crate::report::model::key_figure::place;
use crate::report::spin_strategies::SPIN_UP_TO;
use crate::report::waits::waits;
use crate::report::{Configuration, GapFigures, Report, Standing, late_samples};
use crate::run::{Run, TrialRun, counter};
use crate::stats::{GradeRange, grade};

/// One part of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Which part.
    pub part: Part,
    /// Whether it was skipped.
    pub is_skipped: bool,
    /// Whether it is stated without a grade: under load on a single usable CPU.
    pub is_stated_only: bool,
    /// The grade of its run that may be stated.
    pub grade: Option<GradeRange>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// What this system denied, where that is why there is no grade.
    pub denied: Option<Refusal>,
    /// The number that decides the grade; absent where there is none.
    pub figure: Option<Figure>,
    /// Where its value and its interval are between the limits of grades.
    pub scale: Option<GradeScale>,
}

/// The number that decides a grade, and what is next to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Of the worst series of sleeps.
    Sleep {
        /// How long each was to be.
        requested: Nanos,
        /// Whether it ran under load.
        is_loaded: bool,
        /// 99 of 100 sleeps were at most this much too long.
        p99: Nanos,
        /// How long the worst of this series took.
        worst: Nanos,
    },
    /// Of a frame loop.
    Frame {
        /// 99 of 100 frames started at most this late.
        p99: Nanos,
        /// The same as a share of a frame, in percent.
        percent: f64,
        /// Missed frames.
        missed: usize,
        /// All frames of the schedule.
        slots: usize,
        /// Load threads and usable CPUs; absent without load.
        busy: Option<(i64, usize)>,
        /// p99 lateness with all CPUs busy, which is not graded.
        full_load: Option<Nanos>,
    },
    /// Of gap probes.
    Gaps {
        /// The core with the longest gap.
        label: String,
        /// The longest gap by others than threads of this program.
        longest: Nanos,
        /// How long the CPUs were probed.
        runtime: Nanos,
        /// How many of them were.
        cpus: usize,
        /// Who had the CPU in the longest gap, where the trace names it.
        culprit: Option<String>,
        /// Longer gaps by threads of this program, which are excluded.
        own_gap_count: usize,
    },
    /// Of the worst series of busy waits.
    Spin {
        /// How long each was to be.
        requested: Nanos,
        /// How much longer they took on average.
        average: Nanos,
    },
}

impl Figure {
    /// The number itself.
    pub const fn value(&self) -> Nanos {
        match self {
            Self::Sleep { p99, .. } | Self::Frame { p99, .. } => *p99,
            Self::Gaps { longest, .. } => *longest,
            Self::Spin { average, .. } => *average,
        }
    }
}

/// Where a value and its interval are between the limits of grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradeScale {
    /// The upper limits of Excellent, Good, and Fair.
    pub limits: [Nanos; 3],
    /// The value that is graded.
    pub value: Nanos,
    /// Its 95% interval; absent of a maximum, and of too few values.
    pub interval: Option<(Nanos, Nanos)>,
    /// The largest of all values.
    pub worst: Nanos,
}

impl GradeScale {
    /// Where a value is on a scale of four equal zones, from 0 to 4: logarithmic within each zone, of which
    /// Excellent covers two decades and Poor one.
    pub fn place(&self, value: Nanos) -> f64 {
        place(self.limits.map(|limit| limit.as_f64().max(1.0)), value.as_f64())
    }
}

impl Card {
    /// The card of a part.
    pub fn of(part: Part, measured: Option<(&Run, &Report)>) -> Self {
        let found = measured.and_then(|(run, report)| match part {
            Part::Sleep => sleep(report),
            Part::FrameIdle | Part::FrameLoad => frame(run, report),
            Part::Gaps => gaps(run, report),
            Part::Spin => spin(report),
        });
        let (figure, scale) = found.unzip();
        let is_stated_only = measured.is_some_and(|(run, _)| is_stated_only(part, run));
        let graded = measured.filter(|_| !is_stated_only);
        Self {
            part,
            is_skipped: measured.is_none(),
            is_stated_only,
            grade: graded.and_then(|(_, report)| report.verdict.grade),
            standing: graded.map_or(Standing::Clear, |(_, report)| report.verdict.standing),
            denied: measured.and_then(|(_, report)| denied(report)),
            figure,
            scale,
        }
    }
}

/// What was denied in a run of which nothing ran as requested.
fn denied(report: &Report) -> Option<Refusal> {
    let granted = || report.rows.iter().filter_map(|row| row.granted.as_ref());
    let is_any_as_requested = report.rows.iter().any(Configuration::is_as_requested);
    granted().flat_map(|granted| &granted.refusals).next().filter(|_| !is_any_as_requested).cloned()
}

/// Whether a part is stated without a grade: under load where a single CPU is usable, so that no CPU is free.
pub(super) fn is_stated_only(part: Part, run: &Run) -> bool {
    match run.plan() {
        Some(Plan::FrameLoop(plan)) if part == Part::FrameLoad => {
            plan.full_load == Nanos::ZERO && plan.load.count == LoadCount::Threads(1)
        }
        _ => false,
    }
}

/// The scale of the limits of a measure, counted in units of this many nanoseconds.
fn scale(
    upper: [f64; 3],
    unit: f64,
    row: &Configuration,
    (value, interval): (Nanos, Option<(Nanos, Nanos)>),
) -> Option<GradeScale> {
    let worst = row.summary.as_ref()?.lateness.max;
    let limits = upper.map(|limit| Nanos::from_nanos_f64(limit * unit));
    Some(GradeScale { limits, value, interval, worst })
}

fn sleep(report: &Report) -> Option<(Figure, GradeScale)> {
    let (row, figures) = waits(&report.rows)
        .filter(|(row, _)| row.grading.is_some())
        .max_by_key(|(row, _)| (row.grading.map(|grading| grading.worst), row.p99()))?;
    let figure = Figure::Sleep {
        requested: figures.requested,
        is_loaded: !row.load.is_none(),
        p99: row.p99()?,
        worst: figures.actual.max,
    };
    let value = (row.p99()?, row.p99_interval());
    Some((figure, scale(grade::SLEEP_OVERSHOOT.upper, 1e3, row, value)?))
}

fn frame(run: &Run, report: &Report) -> Option<(Figure, GradeScale)> {
    let row = report.best()?;
    let summary = row.summary.as_ref()?;
    let trial_of =
        |row: &Configuration| row.trials.first().and_then(|&trial| run.trials.get(trial));
    let threads = |row: &Configuration| {
        trial_of(row).and_then(|trial| trial.counters.get(counter::LOAD_THREADS)).copied()
    };
    let full = report.rows.iter().find(|row| !row.is_graded && row.is_complete);
    let cpus = full.and_then(threads).and_then(|threads| usize::try_from(threads).ok());
    let cpus = cpus.unwrap_or(run.machine.cpus.len());
    let figure = Figure::Frame {
        p99: row.p99()?,
        percent: row.p99_percent_of_frame()?,
        missed: summary.missed_count(),
        slots: summary.slot_count,
        busy: threads(row).filter(|threads| 0 < *threads).map(|threads| (threads, cpus)),
        full_load: full.and_then(Configuration::p99),
    };
    let value = (row.p99()?, row.p99_interval());
    let unit = row.period.as_f64() / 100.0;
    Some((figure, scale(grade::FRAME_LATENESS.upper, unit, row, value)?))
}

fn gaps(run: &Run, report: &Report) -> Option<(Figure, GradeScale)> {
    let probes =
        || report.rows.iter().filter_map(|row| Some((row, row.figures.get::<GapFigures>()?)));
    let (row, found) = probes().max_by_key(|(_, gaps)| gaps.graded)?;
    let (longest, (good, fair)) = (found.graded, found.limits);
    let trial = row.trials.first().and_then(|&trial| run.trials.get(trial));
    let figure = Figure::Gaps {
        label: row.label.clone(),
        longest,
        runtime: found.runtime,
        cpus: probes().count(),
        culprit: trial.and_then(|trial| culprit_of_gap(trial, longest)),
        own_gap_count: probes().map(|(_, gaps)| gaps.own_gap_count).sum(),
    };
    let excellent = Nanos::from_nanos_f64(grade::LONGEST_GAP.upper[0] * 1e6).min(good);
    let limits = [excellent, good, fair];
    Some((figure, GradeScale { limits, value: longest, interval: None, worst: longest }))
}

/// Who had the CPU for most of a gap of this length, where its trace names it.
fn culprit_of_gap(trial: &TrialRun, length: Nanos) -> Option<String> {
    let late = late_samples(trial, length - Nanos::new(1));
    let late = late.iter().find(|late| late.sample.late() == length)?;
    let (_, culprit, _) = late.account.largest()?;
    culprit.map(|culprit| culprit.source().to_owned())
}

fn spin(report: &Report) -> Option<(Figure, GradeScale)> {
    let mean = |row: &Configuration| {
        row.summary.as_ref().map_or(0.0, |summary| summary.lateness.mean_nanos)
    };
    let (row, figures) = waits(&report.rows)
        .filter(|(row, figures)| row.grading.is_some() && figures.requested <= SPIN_UP_TO)
        .max_by(|(a, _), (b, _)| mean(a).total_cmp(&mean(b)))?;
    let average = Nanos::from_nanos_f64(mean(row));
    let interval = figures.overshoot_mean_interval;
    let interval =
        interval.map(|(low, high)| (Nanos::from_nanos_f64(low), Nanos::from_nanos_f64(high)));
    let figure = Figure::Spin { requested: figures.requested, average };
    Some((figure, scale(grade::SPIN_OVERSHOOT.upper, 1.0, row, (average, interval))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_of_the_scale_are_equal_and_logarithmic_within() {
        let limits = [50, 500, 2_000].map(Nanos::from_micros);
        let scale = GradeScale { limits, value: Nanos::ZERO, interval: None, worst: Nanos::ZERO };
        for (nanos, expected) in [
            (500, 0.0),
            (5_000, 0.5),
            (50_000, 1.0),
            (158_114, 1.5),
            (500_000, 2.0),
            (1_000_000, 2.5),
            (2_000_000, 3.0),
            (6_324_555, 3.5),
            (20_000_000, 4.0),
            (i64::MAX, 4.0),
            (0, 0.0),
            (-7, 0.0),
        ] {
            let found = scale.place(Nanos::new(nanos));
            assert!((found - expected).abs() < 1e-4, "{nanos}: {found}");
        }
    }
}
