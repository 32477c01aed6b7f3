//! The settings: each saved the moment it is changed.

mod licences;
mod row;

use eframe::egui::{Frame, Margin, ScrollArea, Ui};

use self::row::{SettingsCard, key_row, row};
use crate::session::{Action, Look, PlotRate, Session, Settings};
use crate::text::Unit;
use crate::theme::{Tokens, Type, size};
use crate::widgets::keys::{Command, key_text};
use crate::widgets::{
    Answer, Button, Dialog, Spans, combo, link, right_aligned, segmented, toggle,
};

/// How the page of settings looks.
#[derive(Debug, Default)]
pub struct SettingsPage {
    /// Whether it is asked if all settings are to be reset.
    asks_reset: bool,
    /// Whether the licences are shown.
    shows_licences: bool,
}

/// The keys that are listed here; the sheet has all of them.
const LISTED: [(&str, &[Command]); 9] = [
    ("Run or stop", &[Command::Run, Command::Stop]),
    ("Stop without asking", &[Command::StopAtOnce]),
    ("Runs, compare", &[Command::Runs, Command::Compare]),
    ("Open a file", &[Command::OpenFile]),
    ("Next or previous late frame", &[Command::NextLate, Command::PreviousLate]),
    ("Follow live", &[Command::FollowLive]),
    ("Reset zoom", &[Command::ResetZoom]),
    ("Larger or smaller", &[Command::Larger, Command::Smaller]),
    ("Dark or light", &[Command::Theme]),
];

/// The widest the two columns get.
const WIDEST: f32 = 1180.0;

impl SettingsPage {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let mut settings = session.settings().clone();
        let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
        let margin = Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y);
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            Frame::new().inner_margin(margin).show(ui, |ui| {
                ui.spacing_mut().item_spacing =
                    eframe::egui::vec2(size::GAP_FIELD, size::GAP_FIELD);
                ui.set_max_width(WIDEST.min(ui.available_width()));
                if is_wide {
                    ui.columns(2, |columns| {
                        if let [left, right] = columns {
                            left_ui(left, session, &mut settings, actions);
                            self.right_ui(right, session, &mut settings, actions);
                        }
                    });
                } else {
                    left_ui(ui, session, &mut settings, actions);
                    self.right_ui(ui, session, &mut settings, actions);
                }
            });
        });
        if &settings != session.settings() {
            actions.push(Action::Set(Box::new(settings)));
        }
        self.question_ui(ui, session, actions);
        self.shows_licences = self.shows_licences && licences::show(ui.ctx());
    }

    fn right_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        settings: &mut Settings,
        actions: &mut Vec<Action>,
    ) {
        SettingsCard::new("While a test runs").show(ui, |ui| {
            row(ui, "Redraw plots", "Fewer redraws disturb the measurement less", |ui| {
                let rates = [
                    (PlotRate::Seldom, "2 Hz"),
                    (PlotRate::Usual, "10 Hz"),
                    (PlotRate::Often, "30 Hz"),
                ];
                segmented(ui, "Redraw plots", &mut settings.plot_rate, &rates);
            });
            row(ui, "Ask before a test is stopped", "Once it has run for a minute", |ui| {
                toggle(ui, &mut settings.asks_before_stop, "Ask before a test is stopped");
            });
            let note = "Without asking, the test is stopped and what it measured is saved";
            row(ui, "Ask before the window is closed", note, |ui| {
                toggle(ui, &mut settings.asks_before_close, "Ask before the window is closed");
            });
        });
        SettingsCard::new("Privacy").show(ui, |ui| {
            let none = |ui: &mut Ui, words: &str| {
                let color = Tokens::of(ui).t2;
                Spans::new(Type::Body).text(Type::Body, words, color).whole_label(ui);
            };
            row(
                ui,
                "Host and user name",
                "Not read, so they stand in no run and no report",
                |ui| {
                    none(ui, "never");
                },
            );
            row(ui, "Network", "Jitterscope never connects to the network", |ui| none(ui, "none"));
            row(ui, "Folders", "Messages on screen name them; saved runs do not", |ui| {
                none(ui, "not saved");
            });
        });
        SettingsCard::new("Keyboard").show(ui, |ui| {
            for (words, commands) in LISTED {
                let texts: Vec<String> =
                    commands.iter().map(|command| key_text(ui.ctx(), *command)).collect();
                key_row(ui, words, &texts);
            }
            let key = key_text(ui.ctx(), Command::Keys);
            row(ui, "All keys", "Every action has one", |ui| {
                if ui.add(Button::new("Show").shortcut(&key).name("Show all keys")).clicked() {
                    actions.push(Action::ShowKeys);
                }
            });
        });
        ui.horizontal(|ui| {
            let is_usual = session.settings().reset() == *session.settings();
            if ui.add_enabled(!is_usual, Button::new("Reset all settings")).clicked() {
                self.asks_reset = true;
            }
            right_aligned(ui, "version", |ui| {
                let color = Tokens::of(ui).t2;
                let words = concat!("Jitterscope ", env!("CARGO_PKG_VERSION"));
                Spans::new(Type::Small).text(Type::Small, words, color).whole_label(ui);
                if link(ui, "Licences").clicked() {
                    self.shows_licences = true;
                }
            });
        });
    }

    fn question_ui(&mut self, ui: &Ui, session: &Session, actions: &mut Vec<Action>) {
        if !self.asks_reset {
            return;
        }
        let dialog = Dialog {
            title: "Reset all settings?",
            text: "Theme, size, units, folder and questions become as they were at the first start. \
                   Runs are not touched.",
            primary: "Reset",
            cancel: "Keep them",
            is_stop: true,
        };
        match dialog.show(ui.ctx()) {
            Some(Answer::Primary) => {
                actions.push(Action::Set(Box::new(session.settings().reset())));
                self.asks_reset = false;
            }
            Some(Answer::Cancel) => self.asks_reset = false,
            None => {}
        }
    }
}

