//! Asks for the process or swap chain of a capture that contains the frames of several.

use eframe::egui::{Context, Id, ScrollArea, Ui};
use jitterscope_engine::import::Series;

use crate::session::{Action, Session, WhichSeries};
use crate::text::import as words;
use crate::theme::{Tokens, Type, size};
use crate::widgets::{dialog, radio};

/// State of the question.
#[derive(Debug, Default)]
pub struct WhichSeriesDialog {
    /// The file, and the selected series.
    of: Option<(std::path::PathBuf, usize)>,
    was_focused: bool,
}

/// The answer.
enum Answer {
    /// This series.
    Open(Series),
    /// Canceled.
    LeaveOut,
}

impl WhichSeriesDialog {
    /// Shows the question while one is open.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(question) = session.imports().which_series() else {
            *self = Self::default();
            return;
        };
        if self.of.as_ref().is_none_or(|(path, _)| *path != question.path) {
            // The default one comes first.
            *self = Self { of: Some((question.path.clone(), 0)), was_focused: false };
        }
        let id = Id::unique("which-process");
        let modal = dialog::modal(ctx, id).show(ctx, |ui| self.ui(ui, question));
        match modal.inner {
            Some(Answer::Open(series)) => actions.push(Action::ChooseSeries(Some(series))),
            Some(Answer::LeaveOut) => actions.push(Action::ChooseSeries(None)),
            None if modal.should_close() => actions.push(Action::ChooseSeries(None)),
            None => {}
        }
    }

    /// Draws the question.
    fn ui(&mut self, ui: &mut Ui, question: &WhichSeries) -> Option<Answer> {
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
        ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            for (series, place) in question.series.iter().zip(0..) {
                if radio(ui, place == *selected, &series.words()).clicked() {
                    *selected = place;
                }
            }
        });
        let series = question.series.get(*selected)?;
        dialog::open_or_leave_out(ui, &mut self.was_focused).map(|is_wanted| {
            if is_wanted { Answer::Open(series.clone()) } else { Answer::LeaveOut }
        })
    }
}
