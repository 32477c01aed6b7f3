//! Decodes events of the Windows kernel trace from their payloads.
//!
//! The layouts are those of the MOF classes `CSwitch`, `ReadyThread`, `ISR`, `DPC`, `Thread`,
//! `Process` and `Image`. Newer versions of Windows only append fields: known fields are read, the
//! others are ignored.

mod records;

pub use self::records::KernelTrace;

/// The groups of the kernel's events: the upper byte of the hook ID of an event.
pub mod group {
    /// Processes.
    pub const PROCESS: u8 = 0x03;
    /// Threads and their switches.
    pub const THREAD: u8 = 0x05;
    /// Interrupts and deferred calls (DPCs).
    pub const PERFORMANCE: u8 = 0x0f;
    /// Programs, libraries and drivers in memory.
    pub const IMAGE: u8 = 0x14;
}

/// A recorded event that is not yet decoded.
#[derive(Clone, Copy, Debug)]
pub struct RawEvent<'a> {
    /// The group of the event, one of [`group`].
    pub group: u8,
    /// The type of the event within its group.
    pub opcode: u8,
    /// The version of the layout of the payload.
    pub version: u8,
    /// The CPU on which the event occurred.
    pub cpu: u32,
    /// The time of the event, as a reading of the performance counter.
    pub ticks: i64,
    /// The size of a pointer in bytes: 4 or 8.
    pub pointer_size: usize,
    /// The data of the event.
    pub payload: &'a [u8],
}

/// A decoded event.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KernelEvent {
    /// A context switch from thread `old` to thread `new`.
    Switch { new: u32, old: u32, wait_reason: u8, old_state: u8 },
    /// A thread became ready to run.
    Ready { thread: u32 },
    /// An interrupt or a deferred call (DPC) ended; its routine is at `address`. `began` is a reading of the
    /// performance counter.
    Routine { is_deferred: bool, began: i64, address: u64 },
    /// A thread was started, or ran when the trace began. `start` is the address of its first routine; `name` is
    /// absent if the thread has none.
    Thread { thread: u32, process: u32, start: u64, name: Option<String> },
    /// A thread was named.
    ThreadName { thread: u32, process: u32, name: String },
    /// A process was started, or ran when the trace began.
    Process { process: u32, name: String },
    /// An image (the kernel itself or a driver) was loaded into kernel memory.
    Loaded { base: u64, size: u64, name: String },
    /// An image was unloaded from kernel memory.
    Unloaded { base: u64 },
}

/// The ID of the process System, to which the threads of the kernel belong; the idle process has the ID 0.
const SYSTEM_PROCESS: u32 = 4;

/// Whether the process with this ID belongs to the kernel.
pub const fn is_kernel_process(process: u32) -> bool {
    process == 0 || process == SYSTEM_PROCESS
}

impl KernelEvent {
    /// Decodes an event; `None` if the event is not needed or its payload is cut off.
    fn read(raw: &RawEvent<'_>) -> Option<Self> {
        let mut payload = Payload::new(raw.payload, raw.pointer_size);
        match (raw.group, raw.opcode) {
            (group::THREAD, 36) => Self::switch(&mut payload),
            (group::THREAD, 50) => Some(Self::Ready { thread: payload.u32()? }),
            // The thread was started, or ran when the trace began.
            (group::THREAD, 1 | 3) => Self::thread(&mut payload),
            (group::THREAD, 72) => {
                let (process, thread) = (payload.u32()?, payload.u32()?);
                Some(Self::ThreadName { thread, process, name: payload.wide_text() })
            }
            // Interrupts: line-based, message-signaled, unexpected, and those of a driver that uses the
            // driver framework, whose routine runs within a routine of the framework.
            (group::PERFORMANCE, 0x43 | 0x32 | 0x5c | 0x60) => Self::routine(false, &mut payload),
            // Deferred calls: threaded, ordinary, of a timer, and of a driver that uses the driver framework.
            (group::PERFORMANCE, 0x42 | 0x44 | 0x45 | 0x62) => Self::routine(true, &mut payload),
            (group::PROCESS, 1 | 3) => Self::process(raw.version, &mut payload),
            // The loading of an image (10) can be recorded in the group of processes, too.
            (group::IMAGE, 2 | 3 | 10) | (group::PROCESS, 10) => {
                Self::image(raw.opcode != 2, &mut payload)
            }
            _ => None,
        }
    }

