//! Activity around late frames: one lane per CPU shows what ran on the CPU, and one lane shows the
//! state of the measuring thread.

mod pieces;

use eframe::egui::{
    Align2, Color32, CornerRadius, Painter, Rect, Response, Sense, Stroke, Ui, pos2, vec2,
};
use egui_plot::{
    Bar, BarChart, HoverPosition, LineStyle, PlotPoint, PlotTransform, PlotUi, Span, VLine,
};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Lanes;

use self::pieces::{Piece, Style};
use super::axis::AxisKind;
use super::menu::{PlotTable, menu};
use super::plane::{Direction, Look, Plane, describe};
use super::timeline::{SIDES, Timeline};
use crate::text;
use crate::theme::{Tokens, Type};
use crate::widgets::paint::hatch;

/// Height of a lane, and total height of the text above and below the lanes, in points.
const ROW: f32 = 22.0;
const WORDS: f32 = 40.0;
/// Height of the lines that connect the lanes to the timeline.
const JOIN: f32 = 10.0;
/// Height of a segment as a share of its row.
const THICK: f64 = 0.8;
/// Time range that is shown around a single frame, relative to its due time.
const AROUND: (Nanos, Nanos) = (Nanos::from_millis(-4), Nanos::from_millis(6));
/// Maximum visible time range, in seconds, at which the lanes share the axis of the timeline.
const SHARED: f64 = 0.2;

/// The position of a late frame in its trial, and its lanes.
pub type FrameLanes = (usize, Lanes);

/// The horizontal axis of the lanes.
#[derive(Clone, Copy, Debug)]
enum Across {
    /// Nanoseconds relative to the due time of one frame.
    Around(Nanos),
    /// Seconds, as on the axis of the timeline.
    Shared,
}

impl Across {
    fn place(self, at: Nanos) -> f64 {
        match self {
            Self::Around(due) => (at - due).as_f64(),
            Self::Shared => at.as_secs(),
        }
    }
}

/// Returns the visible time range in seconds if it is short enough for the lanes of all visible
/// late frames to share the axis of the timeline.
pub fn shared_time(ui: &Ui, timeline: &Timeline) -> Option<(f64, f64)> {
    timeline.moved_time(ui.ctx()).filter(|(from, to)| to - from <= SHARED)
}

/// Returns the height of the lanes of these frames.
pub fn occupants_height(frames: &[FrameLanes]) -> f32 {
    if frames.is_empty() { 0.0 } else { ROW * rows(&pieces::cpus(frames)) + WORDS + JOIN }
}

fn rows(cpus: &[u32]) -> f32 {
    f32::from(u16::try_from(cpus.len() + 1).unwrap_or(u16::MAX))
}

/// Draws the lanes of one frame, or of all visible frames if the lanes share the axis of the
/// timeline. `whole` is the initial time range of the timeline, in seconds.
pub fn occupants_ui(ui: &mut Ui, timeline: &Timeline, whole: (f64, f64), frames: &[FrameLanes]) {
    let Some((first, lanes)) = frames.first() else { return };
    let tokens = Tokens::of(ui);
    let is_shared = shared_time(ui, timeline).is_some();
    let across = if is_shared { Across::Shared } else { Across::Around(lanes.due) };
    let cpus = pieces::cpus(frames);
    let mut names: Vec<String> = cpus.iter().map(|cpu| format!("CPU {cpu}")).collect();
    names.push("Frame loop".to_owned());
    let pieces: Vec<Piece> =
        frames.iter().flat_map(|(_, lanes)| pieces::of(lanes, &cpus)).collect();
    let rows = rows(&cpus);
    let id = if is_shared {
        timeline.id.with("lanes")
    } else {
        join(ui, timeline, lanes);
        timeline.id.with(("lanes", first))
    };
    let late = text::format_time(lanes.woke - lanes.due);
    let margin = match across {
        Across::Around(_) => {
            vec![(0.0, "due".to_owned()), (across.place(lanes.woke), format!("woke, {late} late"))]
        }
        Across::Shared => Vec::new(),
    };
    let range = match across {
        Across::Around(due) => {
            let to = (due + AROUND.1).max(lanes.done + Nanos::from_millis(1));
            (AROUND.0.as_f64(), across.place(to))
        }
        Across::Shared => whole,
    };
    let axis = if is_shared { AxisKind::Time } else { AxisKind::Nanos };
    let plane = Plane {
        look: Look {
            link: is_shared.then(|| timeline.link()),
            sides: Some(SIDES),
            ..Look::new(id, ROW * rows + WORDS)
        },
        x: Direction { margin, ..Direction::new(axis, range, "") },
        y: Direction::rows(&names, rows),
    };
    let (response, transform) = plane.show(
        ui,
        |hover| match hover {
            HoverPosition::Elsewhere { position } => {
                pieces::at(&pieces, across, lanes.due, (position.x, position.y))
            }
            HoverPosition::NearDataPoint { .. } => None,
        },
        |plot| add(plot, tokens, frames, &pieces, across),
    );
    overlay(ui, tokens, &response, &transform, (&pieces, across));
    let number = text::format_count(u64::try_from(*first).unwrap_or(0) + 1);
    describe(&response, &format!("Who had the CPU around frame {number}: {}", summary(&pieces)));
    menu(&response, id, || table(&number, &pieces, lanes.due), None);
}

