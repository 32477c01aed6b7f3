//! Run files in which random values were changed: `runs show`, `compare`, and `alternate` accept or reject
//! each, and none panics.
//!
//! Most files are still valid JSON, and many are still valid runs. A normal test run tries some hundred
//! files; with `JITTERSCOPE_LONG_TESTS=1`, it tries 100 000, and with `JITTERSCOPE_MUTATED_FILES=200000` that many.
#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use jitterscope::{Status, run_command_line};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform;
use jitterscope_engine::store;
use serde_json::{Map, Value, json};

use super::cli::is_long;
use super::exchange::{Random, peak_mib, requested_count, requested_seed, sample};
use super::tidy::root;

/// Number of changed files in a normal test run and in a long one.
const CASES: [u64; 2] = [300, 100_000];
/// The environment variables for the child processes that try the files: the number of files, and the seed of
/// the random changes.
const VARIABLES: [&str; 2] = ["JITTERSCOPE_MUTATED_RUNS", "JITTERSCOPE_MUTATED_RUNS_SEED"];
/// Maximum number of runs that `alternate` really measures, and maximum length of such a run.
const MAX_MEASURED: u64 = 4;
const MAX_LENGTH: Nanos = Nanos::from_millis(120);
/// If the commands take longer for a file, the file is left in the temporary folder.
const SLOW: Duration = Duration::from_secs(10);
/// Lists with more values than this are columns, such as those of samples and evidence.
const MIN_COLUMN: usize = 8;
/// Number of values to which columns are shortened.
const MAX_COLUMN: usize = 20;

/// Replacements for the values of a run: numbers, texts, and dates.
fn numbers() -> [Value; 16] {
    [
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(255),
        json!(4_097),
        json!(1_000_000_007),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(i64::from(u32::MAX)),
        json!(0.5),
        json!(-1e-300),
        json!(1e308),
        json!(9_007_199_254_740_993_i64),
        Value::Null,
    ]
}

const WORDS: [&str; 12] = [
    "",
    "0",
    "Normal",
    "a\u{202e}b\u{85}\u{1b}[31m",
    "-9999-01-01T00:00:00Z",
    "9999-12-30T22:00:00Z",
    "1970-01-01T00:00:00Z",
    "=1+1",
    "00000000",
    "../../etc",
    "é\u{301}\u{1f600}",
    "finished",
];

/// Keys of choices in the settings; a key is replaced by another one.
const CHOICES: [&str; 16] = [
    "os-sleep",
    "hybrid",
    "spin",
    "nothing",
    "normal",
    "highest",
    "time-critical",
    "fifo",
    "round-robin",
    "any",
    "performance",
    "skip",
    "catch-up",
    "rebase",
    "logical",
    "finished",
];

fn pick<T: Clone>(from: &[T], random: &mut Random) -> T {
    from[random.below(from.len())].clone()
}

/// Returns a run of each kind of test, a capture, and a recording, with short columns.
fn originals() -> Vec<Value> {
    let mut saved = Vec::new();
    store::format::write(&sample::run("a name"), &mut saved).unwrap();
    let mut files: Vec<Value> = vec![serde_json::from_slice(&saved).unwrap()];
    let mut paths: Vec<PathBuf> = fs::read_dir(root().join("tests/older"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    paths.retain(|path| path.to_string_lossy().ends_with(store::EXTENSION));
    paths.sort();
    files
        .extend(paths.iter().map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()));
    let mut capture = files.last().unwrap().clone();
    let mut recording = capture.clone();
    let frames = json!({ "label": "game", "elapsed_nanos": null, "frame_times_nanos": [16_000_000, 17_000_000] });
    (capture["plan"], capture["capture"]) = (Value::Null, json!({ "frames": [frames] }));
    let recorded = fs::read(root().join("tests/recordings/game.json")).unwrap();
    recording["plan"] = Value::Null;
    recording["recording"] = serde_json::from_slice(&recorded).unwrap();
    for run in [&mut capture, &mut recording] {
        run["trials"] = json!([]);
    }
    files.extend([capture, recording]);
    assert!(files.len() == 10, "{paths:?}");
    files.iter_mut().for_each(shorten);
    files
}

/// Shortens the columns of samples, so that the file is read quickly, and removes all evidence.
fn shorten(run: &mut Value) {
    for trial in run["trials"].as_array_mut().unwrap() {
        for column in trial["samples"].as_object_mut().unwrap().values_mut() {
            column.as_array_mut().unwrap().truncate(MAX_COLUMN);
        }
        for column in trial["evidence"].as_object_mut().unwrap().values_mut() {
            column.as_array_mut().unwrap().clear();
        }
    }
}

/// Returns the number of values that can be changed: every object and list counts as one, plus the values in
/// it. A column counts as one value.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(all) if MIN_COLUMN < all.len() => 0,
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => all.values().map(size).sum(),
        _ => 0,
    }
}

