//! The list of runs: one row each, sorted by any column, selected and opened by pointer or
//! keyboard.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use eframe::egui::{
    Align, Id, Layout, Modifiers, Rangef, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};
use egui_extras::{Column as Width, TableBuilder, TableRow};

use super::filter::verdict_of;
use super::selection::Selection;
use jitterscope_engine::nanos::Nanos;
use serde::{Deserialize, Serialize};

use crate::pages::severity_of;
use crate::session::{LibraryItem, RunListEntry};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Severity, Spans, check::bare_checkbox, header_button, row_line, series_checkbox, tag_chip,
};

/// Names the list, so that the keyboard can be led there.
pub(super) const LIST: &str = "runs-list";

/// A column that a list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Column {
    Name,
    Test,
    Verdict,
    Key,
    Machine,
    Length,
    When,
}

const COLUMNS: [(Column, &str); 7] = [
    (Column::Name, "Name"),
    (Column::Test, "Test"),
    (Column::Verdict, "Verdict"),
    (Column::Key, "Key result"),
    (Column::Machine, "Machine"),
    (Column::Length, "Length"),
    (Column::When, "Started"),
];

/// The order of the list; the newest first where none was selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sort {
    by: Option<(Column, bool)>,
}

impl Sort {
    /// Down, up, and back to the newest first.
    fn click(&mut self, column: Column) {
        self.by = match self.by {
            Some((of, true)) if of == column => Some((column, false)),
            Some((of, false)) if of == column => None,
            _ => Some((column, true)),
        };
    }

    fn caret(self, column: Column) -> Option<bool> {
        self.by.filter(|(of, _)| *of == column).map(|(_, is_rising)| is_rising)
    }

    /// Sorts positions in the library.
    pub(super) fn apply(self, items: &[LibraryItem], places: &mut [usize]) {
        let Some((column, is_rising)) = self.by else { return };
        let of = |place: usize| items.get(place);
        places.sort_by(|&a, &b| {
            let order = match (of(a), of(b)) {
                (Some(a), Some(b)) => compare(column, a, b),
                _ => Ordering::Equal,
            };
            if is_rising { order } else { order.reverse() }
        });
    }
}

fn compare(column: Column, a: &LibraryItem, b: &LibraryItem) -> Ordering {
    // Unreadable files come last.
    let (Ok(x), Ok(y)) = (&a.run, &b.run) else { return a.run.is_err().cmp(&b.run.is_err()) };
    match column {
        Column::Name => x.name.to_lowercase().cmp(&y.name.to_lowercase()),
        Column::Test => x.test_name.cmp(y.test_name),
        Column::Verdict => rank(x).cmp(&rank(y)),
        Column::Key => {
            let number = |run: &RunListEntry| run.headline.best_p99.map_or(i64::MAX, Nanos::get);
            number(x).cmp(&number(y))
        }
        Column::Machine => x.machine.cmp(&y.machine),
        Column::Length => x.measured.cmp(&y.measured),
        Column::When => x.started_at.cmp(&y.started_at),
    }
}

/// Best first, without a grade last.
fn rank(run: &RunListEntry) -> usize {
    ["Excellent", "Good", "Fair", "Poor"]
        .iter()
        .position(|word| run.headline.grade.is_some_and(|grade| grade.word() == *word))
        .unwrap_or(usize::MAX)
}

