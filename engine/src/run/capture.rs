//! A capture of another program: frame times, readings of them, or counts of values; no schedule,
//! no stages.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::sample::{Column, MISSING};

/// Content of a file of another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Capture {
    /// The time of every frame, a recording per session.
    Frames(Vec<Recording>),
    /// A reading of the frame time at intervals longer than a frame: most frames are not in it.
    SampledLog(Vec<Recording>),
    /// Number of occurrences of each value, without order in time.
    Histogram(Vec<Distribution>),
}

/// One recording, or one session of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Recording {
    /// Names it: the game, the process, the session.
    pub label: String,
    /// From the first row to the end of the last by the file's own clock; `None` where it has none.
    #[serde(rename = "elapsed_nanos")]
    pub elapsed: Option<Nanos>,
    /// Frame times in order, in nanoseconds; missing where the file has no value.
    #[serde(rename = "frame_times_nanos")]
    pub frame_times: Column,
    /// When each row of a sampled log was written, in nanoseconds from the first; empty for frames.
    #[serde(default, rename = "logged_at_nanos", skip_serializing_if = "Column::is_empty")]
    pub logged_at: Column,
    /// What the file recorded besides frame times, such as load, temperatures, and clocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<CaptureSeries>,
}

/// Another value that the file has over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaptureSeries {
    /// Names it: "GPU load".
    pub label: String,
    /// The unit of its values; empty where the file has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// When each value was read, in nanoseconds from the start; empty where there is one for each frame time.
    #[serde(default, rename = "at_nanos", skip_serializing_if = "Column::is_empty")]
    pub at: Column,
    /// Its values in thousandths of the unit; missing where the file has none.
    #[serde(rename = "values_thousandths")]
    pub values: Column,
}

impl CaptureSeries {
    /// A value as it is stored; `None` for one that is no number, or too large for one.
    pub fn thousandths(value: f64) -> Option<i64> {
        let value = value * 1e3;
        (value.abs() < 1e15).then(|| Nanos::from_nanos_f64(value).get())
    }
}

impl Recording {
    /// The frame times that are in the file, in nanoseconds.
    pub fn present(&self) -> impl Iterator<Item = i64> + Clone + '_ {
        self.frame_times.values().filter(|&nanos| nanos != MISSING)
    }

    /// Number of rows without a frame time.
    pub fn missing_count(&self) -> usize {
        self.frame_times.len() - self.present().count()
    }

    /// When each row was written or its frame ended, from the start; of a row without either, when the one before did.
    pub fn times(&self) -> impl Iterator<Item = Nanos> + '_ {
        let logged_at = self.logged_at.values().chain(std::iter::repeat(MISSING));
        let rows = self.frame_times.values().zip(logged_at);
        rows.scan(Nanos::ZERO, |end, (time, at)| {
            let next = match (at, time) {
                (MISSING, MISSING) => *end,
                (MISSING, time) => *end + Nanos::new(time.max(0)),
                (at, _) => Nanos::new(at),
            };
            *end = next.max(*end);
            Some(*end)
        })
    }

    /// The frame times that are in the file, each at its time.
    pub fn frame_times_over_time(&self) -> impl Iterator<Item = (Nanos, Nanos)> + '_ {
        let rows = self.times().zip(self.frame_times.values());
        rows.filter(|(_, time)| *time != MISSING).map(|(at, time)| (at, Nanos::new(time)))
    }

    /// The points of a series with a value: when it was read, and the value in its unit.
    pub fn points_of<'a>(
        &'a self,
        series: &'a CaptureSeries,
    ) -> impl Iterator<Item = (Nanos, f64)> + 'a {
        let own = series.at.values().map(Nanos::new);
        let rows = self.times().take(if series.at.is_empty() { usize::MAX } else { 0 });
        let present = own.chain(rows).zip(series.values.values());
        let present = present.filter(|(_, value)| *value != MISSING);
        present.map(|(at, value)| (at, Nanos::new(value).as_f64() / 1e3))
    }

    /// All frame times together.
    pub fn frame_time_sum(&self) -> Nanos {
        Nanos::new(self.present().fold(0, i64::saturating_add))
    }

    /// How long it covers: by the file's own clock, else all frame times together.
    pub fn length(&self) -> Nanos {
        self.elapsed.unwrap_or_else(|| self.frame_time_sum())
    }
}