/// Returns the value number `at`, in the order in which `size` counts the values.
fn nth<'a>(value: &'a mut Value, at: &mut usize) -> Option<&'a mut Value> {
    if *at == 0 {
        return Some(value);
    }
    *at -= 1;
    match value {
        Value::Array(all) if MIN_COLUMN < all.len() => None,
        Value::Array(all) => all.iter_mut().find_map(|one| nth(one, at)),
        Value::Object(all) => all.values_mut().find_map(|one| nth(one, at)),
        _ => None,
    }
}

/// Changes a value to another one that the reader of the file may accept.
fn change(value: &mut Value, random: &mut Random) {
    match value {
        Value::Null => *value = pick(&numbers(), random),
        Value::Bool(is_set) => *is_set = !*is_set,
        Value::Number(number) => {
            let near = |factor: f64| number.as_f64().map_or(Value::Null, |it| json!(it * factor));
            let moved = |by: i64| number.as_i64().map(|it| json!(it.saturating_add(by)));
            *value = match random.below(6) {
                0 => moved(1).unwrap_or_else(|| near(1.01)),
                1 => moved(-1).unwrap_or_else(|| near(0.99)),
                2 => number.as_i64().map_or_else(|| near(3.0), |it| json!(it.saturating_mul(3))),
                3 => number.as_i64().map_or_else(|| near(-1.0), |it| json!(it.saturating_neg())),
                4 => number.as_i64().map_or_else(|| near(0.1), |it| json!(it / 10)),
                _ => pick(&numbers(), random),
            };
        }
        Value::String(text) => match random.below(5) {
            0 => *text = pick(&WORDS, random).to_owned(),
            1 if text.len() < 500 => *text = text.repeat(1 + random.below(2_000)),
            2 => *text = pick(&CHOICES, random).to_owned(),
            3 => text.truncate(text.char_indices().nth(random.below(9)).map_or(0, |(at, _)| at)),
            _ => *text = format!("{text}, CPU {}", random.below(5_000)),
        },
        Value::Array(all) if MIN_COLUMN < all.len() => change_column(all, random),
        Value::Array(all) => {
            let at = random.below(all.len());
            match random.below(5) {
                0 => all.clear(),
                1 => drop(all.pop()),
                2 => all.reverse(),
                _ if all.is_empty() => all.push(pick(&numbers(), random)),
                3 => all.push(all[at].clone()),
                _ => drop(all.remove(at)),
            }
        }
        Value::Object(all) => {
            let keys: Vec<String> = all.keys().cloned().collect();
            let (Some(key), true) = (keys.get(random.below(keys.len())), !keys.is_empty()) else {
                return;
            };
            match random.below(3) {
                // A choice with a number is an object with a single key: replace the key, or the whole object
                // by a choice without a number.
                0 if keys.len() == 1 => {
                    let inner = all.remove(key).unwrap_or_default();
                    *all = Map::from_iter([(pick(&CHOICES, random).to_owned(), inner)]);
                }
                1 if keys.len() == 1 => *value = json!(pick(&CHOICES, random)),
                _ => drop(all.remove(key)),
            }
        }
    }
}

