//! A quick check as a document, and its texts: verdict, cards, frame rates, recommendations, measurement quality.

mod advice;
mod blocks;
mod weakest;

use super::super::quick::{
    Advice, Answer, Card, Conclusion, Figure, QualityCheck, Rate, Scorecard,
};
use super::Grid;
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::report::{Caution, Disturbance, Standing, own_gaps, rare_words};
use crate::stats::grade::{FRAME_LATENESS, FRAME_MISSED};
use crate::stats::{Grade, GradeRange};
use crate::units::{
    MISSING, capitalized, format_count, format_long_time, format_setting, format_share,
    format_time, format_time_above, join_names, time_parts,
};

pub use advice::{
    AdviceWords, advice, delayed_note, delayed_row, first_to_do, nothing_to_do, tool_button,
    what_to_do,
};
pub use blocks::{COMMAND, CheckParts, document, quality};
use weakest::{weakest, weakest_number};

/// Returns the grade of a quick check, or a placeholder if it has none.
pub const fn word(card: &Scorecard) -> &'static str {
    word_of(card.grade, card.standing)
}

/// Returns the grade in the stored conclusion of a quick check, or a placeholder, for a list.
pub const fn conclusion_word(conclusion: &Conclusion) -> &'static str {
    word_of(conclusion.grade, conclusion.standing)
}

const fn word_of(grade: Option<GradeRange>, standing: Standing) -> &'static str {
    match (grade, standing.doubt()) {
        (Some(grade), _) => grade.word(),
        (None, Some(doubt)) => doubt,
        (None, None) => "Incomplete",
    }
}

/// Returns in a few words whether the PC is a likely cause of stutter, for a list.
pub fn short_answer(conclusion: &Conclusion) -> String {
    let bound = conclusion.grade.filter(|grade| grade.is_bound()).map(GradeRange::worst);
    match (conclusion.answer, bound) {
        (_, Some(Grade::Fair)) => "no sign of regular stutter".to_owned(),
        (_, Some(Grade::Poor)) => "stutter is possible".to_owned(),
        (Answer::Occasional | Answer::UnderLoad | Answer::Likely, _)
            if let Standing::Noted(disturbance) = conclusion.standing =>
        {
            format!("stutter while {}", disturbance.words())
        }
        (Answer::Unlikely, _) => "unlikely cause of stutter".to_owned(),
        (Answer::Occasional, _) => "may cause occasional stutter".to_owned(),
        (Answer::UnderLoad, _) => "stutter likely when busy".to_owned(),
        (Answer::Likely, _) => "likely cause of stutter".to_owned(),
        (Answer::Inconclusive { .. }, _) => {
            let disturbance = conclusion.standing.disturbance();
            disturbance.map_or("disturbed", Disturbance::words).to_owned()
        }
        (Answer::NotEnoughData(grading), _) => grading.words(),
        (Answer::Incomplete { skipped: 0, unjudged }, _) => format!("{unjudged} without a verdict"),
        (Answer::Incomplete { skipped, .. }, _) => {
            format!("{skipped} of {} skipped", Part::ALL.len())
        }
    }
}

/// Returns whether the PC is a likely cause of stutter, in a sentence that begins with the grade:
/// "Good: this PC paces frames well, even when busy."
pub fn sentence(card: &Scorecard) -> String {
    match card.grade {
        Some(grade) => format!("{}: {}", grade.word(), sentence_after_grade(card)),
        None => sentence_after_grade(card),
    }
}

/// Returns the text of `sentence` after the grade; if there is no grade, the whole sentence.
pub fn sentence_after_grade(card: &Scorecard) -> String {
    let of = card.cards.len();
    let bound = card.grade.filter(|grade| grade.is_bound()).map(GradeRange::worst);
    match (card.answer, bound) {
        (_, Some(Grade::Fair)) => "no sign of regular stutter.".to_owned(),
        (_, Some(Grade::Poor)) => "stutter is possible.".to_owned(),
        (Answer::Unlikely, _) => "this PC paces frames well, even when busy.".to_owned(),
        (Answer::Occasional, _) => {
            format!("{}this PC may cause occasional stutter when busy.", because(card))
        }
        (Answer::UnderLoad, _) => {
            format!("{}this PC is likely to cause stutter when busy.", because(card))
        }
        (Answer::Likely, _) => format!("{}this PC is likely to cause stutter.", because(card)),
        (Answer::Inconclusive { .. }, _) => {
            let words = card.standing.disturbance().map_or("it was disturbed", Disturbance::words);
            format!("Inconclusive: {words}.")
        }
        (Answer::NotEnoughData(grading), _) => format!("Not enough data: {}.", grading.words()),
        (Answer::Incomplete { skipped: 0, unjudged }, _) => {
            format!("Incomplete: no verdict for {unjudged} of {of} measurements.")
        }
        (Answer::Incomplete { skipped, unjudged: 0 }, _) => {
            format!("Incomplete: skipped {skipped} of {of} measurements.")
        }
        (Answer::Incomplete { skipped, unjudged }, _) => format!(
            "Incomplete: skipped {skipped} of {of} measurements; no verdict for {unjudged}."
        ),
    }
}

