//! The JSON of cyclictest, including its misspelled keys, so that scripts made for it read ours.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use super::{FormatError, SafeWriter};

/// Threads of one result.
pub const MAX_THREADS: usize = 1_024;
/// Latencies of one thread: more than cyclictest itself counts.
const MAX_BINS: usize = 1_000_000;

/// A result of cyclictest.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cyclictest {
    /// Always 1.
    pub file_version: u32,
    /// The command.
    #[serde(rename = "cmdline:", alias = "cmdline")]
    pub cmdline: String,
    /// The version of the program.
    #[serde(rename = "rt_test_version:", alias = "rt_test_version")]
    pub version: String,
    /// When it began, in the manner of mail.
    pub start_time: String,
    /// When it ended.
    pub end_time: String,
    /// Exit code; 0 is success.
    pub return_code: i32,
    /// The host's name; "redacted" in files that this program writes.
    pub sysinfo: SysInfo,
    /// Number of threads.
    pub num_threads: usize,
    /// 1 if times are in nanoseconds, 0 if they are in microseconds.
    pub resolution_in_ns: u32,
    /// The threads by number.
    #[serde(deserialize_with = "threads")]
    pub thread: BTreeMap<String, Thread>,
}

/// The system it ran on.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SysInfo {
    /// "Linux".
    pub sysname: String,
    /// The host's name; "redacted" in what this program writes.
    pub nodename: String,
    /// The kernel's version.
    pub release: String,
    /// The kernel's build.
    pub version: String,
    /// The kind of processor.
    pub machine: String,
    /// 1 for a PREEMPT_RT kernel.
    pub realtime: u32,
}

/// One thread.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thread {
    /// Latencies and their counts.
    pub histogram: Histogram,
    /// Number of wake-ups; more than in the histogram if some were above it.
    pub cycles: u64,
    /// The minimum latency.
    pub min: i64,
    /// The maximum latency.
    pub max: i64,
    /// The mean.
    pub avg: f64,
    /// The CPU.
    pub cpu: Option<i64>,
    /// The NUMA node.
    pub node: Option<i64>,
}

/// Latencies and their counts: 16 bytes per bin.
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
        struct Bins;
        impl<'de> Visitor<'de> for Bins {
            type Value = Histogram;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("latencies and their counts")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Histogram, M::Error> {
                let mut bins = Vec::new();
                while let Some(bin) = map.next_entry::<i64, u64>()? {
                    if MAX_BINS <= bins.len() {
                        return Err(M::Error::custom(format!("more than {MAX_BINS} latencies")));
                    }
                    bins.push(bin);
                }
                Ok(Histogram(bins))
            }
        }
        deserializer.deserialize_map(Bins)
    }
}

/// Reads at most this many threads: each takes far more memory than an empty one takes in the file.
fn threads<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Thread>, D::Error> {
    struct Threads;
    impl<'de> Visitor<'de> for Threads {
        type Value = BTreeMap<String, Thread>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("threads by number")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut threads = BTreeMap::new();
            while let Some((number, thread)) = map.next_entry()? {
                if MAX_THREADS <= threads.len() {
                    return Err(M::Error::custom(format!("more than {MAX_THREADS} threads")));
                }
                threads.insert(number, thread);
            }
            Ok(threads)
        }
    }
    deserializer.deserialize_map(Threads)
}

/// Writes a result.
pub fn write(result: &Cyclictest, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(SafeWriter(&mut *to), result)?;
    to.write_all(b"\n")
}

/// Reads a result.
pub fn read(text: &[u8]) -> Result<Cyclictest, FormatError> {
    Ok(serde_json::from_slice(text)?)
}
