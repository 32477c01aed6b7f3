//! A setting with several choices, some of which have a number. The user selects one of them, or any number of them.

use eframe::egui::{Color32, Ui};
use jitterscope_engine::plan::form::{Choice, Selection};

use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::field::{combo, combo_caret, number_field};
use crate::widgets::segmented::segmented_wide;
use crate::widgets::{Spans, checkbox};

/// Maximum total number of characters in a segmented control; a combo box shows more.
const MAX_LETTERS: usize = 24;

/// Whether no choice has a number and all labels are short, at most 16 bytes.
pub(super) fn is_one_line(choices: &[Choice]) -> bool {
    choices.iter().all(|choice| choice.parameter.is_none())
        && choices.iter().all(|choice| choice.label.len() <= 16)
}

/// Returns the width of a combo box in which no choice is truncated.
pub(super) fn combo_width(ui: &Ui, choices: &[Choice]) -> f32 {
    let width = |choice: &Choice| {
        Spans::plain(Type::Body, choice.label, Color32::PLACEHOLDER).galley(ui).size().x
    };
    let widest = choices.iter().map(width).fold(0.0, f32::max);
    // The margins of the text, and the caret with its margin.
    widest + 3.0 * size::GAP_SMALL + size::ICON_SMALL
}

/// Returns the choices that this system has, and the selected one: the position of each, and its label.
fn options<'a>(pick: &Selection, choices: &'a [Choice]) -> Vec<(usize, &'a str)> {
    let all = choices.iter().enumerate();
    let offered = all.filter(|(at, choice)| *at == pick.index || choice.is_available());
    offered.map(|(at, choice)| (at, choice.label)).collect()
}

/// Draws the choices that this system has as a combo box. `pick` is the selected choice; a newly
/// selected one gets its initial number.
pub(super) fn combo_ui(ui: &mut Ui, name: &str, pick: &mut Selection, choices: &[Choice]) {
    let options = options(pick, choices);
    let before = pick.index;
    let width = ui.available_width();
    combo(ui, name, &mut pick.index, &options, width);
    if pick.index != before {
        pick.number = choices.get(pick.index).and_then(Choice::first_number);
    }
}

/// Draws the choices in families: a choice and its variants, such as a spin wait and its kinds, are
/// a family. A segmented control or combo box selects the family, a second combo box below the
/// variant, and a number field the number.
pub(super) fn ui(ui: &mut Ui, name: &str, pick: &mut Selection, choices: &[Choice]) {
    let mut families: Vec<(usize, &str)> = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        if at != pick.index && !choice.is_available() {
            continue;
        }
        let is_known = families.iter().any(|&(first, _)| {
            choices.get(first).is_some_and(|one| one.family() == choice.family())
        });
        if !is_known {
            families.push((at, choice.label));
        }
    }
    let own_family = choices.get(pick.index).map_or("", Choice::family);
    let of_pick = |&(first, _): &(usize, &str)| {
        choices.get(first).is_some_and(|choice| choice.family() == own_family)
    };
    let mut first = families.iter().copied().find(of_pick).map_or(0, |(first, _)| first);
    let letters: usize = families.iter().map(|(_, label)| label.len()).sum();
    let before = first;
    if letters <= MAX_LETTERS {
        segmented_wide(ui, name, &mut first, &families);
    } else {
        let width = ui.available_width();
        combo(ui, name, &mut first, &families, width);
    }
    if first != before {
        let number = choices.get(first).and_then(Choice::first_number);
        *pick = Selection { index: first, number };
    }
    let variants: Vec<(usize, &str)> = choices
        .iter()
        .enumerate()
        .filter(|(_, choice)| choices.get(first).is_some_and(|one| one.family() == choice.family()))
        .map(|(at, choice)| (at, choice.label))
        .collect();
    if 1 < variants.len() {
        let width = ui.available_width();
        combo(ui, &format!("{name}, variant"), &mut pick.index, &variants, width);
    }
    if let Some(choice) = choices.get(pick.index) {
        parameter_ui(ui, name, pick, choice);
    }
}

/// Draws the number field of the selected choice, if it has a number, and a check box for the
/// automatic value, if there is one.
fn parameter_ui(ui: &mut Ui, name: &str, pick: &mut Selection, choice: &Choice) {
    let Some(parameter) = &choice.parameter else { return };
    if let Some(label) = parameter.automatic {
        let mut is_automatic = pick.number.is_none();
        if checkbox(ui, &mut is_automatic, label).changed() {
            pick.number = (!is_automatic).then_some(parameter.default);
        }
    }
    if let Some(number) = &mut pick.number {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let (label, color) = (text::capitalized(parameter.label), Tokens::of(ui).t2);
            Spans::plain(Type::Small, &label, color).whole_label(ui);
            let width = ui.available_width().max(64.0);
            let name = format!("{name}, {}", parameter.label);
            number_field(ui, &name, number, parameter, width);
        });
    }
}

/// Whether one of the choices is a plain number, such as a number of threads; its key is empty.
pub(super) fn has_number(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.key.is_empty())
}

/// Draws choices of which one is a plain number (see `has_number`), in half a row. If the selected
/// choice has a number: a number field, a caret at its right edge that opens the list of choices,
/// and the label of the choice below, unless it is the first one. Otherwise: a combo box.
pub(super) fn with_number(ui: &mut Ui, name: &str, pick: &mut Selection, choices: &[Choice]) {
    let options = options(pick, choices);
    let kind = format!("{name}, kind");
    let width = ui.available_width();
    let before = pick.index;
    let parameter = choices.get(pick.index).and_then(|choice| choice.parameter);
    if let Some((parameter, number)) = parameter.zip(pick.number.as_mut()) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
            let width = width - size::FIELD - size::GAP_LABEL;
            number_field(ui, name, number, &parameter, width);
            combo_caret(ui, &kind, &mut pick.index, &options);
        });
    } else {
        combo(ui, &kind, &mut pick.index, &options, width);
    }
    if pick.index != before {
        let choice = choices.get(pick.index);
        let retained = pick.number.filter(|_| choice.is_some_and(|one| one.parameter.is_some()));
        pick.number = retained.or_else(|| choice.and_then(Choice::first_number));
    }
    if let Some(choice) = choices.get(pick.index)
        && 0 < pick.index
        && pick.number.is_some()
    {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Small, choice.label, color).label(ui);
    }
}

/// Draws a check box per choice that this system has. `picks` are the selected choices. A choice
/// with a number has a number field next to its check box for each time that it is selected.
pub(super) fn several_ui(ui: &mut Ui, name: &str, picks: &mut Vec<Selection>, choices: &[Choice]) {
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