/// Returns words for what the grade of a check is due to, if it is not this PC alone: "because of steam, "; otherwise
/// nothing.
fn because(card: &Scorecard) -> String {
    let Standing::Noted(disturbance) = card.standing else { return String::new() };
    let worst = |grade: Option<GradeRange>| grade.map(GradeRange::worst);
    // Frames and gaps can have different main sources: only that of a part with this grade is named.
    let blamed = card.delayed.as_ref().filter(|delayed| {
        card.card(delayed.part).is_some_and(|part| worst(part.grade) == worst(card.grade))
    });
    let program = blamed.and_then(|delayed| {
        let main = delayed.main.as_ref()?;
        delayed.rows.iter().find(|row| row.name == *main)?.program.as_ref()
    });
    match program {
        Some(program) => format!("because of {program}, "),
        None => format!("because {}, ", disturbance.words()),
    }
}

/// Returns the p99 lateness of the frame loop with all CPUs busy, which is not graded; `None` if it
/// was not measured.
pub fn full_load(card: &Scorecard) -> Option<String> {
    let Some(Figure::Frame { full_load, .. }) = &card.card(Part::FrameLoad)?.figure else {
        return None;
    };
    let p99 = format_time((*full_load)?);
    Some(format!("All CPUs busy: p99 lateness {p99}, not graded."))
}

/// Returns the reasons for the answer with their numbers, in one or two lines.
pub fn evidence(card: &Scorecard) -> String {
    [plain_evidence(card), numbers(card)].join(" ").trim().to_owned()
}

/// Returns the frame lateness under load on which the answer is based; empty if there is no answer
/// or no graded lateness.
pub fn numbers(card: &Scorecard) -> String {
    if matches!(card.answer, Answer::Incomplete { .. }) {
        String::new()
    } else {
        rates(&card.rates)
    }
}

/// Returns the reasons for the answer, without the numbers that `numbers` returns.
pub fn plain_evidence(card: &Scorecard) -> String {
    let mut said = Vec::new();
    match card.answer {
        Answer::Incomplete { .. } => {
            let missing: Vec<&str> = card
                .cards
                .iter()
                .filter(|card| card.grade.is_none() && card.standing.doubt().is_none())
                .map(|card| card.part.name())
                .collect();
            let why = match card.cards.iter().find_map(|card| card.denied.as_ref()) {
                Some(refusal) => format!(" Denied: {refusal}."),
                None => String::new(),
            };
            return format!("Without a verdict: {}.{why}", missing.join("; "));
        }
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
                let number = weakest_number(card);
                said.push(format!("Measured anyway: {measured}{number}."));
            }
            said.push(match card.standing.disturbance() {
                Some(Disturbance::OtherPrograms(_)) => format!(
                    "Close {} and run again to see whether this PC is the cause.",
                    busy_names(card).unwrap_or_else(|| "other programs".to_owned())
                ),
                _ => "Run again to see whether this PC is the cause.".to_owned(),
            });
        }
        Answer::NotEnoughData(_) => said.push("Run the check again.".to_owned()),
        Answer::Unlikely | Answer::Occasional | Answer::UnderLoad | Answer::Likely => {}
    }
    if card.grade.is_some() {
        said.push(weakest(card));
    }
    if let Some(main) = card.delayed.as_ref().and_then(|delayed| delayed.main.as_ref()) {
        said.push(format!("Main cause of delays: {main}."));
    }
    if let Standing::Noted(disturbance) = card.standing {
        said.push(format!("Measured while {}.", disturbance.words()));
    }
    said.join(" ")
}

