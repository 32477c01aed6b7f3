//! The prior of a comparison in JSON: the run-to-run variation that is assumed for each metric. A
//! comparison that is saved as JSON contains its prior, which can be read again: two PCs with the
//! same prior evaluate the same runs identically.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::comparison::Prior;
use crate::stats::VariancePrior;

/// The typical run-to-run variation of all metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorRecord {
    /// Number of groups of repeats from which the variation was estimated; 0 for the built-in
    /// prior.
    pub groups: usize,
    /// The variation of each metric, by its key.
    pub metrics: BTreeMap<String, VariancePrior>,
}

/// The part that is read of a comparison in JSON; the other keys are ignored.
#[derive(Deserialize)]
struct ComparisonHead {
    prior: PriorRecord,
}

/// Why a text contains no valid prior.
#[derive(Debug, thiserror::Error)]
pub enum PriorError {
    /// The text is neither a comparison nor a prior in JSON.
    #[error("this is no comparison in JSON")]
    NotAComparison,
    /// A number is out of range.
    #[error("the variation of '{0}' is out of range: expected positive numbers")]
    OutOfRange(String),
}

impl PriorRecord {
    /// Returns the JSON record of a prior.
    pub fn of(prior: &Prior) -> Self {
        Self { groups: prior.group_count, metrics: prior.variations.clone() }
    }

    /// Reads the prior of a comparison that was saved as JSON.
    pub fn read(text: &[u8]) -> Result<Prior, PriorError> {
        let ComparisonHead { prior: Self { groups, metrics } } = serde_json::from_slice(text)
            .map_err(|error| log::info!("no prior: {error}"))
            .map_err(|()| PriorError::NotAComparison)?;
        let fits = |number: f64| number.is_finite() && 0.0 < number;
        if let Some((key, _)) =
            metrics.iter().find(|(_, it)| !fits(it.std_dev) || !fits(it.freedom))
        {
            return Err(PriorError::OutOfRange(key.clone()));
        }
        Ok(Prior { group_count: groups, variations: metrics })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prior_is_read_back_from_a_comparison_and_nothing_else() {
        let of = VariancePrior { std_dev: 0.08, freedom: 12.5 };
        let prior = Prior { group_count: 7, variations: BTreeMap::from([("p99".to_owned(), of)]) };
        let record = serde_json::to_value(PriorRecord::of(&prior)).unwrap();
        let text = serde_json::json!({ "format": "jitterscope-comparison", "prior": record });
        let mut text = text.to_string();
        assert_eq!(PriorRecord::read(text.as_bytes()).unwrap(), prior);
        text = text.replace("0.08", "-1");
        assert!(
            matches!(PriorRecord::read(text.as_bytes()), Err(PriorError::OutOfRange(key)) if key == "p99")
        );
        for wrong in ["", "{}", "[1]", "{\"prior\": 3}", "\u{1}"] {
            assert!(
                matches!(PriorRecord::read(wrong.as_bytes()), Err(PriorError::NotAComparison)),
                "{wrong}"
            );
        }
    }
}
