//! Images of plots that were requested on a page: drawn off the window's thread, copied or written.

use eframe::egui::{Context, Theme};

use crate::pages::plot_image;
use crate::plots::take_image_request;
use crate::session::{PageId, Session};
use crate::text;
use crate::theme::Contrast;

/// Begins to draw the image that was requested in this frame.
pub(super) fn take(ctx: &Context, session: &mut Session, page: PageId) {
    let Some(request) = take_image_request(ctx) else { return };
    let shown = match page {
        PageId::Test(key) => session.shown(key),
        PageId::Capture => session.capture(),
        _ => None,
    };
    let of = shown.map_or("Not saved yet".to_owned(), |shown| {
        let date = text::date(&text::local(shown.run.started_at));
        format!("{} · {date} · {}", text::run_name(&shown.run), shown.run.machine.short())
    });
    let (is_dark, contrast) = (ctx.theme() == Theme::Dark, Contrast::of(ctx));
    let name = format!("{}-{}.png", page.key(), request.chart.key);
    let name = request.is_saved.then_some(name);
    let chart = request.chart;
    let draw = move || plot_image(&chart, &of, is_dark, contrast);
    session.make_plot_image(name.as_deref(), Box::new(draw));
}
