//! Tests that all themes have enough contrast, that colors of series differ, and that the heat map covers its range.

use eframe::egui::Color32;
use jitterscope_engine::nanos::Nanos;

use super::{DARK, DARK_HIGH, LIGHT, LIGHT_HIGH, Tokens};

/// Converts a color channel from sRGB to linear light, 0 to 1.
fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Returns the relative luminance of a color as defined by WCAG 2.2.
fn luminance(color: Color32) -> f64 {
    0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b())
}

/// Returns the contrast ratio of two colors as defined by WCAG 2.2, from 1 to 21.
fn contrast(one: Color32, other: Color32) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[track_caller]
fn check(name: &str, over: &str, one: Color32, other: Color32, at_least: f64) {
    let ratio = contrast(one, other);
    assert!(ratio >= at_least, "{name} on {over}: {ratio:.2}, not {at_least}");
}

/// Returns all four sets of colors with their names, because every set must meet the same limits.
fn themes() -> [(&'static str, &'static Tokens); 4] {
    [
        ("dark", &DARK),
        ("light", &LIGHT),
        ("dark high contrast", &DARK_HIGH),
        ("light high contrast", &LIGHT_HIGH),
    ]
}

/// For each kind of color vision, the matrix that maps linear red, green, and blue to the colors seen.
/// From Machado, Oliveira, and Fernandes 2009, severity 1; the identity for full color vision.
const SEEN: [(&str, [[f64; 3]; 3]); 4] = [
    ("full color vision", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// Converts a color to CIELAB (white point D65) as it is seen with the color vision `seen`, one of [`SEEN`].
fn lab(color: Color32, seen: &[[f64; 3]; 3]) -> [f64; 3] {
    let rgb = [color.r(), color.g(), color.b()].map(linear);
    let dot = |row: &[f64; 3], of: &[f64; 3]| row[0] * of[0] + row[1] * of[1] + row[2] * of[2];
    let rgb = [0, 1, 2].map(|row: usize| dot(&seen[row], &rgb).clamp(0.0, 1.0));
    let xyz = [
        dot(&[0.412_456, 0.357_576, 0.180_437], &rgb) / 0.950_47,
        dot(&[0.212_673, 0.715_152, 0.072_175], &rgb),
        dot(&[0.019_334, 0.119_192, 0.950_304], &rgb) / 1.088_83,
    ];
    let [x, y, z] = xyz.map(|part: f64| {
        if part > 216.0 / 24_389.0 { part.cbrt() } else { (24_389.0 / 27.0 * part + 16.0) / 116.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// Returns the difference ΔE*ab of two colors for the color vision `seen`; a difference of 2 is just visible.
fn difference(one: Color32, other: Color32, seen: &[[f64; 3]; 3]) -> f64 {
    let (one, other) = (lab(one, seen), lab(other, seen));
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
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
fn series_differ_in_more_than_color_and_begin_again_past_h() {
    for a in 0..8 {
        for b in a + 1..8 {
            let (one, other) = (DARK.series(a), DARK.series(b));
            assert!(one.dash != other.dash || one.mark != other.mark, "{a} and {b}");
        }
    }
    assert_eq!(DARK.series(8), DARK.series(0));
}

#[test]
fn series_that_overlap_are_distinguished_by_everyone() {
    // Minimum color differences between series A and B, between any two of A to D, and between any two of A to H.
    for (theme, t, of_two, of_four, of_eight) in [
        ("dark", &DARK, 86.0, 21.0, 0.0),
        ("light", &LIGHT, 86.0, 15.0, 0.0),
        ("dark high contrast", &DARK_HIGH, 45.0, 40.0, 15.0),
        ("light high contrast", &LIGHT_HIGH, 45.0, 40.0, 15.0),
    ] {
        for (who, seen) in &SEEN {
            for b in 1..8 {
                for a in 0..b {
                    let (one, other) = (t.series(a), t.series(b));
                    let apart = difference(one.color, other.color, seen);
                    let wanted = [of_two, of_four, of_four].get(b - 1).copied().unwrap_or(of_eight);
                    let pair = format!("{}{} in {theme}", one.letter, other.letter);
                    assert!(apart >= wanted, "{pair}, {who}: {apart:.1}, not {wanted}");
                }
            }
        }
    }
}

#[test]
fn high_contrast_is_high_on_every_plot_and_borders_are_as_strong_as_text() {
    for (theme, t) in [("dark", &DARK_HIGH), ("light", &LIGHT_HIGH)] {
        for index in 0..8 {
            let series = t.series(index);
            check(&series.letter.to_string(), &format!("{theme} plot"), series.color, t.plot, 7.0);
        }
        for (surface, behind) in [("card", t.card), ("panel", t.panel), ("plot", t.plot)] {
            for (name, color) in [("line", t.line), ("line2", t.line2), ("ctl", t.ctl)] {
                check(name, &format!("{theme} {surface}"), color, behind, 4.5);
            }
        }
    }
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
