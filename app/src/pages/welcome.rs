//! The first page of the first start: what this app does, what it leaves alone, and where to begin.

use eframe::egui::{Frame, Margin, ScrollArea, Ui};

use crate::session::{Action, PageId, Session};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::card::plain_card;
use crate::widgets::{Button, Command, Severity, Spans, key_text};

/// How the first page looks.
#[derive(Debug, Default)]
pub struct WelcomePage {}

/// The widest the page gets.
const WIDEST: f32 = 720.0;

/// What the app promises, each with its icon.
const PROMISES: [(&str, &str, &str); 4] = [
    (
        icons::GAUGE,
        "It measures how steadily this PC keeps time",
        "A loop waits for the next frame, as a game does, and every single delay is noted: how late, \
         and why.",
    ),
    (
        icons::SHIELD_CHECK,
        "It changes no system setting and needs no special rights",
        "Priority and pinning are asked for its own threads only. What the system refuses is shown, \
         never hidden.",
    ),
    (
        icons::LOCK_SIMPLE,
        "Nothing leaves this PC",
        "There is no network access. Host name and user name are not even read.",
    ),
    (
        icons::FLOPPY_DISK,
        "Every test is saved by itself",
        "Even one that is stopped or cut off. Runs can be opened again and held against each other.",
    ),
];

impl WelcomePage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let side = ((ui.available_width() - WIDEST) / 2.0).max(f32::from(size::PAGE_PADDING_X));
            Frame::new().inner_margin(Margin::same(size::PAGE_PADDING_Y)).show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.add_space(side - f32::from(size::PAGE_PADDING_Y));
                    ui.vertical(|ui| {
                        ui.set_width(WIDEST.min(ui.available_width()));
                        column_ui(ui, session, actions);
                    });
                });
            });
        });
    }
}

fn column_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let tokens = Tokens::of(ui);
    ui.spacing_mut().item_spacing.y = size::GAP_CARD;
    ui.add_space(size::GAP_SECTION);
    let width = ui.available_width();
    let title = "Could this PC be the cause of stutter?";
    ui.label(Spans::new(Type::Verdict).text(Type::Verdict, title, tokens.t1).wrapped(ui, width));
    plain_card(ui, |ui| {
        for (icon, name, text) in PROMISES {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
                ui.label(crate::theme::icon(icon, size::NAV_ICON).color(tokens.acc));
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    let width = ui.available_width();
                    let name = Spans::new(Type::Strong).text(Type::Strong, name, tokens.t1);
                    ui.label(name.wrapped(ui, width));
                    let text = Spans::new(Type::Body).text(Type::Body, text, tokens.t2);
                    ui.label(text.wrapped(ui, width));
                });
            });
            ui.add_space(size::GAP_LABEL);
        }
        if let Some(store) = session.store() {
            let folder = format!("Runs are kept in {}", store.folder().display());
            let line = Spans::new(Type::Small).text(Type::Small, &folder, tokens.t2);
            ui.label(line.wrapped(ui, ui.available_width()));
        }
    });
    capability_ui(ui, session);
    ui.horizontal_wrapped(|ui| {
        let can_run = session.facts().is_some() && !session.is_busy();
        let start = Button::primary("Start quick check").icon(icons::PLAY_FILL).hero();
        if ui.add_enabled(can_run, start).clicked() {
            actions.push(Action::GoTo(PageId::Quick));
            actions.push(Action::RunQuick);
        }
        if ui.add(Button::new("See what it measures").hero()).clicked() {
            actions.push(Action::GoTo(PageId::Quick));
        }
        if ui.add(Button::new("What this PC allows").hero()).clicked() {
            actions.push(Action::GoTo(PageId::Machine));
        }
        let key = key_text(ui.ctx(), Command::Keys);
        if ui.add(Button::new("All keys").shortcut(&key).hero()).clicked() {
            actions.push(Action::ShowKeys);
        }
    });
}

/// What is granted of real-time scheduling, in a line.
fn capability_ui(ui: &mut Ui, session: &Session) {
    let tokens = Tokens::of(ui);
    let Some(facts) = session.facts() else { return };
    let (severity, words) = if facts.realtime.is_granted {
        (Severity::Good, "Real-time priority is granted here: everything can be measured.")
    } else {
        (
            Severity::Denied,
            "Real-time priority is refused here. All tests run; rows that ask for it are marked. The \
             Machine page says how to allow it.",
        )
    };
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        severity.icon_ui(ui, size::ICON);
        let width = ui.available_width();
        let line = Spans::new(Type::Body).text(Type::Body, words, tokens.t1);
        ui.label(line.wrapped(ui, width));
    });
}
