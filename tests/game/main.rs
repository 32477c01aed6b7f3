//! A made game: three threads that wait for each other as those of games do, a log of frame times as MangoHud writes it,
//! and stutters of known causes.
//!
//! `made-game FOLDER --fps 120 --seconds 20 --inject KIND,KIND,… --every 1.5 --seed 1` writes
//! `made-game_2026-01-01_00-00-00.csv` into the folder, row by row, `injected.csv` with the kind of each injection
//! and its times on the monotonic clock, and `started.txt` with the begin of the log on this clock. Each frame goes from the main thread to the thread `render` and from there to
//! `present`, which writes the row; the main thread waits for the frame before the last one, and for the limiter.
//! With `--cycles yes`, there is a periodic thread in place of a game.

#[cfg(target_os = "linux")]
mod cycle;
#[cfg(target_os = "linux")]
mod inject;

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::thread::Builder;
    use std::time::Duration;

    use super::cycle;
    use super::inject::{self, Injector, Kind};

    /// The time of a clock in nanoseconds.
    pub(super) fn clock(clock: libc::clockid_t) -> i64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `time` is a valid place for one timespec for the length of the call.
        unsafe { libc::clock_gettime(clock, &raw mut time) };
        time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    pub(super) fn now() -> i64 {
        clock(libc::CLOCK_MONOTONIC)
    }

    /// Computes for a length of CPU time of this thread, as a game does: what else runs makes it take longer.
    pub(super) fn compute(length: Duration) {
        let end = clock(libc::CLOCK_THREAD_CPUTIME_ID) + i64::try_from(length.as_nanos()).unwrap();
        let mut value = 1_u64;
        while clock(libc::CLOCK_THREAD_CPUTIME_ID) < end {
            for _ in 0..500 {
                value = std::hint::black_box(value.wrapping_mul(6_364_136_223_846_793_005) + 1);
            }
        }
    }

    struct Arguments {
        folder: PathBuf,
        fps: f64,
        seconds: f64,
        kinds: Vec<Kind>,
        every: f64,
        seed: u64,
        user: Option<u32>,
        has_cycles: bool,
    }

    impl Arguments {
        fn read() -> Self {
            let mut arguments = std::env::args().skip(1);
            let folder = PathBuf::from(arguments.next().expect("a folder"));
            let mut read = Self {
                folder,
                fps: 120.0,
                seconds: 20.0,
                kinds: vec![],
                every: 1.5,
                seed: 1,
                user: None,
                has_cycles: false,
            };
            while let Some(name) = arguments.next() {
                let value = arguments.next().expect("a value");
                match name.as_str() {
                    "--fps" => read.fps = value.parse().unwrap(),
                    "--seconds" => read.seconds = value.parse().unwrap(),
                    "--every" => read.every = value.parse().unwrap(),
                    "--user" => read.user = Some(value.parse().unwrap()),
                    "--cycles" => read.has_cycles = value == "yes",
                    "--seed" => read.seed = value.parse().unwrap(),
                    "--inject" => read.kinds = value.split(',').map(Kind::parse).collect(),
                    name => panic!("unknown: {name}"),
                }
            }
            read
        }
    }

    /// A frame on its way through the threads.
    struct Frame {
        /// What the render thread and the thread that presents do in addition.
        injected: Option<Kind>,
    }

    pub(super) fn main() {
        if inject::is_helper() {
            return;
        }
        let arguments = Arguments::read();
        let mut injector = Injector::start(&arguments.folder);
        if let Some(user) = arguments.user {
            become_user(user);
        }
        let mut truth = File::create(arguments.folder.join("injected.csv")).unwrap();
        writeln!(truth, "kind,began_nanos,ended_nanos").unwrap();
        if arguments.has_cycles {
            cycle::run(&arguments.kinds, arguments.every, &mut injector, &mut truth);
            return injector.end();
        }
        let (to_render, frames) = sync_channel::<Frame>(16);
        let (to_present, rendered) = sync_channel::<Frame>(16);
        let (to_main, presented) = sync_channel::<()>(16);
        let lock = injector.overlay_lock();
        let shader = injector.shader();
        let storage = injector.storage();
        let render = Builder::new().name("render".to_owned()).spawn(move || {
            for frame in frames {
                compute(Duration::from_micros(1_200));
                match frame.injected {
                    Some(Kind::Shader) => shader.compile(),
                    Some(Kind::Storage) => storage.read(),
                    Some(Kind::Fault) => storage.fault(),
                    _ => {}
                }
                if to_present.send(frame).is_err() {
                    return;
                }
            }
        });
        let log = arguments.folder.join("made-game_2026-01-01_00-00-00.csv");
        let started = arguments.folder.join("started.txt");
        let present = Builder::new()
            .name("present".to_owned())
            .spawn(move || present_frames((&log, &started), &rendered, &to_main, &lock));
        play(&arguments, &mut injector, &to_render, &presented, &mut truth);
        drop(to_render);
        render.unwrap().join().unwrap();
        present.unwrap().join().unwrap();
        injector.end();
    }

    /// Continues as another user. What injects stutters has begun and retains its rights, as other programs of a PC do.
    fn become_user(user: u32) {
        // SAFETY: both take numbers.
        let codes = unsafe { [libc::setgid(user), libc::setuid(user)] };
        assert_eq!(codes, [0, 0], "only root may become another user");
        // A process that changed its user is closed to this user, which no game is.
        // SAFETY: prctl takes numbers.
        unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 1) };
    }

    /// The main thread: computes frames at the pace of the limiter.
    fn play(
        arguments: &Arguments,
        injector: &mut Injector,
        to_render: &SyncSender<Frame>,
        presented: &Receiver<()>,
        truth: &mut File,
    ) {
        let period = (1e9 / arguments.fps).round() as i64;
        let start = now();
        let end = start + (arguments.seconds * 1e9) as i64;
        let mut random = arguments.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut uniform = move || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1_u64 << 53) as f64
        };
        // The first injections come after the first frames, and later ones at random times.
        let mut next = start + 2_000_000_000 + (uniform() * arguments.every * 5e8) as i64;
        let mut kinds = arguments.kinds.iter();
        let mut due = start;
        let mut waiting = 0;
        while now() < end {
            let kind = if next <= now() { kinds.next().copied() } else { None };
            let began = now();
            if let Some(kind) = kind {
                next = began + ((0.75 + 0.5 * uniform()) * arguments.every * 1e9) as i64;
                injector.begin(kind);
            }
            compute(Duration::from_micros(1_500));
            if kind == Some(Kind::Long) {
                compute(Duration::from_millis(45));
            }
            if kind == Some(Kind::Server) {
                injector.ask_server();
            }
            to_render.send(Frame { injected: kind }).unwrap();
            waiting += 1;
            // One frame may be on its way while the next one is computed.
            while 1 < waiting || (kind.is_some() && 0 < waiting) {
                if presented.recv().is_err() {
                    return;
                }
                waiting -= 1;
            }
            if kind == Some(Kind::Pause) {
                std::thread::sleep(Duration::from_millis(45));
            }
            if let Some(kind) = kind {
                Injector::finish(kind);
                writeln!(truth, "{},{began},{}", kind.name(), now()).unwrap();
            }
            due += period;
            let time = now();
            if due < time {
                // A late frame does not make the next ones hurry.
                due = time;
            } else {
                sleep_until(due);
            }
        }
    }

    pub(super) fn sleep_until(due: i64) {
        let due = libc::timespec { tv_sec: due / 1_000_000_000, tv_nsec: due % 1_000_000_000 };
        // SAFETY: `due` is a valid timespec; an absolute sleep writes no remainder.
        unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                &raw const due,
                std::ptr::null_mut(),
            )
        };
    }

    /// The thread that presents: writes a row of the log per frame, and flushes it.
    fn present_frames(
        (log, started): (&Path, &Path),
        rendered: &Receiver<Frame>,
        to_main: &SyncSender<()>,
        lock: &Mutex<()>,
    ) {
        let mut log = File::create(log).unwrap();
        log.write_all(b"os,cpu,gpu,ram,kernel,driver,cpuscheduler\nmade,made,made,1,6,made,made\n")
            .unwrap();
        log.write_all(b"fps,frametime,cpu_load,gpu_load,cpu_temp,gpu_temp,elapsed\n").unwrap();
        let (start, monotonic) = (clock(libc::CLOCK_MONOTONIC_RAW), now());
        std::fs::write(started, format!("{monotonic}\n")).unwrap();
        let mut before = None;
        for _ in rendered {
            compute(Duration::from_micros(300));
            drop(lock.lock().unwrap());
            let at = clock(libc::CLOCK_MONOTONIC_RAW);
            // As in MangoHud, the first row is missing.
            if let Some(before) = before.replace(at) {
                let millis = (at - before) as f64 / 1e6;
                let row = format!("{:.1},{millis:.6},10,50,40,40,{}\n", 1e3 / millis, at - start);
                log.write_all(row.as_bytes()).unwrap();
            }
            if to_main.send(()).is_err() {
                return;
            }
        }
    }
}
