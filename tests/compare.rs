//! The comparison of runs: on the command line, in the window, and of runs measured on this PC.

use std::process::{Command, Output};

use egui_kittest::kittest::Queryable as _;
use jitterscope::App;
use jitterscope::{PageId, Progress};
use jitterscope_engine::machine::{ClockFacts, Machine};
use jitterscope_engine::measure::{self, Request};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{
    CpuFacts, FrameLoop, Length, Load, OnMiss, Pace, Plan, Probe as _, Wait, Work,
};
use jitterscope_engine::platform::{self, Effective, Policy, RequestOutcome};
use jitterscope_engine::report::Comparison;
use jitterscope_engine::run::{Ending, Health, METHOD_VERSION, Run, RunId, TrialRun, counter};
use jitterscope_engine::sample::Sample;
use jitterscope_engine::store::Store;
use jitterscope_engine::store::edit::Edit;

use super::probes;
use super::window::{step_until, window};

/// Returns a pseudo-random number that depends only on the seed.
fn scatter(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

/// Returns a run of 1 800 frames, each some microseconds late; one frame in twenty is late by another `delay`
/// nanoseconds.
pub(super) fn run(id: u32, name: &str, delay: i64) -> Run {
    let period = Nanos::new(16_666_667);
    let plan = FrameLoop {
        load: Load::NONE,
        wait: Wait::OsSleep,
        work: Work::Nothing,
        ..FrameLoop::default()
    };
    let stage = plan.stages(&CpuFacts::default()).remove(0);
    let mut trial = TrialRun::new(0, stage.trials[0].clone(), stage.load);
    trial.trial.pace = Pace::Grid { period, on_miss: OnMiss::Skip };
    trial.trial.length = Length::Slots(1_800);
    trial.complete = true;
    trial.applied = Some(platform::Applied {
        priority: RequestOutcome::Granted,
        pin: RequestOutcome::Granted,
        effective: Effective { policy: Policy::Nice(0), cpus: vec![0, 1], ran_on: Some(0) },
        mechanism: String::new(),
        selected_cpu: None,
        refusals: Vec::new(),
        timer_slack: None,
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: "clock_nanosleep, absolute".to_owned(),
        demoted: false,
        policy_at_end: None,
    });
    trial.samples = (1..=1_800_i64)
        .map(|k| {
            let dice = scatter(u64::from(id) * 100_000 + k.unsigned_abs());
            let body = i64::try_from(dice % 20_000).unwrap();
            let late = body + if (dice >> 32).is_multiple_of(20) { delay } else { 0 };
            let (due, woke) = (period * k, period * k + Nanos::new(late));
            let done = woke + Nanos::from_millis(2);
            Sample { began: due, due, woke, done, cpu: Some(0), ..Sample::default() }
        })
        .collect();
    Run {
        id: RunId::parse(&format!("{id:08x}")).unwrap(),
        app_version: "0.1.0".to_owned(),
        method_version: METHOD_VERSION,
        started_at: "2026-11-20T12:00:00Z".parse().unwrap(),
        wall_clock: None,
        ending: Ending::Finished,
        name: name.to_owned(),
        note: String::new(),
        tags: Vec::new(),
        annotations: Vec::new(),
        group: None,
        subject: Plan::FrameLoop(plan).into(),
        host: None,
        machine: Machine {
            cpu_model: Some("A processor".to_owned()),
            kernel: Some(if delay == 0 { "6.8.0" } else { "6.9.0" }.to_owned()),
            ..Machine::default()
        },
        clock: ClockFacts { resolution: Nanos::new(20), ..ClockFacts::default() },
        health: Health::default(),
        trials: vec![trial],
    }
}

/// Creates a folder with three runs: "before", the equivalent run "again", and the worse run "after".
pub(super) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    store.save(&run(0xa1, "before", 0)).unwrap();
    store.save(&run(0xb2, "again", 0)).unwrap();
    store.save(&run(0xc3, "after", 200_000)).unwrap();
    folder
}

pub(super) fn compare(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    Command::new(super::cli::program())
        .arg("--data-dir")
        .arg(folder.path())
        .arg("compare")
        .args(args)
        .output()
        .unwrap()
}

