//! Standard output and standard error that cannot be written: each command ends with the status it would have,
//! and saves and writes what it would. Every combination with `JITTERSCOPE_LONG_TESTS=1`, else a sample.
#![cfg(unix)]

use std::fs::{self, File};
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use jitterscope_engine::store::{EXTENSION, JOURNAL_EXTENSION, Store, id_of};

use super::cli::{SHORT, is_long, program};
use super::robustness::{finish, names};

/// What is wrong with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A device that is full.
    Full,
    Closed,
    /// A pipe whose reader is gone.
    NoReader,
    /// A terminal that was closed.
    HungUp,
    /// A file that may not grow (`RLIMIT_FSIZE`).
    SizeLimit,
}

impl Fault {
    const ALL: [Self; 5] =
        [Self::Full, Self::Closed, Self::NoReader, Self::HungUp, Self::SizeLimit];

    /// Whether a result for such a standard output is lost without blame: nobody wanted it.
    fn is_unread(self) -> bool {
        matches!(self, Self::None | Self::Closed | Self::NoReader)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Output,
    Error,
}

/// Both ends of a terminal.
fn terminal() -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (0, 0);
    // SAFETY: both numbers are written, and the other arguments may be null.
    let code =
        unsafe { libc::openpty(&mut master, &mut slave, null_mut(), null_mut(), null_mut()) };
    assert_eq!(code, 0, "{}", std::io::Error::last_os_error());
    // A program that another test starts must not hold it open.
    // SAFETY: the numbers are open files that nothing else owns.
    unsafe {
        libc::fcntl(master, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::fcntl(slave, libc::F_SETFD, libc::FD_CLOEXEC);
        (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave))
    }
}

/// How a command ended.
#[derive(Debug, PartialEq)]
struct Ended {
    /// `None` where a signal ended it.
    status: Option<i32>,
    /// What it printed on standard output, where that has no fault.
    output: String,
    /// Saved runs and waiting journals.
    runs: [usize; 2],
    /// Bytes of the file of `--out`.
    written: Option<u64>,
}

/// What the commands are given.
struct Given {
    data: tempfile::TempDir,
    ids: [String; 2],
}

impl Given {
    /// Two runs of the same settings.
    fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let args = [SHORT.as_slice(), &["--repeat", "2", "--quiet"]].concat();
        let measured =
            Command::new(program()).arg("--data-dir").arg(data.path()).args(args).output().unwrap();
        assert!(measured.status.success(), "{}", String::from_utf8_lossy(&measured.stderr));
        let lines = Store::at(data.path()).lines().unwrap();
        let ids = [0, 1].map(|at| id_of(&lines[at].path).unwrap().to_string());
        Self { data, ids }
    }

    /// Runs a command with this fault of a stream, over its own copy of the runs; a terminal is open for so long.
    fn end(&self, args: &str, stream: Stream, fault: Fault, open_for: Duration) -> Ended {
        let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for file in fs::read_dir(self.data.path()).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), data.path().join(file.file_name())).unwrap();
        }
        let out = other.path().join("out");
        let run = fs::read_dir(data.path()).unwrap().map(|file| file.unwrap().path());
        let run = run.filter(|path| path.to_string_lossy().ends_with(EXTENSION)).max().unwrap();
        let args = args.split_whitespace().map(|arg| match arg {
            "A" => self.ids[0].clone(),
            "B" => self.ids[1].clone(),
            "OUT" => out.to_str().unwrap().to_owned(),
            "RUN" => run.to_str().unwrap().to_owned(),
            arg => arg.to_owned(),
        });
        let (number, with_limit) = (if stream == Stream::Output { 1 } else { 2 }, 128 << 20);
        let script = match fault {
            // In blocks of 512 or 1024 bytes: more than a run needs, and less than the file has.
            Fault::SizeLimit => "ulimit -f 131072; exec \"$0\" \"$@\"".to_owned(),
            Fault::Closed => format!("exec \"$0\" \"$@\" {number}>&-"),
            _ => "exec \"$0\" \"$@\"".to_owned(),
        };
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(program()).arg("--data-dir").arg(data.path()).args(args);
        let mut master = None;
        let faulty = match fault {
            Fault::None | Fault::Closed => Stdio::null(),
            Fault::Full => File::options().write(true).open("/dev/full").unwrap().into(),
            Fault::NoReader => std::io::pipe().unwrap().1.into(),
            Fault::HungUp => {
                let (ours, theirs) = terminal();
                master = Some(ours);
                theirs.into()
            }
            Fault::SizeLimit => {
                let path = other.path().join("stream");
                File::create(&path).unwrap().set_len(with_limit).unwrap();
                File::options().append(true).open(path).unwrap().into()
            }
        };
        // A file, as a pipe that nobody reads until the end would fill up.
        let whole = other.path().join("output");
        let [output, error] = match stream {
            Stream::Output => [faulty, Stdio::null()],
            Stream::Error => [File::create(&whole).unwrap().into(), faulty],
        };
        if open_for == Duration::ZERO {
            drop(master.take());
        }
        let child = command.stdin(Stdio::null()).stdout(output).stderr(error).spawn().unwrap();
        // The command is not the terminal's own, so that no signal ends it.
        drop(command);
        // Until something is measured.
        let began = Instant::now();
        while master.is_some()
            && names(data.path(), JOURNAL_EXTENSION).is_empty()
            && began.elapsed() < open_for
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        drop(master);
        let ended = finish(child);
        let count = |ending| names(data.path(), ending).len();
        Ended {
            status: ended.status.code(),
            output: fs::read_to_string(&whole).unwrap_or_default(),
            runs: [count(EXTENSION), count(JOURNAL_EXTENSION)],
            written: size(&out),
        }
    }
}

