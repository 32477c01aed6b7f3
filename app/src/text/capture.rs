//! What is said on the page of an imported run.

/// What stands after the definition that the settings name.
pub const USED: &str = " (used)";

/// What no capture holds, and why.
pub const NOT_AVAILABLE: [&str; 3] = [
    "Lateness and missed frames: no schedule",
    "Schedule grade: needs lateness",
    "Causes of slow frames: no switch records",
];
