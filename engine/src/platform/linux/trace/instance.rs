//! A tracing instance of our own in tracefs: the tracepoints of the measured CPUs, in rings that no other program reads.
//!
//! Only root may create one. Where that is permitted, it is preferred to `perf_event_open`: there are kernels on which a
//! CPU that was idle counts 217 timer interrupts and delivers 2 of them to a perf ring, while an instance has all of
//! them; and a record costs about half as much. What other programs trace is not touched: an instance has its own
//! events, filters, clock, and rings.
//!
//! The rings are emptied by reading pages, which [`pages`] decodes. The kernel does not count each event of an instance
//! apart, but counts what it wrote into each ring, lost, and dropped; the three together are compared with what arrived.

mod paged;
mod pages;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub(super) use self::paged::PagedInstance;
use self::pages::{Page, PageFormat};
use super::super::super::{ThreadId, clock_nanos};
use super::coverage::Opener;
use super::names::Names;
use super::perf::any_of;
use super::tracepoints::{Filter, Group, Layout};
use crate::nanos::Nanos;
use crate::sample::{TraceEvent, TraceRecord};

/// Folders in which tracefs is mounted.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
/// Begin of the name of every instance of this program; the process ID and a number follow.
const NAME: &str = "jitterscope-";
/// Size of the ring of one CPU in KiB: the records of 1 s and more, at 100 000 records of 40 bytes per second.
const RING_KIB: u32 = 8_192;
/// Size of all rings together in KiB.
const ALL_RINGS_KIB: u32 = 65_536;
/// The smallest size of a ring in KiB.
const MIN_RING_KIB: u32 = 256;
/// Name under which the records of all tracepoints of a CPU are counted.
const ALL: &str = "all tracepoints";
/// Longest text of a filter in bytes: one page.
const MAX_FILTER: usize = 4_096;

/// Size of a buffer for the description of a page in bytes.
const HEADER: usize = 4_096;

/// Numbers the instances of this process.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// A folder in tracefs that is removed, with everything that it records, when this is dropped.
#[derive(Debug)]
struct InstanceFolder {
    path: PathBuf,
    /// Whether another process removes it.
    is_left: bool,
}

impl InstanceFolder {
    fn create() -> io::Result<Self> {
        let mut denied = io::Error::from(io::ErrorKind::NotFound);
        for folder in FOLDERS {
            let instances = Path::new(folder).join("instances");
            remove_abandoned(&instances);
            let number = CREATED.fetch_add(1, Ordering::Relaxed);
            let own = instances.join(format!("{NAME}{}-{number}", std::process::id()));
            match fs::create_dir(&own) {
                Ok(()) => return Ok(Self { path: own, is_left: false }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => denied = error,
            }
        }
        Err(denied)
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.path.join(file))?.write_all(text.as_bytes())
    }
}

impl Drop for InstanceFolder {
    fn drop(&mut self) {
        if self.is_left {
            return;
        }
        let removed = self.write("tracing_on", "0").and_then(|()| fs::remove_dir(&self.path));
        if let Err(error) = removed {
            log::warn!("cannot remove {}: {error}", self.path.display());
        }
    }
}

/// Reads where the parts of a page are.
fn page_format(folder: &InstanceFolder) -> io::Result<PageFormat> {
    // The kernel passes this file in one piece only: `read_to_string`, which begins with a short read, gets its begin.
    let mut header = vec![0; HEADER];
    let length = File::open(folder.path.join("../../events/header_page"))?.read(&mut header)?;
    let header = String::from_utf8_lossy(header.get(..length).unwrap_or_default());
    PageFormat::parse(&header)
        .ok_or_else(|| io::Error::other("the header of a page of tracefs is not as expected"))
}

/// Removes the instances of earlier processes of this program that were killed.
fn remove_abandoned(instances: &Path) {
    for entry in fs::read_dir(instances).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(process_of);
        // A process that has ended but was not waited for has no program.
        if process.is_some_and(|process| fs::read_link(format!("/proc/{process}/exe")).is_err()) {
            drop(InstanceFolder { path: entry.path(), is_left: false });
        }
    }
}

/// Returns the process ID in the name of an instance of this program.
fn process_of(name: &str) -> Option<&str> {
    let (process, number) = name.strip_prefix(NAME)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(process) && is_number(number)).then_some(process)
}

/// The tracepoints of some CPUs, recorded by an instance.
#[derive(Debug)]
pub(super) struct Instance {
    /// Closed before the folder is removed: the kernel refuses to remove an instance whose rings are open.
    rings: Vec<CpuRing>,
    page: Vec<u8>,
    format: PageFormat,
    threads: Vec<ThreadId>,
    page_fault: Option<String>,
    /// Whether page faults of the measuring threads are recorded.
    pub(super) has_faults: bool,
    is_recording: bool,
    /// The begin of the recording.
    since: Nanos,
    folder: InstanceFolder,
}

