//! Reads the capabilities of a program file.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::super::capabilities::FileCapabilities;

/// The file of this program.
pub(super) const OWN_FILE: &str = "/proc/self/exe";

/// Returns the capabilities of a program file; none if they cannot be read.
#[expect(unsafe_code, reason = "the standard library reads no extended attributes")]
pub fn file_capabilities(program: &Path) -> FileCapabilities {
    let mut attribute = [0_u8; 64];
    let Ok(program) = CString::new(program.as_os_str().as_bytes()) else {
        return FileCapabilities::default();
    };
    let name = c"security.capability".as_ptr();
    let (place, size) = (attribute.as_mut_ptr().cast(), attribute.len());
    // SAFETY: both names end with 0, and `place` is valid for `size` bytes.
    let length = unsafe { libc::getxattr(program.as_ptr(), name, place, size) };
    let length = usize::try_from(length).unwrap_or(0);
    FileCapabilities::of_attribute(attribute.get(..length).unwrap_or_default())
}
