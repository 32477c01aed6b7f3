//! Verdicts of runs, in sentences.

mod capture;
mod other;

use jitterscope_engine::export;
use jitterscope_engine::plan::{CpuChoice, Priority};
use jitterscope_engine::report::{
    Configuration, Doubt, Finding, Headline, KeyResult, PinEffect, Report, Standing,
};
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::stats::Grade;

use super::{count, date, duration, local, percent};

/// The grade word of a verdict, or what takes its place.
pub fn grade_word(report: &Report) -> String {
    if let Some(doubt) = Doubt::of(report.verdict.standing) {
        return doubt.words().to_owned();
    }
    let word = match (report.verdict.grade, &report.verdict.finding) {
        (
            Some(_),
            Finding::Sleep { .. }
            | Finding::Spin { .. }
            | Finding::RealTime { .. }
            | Finding::Tick { .. },
        ) => return other::grade_word(report),
        (Some(grade), _) => grade.word(),
        (None, Finding::Incomplete { .. }) => "Stopped early",
        (None, Finding::SourceMethod { .. }) => "Not graded",
        (None, Finding::Frames { .. } | Finding::SampledLog { .. } | Finding::Histogram { .. }) => {
            capture::WORD
        }
        (None, _) => "No verdict",
    };
    word.to_owned()
}

/// What was found, in one sentence; where there is no grade although there are figures, why.
pub fn sentence(report: &Report) -> String {
    match report.verdict.standing {
        Standing::NotEnoughData(grading) => {
            sentence_case(&grading.what_decides(report.samples_name))
        }
        Standing::Inconclusive { disturbance, .. } => sentence_case(&disturbance.to_string()),
        Standing::Clear | Standing::Noted(_) => finding(report),
    }
}

/// Words as a sentence: with a capital letter and a period.
pub(super) fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}{}.", first.collect::<String>(), letters.as_str())
}

fn finding(report: &Report) -> String {
    match &report.verdict.finding {
        Finding::Nothing => "No frame was measured.".to_owned(),
        Finding::Incomplete { complete, planned, frames } if *planned == 1 => {
            let _ = complete;
            format!("{} frames were measured and saved.", count(wide(*frames)))
        }
        Finding::Incomplete { complete, planned, .. } => {
            format!("{complete} of {planned} configurations are complete and saved.")
        }
        Finding::TooFew { frames, needed } => format!(
            "Not enough frames for a verdict: {} of at least {}.",
            count(wide(*frames)),
            count(wide(*needed))
        ),
        Finding::NothingAsRequested => {
            "No configuration ran as requested, so there is no verdict.".to_owned()
        }
        Finding::SourceMethod { behind, frames } => format!(
            "The re-based schedule hides lateness: a run ended {} behind a fixed schedule, hiding \
             {}.",
            duration(*behind),
            frames_word(*frames)
        ),
        Finding::Single { p99, percent: share, late, late_limit, missed, slots } => {
            if *missed == 0 && *late == 0 {
                format!(
                    "99% of frames started at most {} late ({} of a frame).",
                    duration(*p99),
                    percent(share / 100.0)
                )
            } else {
                format!(
                    "{} of {} frames started more than {} late; {} missed.",
                    count(wide(*late)),
                    count(wide(*slots)),
                    duration(*late_limit),
                    match missed {
                        0 => "none was".to_owned(),
                        1 => "1 was".to_owned(),
                        more => format!("{} were", count(wide(*more))),
                    }
                )
            }
        }
        Finding::Recommend { priorities, pin, pinning, .. } => {
            recommendation(priorities, *pin, *pinning)
        }
        Finding::NoDifference { .. } => {
            "Priority and pinning make no clear difference on this PC.".to_owned()
        }
        Finding::Frames { .. } | Finding::SampledLog { .. } | Finding::Histogram { .. } => {
            capture::sentence(&report.verdict.finding)
        }
        Finding::Sleep { .. }
        | Finding::Spin { .. }
        | Finding::Gaps { .. }
        | Finding::RealTime { .. }
        | Finding::Tick { .. } => other::sentence(report),
    }
}

fn recommendation(priorities: &[Priority], pin: Option<CpuChoice>, pinning: PinEffect) -> String {
    let names: Vec<String> = priorities.iter().map(|priority| priority.name()).collect();
    let names = match names.as_slice() {
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
        [] => "the recommended".to_owned(),
    };
    match (pin, pinning) {
        (Some(cpu), _) => format!("Use {names} priority, pinned to {}.", pin_words(cpu)),
        (None, PinEffect::NoBenefit) => {
            format!("Use {names} priority. Pinning has no benefit on this PC.")
        }
        (None, PinEffect::Unclear) => {
            format!("Use {names} priority. Pinning makes no clear difference.")
        }
        (None, PinEffect::NotMeasured) => format!("Use {names} priority."),
    }
}

/// Where a thread is to run, in words.
pub fn pin_words(cpu: CpuChoice) -> String {
    match cpu {
        CpuChoice::Any => "no CPU".to_owned(),
        CpuChoice::Performance => "a performance core".to_owned(),
        CpuChoice::Efficiency => "an efficiency core".to_owned(),
        CpuChoice::Cpu(cpu) => format!("CPU {cpu}"),
    }
}

/// The numbers behind the sentence, in a line; a grade that is not stated is in second place.
pub fn evidence(report: &Report) -> String {
    let numbers = numbers(report);
    let line = match report.verdict.standing {
        Standing::Clear => return numbers,
        Standing::NotEnoughData(_) => format!("So far: {} {numbers}", finding(report)),
        Standing::Inconclusive { measured, .. } => {
            format!("Measured anyway: {}. {numbers}", measured.words())
        }
        Standing::Noted(disturbance) => {
            format!("{numbers} Measured while {}.", disturbance.words())
        }
    };
    line.trim().to_owned()
}

