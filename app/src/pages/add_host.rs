//! The dialog that adds a host: its address, and a check of the host in six steps.

use std::cmp::Ordering;

use eframe::egui::{Context, Id, Key, ScrollArea, Ui};
use jitterscope_engine::machine::permission_steps;
use jitterscope_engine::runner::AgentError;

use super::machine::step_ui;
use crate::session::{
    Action, AddedHost, CheckedHost, HostAction, SavedHost, Session, is_old, needs_agent,
};
use crate::text::{self, hosts as words};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, FollowFocus as _, Severity, Spans, dialog, field_block, link, right_aligned, text_field,
};

/// Width of the dialog, in points.
const WIDTH: f32 = 600.0;
/// Width of the column with the names of the steps, in points.
const NAMES: f32 = 110.0;

/// State of the dialog that adds a host.
#[derive(Debug, Default)]
pub struct AddHostDialog {
    host: SavedHost,
    is_open: bool,
    /// Whether the field for the path of the agent is shown.
    has_path: bool,
    /// Whether the steps to allow real-time priority on the host are shown.
    shows_how: bool,
}

/// A step of the check: its result, and whether it succeeded.
struct HostStep {
    name: &'static str,
    severity: Option<Severity>,
    words: String,
}

impl AddHostDialog {
    /// Shows the dialog while the user adds a host.
    pub fn show(&mut self, ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
        let Some(adding) = &session.hosts.adding else {
            *self = Self::default();
            return;
        };
        let has_terminal = session.hosts.has_terminal;
        let modal = dialog::modal(ctx, Id::unique("add-host")).show(ctx, |ui| {
            self.ui(ui, adding, has_terminal, actions);
        });
        if modal.should_close() {
            actions.push(Action::Host(HostAction::Cancel));
        }
    }

    fn ui(
        &mut self,
        ui: &mut Ui,
        adding: &AddedHost,
        has_terminal: bool,
        actions: &mut Vec<Action>,
    ) {
        let tokens = Tokens::of(ui);
        let width = WIDTH.min(ui.ctx().content_rect().width() - 64.0);
        ui.set_width(width);
        dialog::title(ui, "Add a host");
        let room = ui.ctx().content_rect().height() - 150.0;
        ScrollArea::vertical().max_height(room).show_focus(ui, |ui| {
            ui.set_width(width);
            self.fields_ui(ui, width, adding, actions);
            for step in steps(adding) {
                check_ui(ui, &step);
                match step.name {
                    "Host key" => key_ui(ui, adding, actions),
                    "Signed in" if has_terminal => sign_in_ui(ui, adding, actions),
                    "Agent" => self.agent_ui(ui, adding, actions),
                    "Real-time" => self.realtime_ui(ui, adding, actions),
                    _ => {}
                }
            }
            ui.add_space(size::GAP_SMALL);
            ui.label(Type::Small.text(words::ABOUT_SSH).color(tokens.t2));
        });
        ui.add_space(size::GAP_SMALL);
        let is_ready = matches!(adding.checked, CheckedHost::Ready(_)) && !self.is_changed(adding);
        ui.horizontal(|ui| {
            if !is_ready {
                let hint = "The agent is needed to add this host.";
                ui.label(Type::Small.text(hint).color(tokens.t2));
            }
            right_aligned(ui, "add-host-answers", |ui| {
                if ui.add(Button::new("Cancel").shortcut("Esc")).clicked() {
                    actions.push(Action::Host(HostAction::Cancel));
                }
                if ui.add_enabled(is_ready, Button::primary("Add host")).clicked() {
                    actions.push(Action::Host(HostAction::Add));
                }
            });
        });
    }

    /// Whether the address or the ssh command changed after the host was checked.
    fn is_changed(&self, adding: &AddedHost) -> bool {
        self.host.address.trim() != adding.host.address.trim()
            || self.host.ssh.trim() != adding.host.ssh.trim()
    }

