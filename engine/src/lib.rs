//! The engine of Jitterscope: measures how steadily a PC can keep time.

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
pub mod sample;
pub mod stats;
pub mod store;
