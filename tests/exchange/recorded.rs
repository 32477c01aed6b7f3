//! Captures that real programs recorded: every figure equals the one that a Python script with its own parser
//! and NumPy computes from the same file.
//!
//! Runs only if the environment variable `JITTERSCOPE_CAPTURES` names the folder of captures.

use std::path::Path;

use jitterscope_engine::import::{self, Options, Series};
use jitterscope_engine::report::capture::{CaptureFigures, FrameFigures};
use jitterscope_engine::report::{self, RecordingFigures, Report};
use jitterscope_engine::stats::{LowDefinition, Lows};
use serde_json::{Value, json};

/// Returns the figures of a file, or of one series of it, in the form in which the script reads them.
fn figures(path: &Path, options: &Options) -> Vec<Value> {
    let imported = import::read(path, options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(imported.bad_lines.count, 0, "{}: {:?}", path.display(), imported.bad_lines);
    let report = Report::of(&imported.into_run(), &report::Options::default());
    let shown =
        report.results::<RecordingFigures>().iter().map(|recording| match &recording.figures {
            CaptureFigures::Frames(frames) => of_frames(frames),
            CaptureFigures::SampledLog(log) => json!({
                "count": log.count,
                "frame_time_sum_nanos": log.frame_time_sum.get(),
            }),
            CaptureFigures::Ticks(_) | CaptureFigures::Histogram(_) => Value::Null,
        });
    let values = shown.map(
        |figures| json!({ "path": path, "swap_chain": options.swap_chain, "figures": figures }),
    );
    values.collect()
}

fn of_frames(frames: &FrameFigures) -> Value {
    let times = &frames.frame_time;
    let lows = |lows: Lows| LowDefinition::ALL.map(|definition| lows.by(definition));
    json!({
        "count": times.count,
        "average_fps": frames.average_fps,
        "p50_nanos": times.p50.get(),
        "p99_nanos": times.p99.map(|p99| p99.get()),
        "max_nanos": times.max.get(),
        "mean_nanos": times.mean_nanos,
        "std_dev_nanos": times.std_dev_nanos,
        "one_percent_low": frames.one_percent_low.map(lows),
        "stutter_count": frames.stutter.count,
        "stutter_share": frames.stutter.share,
    })
}

/// Checks that the frames of a log of MangoHud give the figures that MangoHud 0.6.8 wrote beside it: means of frame rates,
/// of all frames and of the slowest ones.
fn assert_summary(path: &Path, summary: &str) {
    let (names, values) = summary.split_once('\n').unwrap();
    let stated = |name: &str| -> f64 {
        let place = names.split(',').position(|known| known == name).unwrap();
        values.split(',').nth(place).unwrap().trim().parse().unwrap()
    };
    let imported = import::read(path, &Options::default()).unwrap();
    let recording = &imported.capture().unwrap().recordings()[0];
    let mut rates: Vec<f64> = recording.present().map(|time| 1e9 / time as f64).collect();
    rates.sort_unstable_by(f64::total_cmp);
    let mean = |share: f64| {
        let count = (rates.len() as f64 * share).ceil() as usize;
        rates[..count].iter().sum::<f64>() / count as f64
    };
    for (name, share) in [("0.1% Min FPS", 0.001), ("1% Min FPS", 0.01), ("Average FPS", 1.0)] {
        let (own, stated) = (mean(share), stated(name));
        println!("{}: {name} {own}, MangoHud {stated}", path.display());
        // MangoHud prints a tenth.
        assert!((own - stated).abs() <= 0.05 + 1e-3, "{name}: {own}, {stated}");
    }
}

#[test]
fn figures_of_recorded_captures_equal_numpys() {
    let Some(folder) = std::env::var_os("JITTERSCOPE_CAPTURES") else {
        println!("skipped: JITTERSCOPE_CAPTURES names no folder of captures");
        return;
    };
    let mut captures = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_summary = stem.ends_with("_summary");
        if path.extension().is_none_or(|extension| extension != "csv") || is_summary {
            continue;
        }
        let summary = path.with_file_name(format!("{stem}_summary.csv"));
        if let Ok(summary) = std::fs::read_to_string(&summary) {
            assert_summary(&path, &summary);
        }
        let all = import::read(&path, &Options::default()).unwrap();
        // Import each series of the file separately, including the default one.
        let each = all.series.iter().map(Series::options).collect::<Vec<_>>();
        let options = if each.is_empty() { vec![Options::default()] } else { each };
        captures.extend(options.iter().flat_map(|options| figures(&path, options)));
    }
    assert!(!captures.is_empty(), "no captures");
    let file = tempfile::NamedTempFile::new().unwrap();
    serde_json::to_writer(&file, &captures).unwrap();
    let python = std::env::var("JITTERSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("recompute_capture.py");
    match std::process::Command::new(&python).arg(script).arg(file.path()).output() {
        Err(error) => println!("skipped: {python} cannot be run: {error}"),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            println!("{said}");
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(matches!(output.status.code(), Some(0 | 77)), "{said}{errors}");
        }
    }
}
