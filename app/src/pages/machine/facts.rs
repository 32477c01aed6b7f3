//! Facts about the machine: conditions, clock, system, scheduler, and app overhead.

use eframe::egui::Ui;
use jitterscope_engine::machine::Machine;
use jitterscope_engine::nanos::Nanos;

use crate::session::{Action, Facts, NoiseFloorEstimate, Session};
use crate::text;
use crate::text::machine::{clock_lines, condition_lines, system_lines};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, Card, Spans};

/// Draws one card per group of facts: conditions, clock, system, scheduler, and app overhead.
pub(super) fn ui(ui: &mut Ui, session: &Session, facts: &Facts) {
    let power = session.machine.power().cloned().unwrap_or_default();
    let now = Machine { power, ..facts.machine.clone() };
    let conditions = condition_lines(&now, &facts.detail, session.machine.other_load());
    card_ui(ui, "Current conditions", "power and load every 2 s", &owned(conditions));
    card_ui(ui, "Clock", "", &owned(clock_lines(&facts.clock, &facts.detail)));
    card_ui(ui, "System", "", &owned(system_lines(&facts.machine, &facts.detail)));
    card_ui(ui, "Scheduler", "as reported by the system", &facts.machine.scheduler);
    let cost = session.running.window_cost;
    let mut lines = vec![("Frames drawn".to_owned(), text::format_count(cost.paint_count))];
    if let Some(cpu) = cost.cpu {
        lines.push(("CPU time of the window".to_owned(), text::format_time(cpu)));
    }
    if let Some(first) = cost.first_image {
        lines.push(("Startup to first frame".to_owned(), text::format_time(first)));
    }
    if let Some(input) = cost.input_p95 {
        lines.push(("Input to frame, p95".to_owned(), text::format_time(input)));
    }
    card_ui(ui, "App overhead", "since startup", &lines);
}

/// Draws the run-to-run variation of this PC, and the button that measures it.
pub(super) fn noise_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    if session.is_noise_due() {
        actions.push(Action::ReadNoise);
    }
    Card::new("Noise floor").note("of the frame loop").show_plain(ui, |ui| {
        let words =
            session.machine.noise.as_ref().map_or_else(|| UNKNOWN_NOISE.to_owned(), noise_words);
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Body, &words, color).paragraph(ui);
        let verb = if session.machine.noise.is_some() { "Measure again" } else { "Measure" };
        let words = session.noise_duration().map_or_else(
            || verb.to_owned(),
            |length| format!("{verb} ({})", text::format_long_time(length)),
        );
        let name = format!("{verb} the noise floor");
        let button = Button::new(&words).name(&name);
        if ui.add_enabled(!session.running.is_busy(), button).clicked() {
            actions.push(Action::MeasureNoise);
        }
    });
}

const UNKNOWN_NOISE: &str = "Not measured. Runs the same settings 5 times to measure run-to-run \
                             variation. Smaller differences are then reported as no clear \
                             difference.";

fn noise_words(noise: &NoiseFloorEstimate) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "the difference of two latenesses")]
    let p99 = text::format_time(Nanos::new(noise.p99_nanos as i64));
    let when = text::date(&text::local(noise.measured_at));
    format!(
        "Measured {when}, {}: two runs with the same settings, repeated {} times, differ by less \
         than {p99} at p99 95% of the time. Smaller differences are reported as no clear \
         difference.",
        noise.label, noise.count
    )
}

fn owned(lines: Vec<text::machine::Line>) -> Vec<(String, String)> {
    lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn card_ui(ui: &mut Ui, title: &str, note: &str, lines: &[(String, String)]) {
    if lines.is_empty() {
        return;
    }
    Card::new(title).note(note).show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        ui.spacing_mut().interact_size.y = 0.0;
        let names = (ui.available_width() * 0.44).min(190.0);
        for (name, value) in lines {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                let name = Spans::plain(Type::Table, name, tokens.t2);
                ui.scope(|ui| {
                    ui.set_width(names);
                    name.label(ui);
                });
                Spans::plain(Type::Table, value, tokens.t1).paragraph(ui);
            });
        }
    });
}
