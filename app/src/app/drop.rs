//! Files that are dragged over the window and dropped on it.

use std::path::{Path, PathBuf};

use eframe::egui::{
    Align, Area, Context, Frame, Id, Layout, Margin, Order, Shape, Stroke, Ui, vec2,
};

use crate::session::{Action, DraggedItem, Session};
use crate::text::import as words;
use crate::theme::{Tokens, Type, icon, icons, size};
use crate::widgets::{Severity, Spans, card, right_aligned};

/// Maximum number of dragged files that the window lists.
const LISTED: usize = 6;
/// Width of the list of dragged files, in points.
const WIDTH: f32 = 430.0;

/// Adds an action that opens the dropped files.
pub(super) fn take(ctx: &Context, actions: &mut Vec<Action>) {
    let paths: Vec<PathBuf> = ctx
        .input(|input| input.raw.dropped_files.iter().map(|file| file.path().to_owned()).collect());
    if !paths.is_empty() {
        actions.push(Action::OpenFiles(paths));
    }
}

/// While files are dragged over the window, shows how the app will handle each of them.
pub(super) fn overlay(ctx: &Context, session: &Session, actions: &mut Vec<Action>) {
    let files: Vec<Option<PathBuf>> =
        ctx.input(|input| input.raw.hovered_files.iter().map(|file| file.path.clone()).collect());
    if files.is_empty() {
        return;
    }
    let known: Vec<PathBuf> = files.iter().flatten().cloned().collect();
    actions.extend(session.ask_for_dragged(&known));
    let tokens = Tokens::of(ctx);
    let screen = ctx.content_rect();
    Area::new(Id::unique("drop"))
        .order(Order::Foreground)
        .fixed_pos(screen.min)
        .interactable(false)
        .show(ctx, |ui| {
            ui.set_min_size(screen.size());
            ui.painter().rect_filled(screen, 0.0, tokens.backdrop);
            let inside = screen.shrink(size::GAP_GROUP);
            ui.painter().rect_filled(inside, size::CARD_RADIUS, tokens.panel);
            let corners = [
                inside.left_top(),
                inside.right_top(),
                inside.right_bottom(),
                inside.left_bottom(),
                inside.left_top(),
            ];
            let line = Stroke::new(2.0, tokens.acc);
            ui.painter().extend(Shape::dashed_line(&corners, line, 6.0, 4.0));
            contents_ui(ui, session, &files);
        });
}

fn contents_ui(ui: &mut Ui, session: &Session, files: &[Option<PathBuf>]) {
    let tokens = Tokens::of(ui);
    let lines = f32::from(u8::try_from(files.len().min(LISTED)).unwrap_or(0));
    let height = 130.0 + lines * 34.0;
    ui.add_space(((ui.ctx().content_rect().height() - height) / 2.0).max(20.0));
    ui.with_layout(Layout::top_down(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
        ui.label(icon(icons::DOWNLOAD_SIMPLE, size::ICON_EMPTY).color(tokens.acc));
        let title = if session.running.is_running() {
            words::WHILE_RUNNING.to_owned()
        } else {
            words::drop(files.len())
        };
        ui.label(Type::Verdict.text(title).color(tokens.t1));
        // Some systems do not report the names of dragged files.
        let known: Vec<&Path> = files.iter().flatten().map(PathBuf::as_path).collect();
        if !known.is_empty() {
            list_ui(ui, session, &known);
        }
        ui.label(Type::Small.text(words::KINDS).color(tokens.t2));
    });
}

/// Lists the files, each with its expected kind.
fn list_ui(ui: &mut Ui, session: &Session, files: &[&Path]) {
    ui.allocate_ui_with_layout(vec2(WIDTH, 0.0), Layout::top_down(Align::Min), |ui| {
        card::frame(ui).inner_margin(Margin::symmetric(14, 6)).show(ui, |ui| {
            ui.set_width(WIDTH - 30.0);
            for file in files.iter().take(LISTED) {
                file_ui(ui, session, file);
            }
            if LISTED < files.len() {
                let more = format!("and {} more", files.len() - LISTED);
                let color = Tokens::of(ui).t2;
                Spans::plain(Type::Small, &more, color).label(ui);
            }
        });
    });
}

fn file_ui(ui: &mut Ui, session: &Session, file: &Path) {
    let tokens = Tokens::of(ui);
    let name =
        file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (severity, taken) = match session.library.dragged(file) {
        Some(DraggedItem::Folder) => (Severity::Good, words::FOLDER),
        Some(DraggedItem::Closed) => (Severity::Poor, words::CLOSED),
        Some(DraggedItem::File(kind)) => match words::kind_label(&name, kind) {
            Some(taken) => (Severity::Good, taken),
            None => (Severity::Poor, words::NOT_SUPPORTED),
        },
        // The file has not been read yet, so its kind is guessed from its name.
        None => match words::expected_kind(&name) {
            Some(taken) => (Severity::Good, taken),
            None => (Severity::Info, words::UNKNOWN_ENDING),
        },
    };
    Frame::new().inner_margin(Margin::symmetric(0, 5)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
            severity.icon_ui(ui, size::ICON_SMALL);
            let width = ui.available_width() * 0.6;
            let shown = Spans::plain(Type::Body, &name, tokens.t1).within(ui, width);
            ui.label(shown);
            right_aligned(ui, &name, |ui| {
                Spans::plain(Type::Small, taken, tokens.t2).whole_label(ui);
            });
        });
    });
}
