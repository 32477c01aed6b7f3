//! The rows of the heat map: each has the gaps of one CPU, or of several CPUs if there are many. A
//! blank row separates groups of cores.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use eframe::egui::Id;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::CpuChoice;
use jitterscope_engine::platform::{CoreKind, Cpu};
use jitterscope_engine::run::{Run, TrialRun};
use jitterscope_engine::stats::Pyramid;

use super::{Drawn, HeatPlace};

/// Above this number of CPUs, two CPUs share a row.
const MAX_ROWS: usize = 64;
/// Maximum number of rows where CPUs share a row, besides blank rows.
const MAX_SHARED_ROWS: usize = 256;
/// Above this number of groups of cores, all CPUs form one group.
const MAX_GROUPS: usize = 64;

/// A row of the heat map: the gaps of one CPU, or of two CPUs.
#[derive(Clone, Debug, Default)]
pub struct HeatRow {
    /// Name of the CPUs; empty for the blank row between two groups.
    pub name: String,
    /// The longest gap of the whole run.
    pub longest: Nanos,
    /// For each CPU of the row, the position of its trial in the run, and its gaps over time.
    gaps: Vec<(usize, Pyramid)>,
}

/// A gap of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// When the gap began, in seconds.
    pub began: f64,
    pub length: Nanos,
    /// The position of its trial in the run, and its position in the trial.
    pub sample: (usize, usize),
}

/// Statistics of the gaps in a time range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) longest: Nanos,
    pub(super) count: u64,
    pub(super) sum: Nanos,
}

/// A heat map of gaps over time and CPUs.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// The rows from top to bottom.
    pub rows: Vec<HeatRow>,
    /// The length of time that the map shows.
    pub span: Nanos,
    /// Limits of the longest gap: gaps up to the first are typical, gaps above the second are bad.
    pub limits: (Nanos, Nanos),
    /// The cell at the keyboard cursor.
    pub(super) cursor: Option<HeatPlace>,
    /// The selected cell, whose details are shown below the map.
    pub(super) selected: Option<HeatPlace>,
    /// The main cause of each gap around which records were saved, by [`Gap::sample`].
    pub causes: BTreeMap<(usize, usize), String>,
    pub(super) drawn: Drawn,
    pub(super) id: Id,
    /// The row to which a gap was pushed last.
    last_pushed: usize,
}

impl Default for HeatMap {
    fn default() -> Self {
        Self::new([], Nanos::ZERO)
    }
}

impl HeatRow {
    /// Returns whether this is the blank row between two groups of cores.
    pub(super) fn is_blank(&self) -> bool {
        self.gaps.is_empty()
    }

    fn of(name: String, trials: &[usize]) -> Self {
        let gaps = trials.iter().map(|&trial| (trial, Pyramid::default())).collect();
        Self { name, longest: Nanos::ZERO, gaps }
    }

    /// Divides a time range into `count` columns, and returns the longest gap that overlaps with each,
    /// in nanoseconds; 0 without gaps. Time: O(count × log n) for n gaps.
    pub(super) fn columns(&self, (from, to): (f64, f64), count: u32) -> Vec<f64> {
        let edge = |column: u32| from + (to - from) * f64::from(column) / f64::from(count.max(1));
        let longest = |column: u32| {
            let time = (edge(column), edge(column + 1));
            let each = self.gaps.iter().filter_map(|(_, gaps)| gaps.max(overlapping(gaps, time)));
            each.map(|gap| gap.1).fold(0.0, f64::max)
        };
        (0..count).map(longest).collect()
    }

    /// Returns the statistics of the gaps that overlap with a time range. Time: O(n) for n gaps in the
    /// range.
    pub(super) fn found(&self, range: (f64, f64)) -> Found {
        let mut found = Found::default();
        for (_, gaps) in &self.gaps {
            for length in overlapping(gaps, range).filter_map(|at| gaps.value(at)) {
                found.longest = found.longest.max(length);
                found.count += 1;
                found.sum += length;
            }
        }
        found
    }

    /// Returns up to `most` of the longest gaps that overlap with a time range, in descending order.
    pub fn longest_of(&self, range: (f64, f64), most: usize) -> Vec<Gap> {
        let each = self.gaps.iter().flat_map(|(trial, gaps)| {
            overlapping(gaps, range).filter_map(|at| {
                let (began, length) = (gaps.point(at)?.0, gaps.value(at)?);
                Some(Gap { began, length, sample: (*trial, at) })
            })
        });
        let mut all: Vec<Gap> = each.collect();
        all.sort_by_key(|gap| std::cmp::Reverse(gap.length));
        all.truncate(most);
        all
    }

