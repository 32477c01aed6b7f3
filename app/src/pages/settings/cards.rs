//! The cards of the settings, drawn by one function per card; each has one row per setting.

use eframe::egui::Ui;
use jitterscope_engine::export::{Identity, IncludedNames};
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::platform;
use jitterscope_engine::runner::Agent;
use jitterscope_engine::stats::LowDefinition;

use super::mark_shortcut;
use super::row::{UNTIL, key_row, row, settings_card, toggle_row};
use crate::log_file;
use crate::pages::machine_markdown;
use crate::session::{
    Action, LATE_PERCENT, PlotRate, SeriesColors, Session, Settings, ThemeChoice,
};
use crate::text::{self, Unit, low};
use crate::theme::{Tokens, Type};
use crate::widgets::keys::{Command, key_text};
use crate::widgets::{Button, Spans, combo, segmented, text_field, value_field};

/// The shortcuts listed on this page; the shortcut sheet lists all of them.
const LISTED: [(&str, &[Command]); 9] = [
    ("Run or stop", &[Command::Run, Command::Stop]),
    ("Export, copy report", &[Command::Export, Command::Ticket]),
    ("Import", &[Command::OpenFile]),
    ("Compare selected runs", &[Command::CompareRuns]),
    ("Search runs", &[Command::FindRun]),
    ("Next or previous late frame", &[Command::NextLate, Command::PreviousLate]),
    ("Follow live", &[Command::FollowLive]),
    ("Reset zoom", &[Command::ResetZoom]),
    ("Larger or smaller", &[Command::Larger, Command::Smaller]),
];

/// Draws a row with a fixed text instead of a control.
fn fixed_row(ui: &mut Ui, name: &str, note: &str, words: &str) {
    row(ui, name, note, |ui| {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Body, words, color).whole_label(ui);
    });
}

/// Draws the settings of theme, size, colors, and motion.
pub(super) fn appearance_ui(ui: &mut Ui, settings: &mut Settings) {
    settings_card(ui, "Appearance", |ui| {
        row(ui, "Theme", "", |ui| {
            let looks = [
                (ThemeChoice::System, "System"),
                (ThemeChoice::Dark, "Dark"),
                (ThemeChoice::Light, "Light"),
            ];
            segmented(ui, "Theme", &mut settings.look, &looks);
        });
        let also = format!(
            "Also {}, {} and {}",
            key_text(ui.ctx(), Command::Larger),
            key_text(ui.ctx(), Command::Smaller),
            key_text(ui.ctx(), Command::DefaultSize)
        );
        row(ui, "Size", &also, |ui| {
            let sizes = [(80, "80%"), (100, "100%"), (125, "125%"), (150, "150%"), (200, "200%")];
            segmented(ui, "Size", &mut settings.scale_percent, &sizes);
        });
        let note = "Both palettes are distinguishable with color blindness";
        row(ui, "Series colors", note, |ui| {
            let colors = [
                (SeriesColors::Standard, "Standard"),
                (SeriesColors::HighContrast, "High contrast"),
            ];
            segmented(ui, "Series colors", &mut settings.series_colors, &colors);
        });
        toggle_row(ui, "Reduce motion", "No animations", &mut settings.less_motion);
    });
}

/// Draws the settings of units, 1% low, and late threshold. `can_count` states whether the reports
/// can be recomputed without disturbing a measurement.
pub(super) fn numbers_ui(ui: &mut Ui, settings: &mut Settings, can_count: bool) {
    settings_card(ui, "Numbers", |ui| {
        row(
            ui,
            "Units",
            "The unit that tables start with; Auto selects one for each table",
            |ui| {
                let units = Unit::ALL.map(|unit| (unit, unit.symbol()));
                combo(ui, "Units", &mut settings.units, &units, 72.0);
            },
        );
        let note = format!(
            "There are {} definitions in use. The selected one is named wherever it is shown. \
             Exports contain {}.",
            LowDefinition::ALL.len(),
            low::within(LowDefinition::default())
        );
        row(ui, "1% low", &note, |ui| {
            let definitions = LowDefinition::ALL.map(|low| (low, low::name(low)));
            combo(ui, "1% low", &mut settings.low, &definitions, 220.0);
        });
        let note = "Share of the frame time; used for counting late frames. Grades do not depend \
                    on it. Tests with their own late threshold, and exports, are not affected.";
        row(ui, "Late threshold", note, |ui| {
            ui.add_enabled_ui(can_count, |ui| {
                let percent = &mut settings.late_percent;
                value_field(ui, "Late threshold", percent, &LATE_PERCENT, 64.0);
            });
        });
    });
}

