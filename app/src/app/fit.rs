//! The window's size at the first start: limited to the free space on the screen.

use eframe::egui::{Context, Vec2, ViewportCommand, vec2};

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