/// Draws the list. Returns the file of a run that was opened.
pub(super) fn ui(
    ui: &mut Ui,
    items: &[LibraryItem],
    places: &[usize],
    height: f32,
    sort: &mut Sort,
    selection: &mut Selection,
) -> Option<PathBuf> {
    let listed: Vec<&Path> = places
        .iter()
        .filter_map(|&place| items.get(place))
        .map(|item| item.path.as_path())
        .collect();
    let list = Id::unique(LIST);
    let has_focus = ui.memory(|memory| memory.has_focus(list));
    let moved = if has_focus { selection.take_keys(ui, list, &listed) } else { None };
    let modifiers = ui.input(|input| input.modifiers);
    let top_left = ui.cursor().min;
    let now = text::local(text::now());
    let room = ui.available_width();
    let is_wide = 980.0 < room;
    let widths = widths(room, is_wide);
    let (mut opened, mut is_clicked) = (None, false);
    let reach = ui.max_rect().x_range();
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 0.0);
    let mut table = TableBuilder::new(ui)
        .id_salt("runs")
        .sense(Sense::CLICK)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::exact(24.0));
    for width in &widths {
        table = table.column(Width::exact(*width).clip(true));
    }
    let shown: Vec<(Column, &str)> = COLUMNS
        .into_iter()
        .filter(|(column, _)| is_wide || !matches!(column, Column::Machine | Column::Length))
        .collect();
    if let Some(row) = moved {
        table = table.scroll_to_row(row, None);
    }
    table
        .auto_shrink([false, true])
        .max_scroll_height(height)
        .header(size::TABLE_HEADER, |mut header| {
            header.col(|ui| all_ui(ui, &listed, selection));
            for &(column, title) in &shown {
                header.col(|ui| {
                    if header_button(ui, title, sort.caret(column)).clicked() {
                        sort.click(column);
                    }
                });
            }
        })
        .body(|body| {
            body.rows(size::RUNS_ROW, places.len(), |mut row| {
                let item = places.get(row.index()).and_then(|&place| items.get(place));
                let Some(item) = item else { return };
                row.set_selected(selection.contains(&item.path));
                let has_cursor = has_focus && selection.paths.last() == Some(&item.path);
                let is_toggled = check_ui(&mut row, item, selection, (reach, has_cursor));
                match &item.run {
                    Ok(run) => {
                        if run_ui(&mut row, run, &now, is_wide) {
                            opened = Some(item.path.clone());
                        }
                    }
                    Err(why) => damaged_ui(&mut row, item, why, is_wide),
                }
                // A click next to the name selects the row, a double click opens it.
                let response = row.response();
                if response.double_clicked() && item.run.is_ok() {
                    opened = Some(item.path.clone());
                } else if response.clicked() && !is_toggled {
                    selection.click(modifiers, &listed, &item.path);
                    is_clicked = true;
                }
            });
        });
    let bottom = ui.min_rect().bottom();
    let place = Rect::from_min_max(top_left, pos2(reach.max, bottom.max(top_left.y)));
    let grid = ui.interact(place, list, Sense::focusable_noninteractive());
    if is_clicked {
        // Only now: a click on a row takes the focus from what is not the row itself.
        grid.request_focus();
    }
    let current = selection.paths.last().and_then(|path| name_of(items, path));
    grid.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Grid, true, "List of runs");
        info.current_text_value.clone_from(&current);
        info
    });
    if has_focus
        && ui.input_mut(|input| input.consume_key(Modifiers::NONE, eframe::egui::Key::Enter))
        && let [one] = selection.paths.as_slice()
        && items.iter().any(|item| item.path == *one && item.run.is_ok())
    {
        opened = Some(one.clone());
    }
    opened
}

/// Returns the name of a run by its file.
fn name_of(items: &[LibraryItem], path: &Path) -> Option<String> {
    let item = items.iter().find(|item| item.path == path)?;
    Some(item.run.as_ref().map_or_else(|_| file_of(item), |run| run.name.clone()))
}

/// The widths of all columns except the check boxes; the name gets the rest.
fn widths(room: f32, is_wide: bool) -> Vec<f32> {
    let others: &[f32] = match room {
        _ if is_wide => &[108.0, 98.0, 176.0, 190.0, 62.0, 112.0],
        room if 700.0 < room => &[108.0, 98.0, 176.0, 112.0],
        _ => &[96.0, 92.0, 110.0, 104.0],
    };
    let gaps = f32::from(u16::try_from(others.len() + 1).unwrap_or(1)) * size::GAP_SMALL;
    let name = (room - 24.0 - others.iter().sum::<f32>() - gaps - size::GAP_FIELD).max(120.0);
    std::iter::once(name).chain(others.iter().copied()).collect()
}

/// The check box for all that are listed.
fn all_ui(ui: &mut Ui, listed: &[&Path], selection: &mut Selection) {
    // With thousands of runs, this is checked only when enough are selected.
    let mut are_all =
        listed.len() <= selection.paths.len() && listed.iter().all(|path| selection.contains(path));
    if bare_checkbox(ui, &mut are_all, "Select all listed runs").changed() {
        selection.paths.clear();
        if are_all {
            selection.paths.extend(listed.iter().map(|&path| path.to_owned()));
        }
    }
}

/// The check box, in the color that the run will have when it is compared; `true` where it was clicked.
fn check_ui(
    row: &mut TableRow<'_, '_>,
    item: &LibraryItem,
    selection: &mut Selection,
    (reach, has_cursor): (Rangef, bool),
) -> bool {
    let mut is_toggled = false;
    row.col(|ui| {
        row_line(ui, reach);
        let tokens = Tokens::of(ui);
        if has_cursor {
            let edge = ui.max_rect().left() - size::GAP_LABEL;
            ui.painter().vline(edge, ui.max_rect().y_range(), (size::FOCUS_STROKE, tokens.acc));
        }
        let place = selection.paths.iter().position(|path| *path == item.path);
        let mut is_checked = place.is_some();
        let name = match &item.run {
            Ok(run) => format!("Select {}", run.name),
            Err(_) => format!("Select {}", file_of(item)),
        };
        let changed = match place {
            Some(place) if place < super::MAX_COMPARED => {
                series_checkbox(ui, &mut is_checked, &name, tokens.series(place).color)
            }
            _ => bare_checkbox(ui, &mut is_checked, &name),
        };
        if changed.changed() {
            selection.toggle(&item.path);
            is_toggled = true;
        }
    });
    is_toggled
}

