//! The saved runs: lists, changes, and opens them.

mod checks;
mod deleted;
mod folder;
mod run_preview;

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, mem, slice};

use jitterscope_engine::stats::Outcome;
use jitterscope_engine::store::edit::Edit;
use jitterscope_engine::store::{Recovery, Store};

use super::action::{Action, Notice};
use super::part::{Context, Part, Request};
use super::shown::{LateFocus, LoadedRun};
use super::task::{TaskHost, Tasks, Watch};
use crate::run_list::trend;
use crate::run_list::{LibraryItem, RunListEntry};
use crate::text;
use folder::{ListedState, Listing};
use run_preview::PreviewCache;

pub use deleted::DeletedItem;
pub use run_preview::{ConfigurationPreview, DraggedItem, RunPreview, common_label};

/// Messages of the library tasks.
enum LibraryMessage {
    /// The journals of ended processes were recovered as runs.
    Recovered(Result<Vec<Recovery>, String>),
    /// The folder of runs was listed.
    Listed {
        /// The number of the listing: listings may end in another order than they began.
        turn: u64,
        result: Result<Listing, String>,
    },
    /// Saved runs were changed.
    Changed(Result<(), String>),
    /// Runs were restored from the trash.
    Restored { files: Vec<PathBuf>, result: Result<(), String> },
    /// The folder of runs has changed: another program may have saved or deleted a run.
    FolderChanged,
    /// Saved runs were moved to the trash.
    SetAside {
        aside: Vec<PathBuf>,
        /// The number of affected list entries.
        entries: usize,
        /// Why some runs were not moved.
        error: Option<String>,
    },
    /// A run was opened.
    Opened(Result<Box<LoadedRun>, String>),
    /// Previews of saved runs or dragged files were read.
    Previewed(Result<run_preview::PreviewUpdate, String>),
}

/// The library of saved runs.
#[derive(Debug)]
pub struct Library {
    tasks: Tasks<LibraryMessage>,
    /// The store in which runs are saved; `None` if runs cannot be saved.
    pub store: Option<Store>,
    folder_watch: Option<Watch>,
    listed: ListedState,
    /// The list entries, newest first; `None` until the first listing is complete.
    pub items: Option<Vec<LibraryItem>>,
    /// The path of every entry that was listed so far; `None` until the first listing.
    seen: Option<HashSet<PathBuf>>,
    /// Incremented whenever the runs have been listed again.
    pub version: u64,
    /// The number of listings requested so far.
    lists: u64,
    /// The number of the latest listing that is shown.
    shown_list: u64,
    /// The entries of the trash.
    pub deleted: Vec<DeletedItem>,
    /// The files in the trash from each deletion since the start of the app, oldest first.
    deletions: Vec<Vec<PathBuf>>,
    /// The files restored since the last listing.
    restoring: Vec<PathBuf>,
    /// The files restored between the last two listings.
    pub restored: Vec<PathBuf>,
    /// Incremented whenever changes of saved runs are undone.
    pub undone: u64,
    changes: Changes,
    previews: PreviewCache,
}

impl Part for Library {
    const NAME: &'static str = "the library";

    fn restart(&mut self, context: &Context) {
        let (version, undone, changes) = (self.version, self.undone, self.changes.clone());
        let fresh = Self::new(self.store.take(), &self.tasks.host);
        *self = Self { version, undone, changes, ..fresh };
        context.push(Request::ListRuns);
    }
}

impl Library {
    pub(super) fn new(store: Option<Store>, host: &TaskHost) -> Self {
        let tasks = Tasks::new(host);
        let listed = ListedState::default();
        let watch = |store: &Store| listed.watch(&tasks, store.clone());
        Self {
            folder_watch: store.as_ref().map(watch),
            tasks,
            store,
            listed,
            items: None,
            seen: None,
            version: 0,
            lists: 0,
            shown_list: 0,
            deleted: Vec::new(),
            deletions: Vec::new(),
            restoring: Vec::new(),
            restored: Vec::new(),
            undone: 0,
            changes: Changes::default(),
            previews: PreviewCache::default(),
        }
    }

    /// Returns whether the list may lack a run that was just saved.
    pub const fn is_listing(&self) -> bool {
        self.shown_list < self.lists
    }

    /// Returns the number of list entries; 0 until the first listing is complete.
    pub fn count(&self) -> usize {
        self.items.as_ref().map_or(0, Vec::len)
    }

