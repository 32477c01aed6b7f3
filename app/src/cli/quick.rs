//! The quick check on the command line: five short runs, one verdict.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command};
use jitterscope_engine::export;
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::quick::{Figure, Measured, Scorecard};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::runner::{CheckGroup, MachineFacts, OtherLoad, QuietWait};
use jitterscope_engine::stats::Grade;
use jitterscope_engine::store::{self, Store};
use serde_json::{Value, json};

use super::print::{columns, print_message, print_output};
use super::terminal::{Terminal, report_failure};
use super::{Status, text, why};
use crate::text as words;

/// The command with its options.
pub(super) fn command() -> Command {
    Command::new("quick")
        .about("Run five short tests and report whether this PC may cause stutter")
        .after_help(
            "Takes about a minute. Saves each test as a run with the tag quick-check. Nothing is \
             installed and no system settings are changed.",
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["table", "json"])
                .default_value("table")
                .help("Output format"),
        )
        .arg(
            Arg::new("no-save")
                .long("no-save")
                .action(ArgAction::SetTrue)
                .help("Do not save the runs"),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .action(ArgAction::SetTrue)
                .help("Hide progress"),
        )
        .arg(why::trace_arg())
}

/// The command with an option for trying it out, which completions would offer although it is hidden:
/// shorter measurements are less conclusive.
pub(super) fn scaled(command: Command) -> Command {
    command.arg(
        Arg::new("scale")
            .long("scale")
            .value_parser(clap::value_parser!(f64))
            .default_value("1")
            .hide(true),
    )
}

/// A check while it is measured.
struct Check<'a> {
    facts: MachineFacts,
    terminal: Terminal<'a>,
    trace: TraceMode,
    share: f64,
    group: CheckGroup,
    quiet: QuietWait,
    began: jiff::Timestamp,
    has_failed: bool,
}

/// Checks this PC.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Status {
    let terminal = match Terminal::open(store, matches) {
        Ok(terminal) => terminal,
        Err(status) => return status,
    };
    let trace = why::trace_mode(matches);
    if let Err(error) = trace.check() {
        print_message(&format!("error: {error}"));
        return Status::Failed;
    }
    let facts = MachineFacts::read();
    let share = matches.get_one::<f64>("scale").copied().unwrap_or(1.0);
    // What is only tried out neither waits nor repeats.
    let limit = if share < 1.0 { Nanos::ZERO } else { QuietWait::DEFAULT };
    let mut check = Check {
        quiet: QuietWait::new(limit, facts.cpus.usable.len()),
        facts,
        terminal,
        trace,
        share,
        group: CheckGroup::default(),
        began: crate::text::now(),
        has_failed: false,
    };
    let measured: Vec<(Part, Option<(Run, Report)>)> =
        Part::ALL.into_iter().map(|part| (part, check.measure_quietly(part))).collect();
    let parts: Vec<Measured<'_>> = measured
        .iter()
        .map(|(part, found)| (*part, found.as_ref().map(|(run, report)| (run, report))))
        .collect();
    let card = Scorecard::of(&parts);
    let content = match text(matches, "format").as_deref() {
        Some("json") => json(&parts, &card, check.began),
        _ => table(&check, &card),
    };
    let mut status = if check.has_failed { Status::Failed } else { Status::Done };
    if let Err(error) = print_output(&content) {
        print_message(&format!("error: cannot write the verdict: {error}"));
        status = Status::Failed;
    }
    if check.terminal.is_interrupted() {
        print_message("stopped early: measured data is saved, without a verdict");
        status = Status::Stopped;
    }
    status
}

/// Prints a saved check: the newest run of each part counts.
pub(super) fn show(files: &[PathBuf]) -> Result<(), Box<dyn std::error::Error>> {
    let mut runs: Vec<Run> =
        files.iter().map(|file| store::load(file)).collect::<Result<_, _>>()?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.started_at));
    let found = Part::ALL.map(|part| {
        let run = runs.iter().find(|run| run.plan().and_then(Part::of) == Some(part));
        (part, run.map(|run| (run, Report::of(run, &Options::default()))))
    });
    let parts: Vec<Measured<'_>> = found
        .iter()
        .map(|(part, found)| (*part, found.as_ref().map(|(run, report)| (*run, report))))
        .collect();
    let measured: Vec<&Run> = parts.iter().filter_map(|(_, found)| Some((*found)?.0)).collect();
    let document = words::quick::document(&Scorecard::of(&parts), &measured);
    print_output(&export::for_terminal(&export::markdown::text(&document)))?;
    Ok(())
}

