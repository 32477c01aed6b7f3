//! A table of min and max values at several levels. With it, a plot shows every spike at any zoom, and takes
//! about the same time to draw for any number of samples.

use crate::nanos::Nanos;
use crate::sample::Column;

/// Number of points in a block of the lowest level.
const LEAF: usize = 16;
/// Number of blocks that form a block of the next higher level.
const FAN_OUT: usize = 4;

/// The min and max values of consecutive points, each with the position of its point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PyramidBlock {
    min: (u32, i64),
    most: (u32, i64),
}

impl PyramidBlock {
    fn join(self, other: Self) -> Self {
        Self {
            min: if other.min.1 < self.min.1 { other.min } else { self.min },
            most: if self.most.1 < other.most.1 { other.most } else { self.most },
        }
    }
}

/// Points in order of time, in about 11 bytes per point. A point is a time and a value. The min and max of any
/// range of points are available quickly. Points are returned as seconds and nanoseconds, ready to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    times: Column,
    values: Column,
    levels: Vec<Vec<PyramidBlock>>,
    /// Min and max of the last points, fewer than [`LEAF`], that do not fill a block yet; `None` if there are none.
    open: Option<PyramidBlock>,
}

impl Pyramid {
    /// Adds a point at the end; its time must not be before the time of the last point. Time: O(1) on average.
    pub fn push(&mut self, time: Nanos, value: Nanos) {
        let at = (u32::try_from(self.len()).unwrap_or(u32::MAX), value.get());
        let one = PyramidBlock { min: at, most: at };
        let mut block = self.open.map_or(one, |open| open.join(one));
        self.times.push(time.get());
        self.values.push(value.get());
        self.open = Some(block).filter(|_| !self.len().is_multiple_of(LEAF));
        if self.open.is_some() {
            return;
        }
        for level in 0.. {
            if self.levels.len() <= level {
                self.levels.push(Vec::new());
            }
            let Some(blocks) = self.levels.get_mut(level) else { return };
            blocks.push(block);
            if !blocks.len().is_multiple_of(FAN_OUT) {
                return;
            }
            let last = blocks.len() - FAN_OUT;
            let Some(joined) = blocks.iter().skip(last).copied().reduce(PyramidBlock::join) else {
                return;
            };
            block = joined;
        }
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Returns the point at a position: its time in seconds and its value in nanoseconds.
    pub fn point(&self, index: usize) -> Option<(f64, f64)> {
        Some((self.secs(index)?, self.value(index)?.as_f64()))
    }

    /// Returns the time of the last point; 0 if there are no points.
    pub fn end(&self) -> Nanos {
        let last = self.len().checked_sub(1).and_then(|last| self.times.get(last));
        last.map_or(Nanos::ZERO, Nanos::new)
    }

    /// Returns the value of the point at a position.
    pub fn value(&self, index: usize) -> Option<Nanos> {
        self.values.get(index).map(Nanos::new)
    }

    fn secs(&self, index: usize) -> Option<f64> {
        self.times.get(index).map(|time| Nanos::new(time).as_secs())
    }

    /// Returns the first position in a range for which `is_before` of the time in seconds is false; the end of the
    /// range if there is none. Time: O(log n).
    fn first(&self, range: std::ops::Range<usize>, is_before: impl Fn(f64) -> bool) -> usize {
        let (mut start, mut end) = (range.start, range.end);
        while start < end {
            let middle = usize::midpoint(start, end);
            if self.secs(middle).is_some_and(&is_before) {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    /// Returns the positions of the points between two times in seconds, including points at both times.
    pub fn range(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        let start = self.first(0..self.len(), |time| time < from);
        let end = self.first(0..self.len(), |time| time <= to);
        start..end.max(start)
    }

    /// Returns the positions of the points between two times in seconds, without points exactly at `to`.
    pub fn range_before(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        let from_edge = |edge: f64| self.first(0..self.len(), |time| time < edge);
        let start = from_edge(from);
        start..from_edge(to).max(start)
    }

    /// Divides a time range into `count` equal parts. Returns for each part its start in seconds and the positions of
    /// its points. A point on the edge of two parts belongs to the later part, and a point at `to` to the last part.
    pub fn parts(
        &self,
        (from, to): (f64, f64),
        count: u32,
    ) -> impl Iterator<Item = (f64, std::ops::Range<usize>)> {
        let edge = move |part: u32| from + (to - from) * f64::from(part) / f64::from(count);
        (0..count).map(move |part| {
            let begins = edge(part);
            let is_last = part + 1 == count;
            let own = if is_last {
                self.range(begins, to)
            } else {
                self.range_before(begins, edge(part + 1))
            };
            (begins, own)
        })
    }

    /// Returns the points to draw between two times in seconds, in order of time: the first, min, max, and last point
    /// of each column, and the nearest point on either side of the range. Time: O(columns × log n).
    pub fn query(&self, from: f64, to: f64, columns: usize) -> Vec<(f64, f64)> {
        let range = self.range(from, to);
        let first = range.start.saturating_sub(1);
        let last = (range.end + 1).min(self.len());
        if last - first <= columns.saturating_mul(4) || columns == 0 || to <= from {
            return (first..last).filter_map(|index| self.point(index)).collect();
        }
        let mut drawn = Vec::with_capacity(columns * 4 + 2);
        let width = (to - from) / super::float(columns);
        let mut start = first;
        for column in 1..=columns {
            let end = if column == columns {
                last
            } else {
                let edge = from + width * super::float(column);
                self.first(start..last, |time| time < edge)
            };
            if start < end {
                let block = self.extremes(start, end);
                let mut of_column = [start, wide(block.min.0), wide(block.most.0), end - 1];
                of_column.sort_unstable();
                let mut before = None;
                for index in of_column {
                    if before != Some(index)
                        && let Some(point) = self.point(index)
                    {
                        drawn.push(point);
                    }
                    before = Some(index);
                }
            }
            start = end;
        }
        drawn
    }

    /// Returns the point with the largest value in a range of positions; `None` if the range is empty or ends after the
    /// last point.
    pub fn max(&self, range: std::ops::Range<usize>) -> Option<(f64, f64)> {
        if range.is_empty() || self.len() < range.end {
            return None;
        }
        self.point(wide(self.extremes(range.start, range.end).most.0))
    }

    /// Returns the min and max of the points from `start` to before `end`, from the largest blocks that fit. The range
    /// must not be empty.
    fn extremes(&self, start: usize, end: usize) -> PyramidBlock {
        let mut at = start;
        let mut found: Option<PyramidBlock> = None;
        while at < end {
            let (block, next) = self.widest(at, end);
            found = Some(found.map_or(block, |found| found.join(block)));
            at = next;
        }
        found.unwrap_or_else(|| self.scan(start, start + 1))
    }

    /// Returns the largest block that begins at position `at` and ends at or before `end`, with the end of the block.
    /// If no block fits, reads the points one by one up to the end of the lowest-level block.
    fn widest(&self, at: usize, end: usize) -> (PyramidBlock, usize) {
        let mut best = None;
        let mut size = LEAF;
        for blocks in &self.levels {
            if !at.is_multiple_of(size) || end < at + size {
                break;
            }
            match blocks.get(at / size) {
                Some(block) => best = Some((*block, at + size)),
                None => break,
            }
            size *= FAN_OUT;
        }
        best.unwrap_or_else(|| {
            let stop = end.min((at / LEAF + 1) * LEAF);
            (self.scan(at, stop), stop)
        })
    }

    fn scan(&self, start: usize, end: usize) -> PyramidBlock {
        let mut block: Option<PyramidBlock> = None;
        for index in start..end {
            let Some(value) = self.values.get(index) else { break };
            let at = (u32::try_from(index).unwrap_or(u32::MAX), value);
            let one = PyramidBlock { min: at, most: at };
            block = Some(block.map_or(one, |block| block.join(one)));
        }
        block.unwrap_or(PyramidBlock { min: (0, 0), most: (0, 0) })
    }
}

/// Converts a position as stored in a block to an index.
fn wide(position: u32) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spike_in_ten_million_is_seen_at_every_zoom() {
        let mut pyramid = Pyramid::default();
        let spike = 7_654_321;
        for k in 0..10_000_000 {
            let value = if k == spike { 17_400 } else { k % 7 };
            pyramid.push(Nanos::from_secs(k), Nanos::new(value));
        }
        let spike = (Nanos::from_secs(spike).as_secs(), 17_400.0);
        for (from, to) in
            [(0.0, 1e7), (5e6, 8e6), (7_654_000.0, 7_655_000.0), (7_654_320.5, 7_654_321.5)]
        {
            for columns in [100, 1_333, 3_840] {
                let drawn = pyramid.query(from, to, columns);
                assert!(drawn.len() <= columns * 4 + 2);
                assert!(drawn.contains(&spike), "{from} to {to}, {columns}");
                assert!(drawn.is_sorted_by(|a, b| a.0 <= b.0));
            }
        }
        assert_eq!(pyramid.max(0..10_000_000), Some(spike));
    }

    #[test]
    fn few_points_are_drawn_as_they_are() {
        let mut pyramid = Pyramid::default();
        for k in 0..10 {
            pyramid.push(Nanos::from_secs(k), Nanos::new(k * k));
        }
        assert_eq!(pyramid.query(2.0, 4.0, 100).len(), 5);
        assert_eq!(pyramid.query(100.0, 200.0, 100).len(), 1);
        assert_eq!(Pyramid::default().query(0.0, 1.0, 100), []);
    }
}
