//! Machine and trust of a report as lines: a name and a value.

use crate::platform::PowerSource;
use crate::report::Report;
use crate::run::{Annotation, Run};
use crate::units::{format_count, format_share};

/// A line: name and value.
pub(super) type Line<'a> = (&'a str, String);

/// A count in groups of three digits.
pub(super) fn count(count: usize) -> String {
    format_count(u64::try_from(count).unwrap_or(u64::MAX))
}

/// The machine; what is not known is omitted.
pub fn machine(run: &Run) -> Vec<(&'static str, String)> {
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
            Some(cores) => format!("{threads} CPUs, {cores} physical cores"),
            None => format!("{threads} CPUs"),
        }),
    );
    add(
        "Memory",
        machine.memory_bytes.map(|bytes| {
            let mebibytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
            format!("{:.1} GiB", f64::from(mebibytes) / 1024.0)
        }),
    );
    add("System", machine.os.clone());
    add("Kernel", machine.kernel.clone());
    add("Virtual machine", machine.virtualization.clone());
    let source = machine.power.source.map(|source| match source {
        PowerSource::Mains => "AC power".to_owned(),
        PowerSource::Battery { percent: Some(percent) } => format!("battery, {percent}%"),
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
                "{}, {} ns resolution, {:.0} ns per read",
                clock.name,
                clock.resolution.get(),
                clock.read_cost_nanos
            )
        }),
    );
    lines
}

/// The user's notes about instants and ranges: place and text. Where there are several trials, the place names
/// the trial.
pub(super) fn annotations(run: &Run) -> Vec<(String, String)> {
    let line = |one: &Annotation| {
        let trial = run.trials.get(one.trial)?;
        let place = match run.trials.len() {
            1 => one.place(),
            _ => format!("{}, {}", trial.trial.label, one.place()),
        };
        Some((place, one.text.clone()))
    };
    run.annotations.iter().filter_map(line).collect()
}

/// How reliable the run is, besides its warnings; `has_machine` where what else ran there may be named.
pub(super) fn trust(run: &Run, report: &Report, has_machine: bool) -> Vec<Line<'static>> {
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
        ("Samples", format!("{}, {lost}", count(run.sample_count()))),
        ("Measuring time", format!("{:.1} s", run.measured().as_secs())),
        ("Program", format!("Jitterscope {}, method {}", run.app_version, run.method_version)),
        ("Run", run.id.to_string()),
    ];
    if let Some(share) = foreign.filter(|_| has_machine) {
        lines.insert(1, ("Other programs", format!("{} of one CPU", format_share(share))));
    }
    lines
}
