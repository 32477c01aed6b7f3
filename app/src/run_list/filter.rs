//! Which saved runs are listed: by words, and by test, machine, verdict, and tag.

use serde::{Deserialize, Serialize};

use super::{LibraryItem, RunListEntry};
use crate::text;

/// Which runs are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RunFilter {
    /// Words that must all match: plain ones anywhere, `tag:`, `test:`, `before:`, and `after:` in
    /// their field.
    pub words: String,
    /// The name of a test.
    pub test: Option<String>,
    /// Processor and system.
    pub machine: Option<String>,
    /// The words of a verdict.
    pub verdict: Option<String>,
    /// A tag.
    pub tag: Option<String>,
}

/// A filter that the user named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFilter {
    /// Its name.
    pub name: String,
    /// What it lists.
    #[serde(flatten)]
    pub filter: RunFilter,
}

/// The verdict of a file in a word or two.
pub fn verdict_of(item: &LibraryItem) -> &str {
    item.run.as_ref().map_or("Cannot be read", |run| run.verdict.as_str())
}

impl RunFilter {
    /// Whether a file is listed. An unreadable one matches only if nothing but its file is
    /// searched.
    pub fn matches(&self, item: &LibraryItem) -> bool {
        let fits = |wanted: &Option<String>, has: &dyn Fn(&str) -> bool| {
            wanted.as_ref().is_none_or(|wanted| has(wanted))
        };
        if !fits(&self.verdict, &|verdict| verdict_of(item) == verdict) {
            return false;
        }
        match &item.run {
            Ok(run) => {
                fits(&self.test, &|test| run.test_name == test)
                    && fits(&self.machine, &|machine| run.machine == machine)
                    && fits(&self.tag, &|tag| run.tags.iter().any(|own| own == tag))
                    && self.words.split_whitespace().all(|word| is_found(run, word))
            }
            Err(why) => {
                let file = item.path.to_string_lossy().to_lowercase();
                let found = |word: &str| {
                    let word = word.to_lowercase();
                    file.contains(&word) || why.to_lowercase().contains(&word)
                };
                self.test.is_none()
                    && self.machine.is_none()
                    && self.tag.is_none()
                    && self.words.split_whitespace().all(found)
            }
        }
    }
}

/// Whether a word matches a run.
fn is_found(run: &RunListEntry, word: &str) -> bool {
    let word = word.to_lowercase();
    let has = |text: &str, word: &str| text.to_lowercase().contains(word);
    match word.split_once(':') {
        Some(("tag", tag)) => run.tags.iter().any(|own| has(own, tag)),
        Some(("test", test)) => has(run.test_name, test) || has(run.test, test),
        Some(("machine", machine)) => has(&run.machine, machine),
        Some(("before", date)) => day(run).as_str() < date,
        Some(("after", date)) => date < day(run).as_str(),
        _ => {
            has(&run.name, &word)
                || has(&run.note, &word)
                || has(&run.machine, &word)
                || has(run.test_name, &word)
                || run.tags.iter().any(|tag| has(tag, &word))
        }
    }
}

/// The day of a run in this PC's time zone: `2025-11-19`, so that days compare as text.
fn day(run: &RunListEntry) -> String {
    text::local(run.started_at).strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::report::{Headline, Standing};
    use jitterscope_engine::run::Ending;

    use super::*;

    fn item(name: &str, tags: &[&str]) -> LibraryItem {
        LibraryItem {
            path: name.into(),
            files: vec![name.into()],
            bytes: 1,
            parts: Vec::new(),
            run: Ok(RunListEntry {
                id: "0a1b2c3d".to_owned(),
                name: name.to_owned(),
                given_name: name.to_owned(),
                note: "after the driver update".to_owned(),
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                test: "frame-loop",
                test_name: "Frame loop",
                fingerprint: String::new(),
                setting: String::new(),
                change: None,
                headline: Headline {
                    standing: Standing::Clear,
                    grade: None,
                    word: String::new(),
                    number: String::new(),
                    best_p99: None,
                    longest_gap: None,
                    rows: 1,
                    refused: 0,
                    ending: Ending::Stopped,
                },
                verdict: "Stopped".to_owned(),
                key_result: "9 frames".to_owned(),
                machine: "AMD Ryzen 9 5950X · Linux 6.8".to_owned(),
                started_at: "2025-11-20T12:00:00Z".parse().unwrap(),
                measured: Nanos::from_secs(30),
            }),
        }
    }

    #[test]
    fn words_are_looked_for_where_they_say() {
        let item = item("Matrix, Linux baseline", &["limiter", "BUG-4127"]);
        for (words, passes) in [
            ("", true),
            ("matrix linux", true),
            ("DRIVER ryzen", true),
            ("matrix windows", false),
            ("tag:bug-4127", true),
            ("tag:matrix", false),
            ("test:frame", true),
            ("test:gaps", false),
            ("before:2025-11-22", true),
            ("before:2025-11-18", false),
            ("after:2025-11-18 limiter", true),
        ] {
            let filter = RunFilter { words: words.to_owned(), ..RunFilter::default() };
            assert_eq!(filter.matches(&item), passes, "{words}");
        }
    }

    #[test]
    fn a_damaged_file_is_found_by_its_verdict() {
        let (good, damaged) = (
            item("one", &["a"]),
            LibraryItem { run: Err("damaged".to_owned()), ..item("two", &[]) },
        );
        let verdict = Some("Cannot be read".to_owned());
        let filter = RunFilter { verdict, ..RunFilter::default() };
        assert!(!filter.matches(&good) && filter.matches(&damaged));
        let filter = RunFilter { tag: Some("a".to_owned()), ..RunFilter::default() };
        assert!(filter.matches(&good) && !filter.matches(&damaged));
    }
}
