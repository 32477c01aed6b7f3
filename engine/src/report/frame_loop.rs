//! Frame loop: frame pacing by priority and pinning, and the recommended configuration.

mod conclusions;

use self::conclusions::Conclusions;
use super::model::chart::Chart;
use super::model::configuration::Configuration;
use super::model::delays::Delays;
use super::model::evaluation::{Evaluation, Measured, ReferenceTool};
use super::model::figures::Figures;
use super::model::grading::{Grading, NOT_ENOUGH_DATA, round_up};
use super::model::key_figure::{GradePlace, KeyFigure};
use super::model::metric::Metric;
use super::model::ranking::{best, candidates, evaluated, is_tie};
use super::model::table::Table;
use super::model::verdict::{Finding, Verdict};
use super::{Report, paced};
use crate::nanos::Nanos;
use crate::plan::{CpuChoice, FrameLoop, Priority};
use crate::report::paced::PacedFigures;
use crate::run::Run;
use crate::stats::{GradeRange, Summary, grade};
use crate::units::{capitalized, count_text, format_count, format_graded_percent, format_time};

impl Evaluation for FrameLoop {
    fn metrics(&self) -> &'static [Metric] {
        Metric::PACED
    }

    fn figures(&self, measured: &Measured<'_>, summary: Option<&Summary>) -> Figures {
        paced::figures(measured, summary)
    }

    fn grading(&self, configuration: &Configuration) -> Option<Grading> {
        paced::grading(configuration)
    }

    fn sort(&self, configurations: &mut [Configuration]) {
        configurations.sort_by_key(|one| {
            (one.conditions.priority.rank(), one.conditions.cpu, one.label.len())
        });
    }

    fn verdict(&self, run: &Run, report: &Report) -> Verdict {
        let rows = &report.rows;
        if rows.iter().all(paced::is_rebased) {
            let paced = rows.iter().filter_map(|row| row.figures.get::<PacedFigures>());
            let hidden =
                paced.filter_map(|paced| paced.rebasing).max_by_key(|hidden| hidden.behind);
            let (behind, frames) =
                hidden.map_or((Nanos::ZERO, 0), |hidden| (hidden.behind, hidden.frame_count));
            return Verdict::without_grade(rebased(behind, frames));
        }
        let measured: Vec<&Configuration> =
            rows.iter().filter(|row| row.skipped.is_none() && row.is_graded).collect();
        let Some(best) = best(rows) else {
            if !measured.iter().any(|row| row.is_as_requested()) {
                return Verdict::without_grade(Finding::nothing_as_requested());
            }
            let counts = measured.iter().filter_map(|row| row.summary.as_ref());
            return Verdict::too_few(
                counts.map(|summary| summary.lateness.count).min().unwrap_or(0),
            );
        };
        let is_worse = |row: &&Configuration| row.has_clearly_higher_p99(best);
        let is_unknown = |row: &Configuration| !is_tie(row, best) && !is_worse(&row);
        let conclusions = Conclusions::of(run, rows);
        let finding = if evaluated(rows).count() == 1 {
            single(best, &report.delays)
        } else if evaluated(rows).any(is_unknown) {
            return Verdict::without_grade(add(too_few_to_rank(rows), conclusions.sentences()));
        } else {
            match evaluated(rows).filter(is_worse).max_by_key(|row| row.p99()) {
                Some(worst) => recommend(rows, best, worst, &conclusions),
                None => no_difference(rows),
            }
        };
        let rare = paced::rare_sentence(best);
        let finding = add(finding, conclusions.sentences().chain(rare.as_ref().map(AsRef::as_ref)));
        Verdict::by(std::iter::once(best), finding)
    }

    fn grades_samples(&self) -> bool {
        true
    }

    fn judges_each_configuration(&self) -> bool {
        true
    }

    fn lists_p99(&self) -> bool {
        true
    }

    fn tables(&self, run: &Run, report: &Report, has_intervals: bool) -> Vec<Table> {
        paced::frame_loop(run, report, has_intervals)
    }

    fn key_figures(&self, _run: &Run, report: &Report) -> Vec<KeyFigure> {
        paced::key_figures(report)
    }

    fn grade_place(&self, _run: &Run, report: &Report) -> Option<GradePlace> {
        report.best().and_then(paced::grade_place)
    }

    fn key_columns(&self) -> &'static [&'static str] {
        paced::KEY_COLUMNS
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        paced::frame_loop_charts(run, report)
    }

    fn reference(&self) -> Option<ReferenceTool> {
        Some(ReferenceTool::GdtCpus)
    }
}

