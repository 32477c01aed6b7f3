//! One line of a layout, and where it goes.

/// One line in the layout of a reference tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceLine {
    /// The text, without a line break at its end.
    pub text: String,
    /// Whether it goes to standard error: the tool prints it there, or its layout has no place for it.
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
