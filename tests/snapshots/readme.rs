//! Draws the images of the README from real runs of this PC, which should be idle:
//!
//! ```sh
//! cargo build --release --bin jitterscope-cli
//! JITTERSCOPE_README_IMAGES=assets/pictures JITTERSCOPE_README_PROGRAM=target/release/jitterscope-cli \
//!     cargo test -p jitterscope-tests images_of_the_readme -- --nocapture
//! ```
//!
//! Takes about three minutes and needs no display.

use std::path::Path;
use std::process::Command;

use egui::{Key, Theme};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope::frame_png;
use jitterscope_engine::store::Store;

use super::super::window::step_until;
use super::{SIZES, compare, go, open, select, window};

/// The environment variable with the folder for the images, relative to the workspace.
const WANTED: &str = "JITTERSCOPE_README_IMAGES";
/// The environment variable with the command-line program that measures, relative to the workspace. It must
/// be a release build: results of other builds contain a warning.
const PROGRAM: &str = "JITTERSCOPE_README_PROGRAM";

/// The compared runs: name and settings.
const COMPARED: [(&str, &[&str]); 4] = [
    ("Idle", &["--load-threads", "0"]),
    ("Normal", &["--load-threads", "4"]),
    ("Above normal", &["--load-threads", "4", "--priority", "above-normal"]),
    ("Time-critical", &["--load-threads", "4", "--priority", "time-critical"]),
];

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Replaces the file of a run by its export, in which the names of other programs are redacted.
fn hide_names(folder: &Path, name: &str) {
    let out = folder.join("exported.json");
    let path = out.to_str().unwrap();
    measure(folder, &["export", name, "--as", "json", "--out", path]);
    let saved = Store::at(folder).find(name).unwrap();
    std::fs::rename(out, saved).unwrap();
}

/// Runs a command of the command-line program, which saves runs in the folder; returns its output.
fn measure(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new(workspace().join(std::env::var_os(PROGRAM).unwrap()));
    let output = command.arg("--data-dir").arg(folder).args(args).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn images_of_the_readme() {
    let Some(target) = std::env::var_os(WANTED) else {
        println!("skipped: images of this PC are drawn where {WANTED} names a folder");
        return;
    };
    let target = workspace().join(target);
    let folder = tempfile::tempdir().unwrap();
    println!("{}", measure(folder.path(), &["machine"]));
    for (name, settings) in COMPARED {
        let args = ["frame-loop", "--duration", "10s", "--name", name, "--quiet"];
        measure(folder.path(), &[&args, settings].concat());
    }
    measure(folder.path(), &["frame-loop", "--preset", "60-fps", "--name", "60 FPS", "--quiet"]);
    hide_names(folder.path(), "60 FPS");
    measure(folder.path(), &["quick", "--quiet"]);
    let mut harness = window(folder.path(), true);
    // The compared runs, another run, and the quick check as a single entry.
    let count = COMPARED.len() + 2;
    step_until(&mut harness, |app| app.session.library.count() == count);
    harness.set_size(SIZES[0].1);
    harness.ctx.set_theme(Theme::Dark);
    let write = |harness: &mut Harness<'_, App>, name: &str| {
        harness.run_steps(3);
        let png = frame_png(&harness.ctx, harness.output().shapes.clone()).unwrap();
        std::fs::write(target.join(format!("{name}.png")), png).unwrap();
    };
    open(&mut harness, "60 FPS");
    harness.key_press(Key::N);
    write(&mut harness, "frame-loop-why-late");
    go(&mut harness, Key::Num1);
    harness.get_by_label("Open result").click();
    step_until(&mut harness, |app| app.session.running.quick.result.is_some());
    write(&mut harness, "quick-finished");
    go(&mut harness, Key::Num8);
    for (name, _) in COMPARED {
        select(&mut harness, name);
    }
    compare(&mut harness);
    write(&mut harness, "compare");
}
