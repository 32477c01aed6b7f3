//! The page of the first start: what the app does, what it never does, and where to begin.

use eframe::egui::{Frame, Margin, ScrollArea, Ui};

use super::examples::examples_ui;
use crate::session::{Action, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::card::plain_card;
use crate::widgets::{Button, Command, FollowFocus as _, Severity, Spans, key_text};

/// State of the welcome page.
#[derive(Debug, Default)]
pub struct WelcomePage {
    /// Whether the start button has been focused since the page was opened.
    was_focused: bool,
}

/// Maximum width of the contents of the page, in points.
const WIDEST: f32 = 720.0;

/// The app's promises: icon, title, and text of each.
const PROMISES: [(&str, &str, &str); 4] = [
    (
        icons::GAUGE,
        "Measures timing accuracy on this PC",
        "Runs a loop that waits for each frame, like a game, and records how late each frame starts and why.",
    ),
    (
        icons::SHIELD_CHECK,
        "Changes no system settings and needs no special permissions",
        "Jitterscope sets the priority and pinning of its measuring threads only, and shows every \
         request that the system denies.",
    ),
    (icons::LOCK_SIMPLE, "No data leaves this PC", text::hosts::NETWORK),
    (
        icons::FLOPPY_DISK,
        "Every test is saved automatically",
        "Runs are saved even if you stop a test or it is interrupted. You can open and compare them.",
    ),
];

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
        let title = "Is this PC causing stutter?";
        Spans::plain(Type::Verdict, title, tokens.t1).paragraph(ui);
        plain_card(ui, |ui| {
            for (icon, name, text) in PROMISES {
                ui.horizontal_top(|ui| {
                    ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
                    ui.label(crate::theme::icon(icon, size::NAV_ICON).color(tokens.acc));
                    ui.vertical(|ui| {
                        ui.spacing_mut().item_spacing.y = 0.0;
                        let width = ui.available_width();
                        Spans::plain(Type::Strong, name, tokens.t1).paragraph_within(ui, width);
                        Spans::plain(Type::Body, text, tokens.t2).paragraph_within(ui, width);
                    });
                });
                ui.add_space(size::GAP_LABEL);
            }
            if let Some(store) = session.library().store() {
                let folder = format!("Runs are saved in {}", store.folder().display());
                Spans::plain(Type::Small, &folder, tokens.t2)
                    .paragraph_within(ui, ui.available_width());
            }
        });
        capability_ui(ui, session);
        ui.horizontal_wrapped(|ui| {
            let start = Button::primary("Run check").icon(icons::PLAY_FILL).hero();
            let can_run = session.can_start(PageId::Welcome);
            let start = ui.add_enabled(can_run, start);
            if can_run && !self.was_focused {
                self.was_focused = true;
                start.request_focus();
            }
            if start.clicked() {
                actions.push(Action::GoTo(PageId::Quick));
                actions.push(Action::RunQuick);
            }
            if ui.add(Button::new("Explore the tests").hero()).clicked() {
                actions.extend(
                    session
                        .running()
                        .tests()
                        .first()
                        .map(|test| Action::GoTo(PageId::Test(test.key()))),
                );
            }
            if ui.add(Button::new("Capabilities of this PC").hero()).clicked() {
                actions.push(Action::GoTo(PageId::Machine));
            }
            let key = key_text(ui.ctx(), Command::Keys);
            if ui.add(Button::new("Keyboard shortcuts").shortcut(&key).hero()).clicked() {
                actions.push(Action::ShowKeys);
            }
        });
        examples_ui(ui, actions);
    }
}

/// Shows in one line whether real-time scheduling is granted.
fn capability_ui(ui: &mut Ui, session: &Session) {
    let tokens = Tokens::of(ui);
    let Some(facts) = session.machine().facts() else { return };
    let (severity, words) = if facts.realtime.is_granted {
        (Severity::Good, "Real-time priority is granted: every test can run completely.")
    } else {
        (
            Severity::Denied,
            "Real-time priority is denied. All tests run; configurations that request it are \
             marked. The Machine page shows how to allow it.",
        )
    };
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        severity.icon_ui(ui, size::ICON);
        Spans::plain(Type::Body, words, tokens.t1).paragraph(ui);
    });
}
