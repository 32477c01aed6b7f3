//! Texts about a machine: hardware, capabilities, and a Markdown summary.

use jitterscope_engine::machine::{ClockFacts, Detail, Finding, Machine};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::{
    Cache, PowerSource, RealtimeProbe, RequestOutcome, TraceSource, TraceState,
};

use super::{count_text, format_bytes, format_count, format_time};

/// Whether the system grants a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapabilityState {
    /// Granted as requested.
    Yes,
    /// Granted in part, or by another mechanism.
    Partly,
    /// Requested and denied.
    No,
    /// Not supported by this system.
    NotHere,
}

impl CapabilityState {
    /// Returns the label on screen.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Yes => "Available",
            Self::Partly => "Limited",
            Self::No => "Denied",
            Self::NotHere => "Not available",
        }
    }
}

/// A capability of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The name of the capability.
    pub name: String,
    /// Whether the system grants the capability.
    pub allowed: CapabilityState,
    /// The value that the system applied, as read back; may be empty.
    pub applied: String,
    /// The limit of the capability, or why the system does not grant more; may be empty.
    pub note: String,
}

/// Returns the capabilities of the system, verified by testing them.
pub fn capabilities(
    detail: &Detail,
    realtime: &RealtimeProbe,
    can_pin: bool,
    trace: &TraceState,
) -> Vec<Capability> {
    let system = &detail.system;
    let mut capabilities: Vec<Capability> = realtime
        .outcomes
        .iter()
        .map(|(priority, applied)| Capability {
            name: format!("Priority: {}", priority.name()),
            allowed: match applied.priority {
                RequestOutcome::Granted => CapabilityState::Yes,
                RequestOutcome::Partly => CapabilityState::Partly,
                RequestOutcome::Refused => CapabilityState::No,
            },
            applied: if applied.mechanism.is_empty() {
                applied.effective.policy.to_string()
            } else {
                format!("{}, by {}", applied.effective.policy, applied.mechanism)
            },
            note: applied.refusals.first().map_or(String::new(), ToString::to_string),
        })
        .collect();
    let mut add = |name: &str, allowed: CapabilityState, applied: String, note: &str| {
        capabilities.push(Capability {
            name: name.to_owned(),
            allowed,
            applied,
            note: note.to_owned(),
        });
    };
    if can_pin {
        add("Pin a thread to a CPU", CapabilityState::Yes, "by its number".to_owned(), "");
    } else {
        let note = "The system decides where threads run";
        add("Pin a thread to a CPU", CapabilityState::NotHere, String::new(), note);
    }
    if let Some(bandwidth) = system.realtime_bandwidth {
        let millis = |micros: u64| format_count(micros / 1_000);
        let (allowed, applied) = match bandwidth.runtime_micros {
            Some(runtime) => (
                CapabilityState::Partly,
                format!("{} of {} ms", millis(runtime), millis(bandwidth.period_micros)),
            ),
            None => (CapabilityState::Yes, "no limit".to_owned()),
        };
        add("Real-time share of CPU time", allowed, applied, "System limit, not changed");
    }
    // The Linux capability `CAP_SYS_NICE` overrides the resource limits of the user.
    let is_above = system.may_set_priority == Some(true);
    if let Some((now, most)) = system.rtprio_limit {
        let word =
            |value: u64| if value == u64::MAX { "any".to_owned() } else { format_count(value) };
        let allowed = if 0 < now || is_above { CapabilityState::Yes } else { CapabilityState::No };
        let applied = format!("up to {}", word(now));
        let note = if is_above {
            "RLIMIT_RTPRIO; overridden by CAP_SYS_NICE".to_owned()
        } else {
            format!("RLIMIT_RTPRIO; hard limit {}", word(most))
        };
        add("Real-time priority of this user", allowed, applied, &note);
    }
    if let Some(nice) = system.min_nice {
        let allowed = if nice < 0 || is_above { CapabilityState::Yes } else { CapabilityState::No };
        let applied = format!("down to {}", nice.to_string().replace('-', "−"));
        let note = if is_above { "RLIMIT_NICE; overridden by CAP_SYS_NICE" } else { "RLIMIT_NICE" };
        add("Nice value of this user", allowed, applied, note);
    }
    if let Some(may) = system.may_set_priority {
        let (allowed, applied) = if may {
            (CapabilityState::Yes, "granted")
        } else {
            (CapabilityState::No, "not granted")
        };
        add("CAP_SYS_NICE capability", allowed, applied.to_owned(), "Overrides all limits");
    }
    let allowed = match (trace.source, trace.paranoid) {
        (Some(TraceSource::Kernel), _) => CapabilityState::Yes,
        (Some(_), _) => CapabilityState::Partly,
        (None, Some(_)) => CapabilityState::No,
        (None, None) => CapabilityState::NotHere,
    };
    let applied = trace.source.map_or("", TraceSource::label);
    add("Record who had the CPU", allowed, applied.to_owned(), &trace.sentence());
    capabilities
}

/// A line of facts: label and value.
pub type Line = (&'static str, String);

/// Returns facts about the machine. Facts that the system does not report are omitted.
pub fn system_lines(machine: &Machine, detail: &Detail) -> Vec<Line> {
    let memory = |total: u64| match detail.memory.available_bytes {
        Some(free) => format!("{}, {} free", format_bytes(total), format_bytes(free)),
        None => format_bytes(total),
    };
    let total = detail.memory.total_bytes.or(machine.memory_bytes);
    let lines = [
        ("System", machine.os.clone()),
        ("Kernel", machine.kernel.as_ref().map(|kernel| format!("{kernel}, {}", machine.arch))),
        ("Memory", total.map(memory)),
        ("Huge pages", detail.system.large_pages.clone()),
        ("Board", detail.system.board.clone()),
        ("Microcode", detail.system.microcode.clone()),
        ("Two threads per core", detail.system.smt.map(yes_or_no)),
        ("Container", detail.system.container.clone()),
    ];
    reported_lines(lines)
}

/// Returns the label of the setting that controls the CPU frequency on this system.
pub fn power_label(machine: &Machine) -> &'static str {
    let is_windows = machine.os.as_ref().is_some_and(|os| os.starts_with("Windows"));
    if is_windows { "Power plan" } else { "Governor" }
}

