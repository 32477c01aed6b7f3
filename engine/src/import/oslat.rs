//! The histograms that oslat prints as text: one column per CPU, and one row per latency in microseconds.
//!
//! ```text
//!         Core:  2 3
//!     001 (us):  104 98
//!     002 (us):  3 0 (including overflows)
//!      Minimum:  1 1 (us)
//!      Average:  1.028 1.000 (us)
//!      Maximum:  17 1 (us)
//! ```

use super::blocks::{Blocks, each_part};
use super::cyclictest;
use super::imported::{BadLines, ImportError, Imported, Source};
use super::lines::{lines, lines_from};
use crate::format::cyclictest::{MAX_THREADS, Thread};
use crate::run::capture::Distribution;

/// Maximum number of rows of the histogram; oslat has up to 1024.
const MAX_BINS: usize = 100_000;
/// The unit of all latencies, after the number of a row.
const MICROS: &str = "(us)";

/// Whether a file begins with output of oslat: the list of CPUs, and a row of the histogram.
pub(super) fn is_text(head: &[u8]) -> bool {
    let mut has_cores = false;
    lines(head).any(|(_, line)| {
        let Some((name, _)) = line.and_then(|line| std::str::from_utf8(line).ok()?.split_once(':'))
        else {
            return false;
        };
        has_cores |= name.trim() == "Core";
        has_cores && latency_of(name).is_some()
    })
}

/// Returns the latency of a row in microseconds: "001 (us)".
fn latency_of(name: &str) -> Option<i64> {
    name.trim().strip_suffix(MICROS)?.trim().parse().ok()
}

/// Imports all histograms of the output, which begins with `text` and continues with `rest`.
pub(super) fn read(text: &[u8], rest: Option<Blocks<'_>>) -> Result<Imported, ImportError> {
    let (mut threads, mut bad_lines) = (Vec::new(), BadLines::default());
    each_part(text, rest, |part, first| {
        for (number, line) in lines_from(part, first) {
            let line = line.and_then(|line| std::str::from_utf8(line).ok());
            if let Some((name, values)) = line.and_then(|line| line.split_once(':')) {
                read_line(name.trim(), values, number, (&mut threads, &mut bad_lines));
            }
        }
        Ok(())
    })?;
    let threads = threads.into_iter().zip(0_usize..);
    let threads: Vec<Distribution> = threads
        .map(|(thread, number)| {
            cyclictest::of_thread(
                &number.to_string(),
                &thread,
                (1_000, Source::Oslat),
                &mut bad_lines,
            )
        })
        .filter(|thread| 0 < thread.count())
        .collect();
    if threads.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    Ok(cyclictest::imported(threads, bad_lines, Source::Oslat))
}

/// Reads the values of a line, one per CPU.
fn read_line(
    name: &str,
    values: &str,
    number: u64,
    (threads, bad_lines): (&mut Vec<Thread>, &mut BadLines),
) {
    let values: Vec<&str> =
        values.split_ascii_whitespace().take_while(|value| !value.starts_with('(')).collect();
    if name == "Core" && threads.is_empty() {
        let cores = values.iter().take(MAX_THREADS);
        threads.extend(cores.map(|core| Thread { cpu: core.parse().ok(), ..Thread::default() }));
        return;
    }
    let latency = latency_of(name);
    if latency.is_none() && !["Minimum", "Average", "Maximum"].contains(&name) {
        return;
    }
    if values.len() != threads.len() {
        bad_lines.add(number, "a line with another number of CPUs");
        return;
    }
    for (thread, value) in threads.iter_mut().zip(values) {
        let is_read = match (latency, name) {
            (Some(latency), _) => value.parse().is_ok_and(|count| {
                if 0 < count && thread.histogram.0.len() < MAX_BINS {
                    thread.histogram.0.push(latency, count);
                }
                true
            }),
            (None, "Minimum") => value.parse().map(|min| thread.min = min).is_ok(),
            (None, "Maximum") => value.parse().map(|max| thread.max = max).is_ok(),
            (None, _) => value.parse().map(|mean| thread.avg = mean).is_ok(),
        };
        if !is_read {
            bad_lines.add(number, "a count that is not a number");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;
    use crate::run::Capture;

    #[test]
    fn each_cpu_is_a_histogram_whose_last_bin_includes_all_values_above_it() {
        let text = b"oslat V 2.40\nTotal runtime: \t\t1 seconds\n\n        Core:\t 2 3\n    CPU Freq:\t 2903 2903 (Mhz)\n    001 (us):\t 104 98\n    ...\n    003 (us):\t 7 0 (including overflows)\n     Minimum:\t 1 1 (us)\n     Average:\t 1.500 1.000 (us)\n     Maximum:\t 17 1 (us)\n     Max-Min:\t 16 0 (us)\n    Duration:\t 1.000 1.000 (sec)\n";
        assert!(is_text(text));
        let imported = read(text, None).unwrap();
        assert_eq!(imported.bad_lines, BadLines::default());
        let Some(Capture::Histogram(all)) = imported.capture() else { panic!("{imported:?}") };
        let [two, three] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(two.label, "Thread 0, CPU 2");
        assert_eq!((two.bins.iter().collect::<Vec<_>>(), two.above_count), (vec![(1_000, 104)], 7));
        assert_eq!(two.max, Some(Nanos::from_micros(17)));
        assert_eq!(
            (three.bins.iter().collect::<Vec<_>>(), three.above_count),
            (vec![(1_000, 98)], 0)
        );
        assert!(!is_text(b"Core: the game\n1,2\n"));
    }
}
