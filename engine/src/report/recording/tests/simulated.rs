//! A made game: its main, render, and present threads wait for each other, and causes of stutters are injected.

use super::{Builder, kernel, micros, thread};
use crate::nanos::Nanos;
use crate::platform::TraceSource;
use crate::report::recording::Class;
use crate::run::Series;
use crate::run::recording::{
    Detail, Follow, RecordedFrames, RecordedOwner, RecordedProcess, RecordedThread, RecordedTier,
    Recording, WakeContext, name,
};
use crate::sample::{TraceEvent, TraceRecord};

const MAIN: u32 = 11;
const RENDER: u32 = 12;
const SHADER: u32 = 13;
const PRESENT: u32 = 14;
const OVERLAY: u32 = 15;
const HOG: u32 = 40;
const SERVER: u32 = 41;
const OWN: u32 = 42;
/// Short-lived processes, from this number on.
const BURST: u32 = 60;
/// Time from one frame to the next in µs.
const PERIOD: i64 = 16_667;

/// What a recording contains.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tier {
    Kernel,
    OwnSwitches,
}

/// What is done to a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Injected {
    OtherProgram,
    Burst,
    Softirq,
    Game,
    Shaders,
    Storage,
    PageFault,
    Reclaim,
    Service,
    Graphics,
    Overlay,
    Stopped,
    Throttled,
    Timer,
    Own,
    AllStalled,
    /// A program has the CPU for so short that the frame is no stutter.
    Halfway,
    /// Two times: a program has the CPU, and then a sleep whose end is not recorded.
    HalfUnknown,
    /// A sleep whose end is not recorded.
    Unknown,
}

impl Injected {
    pub(super) const ALL: [Self; 16] = [
        Self::OtherProgram,
        Self::Burst,
        Self::Softirq,
        Self::Game,
        Self::Shaders,
        Self::Storage,
        Self::PageFault,
        Self::Reclaim,
        Self::Service,
        Self::Graphics,
        Self::Overlay,
        Self::Stopped,
        Self::Throttled,
        Self::Timer,
        Self::Own,
        Self::AllStalled,
    ];

    /// Returns the class and the name of the cause to be found.
    pub(crate) fn cause(self) -> (Class, Option<&'static str>) {
        match self {
            Self::OtherProgram | Self::Halfway | Self::HalfUnknown => {
                (Class::OtherProgram, Some("baloo_file"))
            }
            Self::Burst => (Class::OtherProgram, None),
            Self::Softirq => (Class::Kernel, Some("NET_RX")),
            Self::Game => (Class::Game, Some("Main\u{202e}\"<b>")),
            Self::Shaders => (Class::Shaders, Some("dxvk-shader")),
            Self::Storage => (Class::Storage, Some("nvme0n1")),
            Self::PageFault => (Class::Memory, Some("page faults, nvme0n1")),
            Self::Reclaim => (Class::Memory, Some("reclaim")),
            Self::Service => (Class::Service, Some("wineserver")),
            Self::Graphics => (Class::Graphics, Some("nvidia, IRQ 56")),
            Self::Overlay => (Class::Overlay, Some("mangohud")),
            Self::Stopped => (Class::Stopped, Some("Main\u{202e}\"<b>")),
            Self::Throttled => (Class::Throttled, Some("Main\u{202e}\"<b>")),
            Self::Timer => (Class::Timer, Some("dxvk-cs")),
            Self::Own => (Class::Own, None),
            Self::AllStalled => (Class::AllStalled, None),
            Self::Unknown => (Class::NotExplained, None),
        }
    }
}

pub(crate) struct Game {
    made: Builder,
    frames: RecordedFrames,
    random: fastrand::Rng,
    /// When the next frame starts, in µs.
    start: i64,
    presented: i64,
    throttled: i64,
    throttle_counts: Series,
    threads: Vec<RecordedThread>,
    /// Intervals in which no CPU runs.
    halts: Vec<(i64, i64)>,
    /// Ends of the frames with an injection.
    ends: Vec<i64>,
}

