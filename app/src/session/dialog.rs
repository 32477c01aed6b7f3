//! Dialogs for files and folders: those of the system, or a dialog in the window if the system has
//! none.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of folders of earlier answers that the window's own dialog suggests.
const MAX_RECENT: usize = 4;

/// A function that waits until the user answers the question, and returns the selected paths; no
/// paths mean "Cancel". It is called on a background thread.
pub(super) type Answer = Box<dyn FnOnce() -> Vec<PathBuf> + Send>;

/// The kind of path that a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// An existing folder.
    Folder,
    /// A new file to write.
    NewFile,
    /// Existing files or folders to read.
    Files,
}

impl PathKind {
    /// Returns the label of the confirming button.
    pub const fn button(self) -> &'static str {
        match self {
            Self::Folder => "Select",
            Self::NewFile => "Save",
            Self::Files => "Open",
        }
    }
}

/// A question for a path, shown in the window because the system has no dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathQuestion {
    /// Identifies the question.
    pub number: u64,
    /// The title of the question.
    pub title: String,
    /// The kind of path.
    pub kind: PathKind,
    /// The initial path.
    pub path: PathBuf,
    /// Folders of earlier answers, newest first.
    pub recent: Vec<PathBuf>,
}

/// The state of the questions that the window itself shows.
#[derive(Debug, Default)]
struct Own {
    count: u64,
    open: VecDeque<(PathQuestion, SyncSender<Vec<PathBuf>>)>,
    recent: Vec<PathBuf>,
    /// Whether the window asks even if the system has dialogs.
    is_forced: bool,
}

/// Opens dialogs for files and folders. Dialogs are created on the window's thread, as macOS
/// requires, and their answers are awaited on another thread, so that the window stays responsive.
#[derive(Clone, Debug, Default)]
pub struct Dialogs {
    /// Prepared answers to the next questions, which are then not shown.
    prepared: Arc<Mutex<VecDeque<Vec<PathBuf>>>>,
    own: Arc<Mutex<Own>>,
}

impl Dialogs {
    /// Makes the window ask, even if the system has dialogs.
    pub fn ask_in_window(&self) {
        self.own().is_forced = true;
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the question that the window should show; `None` if there is none.
    pub fn question(&self) -> Option<PathQuestion> {
        self.own().open.front().map(|(question, _)| question.clone())
    }

    /// Answers the question that the window shows; `None` means "Cancel".
    pub(super) fn answer(&self, path: Option<PathBuf>) {
        let mut own = self.own();
        let Some((question, sender)) = own.open.pop_front() else { return };
        let folder = path.as_deref().and_then(|path| match question.kind {
            PathKind::Folder => Some(path),
            PathKind::NewFile | PathKind::Files => path.parent(),
        });
        if let Some(folder) = folder.map(Path::to_owned) {
            own.recent.retain(|known| *known != folder);
            own.recent.insert(0, folder);
            own.recent.truncate(MAX_RECENT);
        }
        // The receiver may be gone, because the question was dropped.
        let _ok = sender.send(path.into_iter().collect());
    }

    /// Asks a question in the window, unless its answer is prepared, and returns the function that
    /// waits for the answer; `None` if the system has such dialogs.
    fn in_window(&self, title: &str, kind: PathKind, path: PathBuf) -> Option<Answer> {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some(answer) = prepared {
            return Some(Box::new(move || answer));
        }
        if !self.own().is_forced && has_system_dialogs() {
            return None;
        }
        let mut own = self.own();
        own.count += 1;
        let (sender, receiver) = sync_channel(1);
        let (number, recent) = (own.count, own.recent.clone());
        let question = PathQuestion { number, title: title.to_owned(), kind, path, recent };
        own.open.push_back((question, sender));
        Some(Box::new(move || receiver.recv().unwrap_or_default()))
    }

    /// Answers the next question with these paths, so that it is not shown.
    pub fn prepare(&self, paths: Vec<PathBuf>) {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).push_back(paths);
    }

