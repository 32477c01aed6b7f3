//! The running check: finished parts, the current measurement, and its results so far.

use std::sync::Arc;
use std::time::Instant;

use eframe::egui::{Frame, Id, Margin, Rect, Sense, Stroke, Ui, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::report::quick::Card as PartCard;

use super::image::LivePlots;
use super::{QuickPage, two_columns};
use crate::pages::{severity_of, show_programs_ui};
use crate::plots::LiveWindow;
use crate::session::{Action, ActiveCheck, Live, LoadedRun, PartState, Session};
use crate::text;
use crate::theme::{Tokens, Type, icon, icons, paint_icon, size};
use crate::widgets::card::plain_card;
use crate::widgets::{Button, Card, Severity, Spans, Tile, right_aligned, tile_row};

/// Width of the list of parts, in points.
const LIST: f32 = 476.0;
/// Height of the live plot, in points.
const PLOT: f32 = 430.0;

impl QuickPage {
    /// Draws the running check.
    pub(super) fn running_ui(
        &mut self,
        ui: &mut Ui,
        session: &Session,
        check: &ActiveCheck,
        actions: &mut Vec<Action>,
    ) {
        let live = session.running.live().map(|(_, live)| live);
        if check.sequence.is_waiting_for_quiet() {
            // The next measurement starts with an empty plot.
            self.image = None;
        }
        if let Some(run) = live.and_then(|live| live.run.as_ref())
            && LivePlots::follow(&mut self.image, run, f64::from(session.settings().late_percent))
        {
            self.timeline.reset();
        }
        let begin = live
            .zip(self.image.as_ref())
            .map_or(Nanos::ZERO, |(live, image)| image.begin_of(live.current));
        let marks = live.into_iter().flat_map(Live::marks);
        self.timeline.marks = marks.map(|at| (begin + at).as_secs()).collect();
        two_columns(
            ui,
            -LIST,
            |ui| {
                list_ui(ui, check, live);
                hint_ui(ui);
                skip_ui(ui, session, check, actions);
            },
            |ui| {
                self.plot_ui(ui, check);
                if let Some(live) = live {
                    so_far_ui(ui, live);
                }
            },
        );
    }

    fn plot_ui(&mut self, ui: &mut Ui, check: &ActiveCheck) {
        let controls = |ui: &mut Ui| {
            let color = Tokens::of(ui).t2;
            Spans::plain(Type::Small, "lower is better", color).whole_label(ui);
        };
        let part = check.sequence.current();
        let note = if part == Part::FrameLoad { "live, under load" } else { "live" };
        let timeline = &mut self.timeline;
        Card::new(title_of(part)).note(note).height(PLOT).show(ui, controls, |ui| {
            let height = ui.available_height();
            let whole = check.sequence.planned_now().as_secs().max(1.0);
            let Some(image) = &self.image else {
                let is_waiting = check.sequence.is_waiting_for_quiet();
                let words = if is_waiting {
                    "Starts when other programs are quiet"
                } else {
                    "No samples yet"
                };
                let words = Type::Body.text(words).color(Tokens::of(ui).t3);
                ui.centered_and_justified(|ui| ui.label(words));
                return;
            };
            timeline.ui(ui, height, &image.data, LiveWindow::Running { secs: Some(whole) });
            // This page has no maximized plot, so that Esc must not be needed to restore it.
            timeline.is_enlarged = false;
        });
    }
}

/// Returns the title of the live plot of a part.
const fn title_of(part: Part) -> &'static str {
    match part {
        Part::Sleep => "Sleep overshoot",
        Part::FrameIdle | Part::FrameLoad => "Frame lateness",
        Part::Gaps => "Scheduling gaps",
        Part::Spin => "Spin overshoot",
    }
}

fn list_ui(ui: &mut Ui, check: &ActiveCheck, live: Option<&Live>) {
    let place = format!("{} of {}", check.sequence.current_index() + 1, check.sequence.parts.len());
    let controls = |ui: &mut Ui| {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Small, &place, color).whole_label(ui);
    };
    Card::new("Measurements").flush().show(ui, controls, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (part, state) in &check.sequence.parts {
            part_ui(ui, check, *part, state, live);
        }
    });
}

