//! The heat map of gaps: one row per CPU, one column per part of the visible time range, and bars
//! with the longest gap of each CPU.

mod rows;

use eframe::egui::{Align2, Key, Rect, Response, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use egui_plot::{HoverPosition, PlotPoint, PlotTransform};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::Axis;
use jitterscope_engine::report::{Chart, table};

use super::axis::{AxisKind, narrow, whole};
use super::cells::{Cell, Cells};
use super::menu::{PlotTable, controls_ui, menu};
use super::plane::{Direction, Look, Move, Plane, ask, describe, moved_range, read_out};
use crate::text;
use crate::theme::tokens::Dash;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Button, Spans, card::has_controls, quiet_icon_button};
use rows::Found;
use rows::HeatRow;
pub use rows::{Gap, HeatMap};

/// Gaps of this length and above have a light border.
const BORDERED: Nanos = Nanos::from_millis(30);
/// Text of a cell without gaps.
const NO_GAP: &str = "no gap recorded";
/// Number of columns in the visible time range.
const COLUMNS: u32 = 150;
/// Maximum and minimum height of a row, in points.
const ROW: (f32, f32) = (26.0, 6.0);
/// Width of the bars to the right of the map, and the minimum total width at which the bars are
/// shown, in points.
const BARS: (f32, f32) = (270.0, 700.0);
/// Height of the time axis below the map, in points.
const AXIS: f32 = 44.0;
/// Minimum distance between two labels of the axis of the bars, in points.
const LABEL: f32 = 44.0;
/// Maximum number of gaps in the details of a cell.
const LISTED: usize = 6;

/// The drawn cells, cached for a visible time range and a number of gaps (`of`).
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    of: (f64, f64, usize),
    /// The longest gap of each cell in nanoseconds, row by row; 0 without gaps.
    cells: Vec<Vec<f64>>,
}

/// A position in the map: a row, and a time in seconds.
type HeatPlace = (usize, f64);