/// Number of occurrences of each value of one thread or CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "DistributionInFile", into = "DistributionInFile")]
pub struct Distribution {
    /// Names it: "Thread 0, CPU 1".
    pub label: String,
    /// Values in nanoseconds, ascending, each with its count of at least 1; clones share them.
    pub bins: Arc<Vec<(i64, u64)>>,
    /// Values above every bin: counted by the file, not located.
    pub above_count: u64,
    /// The maximum that the file states, which may be above every bin.
    pub max: Option<Nanos>,
}

/// The same in files, with a list of values and a list of their counts.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DistributionInFile {
    label: String,
    above_count: u64,
    #[serde(rename = "max_nanos")]
    max: Option<Nanos>,
    values_nanos: Vec<i64>,
    counts: Vec<u64>,
}

impl From<Distribution> for DistributionInFile {
    fn from(distribution: Distribution) -> Self {
        let Distribution { label, bins, above_count, max } = distribution;
        let (values_nanos, counts) = bins.iter().copied().unzip();
        Self { label, above_count, max, values_nanos, counts }
    }
}

impl TryFrom<DistributionInFile> for Distribution {
    type Error = &'static str;

    fn try_from(file: DistributionInFile) -> Result<Self, &'static str> {
        let DistributionInFile { label, above_count, max, values_nanos, counts } = file;
        if values_nanos.len() != counts.len() {
            return Err("the lengths of its values and counts differ");
        }
        if !values_nanos.is_sorted() {
            return Err("its values are not ascending");
        }
        let bins = values_nanos.into_iter().zip(counts).filter(|(_, count)| 0 < *count);
        Ok(Self { label, bins: Arc::new(bins.collect()), above_count, max })
    }
}

impl Distribution {
    /// Number of values, including those above every bin.
    pub fn count(&self) -> u64 {
        self.bins.iter().fold(self.above_count, |sum, (_, count)| sum.saturating_add(*count))
    }
}

impl Capture {
    /// The key in file names and lists: `frame-capture`.
    pub const fn key(&self) -> &'static str {
        let [key, _] = self.words();
        key
    }

    /// The name on screen, in sentence case.
    pub const fn name(&self) -> &'static str {
        let [_, name] = self.words();
        name
    }

    const fn words(&self) -> [&'static str; 2] {
        let [frames, log, histogram] = WORDS;
        match self {
            Self::Frames(_) => frames,
            Self::SampledLog(_) => log,
            Self::Histogram(_) => histogram,
        }
    }

    /// What each value is, in lower case.
    pub const fn value_name(&self) -> &'static str {
        match self {
            Self::Frames(_) | Self::SampledLog(_) => "frame time",
            Self::Histogram(_) => "latency",
        }
    }

    /// What values are called, in lower case.
    pub const fn samples_name(&self) -> &'static str {
        match self {
            Self::Frames(_) => "frames",
            Self::SampledLog(_) => "readings",
            Self::Histogram(_) => "values",
        }
    }

    /// The recordings of frame times; empty for a histogram.
    pub fn recordings(&self) -> &[Recording] {
        match self {
            Self::Frames(recordings) | Self::SampledLog(recordings) => recordings,
            Self::Histogram(_) => &[],
        }
    }

    /// The names of all recordings, to be changed.
    pub fn labels_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Frames(recordings) | Self::SampledLog(recordings) => {
                recordings.iter_mut().map(|recording| &mut recording.label).collect()
            }
            Self::Histogram(distributions) => {
                distributions.iter_mut().map(|distribution| &mut distribution.label).collect()
            }
        }
    }

    /// Number of values in all recordings, including missing ones.
    pub fn count(&self) -> usize {
        match self {
            Self::Frames(recordings) | Self::SampledLog(recordings) => {
                recordings.iter().map(|recording| recording.frame_times.len()).sum()
            }
            Self::Histogram(distributions) => {
                let count = distributions.iter().map(Distribution::count);
                usize::try_from(count.fold(0, u64::saturating_add)).unwrap_or(usize::MAX)
            }
        }
    }

    /// The time that all recordings cover; 0 for a histogram, which has no time.
    pub fn length(&self) -> Nanos {
        self.recordings().iter().fold(Nanos::ZERO, |sum, recording| sum + recording.length())
    }
}

/// Key and name of each kind.
pub const WORDS: [[&str; 2]; 3] = [
    ["frame-capture", "Frame-time capture"],
    ["sampled-log", "Sampled frame log"],
    ["histogram", "Latency histogram"],
];
