//! Plots, used by keyboard, by pointer, and by their accessible names: ranges, annotations, distributions,
//! the heat map of gaps.

use std::path::PathBuf;

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Pos2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use jitterscope::App;
use jitterscope::PageId;
use jitterscope::{LiveWindow, Scale, Timeline, TimelineData};
use jitterscope_engine::export::{self, Format, Options};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::Cell;
use jitterscope_engine::plan::{CpuChoice, FrameLoop, Plan, Priority, SchedulingGaps};
use jitterscope_engine::run::{Run, RunId};
use jitterscope_engine::sample::Sample;
use jitterscope_engine::store::{Store, load};

use super::snapshots::made::run_of;
use super::window::{step_until, window};

/// Returns a run of the frame loop with these priorities; its samples are always the same.
fn frames(priorities: &[Priority]) -> Run {
    let cell = |&priority| Cell { priority, cpu: CpuChoice::Any };
    let cells = priorities.iter().map(cell).collect();
    let plan = FrameLoop { cells, order_seed: 0, ..FrameLoop::default() };
    run_of(7, "made", Plan::FrameLoop(plan), |_| false)
}

/// Opens a window on the page of the run; returns the window and the file of the run.
pub(super) fn opened(folder: &tempfile::TempDir, run: &Run) -> (Harness<'static, App>, PathBuf) {
    let store = Store::at(folder.path());
    let path = store.save(run).unwrap();
    let files = vec![path.clone()];
    let mut harness = Harness::builder()
        .with_size([1440.0, 900.0])
        .build_eframe(move |cc| App::with_store(cc, Some(store)).opening(files));
    let key = run.subject.key();
    step_until(&mut harness, |app| app.session.running.shown(key).is_some());
    harness.run_steps(4);
    (harness, path)
}

fn shows(harness: &Harness<'_, App>, words: &str) -> bool {
    harness.query_all_by_label_contains(words).next().is_some()
}

/// Returns the plot whose accessible name begins with `begins`.
fn plot<'a>(harness: &'a Harness<'_, App>, begins: &str) -> Node<'a> {
    let is_it = |node: &Node<'_>| label(node).starts_with(begins);
    harness.query_all_by_role(Role::Image).find(is_it).expect("there is such a plot")
}

fn label(node: &Node<'_>) -> String {
    node.accesskit_node().label().unwrap_or_default().replace('\u{202f}', " ")
}

pub(super) fn copied(harness: &Harness<'_, App>) -> Option<String> {
    let commands = &harness.output().platform_output.commands;
    commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    })
}

/// Drags from one position to another with the Shift key pressed.
fn select(harness: &mut Harness<'_, App>, from: Pos2, to: Pos2) {
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::SHIFT,
    };
    harness.event_modifiers(Event::PointerMoved(from), Modifiers::SHIFT);
    harness.step();
    harness.event_modifiers(button(from, true), Modifiers::SHIFT);
    harness.step();
    for share in [0.3, 0.6, 1.0] {
        let at = from + (to - from) * share;
        harness.event_modifiers(Event::PointerMoved(at), Modifiers::SHIFT);
        harness.step();
    }
    harness.event_modifiers(button(to, false), Modifiers::SHIFT);
    harness.run_steps(4);
}

#[test]
fn a_range_is_selected_with_shift_and_its_statistics_are_copied_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    let rect = plot(&harness, "Timeline, ").rect();
    let at = |share: f32| rect.left_center() + egui::vec2(rect.width() * share, 0.0);
    select(&mut harness, at(0.25), at(0.75));
    assert!(shows(&harness, "Selected 7."), "the half in the middle of 30 s");
    harness.get_by_label("Copy statistics").click();
    harness.step();
    let text = copied(&harness).unwrap();
    for word in ["lateness: samples 9", "mean ", "p50 ", "p99 ", "max ", "late ", "missed 1"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    harness.run_steps(2);
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(!shows(&harness, "Selected 7."), "Esc clears");
    // Select a range with the keyboard.
    plot(&harness, "Timeline, ").focus();
    harness.run_steps(2);
    for _ in 0..5 {
        harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
        harness.run_steps(2);
    }
    assert!(shows(&harness, "Selected 15."), "from the middle to the right");
}

