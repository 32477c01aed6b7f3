//! A table of a known program is read to the same values however it is written, or it is refused.

use jitterscope_engine::import::{self, Options, Source};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::run::capture::FrameQuantity;
use proptest::prelude::*;

use super::recording;

/// How a table is written: all of these hold the same values.
#[derive(Clone, Debug)]
struct Layout {
    separator: char,
    has_decimal_comma: bool,
    is_quoted: bool,
    encoding: Encoding,
    /// The line before the header; empty without one.
    before: &'static str,
    /// The end of each line, with or without a blank line after it.
    end: &'static str,
    /// Whether the name of the application has the separator in it.
    has_separator_in_name: bool,
    /// The position of each column; the first [`KNOWN`] columns are known, others have values of other programs.
    columns: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Encoding {
    Utf8 { has_mark: bool },
    Utf16 { has_mark: bool, is_big_endian: bool },
    Windows1252,
}

/// Number of columns of a table that are known.
const KNOWN: usize = 7;
/// Number of columns that are not known.
const UNKNOWN: usize = 3;
/// Lines that programs write before a header.
const BEFORE: [&str; 4] = ["", "sep=", "#TYPE Selected.System", "PS C:\\> Get-Content a.csv"];

fn layouts() -> impl Strategy<Value = Layout> {
    let columns = (0..=UNKNOWN)
        .prop_flat_map(|unknown| Just((0..KNOWN + unknown).collect::<Vec<usize>>()).prop_shuffle());
    let encoding = prop_oneof![
        any::<bool>().prop_map(|has_mark| Encoding::Utf8 { has_mark }),
        any::<(bool, bool)>()
            .prop_map(|(has_mark, is_big_endian)| Encoding::Utf16 { has_mark, is_big_endian }),
        Just(Encoding::Windows1252),
    ];
    let lines = (prop::sample::select(BEFORE.to_vec()), prop::sample::select(ENDS.to_vec()));
    (
        prop::sample::select(vec![',', ';', '\t']),
        any::<(bool, bool, bool)>(),
        encoding,
        lines,
        columns,
    )
        .prop_map(|(separator, flags, encoding, (before, end), columns)| {
            let (has_decimal_comma, is_quoted, has_separator_in_name) = flags;
            Layout {
                separator,
                has_decimal_comma,
                is_quoted,
                encoding,
                before,
                end,
                has_separator_in_name,
                columns,
            }
        })
}

/// The ends of lines, with and without blank lines.
const ENDS: [&str; 4] = ["\n", "\r\n", "\n\n", "\r\n\r\n"];

impl Layout {
    fn application(&self) -> String {
        let separator =
            if self.has_separator_in_name { format!("{} ", self.separator) } else { String::new() };
        format!("My{separator}game.exe")
    }

    /// Whether nothing shows where a cell ends: such a table may be refused.
    fn may_be_refused(&self) -> bool {
        let is_comma_of_both = self.separator == ',' && self.has_decimal_comma;
        !self.is_quoted && (is_comma_of_both || self.has_separator_in_name)
    }

