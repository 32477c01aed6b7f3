//! Lateness over time: a stem and a mark by cause for each late frame, and a dot for each other frame.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::super::sanitize::{NOTE, html};
use super::super::svg::dots::dots;
use super::super::svg::mark;
use super::fluid::{Fluid, percent};
use super::section;
use crate::nanos::Nanos;
use crate::report::chart::{self, Axis};
use crate::report::table::Quantity;
use crate::report::{Cause, Configuration, Mark, late_samples};
use crate::run::Run;
use crate::stats::thinned;
use crate::units::{format_count, format_share, format_time};

/// Up to this number of late frames, all are marked. If there are more, only the frame with the highest
/// lateness of each cause in each 1/400 of the width is marked.
const MAX_MARKS: usize = 400;
/// The number of columns to which the dots are reduced; each preserves its first, min, max, and last dot.
const COLUMNS: usize = 1_000;
/// Top and bottom of the plot, then the total height including axis labels, in pixels.
const PLOT: (f64, f64) = (24.0, 192.0);
const HEIGHT: f64 = 214.0;
/// Vertical position in pixels of the line at a lateness of one frame, if the axis ends below one frame.
const ABOVE: f64 = 11.0;
/// If max lateness is below this share of a frame, the vertical axis ends below one frame, and a break is drawn above
/// its end.
const BREAK_BELOW: f64 = 0.6;

/// Returns the mark of a cause as an SVG icon for a line of text.
pub(super) fn glyph(cause: Cause) -> String {
    let (key, mark, _) = cause.row().look;
    let mark = mark::id(mark);
    format!(
        "<svg class=\"mk k-{key}\" aria-hidden=\"true\"><use href=\"#{mark}\" x=\"6.5\" y=\"6\"/></svg>"
    )
}

/// A late frame.
struct Late {
    at: Nanos,
    lateness: Nanos,
    cause: Cause,
    title: String,
}

impl Late {
    fn stem(&self) -> Stem<'_> {
        let (key, mark, _) = self.cause.row().look;
        Stem { at: (self.at.as_f64(), self.lateness.as_f64()), key, mark, title: &self.title }
    }
}

/// All frames of a configuration. Its trials follow each other on one time axis.
struct Frames {
    late: Vec<Late>,
    on_time: Vec<(Nanos, Nanos)>,
    end: Nanos,
    max: Nanos,
}

impl Frames {
    fn of(run: &Run, row: &Configuration) -> Self {
        let mut found =
            Self { late: Vec::new(), on_time: Vec::new(), end: Nanos::ZERO, max: Nanos::ZERO };
        for trial in chart::trials(run, row) {
            let start = found.end;
            for sample in trial.samples.iter() {
                found.max = found.max.max(sample.late());
                if sample.late() <= row.late_limit {
                    found.on_time.push((start + sample.woke, sample.late()));
                }
            }
            found.late.extend(late_samples(trial, row.late_limit).into_iter().map(|late| {
                let who = late.account.largest().filter(|largest| largest.0 == late.cause);
                let who = who.and_then(|(_, culprit, _)| Some(culprit?.source().to_owned()));
                let origin = late.origin().map_or_else(String::new, |name| format!(" ({name})"));
                let who = who.unwrap_or_else(|| format!("{}{origin}", late.cause.label()));
                let lateness = late.sample.late();
                let secs = late.sample.woke.as_secs();
                let title = format!(
                    "Frame {} at {secs:.2} s: {} late, {who}",
                    format_count(late.index + 1),
                    format_time(lateness)
                );
                Late { at: start + late.sample.woke, lateness, cause: late.cause, title }
            }));
            found.end = trial.samples.last().map_or(start, |last| start + last.woke);
        }
        found
    }
}

/// Writes the section with the timeline of a configuration; `name` is empty if the run has only one configuration.
pub(super) fn write(
    run: &Run,
    row: &Configuration,
    name: &str,
    to: &mut dyn Write,
) -> io::Result<()> {
    let frames = Frames::of(run, row);
    let mut counts: BTreeMap<Cause, u64> = BTreeMap::new();
    for late in &frames.late {
        *counts.entry(late.cause).or_insert(0) += 1;
    }
    let mut legend = String::from("<ul class=\"legend right\">");
    for (cause, count) in &counts {
        let (glyph, label, count) = (glyph(*cause), cause.label(), format_count(*count));
        // Writing to a string cannot fail.
        let _ok = write!(legend, "<li>{glyph}{label} <b>{count}</b></li>");
    }
    let on_time = format_count(frames.on_time.len());
    let _ok = write!(
        legend,
        "<li><svg class=\"mk\" aria-hidden=\"true\"><circle cx=\"6.5\" cy=\"6\" r=\"1.6\" \
         fill=\"var(--mute)\"/></svg>On time <b>{on_time}</b></li></ul>"
    );
    let marks = shown(&frames);
    let note = if marks.len() < frames.late.len() {
        "lateness of each frame; of late ones, the highest of each cause and 1/400 of the width"
    } else {
        "lateness of each frame"
    };
    let note = if name.is_empty() { note.to_owned() } else { format!("{name}: {note}") };
    section("Timeline", &note, &legend, to)?;
    let drawing = drawing(&frames, &marks, row);
    writeln!(to, "<div class=\"plot hover time\">{drawing}</div></section>")
}

/// Returns the late frames that are marked.
fn shown(frames: &Frames) -> Vec<&Late> {
    if frames.late.len() <= MAX_MARKS {
        return frames.late.iter().collect();
    }
    let mut highest: BTreeMap<(i64, Cause), &Late> = BTreeMap::new();
    let column = (frames.end.get() / 400).max(1);
    for late in &frames.late {
        let known = highest.entry((late.at.get() / column, late.cause)).or_insert(late);
        if known.lateness < late.lateness {
            *known = late;
        }
    }
    highest.into_values().collect()
}

