//! A chart of the lateness of frames, idle and under load.

use super::Measured;
use crate::plan::quick::{FPS, Part};
use crate::report::Chart;
use crate::report::model::chart::{Limit, of_tails, tail_curve};
use crate::stats::Sorted;

/// Returns a chart with one curve per frame loop (idle, under load): the share of frames above each
/// lateness. `None` if neither frame loop was measured.
pub fn lateness_chart(parts: &[Measured<'_>]) -> Option<Chart> {
    let curves = parts.iter().filter_map(|(part, measured)| {
        let name = match part {
            Part::FrameIdle => "Idle",
            Part::FrameLoad => "Under load",
            Part::Sleep | Part::Gaps | Part::Spin => return None,
        };
        let trials = &(*measured)?.0.trials;
        let label = &trials.first()?.trial.label;
        let rounds = trials.iter().filter(|trial| trial.trial.label == *label);
        let late = rounds.flat_map(|trial| trial.samples.late_nanos()).collect();
        Some(tail_curve(name, &Sorted::of(late)?))
    });
    let names = ("Lateness", "Share of frames");
    let mut chart = of_tails("tail", "Frame lateness", names, curves.collect())?;
    let frame = 1e9 / FPS;
    chart.x.to = chart.x.to.max(frame * 2.0);
    chart.limits.push(Limit::vertical(frame, "1 frame"));
    "idle and under load, share of frames above each lateness".clone_into(&mut chart.note);
    Some(chart)
}
