//! Tests keyboard control and screen reader output of the widgets, without a window.

use std::cell::RefCell;

use eframe::egui::accesskit::{Live, Node, Role};
use eframe::egui::{self, Context, Event, Key, Modifiers, RawInput, Ui};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::plan::form::Parameter;
use jitterscope_engine::plan::{
    CpuChoice, FrameLoop, LoadCount, Priority, Probe as _, SleepAccuracy,
};

use super::*;
use crate::theme;

/// A window of 800 × 600 points that exists in memory only.
struct TestWindow {
    ctx: Context,
    time: f64,
}

impl TestWindow {
    fn new() -> Self {
        let ctx = Context::default();
        theme::install(&ctx);
        ctx.enable_accesskit();
        Self { ctx, time: 0.0 }
    }

    /// Advances the time by 0.1 s, draws one frame, and returns the nodes of its accessibility tree.
    fn frame(&mut self, events: Vec<Event>, contents: impl FnMut(&mut Ui)) -> Vec<Node> {
        self.time += 0.1;
        let size = egui::vec2(800.0, 600.0);
        let input = RawInput {
            screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size)),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        let mut output = self.ctx.run_ui(input, contents);
        output.textures_delta.clear();
        let update = output.platform_output.accesskit_update.take();
        update
            .map(|update| update.nodes.into_iter().map(|(_, node)| node).collect())
            .unwrap_or_default()
    }

    fn press(&mut self, key: Key, contents: impl FnMut(&mut Ui)) -> Vec<Node> {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![event(true), event(false)], contents)
    }
}

fn named<'a>(nodes: &'a [Node], role: Role, name: &str) -> &'a Node {
    let found = nodes.iter().find(|node| node.role() == role && node.label() == Some(name));
    found.unwrap_or_else(|| panic!("no {role:?} named {name:?} in {nodes:#?}"))
}

#[test]
fn arrows_move_within_a_segmented_control_and_tab_visits_it_once() {
    let mut window = TestWindow::new();
    let fps = RefCell::new(60_u32);
    let contents = |ui: &mut Ui| {
        let options = [(30, "30"), (60, "60"), (120, "120")];
        segmented(ui, "Target", &mut *fps.borrow_mut(), &options);
        ui.add(Button::new("After"));
    };
    window.frame(vec![], contents);
    window.press(Key::Tab, contents);
    window.frame(vec![], contents);
    window.press(Key::ArrowRight, contents);
    assert_eq!(*fps.borrow(), 120);
    window.frame(vec![], contents);
    window.press(Key::ArrowRight, contents);
    assert_eq!(*fps.borrow(), 120, "the last one is the end");
    window.press(Key::ArrowLeft, contents);
    assert_eq!(*fps.borrow(), 60);
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    assert_eq!(nodes.iter().filter(|node| node.role() == Role::RadioGroup).count(), 1);
    let selected = named(&nodes, Role::RadioButton, "Target, 60");
    assert_eq!(selected.toggled(), Some(egui::accesskit::Toggled::True));
}

#[test]
fn a_length_that_is_left_to_the_program_shows_so() {
    let mut window = TestWindow::new();
    let length = RefCell::new(Nanos::ZERO);
    let contents = |ui: &mut Ui| {
        let parameter = Parameter::micros(0.0, 1_000.0).or_automatic("Auto");
        value_field(ui, "Shortest gap", &mut *length.borrow_mut(), &parameter, 100.0);
        ui.add(Button::new("After"));
    };
    let mut shown = |typed: Option<&str>| {
        window.frame(vec![], contents);
        if let Some(typed) = typed {
            window.press(Key::Tab, contents);
            window.frame(vec![], contents);
            window.frame(vec![Event::Text(typed.to_owned())], contents);
            window.press(Key::Tab, contents);
            window.frame(vec![], contents);
            window.press(Key::Tab, contents);
        }
        window.frame(vec![], contents);
        let nodes = window.frame(vec![], contents);
        named(&nodes, Role::SpinButton, "Shortest gap").value().map(str::to_owned)
    };
    assert_eq!(shown(None).as_deref(), Some("Auto"));
    assert!(shown(Some("2")).is_some_and(|words| words.starts_with("2.00")), "{length:?}");
    assert_eq!(*length.borrow(), Nanos::from_micros(2));
}