impl Game {
    pub(crate) fn new(seed: u64) -> Self {
        let own = |row: RecordedThread| RecordedThread { owner: Some(RecordedOwner::Own), ..row };
        let mut game = Self {
            made: Builder::default(),
            frames: RecordedFrames::default(),
            random: fastrand::Rng::with_seed(seed),
            start: 0,
            presented: -PERIOD,
            throttled: 0,
            throttle_counts: Series::default(),
            threads: vec![
                thread(MAIN, 10, "Main\u{202e}\"<b>", "game.exe"),
                thread(RENDER, 10, "dxvk-cs", "game.exe"),
                thread(SHADER, 10, "dxvk-shader-n", "game.exe"),
                thread(PRESENT, 10, "dxvk-submit", "game.exe"),
                thread(OVERLAY, 10, "mangohud-log", "game.exe"),
                thread(HOG, HOG, "baloo_file", "baloo_file"),
                thread(SERVER, SERVER, "wineserver", "wineserver"),
                own(thread(OWN, 2, "recorder", "jitterscope-cli")),
            ],
            halts: Vec::new(),
            ends: Vec::new(),
        };
        for cpu in 0..4 {
            game.made.add(-1_000, TraceEvent::SwitchIn, cpu, Some(0));
        }
        for sleeper in [MAIN, RENDER, SHADER, PRESENT, OVERLAY, HOG, SERVER, OWN] {
            game.made.add(-1_000, TraceEvent::Slept, 3, Some(sleeper));
        }
        game.made.add(-999, TraceEvent::SwitchIn, 3, Some(0));
        game
    }

    /// Plays frames without an injection.
    pub(crate) fn play(&mut self, count: usize) {
        (0..count).for_each(|_| self.frame(None));
    }

    fn add(&mut self, at: i64, event: TraceEvent, cpu: u32, thread: u32) {
        self.made.add(at, event, cpu, Some(thread));
    }

    /// A thread gives up its CPU.
    fn leave(&mut self, at: i64, event: TraceEvent, cpu: u32, thread: u32) {
        self.add(at, event, cpu, thread);
        self.add(at, TraceEvent::SwitchIn, cpu, 0);
    }

    /// The thread that runs on a CPU wakes another one, which runs on its own CPU a moment later.
    fn hand_over(&mut self, at: i64, (from_cpu, cpu): (u32, u32), woken: u32) -> i64 {
        self.made.wake(at, from_cpu, woken, WakeContext::Thread);
        self.add(at + 5, TraceEvent::SwitchIn, cpu, woken);
        at + 5
    }

    /// A timer wakes a thread.
    fn expire(&mut self, at: i64, cpu: u32, woken: u32) {
        self.made.named(at - 3, TraceEvent::InterruptBegin, cpu, "local timer interrupt", None);
        self.made.wake(at, cpu, woken, WakeContext::Interrupt);
        self.made.add(at + 1, TraceEvent::InterruptEnd, cpu, None);
        self.add(at + 5, TraceEvent::SwitchIn, cpu, woken);
    }

    /// A thread sleeps while another thread works for it on CPU 3.
    fn wait_for(&mut self, at: i64, (cpu, own): (u32, u32), worker: u32, length: i64) -> i64 {
        self.hand_over(at, (cpu, 3), worker);
        self.leave(at + 10, TraceEvent::Slept, cpu, own);
        let end = at + length;
        self.hand_over(end, (3, cpu), own);
        self.leave(end + 10, TraceEvent::Slept, 3, worker);
        end + 5
    }

    /// Other threads have the CPU of a thread, one after the other.
    fn take_cpu(&mut self, at: i64, (cpu, own): (u32, u32), others: &[u32], length: i64) -> i64 {
        self.add(at, TraceEvent::Preempted, cpu, own);
        let each = length / i64::try_from(others.len()).unwrap();
        let mut now = at;
        for other in others {
            self.add(now, TraceEvent::SwitchIn, cpu, *other);
            now += each;
            self.add(now, TraceEvent::Slept, cpu, *other);
        }
        self.add(now, TraceEvent::SwitchIn, cpu, own);
        now
    }

