//! Trials, what was applied, samples, and evidence in the run file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::column::ColumnOut;
use super::{FormatError, contradiction};
use crate::nanos::Nanos;
use crate::plan::record::{InNanos, List, Optional, Record, records};
use crate::plan::{Load, Trial};
use crate::platform::{Applied, Effective, MacQos, Policy, Refusal, RequestOutcome};
use crate::run::{Counters, Series, TailPoint, Trace, TrialRun};
use crate::sample::{Columns, Evidence, Samples};

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TrialOut<'a> {
    stage: u32,
    label: String,
    round: u32,
    /// The request in short; the settings have all of it.
    requested: String,
    granted: Option<AppliedOut>,
    settings: Trial,
    load: Load,
    lost: u64,
    complete: bool,
    skipped: Option<String>,
    counters: Counters,
    samples: SamplesOut<'a>,
    evidence: EvidenceOut,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    series: BTreeMap<String, SeriesOut<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<TraceOut<'a>>,
    #[serde(default, with = "List::<TailPointOut>")]
    tail_curve: Vec<TailPoint>,
}

impl<'a> From<&'a TrialRun> for TrialOut<'a> {
    fn from(run: &'a TrialRun) -> Self {
        Self {
            stage: run.stage,
            label: run.trial.label.clone(),
            round: run.trial.round,
            requested: run.trial.conditions.to_string(),
            granted: run.applied.as_ref().map(AppliedOut::from),
            settings: run.trial.clone(),
            load: run.load,
            lost: run.lost_count,
            complete: run.complete,
            skipped: run.skipped.clone(),
            counters: run.counters.clone(),
            samples: SamplesOut::from(&run.samples),
            evidence: EvidenceOut::from(run.evidence.as_slice()),
            series: run.series.iter().map(|(name, one)| (name.clone(), one.into())).collect(),
            trace: run.trace.as_ref().map(TraceOut::from),
            tail_curve: run.tail_curve.clone(),
        }
    }
}

