//! Administrator rights on this PC: requests them, and returns whether they can be requested.

use jitterscope_engine::platform::{ELEVATION, Elevation};
use jitterscope_engine::runner::{Agent, AgentError};

use super::host_session::HOSTS;
use super::{Action, Place, Session};

impl Session {
    /// Requests administrator rights, then carries out an action with them.
    pub(super) fn elevate(&mut self, then: Option<Action>) {
        let command = self.settings().administrator_command().to_owned();
        let plans = self.running.tests().iter().map(|state| state.plan().clone()).collect();
        self.run(HOSTS, |part, context| part.elevate(&command, plans, then, context));
        self.follow_place();
    }

    /// Returns `Ok` if administrator rights can be requested, otherwise the reason why not. `None`
    /// if they are granted already, if another PC is selected, or if the system has no such rights.
    pub fn rights(&self) -> Option<Result<(), AgentError>> {
        let can_ask = !matches!(ELEVATION, Elevation::None) && *self.hosts.place() == Place::ThisPc;
        let command = self.settings().administrator_command();
        can_ask.then(|| Agent::check_administrator_rights(command))
    }
}