    /// Writes frame times in hundredths of a millisecond as a capture of PresentMon.
    fn write(&self, hundredths: &[u32]) -> Vec<u8> {
        let mut text = match self.before {
            "" => String::new(),
            "sep=" => format!("sep={}{}", self.separator, self.end),
            line => format!("{line}{}", self.end),
        };
        let mut line = |cells: [String; KNOWN + UNKNOWN]| {
            let cells = self.columns.iter().map(|&column| match &cells[column] {
                cell if self.is_quoted => format!("\"{cell}\""),
                cell => cell.clone(),
            });
            text.push_str(&cells.collect::<Vec<_>>().join(&self.separator.to_string()));
            text.push_str(self.end);
        };
        line(
            [
                "Application",
                "ProcessID",
                "TimeInSeconds",
                "MsBetweenPresents",
                "Core [\u{b0}C]",
                "MsBetweenDisplayChange",
                "MsGPUBusy",
                "Column of another program",
                "x",
                "Notes",
            ]
            .map(str::to_owned),
        );
        let mut sum = 0;
        for &time in hundredths {
            sum += time;
            let number = |number: String| match self.has_decimal_comma {
                true => number.replace('.', ","),
                false => number,
            };
            line([
                self.application(),
                "7".to_owned(),
                number(format!("{:.5}", f64::from(sum) / 1e5)),
                number(format!("{:.2}", f64::from(time) / 1e2)),
                number("50.5".to_owned()),
                number(format!("{:.2}", f64::from(time + 1) / 1e2)),
                number(format!("{:.2}", f64::from(time) / 2e2)),
                number("-1.5".to_owned()),
                "0".to_owned(),
                "a note".to_owned(),
            ]);
        }
        let mark = |has_mark: bool| if has_mark { "\u{feff}" } else { "" };
        match self.encoding {
            Encoding::Utf8 { has_mark } => format!("{}{text}", mark(has_mark)).into_bytes(),
            Encoding::Utf16 { has_mark, is_big_endian } => {
                let text = format!("{}{text}", mark(has_mark));
                let bytes = if is_big_endian { u16::to_be_bytes } else { u16::to_le_bytes };
                text.encode_utf16().flat_map(bytes).collect()
            }
            Encoding::Windows1252 => {
                text.chars().map(|letter| u8::try_from(letter).unwrap()).collect()
            }
        }
    }
}

/// Checks that a written table is read to the frame times in hundredths of a millisecond, or refused if it may be.
fn check(layout: &Layout, hundredths: &[u32]) -> Result<(), TestCaseError> {
    let read = import::from_bytes(&layout.write(hundredths), &Options::default());
    if read.is_err() && layout.may_be_refused() {
        return Ok(());
    }
    let imported = read.unwrap();
    prop_assert_eq!((imported.source, imported.bad_lines.count), (Source::PresentMon, 0));
    let times: Vec<i64> = recording(&imported).frame_times.values().collect();
    let expected: Vec<i64> = hundredths.iter().map(|&time| i64::from(time) * 10_000).collect();
    prop_assert_eq!(times, expected);
    let per_frame = |quantity| -> Vec<i64> {
        recording(&imported).per_frame(quantity).unwrap().values().collect()
    };
    let displayed: Vec<i64> = hundredths.iter().map(|&time| i64::from(time + 1) * 10_000).collect();
    prop_assert_eq!(per_frame(FrameQuantity::DisplayedTime), displayed);
    let busy: Vec<i64> = hundredths
        .iter()
        .map(|&time| {
            let millis: f64 = format!("{:.2}", f64::from(time) / 2e2).parse().unwrap();
            Nanos::from_nanos_f64(millis * 1e6).get()
        })
        .collect();
    prop_assert_eq!(per_frame(FrameQuantity::GpuBusy), busy);
    // A name has no control characters.
    prop_assert_eq!(imported.name, layout.application().replace('\t', ""));
    Ok(())
}

#[test]
fn a_name_with_a_tab_between_tabs_is_one_cell() {
    let layout = Layout {
        separator: '\t',
        has_decimal_comma: false,
        is_quoted: false,
        encoding: Encoding::Utf8 { has_mark: false },
        before: "",
        end: "\n",
        has_separator_in_name: true,
        columns: (0..KNOWN).collect(),
    };
    check(&layout, &[200, 200, 200]).unwrap();
    let imported =
        import::from_bytes(&layout.write(&[200, 200, 200]), &Options::default()).unwrap();
    assert_eq!(imported.capture().unwrap().count(), 3);
}

proptest! {
    #![proptest_config(crate::exchange::without_files(256))]

    #[test]
    fn a_table_has_the_same_figures_however_it_is_written(
        layout in layouts(),
        hundredths in prop::collection::vec(200_u32..10_000, 3..40),
    ) {
        check(&layout, &hundredths)?;
    }
}
