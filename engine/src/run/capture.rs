//! A capture of another program: frame times, a sampled log of frame times, or a histogram. Unlike a test, a capture
//! has no schedule and no stages.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;
use crate::sample::{Column, CountedValues, MISSING};

/// The content of an imported file of another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Capture {
    /// The time of every frame, with one recording per session.
    Frames(Vec<Recording>),
    /// A log of frame times, read at intervals longer than a frame, so most frames are missing.
    SampledLog(Vec<Recording>),
    /// How long a server worked on every tick; the frame times are those of ticks.
    Ticks(Vec<Recording>),
    /// A log of the tick times of a server, read at intervals longer than a tick, so most ticks are missing.
    SampledTicks(Vec<Recording>),
    /// The number of occurrences of each value, without order in time.
    Histogram(Vec<Distribution>),
}

/// One recording of frame times, or one session of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Recording {
    /// The name of the recording, such as the game, the process, or the session.
    pub label: String,
    /// Time from the first row to the end of the last row by the file's own clock; `None` without a usable clock.
    #[serde(rename = "elapsed_nanos")]
    pub elapsed: Option<Nanos>,
    /// Frame times in order, in nanoseconds; [`MISSING`] for a row without a value.
    #[serde(rename = "frame_times_nanos")]
    pub frame_times: Column,
    /// When each row of a sampled log was written, in nanoseconds from the first row; empty for frames, and for a log
    /// without usable times.
    #[serde(default, rename = "logged_at_nanos", skip_serializing_if = "Column::is_empty")]
    pub logged_at: Column,
    /// Other values that the file has over time, such as load, temperatures, and clocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<CaptureSeries>,
    /// What else the file has of each frame, such as how long the CPU was busy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_frame: Vec<FrameColumn>,
}

/// Values of each frame of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FrameColumn {
    /// What the values are.
    pub quantity: FrameQuantity,
    /// One value per row: a time in nanoseconds, or a number as [`FrameQuantity`] describes it. [`MISSING`] for a row
    /// without a value.
    pub values: Column,
}

/// What a file has of each frame besides its frame time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FrameQuantity {
    /// The time from one displayed frame to the next; missing for a frame that was never displayed.
    DisplayedTime,
    /// How long the CPU worked on the frame.
    CpuBusy,
    /// How long the CPU waited before it began the next frame.
    CpuWait,
    /// How long the GPU worked on the frame.
    GpuBusy,
    /// How long the GPU was idle during the frame.
    GpuWait,
    /// The time from an input that the PC received to the display of the frame.
    PcLatency,
    /// The time from a mouse click to the display of the frame.
    ClickToPhoton,
    /// How far the step of the animation differs from the step on the display; signed.
    AnimationError,
    /// 1 for a frame that was presented, but never displayed; else 0.
    Dropped,
    /// What made the frame: 0 the application, 1 a driver or library that generates frames, 2 the repetition of a
    /// frame.
    Origin,
}

impl FrameQuantity {
    /// Every quantity.
    pub const ALL: [Self; 10] = [
        Self::DisplayedTime,
        Self::CpuBusy,
        Self::CpuWait,
        Self::GpuBusy,
        Self::GpuWait,
        Self::PcLatency,
        Self::ClickToPhoton,
        Self::AnimationError,
        Self::Dropped,
        Self::Origin,
    ];

    /// The value of [`Origin`](Self::Origin) for a frame that the application made.
    pub const APPLICATION: i64 = 0;
    /// The value of [`Origin`](Self::Origin) for a frame that was generated between those of the application.
    pub const GENERATED: i64 = 1;
    /// The value of [`Origin`](Self::Origin) for a frame that was displayed again.
    pub const REPEATED: i64 = 2;

    /// Returns the name in files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::DisplayedTime => "displayed-time",
            Self::CpuBusy => "cpu-busy",
            Self::CpuWait => "cpu-wait",
            Self::GpuBusy => "gpu-busy",
            Self::GpuWait => "gpu-wait",
            Self::PcLatency => "pc-latency",
            Self::ClickToPhoton => "click-to-photon",
            Self::AnimationError => "animation-error",
            Self::Dropped => "dropped",
            Self::Origin => "origin",
        }
    }

    /// Whether the values are times, in nanoseconds.
    pub const fn is_time(self) -> bool {
        !matches!(self, Self::Dropped | Self::Origin)
    }
}

