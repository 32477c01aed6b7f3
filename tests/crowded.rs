//! Runs and settings with as many items as their files may hold: each page draws what can be seen of them, and no more.

use egui::epaint::Shape;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::{App, PageId, Progress, SavedHost, Settings, SettingsFile};
use jitterscope_engine::store::Store;
use serde_json::{Value, json};

use super::cli::is_long;
use super::compare::run;
use super::files::{drop_on, step_until_shown};
use super::tidy::root;
use super::window::{step_until, window, window_with_settings};

/// Number of items of each kind in a normal test run and in a long one; of probes, a quarter.
const COUNTS: [usize; 2] = [8_000, 60_000];
/// Maximum number of shapes, of letters, and of named widgets in one frame.
const MAX_SHAPES: usize = 12_000;
const MAX_LETTERS: usize = 150_000;
const MAX_NODES: usize = 5_000;
/// The name of every run, and the ID of the second one.
const NAME: &str = "crowded";

fn count() -> usize {
    COUNTS[usize::from(is_long())]
}

/// Returns `count()` items.
fn many(item: impl Fn(usize) -> Value) -> Value {
    (0..count()).map(item).collect()
}

fn read(path: &str) -> Value {
    let text = std::fs::read_to_string(root().join(path)).unwrap();
    let mut run: Value = serde_json::from_str(&text).unwrap();
    run["name"] = json!(NAME);
    run
}

/// Returns a run with many copies of its last trial, each with a name and, for probes, a CPU of its own.
fn with_trials(path: &str, name: &str) -> Value {
    let mut run = read(path);
    let last = run["trials"].as_array().unwrap().last().unwrap().clone();
    let trials = (0..count() / 4).map(|number| {
        let mut trial = last.clone();
        trial["stage"] = json!(number);
        trial["label"] = json!(format!("{name} {number}"));
        trial["settings"]["label"] = trial["label"].clone();
        if name == "CPU" {
            trial["settings"]["conditions"]["cpu"] = json!({ "cpu": number });
        }
        for column in trial["samples"].as_object_mut().unwrap().values_mut() {
            column.as_array_mut().unwrap().truncate(3);
        }
        for column in trial["evidence"].as_object_mut().unwrap().values_mut() {
            *column = json!([]);
        }
        for part in ["trace", "series"] {
            trial.as_object_mut().unwrap().remove(part);
        }
        trial
    });
    run["trials"] = trials.collect();
    run
}

/// Returns a capture with a part that a function changes.
fn capture(change: impl Fn(&mut Value)) -> Value {
    let mut run = read("tests/older/imported.jitterscope.json");
    for part in ["plan", "trials"] {
        run.as_object_mut().unwrap().remove(part);
    }
    run["trials"] = json!([]);
    run["capture"] = json!({ "frames": [{
        "label": "game", "elapsed_nanos": null, "frame_times_nanos": vec![16_000_000; 400],
    }] });
    change(&mut run);
    run
}

/// Returns a recording with a part that a function changes.
fn recording(change: impl Fn(&mut Value)) -> Value {
    let mut run = capture(|_| {});
    run.as_object_mut().unwrap().remove("capture");
    let text = std::fs::read_to_string(root().join("tests/recordings/game.json")).unwrap();
    run["recording"] = serde_json::from_str(&text).unwrap();
    change(&mut run["recording"]);
    run
}

/// What runs have many of.
const KINDS: [&str; 21] = [
    "tags",
    "lines of the note",
    "letters",
    "facts of the machine",
    "denied requests",
    "counters",
    "series",
    "skipped parts",
    "CPUs of gaps",
    "sessions of a capture",
    "sensors of a capture",
    "events of a recording",
    "games, threads, and notes of a recording",
    "canaries, stalls, and series of a recording",
    "configurations of a frame loop",
    "policies",
    "sleeps",
    "histograms of a capture",
    "spins",
    "configurations of a game tick",
    "pauses and stutters of a capture",
];
/// The last kinds, which only a long test run tries.
const LONG_KINDS: usize = 4;
/// Kinds of which a normal test run draws only the result: a comparison has one configuration at a time.
const RESULTS: [&str; 3] = ["configurations of a frame loop", "policies", "sleeps"];