/// Returns the names of the programs that disturbed the check: "chrome and cargo"; `None` if they
/// were not recorded. Omits programs with less than a tenth of the busiest program's CPU use:
/// closing them would not help.
fn busy_names(card: &Scorecard) -> Option<String> {
    let programs = card.advice.iter().find_map(|advice| match advice {
        Advice::OtherPrograms { programs, .. } => Some(programs),
        _ => None,
    });
    let busiest = programs?.first()?.share;
    let disturb = programs?.iter().filter(|one| busiest <= 10.0 * one.share);
    let names: Vec<String> = disturb.map(|one| one.name.clone()).collect();
    Some(join_names(&names))
}

/// Returns the measured frame lateness under load, and the share of a frame that this lateness
/// would be at the highest of the `rates`.
fn rates(rates: &[Rate]) -> String {
    let Some(measured) = rates.iter().find(|rate| rate.is_measured) else { return String::new() };
    let share = |rate: &Rate| format_share(rate.percent / 100.0);
    let (late, fps) = (format_time(measured.p99), measured.fps);
    let estimate = rates
        .iter()
        .rfind(|rate| fps < rate.fps)
        .map_or_else(String::new, |rate| format!(", about {} at {:.0} FPS", share(rate), rate.fps));
    format!(
        "Under load, 99% of frames start at most {late} late (p99): {} of a frame at {fps:.0} FPS{estimate}.",
        share(measured)
    )
}

/// The texts of a card, which shows the result of one part of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardWords {
    /// The number that determines the grade.
    pub number: String,
    /// The unit of the number.
    pub unit: &'static str,
    /// The name of the metric, and its conditions.
    pub caption: String,
    /// Confidence interval and remarks; may be empty.
    pub sentence: String,
}

/// Returns the texts of a card; `None` if its part has no measured number.
pub fn card(card: &Card) -> Option<CardWords> {
    let figure = card.figure.as_ref()?;
    let (number, unit) = time_parts(figure.value());
    let interval = card.scale.and_then(|scale| scale.interval);
    let interval = interval.map(|(low, high)| interval_words(card.grade, low, high));
    let (caption, sentence) = match figure {
        Figure::Sleep { requested, is_loaded, .. } => (
            format!(
                "p99 overshoot of a {} sleep, {}",
                format_setting(*requested),
                if *is_loaded { "under load" } else { "idle" }
            ),
            by_largest(card, "sleep").unwrap_or_default(),
        ),
        Figure::Frame { missed, slots, busy, full_load, missed_words, rare_interval, .. } => {
            let slots = format_count(*slots);
            let missed = match (missed_words, missed) {
                (Some(words), _) => format!("{words}."),
                (None, 0) => format!("None of {slots} frames missed."),
                (None, missed) => format!("{} of {slots} frames missed.", format_count(*missed)),
            };
            let full = full_load.map_or_else(String::new, |p99| {
                format!(" All CPUs busy: {}, not graded.", format_time(p99))
            });
            let single = if card.is_stated_only {
                " No grade: a single CPU is usable, and it is busy."
            } else {
                ""
            };
            let caption = match busy {
                Some(busy) => format!("p99 lateness, {}", busy_words(*busy)),
                None => "p99 lateness at 60 FPS".to_owned(),
            };
            let largest = by_largest(card, "frame").map_or_else(String::new, |largest| {
                format!("{largest} {} ", rare_words("frames", *rare_interval))
            });
            (caption, format!("{largest}{missed}{full}{single}"))
        }
        Figure::Gaps { label, runtime, cpus, culprit, own_gap_count, .. } => {
            let culprit = culprit
                .as_ref()
                .map_or_else(String::new, |culprit| format!(" {culprit} had the CPU."));
            let cpus = if *cpus == 1 { "1 CPU".to_owned() } else { format!("{cpus} CPUs") };
            let sentence = format!(
                "In {} on {cpus}. A maximum is graded as observed.{culprit}{}",
                format_long_time(*runtime),
                own_gaps(*own_gap_count)
            );
            (format!("longest gap, {label}"), sentence)
        }
        Figure::Spin { requested, .. } => (
            format!("mean overshoot of a {} spin", format_setting(*requested)),
            if card.grade.is_none_or(|grade| grade.worst() <= Grade::Good) {
                String::new()
            } else {
                "Even spin waits overshoot: the thread is being preempted.".to_owned()
            },
        ),
    };
    let sentence = [interval.unwrap_or_default(), sentence].join(" ").trim().to_owned();
    Some(CardWords { number, unit, caption, sentence })
}

