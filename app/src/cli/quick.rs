//! The quick check on the command line: five short measurements, one verdict.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use jitterscope_engine::export::openmetrics::{self, Source};
use jitterscope_engine::export::{self, CheckFile, Format, KeptSamples};
use jitterscope_engine::format;
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::plan::quick::{CheckSettings, Part};
use jitterscope_engine::report::document::Level;
use jitterscope_engine::report::quick::{Measured, Scorecard, joined, lateness_chart};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::{Ending, Labels, Run};
use jitterscope_engine::runner::{CheckSequence, CheckStep, MachineFacts, QuietWait};
use jitterscope_engine::store::Store;

use super::hosts::HostResult;
use super::names::{self, Place};
use super::output::Output;
use super::print::{blocks, print_message};
use super::terminal::{self, Terminal};
use super::{Status, capture_view, failed, format_option, host, labels, path_option, text, why};
use crate::run_list::is_skipped;
use crate::text as words;

/// Returns the `quick` command with its options.
pub(super) fn command() -> Command {
    Command::new("quick")
        .about("Run five short tests and report whether this PC may cause stutter")
        .after_help(
            "Takes about a minute. Saves each test as a run with the tag quick-check. Nothing is \
             installed and no system settings are changed.",
        )
        .arg(format_option(
            &["table", "json", "openmetrics"],
            "Output format; openmetrics is for Prometheus",
        ))
        .arg(path_option("out", "FILE", "Write the result to this file; - for standard output"))
        .args(terminal::run_args())
        .args(labels::args())
        .arg(why::trace_arg())
        .args(host::host_args())
        .arg(host::hosts_arg(&[]))
}

/// Adds a hidden option that shortens the measurements for testing. It is not part of `command`,
/// because shell completions would offer it.
pub(super) fn scaled(command: Command) -> Command {
    command.arg(
        Arg::new("scale")
            .long("scale")
            .value_parser(clap::value_parser!(f64))
            .default_value("1")
            .hide(true),
    )
}

/// A quick check in progress.
struct QuickCheck<'a> {
    facts: MachineFacts,
    terminal: Terminal<'a>,
    trace: TraceMode,
    labels: Labels,
    sequence: CheckSequence<(Run, Report)>,
    began: jiff::Timestamp,
    has_saved: bool,
    has_failed: bool,
}

/// Runs the quick check on this PC or the selected host, saves its runs, and writes the result.
pub(super) fn run(store: Option<&Store>, matches: &ArgMatches) -> Result<Status, Status> {
    let output = Output::of(matches);
    output.check().map_err(failed)?;
    let terminal = Terminal::open(store, matches, &[])?;
    let trace = why::trace_mode(matches);
    terminal.host.check_trace(trace).map_err(failed)?;
    let facts = terminal.host.facts();
    let share = matches.get_one::<f64>("scale").copied().unwrap_or(1.0);
    let settings = CheckSettings { scale: share, ..terminal.host.check_settings(&facts.cpus) };
    let mut check = QuickCheck {
        sequence: CheckSequence::new(&Part::ALL, QuietWait::DEFAULT, &facts.cpus, settings),
        facts,
        terminal,
        trace,
        labels: labels::given(matches),
        began: crate::text::now(),
        has_saved: false,
        has_failed: false,
    };
    check.measure_all();
    let format = text(matches, "format").unwrap_or_default();
    let place = output.place(&format);
    let measured = check.sequence.results().into_iter();
    let shown = measured.map(|(part, found)| (part, found.map(|found| redacted(&found.0, place))));
    let saved = Saved { began: check.began, parts: shown.collect() };
    let content = saved.text(&format, &check.facts.machine.short());
    let mut status = if check.has_failed { Status::Failed } else { Status::Done };
    let written = output.write(|to| to.write_all(export::for_terminal(&content).as_bytes()));
    if let Err(error) = written {
        status = failed(error);
    }
    HostResult::print_for_batch(|place| {
        let measured = check.sequence.results().into_iter();
        let parts = measured.map(|(part, found)| (part, found.map(|it| redacted(&it.0, place))));
        let saved = Saved { began: check.began, parts: parts.collect() };
        let parts = saved.measured();
        let runs: Vec<(&Run, &Report)> = parts.iter().filter_map(|(_, found)| *found).collect();
        HostResult::of_check(&Scorecard::of(&parts), &runs)
    });
    if check.terminal.is_interrupted() {
        terminal::print_stopped(check.has_saved);
        status = Status::Stopped;
    }
    Ok(status)
}

