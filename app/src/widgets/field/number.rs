//! Number fields, in which the user types or drags a number with a unit. An out-of-range number is
//! marked, and corrected when the field loses the focus.

use std::ops::RangeInclusive;

use eframe::egui::{Align, DragValue, Key, Layout, Response, Ui, Vec2, accesskit};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::form::{FieldUnit, Parameter, Quantity};

use super::{style_as_field, typed};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::severity::Severity;
use crate::widgets::spans::Spans;

/// Shows a field for a duration, a count, or a number with a fraction, `width` points wide. A typed
/// duration may have another unit than the field: `500 ms`.
pub fn value_field<T: Quantity>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    parameter: &Parameter,
    width: f32,
) -> Response {
    let mut number = value.number();
    let response = number_field(ui, name, &mut number, parameter, width);
    if response.changed() {
        *value = T::of(number);
    }
    response
}

/// Shows a field for a position in a recording that ends at `end`, `width` points wide: `1:46.1`, to the millisecond. A
/// typed number without a unit is in seconds.
pub fn position_field(
    ui: &mut Ui,
    name: &str,
    position: &mut Nanos,
    end: Nanos,
    width: f32,
) -> Response {
    let mut number = position.number();
    let response = NumberField {
        unit: "",
        range: 0.0..=end.as_f64(),
        step: FieldUnit::Secs.size(),
        width,
        write: &position_text,
        read: &|text| typed::nanos(text, FieldUnit::Secs.size()),
    }
    .show(ui, name, &mut number);
    if response.changed() {
        *position = Nanos::of(number);
    }
    response
}

/// Formats a position: minutes and seconds, with one to three decimals.
fn position_text(number: f64) -> String {
    let millis = (Nanos::of(number).get().max(0) + 500_000) / 1_000_000;
    let (minutes, secs, millis) = (millis / 60_000, millis / 1_000 % 60, millis % 1_000);
    let text = format!("{minutes}:{secs:02}.{millis:03}");
    // At least one decimal.
    let text = text.strip_suffix('0').unwrap_or(&text);
    text.strip_suffix('0').unwrap_or(text).to_owned()
}

/// Shows a field for a number, with the unit and the range of `parameter`. `number` is in
/// nanoseconds if the number is a duration.
pub fn number_field(
    ui: &mut Ui,
    name: &str,
    number: &mut f64,
    parameter: &Parameter,
    width: f32,
) -> Response {
    let unit = parameter.unit.of(*number);
    let automatic = parameter.automatic.unwrap_or_default();
    NumberField {
        unit: if parameter.is_automatic(*number) { "" } else { unit.symbol() },
        range: parameter.min..=parameter.max,
        step: parameter.step.unwrap_or(match unit {
            FieldUnit::Micros | FieldUnit::Millis => unit.size() / 20.0,
            FieldUnit::Nanos => 1_000.0,
            _ => unit.size(),
        }),
        width,
        write: &|number| {
            let is_automatic = parameter.is_automatic(number);
            if is_automatic { automatic.to_owned() } else { written(number, unit) }
        },
        read: &|text| match unit {
            _ if !automatic.is_empty() && text.trim().eq_ignore_ascii_case(automatic) => Some(0.0),
            FieldUnit::Fraction(_) => typed::number(text),
            FieldUnit::Count(_) => typed::number(text).map(f64::round),
            unit => typed::nanos(text, unit.size()),
        },
    }
    .show(ui, name, number)
}

/// Formats a number in the unit of its field, without the symbol of the unit. A duration is given
/// in nanoseconds.
fn written(number: f64, unit: FieldUnit) -> String {
    let length = Nanos::of(number);
    match unit {
        FieldUnit::Time | FieldUnit::Nanos => text::format_time_in(length, text::Unit::Nanos, 0),
        FieldUnit::Micros => text::format_time_in(length, text::Unit::Micros, 2),
        FieldUnit::Millis => text::format_time_in(length, text::Unit::Millis, 2),
        FieldUnit::Secs => decimal(length.as_secs(), 3),
        FieldUnit::Count(_) => text::format_count(u32::of(number)),
        FieldUnit::Fraction(_) => decimal(number, 3),
    }
}

/// A number field: how a number of any quantity is shown, read, and limited.
struct NumberField<'a> {
    unit: &'a str,
    range: RangeInclusive<f64>,
    /// Increment per point of dragging and per arrow key.
    step: f64,
    width: f32,
    write: &'a dyn Fn(f64) -> String,
    read: &'a dyn Fn(&str) -> Option<f64>,
}

