//! The setting that selects configurations by priority and pinning: a table of check boxes, the
//! matrix.

use eframe::egui::{Align, Grid, Layout, Rect, ScrollArea, Ui, UiBuilder, vec2};
use jitterscope_engine::plan::conditions::{Cell, CpuChoice, Priority};
use jitterscope_engine::stats::distinct;

use super::FormContext;
use crate::theme::{Tokens, Type, size};
use crate::widgets::check::bare_checkbox;
use crate::widgets::field::combo;
use crate::widgets::{FollowFocus as _, Spans, link};

/// Draws the matrix with a check box per configuration; `cells` are the selected configurations.
/// Rows are the four priority levels and any other selected priorities. Columns are unpinned,
/// pinned to a performance core, pinned to a CPU that the user selects below, and any other
/// selected CPUs. A link that selects all cells or none is at the right of the group's caption, in
/// `caption_row`.
pub(super) fn ui(
    ui: &mut Ui,
    test: &str,
    caption_row: Rect,
    cells: &mut Vec<Cell>,
    around: &FormContext<'_>,
) {
    let tokens = Tokens::of(ui);
    let in_use = cells.iter().map(|cell| cell.priority);
    let mut rows = distinct(Priority::LEVELS.into_iter().chain(in_use));
    rows.sort_by_key(|priority| priority.rank());
    let id = ui.make_persistent_id("selected-cpu");
    let taken = cells.iter().find_map(|cell| match cell.cpu {
        CpuChoice::Cpu(cpu) => Some(cpu),
        CpuChoice::Any
        | CpuChoice::Performance
        | CpuChoice::FirstPerformance
        | CpuChoice::Efficiency => None,
    });
    let default = around.cpus.get(1).or(around.cpus.first()).copied().unwrap_or(0);
    // The selected CPU stays the same while any configuration has it, so that no column changes its
    // place when another check box is cleared.
    let stored: Option<u32> = ui.data(|data| data.get_temp(id));
    let is_taken = |cpu: &u32| cells.iter().any(|cell| cell.cpu == CpuChoice::Cpu(*cpu));
    let taken = stored.filter(is_taken).or(taken);
    if let Some(cpu) = taken {
        ui.data_mut(|data| data.insert_temp(id, cpu));
    }
    let mut selected = taken.or(stored).unwrap_or(default);
    let named = CpuChoice::Cpu(selected);
    let common = [CpuChoice::Any, CpuChoice::Performance, named];
    let mut in_use: Vec<CpuChoice> = cells.iter().map(|cell| cell.cpu).collect();
    in_use.sort_by_key(|cpu| if let CpuChoice::Cpu(cpu) = cpu { Some(*cpu) } else { None });
    let columns = distinct(common.into_iter().chain(in_use));
    let name_of = |cpu: CpuChoice| if cpu == named { "CPU n".to_owned() } else { cpu.name() };
    let cells_of = |&priority: &Priority| columns.iter().map(move |&cpu| Cell { priority, cpu });
    let all: Vec<Cell> = rows.iter().flat_map(cells_of).collect();
    let has_all = all.iter().all(|cell| cells.contains(cell));
    let layout = Layout::right_to_left(Align::Center);
    let room = caption_row.expand2(vec2(0.0, (size::TARGET - caption_row.height()) / 2.0));
    let mut row = ui.new_child(UiBuilder::new().max_rect(room).layout(layout));
    if link(&mut row, if has_all { "None" } else { "All" }).clicked() {
        *cells = if has_all { Vec::new() } else { all };
    }
    let grid = Grid::new("matrix").spacing(vec2(size::GAP_GROUP, 0.0)).min_row_height(size::TARGET);
    let grid_ui = |ui: &mut Ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.label("");
        for &cpu in &columns {
            Spans::plain(Type::Small, &name_of(cpu), tokens.t2).whole_label(ui);
        }
        ui.end_row();
        for &priority in &rows {
            Spans::plain(Type::Body, &priority.name(), tokens.t1).whole_label(ui);
            for &cpu in &columns {
                let cell = Cell { priority, cpu };
                let mut is_taken = cells.contains(&cell);
                let name = format!("{test}, {}, {}", priority.name(), name_of(cpu));
                if bare_checkbox(ui, &mut is_taken, &name).changed() {
                    if is_taken {
                        cells.push(cell);
                    } else {
                        cells.retain(|other| *other != cell);
                    }
                }
            }
            ui.end_row();
        }
    };
    // Columns of other CPUs may not have room in the form.
    let area = ScrollArea::horizontal().id_salt("matrix");
    area.show_focus(ui, |ui| grid.show(ui, grid_ui));
    ui.horizontal(|ui| {
        let note =
            around.performance_cpu.map_or(String::new(), |cpu| format!("P-core = CPU {cpu}"));
        Spans::plain(Type::Small, &note, tokens.t2).whole_label(ui);
        Spans::plain(Type::Small, "CPU n =", tokens.t2).whole_label(ui);
        let names: Vec<String> = around.cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
        let options: Vec<(u32, &str)> =
            around.cpus.iter().copied().zip(names.iter().map(String::as_str)).collect();
        let width = ui.available_width();
        combo(ui, &format!("{test}, CPU n"), &mut selected, &options, width);
    });
    if named != CpuChoice::Cpu(selected) {
        for cell in cells.iter_mut().filter(|cell| cell.cpu == named) {
            cell.cpu = CpuChoice::Cpu(selected);
        }
        // The CPU may have had a column of its own before.
        *cells = distinct(cells.drain(..));
        ui.data_mut(|data| data.insert_temp(id, selected));
    }
    if !around.can_pin {
        let text = "Pinning is not supported on this system. Pinned configurations run unpinned \
                    and are marked.";
        Spans::plain(Type::Small, text, tokens.fair).paragraph(ui);
    }
}
