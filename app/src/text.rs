//! Formats numbers as text for users: durations, counts, shares, dates. Pure functions, independent
//! of the window.
//!
//! Files and clipboards use plain digits instead; these formats are for screens and reports.

pub mod compare;
pub mod date;
pub mod export;
pub mod hosts;
pub mod import;
pub mod library;
pub mod live;
pub mod low;
pub mod machine;
pub mod recordings;
pub mod run_name;
pub mod series;

pub use self::date::{date, eta, list_date, local, local_date, nanos_between, now, time};
pub use self::run_name::{
    began_text, check_file_name, check_name, full_run_name, name_or_title, run_name,
};
pub use jitterscope_engine::report::document::{check as quick, trend};
pub use jitterscope_engine::units::{
    MINUS, MISSING, NARROW_SPACE, Unit, capitalized, choose_decimals, choose_unit, count_text,
    format_bytes, format_clock, format_count, format_decimal, format_long_time,
    format_measured_fps, format_period, format_ratio, format_setting, format_share,
    format_signed_time, format_time, format_time_in, time_parts,
};

/// Returns the name in at most `most` characters; if it is cut, the last one is an ellipsis.
pub fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let retained: String = name.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", retained.trim_end())
}
