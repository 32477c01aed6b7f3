//! Texts about saved runs: requested and applied settings, and whether they can be compared.

use jiff::Timestamp;

/// Placeholder while a run is loading.
pub const WAITING: &str = "…";
/// Placeholder while a test runs, because loading a run would disturb the test.
pub const AFTER_THE_TEST: &str = "Shown when the test is finished";
/// Shown for a run whose file has no requested settings.
pub const NOTHING_ASKED: &str = "The file does not record requested and applied settings";
/// Names the plotted configurations if the selected runs have no configuration in common.
pub const BEST_OF_EACH: &str = "the recommended one of each run";
/// Shown if the file of one of several selected runs cannot be read.
pub const ONE_IS_CLOSED: &str = "A file among them cannot be read.";
/// Names of settings whose differences need no note.
const NO_MATTER: [&str; 3] = ["Order seed", "Thread priority", "Thread pinning"];
/// The name of the setting that determines whether absolute times are comparable.
const TARGET: &str = "Target frame rate";
/// Maximum number of settings named in a note.
const MAX_NAMED: usize = 3;

/// Returns the title of a small plot: "Lateness, Normal".
pub fn plot_title(value_name: &str, label: &str) -> String {
    format!("{}, {label}", super::capitalized(value_name))
}

/// Returns the text of requested and applied settings.
pub fn applied(requested: &str, granted: &str) -> String {
    format!("Requested {requested} · applied {granted}")
}

/// Returns the text about several configurations; `refused` of them did not run as requested.
pub fn applied_all(configurations: usize, refused: usize) -> String {
    match (configurations, refused) {
        (1, 0) => "1 configuration ran as requested".to_owned(),
        (1, _) => "1 configuration did not run as requested".to_owned(),
        (_, 0) => format!("All {configurations} configurations ran as requested"),
        _ => format!("{refused} of {configurations} configurations did not run as requested"),
    }
}

/// Formats settings as one line.
pub fn settings(settings: &[(&str, String)]) -> String {
    let parts: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    parts.join(" · ")
}

/// Returns when a deleted run is removed permanently.
pub fn removed_in(until: Option<Timestamp>, now: Timestamp) -> String {
    let Some(until) = until else { return "Removed after 7 days".to_owned() };
    match until.duration_since(now).as_secs().div_euclid(86_400) {
        ..1 => "Removed within a day".to_owned(),
        1 => "Removed in 1 day".to_owned(),
        days => format!("Removed in {days} days"),
    }
}

/// Returns the question before deleted runs are removed permanently.
pub fn remove_question(count: usize) -> String {
    match count {
        1 => "Delete 1 run for good?".to_owned(),
        count => format!("Delete {count} runs for good?"),
    }
}

/// The data that a checksum covers.
#[derive(Clone, Copy, Debug)]
pub enum Sum {
    /// The measured data, which is the same in every file of a run.
    Measurement,
    /// The file, which also includes the name, tags, and note.
    File,
}

impl Sum {
    const fn name(self) -> &'static str {
        match self {
            Self::Measurement => "measurement",
            Self::File => "file",
        }
    }

    /// Returns the shortened checksum: its beginning and end.
    pub fn short(self, digits: &str) -> String {
        let head = digits.get(..4).unwrap_or(digits);
        let tail = digits.len().checked_sub(4).and_then(|at| digits.get(at..)).unwrap_or_default();
        format!("SHA-256 of the {}: {head}…{tail}", self.name())
    }

    /// Returns the complete checksum with its purpose.
    pub fn text(self, digits: &str) -> String {
        let what = match self {
            Self::Measurement => "Tags, notes, and excluded names do not change it.",
            Self::File => "It changes with every tag and note.",
        };
        format!("SHA-256 of the {}: {digits}. {what} Click to copy.", self.name())
    }

    /// Returns the message after the checksum was copied.
    pub const fn copied(self) -> &'static str {
        match self {
            Self::Measurement => "Copied the SHA-256 of the measurement.",
            Self::File => "Copied the SHA-256 of the file.",
        }
    }
}

/// One run of a possible comparison, from its preview.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The key of the test.
    pub test: &'a str,
    /// Processor and system: "AMD Ryzen 9 5950X · Linux 6.8".
    pub machine: &'a str,
    /// The names and values of the settings; `None` until they are loaded.
    pub settings: Option<&'a [(&'static str, String)]>,
}

