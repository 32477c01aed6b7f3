//! The host chooser: a badge with the PC on which the next run happens, and its menu.

use eframe::egui::{
    Color32, Key, Modifiers, Popup, PopupCloseBehavior, Response, Role, Ui, WidgetInfo, vec2,
};

use jitterscope_engine::platform::{ELEVATION, Elevation};
use jitterscope_engine::runner::{Agent, AgentError};

use crate::session::{Action, HostAction, HostState, PageId, Place, SavedHost, Session, is_old};
use crate::text::hosts as words;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::keys::{Command, key_text};
use crate::widgets::menu_row::{MenuRow, TWO_LINES, menu_badge};
use crate::widgets::{Button, FollowFocus as _, group_caption, text_field, visible_rows};

/// Width of the menu, in points.
const WIDTH: f32 = 424.0;
/// Width that the row of a host reserves for its button, in points.
const BUTTON: f32 = 112.0;
/// Labels of two buttons in the row of a host. A button with any other label shows the host in the
/// dialog for adding hosts.
const TRY_AGAIN: &str = "Try again";
const OPEN_TERMINAL: &str = "Open terminal";
/// From this number of hosts on, the list has a filter field.
const FILTERED_FROM: usize = 8;

/// State of the host menu.
#[derive(Debug, Default)]
pub(super) struct HostMenu {
    /// Whether a shortcut requested to open the menu.
    is_requested: bool,
    filter: String,
    /// The host whose commands are shown; `None` if no commands are shown.
    commands: Option<String>,
    /// The host that is being renamed, and the name entered so far.
    renamed: Option<(String, String)>,
}

/// Whether a page runs something on the selected PC, so that its top bar has the host chooser.
pub(super) const fn has_place(page: PageId) -> bool {
    matches!(page, PageId::Quick | PageId::Test(_) | PageId::Machine)
}

impl HostMenu {
    /// Opens the menu the next time the badge with the selected PC is drawn.
    pub(super) const fn open(&mut self) {
        self.is_requested = true;
    }

