//! The verdict strip: a box at the top of a result with its grade, one sentence, one line of
//! numbers, and buttons.

use std::sync::Arc;

use eframe::egui::{
    Align, Color32, CornerRadius, Galley, Grid, Id, Layout, Margin, Rect, Response, Role, Sense,
    Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::paint::bordered_frame;
use super::severity::Severity;
use super::spans::Spans;
use crate::theme::{Tokens, Type, paint_icon, size};

/// The verdict on a result, or the text that replaces the verdict, such as while a test runs.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct VerdictStrip<'a> {
    severity: Severity,
    icon: Option<&'a str>,
    word: &'a str,
    sentence: &'a str,
    evidence: &'a str,
}

impl<'a> VerdictStrip<'a> {
    /// Creates a strip with a severity, which determines icon and colors, and a word, such as the
    /// grade. An empty word is omitted.
    pub const fn new(severity: Severity, word: &'a str) -> Self {
        Self { severity, icon: None, word, sentence: "", evidence: "" }
    }

    /// Sets the verdict sentence.
    pub const fn sentence(mut self, sentence: &'a str) -> Self {
        self.sentence = sentence;
        self
    }

    /// Sets the text below the sentence: the numbers behind the verdict, or an explanation.
    pub const fn evidence(mut self, evidence: &'a str) -> Self {
        self.evidence = evidence;
        self
    }

    /// Replaces the icon of the severity, such as by the icon of a pulse while a test runs.
    pub const fn icon(mut self, icon: &'a str) -> Self {
        self.icon = Some(icon);
        self
    }

    /// Shows the strip. `actions` draws the buttons at its right end.
    pub fn show(self, ui: &mut Ui, actions: impl FnOnce(&mut Ui)) -> Response {
        let tokens = Tokens::of(ui);
        let id = ui.next_auto_id().with("strip");
        let frame =
            bordered_frame(self.severity.strip_color(tokens), tokens.line, size::CARD_RADIUS)
                .inner_margin(Margin { left: 16, right: 14, top: 10, bottom: 10 });
        let width = ui.available_width() - frame.total_margin().sum().x;
        let framed = frame.show(ui, |ui| {
            ui.set_width(width.max(0.0));
            self.contents(ui, id, actions)
        });
        let rect = framed.response.rect;
        let bar = Rect::from_min_size(rect.min, vec2(size::STRIP_BAR, rect.height()));
        let radius = size::CARD_RADIUS;
        let corners = CornerRadius { nw: radius, sw: radius, ne: 0, se: 0 };
        ui.painter().rect_filled(bar, corners, self.severity.bar_color(tokens));
        framed.inner
    }

    /// Draws the icon and the text on the left, in the width that the actions leave free, and the
    /// actions on the right. Text and actions are vertically centered.
    fn contents(&self, ui: &mut Ui, id: Id, actions: impl FnOnce(&mut Ui)) -> Response {
        let tokens = Tokens::of(ui);
        let known: [f32; 2] = ui.data(|data| data.get_temp(id)).unwrap_or_default();
        let [actions_width, actions_height] = known;
        let compact = self.sentence.is_empty();
        let icon_size = if compact { 22.0 } else { size::ICON_STRIP };
        let left = icon_size + size::GAP_FIELD;
        let gap = if actions_width > 0.0 { size::GAP_GROUP } else { 0.0 };
        let for_words = (ui.available_width() - left - actions_width - gap).max(120.0);
        let rows = self.rows(ui, for_words);
        let words_height: f32 = rows.iter().map(|(galley, _)| galley.size().y).sum();
        let height = words_height.max(icon_size).max(actions_height);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());

        let icon = self.icon.unwrap_or_else(|| self.severity.icon());
        let icon_at = pos2(rect.left() + icon_size / 2.0, rect.center().y);
        let icon_color = self.severity.color(tokens);
        paint_icon(ui.painter(), icon_at, icon, icon_size, icon_color);
        let top = rect.center().y - words_height / 2.0;
        let mut at = pos2(rect.left() + left, top);
        for (galley, color) in rows {
            let height = galley.size().y;
            ui.painter().galley(at, galley, color);
            at.y += height;
        }
        let words =
            Rect::from_min_max(rect.min, pos2(rect.left() + left + for_words, rect.bottom()));
        let response = ui.interact(words, id.with("words"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.accessible_label()));

        // The width of this area is not limited, so that the actions are measured and not cut. Its
        // height is the previous height of the actions: in an area as high as the text, the actions
        // would be measured as high as the text and keep this height.
        let corner = pos2(rect.right() - actions_width, rect.center().y - actions_height / 2.0);
        let place = Rect::from_min_size(corner, vec2(rect.width(), actions_height));
        let layout = Layout::left_to_right(Align::Center);
        let mut child = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
        actions(&mut child);
        let used = child.min_rect();
        let now = if used.width() > 1.0 { [used.width(), used.height()] } else { [0.0, 0.0] };
        if known.iter().zip(now).any(|(before, now)| (before - now).abs() > 0.5) {
            ui.data_mut(|data| data.insert_temp(id, now));
            ui.request_discard("the actions of a strip changed their size");
        }
        response
    }

    fn rows(&self, ui: &Ui, width: f32) -> Vec<(Arc<Galley>, Color32)> {
        let tokens = Tokens::of(ui);
        let neutral = self.severity.word_color(tokens) == tokens.t2;
        let plain_color = if neutral || !self.sentence.is_empty() { tokens.t2 } else { tokens.t1 };
        [
            (Type::Strong, self.word, self.severity.word_color(tokens)),
            (Type::Sentence, self.sentence, tokens.t1),
            (Type::Small, self.evidence, plain_color),
        ]
        .into_iter()
        .filter(|(_, text, _)| !text.is_empty())
        .map(|(style, text, color)| (Spans::plain(style, text, color).wrapped(ui, width), color))
        .collect()
    }

    /// Returns the label of the strip for screen readers, which read the strip as a single text.
    fn accessible_label(&self) -> String {
        let verdict = if self.word.is_empty() {
            String::new()
        } else {
            format!("Verdict: {}.", self.word.trim_end_matches('.'))
        };
        let parts = [verdict.as_str(), self.sentence, self.evidence];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Shows the requested and the applied conditions, such as the priority, in two lines, at the right
/// of the strip of a running test. `granted` is the icon of the applied conditions.
pub fn requested_and_applied(ui: &mut Ui, requested: &str, granted: Severity, applied: &str) {
    let tokens = Tokens::of(ui);
    let key = |text| Spans::plain(Type::Small, text, tokens.t2);
    let value = Type::TableHeader;
    Grid::new("requested and applied")
        .num_columns(2)
        .min_row_height(Type::Small.line_height())
        .spacing([size::GAP_FIELD, 0.0])
        .show(ui, |ui| {
            ui.spacing_mut().interact_size.y = 0.0;
            key("Requested").whole_label(ui);
            Spans::new(Type::Small).text(value, requested, tokens.t1).whole_label(ui);
            ui.end_row();
            key("Applied").whole_label(ui);
            Spans::new(Type::Small)
                .icon(granted.icon(), size::ICON_SMALL, granted.color(tokens))
                .gap(2.0)
                .text(value, applied, tokens.t1)
                .whole_label(ui);
        });
}
