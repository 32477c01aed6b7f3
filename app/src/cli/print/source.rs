//! Results in the layouts of the programs the tests come from, to hold beside theirs.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{Plan, Wait};
use jitterscope_engine::report::{Figures, Report, Row, WaitFigures};
use jitterscope_engine::run::Run;

/// The layout of the source of this kind of test; `None` where our own table is the layout.
pub(super) fn layout(run: &Run, report: &Report) -> Option<String> {
    match run.plan()? {
        Plan::FrameLoop(_) => frame_jitter(report),
        Plan::SleepAccuracy(_) => Some(sleeps(report)),
        Plan::SpinStrategies(_) => Some(spins(report)),
        Plan::SchedulingGaps(_) => Some(latency2(report)),
        Plan::RealTime(settings) => Some(comparison(report, settings.fps)),
        Plan::GameTick(_) => Some(scores(report)),
    }
}

/// The table of gdt-cpus' example: whole microseconds of frame time less the target; only for its method.
fn frame_jitter(report: &Report) -> Option<String> {
    let mut rows = vec![["Configuration", "Min", "p50", "p95", "p99"].map(str::to_owned).to_vec()];
    for row in &report.rows {
        let Some(source) = row.source else { continue };
        let figures = [source.min_micros, source.p50_micros, source.p95_micros, source.p99_micros];
        let mut cells = vec![row.label.clone()];
        cells.extend(figures.map(|micros| micros.to_string()));
        rows.push(cells);
    }
    let mut text =
        "frame time minus target in µs, by the rules of the reference tool\n\n".to_owned();
    super::columns(&mut text, &rows);
    (1 < rows.len()).then_some(text)
}

fn waits(report: &Report) -> impl Iterator<Item = (&Row, &WaitFigures)> {
    report.rows.iter().filter_map(|row| match &row.figures {
        Figures::Waits(waits) => Some((row, waits)),
        _ => None,
    })
}

/// A length as the source's language prints it: so many decimals and the unit without a space.
fn length(nanos: f64, decimals: usize) -> String {
    let (value, unit) = match nanos.abs() {
        nanos if nanos < 1e3 => (nanos, "ns"),
        nanos if nanos < 1e6 => (nanos / 1e3, "µs"),
        nanos if nanos < 1e9 => (nanos / 1e6, "ms"),
        nanos => (nanos / 1e9, "s"),
    };
    let negative = if nanos < 0.0 { "-" } else { "" };
    format!("{negative}{value:.decimals$}{unit}")
}

/// As few decimals as say it: `1ms`, `16.67ms`.
fn short(length: Nanos) -> String {
    length.to_string().replace("us", "µs")
}

/// `==> sleep 1ms` and `average: …, best : …, worst: …`, idle and under load.
fn sleeps(report: &Report) -> String {
    let mut text = String::new();
    let mut was_idle = None;
    for (row, figures) in waits(report) {
        let is_idle = row.load.is_none();
        if was_idle != Some(is_idle) {
            text.push_str(if is_idle { "# idle\n" } else { "# load\n" });
            was_idle = Some(is_idle);
        }
        let decimals = if figures.requested < Nanos::from_millis(1) { 1 } else { 3 };
        text.push_str(&format!(
            "==> sleep {}\naverage: {}, best : {}, worst: {}\n",
            short(figures.requested),
            length(figures.actual.mean_nanos, decimals),
            length(figures.actual.min.as_f64(), decimals),
            length(figures.actual.max.as_f64(), decimals),
        ));
    }
    text
}

/// `5ms    None          avg-spins: …  avg-actual: …`, idle and under load.
fn spins(report: &Report) -> String {
    let mut text = String::new();
    let mut was_idle = None;
    for (row, figures) in waits(report) {
        let Wait::Spin(strategy) = row.wait else { continue };
        let is_idle = row.load.is_none();
        if was_idle != Some(is_idle) {
            text.push_str(if is_idle { "# idle\n" } else { "# load\n" });
            was_idle = Some(is_idle);
        }
        text.push_str(&format!(
            "{:<6} {:<13} avg-spins: {:<8} avg-actual: {}\n",
            short(figures.requested),
            strategy.name(),
            Nanos::from_nanos_f64(figures.spins.floor()).get(),
            exact(figures.second_reading_nanos),
        ));
    }
    text
}

/// Whole nanoseconds in the unit that fits, without trailing zeros.
fn exact(nanos: f64) -> String {
    let text = length(nanos.round(), 6);
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    format!("{}{unit}", number.trim_end_matches('0').trim_end_matches('.'))
}

