//! Results in the layouts of the reference tools, line by line, so that scripts for these tools can read the results.

mod gdt_cpus;
mod holoscan;
mod jmh;
mod latency2;
mod spin_sleep;

pub use latency2::LiveLines;

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
pub fn reference_lines(run: &Run, report: &Report) -> Option<Vec<ReferenceLine>> {
    let rows = &report.rows;
    Some(match reference_of(run)? {
        ReferenceTool::GdtCpus => return gdt_cpus::lines(run, rows),
        ReferenceTool::NativeSleeps => spin_sleep::sleeps(run, rows),
        ReferenceTool::SpinStrategies => spin_sleep::spins(run, rows),
        ReferenceTool::Latency2 => latency2::lines(run),
        ReferenceTool::Holoscan { fps, time_each } => holoscan::lines(run, rows, (fps, time_each)),
        ReferenceTool::Jmh => jmh::lines(run, rows),
    })
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