fn part_ui(ui: &mut Ui, check: &ActiveCheck, part: Part, state: &PartState, live: Option<&Live>) {
    let tokens = Tokens::of(ui);
    let is_running = matches!(state, PartState::Running);
    let top = ui.cursor().top();
    let fill = if is_running { tokens.sel } else { tokens.card };
    let margin = Margin::symmetric(size::CARD_PADDING + 2, size::CARD_PADDING - 2);
    Frame::new().fill(fill).inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
            lead_ui(ui, state);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.spacing_mut().interact_size.y = 0.0;
                ui.horizontal(|ui| {
                    let color =
                        if matches!(state, PartState::Waiting(_)) { tokens.t2 } else { tokens.t1 };
                    let name = Spans::plain(Type::Strong, part.name(), color);
                    name.whole_label(ui);
                    right_aligned(ui, part.key(), |ui| {
                        let words = state_words(check, part, state, live);
                        let words = Spans::plain(Type::Small, &words, tokens.t2);
                        words.whole_label(ui);
                    });
                });
                match state {
                    PartState::Running => now_ui(ui, check, live),
                    PartState::Done(shown) => {
                        let found = found(ui, part, shown);
                        Spans::plain(Type::Small, &found, tokens.t2).label(ui);
                    }
                    PartState::Quiet(found) => {
                        let words = text::live::waiting_for(found, check.sequence.limit);
                        Spans::plain(Type::Small, &words, tokens.t2).paragraph(ui);
                    }
                    PartState::Waiting(_) | PartState::Skipped => {}
                }
            });
        });
    });
    // The line is drawn last, so that the highlight of the running part does not cover it.
    ui.painter().hline(ui.max_rect().x_range(), top, Stroke::new(1.0, tokens.line));
}

/// Returns the result of a part in one line. The text is cached, because computing it may read a
/// whole trace.
fn found(ui: &Ui, part: Part, shown: &Arc<LoadedRun>) -> String {
    let id = Id::unique(("result of part", &shown.run.id, shown.run.trials.len()));
    if let Some(known) = ui.data(|data| data.get_temp(id)) {
        return known;
    }
    let card = PartCard::of(part, Some((&shown.run, &shown.report)));
    let found = text::quick::result(&card);
    ui.data_mut(|data| data.insert_temp(id, found.clone()));
    found
}

fn lead_ui(ui: &mut Ui, state: &PartState) {
    let tokens = Tokens::of(ui);
    match state {
        PartState::Done(shown) => {
            severity_of(shown.report.verdict.grade).icon_ui(ui, size::NAV_ICON);
        }
        PartState::Running => {
            let room = vec2(size::NAV_ICON, size::NAV_ICON);
            let (rect, _) = ui.allocate_exact_size(room, Sense::hover());
            paint_icon(ui.painter(), rect.center(), icons::PULSE, size::NAV_ICON, tokens.acc);
        }
        PartState::Waiting(_) | PartState::Quiet(_) => {
            Severity::NotMeasured.icon_ui(ui, size::NAV_ICON);
        }
        PartState::Skipped => {
            ui.label(icon(icons::PROHIBIT, size::NAV_ICON).color(tokens.t3));
        }
    }
}

/// Describes the progress of a part.
fn state_words(check: &ActiveCheck, part: Part, state: &PartState, live: Option<&Live>) -> String {
    match state {
        PartState::Waiting(_) => {
            format!("Waiting · {}", text::format_long_time(check.sequence.length(part)))
        }
        PartState::Quiet(_) => "Next".to_owned(),
        PartState::Running if check.sequence.is_ending() => "Stopping".to_owned(),
        PartState::Running => match live {
            None => "Saving".to_owned(),
            Some(live) => {
                let whole = check.sequence.planned_now();
                let now = live.elapsed(Instant::now()).min(whole);
                if check.sequence.continued.is_some() {
                    let left = text::format_long_time(whole - now);
                    return format!("measuring longer to decide, {left}");
                }
                format!("{:.1} of {:.0} s", now.as_secs(), whole.as_secs())
            }
        },
        PartState::Done(_) => "Done".to_owned(),
        PartState::Skipped => "Skipped".to_owned(),
    }
}

