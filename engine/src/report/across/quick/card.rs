//! One part of a Quick check as a card: the grade, the number that decides the grade, and the
//! limits of the grades.

use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::plan::{LoadCount, Plan};
use crate::platform::Refusal;
use crate::report::model::configuration::with_figures;
use crate::report::model::key_figure::place;
use crate::report::spin_strategies::SPIN_UP_TO;
use crate::report::waits::WaitFigures;
use crate::report::{Configuration, GapFigures, Report, Standing, late_samples, paced};
use crate::run::{Run, TrialRun, counter};
use crate::stats::{Grade, GradeRange, grade};

/// Min number of gaps above the limit of Good; with fewer, a grade of Fair for the gaps counts as Good.
const MIN_GAPS: usize = 3;

/// One part of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// The part that the card shows.
    pub part: Part,
    /// Whether the part was skipped.
    pub is_skipped: bool,
    /// Whether the part is shown without a grade: the frame loop under load, with a single usable CPU.
    pub is_stated_only: bool,
    /// Whether the part measures gaps and fewer than `MIN_GAPS` of them are above the limit of Good: the
    /// check then counts a grade of Fair as Good.
    pub has_few_gaps: bool,
    /// The grade of the part's run; absent if the data does not support a grade.
    pub grade: Option<GradeRange>,
    /// A restriction of the grade, or why there is none.
    pub standing: Standing,
    /// The request that the system denied, if the part has no grade for this reason.
    pub denied: Option<Refusal>,
    /// The number that decides the grade; absent if the part has no such number.
    pub figure: Option<Figure>,
    /// The number and its 95% interval on the scale of the grade limits.
    pub scale: Option<GradeScale>,
}

/// The number that decides a grade, with the details shown next to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// The p99 overshoot of the worst series of sleeps.
    Sleep {
        /// The requested duration of each sleep.
        requested: Nanos,
        /// Whether the series ran under load.
        is_loaded: bool,
        /// The p99 overshoot: 99% of sleeps were at most this much too long.
        p99: Nanos,
        /// The duration of the longest sleep of the series.
        worst: Nanos,
    },
    /// The p99 lateness of a frame loop.
    Frame {
        /// The p99 lateness: 99% of frames started at most this late.
        p99: Nanos,
        /// The p99 lateness as a percentage of a frame.
        percent: f64,
        /// The number of missed frames.
        missed: usize,
        /// The number of all frames of the schedule.
        slots: usize,
        /// The missed frames and their rate in words, if they decide the grade rather than p99 lateness.
        missed_words: Option<String>,
        /// The loop was too short to show late frames that are rarer than this.
        rare_interval: Nanos,
        /// The number of load threads and of usable CPUs; absent without load.
        busy: Option<(i64, usize)>,
        /// The p99 lateness with all CPUs busy, which is not graded; absent if it was not measured.
        full_load: Option<Nanos>,
    },
    /// The longest gap of all gap probes.
    Gaps {
        /// The label of the CPU with the longest gap.
        label: String,
        /// The longest gap that no thread of this program caused.
        longest: Nanos,
        /// The time for which each CPU was probed.
        runtime: Nanos,
        /// The number of CPUs that were probed.
        cpus: usize,
        /// The thread or interrupt that had the CPU in the longest gap; absent if the trace does
        /// not name it.
        culprit: Option<String>,
        /// The number of longer gaps that threads of this program caused; they are not graded.
        own_gap_count: usize,
    },
    /// The mean overshoot of the worst series of spin waits.
    Spin {
        /// The requested duration of each spin wait of the series.
        requested: Nanos,
        /// The mean overshoot of the waits.
        average: Nanos,
    },
}

impl Figure {
    /// Returns the number that decides the grade.
    pub const fn value(&self) -> Nanos {
        match self {
            Self::Sleep { p99, .. } | Self::Frame { p99, .. } => *p99,
            Self::Gaps { longest, .. } => *longest,
            Self::Spin { average, .. } => *average,
        }
    }
}

