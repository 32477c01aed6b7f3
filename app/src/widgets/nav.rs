//! The navigation rail at the left edge of the window: the brand, and an item for each page with
//! its icon, its name, and the latest grade of its test.

use eframe::egui::{
    Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::paint::focus_ring;
use super::severity::Severity;
use super::spans::Spans;
use crate::text;
use crate::theme::{Tokens, Type, icons, paint_icon, size};

/// Height of the window in points below which the items of the rail are less high.
const LOW: f32 = 520.0;

/// The status at the right end of a navigation item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NavEnd {
    /// No status: the test was not measured yet, or the page has no status.
    #[default]
    Nothing,
    /// The grade of the latest verdict, shown as an icon.
    Verdict(Severity),
    /// The test is running.
    Running,
    /// A number of items, such as saved runs; 0 shows nothing.
    Count(u64),
}

/// The navigation item of a page.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct NavItem<'a> {
    icon: &'a str,
    text: &'a str,
    shortcut: &'a str,
    end: NavEnd,
    current: bool,
}

impl<'a> NavItem<'a> {
    /// Creates the item of a page with an icon and the name of the page.
    pub const fn new(icon: &'a str, text: &'a str) -> Self {
        Self { icon, text, shortcut: "", end: NavEnd::Nothing, current: false }
    }

    /// Sets the shortcut of the page, shown on hover.
    pub const fn shortcut(mut self, shortcut: &'a str) -> Self {
        self.shortcut = shortcut;
        self
    }

    /// Sets the status at the right end of the item; in a narrow rail, it is shown at the corner of
    /// the icon.
    pub const fn end(mut self, end: NavEnd) -> Self {
        self.end = end;
        self
    }

    /// Sets whether the page of this item is the one that the window shows.
    pub const fn current(mut self, current: bool) -> Self {
        self.current = current;
        self
    }

    /// Shows the item; in a `narrow` rail, only its icon.
    pub fn show(self, ui: &mut Ui, narrow: bool) -> Response {
        let tokens = Tokens::of(ui);
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), item_height(ui)), Sense::click());
        if self.current {
            ui.painter().rect_filled(rect, size::RADIUS, tokens.sel);
            let bar = Rect::from_center_size(
                pos2(rect.left() - size::GAP_SMALL + 1.5, rect.center().y),
                vec2(3.0, 20.0),
            );
            ui.painter().rect_filled(bar, 0, tokens.acc);
        } else if response.hovered() {
            ui.painter().rect_filled(rect, size::RADIUS, tokens.hov);
        }
        let color = if self.current { tokens.t1 } else { tokens.t2 };
        let icon_x =
            if narrow { rect.center().x } else { rect.left() + 8.0 + size::NAV_ICON / 2.0 };
        let center = pos2(icon_x, rect.center().y);
        paint_icon(ui.painter(), center, self.icon, size::NAV_ICON, color);
        if narrow {
            self.corner(ui, rect);
        } else {
            let left = rect.left() + 8.0 + size::NAV_ICON + size::GAP_CARD;
            let end = self.end_ui(ui, rect);
            let galley = Spans::plain(Type::Body, self.text, color).within(ui, end - left - 4.0);
            let at = pos2(left, rect.center().y - galley.size().y / 2.0);
            ui.painter().galley(at, galley, color);
        }
        focus_ring(ui, &response);
        let accessible_label = self.accessible_label();
        response.widget_info(|| {
            WidgetInfo::selected(Role::Tab, ui.is_enabled(), self.current, &accessible_label)
        });
        self.hover(response, narrow)
    }

    /// Draws the status at the right end of the item. Returns the left edge of the status, at which
    /// the space for the name ends.
    fn end_ui(&self, ui: &Ui, rect: Rect) -> f32 {
        let tokens = Tokens::of(ui);
        let right = rect.right() - 8.0;
        match (glyph(self.end, tokens), self.end) {
            (Some((icon, color)), _) => {
                let center = pos2(right - 7.0, rect.center().y);
                paint_icon(ui.painter(), center, icon, 14.0, color);
                right - 14.0
            }
            (None, NavEnd::Count(count)) if count > 0 => {
                let galley =
                    Spans::plain(Type::Small, &text::format_count(count), tokens.t3).galley(ui);
                let at = pos2(right - galley.size().x, rect.center().y - galley.size().y / 2.0);
                ui.painter().galley(at, galley, tokens.t3);
                at.x
            }
            (None, _) => right,
        }
    }

    /// Draws the status in a small circle at the corner of the page's icon, for a narrow rail.
    fn corner(&self, ui: &Ui, rect: Rect) {
        let tokens = Tokens::of(ui);
        if let Some((icon, color)) = glyph(self.end, tokens) {
            let center = rect.center() + vec2(9.0, 9.0);
            let behind = if self.current { tokens.sel } else { tokens.rail };
            ui.painter().circle_filled(center, 6.5, behind);
            paint_icon(ui.painter(), center, icon, 11.0, color);
        }
    }

    fn accessible_label(&self) -> String {
        match self.end {
            NavEnd::Nothing | NavEnd::Count(0) => self.text.to_owned(),
            NavEnd::Verdict(severity) => format!("{}, {}", self.text, severity.word()),
            NavEnd::Running => format!("{}, running", self.text),
            NavEnd::Count(count) => format!("{}, {count}", self.text),
        }
    }

    fn hover(&self, response: Response, narrow: bool) -> Response {
        match (narrow, self.shortcut) {
            (true, "") => response.on_hover_text(self.accessible_label()),
            (true, shortcut) => {
                response.on_hover_text(format!("{} ({shortcut})", self.accessible_label()))
            }
            (false, "") => response,
            (false, shortcut) => response.on_hover_text(shortcut),
        }
    }
}

