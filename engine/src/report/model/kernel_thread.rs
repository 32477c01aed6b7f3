//! Kernel threads: how to recognize them by their names, and what they are for.

/// How the names of kernel threads begin, and what the threads are for.
const PURPOSES: [(&str, &str); 16] = [
    ("kdamond", "monitoring of memory use, DAMON"),
    ("kswapd", "memory reclaim"),
    ("kcompactd", "memory compaction"),
    ("khugepaged", "huge pages"),
    ("ksoftirqd", "softirqs: network, disks, timers"),
    ("ktimers", "timers of a real-time kernel"),
    ("kworker", "deferred work of drivers and the kernel"),
    ("kthreadd", "the start of kernel threads"),
    ("irq/", "interrupts of a device"),
    ("jbd2", "the journal of a file system"),
    ("btrfs", "a file system"),
    ("xfs", "a file system"),
    ("migration", "moving threads between CPUs"),
    ("rcu", "freeing of kernel data, RCU"),
    ("idle_inject", "forced idle, to save power or to cool down"),
    ("kvm", "virtual machines on this PC"),
];

/// Returns a sentence about a kernel thread and its purpose; `None` for other threads. The name of a kernel thread is
/// in square brackets: `[kswapd0]`.
pub fn kernel_thread(name: &str) -> Option<String> {
    let name = name.strip_prefix('[')?.strip_suffix(']')?;
    let known = PURPOSES.iter().find(|(begin, _)| name.starts_with(begin));
    let purpose = known.map_or_else(String::new, |(_, purpose)| format!(" ({purpose})"));
    Some(format!("It is part of the kernel{purpose} and cannot be closed."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_the_kernel_is_known_by_its_brackets_and_its_purpose_by_its_name() {
        for (name, expected) in [
            ("[kdamond.0]", Some(" (monitoring of memory use, DAMON)")),
            ("[kworker/u4:1-events_unbound]", Some(" (deferred work of drivers and the kernel)")),
            ("[irq/27-nvme0q1]", Some(" (interrupts of a device)")),
            ("[rcu_preempt]", Some(" (freeing of kernel data, RCU)")),
            ("[oom_reaper]", Some("")),
            ("kswapd0", None),
            ("steam.exe (audio)", None),
        ] {
            let words =
                |purpose| format!("It is part of the kernel{purpose} and cannot be closed.");
            assert_eq!(kernel_thread(name), expected.map(words), "{name}");
        }
    }
}
