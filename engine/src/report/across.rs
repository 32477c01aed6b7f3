//! What several runs show together: how they differ, the answer of the quick check, and what helps.

pub mod comparison;
pub mod quick;
mod what_helps;

pub use comparison::Comparison;
pub use what_helps::{follow_up, frame_loop_of, with_follow_up};
