//! Names of threads and interrupts, which are looked up when a record is saved.

use std::collections::BTreeMap;

use super::super::super::is_own_process;
use super::super::super::parse::{OWN_PROGRAM, harmless_name};
use super::super::read;
use super::numbers::Numbers;
use super::sleeps::{Completions, IdleStates, Timers};
use crate::sample::{OUTSIDE, OUTSIDE_NAME, ThreadOwner, TraceRecord, UNKNOWN_THREAD};

/// Names of threads and interrupts, with the other state that decoding records needs.
#[derive(Debug)]
#[cfg_attr(test, derive(Default))]
pub(super) struct Names {
    /// Translates thread IDs of the kernel into those of this PID namespace.
    pub(super) numbers: Numbers,
    /// The timers of measuring threads.
    pub(super) timers: Timers,
    /// The idle states of CPUs.
    pub(super) idle: IdleStates,
    /// The CPUs that complete requests of storage devices.
    pub(super) completions: Completions,
    /// Positions of the names of storage devices, by major and minor number.
    devices: BTreeMap<(u32, u32), Option<u32>>,
    /// Processes of threads, as far as records or lookups have shown them.
    processes: BTreeMap<u32, u32>,
    /// Whether `/proc` lists threads by the IDs of this PID namespace.
    has_proc: bool,
    /// Names of threads from records, by thread ID, without the name of the process.
    recorded: BTreeMap<u32, String>,
    /// Full names, with the process, of threads that were looked up before, by thread ID.
    threads: BTreeMap<u32, String>,
    /// Names of interrupts and softirqs; a record refers to a name by the position of the name in this list.
    others: Vec<String>,
}

impl Names {
    pub(super) fn new(numbers: Numbers) -> Self {
        let has_proc = numbers.are_in_proc();
        let (recorded, threads, others) = Default::default();
        let (timers, idle) = (Timers::new(), IdleStates::default());
        let (completions, devices, processes) = Default::default();
        Self {
            numbers,
            timers,
            idle,
            completions,
            devices,
            processes,
            has_proc,
            recorded,
            threads,
            others,
        }
    }

    /// Returns the position of the name of a storage device, such as `nvme0n1`.
    pub(super) fn device(&mut self, major: u32, minor: u32) -> Option<u32> {
        if let Some(known) = self.devices.get(&(major, minor)) {
            return *known;
        }
        let link = std::fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok();
        let name = link.as_deref().and_then(|link| link.file_name()?.to_str().map(harmless_name));
        let position = self.position(&name.unwrap_or_else(|| format!("device {major}:{minor}")));
        self.devices.insert((major, minor), position);
        position
    }

    /// Saves the process of a new thread, if it is known: the thread may end before anyone can look it up.
    pub(super) fn record_process(&mut self, thread: u32, process: Option<u32>) {
        match process {
            Some(process) => self.processes.insert(thread, process),
            None => self.processes.remove(&thread),
        };
    }

    /// Returns the process of a thread, as recorded or looked up; `None` if it is not known.
    pub(super) fn process_of(&mut self, thread: u32) -> Option<u32> {
        let known = self.processes.get(&thread).copied();
        known.or_else(|| {
            let status = read(&format!("/proc/{thread}/status"))?;
            let process = field(&status, "Tgid")?.parse().ok()?;
            self.processes.insert(thread, process);
            Some(process)
        })
    }

    /// Returns the name of a thread as it was recorded; `None` if no record had it.
    pub(super) fn recorded(&self, thread: u32) -> Option<&str> {
        self.recorded.get(&thread).map(String::as_str)
    }

    /// Uses the name recorded for a thread ID of the kernel also for the ID of this thread in the namespace.
    pub(super) fn record_number(&mut self, in_kernel: u32, thread: u32) {
        let before = self.numbers.of_tracepoint(in_kernel);
        if before != thread
            && let Some(name) = self.recorded.get(&before).cloned()
        {
            self.record_thread(thread, &name);
        }
    }