    /// Does something to the main thread, and returns the time after it.
    fn disturb_main(&mut self, at: i64, injected: Injected, length: i64) -> i64 {
        let (cpu, end) = (0, at + length);
        match injected {
            Injected::Game => end,
            Injected::AllStalled => {
                self.halts.push((at, end));
                end
            }
            Injected::OtherProgram => self.take_cpu(at, (cpu, MAIN), &[HOG], length),
            Injected::Own => self.take_cpu(at, (cpu, MAIN), &[OWN], length),
            Injected::Halfway => self.take_cpu(at, (cpu, MAIN), &[HOG], 18_000),
            Injected::HalfUnknown => {
                let now = self.take_cpu(at, (cpu, MAIN), &[HOG], 17_000);
                self.disturb_main(now + 100, Injected::Unknown, 12_000)
            }
            Injected::Burst => {
                let first = BURST + u32::try_from(self.threads.len()).unwrap();
                let burst: Vec<u32> = (first..first + 12).collect();
                for (number, name) in burst.iter().zip(["sh", "cc1plus", "as", "ld"].iter().cycle())
                {
                    self.threads.push(thread(*number, *number, name, name));
                }
                self.take_cpu(at, (cpu, MAIN), &burst, length)
            }
            Injected::Softirq => {
                self.made.named(at, TraceEvent::SoftirqBegin, cpu, "NET_RX", Some(3));
                self.made.add(end, TraceEvent::SoftirqEnd, cpu, None);
                end
            }
            Injected::Storage | Injected::PageFault => {
                if injected == Injected::PageFault {
                    self.add(at - 1, TraceEvent::PageFault, cpu, MAIN);
                }
                self.leave(at, TraceEvent::Blocked, cpu, MAIN);
                self.made.named(end - 5, TraceEvent::BlockCompleteBegin, 3, "nvme0n1", None);
                self.made.wake(end, 3, MAIN, WakeContext::Softirq);
                self.made.named(end + 1, TraceEvent::BlockCompleteEnd, 3, "nvme0n1", None);
                self.add(end + 5, TraceEvent::SwitchIn, cpu, MAIN);
                end + 5
            }
            Injected::Reclaim => {
                self.add(at, TraceEvent::ReclaimBegin, cpu, MAIN);
                self.add(end, TraceEvent::ReclaimEnd, cpu, MAIN);
                end
            }
            Injected::Service => self.wait_for(at, (cpu, MAIN), SERVER, length),
            Injected::Stopped => {
                self.leave(at, TraceEvent::Stopped, cpu, MAIN);
                self.made.wake(end, 3, MAIN, WakeContext::Thread);
                self.add(end + 5, TraceEvent::SwitchIn, cpu, MAIN);
                end + 5
            }
            Injected::Throttled => {
                self.leave(at, TraceEvent::Preempted, cpu, MAIN);
                self.throttled += 1;
                self.add(end, TraceEvent::SwitchIn, cpu, MAIN);
                end
            }
            Injected::Unknown => {
                self.leave(at, TraceEvent::Slept, cpu, MAIN);
                self.add(end, TraceEvent::SwitchIn, cpu, MAIN);
                end
            }
            _ => at,
        }
    }

    /// Plays a frame.
    pub(crate) fn frame(&mut self, injected: Option<Injected>) {
        let length = self.random.i64(28_000..45_000);
        self.throttle_counts.push(micros(self.start), self.throttled);
        let main_work = self.random.i64(3_500..4_500);
        let render_work = self.random.i64(4_500..5_500);
        let mut now = self.start;
        self.expire(now, 0, MAIN);
        now += main_work / 2;
        if let Some(injected) = injected {
            now = self.disturb_main(now, injected, length);
        }
        now += main_work / 2;
        let main_end = now;
        now = self.hand_over(now, (0, 1), RENDER);
        self.leave(main_end + 20, TraceEvent::Slept, 0, MAIN);
        now += render_work;
        match injected {
            Some(Injected::Shaders) => now = self.wait_for(now, (1, RENDER), SHADER, length),
            Some(Injected::Graphics) => {
                self.leave(now, TraceEvent::Slept, 1, RENDER);
                now += length;
                self.made.named(now - 5, TraceEvent::InterruptBegin, 3, "nvidia, IRQ 56", Some(56));
                self.made.wake(now, 3, RENDER, WakeContext::Interrupt);
                self.made.add(now + 1, TraceEvent::InterruptEnd, 3, None);
                self.add(now + 5, TraceEvent::SwitchIn, 1, RENDER);
            }
            Some(Injected::Timer) => {
                self.leave(now, TraceEvent::Slept, 1, RENDER);
                now += length;
                self.expire(now, 1, RENDER);
            }
            _ => {}
        }
        now += 100;
        let render_end = now;
        now = self.hand_over(now, (1, 2), PRESENT);
        self.leave(render_end + 20, TraceEvent::Slept, 1, RENDER);
        if injected == Some(Injected::Overlay) {
            now = self.wait_for(now + 50, (2, PRESENT), OVERLAY, length);
        }
        now += 200;
        self.frames.push(micros(now), micros(now - self.presented));
        self.presented = now;
        if injected.is_some() {
            self.ends.push(now);
        }
        self.leave(now + 100, TraceEvent::Slept, 2, PRESENT);
        self.start = (self.start + PERIOD).max(now + 150);
        self.throttle_counts.push(micros(now + 140), self.throttled);
    }

