//! A result of cyclictest: a histogram of latencies per thread, as JSON or as text.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use super::blocks::{Blocks, each_part};
use super::counts::{
    CountsReader, MAX_VALUE_NANOS, NumberedLine, TOO_HIGH_VALUE, after, set_above, set_max,
};
use super::imported::{BadLines, Content, ImportError, Imported, Options, Source};
use super::lines::{filled, lines, lines_from};
use super::text::{name, some_name};
use super::time_unit::TimeUnit;
use crate::format::cyclictest::{self, MAX_THREADS, Thread};
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::run::Capture;
use crate::run::capture::Distribution;
use crate::sample::CountedValues;

/// The beginning of the line before the rows of a histogram.
const TITLE: &str = "# Histogram";
/// The beginning of the line with the minimum of each thread. Unlike the rows of counts, this line
/// never has a value for all threads together.
const MIN_LATENCIES: &str = "# Min Latencies:";
/// If the minimum of every thread is at least this large, the unit of the file is nanoseconds: no
/// PC takes 500 µs or more for every wake-up. Otherwise the unit is microseconds: no PC takes less
/// than 500 ns.
const MIN_IN_NANOS: u64 = 500;

/// Nanoseconds of a microsecond.
const MICRO: i64 = 1_000;
/// Why a latency is not read.
const TOO_HIGH: &str = "a latency above ten minutes";
/// Number of lines with a latency each by which output of `cyclictest -v` is recognized.
const MIN_SAMPLE_LINES: u32 = 3;
/// Maximum number of different latencies of all threads in such output.
const MAX_SAMPLE_BINS: u64 = 1_000_000;
/// The program that writes the keys of cyclictest, by the beginning of its command line.
const OSLAT: &str = "oslat";
const CYCLICTEST: &str = "cyclictest";

/// Reads a result in JSON piece by piece: of cyclictest, and of the programs that write the same keys.
pub(super) fn read_json(
    from: &mut (impl Read + Seek),
    source: Source,
) -> Result<Imported, ImportError> {
    let result = cyclictest::read(from).map_err(|error| ImportError::damaged(source, error))?;
    let program = result.cmdline.split_ascii_whitespace().next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    let source = match source {
        Source::Cyclictest if program == OSLAT => Source::Oslat,
        Source::Cyclictest if result.thread.values().any(|thread| thread.freq.is_some()) => {
            Source::Oslat
        }
        Source::Cyclictest
            if program.is_empty() && result.thread.values().any(|thread| 0 < thread.count) =>
        {
            Source::Rtla
        }
        source => source,
    };
    let unit = if result.resolution_in_ns == 1 { 1 } else { 1_000 };
    let mut bad_lines = BadLines::default();
    let threads: Vec<Distribution> = result
        .thread
        .into_iter()
        .map(|(number, thread)| of_thread(&number, &thread, (unit, source), &mut bad_lines))
        .filter(|thread| 0 < thread.count())
        .collect();
    if threads.is_empty() {
        return Err(match program {
            "" | CYCLICTEST | OSLAT => ImportError::NoValues { bad_count: bad_lines.count },
            program => ImportError::NoHistogram { program: name(program) },
        });
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
        ..imported(threads, bad_lines, source)
    })
}

/// Converts a thread of a file: latencies are multiplied by the unit in nanoseconds.
pub(super) fn of_thread(
    number: &str,
    thread: &Thread,
    (unit, source): (i64, Source),
    bad_lines: &mut BadLines,
) -> Distribution {
    let label = match thread.cpu {
        Some(cpu) => format!("Thread {}, CPU {cpu}", name(number)),
        None if source == Source::Jitterdebugger => format!("CPU {}", name(number)),
        None => format!("Thread {}", name(number)),
    };
    let mut bins = CountedValues::default();
    for ((latency, count), line) in thread.histogram.0.iter().zip(1..) {
        let nanos = latency.saturating_mul(unit);
        if MAX_VALUE_NANOS < nanos.saturating_abs() {
            bad_lines.add(line, TOO_HIGH);
        } else if 0 < count {
            bins.push(nanos, count);
        }
    }
    bins.sort();
    let mut counted = bins.iter().fold(0_u64, |sum, bin| sum.saturating_add(bin.1));
    // Values that the file counts, but not in a bin, were above the histogram.
    let mut above_count = thread.cycles.max(thread.count).saturating_sub(counted).max(thread.over);
    let is_plausible = |nanos: &i64| nanos.saturating_abs() <= MAX_VALUE_NANOS;
    let stated = Some(thread.max.saturating_mul(unit)).filter(is_plausible);
    // The last bin of oslat includes all values above it.
    if source == Source::Oslat
        && let Some((last, count)) = bins.last()
        && stated.is_some_and(|max| last < max)
    {
        bins = bins.iter().take(bins.len() - 1).collect();
        counted -= count;
        above_count += count;
    }
    let highest = bins.last().map(|(value, _)| value);
    let has_stated = 0 < above_count || counted == 0;
    Distribution {
        label,
        bins,
        above_count,
        max: highest.max(stated).map(Nanos::new),
        stated_min: Some(thread.min.saturating_mul(unit))
            .filter(|min| has_stated && is_plausible(min))
            .map(Nanos::new),
        stated_mean: Some(thread.avg * Nanos::new(unit).as_f64())
            .filter(|mean| {
                has_stated && 0.0 < *mean && is_plausible(&Nanos::from_nanos_f64(*mean).get())
            })
            .map(Nanos::from_nanos_f64),
    }
}