    /// Saves the name of a thread from a record; a new name replaces the old one.
    pub(super) fn record_thread(&mut self, thread: u32, name: &str) {
        if self.recorded.get(&thread).is_none_or(|known| known != name) {
            self.threads.remove(&thread);
            self.recorded.insert(thread, name.to_owned());
        }
    }

    /// Returns the position of the name of an interrupt or softirq in `others`; adds the name if it is new.
    pub(super) fn position(&mut self, name: &str) -> Option<u32> {
        let found = self.others.iter().position(|known| known == name);
        let position = found.unwrap_or_else(|| {
            self.others.push(name.to_owned());
            self.others.len() - 1
        });
        u32::try_from(position).ok()
    }

    /// Returns the name of the thread or interrupt of a record.
    pub(super) fn of(&mut self, record: &TraceRecord) -> Option<String> {
        match (record.thread, record.name) {
            // In a PID namespace, an unknown thread may be the idle thread, so it gets no name.
            (Some(UNKNOWN_THREAD), _) if !self.numbers.is_initial => None,
            (Some(thread), _) if thread != 0 => Some(self.of_thread(thread)),
            (None, Some(at)) => self.others.get(usize::try_from(at).ok()?).cloned(),
            _ => None,
        }
    }

    fn of_thread(&mut self, thread: u32) -> String {
        if let Some(name) = self.threads.get(&thread) {
            return name.clone();
        }
        let is_in_proc = self.has_proc && thread < OUTSIDE;
        let status = is_in_proc.then(|| read(&format!("/proc/{thread}/status"))).flatten();
        let status = status.unwrap_or_default();
        let recorded = self.recorded.get(&thread).cloned();
        let comm = |process| read(&format!("/proc/{process}/comm"));
        let name = full_name(thread, &status, recorded, is_own_process, comm);
        let name = harmless_name(&name);
        self.threads.insert(thread, name.clone());
        name
    }
}

/// Returns whether a running thread belongs to the kernel or this program; `None` if it belongs to
/// another program or has exited.
pub fn thread_owner(thread: u32) -> Option<ThreadOwner> {
    // In `/proc`, the ID of a thread outside of this container would be that of another thread.
    let status = (thread < OUTSIDE).then(|| read(&format!("/proc/{thread}/status"))).flatten()?;
    owner(&status, is_own_process)
}

/// Returns whether a thread belongs to the kernel or this program, by its `/proc/…/status`.
fn owner(status: &str, is_own: impl Fn(u32) -> bool) -> Option<ThreadOwner> {
    // Children of kthreadd are threads of the kernel. In a container, process 2 can be a program,
    // which, unlike a thread of the kernel, has memory.
    let is_of_kthreadd = ["PPid", "Pid"].iter().any(|key| field(status, key) == Some("2"));
    if is_of_kthreadd && field(status, "VmSize").is_none() {
        return Some(ThreadOwner::Kernel);
    }
    let process: u32 = field(status, "Tgid")?.parse().ok()?;
    is_own(process).then_some(ThreadOwner::Own)
}

fn field<'a>(status: &'a str, key: &str) -> Option<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.map(str::trim)
}

