//! Plays the desktop's sound for something that is over, by the programs a desktop has for it.

use std::process::{Command, Stdio};

/// By what the system plays its sound.
pub const CHIME_NOTE: &str = "Needs canberra-gtk-play, pw-play, or notify-send";

/// A program and its arguments, the sentence left out.
type Helper = (&'static str, &'static [&'static str]);

/// What plays the sound of the desktop's theme, the surest first; a notification brings its own sound
/// and is shown with the sentence.
const PLAYERS: [Helper; 2] = [
    ("canberra-gtk-play", &["--id=complete"]),
    ("pw-play", &["/usr/share/sounds/freedesktop/stereo/complete.oga"]),
];
const NOTIFIER: Helper = (
    "notify-send",
    &[
        "--app-name=Jitterscope",
        "--icon=jitterscope",
        "--hint=string:sound-name:complete",
        "--hint=string:desktop-entry:jitterscope",
        // It is news for a moment only: nothing of it stays in the desktop's list.
        "--hint=int:transient:1",
        "--",
    ],
);

/// Plays the desktop's sound for something that is over; where no player works, a notification with
/// this sentence. Silent where there is no desktop. Takes as long as the sound: call it on a thread of
/// its own.
pub fn chime(sentence: &str) {
    let is_played = PLAYERS.iter().any(|(program, arguments)| succeeds(program, arguments, None))
        || succeeds(NOTIFIER.0, NOTIFIER.1, Some(sentence));
    if !is_played {
        log::info!("no sound was played: none of the desktop's programs for it works here");
    }
}

/// Whether a program is there, runs and ends well.
fn succeeds(program: &str, arguments: &[&str], last: Option<&str>) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).args(last);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_that_is_there_and_ends_well_counts() {
        assert!(succeeds("sh", &["-c", "test \"$0\" = over"], Some("over")));
        assert!(!succeeds("sh", &["-c", "exit 1"], None));
        assert!(!succeeds("no-such-program-of-any-desktop", &[], None));
    }
}
