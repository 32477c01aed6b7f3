//! Results in the layouts of the reference tools, on the same streams (standard output and standard
//! error).

use std::io;

use clap::ArgMatches;
use jitterscope_engine::export;
use jitterscope_engine::format;
use jitterscope_engine::report::{self, LiveLines, Report};
use jitterscope_engine::run::{Counters, Run};

use crate::cli::output::{Output, PrintError, print_message, print_output};

/// The value of `--format` for the layout of a reference tool, followed by its former names.
pub(in crate::cli) const FORMATS: [&str; 3] = ["reference", "source", "latency2"];

/// Prints the lines that a reference tool prints while it measures. If the output is a file,
/// collects these lines, to write them above the result.
#[derive(Debug, Default)]
pub(in crate::cli) struct LiveOutput {
    lines: LiveLines,
    is_file: bool,
    held: Vec<String>,
    has_failed: bool,
}

impl LiveOutput {
    /// Returns the live output if the result uses the layout of a reference tool; `None` for other
    /// formats.
    pub(in crate::cli) fn of(matches: &ArgMatches) -> Option<Self> {
        let format = matches.get_one::<String>("format")?;
        let is_file = matches!(Output::of(matches), Output::File(_));
        FORMATS.contains(&format.as_str()).then(|| Self { is_file, ..Self::default() })
    }

    /// Handles new counters of a trial: prints the line of the reference tool if one is due.
    pub(in crate::cli) fn take(&mut self, trial: usize, counters: &Counters) {
        let Some(line) = self.lines.line(trial, counters) else { return };
        if self.is_file {
            self.held.push(line);
        } else if let Err(error) = print_output(&format!("{line}\n"))
            && !std::mem::replace(&mut self.has_failed, true)
        {
            print_message(&format!("error: the result cannot be written: {error}"));
        }
    }

    /// Returns the collected lines, which a file contains above the result.
    pub(in crate::cli) fn held(self) -> Vec<String> {
        self.held
    }
}

/// Writes the lines of `before` and then the result of a run, in the layout of a reference tool;
/// returns `false` if the layout does not support the run.
pub(super) fn print(
    run: &Run,
    report: &Report,
    output: &Output,
    before: &[String],
) -> Result<bool, PrintError> {
    let Some(lines) = report::reference_lines(run, report) else { return Ok(false) };
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
