//! Colors for high contrast in both themes: series have a contrast of at least 7:1 with the plot
//! background, and borders have the color of secondary text.
//!
//! A search among the colors with this contrast selected the eight that differ most under every
//! type of color blindness. In the CIELAB color space, any two of the series A to D are at least 40
//! apart, and any two of all eight series at least 15.

use super::{DARK, LIGHT, Tokens, hex};

/// Factor by which the lines of series are wider than in standard contrast.
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
