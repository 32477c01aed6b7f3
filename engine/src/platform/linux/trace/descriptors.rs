//! File descriptors for events: each event needs one.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use super::super::guard;

/// Number of file descriptors reserved for other parts of the program: run files, pipes, and files
/// that a library opens.
const RESERVED: usize = 16;

/// File descriptors that are held open so that events cannot use them. Dropping this frees them.
#[derive(Debug)]
pub(super) struct Reserve {
    _held: Vec<File>,
}

impl Reserve {
    /// Opens `RESERVED` descriptors, or fewer if the process cannot open more files.
    pub(super) fn hold() -> Self {
        let held = (0..RESERVED).map_while(|_| File::open("/dev/null").ok());
        Self { _held: held.collect() }
    }
}

/// While at least one value of this type exists, the soft limit of open files is raised to the hard
/// limit. Values are counted, as the limit applies to the whole process.
#[derive(Debug)]
pub(super) struct RaisedLimit(());

/// Number of [`RaisedLimit`] values, and the limit of open files before the first value was created.
static RAISED: Mutex<(usize, Option<libc::rlimit>)> = Mutex::new((0, None));

impl RaisedLimit {
    /// Raises the limit of open files; `None` if the system denies that, or if the soft limit is the hard limit.
    pub(super) fn raise() -> Option<Self> {
        let mut raised_now = RAISED.lock().unwrap_or_else(PoisonError::into_inner);
        if 0 < raised_now.0 {
            raised_now.0 += 1;
            return Some(Self(()));
        }
        let before = guard::get(libc::RLIMIT_NOFILE)?;
        if before.rlim_max <= before.rlim_cur {
            return None;
        }
        let raised = libc::rlimit { rlim_cur: before.rlim_max, ..before };
        match guard::set(libc::RLIMIT_NOFILE, &raised) {
            Ok(()) => {
                *raised_now = (1, Some(before));
                Some(Self(()))
            }
            Err(error) => {
                log::debug!("the limit of open files stays at {}: {error}", before.rlim_cur);
                None
            }
        }
    }
}

impl Drop for RaisedLimit {
    fn drop(&mut self) {
        let mut raised_now = RAISED.lock().unwrap_or_else(PoisonError::into_inner);
        raised_now.0 = raised_now.0.saturating_sub(1);
        let (left, before) = *raised_now;
        let Some(before) = before.filter(|_| left == 0) else { return };
        if let Err(error) = guard::set(libc::RLIMIT_NOFILE, &before) {
            log::warn!("the limit of open files stays raised: {error}");
        }
    }
}
