//! What the colours promise: enough contrast in both themes, and a heat map that covers its range.

use eframe::egui::Color32;
use jitterscope_engine::nanos::Nanos;

use super::{DARK, LIGHT, Tokens};

/// Relative luminance after WCAG 2.2.
fn luminance(color: Color32) -> f64 {
    let linear = |channel: u8| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

/// Contrast ratio after WCAG 2.2, 1 to 21.
fn contrast(one: Color32, other: Color32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[track_caller]
fn check(name: &str, over: &str, one: Color32, other: Color32, at_least: f64) {
    let ratio = contrast(one, other);
    assert!(ratio >= at_least, "{name} on {over}: {ratio:.2}, not {at_least}");
}

fn themes() -> [(&'static str, &'static Tokens); 2] {
    [("dark", &DARK), ("light", &LIGHT)]
}

#[test]
fn text_and_grades_stand_out_from_cards_and_panels() {
    for (theme, t) in themes() {
        for (surface, behind) in [("card", t.card), ("panel", t.panel)] {
            for (name, color) in [
                ("t1", t.t1),
                ("t2", t.t2),
                ("t3", t.t3),
                ("acc", t.acc),
                ("good", t.good),
                ("fair", t.fair),
                ("poor", t.poor),
                ("info", t.info),
            ] {
                check(name, &format!("{theme} {surface}"), color, behind, 4.5);
            }
        }
    }
}

#[test]
fn text_stands_out_wherever_it_is_written() {
    for (theme, t) in themes() {
        for (surface, behind) in [
            ("rail", t.rail),
            ("plot", t.plot),
            ("button", t.wid),
            ("hovered button", t.hov),
            ("selection", t.sel),
            ("tooltip", t.pop),
        ] {
            for (name, color) in [("t1", t.t1), ("t2", t.t2)] {
                check(name, &format!("{theme} {surface}"), color, behind, 4.5);
            }
        }
        for (name, color) in [("t3", t.t3), ("acc", t.acc), ("fair", t.fair), ("poor", t.poor)] {
            check(name, &format!("{theme} rail"), color, t.rail, 4.5);
            check(name, &format!("{theme} plot"), color, t.plot, 4.5);
        }
    }
}

#[test]
fn the_focus_ring_can_be_seen_on_every_surface() {
    for (theme, t) in themes() {
        for (surface, behind) in [
            ("rail", t.rail),
            ("panel", t.panel),
            ("card", t.card),
            ("plot", t.plot),
            ("button", t.wid),
            ("selection", t.sel),
        ] {
            check("focus", &format!("{theme} {surface}"), t.acc, behind, 3.0);
        }
    }
}

#[test]
fn grades_stand_out_from_their_strips() {
    for (theme, t) in themes() {
        for (name, color, strip) in [
            ("good", t.good, t.good_strip),
            ("fair", t.fair, t.fair_strip),
            ("poor", t.poor, t.poor_strip),
            ("info", t.info, t.info_strip),
        ] {
            check(name, &format!("{theme} strip"), color, strip, 4.5);
            check("t1", &format!("{theme} {name} strip"), t.t1, strip, 4.5);
            check("t2", &format!("{theme} {name} strip"), t.t2, strip, 4.5);
        }
    }
}

#[test]
fn borders_of_fields_and_series_can_be_seen() {
    for (theme, t) in themes() {
        for (surface, behind) in [("card", t.card), ("panel", t.panel), ("plot", t.plot)] {
            check("ctl", &format!("{theme} {surface}"), t.ctl, behind, 3.0);
        }
        for index in 0..8 {
            let series = t.series(index);
            check(&series.letter.to_string(), &format!("{theme} plot"), series.color, t.plot, 3.0);
        }
        check("text", &format!("{theme} primary"), t.on_fill, t.accf, 4.5);
        check("text", &format!("{theme} stop"), t.on_fill, t.stop, 4.5);
        check("text", &format!("{theme} selection"), t.t1, t.sel, 4.5);
        check("text", &format!("{theme} tooltip"), t.t1, t.pop, 4.5);
    }
}

#[test]
fn series_differ_in_more_than_colour_and_begin_anew_past_h() {
    for a in 0..8 {
        for b in a + 1..8 {
            let (one, other) = (DARK.series(a), DARK.series(b));
            assert!(one.dash != other.dash || one.mark != other.mark, "{a} and {b}");
        }
    }
    assert_eq!(DARK.series(8), DARK.series(0));
}

#[test]
fn heat_map_covers_1_us_to_30_ms() {
    for (length, step) in [
        (Nanos::new(-5), 0),
        (Nanos::from_micros(1), 0),
        (Nanos::from_micros(4), 1),
        (Nanos::from_micros(206), 4),
        (Nanos::from_millis(1), 6),
        (Nanos::from_millis(5), 7),
        (Nanos::from_millis(30), 8),
        (Nanos::from_secs(2), 8),
    ] {
        assert_eq!(Some(&DARK.heat_of(length)), DARK.heat.get(step), "{length}");
    }
}
