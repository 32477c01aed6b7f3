//! `runs list`: the saved runs as lines, CSV, or JSON.

use std::collections::HashMap;
use std::path::Path;

use clap::{ArgMatches, Command};
use jitterscope_engine::export::csv;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Headline;
use jitterscope_engine::store::format::safe_json;
use jitterscope_engine::store::{self, Line, Recovery, Store};
use serde_json::{Map, Value, json};

use super::super::print::{self, cell, print_message};
use super::super::{format_option, names, option, text};
use super::EditOutcome;
use crate::run_list::{LibraryItem, RunFilter, parse_words};
use crate::text as words;

/// The columns of the list as CSV, which are the keys of an entry as JSON.
const COLUMNS: [&str; 17] = [
    "id",
    "file",
    "name",
    "note",
    "tags",
    "test",
    "started_at",
    "measured_nanos",
    "verdict",
    "key_result",
    "p99_nanos",
    "longest_gap_nanos",
    "refused_count",
    "is_edited",
    "machine",
    "size_bytes",
    "error",
];

/// Returns the `list` subcommand with its options.
pub(super) fn command() -> Command {
    Command::new("list")
        .about("List saved runs, newest first")
        .arg(
            option(
                "filter",
                "WORDS",
                "List runs that have all these words in name, note, machine, test, or tags; also tag:WORD, test:WORD, \
                 machine:WORD, after:DATE, before:DATE, with dates such as 2026-11-21",
            )
            .value_parser(parse_words),
        )
        .arg(format_option(&["table", "json", "csv"], "Output format"))
}

/// Prints the saved runs, and below a table the runs that cannot be recovered yet.
pub(super) fn run(store: &Store, journals: &[Recovery], matches: &ArgMatches) -> EditOutcome {
    let lines = store.lines()?;
    let handles = Handles::of(&lines);
    let filter =
        RunFilter { words: text(matches, "filter").unwrap_or_default(), ..RunFilter::default() };
    let is_empty = lines.is_empty();
    let mut items = LibraryItem::list(lines);
    items.retain(|item| filter.matches(item));
    let content = match text(matches, "format").as_deref() {
        Some("json") => json_text(&items, &handles)?,
        Some("csv") => csv_text(&items, &handles)?,
        _ => {
            let waiting: Vec<&Recovery> = journals.iter().filter(|one| one.is_waiting()).collect();
            if is_empty && waiting.is_empty() {
                print_message(&format!("no runs in {} yet", store.folder().display()));
                return Ok(());
            }
            if items.is_empty() && waiting.is_empty() {
                print_message("no run has all these words");
            }
            table(&items, &waiting, &handles)
        }
    };
    print::print_output(&content)?;
    Ok(())
}

fn table(items: &[LibraryItem], waiting: &[&Recovery], handles: &Handles) -> String {
    let mut lines = String::new();
    for journal in waiting {
        lines.push_str(&names::redacted(&format!("–         {journal}\n")));
    }
    for item in items {
        let id = names::redacted(&handles.of_item(item));
        match &item.run {
            Ok(run) => {
                let when = words::date(&words::local(run.started_at));
                let refused = match run.headline.refused {
                    0 => String::new(),
                    refused => format!(", {refused} not as requested"),
                };
                // A quick check shows only a name that the user gave, because its default name
                // repeats the name of the test.
                let name =
                    if item.is_check() { run.given_name.as_str() } else { run.name.as_str() };
                let name = names::redacted(name);
                let edited = if run.headline.is_edited {
                    format!(", {}", Headline::EDITED)
                } else {
                    String::new()
                };
                let line = format!(
                    "{id}  {when:<18}  {:<18}  {:<15}  {}{refused}{edited}  {name}",
                    run.test_name, run.verdict, run.key_result
                );
                lines.push_str(line.trim_end());
                lines.push('\n');
            }
            Err(reason) => {
                lines.push_str(&names::redacted(&format!("{id}  cannot be read: {reason}\n")));
            }
        }
    }
    lines.replace(words::NARROW_SPACE, " ")
}

/// Returns the values of an entry in the order of [`COLUMNS`], without private names; null where the entry has none.
fn values(item: &LibraryItem, handles: &Handles) -> [Value; COLUMNS.len()] {
    let plain = |text: &str| Value::from(names::in_file(&text.replace(words::NARROW_SPACE, " ")));
    let [id, file] = [handles.of_item(item), store::stem_of(&item.path)].map(|text| plain(&text));
    let run = match &item.run {
        Ok(run) => run,
        Err(reason) => {
            let mut values = [const { Value::Null }; COLUMNS.len()];
            let [first, second, .., size, error] = &mut values;
            (*first, *second, *size, *error) = (id, file, item.bytes.into(), plain(reason));
            return values;
        }
    };
    let nanos = |value: Option<Nanos>| value.map(Nanos::get).into();
    [
        id,
        file,
        plain(&run.given_name),
        plain(&run.note),
        run.tags.iter().map(|tag| plain(tag)).collect(),
        run.test.into(),
        run.started_at.to_string().into(),
        run.measured.get().into(),
        plain(&run.verdict),
        plain(&run.key_result),
        nanos(run.headline.best_p99),
        nanos(run.headline.longest_gap),
        run.headline.refused.into(),
        run.headline.is_edited.into(),
        plain(&run.machine),
        item.bytes.into(),
        Value::Null,
    ]
}

fn csv_text(items: &[LibraryItem], handles: &Handles) -> std::io::Result<String> {
    let rows = items.iter().map(|item| values(item, handles).each_ref().map(cell));
    let mut content = Vec::new();
    csv::rows(COLUMNS, rows, &mut content)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
}

fn json_text(items: &[LibraryItem], handles: &Handles) -> Result<String, serde_json::Error> {
    let object = |item| -> Value {
        let values = COLUMNS.into_iter().map(str::to_owned).zip(values(item, handles));
        values.collect::<Map<_, _>>().into()
    };
    let list = json!({
        "format": "jitterscope-runs",
        "format_version": 1,
        "app_version": env!("CARGO_PKG_VERSION"),
        "runs": items.iter().map(object).collect::<Vec<_>>(),
    });
    Ok(safe_json(&serde_json::to_string_pretty(&list)?) + "\n")
}

/// The number of saved files per ID.
struct Handles(HashMap<String, u32>);

impl Handles {
    fn of(lines: &[Line]) -> Self {
        let mut counts = HashMap::new();
        for id in lines.iter().flat_map(Line::ids) {
            *counts.entry(id.to_string()).or_default() += 1;
        }
        Self(counts)
    }

    /// Returns the argument that selects an entry: its ID, or the name of its file if the ID is not unique.
    fn of_item(&self, item: &LibraryItem) -> String {
        match &item.run {
            Ok(run) if item.is_check() => run.id.clone(),
            Ok(run) => self.of_file(&item.path, Some(&run.id)),
            Err(_) => self
                .of_file(&item.path, store::id_of(&item.path).map(|id| id.to_string()).as_deref()),
        }
    }

    fn of_file(&self, path: &Path, id: Option<&str>) -> String {
        match id {
            Some(id) if self.0.get(id) == Some(&1) => id.to_owned(),
            _ => store::stem_of(path),
        }
    }
}
