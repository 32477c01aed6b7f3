//! The buttons that change a saved recording: join a log with it, undo that, and delete its detail.

use std::path::{Path, PathBuf};

use eframe::egui::Ui;
use jitterscope_engine::store::index::RecordedState;

use crate::session::{Action, RecorderAction, Recordings};
use crate::text::recordings as words;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{Answer, Button, Dialog, Severity, Spans};

/// The question before the detail of the recording in a file is deleted; `None` while it is not asked.
#[derive(Debug, Default)]
pub(in crate::pages) struct RecordingChanges(Option<PathBuf>);

impl RecordingChanges {
    /// Draws the buttons, and below them why the last change of this recording was refused.
    pub(in crate::pages) fn ui(
        &mut self,
        ui: &mut Ui,
        recordings: &Recordings,
        (path, state): (&Path, RecordedState),
        actions: &mut Vec<Action>,
    ) {
        let is_free = !recordings.is_changing;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            let join = Button::new("Join with a log…");
            let join = ui.add_enabled(state.can_join && is_free, join);
            if join.clicked() {
                actions.push(Action::Recorder(RecorderAction::AskForLog(path.to_owned())));
            }
            let why = if state.can_join { words::CHANGING } else { words::NO_JOIN };
            join.on_hover_text(words::JOIN).on_disabled_hover_text(why);
            if state.can_undo_join {
                let undo = Button::new("Undo join").icon(icons::ARROW_COUNTER_CLOCKWISE);
                let undo = ui.add_enabled(is_free, undo);
                if undo.clicked() {
                    actions.push(Action::Recorder(RecorderAction::UndoJoin(path.to_owned())));
                }
                undo.on_hover_text(words::UNDO_JOIN).on_disabled_hover_text(words::CHANGING);
            }
            let delete = Button::new("Delete detail…").icon(icons::TRASH);
            let delete = ui.add_enabled(state.has_detail && is_free, delete);
            if delete.clicked() {
                self.0 = Some(path.to_owned());
            }
            let why = if state.has_detail { words::CHANGING } else { words::NO_DETAIL };
            delete.on_hover_text(words::DELETE_DETAIL).on_disabled_hover_text(why);
        });
        if let Some(why) = recordings.refusal(path) {
            let tokens = Tokens::of(ui);
            let width = ui.available_width();
            Spans::new(Type::Small)
                .severity(Severity::Poor, size::GAP_LABEL, tokens)
                .text(Type::Small, why, tokens.t1)
                .paragraph_within(ui, width);
        }
        self.question_ui(ui, path, state, actions);
    }

    fn question_ui(
        &mut self,
        ui: &Ui,
        path: &Path,
        state: RecordedState,
        actions: &mut Vec<Action>,
    ) {
        // Another recording, or one without detail, is no longer asked about.
        let asked = self.0.take().filter(|asked| asked == path && state.has_detail);
        let Some(asked) = asked else { return };
        let dialog = Dialog {
            title: "Delete the detail of this recording?",
            text: if state.can_undo_join {
                words::DELETES_DETAIL_OF_JOINED
            } else {
                words::DELETES_DETAIL
            },
            primary: "Delete detail",
            cancel: "Cancel",
            is_stop: true,
        };
        match dialog.show(ui.ctx()) {
            Some(Answer::Primary) => {
                actions.push(Action::Recorder(RecorderAction::DeleteDetail(asked)));
            }
            Some(Answer::Cancel) => {}
            None => self.0 = Some(asked),
        }
    }
}
