//! The date in the name of a capture: MangoHud writes it nowhere else, and others name their files alike.
//!
//! ```text
//! vkcube_2026-11-28_21-53-28          MangoHud
//! PresentMon-2024-05-01T123000        PresentMon, CapFrameX, OCAT
//! game 2011-12-04 21-53-28-12 fps     Fraps
//! FrameView_game_2021_03_12T102304    FrameView
//! ```

use crate::run::instant_here;

/// Years in which a capture can be recorded; other numbers of four digits are part of a title.
pub(super) const YEARS: std::ops::RangeInclusive<i16> = 1990..=2099;

/// What may be between two parts of a date.
const MARKS: &[u8] = b"-_. Tt";

/// Returns the first date with a time in a file name without its extension: the wall clock of the PC that recorded it, and
/// when that was if this PC is in the same zone. Both are `None` if the name has no such date.
pub(super) fn wall_clock(stem: &str) -> (Option<jiff::Timestamp>, Option<jiff::civil::DateTime>) {
    let starts = (0..stem.len()).filter(|&at| is_start(stem.as_bytes(), at));
    let mut dates = starts.filter_map(|at| date(stem.as_bytes().get(at..)?));
    let wall_clock = dates.next();
    (wall_clock.and_then(instant_here), wall_clock)
}

/// Whether a number begins at a position.
fn is_start(text: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    is_digit(at) && at.checked_sub(1).is_none_or(|before| !is_digit(before))
}

/// Parses a date with a time at the beginning of a text: year, month, day, hour, minute, and second, with one mark or none
/// between two of them.
fn date(text: &[u8]) -> Option<jiff::civil::DateTime> {
    let mut rest = text;
    let mut next = |digits: usize| -> Option<i16> {
        let (number, after) = rest.split_at_checked(digits)?;
        let is_number = number.iter().all(u8::is_ascii_digit);
        let mark = usize::from(after.first().is_some_and(|mark| MARKS.contains(mark)));
        rest = after.get(mark..)?;
        std::str::from_utf8(number).ok().filter(|_| is_number)?.parse().ok()
    };
    let year = next(4).filter(|year| YEARS.contains(year))?;
    let mut part = || i8::try_from(next(2)?).ok();
    let [month, day, hour, minute] = [part()?, part()?, part()?, part()?];
    let second = part()?;
    jiff::civil::DateTime::new(year, month, day, hour, minute, second, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_with_a_time_is_found_as_programs_write_it() {
        for (name, expected) in [
            ("vkcube_2026-11-28_21-53-28", Some("2026-11-28T21:53:28")),
            ("Game 2077_2024-05-01_12-30-00 (1)", Some("2024-05-01T12:30:00")),
            ("PresentMon-2024-05-01T123000", Some("2024-05-01T12:30:00")),
            ("CapFrameX-game.exe-2020-01-12T175028", Some("2020-01-12T17:50:28")),
            ("game 2011-12-04 21-53-28-12 frametimes", Some("2011-12-04T21:53:28")),
            ("FrameView_game_2021_03_12T102304_Log", Some("2021-03-12T10:23:04")),
            ("20240501_123000", Some("2024-05-01T12:30:00")),
            ("MangoHud_2026-11-21", None),
            ("game_2024-13-01_12-30-00", None),
            ("game_2024-05-01_25-30-00", None),
            ("game_0024-05-01_12-30-00", None),
            ("120240501123000", None),
            ("run1", None),
            ("", None),
            ("größe_2024-05-01_12-30-0", None),
        ] {
            let (started_at, found) = wall_clock(name);
            assert_eq!(found.map(|date| date.to_string()).as_deref(), expected, "{name}");
            assert_eq!(started_at.is_some(), expected.is_some(), "{name}");
        }
    }
}