fn left_ui(ui: &mut Ui, session: &Session, settings: &mut Settings, actions: &mut Vec<Action>) {
    SettingsCard::new("Appearance").show(ui, |ui| {
        row(ui, "Theme", "", |ui| {
            let looks = [(Look::System, "System"), (Look::Dark, "Dark"), (Look::Light, "Light")];
            segmented(ui, "Theme", &mut settings.look, &looks);
        });
        let also = format!(
            "Also {}, {} and {}",
            key_text(ui.ctx(), Command::Larger),
            key_text(ui.ctx(), Command::Smaller),
            key_text(ui.ctx(), Command::UsualSize)
        );
        row(ui, "Size", &also, |ui| {
            let sizes = [(80, "80%"), (100, "100%"), (125, "125%"), (150, "150%"), (200, "200%")];
            segmented(ui, "Size", &mut settings.scale_percent, &sizes);
        });
        row(ui, "Less motion", "No animation at any time", |ui| {
            toggle(ui, &mut settings.less_motion, "Less motion");
        });
    });
    SettingsCard::new("Numbers").show(ui, |ui| {
        row(ui, "Units", "The unit in which tables begin; Auto picks one for each table", |ui| {
            let units = Unit::ALL.map(|unit| (unit, unit.symbol()));
            combo(ui, "Units", &mut settings.units, &units, 72.0);
        });
    });
    SettingsCard::new("Runs").show(ui, |ui| {
        row(ui, "Every finished test is saved", "Stopped tests too, marked as stopped", |ui| {
            let color = Tokens::of(ui).t2;
            Spans::new(Type::Body).text(Type::Body, "always", color).whole_label(ui);
        });
        let folder =
            session.store().map_or("none".to_owned(), |store| store.folder().display().to_string());
        row(ui, "Folder", &folder, |ui| {
            let is_free = !session.is_busy();
            if settings.data_folder.is_some()
                && ui.add_enabled(is_free, Button::new("Use the usual one")).clicked()
            {
                settings.data_folder = None;
            }
            let change = Button::new("Change…").name("Change the folder of runs");
            if ui.add_enabled(is_free, change).clicked() {
                actions.push(Action::AskForFolder);
            }
        });
    });
}
