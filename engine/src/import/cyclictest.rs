//! A result of cyclictest: a histogram of latencies per thread, as JSON or as text.

use std::sync::Arc;

use super::counts::{self, MAX_VALUE_NANOS, after, set_above, set_max};
use super::imported::{BadLines, Content, ImportError, Imported, Options, Source};
use super::lines::lines;
use super::table::TimeUnit;
use super::text::{name, some_name};
use crate::format::cyclictest::{self, Thread};
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::run::capture::Distribution;

/// The beginning of the line before the rows of a histogram.
const TITLE: &[u8] = b"# Histogram";
/// The beginning of the line with the minimum of each thread. Unlike the rows of counts, this line
/// never has a value for all threads together.
const MIN_LATENCIES: &str = "# Min Latencies:";
/// If the minimum of every thread is at least this large, the unit of the file is nanoseconds: no
/// PC takes 500 µs or more for every wake-up. Otherwise the unit is microseconds: no PC takes less
/// than 500 ns.
const MIN_IN_NANOS: u64 = 500;

/// Reads a result in JSON.
pub(super) fn read_json(text: &[u8]) -> Result<Imported, ImportError> {
    let result = cyclictest::read(text)?;
    let unit = if result.resolution_in_ns == 1 { 1 } else { 1_000 };
    let mut bad_lines = BadLines::default();
    let threads: Vec<Distribution> = result
        .thread
        .into_iter()
        .map(|(number, thread)| of_thread(&number, thread, unit, &mut bad_lines))
        .filter(|thread| 0 < thread.count())
        .collect();
    if threads.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    Ok(Imported {
        started_at: jiff::fmt::rfc2822::DateTimeParser::new()
            .parse_timestamp(&result.start_time)
            .ok(),
        machine: Machine {
            os: some_name(&result.sysinfo.sysname),
            kernel: some_name(&result.sysinfo.release),
            ..Machine::default()
        },
        ..imported(threads, bad_lines)
    })
}

fn of_thread(number: &str, thread: Thread, unit: i64, bad_lines: &mut BadLines) -> Distribution {
    let label = match thread.cpu {
        Some(cpu) => format!("Thread {}, CPU {cpu}", name(number)),
        None => format!("Thread {}", name(number)),
    };
    let mut bins = thread.histogram.0;
    let mut line = 0;
    bins.retain_mut(|(latency, count)| {
        line += 1;
        *latency = latency.saturating_mul(unit);
        let is_believed = latency.saturating_abs() <= MAX_VALUE_NANOS;
        if !is_believed {
            bad_lines.add(line, "a latency above ten minutes");
        }
        is_believed && 0 < *count
    });
    bins.sort_unstable();
    let counted = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(bin.1));
    let highest = bins.last().map(|&(value, _)| value);
    let stated = Some(thread.max.saturating_mul(unit)).filter(|&max| max <= MAX_VALUE_NANOS);
    Distribution {
        label,
        bins: Arc::new(bins),
        // Wake-ups that are counted in `cycles` but in no bin had a latency above the histogram.
        above_count: thread.cycles.saturating_sub(counted),
        max: highest.max(stated).map(Nanos::new),
    }
}

/// Whether a file begins like a text histogram of cyclictest.
pub(super) fn is_text(head: &[u8]) -> bool {
    let mut lines = lines(head).filter_map(|(_, line)| line);
    let found = lines.find(|line| line.starts_with(TITLE) || !line.starts_with(b"#"));
    found.is_some_and(|line| line.trim_ascii_end() == TITLE)
}

/// Imports a text histogram. The text has no unit: unless `options` has one, the unit is guessed
/// from the minimums.
pub(super) fn read_text(text: &[u8], options: &Options) -> Result<Imported, ImportError> {
    let mins: Vec<u64> = lines(text)
        .filter_map(|(_, line)| std::str::from_utf8(line?).ok())
        .find_map(|line| Some(after(line, MIN_LATENCIES)?.collect()))
        .unwrap_or_default();
    let is_nanos = !mins.is_empty() && mins.iter().all(|min| MIN_IN_NANOS <= *min);
    let likely = if is_nanos { TimeUnit::Nanos } else { TimeUnit::Micros };
    let unit = options.unit.filter(|unit| *unit != TimeUnit::Fps).unwrap_or(likely);
    let nanos = Nanos::from_nanos_f64(unit.millis(1.0) * 1e6).get();
    let threads = if mins.is_empty() { usize::MAX } else { mins.len() };
    let unnamed = |place| format!("Thread {place}");
    let counts = counts::read(text, nanos, unnamed, |line, columns| {
        // With the option -H of cyclictest, rows have a further last column for all threads
        // together: remove it.
        if line.starts_with(MIN_LATENCIES) {
            columns.truncate(threads);
        } else if let Some(found) = after(line, "# Max Latencies:") {
            set_max(columns, nanos, found.take(threads));
        } else if let Some(found) = after(line, "# Histogram Overflows:") {
            set_above(columns, found.take(threads));
        }
        line.starts_with('#') || line.starts_with("T:")
    })?;
    let mut imported = imported(counts.columns, counts.bad_lines);
    if unit != TimeUnit::Micros {
        let symbol = unit.symbol();
        imported.notes.push(format!("Values were read as {symbol}; the file has no unit."));
    }
    Ok(imported)
}

fn imported(threads: Vec<Distribution>, bad_lines: BadLines) -> Imported {
    let notes = threads.iter().filter_map(above_words);
    Imported {
        name: "cyclictest".to_owned(),
        bad_lines,
        notes: notes.collect(),
        ..Imported::new(Source::Cyclictest, Content::Capture(Capture::Histogram(threads)))
    }
}

/// Returns a note on the values above the last bin of a histogram; `None` if there are none.
pub(super) fn above_words(of: &Distribution) -> Option<String> {
    let Distribution { label, above_count, .. } = of;
    let all = of.count();
    (0 < *above_count)
        .then(|| format!("{label}: {above_count} of {all} values were above the histogram."))
}
