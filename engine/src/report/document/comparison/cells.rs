//! The cells of a comparison table: one time unit per table, decimals per row.

use crate::nanos::Nanos;
use crate::report::comparison::words::rate;
use crate::report::comparison::{ComparedRow, Delta, Figure};
use crate::report::table::Quantity;
use crate::units::{
    MINUS, MISSING, NARROW_SPACE, Unit, choose_decimals, choose_unit, format_signed_share,
    format_signed_time_in, format_time_in,
};

/// How many decimals a change may have more than the values.
const MORE_DECIMALS: u32 = 3;

/// The texts of one metric, and of its change from the baseline to one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The value of each run.
    pub values: Vec<String>,
    /// The change with its unit; `MISSING` if the run is the baseline or has no value.
    pub change: String,
    /// The change as a share of the baseline's value; empty if both values are 0.
    pub percent: String,
    /// The 95% confidence interval of the change, without a unit.
    pub interval: String,
    /// The noise floor: how much two runs with the same settings may differ.
    pub noise: String,
}

/// Returns the time unit that suits all durations of a row.
pub fn metric_unit(row: &ComparedRow) -> Unit {
    let nanos = row.figures.iter().filter(|figure| figure.metric.unit == Quantity::Time);
    let values: Vec<Nanos> =
        nanos.flat_map(|figure| &figure.values).flatten().map(|value| exact(*value)).collect();
    choose_unit(&values)
}

fn exact(nanos: f64) -> Nanos {
    Nanos::from_nanos_f64(nanos)
}

/// Returns the texts of a metric and of its change from the baseline to `run`; `unit` is for
/// durations.
pub fn cells(figure: &Figure, run: usize, unit: Unit) -> Cells {
    let known: Vec<Nanos> = figure.values.iter().flatten().map(|value| exact(*value)).collect();
    let decimals = choose_decimals(&known, unit);
    let value = |value: f64| match figure.metric.unit {
        Quantity::Share => rate(value),
        Quantity::Rate => format!("{value:.1}"),
        _ => format_time_in(exact(value), unit, decimals),
    };
    let missing = || MISSING.to_owned();
    let values = figure.values.iter().map(|one| one.map_or_else(missing, value)).collect();
    let noise = figure.noise.map_or_else(missing, |noise| match figure.metric.unit {
        Quantity::Share => format!("±{:.3}", noise * 100.0),
        Quantity::Rate => format!("±{noise:.1}"),
        _ => format!("±{}", format_time_in(exact(noise), unit, decimals)),
    });
    let Some(delta) = figure.deltas.get(run).copied().flatten() else {
        let (change, percent, interval) = (missing(), missing(), missing());
        return Cells { values, change, percent, interval, noise };
    };
    let with_decimals = |change: f64, more: u32| match figure.metric.unit {
        Quantity::Share => signed(change * 100.0, 3 + more),
        Quantity::Rate => signed(change, 1 + more),
        _ => format_signed_time_in(exact(change), unit, decimals + more),
    };
    let change = |change: f64| with_decimals(change, 0);
    let symbol = match figure.metric.unit {
        Quantity::Share => " pp".to_owned(),
        Quantity::Rate => " FPS".to_owned(),
        _ => format!("{NARROW_SPACE}{}", unit.symbol()),
    };
    // A change that the decimals of the values would round to 0 has more of them: 13 to 14 is no change of 0.
    let mut texts = (0..=MORE_DECIMALS).map(|more| with_decimals(delta.effect.difference, more));
    let with_unit = texts
        .find(|text| !text.trim_matches(['0', '.']).is_empty())
        .map_or_else(|| "0".to_owned(), |text| format!("{text}{symbol}"));
    Cells {
        values,
        change: with_unit,
        percent: percent(&delta),
        interval: delta
            .effect
            .interval
            .map_or_else(missing, |(low, high)| format!("[{}, {}]", change(low), change(high))),
        noise,
    }
}

fn percent(delta: &Delta) -> String {
    match delta.ratio {
        Some(ratio) => format_signed_share(ratio),
        None if delta.effect.difference == 0.0 => String::new(),
        None => "from 0".to_owned(),
    }
}

fn signed(value: f64, decimals: u32) -> String {
    let decimals = usize::try_from(decimals).unwrap_or_default();
    let text = format!("{:.decimals$}", value.abs());
    match text.trim_matches(['0', '.']).is_empty() {
        true => "0".to_owned(),
        false if value < 0.0 => format!("{MINUS}{text}"),
        false => format!("+{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Metric;
    use crate::stats::Outcome;

    #[test]
    fn a_row_is_reported_in_one_unit() {
        let figure = |metric, before: f64, after: f64| {
            let unclear = Outcome::NoClearDifference;
            let mut delta = Delta::without_interval(before, after - before, 0.0, unclear, None);
            delta.effect.interval = Some((-100.0, 900.0));
            let deltas = vec![None, Some(delta)];
            Figure { metric, values: vec![Some(before), Some(after)], noise: Some(4_000.0), deltas }
        };
        let p99 = cells(&figure(Metric::P99, 28_000.0, 52_000.0), 1, Unit::Micros);
        assert_eq!(p99.values, ["28", "52"]);
        assert_eq!(p99.noise, "±4");
        assert_eq!((p99.change.as_str(), p99.percent.as_str()), ("+24\u{202f}µs", "+85.7%"));
        let small = cells(&figure(Metric::P95, 13_400.0, 13_700.0), 1, Unit::Micros);
        assert_eq!((small.values[1].as_str(), small.change.as_str()), ("14", "+0.3\u{202f}µs"));
        let p50 = cells(&figure(Metric::P50, 600.0, 800.0), 1, Unit::Micros);
        assert_eq!((p50.values[0].as_str(), p50.interval.as_str()), ("0.6", "[−0.1, +0.9]"));
        let missed = cells(&figure(Metric::MISSED, 0.0, 0.0), 1, Unit::Micros);
        assert_eq!((missed.change.as_str(), missed.percent.as_str()), ("0", ""));
        let missed = cells(&figure(Metric::MISSED, 0.0, 0.01), 1, Unit::Micros);
        assert_eq!((missed.change.as_str(), missed.percent.as_str()), ("+1.000 pp", "from 0"));
    }
}
