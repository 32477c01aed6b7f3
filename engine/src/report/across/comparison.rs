//! Compares two to four runs: their conditions, and the differences of their metrics.
//!
//! **The idea.** Two runs always differ. The question is whether a third one, with the settings of either, would show the same
//! difference. So each metric of each configuration becomes one effect ([`effect`](crate::stats::effect)): an estimate, an interval
//! that contains what repeats would show, and one word that follows from the interval and the minimum effect. The words of
//! all surfaces, `--fail-if`, and the headline are read off the same effects.
//!
//! **What is compared with what.** One run is the baseline, with which each other run is compared. Configurations are
//! matched by label; what only one side has is listed and not compared. A maximum grows with the length of a run: it is shown, but
//! not evaluated.
//!
//! **Where the variation comes from.** Groups of runs show it themselves. Two single runs do not: their blocks
//! ([`blocks`](crate::stats::blocks)) show how much chance does within a run, which is nothing about the next start of the program.
//! What repeats of the same settings in the library vary by is taken instead, or else a typical variation of that kind of metric
//! ([`Prior`]), which the sentence then names.
//!
//! **All together.** The differences of all metrics, configurations, and runs are one family, whose intervals hold together (Holm).
//! Otherwise a comparison of ten equal metrics would show a change in four of ten cases.
//!
//! **An example.** p99 is 410 µs in A and 520 µs in B, one run each, without repeats. The log ratio is 0.238. Within the runs, the
//! blocks give an error of 0.05. A single run of this kind of metric typically varies by 10%, so the difference of two has √2 × 0.10
//! = 0.141 on top: √(0.05² + 0.141²) = 0.150, and ±2.04 of it (the t of 30 degrees of freedom) is ±0.306. The interval of -6.6% to
//! +72% includes 0: *no clear difference*, and the sentence names the assumed 10%. Five runs of each that vary by 10% have the error
//! 0.10 × √(2 / 5) = 0.063 and t = 2.31: +9.6% to +47%, *worse*.
//!
//! **Conditions** are compared first, because a difference of the graphics driver can be the whole explanation: each is listed
//! with how likely it matters, and unknown ones as not reported, never as equal.
//!
//! **Why not the simpler way.** A limit on the ratio ("10% is a regression") alarms on a quarter of all equal pairs of a metric that
//! varies by 10%. A test over all frames of both runs, as if they were independent, finds a certain change between any two runs:
//! the frames of one run share its start.

mod candidate;
mod conditions;
mod figures;
mod groups;
mod item;
mod judge;
mod noise;
mod prior;
mod repeats;
pub mod words;

pub use conditions::{Condition, Relevance};
pub use figures::Figure;
pub use groups::{MAX_GROUPS, MIN_GROUP, split_groups};
pub use item::Item;
pub use judge::{Delta, MinEffect, Overall, Reason};
pub use noise::{MIN_REPEATS, MetricVariation, NoiseFloor, noise_of};
pub use prior::{Prior, PriorTextError, RepeatedValues};
pub use repeats::{
    PairedDifference, ValuesByLabel, is_repeat, paired_differences, setting_key, values,
};

use super::disturbed::DisturbedRun;
use crate::nanos::Nanos;
use crate::report::capture::caption_of;
use crate::report::model::metric::Metric;
use crate::report::{Options, Report, metrics};
use crate::run::{Ending, Run};
use crate::stats::blocks::Interval;
use crate::stats::{LowDefinition, Statistic, distinct, float};

/// Max number of runs in a comparison.
pub const MAX_RUNS: usize = 4;

/// Why numbers are not compared with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incompatibility {
    /// The runs are of different tests.
    Tests,
    /// The runs were measured by different method versions.
    Methods,
    /// The loops have different periods, so the same lateness is a different share of a frame.
    Periods(Vec<Nanos>),
    /// The values are periodic readings of a log, which omits most frames.
    Readings,
    /// Only counts of values are known, without their order in time.
    Counts,
    /// The runs of a group have different settings, machines, or conditions; holds the position of
    /// the group: 0 for A, 1 for B.
    MixedGroup(usize),
}

