//! Three ways to begin: check this PC, record a game, open the log of a game.

use eframe::egui::{Response, Ui};

use crate::session::{Action, PageId};
use crate::theme::{Tokens, Type, icon, icons, size};
use crate::widgets::card::plain_card;
use crate::widgets::{Button, Card, Command, Sketch, Spans, key_text, right_aligned};

/// Height of the sketch of a door, in points.
const SKETCH: f32 = 108.0;
/// Height of a line of text, in points.
const LINE: f32 = 18.0;
/// Width of a door in points below which its texts need another line.
const WIDE: f32 = 300.0;
/// Width of the button in a row of the card of further doors, in points.
const ROW_BUTTON: f32 = 150.0;

/// A way to begin.
pub(super) struct Door {
    icon: &'static str,
    title: &'static str,
    text: &'static str,
    sketch: Sketch,
    /// What it needs: icon and text.
    needs: [(&'static str, &'static str); 2],
}

pub(super) const CHECK: Door = Door {
    icon: icons::GAUGE,
    title: "Check this PC",
    text: "Five short tests show whether this PC delays frames, and what delays them.",
    sketch: Sketch::Parts,
    needs: [
        (icons::HOURGLASS_MEDIUM, "About a minute"),
        (icons::SHIELD_CHECK, "Needs no game and no special rights"),
    ],
};

pub(super) const RECORD: Door = Door {
    icon: icons::CROSSHAIR,
    title: "Record while you play",
    text: "Shows what your game waited for at each stutter, and which program delayed it.",
    sketch: Sketch::Stutters,
    needs: [
        (icons::CHART_LINE, "Needs a log of frame times, such as MangoHud's"),
        (icons::SHIELD_CHECK, "Names other programs with administrator rights"),
    ],
};

pub(super) const OPEN: Door = Door {
    icon: icons::FOLDER_OPEN,
    title: "Open a game's log",
    text: "Frame rates, lows, and stutters, and whether CPU or GPU limits them.",
    sketch: Sketch::Histogram,
    needs: [
        (icons::FILE_CSV, "MangoHud, PresentMon, CapFrameX, Afterburner, HWiNFO"),
        (icons::DOWNLOAD_SIMPLE, "Or drop the file anywhere in this window"),
    ],
};

impl Door {
    /// Draws the door as a card with its button. All doors of a width have the same height.
    pub(super) fn ui(&self, ui: &mut Ui, button: Button<'_>, is_enabled: bool) -> Response {
        let tokens = Tokens::of(ui);
        plain_card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
            let width = ui.available_width();
            let lines = if width < WIDE { 3.0 } else { 2.0 };
            ui.horizontal(|ui| {
                ui.label(icon(self.icon, size::NAV_ICON).color(tokens.acc));
                Spans::plain(Type::Strong, self.title, tokens.t1).whole_label(ui);
            });
            ui.vertical(|ui| {
                ui.set_min_height(lines * LINE);
                Spans::plain(Type::Body, self.text, tokens.t2).paragraph_within(ui, width);
            });
            self.sketch.show_low(ui, SKETCH);
            ui.vertical(|ui| {
                ui.set_min_height((lines + 1.0) * LINE + size::GAP_SMALL);
                for (glyph, need) in self.needs {
                    ui.horizontal_top(|ui| {
                        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                        ui.label(icon(glyph, size::ICON).color(tokens.t3));
                        let room = ui.available_width();
                        Spans::plain(Type::Small, need, tokens.t2).paragraph_within(ui, room);
                    });
                }
            });
            // In a column, the ring of the focus would be as wide as the card.
            ui.horizontal(|ui| ui.add_enabled(is_enabled, button)).inner
        })
        .inner
    }

    fn row_ui(&self, ui: &mut Ui, button: Button<'_>) -> bool {
        let tokens = Tokens::of(ui);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            ui.label(icon(self.icon, size::ICON).color(tokens.t2));
            Spans::new(Type::Body)
                .text(Type::Strong, self.title, tokens.t1)
                .gap(size::GAP_SMALL)
                .text(Type::Small, self.text, tokens.t2)
                .label_within(ui, (ui.available_width() - ROW_BUTTON).max(size::TARGET));
            right_aligned(ui, self.title, |ui| ui.add(button).clicked()).inner
        })
        .inner
    }
}

/// Draws the buttons to record and to open a log as rows of a card, for a page without runs.
pub(super) fn further_doors_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    Card::new("Other ways to begin").show_plain(ui, |ui| {
        ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
        if RECORD.row_ui(ui, Button::new("Set up recording")) {
            actions.push(Action::GoTo(PageId::Record));
        }
        let key = key_text(ui.ctx(), Command::OpenFile);
        let open = Button::new("Open file…").shortcut(&key).name("Open a game's log");
        if OPEN.row_ui(ui, open) {
            actions.push(Action::AskForFile);
        }
    });
}
