//! The options of Holoscan's `realtime_threads_benchmarking`, under its names and with plain numbers, for the preset
//! that follows its method. Elsewhere, a time needs a unit.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};
use jitterscope_engine::export;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::conditions::MAX_REALTIME_PRIORITY;
use jitterscope_engine::plan::real_time::UNFILLED;
use jitterscope_engine::plan::{Plan, Priority, RealTime};
use jitterscope_engine::report::{Report, reference_plots};
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, AtPath, SaveError};

use super::output::{PrintError, print_message};
use super::{option, path_option, text};

/// The preset that follows the method of the tool.
const PRESET: &str = "holoscan";
const TARGET_FPS: &str = "target-fps";
const POLICY: &str = "scheduling-policy";
const LOAD_DURATION: &str = "load-duration-ms";
pub(super) const PLOT_DIR: &str = "plot-dir";
/// The setting that the tool has under the same name, in seconds.
pub(super) const DURATION: &str = "duration";
/// Frame rates that the tool accepts.
const RATES: [&str; 2] = ["30", "60"];
/// Names of policies in the tool.
const POLICIES: [&str; 3] = ["SCHED_DEADLINE", "SCHED_FIFO", "SCHED_RR"];
/// The priority at which the tool runs `SCHED_FIFO` and `SCHED_RR`.
const PRIORITY_OF_TOOL: u8 = 99;
/// The longest call of a load operator, in milliseconds.
const MAX_CALL: f64 = 1_000.0;

/// Returns the options.
pub(super) fn args() -> [Arg; 4] {
    [
        option(TARGET_FPS, "30|60", "Frames per second").value_parser(RATES),
        option(POLICY, "POLICY", "Policy to compare with normal scheduling").value_parser(POLICIES),
        option(LOAD_DURATION, "N", "Length of each call of a load operator, in milliseconds"),
        path_option(PLOT_DIR, "FOLDER", "Write the plots of the tool to this folder, as SVG"),
    ]
    .map(|arg| arg.help_heading("With --preset holoscan, as in Holoscan"))
}

/// Whether the options select the preset that follows the method of the tool.
pub(super) fn is_selected(matches: &ArgMatches) -> bool {
    text(matches, "preset").as_deref() == Some(PRESET)
}

/// Applies the options to the settings. Returns what to print, and why options are invalid.
pub(super) fn apply(plan: &mut Plan, matches: &ArgMatches) -> (Vec<String>, Vec<String>) {
    let (mut notes, mut errors) = (Vec::new(), Vec::new());
    let is_given = |name: &&str| matches.try_contains_id(name).is_ok_and(|is_given| is_given);
    let given: Vec<&str> =
        [TARGET_FPS, POLICY, LOAD_DURATION, PLOT_DIR].into_iter().filter(is_given).collect();
    let Plan::RealTime(settings) = plan else { return (notes, errors) };
    if !is_selected(matches) {
        errors.extend(given.iter().map(|name| format!("--{name} needs --preset {PRESET}")));
        return (notes, errors);
    }
    if let Some(rate) = text(matches, TARGET_FPS).and_then(|rate| rate.parse().ok()) {
        settings.fps = rate;
    }
    // As in the tool, runtime and deadline are shares of the frame time, unless they are given.
    let shares = settings.clone().with_shares_of_period();
    if !is_given(&"runtime") {
        settings.runtime = shares.runtime;
    }
    if !is_given(&"deadline") {
        settings.deadline = shares.deadline;
    }
    if let Some(policy) = text(matches, POLICY) {
        settings.policies = vec![policy_of(&policy)];
        if policy != POLICIES[0] {
            notes.push(format!(
                "Holoscan runs {policy} at priority {PRIORITY_OF_TOOL}; here it runs at \
                 {MAX_REALTIME_PRIORITY}, because threads of the kernel, from priority 50 on, have to \
                 run before a test"
            ));
        }
    }
    if let Some(call) = text(matches, LOAD_DURATION) {
        match call.parse::<f64>().ok().filter(|call| (0.01..=MAX_CALL).contains(call)) {
            Some(millis) => settings.load.call = Nanos::from_nanos_f64(millis * 1e6),
            None => errors.push(format!(
                "--{LOAD_DURATION}: invalid value '{call}': expected 0.01 to {MAX_CALL} milliseconds"
            )),
        }
    }
    join_blocks(settings, matches);
    (notes, errors)
}

fn policy_of(name: &str) -> Priority {
    match name {
        "SCHED_FIFO" => Priority::Fifo(MAX_REALTIME_PRIORITY),
        "SCHED_RR" => Priority::RoundRobin(MAX_REALTIME_PRIORITY),
        _ => Priority::Deadline(UNFILLED),
    }
}

/// Measures each mode in a single block, however long it is, unless blocks have a given length.
fn join_blocks(settings: &mut RealTime, matches: &ArgMatches) {
    if !matches.try_contains_id("block").is_ok_and(|is_given| is_given) {
        settings.turn = settings.time_each;
    }
}

