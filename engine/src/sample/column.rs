//! A compact column of whole numbers: each value is stored as its distance from a straight line.
//!
//! A point in time of a trial takes eight bytes; its distance from a steady pace mostly takes two. Values are
//! divided into blocks. Each block stores a level or sloped line just below its values, and the distance of
//! each value from the line, in the narrowest integer type that fits. Logs of games round their times, mostly to
//! 100 ns: such distances are stored in a coarser unit, if all are multiples of it. A column takes almost no memory if it
//! is empty, has only missing values, repeats one value, or has an exact pace.

mod file;

use std::sync::Arc;

/// Number of values in a block. At 30 frames per second, a block lasts 4.3 s, so that distances in nanoseconds
/// fit into four bytes even without a steady pace.
const BLOCK: usize = 128;
/// Position of the last value of a block.
const LAST: i64 = 127;
/// Units in which distances from a level line are stored, if all are multiples of one and then take fewer bytes.
const UNITS: [i64; 3] = [1_000, 100, 10];

pub(crate) use file::{COLUMN, Cells};

/// Marks a missing value in a column.
pub const MISSING: i64 = i64::MIN;

/// A list of whole numbers that grows at its end; each number can be [`MISSING`]. Clones share their full blocks
/// until one clone fills another block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    blocks: Arc<Vec<Block>>,
    /// The values after the last full block.
    rest: Vec<i64>,
}

/// The values of a full block: a line, and the distance of each value above the line, in `unit`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    line: Line,
    unit: i64,
    above: Above,
}

/// A straight line: the value `from` at position 0 of a block, and `step` more at each further position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    from: i64,
    step: i64,
}

/// Distances of the values from the line. The largest number of each unsigned type represents [`MISSING`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Above {
    /// All values are on the line.
    Nothing,
    Bytes(Box<[u8; BLOCK]>),
    Pairs(Box<[u16; BLOCK]>),
    Fours(Box<[u32; BLOCK]>),
    /// The values themselves, because their distances need more than four bytes.
    Whole(Box<[i64; BLOCK]>),
}

impl Line {
    /// Returns the line with the given step just below all values, and the largest distance of a value from the line.
    fn below(values: &[i64; BLOCK], step: i64) -> (Self, u64) {
        let (mut min, mut max, mut on_line) = (i64::MAX, i64::MIN, 0_i64);
        for &value in values {
            if value != MISSING {
                let level = value.wrapping_sub(on_line);
                (min, max) = (level.min(min), level.max(max));
            }
            on_line = on_line.wrapping_add(step);
        }
        (Self { from: min, step }, max.abs_diff(min))
    }

    /// Writes the line's value at each position. Sums wrap, so that even the largest values are restored exactly.
    fn write_to(self, values: &mut [i64; BLOCK]) {
        let mut next = self.from;
        for value in values {
            *value = next;
            next = next.wrapping_add(self.step);
        }
    }

    /// Returns the unit in which the distances from a level line take the fewest bytes; `reach` is the largest.
    fn unit_of(self, values: &[i64; BLOCK], reach: u64) -> i64 {
        let width = Width::of(reach);
        let has_all = |unit: i64| {
            let is_multiple = |value: i64| value.wrapping_sub(self.from) % unit == 0;
            values.iter().all(|&value| value == MISSING || is_multiple(value))
        };
        // The differences of values so far apart may not fit into an integer.
        if width == Width::Whole {
            return 1;
        }
        let is_narrower = |unit: i64| Width::of(reach / unit.unsigned_abs()) < width;
        UNITS.into_iter().find(|unit| is_narrower(*unit) && has_all(*unit)).unwrap_or(1)
    }

    fn at(self, at: usize) -> i64 {
        let steps = i64::try_from(at).unwrap_or_default();
        self.from.wrapping_add(self.step.wrapping_mul(steps))
    }
}

