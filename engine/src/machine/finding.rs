//! Finds reasons for late frames on a PC, with remedies. Pure functions from facts to sentences.

use serde::Serialize;

use super::{ClockFacts, Detail, Machine};
use crate::nanos::Nanos;
use crate::platform::{Capability, PowerSource, RealtimeProbe, TraceState};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Known to make frames late.
    Matters,
    /// Sometimes makes frames late.
    May,
}

/// A remedy: a sentence, and a command that the user may copy. The app never runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The remedy in one sentence.
    pub what: String,
    /// The command that applies the remedy; empty if there is none.
    pub command: String,
}

/// A reason for late frames on this PC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The severity of the finding.
    pub weight: Weight,
    /// The finding as a title, in a few words.
    pub what: String,
    /// Why the finding makes frames late.
    pub why: String,
    /// Remedies.
    pub steps: Vec<Step>,
}

pub(super) fn step(what: &str, command: &str) -> Step {
    Step { what: what.to_owned(), command: command.to_owned() }
}

fn finding(weight: Weight, what: &str, why: &str, steps: Vec<Step>) -> Finding {
    Finding { weight, what: what.to_owned(), why: why.to_owned(), steps }
}

/// A clock read that takes longer than this many nanoseconds affects results.
const SLOW_READ_NANOS: f64 = 200.0;
/// From this temperature on, a processor is close to thermal throttling.
const HOT_MILLICELSIUS: i64 = 90_000;
/// At least this much swapped memory, in bytes, is a finding. Below 64 MiB, it is usually stale
/// pages from startup.
const SWAP_WARNING_BYTES: u64 = 64 << 20;

/// Returns every reason for late frames on this PC, most severe first.
pub fn findings(
    machine: &Machine,
    detail: &Detail,
    clock: &ClockFacts,
    realtime: &RealtimeProbe,
) -> Vec<Finding> {
    let mut found = Vec::new();
    if !realtime.is_granted {
        found.push(finding(
            Weight::Matters,
            "Real-time priority is denied",
            "Other programs can delay even the most urgent thread.",
            permission_steps(detail, machine.system().starts_with("Linux")),
        ));
    }
    if let Some(host) = &machine.virtualization {
        found.push(finding(
            Weight::Matters,
            &format!("This is a virtual machine ({host})"),
            "The host can preempt virtual CPUs without this system seeing it.",
            vec![step("Measure on the host, or dedicate CPUs to this virtual machine there.", "")],
        ));
    }
    if let Some(percent) = detail.system.cpu_quota_percent {
        found.push(finding(
            Weight::Matters,
            &format!("CPU quota: {percent}% of one CPU"),
            "Once the quota is used up, every thread is throttled until the next period.",
            vec![step("Run Jitterscope outside the container, or without a CPU limit.", "")],
        ));
    }
    conditions(machine, detail, &mut found);
    clocks(detail, clock, &mut found);
    found.sort_by_key(|finding| finding.weight);
    found
}

/// Adds findings about power, heat, and memory.
fn conditions(machine: &Machine, detail: &Detail, found: &mut Vec<Finding>) {
    if let Some(PowerSource::Battery { .. }) = machine.power.source {
        found.push(finding(
            Weight::Matters,
            "This PC runs on battery",
            "To save power, CPUs run at lower frequencies and enter deeper idle states.",
            vec![step("Connect the power adapter.", "")],
        ));
    }
    let names = detail.system.governors.iter().map(|(name, _)| name.as_str());
    let slow: Vec<&str> = names.filter(|name| machine.is_slow_plan(name)).collect();
    if !slow.is_empty() {
        found.push(finding(
            Weight::May,
            &format!("The frequency governor is {}", slow.join(", ")),
            "After idling, a CPU starts the next frame at a low frequency.",
            vec![step(
                "Switch to the performance governor (until reboot).",
                "sudo cpupower frequency-set -g performance",
            )],
        ));
    }
    if detail.system.millicelsius.is_some_and(|heat| HOT_MILLICELSIUS <= heat) {
        found.push(finding(
            Weight::Matters,
            "The CPU is hot",
            "It is close to thermal throttling.",
            vec![step("Let it cool down, and check fans and dust.", "")],
        ));
    }
    if detail.memory.swap_used_bytes.is_some_and(|used| SWAP_WARNING_BYTES <= used) {
        found.push(finding(
            Weight::May,
            "Memory was swapped to disk",
            "A frame that touches swapped memory waits for the disk.",
            vec![step("Close programs that you do not need.", "")],
        ));
    }
}

