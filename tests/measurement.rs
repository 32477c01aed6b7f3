//! The checksum of a measurement: the same for every file format, and different if the measured data differs.

use std::fs;
use std::process::Command;

use jitterscope_engine::export::{self, Format, Identity, Options, Parts};
use jitterscope_engine::format::{self, measurement_sum};
use jitterscope_engine::import;
use jitterscope_engine::report::{self, Report};
use jitterscope_engine::run::capture::Recording;
use jitterscope_engine::run::{Capture, Run, RunId, Subject};
use jitterscope_engine::sample::Samples;
use jitterscope_engine::store::Store;

use super::exchange::sample;
use super::tidy::root;

/// Returns a run that contains private names of a user, a host, and a folder.
fn personal() -> Run {
    let mut run = sample::run("anna on annas-laptop, /home/anna, 192.168.0.7");
    run.trials.iter_mut().for_each(|trial| trial.trial.label = "annas-laptop".to_owned());
    run
}

fn written(run: &Run, format: Format, options: &Options) -> Vec<u8> {
    let report = Report::of(run, &report::Options::default());
    let mut bytes = Vec::new();
    export::write(format, run, &report, options, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Run {
    import::from_bytes(bytes, &import::Options::default()).unwrap().into_run()
}

#[test]
fn the_checksum_is_the_same_for_the_saved_the_exported_and_the_redacted_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = personal();
    let sum = measurement_sum(&run);
    let store = Store::at(folder.path());
    let path = store.save(&run).unwrap();
    assert_eq!(measurement_sum(&jitterscope_engine::store::load(&path).unwrap()), sum);
    let leave_out = Identity {
        hosts: vec!["annas-laptop".to_owned()],
        users: vec!["anna".to_owned()],
        homes: vec!["/home/anna".to_owned()],
    };
    let without_notes = Parts { notes: false, ..Parts::ALL };
    for options in [
        Options::default(),
        Options { leave_out: leave_out.clone(), ..Options::default() },
        Options { leave_out, parts: without_notes, ..Options::default() },
    ] {
        let json = written(&run, Format::Json, &options);
        let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(value["report"]["measurement_sha256"], sum.as_str());
        assert_eq!(measurement_sum(&read(&json)), sum);
        let page = String::from_utf8(written(&run, Format::Html, &options)).unwrap();
        assert!(page.contains(&format!("SHA-256 {sum}")));
        let markdown = String::from_utf8(written(&run, Format::Markdown, &options)).unwrap();
        assert!(markdown.contains(&format!("measurement `{}`", &sum[..16])), "{markdown}");
        assert!(markdown.contains(&format!("Measurement: SHA-256 {sum}")), "{markdown}");
    }
}

#[test]
fn words_of_the_user_do_not_change_the_checksum_and_whatever_was_measured_does() {
    let run = personal();
    let sum = measurement_sum(&run);
    let mut other = run.clone();
    other.id = RunId::parse("ffffffff").unwrap();
    other.name = "another".to_owned();
    (other.note, other.tags) = ("note".to_owned(), vec!["tag".to_owned()]);
    other.annotations.clear();
    assert_eq!(measurement_sum(&other), sum);
    let changes: [&dyn Fn(&mut Run); 6] = [
        &|run| {
            let mut samples: Vec<_> = run.trials[1].samples.iter().collect();
            samples[7].spins += 1;
            run.trials[1].samples = samples.into_iter().collect::<Samples>();
        },
        &|run| run.trials[0].lost_count = 1,
        &|run| run.trials.swap(0, 1),
        &|run| run.machine.memory_bytes = None,
        &|run| run.method_version += 1,
        &|run| run.subject = Subject::Measured(jitterscope_engine::plan::Plan::all().remove(1)),
    ];
    for (change, number) in changes.into_iter().zip(0..) {
        let mut changed = run.clone();
        change(&mut changed);
        assert_ne!(measurement_sum(&changed), sum, "change {number}");
    }
}

/// Returns an imported run, as of a capture from another program.
fn imported() -> Run {
    let recording = Recording {
        label: "a game".to_owned(),
        frame_times: [16_000_000, jitterscope_engine::sample::MISSING, 17_000_000]
            .into_iter()
            .collect(),
        ..Recording::default()
    };
    let mut run = sample::run("");
    run.trials.clear();
    run.subject = Subject::Imported(Capture::Frames(vec![recording]));
    run
}

#[test]
fn the_checksum_is_the_one_that_the_guide_describes() {
    // These checksums were computed by the Python program in the user guide.
    let golden = [
        (sample::run(""), "ec204078149bc56f8478c0919086568ed0a24d6dcabe641e5b0450f9337bc390"),
        (imported(), "82abec6797d7236500f5f79beff3ec64f2fba62d27b5daacb9260e9d7e727076"),
    ];
    let sums = golden.each_ref().map(|(run, _)| measurement_sum(run));
    assert_eq!(sums, golden.each_ref().map(|(_, expected)| (*expected).to_owned()));
    let probe = Command::new("python3").args(["-c", "import hashlib"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("skipped: the program of the guide needs Python as python3");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let guide = fs::read_to_string(root().join("packaging/guide/sharing.md")).unwrap();
    let script = guide.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    let program = folder.path().join("measurement.py");
    fs::write(&program, script).unwrap();
    for (run, expected) in &golden {
        let file = folder.path().join("run.json");
        let mut bytes = Vec::new();
        format::write(run, &mut bytes).unwrap();
        fs::write(&file, bytes).unwrap();
        let output = Command::new("python3").arg(&program).arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(said.trim(), *expected);
    }
}
