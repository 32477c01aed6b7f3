//! The tables of the kinds of test beside the frame loop, for a terminal.

use jitterscope_engine::report::Report;
use jitterscope_engine::run::Run;

use super::columns;
use crate::text::table;

/// Writes the table of a run.
pub(super) fn of(text: &mut String, run: &Run, report: &Report) {
    let Some(table) = table::of(run, report) else { return };
    text.push_str(&format!("{}: {}\n\n", table.title, table.note));
    let has_cautions = table.lines.iter().any(|line| !line.caution.is_empty());
    let mut header: Vec<String> = table.columns.iter().map(|column| column.title.clone()).collect();
    if table.has_grades {
        header.push("verdict".to_owned());
    }
    if has_cautions {
        header.push(String::new());
    }
    let mut rows = vec![header];
    for line in &table.lines {
        let mut cells = line.cells.clone();
        if table.has_grades {
            cells.push(line.grade.map_or(String::new(), |grade| grade.word().to_owned()));
        }
        if has_cautions {
            cells.push(line.caution.clone());
        }
        rows.push(cells);
    }
    columns(text, &rows);
    if !report.stalls.is_empty() {
        stalls(text, report);
    }
}

/// The longest moments in which several CPUs stood still at once.
fn stalls(text: &mut String, report: &Report) {
    const MOST: usize = 5;
    let mut longest: Vec<_> = report.stalls.iter().collect();
    longest.sort_by_key(|stall| std::cmp::Reverse(stall.length));
    text.push_str(&format!("\nStalls of several cores at once: {}\n", report.stalls.len()));
    for stall in longest.into_iter().take(MOST) {
        let whole = if stall.is_everywhere { "every core" } else { "some cores" };
        text.push_str(&format!(
            "  at {:>9.3} s  {:>9.3} ms  {} of {} ({whole})\n",
            stall.at.as_secs(),
            stall.length.as_millis(),
            stall.trials.len(),
            report.rows.len(),
        ));
    }
}
