//! Issues found on this PC, and remedies.

use eframe::egui::{Margin, Ui};
use jitterscope_engine::machine::{Finding, Step, Weight};

use crate::session::Action;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::paint::bordered_frame;
use crate::widgets::{Button, Card, Severity, Spans, right_aligned};

/// Draws the card with the issues found.
pub(super) fn ui(ui: &mut Ui, found: &[Finding], actions: &mut Vec<Action>) {
    Card::new("Issues found").show_plain(ui, |ui| {
        if found.is_empty() {
            line_ui(ui, Severity::Good, "No issues found", "");
        }
        for finding in found {
            let severity = match finding.weight {
                Weight::Matters => Severity::Fair,
                Weight::May => Severity::Info,
            };
            line_ui(ui, severity, &finding.what, &finding.why);
            // A finding with several steps is about real-time priority; these steps have their
            // own card.
            for step in finding.steps.iter().filter(|_| finding.steps.len() == 1) {
                step_ui(ui, None, step, actions);
            }
        }
    });
}

fn line_ui(ui: &mut Ui, severity: Severity, what: &str, why: &str) {
    let tokens = Tokens::of(ui);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        severity.icon_ui(ui, size::ICON);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let width = ui.available_width();
            Spans::plain(Type::Strong, what, tokens.t1).paragraph_within(ui, width);
            if !why.is_empty() {
                Spans::plain(Type::Body, why, tokens.t2).paragraph_within(ui, width);
            }
        });
    });
}

/// Draws a step: its number, its effect, and its command with a copy button.
pub(in crate::pages) fn step_ui(
    ui: &mut Ui,
    number: Option<u32>,
    step: &Step,
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        let mark = number.map_or("→".to_owned(), |number| number.to_string());
        ui.add_space(size::GAP_LABEL);
        Spans::plain(Type::Strong, &mark, tokens.acc).whole_label(ui);
        ui.vertical(|ui| {
            Spans::plain(Type::Body, &step.what, tokens.t1).paragraph(ui);
            if !step.command.is_empty() {
                command_ui(ui, &step.command, actions);
            }
        });
    });
}

fn command_ui(ui: &mut Ui, command: &str, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    let frame = bordered_frame(tokens.plot, tokens.line, size::RADIUS)
        .inner_margin(Margin::symmetric(size::CARD_PADDING - 2, 2));
    let width = ui.available_width() - 2.0 * f32::from(size::CARD_PADDING);
    frame.show(ui, |ui| {
        ui.set_width(width);
        ui.horizontal(|ui| {
            let room = (width - 90.0).max(60.0);
            Spans::plain(Type::Mono, command, tokens.t1).paragraph_within(ui, room);
            right_aligned(ui, command, |ui| {
                let name = format!("Copy {command}");
                if ui.add(Button::quiet("Copy").icon(icons::COPY).name(&name)).clicked() {
                    ui.ctx().copy_text(command.to_owned());
                    actions.push(Action::Tell("Command copied.".to_owned()));
                }
            });
        });
    });
}
