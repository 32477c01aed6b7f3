//! Room for events: each is an open file.

use std::fs::File;
use std::sync::{Mutex, PoisonError};

use super::super::guard;

/// How many descriptors are left to the rest of the program: files of runs, pipes, and what a library opens.
const RESERVED: usize = 16;

/// Descriptors that are held so that events do not take them.
#[derive(Debug)]
pub(super) struct Reserve {
    _held: Vec<File>,
}

impl Reserve {
    /// Holds as many as there are, up to the reserve.
    pub(super) fn hold() -> Self {
        let held = (0..RESERVED).map_while(|_| File::open("/dev/null").ok());
        Self { _held: held.collect() }
    }
}

/// The soft limit of open files, raised to the hard one until the last of these is dropped: it is one of the process.
#[derive(Debug)]
pub(super) struct RaisedLimit(());

/// How many there are, and the limit before the first.
static RAISED: Mutex<(usize, Option<libc::rlimit>)> = Mutex::new((0, None));

impl RaisedLimit {
    /// Raises it; `None` where that is not possible or not needed.
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
