//! The checksum of a measurement, which is the same for the saved, exported, and redacted run.
//! `packaging/guide/sharing.md` specifies the checksum, and contains a program that computes the checksum.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::checksum::Sum;
use crate::nanos::Nanos;
use crate::run::capture::{CaptureSeries, Distribution, FrameColumn, Recording};
use crate::run::{self, Capture, Run, Subject};
use crate::sample::{Column, Columns, CountedValues, MISSING};

/// The first bytes of the hashed text: name and version of the format of this text.
const HEAD: &[u8] = b"jitterscope-measurement 1\n";
/// Number of integers that are hashed at once.
const PIECE: usize = 1 << 10;

/// Returns the SHA-256 of the measurement as 64 hexadecimal digits. The checksum covers method, plan or capture, the
/// numeric facts of the machine, and the columns of every trial. Names, tags, notes, and texts that an export may
/// redact are not covered. Time: O(samples).
pub fn measurement_sum(run: &Run) -> String {
    let mut form = Form { sum: Sum::default(), bytes: Vec::new() };
    form.bytes.extend_from_slice(HEAD);
    form.integer(i64::from(run.method_version));
    match &run.subject {
        Subject::Measured(plan) => {
            form.value(&value_of(plan));
            form.value(&Value::Null);
        }
        Subject::Imported(capture) => {
            form.value(&Value::Null);
            form.capture(capture);
        }
        Subject::Recorded(recording) => {
            form.value(&Value::Null);
            form.value(&Value::Null);
            form.recording(recording);
        }
    }
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

/// Returns the first 16 digits of a checksum, for places with little room.
pub fn shortened_sum(digits: &str) -> &str {
    digits.get(..16).unwrap_or(digits)
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Converts facts to the JSON value that the run file contains.
fn value_of(facts: &impl Serialize) -> Value {
    serde_json::to_value(facts).unwrap_or_default()
}

fn recording(recording: &Recording) -> [(&'static str, Member<'_>); 5] {
    [
        ("elapsed_nanos", Member::Integer(recording.elapsed.map(Nanos::get))),
        ("frame_times_nanos", Member::Column(&recording.frame_times)),
        ("logged_at_nanos", Member::Column(&recording.logged_at)),
        ("per_frame", Member::PerFrame(&recording.per_frame)),
        ("series", Member::Series(&recording.series)),
    ]
}

fn distribution(distribution: &Distribution) -> [(&'static str, Member<'_>); 6] {
    [
        ("above_count", Member::Integer(Some(distribution.above_count.cast_signed()))),
        ("counts", Member::Counts(&distribution.bins)),
        ("max_nanos", Member::Integer(distribution.max.map(Nanos::get))),
        ("stated_mean_nanos", Member::Integer(distribution.stated_mean.map(Nanos::get))),
        ("stated_min_nanos", Member::Integer(distribution.stated_min.map(Nanos::get))),
        ("values_nanos", Member::Values(&distribution.bins)),
    ]
}

/// Whether a member of an object has a default value: null, false, 0, or empty. Such a member is not hashed,
/// so that a member that a later version adds does not change the checksums of older runs.
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

/// A member of a capture. Names in the capture are not hashed, since an export may redact names.
enum Member<'a> {
    /// An integer; `None` if it is unknown.
    Integer(Option<i64>),
    Column(&'a Column),
    Text(&'a str),
    Series(&'a [CaptureSeries]),
    PerFrame(&'a [FrameColumn]),
    Values(&'a CountedValues),
    Counts(&'a CountedValues),
}

impl Member<'_> {
    fn is_neutral(&self) -> bool {
        match self {
            Self::Integer(value) => value.is_none_or(|value| value == 0),
            Self::Column(column) => column.is_empty(),
            Self::Text(text) => text.is_empty(),
            Self::Series(all) => all.is_empty(),
            Self::PerFrame(all) => all.is_empty(),
            Self::Values(bins) | Self::Counts(bins) => bins.is_empty(),
        }
    }
}

/// Computes the checksum: collects the bytes to hash in `bytes`, and hashes these bytes piece by piece.
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

    /// Adds a capture as if it were a JSON value, but without creating a JSON value: the values of millions of frames
    /// would not fit into memory.
    fn capture(&mut self, capture: &Capture) {
        fn of_all(all: &[Recording]) -> Vec<Vec<(&'static str, Member<'_>)>> {
            all.iter().map(|one| recording(one).into()).collect()
        }
        let (key, items): (_, Vec<Vec<(&str, Member<'_>)>>) = match capture {
            Capture::Frames(recordings) => ("frames", of_all(recordings)),
            Capture::SampledLog(recordings) => ("sampled-log", of_all(recordings)),
            Capture::Ticks(recordings) => ("ticks", of_all(recordings)),
            Capture::SampledTicks(recordings) => ("sampled-ticks", of_all(recordings)),
            Capture::Histogram(all) => {
                ("histogram", all.iter().map(|one| distribution(one).into()).collect())
            }
        };
        self.bytes.push(b'o');
        if items.is_empty() {
            return self.integer(0);
        }
        self.integer(1);
        self.text(key);
        self.bytes.push(b'a');
        self.integer(count(items.len()));
        for members in items {
            self.members(&members);
        }
    }

    /// Adds the frames and the events of a recording. Its detail is not hashed, since it may be deleted.
    fn recording(&mut self, recording: &run::Recording) {
        self.item(recording.length.get());
        self.value(&value_of(&recording.events));
        self.value(&value_of(&recording.stalls));
        for column in recording.frames.columns() {
            self.items(column.len(), column.values());
        }
    }

    /// Adds members as an object, without those that have default values. `members` must be sorted by the bytes of the
    /// names.
    fn members(&mut self, members: &[(&str, Member<'_>)]) {
        let members = || members.iter().filter(|(_, member)| !member.is_neutral());
        self.bytes.push(b'o');
        self.integer(count(members().count()));
        for (name, member) in members() {
            self.text(name);
            self.member(member);
        }
    }

    fn member(&mut self, member: &Member<'_>) {
        match member {
            Member::Integer(value) => self.item(value.unwrap_or(MISSING)),
            Member::Column(column) => self.items(column.len(), column.values()),
            Member::Text(text) => {
                self.bytes.push(b's');
                self.text(text);
            }
            Member::Series(all) => {
                self.bytes.push(b'a');
                self.integer(count(all.len()));
                for CaptureSeries { label: _, unit, at, values } in *all {
                    self.members(&[
                        ("at_nanos", Member::Column(at)),
                        ("unit", Member::Text(unit)),
                        ("values_thousandths", Member::Column(values)),
                    ]);
                }
            }
            Member::PerFrame(all) => {
                self.bytes.push(b'a');
                self.integer(count(all.len()));
                for FrameColumn { quantity, values } in *all {
                    self.members(&[
                        ("quantity", Member::Text(quantity.key())),
                        ("values", Member::Column(values)),
                    ]);
                }
            }
            Member::Values(bins) => self.items(bins.len(), bins.iter().map(|bin| bin.0)),
            Member::Counts(bins) => {
                self.items(bins.len(), bins.iter().map(|bin| bin.1.cast_signed()));
            }
        }
    }

    fn items(&mut self, length: usize, items: impl Iterator<Item = i64>) {
        self.bytes.push(b'a');
        self.integer(count(length));
        items.for_each(|item| self.item(item));
    }

    fn item(&mut self, value: i64) {
        if value == MISSING {
            self.bytes.push(b'n');
        } else {
            self.bytes.push(b'i');
            self.integer(value);
        }
    }

    /// Adds an object: its members sorted by the bytes of their names, without those that have default values.
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

    /// Adds a number. A number without a fraction is added as an integer, even if it is written as `1.0`.
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
