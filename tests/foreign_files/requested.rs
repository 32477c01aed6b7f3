//! What people ask of a capture: displayed frames, what limits them, a part, the definition of the lows, and exports that
//! hold its values.

use jitterscope_engine::export::{self, Format};
use jitterscope_engine::import::{Options, Source};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{CaptureFigures, FrameFigures, Limiter};
use jitterscope_engine::report::{self, CaptureView, FrameKind, RecordingFigures, Report};
use jitterscope_engine::run::capture::FrameQuantity;
use jitterscope_engine::stats::{LowDefinition, Lows};

use super::{check_frames, column, frames, histogram, of_text, path, read, recording};
use crate::cli;

/// Returns a log of PresentMon 2 with a generated frame after each frame, a pause of 5 s, and a dropped frame in 50.
fn presentmon_2() -> String {
    presentmon_2_with(5_000.0)
}

/// Returns the log of [`presentmon_2`] with another length of its 701st frame, in milliseconds.
fn presentmon_2_with(longest: f64) -> String {
    let mut text = String::from(
        "Application,ProcessID,SwapChainAddress,PresentMode,FrameType,TimeInSeconds,MsCPUBusy,MsCPUWait,MsGPUBusy,\
         MsGPUWait,MsBetweenPresents,MsBetweenDisplayChange,MsPCLatency,MsClickToPhotonLatency,MsAnimationError\n",
    );
    let mut at = 0.0;
    for frame in 0..1_000 {
        let time = if frame == 700 { longest } else { 16.0 };
        at += time / 1e3;
        // In 3 of 4 frames the GPU is busy for 97%, in 1 of 8 only the CPU for 96%.
        let gpu = time * if frame % 4 == 0 { 0.5 } else { 0.97 };
        let cpu = time * if frame % 8 == 0 { 0.96 } else { 0.6 };
        let displayed = if frame % 50 == 7 { "NA".to_owned() } else { (time / 2.0).to_string() };
        let click = if frame == 100 { "42.5" } else { "NA" };
        let error = if frame % 2 == 0 { 1.5 } else { -0.5 };
        text.push_str(&format!(
            "game.exe,22,0x1,Composed: Flip,Application,{at:.6},{cpu:.4},{:.4},{gpu:.4},{:.4},{time},{displayed},30,{click},{error}\n",
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

#[track_caller]
fn frames_as(text: &str, view: CaptureView) -> FrameFigures {
    let run = of_text(text, &Options::default()).into_run();
    let options = report::Options { capture: view, ..report::Options::default() };
    let report = Report::of(&run, &options);
    match &report.results::<RecordingFigures>()[0].figures {
        CaptureFigures::Frames(frames) => frames.clone(),
        other => panic!("no frames: {other:?}"),
    }
}

#[test]
fn presented_and_displayed_frames_of_presentmon_2_are_told_apart() {
    let text = presentmon_2();
    let presented = frames_as(&text, CaptureView::default());
    assert_eq!((presented.frame_time.count, presented.missing_count), (1_000, 0));
    // 1000 frames in 999 × 16 ms + 5 s.
    assert!((presented.average_fps - 1e6 / 20_984.0).abs() < 1e-6, "{}", presented.average_fps);
    assert_eq!((presented.dropped_count, presented.generated_counts), (Some(20), Some([1_000, 0])));
    let displayed = CaptureView { frames: FrameKind::Displayed, ..CaptureView::default() };
    let displayed = frames_as(&text, displayed);
    // 20 frames of 8 ms were never displayed.
    assert_eq!(displayed.frame_time.count, 1_980);
    let millis = 20_984.0 - 20.0 * 8.0;
    assert!((displayed.average_fps - 1_980.0 * 1e3 / millis).abs() < 1e-6);
}

#[test]
fn what_limits_frames_and_what_else_a_file_has_of_them_is_counted() {
    let figures = frames_as(&presentmon_2(), CaptureView::default());
    let limits: Vec<_> = figures.limits.iter().map(|one| (one.by, one.count)).collect();
    let expected = [(Limiter::Gpu, 750), (Limiter::Cpu, 125), (Limiter::Neither, 125)];
    assert_eq!(limits, expected);
    let of = |wanted| {
        let found = figures.per_frame.iter().find(|one| one.quantity == wanted);
        found.map(|one| (one.spread.count, one.spread.mean_nanos.round()))
    };
    assert_eq!(of(FrameQuantity::PcLatency), Some((1_000, 30e6)));
    assert_eq!(of(FrameQuantity::ClickToPhoton), Some((1, 42.5e6)));
    assert_eq!(of(FrameQuantity::AnimationError), Some((1_000, 1e6)), "without sign");
}

#[test]
fn a_part_of_a_capture_has_the_figures_of_that_part() {
    let view = CaptureView {
        from: Some(Nanos::from_secs(1)),
        to: Some(Nanos::from_secs(20)),
        skip_first: 1,
        omits_pauses: true,
        ..CaptureView::default()
    };
    let figures = frames_as(&presentmon_2(), view);
    // Frames 63 to 938 end within 1 s and 20 s; the first of them and the pause are omitted.
    assert_eq!((figures.frame_time.count, figures.frame_time.max), (874, Nanos::from_millis(16)));
    let low = |lows: Option<Lows>| lows.unwrap().by(<_>::default());
    assert!((low(figures.one_percent_low) - 62.5).abs() < 1e-6);
    // With the pause: the 9 slowest of 875 frames are 5 s and 8 × 16 ms.
    assert!((low(figures.other_one_percent_low) - 9_000.0 / 5_128.0).abs() < 1e-6);
}

#[test]
fn capframex_has_displayed_and_busy_times() {
    let text = r#"{"Info":{"GameName":"Game"},"Runs":[{"CaptureData":{
        "TimeInSeconds":[0,0.02,0.04],"MsBetweenPresents":[20,20,20],"MsBetweenDisplayChange":[0,10,30],
        "Dropped":[1,0,0],"CpuActive":[19.5,5,5],"GpuActive":[10,19.5,5],"PcLatency":[0,0,0],
        "AnimationError":[1,2]}}]}"#;
    let figures = frames_as(text, CaptureView::default());
    let limits: Vec<_> = figures.limits.iter().map(|one| one.count).collect();
    assert_eq!((limits, figures.dropped_count), (vec![1, 1, 1], Some(1)));
    let quantities: Vec<_> = figures.per_frame.iter().map(|one| one.quantity).collect();
    let expected = [FrameQuantity::DisplayedTime, FrameQuantity::CpuBusy, FrameQuantity::GpuBusy];
    assert_eq!(quantities, expected, "lists of zeros or of another length hold nothing");
    let view = CaptureView { frames: FrameKind::Displayed, ..CaptureView::default() };
    assert_eq!(frames_as(text, view.clone()).frame_time.max, Nanos::from_millis(30));
    // CapFrameX writes true and false.
    for (dropped, count, displayed) in [
        ("[true,false,false]", 1, 2),
        ("[false,true,false]", 1, 1),
        ("[false,false,false]", 0, 2),
        ("[0,1,0]", 1, 1),
    ] {
        let text = text.replace("[1,0,0]", dropped);
        let presented = frames_as(&text, CaptureView::default());
        assert_eq!((presented.dropped_count, presented.frame_time.count), (Some(count), 3));
        assert_eq!(frames_as(&text, view.clone()).frame_time.count, displayed, "{dropped}");
    }
}

