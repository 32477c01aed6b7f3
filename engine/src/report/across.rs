//! Results from several runs: their comparison, the answer of the Quick check, and the changes that
//! help.

pub mod comparison;
mod disturbed;
pub mod quick;
pub mod trend;
mod what_helps;

pub use comparison::Comparison;
pub use disturbed::DisturbedRun;
pub use what_helps::{follow_up, frame_loop_of, with_follow_up};
