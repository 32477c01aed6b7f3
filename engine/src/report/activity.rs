//! System activity around the measured CPU, which the breakdown of a single frame cannot show:
//! interrupts by device, idle states, firmware interruptions (SMI), throttling, pressure, and the
//! sibling CPUs of the core.

use std::collections::BTreeMap;

use super::model::cause::DEEP_IDLE;
use super::model::configuration::Configuration;
use super::model::table::{Cell, Column, Table, TableBuilder};
use crate::nanos::Nanos;
use crate::platform::activity as name;
use crate::run::{Run, TrialRun, counter};
use crate::units::format_time;

/// The text that a cell without a value shows if the system does not provide the counter.
const NOT_OBSERVABLE: &str = "not observable here";
/// Max number of interrupt sources, and of softirq sources, in the table. Sources with lower counts than
/// these are omitted.
const MAX_SOURCES: usize = 6;

/// A counter and its value, or a counter that this system does not provide.
#[derive(Debug)]
struct ActivityLine<'a> {
    configuration: usize,
    label: &'a str,
    kind: &'static str,
    name: String,
    /// The count; absent for a counter of time, and if the system does not provide the counter.
    count: Option<i64>,
    /// The time; absent for a counter of occurrences, and if the system does not provide the counter.
    time: Option<Nanos>,
    window: Nanos,
    advice: String,
}

/// The counters of a configuration, summed over all rounds.
#[derive(Debug, Default)]
struct Counted {
    counts: BTreeMap<String, i64>,
    window: Nanos,
    cpus: Vec<i64>,
}

impl Counted {
    fn add(&mut self, trial: &TrialRun) {
        let of = |name| trial.counters.get(name).copied();
        let (Some(cpu), Some(window)) =
            (of(counter::ACTIVITY_CPU), of(counter::ACTIVITY_WINDOW_NANOS))
        else {
            return;
        };
        if !self.cpus.contains(&cpu) {
            self.cpus.push(cpu);
        }
        self.window += Nanos::new(window);
        for (name, &count) in &trial.counters {
            let sum = self.counts.entry(name.clone()).or_insert(0);
            // The exit latency of an idle state is a constant, not a counter: it is not summed.
            let is_fact = name.starts_with(name::IDLE_LATENCY_OF);
            *sum = if is_fact { count } else { sum.saturating_add(count) };
        }
    }

    fn get(&self, name: &str) -> Option<i64> {
        self.counts.get(name).copied()
    }

    /// Returns the counters whose name begins with `prefix` and ends with `unit`. Each is a pair of the
    /// text between `prefix` and `unit`, and the value. The highest value comes first.
    fn of(&self, prefix: &str, unit: &str) -> Vec<(&str, i64)> {
        let named = self.counts.iter().filter_map(|(name, count)| {
            Some((name.strip_prefix(prefix)?.strip_suffix(unit)?, *count))
        });
        let mut named: Vec<(&str, i64)> = named.collect();
        named.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        named
    }