impl Block {
    fn of(values: &[i64; BLOCK]) -> Self {
        let missing = values.iter().filter(|&&value| value == MISSING).count();
        if missing == BLOCK {
            return Self { line: Line { from: MISSING, step: 0 }, unit: 1, above: Above::Nothing };
        }
        let (mut line, mut reach) = Line::below(values, 0);
        let mut unit = line.unit_of(values, reach);
        let [first, .., last] = values;
        let rise = if missing == 0 { last.checked_sub(*first) } else { None };
        // Points in time at a steady pace are close to a sloped line.
        if u64::from(u8::MAX) <= reach
            && let Some(rise) = rise
        {
            let (sloped, above) = Line::below(values, rise / LAST);
            if above == 0 || Width::of(above) < Width::of(reach / unit.unsigned_abs()) {
                (line, reach, unit) = (sloped, above, 1);
            }
        }
        reach /= unit.unsigned_abs();
        let above = if reach == 0 && missing == 0 {
            Above::Nothing
        } else {
            match Width::of(reach) {
                Width::Byte => Above::Bytes(Box::new(narrowed(values, line, unit, u8::MAX))),
                Width::Pair => Above::Pairs(Box::new(narrowed(values, line, unit, u16::MAX))),
                Width::Four => Above::Fours(Box::new(narrowed(values, line, unit, u32::MAX))),
                Width::Whole => Above::Whole(Box::new(*values)),
            }
        };
        Self { line, unit, above }
    }

    fn get(&self, at: usize) -> Option<i64> {
        let line = self.line.at(at);
        match &self.above {
            Above::Nothing => Some(line),
            Above::Bytes(above) => above.get(at).map(|&one| widened(line, one, self.unit, u8::MAX)),
            Above::Pairs(above) => {
                above.get(at).map(|&one| widened(line, one, self.unit, u16::MAX))
            }
            Above::Fours(above) => {
                above.get(at).map(|&one| widened(line, one, self.unit, u32::MAX))
            }
            Above::Whole(values) => values.get(at).copied(),
        }
    }

    fn write_to(&self, values: &mut [i64; BLOCK]) {
        self.line.write_to(values);
        match &self.above {
            Above::Nothing => {}
            Above::Bytes(above) => add(values, above, self.unit, u8::MAX),
            Above::Pairs(above) => add(values, above, self.unit, u16::MAX),
            Above::Fours(above) => add(values, above, self.unit, u32::MAX),
            Above::Whole(whole) => values.copy_from_slice(whole.as_slice()),
        }
    }
}

/// Number of bytes of a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    Byte,
    Pair,
    Four,
    Whole,
}

impl Width {
    /// Returns the narrowest width for distances up to `reach`.
    fn of(reach: u64) -> Self {
        match reach {
            _ if reach < u64::from(u8::MAX) => Self::Byte,
            _ if reach < u64::from(u16::MAX) => Self::Pair,
            _ if reach < u64::from(u32::MAX) => Self::Four,
            _ => Self::Whole,
        }
    }
}

fn narrowed<T: Copy + TryFrom<u64>>(
    values: &[i64; BLOCK],
    line: Line,
    unit: i64,
    missing: T,
) -> [T; BLOCK] {
    let mut above = [0; BLOCK];
    line.write_to(&mut above);
    for (line, &value) in above.iter_mut().zip(values) {
        *line = if value == MISSING { MISSING } else { value.wrapping_sub(*line) };
    }
    if unit != 1 {
        for above in above.iter_mut().filter(|above| **above != MISSING) {
            *above /= unit;
        }
    }
    above.map(|above| {
        u64::try_from(above).ok().and_then(|one| T::try_from(one).ok()).unwrap_or(missing)
    })
}

/// Adds each distance to the line's value at its position; writes [`MISSING`] for a missing value.
fn add<T: Copy + PartialEq>(line: &mut [i64; BLOCK], above: &[T; BLOCK], unit: i64, missing: T)
where
    i64: From<T>,
{
    // Without a multiplication, several values are added at once.
    if unit == 1 {
        for (line, &above) in line.iter_mut().zip(above) {
            *line = widened(*line, above, 1, missing);
        }
    } else {
        for (line, &above) in line.iter_mut().zip(above) {
            *line = widened(*line, above, unit, missing);
        }
    }
}

