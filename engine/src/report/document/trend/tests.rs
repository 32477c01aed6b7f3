//! The words, the plot, and the table of a trend.

use std::collections::BTreeMap;

use super::*;
use crate::report::comparison::ValuesByLabel;
use crate::report::trend::{TrendQuery, TrendRun};

fn trend(
    values: &[f64],
    disturbed: &[usize],
    by: TrendBy,
    machine: fn(usize) -> &'static str,
) -> Trend {
    let of = |micros: &f64| {
        BTreeMap::from([("Normal".to_owned(), BTreeMap::from([("p99".to_owned(), micros * 1e3)]))])
    };
    let made: Vec<(String, Vec<String>, ValuesByLabel)> = (0..)
        .zip(values)
        .map(|(at, micros)| (format!("run{at}"), vec![format!("build:{}", 1_834 + at)], of(micros)))
        .collect();
    let runs: Vec<TrendRun<'_>> = (0..)
        .zip(&made)
        .map(|(at, (id, tags, values))| TrendRun {
            id,
            name: "nightly",
            note: "",
            tags,
            test: "frame-loop",
            settings: "--fps 60",
            machine: machine(at),
            started_at: format!("2026-11-{:02}T03:00:00Z", at + 1).parse().unwrap(),
            disturbed: if disturbed.contains(&at) { "other programs were busy" } else { "" },
            key: None,
            values: Some(values),
        })
        .collect();
    Trend::new(&runs, &TrendQuery { by, ..TrendQuery::default() }).unwrap()
}

const STEP: [f64; 12] =
    [100.0, 102.0, 99.0, 101.0, 100.0, 98.0, 101.0, 99.0, 118.0, 119.0, 117.0, 120.0];

fn by_build() -> TrendBy {
    TrendBy::Tag("build:".to_owned())
}

#[test]
fn answer_names_the_change_its_interval_and_the_build() {
    let rose = trend(&STEP, &[], by_build(), |_| "a");
    assert_eq!(sentence(&rose), "p99 rose by 19% (17 to 21%) with build:1842.");
    let evidence = evidence(&rose, MinEffect::default()).replace('\u{202f}', " ");
    assert_eq!(
        evidence,
        "Baseline: 100 µs, the first level; tag a run 'baseline' to set another one. Minimum effect 10%. Changes are \
         false in 1 of 100 months of daily points."
    );
    let same = trend(&STEP[..8], &[], TrendBy::Date, |_| "a");
    assert_eq!(sentence(&same), "No change since 1 Nov 2026.");
    let fell: Vec<f64> = STEP.iter().rev().copied().collect();
    let fell = trend(&fell, &[], TrendBy::Date, |_| "a");
    assert!(
        sentence(&fell).starts_with("p99 fell by 16% (")
            && sentence(&fell).ends_with(" on 5 Nov 2026."),
        "{}",
        sentence(&fell)
    );
    assert_eq!(direction(&fell), Some(Outcome::Better));
    let few = trend(&STEP[..4], &[3], TrendBy::Date, |_| "a");
    assert_eq!(sentence(&few), "Needs 5 points; 3 so far (1 disturbed).");
    let several = trend(&STEP, &[], TrendBy::Date, |at| if at % 2 == 0 { "a" } else { "b" });
    assert!(sentence(&several).starts_with("b: "), "{}", sentence(&several));
}

#[test]
fn plot_has_every_point_the_baseline_and_the_change() {
    let mut trend = trend(&STEP, &[4], by_build(), |_| "a");
    // As of a point of several runs that were all disturbed.
    trend.lines[0].points[4].interval = Some((90e3, 115e3));
    let chart = chart(&trend);
    crate::report::chart::check(&chart);
    assert_eq!(chart.names(), ["Points", "Disturbed"]);
    let Marks::Curves(series) = &chart.marks else { panic!("{chart:?}") };
    assert_eq!((series[0].points.len(), series[0].intervals.len()), (11, 11));
    assert!(series[1].is_hollow, "{series:?}");
    let [(x, y)] = series[1].points[..] else { panic!("{series:?}") };
    assert!((x - 4.5).abs() < 1e-9 && (y - 100e3).abs() < 1e-6, "{x} {y}");
    assert_eq!(series[1].intervals, [(90e3, 115e3)], "as in its row of the table");
    assert_eq!(chart.x.names[8], "1842");
    let (low, high) = chart.band.unwrap();
    assert!((high / low - 1.1 / 0.9).abs() < 1e-9);
    let [baseline, change] = chart.limits.as_slice() else { panic!("{:?}", chart.limits) };
    assert!(!baseline.is_vertical && change.is_vertical && (change.at - 8.0).abs() < 1e-9);
    assert_eq!(change.label.replace('\u{202f}', " "), "100 µs to 118 µs");
}

#[test]
fn table_and_rows_have_the_newest_point_first_with_its_result() {
    let trend = trend(&STEP, &[4], by_build(), |_| "a");
    let grid = table(&trend, &trend.lines[0]);
    assert_eq!(
        grid.header,
        ["Build", "Runs", "Value, µs", "95% CI", "Change to the baseline", "Result"]
    );
    assert_eq!(grid.rows[0][0], "build:1845");
    assert_eq!(grid.rows[0][4..], ["+20.0%", "Worse"]);
    assert_eq!(grid.rows[7][4..], ["0.0%", "Disturbed"]);
    assert_eq!(grid.rows[11][5], "No change");
    let rows = rows(&trend);
    assert_eq!(rows.len(), 12);
    assert_eq!(rows[4][14..], ["disturbed".to_owned(), "other programs were busy".to_owned()]);
    assert_eq!((rows[11][10].as_str(), rows[11][14].as_str()), ("2", "worse"));
    let document = document(&trend, MinEffect::default(), "jitterscope-cli trend", "");
    assert_eq!(
        document.head.warnings,
        [(false, "build:1838 sets no level: other programs were busy.".to_owned())]
    );
}
