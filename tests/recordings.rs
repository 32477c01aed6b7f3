//! A real recording: its stutters have the causes that were injected, on the command line and in the window.

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::{App, PageId};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::recording::{Analysis, Class, EventPath, Outcome};
use jitterscope_engine::run::recording::{Follow, RecordedFrames};
use jitterscope_engine::run::{Recording, Run, Subject};
use jitterscope_engine::store::Store;

use super::window::{step_until, window};
use super::{cli, compare};

/// A recording of a made game on a virtual machine with 2 CPUs that compilers used, cut to four of its stutters: the
/// main thread wakes a render thread, which wakes the thread that presents. Injected were, in order of time: the whole
/// process was stopped for 40 ms, a real-time program took the CPU of the main thread for 40 ms, another process answered
/// after 40 ms, and a shader thread computed for 40 ms.
const RECORDED: &str = include_str!("recordings/game.json");

#[test]
fn causes_in_real_records_are_those_that_were_injected() {
    let recording: Recording = serde_json::from_str(RECORDED).unwrap();
    let analysis = Analysis::of(&recording);
    let [presenter] = analysis.presenters.as_slice() else { panic!("one game") };
    assert_eq!(presenter.name, "dxvk-submit");
    let blamed = |event: &EventPath| match &event.outcome {
        Outcome::Cause(blamed) => (blamed.class, blamed.name.as_deref().map(str::to_owned)),
        Outcome::Unexplained(reason) => panic!("{:?}: {reason:?}", event.at),
    };
    let causes: Vec<(Class, Option<String>)> = analysis.events.iter().map(blamed).collect();
    let named = |class, name: &str| (class, Some(name.to_owned()));
    assert_eq!(
        causes,
        [
            named(Class::Stopped, "dxvk-submit"),
            named(Class::OtherProgram, "baloo_file"),
            named(Class::Service, "wineserver"),
            named(Class::Shaders, "dxvk-shader"),
        ]
    );
    for event in &analysis.events {
        let sum = event.path.iter().fold(Nanos::ZERO, |sum, segment| sum + segment.length());
        assert_eq!(sum, event.length);
        let held = event.growths[0].time.as_millis();
        assert!((38.0..46.0).contains(&held), "{held}");
    }
}

/// Returns a finished run of the recording.
fn run() -> Run {
    let recording: Recording = serde_json::from_str(RECORDED).unwrap();
    Run {
        name: String::new(),
        subject: Subject::Recorded(Box::new(recording)),
        trials: Vec::new(),
        ..compare::run(0xa1, "", 0)
    }
}

/// Returns what the command line shows of a run.
fn shown(folder: &tempfile::TempDir, args: &[&str]) -> String {
    let output = cli::run(folder, args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_answers_remain_when_the_detail_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = Store::at(folder.path()).save(&run()).unwrap();
    let id = run().id.to_string();
    let size = std::fs::metadata(&path).unwrap().len();
    shown(&folder, &["record", "delete-detail", &id]);
    assert!(std::fs::metadata(&path).unwrap().len() * 2 < size);
    let analysis = Analysis::of(run().recording().unwrap());
    let left = jitterscope_engine::store::load(&path).unwrap();
    let recording = left.recording().unwrap();
    assert!(recording.details.is_empty());
    let after = Analysis::of(recording);
    assert_eq!(after.causes, analysis.causes);
    let text = shown(&folder, &["runs", "show", &id]);
    for name in ["4 stutters", "baloo_file", "wineserver", "dxvk-shader"] {
        assert!(text.contains(name), "{name}: {text}");
    }
}

#[test]
fn the_oldest_recordings_without_note_or_tag_lose_their_detail_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let saved = |number: u32, note: &str| {
        let began = jiff::Timestamp::from_second(1_700_000_000 + i64::from(number) * 86_400);
        let run = Run {
            id: jitterscope_engine::run::RunId::parse(&format!("{number:08x}")).unwrap(),
            started_at: began.unwrap(),
            note: note.to_owned(),
            tags: Vec::new(),
            ..run()
        };
        store.save(&run).unwrap()
    };
    let paths = [saved(1, "mine"), saved(2, ""), saved(3, ""), saved(4, "")];
    let size = std::fs::metadata(&paths[0]).unwrap().len();
    assert_eq!(store.delete_old_detail(size * 9 / 2).unwrap().len(), 0, "there is room");
    let deleted = store.delete_old_detail(size * 7 / 2).unwrap();
    assert_eq!(deleted.len(), 1, "{deleted:?}");
    let has_detail = || {
        paths.each_ref().map(|path| {
            let run = jitterscope_engine::store::load(path).unwrap();
            !run.recording().unwrap().details.is_empty()
        })
    };
    assert_eq!(has_detail(), [true, false, true, true]);
    store.delete_old_detail(1).unwrap();
    assert_eq!(has_detail(), [true, false, false, true], "with a note, and the newest one");
}

