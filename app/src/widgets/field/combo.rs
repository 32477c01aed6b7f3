//! The combo box: one of several choices, with only the selected one visible.

use eframe::egui::{ComboBox, Popup, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};
use jitterscope_engine::units::cut;

use super::style_as_field;
use crate::theme::{Tokens, Type, icons, paint_icon, size};
use crate::widgets::paint::{bordered_box, focus_ring};
use crate::widgets::scroll::visible_rows;

/// Maximum number of characters of a choice: a name in a file may have any number.
const MAX_CHARS: usize = 1_000;

/// Shows a combo box of values with their texts, `width` points wide. `changed()` of the response
/// is true if the user selected another value.
pub fn combo<T: Clone + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, &str)],
    width: f32,
) -> Response {
    let current = options.iter().find(|(option, _)| option == value).map_or("", |(_, text)| *text);
    let mut chosen = None;
    let mut response = combo_ui(ui, name, current, width, |ui| {
        let rows = options.iter().map(|(option, text)| (option, *text));
        chosen = choice_rows_ui(ui, &&*value, rows);
    });
    if let Some(option) = chosen.filter(|option| *option != value) {
        *value = option.clone();
        response.mark_changed();
    }
    response
}

/// Draws the list of a combo box: a row per value with its text. Returns the value that the user clicked.
pub fn choice_rows_ui<'a, T: PartialEq>(
    ui: &mut Ui,
    selected: &T,
    rows: impl IntoIterator<Item = (T, &'a str)>,
) -> Option<T> {
    let mut chosen = None;
    let height = ui.spacing().interact_size.y;
    visible_rows(ui, rows, height, |ui, (value, text)| {
        if ui.selectable_label(value == *selected, Type::Body.text(cut(text, MAX_CHARS))).clicked()
        {
            chosen = Some(value);
        }
    });
    chosen
}

/// Shows a combo box of which only the caret (the arrow that opens the list) is visible, for use
/// next to a field that shows the value.
pub fn combo_caret(
    ui: &mut Ui,
    name: &str,
    value: &mut usize,
    options: &[(usize, &str)],
) -> Response {
    let tokens = Tokens::of(ui);
    let current = options.iter().find(|(option, _)| option == value).map_or("", |(_, text)| *text);
    let (rect, response) = ui.allocate_exact_size(vec2(size::FIELD, size::FIELD), Sense::click());
    let is_open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
    let line = if is_open { tokens.acc } else { tokens.ctl };
    let fill = if response.hovered() { tokens.hov } else { tokens.plot };
    bordered_box(ui, rect, size::RADIUS, fill, line);
    paint_icon(ui.painter(), rect.center(), icons::CARET_DOWN, size::ICON_SMALL, tokens.t2);
    focus_ring(ui, &response);
    let accessible_label = format!("{name}, {current}");
    response
        .widget_info(|| WidgetInfo::labeled(Role::ComboBox, ui.is_enabled(), &accessible_label));
    Popup::menu(&response).show(|ui| {
        ui.visuals_mut().selection.stroke.color = tokens.t1;
        let rows = options.iter().copied();
        if let Some(chosen) = choice_rows_ui(ui, value, rows) {
            *value = chosen;
        }
    });
    response.on_hover_text(current)
}

/// Shows a combo box with the text `current`; `list` draws its list. A click on a button in the
/// list closes the list.
pub fn combo_ui(
    ui: &mut Ui,
    name: &str,
    current: &str,
    width: f32,
    list: impl FnOnce(&mut Ui),
) -> Response {
    let tokens = Tokens::of(ui);
    ui.scope(|ui| {
        style_as_field(ui, false);
        ui.spacing_mut().icon_width = 12.0;
        let inner = ComboBox::from_id_salt(name)
            .selected_text(Type::Body.text(cut(current, MAX_CHARS)).color(tokens.t1))
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