    fn lines<'a>(&self, configuration: usize, row: &'a Configuration) -> Vec<ActivityLine<'a>> {
        let line = |kind, name: &str| ActivityLine {
            configuration,
            label: &row.label,
            kind,
            name: name.to_owned(),
            count: None,
            time: None,
            window: self.window,
            advice: String::new(),
        };
        let mut lines = Vec::new();
        for (kind, all, prefix) in [
            ("Interrupt", name::ALL_INTERRUPTS, name::INTERRUPTS_OF),
            ("Softirq", name::ALL_SOFTIRQS, name::SOFTIRQS_OF),
        ] {
            let sources = self.of(prefix, name::COUNT);
            // If no source is listed, either no interrupt (or softirq) occurred, or the system does not
            // count by source.
            let none = self.get(all).filter(|count| *count == 0);
            if sources.is_empty() {
                let what = if none.is_some() { "all" } else { "" };
                lines.push(ActivityLine { count: none, ..line(kind, what) });
            }
            lines.extend(sources.into_iter().take(MAX_SOURCES).map(|(source, count)| {
                ActivityLine {
                    count: Some(count),
                    advice: source_advice(kind, source),
                    ..line(kind, &source_name(source))
                }
            }));
        }
        let states = self.of(name::IDLE_ENTRIES_OF, name::COUNT);
        if states.is_empty() {
            lines.push(line("Idle state", ""));
        }
        lines.extend(states.into_iter().map(|(state, count)| {
            let of = |prefix: &str| self.get(&format!("{prefix}{state}{}", name::NANOS));
            let latency = of(name::IDLE_LATENCY_OF).map(Nanos::new);
            let advice =
                latency.filter(|latency| DEEP_IDLE <= *latency && 0 < count).map(|latency| {
                    let latency = format_time(latency);
                    format!(
                        "Leaving it takes up to {latency}; keep CPUs out of deep idle to avoid it."
                    )
                });
            let time = of(name::IDLE_TIME_OF).map(Nanos::new);
            let advice = advice.unwrap_or_default();
            ActivityLine { count: Some(count), time, advice, ..line("Idle state", state) }
        }));
        for (kind, what, key, advice) in TOTALS {
            let value = self.get(key);
            // A system provides either the time of interrupts or the count of softirqs. If it counts
            // softirqs, the row for the time of interrupts is omitted.
            let is_of_interrupts = kind == "Interrupt";
            if is_of_interrupts && value.is_none() && self.get(name::ALL_SOFTIRQS).is_some() {
                continue;
            }
            let is_time = key.ends_with(name::NANOS);
            // There is advice from 1% of the measuring time on, as less is normal on every PC. There is no
            // advice if load threads of the test used the core, as they share it on purpose.
            let is_own = key == name::SIBLING_BUSY && !row.load.is_none();
            let least = match is_time {
                _ if is_own => i64::MAX,
                true => self.window.get() / 100,
                false => 1,
            };
            lines.push(ActivityLine {
                count: value.filter(|_| !is_time),
                time: value.filter(|_| is_time).map(Nanos::new),
                advice: if value.is_some_and(|value| least.max(1) <= value) { advice } else { "" }
                    .to_owned(),
                ..line(kind, what)
            });
        }
        lines
    }
}

/// The counters that have one total: kind, name, key of the counter, and advice if the total is high
/// (at least 1% of the time, or one occurrence).
const TOTALS: [(&str, &str, &str, &str); 9] = [
    (
        "Interrupt",
        "time",
        name::INTERRUPT_TIME,
        "Drivers served devices on this CPU: update them, or unplug what is not needed.",
    ),
    (
        "Interrupt",
        "time of deferred calls (DPC)",
        name::DEFERRED_TIME,
        "Drivers put off work to this CPU: update those of network, sound and graphics.",
    ),
    (
        "Firmware",
        "SMI",
        name::SMI,
        "The firmware stops every CPU: update it, or turn off its legacy USB and power features.",
    ),
    (
        "Throttling",
        "heat of the core",
        name::CORE_THROTTLES,
        "Check the cooling and the power limits.",
    ),
    (
        "Throttling",
        "heat of the processor",
        name::PACKAGE_THROTTLES,
        "Check the cooling and the power limits.",
    ),
    (
        "Throttling",
        "CPU quota",
        name::QUOTA_THROTTLES,
        "Run outside of the container, or without its CPU limit.",
    ),
    (
        "Pressure",
        "memory",
        name::MEMORY_STALL,
        "Programs waited for memory: close those that use the most.",
    ),
    ("Pressure", "disks", name::IO_STALL, "Programs waited for disks."),
    (
        "Same core",
        "programs on its other CPUs",
        name::SIBLING_BUSY,
        "They share the speed of the core: keep them idle, or pin to another core.",
    ),
];

/// Returns the name of a source of interrupts for display: "nvme0q3, IRQ 47", "local timer", "NET_RX".
fn source_name(source: &str) -> String {
    let known = |&(label, _): &(&str, &str)| label == source;
    if let Some((_, name)) = LABELS.iter().find(|one| known(one)) {
        return (*name).to_owned();
    }
    match source.split_once(' ') {
        Some((line, device)) if line.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{device}, IRQ {line}")
        }
        _ if !source.is_empty() && source.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("IRQ {source}")
        }
        _ => source.to_owned(),
    }
}

