//! The sound at the end of a test: played if the settings enable it, never while measuring.

use std::thread::Builder;
use std::time::{Duration, Instant};

use jitterscope_engine::platform;
use jitterscope_engine::run::Ending;

use super::{Context, LoadedRun, Running};

/// Who waited no longer than this is still looking.
const LONG: Duration = Duration::from_secs(10);

/// What is being waited for.
#[derive(Debug, Default)]
pub(super) struct CompletionState {
    /// When the test, the check or the series began.
    since: Option<Instant>,
    /// Whether an end was not reported to the window yet.
    is_unreported: bool,
}

/// Whether an end deserves a sound: not of a short test, nor of one that the user stopped.
fn should_play_sound(ran: Duration, ending: &Ending) -> bool {
    LONG < ran && *ending != Ending::Stopped
}

impl CompletionState {
    /// Starts the clock of a test; a sequence of runs counts as one.
    pub(super) fn begin(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    /// Whether an end was not reported yet; returns it once.
    pub(super) const fn take(&mut self) -> bool {
        std::mem::replace(&mut self.is_unreported, false)
    }
}

impl Running {
    /// Plays the sound after a run was saved, unless another run follows.
    pub(super) fn note_end(&mut self, shown: &LoadedRun, context: &Context) {
        if self.is_busy() {
            return;
        }
        let Some(since) = self.endings.since.take() else { return };
        if context.plays_sound && should_play_sound(since.elapsed(), &shown.run.ending) {
            self.endings.is_unreported = true;
            play_completion_sound(format!("{} has finished", shown.run.subject.name()));
        }
    }
}

/// Plays the sound on a thread that ends afterward: the desktop may take its time.
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
