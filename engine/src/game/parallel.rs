//! Distributes work over the threads of a pool; without a pool, the calling thread does all work.

use std::array;
use std::sync::{Mutex, PoisonError};

/// The pool whose threads share the work; `None` if the calling thread does all work.
pub(super) type Pool<'a> = Option<&'a rayon::ThreadPool>;

/// Maximum number of parts into which the items are divided, for any number of threads: the parts
/// are stored on the stack.
const PARTS: usize = 256;
/// Minimum number of items per part.
const FEWEST: usize = 8;

/// A part of the work: consecutive items and their buffers. One thread processes a whole part.
type ObserverRange<'a, T> = (&'a mut [T], &'a mut [u8]);

/// Calls `work` with each item, the position of the item in `items`, and the buffer of the item.
/// `buffers` has `room` bytes for each item, in the order of the items.
///
/// Each thread begins with the same parts in every cycle of the game: the data that the thread
/// wrote in the previous cycle is still in the cache of its CPU. Data that another CPU wrote last
/// takes several times as long to write. A thread processes its parts from the first to the last;
/// if it finishes early, it takes parts of other threads, from the last to the first.
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
    let parts: [Mutex<Option<ObserverRange<'_, T>>>; PARTS] =
        array::from_fn(|_| Mutex::new(cut.next()));
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
