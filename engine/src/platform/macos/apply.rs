//! Requests the conditions of a trial, and reads back what was applied.

use std::io;

use mach2::kern_return::KERN_SUCCESS;
use mach2::mach_types::thread_act_t;
use mach2::thread_policy::{
    THREAD_STANDARD_POLICY, THREAD_TIME_CONSTRAINT_POLICY, THREAD_TIME_CONSTRAINT_POLICY_COUNT,
    thread_policy_get, thread_policy_set, thread_standard_policy_data_t,
    thread_time_constraint_policy_data_t,
};

use objc2_foundation::{NSActivityOptions, NSProcessInfo, ns_string};

use super::super::applied::{
    Applied, Effective, FINEST_TIMER, Guard, MacQos, Policy, Refusal, RequestOutcome,
};
use super::super::{choose_cpu, only_cpu_refusal};
use super::{Sleeper, clock};
use crate::nanos::Nanos;
use crate::plan::{Conditions, Priority};

/// The requested time constraint: 2.5 ms of CPU time, completed within 5 ms. The kernel demotes a
/// thread that uses more.
const CONSTRAINT: Nanos = Nanos::from_millis(5);
const COMPUTATION: Nanos = Nanos::from_micros(2_500);

/// States held during a trial; dropping this restores them. The quality-of-service class of a thread is not
/// restored: it ends with the thread.
#[derive(Debug)]
#[must_use = "the state is restored when this is dropped"]
pub struct Held {
    _activity: Guard,
}

/// Whether a thread of this priority runs before every normal thread.
pub fn is_realtime(priority: Priority) -> bool {
    priority == Priority::TimeCritical
}

/// Returns the ID of the calling thread.
pub(super) fn own_number() -> u64 {
    u64::from(own_port())
}

#[expect(unsafe_code, reason = "the standard library does not expose Mach threads")]
fn own_port() -> thread_act_t {
    // SAFETY: pthread_self takes nothing.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: `thread` is the calling thread.
    unsafe { libc::pthread_mach_thread_np(thread) }
}

const fn class_of(qos: MacQos) -> libc::qos_class_t {
    match qos {
        MacQos::Background => libc::qos_class_t::QOS_CLASS_BACKGROUND,
        MacQos::Utility => libc::qos_class_t::QOS_CLASS_UTILITY,
        MacQos::Default => libc::qos_class_t::QOS_CLASS_DEFAULT,
        MacQos::UserInitiated => libc::qos_class_t::QOS_CLASS_USER_INITIATED,
        MacQos::UserInteractive => libc::qos_class_t::QOS_CLASS_USER_INTERACTIVE,
    }
}

