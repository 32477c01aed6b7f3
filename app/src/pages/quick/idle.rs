//! The page before the check: planned parts, conditions to consider, and the last verdict.

use eframe::egui::{Frame, Margin, Stroke, Ui, vec2};
use jitterscope_engine::plan::quick::Part;
use jitterscope_engine::platform::PowerSource;

use super::{QuickPage, icon_of_part, two_columns};
use crate::session::{Action, LibraryItem, PageId, Session};
use crate::text;
use crate::theme::{Tokens, Type, icon, icons, size};
use crate::widgets::card::plain_card;
use crate::widgets::keys::is_typing;
use crate::widgets::{
    Button, Card, Command, Severity, Spans, checkbox, key_cap, key_text, right_aligned,
};

/// Width of the right column, in points.
const RIGHT: f32 = 388.0;
/// Width of the names of the conditions, in points.
const NAMES: f32 = 104.0;
/// CPU use of other programs, as a share of one CPU, up to which no warning is shown.
const MUCH_LOAD: f64 = 0.10;

impl QuickPage {
    /// Draws the page before the check.
    pub(super) fn idle_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let mut requested = Vec::new();
        two_columns(
            ui,
            RIGHT,
            |ui| {
                self.hero_ui(ui, session, actions);
                self.parts_ui(ui, session, actions);
            },
            |ui| {
                before_ui(ui, session);
                if let Some(last) = session.last_check() {
                    last_ui(ui, last, &mut requested);
                }
                report_ui(ui);
            },
        );
        actions.extend(requested);
    }

    fn hero_ui(&mut self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        plain_card(ui, |ui| {
            ui.spacing_mut().item_spacing.y = size::GAP_SMALL;
            ui.add_space(size::GAP_LABEL);
            let width = ui.available_width();
            let title = "Is this PC causing stutter?";
            Spans::plain(Type::Verdict, title, tokens.t1).paragraph_within(ui, width);
            let about = "Runs five short tests of sleep, spin, frame pacing, and scheduling. \
                         Takes about a minute. Nothing is installed and no system settings are \
                         changed.";
            Spans::plain(Type::Body, about, tokens.t2).paragraph_within(ui, width.min(600.0));
            ui.add_space(size::GAP_LABEL);
            ui.horizontal_wrapped(|ui| {
                let can_run = session.can_start(PageId::Quick);
                let start = Button::primary("Run check").icon(icons::PLAY_FILL).hero();
                let start = ui.add_enabled(can_run, start);
                if can_run && !self.was_focused {
                    self.was_focused = true;
                    if !is_typing(ui.ctx()) {
                        start.request_focus();
                    }
                }
                if start.clicked() {
                    actions.push(Action::RunQuick);
                }
                let choose = Button::new("Select measurements").hero();
                if ui.add_enabled(!self.is_choosing, choose).clicked() {
                    self.is_choosing = true;
                }
                Spans::plain(Type::Small, "or press", tokens.t2).whole_label(ui);
                let key = key_text(ui.ctx(), Command::Run);
                key_cap(ui, &key);
            });
            ui.add_space(size::GAP_LABEL);
        });
    }

    fn parts_ui(&self, ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
        let total = text::format_long_time(session.running.quick.length());
        let controls = |ui: &mut Ui| {
            let color = Tokens::of(ui).t2;
            let total = format!("{total} in total");
            Spans::plain(Type::Small, &total, color).whole_label(ui);
        };
        Card::new("Measurements").flush().show(ui, controls, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for part in Part::ALL {
                row(ui, |ui| {
                    self.part_ui(ui, session, part, actions);
                });
            }
        });
    }

    fn part_ui(&self, ui: &mut Ui, session: &Session, part: Part, actions: &mut Vec<Action>) {
        let tokens = Tokens::of(ui);
        let is_selected = session.running.quick.is_selected(part);
        let (name_color, color) =
            if is_selected { (tokens.t1, tokens.t2) } else { (tokens.t2, tokens.t3) };
        ui.label(icon(icon_of_part(part), size::NAV_ICON).color(color));
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.spacing_mut().interact_size.y = 0.0;
            ui.horizontal(|ui| {
                if self.is_choosing {
                    let mut selected = is_selected;
                    if checkbox(ui, &mut selected, part.name()).changed() {
                        actions.push(Action::ChooseQuickPart { part, is_selected: selected });
                    }
                } else {
                    let name = Spans::new(Type::Strong);
                    name.text(Type::Strong, part.name(), name_color).whole_label(ui);
                }
                right_aligned(ui, part.key(), |ui| {
                    let length = text::format_long_time(session.running.quick.length_of(part));
                    let length = if is_selected { length } else { "Skipped".to_owned() };
                    Spans::plain(Type::Body, &length, color).whole_label(ui);
                });
            });
            Spans::plain(Type::Small, part.about(), color).paragraph(ui);
        });
    }
}

/// Draws a full-width row of a card, with a line above it.
pub(super) fn row<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let line = Stroke::new(1.0, Tokens::of(ui).line);
    let (top, range) = (ui.cursor().top(), ui.max_rect().x_range());
    ui.painter().hline(range, top, line);
    let margin = Margin::symmetric(size::CARD_PADDING + 2, size::CARD_PADDING - 3);
    Frame::new()
        .inner_margin(margin)
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
                contents(ui)
            })
            .inner
        })
        .inner
}