#[test]
fn ticks_of_a_server_are_no_frames() {
    let mut text = String::from("elapsed,mspt,players\n");
    for tick in 0_u32..1_000 {
        let time = if tick % 100 == 0 { 80.0 } else { 12.5 };
        text.push_str(&format!("{},{time},7\n", u64::from(tick) * 50_000_000));
    }
    let imported = of_text(&text, &Options::default());
    assert_eq!(imported.source, Source::Ticks);
    let run = imported.into_run();
    assert_eq!(run.subject.key(), "tick-log");
    let report = Report::of(&run, &report::Options::default());
    let CaptureFigures::Ticks(ticks) = &report.results::<RecordingFigures>()[0].figures else {
        panic!("{:?}", report.results::<RecordingFigures>())
    };
    assert_eq!((ticks.tick_time.count, ticks.above_count), (1_000, 10));
    // From the first tick to the last one there are 999 × 50 ms.
    assert!((ticks.per_second.unwrap() - 20.0).abs() < 1e-6);
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = out.path().join("server.csv");
    std::fs::write(&file, &text).unwrap();
    let printed = cli::run(&folder, &["import", file.to_str().unwrap(), "--all"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(printed.contains("ticks per second"), "{printed}");
    for word in ["FPS", "frame", "Frame"] {
        assert!(!printed.contains(word), "{word}: {printed}");
    }
    // Any table can be one of ticks.
    let asked = Options { are_ticks: true, ..column("work") };
    let imported = of_text("tick,work\n1,10\n2,11\n3,10\n", &asked);
    assert_eq!(
        (imported.source, imported.capture().unwrap().samples_name()),
        (Source::Ticks, "ticks")
    );
}

#[test]
fn a_log_of_tick_times_with_one_row_per_second_is_sampled() {
    // A server with 20 ticks per second, whose times are read once per second: by clocks of every kind.
    let texts = [
        mspt_log("elapsed", |row| (row * 1_000_000_000).to_string()),
        mspt_log("time", |row| format!("2026-07-30 11:{:02}:{:02}", row / 60, row % 60)),
        mspt_log("timestamp", |row| (1_764_400_000 + row).to_string()),
        mspt_log("timestamp", |row| (1_764_400_000_123 + row * 1_000).to_string()),
        mspt_log("time", |row| row.to_string()),
        mspt_log("time (s)", |row| row.to_string()),
    ];
    for text in &texts {
        let imported = of_text(text, &Options::default());
        assert_eq!(imported.source, Source::Ticks);
        let run = imported.into_run();
        assert_eq!(run.subject.key(), "sampled-tick-log", "{text:.60}");
        let report = Report::of(&run, &report::Options::default());
        let CaptureFigures::SampledLog(log) = &report.results::<RecordingFigures>()[0].figures
        else {
            panic!("{:?}", report.results::<RecordingFigures>())
        };
        assert_eq!((log.count, log.average_fps), (300, None));
        assert_eq!((log.min.as_millis(), log.max.as_millis()), (12.5, 80.0));
        let keys: Vec<&str> = report.tables[0].columns.iter().map(|column| column.key).collect();
        for key in ["p99_nanos", "above_share", "ticks_per_second", "average_fps"] {
            assert!(!keys.contains(&key), "{key} in {keys:?}");
        }
    }
    // An idle server, by a clock in ms from its start: in µs, it would have a tick each millisecond.
    let mut idle = String::from("timestamp,mspt\n");
    (0_u32..300).for_each(|row| idle.push_str(&format!("{},0.5\n", row * 1_000)));
    let run = of_text(&idle, &Options::default()).into_run();
    assert_eq!(run.subject.key(), "sampled-tick-log");
    // One row per tick, by the same clocks; the ticks of some servers take 600 ms.
    for text in [
        mspt_log("timestamp", |row| (1_764_400_000_123 + row * 600).to_string()),
        mspt_log("time", |row| (row * 50).to_string()),
        mspt_log("time", |row| format!("11:00:{:02}.{:03}", row / 20, row % 20 * 50)),
    ] {
        let run = of_text(&text, &Options::default()).into_run();
        assert_eq!(run.subject.key(), "tick-log", "{text:.60}");
    }
    // What is asked for wins.
    let asked = Options { are_ticks: true, ..Options::default() };
    assert_eq!(of_text(&texts[0], &asked).into_run().subject.key(), "tick-log");
    let asked = Options { is_per_frame: Some(false), ..Options::default() };
    let without_clock = "mspt\n10\n11\n10\n";
    assert_eq!(of_text(without_clock, &asked).into_run().subject.key(), "sampled-tick-log");
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = out.path().join("server.csv");
    std::fs::write(&file, &texts[0]).unwrap();
    let printed = cli::run(&folder, &["import", file.to_str().unwrap(), "--all"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(printed.contains("samples, not every tick"), "{printed}");
    for word in ["FPS", "frame", "Frame", "p99"] {
        assert!(!printed.contains(word), "{word}: {printed}");
    }
}

/// Returns a log of 300 tick times, with a clock of this name.
fn mspt_log(clock: &str, at: impl Fn(u64) -> String) -> String {
    let mut text = format!("{clock},mspt,players\n");
    for row in 0..300 {
        let time = if row % 100 == 0 { 80.0 } else { 12.5 };
        text.push_str(&format!("{},{time},7\n", at(row)));
    }
    text
}

#[test]
fn xrframetools_has_microseconds_and_busy_times() {
    let mut text = String::from(
        "\u{feff}Time (\u{b5}s),Time (UTC),Time (Local),Frame Interval (\u{b5}s),FPS,Count,App CPU (\u{b5}s),\
         Render CPU (\u{b5}s),Render GPU (\u{b5}s),Wait CPU (\u{b5}s)\n",
    );
    for frame in 1..=100_u32 {
        text.push_str(&format!(
            "{},\"2026-01-01T10:00:00\",\"2026-01-01T11:00:00\",11111,90.0,1,3000,2000,10800,6000\n",
            frame * 11_111
        ));
    }
    let imported = of_text(&text, &Options::default());
    check_frames(imported.clone(), Source::XrFrameTools, 100, 90.0);
    let figures = frames(imported);
    let quantities: Vec<_> =
        figures.per_frame.iter().map(|one| (one.quantity, one.spread.p50)).collect();
    let expected = [
        (FrameQuantity::CpuWait, Nanos::from_micros(6_000)),
        (FrameQuantity::GpuBusy, Nanos::from_micros(10_800)),
    ];
    assert_eq!(quantities, expected);
    assert_eq!(figures.limits[0].by, Limiter::Gpu);
    assert_eq!(figures.limits[0].count, 100);
}

#[test]
fn a_comparison_states_definition_and_part_of_captures() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| path(name).to_string_lossy().into_owned();
    let names = ["definition-of-1-percent-low/a.csv", "names-of-imports/run1.csv"].map(file);
    let compare = |more: &[&str]| {
        let args = [&["compare", &names[0], &names[1]], more].concat();
        let output = cli::run(&folder, &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(compare(&[]).contains("1% low: mean of the slowest 1% of frames."));
    let other = compare(&["--low", "capframex-p1", "--to", "1900ms"]);
    assert!(other.contains("1% low by CapFrameX P1: A "), "{other}");
    assert!(other.contains("A is of 0:00.0 to 0:01.9."), "{other}");
}

#[test]
fn frames_that_were_never_displayed_are_dropped_also_without_a_column_that_says_so() {
    let mut text =
        String::from("Application,MsBetweenPresents,MsBetweenDisplayChange,MsUntilDisplayed\n");
    // The golden files of PresentMon begin with a displayed frame that has no display change.
    for row in ["12,NA,19.9", "10,NA,NA", "9,16.7,17.6", "9,NA,NA"] {
        text.push_str(&format!("game.exe,{row}\n"));
    }
    assert_eq!(frames_as(&text, CaptureView::default()).dropped_count, Some(2));
}

#[test]
fn a_comparison_of_groups_states_definition_part_and_pauses_of_captures() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let written = |name: &str, text: &str| {
        let file = out.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_string_lossy().into_owned()
    };
    let files = [("a.csv", 5_000.0), ("b.csv", 16.0), ("c.csv", 5_001.0), ("d.csv", 5_002.0)];
    let files = files.map(|(name, longest)| written(name, &presentmon_2_with(longest)));
    let [a, b, c, d] = files.each_ref().map(String::as_str);
    let compare = |args: &[&str]| {
        let output = cli::run(&folder, &[&["compare"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).replace('\u{202f}', " ")
    };
    let printed = compare(&["--a", a, b, "--b", c, d, "--low", "capframex-p1", "--from", "1s"]);
    for words in [
        "A is of presented frames, 0:01.0 to 0:20.9, with 1 pause, 5 s; or of presented frames, 0:01.0 to",
        "B is of presented frames, 0:01.0 to 0:20.9, with 1 pause, 5 s.",
        "1% low by CapFrameX P1: A ",
    ] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    let logs = [("e.csv", "80,"), ("f.csv", "81,"), ("g.csv", "82,"), ("h.csv", "83,")];
    let log = mspt_log("time", |row| row.to_string());
    let logs = logs.map(|(name, longest)| written(name, &log.replace("80,", longest)));
    let [a, b, c, d] = logs.each_ref().map(String::as_str);
    let printed = compare(&["--a", a, b, "--b", c, d]);
    assert!(printed.contains("These logs hold readings at intervals"), "{printed}");
}

#[test]
fn every_recording_has_the_caption_of_its_own_part() {
    // Two sessions of 20 s and 10 s, of which only the second one has a pause.
    let mut text = String::from("fps,frametime,elapsed\n");
    for (count, pause) in [(2_000, 0), (1_000, 3_000)] {
        let mut at = 0_u64;
        for frame in 0..count {
            let time = if frame == 500 { 10 + pause } else { 10 };
            at += time * 1_000_000;
            text.push_str(&format!("100,{time},{at}\n"));
        }
    }
    let run = of_text(&text, &Options::default()).into_run();
    let report = Report::of(&run, &report::Options::default());
    assert_eq!(report.results::<RecordingFigures>().len(), 2);
    let note = report.tables[0].note.replace('\u{202f}', " ");
    assert_eq!(note, "Session 2: with 1 pause, 3 s");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frames.csv");
    std::fs::write(&file, &text).unwrap();
    let file = file.to_str().unwrap();
    let printed = cli::run(&folder, &["compare", file, file]);
    let printed = String::from_utf8_lossy(&printed.stdout).replace('\u{202f}', " ");
    assert!(printed.contains("A is of Session 2: with 1 pause, 3 s."), "{printed}");
}

#[test]
fn an_export_of_one_list_is_of_the_recording_that_the_verdict_is_of() {
    // The second session has more rows, but fewer frame times.
    let mut text = String::from("fps,frametime,elapsed\n");
    for (rows, missing) in [(300_u64, 0), (400, 200)] {
        for row in 0..rows {
            let time = if row < missing { String::new() } else { (10 + missing / 100).to_string() };
            text.push_str(&format!("100,{time},{}\n", row * 10_000_000));
        }
    }
    let run =
        of_text(&text, &Options { is_per_frame: Some(true), ..Options::default() }).into_run();
    let report = Report::of(&run, &report::Options::default());
    assert!(report.sentence().starts_with("100.0"), "{}", report.sentence());
    for (format, count) in [(Format::MangoHud, 303), (Format::PresentMon, 301)] {
        let mut bytes = Vec::new();
        export::write(format, &run, &report, &export::Options::default(), &mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap().lines().count(), count, "{format:?}");
    }
}

#[test]
fn an_export_has_the_frames_that_are_shown_or_is_refused() {
    let run = of_text(&presentmon_2(), &Options::default()).into_run();
    let shown = |frames, omits_pauses| {
        let capture = CaptureView { frames, omits_pauses, ..CaptureView::default() };
        Report::of(&run, &report::Options { capture, ..report::Options::default() })
    };
    let written = |format, report: &Report| {
        let mut bytes = Vec::new();
        let options = export::Options::default();
        export::write(format, &run, report, &options, &mut bytes).map_err(|it| it.to_string())?;
        Ok::<_, String>(String::from_utf8(bytes).unwrap())
    };
    let presented = shown(FrameKind::Presented, false);
    assert_eq!(written(Format::PresentMon, &presented).unwrap().lines().count(), 1_001);
    let displayed = shown(FrameKind::Displayed, false);
    let refused = written(Format::PresentMon, &displayed).unwrap_err();
    assert!(refused.contains("presented frames, each with"), "{refused}");
    for (omits_pauses, gaps) in [(false, 0), (true, 1)] {
        let displayed = shown(FrameKind::Displayed, omits_pauses);
        let trace: serde_json::Value =
            serde_json::from_str(&written(Format::ChromeTrace, &displayed).unwrap()).unwrap();
        let slices = trace["traceEvents"].as_array().unwrap().iter().filter(|it| it["ph"] == "X");
        let slices: Vec<(f64, f64)> =
            slices.map(|it| (it["ts"].as_f64().unwrap(), it["dur"].as_f64().unwrap())).collect();
        // 1000 generated frames, 980 of the application that were displayed, and two of 2.5 s that are a pause.
        assert_eq!(slices.len(), 1_980 - 2 * gaps);
        let found = slices.windows(2).filter(|pair| {
            let until = pair[0].0 + pair[0].1;
            assert!(until <= pair[1].0 + 0.01, "slices do not overlap: {pair:?}");
            until + 1.0 < pair[1].0
        });
        assert_eq!(found.count(), gaps);
    }
}

#[test]
fn what_a_file_does_not_state_of_its_machine_is_not_reported() {
    let name = "names-of-imports/run1.csv";
    let run = read(name, &Options::default()).into_run();
    assert_eq!(run.machine.short(), "not reported");
    let facts = export::machine_lines(&run);
    for fact in ["Processor", "GPU", "GPU driver", "System"] {
        let found = facts.iter().find(|(name, _)| *name == fact);
        assert_eq!(found.map(|(_, value)| value.as_str()), Some("not reported"), "{fact}");
    }
    assert!(!facts.iter().any(|(name, _)| *name == "CPUs"), "{facts:?}");
    assert_eq!(export::machine_line(&run), "machine not reported");
    // A file of run1.csv and one that states its GPU.
    let folder = tempfile::tempdir().unwrap();
    let files = [name, "mangohud-export-loses-facts/a.csv"]
        .map(|name| path(name).to_string_lossy().into_owned());
    let printed = cli::run(&folder, &["compare", &files[0], &files[1]]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(!printed.contains("release") && !printed.contains("0 CPUs"), "{printed}");
}

#[test]
fn no_zone_is_invented_for_the_wall_clock_of_a_capture() {
    let mut text =
        String::from("//GameName=Game\n//CreationDate=2026-07-30\n//CreationTime=11:50:01\n");
    text.push_str("Application,Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange\n");
    for frame in 1..=50 {
        text.push_str(&format!("game.exe,0,{:.3},10.0,10.0\n", f64::from(frame) * 0.01));
    }
    let run = of_text(&text, &Options::default()).into_run();
    let report = Report::of(&run, &report::Options::default());
    let mut bytes = Vec::new();
    export::write(Format::Markdown, &run, &report, &export::Options::default(), &mut bytes)
        .unwrap();
    export::csv::tables(&[(&run, &report)], &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("2026-07-30 11:50") && text.contains("2026-07-30T11:50:01,"), "{text}");
    assert!(!text.contains("UTC") && !text.contains("11:50:01Z"), "{text}");
}

/// Exports a file of another program and returns what is printed, or the error.
fn exported(name: &str, args: &[&str]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = path(name).to_string_lossy().into_owned();
    let output = cli::run(&folder, &[&["export", &file], args].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn an_export_of_a_capture_holds_its_values_or_is_refused() {
    let frames = "empty-exports/frames.csv";
    let csv = exported(frames, &["--as", "csv-samples"]).unwrap();
    assert_eq!(csv.lines().count(), 201);
    assert!(csv.starts_with("label,index,end_nanos,frame_time_nanos"), "{csv}");
    let listing = exported(frames, &["--as", "hgrm"]).unwrap();
    assert!(listing.contains("Total count    =          200]"), "{listing}");
    let trace = exported(frames, &["--as", "chrome-trace"]).unwrap();
    let trace: serde_json::Value = serde_json::from_str(&trace).unwrap();
    let slices = trace["traceEvents"].as_array().unwrap().iter().filter(|it| it["ph"] == "X");
    assert_eq!(slices.count(), 200);
    assert!(exported(frames, &["--as", "cyclictest"]).unwrap_err().contains("frame times"));

    let counts = "empty-exports/cyclictest.txt";
    let listing = exported(counts, &["--as", "hgrm"]).unwrap();
    assert!(listing.contains("Total count    =           18]"), "{listing}");
    let json = exported(counts, &["--as", "cyclictest"]).unwrap();
    let again = histogram(of_text(&json, &Options::default()));
    assert_eq!((again.count, again.max), (18, Some(Nanos::from_micros(5))));
    let csv = exported(counts, &["--as", "csv-samples"]).unwrap();
    let bins: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(bins.len(), 2, "{csv}");
    assert!(bins[0].ends_with(",4000,8") && bins[1].ends_with(",5000,10"), "{csv}");
    for format in ["mangohud", "presentmon", "chrome-trace"] {
        assert!(exported(counts, &["--as", format]).unwrap_err().contains("no order in time"));
    }
    let sampled = "polled-fps-as-frames/openxr.csv";
    for format in ["mangohud", "presentmon", "hgrm", "chrome-trace"] {
        assert!(exported(sampled, &["--as", format]).unwrap_err().contains("lacks most frames"));
    }
    assert_eq!(exported(sampled, &["--as", "csv-samples"]).unwrap().lines().count(), 121);
}

#[test]
fn a_log_of_mangohud_keeps_gpu_driver_and_sensors_when_exported() {
    let text = exported("mangohud-export-loses-facts/a.csv", &["--as", "mangohud"]).unwrap();
    let again = of_text(&text, &Options::default());
    assert_eq!(again.machine.gpu.as_deref(), Some("Radeon RX 6600"), "{text}");
    assert_eq!(again.machine.gpu_driver.as_deref(), Some("Mesa 24"));
    let first = |label: &str| {
        let series = recording(&again).series.iter().find(|one| one.label == label).unwrap();
        series.values.get(0)
    };
    assert_eq!((first("CPU load"), first("GPU load")), (Some(20_000), Some(90_000)));
}

#[test]
fn the_definition_of_a_low_stands_beside_it_and_can_be_selected() {
    let name = "definition-of-1-percent-low/a.csv";
    let default = frames(read(name, &Options::default())).one_percent_low.unwrap();
    for (key, low) in [
        ("mean-of-slowest", 30.0),
        ("capframex-p1", 40.1),
        ("inverse-of-p99", 59.4),
        ("presentmon", 59.7),
    ] {
        let definition = LowDefinition::of_key(key).unwrap();
        assert!((default.by(definition) - low).abs() < 0.06, "{key}: {}", default.by(definition));
        let folder = tempfile::tempdir().unwrap();
        let file = path(name).to_string_lossy().into_owned();
        let printed = cli::run(&folder, &["import", &file, "--low", key]);
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        let shown = format!("1% low {low:.1} FPS ({})", definition.label());
        assert!(printed.contains(&shown), "{shown}: {printed}");
        for format in ["markdown", "html", "json"] {
            let file = exported(name, &["--as", format, "--low", key]).unwrap();
            let file = file.replace('\u{202f}', " ");
            assert!(file.contains(definition.label()), "{format} by {key}: {file}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = path(name).to_string_lossy().into_owned();
    let refused = cli::run(&folder, &["import", &file, "--frames", "displayed"]);
    assert!(!refused.status.success(), "the file has no displayed times");
    let counts = path("empty-exports/cyclictest.txt").to_string_lossy().into_owned();
    let refused = cli::run(&folder, &["import", &counts, "--low", "presentmon"]);
    assert!(!refused.status.success(), "a histogram has no 1% low");
}
