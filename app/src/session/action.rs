//! Actions that pages request, and messages that the session shows.

use std::path::PathBuf;

use jitterscope_engine::import::{Column, Series};
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::SystemTool;
use jitterscope_engine::run::{Annotation, Run};
use jitterscope_engine::store::edit::Edit;

use super::export_request::{ExportKind, ExportRequest, Subject};
use super::host_action::HostAction;
use super::settings::Settings;

/// A page of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageId {
    /// The quick check.
    Quick,
    /// A kind of test, by its key.
    Test(&'static str),
    /// The saved runs.
    Runs,
    /// An imported run.
    Capture,
    /// Runs side by side.
    Compare,
    /// The machine, and what it allows.
    Machine,
    /// The user's settings.
    Settings,
    /// The first page of the first start.
    Welcome,
}

impl PageId {
    /// The page that shows a run.
    pub fn of(run: &Run) -> Self {
        run.plan().map_or(Self::Capture, |plan| Self::Test(plan.key()))
    }

    /// The word by which the page is remembered.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Test(key) => key,
            Self::Runs => "runs",
            Self::Capture => "capture",
            Self::Compare => "compare",
            Self::Machine => "machine",
            Self::Settings => "settings",
            Self::Welcome => "welcome",
        }
    }
}

/// An example to open.
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
}

