//! Filter of the list of saved runs: by words, test, machine, verdict, and tag.

use serde::{Deserialize, Serialize};

use super::{LibraryItem, RunListEntry};
use crate::text;

/// The filter of the list of saved runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RunFilter {
    /// Words that must all match. A plain word is searched in name, note, machine, test, and tags.
    /// A word with the prefix `tag:`, `test:`, or `machine:` is searched in that field only; dates
    /// have the prefix `before:` or `after:`.
    pub words: String,
    /// The name of the test that a run must have; `None` for any test.
    pub test: Option<String>,
    /// The machine that a run must have, as the list shows it; `None` for any machine.
    pub machine: Option<String>,
    /// The text of the verdict that an entry must have; `None` for any verdict.
    pub verdict: Option<String>,
    /// A tag that a run must have; `None` for any tags.
    pub tag: Option<String>,
}

/// A filter that the user named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedFilter {
    /// The name of the filter.
    pub name: String,
    /// The conditions of the filter.
    #[serde(flatten)]
    pub filter: RunFilter,
}

/// Returns the verdict of a list entry in one or two words.
pub fn verdict_of(item: &LibraryItem) -> &str {
    item.run.as_ref().map_or("Cannot be read", |run| run.verdict.as_str())
}

impl RunFilter {
    /// Returns whether the entry meets all conditions. An unreadable file meets no condition on
    /// test, machine, or tag; words are searched in its path and in the error.
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

/// Returns the words of a filter as they are; an error if one of their dates is none.
pub fn parse_words(words: &str) -> Result<String, String> {
    let is_date = |date: &str| {
        let whole = ["", "-01", "-01-01"].map(|rest| format!("{date}{rest}"));
        whole.iter().any(|whole| whole.parse::<jiff::civil::Date>().is_ok())
    };
    for word in words.split_whitespace() {
        let date = word.split_once(':').filter(|(field, _)| ["before", "after"].contains(field));
        if let Some((field, date)) = date.filter(|(_, date)| !is_date(date)) {
            return Err(format!("'{date}' is not a date: use {field}:2026-11-21"));
        }
    }
    Ok(words.to_owned())
}

/// Returns whether one word of a filter matches a run.
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

/// Returns the day of a run in this PC's time zone as `2025-11-19`, so that days compare as text.
fn day(run: &RunListEntry) -> String {
    text::local(run.started_at).strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::run::Ending;

    use super::*;

    fn item(name: &str, tags: &[&str]) -> LibraryItem {
        LibraryItem::example(name, tags, |run| {
            run.given_name = name.to_owned();
            run.note = "after the driver update".to_owned();
            run.headline.ending = Ending::Stopped;
            run.verdict = "Stopped".to_owned();
            run.key_result = "9 frames".to_owned();
            run.machine = "AMD Ryzen 9 5950X · Linux 6.8".to_owned();
            run.started_at = "2025-11-20T12:00:00Z".parse().unwrap();
        })
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
    fn a_date_that_is_none_is_an_error() {
        for good in ["", "before:2026-11-21 matrix", "after:2026-11", "before:2026", "tag:before:x"]
        {
            assert_eq!(parse_words(good).as_deref(), Ok(good));
        }
        for bad in ["before:2026-13-40", "x after:yesterday", "after:"] {
            assert!(parse_words(bad).unwrap_err().contains("is not a date"), "{bad}");
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
