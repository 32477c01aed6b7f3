//! Recommendations after a quick check: programs that delayed frames, and other findings.

use super::plain_evidence;
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::platform::SystemTool;
use crate::report::quick::{Advice, Answer, Delayed, DelayedRow, Scorecard};
use crate::report::{Cause, Suspect, advice_against, kernel_thread};
use crate::units::{format_count, format_share, format_time};

/// Returns how many frames were late, to which the recommendations refer; empty if no frame was
/// late.
pub fn delayed_note(delayed: &Delayed) -> String {
    if delayed.late_count == 0 {
        return String::new();
    }
    let when = if delayed.part == Part::FrameLoad { "under load" } else { "when idle" };
    let unseen = delayed.rows.iter().find(|row| is_unseen(row)).map_or_else(String::new, |row| {
        format!("; the cause of {} is not observable here", format_count(row.count))
    });
    format!(
        "{} of {} frames {when} started more than {} late ({} of a frame){unseen}",
        format_count(delayed.late_count),
        format_count(delayed.frame_count),
        format_time(delayed.above),
        format_share(delayed.above.as_f64() / delayed.period.as_f64().max(1.0))
    )
}

/// Returns whether a row counts frames without an observable cause, for which there is no
/// recommendation.
fn is_unseen(row: &DelayedRow) -> bool {
    row.cause == Cause::NotObservable && row.culprits == 1
}

/// Returns the texts about the late frames that have the same cause: "steam.exe delayed 41 of these
/// 60 frames".
pub fn delayed_row(delayed: &Delayed, row: &DelayedRow) -> AdviceWords {
    let of = |this: &str| match delayed.late_count {
        1 => format!("{this} frame"),
        all => format!("{} of these {} frames", format_count(row.count), format_count(all)),
    };
    let frames = of("this");
    let title = match row.cause {
        _ if 1 < row.culprits => format!("{} others delayed {frames}", row.culprits),
        Cause::Thread | Cause::Interrupt => format!("{} delayed {frames}", row.name),
        Cause::WaitedForCpu => format!("{} waited for a CPU", of("This")),
        _ => format!("{}: {frames}", row.name),
    };
    let mut said = Vec::new();
    if Nanos::ZERO < row.worst {
        let share = format_share(row.worst.as_f64() / delayed.period.as_f64().max(1.0));
        let by = if 1 < row.culprits { format!(", by {}", row.name) } else { String::new() };
        said.push(format!("Up to {} ({share} of a frame){by}.", format_time(row.worst)));
    }
    match (&row.program, &delayed.suspect) {
        _ if 1 < row.culprits => {}
        (Some(_), _) => said.push("Pause or close it, then run again.".to_owned()),
        (None, Some(suspect)) if row.cause == Cause::WaitedForCpu => {
            said.push(Suspect::suspicion(suspect));
        }
        (None, _) => said.push(advice_against(row.cause, &row.name)),
    }
    said.retain(|sentence| !sentence.is_empty());
    AdviceWords { title, text: said.join(" "), button: "Show frames" }
}

/// Returns the text that nothing is to be done, if no frame was late and nothing else was found;
/// `None` otherwise.
pub fn nothing_to_do(card: &Scorecard) -> Option<String> {
    let delayed = card.delayed.as_ref().filter(|delayed| delayed.late_count == 0)?;
    let is_free = card.advice.iter().all(|advice| *advice == Advice::LookElsewhere);
    is_free.then(|| {
        format!("No frame was more than {} late. Nothing to do.", format_time(delayed.above))
    })
}

/// Returns all recommendations, most important first: denied requests and long gaps with a known
/// cause, then programs that delayed frames, then other findings. Frames without an observable
/// cause are omitted; `delayed_note` counts them.
pub fn what_to_do(card: &Scorecard) -> Vec<AdviceWords> {
    let rows = card.delayed.iter().flat_map(|delayed| {
        let named = delayed.rows.iter().filter(|row| !is_unseen(row));
        named.map(|row| delayed_row(delayed, row))
    });
    let named_gap = card.advice.iter().take_while(|advice| {
        matches!(advice, Advice::LongGaps { culprit: Some(_), .. } | Advice::Denied(_))
    });
    let first = named_gap.count();
    let first_words = card.advice.iter().take(first).map(advice);
    first_words.chain(rows).chain(card.advice.iter().skip(first).map(advice)).collect()
}

/// Returns the first recommendation in a sentence; `None` if there is none, or if the text of
/// `plain_evidence` already includes it.
pub fn first_to_do(card: &Scorecard) -> Option<String> {
    // The evidence already recommends closing the programs that disturbed the check.
    if matches!(card.answer, Answer::Inconclusive { .. }) {
        return None;
    }
    let first = card.advice.first().map(first_step);
    let is_found = |advice: &&Advice| {
        matches!(advice, Advice::LongGaps { culprit: Some(_), .. } | Advice::Denied(_))
    };
    if card.advice.first().as_ref().is_some_and(is_found) {
        return first;
    }
    let mut rows = card.delayed.iter().flat_map(|delayed| &delayed.rows);
    let of_row = |row: &DelayedRow| match &row.program {
        _ if 1 < row.culprits => None,
        Some(program) => Some(format!("Pause or close {program}, then run again.")),
        None => Some(advice_against(row.cause, &row.name)).filter(|words| !words.is_empty()),
    };
    let first = rows.find_map(of_row).or(first)?;
    Some(first).filter(|first| !plain_evidence(card).contains(first))
}

