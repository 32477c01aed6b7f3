//! Colors, series, heat map, the rail.

use eframe::egui::{self, Color32, Sense, Ui, vec2};
use jitterscope::{
    Card, Hidden, LegendEntry, LegendSwatch, NavEnd, NavItem, Severity, brand, legend_row,
    line_sample, nav_caption, right_aligned, series_mark,
};
use jitterscope::{Dash, Mark};
use jitterscope::{Tokens, Type, icons, size};

/// The left column.
pub(crate) fn ui(ui: &mut Ui, hidden: &mut Hidden) {
    let tokens = Tokens::of(ui);
    Card::new("Surfaces and text").show(ui, |_| {}, |ui| swatches(ui, tokens));
    Card::new("Series: color, marker and dash").show(ui, |_| {}, |ui| series(ui, tokens));
    Card::new("Heat map, 1 µs to 30 ms").show(ui, |_| {}, |ui| heat(ui, tokens));
    rail_and_legend(ui, tokens, hidden);
}

fn swatches(ui: &mut Ui, t: &Tokens) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.spacing_mut().interact_size.y = 19.0;
    for (name, color) in [
        ("rail", t.rail),
        ("panel", t.panel),
        ("card", t.card),
        ("plot", t.plot),
        ("wid", t.wid),
        ("hov", t.hov),
        ("pop", t.pop),
        ("sel", t.sel),
        ("line", t.line),
        ("line2", t.line2),
        ("ctl", t.ctl),
        ("t1 text", t.t1),
        ("t2 secondary", t.t2),
        ("t3 hint", t.t3),
        ("acc accent", t.acc),
        ("accf primary fill", t.accf),
        ("stop fill", t.stop),
    ] {
        row(ui, name, color, |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(34.0, 14.0), Sense::hover());
            ui.painter().rect(rect, 3, color, (1.0, t.line2), egui::StrokeKind::Inside);
        });
    }
}

fn series(ui: &mut Ui, t: &Tokens) {
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.spacing_mut().interact_size.y = 19.0;
    for index in 0..8 {
        let series = t.series(index);
        row(ui, &series.letter.to_string(), series.color, |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(46.0, 14.0), Sense::hover());
            line_sample(ui.painter(), rect, series.dash, series.color);
            let center = rect.center();
            series_mark(ui.painter(), center, size::MARK, series.mark, series.color);
        });
    }
}

fn row(ui: &mut Ui, name: &str, color: Color32, sample: impl FnOnce(&mut Ui)) {
    let [red, green, blue, _] = color.to_array();
    let tokens = Tokens::of(ui);
    ui.horizontal(|ui| {
        sample(ui);
        ui.label(Type::Label.text(name));
        right_aligned(ui, name, |ui| {
            let hex = format!("#{red:02X}{green:02X}{blue:02X}");
            ui.label(Type::Mono.text(hex).color(tokens.t2));
        });
    });
}

fn heat(ui: &mut Ui, t: &Tokens) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let width = rect.width() / 9.0;
    let mut left = rect.left();
    for color in t.heat {
        let cell = egui::Rect::from_min_size(egui::pos2(left, rect.top()), vec2(width, 22.0));
        ui.painter().rect_filled(cell, 0, color);
        left += width;
    }
}

fn rail_and_legend(ui: &mut Ui, t: &Tokens, hidden: &mut Hidden) {
    ui.horizontal_top(|ui| {
        for narrow in [false, true] {
            let width = if narrow { size::RAIL_NARROW } else { 150.0 };
            let frame = egui::Frame::new().fill(t.rail).inner_margin(egui::Margin::symmetric(8, 0));
            frame.show(ui, |ui| {
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 2.0;
                    ui.set_width(width - 16.0);
                    brand(ui, narrow);
                    nav_caption(ui, "Tests", narrow);
                    let good = NavEnd::Verdict(Severity::Good);
                    NavItem::new(icons::FILM_STRIP, "Frame loop")
                        .end(NavEnd::Running)
                        .current(true)
                        .show(ui, narrow);
                    NavItem::new(icons::MOON, "Sleep").end(good).show(ui, narrow);
                    NavItem::new(icons::STACK, "Runs").end(NavEnd::Count(24)).show(ui, narrow);
                });
            });
        }
        let entries = [
            LegendEntry {
                name: "Frame time",
                color: t.series(0).color,
                sample: LegendSwatch::Line(Dash::SOLID),
            },
            LegendEntry {
                name: "Target",
                color: t.target,
                sample: LegendSwatch::Line(Dash::LIMIT),
            },
            LegendEntry {
                name: "Missed",
                color: t.poor,
                sample: LegendSwatch::Mark(Mark::TriangleDown),
            },
        ];
        ui.vertical(|ui| {
            ui.set_max_width(112.0);
            legend_row(ui, &entries, hidden);
        });
    });
}