impl NumberField<'_> {
    /// Shows the field and changes `value`, which always stays in range. Out-of-range text remains
    /// visible and marked until the field loses the focus.
    fn show(&self, ui: &mut Ui, name: &str, value: &mut f64) -> Response {
        let id = ui.make_persistent_id(name).with("typed");
        let clamp = |number: f64| number.clamp(*self.range.start(), *self.range.end());
        let typed: Option<f64> = ui.data(|data| data.get_temp(id));
        let same = |a: f64, b: f64| a.total_cmp(&b).is_eq();
        let typed = typed.filter(|typed| same(clamp(*typed), *value));
        let stepped = ui.input(|i| i.key_pressed(Key::ArrowUp) || i.key_pressed(Key::ArrowDown));
        let mut shown = typed.unwrap_or(*value);

        let layout = Layout::top_down(Align::Min);
        let room = Vec2::new(self.width, size::FIELD);
        let own = *value;
        ui.allocate_ui_with_layout(room, layout, |ui| {
            ui.spacing_mut().item_spacing.y = 3.0;
            let mut response = self.edit(ui, &mut shown, typed.is_some());
            if cancelled(ui, &response, own, &mut shown) {
                response.mark_changed();
            }
            if !response.has_focus() || stepped {
                shown = clamp(shown);
            }
            *value = clamp(shown);
            if same(shown, *value) {
                ui.data_mut(|data| data.remove::<f64>(id));
            } else {
                ui.data_mut(|data| data.insert_temp(id, shown));
                let wrong = self.wrong(shown);
                ui.ctx().accesskit_node_builder(response.id, |node| {
                    node.set_invalid(accesskit::Invalid::True);
                    node.set_description(wrong.as_str());
                });
                let color = Tokens::of(ui).poor;
                Spans::new(Type::Small)
                    .icon(Severity::Poor.icon(), 12.0, color)
                    .text(Type::Small, &wrong, color)
                    .label(ui);
            }
            response = response.accessible_name(name);
            ui.ctx().accesskit_node_builder(response.id, |node| {
                node.set_min_numeric_value(*self.range.start());
                node.set_max_numeric_value(*self.range.end());
            });
            response
        })
        .inner
    }

    fn edit(&self, ui: &mut Ui, shown: &mut f64, is_wrong: bool) -> Response {
        let tokens = Tokens::of(ui);
        let suffix = if self.unit.is_empty() { String::new() } else { format!("  {}", self.unit) };
        let row = Layout::left_to_right(Align::Center).with_main_align(Align::Min);
        let room = Vec2::new(self.width, size::FIELD);
        ui.allocate_ui_with_layout(room, row, |ui| {
            style_as_field(ui, is_wrong);
            let field = DragValue::new(shown)
                .speed(self.step)
                .suffix(Type::Body.text(suffix).color(tokens.t2))
                .min_size(room)
                .clip_text(true)
                .custom_formatter(|number, _| (self.write)(number))
                .custom_parser(|text| (self.read)(text));
            ui.add(field)
        })
        .inner
    }

    /// Returns the message for an out-of-range number.
    fn wrong(&self, shown: f64) -> String {
        let (word, limit) = if shown > *self.range.end() {
            ("At most", *self.range.end())
        } else {
            ("At least", *self.range.start())
        };
        let space = if self.unit.is_empty() { "" } else { " " };
        format!("{word} {}{space}{}", (self.write)(limit), self.unit)
    }
}

/// Restores the value from before the edit in `shown` if Esc was pressed in the field. Returns
/// whether `shown` changed. `own` is the value before this frame, stored when an edit begins.
fn cancelled(ui: &Ui, response: &Response, own: f64, shown: &mut f64) -> bool {
    let id = response.id.with("before");
    if response.gained_focus() {
        ui.data_mut(|data| data.insert_temp(id, own));
    }
    let is_in_field = response.has_focus() || response.lost_focus();
    if !is_in_field || !ui.input(|input| input.key_pressed(Key::Escape)) {
        return false;
    }
    let before: Option<f64> = ui.data(|data| data.get_temp(id));
    before.is_some_and(|before| {
        let changes = shown.total_cmp(&before).is_ne();
        *shown = before;
        changes
    })
}

/// Formats a number with at most `decimals` decimals, without trailing zeros.
fn decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_back_to_the_millisecond() {
        for (nanos, expected) in [
            (0.0, "0:00.0"),
            (10e9, "0:10.0"),
            (106.101_4e9, "1:46.101"),
            (11.79e9, "0:11.79"),
            (59.999_7e9, "1:00.0"),
            (3_725.5e9, "62:05.5"),
        ] {
            let text = position_text(nanos);
            assert_eq!(text, expected);
            let read = typed::nanos(&text, 1e9).unwrap();
            assert!((read - nanos).abs() <= 0.5e6, "{text}: {read}");
        }
        assert_eq!(typed::nanos("83.5", 1e9), Some(83.5e9));
    }
}
