//! The empty state: what a page or a list shows while it has no contents.

use eframe::egui::{Response, Ui};

use super::button::Button;
use super::sketch::Sketch;
use crate::theme::{Tokens, Type, icon, size};

/// The contents of a page or list that is empty: an icon, a title, a text, and a button.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct EmptyState<'a> {
    /// The icon of the page.
    pub icon: &'a str,
    /// The title, which states what is missing.
    pub title: &'a str,
    /// The text, which describes the next step.
    pub text: &'a str,
    /// Label of the button; empty omits it.
    pub button: &'a str,
    /// A sketch of the future contents of the page.
    pub sketch: Option<Sketch>,
}

impl EmptyState<'_> {
    /// Shows the empty state centered. Returns the response of the button; `None` without a button.
    pub fn show(self, ui: &mut Ui) -> Option<Response> {
        let tokens = Tokens::of(ui);
        ui.vertical_centered(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            ui.label(icon(self.icon, size::ICON_EMPTY).color(tokens.t3));
            ui.add_space(size::GAP_ICON - 2.0);
            ui.label(Type::Strong.text(self.title).color(tokens.t1));
            ui.scope(|ui| {
                ui.set_max_width(size::EMPTY_TEXT.min(ui.available_width()));
                ui.label(Type::Small.text(self.text).color(tokens.t2));
            });
            let button = (!self.button.is_empty()).then(|| {
                ui.add_space(size::GAP_SMALL);
                ui.add(Button::primary(self.button))
            });
            if let Some(sketch) = self.sketch {
                ui.add_space(size::GAP_SECTION);
                sketch.show(ui);
            }
            button
        })
        .inner
    }
}