/// A line a CPU: `diff avg biggest smallest sumsq count runtime`, in seconds with six decimals.
fn latency2(report: &Report) -> String {
    let mut text = String::new();
    for row in &report.rows {
        let Figures::Gaps(gaps) = &row.figures else { continue };
        #[expect(
            clippy::cast_precision_loss,
            reason = "printed with six decimals, as the source does"
        )]
        let count = gaps.readings as f64;
        text.push_str(&format!(
            "{}: diff={:.6} avg={:.9} biggest={:.6} smallest={:.9} sumsq={:.6} count={count:.6} \
             runtime={:.6}\n",
            row.label,
            gaps.last.unwrap_or_default().as_secs(),
            gaps.mean_nanos / 1e9,
            gaps.biggest.as_secs(),
            gaps.smallest.as_secs(),
            gaps.square_secs,
            gaps.runtime.as_secs(),
        ));
    }
    text
}

/// The comparison's summary: period and execution time of both halves, and the improvement.
fn comparison(report: &Report, fps: f64) -> String {
    let mut text = String::new();
    let Some(normal) = report.rows.first() else { return text };
    let rule = "=".repeat(80);
    for (position, row) in report.rows.iter().enumerate().skip(1) {
        text.push_str(&format!(
            "{rule}\nBenchmark Results: {} against {}\n{rule}\nTarget FPS: {fps}\n\n",
            normal.label, row.label
        ));
        if !row.is_as_asked() {
            text.push_str(&format!(
                "{} was not granted: ran at {}\n\n",
                row.label,
                row.granted_text()
            ));
        }
        for (name, of) in [("Normal", normal), ("Real-time", row)] {
            let Some(summary) = &of.summary else { continue };
            for (what, spread) in [
                ("Frame Period", summary.frame_time.as_ref()),
                ("Execution Time", Some(&summary.work)),
            ] {
                let Some(spread) = spread else { continue };
                text.push_str(&format!(
                    "{name} {what} (ms):\n  Mean: {:.3}\n  Std Dev: {:.3}\n  Min: {:.3}\n  Max: \
                     {:.3}\n  Count: {}\n",
                    spread.mean_nanos / 1e6,
                    spread.std_dev_nanos.unwrap_or(f64::NAN) / 1e6,
                    spread.min.as_millis(),
                    spread.max.as_millis(),
                    spread.count,
                ));
            }
        }
        let change = report.changes.iter().find(|change| change.policy == position);
        if let Some(fall) = change.and_then(|change| change.period) {
            let rating = match fall.share {
                share if 0.50 < share => "Excellent",
                share if 0.20 < share => "Good",
                share if 0.05 < share => "Modest",
                _ => "Limited",
            };
            text.push_str(&format!(
                "\nPeriod Std Dev Improvement: {:.1}%{} ({rating})\n\n",
                fall.share * 100.0,
                fall.interval.map_or(String::new(), |(low, high)| format!(
                    " (95% interval {:.1} to {:.1}%)",
                    low * 100.0,
                    high * 100.0
                )),
            ));
        }
    }
    text
}

/// `Benchmark Mode Cnt Score Error Units`, and the ratio of one thread to all.
fn scores(report: &Report) -> String {
    let mut text = format!(
        "{:<28} {:>4} {:>4} {:>10}   {:>8}  Units\n",
        "Benchmark", "Mode", "Cnt", "Score", "Error"
    );
    for row in &report.rows {
        let Figures::Ticks(ticks) = &row.figures else { continue };
        text.push_str(&format!(
            "{:<28} {:>4} {:>4} {:>10.3} ± {:>8}  ms/op\n",
            row.label,
            "avgt",
            row.trials.len(),
            ticks.mean_nanos / 1e6,
            ticks.error_nanos.map_or("NaN".to_owned(), |error| format!("{:.3}", error / 1e6)),
        ));
    }
    for scaling in report.scaling.iter().filter(|scaling| 1 < scaling.threads) {
        if let Some(efficiency) = scaling.efficiency {
            text.push_str(&format!(
                "{}: single / {} threads / cores used = {efficiency:.2}\n",
                scaling.kind.name(),
                scaling.threads
            ));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_look_like_those_of_the_source() {
        assert_eq!(length(53_712.0, 1), "53.7µs");
        assert_eq!(length(1_062_400.0, 3), "1.062ms");
        assert_eq!(exact(5_000_073.0), "5.000073ms");
        assert_eq!(exact(163.0), "163ns");
        assert_eq!(short(Nanos::from_micros(900)), "900µs");
        assert_eq!(short(Nanos::from_millis(5)), "5ms");
    }
}
