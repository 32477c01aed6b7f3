//! Selects the visible columns of a table, computes their widths, and shows the menu of columns.

use eframe::egui::{Popup, PopupCloseBehavior, ScrollArea, Ui};
use jitterscope_engine::stats::distinct;

use super::layout::TableLayout;
use super::memory::Memory;
use super::prepared::Prepared;
use crate::theme::{icons, size};
use crate::widgets::{Button, FollowFocus as _, checkbox};

/// Gap between two columns, in points.
pub(super) const GAP: f32 = size::GAP_SMALL;
/// Width in points down to which columns are reduced so that a table fits.
const WIDE: f32 = 88.0;
/// Height of the menu of columns in points above which the menu scrolls.
const MENU_HEIGHT: f32 = 420.0;

/// A visible column: its position `at` in the grid, and its width in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ShownColumn {
    pub(super) at: usize,
    pub(super) width: f32,
}

/// Returns the keys of the visible columns: the columns that the user selected, the leading columns
/// of the layout, and as many other columns as fit in `room` points. Columns in `hidden` are
/// visible only if the user selected them.
pub(super) fn shown_keys(
    prepared: &Prepared,
    (layout, hidden): (&TableLayout, &[&str]),
    memory: &Memory,
    room: f32,
) -> Vec<&'static str> {
    let mut shown: Vec<&'static str> = Vec::new();
    let mut free = room;
    let mut seen: Vec<&'static str> = Vec::new();
    // Leading and selected columns take their width first, regardless of their position; the other
    // columns share what is left.
    for is_leading in [true, false] {
        for column in &prepared.grid.columns {
            let Some(it) = prepared.table.columns.get(column.column) else { continue };
            if seen.contains(&it.key) {
                continue;
            }
            let leads = layout.leading.contains(&it.key) || layout.leading.is_empty() && it.is_key;
            let selected = memory.shown.get(it.key).copied();
            if (leads || selected == Some(true)) != is_leading {
                continue;
            }
            seen.push(it.key);
            let width = width_of_key(prepared, &prepared.widths, memory, it.key);
            let is_constant = layout.varying.contains(&it.key) && !varies(prepared, column.column);
            let is_shown = match selected {
                Some(is_shown) => is_shown,
                None if is_constant || hidden.contains(&it.key) => false,
                None if leads => true,
                None => !it.is_optional && width <= free,
            };
            if is_shown {
                free -= width;
                shown.push(it.key);
            }
        }
    }
    drop_cut(prepared, layout, memory, (room, &mut shown));
    shown
}

/// Hides leading columns, the last one first, until all visible columns fit in `room` points. Never
/// hides columns that identify a row, the key figure, the result, and columns that the user selected.
fn drop_cut(
    prepared: &Prepared,
    layout: &TableLayout,
    memory: &Memory,
    (room, shown): (f32, &mut Vec<&'static str>),
) {
    let is_spare = |key: &&&'static str| {
        let is_result = matches!(**key, "grade" | "result" | "verdict");
        let is_first = layout.leading.first() == Some(*key) || layout.rows.contains(*key);
        let column = prepared.table.columns.iter().find(|column| column.key == **key);
        let is_key = column.is_some_and(|column| column.is_key);
        !is_result && !is_first && !is_key && !memory.shown.contains_key(**key)
    };
    let mut spare: Vec<&'static str> = layout.leading.iter().filter(is_spare).copied().collect();
    let needed = |shown: &[&'static str]| -> f32 {
        shown.iter().map(|key| width_of_key(prepared, &prepared.tight, memory, key)).sum()
    };
    while room < needed(shown)
        && let Some(last) = spare.pop()
    {
        shown.retain(|key| *key != last);
    }
}

/// Whether at least two rows differ in a column of the table.
fn varies(prepared: &Prepared, column: usize) -> bool {
    let mut cells = prepared.table.rows.iter().filter_map(|row| row.cells.get(column));
    let first = cells.next();
    cells.any(|cell| Some(cell) != first)
}

/// Returns the total width in points of the grid columns with this key, including the gaps. In the
/// wide layout, several grid columns have the same key, one per group.
fn width_of_key(prepared: &Prepared, widths: &[f32], memory: &Memory, key: &str) -> f32 {
    let columns = prepared.grid.columns.iter().zip(widths);
    columns
        .filter(|(column, _)| {
            prepared.table.columns.get(column.column).is_some_and(|it| it.key == key)
        })
        .map(|(column, width)| memory.widths.get(&column.name).copied().unwrap_or(*width) + GAP)
        .sum()
}

