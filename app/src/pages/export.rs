//! The export dialog: format, included names, preview, and destination.

mod look;
pub(super) mod rendered;

use eframe::egui::{
    Align, Context, Frame, Id, Key, Layout, Margin, Memory, Modifiers, Role, ScrollArea, Theme, Ui,
    vec2,
};
use jitterscope_engine::export::{Format, IncludedNames, KeptSamples, Parts, default_row};
use jitterscope_engine::report::Report;

use crate::session::{
    Action, ActiveExport, CopiedText, ExportKind, ExportRequest, Session, Subject,
};
use crate::text::{self, export as words};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::field::{choice_rows_ui, combo_ui};
use crate::widgets::keys::{Command, key_text};
use crate::widgets::{
    Answer, Button, Dialog, FollowFocus as _, Spans, checkbox, choice_row, dialog, field_block,
    group_caption, quiet_icon_button, right_aligned, toggle,
};

/// Width and height of the dialog in points, if the window has enough space.
const SIZE: [f32; 2] = [1_096.0, 760.0];
/// Width of the options at the left of the dialog, in points.
const CHOICES: f32 = 290.0;
/// Height of the title bar and of the bar with the buttons, in points.
const BAR: f32 = 52.0;

/// State of the export dialog.
#[derive(Default)]
pub struct ExportDialog {
    /// The number of the export for which the dialog was opened.
    number: Option<u64>,
    /// The last selected format.
    kind: Option<ExportKind>,
    row: Option<usize>,
    /// The parts of the run that are checked for the export.
    parts: Parts,
    included_names: IncludedNames,
    /// Whether the primary button has had the keyboard focus.
    was_focused: bool,
    /// The widget that was focused before the dialog opened.
    opener: Option<Id>,
    /// State of the preview.
    view: look::View,
}

