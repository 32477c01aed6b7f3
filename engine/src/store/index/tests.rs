//! The list of runs always matches the run files, even if its cache is outdated, damaged, or missing. Also tests of
//! edits, the trash, and the search for a run.

use super::*;
use std::fs;

use crate::nanos::Nanos;
use crate::run::{Annotation, Run};
use crate::store::disk::tests::faults::{Fault, with_fault};
use crate::store::edit::{Edit, MAX_TAG};
use crate::store::tests::run;

fn store(count: u32) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    for id in 0..count {
        store.save(&run(id)).unwrap();
    }
    (folder, store)
}

fn annotation((from, to, text): (i64, i64, &str)) -> Annotation {
    Annotation { trial: 0, from: Nanos::new(from), to: Nanos::new(to), text: text.to_owned() }
}

#[test]
fn the_cache_shows_what_the_files_say_and_follows_their_changes() {
    let (folder, store) = store(3);
    let first = store.lines().unwrap();
    assert_eq!(first.len(), 3);
    assert_eq!(*first[0].run.as_ref().unwrap().as_ref(), RunIndexEntry::of(&run(2)), "the newest");
    let cache = folder.path().join(FILE);
    assert!(cache.exists());
    assert_eq!(store.lines().unwrap(), first, "read from the cache");
    // A valid cache with different content is used as it is, because no run file changed.
    let text = fs::read_to_string(&cache).unwrap();
    let records = text.split_once('\n').unwrap().1.replace("run 1", "another");
    let mut other = Vec::new();
    format::write_line(&head(records.as_bytes()), &mut other).unwrap();
    fs::write(&cache, [other.as_slice(), records.as_bytes()].concat()).unwrap();
    assert_eq!(store.lines().unwrap()[1].run.as_ref().unwrap().name, "another");
    // A cache with another format name, with changed records, or without content is discarded.
    for damaged in [
        text.replace("jitterscope-index", "x"),
        text.replace("run 1", "another"),
        "\u{0}".to_owned(),
        String::new(),
    ] {
        fs::write(&cache, damaged).unwrap();
        assert_eq!(store.lines().unwrap(), first);
    }
    fs::write(&cache, &text[..text.len() / 2]).unwrap();
    assert_eq!(store.lines().unwrap(), first, "half a cache");
    store.remove(&first[1].path).unwrap();
    store.save(&Run { name: "new".to_owned(), ..run(9) }).unwrap();
    let names: Vec<String> =
        store.lines().unwrap().iter().map(|line| line.run.as_ref().unwrap().name.clone()).collect();
    assert_eq!(names, ["new", "run 2", "run 0"]);
}

#[test]
fn a_damaged_file_is_listed_with_its_reason_and_tried_again() {
    let (folder, store) = store(1);
    let path = folder.path().join("2026-01-01-frame-loop-000000ff.jitterscope.json");
    fs::write(&path, "{").unwrap();
    let lines = store.lines().unwrap();
    assert!(lines.iter().any(|line| line.run.as_ref().is_err_and(|why| why.contains("damaged"))));
    crate::store::save_to(&run(255), &path).unwrap();
    assert!(store.lines().unwrap().iter().all(|line| line.run.is_ok()));
}

#[test]
fn runs_are_renamed_tagged_noted_and_found_by_name() {
    let (_folder, store) = store(2);
    let path = store.lines().unwrap()[0].path.clone();
    let tags = ["  bug-7 ", "", "bug-7", &"x".repeat(99)].map(str::to_owned);
    for edit in [
        Edit::Name("  a \u{7}name\n".to_owned()),
        Edit::Note("two\nlines".to_owned()),
        Edit::Tags(tags.to_vec()),
        Edit::Annotations(
            [(30, 20, " a\tpause "), (10, 10, "start"), (5, 5, " ")].map(annotation).to_vec(),
        ),
    ] {
        store.edit(&path, &edit).unwrap();
    }
    let run = store.lines().unwrap()[0].run.clone().unwrap();
    assert_eq!((run.name.as_str(), run.note.as_str()), ("a name", "two\nlines"));
    assert_eq!(run.tags, ["bug-7".to_owned(), "x".repeat(MAX_TAG)]);
    assert_eq!(store.find("a name").unwrap(), path);
    assert!(store.find("nobody").is_err());
    let saved = load(&path).unwrap().annotations;
    assert_eq!(saved, [(10, 10, "start"), (20, 30, "a pause")].map(annotation));
    assert_eq!(load(&path).unwrap().trials, super::super::tests::run(1).trials, "facts stay");

    // A text is ambiguous if it is the name of one run and the beginning of another run's ID.
    let other = store.save(&super::super::tests::run(255)).unwrap();
    assert_eq!(store.find("000000f").unwrap(), other);
    store.edit(&path, &Edit::Name("000000f".to_owned())).unwrap();
    assert!(matches!(store.find("000000f"), Err(FindError::Several { count: 2, .. })));
    assert_eq!(store.find("000000ff").unwrap(), other);
}