impl HeatMap {
    /// Draws the color key in the header of the card, and the buttons of the plot.
    pub fn key_ui(&self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(284.0, 16.0), Sense::hover());
        let font = Type::Small.font();
        let text = |at, anchor, words: &str| {
            ui.painter().text(at, anchor, words, font.clone(), tokens.t2);
        };
        text(rect.left_center(), Align2::LEFT_CENTER, "1 µs");
        // The last color continues in a cell with the border of long gaps.
        let cell =
            Rect::from_min_size(pos2(rect.right() - 12.0, rect.top() + 3.0), vec2(12.0, 10.0));
        ui.painter().rect_filled(cell, 0, tokens.heat_of(BORDERED));
        ui.painter().rect_stroke(cell, 0, Stroke::new(1.0, tokens.on_fill), StrokeKind::Inside);
        let right = pos2(cell.left() - 4.0, rect.center().y);
        text(right, Align2::RIGHT_CENTER, &format!("{} ms or more", BORDERED.as_millis()));
        let bar = Rect::from_x_y_ranges(
            rect.left() + 40.0..=rect.right() - 112.0,
            rect.top() + 3.0..=rect.bottom() - 3.0,
        );
        let steps = tokens.heat;
        let width = bar.width() / f32::from(u16::try_from(steps.len().max(1)).unwrap_or(1));
        let mut left = bar.left();
        for color in steps {
            let cell = Rect::from_min_size(pos2(left, bar.top()), vec2(width, bar.height()));
            ui.painter().rect_filled(cell, 0, color);
            left += width;
        }
        if has_controls(ui) {
            controls_ui(ui, self.id, "Gaps per CPU");
        }
    }

    /// Returns a short description of what a cell shows.
    pub fn note(&self, ui: &Ui) -> String {
        let whole = (0.0, self.span.as_secs());
        let (from, to) = moved_range(ui.ctx(), self.id).unwrap_or(whole);
        let step = Nanos::from_secs_f64(((to - from) / f64::from(COLUMNS)).max(0.0));
        let merged = match self.cpus_per_row() {
            0 | 1 => String::new(),
            2 => ", two CPUs per row".to_owned(),
            count => format!(", up to {count} CPUs per row"),
        };
        format!("longest gap per {}{merged}", text::format_time(step))
    }

    /// Draws the map with a height of up to `room` points, and the details of the selected cell.
    /// `image` returns the chart for an exported image.
    pub fn ui(&mut self, ui: &mut Ui, room: f32, image: impl Fn() -> Option<Chart>) {
        let tokens = Tokens::of(ui);
        let whole = (0.0, self.span.as_secs().max(1e-3));
        let seen = moved_range(ui.ctx(), self.id).unwrap_or(whole);
        self.draw(seen);
        let names: Vec<String> = self.rows.iter().map(|row| row.name.clone()).collect();
        let count = names.iter().fold(0.0_f32, |count, _| count + 1.0).max(1.0);
        let height = ((room - AXIS) / count).clamp(ROW.1, ROW.0);
        let full = ui.available_width();
        let bars = if full < BARS.1 { 0.0 } else { BARS.0 };
        let plane = Plane {
            look: Look { has_cells: true, ..Look::new(self.id, height * count + AXIS) },
            x: Direction::new(AxisKind::Time, whole, "Time"),
            y: Direction::rows(&names, count),
        };
        let map = &*self;
        let shown = ui
            .horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                let room = vec2(full - bars, height * count + AXIS);
                ui.allocate_ui(room, |ui| {
                    plane.show(
                        ui,
                        |hover| match hover {
                            HoverPosition::Elsewhere { position } => {
                                map.words(map.place_at(position)?, seen)
                            }
                            HoverPosition::NearDataPoint { .. } => None,
                        },
                        |plot| {
                            let bounds = plot.plot_bounds();
                            let rect = plot.response().rect;
                            let per_point = (
                                bounds.width() / f64::from(rect.width().max(1.0)),
                                bounds.height() / f64::from(rect.height().max(1.0)),
                            );
                            plot.add(Cells::new("gaps", map.colored(tokens, seen, per_point)));
                        },
                    )
                })
                .inner
            })
            .inner;
        let (response, transform) = shown;
        let frame = *transform.frame();
        if 0.0 < bars {
            let bars = Rect::from_x_y_ranges(
                // Leaves a gap between the labels of the time axis and the labels of the axis of
                // the bars.
                frame.right() + 44.0..=frame.right() + bars - 8.0,
                frame.y_range(),
            );
            self.bars_ui(ui, bars, &transform, tokens);
        }
        self.read(ui, &response, &transform, seen);
        menu(&response, self.id, || self.table(), Some(&image));
        self.details_ui(ui, seen);
    }

    /// Computes the cells of the visible time range, unless they are cached.
    fn draw(&mut self, seen: (f64, f64)) {
        let of = (seen.0, seen.1, self.count());
        if self.drawn.of == of {
            return;
        }
        let cells = self.rows.iter().map(|row| row.columns(seen, COLUMNS)).collect();
        self.drawn = Drawn { of, cells };
    }

    /// Returns the cells with their colors; cells of [`BORDERED`] or more have a light border, which encloses all cells that a
    /// gap covers.
    fn colored(&self, tokens: &Tokens, seen: (f64, f64), per_point: (f64, f64)) -> Vec<Cell> {
        let width = (seen.1 - seen.0) / f64::from(COLUMNS);
        let mut cells = Vec::new();
        for (row, number) in self.drawn.cells.iter().zip(0_u32..) {
            let mut right = seen.0;
            for covered in row.chunk_by(|one, next| one.to_bits() == next.to_bits()) {
                let left = right;
                right = covered.iter().fold(left, |right, _| right + width);
                let Some(&gap) = covered.first().filter(|gap| 0.0 < **gap) else { continue };
                let low = [left, f64::from(number)];
                let high = [right, f64::from(number) + 1.0 - per_point.1];
                let length = Nanos::from_nanos_f64(gap);
                let color = tokens.heat_of(length);
                if length < BORDERED {
                    cells.push((low, high, color));
                } else {
                    cells.push((low, high, tokens.on_fill));
                    let inset = [low[0] + per_point.0, low[1] + per_point.1];
                    cells.push((inset, [high[0] - per_point.0, high[1] - per_point.1], color));
                }
            }
        }
        cells
    }

    /// Draws the longest gap of each CPU as bars on a logarithmic axis, with lines at the limits of
    /// typical and of bad gaps.
    fn bars_ui(&self, ui: &Ui, bars: Rect, transform: &PlotTransform, tokens: &Tokens) {
        let painter = ui.painter();
        let most = self.limits.1.as_f64().max(1e7) * 10.0_f64.sqrt();
        let axis = Axis::log("Longest gap", table::Quantity::Time, 1e4, most);
        let at = |place: f64| bars.left() + narrow(place) * bars.width();
        let x_of = |nanos: Nanos| at(axis.place(nanos.as_f64()));
        let longest = self.rows.iter().map(|row| row.longest).max().unwrap_or_default();
        for (row, number) in self.rows.iter().zip(0_u32..).filter(|(row, _)| !row.is_blank()) {
            let y = |place: f64| transform.position_from_point(&PlotPoint::new(0.0, place)).y;
            let (top, bottom) = (y(f64::from(number)), y(f64::from(number) + 1.0) - 1.0);
            let bar = Rect::from_x_y_ranges(bars.left()..=x_of(row.longest), top..=bottom);
            let look = tokens.series(usize::from(row.longest == longest && 1 < self.rows.len()));
            painter.rect_filled(bar, 0, look.color.gamma_multiply(0.75));
        }
        let label = |x: f32, words: String, color| {
            let place = pos2(x, bars.bottom() + 4.0);
            painter.text(place, Align2::CENTER_TOP, words, Type::Axis.font(), color);
        };
        let limits = [(self.limits.0, tokens.fair), (self.limits.1, tokens.poor)];
        for (limit, color) in limits {
            let x = x_of(limit);
            let path = [pos2(x, bars.top()), pos2(x, bars.bottom())];
            painter.extend(Dash::LIMIT.line(&path, Stroke::new(1.2, color)));
            label(x, text::format_time(limit), color);
        }
        for (place, words) in axis.labels(f64::from(bars.width() / LABEL)) {
            let x = at(place);
            if limits.iter().all(|(limit, _)| LABEL <= (x - x_of(*limit)).abs()) {
                label(x, words, tokens.t2);
            }
        }
        let title = pos2(bars.center().x, bars.bottom() + 20.0);
        painter.text(title, Align2::CENTER_TOP, axis.title, Type::Axis.font(), tokens.t2);
    }

    /// Returns row and time at a position of the plot; `None` outside of the rows.
    fn place_at(&self, at: &PlotPoint) -> Option<HeatPlace> {
        let row = usize::try_from(whole((at.y - 0.5).max(0.0))).ok()?;
        let is_there = self.rows.get(row).is_some_and(|row| !row.is_blank());
        (is_there && 0.0 <= at.y).then_some((row, at.x))
    }

    /// Moves the cursor by arrow keys, and selects a cell by click or Enter.
    fn read(&mut self, ui: &Ui, response: &Response, transform: &PlotTransform, seen: (f64, f64)) {
        let width = (seen.1 - seen.0) / f64::from(COLUMNS);
        if response.has_focus() {
            let last = self.rows.len().saturating_sub(1);
            let (right, down, enter) = ui.input(|input| {
                let pressed = |key| input.modifiers.is_none() && input.key_pressed(key);
                let step = |key| f64::from(u8::from(pressed(key)));
                let right = step(Key::ArrowRight) - step(Key::ArrowLeft);
                (right, step(Key::ArrowDown) - step(Key::ArrowUp), pressed(Key::Enter))
            });
            let (mut row, mut secs) = self.cursor.unwrap_or((0, seen.0 + width / 2.0));
            secs = (secs + right * width).clamp(0.0, self.span.as_secs());
            for _ in 0..2 {
                if 0.0 < down {
                    row = (row + 1).min(last);
                } else if down < 0.0 {
                    row = row.saturating_sub(1);
                }
                // Skips the blank row between two groups.
                if self.rows.get(row).is_some_and(|row| !row.is_blank()) {
                    break;
                }
            }
            if right != 0.0 || down != 0.0 || self.cursor.is_none() {
                self.cursor = Some((row, secs));
                if secs < seen.0 || seen.1 < secs {
                    ask(ui.ctx(), self.id, Move::Center(secs));
                }
            }
            if enter {
                self.selected = self.cursor;
            }
        }
        let pointed = response.interact_pointer_pos().filter(|_| response.clicked());
        if let Some(place) =
            pointed.and_then(|at| self.place_at(&transform.value_from_position(at)))
        {
            (self.cursor, self.selected) = (Some(place), Some(place));
        }
        let read = self.cursor.filter(|_| response.has_focus());
        let words = read.and_then(|place| self.words(place, seen));
        describe(response, words.as_deref().unwrap_or(&self.summary()));
        if let Some(words) = words.filter(|_| !response.hovered()) {
            read_out(ui, response, &words.replace('\n', " · "));
        }
        for (row, secs) in read.into_iter().chain(self.selected) {
            let (from, to) = self.column(secs, seen);
            let top = f64::from(u32::try_from(row).unwrap_or(u32::MAX));
            let ends = [PlotPoint::new(from, top), PlotPoint::new(to, top + 1.0)];
            let cell = transform.rect_from_values(&ends[0], &ends[1]);
            let cell = cell.intersect(*transform.frame());
            let stroke = Stroke::new(1.5, Tokens::of(ui).t1);
            ui.painter().rect_stroke(cell, 0, stroke, StrokeKind::Outside);
        }
    }

    /// Returns start and end of the column that contains a time.
    fn column(&self, secs: f64, seen: (f64, f64)) -> (f64, f64) {
        let width = (seen.1 - seen.0) / f64::from(COLUMNS);
        let from = seen.0 + ((secs - seen.0) / width).floor() * width;
        (from, from + width)
    }

    /// Returns the row of a cell, the time range of its column in seconds, and statistics of its
    /// gaps.
    fn found(
        &self,
        (row, secs): HeatPlace,
        seen: (f64, f64),
    ) -> Option<(&HeatRow, (f64, f64), Found)> {
        let row = self.rows.get(row).filter(|row| !row.is_blank())?;
        let ends = self.column(secs, seen);
        Some((row, ends, row.found(ends)))
    }

    /// Describes a cell: CPU, time, longest gap with its cause, number of gaps, and their sum.
    fn words(&self, place: HeatPlace, seen: (f64, f64)) -> Option<String> {
        let (row, ends, found) = self.found(place, seen)?;
        let (from, to) = in_secs(ends);
        let place = format!("{} · {from} to {to} s", row.name);
        let all = found.words();
        Some(match row.longest_of(ends, 1).first() {
            None => format!("{place}\n{all}"),
            Some(gap) => format!("{place}\nLongest gap {}\n{all}", self.described(gap)),
        })
    }

    /// Returns the length of a gap, and its cause if one was recorded: "4.012 ms, rustc".
    fn described(&self, gap: &Gap) -> String {
        let length = text::format_time(gap.length);
        match self.causes.get(&gap.sample) {
            Some(cause) => format!("{length}, {cause}"),
            None => length,
        }
    }

    /// Draws the details of the selected cell below the map.
    fn details_ui(&mut self, ui: &mut Ui, seen: (f64, f64)) {
        let Some(place) = self.selected else { return };
        let Some((row, ends, found)) = self.found(place, seen) else { return };
        let (from, to) = in_secs(ends);
        let mut words = format!("{}, {from} to {to} s: {}", row.name, found.words());
        for (at, gap) in row.longest_of(ends, LISTED).iter().enumerate() {
            let begins = if at == 0 { "; longest " } else { "; " };
            words.push_str(&format!("{begins}{} at {:.4} s", self.described(gap), gap.began));
        }
        let mut is_cleared = false;
        ui.horizontal(|ui| {
            let width = ui.available_width() - 130.0;
            Spans::new(Type::Small)
                .text(Type::Label, &words, Tokens::of(ui).t1)
                .paragraph_within(ui, width);
            let zoom = Button::quiet("Zoom").icon(icons::MAGNIFYING_GLASS).name("Zoom to cell");
            if ui.add(zoom).clicked() {
                let room = (ends.1 - ends.0) * 2.0;
                ask(ui.ctx(), self.id, Move::Show((ends.0 - room).max(0.0), ends.1 + room));
            }
            is_cleared = quiet_icon_button(ui, icons::X, "Clear cell").clicked();
        });
        ui.add_space(size::GAP_LABEL);
        if is_cleared {
            self.selected = None;
        }
    }

    /// Returns a table with the longest gap, the number of gaps, and their sum for each row.
    fn table(&self) -> PlotTable {
        let line = |row: &HeatRow| {
            let all = row.found((0.0, f64::INFINITY));
            vec![
                row.name.clone(),
                if all.count == 0 { NO_GAP.to_owned() } else { text::format_time(all.longest) },
                text::format_count(all.count),
                text::format_time(all.sum),
            ]
        };
        PlotTable {
            title: "Gaps per CPU".to_owned(),
            header: ["CPU", "Longest gap", "Gaps", "Total"].map(str::to_owned).to_vec(),
            rows: self.rows.iter().filter(|row| !row.is_blank()).map(line).collect(),
        }
    }

    fn summary(&self) -> String {
        let rows = self.rows.iter().filter(|row| !row.is_blank());
        let longest = |row: &HeatRow| match row.longest {
            Nanos::ZERO => NO_GAP.to_owned(),
            longest => text::format_time(longest),
        };
        let parts: Vec<String> = rows.map(|row| format!("{} {}", row.name, longest(row))).collect();
        format!("Gaps per CPU, longest of each: {}", parts.join(", "))
    }
}

