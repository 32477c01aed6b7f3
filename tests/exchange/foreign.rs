//! Files of other programs, as they write them.

use jitterscope_engine::import::{self, Content, ImportError, Imported, Options, Source};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{self, Report};

/// A PresentMon 1 recording of two processes, with a byte-order mark and Windows line ends.
pub(super) const PRESENTMON_1: &str = "\u{feff}Application,ProcessID,SwapChainAddress,Runtime,\
    SyncInterval,PresentFlags,Dropped,TimeInSeconds,msInPresentAPI,msBetweenPresents\r\n\
    desk.exe,7,0x1,DXGI,1,0,0,0.1,0.2,100.0\r\n\
    game.exe,42,0x2,DXGI,1,0,0,0.1,0.2,16.5\r\n\
    game.exe,42,0x2,DXGI,1,0,0,0.2,0.2,NA\r\n\
    game.exe,42,0x2,DXGI,1,0,0,0.2,0.2,oops\r\n\
    game.exe,42,0x2,DXGI,1,0,0\r\n\
    \r\n\
    game.exe,42,0x2,DXGI,1,0,0,0.3,0.2,17.5\r\n";

/// PresentMon 2 and the current one.
pub(super) const PRESENTMON_2: &str = "Application,ProcessID,SwapChainAddress,PresentRuntime,FrameType,\
    CPUStartTime,FrameTime,CPUBusy\ngame.exe,42,0x2,DXGI,Application,1.0,16.5,3\n\
    game.exe,42,0x2,DXGI,Application,2.0,NA,3\ngame.exe,42,0x2,DXGI,Application,3.0,17.5,3\n";
pub(super) const PRESENTMON_NOW: &str = "Application,ProcessID,SwapChainAddress,FrameType,TimeInMs,\
    MsBetweenSimulationStart,MsBetweenPresents,MsBetweenAppStart\ngame.exe,42,0x2,Application,1,NA,16.5,99\n\
    game.exe,42,0x2,Application,1,NA,NA,99\ngame.exe,42,0x2,Application,1,NA,17.5,99\n";

pub(super) const MANGOHUD: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n\
    Debian 12,A Processor,none,32768000,6.18.0,,performance\n\
    fps,frametime,cpu_load,elapsed\n60.6,16.5,0,1\n0,,0,2\n57.1,17.5,0,3\n";

pub(super) const CAPFRAMEX: &str = r#"{"Hash":"x","Info":{"AppVersion":"1.7.6.0","Processor":"A Processor",
    "GameName":"Game","ProcessName":"game.exe","CreationDate":"2026-11-21T05:00:00Z","OS":"Windows 11",
    "Comment":null,"Other":[1]},"Runs":[{"Hash":"y","PresentMonRuntime":"DXGI","SensorData2":null,
    "CaptureData":{"TimeInSeconds":[0.1,0.2,0.3],"MsBetweenPresents":[16.5,null,17.5],"Dropped":[false]}},
    {"CaptureData":{"MsBetweenPresents":[20,"NaN",-1]}},{"CaptureData":null}]}"#;

pub(super) const CYCLICTEST: &str = r#"{"file_version":1,"cmdline:":"cyclictest -i 500 --json=x",
    "rt_test_version:":"2.40","start_time":"Sat, 21 Nov 2026 02:28:11 +0000","end_time":"",
    "return_code":0,"sysinfo":{"sysname":"Linux","nodename":"somewhere","release":"6.18.0","version":"1",
    "machine":"x86_64","realtime":0},"num_threads":2,"resolution_in_ns":0,"thread":{
    "0":{"histogram":{"4":8,"5":10},"cycles":20,"min":4,"max":1144,"avg":16.62,"cpu":1,"node":0},
    "1":{"histogram":{"3":2},"cycles":2,"min":3,"max":3,"avg":3.0,"cpu":0,"node":0}}}"#;

fn read(text: &str) -> Imported {
    import::from_bytes(text.as_bytes(), &Options::default()).unwrap()
}

fn millis(imported: &Imported) -> Vec<Vec<Option<f64>>> {
    let of =
        |times: &import::FrameTimes| times.iter().map(|time| time.map(Nanos::as_millis)).collect();
    imported.frame_times().iter().map(of).collect()
}

#[test]
fn every_generation_of_presentmon_is_read_by_the_names_of_its_columns() {
    for text in [PRESENTMON_1, PRESENTMON_2, PRESENTMON_NOW] {
        let imported = read(text);
        assert_eq!(imported.source, Source::PresentMon);
        assert_eq!(millis(&imported), [[Some(16.5), None, Some(17.5)]]);
        assert_eq!(imported.name, "game.exe");
    }
    let first = read(PRESENTMON_1);
    assert_eq!(first.bad_lines.count, 2);
    let reasons = ["a frame time that is no number", "a line without a frame time"];
    assert_eq!(first.bad_lines.first, [(5, reasons[0]), (6, reasons[1])]);
}

