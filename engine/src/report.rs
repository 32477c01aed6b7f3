//! The report of a run: figures of each configuration, a verdict, warnings, and the causes of late
//! samples.
//!
//! Conclusions are never saved: a report is a pure function of a run. A better formula therefore
//! applies to every saved run, and the window and an export always agree.
//!
//! Layers, each of which uses only the layers listed before it:
//!
//! - `model`: the types of a report,
//! - `account`: the breakdown of lateness by cause,
//! - modules that several tests share,
//! - one module per test, `capture` for imported files, and `recording` for the recorder,
//! - `evaluate`, which computes a report,
//! - `glossary`: the terms and their definitions,
//! - `across`, which compares several runs,
//! - `document`, which words a result as blocks,
//! - `reference`: the output formats of the reference tools.

mod account;
mod across;
mod activity;
pub mod capture;
pub mod document;
mod evaluate;
mod frame_loop;
mod game_tick;
mod glossary;
mod model;
mod paced;
mod real_time;
pub mod recording;
mod reference;
mod resampled;
mod scheduling_gaps;
mod sleep_accuracy;
mod spin_strategies;
mod spin_tails;
mod waits;
mod what_helps;

pub use account::{
    Account, Culprit, CulpritKind, Lanes, LateSample, Occupancy, Occupant, RecordCount,
    SHOWN_REMAINDER, Segment, Source, Suspects, ThreadState, late_samples, record_counts,
    trace_state,
};
pub use across::{
    Comparison, DisturbedRun, comparison, follow_up, frame_loop_of, quick, trend, with_follow_up,
};
pub use capture::RecordingFigures;
pub use evaluate::{Headline, RecordingResults, limit_metrics, live_configuration};
pub(crate) use evaluate::{judges_each_configuration, metrics, programs_limit};
pub use game_tick::{Scaling, TickFigures};
pub(crate) use glossary::empty_run;
pub use glossary::{Term, glossary};
pub(crate) use model::program_of;
pub use model::{
    CaptureView, Cause, CauseRow, Caution, Chart, Configuration, Delay, Delays, Disturbance,
    Figures, Finding, FrameKind, GradePlace, Grading, INCONCLUSIVE, KeyFigure, MAX_KEY_FIGURES,
    Mark, Metric, MissingRecords, Needed, Options, RecordShortage, Report, Standing, Suspect,
    Table, Usage, Verdict, advice_against, chart, kernel_thread, metric, table,
};
pub use paced::{PacedFigures, rare_words};
pub use real_time::{Change, MIN_PAIRS, Measure, Reduction};
pub use reference::{
    LiveLines, PlotFile, ReferenceLine, latency2_line, reference_json, reference_lines,
    reference_plots,
};
pub use scheduling_gaps::{GAP_CLASSES, GapFigures, GapTotals, Stall, gap_histogram, own_gaps};
pub use sleep_accuracy::sleep_histogram;
pub use waits::WaitFigures;
pub use what_helps::{ChangeEffect, DISTURBED, Language, code, is_little_to_gain, recommended};

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) mod test_run;
}
