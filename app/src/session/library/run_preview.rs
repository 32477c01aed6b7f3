//! Previews of saved runs and dragged files. They are read on a background thread, never while a
//! test runs, and cached until the file changes.

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

use super::{Library, LibraryMessage};
use crate::session::action::Action;

/// Maximum number of cached previews.
const MAX_RUNS: usize = 8;
/// Maximum number of dragged files for which a preview is read.
const MAX_FILES: usize = 16;

/// The preview of a saved run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPreview {
    /// The name of the processor.
    pub processor: String,
    /// The operating system in a few words.
    pub system: String,
    /// The name of the measured value, such as "lateness".
    pub value_name: &'static str,
    /// The name of the samples, such as "frames".
    pub samples_name: &'static str,
    /// Names and values of all settings that had an effect.
    pub settings: Vec<(&'static str, String)>,
    /// The previews of the configurations.
    pub rows: Vec<ConfigurationPreview>,
    /// The index of the configuration to show at first: the recommended one.
    pub first: usize,
    /// SHA-256 of the file, as hexadecimal digits.
    pub checksum: String,
    /// SHA-256 of the measured data, as hexadecimal digits.
    pub measurement: String,
}

/// The preview of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigurationPreview {
    /// The name of the configuration.
    pub label: String,
    /// The requested priority and pinning.
    pub requested: String,
    /// The applied priority and pinning; `None` if no trial of the configuration started.
    pub granted: Option<String>,
    /// Whether the system applied everything as requested.
    pub is_as_requested: bool,
    /// The histogram of the measured values, in nanoseconds.
    pub histogram: LogHistogram,
}

/// The kind of a dragged item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraggedItem {
    /// A folder; all supported files in it are opened.
    Folder,
    /// A file, with its kind detected from its first bytes.
    File(DetectedKind),
    /// A file that cannot be read.
    Closed,
}

/// Size in bytes and modification time of a file, to detect that the file has changed.
type FileStamp = (u64, Option<SystemTime>);

/// The result of reading a preview: the preview or an error; `None` if the file has not changed.
type PreviewResult = Option<Result<Arc<RunPreview>, String>>;

/// Messages of the preview thread.
#[derive(Debug)]
pub(super) enum PreviewUpdate {
    /// Previews of saved runs.
    Runs(Vec<(PathBuf, Option<FileStamp>, PreviewResult)>),
    /// Kinds of dragged files.
    Files(Vec<(PathBuf, DraggedItem)>),
}

/// A preview in the cache. `look` is `None` while the preview is requested but not yet read.
#[derive(Debug)]
struct CacheEntry {
    path: PathBuf,
    /// The version of the list at which the preview was last requested.
    version: u64,
    stamp: Option<FileStamp>,
    look: PreviewResult,
}

/// The cached previews.
#[derive(Debug, Default)]
pub(super) struct PreviewCache {
    runs: Vec<CacheEntry>,
    /// The dragged files that were last requested.
    requested: Vec<PathBuf>,
    files: Vec<(PathBuf, DraggedItem)>,
}

impl PreviewCache {
    /// Stores previews that were read.
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
    /// Returns the preview of a saved run, or why it cannot be read; `None` until it is available.
    pub fn run_preview(&self, path: &Path) -> Option<Result<&Arc<RunPreview>, &str>> {
        let known = self.previews.runs.iter().find(|known| known.path == path)?;
        Some(known.look.as_ref()?.as_ref().map_err(String::as_str))
    }

    /// Returns the action that reads the previews of runs in `paths` that were not requested since
    /// the list changed; `None` if all were requested.
    pub(in crate::session) fn request_previews(&self, paths: &[PathBuf]) -> Option<Action> {
        let is_known = |path: &PathBuf| {
            self.previews.runs.iter().any(|one| one.path == *path && one.version == self.version)
        };
        let wanted: Vec<PathBuf> =
            paths.iter().filter(|path| !is_known(path)).take(MAX_RUNS).cloned().collect();
        (!wanted.is_empty()).then_some(Action::PreviewRuns(wanted))
    }

    /// Returns the kind of a dragged file; `None` until it is available.
    pub fn dragged(&self, path: &Path) -> Option<DraggedItem> {
        self.previews.files.iter().find(|(of, _)| of == path).map(|(_, dragged)| *dragged)
    }

    /// Returns the action that reads the kinds of dragged files; `None` if they were requested
    /// already.
    pub(in crate::session) fn ask_for_dragged(&self, paths: &[PathBuf]) -> Option<Action> {
        (self.previews.requested != paths).then(|| Action::LookAtDragged(paths.to_vec()))
    }

    /// Starts to read previews of saved runs.
    pub(in crate::session) fn preview_runs(&mut self, paths: Vec<PathBuf>) {
        let version = self.version;
        let mut requested = Vec::new();
        for path in paths {
            let known = self.previews.runs.iter().position(|known| known.path == path);
            // Move the entry to the end of the cache: the least recently used one is removed first.
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
        self.tasks.spawn("preview-runs", read_preview, LibraryMessage::Previewed);
    }

    /// Starts to read the kinds of dragged files.
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
        self.tasks.spawn("dragged", read_preview, LibraryMessage::Previewed);
    }
}

/// Reads the preview of a run if its file has changed since `before`.
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

    /// Returns the configuration with this label, or else the configuration to show at first.
    pub fn row(&self, label: Option<&str>) -> Option<&ConfigurationPreview> {
        let named = label.and_then(|label| self.rows.iter().find(|row| row.label == label));
        named.or_else(|| self.rows.get(self.first))
    }

    /// Returns the number of configurations that did not run as requested.
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

/// Returns a configuration label that all of these runs have, preferably the one that the first run
/// shows at first; `None` if they have no label in common.
pub fn common_label<'a>(previews: &[&'a RunPreview]) -> Option<&'a str> {
    let (first, others) = previews.split_first()?;
    let is_in_all =
        |label: &str| others.iter().all(|other| other.rows.iter().any(|row| row.label == label));
    let preferred = first.rows.get(first.first);
    let labels = preferred.into_iter().chain(&first.rows).map(|row| row.label.as_str());
    labels.into_iter().find(|label| is_in_all(label))
}
