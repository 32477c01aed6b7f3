//! The settings in use, and the file that follows them: written off the window's thread, the latest last.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jitterscope_engine::store::{FOLDER_VARIABLE, Store};

use super::settings::{Settings, SettingsFile};
use super::{Notice, Session};

/// What a writing thread needs: where to, and the latest settings at the time it writes.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    file: SettingsFile,
    latest: Arc<Mutex<Settings>>,
    /// Held while the file is written, so that an older state never follows a newer one.
    turn: Arc<Mutex<()>>,
}

impl Writer {
    /// Writes the latest settings.
    pub(super) fn write(&self) -> Result<(), String> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let settings = self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.file.save(&settings)
    }
}

/// The settings in use.
#[derive(Debug)]
pub(super) struct Kept {
    settings: Settings,
    writer: Writer,
}

impl Kept {
    pub(super) fn new(settings: Settings, file: SettingsFile) -> Self {
        let latest = Arc::new(Mutex::new(settings.clone()));
        Self { settings, writer: Writer { file, latest, turn: Arc::default() } }
    }
}

/// The folder of runs that goes with these settings; a variable of the environment comes first.
pub fn store_of(settings: &Settings) -> Option<Store> {
    let is_named = std::env::var_os(FOLDER_VARIABLE).is_some_and(|folder| !folder.is_empty());
    match &settings.data_folder {
        Some(folder) if !is_named => Some(Store::at(folder)),
        _ => Store::usual(),
    }
}

impl Session {
    /// What a person set once and for all.
    pub fn settings(&self) -> &Settings {
        &self.kept.settings
    }

    /// Takes new settings and keeps them; a new folder of runs is read at once.
    pub fn set_settings(&mut self, settings: Settings) {
        if settings == self.kept.settings {
            return;
        }
        let has_moved = settings.data_folder != self.kept.settings.data_folder;
        let counts_anew = settings.late_percent != self.kept.settings.late_percent;
        *self.kept.writer.latest.lock().unwrap_or_else(PoisonError::into_inner) = settings.clone();
        self.kept.settings = settings;
        self.tasks.write_settings(self.kept.writer.clone());
        if counts_anew {
            self.late_percent_changed();
        }
        if has_moved {
            self.store = store_of(&self.kept.settings);
            if let Some(store) = &self.store {
                self.tasks.list(store.clone());
            }
        }
    }

    /// Writes the settings before the app ends.
    pub fn write_settings_now(&self) {
        if let Err(error) = self.kept.writer.write() {
            log::error!("the settings cannot be saved: {error}");
        }
    }

    /// Takes a folder for runs that was chosen, if runs can be kept there.
    pub(super) fn take_folder(&mut self, folder: PathBuf) {
        match Store::at(&folder).check() {
            Ok(()) => {
                let settings = Settings { data_folder: Some(folder), ..self.kept.settings.clone() };
                self.set_settings(settings);
            }
            Err(error) => self.notices.push(Notice::error(error.to_string())),
        }
    }
}
