//! Applies theme, contrast, and zoom from the settings to the window. Shortcuts can also change the
//! zoom. At the first start, the size of the window is limited to the free space on the screen.

use eframe::egui::{Context, ThemePreference, Vec2, ViewportCommand, vec2};

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
            .machine
            .facts
            .as_ref()
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
                    session.exports.set_painter(image);
                }
                SeriesColors::HighContrast => {
                    theme::set_contrast(ctx, Contrast::High);
                    session.exports.set_painter(image_in_high_contrast);
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

/// Space that title bar, taskbar, and borders need around the contents of a window, in points.
const AROUND: Vec2 = vec2(24.0, 112.0);

/// Makes the window fit the screen once, unless its size was restored from an earlier start.
#[derive(Debug)]
pub(super) struct Fit {
    is_due: bool,
}

impl Fit {
    /// Schedules the fit, unless the storage has a window size from an earlier start.
    pub(super) fn new(storage: Option<&dyn eframe::Storage>) -> Self {
        let remembered = storage.and_then(|storage| storage.get_string("window"));
        Self { is_due: remembered.is_none() }
    }

    /// Shrinks the window if the screen is known to be too small for it.
    pub(super) fn apply(&mut self, ctx: &Context) {
        if !self.is_due {
            return;
        }
        let (screen, inner, is_whole) = ctx.input(|input| {
            let viewport = input.viewport();
            let is_whole = viewport.maximized == Some(true) || viewport.fullscreen == Some(true);
            (viewport.monitor_size, viewport.inner_rect.map(|rect| rect.size()), is_whole)
        });
        let (Some(screen), Some(inner)) = (screen, inner) else { return };
        self.is_due = false;
        let fitting = fitting(screen, inner);
        if fitting != inner && !is_whole {
            ctx.send_viewport_cmd(ViewportCommand::InnerSize(fitting));
        }
    }
}

/// Returns the requested size `inner` of a window, limited to the space on the screen.
fn fitting(screen: Vec2, inner: Vec2) -> Vec2 {
    inner.min((screen - AROUND).max(vec2(320.0, 240.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_only_made_smaller_and_leaves_room_for_the_task_bar() {
        let wanted = vec2(1_440.0, 900.0);
        assert_eq!(fitting(vec2(2_560.0, 1_440.0), wanted), wanted);
        assert_eq!(fitting(vec2(1_366.0, 768.0), wanted), vec2(1_342.0, 656.0));
        assert_eq!(fitting(vec2(1_440.0, 900.0), wanted), vec2(1_416.0, 788.0));
    }
}
