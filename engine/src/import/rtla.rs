//! The histograms of rtla timerlat and rtla osnoise: columns per CPU, with latencies of interrupts
//! and threads, or with noise.

use super::counts::{self, after, set_above, set_max};
use super::cyclictest::above_words;
use super::imported::{Content, ImportError, Imported, Source};
use super::lines::lines;
use crate::run::Capture;

/// The beginnings of the first line, one for each kind of histogram.
const TITLES: [&str; 2] = ["# RTLA timerlat histogram", "# RTLA osnoise histogram"];
/// Rows after this line are sums over all CPUs.
const TOTALS: &str = "ALL:";

/// Whether a file begins like a histogram of rtla.
pub(super) fn is_histogram(head: &[u8]) -> bool {
    let first = lines(head).find_map(|(_, line)| line.filter(|line| !line.is_empty()));
    first.is_some_and(|line| TITLES.iter().any(|title| line.starts_with(title.as_bytes())))
}

/// Imports a histogram of rtla.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let is_nanos = lines(text)
        .take(3)
        .any(|(_, line)| line.is_some_and(|line| line.starts_with(b"# Time unit is nanoseconds")));
    let unit = if is_nanos { 1 } else { 1_000 };
    let mut labels = Vec::new();
    let mut is_total = false;
    let unnamed = |place| format!("Column {}", place + 1);
    let counts = counts::read(text, unit, unnamed, |line, columns| {
        is_total |= line.starts_with(TOTALS);
        if is_total {
            return true;
        }
        if let Some(names) = line.strip_prefix("Index") {
            labels = names.split_ascii_whitespace().map(label).collect();
        } else if let Some(found) = after(line, "over:") {
            set_above(columns, found);
        } else if let Some(found) = after(line, "max:") {
            set_max(columns, unit, found);
        }
        for (column, label) in columns.iter_mut().zip(&labels) {
            column.label.clone_from(label);
        }
        line.starts_with('#') || line.contains(':') || line.starts_with("Index")
    })?;
    // A file without a line of column names has no column of values either: the first number of a
    // row is a count.
    if labels.is_empty() {
        return Err(ImportError::NoValues { bad_count: counts.bad_lines.count });
    }
    let is_noise = text.starts_with(b"# RTLA osnoise");
    Ok(Imported {
        name: if is_noise { "rtla osnoise" } else { "rtla timerlat" }.to_owned(),
        notes: counts.columns.iter().filter_map(above_words).collect(),
        bad_lines: counts.bad_lines,
        ..Imported::new(Source::Rtla, Content::Capture(Capture::Histogram(counts.columns)))
    })
}

/// Returns the label for the name of a column: "CPU 3, interrupt" for `IRQ-003`.
fn label(name: &str) -> String {
    let Some((kind, cpu)) = name.split_once('-') else { return super::text::name(name) };
    let cpu = cpu.trim_start_matches('0');
    let cpu = if cpu.is_empty() { "0" } else { cpu };
    let kind = match kind {
        "IRQ" => ", interrupt",
        "Thr" => ", thread",
        "Usr" => ", user space",
        _ => "",
    };
    super::text::name(&format!("CPU {cpu}{kind}"))
}
