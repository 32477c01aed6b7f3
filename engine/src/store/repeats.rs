//! The run-to-run variation of one set of settings, from saved runs: repeats, and all other runs
//! with the same settings, method, and machine.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::format::{PriorError, PriorRecord};
use super::index::{Line, RunIndexEntry};
use super::{FindError, Store, disk, load};
use crate::nanos::Nanos;
use crate::report::comparison::{
    MinEffect, NoiseFloor, Prior, RepeatedValues, Rules, is_repeat, setting_key, split_groups,
};
use crate::report::{Comparison, Report};
use crate::run::{Ending, Run, RunId, TrialRun};

/// The beginning of the tags of repeats: `repeat 2/5`.
pub const REPEAT_TAG: &str = "repeat ";
/// Maximum number of repeats of one test.
pub const MAX_REPEATS: u32 = 20;
/// Maximum number of runs to open; the newest ones are opened first.
const MAX_OPENED: usize = 20;
/// Maximum total size of the opened files in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Runs with a longer pause between them are of two sessions.
const BETWEEN_SESSIONS: Nanos = Nanos::from_secs(1_800);
/// Maximum additional CPU time of other programs in a repeat, compared with the run, as a share of one CPU.
const MORE_LOAD: f64 = 0.10;

/// Returns the tag of repeat `number`, counted from 1, of `count` repeats.
pub fn repeat_tag(number: u32, count: u32) -> String {
    format!("{REPEAT_TAG}{number}/{count}")
}

