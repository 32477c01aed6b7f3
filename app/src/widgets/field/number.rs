//! Number fields: typed or dragged, with a unit; out-of-range values are marked, and corrected when
//! the field loses focus.

use std::ops::RangeInclusive;

use eframe::egui::{Align, DragValue, Key, Layout, Response, Ui, Vec2, accesskit};
use jitterscope_engine::nanos::Nanos;

use super::{style_as_field, typed};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::severity::Severity;
use crate::widgets::spans::Spans;

/// How a duration is shown in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldUnit {
    /// Whole nanoseconds: `1 666 666 ns`.
    Nanos,
    /// Microseconds with two decimals: `1.00 µs`.
    Micros,
    /// Milliseconds with two decimals: `2.00 ms`.
    Millis,
    /// Seconds, with decimals only if needed: `30 s`.
    Secs,
    /// Minutes and seconds: `5:00`.
    Clock,
}

impl FieldUnit {
    const fn nanos(self) -> f64 {
        match self {
            Self::Nanos => 1.0,
            Self::Micros => 1e3,
            Self::Millis => 1e6,
            Self::Secs | Self::Clock => 1e9,
        }
    }

    const fn symbol(self) -> &'static str {
        match self {
            Self::Nanos => "ns",
            Self::Micros => "µs",
            Self::Millis => "ms",
            Self::Secs => "s",
            Self::Clock => "",
        }
    }

    fn number(self, length: Nanos) -> String {
        match self {
            Self::Nanos => text::in_unit(length, text::Unit::Nanos, 0),
            Self::Micros => text::in_unit(length, text::Unit::Micros, 2),
            Self::Millis => text::in_unit(length, text::Unit::Millis, 2),
            Self::Secs => decimal(length.as_secs(), 3),
            Self::Clock => text::clock(length),
        }
    }
}

/// Shown in a field whose duration is automatic.
const AUTO: &str = "Auto";

/// A field for a duration. Typed text may use another unit: `500 ms`.
pub fn duration_field(
    ui: &mut Ui,
    name: &str,
    value: &mut Nanos,
    unit: FieldUnit,
    range: RangeInclusive<Nanos>,
    width: f32,
) -> Response {
    length_field(ui, (name, false), value, unit, range, width)
}

/// A field for a duration that is automatic at 0, and then shows that.
pub fn length_field(
    ui: &mut Ui,
    (name, zero_is_auto): (&str, bool),
    value: &mut Nanos,
    unit: FieldUnit,
    range: RangeInclusive<Nanos>,
    width: f32,
) -> Response {
    let is_auto = |length: Nanos| zero_is_auto && length == Nanos::ZERO;
    let mut nanos = value.as_f64();
    let response = Field {
        unit: if is_auto(*value) { "" } else { unit.symbol() },
        range: range.start().as_f64()..=range.end().as_f64(),
        step: match unit {
            FieldUnit::Micros | FieldUnit::Millis => unit.nanos() / 20.0,
            FieldUnit::Nanos => 1_000.0,
            FieldUnit::Secs | FieldUnit::Clock => unit.nanos(),
        },
        width,
        write: &|nanos| match Nanos::from_nanos_f64(nanos) {
            length if is_auto(length) => AUTO.to_owned(),
            length => unit.number(length),
        },
        read: &|text| {
            let is_word = zero_is_auto && text.trim().eq_ignore_ascii_case(AUTO);
            if is_word { Some(0.0) } else { typed::nanos(text, unit.nanos()) }
        },
    }
    .show(ui, name, &mut nanos);
    if response.changed() {
        *value = Nanos::from_nanos_f64(nanos);
    }
    response
}

/// A field for a count of things, with their name: `4 threads`.
pub fn count_field(
    ui: &mut Ui,
    name: &str,
    value: &mut u32,
    unit: &str,
    range: RangeInclusive<u32>,
    width: f32,
) -> Response {
    let mut number = f64::from(*value);
    let response = Field {
        unit,
        range: f64::from(*range.start())..=f64::from(*range.end()),
        step: 1.0,
        width,
        write: &|number| text::count(whole(number).into()),
        read: &|text| typed::number(text).map(f64::round),
    }
    .show(ui, name, &mut number);
    if response.changed() {
        *value = whole(number);
    }
    response
}

/// A field for a plain number with decimals only if needed, and an optional unit.
pub fn number_field(
    ui: &mut Ui,
    name: &str,
    value: &mut f64,
    unit: &str,
    range: RangeInclusive<f64>,
    width: f32,
) -> Response {
    let step = (range.end() - range.start()).abs().min(1_000.0) / 1_000.0;
    let (write, read) = (&|number| decimal(number, 3), &typed::number);
    Field { unit, range, step, width, write, read }.show(ui, name, value)
}

/// A number field of any quantity.
struct Field<'a> {
    unit: &'a str,
    range: RangeInclusive<f64>,
    /// Increment of a point of dragging or an arrow key.
    step: f64,
    width: f32,
    write: &'a dyn Fn(f64) -> String,
    read: &'a dyn Fn(&str) -> Option<f64>,
}

impl Field<'_> {
    /// The value stays in range; out-of-range text remains visible, marked, until the field loses
    /// focus.
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

    /// The message for an out-of-range number.
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

/// Restores the value that a field had when it was entered, where Esc was pressed in it.
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

/// At most this many decimals, without trailing zeros.
fn decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The nearest whole number, not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float to integer saturates, and the field stays in its range"
)]
fn whole(number: f64) -> u32 {
    number.round() as u32
}
