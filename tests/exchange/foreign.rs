//! Files of other programs, in the formats that these programs write.

use jitterscope_engine::import::{self, Imported, Options, Source, TimeUnit};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{self, RecordingFigures, Report};
use jitterscope_engine::run::capture::Distribution;
use jitterscope_engine::run::{Capture, Run};
use jitterscope_engine::sample::MISSING;

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

/// Captures in the format of PresentMon 2 and in the current format.
pub(super) const PRESENTMON_2: &str = "Application,ProcessID,SwapChainAddress,PresentRuntime,FrameType,\
    CPUStartTime,FrameTime,CPUBusy\ngame.exe,42,0x2,DXGI,Application,1.0,16.5,3\n\
    game.exe,42,0x2,DXGI,Application,2.0,NA,3\ngame.exe,42,0x2,DXGI,Application,3.0,17.5,3\n";
pub(super) const PRESENTMON_NOW: &str = "Application,ProcessID,SwapChainAddress,FrameType,TimeInMs,\
    MsBetweenSimulationStart,MsBetweenPresents,MsBetweenAppStart\ngame.exe,42,0x2,Application,1,NA,16.5,99\n\
    game.exe,42,0x2,Application,1,NA,NA,99\ngame.exe,42,0x2,Application,1,NA,17.5,99\n";

pub(crate) const MANGOHUD: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler\n\
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

/// A histogram of two threads in microseconds; thread 1 has values beyond the last bin.
pub(super) const CYCLICTEST_TEXT: &str = "# /dev/cpu_dma_latency set to 0us\n# Histogram\n\
    000000 000000\t000000\n000004 000008\t000001\n000005 000010\t000000\n\
    # Total: 000000018 000000001\n# Min Latencies: 00004 00004\n# Avg Latencies: 00004 00004\n\
    # Max Latencies: 00005 00230\n# Histogram Overflows: 00000 00002\n\
    # Histogram Overflow at cycle number:\n# Thread 0:\n# Thread 1: 00012 00077\n";

/// Output of cyclictest 2.40 with `-H`, shortened. The third column is the sum of both threads.
const CYCLICTEST_WITH_SUM: &str = "# /dev/cpu_dma_latency set to 0us\n# Histogram\n\
    000066 000000\t000001\t000001\n000074 000001\t000002\t000003\n000080 000001\t000002\t000003\n\
    # Total: 000000002 000000005 000000007\n# Min Latencies: 00074 00066\n\
    # Avg Latencies: 00077 00346\n# Max Latencies: 00093 05581 05581\n\
    # Histogram Overflows: 00000 00005 00005\n# Histogram Overflow at cycle number:\n# Thread 0:\n\
    # Thread 1: 00004 00023 00025 00026 00030\n";

/// Output of cyclictest 2.40 with `-N`, shortened. The values are nanoseconds, which the text does not state.
const CYCLICTEST_NANOS: &str = "# /dev/cpu_dma_latency set to 0us\n# Histogram\n\
    073837 000001\t000000\n074275 000000\t000001\n263576 000001\t000000\n\
    # Total: 000000002 000000001\n# Min Latencies: 73837 74275\n# Avg Latencies: 117032 170155\n\
    # Max Latencies: 263576 421825\n# Histogram Overflows: 00000 00001\n\
    # Histogram Overflow at cycle number:\n# Thread 0:\n# Thread 1: 00003\n";

pub(super) const RTLA: &str = "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n\
    # Duration:   0 00:00:10\nIndex   IRQ-000   Thr-000   IRQ-003   Thr-003\n\
    0            90         0        95         0\n1            10        80         5        90\n\
    7             0        18         0        10\nover:         0         2         0         0\n\
    count:      100       100       100       100\nmin:          0         1         0         1\n\
    avg:          0         3         0         1\nmax:          1       412         1         7\n\
    ALL:        IRQ       Thr\ncount:      200       200\nmin:          0         1\n";

