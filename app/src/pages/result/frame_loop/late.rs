//! Causes of late frames: the number per cause, the list of frames, and details of the selected
//! frame.

mod account;
mod causes;
mod culprits;
mod hints;
mod permission;

use eframe::egui::{Align, Layout, Sense, Ui, vec2};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::TraceState;
use jitterscope_engine::report::{Cause, Configuration, LateSample, Source};
use jitterscope_engine::run::TrialRun;

pub(super) use self::causes::default_limit;
pub(super) use self::permission::untraced_ui;
use super::late_frames::{DelayKey, LateFrames};
use crate::plots::cause_style;
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::keys::{Command, hold_escape, is_typing, pressed, take_escape};
use crate::widgets::{
    Button, Card, ResultTable, Spans, TableLayout, icon_button, link, quiet_icon_button,
    series_mark,
};

/// Height of each card, in points.
const HEIGHT: f32 = 268.0;
/// Maximum number of characters of a filter's name.
const MAX_FILTER: usize = 24;

/// Draws the cards of causes, of all late frames, and of the selected frame; `threshold` is the
/// late threshold in the field. Returns whether the field is being edited: then the threshold may
/// still change.
pub(super) fn ui(
    ui: &mut Ui,
    (row_of, trial): (&Configuration, &TrialRun),
    (late, state): (&LateFrames, Option<&TraceState>),
    threshold: &mut Nanos,
    (selected, culprit): (&mut Option<usize>, &mut Option<DelayKey>),
) -> bool {
    let default = row_of.late_limit;
    let mut is_held = false;
    let mut causes_ui =
        |ui: &mut Ui| is_held = causes::ui(ui, (row_of, trial), (late, state), threshold, culprit);
    let width = ui.content_rect().width();
    let room = ui.available_width();
    let row = |ui: &mut Ui, cards: &mut dyn FnMut(&mut Ui)| {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = size::GAP_CARD;
            cards(ui);
        });
    };
    let share = |gaps: f32, share: f32| ((room - gaps * size::GAP_CARD) * share).floor();
    if size::WIDE_FROM <= width {
        row(ui, &mut |ui| {
            // If names of threads are known, the card of causes also has columns of numbers and
            // needs more width.
            let (causes, list) = if late.has_names() { (0.36, 0.34) } else { (0.28, 0.42) };
            column(ui, share(2.0, causes), &mut causes_ui);
            column(ui, share(2.0, list), |ui| list_ui(ui, late, default, selected));
            column(ui, share(2.0, 0.30), |ui| selected_ui(ui, row_of, late, selected));
        });
    } else if size::MEDIUM_FROM <= width {
        row(ui, &mut |ui| {
            column(ui, share(1.0, 0.45), &mut causes_ui);
            column(ui, share(1.0, 0.55), |ui| selected_ui(ui, row_of, late, selected));
        });
        column(ui, room, |ui| list_ui(ui, late, default, selected));
    } else {
        column(ui, room, &mut causes_ui);
        column(ui, room, |ui| list_ui(ui, late, default, selected));
        column(ui, room, |ui| selected_ui(ui, row_of, late, selected));
    }
    is_held
}

fn column(ui: &mut Ui, width: f32, contents: impl FnOnce(&mut Ui)) {
    ui.allocate_ui_with_layout(vec2(width, HEIGHT), Layout::top_down(Align::Min), |ui| {
        ui.set_max_width(width);
        contents(ui);
    });
}

/// Selects the next or previous late frame with N and P; clears the selection with Esc.
pub(super) fn step_by_key(ui: &Ui, late: &LateFrames, selected: &mut Option<usize>) {
    if selected.is_some() {
        hold_escape(ui.ctx());
    }
    if is_typing(ui.ctx()) {
        return;
    }
    if pressed(ui.ctx(), Command::NextLate) {
        *selected = late.step(*selected, true);
    }
    if pressed(ui.ctx(), Command::PreviousLate) {
        *selected = late.step(*selected, false);
    }
    if selected.is_some() && take_escape(ui.ctx()) {
        *selected = None;
    }
}

/// Draws the active filter of late frames as a button that clears the filter.
pub(super) fn filter_ui(ui: &mut Ui, culprit: &mut Option<DelayKey>) {
    let Some((_, name)) = culprit else { return };
    let words = text::cut(name, MAX_FILTER);
    let label = format!("Show all late frames, not only those delayed by {name}");
    if ui.add(Button::new(&words).icon(icons::X).name(&label)).clicked() {
        *culprit = None;
    }
}

