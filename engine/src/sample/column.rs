//! A compact column of whole numbers: values are stored as their distance from the minimum of a
//! block.
//!
//! Instants within one trial need eight bytes, instants a tenth of a second apart need four. Values
//! are divided into blocks; each block stores its minimum and, in the narrowest integer type that
//! fits, the distance of each value. A column with a single repeated value, or with none, costs
//! next to nothing.

/// Values in a block: at 30 frames per second they last 4.3 s, the maximum of four bytes of
/// nanoseconds.
const BLOCK: usize = 128;

/// Represents "no value".
pub const MISSING: i64 = i64::MIN;

/// Whole numbers in order, each of which may be [`MISSING`]. Grows at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    blocks: Vec<Block>,
    /// What fills no block yet.
    rest: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    min: i64,
    above: Above,
}

/// Distances from the minimum; the largest number of each type represents [`MISSING`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Above {
    /// All values equal the minimum.
    Nothing,
    Bytes(Box<[u8; BLOCK]>),
    Pairs(Box<[u16; BLOCK]>),
    Fours(Box<[u32; BLOCK]>),
    /// The values themselves, which are too far apart.
    Whole(Box<[i64; BLOCK]>),
}

impl Block {
    fn of(values: &[i64; BLOCK]) -> Self {
        let present = || values.iter().copied().filter(|&value| value != MISSING);
        let min = present().min().unwrap_or(MISSING);
        // What is missing is less than any other value.
        let most = values.iter().copied().max().unwrap_or(MISSING);
        let reach = most.abs_diff(min);
        let above = if values.iter().all(|&value| value == min) {
            Above::Nothing
        } else if reach < u64::from(u8::MAX) {
            Above::Bytes(Box::new(narrowed(values, min, u8::MAX)))
        } else if reach < u64::from(u16::MAX) {
            Above::Pairs(Box::new(narrowed(values, min, u16::MAX)))
        } else if reach < u64::from(u32::MAX) {
            Above::Fours(Box::new(narrowed(values, min, u32::MAX)))
        } else {
            Above::Whole(Box::new(*values))
        };
        Self { min, above }
    }

    fn get(&self, at: usize) -> Option<i64> {
        match &self.above {
            Above::Nothing => Some(self.min),
            Above::Bytes(above) => above.get(at).map(|&one| widened(self.min, one, u8::MAX)),
            Above::Pairs(above) => above.get(at).map(|&one| widened(self.min, one, u16::MAX)),
            Above::Fours(above) => above.get(at).map(|&one| widened(self.min, one, u32::MAX)),
            Above::Whole(values) => values.get(at).copied(),
        }
    }

    fn all(&self) -> [i64; BLOCK] {
        match &self.above {
            Above::Nothing => [self.min; BLOCK],
            Above::Bytes(above) => above.map(|one| widened(self.min, one, u8::MAX)),
            Above::Pairs(above) => above.map(|one| widened(self.min, one, u16::MAX)),
            Above::Fours(above) => above.map(|one| widened(self.min, one, u32::MAX)),
            Above::Whole(values) => **values,
        }
    }
}

fn narrowed<T: Copy + TryFrom<u64>>(values: &[i64; BLOCK], min: i64, missing: T) -> [T; BLOCK] {
    values.map(|value| match value {
        MISSING => missing,
        value => T::try_from(value.abs_diff(min)).unwrap_or(missing),
    })
}

fn widened<T: Copy + PartialEq>(min: i64, above: T, missing: T) -> i64
where
    u64: From<T>,
{
    if above == missing { MISSING } else { min.wrapping_add_unsigned(u64::from(above)) }
}

impl Column {
    /// A column without values.
    pub const fn new() -> Self {
        Self { blocks: Vec::new(), rest: Vec::new() }
    }

    /// How many values there are, missing ones included.
    pub const fn len(&self) -> usize {
        self.blocks.len() * BLOCK + self.rest.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a value at the end. Time: O(1) on average.
    pub fn push(&mut self, value: i64) {
        self.rest.push(value);
        if let Ok(whole) = <&[i64; BLOCK]>::try_from(self.rest.as_slice()) {
            self.blocks.push(Block::of(whole));
            self.rest.clear();
        }
    }

    /// The value at a position. Time: O(1).
    pub fn get(&self, index: usize) -> Option<i64> {
        match self.blocks.get(index / BLOCK) {
            Some(block) => block.get(index % BLOCK),
            None => self.rest.get(index.checked_sub(self.blocks.len() * BLOCK)?).copied(),
        }
    }

    /// Every value in order.
    pub const fn values(&self) -> Values<'_> {
        Values { column: self, next: 0, block: [0; BLOCK] }
    }

    /// The values from a position on.
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

/// The values of a column in order; a block is widened at a time.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    column: &'a Column,
    next: usize,
    /// The block of `next`, once its first value was requested.
    block: [i64; BLOCK],
}

impl Values<'_> {
    fn take_block(&mut self) {
        match self.column.blocks.get(self.next / BLOCK) {
            Some(block) => self.block = block.all(),
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

    fn next(&mut self) -> Option<i64> {
        if self.column.len() <= self.next {
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
        let left = self.column.len() - self.next;
        (left, Some(left))
    }

    /// Time: O(1).
    fn nth(&mut self, count: usize) -> Option<i64> {
        let (block, is_taken) = (self.next / BLOCK, !self.next.is_multiple_of(BLOCK));
        self.next = self.next.saturating_add(count).min(self.column.len());
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
    fn an_hour_of_instants_takes_about_four_bytes_each() {
        let column: Column = (0..100_000).map(|k| k * 1_000_000).collect();
        assert!(column.blocks.iter().all(|block| matches!(block.above, Above::Fours(_))));
        let none: Column = (0..100_000).map(|_| MISSING).collect();
        assert!(none.blocks.iter().all(|block| block.above == Above::Nothing));
    }

    proptest! {
        #[test]
        fn what_was_put_in_comes_out(
            pieces in proptest::collection::vec(
                (any::<i64>(), 0..40_u32, 1..300_usize, any::<bool>()), 0..6
            ),
        ) {
            let mut random = fastrand::Rng::with_seed(7);
            let mut values = Vec::new();
            for (start, bits, count, has_gaps) in pieces {
                for _ in 0..count {
                    let is_gap = has_gaps && random.bool();
                    let above = random.i64(0..1 << bits);
                    values.push(if is_gap { MISSING } else { start.saturating_add(above) });
                }
            }
            check(&values);
        }
    }
}