pub(super) const HGRM: &str = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n\
       4.000 0.000000000000         10           1.00\n       5.000 0.500000000000         90           2.00\n\
       5.000 0.900000000000         90          10.00\n      44.500 1.000000000000        100\n\
    #[Mean    =        8.850, StdDeviation   =       11.900]\n#[Max     =       44.500, Total count    =          100]\n\
    #[Buckets =           20, SubBuckets     =         2048]\n";

pub(crate) const AFTERBURNER: &str = "00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n\
    01, 21-11-2026 20:00:00, A graphics card\n\
    02, 21-11-2026 20:00:00, GPU temperature     ,Framerate           ,Frametime           \n\
    80, 21-11-2026 20:00:01, 50.000              ,100.000             ,9.500               \n\
    80, 21-11-2026 20:00:02, 51.000              ,100.000             ,12.500              \n";

pub(super) const OCAT: &str = "Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,\
    AllowsTearing,PresentMode,WasBatched,DwmNotified,Dropped,TimeInSeconds,MsBetweenPresents,\
    MsBetweenDisplayChange,Motherboard,OS,Processor\n\
    game.exe,42,0x2,DXGI,0,0,1,Flip,0,0,0,0.0165,16.5,16.5,\"A board, B\",\"Windows 11\",A Processor\n\
    game.exe,42,0x2,DXGI,0,0,1,Flip,0,0,0,0.0340,17.5,17.5\n";

pub(super) const CAPFRAMEX_CSV: &str = "//GameName=Game\n//CreationDate=2026-11-21\n\
    //CreationTime=05:00:00\n//Processor=A Processor\n//OS=Windows 11\n//Comment=calm\n\
    Application,ProcessID,SwapChainAddress,Runtime,TimeInSeconds,MsBetweenPresents\n\
    game.exe,42,0x2,DXGI,0,16.5\ngame.exe,42,0x2,DXGI,0.0175,17.5\n";

pub(super) const FRAMEVIEW: &str = "Application,GPU,CPU,Resolution,Runtime,AllowsTearing,ProcessID,SwapChainAddress,\
    Dropped,TimeInSeconds,MsBetweenPresents,MsBetweenDisplayChange,Render Queue Depth,GPU0Clk(MHz)\n\
    game.exe,A Card,A Processor,1920x1080,DXGI,1,42,0x2,0,0.1,16.5,16.5,1,1800\n\
    game.exe,A Card,A Processor,1920x1080,DXGI,1,42,0x2,0,0.1175,17.5,17.5,1,1800\n";

fn read(text: &str) -> Imported {
    import::from_bytes(text.as_bytes(), &Options::default()).unwrap()
}

fn millis(imported: &Imported) -> Vec<Vec<Option<f64>>> {
    let millis = |nanos| (nanos != MISSING).then(|| Nanos::new(nanos).as_millis());
    let recordings = imported.capture().unwrap().recordings();
    recordings.iter().map(|one| one.frame_times.values().map(millis).collect()).collect()
}

fn counts(imported: &Imported) -> &[Distribution] {
    match imported.capture() {
        Some(Capture::Histogram(distributions)) => distributions,
        other => panic!("no histogram: {other:?}"),
    }
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
    let reasons = ["a frame time that is not a number", "a line without a frame time"];
    assert_eq!(first.bad_lines.first, [(5, reasons[0]), (6, reasons[1])]);
}

#[test]
fn programs_that_write_like_presentmon_are_distinguished_and_name_their_machine() {
    for (text, source, name) in [
        (OCAT, Source::Ocat, "game.exe"),
        (FRAMEVIEW, Source::FrameView, "game.exe"),
        (CAPFRAMEX_CSV, Source::CapFrameX, "Game"),
    ] {
        let imported = read(text);
        assert_eq!((imported.source, imported.name.as_str()), (source, name));
        assert_eq!(millis(&imported), [[Some(16.5), Some(17.5)]]);
        assert_eq!(imported.machine.cpu_model.as_deref(), Some("A Processor"), "{source:?}");
    }
    let capframex = read(CAPFRAMEX_CSV);
    assert_eq!(capframex.started_at.unwrap().to_string(), "2026-11-21T05:00:00Z");
    assert!(capframex.notes.contains(&"Comment: calm".to_owned()));
}

