//! The columns of the datasets for query engines: every column is documented, and rows have no other columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use jitterscope_engine::export::Options;
use jitterscope_engine::export::dataset::{
    Dataset, Field, Kind, SCHEMA_VERSION, Salt, Source, fields, subjects,
};
use jitterscope_engine::import;

use crate::tidy::root;

/// If this environment variable is set, the test writes the schema instead of comparing it.
const WRITES: &str = "JITTERSCOPE_WRITE_SCHEMA";

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "STRING",
        Kind::Whole => "INT64",
        Kind::Number => "DOUBLE",
        Kind::Instant => "TIMESTAMP, µs, UTC",
    }
}

/// Returns the columns of a dataset, each with the keys of the tests that have it.
fn columns(dataset: Dataset) -> Vec<(Field, Vec<&'static str>)> {
    let mut found: Vec<(Field, Vec<&'static str>)> = Vec::new();
    for subject in subjects() {
        for field in fields(dataset, &subject) {
            match found.iter_mut().find(|(known, _)| known.key == field.key) {
                Some((known, tests)) => {
                    assert_eq!(known.kind, field.kind, "{} has two types", field.key);
                    tests.push(subject.key());
                }
                None => found.push((field, vec![subject.key()])),
            }
        }
    }
    found
}

fn expected() -> String {
    let mut text = format!(
        "<!-- Made from the columns of the result tables by\n\
         JITTERSCOPE_WRITE_SCHEMA=1 cargo test -p jitterscope-tests schema_of_the_datasets -->\n\n\
         # Columns of the Parquet files\n\n\
         Version {SCHEMA_VERSION}. Files are in `DATASET/test=TEST/day=YYYY-MM-DD/`, with days in UTC: `test` and `day` \
         are columns of the folders. Every column may be absent (NULL). A new column does not change the version; a \
         column never changes its meaning within one.\n\n\
         Keys end in their unit: `_nanos` is nanoseconds, `_share` a share of 1. Intervals have two columns, grades \
         the worst and the best that the data allows. `metric_` columns are the same for all tests: what the test \
         is about is lateness, overshoot, the length of gaps, or the time of cycles. A definition is that of the \
         first test of its row, with default settings. Imports have no samples.\n\n\
         `machine_key` and `culprit_key` are the first 16 digits of a SHA-256 of salt and name. The key of a PC \
         follows from its host name without domain; of an import or a file from another PC, from its \
         hardware; a file from a PC with the hardware of the one that exports has the key of that one.\n"
    );
    let count = subjects().len();
    for dataset in Dataset::ALL {
        write!(
            text,
            "\n## {}\n\n{}\n\n| column | type | what it is | tests |\n| --- | --- | --- | --- |\n",
            dataset.key(),
            dataset.about()
        )
        .unwrap();
        for (Field { key, kind: of, definition }, tests) in columns(dataset) {
            let of = kind(of);
            let tests = if tests.len() == count { "all".to_owned() } else { tests.join(", ") };
            let definition = definition.replace('|', "\\|");
            writeln!(text, "| `{key}` | {of} | {definition} | {tests} |").unwrap();
        }
    }
    text
}

#[test]
fn schema_of_the_datasets_is_up_to_date() {
    let path = root().join("packaging/fleet/schema.md");
    let expected = expected();
    if std::env::var_os(WRITES).is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{WRITES}=1 writes it again: {}", path.display());
}

#[test]
fn rows_of_every_test_have_no_column_that_is_not_described() {
    let folder = tempfile::tempdir().unwrap();
    let salt = folder.path().join("salt");
    fs::write(&salt, "0123456789abcdef").unwrap();
    let (salt, options) = (Salt::read(&salt).unwrap(), Options::default());
    let all: BTreeMap<&str, _> =
        subjects().into_iter().map(|subject| (subject.key(), subject)).collect();
    let mut known = BTreeMap::new();
    for entry in fs::read_dir(root().join("tests/older")).unwrap() {
        let path = entry.unwrap().path();
        let Ok(imported) = import::read(&path, &import::Options::default()) else { continue };
        let run = imported.into_run();
        let source = Source::new(&run, &options, &salt, run.started_at);
        let subject = &all[source.test()];
        for (dataset, rows) in
            [(Dataset::Runs, source.runs()), (Dataset::Culprits, source.culprits())]
        {
            let described: Vec<_> =
                fields(dataset, subject).into_iter().map(|field| (field.key, field.kind)).collect();
            let found = rows.iter().map(|row| {
                let cells = row.cells().iter().map(|(field, _)| (field.key.clone(), field.kind));
                cells.collect::<Vec<_>>()
            });
            let found: Vec<_> = found.collect();
            // Compare the row with the most cells: the baseline of a What helps test has no effect columns.
            let widest = found.iter().max_by_key(|cells| cells.len());
            assert!(widest.is_none_or(|cells| *cells == described), "{}", path.display());
            for cells in &found {
                let is_described = cells.iter().all(|cell| described.contains(cell));
                assert!(is_described, "{}: {dataset:?}", path.display());
            }
            *known.entry((source.test(), dataset)).or_insert(0) += rows.len();
        }
    }
    assert!(5 < known.values().filter(|count| 0 < **count).count(), "{known:?}");
}