    /// Returns whether the row has the gaps of this trial.
    fn has(&self, trial: usize) -> bool {
        self.gaps.iter().any(|(own, _)| *own == trial)
    }
}

/// Returns the positions of the gaps of a CPU that overlap with a time range. Gaps of a CPU follow each other, so only the
/// last one that begins before the range can extend into it.
fn overlapping(gaps: &Pyramid, (from, to): (f64, f64)) -> Range<usize> {
    let begins = gaps.range_before(from, to);
    let end = |at: usize| Some(gaps.point(at)?.0 + gaps.value(at)?.as_secs());
    let before = begins.start.checked_sub(1).filter(|at| end(*at).is_some_and(|end| from < end));
    before.unwrap_or(begins.start)..begins.end
}

impl HeatMap {
    /// Returns a map without gaps; `rows` has the name and the trial of each row.
    pub(super) fn new(rows: impl IntoIterator<Item = (String, usize)>, span: Nanos) -> Self {
        let rows = rows.into_iter().map(|(name, trial)| HeatRow::of(name, &[trial]));
        Self {
            rows: rows.collect(),
            span,
            limits: (Nanos::from_millis(3), Nanos::from_millis(30)),
            cursor: None,
            selected: None,
            causes: BTreeMap::new(),
            drawn: Drawn::default(),
            id: Id::unique("gaps"),
            last_pushed: 0,
        }
    }

    /// Takes the cell at the cursor and the selected cell from another map of the same run.
    pub fn with_cells_of(self, other: &Self) -> Self {
        Self { cursor: other.cursor, selected: other.selected, ..self }
    }

    /// Selects the cell in which a gap of a trial begins, at `secs` seconds.
    pub fn select(&mut self, trial: usize, secs: f64) {
        let row = self.rows.iter().position(|row| row.has(trial));
        let place = row.map(|row| (row, secs));
        (self.cursor, self.selected) = (place, place);
    }

    /// Returns the map of a run: cores of the same type and package are adjacent; above `MAX_ROWS`
    /// CPUs, two CPUs share a row, or more if a file has thousands.
    pub fn of(run: &Run, span: Nanos, limits: (Nanos, Nanos)) -> Self {
        let mut cpus: HashMap<u32, &Cpu> = HashMap::new();
        for cpu in &run.machine.cpus {
            cpus.entry(cpu.logical).or_insert(cpu);
        }
        let mut trials: Vec<(Option<u32>, u8, u32, usize)> = run
            .trials
            .iter()
            .zip(0_u32..)
            .enumerate()
            .map(|(at, (trial, order))| {
                let (package, kind) = core_of(&cpus, trial);
                (package, kind, order, at)
            })
            .collect();
        let groups: BTreeSet<(Option<u32>, u8)> = trials.iter().map(|one| (one.0, one.1)).collect();
        if MAX_GROUPS < groups.len() {
            for trial in &mut trials {
                (trial.0, trial.1) = (None, 0);
            }
        }
        trials.sort_unstable();
        let at_once = match trials.len() {
            0..=MAX_ROWS => 1,
            count => count.div_ceil(MAX_SHARED_ROWS).max(2),
        };
        let has_kinds = trials.iter().any(|trial| trial.1 == 1);
        let mut rows = Vec::new();
        for group in trials.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            if !rows.is_empty() {
                rows.push(HeatRow::default());
            }
            for members in group.chunks(at_once) {
                let positions: Vec<usize> = members.iter().map(|member| member.3).collect();
                let labels = positions.iter().filter_map(|&at| run.trials.get(at));
                let labels: Vec<&str> = labels.map(|trial| trial.trial.label.as_str()).collect();
                let kind =
                    if members.first().is_some_and(|member| member.1 == 1) { "E" } else { "P" };
                let kind = if has_kinds { format!(" {kind}") } else { String::new() };
                rows.push(HeatRow::of(format!("{}{kind}", joined(&labels)), &positions));
            }
        }
        let id = Id::unique(("gaps", run.id.as_str()));
        Self { rows, limits, id, ..Self::new([], span) }
    }

    /// Returns the largest number of CPUs that share a row.
    pub fn cpus_per_row(&self) -> usize {
        self.rows.iter().map(|row| row.gaps.len()).max().unwrap_or_default()
    }

    /// Adds a gap of the trial at position `trial` that began at time `at`. The gaps of a trial
    /// must be added in order of time.
    pub fn push(&mut self, trial: usize, at: Nanos, length: Nanos) {
        // Most gaps belong to the trial of the gap before.
        let rows = self.rows.iter().skip(self.last_pushed).chain(&self.rows);
        let Some(found) = rows.zip(self.last_pushed..).find(|(row, _)| row.has(trial)) else {
            return;
        };
        self.last_pushed = found.1 % self.rows.len();
        let Some(row) = self.rows.get_mut(self.last_pushed) else { return };
        if let Some((_, gaps)) = row.gaps.iter_mut().find(|(own, _)| *own == trial) {
            gaps.push(at.max(gaps.end()).max(Nanos::ZERO), length);
            row.longest = row.longest.max(length);
        }
    }

    /// Returns the number of gaps in the map.
    pub(super) fn count(&self) -> usize {
        self.rows.iter().flat_map(|row| &row.gaps).map(|(_, gaps)| gaps.len()).sum()
    }
}

