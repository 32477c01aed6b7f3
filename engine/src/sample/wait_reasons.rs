//! Why Windows switched away from a thread: one bit for each reason, by its number in the kernel's list.

/// The reasons of a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitReasons(u64);

/// The reasons that a reader can act on, by their numbers (KWAIT_REASON).
const NAMED: [(&str, &[u32]); 7] = [
    ("preempted", &[30, 31, 32, 38]),
    ("CPU limit of a job", &[24]),
    ("suspended", &[5, 12]),
    ("wait for memory", &[1, 2, 8, 9, 18, 19, 23, 39]),
    ("sleep", &[4, 11]),
    ("wait for an object", &[6, 13, 15, 37]),
    ("yield", &[33]),
];

impl WaitReasons {
    /// The reasons of the system's bits.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The system's bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The reasons of two stretches of time.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the thread was taken off its CPU at least once.
    pub fn has_preemption(self) -> bool {
        NAMED.first().is_some_and(|(_, numbers)| self.has(numbers))
    }

    /// The reasons in words, those that delay a frame first: "preempted, sleep".
    pub fn text(self) -> String {
        let named = NAMED.iter().filter(|(_, numbers)| self.has(numbers)).map(|(name, _)| *name);
        let of_names = NAMED.iter().flat_map(|(_, numbers)| *numbers);
        let is_other = self.0 & !of_names.fold(0, |bits, number| bits | 1 << number) != 0;
        named.chain(is_other.then_some("other")).collect::<Vec<_>>().join(", ")
    }

    fn has(self, numbers: &[u32]) -> bool {
        numbers.iter().any(|number| self.0 & 1 << number != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_named_and_those_without_a_name_are_others() {
        let of = |numbers: &[u32]| {
            WaitReasons::from_bits(numbers.iter().fold(0, |bits, number| bits | 1 << number))
        };
        assert_eq!(of(&[4]).text(), "sleep");
        assert_eq!(of(&[32, 11]).text(), "preempted, sleep");
        assert_eq!(of(&[24, 27]).text(), "CPU limit of a job, other");
        assert_eq!(of(&[63]).text(), "other");
        assert_eq!(of(&[]).text(), "");
        assert!(of(&[30]).has_preemption() && !of(&[33, 24]).has_preemption());
        assert_eq!(of(&[4]).and(of(&[32])), of(&[4, 32]));
    }
}
