//! Applies theme, contrast, and zoom from the settings to the window. Shortcuts can also change the
//! zoom.

use eframe::egui::{Context, ThemePreference};

use crate::pages::{image, image_in_high_contrast};
use crate::session::{SCALE_PERCENT, SeriesColors, Session, Settings, ThemeChoice};
use crate::theme::{self, Contrast};

/// Synchronizes theme, contrast, and zoom of the window with the settings.
#[derive(Debug)]
pub(super) struct Appearance {
    /// The zoom of the window at the last update, in percent.
    percent: u16,
    theme: Option<ThemeChoice>,
    colors: Option<SeriesColors>,
}

impl Appearance {
    pub(super) fn new(ctx: &Context) -> Self {
        Self { percent: percent(ctx), theme: None, colors: None }
    }

    /// Makes the next call of `follow` set the theme again, because the code that creates the
    /// window may set a different theme.
    pub(super) fn forget_theme(&mut self) {
        self.theme = None;
    }

    /// Copies a zoom that a shortcut changed into the settings, then applies the settings to the
    /// window.
    pub(super) fn follow(&mut self, ctx: &Context, session: &mut Session) {
        let now = percent(ctx);
        if now != self.percent {
            self.percent = now;
            let scale_percent = now.clamp(*SCALE_PERCENT.start(), *SCALE_PERCENT.end());
            session.set_settings(Settings { scale_percent, ..session.settings().clone() });
        }
        let wanted = session.settings().scale_percent;
        if wanted != now {
            ctx.set_zoom_factor(f32::from(wanted) / 100.0);
        }
        let theme = session.settings().look;
        if self.theme != Some(theme) {
            self.theme = Some(theme);
            ctx.set_theme(match theme {
                ThemeChoice::System => ThemePreference::System,
                ThemeChoice::Dark => ThemePreference::Dark,
                ThemeChoice::Light => ThemePreference::Light,
            });
        }
        // If the desktop uses high contrast, so does the window. Otherwise, the setting decides.
        let asks = session
            .machine()
            .own_facts()
            .is_some_and(|facts| facts.desktop.high_contrast == Some(true));
        let colors = match session.settings().series_colors {
            SeriesColors::Standard if asks => SeriesColors::HighContrast,
            colors => colors,
        };
        if self.colors != Some(colors) {
            self.colors = Some(colors);
            match colors {
                SeriesColors::Standard => {
                    theme::set_contrast(ctx, Contrast::Standard);
                    session.exports_mut().set_painter(image);
                }
                SeriesColors::HighContrast => {
                    theme::set_contrast(ctx, Contrast::High);
                    session.exports_mut().set_painter(image_in_high_contrast);
                }
            }
        }
    }
}

/// Returns the zoom of the window in percent.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "20% to 500%")]
fn percent(ctx: &Context) -> u16 {
    (ctx.zoom_factor() * 100.0).round().clamp(1.0, 1_000.0) as u16
}
