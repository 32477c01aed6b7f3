//! Requests the conditions of a trial, and reads back what was applied.

use std::io::{self, Write as _};

use super::super::applied::{Applied, Effective, Guard, Policy, Refusal, RequestOutcome};
use super::super::{choose_cpu, only_cpu_refusal, usable_cpus};
use super::refusal::refusal;
use super::{RealtimeGuard, Sleeper, clock, deadline, elevation, thread};
use crate::nanos::Nanos;
use crate::plan::conditions::{Deadline, MAX_REALTIME_PRIORITY};
use crate::plan::{Conditions, CpuChoice, Priority};

/// Nice values: for the levels below and above normal, and as fallbacks if real-time priority is denied.
const BELOW_NORMAL: i32 = 5;
const ABOVE_NORMAL: i32 = -5;
const HIGHEST_INSTEAD: i32 = -10;
const TIME_CRITICAL_INSTEAD: i32 = -20;
/// Real-time priorities of the levels Highest and Time-critical.
const HIGHEST: u8 = 10;
const TIME_CRITICAL: u8 = 20;
/// The maximum idle latency that the kernel treats as no limit.
const NO_IDLE_LIMIT_MICROS: i32 = 2_000_000_000;

/// System states that are changed during a trial; dropping this restores the previous states.
#[derive(Debug, Default)]
#[must_use = "the state is restored when this is dropped"]
pub struct Held {
    guards: Vec<Guard>,
}

/// Whether a thread of this priority runs before every normal thread until it sleeps.
pub fn is_realtime(priority: Priority) -> bool {
    matches!(
        priority,
        Priority::Highest
            | Priority::TimeCritical
            | Priority::Fifo(_)
            | Priority::RoundRobin(_)
            | Priority::Deadline(_)
    )
}

/// Requests the conditions for the calling thread. Returns the outcome, read back from the kernel,
/// and the changed system states, which last until the `Held` is dropped.
pub fn apply(conditions: &Conditions) -> (Applied, Held) {
    let mut refusals = Vec::new();
    let mut held = Held::default();
    let (pin, selected_cpu) = pin(conditions, &mut refusals);
    let mechanism = raise(conditions, &mut refusals, &mut held);
    if conditions.timer_slack != Nanos::ZERO {
        clock::set_timer_slack(conditions.timer_slack);
    }
    let no_deep_idle = conditions.no_deep_idle && hold_idle(&mut refusals, &mut held);
    let policy = thread::own_policy();
    let applied = Applied {
        priority: outcome(conditions.priority, policy),
        pin,
        effective: Effective { policy, cpus: thread::affinity(), ran_on: thread::current_cpu() },
        mechanism: mechanism.to_owned(),
        selected_cpu,
        refusals,
        timer_slack: clock::timer_slack(),
        timer_resolution: None,
        no_deep_idle,
        sleep_call: Sleeper::new().call().to_owned(),
        demoted: false,
        policy_at_end: None,
    };
    (applied, held)
}

/// Pins the thread to the requested CPU, or removes an inherited pin. Returns the outcome and that
/// CPU; `None` if no CPU was requested or the requested one does not exist.
fn pin(conditions: &Conditions, refusals: &mut Vec<Refusal>) -> (RequestOutcome, Option<u32>) {
    let selected = match choose_cpu(conditions.cpu) {
        Ok(selected) => selected,
        Err(refusal) => {
            refusals.push(refusal);
            return (RequestOutcome::Refused, None);
        }
    };
    let Some(cpu) = selected else {
        let usable = usable_cpus();
        if thread::affinity() != usable
            && let Err(error) = thread::set_affinity(&usable)
        {
            refusals.push(refusal("any CPU", "sched_setaffinity", &error));
            return (RequestOutcome::Refused, None);
        }
        return (RequestOutcome::Granted, None);
    };
    match thread::pin_self(cpu) {
        Ok(()) if thread::affinity() == [cpu] => (RequestOutcome::Granted, Some(cpu)),
        Ok(()) => (RequestOutcome::Partly, Some(cpu)),
        Err(refusal) => {
            refusals.push(refusal);
            (RequestOutcome::Refused, Some(cpu))
        }
    }
}

