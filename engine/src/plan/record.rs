//! How files hold values whose types know nothing of files: times as whole nanoseconds, and options and
//! lists of what a `#[serde(remote)]` record describes.

use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::nanos::Nanos;

/// How a file holds a type of the engine.
pub(crate) trait Record {
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
        impl $crate::plan::record::Record for $record {
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
pub(crate) use records;

/// Times, as whole nanoseconds.
pub(crate) struct InNanos;

impl InNanos {
    pub(crate) fn serialize<S: Serializer>(
        nanos: &Nanos,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(nanos.get())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Nanos, D::Error> {
        i64::deserialize(deserializer).map(Nanos::new)
    }
}

records!(InNanos: Nanos);

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
pub(crate) struct Optional<R>(PhantomData<R>);

impl<R: Record> Optional<R> {
    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        value: &Option<R::Of>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Written::<R>).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<R::Of>, D::Error> {
        Ok(Option::<Read<R>>::deserialize(deserializer)?.map(|Read(value)| value))
    }
}

/// A list.
pub(crate) struct List<R>(PhantomData<R>);

impl<R: Record> List<R> {
    pub(crate) fn serialize<S: Serializer>(
        values: &[R::Of],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Written::<R>))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<R::Of>, D::Error> {
        let values = Vec::<Read<R>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|Read(value)| value).collect())
    }
}
