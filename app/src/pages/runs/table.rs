//! The list of runs as a table: one row per run, sorted by any column, selected and opened by
//! pointer or keyboard. A quick check expands to its parts.

mod cells;
mod rows;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use eframe::egui::{
    Align, Id, Layout, Modifiers, Rangef, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};
use egui_extras::{Column as Width, TableBuilder, TableRow};

use super::selection::Selection;
use jitterscope_engine::report::trend::key_figure;
use serde::{Deserialize, Serialize};

use crate::session::{LibraryItem, RunListEntry};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Spans, check::bare_checkbox, header_button, quiet_icon_button, row_line, series_checkbox,
};
use cells::{cells_ui, damaged_ui, group_ui, marks_ui, name_ui, run_ui};

pub(super) use rows::Row;

/// Id of the list's widget, used to give the list the keyboard focus.
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

/// The sort order: a column and whether it is ascending; without a column, the newest run comes
/// first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sort {
    by: Option<(Column, bool)>,
}

impl Sort {
    /// Cycles the order of a column: ascending, descending, then newest first.
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

    /// Sorts `places`, which are positions in `items`. Without a column, the order of `items`
    /// stays.
    pub(super) fn apply(self, items: &[LibraryItem], places: &mut [usize]) {
        let Some((column, is_rising)) = self.by else { return };
        places.sort_by(|&a, &b| {
            let (Some(a), Some(b)) = (items.get(a), items.get(b)) else { return Ordering::Equal };
            match (&a.run, &b.run) {
                (Ok(a), Ok(b)) => {
                    has_no_value(column, a).cmp(&has_no_value(column, b)).then_with(|| {
                        let order = compare(column, a, b);
                        if is_rising { order } else { order.reverse() }
                    })
                }
                (a, b) => a.is_err().cmp(&b.is_err()),
            }
        });
    }
}

/// Returns whether a run has no value in a column. Such runs are last in both orders, before unreadable files.
fn has_no_value(column: Column, run: &RunListEntry) -> bool {
    match column {
        Column::Verdict => run.headline.grade.is_none(),
        Column::Key => key_figure(&run.headline).is_none(),
        _ => false,
    }
}

fn compare(column: Column, a: &RunListEntry, b: &RunListEntry) -> Ordering {
    match column {
        Column::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
        Column::Test => a.test_name.cmp(b.test_name),
        Column::Verdict => a.headline.grade.cmp(&b.headline.grade),
        Column::Key => {
            let value =
                |run: &RunListEntry| key_figure(&run.headline).map_or(0.0, |(_, value)| value);
            value(a).total_cmp(&value(b))
        }
        Column::Machine => a.machine.cmp(&b.machine),
        Column::Length => a.measured.cmp(&b.measured),
        Column::When => a.started_at.cmp(&b.started_at),
    }
}

/// The state of the list that the user can change.
#[derive(Debug)]
pub(super) struct Controls<'a> {
    /// The sort order.
    pub(super) sort: &'a mut Sort,
    /// The selected runs.
    pub(super) selection: &'a mut Selection,
    /// The quick checks whose parts are shown.
    pub(super) expanded: &'a mut HashSet<PathBuf>,
    /// The runs that were set as group A, group B, and so on.
    pub(super) groups: &'a [Vec<PathBuf>],
}

