//! Draws the preview of an HTML report: headings, paragraphs, lists, tables, plots, and collapsed
//! sections.

use eframe::egui::{CollapsingHeader, Margin, Rect, Response, Role, Ui, pos2, vec2};
use jitterscope_engine::export::document::{Block, Piece, TextStyle, simplified};
use jitterscope_engine::report::Table;

use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::paint::{bordered_frame, focus_ring_around};
use crate::widgets::{ResultTable, Spans, TableLayout};

/// Minimum height of the placeholder of a plot.
const PLOT: f32 = 56.0;
/// Maximum number of blocks that are drawn of a report or of one of its sections, and of rows of a table without scrolling.
const MAX_BLOCKS: usize = 300;
const MAX_ROWS: usize = 100;

/// The blocks of a report as they are drawn: computed once, not for each frame of the window.
#[derive(Debug)]
pub(in crate::pages) struct RenderedBlocks(Vec<RenderedBlock>);

#[derive(Debug)]
enum RenderedBlock {
    /// A block that is drawn as it is.
    Plain(Block),
    Table(Table),
    Details(String, RenderedBlocks),
}

impl RenderedBlocks {
    /// Returns the blocks in order, those without a layout of the window as simpler ones.
    pub(in crate::pages) fn of(blocks: &[Block]) -> Self {
        let mut blocks = simplified(blocks);
        let rest = blocks.len().saturating_sub(MAX_BLOCKS);
        if 0 < rest {
            blocks.truncate(MAX_BLOCKS);
            blocks.push(Block::paragraph(format!("and {rest} more, which the file has")));
        }
        let rendered = blocks.into_iter().map(|block| match block {
            Block::Grid(grid) => RenderedBlock::Table(grid.table("")),
            Block::Details(summary, blocks) => RenderedBlock::Details(summary, Self::of(&blocks)),
            block => RenderedBlock::Plain(block),
        });
        Self(rendered.collect())
    }

    /// Draws the blocks at this width in points; a wider table extends beyond this width.
    pub(in crate::pages) fn ui(&self, ui: &mut Ui, width: f32) {
        ui.spacing_mut().item_spacing = vec2(size::GAP_SMALL, size::GAP_LABEL);
        let mut was_item = false;
        for (block, place) in self.0.iter().zip(0_usize..) {
            let is_item = matches!(block, RenderedBlock::Plain(Block::Item(_)));
            if 0 < place && !(is_item && was_item) {
                ui.add_space(size::GAP_SMALL);
            }
            was_item = is_item;
            match block {
                RenderedBlock::Plain(block) => plain_ui(ui, block, width),
                RenderedBlock::Table(table) => table_ui(ui, place, table, width),
                RenderedBlock::Details(summary, blocks) => {
                    let title = Type::Strong.text(summary).color(Tokens::of(ui).t1);
                    let header = CollapsingHeader::new(title)
                        .id_salt(place)
                        .show(ui, |ui| blocks.ui(ui, width - size::GAP_GROUP))
                        .header_response;
                    focus_ring_around(ui, &header, header.rect, size::RADIUS);
                }
            }
        }
    }
}

/// Draws a block that is neither a table nor a section. Others are simplified before they are drawn.
fn plain_ui(ui: &mut Ui, block: &Block, width: f32) {
    match block {
        Block::Heading(text) => {
            let title = line_ui(ui, Type::Sentence, &[Piece::plain(text)], width);
            // A heading has its text as its name, unlike a label.
            ui.ctx().accesskit_node_builder(title.id, |node| {
                node.set_role(Role::Heading);
                node.set_label(text.as_str());
            });
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
        Block::Plot { title, finding, .. } => plot_ui(ui, title, finding, width),
        _ => {}
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

/// Draws a table; `place` is its position among the blocks.
fn table_ui(ui: &mut Ui, place: usize, table: &Table, width: f32) {
    let key = format!("{:?}", ui.scope_id().with(place));
    ui.scope(|ui| {
        ui.set_max_width(width);
        let rows = ResultTable::new(&key, table, TableLayout::of(&[]));
        ResultTable { max_rows: table.rows.len().min(MAX_ROWS), ..rows }
            .show_in_card(ui, f32::INFINITY);
    });
}
