//! What keeps a PC from keeping time, and what to do about it. Pure: from what was read to sentences.

use super::{ClockFacts, Detail, Machine};
use crate::nanos::Nanos;
use crate::platform::{PowerSource, RealtimeProbe};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is known to make frames late.
    Matters,
    /// It may, now and then.
    May,
}

/// Something to do: a sentence, and a command a person may copy. Nothing is ever run for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub what: String,
    /// The command; empty where there is none.
    pub command: String,
}

/// Something that keeps this PC from keeping time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub weight: Weight,
    /// What it is.
    pub what: String,
    /// Why it matters here.
    pub why: String,
    /// What can be done.
    pub steps: Vec<Step>,
}

fn step(what: &str, command: &str) -> Step {
    Step { what: what.to_owned(), command: command.to_owned() }
}

fn finding(weight: Weight, what: &str, why: &str, steps: Vec<Step>) -> Finding {
    Finding { weight, what: what.to_owned(), why: why.to_owned(), steps }
}

/// A reading of the clock that costs more than this is itself seen in results.
const DEAR_READING_NANOS: f64 = 200.0;
/// A processor this hot is near to slowing itself down.
const HOT_MILLICELSIUS: i64 = 90_000;
/// So much memory on a disk is more than what was left there long ago.
const MUCH_SWAP_BYTES: u64 = 64 << 20;

/// Everything that keeps this PC from keeping time, the weightiest first.
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
            "Real-time priority is refused",
            "Other programs can hold up even a thread that asks to come first.",
            permission_steps(detail, machine.system().starts_with("Linux")),
        ));
    }
    if let Some(host) = &machine.virtualisation {
        found.push(finding(
            Weight::Matters,
            &format!("This is a virtual machine ({host})"),
            "The host can take a CPU away without this system seeing it.",
            vec![step("Measure on the host, or give this machine CPUs of its own there.", "")],
        ));
    }
    if let Some(percent) = detail.system.cpu_quota_percent {
        found.push(finding(
            Weight::Matters,
            &format!("This program may use {percent}% of one CPU"),
            "Once that is used up, every thread stands still until the next period.",
            vec![step("Start it outside the container, or without a CPU limit.", "")],
        ));
    }
    conditions(machine, detail, &mut found);
    clocks(detail, clock, &mut found);
    found.sort_by_key(|finding| finding.weight);
    found
}

/// Power, heat and memory.
fn conditions(machine: &Machine, detail: &Detail, found: &mut Vec<Finding>) {
    if let Some(PowerSource::Battery { .. }) = machine.power.source {
        found.push(finding(
            Weight::Matters,
            "The PC runs on its battery",
            "Processors slow down and sleep more deeply to save power.",
            vec![step("Plug the PC in.", "")],
        ));
    }
    let names = detail.system.governors.iter().map(|(name, _)| name.as_str());
    let slow: Vec<&str> = names.filter(|name| *name != "performance").collect();
    if !slow.is_empty() {
        found.push(finding(
            Weight::May,
            &format!("The frequency governor is {}", slow.join(", ")),
            "A CPU that was idle begins its next frame at a low frequency.",
            vec![step(
                "Choose the performance governor until the next start.",
                "sudo cpupower frequency-set -g performance",
            )],
        ));
    }
    if detail.system.millicelsius.is_some_and(|heat| HOT_MILLICELSIUS <= heat) {
        found.push(finding(
            Weight::Matters,
            "The processor is hot",
            "It is near to the point where it slows itself down.",
            vec![step("Let it cool, and look to fans and dust.", "")],
        ));
    }
    if detail.memory.swap_used_bytes.is_some_and(|used| MUCH_SWAP_BYTES <= used) {
        found.push(finding(
            Weight::May,
            "Memory was moved to a disk",
            "A frame that touches such memory waits for the disk.",
            vec![step("Close programs that are not needed.", "")],
        ));
    }
}

/// Clock, timers and the limit on real-time threads.
fn clocks(detail: &Detail, clock: &ClockFacts, found: &mut Vec<Finding>) {
    if 0 < clock.went_backwards_count {
        found.push(finding(
            Weight::Matters,
            "The clock went backwards",
            "Results that are shorter than its jumps are not reliable.",
            vec![step("Look for an update of the firmware.", "")],
        ));
    }
    let slow_clock = detail.system.clock_source.as_ref().filter(|(current, available)| {
        ["hpet", "acpi_pm"].contains(&current.as_str())
            && available.iter().any(|name| name == "tsc")
    });
    if let Some((current, _)) = slow_clock {
        found.push(finding(
            Weight::Matters,
            &format!("The clock is {current}, not the processor's own"),
            "Each reading goes out to the chipset and takes about a microsecond.",
            vec![step(
                "Try the processor's clock until the next start. The kernel had a reason to leave it.",
                "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
            )],
        ));
    } else if DEAR_READING_NANOS < clock.read_cost_nanos {
        found.push(finding(
            Weight::May,
            "Reading the clock is slow here",
            "It is part of every number that is measured.",
            Vec::new(),
        ));
    }
    if Nanos::from_millis(1) <= clock.resolution {
        found.push(finding(
            Weight::Matters,
            "The clock moves in steps of a millisecond or more",
            "Shorter delays cannot be seen.",
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
            "One that works longer is stopped until the next period.",
            vec![step(
                "See what the limit was set for before changing it.",
                "sysctl kernel.sched_rt_runtime_us",
            )],
        ));
    }
}

/// The safe ways to get real-time priority, the plainest first. Each is for the person to decide on.
pub fn permission_steps(detail: &Detail, is_linux: bool) -> Vec<Step> {
    if !is_linux {
        return Vec::new();
    }
    let mut steps = Vec::new();
    if detail.system.container.is_some() {
        steps.push(step(
            "In a container, add the right when you start it. Some hosts refuse it in any case.",
            "docker run --cap-add SYS_NICE …",
        ));
    }
    steps.push(step(
        "Allow your user priorities up to 20, then sign out and in again.",
        "printf '%s\\n' \"$USER - rtprio 20\" \"$USER - nice -11\" | sudo tee \
         /etc/security/limits.d/95-jitterscope.conf",
    ));
    steps.push(step(
        "Or give this one program the right to change scheduling. It is lost with each update of the \
         program.",
        "sudo setcap cap_sys_nice=ep \"$(command -v jitterscope)\"",
    ));
    steps
}

#[cfg(test)]
mod tests;
