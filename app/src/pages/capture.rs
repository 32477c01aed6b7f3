//! The page of an imported run: its summary, its recordings, and the information in the file.

mod plots;
mod recorded;
mod scope;

use eframe::egui::{Rect, Ui};
use jitterscope_engine::export::machine_lines;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{
    CaptureFigures, FrameFigures, LogFigures, SLOW_BELOW_FPS, format_position, longest,
};
use jitterscope_engine::report::{CaptureView, RecordingFigures};
use jitterscope_engine::run::{Capture, Run};
use jitterscope_engine::stats::{LowDefinition, Lows};
use jitterscope_engine::store::edit::MAX_NOTE;

use super::export::export_buttons;
use super::page_frame;
use crate::plots::axis::float;
use crate::session::{Action, LoadedRun, PageId, Session, Subject};
use crate::text::{self, Unit};
use crate::theme::{Tokens, Type, icon, icons, size};
use crate::widgets::{
    BarPart, Card, FollowFocus as _, ResultTable, Severity, Spans, TableLayout, Tile, VerdictStrip,
    link, result_area, tile_row,
};
use plots::Plots;

/// The layout of the table of recordings: all columns that are not optional.
const RECORDINGS: TableLayout = TableLayout { compared: Some(&[]), ..TableLayout::of(&["label"]) };

/// Suffix of the definition of the 1% low that is selected in the settings.
const SELECTED: &str = " (selected)";

/// Maximum number of lines of a note on the page; a file may have any number.
const MAX_LINES: usize = 100;

/// Width of the two value columns together in the table of 1% and 0.1% lows, in points.
const VALUES: f32 = 150.0;

/// The page of an imported run.
#[derive(Debug, Default)]
pub struct CapturePage {
    /// The ID of the shown run, and the position of the selected recording in this run.
    selected: (String, usize),
    plots: Plots,
    /// The unit of times in tables.
    unit: Unit,
    /// What was asked last of the shown run.
    asked: CaptureView,
    /// The definition of the 1% low in the settings, as it was used last.
    low: Option<LowDefinition>,
    /// Whether the user wants to record a game, which shows the causes of stutters.
    is_record_wanted: bool,
}

