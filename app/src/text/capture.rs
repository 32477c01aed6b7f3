//! Texts of the page of an imported run.

/// Suffix of the definition of the 1% low that is selected in the settings.
pub const USED: &str = " (selected)";

/// Values that imported runs do not contain, and the reason.
pub const NOT_AVAILABLE: [&str; 3] = [
    "Lateness and missed frames: no schedule",
    "Schedule grade: needs lateness",
    "Causes of slow frames: no switch records",
];
