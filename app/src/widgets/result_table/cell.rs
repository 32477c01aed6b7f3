//! A cell of a result table: its text, an icon with the same meaning as its color, and a tooltip,
//! such as with the reason why the cell is empty.

use eframe::egui::{Color32, Response, Role, Sense, Ui, WidgetInfo, pos2};
use jitterscope_engine::report::table::Cell;
use jitterscope_engine::report::{Cause, DISTURBED};

use super::grid::{GridColumn, Mark, cell_of};
use super::header::ring;
use super::prepared::{Prepared, is_marked};
use crate::text::MISSING;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::mark::{cause_style, series_mark};
use crate::widgets::severity::Severity;
use crate::widgets::spans::Spans;

/// The reason shown for an empty cell of the wide layout, which has a cell for every combination of
/// row and group, even if the combination was not measured.
const NOT_MEASURED: &str = "not measured";

/// A cell with the data that is required to draw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellView<'a> {
    pub(super) prepared: &'a Prepared,
    pub(super) column: &'a GridColumn,
    /// The position in the table of the row that the cell shows; `None` if the cell was not
    /// measured.
    pub(super) source: Option<usize>,
    /// Label of the row.
    pub(super) label: &'a str,
    /// Whether the cell is the first of its row. The first cell shows the icons that apply to the
    /// whole row, such as a warning.
    pub(super) is_first: bool,
    /// Whether the row can be opened, so that the cell looks like a link under the pointer.
    pub(super) is_link: bool,
}

/// The icon, the text, the text style, and the text color of a cell.
struct CellLook {
    icon: Option<(&'static str, Color32)>,
    text: String,
    style: Type,
    color: Color32,
}

impl CellView<'_> {
    fn cell(&self) -> Option<&Cell> {
        cell_of(&self.prepared.table, self.source?, self.column.column)
    }

