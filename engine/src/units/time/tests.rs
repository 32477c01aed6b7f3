//! Tests of the formats of times, also at the values where one format ends and the next begins.

use super::*;

/// Compares a text with an expected text, in which normal spaces stand for narrow ones.
#[track_caller]
fn check(said: &str, expected: &str) {
    assert_eq!(said, expected.replace(' ', "\u{202f}"));
}

#[test]
fn single_values_follow_the_table() {
    for (nanos, expected) in [
        (0, "0 ns"),
        (41, "41 ns"),
        (8_700, "8.70 µs"),
        (54_000, "54.0 µs"),
        (447_000, "447 µs"),
        (1_055_000, "1.055 ms"),
        (16_030_000, "16.03 ms"),
        (136_400_000, "136.4 ms"),
        (1_200_000_000, "1.20 s"),
        (371_000_000_000, "371.00 s"),
        (-1_940_000, "\u{2212}1.940 ms"),
    ] {
        check(&format_time(Nanos::new(nanos)), expected);
    }
}

#[test]
fn a_value_that_rounds_up_to_the_next_form_takes_it() {
    for (nanos, expected) in [
        (999, "999 ns"),
        (1_000, "1.00 µs"),
        (9_994, "9.99 µs"),
        (9_996, "10.0 µs"),
        (99_960, "100 µs"),
        (999_400, "999 µs"),
        (999_600, "1.000 ms"),
        (9_999_600, "10.00 ms"),
        (99_996_000, "100.0 ms"),
        (999_960_000, "1.00 s"),
    ] {
        check(&format_time(Nanos::new(nanos)), expected);
    }
}

#[test]
fn the_longest_times_have_a_form() {
    assert!(format_time(Nanos::MAX).ends_with('s'));
    assert!(format_time(Nanos::new(i64::MIN)).starts_with(MINUS));
}

#[test]
fn tables_print_one_unit() {
    let check = |nanos, unit, decimals, expected| {
        check(&format_time_in(Nanos::new(nanos), unit, decimals), expected);
    };
    check(17_400_000, Unit::Micros, 0, "17 400");
    check(800, Unit::Micros, 1, "0.8");
    check(0, Unit::Micros, 1, "0.0");
    check(-3_100, Unit::Micros, 1, "\u{2212}3.1");
    check(16_666_667, Unit::Millis, 3, "16.667");
    check(41, Unit::Auto, 0, "41");
}

#[test]
fn tiny_values_are_not_printed_as_zero() {
    assert_eq!(format_time_in(Nanos::new(41), Unit::Micros, 1), "< 0.1");
    assert_eq!(format_time_in(Nanos::new(-41), Unit::Micros, 1), "> \u{2212}0.1");
    let step = Nanos::new(100);
    assert_eq!(format_time_above(Nanos::new(41), step), "< 100\u{202f}ns");
    assert_eq!(format_time_above(Nanos::new(100), step), "100\u{202f}ns");
}

#[test]
fn changes_show_their_sign() {
    check(&format_signed_time(Nanos::new(1_940_000)), "+1.940 ms");
    check(&format_signed_time(Nanos::new(-54_000)), "\u{2212}54.0 µs");
    check(&format_signed_time(Nanos::ZERO), "0 ns");
    check(&format_signed_time_in(Nanos::new(54_000), Unit::Micros, 0), "+54");
    check(&format_signed_time_in(Nanos::new(-40), Unit::Micros, 0), "0");
}

#[test]
fn a_tables_unit_is_that_of_its_middle_value() {
    let micros = |all: &[i64]| all.iter().copied().map(Nanos::from_micros).collect::<Vec<_>>();
    assert_eq!(choose_unit(&[]), Unit::Micros);
    assert_eq!(choose_unit(&micros(&[1, 6, 52, 524, 17_400])), Unit::Micros);
    assert_eq!(choose_unit(&micros(&[16_667, 16_667, 34_070])), Unit::Millis);
    assert_eq!(choose_unit(&[Nanos::new(41), Nanos::new(-60)]), Unit::Nanos);
    assert_eq!(Unit::Millis.or_for(&[]), Unit::Millis);
}

#[test]
fn a_column_of_short_times_and_a_long_one_has_at_most_six_digits() {
    for (nanos, unit, texts) in [
        ([41, 900, 1_234_567], Unit::Micros, ["0.04", "0.90", "1 234.57"]),
        ([41, 900, 999_999], Unit::Nanos, ["41", "900", "999 999"]),
        ([41, 900, 1_234_567_890], Unit::Millis, ["< 0.001", "0.001", "1 234.568"]),
        ([4_100, 52_000, 1_840_000_000], Unit::Millis, ["0.004", "0.052", "1 840.000"]),
    ] {
        let column = nanos.map(Nanos::new);
        assert_eq!(choose_unit(&column), unit);
        let decimals = choose_decimals(&column, unit);
        for (value, text) in column.into_iter().zip(texts) {
            let found = format_time_in(value, unit, decimals);
            assert_eq!(found.replace(NARROW_SPACE, " "), text);
        }
    }
}

#[test]
fn a_column_has_one_number_of_decimals() {
    let micros = |all: &[i64]| all.iter().copied().map(Nanos::from_micros).collect::<Vec<_>>();
    assert_eq!(choose_decimals(&micros(&[1, 7]), Unit::Micros), 1);
    assert_eq!(choose_decimals(&micros(&[3, 524]), Unit::Micros), 0);
    assert_eq!(choose_decimals(&micros(&[3, 524]), Unit::Millis), 3);
    assert_eq!(choose_decimals(&micros(&[16_667]), Unit::Millis), 2);
    assert_eq!(choose_decimals(&micros(&[3]), Unit::Nanos), 0);
}

#[test]
fn periods_and_errors() {
    check(&format_period(Nanos::new(16_666_667)), "16.667 ms");
    check(&format_exact_millis(Nanos::new(5_000_039)), "5.000 039 ms");
    check(&format_exact_millis(Nanos::new(-1)), "\u{2212}0.000 001 ms");
    let (mean, error) = (Nanos::from_micros(11_544), Nanos::from_micros(154));
    assert_eq!(format_mean_error(mean, error), "11.544 ± 0.154");
}

#[test]
fn a_clock_has_hours_only_from_an_hour_on() {
    for (secs, text) in [(45, "0:45"), (371, "6:11"), (3_723, "1:02:03")] {
        assert_eq!(format_clock(Nanos::from_secs(secs)), text);
    }
}

#[test]
fn a_tile_gets_number_and_unit_apart() {
    assert_eq!(time_parts(Nanos::from_micros(524)), ("524".to_owned(), "µs"));
}
