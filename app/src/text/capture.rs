//! Texts of the page of an imported run.

/// Marks the definition selected in the settings.
pub const USED: &str = " (selected)";

/// What no capture contains, and why.
pub const NOT_AVAILABLE: [&str; 3] = [
    "Lateness and missed frames: no schedule",
    "Schedule grade: needs lateness",
    "Causes of slow frames: no switch records",
];
