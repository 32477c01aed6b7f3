//! Saved repeats of a run: the same settings, method, and machine.

use std::path::PathBuf;

use super::{FindError, Store, load};
use crate::report::comparison::{NoiseFloor, is_repeat};
use crate::report::{Comparison, Report};
use crate::run::Run;

/// Prefix of the tags of repeats: `repeat 2/5`.
pub const REPEAT_TAG: &str = "repeat ";
/// Maximum repeats of one test.
pub const MAX_REPEATS: u32 = 20;
/// Repeats that are opened, the newest first.
const MOST_OPENED: usize = 20;
/// Bytes that are read for them together.
const MOST_BYTES: u64 = 256 << 20;

/// The tag of one of several repeats, counted from 1.
pub fn repeat_tag(number: u32, count: u32) -> String {
    format!("{REPEAT_TAG}{number}/{count}")
}

impl Store {
    /// The saved repeats of a run, newest first, including itself if it is one: runs measured as
    /// repeats (by their tag), with its settings, on its machine. Unreadable files are skipped.
    pub fn repeats_of(&self, run: &Run) -> Result<Vec<Run>, FindError> {
        let machine = run.machine.short();
        let mut left = MOST_BYTES;
        let paths: Vec<PathBuf> = self
            .lines()?
            .into_iter()
            .filter_map(|line| {
                let short = line.run.ok()?;
                let is_tagged = short.tags.iter().any(|tag| tag.starts_with(REPEAT_TAG));
                let is_like = short.test == run.subject.key() && short.machine == machine;
                left = if is_tagged && is_like { left.checked_sub(line.bytes)? } else { left };
                (is_tagged && is_like).then_some(line.path)
            })
            .collect();
        let mut repeats: Vec<Run> = Vec::new();
        for path in paths {
            if MOST_OPENED <= repeats.len() {
                break;
            }
            let found = load(&path).ok().filter(|found| is_repeat(found, run));
            repeats.extend(found);
        }
        Ok(repeats)
    }

    /// The newest repeats of a test on a machine, named as by [`Machine::short`]; empty if there
    /// are none.
    ///
    /// [`Machine::short`]: crate::machine::Machine::short
    pub fn newest_repeats(&self, test: &str, machine: &str) -> Result<Vec<Run>, FindError> {
        let newest = self.lines()?.into_iter().find_map(|line| {
            let short = line.run.ok()?;
            let is_tagged = short.tags.iter().any(|tag| tag.starts_with(REPEAT_TAG));
            let is_like = is_tagged && short.test == test && short.machine == machine;
            is_like.then_some(line.path)
        });
        match newest.and_then(|path| load(&path).ok()) {
            Some(run) => self.repeats_of(&run),
            None => Ok(Vec::new()),
        }
    }
}

/// Returns the comparison with the noise floor of its baseline's settings, if repeats of them are
/// saved.
pub fn with_noise_floor(
    comparison: Comparison,
    compared: &[(&Run, &Report)],
    store: Option<&Store>,
) -> Comparison {
    let baseline = compared.get(comparison.baseline).map(|(run, _)| *run);
    let repeats = store.zip(baseline).map(|(store, run)| store.repeats_of(run));
    let floor = match repeats {
        Some(Ok(repeats)) => NoiseFloor::of_runs(&repeats),
        Some(Err(error)) => {
            log::info!("no noise floor: {error}");
            None
        }
        None => None,
    };
    match floor {
        Some(floor) => comparison.with_noise(&floor),
        None => comparison,
    }
}
