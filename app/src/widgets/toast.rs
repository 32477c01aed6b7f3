//! Toasts: short messages at the bottom right of the window. They disappear after some seconds,
//! unless they are errors.

use eframe::egui::{
    Align2, Area, Context, Id, Margin, Order, Role, Sense, Ui, WidgetInfo, accesskit, vec2,
};

use super::button::{link, quiet_icon_button};
use super::paint::bordered_frame;
use super::severity::Severity;
use super::spans::Spans;
use crate::theme::{Tokens, Type, icons, paint_icon, size};

/// A short message. The user may be offered an action of type `A`, shown as a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Toast<A> {
    severity: Severity,
    icon: Option<&'static str>,
    text: String,
    action: Option<(String, A)>,
    secs_left: Option<f32>,
}

impl<A> Toast<A> {
    /// Creates a message about a success, shown for 5 s.
    pub fn info(text: impl Into<String>) -> Self {
        Self::new(Severity::Good, text, Some(5.0))
    }

    /// Creates a message about a deletion, shown for 8 s. `action` undoes the deletion.
    pub fn undo(text: impl Into<String>, action: A) -> Self {
        let toast = Self::new(Severity::Info, text, Some(8.0)).action("Undo", action);
        Self { icon: Some(icons::TRASH), ..toast }
    }

    /// Creates a warning, shown for 8 s.
    pub fn warning(text: impl Into<String>) -> Self {
        Self::new(Severity::Fair, text, Some(8.0))
    }

    /// Creates an error message, shown until the user closes it.
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(Severity::Poor, text, None)
    }

    /// Adds a link; [`Toasts::show`] returns `action` when the link is clicked.
    #[must_use]
    pub fn action(mut self, label: impl Into<String>, action: A) -> Self {
        self.action = Some((label.into(), action));
        self
    }

    fn new(severity: Severity, text: impl Into<String>, secs_left: Option<f32>) -> Self {
        Self { severity, icon: None, text: text.into(), action: None, secs_left }
    }
}

/// The messages that are shown or waiting.
#[derive(Clone, Debug)]
pub struct Toasts<A> {
    waiting: Vec<Toast<A>>,
    held: bool,
}

impl<A> Default for Toasts<A> {
    fn default() -> Self {
        Self { waiting: Vec::new(), held: false }
    }
}

/// What the user clicked in a toast.
enum ToastOutcome<A> {
    Close,
    Act(A),
}

impl<A: Clone> Toasts<A> {
    /// Maximum number of messages shown at once.
    pub const SHOWN: usize = 3;

    /// Adds a message.
    pub fn push(&mut self, toast: Toast<A>) {
        self.waiting.push(toast);
    }

    /// Removes the newest message whose action is the one that `is_it` finds, and returns that action.
    pub fn take(&mut self, is_it: impl Fn(&A) -> bool) -> Option<A> {
        let offers = |toast: &Toast<A>| toast.action.as_ref().is_some_and(|(_, it)| is_it(it));
        let place = self.waiting.iter().rposition(offers)?;
        self.waiting.remove(place).action.map(|(_, action)| action)
    }

    /// Removes the messages for whose action `is_pointless` returns `true`.
    pub fn remove(&mut self, is_pointless: impl Fn(&A) -> bool) {
        self.waiting
            .retain(|toast| toast.action.as_ref().is_none_or(|(_, action)| !is_pointless(action)));
    }

    /// Delays all messages except errors; used while a test runs.
    pub const fn hold(&mut self, held: bool) {
        self.held = held;
    }

    /// Shows the oldest messages above the status bar. Returns the action whose link was clicked,
    /// if any. Call this function once per frame.
    pub fn show(&mut self, ctx: &Context) -> Option<A> {
        let mut clicked = None;
        let mut above = size::STATUS_BAR + size::GAP_GROUP;
        let mut done = Vec::new();
        let held = self.held;
        let shown = self
            .waiting
            .iter_mut()
            .enumerate()
            .filter(|(_, toast)| !held || toast.severity == Severity::Poor)
            .take(Self::SHOWN);
        for (at, toast) in shown {
            let id = Id::unique("toast").with(at);
            let area = Area::new(id)
                .order(Order::Foreground)
                .anchor(Align2::RIGHT_BOTTOM, vec2(-size::GAP_GROUP, -above))
                .show(ctx, |ui| toast_ui(ui, toast));
            above += area.response.rect.height() + size::GAP_SMALL;
            let attended = area.response.contains_pointer() || has_focus_within(ctx, id);
            match area.inner {
                Some(ToastOutcome::Act(action)) => {
                    clicked = Some(action);
                    done.push(at);
                }
                Some(ToastOutcome::Close) => done.push(at),
                None if toast.is_over(ctx, attended) => done.push(at),
                None => {}
            }
        }
        for at in done.into_iter().rev() {
            self.waiting.remove(at);
        }
        clicked
    }
}

