//! Images of plots, requested on a page: drawn on a background thread, then copied or saved.

use eframe::egui::{Context, Theme};
use jitterscope_engine::run::Run;

use crate::pages::plot_image;
use crate::plots::take_image_request;
use crate::session::{PageId, Progress, Session};
use crate::text::{self, compare::letter};
use crate::theme::Contrast;

/// Returns the subtitle of a plot's image: the name of the run with its date and machine, or the
/// names of the compared runs.
fn subject(session: &Session, page: PageId) -> String {
    let of_run = |name: &str, run: &Run| {
        let date = text::date(&text::local(run.started_at));
        format!("{name} · {date} · {}", run.machine.short())
    };
    let shown = match page {
        PageId::Test(key) => session.running.shown(key),
        PageId::Capture => session.running.capture.as_ref(),
        PageId::Record => session.running.recorded.as_ref(),
        PageId::Quick => {
            let result = session
                .running
                .quick
                .result
                .as_ref()
                .filter(|_| session.running.quick.check.is_none());
            let run = result.and_then(|result| result.runs().next());
            let name = "Quick check";
            return run.map_or(name.to_owned(), |shown| of_run(name, &shown.run));
        }
        PageId::Compare => match &session.comparing.progress {
            Progress::Done(compared) => {
                let labels = compared.labels();
                let names = labels.iter().zip(0..);
                let names = names.map(|(name, at)| format!("{} {name}", letter(at)));
                return names.collect::<Vec<_>>().join(" · ");
            }
            _ => None,
        },
        PageId::Runs | PageId::Machine | PageId::Settings | PageId::Welcome => None,
    };
    shown
        .map_or("Not saved yet".to_owned(), |shown| of_run(&text::run_name(&shown.run), &shown.run))
}

/// Starts drawing the image of a plot that was requested in this frame, if any.
pub(super) fn take(ctx: &Context, session: &mut Session, page: PageId) {
    let Some(request) = take_image_request(ctx) else { return };
    // A trend is of many runs, and its title and note state which.
    let is_trend = request.chart.key == "trend";
    let of = if is_trend { "Saved runs".to_owned() } else { subject(session, page) };
    let (is_dark, contrast) = (ctx.theme() == Theme::Dark, Contrast::of(ctx));
    let name = format!("{}-{}.png", page.key(), request.chart.key);
    let name = request.is_saved.then_some(name);
    let chart = request.chart;
    let draw = move || plot_image(&chart, &of, is_dark, contrast);
    session.make_plot_image(name.as_deref(), Box::new(draw));
}