/// Values over time, other than frame times, that the file has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CaptureSeries {
    /// The name of the series: "GPU load".
    pub label: String,
    /// The unit of the values; empty if the file has no unit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// When each value was read, in nanoseconds from the start; empty if there is one value per frame time.
    #[serde(default, rename = "at_nanos", skip_serializing_if = "Column::is_empty")]
    pub at: Column,
    /// The values in thousandths of the unit; [`MISSING`] for a row without a value.
    #[serde(rename = "values_thousandths")]
    pub values: Column,
}

impl CaptureSeries {
    /// Converts a value to thousandths, as files store it; `None` for NaN, and for values of 10^12 or more.
    pub fn thousandths(value: f64) -> Option<i64> {
        let value = value * 1e3;
        (value.abs() < 1e15).then(|| Nanos::from_nanos_f64(value).get())
    }
}

impl Recording {
    /// Returns the frame times that are present in the file, in nanoseconds.
    pub fn present(&self) -> impl Iterator<Item = i64> + Clone + '_ {
        self.frame_times.values().filter(|&nanos| nanos != MISSING)
    }

    /// Returns the values of each frame of this quantity; `None` if the file does not have them.
    pub fn per_frame(&self, quantity: FrameQuantity) -> Option<&Column> {
        let found = self.per_frame.iter().find(|column| column.quantity == quantity);
        found.map(|column| &column.values)
    }

    /// Returns the number of rows without a frame time, except frames that the application did not make.
    pub fn missing_count(&self) -> usize {
        let others = self
            .per_frame(FrameQuantity::Origin)
            .map_or(0, |origins| origins.values().filter(|&origin| 0 < origin).count());
        (self.frame_times.len() - self.present().count()).saturating_sub(others)
    }

    /// Returns the time of each row from the start: when the row was written, or else when its frame ended. A row with
    /// neither takes the time of the previous row.
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

    /// Returns the frame times that are present in the file, each with the time of its row.
    pub fn frame_times_over_time(&self) -> impl Iterator<Item = (Nanos, Nanos)> + '_ {
        let rows = self.times().zip(self.frame_times.values());
        rows.filter(|(_, time)| *time != MISSING).map(|(at, time)| (at, Nanos::new(time)))
    }

    /// Returns the values that a series has, each with the time at which the value was read. Values are in the unit of
    /// the series.
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

    /// Returns the sum of all frame times.
    pub fn frame_time_sum(&self) -> Nanos {
        Nanos::new(self.present().fold(0, i64::saturating_add))
    }

    /// Returns the length of the recording by the file's own clock, or else the sum of all frame times.
    pub fn length(&self) -> Nanos {
        self.elapsed.unwrap_or_else(|| self.frame_time_sum())
    }
}

/// The number of occurrences of each value, measured on one thread or CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "DistributionInFile", into = "DistributionInFile")]
pub struct Distribution {
    /// The name of the distribution: "Thread 0, CPU 1".
    pub label: String,
    /// Values in nanoseconds, in ascending order, each with its count of at least 1.
    pub bins: CountedValues,
    /// The number of values above the last bin. The file has only their number.
    pub above_count: u64,
    /// The maximum in the file, which may be above the last bin; absent if the file has none.
    pub max: Option<Nanos>,
    /// The minimum that the file states; absent if the file has none.
    pub stated_min: Option<Nanos>,
    /// The mean that the file states; absent if the file has none.
    pub stated_mean: Option<Nanos>,
}

/// A [`Distribution`] as saved in files, with a list of values and a list of their counts.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DistributionInFile {
    label: String,
    above_count: u64,
    #[serde(rename = "max_nanos")]
    max: Option<Nanos>,
    #[serde(default, rename = "stated_min_nanos", skip_serializing_if = "Option::is_none")]
    stated_min: Option<Nanos>,
    #[serde(default, rename = "stated_mean_nanos", skip_serializing_if = "Option::is_none")]
    stated_mean: Option<Nanos>,
    values_nanos: Vec<i64>,
    counts: Vec<u64>,
}

impl From<Distribution> for DistributionInFile {
    fn from(distribution: Distribution) -> Self {
        let Distribution { label, bins, above_count, max, stated_min, stated_mean } = distribution;
        let (values_nanos, counts) = bins.iter().unzip();
        Self { label, above_count, max, stated_min, stated_mean, values_nanos, counts }
    }
}

