//! The modal question: a title, a text, and two buttons.

use eframe::egui::{self, Context, Frame, Id, Key, Margin, Modal, Modifiers, Response, Role, Ui};

use super::button::Button;
use super::paint::bordered_frame;
use super::right::right_row;
use crate::theme::{Tokens, Type, size};

/// The answer of the user to a [`Dialog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The user clicked the primary button or pressed Enter.
    Primary,
    /// The user clicked the other button or outside the dialog, or pressed Escape.
    Cancel,
}

/// A question that the user answers with one of two buttons.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct Dialog<'a> {
    /// The question, shown as the title of the dialog.
    pub title: &'a str,
    /// The effect of each answer.
    pub text: &'a str,
    /// Label of the primary button.
    pub primary: &'a str,
    /// Label of the button that cancels the action.
    pub cancel: &'a str,
    /// Whether the primary button ends or removes something and therefore has the color of Stop.
    pub is_stop: bool,
}

impl Dialog<'_> {
    /// Shows the question over the window. Call this function in every frame until it returns the
    /// answer; until then, it returns `None`.
    pub fn show(self, ctx: &Context) -> Option<Answer> {
        let id = Id::unique("dialog").with(self.title);
        let modal = modal(ctx, id).show(ctx, |ui| self.ui(ui));
        let enter = modal.is_top_modal
            && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Enter));
        let [cancel, primary] = &modal.inner;
        let answer = if primary.clicked() {
            Some(Answer::Primary)
        } else if cancel.clicked() || modal.should_close() {
            Some(Answer::Cancel)
        } else if enter {
            Some(Answer::Primary)
        } else {
            None
        };
        keep_focus(ctx, id.with("opener"), primary, answer);
        answer
    }

    fn ui(self, ui: &mut Ui) -> [Response; 2] {
        let tokens = Tokens::of(ui);
        ui.set_width(size::DIALOG_WIDTH);
        title(ui, self.title);
        ui.label(Type::Body.text(self.text).color(tokens.t2));
        ui.add_space(size::GAP_SMALL);
        right_row(ui, "answers", |ui| {
            let cancel = ui.add(Button::new(self.cancel));
            let look = if self.is_stop { Button::stop } else { Button::primary };
            [cancel, ui.add(look(self.primary))]
        })
    }
}

/// The number of the frame in which the dialog was last shown, and the widget that had the focus
/// before the dialog opened.
type DialogOpener = (u64, Option<Id>);

/// Focuses the primary button when the dialog opens. After the answer, focuses the widget that had
/// the focus before. `note` is the ID under which that widget is stored.
fn keep_focus(ctx: &Context, note: Id, primary: &Response, answer: Option<Answer>) {
    let frame = ctx.cumulative_frame_nr();
    let known: Option<DialogOpener> = ctx.data(|data| data.get_temp(note));
    let opener = if let Some((_, opener)) = known.filter(|(shown, _)| shown + 1 >= frame) {
        opener
    } else {
        let before = ctx.memory(egui::Memory::focused);
        primary.request_focus();
        before
    };
    if answer.is_none() {
        ctx.data_mut(|data| data.insert_temp::<DialogOpener>(note, (frame, opener)));
    } else {
        ctx.data_mut(|data| data.remove::<DialogOpener>(note));
        if let Some(opener) = opener {
            ctx.memory_mut(|memory| memory.request_focus(opener));
        }
    }
}

/// Returns a modal overlay in the style of dialogs.
pub fn modal(ctx: &Context, id: Id) -> Modal {
    Modal::new(id).backdrop_color(Tokens::of(ctx).backdrop).frame(frame(ctx))
}

/// Shows the title of a dialog as a heading for screen readers.
pub fn title(ui: &mut Ui, words: &str) {
    let title = ui.label(Type::Sentence.text(words).color(Tokens::of(ui).t1));
    ui.ctx().accesskit_node_builder(title.id, |node| {
        node.set_role(Role::Heading);
        node.set_label(words);
    });
}

/// Shows the buttons "Skip" and "Open" of a question about a file. Returns whether to open the
/// file, or `None` until a button is clicked. "Open" gets the focus if `was_focused` is not set
/// yet.
pub fn open_or_leave_out(ui: &mut Ui, was_focused: &mut bool) -> Option<bool> {
    ui.add_space(size::GAP_SMALL);
    right_row(ui, "open or leave out", |ui| {
        let leave = ui.add(Button::new("Skip").shortcut("Esc"));
        let open = ui.add(Button::primary("Open").shortcut("Enter"));
        if !*was_focused {
            open.request_focus();
            *was_focused = true;
        }
        open.clicked().then_some(true).or(leave.clicked().then_some(false))
    })
}

/// Shows a dialog with a long text. `contents` draws the text with the height that it gets. Returns
/// `false` when the user closes the dialog.
pub fn text_dialog(ctx: &Context, heading: &str, contents: impl FnOnce(&mut Ui, f32)) -> bool {
    let modal = modal(ctx, Id::unique(heading)).show(ctx, |ui| {
        let room = ui.ctx().content_rect();
        ui.set_width((size::DIALOG_WIDTH * 1.5).min(room.width() - 40.0));
        title(ui, heading);
        contents(ui, (room.height() - 180.0).max(80.0));
        ui.add_space(size::GAP_SMALL);
        right_row(ui, "text-buttons", |ui| {
            ui.add(Button::primary("Close").shortcut("Esc")).clicked()
        })
    });
    !(modal.inner || modal.should_close())
}

/// Returns the frame of dialogs.
pub fn frame(ctx: &Context) -> Frame {
    let tokens = Tokens::of(ctx);
    bordered_frame(tokens.panel, tokens.line2, size::CARD_RADIUS).inner_margin(Margin::same(16))
}
