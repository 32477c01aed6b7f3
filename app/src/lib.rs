//! Jitterscope: the window and the command line over the engine.
//!
//! Without the feature `window`, there is only the command line.

#[cfg(feature = "window")]
pub mod app;
pub mod cli;
pub mod facts;
#[cfg(feature = "window")]
pub mod instance;
#[cfg(feature = "window")]
pub mod log_file;
#[cfg(feature = "window")]
pub mod pages;
#[cfg(feature = "window")]
pub mod plots;
pub mod run_list;
#[cfg(feature = "window")]
pub mod session;
pub mod text;
#[cfg(feature = "window")]
pub mod theme;
#[cfg(feature = "window")]
pub mod widgets;

#[cfg(feature = "window")]
pub use app::{App, note_start};