/// Returns the range of the series of repeats that contains the run at position `at`; only this
/// position if the run is not a repeat. `tags` are the tags of all runs with the same settings,
/// sorted by time.
fn series(tags: &[&[String]], at: usize) -> Range<usize> {
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

/// Returns the CPU time of other programs during a run, as a share of one CPU: the max of all
/// trials; 0 if the time is unknown.
fn other_load(run: &Run) -> f64 {
    run.trials.iter().filter_map(TrialRun::foreign_share).fold(0.0, f64::max)
}

/// Returns the machine of a run as its entry in the list names it: in an export, a run has no host.
fn machine_of(lines: &[Line], run: &Run) -> String {
    let mut entries = lines.iter().filter_map(|line| line.run.as_ref().ok());
    let own = entries.find(|entry| entry.id == run.id);
    own.map_or_else(|| run.machine_name(), |entry| entry.machine.clone())
}

impl Store {
    /// Returns the saved runs with the same settings, method, and machine as a run, newest first,
    /// including that run. Only finished runs that `is_wanted` accepts are included; unreadable
    /// files are omitted, and so are runs that other programs disturbed clearly more than `run`.
    pub fn same_settings(
        &self,
        run: &Run,
        is_wanted: impl Fn(&RunIndexEntry) -> bool,
    ) -> Result<Vec<Run>, FindError> {
        let lines = self.lines()?;
        let (machine, length) = (machine_of(&lines, run), run.measured());
        let (load_of_run, mut left) = (other_load(run), MAX_BYTES);
        let mut found: Vec<Run> = Vec::new();
        for line in lines {
            let Ok(short) = line.run else { continue };
            // A run is opened only if its summary in the list fulfills all conditions.
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

    /// Returns the typical run-to-run variation on the PCs on which the saved runs were measured.
    /// The variation is estimated from groups of runs with the same settings and conditions,
    /// without opening the files of the runs. Returns the built-in variation if there are fewer
    /// than five groups, or if the folder cannot be read. The variation between sessions is that of runs up to the last
    /// one of group A, without the runs of the other groups, so that no effect counts as noise; `groups` are
    /// the compared groups, A first.
    pub fn prior(&self, groups: &[&[(&Run, &Report)]]) -> Prior {
        let lines = self.lines().inspect_err(|error| log::info!("no prior: {error}"));
        let mut repeats: BTreeMap<(String, String), Vec<RunIndexEntry>> = BTreeMap::new();
        let entries = lines.unwrap_or_default().into_iter().filter_map(|line| line.run.ok());
        for entry in entries.filter(|entry| entry.headline.ending == Ending::Finished) {
            // Captures have nothing in common with tests.
            if let Some(of) = entry.repeats.as_ref().filter(|_| !entry.is_capture()) {
                let key = (of.setting.clone(), entry.machine.clone());
                repeats.entry(key).or_default().push(*entry);
            }
        }
        let repeated = repeats.values().filter(|entries| 1 < entries.len());
        let values: Vec<RepeatedValues> =
            repeated.map(|entries| repeated_values(entries)).collect();
        let prior = Prior::estimate(&values);
        let Some((group_a, others)) = groups.split_first() else { return prior };
        let until = group_a.iter().map(|(run, _)| run.started_at).max();
        let is_of_others =
            |id: &RunId| others.iter().copied().flatten().any(|(run, _)| run.id == *id);
        let sessions: Vec<Vec<RepeatedValues>> = repeats
            .into_values()
            .map(|mut entries| {
                entries.retain(|it| Some(it.started_at) <= until && !is_of_others(&it.id));
                entries.sort_by_key(|entry| entry.started_at);
                let is_one = |before: &RunIndexEntry, after: &RunIndexEntry| {
                    let ended =
                        before.started_at.as_nanosecond() + i128::from(before.measured.get());
                    after.started_at.as_nanosecond() - ended < i128::from(BETWEEN_SESSIONS.get())
                };
                entries.chunk_by(is_one).map(repeated_values).collect()
            })
            .collect();
        prior.with_sessions(&sessions)
    }

    /// Returns the newest repeat of a test on a machine, with the noise floor of its settings;
    /// `None` if there are too few repeats. `machine` is in the format of [`Run::machine_name`].
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

    /// Returns the noise floor of a run's settings, from this run and earlier runs. Later runs are not
    /// used, since the effect of a change to the system must not count as noise. The runs `compared` are
    /// not used either, unless they belong to the run's series of repeats.
    pub fn noise_floor(
        &self,
        of: &Run,
        compared: &[&Run],
    ) -> Result<Option<NoiseFloor>, FindError> {
        if of.plan().is_none() {
            return Ok(None);
        }
        let lines = self.lines()?;
        let (setting, machine) = (setting_key(of), machine_of(&lines, of));
        let is_like = |short: &RunIndexEntry| {
            short.machine == machine
                && short.headline.ending == Ending::Finished
                && short.repeats.as_ref().is_some_and(|repeats| repeats.setting == setting)
        };
        let lines = lines.into_iter().filter_map(|line| line.run.ok());
        let mut alike: Vec<_> = lines.filter(|short| is_like(short)).collect();
        alike.sort_by_key(|short| short.started_at);
        let tags: Vec<&[String]> = alike.iter().map(|short| short.tags.as_slice()).collect();
        let place = alike.iter().position(|short| short.id == of.id);
        let members = place.and_then(|at| alike.get(series(&tags, at))).unwrap_or_default();
        let counts = |short: &RunIndexEntry| {
            let is_member = members.iter().any(|member| member.id == short.id);
            let is_compared = compared.iter().any(|compared| compared.id == short.id);
            short.id == of.id || (short.started_at <= of.started_at && (is_member || !is_compared))
        };
        Ok(NoiseFloor::of_runs(&self.same_settings(of, counts)?))
    }
}

/// Maximum size in bytes of a saved comparison from which a prior is read.
const MAX_PRIOR_BYTES: u64 = 16 << 20;

/// Why a prior, the typical run-to-run variation, cannot be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum ReadPriorError {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The file contains no valid prior.
    #[error(transparent)]
    Format(#[from] PriorError),
}

/// Reads the prior of a comparison that was saved as JSON.
pub fn read_prior(path: &Path) -> Result<Prior, ReadPriorError> {
    Ok(PriorRecord::read(&disk::read_bounded(path, MAX_PRIOR_BYTES)?)?)
}

/// Returns the values of runs with the same settings.
fn repeated_values(entries: &[RunIndexEntry]) -> RepeatedValues {
    let mut values = RepeatedValues::new();
    for (label, of_label) in
        entries.iter().filter_map(|it| Some(&it.repeats.as_ref()?.values)).flatten()
    {
        for (key, value) in of_label {
            values.entry((label.clone(), key.clone())).or_default().push(*value);
        }
    }
    values
}

/// From where a comparison knows the run-to-run variation.
#[derive(Clone, Copy, Debug)]
pub enum History<'a> {
    /// From the saved runs.
    Saved(&'a Store),
    /// As given, whatever is saved.
    Given(&'a Prior),
    /// From the fixed table.
    Fixed,
}

impl<'a> History<'a> {
    /// Returns the history of a library; the fixed table without one.
    pub fn of(store: Option<&'a Store>) -> Self {
        store.map_or(Self::Fixed, Self::Saved)
    }

    fn prior(self, groups: &[&[(&Run, &Report)]]) -> Prior {
        match self {
            Self::Saved(store) => store.prior(groups),
            Self::Given(prior) => prior.clone(),
            Self::Fixed => Prior::default(),
        }
    }
}

/// Compares runs with the first one, the baseline. The noise floor is that of the baseline's settings, if
/// enough runs with these settings are saved. Runs later than the baseline do not count, and the other compared
/// runs count only if they belong to the baseline's series of repeats. With `groups`, the runs are those of groups with
/// these numbers of runs, and the first group is the baseline.
pub fn compare(
    runs: &[(&Run, &Report)],
    groups: Option<&[usize]>,
    history: History<'_>,
    minimum: MinEffect,
) -> Comparison {
    let groups = groups.map_or_else(Vec::new, |counts| split_groups(runs, counts));
    let rules = Rules { floor: None, prior: history.prior(&groups), minimum };
    if !groups.is_empty() {
        return Comparison::of_groups(&groups, &rules);
    }
    let compared: Vec<&Run> = runs.iter().map(|(run, _)| *run).collect();
    let floor = match (history, runs.first()) {
        (History::Saved(store), Some((run, _))) => {
            let floor = store.noise_floor(run, &compared);
            floor.inspect_err(|error| log::info!("no noise floor: {error}")).ok().flatten()
        }
        _ => None,
    };
    Comparison::of_reports(runs, 0, &Rules { floor: floor.as_ref(), ..rules })
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
