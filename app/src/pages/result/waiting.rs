//! Waiting for other programs before a test, and an offer to wait and run again if other programs
//! disturbed the result.

use eframe::egui::Ui;
use jitterscope_engine::report::{Disturbance, Standing};

use crate::pages::show_programs_ui;
use crate::session::{Action, LoadedRun, PageId, Session, WaitingTest};
use crate::text;
use crate::theme::icons;
use crate::widgets::{Button, Severity, VerdictStrip};

/// Draws which programs a test waits for, with buttons to start anyway or to cancel.
pub(super) fn waiting_ui(
    ui: &mut Ui,
    session: &Session,
    waiting: &WaitingTest,
    actions: &mut Vec<Action>,
) {
    let evidence = text::live::waiting_for(waiting.found(), waiting.left());
    VerdictStrip::new(Severity::Info, "")
        .icon(icons::HOURGLASS_MEDIUM)
        .sentence("Waiting until other programs are quiet")
        .evidence(&evidence)
        .show(ui, |_| {});
    ui.horizontal_wrapped(|ui| {
        if ui.add(Button::new("Measure now").icon(icons::PLAY_FILL)).clicked() {
            actions.push(Action::MeasureWithoutWaiting);
        }
        show_programs_ui(ui, session, actions);
        if ui.add(Button::new("Cancel")).clicked() {
            actions.push(Action::Stop);
        }
    });
}

/// Offers to run a disturbed test again once the other programs are idle.
pub(super) fn again_ui(
    ui: &mut Ui,
    session: &Session,
    shown: &LoadedRun,
    key: &'static str,
    actions: &mut Vec<Action>,
) {
    let Standing::Inconclusive { disturbance, .. } = shown.report.verdict.standing else { return };
    ui.horizontal_wrapped(|ui| {
        let again = Button::new("Wait for quiet and run again").icon(icons::HOURGLASS_MEDIUM);
        if ui.add_enabled(session.can_start(PageId::Test(key)), again).clicked() {
            actions.push(Action::RunWhenQuiet(key));
        }
        if matches!(disturbance, Disturbance::OtherPrograms(_)) {
            show_programs_ui(ui, session, actions);
        }
    });
}
