//! Offers to run with administrator rights if something was denied without them.

use eframe::egui::Ui;
use jitterscope_engine::machine::trace_steps;

use crate::session::{Action, PageId, Session};
use crate::text::hosts as words;
use crate::theme::{Tokens, Type, icons};
use crate::widgets::{Button, Spans};

/// Draws a button that requests administrator rights and then carries out the action of `then`. The
/// button is disabled, with the reason next to it, if this copy of the program cannot request these
/// rights. Nothing is drawn if the program already has the rights or another PC is selected.
pub(super) fn rights_ui(
    ui: &mut Ui,
    session: &Session,
    then: impl FnOnce() -> Action,
    actions: &mut Vec<Action>,
) {
    let Some(rights) = session.rights() else { return };
    let is_free = rights.is_ok() && !session.running.is_busy();
    let button = Button::new("Measure with administrator rights…").icon(icons::SHIELD_CHECK);
    let button = ui.add_enabled(is_free, button).on_hover_text(words::ABOUT_RIGHTS);
    if let Err(error) = rights {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Small, &words::problem(&error), color).whole_label(ui);
    }
    if button.clicked() {
        actions.push(Action::MeasureWithRights(Box::new(then())));
    }
}

/// Draws what [`rights_ui`] draws and, if a command allows names of programs without these rights, a button that shows it.
pub(super) fn names_ui(
    ui: &mut Ui,
    session: &Session,
    then: impl FnOnce() -> Action,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        rights_ui(ui, session, then, actions);
        let facts = session.machine.facts();
        let has_steps =
            facts.is_some_and(|facts| !trace_steps(&facts.detail, &facts.trace).is_empty());
        if has_steps && ui.add(Button::new("How to allow names").icon(icons::CPU)).clicked() {
            actions.push(Action::GoTo(PageId::Machine));
        }
    });
}
