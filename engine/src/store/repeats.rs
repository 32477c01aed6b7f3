//! The run-to-run variation of a setting, from the saved runs: repeats, and every other run with the same
//! settings, method and machine.

use super::index::RunIndexEntry;
use super::{FindError, Store, load};
use crate::report::comparison::{NoiseFloor, is_repeat};
use crate::report::{Comparison, Report};
use crate::run::{Ending, Run, TrialRun};

/// How the tags of repeats begin: `repeat 2/5`.
pub const REPEAT_TAG: &str = "repeat ";
/// The most repeats of one test.
pub const MAX_REPEATS: u32 = 20;
/// Runs that are opened, the newest first.
const MAX_OPENED: usize = 20;
/// Bytes that are read for them together.
const MAX_BYTES: u64 = 256 << 20;
/// Other programs may use this share of one core more than during the run itself.
const MORE_LOAD: f64 = 0.10;

/// The tag of one of several repeats, counted from 1.
pub fn repeat_tag(number: u32, count: u32) -> String {
    format!("{REPEAT_TAG}{number}/{count}")
}

/// CPU time of other programs: the highest share of one core in any trial; 0 where it is not known.
fn other_load(run: &Run) -> f64 {
    run.trials.iter().filter_map(TrialRun::foreign_share).fold(0.0, f64::max)
}

impl Store {
    /// The saved runs with the settings of a run, measured to their end by its method on its machine, the
    /// newest first, itself among them. Runs that other programs disturbed more are omitted, files that
    /// cannot be read, and what `is_wanted` does not want.
    pub fn same_settings(
        &self,
        run: &Run,
        is_wanted: impl Fn(&RunIndexEntry) -> bool,
    ) -> Result<Vec<Run>, FindError> {
        let (machine, length) = (run.machine.short(), run.measured());
        let (load_of_run, mut left) = (other_load(run), MAX_BYTES);
        let mut found: Vec<Run> = Vec::new();
        for line in self.lines()? {
            let Ok(short) = line.run else { continue };
            // A run is opened only where the list has no objection to it.
            let is_like = short.test == run.subject.key()
                && short.machine == machine
                && short.headline.ending == Ending::Finished
                && (short.measured - length).get().abs() <= length.get() / 20
                && is_wanted(&short);
            if !is_like {
                continue;
            }
            let Some(rest) = left.checked_sub(line.bytes) else { break };
            left = rest;
            found.extend(
                load(&line.path).ok().filter(|one| {
                    is_repeat(one, run) && other_load(one) <= load_of_run + MORE_LOAD
                }),
            );
            if MAX_OPENED <= found.len() {
                break;
            }
        }
        Ok(found)
    }

    /// The newest repeats of a test on a machine, named as [`Machine::short`] does; none where none were
    /// measured.
    ///
    /// [`Machine::short`]: crate::machine::Machine::short
    pub fn newest_repeats(&self, test: &str, machine: &str) -> Result<Vec<Run>, FindError> {
        let is_repeat = |short: &RunIndexEntry| {
            short.tags.iter().any(|tag| tag.starts_with(REPEAT_TAG))
                && short.test == test
                && short.machine == machine
        };
        let newest = self.lines()?.into_iter().find_map(|line| {
            let short = line.run.ok()?;
            is_repeat(&short).then_some(line.path)
        });
        match newest.and_then(|path| load(&path).ok()) {
            Some(run) => self.same_settings(&run, is_repeat),
            None => Ok(Vec::new()),
        }
    }
}

/// Compares runs, with the run-to-run variation of the baseline's settings where enough saved runs have them:
/// the baseline is among those, and the runs that are compared with it are not.
pub fn compare(runs: &[(&Run, &Report)], baseline: usize, store: Option<&Store>) -> Comparison {
    let of_baseline = runs.get(baseline).or(runs.first()).map(|(run, _)| *run);
    let floor = store.zip(of_baseline).and_then(|(store, run)| noise_floor(runs, run, store));
    Comparison::of_reports(runs, baseline, floor.as_ref())
}

fn noise_floor(runs: &[(&Run, &Report)], of: &Run, store: &Store) -> Option<NoiseFloor> {
    of.plan()?;
    let is_other = |short: &RunIndexEntry| {
        short.id == of.id || runs.iter().all(|(compared, _)| compared.id != short.id)
    };
    let same = store.same_settings(of, is_other).inspect_err(|error| {
        log::info!("no noise floor: {error}");
    });
    NoiseFloor::of_runs(&same.ok()?)
}
