//! The text styles of the design: each combines size, weight, and line height.

use std::collections::BTreeMap;

use eframe::egui::{FontFamily, FontId, RichText, TextStyle};

use super::fonts::SEMIBOLD;

/// A text style, named by its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// The verdict of the quick check: 21 points, semi-bold.
    Verdict,
    /// The number of a tile (a box with one number): 19 points, semi-bold.
    Value,
    /// The number of a tile in a narrow window: 17 points, semi-bold.
    ValueNarrow,
    /// A page's title: 17 points, semi-bold.
    Title,
    /// The sentence of a verdict, and the brand's name: 15 points, semi-bold.
    Sentence,
    /// Text and buttons: 13 points.
    Body,
    /// Titles of cards, words for grades, and primary buttons: 13 points, semi-bold.
    Strong,
    /// Table cells: 12.5 points.
    Table,
    /// Important table cells: 12.5 points, semi-bold.
    TableStrong,
    /// Labels of fields, segments, and badges, and units: 12 points.
    Label,
    /// The selected segment of a segmented control: 12 points, semi-bold.
    LabelStrong,
    /// Header of a table: 11.5 points, semi-bold.
    TableHeader,
    /// Hints and the status bar: 11.5 points.
    Small,
    /// Axes of plots, shortcuts on buttons: 11 points.
    Axis,
    /// Captions of groups, in capitals: 11 points, semi-bold.
    Caption,
    /// Commands, paths, error codes: 11.5 points, monospaced.
    Mono,
}

impl Type {
    /// All text styles.
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

    /// Returns the font size in points.
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

    /// Returns the height of a line in points.
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

    /// Returns the font of the style.
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

    /// Returns the name under which egui stores the style.
    pub fn style(self) -> TextStyle {
        match self {
            Self::Body => TextStyle::Body,
            Self::Small => TextStyle::Small,
            Self::Title => TextStyle::Heading,
            Self::Mono => TextStyle::Monospace,
            other => TextStyle::Name(format!("{other:?}").into()),
        }
    }

    /// Returns text in this style, in the color of the surrounding text.
    pub fn text(self, text: impl Into<String>) -> RichText {
        RichText::new(text).text_style(self.style()).line_height(Some(self.line_height()))
    }
}

/// Returns the font of every style by its name in egui, and the font of egui's own style `Button`.
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
