//! Formats counts, shares, rates, and changes as text.

use std::cmp::Ordering;

use super::{MINUS, MISSING, NARROW_SPACE};

/// Formats a count in groups of three digits: `1 800`.
pub fn format_count(count: impl TryInto<u64>) -> String {
    group(&count.try_into().unwrap_or(u64::MAX).to_string())
}

/// Formats a number with a plural noun: `1 frame`, `1 pair of blocks`, `3 frames`.
pub fn count_text(count: impl TryInto<u64>, plural: &str) -> String {
    match format_count(count).as_str() {
        "1" => match plural.split_once(" of ") {
            Some((plural, rest)) => format!("1 {} of {rest}", singular(plural)),
            None => format!("1 {}", singular(plural)),
        },
        count => format!("{count} {plural}"),
    }
}

/// Returns a plural noun that ends in "s" without the "s".
pub(crate) fn singular(plural: &str) -> &str {
    plural.strip_suffix('s').unwrap_or(plural)
}

/// Formats the number of entries that a list omits: `1 other`, `8 others`.
pub fn format_others(count: usize) -> String {
    count_text(count, "others")
}

/// Returns the text with its first letter in upper case.
pub fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Joins names as in a sentence: "1, 2, and 4".
pub fn join_names(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
    }
}

/// Formats a count, or `none` for 0.
pub fn format_count_or_none(number: u64) -> String {
    if number == 0 { "none".to_owned() } else { format_count(number) }
}

/// Formats ascending CPU numbers as ranges: `0–3, 8`.
pub fn format_cpus(cpus: &[u32]) -> String {
    let mut text = String::new();
    let mut rest = cpus;
    while let Some(&first) = rest.first() {
        let follows = |&(&cpu, after): &(&u32, u32)| cpu.checked_sub(first) == Some(after);
        let run = rest.iter().zip(0..).take_while(follows).count();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&first.to_string());
        if let Some(last) = rest.get(run - 1).filter(|_| 1 < run) {
            text.push_str(&format!("–{last}"));
        }
        rest = rest.get(run..).unwrap_or_default();
    }
    text
}

/// Formats a change of a count, with a sign unless the change is 0: `+12`, `−3`.
pub fn format_signed_count(change: i64) -> String {
    signed(change.cmp(&0), &format_count(change.unsigned_abs()))
}

/// Formats a share of 1 in percent, with one decimal below 100%, and without decimals from 100%: `83.6%`, `124%`.
pub fn format_share(share: f64) -> String {
    if !share.is_finite() {
        return MISSING.to_owned();
    }
    let text = percent_of(share.abs());
    signed_or_plain(share < 0.0 && has_value(&text), &text)
}

/// Formats a number that is graded by limits, with as many decimals as it takes to show on which side of each limit it is:
/// `5.04` with a limit of 5, where one decimal would print the limit itself. At least `fewest` decimals.
pub fn format_graded(value: f64, limits: &[f64], fewest: usize) -> String {
    /// A value that takes more decimals is at the limit for every reader.
    const MAX_DECIMALS: usize = 4;
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let is_clear = |decimals: &usize| {
        let printed: f64 = format!("{value:.decimals$}").parse().unwrap_or(value);
        limits.iter().all(|limit| (printed <= *limit) == (value <= *limit))
    };
    let decimals = (fewest..MAX_DECIMALS).find(is_clear).unwrap_or(MAX_DECIMALS);
    let text = decimal(value.abs(), decimals);
    signed_or_plain(value < 0.0 && has_value(&text), &text)
}

/// Formats a percentage like [`format_share`], with further decimals where one would print a limit that it exceeds.
pub fn format_graded_percent(percent: f64, limits: &[f64]) -> String {
    let text = format_graded(percent, limits, usize::from(percent.abs() < 99.95));
    if percent.is_finite() { format!("{text}%") } else { text }
}