#[test]
fn the_page_of_a_recording_begins_with_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = Store::at(folder.path()).save(&run()).unwrap();
    let mut harness = window(&folder);
    harness
        .key_press_modifiers(egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT), egui::Key::M);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Record);
    harness.get_by_label("Record the game");
    harness.get_by_label("Record this PC only");
    step_until(&mut harness, |app| app.session.recordings.needs.is_some());
    harness.run_steps(2);
    harness.get_by_label("Before you start");
    harness.get_by_label_contains("Who had the CPU, and what woke a thread");
    harness.get_by_label("Check again").click();
    harness.run_steps(2);
    harness.state_mut().set_next_dialog_answer(vec![path]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session.running.recorded.is_some());
    harness.run_steps(4);
    assert_eq!(harness.state().page, PageId::Record);
    let shows = |words: &str| harness.query_all_by_label_contains(words).next().is_some();
    for words in
        ["4 stutters in", "baloo_file", "wineserver", "dxvk-shader", "What to do", "Export…"]
    {
        assert!(shows(words), "{words}");
    }
    let verdicts = harness.query_all_by_label_contains("4 stutters in").count();
    assert_eq!(verdicts, 1, "the verdict is in the strip only");
    harness.get_by_label("Copy for chat").click();
    let mut copied = None;
    for _ in 0..2_000 {
        harness.step();
        let commands = &harness.output().platform_output.commands;
        copied = commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        });
        if copied.is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let copied = copied.unwrap();
    assert!(copied.starts_with("4 stutters in") && copied.contains("shader cache"), "{copied}");
    // Only what the verdict names.
    assert!(!copied.contains("baloo_file"), "{copied}");
    assert!(copied.chars().count() <= 2_000 && copied.contains("Jitterscope "), "{copied}");
}

#[test]
fn a_thread_that_cannot_be_followed_is_refused_beside_its_fields() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(&folder);
    harness
        .key_press_modifiers(egui::Modifiers::COMMAND.plus(egui::Modifiers::SHIFT), egui::Key::M);
    harness.run_steps(3);
    harness.get_by_label("Follow, A thread").click();
    harness.run_steps(3);
    let start = |harness: &mut Harness<'_, App>, of: [&str; 2], expected: &str| {
        for (field, text) in ["Thread", "Period"].into_iter().zip(of) {
            harness.get_by_role_and_label(Role::TextInput, field).focus();
            harness.run_steps(2);
            harness.get_by_role_and_label(Role::TextInput, field).type_text(text);
            harness.run_steps(2);
        }
        harness.get_by_label("Record the thread").click();
        harness.run_steps(3);
        step_until(harness, |app| !app.session.recordings.is_starting());
        harness.run_steps(3);
        harness.get_by_label_contains(expected);
    };
    start(&mut harness, ["no thread has it", ""], "No thread is named 'no thread has it'");
    // The refusal is about another period.
    harness.get_by_role_and_label(Role::TextInput, "Period").focus();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::TextInput, "Period").type_text("7");
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("No thread is named").is_none());
    harness.key_press(egui::Key::Backspace);
    harness.run_steps(3);
    harness.get_by_label_contains("No thread is named");
    start(&mut harness, ["", "7"], "Invalid period: expected a time such as 10ms");
}

