//! The kernel's activity counters of one CPU: interrupts, idle states, throttling, pressure.

use super::super::activity::{self, ActivityCounts};
use super::super::parse::{self, activity as parsed};
use super::{cgroup, cpu_times, read};

/// Returns the activity counters of a CPU. Call this only before and after a trial: some of the
/// files are long on a machine with many CPUs, and a CPU in a deep idle state takes time to wake
/// up.
pub fn cpu_activity(cpu: u32) -> ActivityCounts {
    let mut counts = ActivityCounts::new();
    let mut add = |name: String, value: Option<u64>| {
        let value = value.and_then(|value| i64::try_from(value).ok());
        counts.extend(value.map(|value| (name, value)));
    };
    for (all, prefix, file) in [
        (activity::ALL_INTERRUPTS, activity::INTERRUPTS_OF, "/proc/interrupts"),
        (activity::ALL_SOFTIRQS, activity::SOFTIRQS_OF, "/proc/softirqs"),
    ] {
        let sources = parsed::counts_of_cpu(&read(file).unwrap_or_default(), cpu);
        let sum = sources.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
        add(all.to_owned(), (!sources.is_empty()).then_some(sum));
        // Names are unique: each begins with the label of its row.
        for (name, count) in sources {
            add(format!("{prefix}{name}{}", activity::COUNT), Some(count));
        }
    }
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
    let number = |file: &str| read(&format!("{folder}/{file}"))?.parse::<u64>().ok();
    for state in 0..16 {
        let file = |name: &str| format!("cpuidle/state{state}/{name}");
        let Some(name) = read(&format!("{folder}/{}", file("name"))) else { break };
        let name = name.trim();
        let nanos = |name: &str| number(&file(name)).and_then(|micros| micros.checked_mul(1_000));
        add(
            format!("{}{name}{}", activity::IDLE_ENTRIES_OF, activity::COUNT),
            number(&file("usage")),
        );
        add(format!("{}{name}{}", activity::IDLE_TIME_OF, activity::NANOS), nanos("time"));
        add(format!("{}{name}{}", activity::IDLE_LATENCY_OF, activity::NANOS), nanos("latency"));
    }
    let throttles = |name: &str| number(&format!("thermal_throttle/{name}_throttle_count"));
    add(activity::CORE_THROTTLES.to_owned(), throttles("core"));
    add(activity::PACKAGE_THROTTLES.to_owned(), throttles("package"));
    add(activity::QUOTA_THROTTLES.to_owned(), cgroup::throttled_periods());
    for (name, file) in [
        (activity::MEMORY_STALL, "/proc/pressure/memory"),
        (activity::IO_STALL, "/proc/pressure/io"),
    ] {
        let micros = read(file).and_then(|text| parsed::stall_micros(&text));
        add(name.to_owned(), micros.and_then(|micros| micros.checked_mul(1_000)));
    }
    let siblings = read(&format!("{folder}/topology/thread_siblings_list")).unwrap_or_default();
    let mut siblings = parse::cpu_list(&siblings);
    siblings.retain(|sibling| *sibling != cpu);
    if !siblings.is_empty() {
        let times = cpu_times().unwrap_or_default();
        let busy: Option<i64> =
            siblings.iter().map(|sibling| Some(times.get(sibling)?.programs())).sum();
        add(activity::SIBLING_BUSY.to_owned(), busy.and_then(|busy| u64::try_from(busy).ok()));
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_this_machine_rise() {
        let cpus = crate::platform::usable_cpus();
        let began = crate::platform::clock_nanos();
        let before: Vec<ActivityCounts> = cpus.iter().map(|&cpu| cpu_activity(cpu)).collect();
        println!("{} ns for {} CPUs", crate::platform::clock_nanos() - began, cpus.len());
        std::thread::sleep(std::time::Duration::from_millis(50));
        let risen: Vec<ActivityCounts> = before
            .iter()
            .zip(&cpus)
            .map(|(before, &cpu)| activity::risen(before, &cpu_activity(cpu)))
            .collect();
        println!("{risen:?}");
        let is_interrupt = |name: &String| name.starts_with(activity::INTERRUPTS_OF);
        if before.iter().any(|counts| counts.keys().any(is_interrupt)) {
            let is_any = risen.iter().any(|counts| counts.keys().any(is_interrupt));
            assert!(is_any, "a timer woke this thread");
        } else {
            println!("skipped: this system does not report interrupts");
        }
        assert!(!cpu_activity(u32::MAX).keys().any(is_interrupt));
    }
}
