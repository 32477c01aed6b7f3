//! Trends: one metric over days and builds, on the command line and in the window.

use std::process::{Command, Output};

use egui_kittest::kittest::Queryable as _;
use jitterscope::PageId;
use jitterscope_engine::run::Run;
use jitterscope_engine::store::Store;

use super::compare::{run, said};
use super::window::{step_until, window};

/// Saves one run per night, of which each twentieth frame is late by these µs, with the tag of its build.
fn folder(delays: &[i64]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for (delay, day) in delays.iter().zip(1_u32..) {
        store.save(&night(day, *delay)).unwrap();
    }
    folder
}

fn night(day: u32, delay_micros: i64) -> Run {
    let mut run = run(0xa000 + day, &format!("night {day}"), delay_micros * 1_000);
    run.machine.kernel = Some("6.8.0".to_owned());
    run.started_at = format!("2026-11-{day:02}T12:00:00Z").parse().unwrap();
    run.tags = vec![format!("build:{}", 1_833 + day), "nightly".to_owned()];
    run
}

const STEADY: [i64; 10] = [100, 103, 98, 101, 100, 97, 102, 99, 101, 100];
const STEP: [i64; 10] = [100, 103, 98, 101, 100, 97, 102, 99, 140, 141];

fn trend(folder: &tempfile::TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(super::cli::program());
    command.arg("--data-dir").arg(folder.path()).arg("trend").args(args);
    command.output().unwrap()
}

#[test]
fn condition_is_true_only_after_a_change_of_the_level() {
    let (steady, step) = (folder(&STEADY), folder(&STEP));
    let single = folder(&[100, 103, 98, 101, 100, 97, 102, 99, 101, 140]);
    let few = folder(&STEP[..4]);
    let empty = tempfile::tempdir().unwrap();
    for (folder, args, status, error) in [
        (&steady, vec!["--fail-if", "worse", "--fail-if", "p99>+20%"], 0, ""),
        (&step, vec!["--fail-if", "worse"], 3, "--fail-if worse: true\n  p99 lateness rose by 3"),
        (&step, vec!["--metric", "p99", "--fail-if", "p99>+20%"], 3, "on 9 Nov 2026."),
        (&step, vec!["--metric", "p99", "--fail-if", "p99>+80%"], 0, ""),
        (&step, vec!["--fail-if", "worse", "--min-effect", "90%"], 0, ""),
        (&step, vec!["--fail-if", "slightly-worse", "--min-effect", "90%"], 3, "Slightly worse."),
        (&step, vec!["--metric", "p50", "--fail-if", "worse"], 0, ""),
        (&single, vec!["--fail-if", "worse"], 0, ""),
        (
            &single,
            vec!["--fail-if", "p99>+20%"],
            4,
            "10 Nov 2026 is beyond the limit, but the level did not change.",
        ),
        (&single, vec!["--fail-if", "p99>+20%", "--undecided", "pass"], 0, "undecided"),
        (&few, vec!["--fail-if", "worse"], 4, "Needs 5 points; 4 so far."),
        (&few, vec!["--fail-if", "worse", "--undecided", "fail"], 3, "Needs 5 points"),
        (&step, vec!["--fail-if", "p95>+20%"], 1, "this trend is of p99; add --metric"),
        (
            &step,
            vec!["--metric", "p98"],
            1,
            "no run has the metric 'p98'; these runs have 1%-low, late, mean",
        ),
        (&step, vec!["--by", "tag:driver:"], 1, "no run has a tag that begins with 'driver:'"),
        (
            &step,
            vec!["--by", "month"],
            2,
            "invalid points 'month': expected date, run, or tag:PREFIX",
        ),
        (&step, vec!["--filter", "tag:weekly"], 1, "no finished runs for a trend"),
        (&step, vec!["--like", "ffff"], 1, "run 'ffff' is not among the finished runs"),
        (&empty, vec![], 1, "no finished runs for a trend"),
    ] {
        let output = trend(folder, &args);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{args:?}: {text} {}", said(&output));
        assert!(text.contains(error) && text.is_empty() == error.is_empty(), "{args:?}: {text}");
    }
    // A run of the new level that is tagged as the baseline accepts the change.
    let mut accepted = night(11, 140);
    accepted.tags.push("baseline".to_owned());
    Store::at(step.path()).save(&accepted).unwrap();
    assert_eq!(trend(&step, &["--fail-if", "worse"]).status.code(), Some(0));
}

