//! The request of an export: runs, format, and included parts.

use std::path::PathBuf;

use jitterscope_engine::export::{Format, IncludedNames, Parts};

use crate::text::export as words;

/// The results to export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The result on the page of the test with this key.
    Result(&'static str),
    /// Saved runs; at least one.
    Runs(Vec<PathBuf>),
    /// The runs that are compared.
    Comparison,
    /// The result on the page of the quick check.
    Check,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// A run as a file in this format.
    File(Format),
    /// An image of the result, as its page shows it.
    Image,
    /// The comparison of several runs as Markdown, for a ticket.
    Comparison,
    /// The comparison of several runs, as an HTML page.
    ComparisonPage,
}

/// A summary for the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedText {
    /// Markdown of at most 15 lines, for a ticket.
    Ticket,
    /// Plain text of at most 2 000 characters, for a chat.
    Chat,
}

impl ExportKind {
    /// Markdown of one run, for a ticket.
    pub const TICKET: Self = Self::File(Format::Markdown);

    /// Returns the label on screen, the use of the format in a few words, and the key that is saved in the settings.
    pub const fn words(self) -> [&'static str; 3] {
        match self {
            Self::File(format) => [format.label(), format.about(), format.key()],
            Self::Image => words::IMAGE,
            Self::Comparison => words::COMPARISON,
            Self::ComparisonPage => words::COMPARISON_PAGE,
        }
    }

    /// Returns the label on screen.
    pub const fn label(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the key that is saved in the settings.
    pub const fn key(self) -> &'static str {
        self.words()[2]
    }

    /// Returns the format with this key; `None` if there is none.
    pub fn of_key(key: &str) -> Option<Self> {
        let others = [Self::Image, Self::Comparison, Self::ComparisonPage];
        let other = || others.into_iter().find(|kind| kind.key() == key);
        Format::of_key(key).map(Self::File).or_else(other)
    }

    /// Returns whether the format describes several runs together.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Comparison | Self::ComparisonPage)
    }

    /// Returns whether this format writes a quick check as one file; other formats write one file
    /// per run.
    pub const fn is_of_check(self) -> bool {
        matches!(self, Self::File(Format::Html | Format::Json | Format::Markdown) | Self::Image)
    }

    /// Returns whether the main use of the format is the clipboard.
    pub const fn goes_to_clipboard(self) -> bool {
        matches!(self, Self::File(Format::Markdown) | Self::Comparison | Self::Image)
    }

    /// Returns whether the format is an HTML page.
    pub const fn is_page(self) -> bool {
        matches!(self, Self::File(Format::Html) | Self::ComparisonPage)
    }
}

/// The options of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// The format.
    pub kind: ExportKind,
    /// The index of the only configuration to export. `None` exports all configurations or, in a
    /// format for one configuration, the recommended one.
    pub row: Option<usize>,
    /// The parts of a run to include.
    pub parts: Parts,
    /// The private names to include.
    pub included_names: IncludedNames,
    /// Whether an image uses the dark theme.
    pub is_dark: bool,
}

impl ExportRequest {
    /// Returns the default request for a ticket: without private names, with the user's notes.
    pub const fn ticket(subject: &Subject) -> Self {
        let kind = match subject {
            Subject::Comparison => ExportKind::Comparison,
            Subject::Result(_) | Subject::Runs(_) | Subject::Check => ExportKind::TICKET,
        };
        Self {
            kind,
            row: None,
            parts: Parts::ALL,
            included_names: IncludedNames::NOTHING,
            is_dark: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_again_by_its_word() {
        let files = Format::ALL.map(ExportKind::File);
        let others = [ExportKind::Image, ExportKind::Comparison, ExportKind::ComparisonPage];
        for kind in files.into_iter().chain(others) {
            assert_eq!(ExportKind::of_key(kind.key()), Some(kind));
        }
        assert_eq!(ExportKind::of_key(""), None);
    }

    #[test]
    fn what_a_kind_is_for_fits_in_its_row() {
        let files = Format::ALL.map(ExportKind::File);
        let others = [ExportKind::Image, ExportKind::Comparison, ExportKind::ComparisonPage];
        for kind in files.into_iter().chain(others) {
            let [_, about, _] = kind.words();
            assert!(about.len() <= 33, "{about}");
        }
    }
}
