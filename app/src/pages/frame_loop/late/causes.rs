//! The causes of late frames counted, above a limit that a person may change.

use std::ops::RangeInclusive;

use eframe::egui::{Align, CornerRadius, Layout, Rect, Sense, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Cause, LateSample, Row};
use jitterscope_engine::run::TrialRun;

use super::{HEIGHT, mark_ui};
use crate::plots::cause_look;
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, FieldUnit, Spans, duration_field};

/// The width of the field for the limit.
const LIMIT_WIDTH: f32 = 84.0;

/// The limits that can be counted by: from where causes are looked for to a whole frame.
pub(super) fn limits(row: &Row, trial: &TrialRun) -> RangeInclusive<Nanos> {
    let least = trial.trial.evidence_above.unwrap_or(Nanos::from_micros(1));
    least..=row.period.max(least)
}

/// The limit that is counted by before a person names another: that of the settings.
pub(in super::super) fn usual_limit(row: &Row, trial: &TrialRun) -> Nanos {
    let limits = limits(row, trial);
    row.late_limit.clamp(*limits.start(), *limits.end())
}

/// Draws the card of causes, with the limit above which frames are counted.
pub(super) fn ui(
    ui: &mut Ui,
    late: &[LateSample],
    over: &mut Nanos,
    limits: RangeInclusive<Nanos>,
) {
    Card::new("Why were frames late?").height(HEIGHT).show(
        ui,
        |_| {},
        |ui| {
            let tokens = Tokens::of(ui);
            let counts: Vec<(Cause, usize)> = Cause::ALL
                .into_iter()
                .map(|cause| (cause, late.iter().filter(|one| one.cause == cause).count()))
                .collect();
            bar_ui(ui, &counts, late.len());
            ui.spacing_mut().item_spacing.y = 3.0;
            for (cause, count) in counts.iter().filter(|(_, count)| 0 < *count) {
                ui.horizontal(|ui| {
                    mark_ui(ui, *cause);
                    let words = Spans::new(Type::Body).text(Type::Body, cause.words(), tokens.t1);
                    words.whole_label(ui).on_hover_text(cause.advice());
                    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                        let count = text::count(u64::try_from(*count).unwrap_or(0));
                        Spans::new(Type::Strong).text(Type::Strong, &count, tokens.t1).label(ui);
                    });
                });
            }
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
                let words =
                    if late.is_empty() { "No frame was over" } else { "Counts frames over" };
                let small =
                    |words: &str| Spans::new(Type::Small).text(Type::Small, words, tokens.t2);
                small(words).whole_label(ui);
                let (name, unit) = ("Counts frames later than", FieldUnit::Micros);
                duration_field(ui, name, over, unit, limits, LIMIT_WIDTH);
                small("late").whole_label(ui);
            });
        },
    );
}

/// The share of each cause as a bar.
fn bar_ui(ui: &mut Ui, counts: &[(Cause, usize)], all: usize) {
    let tokens = Tokens::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 12.0), Sense::hover());
    if all == 0 {
        ui.painter().rect_filled(rect, CornerRadius::same(2), tokens.line);
        return;
    }
    let part = |count: usize| f32::from(u16::try_from(count.min(60_000)).unwrap_or(u16::MAX));
    let mut left = rect.left();
    for (cause, count) in counts.iter().filter(|(_, count)| 0 < *count) {
        let width = rect.width() * part(*count) / part(all).max(1.0);
        let piece = Rect::from_min_max(
            pos2(left, rect.top()),
            pos2((left + width - 1.0).max(left + 1.0), rect.bottom()),
        );
        let (color, _) = cause_look(tokens, *cause);
        ui.painter().rect_filled(piece, CornerRadius::same(2), color);
        left += width;
    }
}
