//! Runs that are measured one after the other: repeats of one setting, or two settings in turns.

use std::path::PathBuf;

use jitterscope_engine::run::{Ending, Labels, Run};
use jitterscope_engine::runner::RunSequence;

use super::comparing::Progress;
use super::{Action, Notice, Session, Shown};
use crate::text::series as words;

/// Runs that are measured one after the other, and those of them that are saved.
#[derive(Debug)]
pub struct Series {
    runs: RunSequence,
    is_cut: bool,
    saved: Vec<PathBuf>,
}

impl Series {
    /// Which run is measured, from 1, and how many there are.
    pub fn place(&self) -> (usize, usize) {
        (self.runs.started_count(), self.runs.run_count())
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
            self.start_series(RunSequence::repeats(&plan, "", times));
        } else {
            self.series = None;
            self.start(&plan, Labels::default());
        }
    }

    /// Measures the settings of the first two runs that are held side by side in turns.
    pub(super) fn alternate(&mut self, times: u32) {
        if self.is_busy() {
            self.notices.push(Notice::info(words::BUSY));
            return;
        }
        let Progress::Done(compared) = self.comparing.progress() else { return };
        let plans = match compared.runs.as_slice() {
            [a, b, ..] => a.run.plan().zip(b.run.plan()),
            _ => return,
        };
        let Some((a, b)) = plans else {
            self.notices.push(Notice::info(words::NOT_MEASURED_HERE));
            return;
        };
        self.start_series(RunSequence::alternation([a, b], times));
    }

    /// Starts runs one after the other.
    pub(super) fn start_series(&mut self, runs: RunSequence) {
        self.series = Some(Series { runs, is_cut: false, saved: Vec::new() });
        self.go_on();
    }

    /// Starts the next run of the series.
    fn go_on(&mut self) {
        let Some(step) = self.series.as_mut().and_then(|series| series.runs.next()) else { return };
        self.go_to = Some(super::PageId::Test(step.plan.key()));
        self.start(&step.plan, step.labels);
        if !self.is_running() {
            // Why it did not start was told.
            self.series = None;
        }
    }

    /// No further run of the series is started.
    pub(super) fn cut_series(&mut self) {
        if let Some(series) = &mut self.series {
            series.is_cut = true;
        }
    }

    /// Ends the series where a run of it was cut short.
    pub(super) fn cut_series_after(&mut self, run: &Run) {
        if run.ending != Ending::Finished {
            self.cut_series();
        }
    }

    /// Goes on with the series once a run of it is saved.
    pub(super) fn after_saving(&mut self, shown: &Shown) {
        let Some(series) = &mut self.series else { return };
        series.saved.extend(shown.path.clone());
        if !series.is_cut && !series.runs.is_over() {
            self.go_on();
            return;
        }
        let Some(series) = self.series.take() else { return };
        let saved = series.saved.len();
        // As many as can be held side by side, the last ones.
        let paths: Vec<PathBuf> = series.saved.iter().rev().take(4).rev().cloned().collect();
        let action = (2 <= paths.len()).then(|| ("Compare".to_owned(), Action::Compare(paths)));
        let text = words::over(saved, series.runs.run_count());
        self.notices.push(Notice { action, ..Notice::info(text) });
    }
}