impl CapturePage {
    /// Draws the page of the open imported run; draws nothing if none is open.
    pub fn ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let Some(shown) = &session.running.capture else { return };
        self.unit = session.settings().units;
        result_area(self.selected.0 != shown.run.id.as_str()).show_focus(ui, |ui| {
            page_frame().show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = size::GAP_CARD;
                self.select_longest(shown);
                strip_ui(ui, shown, self.selected.1, actions);
                let view = &session.running.view;
                let before = self.follow(view, session.settings().low);
                self.body_ui(ui, shown, true);
                if self.asked != before {
                    let asked = Box::new(self.asked.clone());
                    actions.push(Action::ViewCapture(asked));
                }
                if std::mem::take(&mut self.is_record_wanted) {
                    actions.push(Action::GoTo(PageId::Record));
                }
            });
        });
    }

    /// Follows what is asked of the run, also when it was opened again, and the settings; returns what was asked so far.
    fn follow(&mut self, view: &CaptureView, low: LowDefinition) -> CaptureView {
        if self.asked != *view {
            self.asked = view.clone();
            self.low = None;
        }
        let before = self.asked.clone();
        if self.low != Some(low) {
            self.low = Some(low);
            self.asked.low = low;
        }
        before
    }

    /// Draws the imported run without the verdict strip.
    pub(super) fn result_ui(&mut self, ui: &mut Ui, shown: &LoadedRun) {
        self.asked = shown.report.options.capture.clone();
        self.body_ui(ui, shown, false);
    }

    /// Draws the table of all recordings of the file.
    fn recordings_ui(&mut self, ui: &mut Ui, shown: &LoadedRun) {
        let Some(table) = shown.report.tables.first() else { return };
        let table = ResultTable {
            note: &format!("by {}", shown.run.app_version),
            unit: self.unit,
            selected: Some(self.selected.1),
            ..ResultTable::new("capture", table, RECORDINGS)
        };
        let response = table.show(ui);
        self.selected.1 = response.selected.unwrap_or(self.selected.1);
    }

    /// Selects the longest recording of a newly shown run.
    fn select_longest(&mut self, shown: &LoadedRun) {
        let id = shown.run.id.as_str();
        if self.selected.0 != id {
            let recordings = shown.report.results::<RecordingFigures>();
            let longest = longest(recordings).map(|longest| longest.position);
            let place = recordings.iter().position(|one| Some(one.position) == longest);
            self.selected = (id.to_owned(), place.unwrap_or_default());
        }
    }

    fn body_ui(&mut self, ui: &mut Ui, shown: &LoadedRun, can_change: bool) {
        self.select_longest(shown);
        let recording = shown.report.results::<RecordingFigures>().get(self.selected.1);
        match recording {
            Some(recording) if can_change => {
                scope::pauses_strip_ui(ui, recording, &mut self.asked);
                scope::scope_bar_ui(ui, recording, &mut self.asked);
            }
            None if can_change => scope::no_frames_ui(ui, &mut self.asked),
            _ => {}
        }
        let low = self.asked.low;
        let figures = recording.map(|one| &one.figures);
        match figures {
            Some(CaptureFigures::Frames(frames)) => {
                tiles_ui(ui, frames, low, can_change.then_some(&mut self.asked.low));
            }
            Some(CaptureFigures::SampledLog(log)) if log.average_fps.is_some() => {
                log_tiles_ui(ui, log);
            }
            Some(CaptureFigures::Ticks(_) | CaptureFigures::SampledLog(_)) => {
                key_tiles_ui(ui, shown);
            }
            _ => {}
        }
        // A single recording is in the tiles: its table is below the plots.
        let is_one = shown.report.results::<RecordingFigures>().len() == 1;
        if !is_one {
            self.recordings_ui(ui, shown);
        }
        let selected = self.plots.ui(ui, shown, self.selected.1);
        if is_one {
            self.recordings_ui(ui, shown);
        }
        if let Some((from, to)) = selected.filter(|_| can_change) {
            let end = recording.and_then(|one| Some(one.scope.as_ref()?.end)).unwrap_or(to);
            self.asked.from = Some(from).filter(|from| Nanos::ZERO < *from);
            self.asked.to = Some(to).filter(|to| *to < end);
        }
        let limits = match figures {
            // Of several recordings, the table has them all, and a bar would be of one.
            Some(CaptureFigures::Frames(frames)) if is_one => frames.limits.as_slice(),
            _ => &[],
        };
        let bar = limits.iter().map(|limit| BarPart {
            name: limit.by.label(),
            amount: limit.share,
            color: self.plots.limiter_color(limit.by, Tokens::of(ui)),
        });
        let bar: Vec<BarPart<'_>> = bar.collect();
        for table in shown.report.tables.iter().skip(1) {
            let table = ResultTable {
                unit: self.unit,
                bar: if table.key == "limits" { &bar } else { &[] },
                ..ResultTable::new(table.key, table, TableLayout::of(&[]))
            };
            table.show(ui);
        }
        let missing = missing_parts(&shown.run, figures);
        let leads_on = can_change.then_some(&mut self.is_record_wanted);
        let Some(CaptureFigures::Frames(frames)) = figures else {
            note_ui(ui, &shown.run, &missing, leads_on);
            return;
        };
        ui.columns(2, |columns| {
            let [left, right] = columns else { return };
            lows_ui(left, frames, low);
            note_ui(right, &shown.run, &missing, leads_on);
        });
    }
}

fn strip_ui(ui: &mut Ui, shown: &LoadedRun, selected: usize, actions: &mut Vec<Action>) {
    let report = &shown.report;
    let is_log = report
        .results::<RecordingFigures>()
        .iter()
        .any(|one| matches!(one.figures, CaptureFigures::SampledLog(_)));
    let severity = if is_log { Severity::Fair } else { Severity::Info };
    // The bar below states the part of the selected recording, which can be another one than that of the sentence.
    let recording = report.results::<RecordingFigures>().get(selected);
    let scope = recording.and_then(|one| one.scope.as_deref());
    let is_stated = scope.is_some_and(|scope| scope.caption() == report.verdict.finding.part);
    // Without the advice, which names an option of the command line: the page has a button for it.
    let sentence = report.sentence();
    let evidence =
        if is_stated { report.verdict.numbers_without_part() } else { report.verdict.numbers() };
    VerdictStrip::new(severity, "").sentence(&sentence).evidence(&evidence).show(ui, |ui| {
        export_buttons(ui, &Subject::Result(shown.run.subject.key()), actions);
    });
}