    fn switch(payload: &mut Payload<'_>) -> Option<Self> {
        let (new, old) = (payload.u32()?, payload.u32()?);
        // Skips the priorities of both threads, the previous idle state, and a spare byte.
        payload.skip(4)?;
        let wait_reason = payload.u8()?;
        // Skips the wait mode.
        payload.skip(1)?;
        Some(Self::Switch { new, old, wait_reason, old_state: payload.u8()? })
    }

    fn routine(is_deferred: bool, payload: &mut Payload<'_>) -> Option<Self> {
        let began = i64::try_from(payload.u64()?).ok()?;
        Some(Self::Routine { is_deferred, began, address: payload.pointer()? })
    }

    fn thread(payload: &mut Payload<'_>) -> Option<Self> {
        let (process, thread) = (payload.u32()?, payload.u32()?);
        let start = Self::start_of_thread(payload).unwrap_or(0);
        let name = Some(payload.wide_text()).filter(|name| !name.is_empty());
        Some(Self::Thread { thread, process, start, name })
    }

    /// Reads the address of the routine with which a thread started, and skips the fields up to the
    /// thread's name.
    fn start_of_thread(payload: &mut Payload<'_>) -> Option<u64> {
        // Skips base and limit of the kernel stack and of the user stack, and the affinity mask.
        for _ in 0..5 {
            payload.pointer()?;
        }
        let start = payload.pointer()?;
        // Skips the environment block, the service, three priorities, and flags.
        payload.pointer()?;
        payload.skip(8)?;
        Some(start)
    }

    fn process(version: u8, payload: &mut Payload<'_>) -> Option<Self> {
        payload.pointer()?;
        let process = payload.u32()?;
        // Skips the parent process, the session, and the exit status.
        payload.skip(12)?;
        if 3 <= version {
            // Skips the page directory.
            payload.pointer()?;
        }
        if 4 <= version {
            // Skips the flags.
            payload.skip(4)?;
        }
        payload.skip_account()?;
        Some(Self::Process { process, name: payload.narrow_text()? })
    }

    /// Decodes an image in kernel memory; `None` for an image of a program.
    fn image(is_loaded: bool, payload: &mut Payload<'_>) -> Option<Self> {
        let (base, size) = (payload.pointer()?, payload.pointer()?);
        if !is_kernel_process(payload.u32()?) {
            return None;
        }
        if !is_loaded {
            return Some(Self::Unloaded { base });
        }
        // Skips checksum, date, signature, preferred base, and four reserved words.
        payload.skip(12)?;
        payload.pointer()?;
        payload.skip(16)?;
        let path = payload.wide_text();
        let name = path.rsplit(['\\', '/']).next().unwrap_or_default().to_owned();
        Some(Self::Loaded { base, size, name })
    }
}

/// The part of a payload, the data of an event, that was not read yet. A payload can be cut off anywhere.
#[derive(Debug)]
struct Payload<'a> {
    rest: &'a [u8],
    pointer_size: usize,
}

impl<'a> Payload<'a> {
    const fn new(bytes: &'a [u8], pointer_size: usize) -> Self {
        Self { rest: bytes, pointer_size: if pointer_size == 4 { 4 } else { 8 } }
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn pointer(&mut self) -> Option<u64> {
        if self.pointer_size == 4 { self.u32().map(u64::from) } else { self.u64() }
    }

    /// Skips an account: 4 zero bytes if there is none, otherwise two pointers and a security
    /// identifier (SID), whose second byte is the number of its parts.
    fn skip_account(&mut self) -> Option<()> {
        let mut ahead = Self { rest: self.rest, pointer_size: self.pointer_size };
        if ahead.u32()? == 0 {
            return self.skip(4);
        }
        self.skip(2 * self.pointer_size)?;
        self.skip(1)?;
        let parts = self.u8()?;
        self.skip(6 + 4 * usize::from(parts))
    }

    /// Reads text of single bytes up to a zero byte or the end of the payload.
    fn narrow_text(&mut self) -> Option<String> {
        let end = self.rest.iter().position(|byte| *byte == 0).unwrap_or(self.rest.len());
        Some(String::from_utf8_lossy(self.take(end)?).into_owned())
    }

    /// Reads text of UTF-16 units up to a zero or the end of the payload; it must be the last field to be read.
    fn wide_text(&self) -> String {
        let (units, _) = self.rest.as_chunks::<2>();
        let units: Vec<u16> = units
            .iter()
            .map(|unit| u16::from_le_bytes(*unit))
            .take_while(|unit| *unit != 0)
            .collect();
        String::from_utf16_lossy(&units)
    }
}

#[cfg(test)]
mod tests;