/// Compares the policy read back with the requested priority; a nice value below 0 counts as partly applied.
fn outcome(requested: Priority, policy: Policy) -> RequestOutcome {
    let is_granted = match requested {
        Priority::Idle => policy == Policy::Idle,
        Priority::BelowNormal => policy == Policy::Nice(BELOW_NORMAL),
        Priority::Normal => policy == Policy::Nice(0),
        Priority::AboveNormal => policy == Policy::Nice(ABOVE_NORMAL),
        Priority::Highest => policy == Policy::RoundRobin(HIGHEST),
        Priority::TimeCritical => policy == Policy::Fifo(TIME_CRITICAL),
        Priority::Fifo(priority) => policy == Policy::Fifo(priority),
        Priority::RoundRobin(priority) => policy == Policy::RoundRobin(priority),
        Priority::Deadline(requested) => {
            policy
                == Policy::Deadline {
                    runtime: requested.runtime,
                    deadline: requested.deadline,
                    period: requested.period,
                }
        }
        Priority::Mmcss(_) => false,
    };
    match policy {
        _ if is_granted => RequestOutcome::Granted,
        Policy::Nice(nice) if nice < 0 => RequestOutcome::Partly,
        _ => RequestOutcome::Refused,
    }
}

/// Changes the priority of the thread. Returns the name of the system call used last, or "none".
fn raise(conditions: &Conditions, refusals: &mut Vec<Refusal>, held: &mut Held) -> &'static str {
    thread::set_ordinary();
    match conditions.priority {
        Priority::Idle => {
            note(refusals, "SCHED_IDLE", "sched_setscheduler", thread::set_idle());
            "sched_setscheduler"
        }
        Priority::BelowNormal => nice(BELOW_NORMAL, refusals),
        Priority::Normal => nice(0, refusals),
        Priority::AboveNormal => nice(ABOVE_NORMAL, refusals),
        Priority::Highest => realtime(libc::SCHED_RR, HIGHEST, refusals, held)
            .unwrap_or_else(|| nice(HIGHEST_INSTEAD, refusals)),
        Priority::TimeCritical => realtime(libc::SCHED_FIFO, TIME_CRITICAL, refusals, held)
            .unwrap_or_else(|| nice(TIME_CRITICAL_INSTEAD, refusals)),
        Priority::Fifo(level) => {
            realtime(libc::SCHED_FIFO, level, refusals, held).unwrap_or("sched_setscheduler")
        }
        Priority::RoundRobin(level) => {
            realtime(libc::SCHED_RR, level, refusals, held).unwrap_or("sched_setscheduler")
        }
        Priority::Deadline(times) => {
            reserve(times, conditions.cpu != CpuChoice::Any, refusals, held);
            "sched_setattr"
        }
        Priority::Mmcss(_) => {
            let reason = "the multimedia class scheduler exists only on Windows";
            refusals.push(Refusal {
                remedy: "choose FIFO, RR, or DEADLINE".to_owned(),
                ..Refusal::new(conditions.priority.name(), "AvSetMmThreadCharacteristics", reason)
            });
            "none"
        }
    }
}

/// Adds a refusal to `refusals` if the result of a request is an error; returns whether the request
/// was granted.
fn note(refusals: &mut Vec<Refusal>, requested: &str, call: &str, result: io::Result<()>) -> bool {
    match result {
        Ok(()) => true,
        Err(error) => {
            refusals.push(refusal(requested, call, &error));
            false
        }
    }
}

fn nice(value: i32, refusals: &mut Vec<Refusal>) -> &'static str {
    let already = thread::own_policy() == Policy::Nice(value);
    if !already {
        let requested = Policy::Nice(value).to_string();
        note(refusals, &requested, "setpriority", thread::set_nice(value));
    }
    "setpriority"
}