#[test]
fn a_plot_has_room_for_its_words_in_the_redraw_that_changes_them() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    harness.run_steps(4);
    for view in ["Show, Lateness", "Scale, Log", "Show, Frame time", "Scale, Linear"] {
        let before = label(&plot(&harness, "Timeline"));
        let button = harness.get_all_by_role_and_label(Role::RadioButton, view).next().unwrap();
        button.click_accesskit();
        harness.step();
        let left = plot(&harness, "Timeline").rect().left();
        harness.run_steps(4);
        let (after, later) =
            (label(&plot(&harness, "Timeline")), plot(&harness, "Timeline").rect());
        assert!((left - later.left()).abs() < 0.5, "{view}: {left} {later:?} {before} {after}");
    }
}

#[test]
fn an_annotation_is_saved_with_its_run_edited_exported_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, path) = opened(&folder, &frames(&[Priority::Normal]));
    let saved = |path: &PathBuf| load(path).map(|run| run.annotations).unwrap_or_default();
    plot(&harness, "Timeline, ").focus();
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
    harness.run_steps(3);
    harness.key_press(Key::A);
    harness.run_steps(3);
    harness.event(Event::Text("Update began".to_owned()));
    harness.run_steps(2);
    harness.key_press(Key::Enter);
    harness.run_steps(3);
    step_until(&mut harness, |_| !saved(&path).is_empty());
    let made = saved(&path);
    assert_eq!((made.len(), made[0].text.as_str()), (1, "Update began"));
    assert!(made[0].from < made[0].to, "a range");
    let shown = harness.state().session.running.shown("frame-loop").unwrap();
    assert_eq!(shown.run.annotations, made, "an export of the result holds it, too");
    let mut markdown = Vec::new();
    let options = Options::default();
    export::write(Format::Markdown, &shown.run, &shown.report, &options, &mut markdown).unwrap();
    assert!(String::from_utf8(markdown).unwrap().contains("Update began"));
    harness.get_by_label_contains("Annotation at").click();
    harness.run_steps(3);
    harness.event(Event::Text(" early".to_owned()));
    harness.run_steps(2);
    harness.get_by_label("Save annotation").click();
    step_until(&mut harness, |_| saved(&path).iter().any(|one| one.text == "Update began early"));
    harness.get_by_label_contains("Annotation at").click();
    harness.run_steps(3);
    harness.get_by_label("Delete annotation").click();
    step_until(&mut harness, |_| saved(&path).is_empty());
    harness.run_steps(3);
    assert!(!shows(&harness, "Annotation at"));
}

#[test]
fn a_bar_of_a_histogram_marks_its_frames_in_the_timeline() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    let histogram = plot(&harness, "Lateness histogram, ");
    histogram.scroll_to_me();
    histogram.focus();
    harness.run_steps(4);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowLeft);
    harness.run_steps(3);
    let longest = harness.get_by_label_contains("Enter shows these frames");
    let words = label(&longest);
    assert!(words.contains("ms: 1."), "one frame is far later than all others: {words}");
    harness.key_press(Key::Enter);
    harness.run_steps(6);
    assert!(shows(&harness, "1 frame marked: lateness"));
    let at = plot(&harness, "Timeline, ");
    assert!(at.is_focused(), "the timeline has the keyboard");
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(!shows(&harness, "frame marked"), "Esc clears");
}

#[test]
fn a_point_of_a_tail_opens_its_configuration_with_its_frames_marked() {
    let folder = tempfile::tempdir().unwrap();
    let run = frames(&[Priority::Normal, Priority::AboveNormal]);
    let (mut harness, _) = opened(&folder, &run);
    assert!(!shows(&harness, "All configurations"));
    let tail = plot(&harness, "Tail distribution, ");
    tail.scroll_to_me();
    tail.focus();
    harness.run_steps(4);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::ArrowLeft);
    harness.run_steps(3);
    harness.key_press(Key::Enter);
    harness.run_steps(8);
    assert!(shows(&harness, "All configurations"), "one is shown alone");
    assert!(shows(&harness, "1 frame marked: lateness"), "its latest");
}

