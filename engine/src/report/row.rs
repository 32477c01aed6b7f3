//! The numbers of one configuration: its rounds joined.

use super::figures::{self, Figures};
use super::source::SourceFigures;
use crate::nanos::Nanos;
use crate::plan::{Conditions, Load, OnMiss, Pace, Plan, Wait};
use crate::platform::{Policy, Refusal, RequestOutcome};
use crate::run::{Run, TrialRun};
use crate::sample::Samples;
use crate::stats::bootstrap::percentile_interval;
use crate::stats::corrected::corrected;
use crate::stats::grade::Limits;
use crate::stats::{Grade, Quantile, Rebasing, Spread, Summary, grade};

/// The numbers of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Names the configuration.
    pub label: String,
    /// What was asked of the system.
    pub conditions: Conditions,
    /// How the loop waited.
    pub wait: Wait,
    /// What ran beside it.
    pub load: Load,
    /// The length of a frame, or of each wait; 0 where there is neither.
    pub period: Nanos,
    /// Lateness above which a frame counts as late.
    pub late_limit: Nanos,
    /// Positions of its trials in the run.
    pub trials: Vec<usize>,
    /// What it was granted; absent where it did not start.
    pub granted: Option<Granted>,
    /// Its numbers; absent where there is no sample. What the test is about stands under `lateness`:
    /// lateness, overshoot, the length of gaps, or the time of cycles.
    pub summary: Option<Summary>,
    /// Figures of its own kind of test.
    pub figures: Figures,
    /// The limits of a gap probe: typical up to the first, bad above the second.
    pub gap_limits: Option<(Nanos, Nanos)>,
    /// The 95 % interval of p99 lateness, for samples that depend on their neighbours.
    pub p99_interval: Option<(Nanos, Nanos)>,
    /// Lateness corrected for frames that never ran; absent where none was missed.
    pub corrected: Option<Spread>,
    /// What re-basing hid, or would have hidden.
    pub rebasing: Option<Rebasing>,
    /// Whether the loop was re-based.
    pub is_rebased: bool,
    /// The figures of gdt-cpus' example by its own rules; only for its method.
    pub source: Option<SourceFigures>,
    /// Samples that were lost.
    pub lost_count: u64,
    /// Whether every round was measured to its end.
    pub is_complete: bool,
    /// Why it was left out, where it was.
    pub skipped: Option<String>,
    /// CPU time of other programs as a share of one core: the greatest of its rounds.
    pub foreign_share: Option<f64>,
}

/// What a configuration was granted.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted {
    /// How the request for a priority went.
    pub priority: RequestOutcome,
    /// How the request for a CPU went.
    pub pin: RequestOutcome,
    /// How the thread was scheduled.
    pub policy: Policy,
    /// The CPUs it might run on; empty where the system does not tell.
    pub cpus: Vec<u32>,
    /// What raised it.
    pub mechanism: String,
    /// Everything that was refused.
    pub refusals: Vec<Refusal>,
    /// Whether a watchdog took real-time priority away.
    pub demoted: bool,
}

impl Row {
    /// Counts anew what is later than another limit.
    pub(super) fn count_late(&mut self, run: &Run, limit: Nanos) {
        self.late_limit = limit;
        if let Some(summary) = &mut self.summary {
            let trials = self.trials.iter().filter_map(|&trial| run.trials.get(trial));
            let is_late = |late: &i64| limit.get() < *late;
            summary.late_count =
                trials.map(|trial| trial.values().into_iter().filter(is_late).count()).sum();
        }
    }

    /// Whether it ran at everything that was asked.
    pub fn is_as_asked(&self) -> bool {
        self.granted.as_ref().is_some_and(|granted| {
            granted.priority == RequestOutcome::Granted
                && granted.pin == RequestOutcome::Granted
                && !granted.demoted
        })
    }

    /// p99 lateness, where there are enough samples.
    pub fn p99(&self) -> Option<Nanos> {
        self.summary.as_ref()?.lateness.p99
    }

    /// p99 lateness as a share of a frame, in percent.
    pub fn p99_percent_of_frame(&self) -> Option<f64> {
        Some(self.p99()?.as_f64() / self.period.as_f64() * 100.0)
    }

