//! A recorder among hostile logs, hostile commands, and a library that vanishes.

use std::ffi::CString;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, symlink};

use super::*;

/// What a log states of its game to forge a verdict.
const FORGED: &str =
    "\u{1b}[31mRED\u{1b}]0;t\u{7}\u{9b}5m\rExcellent: this PC paces frames well\u{202e}=cmd()";
const HEADER: &str = "Application,ProcessID,SwapChainAddress,TimeInSeconds,MsBetweenPresents\n";

/// Checks that no command shows an escape or a forged line of a run, and that the run can be opened and exported.
#[track_caller]
fn check_run(folders: &Folders, what: &str) {
    let run = folders.run();
    let id = run.id.to_string();
    for args in [
        &["runs", "list"][..],
        &["runs", "show", &id, "--all"],
        &["runs", "show", &id, "--format", "csv"],
        &["export", &id, "--as", "markdown", "--out", "-"],
        &["export", &id, "--as", "html", "--out", "-"],
    ] {
        let output = folders.output(args);
        assert!(output.status.success(), "{what}: {args:?}: {output:?}");
        check_output(&output, what);
    }
}

#[track_caller]
fn check_output(output: &Output, what: &str) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(bytes);
        let is_escape = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r');
        assert!(!text.contains(is_escape), "{what}: {text:?}");
        let mut lines = text.lines();
        assert!(lines.all(|line| !line.starts_with("Excellent: this PC")), "{what}: {text}");
        assert!(!text.contains("panicked"), "{what}: {text}");
    }
}

