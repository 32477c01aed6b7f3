//! What a table has of each frame besides its frame time: how long CPU and GPU were busy, when the frame was displayed,
//! and what made it.

use super::known;
use super::row::Row;
use super::table::Table;
use super::text::is_missing;
use super::time_unit::TimeUnit;
use crate::nanos::Nanos;
use crate::run::capture::FrameQuantity;
use crate::sample::MISSING;

/// A time that is longer is none of a frame, in milliseconds.
const MAX_MILLIS: f64 = 600_000.0;
/// How PresentMon 2 calls the time until a frame was displayed, which a dropped frame does not have.
const UNTIL_DISPLAYED: [&str; 2] = ["msuntildisplayed", "displaylatency"];
/// What PresentMon writes as the type of a frame that the application made, without what separates words.
const OF_APPLICATION: [&str; 6] =
    ["application", "app", "notset", "unspecified", "unknown", "original"];

/// The columns of values of each frame, and the values of the current row.
#[derive(Clone, Debug, Default)]
pub(super) struct PerFrame {
    columns: Vec<(FrameQuantity, usize)>,
    /// The unit of each column of times.
    units: Vec<TimeUnit>,
    /// Whether a frame without a time until it was displayed was dropped: the file has no column that states it.
    has_no_dropped: bool,
    row: Vec<i64>,
}

impl PerFrame {
    /// Finds the columns of a table whose frame times are in the column `frame_time`.
    pub(super) fn of(table: &Table, frame_time: usize) -> Self {
        let place = |quantity| {
            let mut names = known::names_of(quantity);
            let found = names.find_map(|(name, unit)| {
                Some(((quantity, table.place(name)?), unit.unwrap_or(TimeUnit::Millis)))
            });
            found.filter(|((_, place), _)| *place != frame_time)
        };
        let (mut columns, mut units): (Vec<_>, Vec<_>) =
            FrameQuantity::ALL.into_iter().filter_map(place).unzip();
        let is_dropped =
            |(quantity, _): &(FrameQuantity, usize)| *quantity == FrameQuantity::Dropped;
        let has_no_dropped = !columns.iter().any(is_dropped);
        let until = UNTIL_DISPLAYED.iter().find_map(|name| table.place(name));
        columns.extend(until.filter(|_| has_no_dropped).map(|it| (FrameQuantity::Dropped, it)));
        units.resize(columns.len(), TimeUnit::Millis);
        Self { row: vec![MISSING; columns.len()], columns, units, has_no_dropped }
    }

    /// Returns what each column holds.
    pub(super) fn quantities(&self) -> Vec<FrameQuantity> {
        self.columns.iter().map(|(quantity, _)| *quantity).collect()
    }

    /// Stores the values of the current row.
    pub(super) fn read_row(&mut self, row: &Row) {
        let columns = self.columns.iter().zip(&self.units);
        for (((quantity, place), unit), stored) in columns.zip(&mut self.row) {
            *stored = match quantity {
                FrameQuantity::Dropped if self.has_no_dropped => {
                    i64::from(is_missing(row.text(*place)))
                }
                FrameQuantity::Dropped => dropped(row.text(*place)),
                FrameQuantity::Origin => origin(row.text(*place)),
                _ => match row.number(*place) {
                    Some(value) => time(*quantity, unit.millis(value)),
                    None => MISSING,
                },
            };
        }
        if self.is_of_others() {
            // Such a row repeats what the frame of the application has, or has 0.
            for ((quantity, _), stored) in self.columns.iter().zip(&mut self.row) {
                let is_own = matches!(
                    quantity,
                    FrameQuantity::DisplayedTime | FrameQuantity::Origin | FrameQuantity::Dropped
                );
                if !is_own {
                    *stored = MISSING;
                }
            }
        }
    }

    /// Returns the values of the current row, in the order of [`quantities`](Self::quantities).
    pub(super) fn row(&self) -> &[i64] {
        &self.row
    }

    /// Whether something other than the application made the frame of the current row.
    pub(super) fn is_of_others(&self) -> bool {
        let mut values = self.columns.iter().zip(&self.row);
        values.any(|((quantity, _), &value)| *quantity == FrameQuantity::Origin && 0 < value)
    }

    /// Whether the frame of the current row was never displayed, as the file states it.
    pub(super) fn is_dropped(&self) -> bool {
        let mut values = self.columns.iter().zip(&self.row);
        values.any(|((quantity, _), &value)| *quantity == FrameQuantity::Dropped && value == 1)
    }
}

/// Converts a time of a frame from milliseconds to nanoseconds; [`MISSING`] if it is none. A frame that was displayed for
/// no time was never displayed.
pub(super) fn time(quantity: FrameQuantity, millis: f64) -> i64 {
    let is_time = match quantity {
        FrameQuantity::AnimationError => millis.abs() <= MAX_MILLIS,
        FrameQuantity::DisplayedTime => 0.0 < millis && millis <= MAX_MILLIS,
        // PresentMon 2.0 to 2.2 wrote 0 for a frame without a click.
        FrameQuantity::ClickToPhoton | FrameQuantity::PcLatency => {
            0.0 < millis && millis <= MAX_MILLIS
        }
        _ => (0.0..=MAX_MILLIS).contains(&millis),
    };
    if is_time { Nanos::from_nanos_f64(millis * 1e6).get() } else { MISSING }
}

fn dropped(text: &str) -> i64 {
    match text.trim() {
        "1" => 1,
        "0" => 0,
        text if text.eq_ignore_ascii_case("true") => 1,
        text if text.eq_ignore_ascii_case("false") => 0,
        _ => MISSING,
    }
}

fn origin(text: &str) -> i64 {
    // "Not set", "NotSet", and "not_set" are one word.
    let is = |word: &str| {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|letter| letter.to_ascii_lowercase()).eq(word.chars())
    };
    if OF_APPLICATION.into_iter().any(is) || is_missing(text) {
        FrameQuantity::APPLICATION
    } else if is("repeated") {
        FrameQuantity::REPEATED
    } else {
        FrameQuantity::GENERATED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_application_are_known_however_their_type_is_spelled() {
        for text in ["Application", "NotSet", "Not set", " NOT_SET ", "NA", ""] {
            assert_eq!(origin(text), FrameQuantity::APPLICATION, "{text}");
        }
        assert_eq!(origin("Repeated"), FrameQuantity::REPEATED);
        assert_eq!(origin("AMD_AFMF"), FrameQuantity::GENERATED);
        assert_eq!(origin("Intel XeSS-FG"), FrameQuantity::GENERATED);
    }
}