    fn fields_ui(
        &mut self,
        ui: &mut Ui,
        width: f32,
        adding: &AddedHost,
        actions: &mut Vec<Action>,
    ) {
        let is_checking = matches!(adding.checked, CheckedHost::Checking | CheckedHost::Copying(_));
        let mut is_entered = false;
        let is_new = !std::mem::replace(&mut self.is_open, true);
        if is_new {
            self.host = adding.host.clone();
            self.has_path = !self.host.program.is_empty();
        }
        ui.horizontal(|ui| {
            let half = (width - 110.0) / 2.0;
            let mut field = |ui: &mut Ui, label: &str, value: &mut String, hint: &str| {
                let field =
                    field_block(ui, label, None, |ui| text_field(ui, label, value, hint, half));
                is_entered |= field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                field
            };
            let address = field(ui, "Address", &mut self.host.address, "user@host");
            if is_new {
                address.request_focus();
            }
            field(ui, "ssh command (optional)", &mut self.host.ssh, "ssh");
            let can_check = !is_checking && !self.host.address.trim().is_empty();
            let check = ui.vertical(|ui| {
                ui.add_space(20.0);
                ui.add_enabled(can_check, Button::new("Check").icon(icons::ARROWS_CLOCKWISE))
            });
            if can_check && (check.inner.clicked() || is_entered) {
                actions.push(Action::Host(HostAction::Check(self.host.clone())));
            }
        });
        ui.add_space(size::GAP_SMALL);
    }

    /// If the agent on the host is missing or too old, draws the button that copies the agent to
    /// the host, or a note that the user must install it.
    fn agent_ui(&mut self, ui: &mut Ui, adding: &AddedHost, actions: &mut Vec<Action>) {
        let CheckedHost::Failed(error) = &adding.checked else { return };
        if !needs_agent(error) {
            return;
        }
        below(ui, |ui| {
            if let Some(error) = &adding.copy_error {
                note(ui, &format!("The agent was not copied: {error}."));
            }
            if let Some(file) = &adding.file {
                let size = text::format_bytes(file.bytes);
                note(
                    ui,
                    &format!(
                        "Copy it there? {size}, to ~/.local/bin/jitterscope-cli. Nothing else changes on that PC."
                    ),
                );
                let words = if is_old(error) { "Update" } else { "Copy it there" };
                if ui.add(Button::primary(words).icon(icons::UPLOAD_SIMPLE)).clicked() {
                    actions.push(Action::Host(HostAction::CopyAgent));
                }
            } else {
                note(ui, "Install jitterscope-cli there, in its PATH.");
            }
            if self.has_path {
                let label = "Path of jitterscope-cli on the host";
                let hint = "~/bin/jitterscope-cli";
                text_field(ui, label, &mut self.host.program, hint, 260.0);
            } else {
                self.has_path = link(ui, "Use another path…").clicked();
            }
        });
    }

    /// If real-time priority is denied on the host, shows how to allow it.
    fn realtime_ui(&mut self, ui: &mut Ui, adding: &AddedHost, actions: &mut Vec<Action>) {
        let CheckedHost::Ready(connected) = &adding.checked else { return };
        let facts = &connected.facts;
        let is_linux = facts.machine.system().starts_with("Linux");
        let steps = permission_steps(&facts.detail, is_linux);
        if facts.realtime.is_granted || steps.is_empty() {
            return;
        }
        below(ui, |ui| {
            if !self.shows_how {
                self.shows_how = ui.add(Button::new("How to allow")).clicked();
                return;
            }
            note(ui, "On that PC:");
            for (step, number) in steps.iter().zip(1..) {
                step_ui(ui, Some(number), step, actions);
            }
        });
    }
}

/// Shows the host key that ssh does not know, for the user to compare and trust.
fn key_ui(ui: &mut Ui, adding: &AddedHost, actions: &mut Vec<Action>) {
    let is_unknown = matches!(&adding.checked, CheckedHost::Failed(error) if matches!(**error, AgentError::KeyUnknown));
    let Some(key) = adding.key.as_ref().filter(|_| is_unknown) else { return };
    below(ui, |ui| match key {
        Ok(key) => {
            let tokens = Tokens::of(ui);
            Spans::plain(Type::Mono, &key.fingerprint, tokens.t1).paragraph(ui);
            note(ui, "Compare it with the one on that PC.");
            if ui.add(Button::new("Trust this key")).clicked() {
                actions.push(Action::Host(HostAction::Trust));
            }
        }
        Err(error) => note(ui, &format!("The key could not be read: {error}.")),
    });
}

/// Offers to open a terminal, in which ssh can ask for a password.
fn sign_in_ui(ui: &mut Ui, adding: &AddedHost, actions: &mut Vec<Action>) {
    let is_denied = matches!(&adding.checked, CheckedHost::Failed(error) if matches!(**error, AgentError::SignIn));
    if is_denied {
        below(ui, |ui| {
            note(ui, words::ABOUT_SIGN_IN);
            if ui.add(Button::new("Open terminal").icon(icons::TERMINAL_WINDOW)).clicked() {
                actions.push(Action::Host(HostAction::OpenTerminal(adding.host.clone())));
            }
        });
    }
}

