//! The command of a test: fills in the settings, measures, prints the results.

use clap::ArgMatches;
use jitterscope_engine::measure::Request;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::{Options, Report, follow_up, with_follow_up};
use jitterscope_engine::runner::RunSequence;
use jitterscope_engine::store::Store;

use super::form::Fill;
use super::holoscan;
use super::hosts::HostResult;
use super::labels;
use super::names;
use super::output::Output;
use super::print::reference::{self, LiveOutput};
use super::print::{self, print_message};
use super::renamed::is_value;
use super::repeats;
use super::terminal::{self, Terminal};
use super::{Status, failed, text, why};
use crate::text::format_long_time;

/// Measures a test with the given options.
pub(super) fn run(
    store: Option<&Store>,
    mut plan: Plan,
    matches: &ArgMatches,
) -> Result<Status, Status> {
    if let Some(key) = text(matches, "preset")
        && let Some(preset) = plan.presets().into_iter().find(|preset| is_value(&key, preset.key))
    {
        plan = preset.plan;
    }
    let mut fill = Fill::new(matches);
    if holoscan::is_selected(matches) {
        fill.accept_plain_seconds(holoscan::DURATION);
    }
    plan.probe_mut().settings(&mut fill);
    let (notes, errors) = holoscan::apply(&mut plan, matches);
    fill.notes.extend(notes);
    fill.errors.extend(errors);
    for note in &fill.notes {
        print_message(note);
    }
    let times = matches.get_one::<u32>("repeat").copied().unwrap_or(1);
    if 1 < times && matches.contains_id("out") {
        fill.errors
            .push("--out names a single file and cannot be combined with --repeat".to_owned());
    }
    let is_given = |name: &&str| matches.try_contains_id(name).is_ok_and(|is_given| is_given);
    let folders = ["out-dir", holoscan::PLOT_DIR].into_iter().filter(is_given);
    fill.errors.extend(folders.filter(|_| 1 < times).map(|name| {
        format!("--{name} names the folder of a single run and cannot be combined with --repeat")
    }));
    if !fill.errors.is_empty() {
        for error in fill.errors {
            failed(error);
        }
        return Err(Status::WrongUse);
    }
    Output::of(matches).check().map_err(failed)?;
    holoscan::create_folder(matches).map_err(failed)?;
    let terminal = Terminal::open(store, matches, std::slice::from_ref(&plan))?;
    let mut runs = Vec::new();
    let mut is_printed = true;
    for step in RunSequence::repeats(&plan, &labels::given(matches), times) {
        if 1 < times {
            print_message(&format!("run {} of {times}", step.round));
        }
        let mut request = terminal.host.facts().request(step.plan, step.labels);
        request.trace = why::trace_mode(matches);
        if !terminal.is_quiet {
            print_length(&request);
        }
        let (trace, labels) = (request.trace, request.labels.clone());
        let mut live = LiveOutput::of(matches, &request).map_err(failed)?;
        let mut saved = terminal.measure(request, live.as_mut()).map_err(|error| error.report())?;
        let report = Report::of(&saved.run, &Options::default());
        if let Some(plan) = follow_up(&saved.run, &report).filter(|_| !terminal.is_interrupted()) {
            let mut request = terminal.host.facts().request(plan, labels);
            request.trace = trace;
            match terminal.measure_after(request, None, Some(&saved.run), with_follow_up) {
                Ok(both) => saved = both,
                Err(error) => {
                    failed(error);
                    is_printed = false;
                }
            }
        }
        let mut before = live.map(|live| live.finish(&saved.run)).unwrap_or_default();
        match holoscan::write_plots(&saved.run, &report, matches) {
            Ok(lines) if reference::is_format(matches) => before.extend(lines),
            Ok(lines) => lines.iter().for_each(|line| print_message(line)),
            Err(error) => {
                failed(error);
                is_printed = false;
            }
        }
        // Print the result before messages: the reader of the messages may be slow or may have
        // closed the pipe.
        let printed = print::result_after(&saved.run, matches, &before);
        let status = terminal::report(&saved);
        if let Err(error) = &printed {
            failed(error);
        }
        if status != Status::Done {
            return Err(status);
        }
        // Checked again, because the status of the run does not show an interruption after the run
        // has ended.
        if terminal.is_interrupted() {
            return Err(Status::Stopped);
        }
        is_printed &= printed.is_ok();
        runs.push(saved.run);
    }
    if let Some(run) = runs.last() {
        HostResult::print_for_batch(|place| {
            let (run, report) = names::evaluated(run, place);
            HostResult::of_run(&run, &report)
        });
    }
    if 1 < runs.len() {
        repeats::print_variation(terminal.store, &runs);
    }
    if is_printed { Ok(Status::Done) } else { Err(Status::Failed) }
}

/// If the result of a test may require further measurements, prints the duration of the test
/// without and with these measurements.
fn print_length(request: &Request) {
    let (plan, cpus) = (&request.plan, &request.cpus);
    let more = plan.probe().follow_up_length(cpus);
    if more != Nanos::ZERO {
        let length = plan.duration(cpus);
        print_message(&format!(
            "takes about {}, at most {} where several changes help",
            format_long_time(length),
            format_long_time(length + more)
        ));
    }
}
