//! Tests of the real-time plan: presets, ranges, and durations.

use super::*;

#[test]
fn the_holoscan_method_has_a_pooled_baseline() {
    let Some(preset) =
        RealTime::default().presets().into_iter().find(|preset| preset.key == "holoscan")
    else {
        return assert!(!is_on("linux"));
    };
    let stages = preset.plan.probe().stages(&CpuFacts::default());
    let [normal, policy] = stages.as_slice() else { panic!("{} stages", stages.len()) };
    assert_eq!(normal.trials[0].label, "Normal, pooled");
    assert_eq!((normal.load.kind, policy.load.kind), (LoadKind::Pool, LoadKind::Calls));
    for load in [normal.load, policy.load] {
        assert_eq!((load.count, load.call.get()), (LoadCount::Threads(2), 20_000_000));
    }
    let Priority::Deadline(deadline) = policy.trials[0].conditions.priority else {
        panic!("not a deadline")
    };
    let times = [deadline.runtime, deadline.deadline, deadline.period].map(Nanos::get);
    assert_eq!(times, [1_666_666, 15_833_333, 16_666_667]);
}

#[test]
fn every_preset_but_the_reference_method_has_enough_pairs_for_a_grade() {
    for preset in
        RealTime::default().presets().into_iter().filter(|preset| preset.key != "holoscan")
    {
        let Plan::RealTime(plan) = &preset.plan else { panic!("{}", preset.key) };
        assert_eq!(plan.turn, Nanos::from_secs(2), "{}", preset.key);
        assert!(8 <= plan.blocks(), "{}: {} pairs", preset.key, plan.blocks());
    }
}

#[test]
fn deadline_rules_apply_only_to_deadline() {
    let plan = |policy| {
        let (runtime, deadline) = (Nanos::from_millis(2), Nanos::from_millis(1));
        RealTime { policies: vec![policy], runtime, deadline, ..RealTime::default() }
    };
    assert_eq!(plan(Priority::Fifo(10)).problems(), []);
    let [problem] = &plan(Priority::Deadline(UNFILLED)).problems()[..] else { panic!() };
    assert_eq!(problem.key, DEADLINE.field.key);
    let long = RealTime { runtime: Nanos::from_millis(12), ..plan(Priority::Fifo(10)) };
    assert_eq!(long.problems(), []);
}

#[test]
fn a_runtime_is_at_most_half_of_its_period_and_at_least_what_the_kernel_accepts() {
    let keys = |runtime, period| {
        let policies = vec![Priority::Deadline(UNFILLED)];
        let (runtime, deadline_period) = (Nanos::new(runtime), Nanos::new(period));
        let plan = RealTime { policies, runtime, deadline_period, ..RealTime::default() };
        plan.problems().iter().map(|problem| problem.key).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(keys(2_000_000, 4_000_000), none);
    assert_eq!(keys(2_000_001, 4_000_000), ["runtime"]);
    assert_eq!(keys(12_000_000, 30_000_000), none, "longer than half of a frame");
    assert_eq!(keys(0, 50_000), ["deadline-period"]);
    assert_eq!(keys(1_024, 0), ["runtime"]);
    assert_eq!(keys(2_000, 100_000), none);
    // An automatic runtime is at most the deadline.
    let policies = vec![Priority::Deadline(UNFILLED)];
    let plan = RealTime { policies, deadline: Nanos::new(1_000), ..RealTime::default() };
    let [problem] = &plan.problems()[..] else { panic!("{:?}", plan.problems()) };
    assert_eq!(problem.key, "deadline");
}

#[test]
fn work_ends_before_the_guard_of_real_time_threads() {
    let problems = |work| {
        let plan = RealTime { fps: 2.0, work: Nanos::from_millis(work), ..RealTime::default() };
        Plan::RealTime(plan).problems(&CpuFacts::default())
    };
    assert_eq!(problems(50), []);
    assert_eq!(problems(51).len(), 1, "{:?}", problems(51));
}

#[test]
fn the_plan_counts_the_time_to_calibrate_work_and_runtime() {
    let length = |plan: RealTime| Plan::RealTime(plan).duration(&CpuFacts::default());
    let deadline = |runtime| RealTime {
        policies: vec![Priority::Deadline(UNFILLED)],
        runtime,
        ..RealTime::default()
    };
    let (default, given) = (RealTime::default(), deadline(Nanos::from_millis(2)));
    let without_work = RealTime { work: Nanos::ZERO, ..RealTime::default() };
    assert_eq!(length(default.clone()) - length(without_work), Work::CALIBRATION);
    assert_eq!(length(given.clone()), length(default.clone()));
    // The calibration runs the work of 100 µs 300 times before each block.
    let calibrated = Nanos::from_millis(30) * i64::from(default.blocks());
    assert_eq!(length(deadline(Nanos::ZERO)) - length(given), calibrated);
}

#[test]
fn deadline_times_are_in_order_and_a_pool_has_calls() {
    let cpus = CpuFacts { usable: vec![0], ..CpuFacts::default() };
    let keys = |plan: &RealTime| -> Vec<&str> {
        Plan::RealTime(plan.clone()).problems(&cpus).iter().map(|problem| problem.key).collect()
    };
    let plan = RealTime {
        policies: vec![Priority::Deadline(UNFILLED)],
        runtime: Nanos::from_millis(2),
        deadline: Nanos::from_millis(10),
        ..RealTime::default()
    };
    assert!(keys(&plan).is_empty());
    assert_eq!(keys(&RealTime { deadline: Nanos::from_millis(1), ..plan.clone() }), ["deadline"]);
    let short = RealTime { deadline_period: Nanos::from_millis(9), ..plan.clone() };
    assert_eq!(keys(&short), ["deadline"]);
    assert_eq!(keys(&RealTime { pooled: true, load: Load::NONE, ..plan }), ["pooled"]);
}

#[test]
fn older_settings_have_no_pool_and_calls_of_20_ms() {
    let mut old = serde_json::to_value(RealTime::default()).unwrap();
    for key in ["deadline_nanos", "deadline_period_nanos", "pooled"] {
        assert!(old.as_object_mut().unwrap().remove(key).is_some(), "{key}");
    }
    assert!(old["load"].as_object_mut().unwrap().remove("call_nanos").is_some());
    assert_eq!(serde_json::from_value::<RealTime>(old).unwrap(), RealTime::default());
}

#[test]
fn normal_and_real_time_take_turns() {
    let plan = RealTime {
        time_each: Nanos::from_secs(10),
        turn: Nanos::from_secs(5),
        policies: vec![Priority::Fifo(10), Priority::Deadline(UNFILLED)],
        ..RealTime::default()
    };
    let stages = plan.stages(&CpuFacts::default());
    let labels: Vec<_> = stages
        .iter()
        .map(|stage| (stage.trials[0].label.as_str(), stage.trials[0].round))
        .collect();
    assert_eq!(
        labels,
        [
            ("Normal", 0),
            ("FIFO 10", 0),
            ("DEADLINE", 0),
            ("Normal", 1),
            ("FIFO 10", 1),
            ("DEADLINE", 1)
        ]
    );
    let Priority::Deadline(deadline) = stages[2].trials[0].conditions.priority else {
        panic!("not a deadline")
    };
    assert_eq!(deadline.period, Nanos::new(16_666_667));
    assert_eq!(stages[0].trials[0].slot_count(), 300);
}
