//! The page of an imported capture, also in a small window.

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use jitterscope::App;
use jitterscope_engine::report::capture::CaptureFigures;
use jitterscope_engine::report::{CaptureView, FrameKind, RecordingFigures};
use jitterscope_engine::stats::LowDefinition;

use super::window::{step_until, window};

/// Returns a MangoHud log in which the rows are `apart_millis` ms apart. At 16.7, each row is a frame; at
/// much more, the log is a sample of the frames.
fn mangohud(rows: u32, apart_millis: f64) -> String {
    let mut text = String::from(
        "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n\
         Debian,A Processor,A Graphics Card,16384,6.1,Mesa 25,performance\n\
         fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,swap_used,elapsed\n",
    );
    for row in 0..rows {
        let (time, at) =
            (if row % 90 == 0 { 50.0 } else { 16.5 }, f64::from(row) * apart_millis * 1e6);
        let load = 40 + row % 50;
        text.push_str(&format!("60,{time},{load},97.5,61,70,1850,0,{at:.0}\n"));
    }
    text
}

/// Opens a window and imports a file with this text.
fn imported(folder: &tempfile::TempDir, text: &str) -> Harness<'static, App> {
    let file = folder.path().join("frames.csv");
    std::fs::write(&file, text).unwrap();
    let mut harness = window(folder);
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session.running.capture.is_some());
    harness.run_steps(5);
    harness
}

#[test]
fn another_capture_begins_at_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &mangohud(2_000, 16.7));
    harness.set_size(egui::vec2(1_000.0, 640.0));
    harness.run_steps(3);
    let answer = |harness: &Harness<'_, App>| harness.get_by_label("Copy report").rect().top();
    let top = answer(&harness);
    harness.event(egui::Event::PointerMoved(egui::pos2(985.0, 400.0)));
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, -300.0),
        phase: egui::TouchPhase::Move,
        modifiers: egui::Modifiers::NONE,
        source: egui::MouseWheelSource::Unknown,
    });
    harness.run_steps(20);
    assert!(answer(&harness) < top - 100.0, "it is scrolled");
    let before = harness.state().session.running.capture.as_ref().unwrap().run.id.clone();
    let file = folder.path().join("second.csv");
    std::fs::write(&file, mangohud(1_500, 16.7)).unwrap();
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| {
        app.session.running.capture.as_ref().is_some_and(|shown| shown.run.id != before)
    });
    harness.run_steps(5);
    assert!((answer(&harness) - top).abs() < 1.0, "at its top again");
}

/// Returns the accessible labels of all plots on the page.
fn plots(harness: &Harness<'_, App>) -> Vec<String> {
    let label = |node: egui_kittest::Node<'_>| node.accesskit_node().label().unwrap_or_default();
    harness.query_all_by_role(Role::Image).map(label).collect()
}

#[test]
fn what_a_log_recorded_besides_frame_times_is_below_them_and_its_machine_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &mangohud(2_000, 16.7));
    let found = plots(&harness);
    let strips = found.iter().find(|plot| plot.starts_with("Conditions over time: Frame rate"));
    let strips = strips.unwrap_or_else(|| panic!("{found:?}")).replace('\u{202f}', " ");
    for part in [
        "CPU load 40 to 89 %",
        "GPU load 97.5 %",
        "CPU temperature 61 \u{b0}C",
        "GPU clock 1 850 MHz",
    ] {
        assert!(strips.contains(part), "{part} in {strips}");
    }
    assert!(!strips.contains("Swap"), "what is always 0 is no strip: {strips}");
    for machine in ["A Graphics Card", "Mesa 25"] {
        assert!(harness.query_all_by_label_contains(machine).next().is_some(), "{machine}");
    }
    // Switch from frame times to frame rates.
    let is_shown = |harness: &Harness<'_, App>, words: &str| {
        plots(harness).iter().any(|plot| plot.starts_with(words))
    };
    assert!(is_shown(&harness, "Timeline, Frame time: "));
    harness.get_by_role_and_label(Role::RadioButton, "Show, FPS").click_accesskit();
    harness.run_steps(4);
    assert!(is_shown(&harness, "Timeline, Frame rate: "), "{:?}", plots(&harness));
    assert!(plots(&harness).iter().any(|plot| plot.contains("Median / 2.5: ")));
}

