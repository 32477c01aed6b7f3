//! Each layout, printed from a made run with the figures of the documents of the reference tools, character by
//! character. The files beside this one hold these outputs.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::game_tick::ThreadCounts;
use jitterscope_engine::plan::work::CycleKind;
use jitterscope_engine::plan::{
    CpuChoice, FrameLoop, GameTick, Pace, Plan, Priority, RealTime, SleepAccuracy, SpinStrategies,
    SpinStrategy, Wait, Work,
};
use jitterscope_engine::platform::{CoreKind, Cpu};
use jitterscope_engine::report::{self, LiveLines, Options, Report};
use jitterscope_engine::run::{Run, TrialRun, counter};
use jitterscope_engine::sample::{Sample, Samples};

use crate::snapshots::made::run_of;

/// Returns the run of a preset whose trials `fill` fills.
fn run(plan: Plan, preset: &str, fill: impl Fn(&mut TrialRun)) -> Run {
    let preset = plan.presets().into_iter().find(|one| one.key == preset);
    let mut run = run_of(0, "", preset.map_or(plan, |preset| preset.plan), |_| false);
    for trial in &mut run.trials {
        trial.samples = Samples::default();
        trial.evidence = Vec::new();
        trial.counters.clear();
        fill(trial);
    }
    run
}

/// Returns the printed lines of both streams. The last one states what the method hides, and is not part of the
/// layout; `others` are further lines of this program.
fn printed(run: &Run, others: &[&str]) -> String {
    let report = Report::of(run, &Options::default());
    let mut lines = report::reference_lines(run, &report, false).unwrap();
    let last = lines.pop().unwrap();
    assert!(last.is_error && last.text.starts_with("this method hides "), "{last:?}");
    let is_other = |text: &str| others.iter().any(|other| text.contains(other));
    let lines = lines.iter().filter(|line| !line.is_error || !is_other(&line.text));
    lines.map(|line| format!("{}\n", line.text)).collect()
}

fn sample([began, due, woke, done]: [i64; 4], spins: u32) -> Sample {
    let [began, due, woke, done] = [began, due, woke, done].map(Nanos::new);
    Sample { began, due, slept: None, woke, done, spins, cpu: Some(0) }
}

/// Returns values with this minimum and maximum whose mean is `mean`: one of each, and others of equal size.
fn values([mean, min, max]: [i64; 3], count: i64) -> Vec<i64> {
    let others = (mean * count - min - max) / (count - 2);
    let mut values = vec![min, max];
    values.resize(usize::try_from(count).unwrap(), others);
    values
}

#[test]
fn frame_jitter_has_the_lines_of_its_document() {
    let rows = [
        (Priority::Normal, false, [0, 3, 52]),
        (Priority::AboveNormal, false, [0, 6, 524]),
        (Priority::Highest, false, [0, 0, 5]),
        (Priority::Highest, true, [0, 0, 11]),
        (Priority::TimeCritical, false, [0, 0, 3]),
        (Priority::TimeCritical, true, [0, 0, 9]),
    ];
    let mut run = run(Plan::FrameLoop(FrameLoop::default()), "gdt-cpus", |trial| {
        let conditions = trial.trial.conditions;
        let is_pinned = conditions.cpu != CpuChoice::Any;
        let is_row =
            |row: &&(Priority, bool, [i64; 3])| (row.0, row.1) == (conditions.priority, is_pinned);
        let [p50, p95, p99] = rows.iter().find(is_row).unwrap().2;
        let Pace::Grid { period, .. } = trial.trial.pace else { panic!("no frames") };
        let mut at = 0;
        // Positions 300, 570, and 594 of 600 sorted values are p50, p95, and p99.
        for slot in 0..600 {
            let micros = if slot < 570 {
                p50
            } else if slot < 594 {
                p95
            } else {
                p99
            };
            let due = at + period.get();
            let woke = due + micros * 1_000;
            trial.samples.push(&sample([at, due, woke, woke], 0));
            at = woke;
        }
        trial.counters.insert(counter::LOAD_THREADS.to_owned(), 4);
        if is_pinned {
            trial.applied.as_mut().unwrap().selected_cpu = Some(0);
        }
    });
    run.machine.cpu_brand = Some("Intel(R) Core(TM) i7-6700 CPU @ 3.40GHz".to_owned());
    run.machine.cpus = (0..8)
        .map(|logical| Cpu {
            logical,
            core: Some(logical % 4),
            package: Some(0),
            kind: CoreKind::Uniform,
            most_khz: None,
        })
        .collect();
    let text = printed(&run, &["RR 97"]);
    assert_eq!(text, include_str!("frame_jitter.txt"));
    // The real-time priorities differ from those of the tool, and a line states both.
    let report = Report::of(&run, &Options::default());
    let lines = report::reference_lines(&run, &report, false).unwrap();
    let differs = lines.iter().find(|line| line.text.contains("RR 97")).unwrap();
    assert!(differs.is_error && differs.text.contains("here they ran at RR 10 and FIFO 20"));
    // The pin is the first CPU of the first performance core.
    assert!(run.trials.iter().any(|one| one.trial.conditions.cpu == CpuChoice::FirstPerformance));
}

