//! Verdicts, buttons, fields, progress, the empty page.

use eframe::egui::Ui;
use jitterscope::{
    Button, Card, EmptyState, Help, Severity, Tile, VerdictStrip, badge, checkbox, combo,
    field_block, icon_button, plain_card, progress, radio, requested_and_applied, segmented,
    tile_row, toggle, value_field,
};
use jitterscope::{Tokens, Type, icons, size};
use jitterscope_engine::plan::form::Parameter;

use crate::Components;

/// The middle column.
pub(crate) fn ui(ui: &mut Ui, page: &mut Components) {
    Card::new("Verdicts: always icon, word and sentence").show(ui, |_| {}, verdicts);
    Card::new("Buttons and fields").show(ui, |_| {}, |ui| controls(ui, page));
    strips(ui);
    tiles(ui);
    plain_card(ui, |ui| {
        let empty = EmptyState {
            icon: icons::COLUMNS,
            title: "Nothing to compare yet",
            text: "Select 2 to 4 runs of the same test, or drop report files here.",
            button: "Select runs",
            sketch: None,
        };
        empty.show(ui);
    });
}

fn verdicts(ui: &mut Ui) {
    for (severity, word, text) in [
        (
            Severity::Good,
            "Excellent · Good",
            "99% of frames started at most 52 µs late (0.3% of a frame).",
        ),
        (
            Severity::Fair,
            "Fair",
            "27 of 1\u{202f}800 frames started more than 250 µs late; 1 was missed.",
        ),
        (Severity::Poor, "Poor", "5 of 100 frames were missed at 60 FPS."),
        (Severity::Info, "Stopped early", "214 of 1\u{202f}800 frames. Saved without a verdict."),
        (Severity::NotAvailable, "Not available", "This Mac cannot pin threads to a core."),
    ] {
        VerdictStrip::new(severity, word).evidence(text).show(ui, |_| {});
    }
}

fn controls(ui: &mut Ui, page: &mut Components) {
    ui.spacing_mut().item_spacing.y = size::GAP_CARD;
    ui.horizontal(|ui| {
        ui.add(Button::primary("Run test").icon(icons::PLAY_FILL));
        ui.add(Button::primary("Run again").icon(icons::PLAY_FILL).shortcut("F5").bar());
        ui.add(Button::stop("Stop").icon(icons::STOP_FILL).shortcut("Esc").bar());
        ui.add(Button::new("Export").icon(icons::EXPORT));
        ui.add_enabled(false, Button::new("Disabled"));
        icon_button(ui, icons::ARROWS_OUT_SIMPLE, "Enlarge");
    });
    ui.horizontal(|ui| {
        let views = [("Frame time", "Frame time"), ("Lateness", "Lateness")];
        segmented(ui, "Timeline, show", &mut page.shown, &views);
        let cpus = [(2, "CPU 2"), (6, "CPU 6")];
        combo(ui, "Chosen CPU", &mut page.cpu, &cpus, 80.0);
        let work = Parameter::millis(0.0, 15.0);
        value_field(ui, "Work per frame", &mut page.work, &work, 72.0);
        let [on, off, _] = &mut page.checks;
        checkbox(ui, on, "On");
        checkbox(ui, off, "Off");
        for (strategy, name) in [(0, "One"), (1, "Two")] {
            if radio(ui, page.strategy == strategy, name).clicked() {
                page.strategy = strategy;
            }
        }
        let [first, second] = &mut page.switches;
        toggle(ui, first, "Background load");
        toggle(ui, second, "Alternate");
    });
    ui.horizontal_top(|ui| {
        let help = Help::new("Duration", "How long each configuration is measured.");
        field_block(ui, "Duration", Some(&help), |ui| {
            let time = Parameter::secs(1.0, 600.0);
            value_field(ui, "Duration", &mut page.length, &time, 100.0);
        });
        let width = size::PROGRESS_WIDTH;
        progress(ui, 0.31, "Configuration 4 of 12", "4 min 17 s left", width);
        badge(ui, Severity::Denied, "Real-time: denied · Details");
    });
}

fn strips(ui: &mut Ui) {
    VerdictStrip::new(Severity::Good, "Excellent with real-time priority, Fair at Above normal")
        .sentence("Use Time-critical or Highest priority. Pinning brings nothing.")
        .evidence(
            "99 of 100 frames start at most 3 to 11 µs late, against 52 µs at Normal. Above \
             normal was worse than Normal in all three pinnings: avoid it here.",
        )
        .show(ui, |ui| {
            ui.add(Button::new("Copy report").icon(icons::COPY));
            ui.add(Button::new("Export").icon(icons::EXPORT));
        });
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::PULSE)
        .sentence("Configuration 4 of 12: Above normal, unpinned")
        .evidence("Warm-up done · hybrid wait, spin for the last 2.00 ms · 4 CPU load threads")
        .show(ui, |ui| {
            let (requested, granted) = ("Above normal (nice −5) · any CPU", "nice −5 · CPUs 0–31");
            requested_and_applied(ui, requested, Severity::Good, granted);
        });
}

fn tiles(ui: &mut Ui) {
    let help = Help::new("p99", "99% of frames were at most this late.")
        .method("Interpolated percentile of lateness (R type 7), 1\u{202f}800 frames");
    let poor = Tokens::of(ui).poor;
    tile_row(
        ui,
        &[
            Tile::new("p50 lateness", "1.2", "µs"),
            Tile::new("p99", "524", "µs").help(help),
            Tile::new("Max", "17.40", "ms"),
            Tile::new("Missed", "1", "of 1\u{202f}230").icon(icons::FLAG, poor),
            Tile::new("Now", "0.9", "µs").note("60.0 FPS"),
        ],
    );
    ui.label(
        Type::Small.text("Tiles open their help on hover, and by F1 once they have the focus."),
    );
}
