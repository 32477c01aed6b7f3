//! Machine, clock, and health in the run file.

use serde::{Deserialize, Serialize};

use crate::machine::{ClockFacts, Machine};
use crate::nanos::Nanos;
use crate::platform::{CoreKind, Cpu, Power, PowerSource};
use crate::run::{CpuLimits, Health};

#[derive(Serialize, Deserialize)]
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
    #[serde(default)]
    cpus: Vec<CpuOut>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PowerSourceOut {
    Mains,
    Battery,
}

#[derive(Serialize, Deserialize)]
struct CpuOut {
    logical: u32,
    core: Option<u32>,
    package: Option<u32>,
    kind: CoreKindOut,
    most_khz: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
            cpus: machine.cpus.iter().map(CpuOut::from).collect(),
        }
    }
}

impl From<MachineOut> for Machine {
    fn from(out: MachineOut) -> Self {
        Self {
            cpu_model: out.cpu_model,
            cpus: out.cpus.into_iter().map(Cpu::from).collect(),
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

impl From<&Cpu> for CpuOut {
    fn from(cpu: &Cpu) -> Self {
        Self {
            logical: cpu.logical,
            core: cpu.core,
            package: cpu.package,
            kind: match cpu.kind {
                CoreKind::Performance => CoreKindOut::Performance,
                CoreKind::Efficiency => CoreKindOut::Efficiency,
                CoreKind::Uniform => CoreKindOut::Uniform,
            },
            most_khz: cpu.most_khz,
        }
    }
}

impl From<CpuOut> for Cpu {
    fn from(out: CpuOut) -> Self {
        Self {
            logical: out.logical,
            core: out.core,
            package: out.package,
            kind: match out.kind {
                CoreKindOut::Performance => CoreKind::Performance,
                CoreKindOut::Efficiency => CoreKind::Efficiency,
                CoreKindOut::Uniform => CoreKind::Uniform,
            },
            most_khz: out.most_khz,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct ClockOut {
    name: String,
    resolution_nanos: i64,
    read_cost_nanos: f64,
    went_backwards_count: u32,
}

impl From<&ClockFacts> for ClockOut {
    fn from(clock: &ClockFacts) -> Self {
        Self {
            name: clock.name.clone(),
            resolution_nanos: clock.resolution.get(),
            read_cost_nanos: clock.read_cost_nanos,
            went_backwards_count: clock.went_backwards_count,
        }
    }
}

impl From<ClockOut> for ClockFacts {
    fn from(out: ClockOut) -> Self {
        Self {
            name: out.name,
            resolution: Nanos::new(out.resolution_nanos),
            read_cost_nanos: out.read_cost_nanos,
            went_backwards_count: out.went_backwards_count,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct HealthOut {
    debug_build: bool,
    window_hidden_nanos: Option<i64>,
    machine_slept_nanos: Option<i64>,
    clock_backwards_count: u32,
    window_cpu_nanos: Option<i64>,
    paint_count: Option<u64>,
    power_changes_count: u32,
    journal_error: Option<String>,
    #[serde(default)]
    damaged_lines_count: u64,
    #[serde(default)]
    date_unknown: bool,
    cpu_quota_percent: Option<u32>,
    #[serde(default)]
    cpu_quota_began_nanos: Option<i64>,
    #[serde(default)]
    throttled_nanos: Option<i64>,
    #[serde(default)]
    cpus_changed_nanos: Option<i64>,
}

impl From<&Health> for HealthOut {
    fn from(health: &Health) -> Self {
        Self {
            debug_build: health.debug_build,
            window_hidden_nanos: health.window_hidden.map(Nanos::get),
            machine_slept_nanos: health.machine_slept.map(Nanos::get),
            clock_backwards_count: health.clock_backwards_count,
            window_cpu_nanos: health.window_cpu.map(Nanos::get),
            paint_count: health.paint_count,
            power_changes_count: health.power_changes,
            journal_error: health.journal_error.clone(),
            damaged_lines_count: health.damaged_lines,
            date_unknown: health.date_unknown,
            cpu_quota_percent: health.limits.quota_percent,
            cpu_quota_began_nanos: health.limits.quota_began.map(Nanos::get),
            throttled_nanos: health.limits.throttled.map(Nanos::get),
            cpus_changed_nanos: health.limits.cpus_changed.map(Nanos::get),
        }
    }
}

impl From<HealthOut> for Health {
    fn from(out: HealthOut) -> Self {
        Self {
            debug_build: out.debug_build,
            window_hidden: out.window_hidden_nanos.map(Nanos::new),
            machine_slept: out.machine_slept_nanos.map(Nanos::new),
            clock_backwards_count: out.clock_backwards_count,
            window_cpu: out.window_cpu_nanos.map(Nanos::new),
            paint_count: out.paint_count,
            power_changes: out.power_changes_count,
            journal_error: out.journal_error,
            damaged_lines: out.damaged_lines_count,
            date_unknown: out.date_unknown,
            limits: CpuLimits {
                quota_percent: out.cpu_quota_percent,
                quota_began: out.cpu_quota_began_nanos.map(Nanos::new),
                throttled: out.throttled_nanos.map(Nanos::new),
                cpus_changed: out.cpus_changed_nanos.map(Nanos::new),
            },
        }
    }
}