/// Returns a refusal if a real-time request would be unsafe: if no CPU would stay free of real-time
/// threads, or if the priority is too high. `None` if the request may be made.
fn safety_refusal(requested: &str, priority: u8) -> Option<Refusal> {
    let reason = "real-time priorities above 20 would preempt threads that the kernel needs";
    let is_high = MAX_REALTIME_PRIORITY < priority;
    only_cpu_refusal(requested)
        .or_else(|| is_high.then(|| Refusal::new(requested, "safety", reason)))
}

/// Makes the calling thread real-time; the kernel's limit on its CPU time is set first. Returns the
/// name of the system call, or `None` if the request was denied. Dropping `held` makes the thread a
/// normal one again.
fn realtime(
    policy: libc::c_int,
    priority: u8,
    refusals: &mut Vec<Refusal>,
    held: &mut Held,
) -> Option<&'static str> {
    let name = if policy == libc::SCHED_FIFO { "FIFO" } else { "RR" };
    let requested = format!("{name} {priority}");
    if let Some(refusal) = safety_refusal(&requested, priority) {
        refusals.push(refusal);
        return None;
    }
    let limit = RealtimeGuard::install();
    if let Err(reason) = limit.check() {
        refusals.push(Refusal::new(requested, "safety", reason));
        return None;
    }
    let granted =
        note(refusals, &requested, "sched_setscheduler", thread::set_realtime(policy, priority));
    granted.then(|| {
        held.guards.push(Guard::new(move || {
            thread::set_ordinary();
            drop(limit);
        }));
        "sched_setscheduler"
    })
}

/// Requests SCHED_DEADLINE; a refusal states which rule of the kernel was violated.
fn reserve(times: Deadline, is_pinned: bool, refusals: &mut Vec<Refusal>, held: &mut Held) {
    if let Some(refusal) = safety_refusal("DEADLINE", 1) {
        refusals.push(refusal);
        return;
    }
    let Err(error) = thread::set_deadline(times.runtime, times.deadline, times.period) else {
        held.guards.push(Guard::new(thread::set_ordinary));
        return;
    };
    let mut refusal = refusal("DEADLINE", "sched_setattr", &error);
    if error.raw_os_error() == Some(libc::EPERM) {
        deadline::explain(&mut refusal, is_pinned);
    }
    refusals.push(refusal);
}

