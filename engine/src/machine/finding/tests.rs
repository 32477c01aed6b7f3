//! Each finding is reported exactly when its condition holds.

use super::*;
use crate::machine::Memory;
use crate::platform::{
    Capability, FileCapabilities, Power, RealtimeBandwidth, SystemDetail, TraceSource,
};

fn granted() -> RealtimeProbe {
    RealtimeProbe { is_granted: true, outcomes: Vec::new() }
}

fn good_clock() -> ClockFacts {
    ClockFacts { resolution: Nanos::new(1), read_cost_nanos: 21.0, ..ClockFacts::default() }
}

fn whats(machine: &Machine, detail: &Detail) -> Vec<String> {
    let found = findings(machine, detail, &good_clock(), &granted());
    found.into_iter().map(|found| found.what).collect()
}

#[test]
fn a_pc_of_which_nothing_is_reported_is_blamed_for_nothing() {
    assert_eq!(whats(&Machine::default(), &Detail::default()), Vec::<String>::new());
}

#[test]
fn powersave_is_a_fault_only_where_it_lowers_the_frequency() {
    let system =
        SystemDetail { governors: vec![("powersave".to_owned(), 8)], ..SystemDetail::default() };
    let detail = Detail { system, ..Detail::default() };
    for (driver, is_fault) in [
        (Some("intel_pstate"), false),
        (Some("amd-pstate-epp"), false),
        (None, false),
        (Some("intel_cpufreq"), true),
        (Some("amd-pstate"), true),
        (Some("acpi-cpufreq"), true),
    ] {
        let fact = |driver: &str| (crate::platform::CPUFREQ_DRIVER.to_owned(), driver.to_owned());
        let scheduler = driver.map(fact).into_iter().collect();
        let machine = Machine { scheduler, ..Machine::default() };
        let found = whats(&machine, &detail);
        assert_eq!(found == ["The frequency governor is powersave"], is_fault, "{driver:?}");
        assert_eq!(found.is_empty(), !is_fault, "{driver:?}: {found:?}");
    }
    assert!(Machine::default().is_slow_plan("Power saver"), "a plan of Windows");
}

#[test]
fn each_condition_is_named_where_it_holds() {
    let healthy = SystemDetail::default;
    let governor = |name: &str| SystemDetail { governors: vec![(name.to_owned(), 8)], ..healthy() };
    let bandwidth = |runtime_micros| SystemDetail {
        realtime_bandwidth: Some(RealtimeBandwidth { runtime_micros, period_micros: 1_000_000 }),
        ..healthy()
    };
    let heat = |millicelsius| SystemDetail { millicelsius: Some(millicelsius), ..healthy() };
    let clock = |available: &[&str]| SystemDetail {
        clock_source: Some((
            "hpet".to_owned(),
            available.iter().map(|&name| name.to_owned()).collect(),
        )),
        ..healthy()
    };
    for (system, expected) in [
        (governor("schedutil"), Some("The frequency governor is schedutil")),
        (governor("performance"), None),
        (
            SystemDetail { cpu_quota_percent: Some(150), ..healthy() },
            Some("CPU quota: 150% of one CPU"),
        ),
        (heat(48_000), None),
        (heat(97_000), Some("The CPU is hot")),
        (bandwidth(Some(100_000)), Some("Real-time threads get less than half of each period")),
        (bandwidth(Some(950_000)), None),
        (bandwidth(None), None),
        (clock(&["tsc", "hpet"]), Some("The clock source is hpet, not the TSC")),
        (clock(&["hpet"]), None),
    ] {
        let detail = Detail { system, ..Detail::default() };
        let expected: Vec<&str> = expected.into_iter().collect();
        assert_eq!(whats(&Machine::default(), &detail), expected);
    }
}

#[test]
fn the_weightiest_comes_first_and_every_finding_shows_why() {
    let power =
        Power { source: Some(PowerSource::Battery { percent: Some(20) }), governor_or_plan: None };
    let machine = Machine {
        virtualization: Some("KVM".to_owned()),
        kernel: Some("6.8.0".to_owned()),
        power,
        ..Machine::default()
    };
    let memory = Memory { swap_used_bytes: Some(1 << 30), ..Memory::default() };
    let detail = Detail { memory, ..Detail::default() };
    let clock = ClockFacts { went_backwards_count: 2, ..good_clock() };
    let found = findings(&machine, &detail, &clock, &RealtimeProbe::default());
    assert!(found.is_sorted_by_key(|finding| finding.weight));
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|finding| finding.why.ends_with('.')));
    assert!(found[0].steps.iter().any(|step| step.command.contains("setcap cap_sys_nice=ep")));
}

#[test]
fn ways_to_priority_fit_the_system() {
    let commands = |detail: &Detail| -> Vec<String> {
        permission_steps(detail, true).into_iter().map(|step| step.command).collect()
    };
    let plain = Detail::default();
    assert_eq!(commands(&plain).len(), 2);
    assert!(commands(&plain)[0].contains("limits.d"));
    let system = SystemDetail { container: Some("Docker".to_owned()), ..SystemDetail::default() };
    let boxed = Detail { system, ..Detail::default() };
    assert!(commands(&boxed)[0].contains("--cap-add SYS_NICE"));
    assert_eq!(commands(&boxed)[1..], commands(&plain)[..]);
    assert_eq!(permission_steps(&plain, false), []);
    let mut traced = Detail::default();
    traced.system.file_capabilities = FileCapabilities::default().with(Capability::PERFMON);
    traced.system.program = Some("/opt/it's/jitterscope-cli".to_owned());
    let expected = "sudo setcap cap_sys_nice,cap_perfmon=ep '/opt/it'\\''s/jitterscope-cli'";
    assert_eq!(commands(&traced)[1], expected);
}

#[test]
fn names_of_programs_have_a_command_and_its_undoing_where_they_are_denied() {
    let mut detail = Detail::default();
    detail.system.program = Some("/opt/jitterscope".to_owned());
    let state = |source, paranoid| TraceState { source, paranoid, ..TraceState::default() };
    let steps = trace_steps(&detail, &state(Some(TraceSource::OwnSwitches), Some(2)));
    let commands: Vec<&str> = steps.iter().map(|step| step.command.as_str()).collect();
    let expected =
        ["sudo setcap cap_perfmon=ep '/opt/jitterscope'", "sudo setcap -r '/opt/jitterscope'"];
    assert_eq!(commands, expected);
    assert_eq!(trace_steps(&detail, &state(Some(TraceSource::Kernel), Some(2))), []);
    assert_eq!(trace_steps(&detail, &state(None, None)), [], "not on Linux");
}
