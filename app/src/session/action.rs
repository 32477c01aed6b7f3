//! Actions that pages request, and messages that the session shows.

use std::mem;
use std::path::PathBuf;

use jitterscope_engine::import::{Column, Series};
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::report::CaptureView;
use jitterscope_engine::report::comparison::MinEffect;
use jitterscope_engine::run::{Annotation, Run};
use jitterscope_engine::store::edit::Edit;

use super::export_request::{CopiedText, ExportKind, ExportRequest, Subject};
use super::host_action::HostAction;
use super::recorder_action::RecorderAction;
use super::settings::Settings;
use super::shown::LateFocus;

/// A page of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageId {
    /// The quick check.
    Quick,
    /// The page of the test with this key.
    Test(&'static str),
    /// What was recorded while the user played or worked.
    Record,
    /// The saved runs.
    Runs,
    /// An imported run.
    Capture,
    /// The comparison of runs.
    Compare,
    /// The machine, and its capabilities.
    Machine,
    /// The user's settings.
    Settings,
    /// The welcome page of the first start.
    Welcome,
}

impl PageId {
    /// Returns the page that shows a run.
    pub fn of(run: &Run) -> Self {
        match run.plan() {
            Some(plan) => Self::Test(plan.key()),
            None if run.recording().is_some() => Self::Record,
            None => Self::Capture,
        }
    }

    /// Returns the key that identifies the page in the settings file.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Test(key) => key,
            Self::Record => "record",
            Self::Runs => "runs",
            Self::Capture => "capture",
            Self::Compare => "compare",
            Self::Machine => "machine",
            Self::Settings => "settings",
            Self::Welcome => "welcome",
        }
    }
}

/// An example that the user can open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// A frame loop with a late frame and its cause.
    FrameLoop,
    /// Two frame loops to compare.
    Comparison,
    /// Interruptions of busy threads on all CPUs.
    Gaps,
    /// A quick check.
    QuickCheck,
    /// A capture of a game.
    Capture,
}

