//! Tests that journals of ended processes are recovered as far as they can be read, and never lost.

use super::disk::tests::faults::{Fault, with_fault};
use super::*;

/// Recovers the only journal in the folder; returns the outcome.
fn recover(store: &Store) -> Recovery {
    let mut found = store.recover().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// Recovers the only journal in the folder after its lock was given up: until a process that another test starts has
/// begun its program, it has a copy of the lock.
fn recover_released(store: &Store) -> Recovery {
    for _ in 0..12_000 {
        let recovery = recover(store);
        if !matches!(recovery.outcome, RecoveryOutcome::InUse) {
            return recovery;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the lock was never given up");
}

/// Applies `damage` to a journal with 12 lines of samples, and recovers it. Checks the number of samples in the run
/// and the number of damaged `lines`.
#[track_caller]
fn check_damaged(damage: impl Fn(&mut Vec<Vec<u8>>), samples: usize, lines: u64) {
    let (folder, store) = store();
    let mut journal = journal_lines(&run(1), 12);
    damage(&mut journal);
    let content = journal.concat();
    leave_journal(folder.path(), "a", &journal);
    let recovery = recover(&store);
    let run = load(recovery.saved().unwrap()).unwrap();
    assert_eq!((run.sample_count(), run.health.damaged_lines), (samples, lines));
    assert_eq!(run.ending, Ending::Recovered);
    let trial = &run.trials[0];
    for piece in &trial.evidence {
        let sample = trial.samples.get(usize::try_from(piece.index).unwrap()).unwrap();
        let index = sample.due.get() / 16_000_000 - 1;
        assert_eq!(u64::try_from(index).unwrap(), piece.index, "evidence fits");
    }
    let is_there = files(folder.path()).iter().any(|(_, bytes)| *bytes == content);
    assert_eq!(is_there, 0 < lines, "a journal goes only when all of it was read");
    assert!(!recovery.is_waiting() && recovery.is_problem() == (0 < lines));
    assert!(store.recover().unwrap().is_empty(), "it is recovered once");
}

#[test]
fn sound_journal_is_recovered_whole_and_removed() {
    check_damaged(|_| {}, SAMPLES, 0);
}

#[test]
fn journal_with_byte_order_mark_is_recovered_whole() {
    check_damaged(|lines| lines[0].splice(0..0, *b"\xef\xbb\xbf").for_each(drop), SAMPLES, 0);
}

#[test]
fn empty_lines_by_which_a_stream_shows_that_it_is_there_are_no_damage() {
    check_damaged(|lines| lines.insert(3, b"\n".to_vec()), SAMPLES, 0);
}

#[test]
fn journal_with_torn_last_line_loses_only_that() {
    let cut = |lines: &mut Vec<Vec<u8>>| {
        let last = lines.last_mut().unwrap();
        last.truncate(last.len() / 2);
    };
    check_damaged(cut, SAMPLES - 10, 0);
    check_damaged(|lines| assert!(lines.last_mut().unwrap().pop().is_some()), SAMPLES, 0);
}

#[test]
fn damaged_lines_are_skipped_and_counted() {
    for line in 1..=11 {
        check_damaged(|lines| lines[line] = b"{\"entry\":\"sam\n".to_vec(), SAMPLES - 10, 1);
        let zero = |lines: &mut Vec<Vec<u8>>| {
            let end = lines[line].len() - 1;
            lines[line][..end].fill(0);
        };
        check_damaged(zero, SAMPLES - 10, 1);
    }
    let break_three = |lines: &mut Vec<Vec<u8>>| {
        for line in [2, 3, 7] {
            lines[line] = b"not JSON\n".to_vec();
        }
    };
    check_damaged(break_three, SAMPLES - 30, 3);
}

#[test]
fn line_of_another_trial_or_a_second_beginning_is_damage() {
    let another = |lines: &mut Vec<Vec<u8>>| {
        let line = String::from_utf8(lines[5].clone()).unwrap();
        lines[5] = line.replace("\"trial\":0", "\"trial\":99").into_bytes();
    };
    check_damaged(another, SAMPLES - 10, 1);
    check_damaged(|lines| lines.insert(6, lines[0].clone()), SAMPLES, 1);
}

#[test]
fn line_without_end_is_skipped_without_reading_it_into_memory() {
    let endless = |lines: &mut Vec<Vec<u8>>| {
        let mut line = vec![b' '; 17 << 20];
        line.push(b'\n');
        lines.insert(4, line);
    };
    check_damaged(endless, SAMPLES, 1);
}

#[test]
fn journal_without_a_beginning_is_renamed_and_named() {
    let (folder, store) = store();
    let mut lines = journal_lines(&run(1), 12);
    lines[0] = b"garbage\n".to_vec();
    let journal = leave_journal(folder.path(), "a", &lines);
    let recovery = recover(&store);
    let RecoveryOutcome::Damaged { path, .. } = &recovery.outcome else { panic!("{recovery:?}") };
    assert_eq!(fs::read(path).unwrap(), lines.concat());
    assert!(!journal.exists() && path.to_string_lossy().ends_with(".partial.damaged"));
    assert!(recovery.to_string().contains(&path.display().to_string()));
    // A second unreadable journal of the same name does not replace the first.
    leave_journal(folder.path(), "a", &[b"other garbage\n".to_vec()]);
    assert!(matches!(recover(&store).outcome, RecoveryOutcome::Damaged { .. }));
    assert_eq!(fs::read(path).unwrap(), lines.concat());
    assert_eq!(files(folder.path()).len(), 2);
}

#[test]
fn journal_of_a_newer_version_is_left_as_it_is() {
    for extra in ["", ",\"unknown\":[1]"] {
        let (folder, store) = store();
        let mut lines = journal_lines(&run(1), 12);
        let first = String::from_utf8(lines[0].clone()).unwrap();
        // In a newer version, possibly only the version number can be read.
        let first = first.replace("\"format_version\":1", "\"format_version\":2");
        let first = if extra.is_empty() {
            first
        } else {
            format!("{{\"entry\":\"started\",\"run\":{{\"format_version\":2{extra}}}}}\n")
        };
        lines[0] = first.into_bytes();
        let journal = leave_journal(folder.path(), "a", &lines);
        let recovery = recover(&store);
        assert!(matches!(recovery.outcome, RecoveryOutcome::Newer(2)), "{recovery:?}");
        assert!(recovery.is_waiting());
        assert_eq!(fs::read(journal).unwrap(), lines.concat());
    }
}

#[test]
fn read_error_is_not_the_end_of_the_file() {
    let (folder, store) = store();
    let journal = leave_journal(folder.path(), "a", &journal_lines(&run(1), 12));
    let mut failed = 0;
    for at in 0.. {
        let (found, outcome) = with_fault(Fault::Fails, at, || store.recover());
        if let Ok(found) = found
            && let [Recovery { outcome: RecoveryOutcome::Failed(_), .. }] = found.as_slice()
        {
            failed += 1;
        }
        if outcome.count <= at {
            break;
        }
        if !journal.exists() {
            leave_journal(folder.path(), "a", &journal_lines(&run(1), 12));
            let saved = store.lines().unwrap();
            assert_eq!(load(&saved[0].path).unwrap().sample_count(), SAMPLES);
            store.remove(&saved[0].path).unwrap();
        }
    }
    assert!(2 <= failed, "opening and reading fail");
}

#[test]
fn folder_named_like_a_journal_does_not_stop_the_others() {
    let (folder, store) = store();
    fs::create_dir(folder.path().join(format!("a{JOURNAL_EXTENSION}"))).unwrap();
    leave_journal(folder.path(), "b", &journal_lines(&run(1), 3));
    let found = store.recover().unwrap();
    assert!(matches!(found[0].outcome, RecoveryOutcome::Failed(_)));
    assert!(found[1].saved().is_some());
}

#[test]
fn journal_in_use_is_left_alone_from_its_first_moment() {
    let (folder, store) = store();
    let mut journal = store.journal().unwrap();
    assert!(matches!(recover(&store).outcome, RecoveryOutcome::InUse), "before its first entry");
    for entry in entries(&run(1), 3) {
        journal.keep(&entry).unwrap();
    }
    journal.flush().unwrap();
    assert!(matches!(recover(&store).outcome, RecoveryOutcome::InUse));
    drop(journal);
    assert!(recover_released(&store).saved().is_some());
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn journal_of_a_run_that_was_saved_does_not_replace_it() {
    let (folder, store) = store();
    let whole = run(1);
    store.save(&whole).unwrap();
    leave_journal(folder.path(), "a", &journal_lines(&whole, 12)[..6]);
    assert!(matches!(recover(&store).outcome, RecoveryOutcome::Removed));
    assert_eq!(load(&store.lines().unwrap()[0].path).unwrap(), whole);
    // An unreadable file with the name of the run is not replaced.
    let path = folder.path().join(file_name(&whole));
    fs::write(&path, "damaged").unwrap();
    leave_journal(folder.path(), "a", &journal_lines(&whole, 12));
    assert_ne!(recover(&store).saved().unwrap(), path);
    assert_eq!(fs::read(&path).unwrap(), b"damaged");
}

#[test]
fn many_samples_at_once_are_written_as_several_lines() {
    let (_folder, store) = store();
    let mut long = run(1);
    let sample = long.trials[0].samples.get(0).unwrap();
    long.trials[0].samples = (0..200_000).map(|_| sample).collect();
    let mut journal = store.journal().unwrap();
    for entry in entries(&long, 1) {
        journal.keep(&entry).unwrap();
    }
    journal.flush().unwrap();
    let text = fs::read_to_string(&journal.path).unwrap();
    assert_eq!(text.lines().count(), 5);
    drop(journal);
    assert_eq!(load(recover_released(&store).saved().unwrap()).unwrap().sample_count(), 200_000);
}

#[test]
fn run_that_cannot_be_saved_names_its_journal_and_counts_its_samples() {
    let (folder, store) = store();
    let whole = run(1);
    let mut journal = store.journal().unwrap();
    for entry in entries(&whole, 12).iter().take(4) {
        journal.keep(entry).unwrap();
    }
    journal.flush().unwrap();
    let path = journal.path.clone();
    drop(journal);
    // A folder has the file name of the run, so the run cannot be saved.
    fs::create_dir(folder.path().join(file_name(&whole))).unwrap();
    let error = store.save_measured(&whole, Some(&path)).unwrap_err();
    assert!(matches!(error, SaveError::Waiting { samples: 30, .. }), "{error:?}");
    assert!(error.to_string().contains("30 samples") && path.exists());
    // The next start saves the run with another ID.
    assert_eq!(load(recover_released(&store).saved().unwrap()).unwrap().sample_count(), 30);
}

#[test]
fn gap_run_without_a_gap_is_saved_and_recovered() {
    let (folder, store) = store();
    let mut whole = run(1);
    let counters = crate::run::Counters::from([(crate::run::counter::READINGS.to_owned(), 9)]);
    whole.trials[0].samples = crate::sample::Samples::new();
    assert!(store.save_measured(&whole, None).unwrap().is_none(), "nothing was measured");
    let mut lines = journal_lines(&run(1), 1);
    lines.truncate(1);
    let mut line = Vec::new();
    format::write_lines(&Event::Counted { trial: 0, counters: counters.clone() }, &mut line)
        .unwrap();
    lines.push(line);
    leave_journal(folder.path(), "a", &lines);
    let recovered = load(recover(&store).saved().unwrap()).unwrap();
    assert_eq!((recovered.sample_count(), &recovered.trials[0].counters), (0, &counters));
    store.remove(&store.lines().unwrap()[0].path).unwrap();
    whole.trials[0].counters = counters;
    assert_eq!(load(&store.save_measured(&whole, None).unwrap().unwrap()).unwrap(), whole);
}

#[test]
fn temporary_files_of_ended_processes_are_removed_and_others_stay() {
    let (folder, store) = store();
    let left = folder.path().join(format!(".0{}", disk::TEMPORARY_EXTENSION));
    fs::write(&left, "half a run").unwrap();
    let foreign = folder.path().join(".someone-elses.tmp");
    fs::write(&foreign, "theirs").unwrap();
    let draft = disk::Draft::create(folder.path(), true).unwrap();
    store.recover().unwrap();
    assert!(!left.exists() && foreign.exists());
    assert_eq!(files(folder.path()).len(), 2, "one in use stays");
    drop(draft);
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn journal_that_vanishes_is_no_problem() {
    let (folder, store) = store();
    leave_journal(folder.path(), "a", &journal_lines(&run(1), 12));
    // Operations 0 and 1 list the folder; operation 2 opens the journal.
    let (found, _) = with_fault(Fault::Vanishes, 2, || store.recover().unwrap());
    assert!(found.is_empty(), "{found:?}");
    assert!(files(folder.path()).is_empty(), "the journal was there until it was opened");
}
