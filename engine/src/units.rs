//! Times, counts, shares and rates as text: the one place that formats a number.
//!
//! The window, the command line, and every export print these forms. CSV and JSON hold exact values
//! instead.

use std::borrow::Cow;

mod number;
mod time;

pub use number::{
    format_bytes, format_change, format_count, format_count_or_none, format_cpus, format_decimal,
    format_fps, format_measured_fps, format_others, format_ratio, format_share,
    format_signed_count, format_signed_share,
};
pub use time::{
    Unit, choose_decimals, choose_unit, format_exact_millis, format_long_time, format_mean_error,
    format_period, format_setting, format_signed_time, format_signed_time_in, format_time,
    format_time_above, format_time_in, format_time_range, time_parts,
};

/// Shown if there is no value.
pub const MISSING: &str = "–";

/// The space between groups of three digits, and between a number and its unit: U+202F.
pub const NARROW_SPACE: char = '\u{202f}';

/// The sign of a negative number: U+2212, as wide as a plus.
pub const MINUS: char = '\u{2212}';

/// The most characters that a cell is padded to: longer ones only push what follows them.
pub const MAX_PADDING: usize = 200;

/// Characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;

/// A value as a message quotes it: with an ellipsis in place of what is too long to be read.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_QUOTED).and_then(|(end, _)| text.get(..end)) {
        None => Cow::Borrowed(text),
        Some(beginning) => Cow::Owned(format!("{}…", beginning.trim_end())),
    }
}

/// Two formatted ends of an interval: `4.8 to 6.1`; one that is not known is open.
pub fn format_interval(low: &str, high: &str) -> String {
    format!("{low} to {high}")
}
