//! A chart of a report in a card: drawn with the items of `egui_plot`, looked at closer by pointer, keys and
//! buttons, with its data as a table and as an image.

mod items;
mod words;

use std::cell::RefCell;

use eframe::egui::{Align, Align2, Id, Layout, Response, Ui, vec2};
use jitterscope_engine::report::chart::{self, Chart, Marks};
use jitterscope_engine::report::table::Quantity;

use super::axis::Axis;
use super::menu::{controls_ui, menu};
use super::plane::{Direction, Look, Plane, describe};
use crate::theme::{Tokens, Type, size};
use crate::widgets::{Card, Hidden, LegendEntry, LegendSwatch, key_box, legend_box, segmented};
use items::add;
use words::{readout, summary, table};

/// Height of a row of a chart with rows, and of what is above and below them.
const ROW: (f32, f32) = (24.0, 116.0);
/// Height of a card, and of one that is half as wide as the page.
const HEIGHT: f32 = 300.0;

/// A chart, to be shown in a card.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct ChartCard<'a> {
    chart: &'a Chart,
    id: Id,
    note: &'a str,
    height: f32,
    link: Option<Id>,
    is_stacked: bool,
}

/// What the user set for a chart.
#[derive(Clone, Copy, Debug, Default)]
struct View {
    hidden: Hidden,
    /// Whether counts are laid out evenly, and not by their logarithm.
    is_even: bool,
}

impl<'a> ChartCard<'a> {
    /// A chart of a page and a run, whose view starts again with each run.
    pub fn new((page, run): (&str, &str), chart: &'a Chart) -> Self {
        let rows = f32::from(u16::try_from(chart.y.names.len()).unwrap_or(u16::MAX));
        let height = if rows == 0.0 { HEIGHT } else { rows * ROW.0 + ROW.1 };
        let id = Id::unique(("chart", page, chart.key, run));
        Self { chart, id, note: &chart.note, height, link: None, is_stacked: false }
    }

    /// The height of the card.
    pub const fn height(mut self, height: f32) -> Self {
        self.height = height;
        self
    }

    /// A few words after the title, instead of the chart's own.
    pub const fn note(mut self, note: &'a str) -> Self {
        self.note = note;
        self
    }

    /// Shares the horizontal axis and the cursor with the charts of the same link.
    pub const fn link(mut self, link: Id) -> Self {
        self.link = Some(link);
        self
    }

    /// Draws each series in a plot of its own, below each other.
    pub const fn stacked(mut self, is_stacked: bool) -> Self {
        self.is_stacked = is_stacked;
        self
    }

    /// Shows the chart; more controls come first in the header.
    pub fn show(self, ui: &mut Ui, more: impl FnOnce(&mut Ui)) {
        let view = ui.data(|data| data.get_temp::<View>(self.id)).unwrap_or_default();
        let view = RefCell::new(view);
        let is_counted =
            matches!(self.chart.marks, Marks::Steps(_)) && self.chart.y.scale == chart::Scale::Log;
        Card::new(self.chart.title).note(self.note).height(self.height).show(
            ui,
            |ui| {
                more(ui);
                if is_counted {
                    let scales = [(true, "Count"), (false, "Log count")];
                    let is_even = &mut view.borrow_mut().is_even;
                    segmented(ui, "Scale of counts", is_even, &scales);
                }
                controls_ui(ui, self.id, self.chart.title);
            },
            |ui| {
                let is_even = is_counted && view.borrow().is_even;
                let even = is_even.then(|| evenly_counted(self.chart));
                let height = ui.available_height();
                let drawn = even.as_ref().unwrap_or(self.chart);
                if self.is_stacked && 1 < drawn.names().len() {
                    self.stack_ui(ui, drawn, height);
                    return;
                }
                let hidden = &mut view.borrow_mut().hidden;
                let response = chart_ui(ui, drawn, (self.id, self.link), height, hidden);
                menu(&response, self.id, || table(self.chart), || Some(self.chart.clone()));
            },
        );
        let view = view.into_inner();
        ui.data_mut(|data| data.insert_temp(self.id, view));
    }
}