/// Draws a line with an icon, a name, and a text.
pub(super) fn line_ui(ui: &mut Ui, severity: Severity, name: &str, words: &str) {
    let tokens = Tokens::of(ui);
    row(ui, |ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_SMALL;
        severity.icon_ui(ui, size::ICON);
        ui.allocate_ui(vec2(NAMES, size::ICON), |ui| {
            ui.set_width(NAMES);
            Spans::plain(Type::Body, name, tokens.t1).label(ui);
        });
        Spans::plain(Type::Body, words, tokens.t2).paragraph(ui);
    });
}

/// Draws the conditions to consider before the check.
fn before_ui(ui: &mut Ui, session: &Session) {
    Card::new("Before you start").flush().show_plain(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (severity, name, words) in conditions(session) {
            line_ui(ui, severity, name, &words);
        }
        row(ui, |ui| {
            let color = Tokens::of(ui).t2;
            let hint = "For a clean baseline, close games, browsers, and downloads first. To \
                            test everyday conditions, leave them open and run the check again.";
            Spans::plain(Type::Small, hint, color).paragraph(ui);
        });
    });
}

/// Returns the conditions to consider before a check, such as power and other programs, each with a
/// severity, a name, and a text.
fn conditions(session: &Session) -> Vec<(Severity, &'static str, String)> {
    let mut lines = Vec::new();
    let source = session.machine.power().and_then(|power| power.source);
    lines.push(match source {
        Some(PowerSource::Mains) => (Severity::Good, "Power", "AC power".to_owned()),
        Some(PowerSource::Battery { percent }) => {
            let left = percent.map_or(String::new(), |percent| format!(", {percent}%"));
            let words = format!("On battery{left}. Results will vary more.");
            (Severity::Fair, "Power", words)
        }
        None => (Severity::NotMeasured, "Power", "Not reported by this system".to_owned()),
    });
    if let Some(plan) = session.machine.power().and_then(|power| power.governor_or_plan.as_ref()) {
        lines.push(if plan.to_lowercase().contains("performance") {
            (Severity::Good, "Power mode", plan.clone())
        } else {
            let words = format!("{plan}. Performance mode gives more consistent results.");
            (Severity::Fair, "Power mode", words)
        });
    }
    lines.push(match session.machine.other_load() {
        None => (Severity::NotMeasured, "Other programs", "Checking…".to_owned()),
        Some(load) => {
            let severity = if load <= MUCH_LOAD { Severity::Good } else { Severity::Fair };
            (severity, "Other programs", format!("{} of one CPU", text::format_share(load)))
        }
    });
    if let Some(facts) = session.machine.facts() {
        lines.push(match &facts.machine.virtualization {
            None => (Severity::Good, "Virtual machine", "No".to_owned()),
            Some(host) => {
                let words = format!(
                    "{host}. The host can preempt virtual CPUs without this system seeing it."
                );
                (Severity::Fair, "Virtual machine", words)
            }
        });
    }
    let visible = "Yes. Keep it visible while the check runs.".to_owned();
    lines.push((Severity::Good, "Window visible", visible));
    lines
}

/// Draws the verdict of the last check.
fn last_ui(ui: &mut Ui, last: &LibraryItem, actions: &mut Vec<Action>) {
    let Ok(run) = &last.run else { return };
    let when = text::date(&text::local(run.started_at));
    let controls = |ui: &mut Ui| {
        let color = Tokens::of(ui).t2;
        Spans::plain(Type::Small, &when, color).whole_label(ui);
    };
    Card::new("Last check on this PC").show(ui, controls, |ui| {
        let tokens = Tokens::of(ui);
        let severity = Severity::of_result(run.headline.grade, run.headline.standing);
        Spans::new(Type::Sentence)
            .icon(severity.icon(), size::NAV_ICON, severity.color(tokens))
            .gap(size::GAP_LABEL)
            .text(Type::Sentence, &run.verdict, tokens.t1)
            .label(ui);
        if ui.add(Button::new("Open result")).clicked() {
            actions.push(Action::OpenQuick(last.files.clone()));
        }
    });
}

/// Draws a hint on how to open a report file.
fn report_ui(ui: &mut Ui) {
    plain_card(ui, |ui| {
        let tokens = Tokens::of(ui);
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
            ui.label(icon(icons::UPLOAD_SIMPLE, size::NAV_ICON).color(tokens.t2));
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                let title = "Open a report";
                Spans::plain(Type::Strong, title, tokens.t1).label(ui);
                ui.horizontal_wrapped(|ui| {
                    ui.spacing_mut().item_spacing.x = size::GAP_LABEL;
                    let words = "Drop a file anywhere in this window, or press";
                    Spans::plain(Type::Small, words, tokens.t2).whole_label(ui);
                    let key = key_text(ui.ctx(), Command::OpenFile);
                    key_cap(ui, &key);
                });
            });
        });
    });
}