/// Returns the columns with these keys and their widths. If the columns need less or more than
/// `room` points, those whose width the user did not set become wider or narrower.
pub(super) fn shown_columns(
    prepared: &Prepared,
    keys: &[&'static str],
    memory: &Memory,
    room: f32,
) -> Vec<ShownColumn> {
    let own = |name: &str| memory.widths.get(name).copied();
    let mut shown: Vec<(ShownColumn, bool)> = prepared
        .grid
        .columns
        .iter()
        .zip(&prepared.widths)
        .enumerate()
        .filter(|(_, (column, _))| {
            let it = prepared.table.columns.get(column.column);
            it.is_some_and(|it| keys.contains(&it.key))
        })
        .map(|(at, (column, width))| match own(&column.name) {
            Some(width) => (ShownColumn { at, width }, false),
            None => (ShownColumn { at, width: *width }, true),
        })
        .collect();
    // The first visible column has the margin of the card, which is wider than the padding of other
    // columns. `prepared` includes this margin only for the first column of the grid.
    if let Some((first, true)) = shown.first_mut()
        && 0 < first.at
    {
        first.width += size::GAP_FIELD - size::GAP_SMALL;
    }
    let used: f32 = shown.iter().map(|(column, _)| column.width + GAP).sum();
    if room < used {
        tighten(prepared, &mut shown, used - room);
    }
    let flexible = shown.iter().filter(|(_, is_flexible)| *is_flexible).count();
    let spare = (room - used).max(0.0);
    let each = (spare / f32::from(u16::try_from(flexible.max(1)).unwrap_or(u16::MAX))).floor();
    for (column, _) in shown.iter_mut().filter(|(_, is_flexible)| *is_flexible) {
        column.width += each;
    }
    shown.into_iter().map(|(column, _)| column).collect()
}

/// Makes the columns whose width the user did not set narrower, by `missing` points together. Each
/// gives up width in proportion to the difference between its width and its minimum width.
fn tighten(prepared: &Prepared, shown: &mut [(ShownColumn, bool)], missing: f32) {
    let spare = |column: &ShownColumn| {
        prepared.tight.get(column.at).map_or(0.0, |tight| (column.width - tight).max(0.0))
    };
    let flexible = shown.iter().filter(|(_, is_flexible)| *is_flexible);
    let all: f32 = flexible.map(|(column, _)| spare(column)).sum();
    let share = if 0.0 < all { (missing / all).min(1.0) } else { 0.0 };
    for (column, _) in shown.iter_mut().filter(|(_, is_flexible)| *is_flexible) {
        column.width -= (spare(column) * share).ceil().min(spare(column));
    }
}

/// Reduces the widest columns until the table fits in `room` points, or until no column is wider than [`WIDE`]. The first
/// column, which identifies a row, is reduced last.
pub(super) fn fit(columns: &mut [ShownColumn], room: f32) {
    for first in [1, 0] {
        loop {
            let excess = columns.iter().map(|column| column.width + GAP).sum::<f32>() - room;
            let others = columns.iter_mut().skip(first);
            let widest = others.max_by(|a, b| a.width.total_cmp(&b.width));
            let Some(widest) = widest.filter(|one| 0.0 < excess && WIDE < one.width) else { break };
            widest.width = (widest.width - excess.min(GAP)).max(WIDE);
        }
    }
}

/// Draws the button that opens the menu of columns.
pub(super) fn menu_ui(
    ui: &mut Ui,
    prepared: &Prepared,
    shown: &[&'static str],
    memory: &mut Memory,
) {
    let columns = &prepared.table.columns;
    let name = format!("Columns of {}", prepared.table.title);
    let count = columns.iter().filter(|column| shown.contains(&column.key)).count();
    let hint = format!("{count} of {} columns are shown", columns.len());
    let button = ui.add(Button::new("Columns").icon(icons::COLUMNS).name(&name));
    Popup::menu(&button)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .accessible_name(name)
        .show(|ui| groups_ui(ui, prepared, shown, memory));
    button.on_hover_text(hint);
}

/// Draws the contents of the menu of columns: a check box per column and per group of columns, and
/// the buttons "All columns" and "Default columns".
fn groups_ui(ui: &mut Ui, prepared: &Prepared, shown: &[&'static str], memory: &mut Memory) {
    let columns = &prepared.table.columns;
    let height = (ui.ctx().content_rect().height() - 160.0).clamp(120.0, MENU_HEIGHT);
    let groups = distinct(columns.iter().map(|column| column.group));
    ui.set_min_width(220.0);
    ScrollArea::vertical().max_height(height).show_focus(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for group in groups {
            let of_group: Vec<_> = columns.iter().filter(|column| column.group == group).collect();
            let title = if group.is_empty() { prepared.table.title } else { group };
            let mut is_on = of_group.iter().all(|column| shown.contains(&column.key));
            if 1 < of_group.len() && checkbox(ui, &mut is_on, &format!("{title}, all")).changed() {
                for column in &of_group {
                    memory.shown.insert(column.key.to_owned(), is_on);
                }
            }
            let indent = if 1 < of_group.len() { size::GAP_GROUP } else { 0.0 };
            for column in of_group {
                ui.horizontal(|ui| {
                    ui.add_space(indent);
                    let mut is_shown = shown.contains(&column.key);
                    let choice = checkbox(ui, &mut is_shown, &column.heading());
                    if choice.changed() {
                        memory.shown.insert(column.key.to_owned(), is_shown);
                    }
                    choice.on_hover_text(column.definition.as_ref());
                });
            }
        }
    });
    ui.separator();
    ui.horizontal(|ui| {
        if ui.add(Button::new("All columns")).clicked() {
            memory.shown = columns.iter().map(|column| (column.key.to_owned(), true)).collect();
        }
        if ui.add(Button::new("Default columns")).clicked() {
            memory.shown.clear();
            memory.widths.clear();
        }
    });
}
