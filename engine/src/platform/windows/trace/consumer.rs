//! Reads the events of a session on a separate thread, and stores the records in memory until they are taken.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, GetLastError, WIN32_ERROR};
use windows_sys::Win32::System::Diagnostics::Etw::{
    CloseTrace, EVENT_HEADER_FLAG_32_BIT_HEADER, EVENT_HEADER_FLAG_PROCESSOR_INDEX, EVENT_RECORD,
    EVENT_TRACE_LOGFILEW, OpenTraceW, PROCESS_TRACE_MODE_EVENT_RECORD,
    PROCESS_TRACE_MODE_RAW_TIMESTAMP, PROCESS_TRACE_MODE_REAL_TIME, PROCESSTRACE_HANDLE,
    ProcessTrace,
};

use super::super::super::is_own_process;
use super::super::super::parse::etw::{KernelTrace, RawEvent, group};
use super::super::clock;
use super::super::facts::number_of;
use super::super::topology::logical_cpus;
use crate::nanos::Nanos;
use crate::sample::TraceRecord;

/// Max number of records in memory: about 15 MB.
const MAX_WAITING: usize = 1 << 18;
/// The value that the system returns instead of a handle if it fails.
const INVALID: u64 = u64::MAX;

/// Identifiers of the classes of the kernel's events, each with its group.
const CLASSES: [(u128, u8); 4] = [
    (0x3d6f_a8d0_fe05_11d0_9dda_00c0_4fd7_ba7c, group::PROCESS),
    (0x3d6f_a8d1_fe05_11d0_9dda_00c0_4fd7_ba7c, group::THREAD),
    (0xce1d_bfb4_137e_4da6_87b0_3f59_aa10_2cbc, group::PERFORMANCE),
    (0x2cb1_5d1d_5fc1_11d2_abe1_00a0_c911_f518, group::IMAGE),
];

/// State that two threads share: one reads events, and the other takes the records.
#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<WaitingThread>,
    /// The time of the newest event.
    newest: AtomicI64,
    /// The numbers of the CPUs, by the index that the kernel uses in events.
    cpus: Vec<u32>,
}

#[derive(Debug, Default)]
struct WaitingThread {
    trace: KernelTrace,
    records: Vec<TraceRecord>,
    dropped: u64,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, WaitingThread> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, mut event: RawEvent<'_>) {
        let at = usize::try_from(event.cpu).ok();
        event.cpu = at.and_then(|at| self.cpus.get(at)).copied().unwrap_or(event.cpu);
        let mut waiting = self.waiting();
        let WaitingThread { trace, records, dropped } = &mut *waiting;
        trace.add(&event, clock::nanos_at, |record| {
            if records.len() < MAX_WAITING {
                records.push(record);
            } else {
                *dropped += 1;
            }
        });
        drop(waiting);
        self.newest.fetch_max(clock::nanos_at(event.ticks), Ordering::Release);
    }
}

/// The records that were read and wait to be taken.
#[derive(Debug)]
pub(super) struct Events(Arc<Shared>);

impl Events {
    /// Returns the time of the newest event.
    pub(super) fn newest(&self) -> Nanos {
        Nanos::new(self.0.newest.load(Ordering::Acquire))
    }

    /// Takes all records that were read so far.
    pub(super) fn take(&self) -> Vec<TraceRecord> {
        std::mem::take(&mut self.0.waiting().records)
    }

    /// Returns how many records were dropped because too many waited.
    pub(super) fn dropped_count(&self) -> u64 {
        self.0.waiting().dropped
    }

    /// Returns the name of the thread or interrupt of a record, if an event named it.
    pub(super) fn name_of(&self, record: &TraceRecord) -> Option<String> {
        self.0.waiting().trace.name_of(record, is_own_process)
    }
}

/// Reads the events of a session until the session is stopped.
#[derive(Debug)]
pub(super) struct Consumer {
    handle: u64,
    shared: Arc<Shared>,
}

impl Consumer {
    /// Opens a session by its name, which ends with a zero.
    #[expect(unsafe_code, reason = "only the system has sessions")]
    pub(super) fn open(session: &[u16]) -> Result<Self, WIN32_ERROR> {
        let mut cpus = logical_cpus();
        cpus.sort_unstable();
        let shared = Arc::new(Shared { cpus, ..Shared::default() });
        let mut file = EVENT_TRACE_LOGFILEW {
            LoggerName: session.as_ptr().cast_mut(),
            Context: Arc::as_ptr(&shared).cast_mut().cast(),
            ..EVENT_TRACE_LOGFILEW::default()
        };
        file.Anonymous1.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME
            | PROCESS_TRACE_MODE_RAW_TIMESTAMP
            | PROCESS_TRACE_MODE_EVENT_RECORD;
        file.Anonymous2.EventRecordCallback = Some(on_event);
        // SAFETY: the name ends with a zero; what `Context` points to lives as long as the handle is used.
        let handle = unsafe { OpenTraceW(&raw mut file) };
        if handle.Value == INVALID {
            // SAFETY: GetLastError takes nothing and cannot fail.
            return Err(unsafe { GetLastError() });
        }
        Ok(Self { handle: handle.Value, shared })
    }