fn file_of(item: &LibraryItem) -> String {
    item.path.file_name().map_or_else(String::new, |file| file.to_string_lossy().into_owned())
}

fn cell(row: &mut TableRow<'_, '_>, text: &str) {
    row.col(|ui| {
        let color = Tokens::of(ui).t2;
        Spans::new(Type::Table).text(Type::Table, text, color).label(ui);
    });
}

fn color_of(ui: &Ui) -> eframe::egui::Color32 {
    Tokens::of(ui).t2
}

/// The name of a run, which opens it for screen readers; the pointer selects its row. `true` where it
/// was opened.
fn name_ui(ui: &mut Ui, run: &RunListEntry) -> bool {
    let color = Tokens::of(ui).t1;
    let style = Type::TableStrong;
    let galley =
        Spans::new(style).text(style, &run.name, color).within(ui, ui.available_width().max(20.0));
    let is_cut = galley.elided;
    let (rect, _) = ui.allocate_exact_size(galley.size(), Sense::hover());
    ui.painter().galley(rect.min, galley, color);
    let link = ui.interact(rect, ui.scope_id().with("open"), Sense::hover());
    let name = format!("Open {}", run.name);
    link.widget_info(|| WidgetInfo::labeled(Role::Link, true, &name));
    let id = link.id;
    ui.ctx().accesskit_node_builder(id, |node| {
        node.add_action(eframe::egui::accesskit::Action::Click);
    });
    let is_requested = ui.input(|input| {
        input.has_accesskit_action_request(id, eframe::egui::accesskit::Action::Click)
    });
    if is_cut {
        link.on_hover_text(&run.name);
    }
    is_requested
}

/// Draws a run; `true` if its name was clicked.
fn run_ui(
    row: &mut TableRow<'_, '_>,
    run: &RunListEntry,
    now: &jiff::Zoned,
    is_wide: bool,
) -> bool {
    let mut is_opened = false;
    row.col(|ui| {
        is_opened = name_ui(ui, run);
        if !run.note.is_empty() {
            let color = Tokens::of(ui).t3;
            Spans::new(Type::Small)
                .icon(icons::NOTE_PENCIL, size::ICON_SMALL, color)
                .label(ui)
                .on_hover_text(&run.note);
        }
        for tag in run.tags.iter().take(4) {
            // Those without room are in the details.
            let width =
                Spans::new(Type::Axis).text(Type::Axis, tag, color_of(ui)).galley(ui).size().x;
            if ui.available_width() < width + 2.0 * size::GAP_SMALL + 2.0 {
                break;
            }
            tag_chip(ui, tag);
        }
    });
    cell(row, run.test_name);
    row.col(|ui| {
        let severity = match run.headline.grade {
            None => Severity::NotMeasured,
            grade => severity_of(grade),
        };
        severity.icon_ui(ui, size::ICON_SMALL);
        let color = severity.word_color(Tokens::of(ui));
        Spans::new(Type::TableStrong).text(Type::TableStrong, &run.headline.word, color).label(ui);
    });
    row.col(|ui| {
        let tokens = Tokens::of(ui);
        let mut spans = Spans::new(Type::Table).text(Type::Table, &run.headline.number, tokens.t1);
        if 0 < run.headline.refused {
            spans = spans
                .gap(size::GAP_SMALL)
                .icon(icons::SHIELD_WARNING_FILL, size::ICON_SMALL, tokens.fair)
                .gap(size::GAP_LABEL)
                .text(
                    Type::Table,
                    &format!("{} not as requested", run.headline.refused),
                    tokens.fair,
                );
        }
        spans.label(ui);
    });
    if is_wide {
        cell(row, &run.machine);
        cell(row, &text::clock(run.measured));
    }
    cell(row, &text::list_date(&text::local(run.started_at), now));
    is_opened
}

/// A file that cannot be read is listed with its reason, never hidden.
fn damaged_ui(row: &mut TableRow<'_, '_>, item: &LibraryItem, why: &str, is_wide: bool) {
    row.col(|ui| {
        let color = Tokens::of(ui).t1;
        Spans::new(Type::TableStrong).text(Type::TableStrong, &file_of(item), color).label(ui);
    });
    cell(row, "");
    row.col(|ui| {
        let color = Tokens::of(ui).poor;
        Severity::Poor.icon_ui(ui, size::ICON_SMALL);
        Spans::new(Type::Table).text(Type::Table, verdict_of(item), color).label(ui);
    });
    cell(row, why);
    if is_wide {
        cell(row, "");
        cell(row, "");
    }
    cell(row, "");
}
