//! The key results of one configuration as a row of tiles.

use eframe::egui::Ui;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Configuration;
use jitterscope_engine::stats::LowDefinition;

use crate::text::{self, low};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Help, Spans, Tile, help::help_mark, tile_row};

/// The content of the last tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastTile {
    /// The lateness of the newest frame.
    Now(Option<Nanos>),
    /// The standard deviation of lateness.
    StdDev,
}

const P50: Help<'static> = Help::new("p50", "50% of frames were at most this late (the median).")
    .method("Interpolated percentile of lateness (R type 7).");
const P95: Help<'static> = Help::new("p95", "95% of frames were at most this late.")
    .method("Interpolated percentile of lateness (R type 7); needs 20 frames.");
const P99: Help<'static> = Help::new("p99", "99% of frames were at most this late.")
    .method("Interpolated percentile of lateness (R type 7); needs 100 frames.");
const P99_9: Help<'static> = Help::new("p99.9", "99.9% of frames were at most this late.")
    .method("Interpolated percentile of lateness (R type 7); needs 1\u{202f}000 frames, uncertain below 10\u{202f}000.");
const MAX: Help<'static> = Help::new(
    "Max",
    "The frame with the highest lateness. One outlier determines it, so compare p99 instead.",
)
.method("Maximum lateness of the configuration.");
const MISSED: Help<'static> = Help::new(
    "Missed",
    "Frames that missed their deadline. On screen, the previous frame is shown again.",
)
.method("Frames whose work was done after the deadline, and skipped slots.");
const NOW: Help<'static> = Help::new("Now", "Lateness of the most recent frame.");
const STD_DEV: Help<'static> = Help::new(
    "Std dev",
    "How much lateness varies from frame to frame. Twice the value means twice the variation.",
)
.method("Standard deviation of lateness with n − 1.");

/// Draws one tile per key result; in a small window, some tiles are omitted.
pub(super) fn ui(ui: &mut Ui, row: Option<&Configuration>, last: LastTile) {
    let tokens = Tokens::of(ui);
    let is_small = ui.content_rect().width() < size::WIDE_FROM;
    let is_narrow = ui.content_rect().width() < size::MEDIUM_FROM;
    let missing = (text::MISSING.to_owned(), "");
    let summary = row.and_then(|row| row.summary.as_ref());
    let late = summary.map(|summary| &summary.lateness);
    let time = |value: Option<Nanos>| value.map_or(missing.clone(), text::time_parts);
    let values = [
        ("p50 lateness", time(late.map(|late| late.p50)), P50),
        ("p95", time(late.and_then(|late| late.p95)), P95),
        ("p99", time(late.and_then(|late| late.p99)), P99),
        ("p99.9", time(late.and_then(|late| late.p99_9)), P99_9),
        ("Max", time(late.map(|late| late.max)), MAX),
    ];
    let missed = summary.map_or(0, jitterscope_engine::stats::Summary::missed_count);
    let missed_text = text::format_count(missed);
    let of = summary
        .map_or(String::new(), |summary| format!("of {}", text::format_count(summary.slot_count)));
    let last_value = match last {
        LastTile::Now(late) => time(late),
        LastTile::StdDev => {
            time(late.and_then(|late| late.std_dev_nanos).map(Nanos::from_nanos_f64))
        }
    };
    let fps = summary
        .and_then(|summary| summary.average_fps)
        .map_or(String::new(), |fps| format!("{fps:.1} FPS"));
    let mut tiles: Vec<Tile<'_>> = values
        .iter()
        .filter(|(label, ..)| !(is_small && *label == "p99.9"))
        .map(|(label, (value, unit), help)| Tile::new(label, value, unit).help(*help))
        .collect();
    let mut missed_tile = Tile::new("Missed", &missed_text, &of).help(MISSED);
    if 0 < missed {
        missed_tile = missed_tile.icon(icons::FLAG, tokens.poor);
    }
    tiles.push(missed_tile);
    if !is_small {
        let (value, unit) = &last_value;
        tiles.push(match last {
            LastTile::Now(_) => Tile::new("Now", value, unit).help(NOW).note(&fps),
            LastTile::StdDev => Tile::new("Std dev", value, unit).help(STD_DEV),
        });
    }
    let tiles: Vec<Tile<'_>> =
        if is_narrow { tiles.into_iter().map(Tile::narrow).collect() } else { tiles };
    tile_row(ui, &tiles);
}

/// Draws a line of frame rates: the average, and the 1% low with its definition.
pub(super) fn rates_ui(ui: &mut Ui, row: &Configuration, by: LowDefinition) {
    let color = Tokens::of(ui).t2;
    let average = row.summary.as_ref().and_then(|summary| summary.average_fps);
    let average = average.map_or(text::MISSING.to_owned(), text::format_measured_fps);
    let low = if let Some(fps) = low::of(row, by) {
        format!("1% low {} ({})", text::format_measured_fps(fps), low::within(by))
    } else {
        format!("1% low {}: {}", text::MISSING, low::what_it_needs(row.summary.as_ref()))
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
        ui.spacing_mut().interact_size.y = 0.0;
        let words = format!("Mean {average} · {low}");
        let room = ui.available_width() - size::ICON;
        Spans::plain(Type::Small, &words, color).label_within(ui, room);
        help_mark(ui, &Help::new("1% low", low::MEANING).method(&low::in_use(by)));
    });
}
