//! The text styles of the design: size, weight and line height go together.

use std::collections::BTreeMap;

use eframe::egui::{FontFamily, FontId, RichText, TextStyle};

use super::fonts::SEMIBOLD;

/// A text style by purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// The answer of the quick check: 21 semi-bold.
    Verdict,
    /// The number of a tile: 19 semi-bold.
    Value,
    /// The number of a tile in a narrow window: 17 semi-bold.
    ValueNarrow,
    /// A page's title: 17 semi-bold.
    Title,
    /// The sentence of a verdict, and the brand's name: 15 semi-bold.
    Sentence,
    /// Text and buttons: 13.
    Body,
    /// Titles of cards, grade words, primary buttons: 13 semi-bold.
    Strong,
    /// Table cells: 12.5.
    Table,
    /// Important table cells: 12.5 semi-bold.
    TableStrong,
    /// Labels of fields, segments, units, badges: 12.
    Label,
    /// The selected segment: 12 semi-bold.
    LabelStrong,
    /// Header of a table: 11.5 semi-bold.
    TableHeader,
    /// Hints and the status bar: 11.5.
    Small,
    /// Axes of plots, shortcuts on buttons: 11.
    Axis,
    /// Captions of groups, in capitals: 11 semi-bold.
    Caption,
    /// Commands, paths, error codes: 11.5, monospaced.
    Mono,
}

impl Type {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Verdict,
        Self::Value,
        Self::ValueNarrow,
        Self::Title,
        Self::Sentence,
        Self::Body,
        Self::Strong,
        Self::Table,
        Self::TableStrong,
        Self::Label,
        Self::LabelStrong,
        Self::TableHeader,
        Self::Small,
        Self::Axis,
        Self::Caption,
        Self::Mono,
    ];

    /// Size of the letters, in points.
    pub const fn size(self) -> f32 {
        match self {
            Self::Verdict => 21.0,
            Self::Value => 19.0,
            Self::ValueNarrow | Self::Title => 17.0,
            Self::Sentence => 15.0,
            Self::Body | Self::Strong => 13.0,
            Self::Table | Self::TableStrong => 12.5,
            Self::Label | Self::LabelStrong => 12.0,
            Self::TableHeader | Self::Small | Self::Mono => 11.5,
            Self::Axis | Self::Caption => 11.0,
        }
    }

    /// Height of a line, in points.
    pub const fn line_height(self) -> f32 {
        match self {
            Self::Verdict => 28.0,
            Self::Value => 24.0,
            Self::ValueNarrow | Self::Title => 22.0,
            Self::Sentence => 20.0,
            Self::Body | Self::Strong | Self::Table | Self::TableStrong => 18.0,
            Self::Label | Self::LabelStrong => 17.0,
            Self::TableHeader | Self::Small | Self::Mono => 16.0,
            Self::Axis | Self::Caption => 15.0,
        }
    }

    /// The font.
    pub fn font(self) -> FontId {
        let family = match self {
            Self::Body | Self::Table | Self::Label | Self::Small | Self::Axis => {
                FontFamily::Proportional
            }
            Self::Mono => FontFamily::Monospace,
            Self::Verdict
            | Self::Value
            | Self::ValueNarrow
            | Self::Title
            | Self::Sentence
            | Self::Strong
            | Self::TableStrong
            | Self::LabelStrong
            | Self::TableHeader
            | Self::Caption => FontFamily::Name(SEMIBOLD.into()),
        };
        FontId::new(self.size(), family)
    }

    /// egui's name for the style.
    pub fn style(self) -> TextStyle {
        match self {
            Self::Body => TextStyle::Body,
            Self::Small => TextStyle::Small,
            Self::Title => TextStyle::Heading,
            Self::Mono => TextStyle::Monospace,
            other => TextStyle::Name(format!("{other:?}").into()),
        }
    }

    /// Text in this style, in the color of its surroundings.
    pub fn text(self, text: impl Into<String>) -> RichText {
        RichText::new(text).text_style(self.style()).line_height(Some(self.line_height()))
    }
}

/// All styles for egui, which has its own names for `Body` and similar ones.
pub(super) fn text_styles() -> BTreeMap<TextStyle, FontId> {
    let mut styles: BTreeMap<_, _> =
        Type::ALL.into_iter().map(|style| (style.style(), style.font())).collect();
    styles.insert(TextStyle::Button, Type::Body.font());
    styles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_has_a_name_of_its_own() {
        assert_eq!(text_styles().len(), Type::ALL.len() + 1);
    }
}