#[test]
fn series_with_the_most_frames_is_the_default_but_never_the_compositor() {
    let imported = read(PRESENTMON_1);
    let names: Vec<&str> = imported.series.iter().map(|series| series.process.as_str()).collect();
    assert_eq!((names, imported.selected), (vec!["game.exe", "desk.exe"], Some(0)));
    for wanted in ["DESK.exe", "7"] {
        let options = Options { process: Some(wanted.to_owned()), ..Options::default() };
        let desk = import::from_bytes(PRESENTMON_1.as_bytes(), &options).unwrap();
        assert_eq!(millis(&desk), [[Some(100.0)]]);
    }
    let options = Options { process: Some("other".to_owned()), ..Options::default() };
    let error = import::from_bytes(PRESENTMON_1.as_bytes(), &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no 'other' found; there are: game.exe (42), swap chain 0x2, 3 frames; desk.exe (7), swap \
         chain 0x1, 1 frames"
    );
    let mut text = String::from("Application,ProcessID,SwapChainAddress,MsBetweenPresents\n");
    text.push_str(&"dwm.exe,1,0x1,16.7\n".repeat(50));
    text.push_str(&"game.exe,2,0x2,8\n".repeat(20));
    assert_eq!(read(&text).name, "game.exe");
    assert_eq!(
        read(&text.replace("game", "DWM").replace("DWM.exe,2", "dwm.exe,2")).name,
        "dwm.exe"
    );
}

#[test]
fn swap_chains_of_one_process_can_be_selected_apart() {
    let mut text = String::from("Application,ProcessID,SwapChainAddress,MsBetweenPresents\n");
    for _ in 0..30 {
        text.push_str("game.exe,2,0xA,8\ngame.exe,2,0xA,8\ngame.exe,2,0xB,33\n");
    }
    let both = read(&text);
    assert_eq!((both.series.len(), both.capture().unwrap().count()), (2, 60));
    let options = both.series[1].options();
    assert_eq!(options.swap_chain.as_deref(), Some("0xB"));
    let overlay = import::from_bytes(text.as_bytes(), &options).unwrap();
    assert_eq!((overlay.selected, overlay.capture().unwrap().count()), (Some(1), 30));
}

#[test]
fn mangohud_has_as_many_frames_as_rows_and_names_its_machine() {
    let imported = read(MANGOHUD);
    assert_eq!(imported.source, Source::MangoHud);
    assert_eq!(millis(&imported), [[Some(16.5), None, Some(17.5)]]);
    let run = imported.into_run();
    assert_eq!(run.machine.os.as_deref(), Some("Debian 12"));
    assert_eq!(run.machine.power.governor_or_plan.as_deref(), Some("performance"));
    assert_eq!((run.sample_count(), run.trials.len()), (3, 0), "no invented first frame");
    assert!(run.note.contains("1 frame time is missing"));
    assert_eq!(Report::of(&run, &report::Options::default()).verdict.grade, None);
}

/// Returns a MangoHud log with a logging interval of 100 ms: one row per interval, although each frame takes
/// 4 ms.
fn sampled_log(rows: u64) -> String {
    let mut text = String::from("os,cpu\nLinux,A Processor\nfps,frametime,elapsed\n");
    for row in 1..=rows {
        text.push_str(&format!("250,4,{}\n", row * 100_000_000));
    }
    text
}

#[test]
fn sampled_logs_are_no_frames() {
    let run = read(&sampled_log(298)).into_run();
    assert!(matches!(run.capture(), Some(Capture::SampledLog(_))));
    let report = Report::of(&run, &report::Options::default());
    assert_eq!(
        report.sentence(),
        "This log holds samples, not every frame: 1.19\u{202f}s of frame times in 30 s."
    );
    assert_eq!(report.verdict.finding.key.as_deref(), Some("298 reads"));
    assert_eq!(report.verdict.grade, None);
}

