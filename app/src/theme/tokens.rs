//! All colors of the window by name, in both themes. No other file may contain a color literal.

mod high;
mod series;
pub mod size;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use eframe::egui::{Color32, Context, Id, Theme};
use jitterscope_engine::nanos::Nanos;

pub use self::high::{DARK_HIGH, LIGHT_HIGH};
pub use self::series::{Dash, Mark, Series};

/// Contrast of series and borders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contrast {
    /// The contrast of the design.
    #[default]
    Standard,
    /// Series have a contrast of at least 7:1 with the plot background and thicker lines; borders
    /// have the color of secondary text.
    High,
}

/// Id under which a window stores its contrast.
static CONTRAST: LazyLock<Id> = LazyLock::new(|| Id::unique("contrast"));

impl Contrast {
    /// Returns the contrast of a window.
    pub fn of(ctx: &Context) -> Self {
        ctx.data(|data| data.get_temp(*CONTRAST)).unwrap_or_default()
    }

    /// Sets the contrast of a window.
    pub(super) fn keep(self, ctx: &Context) {
        ctx.data_mut(|data| data.insert_temp(*CONTRAST, self));
    }
}

/// The colors of one theme, with the names of the design: surfaces, text, lines, grades.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokens {
    /// Background of the navigation rail and the status bar.
    pub rail: Color32,
    /// Background of pages, the setup column, and dialogs.
    pub panel: Color32,
    /// Background of cards, tiles, and legends.
    pub card: Color32,
    /// Background of plots, text fields, and code.
    pub plot: Color32,
    /// Fill of buttons and segmented controls.
    pub wid: Color32,
    /// Fill of buttons and segmented controls under the pointer.
    pub hov: Color32,
    /// Background of the selection and of the current item.
    pub sel: Color32,
    /// Background of tooltips, toasts, and menus.
    pub pop: Color32,
    /// Separators.
    pub line: Color32,
    /// Borders of buttons; only decorative.
    pub line2: Color32,
    /// Borders of fields and check boxes: a contrast of at least 3:1 with every background.
    pub ctl: Color32,
    /// Grid of a plot.
    pub grid: Color32,
    /// Target line of a plot.
    pub target: Color32,
    /// Text.
    pub t1: Color32,
    /// Secondary text.
    pub t2: Color32,
    /// Text of hints and of "waiting"; never used for values.
    pub t3: Color32,
    /// Links and focus.
    pub acc: Color32,
    /// Fill of the primary button.
    pub accf: Color32,
    /// Fill of the stop button.
    pub stop: Color32,
    /// Text on `accf` and `stop`.
    pub on_fill: Color32,
    /// The grades Excellent and Good.
    pub good: Color32,
    /// The grade Fair, warnings, and results that became worse.
    pub fair: Color32,
    /// The grade Poor and errors.
    pub poor: Color32,
    /// Information that is neither good nor bad.
    pub info: Color32,
    /// Background of a verdict strip with the grade Excellent or Good.
    pub good_strip: Color32,
    /// Background of a verdict strip with the grade Fair.
    pub fair_strip: Color32,
    /// Background of a verdict strip with the grade Poor.
    pub poor_strip: Color32,
    /// Background of a strip with information instead of a grade.
    pub info_strip: Color32,
    /// Shade over the window behind a dialog.
    pub backdrop: Color32,
    /// Colors of the series A to H.
    series: [Color32; 8],
    /// Factor for the width of the lines of series.
    weight: f32,
    /// Colors of the heat map for durations from 1 µs to 30 ms, in equal steps of the logarithm.
    pub heat: [Color32; 9],
}

impl Tokens {
    /// Returns the colors of the current theme and contrast. Accepts a `&Ui` as well as a
    /// `&Context`.
    pub fn of(ctx: &Context) -> &'static Self {
        Self::of_theme(ctx.theme(), Contrast::of(ctx))
    }

    /// Returns the colors of the given theme in the given contrast.
    pub const fn of_theme(theme: Theme, contrast: Contrast) -> &'static Self {
        match (theme, contrast) {
            (Theme::Dark, Contrast::Standard) => &DARK,
            (Theme::Light, Contrast::Standard) => &LIGHT,
            (Theme::Dark, Contrast::High) => &DARK_HIGH,
            (Theme::Light, Contrast::High) => &LIGHT_HIGH,
        }
    }

    /// Returns the style of a series: index 0 is series A, index 7 is series H, and index 8 has the
    /// style of A again.
    pub fn series(&self, index: usize) -> Series {
        Series::new(index, self.series, self.weight)
    }

    /// Returns the color of a duration in the heat map.
    pub fn heat_of(&self, length: Nanos) -> Color32 {
        /// Upper ends of the first eight color steps, in nanoseconds: each step is a ninth of the
        /// logarithmic range from 1 µs to 30 ms.
        const ENDS: [i64; 8] =
            [3_144, 9_884, 31_072, 97_686, 307_107, 965_489, 3_035_327, 9_542_526];
        let step = ENDS.partition_point(|end| *end <= length.get());
        self.heat.get(step).copied().unwrap_or(self.poor)
    }
}

