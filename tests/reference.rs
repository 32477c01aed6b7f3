//! The output formats of the reference tools. Parsers are written from lines that the tools print; they read
//! these lines first, and then the output of `--format reference` for real runs.

mod holoscan;
mod made;

use jitterscope_engine::machine::Machine;
use jitterscope_engine::platform;

use crate::cli;

/// Runs a test without saving it; returns the lines of standard output, and the text of standard error.
fn measure(args: &[&str]) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = cli::run(&folder, &[args, &["--no-save", "--quiet"]].concat());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
    let text = String::from_utf8(output.stdout).unwrap();
    (text.lines().map(str::to_owned).collect(), error)
}

/// Returns the text between `before`, with which the line begins, and `after`, and the text that follows;
/// `None` if one is missing.
fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<(&'a str, &'a str)> {
    line.strip_prefix(before)?.split_once(after)
}

/// Parses a number with exactly this many decimals, padded on the left with spaces to `width` characters.
fn number(text: &str, width: usize, decimals: usize) -> Option<f64> {
    let digits = text.trim_start_matches(' ');
    let of_decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let is_padded = text.chars().count() == width.max(digits.chars().count());
    (of_decimals == decimals && is_padded).then(|| digits.parse().ok())?
}

/// Parses a duration in the format of Rust's `Debug`, such as `54.0µs`, to nanoseconds. It must have exactly
/// `decimals` decimals or, for `None`, no trailing zeros.
fn length(text: &str, decimals: Option<usize>) -> Option<f64> {
    let unit = text.find(|c: char| c.is_alphabetic())?;
    let (digits, unit) = text.split_at(unit);
    let of_decimals = digits.split_once('.').map_or("", |(_, decimals)| decimals);
    let fits = decimals.map_or(!of_decimals.ends_with('0'), |count| of_decimals.len() == count);
    let scale = match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let value: f64 = digits.parse().ok().filter(|_| fits)?;
    (value < 1e3 || unit == "s").then_some(value * scale)
}

// gdt-cpus: frame_jitter.

/// Parses a row such as `Normal Priority, No Pin            |     0 |  3526 |  3536 |  3561`: the label and
/// four figures.
fn jitter_row(line: &str) -> Option<(&str, [f64; 4])> {
    let cells: Vec<&str> = line.split(" | ").collect();
    let [label, figures @ ..] = cells.as_slice() else { return None };
    let figures: Vec<f64> = figures.iter().filter_map(|cell| number(cell, 5, 0)).collect();
    let is_wide = label.chars().count() == 34;
    Some((label.trim_end(), figures.try_into().ok()?)).filter(|_| is_wide)
}

/// Parses the block about the CPU: the model, and the numbers of performance cores, efficiency cores, and
/// logical CPUs.
fn cpu_block(lines: &[String]) -> Option<(&str, [u32; 3])> {
    let [banner, rule, head, model, performance, efficiency, logical, ..] = lines else {
        return None;
    };
    let fits = banner == "Frame Loop Jitter Benchmark"
        && *rule == "=".repeat(banner.len())
        && head == "CPU Info:";
    let counts = [
        performance.strip_prefix("  Performance cores: ")?.parse().ok()?,
        efficiency.strip_prefix("  Efficiency cores: ")?.parse().ok()?,
        logical.strip_prefix("  Logical cores: ")?.parse().ok()?,
    ];
    Some((model.strip_prefix("  Model: ")?, counts)).filter(|_| fits)
}

/// Parses the block of a configuration: the priority, the CPU to which the thread is pinned, and the
/// priorities of the load threads.
fn configuration(lines: &[&str]) -> Option<(String, Option<u32>, Vec<String>)> {
    let [head, priority, pin, count, workers @ ..] = lines else { return None };
    let priority = priority.strip_prefix("Frame thread priority: ")?;
    let pin = match pin.strip_prefix("Pin to core: ")? {
        "None" => None,
        some => Some(between(some, "Some(", ")")?.0.parse().ok()?),
    };
    let count: usize = count.strip_prefix("Background workers: ")?.parse().ok()?;
    let workers: Vec<String> = workers
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let before = format!("Background worker {index} started with priority ");
            Some(line.strip_prefix(before.as_str())?.to_owned())
        })
        .collect();
    let fits = *head == "--- Running Frame Loop Test ---" && workers.len() == count;
    fits.then(|| (priority.to_owned(), pin, workers))
}

