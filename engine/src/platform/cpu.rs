//! Logical CPUs, their kinds, and how a pinning request resolves to one.

use serde::{Deserialize, Serialize};

use super::applied::Refusal;
use crate::plan::CpuChoice;

/// Kind of core that a logical CPU belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CoreKind {
    /// A P-core, on hybrid processors.
    Performance,
    /// An E-core, on hybrid processors.
    Efficiency,
    /// The only kind: all cores are alike, or the system does not report kinds.
    #[default]
    Uniform,
}

/// A logical CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cpu {
    /// The number of the CPU.
    pub logical: u32,
    /// The number of the core, unique in its package; absent if the system does not report it.
    pub core: Option<u32>,
    /// The package of the CPU.
    pub package: Option<u32>,
    /// The kind of the core.
    pub kind: CoreKind,
    /// The highest frequency of the CPU in kHz.
    pub most_khz: Option<u64>,
}

/// Returns package and core of a logical CPU; `None` if the system does not report the core.
fn core_of(cpus: &[Cpu], logical: u32) -> Option<(Option<u32>, u32)> {
    let cpu = cpus.iter().find(|cpu| cpu.logical == logical)?;
    Some((cpu.package, cpu.core?))
}

/// Returns the number of physical cores among the usable CPUs; `None` if the system does not report
/// the core of each CPU.
pub(super) fn core_count(cpus: &[Cpu], usable: &[u32]) -> Option<u32> {
    let usable = cpus.iter().filter(|cpu| usable.contains(&cpu.logical));
    let mut cores: Vec<(Option<u32>, u32)> =
        usable.map(|cpu| Some((cpu.package, cpu.core?))).collect::<Option<_>>()?;
    cores.sort_unstable();
    cores.dedup();
    u32::try_from(cores.len()).ok().filter(|&count| 0 < count)
}

/// Returns the logical CPU to which a pinning request resolves.
///
/// "A performance core" avoids the core of CPU 0, which usually serves most interrupts. It resolves
/// to the first P-core other than that core or, without such a core, to the first CPU other than
/// CPU 0. If all cores are alike, each counts as a P-core.
pub(super) fn choose(
    choice: CpuChoice,
    cpus: &[Cpu],
    usable: &[u32],
) -> Result<Option<u32>, Refusal> {
    let of_kind = |wanted: &dyn Fn(CoreKind) -> bool| -> Vec<u32> {
        let fitting = cpus.iter().filter(|cpu| wanted(cpu.kind)).map(|cpu| cpu.logical);
        fitting.filter(|logical| usable.contains(logical)).collect()
    };
    let refuse = |requested: &str, reason: &str| Refusal::new(requested, "choose a CPU", reason);
    let fast = || {
        let fast = of_kind(&|kind| kind != CoreKind::Efficiency);
        if fast.is_empty() { usable.to_vec() } else { fast }
    };
    match choice {
        CpuChoice::Any => Ok(None),
        CpuChoice::FirstPerformance => fast()
            .into_iter()
            .min()
            .map(Some)
            .ok_or_else(|| refuse("the first performance core", "the system reports no CPUs")),
        CpuChoice::Performance => {
            let fast = fast();
            let first_core = core_of(cpus, 0);
            let is_apart = |cpu: u32| first_core.is_none() || core_of(cpus, cpu) != first_core;
            let first = fast
                .iter()
                .find(|&&cpu| cpu != 0 && is_apart(cpu))
                .or_else(|| fast.iter().find(|&&cpu| cpu != 0))
                .or(fast.first());
            first
                .map(|&cpu| Some(cpu))
                .ok_or_else(|| refuse("a performance core", "the system reports no CPUs"))
        }
        CpuChoice::Efficiency => of_kind(&|kind| kind == CoreKind::Efficiency)
            .first()
            .map(|&cpu| Some(cpu))
            .ok_or_else(|| refuse("an efficiency core", "this PC has no efficiency cores")),
        CpuChoice::Cpu(cpu) if usable.contains(&cpu) => Ok(Some(cpu)),
        CpuChoice::Cpu(cpu) => Err(refuse(
            &format!("CPU {cpu}"),
            &format!("CPU {cpu} is not available; usable CPUs: {usable:?}"),
        )),
    }
}

/// One in this many usable CPUs runs the threads that draw the window.
#[cfg(any(test, target_os = "linux"))]
const WINDOW_SHARE: usize = 4;

