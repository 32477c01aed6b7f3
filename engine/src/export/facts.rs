//! Machine and trust of a report as lines: a name and a value.

use crate::platform::PowerSource;
use crate::report::Report;
use crate::run::Run;

/// A line: name and value.
pub(super) type Line = (&'static str, String);

/// The machine; what is not known is left out.
pub(super) fn machine(run: &Run) -> Vec<Line> {
    let machine = &run.machine;
    let mut lines = Vec::new();
    let mut add = |name, value: Option<String>| {
        lines.extend(value.filter(|value| !value.is_empty()).map(|value| (name, value)));
    };
    add("Processor", machine.cpu_model.clone());
    let threads = machine.cpus.len();
    add(
        "CPUs",
        (0 < threads).then(|| match machine.physical_cores {
            Some(cores) => format!("{cores} cores, {threads} threads"),
            None => format!("{threads} threads"),
        }),
    );
    add("Memory", machine.memory_bytes.map(|bytes| format!("{} MiB", bytes >> 20)));
    add("System", machine.os.clone());
    add("Kernel", machine.kernel.clone());
    add("Virtual machine", machine.virtualization.clone());
    let source = machine.power.source.map(|source| match source {
        PowerSource::Mains => "mains".to_owned(),
        PowerSource::Battery { percent: Some(percent) } => format!("battery, {percent} %"),
        PowerSource::Battery { percent: None } => "battery".to_owned(),
    });
    let power: Vec<String> =
        source.into_iter().chain(machine.power.governor_or_plan.clone()).collect();
    add("Power", Some(power.join(", ")));
    let clock = &run.clock;
    add(
        "Clock",
        (!clock.name.is_empty()).then(|| {
            format!(
                "{}, {} ns steps, {:.0} ns per reading",
                clock.name,
                clock.resolution.get(),
                clock.read_cost_nanos
            )
        }),
    );
    lines
}

/// How far to trust the run, beside its cautions; `has_machine` where it may tell what else ran there.
pub(super) fn trust(run: &Run, report: &Report, has_machine: bool) -> Vec<Line> {
    let lost = match run.lost_count() {
        0 => "none lost".to_owned(),
        lost => format!("{lost} lost"),
    };
    let foreign = report
        .rows
        .iter()
        .filter_map(|row| row.foreign_share)
        .fold(None, |most, share| Some(most.map_or(share, |most: f64| most.max(share))));
    let mut lines = vec![
        ("Samples", format!("{}, {lost}", run.sample_count())),
        ("Measured for", format!("{:.1} s", run.measured().as_secs())),
        ("Program", format!("Jitterscope {}, method {}", run.app_version, run.method_version)),
        ("Run", run.id.to_string()),
    ];
    if let Some(share) = foreign.filter(|_| has_machine) {
        lines.insert(1, ("Other programs", format!("{:.1} % of a core", share * 100.0)));
    }
    lines
}

/// Microseconds: one decimal, two below ten; what is not 0 is never written as 0.
pub(super) fn micros(value: crate::nanos::Nanos) -> String {
    let size = value.as_micros().abs();
    if value != crate::nanos::Nanos::ZERO && size < 0.005 {
        return if value < crate::nanos::Nanos::ZERO { "> -0.01" } else { "< 0.01" }.to_owned();
    }
    let decimals = if size < 9.995 { 2 } else { 1 };
    format!("{:.decimals$}", value.as_micros())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;

    #[test]
    fn a_small_length_is_not_nothing() {
        for (nanos, text) in [
            (0, "0.00"),
            (1, "< 0.01"),
            (-1, "> -0.01"),
            (44, "0.04"),
            (9_996, "10.0"),
            (-52_340, "-52.3"),
        ] {
            assert_eq!(micros(Nanos::new(nanos)), text);
        }
    }
}
