//! Overhead of the window: CPU time of its thread, frames drawn, time hidden.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use eframe::egui::Context;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::platform;

use crate::session::WindowCost;

/// Period over which the CPU use of the window's thread is averaged.
const WINDOW: Duration = Duration::from_secs(2);
/// While measuring, drawing may use 1 / `MAX_SHARE` of a CPU.
const MAX_SHARE: u32 = 12;
/// Minimum time and minimum number of frames over which the CPU time per frame is averaged.
const LOOK: Duration = Duration::from_millis(400);
const LOOK_IMAGES: u32 = 3;
/// Maximum interval between two frames while measuring, however expensive a frame is.
const LONGEST: Duration = Duration::from_secs(1);

/// Number of recent frames with input whose durations are stored.
const MAX_INPUTS: usize = 400;

/// When the program started; unset if [`note_start`] was not called.
static START: OnceLock<Instant> = OnceLock::new();

/// Records the start time of the program. Call it first in `main`.
pub fn note_start() {
    START.get_or_init(Instant::now);
}

fn since_start() -> Option<Nanos> {
    START.get().map(|start| Nanos::from(start.elapsed()))
}

/// Measures the overhead of the window.
#[derive(Debug, Default)]
pub(super) struct OverheadMeter {
    /// The overhead since the start of the program.
    pub(super) total: WindowCost,
    /// The recent CPU use of the window's thread as a share of one CPU, or `None` before 2
    /// seconds have been measured.
    pub(super) share: Option<f64>,
    window_began: Option<(Instant, i64)>,
    hidden_since: Option<Instant>,
    /// Recent CPU time of the window's thread per frame.
    image: Duration,
    /// Lowest CPU time of the whole program per frame while no test ran; `None` until it is known.
    /// It includes the threads of software rendering, which `image` does not.
    whole_image: Option<Duration>,
    /// Whether the last frame handled input.
    has_input: bool,
    inputs: VecDeque<Nanos>,
    /// The counters at the start of the current interval; `None` before the first sample.
    looked: Option<OverheadSample>,
}

/// The counters at one time: frames drawn, and CPU time of the window's thread and of the program.
#[derive(Clone, Copy, Debug)]
struct OverheadSample {
    at: Instant,
    images: u64,
    thread_nanos: i64,
    program_nanos: Option<i64>,
    is_measuring: bool,
}

impl OverheadMeter {
    /// Samples the CPU times. Call it at every update, even while the window is hidden.
    pub(super) fn sample(&mut self, ctx: &Context, is_measuring: bool) {
        let now = Instant::now();
        let is_hidden = ctx.input(|input| input.viewport().visible() == Some(false));
        if let Some(since) = self.hidden_since {
            self.total.hidden += Nanos::from(now.duration_since(since));
        }
        self.hidden_since = is_hidden.then_some(now);
        if self.total.first_image.is_none() && 0 < self.total.paint_count {
            self.total.first_image = since_start();
        }
        let Some(cpu) = platform::thread_cpu_nanos() else { return };
        self.total.cpu = Some(Nanos::new(cpu));
        self.look(OverheadSample {
            at: now,
            images: self.total.paint_count,
            thread_nanos: cpu,
            program_nanos: platform::process_cpu_nanos(),
            is_measuring,
        });
        let (began, cpu_then) = *self.window_began.get_or_insert((now, cpu));
        let wall = now.duration_since(began);
        if WINDOW <= wall {
            self.share = Some(Nanos::new(cpu - cpu_then).as_f64() / Nanos::from(wall).as_f64());
            self.window_began = Some((now, cpu));
        }
    }

    /// Updates the CPU time per frame, once enough time and frames have passed since the interval
    /// began. When a test begins or ends, a new interval begins.
    fn look(&mut self, now: OverheadSample) {
        let before = *self.looked.get_or_insert(now);
        let images = u32::try_from(now.images - before.images).unwrap_or(u32::MAX);
        if now.is_measuring != before.is_measuring {
            self.looked = Some(now);
        } else if LOOK_IMAGES <= images && LOOK <= now.at.duration_since(before.at) {
            let each =
                |nanos: i64| Duration::from_nanos(u64::try_from(nanos).unwrap_or(0)) / images;
            self.image = each(now.thread_nanos - before.thread_nanos);
            let is_measuring = before.is_measuring;
            if let Some((now, before)) = now.program_nanos.zip(before.program_nanos)
                && !is_measuring
            {
                let whole = each(now - before);
                self.whole_image = Some(self.whole_image.map_or(whole, |min| min.min(whole)));
            }
            self.looked = Some(now);
        }
    }

