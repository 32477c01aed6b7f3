//! A simulated scheduler: frames made late by known causes, and how often each source names the right one.

use std::collections::BTreeMap;

use super::super::counters;
use super::*;

const OWN: u32 = 7;
/// Two other threads with their names, and an interrupt.
const HOGS: [(u32, u32); 2] = [(40, 0), (41, 1)];
const NAMES: [&str; 3] = ["rustc", "chrome", "eth0"];
/// When the frame is due: the previous one woke at 1 ms and worked until 2 ms.
const DUE: i64 = 16_000_000;
const TICK: i64 = 4_000_000;

/// What makes a frame late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Timer,
    Hog,
    TwoHogs,
    PreemptedSpin,
    Interrupt,
    PreviousFrame,
    PageFaults,
    Stopped,
    /// The hypervisor for less, and for more, than a tick of steal.
    Stolen,
    StolenLong,
}

impl Fault {
    const ALL: [Self; 10] = [
        Self::Timer,
        Self::Hog,
        Self::TwoHogs,
        Self::PreemptedSpin,
        Self::Interrupt,
        Self::PreviousFrame,
        Self::PageFaults,
        Self::Stopped,
        Self::Stolen,
        Self::StolenLong,
    ];
}

/// What a system lets an observer see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Observer {
    /// Counters without a run-queue delay, as on Windows and macOS.
    FewCounters,
    Counters,
    Trace(TraceSource),
}

impl Observer {
    const ALL: [Self; 5] = [
        Self::FewCounters,
        Self::Counters,
        Self::Trace(TraceSource::OwnSwitches),
        Self::Trace(TraceSource::AllSwitches),
        Self::Trace(TraceSource::Kernel),
    ];

    /// The cause to name for a fault: the most exact one that can be known from what is observed.
    const fn expected(self, fault: Fault) -> Cause {
        use TraceSource::{AllSwitches, Kernel};
        match (fault, self) {
            (Fault::PreviousFrame, _) | (Fault::PageFaults, Self::FewCounters | Self::Counters) => {
                Cause::PreviousFrame
            }
            (_, Self::FewCounters) | (Fault::Interrupt, Self::Trace(AllSwitches)) => {
                Cause::NotObservable
            }
            (Fault::Timer, _) => Cause::TimerLate,
            (
                Fault::Hog | Fault::TwoHogs | Fault::PreemptedSpin,
                Self::Trace(AllSwitches | Kernel),
            ) => Cause::Thread,
            (Fault::Interrupt, Self::Trace(Kernel)) => Cause::Interrupt,
            (Fault::Hog | Fault::TwoHogs | Fault::PreemptedSpin | Fault::Interrupt, _) => {
                Cause::WaitedForCpu
            }
            (Fault::PageFaults, Self::Trace(_)) => Cause::PageFault,
            (Fault::Stopped, Self::Trace(_)) => Cause::Blocked,
            (Fault::StolenLong, Self::Counters) => Cause::Hypervisor,
            (Fault::Stolen | Fault::StolenLong, Self::Trace(Kernel)) => Cause::NoEvent,
            (Fault::Stopped | Fault::Stolen | Fault::StolenLong, _) => Cause::NotObservable,
        }
    }
}

/// A frame with everything that happened around it.
struct Frame {
    before: Sample,
    sample: Sample,
    evidence: Evidence,
    steal: i64,
    records: Vec<TraceRecord>,
    /// Who made it late, where that has a name, and for how long.
    culprit: Option<(&'static str, i64)>,
}

/// A CPU on which the frame runs, written down as it happens.
struct Cpu {
    records: Vec<TraceRecord>,
    ready_since: Option<i64>,
    run_delay: i64,
    involuntary: u32,
    voluntary: u32,
}

impl Cpu {
    fn record(&mut self, at: i64, event: TraceEvent, thread: Option<u32>, name: Option<u32>) {
        let at = Nanos::new(at);
        self.records.push(TraceRecord { at, event, cpu: 1, thread, name, value: None });
    }

    /// The measuring thread does something.
    fn own(&mut self, at: i64, event: TraceEvent) {
        match event {
            TraceEvent::Preempted => {
                self.involuntary += 1;
                self.ready_since = Some(at);
            }
            TraceEvent::Slept | TraceEvent::Stopped => self.voluntary += 1,
            TraceEvent::Waking => self.ready_since = Some(at),
            TraceEvent::SwitchIn => {
                self.run_delay += self.ready_since.take().map_or(0, |since| at - since);
            }
            _ => {}
        }
        self.record(at, event, Some(OWN), None);
    }

    /// Another thread gets the CPU.
    fn hog(&mut self, at: i64, hog: usize) {
        let (thread, name) = HOGS[hog];
        self.record(at, TraceEvent::SwitchIn, Some(thread), Some(name));
    }