/// Draws the tiles of the lows by the definition `low`, and of all other figures. The tile of the 1% low has a menu that
/// changes `asked`, if it can be changed.
fn tiles_ui(
    ui: &mut Ui,
    frames: &FrameFigures,
    low: LowDefinition,
    asked: Option<&mut LowDefinition>,
) {
    let times = &frames.frame_time;
    let missing = || (text::MISSING.to_owned(), "");
    let by = |lows: Option<Lows>, rule: &str, needed: &str| match lows {
        Some(lows) => ((format!("{:.1}", lows.by(low)), "FPS"), rule.to_owned()),
        None => (missing(), needed.to_owned()),
    };
    let time = |value: Option<Nanos>, context: &str, needed: &str| match value {
        Some(value) => (text::time_parts(value), context.to_owned()),
        None => (missing(), needed.to_owned()),
    };
    let count = text::count_text(times.count, "frames");
    let frames_count = float(u64::try_from(times.count).unwrap_or(u64::MAX));
    let length = Nanos::from_nanos_f64(times.mean_nanos * frames_count);
    let length = format!("{count}, {}", text::format_clock(length));
    let stutter = (text::format_share(frames.stutter.share), "of the time");
    let at = format!("at {}", format_position(frames.max_at));
    let std_dev = times.std_dev_nanos.map(Nanos::from_nanos_f64);
    let (hundred, thousand) = ("needs 100 frames", "needs 1\u{202f}000 frames");
    let places = tiles_of(
        ui,
        &[
            ("Average", ((format!("{:.1}", frames.average_fps), "FPS"), length)),
            ("1% low", by(frames.one_percent_low, text::low::short(low), hundred)),
            ("0.1% low", by(frames.tenth_percent_low, "by the same rule", thousand)),
            ("Stutter", (stutter, text::count_text(frames.stutter.count, "frames"))),
            ("p50", time(Some(times.p50), "frame time", "")),
            ("p99", time(times.p99, "frame time", hundred)),
            ("Max", time(Some(times.max), &at, "")),
            ("Std dev", time(std_dev, "frame time", "needs 2 frames")),
        ],
    );
    if let Some((place, asked)) = places.get(1).zip(asked) {
        scope::low_menu_ui(ui, *place, asked);
    }
}

