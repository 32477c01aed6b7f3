//! Runs that are measured one after the other: repeats of one setting, or two settings in turns.

use std::collections::VecDeque;
use std::path::PathBuf;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::run::{Ending, Run};
use jitterscope_engine::store::repeats::{MAX_REPEATS, repeat_tag};

use super::comparing::Progress;
use super::{Action, Notice, Session, Shown};
use crate::text::series as words;

/// One run of a series.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    plan: Plan,
    tags: Vec<String>,
}

/// Runs that are measured one after the other.
#[derive(Debug)]
pub struct Series {
    steps: VecDeque<Step>,
    /// The tags of the run that goes on.
    tags: Vec<String>,
    /// Which run goes on, from 1.
    at: usize,
    count: usize,
    saved: Vec<PathBuf>,
}

impl Series {
    /// One setting, several times.
    pub(super) fn repeats(plan: &Plan, times: u32) -> Self {
        let count = usize::try_from(times).unwrap_or(1);
        let step = |number| Step { plan: plan.clone(), tags: vec![repeat_tag(number, count)] };
        Self::of((1..=count).map(step).collect())
    }

    /// Two settings in turns: A B, B A, A B, so that a drift counts for neither.
    fn turns(plans: [&Plan; 2], times: u32) -> Self {
        let mut steps = VecDeque::new();
        for turn in 0..times.max(1) {
            let number = format!("{}/{}", turn + 1, times.max(1));
            let mut pair = ["A", "B"].into_iter().zip(plans).map(|(letter, plan)| Step {
                plan: plan.clone(),
                tags: vec!["alternate".to_owned(), format!("{letter} {number}")],
            });
            let (first, second) = (pair.next(), pair.next());
            let order = if turn % 2 == 0 { [first, second] } else { [second, first] };
            steps.extend(order.into_iter().flatten());
        }
        Self::of(steps)
    }

    fn of(steps: VecDeque<Step>) -> Self {
        Self { count: steps.len(), steps, tags: Vec::new(), at: 0, saved: Vec::new() }
    }

    /// Which run goes on, from 1, and how many there are.
    pub fn place(&self) -> (usize, usize) {
        (self.at, self.count)
    }

    fn next(&mut self) -> Option<Plan> {
        let step = self.steps.pop_front()?;
        self.tags = step.tags;
        self.at += 1;
        Some(step.plan)
    }
}

impl Session {
    /// The series that goes on, where several runs are measured one after the other.
    pub fn series(&self) -> Option<&Series> {
        self.series.as_ref()
    }

    /// Starts a test as often as its page says.
    pub(super) fn start_repeats(&mut self, key: &'static str) {
        if self.is_busy() {
            return;
        }
        let Some(bench) = self.bench(key) else { return };
        let (plan, times) = (bench.plan().clone(), bench.repeat());
        if 1 < times {
            self.series = Some(Series::repeats(&plan, times));
            self.go_on();
        } else {
            self.series = None;
            self.start(&plan);
        }
    }

    /// Measures the settings of the first two runs that are held side by side in turns.
    pub(super) fn alternate(&mut self, times: u32) {
        if self.is_busy() {
            self.notices.push(Notice::info(words::BUSY));
            return;
        }
        let Progress::Done(compared) = self.comparing.progress() else { return };
        let [a, b] = match compared.runs.as_slice() {
            [a, b, ..] => [a, b].map(|shown| shown.run.plan.clone()),
            _ => return,
        };
        self.series = Some(Series::turns([&a, &b], times.clamp(1, MAX_REPEATS)));
        self.go_on();
    }

    /// Starts the next run of the series.
    pub(super) fn go_on(&mut self) {
        let Some(plan) = self.series.as_mut().and_then(Series::next) else { return };
        self.go_to = Some(super::PageId::Test(plan.key()));
        self.start(&plan);
        if !self.is_running() {
            // Why it did not start was told.
            self.series = None;
        }
    }

    /// No further run of the series is started.
    pub(super) fn cut_series(&mut self) {
        if let Some(series) = &mut self.series {
            series.steps.clear();
        }
    }

    /// Marks a run that is over as one of the series; a run that was cut short ends the series.
    pub(super) fn mark(&mut self, run: &mut Run) {
        if let Some(series) = &mut self.series {
            run.tags.append(&mut series.tags);
            if run.ending != Ending::Finished {
                self.cut_series();
            }
        }
    }

    /// Goes on with the series once a run of it is saved.
    pub(super) fn after_saving(&mut self, shown: &Shown) {
        let Some(series) = &mut self.series else { return };
        series.saved.extend(shown.path.clone());
        if !series.steps.is_empty() {
            self.go_on();
            return;
        }
        let Some(series) = self.series.take() else { return };
        let saved = series.saved.len();
        // As many as can be held side by side, the last ones.
        let paths: Vec<PathBuf> = series.saved.iter().rev().take(4).rev().cloned().collect();
        let action = (2 <= paths.len()).then(|| ("Compare".to_owned(), Action::Compare(paths)));
        let text = words::over(saved, series.count);
        self.notices.push(Notice { action, ..Notice::info(text) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_numbered_and_turns_change_sides() {
        let plan = Plan::all().remove(0);
        let mut series = Series::repeats(&plan, 3);
        let mut tags = Vec::new();
        while series.next().is_some() {
            tags.push((series.tags.join(" "), series.place()));
        }
        let expected = [("repeat 1/3", (1, 3)), ("repeat 2/3", (2, 3)), ("repeat 3/3", (3, 3))];
        assert_eq!(tags, expected.map(|(tag, place)| (tag.to_owned(), place)));
        let other = Plan::all().remove(1);
        let mut series = Series::turns([&plan, &other], 2);
        let mut order = Vec::new();
        while let Some(plan) = series.next() {
            order.push((plan.key(), series.tags[1].clone()));
        }
        let expected = [(&plan, "A 1/2"), (&other, "B 1/2"), (&other, "B 2/2"), (&plan, "A 2/2")];
        assert_eq!(order, expected.map(|(plan, tag)| (plan.key(), tag.to_owned())));
    }
}
