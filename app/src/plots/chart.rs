//! A card with a chart of a report. The chart is drawn with items of `egui_plot`, can be zoomed by
//! pointer, keys, and buttons, and is available as a table and as an image.

mod ends;
mod items;
mod pick;
mod range;
mod words;

use std::cell::RefCell;

use eframe::egui::{Align, Align2, CursorIcon, Id, Layout, Response, Ui, vec2};
use egui_plot::{PlotPoints, PlotTransform, Points};
use jitterscope_engine::report::chart::{self, Chart, Marks};
use jitterscope_engine::report::table::Quantity;

use super::menu::{controls_ui, menu};
use super::plane::{Direction, Look, Move, Plane, ask, describe, moved_range, read_out};
use super::style::marker;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::card::has_controls;
use crate::widgets::{Card, Hidden, LegendEntry, LegendSwatch, Spans, legend_row, segmented};
pub use ends::DimmedPart;
use ends::DraggedRange;
use items::add;
pub use pick::ChartPick;
use pick::{Target, move_cursor, pointed, targets};
use words::{readout, summary, table, value_text};

/// Height of a row of a chart with rows, and total height above and below the rows, in points.
const ROW: (f32, f32) = (24.0, 116.0);
/// Height of a card whose chart has no rows, in points.
const HEIGHT: f32 = 300.0;
/// Hint for a chart whose bars or points can be selected.
const PICK: &str = "click a bar or a point to see its frames";

/// A chart in a card with its options; `show` draws it.
#[derive(Clone, Copy, Debug)]
#[must_use = "call show"]
pub struct ChartCard<'a> {
    /// The chart.
    pub chart: &'a Chart,
    /// Id of the plot, under which its view state is stored.
    pub id: Id,
    /// The text after the title: the note of the chart, unless the page replaces it.
    pub note: &'a str,
    /// The height of the card in points.
    pub height: f32,
    /// Id of the group of charts that share the horizontal axis and the cursor.
    pub link: Option<Id>,
    /// The widths for labels, left and right of the plot, of the strips that are drawn below the
    /// plot on the same axis. The plot reserves the same widths.
    pub sides: Option<(f32, f32)>,
    /// Whether each series is drawn in a separate plot, one below the other.
    pub is_stacked: bool,
    /// Whether the user can select a bar or a point, which represents samples.
    pub can_pick: bool,
    /// The points that are marked with squares.
    pub marked: &'a [(f64, f64)],
    /// A chart that is drawn in place of the chart of the card: the same data, but only for the
    /// visible range and with all details.
    pub close_up: Option<&'a Chart>,
    /// The parts of the horizontal axis that are not part of the figures.
    pub dimmed: &'a [DimmedPart],
    /// The range whose ends the user can drag, as values of the horizontal axis; `None` if there is nothing to select.
    pub range: Option<(f64, f64)>,
}

/// A chart, the points to mark in it, as values of its two axes, and its parts to dim.
type MarkedPoint<'a> = (&'a Chart, &'a [(f64, f64)], &'a [DimmedPart]);

/// View state of a chart.
#[derive(Clone, Copy, Debug, Default)]
struct ChartView {
    hidden: Hidden,
    /// Whether counts are on a linear instead of a logarithmic scale.
    is_even: bool,
    /// The bar or point at the keyboard cursor.
    cursor: Option<usize>,
    /// The range of values that the user selected in a histogram.
    range: Option<range::Selection>,
    /// The minimum widths of the labels left and right of the plot, in points.
    sides: Option<(f32, f32)>,
    /// The range whose ends can be dragged, the range that is being dragged, and the one that was selected.
    ends: Option<(f64, f64)>,
    dragged: Option<DraggedRange>,
    selected: Option<(f64, f64)>,
}

impl<'a> ChartCard<'a> {
    /// Creates a card for a chart of a page and a run; the view state is separate for each run.
    pub fn new((page, run): (&str, &str), chart: &'a Chart) -> Self {
        let rows = f32::from(u16::try_from(chart.y.names.len()).unwrap_or(u16::MAX));
        let height = if rows == 0.0 { HEIGHT } else { rows * ROW.0 + ROW.1 };
        let id = Id::unique(("chart", page, chart.key, run));
        Self {
            chart,
            id,
            note: &chart.note,
            height,
            link: None,
            sides: None,
            is_stacked: false,
            can_pick: false,
            marked: &[],
            close_up: None,
            dimmed: &[],
            range: None,
        }
    }