#[test]
fn a_number_of_a_choice_has_the_unit_and_the_label_of_its_setting() {
    let mut window = TestWindow::new();
    let plan = SleepAccuracy {
        priority: Priority::Fifo(7),
        cpu: CpuChoice::Cpu(1),
        ..SleepAccuracy::default()
    };
    let contents = |ui: &mut Ui| {
        let mut form = SettingForm::new(ui, "Sleep", &[], FormContext::default());
        plan.clone().settings(&mut form);
    };
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    let value = |name| named(&nodes, Role::SpinButton, name).value().map(str::trim);
    assert_eq!(value("Sleep, measuring thread, pinning"), Some("1"));
    let level = "Sleep, measuring thread, priority, real-time priority";
    assert_eq!(value(level), Some("7"));
}

#[test]
fn matrix_has_a_column_for_every_cpu_of_its_cells() {
    let mut window = TestWindow::new();
    let cpus = [CpuChoice::Efficiency, CpuChoice::Cpu(1), CpuChoice::Cpu(3)];
    let cells = cpus.map(|cpu| Cell { priority: Priority::Normal, cpu }).to_vec();
    let plan = FrameLoop { cells, ..FrameLoop::default() };
    let contents = |ui: &mut Ui| {
        let mut form = SettingForm::new(ui, "Loop", &[], FormContext::default());
        plan.clone().settings(&mut form);
    };
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    for column in ["E-core", "CPU n", "CPU 3"] {
        named(&nodes, Role::CheckBox, &format!("Loop, Normal, {column}"));
    }
}

#[test]
fn a_choice_that_would_be_cut_in_half_a_row_has_a_whole_one() {
    let width_in = |column: f32, name: &str| {
        let mut window = TestWindow::new();
        let mut plan = FrameLoop::default();
        plan.load.count = LoadCount::HalfOfCpus;
        let contents = |ui: &mut Ui| {
            ui.set_width(column);
            let mut form = SettingForm::new(ui, "Loop", &[], FormContext::default());
            plan.clone().settings(&mut form);
        };
        window.frame(vec![], contents);
        let nodes = window.frame(vec![], contents);
        let combo = named(&nodes, Role::ComboBox, name);
        combo.bounds().map(|bounds| bounds.x1 - bounds.x0).unwrap()
    };
    for name in ["load priority", "load threads, kind"] {
        let name = format!("Loop, background load, {name}");
        assert!(width_in(228.0, &name) > 200.0, "{name} has a whole row");
        assert!(width_in(400.0, &name) < 210.0, "{name} has half a row");
    }
}

#[test]
fn a_number_out_of_range_is_marked_and_fixed_on_leaving() {
    let mut window = TestWindow::new();
    let length = RefCell::new(Nanos::from_secs(30));
    let contents = |ui: &mut Ui| {
        let parameter = Parameter::secs(1.0, 600.0);
        value_field(ui, "Duration", &mut *length.borrow_mut(), &parameter, 100.0);
        ui.add(Button::new("After"));
    };
    window.frame(vec![], contents);
    window.press(Key::Tab, contents);
    window.frame(vec![], contents);
    let typed = window.frame(vec![Event::Text("900".to_owned())], contents);
    assert_eq!(*length.borrow(), Nanos::from_secs(600), "what the page sees is in range");
    assert!(typed.iter().any(|node| node.value() == Some("At most 600 s")));
    let still = window.frame(vec![], contents);
    assert!(still.iter().any(|node| node.description() == Some("At most 600 s")));
    window.press(Key::Tab, contents);
    window.frame(vec![], contents);
    let left = window.frame(vec![], contents);
    assert!(!left.iter().any(|node| node.description() == Some("At most 600 s")));
    assert_eq!(*length.borrow(), Nanos::from_secs(600));
}