/// An action that a page requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Start the test with this key and its current settings.
    Run(&'static str),
    /// Re-run the settings of the result of this test once and record a trace, even if the test is
    /// set to record none.
    RunAgainWithTrace(&'static str),
    /// Start the quick check.
    RunQuick,
    /// Start the quick check as soon as other programs are quiet.
    RunQuickWhenQuiet,
    /// Re-run the settings of the result of this test as soon as other programs are quiet.
    RunWhenQuiet(&'static str),
    /// Continue the parts of the quick check on screen that have too little data for a grade.
    MeasureLonger,
    /// Continue this test, whose result on screen has too little data for a grade.
    MeasureTestLonger(&'static str),
    /// Show the frames of a tested change of the "what helps" test, together with the frames that
    /// were measured without the change.
    OpenChange {
        /// The key of the test.
        test: &'static str,
        /// The index of the change among the results of the test, from 0.
        change: usize,
    },
    /// Start the test, or the part of a quick check, that waits for other programs to become quiet.
    MeasureWithoutWaiting,
    /// Skip the part of the quick check that is being measured.
    SkipQuickPart,
    /// Include a part in the next quick check, or exclude it.
    ChooseQuickPart {
        /// The part.
        part: Part,
        /// Whether the part is included.
        is_selected: bool,
    },
    /// Show the saved quick check with these run files.
    OpenQuick(Vec<PathBuf>),
    /// Set how many runs are measured whenever a test is started.
    SetRepeat {
        /// The key of the test.
        test: &'static str,
        /// The number of runs: 1 to 20.
        times: u32,
    },
    /// Change whether a test records a trace of the CPUs.
    SetTrace {
        /// The key of the test.
        test: &'static str,
        /// The new trace mode.
        trace: TraceMode,
    },
    /// Show the trend of the runs with the test and the settings of the run with this ID.
    ShowTrend(String),
    /// Set runs as a group; the groups are compared once A and B have runs.
    SetGroup {
        /// The group: 0 for A, 1 for B, and so on.
        side: usize,
        /// The files of the runs.
        paths: Vec<PathBuf>,
    },
    /// Compare the runs of the other groups with those of the first one.
    CompareGroups(Vec<Vec<PathBuf>>),
    /// Evaluate the shown capture for what is asked of it.
    ViewCapture(Box<CaptureView>),
    /// Sets the smallest change that matters in comparisons.
    SetMinEffect(MinEffect),
    /// Re-run the settings of the two compared runs, interleaved, this many times each.
    Alternate(u32),
    /// Stop the active run; asks for confirmation if the run has lasted for long.
    Stop,
    /// Stop the active run without confirmation.
    StopAtOnce,
    /// Use these settings for the test to which they belong.
    SetPlan(Plan),
    /// Use the settings of a built-in preset.
    ChoosePreset {
        /// The key of the test.
        test: &'static str,
        /// The key of the preset.
        preset: &'static str,
    },
    /// Save the settings of a test as a preset; a number is appended if the name is taken.
    SavePreset {
        /// The key of the test.
        test: &'static str,
        /// The name of the preset.
        name: String,
    },
    /// Use the settings of a preset that the user saved.
    ChooseOwnPreset {
        /// The key of the test.
        test: &'static str,
        /// The name of the preset.
        name: String,
    },
    /// Rename a preset that the user saved; a number is appended if the new name is taken.
    RenamePreset {
        /// The key of the test.
        test: &'static str,
        /// The current name.
        name: String,
        /// The new name.
        to: String,
    },
    /// Ask where to write a preset that the user saved, and write it as a file.
    ExportPreset {
        /// The key of the test.
        test: &'static str,
        /// The name of the preset.
        name: String,
    },
    /// Delete a preset that the user saved.
    DeletePreset {
        /// The key of the test.
        test: &'static str,
        /// The name of the preset.
        name: String,
    },
    /// Set this test to the settings with which its result on screen was measured.
    ShowSettingsOfResult(&'static str),
    /// Open a saved run.
    OpenRun(PathBuf),
    /// Open a saved frame loop with these late frames listed and the worst of them selected.
    ShowLateFrames(PathBuf, LateFocus),
    /// Open an example without saving it.
    OpenExample(Example),
    /// Ask the user for files, and open the selected files.
    AskForFile,
    /// Open files of any supported kind, and all supported files in these folders.
    OpenFiles(Vec<PathBuf>),
    /// Cancel to open the files that have not been opened.
    CancelOpening,
    /// Open this series (the frames of one process or swap chain) of a file that has several
    /// series; `None` skips the file.
    ChooseSeries(Option<Series>),
    /// Select this column of a table file as its frame times; `None` skips the file.
    ChooseColumn(Option<Column>),
    /// Open the export dialog.
    Export {
        /// The results to export.
        subject: Subject,
        /// The format to select at first; `None` for the format of an earlier export.
        kind: Option<ExportKind>,
    },
    /// Create a preview of the export in the dialog.
    PreviewExport(ExportRequest),
    /// Ask where to save the export, and write it.
    SaveExport(ExportRequest),
    /// Answer whether to replace existing files; with `false`, nothing is written.
    ReplaceFiles(bool),
    /// Copy the export to the clipboard.
    CopyExport(ExportRequest),
    /// Write the report to a temporary file, and open it in the browser.
    OpenReport(ExportRequest),
    /// Close the export dialog.
    CloseExport,
    /// Copy a summary to the clipboard.
    Copy(Subject, CopiedText),
    /// Read previews of saved runs.
    PreviewRuns(Vec<PathBuf>),
    /// Read previews of files that are being dragged over the window.
    LookAtDragged(Vec<PathBuf>),
    /// Open a file or a folder with the system's default program.
    OpenOutside(PathBuf),
    /// Open a settings window of the desktop.
    OpenTool(SystemTool),
    /// Read the folder of runs again.
    RefreshLibrary,
    /// Change the name, note, or tags of saved runs.
    EditRuns(Vec<(PathBuf, Edit)>),
    /// Change saved runs back, without an offer to undo that.
    UndoEdits(Vec<(PathBuf, Edit)>),
    /// Mark this moment of the current trial; the mark becomes an annotation of the run.
    Mark,
    /// Replace the annotations of the result on screen, and save them with the run.
    Annotate {
        /// The key of the test.
        test: &'static str,
        /// All annotations of the run after the change.
        annotations: Vec<Annotation>,
    },
    /// Start, follow, or command the recorder.
    Recorder(RecorderAction),
    /// Move saved runs to the trash, from which they are removed after a week.
    DeleteRuns(Vec<PathBuf>),
    /// Restore deleted runs.
    RestoreRuns(Vec<PathBuf>),
    /// Remove deleted runs permanently.
    RemoveRuns(Vec<PathBuf>),
    /// Undo the newest change of notes or tags, or the newest deletion, whichever message is still shown; else restore the
    /// runs of the newest deletion. The window handles it.
    UndoNewest,
    /// Compare saved runs; the first is the baseline.
    Compare(Vec<PathBuf>),
    /// Show a page.
    GoTo(PageId),
    /// Apply these settings of the app and save them.
    Set(Box<Settings>),
    /// Ask for a folder, and save runs there from now on.
    AskForFolder,
    /// Answer the question for a path that the window shows; `None` means "Cancel".
    AnswerPath(Option<PathBuf>),
    /// Test the capabilities and read the facts of the machine again.
    ReadMachine,
    /// Show the list of hosts to select from.
    ShowHosts,
    /// Select where tests run, or change the list of hosts.
    Host(HostAction),
    /// Request administrator rights, then carry out this action with these rights.
    MeasureWithRights(Box<Self>),
    /// Read the noise floor of this machine from the saved runs.
    ReadNoise,
    /// Measure the noise floor of this machine: repeats the frame loop.
    MeasureNoise,
    /// Show a message as a toast.
    Tell(String),
    /// Show or hide the list of keyboard shortcuts.
    ShowKeys,
}

impl Action {
    /// Returns whether both actions change back the same fields of the same runs.
    pub fn undoes_same_fields(&self, other: &Self) -> bool {
        let (Self::UndoEdits(own), Self::UndoEdits(others)) = (self, other) else { return false };
        own.len() == others.len()
            && own.iter().zip(others).all(|((path, edit), (of, other))| {
                path == of && mem::discriminant(edit) == mem::discriminant(other)
            })
    }
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Information.
    Info,
    /// Something was deleted and can be restored.
    Undo,
    /// A warning: something works only in part or may be improved.
    Warning,
    /// An error: something failed.
    Error,
}

/// A message to the user, shown as a toast.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The severity of the message.
    pub kind: NoticeKind,
    /// What happened, and what the user can do.
    pub text: String,
    /// The label of a button, and the action that it requests.
    pub action: Option<(String, Action)>,
}

impl Notice {
    /// Creates an information.
    pub fn info(text: impl Into<String>) -> Self {
        Self { kind: NoticeKind::Info, text: text.into(), action: None }
    }

    /// Creates a warning with a button.
    pub fn warning(text: impl Into<String>, action: (String, Action)) -> Self {
        Self { kind: NoticeKind::Warning, text: text.into(), action: Some(action) }
    }

    /// Creates an error.
    pub fn error(text: impl Into<String>) -> Self {
        Self { kind: NoticeKind::Error, text: text.into(), action: None }
    }

    /// Creates the message after `entries` list entries with these files (at least one) were
    /// deleted.
    pub fn deleted(paths: Vec<PathBuf>, entries: usize) -> Self {
        let text = match entries {
            1 => "Deleted 1 run".to_owned(),
            count => format!("Deleted {count} runs"),
        };
        let undo = Some(("Undo".to_owned(), Action::RestoreRuns(paths)));
        Self { kind: NoticeKind::Undo, text, action: undo }
    }

    /// Creates the message after the notes or tags of runs were changed; `undo` changes them back, one edit per run.
    pub fn edited(undo: Vec<(PathBuf, Edit)>) -> Self {
        let (what, label) = match undo.first() {
            Some((_, Edit::Note(_))) => ("Note", "Undo note"),
            _ => ("Tags", "Undo tags"),
        };
        let text = match undo.len() {
            1 => format!("{what} of 1 run changed"),
            count => format!("{what} of {count} runs changed"),
        };
        Self { action: Some((label.to_owned(), Action::UndoEdits(undo))), ..Self::info(text) }
    }

    /// Creates the message after runs of a killed program were recovered; there is at least one.
    pub fn recovered(paths: &[PathBuf]) -> Self {
        let text = match paths.len() {
            1 => "A test was interrupted when the app ended. Its data was recovered.".to_owned(),
            count => format!(
                "{count} tests were interrupted when the app ended. Their data was recovered."
            ),
        };
        let open = paths.last().map(|path| ("Open".to_owned(), Action::OpenRun(path.clone())));
        Self { kind: NoticeKind::Warning, text, action: open }
    }
}
