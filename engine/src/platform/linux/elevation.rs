//! Agents with administrator rights; an agent is a process that measures for another process. This
//! module decides which program may be an agent. It also lets an agent drop all capabilities except
//! three, after the agent has opened the files that only root may open.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::unistd::{
    Gid, ResUid, Uid, User, getgrouplist, getresuid, setgroups, setresgid, setresuid,
};
use rustix::mm::{MlockAllFlags, mlockall};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_keep_capabilities, set_no_new_privs,
};

use super::super::Elevation;
use super::{SystemTracer, guard, starter, trace};

/// The file name of the program that may be an agent; it must be in the folder of this program.
const PROGRAM: &str = "jitterscope-cli";
/// Write permission of the group and of others.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The capabilities that an agent does not drop: real-time priority, recording other programs, locked
/// memory.
const RETAINED: CapabilitySet =
    CapabilitySet::SYS_NICE.union(CapabilitySet::PERFMON).union(CapabilitySet::IPC_LOCK);
/// Max CPU time of a real-time thread without sleeping, in microseconds: at the soft limit the
/// thread is demoted, at the hard limit the kernel kills the agent. The service `rtkit` requires
/// such a hard limit.
const SOFT_REALTIME_MICROS: u64 = 100_000;
const HARD_REALTIME_MICROS: u64 = 200_000;
/// The device that limits the idle latency of all CPUs.
const IDLE_FILE: &str = "/dev/cpu_dma_latency";
/// The device [`IDLE_FILE`], opened by root. The open file has no effect until a limit is written.
static IDLE: OnceLock<File> = OnceLock::new();

/// `pkexec` of polkit, which asks for the password.
pub const ELEVATION: Elevation = Elevation::Command("pkexec");

/// Whether this process has the rights of root.
pub fn is_root() -> bool {
    Uid::effective().is_root()
}

/// Returns the command-line program in the folder of this program, if only root can change the file
/// and every folder above it.
pub fn elevatable_program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let program = fs::canonicalize(own.with_file_name(PROGRAM)).ok()?;
    (program.is_file() && program.ancestors().all(is_roots_alone)).then_some(program)
}

fn is_roots_alone(path: &Path) -> bool {
    let found = fs::symlink_metadata(path);
    found.is_ok_and(|found| found.uid() == 0 && found.mode() & WRITABLE_BY_OTHERS == 0)
}

/// Opens the device that limits the idle latency, for writing.
pub(super) fn open_idle_file() -> io::Result<File> {
    match IDLE.get() {
        Some(file) => file.try_clone(),
        None => OpenOptions::new().write(true).open(IDLE_FILE),
    }
}

/// Switches this process from root to the user who started it with `sudo` or `pkexec`, and retains
/// three capabilities. Changes nothing if this process is not root or if no such user is known. No
/// other thread may run yet, since each thread has separate capabilities.
///
/// # Errors
///
/// An error if `must_know_caller` is set and the user is not known, if the user's number is
/// invalid, if another thread runs, or if the system denies a step. The process must then end.
pub fn take_callers_rights(must_know_caller: bool, needs_idle_file: bool) -> io::Result<()> {
    let caller = Caller::of(|name| std::env::var(name).ok())?;
    if !is_root() {
        return Ok(());
    }
    let Some(caller) = caller else {
        let unknown = "the command names no user; use sudo or pkexec, which do";
        return if must_know_caller { Err(io::Error::other(unknown)) } else { Ok(()) };
    };
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("more than one thread runs"));
    }
    starter::note_starter(caller.user.as_raw());
    trace::note_tracepoints();
    if needs_idle_file && let Ok(file) = open_idle_file() {
        drop(IDLE.set(file));
    }
    limit_realtime()?;
    // Pages are locked when first touched: memory that a run reserves and never uses is not locked.
    mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT)?;
    caller.become_user()
}

/// The process that records for this one; 0 if there is none.
static RECORDING_CHILD: AtomicI32 = AtomicI32::new(0);

