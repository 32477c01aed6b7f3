//! The engine of Jitterscope: measures how steadily a PC can keep time.
//!
//! # The thought
//!
//! Every test does one thing over and over: it waits for an instant in some way, does some work, and notes
//! when the wait began, when it was due to end, when it did, and when the work was done. So a kind of test
//! runs nothing itself. It *plans*: its settings become [stages](plan::Stage) of [trials](plan::Trial),
//! plain data. One hot loop runs every trial, its [samples](sample::Sample) go through a ring to a
//! collector, and the collector owns the [`Run`](run::Run): what was asked, what was granted, every sample,
//! and what the machine was. A [`Report`](report::Report) is a pure function of a run, computed anew each
//! time it is looked at.
//!
//! ```
//! use jitterscope_engine::nanos::Nanos;
//! use jitterscope_engine::plan::{CpuFacts, FrameLoop, Probe as _};
//!
//! let settings = FrameLoop { time_each: Nanos::from_secs(1), ..FrameLoop::default() };
//! assert_eq!(settings.stages(&CpuFacts::default()).len(), 1);
//! ```
//!
//! # The code map
//!
//! | module | is |
//! | --- | --- |
//! | [`nanos`], [`sample`] | the words: signed nanoseconds, one turn of the loop |
//! | [`stats`] | numbers from samples, pure |
//! | [`game`] | a game server's cycle: the work of one test, pure |
//! | [`plan`] | kinds of test: one file each, named in `plan.rs` and nowhere else |
//! | [`platform`] | the operating system behind a few plain functions |
//! | [`machine`], [`run`] | facts: what measured, and what was measured |
//! | [`measure`] | the only threads: hot loop, ring, collector, load, watchdog |
//! | [`report`] | conclusions of one run, and of runs side by side |
//! | [`format`](mod@format), [`store`] | the run file, and a folder of them |
//! | [`export`], [`import`] | a run for other programs, and other programs' captures as runs |
//! | [`runner`] | from request to saved run: what everyone who measures calls |
//!
//! # Invariants
//!
//! 1. The engine does not know that there is a window, and prints nothing.
//! 2. Only [`measure`] starts threads; only [`platform`] has `unsafe` code and names systems; `stats`,
//!    `game`, `plan` and `report` are pure and cannot fail.
//! 3. Between two samples there is no allocation, no lock, no formatting, and no system call but the wait's.
//! 4. A late collector loses samples and says how many; a late window loses nothing.
//! 5. Facts are kept, conclusions are computed. Only facts have a file version.
//! 6. What was asked and what was granted stand side by side; a refusal is data, never a silent fallback.

pub mod export;
pub mod format;
pub mod game;
pub mod import;
pub mod machine;
pub mod measure;
pub mod nanos;
pub mod plan;
pub mod platform;
pub mod report;
pub mod run;
pub mod runner;
pub mod sample;
pub mod stats;
pub mod store;
pub mod units;
