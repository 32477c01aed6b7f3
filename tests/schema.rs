//! Run files and exports match the JSON schema of the run file, and the schema describes every member in
//! them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/run-file.schema.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
});

/// Panics if a file does not match the schema, or if it has a member that the schema does not describe.
#[track_caller]
pub(super) fn check(file: &[u8], what: &str) {
    let file: Value = serde_json::from_slice(file).unwrap();
    if let Err(problem) = fits(&SCHEMA, &file) {
        panic!("{what}: {problem}");
    }
}

/// Checks a value against a schema; members of an object that the schema does not describe are errors.
fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    let named = members(schema, value)?;
    match value.as_object().and_then(|object| object.keys().find(|key| !named.contains(*key))) {
        Some(key) => Err(format!(".{key} is not described")),
        None => Ok(()),
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => panic!("no type '{kind}'"),
    }
}

/// Returns the names of the members that the schema describes for this object; an error describes a value
/// that does not match the schema.
fn members(schema: &Value, value: &Value) -> Result<BTreeSet<String>, String> {
    let mut named = BTreeSet::new();
    let Some(schema) = schema.as_object() else {
        return if schema == &Value::Bool(true) { Ok(named) } else { Err("nothing fits".into()) };
    };
    let wrong = |what: &str| {
        let text: String = value.to_string().chars().take(80).collect();
        Err(format!(" is {text}: {what}"))
    };
    for (word, rule) in schema {
        match word.as_str() {
            "$ref" => {
                let path = rule.as_str().unwrap().strip_prefix('#').unwrap();
                named.extend(members(SCHEMA.pointer(path).unwrap(), value)?);
            }
            "type" => {
                let kinds = rule.as_array().map_or(std::slice::from_ref(rule), Vec::as_slice);
                if !kinds.iter().any(|kind| is_of(kind.as_str().unwrap(), value)) {
                    return wrong(&format!("no {rule}"));
                }
            }
            "const" if value != rule => return wrong(&format!("not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                return wrong(&format!("none of {rule}"));
            }
            "anyOf" | "oneOf" => {
                let found: Vec<_> =
                    rule.as_array().unwrap().iter().map(|one| members(one, value)).collect();
                let fitting = found.iter().filter(|one| one.is_ok()).count();
                if fitting == 0 || (word == "oneOf" && fitting != 1) {
                    return wrong(&format!("{fitting} of {word} fit: {found:?}"));
                }
                named.extend(found.into_iter().flatten().flatten());
            }
            "allOf" => {
                for one in rule.as_array().unwrap() {
                    named.extend(members(one, value)?);
                }
            }
            "properties" => {
                for (key, of) in rule.as_object().unwrap() {
                    named.insert(key.clone());
                    if let Some(member) = value.get(key) {
                        fits(of, member).map_err(|problem| format!(".{key}{problem}"))?;
                    }
                }
            }
            "additionalProperties" => {
                let own =
                    |key: &str| schema.get("properties").is_some_and(|of| of.get(key).is_some());
                let members = value.as_object().into_iter().flatten();
                for (key, member) in members.filter(|(key, _)| !own(key)) {
                    fits(rule, member).map_err(|problem| format!(".{key}{problem}"))?;
                    named.insert(key.clone());
                }
            }
            "required" => {
                for key in rule.as_array().unwrap().iter().filter_map(Value::as_str) {
                    if value.is_object() && value.get(key).is_none() {
                        return Err(format!(".{key} is missing"));
                    }
                }
            }
            "items" => {
                for (item, position) in value.as_array().into_iter().flatten().zip(0..) {
                    fits(rule, item).map_err(|problem| format!("[{position}]{problem}"))?;
                }
            }
            "prefixItems" => {
                let pairs =
                    rule.as_array().unwrap().iter().zip(value.as_array().into_iter().flatten());
                for (of, item) in pairs {
                    fits(of, item)?;
                }
            }
            "minItems" | "maxItems" | "minimum" | "maximum" => {
                let limit = rule.as_f64().unwrap();
                #[expect(clippy::cast_precision_loss, reason = "lists are short here")]
                let found =
                    value.as_f64().or_else(|| value.as_array().map(|list| list.len() as f64));
                let is_within =
                    |found| if word.starts_with("min") { limit <= found } else { found <= limit };
                if !found.is_none_or(is_within) {
                    return wrong(&format!("{word} {rule}"));
                }
            }
            "pattern" => {
                assert_eq!(rule, "^[0-9a-f]{8}$", "the only pattern that this reads");
                let is_id = |text: &str| {
                    text.len() == 8 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
                };
                if !value.as_str().is_some_and(is_id) {
                    return wrong("no id");
                }
            }
            "const" | "enum" | "$schema" | "$defs" | "title" | "description" | "default"
            | "format" => {}
            _ => panic!("'{word}' is not read here"),
        }
    }
    Ok(named)
}

#[test]
fn what_is_missing_wrong_or_not_described_is_found() {
    let mut file: Value =
        serde_json::from_slice(include_bytes!("older/frame-loop.jitterscope.json")).unwrap();
    let run = jitterscope_engine::format::read(file.to_string().as_bytes()).unwrap();
    let mut written = Vec::new();
    jitterscope_engine::format::write(&run, &mut written).unwrap();
    check(&written, "a run");
    file = serde_json::from_slice(&written).unwrap();
    for (place, value, expected) in [
        ("/trials/0/samples/woke_nanos/3", Value::Null, ".trials[0].samples.woke_nanos[3] is null"),
        ("/id", "0A1B2C3D".into(), ".id is \"0A1B2C3D\""),
        ("/plan/test", "another".into(), ".plan is "),
        ("/machine/arch", 5.into(), ".machine.arch is 5"),
    ] {
        let mut changed = file.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let problem = fits(&SCHEMA, &changed).unwrap_err();
        assert!(problem.starts_with(expected), "{place}: {problem}");
    }
    let object = file.as_object_mut().unwrap();
    object.insert("unheard_of".to_owned(), Value::Null);
    assert_eq!(fits(&SCHEMA, &file), Err(".unheard_of is not described".to_owned()));
    let object = file.as_object_mut().unwrap();
    object.remove("unheard_of");
    object.remove("clock");
    assert_eq!(fits(&SCHEMA, &file), Err(".clock is missing".to_owned()));
}
