//! Names of threads and interrupts, found when a record is saved.

use std::collections::BTreeMap;

use super::super::read;
use crate::sample::{TraceRecord, UNKNOWN_THREAD};

/// The longest name that is saved: names of threads are hostile text.
const MAX_NAME_CHARS: usize = 48;

/// Names by what they name.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Names of threads as their records have them.
    recorded: BTreeMap<u32, String>,
    /// Full names of threads, once they were looked up.
    threads: BTreeMap<u32, String>,
    /// Names of interrupts and softirqs, by their position.
    others: Vec<String>,
}

impl Names {
    /// Notes what a record calls a thread; a new name replaces the old one.
    pub(super) fn record_thread(&mut self, thread: u32, name: &str) {
        if self.recorded.get(&thread).is_none_or(|known| known != name) {
            self.threads.remove(&thread);
            self.recorded.insert(thread, name.to_owned());
        }
    }

    /// The position of the name of an interrupt or softirq.
    pub(super) fn position(&mut self, name: &str) -> Option<u32> {
        let found = self.others.iter().position(|known| known == name);
        let position = found.unwrap_or_else(|| {
            self.others.push(name.to_owned());
            self.others.len() - 1
        });
        u32::try_from(position).ok()
    }

    /// The name of what a record is about.
    pub(super) fn of(&mut self, record: &TraceRecord) -> Option<String> {
        match (record.thread, record.name) {
            (Some(thread), _) if thread != 0 => Some(self.of_thread(thread)),
            (None, Some(at)) => self.others.get(usize::try_from(at).ok()?).cloned(),
            _ => None,
        }
    }

    fn of_thread(&mut self, thread: u32) -> String {
        if let Some(name) = self.threads.get(&thread) {
            return name.clone();
        }
        let status = read(&format!("/proc/{thread}/status")).unwrap_or_default();
        let recorded = self.recorded.get(&thread).cloned();
        let name =
            full_name(thread, &status, recorded, |process| read(&format!("/proc/{process}/comm")));
        let name: String = name
            .chars()
            .map(|letter| if letter.is_control() { '\u{fffd}' } else { letter })
            .take(MAX_NAME_CHARS)
            .collect();
        self.threads.insert(thread, name.clone());
        name
    }
}

/// Names a thread by its `/proc/…/status`: "process (thread)", "process", "[kernel thread]". A thread that
/// has exited has only what its records call it.
fn full_name(
    thread: u32,
    status: &str,
    recorded: Option<String>,
    process_name: impl Fn(u32) -> Option<String>,
) -> String {
    let field = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.map(str::trim)
    };
    let own = field("Name").map(str::to_owned).or(recorded);
    let own = own.unwrap_or_else(|| match thread {
        UNKNOWN_THREAD => "unknown thread".to_owned(),
        _ => format!("thread {thread}"),
    });
    // Children of kthreadd are threads of the kernel.
    if field("PPid") == Some("2") || field("Pid") == Some("2") {
        return format!("[{own}]");
    }
    let process: Option<u32> = field("Tgid").and_then(|process| process.parse().ok());
    match process.filter(|process| *process != thread).and_then(process_name) {
        Some(process) if process != own => format!("{process} ({own})"),
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_named_with_their_process() {
        let name = |thread, status: &str, recorded: Option<&str>| {
            full_name(thread, status, recorded.map(str::to_owned), |process| {
                (process == 7).then(|| "chrome".to_owned())
            })
        };
        let compositor = "Name:\tCompositor\nTgid:\t7\nPid:\t9\nPPid:\t1\n";
        assert_eq!(name(9, compositor, None), "chrome (Compositor)");
        assert_eq!(name(7, "Name:\tchrome\nTgid:\t7\nPid:\t7\nPPid:\t1\n", None), "chrome");
        let kernel = "Name:\tkworker/0:1\nTgid:\t33\nPid:\t33\nPPid:\t2\n";
        assert_eq!(name(33, kernel, None), "[kworker/0:1]");
        assert_eq!(name(40, "", Some("rustc")), "rustc", "exited");
        assert_eq!(name(40, "", None), "thread 40");
        assert_eq!(name(UNKNOWN_THREAD, "", None), "unknown thread");
    }

    #[test]
    fn a_new_name_of_a_thread_replaces_the_old_one() {
        let mut names = Names::default();
        let none = UNKNOWN_THREAD - 1;
        names.record_thread(none, "before");
        assert_eq!(names.of_thread(none), "before");
        names.record_thread(none, "after\n");
        assert_eq!(names.of_thread(none), "after\u{fffd}");
        assert_eq!(names.position("NET_RX"), names.position("NET_RX"));
    }
}