/// Returns the CPUs for the threads that draw the window: a quarter of the usable CPUs, preferably
/// E-cores and CPUs with high numbers. The core that a test uses as "a performance core" is avoided
/// if possible.
#[cfg(any(test, target_os = "linux"))]
pub(super) fn window_cpus(cpus: &[Cpu], usable: &[u32]) -> Vec<u32> {
    let of = |logical: u32| cpus.iter().find(|cpu| cpu.logical == logical);
    let tested = choose(CpuChoice::Performance, cpus, usable).ok().flatten();
    let core = tested.and_then(|cpu| core_of(cpus, cpu));
    let nearness =
        |logical: u32| (tested == Some(logical), core.is_some() && core_of(cpus, logical) == core);
    let mut order: Vec<u32> = usable.iter().rev().copied().collect();
    let is_frugal = |logical| of(logical).is_some_and(|cpu| cpu.kind == CoreKind::Efficiency);
    order.sort_by_key(|&logical| (nearness(logical), !is_frugal(logical)));
    order.truncate(usable.len().div_ceil(WINDOW_SHARE));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(logical: u32, kind: CoreKind) -> Cpu {
        Cpu { logical, kind, ..Cpu::default() }
    }

    #[test]
    fn the_window_is_drawn_where_no_performance_core_is_tested() {
        use CoreKind::{Efficiency, Performance, Uniform};
        let check = |cpus: &[Cpu], expected: &[u32]| {
            let usable: Vec<u32> = cpus.iter().map(|cpu| cpu.logical).collect();
            assert_eq!(window_cpus(cpus, &usable), expected, "{cpus:?}");
        };
        let alike = |count| (0..count).map(|at| cpu(at, Uniform)).collect::<Vec<_>>();
        check(&alike(1), &[0]);
        check(&alike(2), &[0]);
        check(&alike(8), &[7, 6]);
        // Two CPUs per core: CPU 2 is the one that tests use, and CPU 3 is on the same core.
        let smt = |kind| move |at| Cpu { core: Some(at / 2), ..cpu(at, kind) };
        check(&(0..4).map(smt(Uniform)).collect::<Vec<_>>(), &[1]);
        check(&[0, 1].map(smt(Uniform)), &[0]);
        let hybrid = [Performance, Performance, Performance, Efficiency, Efficiency];
        let hybrid: Vec<Cpu> = (0..).zip(hybrid).map(|(at, kind)| cpu(at, kind)).collect();
        check(&hybrid, &[4, 3]);
    }

    #[test]
    fn a_performance_core_is_the_first_that_is_not_cpu_0() {
        use CoreKind::{Efficiency, Performance, Uniform};
        let check = |kinds: &[CoreKind], usable: &[u32], expected| {
            let cpus: Vec<Cpu> =
                kinds.iter().zip(0..).map(|(&kind, logical)| cpu(logical, kind)).collect();
            assert_eq!(choose(CpuChoice::Performance, &cpus, usable), Ok(Some(expected)));
        };
        check(&[Uniform, Uniform], &[0, 1], 1);
        check(&[Uniform], &[0], 0);
        check(&[Performance, Efficiency, Performance], &[0, 1, 2], 2);
        check(&[Efficiency, Performance], &[0, 1], 1);
        check(&[Uniform, Uniform, Uniform], &[0, 2], 2);
        check(&[], &[0, 1], 1);
    }

    #[test]
    fn a_performance_core_is_not_the_other_half_of_cpu_0s_core() {
        let pair = |logical| Cpu { core: Some(logical / 2), ..cpu(logical, CoreKind::Uniform) };
        let cpus: Vec<Cpu> = (0..6).map(pair).collect();
        let selected = |usable: &[u32]| choose(CpuChoice::Performance, &cpus, usable).unwrap();
        assert_eq!(selected(&[0, 1, 2, 3]), Some(2));
        assert_eq!(selected(&[0, 1]), Some(1));
        assert_eq!(selected(&[0, 1, 5]), Some(5));
        // Here, CPU 3 is on the same core as CPU 0.
        let far = |logical| Cpu { core: Some(logical % 3), ..cpu(logical, CoreKind::Uniform) };
        let cpus: Vec<Cpu> = (0..6).map(far).collect();
        assert_eq!(choose(CpuChoice::Performance, &cpus, &[0, 3, 4]), Ok(Some(4)));
    }

    #[test]
    fn cores_are_counted_among_the_usable_cpus() {
        let pair = |logical| Cpu { core: Some(logical / 2), ..cpu(logical, CoreKind::Uniform) };
        let cpus: Vec<Cpu> = (0..8).map(pair).collect();
        assert_eq!(core_count(&cpus, &[0, 1, 2, 3, 4, 5, 6, 7]), Some(4));
        assert_eq!(core_count(&cpus, &[2, 3]), Some(1));
        assert_eq!(core_count(&cpus, &[1, 2, 4]), Some(3));
        assert_eq!(core_count(&[cpu(0, CoreKind::Uniform)], &[0]), None);
        assert_eq!(core_count(&cpus, &[]), None);
    }

    #[test]
    fn a_choice_that_is_not_there_is_refused_in_words() {
        let cpus = [cpu(0, CoreKind::Uniform), cpu(1, CoreKind::Uniform)];
        let efficiency = choose(CpuChoice::Efficiency, &cpus, &[0, 1]).unwrap_err();
        assert_eq!(efficiency.to_string(), "an efficiency core: this PC has no efficiency cores");
        let absent = choose(CpuChoice::Cpu(7), &cpus, &[0, 1]).unwrap_err();
        assert!(absent.to_string().contains("CPU 7 is not available"), "{absent}");
        assert_eq!(choose(CpuChoice::Any, &cpus, &[0, 1]), Ok(None));
    }
}
