//! How many records of each kind of event arrived, compared with how often the system counted the event.

use std::collections::BTreeMap;

use crate::run::Run;
use crate::sample::{TraceEvent, TraceRecord};

/// How often a kind of event occurred on a CPU while a trace ran, and what became of its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordCount {
    /// The CPU.
    pub cpu: u32,
    /// The name of the kind of event, such as `irq/softirq_entry`.
    pub event: String,
    /// How often the system counted the event.
    pub counted: u64,
    /// How many of its records arrived.
    pub received: u64,
    /// How many of its records the system reported as lost.
    pub lost: u64,
}

impl RecordCount {
    /// Whether every event has a record or is reported as lost.
    pub const fn is_complete(&self) -> bool {
        self.counted <= self.received.saturating_add(self.lost)
    }
}

/// Returns the counts of each kind of event on each CPU, over all stages, by CPU and name; empty if the system does not
/// count events.
pub fn record_counts(run: &Run) -> Vec<RecordCount> {
    let mut counts: BTreeMap<(u32, String, u32), RecordCount> = BTreeMap::new();
    for trial in &run.trials {
        let Some(trace) = &trial.trace else { continue };
        let is_count = |event| {
            matches!(event, TraceEvent::Counted | TraceEvent::Received | TraceEvent::ReportedLost)
        };
        for record in trace.records_of(is_count) {
            let Some(name) = name_of(&record, trace.names()) else { continue };
            let key = (record.cpu, name.to_owned(), trial.stage);
            let count = counts.entry(key).or_default();
            let value = record.value.and_then(|value| u64::try_from(value).ok()).unwrap_or(0);
            // Trials of one stage share its trace.
            let sum = match record.event {
                TraceEvent::Counted => &mut count.counted,
                TraceEvent::Received => &mut count.received,
                _ => &mut count.lost,
            };
            *sum = value.max(*sum);
        }
    }
    let mut all: Vec<RecordCount> = Vec::new();
    for ((cpu, event, _), count) in counts {
        match all.last_mut().filter(|last| (last.cpu, &last.event) == (cpu, &event)) {
            Some(last) => {
                last.counted += count.counted;
                last.received += count.received;
                last.lost += count.lost;
            }
            None => all.push(RecordCount { cpu, event, ..count }),
        }
    }
    all
}

fn name_of<'a>(record: &TraceRecord, names: &'a [String]) -> Option<&'a str> {
    names.get(usize::try_from(record.name?).ok()?).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nanos::Nanos;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::tests::test_run::run_of;
    use crate::run::Trace;

    #[test]
    fn counts_are_summed_over_stages_and_shared_within_one() {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |_| {});
        let trial = run.trials.remove(0);
        run.trials = vec![trial; 3];
        for (trial, (stage, [counted, received, lost])) in
            run.trials.iter_mut().zip([(0, [217, 2, 0]), (0, [217, 2, 0]), (1, [100, 90, 10])])
        {
            trial.stage = stage;
            let row = |event, value| TraceRecord {
                name: Some(0),
                value: Some(value),
                ..TraceRecord::new(Nanos::ZERO, event, 1)
            };
            let rows = [
                row(TraceEvent::Counted, counted),
                row(TraceEvent::Received, received),
                row(TraceEvent::ReportedLost, lost),
            ];
            trial.trace = Some(Trace::from_records(vec!["irq/softirq_entry".to_owned()], &rows));
        }
        let event = "irq/softirq_entry".to_owned();
        let sum = RecordCount { cpu: 1, event, counted: 317, received: 92, lost: 10 };
        assert_eq!(record_counts(&run), std::slice::from_ref(&sum));
        assert!(!sum.is_complete());
        run.trials.drain(..2);
        assert!(record_counts(&run)[0].is_complete());
    }
}