/// Checks all lines of `frame_jitter`; returns the labels in its table.
fn frame_jitter(lines: &[String]) -> Vec<String> {
    let (model, [performance, efficiency, logical]) = cpu_block(lines).expect("the CPU block");
    assert!(!model.is_empty() && performance + efficiency <= logical, "{lines:?}");
    let blocks: Vec<Vec<&str>> = lines[7..]
        .split(String::is_empty)
        .map(|part| part.iter().map(String::as_str).collect())
        .collect();
    let [_, configurations @ .., table] = blocks.as_slice() else { panic!("{lines:?}") };
    for block in configurations {
        let (priority, pin, workers) = configuration(block).unwrap_or_else(|| panic!("{block:?}"));
        assert!(!priority.contains(' ') && pin.is_none_or(|cpu| cpu < logical), "{block:?}");
        let levels = ["Normal", "BelowNormal"].into_iter().cycle().take(workers.len());
        assert_eq!(workers, levels.collect::<Vec<_>>());
    }
    let [summary, head, rule, rows @ ..] = table.as_slice() else { panic!("{table:?}") };
    assert_eq!(*summary, "Results Summary (jitter in microseconds):");
    assert_eq!(*head, "Configuration                      |   Min |   p50 |   p95 |   p99");
    assert_eq!(*rule, "-----------------------------------|-------|-------|-------|-------");
    assert_eq!(rows.len(), configurations.len());
    let mut labels = Vec::new();
    for row in rows {
        let (label, figures) = jitter_row(row).unwrap_or_else(|| panic!("{row:?}"));
        assert!(figures.is_sorted() && 0.0 <= figures[0], "{row}");
        labels.push(label.to_owned());
    }
    labels
}

const FRAME_JITTER: &str = "\
Frame Loop Jitter Benchmark
===========================
CPU Info:
  Model: Apple M3 Max
  Performance cores: 12
  Efficiency cores: 4
  Logical cores: 16

--- Running Frame Loop Test ---
Frame thread priority: AboveNormal
Pin to core: None
Background workers: 4
Background worker 0 started with priority Normal
Background worker 1 started with priority BelowNormal
Background worker 2 started with priority Normal
Background worker 3 started with priority BelowNormal

--- Running Frame Loop Test ---
Frame thread priority: TimeCritical
Pin to core: Some(0)
Background workers: 1
Background worker 0 started with priority Normal

Results Summary (jitter in microseconds):
Configuration                      |   Min |   p50 |   p95 |   p99
-----------------------------------|-------|-------|-------|-------
Above Normal Priority, No Pin      |     0 |  3526 |  3536 |  3561
TimeCritical Priority, P-core Pin  |     0 |   510 |   518 |   528";

#[test]
fn frame_jitter_is_printed_as_gdt_cpus_does() {
    let sample: Vec<String> = FRAME_JITTER.lines().map(str::to_owned).collect();
    let labels = frame_jitter(&sample);
    assert_eq!(labels, ["Above Normal Priority, No Pin", "TimeCritical Priority, P-core Pin"]);
    assert_eq!(
        jitter_row("Normal Priority, No Pin            |    0 |     0 |     3 |    52"),
        None
    );
    assert_eq!(jitter_row("Normal Priority, No Pin |     0 |     0 |     3 |    52"), None);
    for format in ["reference", "source"] {
        let args = ["frame-loop", "--preset", "gdt-cpus", "--duration", "200ms", "--format"];
        let (lines, _) = measure(&[&args, &[format][..]].concat());
        assert_eq!(
            frame_jitter(&lines),
            [
                "Normal Priority, No Pin",
                "Above Normal Priority, No Pin",
                "Highest Priority, No Pin",
                "Highest Priority, P-core Pin",
                "TimeCritical Priority, No Pin",
                "TimeCritical Priority, P-core Pin",
            ]
        );
    }
}

// spin_sleep: native_sleep_accuracy and spin_strategy_latency.

/// Parses a line such as `average: 54.0µs, best: 8.7µs, worst: 94.1µs`, with this many decimals each.
fn sleeps(line: &str, decimals: usize) -> Option<[f64; 3]> {
    let (average, rest) = between(line, "average: ", ", ")?;
    let (best, worst) = between(rest, "best: ", ", worst: ")?;
    let [average, best, worst] = [average, best, worst].map(|text| length(text, Some(decimals)));
    Some([average?, best?, worst?])
}