impl TrialOut<'_> {
    pub(super) fn read(self) -> Result<TrialRun, FormatError> {
        let series = self.series.into_iter().map(|(name, one)| Ok((name, one.read()?)));
        Ok(TrialRun {
            stage: self.stage,
            trial: self.settings,
            load: self.load,
            applied: self.granted.map(|granted| granted.applied),
            lost_count: self.lost,
            complete: self.complete,
            skipped: self.skipped,
            counters: self.counters,
            samples: self.samples.read()?,
            evidence: self.evidence.read()?,
            series: series.collect::<Result<_, FormatError>>()?,
            trace: self.trace.map(TraceOut::read).transpose()?,
            tail_curve: self.tail_curve,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "TailPoint")]
pub(super) struct TailPointOut {
    #[serde(rename = "tail_nanos", with = "InNanos")]
    tail: Nanos,
    #[serde(rename = "p99_nanos", with = "InNanos")]
    p99: Nanos,
    #[serde(default, rename = "p99_interval_nanos", with = "Optional::<IntervalOut>")]
    p99_interval: Option<(Nanos, Nanos)>,
    wait_count: u32,
    #[serde(default, rename = "cpu_nanos", with = "Optional::<InNanos>")]
    cpu: Option<Nanos>,
    #[serde(rename = "wall_nanos", with = "InNanos")]
    wall: Nanos,
}

/// The two ends of an interval.
pub(super) struct IntervalOut;

impl Record for IntervalOut {
    type Of = (Nanos, Nanos);

    fn write<S: Serializer>((low, high): &Self::Of, serializer: S) -> Result<S::Ok, S::Error> {
        (low.get(), high.get()).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Of, D::Error> {
        let (low, high) = Deserialize::deserialize(deserializer)?;
        Ok((Nanos::new(low), Nanos::new(high)))
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SamplesOut<'a> {
    began_nanos: ColumnOut<'a, i64>,
    due_nanos: ColumnOut<'a, i64>,
    slept_nanos: ColumnOut<'a, Option<i64>>,
    woke_nanos: ColumnOut<'a, i64>,
    done_nanos: ColumnOut<'a, i64>,
    spins: ColumnOut<'a, u32>,
    cpu: ColumnOut<'a, Option<u32>>,
}

impl<'a> From<&'a Samples> for SamplesOut<'a> {
    fn from(samples: &'a Samples) -> Self {
        let Columns { began, due, slept, woke, done, spins, cpu } = samples.columns();
        Self {
            began_nanos: began.into(),
            due_nanos: due.into(),
            slept_nanos: slept.into(),
            woke_nanos: woke.into(),
            done_nanos: done.into(),
            spins: spins.into(),
            cpu: cpu.into(),
        }
    }
}

impl SamplesOut<'_> {
    pub(super) fn read(self) -> Result<Samples, FormatError> {
        Samples::from_columns(Columns {
            began: self.began_nanos.into_column(),
            due: self.due_nanos.into_column(),
            slept: self.slept_nanos.into_column(),
            woke: self.woke_nanos.into_column(),
            done: self.done_nanos.into_column(),
            spins: self.spins.into_column(),
            cpu: self.cpu.into_column(),
        })
        .ok_or_else(|| contradiction("the lengths of its columns of samples differ"))
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SeriesOut<'a> {
    at_nanos: ColumnOut<'a, i64>,
    values: ColumnOut<'a, Option<i64>>,
}

impl<'a> From<&'a Series> for SeriesOut<'a> {
    fn from(series: &'a Series) -> Self {
        Self { at_nanos: series.at_nanos().into(), values: series.values().into() }
    }
}

impl SeriesOut<'_> {
    fn read(self) -> Result<Series, FormatError> {
        Series::from_columns(self.at_nanos.into_column(), self.values.into_column())
            .ok_or_else(|| contradiction("the lengths of its columns of a series differ"))
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TraceOut<'a> {
    names: Cow<'a, [String]>,
    columns: BTreeMap<Cow<'a, str>, ColumnOut<'a, Option<i64>>>,
}

impl<'a> From<&'a Trace> for TraceOut<'a> {
    fn from(trace: &'a Trace) -> Self {
        let columns = trace.columns().iter();
        Self {
            names: trace.names().into(),
            columns: columns.map(|(key, column)| (key.into(), column.into())).collect(),
        }
    }
}

impl TraceOut<'_> {
    pub(super) fn read(self) -> Result<Trace, FormatError> {
        let columns = self.columns.into_iter();
        let columns = columns.map(|(key, column)| (key.into_owned(), column.into_column()));
        Trace::from_columns(self.names.into_owned(), columns.collect())
            .ok_or_else(|| contradiction("the lengths of its columns of a trace differ"))
    }
}

#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct EvidenceOut {
    index: Vec<u64>,
    involuntary_switches: Vec<Option<u32>>,
    voluntary_switches: Vec<Option<u32>>,
    minor_faults: Vec<Option<u32>>,
    major_faults: Vec<Option<u32>>,
    run_delay_nanos: Vec<Option<i64>>,
    steal_nanos: Vec<Option<i64>>,
    cpu_before: Vec<Option<u32>>,
    cpu_after: Vec<Option<u32>>,
    /// Empty in older files.
    #[serde(default)]
    work_started_nanos: Vec<Option<i64>>,
}

impl From<&[Evidence]> for EvidenceOut {
    fn from(evidence: &[Evidence]) -> Self {
        let mut out = Self::default();
        for piece in evidence {
            out.index.push(piece.index);
            out.involuntary_switches.push(piece.involuntary_switches);
            out.voluntary_switches.push(piece.voluntary_switches);
            out.minor_faults.push(piece.minor_faults);
            out.major_faults.push(piece.major_faults);
            out.run_delay_nanos.push(piece.run_delay.map(Nanos::get));
            out.steal_nanos.push(piece.steal.map(Nanos::get));
            out.cpu_before.push(piece.cpu_before);
            out.cpu_after.push(piece.cpu_after);
            out.work_started_nanos.push(piece.work_started.map(Nanos::get));
        }
        out
    }
}