    /// Returns the latest run of a test on a machine, including parts of quick checks.
    pub fn last_of(&self, test: &str, machine: &str) -> Option<&RunListEntry> {
        let items = self.items.as_ref()?.iter();
        let runs = items
            .flat_map(|item| if item.is_check() { &item.parts } else { slice::from_ref(item) });
        runs.filter_map(|item| item.run.as_ref().ok())
            .find(|run| run.test == test && run.machine == machine)
    }

    /// Handles the messages of tasks since the last call.
    pub(super) fn poll(&mut self, context: &Context) {
        for message in self.tasks.messages() {
            match message {
                LibraryMessage::Recovered(result) => {
                    match result {
                        Ok(journals) => note_recovered(&journals, context),
                        Err(error) => context.report_error(error),
                    }
                    self.list();
                }
                // Ignore this listing: a newer listing was requested.
                LibraryMessage::Listed { turn, .. } if turn != self.lists => {}
                LibraryMessage::Listed { result, .. } => {
                    self.version += 1;
                    self.shown_list = self.lists;
                    self.restored = mem::take(&mut self.restoring);
                    let listing = match result {
                        Ok(listing) => {
                            let new = new_entries(&mut self.seen, &listing.items);
                            note_worse(&new, &listing.items, context);
                            listing
                        }
                        Err(error) => {
                            context.report_error(error);
                            Listing { items: Vec::new(), deleted: Vec::new() }
                        }
                    };
                    self.deleted = listing.deleted;
                    self.items = Some(listing.items);
                }
                LibraryMessage::Changed(result) => {
                    if let Err(error) = result {
                        context.report_error(error);
                    }
                    self.list();
                }
                LibraryMessage::Restored { files, result } => {
                    if let Err(error) = result {
                        context.report_error(error);
                    }
                    self.restoring.extend(files);
                    self.list();
                }
                LibraryMessage::FolderChanged => self.list(),
                LibraryMessage::SetAside { aside, entries, error } => {
                    if let Some(error) = error {
                        context.report_error(error);
                    }
                    if !aside.is_empty() {
                        self.deletions.push(aside.clone());
                        context.notify(Notice::deleted(aside, entries));
                    }
                    self.list();
                }
                LibraryMessage::Opened(Ok(shown)) => context.push(Request::Show(shown)),
                LibraryMessage::Opened(Err(error)) => {
                    context.report_error(format!("This file cannot be opened: {error}"));
                }
                LibraryMessage::Previewed(Ok(update)) => self.previews.apply_update(update),
                LibraryMessage::Previewed(Err(error)) => log::error!("no preview: {error}"),
            }
        }
    }

    /// Starts to recover runs from the journals of killed processes, and removes runs from the
    /// trash that were deleted more than 7 days ago.
    pub(super) fn recover(&self) {
        let Some(store) = self.store.clone() else { return };
        let recover = move || {
            store.forget_old();
            store.recover().map_err(|error| error.to_string())
        };
        self.tasks.spawn("recover", recover, LibraryMessage::Recovered);
    }

    /// Switches to another folder of runs, and lists it.
    pub(super) fn move_to(&mut self, store: Option<Store>) {
        self.listed = ListedState::default();
        let watch = |store: &Store| self.listed.watch(&self.tasks, store.clone());
        self.folder_watch = store.as_ref().map(watch);
        self.store = store;
        // Runs that were in the other folder before are not new, and need no warnings.
        (self.items, self.seen) = (None, None);
        self.list();
    }

    /// Lists the folder of runs again.
    pub(super) fn list(&mut self) {
        let Some(store) = self.store.clone() else { return };
        self.lists += 1;
        let turn = self.lists;
        let listed = self.listed.clone();
        let list = move || listed.list(&store);
        self.tasks.spawn("list", list, move |result| LibraryMessage::Listed { turn, result });
    }

    /// Opens a saved run.
    pub(super) fn open(&self, path: PathBuf, focus: Option<LateFocus>, context: &Context) {
        if context.is_running {
            context.report_error("A test is running. Open the run when it is finished.");
            return;
        }
        let store = context.store.clone();
        let open = move || {
            let shown = LoadedRun::open(&path)?.into_saved_in(store.as_ref());
            Ok(Box::new(LoadedRun { focus: focus.map(Arc::new), ..shown }))
        };
        self.tasks.spawn("open", open, LibraryMessage::Opened);
    }

    /// Writes edited names, notes, tags, and annotations into the files of runs. Changes of notes and tags are
    /// announced with an offer to undo them.
    pub(super) fn edit(&self, edits: Vec<(PathBuf, Edit)>, context: &Context) {
        let undo: Vec<(PathBuf, Edit)> =
            edits.iter().filter_map(|(path, edit)| self.undo_of(path, edit)).collect();
        if !undo.is_empty() {
            context.notify(Notice::edited(undo));
        }
        self.write_edits(edits);
    }

