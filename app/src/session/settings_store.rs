//! The settings in use, and the file that follows them: written off the window's thread, the latest last.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jitterscope_engine::store::{FOLDER_VARIABLE, Store};

use super::action::Notice;
use super::dialog::Dialogs;
use super::part::{Outbox, Part, Request};
use super::settings::{Settings, SettingsFile};
use super::task::{TaskHost, Tasks};

/// How long a share of a frame must stay the same before late frames are counted by it: while a number is
/// dragged it changes all the time.
const SETTLED: Duration = Duration::from_millis(400);

/// What a writing thread needs: where to, and the latest settings at the time it writes.
#[derive(Clone, Debug)]
struct SettingsWriter {
    file: SettingsFile,
    latest: Arc<Mutex<Settings>>,
    /// Held while the file is written, so that an older state never follows a newer one.
    turn: Arc<Mutex<()>>,
}

impl SettingsWriter {
    fn write(&self) -> Result<(), String> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.file.save(&settings)
    }
}

/// What the tasks of this part report.
enum Message {
    /// The settings were written.
    Written(Result<(), String>),
    /// A folder for runs was selected; `None` is "Cancel".
    Folder(Option<PathBuf>),
    /// A share of a frame, in percent, has stayed the same for a moment.
    LateSettled(u32),
}

/// The settings in use.
#[derive(Debug)]
pub(super) struct SettingsStore {
    tasks: Tasks<Message>,
    settings: Settings,
    writer: SettingsWriter,
}

impl Part for SettingsStore {
    const NAME: &'static str = "the settings";

    fn restart(&mut self, _: &mut Outbox) {
        self.tasks = Tasks::new(self.tasks.host());
    }
}

impl SettingsStore {
    pub(super) fn new(settings: Settings, file: SettingsFile, host: &TaskHost) -> Self {
        let latest = Arc::new(Mutex::new(settings.clone()));
        let writer = SettingsWriter { file, latest, turn: Arc::default() };
        Self { tasks: Tasks::new(host), settings, writer }
    }

    /// The settings in use.
    pub(super) const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The share of a frame, in percent, above which the window counts it as late.
    pub(super) fn late_percent(&self) -> f64 {
        f64::from(self.settings.late_percent)
    }

    /// Takes new settings and saves them.
    pub(super) fn set(&mut self, settings: Settings, outbox: &mut Outbox) {
        if settings == self.settings {
            return;
        }
        let has_moved = settings.data_folder != self.settings.data_folder;
        let counts_otherwise = settings.late_percent != self.settings.late_percent;
        *self.writer.latest.lock().unwrap_or_else(PoisonError::into_inner) = settings.clone();
        self.settings = settings;
        let writer = self.writer.clone();
        self.tasks.spawn("settings", move || writer.write(), Message::Written);
        if counts_otherwise {
            let percent = self.settings.late_percent;
            let settle = || {
                std::thread::sleep(SETTLED);
                Ok(())
            };
            self.tasks.spawn("late-settles", settle, move |_| Message::LateSettled(percent));
        }
        if has_moved {
            outbox.push(Request::MoveTo(open_store(&self.settings)));
        }
    }

    /// Takes in what the tasks reported since the last call.
    pub(super) fn poll(&mut self, outbox: &mut Outbox) {
        for message in self.tasks.messages() {
            match message {
                Message::Written(Err(error)) => {
                    outbox.notify(Notice::error(format!("The settings cannot be saved: {error}")));
                }
                Message::Folder(Some(folder)) => match Store::at(&folder).check() {
                    Ok(()) => {
                        let settings = self.settings.clone();
                        self.set(Settings { data_folder: Some(folder), ..settings }, outbox);
                    }
                    Err(error) => outbox.notify(Notice::error(error.to_string())),
                },
                Message::LateSettled(percent) if percent == self.settings.late_percent => {
                    outbox.push(Request::CountLate);
                }
                Message::Written(Ok(())) | Message::Folder(None) | Message::LateSettled(_) => {}
            }
        }
    }

    /// Asks for a folder and saves runs there.
    pub(super) fn ask_for_folder(&self, dialogs: &Dialogs) {
        let answer = dialogs.folder("Where runs are saved", None);
        self.tasks.spawn(
            "ask-for-folder",
            || Ok(answer()),
            |paths| Message::Folder(paths.ok().and_then(|paths| paths.into_iter().next())),
        );
    }

    /// Writes the settings before the app ends.
    pub(super) fn write_now(&self) {
        if let Err(error) = self.writer.write() {
            log::error!("the settings cannot be saved: {error}");
        }
    }
}

/// The folder of runs that goes with these settings; a variable of the environment comes first.
pub fn open_store(settings: &Settings) -> Option<Store> {
    let is_named = std::env::var_os(FOLDER_VARIABLE).is_some_and(|folder| !folder.is_empty());
    match &settings.data_folder {
        Some(folder) if !is_named => Some(Store::at(folder)),
        _ => Store::default_location(),
    }
}
