//! A session of the kernel trace that belongs to this process.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use windows_sys::Win32::Foundation::{ERROR_ALREADY_EXISTS, ERROR_SUCCESS, WIN32_ERROR};
use windows_sys::Win32::System::Diagnostics::Etw::{
    CONTROLTRACE_HANDLE, ControlTraceW, EVENT_TRACE_CONTROL, EVENT_TRACE_CONTROL_FLUSH,
    EVENT_TRACE_CONTROL_QUERY, EVENT_TRACE_CONTROL_STOP, EVENT_TRACE_FLAG_CSWITCH,
    EVENT_TRACE_FLAG_DISPATCHER, EVENT_TRACE_FLAG_DPC, EVENT_TRACE_FLAG_IMAGE_LOAD,
    EVENT_TRACE_FLAG_INTERRUPT, EVENT_TRACE_FLAG_NO_SYSCONFIG, EVENT_TRACE_FLAG_PROCESS,
    EVENT_TRACE_FLAG_THREAD, EVENT_TRACE_PROPERTIES, EVENT_TRACE_REAL_TIME_MODE,
    EVENT_TRACE_SYSTEM_LOGGER_MODE, QueryAllTracesW, StartTraceW, WNODE_FLAG_TRACED_GUID,
};

use super::super::living;
use super::super::topology::logical_cpus;

/// The kernel events that are recorded.
const EVENTS: u32 = EVENT_TRACE_FLAG_PROCESS
    | EVENT_TRACE_FLAG_THREAD
    | EVENT_TRACE_FLAG_IMAGE_LOAD
    | EVENT_TRACE_FLAG_CSWITCH
    | EVENT_TRACE_FLAG_DISPATCHER
    | EVENT_TRACE_FLAG_INTERRUPT
    | EVENT_TRACE_FLAG_DPC
    | EVENT_TRACE_FLAG_NO_SYSCONFIG;
/// The system's number for the clock of a session: event times are readings of the performance counter.
const PERFORMANCE_COUNTER: u32 = 1;
/// The size of a buffer of a session, in KiB.
const BUFFER_KIB: u32 = 128;
/// Min and max number of buffers per CPU.
const BUFFERS_A_CPU: [u32; 2] = [4, 16];
/// The beginning of the name of a session; the ID of the process and the number of the session follow.
const NAME: &str = "Jitterscope kernel trace";
/// Max number of names that [`Session::start`] tries if each is already in use.
const MAX_TRIES: u32 = 8;
/// Max number of sessions of a system.
const MAX_SESSIONS: usize = 64;
/// Max length of the name of a session, and of the name of its file, in UTF-16 units.
const NAME_UNITS: usize = 1_024;

/// The running sessions of this process, to stop them if the process ends without dropping them.
static RUNNING: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Properties of a session, in the layout that the system reads and writes.
#[repr(C)]
struct Properties {
    head: EVENT_TRACE_PROPERTIES,
    name: [u16; NAME_UNITS],
    file: [u16; NAME_UNITS],
}

impl Properties {
    fn new() -> Self {
        let mut head = EVENT_TRACE_PROPERTIES::default();
        let size = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        head.Wnode.BufferSize = size(size_of::<Self>());
        head.LoggerNameOffset = size(std::mem::offset_of!(Self, name));
        head.LogFileNameOffset = size(std::mem::offset_of!(Self, file));
        Self { head, name: [0; NAME_UNITS], file: [0; NAME_UNITS] }
    }

    /// Returns the properties for starting a session. The identifier of the session is not set, so
    /// the system creates one.
    fn to_start() -> Self {
        let mut properties = Self::new();
        let head = &mut properties.head;
        head.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
        head.Wnode.ClientContext = PERFORMANCE_COUNTER;
        head.LogFileMode = EVENT_TRACE_REAL_TIME_MODE | EVENT_TRACE_SYSTEM_LOGGER_MODE;
        head.EnableFlags = EVENTS;
        let cpu_count = u32::try_from(logical_cpus().len()).unwrap_or(1).max(1);
        head.BufferSize = BUFFER_KIB;
        [head.MinimumBuffers, head.MaximumBuffers] =
            BUFFERS_A_CPU.map(|count| count.saturating_mul(cpu_count));
        head.FlushTimer = 1;
        // The session has no log file.
        head.LogFileNameOffset = 0;
        properties
    }

    fn name(&self) -> String {
        let units: Vec<u16> = self.name.iter().copied().take_while(|unit| *unit != 0).collect();
        String::from_utf16_lossy(&units)
    }
}

/// Returns the ID of the process that started the session with this name; `None` for a session of another program.
fn process_of(name: &str) -> Option<u32> {
    let (process, _) = name.strip_prefix(NAME)?.trim_start().split_once(' ')?;
    process.parse().ok()
}

