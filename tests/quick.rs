//! The quick check: on the command line, in the window, and opened again.

use std::process::Command;
use std::time::Duration;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::App;
use jitterscope::{PageId, Progress};
use jitterscope_engine::machine::Machine;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::CpuFacts;
use jitterscope_engine::plan::quick::{CheckSettings, Part, TAG};
use jitterscope_engine::report::quick::Figure;
use jitterscope_engine::report::{Configuration, Options, Report, Standing};
use jitterscope_engine::run::{Run, RunId, TrialRun, counter};
use jitterscope_engine::runner::CheckGroup;
use jitterscope_engine::sample::Sample;
use jitterscope_engine::store::{self, Store};

use super::exchange::sample;
use super::plots::copied;
use super::window::{Poll, step_until, window};

/// Opens a window on the quick check page.
fn quick_window(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let mut harness = window(folder);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Quick);
    harness
}

#[test]
fn a_check_agrees_with_its_runs_and_is_opened_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(super::cli::program())
        .arg("--data-dir")
        .arg(folder.path())
        .args(["quick", "--scale", "0", "--format", "json", "--quiet"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs: Vec<_> = Store::at(folder.path())
        .lines()
        .unwrap()
        .iter()
        .map(|entry| store::load(&entry.path).unwrap())
        .collect();
    assert_eq!(runs.len(), Part::ALL.len());
    for (part, card) in Part::ALL.into_iter().zip(said["measurements"].as_array().unwrap()) {
        let run = runs.iter().find(|run| card["run"] == run.id.as_str()).unwrap();
        assert_eq!(run.tags, [TAG]);
        assert_eq!(run.plan().and_then(Part::of), Some(part));
        let report = Report::of(run, &Options::default());
        let grade = report.verdict.grade.map(|grade| grade.worst().word());
        let best = report.verdict.grade.map(|grade| grade.best().word());
        let said = serde_json::json!([card["grade"], card["grade_best"]]);
        assert_eq!(said, serde_json::json!([grade, best]), "{card}");
        // A busy PC may skip so many of the 102 frames of the shortest loop that there is no p99.
        let p99 = report.best().and_then(Configuration::p99);
        let value = card["value_nanos"].as_i64();
        assert!(value.map_or(p99.is_none(), |value| 0 <= value), "{part:?}: {card}");
    }
    // Without a p99, there are no frame rates.
    let has_rates = said["measurements"][2]["value_nanos"].is_i64();
    let rates = said["frame_rates"].as_array().unwrap().len();
    assert_eq!(rates, if has_rates { 5 } else { 0 });
    let sentence = said["sentence"].as_str().unwrap();

    let mut harness = quick_window(&folder);
    step_until(&mut harness, |app| app.session.last_check().is_some());
    assert_eq!(harness.state().session.library.count(), 1, "one entry");
    harness.get_by_label("Open result").click();
    step_until(&mut harness, |app| app.session.running.quick.result.is_some());
    harness.get_by_label_contains(sentence);
    assert!(harness.query_by_label("Frame rates that this PC can pace under load").is_none());
    // On a busy PC, more advice can move the button out of sight.
    harness.get_by_label("Details").click_accesskit();
    harness.run_steps(3);
    let rates = harness.query_by_label("Frame rates that this PC can pace under load");
    assert_eq!(rates.is_some(), has_rates);
    harness.get_by_label("Measurement quality");
    let result = harness.state().session.running.quick.result.as_ref().unwrap().card.clone();
    assert_eq!(serde_json::json!(result.grade.map(|grade| grade.worst().word())), said["grade"]);
    harness.get_by_label("Open Scheduling gaps").click();
    step_until(&mut harness, |app| app.page == PageId::Test("scheduling-gaps"));
}

#[test]
fn a_check_of_one_part_and_a_skipped_one_give_no_answer_but_are_retained() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = quick_window(&folder);
    harness.get_by_label("Select measurements").click();
    harness.run_steps(3);
    for part in [Part::Sleep, Part::FrameIdle, Part::FrameLoad] {
        harness.get_by_role_and_label(egui::accesskit::Role::CheckBox, part.name()).click();
        harness.run_steps(3);
    }
    harness.key_press(egui::Key::F5);
    step_until(&mut harness, |app| {
        app.session.running.live().is_some_and(|(_, live)| live.current().is_some())
    });
    harness.get_by_label("Measurements");
    harness.get_by_label("Skip this measurement").click();
    let samples = |app: &App| {
        let quick = app.session.running.quick.check.as_ref()?;
        let trial = app.session.running.live()?.1.current()?;
        (quick.sequence.current() == Part::Spin).then_some(trial.samples.len())
    };
    step_until(&mut harness, |app| samples(app).is_some_and(|count| 0 < count));
    harness.get_by_label_contains("Timeline, ").focus();
    harness.run_steps(2);
    harness.key_press(egui::Key::M);
    harness.run_steps(2);
    step_until(&mut harness, |app| app.session.running.quick.check.is_none());
    harness.get_by_label_contains("Incomplete: skipped 4 of 5 measurements.");
    let result = harness.state().session.running.quick.result.as_ref().unwrap();
    let measured: Vec<_> =
        result.parts.iter().filter(|(_, shown)| shown.is_some()).map(|(part, _)| *part).collect();
    assert_eq!(measured, [Part::Spin]);
    let spin = result.card.card(Part::Spin).unwrap();
    let shown = result.parts.iter().find(|(part, _)| *part == Part::Spin);
    let shown = shown.and_then(|(_, shown)| shown.as_ref()).unwrap();
    let (mut verdict, mut marks) = (None, Vec::new());
    for entry in Store::at(folder.path()).lines().unwrap() {
        let run = store::load(&entry.path).unwrap();
        assert_eq!(run.tags, [TAG]);
        for mark in &run.annotations {
            assert_eq!(run.plan().and_then(Part::of), Some(Part::Spin));
            let last = run.trials[mark.trial].samples.last().unwrap();
            assert!(Nanos::ZERO < mark.from && mark.from <= last.woke, "{mark:?}, {last:?}");
            marks.push(mark.text.clone());
        }
        if run.id == shown.run.id {
            verdict = Some(Report::of(&run, &Options::default()).verdict);
        }
    }
    assert_eq!(marks, ["Mark 1"], "it is measured again where other programs disturbed it");
    let verdict = verdict.expect("the run of the part is saved");
    assert_eq!((spin.grade, spin.standing), (verdict.grade, verdict.standing));
    assert!(spin.grade.is_some() || spin.standing != Standing::Clear, "{spin:?}");
    assert!(!spin.is_skipped && matches!(spin.figure, Some(Figure::Spin { .. })), "{spin:?}");
}

