//! Texts of a quick check: verdict, cards, frame rates, recommendations, measurement quality.

mod document;

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::report::quick::{
    Advice, Answer, Card, Conclusion, Figure, QualityCheck, Rate, Scorecard,
};
use jitterscope_engine::report::{Disturbance, Doubt, Standing};
use jitterscope_engine::stats::Grade;

use super::{count, date, duration, duration_above, local, parts, percent, sentence_duration};

pub use document::document;

/// The grade, or a placeholder without one.
pub const fn word(card: &Scorecard) -> &'static str {
    word_of(card.grade, card.standing)
}

/// The same for a list.
pub const fn conclusion_word(conclusion: &Conclusion) -> &'static str {
    word_of(conclusion.grade, conclusion.standing)
}

const fn word_of(grade: Option<Grade>, standing: Standing) -> &'static str {
    match (grade, Doubt::of(standing)) {
        (Some(grade), _) => grade.word(),
        (None, Some(doubt)) => doubt.words(),
        (None, None) => "Incomplete",
    }
}

/// The answer in a few words, for a list.
pub fn short_answer(conclusion: &Conclusion) -> String {
    match conclusion.answer {
        Answer::Unlikely => "unlikely cause of stutter".to_owned(),
        Answer::Occasional => "may cause occasional stutter".to_owned(),
        Answer::UnderLoad => "stutter likely when busy".to_owned(),
        Answer::Likely => "likely cause of stutter".to_owned(),
        Answer::Inconclusive { .. } => {
            let disturbance = conclusion.standing.disturbance();
            disturbance.map_or("disturbed", Disturbance::words).to_owned()
        }
        Answer::NotEnoughData(grading) => grading.words(),
        Answer::Incomplete { skipped: 0, unjudged } => format!("{unjudged} without a verdict"),
        Answer::Incomplete { skipped, .. } => format!("{skipped} of {} skipped", Part::ALL.len()),
    }
}

/// The answer in one sentence.
pub fn sentence(card: &Scorecard) -> String {
    let of = card.cards.len();
    match card.answer {
        Answer::Unlikely => "This PC is unlikely to cause stutter.".to_owned(),
        Answer::Occasional => "This PC may cause occasional stutter.".to_owned(),
        Answer::UnderLoad => {
            "This PC is likely to cause stutter when other programs are busy.".to_owned()
        }
        Answer::Likely => "This PC is likely to cause stutter.".to_owned(),
        Answer::Inconclusive { .. } => {
            let words = card.standing.disturbance().map_or("it was disturbed", Disturbance::words);
            format!("Inconclusive: {words}.")
        }
        Answer::NotEnoughData(grading) => {
            format!(
                "Not enough data to decide between {}.",
                grading.words().replace(" or ", " and ")
            )
        }
        Answer::Incomplete { skipped: 0, unjudged } => {
            format!("Incomplete: no verdict for {unjudged} of {of} measurements.")
        }
        Answer::Incomplete { skipped, unjudged: 0 } => {
            format!("Incomplete: skipped {skipped} of {of} measurements.")
        }
        Answer::Incomplete { skipped, unjudged } => format!(
            "Incomplete: skipped {skipped} of {of} measurements; no verdict for {unjudged}."
        ),
    }
}

/// What the answer rests on, and its numbers, in a line or two.
pub fn evidence(card: &Scorecard) -> String {
    [plain_evidence(card), numbers(card)].join(" ").trim().to_owned()
}

/// The numbers behind the answer; empty where it rests on none.
pub fn numbers(card: &Scorecard) -> String {
    if matches!(card.answer, Answer::Incomplete { .. }) {
        String::new()
    } else {
        rates(&card.rates)
    }
}

