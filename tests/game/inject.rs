//! Stutters of known causes: other programs and threads, devices, and signals.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::linux::{compute, now};

/// How long an injection lasts, about.
const LENGTH: Duration = Duration::from_millis(50);
/// Size of the file that is read.
const FILE_BYTES: usize = 64 << 20;
/// The first argument of helpers.
const HELPER: &str = "--helper";

/// The cause of a stutter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Another program has the CPU of the main thread, at the best ordinary priority.
    Hog,
    /// A real-time program has all CPUs.
    RealTime,
    /// The main thread computes longer.
    Long,
    /// A thread compiles a shader for the render thread.
    Shader,
    /// The render thread reads from a device.
    Storage,
    /// The render thread touches memory whose content is on a device.
    Fault,
    /// Another process answers late.
    Server,
    /// All threads are stopped by a signal.
    Stop,
    /// A thread of an overlay holds a lock.
    Overlay,
    /// The limiter waits longer.
    Pause,
    /// Nothing.
    Nothing,
}

impl Kind {
    const NAMES: [(Self, &'static str); 11] = [
        (Self::Hog, "hog"),
        (Self::RealTime, "real-time"),
        (Self::Long, "long"),
        (Self::Shader, "shader"),
        (Self::Storage, "storage"),
        (Self::Fault, "fault"),
        (Self::Server, "server"),
        (Self::Stop, "stop"),
        (Self::Overlay, "overlay"),
        (Self::Pause, "pause"),
        (Self::Nothing, "nothing"),
    ];

    pub(super) fn parse(text: &str) -> Self {
        Self::NAMES.iter().find(|(_, name)| *name == text).expect(text).0
    }

    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).unwrap().1
    }
}

/// A process of its own, which does something when it reads a byte. A server answers with a byte.
struct Helper {
    child: Child,
}

impl Helper {
    fn start(kind: &str) -> Self {
        let program = std::env::current_exe().unwrap();
        let child = Command::new(program)
            .args([HELPER, kind, &std::process::id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self { child }
    }

    fn begin(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    }

    fn wait(&mut self) {
        self.child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// Runs a helper, if this process is to be one.
pub(super) fn is_helper() -> bool {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(HELPER) {
        return false;
    }
    let kind = arguments.next().unwrap();
    let game: i32 = arguments.next().unwrap().parse().unwrap();
    let name = if kind == "server" { "wineserver".to_owned() } else { format!("made-{kind}") };
    set_name(&name);
    if kind == "real-time" {
        let priority = libc::sched_param { sched_priority: 50 };
        // SAFETY: `priority` is a valid sched_param.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) };
        let cpu = std::env::var("MADE_CPU").unwrap().parse().unwrap();
        pin(0, Some(cpu));
    }
    if kind == "hog" {
        // SAFETY: setpriority takes numbers.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, -20) };
        pin(0, Some(0));
    }
    let mut byte = [0];
    while matches!(std::io::stdin().read(&mut byte), Ok(1)) {
        match kind.as_str() {
            "hog" | "server" => compute(LENGTH),
            "real-time" => {
                let end = Instant::now() + LENGTH;
                while Instant::now() < end {
                    std::hint::spin_loop();
                }
            }
            "stop" => {
                // SAFETY: kill takes numbers; the process is the one that started this one.
                unsafe { libc::kill(game, libc::SIGSTOP) };
                std::thread::sleep(LENGTH);
                // SAFETY: as above.
                unsafe { libc::kill(game, libc::SIGCONT) };
            }
            _ => {}
        }
        let answer = || std::io::stdout().write_all(b"y").and_then(|()| std::io::stdout().flush());
        if kind == "server" && answer().is_err() {
            break;
        }
    }
    true
}

fn set_name(name: &str) {
    let name = std::ffi::CString::new(name).unwrap();
    // SAFETY: `name` is a text that ends in zero.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
}

/// Pins a thread to a CPU, or to no CPU.
pub(super) fn pin(thread: i32, cpu: Option<usize>) {
    // SAFETY: all zeroes is a valid set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for number in 0..usize::try_from(libc::CPU_SETSIZE).unwrap() {
        if cpu.is_none_or(|cpu| cpu == number) {
            // SAFETY: the number is below CPU_SETSIZE.
            unsafe { libc::CPU_SET(number, &mut set) };
        }
    }
    // SAFETY: `set` is a valid set of this size.
    unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &raw const set) };
}

/// Causes stutters.
pub(super) struct Injector {
    folder: PathBuf,
    hog: Helper,
    real_time: Vec<Helper>,
    server: Helper,
    stop: Helper,
    lock: Arc<Mutex<()>>,
    overlay: SyncSender<()>,
    overlay_has_lock: Receiver<()>,
}

impl Injector {
    pub(super) fn start(folder: &Path) -> Self {
        let cpus = std::thread::available_parallelism().unwrap().get();
        let real_time = |cpu: usize| {
            // SAFETY: no other thread runs yet.
            unsafe { std::env::set_var("MADE_CPU", cpu.to_string()) };
            Helper::start("real-time")
        };
        let real_time = (0..cpus).map(real_time).collect();
        let [hog, server, stop] = ["hog", "server", "stop"].map(Helper::start);
        let lock = Arc::new(Mutex::new(()));
        let (overlay, requests) = sync_channel::<()>(16);
        let (taken, overlay_has_lock) = sync_channel(16);
        let own = Arc::clone(&lock);
        let thread = Builder::new().name("mangohud-made".to_owned()).spawn(move || {
            for () in requests {
                let _held = own.lock().unwrap();
                taken.send(()).unwrap();
                compute(LENGTH);
            }
        });
        thread.unwrap();
        let folder = folder.to_owned();
        Self { folder, hog, real_time, server, stop, lock, overlay, overlay_has_lock }
    }