    /// Adds the timer interrupts of all CPUs, except while no CPU runs.
    fn ticks(&mut self) {
        let is_halted =
            |halts: &[(i64, i64)], at: i64| halts.iter().any(|it| it.0 <= at && at < it.1);
        for tick in 0..self.start / 4_000 {
            for cpu in 0..4 {
                let at = 4_000 * tick + 37 * i64::from(cpu);
                if !is_halted(&self.halts, at) && !is_halted(&self.halts, at + 2) {
                    let name = "local timer interrupt";
                    self.made.named(at, TraceEvent::InterruptBegin, cpu, name, None);
                    self.made.add(at + 2, TraceEvent::InterruptEnd, cpu, None);
                }
            }
        }
    }

    /// Returns the recording, with detail around each injection.
    pub(crate) fn recording(mut self, tier: Tier) -> Recording {
        self.ticks();
        let mut records = std::mem::take(&mut self.made.records);
        records.sort_by_key(|record| record.at);
        if matches!(tier, Tier::OwnSwitches) {
            let is_of_game = |record: &TraceRecord| {
                record.thread.is_some_and(|thread| (MAIN..=OVERLAY).contains(&thread))
            };
            records.retain(|record| {
                let event = record.event;
                is_of_game(record) && (event == TraceEvent::SwitchIn || event.is_switch_out())
            });
            for record in &mut records {
                if matches!(record.event, TraceEvent::Blocked | TraceEvent::Stopped) {
                    record.event = TraceEvent::Slept;
                }
            }
        }
        let mut spans: Vec<(i64, i64)> = Vec::new();
        let mut ends = self.ends.clone();
        if ends.is_empty() {
            ends.push(self.presented - 600_000);
        }
        for end in ends {
            let (from, to) = (end - 1_500_000, end + 500_000);
            match spans.last_mut().filter(|last| from <= last.1) {
                Some(last) => last.1 = to,
                None => spans.push((from, to)),
            }
        }
        let detail = |&(from, to): &(i64, i64)| {
            let from = from.max(-500);
            let mut made =
                Builder { names: self.made.names.clone(), records: begin(&records, from) };
            let within = records.iter().filter(|it| micros(from) < it.at && it.at <= micros(to));
            made.records.extend(within);
            made.detail(from, to)
        };
        let details: Vec<Detail> = spans.iter().map(detail).collect();
        let tier = match tier {
            Tier::Kernel => kernel(),
            Tier::OwnSwitches => {
                RecordedTier { source: Some(TraceSource::OwnSwitches), ..RecordedTier::default() }
            }
        };
        let process = RecordedProcess { process: 10, started: None, name: "game.exe".to_owned() };
        Recording {
            label: "game".to_owned(),
            follow: Follow::Log,
            process: Some(process),
            length: Nanos::from_micros(self.presented),
            frames: self.frames,
            frame_uncertainty: Some(Nanos::from_micros(80)),
            details,
            threads: self.threads,
            tier,
            series: [(name::THROTTLED.to_owned(), self.throttle_counts)].into(),
            ..Recording::default()
        }
    }
}

/// Returns records of the state at a time: what each CPU and each thread last did.
pub(super) fn begin(records: &[TraceRecord], at: i64) -> Vec<TraceRecord> {
    let mut cpus = std::collections::BTreeMap::new();
    let mut threads = std::collections::BTreeMap::new();
    for record in records.iter().take_while(|record| record.at <= micros(at)) {
        match record.event {
            TraceEvent::SwitchIn => {
                cpus.insert(record.cpu, *record);
                threads.insert(record.thread, *record);
            }
            event if event.is_switch_out() || event == TraceEvent::Waking => {
                threads.insert(record.thread, *record);
            }
            _ => {}
        }
    }
    let sleeping = threads.into_values().filter(|record| record.event != TraceEvent::SwitchIn);
    let mut state: Vec<TraceRecord> = sleeping.chain(cpus.into_values()).collect();
    for record in &mut state {
        record.at = micros(at);
    }
    state
}