/// Draws lines from the ends of the lanes to the position of their frame in the timeline.
fn join(ui: &mut Ui, timeline: &Timeline, lanes: &Lanes) {
    let room = vec2(ui.available_width(), JOIN);
    let (rect, _) = ui.allocate_exact_size(room, Sense::hover());
    let Some(x) = timeline.place_of(lanes.woke.as_secs()) else { return };
    let stroke = Stroke::new(1.0, Tokens::of(ui).acc);
    let (left, right) = (rect.left() + SIDES.0, rect.right() - SIDES.1);
    for end in [left, right] {
        ui.painter().line_segment([pos2(x, rect.top()), pos2(end, rect.bottom())], stroke);
    }
}

fn add(
    plot: &mut PlotUi<'_>,
    tokens: &Tokens,
    frames: &[FrameLanes],
    pieces: &[Piece],
    across: Across,
) {
    for (_, lanes) in frames {
        let (due, woke) = (across.place(lanes.due), across.place(lanes.woke));
        let late = Span::new("", due..=woke).fill(tokens.fair.gamma_multiply(0.10));
        plot.span(late.border_width(0.0));
        let line = |at: f64, color: Color32| VLine::new("", at).color(color).allow_hover(false);
        plot.vline(line(due, tokens.target).style(LineStyle::dashed_dense()));
        plot.vline(line(woke, tokens.fair));
    }
    let bars = pieces.iter().filter(|piece| piece.style != Style::Open).map(|piece| {
        let (from, to) = (across.place(piece.from), across.place(piece.to));
        let color = piece.color(tokens);
        let fill = match piece.style {
            Style::Filled => color,
            Style::Hatched | Style::Outlined | Style::Open => Color32::TRANSPARENT,
        };
        Bar::new(f64::from(piece.row) + 0.5, to - from)
            .base_offset(from)
            .width(THICK)
            .fill(fill)
            .stroke(Stroke::new(1.0, color))
    });
    let chart = BarChart::new("lanes", bars.collect()).horizontal();
    plot.bar_chart(chart.allow_hover(false));
}

/// Draws over the plot what `egui_plot` has no items for: hatching, dotted lines, and the names of
/// segments that are wide enough.
fn overlay(
    ui: &Ui,
    tokens: &Tokens,
    response: &Response,
    transform: &PlotTransform,
    (pieces, across): (&[Piece], Across),
) {
    let painter = ui.painter().with_clip_rect(response.rect);
    for piece in pieces {
        let at = |nanos: Nanos, row: f64| {
            transform.position_from_point(&PlotPoint::new(across.place(nanos), row))
        };
        let top = f64::from(piece.row) + (1.0 - THICK) / 2.0;
        let place = Rect::from_two_pos(at(piece.from, top), at(piece.to, top + THICK));
        let place = place.intersect(response.rect);
        if !place.is_positive() {
            continue;
        }
        match piece.style {
            Style::Hatched => hatch(&painter.with_clip_rect(place), place, piece.color(tokens)),
            Style::Open => dotted(&painter, place, tokens.t3),
            Style::Filled | Style::Outlined => {}
        }
        name_ui(&painter, tokens, place, piece);
    }
}

fn dotted(painter: &Painter, place: Rect, color: Color32) {
    let mut x = place.left();
    while x < place.right() {
        painter.circle_filled(pos2(x, place.center().y), 0.8, color);
        x += 5.0;
    }
}

fn name_ui(painter: &Painter, tokens: &Tokens, place: Rect, piece: &Piece) {
    let ink = if piece.style == Style::Filled { tokens.plot } else { tokens.t1 };
    let galley = painter.layout_no_wrap(piece.name.clone(), Type::Axis.font(), ink);
    if place.width() < galley.size().x + 8.0 {
        return;
    }
    if piece.style != Style::Filled {
        let behind = Rect::from_center_size(place.center(), galley.size() + vec2(6.0, 0.0));
        painter.rect_filled(behind, CornerRadius::ZERO, tokens.plot);
    }
    let at = Align2::CENTER_CENTER.anchor_size(place.center(), galley.size());
    painter.galley(at.min, galley, ink);
}

/// Returns the names and durations of the six longest segments.
fn summary(pieces: &[Piece]) -> String {
    let mut longest: Vec<&Piece> =
        pieces.iter().filter(|piece| piece.style != Style::Open).collect();
    longest.sort_by_key(|piece| piece.from - piece.to);
    let words = longest.iter().take(6);
    let words: Vec<String> = words
        .map(|piece| format!("{} {}", piece.name, text::format_time(piece.to - piece.from)))
        .collect();
    words.join(", ")
}

fn table(number: &str, pieces: &[Piece], due: Nanos) -> PlotTable {
    let micros = |time: Nanos| format!("{:.1}", time.as_micros());
    let row = |piece: &Piece| {
        let (start, length) = (micros(piece.from - due), micros(piece.to - piece.from));
        vec![piece.lane.clone(), start, length, piece.name.clone(), piece.about.clone()]
    };
    PlotTable {
        title: format!("Who had the CPU around frame {number}"),
        header: ["Lane", "Start (µs)", "Length (µs)", "Who", "Priority"]
            .map(str::to_owned)
            .to_vec(),
        rows: pieces.iter().map(row).collect(),
    }
}
