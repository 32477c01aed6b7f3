//! Distributes work over the threads of a pool, or does it here without one.

use std::array;
use std::sync::{Mutex, PoisonError};

/// The threads that share the work; none, and the caller does all of it.
pub(super) type Pool<'a> = Option<&'a rayon::ThreadPool>;

/// Maximum number of parts, regardless of the thread count: they are on the stack.
const PARTS: usize = 256;
/// Minimum number of items to process at once.
const FEWEST: usize = 8;

/// Items with their buffers that one thread takes at once.
type Part<'a, T> = (&'a mut [T], &'a mut [u8]);

/// Calls a function with each item and its place and buffer: `room` bytes for each, one behind
/// the other.
///
/// Each thread has the same part in every cycle, so what it wrote is still in the cache of its CPU:
/// bytes that another CPU wrote last cost several times as much to write. It processes its part
/// from the front; threads that are done help the others from the back.
pub(super) fn run_parallel<T: Send>(
    pool: Pool<'_>,
    items: &mut [T],
    buffers: &mut [u8],
    room: usize,
    work: impl Fn(usize, &mut T, &mut [u8]) + Sync,
) {
    let all = |first: usize, items: &mut [T], buffers: &mut [u8]| {
        let each = items.iter_mut().zip(buffers.chunks_exact_mut(room));
        for (place, (item, buffer)) in (first..).zip(each) {
            work(place, item, buffer);
        }
    };
    let Some(pool) = pool else {
        all(0, items, buffers);
        return;
    };
    let each = items.len().div_ceil(PARTS).max(FEWEST);
    let count = items.len().div_ceil(each);
    let mut cut = items.chunks_mut(each).zip(buffers.chunks_mut(each * room));
    let parts: [Mutex<Option<Part<'_, T>>>; PARTS] = array::from_fn(|_| Mutex::new(cut.next()));
    let take = |part: usize| {
        let Some(part_of) = parts.get(part) else {
            return;
        };
        let taken = part_of.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((items, buffers)) = taken {
            all(part * each, items, buffers);
        }
    };
    pool.broadcast(|thread| {
        let (me, threads) = (thread.index(), thread.num_threads());
        let start_of = |thread: usize| count * thread / threads;
        let parts_of = |thread: usize| start_of(thread)..start_of(thread + 1);
        parts_of(me).for_each(take);
        for other in (me + 1..threads).chain(0..me) {
            parts_of(other).rev().for_each(take);
        }
    });
}