#[test]
fn sleeps_are_printed_as_native_sleep_accuracy_does() {
    for (line, decimals, expected) in [
        ("average: 54.0µs, best: 8.7µs, worst: 94.1µs", 1, Some([54e3, 8_700.0, 94_100.0])),
        ("average: 58.0µs, best: 7.6µs, worst: 3.3ms", 1, Some([58e3, 7_600.0, 3.3e6])),
        ("average: 1.055ms, best: 1.054ms, worst: 1.058ms", 3, Some([1.055e6, 1.054e6, 1.058e6])),
        ("average: 1.055ms, best : 1.054ms, worst: 1.058ms", 3, None),
        ("average: 1.05ms, best: 1.05ms, worst: 1.05ms", 3, None),
    ] {
        let close = |one: [f64; 3], two: [f64; 3]| {
            one.iter().zip(two).all(|(one, two)| (one - two).abs() < 1e-3)
        };
        let found = sleeps(line, decimals);
        assert_eq!(found.is_some(), expected.is_some(), "{line}");
        assert!(found.zip(expected).is_none_or(|(found, expected)| close(found, expected)));
    }
    let (lines, error) = measure(&["sleep-accuracy", "--count", "20", "--format", "reference"]);
    assert_eq!(lines.len(), 6, "idle and under load: {lines:?}");
    for (line, decimals) in lines.iter().zip([1, 1, 3, 1, 1, 3]) {
        let [average, best, worst] = sleeps(line, decimals).unwrap_or_else(|| panic!("{line:?}"));
        assert!(best <= average && average <= worst, "{line}");
    }
    let mut said: Vec<&str> = error.lines().collect();
    assert!(said.pop().is_some_and(|line| line.starts_with("this method hides ")), "{error}");
    let headings = ["==> sleep 1ns", "==> sleep 1µs", "==> sleep 1ms"];
    // Do not use `available_parallelism`: a CPU quota lowers its result.
    let threads = platform::usable_cpus().len();
    let load = format!("Simulating {threads} thread load");
    assert_eq!(said, [&headings[..], &[&load], &headings[..]].concat());
}

/// Parses a line such as `900µs  SpinLoopHint  avg-spins: 30094    avg-actual: 900.044µs`: the requested
/// duration, the strategy, the number of spins, and the actual duration.
fn spins(line: &str) -> Option<(f64, &str, u64, f64)> {
    let columns: Vec<(usize, char)> = line.char_indices().collect();
    let at = |position: usize| columns.get(position).map(|&(at, _)| at);
    let (duration, rest) = line.split_at(at(7)?);
    let (name, rest) = rest.split_at(14);
    let (spins, actual) = between(rest, "avg-spins: ", "avg-actual: ")?;
    let is_padded = spins.len() == spins.trim_end().len().max(8) + 1 && spins.ends_with(' ');
    let fits = duration.ends_with(' ') && name.ends_with(' ') && is_padded;
    fits.then_some(())?;
    let spins = spins.trim_end().parse().ok()?;
    Some((length(duration.trim_end(), None)?, name.trim_end(), spins, length(actual, None)?))
}

#[test]
fn spins_are_printed_as_spin_strategy_latency_does() {
    for (line, expected) in [
        (
            "5ms    None          avg-spins: 231633   avg-actual: 5.000039ms",
            Some((5e6, "None", 231_633)),
        ),
        (
            "900µs  SpinLoopHint  avg-spins: 30094    avg-actual: 900.044µs",
            Some((9e5, "SpinLoopHint", 30_094)),
        ),
        (
            "100ns  YieldThread   avg-spins: 1        avg-actual: 2.882577ms",
            Some((100.0, "YieldThread", 1)),
        ),
        ("5ms    None          avg-spins: 176820   avg-actual: 5ms", Some((5e6, "None", 176_820))),
        ("5ms   None          avg-spins: 231633   avg-actual: 5.000039ms", None),
        ("5ms    None          avg-spins: 231633  avg-actual: 5.000039ms", None),
        ("5ms    None          avg-spins: 231633   avg-actual: 5.000030ms", None),
    ] {
        let found = spins(line).map(|(duration, name, spins, _)| (duration, name, spins));
        assert_eq!(found, expected, "{line}");
    }
    let (lines, error) = measure(&[
        "spin-strategies",
        "--count",
        "10",
        "--short-count",
        "10",
        "--conditions",
        "idle",
        "--format",
        "reference",
    ]);
    let mut expected = [5e6, 9e5, 5e3, 100.0]
        .into_iter()
        .flat_map(|duration| ["None", "SpinLoopHint", "YieldThread"].map(|name| (duration, name)));
    for line in &lines {
        let (duration, name, _, actual) = spins(line).unwrap_or_else(|| panic!("{line:?}"));
        assert_eq!(expected.next(), Some((duration, name)), "{line}");
        assert!(duration <= actual, "{line}");
    }
    let said: Vec<&str> = error.lines().collect();
    assert!(said.len() == 2 && said[1].starts_with("this method hides "), "{error}");
    assert_eq!((expected.next(), said[0]), (None, "warming up..."));
}

