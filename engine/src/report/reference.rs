//! Results in the layouts of the reference tools, line by line, so that scripts written for them work.

pub(super) mod gdt_cpus;
pub(super) mod holoscan;
pub(super) mod jmh;
pub(super) mod latency2;
mod line;
pub(super) mod spin_sleep;

pub use latency2::LiveLines;
pub use line::ReferenceLine;
