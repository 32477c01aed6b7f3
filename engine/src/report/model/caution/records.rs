//! Kernel records that are missing in a run, and from when to when.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::nanos::Nanos;
use crate::run::{Run, TrialRun, counter};
use crate::sample::{TraceEvent, TraceRecord, UNKNOWN_THREAD};
use crate::units::{count_text, format_count, format_cpus, format_long_time};

/// Why names of what delayed late samples are not known, although this system records them.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordShortage {
    /// The limit of saved records was reached: they are saved for a fair sample of the late samples.
    Sampled {
        /// Number of late samples whose records were saved.
        saved: u64,
        /// Number of all late samples.
        late: u64,
    },
    /// The limit of saved records was reached, and an earlier version then saved no more.
    Ended,
    /// The system reported that this many records were lost.
    Lost(u64),
    /// The system counted more events on these CPUs than it delivered records, and reported no loss.
    Incomplete(Vec<u32>),
}

/// A shortage of records, and when it was. Times count from the start of the run, over all stages.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingRecords {
    /// Why records are missing.
    pub shortage: RecordShortage,
    /// When records were missing for the first time.
    pub from: Nanos,
    /// When records were missing for the last time.
    pub to: Nanos,
    /// Length of all stages.
    pub length: Nanos,
}

impl fmt::Display for MissingRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to, length] = [self.from, self.to, self.length].map(format_long_time);
        match &self.shortage {
            RecordShortage::Sampled { saved, late } => write!(
                f,
                "Kernel records were saved for {} of {}, drawn from the whole test, and for \
                 those with the highest lateness: causes of the others are not known as exactly.",
                format_count(*saved),
                count_text(*late, "late samples")
            ),
            RecordShortage::Ended => write!(
                f,
                "Names of what delayed samples end at {from} of {length}: the limit of saved records \
                 was reached."
            ),
            RecordShortage::Lost(count) => write!(
                f,
                "{} of who had the CPUs {} lost from {from} to {to} of {length}: where they are \
                 missing, the cause is not observable.",
                count_text(*count, "records"),
                if *count == 1 { "was" } else { "were" }
            ),
            RecordShortage::Incomplete(cpus) => {
                let on = match cpus.as_slice() {
                    [cpu] => format!("CPU {cpu}"),
                    cpus => format!("CPUs {}", format_cpus(cpus)),
                };
                write!(
                    f,
                    "The system did not deliver every record of {on} from {from} to {to} of {length}: \
                     where nothing is recorded there, the cause is not observable."
                )
            }
        }
    }
}

/// A shortage in the trials so far: a number that depends on its kind, and its first and last time.
#[derive(Default)]
struct RecordSpan {
    count: u64,
    time: Option<(Nanos, Nanos)>,
}

impl RecordSpan {
    fn add(&mut self, from: Nanos, to: Nanos) {
        let time = self.time.map_or((from, to), |time| (time.0.min(from), time.1.max(to)));
        self.time = Some(time);
    }
}

/// Returns the shortages of records in a run, the most serious first.
pub(super) fn missing_records(run: &Run) -> Vec<MissingRecords> {
    let mut begins: BTreeMap<u32, Nanos> = BTreeMap::new();
    let mut lengths: BTreeMap<u32, Nanos> = BTreeMap::new();
    for trial in &run.trials {
        let end = trial.samples.last().map_or(Nanos::ZERO, |last| last.done);
        let length = lengths.entry(trial.stage).or_default();
        *length = end.max(*length);
    }
    let mut length = Nanos::ZERO;
    for (stage, of_stage) in lengths {
        begins.insert(stage, length);
        length += of_stage;
    }
    let [mut sampled, mut ended, mut lost, mut incomplete] =
        std::array::from_fn(|_| RecordSpan::default());
    let (mut late_count, mut cpus) = (0, BTreeSet::new());
    let mut lost_counts: BTreeMap<u32, u64> = BTreeMap::new();
    for trial in &run.trials {
        let Some(trace) = &trial.trace else { continue };
        let begin = begins.get(&trial.stage).copied().unwrap_or_default();
        let at = |time: Nanos| begin + time.max(Nanos::ZERO);
        let late = late_samples(trial);
        let omitted = count(trial, counter::TRACE_OMITTED).min(late);
        let about = trace.records_of(|event| {
            matches!(event, TraceEvent::Saved | TraceEvent::Lost | TraceEvent::Incomplete)
        });
        let of = |event| about.iter().filter(move |record| record.event == event);
        if 0 < omitted && of(TraceEvent::Saved).next().is_some() {
            sampled.count += late - omitted;
            sampled.add(at(Nanos::ZERO), length);
        } else if 0 < omitted {
            ended.add(at(last_record(&trace.records())), length);
        } else {
            sampled.count += late;
        }
        late_count += late;
        for record in of(TraceEvent::Lost) {
            lost.add(at(record.at), at(record.at));
        }
        let lost_count = lost_counts.entry(trial.stage).or_default();
        *lost_count = count(trial, counter::TRACE_LOST).max(*lost_count);
        for record in of(TraceEvent::Incomplete) {
            let end = record.at + Nanos::new(record.value.unwrap_or(0));
            incomplete.add(at(record.at), at(end).min(length));
            cpus.insert(record.cpu);
        }
    }
    lost.count = lost_counts.into_values().fold(0, u64::saturating_add).max(1);
    [
        (RecordShortage::Ended, ended.time),
        (RecordShortage::Lost(lost.count), lost.time),
        (RecordShortage::Incomplete(cpus.into_iter().collect()), incomplete.time),
        (RecordShortage::Sampled { saved: sampled.count, late: late_count }, sampled.time),
    ]
    .into_iter()
    .filter_map(|(shortage, time)| {
        let (from, to) = time?;
        Some(MissingRecords { shortage, from, to: to.min(length).max(from), length })
    })
    .collect()
}