impl std::fmt::Debug for ExportDialog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExportDialog").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl ExportDialog {
    /// Shows the dialog while an export is pending.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        self.dialog(ctx, session, actions);
        if let Some(files) = session.exports.replacing() {
            let (title, text) = words::replacing(files);
            let question = Dialog {
                title: &title,
                text: &text,
                primary: "Replace",
                cancel: "Cancel",
                is_stop: true,
            };
            let answer = question.show(ctx).map(|answer| answer == Answer::Primary);
            actions.extend(answer.map(Action::ReplaceFiles));
        }
    }

    fn dialog(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(exporting) = &session.exports.current else {
            if self.number.take().is_some() {
                self.view = look::View::default();
                if let Some(opener) = self.opener.take() {
                    ctx.memory_mut(|memory| memory.request_focus(opener));
                }
            }
            return;
        };
        if self.number != Some(exporting.number) {
            // For several runs, their comparison is the default.
            let last = ExportKind::of_key(&session.settings().last_export)
                .filter(|_| !exporting.is_comparison());
            let kind = exporting.wanted.or(self.kind).or(last);
            let opener = ctx.memory(Memory::focused);
            let included_names = session.settings().included_names();
            let number = Some(exporting.number);
            *self = Self { number, kind, included_names, opener, ..Self::default() };
        }
        if let Some(first) = exporting.first() {
            // Deselect the format of a comparison if the runs to export have no comparison.
            let is_of_several = self.kind.is_some_and(ExportKind::is_comparison);
            let is_there = !is_of_several || exporting.is_comparison();
            self.kind = self.kind.filter(|_| is_there);
            self.row = self.row.filter(|row| *row < first.report.rows.len());
        }
        let request = self.request(ctx, exporting);
        if exporting.first().is_some() && !exporting.is_requested(&request) {
            actions.push(Action::PreviewExport(request));
        }
        let modal = dialog::modal(ctx, Id::unique("export"))
            .frame(dialog::frame(ctx).inner_margin(Margin::ZERO))
            .show(ctx, |ui| self.ui(ui, session, exporting, &request, actions));
        if modal.inner || modal.should_close() {
            actions.push(Action::CloseExport);
        }
    }

    fn request(&self, ctx: &Context, exporting: &ActiveExport) -> ExportRequest {
        let default = if exporting.is_comparison() {
            ExportKind::Comparison
        } else {
            ExportKind::File(Format::Html)
        };
        let kind = self.kind.unwrap_or(default);
        let (is_of_one_row, parts) = match kind {
            ExportKind::File(format) => (format.is_of_one_row(), self.parts.of(format)),
            ExportKind::Image | ExportKind::Comparison | ExportKind::ComparisonPage => {
                (false, Parts::ALL)
            }
        };
        ExportRequest {
            kind,
            row: self.row.filter(|_| is_of_one_row || !parts.all_rows),
            parts,
            included_names: self.included_names,
            is_dark: ctx.theme() == Theme::Dark,
        }
    }

    /// Draws the dialog; returns whether to close it.
    fn ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        exporting: &ActiveExport,
        request: &ExportRequest,
        actions: &mut Vec<Action>,
    ) -> bool {
        let room = ui.ctx().content_rect().size() - vec2(40.0, 40.0);
        let [width, height] = SIZE;
        let whole = vec2(width.min(room.x), height.min(room.y));
        ui.set_width(whole.x);
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        let mut is_closed = false;
        bar(ui, whole.x, |ui| is_closed = title_ui(ui, exporting));
        ui.separator();
        let inner = vec2(whole.x, (whole.y - 2.0 * BAR - 14.0).max(120.0));
        ui.allocate_ui_with_layout(inner, Layout::left_to_right(Align::Min), |ui| {
            let choices = CHOICES.min(inner.x * 0.4);
            let down = Layout::top_down(Align::Min);
            ui.allocate_ui_with_layout(vec2(choices, inner.y), down, |ui| {
                ScrollArea::vertical()
                    .id_salt("export-choices")
                    .auto_shrink([false, false])
                    .max_height(inner.y)
                    .show_focus(ui, |ui| {
                        Frame::new().inner_margin(Margin::symmetric(14, 10)).show(ui, |ui| {
                            ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 1.0);
                            self.choices_ui(ui, exporting, request);
                        });
                    });
            });
            ui.separator();
            let left = vec2(ui.available_width(), inner.y);
            ui.allocate_ui_with_layout(left, Layout::top_down(Align::Min), |ui| {
                Frame::new().inner_margin(Margin::symmetric(16, 10)).show(ui, |ui| {
                    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, size::GAP_SMALL);
                    look::preview_ui(ui, exporting, request, &mut self.view, actions);
                });
            });
        });
        ui.separator();
        bar(ui, whole.x, |ui| {
            let last = ExportKind::of_key(&session.settings().last_export);
            is_closed |= self.buttons_ui(ui, exporting, request, last, actions);
        });
        is_closed
    }

    fn choices_ui(&mut self, ui: &mut Ui, exporting: &ActiveExport, request: &ExportRequest) {
        group_caption(ui, "Format");
        let comparison = [ExportKind::Comparison, ExportKind::ComparisonPage];
        let comparison = comparison.into_iter().filter(|_| exporting.is_comparison());
        for kind in comparison.chain(KINDS) {
            let [label, about, _] = kind.words();
            let is_selected = kind == request.kind;
            if choice_row(ui, "Format", icon_of(kind), (label, about), is_selected).clicked() {
                self.kind = Some(kind);
            }
        }
        ui.add_space(size::GAP_SMALL);
        ui.separator();
        ui.add_space(size::GAP_SMALL);
        self.what_ui(ui, exporting, request);
        group_caption(ui, "Privacy");
        let IncludedNames { host, user, programs } = &mut self.included_names;
        for (name, is_in) in [
            ("Include host name", host),
            ("Include user name", user),
            ("Include other programs", programs),
        ] {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                toggle(ui, is_in, name);
                let color = Tokens::of(ui).t1;
                Spans::plain(Type::Body, name, color).label(ui);
            });
        }
        let color = Tokens::of(ui).t2;
        let skipped = words::skipped(request.included_names);
        Spans::plain(Type::Small, &skipped, color).paragraph(ui);
    }

    /// Draws the options for which parts of the run to include, if the format has any.
    fn what_ui(&mut self, ui: &mut Ui, exporting: &ActiveExport, request: &ExportRequest) {
        let Some(first) = exporting.first() else { return };
        let rows = &first.report.rows;
        let ExportKind::File(format) = request.kind else { return };
        if exporting.check().is_some() && request.kind.is_of_check() {
            if matches!(format, Format::Html | Format::Json) {
                group_caption(ui, "Content");
                self.samples_ui(ui);
                ui.add_space(size::GAP_FIELD);
            }
            return;
        }
        if matches!(format, Format::Html | Format::Markdown | Format::Json) {
            group_caption(ui, "Content");
            self.parts_ui(ui, format, &first.report);
        } else if format.is_of_one_row() && 1 < rows.len() {
            field_block(ui, "Configuration", None, |ui| self.row_ui(ui, &first.report));
        } else {
            return;
        }
        if format == Format::Html && !request.parts.is_whole() {
            let color = Tokens::of(ui).t2;
            Spans::plain(Type::Small, words::NOT_WHOLE, color).paragraph(ui);
        }
        ui.add_space(size::GAP_SMALL);
        ui.separator();
        ui.add_space(size::GAP_SMALL);
    }

    /// Draws the check boxes of optional parts, and the configuration to export.
    fn parts_ui(&mut self, ui: &mut Ui, format: Format, report: &Report) {
        let rows = report.rows.len();
        if format != Format::Json {
            if 1 < rows {
                checkbox(ui, &mut self.parts.all_rows, &words::all_rows(rows));
                if !self.parts.all_rows {
                    self.row_ui(ui, report);
                }
            }
            checkbox(ui, &mut self.parts.machine, "Machine and conditions");
            checkbox(ui, &mut self.parts.repeat, "Settings to repeat this run");
        }
        checkbox(ui, &mut self.parts.notes, "Notes and tags");
        if matches!(format, Format::Html | Format::Json) {
            self.samples_ui(ui);
        }
    }

    /// Draws the list from which the user selects the samples in the file.
    fn samples_ui(&mut self, ui: &mut Ui) {
        let kept = &mut self.parts.samples;
        let width = ui.available_width();
        combo_ui(ui, "Samples in the file", kept.label(), width, |ui| {
            for choice in KeptSamples::ALL {
                let text = Type::Body.text(choice.label());
                if ui.selectable_label(choice == *kept, text).clicked() {
                    *kept = choice;
                }
            }
        });
        if *kept != KeptSamples::All {
            let color = Tokens::of(ui).t2;
            Spans::plain(Type::Small, kept.statement(), color).paragraph(ui);
        }
    }

    /// Draws the list from which the user selects the configuration to export. A selected
    /// configuration applies to all exported runs; without a selection, each run exports its
    /// recommended one.
    fn row_ui(&mut self, ui: &mut Ui, report: &Report) {
        let shown = self.row.or_else(|| default_row(report)).unwrap_or(0);
        let current = report.rows.get(shown).map_or("", |row| row.label.as_str());
        let width = ui.available_width();
        combo_ui(ui, "Configuration to export", current, width, |ui| {
            let rows = report.rows.iter().enumerate().map(|(row, of)| (row, of.label.as_str()));
            self.row = choice_rows_ui(ui, &shown, rows).or(self.row);
        });
    }

    /// Draws the buttons; returns whether to close the dialog.
    fn buttons_ui(
        &mut self,
        ui: &mut Ui,
        exporting: &ActiveExport,
        request: &ExportRequest,
        last: Option<ExportKind>,
        actions: &mut Vec<Action>,
    ) -> bool {
        let tokens = Tokens::of(ui);
        let note = if exporting.is_asking {
            "Waiting for a file name".to_owned()
        } else if exporting.is_writing {
            "Writing…".to_owned()
        } else if exporting.check().is_some() && request.kind.is_of_check() {
            "One file of the whole check".to_owned()
        } else if 1 < exporting.count() && !request.kind.is_comparison() {
            format!("{} files in a folder of your choice", exporting.count())
        } else {
            last.map_or(String::new(), |kind| format!("Last used: {}", kind.label()))
        };
        Spans::plain(Type::Small, &note, tokens.t2).whole_label(ui);
        right_aligned(ui, "export-buttons", |ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let is_closed = ui.add(Button::new("Cancel").shortcut("Esc")).clicked();
            let can = exporting.first().is_some() && !exporting.is_writing;
            let goes_to_clipboard = request.kind.goes_to_clipboard()
                && (exporting.count() == 1
                    || request.kind == ExportKind::Comparison
                    || exporting.check().is_some());
            // A click on a format, a switch, or the preview removes the focus from the primary
            // button. Enter still activates the button.
            let is_entered = ui.memory(Memory::focused).is_none()
                && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
            let primary = if goes_to_clipboard {
                let save = Button::new("Save…").icon(icons::FLOPPY_DISK);
                if ui.add_enabled(can, save).clicked() {
                    actions.push(Action::SaveExport(*request));
                }
                let copy = Button::primary("Copy to clipboard").icon(icons::COPY).shortcut("Enter");
                let copy = ui.add_enabled(can, copy);
                if copy.clicked() || (can && is_entered) {
                    actions.push(Action::CopyExport(*request));
                }
                copy
            } else {
                let save = Button::primary("Save…").icon(icons::FLOPPY_DISK).shortcut("Enter");
                let save = ui.add_enabled(can, save);
                if save.clicked() || (can && is_entered) {
                    actions.push(Action::SaveExport(*request));
                }
                save
            };
            // If the user moved the focus while the run was loading, leave the focus where it is.
            let stayed = ui.memory(Memory::focused).is_none_or(|it| Some(it) == self.opener);
            if can && !std::mem::replace(&mut self.was_focused, true) && stayed {
                primary.request_focus();
            }
            is_closed
        })
        .inner
    }
}

