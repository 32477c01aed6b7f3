//! The reasons why Windows took a thread off its CPU: bit n is set for number n of the kernel's `KWAIT_REASON`.

/// The reasons of all switches away from a thread in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitReasons(u64);

/// The names of the reasons that a user can act on, each with the `KWAIT_REASON` numbers that it covers.
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
    /// Creates the reasons from the bits that Windows reports.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the bits as Windows reports them.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns the reasons of `self` and those of `other` together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the thread was preempted at least once.
    pub fn has_preemption(self) -> bool {
        NAMED.first().is_some_and(|(_, numbers)| self.has(numbers))
    }

    /// Returns the reasons as text, such as "preempted, sleep". Reasons that delay a frame come first.
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
