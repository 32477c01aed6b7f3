//! A test that starts as soon as other programs are quiet, which means that they use little CPU
//! time.

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::runner::{Host, OtherPrograms, QuietWait};

use super::{Context, Running};

/// A test that waits until other programs are quiet.
#[derive(Debug)]
pub struct WaitingTest {
    /// The key of the test.
    pub test: &'static str,
    quiet: QuietWait,
    /// The CPU use of other programs, as last measured; empty before the first measurement.
    pub found: OtherPrograms,
    host: Host,
}

impl WaitingTest {
    /// Returns the maximum remaining waiting time; after it, the test starts in any case.
    pub const fn left(&self) -> Nanos {
        self.quiet.left
    }

    /// Makes the test start after the measurement of the load that is in progress, even if other
    /// programs are busy.
    pub(super) fn measure_now(&mut self) {
        self.quiet = QuietWait::new(Nanos::ZERO);
    }
}

impl Running {
    /// Re-runs the settings of the result on screen as soon as other programs are quiet.
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

    /// Starts the waiting test if other programs are quiet enough; otherwise measures their load
    /// again.
    pub(super) fn start_waiting(&mut self, found: OtherPrograms, context: &Context) {
        let Some(waiting) = &mut self.waiting else { return };
        if waiting.quiet.must_wait(found.share) {
            waiting.quiet.spend(QuietWait::LOOK);
            waiting.found = found;
            let host = waiting.host.clone();
            self.look_at_other_load(host);
        } else {
            let test = waiting.test;
            self.waiting = None;
            self.start_test(test, context);
        }
    }
}
