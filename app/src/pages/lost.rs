//! Strips about the connection to a host: not connected, or lost during a test.

use eframe::egui::Ui;
use jitterscope_engine::runner::lost_after;

use crate::session::{
    Action, FinishedCheck, HostAction, HostState, LoadedRun, PageId, Place, SavedHost, Session,
};
use crate::text::hosts as words;
use crate::theme::icons;
use crate::widgets::{Button, Severity, VerdictStrip};

/// Returns a sentence about a connection that was lost during the run; `None` for any other run.
pub(super) fn sentence_of(shown: &LoadedRun) -> Option<String> {
    Some(words::lost(&shown.run, lost_after(&shown.run)?))
}

/// Offers to reconnect to a saved host that is not connected.
pub(super) fn connect_ui(ui: &mut Ui, session: &Session, address: &str, actions: &mut Vec<Action>) {
    let is_saved = session.settings().hosts.iter().any(|host| host.address == address);
    let is_needed = match session.hosts.state(address) {
        HostState::NotConnected | HostState::Failed { .. } => is_saved,
        HostState::Connecting | HostState::Connected(_) => false,
    };
    if is_needed && ui.add(Button::new("Connect again").icon(icons::PLUG)).clicked() {
        actions.push(Action::Host(HostAction::Connect(address.to_owned())));
    }
}

/// Shows that a quick check ended because the connection to its host was lost.
pub(super) fn check_ui(
    ui: &mut Ui,
    session: &Session,
    result: &FinishedCheck,
    actions: &mut Vec<Action>,
) {
    let Some(host) = &result.lost else { return };
    let (measured, planned) = (result.runs().count(), result.parts.len());
    let sentence = words::lost_check(host, result.took, measured, planned);
    VerdictStrip::new(Severity::Info, "").sentence(&sentence).show(ui, |ui| {
        connect_ui(ui, session, host, actions);
    });
}

/// Shows above a page that the selected host is not connected, or that the system is asking for a
/// password.
pub fn place_ui(ui: &mut Ui, session: &Session, page: PageId, actions: &mut Vec<Action>) {
    let Place::Host(address) = &session.hosts.place else {
        return asking_ui(ui, session, page, actions);
    };
    let shows_lost = match page {
        PageId::Test(key) => {
            session.running.shown(key).is_some_and(|shown| sentence_of(shown).is_some())
        }
        PageId::Quick => {
            session.running.quick.result.as_ref().is_some_and(|result| result.lost.is_some())
        }
        PageId::Machine => false,
        _ => return,
    };
    let state = session.hosts.state(address);
    let hosts = &session.settings().hosts;
    let saved = hosts.iter().find(|host| host.address == *address);
    let name = saved.map_or(address.as_str(), SavedHost::title);
    let (severity, sentence, evidence) = match state {
        HostState::Connected(_) => return,
        HostState::Connecting => (Severity::Info, format!("Connecting to {name}"), String::new()),
        HostState::NotConnected | HostState::Failed { .. } if shows_lost => return,
        HostState::NotConnected => {
            (Severity::Info, format!("{name} is not connected."), "Connect to run.".to_owned())
        }
        HostState::Failed { at, error } => {
            let sentence = format!("{name}: {}", words::failed(*at, error));
            (Severity::Fair, sentence, words::sentence(error))
        }
    };
    let strip = VerdictStrip::new(severity, "").sentence(&sentence).evidence(&evidence);
    strip_ui(ui, strip, |ui| connect_ui(ui, session, address, actions));
}

/// Shows above a page that the system is asking for a password.
fn asking_ui(ui: &mut Ui, session: &Session, page: PageId, actions: &mut Vec<Action>) {
    let is_asking = session.hosts.place == Place::Administrator
        && matches!(session.hosts.selected(), Some(HostState::Connecting));
    if !is_asking || !matches!(page, PageId::Test(_) | PageId::Quick | PageId::Machine) {
        return;
    }
    let strip = VerdictStrip::new(Severity::Info, "").sentence(words::WAITING_FOR_RIGHTS);
    strip_ui(ui, strip.evidence(words::ABOUT_RIGHTS), |ui| {
        if ui.add(Button::new("Cancel").name("Cancel administrator rights")).clicked() {
            actions.push(Action::Host(HostAction::Select(Place::ThisPc)));
        }
    });
}

fn strip_ui(ui: &mut Ui, strip: VerdictStrip<'_>, buttons_ui: impl FnOnce(&mut Ui)) {
    super::page_frame().show(ui, |ui| strip.show(ui, buttons_ui));
}