/// Returns a recommendation in a sentence.
fn first_step(advice: &Advice) -> String {
    match advice {
        Advice::RepeatWhole => "Run the check again.",
        Advice::Denied(_) => return self::advice(advice).text,
        Advice::OtherPrograms { .. } => "Close other programs and run the check again.",
        Advice::OnBattery => "Connect the power adapter, then run the check again.",
        Advice::PowerPlan { .. } => "Select a power mode for performance.",
        Advice::VirtualMachine { .. } => "Run the check on the host itself.",
        Advice::LongGaps { culprit: Some(culprit), .. } => {
            let what = kernel_thread(culprit).map_or_else(String::new, |what| format!(" {what}"));
            return format!("Run Scheduling gaps to see how often {culprit} runs.{what}");
        }
        Advice::LongGaps { .. } => "Run Scheduling gaps to see how often this happens.",
        Advice::LateUnderLoad { .. } => "Close other programs before you play.",
        Advice::UnsafeSleep { .. } => "In a frame limiter, sleep less and spin for the rest.",
        Advice::LookElsewhere => {
            "If a game stutters, check drivers, storage, network, and the GPU."
        }
    }
    .to_owned()
}

/// The texts of a recommendation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceWords {
    /// The title: what was found.
    pub title: String,
    /// The recommended step, and the reason.
    pub text: String,
    /// The label of the button that performs the step.
    pub button: &'static str,
}

/// Returns the label of a button that opens a settings window of the desktop.
pub const fn tool_button(tool: SystemTool) -> &'static str {
    match tool {
        SystemTool::Power => "Show setting",
        SystemTool::Programs => "Show programs",
    }
}

/// Returns title, text, and button label of a recommendation.
pub fn advice(advice: &Advice) -> AdviceWords {
    let words =
        |title: &str, text: String, button| AdviceWords { title: title.to_owned(), text, button };
    match advice {
        Advice::RepeatWhole => words(
            "Run the check again",
            "An overall verdict needs all five measurements, each with enough data.".to_owned(),
            "Run again",
        ),
        Advice::Denied(refusal) => words(
            &format!("This system denied {}", refusal.requested),
            match refusal.remedy.as_str() {
                "" => format!("The reason: {}.", refusal.reason),
                remedy => format!("To allow it, {remedy}. Then run the check again."),
            },
            "Open Machine page",
        ),
        Advice::OtherPrograms { share, programs } => words(
            &format!("Other programs used {} of one CPU", format_share(*share)),
            format!(
                "{}Close them and run the check again. If the verdict improves, those programs \
                 are the cause, not the hardware.",
                match Suspect::list(programs).as_str() {
                    "" => String::new(),
                    list => format!("Busiest: {list}. "),
                }
            ),
            "Run again",
        ),
        Advice::OnBattery => words(
            "This PC ran on battery",
            "To save power, CPUs run at lower frequencies and enter deeper idle states. Connect \
             the power adapter, then run the check again."
                .to_owned(),
            "Run again",
        ),
        Advice::PowerPlan { name } => words(
            &format!("Power mode is \"{name}\""),
            "Performance mode usually reduces lateness.".to_owned(),
            "Open Machine page",
        ),
        Advice::VirtualMachine { host } => words(
            &format!("This is a virtual machine ({host})"),
            "The host can preempt virtual CPUs without this system seeing it. Run the check on \
             the host itself."
                .to_owned(),
            "Open Machine page",
        ),
        Advice::LongGaps { label, longest, culprit } => words(
            &match culprit {
                Some(culprit) => format!("{culprit} used {label} for {}", format_time(*longest)),
                None => format!("{label} had a {} gap", format_time(*longest)),
            },
            match culprit.as_deref().map(kernel_thread) {
                Some(Some(kernel)) => {
                    format!("{kernel} Run Scheduling gaps to see how often it runs.")
                }
                Some(None) => {
                    "It had the CPU in the longest gap. Run Scheduling gaps to see how often."
                        .to_owned()
                }
                None => {
                    "Another program, a driver, firmware, or a hypervisor may have used the CPU. \
                     Run Scheduling gaps to see how often."
                        .to_owned()
                }
            },
            "Open Scheduling gaps",
        ),
        Advice::LateUnderLoad { idle, loaded } => words(
            "Frames are later under load",
            format!(
                "p99 lateness is {} idle and {} under load. Close other programs before you play. \
                 Developers: measure whether a higher priority helps.",
                format_time(*idle),
                format_time(*loaded)
            ),
            "Open Frame loop",
        ),
        Advice::UnsafeSleep { tail } => words(
            "For game developers",
            match tail {
                Some(tail) => format!(
                    "Sleep alone is not accurate enough for a frame limiter on this PC. Sleep \
                     until {} before the next frame, then spin.",
                    format_time(*tail)
                ),
                None => {
                    "Sleep alone is not accurate enough for a frame limiter on this PC.".to_owned()
                }
            },
            "Open Sleep accuracy",
        ),
        Advice::LookElsewhere => words(
            "For players",
            "This check does not cover drivers, storage, network, or the GPU. If a game still \
             stutters, check those next."
                .to_owned(),
            "Open Machine page",
        ),
    }
}
