//! The list is what the files hold, whether the cache is old, damaged or gone; and it is only a cache.

use super::*;
use std::fs;

use crate::nanos::Nanos;
use crate::run::{Annotation, Run};
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
    // A changed line of the cache is trusted: the file did not change.
    let text = fs::read_to_string(&cache).unwrap();
    fs::write(&cache, text.replace("run 1", "another")).unwrap();
    assert_eq!(store.lines().unwrap()[1].run.as_ref().unwrap().name, "another");
    // Damage and another version are not.
    for damaged in [text.replace("jitterscope-index", "x"), "\u{0}".to_owned(), String::new()] {
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

    // A name that is the beginning of another run's ID is ambiguous.
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
    let aside = store.move_to_trash(&before[0].path).unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(8 * 24);
    fs::File::options().append(true).open(&aside).unwrap().set_modified(long_ago).unwrap();
    store.forget_old();
    assert!(!aside.exists());
}