    /// Undoes changes of notes and tags.
    pub(super) fn undo_edits(&mut self, edits: Vec<(PathBuf, Edit)>) {
        self.undone += 1;
        self.write_edits(edits);
    }

    /// Writes edits into the files of runs.
    fn write_edits(&self, edits: Vec<(PathBuf, Edit)>) {
        let Some(store) = self.store.clone() else { return };
        let edits = self.edits_of_files(edits);
        self.change("change", move || {
            let failed: Vec<String> = edits
                .iter()
                .filter_map(|(path, edit)| store.edit(path, edit).err())
                .map(|error| error.to_string())
                .collect();
            LibraryMessage::Changed(match failed.as_slice() {
                [] => Ok(()),
                [one] => Err(one.clone()),
                [first, more @ ..] => {
                    Err(format!("{first} ({} more could not be changed)", more.len()))
                }
            })
        });
    }

    /// Returns the edit that undoes a change of a note or of tags; `None` if the edit changes neither.
    fn undo_of(&self, path: &Path, edit: &Edit) -> Option<(PathBuf, Edit)> {
        let item = self.items.as_deref()?.iter().find(|item| item.path == path)?;
        let run = item.run.as_ref().ok()?;
        let undo = match edit {
            Edit::Note(note) if *note != run.note => Edit::Note(run.note.clone()),
            Edit::Tags(tags) if *tags != run.tags => Edit::Tags(run.tags.clone()),
            _ => return None,
        };
        Some((path.to_owned(), undo))
    }

    /// Returns by what share the key figure of a saved run is worse than that of the baseline, and
    /// the file of the baseline; `None` if the run is not worse or has no baseline.
    pub fn worse_than_baseline(&self, file: &Path) -> Option<(f64, &Path)> {
        let items = self.items.as_deref()?;
        let run = items.iter().find(|item| item.path == file)?.run.as_ref().ok()?;
        Some((worse_by(run)?, &baseline_of(items, run)?.path))
    }

    fn change(&self, name: &str, work: impl FnOnce() -> LibraryMessage + Send + 'static) {
        self.changes.add(work);
        let changes = self.changes.clone();
        self.tasks.spawn(
            name,
            move || Ok(changes.next()),
            |result| match result {
                Ok(message) => message.unwrap_or(LibraryMessage::Changed(Ok(()))),
                Err(error) => LibraryMessage::Changed(Err(error)),
            },
        );
    }

    /// Carries out all pending changes of saved runs, and waits for the change in progress. Their
    /// results are not reported.
    pub fn finish_changes(&self) {
        while self.changes.next().is_some() {}
    }
}

/// Returns by what share of the baseline's value a run is worse; `None` unless it is worse.
fn worse_by(run: &RunListEntry) -> Option<f64> {
    run.change.filter(|delta| delta.result == Outcome::Worse)?.ratio.map(f64::abs)
}

/// Returns the newest run that is tagged as the baseline of the settings and machine of `run`.
fn baseline_of<'a>(items: &'a [LibraryItem], run: &RunListEntry) -> Option<&'a LibraryItem> {
    let is_baseline = |other: &&LibraryItem| {
        other.run.as_ref().is_ok_and(|one| trend::is_baseline(one) && trend::is_alike(one, run))
    };
    items.iter().find(is_baseline)
}

/// Returns the entries that were never listed before, and adds them to `seen`; none in the first listing. A run that was
/// restored, or whose folder was away for a while, is not new.
fn new_entries<'a>(
    seen: &mut Option<HashSet<PathBuf>>,
    items: &'a [LibraryItem],
) -> Vec<&'a LibraryItem> {
    let is_first = seen.is_none();
    let seen = seen.get_or_insert_default();
    items.iter().filter(|item| seen.insert(item.path.clone()) && !is_first).collect()
}

/// Reports each new list entry that is worse than the baseline with its settings.
fn note_worse(new: &[&LibraryItem], items: &[LibraryItem], context: &Context) {
    for item in new {
        let Ok(run) = &item.run else { continue };
        let Some(share) = worse_by(run) else { continue };
        let Some(baseline) = baseline_of(items, run) else { continue };
        let compare = Action::Compare(vec![baseline.path.clone(), item.path.clone()]);
        context.notify(Notice::warning(
            format!("{} is {} worse than its baseline.", run.name, text::format_share(share)),
            ("Compare".to_owned(), compare),
        ));
    }
}