#[test]
fn sessions_joined_in_one_log_are_split() {
    // Two ways to join logs: with the header repeated, and with only the elapsed time starting again at 0.
    let log = sampled_log(50);
    let rows = log.split_once("elapsed\n").unwrap().1;
    for joined in [format!("{log}{log}"), format!("{log}{rows}")] {
        let imported = read(&joined);
        assert_eq!(imported.bad_lines.count, 0);
        let lengths: Vec<usize> = millis(&imported).iter().map(Vec::len).collect();
        assert_eq!(lengths, [50, 50]);
        let run = imported.into_run();
        assert_eq!(
            Report::of(&run, &report::Options::default()).results::<RecordingFigures>().len(),
            2
        );
        assert!(run.note.contains("The file holds 2 recordings"));
    }
}

#[test]
fn afterburner_is_recognized_and_sampled() {
    let imported = read(AFTERBURNER);
    assert_eq!(imported.source, Source::Afterburner);
    assert!(matches!(imported.capture(), Some(Capture::SampledLog(_))));
    assert_eq!(imported.into_run().app_version, "Afterburner");
}

#[test]
fn capframex_recordings_stay_apart() {
    let imported = read(CAPFRAMEX);
    assert_eq!((imported.source, imported.name.as_str()), (Source::CapFrameX, "Game"));
    assert_eq!(millis(&imported), [vec![Some(16.5), None, Some(17.5)], vec![Some(20.0), None]]);
    assert_eq!(imported.bad_lines.first, [(3, "a negative frame time")]);
    let run = imported.into_run();
    assert_eq!(run.started_at.to_string(), "2026-11-21T05:00:00Z");
    let report = Report::of(&run, &report::Options::default());
    let labels: Vec<&str> =
        report.results::<RecordingFigures>().iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["Recording 1", "Recording 2"]);
}

#[test]
fn values_above_a_histogram_are_counted_and_not_located() {
    let imported = read(CYCLICTEST);
    let threads = counts(&imported);
    assert_eq!(threads[0].label, "Thread 0, CPU 1");
    assert!(threads[0].bins.iter().eq([(4_000, 8), (5_000, 10)]));
    assert_eq!((threads[0].above_count, threads[0].max), (2, Some(Nanos::from_micros(1_144))));
    assert!(threads[1].bins.iter().eq([(3_000, 2)]));
    assert!(imported.notes.iter().any(|note| note.contains("2 of 20 values were above")));
    let run = imported.into_run();
    assert_eq!(run.sample_count(), 22);
    assert!(!format!("{run:?}").contains("somewhere"), "the host's name is not kept");
}

#[test]
fn the_summary_column_of_cyclictest_is_no_thread() {
    let imported = read(CYCLICTEST_WITH_SUM);
    let threads = counts(&imported);
    let labels: Vec<&str> = threads.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["Thread 0", "Thread 1"]);
    assert_eq!((threads[0].count(), threads[1].count(), threads[1].above_count), (2, 10, 5));
    assert_eq!(threads[1].max, Some(Nanos::from_micros(5_581)));
    // A thread without values is omitted; the others retain their numbers.
    let idle = CYCLICTEST_TEXT.replace(" 000008", " 000000").replace(" 000010", " 000000");
    let labels: Vec<String> = counts(&read(&idle)).iter().map(|one| one.label.clone()).collect();
    assert_eq!(labels, ["Thread 1"]);
    // With a single thread, the summary lines have one value.
    let one =
        "# Histogram\n000004 000008\t000008\n# Min Latencies: 00004\n# Max Latencies: 00004\n";
    let one = read(one);
    assert_eq!(counts(&one).len(), 1);
    assert_eq!(counts(&one)[0].count(), 8);
    // A text that ends within that line has all columns.
    let cut = "# Histogram\n000004 000008\t000008\n# Min Latencies:";
    assert_eq!(counts(&read(cut)).len(), 2);
}