/// Returns the sentence on the largest sample if the grade rests on it, because there are too few samples for an interval:
/// "No frame was more than 833 µs late."
fn by_largest(card: &Card, sample: &str) -> Option<String> {
    let scale = card.scale.filter(|scale| scale.interval.is_none())?;
    let limit = match card.grade?.worst() {
        Grade::Excellent => scale.limits[0],
        Grade::Good => scale.limits[1],
        Grade::Fair => scale.limits[2],
        Grade::Poor => return None,
    };
    Some(format!("No {sample} was more than {} late.", format_time(limit)))
}

/// Returns a confidence interval, and the grades that it covers if there are several.
fn interval_words(grade: Option<GradeRange>, low: Nanos, high: Nanos) -> String {
    let interval = format!("95% CI {} to {}", format_time(low), format_time(high));
    match grade.filter(|grade| grade.is_bound()) {
        Some(grade) => {
            let between = if grade.best() == Grade::Excellent && grade.worst() == Grade::Fair {
                "to"
            } else {
                "and"
            };
            let (best, worst) = (grade.best().word(), grade.worst().word());
            format!("{interval}: covers {best} {between} {worst}.")
        }
        None => format!("{interval}."),
    }
}

/// Returns how many CPUs the load occupies: "8 of 16 CPUs busy".
fn busy_words((threads, cpus): (i64, usize)) -> String {
    let is_fitting = usize::try_from(threads).is_ok_and(|threads| threads <= cpus);
    match (threads, cpus) {
        (1, 1) => "the only CPU busy".to_owned(),
        (threads, cpus) if is_fitting => format!("{threads} of {cpus} CPUs busy"),
        (threads, _) => format!("{threads} load threads"),
    }
}

/// Placeholder for the grade if no configuration ran as requested.
const DENIED: &str = "Not as requested";
/// Placeholder for a result that is reported without a grade.
const NOT_GRADED: &str = "Not graded";

/// Returns the placeholder of a card without a number.
pub const fn no_number(card: &Card) -> &'static str {
    if card.is_skipped {
        "Skipped"
    } else if let Some(doubt) = card.standing.doubt() {
        doubt
    } else if card.denied.is_some() {
        DENIED
    } else if card.is_stated_only {
        NOT_GRADED
    } else {
        "No verdict"
    }
}

/// Returns why a card has no number.
pub fn why_no_number(card: &Card) -> String {
    match &card.denied {
        _ if card.is_skipped => "Skipped, so there is no overall verdict.".to_owned(),
        Some(refusal) => format!("This system denied {}.", refusal.requested),
        None => "Not enough data for a verdict.".to_owned(),
    }
}

/// Returns the grade of a card, or a placeholder.
pub fn card_word(card: &Card) -> String {
    match (card.grade, card.standing.doubt()) {
        _ if card.is_skipped => "Skipped".to_owned(),
        (None, None) if card.denied.is_some() => DENIED.to_owned(),
        _ if card.is_stated_only => NOT_GRADED.to_owned(),
        _ => part_word(card.grade, card.standing),
    }
}

/// Returns the grade of a part in a list, or a placeholder: "Poor, disturbed".
pub fn part_word(grade: Option<GradeRange>, standing: Standing) -> String {
    match (grade, standing, standing.doubt()) {
        (None, Standing::Inconclusive { measured, .. }, _) => {
            format!("{}, disturbed", measured.words())
        }
        (Some(grade), ..) => grade.word().to_owned(),
        (None, _, Some(doubt)) => doubt.to_owned(),
        (None, _, None) => "No verdict".to_owned(),
    }
}

/// Returns the limit of the grade Good for a card: "Good up to 833 µs".
pub fn limit(card: &Card) -> String {
    let good = card.scale.map(|scale| scale.limits[1]);
    good.map_or_else(String::new, |good| format!("Good up to {}", format_time(good)))
}

/// Returns the table of frame rates.
pub fn rates_grid(card: &Scorecard) -> Grid {
    let header = [
        "FPS",
        "Target frame time",
        "p99 lateness",
        "Share of frame time",
        "Missed frames",
        "Verdict",
    ];
    let row = |one| rate(one).into_iter().chain([rate_word(one).to_owned()]).collect();
    Grid {
        header: header.map(str::to_owned).to_vec(),
        is_right: vec![true, true, true, true, true, false],
        rows: card.rates.iter().map(row).collect(),
    }
}

/// Returns the limits by which the table of frame rates is graded.
pub fn rate_limits() -> String {
    format!(
        "Share of frame time: {}, Poor above that. Clearly more than {}% of frames missed lowers the verdict.",
        FRAME_LATENESS.sentence(),
        FRAME_MISSED.upper[0] / 10.0
    )
}

