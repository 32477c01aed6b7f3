//! Damaged files: each yields a result or an error message, never a panic.

use jitterscope_engine::export::{Format, Options};
use jitterscope_engine::import::{self, ImportError};
use jitterscope_engine::report::{self, RecordingFigures, Report};
use proptest::prelude::*;

use super::{foreign, sample, written};

/// Returns one undamaged file of every supported format.
pub(super) fn whole() -> Vec<Vec<u8>> {
    let mut run = sample::run("name");
    for trial in &mut run.trials {
        trial.samples = trial.samples.iter().take(40).collect();
    }
    let exported =
        [Format::Json, Format::Html, Format::MangoHud, Format::PresentMon, Format::Cyclictest];
    let mut files: Vec<Vec<u8>> =
        exported.iter().map(|&format| written(format, &run, &Options::default())).collect();
    files.extend(
        [
            foreign::PRESENTMON_1,
            foreign::PRESENTMON_2,
            foreign::PRESENTMON_NOW,
            foreign::MANGOHUD,
            foreign::CAPFRAMEX,
            foreign::CYCLICTEST,
            foreign::CYCLICTEST_TEXT,
            foreign::RTLA,
            foreign::HGRM,
            foreign::AFTERBURNER,
            foreign::OCAT,
            foreign::FRAMEVIEW,
            foreign::CAPFRAMEX_CSV,
        ]
        .map(|text| text.as_bytes().to_vec()),
    );
    files
}

/// Imports and evaluates a file; returns whether it could be imported.
pub(super) fn survives(bytes: &[u8]) -> bool {
    let imported = match import::from_bytes(bytes, &import::Options::default()) {
        // Select a column, as the user would do for a file with unknown columns.
        Err(
            ImportError::WhichColumn(_)
            | ImportError::WhichUnit { .. }
            | ImportError::WhichRows { .. },
        ) => {
            let column = Some(import::Column { name: "1".to_owned(), unit: None });
            let options = import::Options { column, is_per_frame: Some(true), ..<_>::default() };
            import::from_bytes(bytes, &options)
        }
        imported => imported,
    };
    match imported {
        Ok(imported) => {
            let run = imported.into_run();
            let report = Report::of(&run, &report::Options::default());
            for row in &report.rows {
                let count = row.summary.as_ref().map_or(0, |summary| summary.lateness.count);
                assert!(count <= run.sample_count());
            }
            for recording in report.results::<RecordingFigures>() {
                assert!(recording.figures.count() <= run.sample_count() as u64);
            }
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_is_read_or_refused() {
    for file in whole() {
        assert!(survives(&file));
        for percent in 0..100 {
            survives(&file[..file.len() * percent / 100]);
        }
    }
}

#[test]
fn line_ends_and_utf_16_do_not_matter() {
    for file in whole() {
        let text = String::from_utf8(file).unwrap();
        let unix = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let windows = unix.replace('\n', "\r\n");
        let marked = format!("\u{feff}{unix}");
        let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let read =
            |bytes: &[u8]| import::from_bytes(bytes, &import::Options::default()).unwrap().content;
        let expected = read(unix.as_bytes());
        for other in [windows.as_bytes(), marked.as_bytes(), &little, &big] {
            assert_eq!(read(other), expected);
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let run =
        String::from_utf8(written(Format::Json, &sample::run(""), &Options::default())).unwrap();
    let mut twice = run.replacen("\"name\":\"\"", "\"name\":\"\",\"name\":\"\"", 1);
    assert_ne!(twice, run);
    assert!(!survives(twice.as_bytes()), "a key that stands twice");
    twice = run.replacen("\"woke_nanos\":[", "\"woke_nanos\":[\"x\",", 1);
    assert!(!survives(twice.as_bytes()), "a text for a number");
    twice = run.replacen("\"woke_nanos\":[", "\"woke_nanos\":[NaN,", 1);
    assert!(!survives(twice.as_bytes()), "not a number");
    twice = run.replacen("\"woke_nanos\":[", "\"woke_nanos\":[1e308,", 1);
    assert!(!survives(twice.as_bytes()), "a fraction for nanoseconds");
    for depth in [1_000, 1_000_000] {
        for before in [
            "",
            "{\"Runs\":",
            "{\"thread\":",
            "{\"format\":\"jitterscope-run\",\"plan\":",
            "{\"x\":",
        ] {
            for bracket in ["[", "{\"a\":"] {
                assert!(!survives(format!("{before}{}", bracket.repeat(depth)).as_bytes()));
            }
        }
    }
    for number in ["1e308", "-1e308", "1e999", "NaN", "[]", "true", "{}", "\"text\""] {
        let capture =
            format!("{{\"Runs\":[{{\"CaptureData\":{{\"MsBetweenPresents\":[{number}]}}}}]}}");
        assert!(!survives(capture.as_bytes()), "{number}");
        // Its other column can be read if the user selects it.
        let log = format!("fps,frametime\n1,{number}\n");
        let read = import::from_bytes(log.as_bytes(), &import::Options::default());
        assert!(read.is_err(), "{number}");
        let result = format!("{{\"thread\":{{\"0\":{{\"histogram\":{{\"1\":{number}}}}}}}}}");
        assert!(!survives(result.as_bytes()), "{number}");
    }
    let huge = format!(
        "{{\"thread\":{{\"0\":{{\"histogram\":{{\"1\":{0},\"2\":{0}}},\"cycles\":{0}}}}}}}",
        u64::MAX
    );
    assert!(survives(huge.as_bytes()), "a count beyond all bounds saturates");
    assert!(!survives(&[b'\n'; 1 << 20]));
    assert!(!survives(&[0; 1 << 20]));
    let long = format!("fps,frametime\n1,{}\n1,16.5\n", "9".repeat(1 << 20));
    let read = import::from_bytes(long.as_bytes(), &import::Options::default()).unwrap();
    assert_eq!(read.bad_lines.first, [(2, "a line that is too long")]);
    let many: String = (0..2_000).map(|k| format!("p{k},{k},0,16.5\n")).collect();
    let many = format!("Application,ProcessID,SwapChainAddress,FrameTime\n{many}");
    let read = import::from_bytes(many.as_bytes(), &import::Options::default()).unwrap();
    assert_eq!((read.series.len(), read.bad_lines.count), (1_000, 1_000));
}

#[test]
fn a_gigabyte_of_zeros_is_refused_by_its_beginning() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 30).unwrap();
    let error = import::read(file.path(), &import::Options::default()).unwrap_err();
    assert!(error.to_string().contains("unsupported file"), "{error}");
}

proptest! {
    #![proptest_config(super::without_files(256))]

    #[test]
    fn flipped_bytes_never_panic(
        file in any::<prop::sample::Index>(),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let files = whole();
        let mut bytes = files[file.index(files.len())].clone();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survives(&bytes);
    }

    #[test]
    fn any_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes);
    }

    #[test]
    fn any_cells_never_panic(cells in proptest::collection::vec("[-0-9a-zA-Z.,\" ]{0,12}", 0..60)) {
        survives(format!("Application,ProcessID,FrameTime\n{}", cells.join("\n")).as_bytes());
        survives(format!("fps,frametime\n{}", cells.join("\n")).as_bytes());
        survives(format!("some;cells\n{}", cells.join("\n")).as_bytes());
    }
}
