//! The noise floor of runs with the same settings: which runs are included, and that it is the same
//! everywhere.

use egui_kittest::kittest::Queryable as _;
use jitterscope_engine::plan::{FrameLoop, Plan};
use jitterscope_engine::report::Metric;
use jitterscope_engine::report::comparison::NoiseFloor;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats::repeat_tag;

use super::compare::{compare, folder, run, said};
use super::window::{step_until, window};

#[test]
fn saved_runs_with_the_same_settings_are_the_noise_floor() {
    let folder = folder();
    let store = Store::at(folder.path());
    let of = |args: &[&str]| -> serde_json::Value {
        let output = compare(&folder, &[args, &["--format", "json"]].concat());
        serde_json::from_str(&said(&output)).unwrap()
    };
    let json = of(&["before", "after"]);
    assert_eq!((&json["noise_floor_repeats"], &json["outcomes"][1]), (&0.into(), &"worse".into()));
    // Add two runs without tags, which count, and a stopped run and a run with another setting, which do not.
    store.save(&run(0xd4, "third", 0)).unwrap();
    store.save(&run(0xe5, "fourth", 0)).unwrap();
    store.save(&Run { ending: Ending::Stopped, ..run(0xf6, "stopped", 0) }).unwrap();
    let mut other = run(0xa7, "other", 0);
    let Some(Plan::FrameLoop(plan)) = other.plan().cloned() else { panic!("{other:?}") };
    other.subject = Plan::FrameLoop(FrameLoop { fps: 61.0, ..plan }).into();
    store.save(&other).unwrap();
    let json = of(&["before", "after"]);
    assert_eq!((&json["noise_floor_repeats"], &json["outcomes"][1]), (&4.into(), &"worse".into()));
    let json = of(&["before", "again"]);
    assert_eq!(json["noise_floor_repeats"], 3, "what is compared says nothing of itself");
    assert_ne!(json["outcomes"][1], "worse");
    let table = said(&compare(&folder, &["before", "after"]));
    assert!(table.contains("B is worse: "), "{table}");
    assert!(table.contains("Noise floor: from 4 saved runs"), "{table}");
}

#[test]
fn runs_of_another_pc_of_the_same_model_are_no_part_of_the_noise() {
    let folder = folder();
    let store = Store::at(folder.path());
    for (id, name) in [(0xd4, "lab-a"), (0xe5, "lab-b"), (0xf6, "lab-c"), (0xa7, "lab-d")] {
        store.save(&Run { host: Some("lab1".to_owned()), ..run(id, name, 0) }).unwrap();
    }
    // The comparison leaves out the name of the host, and its noise floor is that of the host even so.
    for (args, expected) in [(["lab-a", "lab-b"], 3), (["before", "after"], 0)] {
        let output = compare(&folder, &[&args[..], &["--format", "json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&said(&output)).unwrap();
        assert_eq!(json["noise_floor_repeats"], expected, "{args:?}");
        assert!(!json.to_string().contains("lab1"));
    }
}

#[test]
fn runs_after_the_baseline_are_no_part_of_its_noise() {
    let folder = folder();
    let store = Store::at(folder.path());
    for (id, hour) in [(0xd4, 11), (0xe5, 13), (0xf6, 14)] {
        let started_at = format!("2026-11-20T{hour}:00:00Z").parse().unwrap();
        store.save(&Run { started_at, ..run(id, "", 0) }).unwrap();
    }
    let output = compare(&folder, &["before", "after", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&said(&output)).unwrap();
    // The run itself, the one that started at the same time, and the one that started an hour earlier.
    assert_eq!(json["noise_floor_repeats"], 3);
}

#[test]
fn noise_floor_of_three_repeats_is_one_number_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let runs = [(0xd1, 50_000), (0xd2, 90_000), (0xd3, 140_000)].map(|(id, delay)| {
        let mut run = run(id, &format!("repeat {id:x}"), delay);
        run.started_at = format!("2026-11-20T{}:00:00Z", id - 0xd1 + 10).parse().unwrap();
        run.tags = vec![repeat_tag(id - 0xd0, 3)];
        if id == 0xd3 {
            run.tags.push("baseline".to_owned());
        }
        store.save(&run).unwrap();
        run
    });
    // The value that the command line prints after the last repeat.
    let floor = NoiseFloor::of_runs(&runs).unwrap();
    let p99 = floor.variations.iter().find(|one| one.metric == Metric::P99).unwrap().noise;
    let of = |run: &Run| store.noise_floor(run, &[]).unwrap();
    assert!(of(&runs[0]).is_none() && of(&runs[1]).is_none(), "later repeats do not count");
    let last = of(&runs[2]).unwrap();
    assert_eq!(last.noise(&floor.variations[0].label, &Metric::P99), Some(p99));
    let output = compare(&folder, &["repeat d3", "repeat d2", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&said(&output)).unwrap();
    let figures = json["configurations"][0]["figures"].as_array().unwrap();
    let figure = figures.iter().find(|figure| figure["metric"] == "p99").unwrap();
    assert_eq!((&figure["noise_floor"], &json["noise_floor_repeats"]), (&p99.into(), &3.into()));
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 3);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(3);
    harness.get_by_label("Select repeat d2").click();
    harness.run_steps(3);
    harness.get_by_label_contains("No clear difference from the baseline (");
}

/// Groups that were measured one after the other differ by session, by as much as earlier sessions did. The runs that are
/// compared, and later ones, do not show it.
#[test]
fn earlier_sessions_show_how_much_sessions_differ() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let save = |id: u32, day: i32, minute: i32, delay: i64| {
        let started_at = format!("2026-11-{day:02}T10:{minute:02}:00Z").parse().unwrap();
        store.save(&Run { started_at, ..run(id, &format!("of {id:x}"), delay) }).unwrap();
    };
    let nights = [5_000, 40_000, 10_000, 60_000, 20_000, 50_000, 30_000];
    for (day, delay) in (1..).zip(nights) {
        for minute in 0..2 {
            let id = 0xa00 + 16 * u32::try_from(day).unwrap() + u32::try_from(minute).unwrap();
            save(id, day, minute, delay);
        }
    }
    // The last of these nights is A; B is the next one, and another one is far from all others.
    (0..2).for_each(|minute| save(0xb00 + u32::try_from(minute).unwrap(), 8, minute, 35_000));
    (0..2).for_each(|minute| save(0xc00 + u32::try_from(minute).unwrap(), 9, minute, 900_000));
    let prior = |b: [&str; 2]| -> String {
        let args = [&["--a", "of a70", "of a71", "--b"], &b[..], &["--format", "json"]].concat();
        let json: serde_json::Value =
            serde_json::from_str(&said(&compare(&folder, &args))).unwrap();
        json["prior_option"].as_str().unwrap().to_owned()
    };
    let near = prior(["of b00", "of b01"]);
    let sessions = |prior: &str| -> Vec<String> {
        prior.split(',').filter(|it| it.starts_with("session.")).map(str::to_owned).collect()
    };
    assert!(sessions(&near).iter().any(|it| it.starts_with("session.p99=")), "{near}");
    assert!(sessions(&near).iter().all(|it| it.ends_with(":6")), "7 sessions: {near}");
    assert_eq!(sessions(&prior(["of c00", "of c01"])), sessions(&near));
    // The same with what was printed, whatever is saved.
    let given = ["--a", "of a70", "of a71", "--b", "of b00", "of b01", "--prior", &near];
    let table = said(&compare(&folder, &given));
    assert!(table.contains("that of earlier sessions of one setting"), "{table}");
}
