//! The settings page. Each change is saved immediately.

mod cards;
mod licenses;
mod mark_shortcut;
mod row;

use std::sync::LazyLock;

use eframe::egui::{Context, ScrollArea, Ui};
use jitterscope_engine::report::{Term, glossary};

use super::page_frame;
use crate::session::{Action, Session, Settings};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{
    Answer, Button, Dialog, FollowFocus as _, Spans, dialog, link, right_aligned,
};

/// State of the Settings page.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "what is open over the page")]
pub struct SettingsPage {
    /// Whether the reset dialog is open.
    asks_reset: bool,
    /// Whether the dialog that asks for the keys of the mark shortcut is open.
    asks_keys: bool,
    /// Whether the licenses are shown.
    shows_licenses: bool,
    /// Whether the glossary is shown.
    shows_glossary: bool,
}

/// Maximum width of the two columns together, in points.
const WIDEST: f32 = 1180.0;

/// The terms of all results, collected from empty runs of all tests, which takes some milliseconds. Their definitions
/// are those of the columns of the result tables.
static GLOSSARY: LazyLock<Vec<Term>> = LazyLock::new(glossary);

impl SettingsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let mut settings = session.settings().clone();
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
            page_frame().show(ui, |ui| {
                ui.spacing_mut().item_spacing =
                    eframe::egui::vec2(size::GAP_FIELD, size::GAP_FIELD);
                ui.set_max_width(WIDEST.min(ui.available_width()));
                if is_wide {
                    ui.columns(2, |columns| {
                        if let [left, right] = columns {
                            left_ui(left, session, &mut settings, actions);
                            self.right_ui(right, session, &mut settings, actions);
                        }
                    });
                } else {
                    left_ui(ui, session, &mut settings, actions);
                    self.right_ui(ui, session, &mut settings, actions);
                }
            });
        });
        self.asks_keys = self.asks_keys && mark_shortcut::question_ui(ui.ctx(), &mut settings);
        if &settings != session.settings() {
            actions.push(Action::Set(Box::new(settings)));
        }
        self.question_ui(ui, session, actions);
        self.shows_licenses = self.shows_licenses && licenses::show(ui.ctx());
        self.shows_glossary = self.shows_glossary && glossary_ui(ui.ctx());
    }

    fn right_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        settings: &mut Settings,
        actions: &mut Vec<Action>,
    ) {
        self.asks_keys |= cards::running_ui(ui, session, settings);
        cards::privacy_ui(ui, settings);
        cards::help_ui(ui, session, actions);
        cards::keyboard_ui(ui, actions);
        ui.horizontal(|ui| {
            let is_default = session.settings().reset() == *session.settings();
            let is_free = !session.running.is_busy();
            let reset = ui.add_enabled(!is_default && is_free, Button::new("Reset all settings"));
            if reset.clicked() {
                self.asks_reset = true;
            }
            if !is_free {
                reset.on_disabled_hover_text("Once the test has ended.");
            }
            right_aligned(ui, "version", |ui| {
                let color = Tokens::of(ui).t2;
                let words = concat!("Jitterscope ", env!("CARGO_PKG_VERSION"));
                Spans::plain(Type::Small, words, color).whole_label(ui);
                if link(ui, "Licenses").clicked() {
                    self.shows_licenses = true;
                }
                if link(ui, "Glossary").clicked() {
                    self.shows_glossary = true;
                }
            });
        });
    }

    fn question_ui(&mut self, ui: &Ui, session: &Session, actions: &mut Vec<Action>) {
        if !self.asks_reset {
            return;
        }
        let dialog = Dialog {
            title: "Reset all settings?",
            text: "All settings on this page return to their defaults. Saved runs are not \
                   affected.",
            primary: "Reset",
            cancel: "Cancel",
            is_stop: true,
        };
        match dialog.show(ui.ctx()) {
            Some(Answer::Primary) => {
                actions.push(Action::Set(Box::new(session.settings().reset())));
                self.asks_reset = false;
            }
            Some(Answer::Cancel) => self.asks_reset = false,
            None => {}
        }
    }
}

fn left_ui(ui: &mut Ui, session: &Session, settings: &mut Settings, actions: &mut Vec<Action>) {
    cards::appearance_ui(ui, settings);
    cards::numbers_ui(ui, settings, !session.running.is_busy());
    cards::runs_ui(ui, session, settings, actions);
}

/// Shows the glossary; returns `false` when it is closed.
fn glossary_ui(ctx: &Context) -> bool {
    let tokens = Tokens::of(ctx);
    dialog::text_dialog(ctx, "Glossary", |ui, height| {
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            for term in GLOSSARY.iter() {
                ui.label(Type::Strong.text(&term.title).color(tokens.t1));
                ui.label(Type::Body.text(&term.definition).color(tokens.t1));
                ui.label(Type::Small.text(term.tests.join(", ")).color(tokens.t2));
                ui.add_space(size::GAP_SMALL);
            }
        });
    })
}
