//! The JSON of cyclictest: a histogram of latencies a thread.

use super::text::{name, some_name};
use super::{BadLines, Content, ImportError, Imported, Source, Thread, Told};
use crate::format::cyclictest::{self, Cyclictest};
use crate::nanos::Nanos;

/// Threads that are read.
const MOST_THREADS: usize = 1_024;
/// Values of all threads together: of more, evenly chosen ones are kept.
const MOST_VALUES: u64 = 1_000_000;
/// The longest latency that is believed: ten minutes.
const MOST_LATENCY: i64 = 600_000_000_000;
/// How often a thread wakes where the command does not say.
const USUAL_INTERVAL: Nanos = Nanos::from_millis(1);

/// Reads a result.
pub(super) fn read(text: &[u8]) -> Result<Imported, ImportError> {
    let mut result = cyclictest::read(text)?;
    let unit = if result.resolution_in_ns == 1 { 1 } else { 1_000 };
    let mut bad_lines = BadLines::default();
    let mut notes =
        vec!["A histogram keeps no order of time: the values stand in ascending order.".to_owned()];
    let found = std::mem::take(&mut result.thread);
    let share = MOST_VALUES / u64::try_from(found.len().clamp(1, MOST_THREADS)).unwrap_or(1);
    let mut threads = Vec::new();
    for (number, thread) in found.into_iter().take(MOST_THREADS) {
        let label = match thread.cpu {
            Some(cpu) => format!("Thread {}, CPU {cpu}", name(&number)),
            None => format!("Thread {}", name(&number)),
        };
        let mut bins = Vec::new();
        for ((latency, count), line) in thread.histogram.0.into_iter().zip(1_u64..) {
            match latency.saturating_mul(unit) {
                nanos if nanos.saturating_abs() <= MOST_LATENCY => bins.push((nanos, count)),
                _ => bad_lines.add(line, "a latency above ten minutes"),
            }
        }
        let told = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(bin.1));
        let mut lost_count = thread.cycles.saturating_sub(told);
        let most = thread.max.saturating_mul(unit);
        let above = bins.iter().all(|bin| bin.0 < most) && most <= MOST_LATENCY;
        if 0 < lost_count && above {
            notes.push(format!(
                "{label}: {lost_count} of {} wake-ups lay above the histogram; only the greatest of them \
                 is known.",
                thread.cycles
            ));
            bins.push((most, 1));
            lost_count -= 1;
        }
        bins.sort_unstable();
        let total = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(bin.1));
        if share < total {
            notes.push(format!("{label}: {share} of {total} values were kept, evenly chosen."));
        }
        let late_nanos = expanded(&bins, total, share.max(2));
        if !late_nanos.is_empty() {
            threads.push(Thread { label, late_nanos, lost_count });
        }
    }
    if threads.is_empty() {
        return Err(ImportError::NoFrames { bad_count: bad_lines.count });
    }
    let interval = interval(&result);
    Ok(Imported {
        name: "cyclictest".to_owned(),
        started_at: jiff::fmt::rfc2822::DateTimeParser::new()
            .parse_timestamp(&result.start_time)
            .ok(),
        told: Told {
            os: some_name(&result.sysinfo.sysname),
            kernel: some_name(&result.sysinfo.release),
            ..Told::default()
        },
        bad_lines,
        notes,
        ..Imported::new(Source::Cyclictest, Content::Latencies { interval, threads })
    })
}

/// Every value as often as it was seen; where that is more than `most`, so many at even distances of
/// rank, the least and the greatest among them.
fn expanded(bins: &[(i64, u64)], total: u64, most: u64) -> Vec<i64> {
    let kept = total.min(most);
    let mut values = Vec::new();
    let mut bins = bins.iter().filter(|bin| 0 < bin.1);
    let Some(mut bin) = bins.next() else { return values };
    let mut up_to = bin.1;
    for turn in 0..kept {
        let rank = if kept < 2 {
            0
        } else {
            // Exact: neither factor is above 2^64.
            let rank = u128::from(turn) * u128::from(total - 1) / u128::from(kept - 1);
            u64::try_from(rank).unwrap_or(u64::MAX)
        };
        while up_to <= rank {
            let Some(next) = bins.next() else { break };
            bin = next;
            up_to = up_to.saturating_add(bin.1);
        }
        values.push(bin.0);
    }
    values
}

/// How often the threads woke, as the command says in microseconds.
fn interval(result: &Cyclictest) -> Nanos {
    let mut words = result.cmdline.split_whitespace();
    while let Some(word) = words.next() {
        let digits = match word {
            "-i" | "--interval" => words.next(),
            _ => word.strip_prefix("--interval=").or_else(|| word.strip_prefix("-i")),
        };
        let micros = digits.and_then(|digits| digits.parse::<i64>().ok());
        if let Some(micros) = micros.filter(|micros| (1..=60_000_000).contains(micros)) {
            return Nanos::from_micros(micros);
        }
    }
    USUAL_INTERVAL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_thinned_evenly_and_keep_their_ends() {
        assert_eq!(expanded(&[(4, 2), (5, 0), (9, 1)], 3, 10), [4, 4, 9]);
        assert_eq!(expanded(&[(1, 1), (5, u64::MAX - 2), (9, 1)], u64::MAX, 4), [1, 5, 5, 9]);
        assert_eq!(expanded(&[], 0, 4), Vec::<i64>::new());
    }

    #[test]
    fn the_interval_is_the_one_of_the_command() {
        for (cmdline, micros) in [
            ("cyclictest -i 250 -l 100", 250),
            ("cyclictest -i250", 250),
            ("cyclictest --interval=500", 500),
            ("cyclictest -i -5", 1_000),
            ("", 1_000),
        ] {
            let result = Cyclictest { cmdline: cmdline.to_owned(), ..Cyclictest::default() };
            assert_eq!(interval(&result), Nanos::from_micros(micros), "{cmdline}");
        }
    }
}
