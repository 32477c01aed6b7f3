//! The list of runs without opening them: a cache next to the runs, updated for each file that
//! changed.
//!
//! Nothing depends on it: it may be deleted at any time, and another version of the program
//! discards it, because its conclusions may differ.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::format::index::{IndexHead, IndexRecord};
use super::{EXTENSION, FindError, Store, disk, format, load};

pub use super::format::index::RunIndexEntry;

/// The name of the cache.
const FILE: &str = "index.jitterscope.cache";
/// Identifies the cache.
const FORMAT: &str = "jitterscope-index";
/// Incremented whenever a record changes its meaning.
const INDEX_VERSION: u32 = 6;
/// The largest cache that is read: more than 100,000 runs.
const MAX_BYTES: u64 = 64 << 20;

/// A file in the folder of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The run in short, or why it cannot be read.
    pub run: Result<Box<RunIndexEntry>, String>,
}

/// Identifies the state of a file: its size and modification time.
type Stamp = (u64, u64);

impl Store {
    /// A number that is another one as soon as a run of the folder is added, changed, or deleted. Only the
    /// folder is read.
    pub fn state(&self) -> Result<u64, FindError> {
        let mut hasher = DefaultHasher::new();
        for path in self.paths(EXTENSION)? {
            stamp(&path).ok().hash(&mut hasher);
            path.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }

    /// Every file of the folder that is named like a run, newest first, from the cache if it is
    /// current; changed files are opened and evaluated. A missing folder has no runs.
    pub fn lines(&self) -> Result<Vec<Line>, FindError> {
        let paths = self.paths(EXTENSION)?;
        let mut known = read_cache(&self.folder.join(FILE));
        let known_count = known.len();
        let mut lines = Vec::with_capacity(paths.len());
        let mut is_changed = false;
        for path in paths {
            let stamp = match stamp(&path) {
                Ok(stamp) => stamp,
                // Deleted a moment ago.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let run = Err(format!("cannot be read: {error}: {}", path.display()));
                    lines.push(((0, 0), Line { path, bytes: 0, run }));
                    continue;
                }
            };
            let name = file_name(&path);
            let run = match known.remove(&name) {
                Some((then, run)) if then == stamp => Ok(run),
                _ => {
                    is_changed = true;
                    load(&path)
                        .map(|run| Box::new(RunIndexEntry::of(&run)))
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

    /// The files of the runs with this name.
    pub(super) fn named(&self, name: &str) -> Result<Vec<PathBuf>, FindError> {
        let mut lines = self.lines()?;
        lines.retain(|line| line.run.as_ref().is_ok_and(|run| run.name == name));
        Ok(lines.into_iter().map(|line| line.path).collect())
    }

    /// A cache that cannot be written only costs time at the next start.
    fn write_cache(&self, lines: &[(Stamp, Line)]) {
        let written = super::replace(&self.folder.join(FILE), |writer| {
            format::write_line(&head(), writer)?;
            for (stamp, line) in lines {
                // Unreadable files are tried again each time: they may have been repaired.
                if let Ok(run) = &line.run {
                    let (file, (bytes, modified_nanos)) = (file_name(&line.path), *stamp);
                    let run = run.clone();
                    let record = IndexRecord { file, bytes, modified_nanos, run };
                    format::write_line(&record, writer)?;
                }
            }
            Ok(())
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

fn head() -> IndexHead {
    IndexHead {
        format: FORMAT.to_owned(),
        version: INDEX_VERSION,
        app_version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The records of a cache of this version; unreadable lines are skipped.
fn read_cache(path: &Path) -> HashMap<String, (Stamp, Box<RunIndexEntry>)> {
    let bytes = match disk::read_bounded(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            log::info!("the list of runs is not cached: {error}: {}", path.display());
            return HashMap::new();
        }
    };
    let mut lines = bytes.split(|byte| *byte == b'\n');
    if lines.next().and_then(format::read_line::<IndexHead>) != Some(head()) {
        return HashMap::new();
    }
    let records = lines.filter_map(IndexRecord::read);
    records
        .map(|record| (record.file, ((record.bytes, record.modified_nanos), record.run)))
        .collect()
}

#[cfg(test)]
mod tests;
