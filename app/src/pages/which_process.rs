//! Asks which process of a capture is meant, where it holds the frames of several.

use eframe::egui::{Context, Id, Modal, Role, ScrollArea, Ui};

use crate::session::{Action, Session, WhichProcess};
use crate::text::import as words;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Button, dialog, radio, right_aligned};

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
        let modal = Modal::new(Id::unique("which-process"))
            .backdrop_color(Tokens::of(ctx).backdrop)
            .frame(dialog::frame(ctx))
            .show(ctx, |ui| self.ui(ui, question));
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
        let heading = ui.label(Type::Sentence.text(words::WHICH_PROCESS).color(tokens.t1));
        ui.ctx().accesskit_node_builder(heading.id, |node| {
            node.set_role(Role::Heading);
            node.set_label(words::WHICH_PROCESS);
        });
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
        ui.add_space(size::GAP_SMALL);
        let process = question.processes.get(*chosen);
        ui.horizontal(|ui| {
            right_aligned(ui, "which-process-buttons", |ui| {
                let cancel = ui.add(Button::new("Leave it out").shortcut("Esc"));
                let open = ui.add(Button::primary("Open").shortcut("Enter"));
                if !self.was_focused {
                    open.request_focus();
                    self.was_focused = true;
                }
                match process {
                    // A number tells processes of one name apart.
                    Some(process) if open.clicked() => Some(Answer::Open(process.id.clone())),
                    _ if cancel.clicked() => Some(Answer::LeaveOut),
                    _ => None,
                }
            })
            .inner
        })
        .inner
    }
}
