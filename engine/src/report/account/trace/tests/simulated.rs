//! A simulated scheduler, which makes frames late by known causes. The test counts how often the
//! account names the right cause, for each source of data (counters or a trace).

use std::collections::BTreeMap;

use super::super::super::counters;
use super::super::*;

const OWN: u32 = 7;
/// Two other threads that use the CPU: their IDs, and the positions of their names in `NAMES`.
const HOGS: [(u32, u32); 2] = [(40, 0), (41, 1)];
/// Names of threads and interrupts, to which records refer by position.
const NAMES: [&str; 6] =
    ["rustc", "chrome", "eth0", "NMI", "IRQ work interrupt", "local timer interrupt"];
/// When the frame is due, in nanoseconds. The previous frame woke at 1 ms and worked until 2 ms.
const DUE: i64 = 16_000_000;
/// The period of the scheduler tick, in nanoseconds.
const TICK: i64 = 4_000_000;
/// When a hybrid wait begins to spin.
const SPIN_FROM: i64 = DUE - 500_000;

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
    /// Steal (the hypervisor preempts the virtual CPU) for less than one tick of the steal counter.
    Stolen,
    /// Steal for more than one tick of the steal counter.
    StolenLong,
    /// Steal that is shorter than an earlier wait for the CPU. The spin tail absorbed that wait.
    Absorbed,
    /// A non-maskable interrupt, whose length is recorded.
    NonMaskable,
    /// An interrupt whose end is not recorded.
    IrqWork,
    /// An interruption by the firmware, which no kernel records.
    Firmware,
    /// An interruption by the firmware while the CPU is idle and the timer should expire.
    IdleFirmware,
    /// Steal while the CPU is idle and the timer should expire.
    IdleStolen,
    /// The hypervisor preempts the CPU while another thread runs on it and the timer should expire.
    BusyStolen,
    /// A deep idle state, whose exit latency causes the lateness.
    DeepIdle,
}

impl Fault {
    const ALL: [Self; 18] = [
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
        Self::Absorbed,
        Self::NonMaskable,
        Self::IrqWork,
        Self::Firmware,
        Self::IdleFirmware,
        Self::IdleStolen,
        Self::BusyStolen,
        Self::DeepIdle,
    ];

    /// Whether the fault delays the interrupt of a timer that was set for the due time.
    const fn holds_the_timer_up(self) -> bool {
        matches!(self, Self::IdleFirmware | Self::IdleStolen | Self::BusyStolen | Self::DeepIdle)
    }
}

/// The data that a system provides about a late frame.
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

    /// Returns the expected cause of a fault: the most exact one that this data allows.
    const fn expected(self, fault: Fault) -> Cause {
        use TraceSource::{AllSwitches, Kernel};
        match (fault, self) {
            (Fault::PreviousFrame, _) | (Fault::PageFaults, Self::FewCounters | Self::Counters) => {
                Cause::PreviousFrame
            }
            (_, Self::FewCounters) | (Fault::Interrupt, Self::Trace(AllSwitches)) => {
                Cause::NotObservable
            }
            (Fault::DeepIdle, Self::Trace(Kernel)) => Cause::DeepIdle,
            (Fault::IdleFirmware | Fault::IdleStolen | Fault::BusyStolen, Self::Trace(Kernel)) => {
                Cause::NoEvent
            }
            // Without records of timers, these faults look like a late timer.
            (
                Fault::Timer
                | Fault::IdleFirmware
                | Fault::IdleStolen
                | Fault::BusyStolen
                | Fault::DeepIdle,
                _,
            ) => Cause::TimerLate,
            (
                Fault::Hog | Fault::TwoHogs | Fault::PreemptedSpin,
                Self::Trace(AllSwitches | Kernel),
            ) => Cause::Thread,
            (Fault::Interrupt | Fault::NonMaskable, Self::Trace(Kernel)) => Cause::Interrupt,
            (Fault::Hog | Fault::TwoHogs | Fault::PreemptedSpin | Fault::Interrupt, _) => {
                Cause::WaitedForCpu
            }
            (Fault::PageFaults, Self::Trace(_)) => Cause::PageFault,
            (Fault::Stopped, Self::Trace(_)) => Cause::Blocked,
            (Fault::StolenLong, Self::Counters) => Cause::Hypervisor,
            (
                Fault::Stolen | Fault::StolenLong | Fault::Absorbed | Fault::Firmware,
                Self::Trace(Kernel),
            ) => Cause::NoEvent,
            (
                Fault::Stopped
                | Fault::Stolen
                | Fault::StolenLong
                | Fault::Absorbed
                | Fault::NonMaskable
                | Fault::IrqWork
                | Fault::Firmware,
                _,
            ) => Cause::NotObservable,
        }
    }
}

