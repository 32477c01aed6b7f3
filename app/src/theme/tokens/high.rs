//! The series in high contrast: at least 7:1 on a plot in both themes, borders as strong as text.
//!
//! Found by searching colors of 7:1 for those that stay farthest apart with every kind of color
//! blindness: of A to D, any two are at least 40 apart in CIELAB, of all eight at least 15.

use super::{DARK, LIGHT, Tokens, hex};

/// How much thicker lines are.
const WEIGHT: f32 = 1.6;

/// The dark theme in high contrast.
pub const DARK_HIGH: Tokens = Tokens {
    line: DARK.t2,
    line2: DARK.t2,
    ctl: DARK.t2,
    series: [
        hex("#6C9FFF"),
        hex("#B59F3D"),
        hex("#CAFF01"),
        hex("#FF719D"),
        hex("#02F8F4"),
        hex("#F7E4BD"),
        hex("#E39D78"),
        hex("#90A4D7"),
    ],
    weight: WEIGHT,
    ..DARK
};

/// The light theme in high contrast.
pub const LIGHT_HIGH: Tokens = Tokens {
    line: LIGHT.t2,
    line2: LIGHT.t2,
    ctl: LIGHT.t2,
    series: [
        hex("#2136DF"),
        hex("#715409"),
        hex("#000000"),
        hex("#A8007C"),
        hex("#164F30"),
        hex("#45038A"),
        hex("#40033C"),
        hex("#680206"),
    ],
    weight: WEIGHT,
    ..LIGHT
};