#[test]
fn a_check_that_is_stopped_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = quick_window(&folder);
    harness.key_press(egui::Key::F5);
    harness.run_steps(2);
    // On a quiet PC that draws slowly, the wait may be over already.
    if harness.query_by_label("Waiting for quiet").is_some() {
        harness.get_by_label("Starts when other programs are quiet");
    }
    let planned = harness.state().session.running.quick.length();
    let check = harness.state().session.running.quick.check.as_ref().unwrap();
    let (_, left) = check.progress(None, std::time::Instant::now());
    assert!((left - planned).get().abs() < Nanos::from_secs(10).get(), "{left:?}, {planned:?}");
    step_until(&mut harness, |app| app.session.running.is_running());
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F5);
    step_until(&mut harness, |app| !app.session.running.is_busy());
    harness.get_by_label_contains(", stopped");
    harness.get_by_label_contains("Incomplete: skipped 5 of 5 measurements.");
    assert!(harness.state().session.running.quick.result.is_some());
}

/// Creates a folder with `count` quick checks of this PC like [`checks_of`].
pub(crate) fn checks(count: u32) -> tempfile::TempDir {
    checks_of(&Machine::read(), count)
}

/// Creates a folder with `count` quick checks of recorded parts, measured a day apart; the last one has the
/// highest lateness.
fn checks_of(machine: &Machine, count: u32) -> tempfile::TempDir {
    edited_checks(machine, count, |_| {})
}

