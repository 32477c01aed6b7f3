//! The JSON format of cyclictest, including its misspelled keys: scripts for cyclictest can read
//! exported files.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::marker::PhantomData;

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use super::{FormatError, SafeWriter};
use crate::nanos::Nanos;

/// Maximum number of threads per result.
pub const MAX_THREADS: usize = 1_024;
/// Maximum number of histogram bins per thread: more than cyclictest itself supports.
const MAX_BINS: usize = 1_000_000;

/// A result of cyclictest.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cyclictest {
    /// Always 1.
    pub file_version: u32,
    /// The command line of cyclictest.
    #[serde(rename = "cmdline:", alias = "cmdline")]
    pub cmdline: String,
    /// The version of cyclictest.
    #[serde(rename = "rt_test_version:", alias = "rt_test_version")]
    pub version: String,
    /// When the test began, in the date format of emails.
    pub start_time: String,
    /// When the test ended, in the same date format.
    pub end_time: String,
    /// Exit code; 0 is success.
    pub return_code: i32,
    /// The system; its host name is "redacted" in files that this program writes.
    pub sysinfo: SysInfo,
    /// Number of threads.
    #[serde(deserialize_with = "whole")]
    pub num_threads: u64,
    /// 1 if times are in nanoseconds, 0 if they are in microseconds.
    #[serde(deserialize_with = "whole")]
    pub resolution_in_ns: u64,
    /// The threads of the test, by number.
    #[serde(deserialize_with = "threads", alias = "cpu")]
    pub thread: BTreeMap<String, Thread>,
}

/// The system on which the test ran.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SysInfo {
    /// "Linux".
    pub sysname: String,
    /// The host name; "redacted" in files that this program writes.
    pub nodename: String,
    /// The kernel version.
    pub release: String,
    /// The kernel build.
    pub version: String,
    /// The processor architecture.
    pub machine: String,
    /// 1 for a PREEMPT_RT kernel.
    pub realtime: u32,
}

/// The results of one thread. Latencies are in the unit that `resolution_in_ns` specifies.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thread {
    /// The histogram of latencies.
    pub histogram: Histogram,
    /// Number of wake-ups, including those whose latency is above the histogram.
    #[serde(deserialize_with = "whole")]
    pub cycles: u64,
    /// The min latency.
    #[serde(deserialize_with = "signed")]
    pub min: i64,
    /// The max latency.
    #[serde(deserialize_with = "signed")]
    pub max: i64,
    /// The mean latency.
    pub avg: f64,
    /// The CPU on which the thread ran, if the file has it.
    pub cpu: Option<i64>,
    /// The NUMA node of that CPU, if the file has it.
    pub node: Option<i64>,
    /// Number of values including those above the histogram, in results of jitterdebugger and of rtla.
    #[serde(skip_serializing, deserialize_with = "whole")]
    pub count: u64,
    /// Number of values above the histogram, in results of rtla.
    #[serde(skip_serializing, deserialize_with = "whole")]
    pub over: u64,
    /// The clock frequency of the CPU in MHz, which only oslat writes.
    #[serde(skip_serializing)]
    pub freq: Option<f64>,
}

/// Pairs of a latency and the number of wake-ups with this latency: 16 bytes per pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram(pub Vec<(i64, u64)>);

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (latency, count) in &self.0 {
            map.serialize_entry(latency, count)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        entries(deserializer, MAX_BINS, "latencies").map(Histogram)
    }
}

/// Reads a number that a program may write with a fraction: `1.0`.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    signed(deserializer).map(|number| u64::try_from(number).unwrap_or(0))
}

/// Like `whole`, for a number that may be negative.
fn signed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(deserializer)?;
    let fraction =
        |number: &serde_json::Number| Some(Nanos::from_nanos_f64(number.as_f64()?).get());
    Ok(number.and_then(|number| number.as_i64().or_else(|| fraction(&number))).unwrap_or(0))
}

/// Reads at most [`MAX_THREADS`] threads. Without this limit, a small file of empty threads could
/// use far more memory than its size.
fn threads<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Thread>, D::Error> {
    Ok(entries(deserializer, MAX_THREADS, "threads")?.into_iter().collect())
}

/// Reads the entries of an object, at most `most`. `name` is their name in an error message.
fn entries<'de, D: Deserializer<'de>, K: Deserialize<'de>, V: Deserialize<'de>>(
    deserializer: D,
    most: usize,
    name: &'static str,
) -> Result<Vec<(K, V)>, D::Error> {
    struct Entries<K, V>(usize, &'static str, PhantomData<(K, V)>);
    impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Entries<K, V> {
        type Value = Vec<(K, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.1)
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let Self(most, name, _) = self;
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                if most <= entries.len() {
                    return Err(M::Error::custom(format!("more than {most} {name}")));
                }
                entries.push(entry);
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_map(Entries(most, name, PhantomData))
}

/// Writes a result of cyclictest as JSON.
pub fn write(result: &Cyclictest, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(SafeWriter(&mut *to), result)?;
    to.write_all(b"\n")
}

/// Reads a result of cyclictest from JSON.
pub fn read(text: &[u8]) -> Result<Cyclictest, FormatError> {
    Ok(serde_json::from_slice(text)?)
}
