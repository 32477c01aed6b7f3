//! Writes runs for other programs: plain functions from a run and its report to a `Write`.

pub mod csv;