/// Shifts, scales, reverses, shortens, or lengthens a column, or changes one of its values.
fn change_column(all: &mut Vec<Value>, random: &mut Random) {
    let (at, by) = (random.below(all.len()), pick(&[1, -1, 1_000, -1_000_000, 1 << 40], random));
    let each = |all: &mut Vec<Value>, change: &dyn Fn(i64) -> i64| {
        for value in all {
            if let Some(number) = value.as_i64() {
                *value = json!(change(number));
            }
        }
    };
    match random.below(9) {
        0 => each(all, &|number| number.saturating_add(by)),
        1 => each(all, &|number| number.saturating_mul(by)),
        2 => each(all, &|number| number / 1_000_000),
        3 => each(all, &|_| by),
        4 => all.reverse(),
        5 => all.truncate(at),
        6 => all.push(all[at].clone()),
        7 => all[at] = pick(&numbers(), random),
        _ => change(&mut all[at], random),
    }
}

/// Changes all columns of the samples of a trial in the same way, so that they still match each other.
fn change_all_columns(run: &mut Value, random: &mut Random) {
    let Some(trials) = run["trials"].as_array_mut().filter(|trials| !trials.is_empty()) else {
        return;
    };
    let at = random.below(trials.len());
    let Some(columns) = trials[at]["samples"].as_object_mut() else { return };
    let (kind, length) = (random.below(4), random.below(MAX_COLUMN));
    let by = pick(&[1_i64, 1_000, 1 << 33, -(1 << 33), i64::MAX / 2], random);
    for (key, column) in columns.iter_mut() {
        let Some(all) = column.as_array_mut() else { continue };
        match kind {
            0 => all.truncate(length),
            1 => all.clear(),
            2 => all.extend(all.clone()),
            _ if key.ends_with("_nanos") => {
                for value in all {
                    if let Some(number) = value.as_i64() {
                        *value = json!(number.saturating_add(by));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Changes one to three values of a run; the settings are the most frequent place.
fn mutate(mut run: Value, random: &mut Random) -> Value {
    for _ in 0..=random.below(3) {
        let part = match random.below(8) {
            0 => {
                change_all_columns(&mut run, random);
                continue;
            }
            1..=3 => &mut run["plan"],
            4 if run["capture"].is_object() => &mut run["capture"],
            4 if run["recording"].is_object() => &mut run["recording"],
            4 => &mut run["health"],
            5 => &mut run["machine"],
            6 => &mut run["trials"],
            _ => &mut run,
        };
        let mut at = random.below(size(part));
        if let Some(value) = nth(part, &mut at) {
            change(value, random);
        }
    }
    run
}

/// How often the commands accepted, rejected, or measured a file.
#[derive(Debug, Default)]
struct Counts {
    read: u64,
    shown: u64,
    compared: u64,
    /// Files whose settings `alternate` rejected, could measure, and did measure.
    refused: u64,
    runnable: u64,
    measured: u64,
    slowest: Duration,
}

/// Runs a command of the command line in this process.
fn command(data: &Path, args: &[&str]) -> Status {
    let data = data.to_str().unwrap();
    let args = ["--data-dir", data].into_iter().chain(args.iter().copied());
    let all = ["jitterscope-cli"].into_iter().chain(args).map(OsString::from);
    run_command_line(all.collect::<Vec<_>>())
}

/// Returns whether a command accepted a file. Panics on any status other than success and failure.
fn is_accepted(status: Status) -> bool {
    assert!(matches!(status, Status::Done | Status::Failed), "{status:?}");
    status == Status::Done
}

/// Returns how long a measurement with the settings of a saved run takes; `None` if the settings are invalid
/// here.
fn length(path: &Path) -> Option<Nanos> {
    let run = store::load(path).ok()?;
    let (plan, cpus) = (run.plan()?, platform::cpu_facts());
    if !plan.problems(&cpus).is_empty() {
        return None;
    }
    let (stages, length) = (plan.stages(&cpus), plan.duration(&cpus));
    assert!(stages.len() <= 20_000 && !stages.is_empty(), "{} stages", stages.len());
    assert!(Nanos::ZERO <= length && length < Nanos::from_secs(30 * 86_400), "{length:?}");
    plan.expected_samples(&cpus);
    Some(length)
}

/// Runs one of the three commands on a changed file; `number` selects the command.
fn try_one(paths: [&Path; 3], number: u64, counts: &mut Counts) {
    let [data, original, file] = paths;
    let [a, b] = [original, file].map(|path| path.to_str().unwrap());
    let at = usize::try_from(number / 3).unwrap();
    let is_read = store::load(file).is_ok();
    counts.read += u64::from(is_read);
    match number % 3 {
        0 => {
            let formats = ["table", "json", "csv", "reference", "table", "reference-json"];
            let show = ["runs", "show", b, "--format", formats[at % 6], "--out", "/dev/null"];
            let is_shown = is_accepted(command(data, &show));
            assert!(is_read || !is_shown);
            counts.shown += u64::from(is_shown);
        }
        1 => {
            let formats = ["table", "json", "markdown"];
            let compare = ["compare", a, b, "--format", formats[at % 3], "--out", "/dev/null"];
            counts.compared += u64::from(is_accepted(command(data, &compare)));
        }
        _ => alternate([data, original, file], at, counts),
    }
    assert_eq!(fs::read_dir(data).unwrap().count(), 0, "something was saved");
}

/// Checks that `alternate` rejects settings that cannot be measured before it measures anything, on either
/// side. Of the other files, measures only a few.
fn alternate([data, original, file]: [&Path; 3], at: usize, counts: &mut Counts) {
    let [a, b] = [original, file].map(|path| path.to_str().unwrap());
    let Some(length) = length(file) else {
        let sides = if at.is_multiple_of(2) { [a, b] } else { [b, a] };
        let status = command(data, &["alternate", sides[0], sides[1], "--times", "1", "--quiet"]);
        assert_eq!(status, Status::Failed, "alternate");
        counts.refused += 1;
        return;
    };
    counts.runnable += 1;
    if length < MAX_LENGTH && counts.measured < MAX_MEASURED {
        counts.measured += 1;
        let args = ["alternate", b, b, "--times", "1", "--quiet", "--no-save"];
        is_accepted(command(data, &args));
    }
}

/// Runs in a child process, so that the messages of the commands on standard error can be discarded.
#[test]
fn mutated_runs_in_this_process() {
    let [count, seed] =
        VARIABLES.map(|name| std::env::var(name).ok().and_then(|it| it.parse().ok()));
    let (Some(count), Some(seed)) = (count, seed) else { return };
    static PANIC: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|panic| *PANIC.lock().unwrap() = panic.to_string()));
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (originals, mut random) = (originals(), Random(seed));
    let [original, file] = ["a", "b"].map(|name| other.path().join(format!("{name}.json")));
    let mut counts = Counts::default();
    for number in 0..count {
        let run = pick(&originals, &mut random);
        fs::write(&original, run.to_string()).unwrap();
        let text = mutate(run, &mut random).to_string();
        fs::write(&file, &text).unwrap();
        let began = Instant::now();
        let paths = [data.path(), original.as_path(), file.as_path()];
        let tried = catch_unwind(AssertUnwindSafe(|| try_one(paths, number, &mut counts)));
        counts.slowest = began.elapsed().max(counts.slowest);
        if SLOW < began.elapsed() || tried.is_err() {
            // Leave the file for inspection.
            let left = std::env::temp_dir().join(format!("mutated-{seed}-{number}.json"));
            fs::write(&left, text).unwrap();
            let (took, panic) = (began.elapsed(), PANIC.lock().unwrap());
            println!("case {number}: {took:?}: {}: {panic}", left.display());
        }
        if tried.is_err() {
            drop(std::panic::take_hook());
            panic!("case {number}");
        }
    }
    println!("{count} run files from seed {seed}, peak memory {:?} MiB: {counts:?}", peak_mib());
    assert!(count / 5 < counts.read && counts.read < count, "{counts:?}");
    assert!(
        0 < counts.refused && 0 < counts.compared && 0 < counts.shown && 0 < counts.runnable,
        "{counts:?}"
    );
}

#[test]
fn runs_with_changed_values_are_shown_compared_and_alternated_or_refused() {
    let count = requested_count().unwrap_or(CASES[usize::from(is_long())]);
    let first = requested_seed().unwrap_or(0);
    // Two processes use two CPUs in a long test run.
    let children = [0x6a69_7474, 0x6572_2121].map(|seed: u64| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "mutated_runs::mutated_runs_in_this_process", "--nocapture"])
            .env(VARIABLES[0], (count / 2).to_string())
            .env(VARIABLES[1], (seed ^ first).to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    });
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        println!("{said}");
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}