/// What the answer rests on, without percentiles.
pub fn plain_evidence(card: &Scorecard) -> String {
    let mut said = Vec::new();
    match card.answer {
        Answer::Incomplete { .. } => {
            let missing: Vec<&str> = card
                .cards
                .iter()
                .filter(|card| card.grade.is_none() && Doubt::of(card.standing).is_none())
                .map(|card| card.part.name())
                .collect();
            let why = match card.cards.iter().find_map(|card| card.denied.as_ref()) {
                Some(refusal) => format!(" Denied: {refusal}."),
                None => String::new(),
            };
            return format!("Without a verdict: {}.{why}", missing.join("; "));
        }
        Answer::UnderLoad => said.push("Timing is accurate enough when idle.".to_owned()),
        Answer::Inconclusive { idle, loaded } => {
            let measured = match (idle, loaded) {
                (Some(idle), Some(loaded)) if idle == loaded => {
                    format!("{} at idle and under load", idle.word())
                }
                (Some(idle), Some(loaded)) => {
                    format!("{} at idle, {} under load", idle.word(), loaded.word())
                }
                (Some(one), None) | (None, Some(one)) => one.word().to_owned(),
                (None, None) => String::new(),
            };
            if !measured.is_empty() {
                said.push(format!("Measured anyway: {measured}."));
            }
            said.push(match card.standing.disturbance() {
                Some(Disturbance::OtherPrograms(_)) => {
                    "Close other programs and run again to see whether this PC is the cause."
                        .to_owned()
                }
                _ => "Run again to see whether this PC is the cause.".to_owned(),
            });
        }
        Answer::NotEnoughData(_) => said.push("Run the check again.".to_owned()),
        Answer::Unlikely | Answer::Occasional | Answer::Likely => {}
    }
    let is_bad = |one: &&Card| one.grade == card.grade && Some(Grade::Good) < one.grade;
    let worst: Vec<String> = card
        .cards
        .iter()
        .filter(is_bad)
        .filter_map(|card| {
            let number = duration(card.figure.as_ref()?.value());
            Some(format!("{} ({number})", card.part.name()))
        })
        .collect();
    if !worst.is_empty() {
        said.push(format!("Worst: {}.", worst.join("; ")));
    }
    if let Standing::Noted(disturbance) = card.standing {
        said.push(format!("Measured while {}.", disturbance.words()));
    }
    said.join(" ")
}

/// How late frames start under load, as measured, and what that is of a frame at higher rates.
fn rates(rates: &[Rate]) -> String {
    let Some(measured) = rates.iter().find(|rate| rate.is_measured) else { return String::new() };
    let share = |rate: &Rate| percent(rate.percent / 100.0);
    let (late, fps) = (duration(measured.p99), measured.fps);
    let estimate = rates
        .iter()
        .rfind(|rate| fps < rate.fps)
        .map_or_else(String::new, |rate| format!(", about {} at {:.0} FPS", share(rate), rate.fps));
    format!(
        "Under load, 99% of frames start at most {late} late (p99): {} of a frame at {fps:.0} FPS{estimate}.",
        share(measured)
    )
}

/// The words of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardWords {
    /// The number that decides the grade.
    pub number: String,
    /// Its unit.
    pub unit: &'static str,
    /// What the number is.
    pub caption: String,
    /// What else there is to say.
    pub sentence: String,
}

/// The words of a card with a number.
pub fn card(card: &Card) -> Option<CardWords> {
    let figure = card.figure.as_ref()?;
    let (number, unit) = parts(figure.value());
    let (caption, sentence) = match figure {
        Figure::Sleep { requested, is_loaded, averages, worst, .. } => {
            let load_label = if *is_loaded { "under load" } else { "idle" };
            (
                "p99 sleep overshoot".to_owned(),
                format!(
                    "{} sleeps took {} on average. Max {load_label}: {}.",
                    duration(*requested),
                    averages_words(*averages),
                    duration(*worst)
                ),
            )
        }
        Figure::Frame { percent: share, missed, slots, .. } => {
            let missed = match missed {
                0 => "None missed.".to_owned(),
                missed => {
                    format!("{} of {} frames missed.", count(wide(*missed)), count(wide(*slots)))
                }
            };
            (
                "p99 frame lateness".to_owned(),
                format!("{} of a 60 FPS frame. {missed}", percent(share / 100.0)),
            )
        }
        Figure::Gaps { label, typical, .. } => (
            format!("longest gap, {label}"),
            format!("Physical PCs typically stay below {}.", duration(*typical)),
        ),
        Figure::Spin { requested, .. } => (
            format!("average overshoot, {} spin", duration(*requested)),
            if card.grade <= Some(Grade::Good) {
                "A spin wait is exact as long as its thread is not preempted.".to_owned()
            } else {
                "Even spin waits overshoot: the thread is being preempted.".to_owned()
            },
        ),
    };
    Some(CardWords { number, unit, caption, sentence })
}

