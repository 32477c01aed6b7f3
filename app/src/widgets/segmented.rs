//! The segmented control: a few choices side by side, one of which is selected.

use eframe::egui::{
    CornerRadius, EventFilter, Key, Modifiers, Rect, Response, Role, Sense, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};

use super::field::combo;
use super::paint::{bordered_box, focus_ring_around};
use super::spans::Spans;
use crate::theme::{Tokens, Type, size};

/// Shows a segmented control as wide as its texts. `changed()` of the response is true if the user
/// selected another value.
///
/// For screen readers, the control is a radio group called `name`, and each segment is a radio
/// button; its name consists of `name` and the text of the segment.
pub fn segmented<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, &str)],
) -> Response {
    segments(ui, name, value, options, None)
}

/// Shows a segmented control, or a combo box if the texts of the segments do not fit in one row.
pub fn segmented_or_combo<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, &str)],
) -> Response {
    /// Maximum width of the combo box in points.
    const COMBO: f32 = 260.0;
    if widths(ui, options, None).iter().sum::<f32>() <= ui.available_width() {
        return segments(ui, name, value, options, None);
    }
    combo(ui, name, value, options, COMBO.min(ui.available_width()))
}

/// Shows a segmented control as wide as the available width.
pub fn segmented_wide<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, &str)],
) -> Response {
    let width = ui.available_width();
    segments(ui, name, value, options, Some(width))
}

fn segments<T: Copy + PartialEq>(
    ui: &mut Ui,
    name: &str,
    value: &mut T,
    options: &[(T, &str)],
    width: Option<f32>,
) -> Response {
    let group = UiBuilder::new().accessibility_role(Role::RadioGroup).accessibility_label(name);
    ui.scope_builder(group, |ui| {
        let widths = widths(ui, options, width);
        let total = vec2(widths.iter().sum::<f32>().round(), size::FIELD);
        let (rect, mut response) = ui.allocate_exact_size(total, Sense::hover());
        let tokens = Tokens::of(ui);
        bordered_box(ui, rect, size::RADIUS, tokens.wid, tokens.line2);
        let current = options.iter().position(|(option, _)| option == value);
        let mut left = rect.left();
        let mut next = None;
        let mut follows = false;
        for (at, ((_, text), width)) in options.iter().zip(&widths).enumerate() {
            let cell = Rect::from_min_size(pos2(left, rect.top()), vec2(*width, rect.height()));
            left += width;
            // Tab stops only at the selected segment, or at the first one if none is selected;
            // arrow keys move from segment to segment.
            let reached = at == current.unwrap_or(0);
            let sense = if reached { Sense::click() } else { Sense::CLICK };
            let part = ui.interact(cell, response.id.with(at), sense);
            let selected = current == Some(at);
            paint_segment(ui, &part, selected, text, (at, options.len()));
            let label = format!("{name}, {text}");
            let enabled = ui.is_enabled();
            part.widget_info(|| WidgetInfo::selected(Role::RadioButton, enabled, selected, &label));
            if part.clicked() {
                next = Some(at);
            }
            if part.has_focus()
                && let Some(to) = arrow(ui, &part, at, options.len())
            {
                next = Some(to);
                follows = true;
            }
        }
        if let Some((at, (option, _))) = next.and_then(|at| Some((at, options.get(at)?)))
            && current != Some(at)
        {
            *value = *option;
            response.mark_changed();
            if follows {
                // Request the focus only after the value changed, which makes the segment
                // focusable: egui removes the focus from a widget that is not focusable yet.
                ui.memory_mut(|memory| memory.request_focus(response.id.with(at)));
            }
        }
        response
    })
    .inner
}

/// Returns the widths of the segments in points: the widths of their texts with padding. If `fill`
/// is a total width, the segments share it as equally as the texts allow.
fn widths<T>(ui: &Ui, options: &[(T, &str)], fill: Option<f32>) -> Vec<f32> {
    let color = Tokens::of(ui).t1;
    let padding = if fill.is_some() { size::GAP_LABEL } else { 2.0 * size::SEGMENT_PADDING };
    let mut widths: Vec<f32> = options
        .iter()
        .map(|(_, text)| Spans::plain(Type::LabelStrong, text, color).galley(ui).size().x + padding)
        .map(f32::ceil)
        .collect();
    let Some(fill) = fill else { return widths };
    // All segments share the width equally. A segment whose text needs more gets more, which
    // reduces the share of the other segments.
    let mut left = fill;
    let mut by_size: Vec<usize> = (0..widths.len()).collect();
    by_size.sort_by(|a, b| widths[*b].total_cmp(&widths[*a]));
    let mut others = by_size.len();
    for at in by_size {
        let share = left / f32::from(u16::try_from(others).unwrap_or(u16::MAX).max(1));
        if let Some(width) = widths.get_mut(at) {
            *width = width.max(share);
            left -= *width;
        }
        others -= 1;
    }
    widths
}

/// Returns the position of the segment to which a pressed arrow key moves the focus from position
/// `at`; `None` if no arrow key was pressed or there is no further segment.
fn arrow(ui: &Ui, part: &Response, at: usize, count: usize) -> Option<usize> {
    let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(part.id, filter));
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let to = if pressed(Key::ArrowRight) {
        (at + 1).min(count.saturating_sub(1))
    } else if pressed(Key::ArrowLeft) {
        at.saturating_sub(1)
    } else {
        return None;
    };
    (to != at).then_some(to)
}

fn paint_segment(
    ui: &Ui,
    part: &Response,
    selected: bool,
    text: &str,
    (at, count): (usize, usize),
) {
    let tokens = Tokens::of(ui);
    let rect = part.rect;
    let corner = |wanted: bool| if wanted { size::RADIUS } else { 0 };
    let (first, last) = (corner(at == 0), corner(at + 1 == count));
    let corners = CornerRadius { nw: first, sw: first, ne: last, se: last };
    let fill = match (selected, part.hovered()) {
        (true, _) => Some(tokens.sel),
        (false, true) => Some(tokens.hov),
        (false, false) => None,
    };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect.shrink(1.0), corners, fill);
    }
    if at > 0 {
        ui.painter().vline(rect.left(), rect.shrink(1.0).y_range(), (1.0, tokens.line2));
    }
    let (style, color) =
        if selected { (Type::LabelStrong, tokens.t1) } else { (Type::Label, tokens.t2) };
    let galley = Spans::plain(style, text, color).galley(ui);
    ui.painter().galley(rect.center() - galley.size() / 2.0, galley, color);
    focus_ring_around(ui, part, rect, size::RADIUS);
}
