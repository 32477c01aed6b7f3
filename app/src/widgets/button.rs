//! Buttons with text (normal, primary, stop, and quiet), buttons with only an icon, and links.

use eframe::egui::{Color32, CursorIcon, Response, Role, Sense, Ui, Widget, WidgetInfo, vec2};

use super::paint::{bordered_box, button_fill, focus_ring};
use super::spans::Spans;
use crate::theme::{Tokens, Type, paint_icon, size};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ButtonStyle {
    Normal,
    Primary,
    Stop,
    Quiet,
}

/// A button with text. `ui.add(Button::primary("Run test").icon(icons::PLAY_FILL))`.
#[derive(Clone, Copy, Debug)]
#[must_use = "add it to a ui"]
pub struct Button<'a> {
    text: &'a str,
    icon: Option<&'a str>,
    shortcut: &'a str,
    name: &'a str,
    look: ButtonStyle,
    height: f32,
    width: f32,
}

impl<'a> Button<'a> {
    /// Creates a button in the normal style.
    pub const fn new(text: &'a str) -> Self {
        Self::with_look(text, ButtonStyle::Normal)
    }

    /// Creates the button for the main action of a page. A page has at most one.
    pub const fn primary(text: &'a str) -> Self {
        Self::with_look(text, ButtonStyle::Primary)
    }

    /// Creates a button that stops a running test.
    pub const fn stop(text: &'a str) -> Self {
        Self::with_look(text, ButtonStyle::Stop)
    }

    /// Creates a button without a frame, for bars with many buttons.
    pub const fn quiet(text: &'a str) -> Self {
        Self::with_look(text, ButtonStyle::Quiet)
    }

    const fn with_look(text: &'a str, look: ButtonStyle) -> Self {
        let height = size::BUTTON;
        Self { text, icon: None, shortcut: "", name: "", look, height, width: 0.0 }
    }

    /// Adds an icon before the text.
    pub const fn icon(mut self, icon: &'a str) -> Self {
        self.icon = Some(icon);
        self
    }

    /// Shows the keyboard shortcut that has the same effect as the button after the text.
    pub const fn shortcut(mut self, shortcut: &'a str) -> Self {
        self.shortcut = shortcut;
        self
    }

    /// Sets the name for screen readers; without this call, the name is the text of the button.
    pub const fn name(mut self, name: &'a str) -> Self {
        self.name = name;
        self
    }

    /// Makes the button as high, and at least as wide, as the buttons in the top bar.
    pub const fn bar(mut self) -> Self {
        self.height = size::PRIMARY;
        self.width = size::PRIMARY_WIDTH;
        self
    }

    /// Sets the height of the main button of an empty page.
    pub const fn hero(mut self) -> Self {
        self.height = size::HERO;
        self
    }

    /// Sets a minimum width.
    pub const fn min_width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    fn colors(&self, ui: &Ui, response: &Response) -> [Color32; 3] {
        let tokens = Tokens::of(ui);
        let filled = |fill: Color32| {
            let towards = if response.is_pointer_button_down_on() { tokens.rail } else { fill };
            let hovered = if response.hovered() { 0.12 } else { 0.0 };
            let fill = fill.lerp_to_gamma(tokens.on_fill, hovered).lerp_to_gamma(towards, 0.25);
            [fill, fill, tokens.on_fill]
        };
        match self.look {
            ButtonStyle::Primary => filled(tokens.accf),
            ButtonStyle::Stop => filled(tokens.stop),
            ButtonStyle::Normal => [button_fill(ui, response), tokens.line2, tokens.t1],
            ButtonStyle::Quiet if response.hovered() => [tokens.hov, tokens.hov, tokens.t1],
            ButtonStyle::Quiet => [Color32::TRANSPARENT, Color32::TRANSPARENT, tokens.t2],
        }
    }

    fn spans(&self, color: Color32) -> Spans {
        let style = match self.look {
            ButtonStyle::Primary | ButtonStyle::Stop => Type::Strong,
            ButtonStyle::Normal | ButtonStyle::Quiet => Type::Body,
        };
        let mut spans = Spans::new(Type::Body);
        if let Some(icon) = self.icon {
            spans = spans.icon(icon, size::ICON_SMALL, color).gap(2.0);
        }
        spans = spans.text(style, self.text, color);
        if !self.shortcut.is_empty() {
            let faint = color.gamma_multiply(0.85);
            spans = spans.gap(size::GAP_ICON).text(Type::Axis, self.shortcut, faint);
        }
        spans
    }
}