/// Adds sentences to the evidence of a finding.
fn add<'a>(finding: Finding, sentences: impl Iterator<Item = &'a str>) -> Finding {
    let evidence = sentences.fold(finding.evidence, |line, sentence| format!("{line} {sentence}"));
    Finding { evidence, ..finding }
}

/// Returns the finding for configurations of which none is clearly worse.
fn no_difference(rows: &[Configuration]) -> Finding {
    let varied = varied(rows);
    let make = if varied.len() == 1 { "makes" } else { "make" };
    let names = capitalized(&varied.join(" and "));
    Finding::new(
        format!("{names} {make} no clear difference on this PC."),
        format!("{}; the ranges of the configurations overlap.", p99_range(rows)),
    )
}

/// Returns the names of what the ranked configurations differ in.
fn varied(rows: &[Configuration]) -> Vec<&'static str> {
    let pairs = || evaluated(rows).zip(evaluated(rows).skip(1));
    let is_varied = |is_equal: &dyn Fn(&Configuration, &Configuration) -> bool| {
        pairs().any(|(one, other)| !is_equal(one, other))
    };
    [
        ("priority", is_varied(&|a, b| a.conditions.priority == b.conditions.priority)),
        ("pinning", is_varied(&|a, b| a.conditions.cpu == b.conditions.cpu)),
        ("the spin tail", is_varied(&|a, b| a.wait == b.wait)),
        ("the background load", is_varied(&|a, b| a.load == b.load)),
    ]
    .into_iter()
    .filter_map(|(name, is_varied)| is_varied.then_some(name))
    .collect()
}

/// Returns the lowest and the highest p99 lateness of all configurations: "p99 lateness is 2 µs to
/// 3 ms".
fn p99_range(rows: &[Configuration]) -> String {
    let p99s = || evaluated(rows).filter_map(Configuration::p99);
    let [low, high] = [p99s().min(), p99s().max()].map(|p99| format_time(p99.unwrap_or_default()));
    format!("p99 lateness is {low} to {high}")
}

/// Returns the finding for a run whose loop re-bases its schedule after late frames, like the
/// reference tool. Re-basing hides lateness, so such a run has no grade.
fn rebased(behind: Nanos, frames: u64) -> Finding {
    Finding::new(
        format!(
            "The re-based schedule hides lateness: a run ended {} behind a fixed schedule, hiding {}.",
            format_time(behind),
            count_text(frames, "frames")
        ),
        "Reference method, for comparison with the original tool. Only fixed schedules are graded, and show which \
         priority and pinning help: preset under-load.",
    )
    .with_word("Not graded")
}

/// Returns the finding for configurations that cannot be ranked: at least one has too few frames
/// for a confidence interval of its p99, and the lower end of the interval alone does not decide
/// the ranking.
fn too_few_to_rank(rows: &[Configuration]) -> Finding {
    let few = evaluated(rows).filter_map(|row| row.p99_bounds?.err());
    let needed = few.map(|few| round_up(few.needed)).max().unwrap_or(0);
    Finding::new(
        "Too few frames to compare the configurations.",
        format!(
            "{}; each configuration needs about {} frames for a 95% confidence interval.",
            p99_range(rows),
            format_count(needed)
        ),
    )
    .with_word(NOT_ENOUGH_DATA)
}

fn single(row: &Configuration, delays: &Delays) -> Finding {
    let (p99, summary) = (format_time(row.p99().unwrap_or_default()), row.summary.as_ref());
    let limits = &grade::FRAME_LATENESS.upper;
    let share = format_graded_percent(row.p99_percent_of_frame().unwrap_or_default(), limits);
    let late = summary.map_or(0, |summary| summary.late_count);
    let missed = summary.map_or(0, Summary::missed_count);
    let missed_words = match missed {
        0 => "none was".to_owned(),
        1 => "1 was".to_owned(),
        more => format!("{} were", format_count(more)),
    };
    if let (Some(who), Some(delay)) = (delays.sentence("frames"), delays.main()) {
        let advice = delay.advice();
        let evidence = if paced::is_graded_by_missed(row) {
            paced::basis(row)
        } else {
            format!("p99 lateness {p99} ({share} of a frame); {missed_words} missed.")
        };
        return Finding::new(who, evidence).with_advice(advice);
    }
    let sentence = if missed == 0 && late == 0 {
        format!("99% of frames started at most {p99} late ({share} of a frame).")
    } else {
        format!(
            "{} of {} frames started more than {} late; {missed_words} missed.",
            format_count(late),
            format_count(summary.map_or(0, |summary| summary.lateness.count)),
            format_time(row.late_limit)
        )
    };
    Finding::new(sentence, paced::basis(row))
}

