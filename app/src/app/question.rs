//! The question before a running test is stopped, and the action that follows the answer.

use std::time::{Duration, Instant};

use eframe::egui::{Context, ViewportCommand};

use super::App;
use crate::session::Action;
use crate::widgets::{Answer, Dialog};

/// A run with less measured time than this is stopped without a question.
const STOP_ASKS_AFTER: Duration = Duration::from_secs(10);

/// A confirmation that the window requests before a running test is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Stop the test?
    Stop,
    /// Close the window while a test runs?
    Close,
    /// Stop the test and start another one?
    Switch,
}

impl App {
    /// Stops the running test; asks first if it has measured for longer than [`STOP_ASKS_AFTER`].
    /// The test continues during the question.
    pub(super) fn ask_to_stop(&mut self) {
        let is_old =
            self.session.running.live().is_some_and(|(_, live)| {
                STOP_ASKS_AFTER < live.measured(Instant::now()).to_duration()
            });
        if is_old && self.session.settings().asks_before_stop {
            self.question = Some(Question::Stop);
        } else {
            self.session.act(Action::Stop);
        }
    }

    pub(super) fn question_ui(&mut self, ctx: &Context) {
        let Some(question) = self.question else { return };
        if !self.session.running.is_busy() {
            self.question = None;
            return;
        }
        let (running, next) = (self.session.running.name(), self.next_name());
        let switch = format!("{running} is running. Stop it and start {next}?");
        let retained = self.session.running.live().map_or(String::new(), |(_, live)| {
            format!(
                "{} of {} configurations are complete. Measured data is saved.",
                live.states
                    .iter()
                    .filter(|state| **state == crate::session::TrialState::Done)
                    .count(),
                live.trial_count(),
            )
        });
        let (title, primary) = match question {
            Question::Stop => ("Stop the test?", "Stop"),
            Question::Switch => (switch.as_str(), "Stop and start"),
            Question::Close => ("Stop the test and close?", "Stop and close"),
        };
        let cancel = "Keep running";
        let dialog = Dialog { title, text: &retained, primary, cancel, is_stop: true };
        match dialog.show(ctx) {
            Some(Answer::Primary) => {
                self.session.act(Action::Stop);
                if question != Question::Switch {
                    self.next = None;
                }
                self.may_close |= question == Question::Close;
                self.question = None;
            }
            Some(Answer::Cancel) => {
                self.question = None;
                self.next = None;
            }
            None => {}
        }
    }

    /// Returns the name of the test or check that starts next.
    fn next_name(&self) -> &'static str {
        match &self.next {
            Some(
                Action::Run(key)
                | Action::RunAgainWithTrace(key)
                | Action::RunWhenQuiet(key)
                | Action::MeasureTestLonger(key),
            ) => self.session.running.test(key).map_or("", |state| state.name()),
            _ => "Quick check",
        }
    }

    /// Carries out the pending action once the running test has ended.
    pub(super) fn start_next(&mut self) {
        if !self.session.running.is_busy()
            && self.question != Some(Question::Switch)
            && let Some(next) = self.next.take()
        {
            match next {
                Action::Run(test) if self.session.known_denial(test).is_some() => {
                    self.denied = Some(test);
                }
                next => self.session.act(next),
            }
        }
    }

    /// Prevents the window from closing while a test runs. Once the user confirms, or if the settings require
    /// no confirmation, the test is stopped and the window closes after the run is saved.
    pub(super) fn guard_close(&mut self, ctx: &Context) {
        let is_busy = self.session.running.is_busy();
        if ctx.input(|input| input.viewport().close_requested()) && is_busy {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            if !self.may_close && self.session.settings().asks_before_close {
                self.question = Some(Question::Close);
            } else if !self.may_close {
                self.session.act(Action::StopAtOnce);
                self.may_close = true;
            }
        }
        if self.may_close && !is_busy {
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }
}
