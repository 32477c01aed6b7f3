//! Faults for tests: one operation fails, writes are cut short, the disk is full, or the process ends.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::Operation;

/// The exit status of a process that a fault ended.
pub(in crate::store) const ENDED: i32 = 86;

/// The effect of a fault on the disk operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Fault {
    /// The operation fails, like on a damaged disk; later operations succeed.
    Fails,
    /// From this operation on, the disk is full: a write stores half of its data, then fails.
    FullDisk,
    /// A write stores only one byte; later operations succeed.
    ShortWrite,
    /// The process is killed: no operation from this one on has an effect. Earlier writes are
    /// preserved.
    Killed,
    /// The power fails: no operation from this one on has an effect, and data that was not synced
    /// is lost.
    PowerFails,
    /// Another process removes the file before it is opened; later operations succeed.
    Vanishes,
    /// From this operation on, each file is locked by another process.
    Locked,
    /// The test process is terminated.
    Aborts,
}

impl Fault {
    /// The faults that do not terminate the test process.
    pub(in crate::store) const ALL: [Self; 5] =
        [Self::Fails, Self::FullDisk, Self::ShortWrite, Self::Killed, Self::PowerFails];
}

/// The file operations that were counted while a fault was planned.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Outcome {
    /// Number of all file operations.
    pub(in crate::store) count: u64,
    /// The first operation that the fault affected; `None` if it had no effect.
    pub(in crate::store) struck: Option<&'static str>,
}

/// The planned fault, and the recorded operations.
#[derive(Default)]
struct Plan {
    fault: Option<(Fault, u64)>,
    count: u64,
    struck: Option<&'static str>,
    is_gone: bool,
    is_full: bool,
    /// For each created file, the content that remains after a power failure.
    synced: BTreeMap<PathBuf, Vec<u8>>,
    /// Renames that a power failure undoes: old path, new path, and earlier content of the new path.
    renames: Vec<(PathBuf, PathBuf, Option<Vec<u8>>)>,
}

thread_local! {
    static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
}

/// Calls `work` with a fault at the file operation with the number `at` on this thread, counted
/// from 0. Returns the result of `work`, and the outcome.
pub(in crate::store) fn with_fault<R>(
    fault: Fault,
    at: u64,
    work: impl FnOnce() -> R,
) -> (R, Outcome) {
    PLAN.set(Some(Plan { fault: Some((fault, at)), ..Plan::default() }));
    let result = work();
    let plan = PLAN.take().expect("set above");
    (result, Outcome { count: plan.count, struck: plan.struck })
}

