//! Programs that were busy while frames were late: a hint, used if the system denies the names of
//! threads.

use eframe::egui::{Align, Layout, Ui};
use jitterscope_engine::report::Suspect;

use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::Spans;
use crate::widgets::chip::word_chip;

/// Maximum number of listed programs.
const MAX_PROGRAMS: usize = 3;

/// Lists the programs that were busy while frames of a run were late.
pub(super) fn of_run_ui(ui: &mut Ui, busiest: &[Suspect]) {
    if busiest.is_empty() {
        return;
    }
    let tokens = Tokens::of(ui);
    let small = |words: &str| Spans::plain(Type::Small, words, tokens.t2);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        small("Busiest programs at those times").whole_label(ui);
        let about = "Read four times per second. Not a record of who had the CPU.";
        word_chip(ui, "hint").on_hover_text(about);
    });
    for program in busiest.iter().take(MAX_PROGRAMS) {
        ui.horizontal(|ui| {
            let words = Spans::plain(Type::Body, &program.name, tokens.t1);
            words.label_within(ui, (ui.available_width() - 110.0).max(40.0));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                small(&format!("{} of one CPU", text::format_share(program.share))).label(ui);
            });
        });
    }
}

/// Names the programs that were busy when a frame was late.
pub(super) fn of_frame_ui(ui: &mut Ui, busy: &[Suspect]) {
    if busy.is_empty() {
        return;
    }
    Spans::plain(Type::Small, &words(busy), Tokens::of(ui).t2).paragraph(ui);
}

fn words(busy: &[Suspect]) -> String {
    let programs: Vec<String> =
        busy.iter().map(|one| format!("{} {}", one.name, text::format_share(one.share))).collect();
    format!("Busy at that time, and possibly the cause: {}.", programs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_programs_are_called_a_hint() {
        let program = |name: &str, share: f64| Suspect { name: name.to_owned(), share };
        let busy = [program("chrome", 0.62), program("cargo", 0.31)];
        assert_eq!(
            words(&busy),
            "Busy at that time, and possibly the cause: chrome 62.0%, cargo 31.0%."
        );
    }
}
