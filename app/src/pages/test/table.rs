//! A table of words as the window draws it: any kind of result.

use eframe::egui::{Align, Layout, Rangef, Rect, Sense, Ui, pos2, vec2};
use egui_extras::{Column, TableBuilder, TableRow};

use crate::text::table::{Line, ResultTable};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Card, Severity, Spans, line_sample, row_line, series_mark};

/// The least width of the column of grades.
const GRADE: f32 = 90.0;
/// The greatest width of the column of cautions.
const CAUTION: f32 = 150.0;
/// The height of the words above columns that belong together.
const GROUP: f32 = 22.0;
/// The room between two columns.
const GAP: f32 = size::GAP_SMALL;

/// Draws a table in a card. Returns the line that was clicked.
pub(in crate::pages) fn ui(
    ui: &mut Ui,
    table: &ResultTable,
    chosen: Option<usize>,
) -> Option<usize> {
    Card::new(table.title)
        .note(&table.note)
        .flush()
        .show(ui, |_| {}, |ui| lines_ui(ui, table, chosen))
        .inner
}

/// Where the parts of a table are.
struct Grid<'a> {
    table: &'a ResultTable,
    /// The width of each column.
    widths: Vec<f32>,
    has_cautions: bool,
    /// The width of the column of cautions.
    caution: f32,
    /// The width of the column of grades.
    grades: f32,
    /// From where to where rows reach on the screen.
    reach: Rangef,
    /// What of that is seen.
    seen: Rangef,
    /// Which columns are shown.
    shown: Vec<usize>,
}

impl<'a> Grid<'a> {
    fn of(ui: &Ui, table: &'a ResultTable) -> Self {
        let has_cautions = table.lines.iter().any(|line| !line.caution.is_empty());
        let mut shown: Vec<usize> = (0..table.columns.len()).collect();
        let width_of = |at: &usize| table.columns.get(*at).map_or(0.0, |one| f32::from(one.width));
        let sum = |shown: &[usize]| shown.iter().map(|at| width_of(at) + GAP).sum::<f32>();
        let caution = table
            .lines
            .iter()
            .map(|line| caution_of(ui, &line.caution).galley(ui).size().x.ceil() + 4.0)
            .fold(0.0, f32::max)
            .min(CAUTION);
        let rest = if has_cautions { caution + GAP } else { 0.0 }
            + if table.has_grades { GRADE } else { 0.0 };
        // What only adds to the picture gives way first, from the right.
        for extra in (0..table.columns.len()).rev() {
            let is_extra = table.columns.get(extra).is_some_and(|column| column.is_extra);
            if is_extra && ui.available_width() < sum(&shown) + rest + 2.0 * GAP {
                shown.retain(|at| *at != extra);
            }
        }
        let wanted = sum(&shown);
        // What is too narrow is moved sideways; what is too wide gives the room to every column alike.
        let spare = (ui.available_width() - wanted - rest - 2.0 * GAP).max(0.0);
        let each = spare / f32::from(u16::try_from(shown.len().max(1)).unwrap_or(1));
        let widths: Vec<f32> = shown.iter().map(|at| (width_of(at) + each).floor()).collect();
        let taken: f32 = widths.iter().map(|width| width + GAP).sum();
        let cautions = if has_cautions { caution + GAP } else { 0.0 };
        let grades = (ui.available_width() - taken - cautions).max(GRADE).floor();
        let left = ui.max_rect().left();
        let reach = Rangef::new(left, left + ui.available_width().max(taken + cautions + grades));
        Self { table, widths, has_cautions, caution, grades, reach, seen: reach, shown }
    }

    /// The group that begins with this column, and how wide it is.
    fn group_at(&self, column: usize) -> Option<(&crate::text::table::Group, f32)> {
        let mut first = 0;
        for group in &self.table.groups {
            if first == column {
                let own = first..first + group.columns;
                let widths = self.shown.iter().zip(&self.widths).filter(|(at, _)| own.contains(at));
                return Some((group, widths.map(|(_, width)| width + GAP).sum::<f32>() - GAP));
            }
            first += group.columns;
        }
        None
    }

    /// Whether a new group begins with this column, parted from the one before by a line.
    fn is_parted(&self, column: usize) -> bool {
        0 < column && self.group_at(column).is_some()
    }
}