#[test]
fn the_table_of_a_capture_has_what_is_in_view() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("capture.csv");
    std::fs::write(&file, super::compare::capture(1, 0)).unwrap();
    let run = jitterscope_engine::import::read(&file, &<_>::default()).unwrap().into_run();
    let (mut harness, _) = opened(&folder, &run);
    let frames = |harness: &mut Harness<'_, App>| {
        plot(harness, "Timeline, ").focus();
        harness.run_steps(3);
        harness.key_press_modifiers(Modifiers::SHIFT, Key::F10);
        harness.run_steps(3);
        harness.get_by_label("Copy as table").click();
        let text = (0..4).find_map(|_| {
            harness.step();
            copied(harness)
        });
        text.unwrap().lines().filter(|line| line.starts_with("Frame time")).count()
    };
    assert_eq!(frames(&mut harness), 1_800);
    for _ in 0..4 {
        plot(&harness, "Timeline, ").focus();
        harness.run_steps(2);
        harness.key_press(Key::Plus);
        harness.run_steps(3);
    }
    let in_view = frames(&mut harness);
    assert!((1..900).contains(&in_view), "{in_view}");
}

#[test]
fn escape_in_a_dialog_leaves_the_selected_frame() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    let is_selected = |harness: &Harness<'_, App>| shows(harness, "Clear selection");
    harness.key_press(Key::N);
    harness.run_steps(3);
    assert!(is_selected(&harness));
    harness.key_press(Key::F1);
    harness.run_steps(3);
    assert!(shows(&harness, "Mark this moment"));
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(!shows(&harness, "Mark this moment"));
    assert!(is_selected(&harness), "only the dialog closed");
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(!is_selected(&harness));
}

#[test]
fn a_drag_along_the_axis_keeps_the_data_in_sight_and_0_shows_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    let rect = plot(&harness, "Timeline, ").rect();
    let axis = rect.left_bottom() + egui::vec2(rect.width() * 0.8, 9.0);
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    let is_moved = |harness: &Harness<'_, App>| {
        harness
            .get_all_by_label("Reset zoom: Timeline")
            .all(|node| !node.accesskit_node().is_disabled())
    };
    assert!(!is_moved(&harness), "all of it at first");
    harness.event(Event::PointerMoved(axis));
    harness.step();
    harness.event(button(axis, true));
    harness.step();
    for share in 1..=9_u8 {
        harness.event(Event::PointerMoved(axis - egui::vec2(60.0 * f32::from(share), 0.0)));
        harness.step();
    }
    harness.event(button(axis - egui::vec2(540.0, 0.0), false));
    harness.run_steps(4);
    assert!(is_moved(&harness), "the axis was dragged");
    // The pointer is over the axis, not over the plot: the key applies nevertheless.
    harness.key_press(Key::Num0);
    harness.run_steps(4);
    assert!(!is_moved(&harness), "0 shows the whole plot");
}

#[test]
fn the_wheel_scrolls_the_page_and_with_ctrl_zooms_the_plot() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    harness.set_size(egui::vec2(1000.0, 640.0));
    harness.run_steps(3);
    let is_zoomed = |harness: &Harness<'_, App>| {
        let all = harness.get_all_by_label("Reset zoom: Timeline");
        all.into_iter().all(|node| !node.accesskit_node().is_disabled())
    };
    let turn = |harness: &mut Harness<'_, App>, modifiers, up: f32| {
        harness.event(Event::PointerMoved(plot(harness, "Timeline, ").rect().center()));
        harness.run_steps(2);
        harness.event(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, up),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers,
        });
        harness.run_steps(20);
    };
    let top = |harness: &Harness<'_, App>| harness.get_by_label("Copy report").rect().top();
    let before = top(&harness);
    turn(&mut harness, Modifiers::NONE, -60.0);
    let scrolled = top(&harness);
    assert!(scrolled < before - 20.0 && !is_zoomed(&harness), "{before} {scrolled}");
    turn(&mut harness, Modifiers::COMMAND, 120.0);
    assert!((top(&harness) - scrolled).abs() < 1.0 && is_zoomed(&harness));
}

