//! Tests the rows of the dataset export with runs built in the tests.

use super::*;
use crate::plan::{FrameLoop, Plan, Tail, Wait, WhatHelps};
use crate::report::ChangeEffect;
use crate::report::tests::test_run::{run_of, wait};
use crate::run::{Group, TrialRun};
use crate::sample::Samples;

const PERIOD: i64 = 16_666_667;

fn late(trial: &mut TrialRun) {
    let wait = |k: i64| wait(k * PERIOD, PERIOD, 50_000 + k % 7 * 1_000);
    trial.samples = (1..=120).map(wait).collect::<Samples>();
}

fn text(row: &Row, key: &str) -> String {
    match row.value(key) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

fn row(run: &Run) -> Row {
    let (options, salt) = (Options::default(), Salt::none());
    Source::new(run, &options, &salt, run.started_at).runs().remove(0)
}

#[test]
fn the_baseline_of_changes_has_no_effect() {
    let run = run_of(Plan::WhatHelps(WhatHelps::default()), late);
    let (options, salt) = (Options::default(), Salt::none());
    let source = Source::new(&run, &options, &salt, run.started_at);
    assert!(!source.report.results::<ChangeEffect>().is_empty());
    let rows = source.runs();
    for row in &rows {
        let is_baseline = text(row, "configuration") == "Baseline";
        assert_eq!(row.value("effect_share").is_none(), is_baseline, "{row:?}");
    }
    assert!(1 < rows.len());
}

#[test]
fn settings_of_two_checks_are_the_same_whatever_tail_each_found() {
    let of = |tail, group: bool| {
        let plan = FrameLoop { wait: Wait::Hybrid(tail), ..FrameLoop::default() };
        let run = run_of(Plan::FrameLoop(plan), late);
        let group = group.then(|| Group {
            id: run.id.clone(),
            part: "frame-idle".to_owned(),
            skipped: Vec::new(),
        });
        text(&row(&Run { group, ..run }), "settings_key")
    };
    let [one, other] =
        [300, 450].map(|micros| Tail::Fixed(crate::nanos::Nanos::from_micros(micros)));
    assert_eq!(of(one, true), of(other, true));
    assert_ne!(of(one, false), of(other, false));
}

#[test]
fn the_host_is_that_of_the_pc_that_measured() {
    let run = run_of(Plan::FrameLoop(FrameLoop::default()), late);
    let mut options = Options::default();
    options.included_names.host = true;
    let salt = Salt::none();
    let host =
        |run: &Run| text(&Source::new(run, &options, &salt, run.started_at).runs()[0], "host");
    assert_eq!(host(&run), "", "the hardware of a made run is not that of this PC");
    let remote = Run { host: Some("qa@Lab-7.example".to_owned()), ..run };
    assert_eq!(host(&remote), "lab-7");
}