#[test]
fn escape_in_a_number_field_restores_the_value_that_it_had() {
    for typed in ["900", "45"] {
        let mut window = TestWindow::new();
        let length = RefCell::new(Nanos::from_secs(30));
        let contents = |ui: &mut Ui| {
            let parameter = Parameter::secs(1.0, 600.0);
            value_field(ui, "Duration", &mut *length.borrow_mut(), &parameter, 100.0);
            ui.add(Button::new("After"));
        };
        window.frame(vec![], contents);
        window.press(Key::Tab, contents);
        window.frame(vec![], contents);
        window.frame(vec![Event::Text(typed.to_owned())], contents);
        assert_ne!(*length.borrow(), Nanos::from_secs(30), "{typed} is taken while it is typed");
        window.press(Key::Escape, contents);
        window.frame(vec![], contents);
        let nodes = window.frame(vec![], contents);
        assert_eq!(*length.borrow(), Nanos::from_secs(30), "{typed}");
        let field = named(&nodes, Role::SpinButton, "Duration");
        assert!(field.value().is_some_and(|words| words.starts_with("30")), "{field:?}");
        assert!(field.description().is_none(), "no longer marked as out of range");
    }
}

#[test]
fn enter_answers_a_dialog_and_escape_takes_the_question_back() {
    for (key, expected) in [(Key::Enter, Answer::Primary), (Key::Escape, Answer::Cancel)] {
        let mut window = TestWindow::new();
        let answer = RefCell::new(None);
        let contents = |ui: &mut Ui| {
            let question = Dialog {
                title: "Stop the test?",
                text: "3 of 12 configurations are complete.",
                primary: "Stop",
                cancel: "Keep running",
                is_stop: true,
            };
            if answer.borrow().is_none() {
                *answer.borrow_mut() = question.show(ui);
            }
        };
        window.frame(vec![], contents);
        window.frame(vec![], contents);
        assert_eq!(*answer.borrow(), None);
        window.press(key, contents);
        assert_eq!(*answer.borrow(), Some(expected));
    }
}

#[test]
fn messages_leave_but_errors_stay_and_all_are_announced_politely() {
    let mut window = TestWindow::new();
    let toasts = RefCell::new(Toasts::<()>::default());
    toasts.borrow_mut().push(Toast::info("Copied."));
    toasts.borrow_mut().push(Toast::error("Could not save."));
    let contents = |ui: &mut Ui| {
        toasts.borrow_mut().show(ui);
    };
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    assert_eq!(named(&nodes, Role::Status, "Copied.").live(), Some(Live::Polite));
    for _ in 0..80 {
        window.frame(vec![], contents);
    }
    let nodes = window.frame(vec![], contents);
    assert!(!nodes.iter().any(|node| node.label() == Some("Copied.")));
    named(&nodes, Role::Status, "Could not save.");
}

#[test]
fn while_a_test_runs_only_errors_are_shown() {
    let mut window = TestWindow::new();
    let toasts = RefCell::new(Toasts::<()>::default());
    toasts.borrow_mut().hold(true);
    toasts.borrow_mut().push(Toast::warning("The window was hidden."));
    toasts.borrow_mut().push(Toast::error("Could not save."));
    let contents = |ui: &mut Ui| {
        toasts.borrow_mut().show(ui);
    };
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    assert!(!nodes.iter().any(|node| node.label() == Some("The window was hidden.")));
    named(&nodes, Role::Status, "Could not save.");
    toasts.borrow_mut().hold(false);
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    named(&nodes, Role::Status, "The window was hidden.");
}

#[test]
fn a_verdict_is_one_node_and_a_tile_shows_all_it_shows() {
    let mut window = TestWindow::new();
    let contents = |ui: &mut Ui| {
        VerdictStrip::new(Severity::Good, "Good")
            .sentence("Pinning brings nothing.")
            .evidence("52 µs late.")
            .show(ui, |ui| {
                ui.add(Button::new("Export"));
            });
        tile_row(ui, &[Tile::new("p99", "524", "µs").note("of 1 800")]);
    };
    window.frame(vec![], contents);
    let nodes = window.frame(vec![], contents);
    let shows = |text: &str| nodes.iter().filter(|node| node.value() == Some(text)).count();
    assert_eq!(shows("Verdict: Good. Pinning brings nothing. 52 µs late."), 1);
    assert_eq!(shows("p99 524 µs of 1 800"), 1);
    named(&nodes, Role::Button, "Export");
}
