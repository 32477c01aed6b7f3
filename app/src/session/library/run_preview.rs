//! Previews of saved runs and dragged files. They are read on a separate thread, never while a test runs, and
//! cached until the file changes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jitterscope_engine::export::default_row;
use jitterscope_engine::format::checksum::sha256_of;
use jitterscope_engine::format::measurement_sum;
use jitterscope_engine::import::{DetectedKind, detect_kind};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::{Configuration, Options, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::LogHistogram;
use jitterscope_engine::store;

use super::{Library, Message};
use crate::session::action::Action;

/// Number of cached previews.
const MAX_RUNS: usize = 8;
/// Files over the window that are looked at.
const MAX_FILES: usize = 16;

/// The preview of a saved run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPreview {
    /// The processor.
    pub processor: String,
    /// The system in a word or two.
    pub system: String,
    /// What the test is about: "lateness".
    pub value_name: &'static str,
    /// What its samples are called: "frames".
    pub samples_name: &'static str,
    /// Every setting that had an effect, by its name.
    pub settings: Vec<(&'static str, String)>,
    /// The configurations.
    pub rows: Vec<ConfigurationPreview>,
    /// The one to show first: the recommended one.
    pub first: usize,
    /// SHA-256 of the file.
    pub checksum: String,
    /// SHA-256 of what was measured.
    pub measurement: String,
}

/// The preview of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigurationPreview {
    /// Its name.
    pub label: String,
    /// What was requested of the system.
    pub requested: String,
    /// What applied; absent where nothing was requested.
    pub granted: Option<String>,
    /// Whether it applied as requested.
    pub is_as_requested: bool,
    /// How often each value was seen.
    pub histogram: LogHistogram,
}

/// What a dragged file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraggedItem {
    /// A folder, of which all that can be read is opened.
    Folder,
    /// A file that looks like this kind.
    File(DetectedKind),
    /// It cannot be read.
    Closed,
}

/// What shows that a file is still the one that was read.
type FileStamp = (u64, Option<SystemTime>);

/// The outcome of a look at a run; nothing where its file is as it was.
type PreviewResult = Option<Result<Arc<RunPreview>, String>>;

/// What the thread that looks has to tell.
#[derive(Debug)]
pub(super) enum PreviewUpdate {
    /// Of saved runs.
    Runs(Vec<(PathBuf, Option<FileStamp>, PreviewResult)>),
    /// Of files over the window.
    Files(Vec<(PathBuf, DraggedItem)>),
}

/// A run whose preview was read or requested.
#[derive(Debug)]
struct CacheEntry {
    path: PathBuf,
    /// Of which list it was looked up.
    version: u64,
    stamp: Option<FileStamp>,
    look: PreviewResult,
}

/// The cached previews.
#[derive(Debug, Default)]
pub(super) struct PreviewCache {
    runs: Vec<CacheEntry>,
    /// The files that were asked about last, and what they are once that is known.
    requested: Vec<PathBuf>,
    files: Vec<(PathBuf, DraggedItem)>,
}

impl PreviewCache {
    /// Takes in previews that were read.
    pub(super) fn apply_update(&mut self, update: PreviewUpdate) {
        match update {
            PreviewUpdate::Runs(looks) => {
                for (path, stamp, look) in looks {
                    let known = self.runs.iter_mut().find(|known| known.path == path);
                    if let (Some(known), Some(look)) = (known, look) {
                        (known.stamp, known.look) = (stamp, Some(look));
                    }
                }
            }
            PreviewUpdate::Files(files) => self.files = files,
        }
    }
}

impl Library {
    /// The preview of a saved run, or why it cannot be read; `None` until it was read.
    pub fn run_preview(&self, path: &Path) -> Option<Result<&Arc<RunPreview>, &str>> {
        let known = self.previews.runs.iter().find(|known| known.path == path)?;
        Some(known.look.as_ref()?.as_ref().map_err(String::as_str))
    }

    /// Requests previews of those runs whose preview is older than the list.
    pub(in crate::session) fn request_previews(&self, paths: &[PathBuf]) -> Option<Action> {
        let is_known = |path: &PathBuf| {
            self.previews.runs.iter().any(|one| one.path == *path && one.version == self.version)
        };
        let wanted: Vec<PathBuf> =
            paths.iter().filter(|path| !is_known(path)).take(MAX_RUNS).cloned().collect();
        (!wanted.is_empty()).then_some(Action::PreviewRuns(wanted))
    }

    /// What a file over the window is; `None` until it was read.
    pub fn dragged(&self, path: &Path) -> Option<DraggedItem> {
        self.previews.files.iter().find(|(of, _)| of == path).map(|(_, dragged)| *dragged)
    }

