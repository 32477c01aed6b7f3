//! Jitterscope: the window and the command line over the engine.

pub mod cli;
pub mod plots;
pub mod session;
pub mod text;
pub mod theme;
pub mod widgets;