/// Colors of the heat map in both themes. Lightness increases up to the seventh color; the eighth
/// and the ninth are yellow and orange.
const HEAT: [Color32; 9] = [
    hex("#14202B"),
    hex("#16384F"),
    hex("#1A5478"),
    hex("#2474A3"),
    hex("#3F95C6"),
    hex("#77B5D9"),
    hex("#BFD9A6"),
    hex("#F2C14E"),
    hex("#F0703A"),
];

/// The dark theme.
pub const DARK: Tokens = Tokens {
    rail: hex("#101316"),
    panel: hex("#171B20"),
    card: hex("#1E2329"),
    plot: hex("#101316"),
    wid: hex("#272D34"),
    hov: hex("#313841"),
    sel: hex("#1E3354"),
    pop: hex("#2B323A"),
    line: hex("#2B323A"),
    line2: hex("#434C56"),
    ctl: hex("#75818E"),
    grid: hex("#22282F"),
    target: hex("#C9D1D9"),
    t1: hex("#E4E8EC"),
    t2: hex("#A3ADB8"),
    t3: hex("#818D99"),
    acc: hex("#82B1FF"),
    accf: hex("#2F6FE0"),
    stop: hex("#B83A34"),
    on_fill: Color32::WHITE,
    good: hex("#4FC58F"),
    fair: hex("#F2B84B"),
    poor: hex("#FF7A70"),
    info: hex("#6CB6FF"),
    good_strip: hex("#16281F"),
    fair_strip: hex("#2B2416"),
    poor_strip: hex("#2E1B1B"),
    info_strip: hex("#16232F"),
    backdrop: BACKDROP,
    series: [
        hex("#56B4E9"),
        hex("#F0A02B"),
        hex("#A5E3C4"),
        hex("#D65A9C"),
        hex("#E8DC5A"),
        hex("#F0703A"),
        hex("#A99BF5"),
        hex("#9AA4AF"),
    ],
    weight: 1.0,
    heat: HEAT,
};

/// The light theme.
pub const LIGHT: Tokens = Tokens {
    rail: hex("#E9ECEF"),
    panel: hex("#F4F6F8"),
    card: hex("#FFFFFF"),
    plot: hex("#FFFFFF"),
    wid: hex("#FFFFFF"),
    hov: hex("#E3E8ED"),
    sel: hex("#D6E4FB"),
    pop: hex("#FFFFFF"),
    line: hex("#DCE1E6"),
    line2: hex("#B9C2CB"),
    ctl: hex("#78848F"),
    grid: hex("#E9EDF0"),
    target: hex("#3A444E"),
    t1: hex("#1B2128"),
    t2: hex("#4C5864"),
    t3: hex("#5C6873"),
    acc: hex("#1F5FCC"),
    accf: hex("#1F5FCC"),
    stop: hex("#B3261E"),
    on_fill: Color32::WHITE,
    good: hex("#13744A"),
    fair: hex("#8A5A00"),
    poor: hex("#B3261E"),
    info: hex("#0B62A8"),
    good_strip: hex("#E6F3EC"),
    fair_strip: hex("#F8F0DD"),
    poor_strip: hex("#FBE9E7"),
    info_strip: hex("#E5F0F9"),
    backdrop: BACKDROP,
    series: [
        hex("#0072B2"),
        hex("#B35900"),
        hex("#14573A"),
        hex("#D0408C"),
        hex("#7A6A00"),
        hex("#C4420A"),
        hex("#5B4BC4"),
        hex("#5F6B77"),
    ],
    weight: 1.0,
    heat: HEAT,
};

/// The shade behind a dialog: black at an opacity of 55%.
#[expect(clippy::disallowed_methods, reason = "this is the file that names colors")]
const BACKDROP: Color32 = Color32::from_black_alpha(140);

/// Parses a color in the notation `#RRGGBB` at compile time; anything else does not compile.
#[expect(clippy::disallowed_methods, reason = "this is the file that names colors")]
const fn hex(text: &str) -> Color32 {
    let [b'#', r1, r0, g1, g0, b1, b0] = text.as_bytes() else {
        panic!("a color is # and six digits");
    };
    Color32::from_rgb(
        digit(*r1) * 16 + digit(*r0),
        digit(*g1) * 16 + digit(*g0),
        digit(*b1) * 16 + digit(*b0),
    )
}

/// Returns the value of a hexadecimal digit.
const fn digit(letter: u8) -> u8 {
    match letter {
        b'0'..=b'9' => letter - b'0',
        b'A'..=b'F' => letter - b'A' + 10,
        _ => panic!("not a hexadecimal digit"),
    }
}
