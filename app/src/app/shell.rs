//! The parts of the window around every page: navigation, top bar, status bar.

mod lost;
mod progress;

use eframe::egui::{Align, Frame, Layout, Margin, Panel, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform::PowerSource;
use jitterscope_engine::report::RecordingFigures;
use jitterscope_engine::run::Capture;

use self::lost::lost_ui;
use self::progress::progress_ui;
use super::cost::OverheadMeter;
use super::host_menu::{HostMenu, has_place};
use crate::pages::{WHAT_HELPS, examples_menu_ui, icon_of, machine_markdown, severity_of};
use crate::session::{Action, PageId, Phase, Progress, Session, ShortcutState, TestState};
use crate::text;
use crate::theme::{Tokens, Type, icons, size};
use crate::widgets::{
    Button, Command, NavEnd, NavItem, Region, Severity, Spans, badge, brand, key_text, nav_caption,
    region, right_aligned, right_width, word_button,
};

/// Minimum width of an item in the status bar, such as the name of the PC, in points.
const MIN_PART: f32 = 60.0;

/// Class of the window's width. Narrower windows show shorter texts in navigation and bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WidthClass {
    Narrow,
    Medium,
    Wide,
}

impl WidthClass {
    pub(super) fn of(width: f32) -> Self {
        match width {
            width if width < size::MEDIUM_FROM => Self::Narrow,
            width if width < size::WIDE_FROM => Self::Medium,
            _ => Self::Wide,
        }
    }
}

fn bar_frame(fill: eframe::egui::Color32, margin: Margin) -> Frame {
    Frame::new().fill(fill).inner_margin(margin)
}

/// Draws the navigation rail.
pub(super) fn rail_ui(
    ui: &mut Ui,
    session: &Session,
    page: PageId,
    width_class: WidthClass,
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    let is_narrow = width_class < WidthClass::Wide;
    let width = if is_narrow { size::RAIL_NARROW } else { size::RAIL };
    let side = if is_narrow { 6 } else { 8 };
    Panel::left("rail")
        .exact_size(width)
        .resizable(false)
        .show_separator_line(false)
        .frame(bar_frame(tokens.rail, Margin { left: side, right: side, top: 0, bottom: 8 }))
        .show(ui, |ui| {
            region(ui, Region::Navigation);
            ui.spacing_mut().item_spacing.y = 2.0;
            brand(ui, is_narrow);
            let mut item = |ui: &mut Ui, icon, name, (own, command), end| {
                let key = key_text(ui.ctx(), command);
                // An imported run is one of the runs, and has no separate item.
                let is_current = page == own || (own, page) == (PageId::Runs, PageId::Capture);
                let item = NavItem::new(icon, name).shortcut(&key).current(is_current).end(end);
                if item.show(ui, is_narrow).clicked() {
                    actions.push(Action::GoTo(own));
                }
            };
            let quick = (PageId::Quick, Command::Quick);
            item(ui, icons::GAUGE, "Quick check", quick, quick_end(session));
            let record = (PageId::Record, Command::Record);
            let end =
                session.recordings.status.as_ref().map_or(NavEnd::Nothing, |_| NavEnd::Running);
            item(ui, icons::CROSSHAIR, "Record", record, end);
            let (first, tests): (Vec<_>, Vec<_>) =
                session.running.tests.iter().partition(|state| state.key() == WHAT_HELPS);
            for (state, at) in first.into_iter().chain(tests).zip(0..) {
                let command = if at == 0 {
                    Command::WhatHelps
                } else {
                    Command::Test(state.plan.listing().digit)
                };
                if at == 1 {
                    nav_caption(ui, "Tests", is_narrow);
                }
                let test = (PageId::Test(state.key()), command);
                item(ui, icon_of(&state.plan), state.name(), test, test_end(session, state));
            }
            nav_caption(ui, "Results", is_narrow);
            let count = |count| NavEnd::Count(u64::try_from(count).unwrap_or(0));
            let runs = (PageId::Runs, Command::Runs);
            item(ui, icons::STACK, "Runs", runs, count(session.library.count()));
            let compare = (PageId::Compare, Command::Compare);
            let compared = session.comparing.selected.paths.len();
            item(ui, icons::COLUMNS, "Compare", compare, count(compared));
            let left = ui.available_height() - 2.0 * size::NAV_ITEM - ui.spacing().item_spacing.y;
            ui.add_space(left.max(0.0));
            let machine = (PageId::Machine, Command::Machine);
            item(ui, icons::CPU, "Machine", machine, NavEnd::Nothing);
            let settings = (PageId::Settings, Command::Settings);
            item(ui, icons::GEAR_SIX, "Settings", settings, NavEnd::Nothing);
        });
}

