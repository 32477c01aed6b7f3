//! The app.

pub mod text;
pub mod theme;
pub mod widgets;