#[test]
fn a_sampled_log_shows_its_readings_and_what_else_it_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let harness = imported(&folder, &mangohud(300, 100.0));
    let found = plots(&harness);
    let strips = found.iter().find(|plot| plot.starts_with("Conditions over time: CPU load"));
    assert!(strips.is_some_and(|strips| !strips.contains("Frame rate")), "{found:?}");
    assert!(found.iter().any(|plot| plot.starts_with("Timeline, Frame time: ")), "{found:?}");
    for tile in ["Min reading", "p50 reading", "Max reading"] {
        assert!(harness.query_all_by_label_contains(tile).next().is_some(), "{tile}");
    }
}

#[test]
fn the_lows_by_every_definition_are_whole_in_the_smallest_window() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = out.path().join("frames.csv");
    let mut text = String::from("Application,ProcessID,TimeInSeconds,msBetweenPresents\n");
    for frame in 0..3_000_i32 {
        let time = if frame % 90 == 0 { 51.9 + f64::from(frame % 7) } else { 16.7 };
        text.push_str(&format!("game.exe,22,{:.6},{time}\n", f64::from(frame) * 0.0167));
    }
    std::fs::write(&file, text).unwrap();
    let mut harness = window(&folder);
    harness.set_size(egui::vec2(1_000.0, 640.0));
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    step_until(&mut harness, |app| app.session.running.capture.is_some());
    harness.run_steps(5);
    let shown = harness.state().session.running.capture.as_ref().unwrap().clone();
    let results = shown.report.results::<RecordingFigures>();
    let CaptureFigures::Frames(frames) = &results[0].figures else { panic!("{results:?}") };
    for lows in [frames.one_percent_low, frames.tenth_percent_low] {
        for by in LowDefinition::ALL {
            let value = format!("{:.1}", lows.unwrap().by(by));
            // A truncated number would be only as wide as a digit and an ellipsis.
            let widths: Vec<f32> =
                harness.get_all_by_label(&value).map(|node| node.rect().width()).collect();
            assert!(widths.iter().all(|width| 22.0 < *width), "{value}: {widths:?}");
        }
    }
}

/// Returns a log of PresentMon 2 with busy and displayed times, and a pause of 5 s.
fn presentmon_2() -> String {
    let mut text = String::from(
        "Application,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,MsCPUBusy,MsGPUBusy\n",
    );
    let mut at = 0.0;
    for frame in 0..2_000_u32 {
        let time = match frame {
            1_000 => 5_000.0,
            _ if frame % 90 == 0 => 50.0,
            _ => 16.5,
        };
        at += time / 1e3;
        let displayed = if frame % 50 == 1 { "NA".to_owned() } else { (time + 0.2).to_string() };
        let gpu = if frame % 4 == 0 { time * 0.5 } else { time * 0.97 };
        text.push_str(&format!("game.exe,{at:.6},{time},{displayed},{},{gpu}\n", time * 0.4));
    }
    text
}