/// Returns conditions of the machine that may change within a day, such as the power source.
pub fn condition_lines(machine: &Machine, detail: &Detail, other_load: Option<f64>) -> Vec<Line> {
    let power = machine.power.source.map(|source| match source {
        PowerSource::Mains => "AC power".to_owned(),
        PowerSource::Battery { percent: Some(percent) } => format!("Battery, {percent}%"),
        PowerSource::Battery { percent: None } => "Battery".to_owned(),
    });
    let governors: Vec<String> = match detail.system.governors.as_slice() {
        [(name, _)] => vec![name.clone()],
        several => several
            .iter()
            .map(|(name, cpus)| format!("{name} ({})", count_text(*cpus, "CPUs")))
            .collect(),
    };
    let governor = (!governors.is_empty()).then(|| governors.join(", "));
    let heat = detail.system.millicelsius.map(|heat| format!("{} °C", heat / 1_000));
    let lines = [
        ("Power", power),
        (power_label(machine), governor.or_else(|| machine.power.governor_or_plan.clone())),
        ("Boost", detail.system.boost.map(|on| if on { "on" } else { "off" }.to_owned())),
        (
            "Other programs",
            other_load.map(|load| format!("{} of one CPU", super::format_share(load))),
        ),
        ("Virtual machine", Some(machine.virtualization.clone().unwrap_or("no".to_owned()))),
        ("Swap in use", detail.memory.swap_used_bytes.map(format_bytes)),
        ("Temperature", heat),
        ("Preemption", detail.system.preemption.clone()),
        ("CPU limit", detail.system.cpu_quota_percent.map(|most| format!("{most}% of one CPU"))),
    ];
    reported_lines(lines)
}

/// Returns facts about the quality of the clock.
pub fn clock_lines(clock: &ClockFacts, detail: &Detail) -> Vec<Line> {
    let others = detail.system.clock_source.as_ref().map(|(_, all)| all.join(", "));
    let backward = match clock.went_backwards_count {
        0 => "no".to_owned(),
        times => format!("{} of 10\u{202f}000 reads", format_count(times)),
    };
    let lines = [
        ("Source", Some(clock.name.clone())),
        ("Available sources", others.filter(|others| !others.is_empty())),
        ("Resolution", Some(format_time(clock.resolution))),
        ("Read overhead", Some(format_time(Nanos::from_nanos_f64(clock.read_cost_nanos)))),
        ("Went backward", Some(backward)),
    ];
    reported_lines(lines)
}

fn reported_lines<const N: usize>(lines: [(&'static str, Option<String>); N]) -> Vec<Line> {
    lines.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn yes_or_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

/// Returns the numbers of cores and logical CPUs: `8 cores, 16 logical CPUs`.
pub fn core_counts(machine: &Machine) -> String {
    let cpus = count_text(machine.cpus.len(), "logical CPUs");
    match machine.physical_cores {
        Some(cores) => format!("{}, {cpus}", count_text(cores, "cores")),
        None => cpus,
    }
}

/// Returns how many CPUs share a cache, after a comma: `, shared by 8 CPUs`. Empty for a cache of
/// a single CPU.
pub fn shared_by(cache: &Cache) -> String {
    match cache.cpus.len() {
        0 | 1 => String::new(),
        cpus => format!(", shared by {} CPUs", format_count(cpus)),
    }
}

/// Returns all facts about the machine as Markdown for a ticket, without host name and user name.
pub fn markdown(
    machine: &Machine,
    detail: &Detail,
    clock: &ClockFacts,
    capabilities: &[Capability],
    findings: &[Finding],
) -> String {
    let mut text = format!("# {}\n", machine.short());
    let mut section = |title: &str, lines: &[(String, String)]| {
        if lines.is_empty() {
            return;
        }
        text.push_str(&format!("\n## {title}\n\n| | |\n|---|---|\n"));
        for (name, value) in lines {
            text.push_str(&format!("| {name} | {} |\n", value.replace('|', "\\|")));
        }
    };
    let owned = |lines: Vec<Line>| -> Vec<(String, String)> {
        lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    };
    let mut processor = vec![("Cores".to_owned(), core_counts(machine))];
    processor.extend(detail.system.caches.iter().map(|cache| {
        let name = format!("L{} {}", cache.level, cache.kind.to_lowercase());
        (name, format!("{} KiB{}", format_count(cache.bytes >> 10), shared_by(cache)))
    }));
    section("Processor", &processor);
    section("System", &owned(system_lines(machine, detail)));
    section("Conditions", &owned(condition_lines(machine, detail, None)));
    section("Clock", &owned(clock_lines(clock, detail)));
    section("Scheduler", &machine.scheduler);
    let allowed: Vec<(String, String)> = capabilities
        .iter()
        .map(|ability| {
            let parts = [ability.allowed.word(), &ability.applied, &ability.note];
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            (ability.name.clone(), parts.join(" · "))
        })
        .collect();
    section("Capabilities", &allowed);
    let found: Vec<(String, String)> =
        findings.iter().map(|found| (found.what.clone(), found.why.clone())).collect();
    section("Issues found", &found);
    text
}

#[cfg(test)]
mod tests;
