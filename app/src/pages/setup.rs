//! The setup column of any test: presets, settings, and the planned duration.

use eframe::egui::{
    Align, Area, Frame, Id, Key, Layout, Margin, Modifiers, Order, Panel, Rect, ScrollArea, Stroke,
    Ui, UiBuilder, vec2,
};
use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::store::repeats::MAX_REPEATS;

use crate::session::{Action, MAX_PRESET, Phase, Session, TestState};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::field::{EntryEnd, choice_rows_ui, combo_ui, entry_end};
use crate::widgets::keys::hold_escape;
use crate::widgets::{
    Button, FollowFocus as _, FormContext, Help, Region, SettingForm, Spans, field_block, link,
    region, segmented_wide, text_field, value_field,
};

const REPEAT: Help<'static> = Help::new(
    "Repeat",
    "Repeats the test and saves each run. With 3 or more repeats, comparisons show the run-to-run \
     variation of this PC.",
);

const TRACE: Help<'static> = Help::new(
    "Trace",
    "Records which threads and interrupts used the CPU around late samples, in as much detail as this \
     system allows. With Require, a test does not start where nothing can be recorded.",
);

/// Draws the setup column if the window is wide enough. In a narrower window, draws it as a drawer
/// over the page while `is_open`. Call this function before the results are drawn, because the
/// column takes its width from the page.
pub(super) fn setup_panel_ui(
    ui: &mut Ui,
    session: &Session,
    key: &'static str,
    is_open: &mut bool,
    actions: &mut Vec<Action>,
) {
    let width = ui.content_rect().width();
    if size::MEDIUM_FROM <= width {
        *is_open = false;
        let setup = if width < size::WIDE_FROM { size::SETUP_MEDIUM } else { size::SETUP };
        Panel::left("setup")
            .exact_size(setup)
            .resizable(false)
            .frame(Frame::new())
            .show(ui, |ui| column_ui(ui, session, key, actions));
        return;
    }
    if !*is_open {
        return;
    }
    let page = ui.max_rect();
    let rect = Rect::from_min_size(page.min, vec2(size::SETUP.min(page.width()), page.height()));
    Area::new(Id::unique("setup-drawer"))
        .order(Order::Foreground)
        .fixed_pos(rect.min)
        .constrain(false)
        .show(ui.ctx(), |ui| {
            let edge = Stroke::new(1.0, Tokens::of(ui).line2);
            ui.painter().rect_filled(rect, 0, Tokens::of(ui).panel);
            ui.painter().vline(rect.right(), rect.y_range(), edge);
            ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
                ui.set_clip_rect(rect);
                column_ui(ui, session, key, actions);
            });
            ui.expand_to_include_rect(rect);
        });
    let ctx = ui.ctx();
    hold_escape(ctx);
    if ctx.any_popup_open() {
        return;
    }
    let leaves = ctx.input_mut(|input| {
        let place = input.pointer.interact_pos().filter(|_| input.pointer.any_pressed());
        let is_outside = place.is_some_and(|place| page.contains(place) && !rect.contains(place));
        is_outside || input.consume_key(Modifiers::NONE, Key::Escape)
    });
    if leaves {
        *is_open = false;
    }
}

/// Draws, in a narrow window, the button that opens or closes the setup drawer, and a summary of
/// the settings.
pub(super) fn button_ui(ui: &mut Ui, session: &Session, key: &'static str, is_open: &mut bool) {
    if size::MEDIUM_FROM <= ui.content_rect().width() {
        return;
    }
    let Some(state) = session.running.test(key) else { return };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
        let button = Button::new("Setup").icon(icons::SIDEBAR_SIMPLE);
        if ui.add(button).clicked() {
            *is_open = !*is_open;
        }
        let tokens = Tokens::of(ui);
        let (what, time) = what_runs(session, &state.plan, state.repeat);
        let is_locked = !matches!(state.phase, Phase::Idle);
        let words = if is_locked {
            format!("{what} · locked while running")
        } else {
            format!("{what} · {time}")
        };
        Spans::plain(Type::Small, &words, tokens.t2).label(ui);
    });
}