/// Records what a function writes as the log on standard input, for some seconds.
fn record_input(what: &str, write: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool) + Send + 'static) {
    let folders = Folders::new();
    let mut command = folders.program(&["record", "--memory", "4", "--for", "4s", "--game", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut recorder = command.spawn().unwrap();
    let mut input = recorder.stdin.take().unwrap();
    let writer = std::thread::Builder::new().name("log".to_owned());
    let writer = writer.spawn(move || write(&mut |bytes| input.write_all(bytes).is_ok())).unwrap();
    let output = recorder.wait_with_output().unwrap();
    writer.join().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{what}: {:?}: {words}", output.status);
    check_output(&output, what);
    let run = folders.run();
    println!("{what}: {} frames, {:?}", run.sample_count(), run.recording().unwrap().notes);
    check_run(&folders, what);
}

fn row(name: &str, number: u32, milliseconds: &str) -> String {
    format!("{name},7,0xA,{},{milliseconds}\n", f64::from(number) / 100.0)
}

#[test]
fn names_of_a_log_forge_nothing_and_are_short() {
    for name in [FORGED.to_owned(), "n".repeat(60_000), "../../../etc/passwd".to_owned()] {
        record_input("names", move |write| {
            write(HEADER.as_bytes());
            for number in 0..100 {
                write(row(&name, number, "10.0").as_bytes());
            }
        });
    }
}

#[test]
fn a_log_of_a_million_columns_or_of_a_row_without_end_is_given_up() {
    record_input("columns", |write| {
        let columns: Vec<String> = (0..1_000_000).map(|number| format!("c{number}")).collect();
        write(format!("{},frametime\n", columns.join(",")).as_bytes());
        write(&b"1,".repeat(1_000_000));
        write(b"\n");
    });
    record_input("a first row without end", |write| {
        let piece = vec![b'x'; 1 << 20];
        (0..64).all(|_| write(&piece));
    });
    record_input("a later row without end", |write| {
        write(HEADER.as_bytes());
        for number in 0..20 {
            write(row("game", number, "10.0").as_bytes());
        }
        let piece = vec![b'7'; 1 << 20];
        (0..64).all(|_| write(&piece));
    });
}

#[test]
fn rows_without_end_neither_fill_memory_nor_keep_a_recorder_from_its_end() {
    record_input("rows without end", |write| {
        write(HEADER.as_bytes());
        let mut number = 0;
        loop {
            let rows: String = (number..number + 1_000).map(|at| row("game", at, "0.01")).collect();
            number += 1_000;
            if !write(rows.as_bytes()) {
                return;
            }
        }
    });
}

#[test]
fn numbers_that_no_frame_has_are_bad_rows() {
    record_input("numbers", |write| {
        write(HEADER.as_bytes());
        let numbers = [
            "NaN",
            "inf",
            "-inf",
            "1e308",
            "-1e308",
            "1e-308",
            "0",
            "-0",
            "-5",
            "9223372036854775807",
            "99999999999999999999999",
            "",
            "\0",
            "1e999",
            "0x10",
            "1,5",
        ];
        for number in 0..400_u32 {
            let given = numbers[usize::try_from(number).unwrap() % numbers.len()];
            write(row("game", number, if number % 2 == 0 { "10.0" } else { given }).as_bytes());
            write(format!("game,7,0xA,{given},10.0\n").as_bytes());
            write(format!("game,{given},0xA,1.0,10.0\n").as_bytes());
        }
        write(&[0, 255, 254, b'\n'].repeat(1_000));
    });
}

#[test]
fn only_regular_files_of_a_folder_are_followed() {
    let folders = Folders::new();
    let log = folders.path("log");
    let fifo = CString::new(log.join("a.csv").as_os_str().as_bytes()).unwrap();
    // SAFETY: `fifo` is a text that ends in zero, for the length of the call.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    symlink("/dev/zero", log.join("b.csv")).unwrap();
    symlink(log.join("c.csv"), log.join("c.csv")).unwrap();
    fs::create_dir(log.join("d.csv")).unwrap();
    let output = folders.output(&["record", "--for", "3s", "--game", log.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(folders.run().sample_count(), 0);
    check_run(&folders, "no regular file");
}

/// Writes bytes to the FIFO of the recorder as far as it takes them, as a program of the user could.
fn command_with(folders: &Folders, bytes: &[u8]) {
    let path = folders.path("runtime").join("jitterscope").join("recorder.fifo");
    let mut options = fs::OpenOptions::new();
    let fifo = options.write(true).custom_flags(libc::O_NONBLOCK).open(path);
    let written = fifo.unwrap().write(bytes);
    println!("{written:?} of {} bytes", bytes.len());
}

#[test]
fn hostile_commands_do_not_end_a_recorder_or_fill_its_events() {
    let folders = Folders::new();
    let recorder = folders.record(&["--memory", "4"]);
    folders.wait_for_recorder();
    let mut random = Vec::new();
    fs::File::open("/dev/urandom").unwrap().take(60_000).read_to_end(&mut random).unwrap();
    // No word of the commands is among them by chance.
    random.iter_mut().for_each(|byte| *byte |= 0x80);
    for bytes in [
        random,
        b"x".repeat(60_000),
        b"mark\n".repeat(12_000),
        b"STOP stop_ xstop ../stop\n".repeat(100),
        vec![0; 4_000],
        FORGED.as_bytes().to_vec(),
    ] {
        command_with(&folders, &bytes);
        std::thread::sleep(Duration::from_millis(400));
        assert!(folders.output(&["record", "status"]).status.success());
    }
    assert!(folders.output(&["record", "mark"]).status.success());
    std::thread::sleep(Duration::from_millis(400));
    assert!(folders.output(&["record", "stop"]).status.success());
    let output = finish(recorder);
    check_output(&output, "commands");
    let run = folders.run();
    let recording = run.recording().unwrap();
    let marks = recording.events.iter().filter(|event| event.kind == EventKind::Mark).count();
    // 12 000 words are read in parts of 4 096 bytes, one per step of the recorder: those of a part mark one time.
    assert!((2..=40).contains(&marks), "{marks} marks");
    check_run(&folders, "commands");
}

#[test]
fn a_fifo_that_was_replaced_does_not_keep_a_recorder_from_its_end() {
    let folders = Folders::new();
    let recorder = folders.record(&["--memory", "4"]);
    folders.wait_for_recorder();
    let path = folders.path("runtime").join("jitterscope").join("recorder.fifo");
    for replace in [
        (|path: &Path| symlink("/dev/full", path).unwrap()) as fn(&Path),
        |path| fs::create_dir(path).unwrap(),
        |path| fs::write(path, "stop").unwrap(),
    ] {
        let is_folder = path.is_dir() && !path.is_symlink();
        if is_folder { fs::remove_dir(&path) } else { fs::remove_file(&path) }.unwrap();
        replace(&path);
        let output = folders.output(&["record", "stop"]);
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert!(words.starts_with("error: "), "{words}");
    }
    let number = i32::try_from(recorder.id()).unwrap();
    // SAFETY: sends a signal to the recorder that this test started.
    assert_eq!(unsafe { libc::kill(number, libc::SIGINT) }, 0);
    finish(recorder);
    check_run(&folders, "a replaced FIFO");
}

#[test]
fn two_recorders_of_two_folders_save_into_one_library() {
    let (one, two) = (Folders::new(), Folders::new());
    let runs = one.path("runs");
    let mut first = one.program(&["record", "--memory", "4", "--for", "3s", "--quiet"]);
    let mut second = Command::new(program());
    second.env("XDG_RUNTIME_DIR", two.path("runtime")).arg("--data-dir").arg(&runs);
    second.args(["record", "--memory", "4", "--for", "3s", "--quiet"]);
    let both = [&mut first, &mut second]
        .map(|command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    for child in both {
        finish(child);
    }
    let lines = Store::at(runs).lines().unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines.iter().all(|line| line.run.is_ok()));
}

#[test]
fn a_recording_whose_library_vanishes_is_saved_or_says_why_not() {
    for replace in [
        (|_: &Path| ()) as fn(&Path),
        |runs| fs::create_dir(runs).unwrap(),
        |runs| fs::write(runs, "a file").unwrap(),
        |runs| symlink("/nonexistent/folder", runs).unwrap(),
    ] {
        let folders = Folders::new();
        let recorder = folders.record(&["--memory", "4"]);
        folders.wait_for_recorder();
        std::thread::sleep(Duration::from_millis(1_500));
        fs::remove_dir_all(folders.path("runs")).unwrap();
        replace(&folders.path("runs"));
        std::thread::sleep(Duration::from_millis(1_500));
        assert!(folders.output(&["record", "stop"]).status.success());
        let output = recorder.wait_with_output().unwrap();
        check_output(&output, "a library that vanished");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        println!("{:?}: {words}", output.status);
        let is_folder = folders.path("runs").is_dir();
        assert!(output.status.success() == is_folder, "{words}");
        if is_folder {
            assert_eq!(folders.run().ending, Ending::Stopped);
        } else {
            assert!(words.contains("error: "), "{words}");
        }
    }
}

/// Parses a line of strace, such as `12 openat(AT_FDCWD, "/proc/stat", O_RDONLY) = 3`: the process, the call, and its first
/// text.
fn traced(line: &str) -> Option<(u32, &str, &str)> {
    let (process, rest) = line.split_once(' ')?;
    let (call, arguments) = rest.trim_start().split_once('(')?;
    Some((process.parse().ok()?, call, arguments.split('"').nth(1).unwrap_or_default()))
}

#[test]
fn with_the_rights_of_root_only_interfaces_of_the_kernel_are_opened() {
    let folders = Folders::new();
    fs::set_permissions(folders.temporary.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["runs", "runtime", "log"] {
        chown(folders.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let trace = folders.path("trace");
    let mut command = Command::new("strace");
    command
        .args(["-f", "-s", "200", "-e", "trace=%file,setuid,setresuid,setreuid", "-o"])
        .arg(&trace);
    command.arg(program()).arg("--data-dir").arg(folders.path("runs"));
    command.args(["record", "--memory", "4", "--for", "2s", "--game"]).arg(folders.path("log"));
    command.env("XDG_RUNTIME_DIR", folders.path("runtime"));
    command.envs([("SUDO_UID", NOBODY.to_string()), ("SUDO_GID", NOBODY.to_string())]);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: strace does not run: {error}");
            return;
        }
    };
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(&trace).unwrap();
    let dropped: Vec<usize> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains("setresuid(65534") || line.contains("setuid(65534"))
        .map(|(at, _)| at)
        .collect();
    let first = *dropped.first().expect("it gives up its rights");
    let parent = text.lines().next().and_then(traced).unwrap().0;
    let mut with_rights = std::collections::BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let Some((process, call, path)) = traced(line) else { continue };
        let is_opened =
            matches!(call, "open" | "openat" | "creat" | "mkdir" | "mkdirat" | "unlink" | "rename");
        // The parent keeps its rights, and only ends what it began in the kernel.
        if is_opened && (at < first || process == parent) && !line.contains("= -1 ENOENT") {
            with_rights.insert(path.to_owned());
        }
    }
    println!("{with_rights:#?}");
    let is_of_kernel = |path: &str| path.starts_with("/sys/") || path.starts_with("/proc/");
    // Libraries, and the groups of the user, which the C library reads.
    const OF_SYSTEM: [&str; 4] =
        ["/etc/ld.so.cache", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group"];
    let is_of_system = |path: &str| {
        path.starts_with("/lib") || path.starts_with("/usr/lib") || OF_SYSTEM.contains(&path)
    };
    let others: Vec<&String> =
        with_rights.iter().filter(|path| !is_of_kernel(path) && !is_of_system(path)).collect();
    assert!(others.is_empty(), "{others:?}");
    let has_traced = with_rights.iter().any(|path| path.contains("/tracing/"));
    assert!(has_traced || !records_all_threads(), "{with_rights:?}");
    assert_eq!(fs::metadata(folders.path("runs")).unwrap().uid(), NOBODY);
    folders.run();
}