/// Whether a file begins like output of cyclictest as text, also after a prompt, blank lines, and the lines that it
/// prints while it runs.
pub(super) fn is_text(head: &[u8]) -> bool {
    let text = |line: Option<&[u8]>| std::str::from_utf8(line?).ok().map(str::to_owned);
    let mut samples = 0_u32;
    lines(head).any(|(_, line)| {
        let Some(line) = text(line) else { return false };
        samples += u32::from(sample_of(&line).is_some());
        is_title(&line) || status_of(&line).is_some() || MIN_SAMPLE_LINES <= samples
    })
}

fn is_title(line: &str) -> bool {
    line.trim() == TITLE
}

/// The state of a thread in a line that cyclictest prints while it runs: `T: 0 (  999) P: 0 I:1000 C:     18
/// Min:      4 Act:    5 Avg:    4 Max:       5`.
struct StatusLine {
    thread: usize,
    cycles: u64,
    min: u64,
    avg: u64,
    max: u64,
}

fn status_of(line: &str) -> Option<StatusLine> {
    let after = |key: &str| {
        let (_, rest) = line.split_once(key)?;
        let digits = rest.trim_start();
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse::<u64>().ok()
    };
    // In front of the line may be the codes that move the cursor.
    let thread = usize::try_from(after("T:")?).ok().filter(|thread| *thread < MAX_THREADS)?;
    let [cycles, min, avg, max] = [" C:", "Min:", "Avg:", "Max:"].map(after);
    Some(StatusLine { thread, cycles: cycles?, min: min?, avg: avg?, max: max? })
}

/// Returns thread and latency of a line that `cyclictest -v` prints: `       0:       1:      12`.
fn sample_of(line: &str) -> Option<(usize, u64)> {
    let mut parts = line.split(':').map(str::trim);
    let (thread, _, latency) = (
        parts.next()?.parse().ok()?,
        parts.next()?.parse::<u64>().ok()?,
        parts.next()?.parse().ok()?,
    );
    (parts.next().is_none() && thread < MAX_THREADS).then_some((thread, latency))
}

/// Imports output as text, which begins with `text` and continues with `rest`: a histogram, else the latency of every
/// cycle, else the state of each thread. The text has no unit: unless `options` has one, the unit is guessed from the
/// minimums.
pub(super) fn read_text(
    text: &[u8],
    rest: Option<Blocks<'_>>,
    options: &Options,
) -> Result<Imported, ImportError> {
    let (mut histogram, mut output) = (None::<TextHistogram>, PrintedLines::default());
    each_part(text, rest, |part, first| {
        for (number, line) in filled(lines_from(part, first)) {
            if let Some(histogram) = &mut histogram {
                histogram.read_line((number, line))?;
                continue;
            }
            let Some(line) = line.and_then(|line| std::str::from_utf8(line).ok()) else { continue };
            if is_title(line) {
                histogram = Some(TextHistogram::new(options));
            } else {
                output.read_line(line, number);
            }
        }
        Ok(())
    })?;
    match histogram {
        Some(histogram) => histogram.finish(options),
        None => output.finish(options),
    }
}

/// The histogram that cyclictest prints when it ends. Only the lines after the rows show their unit.
struct TextHistogram {
    counts: CountsReader,
    /// The requested unit in nanoseconds; `None` if values are read as they are until the unit is known.
    unit: Option<i64>,
    /// Rows above the limit if their unit is microseconds.
    too_high: BadLines,
    /// The minimum of each thread; `None` before their line.
    mins: Option<Vec<u64>>,
}

