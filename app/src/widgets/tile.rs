//! The tile: one number with its name and unit.

use eframe::egui::{Color32, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::help::Help;
use super::paint::{bordered_box, focus_ring_around};
use super::spans::Spans;
use crate::theme::{Tokens, Type, paint_icon, size};

/// A tile. `Tile::new("p99", "524", "µs").help(help)`.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct Tile<'a> {
    label: &'a str,
    value: &'a str,
    unit: &'a str,
    note: &'a str,
    context: &'a str,
    icon: Option<(&'a str, Color32)>,
    help: Option<Help<'a>>,
    value_style: Type,
}

impl<'a> Tile<'a> {
    /// Creates a tile with a label, a value, and a unit.
    pub const fn new(label: &'a str, value: &'a str, unit: &'a str) -> Self {
        let value_style = Type::Value;
        Self { label, value, unit, note: "", context: "", icon: None, help: None, value_style }
    }

    /// Adds a short text at the right of the label; not shown if there is an icon.
    pub const fn note(mut self, note: &'a str) -> Self {
        self.note = note;
        self
    }

    /// Adds a third line below the number, such as its definition; without it, the tile is lower.
    pub const fn context(mut self, context: &'a str) -> Self {
        self.context = context;
        self
    }

    /// Adds an icon at the right of the label.
    pub const fn icon(mut self, icon: &'a str, color: Color32) -> Self {
        self.icon = Some((icon, color));
        self
    }

    /// Adds help on the number, shown on hover and by F1.
    pub const fn help(mut self, help: Help<'a>) -> Self {
        self.help = Some(help);
        self
    }

    /// Uses the smaller text size of the number, for a narrow window.
    pub const fn narrow(mut self) -> Self {
        self.value_style = Type::ValueNarrow;
        self
    }

    /// Shows the tile at the available width.
    pub fn show(&self, ui: &mut Ui) -> Response {
        let tokens = Tokens::of(ui);
        let number = |style: Type, unit: &str| {
            Spans::new(self.value_style).text(style, self.value, tokens.t1).gap(3.0).text(
                Type::Label,
                unit,
                tokens.t2,
            )
        };
        let width = ui.available_width();
        let room = width - 2.0 * size::GAP_CARD;
        // A number is never truncated: use a smaller size first, then omit the unit.
        let tries = [
            (self.value_style, self.unit),
            (Type::ValueNarrow, self.unit),
            (Type::ValueNarrow, ""),
        ];
        let mut all = tries.map(|(style, unit)| number(style, unit).within(ui, room)).into_iter();
        let number = all.clone().find(|number| !number.elided).or_else(|| all.next_back());
        let Some(number) = number else { return ui.response() };
        let label_height = Type::Small.line_height();
        let context_height = if self.context.is_empty() { 0.0 } else { label_height };
        let number_height = number.size().y;
        let height = 7.0 + label_height + number_height + context_height + 8.0 + 2.0;
        let (rect, response) =
            ui.allocate_exact_size(vec2(width, height), Sense::focusable_noninteractive());
        bordered_box(ui, rect, size::CARD_RADIUS, tokens.card, tokens.line);
        let inner = rect.shrink2(vec2(size::GAP_CARD, 8.0));
        let used = self.top_right(ui, inner, label_height);
        let label = Spans::plain(Type::Small, self.label, tokens.t2)
            .within(ui, inner.width() - used - size::GAP_LABEL);
        ui.painter().galley(inner.min, label, tokens.t2);
        ui.painter().galley(pos2(inner.left(), inner.top() + label_height), number, tokens.t1);
        let context = Spans::plain(Type::Small, self.context, tokens.t2).within(ui, inner.width());
        let below = inner.top() + label_height + number_height;
        ui.painter().galley(pos2(inner.left(), below), context, tokens.t2);
        focus_ring_around(ui, &response, rect, size::CARD_RADIUS);
        let parts = [self.label, self.value, self.unit, self.note, self.context];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let accessible_label = parts.collect::<Vec<_>>().join(" ");
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &accessible_label));
        match &self.help {
            Some(help) => help.on(response),
            None => response,
        }
    }

    /// Draws the icon, or the note if there is no icon, at the top right of the tile. Returns the
    /// width of the icon or note in points.
    fn top_right(&self, ui: &Ui, inner: Rect, height: f32) -> f32 {
        let tokens = Tokens::of(ui);
        if let Some((icon, color)) = self.icon {
            let half = size::ICON / 2.0;
            let center = pos2(inner.right() - half, inner.top() + height / 2.0);
            paint_icon(ui.painter(), center, icon, size::ICON, color);
            return size::ICON;
        }
        let note = Spans::plain(Type::Small, self.note, tokens.t2).galley(ui);
        let width = note.size().x;
        ui.painter().galley(pos2(inner.right() - width, inner.top()), note, tokens.t2);
        width
    }
}

/// Width in points below which a tile would truncate its label.
const MIN_WIDTH: f32 = 112.0;

/// Shows tiles of equal width in a row. More than three tiles are shown in two rows if their labels
/// would be truncated in one. Returns the places of the tiles.
pub fn tile_row(ui: &mut Ui, tiles: &[Tile<'_>]) -> Vec<Rect> {
    let width_of = |tiles: usize| {
        let count = f32::from(u16::try_from(tiles).unwrap_or(u16::MAX).max(1));
        (ui.available_width() - (count - 1.0) * size::GAP_SMALL) / count
    };
    let is_cut = width_of(tiles.len()) < MIN_WIDTH && 3 < tiles.len();
    let a_row = if is_cut { tiles.len().div_ceil(2) } else { tiles.len() };
    let width = width_of(a_row);
    let mut places = Vec::new();
    for row in tiles.chunks(a_row.max(1)) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            for tile in row {
                ui.scope(|ui| {
                    ui.set_width(width.max(0.0));
                    places.push(tile.show(ui).rect);
                });
            }
        });
    }
    places
}