/// Returns whether a comparison of these runs is doubtful or impossible, and one or two sentences
/// about it. At most `most` runs can be compared at once.
pub fn comparability(sides: &[Side<'_>], most: usize) -> (bool, String) {
    let are_one = |of: &dyn Fn(&Side<'_>) -> String| {
        sides.windows(2).all(|pair| matches!(pair, [a, b] if of(a) == of(b)))
    };
    if !are_one(&|side| side.test.to_owned()) {
        let words = "These runs measure different things and cannot be compared.";
        return (true, words.to_owned());
    }
    if most < sides.len() {
        return (false, format!("Up to {most} runs can be compared at once."));
    }
    // From the end: the system, the processor, and the name of another PC.
    let part = |side: &Side<'_>, at: usize| {
        side.machine.rsplit(" · ").nth(at).unwrap_or_default().to_owned()
    };
    let machines = match (are_one(&|side| part(side, 1)), are_one(&|side| part(side, 0))) {
        (true, true) if !are_one(&|side| part(side, 2)) => {
            "Different PCs, same processor and system."
        }
        (true, true) => "Same processor and system.",
        (true, false) => "Same processor, different systems.",
        (false, true) => "Different processors, same system.",
        (false, false) => "Different processors and systems.",
    };
    let Some(settings) = sides.iter().map(|side| side.settings).collect::<Option<Vec<_>>>() else {
        return (false, format!("{machines} Same test."));
    };
    let differing = differing(&settings);
    let (is_fair, rest) = if differing.contains(&TARGET) {
        let words = "Same test, different targets: compare shares of a frame, not microseconds.";
        (true, words.to_owned())
    } else if differing.is_empty() {
        let is_paced = settings.iter().flat_map(|one| one.iter()).any(|(name, _)| *name == TARGET);
        let what = if is_paced { "Same test, target and load" } else { "Same test and settings" };
        (false, format!("{what}: comparable."))
    } else {
        (false, format!("Same test, but {}: compare with care.", named(&differing)))
    };
    (is_fair, format!("{machines} {rest}"))
}

/// Returns the names of settings that differ between the runs.
fn differing(all: &[&[(&'static str, String)]]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for (name, _) in all.iter().flat_map(|one| one.iter()) {
        let of = |one: &&[(&'static str, String)]| {
            one.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
        };
        let first = all.first().and_then(of);
        if !names.contains(name)
            && !NO_MATTER.contains(name)
            && !all.iter().all(|one| of(one) == first)
        {
            names.push(*name);
        }
    }
    names
}

fn named(names: &[&str]) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_NAMED).copied().collect();
    match names.len().saturating_sub(MAX_NAMED) {
        0 => format!("different settings ({})", shown.join(", ")),
        more => format!("different settings ({} and {more} more)", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_deleted_run_is_stated_in_days() {
        let now: Timestamp = "2026-11-21T05:00:00Z".parse().unwrap();
        let after =
            |hours: i64| removed_in(Some(now + jiff::SignedDuration::from_hours(hours)), now);
        assert_eq!(after(7 * 24), "Removed in 7 days");
        assert_eq!(after(47), "Removed in 1 day");
        assert_eq!([after(23), after(-3)], ["Removed within a day"; 2]);
        assert_eq!(removed_in(None, now), "Removed after 7 days");
    }

    #[test]
    fn what_differs_is_named() {
        let of = |fps: &str, work: &str, order: &str| {
            [(TARGET, fps), ("Work per frame", work), ("Order seed", order)]
                .map(|(name, value)| (name, value.to_owned()))
                .to_vec()
        };
        let (default, other_order) = (of("60 FPS", "2 ms", "1"), of("60 FPS", "2 ms", "9"));
        let (fast, heavy) = (of("144 FPS", "2 ms", "1"), of("60 FPS", "4 ms", "1"));
        let (linux, windows) = ("Ryzen 9 5950X · Linux 6.8", "Ryzen 9 5950X · Windows 11");
        let twin = "lab1 · Ryzen 9 5950X · Linux 6.8";
        let side = |test, machine, settings| Side { test, machine, settings };
        let check = |a: Side<'_>, b: Side<'_>| comparability(&[a, b], 4);
        let first = side("frame-loop", linux, Some(default.as_slice()));
        assert_eq!(
            check(first, side("frame-loop", windows, Some(other_order.as_slice()))),
            (
                false,
                "Same processor, different systems. Same test, target and load: comparable."
                    .to_owned()
            )
        );
        for (b, is_fair, words) in [
            (side("sleep", linux, None), true, "different things"),
            (side("frame-loop", linux, Some(fast.as_slice())), true, "different targets"),
            (side("frame-loop", linux, Some(heavy.as_slice())), false, "(Work per frame)"),
            (side("frame-loop", "M3 Max · macOS 15", None), false, "Different processors and"),
            (side("frame-loop", linux, None), false, "Same processor and system. Same test."),
            (side("frame-loop", twin, None), false, "Different PCs, same processor and system."),
        ] {
            let (fair, said) = check(first, b);
            assert!(fair == is_fair && said.contains(words), "{said}");
        }
        assert!(comparability(&[first; 5], 4).1.starts_with("Up to 4"));
    }

    #[test]
    fn sums_and_titles_are_short() {
        assert_eq!(Sum::File.short("6f1c00000000a94e"), "SHA-256 of the file: 6f1c…a94e");
        assert_eq!(Sum::Measurement.short("6f"), "SHA-256 of the measurement: 6f…");
        assert_eq!(plot_title("lateness", "Normal, no pin"), "Lateness, Normal, no pin");
        assert_eq!(applied_all(1, 0), "1 configuration ran as requested");
        assert_eq!(applied_all(12, 2), "2 of 12 configurations did not run as requested");
    }
}
