//! Which runs are beyond the limits of size and age that the user set.

use std::path::PathBuf;

use super::Library;
use crate::run_list::LibraryItem;
use crate::text;

impl Library {
    /// The entries beyond these limits, the oldest first: what is too old, and then the oldest until the rest
    /// fits. What the user named, noted or tagged is never among them. 0 is no limit.
    pub fn beyond_limits(&self, megabytes: u32, days: u32) -> Vec<PathBuf> {
        beyond_limits(self.items().unwrap_or_default(), megabytes, days, text::now())
    }
}

fn beyond_limits(
    items: &[LibraryItem],
    megabytes: u32,
    days: u32,
    now: jiff::Timestamp,
) -> Vec<PathBuf> {
    let mut left: u64 = items.iter().map(|item| item.bytes).sum();
    let limit = u64::from(megabytes) * 1_000_000;
    let mut beyond = Vec::new();
    // The newest come first in the list.
    for item in items.iter().rev() {
        let Ok(run) = &item.run else { continue };
        if !run.given_name.is_empty() || !run.note.is_empty() || !run.tags.is_empty() {
            continue;
        }
        let age = now.duration_since(run.started_at).as_secs() / 86_400;
        let is_old = 0 < days && i64::from(days) < age;
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
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::report::{Headline, Standing};
    use jitterscope_engine::run::Ending;

    use super::*;
    use crate::run_list::RunListEntry;

    fn item(path: &str, age_days: i64, tags: &[&str]) -> LibraryItem {
        let run = RunListEntry {
            id: path.to_owned(),
            name: path.to_owned(),
            given_name: String::new(),
            note: String::new(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            test: "frame-loop",
            test_name: "Frame loop",
            fingerprint: String::new(),
            setting: String::new(),
            headline: Headline {
                standing: Standing::Clear,
                grade: None,
                word: String::new(),
                number: String::new(),
                best_p99: None,
                longest_gap: None,
                rows: 1,
                refused: 0,
                ending: Ending::Finished,
            },
            verdict: String::new(),
            key_result: String::new(),
            change: None,
            machine: String::new(),
            started_at: jiff::Timestamp::from_second(-age_days * 86_400).unwrap(),
            measured: Nanos::ZERO,
        };
        let path = PathBuf::from(path);
        let files = vec![path.clone()];
        LibraryItem { path, files, bytes: 1_000_000, run: Ok(run), parts: Vec::new() }
    }

    #[test]
    fn only_the_oldest_without_words_of_the_user_are_beyond_the_limits() {
        let items = [item("new", 1, &[]), item("old", 40, &[]), item("tagged", 90, &["baseline"])];
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
