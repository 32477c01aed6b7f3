//! What a recording would show on this PC, what is missing, and the command or setting that gives it.

use serde::Serialize;

use super::finding::{Step, step};
use super::mangohud::{LogConfiguration, read_log_configurations};
use crate::platform::{self, TraceSource, TraceState, program_in_path};

/// The error number of a missing file (`ENOENT`): tracefs is not mounted.
const NOT_FOUND: i32 = 2;
/// Up to this value of `kernel.perf_event_paranoid`, programs may record their own threads.
const MAX_PARANOID: i32 = 2;

/// How much of a part of a recording this PC gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TierState {
    /// All of it.
    Works,
    /// Some of it, or only after the user did something.
    Partly,
    /// Nothing.
    Missing,
}

impl TierState {
    /// Returns the state in a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Works => "Works",
            Self::Partly => "Partly",
            Self::Missing => "Missing",
        }
    }
}

/// A part of what a recording can show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordingTier {
    /// The key in JSON.
    pub key: &'static str,
    /// The name.
    pub name: &'static str,
    /// How much of it this PC gives.
    pub state: TierState,
    /// What works and what is missing, in sentences.
    pub about: String,
    /// What to do about what is missing.
    pub steps: Vec<Step>,
}

impl RecordingTier {
    /// The key of the part that needs the log of a game.
    pub const FRAMES: &'static str = "frames";
}

/// The key of the part without which no recording names who made a game stutter.
const NAMES: &str = "names";

/// Returns whether a recording would name who made a game stutter, or this PC stall.
pub fn names_culprits(tiers: &[RecordingTier]) -> bool {
    tiers.iter().any(|tier| tier.key == NAMES && tier.state != TierState::Missing)
}

/// What a recording needs of this PC, as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordingNeeds {
    /// The records of all threads, as a recorder that was opened has them.
    pub all_threads: TraceState,
    /// The records of the threads of one program.
    pub own_threads: TraceState,
    /// Whether this is Linux, where alone a recorder reads the kernel's records.
    pub is_linux: bool,
    /// Whether the records were opened with the rights of root.
    pub is_root: bool,
    /// Whether MangoHud is installed.
    pub has_mangohud: bool,
    /// The configuration files of MangoHud.
    pub log_configurations: Vec<LogConfiguration>,
}

impl RecordingNeeds {
    /// Reads what is there. `all_threads` is the state of a recorder's records, which were opened as for a recording, with
    /// the rights of root or without.
    pub fn read(all_threads: &TraceState, is_root: bool) -> Self {
        Self {
            all_threads: all_threads.clone(),
            own_threads: platform::trace_state(),
            is_linux: platform::IS_LINUX,
            is_root,
            has_mangohud: program_in_path("mangohud").is_some(),
            log_configurations: read_log_configurations(),
        }
    }

    /// Returns what a recording would show. `command` starts it, in a terminal.
    pub fn tiers(&self, command: &str) -> Vec<RecordingTier> {
        let tier =
            |key, name, (state, about, steps)| RecordingTier { key, name, state, about, steps };
        let stalls = "Sleeping threads record how late they wake, with any rights.".to_owned();
        vec![
            tier(NAMES, "Who had the CPU, and what woke a thread", self.names(command)),
            tier("waits", "When the game waited for a CPU", self.waits()),
            tier(RecordingTier::FRAMES, "Frames of the game", self.frames()),
            tier("stalls", "Stalls of this PC", (TierState::Works, stalls, Vec::new())),
        ]
    }

