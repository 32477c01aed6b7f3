//! Shows every plot with made-up samples; `--light`, `--live` and `--empty` choose what more.

use eframe::egui;
use jitterscope::plots::{
    HistogramPlot, HistogramSeries, LiveWindow, PlotMark, TailPlot, TailSeries, Timeline,
    TimelineData,
};
use jitterscope::theme::{self, Tokens, size};
use jitterscope::widgets::{Card, Severity};
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::{Account, Cause, LateSample};
use jitterscope_engine::sample::{Sample, Samples};
use jitterscope_engine::stats::{LogHistogram, Sorted, tail_points};

const FRAME: Nanos = Nanos::new(16_666_667);

fn main() -> eframe::Result {
    let flags: Vec<String> = std::env::args().collect();
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let (light, live, empty) = (has("--light"), has("--live"), has("--empty"));
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1440.0, 900.0]),
        system_font_fallback: false,
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "Plots",
        options,
        Box::new(move |cc| {
            theme::install(&cc.egui_ctx);
            let theme = if light { egui::Theme::Light } else { egui::Theme::Dark };
            cc.egui_ctx.set_theme(theme);
            Ok(Box::new(Plots::new(live, if empty { Samples::new() } else { samples(1_800, 7) })))
        }),
    )
}

/// The page: its data, and each plot's view.
struct Plots {
    samples: Samples,
    data: TimelineData,
    window: LiveWindow,
    histograms: Vec<LogHistogram>,
    tails: Vec<Vec<(f64, f64)>>,
    above: Timeline,
    below: Timeline,
    alone: HistogramPlot,
    several: HistogramPlot,
    tail: TailPlot,
}

impl Plots {
    fn new(live: bool, samples: Samples) -> Self {
        let empty = samples.is_empty();
        let mut data = TimelineData::new(FRAME, Nanos::new(FRAME.get() / 20));
        if !live {
            data.extend(&samples);
            data.mark_late(&causes(&samples));
        }
        let lates: Vec<Vec<i64>> = [(7, 1), (8, 4), (9, 30)]
            .into_iter()
            .filter(|_| !empty)
            .map(|(seed, part)| {
                let late = self::samples(1_800, seed).late_nanos();
                late.into_iter().map(|late| late / part).collect()
            })
            .collect();
        let histogram = |late: &Vec<i64>| LogHistogram::of(late, Nanos::new(100), 5);
        let sorted = |late: &Vec<i64>| Sorted::of(late.clone());
        let mut below = Timeline::of_lateness();
        below.selected = Some(1_009);
        let window = if live { LiveWindow::last_15_secs() } else { LiveWindow::Ended };
        Self {
            samples,
            data,
            window,
            histograms: lates.iter().map(histogram).collect(),
            tails: lates.iter().filter_map(sorted).map(|late| tail_points(&late, 200)).collect(),
            above: Timeline::default(),
            below,
            alone: HistogramPlot::default(),
            several: HistogramPlot::default(),
            tail: TailPlot::default(),
        }
    }
}

impl eframe::App for Plots {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        if self.window.is_running() && self.data.len() < self.samples.len() {
            let at = self.data.len();
            let next: Samples = self.samples.iter().take(at + 6).collect();
            self.data.extend(&next);
            ui.request_repaint_after(std::time::Duration::from_millis(100));
        }
        let names = ["Normal, no pin", "Above normal, no pin", "Time-critical, no pin"];
        let one_frame = PlotMark { at: FRAME, label: "1 frame", severity: Some(Severity::Poor) };
        let p99 = PlotMark { at: Nanos::new(524_000), label: "p99 524 µs", severity: None };
        let frame = egui::Frame::new().fill(Tokens::of(ui).panel).inner_margin(12.0);
        egui::CentralPanel::default().frame(frame).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = size::GAP_CARD;
            let (window, data) = (self.window, &self.data);
            for (timeline, salt) in [(&mut self.above, 0), (&mut self.below, 1)] {
                ui.push_id(salt, |ui| {
                    let card = Card::new("Timeline").note("30 s, 1 800 frames");
                    if let Some(index) = timeline.card(ui, card, 230.0, data, window, |_| {}) {
                        timeline.selected = Some(index);
                    }
                });
            }
            let series: Vec<_> = self
                .histograms
                .iter()
                .enumerate()
                .map(|(series, histogram)| {
                    let name = names.get(series).copied().unwrap_or_default();
                    HistogramSeries { name, series, histogram }
                })
                .collect();
            let tails: Vec<_> = self
                .tails
                .iter()
                .enumerate()
                .map(|(series, points)| {
                    let name = names.get(series).copied().unwrap_or_default();
                    TailSeries { name, series, points }
                })
                .collect();
            ui.columns(3, |columns| {
                let [left, middle, right] = columns else { return };
                let first = series.get(..1).unwrap_or_default();
                let card = Card::new("Lateness histogram");
                self.alone.card(left, card, "alone", 250.0, first, &[p99, one_frame]);
                let card = card.note("selected rows");
                self.several.card(middle, card, "several", 250.0, &series, &[one_frame]);
                Card::new("Tail distribution").note("share of frames above each lateness").show(
                    right,
                    |_| {},
                    |ui| self.tail.ui(ui, "tail", 250.0, &tails, &[one_frame]),
                );
            });
        });
    }
}

/// Frames of a loop at 60 FPS: most a microsecond late, some half a millisecond, one a whole frame.
fn samples(count: i64, seed: u64) -> Samples {
    let mut state = seed;
    let mut random = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 33).unwrap_or(0)) / f64::from(u32::MAX >> 1)
    };
    (1..=count)
        .map(|k| {
            let normal = (0..6).map(|_| random()).sum::<f64>() - 3.0;
            let default = 1_100.0 * (normal * 1.1).exp();
            let late = match k {
                861 => 17_400_000.0,
                1_010 => 1_940_000.0,
                _ if random() < 0.015 => 600_000.0 * (normal * 0.9).exp(),
                _ => default,
            };
            let due = FRAME * k;
            let woke = due + Nanos::from_nanos_f64(late - 60.0);
            Sample {
                began: due - FRAME,
                due,
                slept: None,
                woke,
                done: woke + Nanos::from_millis(2),
                spins: 0,
                cpu: Some(6),
            }
        })
        .collect()
}

/// The late ones, each with a cause.
fn causes(samples: &Samples) -> Vec<LateSample> {
    let late = samples.iter().enumerate().filter(|one| Nanos::from_micros(250) < one.1.late());
    late.map(|(index, sample)| {
        let causes =
            [Cause::WaitedForCpu, Cause::WaitedForCpu, Cause::WaitedForCpu, Cause::TimerLate];
        let cause = match index % 9 {
            0 => Cause::PageFault,
            1 => Cause::NotObservable,
            other => causes.get(other % 4).copied().unwrap_or(Cause::NotObservable),
        };
        let account = Account::whole(cause, sample.late());
        LateSample { index, sample, evidence: None, cause, account }
    })
    .collect()
}