/// A frame, with the counters and records of the time around it.
struct Frame {
    before: Sample,
    sample: Sample,
    spin_from: Option<Nanos>,
    evidence: Evidence,
    steal: i64,
    records: Vec<TraceRecord>,
    /// The name of the thread or interrupt that delayed the frame, and the length of its delay in
    /// nanoseconds; `None` if the cause has no name.
    culprit: Option<(&'static str, i64)>,
}

/// The simulated CPU on which the frame runs, with the records and counters up to the simulated time.
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

    /// Records an event of the measuring thread, and updates its counters.
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

    /// Records that another thread gets the CPU.
    fn hog(&mut self, at: i64, hog: usize) {
        let (thread, name) = HOGS[hog];
        self.record(at, TraceEvent::SwitchIn, Some(thread), Some(name));
    }

    fn idle(&mut self, at: i64) {
        self.record(at, TraceEvent::SwitchIn, Some(0), None);
    }

    /// Records a timer interrupt in which the timer of the measuring thread expires, `late`
    /// nanoseconds after its set time, and wakes the thread.
    fn timer(&mut self, at: i64, late: i64) {
        self.record(at - 1_000, TraceEvent::InterruptBegin, None, Some(5));
        self.own(at, TraceEvent::TimerExpired);
        if let Some(last) = self.records.last_mut() {
            last.value = Some(late);
        }
        self.own(at + 300, TraceEvent::Waking);
        self.record(at + 600, TraceEvent::InterruptEnd, None, None);
    }

    /// Records that the CPU enters an idle state with the exit latency `latency`, in nanoseconds.
    fn idle_state(&mut self, at: i64, latency: i64) {
        self.record(at, TraceEvent::IdleBegin, None, None);
        if let Some(last) = self.records.last_mut() {
            last.value = Some(latency);
        }
    }

    fn interrupt(&mut self, from: i64, to: i64) {
        self.record(from, TraceEvent::InterruptBegin, None, Some(2));
        self.record(to, TraceEvent::InterruptEnd, None, None);
    }
}

/// The end of a wait; times are in nanoseconds.
struct Wake {
    woke: i64,
    /// When the previous frame was done.
    done: i64,
    culprit: Option<(&'static str, i64)>,
}

/// Simulates a sleep that a fault of this length makes late. Two short delays add to the fault: that
/// of the timer, and that from the wake-up to running.
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
        Fault::IdleFirmware | Fault::IdleStolen | Fault::BusyStolen | Fault::DeepIdle => {
            let is_deep = fault == Fault::DeepIdle;
            if fault == Fault::BusyStolen {
                cpu.hog(2_020_000, 0);
            } else {
                // The reported exit latency differs from the actual one.
                let latency = if is_deep { length * 9 / 10 } else { 1_000 };
                cpu.idle_state(DUE - 1_000_000, latency);
                cpu.record(DUE + length - 2_000, TraceEvent::IdleEnd, None, None);
            }
            cpu.timer(DUE + length, length);
            DUE + length + dispatch
        }
        _ => {
            // The timer was set for a time after the due time.
            cpu.timer(DUE + length, timer);
            DUE + length + dispatch
        }
    };
    cpu.own(woke, TraceEvent::SwitchIn);
    Wake { woke, done: 2_000_000, culprit }
}

/// Simulates a spin after a sleep that ended in time. The fault takes the CPU from the thread during
/// the spin.
fn spin(cpu: &mut Cpu, fault: Fault, length: i64) -> Wake {
    cpu.own(2_010_000, TraceEvent::Slept);
    cpu.idle(2_011_000);
    cpu.own(SPIN_FROM, TraceEvent::Waking);
    if fault == Fault::Absorbed {
        cpu.hog(SPIN_FROM, 0);
        cpu.own(DUE - 5_000, TraceEvent::SwitchIn);
    } else {
        cpu.own(SPIN_FROM + 10_000, TraceEvent::SwitchIn);
    }
    let mut culprit = None;
    if fault == Fault::NonMaskable {
        cpu.record(DUE - 1_000, TraceEvent::InterruptBegin, None, Some(3));
        cpu.record(DUE + length - 100, TraceEvent::InterruptEnd, None, None);
        culprit = Some((NAMES[3], length));
    }
    if fault == Fault::IrqWork {
        cpu.record(DUE - 1_000, TraceEvent::Interrupted, None, Some(4));
    }
    if fault == Fault::PreemptedSpin {
        cpu.own(DUE - 100_000, TraceEvent::Preempted);
        cpu.hog(DUE - 100_000, 1);
        cpu.own(DUE + length, TraceEvent::SwitchIn);
        culprit = Some((NAMES[1], length));
    }
    Wake { woke: DUE + length, done: 2_000_000, culprit }
}