/// Adds findings about the clock, timers, and the limit on real-time threads.
fn clocks(detail: &Detail, clock: &ClockFacts, found: &mut Vec<Finding>) {
    if 0 < clock.went_backwards_count {
        found.push(finding(
            Weight::Matters,
            "The clock went backward",
            "Results shorter than the jumps are not reliable.",
            vec![step("Check for a firmware update.", "")],
        ));
    }
    let slow_clock = detail.system.clock_source.as_ref().filter(|(current, available)| {
        ["hpet", "acpi_pm"].contains(&current.as_str())
            && available.iter().any(|name| name == "tsc")
    });
    if let Some((current, _)) = slow_clock {
        found.push(finding(
            Weight::Matters,
            &format!("The clock source is {current}, not the TSC"),
            "Each read accesses the chipset and takes about a microsecond.",
            vec![step(
                "Try the TSC until reboot. The kernel had a reason to reject it.",
                "echo tsc | sudo tee \
                 /sys/devices/system/clocksource/clocksource0/current_clocksource",
            )],
        ));
    } else if SLOW_READ_NANOS < clock.read_cost_nanos {
        found.push(finding(
            Weight::May,
            "Clock reads are slow",
            "The read overhead is part of every measured value.",
            Vec::new(),
        ));
    }
    if Nanos::from_millis(1) <= clock.resolution {
        found.push(finding(
            Weight::Matters,
            "The clock resolution is one millisecond or coarser",
            "Shorter delays cannot be measured.",
            Vec::new(),
        ));
    }
    let is_tight = detail.system.realtime_bandwidth.is_some_and(|bandwidth| {
        bandwidth
            .runtime_micros
            .is_some_and(|runtime| runtime.saturating_mul(2) < bandwidth.period_micros)
    });
    if is_tight {
        found.push(finding(
            Weight::May,
            "Real-time threads get less than half of each period",
            "A thread that runs longer is throttled until the next period.",
            vec![step(
                "Find out why the limit was set before you change it.",
                "sysctl kernel.sched_rt_runtime_us",
            )],
        ));
    }
}

/// Returns the safe ways to get real-time priority, simplest first. The user decides which one to use.
pub fn permission_steps(detail: &Detail, is_linux: bool) -> Vec<Step> {
    if !is_linux {
        return Vec::new();
    }
    let mut steps = Vec::new();
    if detail.system.container.is_some() {
        steps.push(step(
            "In a container, add the capability when you start it. Some hosts deny it regardless.",
            "docker run --cap-add SYS_NICE …",
        ));
    }
    steps.push(step(
        "Option A: allow priorities up to 20 for your user, then sign out and in again.",
        "printf '%s\\n' \"$USER - rtprio 20\" \"$USER - nice -11\" | sudo tee \
         /etc/security/limits.d/95-jitterscope.conf",
    ));
    // `setcap` replaces all capabilities of a file: the command must name the file whose
    // capabilities are listed.
    let capabilities = detail.system.file_capabilities.with(Capability::SYS_NICE);
    let program = detail.system.program.as_deref().unwrap_or("jitterscope");
    steps.push(step(
        "Option B: grant this program the capability to change scheduling. Each update of the program \
         removes it.",
        &capabilities.command(program),
    ));
    steps
}

/// Returns how to let this program record which program had a CPU, and how to undo it; empty where it may already, or where
/// no command permits it.
pub fn trace_steps(detail: &Detail, trace: &TraceState) -> Vec<Step> {
    let program = detail.system.program.as_deref().unwrap_or("jitterscope");
    let Some([allow, undo]) = trace.remedy(program, detail.system.file_capabilities) else {
        return Vec::new();
    };
    vec![
        step(
            "Grant this program the capability to record context switches of all programs, then start it again. It also \
             permits profiling every process on this PC. Each update of the program removes it.",
            &allow,
        ),
        step("To undo this later:", &undo),
    ]
}

#[cfg(test)]
mod tests;
