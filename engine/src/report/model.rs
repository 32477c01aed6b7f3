//! The types of a report: figures, tables, charts, grades, and texts.

pub(super) mod cause;
pub(super) mod caution;
pub mod chart;
pub(super) mod configuration;
pub(super) mod delays;
pub(super) mod disturbance;
pub(super) mod evaluation;
pub(super) mod figures;
pub(super) mod grading;
pub(super) mod kernel_thread;
pub(super) mod key_figure;
mod known_program;
pub(super) mod mark;
pub mod metric;
pub(super) mod ranking;
pub(super) mod report;
pub mod table;
pub(super) mod usage;
pub(super) mod verdict;

pub use cause::{Cause, CauseRow};
pub use caution::{Caution, MissingRecords, RecordShortage};
pub use chart::Chart;
pub use configuration::Configuration;
pub use delays::{Delay, Delays, Suspect, advice_against};
pub use disturbance::Disturbance;
pub use figures::Figures;
pub use grading::{Grading, INCONCLUSIVE, Needed, Standing};
pub use kernel_thread::kernel_thread;
pub use key_figure::{GradePlace, KeyFigure, MAX_KEY_FIGURES};
pub use mark::Mark;
pub use metric::Metric;
pub use report::{Options, Report};
pub use table::Table;
pub use usage::Usage;
pub use verdict::{Finding, Verdict};
