//! Context switches of the calling thread with the reasons of its waits, counted by the kernel.

use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, HANDLE};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
use windows_sys::Win32::System::Performance::HardwareCounterProfiling::PERFORMANCE_DATA;
use windows_sys::Win32::System::Threading::GetCurrentThread;
use windows_sys::{core::w, s};

/// The flag that requests a count of context switches.
const DISPATCH: u32 = 1;
/// The version of [`PERFORMANCE_DATA`].
const VERSION: u8 = 1;

/// The type of a function that was looked up, before the pointer is converted to the type of its signature.
type FoundProfile = unsafe extern "system" fn() -> isize;
type Enable = unsafe extern "system" fn(HANDLE, u32, u64, *mut HANDLE) -> u32;
type Read = unsafe extern "system" fn(HANDLE, u32, *mut PERFORMANCE_DATA) -> u32;
type Disable = unsafe extern "system" fn(HANDLE) -> u32;

/// Functions of the system, which are looked up at run time: on a system without these functions, a
/// program that is linked to them does not start.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Functions {
    enable: Enable,
    read: Read,
    disable: Disable,
}

impl Functions {
    #[expect(unsafe_code, reason = "only the system knows where its functions are")]
    fn find() -> Option<Self> {
        // SAFETY: the name is a constant that ends with a zero; the library is never unloaded.
        let library = unsafe { GetModuleHandleW(w!("kernel32.dll")) };
        if library.is_null() {
            return None;
        }
        // SAFETY: the library is loaded and the name ends with a zero.
        let enable = unsafe { GetProcAddress(library, s!("EnableThreadProfiling")) }?;
        // SAFETY: the library is loaded and the name ends with a zero.
        let read = unsafe { GetProcAddress(library, s!("ReadThreadProfilingData")) }?;
        // SAFETY: the library is loaded and the name ends with a zero.
        let disable = unsafe { GetProcAddress(library, s!("DisableThreadProfiling")) }?;
        // SAFETY: these are the documented signatures of the three functions, in this order.
        Some(unsafe { std::mem::transmute::<[FoundProfile; 3], Self>([enable, read, disable]) })
    }
}

/// The number of context switches of a thread, and why that thread waited since the last reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Switches {
    /// The context switches since the count began.
    pub(super) count: u64,
    /// Reasons for waits, in the format of [`WaitReasons`](crate::sample::WaitReasons).
    pub(super) reasons: u64,
}

/// Counts the context switches of the thread that called `open`, until this value is dropped.
#[derive(Debug)]
pub(super) struct Profiling {
    functions: Functions,
    handle: HANDLE,
}

impl Profiling {
    /// Starts to count the switches of the calling thread; `None` if the system does not permit or support that.
    #[expect(unsafe_code, reason = "only the system counts switches")]
    pub(super) fn open() -> Option<Self> {
        static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
        let functions = (*FUNCTIONS.get_or_init(Functions::find))?;
        let mut handle: HANDLE = std::ptr::null_mut();
        // SAFETY: GetCurrentThread gives a pseudo-handle that is always valid.
        let thread = unsafe { GetCurrentThread() };
        // SAFETY: `thread` is the calling thread, and `handle` is a valid place.
        let status = unsafe { (functions.enable)(thread, DISPATCH, 0, &raw mut handle) };
        (status == ERROR_SUCCESS).then_some(Self { functions, handle })
    }

    /// Returns the switches since `open`; `None` if they cannot be read. Allocates nothing.
    #[inline]
    #[expect(unsafe_code, reason = "only the system counts switches")]
    pub(super) fn read(&self) -> Option<Switches> {
        let size = u16::try_from(size_of::<PERFORMANCE_DATA>()).ok()?;
        let mut data =
            PERFORMANCE_DATA { Size: size, Version: VERSION, ..PERFORMANCE_DATA::default() };
        // SAFETY: the handle is open until `self` is dropped, and `data` is a valid place with its size.
        let status = unsafe { (self.functions.read)(self.handle, DISPATCH, &raw mut data) };
        (status == ERROR_SUCCESS).then(|| Switches {
            count: u64::from(data.ContextSwitchCount),
            reasons: data.WaitReasonBitMap,
        })
    }
}

impl Drop for Profiling {
    #[expect(unsafe_code, reason = "the system counts until profiling is disabled")]
    fn drop(&mut self) {
        // SAFETY: the handle is open and not used afterward.
        if unsafe { (self.functions.disable)(self.handle) } != ERROR_SUCCESS {
            log::debug!("the count of context switches was not ended");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_sleeps_is_switched_for_a_reason() {
        let Some(profiling) = Profiling::open() else {
            println!("skipped: this system does not count the switches of a thread");
            return;
        };
        let before = profiling.read().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5));
        let after = profiling.read().unwrap();
        assert!(before.count < after.count, "{before:?} {after:?}");
        assert_ne!(after.reasons, 0);
    }
}
