//! Types of the engine that know nothing of files: their records are derived with `#[serde(remote)]`, and
//! this leads to them from options and lists.

use std::marker::PhantomData;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::nanos::Nanos;
use crate::plan::units::as_nanos;
use crate::run::RunId;

/// How a file holds a type of the engine.
pub(super) trait Record {
    /// The type.
    type Of;

    /// Writes it.
    fn write<S: Serializer>(of: &Self::Of, serializer: S) -> Result<S::Ok, S::Error>;

    /// Reads it.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Of, D::Error>;
}

/// Lets options and lists hold what these remote records describe.
macro_rules! records {
    ($($record:ident: $of:ty),+ $(,)?) => {$(
        impl $crate::format::remote::Record for $record {
            type Of = $of;

            fn write<S: serde::Serializer>(of: &$of, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(of, serializer)
            }

            fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<$of, D::Error> {
                Self::deserialize(deserializer)
            }
        }
    )+};
}
pub(super) use records;

/// Times, as whole nanoseconds.
pub(super) struct InNanos;

impl Record for InNanos {
    type Of = Nanos;

    fn write<S: Serializer>(nanos: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
        as_nanos::serialize(nanos, serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Nanos, D::Error> {
        as_nanos::deserialize(deserializer)
    }
}

struct Written<'a, R: Record>(&'a R::Of);

impl<R: Record> Serialize for Written<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        R::write(self.0, serializer)
    }
}

struct Read<R: Record>(R::Of);

impl<'de, R: Record> Deserialize<'de> for Read<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        R::read(deserializer).map(Self)
    }
}

/// A value that may be absent: null.
pub(super) struct Optional<R>(PhantomData<R>);

impl<R: Record> Optional<R> {
    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(super) fn serialize<S: Serializer>(
        value: &Option<R::Of>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Written::<R>).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<R::Of>, D::Error> {
        Ok(Option::<Read<R>>::deserialize(deserializer)?.map(|Read(value)| value))
    }
}

/// A list.
pub(super) struct List<R>(PhantomData<R>);

impl<R: Record> List<R> {
    pub(super) fn serialize<S: Serializer>(
        values: &[R::Of],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Written::<R>))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<R::Of>, D::Error> {
        let values = Vec::<Read<R>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|Read(value)| value).collect())
    }
}

/// The id of a run: eight digits.
pub(super) mod run_id {
    use super::*;

    pub(in crate::format) fn serialize<S: Serializer>(
        id: &RunId,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(id.as_str())
    }

    pub(in crate::format) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<RunId, D::Error> {
        let text = String::deserialize(deserializer)?;
        RunId::parse(&text).ok_or_else(|| D::Error::custom("its id is not eight digits"))
    }
}
