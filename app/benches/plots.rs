//! What a frame with a very long timeline costs, at every zoom, without a window: 10 million frames at 1 000 Hz.
//! A pass is to take at most 4 ms.
//!
//! `cargo bench -p jitterscope --bench plots`

use divan::{Bencher, black_box};
use eframe::egui::{CentralPanel, Context, RawInput, Rect, pos2};
use jitterscope::install_theme;
use jitterscope::{LiveWindow, Timeline, TimelineData};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::sample::Sample;

const COUNT: i64 = 10_000_000;
const FRAME: i64 = 1_000_000;
/// Shares of the whole that are in view.
const ZOOMS: [f64; 4] = [1.0, 0.1, 0.001, 0.000_01];

fn main() {
    divan::main();
}

fn data() -> TimelineData {
    let mut data = TimelineData::new(Nanos::new(FRAME), Nanos::new(FRAME / 20));
    for k in 1..=COUNT {
        let late = if k % 100_003 == 0 { 700_000 } else { 200 + k * 7_919 % 9_000 };
        let due = k * FRAME;
        data.push(&Sample {
            began: Nanos::new(due - FRAME),
            due: Nanos::new(due),
            slept: None,
            woke: Nanos::new(due + late),
            done: Nanos::new(due + late + 50_000),
            spins: 0,
            cpu: None,
        });
    }
    data
}

fn frame(bencher: Bencher<'_, '_>, mut timeline: Timeline, zoom: f64) {
    let data = data();
    let ctx = Context::default();
    install_theme(&ctx);
    let end = data.end_secs();
    let mut pass = |is_first: bool| {
        if is_first && zoom < 1.0 {
            timeline.zoom_to(&ctx, (end * 0.4, end * (0.4 + zoom)));
        }
        let screen_rect = Some(Rect::from_min_max(pos2(0.0, 0.0), pos2(1_440.0, 900.0)));
        let input = RawInput { screen_rect, ..RawInput::default() };
        let mut output = ctx.run_ui(input, |ui| {
            CentralPanel::default().show(ui, |ui| {
                timeline.ui(ui, 860.0, &data, LiveWindow::Ended);
            });
        });
        // There is no renderer to upload them to.
        output.textures_delta.clear();
        let shapes = std::mem::take(&mut output.shapes);
        ctx.tessellate(shapes, output.pixels_per_point).len()
    };
    for _ in 0..3 {
        assert!(0 < pass(true));
    }
    bencher.bench_local(|| black_box(pass(false)));
}

#[divan::bench(args = ZOOMS, sample_count = 30)]
fn periods(bencher: Bencher<'_, '_>, zoom: f64) {
    frame(bencher, Timeline::default(), zoom);
}

#[divan::bench(args = ZOOMS, sample_count = 30)]
fn lateness(bencher: Bencher<'_, '_>, zoom: f64) {
    frame(bencher, Timeline::of_lateness(), zoom);
}
