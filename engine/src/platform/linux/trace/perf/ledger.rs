//! Compares how often each event of a ring occurred with how many of its records arrived.
//!
//! The kernel counts an event every time it occurs, whether or not a record of it reaches the ring. Each record
//! carries this count. A record with the count 20 after one of the same event with the count 17 therefore shows that
//! the records of two events are missing between the two, and where. If the kernel also reports two more lost records
//! of the event, the ring was full, and the records of losses already mark that time. Otherwise the kernel wrote
//! nothing: on one kernel (6.18, KVM), an idle CPU counted 217 timer interrupts, wrote 2 records, and reported no loss.
//!
//! The counts are not read during the measurement: reading the counter of another CPU interrupts that CPU, which would
//! delay the measuring thread. They are read once at the end, for what is missing after the last record.

use std::collections::BTreeMap;

use crate::nanos::Nanos;

/// The begin and the end of a time in which records are missing.
pub(super) type MissingTime = (Nanos, Nanos);

/// The counter of an event at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    /// How often the event occurred.
    pub(super) occurred: u64,
    /// How many of its records were lost because the ring was full; `None` on kernels before 6.0, which do not report
    /// this per event. Lost records then count as missing.
    pub(super) lost: Option<u64>,
}

/// How often an event occurred during a trace, and what became of its records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) occurred: u64,
    pub(super) received: u64,
    pub(super) lost: u64,
}

/// The counts of the events of a ring, by the ID of their tracepoint.
#[derive(Debug, Default)]
pub(super) struct Ledger(BTreeMap<u16, LedgerEntry>);

#[derive(Debug)]
struct LedgerEntry {
    totals: Totals,
    /// The time of the last record; before the first record, the time at which the event was opened.
    at: Nanos,
}

impl Ledger {
    /// Begins to count an event, which was opened at the time `at` and has not occurred yet.
    pub(super) fn open(&mut self, tracepoint: u16, at: Nanos) {
        self.0.insert(tracepoint, LedgerEntry { totals: Totals::default(), at });
    }

    /// Removes an event whose opening failed later on.
    pub(super) fn remove(&mut self, tracepoint: u16) {
        self.0.remove(&tracepoint);
    }

    /// Adds a record with the count that it carries. Returns the time in which records of the event are missing before
    /// this record; `None` if all arrived.
    pub(super) fn note(&mut self, tracepoint: u16, at: Nanos, count: Count) -> Option<MissingTime> {
        let entry = self.0.get_mut(&tracepoint)?;
        let missing = entry.missing(count).saturating_sub(1);
        let from = std::mem::replace(&mut entry.at, at);
        entry.totals.received += 1;
        entry.totals.take(count);
        (0 < missing).then_some((from, at))
    }

    /// Compares an event with its counter after the last record was read; `at` is the time at which the counter was
    /// read. Returns the totals, and the time after the last record in which records are missing.
    pub(super) fn close(
        &mut self,
        tracepoint: u16,
        at: Nanos,
        count: Count,
    ) -> Option<(Totals, Option<MissingTime>)> {
        let entry = self.0.get_mut(&tracepoint)?;
        let missing = entry.missing(count);
        entry.totals.take(count);
        Some((entry.totals, (0 < missing).then_some((entry.at, at.max(entry.at)))))
    }
}

impl LedgerEntry {
    /// Returns how many events since the last record have neither a record nor a reported loss.
    const fn missing(&self, count: Count) -> u64 {
        let lost = match count.lost {
            Some(lost) => lost.saturating_sub(self.totals.lost),
            None => 0,
        };
        count.occurred.saturating_sub(self.totals.occurred).saturating_sub(lost)
    }
}

impl Totals {
    fn take(&mut self, count: Count) {
        self.occurred = self.occurred.max(count.occurred);
        self.lost = self.lost.max(count.lost.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMER: u16 = 12;

    fn count(occurred: u64, lost: u64) -> Count {
        Count { occurred, lost: Some(lost) }
    }

    fn ledger() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.open(TIMER, Nanos::new(100));
        ledger
    }

    #[test]
    fn a_jump_of_the_count_shows_when_records_are_missing() {
        let mut ledger = ledger();
        let at = Nanos::new;
        assert_eq!(ledger.note(TIMER, at(200), count(1, 0)), None);
        assert_eq!(ledger.note(TIMER, at(300), count(2, 0)), None);
        assert_eq!(ledger.note(TIMER, at(900), count(217, 0)), Some((at(300), at(900))));
        assert_eq!(ledger.note(TIMER, at(950), count(218, 0)), None);
        let totals = Totals { occurred: 218, received: 4, lost: 0 };
        assert_eq!(ledger.close(TIMER, at(1_000), count(218, 0)), Some((totals, None)));
    }

    #[test]
    fn records_before_the_first_and_after_the_last_one_can_be_missing() {
        let mut ledger = ledger();
        let at = Nanos::new;
        assert_eq!(ledger.note(TIMER, at(200), count(3, 0)), Some((at(100), at(200))));
        let totals = Totals { occurred: 9, received: 1, lost: 0 };
        let missing = Some((at(200), at(1_000)));
        assert_eq!(ledger.close(TIMER, at(1_000), count(9, 0)), Some((totals, missing)));
        let mut silent = self::ledger();
        let (totals, missing) = silent.close(TIMER, at(1_000), count(5, 0)).unwrap();
        assert_eq!((totals.received, missing), (0, Some((at(100), at(1_000)))));
    }

    #[test]
    fn reported_losses_are_not_missing_where_the_kernel_counts_them_per_event() {
        let mut ledger = ledger();
        let at = Nanos::new;
        ledger.note(TIMER, at(200), count(1, 0));
        assert_eq!(ledger.note(TIMER, at(300), count(12, 10)), None);
        assert_eq!(ledger.note(TIMER, at(400), count(24, 20)), Some((at(300), at(400))));
        let totals = Totals { occurred: 27, received: 3, lost: 23 };
        assert_eq!(ledger.close(TIMER, at(500), count(27, 23)), Some((totals, None)));
        let mut earlier = self::ledger();
        let count = |occurred| Count { occurred, lost: None };
        earlier.note(TIMER, at(200), count(1));
        assert_eq!(earlier.note(TIMER, at(300), count(12)), Some((at(200), at(300))));
    }

    #[test]
    fn a_record_that_arrives_after_its_counter_was_read_is_not_missing() {
        let mut ledger = ledger();
        let at = Nanos::new;
        ledger.note(TIMER, at(200), count(1, 0));
        ledger.note(TIMER, at(600), count(2, 0));
        let totals = Totals { occurred: 2, received: 2, lost: 0 };
        assert_eq!(ledger.close(TIMER, at(500), count(1, 0)), Some((totals, None)));
    }
}
