//! The preview on the right of the export dialog: text or image, and the result of the search for
//! private names.

use std::sync::Arc;

use eframe::egui::{
    ColorImage, Image, Margin, ScrollArea, TextureHandle, TextureOptions, Ui, vec2,
};

use super::rendered::RenderedBlocks;
use crate::session::{Action, ActiveExport, ExportRequest, Preview};
use crate::text::{self, export as words};
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::paint::bordered_frame;
use crate::widgets::{Button, FollowFocus as _, Severity, Spans, card, right_aligned, right_width};

/// Height of the row with the result of the search for private names, in points.
const FOUND: f32 = 34.0;

/// State of the preview.
#[derive(Default)]
pub(super) struct View {
    /// The preview image, and the request for which it was drawn.
    texture: Option<(ExportRequest, TextureHandle)>,
    /// The blocks of a page as they are drawn, and the preview that has them.
    rendered: Option<(Arc<Preview>, RenderedBlocks)>,
}

/// Draws the preview of a request.
pub(super) fn preview_ui(
    ui: &mut Ui,
    exporting: &ActiveExport,
    request: &ExportRequest,
    view: &mut View,
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    let preview = exporting.preview(request);
    let note = match &preview {
        Some(Ok(preview)) => {
            let is_of_check = exporting.check().is_some() && request.kind.is_of_check();
            let is_one = is_of_check || request.kind.is_comparison();
            note(preview, if is_one { 1 } else { exporting.count() })
        }
        Some(Err(_)) => String::new(),
        None => "rendering…".to_owned(),
    };
    ui.horizontal(|ui| {
        ui.set_min_height(size::BUTTON);
        let room = ui.available_width() - right_width(ui, "export-view") - size::GAP_SMALL;
        Spans::new(Type::Body)
            .text(Type::Strong, "Preview", tokens.t1)
            .gap(size::GAP_CARD)
            .text(Type::Small, &note, tokens.t2)
            .label_within(ui, room);
        let is_open = exporting.first().is_some();
        right_aligned(ui, "export-view", |ui| open_ui(ui, request, is_open, actions));
    });
    let height = (ui.available_height() - FOUND - size::GAP_SMALL).max(60.0);
    let frame = bordered_frame(tokens.plot, tokens.line, size::RADIUS);
    frame.inner_margin(Margin::same(12)).show(ui, |ui| {
        let room = vec2(ui.available_width(), height - 26.0);
        ui.set_min_size(room);
        ui.set_max_size(room);
        match &preview {
            Some(Ok(preview)) => {
                // Each export and format has its own scroll position, so that a new preview
                // begins at its top.
                ui.push_id((exporting.number, request.kind.label()), |ui| {
                    contents_ui(ui, preview, request, view);
                });
            }
            Some(Err(why)) => {
                Severity::Poor.icon_ui(ui, size::ICON);
                let why = format!("No preview: {why}.");
                ui.label(Type::Body.text(why).color(tokens.t1));
            }
            None => {}
        }
    });
    if let Some(Ok(preview)) = &preview {
        found_ui(ui, preview);
    }
}

/// Returns the name and size of the exported file, and which part of the file is shown.
fn note(preview: &Preview, count: usize) -> String {
    let size = text::format_bytes(preview.bytes);
    let name = &preview.file_name;
    let first = if 1 < count { format!("the first of {count} files, ") } else { String::new() };
    if !preview.outline.is_empty() {
        format!("{first}{name}, {size}, {}", words::OUTLINE)
    } else if preview.is_cut {
        format!("{first}{name}, {size}, beginning only")
    } else {
        format!("{first}{name}, {size}, complete")
    }
}

/// Draws the button that opens an HTML report in the browser.
fn open_ui(ui: &mut Ui, request: &ExportRequest, is_open: bool, actions: &mut Vec<Action>) {
    if request.kind.is_page() {
        let open = Button::new("Open in browser").icon(icons::ARROW_SQUARE_OUT);
        if ui.add_enabled(is_open, open).on_hover_text(words::IN_BROWSER).clicked() {
            actions.push(Action::OpenReport(*request));
        }
    }
}

fn contents_ui(ui: &mut Ui, preview: &Arc<Preview>, request: &ExportRequest, view: &mut View) {
    let View { texture, rendered } = view;
    let area = ScrollArea::both().id_salt("export-preview").auto_shrink([false, false]);
    if let Some(exported) = &preview.image {
        if texture.as_ref().is_none_or(|(of, _)| of != request) {
            let [width, height] = exported.small_size;
            let image = ColorImage::from_rgba_unmultiplied([width, height], &exported.small);
            let name = "export-preview";
            *texture = Some((*request, ui.ctx().load_texture(name, image, TextureOptions::LINEAR)));
        }
        let Some((_, texture)) = texture else { return };
        area.show_focus(ui, |ui| {
            let width = ui.available_width().min(texture.size_vec2().x);
            let image = Image::new(&*texture).max_width(width).alt_text("Image of the result");
            ui.add(image);
        });
        return;
    }
    // HTML source is not readable: show the outline instead.
    if !preview.outline.is_empty() {
        let width = ui.available_width() - size::GAP_FIELD;
        if rendered.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, preview)) {
            *rendered = Some((Arc::clone(preview), RenderedBlocks::of(&preview.outline)));
        }
        let Some((_, rendered)) = rendered else { return };
        area.show_focus(ui, |ui| rendered.ui(ui, width));
        return;
    }
    let color = Tokens::of(ui).t1;
    area.show_focus(ui, |ui| {
        let text = Type::Mono.text(&preview.text).color(color);
        ui.add(eframe::egui::Label::new(text).extend().selectable(true));
    });
}

/// Draws the result of the search for private names.
fn found_ui(ui: &mut Ui, preview: &Preview) {
    let tokens = Tokens::of(ui);
    let is_clean = preview.finds.is_empty();
    let (icon, color, fill) = if is_clean {
        (icons::SHIELD_CHECK, tokens.good, tokens.good_strip)
    } else {
        (Severity::Fair.icon(), tokens.fair, tokens.fair_strip)
    };
    card::frame(ui).fill(fill).inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let words = words::searched(&preview.finds);
        Spans::new(Type::Small)
            .icon(icon, size::ICON_SMALL, color)
            .gap(size::GAP_SMALL)
            .text(Type::Small, &words, tokens.t1)
            .label(ui);
    });
}