/// Draws the list. Returns the path of the run, quick check, or part that was opened.
pub(super) fn ui(
    ui: &mut Ui,
    items: &[LibraryItem],
    rows: &[Row],
    height: f32,
    controls: Controls<'_>,
) -> Option<PathBuf> {
    let Controls { sort, selection, expanded, groups } = controls;
    let own = |row: &Row| row.item(items).filter(|(_, is_own)| *is_own).map(|(item, _)| item);
    let listed: Vec<&Path> = rows.iter().filter_map(own).map(|item| item.path.as_path()).collect();
    let list = Id::unique(LIST);
    let has_focus = ui.memory(|memory| memory.has_focus(list));
    let moved = if has_focus { selection.take_keys(ui, list, &listed) } else { None };
    if has_focus {
        expand_by_key(ui, items, selection, expanded);
    }
    let modifiers = ui.input(|input| input.modifiers);
    let is_by_day = rows.iter().any(|row| matches!(row, Row::Day(_)));
    let room = ui.available_width();
    let is_wide = 980.0 < room;
    let widths = widths(room, is_wide, is_by_day);
    let (mut opened, mut is_clicked) = (None, false);
    let reach = ui.max_rect().x_range();
    let top = Rect::from_min_max(ui.cursor().min, pos2(reach.max, ui.cursor().top()));
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 0.0);
    let mut table = TableBuilder::new(ui)
        .id_salt("runs")
        .sense(Sense::CLICK)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::exact(24.0));
    for width in &widths {
        table = table.column(Width::exact(*width).clip(true));
    }
    let is_shown = |(column, _): &&(Column, &str)| {
        is_wide || !matches!(column, Column::Machine | Column::Length)
    };
    let moved = moved.and_then(|at| {
        let path = listed.get(at)?;
        rows.iter().position(|row| own(row).is_some_and(|item| item.path == **path))
    });
    if let Some(row) = moved {
        table = table.scroll_to_row(row, None);
    }
    table
        .auto_shrink([false, true])
        .max_scroll_height(height)
        .header(size::TABLE_HEADER, |mut header| {
            header.col(|ui| all_ui(ui, &listed, selection));
            for &(column, title) in COLUMNS.iter().filter(is_shown) {
                header.col(|ui| {
                    if header_button(ui, title, sort.caret(column)).clicked() {
                        sort.click(column);
                    }
                });
            }
        })
        .body(|body| {
            body.heterogeneous_rows(rows.iter().map(Row::height), |mut row| {
                let Some(of) = rows.get(row.index()) else { return };
                let look = RowLook { is_wide, is_by_day, reach, group: None };
                let Some((item, is_own)) = of.item(items) else {
                    if let Row::Day(day) = of {
                        day_ui(&mut row, day, look, widths.len());
                    }
                    return;
                };
                let group = groups.iter().position(|group| group.contains(&item.path));
                let look = RowLook { group: group.filter(|_| is_own), ..look };
                row.set_selected(selection.contains(&item.path));
                let mut is_toggled = false;
                let target = match of {
                    Row::Part(_, part) => item.parts.get(*part).unwrap_or(item),
                    _ => item,
                };
                if is_own {
                    let has_cursor = has_focus && selection.paths.last() == Some(&item.path);
                    is_toggled = check_ui(&mut row, item, selection, (reach, has_cursor));
                    if item.is_check() {
                        is_toggled |= caret_toggled(&mut row, item, expanded, look, &mut opened);
                    }
                } else {
                    row.col(|ui| row_line(ui, reach));
                }
                match &target.run {
                    Ok(_) if is_own && item.is_check() => {}
                    Ok(run) => {
                        if run_ui(&mut row, run, look, if is_own { 0.0 } else { PART_INDENT }) {
                            opened = Some(target.path.clone());
                        }
                    }
                    Err(why) => damaged_ui(&mut row, target, why, is_wide),
                }
                // A click selects the run of the row, and a double click opens it, except on the
                // check box or caret.
                let response = row.response();
                if response.double_clicked() && target.run.is_ok() && !is_toggled {
                    opened = Some(target.path.clone());
                } else if response.clicked() && !is_toggled {
                    selection.click(modifiers, &listed, &item.path);
                    is_clicked = true;
                }
            });
        });
    grid_ui(ui, items, selection, top, is_clicked);
    if has_focus { opened.or_else(|| entered(ui, items, selection)) } else { opened }
}

/// Returns the path of the selected entry if exactly one is selected and Enter was pressed to open
/// it.
fn entered(ui: &Ui, items: &[LibraryItem], selection: &Selection) -> Option<PathBuf> {
    let [one] = selection.paths.as_slice() else { return None };
    let is_readable = items.iter().any(|item| item.path == *one && item.run.is_ok());
    let enter = eframe::egui::Key::Enter;
    let is_pressed = is_readable && ui.input_mut(|input| input.consume_key(Modifiers::NONE, enter));
    is_pressed.then(|| one.clone())
}

/// Adds one widget for the whole list, which can have the keyboard focus and which screen readers
/// announce.
fn grid_ui(ui: &Ui, items: &[LibraryItem], selection: &Selection, top: Rect, is_clicked: bool) {
    let bottom = ui.min_rect().bottom().max(top.top());
    let place = Rect::from_min_max(top.min, pos2(top.right(), bottom));
    let grid = ui.interact(place, Id::unique(LIST), Sense::focusable_noninteractive());
    if is_clicked {
        // Requested last, because a click on a row removes the focus from all other widgets.
        grid.request_focus();
    }
    let current = selection.paths.last().and_then(|path| name_of(items, path));
    grid.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::Grid, true, "List of runs");
        info.current_text_value.clone_from(&current);
        info
    });
}

/// How rows are drawn. Wide tables also show machine and length; `reach` is the x range of the line
/// above a row.
#[derive(Clone, Copy, Debug)]
struct RowLook {
    is_wide: bool,
    /// Whether each day has a separate row, so that the rows of its runs show only the time.
    is_by_day: bool,
    reach: Rangef,
    /// The group that the user set the run as; `None` if it is in no group, and for parts of a quick check.
    group: Option<usize>,
}

/// Indentation of the name of a part of a quick check, in points.
const PART_INDENT: f32 = 26.0;

/// Expands and collapses the selected quick check with the arrow keys.
fn expand_by_key(
    ui: &Ui,
    items: &[LibraryItem],
    selection: &Selection,
    expanded: &mut HashSet<PathBuf>,
) {
    use eframe::egui::Key::{ArrowLeft, ArrowRight};
    let Some(path) = selection.paths.last() else { return };
    if !items.iter().any(|item| item.path == *path && item.is_check()) {
        return;
    }
    if ui.input_mut(|input| input.consume_key(Modifiers::NONE, ArrowRight)) {
        expanded.insert(path.clone());
    }
    if ui.input_mut(|input| input.consume_key(Modifiers::NONE, ArrowLeft)) {
        expanded.remove(path);
    }
}

