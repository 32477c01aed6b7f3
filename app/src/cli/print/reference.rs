//! Results in the layouts of the reference tools, on the same streams (standard output and standard
//! error).

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};
use jitterscope_engine::export;
use jitterscope_engine::format;
use jitterscope_engine::measure::Request;
use jitterscope_engine::report::{self, LiveLines, Report};
use jitterscope_engine::run::{Counters, Run};
use jitterscope_engine::store::{AtPath, SaveError};

use crate::cli::output::{Output, PrintError, print_message, print_output};
use crate::cli::{flag, holoscan, path_option};

/// The value of `--format` for the layout of a reference tool, followed by its former names.
pub(in crate::cli) const FORMATS: [&str; 3] = ["reference", "source", "latency2"];

/// The lines that a reference tool prints while it measures: on standard output or, if the output is
/// a file, collected to write them above the result. With `--out-dir`, each probe has a file of its
/// own as well.
#[derive(Debug)]
pub(in crate::cli) struct LiveOutput {
    lines: LiveLines,
    /// Whether the result uses the layout of a reference tool, so that lines are printed.
    is_reference: bool,
    is_file: bool,
    held: Vec<String>,
    folder: Option<PathBuf>,
    has_failed: bool,
}

impl LiveOutput {
    /// Returns the live output of a run if the result uses the layout of a reference tool, or if
    /// each probe has a file; `None` otherwise.
    pub(in crate::cli) fn of(
        matches: &ArgMatches,
        request: &Request,
    ) -> Result<Option<Self>, PrintError> {
        let is_reference = is_format(matches);
        let folder = matches.try_get_one::<PathBuf>("out-dir").ok().flatten().cloned();
        if !is_reference && folder.is_none() {
            return Ok(None);
        }
        let stages = request.plan.probe().stages(&request.cpus).into_iter();
        let labels: Vec<String> =
            stages.flat_map(|stage| stage.trials).map(|trial| trial.label).collect();
        if let Some(folder) = &folder {
            holoscan::create(folder)?;
            for (trial, label) in labels.iter().enumerate() {
                let file = file_of(folder, trial);
                let at_file = |source| SaveError::Output(AtPath::new(source, &file));
                fs::File::create(&file).map_err(at_file)?;
                print_message(&format!("{} has the lines of {label}", file_name(trial)));
            }
        }
        Ok(Some(Self {
            lines: LiveLines::new(labels, is_plain(matches)),
            is_reference,
            is_file: matches!(Output::of(matches), Output::File(_)),
            held: Vec::new(),
            folder,
            has_failed: false,
        }))
    }

    /// Handles new counters of a trial: prints the line of the reference tool if one is due.
    pub(in crate::cli) fn take(&mut self, trial: usize, counters: &Counters) {
        let Some(line) = self.lines.line(trial, counters) else { return };
        self.append(trial, &line);
        let line = self.lines.labeled(trial, line);
        match (self.is_reference, self.is_file) {
            (false, _) => {}
            (true, true) => self.held.push(line),
            (true, false) => {
                if let Err(error) = print_output(&format!("{line}\n")) {
                    self.fail(&error);
                }
            }
        }
    }

    /// Appends the totals of each probe to its file, and returns the collected lines, which a file
    /// contains above the result.
    pub(in crate::cli) fn finish(mut self, run: &Run) -> Vec<String> {
        for (trial, measured) in run.trials.iter().enumerate() {
            if let Some(line) = report::latency2_line(measured) {
                self.append(trial, &line);
            }
        }
        self.held
    }

    /// Appends a line to the file of a probe, if probes have files.
    fn append(&mut self, trial: usize, line: &str) {
        let Some(folder) = &self.folder else { return };
        let file = fs::OpenOptions::new().append(true).create(true).open(file_of(folder, trial));
        if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
            self.fail(&error);
        }
    }

    /// Prints the first error.
    fn fail(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.has_failed, true) {
            print_message(&format!("error: the result cannot be written: {error}"));
        }
    }
}

/// Whether the result uses the layout of a reference tool.
pub(in crate::cli) fn is_format(matches: &ArgMatches) -> bool {
    let format = matches.get_one::<String>("format");
    format.is_some_and(|format| FORMATS.contains(&format.as_str()))
}

/// Returns the file of a probe, with the name that the readme of latency2 gives to the first one:
/// `core1.txt`.
fn file_of(folder: &Path, trial: usize) -> PathBuf {
    folder.join(file_name(trial))
}

fn file_name(trial: usize) -> String {
    format!("core{}.txt", trial + 1)
}

/// Returns whether lines of probes are to be printed without their CPU.
fn is_plain(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("plain").ok().flatten().copied().unwrap_or(false)
}

/// Returns the options of scheduling gaps for the layout of its reference tool.
pub(in crate::cli) fn gap_args() -> [Arg; 2] {
    [
        flag("plain", "With --format reference: lines without the CPU, as latency2 prints them"),
        path_option(
            "out-dir",
            "FOLDER",
            "Write core1.txt, core2.txt, ... to this folder: the lines that a copy of latency2 on each \
             CPU prints, appended every minute",
        ),
    ]
    .map(|arg| arg.help_heading("Output").conflicts_with("hosts"))
}

/// Writes the lines of `before` and then the result of a run, in the layout of a reference tool;
/// returns `false` if the layout does not support the run.
pub(super) fn print(
    run: &Run,
    report: &Report,
    matches: &ArgMatches,
    before: &[String],
) -> Result<bool, PrintError> {
    let lines = report::reference_lines(run, report, is_plain(matches));
    let Some(lines) = lines else { return Ok(false) };
    let output = Output::of(matches);
    output.write(|to| {
        for line in before {
            writeln!(to, "{line}")?;
        }
        for line in lines {
            if line.is_error {
                // Flush, so that standard output and standard error appear in order on one
                // terminal.
                to.flush()?;
                print_message(&line.text);
            } else {
                writeln!(to, "{}", export::for_terminal(&line.text))?;
            }
        }
        io::Result::Ok(())
    })?;
    Ok(true)
}

/// Returns the JSON file that the reference tool of the test writes.
pub(super) fn json(run: &Run, report: &Report) -> Result<String, PrintError> {
    let json = report::reference_json(run, report);
    json.map(|json| format::safe_json(&json))
        .ok_or(PrintError::NoReferenceJson { test: run.subject.key() })
}