    /// Its grade, where there are enough samples and it was measured to its end. Frames under real-time
    /// policies and cycles are graded against other rows only.
    pub fn grade(&self) -> Option<Grade> {
        let summary = self.summary.as_ref().filter(|_| self.is_complete);
        match &self.figures {
            Figures::Paced => self.paced_grade(),
            Figures::Waits(_) if self.wait.sleeps() => {
                let overshoot = &summary?.lateness;
                Some(grade::sleep(overshoot.p99?.as_micros(), overshoot.max.as_micros()))
            }
            Figures::Waits(_) => Some(grade::SPIN_OVERSHOOT.grade(summary?.lateness.mean_nanos)),
            Figures::Gaps(gaps) => {
                if !self.is_complete {
                    return None;
                }
                let (typical, bad) = self.gap_limits?;
                let excellent = grade::BIGGEST_GAP.upper[0].min(typical.as_millis());
                let upper = [excellent, typical.as_millis(), bad.as_millis()];
                Some(Limits { upper, ..grade::BIGGEST_GAP }.grade(gaps.biggest.as_millis()))
            }
            Figures::Ticks(_) => None,
        }
    }

    fn paced_grade(&self) -> Option<Grade> {
        let summary = self.summary.as_ref().filter(|_| self.is_complete)?;
        let percent = self.p99_percent_of_frame()?;
        Some(grade::frame_loop(percent, summary.missed_count(), summary.slot_count))
    }

    /// What it was granted in a few words: "RR 10 · CPU 1"; "–" where it did not start.
    pub fn granted_text(&self) -> String {
        let Some(granted) = &self.granted else { return "–".to_owned() };
        let mut text = granted.policy.to_string();
        if granted.mechanism == "rtkit" {
            text.push_str(" by rtkit");
        }
        if granted.demoted {
            text.push_str(", taken away by the watchdog");
        }
        match granted.cpus.as_slice() {
            [] => {}
            [cpu] => text.push_str(&format!(" · CPU {cpu}")),
            cpus => text.push_str(&format!(" · CPUs {}", ranges(cpus))),
        }
        text
    }
}

/// CPU numbers as ranges: `0–3, 8`.
fn ranges(cpus: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = cpus;
    while let Some(&first) = rest.first() {
        let run = rest.iter().zip(first..).take_while(|&(&cpu, expected)| cpu == expected).count();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&first.to_string());
        if let Some(last) = rest.get(run - 1).filter(|_| 1 < run) {
            text.push_str(&format!("–{last}"));
        }
        rest = rest.get(run..).unwrap_or_default();
    }
    text
}

/// The rows of a run: trials of one label joined, in the order of the plan's own listing.
pub fn rows(run: &Run) -> Vec<Row> {
    let mut labels: Vec<&str> = Vec::new();
    for trial in &run.trials {
        if !labels.contains(&trial.trial.label.as_str()) {
            labels.push(&trial.trial.label);
        }
    }
    let mut rows: Vec<Row> = labels
        .iter()
        .map(|label| {
            let positions: Vec<usize> = run
                .trials
                .iter()
                .enumerate()
                .filter(|(_, trial)| trial.trial.label == *label)
                .map(|(position, _)| position)
                .collect();
            let trials: Vec<&TrialRun> =
                positions.iter().filter_map(|&position| run.trials.get(position)).collect();
            Row { trials: positions, ..row_of(&run.plan, &trials) }
        })
        .collect();
    if matches!(run.plan, Plan::FrameLoop(_)) {
        rows.sort_by_key(|row| {
            (row.conditions.priority.rank(), row.conditions.cpu, row.label.len())
        });
    }
    rows
}