fn size(path: &Path) -> Option<u64> {
    let metadata = fs::metadata(path).ok()?;
    Some(if metadata.is_dir() { 0 } else { metadata.len() })
}

/// Commands that measure nothing, with their status.
const READING: [(&str, i32); 22] = [
    ("--help", 0),
    ("frame-loop --help", 0),
    ("--version", 0),
    ("nothing", 2),
    ("frame-loop --fps 0", 2),
    ("runs list", 0),
    ("runs show A", 0),
    ("runs show A --format json", 0),
    ("runs show A --format reference", 0),
    ("runs show A --out OUT", 0),
    ("runs show nobody", 1),
    ("runs rm A", 0),
    ("compare A B", 0),
    ("compare A B --format markdown --out OUT", 0),
    ("compare A B --fail-if mean>-1000%", 3),
    ("export A --as html", 0),
    ("export A --as csv --out OUT", 0),
    ("export A --plots OUT", 0),
    ("import RUN", 0),
    ("import RUN --format csv --out OUT", 0),
    ("machine", 0),
    ("machine --format json", 0),
];

/// Commands that measure, and how many runs they save.
fn measuring() -> [(String, usize); 6] {
    let short = SHORT.join(" ");
    [
        (short.clone(), 1),
        (format!("{short} --format csv --out OUT"), 1),
        (format!("{short} --format reference"), 1),
        (format!("{short} --repeat 2"), 2),
        ("alternate A B --times 1".to_owned(), 2),
        ("quick --scale 0".to_owned(), 5),
    ]
}

/// Runs a command with each of these faults, and compares with how it ends without one.
fn check(given: &Given, args: &str, expected: i32, saved: usize, faults: &[(Stream, Fault)]) {
    let is_measured = 0 < saved;
    // At most; until the measurement begins.
    let open_for = Duration::from_secs(if is_measured { 5 } else { 0 });
    let whole = given.end(args, Stream::Error, Fault::None, open_for);
    assert_eq!(whole.status, Some(expected), "{args}: {whole:?}");
    if is_measured {
        assert_eq!(whole.runs, [2 + saved, 0], "{args}");
    }
    for &(stream, fault) in faults {
        let ended = given.end(args, stream, fault, open_for);
        println!(
            "{:<48} {:<8} {:<10} {:>3} {:>4} {:>2} {:>8}",
            args.replace(&SHORT.join(" "), "frame-loop"),
            format!("{stream:?}"),
            format!("{fault:?}"),
            ended.status.map_or_else(|| "sig".to_owned(), |status| status.to_string()),
            ended.runs[0],
            ended.runs[1],
            ended.written.map_or_else(|| "–".to_owned(), |bytes| bytes.to_string()),
        );
        let case = format!("{args}, {stream:?} {fault:?}: {ended:?}");
        let is_lost = stream == Stream::Output && !fault.is_unread() && !whole.output.is_empty();
        assert_eq!(ended.status, Some(if is_lost { 1 } else { expected }), "{case}");
        assert_eq!(ended.runs, whole.runs, "{case}");
        let is_written = |ended: &Ended| ended.written.is_some_and(|bytes| 0 < bytes);
        assert_eq!(is_written(&ended), is_written(&whole), "{case}");
        if stream == Stream::Error && is_measured {
            assert_eq!(ended.output.is_empty(), whole.output.is_empty(), "{case}");
        } else if stream == Stream::Error && !args.starts_with("machine") {
            assert_eq!(ended.output, whole.output, "{case}");
        }
    }
}

/// Every fault of both streams.
fn faults() -> Vec<(Stream, Fault)> {
    let of = |stream| Fault::ALL.map(|fault| (stream, fault));
    let mut faults = [of(Stream::Error), of(Stream::Output)].concat();
    faults.retain(|(_, fault)| *fault != Fault::Full || Path::new("/dev/full").exists());
    faults
}

fn print_head() {
    println!("command, stream, fault, exit status, runs, journals, bytes of the file");
}

#[test]
fn unwritable_streams_change_no_file_and_no_status_of_commands_that_read() {
    let (given, faults) = (Given::new(), faults());
    print_head();
    for ((args, expected), at) in READING.into_iter().zip(0..) {
        // One fault of each stream for each command, all of them over all commands.
        let some: Vec<(Stream, Fault)> = faults
            .iter()
            .zip(0..)
            .filter(|(_, number)| is_long() || number % (faults.len() / 2) == at % 5)
            .map(|(fault, _)| *fault)
            .collect();
        check(&given, args, expected, 0, &some);
    }
}

#[test]
fn unwritable_streams_lose_no_run_and_no_result_of_commands_that_measure() {
    let (given, faults) = (Given::new(), faults());
    print_head();
    for ((args, saved), at) in measuring().into_iter().zip(0..) {
        let some = if is_long() || at == 0 { &faults } else { &faults[..1] };
        check(&given, &args, 0, saved, some);
    }
}

#[test]
fn a_capture_is_saved_although_its_result_cannot_be_written() {
    let data = tempfile::tempdir().unwrap();
    let capture = data.path().join("capture.csv");
    fs::write(&capture, super::exchange::foreign::MANGOHUD).unwrap();
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        println!("skipped: this system has no /dev/full");
        return;
    };
    let mut import = Command::new(program());
    import.arg("--data-dir").arg(data.path()).arg("import").arg(&capture).arg("--save");
    let output = import.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(data.path(), EXTENSION).len(), 1);
}