impl TextHistogram {
    fn new(options: &Options) -> Self {
        let unit = wanted_unit(options).map(unit_nanos);
        let (counts, too_high) = (CountsReader::default(), BadLines::default());
        Self { counts, unit, too_high, mins: None }
    }

    fn read_line(&mut self, (number, line): NumberedLine<'_>) -> Result<(), ImportError> {
        let Self { counts, unit, too_high, mins } = self;
        let (unit, bad_count) = (unit.unwrap_or(1), counts.counts.bad_lines.count);
        counts.read_line((number, line), unit, |line, columns| {
            // The line may be cut off before its first value.
            let known = mins.as_ref().filter(|mins| !mins.is_empty());
            let threads = known.map_or(usize::MAX, Vec::len);
            if let Some(found) = after(line, MIN_LATENCIES) {
                // With the option -H of cyclictest, rows have a further last column for all threads together: remove it.
                let found = mins.get_or_insert_with(|| found.collect());
                if !found.is_empty() {
                    columns.truncate(found.len());
                }
            } else if let Some(found) = after(line, "# Max Latencies:") {
                set_max(columns, unit, found.take(threads));
            } else if let Some(found) = after(line, "# Histogram Overflows:") {
                set_above(columns, found.take(threads));
            }
            mins.is_some() || line.starts_with('#') || line.starts_with("T:")
        })?;
        let value = line.and_then(|line| line.trim_ascii().split(u8::is_ascii_whitespace).next());
        let value = value.and_then(|value| std::str::from_utf8(value).ok()?.parse::<i64>().ok());
        if value.is_some_and(|value| MAX_VALUE_NANOS / MICRO < value)
            && counts.counts.bad_lines.count == bad_count
        {
            too_high.add(number, TOO_HIGH_VALUE);
        }
        Ok(())
    }

    fn finish(mut self, options: &Options) -> Result<Imported, ImportError> {
        let unit = unit_of(&self.mins.unwrap_or_default(), options);
        if self.unit.is_none() && unit != TimeUnit::Nanos {
            let counts = &mut self.counts.counts;
            counts.bad_lines.merge(self.too_high);
            let scaled = |value: i64| {
                let nanos = value.saturating_mul(MICRO);
                (nanos <= MAX_VALUE_NANOS).then_some(nanos)
            };
            for column in &mut counts.columns {
                let bins = column.bins.iter();
                column.bins =
                    bins.filter_map(|(value, count)| Some((scaled(value)?, count))).collect();
                column.max = column.max.and_then(|max| scaled(max.get())).map(Nanos::new);
            }
        }
        let counts = self.counts.finish(|place| format!("Thread {place}"))?;
        let mut imported = imported(counts.columns, counts.bad_lines, Source::Cyclictest);
        imported.notes.extend(unit_words(unit));
        Ok(imported)
    }
}

/// Returns the requested unit, if values can be in it.
fn wanted_unit(options: &Options) -> Option<TimeUnit> {
    options.unit.filter(|unit| *unit != TimeUnit::Fps)
}

fn unit_nanos(unit: TimeUnit) -> i64 {
    Nanos::from_nanos_f64(unit.millis(1.0) * 1e6).get()
}

fn unit_of(mins: &[u64], options: &Options) -> TimeUnit {
    let is_nanos = !mins.is_empty() && mins.iter().all(|min| MIN_IN_NANOS <= *min);
    let likely = if is_nanos { TimeUnit::Nanos } else { TimeUnit::Micros };
    wanted_unit(options).unwrap_or(likely)
}

fn unit_words(unit: TimeUnit) -> Option<String> {
    let symbol = unit.symbol();
    (unit != TimeUnit::Micros)
        .then(|| format!("Values were read as {symbol}; the file has no unit."))
}

/// What cyclictest prints while it runs: with -v the latency of every cycle, else the state of each thread.
#[derive(Default)]
struct PrintedLines {
    /// For each thread and latency, the number of cycles and the first line.
    samples: BTreeMap<usize, BTreeMap<u64, (u64, u64)>>,
    /// For each thread, its last state and the line of it.
    states: BTreeMap<usize, (StatusLine, u64)>,
    /// Number of different latencies of all threads. None is added above [`MAX_SAMPLE_BINS`].
    bin_count: u64,
}

