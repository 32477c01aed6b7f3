//! Handles shortcuts, regardless of the focus.

use eframe::egui::Context;

use crate::session::{Action, PageId, Session, Settings, Subject, ThemeChoice};
use crate::widgets::keys::{Command, is_escape_held, pressed};
use crate::widgets::region::step;

/// Whether the page shows the running test.
pub(super) fn is_in_view(session: &Session, page: PageId) -> bool {
    match page {
        PageId::Test(key) => session.live().is_some_and(|(live, _)| live.key() == key),
        PageId::Quick => session.quick().going().is_some(),
        _ => false,
    }
}

/// Adds the actions of the pressed keys.
pub(super) fn take(ctx: &Context, session: &Session, page: PageId, actions: &mut Vec<Action>) {
    let pressed = |command| pressed(ctx, command);
    if pressed(Command::StopAtOnce) && session.is_running() {
        actions.push(Action::StopAtOnce);
    }
    // While another test runs, the window asks whether that one is to be stopped.
    let can_run = !session.is_busy() || session.is_running() && !is_in_view(session, page);
    if page == PageId::Quick && can_run && pressed(Command::Run) {
        actions.push(Action::RunQuick);
    }
    if let PageId::Test(key) = page
        && can_run
        && pressed(Command::Run)
    {
        actions.push(Action::Run(key));
    }
    // Esc belongs to what is open first: a list, a field. F1 shows help for the focused widget.
    let has_focus = ctx.memory(|memory| memory.focused().is_some());
    let is_taken = has_focus || ctx.any_popup_open() || is_escape_held(ctx);
    // Only a test that is in view is stopped by a key that also closes things.
    if is_in_view(session, page) && !is_taken && pressed(Command::Stop) {
        actions.push(Action::Stop);
    }
    if !has_focus && pressed(Command::Keys) {
        actions.push(Action::ShowKeys);
    }
    for (bench, place) in session.benches().iter().zip(0..) {
        if pressed(Command::Test(place)) {
            actions.push(Action::GoTo(PageId::Test(bench.key())));
        }
    }
    for (command, page) in [
        (Command::Quick, PageId::Quick),
        (Command::Runs, PageId::Runs),
        (Command::Compare, PageId::Compare),
        (Command::Machine, PageId::Machine),
        (Command::Settings, PageId::Settings),
    ] {
        if pressed(command) {
            actions.push(Action::GoTo(page));
        }
    }
    // On the Runs page, they apply to the selected runs, which only the page knows.
    let subject = match page {
        PageId::Test(key) => Some(Subject::Result(key)),
        PageId::Capture => session.capture().map(|shown| Subject::Result(shown.run.subject.key())),
        PageId::Compare => Some(Subject::Comparison),
        PageId::Quick | PageId::Runs | PageId::Machine | PageId::Settings | PageId::Welcome => None,
    };
    if let Some(subject) = subject.filter(|subject| session.can_export(subject)) {
        if pressed(Command::Ticket) {
            actions.push(Action::CopyForTicket(subject.clone()));
        }
        if pressed(Command::Export) {
            actions.push(Action::Export { subject, kind: None });
        }
    }
    if pressed(Command::PreviousRegion) {
        step(ctx, false);
    } else if pressed(Command::NextRegion) {
        step(ctx, true);
    }
    if pressed(Command::OpenFile) {
        actions.push(Action::AskForFile);
    }
    // In a text field, the same key undoes typing.
    if !ctx.egui_wants_keyboard_input() && pressed(Command::Undo) {
        actions.push(Action::Undo);
    }
    if pressed(Command::Theme) {
        let look = match ctx.theme() {
            eframe::egui::Theme::Dark => ThemeChoice::Light,
            eframe::egui::Theme::Light => ThemeChoice::Dark,
        };
        let settings = Settings { look, ..session.settings().clone() };
        actions.push(Action::Set(Box::new(settings)));
    }
}
