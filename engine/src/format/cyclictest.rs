//! The JSON format of cyclictest, including its misspelled keys: scripts for cyclictest can read
//! exported files.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Seek, Write};
use std::marker::PhantomData;

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use super::json::Limits;
use super::{FormatError, SafeWriter, json_of};
use crate::nanos::Nanos;
use crate::sample::CountedValues;

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

/// Latencies, each with the number of wake-ups with this latency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram(pub CountedValues);

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (latency, count) in self.0.iter() {
            map.serialize_entry(&latency, &count)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut counted = CountedValues::default();
        each_entry(deserializer, MAX_BINS, "latencies", |latency: String, count| {
            let latency = latency.parse().map_err(|_no_number| "a latency that is not a number")?;
            counted.push(latency, count);
            Ok(())
        })?;
        Ok(Self(counted))
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
    let mut threads = BTreeMap::new();
    each_entry(deserializer, MAX_THREADS, "threads", |number, thread| {
        threads.insert(number, thread);
        Ok(())
    })?;
    Ok(threads)
}

/// Calls `read` with each entry of an object, at most `most`. `name` is their name in an error message.
fn each_entry<'de, D: Deserializer<'de>, K: Deserialize<'de>, V: Deserialize<'de>>(
    deserializer: D,
    most: usize,
    name: &'static str,
    read: impl FnMut(K, V) -> Result<(), &'static str>,
) -> Result<(), D::Error> {
    struct Entries<K, V, F>(usize, &'static str, F, PhantomData<(K, V)>);
    impl<'de, K, V, F> Visitor<'de> for Entries<K, V, F>
    where
        K: Deserialize<'de>,
        V: Deserialize<'de>,
        F: FnMut(K, V) -> Result<(), &'static str>,
    {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.1)
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
            let Self(most, name, mut read, _) = self;
            let mut count = 0;
            while let Some((key, value)) = map.next_entry()? {
                if most <= count {
                    return Err(M::Error::custom(format!("more than {most} {name}")));
                }
                count += 1;
                read(key, value).map_err(M::Error::custom)?;
            }
            Ok(())
        }
    }
    deserializer.deserialize_map(Entries(most, name, read, PhantomData))
}

/// Writes a result of cyclictest as JSON.
pub fn write(result: &Cyclictest, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(SafeWriter(&mut *to), result)?;
    to.write_all(b"\n")
}

/// Reads a result of cyclictest from JSON, piece by piece.
pub fn read(from: &mut (impl Read + Seek)) -> Result<Cyclictest, FormatError> {
    json_of(from, Limits::CAPTURE)
}
