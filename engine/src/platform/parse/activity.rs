//! Parsers for interrupts and softirqs of one CPU, and for stalls, from files of `/proc`.

use super::{InterruptRow, interrupt_rows};

/// Max length of the name of an interrupt, in characters: drivers define these names.
const MAX_NAME_CHARS: usize = 40;

/// Parses name and count of each row of `/proc/interrupts` or `/proc/softirqs` for one CPU: "47
/// nvme0q3", "LOC", "NET_RX". Rows without a count per CPU are omitted, and all rows if the CPU is
/// offline.
pub fn counts_of_cpu(text: &str, cpu: u32) -> Vec<(String, u64)> {
    let of_cpu = |row: InterruptRow<'_>| {
        let (_, count) = *row.counts.iter().find(|(counted, _)| *counted == cpu)?;
        let is_line = row.label.bytes().all(|byte| byte.is_ascii_digit());
        let device = if is_line { device(&row.words) } else { String::new() };
        let name = format!("{} {device}", row.label);
        let letters = name.trim_end().chars().filter(|letter| !letter.is_control());
        Some((letters.take(MAX_NAME_CHARS).collect(), count))
    };
    interrupt_rows(text).into_iter().filter_map(of_cpu).collect()
}

/// Returns the device of an interrupt from the words after the counts: skips the interrupt controller,
/// the number of the interrupt at that controller, and the trigger.
fn device(words: &[&str]) -> String {
    let is_trigger = |word: &&str| {
        let word = word.to_ascii_lowercase();
        ["edge", "level", "fasteoi"].iter().any(|kind| {
            word == *kind || word.strip_suffix(kind).is_some_and(|rest| rest.ends_with('-'))
        })
    };
    let after = words.iter().position(is_trigger).map_or(0, |at| at + 1);
    let rest = words.get(after..).filter(|rest| !rest.is_empty()).unwrap_or(words);
    rest.join(" ")
}

/// Parses how long at least one program has waited for a resource since boot, in microseconds, from the
/// file of this resource in `/proc/pressure`.
pub fn stall_micros(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// Parses the number of periods in which a control group was throttled, from its `cpu.stat`.
pub fn throttled_periods(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `/proc/interrupts` as recorded, from the test data of github.com/prometheus/procfs, shortened.
    const VIRTUAL: &str = "           CPU0       CPU1       CPU2       CPU3\n  0:         49          0          0          0   IO-APIC   2-edge      timer\n  9:          0          0          0          0   IO-APIC   9-fasteoi   acpi\n 28:          0          0          0       1989   PCI-MSI 114692-edge      virtio5-req.3\n 29:       1362          0          0        934   PCI-MSI 512000-edge      ahci[0000:00:1f.2]\nNMI:          0          0          0          0   Non-maskable interrupts\nLOC:      10196       7429       8542       8229   Local timer interrupts\nERR:          0\nMIS:          0\n";
    /// `/proc/interrupts` as recorded on a virtual machine under load, shortened.
    const MSIX: &str = "           CPU0       CPU1       \n 24:          1          0  IO-APIC   5-edge      ACPI:Ged\n 36:          0     229080 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\nTLB:     100208      95424   TLB shootdowns\n";
    /// `/proc/interrupts` as invented for this test, in the layouts of WSL 2 and of an ARM kernel.
    const MADE: &str = "            CPU0       CPU1\n 24:          3          0  Hyper-V PCIe MSI 4611686018695757824-edge      virtio0-config\n 27:         11         12     GICv3  27 Level     arch_timer\n 40:          1          2  IR-PCI-MSI 1048576-edge      nvme0q3\n 41:          7          7     dummy\nHVS:         20         30   Hyper-V stimer0 interrupts\n";
    /// `/proc/softirqs` as recorded, from the test data of github.com/prometheus/procfs, shortened.
    const SOFTIRQS: &str = "                    CPU0       CPU1       \n          HI:          3          0\n       TIMER:    2776180     247490\n      NET_RX:      55919      28694\n";

    fn found(text: &str, cpu: u32) -> Vec<(String, u64)> {
        counts_of_cpu(text, cpu)
    }

    fn named(counts: &[(&str, u64)]) -> Vec<(String, u64)> {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn interrupts_of_a_cpu_have_their_device() {
        let expected = [
            ("0 timer", 0),
            ("9 acpi", 0),
            ("28 virtio5-req.3", 1_989),
            ("29 ahci[0000:00:1f.2]", 934),
            ("NMI", 0),
            ("LOC", 8_229),
        ];
        assert_eq!(found(VIRTUAL, 3), named(&expected));
        let expected = [("24 ACPI:Ged", 0), ("36 virtio1-req.0", 229_080), ("TLB", 95_424)];
        assert_eq!(found(MSIX, 1), named(&expected));
        let expected = [
            ("24 virtio0-config", 3),
            ("27 arch_timer", 11),
            ("40 nvme0q3", 1),
            ("41 dummy", 7),
            ("HVS", 20),
        ];
        assert_eq!(found(MADE, 0), named(&expected));
        let expected = [("HI", 0), ("TIMER", 247_490), ("NET_RX", 28_694)];
        assert_eq!(found(SOFTIRQS, 1), named(&expected));
    }

    #[test]
    fn a_large_machine_with_offline_cpus_is_read_by_its_header() {
        // Invented for this test: 128 CPUs, of which every third is offline.
        let cpus: Vec<u32> = (0..128).filter(|cpu| cpu % 3 != 2).collect();
        let header = cpus.iter().map(|cpu| format!("       CPU{cpu}")).collect::<Vec<_>>().concat();
        let row = |of: &dyn Fn(u32) -> u32| -> String {
            cpus.iter().map(|&cpu| format!("{:>11}", of(cpu))).collect::<Vec<_>>().concat()
        };
        let text = format!(
            "    {header}\n  47:{}  IR-PCI-MSIX-0000:01:00.0    3-edge      nvme0q3\n LOC:{}   Local timer interrupts\n",
            row(&|cpu| cpu * 10),
            row(&|cpu| cpu + 1),
        );
        assert_eq!(found(&text, 126), named(&[("47 nvme0q3", 1_260), ("LOC", 127)]));
        assert_eq!(found(&text, 125), [], "offline");
        assert_eq!(found(&text, 4), named(&[("47 nvme0q3", 40), ("LOC", 5)]));
    }

    #[test]
    fn what_a_container_hides_is_absent() {
        assert_eq!(found("", 0), []);
        assert_eq!(found("           CPU0\n", 0), []);
        assert_eq!(found("           CPU0\n 1: x  IO-APIC\n 2\n", 0), []);
        assert_eq!(stall_micros(""), None);
        assert_eq!(throttled_periods("usage_usec 5\n"), None);
    }

    #[test]
    fn stalls_and_throttled_periods_are_read() {
        // A file of `/proc/pressure` as recorded, from the test data of github.com/prometheus/procfs.
        let text = "some avg10=0.10 avg60=2.00 avg300=3.85 total=15\n\
                    full avg10=0.20 avg60=3.00 avg300=4.95 total=25\n";
        assert_eq!(stall_micros(text), Some(15));
        assert_eq!(throttled_periods("nr_periods 9\nnr_throttled 4\nthrottled_usec 8\n"), Some(4));
    }
}