    /// Takes the range that the user selected since the last call.
    pub fn take_range(&self, ui: &Ui) -> Option<(f64, f64)> {
        ui.data_mut(|data| data.get_temp_mut_or_default::<ChartView>(self.id).selected.take())
    }

    /// Resets the vertical axis to all values, and preserves the visible range of the horizontal
    /// axis.
    pub fn show_all_values(&self, ui: &Ui) {
        ask(ui.ctx(), self.id, Move::AllValues);
    }

    /// Returns the visible range of the horizontal axis; `None` unless the user zoomed or moved it.
    pub fn in_view(&self, ui: &Ui) -> Option<(f64, f64)> {
        let (from, to) = moved_range(ui.ctx(), self.id)?;
        Some((self.chart.x.value_at(from), self.chart.x.value_at(to)))
    }

    /// Zooms the horizontal axis to this range the next time the chart is drawn.
    pub fn look_at(&self, ui: &Ui, (from, to): (f64, f64)) {
        let (from, to) = (self.chart.x.position(from), self.chart.x.position(to));
        ask(ui.ctx(), self.id, Move::Show(from, to));
    }

    /// Shows the chart; `more` draws additional controls at the start of the header. Returns the
    /// bar or point that the user selected in this frame.
    pub fn show(self, ui: &mut Ui, more: impl FnOnce(&mut Ui)) -> Option<ChartPick> {
        let view = ui.data(|data| data.get_temp::<ChartView>(self.id)).unwrap_or_default();
        let view = RefCell::new(ChartView { sides: self.sides, ends: self.range, ..view });
        let is_counted =
            matches!(self.chart.marks, Marks::Steps(_)) && self.chart.y.scale == chart::Scale::Log;
        let picked = Card::new(self.chart.title).note(self.note).height(self.height).show(
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
                let view = &mut *view.borrow_mut();
                let even = (is_counted && view.is_even).then(|| evenly_counted(self.chart));
                let drawn = even.as_ref().or(self.close_up).unwrap_or(self.chart);
                if self.is_stacked && 1 < drawn.names().len() {
                    self.stack_ui(ui, drawn);
                    return None;
                }
                let height = ui.available_height();
                let (response, picked) = view_ui(
                    ui,
                    (drawn, self.marked, self.dimmed),
                    (self.id, self.link),
                    height,
                    (view, self.can_pick),
                );
                let seen = self.close_up.and(self.in_view(ui));
                let shown = || seen.map_or_else(|| drawn.clone(), |seen| part_of(drawn, seen));
                menu(&response, self.id, || table(&shown()), Some(&|| Some(shown())));
                picked
            },
        );
        let view = view.into_inner();
        ui.data_mut(|data| data.insert_temp(self.id, view));
        picked.inner
    }
}

impl ChartCard<'_> {
    /// Draws the series below each other on the same scale.
    fn stack_ui(&self, ui: &mut Ui, chart: &Chart) {
        let names = chart.names();
        ui.spacing_mut().item_spacing.y = size::GAP_LABEL;
        let mut left = f32::from(u16::try_from(names.len()).unwrap_or(u16::MAX));
        for (name, at) in names.iter().zip(0..) {
            let color = Tokens::of(ui).series(at).color;
            let height = ui.available_height() / left;
            let top = ui.cursor().top();
            Spans::plain(Type::Small, name, color).label(ui);
            let height = (height - (ui.cursor().top() - top) - size::GAP_LABEL).max(40.0);
            let mut hidden = Hidden::default();
            hidden.isolate(at, names.len());
            let id = if at == 0 { self.id } else { self.id.with(at) };
            let link = Some(self.link.unwrap_or_else(|| self.id.with("stack")));
            let view = ChartView { hidden, ..ChartView::default() };
            let (response, _) = plot_ui(ui, (chart, &[], &[]), (id, link), height, &view, None);
            describe(&response, &format!("{name}. {}", summary(chart)));
            menu(&response, id, || table(chart), Some(&|| Some(chart.clone())));
            left -= 1.0;
        }
    }
}

/// Returns a copy of a histogram in which counts are on a linear scale.
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

