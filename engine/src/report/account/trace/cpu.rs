//! The occupants of a CPU over time: threads, and the interrupts that interrupted them.

use std::sync::Arc;

use super::super::Culprit;
use super::Records;
use crate::nanos::Nanos;
use crate::sample::{TRACE_LEAD, TraceEvent};

/// The occupant of a CPU.
#[derive(Clone, Debug, PartialEq)]
pub enum Occupant {
    /// Nothing: the CPU was idle.
    Idle,
    /// The measuring thread.
    Own,
    /// Another thread; `None` if its name was not recorded.
    Thread(Option<Arc<Culprit>>),
    /// An interrupt or softirq; `None` if its name was not recorded.
    Interrupt(Option<Arc<Culprit>>),
    /// Either an interrupt whose end is not recorded, or the thread that it interrupted.
    Unknown,
}

impl Records {
    /// Returns the occupants of a CPU in an interval, in order and without gaps.
    pub(super) fn occupants(
        &self,
        cpu: u32,
        (from, to): (Nanos, Nanos),
    ) -> Vec<(Occupant, (Nanos, Nanos))> {
        let all = self.of_cpu.get(&cpu).map_or(&[][..], Vec::as_slice);
        let record = |at: &usize| self.records.get(*at);
        // Records of a late sample begin `TRACE_LEAD` before its due time. Interrupts that began before
        // this time are ignored.
        let begin =
            all.partition_point(|at| record(at).is_some_and(|one| one.at < from - TRACE_LEAD));
        let before = all.get(..begin).unwrap_or_default();
        let is_switch =
            |at: &&usize| record(at).is_some_and(|one| one.event == TraceEvent::SwitchIn);
        let mut thread = match before.iter().rfind(is_switch) {
            Some(at) => self.thread(*at),
            None => Occupant::Thread(None),
        };
        let mut interrupts: Vec<(bool, Option<Arc<Culprit>>)> = Vec::new();
        // Whether the last event was an interrupt whose end is not recorded.
        let mut is_unknown = false;
        let mut spans = Vec::new();
        let mut since = from;
        for at in all.get(begin..).unwrap_or_default() {
            let Some(one) = record(at).filter(|one| one.at < to) else { break };
            let now = match interrupts.last() {
                _ if is_unknown => Occupant::Unknown,
                Some((_, culprit)) => Occupant::Interrupt(culprit.clone()),
                None => thread.clone(),
            };
            match one.event {
                TraceEvent::SwitchIn => {
                    interrupts.clear();
                    thread = self.thread(*at);
                }
                TraceEvent::InterruptBegin | TraceEvent::SoftirqBegin => {
                    let is_soft = one.event == TraceEvent::SoftirqBegin;
                    interrupts.push((is_soft, self.culprit(*at)));
                }
                TraceEvent::InterruptEnd | TraceEvent::SoftirqEnd => {
                    let is_soft = one.event == TraceEvent::SoftirqEnd;
                    if let Some(open) = interrupts.iter().rposition(|open| open.0 == is_soft) {
                        interrupts.truncate(open);
                    }
                }
                TraceEvent::Interrupted => {}
                _ => continue,
            }
            is_unknown = one.event == TraceEvent::Interrupted;
            if since < one.at {
                spans.push((now, (since, one.at)));
                since = one.at;
            }
        }
        let last = match interrupts.pop() {
            _ if is_unknown => Occupant::Unknown,
            Some((_, culprit)) => Occupant::Interrupt(culprit),
            None => thread,
        };
        spans.push((last, (since, to)));
        spans
    }

    /// Returns the time from which the occupants of a CPU are known, for a sample that was due at
    /// `due`. It is the time of the last switch before the records of the sample begin, or else of the
    /// first switch. `None` if no switch on the CPU is recorded.
    pub(super) fn known_from(&self, cpu: u32, due: Nanos) -> Option<Nanos> {
        let all = self.of_cpu.get(&cpu)?;
        let switches = all.iter().filter_map(|at| self.records.get(*at));
        let switches = switches.filter(|one| one.event == TraceEvent::SwitchIn);
        let before = switches.clone().take_while(|one| one.at <= due - TRACE_LEAD).last();
        before.or_else(|| switches.clone().next()).map(|one| one.at)
    }

    fn thread(&self, at: usize) -> Occupant {
        match self.records.get(at).and_then(|record| record.thread) {
            Some(0) => Occupant::Idle,
            Some(thread) if thread == self.own => Occupant::Own,
            _ => Occupant::Thread(self.culprit(at)),
        }
    }

    fn culprit(&self, at: usize) -> Option<Arc<Culprit>> {
        self.culprits.get(at).cloned().flatten()
    }
}