#[test]
fn native_sleep_accuracy_has_the_lines_of_its_document() {
    let idle =
        [[54_000, 8_700, 94_100], [55_100, 8_300, 60_400], [1_055_000, 1_054_000, 1_058_000]];
    let loaded =
        [[53_800, 7_100, 231_600], [58_000, 7_600, 3_300_000], [1_054_000, 1_053_600, 1_055_000]];
    let run = run(Plan::SleepAccuracy(SleepAccuracy::default()), "spin-sleep", |trial| {
        let Pace::After { length } = trial.trial.pace else { panic!("no sleeps") };
        let row = [1, 1_000, 1_000_000].iter().position(|&one| one == length.get()).unwrap();
        let figures = if trial.load.is_none() { idle[row] } else { loaded[row] };
        let count = i64::try_from(trial.trial.slot_count()).unwrap();
        assert_eq!(count, if row == 2 { 50 } else { 1_000 });
        let mut at = 0;
        for value in values(figures, count) {
            trial.samples.push(&sample([at, at + length.get(), at + value, at + value], 0));
            at += value;
        }
        if !trial.load.is_none() {
            trial.counters.insert(counter::LOAD_THREADS.to_owned(), 16);
        }
    });
    assert_eq!(printed(&run, &[]), include_str!("native_sleep_accuracy.txt"));
}

#[test]
fn spin_strategy_latency_has_the_lines_of_its_document() {
    let idle = [
        [(231_633, 5_000_039), (168_571, 5_000_041), (8_431, 5_000_323)],
        [(41_194, 900_039), (30_094, 900_044), (1_527, 900_349)],
        [(231, 5_033), (167, 5_063), (9, 5_229)],
        [(4, 129), (3, 132), (1, 625)],
    ];
    let loaded = [
        [(170_998, 5_374_337), (110_830, 5_385_263), (6_457, 5_000_448)],
        [(34_035, 900_045), (21_661, 900_051), (1_132, 900_540)],
        [(186, 5_180), (117, 5_124), (6, 5_621)],
        [(3, 128), (2, 131), (1, 898)],
    ];
    let run = run(Plan::SpinStrategies(SpinStrategies::default()), "spin-sleep", |trial| {
        let Pace::After { length } = trial.trial.pace else { panic!("no waits") };
        let Wait::SpinInstant(strategy) = trial.trial.wait else { panic!("not Instant") };
        let lengths = [5_000_000, 900_000, 5_000, 100];
        let row = lengths.iter().position(|&one| one == length.get()).unwrap();
        let column = SpinStrategy::ALL.iter().position(|&one| one == strategy).unwrap();
        let (spins, actual) =
            if trial.load.is_none() { idle[row][column] } else { loaded[row][column] };
        let mut at = 0;
        for _ in 0..100 {
            trial.samples.push(&sample([at, at + length.get(), at + actual, at + actual], spins));
            at += actual;
        }
        if !trial.load.is_none() {
            trial.counters.insert(counter::LOAD_THREADS.to_owned(), 16);
        }
    });
    assert_eq!(printed(&run, &[]), include_str!("spin_strategy_latency.txt"));
}

