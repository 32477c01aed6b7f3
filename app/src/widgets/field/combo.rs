//! The combo: one of several choices, of which only the chosen one is in view.

use eframe::egui::{ComboBox, Rect, Response, Ui};

use super::style_as_field;
use crate::theme::{Tokens, Type, icons, paint_icon};

/// A combo of choices with their texts. The response has `changed()`.
pub fn combo<T: Clone + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, &str)],
    width: f32,
) -> Response {
    let chosen = options.iter().find(|(option, _)| option == value).map_or("", |(_, text)| *text);
    let mut changed = false;
    let mut response = combo_ui(ui, name, chosen, width, |ui| {
        for (option, text) in options {
            let selected = option == value;
            if ui.selectable_label(selected, Type::Body.text(*text)).clicked() && !selected {
                *value = option.clone();
                changed = true;
            }
        }
    });
    if changed {
        response.mark_changed();
    }
    response
}

/// A combo whose list the caller draws; a click on one of its buttons closes it.
pub fn combo_ui(
    ui: &mut Ui,
    name: &str,
    chosen: &str,
    width: f32,
    list: impl FnOnce(&mut Ui),
) -> Response {
    let tokens = Tokens::of(ui);
    ui.scope(|ui| {
        style_as_field(ui, false);
        ui.spacing_mut().icon_width = 12.0;
        let inner = ComboBox::from_id_salt(name)
            .selected_text(Type::Body.text(chosen).color(tokens.t1))
            .width(width)
            .truncate()
            .icon(|ui: &Ui, rect: Rect, _: &_, _| {
                let color = Tokens::of(ui).t2;
                paint_icon(ui.painter(), rect.center(), icons::CARET_DOWN, 12.0, color);
            })
            .show_ui(ui, |ui| {
                ui.visuals_mut().selection.stroke.color = tokens.t1;
                list(ui);
            });
        inner.response.accessible_name(name)
    })
    .inner
}