#[test]
fn the_busiest_process_is_taken_or_the_one_that_is_named() {
    let imported = read(PRESENTMON_1);
    let names: Vec<&str> = imported.processes.iter().map(|process| process.name.as_str()).collect();
    assert_eq!((names, imported.chosen), (vec!["game.exe", "desk.exe"], Some(0)));
    for wanted in ["DESK.exe", "7"] {
        let options = Options { process: Some(wanted.to_owned()), ..Options::default() };
        let desk = import::from_bytes(PRESENTMON_1.as_bytes(), &options).unwrap();
        assert_eq!(millis(&desk), [[Some(100.0)]]);
    }
    let options = Options { process: Some("other".to_owned()), ..Options::default() };
    let error = import::from_bytes(PRESENTMON_1.as_bytes(), &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no process 'other' in it; there are: game.exe (42), 3 frames, desk.exe (7), 1 frames"
    );
}

#[test]
fn mangohud_tells_frames_and_machine() {
    let imported = read(MANGOHUD);
    assert_eq!(imported.source, Source::MangoHud);
    assert_eq!(millis(&imported), [[Some(16.5), None, Some(17.5)]]);
    let run = imported.into_run();
    assert_eq!(run.machine.os.as_deref(), Some("Debian 12"));
    assert_eq!(run.machine.power.governor_or_plan.as_deref(), Some("performance"));
    assert_eq!(run.trials[0].samples.frame_time_nanos(), [16_500_000, 17_500_000]);
    // Due one median of 17 ms after the frame before.
    assert_eq!(run.trials[0].samples.late_nanos(), [0, -500_000, 500_000]);
    assert!(
        run.note.contains("median frame time of 17.000 ms") && run.note.contains("1 frame times")
    );
}

#[test]
fn capframex_recordings_are_rounds() {
    let imported = read(CAPFRAMEX);
    assert_eq!((imported.source, imported.name.as_str()), (Source::CapFrameX, "Game"));
    assert_eq!(millis(&imported), [vec![Some(16.5), None, Some(17.5)], vec![Some(20.0), None]]);
    assert_eq!(imported.bad_lines.first, [(3, "a negative frame time")]);
    let run = imported.into_run();
    assert_eq!(run.started_at.to_string(), "2026-11-21T05:00:00Z");
    assert_eq!(run.trials.iter().map(|trial| trial.trial.round).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(Report::of(&run, &report::Options::default()).rows.len(), 1);
}

#[test]
fn what_lay_above_cyclictests_histogram_is_counted() {
    let imported = read(CYCLICTEST);
    let Content::Latencies { interval, threads } = &imported.content else {
        panic!("{imported:?}")
    };
    assert_eq!(*interval, Nanos::from_micros(500));
    assert_eq!(threads[0].label, "Thread 0, CPU 1");
    assert_eq!((threads[0].late_nanos.len(), threads[0].lost_count), (19, 1));
    assert_eq!(threads[0].late_nanos.last(), Some(&1_144_000));
    assert_eq!(threads[1].late_nanos, [3_000, 3_000]);
    assert!(imported.notes.iter().any(|note| note.contains("2 of 20 wake-ups lay above")));
    let run = imported.into_run();
    assert_eq!(run.lost_count(), 1);
    assert!(!format!("{run:?}").contains("somewhere"), "the host's name is not kept");
}

#[test]
fn other_files_are_refused_in_words() {
    for (bytes, said) in [
        (&b""[..], "not a kind of file"),
        (b"hello,world\nand,more\n", "not a kind of file"),
        (b"hello,world\n1,2\n", "known to be the frame time; name one of: hello, world"),
        (b"{\"a\":1}", "not a kind of file"),
        (b"[1,2]", "not a kind of file"),
        (b"\x7fELF\0\0\0\0", "not a kind of file"),
        (b"<html></html>", "this page holds no run"),
        (b"{\"format\":\"jitterscope-run\"", "not a run, or damaged"),
        (b"{\"format\":\"other\"}", "its format is 'other'"),
        (b"fps,frametime\nx,y\n", "no frame time in it; 1 lines cannot be read"),
        (b"fps,frametime\n", "no frame time in it; 0 lines"),
        (b"{\"Runs\":[]}", "no frame time in it"),
        (b"{\"thread\":{}}", "no frame time in it"),
    ] {
        let error = import::from_bytes(bytes, &Options::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// Recordings of the real programs, where a folder of them is named by `JITTERSCOPE_CAPTURES`.
#[test]
fn real_captures_are_read_whole() {
    let Some(folder) = std::env::var_os("JITTERSCOPE_CAPTURES") else {
        println!("skipped: JITTERSCOPE_CAPTURES names no folder of captures");
        return;
    };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "csv") {
            continue;
        }
        let imported: Result<Imported, ImportError> = import::read(&path, &Options::default());
        let imported = imported.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let frames: usize = imported.frame_times().iter().map(import::FrameTimes::len).sum();
        let processes: Vec<String> = imported.processes.iter().map(|one| one.words()).collect();
        println!("{}: {frames} frames, {processes:?}", path.display());
        assert_eq!(imported.bad_lines.count, 0, "{}: {:?}", path.display(), imported.bad_lines);
        assert!(20 < frames, "{}", path.display());
        let run = imported.into_run();
        assert!(
            Report::of(&run, &report::Options::default()).rows[0].summary.is_some(),
            "{}",
            path.display()
        );
    }
}
