//! Linux: scheduling, sleeping, counting and topology.

mod activity;
mod apply;
mod capabilities;
mod cgroup;
mod clock;
mod completion_sound;
mod counters;
mod deadline;
mod desktop;
mod detail;
mod elevation;
mod followed;
mod guard;
mod processes;
mod refusal;
mod sensors;
#[cfg(feature = "shortcuts")]
mod shortcut;
mod starter;
mod thread;
mod tied;
mod topology;
mod trace;
mod window;

use std::fs;

use super::tool::{Launcher, SystemTool};
use super::{CPUFREQ_DRIVER, Power, PowerSource};

pub use super::unix_accounts::accounts;
pub use super::unix_clock::{Sleeper, thread_cpu_nanos};
pub use super::unix_control::{CommandPipe, runtime_folder, send_command};
pub use activity::cpu_activity;
pub use apply::{Held, apply, is_realtime};
pub use capabilities::file_capabilities;
pub use cgroup::{cpu_quota_percent, cpu_set, throttled_times};
use clock::timers_are_exact;
pub use clock::{clock_name, clock_nanos, raw_clock_nanos, suspended_nanos};
pub use completion_sound::{COMPLETION_SOUND_NOTE, play_completion_sound};
pub use counters::{CounterReader, cpu_times, machine_cpu_time, process_cpu_nanos};
pub use desktop::desktop_preferences;
pub use detail::{cpu_millicelsius, system_detail};
pub use elevation::{
    ELEVATION, elevatable_program, is_root, record_with_callers_rights, take_callers_rights,
};
pub use followed::{find_process, find_threads, thread_facts, thread_waits};
pub use guard::RealtimeGuard;
pub use processes::{ProcessClocks, program_name};
pub use sensors::{cpu_khz, interrupt_count};
#[cfg(feature = "shortcuts")]
pub use shortcut::wait_for_shortcut;
pub use starter::starter;
pub use thread::{
    avoid_cpus, current_cpu, lower_own_priority, lower_ui_priority, own_policy, pin_self,
    raise_supervisor, set_load_priority, thread_id,
};
pub(crate) use thread::{demote, runaway_cpu_nanos, still_usable};
pub(crate) use tied::start_tied;
pub use topology::{cpus, last_cache_bytes};
pub use trace::{SmiCounter, SystemTracer, Tracer, thread_owner, trace_state};
pub use window::prepare_window;

/// Whether threads can be pinned to CPUs on this system.
pub fn can_pin() -> bool {
    true
}

/// Reads a file of `/proc` or `/sys`, without leading and trailing white space; `None` if it cannot be read.
fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// Returns the hypervisor of this virtual machine, from its firmware strings or the kernel's name.
pub(crate) fn virtual_machine() -> Option<String> {
    let release = read("/proc/sys/kernel/osrelease").unwrap_or_default().to_lowercase();
    if release.contains("microsoft") {
        return Some("Hyper-V (WSL)".to_owned());
    }
    let vendor = read("/sys/class/dmi/id/sys_vendor").unwrap_or_default();
    let product = read("/sys/class/dmi/id/product_name").unwrap_or_default();
    let words = format!("{vendor} {product}").to_lowercase();
    [
        ("qemu", "QEMU"),
        ("kvm", "KVM"),
        ("vmware", "VMware"),
        ("virtualbox", "VirtualBox"),
        ("xen", "Xen"),
    ]
    .into_iter()
    .find(|(mark, _)| words.contains(mark))
    .map(|(_, name)| name.to_owned())
}

/// Returns power source and frequency governor.
pub fn power() -> Power {
    let governor_or_plan = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    Power { source: power_source(), governor_or_plan }
}