fn averages_words((idle, loaded): (Option<Nanos>, Option<Nanos>)) -> String {
    match (idle, loaded) {
        (Some(idle), Some(loaded)) => {
            format!("{} idle and {} under load", duration(idle), duration(loaded))
        }
        (Some(one), None) | (None, Some(one)) => duration(one),
        (None, None) => super::MISSING.to_owned(),
    }
}

/// In place of a grade where nothing ran as requested.
const DENIED: &str = "Not as requested";

/// Placeholder of a card without a number.
pub const fn no_number(card: &Card) -> &'static str {
    if card.is_skipped {
        "Skipped"
    } else if let Some(doubt) = Doubt::of(card.standing) {
        doubt.words()
    } else if card.denied.is_some() {
        DENIED
    } else {
        "No verdict"
    }
}

/// Why a card has no number.
pub fn why_no_number(card: &Card) -> String {
    match &card.denied {
        _ if card.is_skipped => "Skipped, so there is no overall verdict.".to_owned(),
        Some(refusal) => format!("This system denied {}.", refusal.requested),
        None => "Not enough data for a verdict.".to_owned(),
    }
}

/// The grade of a card, or what takes its place.
pub fn card_word(card: &Card) -> String {
    match (card.grade, Doubt::of(card.standing)) {
        _ if card.is_skipped => "Skipped".to_owned(),
        (None, None) if card.denied.is_some() => DENIED.to_owned(),
        _ => part_word(card.grade, card.standing),
    }
}

/// The grade of a part in a list, or what takes its place: "Poor, disturbed".
pub fn part_word(grade: Option<Grade>, standing: Standing) -> String {
    match (grade, standing, Doubt::of(standing)) {
        (None, Standing::Inconclusive { measured, .. }, _) => {
            format!("{}, disturbed", measured.words())
        }
        (Some(grade), ..) => grade.word().to_owned(),
        (None, _, Some(doubt)) => doubt.words().to_owned(),
        (None, _, None) => "No verdict".to_owned(),
    }
}

/// Up to where a card is Good: "Good up to 833 µs".
pub fn limit(card: &Card) -> String {
    card.strip.map_or_else(String::new, |strip| format!("Good up to {}", duration(strip.good)))
}

/// The headers of the table of frame rates.
pub const RATE_HEADERS: [&str; 6] =
    ["FPS", "Target frame time", "p99 lateness", "Share of frame time", "Missed frames", "Verdict"];

/// How the table of frame rates is judged.
pub const RATE_LIMITS: &str = "Share of frame time: Excellent up to 1%, Good up to 5%, Fair up to 15%, Poor \
                               above that. Clearly more than 0.01% of frames missed lowers the verdict.";

/// What the table of frame rates is made of.
pub const RATE_SOURCE: &str =
    "Measured at 60 FPS; rates that were not measured are estimates, without a grade";

/// The word for the grade of a frame rate.
pub fn rate_word(rate: &Rate) -> &'static str {
    match (rate.is_measured, rate.grade) {
        (false, _) => "estimate",
        (true, Some(grade)) => grade.word(),
        (true, None) => super::MISSING,
    }
}

