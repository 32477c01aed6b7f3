//! Checks who may change a file or use a pipe, by the owner and the access list of the file or pipe.

use std::ffi::c_void;
use std::fs::OpenOptions;
use std::io;
use std::mem::offset_of;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::ptr::null_mut;

use windows_sys::Win32::Foundation::{GENERIC_ALL, GENERIC_WRITE, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetSecurityInfo,
    SDDL_REVISION_1, SE_FILE_OBJECT, SE_OBJECT_TYPE,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, GetAce,
    GetSecurityDescriptorDacl, GetSecurityDescriptorOwner, INHERIT_ONLY_ACE,
    OWNER_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ADD_FILE, FILE_ADD_SUBDIRECTORY, FILE_DELETE_CHILD, FILE_FLAG_BACKUP_SEMANTICS,
    READ_CONTROL, WRITE_DAC, WRITE_OWNER,
};
use windows_sys::Win32::System::SystemServices::{ACCESS_ALLOWED_ACE_TYPE, ACCESS_DENIED_ACE_TYPE};

/// Rights with which a file or folder can be replaced by something else.
pub(super) const REPLACE: u32 = FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER | GENERIC_ALL;
/// Rights with which a file, or the content of a folder, can be changed.
pub(super) const CHANGE: u32 = REPLACE | FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY | GENERIC_WRITE;

/// Identifiers (SIDs) of accounts that can change everything: the administrators, the system, and
/// the installer of Windows.
const ADMINISTRATORS: [&str; 3] =
    ["S-1-5-32-544", "S-1-5-18", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"];

/// Whether an administrator owns a file or folder, and only administrators have any of these rights to it.
pub(super) fn is_administrators_alone(path: &Path, rights: u32) -> bool {
    let mut options = OpenOptions::new();
    let opened =
        options.access_mode(READ_CONTROL).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path);
    let security = opened.and_then(|file| Security::of(&file, SE_FILE_OBJECT));
    security.is_ok_and(|security| security.is_administrators_alone(rights))
}

/// A security descriptor: an owner and an access list.
#[derive(Debug)]
pub(super) struct Security(PSECURITY_DESCRIPTOR);

impl Security {
    /// Reads the security descriptor of a handle.
    #[expect(unsafe_code, reason = "only the system reports it")]
    pub(super) fn of(handle: &impl AsRawHandle, kind: SE_OBJECT_TYPE) -> io::Result<Self> {
        let mut place = null_mut();
        let what = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
        let none = null_mut();
        // SAFETY: the handle is open for the length of the call, places that are not requested may
        // be null, and `place` is a valid place for a pointer.
        let code = unsafe {
            GetSecurityInfo(
                handle.as_raw_handle(),
                kind,
                what,
                none,
                none,
                null_mut(),
                null_mut(),
                &raw mut place,
            )
        };
        if code != 0 || place.is_null() {
            return Err(io::Error::from_raw_os_error(code.cast_signed()));
        }
        Ok(Self(place))
    }

    /// Parses a security descriptor in the notation of the system (SDDL).
    #[expect(unsafe_code, reason = "only the system reads it")]
    pub(super) fn parsed(text: &str) -> io::Result<Self> {
        let text: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let mut place = null_mut();
        // SAFETY: the text ends in a zero, `place` is a valid place for a pointer, and the length may be null.
        let is_read = unsafe {
            ConvertStringSecurityDescriptorToSecurityDescriptorW(
                text.as_ptr(),
                SDDL_REVISION_1,
                &raw mut place,
                null_mut(),
            )
        };
        if is_read == 0 { Err(io::Error::last_os_error()) } else { Ok(Self(place)) }
    }

    /// Returns a pointer to the security descriptor, which is valid as long as `self`.
    pub(super) const fn as_ptr(&self) -> *mut c_void {
        self.0
    }

    /// Whether an administrator is the owner in this descriptor, and only administrators have any of these rights.
    pub(super) fn is_administrators_alone(&self, rights: u32) -> bool {
        self.owner().is_some_and(is_administrator) && self.permits_administrators_alone(rights)
    }

    /// Whether the access list grants any of these rights only to administrators. An entry that
    /// cannot be read counts as a grant to others.
    pub(super) fn permits_administrators_alone(&self, rights: u32) -> bool {
        let is_allowed = |entry: &AccessEntry| match entry {
            AccessEntry::Allows { mask, who } => mask & rights == 0 || is_administrator(*who),
            AccessEntry::Denies => true,
            AccessEntry::Unknown => false,
        };
        self.entries().is_some_and(|entries| entries.iter().all(is_allowed))
    }

    #[expect(unsafe_code, reason = "only the system reports it")]
    fn owner(&self) -> Option<PSID> {
        let (mut owner, mut is_default) = (null_mut(), 0);
        // SAFETY: the descriptor is valid as long as `self`, and both places are valid.
        let is_read =
            unsafe { GetSecurityDescriptorOwner(self.0, &raw mut owner, &raw mut is_default) };
        (is_read != 0 && !owner.is_null()).then_some(owner)
    }

