//! What the machine is: conditions, clock, system, scheduler, and what the window costs.

use eframe::egui::Ui;
use jitterscope_engine::machine::Machine;

use crate::session::{Facts, Session};
use crate::text;
use crate::text::machine::{clock_lines, condition_lines, system_lines};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, Spans};

/// Draws the cards.
pub(super) fn ui(ui: &mut Ui, session: &Session, facts: &Facts) {
    let power = session.power().cloned().unwrap_or_default();
    let now = Machine { power, ..facts.machine.clone() };
    let conditions = condition_lines(&now, &facts.detail, session.other_load());
    card_ui(ui, "Conditions now", "power and load every 2 s", &owned(conditions));
    card_ui(ui, "Clock", "", &owned(clock_lines(&facts.clock, &facts.detail)));
    card_ui(ui, "System", "", &owned(system_lines(&facts.machine, &facts.detail)));
    card_ui(ui, "Scheduler", "as the system writes it", &facts.machine.scheduler);
    let cost = session.window_cost();
    let mut lines = vec![("Pictures drawn".to_owned(), text::count(cost.paint_count))];
    if let Some(cpu) = cost.cpu {
        lines.push(("CPU time of the window".to_owned(), text::duration(cpu)));
    }
    card_ui(ui, "Cost of this app", "since it was started", &lines);
}

fn owned(lines: Vec<text::machine::Line>) -> Vec<(String, String)> {
    lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn card_ui(ui: &mut Ui, title: &str, note: &str, lines: &[(String, String)]) {
    if lines.is_empty() {
        return;
    }
    Card::new(title).note(note).show(
        ui,
        |_| {},
        |ui| {
            let tokens = Tokens::of(ui);
            ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
            ui.spacing_mut().interact_size.y = 0.0;
            let names = (ui.available_width() * 0.44).min(190.0);
            for (name, value) in lines {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                    let name = Spans::new(Type::Table).text(Type::Table, name, tokens.t2);
                    ui.scope(|ui| {
                        ui.set_width(names);
                        name.label(ui);
                    });
                    let width = ui.available_width();
                    let value = Spans::new(Type::Table).text(Type::Table, value, tokens.t1);
                    ui.label(value.wrapped(ui, width));
                });
            }
        },
    );
}