/// The numbers of trials of one label; there is at least one.
pub fn row_of(plan: &Plan, trials: &[&TrialRun]) -> Row {
    let Some(first) = trials.first() else { return empty_row() };
    let (late_limit, budget, gap_limits) = match plan {
        Plan::FrameLoop(settings) => (settings.late_limit(), Nanos::MAX, None),
        Plan::RealTime(settings) => (settings.late_limit(), Nanos::MAX, None),
        Plan::SchedulingGaps(settings) => {
            (settings.typical, Nanos::MAX, Some((settings.typical, settings.bad)))
        }
        Plan::GameTick(settings) => (settings.budget, settings.budget, None),
        Plan::SleepAccuracy(_) | Plan::SpinStrategies(_) => (Nanos::MAX, Nanos::MAX, None),
    };
    let joined;
    let samples = match trials {
        [one] => &one.samples,
        several => {
            joined = join(several);
            &joined
        }
    };
    let period = first.trial.pace.period();
    let late = || -> Vec<i64> {
        match trials {
            [one] => one.values(),
            several => several.iter().flat_map(|trial| trial.values()).collect(),
        }
    };
    // One list at a time: a run of an hour has millions of values.
    let summary = if first.trial.pace.is_grid() {
        Summary::of(samples, period, late_limit, first.tail())
    } else {
        Summary::of_values(late(), samples, late_limit)
    };
    let figures = figures::of(trials, budget);
    let is_rebased = matches!(first.trial.pace, Pace::Grid { on_miss: OnMiss::Rebase, .. });
    let has_missed = summary.as_ref().is_some_and(|summary| 0 < summary.missed_count());
    let applied = trials.iter().find_map(|trial| trial.applied.as_ref());
    let late = late();
    Row {
        label: first.trial.label.clone(),
        conditions: first.trial.conditions,
        wait: first.trial.wait,
        period,
        load: first.load,
        late_limit,
        gap_limits,
        figures,
        trials: Vec::new(),
        granted: applied.map(|applied| Granted {
            priority: applied.priority.clone(),
            pin: applied.pin.clone(),
            policy: applied.effective.policy,
            cpus: applied.effective.cpus.clone(),
            mechanism: applied.mechanism.clone(),
            refusals: applied.refusals.clone(),
            demoted: trials
                .iter()
                .any(|trial| trial.applied.as_ref().is_some_and(|applied| applied.demoted)),
        }),
        p99_interval: percentile_interval(&late, Quantile::P99)
            .filter(|_| summary.as_ref().is_some_and(|summary| summary.lateness.p99.is_some())),
        corrected: has_missed.then(|| Spread::of(corrected(&late, period))).flatten(),
        rebasing: if samples.is_empty() || !first.trial.pace.is_grid() {
            None
        } else if is_rebased {
            Rebasing::hidden_by(samples, period)
        } else {
            Some(Rebasing::would_hide(samples, period))
        },
        is_rebased,
        source: is_rebased.then(|| SourceFigures::of(&late, period)).flatten(),
        summary,
        lost_count: trials.iter().map(|trial| trial.lost_count).sum(),
        is_complete: trials.iter().all(|trial| trial.complete),
        skipped: trials.iter().find_map(|trial| trial.skipped.clone()),
        foreign_share: trials
            .iter()
            .filter_map(|trial| trial.foreign_share())
            .max_by(f64::total_cmp),
    }
}

/// A row without trials.
fn empty_row() -> Row {
    Row {
        label: String::new(),
        conditions: Conditions::NORMAL,
        wait: Wait::OsSleep,
        load: Load::NONE,
        period: Nanos::ZERO,
        late_limit: Nanos::ZERO,
        gap_limits: None,
        figures: Figures::Paced,
        trials: Vec::new(),
        granted: None,
        summary: None,
        p99_interval: None,
        corrected: None,
        rebasing: None,
        is_rebased: false,
        source: None,
        lost_count: 0,
        is_complete: false,
        skipped: None,
        foreign_share: None,
    }
}

/// Samples of several rounds, one after the other, each a whole number of periods after the one before.
fn join(trials: &[&TrialRun]) -> Samples {
    let mut joined = Samples::new();
    let mut offset = Nanos::ZERO;
    for trial in trials {
        for mut sample in trial.samples.iter() {
            sample.began += offset;
            sample.due += offset;
            sample.slept = sample.slept.map(|slept| slept + offset);
            sample.woke += offset;
            sample.done += offset;
            joined.push(&sample);
        }
        offset += trial.trial.duration();
    }
    joined
}
