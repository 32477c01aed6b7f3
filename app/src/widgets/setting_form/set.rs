//! Draws a setting of which the user can select any number of choices. A choice may have a number,
//! such as a custom duration.

use eframe::egui::Ui;
use jitterscope_engine::plan::form::{Choice, Selection};

use crate::theme::{Tokens, Type, size};
use crate::widgets::field::number_field;
use crate::widgets::{Spans, checkbox};

/// Draws a check box per choice that this system has. `picks` are the selected choices. A choice
/// with a number has a number field next to its check box for each time that it is selected.
pub(super) fn ui(ui: &mut Ui, name: &str, picks: &mut Vec<Selection>, choices: &[Choice]) {
    ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
    for (index, choice) in choices.iter().enumerate() {
        let is_plain = choice.parameter.is_none();
        let mut is_taken = picks.iter().any(|pick| pick.index == index);
        if !is_taken && !choice.is_available() {
            continue;
        }
        ui.horizontal(|ui| {
            if checkbox(ui, &mut is_taken, choice.label).changed() {
                if is_taken {
                    picks.push(Selection { index, number: choice.first_number() });
                    picks.sort_by_key(|pick| pick.index);
                } else {
                    picks.retain(|pick| pick.index != index);
                }
            }
            let Some(parameter) = &choice.parameter else { return };
            let own = picks.iter_mut().filter(|pick| pick.index == index);
            for (pick, place) in own.zip(1_u32..) {
                let Some(number) = &mut pick.number else { continue };
                let field_name = format!("{name}, {} {place}", choice.label.to_lowercase());
                let width = 84.0_f32.min(ui.available_width().max(60.0));
                number_field(ui, &field_name, number, parameter, width);
            }
        });
        if !choice.help.is_empty() && is_plain && 24 < choice.help.len() {
            let tokens = Tokens::of(ui);
            let width = ui.available_width() - 22.0;
            ui.horizontal_top(|ui| {
                ui.add_space(22.0);
                Spans::plain(Type::Small, choice.help, tokens.t2).paragraph_within(ui, width);
            });
        }
    }
}
