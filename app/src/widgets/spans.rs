//! A line of text in several styles and colors, with icons, vertically centered.

use std::sync::Arc;

use eframe::egui::text::{LayoutJob, TextFormat, TextWrapping};
use eframe::egui::{Align, Color32, FontId, Galley, Response, Role, Sense, Ui, WidgetInfo};

use jitterscope_engine::units::cut;

use super::severity::Severity;
use crate::theme::{Tokens, Type, icon_font, size};

/// Maximum number of characters of one text: a name in a file may have any number, and each takes time in every frame.
const MAX_CHARS: usize = 10_000;

/// Builder of a line: texts, icons, and gaps, from left to right.
#[derive(Clone, Debug)]
#[must_use]
pub struct Spans {
    job: LayoutJob,
    words: String,
    line_height: f32,
    gap: f32,
}

impl Spans {
    /// Creates an empty line with the line height of this style.
    pub fn new(style: Type) -> Self {
        let (job, words) = (LayoutJob::default(), String::new());
        Self { job, words, line_height: style.line_height(), gap: 0.0 }
    }

    /// Creates a line that consists of one text.
    pub fn plain(style: Type, text: &str, color: Color32) -> Self {
        Self::new(style).text(style, text, color)
    }

    /// Adds a gap of this many points.
    pub fn gap(mut self, points: f32) -> Self {
        self.gap += points;
        self
    }

    /// Adds text.
    pub fn text(mut self, style: Type, text: &str, color: Color32) -> Self {
        let text = cut(text, MAX_CHARS);
        self.words.push_str(&text);
        self.push(&text, style.font(), color);
        self
    }

    /// Adds an icon, `size` points wide. Screen readers skip icons: the text must be sufficient
    /// without the icon.
    pub fn icon(mut self, glyph: &str, size: f32, color: Color32) -> Self {
        if !self.words.is_empty() {
            self.words.push(' ');
        }
        self.push(glyph, icon_font(size), color);
        self.gap(size::GAP_LABEL)
    }

    /// Adds the icon of a severity, followed by an additional gap of this many points.
    pub fn severity(self, severity: Severity, gap: f32, tokens: &Tokens) -> Self {
        self.icon(severity.icon(), size::ICON_SMALL, severity.color(tokens)).gap(gap)
    }

    /// Lays out the line, wrapped at this width.
    pub fn wrapped(mut self, ui: &Ui, width: f32) -> Arc<Galley> {
        self.job.wrap = TextWrapping::wrap_at_width(width);
        ui.painter().layout_job(self.job)
    }

    /// Lays out the line in one row, truncated with an ellipsis.
    pub fn within(mut self, ui: &Ui, width: f32) -> Arc<Galley> {
        self.job.wrap = TextWrapping::truncate_at_width(width);
        ui.painter().layout_job(self.job)
    }

    /// Lays out the line in one row, never truncated.
    pub fn galley(mut self, ui: &Ui) -> Arc<Galley> {
        self.job.wrap = TextWrapping::no_max_width();
        ui.painter().layout_job(self.job)
    }

    /// Shows the line, never truncated.
    pub fn whole_label(self, ui: &mut Ui) -> Response {
        let words = self.words.clone();
        let galley = self.galley(ui);
        let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
        ui.painter().galley(rect.min, galley, Color32::PLACEHOLDER);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), &words));
        response
    }

    /// Shows the line, truncated at the available width. The tooltip shows the whole text if it was
    /// truncated.
    pub fn label(self, ui: &mut Ui) -> Response {
        let width = ui.available_width();
        self.label_within(ui, width)
    }

    /// Shows the line, truncated at this width in points. The tooltip shows the whole text if it
    /// was truncated.
    pub fn label_within(self, ui: &mut Ui, width: f32) -> Response {
        let words = self.words.clone();
        let galley = self.within(ui, width);
        let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
        let elided = galley.elided;
        ui.painter().galley(rect.min, galley, Color32::PLACEHOLDER);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), &words));
        if elided { response.on_hover_text(words) } else { response }
    }

    /// Shows the text, wrapped at the available width.
    pub fn paragraph(self, ui: &mut Ui) -> Response {
        let width = ui.available_width();
        self.paragraph_within(ui, width)
    }

    /// Shows the text, wrapped at this width in points.
    pub fn paragraph_within(self, ui: &mut Ui, width: f32) -> Response {
        let galley = self.wrapped(ui, width);
        ui.label(galley)
    }

    fn push(&mut self, text: &str, font_id: FontId, color: Color32) {
        let format = TextFormat {
            font_id,
            color,
            line_height: Some(self.line_height),
            valign: Align::Center,
            ..TextFormat::default()
        };
        self.job.append(text, std::mem::take(&mut self.gap), format);
    }
}
