//! The quick check page: the planned parts, the running check, and its verdict.

mod finished;
mod idle;
mod image;
mod running;
mod saved;
mod side;

use std::sync::Arc;

use eframe::egui::{Frame, Margin, Ui};
use jitterscope_engine::plan::quick::Part;

use crate::plots::Timeline;
use crate::session::{Action, Session};
use crate::theme::{icons, size};
use crate::widgets::{FollowFocus as _, result_area};
use image::LivePlots;

pub(super) use finished::result_ui;

/// View state of the quick check page.
#[derive(Debug)]
pub struct QuickPage {
    /// Whether the planned parts have check boxes to select them.
    is_choosing: bool,
    /// Whether the start button has been focused since the page was opened.
    was_focused: bool,
    image: Option<LivePlots>,
    timeline: Timeline,
    /// Start time of the check whose result was drawn last; `None` if no result was shown.
    drawn: Option<jiff::Timestamp>,
    /// Whether the details of the result are expanded: percentiles and frame rates.
    has_details: bool,
    saved: saved::SavedFields,
}

impl Default for QuickPage {
    fn default() -> Self {
        Self {
            is_choosing: false,
            was_focused: false,
            image: None,
            timeline: Timeline::of_lateness(),
            drawn: None,
            has_details: false,
            saved: saved::SavedFields::default(),
        }
    }
}

impl QuickPage {
    /// Moves the keyboard focus to the start button the next time the page is drawn.
    pub const fn focus_start(&mut self) {
        self.was_focused = false;
    }

    /// Saves unsaved edits when the user leaves the page.
    pub fn leave(&mut self, actions: &mut Vec<Action>) {
        self.saved.leave(actions);
    }

    /// Draws the running check, or the result of the last check, or what a check will measure.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let is_wide = size::WIDE_FROM <= ui.content_rect().width();
        let margin = if is_wide {
            Margin::symmetric(2 * size::PAGE_PADDING_X, 2 * size::PAGE_PADDING_Y)
        } else {
            Margin::symmetric(size::PAGE_PADDING_X, size::PAGE_PADDING_Y)
        };
        let quick = &session.running.quick;
        let shown =
            quick.result.as_ref().filter(|_| quick.check.is_none()).map(|result| result.began);
        let is_new = self.drawn != shown;
        self.drawn = shown;
        result_area(is_new).show_focus(ui, |ui| {
            Frame::new().inner_margin(margin).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                match (session.running.quick.check.as_ref(), session.running.quick.result.as_ref())
                {
                    (Some(check), _) => {
                        self.leave(actions);
                        self.running_ui(ui, session, check, actions);
                    }
                    (None, Some(result)) => {
                        let result = Arc::clone(result);
                        self.finished_ui(ui, session, &result, actions);
                    }
                    (None, None) => self.idle_ui(ui, session, actions),
                }
            });
        });
    }
}

/// Returns the icon of a part of the quick check.
const fn icon_of_part(part: Part) -> &'static str {
    match part {
        Part::Sleep => icons::MOON,
        Part::FrameIdle | Part::FrameLoad => icons::FILM_STRIP,
        Part::Gaps => icons::ROWS,
        Part::Spin => icons::ARROWS_CLOCKWISE,
    }
}

/// Draws two columns. A positive `right` is the width of the right column in points; a negative
/// `right` is the negated width of the left column. In a narrow window, one column is below the
/// other.
fn two_columns(ui: &mut Ui, right: f32, first: impl FnOnce(&mut Ui), second: impl FnOnce(&mut Ui)) {
    if ui.content_rect().width() < size::WIDE_FROM {
        first(ui);
        second(ui);
        return;
    }
    let gap = if right < 0.0 { size::GAP_GROUP } else { size::GAP_CARD };
    let room = ui.available_width() - gap;
    let left = if right < 0.0 { -right } else { (room - right).max(0.0) };
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        ui.vertical(|ui| {
            ui.set_width(left);
            first(ui);
        });
        ui.vertical(|ui| {
            ui.set_width(room - left);
            second(ui);
        });
    });
}