fn drawing(frames: &Frames, marks: &[&Late], row: &Configuration) -> String {
    let (period, limit) = (row.period.as_f64(), row.late_limit.as_f64());
    let is_broken = frames.max.as_f64() < BREAK_BELOW * period;
    let most = if is_broken {
        frames.max.as_f64().max(limit * 1.3)
    } else {
        frames.max.as_f64().max(period)
    };
    let y_axis = Axis::linear("", Quantity::Time, 0.0, most * 1.06);
    let x_axis = Axis::linear("", Quantity::Time, 0.0, frames.end.as_f64());
    let x = |at: f64| x_axis.place(at);
    let y = |value: f64| y_of(&y_axis, PLOT, value);
    let mut fluid = Fluid::default();
    fluid.y_axis(&y_axis, PLOT);
    fluid.x_axis(&x_axis, PLOT, false, false);
    let frame = if is_broken { ABOVE } else { y(period) };
    if is_broken {
        fluid.add("<path class=\"axis\" d=\"M-5 22h10M-5 18h10\" fill=\"none\"/>");
    }
    fluid.line("miss", (0.0, frame), (1.0, frame));
    let words = |fluid: &mut Fluid, class: &str, y: f64, lines: [&str; 2], short: &str| {
        for (line, dy) in lines.into_iter().zip([4.0, 17.0]) {
            fluid.word(&format!("{class} wide"), (1.0, 8.0), y + dy, "start", line);
        }
        fluid.word(&format!("{class} narrow halo"), (1.0, 0.0), y - 4.0, "end", short);
    };
    let length = format_time(row.period);
    words(
        &mut fluid,
        "tm",
        frame,
        ["Missed: one frame", &length],
        &format!("One frame ({length})"),
    );
    let (share, time) = (format_share(limit / period), format_time(row.late_limit));
    fluid.line("late", (0.0, y(limit)), (1.0, y(limit)));
    let late = format!("Late: {share} of a frame");
    words(&mut fluid, "tl", y(limit), [&late, &time], &format!("Late ({time})"));
    let dots = thinned(frames.on_time.iter().copied(), COLUMNS);
    let stems: Vec<Stem<'_>> = marks.iter().map(|late| late.stem()).collect();
    draw_values(&mut fluid, (&x_axis, &y_axis), (PLOT, HEIGHT), (&dots, &stems));
    let worst = frames.late.iter().max_by_key(|late| late.lateness);
    if let Some(worst) = worst {
        let at = x(worst.at.as_f64());
        let (dx, anchor) = if 0.85 < at { (-9.0, "end") } else { (9.0, "start") };
        let text = format_time(worst.lateness);
        fluid.word("halo b", (at, dx), y(worst.lateness.as_f64()) + 4.0, anchor, &text);
    }
    fluid.add("<circle class=\"ring\" r=\"8\"/>");
    let finding = format!(
        "{} of {} frames started more than {time} late; the highest lateness is {}.",
        format_count(frames.late.len()),
        format_count(frames.late.len() + frames.on_time.len()),
        format_time(frames.max)
    );
    fluid.finish(HEIGHT, "Lateness of each frame over time", &finding)
}

/// A marked value: a stem from the axis up to a mark.
pub(super) struct Stem<'a> {
    /// The time and the value, in nanoseconds.
    pub(super) at: (f64, f64),
    /// The key of the color.
    pub(super) key: &'a str,
    /// The mark at the end of the stem.
    pub(super) mark: Mark,
    /// The tooltip of the mark; may be empty.
    pub(super) title: &'a str,
}

/// Returns the y coordinate of a value between the top and the bottom of a plot.
pub(super) fn y_of(axis: &Axis, (top, bottom): (f64, f64), value: f64) -> f64 {
    bottom - (bottom - top) * axis.place(value)
}

/// Draws the dots and the stems of a timeline, `height` high, between the top and the bottom of `plot`.
pub(super) fn draw_values(
    fluid: &mut Fluid,
    (x_axis, y_axis): (&Axis, &Axis),
    (plot, height): ((f64, f64), f64),
    (points, stems): (&[(f64, f64)], &[Stem<'_>]),
) {
    let at = |&(at, value): &(f64, f64)| (x_axis.place(at), y_of(y_axis, plot, value));
    let mut paths: BTreeMap<&str, String> = BTreeMap::new();
    let mut marks = String::new();
    for stem in stems {
        let (x, y) = at(&stem.at);
        // Writing to a string cannot fail.
        let path = paths.entry(stem.key).or_default();
        let _ok = write!(path, "M{:.1} {}V{y:.1}", x * 1_000.0, plot.1);
        let title = match html(stem.title, NOTE) {
            title if title.is_empty() => title,
            title => format!("<title>{title}</title>"),
        };
        let (key, mark, x) = (stem.key, mark::id(stem.mark), percent(x));
        let _ok = writeln!(
            marks,
            "<use class=\"late-mark k-{key}\" href=\"#{mark}\" x=\"{x}\" y=\"{y:.1}\">{title}</use>"
        );
    }
    let dots = dots(points.iter().map(at).map(|(x, y)| (x * 1_000.0, y)));
    let mut body = format!("<path class=\"dots\" d=\"{dots}\"/>");
    for (key, path) in paths {
        let _ok = write!(body, "<path class=\"stem k-{key}\" d=\"{path}\"/>");
    }
    fluid.stretched(height, &body);
    fluid.add(marks.trim_end());
}
