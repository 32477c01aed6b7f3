//! The dialog that asks which process or swap chain to open from a capture of several.

use eframe::egui::{Context, Id, ScrollArea, Ui};

use crate::session::{Action, Session, WhichSeries};
use crate::text::import as words;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{FollowFocus as _, dialog, radio, visible_rows};

/// State of the dialog.
#[derive(Debug, Default)]
pub struct WhichSeriesDialog {
    /// The path of the file, and the position of the selected series in the file.
    of: Option<(std::path::PathBuf, usize)>,
    was_focused: bool,
}

impl WhichSeriesDialog {
    /// Shows the dialog while the series to open from a file is unknown.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(question) = session.imports.which_series() else {
            *self = Self::default();
            return;
        };
        if self.of.as_ref().is_none_or(|(path, _)| *path != question.path) {
            // The default series is the first one.
            *self = Self { of: Some((question.path.clone(), 0)), was_focused: false };
        }
        let id = Id::unique("which-process");
        let mut modal = dialog::modal(ctx, id).show(ctx, |ui| self.ui(ui, question));
        let answer = modal.inner.take();
        let cancel = || modal.should_close().then_some(Action::ChooseSeries(None));
        actions.extend(answer.or_else(cancel));
    }

    /// Draws the contents of the dialog; returns the action once the user answered.
    fn ui(&mut self, ui: &mut Ui, question: &WhichSeries) -> Option<Action> {
        let tokens = Tokens::of(ui);
        ui.set_width(size::DIALOG_WIDTH.min(ui.ctx().content_rect().width() - 40.0));
        dialog::title(ui, words::WHICH_SERIES);
        let file = question
            .path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let text = words::several(&file, question.series.len());
        ui.label(Type::Body.text(text).color(tokens.t2));
        let (_, selected) = self.of.as_mut()?;
        let height = (ui.ctx().content_rect().height() - 220.0).clamp(80.0, 320.0);
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show_focus(ui, |ui| {
            visible_rows(
                ui,
                question.series.iter().zip(0..),
                size::TARGET,
                |ui, (series, place)| {
                    if radio(ui, place == *selected, &series.words()).clicked() {
                        *selected = place;
                    }
                },
            );
        });
        let series = question.series.get(*selected)?;
        dialog::open_or_leave_out(ui, &mut self.was_focused)
            .map(|is_wanted| Action::ChooseSeries(is_wanted.then(|| series.clone())))
    }
}
