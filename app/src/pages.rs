//! The pages of the window: each a struct of how it looks, drawn from the session, giving back actions.

mod compare;
mod frame_loop;
mod runs;

pub use compare::ComparePage;
pub use frame_loop::{FrameLoopPage, severity_of};
pub use runs::RunsPage;
