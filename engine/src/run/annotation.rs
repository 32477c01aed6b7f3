//! What the user wrote about an instant or a range of a trial.

use serde::{Deserialize, Serialize};

use crate::nanos::Nanos;

/// A note about an instant or a range of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Annotation {
    /// Position of the trial in the run.
    pub trial: usize,
    /// Where it begins, on the clock of the trial's samples.
    #[serde(rename = "from_nanos")]
    pub from: Nanos,
    /// Where it ends; the same as its start for an instant.
    #[serde(rename = "to_nanos")]
    pub to: Nanos,
    /// The note.
    pub text: String,
}

impl Annotation {
    /// Its place in seconds: `12.340 s`, `12.340 to 14.000 s`.
    pub fn place(&self) -> String {
        let (from, to) = (self.from.as_secs(), self.to.as_secs());
        if self.from == self.to {
            format!("{from:.3} s")
        } else {
            format!("{from:.3} to {to:.3} s")
        }
    }
}