/// Draws the row with the name of a day, above the runs of that day.
fn day_ui(row: &mut TableRow<'_, '_>, day: &str, look: RowLook, columns: usize) {
    row.col(|ui| row_line(ui, look.reach));
    row.col(|ui| {
        let color = Tokens::of(ui).t2;
        let caption = day.to_uppercase();
        let day = day.to_owned();
        let label = Spans::plain(Type::Caption, &caption, color).whole_label(ui);
        label.widget_info(|| WidgetInfo::labeled(Role::Label, true, &day));
    });
    for _ in 1..columns {
        row.col(|_| {});
    }
}

/// Draws the row of a quick check, with a caret button that shows and hides the parts of the check;
/// returns whether this button was clicked.
fn caret_toggled(
    row: &mut TableRow<'_, '_>,
    item: &LibraryItem,
    expanded: &mut HashSet<PathBuf>,
    look: RowLook,
    opened: &mut Option<PathBuf>,
) -> bool {
    let Ok(run) = &item.run else { return false };
    let is_expanded = expanded.contains(&item.path);
    let mut is_toggled = false;
    row.col(|ui| {
        let (icon, name) = if is_expanded {
            (icons::CARET_DOWN, format!("Collapse {}", run.name))
        } else {
            (icons::CARET_RIGHT, format!("Expand {}", run.name))
        };
        if quiet_icon_button(ui, icon, &name).clicked() {
            is_toggled = true;
            if is_expanded {
                expanded.remove(&item.path);
            } else {
                expanded.insert(item.path.clone());
            }
        }
        group_ui(ui, look);
        let color = Tokens::of(ui).t3;
        let parts = format!("{} parts", item.parts.len());
        if name_ui(ui, run, 56.0) {
            *opened = Some(item.path.clone());
        }
        Spans::plain(Type::Small, &parts, color).label(ui);
        marks_ui(ui, run);
    });
    cells_ui(row, run, look);
    is_toggled
}

/// Returns the name of the run at `path`, or its file name if the file cannot be read.
fn name_of(items: &[LibraryItem], path: &Path) -> Option<String> {
    let item = items.iter().find(|item| item.path == path)?;
    Some(item.run.as_ref().map_or_else(|_| file_of(item), |run| run.name.clone()))
}

/// Returns the widths of all columns except that of the check boxes; the name column gets the
/// remaining width.
fn widths(room: f32, is_wide: bool, is_by_day: bool) -> Vec<f32> {
    let others: &[f32] = match room {
        _ if is_wide => &[122.0, 132.0, 176.0, 190.0, 62.0],
        room if 700.0 < room => &[122.0, 132.0, 158.0],
        _ => &[106.0, 112.0, 104.0],
    };
    // Below the row of a day, a run shows only its time.
    let started = if is_by_day { 66.0 } else { 104.0 };
    let gaps = f32::from(u16::try_from(others.len() + 2).unwrap_or(1)) * size::GAP_SMALL;
    let used = 24.0 + others.iter().sum::<f32>() + started + gaps + size::GAP_FIELD;
    let name = (room - used).max(120.0);
    [name].into_iter().chain(others.iter().copied()).chain([started]).collect()
}

/// Draws the check box that selects all listed runs.
fn all_ui(ui: &mut Ui, listed: &[&Path], selection: &mut Selection) {
    // The count is compared first, because checking thousands of runs is expensive.
    let mut are_all =
        listed.len() <= selection.paths.len() && listed.iter().all(|path| selection.contains(path));
    if bare_checkbox(ui, &mut are_all, "Select all listed runs").changed() {
        let all = if are_all { listed } else { &[] };
        selection.set(all.iter().map(|&path| path.to_owned()).collect());
    }
}

/// Draws the check box that selects a run, in the color that the run has in a comparison; returns
/// whether the check box was clicked.
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

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;

    use super::*;

    #[test]
    fn runs_without_a_value_and_unreadable_files_are_last_in_both_orders() {
        let with = |id: &str, best: Option<i64>| {
            LibraryItem::example(id, &[], |run| run.headline.best_p99 = best.map(Nanos::new))
        };
        let unreadable = LibraryItem { run: Err("damaged".to_owned()), ..with("x", None) };
        let items = [unreadable, with("none", None), with("slow", Some(9)), with("fast", Some(1))];
        let sorted = |is_rising| {
            let mut places = [0, 1, 2, 3];
            Sort { by: Some((Column::Key, is_rising)) }.apply(&items, &mut places);
            places
        };
        assert_eq!(sorted(true), [3, 2, 1, 0]);
        assert_eq!(sorted(false), [2, 3, 1, 0]);
    }

    #[test]
    fn runs_are_sorted_by_the_longest_gap_where_it_is_their_result() {
        let with = |id: &str, gap| {
            LibraryItem::example(id, &[], |run| run.headline.longest_gap = Some(Nanos::new(gap)))
        };
        let items = [with("long", 5), with("short", 1)];
        let mut places = [0, 1];
        Sort { by: Some((Column::Key, true)) }.apply(&items, &mut places);
        assert_eq!(places, [1, 0]);
    }
}
