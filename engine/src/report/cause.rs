//! Why a sample was late: what the evidence says, in a fixed order.

use crate::nanos::Nanos;
use crate::run::TrialRun;
use crate::sample::{Evidence, Sample};

/// Why a sample was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The thread was ready to run and another one had its CPU: run-queue delay of at least half the
    /// lateness.
    WaitedForCpu,
    /// The thread was taken off its CPU while it spun or worked: an involuntary switch.
    Preempted,
    /// The hypervisor gave the CPU to another machine: steal time.
    Hypervisor,
    /// Memory had to be fetched: a page fault with a disk, or without one while nothing else explains it.
    PageFault,
    /// The thread woke on another CPU than before.
    Moved,
    /// The frame before was not done in time.
    PreviousRanLong,
    /// The system's sleep came back late, and the thread did not wait for a CPU.
    TimerLate,
    /// Nothing that was counted explains it.
    Unknown,
}

impl Cause {
    /// Every cause, in the order in which they are looked for.
    pub const ALL: [Self; 8] = [
        Self::WaitedForCpu,
        Self::Preempted,
        Self::Hypervisor,
        Self::PageFault,
        Self::Moved,
        Self::PreviousRanLong,
        Self::TimerLate,
        Self::Unknown,
    ];

    /// The words on screen.
    pub const fn words(self) -> &'static str {
        match self {
            Self::WaitedForCpu => "Waited for a CPU",
            Self::Preempted => "Preempted by a thread",
            Self::Hypervisor => "Hypervisor took the core",
            Self::PageFault => "Page fault",
            Self::Moved => "Moved to another core",
            Self::PreviousRanLong => "Frame before ran long",
            Self::TimerLate => "System timer fired late",
            Self::Unknown => "Interrupt or unknown",
        }
    }

    /// What could be done about it.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::WaitedForCpu | Self::Preempted => "A higher priority is likely to help.",
            Self::Hypervisor => "Nothing inside this virtual machine can help.",
            Self::PageFault => "Touching or locking memory beforehand is likely to help.",
            Self::Moved => "Pinning the thread may help.",
            Self::PreviousRanLong => "Less work per frame is likely to help.",
            Self::TimerLate => "Spinning for the last stretch, or a lower timer slack, may help.",
            Self::Unknown => "",
        }
    }
}

/// A late sample with what is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LateSample {
    /// Position of the sample in its trial.
    pub index: usize,
    /// The sample.
    pub sample: Sample,
    /// What was counted around it; absent where it was lost or not wanted.
    pub evidence: Option<Evidence>,
    /// Why it was late.
    pub cause: Cause,
    /// How much of the lateness the cause explains, 0 to 1; absent where it has no length.
    pub explained: Option<f64>,
}

/// The samples of a trial that are later than a limit, the latest first.
pub fn late_samples(trial: &TrialRun, above: Nanos) -> Vec<LateSample> {
    let period = trial.trial.pace.period();
    let mut evidence = trial.evidence.iter().peekable();
    let mut late = Vec::new();
    let mut next_before = None;
    for (index, sample) in trial.samples.iter().enumerate() {
        let before = next_before.replace(sample);
        // Evidence counts every turn; where samples were lost, it points past them.
        let number = u64::try_from(index).unwrap_or(u64::MAX);
        while evidence.peek().is_some_and(|piece| piece.index < number) {
            evidence.next();
        }
        if sample.late() <= above {
            continue;
        }
        let of_sample = evidence.peek().filter(|piece| piece.index == number).copied().copied();
        let of_sample = of_sample.filter(|_| trial.lost_count == 0);
        let (cause, explained) = explain(&sample, before.as_ref(), of_sample.as_ref(), period);
        late.push(LateSample { index, sample, evidence: of_sample, cause, explained });
    }
    late.sort_by_key(|one| -one.sample.late());
    late
}

