//! The card: a frame with a header of title, note and controls, around a plot or a table.

use eframe::egui::{
    Align, Context, CornerRadius, Frame, Id, InnerResponse, Layout, Margin, Rect, Role, Sense,
    Stroke, Ui, UiBuilder, WidgetInfo, vec2,
};

use super::right::{right_aligned, right_width};
use super::spans::Spans;
use crate::theme::{Tokens, Type, size};

/// Minimum useful width of a note.
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
    /// A card with a title.
    pub const fn new(title: &'a str) -> Self {
        let padding = size::CARD_PADDING;
        let margin = Margin { left: padding, right: padding, top: 0, bottom: padding };
        Self { title, note: "", height: None, margin }
    }

    /// A note after the title: unit, period, count.
    pub const fn note(mut self, note: &'a str) -> Self {
        self.note = note;
        self
    }

    /// The height of the whole card; without it, it is as high as its contents.
    pub const fn height(mut self, height: f32) -> Self {
        self.height = Some(height);
        self
    }

    /// Lets the content extend to the card's edges, for tables.
    pub const fn flush(mut self) -> Self {
        self.margin = Margin::ZERO;
        self
    }

    /// Shows the card: controls at the right of the header, then the contents.
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

    fn header(&self, ui: &mut Ui, controls: impl FnOnce(&mut Ui)) {
        let tokens = Tokens::of(ui);
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), size::CARD_HEADER), Sense::hover());
        let inner = rect.shrink2(vec2(f32::from(size::CARD_PADDING), 0.0));
        let row = UiBuilder::new().max_rect(inner).layout(Layout::left_to_right(Align::Center));
        let mut row = ui.new_child(row);
        // Title and note leave the controls the room they need.
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

/// Has cards drawn without controls and hints on what to do: for an image, which shows only a result.
pub fn hide_controls(ctx: &Context) {
    ctx.data_mut(|data| data.insert_temp(without_controls(), true));
}

/// Whether cards have controls: everywhere but in an image.
pub fn has_controls(ctx: &Context) -> bool {
    !ctx.data(|data| data.get_temp(without_controls())).unwrap_or(false)
}

/// A card without a header.
pub fn plain_card<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    let frame = frame(ui).inner_margin(Margin::same(size::CARD_PADDING));
    let width = ui.available_width() - frame.total_margin().sum().x;
    frame.show(ui, |ui| {
        ui.set_width(width.max(0.0));
        contents(ui)
    })
}

/// The bare frame of cards, tiles and legends; its border takes 1 on every side.
pub fn frame(ui: &Ui) -> Frame {
    let tokens = Tokens::of(ui);
    Frame::new()
        .fill(tokens.card)
        .stroke(Stroke::new(1.0, tokens.line))
        .corner_radius(CornerRadius::same(size::CARD_RADIUS))
}

/// Shows a line of text as a heading for screen readers.
fn heading(ui: &mut Ui, spans: Spans, words: &str, width: f32) -> Rect {
    let galley = spans.within(ui, width);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    ui.painter().galley(rect.min, galley, Tokens::of(ui).t1);
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, words));
    rect
}