/// Draws the buttons that select the next and previous late frame, and the position of the selected
/// frame among the late frames. `default` is the late threshold in all other parts of the page.
pub(super) fn stepper_ui(
    ui: &mut Ui,
    late: &LateFrames,
    default: Nanos,
    selected: &mut Option<usize>,
) {
    if late.is_empty() {
        return;
    }
    if icon_button(ui, icons::CARET_LEFT, "Previous late frame (P)").clicked() {
        *selected = late.step(*selected, false);
    }
    let color = Tokens::of(ui).t1;
    let words = stepper_words(late, default, *selected);
    // The text takes the width of its longest variant, so that a click does not move the buttons.
    let last = late.step(None, false);
    let widest = [None, last]
        .map(|at| Spans::plain(Type::Label, &stepper_words(late, default, at), color).galley(ui))
        .map(|galley| galley.size().x)
        .into_iter()
        .fold(0.0, f32::max);
    ui.allocate_ui_with_layout(
        vec2(widest, ui.available_height()),
        Layout::left_to_right(Align::Center),
        |ui| {
            ui.set_min_width(widest);
            Spans::plain(Type::Label, &words, color).whole_label(ui);
        },
    );
    if icon_button(ui, icons::CARET_RIGHT, "Next late frame (N)").clicked() {
        *selected = late.step(*selected, true);
    }
}

/// Returns the position of the selected frame among the late frames, with the late threshold if it
/// is not the default.
fn stepper_words(late: &LateFrames, default: Nanos, selected: Option<usize>) -> String {
    let all = text::format_count(late.shown_count());
    let of_all =
        selected.map(|at| format!("{} of {all}", text::format_count(late.count_up_to(at))));
    match (of_all, late.threshold == default) {
        (Some(of_all), true) => format!("late {of_all}"),
        (None, true) => format!("{all} late"),
        (of_all, false) => {
            format!("{} above {}", of_all.unwrap_or(all), text::format_time(late.threshold))
        }
    }
}

fn mark_ui(ui: &mut Ui, cause: Cause) {
    let (color, mark) = cause_style(Tokens::of(ui), cause);
    let (rect, _) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
    series_mark(ui.painter(), rect.center(), size::MARK, mark, color);
}

/// Returns when a sample woke, in seconds since the start of the trial.
fn at(one: &LateSample) -> String {
    format!("{:.2} s", one.sample.woke.as_secs())
}

/// Layout of the list; the column of CPUs is shown where there is room.
const LIST: TableLayout = TableLayout::of(&["frame_count", "at_seconds", "late_nanos", "cause"]);

fn list_ui(ui: &mut Ui, late: &LateFrames, default: Nanos, selected: &mut Option<usize>) {
    let note = if late.threshold == default {
        "worst first".to_owned()
    } else {
        format!("above {}, worst first", text::format_time(late.threshold))
    };
    let list = &late.list;
    Card::new(list.title).note(&note).height(HEIGHT).flush().show_plain(ui, |ui| {
        if list.rows.is_empty() {
            ui.horizontal(|ui| {
                ui.add_space(f32::from(size::CARD_PADDING));
                Spans::plain(Type::Body, "None", Tokens::of(ui).t2).label(ui);
            });
            return;
        }
        let index_of = |row: usize| late.shown(row).map(|one| one.index);
        let shown =
            (0..list.rows.len()).find(|row| selected.is_some() && index_of(*row) == *selected);
        let table = ResultTable::new("late-frames", list, LIST);
        let table = ResultTable { selected: shown, is_selected_by_cursor: true, ..table };
        let height = ui.available_height() - size::GAP_LABEL;
        *selected = table.show_in_card(ui, height).selected.and_then(index_of).or(*selected);
    });
}

