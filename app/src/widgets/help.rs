//! Help on a term or a number: its definition, and how the number is computed.

use eframe::egui::{Key, Modifiers, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, paint_icon, size};

/// The help on one metric or setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Help<'a> {
    /// The term that the help explains.
    pub name: &'a str,
    /// The definition of the term.
    pub sentence: &'a str,
    /// Formula and method of the number; empty if there is none.
    pub method: &'a str,
}

impl<'a> Help<'a> {
    /// Creates the help on a term: `name` is the term, `sentence` its definition.
    pub const fn new(name: &'a str, sentence: &'a str) -> Self {
        Self { name, sentence, method: "" }
    }

    /// Adds the formula and method.
    #[must_use]
    pub const fn method(mut self, method: &'a str) -> Self {
        self.method = method;
        self
    }

    /// Shows the help next to the widget of `response`: after a delay while the pointer is over the
    /// widget, or immediately on F1 or Enter while the widget has the focus.
    pub fn on(&self, response: Response) -> Response {
        let requested = requested(&response);
        let response = response.on_hover_ui(|ui| self.ui(ui));
        if requested && !response.hovered() {
            response.show_tooltip_ui(|ui| self.ui(ui));
        }
        response
    }

    /// Draws the text of the help in a popover.
    pub fn ui(&self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        ui.set_max_width(size::HELP_WIDTH);
        ui.label(Type::Strong.text(self.name).color(tokens.t1));
        ui.label(Type::Body.text(self.sentence).color(tokens.t1));
        if !self.method.is_empty() {
            ui.label(Type::Small.text(self.method).color(tokens.t2));
        }
    }
}

/// Whether the help is open because of a key press. The help then stays open until the focus moves,
/// F1 is pressed again, or Escape is pressed.
fn requested(response: &Response) -> bool {
    let ctx = &response.ctx;
    let id = response.id.with("help");
    if !response.has_focus() {
        ctx.data_mut(|data| data.remove::<bool>(id));
        return false;
    }
    let pressed = |key| ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let requested: bool = ctx.data(|data| data.get_temp(id)).unwrap_or(false);
    let opens = pressed(Key::F1) || response.clicked() && !response.hovered();
    let requested = (requested != opens) && !(requested && pressed(Key::Escape));
    ctx.data_mut(|data| data.insert_temp(id, requested));
    requested
}

/// Shows a small question mark that opens the help.
pub fn help_mark(ui: &mut Ui, help: &Help<'_>) -> Response {
    let tokens = Tokens::of(ui);
    let height = Spans::plain(Type::Label, "?", tokens.t3).galley(ui).size().y;
    let (rect, response) = ui.allocate_exact_size(vec2(size::ICON_SMALL, height), Sense::click());
    let color = if response.hovered() { tokens.t1 } else { tokens.t3 };
    paint_icon(ui.painter(), rect.center(), icons::QUESTION, size::ICON_SMALL, color);
    super::paint::focus_ring(ui, &response);
    let name = format!("Help: {}", help.name);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    help.on(response)
}
