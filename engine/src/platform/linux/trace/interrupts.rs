//! Interrupts that no tracepoint records, such as the timers of Hyper-V and interrupts that a later kernel adds.

use std::collections::BTreeMap;

use super::super::super::Missing;
use super::super::super::parse::interrupt_rows;
use super::super::read;
use super::tracepoints::Layout;

/// Counts interrupts that no tracepoint records, from the numbers of these interrupts on each CPU at the start.
#[derive(Debug)]
pub(super) struct Untraced {
    layout: Layout,
    before: BTreeMap<(String, u32), u64>,
}

impl Untraced {
    /// Saves the current numbers of interrupts; `None` if the system reports no interrupts.
    pub(super) fn open(layout: &Layout) -> Option<Self> {
        let before = untraced(layout, &read("/proc/interrupts")?);
        Some(Self { layout: layout.clone(), before })
    }

    /// Returns the kinds of interrupts since `open` that no tracepoint records, with the CPUs on which they occurred.
    pub(super) fn since_open(&self) -> Vec<Missing> {
        let text = read("/proc/interrupts").unwrap_or_default();
        more(&self.before, untraced(&self.layout, &text))
    }
}

fn untraced(layout: &Layout, text: &str) -> BTreeMap<(String, u32), u64> {
    let rows = interrupt_rows(text).into_iter().filter(|row| !layout.records_row(row.label));
    rows.flat_map(|row| {
        let label = row.label;
        row.counts.into_iter().map(move |(cpu, count)| ((label.to_owned(), cpu), count))
    })
    .collect()
}

fn more(before: &BTreeMap<(String, u32), u64>, now: BTreeMap<(String, u32), u64>) -> Vec<Missing> {
    let mut cpus: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for ((label, cpu), count) in now {
        let key = (label, cpu);
        if before.get(&key).is_none_or(|before| *before < count) && 0 < count {
            cpus.entry(key.0).or_default().push(cpu);
        }
    }
    let missing =
        |(label, cpus)| Missing { event: format!("{label} interrupts"), errno: None, cpus };
    cpus.into_iter().map(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "           CPU0       CPU2       \n  24:          1          0  IO-APIC   5-edge      ACPI:Ged\n \
        NMI:          0          0   Non-maskable interrupts\n HVS:        900        100   Hyper-V stimer0 interrupts\n \
        MCP:          4          4   Machine check polls\n ERR:          0\n";
    const AFTER: &str = "           CPU0       CPU2       \n  24:          9          0  IO-APIC   5-edge      ACPI:Ged\n \
        NMI:          0          3   Non-maskable interrupts\n HVS:        900        150   Hyper-V stimer0 interrupts\n \
        MCP:          5          5   Machine check polls\n ERR:          1\n";

    #[test]
    fn interrupts_that_no_tracepoint_records_are_missing_where_they_came() {
        // A layout without tracepoints: non-maskable interrupts (NMI) are not recorded either.
        let layout = Layout::default();
        let found = more(&untraced(&layout, BEFORE), untraced(&layout, AFTER));
        let missing = |event: &str| Missing { event: event.to_owned(), errno: None, cpus: vec![2] };
        assert_eq!(found, [missing("HVS interrupts"), missing("NMI interrupts")]);
        let same = untraced(&layout, BEFORE);
        assert_eq!(more(&same, untraced(&layout, BEFORE)), []);
    }
}
