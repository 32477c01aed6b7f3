//! Tests with runaways: real-time threads that never sleep and have no right to raise their priority.

use std::process::Command;
use std::time::{Duration, Instant};

use super::*;
use crate::plan::{Conditions, Priority};
use crate::platform::{Policy, own_policy, register_realtime, thread_id};

/// Time after which a runaway ends if it is not demoted.
const PATIENCE: Duration = Duration::from_secs(5);

/// Number of the capability that allows a thread to raise its priority.
const CAP_SYS_NICE: u32 = 23;

/// Drops `CAP_SYS_NICE` from the calling thread: afterward the kernel treats this thread like one of an ordinary
/// user.
#[expect(unsafe_code, reason = "capabilities are the kernel's")]
fn drop_right() {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: libc::c_int,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let mut header = Header { version: VERSION_3, pid: 0 };
    // The effective, permitted and inheritable sets: first the low 32 bits of all three, then the high 32 bits.
    let mut sets = [0_u32; 6];
    // SAFETY: both pointers are valid, and `sets` has the size of version 3; `pid` 0 is the calling thread.
    let code = unsafe { libc::syscall(libc::SYS_capget, &raw mut header, sets.as_mut_ptr()) };
    assert_eq!(code, 0);
    for set in sets.iter_mut().take(3) {
        *set &= !(1 << CAP_SYS_NICE);
    }
    // SAFETY: the pointers are valid for the same reasons as in the call of `capget` above.
    let code = unsafe { libc::syscall(libc::SYS_capset, &raw mut header, sets.as_ptr()) };
    assert_eq!(code, 0);
}

/// Result of a thread that got real-time priority, lost the right to raise its priority, and never slept.
struct Runaway {
    /// Whether the registration of the thread reports a demotion.
    has_demoted: bool,
    after: Duration,
    policy: Policy,
}

/// Runs a thread with FIFO priority 10 that spins until it is demoted, at most for [`PATIENCE`]; `None` if real-time
/// scheduling is denied.
fn run_away() -> Option<Runaway> {
    let body = || {
        let conditions = Conditions { priority: Priority::Fifo(10), ..Conditions::NORMAL };
        let (applied, _held) = super::super::apply(&conditions);
        if !applied.effective.policy.is_realtime() {
            return None;
        }
        drop_right();
        let registration = register_realtime(thread_id());
        let began = Instant::now();
        while !registration.has_demoted() && began.elapsed() < PATIENCE {
            std::hint::spin_loop();
        }
        let has_demoted = registration.has_demoted();
        Some(Runaway { has_demoted, after: began.elapsed(), policy: own_policy() })
    };
    std::thread::scope(|scope| scope.spawn(body).join().unwrap())
}

/// Environment variable that marks the child process in which the test below runs alone.
const ALONE: &str = "JITTERSCOPE_TEST_ALONE";

/// The limit `RLIMIT_RTTIME` belongs to the process, and other tests can lower it at the same time. This test
/// therefore runs in a separate process.
#[test]
fn runaways_without_the_right_to_raise_are_demoted_and_keep_reset_on_fork() {
    const NAME: &str = "platform::linux::guard::tests::runaways_without_the_right_to_raise_are_demoted_and_keep_reset_on_fork";
    if std::env::var_os(ALONE).is_none() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([NAME, "--exact", "--nocapture"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        println!("{text}");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("1 passed"), "the test {NAME} was not found");
        return;
    }
    let count = if std::env::var_os("JITTERSCOPE_LONG_TESTS").is_some() { 20 } else { 2 };
    let before = limit(libc::RLIMIT_RTTIME);
    for turn in 1..=count {
        let guard = RealtimeGuard::install();
        let runaway = run_away();
        drop(guard);
        assert_eq!(limit(libc::RLIMIT_RTTIME), before, "the limit is restored");
        let Some(runaway) = runaway else {
            println!("skipped: real-time scheduling is denied here");
            return;
        };
        println!("runaway {turn} of {count}: {} after {:?}", runaway.policy, runaway.after);
        assert!(runaway.has_demoted, "runaway {turn} was not demoted");
        assert!(!runaway.policy.is_realtime(), "{}", runaway.policy);
    }
}

#[test]
fn the_soft_limit_is_at_most_half_the_hard_one() {
    for (soft, hard, expected) in [
        (u64::MAX, u64::MAX, 200_000),
        (u64::MAX, 1_000_000, 200_000),
        (200_000, 200_000, 100_000),
        (60_000, 60_000, 30_000),
        (50_000, 1_000_000, 50_000),
    ] {
        assert_eq!(soft_micros(soft, hard), expected, "{soft} {hard}");
    }
}