    /// Asks for a folder.
    pub(super) fn folder(&self, title: &str, from: Option<PathBuf>) -> Answer {
        let begin = from.clone().unwrap_or_else(home);
        self.in_window(title, PathKind::Folder, begin).unwrap_or_else(|| {
            let dialog = dialog(title, from).pick_folder();
            Box::new(move || paths(pollster::block_on(dialog)))
        })
    }

    /// Asks where to write a file; `name` is the suggested file name.
    pub(super) fn output(&self, name: &str, from: Option<PathBuf>) -> Answer {
        let begin = from.clone().unwrap_or_else(home).join(name);
        self.in_window("Export", PathKind::NewFile, begin).unwrap_or_else(|| {
            let ending = name.rsplit('.').next().unwrap_or_default();
            let dialog = dialog("Export", from).set_file_name(name).add_filter(ending, &[ending]);
            let dialog = dialog.save_file();
            Box::new(move || paths(pollster::block_on(dialog)))
        })
    }

    /// Asks for a log to join with a recording; `endings` are the extensions of supported files.
    pub(super) fn log(&self, endings: &[&str]) -> Answer {
        let title = "Join with a log";
        self.in_window(title, PathKind::Files, home()).unwrap_or_else(|| {
            let dialog = dialog(title, None)
                .add_filter("Logs and captures", endings)
                .add_filter("All files", &["*"])
                .pick_file();
            Box::new(move || paths(pollster::block_on(dialog)))
        })
    }

    /// Asks for files to open; `endings` are the extensions of supported files.
    pub(super) fn files(&self, endings: &[&str]) -> Answer {
        let title = "Open runs and captures";
        self.in_window(title, PathKind::Files, home()).unwrap_or_else(|| {
            let dialog = dialog(title, None)
                .add_filter("Runs and captures", endings)
                .add_filter("All files", &["*"])
                .pick_files();
            Box::new(move || paths(pollster::block_on(dialog).into_iter().flatten()))
        })
    }
}

/// Returns the initial folder: the user's home folder.
fn home() -> PathBuf {
    let names = ["HOME", "USERPROFILE"];
    let home = names.into_iter().find_map(std::env::var_os).map(PathBuf::from);
    // Append a separator, so that the contents of the folder are suggested.
    home.map_or_else(PathBuf::new, |home| home.join(""))
}

/// Returns whether the system has file dialogs: on Linux, a portal with a file chooser, or zenity.
fn has_system_dialogs() -> bool {
    if std::env::consts::OS != "linux" {
        return true;
    }
    let folders = |variable: &str, default: &str| -> Vec<PathBuf> {
        let value = std::env::var_os(variable).filter(|value| !value.is_empty());
        std::env::split_paths(&value.unwrap_or_else(|| default.into())).collect()
    };
    let has_zenity = folders("PATH", "").iter().any(|folder| folder.join("zenity").is_file());
    let bus = std::env::var_os("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("bus"));
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || bus.is_some_and(|bus| bus.exists());
    let data = folders("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
    let has_portal = data.iter().any(|folder| {
        folder.join("dbus-1/services/org.freedesktop.portal.Desktop.service").is_file()
    });
    let has_chooser = data.iter().any(|folder| {
        let portals = std::fs::read_dir(folder.join("xdg-desktop-portal/portals"));
        let mut portals = portals.into_iter().flatten().flatten();
        portals.any(|portal| {
            std::fs::read_to_string(portal.path()).is_ok_and(|text| text.contains("FileChooser"))
        })
    });
    has_zenity || has_bus && has_portal && has_chooser
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

/// Shows why no window can open, and waits until the user closes the message.
pub fn show_fatal_error(sentence: &str) {
    rfd::MessageDialog::new()
        .set_level(rfd::MessageLevel::Error)
        .set_title("Jitterscope")
        .set_description(sentence)
        .show();
}
