//! The finished check as an entry in the list of saved runs: its name, its note, and the previous
//! check.

use std::path::PathBuf;

use eframe::egui::{Id, TextEdit, Ui};
use jitterscope_engine::store::edit::Edit;

use crate::session::{Action, FinishedCheck, Library, LibraryItem, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, size};
use crate::widgets::card::plain_card;
use crate::widgets::field::is_committed;
use crate::widgets::{Severity, Spans, field_block, link};

/// Width of the field for the name, in points.
const NAME: f32 = 300.0;

/// Name and note of the check as typed into the fields, possibly not yet saved.
#[derive(Debug, Default)]
pub(super) struct SavedFields {
    /// The entry that the fields edit, as it was last read.
    of: Option<LibraryItem>,
    name: String,
    note: String,
}

impl SavedFields {
    /// Saves unsaved edits; called when the user leaves the page or when the fields change to
    /// another check.
    pub(super) fn leave(&mut self, actions: &mut Vec<Action>) {
        let Some(item) = self.of.take() else { return };
        let Ok(run) = &item.run else { return };
        let mut edit = |edit| actions.push(Action::EditRuns(vec![(item.path.clone(), edit)]));
        if self.name != run.name {
            edit(Edit::Name(self.name.clone()));
        }
        if self.note != run.note {
            edit(Edit::Note(self.note.clone()));
        }
    }

    /// Draws where the check is saved, with the fields for name and note.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        library: &Library,
        (result, saved): (&FinishedCheck, Option<&LibraryItem>),
        actions: &mut Vec<Action>,
    ) {
        plain_card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
            let tokens = Tokens::of(ui);
            let Some((item, run)) = saved.and_then(|item| Some((item, item.run.as_ref().ok()?)))
            else {
                let paths = result.paths();
                let words = if paths.is_empty() {
                    "Not saved"
                } else if is_deleted(library, &paths) {
                    "Deleted. Restore it on the Runs page."
                } else if library.is_listing() {
                    "Saving"
                } else {
                    "No longer in the folder of runs"
                };
                Spans::plain(Type::Small, words, tokens.t2).label(ui);
                return;
            };
            if self.of.as_ref().is_some_and(|of| of.path != item.path) {
                self.leave(actions);
            }
            if self.of.as_ref() != Some(item) {
                let before = self.of.replace(item.clone());
                let before = before.as_ref().and_then(|of| of.run.as_ref().ok());
                // A field is reloaded only if its own saved text changed, so saving a name does not
                // discard a note that is still being typed.
                if before.is_none_or(|before| before.name != run.name) {
                    self.name.clone_from(&run.name);
                }
                if before.is_none_or(|before| before.note != run.note) {
                    self.note.clone_from(&run.note);
                }
            }
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                let when = text::date(&text::local(run.started_at));
                let words = format!("Saved as one entry of Runs · {when}");
                Spans::plain(Type::Small, &words, tokens.t2).whole_label(ui);
                if link(ui, "Show runs").clicked() {
                    actions.push(Action::GoTo(PageId::Runs));
                }
            });
            let mut edit = |edit| actions.push(Action::EditRuns(vec![(item.path.clone(), edit)]));
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
                ui.vertical(|ui| {
                    ui.set_width(NAME.min(ui.available_width() / 2.0));
                    field_block(ui, "Name", None, |ui| {
                        let width = ui.available_width();
                        let field = TextEdit::singleline(&mut self.name)
                            .id(Id::unique("name-of-check"))
                            .desired_width(width);
                        let field = ui.add(field).accessible_name("Name of the check");
                        if is_committed(&field, &mut self.name, &run.name) && self.name != run.name
                        {
                            edit(Edit::Name(self.name.clone()));
                        }
                    });
                });
                ui.vertical(|ui| {
                    field_block(ui, "Note", None, |ui| {
                        let width = ui.available_width();
                        let field = TextEdit::multiline(&mut self.note)
                            .id(Id::unique("note-of-check"))
                            .hint_text(Type::Body.text("What you changed").color(tokens.t3))
                            .desired_rows(1)
                            .desired_width(width);
                        let field = ui.add(field).accessible_name("Note of the check");
                        if is_committed(&field, &mut self.note, &run.note) && self.note != run.note
                        {
                            edit(Edit::Note(self.note.clone()));
                        }
                    });
                });
            });
        });
    }
}

/// Returns whether a file with one of these names is in the trash. A deleted file retains its name.
fn is_deleted(library: &Library, paths: &[PathBuf]) -> bool {
    let mut files = library.deleted.iter().flat_map(|one| &one.item.files);
    files.any(|file| paths.iter().any(|path| path.file_name() == file.file_name()))
}

/// Draws date and verdict of the previous check, and a link that compares the two checks.
pub(super) fn previous_ui(
    ui: &mut Ui,
    session: &Session,
    saved: Option<&LibraryItem>,
    actions: &mut Vec<Action>,
) {
    let Some(item) = saved else { return };
    let Some(before) = session.library.check_before(item) else { return };
    let Ok(run) = &before.run else { return };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        let tokens = Tokens::of(ui);
        let now = text::local(text::now());
        let when = text::list_date(&text::local(run.started_at), &now);
        let severity = Severity::of_result(run.headline.grade, run.headline.standing);
        Spans::plain(Type::Small, &format!("Previous check, {when}: "), tokens.t2)
            .severity(severity, size::GAP_LABEL, tokens)
            .text(Type::LabelStrong, &run.verdict, severity.word_color(tokens))
            .whole_label(ui);
        if link(ui, "Show what changed").clicked() {
            actions.push(Action::Compare(vec![before.path.clone(), item.path.clone()]));
        }
    });
}
