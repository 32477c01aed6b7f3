//! Grades and states: each has a word, an icon, and a color, so that color is never the only cue.

use eframe::egui::{Color32, Response, Role, Sense, Ui, WidgetInfo, vec2};
use jitterscope_engine::stats::Grade;

use crate::theme::{Tokens, icons, paint_icon};

/// A grade, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Excellent or good.
    Good,
    /// Fair; a warning; worse than before.
    Fair,
    /// Poor; an error.
    Poor,
    /// Information, neither good nor bad.
    Info,
    /// Denied by the operating system.
    Denied,
    /// Not measured.
    NotMeasured,
    /// Cannot be had on this system.
    NotAvailable,
}

impl Severity {
    /// Returns the severity of a grade; without one it is information.
    pub const fn of_grade(grade: Option<Grade>) -> Self {
        match grade {
            Some(Grade::Excellent | Grade::Good) => Self::Good,
            Some(Grade::Fair) => Self::Fair,
            Some(Grade::Poor) => Self::Poor,
            None => Self::Info,
        }
    }

    /// The label, if no grade gives a better one.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Good => "Good",
            Self::Fair => "Fair",
            Self::Poor => "Poor",
            Self::Info => "Information",
            Self::Denied => "Denied",
            Self::NotMeasured => "Not measured",
            Self::NotAvailable => "Not available",
        }
    }

    /// The icon: its shape alone identifies the grade.
    pub const fn icon(self) -> &'static str {
        match self {
            Self::Good => icons::CHECK_CIRCLE_FILL,
            Self::Fair => icons::WARNING_FILL,
            Self::Poor => icons::WARNING_OCTAGON_FILL,
            Self::Info => icons::INFO_FILL,
            Self::Denied => icons::SHIELD_WARNING_FILL,
            Self::NotMeasured => icons::MINUS_CIRCLE,
            Self::NotAvailable => icons::PROHIBIT,
        }
    }

    /// The color of the icon.
    pub const fn color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Good => tokens.good,
            Self::Fair | Self::Denied => tokens.fair,
            Self::Poor => tokens.poor,
            Self::Info => tokens.info,
            Self::NotMeasured | Self::NotAvailable => tokens.t3,
        }
    }

    /// The color of the word.
    pub const fn word_color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::NotMeasured | Self::NotAvailable => tokens.t2,
            other => other.color(tokens),
        }
    }

    /// The color of the bar next to a strip.
    pub const fn bar_color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::NotMeasured | Self::NotAvailable => tokens.line2,
            other => other.color(tokens),
        }
    }

    /// The background of a strip.
    pub const fn strip_color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Good => tokens.good_strip,
            Self::Fair | Self::Denied => tokens.fair_strip,
            Self::Poor => tokens.poor_strip,
            Self::Info => tokens.info_strip,
            Self::NotMeasured | Self::NotAvailable => tokens.card,
        }
    }

    /// Shows only the icon; its name and hover text are the label.
    pub fn icon_ui(self, ui: &mut Ui, size: f32) -> Response {
        let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::hover());
        paint_icon(ui.painter(), rect.center(), self.icon(), size, self.color(Tokens::of(ui)));
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, self.word()));
        response.on_hover_text(self.word())
    }
}
