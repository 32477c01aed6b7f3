//! Logical CPUs, their kinds, and which one a choice means.

use super::applied::Refusal;
use crate::plan::CpuChoice;

/// What kind of core a logical CPU belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreKind {
    /// A fast one, where there are slower ones.
    Performance,
    /// A frugal one, where there are faster ones.
    Efficiency,
    /// All are alike, or the system does not tell.
    #[default]
    Uniform,
}

/// A logical CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// Its number.
    pub logical: u32,
    /// Its core within the package; absent where the system does not tell.
    pub core: Option<u32>,
    /// Its package.
    pub package: Option<u32>,
    /// The kind of its core.
    pub kind: CoreKind,
    /// Its highest frequency in kHz.
    pub most_khz: Option<u64>,
}

/// The logical CPU a choice comes to.
///
/// "A performance core" is the first that is not CPU 0, which usually takes most interrupts; where all
/// are alike, any counts as one.
pub(super) fn choose(
    choice: CpuChoice,
    cpus: &[Cpu],
    usable: &[u32],
) -> Result<Option<u32>, Refusal> {
    let of_kind = |wanted: &dyn Fn(CoreKind) -> bool| -> Vec<u32> {
        let fitting = cpus.iter().filter(|cpu| wanted(cpu.kind)).map(|cpu| cpu.logical);
        fitting.filter(|logical| usable.contains(logical)).collect()
    };
    let refuse = |asked: &str, reason: String| Refusal {
        asked: asked.to_owned(),
        call: "choose a CPU".to_owned(),
        errno: None,
        error_name: String::new(),
        reason,
        remedy: String::new(),
    };
    match choice {
        CpuChoice::Any => Ok(None),
        CpuChoice::Performance => {
            let mut fast = of_kind(&|kind| kind != CoreKind::Efficiency);
            if fast.is_empty() {
                fast = usable.to_vec();
            }
            let first = fast.iter().find(|&&cpu| cpu != 0).or(fast.first());
            first.map(|&cpu| Some(cpu)).ok_or_else(|| {
                refuse("a performance core", "the system tells of no CPU at all".to_owned())
            })
        }
        CpuChoice::Efficiency => {
            of_kind(&|kind| kind == CoreKind::Efficiency).first().map(|&cpu| Some(cpu)).ok_or_else(
                || refuse("an efficiency core", "this PC has no efficiency cores".to_owned()),
            )
        }
        CpuChoice::Cpu(cpu) if usable.contains(&cpu) => Ok(Some(cpu)),
        CpuChoice::Cpu(cpu) => Err(refuse(
            &format!("CPU {cpu}"),
            format!("CPU {cpu} is not among those this program can use: {usable:?}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(logical: u32, kind: CoreKind) -> Cpu {
        Cpu { logical, kind, ..Cpu::default() }
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
    fn a_choice_that_is_not_there_is_refused_in_words() {
        let cpus = [cpu(0, CoreKind::Uniform), cpu(1, CoreKind::Uniform)];
        let efficiency = choose(CpuChoice::Efficiency, &cpus, &[0, 1]).unwrap_err();
        assert_eq!(efficiency.to_string(), "an efficiency core: this PC has no efficiency cores");
        let absent = choose(CpuChoice::Cpu(7), &cpus, &[0, 1]).unwrap_err();
        assert!(absent.to_string().contains("CPU 7 is not among those"), "{absent}");
        assert_eq!(choose(CpuChoice::Any, &cpus, &[0, 1]), Ok(None));
    }
}
