//! Facts about the machine and the reliability of a report, as pairs of name and value.

use std::borrow::Cow;

use crate::machine::{Machine, NOT_REPORTED};
use crate::platform::{PowerSource, TraceSource};
use crate::report::{Report, trace_state};
use crate::run::{Annotation, Capture, Run};
use crate::units::{count_text, cut, format_count, format_share};

/// Returns the power source, and the governor (Linux) or power plan (Windows). Unknown values are omitted.
fn power(machine: &Machine) -> impl Iterator<Item = String> {
    let source = machine.power.source.map(|source| match source {
        PowerSource::Mains => "AC power".to_owned(),
        PowerSource::Battery { percent: Some(percent) } => format!("battery, {percent}%"),
        PowerSource::Battery { percent: None } => "battery".to_owned(),
    });
    source.into_iter().chain(machine.power.governor_or_plan.clone())
}

/// Returns the facts about the machine and its clock, as names and values. Unknown values are omitted.
pub fn machine(run: &Run) -> Vec<(&'static str, String)> {
    let machine = &run.machine;
    let mut lines = Vec::new();
    let mut add = |name, value: Option<String>| {
        lines.extend(value.filter(|value| !value.is_empty()).map(|value| (name, value)));
    };
    // What everyone asks of a capture is shown also where its file does not state it.
    let capture = run.capture();
    let is_of_frames = matches!(capture, Some(Capture::Frames(_) | Capture::SampledLog(_)));
    let stated = |value: &Option<String>, is_asked: bool| {
        value.clone().or_else(|| is_asked.then(|| NOT_REPORTED.to_owned()))
    };
    let fact = |value| stated(value, capture.is_some());
    // A server's ticks and a histogram of latencies have nothing to do with a GPU.
    let gpu_fact = |value| stated(value, is_of_frames);
    add("Processor", fact(&machine.cpu_model));
    let threads = machine.cpus.len();
    add(
        "CPUs",
        (0 < threads).then(|| match machine.physical_cores {
            Some(cores) => {
                format!("{}, {}", count_text(threads, "CPUs"), count_text(cores, "physical cores"))
            }
            None => count_text(threads, "CPUs"),
        }),
    );
    add(
        "Memory",
        machine.memory_bytes.map(|bytes| {
            let mebibytes = u32::try_from(bytes >> 20).unwrap_or(u32::MAX);
            format!("{:.1} GiB", f64::from(mebibytes) / 1024.0)
        }),
    );
    add("GPU", gpu_fact(&machine.gpu));
    add("GPU driver", gpu_fact(&machine.gpu_driver));
    add("System", fact(&machine.os));
    add("Kernel", machine.kernel.clone());
    add("Virtual machine", machine.virtualization.clone());
    add("Power", Some(power(machine).collect::<Vec<_>>().join(", ")));
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

/// Describes the machine in one line: "AMD EPYC, 2 CPUs (virtual machine, KVM), Debian 12, Linux 6.18,
/// AC power".
pub fn machine_line(run: &Run) -> String {
    let machine = &run.machine;
    let mut words: Vec<String> = machine.cpu_model.iter().cloned().collect();
    let host = machine.virtualization.as_ref();
    let host = host.map_or_else(String::new, |host| format!(" (virtual machine, {host})"));
    match machine.cpus.len() {
        0 => {}
        count => words.push(format!("{}{host}", count_text(count, "CPUs"))),
    }
    words.extend(machine.gpu.clone());
    words.extend(machine.os.clone());
    words.extend(machine.known_system().filter(|system| machine.os.as_ref() != Some(system)));
    words.extend(power(machine));
    if words.is_empty() { format!("machine {NOT_REPORTED}") } else { words.join(", ") }
}

/// Describes the measurement quality in one line: "none of 1 800 frames lost, ran as requested
/// (nice 0, CPU 1)".
pub(crate) fn quality(run: &Run, report: &Report, has_machine: bool) -> String {
    let lost = match run.lost_count() {
        0 => "none".to_owned(),
        lost => format_count(lost),
    };
    let samples = run.sample_count();
    // A capture and a recording hold what a log has: whether the other program lost frames is not known.
    let lost = format!("{lost} of {} {} lost", format_count(samples), run.subject.samples_name());
    let mut words: Vec<String> = run.plan().is_some().then_some(lost).into_iter().collect();
    if let Some(share) = foreign_share(report).filter(|_| has_machine) {
        words.push(format!("other programs {} of one CPU", format_share(share)));
    }
    let applied = report.rows.iter().filter(|row| row.granted.is_some());
    match (applied.clone().filter(|row| !row.is_as_requested()).count(), report.rows.as_slice()) {
        (0, [row]) if row.granted.is_some() => {
            words.push(format!("ran as requested ({})", row.applied_text().replace(" · ", ", ")));
        }
        (0, _) if 0 < applied.clone().count() => words.push("ran as requested".to_owned()),
        (0, _) => {}
        (denied, rows) => words.push(format!("{denied} of {} not as requested", rows.len())),
    }
    words.extend(trace_state(run).map(|state| match state.source {
        Some(TraceSource::Kernel) => "kernel trace".to_owned(),
        Some(TraceSource::AllSwitches) => "trace with names of programs".to_owned(),
        Some(TraceSource::OwnSwitches) => "trace of own switches".to_owned(),
        None => "counters only".to_owned(),
    }));
    words.join(", ")
}

/// Maximum number of annotations and tags in a document, and of characters of a note and of a tag: as many as the window
/// saves. A file of another program may have more, which are in JSON alone.
const MAX_ANNOTATIONS: usize = 500;
const MAX_TAGS: usize = 20;
const MAX_TAG: usize = 200;
pub(super) const MAX_NOTE: usize = 10_000;

/// Returns the tags of a run in a line.
pub(super) fn tags(run: &Run) -> String {
    let tags: Vec<Cow<'_, str>> =
        run.tags.iter().take(MAX_TAGS).map(|tag| cut(tag, MAX_TAG)).collect();
    match run.tags.len().saturating_sub(MAX_TAGS) {
        0 => tags.join(", "),
        others => format!("{}, and {} more", tags.join(", "), format_count(others)),
    }
}

/// Returns the user's notes about points and ranges in time, each as its position in time and its text. If the run has
/// several trials, the position includes the label of the trial.
pub(crate) fn annotations(run: &Run) -> Vec<(String, String)> {
    let line = |one: &Annotation| {
        let trial = run.trials.get(one.trial)?;
        let place = match run.trials.len() {
            1 => one.place(),
            _ => format!("{}, {}", trial.trial.label, one.place()),
        };
        Some((place, one.text.clone()))
    };
    let mut lines: Vec<(String, String)> =
        run.annotations.iter().take(MAX_ANNOTATIONS).filter_map(line).collect();
    let others = run.annotations.len().saturating_sub(MAX_ANNOTATIONS);
    if 0 < others {
        lines.push(("Not listed".to_owned(), count_text(others, "annotations")));
    }
    lines
}

/// Returns the CPU time of other programs as a share of one CPU: the max over the configurations, or `None` if it is
/// not known for any of them.
fn foreign_share(report: &Report) -> Option<f64> {
    report.rows.iter().filter_map(|row| row.foreign_share).reduce(f64::max)
}
