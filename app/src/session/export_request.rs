//! What is to be exported: of which runs, as what, and which parts of it.

use std::path::PathBuf;

use jitterscope_engine::export::{Format, LeftIn, Parts};

use crate::text::export as words;

/// What is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The result on the page of a test, by its key.
    Result(&'static str),
    /// Saved runs; at least one.
    Runs(Vec<PathBuf>),
    /// The runs that are held side by side.
    Comparison,
}

/// As what it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportKind {
    /// A file that holds a run.
    File(Format),
    /// A picture of the result, as its page shows it.
    Picture,
    /// What several runs say of each other, for a ticket.
    Comparison,
}

impl ExportKind {
    /// Text for a ticket, of one run.
    pub const TICKET: Self = Self::File(Format::Markdown);

    /// The words on screen.
    pub const fn label(self) -> &'static str {
        let [picture, comparison] = [words::PICTURE[0], words::COMPARISON[0]];
        match self {
            Self::File(format) => format.label(),
            Self::Picture => picture,
            Self::Comparison => comparison,
        }
    }

    /// What it is good for, in a few words.
    pub const fn about(self) -> &'static str {
        let [picture, comparison] = [words::PICTURE[1], words::COMPARISON[1]];
        match self {
            Self::File(format) => format.about(),
            Self::Picture => picture,
            Self::Comparison => comparison,
        }
    }

    /// The word by which it is remembered.
    pub const fn key(self) -> &'static str {
        match self {
            Self::File(format) => format.key(),
            Self::Picture => "png",
            Self::Comparison => "comparison",
        }
    }

    /// The kind of this word.
    pub fn of_key(key: &str) -> Option<Self> {
        let others = [Self::Picture, Self::Comparison];
        let other = || others.into_iter().find(|kind| kind.key() == key);
        Format::of_key(key).map(Self::File).or_else(other)
    }

    /// Whether it is made to be pasted.
    pub const fn is_pasted(self) -> bool {
        matches!(self, Self::File(Format::Markdown) | Self::Comparison | Self::Picture)
    }

    /// Whether it is text that is read as something else: tables and paragraphs.
    pub const fn is_rendered(self) -> bool {
        self.is_markdown() || self.is_sheet()
    }

    /// Whether it is Markdown.
    pub const fn is_markdown(self) -> bool {
        matches!(self, Self::File(Format::Markdown) | Self::Comparison)
    }

    /// Whether it is a sheet of comma-separated values.
    pub const fn is_sheet(self) -> bool {
        matches!(self, Self::File(Format::CsvSummary | Format::CsvSamples))
    }
}

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// As what.
    pub kind: ExportKind,
    /// The configuration, where one is written alone; the recommended one where none is named.
    pub row: Option<usize>,
    /// What goes into the file.
    pub parts: Parts,
    /// The names that are left in.
    pub left_in: LeftIn,
    /// Whether a picture is dark.
    pub is_dark: bool,
}

impl Order {
    /// Text for a ticket as it is copied without asking: without names, with notes.
    pub const fn ticket(subject: &Subject) -> Self {
        let kind = match subject {
            Subject::Comparison => ExportKind::Comparison,
            Subject::Result(_) | Subject::Runs(_) => ExportKind::TICKET,
        };
        Self { kind, row: None, parts: Parts::ALL, left_in: LeftIn::Nothing, is_dark: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_again_by_its_word() {
        let files = Format::ALL.map(ExportKind::File);
        for kind in files.into_iter().chain([ExportKind::Picture, ExportKind::Comparison]) {
            assert_eq!(ExportKind::of_key(kind.key()), Some(kind));
        }
        assert_eq!(ExportKind::of_key(""), None);
    }
}
