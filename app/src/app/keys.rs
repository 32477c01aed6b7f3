//! Handles keyboard shortcuts, whichever widget has the focus.

use eframe::egui::{Context, Key};

use crate::pages::WHAT_HELPS;
use crate::session::{Action, CopiedText, PageId, Session, Settings, Subject, ThemeChoice};
use crate::widgets::keys::{Command, is_escape_held, is_typing, pressed};
use crate::widgets::region::step;

/// Whether Shift+Tab was pressed: egui then moves the focus to a widget that this pass has already
/// drawn.
pub(super) fn focuses_previous(ctx: &Context) -> bool {
    ctx.input(|input| input.modifiers.shift && input.key_pressed(Key::Tab))
}

/// Adds the actions of the shortcuts that were pressed in this frame.
pub(super) fn take(ctx: &Context, session: &Session, page: PageId, actions: &mut Vec<Action>) {
    let pressed = |command| pressed(ctx, command);
    if pressed(Command::StopAtOnce) && session.running.is_running() {
        actions.push(Action::StopAtOnce);
    }
    let run = match page {
        PageId::Quick | PageId::Welcome => Some(Action::RunQuick),
        PageId::Test(key) => Some(Action::Run(key)),
        _ => None,
    };
    if let Some(run) = run.filter(|_| session.can_start(page) && pressed(Command::Run)) {
        if page == PageId::Welcome {
            actions.push(Action::GoTo(PageId::Quick));
        }
        actions.push(run);
    }
    // Esc stops a test, but also closes lists and fields. It stops a test only if that test is in
    // view, and only if no list or field is open that Esc closes first.
    if session.running.is_in_view(page) && !is_typing(ctx) {
        let is_taken = ctx.any_popup_open() || is_escape_held(ctx);
        if !is_taken && pressed(Command::Stop) {
            actions.push(Action::Stop);
        }
        if pressed(Command::Mark) {
            actions.push(Action::Mark);
        }
    }
    // With a focused widget, F1 shows help for that widget instead.
    if ctx.memory(|memory| memory.focused().is_none()) && pressed(Command::Keys) {
        actions.push(Action::ShowKeys);
    }
    for test in &session.running.tests {
        if pressed(Command::Test(test.plan.listing().digit)) {
            actions.push(Action::GoTo(PageId::Test(test.key())));
        }
    }
    for (command, page) in [
        (Command::Quick, PageId::Quick),
        (Command::Record, PageId::Record),
        (Command::WhatHelps, PageId::Test(WHAT_HELPS)),
        (Command::Runs, PageId::Runs),
        (Command::Compare, PageId::Compare),
        (Command::Machine, PageId::Machine),
        (Command::Settings, PageId::Settings),
    ] {
        if pressed(command) {
            actions.push(Action::GoTo(page));
        }
    }
    // The copy and export shortcuts of the Runs page apply to the selected runs; the Runs page
    // handles them.
    let subject = match page {
        PageId::Test(key) => Some(Subject::Result(key)),
        PageId::Capture => {
            session.running.capture.as_ref().map(|shown| Subject::Result(shown.run.subject.key()))
        }
        PageId::Record => {
            session.running.recorded.as_ref().map(|shown| Subject::Result(shown.run.subject.key()))
        }
        PageId::Compare => Some(Subject::Comparison),
        PageId::Quick | PageId::Runs | PageId::Machine | PageId::Settings | PageId::Welcome => None,
    };
    if let Some(subject) = subject.filter(|subject| session.can_export(subject)) {
        if pressed(Command::Ticket) {
            actions.push(Action::Copy(subject.clone(), CopiedText::Ticket));
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
    if pressed(Command::Hosts) {
        actions.push(Action::ShowHosts);
    }
    if pressed(Command::OpenFile) {
        actions.push(Action::AskForFile);
    }
    // In a text field, the same key undoes typing.
    if !is_typing(ctx) && pressed(Command::Undo) {
        actions.push(Action::UndoNewest);
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