fn widened<T: Copy + PartialEq>(line: i64, above: T, unit: i64, missing: T) -> i64
where
    i64: From<T>,
{
    if above == missing { MISSING } else { line.wrapping_add(i64::from(above) * unit) }
}

impl Column {
    /// Creates a column without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of values, including missing ones.
    pub fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.rest.len()
    }

    /// Whether the column has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a value at the end. Time: O(1) on average.
    #[inline]
    pub fn push(&mut self, value: i64) {
        self.rest.push(value);
        if self.rest.len() == BLOCK {
            self.end_block();
        }
    }

    #[inline(never)]
    fn end_block(&mut self) {
        if let Ok(whole) = <&[i64; BLOCK]>::try_from(self.rest.as_slice()) {
            Arc::make_mut(&mut self.blocks).push(Block::of(whole));
            self.rest.clear();
        }
    }

    /// Returns the value at a position, which can be [`MISSING`]; `None` beyond the end. Time: O(1).
    pub fn get(&self, index: usize) -> Option<i64> {
        match self.blocks.get(index / BLOCK) {
            Some(block) => block.get(index % BLOCK),
            None => self.rest.get(index.checked_sub(self.blocks.len() * BLOCK)?).copied(),
        }
    }

    /// Returns an iterator over all values in order.
    pub fn values(&self) -> Values<'_> {
        Values { column: self, next: 0, end: self.len(), block: [0; BLOCK] }
    }

    /// Returns an iterator over the values from position `index` to the end.
    pub fn values_from(&self, index: usize) -> Values<'_> {
        let mut values = Values { next: index.min(self.len()), ..self.values() };
        values.take_block();
        values
    }
}

impl Extend<i64> for Column {
    fn extend<I: IntoIterator<Item = i64>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

impl FromIterator<i64> for Column {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut column = Self::new();
        column.extend(values);
        column
    }
}

/// Iterator over the values of a column in order. It decodes one block at a time.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    column: &'a Column,
    next: usize,
    end: usize,
    /// The decoded block that contains position `next`. At the start of a block, it is not decoded yet.
    block: [i64; BLOCK],
}

impl Values<'_> {
    #[inline(never)]
    fn take_block(&mut self) {
        match self.column.blocks.get(self.next / BLOCK) {
            Some(block) => block.write_to(&mut self.block),
            None => {
                for (to, &value) in self.block.iter_mut().zip(&self.column.rest) {
                    *to = value;
                }
            }
        }
    }
}

impl Iterator for Values<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if self.end <= self.next {
            return None;
        }
        let at = self.next % BLOCK;
        if at == 0 {
            self.take_block();
        }
        self.next += 1;
        self.block.get(at).copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }

    /// Skips `count` values and returns the next one. Time: O(1).
    fn nth(&mut self, count: usize) -> Option<i64> {
        let (block, is_taken) = (self.next / BLOCK, !self.next.is_multiple_of(BLOCK));
        self.next = self.next.saturating_add(count).min(self.end);
        if !self.next.is_multiple_of(BLOCK) && (!is_taken || self.next / BLOCK != block) {
            self.take_block();
        }
        self.next()
    }
}