impl EvidenceOut {
    pub(super) fn read(self) -> Result<Vec<Evidence>, FormatError> {
        let uneven = || contradiction("the lengths of its columns of evidence differ");
        let count = self.index.len();
        let counts = [&self.involuntary_switches, &self.voluntary_switches, &self.minor_faults]
            .into_iter()
            .chain([&self.major_faults, &self.cpu_before, &self.cpu_after])
            .map(Vec::len)
            .chain([self.run_delay_nanos.len(), self.steal_nanos.len()]);
        let starts = self.work_started_nanos.len();
        if counts.into_iter().any(|len| len != count) || ![0, count].contains(&starts) {
            return Err(uneven());
        }
        let at = |column: &[Option<u32>], row: usize| column.get(row).copied().flatten();
        let time =
            |column: &[Option<i64>], row: usize| column.get(row).copied().flatten().map(Nanos::new);
        Ok(self
            .index
            .iter()
            .enumerate()
            .map(|(row, &index)| Evidence {
                index,
                involuntary_switches: at(&self.involuntary_switches, row),
                voluntary_switches: at(&self.voluntary_switches, row),
                minor_faults: at(&self.minor_faults, row),
                major_faults: at(&self.major_faults, row),
                run_delay: time(&self.run_delay_nanos, row),
                steal: time(&self.steal_nanos, row),
                cpu_before: at(&self.cpu_before, row),
                cpu_after: at(&self.cpu_after, row),
                work_started: time(&self.work_started_nanos, row),
            })
            .collect())
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AppliedOut {
    /// Whether everything was granted; the other fields have the details.
    #[serde(alias = "as_asked")]
    as_requested: bool,
    #[serde(flatten, with = "AppliedFields")]
    pub(super) applied: Applied,
}

impl From<&Applied> for AppliedOut {
    fn from(applied: &Applied) -> Self {
        Self { as_requested: applied.is_as_requested(), applied: applied.clone() }
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Applied")]
struct AppliedFields {
    #[serde(with = "OutcomeOut")]
    priority: RequestOutcome,
    #[serde(with = "OutcomeOut")]
    pin: RequestOutcome,
    #[serde(flatten, with = "EffectiveOut")]
    effective: Effective,
    mechanism: String,
    #[serde(rename = "chosen_cpu")]
    selected_cpu: Option<u32>,
    #[serde(with = "List::<RefusalOut>")]
    refusals: Vec<Refusal>,
    #[serde(default, rename = "timer_slack_nanos", with = "Optional::<InNanos>")]
    timer_slack: Option<Nanos>,
    #[serde(default, rename = "timer_resolution_nanos", with = "Optional::<InNanos>")]
    timer_resolution: Option<Nanos>,
    no_deep_idle: bool,
    sleep_call: String,
    demoted: bool,
    #[serde(default, with = "Optional::<PolicyOut>")]
    policy_at_end: Option<Policy>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Effective")]
struct EffectiveOut {
    #[serde(with = "PolicyOut")]
    policy: Policy,
    cpus: Vec<u32>,
    ran_on: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "RequestOutcome", rename_all = "kebab-case")]
enum OutcomeOut {
    Granted,
    Partly,
    Refused,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Policy", rename_all = "kebab-case")]
pub(super) enum PolicyOut {
    Nice(i32),
    Idle,
    Batch(i32),
    Fifo(u8),
    RoundRobin(u8),
    Deadline {
        #[serde(rename = "runtime_nanos", with = "InNanos")]
        runtime: Nanos,
        #[serde(rename = "deadline_nanos", with = "InNanos")]
        deadline: Nanos,
        #[serde(rename = "period_nanos", with = "InNanos")]
        period: Nanos,
    },
    WindowsLevel(i32),
    MacQos(#[serde(with = "MacQosOut")] MacQos),
    MacTimeConstraint,
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "MacQos", rename_all = "kebab-case")]
enum MacQosOut {
    Background,
    Utility,
    Default,
    UserInitiated,
    UserInteractive,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Refusal")]
struct RefusalOut {
    #[serde(rename = "asked")]
    requested: String,
    call: String,
    errno: Option<i32>,
    error_name: String,
    reason: String,
    remedy: String,
}

records!(TailPointOut: TailPoint, PolicyOut: Policy, RefusalOut: Refusal);
