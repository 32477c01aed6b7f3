//! The verdict on a run: a grade and what was found, to be worded late.

use super::change::Measure;
use super::configuration::Configuration;
use super::grading::{Standing, conclude};
use super::{Report, capture};
use crate::nanos::Nanos;
use crate::plan::work::CycleKind;
use crate::plan::{CpuChoice, Priority, SpinStrategy};
use crate::run::{Ending, Run};
use crate::stats::{Grade, Stutter};

/// The verdict on a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The grade that may be stated; absent where there is too little data, where a bad result was
    /// disturbed, where the run was stopped, and where nothing ran as it was asked to.
    pub grade: Option<Grade>,
    /// What qualifies the grade, or takes its place.
    pub standing: Standing,
    /// What was found.
    pub finding: Finding,
}

impl Verdict {
    /// A verdict that states no grade.
    pub(super) const fn without_grade(finding: Finding) -> Self {
        Self { grade: None, standing: Standing::Clear, finding }
    }

    /// The grade in a word, or what takes its place.
    pub fn word(&self) -> &'static str {
        let doubt = Doubt::of(self.standing).map(Doubt::words);
        self.grade.map(Grade::word).or(doubt).unwrap_or("No verdict")
    }

    /// The same finding with the grade of one configuration alone.
    #[must_use]
    pub(crate) fn of_row(self, row: &Configuration) -> Self {
        Self::by(std::iter::once(row), self.finding)
    }

    /// A verdict by configurations of which the worst decides.
    pub(super) fn by<'a>(rows: impl Iterator<Item = &'a Configuration>, finding: Finding) -> Self {
        let (grade, standing) = conclude(rows.filter_map(Configuration::part));
        Self { grade, standing, finding }
    }
}

