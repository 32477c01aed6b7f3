//! The card: a frame around a plot or a table, with a header that has a title, a note, and
//! controls.

use eframe::egui::{
    Align, Context, Frame, Id, InnerResponse, Layout, Margin, Rect, Role, Sense, Ui, UiBuilder,
    WidgetInfo, vec2,
};

use super::paint::bordered_frame;
use super::right::{right_aligned, right_width};
use super::spans::Spans;
use crate::theme::{Tokens, Type, size};

/// Width in points below which the note is omitted from the header of a card.
const MIN_NOTE: f32 = 40.0;

/// A card. `Card::new("Timeline").note("last 15 s").show(ui, |ui| controls, |ui| plot)`.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct Card<'a> {
    title: &'a str,
    note: &'a str,
    height: Option<f32>,
    margin: Margin,
}

impl<'a> Card<'a> {
    /// Creates a card with a title.
    pub const fn new(title: &'a str) -> Self {
        let padding = size::CARD_PADDING;
        let margin = Margin { left: padding, right: padding, top: 0, bottom: padding };
        Self { title, note: "", height: None, margin }
    }

    /// Adds a note after the title, such as the unit, the period, or a count.
    pub const fn note(mut self, note: &'a str) -> Self {
        self.note = note;
        self
    }

    /// Sets the height of the whole card in points. Without this call, the card is as high as its
    /// contents need.
    pub const fn height(mut self, height: f32) -> Self {
        self.height = Some(height);
        self
    }

    /// Lets the content extend to the card's edges, for tables.
    pub const fn flush(mut self) -> Self {
        self.margin = Margin::ZERO;
        self
    }

    /// Shows the card: `controls` draws the right end of the header, `contents` the area below.
    pub fn show<R>(
        self,
        ui: &mut Ui,
        controls: impl FnOnce(&mut Ui),
        contents: impl FnOnce(&mut Ui) -> R,
    ) -> InnerResponse<R> {
        let frame = frame(ui);
        let width = ui.available_width() - frame.total_margin().sum().x;
        frame.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.set_width(width.max(0.0));
            let top = ui.cursor().top();
            self.header(ui, controls);
            let left = self.height.map(|height| top + height - 2.0 - ui.cursor().top());
            let spacing = ui.ctx().global_style().spacing.item_spacing;
            Frame::new()
                .inner_margin(self.margin)
                .show(ui, |ui| {
                    ui.spacing_mut().item_spacing = spacing;
                    ui.set_width(ui.available_width().max(0.0));
                    if let Some(height) = left {
                        let inner = (height - self.margin.sum().y).max(0.0);
                        ui.set_min_height(inner);
                        ui.set_max_height(inner);
                    }
                    contents(ui)
                })
                .inner
        })
    }

    /// Shows the card without controls.
    pub fn show_plain<R>(
        self,
        ui: &mut Ui,
        contents: impl FnOnce(&mut Ui) -> R,
    ) -> InnerResponse<R> {
        self.show(ui, |_| {}, contents)
    }

    fn header(&self, ui: &mut Ui, controls: impl FnOnce(&mut Ui)) {
        let tokens = Tokens::of(ui);
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), size::CARD_HEADER), Sense::hover());
        let inner = rect.shrink2(vec2(f32::from(size::CARD_PADDING), 0.0));
        let row = UiBuilder::new().max_rect(inner).layout(Layout::left_to_right(Align::Center));
        let mut row = ui.new_child(row);
        // Title and note leave enough width for the controls.
        let has_controls = has_controls(&row);
        let controls_width = if has_controls { right_width(&row, self.title) } else { 0.0 };
        let gap = if controls_width > 0.0 { size::GAP_SMALL } else { 0.0 };
        let room = (row.available_width() - controls_width - gap).max(24.0);
        let words = Spans::plain(Type::Strong, self.title, tokens.t1);
        let used = heading(&mut row, words, self.title, room).width();
        let left = room - used - row.spacing().item_spacing.x;
        if !self.note.is_empty() && MIN_NOTE < left {
            let note = Spans::new(Type::Body).text(Type::Small, self.note, tokens.t2);
            note.label_within(&mut row, left);
        }
        if has_controls {
            right_aligned(&mut row, self.title, controls);
        }
    }
}

fn without_controls() -> Id {
    Id::unique("without controls")
}

/// Hides the controls and hints of all cards in this context, for the export of an image, which
/// shows only the result.
pub fn hide_controls(ctx: &Context) {
    ctx.data_mut(|data| data.insert_temp(without_controls(), true));
}

/// Whether cards show controls: `false` only while an image is exported, after [`hide_controls`].
pub fn has_controls(ctx: &Context) -> bool {
    !ctx.data(|data| data.get_temp(without_controls())).unwrap_or(false)
}

/// Shows a card without a header.
pub fn plain_card<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    let frame = frame(ui).inner_margin(Margin::same(size::CARD_PADDING));
    let width = ui.available_width() - frame.total_margin().sum().x;
    frame.show(ui, |ui| {
        ui.set_width(width.max(0.0));
        contents(ui)
    })
}

/// Returns the frame of a card, without contents and without a margin inside; its border is 1 point
/// wide.
pub fn frame(ui: &Ui) -> Frame {
    let tokens = Tokens::of(ui);
    bordered_frame(tokens.card, tokens.line, size::CARD_RADIUS)
}

/// Shows a line of text, truncated at `width` points, as a heading for screen readers named
/// `words`. Returns the area of the text.
fn heading(ui: &mut Ui, spans: Spans, words: &str, width: f32) -> Rect {
    let galley = spans.within(ui, width);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    ui.painter().galley(rect.min, galley, Tokens::of(ui).t1);
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, words));
    rect
}
