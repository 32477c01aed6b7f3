//! Notes of the user about an instant or a range of a trial.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// A note about an instant or a range of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Annotation {
    /// Position of the trial in the list of trials of the run.
    pub trial: usize,
    /// Start of the range, on the clock of the trial's samples.
    #[serde(rename = "from_nanos")]
    pub from: Nanos,
    /// End of the range; equal to the start for an instant.
    #[serde(rename = "to_nanos")]
    pub to: Nanos,
    /// The text of the note.
    pub text: String,
}

impl Annotation {
    /// Returns the instant or range in seconds: `12.340 s`, `12.340 to 14.000 s`.
    pub fn place(&self) -> String {
        let (from, to) = (self.from.as_secs(), self.to.as_secs());
        if self.from == self.to {
            format!("{from:.3} s")
        } else {
            format!("{from:.3} to {to:.3} s")
        }
    }
}
