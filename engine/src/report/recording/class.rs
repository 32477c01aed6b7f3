//! The classes of the segments of a path, and their words.

use crate::report::model::mark::Mark;

/// What the path of a frame passed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A thread of another program had the CPU that the path needed.
    OtherProgram,
    /// An interrupt, a softirq, or a thread of the kernel had the CPU, or the path waited for its work.
    Kernel,
    /// A thread of the game ran.
    Game,
    /// A thread that compiles shaders ran.
    Shaders,
    /// The path waited for a storage device.
    Storage,
    /// The path waited for memory: page faults, or reclaim.
    Memory,
    /// The path waited for the work of another program.
    Service,
    /// The path waited for the graphics device.
    Graphics,
    /// The path waited for another device.
    Device,
    /// A thread of an overlay ran inside the game.
    Overlay,
    /// The path slept until a set time.
    Timer,
    /// A thread was stopped by a signal or frozen.
    Stopped,
    /// A CPU quota was used up.
    Throttled,
    /// The kernel slowed the program down because of split locks.
    SplitLock,
    /// The path was blocked in the kernel, or was ready to run while its CPU was idle.
    Blocked,
    /// The path waited for a CPU, and this tier does not record which program had it.
    WaitedForCpu,
    /// This program had the CPU.
    Own,
    /// No CPU recorded anything.
    AllStalled,
    /// The OS timer that ends the sleep of a canary fired late, while its CPU was idle or ran another thread.
    LateTimer,
    /// The records do not show what the path passed through.
    NotExplained,
}

/// What users read and see of a class.
#[derive(Clone, Copy, Debug)]
pub struct ClassRow {
    class: Class,
    /// The key in files.
    pub key: &'static str,
    /// The name in tables, in sentence case.
    pub name: &'static str,
    /// Why, after a number of stutters, with `{}` for the name.
    pub because: &'static str,
    /// Why, where several names share the time or none is known.
    pub because_several: &'static str,
    /// What to do; empty if nothing is known to help.
    pub advice: &'static str,
    /// The shape of the mark, and the index of the series whose color it has.
    pub look: (Mark, usize),
}

