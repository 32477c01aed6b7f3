//! Converts an imported file to a run, which contains only facts from the file: about the machine,
//! and the capture.

use super::imported::{Content, Imported, Source};
use super::text::{self, MAX_LETTERS};
use crate::run::capture::Recording;
use crate::run::{Capture, NO_METHOD, Run, RunId, Subject};
use crate::units::count_text;

impl Imported {
    /// Returns the runs of a quick check, or the only run of any other file.
    pub fn into_runs(self) -> Vec<Run> {
        match self.content {
            Content::Check(runs) => runs,
            Content::Run(_) | Content::Capture(_) => vec![self.into_run()],
        }
    }

    /// Returns a run that can be saved, shown, and compared with other captures.
    ///
    /// A run of this program is returned unchanged. A capture of another program becomes an
    /// imported run: its subject is the capture, and its machine contains only the facts of the
    /// file. Of a quick check, the first run is returned.
    pub fn into_run(self) -> Run {
        let Self {
            source,
            name,
            file,
            started_at,
            wall_clock,
            machine,
            content,
            bad_lines,
            mut notes,
            ..
        } = self;
        let mut capture = match content {
            Content::Run(run) => return *run,
            Content::Check(runs) => {
                let empty = || Run::planned(Subject::Imported(Capture::Frames(Vec::new())), &[]);
                return runs.into_iter().next().unwrap_or_else(empty);
            }
            Content::Capture(capture) => capture,
        };
        if 0 < bad_lines.count {
            notes.push(format!("{} could not be read.", count_text(bad_lines.count, "lines")));
        }
        notes.extend(words_of(&capture));
        notes.insert(0, format!("Imported from {}.", source.with_article()));
        for label in capture.labels_mut() {
            if label.is_empty() {
                let own = if name.is_empty() { source.label() } else { &name };
                *label = own.chars().take(MAX_LETTERS).collect();
            }
        }
        Run {
            id: id(source, &name, &capture),
            app_version: source.program().to_owned(),
            method_version: NO_METHOD,
            started_at: started_at.unwrap_or(jiff::Timestamp::UNIX_EPOCH),
            wall_clock,
            name: run_name(&name, &file),
            note: notes.join("\n"),
            tags: vec!["imported".to_owned()],
            machine,
            ..Run::planned(Subject::Imported(capture), &[])
        }
    }
}

/// Returns the name of a run: what was recorded and in which file, because two captures of one game differ only by file. A
/// file name that includes the game is the name.
fn run_name(name: &str, file: &str) -> String {
    let (game, whole) = (name.to_lowercase(), file.to_lowercase());
    let game = game.strip_suffix(".exe").unwrap_or(&game);
    let is_end = |neighbor: Option<char>| !neighbor.is_some_and(char::is_alphanumeric);
    let has_game = whole.match_indices(game).any(|(at, _)| {
        let (before, after) = (whole.get(..at), whole.get(at + game.len()..));
        is_end(before.and_then(|it| it.chars().next_back()))
            && is_end(after.and_then(|it| it.chars().next()))
    });
    if file.is_empty() {
        text::name(name)
    } else if game.is_empty() || has_game {
        text::name(file)
    } else {
        text::name(&format!("{name} ({file})"))
    }
}

/// Returns notes about a capture, one sentence each: how many frame times are missing, how many
/// recordings the file has, and whether each row is a periodic reading.
fn words_of(capture: &Capture) -> Vec<String> {
    let recordings = capture.recordings();
    let mut words = Vec::new();
    let missing: usize = recordings.iter().map(Recording::missing_count).sum();
    if 0 < missing {
        let verb = if missing == 1 { "is" } else { "are" };
        words.push(format!("{} {verb} missing.", count_text(missing, "frame times")));
    }
    if 1 < recordings.len() {
        words.push(format!("The file holds {} recordings.", recordings.len()));
    }
    let what = match capture {
        Capture::SampledLog(_) => "frames",
        Capture::SampledTicks(_) => "ticks",
        Capture::Frames(_) | Capture::Ticks(_) | Capture::Histogram(_) => return words,
    };
    words.push(format!("Each row is a periodic reading: most {what} are not included."));
    words
}

/// Returns an ID derived from the content: importing a file twice results in the same ID.
fn id(source: Source, name: &str, capture: &Capture) -> RunId {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(source.label().as_bytes());
    add(name.as_bytes());
    for recording in capture.recordings() {
        add(recording.label.as_bytes());
        recording.frame_times.values().for_each(|time| add(&time.to_le_bytes()));
    }
    if let Capture::Histogram(distributions) = capture {
        for distribution in distributions {
            add(distribution.label.as_bytes());
            for (value, count) in distribution.bins.iter() {
                add(&value.to_le_bytes());
                add(&count.to_le_bytes());
            }
        }
    }
    let folded = (hash >> 32) ^ (hash & 0xffff_ffff);
    RunId::parse(&format!("{folded:08x}")).unwrap_or_else(RunId::random)
}

#[cfg(test)]
mod tests {
    use super::run_name;

    #[test]
    fn a_run_is_named_by_its_game_and_its_file() {
        for (name, file, expected) in [
            ("game.exe", "run1", "game.exe (run1)"),
            ("Game.exe", "PresentMon-game-2026-11-28", "PresentMon-game-2026-11-28"),
            ("vkcube_2026", "vkcube_2026", "vkcube_2026"),
            ("game.exe", "", "game.exe"),
            ("", "run1", "run1"),
            ("GAME.EXE", "game_1", "game_1"),
            ("re.exe", "recording1", "re.exe (recording1)"),
            ("n.exe", "run1", "n.exe (run1)"),
        ] {
            assert_eq!(run_name(name, file), expected);
        }
    }
}
