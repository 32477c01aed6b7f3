//! Capabilities of this PC, verified by testing, and the steps to allow denied ones.

use eframe::egui::{Align, Layout, Rect, Sense, Ui, UiBuilder, pos2, vec2};

use super::findings::step_ui;
use crate::pages::rights::rights_ui;
use crate::session::{Action, Facts, PageId, Session};
use crate::text::machine::{Capability, CapabilityState, capabilities};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Button, Card, Severity, Spans};

const fn severity(allowed: CapabilityState) -> Severity {
    match allowed {
        CapabilityState::Yes => Severity::Good,
        CapabilityState::Partly => Severity::Fair,
        CapabilityState::No => Severity::Denied,
        CapabilityState::NotHere => Severity::NotAvailable,
    }
}

/// Widths of the columns as shares of the table, with and without a note.
const WITH_NOTE: [f32; 4] = [0.28, 0.13, 0.27, 0.32];
const WITHOUT_NOTE: [f32; 4] = [0.44, 0.2, 0.36, 0.0];

/// Draws the card of capabilities; if names of programs or real-time priority are denied, also the steps to allow them.
pub(super) fn ui(ui: &mut Ui, session: &Session, facts: &Facts, actions: &mut Vec<Action>) {
    let is_free = !session.running.is_busy();
    Card::new("Capabilities").note("verified by testing").flush().show(
        ui,
        |ui| {
            let again = Button::new("Test again").icon(icons::ARROW_COUNTER_CLOCKWISE);
            if ui.add_enabled(is_free, again).clicked() {
                actions.push(Action::ReadMachine);
            }
        },
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let tokens = Tokens::of(ui);
            let shares = if 640.0 <= ui.available_width() { WITH_NOTE } else { WITHOUT_NOTE };
            let header = Type::TableHeader;
            row_ui(ui, shares, |ui, column| {
                let title = ["Capability", "State", "Applied", "Note"];
                let title = title.get(column).copied().unwrap_or_default();
                Spans::new(header).text(header, title, tokens.t2).label(ui);
            });
            let Facts { detail, realtime, can_pin, trace, .. } = facts;
            for ability in capabilities(detail, realtime, *can_pin, trace) {
                ability_ui(ui, shares, &ability);
            }
        },
    );
    let steps = jitterscope_engine::machine::trace_steps(&facts.detail, &facts.trace);
    if !steps.is_empty() {
        let note = "Jitterscope never changes this itself";
        Card::new("How to allow names of programs").note(note).show_plain(ui, |ui| {
            for (step, number) in steps.iter().zip(1..) {
                step_ui(ui, Some(number), step, actions);
            }
        });
    }
    if !facts.realtime.is_granted {
        how_ui(ui, facts, actions);
        let then = || Action::GoTo(PageId::Machine);
        ui.horizontal_wrapped(|ui| rights_ui(ui, session, then, actions));
    }
}

fn ability_ui(ui: &mut Ui, shares: [f32; 4], ability: &Capability) {
    let tokens = Tokens::of(ui);
    let severity = severity(ability.allowed);
    let text = |ui: &mut Ui, words: &str, color| Spans::plain(Type::Table, words, color).label(ui);
    row_ui(ui, shares, |ui, column| match column {
        0 => {
            let shown = text(ui, &ability.name, tokens.t1);
            if !ability.note.is_empty() {
                shown.on_hover_text(&ability.note);
            }
        }
        1 => {
            let color = severity.word_color(tokens);
            Spans::new(Type::TableStrong)
                .severity(severity, 2.0, tokens)
                .text(Type::TableStrong, ability.allowed.word(), color)
                .label(ui);
        }
        2 => drop(text(ui, &ability.applied, tokens.t2)),
        _ => drop(text(ui, &ability.note, tokens.t2)),
    });
}

/// Draws a table row with a line above it; `shares` are the widths of the cells as shares of the
/// row.
fn row_ui(ui: &mut Ui, shares: [f32; 4], mut cell: impl FnMut(&mut Ui, usize)) {
    let (rect, _) =
        ui.allocate_exact_size(vec2(ui.available_width(), size::TABLE_ROW), Sense::hover());
    ui.painter().hline(rect.x_range(), rect.top(), (1.0, Tokens::of(ui).line));
    let padding = f32::from(size::CARD_PADDING);
    let room = rect.width() - 2.0 * padding;
    let mut left = rect.left() + padding;
    for (column, share) in shares.into_iter().enumerate().filter(|(_, share)| 0.0 < *share) {
        let width = room * share;
        let place = Rect::from_min_size(
            pos2(left, rect.top()),
            vec2(width - size::GAP_SMALL, rect.height()),
        );
        let layout = Layout::left_to_right(Align::Center);
        cell(&mut ui.new_child(UiBuilder::new().max_rect(place).layout(layout)), column);
        left += width;
    }
}

/// Draws the steps to allow capabilities that a run was denied, and buttons to test again and to
/// open the list of capabilities.
pub(in crate::pages) fn denied_ui(
    ui: &mut Ui,
    session: &Session,
    facts: &Facts,
    test: &'static str,
    actions: &mut Vec<Action>,
) {
    how_ui(ui, facts, actions);
    ui.horizontal_wrapped(|ui| {
        rights_ui(ui, session, || Action::Run(test), actions);
        let again = Button::new("Check again").icon(icons::ARROW_COUNTER_CLOCKWISE);
        if ui.add_enabled(!session.running.is_busy(), again).clicked() {
            actions.push(Action::ReadMachine);
        }
        if ui.add(Button::new("Open Machine page").icon(icons::CPU)).clicked() {
            actions.push(Action::GoTo(PageId::Machine));
        }
        let (icon, words) = if facts.realtime.is_granted {
            (Severity::Good, "Real-time priority is granted now: run the test again.")
        } else {
            (Severity::Denied, "Real-time priority is still denied.")
        };
        let tokens = Tokens::of(ui);
        Spans::new(Type::Small)
            .severity(icon, size::GAP_LABEL, tokens)
            .text(Type::Small, words, tokens.t2)
            .label(ui);
    });
}

/// Draws the steps to allow real-time priority. The app never carries out these steps.
fn how_ui(ui: &mut Ui, facts: &Facts, actions: &mut Vec<Action>) {
    let is_linux = facts.machine.system().starts_with("Linux");
    let steps = jitterscope_engine::machine::permission_steps(&facts.detail, is_linux);
    if steps.is_empty() {
        return;
    }
    let note = "Jitterscope never changes these settings itself";
    Card::new("How to allow real-time priority").note(note).show_plain(ui, |ui| {
        for (step, number) in steps.iter().zip(1..) {
            step_ui(ui, Some(number), step, actions);
        }
        let tokens = Tokens::of(ui);
        let safe = "Is this safe? A real-time thread runs before all normal threads. \
                        Jitterscope's watchdog revokes the priority if a thread overruns, and the \
                        system reserves a share of each CPU. Any other program with this \
                        permission can use it, too.";
        Spans::plain(Type::Small, safe, tokens.t2).paragraph(ui);
    });
}