fn recommend(
    rows: &[Configuration],
    best: &Configuration,
    worst: &Configuration,
    conclusions: &Conclusions,
) -> Finding {
    let ties: Vec<&Configuration> = evaluated(rows).filter(|row| is_tie(row, best)).collect();
    let mut priorities: Vec<Priority> = Vec::new();
    for row in candidates(rows).filter(|row| is_tie(row, best)) {
        if row.conditions.cpu == best.conditions.cpu
            && !priorities.contains(&row.conditions.priority)
        {
            priorities.push(row.conditions.priority);
        }
    }
    let pin = Some(best.conditions.cpu).filter(|cpu| *cpu != CpuChoice::Any);
    let sentence = if varied(rows).iter().all(|name| ["priority", "pinning"].contains(name)) {
        // A conclusion about pinning has a sentence of its own.
        let is_concluded = conclusions.pinning.is_some();
        let pinning = if is_concluded { PinEffect::NotStated } else { pin_effect(rows) };
        recommendation(&priorities, pin, pinning)
    } else if let [_] = ties.as_slice() {
        format!("{} has the lowest p99 lateness.", best.label)
    } else {
        format!("No configuration has clearly lower p99 lateness than {}.", best.label)
    };
    Finding::new(
        sentence,
        format!(
            "p99 lateness is {} at {}, compared with {} at {}{}.",
            format_time(best.p99().unwrap_or_default()),
            best.label,
            format_time(worst.p99().unwrap_or_default()),
            worst.label,
            worst.grade().map(GradeRange::word).map_or(String::new(), |word| format!(" ({word})"))
        ),
    )
}

/// Returns the recommendation. `pin` is the CPU to pin to; `None` if the best configuration is
/// unpinned.
fn recommendation(priorities: &[Priority], pin: Option<CpuChoice>, pinning: PinEffect) -> String {
    let names: Vec<String> = priorities.iter().map(|priority| priority.name()).collect();
    let names = match names.as_slice() {
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
        [] => "the recommended".to_owned(),
    };
    match (pin, pinning) {
        (Some(cpu), _) => format!("Use {names} priority, pinned to {}.", cpu.phrase()),
        (None, PinEffect::NoBenefit) => {
            format!("Use {names} priority. Pinning has no benefit on this PC.")
        }
        (None, PinEffect::Unclear) => {
            format!("Use {names} priority. Pinning makes no clear difference.")
        }
        (None, PinEffect::NotStated) => format!("Use {names} priority."),
    }
}

/// The effect of pinning, as far as it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PinEffect {
    /// No priority ran both pinned and unpinned, or the p99 of a pair is clearly different or has no interval.
    NotStated,
    /// At least two pairs of a pinned and an unpinned configuration were compared, and the
    /// intervals of their p99 exclude an improvement that matters.
    NoBenefit,
    /// The intervals do not exclude an improvement that matters, or only one pair was compared.
    Unclear,
}

/// Returns the effect of pinning, from the maximum possible improvement at each priority that ran
/// both pinned and unpinned.
fn pin_effect(rows: &[Configuration]) -> PinEffect {
    /// An improvement of p99 that does not exceed this share of the target frame time does not
    /// matter.
    const MATTERS: f64 = 0.005;
    let unpinned = evaluated(rows).filter(|row| row.conditions.cpu == CpuChoice::Any);
    let pairs: Vec<(bool, bool)> = unpinned
        .flat_map(|free| {
            let is_same = move |row: &&Configuration| {
                row.conditions.priority == free.conditions.priority
                    && row.conditions.cpu != CpuChoice::Any
            };
            evaluated(rows).filter(is_same).map(move |pinned| {
                let ends = free.p99_interval().zip(pinned.p99_interval());
                let is_small = ends.is_some_and(|((_, free_high), (pinned_low, _))| {
                    (free_high - pinned_low).as_f64() <= MATTERS * free.period.as_f64()
                });
                (is_small, is_tie(free, pinned))
            })
        })
        .collect();
    match pairs.as_slice() {
        [] => PinEffect::NotStated,
        [_, _, ..] if pairs.iter().all(|(is_small, _)| *is_small) => PinEffect::NoBenefit,
        _ if pairs.iter().all(|(_, is_tied)| *is_tied) => PinEffect::Unclear,
        _ => PinEffect::NotStated,
    }
}

#[cfg(test)]
mod tests;