impl Check<'_> {
    /// Measures a part once other programs are quiet, and again where they disturbed it all the same.
    fn measure_quietly(&mut self, part: Part) -> Option<(Run, Report)> {
        let evaluated = |run: Run| {
            let report = Report::of(&run, &Options::default());
            (run, report)
        };
        self.wait_for_quiet(part);
        let first = evaluated(self.measure(part)?);
        let disturbance = first.1.verdict.standing.disturbance();
        let is_tried_out = self.share < 1.0 || self.terminal.is_interrupted();
        if is_tried_out || !self.quiet.must_repeat(part, disturbance) {
            return Some(first);
        }
        if let Some(disturbance) = disturbance.filter(|_| !self.terminal.is_quiet()) {
            print_message(&format!("disturbed: {disturbance}; measuring again"));
        }
        self.wait_for_quiet(part);
        Some(self.measure(part).map_or(first, evaluated))
    }

    /// Waits until other programs are quiet, as long as the check may.
    fn wait_for_quiet(&mut self, part: Part) {
        /// How often their load is measured.
        const INTERVAL: Nanos = Nanos::from_millis(500);
        let mut is_said = self.terminal.is_quiet();
        let Some(mut load) = OtherLoad::start().filter(|_| 1.0 <= self.share) else { return };
        while !self.terminal.is_interrupted() {
            std::thread::sleep(INTERVAL.to_duration());
            let share = load.share();
            if !self.quiet.must_wait(part, share) {
                return;
            }
            self.quiet.spend(INTERVAL);
            if let Some(share) = share.filter(|_| !is_said) {
                is_said = true;
                print_message(&format!(
                    "waiting for quiet: other programs use {} of one CPU",
                    words::percent(share)
                ));
            }
        }
    }

    /// Measures and saves a part; `None` where it was skipped or nothing was measured.
    fn measure(&mut self, part: Part) -> Option<Run> {
        if self.terminal.is_interrupted() {
            return None;
        }
        let plan = part.plan(self.share);
        if !self.terminal.is_quiet() {
            let about = words::sentence_duration(plan.duration(&self.facts.cpus));
            let at = Part::ALL.iter().position(|one| *one == part).unwrap_or(0) + 1;
            print_message(&format!("{at} of {}: {}, about {about}", Part::ALL.len(), part.name()));
        }
        let labels = self.group.labels(part);
        let mut request = self.facts.clone().request(plan, labels);
        request.trace = self.trace;
        let saved = match self.terminal.measure(request, None) {
            Ok(saved) => saved,
            Err(error) => {
                print_message(&format!("error: {}: {error}", part.name()));
                self.group.skip(part);
                self.has_failed = true;
                return None;
            }
        };
        if let Ending::Failed(reason) = &saved.run.ending {
            print_message(&format!("error: {} could not finish: {reason}", part.name()));
            self.has_failed = true;
        }
        if let Some(failure) = &saved.failure {
            report_failure(failure);
            self.has_failed = true;
        }
        let run = saved.run;
        (0 < run.sample_count() || run.ending == Ending::Finished).then_some(run)
    }
}

