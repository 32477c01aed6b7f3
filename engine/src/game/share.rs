//! Work that is shared out to the threads of a pool, or done here where there is none.

use rayon::prelude::*;

/// The threads that share the work; none, and the caller does all of it.
pub(super) type Pool<'a> = Option<&'a rayon::ThreadPool>;

/// Fewest items that are worth handing to another thread.
const FEWEST: usize = 8;
/// Most items that a thread does without looking up: what it has begun, no idle thread can take from it.
const MOST: usize = 32;

/// Calls a function with each item and its place and buffer: `room` bytes for each, one behind
/// the other.
pub(super) fn share_out<T: Send>(
    pool: Pool<'_>,
    items: &mut [T],
    buffers: &mut [u8],
    room: usize,
    work: impl Fn(usize, &mut T, &mut [u8]) + Sync,
) {
    let Some(pool) = pool else {
        for (place, (item, buffer)) in
            items.iter_mut().zip(buffers.chunks_exact_mut(room)).enumerate()
        {
            work(place, item, buffer);
        }
        return;
    };
    pool.install(|| {
        items
            .par_iter_mut()
            .zip(buffers.par_chunks_exact_mut(room))
            .with_min_len(FEWEST)
            .with_max_len(MOST)
            .enumerate()
            .for_each(|(place, (item, buffer))| work(place, item, buffer));
    });
}
