//! Formats times, counts, shares, and rates as text. All numbers are formatted in this module.
//!
//! The window, the command line, and every export use these formats. CSV and JSON have exact values
//! instead.

use std::borrow::Cow;

mod number;
mod time;

pub(crate) use number::singular;
pub use number::{
    capitalized, count_text, format_bytes, format_change, format_count, format_count_or_none,
    format_cpus, format_decimal, format_fps, format_graded, format_graded_percent,
    format_measured_fps, format_others, format_ratio, format_share, format_signed_count,
    format_signed_share, join_names,
};
pub use time::{
    Unit, choose_decimals, choose_unit, format_clock, format_exact_millis, format_long_time,
    format_mean_error, format_period, format_setting, format_signed_time, format_signed_time_in,
    format_time, format_time_above, format_time_in, time_parts,
};

/// Text of a missing value.
pub const MISSING: &str = "–";

/// The narrow no-break space between groups of three digits, and between a number and its unit.
pub const NARROW_SPACE: char = '\u{202f}';

/// The minus sign of a negative number. Unlike a hyphen, it is as wide as a plus sign.
pub const MINUS: char = '\u{2212}';

/// Maximum number of characters to which text columns are padded. A longer cell shifts the cells after it.
pub const MAX_PADDING: usize = 200;

/// Maximum number of characters of a value that a message quotes.
const MAX_QUOTED: usize = 60;

/// Returns a value to quote in a message: only its first 60 characters and an ellipsis if it is longer.
pub fn shortened(text: &str) -> Cow<'_, str> {
    cut(text, MAX_QUOTED)
}

/// Returns the beginning of a text, with "…" where it is longer than this number of characters.
pub fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)) {
        None => Cow::Borrowed(text),
        Some(beginning) => Cow::Owned(format!("{}…", beginning.trim_end())),
    }
}

/// Formats an interval from its two formatted ends: `4.8 to 6.1`.
pub fn format_interval(low: &str, high: &str) -> String {
    format!("{low} to {high}")
}
