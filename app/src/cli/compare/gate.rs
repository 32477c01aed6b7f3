//! A `--fail-if` condition on the change between the baseline and a run.

use std::fmt;
use std::str::FromStr;

use jitterscope_engine::report::comparison::{Delta, Figure, MinEffect, Reason};
use jitterscope_engine::report::recording::{ComparedRate, LastTime};
use jitterscope_engine::report::table::Quantity;
use jitterscope_engine::report::trend::Trend;
use jitterscope_engine::report::{Comparison, Metric};
use jitterscope_engine::stats::{Outcome, distinct};
use jitterscope_engine::units::shortened;
use serde_json::{Value, json};

use crate::text as words;

/// The metric of a condition on the rate of all stutters of a recording.
pub(in crate::cli) const RATE_KEY: &str = "stutter";

/// A `--fail-if` condition: if it is true, the command fails.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) enum Gate {
    /// Any metric has the result Worse.
    Worse,
    /// Any metric has the result Worse or Slightly worse.
    SlightlyWorse,
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

/// Whether a condition is true. Listed in the order in which one decides over the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Truth {
    /// A change is clear, and beyond the limit.
    True,
    /// A change is beyond the limit but not clear, a run was disturbed, or nothing could be evaluated.
    Undecided,
    /// All changes are within the limit.
    False,
}

impl Truth {
    /// Returns the word in JSON and messages.
    pub(in crate::cli) const fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::Undecided => "undecided",
            Self::False => "false",
        }
    }
}

/// A condition with what it is, and why.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Judged {
    /// The condition as the user wrote it.
    pub(in crate::cli) condition: String,
    pub(in crate::cli) truth: Truth,
    /// One line per change or run that makes the condition true or undecided.
    pub(in crate::cli) lines: Vec<String>,
}

impl Judged {
    /// Returns the condition with its result and the reasons as one sentence.
    pub(in crate::cli) fn words(&self) -> String {
        let Self { condition, truth, lines } = self;
        let text = format!("--fail-if {condition}: {}. {}", truth.word(), lines.join(" "));
        text.trim_end().to_owned()
    }

