//! The rows of the map: gaps of one CPU each, of two where there are very many; groups of cores apart.

use eframe::egui::Id;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::CpuChoice;
use jitterscope_engine::platform::CoreKind;
use jitterscope_engine::run::{Run, TrialRun};
use jitterscope_engine::stats::Pyramid;

use super::{Drawn, Place};

/// More CPUs than this are shown two in a row.
const MAX_ROWS: usize = 64;

/// The gaps of one CPU, or of two.
#[derive(Clone, Debug, Default)]
pub struct HeatRow {
    /// What the row is of; empty between groups.
    pub name: String,
    /// The longest gap of the whole run.
    pub longest: Nanos,
    /// Position of each trial in the run, and its gaps over time.
    gaps: Vec<(usize, Pyramid)>,
}

/// What is in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) longest: Nanos,
    pub(super) count: u64,
    pub(super) sum: Nanos,
}

/// A map of gaps over time and CPUs.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// The rows from top to bottom.
    pub rows: Vec<HeatRow>,
    /// How much time the map spans.
    pub span: Nanos,
    /// Limits: typical up to the first, bad above the second.
    pub limits: (Nanos, Nanos),
    /// Where the map was read last, and the cell that was selected.
    pub(super) cursor: Option<Place>,
    pub(super) selected: Option<Place>,
    pub(super) drawn: Drawn,
    pub(super) id: Id,
}

impl Default for HeatMap {
    fn default() -> Self {
        Self::new([], Nanos::ZERO)
    }
}

impl HeatRow {
    /// Whether it parts two groups.
    pub(super) fn is_blank(&self) -> bool {
        self.gaps.is_empty()
    }

    fn of(name: String, trials: &[usize]) -> Self {
        let gaps = trials.iter().map(|&trial| (trial, Pyramid::default())).collect();
        Self { name, longest: Nanos::ZERO, gaps }
    }

    /// The longest gap that begins in each column. Time: O(columns × log n).
    pub(super) fn columns(&self, (from, to): (f64, f64), count: u32) -> Vec<f64> {
        let width = (to - from) / f64::from(count.max(1));
        let longest = |column: u32| {
            let left = from + width * f64::from(column);
            let each = self
                .gaps
                .iter()
                .filter_map(|(_, gaps)| gaps.max(gaps.range_before(left, left + width)));
            each.map(|gap| gap.1).fold(0.0, f64::max)
        };
        (0..count).map(longest).collect()
    }

    /// What is in a stretch of time. Time: O(n) for n gaps in it.
    pub(super) fn found(&self, (from, to): (f64, f64)) -> Found {
        let mut found = Found::default();
        for (_, gaps) in &self.gaps {
            for length in gaps.range_before(from, to).filter_map(|at| gaps.value(at)) {
                found.longest = found.longest.max(length);
                found.count += 1;
                found.sum += length;
            }
        }
        found
    }

    /// The longest gaps of a stretch of time, the longest first, with the seconds at which they began.
    pub(super) fn longest_of(&self, (from, to): (f64, f64), most: usize) -> Vec<(f64, Nanos)> {
        let each = self.gaps.iter().flat_map(|(_, gaps)| {
            gaps.range_before(from, to).filter_map(|at| Some((gaps.point(at)?.0, gaps.value(at)?)))
        });
        let mut all: Vec<(f64, Nanos)> = each.collect();
        all.sort_by_key(|(_, length)| std::cmp::Reverse(*length));
        all.truncate(most);
        all
    }
}

impl HeatMap {
    /// A map without gaps: the names of its rows with the trial that each is of.
    pub(super) fn new(rows: impl IntoIterator<Item = (String, usize)>, span: Nanos) -> Self {
        let rows = rows.into_iter().map(|(name, trial)| HeatRow::of(name, &[trial]));
        Self {
            rows: rows.collect(),
            span,
            limits: (Nanos::from_millis(3), Nanos::from_millis(30)),
            cursor: None,
            selected: None,
            drawn: Drawn::default(),
            id: Id::unique("gaps"),
        }
    }

    /// The rows of a run: cores of one kind and package together, above 64 CPUs two in a row.
    pub fn of(run: &Run, span: Nanos, limits: (Nanos, Nanos)) -> Self {
        let mut trials: Vec<(Option<u32>, u8, u32, usize)> = run
            .trials
            .iter()
            .zip(0_u32..)
            .enumerate()
            .map(|(at, (trial, order))| {
                let (package, kind) = core_of(run, trial);
                (package, kind, order, at)
            })
            .collect();
        trials.sort_unstable();
        let at_once = if MAX_ROWS < trials.len() { 2 } else { 1 };
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

    /// Whether CPUs share rows.
    pub fn is_merged(&self) -> bool {
        self.rows.iter().any(|row| 1 < row.gaps.len())
    }

    /// Takes a gap of a trial; none before the last one.
    pub fn push(&mut self, trial: usize, at: Nanos, length: Nanos) {
        for row in &mut self.rows {
            if let Some((_, gaps)) = row.gaps.iter_mut().find(|(own, _)| *own == trial) {
                gaps.push(at.max(gaps.end()).max(Nanos::ZERO), length);
                row.longest = row.longest.max(length);
                return;
            }
        }
    }

    /// How many gaps it holds.
    pub(super) fn count(&self) -> usize {
        self.rows.iter().flat_map(|row| &row.gaps).map(|(_, gaps)| gaps.len()).sum()
    }
}

/// The package of a trial's CPU, and whether it is an E-core.
fn core_of(run: &Run, trial: &TrialRun) -> (Option<u32>, u8) {
    let CpuChoice::Cpu(logical) = trial.trial.conditions.cpu else { return (None, 0) };
    let cpu = run.machine.cpus.iter().find(|cpu| cpu.logical == logical);
    cpu.map_or((None, 0), |cpu| (cpu.package, u8::from(cpu.kind == CoreKind::Efficiency)))
}

/// `CPU 4`; of two, `CPU 4, 5`.
fn joined(labels: &[&str]) -> String {
    match labels {
        [first, second] => {
            let number = second.rsplit(' ').next().unwrap_or(second);
            format!("{first}, {number}")
        }
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
        let mut map = HeatMap::new([], Nanos::from_secs(1));
        map.rows = vec![HeatRow::of("CPU 0, 1".to_owned(), &[0, 1])];
        map.push(0, Nanos::from_millis(100), Nanos::from_micros(7));
        map.push(1, Nanos::from_millis(100), Nanos::from_micros(9));
        assert!(map.is_merged());
        let all = map.rows[0].found((0.0, 1.0));
        assert_eq!((all.count, all.longest), (2, Nanos::from_micros(9)));
        assert_eq!(all.sum, Nanos::from_micros(16));
        let columns = map.rows[0].columns((0.0, 1.0), 10);
        assert_eq!(columns.iter().filter(|gap| 0.0 < **gap).count(), 1);
        assert!((columns[1] - 9_000.0).abs() < 1e-9, "100 ms begin the second tenth");
        let longest = map.rows[0].longest_of((0.0, 1.0), 1);
        assert_eq!(longest, [(0.1, Nanos::from_micros(9))]);
    }
}