/// Reports which runs were recovered from journals of ended processes, and which problems occurred.
fn note_recovered(journals: &[Recovery], context: &Context) {
    let paths: Vec<PathBuf> =
        journals.iter().filter_map(Recovery::saved).map(Path::to_owned).collect();
    if !paths.is_empty() {
        context.notify(Notice::recovered(&paths));
    }
    for problem in journals.iter().filter(|journal| journal.is_problem()) {
        context.report_error(problem.to_string());
    }
}

/// A pending change.
type LibraryChange = Box<dyn FnOnce() -> LibraryMessage + Send>;

/// Pending changes of saved runs. They are carried out one after another in the order of the
/// requests, so that no change overwrites another change of the same run, and no edit is made after
/// a later request moved the run to the trash.
#[derive(Clone, Default)]
struct Changes {
    waiting: Arc<Mutex<VecDeque<LibraryChange>>>,
    turn: Arc<Mutex<()>>,
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    fn add(&self, work: impl FnOnce() -> LibraryMessage + Send + 'static) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(Box::new(work));
    }

    /// Waits for the change in progress, then carries out the oldest pending change; `None` if no
    /// change is pending.
    fn next(&self) -> Option<LibraryMessage> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let work = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        work.map(|work| work())
    }
}

impl Library {
    /// Returns the list entries to delete, oldest first: entries older than `days`, and further old
    /// entries until the total size is at most `megabytes`. Entries with a name, note, or tag of
    /// the user are never returned. A limit of 0 means no limit.
    pub fn beyond_limits(&self, megabytes: u32, days: u32) -> Vec<PathBuf> {
        beyond_limits(self.items.as_deref().unwrap_or_default(), megabytes, days, text::now())
    }
}

/// A day in seconds.
const DAY: i64 = 86_400;

fn beyond_limits(
    items: &[LibraryItem],
    megabytes: u32,
    days: u32,
    now: jiff::Timestamp,
) -> Vec<PathBuf> {
    let mut left: u64 = items.iter().map(|item| item.bytes).sum();
    let limit = u64::from(megabytes) * 1_000_000;
    let mut beyond = Vec::new();
    // The list has the newest entries first: iterate from the oldest.
    for item in items.iter().rev() {
        let Ok(run) = &item.run else { continue };
        if !run.given_name.is_empty() || !run.note.is_empty() || !run.tags.is_empty() {
            continue;
        }
        let age = now.duration_since(run.started_at).as_secs();
        let is_old = 0 < days && i64::from(days) * DAY < age;
        let is_too_much = 0 < megabytes && limit < left;
        if is_old || is_too_much {
            left = left.saturating_sub(item.bytes);
            beyond.push(item.path.clone());
        }
    }
    beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_another_folder_are_not_compared_with_those_of_the_first() {
        let mut library = Library::new(None, &TaskHost::new(|| {}));
        library.items = Some(Vec::new());
        library.move_to(None);
        assert_eq!(library.items.as_deref(), None);
    }

    #[test]
    fn an_entry_is_new_only_once() {
        let item = |id: &str| LibraryItem {
            path: PathBuf::from(id),
            ..LibraryItem::example(id, &[], |_| {})
        };
        let mut seen = None;
        let mut new = |ids: &[&str]| {
            let items: Vec<LibraryItem> = ids.iter().map(|id| item(id)).collect();
            new_entries(&mut seen, &items).len()
        };
        assert_eq!(new(&["a", "b"]), 0, "a first listing has no new entries");
        assert_eq!(new(&["a", "b", "c"]), 1);
        assert_eq!(new(&[]), 0);
        assert_eq!(new(&["a", "b", "c"]), 0, "the folder was away, or the runs were restored");
    }

    fn item(path: &str, age_secs: i64, tags: &[&str]) -> LibraryItem {
        LibraryItem::example(path, tags, |run| {
            run.started_at = jiff::Timestamp::from_second(-age_secs).unwrap();
        })
    }

    #[test]
    fn only_the_oldest_without_words_of_the_user_are_beyond_the_limits() {
        let items = [
            item("new", DAY, &[]),
            item("old", 30 * DAY + 1, &[]),
            item("tagged", 90 * DAY, &["baseline"]),
        ];
        let beyond = |megabytes, days| {
            let paths = beyond_limits(&items, megabytes, days, jiff::Timestamp::UNIX_EPOCH);
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert!(beyond(0, 0).is_empty());
        assert_eq!(beyond(0, 30), ["old"]);
        assert_eq!(beyond(2, 0), ["old"]);
        assert_eq!(beyond(1, 0), ["old", "new"], "what is tagged stays");
    }
}
