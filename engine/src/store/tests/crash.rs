//! Tests that no fault loses data. At each disk operation in turn, the operation fails, the disk is full, the process
//! ends, or the power fails.

use std::collections::BTreeMap;
use std::process::Command;

use super::disk::tests::faults::{Fault, with_fault};
use super::edit::Edit;
use super::*;

/// Number of samples of each run that must still exist after a restart, by the name of the run.
type Promised = BTreeMap<String, usize>;

/// Something that the program does with its folder of runs.
struct Scenario {
    name: &'static str,
    /// Fills the folder; returns the runs that must be preserved.
    prepare: fn(&Store) -> Promised,
    /// Does the work. Adds the runs that must survive a power failure, because their data was synced, to the
    /// first map. Adds the runs that must survive only the end of the process to the second map.
    work: fn(&Store, &mut Promised, &mut Promised),
}

const SCENARIOS: [Scenario; 7] = [
    Scenario {
        name: "save a run",
        prepare: |store| promise_saved(store, 1),
        work: |store, synced, _| {
            if store.save(&run(2)).is_ok() {
                synced.insert("run 2".to_owned(), SAMPLES);
            }
        },
    },
    Scenario {
        name: "change a run",
        prepare: |store| promise_saved(store, 1),
        work: |store, _, _| {
            let path = store.folder().join(file_name(&run(1)));
            store.edit(&path, &Edit::Note("another".to_owned())).ok();
        },
    },
    Scenario {
        name: "measure",
        prepare: |store| promise_saved(store, 1),
        work: |store, synced, written| {
            let whole = run(2);
            // If there is no room on the disk, the program does not start to measure.
            let Ok(room) = store.reserve(1_000) else { return };
            let journal = store.journal().ok().map(|mut journal| {
                let mut samples = 0;
                for entry in entries(&whole, 3) {
                    if let Event::Samples { samples: new, .. } = &entry {
                        samples += new.len();
                    }
                    if journal.keep(&entry).and_then(|()| journal.flush()).is_err() {
                        break;
                    }
                    if 0 < samples {
                        written.insert("run 2".to_owned(), samples);
                        if journal.sync().is_err() {
                            break;
                        }
                        synced.insert("run 2".to_owned(), samples);
                    }
                }
                journal.path.clone()
            });
            drop(room);
            if store.save_measured(&whole, journal.as_deref()).is_ok() {
                synced.insert("run 2".to_owned(), SAMPLES);
            }
        },
    },
    Scenario {
        name: "recover a journal",
        prepare: |store| {
            leave_journal(store.folder(), "a", &journal_lines(&run(1), 4));
            Promised::from([("run 1".to_owned(), SAMPLES)])
        },
        work: |store, _, _| drop(store.recover()),
    },
    Scenario {
        name: "recover journals that cannot be read, and one that was saved",
        prepare: |store| {
            let mut damaged = journal_lines(&run(1), 4);
            damaged[2] = b"GARBAGE\n".to_vec();
            leave_journal(store.folder(), "a", &damaged);
            leave_journal(store.folder(), "b", &[b"GARBAGE\n".to_vec()]);
            leave_journal(store.folder(), "c", &journal_lines(&run(2), 4)[..3]);
            leave_journal(store.folder(), "d", &journal_lines(&run(3), 4));
            let left = format!(".left{}", disk::TEMPORARY_EXTENSION);
            fs::write(store.folder().join(left), "half a run").unwrap();
            let mut promised = promise_saved(store, 2);
            promised.insert("run 1".to_owned(), SAMPLES - 30);
            promised.insert("run 3".to_owned(), SAMPLES);
            promised
        },
        work: |store, _, _| drop(store.recover()),
    },
    Scenario {
        name: "list runs",
        prepare: |store| {
            let mut promised = promise_saved(store, 1);
            store.lines().unwrap();
            promised.extend(promise_saved(store, 2));
            promised
        },
        work: |store, _, _| drop(store.lines()),
    },
    Scenario {
        name: "delete a run and restore it",
        prepare: |store| {
            let promised = promise_saved(store, 1);
            store.move_to_trash(&store.folder().join(file_name(&run(1)))).unwrap();
            promise_saved(store, 1);
            promised
        },
        work: |store, _, _| {
            if let Ok(aside) = store.move_to_trash(&store.folder().join(file_name(&run(1)))) {
                store.forget_old();
                store.restore(&aside).ok();
            }
        },
    },
];

fn promise_saved(store: &Store, id: u32) -> Promised {
    store.save(&run(id)).unwrap();
    Promised::from([(format!("run {id}"), SAMPLES)])
}

/// Returns the contents of the unreadable files in a folder, which must be preserved. They contain `GARBAGE`.
fn unreadable(folder: &Path) -> Vec<Vec<u8>> {
    let is_ours = |bytes: &[u8]| bytes.windows(7).any(|window| window == b"GARBAGE");
    files(folder).into_iter().map(|(_, bytes)| bytes).filter(|bytes| is_ours(bytes)).collect()
}

