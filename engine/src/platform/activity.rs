//! Activity counters of one CPU, such as interrupts and idle states, by name. A name ends in its
//! unit; a counter that the system does not report is absent.

use std::collections::BTreeMap;

/// Counter values by name.
pub type ActivityCounts = BTreeMap<String, i64>;

/// Prefix of the counter of interrupts from one source. The rest of the name is the number and the
/// device of the interrupt, or the kernel's short name: `47 nvme0q3_count`, `LOC_count`.
pub const INTERRUPTS_OF: &str = "interrupts_of_";
/// Prefix of the counter of softirqs of one kind.
pub const SOFTIRQS_OF: &str = "softirqs_of_";
/// All interrupts of the CPU, whatever their source.
pub const ALL_INTERRUPTS: &str = "all_interrupts_count";
/// All softirqs of the CPU.
pub const ALL_SOFTIRQS: &str = "all_softirqs_count";
/// Time the CPU spent on interrupts.
pub const INTERRUPT_TIME: &str = "interrupt_time_nanos";
/// Time the CPU spent on deferred procedure calls (DPCs), which interrupts have queued (Windows).
pub const DEFERRED_TIME: &str = "deferred_time_nanos";
/// Prefix of the counter for one idle state: how often the CPU entered the state.
pub const IDLE_ENTRIES_OF: &str = "idle_entries_of_";
/// Prefix of the counter for one idle state: how long the CPU was in the state.
pub const IDLE_TIME_OF: &str = "idle_time_of_";
/// Prefix of the maximum exit latency of one idle state, as its driver states it. This is not a counter.
pub const IDLE_LATENCY_OF: &str = "idle_latency_of_";
/// Number of times that the firmware stopped the CPU (system management interrupts).
pub const SMI: &str = "smi_count";
/// Number of times that the core was throttled because of its heat.
pub const CORE_THROTTLES: &str = "core_throttles_count";
/// Number of times that the processor was throttled because of its heat.
pub const PACKAGE_THROTTLES: &str = "package_throttles_count";
/// Number of periods in which the control group was throttled because its CPU quota was used up.
pub const QUOTA_THROTTLES: &str = "quota_throttles_count";
/// Time in which any program waited for memory.
pub const MEMORY_STALL: &str = "memory_stall_nanos";
/// Time in which any program waited for a disk.
pub const IO_STALL: &str = "io_stall_nanos";
/// Time in which programs used the other CPUs of the same core.
pub const SIBLING_BUSY: &str = "sibling_busy_nanos";

/// Suffix of the name of a counter that is a number.
pub const COUNT: &str = "_count";
/// Suffix of the name of a counter that is a time in nanoseconds.
pub const NANOS: &str = "_nanos";

/// Max number of sources of interrupts and softirqs that are saved: the sources with the highest counts.
const MAX_SOURCES: usize = 12;

/// Returns the increase of each counter between two readings, and the exit latency of each idle
/// state. A source of interrupts or softirqs without an increase is omitted; any other counter is
/// then 0.
pub fn risen(before: &ActivityCounts, now: &ActivityCounts) -> ActivityCounts {
    let is_source = |name: &str| name.starts_with(INTERRUPTS_OF) || name.starts_with(SOFTIRQS_OF);
    let risen = |(name, now): (&String, &i64)| {
        if name.starts_with(IDLE_LATENCY_OF) {
            return Some((name.clone(), *now));
        }
        // A counter that has decreased was reset between the readings.
        let count = now.checked_sub(*before.get(name)?).filter(|count| 0 <= *count)?;
        (0 < count || !is_source(name)).then(|| (name.clone(), count))
    };
    let all: ActivityCounts = now.iter().filter_map(risen).collect();
    let mut sources: Vec<(&String, i64)> = all
        .iter()
        .filter(|(name, _)| is_source(name))
        .map(|(name, count)| (name, *count))
        .collect();
    sources.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), (*name).clone()));
    let few: Vec<&String> = sources.iter().skip(MAX_SOURCES).map(|(name, _)| *name).collect();
    let is_kept = |name: &String| !few.contains(&name);
    all.iter()
        .filter(|(name, _)| is_kept(name))
        .map(|(name, count)| (name.clone(), *count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, i64)]) -> ActivityCounts {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn what_rose_is_counted_and_a_total_of_zero_is_observed() {
        let before = counts(&[
            ("interrupts_of_47 nvme0q3_count", 5),
            ("interrupts_of_LOC_count", 9),
            ("idle_latency_of_C6_nanos", 133_000),
            (SMI, 4),
            (IO_STALL, 900),
        ]);
        let now = counts(&[
            ("interrupts_of_47 nvme0q3_count", 25),
            ("interrupts_of_LOC_count", 9),
            ("interrupts_of_50 new_count", 3),
            ("idle_latency_of_C6_nanos", 133_000),
            (SMI, 4),
            (IO_STALL, 700),
        ]);
        let expected = [
            ("idle_latency_of_C6_nanos", 133_000),
            ("interrupts_of_47 nvme0q3_count", 20),
            (SMI, 0),
        ];
        assert_eq!(risen(&before, &now), counts(&expected));
    }

    #[test]
    fn only_the_most_frequent_sources_are_kept() {
        let names: Vec<String> =
            (0..200).map(|k| format!("{INTERRUPTS_OF}{k} q{k}{COUNT}")).collect();
        let of = |times: i64| names.iter().cloned().zip((0..).map(|k| k * times)).collect();
        let risen = risen(&of(1), &of(3));
        assert_eq!(risen.len(), MAX_SOURCES);
        assert!(risen.values().all(|count| 2 * 188 <= *count), "{risen:?}");
    }
}
