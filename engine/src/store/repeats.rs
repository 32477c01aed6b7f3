//! The run-to-run variation of a setting, from the saved runs: repeats, and every other run with the same
//! settings, method and machine.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::format::{PriorError, PriorRecord};
use super::index::RunIndexEntry;
use super::{FindError, Store, disk, load};
use crate::report::comparison::{NoiseFloor, Prior, RepeatedValues, is_repeat, setting_key};
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
/// Other programs may use this share of one CPU more than during the run itself.
const MORE_LOAD: f64 = 0.10;

/// The tag of one of several repeats, counted from 1.
pub fn repeat_tag(number: u32, count: u32) -> String {
    format!("{REPEAT_TAG}{number}/{count}")
}

/// Where the series of repeats is that holds the run at `at`, by the tags of runs with the same settings in order
/// of time; that run alone where it repeats none.
pub fn series(tags: &[&[String]], at: usize) -> Range<usize> {
    let place = |at: usize| {
        let mut places = tags.get(at)?.iter().filter_map(|tag| {
            let (number, count) = tag.strip_prefix(REPEAT_TAG)?.split_once('/')?;
            Some((number.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
        });
        places.next_back()
    };
    let follows = |at: usize| {
        let pair = at.checked_sub(1).and_then(place).zip(place(at));
        pair.is_some_and(|((one, count), (next, of))| count == of && one < next)
    };
    let (mut first, mut end) = (at, at + 1);
    while follows(first) {
        first -= 1;
    }
    while follows(end) {
        end += 1;
    }
    first..end
}

/// CPU time of other programs: the highest share of one CPU in any trial; 0 where it is not known.
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

    /// What numbers usually vary by from run to run on the PCs of this library: from its groups of runs with the
    /// same settings and conditions, by the list of runs alone. The fixed variation where there are fewer than
    /// five groups, or where the folder cannot be read.
    pub fn prior(&self) -> Prior {
        let lines = self.lines().inspect_err(|error| log::info!("no prior: {error}"));
        let mut groups: BTreeMap<String, (usize, RepeatedValues)> = BTreeMap::new();
        let entries = lines.unwrap_or_default().into_iter().filter_map(|line| line.run.ok());
        for entry in entries.filter(|entry| entry.headline.ending == Ending::Finished) {
            let Some(repeats) = entry.repeats else { continue };
            let (count, values) = groups.entry(repeats.setting).or_default();
            *count += 1;
            for (label, of_label) in repeats.values {
                for (key, value) in of_label {
                    values.entry((label.clone(), key)).or_default().push(value);
                }
            }
        }
        let repeated = groups.into_values().filter(|(count, _)| 1 < *count);
        Prior::estimate(&repeated.map(|(_, values)| values).collect::<Vec<_>>())
    }

    /// The newest repeat of a test on a machine, named as [`Machine::short`] does, with the noise floor of its
    /// settings; `None` where there are too few.
    ///
    /// [`Machine::short`]: crate::machine::Machine::short
    pub fn newest_floor(
        &self,
        test: &str,
        machine: &str,
    ) -> Result<Option<(Run, NoiseFloor)>, FindError> {
        let is_repeat = |short: &RunIndexEntry| {
            short.tags.iter().any(|tag| tag.starts_with(REPEAT_TAG))
                && short.test == test
                && short.machine == machine
        };
        let newest = self.lines()?.into_iter().find_map(|line| {
            let short = line.run.ok()?;
            is_repeat(&short).then_some(line.path)
        });
        let Some(run) = newest.and_then(|path| load(&path).ok()) else { return Ok(None) };
        Ok(self.noise_floor(&run, &[])?.map(|floor| (run, floor)))
    }

    /// The noise floor of a run's settings, from the series of repeats it belongs to and the runs up to it; what a
    /// change did later must not count as noise, and neither do runs that are compared with it.
    pub fn noise_floor(
        &self,
        of: &Run,
        compared: &[&Run],
    ) -> Result<Option<NoiseFloor>, FindError> {
        if of.plan().is_none() {
            return Ok(None);
        }
        let setting = setting_key(of);
        let is_like = |short: &RunIndexEntry| {
            short.headline.ending == Ending::Finished
                && short.repeats.as_ref().is_some_and(|repeats| repeats.setting == setting)
        };
        let lines = self.lines()?.into_iter().filter_map(|line| line.run.ok());
        let mut alike: Vec<_> = lines.filter(|short| is_like(short)).collect();
        alike.sort_by_key(|short| short.started_at);
        let tags: Vec<&[String]> = alike.iter().map(|short| short.tags.as_slice()).collect();
        let place = alike.iter().position(|short| short.id == of.id);
        let members = place.and_then(|at| alike.get(series(&tags, at))).unwrap_or_default();
        let counts = |short: &RunIndexEntry| {
            members.iter().any(|member| member.id == short.id)
                || short.id == of.id
                || (short.started_at <= of.started_at
                    && compared.iter().all(|compared| compared.id != short.id))
        };
        Ok(NoiseFloor::of_runs(&self.same_settings(of, counts)?))
    }
}

/// The largest comparison from which a prior is read.
const MAX_PRIOR_BYTES: u64 = 16 << 20;

/// Why no prior is read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ReadPriorError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It holds none.
    #[error(transparent)]
    Format(#[from] PriorError),
}

/// Reads the prior of a comparison that was saved as JSON.
pub fn read_prior(path: &Path) -> Result<Prior, ReadPriorError> {
    Ok(PriorRecord::read(&disk::read_bounded(path, MAX_PRIOR_BYTES)?)?)
}

/// Compares runs, with the run-to-run variation of the baseline's settings where enough saved runs have them:
/// the baseline is among those; the runs that are compared with it, and all that came after it, are not. Without a
/// prior that is given, that of the library counts.
pub fn compare(
    runs: &[(&Run, &Report)],
    baseline: usize,
    store: Option<&Store>,
    prior: Option<&Prior>,
) -> Comparison {
    let of_baseline = runs.get(baseline).or(runs.first()).map(|(run, _)| *run);
    let compared: Vec<&Run> = runs.iter().map(|(run, _)| *run).collect();
    let floor = store.zip(of_baseline).and_then(|(store, run)| {
        let floor = store.noise_floor(run, &compared);
        floor.inspect_err(|error| log::info!("no noise floor: {error}")).ok()?
    });
    let prior = prior.cloned().or_else(|| store.map(Store::prior)).unwrap_or_default();
    Comparison::of_reports(runs, baseline, floor.as_ref(), &prior)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_of_repeats_ends_where_the_next_one_begins() {
        let tags = ["1/3", "2/3", "3/3", "1/3", "3/3", "", "1/2", "2/3"];
        let tags = tags.map(|tag| vec![format!("{REPEAT_TAG}{tag}"), "night".to_owned()]);
        let tags: Vec<&[String]> = tags.iter().map(Vec::as_slice).collect();
        let found: Vec<Range<usize>> = (0..tags.len()).map(|at| series(&tags, at)).collect();
        assert_eq!(found, [0..3, 0..3, 0..3, 3..5, 3..5, 5..6, 6..7, 7..8]);
    }
}