/// Returns a run with many items of one kind.
fn crowded(kind: &str) -> Value {
    const FRAME_LOOP: &str = "assets/examples/frame-loop-fifo.jitterscope.json";
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut run = read(FRAME_LOOP);
        change(&mut run);
        run
    };
    let long = "wide ".repeat(count() * 20);
    let lines = "a line\n".repeat(count());
    let series = |number: usize| {
        let points = json!({ "at_nanos": [0, 1_000_000], "values": [1, 2] });
        (format!("n{number}_count"), points)
    };
    let recorded_series = || Value::Object((0..count()).map(series).collect());
    let process = |number: usize| json!({ "process": number, "started_nanos": null, "name": "p" });
    match kind {
        "tags" => changed(&|run| run["tags"] = many(|number| json!(format!("tag {number}")))),
        "lines of the note" => changed(&|run| run["note"] = json!(lines)),
        "letters" => changed(&|run| {
            for key in ["name", "note", "host"] {
                run[key] = json!(format!("{NAME} {long}"));
            }
            run["tags"] = json!([long]);
            for key in ["cpu_model", "os", "kernel", "virtualization", "governor_or_plan"] {
                run["machine"][key] = json!(long);
            }
            let trial = &mut run["trials"][0];
            trial["label"] = json!(long);
            trial["settings"]["label"] = json!(long);
            trial["granted"]["mechanism"] = json!(long);
            trial["granted"]["sleep_call"] = json!(long);
        }),
        "facts of the machine" => changed(&|run| {
            run["machine"]["scheduler"] = many(|number| json!([format!("fact {number}"), "1"]));
            let cpu = run["machine"]["cpus"][0].clone();
            run["machine"]["cpus"] = many(|number| {
                let mut cpu = cpu.clone();
                cpu["logical"] = json!(number);
                cpu
            });
        }),
        "denied requests" => changed(&|run| {
            run["trials"][0]["granted"]["refusals"] = many(|number| {
                json!({
                    "asked": format!("priority {number}"), "call": "call", "errno": 1,
                    "error_name": "EPERM", "reason": "denied", "remedy": "ask",
                })
            });
        }),
        "counters" => changed(&|run| {
            let counters = run["trials"][0]["counters"].as_object_mut().unwrap();
            counters.extend((0..count()).map(|number| (format!("n{number}_count"), json!(1))));
        }),
        "series" => changed(&|run| run["trials"][0]["series"] = recorded_series()),
        "skipped parts" => changed(&|run| {
            let skipped = many(|number| json!(format!("part {number}")));
            run["group"] = json!({ "id": "0badcafe", "part": "x", "skipped": skipped });
        }),
        "CPUs of gaps" => with_trials("tests/older/scheduling-gaps.jitterscope.json", "CPU"),
        "configurations of a frame loop" => {
            with_trials("tests/older/frame-loop.jitterscope.json", "try")
        }
        "configurations of a game tick" => {
            with_trials("tests/older/game-tick.jitterscope.json", "try")
        }
        "policies" => with_trials("tests/older/real-time.jitterscope.json", "try"),
        "sleeps" => with_trials("tests/older/sleep-accuracy.jitterscope.json", "try"),
        "spins" => with_trials("tests/older/spin-strategies.jitterscope.json", "try"),
        "histograms of a capture" => capture(|run| {
            let distribution = |number: usize| {
                json!({
                    "label": format!("CPU {number}"), "above_count": 0, "max_nanos": null,
                    "values_nanos": [1_000, 2_000, 5_000], "counts": [90, 30, 1],
                })
            };
            run["capture"] = json!({ "histogram": many(distribution) });
        }),
        "pauses and stutters of a capture" => capture(|run| {
            let times = [16_000_000, 16_000_000, 90_000_000, 16_000_000, 9_000_000_000_i64];
            run["capture"]["frames"][0]["frame_times_nanos"] =
                many(|number| json!(times[number % times.len()]));
        }),
        "sessions of a capture" => capture(|run| {
            run["capture"]["frames"] = many(|number| {
                json!({
                    "label": format!("session {number}"), "elapsed_nanos": null,
                    "frame_times_nanos": [16_000_000, 17_000_000, 16_500_000],
                })
            });
        }),
        "sensors of a capture" => capture(|run| {
            run["capture"]["frames"][0]["series"] = many(|number| {
                json!({
                    "label": format!("sensor {number}"), "unit": "%",
                    "at_nanos": [0, 1_000_000], "values_thousandths": [1_000, 2_000],
                })
            });
        }),
        "events of a recording" => recording(|recording| {
            recording["events"] = many(
                |number| json!({ "at_nanos": number * 1_000_000, "length_nanos": 0, "kind": "mark" }),
            );
        }),
        "games, threads, and notes of a recording" => recording(|recording| {
            recording["later_games"] =
                many(|number| json!({ "begin_nanos": number * 1_000, "process": process(number) }));
            let thread = recording["threads"][0].clone();
            recording["threads"] = many(|number| {
                let mut thread = thread.clone();
                thread["thread"] = json!(number);
                thread
            });
            recording["notes"] = many(
                |number| json!({ "at_nanos": number, "kind": "power-source", "text": "battery" }),
            );
        }),
        "canaries, stalls, and series of a recording" => recording(|recording| {
            recording["canaries"] = many(|number| {
                let one = [1_000];
                json!({
                    "cpu": number, "thread": number, "period_nanos": 4_000_000,
                    "at_nanos": one, "min_nanos": one, "p50_nanos": one, "p99_nanos": one,
                    "max_nanos": one, "count": one,
                })
            });
            recording["stalls"] = many(
                |number| json!({ "canary": number, "due_nanos": number, "late_nanos": 3_000_000 }),
            );
            recording["series"] = recorded_series();
        }),
        _ => panic!("{kind}"),
    }
}

