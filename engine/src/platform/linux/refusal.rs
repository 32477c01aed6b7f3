//! Error numbers of scheduling calls in words, with what would grant the request.

use std::io;

use super::super::applied::Refusal;
use super::cgroup;

/// The refusal of a call.
pub(super) fn refusal(asked: &str, call: &str, error: &io::Error) -> Refusal {
    let errno = error.raw_os_error();
    let (name, reason, remedy) = match explain(call, errno) {
        ("EPERM", _, GRANT_REALTIME) if cgroup::has_no_realtime_bandwidth() => {
            ("EPERM", NO_BANDWIDTH, GRANT_BANDWIDTH)
        }
        other => other,
    };
    Refusal {
        asked: asked.to_owned(),
        call: call.to_owned(),
        errno,
        error_name: name.to_owned(),
        reason: if reason.is_empty() { error.to_string() } else { reason.to_owned() },
        remedy: remedy.to_owned(),
    }
}

const GRANT_REALTIME: &str = "grant it with 'setcap cap_sys_nice=ep' on the program, with 'rtprio 20' for this \
     user in /etc/security/limits.d; in a container with --cap-add SYS_NICE";
const NO_BANDWIDTH: &str =
    "the control group of this program has no real-time bandwidth (cpu.rt_runtime_us is 0)";
const GRANT_BANDWIDTH: &str =
    "set cpu.rt_runtime_us of the group and of those above it, or start the program outside the group";
const GRANT_DEADLINE: &str =
    "grant it with 'setcap cap_sys_nice=ep' on the program; in a container with --cap-add SYS_NICE (no \
     limit in limits.d grants DEADLINE)";
const GRANT_NICE: &str = "grant it with 'nice -20' for this user in /etc/security/limits.d, or with \
     'setcap cap_sys_nice=ep' on the program; in a container with --cap-add SYS_NICE";

/// Name, reason and remedy of an error number of a scheduling call.
fn explain(call: &str, errno: Option<i32>) -> (&'static str, &'static str, &'static str) {
    match (call, errno) {
        ("setpriority", Some(libc::EACCES)) => {
            ("EACCES", "not permitted to raise a thread above normal", GRANT_NICE)
        }
        ("setpriority", Some(libc::EPERM)) => {
            ("EPERM", "not permitted to change this thread's priority", GRANT_NICE)
        }
        ("sched_setscheduler", Some(libc::EPERM)) => {
            ("EPERM", "not permitted to use real-time scheduling", GRANT_REALTIME)
        }
        ("sched_setattr", Some(libc::EPERM)) => {
            ("EPERM", "not permitted to use SCHED_DEADLINE", GRANT_DEADLINE)
        }
        ("sched_setaffinity", Some(libc::EINVAL)) => (
            "EINVAL",
            "the CPU is not there, is offline, or is not among those this program may use",
            "choose another CPU, or widen the program's CPU set",
        ),
        (_, Some(libc::EPERM)) => ("EPERM", "not permitted", ""),
        (_, Some(libc::EACCES)) => ("EACCES", "permission denied", ""),
        (_, Some(libc::EINVAL)) => ("EINVAL", "the system does not take this value", ""),
        (_, Some(libc::EBUSY)) => ("EBUSY", "the system has no CPU time left to promise", ""),
        (_, Some(libc::ESRCH)) => ("ESRCH", "the thread is gone", ""),
        (_, Some(libc::ENOENT)) => ("ENOENT", "not there", ""),
        (_, Some(libc::ENOSYS)) => ("ENOSYS", "this kernel has no such call", ""),
        _ => ("", "", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nice_is_refused_with_eacces_and_policies_with_eperm() {
        let nice = refusal("nice −5", "setpriority", &io::Error::from_raw_os_error(libc::EACCES));
        assert_eq!(
            nice.to_string(),
            "nice −5: not permitted to raise a thread above normal (EACCES, 13)"
        );
        let policy =
            refusal("RR 10", "sched_setscheduler", &io::Error::from_raw_os_error(libc::EPERM));
        assert_eq!(policy.errno, Some(1));
        assert!(policy.remedy.contains("rtprio 20"));
    }
}
