//! Requests the conditions of a trial, and reads back what was applied.

use std::io;

use windows_sys::Win32::System::Threading::{
    AvRevertMmThreadCharacteristics, AvSetMmThreadCharacteristicsW, THREAD_PRIORITY_ABOVE_NORMAL,
    THREAD_PRIORITY_BELOW_NORMAL, THREAD_PRIORITY_HIGHEST, THREAD_PRIORITY_IDLE,
    THREAD_PRIORITY_NORMAL, THREAD_PRIORITY_TIME_CRITICAL,
};

use super::super::applied::{Applied, Effective, Guard, Policy, Refusal, RequestOutcome};
use super::super::{choose_cpu, only_cpu_refusal, usable_cpus};
use super::affinity::{affinity, cpus_of_all_groups, current_cpu, pin_self, set_affinity};
use super::thread::{self, refusal};
use super::throttling::{fine_timer, forbid_throttling, leave_realtime_class};
use super::{Sleeper, clock};
use crate::plan::conditions::MmcssTask;
use crate::plan::{Conditions, Priority};

/// States held during a trial; dropping this restores them.
#[derive(Debug, Default)]
#[must_use = "the state is restored when this is dropped"]
pub struct Held {
    guards: Vec<Guard>,
}

/// Whether a thread of this priority runs before every normal thread of a normal program until it sleeps.
pub fn is_realtime(priority: Priority) -> bool {
    matches!(priority, Priority::TimeCritical | Priority::Mmcss(_))
}

/// Returns the Windows thread priority for a requested priority; `None` for policies that Windows does not have.
const fn level_of(priority: Priority) -> Option<i32> {
    match priority {
        Priority::Idle => Some(THREAD_PRIORITY_IDLE),
        Priority::BelowNormal => Some(THREAD_PRIORITY_BELOW_NORMAL),
        // The multimedia service itself raises the thread above its current priority.
        Priority::Normal | Priority::Mmcss(_) => Some(THREAD_PRIORITY_NORMAL),
        Priority::AboveNormal => Some(THREAD_PRIORITY_ABOVE_NORMAL),
        Priority::Highest => Some(THREAD_PRIORITY_HIGHEST),
        Priority::TimeCritical => Some(THREAD_PRIORITY_TIME_CRITICAL),
        Priority::Fifo(_) | Priority::RoundRobin(_) | Priority::Deadline(_) => None,
    }
}

/// Requests the conditions for the calling thread. Returns the outcome, read back from the system,
/// and the states that are held.
pub fn apply(conditions: &Conditions) -> (Applied, Held) {
    let mut refusals = Vec::new();
    leave_realtime_class();
    let mut held = Held { guards: vec![forbid_throttling()] };
    let (pin, selected_cpu) = pin(conditions, &mut refusals);
    let is_realtime = is_realtime(conditions.priority);
    let is_unsafe = is_realtime.then(|| only_cpu_refusal(&conditions.priority.name())).flatten();
    let mut is_refused = is_unsafe.is_some();
    refusals.extend(is_unsafe);
    let level = level_of(conditions.priority).filter(|_| !is_refused);
    match level {
        Some(level) => {
            if let Err(error) = thread::set_priority(level) {
                let requested = Policy::WindowsLevel(level).to_string();
                refusals.push(refusal(&requested, "SetThreadPriority", &error));
            }
        }
        None if is_refused => {}
        None => {
            let reason = "this system does not support SCHED_FIFO, SCHED_RR, or SCHED_DEADLINE";
            refusals.push(Refusal {
                remedy: "choose the priority time-critical".to_owned(),
                ..Refusal::new(conditions.priority.name(), "SetThreadPriority", reason)
            });
        }
    }
    let mut mechanism = "SetThreadPriority";
    if let Priority::Mmcss(task) = conditions.priority
        && !is_refused
    {
        mechanism = "AvSetMmThreadCharacteristics";
        match join_class(task) {
            Ok(guard) => held.guards.push(guard),
            Err(error) => {
                is_refused = true;
                refusals.push(refusal(&conditions.priority.name(), mechanism, &error));
            }
        }
    }
    if conditions.fine_timer {
        held.guards.extend(fine_timer(&mut refusals));
    }
    if is_realtime {
        held.guards.push(Guard::new(|| {
            if let Err(error) = thread::set_priority(THREAD_PRIORITY_NORMAL) {
                log::warn!("a thread stays raised until it ends: {error}");
            }
        }));
    }
    let granted = thread::priority();
    let is_mmcss = matches!(conditions.priority, Priority::Mmcss(_));
    let is_granted = !is_refused && level.is_some() && (is_mmcss || granted == level);
    let applied = Applied {
        priority: if is_granted { RequestOutcome::Granted } else { RequestOutcome::Refused },
        pin,
        effective: Effective {
            policy: granted.map_or(Policy::Unknown, Policy::WindowsLevel),
            cpus: affinity(),
            ran_on: current_cpu(),
        },
        mechanism: mechanism.to_owned(),
        selected_cpu,
        refusals,
        timer_slack: None,
        timer_resolution: clock::timer_resolution(),
        no_deep_idle: false,
        sleep_call: Sleeper::new().call().to_owned(),
        demoted: false,
        policy_at_end: None,
    };
    (applied, held)
}

