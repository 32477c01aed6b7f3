//! The account of the user who runs this process.

use windows_sys::Win32::System::WindowsProgramming::GetUserNameW;

use super::super::Account;

/// Max length of the name of an account, in UTF-16 units, with the zero at its end.
const MAX_LENGTH: usize = 257;

/// Reads the account of the user who runs this process: its name and its home folder.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn accounts() -> Vec<Account> {
    let mut name = [0_u16; MAX_LENGTH];
    let mut length = u32::try_from(MAX_LENGTH).unwrap_or(0);
    // SAFETY: the call writes at most as many characters as the length states.
    let status = unsafe { GetUserNameW(name.as_mut_ptr(), &raw mut length) };
    let end = usize::try_from(length).unwrap_or(0).saturating_sub(1);
    let name = name.get(..end).filter(|_| status != 0).map(String::from_utf16_lossy);
    let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
    let names = name.into_iter().collect();
    vec![Account { names, home: home.unwrap_or_default() }]
}
