//! The request of an export: the runs, the format, and the parts.

use std::path::PathBuf;

use jitterscope_engine::export::{Format, IncludedNames, Parts};

use crate::text::export as words;

/// The subject of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The result on the page of a test, by its key.
    Result(&'static str),
    /// Saved runs; at least one.
    Runs(Vec<PathBuf>),
    /// The runs that are compared.
    Comparison,
    /// The quick check on its page.
    Check,
}

/// The format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// A file that holds a run.
    File(Format),
    /// An image of the result, as its page shows it.
    Image,
    /// What several runs say of each other, for a ticket.
    Comparison,
    /// The same as a page for a browser.
    ComparisonPage,
}

impl ExportKind {
    /// Text for a ticket, of one run.
    pub const TICKET: Self = Self::File(Format::Markdown);

    /// The words on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::File(format) => format.label(),
            Self::Image => words::IMAGE[0],
            Self::Comparison => words::COMPARISON[0],
            Self::ComparisonPage => words::COMPARISON_PAGE[0],
        }
    }

    /// What it is good for, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::File(format) => format.about(),
            Self::Image => words::IMAGE[1],
            Self::Comparison => words::COMPARISON[1],
            Self::ComparisonPage => words::COMPARISON_PAGE[1],
        }
    }

    /// The word by which it is remembered.
    pub const fn key(self) -> &'static str {
        match self {
            Self::File(format) => format.key(),
            Self::Image => "png",
            Self::Comparison => "comparison",
            Self::ComparisonPage => "comparison-html",
        }
    }

    /// The kind of this word.
    pub fn of_key(key: &str) -> Option<Self> {
        let others = [Self::Image, Self::Comparison, Self::ComparisonPage];
        let other = || others.into_iter().find(|kind| kind.key() == key);
        Format::of_key(key).map(Self::File).or_else(other)
    }

    /// Whether it is of several runs together.
    pub const fn is_comparison(self) -> bool {
        matches!(self, Self::Comparison | Self::ComparisonPage)
    }

    /// Whether a quick check is written into one file of this kind; of others, each of its runs is.
    pub const fn is_of_check(self) -> bool {
        matches!(self, Self::File(Format::Html | Format::Markdown) | Self::Image)
    }

    /// Whether it is made to be pasted.
    pub const fn goes_to_clipboard(self) -> bool {
        matches!(self, Self::File(Format::Markdown) | Self::Comparison | Self::Image)
    }

    /// Whether it is a page for a browser.
    pub const fn is_page(self) -> bool {
        matches!(self, Self::File(Format::Html) | Self::ComparisonPage)
    }
}

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// As what.
    pub kind: ExportKind,
    /// The configuration, where one is written alone; the recommended one where none is named.
    pub row: Option<usize>,
    /// What goes into the file.
    pub parts: Parts,
    /// The included names.
    pub included_names: IncludedNames,
    /// Whether an image is dark.
    pub is_dark: bool,
}

impl ExportRequest {
    /// Text for a ticket as it is copied without asking: without names, with notes.
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
            assert!(kind.about().len() <= 33, "{}", kind.about());
        }
    }
}