    fn key(&self) -> &'static str {
        self.prepared.table.columns.get(self.column.column).map_or("", |column| column.key)
    }

    fn is_left_aligned(&self) -> bool {
        let column = self.prepared.table.columns.get(self.column.column);
        column.is_some_and(jitterscope_engine::report::table::Column::is_left_aligned)
    }

    fn mark(&self) -> Mark {
        self.source.map_or(Mark::None, |row| self.prepared.mark(row, self.column.column))
    }

    fn text(&self) -> String {
        self.source
            .map_or_else(|| MISSING.to_owned(), |row| self.prepared.text(row, self.column.column))
    }

    /// Returns the reason why the cell is empty.
    fn reason(&self) -> Option<&str> {
        match self.source {
            None => Some(NOT_MEASURED),
            Some(_) => self.cell().and_then(Cell::reason),
        }
    }

    /// Returns the text of the cell of the same row in the column with this key; `None` if that
    /// cell does not contain text.
    fn other(&self, key: &str) -> Option<&str> {
        match self.prepared.table.cell(self.source?, key)? {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the confidence interval of the value as text. The interval is in the next column of
    /// the table; `None` if that column has no interval for this row.
    fn interval(&self) -> Option<String> {
        let at = self.column.column + 1;
        let column = self.prepared.table.columns.get(at)?;
        let cell = cell_of(&self.prepared.table, self.source?, at)?;
        let is_interval = matches!(cell, Cell::Interval(..));
        is_interval.then(|| format!("{}: {}", column.title, cell.text(&column.format)))
    }

    /// Returns the cause whose mark is before the text.
    fn cause(&self) -> Option<Cause> {
        let row = self.prepared.table.rows.get(self.source?)?;
        row.cause.filter(|_| is_marked(self.key()))
    }

    fn caution(&self) -> &str {
        let row = self.source.and_then(|row| self.prepared.table.rows.get(row));
        row.map_or("", |row| row.caution.as_str())
    }

    /// Draws the cell and returns its response. `inset` is the padding at the left edge in points;
    /// `has_cursor` draws the ring of the keyboard cursor.
    pub(super) fn ui(&self, ui: &mut Ui, inset: f32, has_cursor: bool) -> Response {
        let look = self.look(Tokens::of(ui));
        let place = ui.max_rect();
        let response = ui.interact(place, ui.scope_id().with("cell"), Sense::hover());
        let is_hovered = self.is_link && ui.response().hovered();
        let color = if is_hovered { Tokens::of(ui).acc } else { look.color };
        let line = |ui: &Ui, width| {
            let spans = match look.icon {
                Some((icon, of)) => Spans::new(look.style).icon(icon, size::ICON_SMALL, of),
                None => Spans::new(look.style),
            };
            spans.text(look.style, &look.text, color).within(ui, width)
        };
        let mut room = place.with_min_x(place.left() + inset);
        if let Some(cause) = self.cause() {
            let (color, mark) = cause_style(Tokens::of(ui), cause);
            let center = pos2(room.left() + size::ICON_SMALL / 2.0, place.center().y);
            series_mark(ui.painter(), center, size::MARK, mark, color);
            room.min.x += size::ICON_SMALL + size::GAP_LABEL;
        }
        let mut galley = line(ui, room.width());
        // In a tight column, a number may extend into the left padding, except for the margin of
        // the card. Texts begin where those above them do.
        let may_extend = !self.is_first && !self.is_left_aligned() && self.cause().is_none();
        if galley.elided && may_extend {
            room = place;
            galley = line(ui, room.width());
        }
        let is_cut = galley.elided;
        let left =
            if self.is_left_aligned() { room.left() } else { room.right() - galley.size().x };
        let at = pos2(left, place.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, color);
        response.widget_info(|| WidgetInfo::labeled(Role::Cell, true, self.name()));
        if has_cursor {
            ring(ui, place);
        }
        if is_cut || self.has_more() {
            response.on_hover_ui(|ui| self.more_ui(ui))
        } else {
            response
        }
    }

    /// Shows the tooltip of the cell without the pointer, for the cell at the keyboard cursor. Does
    /// nothing if the tooltip would only repeat the cell.
    pub(super) fn explain(&self, response: &Response) {
        if self.has_more() && !response.hovered() {
            response.show_tooltip_ui(|ui| self.more_ui(ui));
        }
    }

    /// Returns the text of the cell with the label of its row and the heading of its column, for
    /// screen readers.
    pub(super) fn name(&self) -> String {
        let heading = self.prepared.grid.heading(&self.prepared.table, self.column);
        let text = match self.reason() {
            Some(reason) => format!("none, {reason}"),
            None => self.text(),
        };
        let mark = match self.mark() {
            Mark::Best => ", best",
            Mark::Worst => ", worst",
            Mark::None => "",
        };
        format!("{}, {heading}: {text}{mark}", self.label)
    }

    fn look(&self, tokens: &Tokens) -> CellLook {
        let plain =
            |style: Type, color: Color32| CellLook { icon: None, text: self.text(), style, color };
        let severity = |severity: Severity, style: Type| CellLook {
            icon: Some((severity.icon(), severity.color(tokens))),
            ..plain(style, severity.word_color(tokens))
        };
        let row = self.source.and_then(|row| self.prepared.table.rows.get(row));
        let is_key_row = row.is_some_and(|row| row.is_key) && !self.prepared.stars_in_key_column;
        if self.is_first {
            let style = if is_key_row { Type::TableStrong } else { Type::Table };
            let icon = match (self.caution().is_empty(), is_key_row) {
                (false, _) => Some((icons::WARNING_FILL, tokens.fair)),
                (true, true) => Some((icons::STAR_FILL, tokens.acc)),
                (true, false) => None,
            };
            return CellLook { icon, ..plain(style, tokens.t1) };
        }
        let is_key =
            self.prepared.table.columns.get(self.column.column).is_some_and(|column| column.is_key);
        match (self.cell(), self.key(), self.mark()) {
            (None | Some(Cell::Absent(_)), ..) => plain(Type::Table, tokens.t2),
            (Some(Cell::Grade(grade)), ..) => {
                severity(Severity::of_grade(Some(*grade)), Type::TableStrong)
            }
            (_, "applied", _) => match self.other("as_requested") {
                Some("no") => severity(Severity::Denied, Type::Table),
                _ => CellLook {
                    icon: Some((Severity::Good.icon(), Severity::Good.color(tokens))),
                    ..plain(Type::Table, tokens.t1)
                },
            },
            (Some(Cell::Text(text)), "verdict", _) if text.ends_with(DISTURBED) => CellLook {
                icon: Some((icons::HOURGLASS_MEDIUM, tokens.fair)),
                ..plain(Type::Table, tokens.t1)
            },
            (Some(Cell::Text(text)), "result", _) if text == "Better" => {
                plain(Type::TableStrong, tokens.good)
            }
            (Some(Cell::Text(text)), "result", _) if text == "Worse" => {
                plain(Type::TableStrong, tokens.fair)
            }
            (Some(Cell::Count(count)), "missed_count", _) if 0 < *count => CellLook {
                icon: Some((icons::FLAG, tokens.poor)),
                ..plain(Type::Table, tokens.poor)
            },
            (_, _, Mark::Best) if is_key => CellLook {
                icon: Some((icons::STAR_FILL, tokens.good)),
                ..plain(Type::TableStrong, tokens.t1)
            },
            (_, _, Mark::Worst) if is_key => CellLook {
                icon: Some((icons::WARNING_FILL, tokens.fair)),
                ..plain(Type::Table, tokens.t1)
            },
            (_, _, Mark::Best) => plain(Type::TableStrong, tokens.t1),
            (Some(_), _, _) if is_key => plain(Type::TableStrong, tokens.t1),
            (Some(_), ..) => plain(Type::Table, tokens.t1),
        }
    }

    /// Whether the tooltip has more information than the cell.
    fn has_more(&self) -> bool {
        self.reason().is_some()
            || self.is_first && !self.caution().is_empty()
            || !self.explanations().is_empty()
            || self.mark() != Mark::None
            || self.interval().is_some()
    }

    /// Returns the texts in other columns that explain the cell.
    fn explanations(&self) -> Vec<String> {
        let columns: &[(&str, &str)] = match self.key() {
            "applied" => &[("Requested: ", "requested"), ("Denied: ", "denied")],
            "metric" => &[("", "definition")],
            "name" => &[("", "kind")],
            "result" => &[("", "why")],
            _ => &[],
        };
        let text = |(word, key): &(&str, &str)| {
            let text = self.other(key).filter(|text| !text.is_empty())?;
            Some(format!("{word}{text}"))
        };
        columns.iter().filter_map(text).collect()
    }

    /// Draws the tooltip of the cell.
    fn more_ui(&self, ui: &mut Ui) {
        let tokens = Tokens::of(ui);
        ui.set_max_width(size::HELP_WIDTH);
        ui.label(Type::Strong.text(self.label).color(tokens.t1));
        let heading = self.prepared.grid.heading(&self.prepared.table, self.column);
        ui.label(Type::Body.text(format!("{heading}: {}", self.text())).color(tokens.t1));
        let mut lines: Vec<String> = Vec::new();
        if let Some(reason) = self.reason() {
            lines.push(sentence(reason));
        }
        lines.extend(self.interval());
        match self.mark() {
            Mark::Best => lines.push("The best of the rows that can be compared.".to_owned()),
            Mark::Worst => lines.push("The worst of the rows that can be compared.".to_owned()),
            Mark::None => {}
        }
        if !self.caution().is_empty() {
            lines.push(sentence(self.caution()));
        }
        lines.extend(self.explanations());
        for line in lines {
            ui.label(Type::Small.text(line).color(tokens.t2));
        }
    }
}

/// Formats a reason as a sentence, with a capital letter and a period.
fn sentence(reason: &str) -> String {
    let end = if reason.ends_with('.') { "" } else { "." };
    format!("{}{end}", crate::text::capitalized(reason))
}
