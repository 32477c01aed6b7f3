//! A `--fail-if` condition on the change between the baseline and a run.

use std::fmt;
use std::str::FromStr;

use jitterscope_engine::report::comparison::{Delta, DeltaResult, Figure};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::{Comparison, Metric};
use jitterscope_engine::stats::distinct;
use jitterscope_engine::units::shortened;

use crate::text as words;

/// A `--fail-if` condition: if it is met, the command fails.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Gate {
    /// Any metric has the result Worse.
    Worse,
    /// A metric changed by more than the limit.
    Change {
        /// The key of the metric.
        key: &'static str,
        /// Whether the condition is met by a change above the limit, rather than below.
        is_above: bool,
        /// The limit of the change. A change equal to the limit does not meet the condition.
        limit: Limit,
        /// The condition as the user wrote it.
        text: String,
    },
}

/// A limit on a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cli) enum Limit {
    /// As a share of the baseline's value.
    Ratio(f64),
    /// In the metric's unit.
    Change(f64),
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worse => f.write_str("worse"),
            Self::Change { text, .. } => f.write_str(text),
        }
    }
}

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "worse" {
            return Ok(Self::Worse);
        }
        let wrong = || {
            format!(
                "invalid condition '{}': expected one such as p99>+20%, missed>+0.1pp, or worse",
                shortened(text)
            )
        };
        let at = text.find(['>', '<']).ok_or_else(wrong)?;
        let (name, rest) = text.split_at(at);
        let is_above = rest.starts_with('>');
        let all = || Metric::PACED.iter().chain(&Metric::FRAMES);
        let metric = all().find(|metric| metric.key == name.trim()).ok_or_else(|| {
            let keys = all().map(|metric| metric.key);
            let names = distinct(keys.filter(|key| *key != Metric::ABOVE_BASELINE.key));
            format!("unknown metric '{}': expected {}", shortened(name.trim()), names.join(", "))
        })?;
        let rest = rest.get(1..).unwrap_or_default().trim();
        let limit = limit(rest, metric.unit).ok_or_else(wrong)?;
        Ok(Self::Change { key: metric.key, is_above, limit, text: text.to_owned() })
    }
}

/// Parses a limit such as `+20%`, `-500us`, `+0.1pp`, or `-3fps`.
pub(in crate::cli) fn limit(text: &str, unit: Quantity) -> Option<Limit> {
    let text = text.replace('\u{2212}', "-");
    let end = text.find(|c: char| !matches!(c, '+' | '-' | '.' | '0'..='9')).unwrap_or(text.len());
    let (number, symbol) = text.split_at(end);
    let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
    match (symbol.trim().to_lowercase().as_str(), unit) {
        ("%", _) => Some(Limit::Ratio(number / 100.0)),
        ("us" | "µs" | "μs", Quantity::Time) => Some(Limit::Change(number * 1e3)),
        ("ms", Quantity::Time) => Some(Limit::Change(number * 1e6)),
        ("s", Quantity::Time) => Some(Limit::Change(number * 1e9)),
        ("pp", Quantity::Share) => Some(Limit::Change(number / 100.0)),
        ("ns", Quantity::Time) | ("fps" | "", Quantity::Rate) => Some(Limit::Change(number)),
        _ => None,
    }
}

/// Why a condition could not be checked. An unchecked condition is an error, so that a script does
/// not count it as passed.
#[derive(Debug, thiserror::Error)]
pub(super) enum GateError {
    /// The runs cannot be compared.
    #[error("cannot check the condition '{gate}': {why}")]
    NotComparable {
        /// The condition as the user wrote it.
        gate: String,
        /// Why the runs cannot be compared.
        why: String,
    },
    /// The runs lack the metric of the condition.
    #[error(
        "cannot check the condition '{gate}': the runs have no such metric, or too few samples for it"
    )]
    Missing {
        /// The condition as the user wrote it.
        gate: String,
    },
}

impl Gate {
    /// Returns one line per change that meets the condition.
    pub(super) fn failures(&self, comparison: &Comparison) -> Result<Vec<String>, GateError> {
        let blocked = comparison.rows.iter().all(|row| row.obstacle.is_some());
        if comparison.obstacle.is_some() || blocked {
            let why = words::compare::sentence(comparison);
            return Err(GateError::NotComparable { gate: self.to_string(), why });
        }
        let mut failures = Vec::new();
        let mut looked_at = 0;
        for row in comparison.rows.iter().filter(|row| row.obstacle.is_none()) {
            for figure in &row.figures {
                for (delta, run) in figure.deltas.iter().zip(0..) {
                    let Some(delta) = delta else { continue };
                    let concerns = match self {
                        Self::Worse => true,
                        Self::Change { key, .. } => *key == figure.metric.key,
                    };
                    looked_at += usize::from(concerns);
                    if concerns && self.is_broken_by(delta) {
                        failures.push(line(comparison, &row.label, figure, run, delta));
                    }
                }
            }
        }
        if looked_at == 0 {
            return Err(GateError::Missing { gate: self.to_string() });
        }
        Ok(failures)
    }