/// Simulates a previous frame whose work, or whose page faults, last past the scheduled start.
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

/// Simulates a frame that the fault delays by 0.3 to 8 ms (most faults). Other causes delay the frame
/// further, by up to 15% of this time.
fn frame(fault: Fault, random: &mut fastrand::Rng) -> Frame {
    let mut cpu =
        Cpu { records: Vec::new(), ready_since: None, run_delay: 0, involuntary: 0, voluntary: 0 };
    let is_long = fault == Fault::StolenLong;
    let length = random.i64(match fault {
        Fault::StolenLong => 11_000_000..30_000_000,
        Fault::Absorbed => 100_000..490_000,
        _ => 300_000..8_000_000,
    });
    let mut noise = || random.i64(500..length * 15 / 200);
    let delays = [noise(), noise()];
    cpu.record(0, TraceEvent::Covered, None, None);
    cpu.own(990_000, TraceEvent::SwitchIn);
    let is_spun =
        matches!(fault, Fault::PreemptedSpin | Fault::Stolen | Fault::StolenLong | Fault::Absorbed)
            || matches!(fault, Fault::NonMaskable | Fault::IrqWork | Fault::Firmware);
    let is_behind = matches!(fault, Fault::PreviousFrame | Fault::PageFaults);
    let Wake { woke, done, culprit } = if is_spun {
        spin(&mut cpu, fault, length)
    } else if is_behind {
        overrun(&mut cpu, fault, length)
    } else {
        sleep(&mut cpu, fault, length, delays)
    };
    // The scheduler tick interrupts the CPU periodically.
    for at in (TICK..woke).step_by(usize::try_from(TICK).unwrap()) {
        // These faults suppress the tick after the due time.
        let is_stopped = matches!(fault, Fault::Interrupt | Fault::NonMaskable | Fault::IrqWork)
            || fault.holds_the_timer_up();
        if !is_stopped || at < DUE {
            cpu.interrupt(at, (at + random.i64(2_000..8_000)).min(woke - 1));
        }
    }
    cpu.records.sort_by_key(|record| record.at);
    let slept = match (is_spun, is_behind) {
        (true, _) if fault == Fault::Absorbed => Some(Nanos::new(DUE - 4_000)),
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
    let spin_from = is_spun.then_some(Nanos::new(SPIN_FROM));
    Frame { before, sample, spin_from, evidence, steal, records: cpu.records, culprit }
}

/// Returns a record as a trace source reports it; `None` if the source does not have the record.
/// Interrupts and wake-ups need tracepoints, switches of other threads need a trace of all switches.
/// Without tracepoints, a stop is recorded as a sleep.
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
    // Without trace records, use the counters, as `late_samples` does.
    traced.unwrap_or_else(|| {
        let mut steal = counters::Steal::of((!is_few).then_some(frame.steal));
        counters::account((&frame.sample, frame.spin_from), before, evidence, &mut steal)
    })
}

#[test]
fn simulated_faults_are_named_by_every_source_that_can_observe_them() {
    const FRAMES: u32 = 500;
    let mut random = fastrand::Rng::with_seed(17);
    for observer in Observer::ALL {
        println!("\n{observer:?}: each fault by its cause, of {FRAMES}");
        let heads = Cause::ALL.map(|cause| format!(" {:>13}", format!("{cause:?}")));
        println!("{:<14}{}", "", heads.concat());
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
            let counts = Cause::ALL.map(|cause| causes.get(&cause).copied().unwrap_or(0));
            let cells = counts.map(|count| match count {
                0 => format!(" {:>13}", ""),
                count => format!(" {count:>13}"),
            });
            println!("{:<14}{}", format!("{fault:?}"), cells.concat());
            let right = causes.get(&expected).copied().unwrap_or(0);
            let needed = if expected == Cause::NotObservable { FRAMES } else { FRAMES * 95 / 100 };
            assert!(needed <= right, "{observer:?} {fault:?}: {causes:?}");
        }
    }
}
