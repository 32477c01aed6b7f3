//! What to do after a quick check, in words: who delayed frames, and what else was found.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::report::quick::{Advice, Delayed, DelayedRow, Scorecard};
use jitterscope_engine::report::{Cause, Suspect};

use super::super::{format_count, format_share, format_time};
use super::wide;

/// How many frames the rows of what to do are about; empty where none was late.
pub fn delayed_note(delayed: &Delayed) -> String {
    if delayed.late_count == 0 {
        return String::new();
    }
    let when = if delayed.part == Part::FrameLoad { "under load" } else { "when idle" };
    format!(
        "{} of {} frames {when} started more than {} late ({} of a frame)",
        format_count(delayed.late_count),
        format_count(wide(delayed.frame_count)),
        format_time(delayed.above),
        format_share(delayed.above.as_f64() / delayed.period.as_f64().max(1.0))
    )
}

/// The words of a row of what to do: "steam.exe delayed 41 of these 60 frames".
pub fn delayed_row(delayed: &Delayed, row: &DelayedRow) -> AdviceWords {
    let frames =
        format!("{} of these {} frames", format_count(row.count), format_count(delayed.late_count));
    let title = match row.cause {
        _ if 1 < row.culprits => format!("{} others delayed {frames}", row.culprits),
        Cause::Thread | Cause::Interrupt => format!("{} delayed {frames}", row.name),
        Cause::WaitedForCpu => format!("{frames} waited for a CPU"),
        _ => format!("{}: {frames}", row.name),
    };
    let mut said = Vec::new();
    if Nanos::ZERO < row.worst {
        let share = format_share(row.worst.as_f64() / delayed.period.as_f64().max(1.0));
        said.push(format!("Up to {} ({share} of a frame).", format_time(row.worst)));
    }
    match (&row.program, &delayed.suspect) {
        _ if 1 < row.culprits => {}
        (Some(_), _) => said.push("Pause or close it, then run again.".to_owned()),
        (None, Some(suspect)) if row.cause == Cause::WaitedForCpu => {
            said.push(Suspect::suspicion(suspect));
        }
        (None, _) if row.cause.advice().is_empty() => {}
        (None, _) => said.push(row.cause.advice().to_owned()),
    }
    AdviceWords { title, text: said.join(" "), button: "Show frames" }
}

/// What to do where no frame was late, and nothing else was found.
pub fn nothing_to_do(card: &Scorecard) -> Option<String> {
    let delayed = card.delayed.as_ref().filter(|delayed| delayed.late_count == 0)?;
    let is_free = card.advice.iter().all(|advice| *advice == Advice::LookElsewhere);
    is_free.then(|| {
        format!("No frame was more than {} late. Nothing to do.", format_time(delayed.above))
    })
}

/// Everything to do in words, the first thing first: who delayed frames, and what else was found.
pub fn what_to_do(card: &Scorecard) -> Vec<AdviceWords> {
    let rows = card.delayed.iter();
    let rows = rows.flat_map(|delayed| delayed.rows.iter().map(|row| delayed_row(delayed, row)));
    let named_gap = card.advice.iter().take_while(|advice| {
        matches!(advice, Advice::LongGaps { culprit: Some(_), .. } | Advice::Denied(_))
    });
    let first = named_gap.count();
    let first_words = card.advice.iter().take(first).map(advice);
    first_words.chain(rows).chain(card.advice.iter().skip(first).map(advice)).collect()
}

/// The words of something that would help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceWords {
    /// What it is.
    pub title: String,
    /// What to do, and why.
    pub text: String,
    /// Label of its button.
    pub button: &'static str,
}

/// The label of a button that opens a window of the desktop.
pub const fn tool_button(tool: SystemTool) -> &'static str {
    match tool {
        SystemTool::Power => "Show setting",
        SystemTool::Programs => "Show programs",
    }
}

/// The words of something that would help.
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
            match culprit {
                Some(_) => {
                    "It had the CPU in the longest gap. Run Scheduling gaps to see how often."
                }
                None => {
                    "Another program, a driver, firmware, or a hypervisor may have used the CPU. \
                     Run Scheduling gaps to see how often."
                }
            }
            .to_owned(),
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
