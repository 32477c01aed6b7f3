//! Formats dates and durations for users.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::units::format_long_time;

/// Returns the current time; 1970 if the clock of this PC is out of range.
pub fn now() -> Timestamp {
    jitterscope_engine::machine::date().unwrap_or_default()
}

/// Returns the time from one instant to another.
pub fn nanos_between(from: Timestamp, to: Timestamp) -> Nanos {
    Nanos::new(i64::try_from(to.duration_since(from).as_nanos()).unwrap_or(i64::MAX))
}

/// Converts an instant to this PC's time zone.
pub fn local(instant: Timestamp) -> Zoned {
    instant.to_zoned(TimeZone::system())
}

/// Formats date and time: `20 Nov 2025, 22:04`.
pub fn date(when: &Zoned) -> String {
    when.strftime("%-d %b %Y, %H:%M").to_string()
}

/// Formats date and time of an instant in this PC's time zone.
pub fn local_date(instant: Timestamp) -> String {
    date(&local(instant))
}

/// Formats a date for a list, relative to `now`: `Today 22:04`, `Yesterday 18:11`, `20 Nov 22:04`
/// in the same year, otherwise `20 Nov 2025`.
pub fn list_date(when: &Zoned, now: &Zoned) -> String {
    let when = when.with_time_zone(now.time_zone().clone());
    let day = day(&when, now);
    let has_time = when.year() == now.year() || day == "Yesterday";
    if has_time { format!("{day} {}", time(&when)) } else { day }
}

/// Formats the day of a run for a list, relative to `now`: `Today`, `Yesterday`, `18 Nov`,
/// `18 Nov 2024`.
pub fn day(when: &Zoned, now: &Zoned) -> String {
    let when = when.with_time_zone(now.time_zone().clone());
    let yesterday = now.date().checked_sub(1.day());
    if when.date() == now.date() {
        "Today".to_owned()
    } else if yesterday.is_ok_and(|yesterday| when.date() == yesterday) {
        "Yesterday".to_owned()
    } else if when.year() == now.year() {
        when.strftime("%-d %b").to_string()
    } else {
        when.strftime("%-d %b %Y").to_string()
    }
}

/// Formats the time of day: `22:04`.
pub fn time(when: &Zoned) -> String {
    when.strftime("%H:%M").to_string()
}

/// Formats a remaining duration: `4 min 17 s left`, `less than 5 s left`.
pub fn eta(left: Nanos) -> String {
    if left < Nanos::from_secs(5) {
        "less than 5 s left".to_owned()
    } else {
        format!("{} left", format_long_time(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Zoned {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_left_is_said_in_whole_seconds() {
        for (millis, expected) in [
            (257_000, "4 min 17 s left"),
            (23_400, "23 s left"),
            (5_000, "5 s left"),
            (4_999, "less than 5 s left"),
            (-10, "less than 5 s left"),
            (60_000, "1 min left"),
            (4_320_000, "1 h 12 min left"),
            (7_200_000, "2 h left"),
        ] {
            assert_eq!(eta(Nanos::from_millis(millis)), expected);
        }
    }

    #[test]
    fn what_lasted_is_a_clock_or_a_sentence() {
        assert_eq!(format_long_time(Nanos::from_secs(371)), "6 min 11 s");
        assert_eq!(format_long_time(Nanos::from_secs(300)), "5 min");
        assert_eq!(format_long_time(Nanos::from_secs(45)), "45 s");
        assert_eq!(format_long_time(Nanos::from_millis(200)), "200.0\u{202f}ms");
    }

    #[test]
    fn dates_are_short_in_lists() {
        let now = at("2025-11-20T22:30:00+01:00[Europe/Berlin]");
        for (when, expected) in [
            ("2025-11-20T22:04:10+01:00[Europe/Berlin]", "Today 22:04"),
            ("2025-11-19T18:11:00+01:00[Europe/Berlin]", "Yesterday 18:11"),
            ("2025-11-20T21:04:10+00:00[UTC]", "Today 22:04"),
            ("2025-11-02T07:05:00+01:00[Europe/Berlin]", "2 Nov 07:05"),
            ("2024-12-31T07:05:00+01:00[Europe/Berlin]", "31 Dec 2024"),
        ] {
            assert_eq!(list_date(&at(when), &now), expected);
        }
        assert_eq!(date(&at("2025-11-20T22:04:00[UTC]")), "20 Nov 2025, 22:04");
    }
}