/// The formats in the order of the list: reports, then data.
const KINDS: [ExportKind; 11] = [
    ExportKind::File(Format::Html),
    ExportKind::File(Format::Markdown),
    ExportKind::File(Format::Json),
    ExportKind::File(Format::CsvSummary),
    ExportKind::File(Format::CsvSamples),
    ExportKind::Image,
    ExportKind::File(Format::MangoHud),
    ExportKind::File(Format::PresentMon),
    ExportKind::File(Format::Hgrm),
    ExportKind::File(Format::Cyclictest),
    ExportKind::File(Format::ChromeTrace),
];

const fn icon_of(kind: ExportKind) -> &'static str {
    match kind {
        ExportKind::Image => icons::IMAGE,
        ExportKind::Comparison | ExportKind::ComparisonPage => icons::COLUMNS,
        ExportKind::File(format) => match format {
            Format::Html => icons::FILE_HTML,
            Format::Markdown => icons::MARKDOWN_LOGO,
            Format::Json | Format::Cyclictest => icons::BRACKETS_CURLY,
            Format::CsvSummary | Format::CsvSamples => icons::FILE_CSV,
            Format::MangoHud | Format::PresentMon => icons::CHART_LINE,
            Format::Hgrm => icons::CHART_BAR,
            Format::ChromeTrace => icons::ROWS,
            Format::Svg => icons::IMAGE,
        },
    }
}