    /// Draws the badge, and its menu while it is open.
    pub(super) fn badge_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        is_compact: bool,
        actions: &mut Vec<Action>,
    ) {
        let tokens = Tokens::of(ui);
        let is_locked = session.running.is_busy();
        let selected = selected(session);
        let is_administrator = session.hosts.place == Place::Administrator;
        let here = if is_administrator { "This PC, administrator" } else { "This PC" };
        let name = selected.map_or(here, SavedHost::title);
        let is_failed = matches!(session.hosts.selected(), Some(HostState::Failed { .. }));
        let icon = match (is_failed, selected) {
            (true, _) => (icons::WARNING_FILL, tokens.fair),
            (false, Some(_)) => (icons::TERMINAL_WINDOW, tokens.acc),
            (false, None) if is_administrator => (icons::SHIELD_CHECK, tokens.acc),
            (false, None) => (icons::DESKTOP, tokens.t2),
        };
        let line = if selected.is_some() || is_administrator { tokens.acc } else { tokens.line2 };
        let shown =
            ui.add_enabled_ui(!is_locked, |ui| menu_badge(ui, icon, name, is_compact, line));
        let response = shown.inner;
        let label = format!("Tests run on: {name}");
        response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, !is_locked, &label));
        let hint = if is_locked {
            format!("{name}\nThe PC cannot be changed while a test runs.")
        } else {
            format!("{name}\nThe PC on which tests run ({}).", key_text(ui.ctx(), Command::Hosts))
        };
        let response = response.on_hover_text(&hint).on_disabled_hover_text(&hint);
        self.menu_ui(ui, session, &response, is_locked, actions);
    }

    fn menu_ui(
        &mut self,
        ui: &Ui,
        session: &Session,
        badge: &Response,
        is_locked: bool,
        actions: &mut Vec<Action>,
    ) {
        let popup = Popup::menu(badge)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .accessible_name("Tests run on");
        let (ctx, id) = (ui.ctx().clone(), popup.get_id());
        if std::mem::take(&mut self.is_requested) && !is_locked {
            Popup::open_id(&ctx, id);
        }
        if is_locked || !popup.is_open() {
            (self.commands, self.renamed) = (None, None);
            self.filter.clear();
        }
        if is_locked {
            Popup::close_id(&ctx, id);
            return;
        }
        let room = ctx.content_rect().width() - 32.0;
        let mut is_done = false;
        popup.width(WIDTH.min(room)).show(|ui| {
            ui.set_width(WIDTH.min(room) - 12.0);
            ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, 2.0);
            is_done = self.list_ui(ui, session, actions);
        });
        if is_done {
            Popup::close_id(&ctx, id);
        }
    }

    /// Draws the list of hosts; returns whether to close the menu.
    fn list_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) -> bool {
        let tokens = Tokens::of(ui);
        let saved = &session.settings().hosts;
        let own = session.machine.facts.as_ref();
        let note = own.map_or(String::new(), |facts| words::machine(facts));
        let is_here = session.hosts.place == Place::ThisPc;
        let here = MenuRow {
            icon: icons::DESKTOP,
            title: "This PC",
            note_icon: ("", tokens.t2),
            note: &note,
            state: is_here.then_some((icons::CHECK, "", tokens.acc)),
            is_selected: is_here,
            room: 0.0,
        };
        let here = here.show(ui);
        let is_new = ui.memory(|memory| memory.focused().is_none());
        if is_new {
            here.request_focus();
        }
        let mut is_done = false;
        if here.clicked() {
            actions.push(Action::Host(HostAction::Select(Place::ThisPc)));
            is_done = true;
        }
        is_done |= administrator_ui(ui, session, actions);
        if !saved.is_empty() {
            ui.separator();
            group_caption(ui, "Other PCs");
            if FILTERED_FROM <= saved.len() {
                text_field(ui, "Filter hosts", &mut self.filter, "Filter", ui.available_width());
            } else {
                self.filter.clear();
            }
        }
        let filter = self.filter.to_lowercase();
        let is_shown = |host: &&SavedHost| {
            [&host.name, &host.address]
                .into_iter()
                .any(|text| text.to_lowercase().contains(&filter))
        };
        let height = (ui.ctx().content_rect().height() - 260.0).max(100.0);
        eframe::egui::ScrollArea::vertical().max_height(height).show_focus(ui, |ui| {
            visible_rows(ui, saved.iter().filter(is_shown), TWO_LINES, |ui, host| {
                is_done |= self.host_ui(ui, session, host, actions);
            });
        });
        ui.separator();
        let add = MenuRow {
            icon: icons::PLUS,
            title: "Add a host…",
            note_icon: ("", tokens.t2),
            note: "",
            state: None,
            is_selected: false,
            room: 0.0,
        };
        if add.show(ui).clicked() {
            actions.push(Action::Host(HostAction::Ask));
            is_done = true;
        }
        ui.separator();
        ui.label(Type::Small.text(words::NOTE).color(tokens.t2));
        is_done
    }

    /// Draws the row of a host; returns whether to close the menu.
    fn host_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        host: &SavedHost,
        actions: &mut Vec<Action>,
    ) -> bool {
        let tokens = Tokens::of(ui);
        let address = &host.address;
        let state = session.hosts.state(address);
        let is_selected = session.hosts.place == Place::Host(address.clone());
        let (note, state_words, button) = state_of(host, state, session.hosts.has_terminal, tokens);
        let row = MenuRow {
            icon: icons::TERMINAL_WINDOW,
            title: host.title(),
            note_icon: note.0,
            note: &note.1,
            state: state_words,
            is_selected,
            room: if button.is_empty() { 0.0 } else { BUTTON },
        };
        let row = row.show(ui);
        if !button.is_empty() {
            let place = row.rect.with_min_x(row.rect.right() - BUTTON).shrink2(vec2(4.0, 8.0));
            let name = format!("{button}: {}", host.title());
            if ui.put(place, Button::new(button).name(&name)).clicked() {
                actions.push(Action::Host(match button {
                    OPEN_TERMINAL => HostAction::OpenTerminal(host.clone()),
                    TRY_AGAIN => HostAction::Connect(address.clone()),
                    _ => HostAction::AskAbout(address.clone()),
                }));
            }
        }
        let by_key =
            row.has_focus() && ui.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::F10));
        if row.secondary_clicked() || by_key {
            let is_open = self.commands.as_ref() == Some(address);
            self.commands = (!is_open).then(|| address.clone());
            self.renamed = None;
        }
        if self.commands.as_ref() == Some(address) {
            self.commands_ui(ui, host, state, actions);
        }
        if row.clicked() {
            actions.push(Action::Host(HostAction::Select(Place::Host(address.clone()))));
        }
        row.clicked()
    }

    /// Draws the commands for a host: rename, disconnect, remove.
    fn commands_ui(
        &mut self,
        ui: &mut Ui,
        host: &SavedHost,
        state: &HostState,
        actions: &mut Vec<Action>,
    ) {
        let address = || host.address.clone();
        if let Some((of, name)) = &mut self.renamed
            && *of == host.address
        {
            let field = text_field(ui, "Name of the host", name, &host.address, 240.0);
            if field.lost_focus() {
                if ui.input(|input| input.key_pressed(Key::Enter)) {
                    let name = name.clone();
                    actions.push(Action::Host(HostAction::Rename { address: address(), name }));
                }
                (self.renamed, self.commands) = (None, None);
            } else {
                field.request_focus();
            }
            return;
        }
        ui.horizontal(|ui| {
            ui.add_space(30.0);
            if ui.add(Button::new("Rename")).clicked() {
                self.renamed = Some((address(), host.title().to_owned()));
            }
            let is_connected = matches!(state, HostState::Connected(_) | HostState::Connecting);
            if is_connected && ui.add(Button::new("Disconnect")).clicked() {
                actions.push(Action::Host(HostAction::Disconnect(address())));
                self.commands = None;
            }
            if ui.add(Button::new("Remove")).clicked() {
                actions.push(Action::Host(HostAction::Remove(address())));
                self.commands = None;
            }
        });
    }
}