/// The Linux kernel's labels of interrupts without an IRQ number, each with the name for display.
const LABELS: [(&str, &str); 13] = [
    ("NMI", "non-maskable"),
    ("LOC", "local timer"),
    ("PMI", "performance counter"),
    ("IWI", "IRQ work"),
    ("RES", "reschedule"),
    ("CAL", "function call"),
    ("TLB", "TLB shootdown"),
    ("TRM", "thermal event"),
    ("THR", "threshold"),
    ("MCE", "machine check"),
    ("HYP", "hypervisor callback"),
    ("HVS", "Hyper-V timer"),
    ("HRE", "Hyper-V reenlightenment"),
];

/// Returns advice against a source of interrupts or softirqs; empty if there is no advice.
fn source_advice(kind: &str, source: &str) -> String {
    let Some((line, device)) = source.split_once(' ').filter(|_| kind == "Interrupt") else {
        return match source {
            "NET_RX" | "NET_TX" => "Network traffic is served on this CPU: move its queues.",
            "BLOCK" => "Disk requests end on this CPU: move the program that makes them.",
            _ => "",
        }
        .to_owned();
    };
    if device.starts_with("nvme") {
        return "The queue belongs to this CPU: move the thread, or the program that uses the disk."
            .to_owned();
    }
    format!("Move it with /proc/irq/{line}/smp_affinity_list, or update its driver.")
}

