//! Installs the bundled fonts, and draws icons as text or shapes.

use std::sync::Arc;

use eframe::egui::epaint::text::FontTweak;
use eframe::egui::{
    Align2, Color32, Context, FontData, FontDefinitions, FontFamily, FontId, Painter, Pos2, Rect,
    RichText,
};

/// Name of the family of semi-bold text.
pub const SEMIBOLD: &str = "semibold";
/// Name of the family of icons.
pub const ICONS: &str = "icons";

const SANS: &str = "Jitterscope Sans";
const SANS_SEMIBOLD: &str = "Jitterscope Sans SemiBold";
const ICON_FONT: &str = "Jitterscope Icons";

/// Width of a narrow no-break space, as a share of the width of a normal space, as defined by the
/// font.
const NARROW_SPACE: f32 = 0.65;

/// Installs the bundled fonts. The monospaced font is Hack, from egui.
pub(super) fn install(ctx: &Context) {
    ctx.set_fonts(definitions());
}

/// Returns the bundled fonts, and the fallback order of the fonts in each family.
fn definitions() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let mut add = |name: &str, bytes: &'static [u8], tweak: FontTweak| {
        fonts
            .font_data
            .insert(name.to_owned(), Arc::new(FontData::from_static(bytes).tweak(tweak)));
    };
    // Disable hinting: with it, the dot of an i touches the stem at 12 points.
    let sans = || FontTweak {
        thin_space_width: NARROW_SPACE,
        hinting: Some(false),
        ..FontTweak::default()
    };
    let regular = include_bytes!("../../../assets/fonts/JitterscopeSans-Regular.ttf");
    let semibold = include_bytes!("../../../assets/fonts/JitterscopeSans-SemiBold.ttf");
    let icons = include_bytes!("../../../assets/fonts/JitterscopeIcons.ttf");
    add(SANS, regular, sans());
    add(SANS_SEMIBOLD, semibold, sans());
    add(ICON_FONT, icons, FontTweak::default());

    let hack = fonts.families.get(&FontFamily::Monospace).cloned().unwrap_or_default();
    let family = |first: &[&str]| {
        let mut names: Vec<String> = first.iter().map(|name| (*name).to_owned()).collect();
        names.extend(hack.iter().cloned());
        names
    };
    let sans = family(&[SANS, ICON_FONT]);
    let semibold = family(&[SANS_SEMIBOLD, SANS, ICON_FONT]);
    let icons = vec![ICON_FONT.to_owned()];
    let mut mono = hack.clone();
    mono.extend([SANS.to_owned(), ICON_FONT.to_owned()]);
    fonts.families.insert(FontFamily::Proportional, sans);
    fonts.families.insert(FontFamily::Monospace, mono);
    fonts.families.insert(FontFamily::Name(SEMIBOLD.into()), semibold);
    fonts.families.insert(FontFamily::Name(ICONS.into()), icons);
    fonts
}

/// Returns the font for an icon that fills a square of `size` points.
pub fn icon_font(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(ICONS.into()))
}

/// Returns an icon as text, in the color of the surrounding text.
pub fn icon(glyph: &str, size: f32) -> RichText {
    RichText::new(glyph).font(icon_font(size))
}

/// Paints an icon; returns the square it fills.
pub fn paint_icon(painter: &Painter, center: Pos2, glyph: &str, size: f32, color: Color32) -> Rect {
    painter.text(center, Align2::CENTER_CENTER, glyph, icon_font(size), color)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::Type;

    /// Every character in texts of the interface that is not ASCII.
    const WRITTEN: &str = "\u{202f}\u{a0}−×µμσ…–—·≤≥±→←↑↓▲▼“”‘’°²é⌘";

    fn with_fonts(check: impl FnOnce(&Context)) {
        let ctx = Context::default();
        install(&ctx);
        ctx.begin_pass(eframe::egui::RawInput::default());
        check(&ctx);
        ctx.end_pass().drop_without_applying_deltas();
    }

    /// Returns every icon in `icons.rs`, the file that is generated with the icon font.
    fn listed_icons() -> Vec<char> {
        let listing = include_str!("icons.rs");
        let codes = listing.split("\\u{").skip(1).filter_map(|rest| rest.split('}').next());
        codes
            .filter_map(|hex| u32::from_str_radix(hex, 16).ok())
            .filter_map(char::from_u32)
            .collect()
    }

    #[test]
    fn the_font_has_every_icon() {
        let icons = listed_icons();
        let named = include_str!("icons.rs").matches("pub const ").count();
        assert!(0 < named && icons.len() == named, "{} of {named} icons", icons.len());
        with_fonts(|ctx| {
            for icon in icons {
                let has = ctx.fonts_mut(|fonts| fonts.has_glyph(&icon_font(16.0), icon));
                assert!(has, "{:x}", u32::from(icon));
            }
        });
    }

    #[test]
    fn the_text_fonts_have_every_character_by_themselves() {
        let definitions = definitions();
        for name in [SANS, SANS_SEMIBOLD] {
            let mut alone = definitions.clone();
            let family = alone.families.entry(FontFamily::Proportional).or_default();
            *family = vec![name.to_owned()];
            let ctx = Context::default();
            ctx.set_fonts(alone);
            ctx.begin_pass(eframe::egui::RawInput::default());
            for character in WRITTEN.chars() {
                let font = FontId::proportional(13.0);
                let has = ctx.fonts_mut(|fonts| fonts.has_glyph(&font, character));
                assert!(has, "{name} has no {character:?}");
            }
            ctx.end_pass().drop_without_applying_deltas();
        }
    }

    #[test]
    fn digits_have_one_width_in_every_style() {
        with_fonts(|ctx| {
            for style in Type::ALL {
                let width = |text: &str| {
                    let text = text.to_owned();
                    ctx.fonts_mut(|fonts| {
                        fonts.layout_no_wrap(text, style.font(), Color32::WHITE).size().x
                    })
                };
                let zeros = width("0000");
                for digits in ["1111", "4747", "9999", "1171"] {
                    let off = (width(digits) - zeros).abs();
                    assert!(off < 0.01, "{style:?}: {digits} is off by {off}");
                }
            }
        });
    }
}