impl Found {
    /// Returns the number of gaps and their sum.
    fn words(&self) -> String {
        let (count, sum) = (text::format_count(self.count), text::format_time(self.sum));
        match self.count {
            0 => NO_GAP.to_owned(),
            1 => format!("1 gap, {sum}"),
            _ => format!("{count} gaps, {sum} in total"),
        }
    }
}

/// Formats start and end of a column in seconds, with enough decimals to distinguish them.
fn in_secs((from, to): (f64, f64)) -> (String, String) {
    let decimals = match to - from {
        width if width < 0.001 => 5,
        width if width < 0.01 => 4,
        width if width < 0.1 => 3,
        width if width < 1.0 => 2,
        _ => 1,
    };
    (format!("{:.decimals$}", from.max(0.0)), format!("{to:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_border_encloses_all_cells_of_a_long_gap() {
        let mut map = HeatMap::new([("CPU 0".to_owned(), 0)], Nanos::from_secs(15));
        map.push(0, Nanos::from_millis(1_050), Nanos::from_millis(900));
        map.push(0, Nanos::from_secs(9), Nanos::from_millis(2));
        let whole = (0.0, 15.0);
        map.draw(whole);
        let cells = map.colored(&crate::theme::tokens::DARK, whole, (0.01, 0.05));
        let [(low, high, _), inner, short] = cells.as_slice() else { panic!("{cells:?}") };
        assert!((low[0] - 1.0).abs() < 1e-6 && (high[0] - 2.0).abs() < 1e-6, "{cells:?}");
        assert!(low[0] < inner.0[0] && inner.1[0] < high[0], "{cells:?}");
        assert!((short.1[0] - short.0[0] - 0.1).abs() < 1e-6, "{cells:?}");
    }

    #[test]
    fn a_cell_holds_the_gaps_of_its_stretch_at_every_zoom() {
        let mut map = HeatMap::new([("CPU 0".to_owned(), 0)], Nanos::from_secs(15));
        for (millis, micros) in [(150, 20), (199, 2_000), (9_000, 5)] {
            map.push(0, Nanos::from_millis(millis), Nanos::from_micros(micros));
        }
        let whole = (0.0, 15.0);
        let words = map.words((0, 0.15), whole).unwrap().replace('\u{202f}', " ");
        assert_eq!(
            words,
            "CPU 0 · 0.10 to 0.20 s\nLongest gap 2.000 ms\n2 gaps, 2.020 ms in total"
        );
        let words = map.words((0, 9.0), whole).unwrap().replace('\u{202f}', " ");
        assert_eq!(words, "CPU 0 · 9.000 to 9.100 s\nLongest gap 5.00 µs\n1 gap, 5.00 µs");
        // A cell without gaps is not described as a gap of 0 ns.
        let words = map.words((0, 5.0), whole).unwrap();
        assert_eq!(words, "CPU 0 · 5.000 to 5.100 s\nno gap recorded");
        map.draw(whole);
        let count = map.drawn.cells[0].iter().filter(|gap| 0.0 < **gap).count();
        assert_eq!(count, 3, "the gap of 2 ms ends in the next cell");
        map.draw((0.14, 0.2));
        let near = &map.drawn.cells[0];
        let mut gaps: Vec<f64> = near.iter().copied().filter(|gap| 0.0 < *gap).collect();
        gaps.dedup();
        assert_eq!(gaps, [20_000.0, 2_000_000.0], "closer up, they lie apart");
    }
}