/// Returns the status at the right end of the quick check's navigation item.
fn quick_end(session: &Session) -> NavEnd {
    let quick = &session.running.quick;
    if quick.check.is_some() {
        return NavEnd::Running;
    }
    let grade = if let Some(result) = &quick.result {
        result.card.grade
    } else {
        let last = session.last_check().and_then(|last| last.run.as_ref().ok());
        last.and_then(|run| run.headline.grade)
    };
    grade.map_or(NavEnd::Nothing, |grade| NavEnd::Verdict(severity_of(Some(grade))))
}

/// Returns the status at the right end of a test's navigation item.
fn test_end(session: &Session, state: &TestState) -> NavEnd {
    if state.live().is_some() {
        return NavEnd::Running;
    }
    let last = session.last_run(state.key()).and_then(|run| run.headline.grade);
    let shown = state.shown.as_ref().and_then(|shown| shown.report.verdict.grade);
    shown.or(last).map_or(NavEnd::Nothing, |grade| NavEnd::Verdict(severity_of(Some(grade))))
}

/// Draws the top bar: title, progress, real-time capability, and the primary button.
pub(super) fn top_ui(
    ui: &mut Ui,
    session: &Session,
    page: PageId,
    width_class: WidthClass,
    hosts: &mut HostMenu,
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    let height =
        if width_class == WidthClass::Narrow { size::TOP_BAR_NARROW } else { size::TOP_BAR };
    Panel::top("top-bar")
        .exact_size(height)
        .resizable(false)
        .show_separator_line(true)
        .frame(Frame::new().inner_margin(Margin::symmetric(size::PAGE_PADDING_X, 0)))
        .show(ui, |ui| {
            region(ui, Region::TopBar);
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_FIELD;
                let (title, subtitle) = titles(session, page);
                let right = right_width(ui, "top-bar-right") + size::GAP_FIELD;
                ui.allocate_ui_with_layout(
                    eframe::egui::vec2((ui.available_width() - right).max(140.0), height),
                    Layout::top_down(Align::Min).with_main_align(Align::Center),
                    |ui| {
                        ui.spacing_mut().item_spacing.y = 0.0;
                        let lines = if width_class == WidthClass::Narrow { 22.0 } else { 40.0 };
                        ui.add_space(((height - lines) / 2.0).max(0.0));
                        Spans::plain(Type::Title, &title, tokens.t1).label(ui);
                        if width_class != WidthClass::Narrow {
                            Spans::plain(Type::Small, &subtitle, tokens.t2).label(ui);
                        }
                    },
                );
                right_aligned(ui, "top-bar-right", |ui| {
                    right_ui(ui, session, page, width_class, hosts, actions);
                });
            });
        });
}

fn named(title: &str, subtitle: &str) -> (String, String) {
    (title.to_owned(), subtitle.to_owned())
}