/// The cells of a frame rate, but for its verdict.
pub fn rate(rate: &Rate) -> [String; 5] {
    let about = if rate.is_measured { "" } else { "about " };
    let missed = match (rate.missed, rate.slots) {
        _ if !rate.is_measured => super::MISSING.to_owned(),
        (0, _) => "none".to_owned(),
        (missed, slots) => {
            let parts = u32::try_from(slots.max(1)).map_or(f64::MAX, f64::from);
            let share = u32::try_from(missed).map_or(f64::MAX, f64::from) / parts;
            format!("{:.1}%", share * 100.0)
        }
    };
    [
        format!("{:.0}", rate.fps),
        duration(rate.period),
        format!("{about}{} late", duration(rate.p99)),
        format!("{about}{}", percent(rate.percent / 100.0)),
        missed,
    ]
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
        Advice::Delayed(main, late_count) => {
            let (title, text) = main.recommendation(*late_count);
            words(&title, text, "Run again")
        }
        Advice::OtherPrograms { share } => words(
            &format!("Other programs used {} of one CPU", percent(*share)),
            "Close them and run the check again. If the verdict improves, those programs are the \
             cause, not the hardware."
                .to_owned(),
            "Run again",
        ),
        Advice::OnBattery => words(
            "The PC ran on battery",
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
        Advice::LongGaps { label, longest } => words(
            &format!("{label} had a {} gap", duration(*longest)),
            "Another program, a driver, firmware, or a hypervisor may have used the CPU. Run \
             Scheduling gaps to see how often."
                .to_owned(),
            "Open Scheduling gaps",
        ),
        Advice::LateUnderLoad { idle, loaded } => words(
            "Frames are later under load",
            format!(
                "p99 lateness is {} idle and {} under load. Close other programs before you play. \
                 Developers: measure whether a higher priority helps.",
                duration(*idle),
                duration(*loaded)
            ),
            "Open Frame loop",
        ),
        Advice::UnsafeSleep { tail } => words(
            "For game developers",
            match tail {
                Some(tail) => format!(
                    "Sleep alone is not accurate enough for a frame limiter on this PC. Sleep \
                     until {} before the next frame, then spin.",
                    duration(*tail)
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

/// The name and the text of a line of how far to trust a check.
pub fn trust(trust: &QualityCheck) -> (&'static str, String) {
    match trust {
        QualityCheck::Samples { frames, sleeps, lost } => {
            let lost = match lost {
                0 => "None lost.".to_owned(),
                lost => format!("{} lost: percentiles may be too low.", count(*lost)),
            };
            let (frames, sleeps) = (count(wide(*frames)), count(wide(*sleeps)));
            ("Samples", format!("{frames} frames, {sleeps} sleeps. {lost}"))
        }
        QualityCheck::Window(None) => ("Window", "None: measured in a terminal.".to_owned()),
        QualityCheck::Window(Some(hidden)) if trust.is_good() => {
            let _ = hidden;
            ("Window", "Visible the whole time.".to_owned())
        }
        QualityCheck::Window(Some(hidden)) => {
            ("Window", format!("Hidden for {}.", sentence_duration(*hidden)))
        }
        QualityCheck::OtherPrograms { share: None, .. } => {
            ("Other programs", "Not reported by this system.".to_owned())
        }
        QualityCheck::OtherPrograms { share: Some(share), .. } => {
            let depends = if trust.is_good() { "" } else { " The result depends on them." };
            ("Other programs", format!("Up to {} of one CPU.{depends}", percent(*share)))
        }
        QualityCheck::Clock { step, read_nanos, backward } => {
            let steady = match backward {
                0 => "No backward jumps".to_owned(),
                1 => "Went backward once".to_owned(),
                more => format!("Went backward {more} times"),
            };
            let read = duration(Nanos::from_nanos_f64(*read_nanos));
            let step = duration_above(*step, Nanos::new(1));
            ("Clock", format!("{steady}, resolution {step}, {read} per read."))
        }
        QualityCheck::Slept(slept) => {
            ("Sleep", format!("The PC slept for {} during the check.", sentence_duration(*slept)))
        }
        QualityCheck::DebugBuild => {
            ("Build", "Debug build: results can be worse than with a release build.".to_owned())
        }
    }
}

/// What a check is called.
pub fn check_name(began: jiff::Timestamp) -> String {
    format!("Quick check, {}", date(&local(began)))
}

/// What a part found, in a line for a list.
pub fn result(card: &Card) -> String {
    match &card.figure {
        None => no_number(card).to_owned(),
        Some(Figure::Sleep { requested, p99, worst, .. }) => format!(
            "p99 overshoot of {} sleeps {}, max {}",
            duration(*requested),
            duration(*p99),
            duration(*worst)
        ),
        Some(Figure::Frame { p99, .. }) => {
            format!("p99 lateness {}", duration(*p99))
        }
        Some(Figure::Gaps { label, longest, .. }) => {
            format!("Longest gap {}, {label}", duration(*longest))
        }
        Some(Figure::Spin { requested, average }) => {
            format!("{} average overshoot of a {} spin", duration(*average), duration(*requested))
        }
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
