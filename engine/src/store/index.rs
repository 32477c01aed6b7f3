//! The list of runs without opening them: a cache beside the runs, made anew wherever a file changed.
//!
//! Nothing depends on it: it may be deleted at any time, and is thrown away by another version of the
//! program, whose conclusions may be others.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{EXTENSION, FindError, Store, load};
use crate::nanos::Nanos;
use crate::plan::SpinStrategy;
use crate::report::{Headline, Key};
use crate::run::{Ending, Run, RunId};
use crate::stats::Grade;

/// What the cache is called.
const FILE: &str = "index.jitterscope.cache";
/// Raised whenever a line says something else.
const INDEX_VERSION: u64 = 2;

/// A file in the folder of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The run in short, or why it cannot be read.
    pub run: Result<Box<RunInShort>, String>,
}

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInShort {
    /// Names the run.
    pub id: RunId,
    /// What a person calls it; empty where nobody named it.
    pub name: String,
    /// What a person wrote about it.
    pub note: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The key of its test.
    pub test: String,
    /// Processor and system in a few words.
    pub machine: String,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// How long was measured.
    pub measured: Nanos,
    /// Its grade and key number.
    pub headline: Headline,
}

impl RunInShort {
    /// A run in short; judges it. Time: O(n log n) in the number of samples.
    pub fn of(run: &Run) -> Self {
        Self {
            id: run.id.clone(),
            name: run.name.clone(),
            note: run.note.clone(),
            tags: run.tags.clone(),
            test: run.plan.key().to_owned(),
            machine: run.machine.short(),
            started_at: run.started_at,
            measured: run.measured(),
            headline: Headline::of(run),
        }
    }
}

/// What tells that a file is still the one that was read: its size and when it was last changed.
type Stamp = (u64, u64);

impl Store {
    /// Every file of the folder that is named as a run, the newest first, from the cache where that still
    /// holds; files that changed are opened and judged. No folder is no runs.
    pub fn lines(&self) -> Result<Vec<Line>, FindError> {
        let paths = self.paths(EXTENSION)?;
        let mut known = read_cache(&self.folder.join(FILE));
        let known_count = known.len();
        let mut lines = Vec::with_capacity(paths.len());
        let mut is_changed = false;
        for path in paths {
            // A file that was deleted a moment ago is no run.
            let Ok(stamp) = stamp(&path) else { continue };
            let name = file_name(&path);
            let run = match known.remove(&name) {
                Some((then, run)) if then == stamp => Ok(run),
                _ => {
                    is_changed = true;
                    load(&path)
                        .map(|run| Box::new(RunInShort::of(&run)))
                        .map_err(|error| error.to_string())
                }
            };
            lines.push((stamp, Line { path, bytes: stamp.0, run }));
        }
        if is_changed || lines.len() != known_count {
            self.write_cache(&lines);
        }
        let mut lines: Vec<Line> = lines.into_iter().map(|(_, line)| line).collect();
        let started = |line: &Line| line.run.as_ref().ok().map(|run| run.started_at);
        lines.sort_by(|a, b| started(b).cmp(&started(a)).then_with(|| a.path.cmp(&b.path)));
        Ok(lines)
    }

    /// The file of the one run that a person called so.
    pub fn find_by_name(&self, name: &str) -> Result<PathBuf, FindError> {
        let mut lines = self.lines()?;
        lines.retain(|line| line.run.as_ref().is_ok_and(|run| run.name == name));
        match lines.as_slice() {
            [line] => Ok(line.path.clone()),
            [] => Err(FindError::None { name: name.to_owned() }),
            several => Err(FindError::Several { name: name.to_owned(), count: several.len() }),
        }
    }

