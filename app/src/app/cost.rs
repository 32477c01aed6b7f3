//! What the window itself costs: CPU time of its thread, pictures drawn, time hidden.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use eframe::egui::Context;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform;

use crate::session::WindowCost;

/// Over how long the share of a core is averaged.
const WINDOW: Duration = Duration::from_secs(2);
/// The share of a core that drawing may take while measuring, as one part in so many.
const MOST_SHARE: u32 = 12;
/// The longest time between two pictures, however dear one is.
const LONGEST: Duration = Duration::from_secs(1);

/// When the program began, if its first line said so.
static START: OnceLock<Instant> = OnceLock::new();

/// Takes note of the start of the program: its first line calls this.
pub fn note_start() {
    START.get_or_init(Instant::now);
}

fn since_start() -> Option<Nanos> {
    START.get().map(|start| Nanos::from(start.elapsed()))
}

/// Keeps account of what the window costs.
#[derive(Debug, Default)]
pub(super) struct CostMeter {
    total: WindowCost,
    share: Option<f64>,
    window_began: Option<(Instant, i64)>,
    hidden_since: Option<Instant>,
    picture: Duration,
}

impl CostMeter {
    /// Takes the time; call it once a beat, hidden or not.
    pub(super) fn beat(&mut self, ctx: &Context, frame: &eframe::Frame) {
        let now = Instant::now();
        let is_hidden = ctx.input(|input| input.viewport().visible() == Some(false));
        if let Some(since) = self.hidden_since {
            self.total.hidden += Nanos::from(now.duration_since(since));
        }
        self.hidden_since = is_hidden.then_some(now);
        if let Some(secs) = frame.info().cpu_usage {
            self.picture = Duration::try_from_secs_f32(secs).unwrap_or_default();
        }
        if self.total.first_picture.is_none() && 0 < self.total.paint_count {
            self.total.first_picture = since_start();
        }
        let Some(cpu) = platform::thread_cpu_nanos() else { return };
        self.total.cpu = Some(Nanos::new(cpu));
        let (began, cpu_then) = *self.window_began.get_or_insert((now, cpu));
        let wall = now.duration_since(began);
        if WINDOW <= wall {
            self.share = Some(Nanos::new(cpu - cpu_then).as_f64() / Nanos::from(wall).as_f64());
            self.window_began = Some((now, cpu));
        }
    }

    /// Counts a picture.
    pub(super) fn painted(&mut self) {
        self.total.paint_count += 1;
    }

    /// Everything since the program began.
    pub(super) fn total(&self) -> WindowCost {
        self.total
    }

    /// The share of one core the window's thread took lately.
    pub(super) fn share(&self) -> Option<f64> {
        self.share
    }

    /// How long to wait for the next picture while measuring.
    pub(super) fn repaint_interval(&self, least: Duration) -> Duration {
        (self.picture * MOST_SHARE).clamp(least, LONGEST)
    }

    /// Pictures a second while measuring.
    pub(super) fn repaint_hz(&self, least: Duration) -> f64 {
        1.0 / self.repaint_interval(least).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dear_picture_is_drawn_less_often() {
        let least = Duration::from_millis(100);
        let mut meter = CostMeter { picture: Duration::from_millis(2), ..CostMeter::default() };
        assert_eq!(meter.repaint_interval(least), least);
        meter.picture = Duration::from_millis(46);
        assert_eq!(meter.repaint_interval(least), Duration::from_millis(552));
        meter.picture = Duration::from_secs(3);
        assert_eq!(meter.repaint_interval(least), LONGEST);
    }
}
