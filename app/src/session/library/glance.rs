//! Saved runs and dragged files at a glance: what is said of them before anyone opens them. They are read on
//! a thread of their own, never while a test runs, and kept for as long as the files stay as they are.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use jitterscope_engine::export::default_row;
use jitterscope_engine::format::checksum::sha256_of;
use jitterscope_engine::import::{Likely, likely};
use jitterscope_engine::plan::Plan;
use jitterscope_engine::report::{Options, Report, Row};
use jitterscope_engine::run::Run;
use jitterscope_engine::stats::LogHistogram;
use jitterscope_engine::store;

use super::{Library, Message};
use crate::session::action::Action;
use crate::session::comparing::{BINS_A_DECADE, FIRST_BIN};

/// Runs of which a glance is kept.
const MOST_RUNS: usize = 8;
/// Files over the window that are looked at.
const MOST_FILES: usize = 16;

/// A saved run at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
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
    pub rows: Vec<GlanceRow>,
    /// The one to show first: the recommended one.
    pub first: usize,
    /// SHA-256 of the file.
    pub checksum: String,
}

/// One configuration at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct GlanceRow {
    /// Its name.
    pub label: String,
    /// What was asked of the system.
    pub asked: String,
    /// What it granted; absent where nothing was asked of it.
    pub granted: Option<String>,
    /// Whether that is what was asked.
    pub is_as_asked: bool,
    /// How often each value was seen.
    pub histogram: LogHistogram,
}

/// What a dragged file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dragged {
    /// A folder, of which all that can be read is opened.
    Folder,
    /// A file that is likely to be this.
    File(Likely),
    /// It cannot be read.
    Closed,
}

/// What tells that a file is still the one that was read.
type Stamp = (u64, Option<SystemTime>);

/// What came of a look at a run; nothing where its file is as it was.
type Look = Option<Result<Arc<Glance>, String>>;

/// What the thread that looks has to tell.
#[derive(Debug)]
pub(super) enum Told {
    /// Of saved runs.
    Runs(Vec<(PathBuf, Option<Stamp>, Look)>),
    /// Of files over the window.
    Files(Vec<(PathBuf, Dragged)>),
}

/// A run that was looked at, or is about to be.
#[derive(Debug)]
struct Known {
    path: PathBuf,
    /// Of which list it was looked up.
    version: u64,
    stamp: Option<Stamp>,
    look: Look,
}

/// What a session remembers of looks.
#[derive(Debug, Default)]
pub(super) struct Glances {
    runs: Vec<Known>,
    /// The files that were asked about last, and what they are once that is known.
    asked: Vec<PathBuf>,
    files: Vec<(PathBuf, Dragged)>,
}

impl Glances {
    /// Takes in what a look told.
    pub(super) fn take_in(&mut self, told: Told) {
        match told {
            Told::Runs(looks) => {
                for (path, stamp, look) in looks {
                    let known = self.runs.iter_mut().find(|known| known.path == path);
                    if let (Some(known), Some(look)) = (known, look) {
                        (known.stamp, known.look) = (stamp, Some(look));
                    }
                }
            }
            Told::Files(files) => self.files = files,
        }
    }
}

impl Library {
    /// A saved run at a glance, or why it cannot be read; `None` until it was looked at.
    pub(in crate::session) fn glance(&self, path: &Path) -> Option<Result<&Arc<Glance>, &str>> {
        let known = self.glances.runs.iter().find(|known| known.path == path)?;
        Some(known.look.as_ref()?.as_ref().map_err(String::as_str))
    }

    /// Asks for a look at those of these runs that were not looked at since the list changed.
    pub(in crate::session) fn ask_for_glance(&self, paths: &[PathBuf]) -> Option<Action> {
        let is_known = |path: &PathBuf| {
            self.glances.runs.iter().any(|one| one.path == *path && one.version == self.version)
        };
        let wanted: Vec<PathBuf> =
            paths.iter().filter(|path| !is_known(path)).take(MOST_RUNS).cloned().collect();
        (!wanted.is_empty()).then_some(Action::GlanceAt(wanted))
    }

    /// What a file over the window is; `None` until it was looked at.
    pub(in crate::session) fn dragged(&self, path: &Path) -> Option<Dragged> {
        self.glances.files.iter().find(|(of, _)| of == path).map(|(_, dragged)| *dragged)
    }

    /// Asks for a look at files over the window, unless it was asked for.
    pub(in crate::session) fn ask_for_dragged(&self, paths: &[PathBuf]) -> Option<Action> {
        (self.glances.asked != paths).then(|| Action::LookAtDragged(paths.to_vec()))
    }