impl ExactSizeIterator for Values<'_> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(values: &[i64]) {
        let column: Column = values.iter().copied().collect();
        assert_eq!(column.values().collect::<Vec<_>>(), values);
        assert_eq!(column.values().len(), values.len());
        let by_position: Vec<i64> =
            (0..column.len()).filter_map(|index| column.get(index)).collect();
        assert_eq!(by_position, values);
        assert_eq!(column.get(values.len()), None);
        for from in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, values.len(), usize::MAX] {
            let rest = values.get(from..).unwrap_or_default();
            assert_eq!(column.values_from(from).collect::<Vec<_>>(), rest);
        }
        for step in [1, 2, 100, BLOCK, BLOCK + 1, 300] {
            let found: Vec<i64> = column.values().skip(step - 1).step_by(step).collect();
            let expected: Vec<i64> = values.iter().copied().skip(step - 1).step_by(step).collect();
            assert_eq!(found, expected);
        }
        let mut one_by_one = Column::new();
        for &value in values {
            one_by_one.push(value);
        }
        assert_eq!(one_by_one, column);
    }

    #[test]
    fn the_ends_of_each_width_come_back_as_they_were() {
        for reach in [0, 0xfe, 0xff, 0x100, 0xfffe, 0xffff, 0xffff_fffe, 0xffff_ffff, i64::MAX] {
            for min in [MISSING, MISSING + 1, -1, 0, i64::MAX - reach] {
                let most = min.saturating_add(reach);
                for count in [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
                    let of = |at: usize| match at % 3 {
                        0 => min,
                        1 => most,
                        _ => MISSING,
                    };
                    check(&(0..count).map(of).collect::<Vec<_>>());
                    check(&(0..count).map(|at| of(at % 2)).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn clones_share_memory_until_one_of_them_grows() {
        let column: Column = (0..1_000).collect();
        let mut other = column.clone();
        assert!(Arc::ptr_eq(&column.blocks, &other.blocks));
        other.extend(1_000..2_000);
        assert_eq!((column.len(), other.len()), (1_000, 2_000));
        assert_eq!(column.values().last(), Some(999));
        assert!(other.values().eq(0..2_000));
    }

    #[test]
    fn instants_at_a_pace_take_their_lateness_alone() {
        let due: Column = (0..100_000).map(|k| k * 1_000_000).collect();
        assert!(due.blocks.iter().all(|block| block.above == Above::Nothing));
        let mut random = fastrand::Rng::with_seed(7);
        let woke: Column = (0..100_000).map(|k| k * 1_000_000 + random.i64(0..9_000)).collect();
        assert!(woke.blocks.iter().all(|block| matches!(block.above, Above::Pairs(_))));
        let none: Column = (0..100_000).map(|_| MISSING).collect();
        assert!(none.blocks.iter().all(|block| block.above == Above::Nothing));
        let cpus: Column = (0..100_000).map(|_| random.i64(0..8)).collect();
        assert!(cpus.blocks.iter().all(|block| matches!(block.above, Above::Bytes(_))));
    }

    #[test]
    fn times_that_a_log_rounded_take_half_as_much() {
        let mut random = fastrand::Rng::with_seed(7);
        for (unit, reach) in [(1_000, 60), (100, 60_000), (10, 20_000), (1_000, 60_000)] {
            let times: Vec<i64> = (0..100_000)
                .map(|k| if k % 9 == 7 { MISSING } else { 8_000_007 + random.i64(0..reach) * unit })
                .collect();
            check(&times);
            let column: Column = times.into_iter().collect();
            let bytes = |block: &Block| match &block.above {
                Above::Nothing => 0,
                Above::Bytes(_) => 1,
                Above::Pairs(_) => 2,
                Above::Fours(_) => 4,
                Above::Whole(_) => 8,
            };
            let most = if reach < 256 { 1 } else { 2 };
            assert!(column.blocks.iter().all(|block| bytes(block) <= most), "{unit} {reach}");
        }
    }

    proptest! {
        #[test]
        fn what_was_put_in_comes_out(
            pieces in proptest::collection::vec(
                (any::<i64>(), 0..40_u32, 1..300_usize, any::<bool>(), 0..4_usize), 0..6
            ),
        ) {
            let mut random = fastrand::Rng::with_seed(7);
            let mut values = Vec::new();
            for (start, bits, count, has_gaps, unit) in pieces {
                let unit = UNITS.get(unit).copied().unwrap_or(1);
                for _ in 0..count {
                    let is_gap = has_gaps && random.bool();
                    let above = random.i64(0..1 << bits) * unit;
                    values.push(if is_gap { MISSING } else { start.saturating_add(above) });
                }
            }
            check(&values);
        }
    }
}
