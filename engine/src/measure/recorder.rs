//! A ring that carries records from a measuring thread to the collector, as a [`Recorder`] and a [`Tap`].
//!
//! Adding a record is one store into a wait-free ring, and costs a few nanoseconds. If the ring is full,
//! the record is dropped and counted as lost; the thread never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The measuring thread's end of a ring.
#[derive(Debug)]
pub struct Recorder<T> {
    ring: rtrb::Producer<T>,
    lost: Arc<AtomicU64>,
}

/// The collector's end of a ring.
#[derive(Debug)]
pub struct Tap<T> {
    ring: rtrb::Consumer<T>,
    lost: Arc<AtomicU64>,
}

/// Creates a ring. It is filled with `blank` once, so that no page of its memory is touched for the first time later.
pub fn ring<T: Copy>(capacity: usize, blank: T) -> (Recorder<T>, Tap<T>) {
    let (mut producer, mut consumer) = rtrb::RingBuffer::new(capacity.max(1));
    while producer.push(blank).is_ok() {}
    while consumer.pop().is_ok() {}
    let lost = Arc::new(AtomicU64::new(0));
    (Recorder { ring: producer, lost: Arc::clone(&lost) }, Tap { ring: consumer, lost })
}

impl<T> Recorder<T> {
    /// Adds a record, or counts it as lost if the ring is full.
    #[inline]
    pub fn record(&mut self, record: T) {
        if self.ring.push(record).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl<T> Tap<T> {
    /// Removes all records from the ring, and passes each to `take`.
    pub fn drain(&mut self, mut take: impl FnMut(T)) {
        while let Ok(record) = self.ring.pop() {
            take(record);
        }
    }

    /// Returns the number of records lost so far.
    pub fn lost_count(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ring_loses_records_and_shows_how_many() {
        let (mut recorder, mut tap) = ring(4, 0);
        for record in 1..=10 {
            recorder.record(record);
        }
        let mut taken = Vec::new();
        tap.drain(|record| taken.push(record));
        assert_eq!(taken, [1, 2, 3, 4]);
        assert_eq!(tap.lost_count(), 6);
        recorder.record(11);
        tap.drain(|record| taken.push(record));
        assert_eq!(taken, [1, 2, 3, 4, 11]);
    }
}
