//! The JSON schema of the run file, generated from the types that write it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::super::exported::{Reasons, ReportOut, Values};
use crate::nanos::Nanos;
use crate::run::{RunId, RunInFile};
use crate::sample::{Cells, Column, Columns, Samples};

/// A run of Jitterscope: what was requested, what the system applied, the machine, and every sample. Times are
/// whole nanoseconds; a value that is not known is null.
#[derive(JsonSchema)]
#[schemars(title = "Jitterscope run")]
#[expect(dead_code, reason = "the schema alone is wanted")]
struct RunFile {
    #[schemars(flatten)]
    run: RunInFile<'static>,
    /// The results, in exported files only. They are computed from the run, and not read back.
    #[schemars(skip_serializing_if = "Option::is_none")]
    report: Option<ReportOut<'static>>,
    /// The SHA-256 of every byte before `,"sha256":"`, in exported files only.
    #[schemars(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

/// Gives each type on the left the JSON schema of the type on the right, as which it is written in
/// the file.
macro_rules! written_as {
    ($($({$($generic:tt)+})? $of:ty => $as:ty),+ $(,)?) => {$(
        impl$(<$($generic)+>)? JsonSchema for $of {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                <$as>::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                generator.subschema_for::<$as>()
            }
        }
    )+};
}

written_as! {
    Nanos => i64,
    {T: JsonSchema} Cells<T> => Vec<T>,
    Column => Vec<Option<i64>>,
    Samples => Columns,
    Values<'_> => BTreeMap<String, Exact>,
    Reasons<'_> => BTreeMap<String, String>,
}

impl JsonSchema for RunId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RunId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{8}$" })
    }
}

/// The exact value of a table cell: a number, a text, or null.
struct Exact;

impl JsonSchema for Exact {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Exact".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string", "null"] })
    }
}

/// Returns the text of the schema file.
fn schema() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = generator.into_root_schema_for::<RunFile>();
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// An environment variable. If it is set, the test first replaces the schema file.
    const WRITE: &str = "JITTERSCOPE_WRITE_SCHEMA";

    #[test]
    fn the_schema_of_packages_is_that_of_the_types() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/run-file.schema.json");
        if std::env::var_os(WRITE).is_some() {
            std::fs::write(&path, super::schema()).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        let hint = format!("{} is outdated; run this test with {WRITE}=1", path.display());
        assert!(found == super::schema(), "{hint}");
    }
}
