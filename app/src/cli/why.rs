//! Breaks the lateness of a frame down by cause, and reports which permissions would give a more
//! exact breakdown.

use clap::{Arg, ArgMatches};
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::file_capabilities;
use jitterscope_engine::report::table::Column;
use jitterscope_engine::report::{
    LateSample, RecordCount, Source, late_samples, record_counts, trace_state,
};
use jitterscope_engine::run::{Run, TrialRun};
use jitterscope_engine::units::{count_text, format_count, format_share, format_time};

use super::columns::columns;
use super::names;
use super::output::PrintError;
use super::{number_in, option};

/// Returns the option for recording a trace of the CPUs.
pub(super) fn trace_arg() -> Arg {
    option("trace", "MODE", "Record which threads and interrupts used the CPU around late samples, in as much detail as this system allows").value_parser(["auto", "off", "require"]).default_value("auto").help_heading("Run")
}

/// Returns the option that requests the breakdown of one sample.
pub(super) fn why_arg() -> Arg {
    option("why", "N", "Break down the lateness of sample N by cause, counted from 1")
        .value_parser(number_in(1..=u32::MAX))
        .help_heading("Run")
}

/// Returns the trace mode that the options select.
pub(super) fn trace_mode(matches: &ArgMatches) -> TraceMode {
    match matches.get_one::<String>("trace").map(String::as_str) {
        Some("off") => TraceMode::Off,
        Some("require") => TraceMode::Require,
        _ => TraceMode::Auto,
    }
}

/// Returns the lateness of a frame (counted from 1) broken down by cause, for each trial of a run.
pub(super) fn account(run: &Run, frame: u32) -> Result<String, PrintError> {
    let mut text = String::new();
    for trial in &run.trials {
        let Some(late) = find(trial, frame) else { continue };
        text.push_str(&format!("{}: frame {frame} at {}\n", trial.trial.label, at(&late)));
        write_account(&mut text, &late, trial.trial.pace.period());
        text.push('\n');
    }
    let last = run.trials.iter().map(|trial| trial.samples.len()).max().unwrap_or(0);
    if text.is_empty() { Err(PrintError::NoFrame { frame, last }) } else { Ok(text) }
}

fn at(late: &LateSample) -> String {
    format!("{:.2} s", late.sample.woke.as_secs())
}

fn find(trial: &TrialRun, frame: u32) -> Option<LateSample> {
    let index = usize::try_from(frame).ok()?.checked_sub(1)?;
    let late = trial.samples.get(index)?.late();
    // Break down all samples that are at least as late, not only this one, so that the same steal
    // time is not assigned to several samples.
    let all = late_samples(trial, late - Nanos::new(1));
    all.into_iter().find(|one| one.index == index)
}

fn write_account(text: &mut String, late: &LateSample, period: Nanos) {
    let account = &late.account;
    let lateness = late.sample.late();
    text.push_str(&format!("{} late", format_time(lateness)));
    if Nanos::ZERO < period {
        let share = lateness.as_f64() / period.as_f64();
        text.push_str(&format!(" = {} of a frame", format_share(share)));
    }
    let complete = if account.is_complete { "" } else { ", incomplete: records were lost" };
    text.push_str(&format!(" ({}{complete})\n", account.source.label()));
    let table = account.table();
    let mut rows = vec![table.columns.iter().map(Column::heading).collect::<Vec<_>>()];
    rows.extend(table.rows.iter().map(|row| table.texts(row)));
    columns(text, &rows);
    text.push_str(&format!("{}\n", account.sum()));
    if account.source == Source::Nothing {
        text.push_str(&format!("{}\n", late.advice()));
    }
}

/// Returns the data sources of the breakdown, and how to allow further sources; empty if nothing
/// was traced.
pub(super) fn source_lines(run: &Run) -> String {
    let Some(state) = trace_state(run) else { return String::new() };
    let mut text = format!("Trace: {}\n", state.sentence());
    write_counts(&mut text, &record_counts(run));
    let program = std::env::current_exe().unwrap_or_default();
    let capabilities = file_capabilities(&program);
    let shown = names::redacted(&program.display().to_string());
    if let Some([grant, undo]) = state.remedy(&shown, capabilities) {
        text.push_str(&format!(
            "  To record names, and profile any process: {grant}\n  To undo: {undo}\n"
        ));
    }
    text
}

/// Writes for each CPU how many of the counted events have a record, and which kinds of events lack some.
fn write_counts(text: &mut String, counts: &[RecordCount]) {
    for of_cpu in counts.chunk_by(|one, next| one.cpu == next.cpu) {
        let Some(first) = of_cpu.first() else { continue };
        let sum =
            |part: fn(&RecordCount) -> u64| format_count(of_cpu.iter().map(part).sum::<u64>());
        text.push_str(&format!(
            "  CPU {}: {} of {} records received, {} lost ({})\n",
            first.cpu,
            sum(|one| one.received),
            sum(|one| one.counted),
            sum(|one| one.lost),
            count_text(of_cpu.len(), "kinds of events")
        ));
        for one in of_cpu.iter().filter(|one| !one.is_complete()) {
            text.push_str(&format!(
                "    {}: {} of {} received, {} lost\n",
                one.event,
                format_count(one.received),
                format_count(one.counted),
                format_count(one.lost)
            ));
        }
    }
}