#[test]
fn page_keys_work_while_a_plot_or_a_button_has_the_focus() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    let is_selected = |harness: &Harness<'_, App>| shows(harness, "Clear selection");
    for focused in ["Timeline, ", "Copy report"] {
        harness.get_by_label_contains(focused).focus();
        harness.run_steps(2);
        harness.key_press(Key::N);
        harness.run_steps(3);
        assert!(is_selected(&harness), "{focused}");
        harness.get_by_label_contains(focused).focus();
        harness.run_steps(2);
        harness.key_press(Key::Escape);
        harness.run_steps(3);
        assert!(!is_selected(&harness), "{focused}");
    }
}

#[test]
fn another_result_begins_with_its_verdict_where_the_last_one_was_scrolled() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    harness.set_size(egui::vec2(1000.0, 640.0));
    harness.run_steps(3);
    let top = |harness: &Harness<'_, App>| harness.get_by_label("Copy report").rect().top();
    let before = top(&harness);
    harness.get_by_label("Copy report").hover();
    harness.run_steps(2);
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -200.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    harness.run_steps(20);
    assert!(top(&harness) < before - 20.0, "the page is scrolled");
    let next = Run { id: RunId::parse("0a0b0c0d").unwrap(), ..frames(&[Priority::Normal]) };
    let path = Store::at(folder.path()).save(&next).unwrap();
    harness.state_mut().set_next_dialog_answer(vec![path]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    step_until(&mut harness, |app| {
        app.session.running.shown("frame-loop").is_some_and(|shown| shown.run.id == next.id)
    });
    harness.run_steps(3);
    assert!((top(&harness) - before).abs() < 1.0);
}

/// Returns whether a shape contains a circle with its center above the y position `below`.
fn has_dot_above(shape: &egui::Shape, below: f32) -> bool {
    match shape {
        egui::Shape::Vec(all) => all.iter().any(|one| has_dot_above(one, below)),
        egui::Shape::Circle(circle) => circle.center.y < below,
        _ => false,
    }
}

#[test]
fn one_late_frame_of_ten_million_is_drawn_at_every_zoom() {
    const LATE: i64 = 7_654_321;
    let frame = Nanos::from_millis(1);
    let mut data = TimelineData::new(frame, Nanos::from_micros(50));
    for k in 1..=10_000_000 {
        let due = frame * k;
        let woke = due + Nanos::new(if k == LATE { 900_000 } else { k % 9_000 });
        data.push(&Sample { began: due, due, slept: None, woke, done: woke, spins: 0, cpu: None });
    }
    let ctx = egui::Context::default();
    jitterscope::install_theme(&ctx);
    let mut timeline = Timeline::of_lateness();
    timeline.scale = Scale::Linear;
    let room = egui::vec2(1_440.0, 900.0);
    let pass = |timeline: &mut Timeline| {
        let screen_rect = Some(egui::Rect::from_min_size(Pos2::ZERO, room));
        let input = egui::RawInput { screen_rect, ..egui::RawInput::default() };
        let mut output = ctx.run_ui(input, |ui| {
            timeline.ui(ui, 860.0, &data, LiveWindow::Ended);
        });
        output.textures_delta.clear();
        output.shapes.iter().any(|shape| has_dot_above(&shape.shape, room.y * 0.2))
    };
    // With the late frame outside the view, no dot is drawn in the upper part of the plot.
    timeline.zoom_to(&ctx, (100.0, 200.0));
    pass(&mut timeline);
    assert!(!pass(&mut timeline));
    let at = (frame * LATE).as_secs();
    for width in [10_000.0, 2_000.0, 100.0, 1.0, 0.01] {
        timeline.zoom_to(&ctx, (at - width * 0.4, at + width * 0.6));
        pass(&mut timeline);
        let began = std::time::Instant::now();
        assert!(pass(&mut timeline), "{width} s in view");
        println!("{width} s in view: {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    }
}

#[test]
fn the_map_of_gaps_is_read_by_keys_and_a_cell_shows_its_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let plan = SchedulingGaps { duration: Nanos::from_secs(60), ..SchedulingGaps::default() };
    let run = run_of(9, "made", Plan::SchedulingGaps(plan), |_| false);
    let (mut harness, _) = opened(&folder, &run);
    plot(&harness, "Gaps per CPU").focus();
    harness.run_steps(3);
    for _ in 0..3 {
        harness.key_press(Key::ArrowRight);
        harness.run_steps(2);
    }
    harness.key_press(Key::ArrowDown);
    harness.run_steps(2);
    assert!(shows(&harness, "CPU 1 · 1.2"), "the second row, the fourth of 150 columns");
    harness.key_press(Key::Enter);
    harness.run_steps(3);
    assert!(shows(&harness, "gaps, "));
    harness.get_by_label("Zoom to cell").click();
    harness.run_steps(3);
    assert!(shows(&harness, "longest gap per "), "the note of the card follows the zoom");
    harness.get_by_label("Clear cell").click();
    harness.run_steps(3);
    assert!(harness.query_by_label("Zoom to cell").is_none());
}

#[test]
fn f6_goes_through_the_regions_and_tab_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let (mut harness, _) = opened(&folder, &frames(&[Priority::Normal]));
    let focused = |harness: &Harness<'_, App>| {
        let all = harness.query_all_by_role(Role::Region);
        let names: Vec<String> =
            all.filter(|one| one.is_focused()).map(|one| label(&one)).collect();
        names.concat()
    };
    let mut seen = Vec::new();
    for _ in 0..5 {
        harness.key_press(Key::F6);
        harness.run_steps(3);
        seen.push(focused(&harness));
    }
    assert_eq!(seen, ["Navigation", "Top bar", "Setup", "Results", "Status bar"]);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F6);
    harness.run_steps(3);
    assert_eq!(focused(&harness), "Results");
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F6);
    harness.run_steps(3);
    harness.key_press(Key::Tab);
    harness.run_steps(3);
    assert_eq!(focused(&harness), "", "Tab enters the region");
}