#[test]
fn latency2_has_the_lines_of_its_document() {
    let totals = |readings, sum, last, most, squares, wall| {
        [
            (counter::READINGS, readings),
            (counter::INTERVAL_SUM_NANOS, sum),
            (counter::INTERVAL_LAST_NANOS, last),
            (counter::INTERVAL_MOST_NANOS, most),
            (counter::INTERVAL_MIN_NANOS, 40),
            (counter::INTERVAL_SQUARES, squares),
            (counter::WALL_NANOS, wall),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    };
    let mut live = LiveLines::new(vec!["CPU 0".to_owned()], false);
    let mut text = String::new();
    for counters in [
        totals(1, 40, 40, 40, 0, 1_000),
        totals(396_915_411, 60_000_000_000, 1_000, 206_000, 26_000_000, 60_000_002_000),
    ] {
        let line = live.line(0, &counters).unwrap();
        text.push_str(&format!("{}\n", live.labeled(0, line)));
    }
    assert_eq!(text, include_str!("latency2.txt"));
}

#[test]
fn benchmarks_of_rsprot_have_the_lines_of_their_document() {
    // The mean of three iterations and half of the difference of the two others, in nanoseconds.
    let figures = |is_players: bool, threads| match (is_players, threads) {
        (true, 1) => (170_230_000, 398_930),
        (true, _) => (11_544_000, 8_441),
        (false, 1) => (64_195_000, 182_858),
        (false, _) => (10_904_000, 335_457),
    };
    let plan = GameTick { counts: ThreadCounts::Custom, custom: vec![32], ..GameTick::default() };
    let mut run = run(Plan::GameTick(plan), "none", |trial| {
        let Work::GameCycle(cycle) = trial.trial.work else { panic!("no cycles") };
        let is_players = cycle.kind == CycleKind::Players;
        let (mean, difference) = figures(is_players, cycle.threads);
        let nanos = mean + (i64::from(trial.trial.round) - 1) * difference;
        for turn in 0..10 {
            let began = turn * nanos;
            trial.samples.push(&sample([began, began, began, began + nanos], 0));
        }
    });
    run.machine.physical_cores = Some(16);
    let text = printed(&run, &["RSProt's JVM scores"]);
    assert_eq!(text, include_str!("rsprot.txt"));
}

/// Returns values of two sizes, with a minimum and a maximum, that have this mean and sample standard deviation.
/// Those below the mean are `below` it.
fn two_sizes([mean, std_dev, min, max]: [f64; 4], below: f64, count: usize) -> Vec<i64> {
    let others = (count - 2) as f64;
    let center = (mean * count as f64 - min - max) / others;
    let ends = (min - mean).powi(2) + (max - mean).powi(2);
    let variance = (std_dev * std_dev * (count as f64 - 1.0) - ends) / others;
    // The two sizes are `center − below` and `center + above`, and below × above is their variance.
    let above = variance / below;
    let share = below / (below + above);
    let mut values = vec![min, max];
    let mut high = 0.0;
    for index in 1..count - 1 {
        let is_high = high < share * index as f64;
        high += f64::from(u8::from(is_high));
        values.push(if is_high { center + above } else { center - below });
    }
    values.iter().map(|millis| (millis * 1e6).round() as i64).collect()
}

#[test]
fn realtime_threads_benchmarking_has_the_lines_of_its_document() {
    let run = run(Plan::RealTime(RealTime::default()), "holoscan", |trial| {
        let is_normal = trial.trial.conditions.priority == Priority::Normal;
        let (periods, executions) = if is_normal {
            ([16.6669, 0.2972, 7.9, 25.5], [0.1142, 0.034_96, 0.083, 0.348])
        } else {
            ([16.6660, 0.0488, 15.2, 16.9], [0.122, 0.038_8, 0.082, 0.276])
        };
        let spread = if is_normal { 0.1 } else { 0.04 };
        let periods = two_sizes(periods, spread, 1_955);
        let executions = two_sizes(executions, executions[0] - executions[2] - 0.001, 1_956);
        let starts = periods.iter().scan(0, |at, period| {
            *at += period;
            Some(*at)
        });
        for (woke, execution) in std::iter::once(0).chain(starts).zip(executions) {
            trial.samples.push(&sample([woke, woke, woke, woke + execution], 0));
        }
    });
    let Plan::RealTime(plan) = run.plan().unwrap() else { panic!("not a real-time test") };
    if !plan.pooled {
        return println!("skipped: the preset exists only on Linux");
    }
    let text = printed(&run, &[]);
    let expected = include_str!("holoscan.txt");
    let at = text.find("Benchmark Results:\n").unwrap_or(0);
    assert_eq!(&text[at..], expected);

    // The plots show both modes with the target, in full and within 5% of the target.
    let report = Report::of(&run, &Options::default());
    let [over_time, histograms] = report::reference_plots(&run, &report).unwrap();
    assert_eq!([over_time.name, histograms.name], ["timing_over_time", "simple_histograms"]);
    for file in [over_time, histograms] {
        let [full, zoomed, execution] = file.plots.as_slice() else { panic!("{file:?}") };
        for plot in [full, zoomed] {
            assert_eq!(plot.names().len(), 2);
            let [target] = plot.limits.as_slice() else { panic!("{:?}", plot.limits) };
            assert!((target.at - 1e9 / 60.0).abs() < 1.0);
        }
        assert!(execution.limits.is_empty() && execution.title == "Execution time");
        let axis = if file.name == "simple_histograms" { &zoomed.x } else { &zoomed.y };
        let shares = [axis.from, axis.to].map(|end| end / (1e9 / 60.0));
        assert!((shares[0] - 0.95).abs() < 1e-9 && (shares[1] - 1.05).abs() < 1e-9, "{shares:?}");
        let image = jitterscope_engine::export::stacked_plots(&file.plots);
        assert_eq!(image.matches("<svg ").count(), 4, "three plots in one image");
        assert!(image.contains("target"));
    }
}
