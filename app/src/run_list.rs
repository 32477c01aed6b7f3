//! Saved runs as list entries; the runs of one quick check form a single entry.

mod filter;
pub mod trend;

use std::path::{Path, PathBuf};

use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::Plan;
use jitterscope_engine::plan::quick::{Part, TAG};
use jitterscope_engine::report::comparison::{Delta, ValuesByLabel};
use jitterscope_engine::report::quick::Conclusion;
use jitterscope_engine::report::trend::{TrendRun, key_figure};
use jitterscope_engine::report::{Headline, Standing};
use jitterscope_engine::run::{Ending, Group, Recording, RunId, capture};
use jitterscope_engine::store::edit::MAX_NOTE;
use jitterscope_engine::store::index::{Line, RecordedState, RunIndexEntry};
use jitterscope_engine::units::{count_text, cut, shortened};

use crate::text;

pub use filter::{RunFilter, SavedFilter, parse_words, verdict_of};

/// Returns whether a part of a quick check was skipped: at least one run of the check records that.
/// The run of a part that was skipped while it was measured is saved, but does not count.
pub fn is_skipped<'a>(part: Part, mut groups: impl Iterator<Item = &'a Group>) -> bool {
    groups.any(|group| group.has_skipped(part.key()))
}

/// Maximum number of characters of a text of an entry, except its note, and of its tags. Lists draw and search entries in
/// every frame; more than this can only be in a file of another program.
const MAX_TEXT: usize = 1_000;
const MAX_TAGS: usize = 100;

/// The key of quick checks, used like the key of a test.
pub const CHECK: &str = "quick-check";

/// An entry of the list of saved runs: a run, or a quick check with all its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryItem {
    /// The path of the file. For a quick check, a path without a file, which only identifies the
    /// entry.
    pub path: PathBuf,
    /// All files of the entry: one for a run; for a quick check, one per measurement, including
    /// repeated ones.
    pub files: Vec<PathBuf>,
    /// The total size of the files in bytes.
    pub bytes: u64,
    /// The summary of the entry, or the reason why it cannot be read.
    pub run: Result<RunListEntry, String>,
    /// The parts of a quick check in order, each with its newest run; empty for a run.
    pub parts: Vec<Self>,
}

/// The summary of a run or quick check, shown in one line of the list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunListEntry {
    /// The ID of the run or quick check.
    pub id: String,
    /// The displayed name: the name given by the user, or one derived from the settings.
    pub name: String,
    /// The name given by the user, or empty.
    pub given_name: String,
    /// The user's note.
    pub note: String,
    /// Tags given by the user.
    pub tags: Vec<String>,
    /// The key of the test.
    pub test: &'static str,
    /// The name of the test.
    pub test_name: &'static str,
    /// Identifies runs with the same settings; empty if the run cannot be re-run.
    pub fingerprint: String,
    /// Identifies runs that differ only by run-to-run variation; empty if no other run can match.
    pub setting: String,
    /// What disturbed the run, as part of a sentence; empty if nothing did.
    pub disturbed: String,
    /// What can be changed in a recording; `None` for another run.
    pub recorded: Option<RecordedState>,
    /// The value of each metric, by configuration; `None` for a quick check and a recording.
    pub values: Option<ValuesByLabel>,
    /// Grade and key numbers.
    pub headline: Headline,
    /// The verdict in one or two words.
    pub verdict: String,
    /// The key number, or the answer of a quick check, in a few words.
    pub key_result: String,
    /// The change compared with the baseline; `None` without a baseline or if the change is
    /// unknown.
    pub change: Option<Delta>,
    /// The machine: processor and operating system, after the name of another PC.
    pub machine: String,
    /// When the run began.
    pub started_at: jiff::Timestamp,
    /// How long was measured; for a quick check, the sum over its parts.
    pub measured: Nanos,
}

impl LibraryItem {
    /// Returns the list entries of these run files: newest first, unreadable files last.
    pub fn list(lines: Vec<Line>) -> Vec<Self> {
        let mut items: Vec<Self> = Vec::new();
        let mut checks: Vec<(RunId, Vec<(Line, Part)>)> = Vec::new();
        for line in lines {
            let Some((id, part)) = part_of(&line) else {
                items.push(Self::of(line));
                continue;
            };
            match checks.iter_mut().find(|(of, _)| *of == id) {
                Some((_, lines)) => lines.push((line, part)),
                None => checks.push((id, vec![(line, part)])),
            }
        }
        items.extend(checks.into_iter().filter_map(|(id, lines)| Self::of_check(&id, lines)));
        let started = |item: &Self| item.run.as_ref().ok().map(|run| run.started_at);
        items.sort_by(|a, b| started(b).cmp(&started(a)).then_with(|| a.path.cmp(&b.path)));
        trend::compare_with_baselines(&mut items);
        items
    }