    /// Counts a drawn frame, and notes whether it handled input. Further layout passes of the same
    /// frame are not counted; they have no input.
    pub(super) fn painted(&mut self, ctx: &Context) {
        if 0 < ctx.current_pass_index() {
            return;
        }
        self.total.paint_count += 1;
        self.has_input = ctx.input(|input| !input.events.is_empty());
    }

    /// Records the duration of the previous frame, from input to drawing, if it handled input.
    pub(super) fn took(&mut self, secs: Option<f32>) {
        let Some(secs) = secs.filter(|_| std::mem::take(&mut self.has_input)) else { return };
        if self.inputs.len() == MAX_INPUTS {
            self.inputs.pop_front();
        }
        self.inputs.push_back(Nanos::from_secs_f64(secs.into()));
        let mut sorted: Vec<Nanos> = self.inputs.iter().copied().collect();
        sorted.sort_unstable();
        self.total.input_p95 = sorted.get(sorted.len() * 95 / 100).copied();
    }

    /// Returns the interval between two frames while measuring, at least `min`.
    pub(super) fn repaint_interval(&self, min: Duration) -> Duration {
        let image = self.whole_image.map_or(self.image, |whole| whole.max(self.image));
        (image * MAX_SHARE).clamp(min, LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_frames_with_input_count_for_its_latency() {
        let mut meter = OverheadMeter::default();
        meter.took(Some(5.0));
        assert_eq!(meter.total.input_p95, None);
        for millis in 1..=20 {
            meter.has_input = true;
            meter.took(Some(f32::from(u8::try_from(millis).unwrap()) / 1e3));
        }
        assert_eq!(meter.total.input_p95.map(|it| it.get() / 1_000_000), Some(20));
    }

    #[test]
    fn a_frame_of_several_layout_passes_counts_once_and_with_its_input() {
        let (ctx, mut meter) = (Context::default(), OverheadMeter::default());
        let events = vec![eframe::egui::Event::Copy];
        let input = eframe::egui::RawInput { events, ..Default::default() };
        let mut output = ctx.run_ui(input, |ui| {
            meter.painted(ui.ctx());
            ui.request_discard("another pass");
        });
        output.textures_delta.clear();
        assert_eq!(meter.total.paint_count, 1);
        assert!(meter.has_input);
    }

    #[test]
    fn an_expensive_image_is_drawn_less_often() {
        let min = Duration::from_millis(100);
        let mut meter =
            OverheadMeter { image: Duration::from_millis(2), ..OverheadMeter::default() };
        assert_eq!(meter.repaint_interval(min), min);
        meter.image = Duration::from_millis(46);
        assert_eq!(meter.repaint_interval(min), Duration::from_millis(552));
        meter.image = Duration::from_secs(3);
        assert_eq!(meter.repaint_interval(min), LONGEST);
    }

    #[test]
    fn the_cost_of_an_image_is_that_of_all_threads_where_nothing_is_measured() {
        let mut meter = OverheadMeter::default();
        let start = Instant::now();
        let look = |millis, images, thread_millis: i64, program_millis: i64, is_measuring| {
            OverheadSample {
                at: start + Duration::from_millis(millis),
                images,
                thread_nanos: thread_millis * 1_000_000,
                program_nanos: Some(program_millis * 1_000_000),
                is_measuring,
            }
        };
        meter.look(look(0, 0, 0, 0, false));
        meter.look(look(500, 10, 200, 600, false));
        assert_eq!(meter.image, Duration::from_millis(20));
        assert_eq!(meter.whole_image, Some(Duration::from_millis(60)));
        // The CPU time of a test is not a cost of a frame, so an interval in which a test runs or
        // starts does not change `whole_image`.
        meter.look(look(1_000, 20, 400, 2_000, true));
        meter.look(look(1_500, 30, 500, 4_000, true));
        assert_eq!(meter.image, Duration::from_millis(10));
        assert_eq!(meter.whole_image, Some(Duration::from_millis(60)));
        let min = Duration::from_millis(100);
        assert_eq!(meter.repaint_interval(min), Duration::from_millis(720));
    }
}
