//! Lines, levels, and changes of made runs.

use std::collections::BTreeMap;

use super::*;
use crate::stats::Outcome;

/// A made run: the day on which it began, its machine, its value in µs, its tags, and what disturbed it.
type MadeRun = (i64, &'static str, f64, Vec<String>, &'static str);

struct MadeRuns {
    all: Vec<MadeRun>,
    ids: Vec<String>,
    values: Vec<ValuesByLabel>,
}

impl MadeRuns {
    fn new(all: Vec<MadeRun>) -> Self {
        let of = |(at, run): (usize, &MadeRun)| {
            let values = |factor: f64| BTreeMap::from([("p99".to_owned(), run.2 * 1e3 * factor)]);
            let values = BTreeMap::from([
                ("High".to_owned(), values(0.5)),
                ("Normal".to_owned(), values(1.0)),
            ]);
            (format!("run{at}"), values)
        };
        let (ids, values) = all.iter().enumerate().map(of).unzip();
        Self { all, ids, values }
    }

    fn runs(&self) -> Vec<TrendRun<'_>> {
        let all = self.all.iter().zip(&self.ids).zip(&self.values);
        all.map(|(((day, machine, _, tags, disturbed), id), values)| TrendRun {
            id,
            name: "",
            note: "",
            tags,
            test: "frame-loop",
            settings: "--fps 60",
            machine,
            started_at: Timestamp::from_second(day * 86_400 + 3_600).unwrap(),
            disturbed,
            key: None,
            values: Some(values),
        })
        .collect()
    }
}

fn query(by: TrendBy) -> TrendQuery {
    TrendQuery {
        metric: Some("p99".to_owned()),
        label: Some("Normal".to_owned()),
        by,
        ..TrendQuery::default()
    }
}

fn daily(values: &[f64]) -> MadeRuns {
    let run = |(day, &micros): (i64, &f64)| (day, "a", micros, Vec::new(), "");
    MadeRuns::new((0..).zip(values).map(run).collect())
}

const STEP: [f64; 12] =
    [100.0, 102.0, 99.0, 101.0, 100.0, 98.0, 101.0, 99.0, 118.0, 119.0, 117.0, 120.0];

#[test]
fn level_that_rose_by_18_percent_is_one_change_with_its_interval() {
    let made = daily(&STEP);
    let trend = Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap();
    let [line] = trend.lines.as_slice() else { panic!("{trend:?}") };
    let [change] = line.changes.as_slice() else { panic!("{:?}", line.changes) };
    assert_eq!((change.point, line.points[8].name.as_str()), (8, "9 Jan 1970"));
    assert_eq!(change.delta.result, Outcome::Worse);
    // The geometric means are 99.992 and 118.495 µs.
    assert!((change.delta.ratio.unwrap() - 0.185_04).abs() < 1e-4, "{change:?}");
    let (low, high) = change.delta.relative_interval().unwrap();
    assert!(0.16 < low && low < 0.185_04 && 0.185_04 < high && high < 0.21, "{low} {high}");
    assert_eq!(line.current().map(|delta| delta.result), Some(Outcome::Worse));
    let outcomes: Vec<_> = line.points.iter().map(|point| line.outcome(point)).collect();
    assert_eq!(outcomes[..8], [None; 8]);
    assert_eq!(outcomes[8..], [Some(Outcome::Worse); 4]);
    // Where 25% matters, the same change is slight.
    let minimum = MinEffect { share: Some(0.25), points: None };
    let slight = Trend::new(&made.runs(), &TrendQuery { minimum, ..query(TrendBy::Date) }).unwrap();
    assert_eq!(slight.lines[0].changes[0].delta.result, Outcome::SlightlyWorse);
}

#[test]
fn baseline_is_the_level_of_the_newest_run_that_has_the_tag() {
    let mut made = daily(&STEP);
    made.all[3].3 = vec![BASELINE.to_owned()];
    let trend = Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap();
    assert_eq!(trend.lines[0].baseline, 0);
    // A later run of the new level accepts the change.
    made.all[9].3 = vec![BASELINE.to_owned()];
    let trend = Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap();
    let line = &trend.lines[0];
    assert_eq!((line.baseline, line.current()), (1, None));
    assert_eq!(line.outcome(&line.points[0]), Some(Outcome::Better));
    assert_eq!(line.changes.len(), 1, "the change is still stated");
}

