//! Why a frame took long: the path of the frame, and the cause of each stutter.
//!
//! **The idea.** A frame is late because the thread that presents it was late, and that thread spent the time since the
//! frame before in states that the kernel records: it ran, it was ready to run, or it slept until another thread, an
//! interrupt, or a timer woke it. Sleep is no answer: the answer is what the waker did until then. So the time between
//! two presents is followed back from waker to waker, and each nanosecond belongs to exactly one segment of the path.
//!
//! **An example.** `dxvk-submit` presents at 100.0 ms and next at 146.0 ms; frames here take 16.7 ms, so this one is
//! 29.3 ms too long. The records of `dxvk-submit` in between: asleep from 100.4 to 145.8, woken by `dxvk-cs`. In that
//! time, `dxvk-cs` was asleep from 104.0 to 141.0, woken by `dxvk-shader-n`, which ran from 103.5 to 141.0, except from
//! 120.0 to 124.0, when `baloo_file` had its CPU. The path is
//!
//! ```text
//! dxvk-submit ran 0.4 · dxvk-cs ran 3.6 · dxvk-shader-n ran 16.0 · baloo_file had the CPU 4.0 ·
//! dxvk-shader-n ran 17.0 · dxvk-cs ran 4.8 · dxvk-submit ran 0.2                     = 46.0 ms
//! ```
//!
//! In the 90 ordinary frames before, the median time of `dxvk-shader` is 0. It grew by 33.0 ms, which is more than half
//! of 29.3 ms, so the cause is that shaders were compiled. `baloo_file` grew by 4.0 ms and is the runner-up.
//!
//! **Why growth.** A game's main thread is on the path of each frame for 10 ms. Without the comparison with ordinary
//! frames, it would be the cause of each stutter. **Why at least half.** A smaller growth leaves more unexplained than it
//! explains, and *not explained* is a result.
//!
//! **Why not what happened near the stutter.** Other tools look at a window of 20 ms to 10 s around a stutter, and weigh
//! what they find there. On a busy PC something always happens there: a compiler on another CPU is blamed although the
//! game never waited for it, and a thread that the frame slept for is not seen, because it is part of the game. How often
//! such a rule is wrong cannot be stated. Here the same paths are computed for ordinary frames, so each cause has the
//! number of ordinary frames in which the same culprit held the path for as long, and Fisher's exact test decides
//! whether that is rare enough; otherwise the cause is stated as "maybe".
//!
//! Sources: the critical path of Perfetto (`sched/thread_executing_span`), which follows wake-ups backward in the same
//! way; Fisher 1922 and Holm 1979 for the test.
//!
//! - `idle_switch`: switches from idle that were not recorded,
//! - `life`: the states of a thread over time,
//! - `timeline`: records as intervals of threads and CPUs,
//! - `path`: the path of a thread through an interval,
//! - `presenter`: the thread that presents the frames of each game,
//! - `cause`: ordinary frames, growth, causes and how sure they are,
//! - `marks`: what happened before the marks of the user,
//! - `class`, `known_thread`: words and names as data,
//! - `join`: the frames of a log that was saved at the end,
//! - `deleted`: answers without their detail,
//! - `last_time`: the comparison with an earlier recording,
//! - `words`, `quality`: sentences and tables,
//! - `followed`, `cycles`: late cycles of a thread in place of stutters, their words, table, and chart,
//! - `charts`: how late the canaries woke over time.

mod cause;
mod charts;
mod class;
mod cycles;
mod deleted;
mod followed;
mod idle_switch;
mod join;
mod known_thread;
mod last_time;
mod life;
mod marks;
mod path;
mod presenter;
mod quality;
mod timeline;
mod words;

#[cfg(test)]
pub(crate) mod tests;

pub use cause::{Analysis, Blamed, CauseOfEvents, EventPath, Growth, Outcome, Unexplained};
pub(super) use charts::{charts, show_whole};
pub use class::{Class, ClassRow};
pub(super) use cycles::chart as cycle_chart;
pub use join::{JoinError, LogTimes, join, undo_join};
pub use known_thread::{KnownThread, known_thread};
pub use last_time::{ComparedRate, LastTime, incomparable};
pub use marks::{MarkAnswer, Marked};
pub use path::Segment;
pub use presenter::Presenter;
pub(super) use quality::quality;
pub use quality::uncertainty;
pub(super) use words::{KEY_COLUMNS, finding, tables};
