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
use crate::sample::{Column, Columns, Evidence, MISSING, Samples};

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

// Read into columns: a run can have as much evidence as it has samples.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct EvidenceOut {
    index: ColumnOut<'static, u64>,
    involuntary_switches: ColumnOut<'static, Option<u32>>,
    voluntary_switches: ColumnOut<'static, Option<u32>>,
    minor_faults: ColumnOut<'static, Option<u32>>,
    major_faults: ColumnOut<'static, Option<u32>>,
    run_delay_nanos: ColumnOut<'static, Option<i64>>,
    steal_nanos: ColumnOut<'static, Option<i64>>,
    cpu_before: ColumnOut<'static, Option<u32>>,
    cpu_after: ColumnOut<'static, Option<u32>>,
    /// Empty in older files.
    #[serde(default)]
    work_started_nanos: ColumnOut<'static, Option<i64>>,
}

impl From<&[Evidence]> for EvidenceOut {
    fn from(all: &[Evidence]) -> Self {
        let nanos = |of: Option<Nanos>| of.map(Nanos::get);
        Self {
            index: all.iter().map(|one| one.index).collect(),
            involuntary_switches: all.iter().map(|one| one.involuntary_switches).collect(),
            voluntary_switches: all.iter().map(|one| one.voluntary_switches).collect(),
            minor_faults: all.iter().map(|one| one.minor_faults).collect(),
            major_faults: all.iter().map(|one| one.major_faults).collect(),
            run_delay_nanos: all.iter().map(|one| nanos(one.run_delay)).collect(),
            steal_nanos: all.iter().map(|one| nanos(one.steal)).collect(),
            cpu_before: all.iter().map(|one| one.cpu_before).collect(),
            cpu_after: all.iter().map(|one| one.cpu_after).collect(),
            work_started_nanos: all.iter().map(|one| nanos(one.work_started)).collect(),
        }
    }
}

impl EvidenceOut {
    pub(super) fn read(self) -> Result<Vec<Evidence>, FormatError> {
        let counts = [
            self.involuntary_switches.into_column(),
            self.voluntary_switches.into_column(),
            self.minor_faults.into_column(),
            self.major_faults.into_column(),
            self.cpu_before.into_column(),
            self.cpu_after.into_column(),
        ];
        let times = [self.run_delay_nanos.into_column(), self.steal_nanos.into_column()];
        let (index, starts) = (self.index.into_column(), self.work_started_nanos.into_column());
        let is_even = |column: &Column| column.len() == index.len();
        if !counts.iter().chain(&times).all(is_even) || !(starts.is_empty() || is_even(&starts)) {
            return Err(contradiction("the lengths of its columns of evidence differ"));
        }
        let mut counts = counts.each_ref().map(Column::values);
        let mut times = times.each_ref().map(Column::values);
        let mut starts = starts.values();
        let nanos = |value: Option<i64>| value.filter(|&nanos| nanos != MISSING).map(Nanos::new);
        let mut evidence = Vec::with_capacity(index.len());
        for index in index.values() {
            let [involuntary, voluntary, minor, major, before, after] =
                counts.each_mut().map(|one| one.next().and_then(|value| u32::try_from(value).ok()));
            let [run_delay, steal] = times.each_mut().map(|one| nanos(one.next()));
            evidence.push(Evidence {
                index: u64::try_from(index).unwrap_or(u64::MAX),
                involuntary_switches: involuntary,
                voluntary_switches: voluntary,
                minor_faults: minor,
                major_faults: major,
                run_delay,
                steal,
                cpu_before: before,
                cpu_after: after,
                work_started: nanos(starts.next()),
            });
        }
        Ok(evidence)
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
