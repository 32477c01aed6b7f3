//! A test that starts as soon as other programs are quiet.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::report::Disturbance;
use jitterscope_engine::runner::{Host, OtherPrograms, QuietWait};

use super::quick::LOOK;
use super::{Context, Outbox, Running};

/// A test that waits until other programs are quiet.
#[derive(Debug)]
pub struct WaitingTest {
    test: &'static str,
    quiet: QuietWait,
    found: OtherPrograms,
    host: Host,
}

impl WaitingTest {
    /// The key of the test.
    pub const fn test(&self) -> &'static str {
        self.test
    }

    /// What other programs use; nothing is known before the first look.
    pub const fn found(&self) -> &OtherPrograms {
        &self.found
    }

    /// How long it still waits before it starts all the same.
    pub const fn left(&self) -> Nanos {
        self.quiet.left()
    }

    /// The share of one CPU below which other programs are quiet enough.
    pub const fn quiet_share(&self) -> f64 {
        Disturbance::LIMIT
    }

    /// Starts at the next look, however busy other programs are.
    pub(super) fn measure_now(&mut self) {
        self.quiet = QuietWait::new(Nanos::ZERO);
    }
}

impl Running {
    /// The test that waits for quiet.
    pub const fn waiting(&self) -> Option<&WaitingTest> {
        self.waiting.as_ref()
    }

    /// Measures the settings of the result on screen again as soon as other programs are quiet.
    pub(in crate::session) fn start_when_quiet(&mut self, test: &'static str, context: &Context) {
        if self.is_busy() || context.facts.is_none() {
            return;
        }
        let Some(host) = context.host.clone() else { return };
        self.change(test, super::TestState::take_settings_of_result);
        let quiet = QuietWait::new(QuietWait::LONG);
        let found = OtherPrograms::default();
        self.waiting = Some(WaitingTest { test, quiet, found, host: host.clone() });
        self.look_at_other_load(host);
    }

    /// Starts the test that waits if other programs are quiet enough, or looks again.
    pub(super) fn start_waiting(
        &mut self,
        found: OtherPrograms,
        context: &Context,
        outbox: &mut Outbox,
    ) {
        let Some(waiting) = &mut self.waiting else { return };
        if waiting.quiet.must_wait(found.share) {
            waiting.quiet.spend(LOOK);
            waiting.found = found;
            let host = waiting.host.clone();
            self.look_at_other_load(host);
        } else {
            let test = waiting.test;
            self.waiting = None;
            self.start_test(test, context, outbox);
        }
    }
}