    /// Requests previews of files over the window, unless they were requested.
    pub(in crate::session) fn ask_for_dragged(&self, paths: &[PathBuf]) -> Option<Action> {
        (self.previews.requested != paths).then(|| Action::LookAtDragged(paths.to_vec()))
    }

    /// Reads previews of saved runs.
    pub(in crate::session) fn preview_runs(&mut self, paths: Vec<PathBuf>) {
        let version = self.version;
        let mut requested = Vec::new();
        for path in paths {
            let known = self.previews.runs.iter().position(|known| known.path == path);
            // The last one looked at comes last; the first is forgotten first.
            let mut known = match known {
                Some(at) => self.previews.runs.remove(at),
                None => CacheEntry { path: path.clone(), version, stamp: None, look: None },
            };
            known.version = version;
            requested.push((path, known.stamp.filter(|_| known.look.is_some())));
            self.previews.runs.push(known);
        }
        let many = self.previews.runs.len().saturating_sub(MAX_RUNS);
        self.previews.runs.drain(..many);
        let read_preview = move || {
            let looks = requested.into_iter().map(|(path, before)| look(path, before));
            Ok(PreviewUpdate::Runs(looks.collect()))
        };
        self.tasks.spawn("preview-runs", read_preview, Message::Previewed);
    }

    /// Reads previews of files over the window.
    pub(in crate::session) fn look_at_dragged(&mut self, paths: Vec<PathBuf>) {
        self.previews.files.clear();
        self.previews.requested.clone_from(&paths);
        let read_preview = move || {
            let files = paths.into_iter().take(MAX_FILES).map(|path| {
                let dragged = if path.is_dir() {
                    DraggedItem::Folder
                } else if path.is_file() {
                    detect_kind(&path).map_or(DraggedItem::Closed, DraggedItem::File)
                } else {
                    DraggedItem::Closed
                };
                (path, dragged)
            });
            Ok(PreviewUpdate::Files(files.collect()))
        };
        self.tasks.spawn("dragged", read_preview, Message::Previewed);
    }
}

/// Reads the preview of a run whose file has changed.
fn look(path: PathBuf, before: Option<FileStamp>) -> (PathBuf, Option<FileStamp>, PreviewResult) {
    let stamp = std::fs::metadata(&path).ok().map(|file| (file.len(), file.modified().ok()));
    if stamp.is_some() && stamp == before {
        return (path, stamp, None);
    }
    let look = store::load(&path).map_err(|error| error.to_string()).and_then(|run| {
        let sum = File::open(&path).and_then(sha256_of).map_err(|error| error.to_string())?;
        Ok(Arc::new(RunPreview::of(&run, sum)))
    });
    (path, stamp, Some(look))
}

impl RunPreview {
    fn of(run: &Run, checksum: String) -> Self {
        let report = Report::of(run, &Options::default());
        let settings = run.plan().map_or_else(Vec::new, Plan::settings);
        Self {
            processor: run.machine.cpu_model.clone().unwrap_or_default(),
            system: run.machine.system(),
            value_name: run.subject.value_name(),
            samples_name: run.subject.samples_name(),
            settings: settings.into_iter().map(|one| (one.name, one.value)).collect(),
            rows: report.rows.iter().map(|row| ConfigurationPreview::of(run, row)).collect(),
            first: default_row(&report).unwrap_or(0),
            checksum,
            measurement: measurement_sum(run),
        }
    }

    /// The configuration of that name, else the one to show first.
    pub fn row(&self, label: Option<&str>) -> Option<&ConfigurationPreview> {
        let named = label.and_then(|label| self.rows.iter().find(|row| row.label == label));
        named.or_else(|| self.rows.get(self.first))
    }

    /// Number of configurations that did not run as requested.
    pub fn refused(&self) -> usize {
        self.rows.iter().filter(|row| row.granted.is_some() && !row.is_as_requested).count()
    }
}

impl ConfigurationPreview {
    fn of(run: &Run, row: &Configuration) -> Self {
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        let mut histogram = LogHistogram::default();
        for trial in trials {
            for value in trial.values() {
                histogram.add(value);
            }
        }
        Self {
            label: row.label.clone(),
            requested: row.conditions.to_string(),
            granted: row.granted.is_some().then(|| row.applied_text()),
            is_as_requested: row.is_as_requested(),
            histogram,
        }
    }
}

/// A label that all of these runs have: that which the first one shows first, else any.
pub fn common_label<'a>(previews: &[&'a RunPreview]) -> Option<&'a str> {
    let (first, others) = previews.split_first()?;
    let is_in_all =
        |label: &str| others.iter().all(|other| other.rows.iter().any(|row| row.label == label));
    let preferred = first.rows.get(first.first);
    let labels = preferred.into_iter().chain(&first.rows).map(|row| row.label.as_str());
    labels.into_iter().find(|label| is_in_all(label))
}
