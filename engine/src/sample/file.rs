//! Reads and writes samples and evidence in files, with one column per field.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Cells, Column, Columns, Evidence, MISSING, Sample, Samples, WaitReasons};
use crate::nanos::Nanos;

impl<'de> Deserialize<'de> for Samples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let uneven = || D::Error::custom("the lengths of its columns of samples differ");
        Self::from_columns(Columns::deserialize(deserializer)?).ok_or_else(uneven)
    }
}

/// Reads and writes a list of samples as columns.
pub(crate) struct SampleList;

impl SampleList {
    pub(crate) fn serialize<S: Serializer>(
        samples: &[Sample],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        samples.iter().copied().collect::<Samples>().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Sample>, D::Error> {
        Samples::deserialize(deserializer).map(|samples| samples.iter().collect())
    }
}

/// The evidence of late samples, with one column per field. Columns save memory: every sample of a run can have
/// evidence. All columns that are not empty have the same length.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EvidenceColumns {
    #[serde(with = "Cells::<u64>")]
    index: Column,
    #[serde(with = "Cells::<Option<u32>>")]
    involuntary_switches: Column,
    #[serde(with = "Cells::<Option<u32>>")]
    voluntary_switches: Column,
    #[serde(with = "Cells::<Option<u32>>")]
    minor_faults: Column,
    #[serde(with = "Cells::<Option<u32>>")]
    major_faults: Column,
    run_delay_nanos: Column,
    steal_nanos: Column,
    #[serde(with = "Cells::<Option<u32>>")]
    cpu_before: Column,
    #[serde(with = "Cells::<Option<u32>>")]
    cpu_after: Column,
    /// Empty in files of older versions.
    #[serde(default)]
    work_started_nanos: Column,
    /// This column, `wait_reasons`, and `interrupt_time_nanos` are empty where the system does not report their values.
    #[serde(default, skip_serializing_if = "Column::is_empty", with = "Cells::<Option<u32>>")]
    switches: Column,
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    wait_reasons: Column,
    #[serde(default, skip_serializing_if = "Column::is_empty")]
    interrupt_time_nanos: Column,
}

impl EvidenceColumns {
    pub(crate) fn serialize<S: Serializer>(
        all: &[Evidence],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let counts = |of: fn(&Evidence) -> Option<u32>| {
            all.iter().map(|one| of(one).map_or(MISSING, i64::from)).collect()
        };
        let times = |of: fn(&Evidence) -> Option<Nanos>| {
            all.iter().map(|one| of(one).map_or(MISSING, Nanos::get)).collect()
        };
        let observed = |column: Column| {
            if column.values().all(|value| value == MISSING) { Column::default() } else { column }
        };
        let reasons = |one: &Evidence| Some(one.wait_reasons?.bits().cast_signed());
        let index = all.iter().map(|one| i64::try_from(one.index).unwrap_or(i64::MAX)).collect();
        let columns = Self {
            index,
            involuntary_switches: counts(|one| one.involuntary_switches),
            voluntary_switches: counts(|one| one.voluntary_switches),
            minor_faults: counts(|one| one.minor_faults),
            major_faults: counts(|one| one.major_faults),
            run_delay_nanos: times(|one| one.run_delay),
            steal_nanos: times(|one| one.steal),
            cpu_before: counts(|one| one.cpu_before),
            cpu_after: counts(|one| one.cpu_after),
            work_started_nanos: times(|one| one.work_started),
            switches: observed(counts(|one| one.switches)),
            wait_reasons: observed(all.iter().map(|one| reasons(one).unwrap_or(MISSING)).collect()),
            interrupt_time_nanos: observed(times(|one| one.interrupt_time)),
        };
        Serialize::serialize(&columns, serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Evidence>, D::Error> {
        let columns: Self = Deserialize::deserialize(deserializer)?;
        if !columns.are_even() {
            return Err(D::Error::custom("the lengths of its columns of evidence differ"));
        }
        let evidence = |(at, index): (usize, i64)| {
            let count = |column: &Column| u32::try_from(column.get(at)?).ok();
            let time =
                |column: &Column| column.get(at).filter(|&nanos| nanos != MISSING).map(Nanos::new);
            Evidence {
                index: index.unsigned_abs(),
                involuntary_switches: count(&columns.involuntary_switches),
                voluntary_switches: count(&columns.voluntary_switches),
                minor_faults: count(&columns.minor_faults),
                major_faults: count(&columns.major_faults),
                run_delay: time(&columns.run_delay_nanos),
                steal: time(&columns.steal_nanos),
                cpu_before: count(&columns.cpu_before),
                cpu_after: count(&columns.cpu_after),
                work_started: time(&columns.work_started_nanos),
                switches: count(&columns.switches),
                wait_reasons: columns
                    .wait_reasons
                    .get(at)
                    .filter(|bits| *bits != MISSING)
                    .map(|bits| WaitReasons::from_bits(bits.cast_unsigned())),
                interrupt_time: time(&columns.interrupt_time_nanos),
            }
        };
        Ok(columns.index.values().enumerate().map(evidence).collect())
    }

    fn are_even(&self) -> bool {
        let is_even = |column: &Column| column.len() == self.index.len();
        let others = [
            &self.involuntary_switches,
            &self.voluntary_switches,
            &self.minor_faults,
            &self.major_faults,
            &self.run_delay_nanos,
            &self.steal_nanos,
            &self.cpu_before,
            &self.cpu_after,
        ];
        let may_be_empty = [
            &self.work_started_nanos,
            &self.switches,
            &self.wait_reasons,
            &self.interrupt_time_nanos,
        ];
        others.into_iter().all(is_even)
            && may_be_empty.into_iter().all(|column| column.is_empty() || is_even(column))
    }
}