/// Returns how many shapes and letters a shape has.
fn size_of(shape: &Shape) -> (usize, usize) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().map(size_of).fold((0, 0), |sum, one| {
            let (shapes, letters) = one;
            (sum.0 + shapes, sum.1 + letters)
        }),
        Shape::Text(text) => (1, text.galley.rows.iter().map(|row| row.row.glyphs.len()).sum()),
        _ => (1, 0),
    }
}

/// Draws some frames, and checks how much each page has drawn.
fn check(harness: &mut Harness<'_, App>, what: &str) {
    let began = std::time::Instant::now();
    harness.run_steps(3);
    let took = began.elapsed() / 3;
    let output = harness.output();
    let sizes = output.shapes.iter().map(|shape| size_of(&shape.shape));
    let (shapes, letters) = sizes.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let mut roles = std::collections::BTreeMap::<String, usize>::new();
    for node in harness.root().children_recursive() {
        *roles.entry(format!("{:?}", node.accesskit_node().role())).or_default() += 1;
    }
    let nodes: usize = roles.values().sum();
    println!("{what}: {shapes} shapes, {letters} letters, {nodes} nodes, {took:?} per frame");
    assert!(shapes <= MAX_SHAPES, "{what}: {shapes} shapes");
    assert!(letters <= MAX_LETTERS, "{what}: {letters} letters");
    assert!(nodes <= MAX_NODES, "{what}: {nodes} nodes: {roles:?}");
}

/// Checks a page at its top, and scrolled to what is below.
fn check_all(harness: &mut Harness<'_, App>, what: &str) {
    check(harness, what);
    harness.hover_at(egui::pos2(1_425.0, 500.0));
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -900.0),
        phase: egui::TouchPhase::Move,
        modifiers: egui::Modifiers::NONE,
        source: egui::MouseWheelSource::Unknown,
    });
    check(harness, &format!("{what}, scrolled"));
}

/// Selects both runs of the list, and compares them.
fn check_comparison(harness: &mut Harness<'_, App>, kind: &str) {
    for row in [0, 1] {
        let rows: Vec<_> = harness.query_all_by_label_contains("Select crowded").collect();
        rows[row].click_accesskit();
        harness.run_steps(2);
        check(harness, &format!("{kind}: {} selected", row + 1));
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::D);
    harness.run_steps(2);
    step_until(harness, |app| matches!(app.session.comparing.progress, Progress::Done(_)));
    check_all(harness, &format!("{kind}: comparison"));
}

