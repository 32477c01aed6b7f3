//! Sentences for the error numbers of scheduling calls, with remedies.

use std::io;

use super::super::applied::Refusal;
use super::super::capabilities::{Capability, FileCapabilities};
use super::capabilities::{OWN_FILE, file_capabilities};
use super::cgroup;

/// Returns the refusal of the request `requested`, whose system call `call` failed with `error`.
pub(super) fn refusal(requested: &str, call: &str, error: &io::Error) -> Refusal {
    let errno = error.raw_os_error();
    let (name, reason, remedy) = match explain(call, errno) {
        ("EPERM", _, GRANT_REALTIME) if cgroup::has_no_realtime_bandwidth() => {
            ("EPERM", NO_BANDWIDTH, GRANT_BANDWIDTH)
        }
        ("EACCES", _, GRANT_NICE) if requested == NORMAL => ("EACCES", BELOW_NORMAL, START_NORMAL),
        other => other,
    };
    let reason = if reason.is_empty() { error.to_string() } else { reason.to_owned() };
    Refusal {
        errno,
        error_name: name.to_owned(),
        remedy: with_others(remedy, file_capabilities(OWN_FILE.as_ref())),
        ..Refusal::new(requested, call, reason)
    }
}

/// Returns a remedy whose `setcap` command also retains the capabilities that the program's file has.
fn with_others(remedy: &str, of_file: FileCapabilities) -> String {
    remedy.replace("cap_sys_nice=ep", &of_file.with(Capability::SYS_NICE).to_string())
}

const GRANT_REALTIME: &str = "run 'setcap cap_sys_nice=ep' on the program, or set 'rtprio 20' for \
                              this user in /etc/security/limits.d; in a container, use --cap-add \
                              SYS_NICE";
const NO_BANDWIDTH: &str =
    "the control group of this program has no real-time bandwidth (cpu.rt_runtime_us is 0)";
const GRANT_BANDWIDTH: &str =
    "set cpu.rt_runtime_us of the group and its parents, or start the program outside the group";
const GRANT_DEADLINE: &str = "run 'setcap cap_sys_nice=ep' on the program; in a container, use \
                              --cap-add SYS_NICE (limits.d cannot allow DEADLINE)";
/// The request for normal priority, as a refusal names it.
const NORMAL: &str = "nice 0";
const BELOW_NORMAL: &str =
    "the program was started below normal priority and has no permission to raise its priority";
const START_NORMAL: &str =
    "start the program without 'nice', or set 'nice 0' for this user in /etc/security/limits.d";
const GRANT_NICE: &str = "set 'nice -11' for this user in /etc/security/limits.d, or run 'setcap \
                          cap_sys_nice=ep' on the program; in a container, use --cap-add SYS_NICE";

/// Returns the name of an error number of a scheduling call, the reason for the error, and a remedy;
/// empty texts if these are not known.
fn explain(call: &str, errno: Option<i32>) -> (&'static str, &'static str, &'static str) {
    match (call, errno) {
        ("setpriority", Some(libc::EACCES)) => {
            ("EACCES", "no permission to raise a thread above normal", GRANT_NICE)
        }
        ("setpriority", Some(libc::EPERM)) => {
            ("EPERM", "no permission to change this thread's priority", GRANT_NICE)
        }
        ("sched_setscheduler", Some(libc::EPERM)) => {
            ("EPERM", "no permission to use real-time scheduling", GRANT_REALTIME)
        }
        ("sched_setattr", Some(libc::EPERM)) => {
            ("EPERM", "no permission to use SCHED_DEADLINE", GRANT_DEADLINE)
        }
        ("sched_setaffinity", Some(libc::EINVAL)) => (
            "EINVAL",
            "the CPU does not exist, is offline, or is not available to this program",
            "choose another CPU, or extend the program's CPU set",
        ),
        (_, Some(libc::EPERM)) => ("EPERM", "no permission", ""),
        (_, Some(libc::EACCES)) => ("EACCES", "permission denied", ""),
        (_, Some(libc::EINVAL)) => ("EINVAL", "invalid value", ""),
        (_, Some(libc::EBUSY)) => ("EBUSY", "not enough CPU bandwidth left to reserve", ""),
        (_, Some(libc::ESRCH)) => ("ESRCH", "the thread has exited", ""),
        (_, Some(libc::ENOENT)) => ("ENOENT", "not found", ""),
        (_, Some(libc::ENOSYS)) => ("ENOSYS", "not supported by this kernel", ""),
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
            "nice −5: no permission to raise a thread above normal (EACCES, 13)"
        );
        let normal = refusal(NORMAL, "setpriority", &io::Error::from_raw_os_error(libc::EACCES));
        assert_eq!((normal.reason.as_str(), normal.remedy.as_str()), (BELOW_NORMAL, START_NORMAL));
        let policy =
            refusal("RR 10", "sched_setscheduler", &io::Error::from_raw_os_error(libc::EPERM));
        assert_eq!(policy.errno, Some(1));
        assert!(policy.remedy.contains("rtprio 20"));
        for remedy in [GRANT_REALTIME, GRANT_DEADLINE, GRANT_NICE] {
            let none = FileCapabilities::default();
            assert_eq!(with_others(remedy, none), remedy);
            let both = with_others(remedy, none.with(Capability::PERFMON));
            assert!(both.contains("run 'setcap cap_sys_nice,cap_perfmon=ep' on"), "{both}");
        }
    }
}
