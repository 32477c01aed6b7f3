//! The checksum of a measurement: the same for the saved, the exported and the redacted run. What is hashed, in
//! public words and as a program, is in `packaging/guide/sharing.md`.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::checksum::Sum;
use crate::run::{Run, Subject};
use crate::sample::{Columns, MISSING};

/// The first bytes of the form, with its version.
const HEAD: &[u8] = b"jitterscope-measurement 1\n";
/// Numbers that are hashed at once.
const PIECE: usize = 1 << 10;

/// The SHA-256 of what was measured, in 64 hexadecimal digits: method, plan or capture, the countable facts of the
/// machine, and the columns of every trial. Names, tags, notes, and every text that an export may redact are not
/// part of it. Time: O(samples).
pub fn measurement_sum(run: &Run) -> String {
    let mut form = Form { sum: Sum::default(), bytes: Vec::new() };
    form.bytes.extend_from_slice(HEAD);
    form.integer(i64::from(run.method_version));
    let (plan, capture) = match &run.subject {
        Subject::Measured(plan) => (value_of(plan), Value::Null),
        Subject::Imported(capture) => (Value::Null, without_labels(value_of(capture))),
    };
    form.value(&plan);
    form.value(&capture);
    let machine = &run.machine;
    form.text(&machine.arch);
    form.integer(count(machine.cpus.len()));
    form.integer(machine.physical_cores.map_or(MISSING, i64::from));
    form.integer(machine.memory_bytes.map_or(MISSING, u64::cast_signed));
    form.integer(count(run.trials.len()));
    for trial in &run.trials {
        form.integer(i64::from(trial.stage));
        form.integer(i64::from(trial.trial.round));
        form.integer(trial.lost_count.cast_signed());
        form.integer(count(trial.samples.len()));
        let Columns { began, due, slept, woke, done, spins, cpu } = trial.samples.columns();
        for column in [began, due, slept, woke, done, spins, cpu] {
            for value in column.values() {
                form.integer(value);
            }
        }
    }
    form.finish()
}

/// The first digits of a checksum, where there is no room for all.
pub fn shortened_sum(digits: &str) -> &str {
    digits.get(..16).unwrap_or(digits)
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Facts as the file writes them.
fn value_of(facts: &impl Serialize) -> Value {
    serde_json::to_value(facts).unwrap_or_default()
}

/// A capture without the names in it, which an export may redact.
fn without_labels(mut value: Value) -> Value {
    match &mut value {
        Value::Array(items) => {
            for item in items {
                *item = without_labels(item.take());
            }
        }
        Value::Object(members) => {
            members.remove("label");
            for member in members.values_mut() {
                *member = without_labels(member.take());
            }
        }
        _ => {}
    }
    value
}

/// Whether a member of an object is omitted: one that a later version adds is, as long as it has no effect.
fn is_neutral(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_true) => !is_true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().all(is_neutral),
    }
}

/// The bytes, hashed piece by piece.
struct Form {
    sum: Sum,
    bytes: Vec<u8>,
}

impl Form {
    fn integer(&mut self, value: i64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        if PIECE * size_of::<i64>() <= self.bytes.len() {
            self.sum.add(&self.bytes);
            self.bytes.clear();
        }
    }

    fn text(&mut self, text: &str) {
        self.integer(count(text.len()));
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes.push(b'n'),
            Value::Bool(true) => self.bytes.push(b't'),
            Value::Bool(false) => self.bytes.push(b'f'),
            Value::Number(number) => self.number(number),
            Value::String(text) => {
                self.bytes.push(b's');
                self.text(text);
            }
            Value::Array(items) => {
                self.bytes.push(b'a');
                self.integer(count(items.len()));
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(members) => self.object(members),
        }
    }

    /// Members in the order of their names' bytes, without those that have no effect.
    fn object(&mut self, members: &Map<String, Value>) {
        let mut members: Vec<(&String, &Value)> =
            members.iter().filter(|(_, value)| !is_neutral(value)).collect();
        members.sort_by_key(|(name, _)| *name);
        self.bytes.push(b'o');
        self.integer(count(members.len()));
        for (name, value) in members {
            self.text(name);
            self.value(value);
        }
    }

    /// A number without a fraction is an integer, however it is written.
    fn number(&mut self, number: &Number) {
        let whole = number
            .as_f64()
            .filter(|value| value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0)
            .and_then(|value| format!("{value:.0}").parse().ok());
        let exact = number.as_i64().or_else(|| number.as_u64().map(u64::cast_signed));
        if let Some(value) = exact.or(whole) {
            self.bytes.push(b'i');
            self.integer(value);
        } else {
            self.bytes.push(b'd');
            self.bytes.extend_from_slice(&number.as_f64().unwrap_or_default().to_le_bytes());
        }
    }

    fn finish(mut self) -> String {
        self.sum.add(&self.bytes);
        self.sum.finish()
    }
}