fn numbers(report: &Report) -> String {
    match &report.verdict.finding {
        Finding::Recommend { best, best_p99, worst, worst_p99, worst_grade, .. } => format!(
            "p99 lateness is {} at {best}, compared with {} at {worst}{}.",
            duration(*best_p99),
            duration(*worst_p99),
            worst_grade.map_or(String::new(), |grade| format!(" ({})", grade.word()))
        ),
        Finding::NoDifference { best_p99, worst_p99 } => format!(
            "p99 lateness is {} to {}; the ranges overlap.",
            duration(*best_p99),
            duration(*worst_p99)
        ),
        Finding::Single { p99, percent: share, .. } => format!(
            "p99 lateness {} = {} of a frame; Excellent up to 1%, Good up to 5%, Fair up to 15%.",
            duration(*p99),
            percent(share / 100.0)
        ),
        Finding::Incomplete { .. } => "Saved without a verdict.".to_owned(),
        Finding::SourceMethod { .. } => {
            "Reference method, for comparison with the original tool. Only fixed schedules are \
             graded."
                .to_owned()
        }
        Finding::NothingAsRequested => {
            "The table shows what was applied, and what would allow more.".to_owned()
        }
        Finding::TooFew { .. } => "p99 needs 100 frames: run a longer test.".to_owned(),
        Finding::Nothing => String::new(),
        Finding::Frames { .. } | Finding::SampledLog { .. } | Finding::Histogram { .. } => {
            capture::evidence(&report.verdict.finding)
        }
        Finding::Sleep { .. }
        | Finding::Spin { .. }
        | Finding::Gaps { .. }
        | Finding::RealTime { .. }
        | Finding::Tick { .. } => other::evidence(report),
    }
}

/// What moving the grid hid, or would have hidden, in a row.
pub fn rebasing(row: &Configuration) -> Option<String> {
    let paced = row.figures.paced()?;
    let rebasing = paced.rebasing?;
    let (behind, frames) = (duration(rebasing.behind), frames_word(rebasing.frame_count));
    Some(if paced.is_rebased {
        format!("ended {behind} behind a fixed schedule: {frames} hidden by re-basing")
    } else {
        format!("re-basing would have hidden {behind}: {frames}")
    })
}

fn frames_word(frames: u64) -> String {
    match frames {
        1 => "1 frame".to_owned(),
        frames => format!("{} frames", count(frames)),
    }
}

/// What a run is called: its own name, or test and date.
pub fn run_name(run: &Run) -> String {
    name_or_date(&run.name, run.subject.name(), run.started_at)
}

/// What a run is called, its test and its date, each once: for a line that has no other place for them.
pub fn full_run_name(run: &Run) -> String {
    let name = run_name(run);
    if run.name.is_empty() {
        return name;
    }
    format!("{name} · {}, {}", run.subject.name(), date(&local(run.started_at)))
}

/// A name, or where there is none, test and date.
pub fn name_or_date(name: &str, test_name: &str, started_at: jiff::Timestamp) -> String {
    if name.is_empty() {
        format!("{test_name}, {}", date(&local(started_at)))
    } else {
        export::shown_name(name)
    }
}

/// The verdict of a run in a word, for a list.
pub fn headline_word(headline: &Headline) -> &'static str {
    match (&headline.ending, headline.grade) {
        (Ending::Stopped, None) => "Stopped",
        (Ending::Recovered, None) => "Recovered",
        (Ending::Failed(_), _) => "Failed",
        (_, Some(grade)) => grade.word(),
        (_, None) if let Some(doubt) = headline.doubt => doubt.words(),
        (_, None) if headline.key.is_some_and(KeyResult::is_imported) => capture::WORD,
        (_, None) => "Not graded",
    }
}

/// How a run ended, in a word before its date.
pub const fn ending_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Finished => "Finished",
        Ending::Stopped => "Stopped",
        Ending::Failed(_) => "Failed",
        Ending::Recovered => "Recovered",
    }
}

/// The key number of a run, for a list.
pub fn headline_number(headline: &Headline) -> String {
    if let Some(key) = headline.key {
        return other::key(key);
    }
    match (headline.best_p99, headline.rows) {
        (Some(p99), 1) => format!("p99 {}", duration(p99)),
        (Some(p99), _) => format!("best p99 {}", duration(p99)),
        (None, _) => format!("{} frames", count(wide(headline.frames))),
    }
}

/// Whether a grade is good news.
pub const fn is_good(grade: Grade) -> bool {
    matches!(grade, Grade::Excellent | Grade::Good)
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recommendation_names_priorities_and_the_worth_of_pinning() {
        use Priority::{Highest, TimeCritical};
        for (priorities, pin, pinning, expected) in [
            (
                vec![Highest, TimeCritical],
                None,
                PinEffect::NoBenefit,
                "Use Highest or Time-critical priority. Pinning has no benefit on this PC.",
            ),
            (
                vec![Highest],
                Some(CpuChoice::Cpu(2)),
                PinEffect::Unclear,
                "Use Highest priority, pinned to CPU 2.",
            ),
            (
                vec![Highest],
                None,
                PinEffect::Unclear,
                "Use Highest priority. Pinning makes no clear difference.",
            ),
            (vec![Highest], None, PinEffect::NotMeasured, "Use Highest priority."),
        ] {
            assert_eq!(recommendation(&priorities, pin, pinning), expected);
        }
    }
}
