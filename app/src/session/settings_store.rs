//! The current settings and their file, which is written on a background thread; the latest
//! settings are written last.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jitterscope_engine::store::{FOLDER_VARIABLE, Store};

use super::part::{Context, Part, Request};
use super::settings::{Settings, SettingsFile};
use super::task::{TaskHost, Tasks};

/// How long the late threshold must be unchanged before late frames are recounted: while the user
/// drags its control, the threshold changes all the time.
const SETTLED: Duration = Duration::from_millis(400);

/// The data for a thread that writes settings: the file, and the latest settings at the time of
/// writing.
#[derive(Clone, Debug)]
struct SettingsWriter {
    file: SettingsFile,
    latest: Arc<Mutex<Settings>>,
    /// Locked while the file is written, so that older settings never overwrite newer ones.
    turn: Arc<Mutex<()>>,
}

impl SettingsWriter {
    fn write(&self) -> Result<(), String> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.file.save(&settings)
    }
}

/// Messages of tasks.
enum SettingsMessage {
    /// The settings were written.
    Written(Result<(), String>),
    /// A folder for runs was selected; `None` means "Cancel".
    Folder(Option<PathBuf>),
    /// The late threshold had this value, in percent of a frame, `SETTLED` ago.
    LateSettled(u32),
}

/// The current settings.
#[derive(Debug)]
pub(super) struct SettingsStore {
    tasks: Tasks<SettingsMessage>,
    /// The current settings.
    pub(super) settings: Settings,
    writer: SettingsWriter,
}

impl Part for SettingsStore {
    const NAME: &'static str = "the settings";

    fn restart(&mut self, _: &Context) {
        self.tasks = Tasks::new(&self.tasks.host);
    }
}

impl SettingsStore {
    pub(super) fn new(settings: Settings, file: SettingsFile, host: &TaskHost) -> Self {
        let latest = Arc::new(Mutex::new(settings.clone()));
        let writer = SettingsWriter { file, latest, turn: Arc::default() };
        Self { tasks: Tasks::new(host), settings, writer }
    }

    /// Returns the late threshold as a percentage of a frame.
    pub(super) fn late_percent(&self) -> f64 {
        f64::from(self.settings.late_percent)
    }

    /// Applies new settings, and saves them.
    pub(super) fn set(&mut self, settings: Settings, context: &Context) {
        if settings == self.settings {
            return;
        }
        let has_moved = settings.data_folder != self.settings.data_folder;
        let counts_otherwise = settings.late_percent != self.settings.late_percent;
        *self.writer.latest.lock().unwrap_or_else(PoisonError::into_inner) = settings.clone();
        self.settings = settings;
        let writer = self.writer.clone();
        self.tasks.spawn("settings", move || writer.write(), SettingsMessage::Written);
        if counts_otherwise {
            let percent = self.settings.late_percent;
            let settle = || {
                std::thread::sleep(SETTLED);
                Ok(())
            };
            self.tasks
                .spawn("late-settles", settle, move |_| SettingsMessage::LateSettled(percent));
        }
        if has_moved {
            context.push(Request::MoveTo(open_store(&self.settings)));
        }
    }

    /// Handles the messages of tasks since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for message in self.tasks.messages() {
            match message {
                SettingsMessage::Written(Err(error)) => {
                    context.report_error(format!("The settings cannot be saved: {error}"));
                }
                // The dialog of the system leaves the window usable.
                SettingsMessage::Folder(Some(_)) if context.is_busy => context.report_error(
                    "A test is running. Change the folder of runs when the test is finished.",
                ),
                SettingsMessage::Folder(Some(folder)) => match Store::at(&folder).check() {
                    Ok(()) => {
                        let settings = self.settings.clone();
                        self.set(Settings { data_folder: Some(folder), ..settings }, context);
                    }
                    Err(error) => context.report_error(error.to_string()),
                },
                SettingsMessage::LateSettled(percent) if percent == self.settings.late_percent => {
                    context.push(Request::CountLate);
                }
                SettingsMessage::Written(Ok(()))
                | SettingsMessage::Folder(None)
                | SettingsMessage::LateSettled(_) => {}
            }
        }
    }

    /// Asks the user for the folder in which runs are saved from now on.
    pub(super) fn ask_for_folder(&mut self, context: &Context) {
        let answer = context.dialogs.folder("Where runs are saved", None);
        self.tasks.spawn(
            "ask-for-folder",
            || Ok(answer()),
            |paths| SettingsMessage::Folder(paths.ok().and_then(|paths| paths.into_iter().next())),
        );
    }

    /// Writes the settings immediately, before the app ends.
    pub(super) fn write_now(&self) {
        if let Err(error) = self.writer.write() {
            log::error!("the settings cannot be saved: {error}");
        }
    }
}

/// Returns the store in the folder of these settings, or in the default folder. The environment
/// variable `JITTERSCOPE_DATA_DIR` overrides both.
pub fn open_store(settings: &Settings) -> Option<Store> {
    let is_named = std::env::var_os(FOLDER_VARIABLE).is_some_and(|folder| !folder.is_empty());
    match &settings.data_folder {
        Some(folder) if !is_named => Some(Store::at(folder)),
        _ => Store::default_location(),
    }
}