fn lines_ui(ui: &mut Ui, table: &ResultTable, chosen: Option<usize>) -> Option<usize> {
    let mut clicked = None;
    ui.spacing_mut().item_spacing = vec2(GAP, 0.0);
    let count = f32::from(u16::try_from(table.lines.len()).unwrap_or(u16::MAX));
    // Room for the bar that moves a table that is too wide.
    let height = (count * size::TABLE_ROW).min(16.0 * size::TABLE_ROW) + 14.0;
    let grid = Grid::of(ui, table);
    let header = size::TABLE_HEADER + if table.groups.is_empty() { 0.0 } else { GROUP };
    eframe::egui::ScrollArea::horizontal().id_salt(table.title).show(ui, |ui| {
        // Where the table is moved sideways, its rows move along.
        let moved = ui.max_rect().left();
        let reach = Rangef::new(moved, moved + grid.reach.span());
        let grid = Grid { reach, seen: ui.clip_rect().x_range(), ..grid };
        // A line is also chosen by the controls of the plots: the keyboard need not visit each cell.
        let mut builder = TableBuilder::new(ui)
            .id_salt(table.title)
            .sense(Sense::CLICK)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink([false, true])
            .max_scroll_height(height);
        for width in &grid.widths {
            builder = builder.column(Column::exact(*width).clip(true));
        }
        if grid.has_cautions {
            builder = builder.column(Column::exact(grid.caution).clip(true));
        }
        if table.has_grades {
            builder = builder.column(Column::exact(grid.grades));
        }
        builder.header(header, |mut header| header_ui(&mut header, &grid)).body(|body| {
            body.rows(size::TABLE_ROW, table.lines.len(), |mut cells| {
                let index = cells.index();
                let Some(line) = table.lines.get(index) else { return };
                let above = index.checked_sub(1).and_then(|above| table.lines.get(above));
                cells.set_selected(chosen == Some(index));
                line_ui(&mut cells, &grid, line, above);
                if cells.response().clicked() {
                    clicked = Some(index);
                }
            });
        });
    });
    clicked
}

/// Draws the line that parts two groups.
fn parting_ui(ui: &Ui) {
    let cell = ui.max_rect();
    let x = cell.left() - GAP / 2.0 + 2.0;
    let mut painter = ui.painter().clone();
    painter.set_clip_rect(ui.clip_rect().expand2(vec2(GAP, 0.0)));
    painter.vline(x, cell.y_range(), (1.0, Tokens::of(ui).line));
}

fn header_ui(header: &mut TableRow<'_, '_>, grid: &Grid<'_>) {
    let table = grid.table;
    let is_grouped = !table.groups.is_empty();
    for &index in &grid.shown {
        let Some(column) = table.columns.get(index) else { continue };
        header.col(|ui| {
            let tokens = Tokens::of(ui);
            if let Some((group, width)) = grid.group_at(index) {
                group_ui(ui, group, width, grid.seen);
            }
            if grid.is_parted(index) {
                parting_ui(ui);
            }
            let title = if column.short.is_empty() { &column.title } else { column.short };
            let spans = Spans::new(Type::TableHeader).text(Type::TableHeader, title, tokens.t2);
            let mut place = ui.max_rect();
            if is_grouped {
                place.min.y += GROUP;
            }
            let layout = if column.is_text {
                Layout::left_to_right(Align::Center)
            } else {
                Layout::right_to_left(Align::Center)
            };
            ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(place).layout(layout), |ui| {
                if column.is_text && index == 0 {
                    ui.add_space(size::GAP_FIELD);
                }
                spans.label(ui);
            });
        });
    }
    for title in [grid.has_cautions.then_some(""), table.has_grades.then_some("Verdict")]
        .into_iter()
        .flatten()
    {
        header.col(|ui| {
            let tokens = Tokens::of(ui);
            let mut place = ui.max_rect();
            if is_grouped {
                place.min.y += GROUP;
            }
            let layout = Layout::left_to_right(Align::Center);
            ui.scope_builder(eframe::egui::UiBuilder::new().max_rect(place).layout(layout), |ui| {
                ui.add_space(size::GAP_SMALL);
                Spans::new(Type::TableHeader).text(Type::TableHeader, title, tokens.t2).label(ui);
            });
        });
    }
}

