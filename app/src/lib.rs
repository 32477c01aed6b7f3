//! Jitterscope: the window and the command line over the engine.

pub mod app;
pub mod cli;
pub mod pages;
pub mod plots;
pub mod session;
pub mod text;
pub mod theme;
pub mod widgets;

pub use app::{App, note_start};
