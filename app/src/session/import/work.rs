//! Opens files on a background thread: reads, evaluates, and saves them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use jitterscope_engine::import::{self, ImportError, Options};
use jitterscope_engine::platform::with_remedy;
use jitterscope_engine::run::Run;
use jitterscope_engine::store::{self, SaveOutcome, Store};

use super::super::preset_file;
use super::{ImportedRun, LoadedRun, OpenedFiles, WhichColumn, WhichSeries};
use crate::run_list::CHECK;
use crate::text::import as words;

/// Maximum number of files that are opened at once.
const MAX_FILES: usize = 1_000;
/// Maximum depth of nested folders in which files are searched.
const MAX_DEPTH: usize = 4;
/// File name extensions of supported files.
pub(in crate::session) const ENDINGS: [&str; 8] =
    ["json", "html", "htm", "csv", "hml", "hgrm", "hist", "tsv"];

/// How far files have been opened. The window shows it, and can cancel the rest.
#[derive(Debug, Default)]
pub(super) struct OpenProgress {
    pub(super) total: AtomicUsize,
    pub(super) done: AtomicUsize,
    pub(super) is_canceled: AtomicBool,
}

/// Opens files, and all supported files in folders among them, in the order of their names, until canceled.
pub(super) fn open_all(
    store: Option<&Store>,
    paths: &[PathBuf],
    progress: &OpenProgress,
) -> Vec<OpenedFiles> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            gather(path, MAX_DEPTH, &mut files);
        } else {
            files.push(path.clone());
        }
    }
    files.truncate(MAX_FILES);
    let is_one = files.len() == 1;
    progress.total.store(files.len(), Ordering::Relaxed);
    let wanted = files.iter().take_while(|_| !progress.is_canceled.load(Ordering::Relaxed));
    let opened = wanted.map(|path| match open(store, path, &Options::default(), is_one) {
        // Do not ask for the columns of files found in a folder: the folder may have many unrelated
        // tables.
        OpenedFiles::Columns(one) if !paths.contains(path) => OpenedFiles::Failed(
            file_name(path),
            ImportError::WhichColumn(Box::new(one.table)).to_string(),
        ),
        opened => opened,
    });
    let counted = opened.inspect(|_| {
        progress.done.fetch_add(1, Ordering::Relaxed);
    });
    counted.collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

/// Collects the files of a folder, and of folders in it, that may be run files or captures.
fn gather(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if MAX_FILES <= files.len() {
            return;
        }
        let extension = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        // Skip links: they may form a loop.
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if 0 < depth {
                gather(&path, depth - 1, files);
            }
        } else if path.is_file()
            && extension.is_some_and(|extension| ENDINGS.contains(&extension.as_str()))
        {
            files.push(path);
        }
    }
}

/// Opens a file, and saves its content as a run, unless the file is a preset or the user must
/// first select a series or a column. Evaluates the run only if it is shown.
pub(super) fn open(
    store: Option<&Store>,
    path: &Path,
    options: &Options,
    is_shown: bool,
) -> OpenedFiles {
    let file = file_name(path);
    let is_answered = options.process.is_some() || options.swap_chain.is_some();
    match path.metadata() {
        // Reading a device or a pipe may block forever.
        Ok(metadata) if !metadata.is_file() => {
            return OpenedFiles::Failed(file, words::NOT_A_FILE.to_owned());
        }
        Ok(_) => {}
        Err(error) => {
            let error = ImportError::Read(with_remedy(error));
            return OpenedFiles::Failed(file, error.to_string());
        }
    }
    if let Some(preset) = preset_file::read(path) {
        return match preset {
            Ok(preset) => OpenedFiles::Preset(preset),
            Err(problem) => OpenedFiles::Failed(file, problem),
        };
    }
    let imported = match import::read(path, options) {
        Ok(imported) => imported,
        // Frame rates without times: without an answer of the user, nothing is claimed about single frames.
        Err(ImportError::WhichRows { .. }) if options.column.is_some() => {
            let options = Options { is_per_frame: Some(false), ..options.clone() };
            return open(store, path, &options, is_shown);
        }
        Err(
            ImportError::WhichColumn(table)
            | ImportError::WhichUnit { table, .. }
            | ImportError::WhichRows { table, .. },
        ) => {
            return OpenedFiles::Columns(WhichColumn { path: path.to_owned(), table: *table });
        }
        Err(error) => return OpenedFiles::Failed(file, error.to_string()),
    };
    if 1 < imported.series.len() && !is_answered {
        return OpenedFiles::Several(WhichSeries {
            path: path.to_owned(),
            series: imported.series,
        });
    }
    let mut remarks = imported.notes.clone();
    remarks.extend(words::bad_lines(&imported.bad_lines));
    let source = imported.source.label();
    let own = imported.is_own().then_some(path);
    let mut runs = imported.into_runs();
    if 1 < runs.len() {
        return open_check(store, &runs, (file, source), remarks);
    }
    let Some(run) = runs.pop() else { return OpenedFiles::Failed(file, words::NO_RUN.to_owned()) };
    let (path, was_known) = match store.map(|store| store.save_new(&run, own)) {
        None => (None, false),
        Some(Ok(SaveOutcome::New(path))) => (Some(path), false),
        Some(Ok(SaveOutcome::Known(path))) => (Some(path), true),
        Some(Ok(SaveOutcome::Lacks(_))) => {
            remarks.push(words::SAVED_WITH_LESS.to_owned());
            (None, false)
        }
        Some(Ok(SaveOutcome::Other(_))) => {
            remarks.push(words::OTHER_OF_THAT_ID.to_owned());
            (None, false)
        }
        Some(Err(error)) => {
            remarks.push(words::not_saved(&error.to_string()));
            (None, false)
        }
    };
    let key = run.subject.key();
    let shown = is_shown.then(|| {
        // An exported report has fewer names than the saved run: prefer the saved run.
        let saved = path.as_deref().filter(|_| was_known).and_then(|path| store::load(path).ok());
        Box::new(LoadedRun::of(saved.unwrap_or(run), path.clone()))
    });
    let check = Vec::new();
    OpenedFiles::Run(ImportedRun { file, source, was_known, remarks, key, path, shown, check })
}

