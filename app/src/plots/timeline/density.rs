//! The density of late samples as shading: if most frames are late, separate markers would cover
//! each other.

use egui_plot::PlotUi;
use jitterscope_engine::report::Cause;

use super::super::axis::whole;
use super::super::cause_style;
use super::super::cells::Cells;
use super::items::Seen;
use super::{LateMark, Timeline};
use crate::theme::Tokens;

/// Width and height of a cell of the shading, in points.
const CELL: (f64, f64) = (4.0, 5.0);
/// Maximum number of late samples to count; if there are more, an evenly spaced subset is counted.
/// The sample with the highest lateness of each column is always drawn as a point.
const MAX_COUNTED: usize = 60_000;
/// Maximum number of cells: horizontally and vertically.
const MAX_CELLS: (f64, f64) = (1_200.0, 400.0);
/// Opacity of a cell with one sample, and of the cell with the most samples.
const SHADE: (f32, f32) = (0.22, 0.95);

/// The number of late samples in a cell, and their most frequent cause if more than half of them
/// have it. `votes` is the counter of a majority vote (Boyer and Moore).
#[derive(Clone, Copy)]
struct ColumnCount {
    count: u32,
    cause: Cause,
    votes: u32,
}

impl Timeline {
    /// Shades each cell by its number of late samples, in the color of the cause that more than
    /// half of them have; otherwise, in the color of one of their causes. `strength` scales the
    /// opacity.
    pub(super) fn shade(
        &self,
        plot: &mut PlotUi<'_>,
        tokens: &Tokens,
        (marks, strength): (&[&LateMark], f32),
        seen: Seen,
    ) {
        let size = (CELL.0 * seen.per_point.0, CELL.1 * seen.per_point.1);
        let across = ((seen.time.1 - seen.time.0) / size.0).ceil().min(MAX_CELLS.0);
        let up = ((seen.value.1 - seen.value.0) / size.1).ceil().min(MAX_CELLS.1);
        let (Some(columns), Some(rows)) = (position(across), position(up)) else { return };
        let mut counts: Vec<Option<ColumnCount>> = vec![None; columns * rows];
        let stride = marks.len().div_ceil(MAX_COUNTED).max(1);
        for mark in marks.iter().step_by(stride) {
            let place = self.scale.place(mark.late.as_f64());
            let column = position(((mark.secs - seen.time.0) / size.0).floor());
            let row = position(((place - seen.value.0) / size.1).floor());
            let (Some(column), Some(row)) = (column, row.filter(|row| *row < rows)) else {
                continue;
            };
            if let Some(cell) = counts.get_mut(row * columns + column.min(columns - 1)) {
                let first = ColumnCount { count: 0, cause: mark.cause, votes: 0 };
                vote(cell.get_or_insert(first), mark.cause);
            }
        }
        let most = counts.iter().flatten().map(|cell| cell.count).max().unwrap_or(1);
        let scale = f32::from(u16::try_from(most).unwrap_or(u16::MAX)).max(2.0).ln();
        let cells = counts.iter().zip(0_u32..).filter_map(|(cell, at)| {
            let cell = cell.as_ref()?;
            let columns = u32::try_from(columns).ok()?;
            let left = seen.time.0 + f64::from(at % columns) * size.0;
            let low = seen.value.0 + f64::from(at / columns) * size.1;
            let many = f32::from(u16::try_from(cell.count).unwrap_or(u16::MAX)).ln() / scale;
            let shade = strength * (SHADE.0 + (SHADE.1 - SHADE.0) * many);
            let color = cause_style(tokens, cell.cause).0.gamma_multiply(shade);
            Some(([left, low], [left + size.0, low + size.1], color))
        });
        plot.add(Cells::new("density of late samples", cells.collect()));
    }
}

/// Counts a sample in a cell. In the end, `cell.cause` is the cause of more than half of the
/// samples, if there is such a cause.
fn vote(cell: &mut ColumnCount, cause: Cause) {
    cell.count += 1;
    if cell.cause == cause {
        cell.votes += 1;
    } else if cell.votes == 0 {
        (cell.cause, cell.votes) = (cause, 1);
    } else {
        cell.votes -= 1;
    }
}

/// Rounds a coordinate to an index; `None` if the coordinate is negative.
fn position(place: f64) -> Option<usize> {
    usize::try_from(whole(place)).ok().filter(|_| 0.0 <= place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_the_majority_colors_a_cell() {
        use Cause::{PageFault, TimerLate, WaitedForCpu};
        let mut cell = ColumnCount { count: 0, cause: PageFault, votes: 0 };
        for cause in [PageFault, TimerLate, TimerLate, WaitedForCpu, TimerLate, TimerLate] {
            vote(&mut cell, cause);
        }
        assert_eq!((cell.count, cell.cause), (6, TimerLate));
    }
}