/// Creates a folder with quick checks like [`checks_of`], with each run edited.
fn edited_checks(machine: &Machine, count: u32, edit: impl Fn(&mut Run)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for check in 0..count {
        let group = CheckGroup::default();
        for (part, at) in Part::ALL.into_iter().zip(0..) {
            let mut run = sample::run("");
            run.id = RunId::parse(&format!("{check:04x}{at:04x}")).unwrap();
            run.name = String::new();
            run.note = String::new();
            run.tags = vec![TAG.to_owned()];
            run.machine = machine.clone();
            run.group = Some(group.group(part));
            run.started_at += Duration::from_secs(u64::from(check) * 86_400 + at * 20);
            run.trials[0].counters.insert(counter::LOAD_THREADS.to_owned(), 4);
            // The settings of the first version of the quick check.
            let settings =
                CheckSettings { load_threads: 4, has_full_load: false, ..CheckSettings::default() };
            run.subject = part.plan(&settings).into();
            edit(&mut run);
            store.save(&run).unwrap();
        }
    }
    folder
}

fn runs_page(harness: &mut Harness<'_, App>, count: usize) {
    step_until(harness, |app| app.session.library.count() == count);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
}

/// Returns how many saved runs of this folder meet a condition.
fn count(folder: &tempfile::TempDir, fits: impl Fn(&Run) -> bool) -> usize {
    let runs = Store::at(folder.path()).lines().unwrap();
    runs.iter().filter(|line| store::load(&line.path).is_ok_and(|run| fits(&run))).count()
}

#[test]
fn a_check_is_one_entry_that_is_named_noted_deleted_and_restored_as_one() {
    let folder = checks(1);
    let mut harness = window(&folder);
    runs_page(&mut harness, 1);
    harness.get_by_label("Select Quick check").click();
    harness.run_steps(3);
    harness.get_by_label("Open selected run").click();
    step_until(&mut harness, |app| {
        app.page == PageId::Quick && app.session.running.quick.result.is_some()
    });
    for (field, text) in
        [("Name of the check", "before the update"), ("Note of the check", "kernel 6.8")]
    {
        for (text, end) in [("mistyped", egui::Key::Escape), (text, egui::Key::Tab)] {
            harness.get_by_label(field).focus();
            harness.run_steps(2);
            harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
            harness.get_by_label(field).type_text(text);
            harness.run_steps(2);
            harness.key_press(end);
            harness.run_steps(2);
            let shown = harness.get_by_label(field).accesskit_node().value().unwrap_or_default();
            assert_eq!(shown == text, end == egui::Key::Tab, "Esc restores {field}: {shown}");
        }
    }
    let noted = |app: &App, note: &str| {
        app.session.last_check().is_some_and(|item| {
            item.run.as_ref().is_ok_and(|run| run.name == "before the update" && run.note == note)
        })
    };
    step_until(&mut harness, |app| noted(app, "kernel 6.8"));
    harness.get_by_label("Note of the check").focus();
    harness.run_steps(2);
    harness.get_by_label("Note of the check").type_text("!");
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    step_until(&mut harness, |app| noted(app, "!kernel 6.8") || noted(app, "kernel 6.8!"));
    assert_eq!(count(&folder, |run| run.name == "before the update" && run.tags == [TAG]), 5);
    runs_page(&mut harness, 1);
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| app.session.library.count() == 0);
    assert_eq!(count(&folder, |_| true), 0);
    harness.get_by_label("Deleted 1 run");
    harness.get_by_label("Deleted (1)").click();
    harness.run_steps(3);
    harness.get_by_label("Delete all for good…").click();
    harness.run_steps(3);
    harness.get_by_label("Delete 1 run for good?");
    for button in ["Cancel", "Close"] {
        harness.get_by_label(button).click();
        harness.run_steps(3);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    harness.run_steps(3);
    harness.get_by_label("Deleted. Restore it on the Runs page.");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    step_until(&mut harness, |app| app.session.library.count() == 1);
    assert!(harness.query_by_label("Deleted 1 run").is_none(), "it is there again");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Name of the run");
    let count = count(&folder, |run| run.note.contains("kernel 6.8") && run.note.contains('!'));
    assert_eq!(count, 5, "all of it came back");
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| app.session.library.count() == 0);
    for button in ["Deleted (1)", "Delete all for good…", "Delete for good"] {
        harness.run_steps(3);
        harness.get_by_label(button).click();
    }
    step_until(&mut harness, |app| app.session.library.deleted.is_empty());
    harness.run_steps(3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num1);
    harness.run_steps(3);
    harness.get_by_label("No longer in the folder of runs");
}

