//! Time to read captures of other programs, for files of two sizes: ten times the size must take about ten times as long,
//! whatever the file holds. The hostile shapes once took the square of their size.
//!
//! `cargo bench -p jitterscope-engine --bench import`

use std::time::{Duration, Instant};

use jitterscope_engine::import::{self, Column, Options};

/// Number of bytes of the smaller file of each kind; the larger one has [`FACTOR`] times as many.
const BYTES: usize = 2 << 20;
const FACTOR: usize = 10;
/// Number of times that a file is read; the shortest time counts.
const PASSES: usize = 3;

/// A kind of file: its name, its beginning, the lines that are repeated to reach a size, and its end.
struct Kind {
    name: &'static str,
    begin: String,
    rows: fn(usize) -> String,
    end: &'static str,
}

const PRESENTMON: &str = "Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,\
    PresentMode,FrameType,CPUStartTime,FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,DisplayLatency,\
    DisplayedTime,AnimationError,AnimationTime,ClickToPhotonLatency\n";

const fn kind(name: &'static str, begin: String, rows: fn(usize) -> String) -> Kind {
    Kind { name, begin, rows, end: "" }
}

/// A file of every program.
fn kinds() -> Vec<Kind> {
    let of = |name, begin: &str, rows| kind(name, begin.to_owned(), rows);
    vec![
        of("PresentMon 2", PRESENTMON, |row| {
            let ms = row_millis(row);
            format!(
                "game.exe,7,0x1D2C3B4A,DXGI,0,512,1,Hardware: Independent Flip,Application,{:.4},{ms:.4},{ms:.4},0.1000,\
                 1.2345,{ms:.4},8.1234,0.5000,20.1234,{ms:.4},-0.0123,{:.4},NA\n",
                8.5 * float(row),
                8.5 * float(row),
            )
        }),
        of("MangoHud", "fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,elapsed\n", |row| {
            format!("117.6,8.5000,{},97,55,63,{}\n", row % 100, 8_500_000 * (row + 1))
        }),
        of(
            "HWiNFO",
            "Date,Time,Core 0 [\u{b0}C],Framerate [FPS],GPU Temperature [\u{b0}C]\n",
            |row| {
                format!(
                    "30.11.2026,{}:{:02}:{:02}.0,50,60.5,63\n",
                    row / 3_600 % 24,
                    row / 60 % 60,
                    row % 60
                )
            },
        ),
        of("Unreal Engine", "EVENTS,FrameTime,GPUTime\n", |row| {
            format!(",{:.4},3.1\n", row_millis(row))
        }),
        of("Fraps", "Frame, Time (ms)\n", |row| format!("{row}, {:.3}\n", 8.5 * float(row))),
        of(
            "Afterburner",
            "00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n\
             02, 21-11-2026 20:00:00, GPU temperature     ,Framerate           ,Frametime           \n",
            |row| {
                let (minutes, seconds) = (row / 60 % 60, row % 60);
                format!(
                    "80, 21-11-2026 {:02}:{minutes:02}:{seconds:02}, 50.000              ,100.000             ,{:.3}  \n",
                    row / 3_600 % 24,
                    row_millis(row),
                )
            },
        ),
        Kind {
            end: "8.5]}}]}",
            ..of(
                "CapFrameX",
                "{\"Info\":{},\"Runs\":[{\"CaptureData\":{\"MsBetweenPresents\":[",
                |row| format!("{:.6},", row_millis(row)),
            )
        },
        Kind {
            end: "\"9999999\":1}}}}",
            // A thread has fewer than a million different latencies.
            ..of("cyclictest, JSON", "{\"thread\":{\"0\":{\"histogram\":{", |row| {
                match row % 500_000 {
                    499_999 => format!("\"0\":1}}}},\"{}\":{{\"histogram\":{{", row / 500_000 + 1),
                    value => format!("        \"{value}\": {},\n", row + 1),
                }
            })
        },
        of("cyclictest, text", "# Histogram\n", |row| {
            format!("{:06} {:06}\t{:06}\n", row % 60_000, row, 7)
        }),
        of("cyclictest -v", "Max CPUs = 4\n", |row| {
            format!("{:8}:{row:8}:{:8}\n", row % 4, row % 97)
        }),
        of("cyclictest without -q", "policy: fifo\n", |row| {
            format!(
                "T: {} (  999) P:80 I:1000 C:{row:7} Min:      4 Act:    5 Avg:    5 Max:      12\n",
                row % 4
            )
        }),
        of("oslat", "        Core:\t 2 3\n", |row| {
            format!("    {:03} (us):\t {row} 98\n", row + 1)
        }),
        of("rtla", "# RTLA timerlat histogram\nIndex IRQ-000 Thr-000\n", |row| {
            format!("{row:<12} {:9}     {:9}\n", 5, 0)
        }),
        of("HdrHistogram", "Value Percentile TotalCount 1/(1-Percentile)\n\n", |row| {
            format!("{:12}.000     0.500000 {:10}         2.00\n", row, row + 1)
        }),
    ]
}

