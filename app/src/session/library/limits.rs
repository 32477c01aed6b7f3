//! Runs that exceed the size and age limits set by the user.

use std::path::PathBuf;

use super::Library;
use crate::run_list::LibraryItem;
use crate::text;

impl Library {
    /// Returns the list entries to delete, oldest first: entries older than `days`, and further old
    /// entries until the total size is at most `megabytes`. Entries with a name, note, or tag of
    /// the user are never returned. A limit of 0 means no limit.
    pub fn beyond_limits(&self, megabytes: u32, days: u32) -> Vec<PathBuf> {
        beyond_limits(self.items().unwrap_or_default(), megabytes, days, text::now())
    }
}

/// A day in seconds.
const DAY: i64 = 86_400;

fn beyond_limits(
    items: &[LibraryItem],
    megabytes: u32,
    days: u32,
    now: jiff::Timestamp,
) -> Vec<PathBuf> {
    let mut left: u64 = items.iter().map(|item| item.bytes).sum();
    let limit = u64::from(megabytes) * 1_000_000;
    let mut beyond = Vec::new();
    // The list has the newest entries first: iterate from the oldest.
    for item in items.iter().rev() {
        let Ok(run) = &item.run else { continue };
        if !run.given_name.is_empty() || !run.note.is_empty() || !run.tags.is_empty() {
            continue;
        }
        let age = now.duration_since(run.started_at).as_secs();
        let is_old = 0 < days && i64::from(days) * DAY < age;
        let is_too_much = 0 < megabytes && limit < left;
        if is_old || is_too_much {
            left = left.saturating_sub(item.bytes);
            beyond.push(item.path.clone());
        }
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(path: &str, age_secs: i64, tags: &[&str]) -> LibraryItem {
        LibraryItem::example(path, tags, |run| {
            run.started_at = jiff::Timestamp::from_second(-age_secs).unwrap();
        })
    }

    #[test]
    fn only_the_oldest_without_words_of_the_user_are_beyond_the_limits() {
        let items = [
            item("new", DAY, &[]),
            item("old", 30 * DAY + 1, &[]),
            item("tagged", 90 * DAY, &["baseline"]),
        ];
        let beyond = |megabytes, days| {
            let paths = beyond_limits(&items, megabytes, days, jiff::Timestamp::UNIX_EPOCH);
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert!(beyond(0, 0).is_empty());
        assert_eq!(beyond(0, 30), ["old"]);
        assert_eq!(beyond(2, 0), ["old"]);
        assert_eq!(beyond(1, 0), ["old", "new"], "what is tagged stays");
    }
}