const fn name(operation: Operation<'_>) -> &'static str {
    match operation {
        Operation::MakeFolder => "make folder",
        Operation::List => "list",
        Operation::Stamp => "stamp",
        Operation::Open(_) => "open",
        Operation::Create(_) => "create",
        Operation::Lock => "lock",
        Operation::Reserve => "reserve",
        Operation::Read => "read",
        Operation::Write => "write",
        Operation::Sync(_) => "sync",
        Operation::SyncFolder(_) => "sync folder",
        Operation::Rename(..) => "rename",
        Operation::Remove(_) => "remove",
    }
}

fn error(why: &str) -> io::Error {
    io::Error::other(format!("injected: {why}"))
}

pub(in crate::store) fn announce(operation: Operation<'_>) -> io::Result<()> {
    PLAN.with_borrow_mut(|plan| plan.as_mut().map_or(Ok(()), |plan| plan.announce(operation)))
}

pub(in crate::store) fn announce_write(length: usize) -> io::Result<usize> {
    PLAN.with_borrow_mut(|plan| {
        plan.as_mut().map_or(Ok(length), |plan| plan.announce_write(length))
    })
}

impl Plan {
    fn announce(&mut self, operation: Operation<'_>) -> io::Result<()> {
        if self.is_gone {
            return Err(error("the process is gone"));
        }
        let at = self.count;
        self.count += 1;
        let fault = self.fault.filter(|(_, when)| *when == at).map(|(fault, _)| fault);
        if matches!(fault, Some(Fault::Fails | Fault::Killed | Fault::PowerFails)) {
            self.struck = Some(name(operation));
        }
        match fault {
            Some(Fault::Fails) => return Err(error("it fails")),
            Some(Fault::FullDisk) => self.is_full = true,
            Some(Fault::Killed) => {
                self.is_gone = true;
                return Err(error("killed"));
            }
            Some(Fault::PowerFails) => {
                self.lose_unsynced();
                self.is_gone = true;
                return Err(error("the power failed"));
            }
            Some(Fault::Vanishes) => {
                let Operation::Open(path) = operation else { panic!("{}", name(operation)) };
                fs::remove_file(path)?;
            }
            Some(Fault::Aborts) => crate::platform::exit_at_once(ENDED),
            Some(Fault::ShortWrite | Fault::Locked) | None => {}
        }
        match operation {
            Operation::Lock if matches!(self.fault, Some((Fault::Locked, when)) if when <= at) => {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            Operation::Create(_) | Operation::MakeFolder | Operation::Reserve if self.is_full => {
                self.struck.get_or_insert(name(operation));
                return Err(io::ErrorKind::StorageFull.into());
            }
            Operation::Create(path) => {
                self.synced.insert(path.to_owned(), Vec::new());
            }
            Operation::Sync(path) => {
                self.synced.insert(path.to_owned(), fs::read(path)?);
            }
            Operation::Rename(from, to) => {
                self.renames.push((from.to_owned(), to.to_owned(), fs::read(to).ok()));
                if let Some(content) = self.synced.remove(from) {
                    self.synced.insert(to.to_owned(), content);
                }
            }
            Operation::SyncFolder(folder) => {
                self.renames.retain(|(_, to, _)| to.parent() != Some(folder));
            }
            Operation::Remove(path) => {
                self.synced.remove(path);
            }
            _ => {}
        }
        Ok(())
    }

    fn announce_write(&mut self, length: usize) -> io::Result<usize> {
        let is_now = self.fault.is_some_and(|(_, when)| when == self.count);
        let was_full = self.is_full;
        self.announce(Operation::Write)?;
        let taken = match self.fault {
            Some((Fault::ShortWrite, _)) if is_now => Ok(length.min(1)),
            Some((Fault::FullDisk, _)) if is_now && 1 < length => Ok(length / 2),
            _ if was_full || (is_now && self.is_full) => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(length),
        };
        if taken.as_ref().is_ok_and(|taken| *taken != length) || taken.is_err() {
            self.struck.get_or_insert("write");
        }
        taken
    }

    /// Simulates the worst power failure: data and renames that were not synced are lost, but all
    /// removals are preserved.
    fn lose_unsynced(&mut self) {
        for (path, content) in &self.synced {
            if path.exists() {
                fs::write(path, content).expect("a test folder");
            }
        }
        for (from, to, before) in self.renames.drain(..).rev() {
            if to.exists() {
                fs::rename(&to, &from).expect("a test folder");
            }
            if let Some(before) = before {
                fs::write(&to, before).expect("a test folder");
            }
        }
    }
}

#[test]
fn a_power_failure_takes_what_was_not_synced() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str| {
        let mut draft = super::super::Draft::create(folder.path(), true)?;
        draft.write(|to| to.write_all(b"new"))?;
        draft.publish_unsynced(&path(name)).map(drop)
    };
    let synced = |name: &str| {
        let mut draft = super::super::Draft::create(folder.path(), true)?;
        draft.write(|to| to.write_all(b"new"))?;
        draft.publish(&path(name))
    };
    fs::write(path("old"), "old").unwrap();
    // Operations 0 to 5: create, lock, write, sync, rename, sync the folder. Operations 6 to 9:
    // create, lock, write, rename. Operation 10: list.
    let (_, outcome) = with_fault(Fault::PowerFails, 10, || {
        synced("whole")
            .and_then(|()| write("old"))
            .and_then(|()| super::super::list(Path::new(".")))
    });
    assert_eq!((outcome.count, outcome.struck), (11, Some("list")));
    assert_eq!(fs::read(path("whole")).unwrap(), b"new");
    assert_eq!(fs::read(path("old")).unwrap(), b"old");
}