/// Files whose rows cost more than their cells: a repair, a note, a session, a series.
fn hostile_kinds() -> Vec<Kind> {
    let of = |name, begin: &str, rows| kind(name, begin.to_owned(), rows);
    vec![
        of("names with separators", "Application,ProcessID,FrameTime\n", |_| {
            "a,b,c,d.exe,7,8.5\n".to_owned()
        }),
        of("decimal commas between commas", "fps,frametime,cpu_load\n", |_| {
            "60,16,650,5\n".to_owned()
        }),
        of("repeated headers", "application,frametime\na,1\n", |_| {
            "application,frametime\n".to_owned()
        }),
        of("1000 processes, repeated headers", "application,frametime\n", |row| match row {
            row if row < 1_000 => format!("{row},1\n"),
            _ => "application,frametime\n".to_owned(),
        }),
        of("clock that restarts", "frametime,elapsed\n", |row| {
            format!("8.5,{}\n", 900_000_000 * (row % 2))
        }),
        of("bad rows", "fps,frametime\n", |row| format!("{row},{row},{row},x\n")),
        of("many quotes", "fps,frametime\n", |_| "\"\"\"\",\"\"\"8\"\"\"\"\n".to_owned()),
        of("rows of 64 KiB", "fps,frametime\n", |_| format!("{}8.5\n", ",".repeat(64_000))),
        of("one long line", "fps,frametime\n", |_| "9".repeat(1_000)),
        of("no table", "nothing\n", |_| "# comment\n".to_owned()),
        Kind {
            begin: format!(
                "# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex {}\n1 {}\n",
                "I ".repeat(20_000),
                "1 ".repeat(20_000)
            ),
            ..of("rtla of 20 000 columns", "", |_| "a:\n".to_owned())
        },
        Kind {
            begin: format!(
                "00, 21-11-2026 20:00:00, Hardware monitoring log v1.6 \n02, 21-11-2026 20:00:00,{}Frametime\n",
                ",".repeat(64_000)
            ),
            end: "80, 21-11-2026 20:00:01, 9.5\n",
            ..of("Afterburner of 64 000 columns", "", |_| "03\n".to_owned())
        },
        Kind { end: "]", ..of("nested JSON", "{\"Runs\":", |_| "[".to_owned()) },
    ]
}

/// Returns a frame time that differs from row to row, in milliseconds.
fn row_millis(row: usize) -> f64 {
    8.0 + float(row % 1_000) / 1e3
}

fn float(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn write(kind: &Kind, bytes: usize) -> Vec<u8> {
    let mut text = kind.begin.clone();
    let mut row = 0;
    while text.len() < kind.begin.len() + bytes {
        text.push_str(&(kind.rows)(row));
        row += 1;
    }
    text.push_str(kind.end);
    text.into_bytes()
}

/// Returns the shortest time that reading a file takes, and whether it was read.
fn time(file: &[u8]) -> (Duration, bool) {
    let column = Some(Column { name: "1".to_owned(), unit: None });
    let other = Options { column, is_per_frame: Some(true), ..Options::default() };
    let passes = (0..PASSES).map(|_| {
        let began = Instant::now();
        let imported = import::from_bytes(file, &Options::default());
        let is_asked = matches!(&imported, Err(import::ImportError::WhichColumn(_)));
        let imported = if is_asked { import::from_bytes(file, &other) } else { imported };
        let run = imported.map(import::Imported::into_run);
        (began.elapsed(), run.is_ok())
    });
    passes.min().unwrap_or_default()
}

#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn main() {
    println!("{:34} {:>9} {:>9} {:>7} {:>9}", "file", "small", "large", "times", "per byte");
    for kind in kinds().into_iter().chain(hostile_kinds()) {
        let (small, large) = (write(&kind, BYTES), write(&kind, FACTOR * BYTES));
        let ((short, _), (long, is_read)) = (time(&small), time(&large));
        println!(
            "{:34} {:6.1} ms {:6.0} ms {:6.1} {:6.2} ns{}",
            kind.name,
            short.as_secs_f64() * 1e3,
            long.as_secs_f64() * 1e3,
            long.as_secs_f64() / short.as_secs_f64(),
            long.as_secs_f64() * 1e9 / float(large.len()),
            if is_read { "" } else { "   (refused)" },
        );
    }
}