/// Returns title and subtitle of a page.
fn titles(session: &Session, page: PageId) -> (String, String) {
    let key = match page {
        PageId::Quick => return named("Quick check", &quick_subtitle(session)),
        PageId::Test(key) => key,
        PageId::Record => return record_titles(session),
        PageId::Runs => return named("Runs", "Tests are saved here automatically"),
        PageId::Machine => return named("Machine", "Hardware, system, and capabilities"),
        PageId::Settings => return named("Settings", "Changes are saved automatically"),
        PageId::Welcome => return named("Welcome", "Choose where to begin"),
        PageId::Compare => return ("Compare".to_owned(), compare_subtitle(session)),
        PageId::Capture => return capture_titles(session),
    };
    let Some(state) = session.running.test(key) else { return (String::new(), String::new()) };
    let subtitle = match (state.live(), state.shown.as_ref()) {
        (None, Some(shown)) => {
            let run = &shown.run;
            let rows = shown.report.rows.len();
            let what = match (rows, shown.report.rows.first()) {
                (1, Some(row)) => row.label.clone(),
                (rows, _) => {
                    let name = run.plan().map_or("configurations", |plan| plan.listing().rows_name);
                    format!("{rows} {name}")
                }
            };
            format!(
                "{} · {what} · {} · {}",
                text::began_text(run.started_at, &run.ending),
                text::format_long_time(run.measured()),
                if shown.path.is_some() { "saved" } else { "not saved" },
            )
        }
        _ => state.plan.listing().subtitle.to_owned(),
    };
    (state.name().to_owned(), subtitle)
}

/// Returns title and subtitle of the page of recordings: of the one in progress, else of the one on screen.
fn record_titles(session: &Session) -> (String, String) {
    let subtitle = match (session.recordings.status.as_ref(), session.running.recorded.as_ref()) {
        (Some(status), _) => text::recordings::subtitle(status),
        (None, Some(shown)) => {
            let run = &shown.run;
            let length = run.recording().map(|recording| recording.length).unwrap_or_default();
            format!(
                "{} · {} · {}",
                text::run_name(run),
                text::began_text(run.started_at, &run.ending),
                text::format_long_time(length)
            )
        }
        (None, None) => "Why did my game stutter, and which program delayed it?".to_owned(),
    };
    ("Record".to_owned(), subtitle)
}