/// Draws a progress bar and the current measurement.
fn now_ui(ui: &mut Ui, check: &ActiveCheck, live: Option<&Live>) {
    let tokens = Tokens::of(ui);
    let whole = check.sequence.planned_now().as_f64().max(1.0);
    let share =
        live.map_or(1.0, |live| (live.elapsed(Instant::now()).as_f64() / whole).clamp(0.0, 1.0));
    let room = vec2(ui.available_width(), size::PROGRESS_BAR + size::GAP_LABEL);
    let (rect, _) = ui.allocate_exact_size(room, Sense::hover());
    let bar = Rect::from_min_max(rect.min + vec2(0.0, size::GAP_LABEL), rect.max);
    ui.painter().rect_filled(bar, 3, tokens.hov);
    let filled = crate::plots::axis::narrow(f64::from(bar.width()) * share);
    if 0.0 < filled {
        let filled = Rect::from_min_size(bar.min, vec2(filled, bar.height()));
        ui.painter().rect_filled(filled, 3, tokens.acc);
    }
    let words = live.map_or_else(|| "Saving and evaluating the run".to_owned(), what_words);
    Spans::plain(Type::Small, &words, tokens.t2).label(ui);
}

/// Describes the current measurement in one line.
fn what_words(live: &Live) -> String {
    let Some(trial) = live.current() else { return "Starting".to_owned() };
    if !live.step.is_empty() {
        return format!("{}: {}", trial.trial.label, live.step);
    }
    let label = if trial.trial.pace.is_grid() {
        format!("Loop at {} priority", trial.trial.conditions.priority.name())
    } else if 1 < live.trial_count() && trial.trial.pace.period() == Nanos::ZERO {
        format!("{} probes at the same time", live.trial_count())
    } else {
        format!("{} of {}: {}", live.current + 1, live.trial_count(), trial.trial.label)
    };
    if trial.load.is_none() {
        label
    } else {
        format!("{label}, {}", text::live::load_threads(&trial.load))
    }
}

fn hint_ui(ui: &mut Ui) {
    plain_card(ui, |ui| {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
            Severity::Info.icon_ui(ui, size::NAV_ICON);
            let color = Tokens::of(ui).t2;
            let hint = "You can use other apps, but their activity affects the results. Keep this \
                        window visible: some systems throttle hidden windows.";
            Spans::plain(Type::Small, hint, color).paragraph(ui);
        });
    });
}

fn skip_ui(ui: &mut Ui, session: &Session, check: &ActiveCheck, actions: &mut Vec<Action>) {
    let is_measuring = session.running.live().is_some();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
        let is_waiting = check.sequence.is_waiting_for_quiet();
        let can_skip = (is_measuring || is_waiting) && !check.sequence.is_ending();
        let skip = ui.add_enabled(can_skip, Button::new("Skip this measurement"));
        if skip.on_hover_text("The result will list it as skipped.").clicked() {
            actions.push(Action::SkipQuickPart);
        }
        if is_waiting && ui.add(Button::new("Measure now")).clicked() {
            actions.push(Action::MeasureWithoutWaiting);
        }
        if is_waiting {
            show_programs_ui(ui, session, actions);
        }
    });
}

/// Draws four tiles about the current measurement: number of samples, p99, max, and missed frames
/// or median.
fn so_far_ui(ui: &mut Ui, live: &Live) {
    let (Some(trial), Some(run)) = (live.current(), live.run.as_ref()) else { return };
    let summary = live.row(live.current).and_then(|row| row.summary.as_ref());
    let missing = || (text::MISSING.to_owned(), "");
    let time = |value: Option<Nanos>| value.map_or_else(missing, text::time_parts);
    let is_grid = trial.trial.pace.is_grid();
    let counted = text::capitalized(run.subject.samples_name());
    let planned = match trial.trial.slot_count() {
        u64::MAX => String::new(),
        count => format!("of {}", text::format_count(count)),
    };
    let count = text::format_count(trial.samples.len());
    let p99 = time(summary.and_then(|summary| summary.lateness.p99));
    let worst = time(summary.map(|summary| summary.lateness.max));
    let last = if is_grid {
        let missed = summary.map_or(0, jitterscope_engine::stats::Summary::missed_count);
        let unit = if missed == 1 { "frame" } else { "frames" };
        ("Missed", text::format_count(missed), unit)
    } else {
        let (typical, unit) = time(summary.map(|summary| summary.lateness.p50));
        ("Median", typical, unit)
    };
    Card::new("So far").note(&trial.trial.label).show_plain(ui, |ui| {
        tile_row(
            ui,
            &[
                Tile::new(&counted, &count, &planned),
                Tile::new("p99", &p99.0, p99.1),
                Tile::new("Max", &worst.0, worst.1),
                Tile::new(last.0, &last.1, last.2),
            ],
        );
    });
}
