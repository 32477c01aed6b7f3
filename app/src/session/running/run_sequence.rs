//! A series of runs: repeats with the same settings, or two alternating settings.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::run::Labels;
use jitterscope_engine::runner::RunSequence;

use super::{Action, Context, LoadedRun, Notice, PageId, Request, Running};
use crate::session::machine::{NOISE_REPEATS, NOISE_TEST};
use crate::text::series as words;

/// A series of runs in progress, and the files saved so far.
#[derive(Debug)]
pub struct SequenceState {
    runs: RunSequence,
    is_cut: bool,
    saved: Vec<PathBuf>,
}

impl SequenceState {
    /// Returns the number of the current run, from 1, and the total number of runs.
    pub fn place(&self) -> (usize, usize) {
        (self.runs.started_count(), self.runs.run_count)
    }
}

impl Running {
    /// Starts a test, repeated as often as selected on its page.
    pub(in crate::session) fn start_test(&mut self, test: &str, context: &Context) {
        if self.is_busy() {
            return;
        }
        let Some(state) = self.test(test) else { return };
        let (plan, times) = (state.plan.clone(), state.repeat);
        if 1 < times {
            self.start_sequence(RunSequence::repeats(&plan, &Labels::default(), times), context);
        } else {
            self.sequence = None;
            self.start(&plan, Labels::default(), context);
        }
    }

    /// Re-runs the settings of the result on screen once, and records which threads have the CPUs
    /// (a trace). The trace mode selected for the test does not change.
    pub(in crate::session) fn run_again_with_trace(&mut self, test: &str, context: &Context) {
        if self.is_busy() {
            return;
        }
        let Some(state) = self.test_mut(test) else { return };
        let trace = state.trace;
        state.take_settings_of_result();
        state.set_trace(TraceMode::Auto);
        let plan = state.plan.clone();
        self.sequence = None;
        self.start(&plan, Labels::default(), context);
        self.change(test, |state| state.set_trace(trace));
    }

    /// Starts the repeats that measure the noise floor.
    pub(in crate::session) fn measure_noise(&mut self, context: &Context) {
        if self.is_busy() {
            return;
        }
        let Some(plan) = self.test(NOISE_TEST).map(|state| state.plan.clone()) else { return };
        self.start_sequence(
            RunSequence::repeats(&plan, &Labels::default(), NOISE_REPEATS),
            context,
        );
    }

    /// Re-runs the settings of the first two of these runs, alternating, each `times` times.
    pub(in crate::session) fn alternate(
        &mut self,
        runs: &[Arc<LoadedRun>],
        times: u32,
        context: &Context,
    ) {
        if self.is_busy() {
            context.report_error(words::BUSY);
            return;
        }
        let [a, b, ..] = runs else { return };
        let Some((a, b)) = a.run.plan().zip(b.run.plan()) else {
            context.report_error(words::NOT_MEASURED_HERE);
            return;
        };
        self.start_sequence(RunSequence::alternation([a, b], times), context);
    }

    /// Starts a series of runs.
    fn start_sequence(&mut self, runs: RunSequence, context: &Context) {
        self.sequence = Some(SequenceState { runs, is_cut: false, saved: Vec::new() });
        self.go_on(context);
    }

    /// Starts the next run of the series.
    fn go_on(&mut self, context: &Context) {
        let Some(step) = self.sequence.as_mut().and_then(|series| series.runs.next()) else {
            return;
        };
        context.push(Request::GoTo(PageId::Test(step.plan.key())));
        self.start(&step.plan, step.labels, context);
        if !self.is_running() {
            // `start` has already reported the error.
            self.sequence = None;
        }
    }

    /// Prevents further runs of the series.
    pub(super) fn cut_sequence(&mut self) {
        if let Some(series) = &mut self.sequence {
            series.is_cut = true;
        }
    }

    /// Starts the next run of the series after a run was saved; after the last run, reports the end
    /// of the series.
    pub(super) fn after_saving(&mut self, shown: &LoadedRun, context: &Context) {
        let Some(series) = &mut self.sequence else { return };
        series.saved.extend(shown.path.clone());
        if !series.is_cut && !series.runs.is_over() {
            self.go_on(context);
            return;
        }
        let Some(series) = self.sequence.take() else { return };
        let saved = series.saved.len();
        // Offer to compare the last runs: up to 4, the maximum of a comparison.
        let paths: Vec<PathBuf> = series.saved.iter().rev().take(4).rev().cloned().collect();
        let action = (2 <= paths.len()).then(|| ("Compare".to_owned(), Action::Compare(paths)));
        let text = words::over(saved, series.runs.run_count);
        context.notify(Notice { action, ..Notice::info(text) });
    }
}
