//! Least and greatest values of ever longer stretches, so that a plot of any zoom shows every spike and
//! costs the same whatever the number of samples.

use super::position;

/// Values that one block of the lowest level holds.
const LEAF: usize = 16;
/// Blocks that one block of the next level holds.
const FAN_OUT: usize = 4;

/// Least and greatest value of a stretch, with their positions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Block {
    least: (u32, f64),
    most: (u32, f64),
}

impl Block {
    fn join(self, other: Self) -> Self {
        Self {
            least: if other.least.1 < self.least.1 { other.least } else { self.least },
            most: if self.most.1 < other.most.1 { other.most } else { self.most },
        }
    }
}

/// Points in order of time, with the least and greatest of every stretch at hand. Grows at the end.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    points: Vec<(f64, f64)>,
    levels: Vec<Vec<Block>>,
}

impl Pyramid {
    /// Adds a point; its time must not lie before the last one's. Time: O(1) on average.
    pub fn push(&mut self, time: f64, value: f64) {
        self.points.push((time, value));
        if !self.points.len().is_multiple_of(LEAF) {
            return;
        }
        let start = self.points.len() - LEAF;
        let mut block = self.scan(start, self.points.len());
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
            let Some(joined) = blocks.iter().skip(last).copied().reduce(Block::join) else {
                return;
            };
            block = joined;
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Every point.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The positions of the points between two times.
    pub fn range(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        let start = self.points.partition_point(|&(time, _)| time < from);
        let end = self.points.partition_point(|&(time, _)| time <= to);
        start..end.max(start)
    }

    /// Points to draw between two times: for each of so many columns the first, least, greatest and
    /// last in order of time, and the neighbours outside. Time: O(columns × log n).
    pub fn query(&self, from: f64, to: f64, columns: usize) -> Vec<(f64, f64)> {
        let range = self.range(from, to);
        let first = range.start.saturating_sub(1);
        let last = (range.end + 1).min(self.points.len());
        if last - first <= columns.saturating_mul(4) || columns == 0 || to <= from {
            return self.points.get(first..last).unwrap_or_default().to_vec();
        }
        let mut drawn = Vec::with_capacity(columns * 4 + 2);
        let width = (to - from) / super::float(columns);
        let mut start = first;
        for column in 1..=columns {
            let end = if column == columns {
                last
            } else {
                let edge = from + width * super::float(column);
                let within = self.points.get(start..last).unwrap_or_default();
                start + within.partition_point(|&(time, _)| time < edge)
            };
            if start < end {
                let block = self.extremes(start, end);
                let mut of_column = [
                    start,
                    position(f64::from(block.least.0)),
                    position(f64::from(block.most.0)),
                    end - 1,
                ];
                of_column.sort_unstable();
                let mut before = None;
                for index in of_column {
                    if before != Some(index)
                        && let Some(&point) = self.points.get(index)
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

    /// The greatest value between two positions.
    pub fn greatest(&self, range: std::ops::Range<usize>) -> Option<(f64, f64)> {
        if range.is_empty() || self.points.len() < range.end {
            return None;
        }
        let block = self.extremes(range.start, range.end);
        self.points.get(position(f64::from(block.most.0))).copied()
    }

    /// Least and greatest of a stretch that is not empty, from the largest blocks that fit.
    fn extremes(&self, start: usize, end: usize) -> Block {
        let mut at = start;
        let mut found: Option<Block> = None;
        while at < end {
            let (block, next) = self.widest(at, end);
            found = Some(found.map_or(block, |found| found.join(block)));
            at = next;
        }
        found.unwrap_or_else(|| self.scan(start, start + 1))
    }

    /// The widest whole block that begins here and ends in time, and where it ends.
    fn widest(&self, at: usize, end: usize) -> (Block, usize) {
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

    fn scan(&self, start: usize, end: usize) -> Block {
        let mut block: Option<Block> = None;
        for index in start..end {
            let Some(&(_, value)) = self.points.get(index) else { break };
            let at = (u32::try_from(index).unwrap_or(u32::MAX), value);
            let one = Block { least: at, most: at };
            block = Some(block.map_or(one, |block| block.join(one)));
        }
        block.unwrap_or(Block { least: (0, 0.0), most: (0, 0.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spike_in_ten_million_is_seen_at_every_zoom() {
        let mut pyramid = Pyramid::default();
        let spike = 7_654_321;
        for k in 0..10_000_000_u32 {
            let value = if k == spike { 17.4 } else { f64::from(k % 7) * 0.001 };
            pyramid.push(f64::from(k), value);
        }
        for (from, to) in
            [(0.0, 1e7), (5e6, 8e6), (7_654_000.0, 7_655_000.0), (7_654_320.5, 7_654_321.5)]
        {
            for columns in [100, 1_333, 3_840] {
                let drawn = pyramid.query(from, to, columns);
                assert!(drawn.len() <= columns * 4 + 2);
                assert!(drawn.contains(&(f64::from(spike), 17.4)), "{from} to {to}, {columns}");
                assert!(drawn.is_sorted_by(|a, b| a.0 <= b.0));
            }
        }
        assert_eq!(pyramid.greatest(0..10_000_000), Some((f64::from(spike), 17.4)));
    }

    #[test]
    fn few_points_are_drawn_as_they_are() {
        let mut pyramid = Pyramid::default();
        for k in 0..10 {
            pyramid.push(f64::from(k), f64::from(k * k));
        }
        assert_eq!(pyramid.query(2.0, 4.0, 100).len(), 5);
        assert_eq!(pyramid.query(100.0, 200.0, 100).len(), 1);
        assert_eq!(Pyramid::default().query(0.0, 1.0, 100), []);
    }
}
