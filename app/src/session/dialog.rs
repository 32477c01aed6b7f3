//! Questions for files and folders, in dialogs of the system.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Waits for the answer to a question, on another thread than the window's; no path is "cancel".
pub(super) type Answer = Box<dyn FnOnce() -> Vec<PathBuf> + Send>;

/// Opens dialogs. They are created on the window's thread, as macOS requires, and awaited
/// elsewhere, so that the window stays responsive.
#[derive(Clone, Debug, Default)]
pub(super) struct Dialogs {
    /// Answers to the next questions, given in advance.
    prepared: Arc<Mutex<VecDeque<Vec<PathBuf>>>>,
}

impl Dialogs {
    /// Answers the next question without asking.
    pub(super) fn prepare(&self, paths: Vec<PathBuf>) {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).push_back(paths);
    }

    fn prepared(&self) -> Option<Answer> {
        let answer = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop_front()?;
        Some(Box::new(move || answer))
    }

    /// Asks for a folder.
    pub(super) fn folder(&self, title: &str, from: Option<PathBuf>) -> Answer {
        self.prepared().unwrap_or_else(|| {
            let dialog = dialog(title, from).pick_folder();
            Box::new(move || paths(pollster::block_on(dialog)))
        })
    }

    /// Asks where to write a file with this name.
    pub(super) fn output(&self, name: &str, from: Option<PathBuf>) -> Answer {
        self.prepared().unwrap_or_else(|| {
            let ending = name.rsplit('.').next().unwrap_or_default();
            let dialog = dialog("Export", from).set_file_name(name).add_filter(ending, &[ending]);
            let dialog = dialog.save_file();
            Box::new(move || paths(pollster::block_on(dialog)))
        })
    }

    /// Asks for files to open.
    pub(super) fn files(&self) -> Answer {
        self.prepared().unwrap_or_else(|| {
            let dialog = dialog("Open runs and captures", None)
                .add_filter("Runs and captures", &["json", "html", "htm", "csv"])
                .add_filter("All files", &["*"])
                .pick_files();
            Box::new(move || paths(pollster::block_on(dialog).into_iter().flatten()))
        })
    }
}

fn dialog(title: &str, from: Option<PathBuf>) -> rfd::AsyncFileDialog {
    let dialog = rfd::AsyncFileDialog::new().set_title(title);
    match from {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}

fn paths(files: impl IntoIterator<Item = rfd::FileHandle>) -> Vec<PathBuf> {
    files.into_iter().map(|file| file.path().to_owned()).collect()
}

/// Shows why there is no window, and waits until the user closes the message.
pub fn show_fatal_error(sentence: &str) {
    rfd::MessageDialog::new()
        .set_level(rfd::MessageLevel::Error)
        .set_title("Jitterscope")
        .set_description(sentence)
        .show();
}
