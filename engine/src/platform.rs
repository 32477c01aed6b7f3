//! The operating system behind a few plain functions, the same on each system.
//!
//! `linux`, `windows` and `macos` each give every function named here; `cfg_select!` picks one.
//! What is held (a timer resolution, a waitable timer, a raised limit) is a guard with `Drop`.

mod applied;

pub use applied::{Applied, Effective, Guard, Policy, Refusal, RequestOutcome};