/// Creates the folder of `--plot-dir`, if it is given, before the run.
pub(super) fn create_folder(matches: &ArgMatches) -> Result<(), PrintError> {
    match matches.try_get_one::<PathBuf>(PLOT_DIR).ok().flatten() {
        Some(folder) => create(folder),
        None => Ok(()),
    }
}

/// Creates a folder for files of results.
pub(super) fn create(folder: &Path) -> Result<(), PrintError> {
    let folder_error = |source| SaveError::Output(AtPath::new(source, folder));
    Ok(fs::create_dir_all(folder).map_err(folder_error)?)
}

/// Writes the plots to the folder of `--plot-dir`, if it is given. Returns the lines that the tool prints about them.
pub(super) fn write_plots(
    run: &Run,
    report: &Report,
    matches: &ArgMatches,
) -> Result<Vec<String>, PrintError> {
    let folder = matches.try_get_one::<PathBuf>(PLOT_DIR).ok().flatten();
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let Some(files) = reference_plots(run, report) else {
        print_message(
            "no plots are written: the tool draws two modes with frames, and this run lacks one",
        );
        return Ok(Vec::new());
    };
    let mut lines =
        vec![format!("Timing plots saved to: {}", folder.display()), "Generated plots:".to_owned()];
    for file in &files {
        let name = format!("{}.svg", file.name);
        let image = export::stacked_plots(&file.plots);
        store::write_output(&folder.join(&name), |to| to.write_all(image.as_bytes()))?;
        lines.push(format!("  - {name} ({})", file.about));
    }
    lines.push(String::new());
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::super::form::Fill;
    use super::super::test_command;
    use super::*;

    /// Applies options to the preset; returns the settings, the notes, and the errors.
    fn settings(options: &[&str]) -> Option<(RealTime, Vec<String>, Vec<String>)> {
        let plan = Plan::RealTime(RealTime::default());
        let matches = test_command(plan.clone()).no_binary_name(true);
        let matches = matches.try_get_matches_from(options).unwrap();
        let mut plan = match text(&matches, "preset") {
            Some(key) => plan.presets().into_iter().find(|preset| preset.key == key)?.plan,
            None => plan,
        };
        let mut fill = Fill::new(&matches);
        if is_selected(&matches) {
            fill.accept_plain_seconds(DURATION);
        }
        plan.probe_mut().settings(&mut fill);
        let (notes, errors) = apply(&mut plan, &matches);
        let Plan::RealTime(settings) = plan else { panic!("not a real-time test") };
        Some((settings, notes, [fill.errors, errors].concat()))
    }

    #[test]
    fn runtime_and_deadline_are_shares_of_the_frame_time_unless_they_are_given() {
        let times = |options: &[&str]| {
            let options = [&["--preset", "holoscan"], options].concat();
            let (found, ..) = settings(&options)?;
            Some([found.runtime, found.deadline].map(|time| time.get() / 1_000))
        };
        let Some(of_60) = times(&[]) else {
            return println!("skipped: the preset exists only on Linux");
        };
        assert_eq!(of_60, [1_666, 15_833]);
        assert_eq!(times(&["--fps", "30"]).unwrap(), [3_333, 31_666]);
        assert_eq!(times(&["--target-fps", "30"]).unwrap(), [3_333, 31_666]);
        let own = ["--target-fps", "30", "--runtime", "2ms"];
        assert_eq!(times(&own).unwrap(), [2_000, 31_666]);
    }

    #[test]
    fn options_of_the_tool_are_accepted_with_plain_numbers() {
        let options = [
            "--preset",
            "holoscan",
            "--target-fps",
            "30",
            "--duration",
            "20",
            "--scheduling-policy",
            "SCHED_FIFO",
            "--load-duration-ms",
            "10.0",
        ];
        let Some((found, notes, errors)) = settings(&options) else {
            return println!("skipped: the preset exists only on Linux");
        };
        assert_eq!(errors, [""; 0]);
        assert!((found.fps - 30.0).abs() < 1e-9);
        assert_eq!(found.policies, [Priority::Fifo(20)]);
        assert!(notes.iter().any(|note| note.contains("99") && note.contains("20")), "{notes:?}");
        assert_eq!((found.time_each, found.blocks()), (Nanos::from_secs(20), 1));
        assert_eq!(found.load.call, Nanos::from_millis(10));
        assert_eq!([found.runtime, found.deadline].map(Nanos::get), [3_333_333, 31_666_666]);
        let long = settings(&["--preset", "holoscan", "--duration", "60"]).unwrap();
        assert_eq!((long.0.blocks(), long.1), (1, Vec::new()));
    }

    #[test]
    fn elsewhere_a_time_needs_a_unit_and_the_options_are_refused() {
        let (_, _, errors) = settings(&["--duration", "20"]).unwrap();
        assert!(errors[0].contains("invalid value '20'"), "{errors:?}");
        let (_, _, errors) = settings(&["--target-fps", "30"]).unwrap();
        assert_eq!(errors, ["--target-fps needs --preset holoscan"]);
        let options = ["--preset", "holoscan", "--load-duration-ms", "0"];
        if let Some((_, _, errors)) = settings(&options) {
            assert!(errors[0].contains("expected 0.01 to 1000 milliseconds"), "{errors:?}");
        }
    }
}
