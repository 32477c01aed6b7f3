//! Lollipops: overshoot of each strategy for each length of wait, with the zones of the grades.

use eframe::egui::{Align2, Rect, Sense, Ui, pos2, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::stats::grade::SPIN_OVERSHOOT;

use super::axis::{Axis, ZERO, log_place};
use super::canvas::{Canvas, Side};
use crate::text;
use crate::theme::Tokens;
use crate::widgets::{Hidden, series_mark};

/// Where the plot ends, below the "0" tick.
const BOTTOM: f64 = ZERO - 1.1;

/// The lollipops of one length of wait.
#[derive(Clone, Debug, PartialEq)]
pub struct LollipopGroup {
    /// The length, in words.
    pub name: String,
    /// The overshoot of each series, in its order; absent where it was not measured.
    pub values: Vec<Option<Nanos>>,
}

/// A plot of lollipops.
#[derive(Clone, Copy, Debug)]
pub struct Lollipop<'a> {
    /// Identifies the plot on its page, and names it for screen readers.
    pub name: &'a str,
    /// The groups from left to right.
    pub groups: &'a [LollipopGroup],
    /// The names of the series.
    pub series: &'a [&'a str],
    /// Maximum of all plots of the page, so that they share an axis.
    pub most: Nanos,
    /// Hidden series.
    pub hidden: Hidden,
}

impl Lollipop<'_> {
    /// Draws the plot.
    pub fn ui(&self, ui: &mut Ui, height: f32) {
        let tokens = Tokens::of(ui);
        let groups = f64::from(u32::try_from(self.groups.len().max(1)).unwrap_or(1));
        let top = log_place(self.most.as_f64()).max(6.5) + 0.6;
        // Room for the words of the zones at the right, and for the names of the groups below.
        let x = Side { axis: Axis::Blank, range: (0.0, groups + 0.3), label: "" };
        let y = Side { axis: Axis::LogNanos, range: (BOTTOM, top), label: "" };
        let area = Canvas { name: self.name, height, x, y }.show(ui, Sense::hover());
        area.describe(&self.summary());
        let rect = area.rect();
        let [_, good, fair] = SPIN_OVERSHOOT.upper;
        let zones = [
            (BOTTOM, log_place(good), "Good", tokens.good),
            (log_place(good), log_place(fair), "Fair", tokens.fair),
            (log_place(fair), top, "Poor", tokens.poor),
        ];
        for (from, to, word, color) in zones {
            let zone = Rect::from_x_y_ranges(
                rect.x_range(),
                area.at(0.0, to).y.max(rect.top())..=area.at(0.0, from).y,
            );
            area.painter.rect_filled(zone, 0, color.gamma_multiply(0.09));
            let at = zone.right_top() + vec2(-4.0, 2.0);
            area.text(at, Align2::RIGHT_TOP, word, color);
        }
        let step = 1.0 / (f64::from(u32::try_from(self.series.len()).unwrap_or(1)) + 1.0);
        for (group, at) in self.groups.iter().zip(0_u32..) {
            let left = f64::from(at);
            let middle = area.at(left + 0.5, BOTTOM);
            let name_at = pos2(middle.x, rect.bottom() - 2.0);
            area.text(name_at, Align2::CENTER_BOTTOM, &group.name, tokens.t2);
            for ((value, series), place) in group.values.iter().zip(0..).zip(1_u32..) {
                let Some(value) = value.filter(|_| !self.hidden.is_hidden(series)) else {
                    continue;
                };
                let look = tokens.series(series);
                let x = left + step * f64::from(place);
                let head = area.at(x, log_place(value.as_f64().max(0.0)));
                let foot = area.at(x, ZERO - 0.25);
                area.painter.line_segment([foot, head], look.stroke(1.6));
                series_mark(&area.painter, head, 4.6, look.mark, look.color);
            }
        }
    }

    /// What the plot shows, in sentences.
    fn summary(&self) -> String {
        let mut parts = vec![self.name.to_owned()];
        for group in self.groups {
            for (value, name) in group.values.iter().zip(self.series) {
                if let Some(value) = value {
                    parts.push(format!("{} {name} {}", group.name, text::signed_duration(*value)));
                }
            }
        }
        parts.join(", ")
    }
}
