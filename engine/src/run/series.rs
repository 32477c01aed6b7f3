//! Values over time, and a table of events around late samples, which a trial records in addition to its samples.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::nanos::Nanos;
use crate::sample::{Cells, Column, MISSING, ThreadOwner, TraceEvent, TraceRecord};

/// Keys of the columns of a trace.
const AT: &str = "at_nanos";
const EVENT: &str = "event";
const CPU: &str = "cpu";
const THREAD: &str = "thread";
const NAME: &str = "name";
const VALUE: &str = "value";

/// The names of all series.
pub mod name {
    /// CPU time of other programs as a share of one CPU, in thousandths.
    pub const OTHER_PROGRAMS: &str = "other_programs_permille";
    /// Steal: time that the hypervisor used this machine's CPUs for something else, as a share of one CPU, in
    /// thousandths.
    pub const STEAL: &str = "steal_permille";
    /// Time that all CPUs spent on interrupts and on work deferred by interrupts (softirqs, deferred calls), as a share
    /// of one CPU, in thousandths.
    pub const INTERRUPT_TIME: &str = "interrupt_time_permille";
    /// Number of interrupts per second on all CPUs; on Windows, on the CPUs of one processor group.
    pub const INTERRUPTS: &str = "interrupts_hz";
    /// Frequency of the measured CPU, in kHz.
    pub const FREQUENCY: &str = "frequency_khz";
    /// Temperature of the processor, in thousandths of a degree Celsius.
    pub const TEMPERATURE: &str = "temperature_millicelsius";
    /// Time in nanoseconds for which a thread of this program that does not measure had the CPU of a gap probe. The time
    /// of the value is the begin. See [`max_idle`](super::max_idle).
    pub const OWN_RUN: &str = "own_run_nanos";
}

/// Returns for how long the thread may have lost its CPU within an own run of this length: a tenth.
pub const fn max_idle(own_run: i64) -> i64 {
    own_run / 10
}

/// Values over time, such as the CPU time of other programs. The name of a series ends in the unit of its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Series {
    #[serde(rename = "at_nanos", with = "Cells::<i64>")]
    at: Column,
    values: Column,
}

impl Series {
    /// Creates a series from columns of times (nanoseconds from the trial's start) and of values; `None` if the columns
    /// differ in length.
    pub fn from_columns(at: Column, values: Column) -> Option<Self> {
        (at.len() == values.len()).then_some(Self { at, values })
    }

    /// Adds a value with its time from the trial's start at the end of the series.
    pub fn push(&mut self, at: Nanos, value: i64) {
        self.at.push(at.get());
        self.values.push(value);
    }

    /// Returns every value with its time from the trial's start, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Nanos, i64)> + '_ {
        self.at.values().map(Nanos::new).zip(self.values.values())
    }

    /// Returns the times of the values, in nanoseconds from the trial's start.
    pub const fn at_nanos(&self) -> &Column {
        &self.at
    }

    /// Returns the values.
    pub const fn values(&self) -> &Column {
        &self.values
    }
}

impl<'de> Deserialize<'de> for Series {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Columns {
            #[serde(with = "Cells::<i64>")]
            at_nanos: Column,
            values: Column,
        }
        let Columns { at_nanos, values } = Columns::deserialize(deserializer)?;
        let uneven = || D::Error::custom("the lengths of its columns of a series differ");
        Self::from_columns(at_nanos, values).ok_or_else(uneven)
    }
}

/// What the system recorded around late samples: one row per event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trace {
    names: Vec<String>,
    columns: BTreeMap<String, Column>,
}

impl Trace {
    /// Creates a trace from names and columns; `None` if the columns differ in length.
    pub fn from_columns(names: Vec<String>, columns: BTreeMap<String, Column>) -> Option<Self> {
        let count = columns.values().next().map_or(0, Column::len);
        let fits = columns.values().all(|column| column.len() == count);
        fits.then_some(Self { names, columns })
    }

    /// Creates a trace from records. Each record refers to a name by its position in `names`, from 0. Time: O(n).
    pub fn from_records(names: Vec<String>, records: &[TraceRecord]) -> Self {
        let optional = |value: Option<u32>| value.map_or(MISSING, i64::from);
        let column = |of: &dyn Fn(&TraceRecord) -> i64| records.iter().map(of).collect::<Column>();
        let columns = BTreeMap::from([
            (AT.to_owned(), column(&|one| one.at.get())),
            (EVENT.to_owned(), column(&|one| one.event.number())),
            (CPU.to_owned(), column(&|one| i64::from(one.cpu))),
            (THREAD.to_owned(), column(&|one| optional(one.thread))),
            (NAME.to_owned(), column(&|one| optional(one.name))),
            (VALUE.to_owned(), column(&|one| one.value.unwrap_or(MISSING))),
        ]);
        Self { names, columns }
    }

    /// Returns the records in order of time, and omits events that this version does not know. Time: O(n log n).
    pub fn records(&self) -> Vec<TraceRecord> {
        self.records_of(|_| true)
    }

