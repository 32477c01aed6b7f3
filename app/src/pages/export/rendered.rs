//! Draws the preview of an HTML report: headings, paragraphs, lists, tables, plots, and collapsed
//! sections.

use std::sync::Arc;

use eframe::egui::{
    CollapsingHeader, Galley, Id, Margin, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2,
};
use jitterscope_engine::export::document::{Block, Grid, Piece, TextStyle, simplified};

use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::Spans;
use crate::widgets::paint::{bordered_frame, focus_ring_around};

/// Maximum width of a table column, in points.
const WIDEST: f32 = 230.0;
/// Minimum width to which a wide table column is reduced, in points.
const WIDE: f32 = 100.0;
/// Padding left and right in a cell.
const PADDING: f32 = 5.0;
/// Height of a table row, in points.
const ROW: f32 = 22.0;
/// Minimum height of the placeholder of a plot.
const PLOT: f32 = 56.0;

/// Draws blocks of a report at this width in points; a wider table extends beyond this width.
pub(super) fn blocks_ui(ui: &mut Ui, blocks: &[Block], width: f32) {
    ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, size::GAP_LABEL);
    let mut was_item = false;
    for (block, place) in blocks.iter().zip(0_usize..) {
        let is_item = matches!(block, Block::Item(_));
        if 0 < place && !(is_item && was_item) {
            ui.add_space(size::GAP_SMALL);
        }
        was_item = is_item;
        match block {
            Block::Heading(text) => {
                let title = line_ui(ui, Type::Sentence, &[Piece::plain(text)], width);
                ui.ctx().accesskit_node_builder(title.id, |node| node.set_role(Role::Heading));
            }
            Block::Paragraph(lines) => {
                for line in lines {
                    line_ui(ui, Type::Body, line, width);
                }
            }
            Block::Item(line) => {
                let color = Tokens::of(ui).t2;
                ui.horizontal_top(|ui| {
                    Spans::plain(Type::Body, "•", color).whole_label(ui);
                    line_ui(ui, Type::Body, line, width - size::GAP_GROUP);
                });
            }
            Block::Quote(lines) => quote_ui(ui, lines, width),
            Block::Grid(table) => table_ui(ui, ui.scope_id().with(place), table, width),
            Block::Plot { title, finding, .. } => plot_ui(ui, title, finding, width),
            Block::Details(summary, blocks) => {
                let title = Type::Strong.text(summary).color(Tokens::of(ui).t1);
                let header = CollapsingHeader::new(title)
                    .id_salt(place)
                    .show(ui, |ui| blocks_ui(ui, blocks, width - size::GAP_GROUP))
                    .header_response;
                focus_ring_around(ui, &header, header.rect, size::RADIUS);
            }
            block => {
                ui.push_id(place, |ui| {
                    blocks_ui(ui, &simplified(std::slice::from_ref(block)), width);
                });
            }
        }
    }
}

fn line_ui(ui: &mut Ui, style: Type, line: &[Piece], width: f32) -> Response {
    let galley = spans(ui, style, line).wrapped(ui, width.max(size::TARGET));
    ui.label(galley)
}

fn spans(ui: &Ui, style: Type, line: &[Piece]) -> Spans {
    let tokens = Tokens::of(ui);
    let strong = match style {
        Type::Body => Type::Strong,
        other => other,
    };
    line.iter().fold(Spans::new(style), |spans, piece| match piece.look {
        TextStyle::Plain => spans.text(style, &piece.text, tokens.t1),
        TextStyle::Strong => spans.text(strong, &piece.text, tokens.t1),
        TextStyle::Code => spans.text(Type::Mono, &piece.text, tokens.acc),
    })
}

/// Draws the placeholder of a plot, with its title and its finding.
fn plot_ui(ui: &mut Ui, title: &str, finding: &str, width: f32) {
    let tokens = Tokens::of(ui);
    let text = Spans::new(Type::Small)
        .icon(icons::CHART_LINE, size::ICON_SMALL, tokens.t2)
        .gap(size::GAP_SMALL)
        .text(Type::Small, &format!("Plot: {title}"), tokens.t1);
    let finding = Some(finding).filter(|finding| !finding.is_empty() && *finding != title);
    bordered_frame(tokens.card, tokens.line2, 0).inner_margin(Margin::same(10)).show(ui, |ui| {
        let room = (width - size::GAP_GROUP - size::GAP_SMALL).max(size::TARGET);
        ui.set_width(room);
        ui.set_min_height(PLOT);
        text.label_within(ui, room);
        if let Some(finding) = finding {
            Spans::plain(Type::Small, finding, tokens.t2).paragraph_within(ui, room);
        }
    });
}