/// Draws the row of this PC with administrator rights; returns whether to close the menu.
fn administrator_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) -> bool {
    let tokens = Tokens::of(ui);
    let is_selected = session.hosts.place == Place::Administrator;
    if matches!(ELEVATION, Elevation::None) {
        return false;
    }
    let command = session.settings().administrator_command();
    let problem = Agent::check_administrator_rights(command).err();
    let note = problem.as_ref().map_or(words::ABOUT_RIGHTS.to_owned(), words::problem);
    let connecting = matches!(session.hosts.selected(), Some(HostState::Connecting));
    let state = match (is_selected, connecting) {
        (true, true) => Some((icons::HOURGLASS_MEDIUM, words::WAITING_FOR_RIGHTS, tokens.t2)),
        (true, false) => Some((icons::CHECK, "", tokens.acc)),
        (false, _) => None,
    };
    let row = MenuRow {
        icon: icons::SHIELD_CHECK,
        title: "This PC, with administrator rights…",
        note_icon: ("", tokens.t2),
        note: &note,
        state,
        is_selected,
        room: 0.0,
    };
    let shown = ui.add_enabled_ui(problem.is_none(), |ui| row.show(ui)).inner;
    let is_clicked = shown.on_hover_text(words::ABOUT_RIGHTS).clicked();
    if is_clicked && !is_selected {
        actions.push(Action::Host(HostAction::Select(Place::Administrator)));
    }
    is_clicked
}

/// Returns the selected host; `None` for this PC.
pub(super) fn selected(session: &Session) -> Option<&SavedHost> {
    let Place::Host(address) = &session.hosts.place else { return None };
    session.settings().hosts.iter().find(|host| host.address == *address)
}

/// State of a host's row: the second line with its icon, the state at the right, and the button
/// label.
type RowState<'a> =
    (((&'a str, Color32), String), Option<(&'a str, &'a str, Color32)>, &'static str);

fn state_of<'a>(
    host: &SavedHost,
    state: &HostState,
    has_terminal: bool,
    tokens: &Tokens,
) -> RowState<'a> {
    let plain = ("", tokens.t2);
    match state {
        HostState::Connected(connected) => {
            let machine = words::machine(&connected.facts);
            let note = format!("ssh, {machine}, agent {}", connected.version);
            ((plain, note), Some((icons::PLUG, "Connected", tokens.good)), "")
        }
        HostState::NotConnected => {
            ((plain, host.address.clone()), Some((icons::PLUG, "Not connected", tokens.t2)), "")
        }
        HostState::Connecting => {
            let shown = Some((icons::HOURGLASS_MEDIUM, "Connecting", tokens.t2));
            ((plain, host.address.clone()), shown, "")
        }
        HostState::Failed { at, error } => {
            let button = match **error {
                AgentError::SignIn if has_terminal => OPEN_TERMINAL,
                AgentError::KeyUnknown | AgentError::NoProgram => "Check",
                _ if is_old(error) => "Update",
                _ => TRY_AGAIN,
            };
            (((icons::WARNING_FILL, tokens.fair), words::failed(*at, error)), None, button)
        }
    }
}