    /// Returns the entries of the access list that apply to the object itself. `None` if the list cannot be
    /// read, or if there is no list, which permits everything to everyone.
    #[expect(unsafe_code, reason = "only the system reports it")]
    fn entries(&self) -> Option<Vec<AccessEntry>> {
        let (mut list, mut is_present, mut is_default): (*mut ACL, _, _) = (null_mut(), 0, 0);
        // SAFETY: the descriptor is valid as long as `self`, and the three places are valid.
        let is_read = unsafe {
            GetSecurityDescriptorDacl(
                self.0,
                &raw mut is_present,
                &raw mut list,
                &raw mut is_default,
            )
        };
        if is_read == 0 || is_present == 0 || list.is_null() {
            return None;
        }
        // SAFETY: the list is a part of the descriptor, and begins with its header.
        let count = unsafe { (*list).AceCount };
        let mut entries = Vec::new();
        for index in 0..u32::from(count) {
            let mut place = null_mut();
            // SAFETY: the list is valid, and `place` is a valid place for a pointer.
            if unsafe { GetAce(list, index, &raw mut place) } == 0 {
                return None;
            }
            // SAFETY: each entry of a list begins with its header, and is aligned for it.
            let header = unsafe { *place.cast::<ACE_HEADER>() };
            if u32::from(header.AceFlags) & INHERIT_ONLY_ACE != 0 {
                continue;
            }
            entries.push(match u32::from(header.AceType) {
                ACCESS_ALLOWED_ACE_TYPE => {
                    let entry = place.cast::<ACCESS_ALLOWED_ACE>();
                    // SAFETY: an entry of this type has this shape.
                    let mask = unsafe { (*entry).Mask };
                    // The identifier (SID) of the account begins at the last field of the entry.
                    let who = place.wrapping_byte_add(offset_of!(ACCESS_ALLOWED_ACE, SidStart));
                    AccessEntry::Allows { mask, who }
                }
                ACCESS_DENIED_ACE_TYPE => AccessEntry::Denies,
                _ => AccessEntry::Unknown,
            });
        }
        Some(entries)
    }
}

impl Drop for Security {
    #[expect(unsafe_code, reason = "the system allocated it")]
    fn drop(&mut self) {
        // SAFETY: the system allocated the descriptor for `self`, and it is freed once.
        unsafe { LocalFree(self.0) };
    }
}

/// An entry of an access list.
enum AccessEntry {
    /// The account `who` has the rights `mask`.
    Allows { mask: u32, who: PSID },
    /// An account is denied some rights.
    Denies,
    /// An entry with conditions, or of another type.
    Unknown,
}

#[expect(unsafe_code, reason = "only the system knows its notation")]
fn is_administrator(who: PSID) -> bool {
    let mut place = null_mut();
    // SAFETY: `who` is a part of a descriptor that still exists, and `place` is a valid place for a pointer.
    if unsafe { ConvertSidToStringSidW(who, &raw mut place) } == 0 {
        return false;
    }
    // SAFETY: the text ends in a zero, and all units before it are initialized.
    let is_one = ADMINISTRATORS.iter().any(|name| unsafe { is_text(place, name) });
    // SAFETY: the call above allocated the text, and it is freed once.
    unsafe { LocalFree(place.cast()) };
    is_one
}

/// Whether a text equals the expected one.
///
/// # Safety
///
/// The text must end in a zero.
#[expect(unsafe_code, reason = "a pointer has no length")]
unsafe fn is_text(text: *const u16, expected: &str) -> bool {
    expected.encode_utf16().chain([0]).enumerate().all(|(at, unit)| {
        let place = text.wrapping_add(at);
        // SAFETY: the iteration ends at the first unit that differs, at the latest at the zero.
        unsafe { *place == unit }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, rights: u32, expected: bool) {
        let security = Security::parsed(text).unwrap();
        assert_eq!(security.is_administrators_alone(rights), expected, "{text}");
    }

    #[test]
    fn ordinary_users_cannot_change_what_is_in_program_files() {
        const INSTALLER: &str = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";
        let program_files = format!(
            "O:{INSTALLER}D:PAI(A;;FA;;;{INSTALLER})(A;CIIO;GA;;;{INSTALLER})(A;;0x1301bf;;;SY)(A;OICIIO;GA;;;SY)\
             (A;;0x1301bf;;;BA)(A;OICIIO;GA;;;BA)(A;;0x1200a9;;;BU)(A;OICIIO;GXGR;;;BU)(A;OICIIO;GA;;;CO)"
        );
        check(&program_files, CHANGE, true);
        check("O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)", CHANGE, true);
        // In the root folder of a disk, everybody may create folders, and nobody may replace those of others.
        let disk = format!(
            "O:{INSTALLER}D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;OICIIO;SDGXGWGR;;;AU)(A;;LC;;;AU)"
        );
        check(&disk, CHANGE, false);
        check(&disk, REPLACE, true);
    }

    #[test]
    fn what_others_own_or_can_change_is_not_administrators_alone() {
        for text in [
            // A folder that an ordinary user owns, and one that an ordinary user may change.
            "O:S-1-5-21-1-2-3-1001D:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)",
            "O:BAD:(A;OICI;FA;;;BA)(A;OICI;FA;;;S-1-5-21-1-2-3-1001)",
            // A folder that was created in the root folder of a disk.
            "O:BAD:AI(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)",
            "O:BAD:(A;;GW;;;WD)",
            "O:BAD:(A;;WD;;;BU)",
            "O:BAD:(A;;WO;;;BU)",
            // A descriptor without an access list, and one without an owner.
            "O:BA",
            "D:(A;;FA;;;BA)",
        ] {
            check(text, CHANGE, false);
        }
        check("O:BAD:(D;;FA;;;BU)(A;;FA;;;BA)", CHANGE, true);
    }

    #[test]
    fn a_folder_of_this_user_is_not_administrators_alone() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_administrators_alone(folder.path(), CHANGE));
        assert!(!is_administrators_alone(&folder.path().join("none"), CHANGE));
    }
}