#[test]
fn pages_draw_what_can_be_seen_of_a_crowded_run() {
    let only = std::env::var("JITTERSCOPE_CROWDED").unwrap_or_default();
    let is_all = is_long() || !only.is_empty();
    let kinds = &KINDS[..KINDS.len() - if is_all { 0 } else { LONG_KINDS }];
    for kind in kinds.iter().copied().filter(|kind| kind.contains(&only)) {
        let has_all = is_long() || !RESULTS.contains(&kind);
        let mut run = crowded(kind);
        let folder = tempfile::tempdir().unwrap();
        let ids = &["0a1b2c3d", "0a1b2c3e"][..if has_all { 2 } else { 1 }];
        for id in ids {
            run["id"] = json!(id);
            let path = folder.path().join(format!("{id}.jitterscope.json"));
            std::fs::write(path, run.to_string()).unwrap();
        }
        let lines = Store::at(folder.path()).lines().unwrap();
        assert!(
            lines.iter().all(|line| line.run.is_ok()),
            "{kind}: {:?}",
            lines[0].run.as_ref().err()
        );
        let mut harness = window(&folder);
        step_until(&mut harness, |app| app.session.library.count() == ids.len());
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
        check(&mut harness, &format!("{kind}: list"));
        if has_all {
            check_comparison(&mut harness, kind);
        }
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
        harness.run_steps(3);
        let rows: Vec<_> = harness.query_all_by_label_contains("Open crowded").collect();
        rows[0].click_accesskit();
        harness.run_steps(2);
        step_until(&mut harness, |app| app.page != PageId::Runs);
        check_all(&mut harness, &format!("{kind}: result"));
        if !has_all {
            continue;
        }
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
        harness.run_steps(2);
        step_until_shown(&mut harness, " found");
        check(&mut harness, &format!("{kind}: export"));
    }
}

#[test]
fn the_question_for_a_column_draws_what_can_be_seen_of_its_file() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = out.path().join("engine.csv");
    // More columns of a file are not read for the question.
    let line = |cell: &dyn Fn(usize) -> String| (0..1_000).map(cell).collect::<Vec<_>>().join(",");
    let mut text = line(&|number| format!("value {number}"));
    for row in 0..20 {
        text.push('\n');
        text.push_str(&line(&|number| (16_000 + number % 7 + row).to_string()));
    }
    std::fs::write(&path, text).unwrap();
    let mut harness = window(&folder);
    drop_on(&mut harness, &[path]);
    step_until(&mut harness, |app| app.session.imports.which_column().is_some());
    check(&mut harness, "which column");
    harness.get_by_label("at least 960 more columns");
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Frame time").click();
    check(&mut harness, "which column, its list");
}

#[test]
fn the_trend_of_many_pcs_draws_what_can_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    // One PC with a point per day, of which the last has many runs, and 39 PCs with one point each.
    let own = (1..=5).map(|day| (day, 0)).chain((0..60).map(|_| (5, 0)));
    for ((day, pc), id) in own.chain((1..40).map(|pc| (5, pc))).zip(0xb000..) {
        let mut run = run(id, "night", 100_000);
        run.machine.cpu_model = Some(format!("Model {pc}"));
        run.started_at = format!("2026-11-{day:02}T12:00:00Z").parse().unwrap();
        store.save(&run).unwrap();
    }
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 104);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num9);
    harness.run_steps(3);
    harness.get_by_label("Comparison, Trend").click();
    check(&mut harness, "trend");
    harness.get_by_label("28 more PCs: select one above.");
    let nodes = harness.root().children_recursive();
    let tables = nodes.filter(|node| node.accesskit_node().role() == egui::accesskit::Role::Grid);
    assert_eq!(tables.count(), 12);
}

#[test]
fn menus_draw_what_can_be_seen_of_crowded_settings() {
    let folder = tempfile::tempdir().unwrap();
    // The file of the settings may have 1 MiB.
    let hosts = (0..3_000)
        .map(|number| SavedHost { address: format!("pc-{number:04}"), ..SavedHost::default() });
    let settings = Settings { is_welcomed: true, hosts: hosts.collect(), ..Settings::default() };
    SettingsFile::at(folder.path()).save(&settings).unwrap();
    let path = folder.path().join("settings.json");
    let mut text: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let filters = (0..2_000).map(|number| {
        json!({ "name": format!("filter {number}"), "filter": { "words": format!("{number}") } })
    });
    text["filters"] = filters.collect();
    std::fs::write(&path, text.to_string()).unwrap();
    let mut harness = window_with_settings(&folder);
    assert_eq!(harness.state().session.settings().filters.len(), 2_000);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    harness.run_steps(3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::L);
    check(&mut harness, "hosts");
    harness.get_by_label_contains("pc-0000");
    assert!(harness.query_by_label_contains("pc-2999").is_none(), "it is not in view");
    harness.key_press(egui::Key::Escape);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    check(&mut harness, "filters");
}