#[test]
fn a_capture_is_shown_as_the_user_asks() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &presentmon_2());
    let view = |harness: &Harness<'_, App>| {
        harness.state().session.running.capture.as_ref().unwrap().report.options.capture.clone()
    };
    let shows = |harness: &Harness<'_, App>, words: &str| {
        harness.query_all_by_label_contains(words).next().is_some()
    };
    assert_eq!(view(&harness), CaptureView::default());
    // The controls state the part that is shown, so that no sentence repeats it.
    let strip = "took more than 2.5 × the moving median.";
    assert!(shows(&harness, strip));
    assert!(!shows(&harness, "without. Presented frames"));
    assert!(shows(&harness, "One pause of 5 s dominates the 1% low ("));
    assert!(shows(&harness, "What limits the frames"));
    harness.get_by_role_and_label(Role::RadioButton, "Frames, Displayed").click_accesskit();
    step_until(&mut harness, |app| {
        let shown = app.session.running.capture.as_ref().unwrap();
        shown.report.options.capture.frames == FrameKind::Displayed
    });
    harness.run_steps(4);
    assert!(shows(&harness, "One pause of 5 s dominates the 1% low ("));
    assert!(!shows(&harness, "--omit-pauses"), "an option of the command line in the window");
    harness.get_by_label("Omit pause").click_accesskit();
    step_until(&mut harness, |app| {
        app.session.running.capture.as_ref().unwrap().report.options.capture.omits_pauses
    });
    harness.run_steps(4);
    let shown = harness.state().session.running.capture.as_ref().unwrap().clone();
    let results = shown.report.results::<RecordingFigures>();
    let CaptureFigures::Frames(frames) = &results[0].figures else { panic!("{results:?}") };
    // 40 of 2000 frames were never displayed, and the pause is omitted.
    assert_eq!(frames.frame_time.count, 1_959);
    assert!(!shows(&harness, "One pause of 5 s"));
    assert!(shows(&harness, "Without 1 pause, 5 s · 1% low with it: "));
    harness.get_by_label("Include it");
    let timeline = plots(&harness).into_iter().find(|plot| plot.starts_with("Timeline, "));
    assert!(timeline.is_some_and(|plot| plot.ends_with("Omitted pause")), "{:?}", plots(&harness));
}

#[test]
fn the_definition_of_the_lows_is_chosen_at_their_tile() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &mangohud(2_000, 16.7));
    let low = |harness: &Harness<'_, App>| {
        harness.state().session.running.capture.as_ref().unwrap().report.options.capture.low
    };
    assert_eq!(low(&harness), LowDefinition::MeanOfSlowest);
    let menu = harness.get_by_role_and_label(Role::ComboBox, "Definition of the 1% low");
    let tiles = harness.query_all_by_label_contains("1% low 2");
    let tiles: Vec<egui::Rect> = tiles.map(|tile| tile.rect()).collect();
    assert!(tiles.iter().any(|tile| tile.contains_rect(menu.rect())), "{:?}", menu.rect());
    menu.click_accesskit();
    harness.run_steps(3);
    let is_row = |node: &egui_kittest::Node<'_>| {
        let is_named =
            node.accesskit_node().label().is_some_and(|it| it == "Rate of the p99 frame time");
        is_named && node.accesskit_node().role() != Role::Label
    };
    let row = harness.query_all_by_label("Rate of the p99 frame time").find(is_row);
    row.expect("no row in the menu").click_accesskit();
    step_until(&mut harness, |app| {
        let shown = app.session.running.capture.as_ref().unwrap();
        shown.report.options.capture.low == LowDefinition::InverseOfPercentile
    });
}

#[test]
fn every_tile_of_a_capture_states_what_its_figure_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let harness = imported(&folder, &mangohud(2_000, 16.7));
    // 23 of 2 000 frames take 50 ms, the others 16.5 ms: 33.8 s.
    for tile in [
        "2 000 frames, 0:34",
        "FPS mean of slowest 1%",
        "FPS by the same rule",
        "of the time 23 frames",
        "Max 50.00 ms at 0:00.0",
    ] {
        let tile = tile.replace("2 000", "2\u{202f}000");
        assert!(harness.query_all_by_label_contains(&tile).next().is_some(), "{tile}");
    }
    let log = imported(&folder, &mangohud(300, 100.0));
    assert!(log.query_all_by_label_contains("1% low – needs every frame").next().is_some());
}