impl<A> Toast<A> {
    /// Counts down the remaining time of the toast, unless `attended`: while the pointer or the
    /// focus is on the toast. Returns whether the time is over.
    fn is_over(&mut self, ctx: &Context, attended: bool) -> bool {
        let Some(secs) = &mut self.secs_left else { return false };
        if !attended {
            *secs -= ctx.input(|input| input.unstable_dt.min(1.0));
        }
        let left = std::time::Duration::try_from_secs_f32(*secs).unwrap_or_default();
        ctx.request_repaint_after(left.min(std::time::Duration::from_millis(250)));
        *secs <= 0.0
    }
}

/// Whether a control of the toast with this ID had the focus when `toast_row` last drew the toast.
fn has_focus_within(ctx: &Context, toast: Id) -> bool {
    ctx.data(|data| data.get_temp(toast.with("focus"))).unwrap_or(false)
}

fn toast_ui<A: Clone>(ui: &mut Ui, toast: &Toast<A>) -> Option<ToastOutcome<A>> {
    let tokens = Tokens::of(ui);
    let padding = Margin::symmetric(12, 7);
    let frame = bordered_frame(tokens.pop, tokens.line2, size::CARD_RADIUS).inner_margin(padding);
    frame
        .show(ui, |ui| {
            ui.set_width(size::TOAST_WIDTH - padding.sum().x);
            toast_row(ui, toast)
        })
        .inner
}

/// Draws the contents of a toast: icon, wrapped text, link of the action, and close button. Returns
/// what the user clicked, if anything.
fn toast_row<A: Clone>(ui: &mut Ui, toast: &Toast<A>) -> Option<ToastOutcome<A>> {
    let tokens = Tokens::of(ui);
    let gap = size::GAP_CARD;
    let link_width = toast.action.as_ref().map_or(0.0, |(label, _)| {
        Spans::plain(Type::Strong, label, tokens.acc).galley(ui).size().x + gap
    });
    let text_width = ui.available_width() - size::ICON - 2.0 * gap - link_width - size::TARGET;
    let text = Spans::plain(Type::Body, &toast.text, tokens.t1).wrapped(ui, text_width);
    let mut outcome = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        let height = text.size().y.max(size::TARGET);
        let (icon_rect, _) = ui.allocate_exact_size(vec2(size::ICON, height), Sense::hover());
        let (glyph, color) = match toast.icon {
            Some(glyph) => (glyph, tokens.t2),
            None => (toast.severity.icon(), toast.severity.color(tokens)),
        };
        paint_icon(ui.painter(), icon_rect.center(), glyph, size::ICON, color);
        let (rect, said) = ui.allocate_exact_size(vec2(text_width, height), Sense::hover());
        ui.painter().galley(rect.left_center() - vec2(0.0, text.size().y / 2.0), text, tokens.t1);
        said.widget_info(|| WidgetInfo::labeled(Role::Status, true, &toast.text));
        ui.ctx().accesskit_node_builder(said.id, |node| node.set_live(accesskit::Live::Polite));

        let mut focused = false;
        if let Some((label, action)) = &toast.action {
            let act = link(ui, label);
            focused |= act.has_focus();
            if act.clicked() {
                outcome = Some(ToastOutcome::Act(action.clone()));
            }
        }
        let close = quiet_icon_button(ui, icons::X, "Close this message");
        focused |= close.has_focus();
        if close.clicked() {
            outcome = Some(ToastOutcome::Close);
        }
        let note = ui.layer_id().id.with("focus");
        ui.data_mut(|data| data.insert_temp(note, focused));
    });
    outcome
}
