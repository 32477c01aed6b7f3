//! Hostile files, full disks, and signals: nothing hangs, no data is destroyed, and measured data is not
//! lost.
#![cfg(unix)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use jitterscope_engine::platform;
#[cfg(target_os = "linux")]
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::store::{self, EXTENSION, JOURNAL_EXTENSION, Store};

use super::cli::{SHORT, program};
use super::exchange::sample;
use super::window::HANG;

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("--data-dir").arg(folder).args(args);
    command
}

/// Waits for a program to end. A program that hangs is killed, and the test fails.
pub(super) fn finish(mut child: Child) -> Output {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if HANG < began.elapsed() {
            child.kill().unwrap();
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let child = command(folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let output = finish(child.unwrap());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Creates a folder with a saved run, and an empty folder for output.
fn folders() -> (tempfile::TempDir, tempfile::TempDir) {
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    Store::at(data.path()).save(&sample::run("a name")).unwrap();
    (data, other)
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

pub(super) fn names(folder: &Path, ending: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(ending));
    names
}

/// Returns the commands that write the saved run to a file, each with the text that it should write.
fn outputs(data: &Path) -> [(Vec<&'static str>, String); 2] {
    [
        vec!["runs", "show", "0a1b", "--format", "csv", "--out"],
        vec!["export", "0a1b", "--as", "csv", "--out"],
    ]
    .map(|args| {
        let (status, text, error) = run(data, &[args.as_slice(), &["-"]].concat());
        assert_eq!(status, Some(0), "{error}");
        assert!(text.lines().count() > 1, "{text}");
        (args, text)
    })
}

#[test]
fn output_to_a_fifo_goes_through_it() {
    let (data, other) = folders();
    for (args, expected) in outputs(data.path()) {
        let fifo = other.path().join(format!("fifo-{}", args[0]));
        make_fifo(&fifo);
        let reader = Command::new("cat").arg(&fifo).stdout(Stdio::piped()).spawn().unwrap();
        let (status, _, error) =
            run(data.path(), &[args.as_slice(), &[fifo.to_str().unwrap()]].concat());
        assert_eq!(status, Some(0), "{error}");
        assert_eq!(String::from_utf8_lossy(&finish(reader).stdout), expected);
        assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
    }
}

#[test]
fn output_follows_symbolic_links_and_leaves_them() {
    let (data, other) = folders();
    for (args, expected) in outputs(data.path()) {
        let (file, link) = (other.path().join("file"), other.path().join("link"));
        let (device, new) = (other.path().join("device"), other.path().join("new"));
        fs::write(&file, "before").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        symlink("/dev/null", &device).unwrap();
        symlink("created", &new).unwrap();
        for link in [&link, &device, &new] {
            let (status, _, error) =
                run(data.path(), &[args.as_slice(), &[link.to_str().unwrap()]].concat());
            assert_eq!(status, Some(0), "{error}");
            assert!(fs::symlink_metadata(link).unwrap().is_symlink(), "{}", link.display());
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(other.path().join("created")).unwrap(), expected);
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        for name in ["file", "link", "device", "new", "created"] {
            fs::remove_file(other.path().join(name)).unwrap();
        }
    }
}

#[test]
fn bad_output_is_reported_before_anything_is_measured() {
    let (data, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let loop_link = other.path().join("loop");
    symlink("loop", &loop_link).unwrap();
    let nowhere = other.path().join("no such folder/file");
    for out in [&nowhere, &loop_link, other.path()] {
        let args = [SHORT.as_slice(), &["--out", out.to_str().unwrap()]].concat();
        let (status, _, error) = run(data.path(), &args);
        assert_eq!(status, Some(1), "{error}");
        assert!(error.contains("cannot write the output"), "{error}");
        assert!(names(data.path(), EXTENSION).is_empty(), "it was measured");
    }
}

#[test]
fn full_device_as_output_is_an_error_and_the_run_is_saved() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let (status, _, error) =
        run(data.path(), &[SHORT.as_slice(), &["--out", "/dev/full"]].concat());
    assert_eq!(status, Some(1), "{error}");
    assert!(error.contains("cannot write the output"), "{error}");
    assert_eq!(names(data.path(), EXTENSION).len(), 1);
}

#[test]
fn only_regular_files_are_read_from_the_data_folder() {
    let (data, _other) = folders();
    for name in ["2026-01-01-frame-loop-00000001", "b"] {
        make_fifo(&data.path().join(format!("{name}{EXTENSION}")));
        make_fifo(&data.path().join(format!("{name}{JOURNAL_EXTENSION}")));
    }
    symlink("/dev/zero", data.path().join(format!("zero{JOURNAL_EXTENSION}"))).unwrap();
    symlink("/dev/zero", data.path().join(format!("2026-01-01-a-00000002{EXTENSION}"))).unwrap();
    fs::create_dir(data.path().join(format!("folder{JOURNAL_EXTENSION}"))).unwrap();
    fs::create_dir(data.path().join(format!("folder{EXTENSION}"))).unwrap();
    make_fifo(&data.path().join("index.jitterscope.cache"));
    let (status, text, error) = run(data.path(), &["runs", "list"]);
    assert_eq!(status, Some(0), "{error}");
    assert!(text.contains("0a1b2c3d") && text.contains("not a regular file"), "{text}");
    let (status, _, error) = run(data.path(), &["runs", "show", "00000001"]);
    assert_eq!(status, Some(1), "{error}");
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn a_fifo_or_a_device_that_was_named_is_refused_at_once() {
    let (data, other) = folders();
    let fifo = other.path().join("fifo");
    make_fifo(&fifo);
    for stream in [fifo.to_str().unwrap(), "/dev/zero", "/dev/tty"] {
        for args in [
            &["import", stream][..],
            &["import", stream, stream],
            &["check", stream],
            &["quick", "--hosts", stream],
        ] {
            let (status, _, error) = run(data.path(), args);
            assert!(matches!(status, Some(1 | 2)), "{args:?}: {status:?}: {error}");
            assert!(error.contains("not a regular file"), "{args:?}: {error}");
        }
    }
    // A stream that was passed to the program is requested as such.
    let csv = "frametime\n16.7\n16.6\n16.8\n";
    for stream in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
        #[cfg(not(target_os = "linux"))]
        if stream.starts_with("/proc") {
            continue;
        }
        let mut child = command(data.path(), &["import", stream]);
        let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        child.stdin.take().unwrap().write_all(csv.as_bytes()).unwrap();
        let output = finish(child);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{stream}: {error}");
    }
}

#[test]
fn sparse_index_is_not_read_into_memory() {
    let (data, _other) = folders();
    let index = data.path().join("index.jitterscope.cache");
    fs::File::create(&index).unwrap().set_len(3 << 30).unwrap();
    let (status, text, error) = run(data.path(), &["runs", "list"]);
    assert_eq!(status, Some(0), "{error}");
    assert!(text.contains("0a1b2c3d"), "{text}");
    assert!(fs::metadata(&index).unwrap().len() < 1 << 20, "it is written again");
}

#[test]
fn run_file_beyond_its_limits_is_refused_in_words() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().join(format!("2026-01-01-frame-loop-00000003{EXTENSION}"));
    fs::File::create(&path).unwrap().set_len(3 << 30).unwrap();
    let (_, text, _) = run(data.path(), &["runs", "list"]);
    assert!(text.contains("too large to be a run"), "{text}");
    let tags = "\"\",".repeat(25 << 20);
    fs::write(
        &path,
        format!("{{\"format\":\"jitterscope-run\",\"format_version\":1,\"tags\":[{tags}\"\"]}}"),
    )
    .unwrap();
    let (_, text, _) = run(data.path(), &["runs", "list"]);
    assert!(text.contains("not samples"), "{text}");
    assert!(path.exists());
}

#[test]
fn journal_of_a_running_test_is_listed_and_private() {
    let data = tempfile::tempdir().unwrap();
    let store = Store::at(data.path());
    let journal = store.journal().unwrap();
    let run_path = store.save(&sample::run("a name")).unwrap();
    for path in [&journal.path, &run_path] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let (status, text, _) = run(data.path(), &["runs", "list"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("test is running"), "{text}");
    assert!(journal.path.exists());
}

#[test]
fn limit_on_file_sizes_ends_in_a_message_and_a_recoverable_journal() {
    let data = tempfile::tempdir().unwrap();
    // The unit of `ulimit -f` is 512 or 1024 bytes: enough for a part of the journal, but not for the run.
    let script = "ulimit -f 8; exec \"$0\" \"$@\"";
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(program())
        .arg("--data-dir")
        .arg(data.path())
        .args([
            "frame-loop",
            "--fps",
            "1000",
            "--duration",
            "1500ms",
            "--warm-up",
            "0s",
            "--wait",
            "os-sleep",
        ])
        .args(["--priority", "normal", "--load-threads", "0", "--cpu", "none", "--work", "0s"])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let output = finish(child.unwrap());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "no signal ends it: {error}");
    assert!(error.contains("cannot be saved"), "{error}");
    assert!(names(data.path(), EXTENSION).is_empty());
    assert!(names(data.path(), ".tmp").is_empty());
}

/// A file system of limited size in memory, mounted until the value is dropped.
#[cfg(target_os = "linux")]
struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder.path());
        let is_mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_mounted {
            println!("skipped: this user may not mount a disk");
        }
        is_mounted.then(|| Self(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0.path()).status().ok();
    }
}

/// The arguments of a frame loop of 100 000 frames.
#[cfg(target_os = "linux")]
const MANY: &str = "frame-loop --fps 1000 --duration 100s --warm-up 0s --wait os-sleep --priority normal \
                    --load-threads 0 --cpu none --work 0s";

#[cfg(target_os = "linux")]
#[test]
fn a_disk_without_room_for_a_run_is_noticed_before_anything_is_measured() {
    let Some(disk) = SmallDisk::mount("4m") else { return };
    let many: Vec<&str> = MANY.split_whitespace().collect();
    let (status, text, error) = run(disk.0.path(), &many);
    assert_eq!(status, Some(1), "{error}");
    assert!(error.contains("needs about 20.5 MB: No space left on device"), "{error}");
    assert!(text.is_empty() && fs::read_dir(disk.0.path()).unwrap().count() == 0, "{text}");
    // A short run fits; the space that was reserved for it and not needed is released.
    let (status, _, error) = run(disk.0.path(), &SHORT);
    assert_eq!(status, Some(0), "{error}");
    assert_eq!(names(disk.0.path(), EXTENSION).len(), 1);
    assert!(names(disk.0.path(), ".tmp").is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_file_sizes_that_a_run_exceeds_is_noticed_before_anything_is_measured() {
    let data = tempfile::tempdir().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    if !platform::reserve_room(file.as_file(), 4_096).unwrap() {
        println!("skipped: the file system reserves no room");
        return;
    }
    let mut command = Command::new("sh");
    // The unit of `ulimit -f` is 512 or 1024 bytes.
    command.args(["-c", "ulimit -f 4096; exec \"$0\" \"$@\""]).arg(program());
    command.arg("--data-dir").arg(data.path()).args(MANY.split_whitespace());
    let output = finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("needs about 20.5 MB: File too large"), "{error}");
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn limit_on_memory_ends_in_a_run_or_a_message() {
    let data = tempfile::tempdir().unwrap();
    // Each thread takes address space: use the same number of threads on every PC.
    let test = "game-tick --iterations 1 --iteration 100ms --warm-up 0s --players 20 --threads custom --thread-count 2 \
                --quiet";
    let mut failed = 0;
    for mebibytes in [40, 60, 80, 100, 150, 300, 2_000] {
        let script = format!("ulimit -v {}; exec \"$0\" \"$@\" {test}", mebibytes << 10);
        let child = Command::new("sh")
            .args(["-c", &script])
            .arg(program())
            .arg("--data-dir")
            .arg(data.path())
            .stderr(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let output = finish(child.unwrap());
        let error = String::from_utf8_lossy(&output.stderr);
        println!("{mebibytes} MiB: {:?}: {error}", output.status.code());
        // Status 127: with a very low limit, the system cannot load the program.
        assert!(matches!(output.status.code(), Some(0 | 1 | 127)), "{mebibytes} MiB: {error}");
        assert!(output.status.success() || !error.is_empty(), "{mebibytes} MiB: no message");
        failed += usize::from(!output.status.success());
    }
    println!("{failed} of 7 limits were too low");
    assert!((1..7).contains(&failed), "some limits are too low, and the highest is not");
    assert_eq!(run(data.path(), &["runs", "list"]).0, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pool_whose_threads_cannot_start_ends_the_run_with_a_message() {
    let data = tempfile::tempdir().unwrap();
    if std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) != 0 {
        println!("skipped: only root can start the program as a user without other threads");
        return;
    }
    // A limit on threads does not apply to root. With a limit on memory, a thread that already started may be the one
    // that finds none, inside Rust's library.
    let limited = "--ruid 65533 --bounding-set -sys_admin,-sys_resource prlimit --nproc=100:100";
    let test = "game-tick --iterations 1 --iteration 100ms --warm-up 0s --players 20 --workload players --threads \
                custom --thread-count 200 --quiet";
    let mut command = Command::new("setpriv");
    command
        .args(limited.split(' '))
        .arg(program())
        .arg("--data-dir")
        .arg(data.path())
        .args(test.split_whitespace());
    let output = finish(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("a pool of 200 threads could not start"), "{error}");
}

/// Starts a long measurement. Once its journal has some data, calls `before` and sends the signals.
fn interrupted(data: &Path, args: &[&str], signals: &[&str], before: impl FnOnce()) -> Output {
    let child = command(data, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let has_begun = || {
        let journal = names(data, JOURNAL_EXTENSION).pop();
        journal.is_some_and(|name| 20_000 < fs::metadata(data.join(name)).unwrap().len())
    };
    while !has_begun() {
        assert!(began.elapsed() < HANG, "nothing is measured");
        std::thread::sleep(Duration::from_millis(20));
    }
    before();
    for signal in signals {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([*signal, &pid]).status().unwrap().success());
    }
    finish(child)
}

/// A test that takes long enough to be interrupted.
const LONG: [&str; 7] =
    ["sleep-accuracy", "--sleep", "1ms", "--count", "10000", "--conditions", "idle"];

#[test]
fn interrupt_saves_what_was_measured() {
    let data = tempfile::tempdir().unwrap();
    let output = interrupted(data.path(), &LONG, &["-INT"], || {});
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(data.path(), EXTENSION).len(), 1);
    assert!(names(data.path(), JOURNAL_EXTENSION).is_empty());
}

#[test]
fn second_interrupt_ends_at_once_and_loses_nothing() {
    let data = tempfile::tempdir().unwrap();
    let output = interrupted(data.path(), &LONG, &["-INT", "-INT"], || {});
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let (status, text, error) = run(data.path(), &["runs", "list"]);
    assert_eq!((status, text.lines().count()), (Some(0), 1), "{error}");
    assert!(names(data.path(), JOURNAL_EXTENSION).is_empty());
}

/// Starts a measurement in a process that ignores `signal` from its start, and sends this signal.
fn ignored(signal: &str) -> (Output, jitterscope_engine::run::Run) {
    let data = tempfile::tempdir().unwrap();
    let script = format!("trap '' {signal}; exec \"$0\" \"$@\"");
    let mut child = Command::new("sh");
    child.args(["-c", &script]).arg(program()).arg("--data-dir").arg(data.path());
    child.args(["sleep-accuracy", "--sleep", "1ms", "--count", "2000", "--conditions", "idle"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while names(data.path(), JOURNAL_EXTENSION).is_empty() {
        assert!(began.elapsed() < HANG, "nothing is measured");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (pid, signal) = (child.id().to_string(), format!("-{signal}"));
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(100));
        assert!(Command::new("kill").args([&signal, &pid]).status().unwrap().success());
    }
    let output = finish(child);
    let runs = Store::at(data.path()).lines().unwrap();
    (output, store::load(&runs.last().unwrap().path).unwrap())
}

#[test]
fn a_signal_that_is_ignored_from_the_start_ends_no_run() {
    // `nohup` ignores HUP, and a shell without job control ignores INT for its background jobs.
    for signal in ["HUP", "INT"] {
        let (output, run) = ignored(signal);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{signal}: {error}");
        assert_eq!(run.ending, jitterscope_engine::run::Ending::Finished, "{signal}: {error}");
    }
}

#[test]
fn a_closed_terminal_saves_what_was_measured() {
    let own = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = own.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    if ignored.is_some_and(|bits| bits & 1 == 1) {
        println!("skipped: these tests ignore the signal themselves, as under nohup");
        return;
    }
    let data = tempfile::tempdir().unwrap();
    let output = interrupted(data.path(), &LONG, &["-HUP"], || {});
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(names(data.path(), EXTENSION).len(), 1);
}

#[test]
fn a_fifo_in_place_of_the_lock_or_the_log_does_not_block_the_window() {
    use jitterscope::{Instance, Start, start_log};
    let folder = tempfile::tempdir().unwrap();
    for name in ["window.lock", "jitterscope.log", "1-00000001.open-request"] {
        make_fifo(&folder.path().join(name));
    }
    let at = folder.path().to_owned();
    let (sender, ended) = std::sync::mpsc::sync_channel(1);
    let start = move || {
        let said = start_log(&at).unwrap_err().to_string();
        sender.send((said, Instance::claim(&at, &[]))).unwrap();
    };
    std::thread::Builder::new().name("start".to_owned()).spawn(start).unwrap();
    let (said, start) = ended.recv_timeout(HANG).expect("it hangs");
    assert!(said.contains("not a regular file"), "{said}");
    assert!(matches!(&start, Start::Unknown(why) if why.contains("regular")), "{start:?}");
    // A request that is not a regular file is ignored.
    fs::remove_file(folder.path().join("window.lock")).unwrap();
    let Start::First(first) = Instance::claim(folder.path(), &[]) else { panic!("not first") };
    let store = Store::at(folder.path());
    let mut harness = egui_kittest::Harness::builder().build_eframe(move |cc| {
        jitterscope::App::with_store(cc, Some(store)).started(Start::First(first))
    });
    harness.run_steps(5);
}

/// A process with priority FIFO 50 that occupies a CPU until this value is dropped.
#[cfg(target_os = "linux")]
struct Hog(Child);

#[cfg(target_os = "linux")]
impl Hog {
    /// Starts the process on a CPU; `None` if the system denies the priority.
    fn start(cpu: u32) -> Option<Self> {
        let program = ["chrt", "-f", "50", "sh", "-c", "while :; do :; done"];
        let mut hog = Command::new("taskset");
        hog.args(["-c", &cpu.to_string()]).args(program).stderr(Stdio::null());
        let mut hog = Self(hog.spawn().ok()?);
        std::thread::sleep(Duration::from_millis(1_500));
        hog.0.try_wait().unwrap().is_none().then_some(hog)
    }
}

#[cfg(target_os = "linux")]
impl Drop for Hog {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn interrupt_saves_a_run_whose_thread_is_starved_and_the_run_says_so() {
    let cpus = platform::usable_cpus();
    let (Some(&cpu), true) = (cpus.last(), 1 < cpus.len()) else {
        println!("skipped: a program of FIFO 50 on the only CPU would stop everything");
        return;
    };
    let (data, mut hog) = (tempfile::tempdir().unwrap(), None);
    let cpu_text = cpu.to_string();
    let args = ["frame-loop", "--fps=200", "--duration=600s", "--wait=os-sleep", "--work=0s"];
    let args = [&args[..], &["--load-threads=0", "--cpu", &cpu_text]].concat();
    let output = interrupted(data.path(), &args, &["-INT"], || hog = Hog::start(cpu));
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(names(data.path(), JOURNAL_EXTENSION).is_empty());
    let saved = store::load(&Store::at(data.path()).lines().unwrap()[0].path).unwrap();
    assert!(0 < saved.sample_count());
    if hog.is_none() {
        println!("skipped: this system denies FIFO 50");
        return;
    }
    let cautions = Report::of(&saved, &Options::default()).cautions;
    let words: Vec<String> = cautions.iter().map(ToString::to_string).collect();
    assert!(words.iter().any(|caution| caution.starts_with("Starved: ")), "{words:?}");
}

#[test]
fn kill_leaves_a_journal_that_the_next_start_recovers() {
    let data = tempfile::tempdir().unwrap();
    interrupted(data.path(), &LONG, &["-KILL"], || {});
    assert_eq!(names(data.path(), JOURNAL_EXTENSION).len(), 1);
    let (status, text, error) = run(data.path(), &["runs", "list"]);
    assert_eq!(status, Some(0), "{error}");
    assert!(error.contains("recovered an interrupted run"), "{error}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!(names(data.path(), "").len(), 2, "the run and the list of runs");
}
