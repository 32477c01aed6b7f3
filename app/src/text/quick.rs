//! What a quick check says, in words: the answer, its cards, its rates, what would help, how far to trust it.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::quick::{Advice, Answer, Card, Figure, Rate, Scorecard, Trust};
use jitterscope_engine::stats::Grade;

use super::{count, date, duration, duration_above, local, parts, percent, sentence_duration};

/// The grade, or what stands where there is none.
pub const fn word(card: &Scorecard) -> &'static str {
    match card.grade {
        Some(grade) => grade.word(),
        None => "No answer",
    }
}

/// The answer in one sentence.
pub fn sentence(card: &Scorecard) -> String {
    let of = card.cards.len();
    match card.answer {
        Answer::Unlikely => "Your PC is unlikely to be the cause of stutter.".to_owned(),
        Answer::NowAndThen => "Your PC may add to stutter now and then.".to_owned(),
        Answer::WhenBusy => {
            "Your PC is a likely cause of stutter when other programs are busy.".to_owned()
        }
        Answer::Likely => "Your PC is a likely cause of stutter.".to_owned(),
        Answer::Incomplete { skipped: 0, unjudged } => {
            format!("No answer: {unjudged} of {of} measurements gave no verdict.")
        }
        Answer::Incomplete { skipped, unjudged: 0 } => {
            format!("No answer: {skipped} of {of} measurements were skipped.")
        }
        Answer::Incomplete { skipped, unjudged } => format!(
            "No answer: {skipped} of {of} measurements were skipped, and {unjudged} gave no \
             verdict."
        ),
    }
}