    fn names(&self, command: &str) -> (TierState, String, Vec<Step>) {
        let state = &self.all_threads;
        let missing = |about: &str, steps| (TierState::Missing, about.to_owned(), steps);
        match (state.source, state.denied_errno) {
            (Some(TraceSource::Kernel), _) if state.missing.is_empty() => {
                (TierState::Works, state.sentence(), Vec::new())
            }
            (Some(TraceSource::Kernel), _) => (TierState::Partly, state.sentence(), Vec::new()),
            _ if !self.is_linux => {
                missing("A recorder reads the kernel's records on Linux only.", Vec::new())
            }
            _ if state.is_nested => missing(
                "In this container, the kernel's records do not state which thread is which.",
                vec![step("Record outside of the container.", "")],
            ),
            (_, Some(NOT_FOUND)) => missing(
                "The kernel's records are not there: tracefs is not mounted.",
                vec![step(
                    "Mount it until reboot, then check again with administrator rights.",
                    "sudo mount -t tracefs tracefs /sys/kernel/tracing",
                )],
            ),
            _ if self.is_root => missing(
                "The system denies the kernel's records even to root.",
                vec![step("Record outside of a container, without lockdown of the kernel.", "")],
            ),
            _ => missing(
                "The kernel's records of all programs need administrator rights.",
                vec![step(
                    "Record with administrator rights, in a terminal. The recorder then takes your own rights.",
                    &format!("sudo {command}"),
                )],
            ),
        }
    }

    fn waits(&self) -> (TierState, String, Vec<Step>) {
        let own = &self.own_threads;
        if self.all_threads.source.is_some() || own.source.is_some() && self.is_linux {
            let about = "Switches of the game's own threads are recorded, if the game is yours.";
            return (TierState::Works, about.to_owned(), Vec::new());
        }
        let steps = match own.paranoid {
            Some(level) if MAX_PARANOID < level => vec![step(
                "Permit programs to record their own threads, until reboot.",
                &format!("sudo sysctl kernel.perf_event_paranoid={MAX_PARANOID}"),
            )],
            Some(_) => {
                vec![step("Record outside of a container, or permit perf_event_open in it.", "")]
            }
            None => Vec::new(),
        };
        let about = if self.is_linux { own.sentence() } else { self.names("").1 };
        (TierState::Missing, about, steps)
    }

    fn frames(&self) -> (TierState, String, Vec<Step>) {
        const OTHERS: &str = "Any log with a row per frame is followed while a program writes it, as a file or through \
            standard input.";
        if !self.is_linux {
            return (TierState::Partly, OTHERS.to_owned(), Vec::new());
        }
        let mut steps = Vec::new();
        if !self.has_mangohud && self.log_configurations.is_empty() {
            steps.push(step("Install MangoHud 0.6.9 or newer, and start the game with it.", ""));
        }
        let absent = [LogConfiguration::absent()];
        let files = if self.log_configurations.is_empty() {
            &absent
        } else {
            self.log_configurations.as_slice()
        };
        let mut sentences = Vec::new();
        for file in files {
            let names: Vec<&str> = file.unsuitable().collect();
            if names.is_empty() {
                continue;
            }
            sentences.push(match file.sampled_interval() {
                Some(interval) => format!(
                    "{}: a row per {interval} ms, so that stutters between them are not seen.",
                    file.file
                ),
                None => format!("{}: {} not set for a recording.", file.file, names.join(", ")),
            });
            steps.push(step(
                "Let MangoHud write a row per frame from the start of the game.",
                &file.command(),
            ));
        }
        let state = if sentences.is_empty() {
            sentences
                .push("MangoHud writes a row per frame from the start of the game.".to_owned());
            TierState::Works
        } else if !self.has_mangohud && self.log_configurations.is_empty() {
            sentences = vec![format!("MangoHud was not found. {OTHERS}")];
            TierState::Missing
        } else if files.iter().all(|file| file.sampled_interval().is_some()) {
            TierState::Missing
        } else {
            TierState::Partly
        };
        (state, sentences.join(" "), steps)
    }
}

