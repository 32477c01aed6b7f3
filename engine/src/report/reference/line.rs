//! One line in the layout of a reference tool, and whether it goes to standard output or standard error.

/// One line in the layout of a reference tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceLine {
    /// The text, without a line break at its end.
    pub text: String,
    /// Whether the line goes to standard error: the tool prints it on that stream, or the layout has no place for it.
    pub is_error: bool,
}

impl ReferenceLine {
    pub(super) fn out(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}