/// The title of the table of frame rates.
pub const RATE_TITLE: &str = "Frame rates that this PC can pace under load";
/// The data source of the table of frame rates.
pub const RATE_SOURCE: &str =
    "Measured at 60 FPS; rates that were not measured are estimates, without a grade";

/// Returns the grade of a frame rate as text, or a placeholder if it has none.
fn rate_word(rate: &Rate) -> &'static str {
    match (rate.is_measured, rate.grade) {
        (false, _) => "estimate",
        (true, Some(grade)) => grade.word(),
        (true, None) => MISSING,
    }
}

/// Returns the cells of one frame rate in the table of frame rates, except for the grade.
fn rate(rate: &Rate) -> [String; 5] {
    let about = if rate.is_measured { "" } else { "about " };
    let missed = match (rate.missed, rate.slots) {
        _ if !rate.is_measured => MISSING.to_owned(),
        (0, _) => "none".to_owned(),
        (missed, slots) => {
            let parts = u32::try_from(slots.max(1)).map_or(f64::MAX, f64::from);
            let share = u32::try_from(missed).map_or(f64::MAX, f64::from) / parts;
            format!("{:.1}%", share * 100.0)
        }
    };
    [
        format!("{:.0}", rate.fps),
        format_time(rate.period),
        format!("{about}{} late", format_time(rate.p99)),
        format!("{about}{}", format_share(rate.percent / 100.0)),
        missed,
    ]
}

/// Returns label and text of one aspect of the measurement quality.
pub fn trust(trust: &QualityCheck) -> (&'static str, String) {
    match trust {
        QualityCheck::Samples { frames, sleeps, lost } => {
            let lost = match lost {
                0 => "None lost.".to_owned(),
                lost => format!("{} lost: percentiles may be too low.", format_count(*lost)),
            };
            let (frames, sleeps) = (format_count(*frames), format_count(*sleeps));
            ("Samples", format!("{frames} frames, {sleeps} sleeps. {lost}"))
        }
        QualityCheck::Window(Err(why)) => ("Window", format!("{}.", capitalized(why))),
        QualityCheck::Window(Ok(_)) if trust.is_good() => {
            ("Window", "Visible the whole time.".to_owned())
        }
        QualityCheck::Window(Ok(hidden)) => {
            ("Window", format!("Hidden for {}.", format_long_time(*hidden)))
        }
        QualityCheck::OtherPrograms { share: None, .. } => {
            ("Other programs", "Not reported by this system.".to_owned())
        }
        QualityCheck::OtherPrograms { share: Some(share), .. } => {
            let depends = if trust.is_good() { "" } else { " The result depends on them." };
            ("Other programs", format!("Up to {} of one CPU.{depends}", format_share(*share)))
        }
        QualityCheck::Clock { step, read_nanos, backward } => {
            let steady = match backward {
                0 => "No backward jumps".to_owned(),
                1 => "Went backward once".to_owned(),
                more => format!("Went backward {more} times"),
            };
            let read = format_time(Nanos::from_nanos_f64(*read_nanos));
            let step = format_time_above(*step, Nanos::new(1));
            ("Clock", format!("{steady}, resolution {step}, {read} per read."))
        }
        QualityCheck::Slept(slept) => {
            ("Sleep", format!("This PC slept for {} during the check.", format_long_time(*slept)))
        }
        QualityCheck::DebugBuild => {
            ("Build", "Debug build: results can be worse than with a release build.".to_owned())
        }
        QualityCheck::EditedAfterExport => ("File", Caution::EditedAfterExport.to_string()),
    }
}

/// Returns the result of a part in one line, for a list.
pub fn result(card: &Card) -> String {
    match &card.figure {
        None => no_number(card).to_owned(),
        Some(Figure::Sleep { requested, p99, worst, .. }) => format!(
            "p99 overshoot of {} sleeps {}, max {}",
            format_time(*requested),
            format_time(*p99),
            format_time(*worst)
        ),
        Some(Figure::Frame { p99, .. }) => {
            format!("p99 lateness {}", format_time(*p99))
        }
        Some(Figure::Gaps { label, longest, .. }) => {
            format!("Longest gap {}, {label}", format_time(*longest))
        }
        Some(Figure::Spin { requested, average }) => {
            format!(
                "{} mean overshoot of a {} spin",
                format_time(*average),
                format_time(*requested)
            )
        }
    }
}

#[cfg(test)]
mod tests;