impl ChartCard<'_> {
    /// Draws the series below each other on one scale.
    fn stack_ui(&self, ui: &mut Ui, chart: &Chart, height: f32) {
        let names = chart.names();
        let count = f32::from(u16::try_from(names.len()).unwrap_or(u16::MAX));
        let each = (height - size::GAP_SMALL * (count - 1.0)) / count;
        ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
        for (name, at) in names.iter().zip(0..) {
            let mut hidden = Hidden::default();
            hidden.isolate(at, names.len());
            let id = if at == 0 { self.id } else { self.id.with(at) };
            let link = Some(self.link.unwrap_or_else(|| self.id.with("stack")));
            let (response, summary) = plot_ui(ui, chart, (id, link), each, hidden);
            describe(&response, &format!("{name}. {summary}"));
            if at == 0 {
                menu(&response, self.id, || table(self.chart), || Some(self.chart.clone()));
            }
            let look = Tokens::of(ui).series(at);
            let (sample, color) = (LegendSwatch::Mark(look.mark), look.color);
            key_box(ui, response.rect, Align2::RIGHT_TOP, &[LegendEntry { name, color, sample }]);
        }
    }
}

/// The same histogram with counts laid out evenly.
fn evenly_counted(chart: &Chart) -> Chart {
    let mut even = chart.clone();
    let points = match &chart.marks {
        Marks::Steps(series) => series.iter().flat_map(|one| &one.points),
        _ => return even,
    };
    let most = points.map(|point| point.1).fold(1.0, f64::max);
    even.y = chart::Axis::linear(chart.y.title, Quantity::Count, 0.0, most * 1.08);
    even
}

/// Draws a chart without a card, so high.
pub fn chart_ui(
    ui: &mut Ui,
    chart: &Chart,
    (id, link): (Id, Option<Id>),
    height: f32,
    hidden: &mut Hidden,
) -> Response {
    let tokens = Tokens::of(ui);
    let (response, summary) = plot_ui(ui, chart, (id, link), height, *hidden);
    describe(&response, &summary);
    if chart.is_empty() {
        let (at, font) = (response.rect.center(), Type::Body.font());
        ui.painter().text(at, Align2::CENTER_CENTER, "No samples yet", font, tokens.t3);
    }
    let names = chart.names();
    if 1 < names.len() {
        let is_marked = matches!(chart.marks, Marks::Curves(_));
        let entries: Vec<LegendEntry<'_>> = names
            .iter()
            .zip(0..)
            .map(|(name, series)| {
                let look = tokens.series(series);
                let sample = match &chart.marks {
                    Marks::Points(_) => LegendSwatch::Mark(look.mark),
                    _ if is_marked => LegendSwatch::MarkedLine(look.dash, look.mark),
                    _ => LegendSwatch::Line(look.dash),
                };
                LegendEntry { name, color: look.color, sample }
            })
            .collect();
        legend_box(ui, response.rect, emptiest_corner(chart), &entries, hidden);
    }
    response
}

/// Draws axes and contents; returns what it shows in a sentence, too.
fn plot_ui(
    ui: &mut Ui,
    chart: &Chart,
    (id, link): (Id, Option<Id>),
    height: f32,
    hidden: Hidden,
) -> (Response, String) {
    let tokens = Tokens::of(ui);
    let plane = Plane {
        look: Look { id, height, has_wheel: false, link },
        x: direction(chart, &chart.x, true),
        y: direction(chart, &chart.y, false),
    };
    let (response, _) = plane.show(
        ui,
        |hover| readout(chart, hidden, hover),
        |plot| add(plot, chart, hidden, tokens),
    );
    (response, summary(chart))
}