/// Passes a request to end on to the process that records.
extern "C" fn pass_on(signal: libc::c_int) {
    let child = RECORDING_CHILD.load(Ordering::Relaxed);
    if 0 < child {
        #[expect(unsafe_code, reason = "signals are the C library's")]
        // SAFETY: kill takes numbers, and is async-signal-safe.
        unsafe {
            libc::kill(child, signal);
        }
    }
}

/// Switches from root to the user who started this program with `sudo` or `pkexec`, like [`take_callers_rights`], where
/// that user is known. The returned process is a child that has `tracer` open; this process retains the rights of root,
/// opens nothing else, waits for the child, removes the tracing instance, and exits with the child's status.
///
/// # Errors
///
/// The system denied a step, or another thread runs. This process must then end.
#[expect(unsafe_code, reason = "the standard library has no fork")]
pub fn record_with_callers_rights(mut tracer: SystemTracer) -> io::Result<SystemTracer> {
    let caller = Caller::of(|name| std::env::var(name).ok())?;
    let Some(caller) = caller.filter(|_| is_root()) else { return Ok(tracer) };
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("more than one thread runs"));
    }
    // SAFETY: this is the only thread, so that the child can go on like this process.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        tracer.leave_instance();
        take_callers_rights(true, false)?;
        caller.take_home();
        return Ok(tracer);
    }
    RECORDING_CHILD.store(child, Ordering::Relaxed);
    let handler: extern "C" fn(libc::c_int) = pass_on;
    // A terminal sends its signals to both processes.
    for (signal, handler) in [
        (libc::SIGTERM, handler as libc::sighandler_t),
        (libc::SIGINT, libc::SIG_IGN),
        (libc::SIGHUP, libc::SIG_IGN),
    ] {
        // SAFETY: the handler makes only calls that are async-signal-safe.
        unsafe { libc::signal(signal, handler) };
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` is a valid place for one number.
        let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
        let is_interrupted = io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        if 0 <= ended || !is_interrupted {
            break;
        }
    }
    drop(tracer);
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1 };
    super::super::exit_at_once(code)
}

/// Lowers the limits on the CPU time of real-time threads permanently.
fn limit_realtime() -> io::Result<()> {
    let (soft, hard) = guard::limit(libc::RLIMIT_RTTIME).unwrap_or((u64::MAX, u64::MAX));
    let limit = libc::rlimit {
        rlim_cur: soft.min(SOFT_REALTIME_MICROS),
        rlim_max: hard.min(HARD_REALTIME_MICROS),
    };
    guard::set(libc::RLIMIT_RTTIME, &limit)
}

/// The user who requested the start of this program as root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Caller {
    user: Uid,
    /// The group of the user; absent if the primary group of the user's account applies.
    group: Option<Gid>,
}

impl Caller {
    /// Reads the user from the environment variables of sudo or pkexec; `None` if there are none.
    /// The variables of sudo take precedence: sudo always sets them, and may pass on those of
    /// pkexec; pkexec passes on none.
    fn of(variable: impl Fn(&str) -> Option<String>) -> io::Result<Option<Self>> {
        let number = |name: &str| {
            let Some(text) = variable(name) else { return Ok(None) };
            // The system calls would take `u32::MAX` as a request to leave the user or group unchanged.
            let number = text.parse().ok().filter(|number| *number != u32::MAX);
            number.map(Some).ok_or_else(|| io::Error::other(format!("{name} is no user or group")))
        };
        if let Some(user) = number("SUDO_UID")? {
            let group = number("SUDO_GID")?.map(Gid::from_raw);
            return Ok(Some(Self { user: Uid::from_raw(user), group }));
        }
        let user = number("PKEXEC_UID")?;
        Ok(user.map(|user| Self { user: Uid::from_raw(user), group: None }))
    }

    /// Lets this process find the home folder of this user instead of root's, which it may no longer enter. No other
    /// thread may run.
    #[expect(unsafe_code, reason = "variables of the environment are shared by all threads")]
    fn take_home(self) {
        let Ok(Some(account)) = User::from_uid(self.user) else { return };
        // SAFETY: this is the only thread.
        unsafe { std::env::set_var("HOME", account.dir) };
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            // SAFETY: this is the only thread.
            unsafe { std::env::remove_var(name) };
        }
    }

    /// Switches to this user with the retained capabilities, and checks that no other rights are left.
    fn become_user(self) -> io::Result<()> {
        let (group, groups) = self.groups()?;
        for number in 0..u64::BITS {
            let one = CapabilitySet::from_bits_retain(1 << number);
            // Numbers above the last capability of the kernel are invalid: nothing has to be removed.
            match remove_capability_from_bounding_set(one) {
                Err(error) if error != rustix::io::Errno::INVAL => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
        }
        let retained = RETAINED & capabilities(None)?.permitted;
        set_keep_capabilities(true)?;
        setgroups(&groups)?;
        setresgid(group, group, group)?;
        setresuid(self.user, self.user, self.user)?;
        set_keep_capabilities(false)?;
        let sets = CapabilitySets {
            effective: retained,
            permitted: retained,
            inheritable: CapabilitySet::empty(),
        };
        set_capabilities(None, sets)?;
        clear_ambient_capability_set()?;
        set_no_new_privs(true)?;
        let ResUid { real, effective, saved } = getresuid()?;
        if [real, effective, saved] != [self.user; 3] || capabilities(None)? != sets {
            return Err(io::Error::other("the rights of root could not be given up"));
        }
        Ok(())
    }

    /// Returns the primary group of the user, and all groups of the user.
    fn groups(self) -> io::Result<(Gid, Vec<Gid>)> {
        let account = User::from_uid(self.user)?;
        let group = self.group.or(account.as_ref().map(|account| account.gid));
        let group = group.ok_or_else(|| io::Error::other("the user has no account"))?;
        let groups = match account {
            Some(account) => getgrouplist(&CString::new(account.name)?, group)?,
            None => vec![group],
        };
        Ok((group, groups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(variables: &[(&str, &str)]) -> Result<Option<(u32, Option<u32>)>, String> {
        let value = |name: &str| {
            let found = variables.iter().find(|(one, _)| *one == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let caller = Caller::of(value).map_err(|error| error.to_string())?;
        Ok(caller.map(|caller| (caller.user.as_raw(), caller.group.map(Gid::as_raw))))
    }

    #[test]
    fn the_caller_is_who_used_sudo_or_pkexec() {
        assert_eq!(caller(&[]), Ok(None));
        assert_eq!(caller(&[("PKEXEC_UID", "1000")]), Ok(Some((1000, None))));
        let sudo = [("SUDO_UID", "1001"), ("SUDO_GID", "100"), ("PKEXEC_UID", "0")];
        assert_eq!(caller(&sudo), Ok(Some((1001, Some(100)))));
        for wrong in ["", "root", "-1", "4294967295", "4294967296", "0x0", "1 0"] {
            assert!(caller(&[("SUDO_UID", wrong)]).is_err(), "{wrong}");
            assert!(caller(&[("PKEXEC_UID", wrong)]).is_err(), "{wrong}");
            assert!(caller(&[("SUDO_UID", "1"), ("SUDO_GID", wrong)]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_others_can_change_is_not_elevated() {
        use std::os::unix::fs::PermissionsExt as _;

        assert!(is_roots_alone(Path::new("/")));
        assert!(!is_roots_alone(Path::new("/tmp")), "everybody can write there");
        assert!(!is_roots_alone(Path::new("/not/here")));
        let folder = tempfile::tempdir().unwrap();
        for (mode, is_safe) in [(0o755, true), (0o775, false), (0o757, false), (0o555, true)] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            let is_safe = is_safe && Uid::effective().is_root();
            assert_eq!(is_roots_alone(folder.path()), is_safe, "{mode:o}");
        }
    }
}
