//! The cached list of runs: one JSON record per line, after a line that names the version.

use serde::{Deserialize, Serialize};

use super::EndingOut;
use crate::nanos::Nanos;
use crate::plan::SpinStrategy;
use crate::report::{Doubt, Headline, Key};
use crate::stats::Grade;

/// The first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexHead {
    pub(crate) format: String,
    pub(crate) version: u32,
    pub(crate) app_version: String,
}

/// One run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IndexRecord {
    /// The name of its file.
    pub(crate) file: String,
    /// The size of its file.
    pub(crate) bytes: u64,
    /// When its file was last changed, counted from 1970.
    pub(crate) modified_nanos: u64,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) note: String,
    pub(crate) tags: Vec<String>,
    pub(crate) test: String,
    pub(crate) machine: String,
    pub(crate) started_at: jiff::Timestamp,
    pub(crate) measured_nanos: i64,
    pub(crate) headline: HeadlineOut,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HeadlineOut {
    grade: Option<GradeOut>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    doubt: Option<DoubtOut>,
    best_p99_nanos: Option<i64>,
    key: Option<KeyOut>,
    rows: usize,
    refused: usize,
    frames: usize,
    ending: EndingOut,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum GradeOut {
    Excellent,
    Good,
    Fair,
    Poor,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DoubtOut {
    NotEnoughData,
    Inconclusive,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum KeyOut {
    TailNanos(i64),
    Strategy(SpinStrategy),
    BiggestNanos(i64),
    FallShare(f64),
    CycleNanos(i64),
    Fps(f64),
    ReadingsCount(usize),
    CountsP99Nanos(Option<i64>),
}

impl From<&Headline> for HeadlineOut {
    fn from(headline: &Headline) -> Self {
        Self {
            grade: headline.grade.map(|grade| match grade {
                Grade::Excellent => GradeOut::Excellent,
                Grade::Good => GradeOut::Good,
                Grade::Fair => GradeOut::Fair,
                Grade::Poor => GradeOut::Poor,
            }),
            doubt: headline.doubt.map(|doubt| match doubt {
                Doubt::NotEnoughData => DoubtOut::NotEnoughData,
                Doubt::Inconclusive => DoubtOut::Inconclusive,
            }),
            best_p99_nanos: headline.best_p99.map(Nanos::get),
            key: headline.key.map(|key| match key {
                Key::Tail(nanos) => KeyOut::TailNanos(nanos.get()),
                Key::Strategy(strategy) => KeyOut::Strategy(strategy),
                Key::Biggest(nanos) => KeyOut::BiggestNanos(nanos.get()),
                Key::Fall(share) => KeyOut::FallShare(share),
                Key::Cycle(nanos) => KeyOut::CycleNanos(nanos.get()),
                Key::Fps(rate) => KeyOut::Fps(rate),
                Key::Readings(count) => KeyOut::ReadingsCount(count),
                Key::Counts(p99) => KeyOut::CountsP99Nanos(p99.map(Nanos::get)),
            }),
            rows: headline.rows,
            refused: headline.refused,
            frames: headline.frames,
            ending: (&headline.ending).into(),
        }
    }
}

impl From<HeadlineOut> for Headline {
    fn from(out: HeadlineOut) -> Self {
        Self {
            grade: out.grade.map(|grade| match grade {
                GradeOut::Excellent => Grade::Excellent,
                GradeOut::Good => Grade::Good,
                GradeOut::Fair => Grade::Fair,
                GradeOut::Poor => Grade::Poor,
            }),
            doubt: out.doubt.map(|doubt| match doubt {
                DoubtOut::NotEnoughData => Doubt::NotEnoughData,
                DoubtOut::Inconclusive => Doubt::Inconclusive,
            }),
            best_p99: out.best_p99_nanos.map(Nanos::new),
            key: out.key.map(|key| match key {
                KeyOut::TailNanos(nanos) => Key::Tail(Nanos::new(nanos)),
                KeyOut::Strategy(strategy) => Key::Strategy(strategy),
                KeyOut::BiggestNanos(nanos) => Key::Biggest(Nanos::new(nanos)),
                KeyOut::FallShare(share) => Key::Fall(share),
                KeyOut::CycleNanos(nanos) => Key::Cycle(Nanos::new(nanos)),
                KeyOut::Fps(rate) => Key::Fps(rate),
                KeyOut::ReadingsCount(count) => Key::Readings(count),
                KeyOut::CountsP99Nanos(p99) => Key::Counts(p99.map(Nanos::new)),
            }),
            rows: out.rows,
            refused: out.refused,
            frames: out.frames,
            ending: out.ending.into(),
        }
    }
}
