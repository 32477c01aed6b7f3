//! Late frames counted by the share of a frame in the settings, away from the window's thread.
//!
//! Runs and exports keep the limit they were measured with; only what the window shows is counted anew.

use std::sync::Arc;
use std::time::Duration;

use jitterscope_engine::plan::USUAL_LATE_PERCENT;
use jitterscope_engine::report::{Options, Report};

use super::comparing::Progress;
use super::{Outcome, Session, Shown};

/// How long a share must stand before it is counted by: while a number is dragged it changes all the time.
const SETTLED: Duration = Duration::from_millis(400);

/// Whether a result is counted by a share of a frame, in percent.
fn is_counted(shown: &Shown, percent: f64) -> bool {
    let limit = shown.run.subject.late_limit(percent);
    limit.is_none_or(|limit| shown.report.rows.iter().all(|row| row.late_limit == limit))
}

/// A result counted by a share of a frame, in percent; `None` where it is already. Time: O(n).
pub(super) fn counted(shown: &Shown, percent: f64) -> Option<Shown> {
    if is_counted(shown, percent) {
        return None;
    }
    let options = Options { late_percent: percent, ..shown.report.options };
    Some(Shown { report: Report::of(&shown.run, &options), ..shown.clone() })
}

/// A result as its run was measured; `None` where it is that already.
pub(super) fn as_measured(shown: &Shown) -> Option<Shown> {
    counted(shown, USUAL_LATE_PERCENT.into())
}

impl Session {
    /// The share of a frame, in percent, above which the window counts it as late.
    pub fn late_percent(&self) -> f64 {
        f64::from(self.settings().late_percent)
    }

    /// Counts by another share, once it stands.
    pub(super) fn late_percent_changed(&self) {
        let percent = self.settings().late_percent;
        self.tasks.spawn("late-settles", move || {
            std::thread::sleep(SETTLED);
            Outcome::LateSettled(percent)
        });
    }

    /// Counts anew what is on screen, where the share still is the one that was waited for.
    pub(super) fn late_settled(&mut self, percent: u32) {
        if percent == self.settings().late_percent {
            self.count_results();
            self.count_comparison();
        }
    }

    /// Counts the results on screen that are counted by another share.
    pub(super) fn count_results(&self) {
        let percent = self.late_percent();
        let results = self.benches.iter().filter_map(super::Bench::shown);
        for shown in results.filter(|shown| !is_counted(shown, percent)) {
            let shown = Arc::clone(shown);
            self.tasks.spawn("count-late", move || {
                Outcome::CountedLate(counted(&shown, percent).map(Box::new))
            });
        }
    }

    /// Takes in a result that was counted anew, if it is still on screen and the share still stands.
    pub(super) fn take_counted(&mut self, shown: Shown) {
        let percent = self.late_percent();
        let (id, key) = (&shown.run.id, shown.run.subject.key());
        let bench = self.benches.iter_mut().find(|bench| bench.key() == key);
        let bench = bench.filter(|bench| bench.shown().is_some_and(|now| now.run.id == *id));
        if let Some(bench) = bench.filter(|_| is_counted(&shown, percent)) {
            bench.count_anew(shown);
        }
    }

    /// Compares again where the runs on screen are counted by another share.
    pub(super) fn count_comparison(&mut self) {
        let percent = self.late_percent();
        let Progress::Done(compared) = self.comparing.progress() else { return };
        if compared.runs.iter().all(|shown| is_counted(shown, percent)) {
            return;
        }
        self.compare(self.comparing.paths().to_vec());
    }
}
