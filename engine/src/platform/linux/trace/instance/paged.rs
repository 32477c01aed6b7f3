//! An instance whose pages are moved into memory as they are, for a recorder: always the most recent part.
//!
//! Nothing is decoded until a part of it is requested. Moving a page takes about 1 µs, so that 20 000 switches per second
//! (about 900 pages) take 0.1% of a CPU.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};

use super::super::names::Names;
use super::super::tracepoints::Layout;
use super::pages::{Page, PageFormat};
use super::{ALL_RINGS_KIB, InstanceFolder, MIN_RING_KIB, RING_KIB, RingStats, mask, page_format};
use crate::nanos::Nanos;
use crate::sample::TraceRecord;

/// Size of a buffer for the counts of a ring in bytes.
const STATS: usize = 1_024;

/// The tracepoints of some CPUs, whose most recent records are in the memory of this process.
#[derive(Debug)]
pub(in super::super) struct PagedInstance {
    /// Closed before the folder is removed: the kernel refuses to remove an instance whose rings are open.
    rings: Vec<PagedRing>,
    page: Vec<u8>,
    format: PageFormat,
    /// The limit of the pages of one CPU in bytes.
    max_bytes: usize,
    since: Nanos,
    folder: InstanceFolder,
}

/// The ring of one CPU, and its pages in memory.
#[derive(Debug)]
struct PagedRing {
    cpu: u32,
    file: File,
    stats: Option<File>,
    pages: VecDeque<HeldPage>,
    bytes: usize,
    has_dropped: bool,
    lost: u64,
}

/// A page with the time of its begin.
#[derive(Debug)]
struct HeldPage {
    time: Nanos,
    bytes: Box<[u8]>,
}

impl PagedInstance {
    /// Creates an instance that records nothing yet on these CPUs, and holds up to `max_bytes` in memory.
    pub(in super::super) fn create(cpus: &[u32], max_bytes: usize) -> io::Result<Self> {
        let folder = InstanceFolder::create()?;
        folder.write("tracing_on", "0")?;
        folder.write("trace_clock", "mono")?;
        folder.write("tracing_cpumask", &mask(cpus))?;
        let format = page_format(&folder)?;
        let count = u32::try_from(cpus.len()).unwrap_or(u32::MAX).max(1);
        let size = (ALL_RINGS_KIB / count).clamp(MIN_RING_KIB, RING_KIB);
        let open = |cpu: &u32| -> io::Result<PagedRing> {
            let name = format!("per_cpu/cpu{cpu}");
            folder.write(&format!("{name}/buffer_size_kb"), &size.to_string())?;
            let path = folder.path.join(format!("{name}/trace_pipe_raw"));
            let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
            // Stays readable without the rights of root.
            let stats = File::open(folder.path.join(format!("{name}/stats"))).ok();
            let (pages, bytes) = Default::default();
            Ok(PagedRing { cpu: *cpu, file, stats, pages, bytes, has_dropped: false, lost: 0 })
        };
        let rings = cpus.iter().map(open).collect::<io::Result<Vec<PagedRing>>>()?;
        let max_bytes = max_bytes / cpus.len().max(1);
        let page = vec![0; format.size()];
        Ok(Self { rings, page, format, max_bytes, since: Nanos::ZERO, folder })
    }

    /// Leaves it to another process to remove the instance.
    pub(in super::super) fn leave(&mut self) {
        self.folder.is_left = true;
    }

    /// Enables a tracepoint, such as `sched/sched_switch`.
    pub(in super::super) fn enable(&self, label: &str) -> io::Result<()> {
        self.folder.write(&format!("events/{label}/enable"), "1")
    }

    /// Starts recording.
    pub(in super::super) fn start(&mut self, now: Nanos) -> io::Result<()> {
        self.since = now;
        self.folder.write("tracing_on", "1")
    }

    /// Moves the pages of all rings into memory, and drops the oldest ones beyond the limit.
    pub(in super::super) fn collect(&mut self) {
        let Self { rings, page, format, max_bytes, .. } = self;
        for ring in rings {
            // What is written meanwhile is moved with the next call.
            let mut rest = 2 * usize::try_from(RING_KIB).unwrap_or_default() / 4;
            while 0 < rest
                && let Ok(length @ 1..) = ring.file.read(page)
            {
                rest -= 1;
                let read = page.get(..length).unwrap_or_default();
                let Some(parsed) = Page::parse(*format, read) else { break };
                ring.lost += parsed.lost.unwrap_or_default();
                let used = parsed.used_bytes(*format).min(length);
                let bytes: Box<[u8]> = read.get(..used).unwrap_or_default().into();
                ring.bytes += bytes.len();
                ring.pages.push_back(HeldPage { time: parsed.time(), bytes });
            }
            while *max_bytes < ring.bytes
                && let Some(dropped) = ring.pages.pop_front()
            {
                ring.bytes -= dropped.bytes.len();
                ring.has_dropped = true;
            }
        }
    }

    /// Returns the time from which on the memory has the records of all CPUs.
    pub(in super::super) fn held_from(&self) -> Nanos {
        let dropped = self.rings.iter().filter(|ring| ring.has_dropped);
        let oldest = dropped.map(|ring| ring.pages.front().map_or(Nanos::MAX, |page| page.time));
        oldest.fold(self.since, Nanos::max)
    }

    /// Passes every record in memory from `from` to `to` to `take`, CPU by CPU.
    pub(in super::super) fn cut(
        &self,
        (from, to): (Nanos, Nanos),
        layout: &Layout,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) {
        for ring in &self.rings {
            let first = ring.pages.partition_point(|page| page.time <= from).saturating_sub(1);
            let mut newest = from;
            for page in ring.pages.range(first..).take_while(|page| page.time <= to) {
                let Some(parsed) = Page::parse(self.format, &page.bytes) else { continue };
                let mut lost = parsed.lost;
                for (at, raw) in parsed.records() {
                    if let Some(count) = lost.take()
                        && from <= at
                    {
                        let number = i64::try_from(count).unwrap_or(i64::MAX);
                        take(TraceRecord::lost(newest, ring.cpu, number));
                        take(TraceRecord::lost(at, ring.cpu, 0));
                    }
                    if to < at {
                        break;
                    }
                    newest = at.max(from);
                    layout.decode(raw, (at, ring.cpu), names, &mut |record| {
                        if from <= record.at {
                            take(record);
                        }
                    });
                }
            }
        }
    }

    /// Returns how many records the kernel wrote so far, and how many of them were lost before they were moved.
    pub(in super::super) fn counts(&self) -> [u64; 2] {
        let mut counts = [0, 0];
        for ring in &self.rings {
            let mut text = [0; STATS];
            let length = ring.stats.as_ref().and_then(|stats| stats.read_at(&mut text, 0).ok());
            let text = String::from_utf8_lossy(text.get(..length.unwrap_or(0)).unwrap_or_default());
            let lost = match RingStats::parse(&text) {
                Some(stats) => {
                    counts[0] += stats.written + stats.lost + stats.dropped;
                    stats.lost + stats.dropped
                }
                None => 0,
            };
            counts[1] += ring.lost.max(lost);
        }
        counts
    }
}
