//! Finds the process of a game, and describes processes and threads.

use std::fs;

use super::super::parse::{self, harmless_name};
use super::super::{ThreadFacts, ThreadWaits, unix_clock};
use super::trace::thread_owner;
use super::{read, suspended_nanos};
use crate::nanos::Nanos;
use crate::sample::ThreadOwner;

/// The programs of an installation.
const PROGRAMS: [&str; 2] = ["jitterscope", "jitterscope-cli"];
/// The longest name that the kernel has of a thread, in bytes.
const MAX_COMM: usize = 15;

/// Returns the process with this ID, or the newest one with this name; capital letters do not matter. A process whose
/// program file has the name is found only where none has it itself: the helpers of a game are often started from its file.
pub fn find_process(wanted: &str) -> Option<u32> {
    if let Ok(process) = wanted.parse::<u32>() {
        return fs::metadata(format!("/proc/{process}")).is_ok().then_some(process);
    }
    let entries = fs::read_dir("/proc").ok()?.flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ids: Vec<u32> = ids.filter(|process| *process != std::process::id()).collect();
    let newest_of = |is_named: fn(u32, &str) -> bool| {
        let named: Vec<u32> =
            ids.iter().copied().filter(|process| is_named(*process, wanted)).collect();
        // A child that was just started still has the name of its parent.
        let is_child = |process: u32| parent(process).is_some_and(|own| named.contains(&own));
        let first = named.iter().copied().filter(|process| !is_child(*process));
        first.max_by_key(|process| (started_ticks(*process), *process))
    };
    newest_of(has_name).or_else(|| newest_of(is_of_file))
}

/// Returns whether the kernel's name of a process is this one, which it may have cut, or this one with `.exe`.
fn has_name(process: u32, wanted: &str) -> bool {
    let comm = read(&format!("/proc/{process}/comm")).unwrap_or_default();
    let wanted = wanted.get(..MAX_COMM).filter(|_| comm.len() == MAX_COMM).unwrap_or(wanted);
    let without_exe = comm.get(..comm.len().saturating_sub(4)).unwrap_or_default();
    let is_exe = comm.to_ascii_lowercase().ends_with(".exe");
    !comm.is_empty()
        && (comm.eq_ignore_ascii_case(wanted)
            || (is_exe && without_exe.eq_ignore_ascii_case(wanted)))
}

fn is_of_file(process: u32, wanted: &str) -> bool {
    let program = fs::read_link(format!("/proc/{process}/exe")).ok();
    let program = program.as_deref().and_then(|path| path.file_name()?.to_str());
    program.is_some_and(|program| program.eq_ignore_ascii_case(wanted))
}

/// Describes a thread; `None` if it has ended.
pub fn thread_facts(thread: u32) -> Option<ThreadFacts> {
    let status = read(&format!("/proc/{thread}/status"))?;
    let field = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.map(str::trim)
    };
    let process: u32 = field("Tgid")?.parse().ok()?;
    let name = harmless_name(field("Name")?);
    let process_name = if process == thread {
        name.clone()
    } else {
        harmless_name(&read(&format!("/proc/{process}/comm")).unwrap_or_default())
    };
    let started = started_ticks(thread).map(|ticks| {
        let since_boot = ticks.saturating_mul(unix_clock::nanos_a_tick());
        Nanos::new(since_boot - suspended_nanos().unwrap_or_default())
    });
    let owner =
        thread_owner(thread).or_else(|| is_of_installation(process).then_some(ThreadOwner::Own));
    Some(ThreadFacts { process, name, process_name, started, owner })
}

/// Returns whether a process is a program of this installation, such as the window while the recorder runs.
fn is_of_installation(process: u32) -> bool {
    let program = |process: &str| fs::read_link(format!("/proc/{process}/exe")).ok();
    let (Some(own), Some(other)) = (program("self"), program(&process.to_string())) else {
        return false;
    };
    let name = other.file_name().map(|name| name.to_string_lossy().into_owned());
    own.parent() == other.parent() && name.is_some_and(|name| PROGRAMS.contains(&name.as_str()))
}

/// Returns the threads with this name, or the one with this number; capital letters do not matter.
pub fn find_threads(wanted: &str) -> Vec<u32> {
    if let Ok(thread) = wanted.parse::<u32>() {
        return thread_facts(thread).is_some().then_some(thread).into_iter().collect();
    }
    let processes = numbers_in("/proc").into_iter();
    let processes = processes.filter(|process| *process != std::process::id());
    let threads = processes.flat_map(|process| numbers_in(&format!("/proc/{process}/task")));
    threads.filter(|thread| has_name(*thread, wanted)).collect()
}

/// Returns the numbers among the names in a folder.
fn numbers_in(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns for how long a thread waited for a CPU so far, and how often it slept; `None` if it has ended.
pub fn thread_waits(thread: u32) -> Option<ThreadWaits> {
    let text = fs::read(format!("/proc/{thread}/schedstat")).ok()?;
    let delay = i64::try_from(parse::schedstat_delay(&text)?).ok()?;
    let status = read(&format!("/proc/{thread}/status"))?;
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    Some(ThreadWaits { delay: Nanos::new(delay), slept_count: count.trim().parse().ok()? })
}

/// Returns the process that started a process.
fn parent(process: u32) -> Option<u32> {
    let status = read(&format!("/proc/{process}/status"))?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

/// Returns when a thread started, in ticks since boot.
fn started_ticks(thread: u32) -> Option<i64> {
    parse::started_ticks(&read(&format!("/proc/{thread}/stat"))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{clock_nanos, thread_id};

    #[test]
    fn own_threads_are_described() {
        let own = std::thread::Builder::new().name("followed".to_owned()).spawn(|| {
            let thread = u32::try_from(thread_id().0).unwrap();
            thread_facts(thread).unwrap()
        });
        let facts = own.unwrap().join().unwrap();
        assert_eq!((facts.process, facts.name.as_str()), (std::process::id(), "followed"));
        let started = facts.started.unwrap().get();
        let now = clock_nanos();
        // A tick is 10 ms.
        assert!(started <= now + 20_000_000 && now - started < 60_000_000_000, "{started} {now}");
        assert_eq!(find_process(&std::process::id().to_string()), Some(std::process::id()));
        assert_eq!(find_process("no program has this name"), None);
    }

    #[test]
    fn threads_are_found_by_number_and_by_name_and_their_waits_are_read() {
        let own = u32::try_from(thread_id().0).unwrap();
        assert_eq!(find_threads(&own.to_string()), [own]);
        assert!(find_threads("no thread has this name").is_empty());
        let mut sleep = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        // A child that has just been started still has the name of this program.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !find_threads("SLEEP").contains(&sleep.id()) {
            assert!(std::time::Instant::now() < deadline, "it is not found by its name");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(0 <= thread_waits(sleep.id()).unwrap().delay.get());
        sleep.kill().unwrap();
        sleep.wait().unwrap();
        assert_eq!(thread_waits(sleep.id()), None);
    }
}
