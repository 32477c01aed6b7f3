//! Asks which process of a capture is meant, where it holds the frames of several.

use eframe::egui::{Context, Id, ScrollArea, Ui};

use crate::session::{Action, Session, WhichProcess};
use crate::text::import as words;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{dialog, radio};

/// The question as a person left it.
#[derive(Debug, Default)]
pub struct WhichProcessDialog {
    /// The file that is asked about, and the process that is chosen.
    of: Option<(std::path::PathBuf, usize)>,
    was_focused: bool,
}

/// What was answered.
enum Answer {
    /// This process, by its number.
    Open(String),
    /// The file is not wanted.
    LeaveOut,
}

impl WhichProcessDialog {
    /// Shows the question while there is one.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(question) = session.which_process() else {
            *self = Self::default();
            return;
        };
        if self.of.as_ref().is_none_or(|(path, _)| *path != question.path) {
            // The busiest comes first.
            *self = Self { of: Some((question.path.clone(), 0)), was_focused: false };
        }
        let id = Id::unique("which-process");
        let modal = dialog::modal(ctx, id).show(ctx, |ui| self.ui(ui, question));
        match modal.inner {
            Some(Answer::Open(process)) => actions.push(Action::ChooseProcess(Some(process))),
            Some(Answer::LeaveOut) => actions.push(Action::ChooseProcess(None)),
            None if modal.should_close() => actions.push(Action::ChooseProcess(None)),
            None => {}
        }
    }

    /// Draws the question.
    fn ui(&mut self, ui: &mut Ui, question: &WhichProcess) -> Option<Answer> {
        let tokens = Tokens::of(ui);
        ui.set_width(size::DIALOG_WIDTH.min(ui.ctx().content_rect().width() - 40.0));
        dialog::title(ui, words::WHICH_PROCESS);
        let file = question
            .path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let text = words::several(&file, question.processes.len());
        ui.label(Type::Body.text(text).color(tokens.t2));
        let (_, chosen) = self.of.as_mut()?;
        let height = (ui.ctx().content_rect().height() - 220.0).clamp(80.0, 320.0);
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            for (process, place) in question.processes.iter().zip(0..) {
                if radio(ui, place == *chosen, &process.words()).clicked() {
                    *chosen = place;
                }
            }
        });
        let process = question.processes.get(*chosen)?;
        dialog::open_or_leave_out(ui, &mut self.was_focused).map(|is_wanted| {
            // A number tells processes of one name apart.
            if is_wanted { Answer::Open(process.id.clone()) } else { Answer::LeaveOut }
        })
    }
}
