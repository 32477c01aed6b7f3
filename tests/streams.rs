//! Standard output or standard error that cannot be written: each command still has the same exit status,
//! saves the same runs, and writes the same files. With `JITTERSCOPE_LONG_TESTS=1`, tries every combination
//! of command and fault; otherwise, a sample.
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

/// A fault of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A full device.
    Full,
    Closed,
    /// A pipe without a reader.
    NoReader,
    /// A terminal that was closed.
    HungUp,
    /// A file that has reached the size limit (`RLIMIT_FSIZE`).
    SizeLimit,
}

impl Fault {
    const ALL: [Self; 5] =
        [Self::Full, Self::Closed, Self::NoReader, Self::HungUp, Self::SizeLimit];

    /// Returns whether losing standard output is not an error, because nobody reads it.
    fn is_unread(self) -> bool {
        matches!(self, Self::None | Self::Closed | Self::NoReader)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Output,
    Error,
}

/// Opens a terminal; returns its two ends.
fn terminal() -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (0, 0);
    // SAFETY: both arguments point to writable integers, and the other arguments may be null.
    let code =
        unsafe { libc::openpty(&mut master, &mut slave, null_mut(), null_mut(), null_mut()) };
    assert_eq!(code, 0, "{}", std::io::Error::last_os_error());
    // A program that another test starts must not inherit these files.
    // SAFETY: both numbers are open files that no other value owns.
    unsafe {
        libc::fcntl(master, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::fcntl(slave, libc::F_SETFD, libc::FD_CLOEXEC);
        (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave))
    }
}

/// The outcome of a command.
#[derive(Debug, PartialEq)]
struct Ended {
    /// The exit status; `None` if a signal ended the command.
    status: Option<i32>,
    /// The text on standard output, if only standard error has a fault.
    output: String,
    /// Number of saved runs, and of journals that were not yet recovered.
    runs: [usize; 2],
    /// Size in bytes of the file of `--out`.
    written: Option<u64>,
}

/// The runs on which commands operate.
struct Given {
    data: tempfile::TempDir,
    ids: [String; 2],
}

impl Given {
    /// Measures two runs with the same settings.
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

    /// Runs a command with this fault of a stream on a copy of the runs. A terminal is closed once measuring
    /// begins, at the latest after `open_for`.
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
            // The unit of `ulimit -f` is 512 or 1024 bytes: the limit is larger than a run, and not larger
            // than the file of the stream.
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
        // Write to a file: a pipe would fill up, because nobody reads it until the command ends.
        let whole = other.path().join("output");
        let [output, error] = match stream {
            Stream::Output => [faulty, Stdio::null()],
            Stream::Error => [File::create(&whole).unwrap().into(), faulty],
        };
        if open_for == Duration::ZERO {
            drop(master.take());
        }
        let child = command.stdin(Stdio::null()).stdout(output).stderr(error).spawn().unwrap();
        // The terminal is not the controlling terminal of the command, so closing it sends no signal.
        // Dropping the command closes this process's copies of its streams.
        drop(command);
        // Wait until measuring begins.
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

/// Commands that measure nothing, with their exit status.
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
    ("compare A B --fail-if mean>-1000%", 4),
    ("export A --as html", 0),
    ("export A --as csv --out OUT", 0),
    ("export A --plots OUT", 0),
    ("import RUN", 0),
    ("import RUN --format csv --out OUT", 0),
    ("machine", 0),
    ("machine --format json", 0),
];

/// Returns commands that measure, and how many runs each of them saves.
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

/// Runs a command with each of these faults, and compares the outcomes with the outcome without a fault.
fn check(given: &Given, args: &str, expected: i32, saved: usize, faults: &[(Stream, Fault)]) {
    let is_measured = 0 < saved;
    // How long a terminal stays open at most; it is closed when measuring begins.
    let open_for = Duration::from_secs(if is_measured { 5 } else { 0 });
    // A check measures for 20 s and ends with its result: this is known without a further one.
    let whole = if args.starts_with("quick") && !is_long() {
        let (status, output) = (Some(expected), "result".to_owned());
        Ended { status, output, runs: [2 + saved, 0], written: None }
    } else {
        given.end(args, Stream::Error, Fault::None, open_for)
    };
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

/// Returns every fault of both streams.
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
        // Each command has one fault per stream; the commands together have all faults.
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
