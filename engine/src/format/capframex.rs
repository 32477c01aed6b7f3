//! The capture file of CapFrameX, limited to the parts needed for frame times. Its format is
//! internal to CapFrameX and has no version.

use std::fmt;
use std::io::{Read, Seek};

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::json::Limits;
use super::millis::{EachNanos, Flags, FrameTimes, Span, Thousandths};
use super::{FormatError, json_of};

/// Maximum number of recordings per capture.
const MAX_RECORDINGS: usize = 1_000;
/// Maximum number of sensors per recording that are read.
const MAX_SENSORS: usize = 100;

/// A capture file of CapFrameX: recordings of the frame times of a game.
#[derive(Debug, Deserialize)]
pub struct Capture {
    /// The game and the machine.
    #[serde(rename = "Info", default)]
    pub info: Info,
    /// The recordings of the capture.
    #[serde(rename = "Runs", deserialize_with = "recordings")]
    pub runs: Vec<Recording>,
}

/// The game that was captured, and the machine. A value that the file does not have is `None`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Info {
    /// The version of CapFrameX.
    pub app_version: Option<String>,
    /// The game's name.
    pub game_name: Option<String>,
    /// The name of the game's process.
    pub process_name: Option<String>,
    /// The processor.
    pub processor: Option<String>,
    /// The operating system.
    #[serde(rename = "OS")]
    pub os: Option<String>,
    /// The graphics card.
    #[serde(rename = "GPU")]
    pub gpu: Option<String>,
    /// The version of the driver of the graphics card.
    #[serde(rename = "GPUDriverVersion")]
    pub gpu_driver_version: Option<String>,
    /// The date of the capture.
    pub creation_date: Option<String>,
    /// The user's comment.
    pub comment: Option<String>,
}

/// One recording of a capture.
#[derive(Debug, Deserialize)]
pub struct Recording {
    /// The columns of the recording; absent if the file has none.
    #[serde(rename = "CaptureData", default)]
    pub data: Option<Columns>,
    /// The sensors of the recording, by an identifier.
    #[serde(rename = "SensorData2", default)]
    pub sensors: Option<Sensors>,
}

/// The sensors of a recording.
#[derive(Debug, Default)]
pub struct Sensors(pub Vec<Sensor>);

/// A sensor, or the times of its values.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Sensor {
    /// The name: "GPU Core", or "MeasureTime".
    pub name: Option<String>,
    /// The quantity: "Load", or "Time".
    #[serde(rename = "Type")]
    pub quantity: Option<String>,
    /// The values; seconds for the times.
    pub values: Thousandths,
}

impl<'de> Deserialize<'de> for Sensors {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> Visitor<'de> for Map {
            type Value = Sensors;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("sensors by name")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Sensors, M::Error> {
                let mut sensors = Vec::new();
                while let Some(IgnoredAny) = map.next_key()? {
                    if sensors.len() < MAX_SENSORS {
                        sensors.push(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Sensors(sensors))
            }

            fn visit_unit<E>(self) -> Result<Sensors, E> {
                Ok(Sensors::default())
            }
        }
        deserializer.deserialize_any(Map)
    }
}

/// The columns of a recording.
#[derive(Debug, Deserialize)]
pub struct Columns {
    /// The frame times, which the file has in milliseconds.
    #[serde(rename = "MsBetweenPresents", default)]
    pub ms_between_presents: FrameTimes,
    /// The first and the last time of a frame, in seconds.
    #[serde(rename = "TimeInSeconds", default)]
    pub time_in_seconds: Span,
    /// The times between displayed frames, which the file has in milliseconds, like all that follow.
    #[serde(rename = "MsBetweenDisplayChange", default)]
    pub ms_between_display_change: EachNanos,
    /// How long the CPU worked on each frame.
    #[serde(rename = "CpuActive", default)]
    pub cpu_active: EachNanos,
    /// The same under the name that other versions write.
    #[serde(rename = "CPUBusy", default)]
    pub cpu_busy: EachNanos,
    /// How long the CPU waited.
    #[serde(rename = "CPUWait", default)]
    pub cpu_wait: EachNanos,
    /// How long the GPU worked on each frame.
    #[serde(rename = "GpuActive", default)]
    pub gpu_active: EachNanos,
    /// How long the GPU was idle.
    #[serde(rename = "GPUWait", default)]
    pub gpu_wait: EachNanos,
    /// The time from an input to the display of each frame.
    #[serde(rename = "PcLatency", default)]
    pub pc_latency: EachNanos,
    /// The difference between the steps of the animation and of the display.
    #[serde(rename = "AnimationError", default)]
    pub animation_error: EachNanos,
    /// Whether each frame was never displayed.
    #[serde(rename = "Dropped", default)]
    pub dropped: Flags,
}

/// Reads at most [`MAX_RECORDINGS`] recordings. Without this limit, a small file of empty
/// recordings could use far more memory than its size.
fn recordings<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Recording>, D::Error> {
    struct List;
    impl<'de> Visitor<'de> for List {
        type Value = Vec<Recording>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of recordings")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Recording>, A::Error> {
            let mut recordings = Vec::new();
            while let Some(recording) = list.next_element()? {
                if MAX_RECORDINGS <= recordings.len() {
                    return Err(A::Error::custom(format!("more than {MAX_RECORDINGS} recordings")));
                }
                recordings.push(recording);
            }
            Ok(recordings)
        }
    }
    deserializer.deserialize_seq(List)
}

/// Reads a capture file of CapFrameX, piece by piece.
pub fn read(from: &mut (impl Read + Seek)) -> Result<Capture, FormatError> {
    json_of(from, Limits::CAPTURE)
}
