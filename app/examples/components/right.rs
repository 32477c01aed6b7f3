//! Type, table cells, help, spacing.

use eframe::egui::{self, Sense, Ui, vec2};
use jitterscope::{Card, Help, Severity, Spans};
use jitterscope::{Tokens, Type, icons, size};

/// The right column.
pub(crate) fn ui(ui: &mut Ui) {
    Card::new("Type").show(ui, |_| {}, type_scale);
    Card::new("Table states").flush().show(ui, |_| {}, table);
    Card::new("Help on a metric").show(ui, |_| {}, help);
    Card::new("Spacing").show(ui, |_| {}, spacing);
    Card::new("Status of a test in the navigation").show(ui, |_| {}, status);
}

fn type_scale(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let tokens = Tokens::of(ui);
    ui.label(Type::Verdict.text("Verdict 21 / 28 semi-bold"));
    Spans::plain(Type::Value, "1\u{202f}234.5", tokens.t1)
        .gap(3.0)
        .text(Type::Label, "µs  tile 19 / 24", tokens.t2)
        .label(ui);
    ui.label(Type::Title.text("Page title 17 / 22 semi-bold"));
    ui.label(Type::Sentence.text("Result sentence 15 / 20"));
    ui.label(Type::Body.text("Body 13 / 18, table 12.5"));
    ui.label(Type::Small.text("Small 11.5 / 16, axis 11").color(tokens.t2));
    ui.label(Type::Mono.text("mono 11.5 sudo setcap cap_sys_nice=ep"));
}

fn table(ui: &mut Ui) {
    let t = Tokens::of(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let applied = |icon, color| Spans::new(Type::Table).icon(icon, size::ICON_SMALL, color);
    let fine = |text| applied(Severity::Good.icon(), t.good).text(Type::Table, text, t.t1);
    let denied = applied(Severity::Denied.icon(), t.fair)
        .text(Type::TableStrong, "denied", t.fair)
        .text(Type::Table, ", ran at nice 0", t.t1);
    let running = applied(icons::PULSE, t.acc).text(Type::Table, "68%", t.t2);
    let waiting = Spans::plain(Type::Table, "waiting", t.t3);
    let rows = [
        ("Normal", "52", fine("nice 0")),
        ("Selected", "524", fine("nice −5")),
        ("Above normal", "61", denied),
        ("Highest", "running", running),
        ("Time-critical", "–", waiting),
    ];
    for (at, (priority, p99, applied)) in rows.into_iter().enumerate() {
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), size::TABLE_ROW), Sense::hover());
        if at == 1 {
            ui.painter().rect_filled(rect, 0, t.sel);
        }
        let mut left = rect.left() + 20.0;
        for (width, cell) in [
            (120.0, Spans::plain(Type::Table, priority, t.t1)),
            (54.0, Spans::plain(Type::Table, p99, t.t1)),
            (160.0, applied),
        ] {
            let cell_rect =
                egui::Rect::from_min_size(egui::pos2(left, rect.top()), vec2(width, 26.0));
            let layout = egui::Layout::left_to_right(egui::Align::Center);
            let builder = egui::UiBuilder::new().max_rect(cell_rect).layout(layout);
            cell.label(&mut ui.new_child(builder));
            left += width;
        }
    }
}

fn help(ui: &mut Ui) {
    egui::Frame::popup(ui.style()).inner_margin(10).show(ui, |ui| {
        ui.set_width(ui.available_width().max(0.0));
        Help::new("p99", "99% of frames were at most this late.")
            .method("Interpolated percentile of lateness (R type 7), 1\u{202f}800 frames.")
            .ui(ui);
    });
}

fn spacing(ui: &mut Ui) {
    let tokens = Tokens::of(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
        for side in [
            size::GAP_LABEL,
            size::GAP_SMALL,
            size::GAP_CARD,
            size::GAP_FIELD,
            size::GAP_GROUP,
            size::GAP_SECTION,
            size::GAP_WIDE,
        ] {
            let (rect, _) = ui.allocate_exact_size(vec2(side, side), Sense::hover());
            ui.painter().rect_filled(rect, 0, tokens.acc);
        }
    });
}

fn status(ui: &mut Ui) {
    let tokens = Tokens::of(ui);
    ui.horizontal_wrapped(|ui| {
        for severity in [
            Severity::Good,
            Severity::Fair,
            Severity::Poor,
            Severity::Denied,
            Severity::NotMeasured,
            Severity::NotAvailable,
        ] {
            severity.icon_ui(ui, 14.0);
            ui.label(Type::Small.text(severity.word()).color(tokens.t1));
        }
    });
}