/// Sets the maximum idle latency in `/dev/cpu_dma_latency` to 0, which turns deep idle states off,
/// and holds the file open; returns whether that succeeded. The kernel drops the limit when the
/// file is closed, even by a crash.
fn hold_idle(refusals: &mut Vec<Refusal>, held: &mut Held) -> bool {
    let opened = elevation::open_idle_file().and_then(|mut file| {
        file.write_all(&0_i32.to_ne_bytes())?;
        Ok(file)
    });
    match opened {
        Ok(mut file) => {
            // An agent has another handle of this file open until the agent ends. Closing this
            // handle is then not enough: write a value that the kernel treats as no limit.
            held.guards.push(Guard::new(move || {
                if let Err(error) = file.write_all(&NO_IDLE_LIMIT_MICROS.to_ne_bytes()) {
                    log::warn!("deep idle may stay off until this program ends: {error}");
                }
            }));
            true
        }
        Err(error) => {
            refusals.push(refusal("no deep idle", "open /dev/cpu_dma_latency", &error));
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies the conditions on a separate thread, as trials do.
    fn applied(conditions: Conditions) -> Applied {
        std::thread::Builder::new()
            .name("apply".to_owned())
            .spawn(move || apply(&conditions).0)
            .unwrap()
            .join()
            .unwrap()
    }

    /// Checks that a nice value was granted. A value below that of the test program itself may be refused.
    fn check_nice(applied: &Applied, value: i32) {
        let at_start = thread::own_policy();
        if applied.effective.policy == at_start && at_start != Policy::Nice(value) {
            assert!(matches!(at_start, Policy::Nice(start) if value < start), "{applied:?}");
            assert_eq!(applied.refusals[0].call, "setpriority");
            return;
        }
        assert_eq!(applied.effective.policy, Policy::Nice(value));
        assert_eq!(applied.refusals, []);
        assert!(applied.is_as_requested(), "{applied:?}");
    }

    #[test]
    fn normal_on_any_cpu_is_granted_unless_it_is_a_raise() {
        let applied = applied(Conditions::NORMAL);
        check_nice(&applied, 0);
        assert_eq!(applied.effective.cpus, usable_cpus());
    }

    #[test]
    fn lowering_is_always_granted() {
        let lowered = |priority| applied(Conditions { priority, ..Conditions::NORMAL });
        check_nice(&lowered(Priority::BelowNormal), BELOW_NORMAL);
        let idle = lowered(Priority::Idle);
        assert_eq!(idle.effective.policy, Policy::Idle);
        assert!(idle.is_as_requested(), "{idle:?}");
    }

    #[test]
    fn what_is_not_granted_is_refused_with_its_reason() {
        for priority in [
            Priority::AboveNormal,
            Priority::Highest,
            Priority::TimeCritical,
            Priority::Fifo(1),
            Priority::RoundRobin(20),
        ] {
            let applied = applied(Conditions { priority, ..Conditions::NORMAL });
            if applied.priority == RequestOutcome::Granted {
                assert_eq!(applied.refusals, []);
                assert!(
                    applied.effective.policy.is_realtime() || priority == Priority::AboveNormal
                );
            } else {
                println!("skipped: {} is not granted on this system", priority.name());
                assert!(!applied.refusals.is_empty(), "{applied:?}");
                assert!(applied.refusals.iter().all(|refusal| !refusal.reason.is_empty()));
                assert!(!applied.effective.policy.is_realtime());
            }
        }
    }

    #[test]
    fn a_pin_holds_and_a_cpu_that_is_not_there_is_refused() {
        let cpu = *usable_cpus().last().unwrap();
        let pinned = applied(Conditions { cpu: CpuChoice::Cpu(cpu), ..Conditions::NORMAL });
        assert_eq!(pinned.effective.cpus, [cpu]);
        assert_eq!(pinned.pin, RequestOutcome::Granted);
        let absent = applied(Conditions { cpu: CpuChoice::Cpu(9_999), ..Conditions::NORMAL });
        assert_eq!(absent.pin, RequestOutcome::Refused);
        assert_eq!(absent.effective.cpus, usable_cpus());
        assert!(!absent.is_as_requested());
    }

    #[test]
    fn a_deadline_denied_under_a_mask_names_the_mask() {
        let request = || {
            // Restrict the thread as `taskset` does before it starts a program: no pinning request
            // of a test set this mask.
            thread::set_affinity(&usable_cpus()[..1]).unwrap();
            let millis = Nanos::from_millis;
            let times = Deadline { runtime: millis(1), deadline: millis(10), period: millis(10) };
            let mut refusals = Vec::new();
            reserve(times, false, &mut refusals, &mut Held::default());
            refusals
        };
        let thread = std::thread::Builder::new().name("deadline".to_owned()).spawn(request);
        let refusals = thread.unwrap().join().unwrap();
        let [refusal] = refusals.as_slice() else { panic!("{refusals:?}") };
        if refusal.call == "safety" || refusal.errno != Some(libc::EPERM) {
            println!("skipped: {refusal}");
            return;
        }
        assert!(refusal.reason.contains("may use every CPU"), "{refusal}");
        assert!(refusal.remedy.contains("FIFO or RR"), "{}", refusal.remedy);
    }

    #[test]
    fn timer_slack_is_read_back() {
        let applied = applied(Conditions { timer_slack: Nanos::new(1), ..Conditions::NORMAL });
        assert_eq!(applied.timer_slack, Some(Nanos::new(1)));
    }

    #[test]
    fn more_than_twenty_is_never_asked_for() {
        let applied = applied(Conditions { priority: Priority::Fifo(50), ..Conditions::NORMAL });
        assert_eq!(applied.priority, RequestOutcome::Refused);
        assert_eq!(applied.refusals[0].call, "safety");
    }
}
