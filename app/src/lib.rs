//! The app.

pub mod theme;