/// The beginning of the headline if the runs differ and their run-to-run variation is assumed.
const UNKNOWN: &str = "B is worse if runs vary by at most ";

pub(super) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn met_condition_exits_with_3_and_names_the_metric() {
    let folder = folder();
    for (args, status, error) in [
        (vec!["before", "again", "--fail-if", "p99>+20%", "--fail-if", "worse"], 0, ""),
        (
            vec!["before", "after", "--fail-if", "p99>+20%"],
            3,
            "--fail-if p99>+20%: true\n  B: p99 rose by ",
        ),
        (vec!["before", "after", "--fail-if", "worse"], 3, "Worse."),
        (vec!["after", "before", "--fail-if", "p99>+20%"], 0, ""),
        (vec!["000000a1", "c3", "--fail-if", "p99>+20%"], 1, "no run with the ID or name 'c3'"),
        (vec!["before", "after", "--baseline", "again"], 1, "'again' is not one of the runs"),
        (vec!["before", "after", "--fail-if", "p98>+20%"], 2, "unknown metric 'p98'"),
        (vec!["before"], 2, "2 values required"),
    ] {
        let output = compare(&folder, &args);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {text}");
        assert!(text.contains(error), "{args:?}: {text}");
    }
}

#[test]
fn a_comparison_is_a_table_a_ticket_and_json() {
    let folder = folder();
    let table = said(&compare(&folder, &["before", "after"]));
    for word in ["A  before", "(baseline)", UNKNOWN, "Kernel", "6.9.0", "p99.9", "B is worse"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let ticket = said(&compare(&folder, &["before", "after", "again", "--format", "markdown"]));
    assert!(
        ticket.contains("\n**Compared with A: B is worse if runs vary by at most "),
        "{ticket}"
    );
    let header = ticket.lines().find(|line| line.starts_with("| lateness in ")).unwrap();
    let header: Vec<&str> = header.split('|').map(str::trim).collect();
    assert_eq!(header[2..6], ["A", "B", "C", "Compared"]);
    assert!(ticket.starts_with("**Comparison of 3 runs** (Jitterscope "), "{ticket}");
    let (short, _) = ticket.split_once("\n<details>").unwrap();
    assert!(short.lines().count() <= 15, "{short}");
    for line in ["| p99 ", "C with A"] {
        assert!(ticket.contains(line), "each line names its metric and its run: {ticket}");
    }
    assert!(header.contains(&"Noise floor"), "{header:?}");
    // A name that would be a mention is written with a word joiner, also to standard output.
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("mention.jitterscope.json");
    let mention = Run { name: "for @everyone".to_owned(), ..run(9, "", 0) };
    jitterscope_engine::store::save_to(&mention, &file).unwrap();
    let file = file.to_str().unwrap();
    let ticket = said(&compare(&folder, &["before", file, "--format", "markdown"]));
    assert!(ticket.contains("@\u{2060}everyone"), "{ticket}");
    let json =
        said(&compare(&folder, &["before", "after", "--baseline", "after", "--format", "json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["runs"][0]["name"], "after", "the baseline comes first");
    assert_eq!(json["outcomes"][1], "better");
    let figures = json["configurations"][0]["figures"].as_array().unwrap();
    let p99 = figures.iter().find(|figure| figure["metric"] == "p99").unwrap();
    assert_eq!(p99["unit"], "nanoseconds");
    assert_eq!(p99["against_baseline"][1]["result"], "better");
    let interval = &p99["against_baseline"][1]["interval_95"];
    assert!(interval[0].as_f64().unwrap() < interval[1].as_f64().unwrap());
}

#[test]
fn groups_are_compared_by_their_own_variation() {
    let folder = folder();
    let store = Store::at(folder.path());
    for id in 0xd1..0xd5 {
        store.save(&run(id, "", 0)).unwrap();
        store.save(&run(id + 0x10, "", 200_000)).unwrap();
    }
    let (a, b) = (["d1", "d2", "d3", "d4"], ["e1", "e2", "e3", "e4"]);
    let id = |short: &&str| format!("000000{short}");
    let args = |a: &[&str], b: &[&str], more: &[&str]| -> Vec<String> {
        let mut args = vec!["--a".to_owned()];
        args.extend(a.iter().map(id));
        args.push("--b".to_owned());
        args.extend(b.iter().map(id));
        args.extend(more.iter().map(|&one| one.to_owned()));
        args
    };
    let output =
        |args: &[String]| compare(&folder, &args.iter().map(String::as_str).collect::<Vec<_>>());
    let table = said(&output(&args(&a, &b, &[])));
    assert!(table.contains("B is worse: "), "{table}");
    assert!(table.starts_with("A  4 runs of ") && table.contains("000000d1 000000d2"), "{table}");
    assert!(table.contains("from the groups themselves, 4 runs of A and 4 of B"), "{table}");
    let saved = folder.path().join("saved.json");
    let json = args(&a, &b, &["--format", "json", "--fail-if", "worse"]);
    let found = output(&json);
    assert_eq!(found.status.code(), Some(3));
    std::fs::write(&saved, &found.stdout).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&found.stdout).unwrap();
    assert_eq!(
        (&json["groups"], &json["prior"]["groups"]),
        (&serde_json::json!([4, 4]), &0.into())
    );
    // Evaluate the same runs with the variation that was saved with the first result.
    let with = ["--format", "json", "--fail-if", "worse", "--prior"];
    let again = args(&a, &b, &[&with[..], &[saved.to_str().unwrap()]].concat());
    assert_eq!(said(&output(&again)).as_bytes(), found.stdout);
    let equal = said(&output(&args(&a[..2], &a[2..], &["--fail-if", "worse"])));
    assert!(!equal.contains("B is worse") && !equal.contains("B is better"), "{equal}");
    // A group of one run has no variation, the runs of a group must have the same settings, and no run can be
    // in both groups.
    let single = said(&output(&args(&a[..1], &b, &[])));
    assert!(single.contains("Not enough data (1 more run)"), "{single}");
    let mixed = said(&output(&args(&["d1", "e1"], &b[1..], &[])));
    assert!(mixed.contains("The runs of group A have different settings"), "{mixed}");
    for (args, what) in [
        (args(&a, &["d1", "e1"], &[]), "in both groups"),
        (args(&a, &b, &["--prior", "nowhere.json"]), "--prior: "),
    ] {
        let failed = output(&args);
        let text = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert!(failed.status.code() == Some(1) && text.contains(what), "{text}");
    }
}

#[test]
fn different_load_is_part_of_the_headline() {
    let folder = folder();
    let mut loaded = run(0xd4, "loaded", 200_000);
    let Some(Plan::FrameLoop(plan)) = loaded.plan().cloned() else { panic!("{loaded:?}") };
    loaded.subject = Plan::FrameLoop(FrameLoop { load: FrameLoop::default().load, ..plan }).into();
    let store = Store::at(folder.path());
    store.save(&loaded).unwrap();
    // CPU use of other programs, in percent of one CPU; the run "before" does not report it.
    for (id, name, used) in [(0xe5, "quiet", 3), (0xf6, "busy", 60)] {
        let mut other = run(id, name, 200_000);
        let counters = [(counter::FOREIGN_CPU_NANOS, used), (counter::FOREIGN_WINDOW_NANOS, 100)];
        let nanos = counters.map(|(name, percent)| (name.to_owned(), percent * 10_000_000));
        other.trials[0].counters.extend(nanos);
        store.save(&other).unwrap();
    }
    let different = " They ran under different load.";
    for (one, other, expected) in [
        ("before", "loaded", different),
        ("before", "after", ""),
        ("before", "busy", ""),
        ("quiet", "busy", different),
    ] {
        let output = said(&compare(&folder, &[one, other]));
        let found = if other == "busy" { "No result, as B was disturbed." } else { UNKNOWN };
        assert!(output.contains(found), "{output}");
        assert_eq!(output.contains(different), !expected.is_empty(), "{output}");
    }
    let row = said(&compare(&folder, &["before", "busy"]));
    assert!(row.contains("not reported") && row.contains("60%"), "{row}");
}

/// Returns a PresentMon capture with frame times of about 10 ms; one frame in twenty takes another `delay`
/// microseconds.
pub(super) fn capture(seed: u64, delay: u64) -> String {
    let mut file = String::from(
        "Application,ProcessID,SwapChainAddress,PresentRuntime,FrameType,CPUStartTime,FrameTime,CPUBusy\n",
    );
    for k in 0..1_800 {
        let dice = scatter(seed * 100_000 + k);
        let late = if (dice >> 32).is_multiple_of(20) { delay } else { 0 };
        let micros = 10_000 + dice % 900 + late;
        file.push_str(&format!(
            "game.exe,42,0x2,DXGI,Application,{k},{}.{:03},3\n",
            micros / 1_000,
            micros % 1_000
        ));
    }
    file
}

#[test]
fn imported_captures_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let mut ids = Vec::new();
    for (name, seed, delay) in [("before.csv", 1, 0), ("after.csv", 2, 30_000)] {
        let path = folder.path().join(name);
        std::fs::write(&path, capture(seed, delay)).unwrap();
        let run = jitterscope_engine::import::read(&path, &<_>::default()).unwrap().into_run();
        store.save(&run).unwrap();
        ids.push(run.id.to_string());
    }
    let (before, after) = (ids[0].as_str(), ids[1].as_str());
    let output = compare(&folder, &[before, after]);
    let table = said(&output);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for word in [UNKNOWN, "Average FPS", "1% low", "0.1% low", "Stutter", "frame time in"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    assert!(!table.contains("lateness"), "nobody ran a schedule: {table}");
    let output =
        compare(&folder, &[before, after, "--fail-if", "stutter>+1pp", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let json: serde_json::Value = serde_json::from_str(&said(&output)).unwrap();
    let figures = json["configurations"][0]["figures"].as_array().unwrap();
    let of = |key: &str| figures.iter().find(|figure| figure["metric"] == key).unwrap();
    assert_eq!(of("average-fps")["unit"], "frames_per_second");
    assert_eq!(of("stutter")["against_baseline"][1]["result"], "worse");
    let output = compare(&folder, &[before, after, "--fail-if", "missed>+1pp"]);
    assert_eq!(output.status.code(), Some(4), "captures miss nothing: {output:?}");
    let args = [before, after, "--fail-if", "missed>+1pp", "--undecided", "pass"];
    assert_eq!(compare(&folder, &args).status.code(), Some(0));
}

/// Compares captures of the same recording in several formats of PresentMon. Runs only if
/// `JITTERSCOPE_CAPTURES` names the folder of the captures.
#[test]
fn one_recording_in_two_formats_is_the_same() {
    let Some(captures) = std::env::var_os("JITTERSCOPE_CAPTURES").map(std::path::PathBuf::from)
    else {
        println!("skipped: JITTERSCOPE_CAPTURES names no folder of captures");
        return;
    };
    let runs = ["presentmon_case1_v1.csv", "presentmon_case1_v2.csv"].map(|name| {
        let options = jitterscope_engine::import::Options::default();
        jitterscope_engine::import::read(&captures.join(name), &options).unwrap().into_run()
    });
    let comparison = Comparison::of(&[&runs[0], &runs[1]], 0);
    println!("{:?}: {:?}", comparison.outcome(1), comparison.rows[0].figures);
    assert_eq!(comparison.obstacle, None);
    assert!(!comparison.rows[0].figures.is_empty());
    assert!(!comparison.outcome(1).is_certain());
}

fn shows(harness: &egui_kittest::Harness<'_, App>, words: &str) -> bool {
    harness.query_all_by_label_contains(words).next().is_some()
}

#[test]
fn runs_are_checked_compared_and_swapped() {
    let folder = folder();
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Select before").click();
    harness.run_steps(2);
    harness.get_by_label("Select after").click();
    harness.run_steps(2);
    assert!(shows(&harness, "2 selected"));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    harness.run_steps(2);
    assert_eq!(harness.state().page, PageId::Compare);
    let is_done = |app: &App| matches!(app.session.comparing.progress, Progress::Done(_));
    step_until(&mut harness, is_done);
    harness.run_steps(3);
    assert!(shows(&harness, UNKNOWN));
    assert!(shows(&harness, "Re-run interleaved"));
    assert!(shows(&harness, "B is worse"));
    let path = harness.state().session.comparing.selected.paths[0].clone();
    Store::at(folder.path()).edit(&path, &Edit::Name("renamed".to_owned())).unwrap();
    harness.get_by_label("Swap A and B").click();
    harness.run_steps(2);
    step_until(&mut harness, is_done);
    harness.run_steps(3);
    assert!(shows(&harness, "B is better") && shows(&harness, "Remove B, renamed"));
    harness.get_by_label("Copy report").click();
    harness.run_steps(2);
    // Resize the window; afterward, remove run B, which leaves nothing to compare.
    for size in [[1000.0, 640.0], [720.0, 450.0], [1440.0, 900.0]] {
        harness.set_size(egui::Vec2::from(size));
        harness.run_steps(3);
    }
    harness.get_by_label_contains("Remove B").click();
    harness.run_steps(3);
    assert!(shows(&harness, "Nothing to compare yet"));
}

#[test]
fn starred_run_is_the_baseline_and_long_names_stay_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let names = ["Limiter at 60 FPS with a hybrid wait", "Driver of November with a hybrid wait"];
    let starred = store.save(&Run { tags: vec!["baseline".to_owned()], ..run(0xd1, names[0], 0) });
    store.save(&run(0xd2, names[1], 90_000)).unwrap();
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    for name in [names[1], names[0]] {
        harness.get_by_label(&format!("Select {name}")).click();
        harness.run_steps(3);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    step_until(&mut harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    assert_eq!(harness.state().session.comparing.selected.paths.first(), starred.ok().as_ref());
    for (letter, name) in ["A", "B"].iter().zip(names) {
        harness.get_by_label(&format!("Remove {letter}, {name}"));
        let shown = harness.get_by_label(name).rect();
        assert!(200.0 < shown.width(), "the grade next to it cuts no name: {shown:?}");
    }
    // A window of 1440 × 900 at 200% zoom: the table of differences scrolls horizontally in its card.
    harness.set_size(egui::vec2(720.0, 450.0));
    harness.run_steps(4);
    for label in ["Remove A, ", "Copy report", "Only differences"] {
        let shown = harness.get_by_label_contains(label).rect();
        assert!(shown.right() <= 720.0, "{label} is beyond the right edge: {shown:?}");
    }
}

#[test]
fn two_groups_are_set_from_the_list_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for (id, name, delay) in [
        (0xd1, "old 1", 0),
        (0xd2, "old 2", 0),
        (0xd3, "old 3", 0),
        (0xe1, "new 1", 200_000),
        (0xe2, "new 2", 200_000),
        (0xe3, "new 3", 200_000),
    ] {
        store.save(&run(id, name, delay)).unwrap();
    }
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 6);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    for name in ["old", "new"] {
        for number in 1..=3 {
            harness.get_by_label(&format!("Select {name} {number}")).click();
            harness.run_steps(2);
        }
        let side = if name == "old" { "Set as A" } else { "Set as B" };
        harness.get_by_label(side).click();
        harness.run_steps(3);
        if name == "old" {
            assert!(shows(&harness, "Group A: 3 runs."));
            for number in 1..=3 {
                harness.get_by_label(&format!("Select {name} {number}")).click();
                harness.run_steps(2);
            }
        }
    }
    assert_eq!(harness.state().page, PageId::Compare);
    let is_done = |app: &App| matches!(app.session.comparing.progress, Progress::Done(_));
    step_until(&mut harness, is_done);
    harness.run_steps(3);
    for words in ["B is worse: ", "old 1 · old 2 · old 3", "3 runs"] {
        assert!(shows(&harness, words), "{words}");
    }
    // A new group A, for a later comparison, does not change what is compared.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Set as A").click();
    harness.run_steps(3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num9);
    harness.run_steps(3);
    harness.get_by_label("Swap A and B").click();
    harness.run_steps(2);
    step_until(&mut harness, is_done);
    harness.run_steps(3);
    assert!(shows(&harness, "B is better: "));
    harness.get_by_label("Copy report").click();
    harness.run_steps(2);
    for size in [[1000.0, 640.0], [720.0, 450.0], [1440.0, 900.0]] {
        harness.set_size(egui::Vec2::from(size));
        harness.run_steps(3);
    }
}

#[test]
fn a_run_is_named_tagged_found_deleted_and_brought_back() {
    let folder = folder();
    let store = Store::at(folder.path());
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Select after").click();
    harness.run_steps(3);
    // F2 focuses the name field and selects its text, so that typing replaces the name.
    harness.key_press(egui::Key::F2);
    harness.run_steps(3);
    harness.get_by_label("Name of the run").type_text("the slow one");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    let is_called = |app: &App, name: &str| {
        let items = app.session.library.items.as_deref().unwrap_or_default();
        items.iter().any(|item| item.run.as_ref().is_ok_and(|run| run.name == name))
    };
    step_until(&mut harness, |app| is_called(app, "the slow one"));
    assert!(store.find("the slow one").is_ok());
    harness.get_by_label("Add a tag").focus();
    harness.run_steps(2);
    harness.get_by_label("Add a tag").type_text("bug-7, slow, wrong");
    harness.run_steps(2);
    harness.key_press(egui::Key::Enter);
    let has_tags = |app: &App, tags: &[&str]| {
        let items = app.session.library.items.as_deref().unwrap_or_default();
        items.iter().any(|item| item.run.as_ref().is_ok_and(|run| run.tags == tags))
    };
    step_until(&mut harness, |app| has_tags(app, &["bug-7", "slow", "wrong"]));
    harness.get_by_label("Remove tag wrong").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| has_tags(app, &["bug-7", "slow"]));
    // Search for a tag: only the run with this tag is listed.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::F);
    harness.run_steps(2);
    harness.get_by_label("Search runs").type_text("tag:bug-7");
    harness.run_steps(3);
    assert!(shows(&harness, "Open the slow one"));
    assert!(!shows(&harness, "Open before"));
    harness.get_by_label("Delete").click();
    step_until(&mut harness, |app| app.session.library.count() == 2);
    harness.run_steps(3);
    harness.get_by_label("Undo").click();
    step_until(&mut harness, |app| app.session.library.count() == 3);
    assert!(is_called(harness.state(), "the slow one"));
}

/// Measures a short frame loop on this machine.
fn measured() -> Run {
    let plan = FrameLoop {
        fps: 240.0,
        time_each: Nanos::from_secs(5),
        warm_up: Nanos::from_millis(200),
        load: Load::NONE,
        wait: Wait::OsSleep,
        work: Work::Nothing,
        ..FrameLoop::default()
    };
    let request = Request { machine: Machine::default(), ..probes::request(Plan::FrameLoop(plan)) };
    let running = measure::start(request, None, || {}).unwrap();
    std::sync::Arc::unwrap_or_clone(probes::finish(&running))
}

/// Returns a copy of the run with a new ID, in which one frame in twenty is 200 µs later.
fn delayed(run: &Run) -> Run {
    let mut run = run.clone();
    run.id = RunId::random();
    for trial in &mut run.trials {
        trial.samples = trial
            .samples
            .iter()
            .zip(0_u64..)
            .map(|(mut sample, k)| {
                if scatter(k).is_multiple_of(20) {
                    sample.woke += Nanos::from_micros(200);
                    sample.done += Nanos::from_micros(200);
                }
                sample
            })
            .collect();
    }
    run
}

/// Returns whether run B is called better or worse than run A in any metric.
fn is_called(a: &Run, b: &Run) -> bool {
    Comparison::of(&[a, b], 0).outcome(1).is_certain()
}

/// Takes about a minute and needs an idle machine: runs only if `JITTERSCOPE_LONG_TESTS` is set.
#[test]
fn real_runs_of_one_setting_are_seldom_called_different_and_a_delay_is_found() {
    if std::env::var_os("JITTERSCOPE_LONG_TESTS").is_none() {
        return;
    }
    let runs: Vec<Run> = (0..10).map(|_| measured()).collect();
    let pairs =
        runs.iter().enumerate().flat_map(|(at, a)| runs.iter().skip(at + 1).map(move |b| (a, b)));
    let called = pairs.filter(|(a, b)| is_called(a, b)).count();
    let next = runs.iter().cycle().skip(1);
    let found = runs.iter().zip(next).filter(|(a, b)| is_called(a, &delayed(b))).count();
    println!(
        "A/A: {called} of 45 called different; 200 µs on 5% of the frames: {found} of 10 found"
    );
    assert!(called <= 2, "{called} of 45");
    assert!(9 <= found, "{found} of 10");
}