impl Widget for Button<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let padding = match self.look {
            ButtonStyle::Quiet => size::GAP_ICON,
            _ if self.height >= size::HERO => 1.5 * size::BUTTON_PADDING,
            _ => size::BUTTON_PADDING,
        };
        let measured = self.spans(Tokens::of(ui).t1).galley(ui).size().x;
        let width = (measured + 2.0 * padding).max(self.width);
        let (rect, response) =
            ui.allocate_exact_size(vec2(width.ceil(), self.height), Sense::click());
        let name = if self.name.is_empty() { self.text } else { self.name };
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
        if !self.shortcut.is_empty() {
            ui.ctx().accesskit_node_builder(response.id, |node| {
                node.set_keyboard_shortcut(self.shortcut);
            });
        }
        if ui.is_rect_visible(rect) {
            let [fill, line, text] = self.colors(ui, &response);
            bordered_box(ui, rect, size::RADIUS, fill, line);
            let galley = self.spans(text).galley(ui);
            let at = rect.center() - galley.size() / 2.0;
            ui.painter().galley(at, galley, text);
            focus_ring(ui, &response);
        }
        response
    }
}

/// Shows a framed button with only an icon. `name` is for screen readers and the hover text.
pub fn icon_button(ui: &mut Ui, icon: &str, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(size::BUTTON, size::BUTTON), Sense::click());
    bordered_box(ui, rect, size::RADIUS, button_fill(ui, &response), Tokens::of(ui).line2);
    finish_icon(ui, response, icon, name)
}

/// Shows a button with only an icon and no frame, for rows and toasts. `name` is for screen readers
/// and the hover text.
pub fn quiet_icon_button(ui: &mut Ui, icon: &str, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(size::TARGET, size::TARGET), Sense::click());
    if response.hovered() {
        ui.painter().rect_filled(rect, size::RADIUS, Tokens::of(ui).hov);
    }
    finish_icon(ui, response, icon, name)
}

fn finish_icon(ui: &Ui, response: Response, icon: &str, name: &str) -> Response {
    let tokens = Tokens::of(ui);
    let color = if response.hovered() { tokens.t1 } else { tokens.t2 };
    paint_icon(ui.painter(), response.rect.center(), icon, size::ICON_SMALL, color);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    focus_ring(ui, &response);
    response.on_hover_text(name)
}

/// Shows a button that looks like plain text, such as in the status bar. Text wider than `width`
/// points is truncated; an empty `icon` is omitted.
pub fn word_button(ui: &mut Ui, icon: &str, text: &str, width: f32) -> Response {
    let tokens = Tokens::of(ui);
    let mut spans = Spans::new(Type::Small);
    if !icon.is_empty() {
        spans = spans.icon(icon, size::ICON_SMALL, tokens.t2).gap(1.0);
    }
    let galley = spans.text(Type::Small, text, tokens.t2).within(ui, width);
    let room = vec2(galley.size().x, galley.size().y.max(size::TARGET - 2.0));
    let (rect, response) = ui.allocate_exact_size(room, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    let at = rect.left_center() - vec2(0.0, galley.size().y / 2.0);
    if response.hovered() {
        ui.painter().hline(rect.x_range(), at.y + galley.size().y - 1.0, (1.0, tokens.t3));
    }
    ui.painter().galley(at, galley, tokens.t2);
    focus_ring(ui, &response);
    response
}

/// Shows a button that looks like a link.
pub fn link(ui: &mut Ui, text: &str) -> Response {
    let color = Tokens::of(ui).acc;
    let galley = Spans::plain(Type::Strong, text, color).galley(ui);
    let height = galley.size().y.max(size::TARGET);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x, height), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Link, ui.is_enabled(), text));
    let text_rect = eframe::egui::Rect::from_center_size(rect.center(), galley.size());
    if response.hovered() {
        ui.painter().hline(text_rect.x_range(), text_rect.bottom() - 2.0, (1.0, color));
    }
    ui.painter().galley(text_rect.min, galley, color);
    focus_ring(ui, &response);
    response.on_hover_cursor(CursorIcon::PointingHand)
}
