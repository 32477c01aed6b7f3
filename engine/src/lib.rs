//! The engine of Jitterscope: measures how steadily a PC can keep time.

pub mod nanos;
pub mod sample;
pub mod stats;
pub mod plan;
pub mod platform;
