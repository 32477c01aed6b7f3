//! Advice after a Quick check: a fixed list of recommendations, each with the condition under which it
//! is given.

use super::card::{Card, Figure, GradeScale};
use super::{Answer, Measured};
use crate::nanos::Nanos;
use crate::plan::quick::Part;
use crate::platform::{PowerSource, Refusal};
use crate::report::Suspect;
use crate::report::sleep_accuracy::recommended_tail;
use crate::stats::Grade;

/// Max number of items of advice, and of programs in one of them: users do not read more.
const MAX: usize = 3;

/// A recommendation.
#[derive(Clone, Debug, PartialEq)]
pub enum Advice {
    /// Some parts have no grade: repeat the whole check.
    RepeatWhole,
    /// The system denied the request of a part, such as a priority, so the part has no grade: allow the
    /// request, and repeat the check.
    Denied(Box<Refusal>),
    /// Other programs used more than 10% of a CPU: close them and repeat the check.
    OtherPrograms {
        /// The max CPU time of other programs in any part, as a share of one CPU.
        share: f64,
        /// The busiest programs, in descending order; empty if their names were not recorded.
        programs: Vec<Suspect>,
    },
    /// The PC ran on its battery: plug it in.
    OnBattery,
    /// The power plan or frequency governor is not one for performance.
    PowerPlan {
        /// The name of the power plan or governor.
        name: String,
    },
    /// The host of this virtual machine can preempt its CPUs, and this system cannot see it.
    VirtualMachine {
        /// The name of the hypervisor.
        host: String,
    },
    /// A gap, in which a busy thread did not run, was longer than the limit of Good.
    LongGaps {
        /// The label of the CPU with the longest gap.
        label: String,
        /// The length of the longest gap.
        longest: Nanos,
        /// The thread or interrupt that had the CPU; absent if the trace does not name it.
        culprit: Option<String>,
    },
    /// Frames are late only under load: a higher priority may help.
    LateUnderLoad {
        /// The p99 lateness when idle.
        idle: Nanos,
        /// The p99 lateness under load.
        loaded: Nanos,
    },
    /// Sleeps can end too late: sleep for less time and spin for the rest.
    UnsafeSleep {
        /// The recommended spin tail; absent if there is no recommendation.
        tail: Option<Nanos>,
    },
    /// Every part is Excellent or Good: if there is stutter, it has another cause.
    LookElsewhere,
}

/// Returns the recommendations, the most important first.
pub(super) fn of(parts: &[Measured<'_>], cards: &[Card], answer: &Answer) -> Vec<Advice> {
    let mut advice = Vec::new();
    let denied = cards.iter().find_map(|card| card.denied.as_ref());
    advice.extend(denied.map(|refusal| Advice::Denied(Box::new(refusal.clone()))));
    if advice.is_empty() && matches!(answer, Answer::Incomplete { .. } | Answer::NotEnoughData(_)) {
        advice.push(Advice::RepeatWhole);
    }
    conditions(parts, &mut advice);
    findings(parts, cards, &mut advice);
    advice.extend((*answer == Answer::Unlikely).then_some(Advice::LookElsewhere));
    advice.truncate(MAX);
    advice
}

/// Adds the recommendations about the conditions of the check: other programs, power, and virtual machine.
fn conditions(parts: &[Measured<'_>], advice: &mut Vec<Advice>) {
    if let (Some(share), true) = (foreign_share(parts), is_disturbed(parts)) {
        advice.push(Advice::OtherPrograms { share, programs: busy_programs(parts) });
    }
    let Some((run, _)) = parts.iter().find_map(|(_, measured)| *measured) else { return };
    let power = &run.machine.power;
    let is_on_battery = matches!(power.source, Some(PowerSource::Battery { .. }));
    advice.extend(is_on_battery.then_some(Advice::OnBattery));
    let slow_plan = power.governor_or_plan.clone().filter(|name| run.machine.is_slow_plan(name));
    advice.extend(slow_plan.map(|name| Advice::PowerPlan { name }));
    let host = run.machine.virtualization.clone();
    advice.extend(host.map(|host| Advice::VirtualMachine { host }));
}

/// Adds the recommendations that follow from the results of the parts.
fn findings(parts: &[Measured<'_>], cards: &[Card], advice: &mut Vec<Advice>) {
    let card = |part: Part| cards.iter().find(|card| card.part == part);
    let is_bad = |part: Part| {
        card(part).and_then(|card| card.grade).is_some_and(|grade| Grade::Good < grade.worst())
    };
    if let Some(Figure::Gaps { label, longest, culprit, .. }) =
        card(Part::Gaps).filter(|_| is_bad(Part::Gaps)).and_then(|card| card.figure.as_ref())
    {
        let (label, culprit) = (label.clone(), culprit.clone());
        let is_named = culprit.is_some();
        let found = Advice::LongGaps { label, longest: *longest, culprit };
        advice.insert(if is_named { 0 } else { advice.len() }, found);
    }
    let (idle, loaded) = (card(Part::FrameIdle), card(Part::FrameLoad));
    // This advice shows both p99 values: give it only if p99 decides the grade, and not if missed
    // frames do.
    let is_late = |card: &Card| {
        card.scale
            .as_ref()
            .is_some_and(|GradeScale { limits: [_, good, _], value, .. }| good < value)
    };
    if let (Some(idle), Some(loaded)) = (idle, loaded)
        && is_bad(Part::FrameLoad)
        && is_late(loaded)
        && idle.grade.is_some_and(|grade| Some(grade) < loaded.grade)
        && let (Some(idle), Some(loaded)) = (&idle.figure, &loaded.figure)
    {
        advice.push(Advice::LateUnderLoad { idle: idle.value(), loaded: loaded.value() });
    }
    if is_bad(Part::Sleep) {
        let tail = parts.iter().find_map(|(part, measured)| {
            let (_, report) = measured.filter(|_| *part == Part::Sleep)?;
            recommended_tail(report)
        });
        advice.push(Advice::UnsafeSleep { tail });
    }
}

/// Returns the CPU time of other programs as a share of one CPU: the max of all parts; `None` if it
/// is not known.
pub(super) fn foreign_share(parts: &[Measured<'_>]) -> Option<f64> {
    let rows = parts.iter().filter_map(|(_, measured)| *measured).flat_map(|(_, of)| &of.rows);
    rows.filter_map(|row| row.foreign_share.or(row.disturbing_share())).max_by(f64::total_cmp)
}

/// Returns the busiest programs of all disturbed parts in descending order, each with its largest
/// share of one CPU.
fn busy_programs(parts: &[Measured<'_>]) -> Vec<Suspect> {
    let reports = parts.iter().filter_map(|(_, measured)| *measured).map(|(_, report)| report);
    let mut programs: Vec<Suspect> = Vec::new();
    for one in reports.flat_map(|report| &report.delays.busy) {
        match programs.iter_mut().find(|known| known.name == one.name) {
            Some(known) => known.share = known.share.max(one.share),
            None => programs.push(one.clone()),
        }
    }
    programs.sort_by(|a, b| b.share.total_cmp(&a.share));
    programs.truncate(MAX);
    programs
}

/// Whether other programs disturbed any part.
pub(super) fn is_disturbed(parts: &[Measured<'_>]) -> bool {
    let rows = parts.iter().filter_map(|(_, measured)| *measured).flat_map(|(_, of)| &of.rows);
    rows.into_iter().any(|row| row.disturbing_share().is_some())
}
