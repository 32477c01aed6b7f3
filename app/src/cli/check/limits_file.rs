//! The file of limits: TOML, with the place of every value, so that a typo is found at once.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Value;

pub(super) use toml::Spanned;

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// Everything in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LimitsFile {
    /// The longest time for the repeats of each test: `10min`.
    pub(super) time_limit: Option<Spanned<String>>,
    /// The tests, each under `[[test]]`.
    pub(super) test: Vec<TestEntry>,
}

/// A test to run, with its limits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TestEntry {
    /// Which test: `frame-loop`.
    pub(super) test: Spanned<String>,
    /// What it is called in the results.
    pub(super) name: Option<String>,
    /// The preset to start from.
    pub(super) preset: Option<Spanned<String>>,
    /// Options of the test's command, without the hyphens.
    #[serde(default)]
    pub(super) settings: BTreeMap<Spanned<String>, Value>,
    /// Files of baseline runs, relative to this file.
    #[serde(default)]
    pub(super) baseline: Vec<Spanned<String>>,
    /// The limits, each under `[[test.limit]]`.
    pub(super) limit: Vec<LimitEntry>,
}

/// One limit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LimitEntry {
    /// Which number: `p99`.
    pub(super) metric: Spanned<String>,
    /// The configuration that it is about; every one where none is named.
    pub(super) configuration: Option<Spanned<String>>,
    /// The highest value: `2ms`.
    pub(super) max: Option<Spanned<String>>,
    /// The lowest value: `58fps`.
    pub(super) min: Option<Spanned<String>>,
    /// By how much it may be above the baseline: `20%`, `500us`.
    pub(super) max_increase: Option<Spanned<String>>,
    /// By how much it may be below the baseline.
    pub(super) max_decrease: Option<Spanned<String>>,
}

/// What is wrong, and where in the file.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) struct FileError {
    /// What is wrong, and what is expected.
    message: String,
    /// Line and column from 1; absent where the file cannot be read.
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

/// The text of a file, to name places in it.
#[derive(Debug)]
pub(super) struct SourceText {
    pub(super) path: PathBuf,
    text: String,
}

impl SourceText {
    /// Reads the file.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let fail = |message: String| FileError { message, place: None, path: path.to_owned() };
        let wrong = |error: std::io::Error| fail(format!("cannot read the limits: {error}"));
        let bytes = std::fs::metadata(path).map_err(wrong)?.len();
        if MAX_BYTES < bytes {
            return Err(fail(format!("too large for a file of limits ({bytes} bytes)")));
        }
        let text = std::fs::read_to_string(path).map_err(wrong)?;
        Ok(Self { path: path.to_owned(), text })
    }

    /// Reads the limits in it.
    pub(super) fn limits(&self) -> Result<LimitsFile, FileError> {
        toml::from_str(&self.text).map_err(|error| {
            let message = error.message().trim_end().replace('\n', " ").replace('`', "'");
            self.error(&error.span().unwrap_or(0..0), message)
        })
    }

    /// An error at this place.
    pub(super) fn error(&self, at: &Range<usize>, message: impl Into<String>) -> FileError {
        let before = self.text.get(..at.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        FileError { message: message.into(), place: Some((line, column)), path: self.path.clone() }
    }
}

/// The values of a setting as the command line writes them; `None` where it is a table or a date.
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