/// The ring of one CPU.
#[derive(Debug)]
struct CpuRing {
    cpu: u32,
    file: File,
    received: u64,
    lost: u64,
    /// The time of the newest record; `None` before the first one.
    newest: Option<Nanos>,
}

impl Instance {
    /// Creates an instance that records nothing yet on these CPUs.
    pub(super) fn create(threads: &[ThreadId], cpus: &[u32], layout: &Layout) -> io::Result<Self> {
        let folder = InstanceFolder::create()?;
        folder.write("tracing_on", "0")?;
        folder.write("trace_clock", "mono")?;
        folder.write("tracing_cpumask", &mask(cpus))?;
        let format = page_format(&folder)?;
        Ok(Self {
            rings: Vec::new(),
            page: vec![0; format.size()],
            format,
            threads: threads.to_vec(),
            page_fault: layout.page_fault.and_then(|id| layout.label(id)),
            has_faults: false,
            is_recording: false,
            since: Nanos::ZERO,
            folder,
        })
    }

    /// Creates an instance that records the wake-ups of these threads by other CPUs.
    pub(super) fn of_wakings(
        threads: &[ThreadId],
        cpus: &[u32],
        layout: &Layout,
    ) -> io::Result<Self> {
        let mut instance = Self::create(threads, cpus, layout)?;
        for cpu in cpus {
            instance.open_ring(*cpu, MIN_RING_KIB)?;
        }
        for group in layout.groups.iter().filter(|group| group.filter == Filter::Threads) {
            instance.enable(group, layout)?;
        }
        instance.start()?;
        Ok(instance)
    }

    /// Starts recording.
    pub(super) fn start(&mut self) -> io::Result<()> {
        self.since = Nanos::new(clock_nanos());
        self.folder.write("tracing_on", "1")?;
        self.is_recording = true;
        Ok(())
    }

    fn open_ring(&mut self, cpu: u32, size: u32) -> io::Result<()> {
        let folder = format!("per_cpu/cpu{cpu}");
        self.folder.write(&format!("{folder}/buffer_size_kb"), &size.to_string())?;
        let path = self.folder.path.join(format!("{folder}/trace_pipe_raw"));
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        self.rings.push(CpuRing { cpu, file, received: 0, lost: 0, newest: None });
        Ok(())
    }

    /// Enables the tracepoints of a group, on all CPUs of this instance.
    fn enable(&self, group: &Group, layout: &Layout) -> io::Result<()> {
        let test = match group.filter {
            // Every switch is needed, as there are no other records of them.
            Filter::None | Filter::Switches => None,
            Filter::Threads => Some("pid=="),
            Filter::Current => Some("common_pid=="),
        };
        for label in group.ids.iter().filter_map(|id| layout.label(*id)) {
            self.enable_event(&label, test)?;
        }
        Ok(())
    }

    fn enable_event(&self, label: &str, test: Option<&str>) -> io::Result<()> {
        if let Some(test) = test {
            let filter = any_of(test, &self.threads);
            // With more threads than a filter can name, those of other programs are recorded, too.
            if filter.len() < MAX_FILTER {
                self.folder.write(&format!("events/{label}/filter"), &filter)?;
            }
        }
        self.folder.write(&format!("events/{label}/enable"), "1")
    }

    /// Decodes every record in the rings and passes it to `take`. Returns how many records were lost since the last call.
    pub(super) fn drain(
        &mut self,
        layout: &Layout,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) -> u64 {
        let mut lost_now = 0;
        let Self { rings, page, format, .. } = self;
        for ring in rings {
            while let Ok(length @ 1..) = ring.file.read(page) {
                let Some(read) = Page::parse(*format, page.get(..length).unwrap_or_default())
                else {
                    break;
                };
                let mut begin = ring.newest;
                let mut lost = read.lost;
                for (at, raw) in read.records() {
                    if let Some(count) = lost.take() {
                        lost_now += count;
                        ring.lost += count;
                        let number = i64::try_from(count).unwrap_or(i64::MAX);
                        take(TraceRecord::lost(begin.take().unwrap_or(at), ring.cpu, number));
                        take(TraceRecord::lost(at, ring.cpu, 0));
                    }
                    ring.received += 1;
                    ring.newest = Some(at);
                    layout.decode(raw, (at, ring.cpu), names, take);
                }
            }
        }
        lost_now
    }