/// Returns the package of a trial's CPU, and 1 if the CPU is an E-core, otherwise 0.
fn core_of(cpus: &HashMap<u32, &Cpu>, trial: &TrialRun) -> (Option<u32>, u8) {
    let CpuChoice::Cpu(logical) = trial.trial.conditions.cpu else { return (None, 0) };
    cpus.get(&logical)
        .map_or((None, 0), |cpu| (cpu.package, u8::from(cpu.kind == CoreKind::Efficiency)))
}

/// Returns the name of a row: `CPU 4`, `CPU 4, 5` for two CPUs, or `CPU 4 to 9` for more.
fn joined(labels: &[&str]) -> String {
    match labels {
        [first, second] => {
            let number = second.rsplit(' ').next().unwrap_or(second);
            format!("{first}, {number}")
        }
        [first, .., last] => format!("{first} to {}", last.rsplit(' ').next().unwrap_or(last)),
        labels => labels.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_64_cpus_two_share_a_row() {
        assert_eq!(joined(&["CPU 4", "CPU 5"]), "CPU 4, 5");
        assert_eq!(joined(&["CPU 4"]), "CPU 4");
        assert_eq!(joined(&["CPU 4", "CPU 5", "CPU 6"]), "CPU 4 to 6");
        let mut map = HeatMap::new([], Nanos::from_secs(1));
        map.rows = vec![HeatRow::of("CPU 0, 1".to_owned(), &[0, 1])];
        map.push(0, Nanos::from_millis(100), Nanos::from_micros(7));
        map.push(1, Nanos::from_millis(100), Nanos::from_micros(9));
        assert_eq!(map.cpus_per_row(), 2);
        let all = map.rows[0].found((0.0, 1.0));
        assert_eq!((all.count, all.longest), (2, Nanos::from_micros(9)));
        assert_eq!(all.sum, Nanos::from_micros(16));
        let columns = map.rows[0].columns((0.0, 1.0), 10);
        assert_eq!(columns.iter().filter(|gap| 0.0 < **gap).count(), 1);
        assert!((columns[1] - 9_000.0).abs() < 1e-9, "100 ms begin the second tenth");
        let longest = map.rows[0].longest_of((0.0, 1.0), 1);
        let gap = Gap { began: 0.1, length: Nanos::from_micros(9), sample: (1, 0) };
        assert_eq!(longest, [gap]);
        map.select(1, 0.1);
        assert_eq!(map.selected, Some((0, 0.1)));
    }

    #[test]
    fn a_long_gap_colors_every_cell_that_it_covers() {
        let mut map = HeatMap::new([("CPU 0".to_owned(), 0)], Nanos::from_secs(1));
        map.push(0, Nanos::from_millis(50), Nanos::from_micros(5));
        map.push(0, Nanos::from_millis(150), Nanos::from_millis(480));
        map.push(0, Nanos::from_millis(950), Nanos::from_micros(7));
        let row = &map.rows[0];
        let micros = |nanos: f64| Nanos::from_nanos_f64(nanos).get() / 1_000;
        let colored: Vec<i64> = row.columns((0.0, 1.0), 10).into_iter().map(micros).collect();
        let stall = 480_000;
        assert_eq!(colored, [5, stall, stall, stall, stall, stall, stall, 0, 0, 7]);
        let inside = row.found((0.3, 0.4));
        assert_eq!((inside.count, inside.longest), (1, Nanos::from_millis(480)));
        assert_eq!(row.longest_of((0.3, 0.4), 9)[0].sample, (0, 1));
        assert_eq!(row.found((0.7, 0.8)).count, 0);
    }
}