#[test]
fn the_scale_of_the_timeline_is_chosen_by_button_or_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &mangohud(2_000, 16.7));
    let is_chosen = |harness: &Harness<'_, App>, name: &str| {
        let button = harness.get_by_role_and_label(Role::RadioButton, name);
        button.accesskit_node().toggled() == Some(egui::accesskit::Toggled::True)
    };
    assert!(is_chosen(&harness, "Scale, Log"));
    harness.get_by_role_and_label(Role::RadioButton, "Scale, Linear").click_accesskit();
    harness.run_steps(4);
    assert!(is_chosen(&harness, "Scale, Linear"));
    harness.key_press(egui::Key::L);
    harness.run_steps(4);
    assert!(is_chosen(&harness, "Scale, Log"));
    // The buttons beside it step through the stutters as the keys N and P do.
    assert!(harness.query_all_by_label("stutter – of 23").next().is_some());
    harness.get_by_label("Next stutter (N)").click_accesskit();
    harness.run_steps(4);
    assert!(harness.query_all_by_label("stutter 1 of 23").next().is_some());
}

#[test]
fn a_histogram_of_latencies_states_nothing_about_frames_or_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# Histogram\n000003 000900\n000007 000100\n# Total: 000001000\n# Min Latencies: 00003\n\
                # Avg Latencies: 00003\n# Max Latencies: 00007\n";
    let mut harness = imported(&folder, text);
    harness.set_size(egui::vec2(1_440.0, 1_600.0));
    harness.run_steps(4);
    let shows = |words: &str| harness.query_all_by_label_contains(words).next().is_some();
    assert!(shows("Processor") && shows("When each latency occurred: only counts"));
    for other in ["GPU", "missed frames", "stutter", "Record while you play"] {
        assert!(!shows(other), "{other}");
    }
}

#[test]
fn the_page_of_a_capture_is_never_wider_than_the_smallest_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &presentmon_2());
    harness.set_size(egui::vec2(1_000.0, 640.0));
    harness.run_steps(5);
    let low = harness.get_by_role_and_label(Role::ComboBox, "Definition of the 1% low");
    assert!(low.rect().right() < 990.0, "{:?}", low.rect());
}

/// Drags the pointer over the timeline, from one share of its width to another one.
pub(super) fn drag_timeline(
    harness: &mut Harness<'_, App>,
    shares: [f32; 2],
    modifiers: egui::Modifiers,
) {
    let is_timeline = |node: &egui_kittest::Node<'_>| {
        node.accesskit_node().label().is_some_and(|label| label.starts_with("Timeline, "))
    };
    let rect =
        harness.query_all_by_role(Role::Image).find(is_timeline).expect("no timeline").rect();
    let [from, to] =
        shares.map(|share| egui::pos2(rect.left() + rect.width() * share, rect.center().y));
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers,
    };
    harness.event(egui::Event::ModifiersChanged(modifiers));
    harness.event(egui::Event::PointerMoved(from));
    harness.step();
    harness.event(button(from, true));
    harness.step();
    for part in [0.5, 1.0] {
        harness.event(egui::Event::PointerMoved(from + (to - from) * part));
        harness.step();
    }
    harness.event(button(to, false));
    harness.step();
    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
}

#[test]
fn a_part_of_a_capture_is_selected_in_its_timeline() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = imported(&folder, &mangohud(2_000, 16.7));
    let range = |app: &App| {
        let shown = app.session.running.capture.as_ref().unwrap();
        let view = &shown.report.options.capture;
        (view.from.map(|from| from.as_secs()), view.to.map(|to| to.as_secs()))
    };
    harness.set_size(egui::vec2(1_440.0, 1_600.0));
    harness.run_steps(4);
    drag_timeline(&mut harness, [0.3, 0.7], egui::Modifiers::SHIFT);
    step_until(&mut harness, |app| range(app).0.is_some());
    harness.run_steps(4);
    // 2000 frames are 33.4 s; the plot is a little narrower than its node, beside the labels of its axis.
    let (from, to) = range(harness.state());
    let (from, to) = (from.unwrap(), to.unwrap());
    assert!((6.0..14.0).contains(&from) && (20.0..27.0).contains(&to), "{from} to {to}");
    // The end of the part is dragged without Shift.
    drag_timeline(&mut harness, [0.7, 0.5], egui::Modifiers::NONE);
    step_until(&mut harness, |app| range(app).1.is_some_and(|end| end < to - 1.0));
    assert_eq!(range(harness.state()).0, Some(from), "the other end stays");
}
