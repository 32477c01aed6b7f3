//! The heat map of gaps: a row per CPU, a column per time interval, and the longest gap of each
//! CPU.

use eframe::egui::{Align2, Color32, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use jitterscope_engine::nanos::Nanos;

use super::axis::{Axis, log_place};
use crate::text;
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, Type};

/// Columns of time.
pub const COLUMNS: usize = 150;
/// The height of a row: at most, at least.
const ROW: (f32, f32) = (26.0, 6.0);
/// The width of the names at the left and of the bars at the right.
const SIDES: (f32, f32) = (56.0, 250.0);
/// The height of the ticks below.
const TICKS: f32 = 20.0;

/// The gaps of one CPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatRow {
    /// The CPU's name.
    pub name: String,
    /// The longest gap, the number of gaps, and their sum, per time interval.
    pub cells: Vec<(Nanos, u32, Nanos)>,
    /// The longest gap of the whole run.
    pub longest: Nanos,
}

/// A map of gaps over time and CPUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// The rows from top to bottom.
    pub rows: Vec<HeatRow>,
    /// How much time the columns span together.
    pub span: Nanos,
    /// Limits: typical up to the first, bad above the second.
    pub limits: (Nanos, Nanos),
    /// Where the map was read last: row and column.
    pub cursor: Option<(usize, usize)>,
}

/// The color of a gap, from dark to bright as it grows.
fn color_of(tokens: &Tokens, gap: Nanos) -> Color32 {
    if gap <= Nanos::ZERO { tokens.plot } else { tokens.heat_of(gap) }
}

impl HeatMap {
    /// Counts a gap in the cell it began in.
    pub fn count(&mut self, row: usize, at: Nanos, length: Nanos) {
        let columns = i64::try_from(COLUMNS).unwrap_or(1);
        let span = self.span.get().max(1);
        let column = (i128::from(at.get().max(0)) * i128::from(columns) / i128::from(span))
            .min(i128::from(columns - 1));
        let Some(row) = self.rows.get_mut(row) else { return };
        row.longest = row.longest.max(length);
        if let Some(cell) = usize::try_from(column).ok().and_then(|at| row.cells.get_mut(at)) {
            *cell = (cell.0.max(length), cell.1.saturating_add(1), cell.2 + length);
        }
    }

    /// A row with empty cells.
    pub fn empty_row(name: &str) -> HeatRow {
        HeatRow {
            name: name.to_owned(),
            cells: vec![(Nanos::ZERO, 0, Nanos::ZERO); COLUMNS],
            longest: Nanos::ZERO,
        }
    }

    /// How high a row is.
    fn row_height(&self, room: f32) -> f32 {
        let count = f32::from(u16::try_from(self.rows.len().max(1)).unwrap_or(u16::MAX));
        ((room - TICKS) / count).clamp(ROW.1, ROW.0)
    }

