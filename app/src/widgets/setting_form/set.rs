//! A setting with any number of choices: check boxes, and a custom one with a number.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::form::{Choice, Parameter, Selection};

use super::unit_of;
use crate::theme::{Tokens, Type, size};
use crate::widgets::field::{FieldUnit, count_field, duration_field};
use crate::widgets::{Spans, checkbox};

/// The number a choice begins with.
fn default(choice: &Choice) -> Option<i64> {
    match &choice.parameter {
        Parameter::None | Parameter::Duration { optional: true, .. } => None,
        Parameter::Duration { default, .. } => Some(default.get()),
        Parameter::Count { default, .. } => Some(*default),
    }
}

/// The unit for a custom duration.
fn own_unit(range: &std::ops::RangeInclusive<Nanos>, value: Nanos) -> FieldUnit {
    match value {
        value if value < Nanos::from_micros(1) => FieldUnit::Nanos,
        value if value < Nanos::from_millis(1) => FieldUnit::Micros,
        _ => unit_of(range),
    }
}

/// A check box per choice; a choice with a number has a field next to it, once per selected number.
pub(super) fn ui(ui: &mut Ui, name: &str, picks: &mut Vec<Selection>, choices: &[Choice]) {
    ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
    for (index, choice) in choices.iter().enumerate() {
        let is_plain = choice.parameter == Parameter::None;
        let mut is_taken = picks.iter().any(|pick| pick.index == index);
        if !is_taken && !choice.is_available_on(std::env::consts::OS) {
            continue;
        }
        ui.horizontal(|ui| {
            if checkbox(ui, &mut is_taken, choice.label).changed() {
                if is_taken {
                    picks.push(Selection { index, parameter: default(choice) });
                    picks.sort_by_key(|pick| pick.index);
                } else {
                    picks.retain(|pick| pick.index != index);
                }
            }
            if is_plain {
                return;
            }
            let own = picks.iter_mut().filter(|pick| pick.index == index);
            for (pick, number) in own.zip(0_u32..) {
                let Some(value) = &mut pick.parameter else { continue };
                let field_name = format!("{name}, {} {}", choice.label.to_lowercase(), number + 1);
                let width = 84.0_f32.min(ui.available_width().max(60.0));
                match &choice.parameter {
                    Parameter::Duration { range, .. } => {
                        let mut length = Nanos::new(*value);
                        let unit = own_unit(range, length);
                        duration_field(ui, &field_name, &mut length, unit, range.clone(), width);
                        *value = length.get();
                    }
                    Parameter::Count { range, .. } => {
                        let most = u32::try_from(*range.end()).unwrap_or(u32::MAX);
                        let min = u32::try_from(*range.start()).unwrap_or(0);
                        let mut count = u32::try_from(*value).unwrap_or(min);
                        count_field(ui, &field_name, &mut count, "", min..=most, width);
                        *value = i64::from(count);
                    }
                    Parameter::None => {}
                }
            }
        });
        if !choice.help.is_empty() && is_plain && 24 < choice.help.len() {
            let tokens = Tokens::of(ui);
            let width = ui.available_width() - 22.0;
            ui.horizontal_top(|ui| {
                ui.add_space(22.0);
                let spans = Spans::new(Type::Small).text(Type::Small, choice.help, tokens.t2);
                ui.label(spans.wrapped(ui, width));
            });
        }
    }
}
