//! A setting with several choices, some with a number.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::form::{Choice, Parameter, Selection};

use super::unit_of;
use crate::theme::{Tokens, Type, size};
use crate::widgets::field::{combo, combo_caret, count_field, duration_field};
use crate::widgets::segmented::segmented_wide;
use crate::widgets::{Spans, checkbox};

/// Characters that fit side by side in a segmented control.
const MAX_LETTERS: usize = 24;

/// Whether the choices are short plain words that fit in half a row.
pub(super) fn is_one_line(choices: &[Choice]) -> bool {
    choices.iter().all(|choice| choice.parameter == Parameter::None)
        && choices.iter().all(|choice| choice.label.len() <= 16)
}

/// A combo of the choices.
pub(super) fn combo_ui(ui: &mut Ui, name: &str, pick: &mut Selection, choices: &[Choice]) {
    let options: Vec<(usize, &str)> = choices
        .iter()
        .enumerate()
        .filter(|(at, choice)| *at == pick.index || choice.is_available_on(std::env::consts::OS))
        .map(|(at, choice)| (at, choice.label))
        .collect();
    let before = pick.index;
    let width = ui.available_width();
    combo(ui, name, &mut pick.index, &options, width);
    if pick.index != before {
        pick.parameter = choices.get(pick.index).and_then(default);
    }
}

/// The number a choice begins with.
fn default(choice: &Choice) -> Option<i64> {
    match &choice.parameter {
        Parameter::None | Parameter::Duration { optional: true, .. } => None,
        Parameter::Duration { default, .. } => Some(default.get()),
        Parameter::Count { default, .. } => Some(*default),
    }
}

/// The first word of a choice's key: choices that share it are variants.
fn family(choice: &Choice) -> &str {
    choice.key.split('-').next().unwrap_or_default()
}

/// The choices as a segmented control of their families, variants and numbers below.
pub(super) fn ui(ui: &mut Ui, name: &str, pick: &mut Selection, choices: &[Choice]) {
    let mut families: Vec<(usize, &str)> = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        if at != pick.index && !choice.is_available_on(std::env::consts::OS) {
            continue;
        }
        let is_known = families
            .iter()
            .any(|&(first, _)| choices.get(first).is_some_and(|one| family(one) == family(choice)));
        if !is_known {
            families.push((at, choice.label));
        }
    }
    let own_family = choices.get(pick.index).map_or("", family);
    let of_pick = |&(first, _): &(usize, &str)| {
        choices.get(first).is_some_and(|choice| family(choice) == own_family)
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
        *pick = Selection { index: first, parameter: choices.get(first).and_then(default) };
    }
    let variants: Vec<(usize, &str)> = choices
        .iter()
        .enumerate()
        .filter(|(_, choice)| choices.get(first).is_some_and(|one| family(one) == family(choice)))
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

/// The number of a choice, below it.
fn parameter_ui(ui: &mut Ui, name: &str, pick: &mut Selection, choice: &Choice) {
    let Parameter::Duration { range, default, optional } = &choice.parameter else { return };
    let tokens = Tokens::of(ui);
    if *optional {
        let mut is_measured = pick.parameter.is_none();
        let text = "Calibrate the spin tail";
        if checkbox(ui, &mut is_measured, text).changed() {
            pick.parameter = (!is_measured).then_some(default.get());
        }
    }
    if let Some(number) = &mut pick.parameter {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            Spans::new(Type::Small).text(Type::Small, "Spin tail", tokens.t2).whole_label(ui);
            let mut length = Nanos::new(*number);
            let width = ui.available_width().max(64.0);
            duration_field(
                ui,
                &format!("{name}, spin tail"),
                &mut length,
                unit_of(range),
                range.clone(),
                width,
            );
            *number = length.get();
        });
    }
}

/// Whether one of the choices is a plain number.
pub(super) fn has_number(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.key.is_empty())
}

/// Choices including a plain number, in half a row: the number, and at its right edge a list of its
/// kinds. A kind other than the default is named below.
pub(super) fn with_number(ui: &mut Ui, name: &str, pick: &mut Selection, choices: &[Choice]) {
    let options: Vec<(usize, &str)> =
        choices.iter().enumerate().map(|(at, choice)| (at, choice.label)).collect();
    let parameter = choices.get(pick.index).map(|choice| choice.parameter.clone());
    let kind = format!("{name}, kind");
    let width = ui.available_width();
    let field = width - size::FIELD - size::GAP_LABEL;
    let before = pick.index;
    match (parameter, pick.parameter) {
        (Some(Parameter::Duration { range, .. }), Some(number)) => {
            let mut length = Nanos::new(number);
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
                duration_field(ui, name, &mut length, unit_of(&range), range, field);
                combo_caret(ui, &kind, &mut pick.index, &options);
            });
            pick.parameter = Some(length.get());
        }
        (Some(Parameter::Count { range, .. }), Some(number)) => {
            let wide = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
            let mut count = wide(number);
            let range = wide(*range.start())..=wide(*range.end());
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
                count_field(ui, name, &mut count, "threads", range, field);
                combo_caret(ui, &kind, &mut pick.index, &options);
            });
            pick.parameter = Some(i64::from(count));
        }
        _ => {
            combo(ui, &kind, &mut pick.index, &options, width);
        }
    }
    if pick.index != before {
        let retained = pick.parameter.filter(|_| {
            choices.get(pick.index).is_some_and(|choice| choice.parameter != Parameter::None)
        });
        pick.parameter = retained.or_else(|| choices.get(pick.index).and_then(default));
    }
    if let Some(choice) = choices.get(pick.index)
        && 0 < pick.index
        && pick.parameter.is_some()
    {
        let color = Tokens::of(ui).t2;
        Spans::new(Type::Small).text(Type::Small, choice.label, color).label(ui);
    }
}