    /// Returns the queue of the records that the session delivers.
    pub(super) fn events(&self) -> Events {
        Events(Arc::clone(&self.shared))
    }

    /// Reads until the session is stopped.
    #[expect(unsafe_code, reason = "only the system has sessions")]
    pub(super) fn run(self) {
        super::super::lower_own_priority();
        let handle = PROCESSTRACE_HANDLE { Value: self.handle };
        // SAFETY: the handle is open and `on_event` reads what `self` keeps alive; without times, all events are read.
        let status =
            unsafe { ProcessTrace(&raw const handle, 1, std::ptr::null(), std::ptr::null()) };
        if status != ERROR_SUCCESS {
            log::warn!("the kernel trace ended: error {status}");
        }
    }
}

impl Drop for Consumer {
    #[expect(unsafe_code, reason = "only the system closes handles")]
    fn drop(&mut self) {
        // SAFETY: the handle is open, and this call is the only one that closes it.
        unsafe { CloseTrace(PROCESSTRACE_HANDLE { Value: self.handle }) };
    }
}

/// Adds an event to the records; the system calls this function on the thread of [`Consumer::run`].
#[expect(unsafe_code, reason = "the system hands events to a function of C")]
unsafe extern "system" fn on_event(record: *mut EVENT_RECORD) {
    // SAFETY: the system passes a record that is valid for the length of the call.
    let Some(record) = (unsafe { record.as_ref() }) else { return };
    let shared = record.UserContext.cast::<Shared>().cast_const();
    // SAFETY: `shared` is the context of the open handle; [`Consumer`] owns the context while events are read.
    let Some(shared) = (unsafe { shared.as_ref() }) else { return };
    let header = &record.EventHeader;
    let class = number_of(&header.ProviderId);
    let Some((_, group)) = CLASSES.into_iter().find(|(known, _)| *known == class) else { return };
    let payload: &[u8] = if record.UserData.is_null() {
        &[]
    } else {
        // SAFETY: the payload has `UserDataLength` bytes and lives as long as the call.
        unsafe {
            std::slice::from_raw_parts(
                record.UserData.cast_const().cast(),
                usize::from(record.UserDataLength),
            )
        }
    };
    let has = |flag: u32| u32::from(header.Flags) & flag != 0;
    // SAFETY: both forms of the union are plain numbers of which any bits are valid.
    let index = unsafe { record.BufferContext.Anonymous.ProcessorIndex };
    // Without the flag `PROCESSOR_INDEX`, only the lower byte is the index of the CPU.
    let cpu = if has(EVENT_HEADER_FLAG_PROCESSOR_INDEX) { index } else { index & 0xff };
    shared.add(RawEvent {
        group,
        opcode: header.EventDescriptor.Opcode,
        version: header.EventDescriptor.Version,
        cpu: u32::from(cpu),
        ticks: header.TimeStamp,
        pointer_size: if has(EVENT_HEADER_FLAG_32_BIT_HEADER) { 4 } else { 8 },
        payload,
    });
}

#[cfg(test)]
mod tests {
    use windows_sys::core::GUID;

    use super::*;

    #[test]
    fn an_event_is_taken_with_its_class_cpu_and_time() {
        let shared = Arc::new(Shared { cpus: vec![0, 1, 64], ..Shared::default() });
        let events = Events(Arc::clone(&shared));
        let mut ready = [7_u32.to_le_bytes(), [0; 4]].concat();
        let mut record = EVENT_RECORD::default();
        record.EventHeader.ProviderId = GUID::from_u128(CLASSES[1].0);
        record.EventHeader.EventDescriptor.Opcode = 50;
        record.EventHeader.TimeStamp = 1_000_000;
        record.BufferContext.Anonymous.ProcessorIndex = 0x0802;
        record.UserData = ready.as_mut_ptr().cast();
        record.UserDataLength = 8;
        record.UserContext = Arc::as_ptr(&shared).cast_mut().cast();
        take(&mut record);
        record.EventHeader.ProviderId = GUID::from_u128(1);
        take(&mut record);
        let records = events.take();
        let [one] = records.as_slice() else { panic!("{records:?}") };
        assert_eq!((one.event, one.cpu), (crate::sample::TraceEvent::Waking, 64));
        assert_eq!((one.thread, one.at.get()), (Some(7), clock::nanos_at(1_000_000)));
        assert_eq!((events.newest(), events.dropped_count()), (one.at, 0));
        assert!(events.take().is_empty());
    }

    #[expect(unsafe_code, reason = "calls what the system calls")]
    fn take(record: &mut EVENT_RECORD) {
        // SAFETY: the record, its payload and its context live as long as the call.
        unsafe { on_event(record) };
    }
}
