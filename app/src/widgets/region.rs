//! The regions of the window. F6 moves the focus to the next region; Tab then moves the focus to
//! the first widget of this region.

use eframe::egui::{Context, Id, Rect, Role, Sense, Ui, WidgetInfo};

use super::paint::focus_ring_around;

/// A region of the window, in the order of F6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// The navigation rail.
    Navigation,
    /// The bar at the top, with title, progress, and primary button.
    TopBar,
    /// The column with the settings of a test.
    Setup,
    /// The main area of a page, such as the results of a test.
    Results,
    /// The details of the selected items of a list.
    Details,
    /// The status bar at the lower edge of the window.
    StatusBar,
}

impl Region {
    const fn name(self) -> &'static str {
        match self {
            Self::Navigation => "Navigation",
            Self::TopBar => "Top bar",
            Self::Setup => "Setup",
            Self::Results => "Results",
            Self::Details => "Details",
            Self::StatusBar => "Status bar",
        }
    }

    fn id(self) -> Id {
        Id::unique(("region", self.name()))
    }
}

/// A region, its rectangle in the window, and the number of the layout pass that last drew the
/// region.
type DrawnRegions = (Region, Rect, u64);

fn drawn(ctx: &Context) -> Vec<DrawnRegions> {
    ctx.data(|data| data.get_temp(Id::unique("regions"))).unwrap_or_default()
}

/// Marks the area of `ui` as a region. Call this function before anything in the region is drawn.
pub fn region(ui: &mut Ui, region: Region) {
    let (rect, ctx) = (ui.max_rect().intersect(ui.clip_rect()), ui.ctx().clone());
    let pass = ctx.cumulative_pass_nr();
    let mut all = drawn(&ctx);
    all.retain(|known| known.0 != region && pass < known.2 + 4);
    all.push((region, rect, pass));
    ctx.data_mut(|data| data.insert_temp(Id::unique("regions"), all));
    // Only F6 focuses a region: Tab skips it.
    if ctx.memory(|memory| memory.has_focus(region.id())) {
        let corner = Rect::from_min_size(rect.min, eframe::egui::Vec2::ZERO);
        let response = ui.interact(corner, region.id(), Sense::focusable_noninteractive());
        response.widget_info(|| WidgetInfo::labeled(Role::Region, true, region.name()));
        focus_ring_around(ui, &response, rect.shrink(4.0), 0);
    }
}

/// Moves the focus to the next or previous region, seen from the region that contains the focused
/// widget; to the first region if no widget has the focus.
pub fn step(ctx: &Context, is_forward: bool) {
    let mut all = drawn(ctx);
    all.sort_by_key(|one| one.0);
    let focused = ctx.memory(eframe::egui::Memory::focused);
    let around = |id| {
        let place = ctx.read_response(id)?.rect.center();
        let holding = all.iter().enumerate().filter(|(_, one)| one.1.contains(place));
        holding.min_by(|a, b| a.1.1.area().total_cmp(&b.1.1.area())).map(|found| found.0)
    };
    let at =
        focused.and_then(|id| all.iter().position(|one| one.0.id() == id).or_else(|| around(id)));
    let count = all.len();
    let next = match at {
        None => 0,
        Some(at) if is_forward => at + 1,
        Some(at) => at + count - 1,
    };
    if let Some((region, ..)) = all.get(next % count.max(1)) {
        ctx.memory_mut(|memory| memory.request_focus(region.id()));
        ctx.request_repaint();
    }
}