/// A value and its unit, and the line below.
type TileText = ((String, &'static str), String);

/// Draws tiles; returns their places.
fn tiles_of(ui: &mut Ui, tiles: &[(&str, TileText)]) -> Vec<Rect> {
    let tiles = tiles
        .iter()
        .map(|(label, ((value, unit), context))| Tile::new(label, value, unit).context(context));
    tile_row(ui, &tiles.collect::<Vec<Tile<'_>>>())
}

/// Draws the figures that the report shows first as tiles.
fn key_tiles_ui(ui: &mut Ui, shown: &LoadedRun) {
    let figures = shown.report.key_figures(&shown.run);
    let tiles =
        figures.iter().map(|one| Tile::new(one.title, &one.value, &one.unit).context(&one.context));
    tile_row(ui, &tiles.collect::<Vec<Tile<'_>>>());
}

/// Draws the tiles of a log that has a reading per interval instead of every frame. Statistics that
/// require every frame are shown as missing.
fn log_tiles_ui(ui: &mut Ui, log: &LogFigures) {
    let missing = || ((text::MISSING.to_owned(), ""), "needs every frame".to_owned());
    let count = text::count_text(log.count, "readings");
    let average = match log.average_fps {
        Some(fps) => (format!("{fps:.1}"), "FPS"),
        None => missing().0,
    };
    let reading = |time: Nanos| (text::time_parts(time), "not of every frame".to_owned());
    tiles_of(
        ui,
        &[
            ("Average", (average, count)),
            ("1% low", missing()),
            ("0.1% low", missing()),
            ("Stutter", missing()),
            ("Min reading", reading(log.min)),
            ("p50 reading", reading(log.p50)),
            ("p99", missing()),
            ("Max reading", reading(log.max)),
        ],
    );
}

/// Draws the 1% and 0.1% lows by every definition, and the share of frames below common frame
/// rates.
fn lows_ui(ui: &mut Ui, frames: &FrameFigures, used: LowDefinition) {
    let rate = |lows: Option<Lows>, by| {
        lows.map_or_else(|| text::MISSING.to_owned(), |lows| format!("{:.1}", lows.by(by)))
    };
    let mut lines: Vec<[String; 3]> = LowDefinition::ALL
        .into_iter()
        .map(|by| {
            let mark = if by == used { SELECTED } else { "" };
            let name = format!("{}{mark}", text::low::name(by));
            [name, rate(frames.one_percent_low, by), rate(frames.tenth_percent_low, by)]
        })
        .collect();
    lines.insert(0, ["Definition", "1% low", "0.1% low"].map(str::to_owned));
    lines.push(["Slow frames", "Frames", "Of the time"].map(str::to_owned));
    for (slow, fps) in frames.slow.iter().zip(SLOW_BELOW_FPS) {
        let count = text::format_count(slow.count);
        lines.push([format!("Slower than {fps} FPS"), count, text::format_share(slow.time_share)]);
    }
    let card = Card::new("Lows by definition").note("FPS; the same frames, different rules");
    card.show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        // Values are never truncated; a name gets the remaining width.
        let room = (ui.available_width() - VALUES).max(size::TARGET);
        eframe::egui::Grid::new("lows").num_columns(3).striped(true).show(ui, |ui| {
            for [name, one, tenth] in &lines {
                let style = if one.contains("low") || one == "Frames" {
                    Type::TableStrong
                } else {
                    Type::Table
                };
                Spans::plain(style, name, tokens.t1).label_within(ui, room);
                for cell in [one, tenth] {
                    Spans::plain(style, cell, tokens.t1).whole_label(ui);
                }
                ui.end_row();
            }
        });
    });
}

/// Returns what a file of this kind does not contain, with the reason; the last is what a recording shows, if it is of
/// frames.
fn missing_parts(run: &Run, figures: Option<&CaptureFigures>) -> Vec<&'static str> {
    let mut parts = match run.capture() {
        Some(Capture::Frames(_)) => {
            vec!["Lateness and missed frames: no schedule", "Schedule grade: needs lateness"]
        }
        Some(Capture::SampledLog(_)) => {
            vec!["Percentiles, lows, and stutter: not every frame is in the file"]
        }
        Some(Capture::SampledTicks(_)) => {
            vec!["Percentiles and long ticks: not every tick is in the file"]
        }
        Some(Capture::Histogram(_)) => vec!["When each latency occurred: only counts"],
        Some(Capture::Ticks(_)) | None => Vec::new(),
    };
    let has_limits = |frames: &FrameFigures| !frames.limits.is_empty();
    if matches!(figures, Some(CaptureFigures::Frames(frames)) if !has_limits(frames)) {
        parts.push("What limits the frames: no busy times of CPU and GPU");
    }
    parts.push(match run.capture() {
        Some(Capture::Histogram(_)) => "Causes of long latencies: no switch records",
        Some(Capture::Ticks(_) | Capture::SampledTicks(_)) => {
            "Causes of long ticks: no switch records"
        }
        _ => "Causes of stutters: no switch records",
    });
    parts
}

/// Draws the information in the file, the rows that could not be read, and what the file does not contain. The way to a
/// recording, which has the causes of stutters, sets `is_record_wanted`; `None` if nothing can be changed.
fn note_ui(ui: &mut Ui, run: &Run, missing: &[&str], is_record_wanted: Option<&mut bool>) {
    Card::new("About this file").show_plain(ui, |ui| {
        let tokens = Tokens::of(ui);
        let width = ui.available_width();
        for (name, value) in machine_lines(run) {
            Spans::plain(Type::LabelStrong, name, tokens.t1)
                .gap(size::GAP_FIELD)
                .text(Type::Small, &value, tokens.t2)
                .paragraph_within(ui, width);
        }
        let end = run.note.char_indices().nth(MAX_NOTE).map_or(run.note.len(), |(end, _)| end);
        let note = run.note.get(..end).unwrap_or_default();
        for line in note.lines().take(MAX_LINES) {
            Spans::plain(Type::Small, line, tokens.t2).paragraph_within(ui, width);
        }
        if end < run.note.len() || MAX_LINES < note.lines().count() {
            Spans::plain(Type::Small, "…", tokens.t2).paragraph_within(ui, width);
        }
        for line in missing {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
                ui.label(icon(icons::PROHIBIT, size::ICON_SMALL).color(tokens.t2));
                Spans::plain(Type::Small, line, tokens.t2).label(ui);
            });
        }
        let is_of_frames =
            matches!(run.capture(), Some(Capture::Frames(_) | Capture::SampledLog(_)));
        if let Some(is_wanted) = is_record_wanted.filter(|_| is_of_frames) {
            *is_wanted |= link(ui, "Record while you play").clicked();
        }
    });
}
