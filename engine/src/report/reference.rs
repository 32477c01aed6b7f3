//! Results in the layouts of the reference tools, line by line, so that scripts for these tools can read the results.

mod gdt_cpus;
mod holoscan;
mod jmh;
mod latency2;
mod spin_sleep;

pub use holoscan::plots::PlotFile;
pub use latency2::{LiveLines, latency2_line};

use super::evaluate::reference_of;
use super::model::evaluation::ReferenceTool;
use super::model::report::Report;
use crate::run::Run;

/// One line in the layout of a reference tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceLine {
    /// The text, without a line break at its end.
    pub text: String,
    /// Whether the line goes to standard error: the tool prints it on that stream, or the layout has no place for it.
    pub is_error: bool,
}

impl ReferenceLine {
    fn out(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// Returns the result as lines in the layout of the reference tool of the test. `None` without a reference tool, for an
/// imported run, and for a frame loop that does not re-base its schedule, which the layout cannot show.
///
/// If several gap probes ran, each line begins with the CPU of its probe, unless `is_plain`.
pub fn reference_lines(run: &Run, report: &Report, is_plain: bool) -> Option<Vec<ReferenceLine>> {
    let rows = &report.rows;
    let tool = reference_of(run)?;
    let mut lines = match tool {
        ReferenceTool::GdtCpus => gdt_cpus::lines(run, rows)?,
        ReferenceTool::NativeSleeps => spin_sleep::sleeps(run, rows),
        ReferenceTool::SpinStrategies => spin_sleep::spins(run, rows),
        ReferenceTool::Latency2 => latency2::lines(run, is_plain),
        ReferenceTool::Holoscan { fps, time_each } => holoscan::lines(run, rows, (fps, time_each)),
        ReferenceTool::Jmh => jmh::lines(run, rows),
    };
    lines.push(ReferenceLine::error(hidden_by(tool)));
    Some(lines)
}

/// Returns what the method of a reference tool hides, as a line.
const fn hidden_by(tool: ReferenceTool) -> &'static str {
    match tool {
        ReferenceTool::GdtCpus => {
            "this method hides lateness: after a late frame, every later frame is due later"
        }
        ReferenceTool::NativeSleeps => {
            "this method hides how many sleeps are late: the table has percentiles (--format table)"
        }
        ReferenceTool::SpinStrategies => {
            "this method hides rare long waits in an average: the table has percentiles (--format table)"
        }
        ReferenceTool::Latency2 => {
            "this method hides how many gaps there are and when: the table has them (--format table)"
        }
        ReferenceTool::Holoscan { .. } => {
            "this method hides lateness that is the same in every frame, and a single stall can decide its result: \
             the table has lateness (--format table)"
        }
        ReferenceTool::Jmh => {
            "this method hides single long cycles in a mean: the table has percentiles (--format table)"
        }
    }
}

/// Returns the plot files that the reference tool of the test writes; `None` if the tool writes none, or without data.
pub fn reference_plots(run: &Run, report: &Report) -> Option<[PlotFile; 2]> {
    match reference_of(run)? {
        ReferenceTool::Holoscan { fps, time_each } => {
            holoscan::plots::files(run, &report.rows, (fps, time_each))
        }
        _ => None,
    }
}

/// Returns the JSON file that the reference tool of the test writes; `None` if the tool writes no file.
pub fn reference_json(run: &Run, report: &Report) -> Option<String> {
    match reference_of(run)? {
        ReferenceTool::Holoscan { fps, time_each } => {
            holoscan::json(run, &report.rows, (fps, time_each))
        }
        _ => None,
    }
}
