//! Overview of the selected runs: small histograms, and facts about a single run.

use std::path::{Path, PathBuf};

use eframe::egui::{Id, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::chart::of_histograms;
use jitterscope_engine::stats::LogHistogram;

use super::MAX_COMPARED;
use crate::pages::severity_of;
use crate::plots::chart_ui;
use crate::run_list::CHECK;
use crate::session::{
    Action, ConfigurationPreview, LibraryItem, RunListEntry, RunPreview, Session, common_label,
};
use crate::text::library::Sum;
use crate::text::{self, library as words};
use crate::theme::{Tokens, Type, size};
use crate::widgets::button::word_button;
use crate::widgets::{Hidden, Severity, Spans, card, link};

/// Height of the histograms with one line of names, in points.
const HEIGHT: f32 = 150.0;
/// Height of each further line of names: in the narrow details, every run has its own.
const NAME: f32 = 34.0;

/// Draws the histograms of `series` in a card with a title. While `series` is `None`, because the
/// runs are still loading, draws an empty area of the same height.
fn image_ui(
    ui: &mut Ui,
    title: &str,
    names: (&'static str, &'static str),
    series: Option<&[(&str, &LogHistogram)]>,
) {
    let tokens = Tokens::of(ui);
    card::plain_card(ui, |ui| {
        Spans::plain(Type::Small, title, tokens.t2).label(ui);
        match series {
            Some(series) => {
                if let Some(chart) = of_histograms("preview", "Histogram", names, series) {
                    let id = Id::unique("preview of runs").with(title);
                    let names = u16::try_from(series.len().saturating_sub(1)).unwrap_or(0);
                    let height = HEIGHT + NAME * f32::from(names);
                    chart_ui(ui, &chart, (id, None), height, &mut Hidden::default());
                }
            }
            None => {
                ui.set_min_height(HEIGHT + Type::Small.line_height());
            }
        }
    });
}

/// Returns the text shown in place of the histogram while a run is not loaded yet.
fn waiting(session: &Session) -> &'static str {
    if session.running.is_busy() { words::AFTER_THE_TEST } else { words::WAITING }
}

/// Draws the overview of a single selected run: its histogram, or the parts of a quick check, and
/// facts.
pub(super) fn one_ui(
    ui: &mut Ui,
    session: &Session,
    item: &LibraryItem,
    run: &RunListEntry,
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    let run_preview = session.library.run_preview(&item.path);
    if item.is_check() {
        parts_ui(ui, item, actions);
    }
    let row =
        run_preview.and_then(|run_preview| Some((run_preview.ok()?, run_preview.ok()?.row(None)?)));
    if let Some((run_preview, row)) = row {
        let title = words::plot_title(run_preview.value_name, &row.label);
        let series = [(row.label.as_str(), &row.histogram)];
        image_ui(ui, &title, (run_preview.value_name, run_preview.samples_name), Some(&series));
    } else if run_preview.is_none() && !item.is_check() {
        image_ui(ui, waiting(session), ("", ""), None);
    }
    let line = |ui: &mut Ui, text: &str| {
        Spans::plain(Type::Small, text, tokens.t2).label(ui);
    };
    line(ui, &format!("{} · {}", run.test_name, text::date(&text::local(run.started_at))));
    let verb = if run.is_recorded() { "recorded" } else { "measured" };
    // A histogram has no length.
    let length = Some(run.measured).filter(|length| !run.is_recorded() || Nanos::ZERO < *length);
    let length = length.map(|length| format!("{} {verb}", text::format_long_time(length)));
    let parts = [length, Some(run.parts_text()), Some(text::format_bytes(item.bytes))];
    line(ui, &parts.into_iter().flatten().collect::<Vec<_>>().join(" · "));
    line(ui, &run.machine);
    match run_preview {
        None => {}
        Some(Err(why)) => line(ui, why),
        Some(Ok(run_preview)) => {
            if !run.is_recorded() {
                settings_ui(ui, run_preview);
            }
            sums_ui(ui, run_preview, actions);
        }
    }
}

/// Draws requested and applied conditions, and the settings.
fn settings_ui(ui: &mut Ui, run_preview: &RunPreview) {
    let tokens = Tokens::of(ui);
    let (severity, applied) = match run_preview.rows.as_slice() {
        [row] => {
            let severity = if row.is_as_requested { Severity::Good } else { Severity::Denied };
            match &row.granted {
                Some(granted) => (severity, words::applied(&row.requested, granted)),
                None => (Severity::NotMeasured, words::NOTHING_ASKED.to_owned()),
            }
        }
        rows => {
            let severity =
                if run_preview.refused() == 0 { Severity::Good } else { Severity::Denied };
            let granted = rows.iter().filter(|row| row.granted.is_some()).count();
            match granted {
                0 => (Severity::NotMeasured, words::NOTHING_ASKED.to_owned()),
                granted => (severity, words::applied_all(granted, run_preview.refused())),
            }
        }
    };
    let width = ui.available_width();
    Spans::new(Type::Small)
        .severity(severity, 0.0, tokens)
        .text(Type::Small, &applied, tokens.t1)
        .paragraph_within(ui, width);
    let settings = words::settings(&run_preview.settings);
    Spans::plain(Type::Small, &settings, tokens.t2).label(ui);
}

