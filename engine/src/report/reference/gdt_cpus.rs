//! Output of `frame_jitter` of gdt-cpus 2025.5.0: CPU block, configurations, and a table in whole microseconds.

use super::ReferenceLine;
use crate::machine::Machine;
use crate::nanos::Nanos;
use crate::plan::{CpuChoice, LoadLevel, Priority};
use crate::platform::{Applied, CoreKind, Cpu, Policy, Refusal, RequestOutcome};
use crate::report::model::configuration::Configuration;
use crate::report::paced::is_rebased;
use crate::run::{Run, TrialRun, counter};
use crate::stats::{PercentileRule, Quantile, Sorted};

/// Frame time minus target frame time, each rounded down to whole microseconds: min, p50, p95, and p99. Every
/// percentile is a measured value: the one at its position in the sorted list.
type Jitter = [i64; 4];

/// Returns the lines of a run by the gdt-cpus method; `None` if no measured loop re-based its schedule.
pub(super) fn lines(run: &Run, rows: &[Configuration]) -> Option<Vec<ReferenceLine>> {
    let measured: Vec<(&Configuration, &TrialRun, Jitter)> = rows
        .iter()
        .filter(|row| is_rebased(row))
        .filter_map(|row| {
            let mut trials = row.trials.iter().filter_map(|&position| run.trials.get(position));
            let late = trials.clone().flat_map(TrialRun::each_value).collect();
            Some((row, trials.next()?, jitter(late, row.period)?))
        })
        .collect();
    if measured.is_empty() {
        return None;
    }
    let mut lines = cpu_block(&run.machine);
    for (row, trial, _) in &measured {
        lines.extend(configuration(row, trial));
    }
    let head = [
        "",
        "Results Summary (jitter in microseconds):",
        "Configuration                      |   Min |   p50 |   p95 |   p99",
        "-----------------------------------|-------|-------|-------|-------",
    ];
    lines.extend(head.map(ReferenceLine::out));
    for (row, _, [min, p50, p95, p99]) in &measured {
        lines.push(ReferenceLine::out(format!(
            "{:<34} | {min:5} | {p50:5} | {p95:5} | {p99:5}",
            row_label(row)
        )));
    }
    lines.extend(lower_priorities(&measured.iter().map(|(row, ..)| *row).collect::<Vec<_>>()));
    Some(lines)
}

/// Returns the line on standard error that states which real-time priorities the tool uses instead of those that
/// applied here; `None` without a configuration at a real-time policy.
fn lower_priorities(rows: &[&Configuration]) -> Option<ReferenceLine> {
    let mut applied: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(row.granted.as_ref()?.effective.policy))
        .filter(|policy| matches!(policy, Policy::RoundRobin(_) | Policy::Fifo(_)))
        .map(|policy| policy.to_string())
        .collect();
    applied.dedup();
    let applied = (!applied.is_empty()).then(|| applied.join(" and "))?;
    Some(ReferenceLine::error(format!(
        "gdt-cpus 2025.5.0 runs Highest at RR 97 and TimeCritical at RR 99; here they ran at {applied}, because \
         threads of the kernel, from priority 50 on, have to run before a test"
    )))
}

/// Returns the figures of lateness values, given in nanoseconds; `None` without a value. In a loop that re-bases its
/// schedule, lateness is frame time minus target frame time.
fn jitter(late_nanos: Vec<i64>, period: Nanos) -> Option<Jitter> {
    let whole_micros = |nanos: i64| nanos / 1_000;
    let late = late_nanos.into_iter();
    let micros = late
        .map(|late| whole_micros(late.saturating_add(period.get())) - whole_micros(period.get()));
    let sorted = Sorted::of(micros.collect())?;
    let at = |quantile| {
        let value = sorted.percentile(quantile, PercentileRule::FrameJitter);
        Nanos::from_nanos_f64(value).get()
    };
    Some([sorted.min(), at(Quantile::P50), at(Quantile::P95), at(Quantile::P99)])
}

