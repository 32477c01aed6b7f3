//! A badge that opens a menu, and the rows of such a menu, which have one or two lines.

use eframe::egui::{Color32, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::paint::{bordered_box, focus_ring};
use super::spans::Spans;
use crate::theme::{Tokens, Type, paint_icon, size};

/// Maximum width of the name in a badge, in points.
const MAX_NAME: f32 = 150.0;
/// Distance of the text from the left edge of a row, in points.
const TEXT_AT: f32 = 38.0;
/// Height of a row with two lines, in points.
pub const TWO_LINES: f32 = 44.0;

/// Shows a badge with an icon, a name, and a caret; `is_compact` omits the name. The caller opens
/// the menu and sets the accessible name.
pub fn menu_badge(
    ui: &mut Ui,
    icon: (&str, Color32),
    name: &str,
    is_compact: bool,
    line: Color32,
) -> Response {
    use crate::theme::icons::CARET_DOWN;
    let tokens = Tokens::of(ui);
    let mut spans = Spans::new(Type::Label).icon(icon.0, size::ICON, icon.1).gap(4.0);
    if !is_compact {
        let name = Spans::plain(Type::Label, name, tokens.t1).within(ui, MAX_NAME);
        let shown: String = name.rows.iter().map(|row| row.text()).collect();
        spans = spans.text(Type::Label, &shown, tokens.t1).gap(6.0);
    }
    let galley = spans.icon(CARET_DOWN, size::ICON_SMALL, tokens.t2).galley(ui);
    let width = galley.size().x + 2.0 * size::GAP_SMALL;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::click());
    let fill = if response.hovered() { tokens.hov } else { Color32::TRANSPARENT };
    bordered_box(ui, rect, size::RADIUS, fill, line);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, tokens.t2);
    focus_ring(ui, &response);
    response
}

/// A row of a menu.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct MenuRow<'a> {
    /// The icon at the left of the row.
    pub icon: &'a str,
    /// The first line.
    pub title: &'a str,
    /// The icon at the start of the second line, and the color of this icon; an empty icon is
    /// omitted.
    pub note_icon: (&'a str, Color32),
    /// The second line; empty for a row of one line.
    pub note: &'a str,
    /// The state shown at the right end of the row: icon, text, and the color of both.
    pub state: Option<(&'a str, &'a str, Color32)>,
    /// Whether the row is selected.
    pub is_selected: bool,
    /// Width in points at the right end that stays free for a button of the caller.
    pub room: f32,
}

impl MenuRow<'_> {
    /// Shows the row.
    pub fn show(self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let height = if self.note.is_empty() { 32.0 } else { TWO_LINES };
        let place = vec2(ui.available_width(), height);
        let (rect, response) = ui.allocate_exact_size(place, Sense::click());
        let is_enabled = ui.is_enabled();
        let fill = match (self.is_selected, response.hovered() && is_enabled) {
            (true, _) => tokens.sel,
            (false, true) => tokens.hov,
            (false, false) => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, size::RADIUS, fill);
        let title_color = if is_enabled { tokens.t1 } else { tokens.t3 };
        let icon_at = pos2(rect.left() + 18.0, rect.top() + height.min(38.0) / 2.0);
        paint_icon(ui.painter(), icon_at, self.icon, size::ICON, tokens.t2);
        let right = self.state_ui(ui, rect);
        let width = right - rect.left() - TEXT_AT - size::GAP_SMALL;
        let title = Spans::plain(Type::Strong, self.title, title_color).within(ui, width);
        let mut note = Spans::new(Type::Small);
        if !self.note_icon.0.is_empty() {
            note = note.icon(self.note_icon.0, size::ICON_SMALL, self.note_icon.1).gap(2.0);
        }
        let note = note.text(Type::Small, self.note, tokens.t2).within(ui, width);
        let lines = if self.note.is_empty() { 0.0 } else { note.size().y };
        let mut at =
            pos2(rect.left() + TEXT_AT, rect.center().y - f32::midpoint(title.size().y, lines));
        let title_height = title.size().y;
        ui.painter().galley(at, title, title_color);
        if 0.0 < lines {
            at.y += title_height;
            ui.painter().galley(at, note, tokens.t2);
        }
        focus_ring(ui, &response);
        let state = self.state.map_or("", |(_, words, _)| words);
        let parts = [self.title, self.note, state];
        let label = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let label = label.join(", ");
        response.widget_info(|| {
            WidgetInfo::selected(Role::MenuItemRadio, is_enabled, self.is_selected, &label)
        });
        response
    }

    /// Draws the state at the right end of the row. Returns the position at which the space for the
    /// text of the row ends.
    fn state_ui(&self, ui: &Ui, rect: Rect) -> f32 {
        let end = rect.right() - size::GAP_SMALL - self.room;
        let Some((icon, words, color)) = self.state else { return end };
        let spans = Spans::new(Type::Small).icon(icon, size::ICON_SMALL, color).gap(3.0);
        let galley = spans.text(Type::Small, words, color).galley(ui);
        let at = pos2(end - galley.size().x, rect.center().y - galley.size().y / 2.0);
        let begin = at.x;
        ui.painter().galley(at, galley, color);
        begin
    }
}
