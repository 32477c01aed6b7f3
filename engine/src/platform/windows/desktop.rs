//! Accessibility preferences of the desktop: more contrast, reduced motion.

use windows_sys::Win32::UI::Accessibility::{HCF_HIGHCONTRASTON, HIGHCONTRASTW};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    SPI_GETCLIENTAREAANIMATION, SPI_GETHIGHCONTRAST, SystemParametersInfoW,
};

use super::super::DesktopPreferences;

/// Reads the preferences.
pub fn desktop_preferences() -> DesktopPreferences {
    DesktopPreferences {
        high_contrast: high_contrast(),
        reduced_motion: has_animation().map(|has_animation| !has_animation),
    }
}

#[expect(unsafe_code, reason = "only the system reports it")]
fn high_contrast() -> Option<bool> {
    let size = u32::try_from(size_of::<HIGHCONTRASTW>()).ok()?;
    let mut found =
        HIGHCONTRASTW { cbSize: size, dwFlags: 0, lpszDefaultScheme: std::ptr::null_mut() };
    // SAFETY: the call fills a record of the size that the record states.
    let status =
        unsafe { SystemParametersInfoW(SPI_GETHIGHCONTRAST, size, (&raw mut found).cast(), 0) };
    (status != 0).then_some(found.dwFlags & HCF_HIGHCONTRASTON != 0)
}

#[expect(unsafe_code, reason = "only the system reports it")]
fn has_animation() -> Option<bool> {
    let mut found = 0_i32;
    // SAFETY: the call writes one BOOL, which has four bytes.
    let status =
        unsafe { SystemParametersInfoW(SPI_GETCLIENTAREAANIMATION, 0, (&raw mut found).cast(), 0) };
    (status != 0).then_some(found != 0)
}
