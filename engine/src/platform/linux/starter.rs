//! The program that had this process started as root: a window or a terminal's command, whose CPU time is no other
//! program's.

use std::sync::OnceLock;

use super::read;

/// How many programs may be between the two: sudo, and its monitor.
const MAX_BETWEEN: usize = 4;

static STARTER: OnceLock<u32> = OnceLock::new();

/// The number of the process; `None` where this one was started otherwise.
pub fn starter() -> Option<u32> {
    STARTER.get().copied()
}

/// Notes the first process of this user among those that started this one.
pub(super) fn note_starter(user: u32) {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..MAX_BETWEEN {
        let status = read(&format!("/proc/{process}/status")).unwrap_or_default();
        // The effective user: the real one of sudo is who called it.
        if number(&status, "Uid", 1) == Some(user) {
            STARTER.get_or_init(|| process);
            return;
        }
        let Some(parent) = number(&status, "PPid", 0).filter(|parent| 1 < *parent) else { return };
        process = parent;
    }
}

/// A number of a line of `/proc/…/status`, by its place in it.
fn number(status: &str, key: &str, place: usize) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line?.split_whitespace().nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_process_is_found_by_its_status() {
        let status = "Name:\tsudo\nPPid:\t812\nUid:\t1000\t0\t0\t0\n";
        assert_eq!(number(status, "Uid", 1), Some(0), "it runs as root");
        assert_eq!(number(status, "PPid", 0), Some(812));
        assert_eq!(number("PPidx:\t1\n", "PPid", 0), None);
    }
}
