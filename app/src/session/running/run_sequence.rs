//! Runs that are measured one after another: repeats of one setting, or two settings, interleaved.

use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::measure::TraceMode;
use jitterscope_engine::run::{Ending, Labels, Run};
use jitterscope_engine::runner::RunSequence;

use super::{Action, Context, LoadedRun, Notice, Outbox, PageId, Request, Running};
use crate::text::series as words;

/// Runs that are measured one after the other, and those of them that are saved.
#[derive(Debug)]
pub struct SequenceState {
    runs: RunSequence,
    is_cut: bool,
    saved: Vec<PathBuf>,
}

impl SequenceState {
    /// Which run is measured, from 1, and how many there are.
    pub fn place(&self) -> (usize, usize) {
        (self.runs.started_count(), self.runs.run_count())
    }
}

impl Running {
    /// Starts a test as often as its page requests.
    pub(in crate::session) fn start_test(
        &mut self,
        test: &str,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        if self.is_busy() {
            return;
        }
        let Some(state) = self.test(test) else { return };
        let (plan, times) = (state.plan().clone(), state.repeat());
        if 1 < times {
            self.start_sequence(RunSequence::repeats(&plan, "", times), context, outbox);
        } else {
            self.sequence = None;
            self.start(&plan, Labels::default(), context, outbox);
        }
    }

    /// Measures the settings of the result on screen again, once and with a trace. The settings stay in the test;
    /// whether it records a trace stays as the user set it.
    pub(in crate::session) fn run_again_with_trace(
        &mut self,
        test: &str,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        if self.is_busy() {
            return;
        }
        let Some(state) = self.test_mut(test) else { return };
        let trace = state.trace();
        state.take_settings_of_result();
        state.set_trace(TraceMode::Auto);
        let plan = state.plan().clone();
        self.sequence = None;
        self.start(&plan, Labels::default(), context, outbox);
        self.change(test, |state| state.set_trace(trace));
    }

    /// Repeats the settings of a test this many times.
    pub(in crate::session) fn repeat(
        &mut self,
        test: &str,
        times: u32,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        if self.is_busy() {
            return;
        }
        let Some(plan) = self.test(test).map(|state| state.plan().clone()) else { return };
        self.start_sequence(RunSequence::repeats(&plan, "", times), context, outbox);
    }

    /// Measures the settings of the first two of these runs in alternating order.
    pub(in crate::session) fn alternate(
        &mut self,
        runs: &[Arc<LoadedRun>],
        times: u32,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        if self.is_busy() {
            outbox.notify(Notice::error(words::BUSY));
            return;
        }
        let [a, b, ..] = runs else { return };
        let Some((a, b)) = a.run.plan().zip(b.run.plan()) else {
            outbox.notify(Notice::error(words::NOT_MEASURED_HERE));
            return;
        };
        self.start_sequence(RunSequence::alternation([a, b], times), context, outbox);
    }

    /// Starts runs one after the other.
    fn start_sequence(&mut self, runs: RunSequence, context: &Context, outbox: &mut Outbox) {
        self.sequence = Some(SequenceState { runs, is_cut: false, saved: Vec::new() });
        self.go_on(context, outbox);
    }

    /// Starts the next run of the series.
    fn go_on(&mut self, context: &Context, outbox: &mut Outbox) {
        let Some(step) = self.sequence.as_mut().and_then(|series| series.runs.next()) else {
            return;
        };
        outbox.push(Request::GoTo(PageId::Test(step.plan.key())));
        self.start(&step.plan, step.labels, context, outbox);
        if !self.is_running() {
            // The reason why it did not start was reported.
            self.sequence = None;
        }
    }

    /// No further run of the series is started.
    pub(super) fn cut_sequence(&mut self) {
        if let Some(series) = &mut self.sequence {
            series.is_cut = true;
        }
    }

    /// Ends the series where a run of it was cut short.
    pub(super) fn cut_sequence_after(&mut self, run: &Run) {
        if run.ending != Ending::Finished {
            self.cut_sequence();
        }
    }

    /// Continues the series once a run of it is saved.
    pub(super) fn after_saving(
        &mut self,
        shown: &LoadedRun,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        let Some(series) = &mut self.sequence else { return };
        series.saved.extend(shown.path.clone());
        if !series.is_cut && !series.runs.is_over() {
            self.go_on(context, outbox);
            return;
        }
        let Some(series) = self.sequence.take() else { return };
        let saved = series.saved.len();
        // As many as can be compared, the last ones.
        let paths: Vec<PathBuf> = series.saved.iter().rev().take(4).rev().cloned().collect();
        let action = (2 <= paths.len()).then(|| ("Compare".to_owned(), Action::Compare(paths)));
        let text = words::over(saved, series.runs.run_count());
        outbox.notify(Notice { action, ..Notice::info(text) });
    }
}
