//! The compared runs, one card each: letter, name, grade, details; swap, remove, add.

use std::path::{Path, PathBuf};

use eframe::egui::{Align, Layout, Ui, vec2};
use jitterscope_engine::report::comparison::{Item, MAX_RUNS};

use crate::session::{Action, ComparisonView, LoadedRun, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Severity, Spans, chip::word_chip, field::combo_ui, link, quiet_icon_button, right_aligned,
    right_width, series_chip,
};

/// Height of a card without its padding, in points.
pub(super) const HEIGHT: f32 = 110.0;
/// The label of the run or group with which the others are compared.
pub(super) const BASELINE: &str = "Baseline";
/// Maximum number of runs in the list from which a run is added.
const OFFERED: usize = 40;

/// Draws one card per compared run, and a card that adds a run if there is room.
pub(super) fn ui(
    ui: &mut Ui,
    session: &Session,
    compared: &ComparisonView,
    actions: &mut Vec<Action>,
) {
    let paths = &session.comparing.selected.paths;
    let has_room = compared.runs.len() < MAX_RUNS;
    let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
    let count = compared.runs.len() + usize::from(has_room);
    let cards_a_row = if is_wide { count } else { 1 };
    let between = f32::from(u16::try_from(cards_a_row.saturating_sub(1)).unwrap_or(0));
    let gap = size::GAP_CARD;
    let shares = f32::from(u16::try_from(cards_a_row.max(1)).unwrap_or(1));
    let width = ((ui.available_width() - between * gap) / shares).floor();
    let mut cards = |ui: &mut Ui| {
        let labels = compared.whole_labels();
        for ((shown, label), at) in compared.runs.iter().zip(&labels).zip(0..) {
            ui.allocate_ui_with_layout(
                vec2(width, HEIGHT + 26.0),
                Layout::top_down(Align::Min),
                |ui| card_ui(ui, (shown, label), at, paths, actions),
            );
        }
        if has_room {
            ui.allocate_ui_with_layout(
                vec2(width, HEIGHT + 26.0),
                Layout::top_down(Align::Min),
                |ui| add_ui(ui, session, compared, paths, actions),
            );
        }
    };
    if is_wide {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = gap;
            cards(ui);
        });
    } else {
        cards(ui);
    }
}

fn card_ui(
    ui: &mut Ui,
    (shown, name): (&LoadedRun, &str),
    at: usize,
    paths: &[PathBuf],
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    let run = &shown.run;
    let whole_name = text::run_name(run);
    let letter = text::compare::letter(at);
    crate::widgets::card::plain_card(ui, |ui| {
        ui.set_min_height(HEIGHT);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            series_chip(ui, at);
            let room = ui.available_width() - right_width(ui, ("card", at)) - size::GAP_SMALL;
            let words = Spans::plain(Type::Strong, name, tokens.t1);
            words.label_within(ui, room.max(40.0)).on_hover_text(&whole_name);
            right_aligned(ui, ("card", at), |ui| {
                let remove = format!("Remove {letter}, {name}");
                if quiet_icon_button(ui, icons::X, &remove).clicked() {
                    let rest = paths.iter().enumerate().filter(|(other, _)| *other != at);
                    actions.push(Action::Compare(rest.map(|(_, path)| path.clone()).collect()));
                }
            });
        });
        // The grade has a separate row, because it would truncate the name if it were next to it.
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 0.0;
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let verdict = &shown.report.verdict;
            let severity = Severity::of_result(verdict.grade, verdict.standing);
            Spans::new(Type::Label)
                .severity(severity, 0.0, tokens)
                .text(Type::LabelStrong, shown.report.word(), severity.word_color(tokens))
                .whole_label(ui);
            if at == 0 {
                word_chip(ui, BASELINE);
            }
        });
        let rows = match Item::all(run, &shown.report).as_slice() {
            [one] => one.label().to_owned(),
            all if run.capture().is_some() => format!("{} recordings", all.len()),
            all => format!("{} configurations", all.len()),
        };
        let now = text::local(text::now());
        let lines = [
            format!(
                "{} · {} · {} {}",
                run.subject.name(),
                text::list_date(&text::local(run.started_at), &now),
                text::format_count(run.sample_count()),
                run.subject.samples_name(),
            ),
            format!("{} · {rows}", run.machine_name()),
        ];
        for line in lines {
            Spans::plain(Type::Small, &line, tokens.t2).label(ui);
        }
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 0.0;
            if at == 0 {
                if paths.len() == 2 && link(ui, "Swap A and B").clicked() {
                    actions.push(Action::Compare(paths.iter().rev().cloned().collect()));
                }
            } else if link(ui, &format!("Make {letter} the baseline")).clicked() {
                let mut paths = paths.to_vec();
                if let Some(first) = paths.get_mut(..=at) {
                    first.rotate_right(1);
                }
                actions.push(Action::Compare(paths));
            }
        });
    });
}

/// Returns the name of a saved run.
pub(super) fn name_of(session: &Session, path: &Path) -> String {
    let items = session.library.items.as_deref().unwrap_or_default();
    let run = items.iter().find(|item| item.path == path).and_then(|item| item.run.as_ref().ok());
    run.map_or_else(|| "This run".to_owned(), |run| run.name.clone())
}

/// Draws a card with the list of saved runs of the same test. Selecting a run adds it to the
/// comparison.
fn add_ui(
    ui: &mut Ui,
    session: &Session,
    compared: &ComparisonView,
    paths: &[PathBuf],
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    crate::widgets::card::plain_card(ui, |ui| {
        ui.set_min_height(HEIGHT);
        let test = compared.runs.first().map_or("", |shown| shown.run.subject.key());
        let now = text::local(text::now());
        Spans::new(Type::Small)
            .icon(icons::PLUS, size::ICON_SMALL, tokens.t2)
            .text(Type::Small, "Another run of this test", tokens.t2)
            .label(ui);
        let width = ui.available_width().min(260.0);
        combo_ui(ui, "Add a run", "Add a run", width, |ui| {
            let items = session.library.items.as_deref().unwrap_or_default();
            let fitting = items.iter().filter_map(|item| Some((item, item.run.as_ref().ok()?)));
            let mut has_any = false;
            for (item, run) in fitting
                .filter(|(item, run)| run.test == test && !paths.contains(&item.path))
                .take(OFFERED)
            {
                has_any = true;
                let when = text::list_date(&text::local(run.started_at), &now);
                let words = format!("{} · {when}", run.name);
                if ui.selectable_label(false, Type::Body.text(words)).clicked() {
                    let mut paths = paths.to_vec();
                    paths.push(item.path.clone());
                    actions.push(Action::Compare(paths));
                }
            }
            if !has_any {
                ui.label(Type::Body.text("No other run of this test").color(tokens.t2));
            }
        });
        if link(ui, "Select others").clicked() {
            actions.push(Action::GoTo(PageId::Runs));
        }
    });
}
