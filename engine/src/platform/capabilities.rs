//! Capabilities of a program file: `setcap` replaces all of them, so a command that adds one names the others too.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A capability of Linux, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability(u32);

impl Capability {
    /// `CAP_SYS_NICE`: permits changing the scheduling of threads.
    pub const SYS_NICE: Self = Self(23);
    /// `CAP_PERFMON`: permits recording other programs.
    pub const PERFMON: Self = Self(38);

    /// Capabilities that are written by name; for the others, `setcap` accepts the number.
    const NAMES: [(u32, &str); 4] = [
        (14, "cap_ipc_lock"),
        (Self::SYS_NICE.0, "cap_sys_nice"),
        (24, "cap_sys_resource"),
        (Self::PERFMON.0, "cap_perfmon"),
    ];

    /// Returns the number of the capability in the kernel.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The capabilities that a program file grants to every process that runs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct FileCapabilities {
    /// The permitted capabilities, one bit each.
    permitted: u64,
    /// The effective flag: whether the capabilities are active when the program starts.
    is_effective: bool,
}

impl FileCapabilities {
    /// Parses the extended attribute `security.capability` of a file. The attribute consists of
    /// little-endian words of 32 bits: the version with the effective flag, then twice a word of
    /// permitted and a word of inheritable capabilities.
    pub fn of_attribute(attribute: &[u8]) -> Self {
        let word = |at: usize| {
            let bytes = attribute.get(4 * at..4 * at + 4)?;
            bytes.try_into().ok().map(u32::from_le_bytes)
        };
        let [low, high] = [1, 3].map(|at| u64::from(word(at).unwrap_or(0)));
        Self {
            permitted: high << 32 | low,
            is_effective: word(0).is_some_and(|word| word & 1 == 1),
        }
    }

    /// Returns this set with one more capability and with the effective flag.
    pub const fn with(self, one: Capability) -> Self {
        Self { permitted: self.permitted | 1 << one.0, is_effective: true }
    }

    /// Returns this set without one capability.
    pub const fn without(self, one: Capability) -> Self {
        Self { permitted: self.permitted & !(1 << one.0), ..self }
    }

    /// Returns the command that gives a program file exactly these capabilities.
    pub fn command(self, program: &str) -> String {
        let program = program.replace('\'', "'\\''");
        match self.permitted {
            0 => format!("sudo setcap -r '{program}'"),
            _ => format!("sudo setcap {self} '{program}'"),
        }
    }
}

impl fmt::Display for FileCapabilities {
    /// Writes the capabilities in the syntax of `setcap`: `cap_sys_nice,cap_perfmon=ep`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = (0..u64::BITS).filter(|number| self.permitted >> number & 1 == 1);
        for (place, number) in held.enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            match Capability::NAMES.iter().find(|(one, _)| *one == number) {
                Some((_, name)) => f.write_str(name)?,
                None => write!(f, "{number}")?,
            }
        }
        f.write_str(if self.is_effective { "=ep" } else { "=p" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attribute that `setcap cap_perfmon,23,cap_ipc_lock=ep` wrote.
    const ATTRIBUTE: [u8; 20] =
        [1, 0, 0, 2, 0, 0x40, 0x80, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0];

    #[test]
    fn an_attribute_is_read_and_written_as_setcap_takes_it() {
        let found = FileCapabilities::of_attribute(&ATTRIBUTE);
        assert_eq!(found.to_string(), "cap_ipc_lock,cap_sys_nice,cap_perfmon=ep");
        assert_eq!(FileCapabilities::of_attribute(&ATTRIBUTE[..3]), FileCapabilities::default());
        let passive = FileCapabilities::of_attribute(&[0, 0, 0, 2, 0b100, 0, 0, 0]);
        assert_eq!(passive.to_string(), "2=p");
    }

    #[test]
    fn a_command_retains_the_other_capabilities() {
        let nice = FileCapabilities::default().with(Capability::SYS_NICE);
        assert_eq!(nice.command("x"), "sudo setcap cap_sys_nice=ep 'x'");
        let both = nice.with(Capability::PERFMON);
        assert_eq!(both.command("x"), "sudo setcap cap_sys_nice,cap_perfmon=ep 'x'");
        assert_eq!(both.without(Capability::PERFMON), nice);
        let none = nice.without(Capability::SYS_NICE);
        assert_eq!(none.command("/opt/it's"), "sudo setcap -r '/opt/it'\\''s'");
    }
}
