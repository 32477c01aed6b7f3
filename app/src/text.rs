//! Numbers to words for people: lengths of time, counts, shares, dates. Pure; knows no window.
//!
//! Files and clipboards get plain digits instead; these forms are for screens and reports.

pub mod compare;
pub mod date;
pub mod document;
pub mod duration;
pub mod export;
pub mod headline;
pub mod import;
pub mod library;
pub mod low;
pub mod machine;
pub mod number;
pub mod quick;
pub mod series;
pub mod table;
pub mod verdict;

pub use self::date::{clock, date, eta, list_date, local, sentence_duration};
pub use self::duration::{
    Unit, choose_unit, decimals_for, duration, duration_above, exact_millis, in_unit,
    millis_uncertain, parts, period_millis, range, signed_duration, signed_in_unit,
};
pub use self::number::{
    bytes, change, count, count_or_none, fps, fps_measured, percent, ratio, signed_count,
    signed_percent,
};
pub use self::verdict::run_name;

/// What stands where there is no value. The reason belongs in the hover text.
pub const MISSING: &str = "–";

/// The space between groups of three digits, and between a number and its unit: U+202F.
pub const NARROW_SPACE: char = '\u{202f}';

/// The sign of a negative number: U+2212, as wide as a plus.
pub const MINUS: char = '\u{2212}';

/// The first so many letters of a name, with an ellipsis where it is longer.
pub fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let kept: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