    /// Looks at saved runs.
    pub(in crate::session) fn glance_at(&mut self, paths: Vec<PathBuf>) {
        let version = self.version;
        let mut asked = Vec::new();
        for path in paths {
            let known = self.glances.runs.iter().position(|known| known.path == path);
            // The last one looked at comes last; the first is forgotten first.
            let mut known = match known {
                Some(at) => self.glances.runs.remove(at),
                None => Known { path: path.clone(), version, stamp: None, look: None },
            };
            known.version = version;
            asked.push((path, known.stamp.filter(|_| known.look.is_some())));
            self.glances.runs.push(known);
        }
        let many = self.glances.runs.len().saturating_sub(MOST_RUNS);
        self.glances.runs.drain(..many);
        let look_at = move || {
            let looks = asked.into_iter().map(|(path, before)| look(path, before));
            Ok(Told::Runs(looks.collect()))
        };
        self.tasks.spawn("glance", look_at, Message::Glanced);
    }

    /// Looks at files over the window.
    pub(in crate::session) fn look_at_dragged(&mut self, paths: Vec<PathBuf>) {
        self.glances.files.clear();
        self.glances.asked.clone_from(&paths);
        let look_at = move || {
            let files = paths.into_iter().take(MOST_FILES).map(|path| {
                let dragged = if path.is_dir() {
                    Dragged::Folder
                } else if path.is_file() {
                    likely(&path).map_or(Dragged::Closed, Dragged::File)
                } else {
                    Dragged::Closed
                };
                (path, dragged)
            });
            Ok(Told::Files(files.collect()))
        };
        self.tasks.spawn("dragged", look_at, Message::Glanced);
    }
}

/// Looks at a run, unless its file is still the one it was.
fn look(path: PathBuf, before: Option<Stamp>) -> (PathBuf, Option<Stamp>, Look) {
    let stamp = std::fs::metadata(&path).ok().map(|file| (file.len(), file.modified().ok()));
    if stamp.is_some() && stamp == before {
        return (path, stamp, None);
    }
    let look = store::load(&path).map_err(|error| error.to_string()).and_then(|run| {
        let sum = File::open(&path).and_then(sha256_of).map_err(|error| error.to_string())?;
        Ok(Arc::new(Glance::of(&run, sum)))
    });
    (path, stamp, Some(look))
}

impl Glance {
    fn of(run: &Run, checksum: String) -> Self {
        let report = Report::of(run, &Options::default());
        let settings = run.plan().map_or_else(Vec::new, Plan::settings);
        Self {
            processor: run.machine.cpu_model.clone().unwrap_or_default(),
            system: run.machine.system(),
            value_name: run.subject.value_name(),
            samples_name: run.subject.samples_name(),
            settings: settings.into_iter().map(|one| (one.label, one.value)).collect(),
            rows: report.rows.iter().map(|row| GlanceRow::of(run, row)).collect(),
            first: default_row(&report).unwrap_or(0),
            checksum,
        }
    }

    /// The configuration of that name, else the one to show first.
    pub fn row(&self, label: Option<&str>) -> Option<&GlanceRow> {
        let named = label.and_then(|label| self.rows.iter().find(|row| row.label == label));
        named.or_else(|| self.rows.get(self.first))
    }

    /// How many configurations did not run as they were asked to.
    pub fn refused(&self) -> usize {
        self.rows.iter().filter(|row| row.granted.is_some() && !row.is_as_asked).count()
    }
}

impl GlanceRow {
    fn of(run: &Run, row: &Row) -> Self {
        let trials = row.trials.iter().filter_map(|&trial| run.trials.get(trial));
        let mut histogram = LogHistogram::new(FIRST_BIN, BINS_A_DECADE);
        for trial in trials {
            for value in trial.values() {
                histogram.add(value);
            }
        }
        Self {
            label: row.label.clone(),
            asked: row.conditions.to_string(),
            granted: row.granted.is_some().then(|| row.granted_text()),
            is_as_asked: row.is_as_asked(),
            histogram,
        }
    }
}

/// A label that all of these runs have: that which the first one shows first, else any.
pub fn common_label<'a>(glances: &[&'a Glance]) -> Option<&'a str> {
    let (first, others) = glances.split_first()?;
    let is_in_all =
        |label: &str| others.iter().all(|other| other.rows.iter().any(|row| row.label == label));
    let preferred = first.rows.get(first.first);
    let labels = preferred.into_iter().chain(&first.rows).map(|row| row.label.as_str());
    labels.into_iter().find(|label| is_in_all(label))
}
