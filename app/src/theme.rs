//! The appearance of the window: named colors and sizes, fonts, text styles, icons.

pub mod fonts;
pub mod icons;
pub mod tokens;
pub mod type_scale;

use std::num::NonZeroUsize;

use eframe::egui::epaint::FontColorTransferFunction;
use eframe::egui::{
    self, Context, CornerRadius, Shadow, Stroke, Style, Theme, Visuals, style::WidgetVisuals,
};

pub use self::fonts::{icon, icon_font, paint_icon};
pub use self::tokens::{Contrast, Tokens, size};
pub use self::type_scale::Type;

/// Maximum layout passes per frame: one for the effects of input, and three for contents whose size
/// is only known after layout, such as right-aligned ones.
const MAX_PASSES: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Installs the fonts, and the style of both themes. Call once, before the first frame.
pub fn install(ctx: &Context) {
    fonts::install(ctx);
    ctx.options_mut(|options| options.max_passes = MAX_PASSES);
    for theme in [Theme::Dark, Theme::Light] {
        let tokens = Tokens::of_theme(theme, Contrast::of(ctx));
        ctx.style_mut_of(theme, |style| apply(style, tokens, theme));
    }
}

/// Sets the contrast of series and borders, from the next frame on.
pub fn set_contrast(ctx: &Context, contrast: Contrast) {
    contrast.keep(ctx);
    for theme in [Theme::Dark, Theme::Light] {
        let visuals = visuals(Tokens::of_theme(theme, contrast), theme);
        ctx.style_mut_of(theme, |style| style.visuals = visuals);
    }
}

/// Enables animations, or disables them: while measuring, and if the user or the desktop wants
/// reduced motion.
pub fn set_motion(ctx: &Context, moving: bool) {
    let seconds = if moving { size::ANIMATION_SECS } else { 0.0 };
    ctx.all_styles_mut(|style| style.animation_time = seconds);
}

/// Sets spacing, text styles, and colors of one theme.
fn apply(style: &mut Style, tokens: &Tokens, theme: Theme) {
    style.text_styles = type_scale::text_styles();
    style.drag_value_text_style = egui::TextStyle::Body;
    style.animation_time = size::ANIMATION_SECS;
    style.explanation_tooltips = false;

    let spacing = &mut style.spacing;
    spacing.item_spacing = egui::vec2(8.0, 6.0);
    spacing.button_padding = egui::vec2(12.0, 5.0);
    spacing.interact_size = egui::vec2(size::FIELD, size::FIELD);
    spacing.window_margin = egui::Margin::same(size::CARD_PADDING);
    spacing.menu_margin = egui::Margin::same(4);
    spacing.icon_width = size::CHECK_BOX;
    spacing.icon_width_inner = 9.0;
    spacing.icon_spacing = 7.0;
    spacing.tooltip_width = size::HELP_WIDTH;
    spacing.combo_height = 320.0;
    spacing.scroll = egui::style::ScrollStyle::thin();
    spacing.scroll.fade.strength = 0.0;

    style.interaction.tooltip_delay = 0.5;
    style.interaction.selectable_labels = false;
    style.scroll_animation = egui::style::ScrollAnimation::none();

    style.visuals = visuals(tokens, theme);
}

/// Returns the colors of egui's built-in widgets.
fn visuals(tokens: &Tokens, theme: Theme) -> Visuals {
    let mut visuals = theme.default_visuals();
    let state = |fill, stroke, width| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(width, stroke),
        corner_radius: CornerRadius::same(size::RADIUS),
        fg_stroke: Stroke::new(1.0, tokens.t1),
        expansion: 0.0,
    };
    if theme == Theme::Dark {
        // Override egui's default, which makes light text on a dark background bolder than in the
        // design.
        visuals.text_options.color_transfer_function = FontColorTransferFunction::Gamma(0.75);
    }
    visuals.widgets.noninteractive = state(tokens.panel, tokens.line, 1.0);
    visuals.widgets.inactive = state(tokens.wid, tokens.line2, 1.0);
    visuals.widgets.hovered = state(tokens.hov, tokens.ctl, 1.0);
    visuals.widgets.active = state(tokens.hov, tokens.acc, size::FOCUS_STROKE);
    visuals.widgets.open = state(tokens.hov, tokens.ctl, 1.0);
    visuals.selection.bg_fill = tokens.sel;
    visuals.selection.stroke = Stroke::new(size::FOCUS_STROKE, tokens.acc);
    visuals.text_cursor.stroke = Stroke::new(1.5, tokens.acc);
    visuals.text_cursor.blink = false;
    visuals.weak_text_color = Some(tokens.t2);
    visuals.hyperlink_color = tokens.acc;
    visuals.faint_bg_color = tokens.card;
    visuals.extreme_bg_color = tokens.plot;
    visuals.text_edit_bg_color = Some(tokens.plot);
    visuals.code_bg_color = tokens.plot;
    visuals.warn_fg_color = tokens.fair;
    visuals.error_fg_color = tokens.poor;
    visuals.panel_fill = tokens.panel;
    visuals.window_fill = tokens.pop;
    visuals.window_stroke = Stroke::new(1.0, tokens.line2);
    visuals.window_corner_radius = CornerRadius::same(size::CARD_RADIUS);
    visuals.menu_corner_radius = CornerRadius::same(size::RADIUS);
    visuals.window_shadow = Shadow::NONE;
    visuals.popup_shadow = Shadow::NONE;
    visuals.disabled_alpha = size::DISABLED_OPACITY;
    visuals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_themes_are_flat_and_take_their_colors_from_the_tokens() {
        let ctx = Context::default();
        install(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let visuals = &ctx.style_of(theme).visuals;
            let tokens = Tokens::of_theme(theme, Contrast::Standard);
            assert_eq!(visuals.panel_fill, tokens.panel);
            assert_eq!(visuals.popup_shadow, Shadow::NONE);
            assert_eq!(visuals.window_shadow, Shadow::NONE);
        }
    }

    #[test]
    fn contrast_is_that_of_its_own_window_and_goes_back() {
        let (ctx, other) = (Context::default(), Context::default());
        for ctx in [&ctx, &other] {
            install(ctx);
            ctx.set_theme(Theme::Light);
        }
        let default = Tokens::of(&ctx).clone();
        set_contrast(&ctx, Contrast::High);
        let high = Tokens::of(&ctx);
        assert_ne!(high.series(1).color, default.series(1).color);
        assert!(default.series(0).stroke(1.0).width < high.series(0).stroke(1.0).width);
        assert_eq!((high.line, high.line2), (default.t2, default.t2));
        assert_eq!(ctx.style_of(Theme::Dark).visuals.window_stroke.color, tokens::DARK.t2);
        assert_eq!(*Tokens::of(&other), default);
        set_contrast(&ctx, Contrast::Standard);
        assert_eq!(*Tokens::of(&ctx), default);
    }

    #[test]
    fn nothing_moves_once_motion_is_off() {
        let ctx = Context::default();
        install(&ctx);
        set_motion(&ctx, false);
        assert!(ctx.style_of(Theme::Dark).animation_time <= 0.0);
        set_motion(&ctx, true);
        assert!(ctx.style_of(Theme::Light).animation_time > 0.0);
    }
}
