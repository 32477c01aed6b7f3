//! The output of the first version of the tool, as its document shows it: a block per mode, and the comparison summary
//! with its marks.

use super::{Config, Half, HoloscanStatistics, call_nanos};
use crate::plan::Load;

/// Marks of the reductions of the standard deviation, in percent, from the largest: at least as large a reduction has
/// the mark.
const MARKS: [(f64, &str); 3] = [(50.0, "🚀 EXCELLENT"), (20.0, "✅ Good"), (5.0, "👍 Modest")];
const LIMITED: &str = "⚠️ Limited";
/// Width of the rules around the comparison summary.
const WIDTH: usize = 65;

/// Returns the blocks of normal scheduling and of a policy, and the summary that compares both.
pub(super) fn lines(config: &Config, load: &Load, before: &Half, after: &Half) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, half) in [("Normal (Normal)", before), (&format!("{} (RT)", config.policy), after)] {
        lines.push(String::new());
        lines.extend(block(name, config.fps, load, half));
    }
    lines.push(String::new());
    lines.extend(summary(before, after).unwrap_or_default());
    lines
}

fn block(name: &str, fps: f64, load: &Load, half: &Half) -> Vec<String> {
    let periods = HoloscanStatistics::of(&half.periods_millis).unwrap_or_default();
    let executions = HoloscanStatistics::of(&half.executions_millis).unwrap_or_default();
    let seconds = half.periods_millis.iter().sum::<f64>() / 1e3;
    let call = match call_nanos(load) {
        Some(nanos) => format!("{:.1}ms per call", nanos / 1e6),
        None => "n/a".to_owned(),
    };
    vec![
        "Benchmark Results:".to_owned(),
        format!("  Configuration: {name}"),
        format!("  Target FPS: {fps:.1}"),
        format!("  ★ Frame Period Std Dev: {:.3}ms  ← KEY METRIC", periods.std_dev),
        format!("  Frame Period Mean: {:.3}ms (Target: {:.1}ms)", periods.average, 1_000.0 / fps),
        format!("  Execution Time Std Dev: {:.3}ms", executions.std_dev),
        format!("  Execution Time Mean: {:.3}ms", executions.average),
        format!("  Frame Period Min/Max: {:.1}ms / {:.1}ms", periods.min, periods.max),
        format!("  Execution Range: {:.3}ms - {:.3}ms", executions.min, executions.max),
        format!("  Frame Count: {}", half.executions_millis.len()),
        format!("  Total Duration: {seconds:.2}s"),
        format!("  Load Duration: {call}"),
    ]
}

/// Returns the comparison; `None` if a mode has no frames.
fn summary(before: &Half, after: &Half) -> Option<Vec<String>> {
    let of = |pick: fn(&Half) -> &[f64]| {
        let both = HoloscanStatistics::of(pick(before)).zip(HoloscanStatistics::of(pick(after)))?;
        Some((both.0.std_dev, both.1.std_dev))
    };
    let (period_before, period_after) = of(|half| &half.periods_millis)?;
    let (work_before, work_after) = of(|half| &half.executions_millis)?;
    // Negative is better, unlike in the later version of the tool.
    let change = |before: f64, after: f64| {
        if 0.0 < before { (after / before - 1.0) * 100.0 } else { 0.0 }
    };
    let period = change(period_before, period_after);
    let (rule, line) = ("=".repeat(WIDTH), "-".repeat(WIDTH));
    Some(vec![
        rule.clone(),
        "COMPARISON SUMMARY".to_owned(),
        rule,
        format!("{:24}Normal    Real-time    Improvement", ""),
        line,
        format!(
            "★ Frame Period Std Dev: {period_before:<12.3} {period_after:<10.3} {period:+.1}% ★"
        ),
        format!("{} real-time improvement!", mark(-period)),
        format!(
            "  Exec Time Std Dev:     {work_before:<12.3} {work_after:<10.3} {:+.1}%",
            change(work_before, work_after)
        ),
    ])
}

/// Returns the mark of a reduction in percent.
fn mark(reduction: f64) -> &'static str {
    MARKS.iter().find(|(limit, _)| *limit <= reduction).map_or(LIMITED, |(_, mark)| mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_begin_at_50_20_and_5_percent() {
        for (reduction, expected) in [
            (83.6, "🚀 EXCELLENT"),
            (50.0, "🚀 EXCELLENT"),
            (49.9, "✅ Good"),
            (20.0, "✅ Good"),
            (19.9, "👍 Modest"),
            (5.0, "👍 Modest"),
            (4.9, "⚠️ Limited"),
            (-30.0, "⚠️ Limited"),
        ] {
            assert_eq!(mark(reduction), expected, "{reduction}");
        }
    }
}