/// Returns the parts as lines for a terminal.
pub fn describe_tiers(tiers: &[RecordingTier]) -> String {
    let mut text = String::new();
    for tier in tiers {
        text.push_str(&format!("{:<8} {}: {}\n", tier.state.word(), tier.name, tier.about));
        for Step { what, command } in &tier.steps {
            text.push_str(&format!("         {what}\n"));
            if !command.is_empty() {
                text.push_str(&format!("           {command}\n"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Missing;

    const COMMAND: &str = "jitterscope-cli record";

    fn needs(source: Option<TraceSource>, errno: Option<i32>) -> RecordingNeeds {
        let paranoid = Some(4);
        let all_threads =
            TraceState { source, denied_errno: errno, paranoid, ..TraceState::default() };
        let own_threads = TraceState { paranoid, ..TraceState::default() };
        RecordingNeeds { all_threads, own_threads, is_linux: true, ..RecordingNeeds::default() }
    }

    /// Checks the state of a part, and its first command.
    #[track_caller]
    fn check(needs: &RecordingNeeds, key: &str, state: TierState, command: &str) {
        let tiers = needs.tiers(COMMAND);
        let tier = tiers.iter().find(|tier| tier.key == key).unwrap();
        assert_eq!(tier.state, state, "{tier:?}");
        let first = tier.steps.iter().find(|step| !step.command.is_empty());
        assert_eq!(first.map_or("", |step| step.command.as_str()), command, "{tier:?}");
        assert_eq!(names_culprits(&tiers), needs.all_threads.source.is_some());
    }

    #[test]
    fn each_denial_has_the_command_that_ends_it() {
        let denied = needs(None, Some(13));
        check(&denied, NAMES, TierState::Missing, "sudo jitterscope-cli record");
        check(&denied, "waits", TierState::Missing, "sudo sysctl kernel.perf_event_paranoid=2");
        let unmounted = needs(None, Some(NOT_FOUND));
        let mount = "sudo mount -t tracefs tracefs /sys/kernel/tracing";
        check(&unmounted, NAMES, TierState::Missing, mount);
        let root = RecordingNeeds { is_root: true, ..denied.clone() };
        check(&root, NAMES, TierState::Missing, "");
        let mut nested = denied.clone();
        nested.all_threads.is_nested = true;
        check(&nested, NAMES, TierState::Missing, "");
        let elsewhere = RecordingNeeds::default();
        check(&elsewhere, NAMES, TierState::Missing, "");
        check(&elsewhere, "waits", TierState::Missing, "");
        let mut own = denied;
        own.own_threads.source = Some(TraceSource::OwnSwitches);
        check(&own, "waits", TierState::Works, "");
    }

    #[test]
    fn records_of_all_threads_name_culprits_and_missing_events_are_stated() {
        let mut all = needs(Some(TraceSource::Kernel), None);
        check(&all, NAMES, TierState::Works, "");
        check(&all, "waits", TierState::Works, "");
        all.all_threads.missing =
            vec![Missing { event: "irq/softirq".to_owned(), errno: Some(1), cpus: vec![0] }];
        check(&all, NAMES, TierState::Partly, "");
    }

    #[test]
    fn a_log_without_a_row_per_frame_is_stated_with_the_setting() {
        let add = LogConfiguration::absent().command();
        let mut all = needs(None, None);
        check(&all, "frames", TierState::Missing, &add);
        all.has_mangohud = true;
        check(&all, "frames", TierState::Partly, &add);
        let file = |text| LogConfiguration::parse("~/a.conf", text);
        all.log_configurations = vec![file("log_interval=100\noutput_folder=/a\nautostart_log=1")];
        let add = "printf '%s\\n' '' log_interval=0 >> ~/a.conf";
        check(&all, "frames", TierState::Missing, add);
        let text = describe_tiers(&all.tiers(COMMAND));
        assert!(text.contains("a row per 100 ms") && text.contains(add), "{text}");
        all.log_configurations.push(file("log_interval=0\noutput_folder=/a\nautostart_log=1"));
        check(&all, "frames", TierState::Partly, add);
        all.log_configurations.remove(0);
        check(&all, "frames", TierState::Works, "");
    }
}
