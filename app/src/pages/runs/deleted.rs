//! The deleted runs: their number, their list, and the commands to restore or remove them.

use std::path::PathBuf;

use eframe::egui::{Id, ScrollArea, Ui};

use crate::session::{Action, DeletedItem, Library};
use crate::text::{self, library as words};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::dialog::{self, Answer, Dialog};
use crate::widgets::{
    Button, Command, FollowFocus as _, Spans, icon_button, key_text, right_aligned, right_row,
    visible_rows,
};

/// Width and maximum height of the list of deleted runs, in points.
const LIST: [f32; 2] = [640.0, 360.0];
/// Minimum height of a row of the list, in points.
const ROW: f32 = size::TARGET + size::GAP_SMALL;
/// Width of the buttons at the right end of a deleted run, in points.
const BUTTONS: f32 = 230.0;
/// Width of the buttons on the Runs page that open the list and undo a delete, in points.
pub(super) const ROOM: f32 = 170.0;

/// Whether the list of deleted runs is open, and the files whose permanent removal waits for
/// confirmation (`question`), with the number of their entries: a quick check has several files.
#[derive(Debug, Default)]
pub(super) struct DeletedList {
    is_open: bool,
    question: (usize, Vec<PathBuf>),
}

impl DeletedList {
    /// Draws the buttons that open the list and undo the last delete, if there are deleted runs.
    pub(super) fn buttons_ui(&mut self, ui: &mut Ui, library: &Library, actions: &mut Vec<Action>) {
        let count = library.deleted.len();
        if count == 0 {
            return;
        }
        let hint = "Deleted runs, which can be restored for 7 days";
        let words = format!("Deleted ({count})");
        let list = Button::new(&words).icon(icons::TRASH);
        if ui.add(list).on_hover_text(hint).clicked() {
            self.is_open = true;
        }
        if let Some(paths) = library.last_deletion() {
            let key = key_text(ui.ctx(), Command::Undo);
            let undo = icon_button(ui, icons::ARROW_COUNTER_CLOCKWISE, "Undo delete");
            if undo.on_hover_text(key).clicked() {
                actions.push(Action::RestoreRuns(paths.to_vec()));
            }
        }
    }

    /// Draws the list over the window while it is open.
    pub(super) fn show(&mut self, ui: &Ui, library: &Library, actions: &mut Vec<Action>) {
        if !self.is_open {
            return;
        }
        let modal = dialog::modal(ui.ctx(), Id::unique("deleted"))
            .show(ui.ctx(), |ui| self.ui(ui, &library.deleted, actions));
        let is_closed = modal.inner || modal.should_close();
        let (count, files) = &mut self.question;
        if 0 < *count {
            let dialog = Dialog {
                title: &words::remove_question(*count),
                text: "It cannot be undone.",
                primary: "Delete for good",
                cancel: "Cancel",
                is_stop: true,
            };
            match dialog.show(ui.ctx()) {
                Some(Answer::Primary) => {
                    actions.push(Action::RemoveRuns(std::mem::take(files)));
                    *count = 0;
                }
                Some(Answer::Cancel) => *count = 0,
                None => {}
            }
        } else if is_closed || library.deleted.is_empty() {
            self.is_open = false;
        }
    }

    /// Draws the list; returns whether to close it.
    fn ui(&mut self, ui: &mut Ui, deleted: &[DeletedItem], actions: &mut Vec<Action>) -> bool {
        let [width, height] = LIST;
        let room = ui.ctx().content_rect().size();
        ui.set_width(width.min(room.x - 80.0));
        dialog::title(ui, "Deleted runs");
        let color = Tokens::of(ui).t2;
        let about = "Restore a run, or delete it for good. After 7 days, deleted runs are removed.";
        Spans::plain(Type::Small, about, color).label(ui);
        ui.separator();
        ScrollArea::vertical().max_height(height.min(room.y - 240.0)).show_focus(ui, |ui| {
            visible_rows(ui, deleted, ROW, |ui, one| self.row_ui(ui, one, actions));
        });
        ui.separator();
        let files = || deleted.iter().flat_map(|one| one.item.files.clone()).collect::<Vec<_>>();
        right_row(ui, "deleted-all", |ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let is_closed = ui.add(Button::new("Close").shortcut("Esc")).clicked();
            if ui.add(Button::new("Delete all for good…")).clicked() {
                self.question = (deleted.len(), files());
            }
            if ui.add(Button::new("Restore all")).clicked() {
                actions.push(Action::RestoreRuns(files()));
            }
            is_closed
        })
    }

    fn row_ui(&mut self, ui: &mut Ui, one: &DeletedItem, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        let (name, test) = match &one.item.run {
            Ok(run) => (run.name.clone(), run.test_name),
            Err(_) => (one.item.path.display().to_string(), "Cannot be read"),
        };
        let note = format!("{test} · {}", words::removed_in(one.until, text::now()));
        ui.horizontal(|ui| {
            ui.set_min_height(ROW);
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let room = ui.available_width() - BUTTONS;
            Spans::new(Type::Body)
                .text(Type::Strong, &name, tokens.t1)
                .gap(size::GAP_FIELD)
                .text(Type::Small, &note, tokens.t2)
                .label_within(ui, room);
            right_aligned(ui, ("deleted", &one.item.path), |ui| {
                let [remove, restore] =
                    [format!("Delete {name} for good"), format!("Restore {name}")];
                if ui.add(Button::new("Delete now…").name(&remove)).clicked() {
                    self.question = (1, one.item.files.clone());
                }
                if ui.add(Button::new("Restore").name(&restore)).clicked() {
                    actions.push(Action::RestoreRuns(one.item.files.clone()));
                }
            });
        });
    }
}
