//! The Machine page: cores, capabilities, issues, and hardware.

mod allows;
mod cores;
mod facts;
mod findings;

use eframe::egui::{ScrollArea, Ui, vec2};
use jitterscope_engine::machine::Finding;

use super::page_frame;
use crate::session::{Action, Facts, Session};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{FollowFocus as _, Spans};

pub(super) use allows::denied_ui;
pub(super) use findings::step_ui;

/// State of the Machine page.
#[derive(Debug, Default)]
pub struct MachinePage {}

impl MachinePage {
    /// Draws the page, or a short message until the facts about the PC are known.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(facts) = session.machine.facts() else {
            let words = match session.hosts.selected() {
                None => "Reading the machine",
                Some(_) => "Connect to show this PC.",
            };
            let color = Tokens::of(ui).t2;
            ui.centered_and_justified(|ui| Spans::plain(Type::Body, words, color).label(ui));
            return;
        };
        ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
            page_frame().show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(size::GAP_CARD, size::GAP_CARD);
                let found = findings_of(facts);
                if size::WIDE_FROM <= ui.content_rect().width() {
                    let room = ui.available_width() - size::GAP_CARD;
                    ui.horizontal_top(|ui| {
                        ui.vertical(|ui| {
                            ui.set_width((room * 0.665).floor());
                            cores::ui(ui, facts);
                            allows::ui(ui, session, facts, actions);
                            findings::ui(ui, &found, actions);
                            facts::noise_ui(ui, session, actions);
                        });
                        ui.vertical(|ui| {
                            ui.set_width((room * 0.335).floor());
                            facts::ui(ui, session, facts);
                        });
                    });
                } else {
                    cores::ui(ui, facts);
                    allows::ui(ui, session, facts, actions);
                    findings::ui(ui, &found, actions);
                    facts::noise_ui(ui, session, actions);
                    facts::ui(ui, session, facts);
                }
            });
        });
    }
}

/// Returns the issues found on this PC.
fn findings_of(facts: &Facts) -> Vec<Finding> {
    let Facts { machine, detail, clock, realtime, .. } = facts;
    jitterscope_engine::machine::findings(machine, detail, clock, realtime)
}

/// Returns the facts about the PC, its capabilities, and the issues found as Markdown.
pub fn machine_markdown(facts: &Facts) -> String {
    let Facts { machine, detail, clock, realtime, can_pin, trace, .. } = facts;
    let capabilities = text::machine::capabilities(detail, realtime, *can_pin, trace);
    text::machine::markdown(machine, detail, clock, &capabilities, &findings_of(facts))
}
