//! The pages of the window: each a struct of how it looks, drawn from the session, giving back actions.

mod frame_loop;
mod runs;
mod setup;
mod test;

pub use frame_loop::{FrameLoopPage, severity_of};
pub use runs::RunsPage;
pub use test::{TestPage, icon_of};