#[test]
fn disturbed_points_set_no_level() {
    let mut made = daily(&STEP[..8]);
    for day in 8..12 {
        made.all.push((day, "a", 300.0, Vec::new(), "other programs were busy"));
    }
    let made = MadeRuns::new(made.all);
    let trend = Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap();
    let line = &trend.lines[0];
    assert_eq!((line.points.len(), line.quiet_count(), line.levels.len()), (12, 8, 1));
    assert!(line.points[9].disturbed.is_some() && line.points[9].interval.is_none());
    // The same values undisturbed are a change.
    let quiet =
        MadeRuns::new(made.all.iter().map(|run| (run.0, run.1, run.2, Vec::new(), "")).collect());
    let trend = Trend::new(&quiet.runs(), &query(TrendBy::Date)).unwrap();
    assert_eq!(trend.lines[0].levels.len(), 2);
}

#[test]
fn runs_of_a_build_are_one_point_with_the_interval_of_their_mean() {
    let build = |build: i64, micros: f64| {
        (build, "a", micros, vec![format!("build:{build}"), "ci".to_owned()], "")
    };
    let mut all: Vec<MadeRun> = Vec::new();
    for (at, micros) in (1_840..).zip(STEP) {
        all.extend([0.98, 1.0, 1.0 / 0.98].map(|factor| build(at, micros * factor)));
    }
    all.push((1_840, "a", 1.0, vec!["other".to_owned()], ""));
    all.push((1_845, "a", 900.0, vec!["build:1845".to_owned()], "the system slept"));
    let made = MadeRuns::new(all);
    let trend = Trend::new(&made.runs(), &query(TrendBy::Tag("build:".to_owned()))).unwrap();
    let line = &trend.lines[0];
    assert_eq!(line.points.len(), 12);
    // The run that was disturbed does not count: the geometric mean of the others is 98 µs.
    let point = &line.points[5];
    assert!((point.value - 98e3).abs() < 1e-6 && point.runs.len() == 4, "{point:?}");
    assert_eq!(point.disturbed, None);
    // ln(1/0.98) = 0.020203 is the deviation of the logarithms: t(2) × 0.020203 / √3 = 0.05019.
    let (low, high) = point.interval.unwrap();
    assert!((low / 98e3 - (-0.050_187_f64).exp()).abs() < 1e-4, "{low} {high}");
    assert!((high / 98e3 - 0.050_187_f64.exp()).abs() < 1e-4, "{low} {high}");
    assert_eq!(trend.lines[0].points[line.changes[0].point].name, "build:1848");
    let no_tag = Trend::new(&made.runs(), &query(TrendBy::Tag("driver:".to_owned())));
    assert_eq!(no_tag, Err(NoTrend::Tag("driver:".to_owned())));
}

#[test]
fn each_pc_has_its_own_line_and_other_settings_are_counted() {
    let mut all: Vec<MadeRun> = Vec::new();
    for (day, micros) in (0..).zip(STEP) {
        all.push((day, "a", micros, Vec::new(), ""));
        all.push((day, "b", 100.0 + micros / 100.0, Vec::new(), ""));
    }
    let made = MadeRuns::new(all);
    let mut runs = made.runs();
    for run in runs.iter_mut().take(3) {
        run.settings = "--fps 30";
    }
    let trend = Trend::new(&runs, &query(TrendBy::Date)).unwrap();
    let machines: Vec<&str> = trend.lines.iter().map(|line| line.machine.as_str()).collect();
    assert_eq!((machines, trend.other_count), (vec!["b", "a"], 3));
    assert_eq!(trend.lines.iter().map(|line| line.levels.len()).collect::<Vec<_>>(), [1, 2]);
    let like = Some("run0".to_owned());
    let of_first = Trend::new(&runs, &TrendQuery { like, ..query(TrendBy::Date) }).unwrap();
    assert_eq!((of_first.lines.len(), of_first.other_count), (2, 21));
    // A run of another test is not in the trend, whether it has the metric or not.
    runs[4] = TrendRun { test: "scheduling-gaps", key: None, values: None, ..runs[4] };
    assert_eq!(Trend::new(&runs, &query(TrendBy::Date)).unwrap().other_count, 4);
    // Nor is a run with the same settings that lacks the metric.
    runs[5] = TrendRun { key: None, values: None, ..runs[5] };
    let trend = Trend::new(&runs, &query(TrendBy::Date)).unwrap();
    assert_eq!((trend.other_count, trend.unvalued_count), (4, 1));
    let like = Some("gone".to_owned());
    let gone = Trend::new(&runs, &TrendQuery { like, ..query(TrendBy::Date) });
    assert_eq!(gone, Err(NoTrend::Run("gone".to_owned())));
}