fn power_source() -> Option<PowerSource> {
    let mut battery = None;
    let mut on_mains = None;
    for supply in fs::read_dir("/sys/class/power_supply").ok()?.filter_map(Result::ok) {
        let path = supply.path();
        let file = |name: &str| path.join(name).to_str().and_then(read);
        match file("type").as_deref() {
            Some("Mains") => {
                let online = file("online").as_deref() == Some("1");
                on_mains = Some(on_mains.unwrap_or(false) || online);
            }
            // A mouse's battery is not a power source of the machine.
            Some("Battery") if file("scope").as_deref() != Some("Device") => {
                let percent = file("capacity").and_then(|text| text.parse().ok());
                let is_drained = file("status").as_deref() == Some("Discharging");
                // If a battery is being drained, its charge is shown; otherwise that of the last
                // battery.
                if is_drained || !battery.is_some_and(|(_, is_drained)| is_drained) {
                    battery = Some((percent, is_drained));
                }
            }
            _ => {}
        }
    }
    match (battery, on_mains) {
        (Some((percent, true)), _) | (Some((percent, _)), Some(false)) => {
            Some(PowerSource::Battery { percent })
        }
        (Some(_), _) | (None, Some(true)) => Some(PowerSource::Mains),
        (None, _) => None,
    }
}

/// Returns system settings that affect scheduling, as name and value.
pub fn scheduler_facts() -> Vec<(String, String)> {
    let mut facts = Vec::new();
    for (name, path) in [
        ("sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"),
        ("sched_rt_period_us", "/proc/sys/kernel/sched_rt_period_us"),
        ("sched_autogroup_enabled", "/proc/sys/kernel/sched_autogroup_enabled"),
        ("preempt_rt", "/sys/kernel/realtime"),
        ("isolated_cpus", "/sys/devices/system/cpu/isolated"),
        ("nohz_full_cpus", "/sys/devices/system/cpu/nohz_full"),
        ("cpuidle_driver", "/sys/devices/system/cpu/cpuidle/current_driver"),
        (CPUFREQ_DRIVER, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
        ("microcode", "/sys/devices/system/cpu/cpu0/microcode/version"),
    ] {
        if let Some(value) = read(path).filter(|value| !value.is_empty() && value != "(null)") {
            facts.push((name.to_owned(), value));
        }
    }
    for (name, limit) in [
        ("RLIMIT_RTPRIO", libc::RLIMIT_RTPRIO),
        ("RLIMIT_NICE", libc::RLIMIT_NICE),
        ("RLIMIT_RTTIME", libc::RLIMIT_RTTIME),
    ] {
        if let Some((soft, hard)) = guard::limit(limit) {
            let word = |value: u64| match value {
                u64::MAX => "unlimited".to_owned(),
                value => value.to_string(),
            };
            facts.push((name.to_owned(), format!("{} (hard limit {})", word(soft), word(hard))));
        }
    }
    if let Some(options) = read("/proc/cmdline") {
        facts.push((super::KERNEL_OPTIONS.to_owned(), super::parse::kernel_options(&options)));
    }
    if let Ok(server) = std::env::var("XDG_SESSION_TYPE") {
        facts.push(("display_server".to_owned(), server));
    }
    if let Some(slack) = clock::timer_slack() {
        facts.push(("timer_slack_ns".to_owned(), slack.get().to_string()));
    }
    facts
}

/// Terminal programs that can start another program, in the order in which they are tried.
pub(super) const TERMINALS: &[Launcher] = &[
    ("x-terminal-emulator", &["-e"]),
    ("gnome-terminal", &["--"]),
    ("ptyxis", &["--"]),
    ("kgx", &["-e"]),
    ("konsole", &["-e"]),
    ("xfce4-terminal", &["-x"]),
    ("foot", &[]),
    ("kitty", &[]),
    ("alacritty", &["-e"]),
    ("xterm", &["-e"]),
];

/// Returns the programs of several desktops that show this window, in the order in which they are tried.
pub(super) const fn tools(tool: SystemTool) -> &'static [Launcher] {
    match tool {
        SystemTool::Power => &[
            ("gnome-control-center", &["power"]),
            ("systemsettings", &["kcm_powerdevilprofilesconfig"]),
            ("xfce4-power-manager-settings", &[]),
            ("mate-power-preferences", &[]),
        ],
        SystemTool::Programs => &[
            ("gnome-system-monitor", &["-p"]),
            ("plasma-systemmonitor", &[]),
            ("xfce4-taskmanager", &[]),
            ("mate-system-monitor", &[]),
            ("lxtask", &[]),
        ],
    }
}
