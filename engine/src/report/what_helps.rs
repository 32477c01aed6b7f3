//! Evaluation of the test "What helps": the effect of each change on p99 lateness, and which change to make.

mod apply;
mod charts;
mod effect;
mod table;
mod verdict;

pub use self::apply::{Language, code};
pub use self::effect::ChangeEffect;
pub use self::table::DISTURBED;
pub use self::verdict::{is_little_to_gain, recommended};
use super::model::chart::Chart;
use super::model::configuration::Configuration;
use super::model::evaluation::{Evaluation, Measured};
use super::model::figures::Figures;
use super::model::metric::Metric;
use super::model::table::Table;
use super::model::verdict::Verdict;
use super::{Report, paced};
use crate::plan::WhatHelps;
use crate::run::Run;
use crate::stats::Summary;

impl Evaluation for WhatHelps {
    fn metrics(&self) -> &'static [Metric] {
        Metric::PACED
    }

    fn figures(&self, measured: &Measured<'_>, summary: Option<&Summary>) -> Figures {
        paced::figures(measured, summary)
    }

    /// Puts the baseline first and then the changes in the order in which they are listed, whichever block ran first.
    fn sort(&self, configurations: &mut [Configuration]) {
        configurations.sort_by_key(|one| effect::place(&one.label));
    }

    fn results(&self, run: &Run, rows: &[Configuration], has_intervals: bool) -> Figures {
        Figures::of(effect::of(self, run, rows, has_intervals))
    }

    fn verdict(&self, _run: &Run, report: &Report) -> Verdict {
        verdict::of(self, report)
    }

    fn tables(&self, run: &Run, report: &Report, _has_intervals: bool) -> Vec<Table> {
        let effects = report.results::<ChangeEffect>();
        vec![
            table::changes(self, effects),
            apply::table(run, report),
            paced::configurations_table(&report.rows, None),
        ]
    }

    fn key_columns(&self) -> &'static [&'static str] {
        table::KEY_COLUMNS
    }

    fn charts(&self, run: &Run, report: &Report) -> Vec<Chart> {
        charts::of(run, report)
    }
}

#[cfg(test)]
mod tests {
    mod simulated;
}