/// Returns title and subtitle of the page of an imported run.
fn capture_titles(session: &Session) -> (String, String) {
    let Some(shown) = &session.running.capture else { return named("Imported", "") };
    let run = &shown.run;
    let saved = if shown.path.is_some() { "saved" } else { "not saved" };
    let machine = &run.machine;
    let cards = [machine.gpu.as_deref(), machine.gpu_driver.as_deref()];
    let mut cards = cards.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if cards.is_empty() {
        cards.push_str("GPU and driver not reported");
    }
    let is_of_frames = matches!(run.capture(), Some(Capture::Frames(_) | Capture::SampledLog(_)));
    let view = &shown.report.options.capture;
    let is_whole = view.from.is_none() && view.to.is_none() && view.skip_first == 0;
    let length = Some(run.measured()).filter(|length| is_whole && Nanos::ZERO < *length);
    let count = run.capture().map(|capture| {
        let rows = match capture {
            Capture::Frames(_) => "frames",
            Capture::SampledLog(_) | Capture::SampledTicks(_) => "readings",
            Capture::Ticks(_) => "ticks",
            Capture::Histogram(_) => "values",
        };
        let shown = shown.report.results::<RecordingFigures>().iter();
        let count = text::count_text(shown.map(|one| one.figures.count()).sum::<u64>(), rows);
        match length {
            Some(length) => format!("{count}, {}", text::format_long_time(length)),
            None => count,
        }
    });
    let parts = [
        Some(run.app_version.clone()),
        Some(text::date(&text::local(run.started_at))),
        is_of_frames.then_some(cards),
        count,
        Some(saved.to_owned()),
    ];
    (text::run_name(run), parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// Returns the time of the displayed check; before the first check, the question that it answers.
fn quick_subtitle(session: &Session) -> String {
    let quick = &session.running.quick;
    match quick.result.as_ref().filter(|_| quick.check.is_none()) {
        None => "Is this PC causing stutter? Find out in about a minute".to_owned(),
        Some(result) => {
            let measured = result.parts.iter().filter(|(_, shown)| shown.is_some()).count();
            format!(
                "{} · {} · {measured} of {} measurements",
                text::began_text(result.began, &result.ending),
                text::format_long_time(result.took),
                result.parts.len(),
            )
        }
    }
}

fn compare_subtitle(session: &Session) -> String {
    match &session.comparing.progress {
        Progress::Checks(compared) => {
            format!("{} quick checks · baseline A", compared.checks.len())
        }
        Progress::Done(compared) => {
            let test = compared.runs.first().map_or("", |shown| shown.run.subject.name());
            format!("{} · {test} · baseline A", compared.counted())
        }
        _ => "2 to 4 runs of the same test, or groups of runs, side by side".to_owned(),
    }
}

fn right_ui(
    ui: &mut Ui,
    session: &Session,
    page: PageId,
    width_class: WidthClass,
    hosts: &mut HostMenu,
    actions: &mut Vec<Action>,
) {
    progress_ui(ui, session, page, width_class, actions);
    if has_place(page) && width_class != WidthClass::Narrow {
        hosts.badge_ui(ui, session, width_class == WidthClass::Medium, actions);
    }
    if let (PageId::Capture, Some(shown)) = (page, session.running.capture.as_ref()) {
        let program = format!("Imported: {}", shown.run.app_version);
        badge(ui, Severity::Info, &program).on_hover_text(text::import::RECOGNIZED);
    } else if width_class != WidthClass::Narrow && page != PageId::Welcome {
        // The first page states nothing as denied before the user tried anything.
        capability_ui(ui, session, actions);
    }
    if session.running.is_running() && !session.running.is_in_view(page) {
        let name = format!("Stop {}", session.running.name());
        if ui.add(Button::stop("Stop").icon(icons::STOP_FILL).name(&name).bar()).clicked() {
            actions.push(Action::Stop);
        }
    }
    if session.shows_example(page) {
        let hint =
            "An example, measured on another PC. It is not among your runs unless you save it.";
        badge(ui, Severity::Info, "Example").on_hover_text(hint);
    }
    if page == PageId::Runs {
        examples_menu_ui(ui, actions);
    }
    if page == PageId::Machine {
        copy_machine_ui(ui, session, actions);
    }
    if page == PageId::Quick {
        quick_button_ui(ui, session, width_class, actions);
    }
    let PageId::Test(key) = page else { return };
    let Some(state) = session.running.test(key) else { return };
    match &state.phase {
        Phase::Running(_) => stop_button_ui(ui, session, width_class, actions),
        Phase::Stopping(_) => {
            ui.add_enabled(false, Button::stop("Stopping").bar());
        }
        Phase::Saving => {
            ui.add_enabled(false, Button::primary("Saving").bar());
        }
        Phase::Idle => {
            let text = if state.shown.is_some() && !state.is_changed_since_result() {
                "Run again"
            } else {
                "Run test"
            };
            if run_button_ui(ui, text, session.can_start(page)) {
                actions.push(Action::Run(key));
            }
        }
    }
}

/// Draws the button that marks the current time in the running test; its label has the number of
/// the mark.
fn mark_ui(ui: &mut Ui, session: &Session, width_class: WidthClass, actions: &mut Vec<Action>) {
    let Some((_, live)) = session.running.live() else { return };
    let is_measuring = live.current().is_some_and(|trial| !trial.samples.is_empty());
    let by_key = key_text(ui.ctx(), Command::Mark);
    let mark = live.next_mark();
    let button = Button::new(if width_class == WidthClass::Wide { mark.as_str() } else { "" });
    let mut button = button.icon(icons::NOTE_PENCIL).name(&mark).bar();
    button = match width_class {
        WidthClass::Wide => button.shortcut(&by_key),
        // The button is only as wide as its icon.
        _ => button.min_width(0.0),
    };
    let mut hint = "Annotates this moment of the run.".to_owned();
    if let Some(ShortcutState::Registered(keys)) = session.mark_shortcut.state.as_ref() {
        hint.push_str(&format!(" In other programs, press {keys}."));
    }
    if ui.add_enabled(is_measuring, button).on_hover_text(hint).clicked() {
        actions.push(Action::Mark);
    }
}

/// Draws the button that starts or stops the quick check.
fn quick_button_ui(
    ui: &mut Ui,
    session: &Session,
    width_class: WidthClass,
    actions: &mut Vec<Action>,
) {
    let quick = &session.running.quick;
    if quick.check.is_some() {
        return stop_button_ui(ui, session, width_class, actions);
    }
    let text = if quick.result.is_some() { "Run again" } else { "Run check" };
    if run_button_ui(ui, text, session.can_start(PageId::Quick)) {
        actions.push(Action::RunQuick);
    }
}

/// Draws the buttons that mark the current time and stop the test.
fn stop_button_ui(
    ui: &mut Ui,
    session: &Session,
    width_class: WidthClass,
    actions: &mut Vec<Action>,
) {
    mark_ui(ui, session, width_class, actions);
    let by_key = key_text(ui.ctx(), Command::Stop);
    if ui.add(Button::stop("Stop").icon(icons::STOP_FILL).shortcut(&by_key).bar()).clicked() {
        actions.push(Action::Stop);
    }
}

/// Draws the button that starts a test or check; returns whether it was clicked.
fn run_button_ui(ui: &mut Ui, text: &str, is_enabled: bool) -> bool {
    let by_key = key_text(ui.ctx(), Command::Run);
    let button = Button::primary(text).icon(icons::PLAY_FILL).shortcut(&by_key).bar();
    ui.add_enabled(is_enabled, button).clicked()
}

/// Draws the button that copies all facts about the machine as Markdown.
fn copy_machine_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let copy = Button::new("Copy as Markdown").icon(icons::COPY).min_width(size::PRIMARY_WIDTH);
    let shown = ui.add_enabled(session.machine.facts().is_some(), copy);
    if let Some(facts) = session.machine.facts().filter(|_| shown.clicked()) {
        ui.ctx().copy_text(machine_markdown(facts));
        actions.push(Action::Tell("Machine report copied.".to_owned()));
    }
}

/// Converts a share of progress to single precision, for drawing.
#[expect(clippy::cast_possible_truncation, reason = "a share of a bar's length")]
const fn single(value: f64) -> f32 {
    value as f32
}

/// Shows whether real-time scheduling is granted; a click opens the list of capabilities.
fn capability_ui(ui: &mut Ui, session: &Session, actions: &mut Vec<Action>) {
    let shown = match session.machine.facts().map(|facts| facts.realtime.is_granted) {
        None => badge(ui, Severity::NotMeasured, "Real-time: not tested"),
        Some(true) => badge(ui, Severity::Good, "Real-time: available")
            .on_hover_text("Highest and Time-critical priority were requested and granted."),
        Some(false) => badge(ui, Severity::Denied, "Real-time: denied · Details").on_hover_text(
            "The system denied real-time priority. Click for the reason and how to allow it.",
        ),
    };
    if shown.clicked() {
        actions.push(Action::GoTo(PageId::Machine));
    }
}

/// Returns an icon and a short text for whether real-time scheduling is granted.
fn capability_in_short(session: &Session) -> (&'static str, &'static str) {
    match session.machine.facts().map(|facts| facts.realtime.is_granted) {
        None => (icons::MINUS_CIRCLE, "Real-time: not tested"),
        Some(true) => (icons::SHIELD_CHECK, "Real-time: available"),
        Some(false) => (icons::SHIELD_WARNING, "Real-time: denied"),
    }
}

/// Draws the status bar: state, machine, and conditions; lost samples, clock, and the overhead of
/// the app.
pub(super) fn status_ui(
    ui: &mut Ui,
    session: &Session,
    page: PageId,
    cost: &OverheadMeter,
    (plots_hz, hosts): (Option<f64>, Option<&mut HostMenu>),
    actions: &mut Vec<Action>,
) {
    let tokens = Tokens::of(ui);
    Panel::bottom("status-bar")
        .exact_size(size::STATUS_BAR)
        .resizable(false)
        .show_separator_line(true)
        .frame(bar_frame(tokens.rail, Margin::symmetric(12, 0)))
        .show(ui, |ui| {
            region(ui, Region::StatusBar);
            ui.horizontal_centered(|ui| {
                ui.spacing_mut().item_spacing.x = size::GAP_GROUP;
                let mut of_menu = Vec::new();
                let mut cut_part = |ui: &mut Ui, icon: &str, text: &str, width: f32| {
                    let part = word_button(ui, icon, text, width);
                    if part.on_hover_text(format!("{text}\nOpen the Machine page")).clicked() {
                        actions.push(Action::GoTo(PageId::Machine));
                    }
                };
                let mut part =
                    |ui: &mut Ui, icon: &str, text: &str| cut_part(ui, icon, text, f32::INFINITY);
                let is_narrow = ui.content_rect().width() < size::MEDIUM_FROM;
                match session.running.live() {
                    Some(_) if is_narrow => part(ui, icons::PULSE, "Measuring"),
                    Some((state, _)) => {
                        let name = match &session.running.quick.check {
                            Some(check) => check.sequence.current().name(),
                            None => state.name(),
                        };
                        part(ui, icons::PULSE, &format!("Measuring: {name}"));
                    }
                    None if is_waiting(session) => {
                        part(ui, icons::HOURGLASS_MEDIUM, "Waiting for quiet");
                    }
                    None if session.running.is_busy() => part(ui, icons::FLOPPY_DISK, "Saving"),
                    None => part(ui, icons::CHECK, "Idle"),
                }
                // The items at the right end are never truncated. The machine and the conditions
                // get the remaining space.
                let room = |ui: &Ui| {
                    ui.available_width() - right_width(ui, "status-right") - size::GAP_GROUP
                };
                if let Some(facts) = session.machine.facts() {
                    let width = room(ui);
                    if MIN_PART < width {
                        cut_part(ui, icons::CPU, &facts.machine.short(), width);
                    }
                }
                if let Some(conditions) = conditions(session) {
                    let width = room(ui);
                    if 2.0 * MIN_PART < width {
                        cut_part(ui, "", &conditions, width);
                    }
                }
                let mut part =
                    |ui: &mut Ui, icon: &str, text: &str| cut_part(ui, icon, text, f32::INFINITY);
                right_aligned(ui, "status-right", |ui| {
                    if let Some(hosts) = hosts.filter(|_| is_narrow) {
                        hosts.badge_ui(ui, session, true, &mut of_menu);
                    }
                    if is_narrow && page != PageId::Welcome {
                        let (icon, words) = capability_in_short(session);
                        part(ui, icon, words);
                    }
                    if let Some((_, live)) = session.running.live() {
                        lost_ui(ui, live);
                    }
                    if let Some(facts) = session.machine.facts().filter(|_| !is_narrow) {
                        let cost = facts.clock.read_cost_nanos.round();
                        part(ui, "", &format!("Clock read {cost:.0} ns"));
                    }
                    if let Some(share) = cost.share {
                        let rate = plots_hz.filter(|_| !is_narrow);
                        let rate =
                            rate.map_or(String::new(), |hz| format!(" · plots at {hz:.0} Hz"));
                        let share = text::format_share(share);
                        let of = if is_narrow { "" } else { " of one CPU" };
                        part(ui, "", &format!("App CPU {share}{of}{rate}"));
                    }
                    part(ui, "", env!("CARGO_PKG_VERSION"));
                });
                actions.append(&mut of_menu);
            });
        });
}

/// Whether a check or a test waits for other programs.
fn is_waiting(session: &Session) -> bool {
    let check = session.running.quick.check.as_ref();
    session.running.waiting.is_some()
        || check.is_some_and(|check| check.sequence.is_waiting_for_quiet())
}

/// Returns the power source, the power plan, and the load of other programs as one text, or `None`
/// if the system reports none of them.
fn conditions(session: &Session) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(power) = session.machine.power() {
        match power.source {
            Some(PowerSource::Mains) => parts.push("AC power".to_owned()),
            Some(PowerSource::Battery { percent: Some(percent) }) => {
                parts.push(format!("Battery {percent}%"));
            }
            Some(PowerSource::Battery { percent: None }) => parts.push("Battery".to_owned()),
            None => {}
        }
        if let Some(plan) = &power.governor_or_plan {
            let machine = session.machine.facts().map(|facts| &facts.machine);
            let label = machine.map_or("Governor", text::machine::power_label);
            parts.push(format!("{label} {plan}"));
        }
    }
    if let Some(load) = session.machine.other_load() {
        parts.push(format!("other load {}", text::format_share(load)));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}