// latency2.

/// Parses a line such as `diff … avg … biggest … smallest … sumsq … count …, runtime …`, with six decimals
/// each.
fn latency2(line: &str) -> Option<[f64; 7]> {
    let names = ["diff ", " avg ", " biggest ", " smallest ", " sumsq ", " count ", ", runtime "];
    let mut figures = Vec::new();
    let mut rest = line;
    for position in 0..names.len() {
        let after = names.get(position + 1).copied().unwrap_or("\n");
        let (figure, _) = between(rest, names[position], after)
            .or_else(|| Some((rest.strip_prefix(names[position])?, "")))?;
        figures.push(number(figure, 0, 6)?);
        rest = &rest[names[position].len() + figure.len()..];
    }
    figures.try_into().ok().filter(|_| rest.is_empty())
}

#[test]
fn gap_probes_are_printed_as_latency2_does() {
    for (line, fits) in [
        (
            "diff 0.000000 avg 0.000000 biggest 0.000000 smallest 0.000000 sumsq 0.000000 count \
             1.000000, runtime 0.000001",
            true,
        ),
        (
            "diff 0.000001 avg 0.000000 biggest 0.000206 smallest 0.000000 sumsq 0.000026 count \
             396915411.000000, runtime 60.000002",
            true,
        ),
        (
            "diff=0.000001 avg=0.000000 biggest=0.000206 smallest=0.000000 sumsq=0.000026 \
             count=396915411.000000 runtime=60.000002",
            false,
        ),
        (
            "diff 0.000001 avg 0.000000 biggest 0.000206 smallest 0.000000 sumsq 0.000026 count \
             396915411, runtime 60.000002",
            false,
        ),
    ] {
        assert_eq!(latency2(line).is_some(), fits, "{line}");
    }
    let cpus = platform::usable_cpus();
    let prefix = |line: &str| match cpus.len() {
        1 => None,
        _ => line.split_once(": ").map(|(cpu, _)| cpu.to_owned()),
    };
    let figures_of = |line: &String| {
        let text = prefix(line).map_or(line.as_str(), |cpu| &line[cpu.len() + 2..]);
        latency2(text).unwrap_or_else(|| panic!("{line:?}"))
    };
    let args = ["scheduling-gaps", "--duration", "1200ms", "--format", "latency2"];
    let (lines, _) = measure(&args);
    let probes = cpus.len();
    assert_eq!(lines.len(), 2 * probes, "at once and at the end: {lines:?}");
    let (first, last) = lines.split_at(probes);
    let one_reading = |line: &String| (figures_of(line)[5] - 1.0).abs() < 1e-9;
    assert!(first.iter().all(one_reading), "the first line is of one reading: {lines:?}");
    for line in last {
        let [_, _, longest, smallest, _, count, runtime] = figures_of(line);
        assert!(smallest <= longest && longest <= runtime && 1_000.0 < count, "{lines:?}");
    }
    // Where several probes run, each line names the CPU.
    if 1 < probes {
        let expected: Vec<String> = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
        let named: Vec<String> = last.iter().filter_map(|line| prefix(line)).collect();
        assert_eq!(named, expected);
    }

    // Lines are those of the tool, and each probe has a file of its own.
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("probes");
    let (lines, error) =
        measure(&[&args[..], &["--plain", "--out-dir", files.to_str().unwrap()]].concat());
    assert!(lines.iter().all(|line| latency2(line).is_some()), "{lines:?}");
    for (position, cpu) in cpus.iter().enumerate() {
        let name = format!("core{}.txt", position + 1);
        let text = std::fs::read_to_string(files.join(&name)).unwrap();
        let figures: Vec<[f64; 7]> = text.lines().map(|line| latency2(line).unwrap()).collect();
        assert!(figures.len() == 2 && figures[0][6] < figures[1][6], "{text}");
        assert!(error.contains(&format!("{name} has the lines of CPU {cpu}")), "{error}");
    }
}

// RSProt: the format of JMH.