/// Draws the checksums of measurement and file.
fn sums_ui(ui: &mut Ui, run_preview: &RunPreview, actions: &mut Vec<Action>) {
    let width = ui.available_width();
    for (of, digits) in
        [(Sum::Measurement, &run_preview.measurement), (Sum::File, &run_preview.checksum)]
    {
        let sum = word_button(ui, "", &of.short(digits), width);
        if sum.on_hover_text(of.text(digits)).clicked() {
            ui.ctx().copy_text(digits.clone());
            actions.push(Action::Tell(of.copied().to_owned()));
        }
    }
}

/// Returns the previews of the selected runs; `None` until all are loaded, or if one cannot be
/// read.
fn looked_at<'a>(
    session: &'a Session,
    runs: &[(&Path, &RunListEntry)],
) -> Option<Vec<&'a RunPreview>> {
    let of = |(path, _): &(&Path, _)| Some(session.library.run_preview(path)?.ok()?.as_ref());
    runs.iter().take(MAX_COMPARED).map(of).collect()
}

/// Draws the histograms of several runs in one plot, if all runs are of the same test.
pub(super) fn several_ui(ui: &mut Ui, session: &Session, runs: &[(&Path, &RunListEntry)]) {
    let is_check = |run: &(&Path, &RunListEntry)| run.1.test == CHECK;
    if runs.windows(2).any(|pair| matches!(pair, [a, b] if a.1.test != b.1.test))
        || runs.iter().any(is_check)
    {
        return;
    }
    let Some(previews) = looked_at(session, runs) else {
        let paths = runs.iter().take(MAX_COMPARED).map(|run| run.0);
        let is_damaged =
            paths.filter_map(|path| session.library.run_preview(path)).any(|it| it.is_err());
        if !is_damaged {
            image_ui(ui, waiting(session), ("", ""), None);
        }
        return;
    };
    let label = common_label(&previews);
    let rows: Vec<(String, &ConfigurationPreview)> = previews
        .iter()
        .zip(runs)
        .filter_map(|(run_preview, (_, run))| {
            let row = run_preview.row(label)?;
            // A label that all configurations share is in the title instead of in each name.
            let name = match label {
                Some(_) => run.name.clone(),
                None => format!("{}, {}", run.name, row.label),
            };
            Some((name, row))
        })
        .collect();
    // Captures have no configurations: a card without a plot would say nothing.
    let Some(first) = previews.first().filter(|_| !rows.is_empty()) else { return };
    let title = words::plot_title(first.value_name, label.unwrap_or(words::BEST_OF_EACH));
    let series: Vec<(&str, &LogHistogram)> =
        rows.iter().map(|(name, row)| (name.as_str(), &row.histogram)).collect();
    image_ui(ui, &title, (first.value_name, first.samples_name), Some(&series));
}

/// Returns whether the selected runs can be compared, as a severity and one or two sentences.
pub(super) fn comparability(
    session: &Session,
    checked: usize,
    runs: &[(&Path, &RunListEntry)],
) -> (Severity, String) {
    let sides: Vec<words::Side<'_>> = runs
        .iter()
        .map(|(path, run)| words::Side {
            test: run.test,
            machine: &run.machine,
            settings: session
                .library
                .run_preview(path)
                .and_then(Result::ok)
                .map(|run_preview| run_preview.settings.as_slice()),
        })
        .collect();
    if sides.len() < checked {
        return (Severity::Fair, words::ONE_IS_CLOSED.to_owned());
    }
    let (is_fair, sentence) = words::comparability(&sides, MAX_COMPARED);
    (if is_fair { Severity::Fair } else { Severity::Info }, sentence)
}

/// Returns the selected runs to preview, up to the number that can be compared. Quick checks are
/// omitted, because they show their parts instead of a preview.
pub(in crate::pages::runs) fn wanted(items: &[LibraryItem], checked: &[PathBuf]) -> Vec<PathBuf> {
    let is_run = |path: &&PathBuf| items.iter().any(|item| item.path == **path && !item.is_check());
    checked.iter().filter(is_run).take(MAX_COMPARED).cloned().collect()
}

/// Draws the parts of a quick check: each with its verdict, its key result, and a link that opens
/// the part.
fn parts_ui(ui: &mut Ui, item: &LibraryItem, actions: &mut Vec<Action>) {
    card::plain_card(ui, |ui| {
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        for part in &item.parts {
            let Ok(run) = &part.run else { continue };
            let tokens = Tokens::of(ui);
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                severity_of(run.headline.grade).icon_ui(ui, size::ICON_SMALL);
                if link(ui, &run.name).clicked() {
                    actions.push(Action::OpenRun(part.path.clone()));
                }
            });
            let words = format!("{} · {}", run.verdict, run.key_result);
            Spans::plain(Type::Small, &words, tokens.t2).label(ui);
        }
    });
}
