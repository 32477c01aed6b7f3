//! The page of a capture: of every frame with busy times and generated frames, of a part of it without a pause, of the
//! displayed frames, of a sampled log, of ticks, and of a histogram.

use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use jitterscope::{App, PageId};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{CaptureView, FrameKind};

use super::super::captures::drag_timeline;
use super::super::window::step_until;
use super::look::words_of;
use super::{Album, window};

/// Returns 2 minutes of a log of PresentMon 2 in which each frame is followed by a generated one: the GPU limits most frames, the CPU
/// those of 10 s, and there is a pause of 5 s.
fn presentmon_2() -> String {
    let mut text = String::from(
        "Application,ProcessID,SwapChainAddress,PresentMode,FrameType,TimeInSeconds,MsCPUBusy,MsCPUWait,MsGPUBusy,\
         MsGPUWait,MsBetweenPresents,MsBetweenDisplayChange,MsPCLatency,MsClickToPhotonLatency,MsAnimationError\n",
    );
    let mut at = 0.0;
    for frame in 0..7_000_u32 {
        let is_limited_by_cpu = (4_000..4_600).contains(&frame);
        let time = match frame {
            3_000 => 5_000.0,
            _ if frame % 571 == 40 => 55.0,
            _ if is_limited_by_cpu && frame % 50 == 0 => 61.0,
            _ => 15.5 + f64::from(frame % 17) * 0.06,
        };
        at += time / 1e3;
        let cpu = time * if is_limited_by_cpu { 0.98 } else { 0.55 };
        let gpu = time * if is_limited_by_cpu { 0.6 } else { 0.97 };
        let displayed = if frame % 500 == 7 { "NA".to_owned() } else { (time / 2.0).to_string() };
        text.push_str(&format!(
            "game.exe,22,0x1,Composed: Flip,Application,{at:.6},{cpu:.4},{:.4},{gpu:.4},{:.4},{time},{displayed},30,NA,0.5\n",
            time - cpu,
            time - gpu,
        ));
        text.push_str(&format!(
            "game.exe,22,0x1,Composed: Flip,Intel XeSS-FG,{at:.6},0,0,0,0,{time},{},NA,NA,NA\n",
            time / 2.0
        ));
    }
    text
}

/// Returns a log of Afterburner: one reading per second, with sensors.
fn afterburner() -> String {
    let mut text = String::from(
        "00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n\
         01, 21-11-2026 20:00:00, Radeon RX 6600      \n\
         02, 21-11-2026 20:00:00, GPU temperature     ,GPU usage           ,Framerate           ,Frametime           \n\
         03, 21-11-2026 20:00:00, 0                   ,C\n\
         03, 21-11-2026 20:00:00, 1                   ,%\n",
    );
    for row in 0..600_u32 {
        let (minute, second) = (row / 60, row % 60);
        let time = 10.0 + f64::from(row % 23) * 0.2;
        let rate = 1e3 / time;
        text.push_str(&format!(
            "80, 21-11-2026 20:{minute:02}:{second:02}, {}.000              ,{}.000              ,{rate:.3}             ,{time:.3}              \n",
            50 + row % 20,
            80 + row % 19,
        ));
    }
    text
}

/// Returns a log of the ticks of a server, 20 per second.
fn ticks() -> String {
    let rows = (0..1_200_u32).map(|tick| {
        let time = if tick % 90 == 0 { 61.0 } else { 12.0 + f64::from(tick % 31) * 0.4 };
        format!("{},{time}\n", tick * 50)
    });
    "timestamp_ms,mspt\n".to_owned() + &rows.collect::<String>()
}

/// Returns the output of cyclictest with a histogram of four threads.
fn cyclictest() -> String {
    let rows = (1..200_u32).map(|value| {
        let count = 90_000 / (value * value);
        format!("{value:06} {count:06}\t{:06}\t{:06}\t{:06}\n", count / 2, count + 9, count / 3)
    });
    let min = "# Min Latencies: 00001 00001 00001 00001\n";
    let max = "# Max Latencies: 00199 00199 00199 00199\n";
    format!("# Histogram\n{}{min}{max}", rows.collect::<String>())
}

/// Opens a file with this name and text; waits until it is shown.
fn open(harness: &mut Harness<'_, App>, folder: &tempfile::TempDir, name: &str, text: &str) {
    let before = harness.state().session.running.capture.as_ref().map(|shown| shown.run.id.clone());
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    harness.state_mut().set_next_dialog_answer(vec![file]);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::O);
    step_until(harness, |app| {
        let shown = app.session.running.capture.as_ref().map(|shown| &shown.run.id);
        app.page == PageId::Capture && shown.is_some() && shown != before.as_ref()
    });
    harness.run_steps(5);
}

/// Waits until the capture is shown as `is_asked` wants.
fn wait_for(harness: &mut Harness<'_, App>, is_asked: impl Fn(&CaptureView) -> bool) {
    step_until(harness, |app| {
        is_asked(&app.session.running.capture.as_ref().unwrap().report.options.capture)
    });
    harness.run_steps(4);
}

#[test]
fn captures_of_every_kind_in_every_part() {
    let mut album = Album::new();
    let (folder, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut harness = window(folder.path(), true);
    open(&mut harness, &files, "PresentMon-2025-11-23T181204.csv", &presentmon_2());
    album.take_layered(&mut harness, "capture-gpu", true);
    harness.get_by_role_and_label(Role::RadioButton, "Frames, Displayed").click_accesskit();
    wait_for(&mut harness, |view| view.frames == FrameKind::Displayed);
    album.take_layered(&mut harness, "capture-displayed", true);
    harness.get_by_role_and_label(Role::RadioButton, "Frames, Presented").click_accesskit();
    wait_for(&mut harness, |view| view.frames == FrameKind::Presented);
    harness.get_by_label("Omit pause").click_accesskit();
    wait_for(&mut harness, |view| view.omits_pauses);
    let words = words_of(&harness);
    let name = words.iter().find(|words| words.text.starts_with("Omitted"));
    assert!(name.is_some_and(|name| name.text == "Omitted pause" && !name.is_elided), "{name:?}");
    drag_timeline(&mut harness, [0.1, 0.9], egui::Modifiers::SHIFT);
    wait_for(&mut harness, |view| view.from.is_some_and(|from| Nanos::ZERO < from));
    album.take_layered(&mut harness, "capture-range", true);
    open(&mut harness, &files, "HardwareMonitoring.hml", &afterburner());
    album.take_layered(&mut harness, "capture-sampled", true);
    open(&mut harness, &files, "ticks.csv", &ticks());
    album.take_layered(&mut harness, "capture-ticks", true);
    open(&mut harness, &files, "cyclictest.txt", &cyclictest());
    album.take_layered(&mut harness, "capture-histogram", true);
    album.close();
}

#[test]
fn the_example_of_a_capture() {
    let mut album = Album::new();
    let folder = tempfile::tempdir().unwrap();
    let mut harness = window(folder.path(), true);
    super::go(&mut harness, Key::Num8);
    harness.get_by_label("Open example: Capture of a game").click_accesskit();
    step_until(&mut harness, |app| app.session.running.capture.is_some());
    harness.run_steps(5);
    album.take_layered(&mut harness, "capture-example", true);
    album.close();
}