/// What pinning does, as far as it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinEffect {
    /// No priority ran both pinned and unpinned.
    NotMeasured,
    /// At two priorities or more it can be no better by an amount that matters.
    NoBenefit,
    /// The intervals leave it open.
    Unclear,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// There is no sample.
    Nothing,
    /// The run was cut short; no verdict is given.
    Incomplete {
        /// Configurations that are complete.
        complete: usize,
        /// Configurations that were planned.
        planned: usize,
        /// Frames that were measured.
        frames: usize,
    },
    /// Too few frames for a p99.
    TooFew {
        /// Frames that were measured.
        frames: usize,
        /// Frames that are needed.
        needed: usize,
    },
    /// Nothing ran as it was asked to.
    NothingAsRequested,
    /// The reference method: its figures hide lateness, so none is graded.
    SourceMethod {
        /// How much later than on a fixed schedule the worst configuration ended.
        behind: Nanos,
        /// Whole frames in that time.
        frames: u64,
    },
    /// One configuration.
    Single {
        /// p99 lateness.
        p99: Nanos,
        /// The same as a share of a frame, in percent.
        percent: f64,
        /// Late frames.
        late: usize,
        /// The limit above which they are late.
        late_limit: Nanos,
        /// Missed frames.
        missed: usize,
        /// All frames of the schedule.
        slots: usize,
    },
    /// Several configurations, of which one is clearly better than another.
    Recommend {
        /// The priorities that are as good as the best, the lowest first.
        priorities: Vec<Priority>,
        /// The pin of the best; `None` where pinning brings nothing.
        pin: Option<CpuChoice>,
        /// What pinning does where `pin` is absent.
        pinning: PinEffect,
        /// The label of the best.
        best: String,
        /// Its p99 lateness.
        best_p99: Nanos,
        /// The label of the worst.
        worst: String,
        /// Its p99 lateness.
        worst_p99: Nanos,
        /// The grade of the worst.
        worst_grade: Option<Grade>,
    },
    /// Several configurations whose ranges overlap.
    NoDifference {
        /// The lowest p99 lateness.
        best_p99: Nanos,
        /// The highest.
        worst_p99: Nanos,
    },
    /// Frames that another program recorded; never graded, for nobody ran a schedule.
    Frames {
        /// Frames with a time.
        count: usize,
        /// Their number over their time.
        average_fps: f64,
        /// The 1% low by the default definition, in frames per second; needs 100 frames.
        one_percent_low: Option<f64>,
        /// Frames that took much longer than those around them.
        stutter: Stutter,
    },
    /// Readings of the frame time that another program took now and then.
    SampledLog {
        /// Readings with a frame time.
        count: usize,
        /// Their frame times together.
        frame_time_sum: Nanos,
        /// How long the log covers.
        elapsed: Nanos,
    },
    /// Counts of values that another program took.
    Histogram {
        /// Values, those above every bin included.
        count: u64,
        /// The highest p99 of any thread or CPU, where it is known.
        p99: Option<Nanos>,
        /// The highest value.
        max: Option<Nanos>,
    },
    /// Sleeps.
    Sleep {
        /// The worst grade of idle rows and of loaded rows, where there are any.
        grades: (Option<Grade>, Option<Grade>),
        /// The shortest length that can be trusted: p99 overshoot of 100 µs at most.
        trusted: Option<Nanos>,
        /// For how long a frame limiter must spin at the end: p99.9 overshoot of the longest sleep up to
        /// 5 ms, in its worse condition, rounded up to 50 µs.
        tail: Option<Nanos>,
        /// That sleep, and how long it took on average idle and under load.
        example: Option<(Nanos, Option<Nanos>, Option<Nanos>)>,
    },
    /// Spinning waits.
    Spin {
        /// The strategies to use for waits up to 1 ms: the best, and those that are not clearly worse.
        best: Vec<SpinStrategy>,
        /// Strategies that were measured.
        measured: usize,
        /// The worst grade of the first of them idle and under load.
        grades: (Option<Grade>, Option<Grade>),
        /// Strategies that were poor where the best was not.
        avoid: Vec<SpinStrategy>,
        /// The worst row: its label and its average overshoot.
        worst: (String, Nanos),
    },
    /// Gaps.
    Gaps {
        /// The probe with the longest gap.
        label: String,
        /// The longest gap.
        longest: Nanos,
        /// How long the probes ran.
        runtime: Nanos,
        /// The maximum share of its time a probe lost.
        lost_share: f64,
        /// Stalls of the whole machine.
        stalls: usize,
        /// The limits: typical up to the first, bad above the second.
        limits: (Nanos, Nanos),
    },
    /// A real-time policy against normal.
    RealTime {
        /// Its label.
        label: String,
        /// What the verdict rests on; absent where no measure changed clearly.
        rests_on: Option<Measure>,
        /// Whether all values are below 0.1 ms with and without the policy.
        is_nothing_to_gain: bool,
        /// By which share that measure fell; of the standard deviation where there is none.
        share: f64,
        /// The 95% interval of that share.
        interval: Option<(f64, f64)>,
        /// The standard deviations of the frame time of normal and of the policy.
        deviations: (Nanos, Nanos),
        /// Their p99 lateness.
        p99s: (Nanos, Nanos),
        /// Their shares of late frames.
        late_shares: (f64, f64),
    },
    /// Game cycles.
    Tick {
        /// Each workload with its most useful thread count, time, error, efficiency and grade.
        kinds: Vec<TickFinding>,
        /// The budget of a cycle.
        budget: Nanos,
    },
}

/// What was found of one workload of game cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct TickFinding {
    /// The workload.
    pub kind: CycleKind,
    /// How many players or characters.
    pub count: u32,
    /// Threads that are judged: as many as physical cores, or the most that were measured.
    pub threads: u32,
    /// Mean time of a cycle with them.
    pub mean: Nanos,
    /// Half of its 99.9 % interval.
    pub error: Option<Nanos>,
    /// Time of one thread over threads × time; absent where one thread was not measured.
    pub efficiency: Option<f64>,
    /// The grade of the efficiency.
    pub grade: Option<Grade>,
}

/// Rows that may be judged: they ran as requested and have a p99.
pub(super) fn evaluated(rows: &[Configuration]) -> impl Iterator<Item = &Configuration> {
    rows.iter().filter(|row| row.is_as_requested() && row.is_complete && row.p99().is_some())
}

/// The worst grade of idle and of loaded configurations.
pub(super) fn worst_grades<'a>(
    rows: impl Iterator<Item = &'a Configuration>,
) -> (Option<Grade>, Option<Grade>) {
    rows.fold((None, None), |(idle, load), row| {
        let grade = row.grade();
        if row.load.is_none() { (idle.max(grade), load) } else { (idle, load.max(grade)) }
    })
}