/// Returns the recording as one of a PC on which the game ran without a log that was followed, and the log as CapFrameX or
/// MangoHud 0.6.8 would have saved it at the end.
fn without_log(folder: &tempfile::TempDir) -> (Run, std::path::PathBuf) {
    let mut run = Run { name: "made".to_owned(), ..run() };
    let recording = run.recording().unwrap();
    let lines = recording.frames.frame_times().values();
    let lines = lines.map(|time| format!("60,{}.{:06}", time / 1_000_000, time % 1_000_000));
    let header = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\nLinux,,,,,,\nfps,frametime".to_owned();
    let log: Vec<String> = std::iter::once(header).chain(lines).collect();
    let path = folder.path().join("game.csv");
    std::fs::write(&path, log.join("\n") + "\n").unwrap();
    let end = recording.frames.iter().last().unwrap().0;
    let saved = run.started_at + jiff::SignedDuration::from_nanos(end.get());
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::from(saved)).unwrap();
    let recorded = Recording {
        frames: RecordedFrames::default(),
        frame_uncertainty: None,
        follow: Follow::ThisPc,
        process: None,
        label: String::new(),
        ..recording.clone()
    };
    run.subject = Subject::Recorded(Box::new(recorded));
    (run, path)
}

fn load(path: &std::path::Path) -> Run {
    jitterscope_engine::store::load(path).unwrap()
}

#[test]
fn a_joined_log_is_undone_on_the_command_line_and_an_export_is_not_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let (run, log) = without_log(&folder);
    let path = Store::at(folder.path()).save(&run).unwrap();
    let (id, log) = (run.id.to_string(), log.display().to_string());
    let export = folder.path().join("export.json").display().to_string();
    shown(&folder, &["export", &id, "--as", "json", "--out", &export]);
    let joined = cli::run(&folder, &["record", "join", &id, &log]);
    assert!(joined.status.success(), "{joined:?}");
    let said = String::from_utf8_lossy(&joined.stderr);
    assert!(said.contains("frames joined") && said.contains("--undo"), "{said}");
    let frames = load(&path).recording().unwrap().frames.len();
    assert!(0 < frames);
    let imported = cli::run(&folder, &["import", &export, "--save"]);
    let said = String::from_utf8_lossy(&imported.stderr).into_owned();
    let said = said + &String::from_utf8_lossy(&imported.stdout);
    assert!(imported.status.success() && said.contains("the run is already saved"), "{said}");
    shown(&folder, &["record", "join", &id, &log]);
    assert_eq!(load(&path).recording().unwrap().frames.len(), frames, "joined again");
    shown(&folder, &["record", "join", &id, "--undo"]);
    assert_eq!(load(&path).subject, run.subject);
    shown(&folder, &["record", "delete-detail", &id]);
    let deleted = load(&path);
    for (args, why) in [
        (vec!["record", "join", &id, &log], "the detail of the recording was deleted"),
        (vec!["record", "join", &id, "--undo"], "no log was joined"),
        (vec!["import", &export, "--save"], "without the detail or the joined log of this file"),
        (vec!["record", "join", &id], "required"),
    ] {
        let refused = cli::run(&folder, &args);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains(why), "{args:?}: {said}");
        assert_eq!(load(&path), deleted);
    }
}

/// Presses a button that is found by its name.
fn press(harness: &mut Harness<'_, App>, name: &str) {
    harness.get_by_role_and_label(Role::Button, name).click_accesskit();
    harness.run_steps(4);
}