/// What a page asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Start the test of this key with its settings.
    Run(&'static str),
    /// Measure the settings of the result on screen again, once and with a trace, whatever the test is set to.
    RunAgainWithTrace(&'static str),
    /// Start the quick check.
    RunQuick,
    /// Start the quick check as soon as other programs are quiet.
    RunQuickWhenQuiet,
    /// Measure the settings of the result of this test again as soon as other programs are quiet.
    RunWhenQuiet(&'static str),
    /// Measure on what is undecided in the quick check on screen.
    MeasureLonger,
    /// Measure on what is undecided in the result of this test.
    MeasureTestLonger(&'static str),
    /// Show the frames of a change of what helps with those of its baseline, by its position among the results.
    OpenChange {
        /// The key of the test.
        test: &'static str,
        /// Which.
        change: usize,
    },
    /// Measure what waits even while other programs are busy.
    MeasureWithoutWaiting,
    /// Skip the part of the quick check that is measured.
    SkipQuickPart,
    /// Take a part into the next quick check, or leave it out.
    ChooseQuickPart {
        /// Which.
        part: Part,
        /// Whether it is selected.
        is_selected: bool,
    },
    /// Show a quick check that was saved as these runs.
    OpenQuick(Vec<PathBuf>),
    /// Repeat a test this many times whenever it is started.
    SetRepeat {
        /// The key of the test.
        test: &'static str,
        /// How often: 1 to 20.
        times: u32,
    },
    /// Change whether a test records a trace of the CPUs.
    SetTrace {
        /// The key of the test.
        test: &'static str,
        /// Whether.
        trace: TraceMode,
    },
    /// Make runs group A (0) or B (1); compare the groups where both have runs.
    SetGroup {
        /// Which: 0 or 1.
        side: usize,
        /// The runs.
        paths: Vec<PathBuf>,
    },
    /// Compare the runs of group B with those of group A.
    CompareGroups([Vec<PathBuf>; 2]),
    /// Re-run the settings of the two compared runs, interleaved, this many times each.
    Alternate(u32),
    /// Stop the active run; an old one only after confirmation.
    Stop,
    /// Stop the active run without confirmation.
    StopAtOnce,
    /// Take these settings.
    SetPlan(Plan),
    /// Take the settings of a preset.
    ChoosePreset {
        /// The key of the test.
        test: &'static str,
        /// The key of the preset.
        preset: &'static str,
    },
    /// Save the settings of a test as a preset of this name, which replaces one of the same name.
    SavePreset {
        /// The key of the test.
        test: &'static str,
        /// The name.
        name: String,
    },
    /// Take the settings of an own preset.
    ChooseOwnPreset {
        /// The key of the test.
        test: &'static str,
        /// The name.
        name: String,
    },
    /// Give an own preset another name; it replaces one that has this name.
    RenamePreset {
        /// The key of the test.
        test: &'static str,
        /// The name that it has.
        name: String,
        /// The name that it gets.
        to: String,
    },
    /// Ask where an own preset goes, and write it as a file.
    ExportPreset {
        /// The key of the test.
        test: &'static str,
        /// The name.
        name: String,
    },
    /// Delete an own preset.
    DeletePreset {
        /// The key of the test.
        test: &'static str,
        /// The name.
        name: String,
    },
    /// Take the settings with which the result on screen was measured.
    ShowSettingsOfResult(&'static str),
    /// Open a saved run.
    OpenRun(PathBuf),
    /// Open an example without saving it.
    OpenExample(Example),
    /// Ask for files and open them.
    AskForFile,
    /// Open files of any kind that can be read, and all in these folders.
    OpenFiles(Vec<PathBuf>),
    /// Take this series of a file that holds several; `None` skips the file.
    ChooseSeries(Option<Series>),
    /// Take this column of a file with columns as its frame times; `None` leaves the file out.
    ChooseColumn(Option<Column>),
    /// Open the export dialog, with this format selected if one is named.
    Export {
        /// What is written.
        subject: Subject,
        /// As what.
        kind: Option<ExportKind>,
    },
    /// Make a preview of the export.
    PreviewExport(ExportRequest),
    /// Ask where the export goes, and write it.
    SaveExport(ExportRequest),
    /// Replace the files that exist, or write none.
    ReplaceFiles(bool),
    /// Put the export into the clipboard.
    CopyExport(ExportRequest),
    /// Write the report where only a browser looks for it, and open it there.
    OpenReport(ExportRequest),
    /// Leave the export.
    CloseExport,
    /// Put text for a ticket into the clipboard.
    CopyForTicket(Subject),
    /// Read previews of saved runs.
    PreviewRuns(Vec<PathBuf>),
    /// Read previews of files over the window.
    LookAtDragged(Vec<PathBuf>),
    /// Open a file or a folder with what the system has for it.
    OpenOutside(PathBuf),
    /// Open a window of the desktop.
    OpenTool(SystemTool),
    /// Read the folder of runs again.
    RefreshLibrary,
    /// Change the user's description of saved runs.
    EditRuns(Vec<(PathBuf, Edit)>),
    /// Mark this moment of the trial that is measured; its run is annotated with it.
    Mark,
    /// Replace the annotations of the result on screen, and save them with its run.
    Annotate {
        /// The key of the test.
        test: &'static str,
        /// All annotations of the run.
        annotations: Vec<Annotation>,
    },
    /// Take saved runs away, for good in a week.
    DeleteRuns(Vec<PathBuf>),
    /// Restore deleted runs.
    RestoreRuns(Vec<PathBuf>),
    /// Remove deleted runs for good.
    RemoveRuns(Vec<PathBuf>),
    /// Restore what was deleted last.
    Undo,
    /// Compare saved runs, the first as the baseline.
    Compare(Vec<PathBuf>),
    /// Show a page.
    GoTo(PageId),
    /// Take these settings of the app, and keep them.
    Set(Box<Settings>),
    /// Ask for a folder and save runs there.
    AskForFolder,
    /// Take this path as the answer to the question of the window; `None` is "cancel".
    AnswerPath(Option<PathBuf>),
    /// Test the capabilities again, and read the machine again.
    ReadMachine,
    /// Show the host chooser.
    ShowHosts,
    /// Change where tests run, or the hosts for it.
    Host(HostAction),
    /// Request administrator rights, and do this with them.
    MeasureWithRights(Box<Self>),
    /// Read the noise floor of this machine from the saved runs.
    ReadNoise,
    /// Measure it: the frame loop's settings, several times.
    MeasureNoise,
    /// Show a toast.
    Tell(String),
    /// Show or hide the list of keys.
    ShowKeys,
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Good to know.
    Info,
    /// Something was deleted and can be restored.
    Undo,
    /// Something is less good than it could be.
    Warning,
    /// Something did not work.
    Error,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// How loud it is.
    pub kind: NoticeKind,
    /// What happened and what can be done.
    pub text: String,
    /// A button: its words and what it does.
    pub action: Option<(String, Action)>,
}

impl Notice {
    /// Good to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self { kind: NoticeKind::Info, text: text.into(), action: None }
    }

    /// Something is less good than it could be, with a button.
    pub fn warning(text: impl Into<String>, action: (String, Action)) -> Self {
        Self { kind: NoticeKind::Warning, text: text.into(), action: Some(action) }
    }

    /// Something did not work.
    pub fn error(text: impl Into<String>) -> Self {
        Self { kind: NoticeKind::Error, text: text.into(), action: None }
    }

    /// Runs were deleted, at least one: the files of this many entries of the list.
    pub fn deleted(paths: Vec<PathBuf>, entries: usize) -> Self {
        let text = match entries {
            1 => "Deleted 1 run".to_owned(),
            count => format!("Deleted {count} runs"),
        };
        let undo = Some(("Undo".to_owned(), Action::RestoreRuns(paths)));
        Self { kind: NoticeKind::Undo, text, action: undo }
    }

    /// Runs were found that a killed program left behind; there is at least one.
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