#[test]
fn what_is_set_aside_comes_back_as_it_was() {
    let (_folder, store) = store(2);
    let before = store.lines().unwrap();
    let aside = store.move_to_trash(&before[0].path).unwrap();
    assert_eq!(store.lines().unwrap().len(), 1);
    store.forget_old();
    assert_eq!(store.restore(&aside).unwrap(), before[0].path);
    assert!(store.restore(&aside).is_err());
    assert_eq!(store.lines().unwrap(), before);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(8 * 24);
    // Without a new modification time, `forget_old` could remove the run at once. Operation 1 sets the time, and
    // operation 2 renames the file.
    let path = &before[0].path;
    let set_modified =
        |path, at| fs::File::options().append(true).open(path).unwrap().set_modified(at).unwrap();
    set_modified(path, long_ago);
    for at in [1, 2] {
        let (failed, _) = with_fault(Fault::Fails, at, || store.move_to_trash(path));
        assert!(failed.is_err() && path.exists(), "{at}");
    }
    let aside = store.move_to_trash(path).unwrap();
    set_modified(&aside, long_ago);
    store.forget_old();
    assert!(!aside.exists());
}

#[test]
fn a_flipped_byte_in_the_cache_is_never_believed() {
    let (folder, store) = store(2);
    let cache = folder.path().join(FILE);
    let first = store.lines().unwrap();
    let whole = fs::read(&cache).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        fs::write(&cache, flipped).unwrap();
        assert_eq!(store.lines().unwrap(), first, "byte {at} of {}", whole.len());
    }
    println!("{} flipped bytes", whole.len());
}

#[test]
fn a_run_answers_to_the_id_in_its_file_and_to_the_one_in_the_name_of_the_file() {
    let (folder, store) = store(0);
    let at = |name: &str| folder.path().join(format!("{name}{EXTENSION}"));
    let save = |id: u32, name: &str| crate::store::save_to(&run(id), &at(name)).unwrap();
    let find = |name: &str| store.find(name).map_err(|error| error.to_string());
    save(1, "2026-01-01-frame-loop-0000000a");
    save(2, "renamed by hand");
    for (name, file) in [
        ("00000001", "2026-01-01-frame-loop-0000000a"),
        ("0000000a", "2026-01-01-frame-loop-0000000a"),
        ("00000002", "renamed by hand"),
        ("renamed", "renamed by hand"),
        ("run 2", "renamed by hand"),
    ] {
        assert_eq!(find(name), Ok(at(file)), "{name}");
    }
    // If two files contain the same ID, only the file name selects one of them.
    save(2, "renamed by hand again");
    let error = find("00000002").unwrap_err();
    assert!(error.contains("matches 2 runs") && error.contains("renamed by hand again"), "{error}");
    assert_eq!(find("renamed by hand"), Ok(at("renamed by hand")));
    save(9, "2026-01-01-frame-loop-00000001");
    assert!(find("00000001").unwrap_err().contains("matches 2 runs"));
    assert_eq!(find("00000009"), Ok(at("2026-01-01-frame-loop-00000001")));
    assert!(find("").unwrap_err().contains("no run"));
}

#[test]
fn edits_at_the_same_time_lose_nothing() {
    let (folder, _) = store(1);
    let at = || Store::at(folder.path());
    let path = at().lines().unwrap()[0].path.clone();
    // Each edit opens the lock file again, as another process would.
    let edit = |edit: &dyn Fn(u32) -> Edit| {
        for round in 0..40 {
            at().edit(&path, &edit(round)).unwrap();
            let run = load(&path).unwrap();
            let is_there = match edit(round) {
                Edit::Name(name) => run.name == name,
                Edit::Note(note) => run.note == note,
                Edit::ChangeTags { added, removed } => {
                    added.iter().all(|tag| run.tags.contains(tag))
                        && !removed.iter().any(|tag| run.tags.contains(tag))
                }
                Edit::Tags(_) | Edit::Annotations(_) => false,
            };
            assert!(is_there, "round {round} is lost: {}, {}, {:?}", run.name, run.note, run.tags);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| edit(&|round| Edit::Name(format!("name {round}"))));
        scope.spawn(|| edit(&|round| Edit::Note(format!("note {round}"))));
        let tags = |round: u32| {
            let [new, old] = [round, round.wrapping_sub(1)].map(|round| format!("tag {round}"));
            Edit::ChangeTags { added: vec![new], removed: vec![old] }
        };
        scope.spawn(move || edit(&tags));
    });
}

#[test]
fn run_that_vanishes_is_not_listed() {
    let (_folder, store) = store(1);
    // Operation 0 lists the folder, 1 opens the cache, 2 reads the state of the file, 3 opens it.
    let (lines, _) = with_fault(Fault::Vanishes, 3, || store.lines().unwrap());
    assert!(lines.is_empty(), "{lines:?}");
}
