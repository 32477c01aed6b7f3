//! Runs that are measured one after another: repeats of one plan, or two plans in alternating order.

use std::collections::VecDeque;

use crate::plan::Plan;
use crate::run::Labels;
use crate::store::repeats::{MAX_REPEATS, repeat_tag};

/// The tag of runs that were measured in alternating order.
const ALTERNATE_TAG: &str = "alternate";

/// One run of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The plan to measure.
    pub plan: Plan,
    /// The name, tags, and group of the run.
    pub labels: Labels,
    /// The plan of the run: 0 for plan A or the only plan, 1 for plan B.
    pub side: usize,
    /// The number of the round, from 1. Each round measures every plan once.
    pub round: u32,
}

/// An iterator over runs that are measured one after another.
#[derive(Clone, Debug)]
pub struct RunSequence {
    steps: VecDeque<Step>,
    /// The number of runs.
    pub run_count: usize,
}

impl RunSequence {
    /// Returns a sequence of one plan, repeated 1 to [`MAX_REPEATS`] times. Each run gets the labels; with more than one
    /// run, further tags number the runs.
    pub fn repeats(plan: &Plan, labels: &Labels, times: u32) -> Self {
        let times = times.clamp(1, MAX_REPEATS);
        let step = |round| {
            let mut labels = labels.clone();
            labels.tags.extend((1 < times).then(|| repeat_tag(round, times)));
            Step { plan: plan.clone(), labels, side: 0, round }
        };
        Self::of((1..=times).map(step).collect())
    }

    /// Returns a sequence of two plans A and B, each repeated 1 to [`MAX_REPEATS`] times: A B, B A,
    /// A B. Drift over time then affects both plans equally.
    pub fn alternation([a, b]: [&Plan; 2], times: u32) -> Self {
        let times = times.clamp(1, MAX_REPEATS);
        let mut steps = VecDeque::new();
        for round in 1..=times {
            let mut pair = [(0, "A"), (1, "B")].map(|(side, letter)| {
                let tags = vec![ALTERNATE_TAG.to_owned(), format!("{letter} {round}/{times}")];
                let labels = Labels { tags, ..Labels::default() };
                let plan = if side == 0 { a } else { b };
                Step { plan: plan.clone(), labels, side, round }
            });
            if round % 2 == 0 {
                pair.reverse();
            }
            steps.extend(pair);
        }
        Self::of(steps)
    }

    fn of(steps: VecDeque<Step>) -> Self {
        Self { run_count: steps.len(), steps }
    }

    /// Returns the number of runs that have been started.
    pub fn started_count(&self) -> usize {
        self.run_count - self.steps.len()
    }

    /// Whether all runs have been started.
    pub fn is_over(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Iterator for RunSequence {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(sequence: RunSequence) -> Vec<(&'static str, String)> {
        sequence.map(|step| (step.plan.key(), step.labels.tags.join(" "))).collect()
    }

    #[test]
    fn repeats_are_numbered_and_alternation_changes_sides() {
        let [a, b] = [0, 1].map(|at| Plan::all().remove(at));
        let own = Labels { tags: vec!["own".to_owned()], ..Labels::default() };
        let numbered = tags(RunSequence::repeats(&a, &own, 3));
        let expected = ["own repeat 1/3", "own repeat 2/3", "own repeat 3/3"];
        assert_eq!(numbered, expected.map(|tag| (a.key(), tag.to_owned())));
        assert_eq!(tags(RunSequence::repeats(&a, &own, 1)), [(a.key(), "own".to_owned())]);
        let expected = [(&a, "A 1/2"), (&b, "B 1/2"), (&b, "B 2/2"), (&a, "A 2/2")];
        let expected = expected.map(|(plan, tag)| (plan.key(), format!("alternate {tag}")));
        assert_eq!(tags(RunSequence::alternation([&a, &b], 2)), expected);
    }

    #[test]
    fn a_sequence_counts_the_runs_it_started() {
        let labels = Labels { name: "x".to_owned(), ..Labels::default() };
        let mut sequence = RunSequence::repeats(&Plan::all().remove(0), &labels, 2);
        assert_eq!((sequence.run_count, sequence.started_count()), (2, 0));
        let step = sequence.next().unwrap();
        assert_eq!((step.round, step.side, step.labels.name.as_str()), (1, 0, "x"));
        assert_eq!((sequence.started_count(), sequence.is_over()), (1, false));
        sequence.next().unwrap();
        assert!(sequence.is_over());
    }
}