/// Draws the settings of saved runs, such as their folder.
pub(super) fn runs_ui(
    ui: &mut Ui,
    session: &Session,
    settings: &mut Settings,
    actions: &mut Vec<Action>,
) {
    settings_card(ui, "Runs", |ui| {
        let note = "Including stopped tests, marked as stopped; every run has all of its samples";
        fixed_row(ui, "Every test is saved", note, "always");
        let folder = session
            .library
            .store
            .as_ref()
            .map_or("none".to_owned(), |store| store.folder().display().to_string());
        row(ui, "Folder", &folder, |ui| {
            let is_free = !session.running.is_busy();
            if settings.data_folder.is_some()
                && ui.add_enabled(is_free, Button::new("Use default")).clicked()
            {
                settings.data_folder = None;
            }
            let change = Button::new("Change…").name("Change the folder of runs");
            if ui.add_enabled(is_free, change).clicked() {
                actions.push(Action::AskForFolder);
            }
        });
        space_ui(ui, session, settings, actions);
    });
}

/// Draws the disk space of the runs, the limits of size and age, and a button that deletes the runs
/// beyond the limits.
fn space_ui(ui: &mut Ui, session: &Session, settings: &mut Settings, actions: &mut Vec<Action>) {
    let items = session.library.items.as_deref().unwrap_or_default();
    let bytes: u64 = items.iter().map(|item| item.bytes).sum();
    let size = format!("{} in {}", text::format_bytes(bytes), entries(items.len()));
    fixed_row(ui, "Size of the library", "Deleted runs stay in the trash for 7 days", &size);
    row(ui, "Size limit", "0 is no limit. Nothing is deleted without asking", |ui| {
        let megabytes = Parameter::count(0, 100_000, "MB");
        value_field(ui, "Size limit", &mut settings.size_limit, &megabytes, 90.0);
    });
    row(
        ui,
        "Age limit",
        "0 is no limit. Baselines, noted and tagged runs are never offered",
        |ui| {
            let days = Parameter::count(0, 3_650, "days");
            value_field(ui, "Age limit", &mut settings.max_age_days, &days, 90.0);
        },
    );
    let offered = session.library.beyond_limits(settings.size_limit, settings.max_age_days);
    let freed: u64 =
        items.iter().filter(|item| offered.contains(&item.path)).map(|item| item.bytes).sum();
    let note = match offered.len() {
        0 => "No run is beyond the limits".to_owned(),
        count => {
            let are = if count == 1 { "is" } else { "are" };
            format!("{} {are} beyond the limits: {}", entries(count), text::format_bytes(freed))
        }
    };
    row(ui, "Runs beyond the limits", &note, |ui| {
        let is_free = !session.running.is_busy() && !offered.is_empty();
        let delete = Button::new("Delete").name("Delete runs beyond the limits");
        if ui.add_enabled(is_free, delete).clicked() {
            actions.push(Action::DeleteRuns(offered.clone()));
        }
    });
}

/// Formats a number of entries of the library: `1 entry`, `3 entries`.
fn entries(count: usize) -> String {
    let noun = if count == 1 { "entry" } else { "entries" };
    format!("{} {noun}", text::format_count(count))
}

/// Draws the path of the log file, and a button that copies the data for a problem report.
pub(super) fn help_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    settings_card(ui, "Diagnostics", |ui| {
        let log = log_file::path();
        let place = log.map_or("none".to_owned(), |path| path.display().to_string());
        row(ui, "Log file", &place, |ui| {
            let folder = log.and_then(|path| path.parent());
            let open = Button::new("Open folder").name("Open the folder of the log file");
            if ui.add_enabled(folder.is_some(), open).clicked()
                && let Some(folder) = folder
            {
                actions.push(Action::OpenOutside(folder.to_owned()));
            }
        });
        let note = "Version, machine, capabilities, library, and the last lines of the log, without \
                    host name, user name, and home folder";
        row(ui, "Diagnostics", note, |ui| {
            let is_known = session.machine.facts().is_some();
            if ui.add_enabled(is_known, Button::new("Copy diagnostics")).clicked() {
                ui.ctx().copy_text(diagnostics(session));
                actions.push(Action::Tell("Diagnostics copied as Markdown.".to_owned()));
            }
        });
    });
}