/// Returns the newest of the runs for each part of the quick check that was not skipped.
pub(super) fn by_part(mut runs: Vec<Run>) -> BTreeMap<Part, Run> {
    let groups = || runs.iter().filter_map(|run| run.group.as_ref());
    let measured: Vec<Part> =
        Part::ALL.into_iter().filter(|part| !is_skipped(*part, groups())).collect();
    runs.sort_by_key(|run| run.started_at);
    let of_part = runs.into_iter().filter_map(|run| Some((run.plan().and_then(Part::of)?, run)));
    of_part.filter(|(part, _)| measured.contains(part)).collect()
}

/// A quick check whose runs have their names redacted.
pub(super) struct Saved {
    /// When the check began.
    began: jiff::Timestamp,
    parts: Vec<(Part, Option<(Run, Report)>)>,
}

impl Saved {
    /// Creates the check of these runs, with names redacted for the destination `place`.
    pub(super) fn of(runs: &[Run], place: Place) -> Self {
        let began = runs.iter().map(|run| run.started_at).min().unwrap_or_default();
        let mut runs = by_part(runs.to_vec());
        let parts =
            Part::ALL.map(|part| (part, runs.remove(&part).map(|run| redacted(&run, place))));
        Self { began, parts: parts.into() }
    }

    /// Returns the answer in a sentence.
    pub(super) fn sentence(&self) -> String {
        words::quick::sentence(&Scorecard::of(&self.measured()))
    }

    /// Removes notes and tags from the runs.
    pub(super) fn omit_notes(&mut self) {
        for (run, _) in self.parts.iter_mut().filter_map(|(_, found)| found.as_mut()) {
            run.note.clear();
            run.tags.clear();
        }
    }

    fn measured(&self) -> Vec<Measured<'_>> {
        let parts = self.parts.iter();
        parts
            .map(|(part, found)| (*part, found.as_ref().map(|(run, report)| (run, report))))
            .collect()
    }

    fn runs(&self) -> Vec<&Run> {
        self.parts.iter().filter_map(|(_, found)| Some(&found.as_ref()?.0)).collect()
    }

    /// Returns the result in this output format.
    fn text(&self, format: &str, machine: &str) -> String {
        let parts = self.measured();
        let card = Scorecard::of(&parts);
        match format {
            "json" => json(&parts, &card, self.began),
            "openmetrics" => metrics(&parts, &card),
            _ => table(self.began, machine, &card),
        }
    }

    /// Returns the default name of an exported file of the check, as the window names it.
    pub(super) fn file_name(&self, format: Format) -> String {
        let runs = self.runs();
        let group = runs.iter().find_map(|run| run.group.as_ref());
        words::check_file_name(self.began, group, format.extension())
    }

    /// Writes the check as one file in HTML, JSON, or Markdown.
    pub(super) fn write(
        &self,
        format: Format,
        samples: KeptSamples,
        to: &mut dyn io::Write,
    ) -> io::Result<()> {
        let parts = self.measured();
        let (card, chart) = (Scorecard::of(&parts), lateness_chart(&parts));
        let file = CheckFile {
            card: &card,
            parts: &parts,
            chart: chart.as_ref(),
            date: words::local_date,
            included_names: names::included(Place::File),
            samples,
        };
        file.write(format, to)
    }
}

/// Returns a run with names redacted for the destination `place`, and its report.
fn redacted(run: &Run, place: Place) -> (Run, Report) {
    let (run, report) = names::evaluated(run, place);
    (run.into_owned(), report)
}

/// Writes a saved check in the format and to the destination that the options select, with the same
/// content as for a new check.
pub(super) fn show(runs: &[Run], matches: &ArgMatches) -> Result<(), Box<dyn std::error::Error>> {
    let (format, output) = (text(matches, "format").unwrap_or_default(), Output::of(matches));
    let of_one_run = match format.as_str() {
        _ if matches.try_contains_id("why").unwrap_or(false) => Some("--why".to_owned()),
        _ if matches.get_flag("all") => Some("--all".to_owned()),
        "table" | "json" | "openmetrics" => None,
        format => Some(format!("--format {format}")),
    };
    if let Some(option) = of_one_run {
        return Err(format!("{option} is of one run, not of a quick check").into());
    }
    capture_view::refuse_any(matches)?;
    let saved = Saved::of(runs, output.place(&format));
    let machine = saved.runs().first().map(|run| run.machine.short()).unwrap_or_default();
    let content = saved.text(&format, &machine);
    Ok(output.write(|to| to.write_all(export::for_terminal(&content).as_bytes()))?)
}