/// Parses a line such as `PlayerInfoBenchmark.benchmark  avgt    3  170.230 ± 7.278  ms/op` below its header
/// `head`: name, count, score, error.
fn jmh(head: &str, line: &str) -> Option<(String, u32, f64, f64)> {
    let names = head.find("  Mode")?;
    let (titles, values) = (head.get(names..)?, line.get(names..)?);
    let values = values.strip_prefix("  avgt")?;
    let (counts, rest) = titles.strip_prefix("  Mode")?.split_once("Cnt")?;
    let count = values.get(..counts.len() + 3)?;
    let values = values.get(counts.len() + 3..)?;
    let (scores, errors) = rest.split_once("Score")?;
    let score = values.get(..scores.len() + 5)?;
    let values = values.get(scores.len() + 5..)?.strip_prefix(" ±")?;
    let (errors, units) = errors.strip_prefix("  ")?.split_once("Error")?;
    let error = values.get(..errors.len() + 5)?;
    let fits = units == "  Units" && values.get(errors.len() + 5..)? == "  ms/op";
    let widths = (count.starts_with("  "), score.starts_with("  "), error.starts_with(' '));
    (fits && widths == (true, true, true)).then_some(())?;
    Some((
        line.get(..names)?.trim_end().to_owned(),
        count.trim_start().parse().ok()?,
        number(score, score.len(), 3)?,
        number(error, error.len(), 3)?,
    ))
}

#[test]
fn game_ticks_are_printed_as_jmh_does() {
    for (head, line, expected) in [
        (
            "Benchmark                      Mode  Cnt    Score   Error  Units",
            "PlayerInfoBenchmark.benchmark  avgt    3  170.230 ± 7.278  ms/op",
            Some((170.23, 7.278)),
        ),
        (
            "Benchmark                      Mode  Cnt   Score   Error  Units",
            "PlayerInfoBenchmark.benchmark  avgt    3  11.544 ± 0.154  ms/op",
            Some((11.544, 0.154)),
        ),
        (
            "Benchmark                      Mode  Cnt   Score   Error  Units",
            "PlayerInfoBenchmark.benchmark  avgt    3  11.54 ± 0.154  ms/op",
            None,
        ),
        (
            "Benchmark                   Mode  Cnt   Score   Error  Units",
            "NpcInfoBenchmark.benchmark  avgt    3  64.195 ± 3.336  ms/op",
            Some((64.195, 3.336)),
        ),
    ] {
        let found = jmh(head, line).map(|(_, _, score, error)| (score, error));
        assert_eq!(found, expected, "{line}");
    }
    let (lines, _) = measure(&[
        "game-tick",
        "--players",
        "200",
        "--npcs",
        "50",
        "--warm-up",
        "0s",
        "--iterations",
        "3",
        "--iteration",
        "100ms",
        "--threads",
        "custom",
        "--thread-count",
        "2",
        "--format",
        "reference",
    ]);
    let cores = Machine::read().physical_cores;
    let mut sections = lines.split(String::is_empty);
    for name in ["PlayerInfoBenchmark.benchmark", "NpcInfoBenchmark.benchmark"] {
        let mut scores = Vec::new();
        for heading in ["Single-threaded measurements:", "Multithreaded measurements (2 threads):"]
        {
            let [title, head, line] = sections.next().unwrap() else { panic!("{lines:?}") };
            let (benchmark, count, score, _) =
                jmh(head, line).unwrap_or_else(|| panic!("{head:?} {line:?}"));
            assert_eq!((title.as_str(), benchmark.as_str(), count), (heading, name, 3));
            assert!(0.0 < score, "{line}");
            scores.push(score);
        }
        let Some(cores) = cores else {
            println!("skipped: this PC does not report its cores, and has no ratio");
            continue;
        };
        let [ratio] = sections.next().unwrap() else { panic!("{lines:?}") };
        let (ratio, rest) = between(ratio, "Multithreaded ratio: ", "x").unwrap();
        let ratio = number(ratio, 0, 2).unwrap_or_else(|| panic!("{ratio:?}"));
        // The tolerance allows for scores that were rounded to three decimals and for a ratio that was
        // rounded to two.
        let (one, two) = (scores[0], scores[1] * f64::from(cores.min(2)));
        let room = (one + 0.001) / (two - 0.001).max(0.001) - one / two + 0.005;
        assert!((ratio - one / two).abs() <= room && rest.is_empty(), "{ratio}: {scores:?}");
    }
}