fn glyph(end: NavEnd, tokens: &Tokens) -> Option<(&'static str, Color32)> {
    match end {
        NavEnd::Verdict(severity) => Some((severity.icon(), severity.color(tokens))),
        NavEnd::Running => Some((icons::PULSE, tokens.acc)),
        NavEnd::Nothing | NavEnd::Count(_) => None,
    }
}

/// Returns the height of an item, which is reduced in a low window so that all items fit.
fn item_height(ui: &Ui) -> f32 {
    if ui.content_rect().height() < LOW { size::TARGET + 2.0 } else { size::NAV_ITEM }
}

/// Shows the caption of a group of pages. In a `narrow` rail, a line replaces the caption.
pub fn nav_caption(ui: &mut Ui, text: &str, narrow: bool) {
    let tokens = Tokens::of(ui);
    if narrow {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::hover());
        ui.painter().hline(rect.shrink(4.0).x_range(), rect.center().y, (1.0, tokens.line));
        return;
    }
    ui.add_space(size::GAP_FIELD - 2.0);
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.horizontal(|ui| {
            ui.add_space(8.0);
            super::field::group_caption(ui, text);
        });
    });
}

/// Shows the brand mark and, unless the rail is `narrow`, the name of the program.
pub fn brand(ui: &mut Ui, narrow: bool) -> Response {
    let tokens = Tokens::of(ui);
    let height = if narrow { size::TOP_BAR_NARROW } else { size::TOP_BAR };
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let left = if narrow { rect.center().x - 11.0 } else { rect.left() + 8.0 };
    let mark = Rect::from_min_size(pos2(left, rect.center().y - 11.0), vec2(22.0, 22.0));
    let stroke = Stroke::new(1.5, tokens.acc);
    ui.painter().rect_stroke(mark.shrink(1.0), 4, stroke, StrokeKind::Middle);
    let pulse = [
        (4.0, 13.0),
        (7.0, 13.0),
        (9.0, 11.0),
        (11.0, 13.0),
        (13.0, 5.0),
        (15.0, 15.0),
        (16.5, 13.0),
        (18.0, 13.0),
    ];
    ui.painter().line(pulse.iter().map(|(x, y)| mark.min + vec2(*x, *y)).collect(), stroke);
    if !narrow {
        let galley = Spans::plain(Type::Sentence, "Jitterscope", tokens.t1).galley(ui);
        let at = pos2(mark.right() + size::GAP_SMALL, rect.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, tokens.t1);
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, "Jitterscope"));
    response
}
