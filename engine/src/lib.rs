//! The engine of Jitterscope: measures how steadily a PC can keep time.
//!
//! # The idea
//!
//! Every test does one thing repeatedly: it waits until a scheduled time, does some work, and
//! records when the wait began, when it was due to end, when it ended, and when the work was done.
//! A test therefore does not measure anything itself. It *plans*: its settings become
//! [stages](plan::Stage) of [trials](plan::Trial), which are plain data. A few loops run all
//! trials. Their [samples](sample::Sample) pass through a ring buffer to a collector, which owns
//! the [`Run`](run::Run): the requested and the applied settings, every sample, and the machine. A
//! [`Report`](report::Report) is a pure function of a run, computed each time it is viewed.
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
//! | module | content |
//! | --- | --- |
//! | [`nanos`], [`sample`] | vocabulary: signed nanoseconds, one iteration of the loop |
//! | [`stats`] | numbers from samples, pure |
//! | [`game`] | a game server's cycle: the work of one test, pure |
//! | [`plan`] | what to measure: one file per test, named only in `plan.rs` |
//! | [`platform`] | the operating system behind plain functions |
//! | [`machine`], [`run`] | facts: the machine, and what was measured |
//! | [`measure`] | the only threads: measuring loops, ring, collector, load, watchdog |
//! | [`report`] | conclusions of one run, and of compared runs |
//! | [`format`](mod@format), [`store`] | the run file, and a folder of them |
//! | [`export`], [`import`] | runs for other programs, and captures of other programs |
//! | [`runner`] | from request to saved run: the only entry point for measuring |
//!
//! # Invariants
//!
//! 1. The engine does not depend on the window, and prints nothing.
//! 2. Only [`measure`] starts threads; only [`platform`] has `unsafe` code and code for specific
//!    systems; `stats`, `game`, `plan` and `report` are pure and cannot fail.
//! 3. Between two samples, a measuring loop does not allocate, lock, or format, and makes no system
//!    calls except for the wait itself.
//! 4. If the collector is too slow, samples are lost and counted; a slow window does not lose samples.
//! 5. Only facts are saved, in files with a version; conclusions are computed from them.
//! 6. Requested and applied settings are shown together; a refusal is data, never a silent fallback.

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
