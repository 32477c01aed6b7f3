//! Describes the machine on which a run was measured. Never contains the host name or a user name.

mod busy_programs;
mod clock;
mod detail;
mod finding;
mod mangohud;
mod recording_needs;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::platform::{self, CoreKind, Cpu, Power};

pub use busy_programs::{BusyProgram, BusyPrograms};
pub use clock::{ClockFacts, date};
pub use detail::{Detail, Memory};
pub use finding::{Finding, Step, Weight, findings, permission_steps, trace_steps};
pub use mangohud::LogConfiguration;
pub use recording_needs::{
    RecordingNeeds, RecordingTier, TierState, describe_tiers, names_culprits,
};

/// The machine on which a run was measured. A value that the system does not report is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Self")]
pub struct Machine {
    /// The processor's name.
    #[serde(skip_serializing)]
    pub cpu_model: Option<String>,
    /// The processor's name as the system reports it, with trademark signs and filler words; absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_brand: Option<String>,
    /// The architecture of the processor, such as `x86_64`.
    #[serde(skip_serializing)]
    pub arch: String,
    /// Number of physical cores.
    #[serde(skip_serializing)]
    pub physical_cores: Option<u32>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// The operating system: "Debian 12".
    pub os: Option<String>,
    /// The version of the kernel: "6.18.44".
    pub kernel: Option<String>,
    /// The graphics card; known only from a file that another program wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The driver of the graphics card; known only from a file that another program wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_driver: Option<String>,
    /// The hypervisor of this virtual machine; absent on bare metal.
    #[serde(alias = "virtualisation")]
    pub virtualization: Option<String>,
    /// Power source, and power settings.
    #[serde(flatten)]
    pub power: Power,
    /// System settings that affect scheduling, as name and value.
    #[serde(default)]
    pub scheduler: Vec<(String, String)>,
    /// The logical CPUs of the machine.
    #[serde(default)]
    pub cpus: Vec<Cpu>,
}

/// A [`Machine`] as saved in files, with the number of its CPUs by kind.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct MachineInFile<'a> {
    cpu_model: &'a Option<String>,
    arch: &'a str,
    physical_cores: Option<u32>,
    logical_cpus: usize,
    performance_cpus: usize,
    efficiency_cpus: usize,
    #[serde(flatten, with = "Machine")]
    machine: &'a Machine,
}

impl Serialize for Machine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let file = MachineInFile {
            cpu_model: &self.cpu_model,
            arch: &self.arch,
            physical_cores: self.physical_cores,
            logical_cpus: self.cpus.len(),
            performance_cpus: self.count_of(CoreKind::Performance),
            efficiency_cpus: self.count_of(CoreKind::Efficiency),
            machine: self,
        };
        Serialize::serialize(&file, serializer)
    }
}

impl<'de> Deserialize<'de> for Machine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// Shown in place of a fact about a machine that a file or a system does not state.
pub const NOT_REPORTED: &str = "not reported";

impl Machine {
    /// Reads the properties of this machine; takes a few milliseconds.
    pub fn read() -> Self {
        let (cpu_brand, memory_bytes) = brand_and_memory();
        let cpu_model = cpu_brand.as_deref().map(platform::parse::cpu_model);
        Self {
            cpu_model: cpu_model.filter(|model| !model.is_empty()),
            cpu_brand,
            cpus: platform::cpus(),
            physical_cores: platform::physical_core_count(),
            memory_bytes,
            os: os_name(),
            kernel: sysinfo::System::kernel_version().ok(),
            arch: std::env::consts::ARCH.to_owned(),
            gpu: None,
            gpu_driver: None,
            virtualization: platform::virtualization(),
            power: platform::power(),
            scheduler: platform::scheduler_facts(),
        }
    }

    /// Returns the number of logical CPUs of a kind.
    pub fn count_of(&self, kind: CoreKind) -> usize {
        self.cpus.iter().filter(|cpu| cpu.kind == kind).count()
    }