#[expect(unsafe_code, reason = "the standard library has no QoS classes")]
fn set_class(qos: MacQos) -> io::Result<()> {
    // SAFETY: the call takes two plain values, for the calling thread.
    let code = unsafe { libc::pthread_set_qos_class_self_np(class_of(qos), 0) };
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// Returns the calling thread's quality-of-service class, or `None` if the system does not report it.
#[expect(unsafe_code, reason = "read back from the system, not from the request")]
fn class() -> Option<MacQos> {
    let mut found = libc::qos_class_t::QOS_CLASS_UNSPECIFIED;
    let mut relative = 0;
    // SAFETY: pthread_self takes nothing.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: both places are valid, and `thread` is the calling thread.
    let code = unsafe { libc::pthread_get_qos_class_np(thread, &raw mut found, &raw mut relative) };
    let all = [
        MacQos::Background,
        MacQos::Utility,
        MacQos::Default,
        MacQos::UserInitiated,
        MacQos::UserInteractive,
    ];
    let number = found as u32;
    all.into_iter().find(|&qos| code == 0 && class_of(qos) as u32 == number)
}

/// Whether the kernel schedules a thread like a normal one, or `None` if the kernel does not report that.
#[expect(unsafe_code, reason = "only Mach reports it")]
fn is_timeshare(thread: thread_act_t) -> Option<bool> {
    // SAFETY: all zeroes is a valid thread_basic_info.
    let mut info: libc::thread_basic_info = unsafe { std::mem::zeroed() };
    let mut count = libc::THREAD_BASIC_INFO_COUNT;
    let flavor = libc::thread_flavor_t::try_from(libc::THREAD_BASIC_INFO).ok()?;
    let place = (&raw mut info).cast();
    // SAFETY: `place` has room for `count` words, and `thread` is one of this process.
    let code = unsafe { libc::thread_info(thread, flavor, place, &raw mut count) };
    (code == KERN_SUCCESS).then_some(info.policy == mach2::policy::POLICY_TIMESHARE)
}

/// Demotes a thread of this process to ordinary scheduling; returns whether the kernel then reports
/// ordinary scheduling.
#[expect(unsafe_code, reason = "only Mach has time constraints")]
pub(super) fn demote(thread: u64) -> bool {
    let Ok(thread) = thread_act_t::try_from(thread) else { return false };
    let mut policy = thread_standard_policy_data_t { no_data: 0 };
    let place = (&raw mut policy).cast();
    // SAFETY: the policy has no data; `place` is valid for the length of the call.
    unsafe { thread_policy_set(thread, THREAD_STANDARD_POLICY, place, 0) };
    is_timeshare(thread) == Some(true)
}

/// Lowers the priority of the calling thread below that of measuring threads.
pub(super) fn lower() {
    if let Err(error) = set_class(MacQos::Utility) {
        log::info!("stays at its class: {error}");
    }
}

#[expect(unsafe_code, reason = "only Mach has time constraints")]
fn set_time_constraint() -> bool {
    let ticks = |length: Nanos| u32::try_from(clock::ticks_of(length.get())).unwrap_or(u32::MAX);
    let mut policy = thread_time_constraint_policy_data_t {
        period: 0,
        computation: ticks(COMPUTATION),
        constraint: ticks(CONSTRAINT),
        preemptible: 1,
    };
    let place = (&raw mut policy).cast();
    // SAFETY: `place` points to a policy of the given kind and count, for the calling thread.
    let code = unsafe {
        thread_policy_set(
            own_port(),
            THREAD_TIME_CONSTRAINT_POLICY,
            place,
            THREAD_TIME_CONSTRAINT_POLICY_COUNT,
        )
    };
    code == KERN_SUCCESS
}

/// Whether a thread has a time constraint, or `None` if the kernel does not report that.
#[expect(unsafe_code, reason = "only Mach has time constraints")]
fn has_time_constraint(thread: thread_act_t) -> Option<bool> {
    let mut policy = thread_time_constraint_policy_data_t {
        period: 0,
        computation: 0,
        constraint: 0,
        preemptible: 0,
    };
    let mut count = THREAD_TIME_CONSTRAINT_POLICY_COUNT;
    // 0 requests the values of the thread itself; the kernel sets this variable to 1 if the thread
    // has only default values.
    let mut is_default = 0;
    let place = (&raw mut policy).cast();
    // SAFETY: `place` has room for `count` words, and `thread` is one of this process.
    let code = unsafe {
        thread_policy_get(
            thread,
            THREAD_TIME_CONSTRAINT_POLICY,
            place,
            &raw mut count,
            &raw mut is_default,
        )
    };
    (code == KERN_SUCCESS).then_some(is_default == 0 && policy.computation != 0)
}

/// Prevents system sleep and App Nap until the guard is dropped. Timers are coalesced as for any
/// other program.
#[expect(unsafe_code, reason = "the call that ends an activity takes any object")]
fn begin_activity() -> Guard {
    let process = NSProcessInfo::processInfo();
    let reason = ns_string!("Measuring");
    let activity =
        process.beginActivityWithOptions_reason(NSActivityOptions::UserInitiated, reason);
    Guard::new(move || {
        // SAFETY: the activity is the one that was begun above, and is ended once.
        unsafe { process.endActivity(&activity) };
    })
}

/// Requests the conditions for the calling thread. Returns the outcome, read back if the system
/// reports it, and the states that are held.
pub fn apply(conditions: &Conditions) -> (Applied, Held) {
    let mut refusals = Vec::new();
    let pin = match choose_cpu(conditions.cpu) {
        Ok(None) => RequestOutcome::Granted,
        Ok(Some(cpu)) => {
            refusals.extend(super::pin_self(cpu).err());
            RequestOutcome::Refused
        }
        Err(refusal) => {
            refusals.push(refusal);
            RequestOutcome::Refused
        }
    };
    let (policy, outcome, mechanism) = raise(conditions.priority, &mut refusals);
    if conditions.fine_timer {
        let reason = "macOS has no timer setting for a thread";
        refusals.push(Refusal::new(FINEST_TIMER, "", reason));
    }
    let applied = Applied {
        priority: outcome,
        pin,
        effective: Effective { policy, cpus: Vec::new(), ran_on: super::current_cpu() },
        mechanism: mechanism.to_owned(),
        selected_cpu: None,
        refusals,
        timer_slack: None,
        timer_resolution: None,
        no_deep_idle: false,
        sleep_call: Sleeper::new().call().to_owned(),
        demoted: false,
        policy_at_end: None,
    };
    (applied, Held { _activity: begin_activity() })
}

fn raise(
    priority: Priority,
    refusals: &mut Vec<Refusal>,
) -> (Policy, RequestOutcome, &'static str) {
    let qos = match priority {
        Priority::Idle => MacQos::Background,
        Priority::BelowNormal => MacQos::Utility,
        Priority::Normal => MacQos::Default,
        Priority::AboveNormal => MacQos::UserInitiated,
        Priority::Highest => MacQos::UserInteractive,
        Priority::TimeCritical => {
            if let Some(refusal) = only_cpu_refusal("time constraint") {
                refusals.push(refusal);
                return (read_back(), RequestOutcome::Refused, "none");
            }
            if set_time_constraint() && read_back() == Policy::MacTimeConstraint {
                return (Policy::MacTimeConstraint, RequestOutcome::Granted, "thread_policy_set");
            }
            let (call, reason) = ("thread_policy_set", "the kernel rejected the policy");
            refusals.push(Refusal::new("time constraint", call, reason));
            return (read_back(), RequestOutcome::Refused, call);
        }
        Priority::Fifo(_)
        | Priority::RoundRobin(_)
        | Priority::Deadline(_)
        | Priority::Mmcss(_) => {
            let call = "pthread_setschedparam";
            let reason = "fixed real-time policies are not supported on this system";
            refusals.push(Refusal {
                remedy: "choose the priority time-critical".to_owned(),
                ..Refusal::new(priority.name(), call, reason)
            });
            return (read_back(), RequestOutcome::Refused, call);
        }
    };
    if let Err(error) = set_class(qos) {
        let requested = Policy::MacQos(qos).to_string();
        let call = "pthread_set_qos_class_self_np";
        refusals.push(Refusal::new(requested, call, error.to_string()));
    }
    let policy = read_back();
    let outcome = if policy == Policy::MacQos(qos) {
        RequestOutcome::Granted
    } else {
        RequestOutcome::Refused
    };
    (policy, outcome, "pthread_set_qos_class_self_np")
}

/// Returns the scheduling policy of the calling thread, read back from the system.
pub(super) fn read_back() -> Policy {
    let thread = own_port();
    // A thread that overran its constraint retains the policy, but the kernel schedules the thread as any other.
    match (has_time_constraint(thread), is_timeshare(thread)) {
        (Some(true) | None, Some(false)) => Policy::MacTimeConstraint,
        _ => class().map_or(Policy::Unknown, Policy::MacQos),
    }
}
