//! One part of a quick check as a card: its grade, the number that decides it, and its limits.

use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::platform::Refusal;
use crate::report::spin_strategies::SPIN_UP_TO;
use crate::report::waits::waits;
use crate::report::{Configuration, GapFigures, Report, Standing};
use crate::run::Run;
use crate::stats::{Grade, grade};

/// One part of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Which part.
    pub part: Part,
    /// Whether it was skipped.
    pub is_skipped: bool,
    /// The grade of its run that may be stated.
    pub grade: Option<Grade>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// What this system denied, where that is why there is no grade.
    pub denied: Option<Refusal>,
    /// The number that decides the grade; absent where there is none.
    pub figure: Option<Figure>,
    /// Where its values lie between the limits.
    pub strip: Option<ScaleLimits>,
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
        /// How long sleeps of that length took on average, idle and under load.
        averages: (Option<Nanos>, Option<Nanos>),
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
    },
    /// Of gap probes.
    Gaps {
        /// The core with the longest gap.
        label: String,
        /// The longest gap.
        longest: Nanos,
        /// The limit below which physical PCs stay.
        typical: Nanos,
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

/// Where values lie between the limits of their grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleLimits {
    /// Up to here it is at least Good.
    pub good: Nanos,
    /// Up to here it is Fair; above, it is Poor.
    pub fair: Nanos,
    /// Half of the values lie at or below this.
    pub typical: Nanos,
    /// The worst value.
    pub worst: Nanos,
}

impl Card {
    /// The card of a part.
    pub fn of(part: Part, measured: Option<(&Run, &Report)>) -> Self {
        let found = measured.and_then(|(_, report)| match part {
            Part::Sleep => sleep(report),
            Part::FrameIdle | Part::FrameLoad => frame(report),
            Part::Gaps => gaps(report),
            Part::Spin => spin(report),
        });
        let (figure, strip) = found.unzip();
        Self {
            part,
            is_skipped: measured.is_none(),
            grade: measured.and_then(|(_, report)| report.verdict.grade),
            standing: measured.map_or(Standing::Clear, |(_, report)| report.verdict.standing),
            denied: measured.and_then(|(_, report)| denied(report)),
            figure,
            strip,
        }
    }
}

/// What was denied in a run of which nothing ran as requested.
fn denied(report: &Report) -> Option<Refusal> {
    let granted = || report.rows.iter().filter_map(|row| row.granted.as_ref());
    let is_any_as_requested = report.rows.iter().any(Configuration::is_as_requested);
    granted().flat_map(|granted| &granted.refusals).next().filter(|_| !is_any_as_requested).cloned()
}

/// Where the values of a row lie between limits.
fn strip(row: &Configuration, [good, fair]: [Nanos; 2]) -> Option<ScaleLimits> {
    let values = &row.summary.as_ref()?.lateness;
    Some(ScaleLimits { good, fair, typical: values.p50, worst: values.max })
}

fn sleep(report: &Report) -> Option<(Figure, ScaleLimits)> {
    let (row, figures) = waits(&report.rows)
        .filter(|(row, _)| row.grading.is_some())
        .max_by_key(|(row, _)| (row.grading.map(|grading| grading.worst), row.p99()))?;
    let average = |is_loaded: bool| {
        waits(&report.rows)
            .find(|(row, of)| of.requested == figures.requested && row.load.is_none() != is_loaded)
            .map(|(_, of)| Nanos::from_nanos_f64(of.actual.mean_nanos))
    };
    let [_, good, fair] = grade::SLEEP_OVERSHOOT.upper;
    let limits = [good, fair].map(|micros| Nanos::from_nanos_f64(micros * 1e3));
    let figure = Figure::Sleep {
        requested: figures.requested,
        is_loaded: !row.load.is_none(),
        p99: row.p99()?,
        averages: (average(false), average(true)),
        worst: figures.actual.max,
    };
    Some((figure, strip(row, limits)?))
}

fn frame(report: &Report) -> Option<(Figure, ScaleLimits)> {
    let row = report.best()?;
    let summary = row.summary.as_ref()?;
    let [_, good, fair] = grade::FRAME_LATENESS.upper;
    let limits =
        [good, fair].map(|percent| Nanos::from_nanos_f64(row.period.as_f64() * percent / 100.0));
    let figure = Figure::Frame {
        p99: row.p99()?,
        percent: row.p99_percent_of_frame()?,
        missed: summary.missed_count(),
        slots: summary.slot_count,
    };
    Some((figure, strip(row, limits)?))
}

fn gaps(report: &Report) -> Option<(Figure, ScaleLimits)> {
    let probes = report.rows.iter().filter_map(|row| Some((row, row.figures.gaps()?)));
    let (row, &GapFigures { longest, limits: (good, fair), .. }) =
        probes.max_by_key(|(_, gaps)| gaps.longest)?;
    // A probe without a gap is good news: then its longest interval is typical, too.
    let typical = row.summary.as_ref().map_or(longest, |summary| summary.lateness.p50);
    let figure = Figure::Gaps { label: row.label.clone(), longest, typical: good };
    Some((figure, ScaleLimits { good, fair, typical, worst: longest }))
}

fn spin(report: &Report) -> Option<(Figure, ScaleLimits)> {
    let mean = |row: &Configuration| {
        row.summary.as_ref().map_or(0.0, |summary| summary.lateness.mean_nanos)
    };
    let (row, figures) = waits(&report.rows)
        .filter(|(row, figures)| row.grading.is_some() && figures.requested <= SPIN_UP_TO)
        .max_by(|(a, _), (b, _)| mean(a).total_cmp(&mean(b)))?;
    let [_, good, fair] = grade::SPIN_OVERSHOOT.upper;
    let average = Nanos::from_nanos_f64(mean(row));
    let figure = Figure::Spin { requested: figures.requested, average };
    Some((figure, strip(row, [good, fair].map(Nanos::from_nanos_f64))?))
}