    /// Returns the records of the events that `is_wanted` selects, in order of time. Time: O(n), and O(m log m) for m
    /// selected records.
    pub fn records_of(&self, is_wanted: impl Fn(TraceEvent) -> bool) -> Vec<TraceRecord> {
        let [Some(at), Some(event), Some(cpu), Some(thread), Some(name), Some(value)] =
            [AT, EVENT, CPU, THREAD, NAME, VALUE].map(|key| self.columns.get(key))
        else {
            return Vec::new();
        };
        let optional = |value: i64| u32::try_from(value).ok();
        let rows = at.values().zip(event.values()).zip(cpu.values());
        let rest = thread.values().zip(name.values()).zip(value.values());
        let rows = rows.zip(rest).filter_map(|(((at, event), cpu), ((thread, name), value))| {
            Some(TraceRecord {
                at: Nanos::new(at),
                event: TraceEvent::from_number(event).filter(|event| is_wanted(*event))?,
                cpu: optional(cpu)?,
                thread: optional(thread),
                name: optional(name),
                value: (value != MISSING).then_some(value),
            })
        });
        let mut records: Vec<TraceRecord> = rows.collect();
        records.sort_by_key(|record| record.at);
        records
    }

    /// Returns the owner (kernel or this program) of each thread that belongs to no other program, by thread ID; empty
    /// in older files.
    pub fn owners(&self) -> BTreeMap<u32, ThreadOwner> {
        let owners = self.records_of(|event| event == TraceEvent::Owner).into_iter();
        let known = owners
            .filter_map(|record| Some((record.thread?, ThreadOwner::from_number(record.value?)?)));
        known.collect()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.columns.values().next().map_or(0, Column::len)
    }

    /// Returns whether the trace has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names of threads, interrupts, and other items. Columns refer to a name by its position, from 0.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the names of threads, interrupts, and other items, to be changed in place.
    pub fn names_mut(&mut self) -> &mut [String] {
        &mut self.names
    }

    /// Returns the columns by key, where a key ends in the unit of the values. A value may be [`MISSING`].
    pub const fn columns(&self) -> &BTreeMap<String, Column> {
        &self.columns
    }

    /// Adds the rows and names of another trace at the end. The added rows must refer to names by position in the
    /// joined list. If only one trace has a column, the rows of the other trace get [`MISSING`] in it.
    pub fn append(&mut self, rows: &Self) {
        let (before, added) = (self.len(), rows.len());
        self.names.extend_from_slice(&rows.names);
        for key in rows.columns.keys() {
            self.columns
                .entry(key.clone())
                .or_insert_with(|| std::iter::repeat_n(MISSING, before).collect());
        }
        for (key, column) in &mut self.columns {
            match rows.columns.get(key) {
                Some(more) => column.extend(more.values()),
                None => column.extend(std::iter::repeat_n(MISSING, added)),
            }
        }
    }
}

impl<'de> Deserialize<'de> for Trace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Columns {
            names: Vec<String>,
            columns: BTreeMap<String, Column>,
        }
        let Columns { names, columns } = Columns::deserialize(deserializer)?;
        let uneven = || D::Error::custom("the lengths of its columns of a trace differ");
        Self::from_columns(names, columns).ok_or_else(uneven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: &[&str], columns: &[(&str, &[i64])]) -> Trace {
        let columns = columns
            .iter()
            .map(|(key, values)| ((*key).to_owned(), values.iter().copied().collect()))
            .collect();
        Trace::from_columns(names.iter().map(|&name| name.to_owned()).collect(), columns).unwrap()
    }

    #[test]
    fn appended_rows_fill_columns_that_one_side_lacks() {
        let mut trace = rows(&["steam"], &[("at_nanos", &[1, 2]), ("cpu", &[0, 1])]);
        trace.append(&rows(&["irq/9"], &[("at_nanos", &[3]), ("name", &[1])]));
        let expected = rows(
            &["steam", "irq/9"],
            &[
                ("at_nanos", &[1, 2, 3]),
                ("cpu", &[0, 1, MISSING]),
                ("name", &[MISSING, MISSING, 1]),
            ],
        );
        assert_eq!(trace, expected);
        assert_eq!((trace.len(), trace.is_empty()), (3, false));
    }

    #[test]
    fn records_come_back_in_order_of_time() {
        let record = |at, event, thread, value| TraceRecord {
            at: Nanos::new(at),
            event,
            cpu: 1,
            thread,
            name: Some(0),
            value,
        };
        let later = record(9, TraceEvent::InterruptBegin, None, None);
        let first = record(4, TraceEvent::SwitchIn, Some(0), Some(120));
        let trace = Trace::from_records(vec!["irq/9".to_owned()], &[later, first]);
        assert_eq!(trace.records(), [first, later]);
        assert_eq!(trace.len(), 2);
        let older = rows(&[], &[("at_nanos", &[1])]);
        assert_eq!(older.records(), []);
    }

    #[test]
    fn uneven_columns_are_refused() {
        let column = |count: i64| (0..count).collect::<Column>();
        assert_eq!(Series::from_columns(column(2), column(3)), None);
        let columns = BTreeMap::from([("a".to_owned(), column(1)), ("b".to_owned(), column(2))]);
        assert_eq!(Trace::from_columns(Vec::new(), columns), None);
    }
}
