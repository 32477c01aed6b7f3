//! The processes of the ssh server that transmit the output of this process. Their CPU time counts as
//! CPU time of this program, as the measurement causes it.

use std::fs;
use std::sync::OnceLock;

/// Max number of ancestors that are checked.
const MAX_DEPTH: usize = 8;
/// The kernel's number for a CPU clock that counts the total time of a process.
const WHOLE_PROCESS: libc::clockid_t = 2;

/// Returns the CPU clocks of the ancestors of this process up to the ssh server; none outside of an ssh session.
pub(super) fn cpu_clocks() -> &'static [libc::clockid_t] {
    static CLOCKS: OnceLock<Vec<libc::clockid_t>> = OnceLock::new();
    CLOCKS.get_or_init(|| {
        let stat = |pid| fs::read_to_string(format!("/proc/{pid}/stat")).ok();
        let own = libc::pid_t::try_from(std::process::id()).unwrap_or_default();
        carriers(own, stat).into_iter().map(|pid| (!pid << 3) | WHOLE_PROCESS).collect()
    })
}

/// Returns the ancestors of process `own`, up to and including the ssh server; none without an ssh server.
fn carriers(own: libc::pid_t, stat: impl Fn(libc::pid_t) -> Option<String>) -> Vec<libc::pid_t> {
    let Some((_, mut pid)) = stat(own).as_deref().and_then(name_and_parent) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut has_server = false;
    for _ in 0..MAX_DEPTH {
        let Some((name, parent)) = stat(pid).as_deref().and_then(name_and_parent) else { break };
        let is_server = name.starts_with("sshd");
        if has_server && !is_server {
            break;
        }
        has_server |= is_server;
        found.push(pid);
        pid = parent;
    }
    if has_server { found } else { Vec::new() }
}

/// Parses the name and the parent of a process from `/proc/PID/stat`. The name is in parentheses,
/// and may itself contain parentheses.
fn name_and_parent(stat: &str) -> Option<(String, libc::pid_t)> {
    let (start, rest) = stat.rsplit_once(") ")?;
    let (_, name) = start.split_once('(')?;
    Some((name.to_owned(), rest.split(' ').nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: libc::pid_t) -> Option<String> {
        Some(match pid {
            9 => "9 (jitterscope-cli) S 8 9 9".to_owned(),
            8 => "8 (sh) S 7 8 8".to_owned(),
            7 => "7 (sshd: ann) (b) S 6 7 7".to_owned(),
            6 => "6 (sshd-session) S 5 6 6".to_owned(),
            5 => "5 (systemd) S 0 5 5".to_owned(),
            30 => "30 (game) S 31 1 1".to_owned(),
            31 => "31 (bash) S 5 1 1".to_owned(),
            _ => return None,
        })
    }

    #[test]
    fn the_server_of_the_session_and_what_is_between_are_found() {
        assert_eq!(carriers(9, stat), [8, 7, 6]);
        assert!(carriers(30, stat).is_empty());
        assert!(carriers(1, stat).is_empty());
    }
}
