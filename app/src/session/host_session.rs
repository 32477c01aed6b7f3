//! Handles requests of the window that select where tests run or change the list of hosts, and requests administrator
//! rights on this PC.

use jitterscope_engine::platform::{ELEVATION, Elevation};
use jitterscope_engine::runner::{Agent, AgentError};

use super::host_action::{HostAction, Place};
use super::hosts::Hosts;
use super::machine::HostMachine;
use super::{Action, MACHINE, Session};

pub(super) const HOSTS: fn(&mut Session) -> &mut Hosts = |all| &mut all.hosts;

impl Session {
    /// Handles changes of the connections since the last call.
    pub(super) fn poll_hosts(&mut self) {
        self.run(HOSTS, Hosts::poll);
        self.follow_place();
    }

    /// Updates the facts of the machine on which tests run. For another PC, this opens a new
    /// connection.
    pub(super) fn read_machine(&mut self) {
        match self.hosts.place.clone() {
            Place::ThisPc | Place::Administrator => self.run(MACHINE, |part, _| part.read()),
            Place::Host(address) => self.act_on_hosts(HostAction::Connect(address)),
        }
    }

    /// Carries out a change of the hosts or of the place where tests run.
    pub(super) fn act_on_hosts(&mut self, action: HostAction) {
        let saved = self.settings().hosts.clone();
        match action {
            HostAction::Select(Place::Administrator) => self.elevate(None),
            HostAction::Select(place) => {
                self.run(HOSTS, |part, context| part.select(place, &saved, context));
            }
            HostAction::Connect(address) => {
                self.run(HOSTS, |part, context| part.connect(&address, &saved, context));
            }
            HostAction::Disconnect(address) => {
                self.run(HOSTS, |part, context| part.disconnect(&address, context));
            }
            HostAction::Remove(address) => {
                self.run(HOSTS, |part, context| part.remove(&address, context));
                self.edit_settings(|settings| settings.hosts.retain(|one| one.address != address));
            }
            HostAction::Rename { address, name } => self.edit_settings(|settings| {
                let host = settings.hosts.iter_mut().find(|one| one.address == address);
                if let Some(host) = host {
                    name.trim().clone_into(&mut host.name);
                }
            }),
            HostAction::Ask => self.run(HOSTS, |part, _| part.begin_adding()),
            HostAction::Check(host) => self.run(HOSTS, |part, _| part.check(host)),
            HostAction::AskAbout(address) => self.run(HOSTS, |part, _| {
                if let Some(host) = saved.into_iter().find(|host| host.address == address) {
                    part.begin_adding();
                    part.check(host);
                }
            }),
            HostAction::Trust => self.run(HOSTS, Hosts::trust),
            HostAction::OpenTerminal(host) => {
                self.run(HOSTS, |part, context| part.open_terminal(&host, context));
            }
            HostAction::CopyAgent => self.run(HOSTS, |part, _| part.copy_agent()),
            HostAction::Add => self.add_host(),
            HostAction::Cancel => self.run(HOSTS, |part, _| part.cancel_adding()),
        }
        self.follow_place();
    }

    /// Shows the facts of the machine on which the next run is measured.
    pub(super) fn follow_place(&mut self) {
        // Until administrator rights are granted, show the facts of this PC that were read without
        // rights.
        let is_asking = self.hosts.place == Place::Administrator && self.hosts.facts().is_none();
        let there = self.hosts.selected().filter(|_| !is_asking).map(|_| HostMachine {
            facts: self.hosts.facts().cloned(),
            other_load: self.hosts.other_load,
        });
        self.machine.set_there(there);
    }

    /// Adds the checked host to the list and selects it; a listed host with the same address is
    /// replaced.
    fn add_host(&mut self) {
        let Some(host) = self.hosts.finish_adding() else { return };
        let place = Place::Host(host.address.clone());
        self.edit_settings(|settings| {
            settings.hosts.retain(|one| one.address != host.address);
            settings.hosts.push(host);
        });
        self.act_on_hosts(HostAction::Select(place));
    }
}

impl Session {
    /// Requests administrator rights, then carries out an action with them.
    pub(super) fn elevate(&mut self, then: Option<Action>) {
        let command = self.settings().administrator_command().to_owned();
        let plans = self.running.tests.iter().map(|state| state.plan.clone()).collect();
        self.run(HOSTS, |part, context| part.elevate(&command, plans, then, context));
        self.follow_place();
    }

    /// Returns `Ok` if administrator rights can be requested, otherwise the reason why not. `None`
    /// if they are granted already, if another PC is selected, or if the system has no such rights.
    pub fn rights(&self) -> Option<Result<(), AgentError>> {
        let can_ask = !matches!(ELEVATION, Elevation::None) && self.hosts.place == Place::ThisPc;
        let command = self.settings().administrator_command();
        can_ask.then(|| Agent::check_administrator_rights(command))
    }
}
