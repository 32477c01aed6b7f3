//! Unsaved edits of the selected runs, and the rules for when to save them.

use std::path::{Path, PathBuf};

use eframe::egui::Ui;
use jitterscope_engine::store::edit::{Edit, clean_tags};

use crate::pages::recording_changes::RecordingChanges;
use crate::run_list::RunListEntry;
use crate::session::{Action, LibraryItem};

/// Seconds after the last key press at which a note is saved.
const SAVES_AFTER: f64 = 1.0;

/// Texts in the fields for name, note, and tags of the selected runs, including unsaved edits.
#[derive(Debug, Default)]
pub(in crate::pages::runs) struct Draft {
    /// The selected files.
    paths: Vec<PathBuf>,
    /// One entry per selected file that can be read, with its fields as of the time of selection.
    of: Vec<RunDraft>,
    /// The version of the list from which the fields are.
    version: u64,
    /// The number of undone changes that the fields follow.
    undone: u64,
    pub(super) name: String,
    pub(super) note: String,
    /// When the note was last edited, in seconds since the app started; `None` if the note is
    /// saved.
    pub(super) typed_at: Option<f64>,
    /// The text of the tag field, not yet added to the runs.
    pub(super) tag: String,
    /// Whether to focus the name field when it is drawn next.
    pub(in crate::pages::runs) wants_name: bool,
    /// Whether to focus the tag field when it is drawn next.
    pub(in crate::pages::runs) wants_tag: bool,
    /// The buttons of a recording.
    pub(super) changes: RecordingChanges,
}

/// One selected run.
#[derive(Debug, Default)]
struct RunDraft {
    path: PathBuf,
    /// The fields, including changes that the list does not show yet.
    own: Fields,
    /// The fields in the list, as they were last read.
    listed: Fields,
}

/// Name, note, and tags of a run.
#[derive(Clone, Debug, Default)]
struct Fields {
    name: String,
    note: String,
    tags: Vec<String>,
}

impl Fields {
    fn of(run: &RunListEntry) -> Self {
        Self { name: run.name.clone(), note: run.note.clone(), tags: run.tags.clone() }
    }
}

/// Returns the summary of a listed run; `None` if the run is not listed or cannot be read.
fn run_at<'a>(items: &'a [LibraryItem], path: &Path) -> Option<&'a RunListEntry> {
    items.iter().find(|item| item.path == path)?.run.as_ref().ok()
}