/// Formats a change as a share of 1 in percent, with a sign unless the printed change is 0: `+11.0%`, `−83.6%`.
pub fn format_signed_share(share: f64) -> String {
    if !share.is_finite() {
        return MISSING.to_owned();
    }
    let text = percent_of(share.abs());
    signed(share.total_cmp(&0.0), &text)
}

/// Formats the relative change of a value for which less is better: `▼ 83.6% better`, `▲ 11.0% worse`, `no change`.
///
/// The arrow shows whether the value decreased or increased, and the word shows whether that is better.
pub fn format_change(share: f64) -> String {
    if !share.is_finite() {
        return MISSING.to_owned();
    }
    let text = percent_of(share.abs());
    match (has_value(&text), share < 0.0) {
        (false, _) => "no change".to_owned(),
        (true, true) => format!("▼ {text} better"),
        (true, false) => format!("▲ {text} worse"),
    }
}

/// Formats a ratio, such as an efficiency or a speedup, with two decimals: `0.90`.
pub fn format_ratio(value: f64) -> String {
    format_decimal(value, 2)
}

/// Formats a number with a fixed number of decimals, in groups of three digits: `1 234.5`.
pub fn format_decimal(value: f64, decimals: u32) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let text = decimal(value.abs(), usize::try_from(decimals).unwrap_or(0));
    signed_or_plain(value < 0.0 && has_value(&text), &text)
}

/// Formats a requested frame rate, with at most two decimals: `60 FPS`, `59.94 FPS`.
pub fn format_fps(frames_per_sec: f64) -> String {
    let text = decimal(frames_per_sec, 2);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} FPS")
}

/// Formats a measured frame rate, always with one decimal: `60.0 FPS`.
pub fn format_measured_fps(frames_per_sec: f64) -> String {
    if frames_per_sec.is_finite() {
        format!("{} FPS", decimal(frames_per_sec, 1))
    } else {
        MISSING.to_owned()
    }
}

/// Formats a size on disk in units of 1 000: `812 B`, `1.2 MB`.
pub fn format_bytes(bytes: u64) -> String {
    let mut step = 1_u64;
    for (unit, decimals) in [("B", 0), ("kB", 0), ("MB", 1), ("GB", 1)] {
        let scaled = scale(bytes, step, decimals);
        if scaled < 1_000 * 10_u64.pow(decimals) || unit == "GB" {
            return format!("{}{NARROW_SPACE}{unit}", fixed(scaled, decimals));
        }
        step = step.saturating_mul(1_000);
    }
    MISSING.to_owned()
}

/// Converts a value to a unit with this many decimals, as a whole number without the decimal point, rounded half up:
/// `scale(1_055_000, 1_000_000, 3)` is 1055, for 1.055.
pub(super) fn scale(value: u64, unit: u64, decimals: u32) -> u64 {
    let steps = u128::from(value) * 10_u128.pow(decimals);
    let unit = u128::from(unit.max(1));
    u64::try_from((steps + unit / 2) / unit).unwrap_or(u64::MAX)
}

/// Formats a number from `scale` with its decimal point: `fixed(1055, 3)` is `1.055`.
pub(super) fn fixed(scaled: u64, decimals: u32) -> String {
    let step = 10_u64.pow(decimals);
    let whole = group(&(scaled / step).to_string());
    if decimals == 0 {
        return whole;
    }
    let width = usize::try_from(decimals).unwrap_or(0);
    format!("{whole}.{:0width$}", scaled % step)
}

/// Puts the sign of a change before its printed size, but no sign before a printed 0.
pub(super) fn signed(sign: Ordering, text: &str) -> String {
    match sign {
        _ if !has_value(text) => text.to_owned(),
        Ordering::Less => format!("{MINUS}{text}"),
        Ordering::Equal => text.to_owned(),
        Ordering::Greater => format!("+{text}"),
    }
}

