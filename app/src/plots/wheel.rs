//! What the wheel does: it scrolls the page, and zooms a plot only where it began to turn over that plot.

use eframe::egui::{Context, Id};

/// A wheel that rests for this long, in seconds, begins again.
const REST: f64 = 0.5;

/// Turns of the wheel without a longer rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Wheel {
    /// When it last turned, in seconds.
    at: f64,
    /// The pass in which it was looked at last.
    pass: Option<u64>,
    /// Whether it began in this pass, so that a plot may take it.
    is_new: bool,
    /// The plot that took it; otherwise it is the page's.
    plot: Option<Id>,
}

impl Wheel {
    /// Notes that the wheel turns in this pass.
    fn turned(self, pass: Option<u64>, now: f64, has_rested: bool) -> Self {
        if self.pass == pass {
            return self;
        }
        let plot = self.plot.filter(|_| !has_rested);
        Self { at: now, pass, is_new: has_rested, plot }
    }
}

/// Whether the turning wheel zooms this plot. Call it for each plot with such a wheel in every pass in which the wheel
/// turns: what turns over no plot scrolls the page until it rests.
pub(super) fn takes_wheel(ctx: &Context, plot: Id, is_under_pointer: bool) -> bool {
    let id = Id::unique("wheel");
    let (pass, now) = (Some(ctx.cumulative_pass_nr()), ctx.input(|input| input.time));
    let before: Option<Wheel> = ctx.data(|data| data.get_temp(id));
    let has_rested = before.is_none_or(|wheel| REST < now - wheel.at);
    let mut wheel = before.unwrap_or_default().turned(pass, now, has_rested);
    if wheel.is_new && is_under_pointer && wheel.plot.is_none() {
        wheel.plot = Some(plot);
    }
    ctx.data_mut(|data| data.insert_temp(id, wheel));
    is_under_pointer && wheel.plot == Some(plot)
}

#[cfg(test)]
mod tests {
    use eframe::egui::RawInput;

    use super::*;

    /// A pass at this time in which the wheel turns over one of two plots, or over the page; returns the plot that it
    /// zooms.
    fn turn(ctx: &Context, time: f64, under: Option<usize>) -> Option<usize> {
        let plots = ["first", "second"].map(Id::unique);
        let mut zoomed = None;
        let input = RawInput { time: Some(time), ..RawInput::default() };
        let mut output = ctx.run_ui(input, |ui| {
            for (at, plot) in plots.into_iter().enumerate() {
                if takes_wheel(ui.ctx(), plot, under == Some(at)) {
                    zoomed = Some(at);
                }
            }
        });
        output.textures_delta.clear();
        zoomed
    }

    #[test]
    fn a_wheel_zooms_the_plot_where_it_began_and_otherwise_scrolls_the_page() {
        let ctx = Context::default();
        assert_eq!(turn(&ctx, 1.0, Some(0)), Some(0), "it began over the plot");
        assert_eq!(turn(&ctx, 1.2, Some(0)), Some(0), "and goes on");
        assert_eq!(turn(&ctx, 1.4, Some(1)), None, "the pointer left it");
        assert_eq!(turn(&ctx, 2.0, None), None, "it began over the page");
        assert_eq!(turn(&ctx, 2.3, Some(1)), None, "a plot slides under the pointer");
        assert_eq!(turn(&ctx, 2.7, Some(1)), None, "the page scrolls on");
        assert_eq!(turn(&ctx, 3.3, Some(1)), Some(1), "after a rest");
    }
}
