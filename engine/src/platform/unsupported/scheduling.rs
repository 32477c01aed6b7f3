//! Scheduling: every request is refused, and nothing is read back.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::applied::{Applied, Effective, FINEST_TIMER, Policy, Refusal, RequestOutcome};
use super::super::{ThreadId, choose_cpu};
use super::Sleeper;
use crate::plan::{Conditions, LoadLevel, Priority};

const NOT_SUPPORTED: &str = "not supported on this system";

/// States held during a trial: none.
#[derive(Debug)]
#[must_use = "the state is restored when this is dropped"]
pub struct Held(());

/// Refuses every condition that differs from those of an ordinary thread.
pub fn apply(conditions: &Conditions) -> (Applied, Held) {
    let mut refusals = Vec::new();
    let mut outcome = |result: Result<(), Refusal>| {
        let is_granted = result.is_ok();
        refusals.extend(result.err());
        if is_granted { RequestOutcome::Granted } else { RequestOutcome::Refused }
    };
    let priority = conditions.priority;
    let is_ordinary = priority == Priority::Normal;
    let raised = is_ordinary.then_some(()).ok_or_else(|| refusal(priority.name()));
    let priority = outcome(raised);
    let pin = outcome(choose_cpu(conditions.cpu).and_then(|cpu| cpu.map_or(Ok(()), pin_self)));
    if conditions.fine_timer {
        refusals.push(refusal(FINEST_TIMER));
    }
    let applied = Applied {
        priority,
        pin,
        effective: Effective { policy: own_policy(), cpus: Vec::new(), ran_on: current_cpu() },
        mechanism: "none".to_owned(),
        selected_cpu: None,
        refusals,
        timer_slack: None,
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: Sleeper::new().call().to_owned(),
        demoted: false,
        policy_at_end: None,
    };
    (applied, Held(()))
}

fn refusal(requested: impl Into<String>) -> Refusal {
    Refusal::new(requested, "", NOT_SUPPORTED)
}

/// Returns `false`: no thread runs before every normal thread.
pub const fn is_realtime(_priority: Priority) -> bool {
    false
}

/// Returns that the policy of the calling thread is not known.
pub const fn own_policy() -> Policy {
    Policy::Unknown
}

/// Returns a number of the calling thread, counted from 1, as the system's is not known.
pub fn thread_id() -> ThreadId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static OWN: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    ThreadId(OWN.with(|id| *id))
}

/// Returns `false`: threads cannot be pinned to CPUs.
pub const fn can_pin() -> bool {
    false
}

/// Returns a refusal: threads cannot be pinned to CPUs.
pub fn pin_self(cpu: u32) -> Result<(), Refusal> {
    Err(refusal(format!("CPU {cpu}")))
}

/// Does nothing: the system selects the CPUs of threads.
pub const fn avoid_cpus(_cpus: &[u32]) {}

/// Returns `None`: the CPU on which the calling thread runs is not known.
pub const fn current_cpu() -> Option<u32> {
    None
}

/// Returns `false`: the system does not report that a thread has ordinary scheduling.
pub(crate) const fn demote(_thread: ThreadId) -> bool {
    false
}

/// Returns `None`, so that the watchdog checks nothing.
pub(crate) const fn runaway_cpu_nanos(_thread: ThreadId) -> Option<i64> {
    None
}

/// Does nothing: helper threads have the priority of measuring threads.
pub const fn lower_own_priority() {}

/// Does nothing: the threads that draw have the priority of measuring threads.
pub const fn lower_ui_priority() {}

/// Does nothing: load threads have the priority of measuring threads.
pub const fn set_load_priority(_level: LoadLevel) {}

/// Does nothing: no thread runs before the watchdog.
pub const fn raise_supervisor() {}
