//! JSON errors, with messages that do not mention types of this program.

use std::fmt::Display;
use std::io;

use serde::de::{Error, Expected, Unexpected};

use crate::units::shortened;

/// Why JSON cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The system could not read the file.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// The text ends within a value.
    #[error("the end of the file is missing")]
    End,
    /// The text is not JSON.
    #[error("not valid JSON")]
    Syntax,
    /// The text is JSON with unexpected content, or with more content than the limits permit.
    #[error("{0}")]
    Data(String),
}

impl JsonError {
    /// Returns the error for a value of the wrong type or out of range.
    pub(super) fn invalid() -> Self {
        Self::custom("a value is not valid")
    }
}

impl Error for JsonError {
    fn custom<T: Display>(what: T) -> Self {
        Self::Data(what.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::invalid()
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::invalid()
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::invalid()
    }

    fn unknown_variant(name: &str, _: &'static [&'static str]) -> Self {
        Self::Data(format!("'{}' is not known", shortened(name)))
    }

    fn missing_field(name: &'static str) -> Self {
        Self::Data(format!("'{name}' is missing"))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::Data(format!("'{name}' is repeated"))
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        use serde_json::error::Category;
        match error.classify() {
            Category::Io => Self::Io(error.into()),
            Category::Eof => Self::End,
            Category::Syntax => Self::Syntax,
            Category::Data => {
                let text = error.to_string();
                let place = format!(" at line {} column {}", error.line(), error.column());
                Self::Data(text.strip_suffix(&place).unwrap_or(&text).to_owned())
            }
        }
    }
}
