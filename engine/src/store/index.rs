//! Lists runs without opening their files: a cache in the folder of runs contains a summary of each
//! run. Only files that changed are opened.
//!
//! The cache can be deleted at any time. Another version of the program discards the cache, since
//! the verdicts of the versions may differ.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::format::checksum::sha256;
use super::format::index::{IndexHead, IndexRecord};
use super::{EXTENSION, FindError, LoadError, Store, disk, format, id_of, load, stem_of};
use crate::run::RunId;

pub use super::format::index::{RecordedState, RunIndexEntry};

/// The file name of the cache.
const FILE: &str = "index.jitterscope.cache";
/// The name of the format, in the header line of the cache.
const FORMAT: &str = "jitterscope-index";
/// Version of the records in the cache, incremented when the meaning of a record changes.
const INDEX_VERSION: u32 = 15;
/// Maximum size of the cache: more than 100,000 runs.
const MAX_BYTES: u64 = 64 << 20;

/// A file in the folder of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The path of the file.
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// The summary of the run, or the reason why it cannot be read.
    pub run: Result<Box<RunIndexEntry>, String>,
}

impl Line {
    /// Returns the IDs of the run: the one in its content, and the one in the file name if it differs.
    pub fn ids(&self) -> impl Iterator<Item = RunId> {
        let inner = self.run.as_ref().ok().map(|run| run.id.clone());
        let outer = id_of(&self.path).filter(|id| inner.as_ref() != Some(id));
        inner.into_iter().chain(outer)
    }

    /// Whether `name` is the name of the file, with or without its extension.
    pub(super) fn is_file(&self, name: &str) -> bool {
        name == file_name(&self.path) || name == stem_of(&self.path)
    }

    /// Whether the name of the file, the part of that name after its last hyphen, or an ID of the
    /// run begins with a text.
    pub(super) fn begins_with(&self, text: &str) -> bool {
        let stem = stem_of(&self.path);
        let last = stem.rsplit('-').next().unwrap_or_default();
        file_name(&self.path).starts_with(text)
            || last.starts_with(text)
            || self.ids().any(|id| id.as_str().starts_with(text))
    }

    /// Whether the user named the run `name`.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.run.as_ref().is_ok_and(|run| run.name == name)
    }

    /// Whether the run is a capture of the game `name`.
    pub(super) fn is_of_game(&self, name: &str) -> bool {
        self.run.as_ref().is_ok_and(|run| run.recorded.is_none() && run.game == name)
    }
}

/// The state of a file: its size in bytes, and its modification time in nanoseconds since 1970.
type Stamp = (u64, u64);

impl Store {
    /// Returns a number that changes when a run in the folder is added, changed, or deleted. Run
    /// files are not opened.
    pub fn state(&self) -> Result<u64, FindError> {
        let mut hasher = DefaultHasher::new();
        for path in self.paths(EXTENSION)? {
            stamp(&path).ok().hash(&mut hasher);
            path.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    /// Lists every file in the folder that has the name of a run, newest first. Unchanged files
    /// come from the cache; others are opened and evaluated. A missing folder has no runs.
    pub fn lines(&self) -> Result<Vec<Line>, FindError> {
        let paths = self.paths(EXTENSION)?;
        let mut known = read_cache(&self.folder.join(FILE));
        let known_count = known.len();
        let mut lines = Vec::with_capacity(paths.len());
        let mut is_changed = false;
        for path in paths {
            let stamp = match stamp(&path) {
                Ok(stamp) => stamp,
                // The file was deleted after the folder was read.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let run = Err(format!("{error}: {}", path.display()));
                    lines.push(((0, 0), Line { path, bytes: 0, run }));
                    continue;
                }
            };
            let name = file_name(&path);
            let run = match known.remove(&name) {
                Some((then, run)) if then == stamp => Ok(run),
                _ => {
                    is_changed = true;
                    match load(&path) {
                        Ok(run) => Ok(Box::new(RunIndexEntry::of(&run))),
                        // The file was deleted after its state was read.
                        Err(LoadError::Read(error))
                            if error.source.kind() == std::io::ErrorKind::NotFound
                                && path.symlink_metadata().is_err() =>
                        {
                            continue;
                        }
                        // The context of the message already states that the file cannot be read.
                        Err(LoadError::Read(error)) => Err(error.to_string()),
                        Err(error) => Err(error.to_string()),
                    }
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

    /// Writes the cache. An error is only logged: the next call of `lines` then takes longer.
    fn write_cache(&self, lines: &[(Stamp, Line)]) {
        let written = super::replace(&self.folder.join(FILE), |writer| {
            let mut records = Vec::new();
            for (stamp, line) in lines {
                // Unreadable files are not cached: the next call tries them again, since they may
                // have been repaired.
                if let Ok(run) = &line.run {
                    let (file, (bytes, modified_nanos)) = (file_name(&line.path), *stamp);
                    let run = run.clone();
                    let record = IndexRecord { file, bytes, modified_nanos, run };
                    format::write_line(&record, &mut records)?;
                }
            }
            format::write_line(&head(&records), writer)?;
            writer.write_all(&records)
        });
        if let Err(error) = written {
            log::info!("the list of runs is not cached: {error}");
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let (bytes, modified) = disk::stamp(path)?;
    let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((bytes, u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX)))
}

/// Returns the header line of a cache with these records.
fn head(records: &[u8]) -> IndexHead {
    IndexHead {
        format: FORMAT.to_owned(),
        version: INDEX_VERSION,
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
        sha256: sha256(records),
    }
}

/// Returns the records of the cache by file name; none if another version wrote the cache, or if
/// the cache was modified after it was written.
fn read_cache(path: &Path) -> HashMap<String, (Stamp, Box<RunIndexEntry>)> {
    let bytes = match disk::read_bounded(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            log::info!("the list of runs is not cached: {error}: {}", path.display());
            return HashMap::new();
        }
    };
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (first, rest) = bytes.split_at(end);
    let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    if format::read_line::<IndexHead>(first) != Some(head(rest)) {
        return HashMap::new();
    }
    rest.split(|byte| *byte == b'\n')
        .filter_map(IndexRecord::read)
        .map(|record| (record.file, ((record.bytes, record.modified_nanos), record.run)))
        .collect()
}

#[cfg(test)]
mod tests;