/// Saves the runs of a quick check. A check opens from its files, so it needs a folder of runs.
fn open_check(
    store: Option<&Store>,
    runs: &[Run],
    (file, source): (String, &'static str),
    remarks: Vec<String>,
) -> OpenedFiles {
    let Some(store) = store else { return OpenedFiles::Failed(file, words::NO_FOLDER.to_owned()) };
    let (mut check, mut was_known) = (Vec::new(), true);
    for run in runs {
        match store.save_new(run, None) {
            Ok(SaveOutcome::Known(path)) => check.push(path),
            Ok(SaveOutcome::New(path)) => {
                was_known = false;
                check.push(path);
            }
            Ok(SaveOutcome::Other(_) | SaveOutcome::Lacks(_)) => {
                return OpenedFiles::Failed(file, words::OTHER_CHECK_OF_THAT_ID.to_owned());
            }
            Err(error) => return OpenedFiles::Failed(file, words::not_saved(&error.to_string())),
        }
    }
    let (key, path, shown) = (CHECK, None, None);
    OpenedFiles::Run(ImportedRun { file, source, was_known, remarks, key, path, shown, check })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_looked_through_and_other_files_left_alone() {
        let folder =
            std::env::temp_dir().join(format!("jitterscope-gather-{}", std::process::id()));
        let inner = folder.join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        for name in ["b.csv", "a.JSON", "notes.docx"] {
            std::fs::write(folder.join(name), "x").unwrap();
        }
        std::fs::write(inner.join("c.html"), "<html>").unwrap();
        std::fs::write(inner.join("d.csv"), "some,table\n1,2\n").unwrap();
        let opened = open_all(None, std::slice::from_ref(&folder), &OpenProgress::default());
        let names: Vec<&str> = opened
            .iter()
            .map(|opened| match opened {
                OpenedFiles::Failed(name, _) => name.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(names, ["a.JSON", "b.csv", "c.html", "d.csv"]);
        let named = open_all(None, &[inner.join("d.csv")], &OpenProgress::default());
        assert!(
            matches!(named.as_slice(), [OpenedFiles::Columns(_)]),
            "one that was named is asked about"
        );
        let canceled = OpenProgress::default();
        canceled.is_canceled.store(true, Ordering::Relaxed);
        assert_eq!(open_all(None, std::slice::from_ref(&folder), &canceled).len(), 0);
        assert_eq!(canceled.total.into_inner(), 4);
        let missing = open_all(None, &[inner.join("e.csv")], &OpenProgress::default());
        let [OpenedFiles::Failed(name, problem)] = missing.as_slice() else {
            panic!("{missing:?}");
        };
        let expected = "cannot be read: there is no such file; check its name and folder";
        assert_eq!((name.as_str(), problem.as_str()), ("e.csv", expected));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn run_is_evaluated_only_if_it_is_the_only_one() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/examples");
        let paths = ["normal", "fifo"]
            .map(|name| examples.join(format!("frame-loop-{name}.jitterscope.json")));
        let are_evaluated = |paths: &[PathBuf]| -> Vec<bool> {
            let opened =
                open_all(None, paths, &OpenProgress::default()).into_iter().map(|opened| {
                    match opened {
                        OpenedFiles::Run(run) => run.shown.is_some(),
                        other => panic!("{other:?}"),
                    }
                });
            opened.collect()
        };
        assert_eq!(are_evaluated(&paths), [false, false]);
        assert_eq!(are_evaluated(&paths[..1]), [true]);
    }
}