/// The numbers behind the answer, in a line or two.
pub fn evidence(card: &Scorecard) -> String {
    let mut said = Vec::new();
    match card.answer {
        Answer::Incomplete { .. } => {
            let missing: Vec<&str> = card
                .cards
                .iter()
                .filter(|card| card.grade.is_none())
                .map(|card| card.part.name())
                .collect();
            return format!("Without a verdict: {}.", missing.join("; "));
        }
        Answer::WhenBusy => said.push("It keeps time well enough when idle.".to_owned()),
        Answer::Unlikely | Answer::NowAndThen | Answer::Likely => {}
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
    said.push(rates(&card.rates));
    said.retain(|sentence| !sentence.is_empty());
    said.join(" ")
}

/// Which frame rates are steady under load, in a sentence or two.
fn rates(rates: &[Rate]) -> String {
    let Some(first) = rates.iter().find(|rate| Grade::Good < rate.grade) else {
        return match (rates.first(), rates.last()) {
            (Some(least), Some(most)) => {
                format!("Steady at {:.0} to {:.0} FPS under load.", least.fps, most.fps)
            }
            _ => String::new(),
        };
    };
    let worst = rates.last().map_or(first.percent, |rate| rate.percent);
    let shares =
        format!("{} to {} of a frame", percent(first.percent / 100.0), percent(worst / 100.0));
    let steady: Vec<String> = rates
        .iter()
        .take_while(|rate| rate.grade <= Grade::Good)
        .map(|rate| format!("{:.0}", rate.fps))
        .collect();
    match steady.as_slice() {
        [] => format!(
            "Under load, 1 frame in 100 starts over {} late: {shares} at {:.0} FPS and above.",
            duration(first.p99),
            first.fps
        ),
        steady => format!(
            "Steady at {} FPS under load. From {:.0} FPS up, delays take {shares}.",
            listed(steady),
            first.fps
        ),
    }
}

/// `30`, `30 and 60`, `30, 60 and 120`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
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
            let beside = if *is_loaded { "under load" } else { "idle" };
            (
                "too long at most, 99 of 100 sleeps".to_owned(),
                format!(
                    "{} sleeps took {} on average; {} at worst {beside}.",
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
                "late at most, 99 of 100 frames".to_owned(),
                format!("{} of a 60 FPS frame. {missed}", percent(share / 100.0)),
            )
        }
        Figure::Gaps { label, typical, .. } => (
            format!("biggest gap, on {label}"),
            format!("Bare-metal PCs typically stay under {}.", duration(*typical)),
        ),
        Figure::Spin { requested, .. } => (
            format!("average overshoot, {} spin", duration(*requested)),
            if card.grade <= Some(Grade::Good) {
                "A spinning loop is exact while its core is free.".to_owned()
            } else {
                "Even a spinning loop is late here: its core is taken away.".to_owned()
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

/// What stands in a card instead of a number.
pub const fn no_number(card: &Card) -> &'static str {
    if card.is_skipped { "Skipped" } else { "No verdict" }
}

/// Up to where a card is Good: "Good up to 833 µs".
pub fn limit(card: &Card) -> String {
    card.strip.map_or_else(String::new, |strip| format!("Good up to {}", duration(strip.good)))
}

/// The headers of the table of frame rates.
pub const RATE_HEADERS: [&str; 6] =
    ["FPS", "Time per frame", "99 of 100 at most", "Share of a frame", "Missed frames", "Verdict"];

/// How the table of frame rates is judged.
pub const RATE_LIMITS: &str = "Share of a frame: up to 1% Excellent, 5% Good, 15% Fair, above \
                               that Poor. Any missed frame lowers the verdict.";

/// What the table of frame rates is made of.
pub const RATE_SOURCE: &str = "Measured at 60 FPS, others calculated from the same delays";

/// The cells of a frame rate, but for its verdict.
pub fn rate(rate: &Rate) -> [String; 5] {
    let missed = match (rate.missed, rate.slots) {
        (0, _) => "none".to_owned(),
        (missed, slots) => {
            let parts = u32::try_from(slots.max(1)).map_or(f64::MAX, f64::from);
            let share = u32::try_from(missed).map_or(f64::MAX, f64::from) / parts;
            format!("{:.1} in 100", share * 100.0)
        }
    };
    [
        format!("{:.0}", rate.fps),
        duration(rate.period),
        format!("{} late", duration(rate.p99)),
        percent(rate.percent / 100.0),
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
    /// What its button says.
    pub button: &'static str,
}

/// The words of something that would help.
pub fn advice(advice: &Advice) -> AdviceWords {
    let words =
        |title: &str, text: String, button| AdviceWords { title: title.to_owned(), text, button };
    match advice {
        Advice::RepeatWhole => words(
            "Not everything was measured",
            "Only all five measurements together give an answer.".to_owned(),
            "Repeat check",
        ),
        Advice::OtherPrograms { share } => words(
            &format!("Other programs used {} of a core", percent(*share)),
            "Close them and repeat the check. If the answer changes, they are the cause and the \
             hardware is fine."
                .to_owned(),
            "Repeat check",
        ),
        Advice::OnBattery => words(
            "The PC ran on its battery",
            "Processors slow down and sleep more deeply to save power. Plug it in, then repeat."
                .to_owned(),
            "Repeat check",
        ),
        Advice::PowerPlan { name } => words(
            &format!("Power mode is {name}"),
            "Performance mode usually shortens the delays under load.".to_owned(),
            "Show where",
        ),
        Advice::VirtualMachine { host } => words(
            &format!("This is a virtual machine ({host})"),
            "Its host can take a CPU away unseen. Repeat the check on the host itself.".to_owned(),
            "Show machine",
        ),
        Advice::LongGaps { label, biggest } => words(
            &format!("{label} was taken away for {}", duration(*biggest)),
            "A driver, the firmware or a hypervisor held it. A longer look shows how often."
                .to_owned(),
            "Open Scheduling gaps",
        ),
        Advice::LateUnderLoad { idle, loaded } => words(
            "For game developers",
            format!(
                "99 of 100 frames were at most {} late when idle, {} under load. Measure whether \
                 a higher priority helps.",
                duration(*idle),
                duration(*loaded)
            ),
            "Open Frame loop",
        ),
        Advice::UnsafeSleep { tail } => words(
            "For game developers",
            match tail {
                Some(tail) => format!(
                    "Sleeping alone is unsafe in a frame limiter here. Sleep less and spin for \
                     the last {}.",
                    duration(*tail)
                ),
                None => "Sleeping is unsafe in a frame limiter here.".to_owned(),
            },
            "Open Sleep accuracy",
        ),
        Advice::LookElsewhere => words(
            "For players",
            "Drivers, storage, network and the graphics card are not tested here. If a game \
             stutters, look there next."
                .to_owned(),
            "Show machine",
        ),
    }
}

/// The name and the text of a line of how far to trust a check.
pub fn trust(trust: &Trust) -> (&'static str, String) {
    match trust {
        Trust::Samples { frames, sleeps, lost } => {
            let lost = match lost {
                0 => "None lost.".to_owned(),
                lost => format!("{} lost: percentiles may be too low.", count(*lost)),
            };
            let (frames, sleeps) = (count(wide(*frames)), count(wide(*sleeps)));
            ("Samples", format!("{frames} frames, {sleeps} sleeps. {lost}"))
        }
        Trust::Window(None) => ("Window", "None: measured in a terminal.".to_owned()),
        Trust::Window(Some(hidden)) if trust.is_good() => {
            let _ = hidden;
            ("Window", "Visible all the time.".to_owned())
        }
        Trust::Window(Some(hidden)) => {
            ("Window", format!("Hidden for {}.", sentence_duration(*hidden)))
        }
        Trust::OtherPrograms(None) => {
            ("Other programs", "Not known: this system does not tell.".to_owned())
        }
        Trust::OtherPrograms(Some(share)) => {
            let depends = if trust.is_good() { "" } else { " The result depends on them." };
            ("Other programs", format!("Up to {} of a core.{depends}", percent(*share)))
        }
        Trust::Clock { step, read_nanos, backward } => {
            let steady = match backward {
                0 => "Steady".to_owned(),
                1 => "Went back once".to_owned(),
                more => format!("Went back {more} times"),
            };
            let read = duration(Nanos::from_nanos_f64(*read_nanos));
            let step = duration_above(*step, Nanos::new(1));
            ("Clock", format!("{steady}, {step} steps, {read} per reading."))
        }
        Trust::Slept(slept) => {
            ("Sleep", format!("The PC slept for {} meanwhile.", sentence_duration(*slept)))
        }
        Trust::DebugBuild => {
            ("Build", "A debug build: numbers may be worse than they are.".to_owned())
        }
    }
}

/// The answer as Markdown, for a ticket.
pub fn ticket(card: &Scorecard, machine: &str, began: jiff::Timestamp) -> String {
    let mut text = format!("**{}: {}**\n\n", word(card), sentence(card));
    text.push_str(&format!("{} · {machine}\n\n{}\n\n", check_name(began), evidence(card)));
    text.push_str("| Measurement | Verdict | Number | Limit | What it is |\n");
    text.push_str("| --- | --- | --- | --- | --- |\n");
    for one in &card.cards {
        let word = one.grade.map_or(no_number(one), |grade| grade.word());
        let (number, caption) = self::card(one).map_or_else(
            || (super::MISSING.to_owned(), String::new()),
            |said| (format!("{} {}", said.number, said.unit), said.caption),
        );
        let (name, limit) = (one.part.name(), limit(one));
        text.push_str(&format!("| {name} | {word} | {number} | {limit} | {caption} |\n"));
    }
    if !card.rates.is_empty() {
        text.push_str(&format!("\n{RATE_SOURCE}\n\n| {} |\n", RATE_HEADERS.join(" | ")));
        text.push_str("| ---: | ---: | ---: | ---: | ---: | --- |\n");
        for one in &card.rates {
            text.push_str(&format!("| {} | {} |\n", rate(one).join(" | "), one.grade.word()));
        }
    }
    text.push_str("\nRepeat with `jitterscope-cli quick`.\n");
    text.replace(super::NARROW_SPACE, " ")
}

/// What the run of a part is called: "Quick check, 20 Nov 2025, 21:37: frame loop, idle".
pub fn run_name(part: Part, began: jiff::Timestamp) -> String {
    format!("{}: {}", check_name(began), part.name().to_lowercase())
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
            "99 of 100 sleeps of {} at most {} too long, worst {}",
            duration(*requested),
            duration(*p99),
            duration(*worst)
        ),
        Some(Figure::Frame { p99, .. }) => {
            format!("99 of 100 frames at most {} late", duration(*p99))
        }
        Some(Figure::Gaps { label, biggest, .. }) => {
            format!("Biggest gap {}, on {label}", duration(*biggest))
        }
        Some(Figure::Spin { requested, average }) => {
            format!("{} over a spin of {} on average", duration(*average), duration(*requested))
        }
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(answer: Answer, grade: Option<Grade>) -> Scorecard {
        let card = |part| Card { part, is_skipped: false, grade, figure: None, strip: None };
        Scorecard {
            grade,
            answer,
            cards: Part::ALL.map(card).to_vec(),
            rates: Vec::new(),
            advice: Vec::new(),
            trust: Vec::new(),
        }
    }

    #[test]
    fn every_answer_has_its_sentence() {
        for (answer, grade, expected) in [
            (
                Answer::Unlikely,
                Some(Grade::Good),
                "Your PC is unlikely to be the cause of stutter.",
            ),
            (Answer::NowAndThen, Some(Grade::Fair), "Your PC may add to stutter now and then."),
            (
                Answer::WhenBusy,
                Some(Grade::Poor),
                "Your PC is a likely cause of stutter when other programs are busy.",
            ),
            (Answer::Likely, Some(Grade::Poor), "Your PC is a likely cause of stutter."),
            (
                Answer::Incomplete { skipped: 2, unjudged: 0 },
                None,
                "No answer: 2 of 5 measurements were skipped.",
            ),
            (
                Answer::Incomplete { skipped: 0, unjudged: 1 },
                None,
                "No answer: 1 of 5 measurements gave no verdict.",
            ),
        ] {
            assert_eq!(sentence(&of(answer, grade)), expected);
        }
    }

    #[test]
    fn steady_rates_are_named_and_the_first_that_is_not() {
        let rate_of = |fps: f64, percent: f64, grade| Rate {
            fps,
            period: Nanos::from_secs_f64(1.0 / fps),
            p99: Nanos::from_micros(524),
            percent,
            missed: 31,
            slots: 600,
            grade,
            is_measured: false,
        };
        let all = [
            rate_of(30.0, 1.6, Grade::Good),
            rate_of(60.0, 3.1, Grade::Good),
            rate_of(120.0, 6.3, Grade::Fair),
            rate_of(240.0, 12.6, Grade::Fair),
        ];
        assert_eq!(
            rates(&all),
            "Steady at 30 and 60 FPS under load. From 120 FPS up, delays take 6.3% to 12.6% of a \
             frame."
        );
        assert_eq!(rates(&all[..2]), "Steady at 30 to 60 FPS under load.");
        assert_eq!(
            rates(&all[2..]),
            "Under load, 1 frame in 100 starts over 524\u{202f}µs late: 6.3% to 12.6% of a frame \
             at 120 FPS and above."
        );
        assert_eq!(rates(&[]), "");
        let cells = rate(&all[1]);
        assert_eq!(
            cells.each_ref().map(|cell| cell.replace('\u{202f}', " ")),
            ["60", "16.67 ms", "524 µs late", "3.1%", "5.2 in 100"]
        );
    }
}
