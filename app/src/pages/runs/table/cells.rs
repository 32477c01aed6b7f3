//! The cells of a row in the list of runs: name, icons and tags, verdict, key result, machine, and
//! start time.

use eframe::egui::{Role, Sense, Ui, WidgetInfo};
use egui_extras::TableRow;
use jitterscope_engine::report::Headline;
use jitterscope_engine::stats::Outcome;

use super::{RowLook, file_of};
use crate::run_list::trend;
use crate::run_list::verdict_of;
use crate::session::{LibraryItem, RunListEntry};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Severity, Spans, letter_chip, tag_chip};

fn cell(row: &mut TableRow<'_, '_>, text: &str) {
    row.col(|ui| {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Table, text, color).label(ui);
    });
}

/// Draws the name of a run, and leaves the width `right` free. A click on the name selects the row
/// like any other click. Returns whether a screen reader requested to open the run.
pub(super) fn name_ui(ui: &mut Ui, run: &RunListEntry, right: f32) -> bool {
    let color = Tokens::of(ui).t1;
    let style = Type::TableStrong;
    let room = (ui.available_width() - right).max(20.0);
    let galley = Spans::plain(style, &run.name, color).within(ui, room);
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

/// Draws the letter of the group that the user set a run as, before its name.
pub(super) fn group_ui(ui: &mut Ui, look: RowLook) {
    if let Some(group) = look.group {
        let name = format!("Group {}", text::compare::letter(group));
        letter_chip(ui, group, &name).on_hover_text(&name);
    }
}

/// Draws note icon, baseline star, and tags of a run, as far as they fit.
pub(super) fn marks_ui(ui: &mut Ui, run: &RunListEntry) {
    let tokens = Tokens::of(ui);
    if !run.note.is_empty() {
        Spans::new(Type::Small)
            .icon(icons::NOTE_PENCIL, size::ICON_SMALL, tokens.t3)
            .label(ui)
            .on_hover_text(&run.note);
    }
    if trend::is_baseline(run) {
        Spans::new(Type::Small)
            .icon(icons::STAR_FILL, size::ICON_SMALL, tokens.acc)
            .gap(2.0)
            .text(Type::Axis, "Baseline", tokens.acc)
            .label(ui)
            .on_hover_text("Later runs with the same settings on this PC are compared with it.");
    }
    for tag in run.tags.iter().filter(|tag| *tag != trend::BASELINE).take(4) {
        // Tags that do not fit are shown in the details.
        let width = Spans::plain(Type::Axis, tag, tokens.t2).galley(ui).size().x;
        if ui.available_width() < width + 2.0 * size::GAP_SMALL + 2.0 {
            break;
        }
        tag_chip(ui, tag);
    }
}

/// Draws the cells of a run, with the name indented by `indent` points; returns whether a screen
/// reader requested to open the run.
pub(super) fn run_ui(
    row: &mut TableRow<'_, '_>,
    run: &RunListEntry,
    look: RowLook,
    indent: f32,
) -> bool {
    let mut is_opened = false;
    row.col(|ui| {
        ui.add_space(indent);
        group_ui(ui, look);
        is_opened = name_ui(ui, run, 0.0);
        marks_ui(ui, run);
    });
    cells_ui(row, run, look);
    is_opened
}

/// Draws the cells of a run that follow the name.
pub(super) fn cells_ui(row: &mut TableRow<'_, '_>, run: &RunListEntry, look: RowLook) {
    cell(row, run.test_name);
    row.col(|ui| {
        let tokens = Tokens::of(ui);
        let severity = Severity::of_result(run.headline.grade, run.headline.standing);
        Spans::new(Type::TableStrong)
            .severity(severity, size::GAP_LABEL, tokens)
            .text(Type::TableStrong, &run.verdict, severity.word_color(tokens))
            .label(ui);
    });
    row.col(|ui| {
        let tokens = Tokens::of(ui);
        let mut spans = Spans::plain(Type::Table, &run.key_result, tokens.t1);
        if 0 < run.headline.refused {
            spans = spans
                .gap(size::GAP_SMALL)
                .severity(Severity::Denied, size::GAP_LABEL, tokens)
                .text(Type::Table, &format!("{} not applied", run.headline.refused), tokens.fair);
        }
        if run.headline.is_edited {
            spans = spans
                .gap(size::GAP_SMALL)
                .severity(Severity::Fair, size::GAP_LABEL, tokens)
                .text(Type::Table, Headline::EDITED, tokens.fair);
        }
        if run.change.is_some_and(|delta| delta.result == Outcome::Worse) {
            spans = spans.gap(size::GAP_SMALL).severity(Severity::Fair, 2.0, tokens).text(
                Type::Table,
                "worse than baseline",
                tokens.fair,
            );
        }
        spans.label(ui);
    });
    if look.is_wide {
        cell(row, &run.machine);
        cell(row, &text::format_clock(run.measured));
    }
    let when = text::local(run.started_at);
    let words = if look.is_by_day {
        text::date::time(&when)
    } else {
        text::list_date(&when, &text::local(text::now()))
    };
    cell(row, &words);
}

/// Draws the cells of a file that cannot be read, with the reason (`why`).
pub(super) fn damaged_ui(row: &mut TableRow<'_, '_>, item: &LibraryItem, why: &str, is_wide: bool) {
    row.col(|ui| {
        let color = Tokens::of(ui).t1;
        Spans::plain(Type::TableStrong, &file_of(item), color).label(ui);
    });
    cell(row, "");
    row.col(|ui| {
        let color = Tokens::of(ui).poor;
        Severity::Poor.icon_ui(ui, size::ICON_SMALL);
        Spans::plain(Type::Table, verdict_of(item), color).label(ui);
    });
    cell(row, why);
    if is_wide {
        cell(row, "");
        cell(row, "");
    }
    cell(row, "");
}
