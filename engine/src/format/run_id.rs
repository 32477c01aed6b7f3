//! The id of a run in files: eight hexadecimal digits.

use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};

use crate::run::RunId;

/// The id as a text.
pub(super) struct RunIdOut;

impl RunIdOut {
    pub(super) fn serialize<S: Serializer>(id: &RunId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(id.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RunId, D::Error> {
        let text = String::deserialize(deserializer)?;
        RunId::parse(&text).ok_or_else(|| D::Error::custom("its id is not eight digits"))
    }
}