/// Draws the contents of the setup column or drawer.
fn column_ui(ui: &mut Ui, session: &Session, key: &'static str, actions: &mut Vec<Action>) {
    region(ui, Region::Setup);
    let Some(state) = session.running.test(key) else { return };
    let is_locked = !matches!(state.phase, Phase::Idle);
    let margin =
        Margin { left: size::PAGE_PADDING_X, right: size::PAGE_PADDING_X, top: 10, bottom: 10 };
    Panel::bottom("setup-foot")
        .resizable(false)
        .frame(Frame::new().inner_margin(margin))
        .show(ui, |ui| foot_ui(ui, session, state, is_locked));
    ScrollArea::vertical().auto_shrink([false, false]).show_focus(ui, |ui| {
        Frame::new().inner_margin(margin).show(ui, |ui| {
            if is_locked {
                ui.disable();
                ui.set_opacity(size::DISABLED_OPACITY);
            }
            presets_ui(ui, session, state, actions);
            ui.add_space(size::GAP_FIELD);
            let mut plan = state.plan.clone();
            let facts = session.machine.facts();
            let problems = facts.map_or(Vec::new(), |facts| plan.problems(&facts.cpus));
            let context = facts.map_or(FormContext::default(), |facts| FormContext {
                cpus: &facts.cpus.usable,
                performance_cpu: facts.performance_cpu,
                can_pin: facts.can_pin,
            });
            let mut form = SettingForm::new(ui, state.name(), &problems, context);
            plan.probe_mut().settings(&mut form);
            if plan != state.plan {
                actions.push(Action::SetPlan(plan));
            }
            ui.add_space(size::GAP_FIELD);
            trace_ui(ui, session, state, actions);
            repeat_ui(ui, state, actions);
        });
    });
}

/// Draws the setting that records a trace of the CPUs, and how detailed a trace is on this PC.
fn trace_ui(ui: &mut Ui, session: &Session, state: &TestState, actions: &mut Vec<Action>) {
    let Some(facts) = session.machine.facts() else { return };
    let stages = state.plan.stages(&facts.cpus);
    if !stages.iter().flat_map(|stage| &stage.trials).any(|trial| trial.trace_above().is_some()) {
        return;
    }
    field_block(ui, "Trace", Some(&TRACE), |ui| {
        let modes =
            [(TraceMode::Auto, "Auto"), (TraceMode::Off, "Off"), (TraceMode::Require, "Require")];
        let mut trace = state.trace;
        let name = format!("{}, trace", state.name());
        if segmented_wide(ui, &name, &mut trace, &modes).changed() {
            actions.push(Action::SetTrace { test: state.key(), trace });
        }
    });
    if state.trace != TraceMode::Off {
        let (width, color) = (ui.available_width(), Tokens::of(ui).t2);
        let words = facts.trace.sentence();
        Spans::plain(Type::Small, &words, color).paragraph_within(ui, width);
    }
    ui.add_space(size::GAP_FIELD);
}

/// Draws the field for how many times the test runs.
fn repeat_ui(ui: &mut Ui, state: &TestState, actions: &mut Vec<Action>) {
    field_block(ui, "Repeat", Some(&REPEAT), |ui| {
        let mut times = state.repeat;
        let unit = if times == 1 { "time" } else { "times" };
        let (name, width) = (format!("{}, repeat", state.name()), ui.available_width());
        if value_field(ui, &name, &mut times, &Parameter::count(1, MAX_REPEATS, unit), width)
            .changed()
        {
            actions.push(Action::SetRepeat { test: state.key(), times });
        }
    });
}

fn presets_ui(ui: &mut Ui, session: &Session, state: &TestState, actions: &mut Vec<Action>) {
    let test = state.key();
    let own: Vec<(&str, Plan)> = session.settings().own_presets(test).collect();
    let current = own.iter().find(|(_, plan)| *plan == state.plan).map(|(name, _)| *name);
    let built_in = state.preset();
    field_block(ui, "Preset", None, |ui| {
        let selected = built_in.map(|preset| preset.name).or(current).unwrap_or("Custom (changed)");
        let width = ui.available_width();
        combo_ui(ui, &format!("{}, preset", state.name()), selected, width, |ui| {
            for preset in &state.presets {
                let is_selected = built_in.is_some_and(|selected| selected.key == preset.key);
                let item = ui.selectable_label(is_selected, Type::Body.text(preset.name));
                if item.on_hover_text(preset.about).clicked() {
                    actions.push(Action::ChoosePreset { test, preset: preset.key });
                }
            }
            let selected = current.filter(|_| built_in.is_none());
            let rows = own.iter().map(|(name, _)| (Some(*name), *name));
            if let Some(Some(name)) = choice_rows_ui(ui, &selected, rows) {
                actions.push(Action::ChooseOwnPreset { test, name: name.to_owned() });
            }
        });
        // The row for the user's own presets is always present, so that a changed setting does not
        // move other fields.
        let room = vec2(ui.available_width(), ui.spacing().interact_size.y);
        ui.allocate_ui(room, |ui| {
            ui.set_min_size(room);
            if built_in.is_none() {
                own_preset_ui(ui, state, current, actions);
            }
        });
    });
}