/// A note for readers of the numbers. Runs, or the groups A and B, are identified by their positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// The runs have different lengths, so maximum values and counts are not evaluated.
    Lengths(Vec<Nanos>),
    /// A run did not finish.
    Incomplete(usize),
    /// A configuration of a run did not run as requested.
    NotAsRequested {
        /// The position of the run.
        run: usize,
        /// The label of the configuration.
        label: String,
        /// The settings that were applied instead.
        granted: String,
    },
    /// Samples of a run were lost.
    Lost {
        /// The position of the run.
        run: usize,
        /// The number of lost samples.
        count: u64,
    },
    /// A run was measured by a build without optimization.
    DebugBuild(usize),
    /// An exported file of a run was changed after it was written.
    EditedAfterExport(usize),
    /// Something disturbed a run; holds the position of the run or group, and what happened.
    Disturbed(usize, String),
    /// A configuration is only in some of the runs.
    Unmatched {
        /// The label of the configuration.
        label: String,
        /// The positions of the runs that have the configuration.
        runs: Vec<usize>,
    },
    /// Each run has a single configuration. These configurations are compared with each other,
    /// although their labels, which this note lists, differ.
    LabelMismatch(Vec<String>),
    /// The part of a capture that its values are of; holds the position of the run, and what is shown of it.
    Shown(usize, String),
    /// The definition of the 1% low of captures, and its values by the definition that was requested if that is another
    /// one.
    Low {
        /// The definition that was requested.
        definition: LowDefinition,
        /// The recording; empty if the runs have one each.
        label: String,
        /// The value of the recording in each run, or the mean of each group, in frames per second.
        values: Vec<Option<f64>>,
    },
    /// The captures are periodic readings, which lack most frames or ticks.
    Sampled,
}

/// The source of the run-to-run variation: how much runs with the same settings differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variation {
    /// The run-to-run variation is not known.
    Unknown,
    /// Measured from this many saved runs with the settings of the baseline, none of them more
    /// recent than the baseline.
    Repeats(usize),
    /// Measured from the compared groups, which have these numbers of runs.
    Groups(Vec<usize>),
}

/// One configuration, compared across all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// The label of the configuration in the baseline.
    pub label: String,
    /// The position of the configuration among the [items](Item::all) of each run.
    pub positions: Vec<usize>,
    /// The late threshold of every run; `None` if it is not the same in all of them.
    pub late_limit: Option<Nanos>,
    /// Why the numbers are not evaluated; `None` if they are.
    pub obstacle: Option<Incompatibility>,
    /// The metrics of the configuration, each with a value and a difference per run.
    pub figures: Vec<Figure>,
    /// The outcome of each run compared with the baseline; `None` for the baseline itself.
    pub outcomes: Vec<Option<Overall>>,
}

impl ComparedRow {
    /// Returns the configuration or recording of this row in each of the runs.
    pub fn items<'a>(&self, runs: &[(&'a Run, &'a Report)]) -> Vec<Item<'a>> {
        let found = runs.iter().zip(&self.positions);
        found.filter_map(|((run, report), &at)| Item::all(run, report).get(at).copied()).collect()
    }
}

/// How runs are compared: what is known about their variation, and from which size on a change matters.
#[derive(Clone, Debug, Default)]
pub struct Rules<'a> {
    /// The noise floor for the settings of the baseline; `None` if they were not repeated.
    pub floor: Option<&'a NoiseFloor>,
    /// The typical run-to-run variation.
    pub prior: Prior,
    /// The minimum effect, where it is set.
    pub minimum: MinEffect,
}

