//! Parses cells and names in text files of other programs.

use crate::nanos::Nanos;
use crate::run::instant_here;

pub(super) use crate::format::millis::frame_time;

/// Maximum length of a name in characters.
pub(super) const MAX_LETTERS: usize = 200;

/// Returns a text as a name: one line of limited length, without control characters.
pub(super) fn name(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_control());
    letters.take(MAX_LETTERS).collect::<String>().trim().to_owned()
}

/// Returns a text as a name; `None` if it is empty.
pub(super) fn some_name(text: &str) -> Option<String> {
    Some(name(text)).filter(|name| !name.is_empty())
}

/// Whether a cell states that there is no value.
pub(super) fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    cell.is_empty() || cell.eq_ignore_ascii_case("na") || cell.eq_ignore_ascii_case("n/a")
}

/// Parses a date with a time. Without a zone, it is the wall clock of the PC that wrote the file, which is returned as well and
/// shown as it is: in the zone of this PC. Both are `None` if the text is not a date.
pub(super) fn instant(text: &str) -> (Option<jiff::Timestamp>, Option<jiff::civil::DateTime>) {
    if let Ok(instant) = text.trim().parse::<jiff::Timestamp>() {
        return (Some(instant), None);
    }
    let wall_clock = text.trim().parse::<jiff::civil::DateTime>().ok();
    (wall_clock.and_then(instant_here), wall_clock)
}

/// Parses a cell as a frame time in milliseconds; `Ok(None)` if the value is missing or 0.
pub(super) fn frame_time_cell(cell: &str) -> Result<Option<Nanos>, &'static str> {
    if is_missing(cell) {
        return Ok(None);
    }
    match cell.trim().parse::<f64>() {
        Ok(millis) if millis.is_finite() => frame_time(millis),
        Ok(_) => Err("a frame time that is not finite"),
        Err(_) => Err("a frame time that is not a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_time_or_missing_or_bad() {
        for (cell, time) in [
            ("16.675", Ok(Some(Nanos::new(16_675_000)))),
            (" 4.18737 ", Ok(Some(Nanos::new(4_187_370)))),
            ("NA", Ok(None)),
            ("", Ok(None)),
            ("0.0000", Ok(None)),
            ("NaN", Err("a frame time that is not finite")),
            ("1e308", Err("a frame time above ten minutes")),
            ("-1", Err("a negative frame time")),
            ("16,6", Err("a frame time that is not a number")),
        ] {
            assert_eq!(frame_time_cell(cell), time, "{cell}");
        }
    }
}
