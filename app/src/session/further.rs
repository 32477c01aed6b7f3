//! What a result is taken further to: more of its samples, or the frames behind one of its rows.

use super::{RUNNING, Session};

impl Session {
    /// Measures on what is undecided in the quick check on screen.
    pub(super) fn measure_longer(&mut self) {
        self.run(RUNNING, |part, context, _| part.measure_longer(context));
    }

    /// Measures on what is undecided in the result of a test.
    pub(super) fn measure_test_longer(&mut self, test: &str) {
        self.run(RUNNING, |part, context, outbox| part.measure_test_longer(test, context, outbox));
    }

    /// Shows the frames of a change of what helps.
    pub(super) fn open_change(&mut self, test: &str, change: usize) {
        self.run(RUNNING, |part, context, _| part.open_change(test, change, context));
    }
}