impl Rules<'_> {
    /// Returns the typical variation of runs like `run`. A capture has none of the variation of tests, only what is
    /// given for the configurations of this comparison.
    fn prior_of(&self, run: Option<&Run>) -> Prior {
        let mut prior = self.prior.clone();
        if run.is_some_and(|run| run.plan().is_none()) {
            prior.variations.retain(|key, _| key.contains('@'));
        }
        prior
    }
}

/// A comparison of runs with a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Position of the run with which the other runs are compared.
    pub baseline: usize,
    /// The number of compared runs, or of groups.
    pub count: usize,
    /// The name of the values of the samples, such as "lateness".
    pub value_name: &'static str,
    /// Why the runs are not compared at all; `None` if they are.
    pub obstacle: Option<Incompatibility>,
    /// The conditions of the runs: those that differ first, in descending order of their likely
    /// effect.
    pub conditions: Vec<Condition>,
    /// Notes for readers of the numbers.
    pub notes: Vec<Note>,
    /// The source of the run-to-run variation.
    pub variation: Variation,
    /// The run-to-run variation that the comparison used in addition to what the runs themselves show.
    pub prior: Prior,
    /// The minimum effect that was set.
    pub minimum: MinEffect,
    /// The runs that something disturbed, each with its position among all runs.
    pub disturbed: Vec<(usize, DisturbedRun)>,
    /// The configurations that all runs have.
    pub rows: Vec<ComparedRow>,
}

impl Comparison {
    /// Evaluates runs and compares all of them with the run at the position `baseline`; with the first
    /// run if there is none at that position.
    pub fn of(runs: &[&Run], baseline: usize) -> Self {
        let reports: Vec<Report> =
            runs.iter().map(|run| Report::of(run, &Options::default())).collect();
        let evaluated: Vec<(&Run, &Report)> = runs.iter().copied().zip(&reports).collect();
        Self::of_reports(&evaluated, baseline, &Rules::default())
    }

    /// Compares runs that are already evaluated with the run at the position `baseline`.
    /// Time: O(n log n) in the number of samples, about 0.5 s for two runs of 3.6 million samples.
    pub fn of_reports(runs: &[(&Run, &Report)], baseline: usize, rules: &Rules<'_>) -> Self {
        let baseline = if baseline < runs.len() { baseline } else { 0 };
        let obstacle = obstacle(runs);
        let mut notes = notes(runs.iter().map(std::slice::from_ref));
        let items: Vec<Vec<Item<'_>>> =
            runs.iter().map(|(run, report)| Item::all(run, report)).collect();
        let matched = if obstacle == Some(Incompatibility::Tests) {
            Vec::new()
        } else {
            matched(&items, baseline, &mut notes)
        };
        notes.extend(length_note(&items, &matched));
        notes.extend(capture_notes(runs.iter().map(std::slice::from_ref), &matched));
        for positions in &matched {
            let sides: Vec<Vec<Item<'_>>> =
                at(&items, positions).into_iter().map(|item| vec![item]).collect();
            notes.extend(not_as_requested(&sides));
        }
        let metrics = runs.get(baseline).map_or([].as_slice(), |(run, _)| metrics(run));
        let mut comparison = Self {
            baseline,
            count: runs.len(),
            value_name: runs.get(baseline).map_or("", |(run, _)| run.subject.value_name()),
            conditions: conditions::of(runs),
            notes,
            variation: (rules.floor)
                .map_or(Variation::Unknown, |floor| Variation::Repeats(floor.count)),
            prior: Prior::default(),
            minimum: rules.minimum,
            disturbed: disturbed(runs),
            rows: Vec::new(),
            obstacle,
        };
        let prior = rules.prior_of(runs.get(baseline).map(|(run, _)| *run));
        let rules = Rules { prior, ..rules.clone() };
        let mut used = Prior::default();
        let mut rows = Vec::new();
        for (positions, place) in matched.iter().zip(0..) {
            let obstacle = comparison.obstacle.as_ref();
            let items = at(&items, positions);
            let used = (place, &mut used);
            rows.push(figures::row(&items, positions, baseline, metrics, obstacle, &rules, used));
        }
        comparison.prior = Prior { group_count: rules.prior.group_count, ..used };
        comparison.set_rows(rows);
        comparison
    }