/// Sends a request about a session to the system; returns the properties that the system has filled in.
#[expect(unsafe_code, reason = "only the system has sessions")]
fn control(handle: u64, request: EVENT_TRACE_CONTROL) -> Result<Properties, WIN32_ERROR> {
    let mut properties = Properties::new();
    let handle = CONTROLTRACE_HANDLE { Value: handle };
    // SAFETY: the properties state their own size and the offsets of the two fields for names.
    let status =
        unsafe { ControlTraceW(handle, std::ptr::null(), (&raw mut properties).cast(), request) };
    if status == ERROR_SUCCESS { Ok(properties) } else { Err(status) }
}

/// A session that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Session {
    handle: u64,
    name: Vec<u16>,
}

impl Session {
    /// Starts a session, after stopping the sessions that crashed processes of this program left behind.
    #[expect(unsafe_code, reason = "only the system has sessions")]
    pub(super) fn start() -> Result<Self, WIN32_ERROR> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        stop_abandoned();
        let mut status = ERROR_ALREADY_EXISTS;
        for _ in 0..MAX_TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{NAME} {} {number}", std::process::id());
            let name: Vec<u16> = name.encode_utf16().chain([0]).collect();
            let mut properties = Properties::to_start();
            let mut handle = CONTROLTRACE_HANDLE::default();
            // SAFETY: the name ends with a zero, and the properties state their own size and the
            // offset of the field for the name.
            status = unsafe {
                StartTraceW(&raw mut handle, name.as_ptr(), (&raw mut properties).cast())
            };
            match status {
                // A crashed process may have had the same ID, and its session may still run.
                ERROR_ALREADY_EXISTS => {}
                ERROR_SUCCESS => {
                    RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push(handle.Value);
                    return Ok(Self { handle: handle.Value, name });
                }
                _ => break,
            }
        }
        Err(status)
    }

    /// Returns the name of the session in UTF-16; the last unit is a zero.
    pub(super) fn name(&self) -> &[u16] {
        &self.name
    }

    /// Delivers the events recorded so far to the consumer.
    pub(super) fn flush(&self) {
        if let Err(code) = control(self.handle, EVENT_TRACE_CONTROL_FLUSH) {
            log::debug!("the kernel trace was not flushed: error {code}");
        }
    }

    /// Returns how many events, and buffers of events, were lost so far.
    pub(super) fn lost_count(&self) -> u64 {
        let state = control(self.handle, EVENT_TRACE_CONTROL_QUERY);
        state.map_or(0, |state| {
            [state.head.EventsLost, state.head.LogBuffersLost, state.head.RealTimeBuffersLost]
                .into_iter()
                .map(u64::from)
                .sum()
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        stop(self.handle);
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|handle| *handle != self.handle);
    }
}

fn stop(handle: u64) {
    if let Err(code) = control(handle, EVENT_TRACE_CONTROL_STOP) {
        log::warn!("the kernel trace was not stopped: error {code}");
    }
}

/// Stops every session of this process. Called if the process ends without dropping its sessions.
pub(in super::super::super) fn stop_all() {
    // If another thread has locked the list, it is starting or stopping a session. The sessions then
    // remain, and `stop_abandoned` stops them at the next start of a trace.
    if let Ok(running) = RUNNING.try_lock() {
        running.iter().for_each(|handle| stop(*handle));
    }
}

/// Stops the sessions of processes that do not run any more.
#[expect(unsafe_code, reason = "only the system has sessions")]
fn stop_abandoned() {
    let mut all: Vec<Properties> = (0..MAX_SESSIONS).map(|_| Properties::new()).collect();
    let mut places: Vec<*mut EVENT_TRACE_PROPERTIES> =
        all.iter_mut().map(|one| (&raw mut *one).cast()).collect();
    let mut count = 0_u32;
    let room = u32::try_from(places.len()).unwrap_or(0);
    // SAFETY: there are `room` places; each states its own size and the offsets of the two fields for names.
    let status = unsafe { QueryAllTracesW(places.as_mut_ptr(), room, &raw mut count) };
    if status != ERROR_SUCCESS {
        log::debug!("sessions were not listed: error {status}");
    }
    let count = usize::try_from(count).unwrap_or(0);
    for session in all.iter().take(count) {
        if process_of(&session.name()).is_some_and(|process| !living::is_running(process)) {
            // SAFETY: the system wrote the handle of the session into this field of the union.
            stop(unsafe { session.head.Wnode.Anonymous1.HistoricalContext });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_program_have_a_process() {
        assert_eq!(process_of("Jitterscope kernel trace 4711 2"), Some(4711));
        for other in
            ["NT Kernel Logger", "Jitterscope kernel trace", "Jitterscope kernel trace x 1"]
        {
            assert_eq!(process_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_session_of_a_process_that_runs_is_left_alone() {
        let Ok(session) = Session::start() else {
            println!("skipped: sessions are denied here");
            return;
        };
        stop_abandoned();
        let name = String::from_utf16_lossy(session.name());
        assert_eq!(process_of(&name), Some(std::process::id()));
        drop(session);
        assert!(RUNNING.lock().unwrap().is_empty());
    }
}
