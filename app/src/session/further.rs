//! Follow-ups of a result: measuring more samples, or showing the frames of a tested change.

use super::{RUNNING, Session};

impl Session {
    /// Continues the parts of the quick check on screen that have too little data for a grade.
    pub(super) fn measure_longer(&mut self) {
        self.run(RUNNING, |part, context, _| part.measure_longer(context));
    }

    /// Continues a test whose result has too little data for a grade.
    pub(super) fn measure_test_longer(&mut self, test: &str) {
        self.run(RUNNING, |part, context, outbox| part.measure_test_longer(test, context, outbox));
    }

    /// Shows the frames of a tested change of the "what helps" test.
    pub(super) fn open_change(&mut self, test: &str, change: usize) {
        self.run(RUNNING, |part, context, _| part.open_change(test, change, context));
    }
}