/// A value and its 95% interval on the scale of the grade limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradeScale {
    /// The upper limits of Excellent, Good, and Fair.
    pub limits: [Nanos; 3],
    /// The value that is graded.
    pub value: Nanos,
    /// The 95% interval of the value; absent for a maximum, and with too few values.
    pub interval: Option<(Nanos, Nanos)>,
    /// The largest of all values.
    pub worst: Nanos,
}

impl GradeScale {
    /// Returns the position of a value on a scale of four equal zones, one per grade, from 0 to 4.
    /// Within a zone the scale is logarithmic; Excellent covers two decades and Poor one.
    pub fn place(&self, value: Nanos) -> f64 {
        place(self.limits.map(|limit| limit.as_f64().max(1.0)), value.as_f64())
    }
}

impl Card {
    /// Returns the card of a part.
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
            has_few_gaps: measured.is_some_and(|(_, report)| has_few_gaps(part, report)),
            grade: graded.and_then(|(_, report)| report.verdict.grade),
            standing: graded.map_or(Standing::Clear, |(_, report)| report.verdict.standing),
            denied: measured.and_then(|(_, report)| denied(report)),
            figure,
            scale,
        }
    }

    /// Whether the grade is Fair and counts as Good in the answer of the check.
    pub(super) fn counts_as_good(&self) -> bool {
        self.grade.is_some_and(|grade| counts_as_good(self.has_few_gaps, grade.worst()))
    }
}

/// Whether a part with this worst grade counts as Good in the answer of the check: a few gaps do not lower the
/// answer to Fair.
pub(super) fn counts_as_good(has_few_gaps: bool, worst: Grade) -> bool {
    has_few_gaps && worst == Grade::Fair
}

/// Returns the first denied request of a run; `None` if any configuration ran as requested.
fn denied(report: &Report) -> Option<Refusal> {
    let granted = || report.rows.iter().filter_map(|row| row.granted.as_ref());
    let is_any_as_requested = report.rows.iter().any(Configuration::is_as_requested);
    granted().flat_map(|granted| &granted.refusals).next().filter(|_| !is_any_as_requested).cloned()
}

/// Whether a part is shown without a grade. This is so for the frame loop under load if only one CPU is
/// usable: the load then leaves no CPU free.
pub(super) fn is_stated_only(part: Part, run: &Run) -> bool {
    match run.plan() {
        Some(Plan::FrameLoop(plan)) if part == Part::FrameLoad => {
            plan.full_load == Nanos::ZERO && plan.load.count == LoadCount::Threads(1)
        }
        _ => false,
    }
}

/// Whether a part measures gaps and has fewer than [`MIN_GAPS`] above the limit of Good, without those that threads of
/// this program caused.
pub(super) fn has_few_gaps(part: Part, report: &Report) -> bool {
    let above = |row: &Configuration| {
        let own = row.figures.get::<GapFigures>().map_or(0, |gaps| gaps.own_late_count);
        row.summary.as_ref().map_or(0, |it| it.late_count).saturating_sub(own)
    };
    part == Part::Gaps && report.rows.iter().map(above).sum::<usize>() < MIN_GAPS
}

/// Returns the scale on which a value and its interval are shown. `upper` holds the upper limits of the
/// grades, in units of `unit` nanoseconds.
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
    let (row, figures) = with_figures::<WaitFigures>(&report.rows)
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
        missed_words: paced::is_graded_by_missed(row).then(|| paced::missed_words(row)),
        rare_interval: paced::rare_interval(row),
        busy: threads(row).filter(|threads| 0 < *threads).map(|threads| (threads, cpus)),
        full_load: full.and_then(Configuration::p99),
    };
    let value = (row.p99()?, row.p99_interval());
    let unit = row.period.as_f64() / 100.0;
    Some((figure, scale(grade::FRAME_LATENESS.upper, unit, row, value)?))
}

fn gaps(run: &Run, report: &Report) -> Option<(Figure, GradeScale)> {
    let probes = || with_figures::<GapFigures>(&report.rows);
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

/// Returns the name of the thread or interrupt that used the CPU for most of the gap with this length;
/// `None` if the trace does not name any.
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
    let (row, figures) = with_figures::<WaitFigures>(&report.rows)
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