    /// Ends the recording and passes the remaining records to `take`, and for each CPU how many records the kernel wrote,
    /// lost, and passed on. Returns how many records were lost since the last call.
    pub(super) fn close(
        &mut self,
        layout: &Layout,
        names: &mut Names,
        take: &mut dyn FnMut(TraceRecord),
    ) -> u64 {
        let end = Nanos::new(clock_nanos());
        let stopped = self.folder.write("tracing_on", "0");
        let mut lost_now = self.drain(layout, names, take);
        for ring in &mut self.rings {
            let path = self.folder.path.join(format!("per_cpu/cpu{}/stats", ring.cpu));
            let Some(stats) =
                fs::read_to_string(path).ok().and_then(|text| RingStats::parse(&text))
            else {
                continue;
            };
            // What was lost after the last record that arrived is in no page.
            let unreported = stats.lost.saturating_sub(ring.lost);
            if 0 < unreported {
                lost_now += unreported;
                let number = i64::try_from(unreported).unwrap_or(i64::MAX);
                take(TraceRecord::lost(ring.newest.unwrap_or(self.since), ring.cpu, number));
                take(TraceRecord::lost(end, ring.cpu, 0));
            }
            let lost = ring.lost.max(stats.lost);
            let counted = stats.written + lost + stats.dropped;
            if stopped.is_err() || ring.received + lost < counted {
                let value = Some((end - self.since).get());
                let record = TraceRecord::new(self.since, TraceEvent::Incomplete, ring.cpu);
                take(TraceRecord { value, ..record });
            }
            let name = names.position(ALL);
            for (event, count) in [
                (TraceEvent::Counted, counted),
                (TraceEvent::Received, ring.received),
                (TraceEvent::ReportedLost, lost),
            ] {
                let value = i64::try_from(count).ok();
                take(TraceRecord { name, value, ..TraceRecord::new(end, event, ring.cpu) });
            }
        }
        lost_now
    }
}

/// Opens the events of an instance.
pub(super) struct InstanceEvents<'a> {
    instance: &'a mut Instance,
    layout: &'a Layout,
    cpu_count: usize,
    /// The result of each group that was opened on the first CPU: a tracepoint is on for all CPUs of an instance.
    groups: Vec<(String, Option<i32>)>,
}

impl<'a> InstanceEvents<'a> {
    pub(super) const fn new(
        instance: &'a mut Instance,
        layout: &'a Layout,
        cpu_count: usize,
    ) -> Self {
        Self { instance, layout, cpu_count, groups: Vec::new() }
    }
}

impl Opener for InstanceEvents<'_> {
    fn switches(&mut self, cpu: u32) -> io::Result<()> {
        let count = u32::try_from(self.cpu_count).unwrap_or(u32::MAX).max(1);
        let size = (ALL_RINGS_KIB / count).clamp(MIN_RING_KIB, RING_KIB);
        self.instance.open_ring(cpu, size)
    }

    fn faults(&mut self) {
        let Some(label) = self.instance.page_fault.clone() else { return };
        let is_filtered = any_of("common_pid==", &self.instance.threads).len() < MAX_FILTER;
        self.instance.has_faults =
            is_filtered && self.instance.enable_event(&label, Some("common_pid==")).is_ok();
    }

    fn group(&mut self, _cpu: u32, group: &Group) -> io::Result<()> {
        let known = self.groups.iter().find(|(name, _)| *name == group.name);
        let errno = if let Some((_, errno)) = known {
            *errno
        } else {
            let opened = self.instance.enable(group, self.layout);
            let errno = opened.err().map(|error| error.raw_os_error().unwrap_or(libc::EIO));
            self.groups.push((group.name.clone(), errno));
            errno
        };
        errno.map_or(Ok(()), |errno| Err(io::Error::from_raw_os_error(errno)))
    }
}

/// What the kernel counted of the ring of one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RingStats {
    /// Records that were written and not overwritten, read or not.
    written: u64,
    /// Records that newer ones replaced before they were read.
    lost: u64,
    /// Records for which there was no space, or which an interrupt prevented.
    dropped: u64,
}

impl RingStats {
    /// Parses lines such as `overrun: 12`.
    fn parse(text: &str) -> Option<Self> {
        let count = |key: &str| -> Option<u64> {
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))?
                .trim()
                .parse()
                .ok()
        };
        Some(Self {
            written: count("entries")? + count("read events")?,
            lost: count("overrun")?,
            dropped: count("commit overrun")? + count("dropped events")?,
        })
    }
}

/// Returns a set of CPUs as tracefs reads it: groups of 32 in hexadecimal, the last CPUs first, such as `1,00000003`.
fn mask(cpus: &[u32]) -> String {
    let last = cpus.iter().copied().max().unwrap_or(0) / 32;
    let group = |group: u32| {
        let bits = cpus.iter().filter(|cpu| *cpu / 32 == group);
        format!("{:08x}", bits.fold(0_u32, |bits, cpu| bits | 1 << (cpu % 32)))
    };
    (0..=last).rev().map(group).collect::<Vec<String>>().join(",")
}

#[cfg(test)]
mod tests;
