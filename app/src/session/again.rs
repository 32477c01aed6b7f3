//! What was measured, measured again.

use super::{RUNNING, Session};

impl Session {
    /// Measures the settings of the result on screen again, once and with a trace.
    pub(super) fn run_again_with_trace(&mut self, test: &str) {
        self.run(RUNNING, |part, context, outbox| {
            part.run_again_with_trace(test, context, outbox);
        });
    }

    /// Re-runs the settings of the two compared runs, interleaved, this many times each.
    pub(super) fn alternate(&mut self, times: u32) {
        let compared = self.comparing.compared().cloned();
        let runs = compared.as_ref().map_or(&[][..], |compared| &compared.runs);
        self.run(RUNNING, |part, context, outbox| part.alternate(runs, times, context, outbox));
    }
}
