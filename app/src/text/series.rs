//! Texts about series: runs that are measured one after another.

use jitterscope_engine::report::Metric;
use jitterscope_engine::report::comparison::{MetricVariation, PairedDifference};
use jitterscope_engine::report::table::Quantity;

use super::compare::{result, value};
use super::{MINUS, MISSING};

/// Why two runs cannot be re-run interleaved while a test runs.
pub const BUSY: &str = "A test is running. Re-run interleaved when it is finished.";

/// Why no test starts on a host without a connection.
pub const NOT_CONNECTED: &str = "The test was not run: the selected host is not connected.";

/// Why an imported run cannot be re-run in a series.
pub const NOT_MEASURED_HERE: &str = "Imported runs have no settings, so they cannot be re-run.";

/// Returns the message at the end of a series: `saved` of `count` runs were saved.
pub fn over(saved: usize, count: usize) -> String {
    if saved == count {
        format!("All {count} runs are completed and saved.")
    } else {
        format!("The series ended early: {saved} of {count} runs are saved.")
    }
}

/// Returns the table of run-to-run variation over repeats with the same settings, header first.
pub fn variation_table(variations: &[MetricVariation]) -> Vec<Vec<String>> {
    let header = ["Configuration", "Metric", "Min", "Max", "Noise floor"];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    for variation in variations {
        table.push(vec![
            variation.label.clone(),
            variation.metric.title.to_owned(),
            value(&variation.metric, variation.lowest),
            value(&variation.metric, variation.most),
            format!("±{}", size(&variation.metric, variation.noise)),
        ]);
    }
    table
}

/// Returns the table of differences of two interleaved settings, header first.
pub fn paired_differences(found: &[PairedDifference]) -> Vec<Vec<String>> {
    let header = ["Configuration", "Metric", "A", "B", "Change", "95% CI", "Result"];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    for one in found {
        let [a, b] = one.means;
        table.push(vec![
            one.label.clone(),
            one.metric.title.to_owned(),
            value(&one.metric, a),
            value(&one.metric, b),
            signed(&one.metric, one.delta.effect.difference),
            one.delta.effect.interval.map_or_else(
                || MISSING.to_owned(),
                |(low, high)| {
                    format!("[{}, {}]", signed(&one.metric, low), signed(&one.metric, high))
                },
            ),
            result(&one.delta),
        ]);
    }
    table
}

/// Formats the size of a change with its unit; the change of a share is in percentage points.
fn size(metric: &Metric, change: f64) -> String {
    match metric.unit {
        Quantity::Share => format!("{:.3} pp", change * 100.0),
        _ => value(metric, change),
    }
}

fn signed(metric: &Metric, change: f64) -> String {
    let text = size(metric, change.abs());
    if change < 0.0 { format!("{MINUS}{text}") } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::comparison::Delta;
    use jitterscope_engine::stats::Outcome;

    use super::*;

    #[test]
    fn pairs_and_strays_are_tables_of_one_width() {
        let mut delta = Delta::without_interval(0.01, -0.005, 0.01, Outcome::SlightlyBetter, None);
        delta.effect.interval = Some((-0.006, -0.004));
        let one = PairedDifference {
            label: "Normal".to_owned(),
            metric: Metric::LATE,
            means: [0.01, 0.005],
            delta,
        };
        let table = paired_differences(&[one]);
        assert!(table.iter().all(|line| line.len() == table[0].len()));
        assert_eq!(table[1][4..], ["−0.500 pp", "[−0.600 pp, −0.400 pp]", "Slightly better"]);
        let variation = MetricVariation {
            label: "Normal".to_owned(),
            metric: Metric::P50,
            lowest: 1_000.0,
            most: 2_000.0,
            noise: 3_000.0,
        };
        let table = variation_table(&[variation]);
        assert!(table.iter().all(|line| line.len() == table[0].len()));
        assert!(table[1][4].starts_with('±'), "{table:?}");
        assert_eq!(over(3, 3), "All 3 runs are completed and saved.");
    }
}
