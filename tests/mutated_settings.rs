//! Files of settings, of the window's state, of priors, and of limits in which random bytes were changed: each is read or
//! refused, none panics, and none takes long.
//!
//! A normal test run tries some hundred files of each kind; with `JITTERSCOPE_LONG_TESTS=1`, it tries 5 000, and with
//! `JITTERSCOPE_MUTATED_FILES=100000` that many.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jitterscope::{Settings, SettingsFile, Status, check_window_state, run_command_line};
use jitterscope_engine::store::repeats::read_prior;

use super::cli::is_long;
use super::exchange::{Random, peak_mib, requested_count, requested_seed};

/// Number of changed files of each kind in a normal test run and in a long one.
const CASES: [usize; 2] = [300, 5_000];
/// Maximum time for one file.
const MAX_TIME: Duration = Duration::from_secs(5);
/// Texts that replace a part of a file.
const PIECES: [&str; 17] = [
    "NaN",
    "inf",
    "-1",
    "0",
    "1e999",
    "99999999999999999999",
    "null",
    "\"",
    "{",
    "}",
    "[",
    "(",
    ":",
    ",",
    "\0",
    "\u{feff}",
    "é\u{202e}",
];

fn count() -> usize {
    let requested = requested_count().map(|count| usize::try_from(count).unwrap());
    requested.unwrap_or(CASES[usize::from(is_long())])
}

/// Returns a text with one to four random changes.
fn mutate(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let from = random.below(bytes.len() + 1);
        let to = (from + random.below(40)).min(bytes.len());
        match random.below(4) {
            0 => drop(bytes.drain(from..to)),
            1 => drop(bytes.splice(from..to, PIECES[random.below(PIECES.len())].bytes())),
            2 => drop(bytes.splice(from..from, bytes[from..to].to_vec())),
            _ => bytes.iter_mut().skip(from).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        }
    }
    bytes
}

/// Changes a file at random, and calls `read` with each; returns how many were accepted.
fn try_all(path: &Path, original: &[u8], read: impl Fn() -> bool) -> usize {
    let seed = requested_seed().unwrap_or(0x5eed_0055);
    let mut random = Random(seed);
    let (count, mut slowest) = (count(), Duration::ZERO);
    let mut accepted = 0;
    for number in 0..count {
        let bytes = mutate(original, &mut random);
        fs::write(path, &bytes).unwrap();
        let began = Instant::now();
        accepted += usize::from(read());
        slowest = began.elapsed().max(slowest);
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        assert!(began.elapsed() < MAX_TIME, "file {number} takes long: {}", text());
    }
    println!(
        "{}: {accepted} of {count} accepted, from seed {seed}, the slowest {slowest:?}, peak memory {:?} MiB",
        path.display(),
        peak_mib()
    );
    accepted
}

#[test]
fn changed_settings_are_read_or_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let file = SettingsFile::at(folder.path());
    file.save(&Settings::default()).unwrap();
    let path = file.path.as_deref().unwrap().to_owned();
    let original = fs::read(&path).unwrap();
    let accepted = try_all(&path, &original, || {
        let (settings, word) = file.load();
        // What is in use can be saved, and is then read as it is.
        file.save(&settings).unwrap();
        assert_eq!(file.load(), (settings, None));
        for entry in fs::read_dir(folder.path()).unwrap() {
            let other = entry.unwrap().path();
            if other != path {
                fs::remove_file(other).unwrap();
            }
        }
        word.is_none()
    });
    assert!(0 < accepted && accepted < count());
}

#[test]
fn changed_states_of_the_window_are_used_or_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.ron");
    let memory = "(options:(theme_preference:System,zoom_factor:1.0),data:[])";
    let window = "(inner_position_pixels:Some((x:0.0,y:30.0)),fullscreen:false,maximized:false,\
                  inner_size_points:Some((x:1440.0,y:900.0)))";
    let entries = HashMap::from([("egui", memory), ("window", window)]);
    let original = ron::to_string(&entries).unwrap();
    let accepted = try_all(&path, original.as_bytes(), || {
        let (used, word) = check_window_state(&path);
        assert_eq!(used, None, "the default file is used, or was renamed");
        assert_eq!(path.exists(), word.is_none(), "a damaged state is set aside, and named");
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        word.is_none()
    });
    assert!(0 < accepted && accepted < count());
}

#[test]
fn changed_priors_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prior.json");
    let original = r#"{"prior":{"groups":3,"metrics":{"p99":{"std_dev":0.1,"freedom":7.0},
        "mean":{"std_dev":0.02,"freedom":12.5}}}}"#;
    fs::write(&path, original).unwrap();
    read_prior(&path).unwrap();
    let accepted = try_all(&path, original.as_bytes(), || match read_prior(&path) {
        Ok(prior) => {
            let mut variations = prior.variations.values();
            assert!(variations.all(|one| 0.0 < one.std_dev && one.freedom.is_finite()));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    });
    assert!(0 < accepted);
}

/// Set for the child process that tries files of limits: the command line prints its messages on standard error.
const LIMITS: &str = "JITTERSCOPE_MUTATED_LIMITS";

#[test]
fn changed_limits_in_this_process() {
    if std::env::var_os(LIMITS).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("limits.toml");
    let original = "time-limit = \"10min\"\ndisturbed = \"count\"\n\n[[test]]\ntest = \"frame-loop\"\n\
                    name = \"a\"\npreset = \"quick\"\nsettings = { fps = 144, duration = \"5s\" }\n\n\
                    [[test.limit]]\nmetric = \"p99\"\nmax = \"2ms\"\n\n[[test.limit]]\nmetric = \"p50\"\n\
                    max = \"100s\"\n";
    // A file that cannot be written is noticed once the limits are accepted, before anything is measured.
    let report = folder.path().join("missing").join("report.xml");
    let args =
        ["jitterscope-cli", "check", path.to_str().unwrap(), "--junit", report.to_str().unwrap()];
    let accepted = try_all(&path, original.as_bytes(), || {
        let status = run_command_line(args.map(OsString::from));
        assert!(matches!(status, Status::Failed | Status::WrongUse), "{status:?}");
        status == Status::Failed
    });
    assert!(0 < accepted && accepted < count());
}

#[test]
fn changed_limits_are_accepted_or_refused() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "mutated_settings::changed_limits_in_this_process", "--nocapture"])
        .env(LIMITS, "1")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    println!("{text}");
    assert!(child.status.success() && text.contains("1 passed"), "{text}");
}