    /// The key to the colors, for the card's header.
    pub fn key_ui(ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(220.0, 16.0), Sense::hover());
        let font = Type::Small.font();
        let text = |at, anchor, words: &str| {
            ui.painter().text(at, anchor, words, font.clone(), tokens.t2);
        };
        text(rect.left_center(), Align2::LEFT_CENTER, "1 µs");
        text(rect.right_center(), Align2::RIGHT_CENTER, "30 ms");
        let bar = rect.shrink2(vec2(40.0, 3.0));
        let steps = tokens.heat;
        let width = bar.width() / f32::from(u16::try_from(steps.len().max(1)).unwrap_or(1));
        let mut left = bar.left();
        for color in steps {
            let cell = Rect::from_min_size(pos2(left, bar.top()), vec2(width, bar.height()));
            ui.painter().rect_filled(cell, 0, color);
            left += width;
        }
    }

    /// Draws the map in the room there is.
    pub fn ui(&mut self, ui: &mut Ui, room: f32) {
        let tokens = Tokens::of(ui);
        let height = self.row_height(room);
        let rows = f32::from(u16::try_from(self.rows.len().max(1)).unwrap_or(u16::MAX));
        let size = vec2(ui.available_width(), height * rows + TICKS);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let bars_width = if rect.width() < 700.0 { 0.0 } else { SIDES.1 };
        let map = Rect::from_min_max(
            pos2(rect.left() + SIDES.0, rect.top()),
            pos2(rect.right() - bars_width - 36.0, rect.bottom() - TICKS),
        );
        self.cells_ui(ui, map, height, tokens);
        self.time_ui(ui, map, tokens);
        if 0.0 < bars_width {
            let bars = Rect::from_min_max(
                pos2(rect.right() - bars_width + 16.0, rect.top()),
                pos2(rect.right() - 8.0, map.bottom()),
            );
            self.bars_ui(ui, bars, height, tokens);
        }
        self.read_ui(ui, &response, map, height, tokens);
        let summary = self.summary();
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, summary.clone()));
    }

    fn cells_ui(&self, ui: &Ui, map: Rect, height: f32, tokens: &Tokens) {
        let painter = ui.painter();
        let columns = f32::from(u16::try_from(COLUMNS).unwrap_or(1));
        let width = map.width() / columns;
        let mut top = map.top();
        // Names of rows that are lower than a line of text stand at every fourth.
        let every = if height < 12.0 { 4 } else { 1 };
        for (number, row) in self.rows.iter().enumerate() {
            if number % every == 0 {
                let at = pos2(map.left() - 8.0, top + height / 2.0);
                let font = Type::Axis.font();
                painter.text(at, Align2::RIGHT_CENTER, &row.name, font, tokens.t2);
            }
            let mut left = map.left();
            for &(gap, ..) in &row.cells {
                let cell = Rect::from_min_size(
                    pos2(left, top),
                    vec2(width + 0.5, (height - 1.0).max(1.0)),
                );
                painter.rect_filled(cell, 0, color_of(tokens, gap));
                left += width;
            }
            top += height;
        }
    }

    fn time_ui(&self, ui: &Ui, map: Rect, tokens: &Tokens) {
        let secs = self.span.as_secs().max(1e-3);
        let min = secs * 80.0 / f64::from(map.width().max(80.0));
        for tick in Axis::Time.ticks(0.0, secs, min) {
            if tick.text.is_empty() {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "a share of a width")]
            let x = map.left() + (tick.at / secs) as f32 * map.width();
            let at = pos2(x, map.bottom() + 4.0);
            let font = Type::Axis.font();
            ui.painter().text(at, Align2::CENTER_TOP, &tick.text, font, tokens.t2);
        }
    }

    fn bars_ui(&self, ui: &Ui, bars: Rect, height: f32, tokens: &Tokens) {
        let painter = ui.painter();
        let (low, high) = (4.0, log_place(self.limits.1.as_f64()).max(7.0) + 0.5);
        let x_of = |nanos: Nanos| {
            let share = (log_place(nanos.as_f64()) - low) / (high - low);
            #[expect(clippy::cast_possible_truncation, reason = "a share of a width")]
            let share = share.clamp(0.0, 1.0) as f32;
            bars.left() + share * bars.width()
        };
        let longest = self.rows.iter().map(|row| row.longest).max().unwrap_or_default();
        let mut top = bars.top();
        for row in &self.rows {
            let bar = Rect::from_min_max(
                pos2(bars.left(), top),
                pos2(x_of(row.longest), top + (height - 1.0).max(1.0)),
            );
            let look = tokens.series(usize::from(row.longest == longest && 1 < self.rows.len()));
            painter.rect_filled(bar, 0, look.color.gamma_multiply(0.75));
            top += height;
        }
        let marks = [
            (Nanos::from_micros(10), "10 µs".to_owned(), tokens.t2, false),
            (Nanos::from_micros(300), "300 µs".to_owned(), tokens.t2, false),
            (self.limits.0, text::duration(self.limits.0), tokens.fair, true),
            (self.limits.1, text::duration(self.limits.1), tokens.poor, true),
        ];
        for (at, words, color, is_limit) in marks {
            let x = x_of(at);
            if is_limit {
                let path = [pos2(x, bars.top()), pos2(x, bars.bottom())];
                painter.extend(Dash::LIMIT.line(&path, Stroke::new(1.2, color)));
            }
            let place = pos2(x, bars.bottom() + 4.0);
            painter.text(place, Align2::CENTER_TOP, words, Type::Axis.font(), color);
        }
    }

    /// The cell under the pointer, or the one reached by the arrow keys, in words.
    fn read_ui(
        &mut self,
        ui: &Ui,
        response: &eframe::egui::Response,
        map: Rect,
        height: f32,
        tokens: &Tokens,
    ) {
        let columns = f32::from(u16::try_from(COLUMNS).unwrap_or(1));
        let cell_at = |pos: eframe::egui::Pos2| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "inside the map"
            )]
            let (row, column) = (
                ((pos.y - map.top()) / height).max(0.0) as usize,
                ((pos.x - map.left()) / map.width() * columns).max(0.0) as usize,
            );
            (row.min(self.rows.len().saturating_sub(1)), column.min(COLUMNS - 1))
        };
        let hovered = response.hover_pos().filter(|pos| map.contains(*pos)).map(cell_at);
        if response.clicked() {
            response.request_focus();
        }
        if response.has_focus() {
            let (mut row, mut column) = self.cursor.unwrap_or((0, 0));
            ui.input(|input| {
                use eframe::egui::Key;
                if input.key_pressed(Key::ArrowRight) {
                    column = (column + 1).min(COLUMNS - 1);
                }
                if input.key_pressed(Key::ArrowLeft) {
                    column = column.saturating_sub(1);
                }
                if input.key_pressed(Key::ArrowDown) {
                    row = (row + 1).min(self.rows.len().saturating_sub(1));
                }
                if input.key_pressed(Key::ArrowUp) {
                    row = row.saturating_sub(1);
                }
            });
            self.cursor = Some((row, column));
        }
        let Some((row, column)) = hovered.or(self.cursor.filter(|_| response.has_focus())) else {
            return;
        };
        let Some(words) = self.words(row, column) else { return };
        let step = f32::from(u16::try_from(column).unwrap_or(0));
        let line = f32::from(u16::try_from(row).unwrap_or(0));
        let cell = Rect::from_min_size(
            pos2(map.left() + step * map.width() / columns, map.top() + line * height),
            vec2(map.width() / columns, height),
        );
        let kind = eframe::egui::StrokeKind::Outside;
        ui.painter().rect_stroke(cell, 0, Stroke::new(1.5, tokens.t1), kind);
        response.clone().on_hover_text_at_pointer(words.clone());
        if hovered.is_none() {
            let at = cell.right_bottom() + vec2(6.0, 6.0);
            ui.painter().text(at, Align2::LEFT_TOP, words, Type::Small.font(), tokens.t1);
        }
    }

    /// The text of a cell: CPU, time, longest gap, count, and sum.
    pub fn words(&self, row: usize, column: usize) -> Option<String> {
        let row = self.rows.get(row)?;
        let &(longest, count, sum) = row.cells.get(column)?;
        let columns = i64::try_from(COLUMNS).unwrap_or(1);
        let step = Nanos::new(self.span.get() / columns);
        let column = i64::try_from(column).unwrap_or(0);
        Some(format!(
            "{} · {:.1} to {:.1} s\nLongest gap {}\n{} gaps, {} in total",
            row.name,
            (step * column).as_secs(),
            (step * (column + 1)).as_secs(),
            text::duration(longest),
            text::count(u64::from(count)),
            text::duration(sum)
        ))
    }

    fn summary(&self) -> String {
        let parts: Vec<String> = self
            .rows
            .iter()
            .map(|row| format!("{} {}", row.name, text::duration(row.longest)))
            .collect();
        format!("Gaps per CPU, longest of each: {}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_falls_into_the_stretch_it_began_in_and_the_longest_stays() {
        let mut map = HeatMap {
            rows: vec![HeatMap::empty_row("CPU 0")],
            span: Nanos::from_secs(15),
            limits: (Nanos::from_millis(3), Nanos::from_millis(30)),
            cursor: None,
        };
        map.count(0, Nanos::from_millis(150), Nanos::from_micros(20));
        map.count(0, Nanos::from_millis(199), Nanos::from_millis(2));
        map.count(0, Nanos::from_secs(99), Nanos::from_micros(5));
        assert_eq!(map.rows[0].cells[1].1, 2);
        assert_eq!(map.rows[0].cells[1].0, Nanos::from_millis(2));
        assert_eq!(map.rows[0].cells[COLUMNS - 1].1, 1);
        assert_eq!(map.rows[0].longest, Nanos::from_millis(2));
        let words = map.words(0, 1).unwrap().replace('\u{202f}', " ");
        assert_eq!(words, "CPU 0 · 0.1 to 0.2 s\nLongest gap 2.000 ms\n2 gaps, 2.020 ms in total");
    }
}
