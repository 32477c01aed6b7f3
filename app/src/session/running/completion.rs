//! The sound at the end of a test. It plays if the settings enable it, and never while measuring.

use std::thread::Builder;
use std::time::{Duration, Instant};

use jitterscope_engine::platform;
use jitterscope_engine::run::Ending;

use super::{Context, LoadedRun, Running};

/// Minimum duration of a test with a sound: after a shorter one, the user is still watching.
const LONG: Duration = Duration::from_secs(10);

/// The state that decides about the sound at the end of a test.
#[derive(Debug, Default)]
pub(super) struct CompletionState {
    /// When the test, quick check, or series began, to compute how long it took.
    since: Option<Instant>,
    /// Whether a sound was played for the end of a test, and the window has not been notified.
    is_unreported: bool,
}

/// Returns whether a sound is played: not for short tests, nor for tests that the user stopped.
fn should_play_sound(ran: Duration, ending: &Ending) -> bool {
    LONG < ran && *ending != Ending::Stopped
}

impl CompletionState {
    /// Sets the start time of a test; a series of runs counts as one test.
    pub(super) fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Forgets the start time of a test that did not run.
    pub(super) const fn cancel(&mut self) {
        self.since = None;
    }

    /// Returns whether a sound was played for the end of a test since the last call.
    pub(super) const fn take(&mut self) -> bool {
        std::mem::replace(&mut self.is_unreported, false)
    }
}

impl Running {
    /// Plays the sound after a run was saved, unless another run follows. `name` is the name of the
    /// test or check.
    pub(super) fn note_end(&mut self, name: &str, shown: &LoadedRun, context: &Context) {
        if self.is_busy() {
            return;
        }
        let Some(since) = self.endings.since.take() else { return };
        if context.plays_sound && should_play_sound(since.elapsed(), &shown.run.ending) {
            self.endings.is_unreported = true;
            play_completion_sound(format!("{name} has finished"));
        }
    }
}

/// Plays the sound on a temporary thread, because the sound system of the desktop may be slow.
fn play_completion_sound(sentence: String) {
    let playing = Builder::new()
        .name("chime".to_owned())
        .spawn(move || platform::play_completion_sound(&sentence));
    if let Err(error) = playing {
        log::error!("could not start a thread for 'chime': {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_did_not_run_does_not_make_the_next_one_long() {
        let mut endings = CompletionState::default();
        endings.begin();
        endings.cancel();
        assert_eq!(endings.since, None);
    }

    #[test]
    fn only_the_end_of_something_long_that_was_not_stopped_is_heard() {
        let secs = Duration::from_secs;
        for (ran, ending, expected) in [
            (secs(30), Ending::Finished, true),
            (secs(30), Ending::Failed("no memory".to_owned()), true),
            (secs(30), Ending::Stopped, false),
            (secs(10), Ending::Finished, false),
            (secs(2), Ending::Finished, false),
        ] {
            assert_eq!(should_play_sound(ran, &ending), expected, "{ran:?} {ending:?}");
        }
    }
}