#[test]
fn the_window_joins_a_log_undoes_that_and_deletes_detail() {
    let folder = tempfile::tempdir().unwrap();
    let (run, log) = without_log(&folder);
    let path = Store::at(folder.path()).save(&run).unwrap();
    let mut harness = window(&folder);
    harness.state_mut().set_next_dialog_answer(vec![path.clone()]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session.running.recorded.is_some());
    harness.run_steps(4);
    let changed = |harness: &mut Harness<'_, App>| {
        step_until(harness, |app| !app.session.recordings.is_changing);
        harness.run_steps(4);
    };
    let shows = |harness: &Harness<'_, App>, words: &str| {
        harness.query_all_by_label_contains(words).next().is_some()
    };

    // A log of another time is refused next to the button.
    let other = folder.path().join("other.csv");
    std::fs::copy(&log, &other).unwrap();
    let file = std::fs::File::options().write(true).open(&other).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    harness.state_mut().set_next_dialog_answer(vec![other]);
    press(&mut harness, "Join with a log…");
    step_until(&mut harness, |app| app.session.recordings.refusal(&path).is_some());
    changed(&mut harness);
    assert!(shows(&harness, "Not changed: the log is of another time"));
    assert_eq!(load(&path), run);

    harness.state_mut().set_next_dialog_answer(vec![log]);
    press(&mut harness, "Join with a log…");
    step_until(&mut harness, |app| {
        let shown = app.session.running.recorded.as_ref();
        shown.is_some_and(|shown| !shown.run.recording().unwrap().frames.is_empty())
    });
    changed(&mut harness);
    assert!(shows(&harness, "frames joined") && !shows(&harness, "Not changed"));
    assert!(load(&path).recording().unwrap().before_join.is_some());

    press(&mut harness, "Undo join");
    step_until(&mut harness, |app| {
        app.session.running.recorded.as_ref().unwrap().run.recording().unwrap().frames.is_empty()
    });
    changed(&mut harness);
    assert_eq!(load(&path), run);

    // The button of the Runs page asks as well, and Enter and Escape answer.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    step_until(&mut harness, |app| app.session.library.count() == 1);
    harness.run_steps(4);
    harness.get_by_label("Select made").click();
    harness.run_steps(4);
    press(&mut harness, "Delete detail…");
    assert!(shows(&harness, "Delete the detail of this recording?"));
    harness.key_press(egui::Key::Escape);
    harness.run_steps(4);
    assert!(!shows(&harness, "Delete the detail of this recording?"));
    assert_eq!(load(&path), run);
    press(&mut harness, "Delete detail…");
    harness.key_press(egui::Key::Enter);
    step_until(&mut harness, |app| {
        let shown = app.session.running.recorded.as_ref().unwrap();
        shown.run.recording().unwrap().details.is_empty()
    });
    changed(&mut harness);
    let left = load(&path);
    assert!(left.recording().unwrap().answers.is_some());
    assert!(!left.recording().unwrap().can_join());
}