/// The words above columns that belong together, in their middle.
fn group_ui(ui: &Ui, group: &crate::text::table::Group, width: f32, seen: Rangef) {
    if group.title.is_empty() {
        return;
    }
    let tokens = Tokens::of(ui);
    let cell = ui.max_rect();
    let room = Rect::from_min_size(cell.min, vec2(width, GROUP));
    let words =
        Spans::new(Type::Small).text(Type::Small, &group.title, tokens.t2).within(ui, width);
    let sample = if group.series.is_some() { 22.0 } else { 0.0 };
    let left = room.center().x - f32::midpoint(words.size().x, sample);
    let mut painter = ui.painter().clone();
    painter.set_clip_rect(room.intersect(Rect::from_x_y_ranges(seen, ui.clip_rect().y_range())));
    if let Some(series) = group.series {
        let look = tokens.series(series);
        let at = Rect::from_min_size(pos2(left, room.top()), vec2(16.0, room.height()));
        line_sample(&painter, at, look.dash, look.color);
    }
    let at = pos2(left + sample, room.center().y - words.size().y / 2.0);
    painter.galley(at, words, tokens.t2);
}

fn line_ui(cells: &mut TableRow<'_, '_>, grid: &Grid<'_>, line: &Line, above: Option<&Line>) {
    for &index in &grid.shown {
        let Some(column) = grid.table.columns.get(index) else { continue };
        let words = line.cells.get(index).map_or("", String::as_str);
        // What the line above says already, such as the length that both are of, is said once.
        let is_said = index == 0
            && line.series.is_some()
            && above.is_some_and(|above| above.cells.first() == line.cells.first());
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            if index == 0 {
                let from = if is_said { ui.max_rect().right() } else { grid.reach.min };
                row_line(
                    ui,
                    Rangef::new(from.max(grid.seen.min), grid.reach.max.min(grid.seen.max)),
                );
            }
            if grid.is_parted(index) {
                parting_ui(ui);
            }
            if is_said {
                return;
            }
            let is_strong =
                line.strong == Some(index) || index == 0 && (line.is_key || line.series.is_some());
            let style = if is_strong { Type::TableStrong } else { Type::Table };
            if index == 0 && column.is_text {
                ui.add_space(size::GAP_FIELD);
            }
            if let Some(series) = line.series.filter(|_| index == 1) {
                let look = tokens.series(series);
                let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
                series_mark(ui.painter(), rect.center(), size::MARK, look.mark, look.color);
            }
            let mut spans = Spans::new(style);
            if line.is_key && index == 0 {
                spans =
                    spans.icon(icons::STAR_FILL, size::ICON_SMALL, tokens.acc).gap(size::GAP_LABEL);
            }
            let color = match words {
                words if words.ends_with("better") || words.ends_with("fewer") => tokens.good,
                words if words.ends_with("worse") || words.ends_with("more") => tokens.fair,
                _ => tokens.t1,
            };
            let spans = spans.text(style, words, color);
            if column.is_text {
                spans.label(ui);
            } else {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| spans.label(ui));
            }
        });
    }
    if grid.has_cautions {
        cells.col(|ui| caution_ui(ui, &line.caution));
    }
    if grid.table.has_grades {
        cells.col(|ui| {
            let tokens = Tokens::of(ui);
            let Some(grade) = line.grade else { return };
            let severity = crate::pages::severity_of(Some(grade));
            let color = severity.color(tokens);
            ui.add_space(size::GAP_SMALL);
            Spans::new(Type::TableStrong)
                .icon(severity.icon(), size::ICON_SMALL, color)
                .gap(size::GAP_LABEL)
                .text(Type::TableStrong, grade.word(), color)
                .whole_label(ui);
        });
    }
}

/// Why a person should look twice at a line.
fn caution_ui(ui: &mut Ui, caution: &str) {
    if caution.is_empty() {
        return;
    }
    caution_of(ui, caution).label(ui).on_hover_text(caution);
}

fn caution_of(ui: &Ui, caution: &str) -> Spans {
    let tokens = Tokens::of(ui);
    Spans::new(Type::Table)
        .icon(Severity::Fair.icon(), size::ICON_SMALL, tokens.fair)
        .gap(size::GAP_LABEL)
        .text(Type::Table, caution, tokens.fair)
}
