//! Deterministic random numbers: a seed determines a game, on every system.

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, and random enough for the movement of players.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Returns the generator of the sequence that a seed determines.
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number from 0 to below `end`, which must not be 0; the bias is at most `end` in 2^32.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        let high = self.next() >> 32;
        u32::try_from((high * u64::from(end)) >> 32).unwrap_or(0)
    }
}

/// Mixes a number: a change of one bit affects all bits of the result.
pub(super) fn mix(number: u64) -> u64 {
    let once = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the first numbers for the seed 1234567 with those of the published generator.
    #[test]
    fn the_stream_is_splitmix64() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
