//! Output of JMH for RSProt's benchmarks: a table per thread count, and the multi-threaded ratio that RSProt publishes.

use super::ReferenceLine;
use crate::plan::Work;
use crate::plan::work::CycleKind;
use crate::report::game_tick::TickFigures;
use crate::report::model::configuration::Configuration;
use crate::run::{Run, TrialRun, counter};
use crate::units::format_count;

/// Which figures can be compared with those that RSProt publishes.
const COMPARABLE: &str = "native encoder; RSProt's JVM scores are not comparable, efficiency is";

/// Returns the tables, one per workload and thread count, each with a heading as in RSProt's document. The
/// multi-threaded ratio follows the tables of each workload. With the first score, a line on standard error states
/// what can be compared with RSProt's scores, and after each workload, what its packets hold.
pub(super) fn lines(run: &Run, rows: &[Configuration]) -> Vec<ReferenceLine> {
    let (mut lines, mut has_note) = (Vec::new(), false);
    for kind in [CycleKind::Players, CycleKind::Npcs] {
        let ticks: Vec<&TickFigures> = rows
            .iter()
            .filter_map(|row| row.figures.get::<TickFigures>())
            .filter(|ticks| ticks.cycle.kind == kind)
            .collect();
        for ticks in &ticks {
            lines.push(heading(ticks.cycle.threads));
            lines.extend(table(ticks));
            if !has_note {
                lines.push(ReferenceLine::error(COMPARABLE));
                has_note = true;
            }
            lines.push(ReferenceLine::out(""));
        }
        if let Some(ratio) = ratio(&ticks, run.machine.physical_cores) {
            lines.push(ReferenceLine::out(format!("Multithreaded ratio: {ratio:.2}x")));
            lines.push(ReferenceLine::out(""));
        }
        lines.extend(contents(run, kind).map(ReferenceLine::error));
    }
    lines
}

/// Returns the contents of the packets of a cycle, with which the work of two encoders can be compared; `None` if they
/// were not counted, as in older files. RSProt prints no such counts.
fn contents(run: &Run, kind: CycleKind) -> Option<String> {
    let is_of_kind = |trial: &&TrialRun| match trial.trial.work {
        Work::GameCycle(cycle) => cycle.kind == kind,
        _ => false,
    };
    let trials: Vec<&TrialRun> = run
        .trials
        .iter()
        .filter(is_of_kind)
        .filter(|trial| trial.counters.contains_key(counter::PACKET_RECORDS))
        .collect();
    let mean = |name| {
        let counts = trials.iter().filter_map(|trial| trial.counters.get(name));
        let sum: i64 = counts.sum();
        sum.checked_div(i64::try_from(trials.len()).ok()?)
    };
    let [bytes, records, blocks] =
        [counter::PACKET_BYTES, counter::PACKET_RECORDS, counter::PACKET_BLOCKS].map(mean);
    Some(format!(
        "{}: {} bytes, {} records, and {} blocks per cycle; RSProt prints none, so the work is not compared",
        benchmark(kind),
        format_count(bytes?),
        format_count(records?),
        format_count(blocks?),
    ))
}

fn heading(threads: u32) -> ReferenceLine {
    ReferenceLine::out(match threads {
        1 => "Single-threaded measurements:".to_owned(),
        threads => format!("Multithreaded measurements ({threads} threads):"),
    })
}

const fn benchmark(kind: CycleKind) -> &'static str {
    match kind {
        CycleKind::Players => "PlayerInfoBenchmark.benchmark",
        CycleKind::Npcs => "NpcInfoBenchmark.benchmark",
    }
}

/// Returns the title line and the result line of a table. A column is two characters wider than its widest cell, the
/// error column one. With a single iteration, count and error are empty.
fn table(ticks: &TickFigures) -> [ReferenceLine; 2] {
    let name = benchmark(ticks.cycle.kind);
    let count = match ticks.iterations.len() {
        1 => String::new(),
        count => count.to_string(),
    };
    let score = format!("{:.3}", ticks.mean_nanos / 1e6);
    let error = ticks.error_nanos.map(|error| format!("{:.3}", error / 1e6));
    let sign = if error.is_some() { "±" } else { " " };
    let error = error.unwrap_or_default();
    let names = name.len();
    let counts = count.len().max("Cnt".len()) + 2;
    let scores = score.len().max("Score".len()) + 2;
    let errors = error.len().max("Error".len()) + 1;
    [
        format!(
            "{:<names$}  Mode{:>counts$}{:>scores$}  {:>errors$}  Units",
            "Benchmark", "Cnt", "Score", "Error"
        ),
        format!(
            "{name:<names$}  avgt{count:>counts$}{score:>scores$} {sign}{error:>errors$}  ms/op"
        ),
    ]
    .map(ReferenceLine::out)
}

/// Returns the speedup of the highest thread count over one thread, per physical core that these threads use. `None` if
/// one of the two thread counts was not measured, or if the number of cores is not known.
fn ratio(ticks: &[&TickFigures], physical_cores: Option<u32>) -> Option<f64> {
    let one = ticks.iter().find(|ticks| ticks.cycle.threads == 1)?;
    let most = ticks.iter().max_by_key(|ticks| ticks.cycle.threads)?;
    let (threads, cores) = (most.cycle.threads, physical_cores?);
    (1 < threads && 0.0 < most.mean_nanos)
        .then(|| one.mean_nanos / most.mean_nanos / f64::from(threads.min(cores)))
}
