//! Two to four runs side by side: what differs around them, and what their numbers say of each other.
//!
//! One run is the baseline; each other is compared with it. Rows are matched by label. Differences carry
//! 95% intervals from a moving-block bootstrap with a fixed seed ([`blocks`](crate::stats::blocks)), and
//! are called only where they are larger than chance, larger than what runs with the same settings differ
//! by, and large enough to matter ([`DeltaResult`]). Runs of unlike length are compared by percentiles and
//! rates; a maximum is shown and not evaluated.

mod candidate;
mod conditions;
mod figures;
mod groups;
mod item;
mod judge;
mod noise;
mod prior;
mod repeats;

pub use conditions::{Condition, Relevance};
pub use figures::Figure;
pub use groups::MIN_GROUP;
pub use item::Item;
pub use judge::{Delta, DeltaResult, Outcome, Reason};
pub use noise::{MIN_REPEATS, MetricVariation, NoiseFloor, noise_of};
pub use prior::{Prior, RepeatedValues};
pub use repeats::{
    PairedDifference, ValuesByLabel, is_repeat, paired_differences, setting_key, values,
};

use crate::nanos::Nanos;
use crate::report::model::metric::Metric;
use crate::report::{Options, Report, metrics};
use crate::run::{Ending, Run};
use crate::stats::blocks::Interval;

/// The most runs that are compared.
pub const MAX_RUNS: usize = 4;

/// Why numbers are not compared with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incompatibility {
    /// They are of unlike kinds of test.
    Tests,
    /// They were measured by unlike methods.
    Methods,
    /// Their loops have unlike periods, so that a microsecond does not mean the same.
    Periods(Vec<Nanos>),
    /// They are readings taken now and then: most frames are not in them.
    Readings,
    /// They are counts of values without order in time.
    Counts,
    /// The runs of a group, A or B by its position, have unlike settings, machines or conditions.
    MixedGroup(usize),
}

/// What a reader of the numbers must know; positions are those of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The runs are of unlike length, so maximum values and counts are not evaluated.
    Lengths(Vec<Nanos>),
    /// A run was cut short.
    Incomplete(usize),
    /// A configuration of a run was not granted what it requested.
    NotAsRequested {
        /// The run.
        run: usize,
        /// The configuration.
        label: String,
        /// What it was granted instead.
        granted: String,
    },
    /// Samples of a run were lost.
    Lost {
        /// The run.
        run: usize,
        /// How many.
        count: u64,
    },
    /// A run was measured by a build without optimization.
    DebugBuild(usize),
    /// A configuration is only in some of the runs.
    Unmatched {
        /// The configuration.
        label: String,
        /// The runs it is in.
        runs: Vec<usize>,
    },
    /// The only configurations of the runs have unlike labels and are compared with each other all the same.
    LabelMismatch(Vec<String>),
}

impl Note {
    /// Gives the runs that it is about other positions.
    fn rename(&mut self, to: impl Fn(usize) -> usize) {
        match self {
            Self::Incomplete(run)
            | Self::NotAsRequested { run, .. }
            | Self::Lost { run, .. }
            | Self::DebugBuild(run) => *run = to(*run),
            Self::Unmatched { runs, .. } => {
                for run in runs {
                    *run = to(*run);
                }
            }
            Self::Lengths(_) | Self::LabelMismatch(_) => {}
        }
    }
}

/// From what it is known how much runs with the same settings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// It is not known.
    Unknown,
    /// From this many saved runs with the baseline's settings, none of them after it.
    Repeats(usize),
    /// From the groups themselves, of this many runs.
    Groups([usize; 2]),
}

/// One configuration of all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// Names the configuration, as the baseline does.
    pub label: String,
    /// Where it is among the [items](Item::all) of each run.
    pub positions: Vec<usize>,
    /// Lateness above which a frame is late in every run; `None` where it is not one and the same.
    pub late_limit: Option<Nanos>,
    /// Why its numbers are not evaluated, where they are not.
    pub obstacle: Option<Incompatibility>,
    /// Its numbers; a value and a difference for each run.
    pub figures: Vec<Figure>,
    /// What each run is against the baseline; `None` at the baseline itself.
    pub outcomes: Vec<Option<Outcome>>,
}

impl ComparedRow {
    /// What it is in each run.
    pub fn items<'a>(&self, runs: &[(&'a Run, &'a Report)]) -> Vec<Item<'a>> {
        let found = runs.iter().zip(&self.positions);
        found.filter_map(|((run, report), &at)| Item::all(run, report).get(at).copied()).collect()
    }
}

/// Runs side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Position of the run that the others are compared with.
    pub baseline: usize,
    /// How many runs there are.
    pub count: usize,
    /// The word for what each sample's value is: "lateness".
    pub value_name: &'static str,
    /// Why the runs are not compared with each other at all, where they are not.
    pub obstacle: Option<Incompatibility>,
    /// What the runs ran on and under: what differs first, by its likely effect.
    pub conditions: Vec<Condition>,
    /// What a reader of the numbers must know.
    pub notes: Vec<Note>,
    /// From what the run-to-run variation is known.
    pub variation: Variation,
    /// What numbers usually vary by from run to run.
    pub prior: Prior,
    /// The configurations that all runs have.
    pub rows: Vec<ComparedRow>,
}

impl Comparison {
    /// Holds runs against one of them; judges each first. A baseline that is not there is the first.
    pub fn of(runs: &[&Run], baseline: usize) -> Self {
        let reports: Vec<Report> =
            runs.iter().map(|run| Report::of(run, &Options::default())).collect();
        let evaluated: Vec<(&Run, &Report)> = runs.iter().copied().zip(&reports).collect();
        Self::of_reports(&evaluated, baseline, None, &Prior::default())
    }

