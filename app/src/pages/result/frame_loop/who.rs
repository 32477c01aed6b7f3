//! The plots below the timeline: conditions over time (strips), and what ran on the CPUs around
//! late frames (lanes).

use eframe::egui::Ui;
use jitterscope_engine::platform::TraceState;
use jitterscope_engine::report::{Occupancy, trace_state};
use jitterscope_engine::run::{Run, Series, TrialRun, series_name};

use super::late_frames::LateFrames;
use crate::plots::{
    Above, FrameLanes, Strip, Timeline, TimelineData, occupants_height, occupants_ui, shared_time,
    strips_height, strips_ui,
};
use crate::text;

/// Maximum number of frames whose lanes are drawn at once.
const MAX_FRAMES: usize = 50;

/// Formats a value with its unit.
type CulpritWords = fn(f64) -> String;

/// The recorded activity of the CPUs during a trial.
#[derive(Debug, Default)]
pub(super) struct Who {
    occupancy: Option<Occupancy>,
    strips: Vec<Strip>,
    /// The frames whose lanes are shown.
    lanes: Vec<FrameLanes>,
    /// The trace sources that recorded the causes of late frames, and why other sources are
    /// missing.
    pub(super) state: Option<TraceState>,
}

impl Who {
    /// Collects the recorded activity of a trial.
    pub(super) fn of(run: &Run, trial: &TrialRun) -> Self {
        Self {
            occupancy: Occupancy::of(trial),
            strips: strips(trial),
            lanes: Vec::new(),
            state: trace_state(run),
        }
    }

    /// Returns whether there are neither lanes nor strips to show.
    pub(super) fn is_empty(&self) -> bool {
        self.occupancy.is_none() && self.strips.is_empty()
    }

    /// Prepares the lanes of the selected frame. If the visible time range is so short that lanes
    /// share the axis of the timeline, prepares the lanes of all visible late frames.
    pub(super) fn prepare(
        &mut self,
        ui: &Ui,
        timeline: &Timeline,
        (trial, late): (&TrialRun, &LateFrames),
    ) {
        let wanted: Vec<usize> = match shared_time(ui, timeline) {
            Some((from, to)) => {
                let is_seen = |secs: f64| (from..=to).contains(&secs);
                let seen = late.all_shown().filter(|one| is_seen(one.sample.woke.as_secs()));
                seen.map(|one| one.index).take(MAX_FRAMES).collect()
            }
            None => timeline.selected.into_iter().collect(),
        };
        if wanted.iter().ne(self.lanes.iter().map(|(index, _)| index)) {
            let lanes = |index| Some((index, self.occupancy.as_ref()?.lanes(trial, index)?));
            self.lanes = wanted.into_iter().filter_map(lanes).collect();
        }
    }

    /// Returns the total height of the strips and lanes, in points.
    pub(super) fn height(&self) -> f32 {
        strips_height(&self.strips) + occupants_height(&self.lanes)
    }

    /// Returns the height of the strips, which does not depend on the selected frame.
    pub(super) fn lasting_height(&self) -> f32 {
        strips_height(&self.strips)
    }

    /// Draws strips and lanes.
    pub(super) fn ui(&self, ui: &mut Ui, timeline: &Timeline, data: &TimelineData) {
        ui.spacing_mut().item_spacing.y = 0.0;
        let whole = timeline.whole(data);
        strips_ui(ui, Above::timeline(timeline), whole, &self.strips);
        occupants_ui(ui, timeline, whole, &self.lanes);
    }
}

/// Returns one strip per value that the system reported over time during a trial, such as the
/// frequency.
fn strips(trial: &TrialRun) -> Vec<Strip> {
    let share = |permille: f64| text::format_share(permille / 1e3);
    let known: [(&str, &str, CulpritWords); 6] = [
        (series_name::OTHER_PROGRAMS, "Other programs", share),
        (series_name::STEAL, "Steal", share),
        (series_name::INTERRUPT_TIME, "Interrupt time", share),
        (series_name::INTERRUPTS, "Interrupts/s", |hertz| text::format_decimal(hertz, 0)),
        (series_name::FREQUENCY, "Frequency", |khz| format!("{:.2} GHz", khz / 1e6)),
        (series_name::TEMPERATURE, "Temperature", |millicelsius| {
            format!("{:.0} °C", millicelsius / 1e3)
        }),
    ];
    let strips = known.into_iter().filter_map(|(key, name, words)| {
        let points = points(trial.series.get(key)?);
        let max = points.iter().map(|point| point.1).fold(f64::MIN, f64::max);
        let min = points.iter().map(|point| point.1).fold(f64::MAX, f64::min);
        // Steal and interrupt time are omitted if they are always 0: only a virtual machine has
        // steal, and a kernel that counts interrupt time by timer ticks misses nearly all of this
        // time.
        let is_nothing =
            [series_name::STEAL, series_name::INTERRUPT_TIME].contains(&key) && max <= 0.0;
        if points.len() < 2 || is_nothing {
            return None;
        }
        let extremes = if key == series_name::FREQUENCY {
            format!("min {}", words(min))
        } else {
            format!("max {}", words(max))
        };
        let (name, unit) = (name.to_owned(), String::new());
        Some(Strip { name, points, extremes, words, unit, states: Vec::new() })
    });
    strips.collect()
}

fn points(series: &Series) -> Vec<(f64, f64)> {
    let value = |value: i64| jitterscope_engine::nanos::Nanos::new(value).as_f64();
    series.iter().map(|(at, one)| (at.as_secs(), value(one))).collect()
}

#[cfg(test)]
mod tests {
    use jitterscope_engine::nanos::Nanos;
    use jitterscope_engine::plan::{CpuFacts, FrameLoop, Probe as _};

    use super::*;

    #[test]
    fn only_what_the_system_reports_has_a_strip() {
        let stages = FrameLoop::default().stages(&CpuFacts::default());
        let mut trial = TrialRun::new(0, stages[0].trials[0].clone(), stages[0].load);
        let mut add = |name: &str, values: [i64; 2]| {
            let series = trial.series.entry(name.to_owned()).or_default();
            for (value, at) in values.into_iter().zip(1..) {
                series.push(Nanos::from_secs(at), value);
            }
        };
        add(series_name::OTHER_PROGRAMS, [40, 310]);
        add(series_name::STEAL, [0, 0]);
        add(series_name::INTERRUPTS, [900, 3_118]);
        add(series_name::FREQUENCY, [2_100_000, 4_900_000]);
        let strips = strips(&trial);
        let found: Vec<_> =
            strips.iter().map(|one| (one.name.as_str(), one.extremes.as_str())).collect();
        let expected = [
            ("Other programs", "max 31.0%"),
            ("Interrupts/s", "max 3\u{202f}118"),
            ("Frequency", "min 2.10 GHz"),
        ];
        assert_eq!(found, expected);
        assert_eq!(strips[0].points, [(1.0, 40.0), (2.0, 310.0)]);
    }
}