/// Returns the table of system activity; `None` if no trial has such counters, as in runs of
/// earlier versions.
pub(super) fn table(run: &Run, rows: &[Configuration]) -> Option<Table> {
    let (mut lines, mut cpus) = (Vec::new(), Vec::new());
    for (position, row) in rows.iter().enumerate() {
        let mut counted = Counted::default();
        for trial in row.trials.iter().filter_map(|&trial| run.trials.get(trial)) {
            counted.add(trial);
        }
        if Nanos::ZERO < counted.window {
            lines.extend(counted.lines(position, row));
            cpus.extend(counted.cpus);
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    let note = match cpus.as_slice() {
        [] => return None,
        [cpu] => format!("CPU {cpu}"),
        cpus => format!("CPUs {}", cpus.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    };
    Some(build(note, &lines))
}

fn build(note: String, lines: &[ActivityLine<'_>]) -> Table {
    let text = |text: &str, absent: &'static str| match text {
        "" => Cell::Absent(absent.into()),
        text => Cell::text_of(text),
    };
    TableBuilder::new("activity", "System activity on the measured CPU", note, lines)
        .column(
            Column::text("configuration", "Configuration", "Name of the configuration."),
            |line| Cell::text_of(line.label),
        )
        .column(
            Column::text("kind", "Kind", "What was counted: interrupts, idle states, and so on."),
            |line| Cell::text_of(line.kind),
        )
        .column(
            Column::text("name", "Name", "The device, the idle state, or the cause."),
            move |line| text(&line.name, NOT_OBSERVABLE),
        )
        .column(
            Column::count("count", "Count", "How often it happened during the measurement."),
            |line| match (line.count, line.time) {
                (Some(count), _) => u64::try_from(count).unwrap_or(0).into(),
                (None, Some(_)) => Cell::Absent("its time is counted".into()),
                (None, None) => Cell::Absent(NOT_OBSERVABLE.into()),
            },
        )
        .column(Column::rate("per_second", "Per second", "", "The same per second."), |line| {
            match line.count {
                Some(count) => Cell::Rate(Nanos::new(count).as_f64() / line.window.as_secs()),
                None => Cell::Absent("no count".into()),
            }
        })
        .column(
            Column::share("time_share", "Time", "Its time as a share of the measurement."),
            |line| match line.time {
                Some(time) => Cell::Share(time.as_f64() / line.window.as_f64()),
                None => Cell::Absent("no time is counted".into()),
            },
        )
        .column(
            Column::text("advice", "Advice", "What is likely to help.").optional(),
            move |line| text(&line.advice, "none needed"),
        )
        .each_row(|line, row| row.configuration = Some(line.configuration))
        .finish()
}

#[cfg(test)]
mod tests {
    use super::super::tests::test_run::run_of;
    use super::super::{Options, Report};
    use super::*;
    use crate::plan::{FrameLoop, Plan};

    /// Returns the activity table of a run that has these counters in each trial.
    fn of(counters: &[(&str, i64)]) -> Option<Table> {
        let run = run_of(Plan::FrameLoop(FrameLoop::default()), |trial| {
            let counters = counters.iter().map(|(name, value)| ((*name).to_owned(), *value));
            trial.counters.extend(counters);
        });
        let tables = Report::of(&run, &Options::default()).tables;
        tables.into_iter().find(|table| table.key == "activity")
    }

    fn row(table: &Table, name: &str) -> usize {
        let at = table.columns.iter().position(|column| column.key == "name").unwrap();
        table.rows.iter().position(|row| row.cells[at] == Cell::text_of(name)).unwrap()
    }

    #[test]
    fn interrupts_are_named_by_device_with_what_to_do() {
        let table = of(&[
            (counter::ACTIVITY_CPU, 3),
            (counter::ACTIVITY_WINDOW_NANOS, 2_000_000_000),
            ("interrupts_of_47 nvme0q3_count", 900),
            ("interrupts_of_125 enp5s0-TxRx-0_count", 40),
            ("interrupts_of_LOC_count", 2_000),
            ("softirqs_of_NET_RX_count", 38),
            ("idle_entries_of_C6_count", 120),
            ("idle_time_of_C6_nanos", 500_000_000),
            ("idle_latency_of_C6_nanos", 133_000),
            (name::SMI, 4),
            (name::CORE_THROTTLES, 0),
            (name::SIBLING_BUSY, 1_000_000_000),
            (name::IO_STALL, 15_000_000),
        ])
        .unwrap();
        assert_eq!(table.note, "CPU 3");
        let cell = |name: &str, key: &str| table.cell(row(&table, name), key).unwrap().clone();
        assert_eq!(cell("nvme0q3, IRQ 47", "count"), Cell::Count(900));
        assert_eq!(cell("nvme0q3, IRQ 47", "per_second"), Cell::Rate(450.0));
        assert_eq!(cell("local timer", "per_second"), Cell::Rate(1_000.0));
        let advice = |name: &str| cell(name, "advice");
        assert!(matches!(advice("nvme0q3, IRQ 47"), Cell::Text(text) if text.contains("queue")));
        let network = advice("enp5s0-TxRx-0, IRQ 125");
        assert!(matches!(network, Cell::Text(text) if text.contains("/proc/irq/125/")));
        assert_eq!(cell("C6", "time_share"), Cell::Share(0.25));
        let latency = format_time(Nanos::from_micros(133));
        assert!(matches!(advice("C6"), Cell::Text(text) if text.contains(&latency)));
        assert_eq!(cell("SMI", "count"), Cell::Count(4));
        assert_eq!(cell("programs on its other CPUs", "time_share"), Cell::Share(0.5));
        // These counters were read, but their values are too low for advice.
        assert_eq!(advice("disks").reason(), Some("none needed"), "less than 1%");
        assert_eq!(cell("heat of the core", "count"), Cell::Count(0));
        assert_eq!(advice("heat of the core").reason(), Some("none needed"));
        // A counter that the system does not provide is absent, not 0.
        for name in ["CPU quota", "heat of the processor", "memory"] {
            assert_eq!(cell(name, "count").reason(), Some(NOT_OBSERVABLE), "{name}");
        }
    }

    #[test]
    fn a_system_that_counts_nothing_says_so_and_an_older_run_has_no_table() {
        assert!(of(&[]).is_none());
        let observed = [(counter::ACTIVITY_CPU, 0), (counter::ACTIVITY_WINDOW_NANOS, 1_000)];
        let table = of(&observed).unwrap();
        let at = table.columns.iter().position(|column| column.key == "count").unwrap();
        assert!(!table.rows.is_empty());
        for row in &table.rows {
            assert_eq!(row.cells[at].reason(), Some(NOT_OBSERVABLE));
        }
    }
}