/// The corner with the fewest points.
fn emptiest_corner(chart: &Chart) -> Align2 {
    let (Marks::Lines(series)
    | Marks::Steps(series)
    | Marks::Points(series)
    | Marks::Curves(series)) = &chart.marks
    else {
        return Align2::RIGHT_TOP;
    };
    let middle = |axis: &chart::Axis| f64::midpoint(place(axis, axis.from), place(axis, axis.to));
    let (x, y) = (middle(&chart.x), middle(&chart.y));
    let mut counts = [0_usize; 4];
    for point in series.iter().flat_map(|one| &one.points) {
        let (is_right, is_high) = (x < place(&chart.x, point.0), y < place(&chart.y, point.1));
        let [low_left, low_right, high_left, high_right] = &mut counts;
        *match (is_right, is_high) {
            (false, false) => low_left,
            (true, false) => low_right,
            (false, true) => high_left,
            (true, true) => high_right,
        } += 1;
    }
    let [low_left, low_right, high_left, high_right] = counts;
    let corners = [
        (high_right, Align2::RIGHT_TOP),
        (high_left, Align2::LEFT_TOP),
        (low_right, Align2::RIGHT_BOTTOM),
        (low_left, Align2::LEFT_BOTTOM),
    ];
    corners.into_iter().min_by_key(|corner| corner.0).map_or(Align2::RIGHT_TOP, |corner| corner.1)
}

/// Where a value of a chart is in its plot: by its size, or by its logarithm.
fn place(axis: &chart::Axis, value: f64) -> f64 {
    match axis.scale {
        chart::Scale::Linear => value,
        chart::Scale::Log if 0.0 < value => value.log10(),
        chart::Scale::Log => axis.from.log10(),
    }
}

/// The value at a place.
fn value_at(axis: &chart::Axis, place: f64) -> f64 {
    match axis.scale {
        chart::Scale::Linear => place,
        chart::Scale::Log => 10_f64.powf(place),
    }
}

fn direction<'a>(chart: &'a Chart, of: &'a chart::Axis, is_vertical: bool) -> Direction<'a> {
    let axis = match (of.quantity, of.scale) {
        _ if !of.names.is_empty() => Axis::Rows,
        (Quantity::Time, chart::Scale::Linear) => Axis::Nanos,
        (Quantity::Time, chart::Scale::Log) => Axis::LogTime,
        (Quantity::Share, chart::Scale::Linear) => Axis::Share,
        (Quantity::Share, chart::Scale::Log) => Axis::LogShare,
        (_, chart::Scale::Log) => Axis::LogCount,
        (Quantity::Count, chart::Scale::Linear) => Axis::Count,
        (_, chart::Scale::Linear) => Axis::Number,
    };
    let limits = chart.limits.iter().filter(|limit| limit.is_vertical == is_vertical);
    let mut margin: Vec<(f64, String)> =
        limits.map(|limit| (place(of, limit.at), limit.label.clone())).collect();
    margin.extend(of.zones.iter().map(|zone| {
        let middle = f64::midpoint(place(of, zone.from), place(of, zone.to));
        (middle, zone.grade.word().to_owned())
    }));
    let range = (place(of, of.from), place(of, of.to));
    Direction { axis, range, label: of.title, names: &of.names, margin }
}

/// Shows charts below each other, those that are half as wide next to each other where there is room.
pub fn charts_ui(ui: &mut Ui, (page, run): (&str, &str), charts: &[Chart]) {
    let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
    let drawn: Vec<&Chart> =
        charts.iter().filter(|chart| !matches!(chart.marks, Marks::Heat(_))).collect();
    let mut rest = drawn.as_slice();
    while let [first, others @ ..] = rest {
        let card = |chart| ChartCard::new((page, run), chart);
        match others {
            [second, others @ ..] if is_wide && first.is_half && second.is_half => {
                pair_ui(ui, card(first), card(second));
                rest = others;
            }
            others => {
                card(first).show(ui, |_| {});
                rest = others;
            }
        }
    }
}

/// Shows two charts next to each other.
fn pair_ui(ui: &mut Ui, left: ChartCard<'_>, right: ChartCard<'_>) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_CARD;
        let width = ((ui.available_width() - size::GAP_CARD) / 2.0).floor();
        let down = Layout::top_down(Align::Min);
        ui.allocate_ui_with_layout(vec2(width, left.height), down, |ui| left.show(ui, |_| {}));
        ui.vertical(|ui| right.show(ui, |_| {}));
    });
}