    /// Returns the condition with its result and the reasons as JSON.
    pub(in crate::cli) fn json(&self) -> Value {
        let Self { condition, truth, lines } = self;
        json!({ "condition": condition, "result": truth.word(), "reasons": lines })
    }
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
            Self::SlightlyWorse => f.write_str("slightly-worse"),
            Self::Change { text, .. } => f.write_str(text),
        }
    }
}

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text {
            "worse" => return Ok(Self::Worse),
            "slightly-worse" => return Ok(Self::SlightlyWorse),
            _ => {}
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

/// Parses a minimum effect: a share of the baseline such as `2%`, or percentage points such as `0.5pp`.
pub(in crate::cli) fn min_effect(text: &str) -> Result<MinEffect, String> {
    let expected = || {
        let text = shortened(text);
        format!("invalid minimum effect '{text}': expected a share such as 2%, or 0.5pp for shares")
    };
    let number = |limit: Limit| match limit {
        Limit::Ratio(share) => (MinEffect { share: Some(share), points: None }, share),
        Limit::Change(points) => (MinEffect { share: None, points: Some(points) }, points),
    };
    let (found, size) = limit(text, Quantity::Share).map(number).ok_or_else(expected)?;
    if (0.0..=1.0).contains(&size) { Ok(found) } else { Err(expected()) }
}

impl Gate {
    /// Decides the condition over all comparisons, those of several parts of quick checks. A part without the metric of the
    /// condition does not count.
    pub(super) fn judge<'a>(&self, comparisons: impl Iterator<Item = &'a Comparison>) -> Judged {
        let (mut truths, mut lines, mut disturbed) = (Vec::new(), Vec::new(), Vec::new());
        for comparison in comparisons {
            let of_all =
                comparison.disturbed.iter().map(|(_, run)| format!("disturbed {}", run.words()));
            disturbed.extend(of_all);
            if let Some(obstacle) = &comparison.obstacle {
                lines.push((Truth::Undecided, words::compare::obstacle(obstacle)));
            }
            for row in comparison.rows.iter().filter(|row| row.obstacle.is_none()) {
                for figure in &row.figures {
                    for (delta, run) in figure.deltas.iter().zip(0..) {
                        let Some(delta) = delta else { continue };
                        let Some(truth) = self.truth(figure.metric.key, delta) else { continue };
                        truths.push(truth);
                        if truth != Truth::False {
                            lines.push((truth, line(comparison, &row.label, figure, run, delta)));
                        }
                    }
                }
            }
        }
        let has = |truth| truths.contains(&truth);
        let (truth, lines) = match (disturbed.is_empty(), truths.is_empty()) {
            (false, _) => (Truth::Undecided, disturbed),
            (true, true) => {
                let why = "nothing was evaluated: the runs have no such metric, or too few samples or runs for it";
                let own = lines.into_iter().map(|(_, line)| line);
                (Truth::Undecided, own.chain([why.to_owned()]).collect())
            }
            (true, false) => {
                let truth = [Truth::True, Truth::Undecided].into_iter().find(|&truth| has(truth));
                let truth = truth.unwrap_or(Truth::False);
                let own = lines.into_iter().filter(|(of, _)| *of == truth);
                (truth, own.map(|(_, line)| line).collect())
            }
        };
        Judged { condition: self.to_string(), truth, lines }
    }

    /// Whether the condition can be true for a metric.
    pub(in crate::cli) fn is_about(&self, metric: &str) -> bool {
        !matches!(self, Self::Change { key, .. } if *key != metric)
    }

    /// Decides the condition for a trend: for the change of every line from the baseline's level to the newest one. A
    /// newest point that is beyond the limit while the level did not change is undecided.
    pub(in crate::cli) fn judge_trend(&self, trend: &Trend) -> Judged {
        let mut found: Vec<(Truth, String)> = Vec::new();
        for line in &trend.lines {
            let newest = line.points.last();
            let why = newest.and_then(|point| point.disturbed.as_ref());
            if !line.is_enough() {
                found.push((Truth::Undecided, words::trend::line_sentence(trend, line)));
            } else if let Some((why, newest)) = why.zip(newest) {
                found.push((Truth::Undecided, format!("{} is disturbed: {why}.", newest.name)));
            } else if let Some(delta) = line.current() {
                let truth = self.truth(trend.metric.key, delta).unwrap_or(Truth::Undecided);
                found.push((truth, words::trend::condition_line(trend, line, delta)));
            } else if let Some((newest, baseline)) = newest.zip(line.baseline_value()) {
                let difference = newest.value - baseline;
                let single = Delta::without_interval(
                    baseline,
                    difference,
                    line.minimum,
                    Outcome::NoClearDifference,
                    None,
                );
                let truth = self.truth(trend.metric.key, &single).unwrap_or(Truth::False);
                let words = "is beyond the limit, but the level did not change";
                found.push((truth, format!("{} {words}.", newest.name)));
            }
        }
        let decides = |truth: &Truth| found.iter().any(|(of, _)| of == truth);
        let truth = [Truth::True, Truth::Undecided].into_iter().find(decides);
        let truth = truth.unwrap_or(Truth::False);
        let own = found.into_iter().filter(|(of, _)| *of == truth && truth != Truth::False);
        let lines = own.map(|(_, line)| line.replace(words::NARROW_SPACE, " ")).collect();
        Judged { condition: self.to_string(), truth, lines }
    }

    /// Decides the condition for the rates of two recordings. The metric `stutter` is the rate of all stutters together.
    pub(in crate::cli) fn judge_rates(&self, last: &LastTime) -> Judged {
        let all = last.rates.iter().filter(|rate| {
            // How many events have no cause depends on what was recorded as well.
            !rate.is_unexplained && rate.rates.into_iter().any(|it| 0.0 < it)
        });
        let found = all.zip(0..).filter_map(|(rate, position)| {
            let is_about = position == 0 || !matches!(self, Self::Change { .. });
            let ComparedRate { rates, effect, .. } = rate;
            let result = rate.outcome();
            let single =
                Delta::without_interval(rates[0], effect.difference, effect.minimum, result, None);
            let truth = self.truth(RATE_KEY, &Delta { effect: *effect, ..single });
            // A cause that came too seldom decides nothing; all of them together do.
            let truth = truth.or((position == 0).then_some(Truth::Undecided));
            Some((truth.filter(|_| is_about)?, rate.words()))
        });
        let found: Vec<(Truth, String)> = found.collect();
        let truth = [Truth::True, Truth::Undecided]
            .into_iter()
            .find(|truth| found.iter().any(|(of, _)| of == truth))
            .unwrap_or(Truth::False);
        let own = found.into_iter().filter(|(of, _)| *of == truth && truth != Truth::False);
        let lines = own.map(|(_, line)| format!("{line}.")).collect();
        Judged { condition: self.to_string(), truth, lines }
    }

    /// Returns whether a change makes the condition true; `None` if the condition is not about the metric, or the change
    /// was not evaluated.
    fn truth(&self, of: &str, delta: &Delta) -> Option<Truth> {
        let is_maximum = delta.reason == Some(Reason::Maximum);
        let is_evaluated = !matches!(delta.result, Outcome::NotEvaluated | Outcome::NotEnoughData);
        let of_result =
            |is_met: bool| is_evaluated.then_some(if is_met { Truth::True } else { Truth::False });
        match self {
            Self::Worse => of_result(delta.result == Outcome::Worse),
            Self::SlightlyWorse => of_result(delta.result.is_decline()),
            Self::Change { key, .. } if *key != of || !(is_evaluated || is_maximum) => None,
            Self::Change { is_above, limit, .. } => {
                let (change, limit) = match *limit {
                    Limit::Change(limit) => (delta.effect.difference, limit),
                    // An increase from zero exceeds any relative limit.
                    Limit::Ratio(limit) => {
                        let change = delta.effect.difference;
                        let whole = if change == 0.0 { 0.0 } else { f64::INFINITY };
                        (delta.ratio.unwrap_or(whole * change.signum()), limit)
                    }
                };
                let is_beyond = if *is_above { limit < change } else { change < limit };
                Some(match (is_beyond, delta.effect.is_certain()) {
                    (true, true) => Truth::True,
                    (true, false) => Truth::Undecided,
                    (false, _) => Truth::False,
                })
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
    let verb = if delta.effect.difference < 0.0 { "fell" } else { "rose" };
    let size = match metric.unit {
        Quantity::Share => format!("{:.3} pp", delta.effect.difference.abs() * 100.0),
        _ => words::compare::value(metric, delta.effect.difference.abs()),
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
    use jitterscope_engine::report::comparison::ComparedRow;
    use jitterscope_engine::report::{Disturbance, DisturbedRun, Suspect};

    use super::*;

    fn delta(change: f64, ratio: Option<f64>, interval: (f64, f64)) -> Delta {
        let mut delta = Delta::without_interval(0.0, change, 0.0, Outcome::Same, None);
        delta.effect.interval = Some(interval);
        Delta { ratio, result: delta.effect.outcome(false), ..delta }
    }

    #[test]
    fn condition_is_true_only_beyond_its_limit_and_clear() {
        let (clear, unclear) = ((1e-9, 1e9), (-1e9, 1e9));
        let falls = (-1e9, -1e-9);
        for (gate, key, delta, expected) in [
            ("p99>+20%", "p99", delta(100.0, Some(0.21), clear), Some(Truth::True)),
            ("p99>+20%", "p99", delta(100.0, Some(0.21), unclear), Some(Truth::Undecided)),
            ("p99>+20%", "p99", delta(100.0, Some(0.20), clear), Some(Truth::False)),
            ("p99>+20%", "p99", delta(100.0, Some(0.20), unclear), Some(Truth::False)),
            ("p99>+20%", "p95", delta(100.0, Some(0.5), clear), None),
            ("p99 > 20%", "p99", delta(100.0, Some(0.5), clear), Some(Truth::True)),
            ("p99>+20%", "p99", delta(-100.0, Some(-0.5), falls), Some(Truth::False)),
            ("p99.9>+500us", "p99.9", delta(500_001.0, None, clear), Some(Truth::True)),
            ("p99.9>+0.5ms", "p99.9", delta(499_999.0, None, clear), Some(Truth::False)),
            ("missed>+0.1pp", "missed", delta(0.002, None, clear), Some(Truth::True)),
            ("missed>+20%", "missed", delta(0.002, None, clear), Some(Truth::True)),
            ("missed>+20%", "missed", delta(0.0, None, unclear), Some(Truth::False)),
            ("1%-low<-5%", "1%-low", delta(-4.0, Some(-0.06), falls), Some(Truth::True)),
            ("1%-low<-5", "1%-low", delta(-4.0, Some(-0.06), falls), Some(Truth::False)),
            ("average-fps<-3fps", "average-fps", delta(-4.0, None, falls), Some(Truth::True)),
            ("p50<-\u{2212}5%", "p50", delta(0.0, None, unclear), None),
            ("worse", "p99", delta(1.0, None, clear), Some(Truth::True)),
            ("worse", "p99", delta(1.0, None, unclear), Some(Truth::False)),
        ] {
            let found = gate.parse::<Gate>().ok().and_then(|gate| gate.truth(key, &delta));
            assert_eq!(found, expected, "{gate} {delta:?}");
        }
        let slight = Delta { result: Outcome::SlightlyWorse, ..delta(1.0, None, clear) };
        assert_eq!(Gate::Worse.truth("p99", &slight), Some(Truth::False));
        assert_eq!(Gate::SlightlyWorse.truth("p99", &slight), Some(Truth::True));
        // What was not evaluated says nothing, and a maximum has no interval: beyond its limit, it is undecided.
        let not =
            |reason| Delta::without_interval(1.0, 1.0, 0.0, Outcome::NotEvaluated, Some(reason));
        let gate: Gate = "max>+20%".parse().unwrap();
        assert_eq!(gate.truth("max", &not(Reason::Maximum)), Some(Truth::Undecided));
        assert_eq!(gate.truth("max", &not(Reason::SettingsDiffer)), None);
        assert_eq!(Gate::Worse.truth("max", &not(Reason::Maximum)), None);
        let few = Some(Reason::TooFewRuns(1));
        let few = Delta::without_interval(1.0, 1.0, 0.0, Outcome::NotEnoughData, few);
        assert_eq!(gate.truth("max", &few), None);
    }

    /// Clear, unclear, and not evaluated changes, within and beyond the limit, of undisturbed and disturbed runs, and
    /// nothing at all.
    #[test]
    fn truth_table_of_conditions() {
        let run = DisturbedRun {
            id: "0a1b".to_owned(),
            disturbance: Disturbance::OtherPrograms(1.85),
            programs: vec![Suspect { name: "cargo".to_owned(), share: 0.9 }],
        };
        let comparison = |delta: Option<Delta>, is_disturbed: bool| {
            let figure = Figure {
                metric: Metric::P99,
                values: vec![Some(100.0); 2],
                noise: None,
                deltas: vec![None, delta],
            };
            let row = ComparedRow {
                label: "Normal".to_owned(),
                positions: vec![0; 2],
                late_limit: None,
                obstacle: None,
                figures: vec![figure],
                outcomes: vec![None; 2],
            };
            let disturbed = if is_disturbed { vec![(1, run.clone())] } else { Vec::new() };
            Comparison { count: 2, rows: vec![row], disturbed, ..Comparison::of(&[], 0) }
        };
        let (clear, unclear) = ((1.0, 1e9), (-1e9, 1e9));
        let beyond = |interval| Some(delta(50.0, Some(0.5), interval));
        let within = |interval| Some(delta(10.0, Some(0.1), interval));
        let not = Delta::without_interval(100.0, 50.0, 0.0, Outcome::NotEvaluated, None);
        let gate: Gate = "p99>+20%".parse().unwrap();
        for (delta, is_disturbed, expected, why) in [
            (beyond(clear), false, Truth::True, "B: p99 rose by "),
            (beyond(unclear), false, Truth::Undecided, "B: p99 rose by "),
            (within(clear), false, Truth::False, ""),
            (within(unclear), false, Truth::False, ""),
            (Some(not), false, Truth::Undecided, "nothing was evaluated"),
            (None, false, Truth::Undecided, "nothing was evaluated"),
            (
                beyond(clear),
                true,
                Truth::Undecided,
                "disturbed run 0a1b: other programs used up to 185% of one CPU (cargo 90.0% of one CPU)",
            ),
            (beyond(unclear), true, Truth::Undecided, "disturbed run 0a1b"),
            (within(clear), true, Truth::Undecided, "disturbed run 0a1b"),
            (within(unclear), true, Truth::Undecided, "disturbed run 0a1b"),
            (Some(not), true, Truth::Undecided, "disturbed run 0a1b"),
            (None, true, Truth::Undecided, "disturbed run 0a1b"),
        ] {
            let judged = gate.judge(std::iter::once(&comparison(delta, is_disturbed)));
            assert_eq!(judged.truth, expected, "{delta:?} {is_disturbed}: {judged:?}");
            let first = judged.lines.first().map_or("", String::as_str);
            assert!(first.starts_with(why) && first.is_empty() == why.is_empty(), "{judged:?}");
        }
        assert_eq!(gate.judge(std::iter::empty()).truth, Truth::Undecided);
    }

    #[test]
    fn minimum_effect_is_a_share_or_points() {
        assert_eq!(min_effect("2%").unwrap(), MinEffect { share: Some(0.02), points: None });
        assert_eq!(min_effect("0.5pp").unwrap(), MinEffect { share: None, points: Some(0.005) });
        for wrong in ["2", "-2%", "200%", "2us", "", "x%"] {
            assert!(min_effect(wrong).unwrap_err().contains("expected a share"), "{wrong}");
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