    fn idle(&mut self, at: i64) {
        self.record(at, TraceEvent::SwitchIn, Some(0), None);
    }

    fn interrupt(&mut self, from: i64, to: i64) {
        self.record(from, TraceEvent::InterruptBegin, None, Some(2));
        self.record(to, TraceEvent::InterruptEnd, None, None);
    }
}

/// How the wait ended.
struct Wake {
    woke: i64,
    /// When the previous frame was done.
    done: i64,
    culprit: Option<(&'static str, i64)>,
}

/// A sleep that a fault of this length, and two short delays, end late.
fn sleep(cpu: &mut Cpu, fault: Fault, length: i64, [timer, dispatch]: [i64; 2]) -> Wake {
    cpu.own(2_010_000, TraceEvent::Slept);
    cpu.idle(2_011_000);
    let mut culprit = None;
    let woke = match fault {
        Fault::Hog | Fault::TwoHogs => {
            cpu.hog(15_000_000, 0);
            cpu.own(DUE + timer, TraceEvent::Waking);
            let is_one = fault == Fault::Hog;
            let first = if is_one { length } else { length * 7 / 10 };
            if !is_one {
                cpu.hog(DUE + timer + first, 1);
            }
            culprit = Some((NAMES[0], first));
            DUE + timer + length
        }
        Fault::Interrupt => {
            cpu.own(DUE + timer, TraceEvent::Waking);
            cpu.interrupt(DUE + timer + 200, DUE + timer + length);
            culprit = Some((NAMES[2], length));
            DUE + timer + length + 300
        }
        Fault::Stopped => {
            cpu.own(12_000_000, TraceEvent::Waking);
            cpu.own(12_001_000, TraceEvent::SwitchIn);
            cpu.own(12_010_000, TraceEvent::Stopped);
            cpu.idle(12_010_000);
            cpu.own(DUE + length, TraceEvent::Waking);
            DUE + length + dispatch
        }
        _ => {
            cpu.own(DUE + length, TraceEvent::Waking);
            DUE + length + dispatch
        }
    };
    cpu.own(woke, TraceEvent::SwitchIn);
    Wake { woke, done: 2_000_000, culprit }
}

/// A spin after a sleep that ended early, in which the CPU is lost.
fn spin(cpu: &mut Cpu, fault: Fault, length: i64) -> Wake {
    cpu.own(2_010_000, TraceEvent::Slept);
    cpu.idle(2_011_000);
    cpu.own(DUE - 500_000, TraceEvent::Waking);
    cpu.own(DUE - 490_000, TraceEvent::SwitchIn);
    let mut culprit = None;
    if fault == Fault::PreemptedSpin {
        cpu.own(DUE - 100_000, TraceEvent::Preempted);
        cpu.hog(DUE - 100_000, 1);
        cpu.own(DUE + length, TraceEvent::SwitchIn);
        culprit = Some((NAMES[1], length));
    }
    Wake { woke: DUE + length, done: 2_000_000, culprit }
}

/// A previous frame that worked past the scheduled start, or waited for memory in it.
fn overrun(cpu: &mut Cpu, fault: Fault, length: i64) -> Wake {
    if fault == Fault::PageFaults {
        cpu.own(DUE - 1_000_000, TraceEvent::PageFault);
        if let Some(last) = cpu.records.last_mut() {
            last.value = Some(1_000_000 + length);
        }
    }
    let done = DUE + length * 11 / 10;
    Wake { woke: done, done, culprit: None }
}

/// Simulates a frame that a fault makes late by 0.3 to 8 ms, with up to 15% of that from other causes.
fn frame(fault: Fault, random: &mut fastrand::Rng) -> Frame {
    let mut cpu =
        Cpu { records: Vec::new(), ready_since: None, run_delay: 0, involuntary: 0, voluntary: 0 };
    let is_long = fault == Fault::StolenLong;
    let length = random.i64(if is_long { 11_000_000..30_000_000 } else { 300_000..8_000_000 });
    let mut noise = || random.i64(500..length * 15 / 200);
    let delays = [noise(), noise()];
    cpu.own(990_000, TraceEvent::SwitchIn);
    let is_spun = matches!(fault, Fault::PreemptedSpin | Fault::Stolen | Fault::StolenLong);
    let is_behind = matches!(fault, Fault::PreviousFrame | Fault::PageFaults);
    let Wake { woke, done, culprit } = if is_spun {
        spin(&mut cpu, fault, length)
    } else if is_behind {
        overrun(&mut cpu, fault, length)
    } else {
        sleep(&mut cpu, fault, length, delays)
    };
    // The tick interrupts whatever runs.
    for at in (TICK..woke).step_by(usize::try_from(TICK).unwrap()) {
        if fault != Fault::Interrupt || at < DUE {
            cpu.interrupt(at, (at + random.i64(2_000..8_000)).min(woke - 1));
        }
    }
    cpu.records.sort_by_key(|record| record.at);
    let slept = match (is_spun, is_behind) {
        (true, _) => Some(Nanos::new(DUE - 489_000)),
        (_, true) => None,
        _ => Some(Nanos::new(woke)),
    };
    let due = Nanos::new(DUE);
    let (began, done) = (Nanos::new(done), Nanos::new(woke + 1_000_000));
    let woke = Nanos::new(woke);
    let sample = Sample { began, due, slept, woke, done, spins: 0, cpu: Some(1) };
    let before = Sample {
        began: Nanos::ZERO,
        due: Nanos::ZERO,
        slept: None,
        woke: Nanos::from_millis(1),
        done: began,
        ..sample
    };
    let evidence = Evidence {
        index: 1,
        involuntary_switches: Some(cpu.involuntary),
        voluntary_switches: Some(cpu.voluntary),
        minor_faults: Some(0),
        major_faults: Some(if fault == Fault::PageFaults { 3 } else { 0 }),
        run_delay: Some(Nanos::new(cpu.run_delay)),
        cpu_before: Some(1),
        cpu_after: Some(1),
        ..Evidence::default()
    };
    let steal = if is_long { length / 10_000_000 * 10_000_000 } else { 0 };
    Frame { before, sample, evidence, steal, records: cpu.records, culprit }
}

/// The records that a source has: interrupts and wake-ups only with tracepoints, other threads only of
/// all switches. To a thread's own records, a stop is a sleep like any other.
fn seen(source: TraceSource, record: &TraceRecord) -> Option<TraceRecord> {
    use TraceEvent::{PageFault, Preempted, Slept, Stopped, SwitchIn};
    let is_own = record.thread == Some(OWN);
    match (source, record.event) {
        (TraceSource::Kernel, _) | (TraceSource::AllSwitches, SwitchIn) => Some(*record),
        (_, Stopped) => Some(TraceRecord { event: Slept, ..*record }),
        (_, SwitchIn | Preempted | Slept | PageFault) if is_own => Some(*record),
        _ => None,
    }
}

fn observed(observer: Observer, frame: &Frame) -> Account {
    let is_few = observer == Observer::FewCounters;
    let few = Evidence { index: 1, cpu_after: Some(1), ..Evidence::default() };
    let evidence = if is_few { few } else { frame.evidence };
    let (before, evidence) = (Some(&frame.before), Some(&evidence));
    let traced = match observer {
        Observer::Trace(source) => {
            let records = frame.records.iter().filter_map(|one| seen(source, one)).collect();
            let records = Records::new(source, OWN, records, &NAMES.map(str::to_owned));
            records.account(&frame.sample, before, evidence, None)
        }
        Observer::FewCounters | Observer::Counters => None,
    };
    // Where nothing was recorded, the counters are asked, as for any late sample.
    traced.unwrap_or_else(|| {
        let mut steal = counters::Steal::of((!is_few).then_some(frame.steal));
        counters::account(&frame.sample, before, evidence, &mut steal)
    })
}

#[test]
fn simulated_faults_are_named_by_every_source_that_can_observe_them() {
    const FRAMES: u32 = 500;
    let mut random = fastrand::Rng::with_seed(17);
    for observer in Observer::ALL {
        println!("{observer:?}");
        for fault in Fault::ALL {
            let expected = observer.expected(fault);
            let mut causes: BTreeMap<Cause, u32> = BTreeMap::new();
            for _ in 0..FRAMES {
                let frame = frame(fault, &mut random);
                let account = observed(observer, &frame);
                assert_eq!(account.total(), frame.sample.late(), "{observer:?} {fault:?}");
                *causes.entry(account.cause()).or_default() += 1;
                let Some((_, Some(culprit), found)) = account.largest() else { continue };
                let Some((name, length)) = frame.culprit.filter(|_| expected == account.cause())
                else {
                    continue;
                };
                assert_eq!(culprit.name, name, "{observer:?} {fault:?}");
                let error = (found.get() - length).abs();
                assert!(error <= length / 10, "{observer:?} {fault:?}: {found:?}, not {length}");
            }
            let right = causes.get(&expected).copied().unwrap_or(0);
            println!("  {fault:?}: {right} of {FRAMES} {expected:?}; {causes:?}");
            let needed = if expected == Cause::NotObservable { FRAMES } else { FRAMES * 95 / 100 };
            assert!(needed <= right, "{observer:?} {fault:?}: {causes:?}");
        }
    }
}