/// Splits a comma-separated list of tags.
fn split(tags: &str) -> Vec<String> {
    tags.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

impl Draft {
    /// Loads the fields if other runs are selected (`checked`), and follows a list that was read again, which has a
    /// new `version`, or from which a change was `undone`. Saves an edited note before that, or once no key was pressed
    /// for `SAVES_AFTER`.
    pub(in crate::pages::runs) fn follow(
        &mut self,
        ui: &Ui,
        checked: &[PathBuf],
        items: &[LibraryItem],
        (version, undone): (u64, u64),
        actions: &mut Vec<Action>,
    ) {
        let now = ui.input(|input| input.time);
        let is_other = self.paths != checked;
        if let Some(typed) = self.typed_at {
            if is_other || SAVES_AFTER <= now - typed {
                self.save_note(actions);
            } else {
                let left = (SAVES_AFTER - (now - typed)).clamp(0.0, SAVES_AFTER);
                let left = std::time::Duration::try_from_secs_f64(left).unwrap_or_default();
                ui.ctx().request_repaint_after(left);
            }
        }
        if is_other {
            self.take(checked, items);
        } else if self.version != version {
            if self.undone != undone {
                self.take_back();
            }
            self.refresh(items);
        }
        if self.version != version {
            self.undone = undone;
        }
        self.version = version;
    }

    /// Forgets which tags and notes are being saved, since they were undone: an undo can be faster than the list, which
    /// then never shows them.
    fn take_back(&mut self) {
        for run in &mut self.of {
            run.own.tags.clone_from(&run.listed.tags);
            run.own.note.clone_from(&run.listed.note);
        }
        if self.typed_at.is_none() {
            self.note = self.common_note().unwrap_or_default().to_owned();
        }
    }

    /// Takes over fields that changed elsewhere, such as on the page of the quick check. A name or note that is being typed
    /// and tags that are being saved stay, and so does the text to append to several notes until one of them is changed
    /// back.
    fn refresh(&mut self, items: &[LibraryItem]) {
        let is_single = self.of.len() == 1;
        // Nothing was typed that the notes do not have.
        let is_untouched = self.common_note().unwrap_or_default() == self.note;
        let mut is_changed_back = false;
        for run in &mut self.of {
            let Some(now) = run_at(items, &run.path) else { continue };
            let before = std::mem::replace(&mut run.listed, Fields::of(now));
            is_changed_back |= before.note != now.note && now.note == run.own.note;
            if before.tags == run.own.tags {
                run.own.tags.clone_from(&now.tags);
            }
            if is_single && [&run.own.name, &self.name] == [&before.name; 2] {
                run.own.name.clone_from(&now.name);
                self.name.clone_from(&now.name);
            }
            if is_single && before.note != now.note && self.typed_at.is_none() {
                run.own.note.clone_from(&now.note);
                self.note.clone_from(&now.note);
            }
        }
        if !is_single && (is_changed_back || is_untouched) && self.typed_at.is_none() {
            for run in &mut self.of {
                run.own.note.clone_from(&run.listed.note);
            }
            self.note = self.common_note().unwrap_or_default().to_owned();
        }
    }

    /// Returns whether any of the selected files can be read.
    pub(in crate::pages::runs) fn has_runs(&self) -> bool {
        !self.of.is_empty()
    }

    fn save_note(&mut self, actions: &mut Vec<Action>) {
        if self.typed_at.take().is_some() && !self.of.is_empty() {
            let note = |run: &RunDraft| (run.path.clone(), Edit::Note(self.note_of(run)));
            actions.push(Action::EditRuns(self.of.iter().map(note).collect()));
        }
    }

    /// Saves unsaved edits: before the runs are deleted, the page is left, or the window is closed.
    pub(in crate::pages::runs) fn flush(&mut self, actions: &mut Vec<Action>) {
        self.save_note(actions);
        if let [one] = self.of.as_slice()
            && one.own.name != self.name
        {
            let path = one.path.clone();
            actions.push(self.rename(&path));
        }
        self.add_tags(actions);
    }

    /// Discards all state and reads the fields of the runs in `checked`.
    fn take(&mut self, checked: &[PathBuf], items: &[LibraryItem]) {
        self.paths = checked.to_vec();
        let draft = |path: &PathBuf| {
            let listed = Fields::of(run_at(items, path)?);
            Some(RunDraft { path: path.clone(), own: listed.clone(), listed })
        };
        self.of = checked.iter().filter_map(draft).collect();
        self.name = match self.of.as_slice() {
            [one] if checked.len() == 1 => one.own.name.clone(),
            _ => String::new(),
        };
        self.note = self.common_note().unwrap_or_default().to_owned();
        self.tag.clear();
        (self.wants_name, self.wants_tag) = (false, false);
    }

    /// Returns the note that all selected runs share; `None` if their notes differ.
    fn common_note(&self) -> Option<&str> {
        let (first, others) = self.of.split_first()?;
        others.iter().all(|run| run.own.note == first.own.note).then_some(first.own.note.as_str())
    }

    /// Returns the placeholder of the empty note field.
    pub(super) fn note_hint(&self) -> &'static str {
        if self.common_note().is_none() && !self.of.is_empty() {
            "Add to the existing notes"
        } else {
            "Add a note"
        }
    }

    /// Returns the new note of one run. The typed text replaces a note that all selected runs
    /// share; if the notes differ, the text is appended to each, so that no existing note is lost.
    fn note_of(&self, run: &RunDraft) -> String {
        match (self.common_note(), run.own.note.as_str(), self.note.trim()) {
            (Some(_), ..) | (None, "", _) => self.note.clone(),
            (None, before, "") => before.to_owned(),
            (None, before, typed) => format!("{before}\n\n{typed}"),
        }
    }

    /// Returns the action that saves the edited name.
    pub(super) fn rename(&mut self, path: &Path) -> Action {
        if let [one] = self.of.as_mut_slice() {
            one.own.name.clone_from(&self.name);
        }
        Action::EditRuns(vec![(path.to_owned(), Edit::Name(self.name.clone()))])
    }

    /// Returns the tags that all selected runs have.
    pub(super) fn common_tags(&self) -> Vec<String> {
        let Some((first, others)) = self.of.split_first() else { return Vec::new() };
        let is_common = |tag: &&String| others.iter().all(|run| run.own.tags.contains(tag));
        first.own.tags.iter().filter(is_common).cloned().collect()
    }

    /// Adds the entered tags to all selected runs.
    pub(super) fn add_tags(&mut self, actions: &mut Vec<Action>) {
        let new = split(&std::mem::take(&mut self.tag));
        self.change_tags(actions, |tags| tags.extend(new.iter().cloned()));
    }

    /// Removes a tag from all selected runs.
    pub(super) fn remove_tag(&mut self, tag: &str, actions: &mut Vec<Action>) {
        self.change_tags(actions, |tags| tags.retain(|own| own != tag));
    }

    fn change_tags(&mut self, actions: &mut Vec<Action>, change: impl Fn(&mut Vec<String>)) {
        let mut edits = Vec::new();
        for run in &mut self.of {
            let mut tags = run.own.tags.clone();
            change(&mut tags);
            let tags = clean_tags(&tags);
            if tags != run.own.tags {
                run.own.tags.clone_from(&tags);
                edits.push((run.path.clone(), Edit::Tags(tags)));
            }
        }
        if !edits.is_empty() {
            actions.push(Action::EditRuns(edits));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(notes: &[&str], typed: &str) -> Draft {
        let own = |note: &&str| RunDraft {
            path: "x".into(),
            own: Fields { note: (*note).to_owned(), ..Fields::default() },
            ..RunDraft::default()
        };
        let of = notes.iter().map(own).collect();
        Draft { of, note: typed.to_owned(), ..Draft::default() }
    }

    #[test]
    fn tags_are_parted_by_commas() {
        assert_eq!(split(" one, two words ,,three"), ["one", "two words", "three"]);
        assert!(split(" , ").is_empty());
    }

    #[test]
    fn a_note_for_several_runs_loses_no_note_that_is_not_seen() {
        for (notes, typed, expected) in [
            (["", ""], "new", ["new", "new"]),
            (["same", "same"], "other", ["other", "other"]),
            (["one", ""], "new", ["one\n\nnew", "new"]),
            (["one", "two"], "new", ["one\n\nnew", "two\n\nnew"]),
            (["one", "two"], " ", ["one", "two"]),
        ] {
            let draft = draft(&notes, typed);
            let saved: Vec<String> = draft.of.iter().map(|run| draft.note_of(run)).collect();
            assert_eq!(saved, expected, "{notes:?} and {typed:?}");
        }
    }

    #[test]
    fn tags_for_several_runs_are_those_that_all_have() {
        let mut draft = draft(&["", ""], "");
        for (run, tags) in draft.of.iter_mut().zip([["a", "b"], ["b", "c"]]) {
            run.own.tags = tags.map(str::to_owned).to_vec();
        }
        assert_eq!(draft.common_tags(), ["b"]);
        let mut actions = Vec::new();
        draft.tag = "a, d".to_owned();
        draft.add_tags(&mut actions);
        assert_eq!(draft.common_tags(), ["a", "b", "d"]);
        draft.remove_tag("b", &mut actions);
        assert_eq!(draft.of[0].own.tags, ["a", "d"]);
        assert_eq!(draft.of[1].own.tags, ["c", "a", "d"]);
        let edits: Vec<usize> = actions
            .iter()
            .map(|action| match action {
                Action::EditRuns(edits) => edits.len(),
                _ => 0,
            })
            .collect();
        assert_eq!(edits, [2, 2], "both runs are changed, twice, each time together");
    }

    #[test]
    fn what_is_typed_is_saved_once_before_its_run_is_left() {
        let mut draft = draft(&["before"], "after");
        let mut actions = Vec::new();
        draft.flush(&mut actions);
        assert!(actions.is_empty(), "nothing was typed: {actions:?}");
        draft.typed_at = Some(1.0);
        draft.name = "named".to_owned();
        draft.tag = "slow".to_owned();
        draft.flush(&mut actions);
        let edits: Vec<Edit> = actions
            .drain(..)
            .flat_map(|action| match action {
                Action::EditRuns(edits) => edits,
                _ => Vec::new(),
            })
            .map(|(_, edit)| edit)
            .collect();
        let expected = [
            Edit::Note("after".to_owned()),
            Edit::Name("named".to_owned()),
            Edit::Tags(vec!["slow".to_owned()]),
        ];
        assert_eq!(edits, expected);
        draft.flush(&mut actions);
        assert!(actions.is_empty(), "all is saved: {actions:?}");
    }

    #[test]
    fn what_changed_elsewhere_is_taken_over_and_what_is_typed_stays() {
        let item = |name: &str, note: &str, tags: &[&str]| {
            [LibraryItem::example("x", tags, |run| {
                (run.name, run.note) = (name.to_owned(), note.to_owned());
            })]
        };
        let mut draft = Draft::default();
        let before = item("old", "old", &["a"]);
        draft.take(&[before[0].path.clone()], &before);
        let mut actions = Vec::new();
        draft.typed_at = Some(1.0);
        draft.note = "typed".to_owned();
        draft.tag = "b".to_owned();
        draft.add_tags(&mut actions);
        draft.refresh(&item("new", "other", &["a"]));
        assert_eq!((draft.name.as_str(), draft.note.as_str()), ("new", "typed"));
        assert_eq!(draft.common_tags(), ["a", "b"], "being saved");
        draft.typed_at = None;
        draft.refresh(&item("new", "saved", &["a", "b"]));
        draft.refresh(&item("new", "saved", &["a", "b", "baseline"]));
        assert_eq!(draft.note, "saved");
        assert_eq!(draft.common_tags(), ["a", "b", "baseline"]);
    }

    #[test]
    fn a_note_of_several_runs_that_is_undone_leaves_the_field() {
        let items = |notes: [&str; 2]| {
            [("x", notes[0]), ("y", notes[1])].map(|(path, note)| {
                LibraryItem::example(path, &[], |run| note.clone_into(&mut run.note))
            })
        };
        let mut draft = Draft::default();
        let before = items(["old", ""]);
        draft.take(&before.each_ref().map(|item| item.path.clone()), &before);
        draft.note = "typed ".to_owned();
        // Saved without the space at its end.
        draft.refresh(&items(["old\n\ntyped", "typed"]));
        assert_eq!(draft.note, "typed ", "it may be continued");
        draft.refresh(&items(["old", ""]));
        assert_eq!((draft.note.as_str(), draft.note_hint()), ("", "Add to the existing notes"));
    }
    #[test]
    fn an_undo_that_is_faster_than_the_list_leaves_neither_note_nor_tag() {
        let items = |note: &str, tags: &[&str]| {
            ["x", "y"]
                .map(|path| LibraryItem::example(path, tags, |run| note.clone_into(&mut run.note)))
        };
        for count in 1..=2 {
            let mut draft = Draft::default();
            let before = items("", &["a"]);
            let paths: Vec<PathBuf> =
                before.iter().map(|item| item.path.clone()).take(count).collect();
            draft.take(&paths, &before);
            draft.note = "typed".to_owned();
            draft.tag = "b".to_owned();
            draft.add_tags(&mut Vec::new());
            // Both were saved and undone before the runs were listed again.
            draft.take_back();
            draft.refresh(&before);
            assert_eq!((draft.note.as_str(), draft.common_tags()), ("", vec!["a".to_owned()]));
            // A note that was undone only after it was listed.
            draft.refresh(&items("listed", &["a"]));
            assert_eq!(draft.note, "listed");
            draft.refresh(&before);
            assert_eq!(draft.note, "");
        }
    }
}