    pub(super) fn overlay_lock(&self) -> Arc<Mutex<()>> {
        Arc::clone(&self.lock)
    }

    pub(super) fn shader(&self) -> Shader {
        let (requests, inbox) = sync_channel::<()>(16);
        let (done, compiled) = sync_channel(16);
        let compiler = Builder::new().name("dxvk-shader-0".to_owned()).spawn(move || {
            for () in inbox {
                compute(LENGTH);
                done.send(()).unwrap();
            }
        });
        compiler.unwrap();
        Shader { requests, compiled }
    }

    pub(super) fn storage(&self) -> Storage {
        let path = self.folder.join("made.data");
        let block: Vec<u8> = (0..1 << 20).map(|at: u32| at as u8).collect();
        let mut file = File::create(&path).unwrap();
        (0..FILE_BYTES / block.len()).for_each(|_| file.write_all(&block).unwrap());
        file.sync_all().unwrap();
        let direct = fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(&path);
        Storage { file: File::open(&path).unwrap(), direct: direct.ok() }
    }

    /// Begins an injection that another thread or process carries out.
    pub(super) fn begin(&mut self, kind: Kind) {
        match kind {
            Kind::Hog => {
                pin(0, Some(0));
                self.hog.begin();
                // The hog is woken now, and preempts this thread.
                std::thread::yield_now();
            }
            Kind::RealTime => self.real_time.iter_mut().for_each(Helper::begin),
            Kind::Stop => self.stop.begin(),
            Kind::Overlay => {
                self.overlay.send(()).unwrap();
                self.overlay_has_lock.recv().unwrap();
            }
            _ => {}
        }
    }

    /// Ends an injection. Another program that still runs is not waited for: the frame would wait for its answer, which is
    /// another cause.
    pub(super) fn finish(kind: Kind) {
        if kind == Kind::Hog {
            pin(0, None);
        }
    }

    /// Asks the other process, and waits for its answer.
    pub(super) fn ask_server(&mut self) {
        self.server.begin();
        self.server.wait();
    }

    pub(super) fn end(self) {
        let Self { hog, real_time, server, stop, folder, .. } = self;
        [hog, server, stop].into_iter().chain(real_time).for_each(Helper::end);
        fs::remove_file(folder.join("made.data")).ok();
    }
}

/// The thread that compiles shaders.
pub(super) struct Shader {
    requests: SyncSender<()>,
    compiled: Receiver<()>,
}

impl Shader {
    pub(super) fn compile(&self) {
        self.requests.send(()).unwrap();
        self.compiled.recv().unwrap();
    }
}

/// A file of which nothing is in memory.
pub(super) struct Storage {
    file: File,
    /// The file without the cache of the kernel, where the file system supports that.
    direct: Option<File>,
}

impl Storage {
    /// Reads for the length of an injection.
    pub(super) fn read(&self) {
        let end = now() + i64::try_from(LENGTH.as_nanos()).unwrap();
        let layout = std::alloc::Layout::from_size_align(1 << 20, 4_096).unwrap();
        // SAFETY: the layout has a size, and the memory is freed below with the same layout.
        let memory = unsafe { std::alloc::alloc(layout) };
        let file = self.direct.as_ref().unwrap_or(&self.file);
        let mut at = 0;
        while now() < end {
            if self.direct.is_none() {
                self.forget();
            }
            // SAFETY: `memory` has 1 MiB for the length of the call.
            let read = unsafe { libc::pread(file.as_raw_fd(), memory.cast(), 1 << 20, at) };
            assert!(0 < read, "{}", std::io::Error::last_os_error());
            at = (at + (1 << 20)) % i64::try_from(FILE_BYTES).unwrap();
        }
        // SAFETY: `memory` was allocated with this layout, and is not used any more.
        unsafe { std::alloc::dealloc(memory, layout) };
    }

    /// Touches memory that is a mapping of the file, for the length of an injection.
    pub(super) fn fault(&self) {
        let end = now() + i64::try_from(LENGTH.as_nanos()).unwrap();
        while now() < end {
            self.forget();
            // SAFETY: maps the file at a new place.
            let memory = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    FILE_BYTES,
                    libc::PROT_READ,
                    libc::MAP_PRIVATE,
                    self.file.as_raw_fd(),
                    0,
                )
            };
            assert_ne!(memory, libc::MAP_FAILED);
            // SAFETY: the mapping has FILE_BYTES bytes.
            unsafe { libc::madvise(memory, FILE_BYTES, libc::MADV_RANDOM) };
            let bytes: *const u8 = memory.cast();
            for page in 0..FILE_BYTES / 4_096 {
                // SAFETY: the place is inside of the mapping.
                std::hint::black_box(unsafe { bytes.add(page * 4_096).read_volatile() });
                if end <= now() {
                    break;
                }
            }
            // SAFETY: the mapping is not used any more.
            unsafe { libc::munmap(memory, FILE_BYTES) };
        }
    }

    /// Drops the content of the file from the cache of the kernel.
    fn forget(&self) {
        // SAFETY: posix_fadvise takes numbers.
        unsafe { libc::posix_fadvise(self.file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    }
}