    /// Whether frames start at a low frequency under the frequency governor (Linux) or power plan
    /// (Windows) of this name: true for every name without "performance", except for `powersave`
    /// with a driver that leaves the frequency to the processor. There, `powersave` is the normal
    /// default. An unknown driver counts as such a driver.
    pub fn is_slow_plan(&self, name: &str) -> bool {
        const SELECT_THEMSELVES: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];
        let name = name.to_lowercase();
        let mut facts = self.scheduler.iter();
        let driver = facts.find(|(fact, _)| fact == platform::CPUFREQ_DRIVER);
        let is_default =
            driver.is_none_or(|(_, driver)| SELECT_THEMSELVES.contains(&driver.as_str()));
        let is_normal = name == "powersave" && is_default;
        !name.contains("performance") && !is_normal
    }

    /// Returns processor and system in short: "AMD Ryzen 9 5950X · Linux 6.8".
    pub fn short(&self) -> String {
        let system = self.known_system();
        if self.cpu_model.is_none() && system.is_none() {
            return NOT_REPORTED.to_owned();
        }
        let model = self.cpu_model.as_deref().unwrap_or("processor not reported");
        format!("{model} · {}", system.as_deref().unwrap_or("system not reported"))
    }

    /// Returns [`Machine::short`], after the name of the host if the machine is another PC: "lab1 · AMD EPYC · Linux 6.8".
    /// Two PCs of the same model differ by it.
    pub fn short_on(&self, host: Option<&str>) -> String {
        host.map_or_else(|| self.short(), |host| format!("{host} · {}", self.short()))
    }

    /// Returns the system in one or two words: "Linux 6.8", "Windows 11".
    pub fn system(&self) -> String {
        self.known_system().unwrap_or_else(|| NOT_REPORTED.to_owned())
    }

    /// Returns the system like [`Machine::system`]; `None` if it is not known.
    pub fn known_system(&self) -> Option<String> {
        let kernel = self.kernel.as_deref().unwrap_or_default();
        let numbers: Vec<&str> = kernel.split(['.', '-']).take(2).collect();
        // Captures have the name as Windows itself reports it: "Microsoft Windows 10 Home Build 19045".
        let os = self.os.as_deref();
        let version = os.and_then(|os| os.strip_prefix("Microsoft Windows "));
        if let Some(version) = version.and_then(|version| version.split(' ').next()) {
            return Some(format!("Windows {version}"));
        }
        match os {
            Some(os) if os.starts_with("Windows") || os.starts_with("macOS") => Some(os.to_owned()),
            _ if kernel.is_empty() => os.map(str::to_owned),
            _ => Some(format!("Linux {}", numbers.join("."))),
        }
    }
}

/// Returns the name of the processor as the system reports it, and the memory in bytes.
fn brand_and_memory() -> (Option<String>, Option<u64>) {
    let Ok(mut system) = sysinfo::System::new() else { return (None, None) };
    system.refresh_memory();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let brand = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    let memory = system.total_memory();
    (brand.filter(|brand| !brand.is_empty()), (0 < memory).then_some(memory))
}

/// Returns the host name. It is never saved, only used to remove it from exports.
pub fn host_name() -> Option<String> {
    sysinfo::System::host_name().ok()
}

/// Returns name and version of the system: "Debian 12", "Windows 11", "macOS 15.1".
fn os_name() -> Option<String> {
    let name = sysinfo::System::name().ok()?;
    let name = name.trim_end_matches(" GNU/Linux").replace("Darwin", "macOS");
    match sysinfo::System::os_version().ok() {
        // The version of Windows ends with the build number in parentheses.
        Some(version) if name == "Windows" => {
            Some(format!("Windows {}", version.split(' ').next().unwrap_or_default()))
        }
        Some(version) if !version.is_empty() => Some(format!("{name} {version}")),
        _ => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_reported_in_a_few_words() {
        let machine = Machine {
            cpu_model: Some("AMD Ryzen 9 5950X".to_owned()),
            kernel: Some("6.8.0-45-generic".to_owned()),
            os: Some("Ubuntu 24.04".to_owned()),
            ..Machine::default()
        };
        assert_eq!(machine.short(), "AMD Ryzen 9 5950X · Linux 6.8");
        let windows = Machine { os: Some("Windows 11".to_owned()), ..machine };
        assert_eq!(windows.short(), "AMD Ryzen 9 5950X · Windows 11");
        assert_eq!(Machine::default().short(), "not reported");
    }

    #[test]
    fn this_machine_has_cpus_and_reports_no_name() {
        let machine = Machine::read();
        assert!(!machine.arch.is_empty());
        assert!(!machine.short().is_empty());
        let text = format!("{machine:?}");
        // A host name without digits, such as "machine" or "container", may also be the name of a
        // field or a value.
        let has_digit = |host: &String| host.contains(|letter: char| letter.is_ascii_digit());
        let host = sysinfo::System::host_name().ok().filter(has_digit);
        if let Some(host) = host.filter(|host| 6 < host.len()) {
            assert!(!text.contains(&host), "the host's name is told");
        }
        // The texts from the system must not contain the host name either. A short host name is
        // part of many words.
        let power = machine.power.governor_or_plan;
        let texts = [machine.cpu_model, machine.os, machine.kernel, power];
        if let Some(host) = host_name().filter(|host| 6 < host.len()) {
            assert!(texts.iter().flatten().all(|text| !text.contains(&host)), "{texts:?}: {host}");
        }
    }
}