    /// Compares runs that were evaluated already with one of them. Without the noise floor of its settings,
    /// runs are not called better or worse. Time: O(n log n) in the number of samples, about half a second
    /// for two runs of 3.6 million.
    pub fn of_reports(
        runs: &[(&Run, &Report)],
        baseline: usize,
        floor: Option<&NoiseFloor>,
        prior: &Prior,
    ) -> Self {
        let baseline = if baseline < runs.len() { baseline } else { 0 };
        let obstacle = obstacle(runs);
        let mut notes = notes(runs);
        let items: Vec<Vec<Item<'_>>> =
            runs.iter().map(|(run, report)| Item::all(run, report)).collect();
        let matched = if obstacle == Some(Incompatibility::Tests) {
            Vec::new()
        } else {
            matched(&items, baseline, &mut notes)
        };
        let metrics = runs.get(baseline).map_or([].as_slice(), |(run, _)| metrics(run));
        let mut comparison = Self {
            baseline,
            count: runs.len(),
            value_name: runs.get(baseline).map_or("", |(run, _)| run.subject.value_name()),
            conditions: conditions::of(runs),
            notes,
            variation: floor.map_or(Variation::Unknown, |floor| Variation::Repeats(floor.count)),
            prior: prior.clone(),
            rows: Vec::new(),
            obstacle,
        };
        let noise = figures::Noise { floor, prior };
        let family = matched.len() * runs.len().saturating_sub(1);
        for positions in matched {
            let obstacle = comparison.obstacle.as_ref();
            let items = at(&items, &positions);
            comparison.rows.push(figures::row(
                &items, &positions, baseline, metrics, obstacle, &noise, family,
            ));
        }
        comparison
    }

    /// What a run is against the baseline over all its rows.
    pub fn outcome(&self, run: usize) -> Outcome {
        if self.obstacle.is_some() {
            return Outcome::NotComparable;
        }
        Outcome::joined(self.rows.iter().filter_map(|row| *row.outcomes.get(run)?))
    }

    /// The conditions that differ, those with the largest likely effect first.
    pub fn differing(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter().filter(|condition| condition.weight != Relevance::Same)
    }
}

fn obstacle(runs: &[(&Run, &Report)]) -> Option<Incompatibility> {
    let (first, _) = runs.first()?;
    if runs.iter().any(|(run, _)| run.subject.key() != first.subject.key()) {
        return Some(Incompatibility::Tests);
    }
    // What another program recorded follows no method of this one.
    let method = |run: &Run| run.plan().map(|_| run.method_version);
    let differs = runs.iter().any(|(run, _)| method(run) != method(first));
    differs.then_some(Incompatibility::Methods)
}

fn notes(runs: &[(&Run, &Report)]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (&(run, _), at) in runs.iter().zip(0..) {
        if run.ending != Ending::Finished {
            notes.push(Note::Incomplete(at));
        }
        if 0 < run.lost_count() {
            notes.push(Note::Lost { run: at, count: run.lost_count() });
        }
        if run.health.debug_build {
            notes.push(Note::DebugBuild(at));
        }
    }
    notes
}

/// What is at these positions of each run.
fn at<'a>(items: &[Vec<Item<'a>>], positions: &[usize]) -> Vec<Item<'a>> {
    let found = items.iter().zip(positions);
    found.filter_map(|(items, &position)| items.get(position).copied()).collect()
}

/// Positions of what belongs together, in the order of the baseline.
fn matched(items: &[Vec<Item<'_>>], baseline: usize, notes: &mut Vec<Note>) -> Vec<Vec<usize>> {
    let mut labels: Vec<&str> = Vec::new();
    for item in items.get(baseline).into_iter().chain(items).flatten() {
        if !labels.contains(&item.label()) {
            labels.push(item.label());
        }
    }
    let mut matched = Vec::new();
    let mut alone = Vec::new();
    for label in labels {
        let found: Vec<Option<usize>> =
            items.iter().map(|items| items.iter().position(|item| item.label() == label)).collect();
        if let Some(positions) = found.iter().copied().collect::<Option<Vec<usize>>>() {
            matched.push(positions);
        } else {
            let with = found.iter().zip(0..).filter(|(position, _)| position.is_some());
            let runs = with.map(|(_, run)| run).collect();
            alone.push(Note::Unmatched { label: label.to_owned(), runs });
        }
    }
    if matched.is_empty() && !items.is_empty() && items.iter().all(|items| items.len() == 1) {
        let labels = items.iter().flatten().map(|item| item.label().to_owned());
        notes.push(Note::LabelMismatch(labels.collect()));
        matched.push(vec![0; items.len()]);
    } else {
        notes.append(&mut alone);
    }
    item_notes(items, &matched, notes);
    matched
}

/// What is to be said of what is compared.
fn item_notes(items: &[Vec<Item<'_>>], matched: &[Vec<usize>], notes: &mut Vec<Note>) {
    let mut has_lengths = false;
    for positions in matched {
        let items = at(items, positions);
        let lengths: Vec<Nanos> = items.iter().map(|item| item.length()).collect();
        let (min, most) = (lengths.iter().min().copied(), lengths.iter().max().copied());
        let differ = min.zip(most).is_some_and(|(min, most)| {
            // A slot more or less is no other length.
            most.as_f64() * 0.98 > min.as_f64()
        });
        if differ && !has_lengths {
            notes.push(Note::Lengths(lengths));
            has_lengths = true;
        }
        for (item, run) in items.iter().zip(0..) {
            let row = item.row().filter(|row| row.granted.is_some() && !row.is_as_requested());
            notes.extend(row.map(|row| Note::NotAsRequested {
                run,
                label: row.label.clone(),
                granted: row.applied_text(),
            }));
        }
    }
}

#[cfg(test)]
mod tests;
