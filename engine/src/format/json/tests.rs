//! Tests that the JSON reader, which reads a text in pieces, gives the same values as serde_json for the whole text.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::*;
use crate::sample::{Cells, Column};

/// Two columns of numbers in the compressed form that a run uses in memory.
#[derive(Deserialize)]
struct Columns(
    #[serde(with = "Cells::<i64>")] Column,
    #[serde(with = "Cells::<Option<u32>>")] Column,
);

/// The content of [`Columns`] as plain lists.
type Lists = (Vec<i64>, Vec<Option<u32>>);

fn read<T: DeserializeOwned>(mut text: &[u8], step: usize, limits: Limits) -> Result<T> {
    let mut json = Json::new(&mut text, Some(step), limits);
    let value = T::deserialize(&mut json)?;
    json.finish()?;
    Ok(value)
}

/// Asserts that the JSON reader and serde_json read the same two lists from `text`, or that both reject `text`.
#[track_caller]
fn check(text: &str, step: usize) {
    let found = read::<Columns>(text.as_bytes(), step, Limits::RUN).map(|Columns(one, other)| {
        let other = other.values().map(|value| u32::try_from(value).ok());
        (one.values().collect::<Vec<_>>(), other.collect::<Vec<_>>())
    });
    let expected: serde_json::Result<Lists> = serde_json::from_str(text);
    // `Column` uses `i64::MIN` to represent a missing value, so the JSON reader must reject that number.
    let expected = expected.ok().filter(|(one, _)| !one.contains(&i64::MIN));
    assert_eq!(found.ok(), expected, "{text} by {step}");
}