/// Recovers journals as a restart does, and checks that the promised samples and the unreadable contents exist.
#[track_caller]
fn check_after_restart(store: &Store, promised: &Promised, unread: &[Vec<u8>], case: &str) {
    // A child process that another test starts has a copy of every lock until it executes its own program. Retry until
    // the locks are released.
    for _ in 0..100 {
        store.recover().unwrap_or_else(|error| panic!("{case}: {error}"));
        let is_temporary = |path: &Path| {
            let name = path.to_string_lossy();
            name.ends_with(disk::TEMPORARY_EXTENSION) || name.ends_with(JOURNAL_EXTENSION)
        };
        if !files(store.folder()).iter().any(|(path, _)| is_temporary(path)) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    store.lines().unwrap_or_else(|error| panic!("{case}: {error}"));
    let files = files(store.folder());
    let mut found = Promised::new();
    for (path, _) in &files {
        let name = path.to_string_lossy();
        assert!(!name.ends_with(disk::TEMPORARY_EXTENSION), "{case}: {name} is left");
        assert!(!name.ends_with(JOURNAL_EXTENSION), "{case}: {name} still waits");
        if let Ok(run) = load(path) {
            let samples = found.entry(run.name.clone()).or_default();
            *samples = run.sample_count().max(*samples);
        } else if name.ends_with(EXTENSION) {
            panic!("{case}: {name} cannot be read");
        }
    }
    for (name, samples) in promised {
        assert!(found.get(name) >= Some(samples), "{case}: {name} is not whole: {found:?}");
    }
    for content in unread {
        assert!(files.iter().any(|(_, bytes)| bytes == content), "{case}: unreadable data is gone");
    }
}

#[test]
fn no_fault_of_the_disk_loses_a_run() {
    let mut cases: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for scenario in &SCENARIOS {
        for fault in Fault::ALL {
            for at in 0.. {
                let (_folder, store) = store();
                let mut promised = (scenario.prepare)(&store);
                let unread = unreadable(store.folder());
                let (mut synced, mut written) = (Promised::new(), Promised::new());
                let ((), outcome) = with_fault(fault, at, || {
                    (scenario.work)(&store, &mut synced, &mut written);
                });
                // Only a power failure may lose data that was written but not synced.
                if fault != Fault::PowerFails {
                    promised.extend(written);
                }
                promised.extend(synced);
                let case = format!("{}, {fault:?} at {at}", scenario.name);
                check_after_restart(&store, &promised, &unread, &case);
                if let Some(struck) = outcome.struck {
                    *cases.entry((struck, format!("{fault:?}"))).or_default() += 1;
                }
                if outcome.count <= at {
                    break;
                }
            }
        }
    }
    for ((operation, fault), count) in &cases {
        println!("{operation:<12} {fault:<11} {count:>4} cases");
    }
    println!("{} cases in {} scenarios", cases.values().sum::<usize>(), SCENARIOS.len());
    let operations = [
        "make folder",
        "list",
        "stamp",
        "open",
        "create",
        "lock",
        "reserve",
        "read",
        "write",
        "sync",
        "sync folder",
        "rename",
        "remove",
    ];
    for (operation, fault) in operations
        .into_iter()
        .flat_map(|one| ["Fails", "Killed", "PowerFails"].map(|fault| (one, fault)))
        .chain([
            ("write", "ShortWrite"),
            ("write", "FullDisk"),
            ("create", "FullDisk"),
            ("reserve", "FullDisk"),
        ])
    {
        assert!(cases.contains_key(&(operation, fault.to_owned())), "{fault} of {operation}");
    }
}

const CHILD: &str = "store::tests::crash::one_crash";
const VARIABLES: [&str; 3] = ["CRASH_FOLDER", "CRASH_SCENARIO", "CRASH_AT"];

/// The code of the child process that [`no_end_of_the_process_loses_a_run`] starts. Without its environment
/// variables, it does nothing.
#[test]
fn one_crash() {
    let [Ok(folder), Ok(scenario), Ok(at)] = VARIABLES.map(std::env::var) else { return };
    let scenario = &SCENARIOS[scenario.parse::<usize>().unwrap()];
    let (mut synced, mut written) = (Promised::new(), Promised::new());
    with_fault(Fault::Aborts, at.parse().unwrap(), || {
        (scenario.work)(&Store::at(folder), &mut synced, &mut written);
    });
}

#[test]
fn no_end_of_the_process_loses_a_run() {
    let mut cases = 0;
    for (scenario, number) in SCENARIOS.iter().zip(0..) {
        for at in 0.. {
            let (folder, store) = store();
            let promised = (scenario.prepare)(&store);
            let unread = unreadable(store.folder());
            let child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", CHILD, "--quiet"])
                .env(VARIABLES[0], folder.path())
                .env(VARIABLES[1], format!("{number}"))
                .env(VARIABLES[2], format!("{at}"))
                .output()
                .unwrap();
            let case = format!("{}, ended at {at}", scenario.name);
            check_after_restart(&store, &promised, &unread, &case);
            cases += 1;
            if child.status.success() {
                assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"));
                break;
            }
            assert_eq!(child.status.code(), Some(disk::tests::faults::ENDED), "{case}");
        }
    }
    println!("{cases} cases");
    assert!(40 < cases);
}