/// Draws a full-width row of the dialog, its contents vertically centered.
fn bar(ui: &mut Ui, width: f32, contents: impl FnOnce(&mut Ui)) {
    let row = Layout::left_to_right(Align::Center);
    ui.allocate_ui_with_layout(vec2(width, BAR), row, |ui| {
        ui.set_min_height(BAR);
        ui.add_space(16.0);
        ui.spacing_mut().item_spacing.x = size::GAP_CARD;
        // Leave the same padding at the right.
        let room = ui.available_width() - 16.0;
        ui.allocate_ui_with_layout(vec2(room, BAR), row, |ui| {
            ui.set_width(room);
            contents(ui);
        });
    });
}

/// Draws the title; returns whether to close the dialog.
fn title_ui(ui: &mut Ui, exporting: &ActiveExport) -> bool {
    let tokens = Tokens::of(ui);
    let title = ui.label(Type::Title.text("Export").color(tokens.t1));
    ui.ctx().accesskit_node_builder(title.id, |node| {
        node.set_role(Role::Heading);
        node.set_label("Export");
    });
    let what = match (exporting.first(), exporting.count()) {
        (None, _) => "Opening the run".to_owned(),
        (Some(first), _) if exporting.check().is_some() => {
            let name = &first.run.name;
            if name.is_empty() { "Quick check".to_owned() } else { name.clone() }
        }
        (Some(_), count) if 1 < count => match exporting.compared_checks() {
            Some(checks) => format!("{checks} quick checks"),
            None => format!("{count} runs"),
        },
        (Some(first), _) => {
            let name = text::full_run_name(&first.run);
            match first.report.rows.len() {
                // A capture has no number of configurations.
                0 => name,
                1 => format!("{name} · 1 configuration"),
                rows => format!("{name} · {rows} configurations"),
            }
        }
    };
    let room = ui.available_width() - 2.0 * size::TARGET;
    let what = Spans::plain(Type::Small, &what, tokens.t2).within(ui, room);
    ui.label(what);
    right_aligned(ui, "export-close", |ui| quiet_icon_button(ui, icons::X, "Close").clicked()).inner
}

/// Draws the buttons at the right of a result: copy for a ticket, and export.
pub(super) fn export_buttons(ui: &mut Ui, subject: &Subject, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
    let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
    let words = |long: &'static str| if is_wide { long } else { "" };
    let key = key_text(ui.ctx(), Command::Ticket);
    let copy = Button::new(words("Copy report")).icon(icons::COPY).name("Copy report");
    if ui.add(copy).on_hover_text(format!("Copy as Markdown, {key}")).clicked() {
        actions.push(Action::Copy(subject.clone(), CopiedText::Ticket));
    }
    let key = key_text(ui.ctx(), Command::Export);
    let export = Button::new(words("Export…")).icon(icons::EXPORT).name("Export…");
    if ui.add(export).on_hover_text(format!("Export, {key}")).clicked() {
        actions.push(Action::Export { subject: subject.clone(), kind: None });
    }
}