#[test]
fn every_format_names_the_change_and_has_every_point() {
    let folder = folder(&STEP);
    let by_build = |format: &str| {
        let output = trend(&folder, &["--by", "tag:build:", "--format", format]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        said(&output)
    };
    for format in ["table", "markdown", "html"] {
        let text = by_build(format);
        for expected in
            ["rose by 3", "with build:1842", "build:1834", "95% CI", "Worse", "tag:build:"]
        {
            assert!(text.contains(expected), "{format}: {expected}: {text}");
        }
    }
    assert!(
        by_build("html").contains("class=\"plot") && by_build("html").contains("1 of 100 months")
    );
    let svg = by_build("svg");
    assert!(
        svg.starts_with("<svg")
            && svg.contains("1842")
            && svg.contains("class='band'")
            && svg.contains("★ Baseline "),
        "{svg}"
    );
    let csv = by_build("csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 11, "{csv}");
    assert!(lines[0].starts_with("metric,unit,machine,point,first_run_id,"), "{csv}");
    assert!(lines[10].contains(",build:1843,0000a00a,") && lines[10].contains(",worse,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&by_build("json")).unwrap();
    assert_eq!(json["format"], "jitterscope-trend");
    let line = &json["lines"][0];
    assert_eq!(line["changes"][0]["point"], "build:1842");
    assert_eq!(line["points"].as_array().unwrap().len(), 10);
    let value = line["points"][9]["value"].as_f64().unwrap();
    assert!((140e3..162e3).contains(&value), "{value}");
    let ratio = line["changes"][0]["ratio"].as_f64().unwrap();
    let [low, high] = [0, 1].map(|end| line["changes"][0]["interval_95"][end].as_f64().unwrap());
    let change = line["changes"][0]["change"].as_f64().unwrap();
    assert!(low < change && change < high && 0.3 < ratio && ratio < 0.4, "{ratio} {low} {high}");
}

#[test]
fn window_shows_the_trend_of_a_run_and_opens_its_points() {
    let folder = folder(&STEP);
    let mut harness = window(&folder);
    step_until(&mut harness, |app| app.session.library.count() == 10);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num9);
    harness.run_steps(3);
    assert_eq!(harness.state().page, PageId::Compare);
    harness.get_by_label("Comparison, Trend").click();
    harness.run_steps(3);
    let has = |harness: &egui_kittest::Harness<'_, jitterscope::App>, text: &str| {
        harness.query_all_by_label_contains(text).next().is_some()
    };
    assert!(has(&harness, "p99 lateness rose by 3"));
    assert!(has(&harness, "false in 1 of 100 months"));
    for size in [[1000.0, 640.0], [1440.0, 900.0]] {
        for theme in [egui::Theme::Dark, egui::Theme::Light] {
            harness.ctx.set_theme(theme);
            harness.set_size(egui::Vec2::from(size));
            harness.run_steps(3);
        }
    }
    harness.get_by_label("9 Nov 2026, Date: 9 Nov 2026").click();
    harness.run_steps(3);
    harness.get_by_label("Open run 0000a009").click();
    step_until(&mut harness, |app| app.page != PageId::Compare);
    assert_eq!(harness.state().page, PageId::Test("frame-loop"));
}

#[test]
fn window_without_runs_or_with_few_states_what_is_missing() {
    let empty = tempfile::tempdir().unwrap();
    for (folder, expected) in
        [(&empty, "No trend yet"), (&folder(&STEP[..3]), "Needs 5 points; 3 so far.")]
    {
        let mut harness = window(folder);
        step_until(&mut harness, |app| app.session.library.items.is_some());
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num9);
        harness.run_steps(3);
        harness.get_by_label("Comparison, Trend").click();
        harness.run_steps(3);
        assert!(harness.query_all_by_label_contains(expected).next().is_some(), "{expected}");
    }
}
