//! Events of the Windows kernel's own trace, decoded from their payloads.
//!
//! The layouts are those of the MOF classes `CSwitch`, `ReadyThread`, `ISR`, `DPC`, `Thread`, `Process` and `Image`. Newer
//! versions of Windows only append fields: what is known is read, and the rest is ignored.

mod payload;
mod records;

pub use self::records::KernelTrace;

use self::payload::Payload;

/// The groups of the kernel's events: the upper byte of what the kernel calls a hook id.
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

/// An event as it is recorded.
#[derive(Clone, Copy, Debug)]
pub struct RawEvent<'a> {
    /// One of [`group`].
    pub group: u8,
    /// The event of the group.
    pub opcode: u8,
    /// The version of its layout.
    pub version: u8,
    /// The CPU.
    pub cpu: u32,
    /// The performance counter.
    pub ticks: i64,
    /// Bytes of a pointer: 4 or 8.
    pub pointer_size: usize,
    /// Its data.
    pub payload: &'a [u8],
}

/// What an event reports.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KernelEvent {
    /// A thread got the CPU of another one.
    Switch { new: u32, old: u32, wait_reason: u8, old_state: u8 },
    /// A thread became ready to run.
    Ready { thread: u32 },
    /// An interrupt or a deferred call ended.
    Routine { is_deferred: bool, began: i64, address: u64 },
    /// A thread runs; without a name where it has none.
    Thread { thread: u32, process: u32, start: u64, name: Option<String> },
    /// A thread was named.
    ThreadName { thread: u32, process: u32, name: String },
    /// A process runs.
    Process { process: u32, name: String },
    /// An image of the kernel was loaded.
    Loaded { base: u64, size: u64, name: String },
    /// An image of the kernel was unloaded.
    Unloaded { base: u64 },
}

/// The number of the kernel's own process; that of the idle one is 0.
const SYSTEM_PROCESS: u32 = 4;

/// Whether a process is the kernel's.
pub const fn is_kernel_process(process: u32) -> bool {
    process == 0 || process == SYSTEM_PROCESS
}

impl KernelEvent {
    /// Reads an event; `None` for one that is not needed, and for one that is cut off.
    fn read(raw: &RawEvent<'_>) -> Option<Self> {
        let mut payload = Payload::new(raw.payload, raw.pointer_size);
        match (raw.group, raw.opcode) {
            (group::THREAD, 36) => Self::switch(&mut payload),
            (group::THREAD, 50) => Some(Self::Ready { thread: payload.u32()? }),
            // It started, or it ran when the trace began.
            (group::THREAD, 1 | 3) => Self::thread(&mut payload),
            (group::THREAD, 72) => {
                let (process, thread) = (payload.u32()?, payload.u32()?);
                Some(Self::ThreadName { thread, process, name: payload.wide_text() })
            }
            // Of a line, of a message, one that nothing expected, and the routine of a driver of the driver framework,
            // which runs within the framework's.
            (group::PERFORMANCE, 0x43 | 0x32 | 0x5c | 0x60) => Self::routine(false, &mut payload),
            // Threaded, ordinary, of a timer, and that of a driver of the driver framework.
            (group::PERFORMANCE, 0x42 | 0x44 | 0x45 | 0x62) => Self::routine(true, &mut payload),
            (group::PROCESS, 1 | 3) => Self::process(raw.version, &mut payload),
            // A load is recorded as an event of its process.
            (group::IMAGE, 2 | 3 | 10) | (group::PROCESS, 10) => {
                Self::image(raw.opcode != 2, &mut payload)
            }
            _ => None,
        }
    }

    fn switch(payload: &mut Payload<'_>) -> Option<Self> {
        let (new, old) = (payload.u32()?, payload.u32()?);
        // Both priorities, the previous idle state, and a spare byte.
        payload.skip(4)?;
        let wait_reason = payload.u8()?;
        // The wait mode.
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

    /// The routine with which a thread began; the next field is its name.
    fn start_of_thread(payload: &mut Payload<'_>) -> Option<u64> {
        // Base and limit of both stacks, and the CPUs.
        for _ in 0..5 {
            payload.pointer()?;
        }
        let start = payload.pointer()?;
        // The environment block, the service, three priorities and flags.
        payload.pointer()?;
        payload.skip(8)?;
        Some(start)
    }

    fn process(version: u8, payload: &mut Payload<'_>) -> Option<Self> {
        payload.pointer()?;
        let process = payload.u32()?;
        // The parent, the session and the exit status.
        payload.skip(12)?;
        if 3 <= version {
            // The page directory.
            payload.pointer()?;
        }
        if 4 <= version {
            // Flags.
            payload.skip(4)?;
        }
        payload.skip_account()?;
        Some(Self::Process { process, name: payload.narrow_text()? })
    }

    /// An image of the kernel; `None` for one of a program.
    fn image(is_loaded: bool, payload: &mut Payload<'_>) -> Option<Self> {
        let (base, size) = (payload.pointer()?, payload.pointer()?);
        if !is_kernel_process(payload.u32()?) {
            return None;
        }
        if !is_loaded {
            return Some(Self::Unloaded { base });
        }
        // Checksum, date, signature, preferred base, and four reserved words.
        payload.skip(12)?;
        payload.pointer()?;
        payload.skip(16)?;
        let path = payload.wide_text();
        let name = path.rsplit(['\\', '/']).next().unwrap_or_default().to_owned();
        Some(Self::Loaded { base, size, name })
    }
}

#[cfg(test)]
mod tests;