impl QuickCheck<'_> {
    /// Measures all parts, each once other programs are quiet.
    fn measure_all(&mut self) {
        let mut step = self.sequence.start();
        let mut is_said = false;
        loop {
            self.stop_if_interrupted();
            step = match step {
                CheckStep::Measure(..) if self.sequence.is_stopped => self.sequence.take_no_run(),
                CheckStep::Look(repeated) => {
                    if let Some(disturbance) = repeated {
                        self.print(&format!("disturbed: {disturbance}; measuring again"));
                    }
                    let found = self.terminal.host.look();
                    self.stop_if_interrupted();
                    let words = words::live::busy_now(&found).filter(|_| !is_said);
                    let next = self.sequence.take_other_load(found);
                    if let (CheckStep::Look(_), Some(words)) = (&next, words) {
                        is_said = true;
                        self.print(&format!("waiting for quiet: {words}"));
                    }
                    next
                }
                CheckStep::Measure(plan, labels) => {
                    is_said = false;
                    let measured = self.measure(*plan, labels);
                    self.stop_if_interrupted();
                    match measured {
                        Some(run) => {
                            let report = Report::of(&run, &Options::default());
                            self.sequence.take_run(&Arc::new((run, report)))
                        }
                        None => self.sequence.take_no_run(),
                    }
                }
                CheckStep::End => return,
            };
        }
    }

    fn stop_if_interrupted(&mut self) {
        if self.terminal.is_interrupted() {
            self.sequence.is_stopped = true;
        }
    }

    /// Prints a message unless the terminal is to stay quiet.
    fn print(&self, words: &str) {
        if !self.terminal.is_quiet {
            print_message(words);
        }
    }

    /// Measures and saves the current part; `None` if it has no data.
    fn measure(&mut self, plan: Plan, mut labels: Labels) -> Option<Run> {
        labels.name.clone_from(&self.labels.name);
        labels.note.clone_from(&self.labels.note);
        labels.tags.extend_from_slice(&self.labels.tags);
        let (part, first) = (self.sequence.current(), self.sequence.continued.clone());
        let about = words::format_long_time(plan.duration(&self.facts.cpus));
        let name = part.name();
        let at = self.sequence.current_index() + 1;
        self.print(&match first {
            Some(_) => format!("{name}: measuring longer to decide, {about}"),
            None => format!("{at} of {}: {name}, about {about}", Part::ALL.len()),
        });
        let mut request = self.facts.clone().request(plan, labels);
        request.trace = self.trace;
        let first = first.as_ref().map(|(first, _)| &first.0);
        let saved = match self.terminal.measure_after(request, None, first, joined) {
            Ok(saved) => saved,
            Err(error) => {
                print_message(&format!("error: {name}: {error}"));
                self.has_failed = true;
                return None;
            }
        };
        if let Ending::Failed(reason) = &saved.run.ending {
            print_message(&format!("error: {name} could not finish: {reason}"));
            self.has_failed = true;
        }
        if let Some(failure) = &saved.failure {
            failed(failure);
            self.has_failed = true;
        }
        self.has_saved |= saved.path.is_some();
        let run = saved.run;
        (run.has_data() || run.ending == Ending::Finished).then_some(run)
    }
}

/// Returns the result of a check as text for a terminal. The verdict comes last.
fn table(began: jiff::Timestamp, machine: &str, card: &Scorecard) -> String {
    let head = format!("{}\n{machine}\n\n", words::check_name(began));
    let document = words::quick::document(card, words::quick::CheckParts::default());
    blocks(&head, document.blocks(Level::Page), "")
}

/// Returns the metrics of all measurements and the verdict in the OpenMetrics format.
fn metrics(parts: &[Measured<'_>], card: &Scorecard) -> String {
    let sources = parts.iter().filter_map(|(part, measured)| {
        measured.map(|(run, report)| Source {
            measurement: Some(part.key()),
            run,
            report,
            has_programs: names::has_programs(),
        })
    });
    openmetrics::text(&sources.collect::<Vec<_>>(), card.grade)
}

/// Returns the result as JSON.
fn json(parts: &[Measured<'_>], card: &Scorecard, began: jiff::Timestamp) -> String {
    let whole = serde_json::Value::from(format::check_result(parts, card, began));
    format::safe_json(&format!("{whole:#}\n"))
}
