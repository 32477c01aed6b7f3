//! The engine of Jitterscope: measures how steadily a PC can keep time.

pub mod nanos;
pub mod plan;
pub mod platform;
pub mod sample;
pub mod stats;
