//! The histograms of rtla timerlat and rtla osnoise: columns per CPU, with latencies of interrupts
//! and threads, or with noise.

use super::blocks::{Blocks, each_part};
use super::counts::{self, CountsReader, after, set_above, set_max, set_mean, set_min};
use super::cyclictest::above_words;
use super::imported::{Content, ImportError, Imported, Source};
use super::lines::{filled, lines, lines_from};
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::units::format_time;

/// The beginnings of the first line, one for each kind of histogram.
const TITLES: [&str; 2] = ["# RTLA timerlat histogram", "# RTLA osnoise histogram"];
/// Number of lines in which the title is searched.
const MAX_LINES_BEFORE: usize = 100;
/// Rows after this line are sums over all CPUs.
const TOTALS: &str = "ALL:";

/// Whether a file begins like a histogram of rtla, also after a prompt or lines of other programs.
pub(super) fn is_histogram(head: &[u8]) -> bool {
    title(head).is_some()
}

/// Returns the number of the title line and whether the histogram is of noise.
fn title(text: &[u8]) -> Option<(u64, bool)> {
    lines(text).take(MAX_LINES_BEFORE).find_map(|(number, line)| {
        let line = line?.trim_ascii();
        let place = TITLES.iter().position(|title| line.starts_with(title.as_bytes()))?;
        Some((number, place == 1))
    })
}

/// Imports a histogram of rtla, which begins with `text` and continues with `rest`.
pub(super) fn read(text: &[u8], rest: Option<Blocks<'_>>) -> Result<Imported, ImportError> {
    let (from_line, is_noise) = title(text).unwrap_or((1, false));
    let from = usize::try_from(from_line).unwrap_or(usize::MAX).saturating_sub(1);
    let head = || lines(text).skip(from).take(MAX_LINES_BEFORE).filter_map(|(_, line)| line);
    let is_nanos = head().any(|line| line.trim_ascii().starts_with(b"# Time unit is nanoseconds"));
    let unit = if is_nanos { 1 } else { 1_000 };
    let names = head().find_map(|line| {
        let names = std::str::from_utf8(line).ok()?.trim().strip_prefix("Index")?;
        Some(names.split_ascii_whitespace().map(label).collect::<Vec<String>>())
    });
    // A file without a line of column names has no column of values either: the first number of a
    // row is a count.
    let Some(labels) = names.filter(|names| !names.is_empty()) else {
        return Err(ImportError::NoValues { bad_count: 0 });
    };
    let mut is_total = false;
    let unnamed = |place| format!("Column {}", place + 1);
    let label = |place: usize| labels.get(place).cloned().unwrap_or_else(|| unnamed(place));
    let mut counts = CountsReader::default();
    each_part(text, rest, |part, first| {
        let rows = lines_from(part, first).filter(|(number, _)| from_line <= *number);
        for row in filled(rows) {
            counts.read_line(row, unit, |line, columns| {
                is_total |= line.starts_with(TOTALS);
                if is_total {
                    return true;
                }
                if let Some(found) = after(line, "over:") {
                    set_above(columns, found);
                } else if let Some(found) = after(line, "max:") {
                    set_max(columns, unit, found);
                } else if let Some(found) = after(line, "min:") {
                    set_min(columns, unit, found);
                } else if let Some(found) = after(line, "avg:") {
                    set_mean(columns, unit, found);
                }
                line.starts_with('#') || line.contains(':') || line.starts_with("Index")
            })?;
        }
        Ok(())
    })?;
    let mut counts = counts.finish(label)?;
    let mut notes: Vec<String> = counts.columns.iter().filter_map(above_words).collect();
    if let Some(width) = counts::widen(&mut counts.columns, unit) {
        notes.push(format!(
            "The bins are {} wide: a value is shown as the end of its bin.",
            format_time(Nanos::new(width))
        ));
    }
    Ok(Imported {
        name: if is_noise { "rtla osnoise" } else { "rtla timerlat" }.to_owned(),
        notes,
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