/// Puts a minus sign before the text of a negative number.
pub(super) fn signed_or_plain(negative: bool, text: &str) -> String {
    if negative { format!("{MINUS}{text}") } else { text.to_owned() }
}

/// Returns whether a printed number is not 0: whether it has a digit from 1 to 9.
pub(super) fn has_value(text: &str) -> bool {
    text.contains(|letter: char| matches!(letter, '1'..='9'))
}

/// Formats a number of at least 0 with a fixed number of decimals, in groups of three digits.
fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", group(whole)),
        None => group(&text),
    }
}

fn percent_of(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = usize::from(percent < 99.95);
    format!("{}%", decimal(percent, decimals))
}

/// Separates digits into groups of three, from the right.
fn group(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(NARROW_SPACE);
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(format_count(0), "0");
        assert_eq!((format_others(1), format_others(8)), ("1 other".into(), "8 others".into()));
        assert_eq!(format_count(600), "600");
        assert_eq!(format_count(1_800), "1\u{202f}800");
        assert_eq!(format_count(16_666_666), "16\u{202f}666\u{202f}666");
        assert_eq!(format_count_or_none(0), "none");
        assert_eq!(format_count_or_none(27), "27");
        assert_eq!(format_signed_count(1_234), "+1\u{202f}234");
        assert_eq!(format_signed_count(-3), "\u{2212}3");
        assert_eq!(format_signed_count(0), "0");
    }

    #[test]
    fn shares_have_one_decimal_below_100_percent() {
        assert_eq!(format_share(0.836), "83.6%");
        assert_eq!(format_share(0.0), "0.0%");
        assert_eq!(format_share(0.9996), "100%");
        assert_eq!(format_share(1.24), "124%");
        assert_eq!(format_share(12.5), "1\u{202f}250%");
        assert_eq!(format_share(-0.05), "\u{2212}5.0%");
        assert_eq!(format_share(-0.000_01), "0.0%");
        assert_eq!(format_share(f64::NAN), MISSING);
        assert_eq!(format_signed_share(0.11), "+11.0%");
        assert_eq!(format_signed_share(-0.836), "\u{2212}83.6%");
        assert_eq!(format_signed_share(0.000_01), "0.0%");
    }

    #[test]
    fn a_graded_percentage_is_on_its_side_of_a_limit() {
        let limits = [1.0, 5.0, 15.0];
        for (percent, expected) in [
            (3.04, "3.0%"),
            (4.96, "5.0%"),
            (5.0, "5.0%"),
            (5.04, "5.04%"),
            (5.001, "5.001%"),
            (15.000_04, "15.0000%"),
            (120.0, "120%"),
            (-0.04, "0.0%"),
            (f64::NAN, MISSING),
        ] {
            assert_eq!(format_graded_percent(percent, &limits), expected);
        }
    }

    #[test]
    fn changes_have_direction_and_word() {
        assert_eq!(format_change(-0.836), "▼ 83.6% better");
        assert_eq!(format_change(0.11), "▲ 11.0% worse");
        assert_eq!(format_change(0.000_1), "no change");
    }

    #[test]
    fn frame_rates_and_ratios() {
        assert_eq!(format_fps(60.0), "60 FPS");
        assert_eq!(format_fps(1_000.0), "1\u{202f}000 FPS");
        assert_eq!(format_fps(59.94), "59.94 FPS");
        assert_eq!(format_measured_fps(60.0), "60.0 FPS");
        assert_eq!(format_ratio(0.9), "0.90");
        assert_eq!(format_ratio(-0.001), "0.00");
    }

    #[test]
    fn sizes_on_disk() {
        assert_eq!(format_bytes(812), "812\u{202f}B");
        assert_eq!(format_bytes(1_200_000), "1.2\u{202f}MB");
        assert_eq!(format_bytes(999_960_000), "1.0\u{202f}GB");
        assert_eq!(format_bytes(4_321_000_000_000), "4\u{202f}321.0\u{202f}GB");
    }
}