/// Returns the name of a thread from its `/proc/…/status`: "process (thread)", "process", "[kernel
/// thread]". Of a thread that has exited, only the name in its records is known.
fn full_name(
    thread: u32,
    status: &str,
    recorded: Option<String>,
    is_own: impl Fn(u32) -> bool,
    process_name: impl Fn(u32) -> Option<String>,
) -> String {
    let name = field(status, "Name").map(str::to_owned).or(recorded);
    let name = name.unwrap_or_else(|| match thread {
        UNKNOWN_THREAD => "unknown thread".to_owned(),
        OUTSIDE.. => "thread".to_owned(),
        _ => format!("thread {thread}"),
    });
    if (OUTSIDE..UNKNOWN_THREAD).contains(&thread) {
        return format!("{name}{OUTSIDE_NAME}");
    }
    let whose = owner(status, is_own);
    if whose == Some(ThreadOwner::Kernel) {
        return format!("[{name}]");
    }
    let process: Option<u32> = field(status, "Tgid").and_then(|process| process.parse().ok());
    let main = process.filter(|process| *process != thread).and_then(process_name);
    let main = main.filter(|main| *main != name);
    if whose == Some(ThreadOwner::Own) {
        return if process == Some(thread) {
            OWN_PROGRAM.to_owned()
        } else {
            format!("{OWN_PROGRAM} ({name})")
        };
    }
    let with_number = |program: String| {
        let number = process.unwrap_or(thread);
        if program.starts_with(OWN_PROGRAM) { format!("{program} {number}") } else { program }
    };
    match main {
        Some(main) => format!("{} ({name})", with_number(main)),
        None => with_number(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_named_with_their_process() {
        let name = |thread, status: &str, recorded: Option<&str>| {
            full_name(
                thread,
                status,
                recorded.map(str::to_owned),
                |own| own == 50,
                |process| match process {
                    7 => Some("chrome".to_owned()),
                    _ => None,
                },
            )
        };
        let compositor = "Name:\tCompositor\nTgid:\t7\nPid:\t9\nPPid:\t1\n";
        assert_eq!(name(9, compositor, None), "chrome (Compositor)");
        assert_eq!(name(7, "Name:\tchrome\nTgid:\t7\nPid:\t7\nPPid:\t1\n", None), "chrome");
        let kernel = "Name:\tkworker/0:1\nTgid:\t33\nPid:\t33\nPPid:\t2\n";
        assert_eq!(name(33, kernel, None), "[kworker/0:1]");
        assert_eq!(name(40, "", Some("rustc")), "rustc", "exited");
        assert_eq!(name(40, "", None), "thread 40");
        assert_eq!(name(UNKNOWN_THREAD, "", None), "unknown thread");
        assert_eq!(name(OUTSIDE + 9, "", Some("stress")), "stress (outside this container)");
        assert_eq!(name(OUTSIDE + 9, "", None), "thread (outside this container)");
    }

    #[test]
    fn another_running_copy_is_not_this_program() {
        let name = |thread, name: &str, process| {
            let status = format!("Name:\t{name}\nTgid:\t{process}\nPid:\t{thread}\nPPid:\t1\n");
            full_name(
                thread,
                &status,
                None,
                |own| own == 50,
                |_| Some("jitterscope-cli".to_owned()),
            )
        };
        assert_eq!(name(51, "load-0", 50), "jitterscope (load-0)");
        assert_eq!(name(50, "jitterscope-cli", 50), "jitterscope");
        assert_eq!(name(61, "load-0", 60), "jitterscope-cli 60 (load-0)");
        assert_eq!(name(60, "jitterscope-cli", 60), "jitterscope-cli 60");
        let gone = full_name(61, "", Some("jitterscope-cli".to_owned()), |own| own == 50, |_| None);
        assert_eq!(gone, "jitterscope-cli 61");
    }

    #[test]
    fn threads_of_the_kernel_and_of_this_program_are_known_by_their_numbers() {
        let status = |name: &str, process: u32, parent: u32| {
            format!("Name:\t{name}\nTgid:\t{process}\nPid:\t33\nPPid:\t{parent}\n")
        };
        assert_eq!(owner(&status("kworker/0:1", 33, 2), |own| own == 7), Some(ThreadOwner::Kernel));
        assert_eq!(owner(&status("load-0", 7, 1), |own| own == 7), Some(ThreadOwner::Own));
        for name in ["[kworker/0:1]", "jitterscope", "jitterscope-cli"] {
            assert_eq!(owner(&status(name, 33, 1), |own| own == 7), None, "{name}");
        }
        assert_eq!(thread_owner(std::process::id()), Some(ThreadOwner::Own));
        assert_eq!(thread_owner(UNKNOWN_THREAD), None);
    }

    #[test]
    fn a_new_name_of_a_thread_replaces_the_old_one() {
        let mut names = Names::default();
        let none = OUTSIDE - 1;
        names.record_thread(none, "before");
        assert_eq!(names.of_thread(none), "before");
        names.record_thread(none, "after\n");
        assert_eq!(names.of_thread(none), "after\u{fffd}");
        assert_eq!(names.position("NET_RX"), names.position("NET_RX"));
    }
}
