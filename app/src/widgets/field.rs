//! Fields of the setup column: captions with their help, numbers with units, choices, text.

mod combo;
mod number;
mod typed;

use eframe::egui::{Id, Key, Response, Stroke, TextEdit, Ui, Vec2, style::WidgetVisuals};

pub use self::combo::{choice_rows_ui, combo, combo_caret, combo_ui};
pub use self::number::{number_field, position_field, value_field};
use super::help::{Help, help_mark};
use super::spans::Spans;
use crate::theme::{Tokens, Type, size};

/// Shows a caption with its help, and the field below.
pub fn field_block<R>(
    ui: &mut Ui,
    label: &str,
    help: Option<&Help<'_>>,
    field: impl FnOnce(&mut Ui) -> R,
) -> R {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        caption(ui, label, help);
        field(ui)
    })
    .inner
}

/// Shows the caption of a field, followed by a question mark that opens the help, if there is help.
pub fn caption(ui: &mut Ui, label: &str, help: Option<&Help<'_>>) -> Response {
    let color = Tokens::of(ui).t2;
    ui.scope(|ui| {
        // Without this line, the row would have the minimum height of a control. A caption is only
        // as high as its text.
        ui.spacing_mut().interact_size.y = 0.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_LABEL + 1.0;
            let response = Spans::plain(Type::Label, label, color).label(ui);
            if let Some(help) = help {
                help_mark(ui, help);
            }
            response
        })
        .inner
    })
    .inner
}

/// Shows the caption of a group, in capitals.
pub fn group_caption(ui: &mut Ui, label: &str) -> Response {
    let color = Tokens::of(ui).t3;
    let response =
        ui.label(Type::Caption.text(label.to_uppercase()).color(color).extra_letter_spacing(0.66));
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_value(label));
    response
}

/// Shows a text field. `hint` is shown while the field is empty, `name` is for screen readers.
pub fn text_field(ui: &mut Ui, name: &str, text: &mut String, hint: &str, width: f32) -> Response {
    let tokens = Tokens::of(ui);
    ui.scope(|ui| {
        style_as_field(ui, false);
        let edit = TextEdit::singleline(text)
            .id(Id::unique(("text-field", name)))
            .hint_text(Type::Body.text(hint).color(tokens.t3))
            .desired_width(width);
        ui.add(edit).accessible_name(name)
    })
    .inner
}

/// How an entry in a text field ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryEnd {
    /// The field lost the focus by any means other than Esc: its text applies.
    Committed,
    /// Esc was pressed: the edit is discarded.
    Canceled,
}

/// Returns how an edit in a text field ended if the field loses the focus in this frame; otherwise
/// `None`.
pub fn entry_end(field: &Response) -> Option<EntryEnd> {
    let is_canceled = || field.ctx.input(|input| input.key_pressed(Key::Escape));
    field.lost_focus().then(|| if is_canceled() { EntryEnd::Canceled } else { EntryEnd::Committed })
}

/// Whether an edit in a text field was committed in this frame. If it was canceled, restores the
/// text to `before`.
pub fn is_committed(field: &Response, text: &mut String, before: &str) -> bool {
    let end = entry_end(field);
    if end == Some(EntryEnd::Canceled) {
        before.clone_into(text);
    }
    end == Some(EntryEnd::Committed)
}

/// Gives the egui widgets that are drawn next in `ui` the style of fields: the background color of
/// plots and a visible border, which is red if `is_wrong`.
fn style_as_field(ui: &mut Ui, is_wrong: bool) {
    let tokens = Tokens::of(ui);
    let spacing = ui.spacing_mut();
    spacing.button_padding = Vec2::new(size::GAP_SMALL, 4.0);
    spacing.interact_size.y = size::FIELD;
    let visuals = ui.visuals_mut();
    let state = |look: &mut WidgetVisuals, line, width| {
        look.bg_fill = tokens.plot;
        look.weak_bg_fill = tokens.plot;
        look.bg_stroke = Stroke::new(width, if is_wrong { tokens.poor } else { line });
    };
    let focus = size::FOCUS_STROKE;
    state(&mut visuals.widgets.inactive, tokens.ctl, 1.0);
    state(&mut visuals.widgets.hovered, tokens.t2, 1.0);
    state(&mut visuals.widgets.open, tokens.acc, 1.0);
    state(&mut visuals.widgets.active, tokens.acc, focus);
    visuals.selection.stroke.color = if is_wrong { tokens.poor } else { tokens.acc };
}
