//! The page of the first start: three ways to begin, examples, and what the app never does.

use eframe::egui::{Frame, Margin, ScrollArea, Ui};

use super::doors::{CHECK, OPEN, RECORD};
use super::examples::examples_ui;
use crate::session::{Action, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, icon, icons, size};
use crate::widgets::{Button, Command, FollowFocus as _, Spans, key_text};

/// State of the welcome page.
#[derive(Debug, Default)]
pub struct WelcomePage {
    /// Whether the start button has been focused since the page was opened.
    was_focused: bool,
}

/// Maximum width of the contents of the page, in points.
const WIDEST: f32 = 1_052.0;
/// Width of the contents in points below which the ways to begin are below each other.
const MIN_BESIDE: f32 = 640.0;

impl WelcomePage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
            let side = ((ui.available_width() - WIDEST) / 2.0).max(f32::from(size::PAGE_PADDING_X));
            Frame::new().inner_margin(Margin::same(size::PAGE_PADDING_Y)).show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.add_space(side - f32::from(size::PAGE_PADDING_Y));
                    ui.vertical(|ui| {
                        ui.set_width(WIDEST.min(ui.available_width()));
                        self.column_ui(ui, session, actions);
                    });
                });
            });
        });
    }

    fn column_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        ui.spacing_mut().item_spacing.y = size::GAP_CARD;
        ui.add_space(size::GAP_SECTION);
        Spans::plain(Type::Verdict, "Find the cause of stutter", tokens.t1).paragraph(ui);
        let about =
            "Three ways to begin. Each answers with one sentence first, and the evidence below it.";
        Spans::plain(Type::Body, about, tokens.t2).paragraph(ui);
        if ui.available_width() < MIN_BESIDE {
            self.check_ui(ui, session, actions);
            record_ui(ui, actions);
            open_ui(ui, actions);
        } else {
            ui.spacing_mut().item_spacing.x = size::GAP_CARD;
            ui.columns(3, |columns| {
                let [check, record, open] = columns else { return };
                self.check_ui(check, session, actions);
                record_ui(record, actions);
                open_ui(open, actions);
            });
        }
        examples_ui(ui, actions);
        promises_ui(ui, session, actions);
    }

    fn check_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let key = key_text(ui.ctx(), Command::Run);
        let start = Button::primary("Run check").icon(icons::PLAY_FILL).shortcut(&key).hero();
        let can_run = session.can_start(PageId::Welcome);
        let start = CHECK.ui(ui, start, can_run);
        if can_run && !self.was_focused {
            self.was_focused = true;
            start.request_focus();
        }
        if start.clicked() {
            actions.push(Action::GoTo(PageId::Quick));
            actions.push(Action::RunQuick);
        }
    }
}

fn record_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    if RECORD.ui(ui, Button::new("Set up recording").hero(), true).clicked() {
        actions.push(Action::GoTo(PageId::Record));
    }
}

fn open_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let key = key_text(ui.ctx(), Command::OpenFile);
    let open = Button::new("Open file…").icon(icons::FOLDER_OPEN).shortcut(&key).hero();
    if OPEN.ui(ui, open, true).clicked() {
        actions.push(Action::AskForFile);
    }
}

/// Draws what the app never does, and the button for its keyboard shortcuts.
fn promises_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    let folder = session.library.store.as_ref().map(|store| store.folder().display().to_string());
    let folder = folder.map(|folder| format!("Runs are saved in {folder}")).unwrap_or_default();
    let promises = [
        (
            icons::SHIELD_CHECK,
            "Changes no system settings",
            "Only the priority and pinning of the threads that measure.",
        ),
        (icons::LOCK_SIMPLE, "No data leaves this PC", text::hosts::NETWORK),
        (icons::FLOPPY_DISK, "Every run is saved automatically", folder.as_str()),
    ];
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        for (glyph, promise, more) in promises {
            ui.label(icon(glyph, size::ICON).color(tokens.t3));
            let label = Spans::plain(Type::Small, promise, tokens.t2).whole_label(ui);
            if !more.is_empty() {
                label.on_hover_text(more);
            }
            ui.add_space(size::GAP_GROUP);
        }
        let key = key_text(ui.ctx(), Command::Keys);
        if ui.add(Button::quiet("Keyboard shortcuts").shortcut(&key)).clicked() {
            actions.push(Action::ShowKeys);
        }
    });
}