/// Returns a chart of lines, limited to the range between two values of its horizontal axis.
fn part_of(chart: &Chart, (from, to): (f64, f64)) -> Chart {
    let mut part = Chart { x: chart::Axis { from, to, ..chart.x.clone() }, ..chart.clone() };
    if let Marks::Lines(all) = &mut part.marks {
        for one in all {
            one.points.retain(|point| (from..=to).contains(&point.0));
        }
    }
    part
}

/// Draws a chart with this height, without a card.
pub fn chart_ui(
    ui: &mut Ui,
    chart: &Chart,
    ids: (Id, Option<Id>),
    height: f32,
    hidden: &mut Hidden,
) -> Response {
    let mut view = ChartView { hidden: *hidden, ..ChartView::default() };
    let (response, _) = view_ui(ui, (chart, &[], &[]), ids, height, (&mut view, false));
    *hidden = view.hidden;
    response
}

/// Draws a chart with its legend above. Returns the selected bar or point.
fn view_ui(
    ui: &mut Ui,
    (chart, marked, dimmed): MarkedPoint<'_>,
    (id, link): (Id, Option<Id>),
    height: f32,
    (view, can_pick): (&mut ChartView, bool),
) -> (Response, Option<ChartPick>) {
    let tokens = Tokens::of(ui);
    let top = ui.cursor().top();
    let names = chart.names();
    if 1 < names.len() {
        let entries = names.iter().zip(0..).map(|(name, series)| {
            let look = tokens.series(series);
            let sample = match &chart.marks {
                Marks::Points(_) => LegendSwatch::Mark(look.mark),
                Marks::Curves(_) => LegendSwatch::MarkedLine(look.dash, look.mark),
                _ => LegendSwatch::Line(look.dash),
            };
            LegendEntry { name, color: look.color, sample }
        });
        let entries: Vec<LegendEntry<'_>> = entries.collect();
        legend_row(ui, &entries, &mut view.hidden);
    }
    let room = if view.range.is_some() { range::HEIGHT } else { 0.0 };
    let height = height - (ui.cursor().top() - top) - room;
    let targets = if can_pick { targets(chart, view.hidden) } else { Vec::new() };
    let read = view.cursor.and_then(|at| targets.get(at));
    let content = (chart, marked, dimmed);
    let (response, transform) = plot_ui(ui, content, (id, link), height, view, read);
    if chart.is_empty() {
        let (at, font) = (response.rect.center(), Type::Body.font());
        ui.painter().text(at, Align2::CENTER_CENTER, "No samples yet", font, tokens.t3);
    }
    ends::paint_names(ui, (chart, dimmed), &response, &transform);
    range::select((id, &mut view.range), chart, &response, &transform);
    if let Some(range) = view.ends {
        let selected = ends::drag((id, &mut view.dragged), range, chart, &response, &transform);
        view.selected = selected.or(view.selected);
    }
    let is_chosen = move_cursor(&response, &mut view.cursor, &targets);
    let read = view.cursor.and_then(|at| targets.get(at));
    let said = if let Some(target) = read.filter(|_| response.has_focus()) {
        let name = &target.pick.series;
        let value = value_text(&chart.y, chart.y.value_at(target.at.y));
        let enter =
            if chart.x.names.is_empty() { "shows these frames" } else { "selects the point" };
        let words = format!("{name}, {}: {value}. Enter {enter}", target.pick.words);
        read_out(ui, &response, &words);
        words
    } else {
        let named = dimmed.iter().filter(|part| !part.name.is_empty());
        let mut names: Vec<&str> = named.map(|part| part.name).collect();
        names.dedup();
        [&[summary(chart).as_str()], names.as_slice()].concat().join(". ")
    };
    describe(&response, &said);
    let pointer = response.hover_pos().filter(|_| response.contains_pointer());
    let pointed = pointer.and_then(|at| pointed(chart, &targets, &transform, at));
    if pointed.is_some() {
        ui.set_cursor_icon(CursorIcon::PointingHand);
    }
    let chosen = pointed.filter(|_| response.clicked()).or(read.filter(|_| is_chosen));
    let picked = chosen.map(|target| target.pick.clone());
    range::row_ui(ui, chart, &mut view.range);
    (response, picked)
}

