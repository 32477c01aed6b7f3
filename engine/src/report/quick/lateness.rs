//! How late frames start, idle and under load, as a plot.

use super::Measured;
use crate::plan::quick::{FPS, Part};
use crate::report::Chart;
use crate::report::chart::{Limit, Series, of_tails};
use crate::stats::{Sorted, tail_points};

/// Points of a tail curve.
const TAIL_POINTS: usize = 200;

/// The share of frames above each lateness in both frame loops; `None` where neither was measured.
pub fn lateness_chart(parts: &[Measured<'_>]) -> Option<Chart> {
    let curves = parts.iter().filter_map(|(part, measured)| {
        let name = match part {
            Part::FrameIdle => "Idle",
            Part::FrameLoad => "Under load",
            Part::Sleep | Part::Gaps | Part::Spin => return None,
        };
        let late = (*measured)?.0.trials.first()?.samples.late_nanos();
        Some(Series::new(name, tail_points(&Sorted::of(late)?, TAIL_POINTS)))
    });
    let names = ("Lateness", "Share of frames");
    let mut chart = of_tails("tail", "Frame lateness", names, curves.collect())?;
    let frame = 1e9 / FPS;
    chart.x.to = chart.x.to.max(frame * 2.0);
    chart.limits.push(Limit { at: frame, label: "1 frame".to_owned(), is_vertical: true });
    "idle and under load, share of frames above each lateness".clone_into(&mut chart.note);
    Some(chart)
}
