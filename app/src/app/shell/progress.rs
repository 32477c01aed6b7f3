//! The progress of the running test or check, or of opening files, in the top bar.

use std::time::{Duration, Instant};

use eframe::egui::Ui;
use jitterscope_engine::plan::Pace;

use super::{WidthClass, single};
use crate::session::{Action, PageId, SequenceState, Session};
use crate::text;
use crate::theme::size;
use crate::widgets::{Button, progress};

/// Interval at which the progress of opening files is drawn.
const LOOK: Duration = Duration::from_millis(250);

/// Draws the progress with the remaining time; draws nothing if nothing is running.
pub(super) fn progress_ui(
    ui: &mut Ui,
    session: &Session,
    page: PageId,
    width_class: WidthClass,
    actions: &mut Vec<Action>,
) {
    if let Some(check) = &session.running.quick.check {
        let (share, left) =
            check.progress(session.running.live().map(|(_, live)| live), Instant::now());
        let step = format!(
            "Measurement {} of {}",
            check.sequence.current_index() + 1,
            check.sequence.parts.len()
        );
        let width = if width_class == WidthClass::Wide { size::PROGRESS_WIDTH } else { 150.0 };
        let left = if check.sequence.is_waiting_for_quiet() {
            format!("waiting · {}", text::eta(left))
        } else {
            text::eta(left)
        };
        progress(ui, single(share), &step, &left, width);
    } else if let Some((state, live)) = session.running.live() {
        let now = Instant::now();
        let place = format!("{} of {}", live.current + 1, live.trial_count().max(1));
        let step = match width_class {
            WidthClass::Narrow => place,
            _ if live
                .current()
                .is_some_and(|trial| matches!(trial.trial.pace, Pace::Gaps { .. })) =>
            {
                text::count_text(live.trial_count(), "probes")
            }
            _ => format!("{} {place}", state.plan.listing().step_name),
        };
        let left = if live.elapsed(now).as_secs() < 2.0 {
            "starting".to_owned()
        } else {
            text::eta(live.left(now))
        };
        let step = match width_class {
            WidthClass::Narrow => step,
            _ if session.running.is_in_view(page) => step,
            _ => format!("{} · {step}", state.name()),
        };
        let step = match session.running.sequence.as_ref().map(SequenceState::place) {
            Some((run, runs)) if width_class != WidthClass::Narrow => {
                format!("Run {run} of {runs} · {step}")
            }
            _ => step,
        };
        let width = if width_class == WidthClass::Wide { size::PROGRESS_WIDTH } else { 150.0 };
        progress(ui, single(live.progress(now)), &step, &left, width);
    } else if let Some((done, total)) = session.imports.progress() {
        let share = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let step = format!("Opened {}", text::format_count(done));
        let left = format!("of {}", text::count_text(total, "files"));
        progress(ui, single(share(done) / share(total)), &step, &left, 150.0);
        if ui.add(Button::new("Cancel").name("Cancel opening files").bar()).clicked() {
            actions.push(Action::CancelOpening);
        }
        ui.ctx().request_repaint_after(LOOK);
    }
}
