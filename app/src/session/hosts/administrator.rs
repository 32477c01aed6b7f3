//! Tests with administrator rights on this PC. The rights end when another PC, or this one without
//! rights, is selected.

use std::sync::Arc;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::runner::{Agent, AgentError};

use super::{Connected, HostState, Hosts};
use crate::facts::Facts;
use crate::session::action::Action;
use crate::session::host_action::Place;
use crate::session::part::{Context, Request};

impl Hosts {
    /// Requests administrator rights for tests with these plans by means of a command that asks for
    /// the password. Carries out the action `then` once the rights are granted.
    pub(in crate::session) fn elevate(
        &mut self,
        command: &str,
        plans: Vec<Plan>,
        then: Option<Action>,
        context: &Context,
    ) {
        if context.is_busy || matches!(self.state(Place::ADMINISTRATOR), HostState::Connecting) {
            return;
        }
        self.place = Place::Administrator;
        self.then = then;
        let command = command.to_owned();
        let elevate = move || Agent::with_administrator_rights(&command, &plans);
        self.open("elevate", Place::ADMINISTRATOR, elevate);
    }

    /// Gives up administrator rights, and forgets the action that waits for them.
    pub(super) fn give_up_rights(&mut self) {
        self.then = None;
        if !matches!(self.state(Place::ADMINISTRATOR), HostState::NotConnected) {
            self.set(Place::ADMINISTRATOR, HostState::NotConnected);
        }
    }

    /// Handles an agent that was started with administrator rights. Facts about the desktop are
    /// taken from this process, not from the agent.
    pub(super) fn take_rights(&mut self, agent: Agent, context: &Context) {
        let mut connected = Connected::of(agent);
        if let Some(own) = &context.facts {
            let (desktop, tools) = (own.desktop, own.tools.clone());
            let facts = connected.facts.as_ref().clone();
            connected.facts = Arc::new(Facts { desktop, tools, ..facts });
        }
        self.set(Place::ADMINISTRATOR, HostState::Connected(connected));
        if let Some(then) = self.then.take() {
            context.push(Request::Act(Box::new(then)));
        }
    }

    /// Switches back to tests without administrator rights, and shows why.
    pub(super) fn lose_rights(&mut self, error: &AgentError, context: &Context) {
        self.give_up_rights();
        self.place = Place::ThisPc;
        self.follow_load();
        context.report_error(format!("{}.", crate::text::capitalized(&error.to_string())));
    }
}