#[test]
fn last_check_of_another_pc_is_not_of_this_one() {
    for (machine, is_shown) in [(Machine::read(), true), (sample::run("").machine, false)] {
        let folder = checks_of(&machine, 1);
        let mut harness = quick_window(&folder);
        step_until(&mut harness, |app| app.session.library.count() == 1);
        assert_eq!(harness.query_by_label("Open result").is_some(), is_shown);
    }
}

#[test]
fn part_that_was_skipped_while_it_was_measured_stays_skipped() {
    let folder = checks(1);
    let store = Store::at(folder.path());
    for line in store.lines().unwrap() {
        let mut run = store::load(&line.path).unwrap();
        run.group.as_mut().unwrap().skipped = vec![Part::Spin.key().to_owned()];
        store.save(&run).unwrap();
    }
    let harness = open_check(&folder);
    let session = &harness.state().session;
    let result = session.running.quick.result.as_ref().unwrap();
    for card in &result.card.cards {
        assert_eq!(card.is_skipped, card.part == Part::Spin, "{card:?}");
    }
    let entry = session.last_check().unwrap();
    let run = entry.run.as_ref().unwrap();
    assert_eq!((run.headline.rows, entry.files.len()), (4, 5));
    let words: Vec<&str> =
        entry.parts.iter().map(|part| part.run.as_ref().unwrap().verdict.as_str()).collect();
    assert_eq!(words.iter().filter(|word| **word == "Skipped").count(), 1, "{words:?}");
    let output = Command::new(super::cli::program())
        .arg("--data-dir")
        .arg(folder.path())
        .args(["runs", "show", &run.id, "--format", "json"])
        .output()
        .unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for card in shown["measurements"].as_array().unwrap() {
        assert_eq!(card["is_skipped"], card["key"] == Part::Spin.key(), "{card}");
    }
}

#[test]
fn a_check_is_not_compared_with_a_run_of_one_test() {
    let folder = checks(1);
    let run = Run {
        id: RunId::parse("0000abcd").unwrap(),
        name: "frames".to_owned(),
        tags: Vec::new(),
        ..sample::run("")
    };
    Store::at(folder.path()).save(&run).unwrap();
    let mut harness = window(&folder);
    runs_page(&mut harness, 2);
    for name in ["Quick check", "frames"] {
        harness.get_by_label(&format!("Select {name}")).click();
        harness.run_steps(3);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Compare);
    harness.get_by_label_contains("A quick check can be compared only with other quick checks.");
}

/// Opens a window on the result of the only check in the folder.
fn open_check(folder: &tempfile::TempDir) -> Harness<'static, App> {
    let mut harness = quick_window(folder);
    step_until(&mut harness, |app| app.session.last_check().is_some());
    harness.get_by_label("Open result").click();
    step_until(&mut harness, |app| app.session.running.quick.result.is_some());
    harness
}

/// Creates a folder with a quick check of which only the sleep part was measured, with 200 samples per
/// configuration: too few for a grade of the sleeps under load.
fn undecided_check() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let cpus = CpuFacts { usable: vec![0, 1], ..CpuFacts::default() };
    let plan = Part::Sleep.plan(&CheckSettings::new(&cpus, None));
    let mut group = CheckGroup::default();
    Part::ALL.into_iter().filter(|part| *part != Part::Sleep).for_each(|part| group.skip(part));
    let milli = Nanos::from_millis(1);
    let trials = plan.stages(&cpus).into_iter().zip(0..).map(|(stage, number)| {
        let mut trial = TrialRun::new(number, stage.trials[0].clone(), stage.load);
        let length = trial.trial.pace.period();
        let is_open = length == milli && !stage.load.is_none();
        let sleep = |k: i64| {
            let due = milli * (k * 10) + length;
            let late = if is_open && k % 90 == 0 { milli * 4 } else { Nanos::from_micros(60) };
            let woke = due + late;
            Sample { began: due - length, due, slept: None, woke, done: woke, spins: 0, cpu: None }
        };
        trial.samples = (1..=200).map(sleep).collect();
        trial.applied = sample::run("").trials[0].applied.clone();
        trial.complete = true;
        trial
    });
    let trials = trials.collect();
    let run = Run {
        name: "named".to_owned(),
        note: String::new(),
        tags: vec![TAG.to_owned()],
        annotations: Vec::new(),
        group: Some(group.group(Part::Sleep)),
        machine: Machine::read(),
        subject: plan.into(),
        trials,
        ..sample::run("")
    };
    Store::at(folder.path()).save(&run).unwrap();
    folder
}

