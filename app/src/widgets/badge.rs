//! A badge of the top bar: an icon and a short text that can be clicked, such as whether real-time
//! priority is granted.

use eframe::egui::{Color32, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::paint::{bordered_box, focus_ring};
use super::severity::Severity;
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, size};

/// Shows a badge with the icon of a severity and a text, such as `Real-time: available`. The caller
/// handles clicks.
pub fn badge(ui: &mut Ui, severity: Severity, text: &str) -> Response {
    let tokens = Tokens::of(ui);
    let (icon, line) = match severity {
        Severity::Denied | Severity::Fair | Severity::FairOrBetter => {
            (icons::SHIELD_WARNING, tokens.fair)
        }
        Severity::Poor | Severity::FairOrWorse => (icons::SHIELD_WARNING, tokens.poor),
        Severity::NotAvailable => (icons::PROHIBIT, tokens.line2),
        Severity::Good | Severity::GoodOrBetter => (icons::SHIELD_CHECK, tokens.line2),
        Severity::Info | Severity::Inconclusive | Severity::NotMeasured => {
            (severity.icon(), tokens.line2)
        }
    };
    let galley = Spans::new(Type::Label)
        .icon(icon, size::ICON, severity.color(tokens))
        .gap(2.0)
        .text(Type::Label, text, tokens.t2)
        .galley(ui);
    let width = galley.size().x + 2.0 * size::GAP_CARD;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::click());
    let fill = if response.hovered() { tokens.hov } else { Color32::TRANSPARENT };
    bordered_box(ui, rect, size::RADIUS, fill, line);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t2);
    focus_ring(ui, &response);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    response
}
