//! Machine, clock, and health in the run file.

use serde::{Deserialize, Serialize};

use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::plan::record::{InNanos, List, Optional, records};
use crate::platform::{CoreKind, Cpu, Power, PowerSource};
use crate::run::{CpuLimits, Health};

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct MachineOut {
    cpu_model: Option<String>,
    arch: String,
    physical_cores: Option<u32>,
    logical_cpus: usize,
    performance_cpus: usize,
    efficiency_cpus: usize,
    memory_bytes: Option<u64>,
    os: Option<String>,
    kernel: Option<String>,
    #[serde(alias = "virtualisation")]
    virtualization: Option<String>,
    power_source: Option<PowerSourceOut>,
    battery_percent: Option<u8>,
    governor_or_plan: Option<String>,
    #[serde(default)]
    scheduler: Vec<(String, String)>,
    #[serde(default, with = "List::<CpuOut>")]
    cpus: Vec<Cpu>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum PowerSourceOut {
    Mains,
    Battery,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Cpu")]
struct CpuOut {
    logical: u32,
    core: Option<u32>,
    package: Option<u32>,
    #[serde(with = "CoreKindOut")]
    kind: CoreKind,
    most_khz: Option<u64>,
}

records!(CpuOut: Cpu);

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "CoreKind", rename_all = "kebab-case")]
enum CoreKindOut {
    Performance,
    Efficiency,
    Uniform,
}

impl From<&Machine> for MachineOut {
    fn from(machine: &Machine) -> Self {
        let (power_source, battery_percent) = match machine.power.source {
            None => (None, None),
            Some(PowerSource::Mains) => (Some(PowerSourceOut::Mains), None),
            Some(PowerSource::Battery { percent }) => (Some(PowerSourceOut::Battery), percent),
        };
        Self {
            cpu_model: machine.cpu_model.clone(),
            arch: machine.arch.clone(),
            physical_cores: machine.physical_cores,
            logical_cpus: machine.cpus.len(),
            performance_cpus: machine.count_of(CoreKind::Performance),
            efficiency_cpus: machine.count_of(CoreKind::Efficiency),
            memory_bytes: machine.memory_bytes,
            os: machine.os.clone(),
            kernel: machine.kernel.clone(),
            virtualization: machine.virtualization.clone(),
            power_source,
            battery_percent,
            governor_or_plan: machine.power.governor_or_plan.clone(),
            scheduler: machine.scheduler.clone(),
            cpus: machine.cpus.clone(),
        }
    }
}

impl From<MachineOut> for Machine {
    fn from(out: MachineOut) -> Self {
        Self {
            cpu_model: out.cpu_model,
            cpus: out.cpus,
            physical_cores: out.physical_cores,
            memory_bytes: out.memory_bytes,
            os: out.os,
            kernel: out.kernel,
            arch: out.arch,
            virtualization: out.virtualization,
            power: Power {
                source: out.power_source.map(|source| match source {
                    PowerSourceOut::Mains => PowerSource::Mains,
                    PowerSourceOut::Battery => {
                        PowerSource::Battery { percent: out.battery_percent }
                    }
                }),
                governor_or_plan: out.governor_or_plan,
            },
            scheduler: out.scheduler,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "ClockFacts")]
pub(super) struct ClockOut {
    name: String,
    #[serde(rename = "resolution_nanos", with = "InNanos")]
    resolution: Nanos,
    read_cost_nanos: f64,
    went_backwards_count: u32,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "Health")]
pub(super) struct HealthOut {
    debug_build: bool,
    #[serde(default, rename = "window_hidden_nanos", with = "Optional::<InNanos>")]
    window_hidden: Option<Nanos>,
    #[serde(default, rename = "machine_slept_nanos", with = "Optional::<InNanos>")]
    machine_slept: Option<Nanos>,
    clock_backwards_count: u32,
    #[serde(default, rename = "window_cpu_nanos", with = "Optional::<InNanos>")]
    window_cpu: Option<Nanos>,
    paint_count: Option<u64>,
    #[serde(rename = "power_changes_count")]
    power_changes: u32,
    journal_error: Option<String>,
    #[serde(default, rename = "damaged_lines_count")]
    damaged_lines: u64,
    #[serde(default)]
    date_unknown: bool,
    #[serde(flatten, with = "CpuLimitsOut")]
    limits: CpuLimits,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "CpuLimits")]
struct CpuLimitsOut {
    #[serde(rename = "cpu_quota_percent")]
    quota_percent: Option<u32>,
    #[serde(default, rename = "cpu_quota_began_nanos", with = "Optional::<InNanos>")]
    quota_began: Option<Nanos>,
    #[serde(default, rename = "throttled_nanos", with = "Optional::<InNanos>")]
    throttled: Option<Nanos>,
    #[serde(default, rename = "cpus_changed_nanos", with = "Optional::<InNanos>")]
    cpus_changed: Option<Nanos>,
}
