//! The dialog before a test that will end without a verdict, because this PC denies the priority
//! that the test requires.

use eframe::egui::Context;

use super::App;
use crate::session::Action;
use crate::text;
use crate::widgets::{Answer, Dialog};

impl App {
    /// Asks whether to start a test that requires a priority that this PC denies.
    pub(super) fn denied_ui(&mut self, ctx: &Context) {
        let Some(test) = self.denied else { return };
        let Some((priority, _)) = self.session.known_denial(test) else {
            self.denied = None;
            return;
        };
        let policy = priority.name();
        let facts = self.session.machine.facts();
        let length = self.session.running.test(test).zip(facts).map(|(state, facts)| {
            let length = state.plan.duration(&facts.cpus) * i64::from(state.repeat);
            text::format_long_time(length)
        });
        let answer = Dialog {
            title: &format!("Run the test without {policy}?"),
            text: &format!(
                "{policy} is denied on this PC. Only the part at normal priority can run: at most \
                 {}, and no verdict. The page of the test shows how to allow it.",
                length.unwrap_or_default()
            ),
            primary: "Run anyway",
            cancel: "Cancel",
            is_stop: false,
        }
        .show(ctx);
        if answer.is_some() {
            self.denied = None;
        }
        if answer == Some(Answer::Primary) {
            self.session.act(Action::Run(test));
        }
    }
}