#[test]
fn what_is_undecided_in_a_check_is_measured_longer() {
    let folder = undecided_check();
    let mut harness = open_check(&folder);
    let sleep = |app: &App| {
        let result = app.session.running.quick.result.as_ref().unwrap();
        result.shown(Part::Sleep).unwrap().clone()
    };
    let before = sleep(harness.state());
    assert_eq!(before.report.verdict.grade, None);
    assert!(matches!(before.report.verdict.standing, Standing::NotEnoughData(_)));
    harness.get_by_label_contains("Measure longer (").click();
    step_until(&mut harness, |app| app.session.running.is_running());
    harness.get_by_label_contains("measuring longer to decide");
    step_until(&mut harness, |app| !app.session.running.is_busy());
    let after = sleep(harness.state());
    assert!(before.run.trials.len() < after.run.trials.len(), "it is joined to what was measured");
    assert_eq!((after.run.name.as_str(), &after.run.group), ("named", &before.run.group));
    step_until(&mut harness, |app| app.session.library.items.is_some());
    assert_eq!(harness.state().session.library.count(), 1, "it is the same check");
}

#[test]
fn show_frames_opens_the_frames_of_that_cause_with_one_selected() {
    let folder = edited_checks(&Machine::read(), 1, |run| run.trials.truncate(1));
    let mut harness = open_check(&folder);
    harness.run_steps(3);
    let button = harness.get_all_by_label_contains(": Show frames").next().unwrap();
    button.click();
    step_until(&mut harness, |app| app.page == PageId::Test("frame-loop"));
    harness.run_steps(4);
    harness.get_by_label_contains("Show all late frames, not only those delayed by");
    // The number of the selected frame of all frames later than the threshold of the quick check.
    harness.get_by_label_contains(" of 13 above 167");
}

/// Draws frames until the window copies text; returns the text.
fn step_until_copied(harness: &mut Harness<'_, App>) -> String {
    let mut poll = Poll::new();
    loop {
        harness.step();
        if let Some(text) = copied(harness) {
            return text;
        }
        poll.wait("a copy");
    }
}

#[test]
fn saved_check_copies_its_report_by_button_and_by_key() {
    let folder = checks(1);
    let mut harness = open_check(&folder);
    harness.get_by_label("Copy report").click();
    let by_button = step_until_copied(&mut harness);
    assert!(by_button.contains("Quick check"), "{by_button}");
    let shift = egui::Modifiers::COMMAND | egui::Modifiers::SHIFT;
    harness.key_press_modifiers(shift, egui::Key::C);
    assert_eq!(step_until_copied(&mut harness), by_button);
}

#[test]
fn what_changed_between_two_checks_is_shown_part_by_part() {
    let folder = checks(2);
    let mut harness = window(&folder);
    runs_page(&mut harness, 2);
    harness.get_by_label("Select all listed runs").click();
    harness.run_steps(3);
    harness.get_by_label("Compare selected runs").click();
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Checks(_)));
    harness.get_by_label("What changed");
    for part in Part::ALL {
        harness.get_by_label(&format!("Compare {}", part.name()));
    }
    harness.get_by_label("Compare Frame loop, idle").click();
    step_until(&mut harness, |app| {
        matches!(&app.session.comparing.progress, Progress::Done(compared)
            if compared.runs.len() == 2)
    });
}