const fn row(
    class: Class,
    [key, name, because, because_several, advice]: [&'static str; 5],
    look: (Mark, usize),
) -> ClassRow {
    ClassRow { class, key, name, because, because_several, advice, look }
}

/// The words and the look of each class, in the order in which lists show them.
const ROWS: [ClassRow; 20] = [
    row(
        Class::OtherProgram,
        [
            "other-program",
            "Another program had the CPU",
            "because {} had the CPU",
            "because other programs had the CPU",
            "Close or pause that program while you play.",
        ],
        (Mark::Circle, 0),
    ),
    row(
        Class::Kernel,
        [
            "kernel",
            "An interrupt or the kernel had the CPU",
            "because {} had the CPU",
            "because interrupts or the kernel had the CPU",
            "Update the driver of that device, or connect the device elsewhere.",
        ],
        (Mark::Diamond, 6),
    ),
    row(
        Class::Game,
        [
            "game",
            "The game ran longer",
            "because the game ran longer ({})",
            "because the game ran longer",
            "Lower settings that need the processor, such as view distance. Compiling shaders can look like this.",
        ],
        (Mark::Square, 1),
    ),
    row(
        Class::Shaders,
        [
            "shaders",
            "Shaders were compiled",
            "while shaders were compiled ({})",
            "while shaders were compiled",
            "Let the game finish compiling, or install its shader cache.",
        ],
        (Mark::Cross, 2),
    ),
    row(
        Class::Storage,
        [
            "storage",
            "The game waited for storage",
            "waiting for storage ({})",
            "waiting for storage",
            "Move the game to a faster drive, and stop other programs that use the drive.",
        ],
        (Mark::TriangleUp, 3),
    ),
    row(
        Class::Memory,
        [
            "memory",
            "The game waited for memory",
            "waiting for memory ({})",
            "waiting for memory",
            "Close programs that use much memory, or lower the texture quality.",
        ],
        (Mark::HollowTriangle, 3),
    ),
    row(
        Class::Service,
        [
            "service",
            "The game waited for another program",
            "waiting for {}",
            "waiting for other programs",
            "",
        ],
        (Mark::Ring, 5),
    ),
    row(
        Class::Graphics,
        [
            "graphics",
            "The game waited for the graphics device, probably",
            "probably waiting for the graphics device ({})",
            "probably waiting for the graphics device",
            "Lower settings that need the graphics device, such as resolution.",
        ],
        (Mark::HollowSquare, 1),
    ),
    row(
        Class::Device,
        [
            "device",
            "The game waited for a device",
            "waiting for a device ({})",
            "waiting for devices",
            "",
        ],
        (Mark::HollowDiamond, 6),
    ),
    row(
        Class::Overlay,
        [
            "overlay",
            "The overlay",
            "because of the overlay ({})",
            "because of the overlay",
            "Turn off the overlay, or show fewer values in it.",
        ],
        (Mark::Plus, 5),
    ),
    row(
        Class::Timer,
        [
            "timer",
            "Slept until a set time",
            "sleeping until a set time ({})",
            "sleeping until a set time",
            "",
        ],
        (Mark::HollowSquare, 7),
    ),
    row(
        Class::Stopped,
        ["stopped", "Stopped", "because {} was stopped", "because the game was stopped", ""],
        (Mark::Plus, 2),
    ),
    row(
        Class::Throttled,
        [
            "throttled",
            "Throttled by a CPU quota",
            "throttled by a CPU quota ({})",
            "throttled by a CPU quota",
            "Raise or remove the CPU limit of the container or service that the game runs in.",
        ],
        (Mark::HollowTriangle, 3),
    ),
    row(
        Class::SplitLock,
        [
            "split-lock",
            "Slowed down by the kernel (split locks)",
            "slowed down by the kernel (split locks)",
            "slowed down by the kernel (split locks)",
            "Set kernel.split_lock_mitigate to 0 while you play.",
        ],
        (Mark::Plus, 6),
    ),
    row(
        Class::Blocked,
        [
            "blocked",
            "Blocked or slowed down by the kernel",
            "blocked or slowed down by the kernel ({})",
            "blocked or slowed down by the kernel",
            "",
        ],
        (Mark::Plus, 2),
    ),
    row(
        Class::WaitedForCpu,
        [
            "waited-for-cpu",
            "Waited for a CPU",
            "waiting for a CPU ({})",
            "waiting for a CPU",
            "Close programs that use the processor. Their names need a recorder with more rights.",
        ],
        (Mark::Ring, 5),
    ),
    row(
        Class::Own,
        [
            "jitterscope",
            "Jitterscope",
            "because Jitterscope had the CPU",
            "because Jitterscope had the CPU",
            "",
        ],
        (Mark::Circle, 7),
    ),
    row(
        Class::LateTimer,
        [
            "late-timer",
            "The OS timer fired late",
            "because the OS timer fired late",
            "because the OS timer fired late",
            "",
        ],
        (Mark::Square, 5),
    ),
    row(
        Class::AllStalled,
        [
            "all-stalled",
            "All CPUs stalled",
            "because no CPU ran (host, firmware)",
            "because no CPU ran (host, firmware)",
            "Cannot be fixed by this system: look at the host, or at the firmware of this PC.",
        ],
        (Mark::TriangleDown, 4),
    ),
    row(
        Class::NotExplained,
        ["not-explained", "Not explained", "not explained", "not explained", ""],
        (Mark::HollowDiamond, 7),
    ),
];

/// The row of what is not explained.
const LAST: &ClassRow = &ROWS[ROWS.len() - 1];

impl Class {
    /// Returns every class.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.class)
    }

    /// Returns the words and the look of the class.
    pub fn row(self) -> &'static ClassRow {
        ROWS.iter().find(|row| row.class == self).unwrap_or(LAST)
    }

    /// Returns why, after a number of stutters: "because baloo_file had the CPU".
    pub fn because(self, name: Option<&str>) -> String {
        let row = self.row();
        match name {
            Some(name) => row.because.replacen("{}", name, 1),
            None => row.because_several.to_owned(),
        }
    }

    /// Whether the cause is outside of the game.
    pub const fn is_outside(self) -> bool {
        !matches!(self, Self::Game | Self::Shaders | Self::Timer | Self::NotExplained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_one_row_and_words_of_its_own() {
        for (position, row) in ROWS.iter().enumerate() {
            assert_eq!(row.class.row().key, row.key, "{row:?}");
            let mut others = ROWS.iter().skip(position + 1);
            assert!(!others.any(|it| it.class == row.class || it.key == row.key), "{row:?}");
        }
        assert_eq!((LAST.class, ROWS.len()), (Class::NotExplained, 20));
        let because = Class::OtherProgram.because(Some("a {} b"));
        assert_eq!(because, "because a {} b had the CPU");
        assert_eq!(Class::Storage.because(None), "waiting for storage");
    }
}