    fn is_broken_by(&self, delta: &Delta) -> bool {
        match self {
            Self::Worse => delta.result == DeltaResult::Worse,
            Self::Change { is_above, limit, .. } => {
                let (change, limit) = match *limit {
                    Limit::Change(limit) => (delta.change, limit),
                    // An increase from zero exceeds any relative limit.
                    Limit::Ratio(limit) => {
                        let whole = if delta.change == 0.0 { 0.0 } else { f64::INFINITY };
                        (delta.ratio.unwrap_or(whole * delta.change.signum()), limit)
                    }
                };
                if *is_above { limit < change } else { change < limit }
            }
        }
    }
}

fn line(
    comparison: &Comparison,
    label: &str,
    figure: &Figure,
    run: usize,
    delta: &Delta,
) -> String {
    let metric = &figure.metric;
    let place = if comparison.rows.len() == 1 { String::new() } else { format!(", {label}") };
    let verb = if delta.change < 0.0 { "fell" } else { "rose" };
    let size = match metric.unit {
        Quantity::Share => format!("{:.3} pp", delta.change.abs() * 100.0),
        _ => words::compare::value(metric, delta.change.abs()),
    };
    let ratio = delta.ratio.map_or(String::new(), |ratio| format!(" ({:+.1}%)", ratio * 100.0));
    let result = match words::compare::why(delta) {
        Some(why) => format!("{}: {why}", words::compare::result(delta)),
        None => format!("{}.", words::compare::result(delta)),
    };
    let letter = words::compare::letter(run);
    format!(
        "{letter}{place}: {} {verb} by {size}{ratio}. {result}",
        words::compare::metric_words(metric)
    )
    .replace(words::NARROW_SPACE, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delta(change: f64, ratio: Option<f64>) -> Delta {
        Delta {
            change,
            ratio,
            interval: None,
            result: DeltaResult::NoClearDifference,
            reason: None,
        }
    }

    #[test]
    fn condition_is_met_only_beyond_its_limit() {
        for (gate, delta, breaks) in [
            ("p99>+20%", delta(100.0, Some(0.21)), true),
            ("p99>+20%", delta(100.0, Some(0.20)), false),
            ("p99 > 20%", delta(100.0, Some(0.5)), true),
            ("p99>+20%", delta(-100.0, Some(-0.5)), false),
            ("p99.9>+500us", delta(500_001.0, None), true),
            ("p99.9>+0.5ms", delta(499_999.0, None), false),
            ("missed>+0.1pp", delta(0.002, None), true),
            ("missed>+20%", delta(0.002, None), true),
            ("missed>+20%", delta(0.0, None), false),
            ("1%-low<-5%", delta(-4.0, Some(-0.06)), true),
            ("1%-low<-5", delta(-4.0, Some(-0.06)), false),
            ("average-fps<-3fps", delta(-4.0, Some(-0.06)), true),
            ("stutter>+0.1pp", delta(0.002, None), true),
            ("p50<-\u{2212}5%", delta(0.0, None), false),
        ] {
            let Ok(gate) = gate.parse::<Gate>() else {
                assert!(!breaks, "{gate} is not read");
                continue;
            };
            assert_eq!(gate.is_broken_by(&delta), breaks, "{gate} {delta:?}");
        }
    }

    #[test]
    fn invalid_condition_lists_expected_ones() {
        for (text, said) in [
            ("p99", "invalid condition"),
            ("p98>+20%", "unknown metric 'p98': expected p50, p95"),
            ("p99>+20pp", "invalid condition"),
            ("missed>+3us", "invalid condition"),
            ("0.1%-low<-3us", "invalid condition"),
            ("p99>fast", "invalid condition"),
            ("p99>inf%", "invalid condition"),
        ] {
            assert!(text.parse::<Gate>().unwrap_err().contains(said), "{text}");
        }
        assert_eq!("worse".parse::<Gate>().unwrap().to_string(), "worse");
    }
}