/// Judges a run.
pub(super) fn of(run: &Run, report: &Report) -> Verdict {
    let without_grade = Verdict::without_grade;
    let Some(plan) = run.plan() else {
        return without_grade(capture::finding(&report.recordings));
    };
    let test = super::evaluation_of(plan);
    let measured: Vec<&Configuration> =
        report.rows.iter().filter(|row| row.skipped.is_none()).collect();
    let frames = sample_count(report);
    if frames == 0 && !test.is_result_without_samples() {
        return without_grade(Finding::Nothing);
    }
    let complete = measured.iter().filter(|row| row.is_complete).count();
    if run.ending != Ending::Finished && complete < measured.len() {
        return without_grade(Finding::Incomplete { complete, planned: measured.len(), frames });
    }
    test.verdict(run, report)
}

/// All samples of a report.
pub(super) fn sample_count(report: &Report) -> usize {
    let counts = report.rows.iter().filter_map(|row| row.summary.as_ref());
    counts.map(|summary| summary.lateness.count).sum()
}

/// A run in a word and a number, for a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// The grade, where there is one.
    pub grade: Option<Grade>,
    /// Why a complete run has no grade, where that is so.
    pub doubt: Option<Doubt>,
    /// The lowest p99 lateness of what ran as requested, where there is one.
    pub best_p99: Option<Nanos>,
    /// The key number in words of its kind of test, where that is not a p99.
    pub key: Option<KeyResult>,
    /// How many configurations there are.
    pub rows: usize,
    /// How many did not run as requested.
    pub refused: usize,
    /// How many frames were measured.
    pub frames: usize,
    /// How the run ended.
    pub ending: Ending,
}

/// Why a complete run has no grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The data is not enough for one.
    NotEnoughData,
    /// The measurement was disturbed.
    Inconclusive,
}

impl Doubt {
    /// The words that take the place of a grade.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotEnoughData => "Not enough data",
            Self::Inconclusive => "Inconclusive",
        }
    }

    /// What a standing leaves of a grade.
    pub const fn of(standing: Standing) -> Option<Self> {
        match standing {
            Standing::NotEnoughData(_) => Some(Self::NotEnoughData),
            Standing::Inconclusive { .. } => Some(Self::Inconclusive),
            Standing::Clear | Standing::Noted(_) => None,
        }
    }
}

/// The key number of a kind of test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyResult {
    /// The spin tail a frame limiter needs.
    Tail(Nanos),
    /// The strategy to use.
    Strategy(SpinStrategy),
    /// The longest gap.
    LongestGap(Nanos),
    /// The fall of a deviation.
    StdDevReduction(f64),
    /// The time of a cycle.
    Cycle(Nanos),
    /// The average frames per second of an imported recording.
    Fps(f64),
    /// The readings of an imported log.
    Readings(usize),
    /// The p99 of imported counts, where it is known.
    Counts(Option<Nanos>),
}

impl KeyResult {
    /// Whether it is of an imported run.
    pub const fn is_imported(self) -> bool {
        matches!(self, Self::Fps(_) | Self::Readings(_) | Self::Counts(_))
    }

    fn of(finding: &Finding) -> Option<Self> {
        Some(match finding {
            Finding::Sleep { tail, .. } => Self::Tail((*tail)?),
            Finding::Spin { best, .. } => Self::Strategy(*best.first()?),
            Finding::Gaps { longest, .. } => Self::LongestGap(*longest),
            Finding::RealTime { rests_on: Some(_), share, .. } => Self::StdDevReduction(*share),
            Finding::Tick { kinds, .. } => Self::Cycle(kinds.first()?.mean),
            Finding::Frames { average_fps, .. } => Self::Fps(*average_fps),
            Finding::SampledLog { count, .. } => Self::Readings(*count),
            Finding::Histogram { p99, .. } => Self::Counts(*p99),
            _ => return None,
        })
    }
}

impl Headline {
    /// The headline of a run.
    pub fn of(run: &Run) -> Self {
        let report = super::Report::of(run, &super::Options::default());
        Self::of_report(run, &report)
    }

    /// The headline of a run that was judged already.
    pub fn of_report(run: &Run, report: &super::Report) -> Self {
        Self {
            grade: report.verdict.grade,
            doubt: Doubt::of(report.verdict.standing),
            best_p99: run
                .plan()
                .filter(|plan| super::evaluation_of(plan).lists_p99())
                .and_then(|_| report.best())
                .and_then(Configuration::p99),
            key: KeyResult::of(&report.verdict.finding),
            rows: report.rows.len().max(report.recordings.len()),
            refused: report
                .rows
                .iter()
                .filter(|row| row.granted.is_some() && !row.is_as_requested())
                .count(),
            frames: run.sample_count(),
            ending: run.ending.clone(),
        }
    }
}
