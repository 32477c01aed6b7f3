//! Names of options and values from earlier versions, accepted but not listed in the help.

/// Renamed options: current and earlier name.
const OPTIONS: [(&str, &str); 4] = [
    ("late-threshold", "late-limit"),
    ("block", "turn"),
    ("time-limit", "at-most"),
    ("workload", "what"),
];

/// Renamed values: current and earlier spelling.
const VALUES: [(&str, &str); 2] = [("default", "usual"), ("custom", "chosen")];

/// Returns the earlier name of an option, if it was renamed.
pub(super) fn former_option(name: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(now, _)| *now == name).map(|(_, former)| *former)
}

/// Returns the earlier spelling of a value, if it was renamed.
pub(super) fn former_value(value: &str) -> Option<&'static str> {
    VALUES.iter().find(|(now, _)| *now == value).map(|(_, former)| *former)
}

/// Returns whether a text is this value, in its current or its earlier spelling.
pub(super) fn is_value(text: &str, value: &str) -> bool {
    text == value || former_value(value) == Some(text)
}
