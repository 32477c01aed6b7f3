//! Filters of the list of runs: by words, and by test, machine, verdict, and tag.

use std::collections::BTreeSet;

use eframe::egui::{Id, TextEdit, Ui};

use crate::session::{LibraryItem, RunListEntry};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Command, combo, key_text};

/// Id of the search field, which a shortcut focuses.
pub(super) const SEARCH: &str = "search-runs";

/// Which runs are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// Words that must all match: plain ones anywhere, `tag:`, `test:`, `before:`, and `after:` in
    /// their field.
    words: String,
    test: Option<String>,
    machine: Option<String>,
    verdict: Option<String>,
    tag: Option<String>,
}

/// The available values.
#[derive(Debug, Default)]
pub(super) struct Facets {
    tests: Vec<String>,
    machines: Vec<String>,
    verdicts: Vec<String>,
    tags: Vec<String>,
}

/// The verdict of a file in one word.
pub(super) fn verdict_of(item: &LibraryItem) -> &str {
    item.run.as_ref().map_or("Cannot be read", |run| &run.headline.word)
}

impl Facets {
    pub(super) fn of(items: &[LibraryItem]) -> Self {
        let runs = || items.iter().filter_map(|item| item.run.as_ref().ok());
        let sorted = |values: BTreeSet<&str>| values.into_iter().map(str::to_owned).collect();
        Self {
            tests: sorted(runs().map(|run| run.test_name).collect()),
            machines: sorted(runs().map(|run| run.machine.as_str()).collect()),
            verdicts: sorted(items.iter().map(verdict_of).collect()),
            tags: sorted(runs().flat_map(|run| &run.tags).map(String::as_str).collect()),
        }
    }
}

impl Filter {
    /// Whether a file is listed. An unreadable one matches only if nothing but its file is
    /// searched.
    pub(super) fn matches(&self, item: &LibraryItem) -> bool {
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

    /// Draws the search field and the combos.
    pub(super) fn ui(&mut self, ui: &mut Ui, facets: &Facets) {
        let tokens = Tokens::of(ui);
        let is_narrow = ui.content_rect().width() < size::WIDE_FROM;
        ui.scope(|ui| {
            ui.visuals_mut().widgets.inactive.bg_stroke.color = tokens.ctl;
            let key = key_text(ui.ctx(), Command::FindRun);
            let hint = format!("Search names, tags, notes ({key})");
            let edit = TextEdit::singleline(&mut self.words)
                .id(Id::unique(SEARCH))
                .hint_text(Type::Body.text(hint).color(tokens.t3))
                .desired_width(if is_narrow { 160.0 } else { 252.0 });
            ui.add(edit).accessible_name("Search runs").on_hover_text(
                "Finds runs that match every word. Filters: tag:server, test:frame, \
                 before:2025-11-19, after:2025-11-01.",
            );
        });
        let width = if is_narrow { 96.0 } else { 116.0 };
        for (name, all, value, options) in [
            ("Tests", "All tests", &mut self.test, &facets.tests),
            ("Machines", "All machines", &mut self.machine, &facets.machines),
            ("Verdicts", "All verdicts", &mut self.verdict, &facets.verdicts),
            ("Tags", "All tags", &mut self.tag, &facets.tags),
        ] {
            // A selected value stays in the list after its last run is gone.
            let gone = value.clone().filter(|value| !options.contains(value));
            let choices: Vec<(Option<String>, &str)> = std::iter::once((None, all))
                .chain(options.iter().map(|option| (Some(option.clone()), option.as_str())))
                .chain(gone.as_ref().map(|gone| (Some(gone.clone()), gone.as_str())))
                .collect();
            combo(ui, name, value, &choices, width);
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
    use jitterscope_engine::report::Headline;
    use jitterscope_engine::run::Ending;

    use super::*;

    fn item(name: &str, tags: &[&str]) -> LibraryItem {
        LibraryItem {
            path: name.into(),
            bytes: 1,
            run: Ok(RunListEntry {
                name: name.to_owned(),
                given_name: name.to_owned(),
                note: "after the driver update".to_owned(),
                tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
                test: "frame-loop",
                test_name: "Frame loop",
                headline: Headline {
                    doubt: None,
                    grade: None,
                    best_p99: None,
                    word: "Stopped".to_owned(),
                    number: "9 frames".to_owned(),
                    rows: 1,
                    refused: 0,
                    ending: Ending::Stopped,
                },
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
            let filter = Filter { words: words.to_owned(), ..Filter::default() };
            assert_eq!(filter.matches(&item), passes, "{words}");
        }
    }

    #[test]
    fn facets_narrow_and_a_damaged_file_is_found_by_its_verdict() {
        let (good, damaged) = (
            item("one", &["a"]),
            LibraryItem { path: "two".into(), bytes: 1, run: Err("damaged".to_owned()) },
        );
        let facets = Facets::of(&[good.clone(), damaged.clone()]);
        assert_eq!(facets.verdicts, ["Cannot be read", "Stopped"]);
        assert_eq!(
            (facets.tags.as_slice(), facets.tests.as_slice()),
            (["a".to_owned()].as_slice(), ["Frame loop".to_owned()].as_slice())
        );
        let verdict = Some("Cannot be read".to_owned());
        let filter = Filter { verdict, ..Filter::default() };
        assert!(!filter.matches(&good) && filter.matches(&damaged));
        let filter = Filter { tag: Some("a".to_owned()), ..Filter::default() };
        assert!(filter.matches(&good) && !filter.matches(&damaged));
    }
}