/// The verdict as text.
fn table(check: &Check<'_>, card: &Scorecard) -> String {
    let name = words::quick::check_name(check.began);
    let mut text = format!("{name}\n{}\n\n", check.facts.machine.short());
    let head = ["Measurement", "Verdict", "Value", "Limit", "Metric"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for one in &card.cards {
        let mut row = vec![one.part.name().to_owned(), words::quick::card_word(one)];
        match words::quick::card(one) {
            Some(said) => row.extend([
                format!("{} {}", said.number, said.unit),
                words::quick::limit(one),
                said.caption,
            ]),
            None => row.extend([words::MISSING, words::MISSING, ""].map(str::to_owned)),
        }
        rows.push(row);
    }
    columns(&mut text, &rows);
    if !card.rates.is_empty() {
        text.push_str("\nFrame rates that this PC can pace under load\n");
        text.push_str(words::quick::RATE_SOURCE);
        text.push_str("\n\n");
        let mut rows = vec![words::quick::RATE_HEADERS.map(str::to_owned).to_vec()];
        for rate in &card.rates {
            let mut row = words::quick::rate(rate).to_vec();
            row.push(words::quick::rate_word(rate).to_owned());
            rows.push(row);
        }
        columns(&mut text, &rows);
    }
    let (word, sentence) = (words::quick::word(card), words::quick::sentence(card));
    // Without a grade, the sentence is enough.
    let answer = if card.grade.is_some() { format!("{word}: {sentence}") } else { sentence };
    text.push_str(&format!("\n{answer}\n{}\n", words::quick::evidence(card)));
    if !card.advice.is_empty() {
        text.push_str("\nRecommendations\n");
        for advice in &card.advice {
            let said = words::quick::advice(advice);
            text.push_str(&format!("  {}: {}\n", said.title, said.text));
        }
    }
    if !card.trust.is_empty() {
        text.push_str("\nMeasurement quality\n");
        for trust in &card.trust {
            let (name, said) = words::quick::trust(trust);
            let mark = if trust.is_good() { " " } else { "!" };
            text.push_str(&format!("{mark} {name:<15} {said}\n"));
        }
    }
    // A terminal may lack the narrow space that joins a number and its unit.
    text.replace(words::NARROW_SPACE, " ")
}

/// The answer for a program: lengths of time in nanoseconds, shares of 1 as they are.
fn json(parts: &[Measured<'_>], card: &Scorecard, began: jiff::Timestamp) -> String {
    let plain = |text: String| text.replace(words::NARROW_SPACE, " ");
    let grade = |grade: Option<Grade>| grade.map(Grade::word);
    let cards: Vec<Value> = card
        .cards
        .iter()
        .zip(parts)
        .map(|(one, (part, measured))| {
            let (missed, frames) = match one.figure {
                Some(Figure::Frame { missed, slots, .. }) => (Some(missed), Some(slots)),
                _ => (None, None),
            };
            json!({
                "key": part.key(),
                "name": part.name(),
                "run": measured.map(|(run, _)| run.id.to_string()),
                "is_skipped": one.is_skipped,
                "grade": grade(one.grade),
                "verdict": words::quick::card_word(one),
                "value_nanos": one.figure.as_ref().map(|figure| figure.value().get()),
                "good_up_to_nanos": one.strip.map(|strip| strip.good.get()),
                "fair_up_to_nanos": one.strip.map(|strip| strip.fair.get()),
                "worst_nanos": one.strip.map(|strip| strip.worst.get()),
                "missed_count": missed,
                "slots_count": frames,
                "sentence": words::quick::card(one)
                    .map(|said| plain(format!("{}. {}", said.caption, said.sentence))),
            })
        })
        .collect();
    let rates: Vec<Value> = card
        .rates
        .iter()
        .map(|rate| {
            json!({
                "fps": rate.fps,
                "p99_nanos": rate.p99.get(),
                "percent_of_frame": rate.percent,
                "missed_count": rate.missed,
                "slots_count": rate.slots,
                "grade": grade(rate.grade),
                "is_measured": rate.is_measured,
            })
        })
        .collect();
    let advice: Vec<Value> = card
        .advice
        .iter()
        .map(|advice| {
            let said = words::quick::advice(advice);
            json!({ "title": plain(said.title), "text": plain(said.text) })
        })
        .collect();
    let trust: Vec<Value> = card
        .trust
        .iter()
        .map(|trust| {
            let (name, said) = words::quick::trust(trust);
            json!({ "name": name, "text": plain(said), "is_good": trust.is_good() })
        })
        .collect();
    let whole = json!({
        "began_at": began.to_string(),
        "grade": grade(card.grade),
        "verdict": words::quick::word(card),
        "sentence": plain(words::quick::sentence(card)),
        "evidence": plain(words::quick::evidence(card)),
        "measurements": cards,
        "frame_rates": rates,
        "advice": advice,
        "trust": trust,
    });
    format!("{whole:#}\n")
}