    /// Decides the changes of all rows together, and adds the rows.
    fn set_rows(&mut self, rows: Vec<figures::Row>) {
        let (rows, candidates): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let candidates = candidates.into_iter().flatten().flatten().collect();
        let mut deltas = candidate::decided(candidates).into_iter();
        for mut row in rows {
            figures::set_deltas(&mut row, self.baseline, &mut deltas);
            self.rows.push(row);
        }
    }

    /// Returns the outcome of a run compared with the baseline, over all rows.
    pub fn outcome(&self, run: usize) -> Overall {
        if self.obstacle.is_some() {
            return Overall::NotComparable;
        }
        Overall::joined(self.rows.iter().filter_map(|row| *row.outcomes.get(run)?))
    }

    /// Returns the conditions that differ, those with the largest likely effect first.
    pub fn differing(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter().filter(|condition| condition.weight != Relevance::Same)
    }
}

/// Returns the runs that something disturbed, each with its position.
fn disturbed(runs: &[(&Run, &Report)]) -> Vec<(usize, DisturbedRun)> {
    let of =
        |(at, (run, report)): (usize, &(&Run, &Report))| Some((at, DisturbedRun::of(run, report)?));
    runs.iter().enumerate().filter_map(of).collect()
}

fn obstacle(runs: &[(&Run, &Report)]) -> Option<Incompatibility> {
    let (first, _) = runs.first()?;
    if runs.iter().any(|(run, _)| run.subject.key() != first.subject.key()) {
        return Some(Incompatibility::Tests);
    }
    // A recording of another program has no method version of this program.
    let method = |run: &Run| run.plan().map(|_| run.method_version);
    let differs = runs.iter().any(|(run, _)| method(run) != method(first));
    differs.then_some(Incompatibility::Methods)
}

/// Returns notes about the sides of a comparison, each of which is a run or a group of runs.
fn notes<'a>(sides: impl Iterator<Item = &'a [(&'a Run, &'a Report)]>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (side, at) in sides.zip(0..) {
        let is_any = |wanted: fn(&Run) -> bool| side.iter().any(|(run, _)| wanted(run));
        let count = side.iter().map(|(run, _)| run.lost_count()).sum();
        let is_incomplete = is_any(|run| run.ending != Ending::Finished);
        notes.extend(is_incomplete.then_some(Note::Incomplete(at)));
        notes.extend((0 < count).then_some(Note::Lost { run: at, count }));
        notes.extend(is_any(|run| run.health.debug_build).then_some(Note::DebugBuild(at)));
        let is_edited = is_any(|run| run.health.edited_after_export);
        notes.extend(is_edited.then_some(Note::EditedAfterExport(at)));
        let disturbed = side.iter().filter_map(|(run, report)| DisturbedRun::of(run, report));
        notes.extend(disturbed.map(|one| Note::Disturbed(at, one.words())));
    }
    notes
}

/// Returns one item of each run: of the run with the same index, the item at the position in `positions`.
fn at<'a>(items: &[Vec<Item<'a>>], positions: &[usize]) -> Vec<Item<'a>> {
    let found = items.iter().zip(positions);
    found.filter_map(|(items, &position)| items.get(position).copied()).collect()
}

/// Returns the positions of the items with the same label in all runs, in the order of the
/// baseline. Adds notes about items that have no match.
fn matched(items: &[Vec<Item<'_>>], baseline: usize, notes: &mut Vec<Note>) -> Vec<Vec<usize>> {
    let all = items.get(baseline).into_iter().chain(items).flatten();
    let labels = distinct(all.map(|item| item.label()));
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
        // The names of runs are shown next to their letters.
        if !items.iter().flatten().all(|item| item.is_named_like_its_run()) {
            let labels = items.iter().flatten().map(|item| item.label().to_owned());
            notes.push(Note::LabelMismatch(labels.collect()));
        }
        matched.push(vec![0; items.len()]);
    } else {
        notes.append(&mut alone);
    }
    matched
}

