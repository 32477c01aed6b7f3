//! Files of other programs as people have them, each with the values that it must be read to. The values were computed
//! independently, or the file states them.

mod compared;
mod layout;
mod requested;

use std::path::PathBuf;

use jitterscope_engine::import::{self, Column, ImportError, Imported, Options, Source, TimeUnit};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::capture::{
    CaptureFigures, FrameFigures, HistogramFigures, LogFigures,
};
use jitterscope_engine::report::{self, RecordingFigures, Report};
use jitterscope_engine::run::Run;
use jitterscope_engine::run::capture::Recording;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("foreign_files").join(name)
}

fn column(name: &str) -> Options {
    let column = Some(Column { name: name.to_owned(), unit: None });
    Options { column, ..Options::default() }
}

fn unit(unit: TimeUnit) -> Options {
    Options { unit: Some(unit), ..Options::default() }
}

#[track_caller]
fn read(name: &str, options: &Options) -> Imported {
    import::read(&path(name), options).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn figures(imported: Imported) -> CaptureFigures {
    let report = Report::of(&imported.into_run(), &report::Options::default());
    report.results::<RecordingFigures>().first().expect("no recording").figures.clone()
}

#[track_caller]
fn frames(imported: Imported) -> FrameFigures {
    match figures(imported) {
        CaptureFigures::Frames(frames) => frames,
        other => panic!("no frames: {other:?}"),
    }
}

#[track_caller]
fn log(imported: Imported) -> LogFigures {
    match figures(imported) {
        CaptureFigures::SampledLog(log) => log,
        other => panic!("no sampled log: {other:?}"),
    }
}

#[track_caller]
fn histogram(imported: Imported) -> HistogramFigures {
    match figures(imported) {
        CaptureFigures::Histogram(histogram) => histogram,
        other => panic!("no histogram: {other:?}"),
    }
}

/// Checks the source, the number of frames, and the average frame rate, rounded to a tenth.
#[track_caller]
fn check_frames(imported: Imported, source: Source, count: usize, fps: f64) {
    assert_eq!(
        (imported.source, imported.bad_lines.count),
        (source, 0),
        "{:?}",
        imported.bad_lines
    );
    let frames = frames(imported);
    assert_eq!(frames.frame_time.count, count);
    assert!((frames.average_fps - fps).abs() < 0.05, "{} FPS", frames.average_fps);
}

fn recording(imported: &Imported) -> &Recording {
    imported.capture().and_then(|capture| capture.recordings().first()).expect("no recording")
}

#[test]
fn an_afterburner_log_without_its_first_line_is_sampled() {
    let imported = read("afterburner-without-first-line/log.hml", &Options::default());
    assert_eq!(imported.source, Source::Afterburner);
    assert_eq!(log(imported).count, 120);
}

#[test]
fn a_capframex_capture_has_clock_system_and_sensors() {
    let imported = read("capframex-facts/capframex.json", &Options::default());
    assert_eq!(recording(&imported).elapsed, Some(Nanos::from_secs(3)));
    assert_eq!(imported.machine.system(), "Windows 10");
    let series = &recording(&imported).series;
    assert_eq!(series[0].label, "GPU load");
    assert_eq!(series[0].values.values().collect::<Vec<_>>(), [97_000, 98_000, 99_000]);
}

#[test]
fn a_column_beyond_the_hundredth_is_read() {
    for name in ["Framerate [FPS]", "123"] {
        let imported = read("column-101/wide.csv", &column(name));
        assert_eq!((imported.source, imported.bad_lines.count), (Source::HwInfo, 0));
        assert!((log(imported).average_fps.unwrap() - 60.0).abs() < 0.5, "{name}");
    }
}

#[test]
fn the_column_that_the_user_names_wins() {
    let imported = read("column-ignored/presents.csv", &column("MsBetweenDisplayChange"));
    let frames = frames(imported);
    assert_eq!((frames.frame_time.count, frames.frame_time.max), (600, Nanos::new(8_333_500)));
    assert!((frames.one_percent_low.unwrap().by(<_>::default()) - 120.0).abs() < 0.05);
    let error = import::read(&path("column-ignored/presents.csv"), &column("nosuch")).unwrap_err();
    assert!(matches!(error, ImportError::NoColumn { .. }), "{error}");
}

#[test]
fn a_histogram_of_cyclictest_is_found_among_other_lines() {
    for name in ["blank-first.txt", "without-q.txt", "with-prompt.txt"] {
        let imported = read(&format!("cyclictest-with-other-lines/{name}"), &Options::default());
        assert_eq!((imported.source, imported.bad_lines.count), (Source::Cyclictest, 0), "{name}");
        let histogram = histogram(imported);
        assert_eq!((histogram.count, histogram.max), (18, Some(Nanos::from_micros(5))), "{name}");
    }
}

#[test]
fn cyclictest_without_a_histogram_has_what_it_states() {
    let imported = read("cyclictest-without-histogram/cyclictest.json", &Options::default());
    assert!(imported.notes.iter().any(|note| note.contains("cyclictest with -h")));
    let histogram = histogram(imported);
    assert_eq!(histogram.min, Some(Nanos::from_micros(37)));
    assert_eq!(histogram.max, Some(Nanos::from_micros(9_245)));
    assert_eq!((histogram.mean_nanos, histogram.p50), (Some(104_500.0), None));
}

#[test]
fn a_decimal_comma_between_commas_is_read() {
    let imported = read("decimal-comma/mangohud.csv", &Options::default());
    check_frames(imported, Source::MangoHud, 300, 60.0);
}

#[test]
fn dropped_frames_are_counted_and_none_is_called_lost() {
    let imported = read("dropped-none-lost/dropped.csv", &Options::default());
    let dropped = "200 of 400 frames were dropped: presented, but never displayed.";
    assert!(imported.notes.iter().any(|note| note == dropped), "{:?}", imported.notes);
    check_frames(imported, Source::PresentMon, 400, 125.0);
}

#[test]
fn a_unit_that_nothing_shows_is_asked_for_and_then_used() {
    let name = "frametime-in-another-unit/game.csv";
    check_frames(read(name, &unit(TimeUnit::Secs)), Source::Columns, 300, 60.1);
    let error = import::read(&path(name), &Options::default()).unwrap_err();
    assert!(matches!(error, ImportError::WhichUnit { .. }), "{error}");
}

#[test]
fn a_percentile_listing_may_begin_with_a_comment() {
    let histogram = histogram(read("hgrm-with-first-comment/run.hgrm", &unit(TimeUnit::Micros)));
    assert_eq!((histogram.count, histogram.p99), (1_000, Some(Nanos::from_micros(100))));
    assert_eq!(histogram.max, Some(Nanos::from_millis(5)));
}

#[test]
fn a_log_in_windows_1252_is_read() {
    let imported = read("latin1/hwinfo.csv", &column("Framerate [FPS]"));
    assert_eq!((imported.source, imported.bad_lines.count), (Source::HwInfo, 0));
    // The clock of this file restarts after a minute, which begins another recording.
    assert_eq!(imported.capture().unwrap().count(), 200);
    let log = log(imported);
    assert!((log.average_fps.unwrap() - 60.5).abs() < 1e-5, "{log:?}");
}

#[test]
fn a_date_without_a_zone_is_the_wall_clock_of_its_pc() {
    for (name, shown) in
        [("capframex.csv", "2019-03-30 12:01:36"), ("capframex.json", "2020-01-12 17:50:28")]
    {
        let imported = read(&format!("local-time-shifted/{name}"), &Options::default());
        let here = imported.started_at.unwrap().to_zoned(jiff::tz::TimeZone::system());
        assert_eq!(here.strftime("%Y-%m-%d %H:%M:%S").to_string(), shown);
        // On a PC in another zone, the clock shows the same.
        let run = imported.into_run();
        let mut file = serde_json::to_value(&run).unwrap();
        assert_eq!(file["wall_clock"], shown.replace(' ', "T"));
        file["started_at"] = "2000-01-01T00:00:00Z".into();
        let opened: Run = serde_json::from_value(file).unwrap();
        assert_eq!((opened.started_at, opened.wall_clock), (run.started_at, run.wall_clock));
    }
}

#[test]
fn the_date_in_a_file_name_is_the_wall_clock_of_a_log_without_a_date() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vkcube_2026-11-28_21-53-28.csv");
    std::fs::write(&file, "fps,frametime\n60,16.667\n60,16.667\n").unwrap();
    let run = import::read(&file, &Options::default()).unwrap().into_run();
    assert_eq!(run.wall_clock.unwrap().to_string(), "2026-11-28T21:53:28");
    let here = run.started_at.to_zoned(jiff::tz::TimeZone::system());
    assert_eq!(here.datetime(), run.wall_clock.unwrap());
    assert_eq!(run.name, "vkcube_2026-11-28_21-53-28");
    let output = super::cli::run(&folder, &["import", file.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("28 Nov 2026, 21:53"), "{text}");
    // The date of a file is the one that it states: the name is not read.
    let stated = folder.path().join("a_2026-11-28_21-53-28.csv");
    std::fs::copy(path("local-time-shifted/capframex.csv"), &stated).unwrap();
    let run = import::read(&stated, &Options::default()).unwrap().into_run();
    assert_eq!(run.wall_clock.unwrap().to_string(), "2019-03-30T12:01:36");
}

#[test]
fn frame_times_of_mangohud_in_microseconds_are_not_milliseconds() {
    let imported = read("mangohud-microseconds/mangohud-0.6.8.csv", &Options::default());
    check_frames(imported, Source::MangoHud, 300, 60.0);
}

#[test]
fn the_last_bin_of_oslat_includes_all_values_above_it() {
    let imported = read("oslat-max/oslat.json", &Options::default());
    assert_eq!(imported.source, Source::Oslat);
    let histogram = histogram(imported);
    assert_eq!((histogram.max, histogram.above_count), (Some(Nanos::from_micros(21_061)), 464));
}

#[test]
fn logs_with_one_row_per_second_are_sampled() {
    let imported = read("polled-fps-as-frames/adrenalin.csv", &column("FPS"));
    assert_eq!(imported.source, Source::Adrenalin);
    let adrenalin = log(imported);
    assert_eq!(adrenalin.count, 440);
    assert!((adrenalin.average_fps.unwrap() - 75.0).abs() < 1e-6, "{adrenalin:?}");
    let imported = read("polled-fps-as-frames/openxr.csv", &column("FPS"));
    assert_eq!(imported.source, Source::OpenXrToolkit);
    let openxr = log(imported);
    assert_eq!(
        (openxr.count, openxr.elapsed.map(Nanos::as_secs).map(f64::round)),
        (120, Some(119.0))
    );
}

#[test]
fn debug_columns_of_presentmon_are_not_ocat() {
    let imported = read("presentmon-called-ocat/presentmon-debug.csv", &Options::default());
    check_frames(imported, Source::PresentMon, 119, 100.0);
}

#[test]
fn a_capture_saved_by_a_german_spreadsheet_has_its_processes() {
    for name in ["presentmon.csv", "with-sep.csv"] {
        for options in [Options::default(), column("MsBetweenPresents")] {
            let imported = read(&format!("saved-by-excel/{name}"), &options);
            assert_eq!(imported.name, "game.exe", "{name}");
            check_frames(imported, Source::PresentMon, 300, 62.5);
        }
    }
}

#[test]
fn sensors_without_values_leave_room_for_those_with_values() {
    let imported = read("sensor-places/pm.csv", &Options::default());
    let labels: Vec<&str> =
        recording(&imported).series.iter().map(|series| series.label.as_str()).collect();
    assert_eq!(labels, ["CPU clock"]);
}

#[test]
fn the_unit_of_a_column_is_in_its_first_brackets() {
    let imported = read("unit-of-frameview/frameview.csv", &Options::default());
    let power = recording(&imported).series.iter().find(|series| series.label == "GPU power");
    assert_eq!(power.map(|series| series.unit.as_str()), Some("W"));
}

#[test]
fn json_of_rtla_is_read_whatever_its_numbers_look_like() {
    for name in ["rtla-as-rt-tests.json", "same-with-integer.json"] {
        let histogram = histogram(read(&format!("words-of-a-json/{name}"), &Options::default()));
        assert_eq!((histogram.count, histogram.above_count), (160, 10), "{name}");
        assert_eq!(histogram.max, Some(Nanos::from_micros(900)), "{name}");
    }
}

#[test]
fn the_same_capture_is_one_run_whatever_its_date() {
    let folder = tempfile::tempdir().unwrap();
    let store = jitterscope_engine::store::Store::at(folder.path());
    let imported = || read("same-capture-again/capture.csv", &Options::default());
    let first =
        Imported { started_at: "2026-01-01T00:00:00Z".parse().ok(), ..imported() }.into_run();
    let again =
        Imported { started_at: "2026-02-02T00:00:00Z".parse().ok(), ..imported() }.into_run();
    use jitterscope_engine::store::SaveOutcome;
    assert!(matches!(store.save_new(&first, None).unwrap(), SaveOutcome::New(_)));
    assert!(matches!(store.save_new(&again, None).unwrap(), SaveOutcome::Known(_)));
}

#[test]
fn captures_are_compared_by_file_name() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["run1.csv", "run2.csv"].map(|name| path(&format!("names-of-imports/{name}")));
    let files = files.map(|file| file.to_string_lossy().into_owned());
    let output = super::cli::run(&folder, &["compare", &files[0], &files[1]]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("game.exe (run1)") && text.contains("game.exe (run2)"), "{text}");
    let output = super::cli::run(&folder, &["import", &files[0], "nosuch.csv", &files[1]]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success(), "one file is not there");
    assert!(text.contains("100.0 FPS"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn saved_captures_of_one_game_are_listed_by_file_name() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["run1.csv", "run2.csv"].map(|name| path(&format!("names-of-imports/{name}")));
    let files = files.map(|file| file.to_string_lossy().into_owned());
    let output = super::cli::run(&folder, &["import", &files[0], &files[1], "--save"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = super::cli::run(&folder, &["runs", "list"]);
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.contains("game.exe (run1)") && list.contains("game.exe (run2)"), "{list}");
    let args = ["compare", "game.exe (run1)", "game.exe (run2)"];
    let output = super::cli::run(&folder, &args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // 200 frames of 10 ms and of 11 ms.
    let lengths = "Run lengths differ: A 2.00 s, B 2.20 s.";
    assert!(text.replace('\u{202f}', " ").contains(lengths), "{text}");
    // The game alone is the name of both, and of one if it is in one file only.
    let output = super::cli::run(&folder, &["runs", "show", "game.exe"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("'game.exe' matches 2 runs"), "{said}");
    for (case, file, game) in [
        ("stutter-called-missed", "a.csv", "a.exe"),
        ("dropped-none-lost", "dropped.csv", "game.exe"),
        ("capframex-facts", "capframex.json", "A game"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = path(&format!("{case}/{file}")).to_string_lossy().into_owned();
        // Whatever the user calls it.
        let import = ["import", &file, "--save", "--name", "mine (old)"];
        assert!(super::cli::run(&folder, &import).status.success());
        let output = super::cli::run(&folder, &["export", game, "--as", "markdown"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let program = text.lines().find(|line| line.contains("Program: ")).unwrap_or_default();
        assert!(!program.contains("Jitterscope") && !text.contains("lost"), "{program} in {text}");
        assert!(program.ends_with("PresentMon") || program.ends_with("CapFrameX"), "{program}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let there = path("names-of-imports/run1.csv").to_string_lossy().into_owned();
    for args in [
        &["import", "nosuch.csv"][..],
        &["runs", "show", "nosuch.csv"],
        &["export", "nosuch.csv", "--as", "csv"],
        &["compare", &there, "nosuch.csv"],
        &["verify", "nosuch.csv"],
        &["check", "nosuch.csv"],
    ] {
        let output = super::cli::run(&folder, args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{args:?}");
        assert!(
            error.contains("nosuch.csv") && error.contains("no such file;"),
            "{args:?}: {error}"
        );
        assert!(!error.contains("os error"), "{args:?}: {error}");
        assert_eq!(error.trim().lines().count(), 1, "{args:?}: {error}");
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    for (bytes, said) in [
        (&b""[..], "the file is empty"),
        (b"PK\x03\x04rest", "a ZIP archive; unpack it first"),
        (
            b"0.1% Min FPS,1% Min FPS,97% Percentile FPS,Average FPS,GPU Load,CPU Load\n33,66,524,397,0,76\n",
            "a summary of MangoHud; open the log of the same name",
        ),
        (
            b"fps\n60\n61\n60\n",
            "'fps' has no times: a row may be a frame or an interval; name it with --per-frame or --sampled",
        ),
        (b"{\"thread\":{\"0\":{\"histogram\":[1]}}}", "a cyclictest histogram, but damaged in line 1"),
        (
            b"[ {\"name\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":2} ]",
            "a JSON file of an unknown program; runs, and those of CapFrameX, cyclictest, oslat, and jitterdebugger are read",
        ),
        (
            b"#[Histogram log format version 1.3]\n\"StartTimestamp\",\"Interval_Max\"\n0.127,2.769\n",
            "a log of HdrHistogram with compressed histograms; make a percentile listing of it with its \
             HistogramLogProcessor",
        ),
        (
            b"28-11-2026, 12:34:56 game.exe benchmark completed, 3600 frames rendered in 60.016 s\n\
              \x20                    Average framerate  :   59.9 FPS\n\
              \x20                    1% low framerate   :   55.1 FPS\n",
            "a summary of an RTSS benchmark; record every frame with CapFrameX or PresentMon",
        ),
        (
            b"<?xml version=\"1.0\"?><a/>",
            "an XML file; export it as text or CSV from the program that wrote it",
        ),
        (
            b"PK\x03\x04\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "an OpenDocument spreadsheet; save it as CSV",
        ),
        (
            b"Application,ProcessID,TimeInSeconds,MsBetweenPresents\ngame.exe,7,NA,NA\n",
            "a PresentMon CSV without a frame time: every value is missing or 0",
        ),
    ] {
        let error = import::from_bytes(bytes, &Options::default()).unwrap_err();
        assert_eq!(error.to_string(), said);
    }
    let given = Options { is_per_frame: Some(true), ..column("x") };
    let error = import::from_bytes(b"# Histogram\n000004 000008\n", &given).unwrap_err();
    assert_eq!(error.to_string(), "--column does not apply to a cyclictest histogram");
}

#[track_caller]
fn of_text(text: &str, options: &Options) -> Imported {
    import::from_bytes(text.as_bytes(), options).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
fn times(text: &str, options: &Options) -> Vec<i64> {
    recording(&of_text(text, options)).frame_times.values().collect()
}

#[test]
fn a_name_with_a_comma_does_not_shift_the_columns() {
    let mut text =
        String::from("Application,ProcessID,SwapChainAddress,TimeInSeconds,MsBetweenPresents\n");
    for row in 1..=100 {
        text.push_str(&format!("Fish, Chips.exe,7,0x1,{:.3},8.0\n", f64::from(row) * 0.008));
    }
    let imported = of_text(&text, &Options::default());
    assert_eq!(imported.name, "Fish, Chips.exe");
    check_frames(imported, Source::PresentMon, 100, 125.0);
}

#[test]
fn the_selected_column_of_any_table_is_read() {
    let of = |name: &str, unit: Option<TimeUnit>| Options {
        column: Some(Column { name: name.to_owned(), unit }),
        ..Options::default()
    };
    assert_eq!(
        times("Bild;Zeit ms\n1;16,5\n2;17\n", &of("zeit ms", None)),
        [16_500_000, 17_000_000]
    );
    assert_eq!(
        times("a,Cost US\n1,16500\n2,17000\n", &of("Cost US", None)),
        [16_500_000, 17_000_000]
    );
    assert_eq!(
        times("a,b\n1,16500\n2,17000\n", &of("2", Some(TimeUnit::Micros))),
        [16_500_000, 17_000_000]
    );
    assert_eq!(times("t\tdt\n0\t0.5\n", &of("dt", Some(TimeUnit::Secs))), [500_000_000]);
    let rates = Options { is_per_frame: Some(true), ..of("1", Some(TimeUnit::Fps)) };
    assert_eq!(times("60\n50\n", &rates), [16_666_667, 20_000_000]);
    let bad = of_text("dt\n16\nx\n-1\n1e300\n17\n", &of("dt", None));
    let lines: Vec<u64> = bad.bad_lines.first.iter().map(|(line, _)| *line).collect();
    assert_eq!((bad.capture().unwrap().count(), lines), (2, vec![3, 4, 5]));
}

#[test]
fn time_stamps_are_no_frame_times() {
    let fraps = "Frame, Time (ms)\n    1,     0.000\n    2,    16.500\n    3,    34.000\n    4,    50.500\n";
    let imported = of_text(fraps, &Options::default());
    assert_eq!(imported.source, Source::Fraps);
    assert_eq!(times(fraps, &Options::default()), [16_500_000, 17_500_000, 16_500_000]);
}

#[test]
fn rows_of_unreal_engine_may_have_more_cells_than_the_first_header() {
    let text = "EVENTS,FrameTime,GPUTime\n,16.5,3\nstart,17.5,3,9\n,16.5,3\n\
                EVENTS,FrameTime,GPUTime,Other\n[HasHeaderRowAtEnd],1,[Platform],Windows\n";
    let imported = of_text(text, &Options::default());
    assert_eq!((imported.source, imported.bad_lines.count), (Source::Unreal, 0));
    assert_eq!(times(text, &Options::default()), [16_500_000, 17_500_000, 16_500_000]);
}

#[test]
fn a_last_line_that_was_being_written_is_not_read() {
    let text = "fps,frametime,elapsed\n60,16.5,16500000\n60,16.5,33000000\n60,1";
    let imported = of_text(text, &Options::default());
    assert_eq!(imported.bad_lines.count, 0);
    assert!(imported.notes.iter().any(|note| note.contains("last line")), "{:?}", imported.notes);
    assert_eq!(times(text, &Options::default()), [16_500_000, 16_500_000]);
}

#[test]
fn cyclictest_without_a_histogram_is_read_in_every_form() {
    let state = "# /dev/cpu_dma_latency set to 0us\npolicy: fifo: loadavg: 0.1 0.2 0.3 1/100 999\n\n\
                 T: 0 (  999) P:80 I:1000 C:     10 Min:      4 Act:    5 Avg:    6 Max:       9\n\
                 T: 0 (  999) P:80 I:1000 C:     18 Min:      4 Act:    5 Avg:    5 Max:      12\n";
    let figures = histogram(of_text(state, &Options::default()));
    let micros = |count| Some(Nanos::from_micros(count));
    assert_eq!((figures.count, figures.min, figures.max), (18, micros(4), micros(12)));
    assert_eq!((figures.mean_nanos, figures.p50), (Some(5_000.0), None));
    let verbose = "Max CPUs = 4\n       0:       0:       7\n       0:       1:       5\n       0:       2:       5\n";
    let figures = histogram(of_text(verbose, &Options::default()));
    assert_eq!((figures.count, figures.min, figures.max), (3, micros(5), micros(7)));
}

#[test]
fn a_value_in_a_wide_bin_is_shown_as_the_end_of_the_bin() {
    let text = "$ rtla osnoise hist -b 10\n# RTLA osnoise histogram\n# Time unit is microseconds (us)\n\
                # Duration:   0 00:01:00\nIndex   CPU-000   CPU-001\n0         90        80\n\
                10         9        15\n20         1         5\nover:      0         0\n\
                count:   100       100\nmin:       0         0\navg:       3         4\nmax:      21        24\n";
    let imported = of_text(text, &Options::default());
    assert_eq!((imported.source, imported.bad_lines.count), (Source::Rtla, 0));
    let figures = histogram(imported);
    assert_eq!(
        (figures.p50, figures.p95),
        (Some(Nanos::from_micros(9)), Some(Nanos::from_micros(19)))
    );
}

#[test]
fn jitterdebugger_and_wrk2_are_read() {
    let jitterdebugger = r#"{"version":2,"cpu":{"0":{"histogram":{"2":90,"7":10},"count":100,"min":2,"max":7,"avg":2.5}}}"#;
    let imported = of_text(jitterdebugger, &Options::default());
    assert_eq!(imported.source, Source::Jitterdebugger);
    let figures = histogram(imported);
    assert_eq!((figures.count, figures.p95), (100, Some(Nanos::from_micros(7))));
    let wrk2 = "Running 30s test\n  2 threads\n  Detailed Percentile spectrum:\n       Value   Percentile   \
                TotalCount 1/(1-Percentile)\n\n       0.500     0.500000           50         2.00\n       \
                2.500     1.000000          100          inf\n#[Mean    =        1.5]\n\
                ----------------------------------------------------------\n  100 requests in 30.00s\n";
    let imported = of_text(wrk2, &Options::default());
    assert_eq!((imported.source, imported.bad_lines.count), (Source::HdrHistogram, 0));
    assert_eq!(histogram(imported).max, Some(Nanos::from_micros(2_500)));
}