#[test]
fn a_check_is_exported_as_one_report_and_listed_as_one_line() {
    let folder = checks(1);
    let mut harness = window(&folder);
    runs_page(&mut harness, 1);
    harness.get_by_label("Select Quick check").click();
    harness.run_steps(3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    step_until(&mut harness, |app| {
        app.session.exports.current.as_ref().is_some_and(|it| it.count() == 5)
    });
    harness.get_by_label_contains("One file of the whole check");
    super::files::step_until_shown(&mut harness, ".html, ");
    assert!(harness.query_all_by_label_contains("the first of 5 files").next().is_none());
    let path = folder.path().join("check.html");
    harness.state_mut().set_next_dialog_answer(vec![path.clone()]);
    harness.get_by_label("Save…").click();
    step_until(&mut harness, |app| app.session.exports.current.is_none());
    let page = std::fs::read_to_string(&path).unwrap();
    for words in ["Quick check", "Measurements", "What to do", "Machine", "under load", "<svg"] {
        assert!(page.contains(words), "{words}");
    }
    let output = Command::new(super::cli::program())
        .arg("--data-dir")
        .arg(folder.path())
        .args(["runs", "list"])
        .output()
        .unwrap();
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(list.lines().count(), 1, "{list}");
    let id = list.split_whitespace().next().unwrap().to_owned();
    let said = |arguments: &[&str]| {
        let output = Command::new(super::cli::program())
            .arg("--data-dir")
            .arg(folder.path())
            .args(arguments)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // The verdict comes last, below the measurement quality and the recommendations.
    let (_, shown) = said(&["runs", "show", &id]);
    let (above, answer) = shown.trim_end().rsplit_once("\n\n").unwrap();
    assert!(answer.starts_with("Incomplete: no verdict for "), "{answer}");
    assert!(above.contains("Measurement quality") && above.contains("What to do"), "{above}");
    assert_eq!(said(&["runs", "rm", &id]).0, Some(0));
    assert_eq!(count(&folder, |_| true), 0);
}

#[test]
fn the_command_line_takes_a_check_as_one_entry() {
    let (folder, out) = (checks(2), tempfile::tempdir().unwrap());
    let said = |arguments: &[&str]| {
        let output = Command::new(super::cli::program())
            .arg("--data-dir")
            .arg(folder.path())
            .args(arguments)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), error)
    };
    let (_, list, _) = said(&["runs", "list"]);
    let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let [newer, older] = ids.as_slice() else { panic!("{list}") };
    // A check is exported as one file, which begins with a short report of its verdict and its five results.
    let (_, markdown, error) = said(&["export", newer, "--as", "markdown"]);
    let (short, rest) = markdown.split_once("\n<details>").unwrap_or_else(|| panic!("{error}"));
    assert!(short.starts_with("**Quick check** ("), "{short}");
    assert!(short.lines().count() <= 15 && short.chars().count() <= 1_800, "{short}");
    assert!(short.contains(&format!("Run `{newer}`, repeat with `jitterscope-cli quick`")));
    assert!(rest.trim_end().ends_with("</details>") && !markdown.contains("\n#"), "{rest}");
    let folder_of = out.path().to_str().unwrap();
    let (status, _, error) = said(&["export", newer, "--as", "html", "--out", folder_of]);
    assert_eq!(status, Some(0), "{error}");
    // A format for a single run is exported as one file per run, in a folder.
    let (status, _, error) = said(&["export", newer, "--as", "csv-samples"]);
    assert!(status == Some(1) && error.contains("name a folder with --out"), "{error}");
    let (status, _, error) = said(&["export", newer, "--as", "csv-samples", "--out", folder_of]);
    assert_eq!(status, Some(0), "{error}");
    let names = std::fs::read_dir(out.path()).unwrap().flatten();
    let names: Vec<String> = names.map(|it| it.file_name().into_string().unwrap()).collect();
    let ending = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
    assert_eq!((ending(".html"), ending(".csv")), (1, Part::ALL.len()), "{names:?}");
    // Two checks are compared part by part; a check and a single run cannot be compared.
    let (status, json, error) = said(&["compare", newer, older, "--format", "json"]);
    assert_eq!(status, Some(0), "{error}");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), Part::ALL.len());
    let (status, _, error) = said(&["compare", newer, "00000000"]);
    assert!(status == Some(1) && error.contains("only be compared with other quick"), "{error}");
    let (_, table, _) = said(&["compare", newer, older]);
    assert!(Part::ALL.len() <= table.matches("Changes from A to B: ").count(), "{table}");
    // A result that only one run has is refused.
    for option in ["--all", "--why=1", "--format=csv", "--format=reference", "--omit-pauses"] {
        let (status, shown, error) = said(&["runs", "show", newer, option]);
        let named = option.replace("--format=", "--format ").replace("=1", "");
        assert_eq!((status, shown.as_str()), (Some(1), ""), "{error}");
        assert!(error.contains(&format!("{named} is of ")) && error.contains(", not of a quick"));
    }
    // The error concerns the second ID, which does not exist; the ID of the check is accepted.
    let (_, _, error) = said(&["alternate", newer, "ffff", "--times", "1", "--no-save"]);
    assert!(error.contains("'ffff'") && !error.contains(*newer), "{error}");
}