fn cpu_block(machine: &Machine) -> Vec<ReferenceLine> {
    let cores = |is_efficient: bool| {
        let of_kind = |cpu: &&Cpu| (cpu.kind == CoreKind::Efficiency) == is_efficient;
        // A CPU whose core is not reported counts as a separate core.
        let core = |cpu: &Cpu| (cpu.package, cpu.core.ok_or(cpu.logical));
        let mut cores: Vec<_> = machine.cpus.iter().filter(of_kind).map(core).collect();
        cores.sort_unstable();
        cores.dedup();
        cores.len()
    };
    let model = machine.cpu_brand.as_deref().or(machine.cpu_model.as_deref());
    [
        "Frame Loop Jitter Benchmark".to_owned(),
        "===========================".to_owned(),
        "CPU Info:".to_owned(),
        format!("  Model: {}", model.unwrap_or_default()),
        format!("  Performance cores: {}", cores(false)),
        format!("  Efficiency cores: {}", cores(true)),
        format!("  Logical cores: {}", machine.cpus.len()),
    ]
    .map(ReferenceLine::out)
    .into()
}

/// Returns the block that the tool prints when a configuration starts. Denied requests go to standard error.
fn configuration(row: &Configuration, trial: &TrialRun) -> Vec<ReferenceLine> {
    let cpu = trial.applied.as_ref().and_then(|applied| applied.selected_cpu);
    let workers = trial.counters.get(counter::LOAD_THREADS).copied().unwrap_or(0);
    let mut lines: Vec<ReferenceLine> = [
        String::new(),
        "--- Running Frame Loop Test ---".to_owned(),
        format!("Frame thread priority: {}", level(row.conditions.priority).replace(' ', "")),
        format!("Pin to core: {cpu:?}"),
        format!("Background workers: {workers}"),
    ]
    .map(ReferenceLine::out)
    .into();
    for worker in 0..u32::try_from(workers).unwrap_or(0) {
        let is_normal = row.load.priority.level(worker) == LoadLevel::Normal;
        let priority = if is_normal { "Normal" } else { "BelowNormal" };
        lines.push(ReferenceLine::out(format!(
            "Background worker {worker} started with priority {priority}"
        )));
    }
    if let Some(granted) = &row.granted {
        lines.extend(denied(row, granted, cpu));
    }
    lines
}

fn denied(row: &Configuration, granted: &Applied, cpu: Option<u32>) -> Vec<ReferenceLine> {
    let is_of_pin = |refusal: &&Refusal| {
        refusal.requested.starts_with("CPU") || refusal.requested.ends_with("core")
    };
    let mut lines = Vec::new();
    if granted.priority != RequestOutcome::Granted || granted.demoted {
        let refusals = granted.refusals.iter().filter(|refusal| !is_of_pin(refusal));
        let reasons: Vec<String> = refusals.map(ToString::to_string).collect();
        lines.push(ReferenceLine::error(format!(
            "Failed to set frame thread priority: {}; ran at {}",
            reasons.join(", "),
            row.applied_text()
        )));
    }
    if granted.pin != RequestOutcome::Granted {
        let reason = granted.refusals.iter().find(is_of_pin).map(ToString::to_string);
        let core = cpu.map_or_else(String::new, |cpu| format!(" to core {cpu}"));
        lines.push(ReferenceLine::error(format!(
            "Failed to pin frame thread{core}: {}",
            reason.unwrap_or_default()
        )));
    }
    lines
}

/// Returns the priority level as the table shows it. Without spaces, this is the name in the source code of gdt-cpus.
fn level(priority: Priority) -> String {
    match priority {
        Priority::Idle => "Background".to_owned(),
        Priority::BelowNormal => "Below Normal".to_owned(),
        Priority::AboveNormal => "Above Normal".to_owned(),
        Priority::TimeCritical => "TimeCritical".to_owned(),
        other => other.name(),
    }
}

/// Returns the label of a table row: `Above Normal Priority, No Pin`, followed by the other differences from the
/// remaining configurations.
fn row_label(row: &Configuration) -> String {
    let pin = match row.conditions.cpu {
        CpuChoice::Any => "No Pin".to_owned(),
        CpuChoice::Performance | CpuChoice::FirstPerformance => "P-core Pin".to_owned(),
        CpuChoice::Efficiency => "E-core Pin".to_owned(),
        CpuChoice::Cpu(cpu) => format!("CPU {cpu} Pin"),
    };
    let rest = row.label.strip_prefix(&row.conditions.to_string()).unwrap_or_default();
    format!("{} Priority, {pin}{rest}", level(row.conditions.priority))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_whole_microseconds_by_position() {
        let late = (0..600).map(|k| k * 10_000 + 999).collect();
        let period = Nanos::from_micros(16_670);
        assert_eq!(jitter(late, period), Some([0, 3_000, 5_700, 5_940]));
        assert_eq!(jitter(Vec::new(), period), None);
    }
}
