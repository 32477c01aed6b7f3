//! Facts about power and other settings that affect timing: power plan, virtualization, graphics
//! scheduling, Game Mode.

use windows_sys::Win32::Foundation::{ERROR_SUCCESS, LocalFree};
use windows_sys::Win32::System::Power::{
    GetSystemPowerStatus, PowerGetActiveScheme, PowerReadFriendlyName, SYSTEM_POWER_STATUS,
};
use windows_sys::Win32::System::Registry::{
    HKEY, HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE, RRF_RT_REG_DWORD, RegGetValueW,
};
use windows_sys::core::GUID;

use super::super::{Power, PowerSource};
use super::clock;

/// Identifiers and English names of the standard power plans. The system itself reports translated names.
const PLANS: [(u128, &str); 4] = [
    (0x381b_4222_f694_41f0_9685_ff5b_b260_df2e, "Balanced"),
    (0x8c5e_7fda_e8bf_4a96_9a85_a6e2_3a8c_635c, "High performance"),
    (0xa184_1308_3541_4fab_bc81_f715_56f2_0b4a, "Power saver"),
    (0xe9a4_2b02_d5df_448d_aa00_03f1_4749_eb61, "Ultimate performance"),
];

/// Settings of the system that affect timing: name of the fact, location in the registry, and
/// meaning of the values.
const SWITCHES: [Switch; 3] = [
    Switch {
        fact: "gpu_hardware_scheduling",
        root: HKEY_LOCAL_MACHINE,
        key: r"SYSTEM\CurrentControlSet\Control\GraphicsDrivers",
        value: "HwSchMode",
        words: &[(1, "off"), (2, "on")],
    },
    Switch {
        fact: "game_mode",
        root: HKEY_CURRENT_USER,
        key: r"Software\Microsoft\GameBar",
        value: "AutoGameModeEnabled",
        words: &[(0, "off"), (1, "on")],
    },
    Switch {
        fact: "virtualization_based_security",
        root: HKEY_LOCAL_MACHINE,
        key: r"SYSTEM\CurrentControlSet\Control\DeviceGuard",
        value: "EnableVirtualizationBasedSecurity",
        words: &[(0, "off"), (1, "configured")],
    },
];

/// A setting in the registry: the name of the fact, root, key, and value in the registry, and words for the numbers.
struct Switch {
    fact: &'static str,
    root: HKEY,
    key: &'static str,
    value: &'static str,
    words: &'static [(u32, &'static str)],
}

/// Returns facts that affect scheduling: the timer resolution, the settings in `SWITCHES`, and whether this
/// system is the root of Hyper-V. A setting that was never changed is absent: its default depends on
/// version and hardware.
pub fn scheduler_facts() -> Vec<(String, String)> {
    let resolution = clock::timer_resolution()
        .map(|resolution| ("timer_resolution_ns".to_owned(), resolution.get().to_string()));
    let switches = SWITCHES.iter().filter_map(|switch| {
        let number = registry_number(switch.root, switch.key, switch.value)?;
        let (_, word) = switch.words.iter().find(|(value, _)| *value == number)?;
        Some((switch.fact.to_owned(), (*word).to_owned()))
    });
    let root = super::super::virtualization::is_hyper_v_root()
        .then(|| ("hypervisor".to_owned(), "Hyper-V, this system is its root".to_owned()));
    resolution.into_iter().chain(switches).chain(root).collect()
}

/// Reads the power source and the power plan.
#[expect(unsafe_code, reason = "only the system reports it")]
pub fn power() -> Power {
    let mut status = SYSTEM_POWER_STATUS::default();
    // SAFETY: `status` is a valid place for one SYSTEM_POWER_STATUS.
    let is_reported = unsafe { GetSystemPowerStatus(&raw mut status) } != 0;
    let percent = Some(status.BatteryLifePercent).filter(|&percent| percent <= 100);
    let source = match status.ACLineStatus {
        1 => Some(PowerSource::Mains),
        0 => Some(PowerSource::Battery { percent }),
        _ => None,
    };
    Power { source: source.filter(|_| is_reported), governor_or_plan: plan() }
}

/// Returns the name of the power plan in use; `None` if the system does not report it.
#[expect(unsafe_code, reason = "only the system reports it")]
fn plan() -> Option<String> {
    let mut place: *mut GUID = std::ptr::null_mut();
    // SAFETY: the root key must be null, and `place` is a valid place for a pointer.
    let status = unsafe { PowerGetActiveScheme(std::ptr::null_mut(), &raw mut place) };
    if status != ERROR_SUCCESS || place.is_null() {
        return None;
    }
    // SAFETY: on success, `place` points to one GUID, which the caller owns and must free.
    let scheme = unsafe { *place };
    // SAFETY: the call above allocated the GUID, which is freed once, with the function that its
    // documentation requires.
    unsafe { LocalFree(place.cast()) };
    let number = number_of(&scheme);
    let known = PLANS.iter().find(|(plan, _)| *plan == number);
    known.map(|(_, name)| (*name).to_owned()).or_else(|| friendly_name(&scheme))
}

/// Converts a GUID to the number that its standard notation shows.
pub(super) fn number_of(guid: &GUID) -> u128 {
    u128::from(guid.data1) << 96
        | u128::from(guid.data2) << 80
        | u128::from(guid.data3) << 64
        | u128::from(u64::from_be_bytes(guid.data4))
}

/// Returns the name that the system shows for a power plan.
#[expect(unsafe_code, reason = "only the system reports it")]
fn friendly_name(scheme: &GUID) -> Option<String> {
    let mut name = [0_u16; 128];
    let mut bytes = u32::try_from(size_of_val(&name)).ok()?;
    let place = name.as_mut_ptr().cast();
    let none = std::ptr::null();
    // SAFETY: the root key must be null, the plan's own name has no subgroup and no setting, and `place`
    // has room for `bytes` bytes.
    let status = unsafe {
        PowerReadFriendlyName(std::ptr::null_mut(), scheme, none, none, place, &raw mut bytes)
    };
    let text = name.split(|&unit| unit == 0).next()?;
    let text = String::from_utf16_lossy(text);
    (status == ERROR_SUCCESS && !text.is_empty()).then_some(text)
}

/// Reads a number from the registry; `None` if it is not set or is not a 32-bit number.
#[expect(unsafe_code, reason = "only the system reports it")]
fn registry_number(root: HKEY, key: &str, value: &str) -> Option<u32> {
    let wide = |text: &str| text.encode_utf16().chain([0]).collect::<Vec<u16>>();
    let (key, value) = (wide(key), wide(value));
    let mut number = 0_u32;
    let mut bytes = u32::try_from(size_of_val(&number)).ok()?;
    let place = (&raw mut number).cast();
    let kind = std::ptr::null_mut();
    // SAFETY: both texts end in a zero, the kind may be null, and `place` has room for `bytes` bytes, of
    // which a number has four.
    let status = unsafe {
        RegGetValueW(
            root,
            key.as_ptr(),
            value.as_ptr(),
            RRF_RT_REG_DWORD,
            kind,
            place,
            &raw mut bytes,
        )
    };
    (status == ERROR_SUCCESS).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_found_by_its_number() {
        let guid = GUID::from_u128(PLANS[1].0);
        assert_eq!(number_of(&guid), PLANS[1].0);
    }

    #[test]
    fn what_is_not_in_the_registry_is_absent() {
        assert_eq!(registry_number(HKEY_CURRENT_USER, r"Software\No such key", "None"), None);
        let switches = scheduler_facts();
        assert!(switches.iter().all(|(name, value)| !name.is_empty() && !value.is_empty()));
    }
}
