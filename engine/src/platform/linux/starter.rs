//! The process that requested the start of this process as root: a window, or a command in a
//! terminal. The CPU time of that process counts as CPU time of this program.

use std::sync::OnceLock;

use super::read;

/// Max number of ancestors that are checked: sudo and its monitor may be between this process and its starter.
const MAX_BETWEEN: usize = 4;

static STARTER: OnceLock<u32> = OnceLock::new();

/// Returns the ID of the process that requested the start of this process as root; `None` if there is no
/// such process.
pub fn starter() -> Option<u32> {
    STARTER.get().copied()
}

/// Saves the ID of the nearest ancestor of this process that runs as `user`, as the starter.
pub(super) fn note_starter(user: u32) {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..MAX_BETWEEN {
        let status = read(&format!("/proc/{process}/status")).unwrap_or_default();
        // Compares the effective user, which is root for sudo. The real user of sudo is its caller.
        if number(&status, "Uid", 1) == Some(user) {
            STARTER.get_or_init(|| process);
            return;
        }
        let Some(parent) = number(&status, "PPid", 0).filter(|parent| 1 < *parent) else { return };
        process = parent;
    }
}

/// Returns the number at position `place`, from 0, in the line `key` of `/proc/…/status`.
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
