//! The `record compare` command: how often a game stuttered in two recordings, and conditions on that for scripts.

use std::error::Error;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::export::{self, document::Block, markdown};
use jitterscope_engine::report::RecordingResults;
use jitterscope_engine::report::recording::{LastTime, incomparable};
use jitterscope_engine::run::recording::EarlierRecording;
use jitterscope_engine::run::{Run, Subject};
use serde_json::{Value, json};

use super::super::compare::gate::{Gate, Judged, RATE_KEY};
use super::super::compare::{conclude, fail_if_arg, undecided_arg};
use super::super::output::Output;
use super::super::runs;
use super::super::{Status, format_option, names, path_option, print, text};

/// Returns the `compare` command.
pub(super) fn command() -> Command {
    let run = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name(name).help(help).required(true)
    };
    Command::new("compare")
        .about("Compare how often a game stuttered in two recordings")
        .after_help(
            "Rates are per 10 min of play, without pauses; what comes within 5 s of the time before counts once. Bursts are \
             allowed for, and all causes are decided together. Conditions: worse, slightly-worse, or such as stutter>+20% \
             (all stutters together).\n\nExit status: 3 if a condition is true, else 4 if one is undecided.",
        )
        .arg(run("EARLIER", "ID, name, or file of the earlier recording"))
        .arg(run("LATER", "ID, name, or file of the later recording"))
        .arg(fail_if_arg())
        .arg(undecided_arg())
        .arg(format_option(&["table", "json", "markdown"], "Output format").help_heading("Output"))
        .arg(
            path_option("out", "FILE", "Write the comparison to this file; - for standard output")
                .help_heading("Output"),
        )
}

/// Runs the `compare` command.
pub(super) fn run(matches: &ArgMatches) -> Result<Status, Box<dyn Error>> {
    let store = super::store(matches);
    let no_recording = "only recordings are compared; compare other runs with 'compare'";
    let load = |name: &str| -> Result<Run, Box<dyn Error>> {
        let name = text(matches, name).unwrap_or_default();
        let mut runs = runs::open_runs(&runs::entry_files(store.as_ref(), &name)?)?;
        let run = runs.pop().filter(|_| runs.is_empty());
        run.ok_or_else(|| no_recording.into())
    };
    let (earlier, mut later) = (load("EARLIER")?, load("LATER")?);
    let both = earlier.recording().zip(later.recording());
    if let Some(why) = both.and_then(|(earlier, later)| incomparable(earlier, later)) {
        return Err(format!("not compared: {why}").into());
    }
    let earlier = EarlierRecording::of(&earlier).ok_or(no_recording)?;
    let Subject::Recorded(recording) = &mut later.subject else { return Err(no_recording.into()) };
    recording.earlier = Some(earlier);
    let (format, output) = (text(matches, "format").unwrap_or_default(), Output::of(matches));
    let (later, report) = names::evaluated(&later, output.place(&format));
    let results = report.results.get::<RecordingResults>().zip(later.recording());
    let last = results.and_then(|(results, recording)| LastTime::of(recording, &results.analysis));
    let last = last.ok_or(no_recording)?;
    let gates: Vec<&Gate> = matches.get_many::<Gate>("fail-if").into_iter().flatten().collect();
    if let Some(other) = gates.iter().find(|gate| !gate.is_about(RATE_KEY)) {
        return Err(format!("--fail-if {other}: recordings are compared by {RATE_KEY}").into());
    }
    let judged: Vec<Judged> = gates.into_iter().map(|gate| gate.judge_rates(&last)).collect();
    let mut blocks = vec![Block::item(last.sentence()), Block::Table(Box::new(last.table()), 0)];
    let content = match format.as_str() {
        "json" => format!("{:#}\n", to_json(&last, &judged)),
        "markdown" => {
            blocks.extend(judged.iter().map(|one| Block::item(one.words())));
            markdown::text(&blocks)
        }
        _ => export::for_terminal(&print::blocks("", blocks.iter(), "")),
    };
    output.write(|to| to.write_all(content.as_bytes()))?;
    Ok(conclude(&judged, matches))
}

fn to_json(last: &LastTime, judged: &[Judged]) -> Value {
    let rates = last.rates.iter().map(|rate| {
        json!({
            "cause": rate.title,
            "earlier_per_10_min": rate.rates[0],
            "later_per_10_min": rate.rates[1],
            "change": rate.effect.difference,
            "interval_95": rate.effect.interval.map(|(low, high)| [low, high]),
            "min_effect": rate.effect.minimum,
            "result": rate.outcome().words().key,
        })
    });
    json!({
        "earlier": last.earlier[0],
        "play_nanos": last.plays.map(jitterscope_engine::nanos::Nanos::get),
        "rates": rates.collect::<Vec<_>>(),
        "fail_if": judged.iter().map(Judged::json).collect::<Vec<_>>(),
    })
}