    /// A cache that cannot be written costs time at the next start and nothing else.
    fn write_cache(&self, lines: &[(Stamp, Line)]) {
        let mut text = head();
        for (stamp, line) in lines {
            // What cannot be read is tried again each time: it may have been mended.
            let Ok(run) = &line.run else { continue };
            text.push('\n');
            text.push_str(&written(&file_name(&line.path), *stamp, run));
        }
        if let Err(error) = super::write_whole(&self.folder.join(FILE), text.as_bytes()) {
            log::info!("the list of runs is not kept: {error}");
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let metadata = fs::metadata(path)?;
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((metadata.len(), u64::try_from(changed.as_nanos()).unwrap_or(u64::MAX)))
}

fn head() -> String {
    format!("jitterscope-index {INDEX_VERSION} {}", env!("CARGO_PKG_VERSION"))
}

fn read_cache(path: &Path) -> HashMap<String, (Stamp, Box<RunInShort>)> {
    let Ok(text) = fs::read_to_string(path) else { return HashMap::new() };
    let mut lines = text.lines();
    if lines.next() != Some(head().as_str()) {
        return HashMap::new();
    }
    lines.filter_map(read).collect()
}

/// A run as a line: fields with a tab between them, in which tabs and ends of lines are written as `\t`
/// and `\n`. What is absent is empty.
fn written(file: &str, (bytes, changed): Stamp, run: &RunInShort) -> String {
    let Headline { grade, best_p99, key, rows, refused, frames, ending } = &run.headline;
    let (ending, failure) = match ending {
        Ending::Finished => ("finished", ""),
        Ending::Stopped => ("stopped", ""),
        Ending::Recovered => ("recovered", ""),
        Ending::Failed(reason) => ("failed", reason.as_str()),
    };
    let fields = [
        file.to_owned(),
        bytes.to_string(),
        changed.to_string(),
        run.id.to_string(),
        run.name.clone(),
        run.note.clone(),
        run.test.clone(),
        run.machine.clone(),
        run.started_at.to_string(),
        run.measured.get().to_string(),
        grade.map_or("", Grade::word).to_owned(),
        best_p99.map_or(String::new(), |p99| p99.get().to_string()),
        key.map_or(String::new(), key_text),
        rows.to_string(),
        refused.to_string(),
        frames.to_string(),
        ending.to_owned(),
        failure.to_owned(),
    ];
    let all: Vec<String> = fields.iter().chain(&run.tags).map(|field| escaped(field)).collect();
    all.join("\t")
}

fn read(line: &str) -> Option<(String, (Stamp, Box<RunInShort>))> {
    let mut fields = line.split('\t').map(unescaped);
    let mut next = || fields.next();
    let file = next()?;
    let stamp = (next()?.parse().ok()?, next()?.parse().ok()?);
    let id = RunId::parse(&next()?)?;
    let (name, note, test, machine) = (next()?, next()?, next()?, next()?);
    let started_at = next()?.parse().ok()?;
    let measured = Nanos::new(next()?.parse().ok()?);
    let grades = [Grade::Excellent, Grade::Good, Grade::Fair, Grade::Poor];
    let grade = match next()?.as_str() {
        "" => None,
        word => Some(grades.into_iter().find(|grade| grade.word() == word)?),
    };
    let best_p99 = match next()?.as_str() {
        "" => None,
        nanos => Some(Nanos::new(nanos.parse().ok()?)),
    };
    let key = match next()?.as_str() {
        "" => None,
        text => Some(key_of(text)?),
    };
    let mut count = || next()?.parse().ok();
    let (rows, refused, frames) = (count()?, count()?, count()?);
    let ending = match (next()?.as_str(), next()?) {
        ("finished", _) => Ending::Finished,
        ("stopped", _) => Ending::Stopped,
        ("recovered", _) => Ending::Recovered,
        (_, failure) => Ending::Failed(failure),
    };
    let run = RunInShort {
        id,
        name,
        note,
        tags: fields.collect(),
        test,
        machine,
        started_at,
        measured,
        headline: Headline { grade, best_p99, key, rows, refused, frames, ending },
    };
    Some((file, (stamp, Box::new(run))))
}

/// A key number as text: its kind and its number.
fn key_text(key: Key) -> String {
    match key {
        Key::Tail(nanos) => format!("tail {}", nanos.get()),
        Key::Strategy(strategy) => format!("strategy {}", strategy.name()),
        Key::Biggest(nanos) => format!("biggest {}", nanos.get()),
        Key::Fall(share) => format!("fall {share}"),
        Key::Cycle(nanos) => format!("cycle {}", nanos.get()),
    }
}

fn key_of(text: &str) -> Option<Key> {
    let (kind, number) = text.split_once(' ')?;
    let nanos = || number.parse().ok().map(Nanos::new);
    Some(match kind {
        "tail" => Key::Tail(nanos()?),
        "strategy" => {
            Key::Strategy(SpinStrategy::ALL.into_iter().find(|one| one.name() == number)?)
        }
        "biggest" => Key::Biggest(nanos()?),
        "fall" => Key::Fall(number.parse().ok()?),
        "cycle" => Key::Cycle(nanos()?),
        _ => return None,
    })
}

fn escaped(field: &str) -> String {
    let field = field.replace('\\', "\\\\").replace('\t', "\\t");
    field.replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            letter => letter,
        });
    }
    text
}

#[cfg(test)]
mod tests;