/// Returns the time of the last record about a CPU, apart from losses.
fn last_record(records: &[TraceRecord]) -> Nanos {
    let is_record = |record: &&TraceRecord| {
        let is_lost = record.event == TraceEvent::Lost || record.thread == Some(UNKNOWN_THREAD);
        !is_lost && !record.event.is_about_records()
    };
    records.iter().rfind(is_record).map_or(Nanos::ZERO, |record| record.at)
}

fn count(trial: &TrialRun, name: &str) -> u64 {
    trial.counters.get(name).and_then(|count| u64::try_from(*count).ok()).unwrap_or(0)
}

/// Returns the number of samples whose records are saved unless a limit is reached.
fn late_samples(trial: &TrialRun) -> u64 {
    let Some(above) = trial.trial.trace_above() else { return 0 };
    let late = trial.samples.lateness().filter(|late| above.get() < *late).count();
    u64::try_from(late).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::{Caution, of};
    use super::*;
    use crate::plan::{FrameLoop, Plan};
    use crate::report::tests::test_run::run_of;
    use crate::run::Trace;
    use crate::sample::Sample;

    /// Returns the sentences about missing records of a frame loop of 20 min with 1 200 late frames, one per second.
    /// `rows` are the second, event, value, and CPU of records; `counters` are those of the trial.
    fn sentences(rows: &[(i64, TraceEvent, i64)], counters: &[(&str, i64)]) -> Vec<String> {
        let mut run = run_of(Plan::FrameLoop(FrameLoop::default()), |_| {});
        run.trials.truncate(1);
        let trial = &mut run.trials[0];
        let late = |second: i64| {
            let due = Nanos::from_secs(second);
            let woke = due + Nanos::from_millis(3);
            Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: Some(1) }
        };
        trial.samples = (1..=1_200).map(late).collect();
        let records: Vec<TraceRecord> = rows
            .iter()
            .map(|&(second, event, value)| TraceRecord {
                value: Some(value),
                thread: (event == TraceEvent::SwitchIn).then_some(7),
                ..TraceRecord::new(Nanos::from_secs(second), event, 1)
            })
            .collect();
        trial.trace = Some(Trace::from_records(Vec::new(), &records));
        trial.counters.extend(counters.iter().map(|(name, value)| ((*name).to_owned(), *value)));
        let cautions = of(&run, &[]).into_iter();
        cautions
            .filter(|caution| matches!(caution, Caution::MissingRecords(_)))
            .map(|caution| caution.to_string().replace('\u{202f}', " "))
            .collect()
    }

    #[test]
    fn complete_records_cause_no_caution() {
        let rows = [(1, TraceEvent::Saved, 9), (1, TraceEvent::SwitchIn, 120)];
        let none = [(counter::TRACE_LOST, 0), (counter::TRACE_OMITTED, 0)];
        assert_eq!(sentences(&rows, &none), Vec::<String>::new());
    }

    #[test]
    fn a_caution_states_from_when_to_when_names_exist() {
        let rows = [
            (1, TraceEvent::SwitchIn, 120),
            (120, TraceEvent::SwitchIn, 120),
            (700, TraceEvent::Lost, 5),
            (701, TraceEvent::Lost, 0),
        ];
        let counters = [(counter::TRACE_LOST, 1_160_000), (counter::TRACE_OMITTED, 1_080)];
        let expected = [
            "Names of what delayed samples end at 2 min of 20 min: the limit of saved records was reached.",
            "1 160 000 records of who had the CPUs were lost from 11 min 40 s to 11 min 41 s of 20 min: where they \
             are missing, the cause is not observable.",
        ];
        assert_eq!(sentences(&rows, &counters), expected);
    }

    #[test]
    fn a_sample_of_the_late_frames_and_missing_records_are_stated() {
        let rows = [
            (1, TraceEvent::Saved, 9),
            (60, TraceEvent::Incomplete, 30_000_000_000),
            (600, TraceEvent::Incomplete, 60_000_000_000),
        ];
        let counters = [(counter::TRACE_LOST, 0), (counter::TRACE_OMITTED, 900)];
        let expected = [
            "The system did not deliver every record of CPU 1 from 1 min to 11 min of 20 min: where nothing is recorded \
             there, the cause is not observable.",
            "Kernel records were saved for 300 of 1 200 late samples, drawn from the whole test, and for \
             those with the highest lateness: causes of the others are not known as exactly.",
        ];
        assert_eq!(sentences(&rows, &counters), expected);
    }
}