/// The first cause that the evidence bears out, and the share of the lateness it explains.
fn explain(
    sample: &Sample,
    before: Option<&Sample>,
    evidence: Option<&Evidence>,
    period: Nanos,
) -> (Cause, Option<f64>) {
    let late = sample.late();
    let share = |length: Nanos| (length.as_f64() / late.as_f64().max(1.0)).clamp(0.0, 1.0);
    let half = Nanos::new(late.get() / 2);
    let ran_long = before
        .filter(|before| sample.due < before.done)
        .map(|before| (Cause::PreviousRanLong, Some(share(before.done - sample.due))));
    let Some(evidence) = evidence else {
        return ran_long.unwrap_or((Cause::Unknown, None));
    };
    let some = |count: Option<u32>| count.is_some_and(|count| 0 < count);
    let run_delay = evidence.run_delay.unwrap_or(Nanos::ZERO);
    if Nanos::ZERO < half && half <= run_delay {
        return (Cause::WaitedForCpu, Some(share(run_delay)));
    }
    if some(evidence.involuntary_switches) {
        return (Cause::Preempted, Some(share(run_delay)).filter(|&share| 0.0 < share));
    }
    // Steal is counted in ticks for the whole machine: it is taken only where it is not far above what
    // it is to explain.
    let tick = Nanos::from_millis(10);
    if let Some(steal) = evidence.steal.filter(|steal| Nanos::ZERO < *steal)
        && steal <= late + tick
    {
        return (Cause::Hypervisor, Some(share(steal)));
    }
    if some(evidence.major_faults) {
        return (Cause::PageFault, None);
    }
    let moved = evidence.cpu_before.zip(evidence.cpu_after).is_some_and(|(a, b)| a != b);
    if some(evidence.minor_faults) && !moved && ran_long.is_none() {
        return (Cause::PageFault, None);
    }
    if let Some(ran_long) = ran_long.filter(|_| period < Nanos::MAX) {
        return ran_long;
    }
    if moved {
        return (Cause::Moved, None);
    }
    let slept_late = sample.slept.map(|slept| slept - sample.due);
    if let Some(slept_late) = slept_late.filter(|slept_late| half <= *slept_late) {
        return (Cause::TimerLate, Some(share(slept_late)));
    }
    (Cause::Unknown, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATE: Sample = Sample {
        began: Nanos::ZERO,
        due: Nanos::from_millis(16),
        slept: Some(Nanos::from_millis(18)),
        woke: Nanos::from_millis(18),
        done: Nanos::from_millis(19),
        spins: 0,
        cpu: Some(1),
    };

    fn check(evidence: Option<Evidence>, before: Option<Sample>, cause: Cause) -> Option<f64> {
        let found = explain(&LATE, before.as_ref(), evidence.as_ref(), Nanos::from_millis(16));
        assert_eq!(found.0, cause);
        found.1
    }

    #[test]
    fn the_first_cause_that_the_evidence_bears_out_is_taken() {
        let none = Evidence {
            involuntary_switches: Some(0),
            minor_faults: Some(0),
            major_faults: Some(0),
            run_delay: Some(Nanos::ZERO),
            steal: Some(Nanos::ZERO),
            cpu_before: Some(1),
            cpu_after: Some(1),
            ..Evidence::default()
        };
        let waited = Evidence { run_delay: Some(Nanos::from_micros(1_930)), ..none };
        let share = check(Some(waited), None, Cause::WaitedForCpu).unwrap();
        assert!((share - 0.965).abs() < 1e-9);
        check(Some(Evidence { involuntary_switches: Some(2), ..none }), None, Cause::Preempted);
        check(
            Some(Evidence { steal: Some(Nanos::from_millis(10)), ..none }),
            None,
            Cause::Hypervisor,
        );
        check(Some(Evidence { major_faults: Some(1), ..none }), None, Cause::PageFault);
        check(Some(Evidence { minor_faults: Some(3), ..none }), None, Cause::PageFault);
        check(Some(Evidence { cpu_before: Some(0), ..none }), None, Cause::Moved);
        let long = Sample { due: Nanos::ZERO, done: Nanos::from_millis(17), ..LATE };
        let share = check(Some(none), Some(long), Cause::PreviousRanLong).unwrap();
        assert!((share - 0.5).abs() < 1e-9);
        check(Some(none), None, Cause::TimerLate);
        check(None, Some(long), Cause::PreviousRanLong);
        check(None, None, Cause::Unknown);
    }
}
