//! The limits file, in TOML. The position of every value is stored, so that error messages point at
//! the faulty value.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Value;

pub(super) use toml::Spanned;

use crate::cli::output::read_text;

/// The content of a limits file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LimitsFile {
    /// Maximum duration of all repeats of one test, for example `10min`.
    pub(super) time_limit: Option<Spanned<String>>,
    /// What disturbed runs mean: `undecided` (the default) or `count`.
    pub(super) disturbed: Option<Spanned<String>>,
    /// The tests, each under `[[test]]`.
    pub(super) test: Vec<TestEntry>,
}

/// A test to run, with its limits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TestEntry {
    /// The key of the test, for example `frame-loop`.
    pub(super) test: Spanned<String>,
    /// The name of the test in the results.
    pub(super) name: Option<String>,
    /// The preset to start from.
    pub(super) preset: Option<Spanned<String>>,
    /// The settings of the test: options of the test's command, without the leading hyphens, and
    /// their values.
    #[serde(default)]
    pub(super) settings: BTreeMap<Spanned<String>, Value>,
    /// Files of baseline runs, relative to the folder of the limits file.
    #[serde(default)]
    pub(super) baseline: Vec<Spanned<String>>,
    /// The limits, each under `[[test.limit]]`.
    pub(super) limit: Vec<LimitEntry>,
}

/// A limit on one metric of the test.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LimitEntry {
    /// The key of the metric, for example `p99`.
    pub(super) metric: Spanned<String>,
    /// The configuration to which the limit applies; `None` for all configurations.
    pub(super) configuration: Option<Spanned<String>>,
    /// The maximum allowed value: `2ms`.
    pub(super) max: Option<Spanned<String>>,
    /// The minimum allowed value: `58fps`.
    pub(super) min: Option<Spanned<String>>,
    /// The maximum allowed increase from the baseline: `20%`, `500us`.
    pub(super) max_increase: Option<Spanned<String>>,
    /// The maximum allowed decrease from the baseline.
    pub(super) max_decrease: Option<Spanned<String>>,
}

/// An error in the limits file, with its position.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) struct FileError {
    /// Describes the faulty value and the expected value.
    message: String,
    /// Line and column, counted from 1; `None` if the file cannot be read.
    place: Option<(usize, usize)>,
    path: PathBuf,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => {
                write!(f, "{}: {}, line {line}, column {column}", self.message, self.path.display())
            }
            None => write!(f, "{}: {}", self.message, self.path.display()),
        }
    }
}

/// The text of a limits file, from which line and column of an error are computed.
#[derive(Debug)]
pub(super) struct SourceText {
    pub(super) path: PathBuf,
    text: String,
}

impl SourceText {
    /// Reads the text of the limits file at `path`.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let fail = |message: String| FileError { message, place: None, path: path.to_owned() };
        let text =
            read_text(path).map_err(|error| fail(format!("cannot read the limits: {error}")))?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// Parses the limits of the file.
    pub(super) fn limits(&self) -> Result<LimitsFile, FileError> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().trim_end().replace('\n', " ").replace('`', "'");
            self.error(&error.span().unwrap_or(0..0), message)
        })
    }

    /// Returns an error at this byte range of the file.
    pub(super) fn error(&self, at: &Range<usize>, message: impl Into<String>) -> FileError {
        let before = self.text.get(..at.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        FileError { message: message.into(), place: Some((line, column)), path: self.path.clone() }
    }
}

/// Returns the values of a setting in the syntax of the command line; `None` for a table or a date.
pub(super) fn option_values(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Integer(number) => Some(vec![number.to_string()]),
        Value::Float(number) => Some(vec![number.to_string()]),
        Value::Boolean(is_on) => Some(vec![is_on.to_string()]),
        Value::Array(values) => {
            let all: Option<Vec<_>> = values.iter().map(option_values).collect();
            Some(all?.concat())
        }
        Value::Datetime(_) | Value::Table(_) => None,
    }
}