/// Draws contents below a step, indented like the text of the step.
fn below(ui: &mut Ui, add_contents: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.add_space(NAMES + 30.0);
        ui.vertical(add_contents);
    });
}

fn note(ui: &mut Ui, text: &str) {
    let tokens = Tokens::of(ui);
    Spans::plain(Type::Small, text, tokens.t2).paragraph(ui);
}

/// Returns the state of each step of the check.
fn steps(adding: &AddedHost) -> [HostStep; 6] {
    const NAMES: [&str; 6] = ["Reached", "Host key", "Signed in", "System", "Agent", "Real-time"];
    let step = |name, severity, words: &str| HostStep { name, severity, words: words.to_owned() };
    match &adding.checked {
        CheckedHost::Unchecked => NAMES.map(|name| step(name, None, "")),
        CheckedHost::Checking => NAMES.map(|name| step(name, None, "Checking…")),
        CheckedHost::Copying(_) => NAMES.map(|name| match name {
            "Agent" => step(name, None, "Copying…"),
            _ => step(name, None, ""),
        }),
        CheckedHost::Ready(connected) => {
            let facts = &connected.facts;
            let system = format!("{}, {}", words::machine(facts), facts.machine.arch);
            let (severity, realtime) = if facts.realtime.is_granted {
                (Severity::Good, "Available")
            } else {
                (Severity::Denied, "Denied. Tests run, but not at real-time priority.")
            };
            NAMES.map(|name| match name {
                "Agent" => step(name, Some(Severity::Good), &connected.version),
                "Real-time" => step(name, Some(severity), realtime),
                _ => passed(adding, name, &system),
            })
        }
        CheckedHost::Failed(error) => {
            let failed = step_of(error);
            let system = adding.system.as_deref().unwrap_or_default();
            let mut at = 0..;
            NAMES.map(|name| match at.next().unwrap_or(0).cmp(&failed) {
                Ordering::Less => passed(adding, name, system),
                Ordering::Equal => {
                    let severity = match **error {
                        AgentError::KeyChanged => Severity::Poor,
                        _ => Severity::Fair,
                    };
                    step(name, Some(severity), &words::sentence(error))
                }
                Ordering::Greater => step(name, None, ""),
            })
        }
    }
}

/// Returns a successful step before the agent step.
fn passed(adding: &AddedHost, name: &'static str, system: &str) -> HostStep {
    let words = match name {
        "Reached" => adding.host.address.trim(),
        "Host key" => "Known",
        "Signed in" => "With your ssh configuration",
        _ => system,
    };
    HostStep { name, severity: Some(Severity::Good), words: words.to_owned() }
}

/// Returns the index of the step at which a check with this error failed.
const fn step_of(error: &AgentError) -> usize {
    match error {
        AgentError::Address { .. }
        | AgentError::NoSsh { .. }
        | AgentError::Start { .. }
        // These errors concern rights on this PC.
        | AgentError::NotInstalled
        | AgentError::NoElevation { .. }
        | AgentError::NotGranted { .. }
        | AgentError::Ended { .. }
        | AgentError::NotFound
        | AgentError::NotReached { .. }
        | AgentError::Lost { .. } => 0,
        AgentError::KeyChanged | AgentError::KeyUnknown => 1,
        AgentError::SignIn => 2,
        AgentError::Architecture => 3,
        AgentError::NoProgram
        | AgentError::NoAgent
        | AgentError::Version { .. }
        | AgentError::NoAnswer
        | AgentError::Noise
        | AgentError::Refused { .. } => 4,
    }
}

fn check_ui(ui: &mut Ui, step: &HostStep) {
    let tokens = Tokens::of(ui);
    ui.horizontal_top(|ui| {
        ui.set_min_height(28.0);
        step.severity.unwrap_or(Severity::NotMeasured).icon_ui(ui, size::ICON);
        let color = if step.severity.is_some() { tokens.t1 } else { tokens.t3 };
        ui.allocate_ui(eframe::egui::vec2(NAMES, 20.0), |ui| {
            ui.set_min_width(NAMES);
            Spans::plain(Type::Body, step.name, color).label(ui);
        });
        Spans::plain(Type::Body, &step.words, tokens.t2).paragraph(ui);
    });
}