/// Adds the calling thread to a class of the multimedia service (MMCSS) until the guard is dropped.
#[expect(unsafe_code, reason = "only the system's service grants it")]
fn join_class(task: MmcssTask) -> io::Result<Guard> {
    let name: Vec<u16> = task.name().encode_utf16().chain([0]).collect();
    let mut index = 0_u32;
    // SAFETY: `name` ends in a zero and `index` is a valid place, both for the length of the call.
    let handle = unsafe { AvSetMmThreadCharacteristicsW(name.as_ptr(), &raw mut index) };
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    Ok(Guard::new(move || {
        // SAFETY: the handle is the one the service gave this thread.
        let left = unsafe { AvRevertMmThreadCharacteristics(handle) };
        if left == 0 {
            log::warn!("the thread stays in its multimedia class");
        }
    }))
}

/// Pins the calling thread to the requested CPU; returns the outcome and the CPU. If no CPU is requested, removes
/// an inherited pin where the system has one processor group.
fn pin(conditions: &Conditions, refusals: &mut Vec<Refusal>) -> (RequestOutcome, Option<u32>) {
    let outcome = match choose_cpu(conditions.cpu) {
        Err(refusal) => {
            refusals.push(refusal);
            return (RequestOutcome::Refused, None);
        }
        // Since Windows 11, a new thread may run in every group; an affinity mask would confine it to one group.
        Ok(None) if cpus_of_all_groups().is_some() => (Ok(()), None),
        Ok(None) => {
            let freed = set_affinity(&usable_cpus());
            (freed.map_err(|error| refusal("any CPU", "SetThreadGroupAffinity", &error)), None)
        }
        Ok(Some(cpu)) => (pin_self(cpu), Some(cpu)),
    };
    match outcome {
        (Ok(()), cpu) => (RequestOutcome::Granted, cpu),
        (Err(refusal), cpu) => {
            refusals.push(refusal);
            (RequestOutcome::Refused, cpu)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::CpuChoice;

    fn applied(conditions: Conditions) -> Applied {
        std::thread::Builder::new()
            .name("apply".to_owned())
            .spawn(move || apply(&conditions).0)
            .unwrap()
            .join()
            .unwrap()
    }

    #[test]
    fn levels_are_granted_or_refused_with_a_reason() {
        for priority in [Priority::Normal, Priority::AboveNormal, Priority::TimeCritical] {
            let applied = applied(Conditions { priority, ..Conditions::NORMAL });
            assert!(applied.is_as_requested() || !applied.refusals.is_empty(), "{applied:?}");
        }
        let fifo = applied(Conditions { priority: Priority::Fifo(10), ..Conditions::NORMAL });
        assert_eq!(fifo.priority, RequestOutcome::Refused);
        assert!(fifo.refusals[0].reason.contains("support SCHED_FIFO"));
    }

    #[test]
    fn a_pin_is_read_back() {
        let cpu = *usable_cpus().last().unwrap();
        let applied = applied(Conditions { cpu: CpuChoice::Cpu(cpu), ..Conditions::NORMAL });
        assert_eq!(applied.pin, RequestOutcome::Granted, "{applied:?}");
    }
}