#[test]
fn columns_are_read_as_serde_reads_lists() {
    for (one, other) in [
        ("", ""),
        ("1", "null"),
        ("0,-1,2", "null,null,3,4,null"),
        ("1, 2 ,3\n,\t4,5 ", " null , 1, null,2 ,3"),
        ("9223372036854775807,-9223372036854775807,1", "4294967295,0"),
        ("12345678,123456789012345678,1234567890123456789", "12345678,123456789"),
        ("1,9223372036854775808,2", ""),
        ("1,2", "1,4294967296"),
        ("1,2", "1,-1"),
        ("1,null,2", ""),
        ("1,2,3.5,4", ""),
        ("1,2,3e2,4", ""),
        ("1,-0,4", ""),
        ("1,0,00,4", ""),
        ("1,-01,4", ""),
        ("1,+1,4", ""),
        ("1,2,]", ""),
        ("1,2,", ""),
        ("1,,2", ""),
        (",1", ""),
        ("1,2 3,4", ""),
        ("1,\"2\",3", ""),
        ("1,[2],3", ""),
        ("1,2", "null,nul,1"),
        ("1,2", "null,nullnull,1"),
        ("1,-", ""),
        ("1,2", "1,true"),
    ] {
        for step in [1, 2, 3, 7, 1_000] {
            check(&format!("[[{one}],[{other}]]"), step);
            check(&format!("[[{one}],[{other}"), step);
            check(&format!("[[{one}"), step);
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Variant {
    Unit,
    Number(i32),
    Pair(i8, String),
    Fields { share: f64 },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Everything {
    variants: Option<Vec<Variant>>,
    ends: (i64, u64),
    is_true: bool,
    text: String,
    map: BTreeMap<String, i64>,
    absent: Option<u8>,
}

fn everything() -> Everything {
    let pair = Variant::Pair(1, "é\"\\\n\u{1F600}\u{1}".to_owned());
    let fields = Variant::Fields { share: 1.5e-7 };
    Everything {
        variants: Some(vec![Variant::Unit, Variant::Number(-3), pair, fields]),
        ends: (i64::MIN, u64::MAX),
        is_true: true,
        text: "]}".to_owned(),
        map: [("a key".to_owned(), 1)].into(),
        absent: None,
    }
}

#[test]
fn every_kind_of_value_is_read_in_any_layout() {
    let plain = serde_json::to_string(&everything()).unwrap();
    let pretty = serde_json::to_string_pretty(&everything()).unwrap().replace('\n', "\r\n\t ");
    // `value.to_string()` has an unknown member, and its keys are in a different order.
    let mut value: serde_json::Value = serde_json::from_str(&plain).unwrap();
    value["unknown"] = serde_json::json!([{ "a": [1.5, null, "\"]"] }, false]);
    for text in [plain, pretty, value.to_string()] {
        for step in [1, 2, 3, 7, 1_000] {
            assert_eq!(
                read::<Everything>(text.as_bytes(), step, Limits::RUN).unwrap(),
                everything()
            );
        }
        for end in 0..text.len() {
            let cut = text.as_bytes().get(..end).unwrap();
            let error = read::<Everything>(cut, 5, Limits::RUN).unwrap_err();
            assert!(matches!(error, JsonError::End | JsonError::Syntax), "{error:?} at {end}");
        }
        let more = format!("{text}]");
        assert!(matches!(
            read::<Everything>(more.as_bytes(), 5, Limits::RUN),
            Err(JsonError::Syntax)
        ));
    }
}

#[test]
fn columns_are_held_to_their_values_and_the_rest_to_its_bytes() {
    #[derive(Deserialize)]
    struct Whole(Vec<u8>, Column);
    let read = |text: &str, values, other_bytes| {
        let whole = read::<Whole>(text.as_bytes(), 64, Limits { values, other_bytes });
        whole
            .map(|Whole(list, column)| list.len() + column.len())
            .map_err(|error| error.to_string())
    };
    let text = format!("[[1,2],[{}0]]", "1,".repeat(9_999));
    assert_eq!(read(&text, 10_000, 150), Ok(10_002));
    assert!(read(&text, 9_999, 150).unwrap_err().contains("samples"));
    assert!(read(&text, 10_000, 5).unwrap_err().contains("not samples"));
    // Whitespace in a column does not count against the limit of bytes; in the other list, it does.
    let wide = text.replace(',', " \n,\t ");
    assert_eq!(read(&wide, 10_000, 160), Ok(10_002));
    let long = format!("[[{}1],[1]]", "1,".repeat(9_999));
    assert!(read(&long, 10_000, 19_000).is_err());
}

#[test]
fn what_needs_more_memory_than_its_bytes_is_counted_as_that() {
    #[derive(Debug, Deserialize)]
    struct Known {
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        series: BTreeMap<String, Column>,
    }
    let limits = Limits { values: 10, other_bytes: 100_000 };
    let tags = |count| format!("{{\"tags\":[{}\"\"]}}", "\"\",".repeat(count));
    let series = |count| {
        let entries: Vec<String> = (0..count).map(|name| format!("\"{name}\":[]")).collect();
        format!("{{\"series\":{{{}}}}}", entries.join(","))
    };
    let read = |text: String| read::<Known>(text.as_bytes(), 64, limits);
    assert_eq!(read(tags(2_000)).unwrap().tags.len(), 2_001);
    assert_eq!(read(series(500)).unwrap().series.len(), 500);
    for text in [tags(3_000), series(700)] {
        assert!(text.len() < 10_000, "far below the limit");
        assert!(read(text).unwrap_err().to_string().contains("not samples"));
    }
}

#[test]
fn what_takes_no_memory_is_not_counted_and_what_would_take_it_is_refused() {
    #[derive(Debug, Deserialize)]
    struct Known {
        column: Column,
    }
    let limits = Limits { values: 10, other_bytes: 100 };
    let unknown = format!("{{\"unknown\":[\"{}\",{{}}],\"column\":[1]}}", "a".repeat(9_000));
    assert_eq!(read::<Known>(unknown.as_bytes(), 64, limits).unwrap().column.len(), 1);
    for cell in [format!("\"{}\"", "a".repeat(9_000)), "1".repeat(9_000), "[".repeat(9_000)] {
        let text = format!("{{\"column\":[1,{cell}");
        assert!(read::<Known>(text.as_bytes(), 64, limits).is_err());
    }
    let deep = "[".repeat(100_000);
    let error = read::<serde::de::IgnoredAny>(deep.as_bytes(), 64, limits).unwrap_err();
    assert!(error.to_string().contains("nested"), "{error}");
}

proptest! {
    #[test]
    fn any_spelling_is_read_as_serde_reads_it(
        one in "([-0-9]{1,20}|null| |,|[0-9]{1,3}[.eE][0-9]{0,2}|,[1-9]{1,4}){0,30}",
        other in "(,null|,[0-9]{1,5}|, ?[0-9]{1,2}|[-a-z\" ]|\\]){0,30}",
        step in 1..40_usize,
    ) {
        check(&format!("[[{one}],[1{other}]]"), step);
    }

    #[test]
    fn numbers_come_back(
        one in proptest::collection::vec(any::<i64>(), 0..400),
        other in proptest::collection::vec(any::<Option<u32>>(), 0..400),
        step in 1..4_000_usize,
    ) {
        check(&serde_json::to_string(&(one, other)).unwrap(), step);
    }
}
