//! The saved runs: found again and opened.

use eframe::egui::{Align, Frame, Layout, Margin, Sense, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

use crate::session::{Action, LibraryItem, Session};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Button, Command, EmptyState, Severity, Spans, key_text, right_aligned};

/// How the page of saved runs looks.
#[derive(Debug, Default)]
pub struct RunsPage {}

impl RunsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        let margin = Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y);
        Frame::new().inner_margin(margin).show(ui, |ui| {
            ui.horizontal(|ui| {
                let items = session.library().items().unwrap_or_default();
                let bytes: u64 = items.iter().map(|item| item.bytes).sum();
                let count = match items.len() {
                    1 => "1 run".to_owned(),
                    count => format!("{} runs", text::count(u64::try_from(count).unwrap_or(0))),
                };
                let note = format!("{count} · {}", text::bytes(bytes));
                Spans::new(Type::Small).text(Type::Small, &note, tokens.t2).whole_label(ui);
                right_aligned(ui, "runs-buttons", |ui| {
                    if ui
                        .add(Button::new("Read folder again").icon(icons::ARROWS_CLOCKWISE))
                        .clicked()
                    {
                        actions.push(Action::RefreshLibrary);
                    }
                    let key = key_text(ui.ctx(), Command::OpenFile);
                    let open = Button::new("Open file…").icon(icons::FOLDER_OPEN).shortcut(&key);
                    if ui.add(open).clicked() {
                        actions.push(Action::AskForFile);
                    }
                });
            });
            ui.add_space(size::GAP_SMALL);
            match session.library().items() {
                None => {
                    Spans::new(Type::Body)
                        .text(Type::Body, "Reading the saved runs", tokens.t2)
                        .label(ui);
                }
                Some([]) => {
                    let empty = EmptyState {
                        icon: icons::STACK,
                        title: "No runs yet",
                        text: "Finished tests appear here by themselves.",
                        button: "Run the frame loop",
                    };
                    if empty.show(ui).is_some_and(|button| button.clicked()) {
                        actions.push(Action::GoTo(crate::session::PageId::Test("frame-loop")));
                    }
                }
                Some(items) => table_ui(ui, items, actions),
            }
            if let Some(store) = session.store() {
                ui.with_layout(Layout::bottom_up(Align::Min), |ui| {
                    let note = format!("Saved in {}", store.folder().display());
                    Spans::new(Type::Small).text(Type::Small, &note, tokens.t3).label(ui);
                });
            }
        });
    }
}

fn table_ui(ui: &mut Ui, items: &[LibraryItem], actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    let now = text::local(jiff::Timestamp::now());
    let height = (ui.available_height() - 28.0).max(size::RUNS_ROW * 4.0);
    ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
    let table = TableBuilder::new(ui)
        .sense(Sense::click())
        .striped(false)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::remainder().at_least(160.0).clip(true))
        .column(Column::exact(120.0))
        .column(Column::exact(110.0))
        .column(Column::initial(220.0).at_least(120.0).clip(true))
        .column(Column::initial(210.0).at_least(100.0).clip(true))
        .column(Column::exact(150.0))
        .max_scroll_height(height);
    table
        .header(size::TABLE_HEADER, |mut header| {
            for title in ["Name", "Test", "Verdict", "Key result", "Machine", "When"] {
                header.col(|ui| {
                    Spans::new(Type::TableHeader)
                        .text(Type::TableHeader, title, tokens.t2)
                        .label(ui);
                });
            }
        })
        .body(|body| {
            body.rows(size::RUNS_ROW, items.len(), |mut row| {
                let Some(item) = items.get(row.index()) else { return };
                row_ui(&mut row, item, &now);
                let response = row.response();
                if response.clicked() && item.run.is_ok() {
                    actions.push(Action::OpenRun(item.path.clone()));
                }
            });
        });
}

fn row_ui(row: &mut TableRow<'_, '_>, item: &LibraryItem, now: &jiff::Zoned) {
    let file = item.path.file_name().map(|file| file.to_string_lossy().into_owned());
    let cell = |row: &mut TableRow<'_, '_>, text: &str, is_strong: bool| {
        row.col(|ui| {
            let tokens = Tokens::of(ui);
            let (style, color) =
                if is_strong { (Type::TableStrong, tokens.t1) } else { (Type::Table, tokens.t2) };
            Spans::new(style).text(style, text, color).label(ui);
        });
    };
    match &item.run {
        Ok(run) => {
            row.col(|ui| {
                // A link by name, so that the keyboard and a screen reader can open the run, too.
                let tokens = Tokens::of(ui);
                Spans::new(Type::TableStrong)
                    .text(Type::TableStrong, &run.name, tokens.t1)
                    .label(ui);
            });
            cell(row, run.test_name, false);
            row.col(|ui| {
                let severity = match run.headline.grade {
                    None => Severity::NotMeasured,
                    grade => crate::pages::frame_loop::severity_of(grade),
                };
                severity.icon_ui(ui, size::ICON_SMALL);
                let word = text::verdict::headline_word(&run.headline);
                let color = severity.word_color(Tokens::of(ui));
                Spans::new(Type::TableStrong).text(Type::TableStrong, word, color).label(ui);
            });
            row.col(|ui| {
                let tokens = Tokens::of(ui);
                let number = text::verdict::headline_number(&run.headline);
                let mut spans = Spans::new(Type::Table).text(Type::Table, &number, tokens.t1);
                if 0 < run.headline.refused {
                    spans = spans
                        .gap(size::GAP_SMALL)
                        .icon(icons::SHIELD_WARNING_FILL, size::ICON_SMALL, tokens.fair)
                        .gap(size::GAP_LABEL)
                        .text(
                            Type::Table,
                            &format!("{} refused", run.headline.refused),
                            tokens.fair,
                        );
                }
                spans.label(ui);
            });
            cell(row, &run.machine, false);
            cell(row, &text::list_date(&text::local(run.started_at), now), false);
        }
        Err(reason) => {
            cell(row, file.as_deref().unwrap_or("?"), true);
            cell(row, "", false);
            row.col(|ui| {
                let color = Tokens::of(ui).poor;
                Severity::Poor.icon_ui(ui, size::ICON_SMALL);
                Spans::new(Type::Table).text(Type::Table, "Cannot be read", color).label(ui);
            });
            cell(row, reason, false);
            cell(row, "", false);
            cell(row, "", false);
        }
    }
}
