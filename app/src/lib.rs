//! The app.

pub mod text;
pub mod theme;