    /// Returns the finished runs of entries as a trend reads them; of a quick check, those of its parts.
    pub fn trend_runs<'a>(items: impl IntoIterator<Item = &'a Self>) -> Vec<TrendRun<'a>> {
        let runs = |item: &'a Self| {
            let own =
                if item.is_check() { item.parts.as_slice() } else { std::slice::from_ref(item) };
            own.iter().filter_map(|item| item.run.as_ref().ok()?.trend_run())
        };
        items.into_iter().flat_map(runs).collect()
    }

    /// Returns whether this entry is a quick check.
    pub fn is_check(&self) -> bool {
        !self.parts.is_empty()
    }

    fn of(line: Line) -> Self {
        let run = line.run.and_then(|run| RunListEntry::of(*run));
        Self {
            files: vec![line.path.clone()],
            path: line.path,
            bytes: line.bytes,
            run,
            parts: Vec::new(),
        }
    }

    /// Creates the entry of a quick check from the lines of its run files, which are ordered from
    /// newest to oldest.
    fn of_check(id: &RunId, lines: Vec<(Line, Part)>) -> Option<Self> {
        let files: Vec<PathBuf> = lines.iter().map(|(line, _)| line.path.clone()).collect();
        let bytes = lines.iter().map(|(line, _)| line.bytes).sum();
        let path = files.first()?.parent().unwrap_or(Path::new("")).join(format!("{CHECK}-{id}"));
        let groups = || lines.iter().filter_map(|(line, _)| line.run.as_ref().ok()?.group.as_ref());
        let is_skipped = |part: &Part| is_skipped(*part, groups());
        let skipped: Vec<Part> = Part::ALL.into_iter().filter(is_skipped).collect();
        let mut newest: Vec<(Line, Part)> = Vec::new();
        for (line, part) in lines {
            if newest.iter().all(|(_, known)| *known != part) {
                newest.push((line, part));
            }
        }
        newest.sort_by_key(|(_, part)| *part);
        let runs: Vec<(Part, &RunIndexEntry)> = newest
            .iter()
            .filter_map(|(line, part)| Some((*part, line.run.as_ref().ok()?.as_ref())))
            .collect();
        let run = RunListEntry::of_check(id, &runs, &skipped)?;
        let parts = newest.into_iter().map(|(line, part)| {
            let mut item = Self::of(line);
            if let Ok(run) = &mut item.run {
                part.name().clone_into(&mut run.name);
                run.verdict = if skipped.contains(&part) {
                    (run.headline.grade, run.headline.standing) = (None, Standing::Clear);
                    "Skipped".to_owned()
                } else {
                    text::quick::part_word(run.headline.grade, run.headline.standing)
                };
            }
            item
        });
        Some(Self { path, files, bytes, run: Ok(run), parts: parts.collect() })
    }
}

/// Returns the tags of a run that an entry has.
fn listed_tags(tags: &[String]) -> impl Iterator<Item = String> {
    tags.iter().take(MAX_TAGS).map(|tag| cut(tag, MAX_TEXT).into_owned())
}

/// Returns the quick check to which a run belongs, and its part in that check; `None` if the run is
/// not part of a quick check.
fn part_of(line: &Line) -> Option<(RunId, Part)> {
    let group = line.run.as_ref().ok()?.group.as_ref()?;
    let part = Part::ALL.into_iter().find(|part| part.key() == group.part)?;
    Some((group.id.clone(), part))
}

impl RunListEntry {
    fn of(run: RunIndexEntry) -> Result<Self, String> {
        let tests = Plan::all().into_iter().map(|plan| [plan.key(), plan.listing().name]);
        let recording = [Recording::KEY, Recording::NAME];
        let known =
            tests.chain(capture::WORDS).chain([recording]).find(|[key, _]| *key == run.test);
        let [test, test_name] =
            known.ok_or_else(|| format!("unknown test '{}'", shortened(&run.test)))?;
        let is_capture = run.is_capture();
        let (setting, values) =
            run.repeats.map(|repeats| (repeats.setting, repeats.values)).unzip();
        Ok(Self {
            id: run.id.to_string(),
            name: cut(&text::name_or_title(&run.name, &run.title, test_name), MAX_TEXT)
                .into_owned(),
            given_name: cut(&run.name, MAX_TEXT).into_owned(),
            note: cut(&run.note, MAX_NOTE).into_owned(),
            tags: listed_tags(&run.tags).collect(),
            test,
            test_name,
            fingerprint: run.fingerprint,
            setting: setting.filter(|_| !is_capture).unwrap_or_default(),
            disturbed: run.disturbed,
            recorded: run.recorded,
            values,
            verdict: run.headline.word.clone(),
            key_result: run.headline.number.clone(),
            headline: run.headline,
            change: None,
            machine: cut(&run.machine, MAX_TEXT).into_owned(),
            started_at: run.started_at,
            measured: run.measured,
        })
    }

    /// Whether the run was recorded, by this program or by another one: it has no configurations.
    pub fn is_recorded(&self) -> bool {
        let mut captures = capture::WORDS.iter();
        self.test == Recording::KEY || captures.any(|[key, _]| *key == self.test)
    }

