//! Three to six groups of runs, each compared with the first one, in one comparison.

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::{App, Progress};
use jitterscope_engine::report::comparison::{MinEffect, Overall};
use jitterscope_engine::report::{self, Comparison, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::Outcome;
use jitterscope_engine::store::Store;
use jitterscope_engine::store::repeats::{self, History};
use serde_json::Value;

use super::compare::run;
use super::window::{step_until, window};

/// Returns three runs with this delay of every 20th frame, which differs a bit from run to run.
fn group(first: u32, delay: i64) -> [Run; 3] {
    [0, 1, 2].map(|at| {
        let varied = delay + delay / 50 * i64::from(at);
        run(first + at, &format!("run {first}-{at}"), varied)
    })
}

fn compared(groups: &[&[Run]]) -> Comparison {
    let runs: Vec<&Run> = groups.iter().copied().flatten().collect();
    let reports: Vec<Report> =
        runs.iter().map(|run| Report::of(run, &report::Options::default())).collect();
    let evaluated: Vec<(&Run, &Report)> = runs.into_iter().zip(&reports).collect();
    let counts: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    repeats::compare(&evaluated, Some(&counts), History::Fixed, MinEffect::default())
}

#[test]
fn every_group_is_compared_with_the_first_and_all_changes_are_corrected_together() {
    let (a, b, c) = (group(0xa0, 500_000), group(0xb0, 500_000), group(0xc0, 2_000_000));
    let all = compared(&[&a, &b, &c]);
    assert_eq!(all.count, 3);
    assert_eq!(all.obstacle, None);
    assert_eq!(all.outcome(2), Overall::Of(Outcome::Worse));
    assert_ne!(all.outcome(1), Overall::Of(Outcome::Worse));
    let (mut wider, mut counted) = (0, 0);
    for (other, side) in [(&b, 1), (&c, 2)] {
        let pair = compared(&[&a, other]);
        let rows = all.rows.iter().zip(&pair.rows);
        let figures = rows.flat_map(|(all, pair)| all.figures.iter().zip(&pair.figures));
        for (figure, alone) in figures {
            assert_eq!(figure.metric.key, alone.metric.key);
            assert_eq!(figure.values.len(), 3);
            assert_eq!(figure.values[0], alone.values[0], "{}", figure.metric.key);
            assert_eq!(figure.values[side], alone.values[1], "{}", figure.metric.key);
            let (Some(together), Some(alone)) = (figure.deltas[side], alone.deltas[1]) else {
                continue;
            };
            // The change is that of the two groups alone; its interval also allows for the other group.
            assert_eq!(together.effect.difference, alone.effect.difference);
            let both = together.effect.interval.zip(alone.effect.interval);
            let Some(((low, high), (low_alone, high_alone))) = both else { continue };
            assert!(low <= low_alone && high_alone <= high, "{}", figure.metric.key);
            wider += usize::from(low < low_alone);
            counted += 1;
        }
    }
    assert!(0 < wider && 8 <= counted, "{wider} of {counted}");
}

#[test]
fn the_command_line_compares_up_to_six_groups_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let delays = [500_000, 500_000, 2_000_000, 500_000, 500_000, 500_000];
    for (delay, group_number) in delays.into_iter().zip(0xa0_u32..) {
        for mut run in group(group_number << 4, delay) {
            run.tags = vec![format!("build:{group_number:x}")];
            store.save(&run).unwrap();
        }
    }
    let said = |arguments: &[&str]| {
        let output = super::cli::run(&folder, &[&["compare"], arguments].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let three = ["--a", "tag:build:a0", "--b", "tag:build:a1", "--c", "tag:build:a2"];
    let (status, json, error) = said(&[&three[..], &["--format", "json"]].concat());
    assert_eq!(status, Some(0), "{error}");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["groups"], serde_json::json!([3, 3, 3]));
    assert_eq!(json["outcomes"][0], Value::Null);
    assert_eq!(json["outcomes"][2], "worse");
    let (_, table, _) = said(&three);
    for words in ["Changes from A to B and C", "C with A", "3 runs of A, 3 of B, and 3 of C"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    // What Repeat with prints gives the same result.
    let command = table.split("jitterscope-cli compare ").nth(1).unwrap();
    let command = command.lines().next().unwrap().trim_end_matches(['`', '.']);
    assert!(command.contains(" --c "), "{command}");
    let arguments: Vec<&str> = command.split_whitespace().collect();
    let (status, again, error) = said(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(status, Some(0), "{command}: {error}");
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["configurations"], json["configurations"]);
    for format in ["markdown", "html"] {
        let (status, text, error) = said(&[&three[..], &["--format", format]].concat());
        assert_eq!(status, Some(0), "{error}");
        assert!(text.contains("Changes from A to B and C"), "{text}");
        assert!(!text.contains("Changes from A to C"), "{text}");
    }
    // A condition holds for every group, and six groups are the most.
    let six = ["--d", "tag:build:a3", "--e", "tag:build:a4", "--f", "tag:build:a5"];
    let (status, _, error) = said(&[&three[..], &six, &["--fail-if", "worse"]].concat());
    assert!(status == Some(3) && error.contains("--fail-if worse: true"), "{error}");
    let (status, _, error) = said(&["--a", "tag:build:a0", "--c", "tag:build:a2"]);
    assert!(status == Some(2) && error.contains("--b <RUN>"), "{error}");
    let (status, _, error) = said(&[&three[..4], &["--c", "tag:build:a0"]].concat());
    assert!(status == Some(1) && error.contains("in two groups"), "{error}");
}

/// Selects an entry of a combo box.
pub(super) fn pick(harness: &mut Harness<'_, App>, field: &str, entry: &str) {
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, field).click();
    harness.run_steps(4);
    let found = harness
        .query_all_by_role(egui::accesskit::Role::Button)
        .filter(|node| node.accesskit_node().label().is_some_and(|label| label.starts_with(entry)));
    let found: Vec<_> = found.collect();
    assert_eq!(found.len(), 1, "{field}: {entry}");
    found[0].click();
    harness.run_steps(4);
}

#[test]
fn the_window_compares_groups_by_tag_and_adds_a_third_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for (delay, number) in [500_000, 500_000, 2_000_000].into_iter().zip(0xa0_u32..) {
        for mut run in group(number << 4, delay) {
            run.tags = vec![format!("build:{number:x}")];
            store.save(&run).unwrap();
        }
    }
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 9);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num9);
    harness.run_steps(4);
    pick(&mut harness, "Group A", "build:a0 · 3 runs");
    pick(&mut harness, "Group B", "build:a1 · 3 runs");
    harness.get_by_role_and_label(egui::accesskit::Role::Button, "Compare groups").click();
    let count = |app: &App| match &app.session.comparing.progress {
        Progress::Done(compared) => compared.comparison.count,
        _ => 0,
    };
    step_until(&mut harness, |app| count(app) == 2);
    // The third group is compared with A as well, and all changes are in one table.
    harness.run_steps(4);
    pick(&mut harness, "Add a group", "build:a2 · 3 runs");
    step_until(&mut harness, |app| count(app) == 3);
    harness.set_size(egui::vec2(1440.0, 2400.0));
    harness.run_steps(4);
    for text in ["p99, Compared: B", "p99, Compared: C", "p99, Result: Worse"] {
        assert!(0 < harness.query_all_by_label(text).count(), "{text}");
    }
    // Single runs and groups have a tab each, and other groups can be selected while some are compared.
    harness.get_by_label("Comparison, Runs").click();
    harness.run_steps(4);
    harness.get_by_label("Nothing to compare yet");
    assert_eq!(harness.query_all_by_label("p99, Result: Worse").count(), 0);
    harness.get_by_label("Comparison, Groups").click();
    harness.run_steps(4);
    harness.get_by_label("Select other groups").click();
    harness.run_steps(4);
    pick(&mut harness, "Group A", "build:a2 · 3 runs");
    harness.get_by_label("Cancel").click();
    harness.run_steps(4);
    assert_eq!(count(harness.state()), 3);
    // Runs that are selected in the list become group D, and are no longer in group C.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num8);
    harness.run_steps(4);
    // The marks of the groups stay at their runs, whatever is selected.
    for group in ["Group A", "Group B", "Group C"] {
        assert_eq!(harness.query_all_by_label(group).count(), 3, "{group}");
    }
    harness.get_by_label("Select run 2592-0").click();
    harness.run_steps(4);
    harness.get_by_label("Set as D").click();
    step_until(&mut harness, |app| count(app) == 4);
    let Progress::Done(compared) = &harness.state().session.comparing.progress else {
        panic!("the groups are compared")
    };
    assert_eq!(compared.group_counts, Some(vec![3, 3, 2, 1]));
    for size in [[1000.0, 640.0], [720.0, 450.0], [1440.0, 900.0]] {
        harness.set_size(egui::Vec2::from(size));
        harness.run_steps(3);
    }
    // A group is removed, and another one is the baseline.
    harness.get_by_label("Remove group B").click();
    step_until(&mut harness, |app| count(app) == 3);
    harness.get_by_label("Make C the baseline").click();
    harness.run_steps(2);
    step_until(&mut harness, |app| count(app) == 3);
    let Progress::Done(compared) = &harness.state().session.comparing.progress else {
        panic!("the groups are compared")
    };
    assert_eq!(compared.group_counts, Some(vec![1, 3, 2]));
}
