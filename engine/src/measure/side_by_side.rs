//! Computes pieces of work on several CPUs, and takes the results in order.

use std::collections::VecDeque;
use std::thread::Builder;

/// Maximum number of threads: taking the results is done by one.
const MAX_THREADS: usize = 4;

/// Computes each piece on a thread, on at most 4 and at most as many as this process has CPUs at the same time. Calls `take`
/// on this thread with each piece and its result, in the order of the pieces, while the next ones are computed. Ends with the
/// first error.
pub(crate) fn compute_side_by_side<P: Copy + Send, R: Send, E>(
    mut pieces: impl Iterator<Item = P>,
    compute: impl Fn(P) -> R + Sync,
    mut take: impl FnMut(P, R) -> Result<(), E>,
) -> Result<(), E> {
    let cpu_count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let compute = &compute;
    std::thread::scope(|scope| {
        let begin = |piece: P| {
            let thread = Builder::new().name("side-by-side".to_owned());
            (piece, thread.spawn_scoped(scope, move || compute(piece)).ok())
        };
        let first = pieces.by_ref().take(cpu_count.min(MAX_THREADS)).map(begin);
        let mut running: VecDeque<_> = first.collect();
        while let Some((piece, thread)) = running.pop_front() {
            let result = match thread {
                Some(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                // The system could not start a thread.
                None => compute(piece),
            };
            running.extend(pieces.next().map(begin));
            take(piece, result)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_taken_in_order_up_to_the_first_error() {
        let mut taken = Vec::new();
        let ended = compute_side_by_side(
            0..100_u64,
            |piece| {
                std::thread::sleep(std::time::Duration::from_micros(piece * 37 % 5 * 100));
                piece * 2
            },
            |piece, result| {
                taken.push((piece, result));
                if piece == 40 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!(ended, Err("enough"));
        assert_eq!(taken, (0..=40).map(|piece| (piece, piece * 2)).collect::<Vec<_>>());
    }
}