/// Draws the commands for presets of the user: save the current settings, or rename, export, or
/// delete the preset `current`.
fn own_preset_ui(ui: &mut Ui, state: &TestState, current: Option<&str>, actions: &mut Vec<Action>) {
    let test = state.key();
    let id = Id::unique(("own-preset", test, current));
    let typed: Option<String> = ui.data(|data| data.get_temp(id));
    let Some(mut name) = typed else {
        let begin = match current {
            None => link(ui, "Save as preset").clicked().then(String::new),
            Some(name) => own_preset_links(ui, test, name, actions).then(|| name.to_owned()),
        };
        if let Some(name) = begin {
            ui.data_mut(|data| data.insert_temp(id, name));
        }
        return;
    };
    let width = ui.available_width();
    let field = text_field(ui, "Name of the preset", &mut name, "Name", width);
    let Some(entry) = entry_end(&field) else {
        if !field.has_focus() && ui.is_enabled() {
            field.request_focus();
        }
        ui.data_mut(|data| data.insert_temp(id, name));
        return;
    };
    ui.data_mut(|data| data.remove::<String>(id));
    let name: String = name.trim().chars().take(MAX_PRESET).collect();
    if name.is_empty() || entry == EntryEnd::Canceled {
        return;
    }
    match current {
        None => actions.push(Action::SavePreset { test, name }),
        Some(before) => {
            actions.push(Action::RenamePreset { test, name: before.to_owned(), to: name });
        }
    }
}

/// Draws the commands for a preset of the user; returns whether the user wants to rename the
/// preset.
fn own_preset_links(
    ui: &mut Ui,
    test: &'static str,
    name: &str,
    actions: &mut Vec<Action>,
) -> bool {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
        let is_renamed = link(ui, "Rename preset").clicked();
        let name = || name.to_owned();
        if link(ui, "Export…").clicked() {
            actions.push(Action::ExportPreset { test, name: name() });
        }
        if link(ui, "Delete").clicked() {
            actions.push(Action::DeletePreset { test, name: name() });
        }
        is_renamed
    })
    .inner
}

fn foot_ui(ui: &mut Ui, session: &Session, state: &TestState, is_locked: bool) {
    let tokens = Tokens::of(ui);
    ui.horizontal(|ui| {
        if is_locked {
            Spans::new(Type::Small)
                .icon(icons::LOCK_SIMPLE, size::ICON_SMALL, tokens.t2)
                .gap(size::GAP_LABEL)
                .text(Type::Small, "Locked while the test runs.", tokens.t2)
                .label(ui);
            return;
        }
        let (what, time) = what_runs(session, &state.plan, state.repeat);
        let (what, time) = (
            Spans::plain(Type::LabelStrong, &what, tokens.t1),
            Spans::plain(Type::Small, &time, tokens.t2),
        );
        // The time is never truncated.
        let room = ui.available_width() - time.clone().galley(ui).size().x - size::GAP_SMALL;
        what.label_within(ui, room.max(size::TARGET));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| time.whole_label(ui));
    });
}

/// Returns two texts: what the plan measures, and how long that takes, including repeats.
fn what_runs(session: &Session, plan: &Plan, repeat: u32) -> (String, String) {
    let Some(facts) = session.machine.facts() else { return Default::default() };
    let Some(extent) = plan.extent(&facts.cpus) else {
        return ("Cannot run".to_owned(), "check the marked settings".to_owned());
    };
    let times = if repeat == 1 { String::new() } else { format!("{repeat} × ") };
    let whole = plan.duration(&facts.cpus) * i64::from(repeat);
    let mut time = format!("about {}", text::format_long_time(whole));
    let more = plan.probe().follow_up_length(&facts.cpus) * i64::from(repeat);
    if more != Nanos::ZERO {
        time = format!("at most {}", text::format_long_time(whole + more));
    }
    (times + &extent, time)
}
