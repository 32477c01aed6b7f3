//! Grades and states: each has a word, an icon, and a color, so that color is never the only cue.

use eframe::egui::{Color32, Response, Role, Sense, Ui, WidgetInfo, vec2};
use jitterscope_engine::report::Standing;
use jitterscope_engine::stats::{Grade, GradeRange};

use crate::theme::{Tokens, icons, paint_icon};

/// A grade, a reason why there is no grade, or another state with an icon, such as a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The grade Excellent or Good.
    Good,
    /// A grade known only to be Good or better.
    GoodOrBetter,
    /// The grade Fair, a warning, or a result that became worse.
    Fair,
    /// A grade known only to be Fair or better.
    FairOrBetter,
    /// The grade Poor, or an error.
    Poor,
    /// A grade known only to be Fair or worse.
    FairOrWorse,
    /// No grade, because the measurement was disturbed and a grade would not be reliable.
    Inconclusive,
    /// Information, neither good nor bad.
    Info,
    /// The operating system denied what was requested, such as real-time priority.
    Denied,
    /// There is no measurement.
    NotMeasured,
    /// Not available on this system.
    NotAvailable,
}

impl Severity {
    /// Returns the severity of a grade; `Info` if there is no grade.
    pub fn of_grade(grade: Option<GradeRange>) -> Self {
        let Some(grade) = grade else { return Self::Info };
        match (grade.worst(), grade.is_bound()) {
            (Grade::Excellent | Grade::Good, false) => Self::Good,
            (Grade::Excellent | Grade::Good, true) => Self::GoodOrBetter,
            (Grade::Fair, false) => Self::Fair,
            (Grade::Fair, true) => Self::FairOrBetter,
            (Grade::Poor, false) => Self::Poor,
            (Grade::Poor, true) => Self::FairOrWorse,
        }
    }

    /// Returns the severity of a result in a list or on a card: `Inconclusive` if the measurement
    /// was disturbed, `NotMeasured` if there is no grade, otherwise that of the grade.
    pub fn of_result(grade: Option<GradeRange>, standing: Standing) -> Self {
        match (grade, standing) {
            (_, Standing::Inconclusive { .. }) => Self::Inconclusive,
            (None, _) => Self::NotMeasured,
            (Some(_), _) => Self::of_grade(grade),
        }
    }

    /// Returns the word for the severity. `Good` is also the severity of the grade Excellent, whose own
    /// word the caller must use where it matters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Good => "Good",
            Self::GoodOrBetter => "Good or better",
            Self::Fair => "Fair",
            Self::FairOrBetter => "Fair or better",
            Self::Poor => "Poor",
            Self::FairOrWorse => "Fair or worse",
            Self::Inconclusive => "Inconclusive",
            Self::Info => "Information",
            Self::Denied => "Denied",
            Self::NotMeasured => "Not measured",
            Self::NotAvailable => "Not available",
        }
    }

    /// Returns the icon. Its shape identifies the severity without the color.
    pub const fn icon(self) -> &'static str {
        match self {
            Self::Good => icons::CHECK_CIRCLE_FILL,
            Self::GoodOrBetter => icons::CHECK_CIRCLE,
            Self::Fair => icons::WARNING_FILL,
            Self::FairOrBetter => icons::WARNING,
            Self::Poor => icons::WARNING_OCTAGON_FILL,
            Self::FairOrWorse => icons::WARNING_OCTAGON,
            Self::Inconclusive => icons::HOURGLASS_MEDIUM,
            Self::Info => icons::INFO_FILL,
            Self::Denied => icons::SHIELD_WARNING_FILL,
            Self::NotMeasured => icons::MINUS_CIRCLE,
            Self::NotAvailable => icons::PROHIBIT,
        }
    }

    /// Returns the color of the icon.
    pub const fn color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Good | Self::GoodOrBetter => tokens.good,
            Self::Fair | Self::FairOrBetter | Self::Inconclusive | Self::Denied => tokens.fair,
            Self::Poor | Self::FairOrWorse => tokens.poor,
            Self::Info => tokens.info,
            Self::NotMeasured | Self::NotAvailable => tokens.t3,
        }
    }

    /// Returns the color of the word.
    pub const fn word_color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Inconclusive | Self::NotMeasured | Self::NotAvailable => tokens.t2,
            other => other.color(tokens),
        }
    }

    /// Returns the color of the bar at the left edge of a verdict strip.
    pub const fn bar_color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::NotMeasured | Self::NotAvailable => tokens.line2,
            other => other.color(tokens),
        }
    }

    /// Returns the background color of a verdict strip.
    pub const fn strip_color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Good | Self::GoodOrBetter => tokens.good_strip,
            Self::Fair | Self::FairOrBetter | Self::Denied => tokens.fair_strip,
            Self::Poor | Self::FairOrWorse => tokens.poor_strip,
            Self::Info => tokens.info_strip,
            Self::Inconclusive | Self::NotMeasured | Self::NotAvailable => tokens.card,
        }
    }

    /// Shows the icon, `size` points wide and high. Its accessible name and hover text are the
    /// word.
    pub fn icon_ui(self, ui: &mut Ui, size: f32) -> Response {
        let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::hover());
        paint_icon(ui.painter(), rect.center(), self.icon(), size, self.color(Tokens::of(ui)));
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, self.word()));
        response.on_hover_text(self.word())
    }
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::report::{Disturbance, Grading};

    use super::*;

    #[test]
    fn a_disturbed_result_is_marked_as_inconclusive_and_none_as_not_measured() {
        let fair = Grading::observed(Grade::Fair);
        let disturbance = Disturbance::OtherPrograms(0.5);
        let disturbed = Standing::Inconclusive { measured: fair, disturbance };
        assert_eq!(Severity::of_result(None, disturbed), Severity::Inconclusive);
        assert_eq!(Severity::of_result(None, Standing::Clear), Severity::NotMeasured);
        let good = GradeRange::of(Grade::Good, Grade::Good);
        assert_eq!(Severity::of_result(good, Standing::Clear), Severity::Good);
    }
}
