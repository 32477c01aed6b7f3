//! The text about a machine lists the facts that the system reports and omits all others.

use jitterscope_engine::machine::Memory;
use jitterscope_engine::platform::{Cpu, RealtimeBandwidth, SystemDetail};

use super::*;

#[test]
fn what_is_not_reported_is_left_out_and_never_zero() {
    let (machine, detail) = (Machine::default(), Detail::default());
    assert_eq!(system_lines(&machine, &detail), []);
    let conditions = condition_lines(&machine, &detail, None);
    assert_eq!(conditions, [("Virtual machine", "no".to_owned())]);
    let text = markdown(&machine, &detail, &ClockFacts::default(), &[], &[]);
    assert!(!text.contains("| Memory |") && !text.contains("| Temperature |"), "{text}");
}

#[test]
fn limits_and_rights_are_reported_by_their_state() {
    let system = SystemDetail {
        realtime_bandwidth: Some(RealtimeBandwidth {
            runtime_micros: Some(950_000),
            period_micros: 1_000_000,
        }),
        rtprio_limit: Some((0, 20)),
        min_nice: Some(-11),
        may_set_priority: Some(false),
        ..SystemDetail::default()
    };
    let detail = Detail { system, memory: Memory::default() };
    let reported: Vec<(String, CapabilityState, String)> =
        capabilities(&detail, &RealtimeProbe::default(), false, &TraceState::default())
            .into_iter()
            .map(|ability| (ability.name, ability.allowed, ability.applied))
            .collect();
    let expected = [
        ("Pin a thread to a CPU", CapabilityState::NotHere, ""),
        ("Real-time share of CPU time", CapabilityState::Partly, "950 of 1\u{202f}000 ms"),
        ("Real-time priority of this user", CapabilityState::No, "up to 0"),
        ("Nice value of this user", CapabilityState::Yes, "down to −11"),
        ("CAP_SYS_NICE capability", CapabilityState::No, "not granted"),
        ("Record who had the CPU", CapabilityState::NotHere, ""),
    ];
    let expected =
        expected.map(|(name, allowed, applied)| (name.to_owned(), allowed, applied.to_owned()));
    assert_eq!(reported, expected);
}

#[test]
fn one_cpu_shares_no_cache_and_is_not_several() {
    let machine =
        Machine { physical_cores: Some(1), cpus: vec![Cpu::default()], ..Machine::default() };
    let cache = |level, cpus| Cache { level, kind: "Data".to_owned(), bytes: 32 << 10, cpus };
    let system = SystemDetail {
        caches: vec![cache(1, vec![0]), cache(2, vec![0, 1])],
        governors: vec![("powersave".to_owned(), 1), ("performance".to_owned(), 2)],
        ..SystemDetail::default()
    };
    let detail = Detail { system, memory: Memory::default() };
    let text = markdown(&machine, &detail, &ClockFacts::default(), &[], &[]);
    for line in [
        "| Cores | 1 core, 1 logical CPU |",
        "| L1 data | 32 KiB |",
        "| L2 data | 32 KiB, shared by 2 CPUs |",
        "powersave (1 CPU), performance (2 CPUs)",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn the_text_to_copy_has_every_section_that_has_lines() {
    let machine = Machine {
        cpu_model: Some("AMD Ryzen 9 5950X".to_owned()),
        kernel: Some("6.8.0".to_owned()),
        os: Some("Ubuntu 24.04".to_owned()),
        arch: "x86_64".to_owned(),
        scheduler: vec![("timer_slack_ns".to_owned(), "50000".to_owned())],
        ..Machine::default()
    };
    let detail = Detail::default();
    let able = capabilities(&detail, &RealtimeProbe::default(), true, &TraceState::default());
    let text = markdown(&machine, &detail, &ClockFacts::default(), &able, &[]);
    for part in
        ["# AMD Ryzen 9 5950X · Linux 6.8", "## System", "## Clock", "| timer_slack_ns | 50000 |"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("## What keeps it"));
}