/// Draws axes and contents, and highlights the bar or point at the keyboard cursor.
fn plot_ui(
    ui: &mut Ui,
    (chart, marked, dimmed): MarkedPoint<'_>,
    (id, link): (Id, Option<Id>),
    height: f32,
    view: &ChartView,
    read: Option<&Target>,
) -> (Response, PlotTransform) {
    let tokens = Tokens::of(ui);
    let plane = Plane {
        look: Look { has_wheel: false, link, sides: view.sides, ..Look::new(id, height) },
        x: direction(chart, &chart.x, true),
        y: direction(chart, &chart.y, false),
    };
    let hidden = view.hidden;
    plane.show(
        ui,
        |hover| readout(chart, hidden, hover),
        |plot| {
            add(plot, chart, hidden, tokens);
            if !marked.is_empty() {
                let look = tokens.series(1);
                let (shape, is_filled) = marker(look.mark);
                let places =
                    marked.iter().map(|&(x, y)| [chart.x.position(x), chart.y.position(y)]);
                let marks = Points::new("marked", places.collect::<PlotPoints<'_>>());
                let marks = marks.shape(shape).filled(is_filled).color(look.color);
                plot.points(marks.radius(size::MARK - 1.0).allow_hover(false));
            }
            ends::add(plot, chart, (dimmed, view.dragged), tokens);
            if let Some(range) = view.range {
                range::add(plot, chart, range, tokens);
            }
            if let Some(target) = read {
                let ring = Points::new("read", vec![[target.at.x, target.at.y]]).filled(false);
                let ring = ring.radius(size::MARK + 2.0).color(tokens.acc);
                plot.points(ring.allow_hover(false));
            }
        },
    )
}

fn direction<'a>(chart: &'a Chart, of: &'a chart::Axis, is_vertical: bool) -> Direction<'a> {
    let limits = chart.limits.iter().filter(|limit| limit.is_vertical == is_vertical);
    let mut margin: Vec<(f64, String)> =
        limits.map(|limit| (of.position(limit.at), limit.marked_label(icons::STAR_FILL))).collect();
    margin.extend(of.zones.iter().map(|zone| {
        let middle = f64::midpoint(of.position(zone.from), of.position(zone.to));
        (middle, zone.grade.word().to_owned())
    }));
    let range = (of.position(of.from), of.position(of.to));
    Direction { axis: of.kind(), range, label: of.title, names: &of.names, margin }
}

/// Draws charts below each other; charts of half width share a row if there is enough space.
pub fn charts_ui(ui: &mut Ui, of: (&str, &str), charts: &[Chart]) {
    pickable_charts_ui(ui, of, (charts, false));
}

/// Draws charts like [`charts_ui`]. If `can_pick`, the user can select bars and points; returns the
/// bar or point that was selected.
pub fn pickable_charts_ui(
    ui: &mut Ui,
    (page, run): (&str, &str),
    (charts, can_pick): (&[Chart], bool),
) -> Option<ChartPick> {
    let is_wide = size::MEDIUM_FROM <= ui.content_rect().width();
    let has_controls = has_controls(ui);
    let drawn: Vec<&Chart> =
        charts.iter().filter(|chart| !matches!(chart.marks, Marks::Heat(_))).collect();
    let mut rest = drawn.as_slice();
    let mut picked = None;
    while let [first, others @ ..] = rest {
        let card = |chart| {
            let card = ChartCard { can_pick, ..ChartCard::new((page, run), chart) };
            if can_pick && has_controls { ChartCard { note: PICK, ..card } } else { card }
        };
        let (chosen, left) = match others {
            [second, others @ ..] if is_wide && first.is_half && second.is_half => {
                (pair_ui(ui, card(first), card(second)), others)
            }
            others => (card(first).show(ui, |_| {}), others),
        };
        picked = picked.or(chosen);
        rest = left;
    }
    picked
}

/// Draws two charts next to each other; returns the bar or point that was selected in one of them.
fn pair_ui(ui: &mut Ui, left: ChartCard<'_>, right: ChartCard<'_>) -> Option<ChartPick> {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_CARD;
        let width = ((ui.available_width() - size::GAP_CARD) / 2.0).floor();
        let down = Layout::top_down(Align::Min);
        let room = vec2(width, left.height);
        let one = ui.allocate_ui_with_layout(room, down, |ui| left.show(ui, |_| {})).inner;
        let other = ui.vertical(|ui| right.show(ui, |_| {})).inner;
        one.or(other)
    })
    .inner
}