impl TryFrom<DistributionInFile> for Distribution {
    type Error = &'static str;

    fn try_from(file: DistributionInFile) -> Result<Self, &'static str> {
        let DistributionInFile {
            label,
            above_count,
            max,
            stated_min,
            stated_mean,
            values_nanos,
            counts,
        } = file;
        if values_nanos.len() != counts.len() {
            return Err("the lengths of its values and counts differ");
        }
        if !values_nanos.is_sorted() {
            return Err("its values are not ascending");
        }
        let bins = values_nanos.into_iter().zip(counts).filter(|(_, count)| 0 < *count);
        Ok(Self { label, bins: bins.collect(), above_count, max, stated_min, stated_mean })
    }
}

impl Distribution {
    /// Returns the number of values, including values above the last bin.
    pub fn count(&self) -> u64 {
        self.bins.iter().fold(self.above_count, |sum, (_, count)| sum.saturating_add(count))
    }
}

impl Capture {
    /// Returns the key in file names and lists: `frame-capture`.
    pub const fn key(&self) -> &'static str {
        let [key, _] = self.words();
        key
    }

    /// Returns the name on screen, in sentence case.
    pub const fn name(&self) -> &'static str {
        let [_, name] = self.words();
        name
    }

    const fn words(&self) -> [&'static str; 2] {
        let [frames, log, ticks, tick_readings, histogram] = WORDS;
        match self {
            Self::Frames(_) => frames,
            Self::SampledLog(_) => log,
            Self::Ticks(_) => ticks,
            Self::SampledTicks(_) => tick_readings,
            Self::Histogram(_) => histogram,
        }
    }

    /// Returns the name of a single value, in lower case: `frame time`.
    pub const fn value_name(&self) -> &'static str {
        match self {
            Self::Frames(_) | Self::SampledLog(_) => "frame time",
            Self::Ticks(_) | Self::SampledTicks(_) => "tick time",
            Self::Histogram(_) => "latency",
        }
    }

    /// Returns the plural name of the values, in lower case: `frames`.
    pub const fn samples_name(&self) -> &'static str {
        match self {
            Self::Frames(_) => "frames",
            Self::SampledLog(_) | Self::SampledTicks(_) => "readings",
            Self::Ticks(_) => "ticks",
            Self::Histogram(_) => "values",
        }
    }

    /// Returns the recordings of frame times; empty for a histogram.
    pub fn recordings(&self) -> &[Recording] {
        match self {
            Self::Frames(recordings)
            | Self::SampledLog(recordings)
            | Self::Ticks(recordings)
            | Self::SampledTicks(recordings) => recordings,
            Self::Histogram(_) => &[],
        }
    }

    /// Returns the names of all recordings or distributions, to be changed.
    pub fn labels_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Frames(recordings)
            | Self::SampledLog(recordings)
            | Self::Ticks(recordings)
            | Self::SampledTicks(recordings) => {
                recordings.iter_mut().map(|recording| &mut recording.label).collect()
            }
            Self::Histogram(distributions) => {
                distributions.iter_mut().map(|distribution| &mut distribution.label).collect()
            }
        }
    }

    /// Returns the number of values in all recordings, including missing values.
    pub fn count(&self) -> usize {
        if let Self::Histogram(distributions) = self {
            let count = distributions.iter().map(Distribution::count);
            return usize::try_from(count.fold(0, u64::saturating_add)).unwrap_or(usize::MAX);
        }
        self.recordings().iter().map(|recording| recording.frame_times.len()).sum()
    }

    /// Returns the total length of all recordings; 0 for a histogram, which has no times.
    pub fn length(&self) -> Nanos {
        self.recordings().iter().fold(Nanos::ZERO, |sum, recording| sum + recording.length())
    }
}

/// The key and the name on screen of each kind of capture, in the order of the variants of [`Capture`].
pub const WORDS: [[&str; 2]; 5] = [
    ["frame-capture", "Frame-time capture"],
    ["sampled-log", "Sampled frame log"],
    ["tick-log", "Tick log"],
    ["sampled-tick-log", "Sampled tick log"],
    ["histogram", "Latency histogram"],
];
