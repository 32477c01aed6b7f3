//! Totals of 32-bit counters that wrap around.

/// 64-bit totals of counters that the system counts in 32 bits.
#[derive(Debug)]
pub(super) struct TickTotals<const N: usize> {
    last: Option<[u32; N]>,
    totals: [i64; N],
}

impl<const N: usize> TickTotals<N> {
    pub(super) const fn new() -> Self {
        Self { last: None, totals: [0; N] }
    }

    /// Adds the increase of each counter since the last call, and returns the totals.
    pub(super) fn add(&mut self, now: [u32; N]) -> [i64; N] {
        let last = self.last.replace(now).unwrap_or([0; N]);
        for ((total, now), last) in self.totals.iter_mut().zip(now).zip(last) {
            *total = total.saturating_add(i64::from(now.wrapping_sub(last)));
        }
        self.totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wraps_around_is_counted_on() {
        let mut totals = TickTotals::new();
        assert_eq!(totals.add([u32::MAX - 4, 7]), [4_294_967_291, 7]);
        assert_eq!(totals.add([5, 9]), [4_294_967_301, 9]);
        assert_eq!(totals.add([5, 9]), [4_294_967_301, 9]);
    }
}