impl PrintedLines {
    fn read_line(&mut self, line: &str, number: u64) {
        if let Some((thread, latency)) = sample_of(line) {
            if self.bin_count <= MAX_SAMPLE_BINS {
                let bins = self.samples.entry(thread).or_default();
                let (count, _) = bins.entry(latency).or_insert((0, number));
                *count += 1;
                self.bin_count += u64::from(*count == 1);
            }
        } else if let Some(state) = status_of(line) {
            self.states.insert(state.thread, (state, number));
        }
    }

    fn finish(self, options: &Options) -> Result<Imported, ImportError> {
        if MAX_SAMPLE_BINS < self.bin_count {
            return Err(ImportError::TooManyRows { limit: MAX_SAMPLE_BINS });
        }
        of_printed_lines(self, options)
    }
}

/// Imports the latency of every cycle, or else the last state of each thread.
fn of_printed_lines(lines: PrintedLines, options: &Options) -> Result<Imported, ImportError> {
    let PrintedLines { mut samples, mut states, .. } = lines;
    let mut mins: Vec<u64> = states.values().map(|(state, _)| state.min).collect();
    mins.extend(samples.values().filter_map(|bins| bins.keys().next()));
    let unit = unit_of(&mins, options);
    let unit_nanos = unit_nanos(unit);
    let nanos = |value: u64| {
        Nanos::new(i64::try_from(value).unwrap_or(i64::MAX).saturating_mul(unit_nanos))
    };
    let is_believed = |value: u64| nanos(value).get() <= MAX_VALUE_NANOS;
    let mut bad_lines = BadLines::default();
    let mut is_kept = |value: u64, count: u64, line: u64| {
        let is_believed = is_believed(value);
        for _ in (0..count).filter(|_| !is_believed) {
            bad_lines.add(line, TOO_HIGH);
        }
        is_believed
    };
    for bins in samples.values_mut() {
        bins.retain(|value, (count, line)| is_kept(*value, *count, *line));
    }
    samples.retain(|_, bins| !bins.is_empty());
    states.retain(|_, (state, line)| is_kept(state.max, 1, *line));
    let threads: Vec<Distribution> = if samples.is_empty() {
        let stated = |state: &StatusLine| Distribution {
            label: format!("Thread {}", state.thread),
            above_count: state.cycles,
            max: Some(nanos(state.max)),
            stated_min: Some(nanos(state.min)),
            stated_mean: Some(nanos(state.avg)),
            ..Distribution::default()
        };
        states
            .values()
            .map(|(state, _)| state)
            .filter(|state| 0 < state.cycles)
            .map(stated)
            .collect()
    } else {
        let counted = |(thread, bins): (&usize, &BTreeMap<u64, (u64, u64)>)| Distribution {
            label: format!("Thread {thread}"),
            bins: bins.iter().map(|(value, (count, _))| (nanos(*value).get(), *count)).collect(),
            max: bins.keys().next_back().map(|value| nanos(*value)),
            ..Distribution::default()
        };
        samples.iter().map(counted).collect()
    };
    if threads.is_empty() {
        return Err(ImportError::NoValues { bad_count: bad_lines.count });
    }
    let mut imported = imported(threads, bad_lines, Source::Cyclictest);
    imported.notes.extend(unit_words(unit));
    Ok(imported)
}

pub(super) fn imported(
    threads: Vec<Distribution>,
    bad_lines: BadLines,
    source: Source,
) -> Imported {
    let mut notes: Vec<String> = threads.iter().filter_map(above_words).collect();
    if threads.iter().any(|thread| thread.bins.is_empty()) {
        let program = source.program();
        notes.push(match source {
            Source::Cyclictest => {
                "The file has no histogram, only min, mean, and max: run cyclictest with -h \
                                   for percentiles."
                    .to_owned()
            }
            _ => format!(
                "The file has no histogram, only what {program} states: min, mean, and max."
            ),
        });
    }
    Imported {
        name: source.program().to_owned(),
        bad_lines,
        notes,
        ..Imported::new(source, Content::Capture(Capture::Histogram(threads)))
    }
}

/// Returns a note on the values above the last bin of a histogram; `None` if there are none.
pub(super) fn above_words(of: &Distribution) -> Option<String> {
    let Distribution { label, above_count, .. } = of;
    let all = of.count();
    (0 < *above_count && !of.bins.is_empty())
        .then(|| format!("{label}: {above_count} of {all} values were above the histogram."))
}