fn quote_ui(ui: &mut Ui, lines: &[String], width: f32) {
    let left = ui.cursor().left();
    let top = ui.cursor().top();
    ui.horizontal(|ui| {
        ui.add_space(size::GAP_FIELD);
        ui.vertical(|ui| {
            for line in lines {
                line_ui(ui, Type::Body, &[Piece::plain(line)], width - size::GAP_GROUP);
            }
        });
    });
    let bar = Rect::from_min_max(pos2(left, top), pos2(left + 3.0, ui.min_rect().bottom()));
    ui.painter().rect_filled(bar, 1, Tokens::of(ui).line2);
}

/// Draws a table with grid lines; numbers are right-aligned.
fn table_ui(ui: &mut Ui, id: Id, table: &Grid, room: f32) {
    let widths = fitted(widths(ui, table), room);
    let total: f32 = widths.iter().sum();
    ui.spacing_mut().item_spacing.y = 0.0;
    let header =
        Some((Type::TableHeader, table.header.as_slice())).filter(|(_, it)| !it.is_empty());
    let rows = table.rows.iter().map(|row| (Type::Table, row.as_slice()));
    for ((style, cells), row) in header.into_iter().chain(rows).zip(0_usize..) {
        let (rect, _) = ui.allocate_exact_size(vec2(total, ROW), Sense::hover());
        if ui.is_rect_visible(rect) {
            row_ui(ui, id.with(row), (style, cells), (rect, &widths), &table.is_right);
        }
    }
}

fn row_ui(
    ui: &Ui,
    id: Id,
    (style, cells): (Type, &[String]),
    (rect, widths): (Rect, &[f32]),
    is_right: &[bool],
) {
    let tokens = Tokens::of(ui);
    if style == Type::TableHeader {
        ui.painter().rect_filled(rect, 0, tokens.card);
        ui.painter().hline(rect.x_range(), rect.top(), (1.0, tokens.line2));
    }
    ui.painter().hline(rect.x_range(), rect.bottom(), (1.0, tokens.line2));
    ui.painter().vline(rect.left(), rect.y_range(), (1.0, tokens.line2));
    let mut left = rect.left();
    for (width, column) in widths.iter().zip(0_usize..) {
        let cell = Rect::from_min_size(pos2(left, rect.top()), vec2(*width, rect.height()));
        left += width;
        ui.painter().vline(left, rect.y_range(), (1.0, tokens.line2));
        let Some(words) = cells.get(column) else { continue };
        let text = Spans::plain(style, words, tokens.t1);
        let galley: Arc<Galley> = text.within(ui, width - 2.0 * PADDING);
        let x = if is_right.get(column) == Some(&true) {
            cell.right() - PADDING - galley.size().x
        } else {
            cell.left() + PADDING
        };
        let is_elided = galley.elided;
        let at = pos2(x, cell.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, tokens.t1);
        let response = ui.interact(cell, id.with(column), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
        if is_elided {
            response.on_hover_text(words);
        }
    }
}

/// Reduces the widest columns until the table fits, or until no column is wider than [`WIDE`].
fn fitted(mut widths: Vec<f32>, room: f32) -> Vec<f32> {
    loop {
        let excess = widths.iter().sum::<f32>() - room;
        let widest = widths.iter_mut().max_by(|a, b| a.total_cmp(b));
        let Some(widest) = widest.filter(|widest| 0.0 < excess && WIDE < **widest) else {
            return widths;
        };
        *widest = (*widest - excess.min(PADDING)).max(WIDE);
    }
}

/// Returns the widths of the columns: each as wide as its widest cell, up to [`WIDEST`].
fn widths(ui: &Ui, table: &Grid) -> Vec<f32> {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0).max(table.header.len());
    let color = Tokens::of(ui).t1;
    let of = |style: Type, cells: &[String], column: usize| {
        let text = Spans::plain(style, cells.get(column)?, color);
        Some(text.galley(ui).size().x)
    };
    (0..columns)
        .map(|column| {
            let header = of(Type::TableHeader, &table.header, column);
            let rows = table.rows.iter().filter_map(|row| of(Type::Table, row, column));
            let widest = rows.chain(header).fold(0.0, f32::max);
            widest.ceil().min(WIDEST) + 2.0 * PADDING + 1.0
        })
        .collect()
}