#[test]
fn cyclictest_in_nanoseconds_is_not_read_as_microseconds() {
    let imported = read(CYCLICTEST_NANOS);
    let threads = counts(&imported);
    assert!(threads[0].bins.iter().eq([(73_837, 1), (263_576, 1)]));
    assert_eq!(threads[1].max, Some(Nanos::new(421_825)));
    let stated = "Values were read as ns; the file has no unit.";
    assert!(imported.notes.iter().any(|note| note == stated), "{:?}", imported.notes);
    assert!(!read(CYCLICTEST_TEXT).notes.iter().any(|note| note.contains("no unit")));
    let options = Options { unit: Some(TimeUnit::Micros), ..Options::default() };
    let micros = import::from_bytes(CYCLICTEST_NANOS.as_bytes(), &options).unwrap();
    assert_eq!(counts(&micros)[0].bins.first(), Some((73_837_000, 1)));
}

#[test]
fn histograms_in_text_hold_every_count() {
    let cyclictest = read(CYCLICTEST_TEXT);
    assert_eq!((cyclictest.source, cyclictest.bad_lines.count), (Source::Cyclictest, 0));
    let threads = counts(&cyclictest);
    assert!(threads[0].bins.iter().eq([(4_000, 8), (5_000, 10)]));
    assert_eq!((threads[1].count(), threads[1].above_count), (3, 2));
    assert_eq!(threads[1].max, Some(Nanos::from_micros(230)));

    let rtla = read(RTLA);
    assert_eq!((rtla.source, rtla.name.as_str()), (Source::Rtla, "rtla timerlat"));
    assert_eq!(rtla.bad_lines.count, 0, "{:?}", rtla.bad_lines);
    let columns = counts(&rtla);
    let labels: Vec<&str> = columns.iter().map(|one| one.label.as_str()).collect();
    let expected = ["CPU 0, interrupt", "CPU 0, thread", "CPU 3, interrupt", "CPU 3, thread"];
    assert_eq!(labels, expected);
    assert!(columns.iter().all(|one| one.count() == 100));
    assert_eq!((columns[1].above_count, columns[1].max), (2, Some(Nanos::from_micros(412))));
    let osnoise = "# RTLA osnoise histogram\n# Time unit is nanoseconds (ns)\n# Duration: 0\n\
                   Index CPU-012\n10 3\nover: 0\ncount: 3\n";
    let osnoise = read(osnoise);
    assert_eq!(
        (counts(&osnoise)[0].label.as_str(), osnoise.name.as_str()),
        ("CPU 12", "rtla osnoise")
    );
    assert!(counts(&osnoise)[0].bins.iter().eq([(10, 3)]));
    // Without the index column, the counts would be read as values: such a file is rejected.
    let no_index = RTLA.replace("Index   ", "   ");
    assert!(import::from_bytes(no_index.as_bytes(), &Options::default()).is_err());

    let hgrm = read(HGRM);
    assert!(counts(&hgrm)[0].bins.iter().eq([(4_000, 10), (5_000, 80), (44_500, 10)]));
    let options = Options { unit: Some(TimeUnit::Millis), ..Options::default() };
    let millis = import::from_bytes(HGRM.as_bytes(), &options).unwrap();
    assert_eq!(counts(&millis)[0].bins.last(), Some((44_500_000, 10)));
}

