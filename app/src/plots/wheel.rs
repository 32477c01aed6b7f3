//! The mouse wheel scrolls the page; it zooms a plot only if it started to turn over that plot.

use eframe::egui::{Context, Id};

/// Pause in seconds after which the next turn of the wheel counts as a new start.
const REST: f64 = 0.5;

/// The state of consecutive turns of the wheel, without a pause longer than `REST`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Wheel {
    /// Time of the last turn, in seconds.
    at: f64,
    /// Number of the egui pass in which the wheel was last handled.
    pass: Option<u64>,
    /// Whether the wheel started to turn in this pass, so that the plot under the pointer may claim
    /// it.
    is_new: bool,
    /// The plot that the wheel zooms; `None` if it scrolls the page.
    plot: Option<Id>,
}

impl Wheel {
    /// Returns the state for a pass in which the wheel turns; unchanged if the pass was handled
    /// before.
    fn turned(self, pass: Option<u64>, now: f64, has_rested: bool) -> Self {
        if self.pass == pass {
            return self;
        }
        let plot = self.plot.filter(|_| !has_rested);
        Self { at: now, pass, is_new: has_rested, plot }
    }
}

/// Whether the wheel zooms this plot. Call it for every plot with wheel zoom in each pass in which
/// the wheel turns: a wheel that starts to turn outside of all plots scrolls the page until it
/// pauses.
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

    /// Runs a pass at this time in which the wheel turns over one of two plots, or over the page if
    /// `under` is `None`. Returns the plot that the wheel zooms.
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