    /// Returns the number of what the run consists of: "3 configurations", "1 recording", "5 measurements".
    pub fn parts_text(&self) -> String {
        let [.., [histogram, _]] = capture::WORDS;
        let parts = match self.test {
            CHECK => "measurements",
            test if test == histogram => "histograms",
            _ if self.is_recorded() => "recordings",
            _ => "configurations",
        };
        count_text(self.headline.rows, parts)
    }

    /// Returns the run as a trend reads it; `None` if it did not finish.
    pub fn trend_run(&self) -> Option<TrendRun<'_>> {
        (self.headline.ending == Ending::Finished).then(|| TrendRun {
            id: &self.id,
            name: &self.name,
            note: &self.note,
            tags: &self.tags,
            test: self.test,
            settings: &self.fingerprint,
            machine: &self.machine,
            started_at: self.started_at,
            disturbed: &self.disturbed,
            key: key_figure(&self.headline),
            values: self.values.as_ref(),
        })
    }

    /// Creates the summary of a quick check from one run per part; the runs of skipped parts do not
    /// count. `None` if there are no runs.
    fn of_check(id: &RunId, runs: &[(Part, &RunIndexEntry)], skipped: &[Part]) -> Option<Self> {
        let (_, first) = runs.iter().min_by_key(|(_, run)| run.started_at)?;
        let measured = || runs.iter().filter(|(part, _)| !skipped.contains(part));
        let run_of = |part| measured().find(|(of, _)| *of == part).map(|(_, run)| *run);
        let verdicts = Part::ALL.map(|part| (part, run_of(part).map(RunIndexEntry::part_verdict)));
        let conclusion = Conclusion::of(&verdicts);
        let given = |of: fn(&RunIndexEntry) -> &str| {
            runs.iter().map(|(_, run)| of(run)).find(|text| !text.is_empty()).unwrap_or_default()
        };
        let given_name = cut(given(|run| &run.name), MAX_TEXT).into_owned();
        let mut endings = measured().map(|(_, run)| &run.headline.ending);
        let ending = endings.find(|ending| **ending != Ending::Finished);
        Some(Self {
            id: id.to_string(),
            name: if given_name.is_empty() { "Quick check".to_owned() } else { given_name.clone() },
            given_name,
            note: cut(given(|run| &run.note), MAX_NOTE).into_owned(),
            // The tag of quick checks is omitted: the test column shows the same.
            tags: listed_tags(&first.tags).filter(|tag| tag != TAG).collect(),
            test: CHECK,
            test_name: "Quick check",
            fingerprint: CHECK.to_owned(),
            setting: String::new(),
            disturbed: String::new(),
            recorded: None,
            values: None,
            verdict: text::quick::conclusion_word(&conclusion).to_owned(),
            key_result: text::quick::short_answer(&conclusion),
            headline: Headline {
                grade: conclusion.grade,
                standing: conclusion.standing,
                word: text::quick::conclusion_word(&conclusion).to_owned(),
                number: text::quick::short_answer(&conclusion),
                best_p99: None,
                longest_gap: None,
                rows: measured().count(),
                refused: measured().map(|(_, run)| run.headline.refused).sum(),
                ending: ending.cloned().unwrap_or(Ending::Finished),
                is_edited: measured().any(|(_, run)| run.headline.is_edited),
            },
            change: None,
            machine: first.machine.clone(),
            started_at: first.started_at,
            measured: measured().fold(Nanos::ZERO, |sum, (_, run)| sum + run.measured),
        })
    }
}

#[cfg(test)]
impl LibraryItem {
    /// Returns the entry of a finished frame loop run with this ID and these tags, to which
    /// `change` is applied; for tests.
    pub(crate) fn example(id: &str, tags: &[&str], change: impl FnOnce(&mut RunListEntry)) -> Self {
        let headline = Headline {
            standing: jitterscope_engine::report::Standing::Clear,
            grade: None,
            word: String::new(),
            number: String::new(),
            best_p99: None,
            longest_gap: None,
            rows: 1,
            refused: 0,
            ending: Ending::Finished,
            is_edited: false,
        };
        let mut run = RunListEntry {
            id: id.to_owned(),
            name: id.to_owned(),
            given_name: String::new(),
            note: String::new(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            test: "frame-loop",
            test_name: "Frame loop",
            fingerprint: String::new(),
            setting: String::new(),
            disturbed: String::new(),
            recorded: None,
            values: None,
            headline,
            change: None,
            verdict: String::new(),
            key_result: String::new(),
            machine: String::new(),
            started_at: jiff::Timestamp::UNIX_EPOCH,
            measured: Nanos::from_secs(30),
        };
        change(&mut run);
        let path = PathBuf::from(id);
        Self { files: vec![path.clone()], path, bytes: 1_000_000, run: Ok(run), parts: Vec::new() }
    }
}