#[test]
fn saved_import_of_an_older_version_has_no_invented_frame() {
    // Version 0.1.0 saved a MangoHud log of three rows as a frame loop with four samples.
    let mut run = super::sample::of_frame_times(&[16_500_000, 17_000_000, 17_500_000]);
    run.method_version = 0;
    run.app_version = "MangoHud".to_owned();
    run.note = "Imported from a MangoHud log.\nLateness here is frame time less the median frame \
                time of 17.000 ms.\nmine"
        .to_owned();
    let open = |run: &Run| {
        let mut json = Vec::new();
        jitterscope_engine::format::write(run, &mut json).unwrap();
        jitterscope_engine::format::read(&json).unwrap()
    };
    let opened = open(&run);
    let times: Vec<i64> = opened.capture().unwrap().recordings()[0].present().collect();
    assert_eq!(times, [16_500_000, 17_000_000, 17_500_000]);
    assert_eq!(opened.note, "Imported from a MangoHud log.\nmine");
    assert_eq!(open(&opened), opened, "and is saved as a capture from now on");
    run.app_version = "cyclictest".to_owned();
    let Some(Capture::Histogram(threads)) = open(&run).capture().cloned() else {
        panic!("no histogram")
    };
    assert_eq!(threads[0].count(), 4);
}

#[test]
fn saved_import_takes_little_more_than_its_source() {
    let mut text = String::from("fps,frametime\n");
    for frame in 0..20_000_u32 {
        text.push_str(&format!("{},{:.3}\n", 60, 16.0 + f64::from(frame % 997) / 1_000.0));
    }
    let mut saved = Vec::new();
    jitterscope_engine::format::write(&read(&text).into_run(), &mut saved).unwrap();
    println!("{} bytes of {}", saved.len(), text.len());
    assert!(saved.len() < text.len() * 3 / 2, "{} bytes of {}", saved.len(), text.len());
}

#[test]
fn other_files_are_refused_in_words() {
    for (bytes, said) in [
        (&b""[..], "the file is empty"),
        (b"hello,world\nand,more\n", "unsupported file"),
        (b"hello,world\n1,2\n", "no known frame time column; name one of: hello, world"),
        (b"{\"a\":1}", "a JSON file of an unknown program"),
        (b"{\"a\":", "a JSON file, but damaged in line 1"),
        (b"{\"Runs\":[", "a CapFrameX capture, but damaged in line 1"),
        (b"[1,2]", "unsupported file"),
        (b"\x7fELF\0\0\0\0", "a program; open the log that it wrote"),
        (b"\x01\0\x02\0\0\0\x09\0", "unsupported file: no text"),
        (b"<html></html>", "this HTML file contains no run"),
        (
            b"{\"format\":\"jitterscope-run\"",
            "not a Jitterscope run, or damaged: the end of the file is missing",
        ),
        (b"{\"format\":\"other\"}", "its format is 'other'"),
        (b"fps,frametime\nx,y\n", "no frame times or counts found; 1 line cannot be read"),
        (b"fps,frametime\n", "a MangoHud log that ends before its first value"),
        (
            b"fps,frametime\n60,0\n",
            "a MangoHud log without a frame time: every value is missing or 0",
        ),
        (
            b"Application,ProcessID,SwapChainAddr",
            "a PresentMon CSV that ends before its first value",
        ),
        (
            b"fps,frametime\n0,0\nNA,NA\n",
            "a MangoHud log without a frame time: every value is missing or 0",
        ),
        (b"                     Timer Latency\n", "output of rtla timerlat top; record with"),
        (
            b"{\"cmdline:\":\"ptsematest -a\",\"thread\":{\"0\":{\"receiver\":{\"max\":5}}}}",
            "a result of ptsematest without a histogram",
        ),
        (b"{\"Runs\":[]}", "no frame times or counts found"),
        (b"{\"thread\":{}}", "no frame times or counts found"),
        (
            b"# RTLA osnoise histogram\nIndex\nover: 0\ncount: 0\n",
            "an rtla histogram that ends before its first value",
        ),
        (
            b"00, 1, Hardware monitoring log v1.6\n",
            "an Afterburner log that ends before its first value",
        ),
        (
            b"00, 1, Hardware monitoring log v1.6\n02, 1, GPU usage\n80, 1, 5\n",
            "an Afterburner log without frame times; select Framerate and Frametime",
        ),
    ] {
        let error = import::from_bytes(bytes, &Options::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
