//! The template of a platform: a system that supports nothing but what the standard library does everywhere.
//!
//! A system names here what it lacks: see the lists in `macos.rs` and `windows.rs`. A port begins with a file that
//! names all of it, and replaces one function after another. The feature `unsupported-platform` selects the template
//! itself as the platform, so that a check of the engine shows whether it is complete.

mod clock;
mod control;
mod counters;
mod desktop;
mod limits;
mod machine;
mod processes;
mod rights;
mod scheduling;
mod tied;
mod trace;
mod window;

pub use clock::*;
pub use control::*;
pub use counters::*;
pub use desktop::*;
pub use limits::*;
pub use machine::*;
pub use processes::*;
pub use rights::*;
pub use scheduling::*;
pub(crate) use tied::*;
pub use trace::*;
pub use window::*;