/// Returns notes about the definitions of captures, and about the parts of them that are compared. Each side is a run or
/// a group of runs; `matched` has the positions of the compared recordings in the first run of each side.
fn capture_notes<'a>(
    sides: impl Iterator<Item = &'a [(&'a Run, &'a Report)]>,
    matched: &[Vec<usize>],
) -> Vec<Note> {
    let sides: Vec<_> = sides.collect();
    if sides.iter().copied().flatten().any(|(run, _)| run.capture().is_none()) {
        return Vec::new();
    }
    let caption = |side: &[(&Run, &Report)]| {
        let captions = side.iter().map(|(_, report)| caption_of(report.results()));
        let captions = distinct(captions.filter(|caption| !caption.is_empty()));
        (!captions.is_empty()).then(|| captions.join("; or of "))
    };
    let captions = sides.iter().zip(0..);
    let mut notes: Vec<Note> = captions
        .filter_map(|(side, at)| caption(side).map(|caption| Note::Shown(at, caption)))
        .collect();
    let first = sides.first().and_then(|side| side.first());
    let Some((_, first)) = first else { return notes };
    let definition = first.options.capture.low;
    let is_one = matched.len() == 1;
    let lows = matched.iter().filter_map(|positions| {
        let firsts = sides.iter().zip(positions).filter_map(|(side, &position)| {
            let (run, report) = side.first()?;
            Item::all(run, report).get(position).copied()
        });
        let firsts: Vec<Item<'_>> = firsts.collect();
        let mean = |(side, first): (&&[(&Run, &Report)], &Item<'_>)| {
            let items = side
                .iter()
                .filter_map(|(run, report)| repeats::item(run, report, first.label(), is_one));
            let lows: Vec<f64> =
                items.filter_map(|item| item.low(Statistic::LOW_1, definition)).collect();
            (!lows.is_empty()).then(|| lows.iter().sum::<f64>() / float(lows.len()))
        };
        let values: Vec<Option<f64>> = sides.iter().zip(&firsts).map(mean).collect();
        let label = firsts.first().filter(|_| !is_one).map_or("", |first| first.label());
        let label = label.to_owned();
        values.iter().any(Option::is_some).then_some(Note::Low { definition, label, values })
    });
    // By the default definition, the rows have the values.
    let is_default = definition == LowDefinition::default();
    notes.extend(lows.take(if is_default { 1 } else { usize::MAX }));
    notes
}

/// Returns a note about the first configuration whose length is not the same in all runs; `None` if there is none.
fn length_note(items: &[Vec<Item<'_>>], matched: &[Vec<usize>]) -> Option<Note> {
    let lengths =
        |positions: &Vec<usize>| at(items, positions).iter().map(|item| item.length()).collect();
    let differ = |lengths: &Vec<Nanos>| {
        let (min, most) = (lengths.iter().min().copied(), lengths.iter().max().copied());
        min.zip(most).is_some_and(|(min, most)| {
            // Lengths within 2% count as equal: the number of slots can differ slightly.
            most.as_f64() * 0.98 > min.as_f64()
        })
    };
    matched.iter().map(lengths).find(differ).map(Note::Lengths)
}

/// Returns notes about the runs of each side in which a configuration did not run as requested. `sides` has the
/// configuration in every run of each side.
fn not_as_requested(sides: &[Vec<Item<'_>>]) -> Vec<Note> {
    let mut notes = Vec::new();
    for (items, run) in sides.iter().zip(0..) {
        let rows = items.iter().filter_map(|item| item.row());
        for row in rows.filter(|row| row.granted.is_some() && !row.is_as_requested()) {
            let (label, granted) = (row.label.clone(), row.applied_text());
            let note = Note::NotAsRequested { run, label, granted };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests;