#[test]
fn n_and_p_step_through_the_frames_of_a_capture_that_stutter() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut text = String::from(
        "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents\n",
    );
    let (mut secs, mut stutters) = (0.0, Vec::new());
    for frame in 0..900 {
        let millis = if frame == 200 || frame == 700 { 90.0 } else { 16.7 };
        secs += millis / 1e3;
        if millis == 90.0 {
            stutters.push(secs);
        }
        text.push_str(&format!("game.exe,22,0x2,DXGI,1,0,0,{secs:.6},0.1,{millis}\n"));
    }
    let file = out.path().join("presentmon.csv");
    std::fs::write(&file, text).unwrap();
    let mut harness = window(&folder);
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::O);
    step_until(&mut harness, |app| app.page == PageId::Capture);
    harness.run_steps(3);
    let is_moved = |harness: &Harness<'_, App>| {
        !harness.get_by_label("Reset zoom: Timeline").accesskit_node().is_disabled()
    };
    assert!(!is_moved(&harness));
    let shown = |harness: &Harness<'_, App>| {
        let mut all = harness.query_all_by_role(Role::Image).map(|one| label(&one));
        all.find(|words| words.starts_with("Timeline, Frame time")).unwrap()
    };
    for (key, stutter) in [(Key::N, stutters[0]), (Key::N, stutters[1]), (Key::P, stutters[0])] {
        harness.key_press_modifiers(Modifiers::COMMAND, key);
        harness.run_steps(3);
        assert!(!is_moved(&harness), "that is another shortcut");
        harness.key_press(key);
        harness.run_steps(3);
        assert!(is_moved(&harness), "{key:?} shows a frame and what is around it");
        // The visible points: all frames within 1 s of the stutter, and one more on each side.
        let words = shown(&harness).replace('\u{202f}', " ");
        assert!(words.contains(&format!("max 90.00 ms at {stutter:.2} s")), "{key:?}: {words}");
        assert!(words.contains("Frame time: 117 points"), "{key:?}: {words}");
        harness.get_by_label("Reset zoom: Timeline").click();
        harness.run_steps(3);
        assert!(!is_moved(&harness));
    }
}
