//! Plays the desktop's completion sound with helper programs.

use std::process::{Command, Stdio};

/// A note for the user: the helper programs, one of which is needed for the completion sound.
pub const COMPLETION_SOUND_NOTE: &str = "Needs canberra-gtk-play, pw-play, or notify-send";

/// A helper program and its arguments, without the sentence that a notification shows.
type Helper = (&'static str, &'static [&'static str]);

/// Programs that play the completion sound of the desktop's theme, most reliable first. If none
/// works, `NOTIFIER` shows a notification with a sound.
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
        // The notification is relevant only for a moment: it does not stay in the desktop's list of
        // notifications.
        "--hint=int:transient:1",
        "--",
    ],
);

/// Plays the desktop's completion sound; if no player works, shows a notification with this
/// sentence. Silent without a desktop. Takes as long as the sound: call it on a separate thread.
pub fn play_completion_sound(sentence: &str) {
    let is_played = PLAYERS.iter().any(|(program, arguments)| succeeds(program, arguments, None))
        || succeeds(NOTIFIER.0, NOTIFIER.1, Some(sentence));
    if !is_played {
        log::info!("no sound was played: no supported player works on this desktop");
    }
}

/// Runs a program with these arguments and, if there is one, a last argument. Returns whether the
/// program exists and succeeds.
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
