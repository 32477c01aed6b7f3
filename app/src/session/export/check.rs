//! A quick check as one file: a page, a ticket, an image.

use std::io::{self, Write};
use std::sync::Arc;

use jitterscope_engine::export::html::{Page, write_page};
use jitterscope_engine::export::{Block, Format, Identity, IncludedNames, cleaned as cleaned_run};
use jitterscope_engine::export::{Options, markdown};
use jitterscope_engine::run::Run;

use super::{ExportKind, ExportRequest, FinishedCheck, LoadedRun};
use crate::text;

/// The name of its file.
pub(super) fn file_name(check: &FinishedCheck, kind: ExportKind) -> String {
    let date = check.began.strftime("%Y-%m-%d");
    let group = check.runs().find_map(|shown| shown.run.group.as_ref());
    let id = group.map_or_else(|| "check".to_owned(), |group| group.id.to_string());
    let extension = match kind {
        ExportKind::File(format) => format.extension(),
        ExportKind::Image | ExportKind::Comparison => "png",
    };
    format!("{date}-quick-check-{id}.{extension}")
}

/// Its blocks without the names that go; an image and a page have others to show them.
pub(super) fn blocks(check: &FinishedCheck, kind: ExportKind, order: &ExportRequest) -> Vec<Block> {
    if kind == ExportKind::Image {
        return Vec::new();
    }
    let runs: Vec<&Run> = check.runs().map(|shown| shown.run.as_ref()).collect();
    let mut blocks = text::quick::document(&check.card, &runs);
    if order.included_names != IncludedNames::Everything {
        let identity = Identity::here().without(order.included_names);
        for text in blocks.iter_mut().flat_map(Block::texts_mut) {
            *text = identity.skipped(text);
        }
    }
    blocks
}

/// Writes the page or the ticket.
pub(super) fn write(
    check: &FinishedCheck,
    kind: ExportKind,
    order: &ExportRequest,
    to: &mut dyn Write,
) -> io::Result<()> {
    let blocks = blocks(check, kind, order);
    if kind != ExportKind::File(Format::Html) {
        return markdown::render(&blocks, to);
    }
    let title = text::quick::check_name(check.began);
    let (grade, charts) = (check.card.grade, check.chart.as_slice());
    let page = Page { title: &title, grade, blocks: &blocks, charts };
    write_page(&page, to)
}

/// The check without the names that go.
pub(super) fn cleaned(check: &FinishedCheck, order: &ExportRequest) -> FinishedCheck {
    let options = Options {
        leave_out: Identity::here(),
        included_names: order.included_names,
        ..Options::default()
    };
    let cleaned = |shown: &Arc<LoadedRun>| match cleaned_run(&shown.run, &options) {
        None => Arc::clone(shown),
        Some(run) => Arc::new(LoadedRun { run: Arc::new(run), ..LoadedRun::clone(shown) }),
    };
    let parts = check.parts.iter().map(|(part, shown)| (*part, shown.as_ref().map(cleaned)));
    FinishedCheck { parts: parts.collect(), ..check.clone() }
}