fn selected_ui(ui: &mut Ui, row: &Configuration, late: &LateFrames, selected: &mut Option<usize>) {
    let one = selected.and_then(|index| late.get(index)).cloned();
    let title = one.as_ref().map_or("Selected frame".to_owned(), |one| {
        format!("Frame {} at {}", text::format_count(one.index + 1), at(one))
    });
    let (mut is_left, has_one) = (false, one.is_some());
    Card::new(&title).height(HEIGHT).show(
        ui,
        |ui| {
            if has_one && quiet_icon_button(ui, icons::X, "Clear selection").clicked() {
                is_left = true;
            }
        },
        |ui| {
            let tokens = Tokens::of(ui);
            let Some(one) = &one else {
                let words = "Click a marker, or press N and P to step through late frames.";
                Spans::plain(Type::Small, words, tokens.t2).paragraph(ui);
                if let Some(worst) = late.shown(0)
                    && link(ui, "Show worst frame").clicked()
                {
                    *selected = Some(worst.index);
                }
                return;
            };
            let share = one.sample.late().as_f64() / row.period.as_f64().max(1.0);
            Spans::new(Type::Sentence)
                .text(
                    Type::Sentence,
                    &format!("{} late", text::format_time(one.sample.late())),
                    tokens.t1,
                )
                .gap(size::GAP_SMALL)
                .text(Type::Body, &format!("= {} of a frame", text::format_share(share)), tokens.t2)
                .label(ui);
            ui.horizontal(|ui| {
                mark_ui(ui, one.cause);
                let origin = one.origin().map_or_else(String::new, |name| format!(" ({name})"));
                let words = format!("{}{origin}", one.cause.label());
                Spans::plain(Type::Body, &words, tokens.t1).label(ui);
            });
            if one.account.source == Source::Counters || one.account.source == Source::Nothing {
                evidence_ui(ui, one);
            } else {
                account::ui(ui, &one.account);
            }
            hints::of_frame_ui(ui, late.busy_at(one));
        },
    );
    if is_left {
        *selected = None;
    }
}

fn evidence_ui(ui: &mut Ui, one: &LateSample) {
    let tokens = Tokens::of(ui);
    let untold = || "not observable here".to_owned();
    let count = |count: Option<u32>| count.map_or_else(untold, text::format_count);
    let time = |time: Option<Nanos>| time.map_or_else(untold, text::format_time);
    ui.spacing_mut().item_spacing.y = 2.0;
    ui.spacing_mut().interact_size.y = 0.0;
    let mut line = |name: &str, value: &str| {
        ui.horizontal(|ui| {
            Spans::plain(Type::Small, name, tokens.t2).whole_label(ui);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                Spans::plain(Type::LabelStrong, value, tokens.t1).label(ui);
            });
        });
    };
    let Some(evidence) = one.evidence else {
        let words = "Lost: no counters were recorded for this frame.";
        Spans::plain(Type::Small, words, tokens.t2).paragraph(ui);
        return;
    };
    line("Involuntary switches", &count(evidence.involuntary_switches));
    let cpus = match (evidence.cpu_before, evidence.cpu_after) {
        (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
        (_, Some(after)) => format!("no, CPU {after}"),
        _ => untold(),
    };
    line("CPU migration", &cpus);
    if evidence.switches.is_some() {
        line("Context switches", &count(evidence.switches));
    }
    if let Some(reasons) = evidence.wait_reasons {
        line("Wait reasons", &reasons.text());
    }
    if evidence.interrupt_time.is_some() {
        line("Interrupts and DPCs of the CPU", &time(evidence.interrupt_time));
    }
    let faults = match (evidence.minor_faults, evidence.major_faults) {
        (None, None) => None,
        (minor, major) => Some(minor.unwrap_or(0).saturating_add(major.unwrap_or(0))),
    };
    line("Page faults", &count(faults));
    line("Run-queue delay", &time(evidence.run_delay));
    let advice = one.advice();
    let words = match one.explained() {
        Some(share) => {
            format!("Explains {} of the lateness. {advice}", text::format_share(share))
        }
        None => advice,
    };
    Spans::plain(Type::Small, &words, tokens.t2).paragraph(ui);
}

#[cfg(test)]
mod tests {
    use super::super::late_frames::tests::late;
    use super::*;

    #[test]
    fn the_stepper_names_a_limit_of_its_own() {
        let late =
            late(&[(70, Cause::TimerLate), (10, Cause::WaitedForCpu), (40, Cause::TimerLate)]);
        let words = |default, selected| {
            stepper_words(&late, Nanos::from_micros(default), selected)
                .replace(text::NARROW_SPACE, " ")
        };
        assert_eq!(words(200, None), "3 late");
        assert_eq!(words(200, Some(40)), "late 2 of 3");
        assert_eq!(words(833, None), "3 above 200 µs");
        assert_eq!(words(833, Some(40)), "2 of 3 above 200 µs");
    }
}