/// Returns the data that helps to find the cause of a problem, without private names.
fn diagnostics(session: &Session) -> String {
    let items = session.library.items.as_deref().unwrap_or_default();
    let bytes: u64 = items.iter().map(|item| item.bytes).sum();
    let unread = items.iter().filter(|item| item.run.is_err()).count();
    let machine =
        session.machine.facts().map_or(String::new(), |facts| machine_markdown(facts.as_ref()));
    let whole = format!(
        "Jitterscope {}\n\n{machine}\n## Library\n\n{}, {}, {unread} cannot be read\n\n## Log\n\n```\n{}\n```\n",
        env!("CARGO_PKG_VERSION"),
        entries(items.len()),
        text::format_bytes(bytes),
        log_file::last_lines(),
    );
    IncludedNames::NOTHING.redacted(&whole, Identity::here())
}

/// Draws the settings for a running test and its end; returns whether the user wants to change the
/// keys that mark the current time.
pub(super) fn running_ui(ui: &mut Ui, session: &Session, settings: &mut Settings) -> bool {
    let mut wants_keys = false;
    settings_card(ui, "While a test runs", |ui| {
        row(ui, "Redraw plots", "Fewer redraws disturb the measurement less", |ui| {
            let rates = [
                (PlotRate::Seldom, "2 Hz"),
                (PlotRate::Normal, "10 Hz"),
                (PlotRate::Often, "30 Hz"),
            ];
            segmented(ui, "Redraw plots", &mut settings.plot_rate, &rates);
        });
        let mut note = "After tests longer than 10 s, once they are saved".to_owned();
        if !platform::COMPLETION_SOUND_NOTE.is_empty() {
            note.push_str(&format!(". {}", platform::COMPLETION_SOUND_NOTE));
        }
        toggle_row(ui, "Sound when finished", &note, &mut settings.plays_sound);
        if let Some(default) = Agent::ADMINISTRATOR_COMMAND {
            let note = "Starts the measuring part with administrator rights, such as sudo -A";
            row(ui, "Command that asks for the password", note, |ui| {
                let name = "Command that asks for the password";
                text_field(ui, name, &mut settings.administrator_command, default, 160.0);
            });
        }
        let note = "Once it has run for 10 seconds";
        toggle_row(ui, "Confirm before stopping a test", note, &mut settings.asks_before_stop);
        let note = "Without confirmation, the test is stopped and its data is saved";
        toggle_row(ui, "Confirm before closing the window", note, &mut settings.asks_before_close);
        wants_keys = mark_shortcut::row_ui(ui, session, settings);
    });
    wants_keys
}

/// Draws the settings for private names in exports, and other facts about privacy.
pub(super) fn privacy_ui(ui: &mut Ui, settings: &mut Settings) {
    settings_card(ui, "Privacy", |ui| {
        let note = "Tests never read it. When off, it is also removed from names, notes, and \
                    messages. Can be changed for each export.";
        toggle_row(ui, "Include host name in exports", note, &mut settings.exports_host);
        let note = "The same for the user name. File paths are shortened unless both are included.";
        toggle_row(ui, "Include user name in exports", note, &mut settings.exports_user);
        let note = "When off, files name only programs that the verdict or its advice names.";
        toggle_row(ui, "Include other programs in exports", note, &mut settings.exports_programs);
        fixed_row(ui, "Network", text::hosts::NETWORK, "none");
        let note = "Messages on screen contain them; saved runs do not";
        fixed_row(ui, "Folders", note, "not saved");
    });
}

/// Draws the most common shortcuts, and a button that shows all of them.
pub(super) fn keyboard_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    settings_card(ui, "Keyboard", |ui| {
        for (words, commands) in LISTED {
            let texts: Vec<String> =
                commands.iter().map(|command| key_text(ui.ctx(), *command)).collect();
            key_row(ui, words, &texts);
            if commands.contains(&Command::Run) {
                let [first, last] =
                    [Command::Quick, Command::Compare].map(|command| key_text(ui.ctx(), command));
                key_row(ui, "Go to a page", &[first, UNTIL.to_owned(), last]);
            }
        }
        let key = key_text(ui.ctx(), Command::Keys);
        row(ui, "All shortcuts", "Most actions have one", |ui| {
            if ui.add(Button::new("Show").shortcut(&key).name("Show all shortcuts")).clicked() {
                actions.push(Action::ShowKeys);
            }
        });
    });
}
