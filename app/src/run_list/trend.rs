//! The runs of the list that a trend follows, and the change of a run from the baseline of its settings.

use jitterscope_engine::report::Metric;
use jitterscope_engine::report::comparison::Delta;
use jitterscope_engine::report::trend::{
    Trend, TrendBy, TrendQuery, change_from_baseline, key_figure,
};
use jitterscope_engine::run::Ending;

use super::{LibraryItem, RunListEntry};

pub use jitterscope_engine::report::trend::BASELINE;

/// Maximum number of runs in the trend of one run.
pub const MAX_RUNS: usize = 12;

/// Returns the trend of the key figure over the latest runs with the settings and the machine of a run; `None` if that
/// run did not finish or has no key figure.
pub fn trend_of(items: &[LibraryItem], of: &RunListEntry) -> Option<Trend> {
    figure_of(of)?;
    let mut runs = LibraryItem::trend_runs(items);
    runs.retain(|run| {
        run.machine == of.machine && run.settings == of.fingerprint && run.test == of.test
    });
    runs.sort_by_key(|run| run.started_at);
    // Cut the list so that it includes the run for which it was requested, even if newer runs follow.
    let place = runs.iter().position(|run| run.id == of.id)?;
    runs.truncate((place + 1).max(MAX_RUNS));
    runs.drain(..runs.len().saturating_sub(MAX_RUNS));
    let zone = Some(jiff::tz::TimeZone::system());
    let like = Some(of.id.clone());
    Trend::new(&runs, &TrendQuery { by: TrendBy::Run, like, zone, ..TrendQuery::default() }).ok()
}

/// Sets the change of each run compared with the baseline of its settings, if there is one.
pub(super) fn compare_with_baselines(items: &mut [LibraryItem]) {
    let runs = || items.iter().filter_map(|item| item.run.as_ref().ok());
    let baselines: Vec<&RunListEntry> = runs().filter(|run| is_baseline(run)).collect();
    let changes: Vec<Option<Delta>> = items
        .iter()
        .map(|item| {
            let run = item.run.as_ref().ok()?;
            // The list begins with the newest run.
            let baseline = baselines.iter().find(|baseline| is_alike(run, baseline))?;
            change(items, baseline, run)
        })
        .collect();
    for (item, change) in items.iter_mut().zip(changes) {
        if let Ok(run) = &mut item.run {
            run.change = change;
        }
    }
}

/// Returns how the key figure of a run differs from that of its baseline; `None` for the baseline itself, or if the
/// variation of the baseline is not known.
fn change(items: &[LibraryItem], baseline: &RunListEntry, run: &RunListEntry) -> Option<Delta> {
    let (metric, value) = figure_of(run).filter(|_| !is_baseline(run))?;
    let (_, before) = figure_of(baseline)?;
    let runs = items.iter().filter_map(|item| item.run.as_ref().ok());
    let repeats = runs.filter(|repeat| {
        (&repeat.setting, &repeat.machine) == (&baseline.setting, &baseline.machine)
            && repeat.started_at <= baseline.started_at
    });
    let repeats: Vec<f64> = repeats.filter_map(|run| Some(figure_of(run)?.1)).collect();
    change_from_baseline(&metric, [before, value], &repeats)
}

/// Returns whether a run is tagged as a baseline.
pub fn is_baseline(run: &RunListEntry) -> bool {
    run.tags.iter().any(|tag| tag == BASELINE)
}

/// Returns whether two runs have the same settings and the same machine.
pub fn is_alike(run: &RunListEntry, of: &RunListEntry) -> bool {
    !of.fingerprint.is_empty()
        && run.fingerprint == of.fingerprint
        && run.test == of.test
        && run.machine == of.machine
}

/// Returns the key figure of a finished run.
pub fn figure_of(run: &RunListEntry) -> Option<(Metric, f64)> {
    key_figure(&run.headline).filter(|_| run.headline.ending == Ending::Finished)
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::stats::Outcome;

    use super::*;

    fn item(id: usize, micros: i64, tags: &[&str]) -> LibraryItem {
        LibraryItem::example(&id.to_string(), tags, |run| {
            run.fingerprint = "--fps 60".to_owned();
            run.setting = "--fps 60".to_owned();
            run.headline.best_p99 = Some(Nanos::from_micros(micros));
            run.machine = "this".to_owned();
            let minute = i64::try_from(id).unwrap() * 60;
            run.started_at = jiff::Timestamp::from_second(minute).unwrap();
        })
    }

    fn outcome(items: &[LibraryItem], of: usize) -> Option<Outcome> {
        let mut all = items.to_vec();
        all.reverse();
        compare_with_baselines(&mut all);
        let run = all
            .iter()
            .find_map(|item| item.run.as_ref().ok().filter(|run| run.id == of.to_string()));
        run?.change.map(|delta| delta.result)
    }

    #[test]
    fn run_is_worse_than_the_baseline_only_beyond_its_variation() {
        let mut items = vec![item(0, 104, &[]), item(1, 100, &[BASELINE]), item(2, 105, &[])];
        assert_eq!(outcome(&items, 2), None, "later runs show no variation of the baseline");
        items[0] = item(0, 104, &["repeat 1/3"]);
        items[1] = item(1, 96, &["repeat 2/3"]);
        items[2] = item(2, 100, &[BASELINE, "repeat 3/3"]);
        items.extend([item(3, 105, &[]), item(4, 200, &[]), item(5, 40, &[])]);
        assert_eq!(outcome(&items, 3), Some(Outcome::NoClearDifference));
        assert_eq!(outcome(&items, 4), Some(Outcome::Worse));
        assert_eq!(outcome(&items, 2), None, "the baseline is not compared with itself");
        assert_eq!(outcome(&items, 5), Some(Outcome::Better));
        // Another PC of the same model has its own baseline.
        items[4].run.as_mut().unwrap().machine = "h0 · this".to_owned();
        assert_eq!(outcome(&items, 4), None);
    }

    #[test]
    fn a_trend_holds_twelve_runs_and_the_one_that_was_asked_for() {
        let items: Vec<LibraryItem> = (0..30).map(|id| item(id, 100, &[])).collect();
        for of in [0, 15, 29] {
            let trend = trend_of(&items, items[of].run.as_ref().unwrap()).unwrap();
            let points = &trend.lines[0].points;
            assert_eq!(points.len(), MAX_RUNS);
            assert!(points.iter().any(|point| point.runs[0][0] == of.to_string()), "{of}");
        }
    }
}