#[test]
fn a_recording_is_compared_with_the_last_one_of_the_same_game() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let later = |seed: u32, hours: i64| {
        let started_at = run().started_at + jiff::SignedDuration::from_hours(hours);
        Run { started_at, ..compare::run(seed, "", 0) }
    };
    let with = |run_of: Run, change: &dyn Fn(&mut Recording)| {
        let mut recording: Recording = serde_json::from_str(RECORDED).unwrap();
        change(&mut recording);
        let subject = Subject::Recorded(Box::new(recording));
        Run { name: String::new(), subject, trials: Vec::new(), ..run_of }
    };
    let first = run();
    store.save(&first).unwrap();
    // A newer one of another game, and one of no game, are not the last time of this one.
    store.save(&with(later(0xb2, 1), &|recording| recording.label.push('2'))).unwrap();
    store
        .save(&with(later(0xc3, 2), &|recording| {
            (recording.frames, recording.follow) = (RecordedFrames::default(), Follow::ThisPc);
        }))
        .unwrap();
    let mut again = with(later(0xd4, 3), &|_| {});
    store.add_earlier(&mut again);
    let earlier = again.recording().unwrap().earlier.as_ref().unwrap();
    assert_eq!((&earlier.id, earlier.started_at), (&first.id.to_string(), first.started_at));
    let path = store.save(&again).unwrap();
    assert_eq!(load(&path), again);
    let mut unknown = with(later(0xe5, -1), &|_| {});
    store.add_earlier(&mut unknown);
    assert_eq!(unknown.recording().unwrap().earlier, None, "nothing is earlier");

    let said = format!("Last time ({}, ", first.id);
    let id = again.id.to_string();
    let text = shown(&folder, &["runs", "show", &id]);
    assert!(text.contains(&said) && text.contains("too short to say"), "{text}");
    for format in ["html", "markdown", "json"] {
        let export = folder.path().join("export").display().to_string();
        shown(&folder, &["export", &id, "--as", format, "--out", &export, "--force"]);
        let export = std::fs::read_to_string(&export).unwrap();
        let sought = if format == "json" { "\"last_time\"" } else { &said };
        assert!(export.contains(sought), "{format}");
        assert!(!export.contains("wineserver2"), "{format}");
    }
    let ids = [first.id.to_string(), id];
    let compared = |more: &[&str]| {
        let args = [&["record", "compare", &ids[0], &ids[1]], more].concat();
        cli::run(&folder, &args)
    };
    let output = compared(&["--fail-if", "worse", "--format", "json"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["rates"].as_array().unwrap().len(), 5, "{json}");
    assert_eq!(json["fail_if"][0]["result"], "undecided");
    let output = compared(&["--fail-if", "p99>+20%"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let output = compared(&["--format", "markdown"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("| All stutters"), "{output:?}");

    let mut harness = window(&folder);
    harness.state_mut().set_next_dialog_answer(vec![path]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session.running.recorded.is_some());
    harness.run_steps(4);
    for words in [said.as_str(), "All stutters"] {
        assert!(harness.query_all_by_label_contains(words).next().is_some(), "{words}");
    }
}

/// Returns a recording of half an hour with stutters at these seconds, of which no detail is saved.
fn stuttering(seed: u32, seconds: impl Iterator<Item = i64>) -> Run {
    let mut frames = RecordedFrames::default();
    let stutters: Vec<i64> = seconds.collect();
    let mut at = Nanos::ZERO;
    while at < Nanos::from_secs(1_800) {
        let is_stutter = stutters.iter().any(|second| {
            let stutter = Nanos::from_secs(*second);
            at < stutter && stutter <= at + Nanos::from_millis(20)
        });
        let length = Nanos::from_millis(if is_stutter { 200 } else { 20 });
        at += length;
        frames.push(at, length);
    }
    let recording = Recording {
        label: "game".to_owned(),
        follow: Follow::Log,
        length: at,
        frames,
        ..Recording::default()
    };
    let subject = Subject::Recorded(Box::new(recording));
    Run { name: String::new(), subject, trials: Vec::new(), ..compare::run(seed, "", 0) }
}

#[test]
fn a_condition_on_two_recordings_is_true_where_stutters_became_clearly_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let calm = stuttering(0xa1, (1..=6).map(|at| 280 * at));
    let stutters = stuttering(0xb2, (1..=36).map(|at| 49 * at));
    let calm_file = store.save(&calm).unwrap();
    let stutters_file = store.save(&stutters).unwrap();
    let (calm, stutters) = (calm.id.to_string(), stutters.id.to_string());
    // Files are compared too, in a library that does not have them.
    let [calm_file, stutters_file] = [calm_file, stutters_file].map(|it| it.display().to_string());
    let elsewhere = tempfile::tempdir().unwrap();
    let args = ["record", "compare", &calm_file, &stutters_file, "--fail-if", "worse"];
    assert_eq!(cli::run(&elsewhere, &args).status.code(), Some(3));
    for (args, status) in [
        ([&calm, &stutters, "worse"], 3),
        ([&calm, &stutters, "stutter>+20%"], 3),
        ([&calm, &stutters, "stutter<-20%"], 0),
        ([&stutters, &calm, "worse"], 0),
        ([&stutters, &calm, "stutter<-20%"], 3),
    ] {
        let [earlier, later, condition] = args;
        let output =
            cli::run(&folder, &["record", "compare", earlier, later, "--fail-if", condition]);
        assert_eq!(output.status.code(), Some(status), "{args:?} {output:?}");
    }
    // All of them come every 49 s, and no more often at the end.
    let text = shown(&folder, &["runs", "show", &stutters]);
    assert!(text.contains("every 49") && text.contains("(36 of 36)"), "{text}");
    assert!(!text.contains("More and more"), "{text}");
    let text = shown(&folder, &["record", "compare", &stutters, &calm]);
    assert!(text.contains("stutters came 12 to 2 times per 10 min of play, clear."), "{text}");
}