#[test]
fn few_points_have_no_change_and_no_runs_are_an_error() {
    let made = daily(&[100.0, 101.0, 300.0]);
    let trend = Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap();
    let line = &trend.lines[0];
    assert!(!line.is_enough() && line.changes.is_empty() && line.current().is_none());
    assert_eq!(Trend::new(&[], &query(TrendBy::Date)), Err(NoTrend::Runs));
    let wrong = |change: fn(&mut TrendQuery)| {
        let mut query = query(TrendBy::Date);
        change(&mut query);
        Trend::new(&made.runs(), &query).unwrap_err().to_string()
    };
    let text = wrong(|query| query.metric = Some("p98".to_owned()));
    assert_eq!(text, "no run has the metric 'p98'; these runs have p99");
    let text = wrong(|query| query.label = Some("Low".to_owned()));
    assert_eq!(text, "no configuration 'Low' with this metric; these runs have High, Normal");
    // Runs of one day are one point, and as runs each is one.
    let runs: Vec<MadeRun> = STEP.iter().map(|&micros| (0, "a", micros, Vec::new(), "")).collect();
    let made = MadeRuns::new(runs);
    assert_eq!(Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap().names.len(), 1);
}

#[test]
fn key_figure_is_followed_without_a_metric() {
    let made = daily(&STEP);
    let mut runs = made.runs();
    for (run, micros) in runs.iter_mut().zip(STEP) {
        let headline = crate::report::Headline {
            longest_gap: Some(crate::nanos::Nanos::from_nanos_f64(micros * 2e3)),
            ..headline()
        };
        run.key = key_figure(&headline);
    }
    let trend = Trend::new(&runs, &TrendQuery::default()).unwrap();
    assert_eq!((trend.metric.key, trend.label.as_str()), ("longest-gap", ""));
    assert!((trend.lines[0].points[0].value - 200e3).abs() < 1e-6);
    assert_eq!(trend.lines[0].changes.len(), 1);
    assert_eq!(key_figure(&headline()), None);
}

fn headline() -> crate::report::Headline {
    crate::report::Headline {
        grade: None,
        standing: crate::report::Standing::Clear,
        word: String::new(),
        number: String::new(),
        best_p99: None,
        longest_gap: None,
        rows: 1,
        refused: 0,
        ending: crate::run::Ending::Finished,
        is_edited: false,
    }
}

#[test]
fn no_name_of_another_pc_remains() {
    let unknown = "lab9 · not reported";
    let mut all: Vec<MadeRun> =
        vec![(0, "AMD EPYC · Linux 6.8", 1.0, Vec::new(), ""), (1, unknown, 1.0, Vec::new(), "")];
    let names: Vec<&'static str> =
        (0..30).map(|lab| &*format!("lab{lab} · AMD EPYC · Linux 6.8").leak()).collect();
    all.extend(names.iter().map(|name| (2, *name, 1.0, Vec::new(), "")));
    let made = MadeRuns::new(all);
    let mut trend = Trend::new(&made.runs(), &query(TrendBy::Date)).unwrap();
    trend.exclude_hosts();
    assert_eq!(trend.lines.len(), 32);
    assert!(trend.lines.iter().all(|line| !line.machine.contains("lab")));
    let own = trend.lines.iter().filter(|line| line.machine == "AMD EPYC · Linux 6.8");
    assert_eq!(own.count(), 1, "this PC has no name there");
}

#[test]
fn latencies_of_a_histogram_are_no_frame_times() {
    use crate::report::model::metric::MetricKind;
    use crate::run::Capture;
    let kind = |capture: Capture| metric_of(capture.key(), "p99").map(|metric| metric.kind());
    assert_eq!(kind(Capture::Histogram(Vec::new())), Some(MetricKind::Scheduling));
    assert_eq!(kind(Capture::Frames(Vec::new())), Some(MetricKind::Frames));
    assert_eq!(kind(Capture::SampledLog(Vec::new())), None);
}
